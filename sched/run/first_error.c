/* Keeps the first error of a run, from whichever thread, for the caller. */
#include "base/error.h"
#include "sched/run/state.h"

void wadi_run_note_error(wadi_run *x, const wadi_error *error) {
    const bool cancelled = wadi_stop_called(&x->stop);
    wadi_mutex_lock(&x->lock);
    const bool weak = x->error.status == WADI_OK || x->error.status == WADI_CANCELLED;
    if (cancelled && x->error.status == WADI_OK)
        (void)wadi_fail(&x->error, WADI_CANCELLED, "cancelled");
    else if (weak && !cancelled && (x->error.status == WADI_OK || error->status != WADI_CANCELLED))
        x->error = *error;
    wadi_mutex_unlock(&x->lock);
}
