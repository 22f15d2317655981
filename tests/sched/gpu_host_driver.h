/* A driver of a device with groups of lanes that is this process: its memory is host memory under other addresses, its kernels are device C
 * compiled as C (gpu_host.h). Lanes run one after the other, in another order between any two barriers. If some lanes of a group come to a
 * barrier and others end, the process ends. */
#ifndef WADI_TESTS_SCHED_GPU_HOST_DRIVER_H
#define WADI_TESTS_SCHED_GPU_HOST_DRIVER_H

#include "sched/gpu/driver.h"

/* Loads texts in device C, those of the primitives or any other, whose key is in the text; $WADI_TEST_CC compiles them. */
extern const wadi_image_ops gpu_host_images;

/* The text of a file of the source tree. Ends the process if it is not there or too long. */
void gpu_host_text(const char *name, char *out, size_t room);
/* The text of the dialect; static. */
const char *gpu_host_dialect(void);

/* units: as the driver's; memory: bytes. Any thread may use it, but kernels of all of them run one after the other. */
wadi_gpu_driver *gpu_host_create(int units, int64_t memory);
/* All later calls do nothing, and `wait` says this. */
void gpu_host_fail(wadi_gpu_driver *driver);
/* Bytes that have been put, and launches, since it was made. */
int64_t gpu_host_put_bytes(const wadi_gpu_driver *driver);
int64_t gpu_host_launches(const wadi_gpu_driver *driver);

#endif
