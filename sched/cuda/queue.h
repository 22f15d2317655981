/* A stream of the driver, and marks in it: a mark says how far the stream has come. Marks count from 1 on; 0 has always been reached. The
 * context is current in all functions. All but open and close may be called by any thread. */
#ifndef WADI_SCHED_CUDA_QUEUE_H
#define WADI_SCHED_CUDA_QUEUE_H

#include <stdatomic.h>

#include "base/thread.h"
#include "sched/cuda/session.h"

enum { WADI_CUDA_EVENTS = 32 };

typedef struct wadi_cuda_queue {
    wadi_cuda_session *session;
    wadi_cu_stream stream;
    bool opened;
    wadi_mutex lock; /* guards `marks`, and that events are recorded in their order */
    wadi_cu_event event[WADI_CUDA_EVENTS];
    uint64_t marks;
    _Atomic uint64_t reached;
} wadi_cuda_queue;

/* sleeps: whoever waits for a mark leaves the processor to others; otherwise he goes on a little sooner. After a failure, too, it must be closed.
 * Errors: of the driver. */
WADI_NODISCARD wadi_status wadi_cuda_queue_open(wadi_cuda_queue *q, wadi_cuda_session *session,
                                                bool sleeps, wadi_error *err);
/* Waits until the stream is empty. A queue of zeros is fine. */
void wadi_cuda_queue_close(wadi_cuda_queue *q);

/* Marks what has been queued so far. */
uint64_t wadi_cuda_queue_mark(wadi_cuda_queue *q);
/* What is queued in q from now on begins after `of` has come to the mark. */
void wadi_cuda_queue_after(wadi_cuda_queue *q, wadi_cuda_queue *of, uint64_t mark);
/* Waits until the stream has come to the mark. False: something has failed. */
bool wadi_cuda_queue_reach(wadi_cuda_queue *q, uint64_t mark);
/* Waits until the stream is empty. False: something in it has failed. */
bool wadi_cuda_queue_drain(wadi_cuda_queue *q);

#endif
