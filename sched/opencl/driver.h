/* Memory, copies and launches on a device of OpenCL: what sched/gpu/driver.h asks of a kind of machine.
 *
 * OpenCL 1.2 has no addresses. All memory of an opened device is one buffer. The host reserves as many addresses, which nobody can follow,
 * and the address of a byte of the buffer is the address of that byte there. A kernel has two arguments: the buffer, and the wadi_gpu_call,
 * whose `origin` is the first address. */
#ifndef WADI_SCHED_OPENCL_DRIVER_H
#define WADI_SCHED_OPENCL_DRIVER_H

#include "sched/gpu/driver.h"
#include "sched/opencl/machine.h"

/* Opens the machine: a queue and a buffer of its own. most: bytes of the buffer at most; 0: as many as the machine allows. The
 * caller destroys it, once no image needs it. Errors: WADI_UNSUPPORTED (the machine cannot be used), WADI_DEVICE, WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_opencl_driver_open(wadi_opencl_machine *m, int64_t most,
                                                   wadi_gpu_driver **out, wadi_error *err);

#endif
