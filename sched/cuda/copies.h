/* Copies between the host and the machine beside the queue of calls: a stream for each way, so that both ways, kernels and the host
 * work at the same time. Any thread may call these functions but open and close. */
#ifndef WADI_SCHED_CUDA_COPIES_H
#define WADI_SCHED_CUDA_COPIES_H

#include "sched/cuda/staging.h"

typedef struct wadi_cuda_copies {
    wadi_cuda_queue *calls; /* borrowed */
    wadi_cuda_queue up, down;
    wadi_mutex lock; /* guards `staging` */
    bool locks;      /* it has been made */
    wadi_cuda_staging staging;
} wadi_cuda_copies;

/* The context is current in both. What failed to open must be closed; one of zeros is fine. Errors: of the driver. */
WADI_NODISCARD wadi_status wadi_cuda_copies_open(wadi_cuda_copies *c, wadi_cuda_queue *calls,
                                                 wadi_error *err);
void wadi_cuda_copies_close(wadi_cuda_copies *c);

/* As wadi_gpu_beside has them (sched/gpu/driver.h). */
uint64_t wadi_cuda_copies_now(wadi_cuda_copies *c);
uint64_t wadi_cuda_copies_send(wadi_cuda_copies *c, void *to, const void *from, size_t bytes,
                               uint64_t used);
void wadi_cuda_copies_after(wadi_cuda_copies *c, uint64_t sent);
uint64_t wadi_cuda_copies_fetch(wadi_cuda_copies *c, void *to, const void *from, size_t bytes);
/* The session has the failure. */
void wadi_cuda_copies_arrived(wadi_cuda_copies *c, uint64_t fetched);
void *wadi_cuda_copies_pin(wadi_cuda_copies *c, size_t bytes);
void wadi_cuda_copies_unpin(wadi_cuda_copies *c, void *memory);

#endif
