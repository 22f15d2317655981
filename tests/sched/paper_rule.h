/* The chunk policy "paper" as its opening comment describes it: a model for tests. */
#ifndef WADI_TESTS_SCHED_PAPER_RULE_H
#define WADI_TESTS_SCHED_PAPER_RULE_H

#include <math.h>
#include <stdbool.h>

#include "sched/policy.h"

/* The rule: with averages that give the newest sample 3 tenths, grow by half (by one at least, to a thousand million at most) while
 * processors are busy for less than 8 tenths of the time or at the first sample; after that turn round where the sample's time
 * per element is over the average of those before by more than 2 per cent, go on where it is under it by more, else stay. Half
 * as fast downwards, to one at least. No growing beyond eight times the chunk that was seen. */
typedef struct paper_rule {
    double size, used, each;
    bool up, any;
} paper_rule;

static inline void paper_rule_follow(paper_rule *r, const wadi_policy_sample *s) {
    if (s->elements <= 0 || s->elapsed_ns <= 0) return;
    const double each = (double)s->elapsed_ns / (double)s->elements;
    const double used = (double)s->busy_ns / (double)s->elapsed_ns;
    const double was = r->any ? r->each : each;
    const bool first = !r->any;
    r->used = first ? used : r->used + 0.3 * (used - r->used);
    r->each = first ? each : r->each + 0.3 * (each - r->each);
    r->any = true;
    if (first || r->used < 0.8)
        r->up = true;
    else if (each > 1.02 * was)
        r->up = !r->up;
    else if (!(each <= 0.98 * was))
        return;
    if (r->up && r->size > 8 * (double)s->elements) return;
    if (r->up)
        r->size = fmin(r->size + fmax(1, r->size / 2), 1e9);
    else
        r->size = fmax(r->size - fmax(1, r->size / 4), 1);
}

#endif
