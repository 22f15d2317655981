/* Where each array of a plan lives in a run on several devices, who shares which body, and what is copied for that; worked out from the plan alone. */
#ifndef WADI_SCHED_LIVES_H
#define WADI_SCHED_LIVES_H

#include "base/text.h"
#include "sched/plan.h"

/* One of the list. */
typedef struct wadi_lives_device {
    const char *name;
    bool idle; /* it computes with the same processors as one before it */
} wadi_lives_device;

enum { WADI_LIVES_MOST = 16 };

/* Appends for people who is home, where arrays live, and what is shared. n <= WADI_LIVES_MOST. */
void wadi_lives_print(const wadi_plan *p, const wadi_lives_device *d, int n, wadi_text *out);

#endif
