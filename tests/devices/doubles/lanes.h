/* Running a kernel that host.h has made a function of: blocks one after the other, the lanes of a block in turns between barriers. */
#ifndef WADI_TESTS_DEVICES_LANES_H
#define WADI_TESTS_DEVICES_LANES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/dl.h"
#include "sched/gpu/rt/call.h"

typedef void (*lanes_kernel)(wadi_gpu_call call);

/* Runs all blocks, in an order that `seed` decides, as well as the order of the lanes in each turn. False: lanes of a block do not meet at
 * their barriers, of which a line on stderr tells. One thread at a time. */
bool lanes_run(const wadi_dl *object, lanes_kernel kernel, unsigned blocks,
               const wadi_gpu_call *call, unsigned seed);

#endif
