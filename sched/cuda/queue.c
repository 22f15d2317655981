/* Marks are events, used in turn. An event that has been used again belongs to a later mark of the same stream, so whoever waits for it waits
 * longer than necessary, but never too short. */
#include "sched/cuda/queue.h"

#include "base/error.h"

static wadi_cu_event event_of(const wadi_cuda_queue *q, uint64_t mark) {
    return q->event[mark % WADI_CUDA_EVENTS];
}

wadi_status wadi_cuda_queue_open(wadi_cuda_queue *q, wadi_cuda_session *session, bool sleeps,
                                 wadi_error *err) {
    const wadi_cu_api *cu = session->cu;
    const char *name = session->machine->name;
    WADI_TRY(wadi_mutex_init(&q->lock, err));
    q->session = session;
    q->opened = true;
    wadi_cu_result result = cu->begin_stream(&q->stream, WADI_CU_NON_BLOCKING);
    if (result != WADI_CU_SUCCESS) return wadi_cu_fail(err, name, "cuStreamCreate", result);
    const unsigned flags = WADI_CU_NO_TIMING | (sleeps ? WADI_CU_SLEEP : 0);
    for (int i = 0; i < WADI_CUDA_EVENTS; i++) {
        result = cu->begin_event(&q->event[i], flags);
        if (result != WADI_CU_SUCCESS) return wadi_cu_fail(err, name, "cuEventCreate", result);
    }
    return WADI_OK;
}

void wadi_cuda_queue_close(wadi_cuda_queue *q) {
    if (!q->opened) return;
    const wadi_cu_api *cu = q->session->cu;
    if (q->stream != NULL) (void)cu->wait(q->stream);
    for (int i = 0; i < WADI_CUDA_EVENTS; i++)
        if (q->event[i] != NULL) (void)cu->end_event(q->event[i]);
    if (q->stream != NULL) (void)cu->end_stream(q->stream);
    wadi_mutex_fini(&q->lock);
}

uint64_t wadi_cuda_queue_mark(wadi_cuda_queue *q) {
    wadi_mutex_lock(&q->lock);
    const uint64_t mark = ++q->marks;
    (void)wadi_cuda_check(q->session, "cuEventRecord",
                          q->session->cu->record(event_of(q, mark), q->stream));
    wadi_mutex_unlock(&q->lock);
    return mark;
}

void wadi_cuda_queue_after(wadi_cuda_queue *q, wadi_cuda_queue *of, uint64_t mark) {
    if (mark <= atomic_load(&of->reached)) return;
    (void)wadi_cuda_check(q->session, "cuStreamWaitEvent",
                          q->session->cu->wait_event(q->stream, event_of(of, mark), 0));
}

bool wadi_cuda_queue_reach(wadi_cuda_queue *q, uint64_t mark) {
    uint64_t before = atomic_load(&q->reached);
    if (mark <= before) return !wadi_cuda_is_failed(q->session);
    const bool ok = wadi_cuda_check(q->session, "cuEventSynchronize",
                                    q->session->cu->reach_event(event_of(q, mark)));
    while (ok && before < mark && !atomic_compare_exchange_weak(&q->reached, &before, mark)) {
    }
    return ok && !wadi_cuda_is_failed(q->session);
}

bool wadi_cuda_queue_drain(wadi_cuda_queue *q) {
    return wadi_cuda_check(q->session, "cuStreamSynchronize", q->session->cu->wait(q->stream));
}
