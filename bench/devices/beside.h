/* The devices that benchmarks compare: cpu first, behind it the others. */
#ifndef WADI_BENCH_DEVICES_BESIDE_H
#define WADI_BENCH_DEVICES_BESIDE_H

#include "sched/devices.h"

/* cpu, and those that WADI_DEVICE lists; without it, all there are. Errors: those of wadi_device_find_all. */
WADI_NODISCARD wadi_status bench_beside_cpu(wadi_device_choices *out, wadi_error *err);
/* Whether one of them is NVIDIA's: then its libraries are peers, and arrays are as large as it likes. */
bool bench_beside_nvidia(const wadi_device_choices *list);

#endif
