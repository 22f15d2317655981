/* Learned chunk sizes: what a policy has found out about a stream of a program is where the next run starts.
 *
 * There is one small text file per program, stream and policy in the user's cache folder. Only runs that were long enough to
 * learn anything are recorded. Nothing here can fail a run: a file that cannot be read or written counts as missing. */
#ifndef WADI_SCHED_SIZES_H
#define WADI_SCHED_SIZES_H

#include "sched/plan.h"
#include "sched/policy.h"

/* Whether the environment lets sizes be recorded: not when WADI_LEARN is "off". */
bool wadi_sizes_wanted(void);
/* Loads what is known of stream number `stream` into the policy `name`. False: nothing is. */
bool wadi_sizes_load(const wadi_plan *plan, int stream, const char *name, wadi_policy *p);
void wadi_sizes_save(const wadi_plan *plan, int stream, const char *name, const wadi_policy *p);

#endif
