/* FLAT steps at work, for the steps that run them in ways of their own. */
#ifndef WADI_SCHED_STEPS_FLAT_H
#define WADI_SCHED_STEPS_FLAT_H

#include "sched/steps/steps.h"

/* A FLAT step at work: the numbers of its units before each element, and all of them. */
typedef struct wadi_steps_flat {
    const wadi_plan_step *step;
    wadi_code kernel;
    void *block; /* that holds the numbers; the caller gives it back to its pool */
    int64_t n;
} wadi_steps_flat;

/* Counts the units of step `at`; where that faults there are none. Errors: WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_steps_flat_open(wadi_steps *s, int at, wadi_steps_flat *out,
                                                wadi_error *err);
/* Its kernel over n units from `first` on. */
wadi_launch wadi_steps_flat_launch(const wadi_steps *s, const wadi_steps_flat *f, int64_t first,
                                   int64_t n);

#endif
