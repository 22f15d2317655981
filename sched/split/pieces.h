/* Whether each unit of a launch writes a piece of its own, so that devices with memory of their own can share it out; and what its units touch,
 * in words. */
#ifndef WADI_SCHED_SPLIT_PIECES_H
#define WADI_SCHED_SPLIT_PIECES_H

#include "base/text.h"
#include "sched/plan.h"

/* Why the launch is one device's, in words; NULL: it can be shared out. own: temporaries of the version, as in wadi_slots. */
const char *wadi_split_obstacle(const wadi_plan *plan, const wadi_plan_slot *own,
                                const wadi_plan_touches *touches, bool serial);

/* Appends a line for each kernel of the version: whether devices share it, and what its units touch then. */
void wadi_split_pieces_print(const wadi_plan *plan, const wadi_plan_version *version,
                             wadi_text *out);

#endif
