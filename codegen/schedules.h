/* The schedules as the compiler knows them: which bodies each fits, and how a body becomes kernels. include/wadi/schedule.h
 * lists them.
 *
 * One more schedule is a line in that list, a line in sched/schedules.c (when it is chosen), and a file that defines
 * wadi_lowering_NAME. */
#ifndef WADI_CODEGEN_SCHEDULES_H
#define WADI_CODEGEN_SCHEDULES_H

#include "codegen/kernel/layout.h"

/* Properties of a body that decide which schedules can run it. */
typedef struct wadi_body_traits {
    bool
        in_order; /* elements run one after the other: each may read what earlier ones have written */
    bool scalars; /* the body of a stream, and all its values have rank 0 */
} wadi_body_traits;

typedef struct wadi_lowering {
    bool (*offers)(const wadi_body_traits *t);
    /* Makes the kernels and the steps that run them, allocated in the layout's arena. `known`: values in slots before the body. */
    wadi_status (*lower)(wadi_layout *y, const wadi_body *body, const bool *known,
                         wadi_lmodule *out, wadi_plan_version *out_version);
    bool counts; /* its kernels count elements themselves and need no slot of their numbers */
} wadi_lowering;

#define WADI_SCHEDULE_LOWERING(NAME, name, about) extern const wadi_lowering wadi_lowering_##name;
WADI_SCHEDULES(WADI_SCHEDULE_LOWERING)
#undef WADI_SCHEDULE_LOWERING

extern const wadi_lowering *const wadi_lowerings[WADI_SCHEDULE_COUNT];

#endif
