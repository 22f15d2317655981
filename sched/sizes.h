/* Learned chunk sizes. What a policy has found out about a stream of a program is stored, and the next run starts from it.
 *
 * There is one small text file per program, stream and policy in the user's cache folder. Only runs that were long enough to
 * learn anything are recorded. Nothing here can fail a run: a file that cannot be read or written counts as missing. */
#ifndef WADI_SCHED_SIZES_H
#define WADI_SCHED_SIZES_H

#include "sched/plan.h"
#include "sched/policy.h"

/* Whether sizes may be learned. False if the environment variable WADI_LEARN is "off". */
bool wadi_sizes_wanted(void);
/* Whether the program has a digest, by which its streams are known. */
bool wadi_sizes_known(const wadi_plan *plan);
/* The line that is stored under a name for stream number `stream`, the caller's to free; NULL: none is. */
char *wadi_sizes_read(const wadi_plan *plan, int stream, const char *name);
/* Stores it; what it is, and who found it out: a few words for readers of the file. */
void wadi_sizes_write(const wadi_plan *plan, int stream, const char *name, const char *what,
                      const char *by, const char *line);
/* Loads what is known about stream number `stream` into p, a policy called `name`. False: nothing is known. */
bool wadi_sizes_load(const wadi_plan *plan, int stream, const char *name, wadi_policy *p);
/* Stores what p has learned. */
void wadi_sizes_save(const wadi_plan *plan, int stream, const char *name, const wadi_policy *p);

#endif
