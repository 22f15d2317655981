/* Which kernels a run is certain to need, known from its plan and options before it begins, so that they can be made in
 * parallel. */
#ifndef WADI_SCHED_WANTS_H
#define WADI_SCHED_WANTS_H

#include "sched/plan.h"
#include "wadi/run.h"

typedef struct wadi_want {
    int body;
    wadi_version_key version;
} wadi_want;

/* In the order in which a run comes to them; out: [plan->nbodies]. Bodies for which the cost rule has to see data are left out.
 * Returns how many. */
int wadi_plan_wants(const wadi_plan *plan, wadi_schedule_option option, wadi_want *out);

#endif
