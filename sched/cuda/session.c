/* The process may use contexts of its own, so each call makes the machine's context the thread's current one and takes it away again. */
#include "sched/cuda/session.h"

#include <string.h>

#include "base/behind.h"

bool wadi_cuda_check(wadi_cuda_session *s, const char *call, wadi_cu_result result) {
    wadi_error why;
    if (result == WADI_CU_SUCCESS) return true;
    (void)wadi_cu_fail(&why, s->machine->name, call, result);
    wadi_gpu_failure_note(&s->failure, &why);
    return false;
}

bool wadi_cuda_is_failed(wadi_cuda_session *s) {
    return wadi_gpu_failure_tell(&s->failure, NULL) != WADI_OK;
}

bool wadi_cuda_enter_still(wadi_cuda_session *s) {
    wadi_behind_enter();
    const bool entered = wadi_cuda_check(s, "cuCtxPushCurrent", s->cu->push(s->context));
    if (!entered) wadi_behind_leave();
    return entered;
}

bool wadi_cuda_enter(wadi_cuda_session *s) {
    return !wadi_cuda_is_failed(s) && wadi_cuda_enter_still(s);
}

void wadi_cuda_leave(const wadi_cuda_session *s) {
    wadi_cu_context left = NULL;
    (void)s->cu->pop(&left);
    wadi_behind_leave();
}

void wadi_cuda_read(void *to, const void *from, size_t bytes) {
    wadi_behind_leave();
    memcpy(to, from, bytes);
    wadi_behind_enter();
}
