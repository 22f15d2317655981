/* The code of a kernel of the cpu: a function of a shared object. */
#ifndef WADI_SCHED_CPU_CODE_H
#define WADI_SCHED_CPU_CODE_H

#include "sched/plan.h"

static inline wadi_code wadi_cpu_code(wadi_kernel kernel) {
    return (wadi_code){(uintptr_t)kernel};
}
static inline wadi_kernel wadi_cpu_kernel(wadi_code code) {
    return (wadi_kernel)code.handle;
}

#endif
