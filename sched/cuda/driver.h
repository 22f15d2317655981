/* A machine of NVIDIA's as a driver of devices with groups of lanes (sched/gpu/driver.h). */
#ifndef WADI_SCHED_CUDA_DRIVER_H
#define WADI_SCHED_CUDA_DRIVER_H

#include "sched/gpu/driver.h"

/* Opens machine `number`. The caller destroys *out, after everything that was taken of it has been given back. Errors: WADI_MEMORY,
 * WADI_DEVICE, and those of wadi_cuda_machine_find. */
WADI_NODISCARD wadi_status wadi_cuda_driver_open(int number, wadi_gpu_driver **out,
                                                 wadi_error *err);

#endif
