/* When the runtime chooses which schedule. include/wadi/schedule.h lists the schedules. */
#ifndef WADI_SCHED_SCHEDULES_H
#define WADI_SCHED_SCHEDULES_H

#include "sched/plan.h"

/* What a body will run over. */
typedef struct wadi_situation {
    bool main_block; /* one element, of the main block */
    int64_t count;   /* elements, at least one */
    int64_t
        bytes; /* of their input; of few elements, arrays of the run that each goes through count for each */
    int workers;
} wadi_situation;

typedef struct wadi_schedule_row {
    const char *name, *about;
    /* How unsuitable the schedule is. Of the schedules that a body offers, the one with the least cost runs, and the first if several are
     * equal. Pure. NULL: the schedule runs only if a caller forces it, and is not tried by measuring. */
    int (*cost)(const wadi_plan_body *body, const wadi_situation *s);
    /* Operators run one after the other over all elements, so the fault that is found first may not be that of the first element. */
    bool by_operator;
} wadi_schedule_row;

extern const wadi_schedule_row wadi_schedules[WADI_SCHEDULE_COUNT];

/* Takes the option --schedule: "auto" or a schedule's name. Errors: WADI_INVALID, with the list of names. */
WADI_NODISCARD wadi_status wadi_schedule_take(const char *value, wadi_schedule_option *out,
                                              wadi_error *err);
/* The schedule that the option forces; -1: none. */
int wadi_forced_schedule(wadi_schedule_option o);

#endif
