/* Chunks of fewer elements than workers: inside, some workers have nothing to do.
 *
 * The cost rule knows what an element reads, but neither how much it computes nor the arrays that it makes. So it is measured how long
 * an element takes one worker. If that is long, the next such chunk runs flat, where all workers share in each element; and it stays there
 * unless that has taken half as long again, or elements have proved short. */
#ifndef WADI_SCHED_STEPS_FEW_H
#define WADI_SCHED_STEPS_FEW_H

#include "sched/slots.h"

/* What is known of one body. All zero is the start. */
typedef struct wadi_few {
    int64_t inside_ns
        [2]; /* an element of the last two chunks, by one worker; 0: not known. A disturbance lasts for one */
    int64_t flat_ns; /* the last chunk of few elements, by all workers; 0: there was none */
    int64_t most_ns; /* with flat_ns: an element of it takes one worker no longer */
} wadi_few;

enum { WADI_FEW_LONG_NS = 1000000 }; /* an element that takes so long is worth sharing */

/* Bytes that an element reads of arrays of the whole run. */
int64_t wadi_few_bytes(const wadi_plan_body *body, const wadi_slots *s);
/* The schedule for the next chunk, of `count` elements; `rule` is what wadi_choose_schedule says. */
wadi_schedule wadi_few_schedule(const wadi_few *f, const wadi_plan_body *body, wadi_schedule rule,
                                int64_t count, int workers);
/* Records how long a chunk took in a version, without loading it. */
void wadi_few_saw(wadi_few *f, wadi_schedule ran, int64_t count, int workers, int64_t ns);

#endif
