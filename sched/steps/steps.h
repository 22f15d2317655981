/* The steps of a version at work on one job. Only the files of this folder share this.
 *
 * The meaning of steps, levels, branches and loops is defined here, over the interface of a device (sched/device.h).
 * Descriptors and the numbers of elements are read and written on the host, columns only through the device. */
#ifndef WADI_SCHED_STEPS_STEPS_H
#define WADI_SCHED_STEPS_STEPS_H

#include "sched/device.h"
#include "sched/job.h"
#include "sched/profile.h"

/* The elements of a level now. */
typedef struct wadi_level {
    int64_t elements;
    const int64_t *map; /* on the host: their numbers in the level around; NULL: the same numbers */
    void *block;        /* that holds `map`, where that is no column of the slot */
} wadi_level;

typedef struct wadi_steps {
    wadi_device *device;
    wadi_job *job;
    wadi_slots *slots;             /* the job's */
    const wadi_plan_code *running; /* the job's */
    const wadi_plan_version *v;    /* the same */
    const bool *allocated;         /* [slots]: wadi_steps_allocate */
    const int *last_uses;          /* of the version: wadi_steps_find_last_uses; NULL: not known */
    const wadi_stop *cancel;       /* called: the job shall end */
    wadi_profile *profile;         /* of the thread; NULL: time is not counted */
    wadi_account *account;         /* [steps of the version] */
    wadi_level *level;             /* [1 + the version's levels] */
    int level_room;
    int parts;                /* of branches and loops around the step at work */
    struct wadi_turns *turns; /* that run now (turns.c) */
    /* Runs the steps [from, to) of the version until a fault: how branches and loops run their parts. */
    wadi_status (*run)(struct wadi_steps *s, int from, int to, wadi_error *err);
} wadi_steps;

/* ---- work.c: what all steps do ---- */

static inline bool wadi_steps_faulted(const wadi_steps *s) {
    return s->job->fault.kind != WADI_FAULT_NONE;
}
wadi_status wadi_steps_no_memory(wadi_error *err);
/* The job has this fault. Nothing runs after it but parts of the step at work. */
void wadi_steps_note_fault(wadi_steps *s, const wadi_fault *fault);
/* The kernel of step `step`, or its units kernel, over elements of the step's level; faults are the job's. */
void wadi_steps_launch(wadi_steps *s, wadi_launch *l);
/* Elements of a level. */
static inline int64_t wadi_steps_count(const wadi_steps *s, int level) {
    return s->level[level].elements;
}
/* The number in level `to` of element `e` of level `from`, which is in it. */
int64_t wadi_steps_number(const wadi_steps *s, int from, int to, int64_t e);
/* The level gets n elements: which, is written to what is returned, host memory that wadi_steps_entered takes over. NULL: out of
 * memory. */
int64_t *wadi_steps_enter(wadi_steps *s, int level, int64_t n);
void wadi_steps_entered(wadi_steps *s, int level);
/* The level gets all n elements of the one around, in order. False: out of memory. */
bool wadi_steps_enter_whole(wadi_steps *s, int level, int64_t n);
/* Levels are of no elements. False: out of memory for those of the version. */
bool wadi_steps_room_for_levels(wadi_steps *s, const wadi_plan_version *v);
void wadi_steps_clear_levels(wadi_steps *s);
/* out[slot] becomes true for the slots whose columns a step of the version makes. */
void wadi_steps_find_allocated(const wadi_plan_version *v, bool *out);
/* The same of the version at work, found when it was loaded. */
static inline bool wadi_steps_allocate(const wadi_steps *s, int slot) {
    return s->allocated[slot];
}

/* ---- steps.c ---- */

/* Runs all steps of the version `code` for the job. Device and slots are ready. */
wadi_status wadi_steps_run(wadi_steps *s, wadi_error *err);

/* ---- alloc.c ---- */

wadi_status wadi_step_alloc(wadi_steps *s, const wadi_plan_step *step, wadi_error *err);

/* ---- flat.c ---- */

wadi_status wadi_step_flat(wadi_steps *s, int at, wadi_error *err);
/* A step and those that run with it; *i is the number of the step behind it, and then of the step behind them. */
wadi_status wadi_step_rounds(wadi_steps *s, int *i, wadi_error *err);
/* The same of a step that makes what need not be stored, if the steps behind it run in strips. If not, it runs alone. */
wadi_status wadi_step_strips(wadi_steps *s, int *i, wadi_error *err);

/* ---- profiled.c ---- */

/* Takes a step as `take` does, and charges it. *i as there. */
wadi_status wadi_steps_charge(wadi_steps *s, int *i,
                              wadi_status (*take)(wadi_steps *s, int *i, wadi_error *err),
                              wadi_error *err);
/* Counts what the kernels of whole bodies have gone through, once their results are there. */
void wadi_steps_count_bodies(const wadi_steps *s);

/* ---- last_uses.c: memory that nobody reads any more ---- */

/* Which slots that the version makes are used for the last time by which step: numbers f[0] .. f[nsteps], then slots; those of step i are
 * f[f[i]] .. f[f[i + 1] - 1]. Steps of parts have none. The caller frees it. NULL: not known, or out of memory; then nothing is given back. */
int *wadi_steps_find_last_uses(const wadi_plan *plan, const wadi_plan_body *body,
                               const wadi_plan_version *v);
/* Gives back the columns of what step `step` was the last to use, if that is worth it. Errors: of the device. */
WADI_NODISCARD wadi_status wadi_steps_drop(wadi_steps *s, int step, wadi_error *err);
/* The same for results that nobody else reads, once the body is over and the device has ended all. */
void wadi_steps_drop_inner(const wadi_steps *s, const wadi_plan_body *body);

/* ---- control.c ---- */

wadi_status wadi_step_cond(wadi_steps *s, int step, wadi_error *err);
wadi_status wadi_step_loop(wadi_steps *s, int step, wadi_error *err);

/* ---- routine.c: library routines over slots ---- */

wadi_status wadi_step_foreign(wadi_steps *s, const wadi_plan_step *step, wadi_error *err);

/* ---- lifting.c: the way into and out of a level that is the chunk as one element ---- */

wadi_status wadi_step_many(wadi_steps *s, const wadi_plan_step *step, wadi_error *err);
wadi_status wadi_step_single(wadi_steps *s, const wadi_plan_step *step, wadi_error *err);

#endif
