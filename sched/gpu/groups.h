/* How many groups a launch has on a device with groups of lanes. */
#ifndef WADI_SCHED_GPU_GROUPS_H
#define WADI_SCHED_GPU_GROUPS_H

#include "sched/gpu/driver.h"

/* One for each of the rounds, but no more than the machine runs at the same time: others would wait, and each has scratch memory. Groups
 * of more rounds go through several. At least 1. */
int64_t wadi_gpu_groups(const wadi_gpu_driver *driver, wadi_code kernel, int64_t rounds);

#endif
