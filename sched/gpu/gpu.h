/* Devices with groups of lanes: what is the same for OpenCL, CUDA and whatever else implements a driver.
 *
 * Kernels are those of schedule group where a body offers it. Columns live in the driver's memory. Each launch sends what has changed of the
 * description of the slots, and reads back what the kernel says of faults and shapes. Libraries are not called: routines decline. */
#ifndef WADI_SCHED_GPU_GPU_H
#define WADI_SCHED_GPU_GPU_H

#include "sched/device.h"
#include "sched/gpu/driver.h"

/* Takes over the driver, also if it fails; the driver lives as long as the device and all blocks of its memory. Errors: WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_gpu_open(wadi_gpu_driver *owned_driver,
                                         const wadi_device_options *options, wadi_device **out,
                                         wadi_error *err);

#endif
