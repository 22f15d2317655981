/* What a device does over its memory beside launching kernels of programs. The kernels for it are device C (sched/gpu/rt/primitives.h) and
 * are built at their first use.
 *
 * If memory runs out or the kernels cannot be built, a primitive does nothing, a number that it returns is 0, and `failed` says so. */
#ifndef WADI_SCHED_GPU_PRIMITIVES_H
#define WADI_SCHED_GPU_PRIMITIVES_H

#include "sched/device.h"
#include "sched/gpu/driver.h"
#include "sched/gpu/rt/call.h"
#include "sched/gpu/rt/tasks.h"
#include "sched/residence.h"

#define WADI_GPU_PRIMITIVES_KEY "the primitives of wadi"

enum { WADI_GPU_PRIMITIVES = 7 };

typedef struct wadi_gpu_primitives {
    wadi_gpu_driver *driver;
    const wadi_residence *residence;
    wadi_buffers *buffers; /* of host memory */
    bool built;
    wadi_kernels kernels;
    wadi_code code[WADI_GPU_PRIMITIVES];
    wadi_status failed; /* the first failure that nobody has been told; its words */
    wadi_error why;
} wadi_gpu_primitives;

/* Borrows its arguments. */
void wadi_gpu_primitives_init(wadi_gpu_primitives *p, wadi_gpu_driver *driver,
                              const wadi_residence *residence, wadi_buffers *buffers);
void wadi_gpu_primitives_fini(wadi_gpu_primitives *p);
/* The failure, which is forgotten then. */
WADI_NODISCARD wadi_status wadi_gpu_primitives_tell(wadi_gpu_primitives *p, wadi_error *err);

/* As wadi_device_ops has them. */
void wadi_gpu_iota_run(wadi_gpu_primitives *p, int64_t *to, int64_t n, int64_t first);
int64_t wadi_gpu_scan_run(wadi_gpu_primitives *p, int64_t *at, int64_t n);
int64_t wadi_gpu_count_run(wadi_gpu_primitives *p, const void *bools, int64_t n);
void wadi_gpu_gather_run(wadi_gpu_primitives *p, const wadi_device_gather *g);
/* Divides n reals by their number of elements: on devices whose driver transforms. */
void wadi_gpu_scale_run(wadi_gpu_primitives *p, bool is_double, void *at, int64_t n,
                        int64_t divisor);
/* Copies pieces: all addresses in the task are the device's. */
void wadi_gpu_copy_run(wadi_gpu_primitives *p, const wadi_gpu_copying *task);

#endif
