/* Keeps the first error of a run, from whichever thread, for the caller. */
#include <string.h>

#include "base/error.h"
#include "sched/run.h"
#include "sched/run/state.h"

/* By the lock. */
static void keep(wadi_run *x, const wadi_error *error) {
    const bool of_part = x->part != NULL && strcmp(x->part_error.msg, error->msg) == 0;
    x->error = *error;
    x->failed_in = of_part ? x->part : "compute";
}

void wadi_run_note_error(wadi_run *x, const wadi_error *error) {
    const bool cancelled = wadi_stop_called(&x->stop);
    wadi_mutex_lock(&x->lock);
    const bool weak = x->error.status == WADI_OK || x->error.status == WADI_CANCELLED;
    if (cancelled && x->error.status == WADI_OK)
        (void)wadi_fail(&x->error, WADI_CANCELLED, "cancelled");
    else if (weak && !cancelled && (x->error.status == WADI_OK || error->status != WADI_CANCELLED))
        keep(x, error);
    wadi_mutex_unlock(&x->lock);
}

void wadi_run_note_part(wadi_run *x, const char *part, const wadi_error *error) {
    wadi_mutex_lock(&x->lock);
    x->part = part;
    x->part_error = *error;
    wadi_mutex_unlock(&x->lock);
}

wadi_log_place wadi_run_place(wadi_run *run) {
    wadi_log_place place = {NULL, NULL};
    wadi_mutex_lock(&run->lock);
    if (atomic_load(&run->watched.id) != 0) /* it has begun */
        place =
            (wadi_log_place){run->plan->name, run->failed_in != NULL ? run->failed_in : "compute"};
    wadi_mutex_unlock(&run->lock);
    return place;
}
