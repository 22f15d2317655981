/* What the files of the device `cpu` share. */
#ifndef WADI_SCHED_CPU_INNER_H
#define WADI_SCHED_CPU_INNER_H

#include <stdatomic.h>

#include "base/pool.h"
#include "base/thread.h"
#include "sched/cpu/scratch.h"
#include "sched/device.h"
#include "sched/cpu/emissions.h"

typedef struct wadi_cpu_worker {
    wadi_work work;
    wadi_scratch scratch, staging;
    struct wadi_cpu *device;
} wadi_cpu_worker;

typedef struct wadi_cpu {
    wadi_device base;
    wadi_pool *pool;
    int threads;              /* the pool's */
    wadi_cpu_worker *workers; /* [threads] */
    wadi_emissions own;
    wadi_emissions *emissions; /* its own, or those of the device beside which it works */
    const wadi_stop *cancel;
    wadi_mutex lock;          /* guards the fault of the launch at work, and the failure */
    wadi_error failure;       /* of a routine of the host program, which `wait` tells */
    atomic_int_fast64_t stop; /* ranges that begin after this are skipped */
} wadi_cpu;

static inline wadi_cpu *wadi_cpu_of(const wadi_device *self) {
    return (wadi_cpu *)(uintptr_t)self;
}

/* Launches in strips (strips.c). */
bool wadi_cpu_strips(wadi_device *self, const wadi_device_strips *what);
/* Turns of one launch (turns.c). */
bool wadi_cpu_turns(wadi_device *self, const wadi_device_turns *what);

#endif
