/* Which version of a body runs: the cost rule, in one place. */
#ifndef WADI_SCHED_CPU_CHOOSE_H
#define WADI_SCHED_CPU_CHOOSE_H

#include "sched/plan.h"

/* force: a wadi_schedule or -1. bytes: of the chunk's input. A body has at least one version. */
wadi_schedule wadi_choose_schedule(const wadi_plan_body *body, int force, bool main_block,
                                   int64_t count, int64_t bytes, int workers);

#endif
