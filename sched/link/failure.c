/* Why one end of a link has failed: what sender and receiver note of it, and what they tell the other end. */
#include <stdio.h>

#include "sched/link/link.h"

void wadi_link_failure_note(wadi_link_failure *f, int64_t number, wadi_status status,
                            const char *reason) {
    if (f->set) return;
    f->set = true;
    f->number = number;
    f->status = status;
    (void)snprintf(f->reason, sizeof f->reason, "%s", reason);
}

wadi_link_message wadi_link_failure_told(const wadi_link_failure *f, int peer) {
    return (wadi_link_message){.kind = WADI_LINK_FAIL,
                               .peer = peer,
                               .number = f->number,
                               .status = f->status,
                               .reason = f->reason};
}
