/* The memory of a driver as a residence: a pool of blocks, and copies. */
#ifndef WADI_SCHED_GPU_MEMORY_H
#define WADI_SCHED_GPU_MEMORY_H

#include "sched/gpu/driver.h"
#include "sched/residence.h"

/* The pool takes over the driver and destroys it when the last block is back. What a failed driver does not give reads as zeros. Errors:
 * WADI_MEMORY; the driver has been destroyed then. */
WADI_NODISCARD wadi_status wadi_gpu_residence_init(wadi_residence *r, wadi_gpu_driver *owned_driver,
                                                   int64_t keep_bytes, wadi_error *err);
/* The last reference of the device; others may have theirs. */
void wadi_gpu_residence_fini(wadi_residence *r);

/* The driver's `wait`, in the register of waits. */
WADI_NODISCARD wadi_status wadi_gpu_wait(wadi_gpu_driver *d, wadi_error *err);

/* An address of the device as kernels know it. */
static inline uint64_t wadi_gpu_address(const void *at) {
    return (uint64_t)(uintptr_t)at;
}

#endif
