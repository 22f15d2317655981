/* An order of preference, and the first that exists.
 *
 * Bodies of scalars run across: one SIMD lane per element. A computation of the main block has one element, so only the flat
 * schedule can keep several workers busy. Elements of a stream run inside, where values stay in cache, unless there are
 * fewer of them than workers and they are too large for a cache: then flat; and unless the body is made of what works on whole
 * chunks, library routines and manual liftings: then flat too. */
#include "sched/cpu/choose.h"

#include "base/error.h"

static const int64_t cache_bytes = 256 * 1024; /* of one worker: a second-level cache, roughly */

static wadi_schedule preferred(const wadi_plan_body *body, int force, bool main_block,
                               int64_t count, int64_t bytes, int workers) {
    if (force >= 0) return (wadi_schedule)force;
    if (body->rank0) return WADI_SCHEDULE_ACROSS;
    if (main_block || body->lifted) return WADI_SCHEDULE_FLAT;
    const bool few = count < workers;
    return few && bytes / count > cache_bytes ? WADI_SCHEDULE_FLAT : WADI_SCHEDULE_INSIDE;
}

wadi_schedule wadi_choose_schedule(const wadi_plan_body *body, int force, bool main_block,
                                   int64_t count, int64_t bytes, int workers) {
    static const wadi_schedule others[] = {WADI_SCHEDULE_INSIDE, WADI_SCHEDULE_FLAT,
                                           WADI_SCHEDULE_ACROSS};
    wadi_schedule s = preferred(body, force, main_block, count, bytes, workers);
    for (int i = 0; i < 3 && !body->offers[s]; i++) s = others[i];
    WADI_ASSERT(body->offers[s]);
    return s;
}
