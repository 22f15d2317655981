/* The schedules as the runtime knows them: when each is the right one. include/wadi/schedule.h lists them. */
#ifndef WADI_SCHED_SCHEDULES_H
#define WADI_SCHED_SCHEDULES_H

#include "sched/plan.h"

/* What a body is to run over. */
typedef struct wadi_situation {
    bool main_block; /* one element, of the main block */
    int64_t count;   /* elements, at least one */
    int64_t bytes;   /* of their input */
    int workers;
} wadi_situation;

typedef struct wadi_schedule_row {
    const char *name, *about;
    /* How unsuitable the schedule is: of those a body offers the one with the least runs, and of equal ones the first. Pure. NULL: it runs
     * only when a caller forces it, and measuring does not try it. */
    int (*cost)(const wadi_plan_body *body, const wadi_situation *s);
    /* Operators run one after the other over all elements: the fault it reports may not be that of the first element. */
    bool by_operator;
} wadi_schedule_row;

extern const wadi_schedule_row wadi_schedules[WADI_SCHEDULE_COUNT];

/* Takes the option --schedule: "auto" or a schedule's name. Errors: WADI_INVALID, with the list of names. */
WADI_NODISCARD wadi_status wadi_schedule_take(const char *value, wadi_schedule_option *out,
                                              wadi_error *err);
/* The schedule that the option forces; -1: none. And back. */
int wadi_forced_schedule(wadi_schedule_option o);
wadi_schedule_option wadi_schedule_forcing(wadi_schedule s);

#endif
