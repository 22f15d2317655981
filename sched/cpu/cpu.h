/* The device `cpu`: kernels are functions in this process, and a pool of workers shares the ranges of a launch. */
#ifndef WADI_SCHED_CPU_CPU_H
#define WADI_SCHED_CPU_CPU_H

#include "sched/device.h"

WADI_NODISCARD wadi_status wadi_cpu_open(const wadi_device_options *options, wadi_device **out,
                                         wadi_error *err);

/* The processor's name, their number and the memory of the machine, as far as the system tells them. Never fails. */
WADI_NODISCARD wadi_status wadi_cpu_tell(int number, wadi_device_facts *out, wadi_error *err);

/* The same workers and kernels over memory of another residence, for devices made of them: what it is called with is readable then.
 * Scratch memory of kernels, which they leave when they end, is the host's. */
WADI_NODISCARD wadi_status wadi_cpu_open_at(const wadi_device_options *options,
                                            const wadi_residence *residence, wadi_device **out,
                                            wadi_error *err);
/* A device that shares the launches of another one: its kernels emit to what that one expects and finishes. It begins after and ends when
 * that one does. */
WADI_NODISCARD wadi_status wadi_cpu_open_beside(wadi_device *cpu,
                                                const wadi_device_options *options,
                                                wadi_device **out, wadi_error *err);
/* How many slots kernels emit to that are not finished. */
bool wadi_cpu_is_expected(const wadi_device *cpu, int slot);
#endif
