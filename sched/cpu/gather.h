/* Copies elements of several slots into one; workers share the copying. */
#ifndef WADI_SCHED_CPU_GATHER_H
#define WADI_SCHED_CPU_GATHER_H

#include "base/pool.h"
#include "sched/device.h"

/* See wadi_device_gather. */
void wadi_cpu_gather(wadi_pool *pool, const wadi_device_gather *g);

#endif
