/* The first failure, behind a lock: memory is taken and given back by several threads. */
#include "sched/gpu/failure.h"

wadi_status wadi_gpu_failure_init(wadi_gpu_failure *f, wadi_error *err) {
    f->first = (wadi_error){.status = WADI_OK};
    return wadi_mutex_init(&f->lock, err);
}

void wadi_gpu_failure_fini(wadi_gpu_failure *f) {
    wadi_mutex_fini(&f->lock);
}

void wadi_gpu_failure_note(wadi_gpu_failure *f, const wadi_error *why) {
    wadi_mutex_lock(&f->lock);
    if (f->first.status == WADI_OK) f->first = *why;
    wadi_mutex_unlock(&f->lock);
}

wadi_status wadi_gpu_failure_tell(wadi_gpu_failure *f, wadi_error *err) {
    wadi_mutex_lock(&f->lock);
    const wadi_status status = f->first.status;
    if (status != WADI_OK && err != NULL) *err = f->first;
    wadi_mutex_unlock(&f->lock);
    return status;
}
