/* The device at work on one job, shared by the files of sched/cpu alone.
 *
 * A step is a loop over the elements of its level or over units of work that the pool's workers share. A fault stops the
 * ranges after it; those before it still run, so the fault that is reported does not depend on who was faster. */
#ifndef WADI_SCHED_CPU_STEPS_H
#define WADI_SCHED_CPU_STEPS_H

#include <stdatomic.h>

#include "base/pool.h"
#include "base/stop.h"
#include "base/thread.h"
#include "sched/cpu/choose.h"
#include "sched/cpu/emit.h"
#include "sched/cpu/scratch.h"
#include "sched/device.h"

typedef struct wadi_cpu_worker {
    wadi_work work;
    wadi_scratch scratch, staging;
    struct wadi_cpu *device;
} wadi_cpu_worker;

typedef struct wadi_cpu {
    wadi_device base;
    wadi_device_options options;
    wadi_pool *pool;
    wadi_cpu_worker *workers; /* [pool's threads] */
    wadi_plan_code *code;     /* [nbodies][WADI_BODY_VERSIONS]; version NULL: not loaded yet */
    wadi_choice *choice;      /* [nbodies] */
    wadi_emit emit;
    wadi_mutex lock;          /* guards the job's fault */
    atomic_int_fast64_t stop; /* ranges that begin after this are skipped */
    int64_t *unit;            /* of a flat step */
    int64_t *size;            /* [1 + the version's levels] elements of each now */
    int size_room;
    int parts; /* of branches and loops around the step at work */
    wadi_job *job;
    const wadi_plan_code *running; /* the job's */
    const wadi_stop *cancel;       /* called: the job shall end */
} wadi_cpu;

/* Runs the steps [from, to) of the running version until a fault. */
wadi_status wadi_cpu_run_steps(wadi_cpu *d, int from, int to, wadi_error *err);
/* COND and LOOP steps, with the steps of their parts (control.c). */
wadi_status wadi_cpu_step_cond(wadi_cpu *d, int step, wadi_error *err);
wadi_status wadi_cpu_step_loop(wadi_cpu *d, int step, wadi_error *err);
/* Library routines over slots; the way into and out of a level that is the chunk as one element (foreign.c). */
wadi_status wadi_cpu_step_foreign(wadi_cpu *d, const wadi_plan_step *step, wadi_error *err);
wadi_status wadi_cpu_step_many(wadi_cpu *d, const wadi_plan_step *step, wadi_error *err);
wadi_status wadi_cpu_step_single(wadi_cpu *d, const wadi_plan_step *step, wadi_error *err);
/* The job has this fault unless it has an earlier one; ranges after `begin` are skipped. */
void wadi_cpu_note_fault(wadi_cpu *d, const wadi_fault *fault, int64_t begin);
/* Whether a step makes the columns of the slot. */
bool wadi_cpu_is_allocated(const wadi_plan_version *v, int slot);

static inline bool wadi_cpu_faulted(const wadi_cpu *d) {
    return d->job->fault.kind != WADI_FAULT_NONE;
}
wadi_status wadi_cpu_no_memory(wadi_error *err);
/* The chunk's element that element `s` of a level is. */
int64_t wadi_cpu_element(const wadi_cpu *d, int level, int64_t s);

#endif
