/* The devices of NVIDIA, "cuda:N": the functions of their row in the table of devices (sched/devices.h). Kernels are in CUDA C, images are
 * modules for the architecture of one machine. */
#ifndef WADI_SCHED_CUDA_CUDA_H
#define WADI_SCHED_CUDA_CUDA_H

#include "sched/device.h"

/* The errors are those of wadi_cuda_machines; a machine without devices has 0. */
WADI_NODISCARD wadi_status wadi_cuda_count(int *out, wadi_error *err);
/* Errors: WADI_DEVICE (the driver's reason), WADI_COMPILE (the compiler of CUDA C is not there: no kernel could be made). */
WADI_NODISCARD wadi_status wadi_cuda_tell(int number, wadi_device_facts *out, wadi_error *err);
/* Errors: those of wadi_cuda_driver_open, WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_cuda_open(const wadi_device_options *options, wadi_device **out,
                                          wadi_error *err);

#endif
