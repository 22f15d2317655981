/* The device `null`: the processors of this machine over memory that the host cannot reach.
 *
 * It computes what `cpu` computes, with the same kernels, but columns lie in memory that is closed, and that the device itself sees at
 * other addresses: a host that reads or writes a column without copying dies at once. It is for tests of all that stands above the
 * devices, and an example for those who write one. Kernels see slots as the device describes them, in its memory. Libraries work there, too.
 */
#ifndef WADI_SCHED_NULL_NULL_H
#define WADI_SCHED_NULL_NULL_H

#include "sched/device.h"

WADI_NODISCARD wadi_status wadi_null_open(const wadi_device_options *options, wadi_device **out,
                                          wadi_error *err);

#endif
