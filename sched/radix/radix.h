/* The routines that the runtime has itself: `sort`, rows of numbers sorted; `argsort`, the positions of their elements in ascending
 * order, i64; `argfirst`, the first of these positions alone; and `sort_by_byte`, whose arguments are keys of one byte and elements of any kind, the elements in ascending
 * order of their keys. What they mean is written in the language (operators/derived/sort.c), and the results are the same to the bit, but
 * for the payload of NaN. */
#ifndef WADI_SCHED_RADIX_RADIX_H
#define WADI_SCHED_RADIX_RADIX_H

#include <stdbool.h>

#include "base/pool.h"
#include "sched/kernel.h"
#include "sched/radix/engine.h"

bool wadi_radix_has(const char *name);
/* Whether the problems of the call are so long that workers share them. */
bool wadi_radix_shares(const wadi_call *call);
/* All problems of the call, one after the other; the workers of `pool` share long ones (NULL: this thread alone). False: it declines, for
 * lack of memory, or because types and shapes are not those of the routine. */
bool wadi_radix_run(const wadi_call *call, wadi_pool *pool);
/* wadi_radix_run by this engine. */
bool wadi_radix_run_by(const wadi_radix_engine *engine, const wadi_call *call, wadi_pool *pool);

#endif
