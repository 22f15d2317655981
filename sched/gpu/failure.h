/* The first failure of a driver (sched/gpu/driver.h), after which its calls do nothing. Any thread may call these functions. */
#ifndef WADI_SCHED_GPU_FAILURE_H
#define WADI_SCHED_GPU_FAILURE_H

#include "base/thread.h"
#include "wadi/status.h"

typedef struct wadi_gpu_failure {
    wadi_mutex lock;
    wadi_error first; /* status WADI_OK: there is none */
} wadi_gpu_failure;

/* Errors: of the mutex; then there is nothing to finish. */
WADI_NODISCARD wadi_status wadi_gpu_failure_init(wadi_gpu_failure *f, wadi_error *err);
void wadi_gpu_failure_fini(wadi_gpu_failure *f);

/* Remembers the failure if it is the first. */
void wadi_gpu_failure_note(wadi_gpu_failure *f, const wadi_error *why);
/* The first failure, or WADI_OK. err may be NULL. */
wadi_status wadi_gpu_failure_tell(wadi_gpu_failure *f, wadi_error *err);

#endif
