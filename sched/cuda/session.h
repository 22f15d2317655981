/* What all parts of a driver share: the machine's context, and the first failure. Any thread may call these functions. Between entering and leaving a
 * thread can be left behind (base/behind.h). */
#ifndef WADI_SCHED_CUDA_SESSION_H
#define WADI_SCHED_CUDA_SESSION_H

#include "sched/cuda/machines.h"
#include "sched/gpu/failure.h"

typedef struct wadi_cuda_session {
    const wadi_cu_api *cu;
    const wadi_cuda_machine *machine;
    wadi_cu_context context; /* retained; NULL: not yet */
    wadi_gpu_failure failure;
} wadi_cuda_session;

/* Whether the call succeeded. If not, that is noted. */
bool wadi_cuda_check(wadi_cuda_session *s, const char *call, wadi_cu_result result);
bool wadi_cuda_is_failed(wadi_cuda_session *s);
/* Makes the context the thread's current one. False: it cannot, or something has failed before. */
bool wadi_cuda_enter(wadi_cuda_session *s);
/* The same after a failure too: for giving back. */
bool wadi_cuda_enter_still(wadi_cuda_session *s);
/* Takes it away again. */
void wadi_cuda_leave(const wadi_cuda_session *s);
/* memcpy, after entering, from memory that does not stay if the thread is left behind. */
void wadi_cuda_read(void *to, const void *from, size_t bytes);

#endif
