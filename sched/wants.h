/* Which kernels a run is certain to need, known from its plan and options before it begins, and which it will need behind others, so that
 * they can be made in parallel. */
#ifndef WADI_SCHED_WANTS_H
#define WADI_SCHED_WANTS_H

#include "sched/plan.h"

typedef struct wadi_want {
    int body;
    wadi_version_key version;
} wadi_want;

/* force: a wadi_schedule, or -1: the run chooses. Lists them in `out` ([plan->nbodies]), in the order in which a run needs them, and returns how many. Bodies for which the cost rule has
 * to see the data are left out. */
int wadi_plan_wants(const wadi_plan *plan, int force, wadi_want *out);
/* The bodies of stages behind that of `body` in its stream, in `out` ([plan->nbodies]); returns how many. A run will need them soon, in a version
 * that nobody knows yet. None if it is not the body of a stage. */
int wadi_plan_followers(const wadi_plan *plan, int body, int *out);

#endif
