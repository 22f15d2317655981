/* Which version of a body runs: the cost rule, in one place.
 *
 * The rule decides from sizes. It cannot know how much memory the temporaries of a body take, or what a compiler makes of its
 * loops; so once a body has run for a while, the other versions are tried on a few chunks each, in turn with the one in use, and
 * the fastest stays; one that is far dearer is given up after its first chunk. All versions give the same bits, so changing is safe. */
#ifndef WADI_SCHED_CPU_CHOOSE_H
#define WADI_SCHED_CPU_CHOOSE_H

#include "sched/plan.h"

/* force: a wadi_schedule or -1. bytes: of the chunk's input. A body has at least one version. */
wadi_schedule wadi_choose_schedule(const wadi_plan_body *body, int force, bool main_block,
                                   int64_t count, int64_t bytes, int workers);

enum { WADI_CHOICE_ROUNDS = 5 };

/* What is known of one body's versions. All zero is the start. */
typedef struct wadi_choice {
    int64_t spent_ns; /* in the version in use, since it was last compared */
    int64_t chunks;
    bool kept;          /* `best` has been measured: the rule is no longer asked */
    wadi_schedule best; /* in use */
    bool comparing;
    wadi_schedule other; /* compared with it */
    unsigned tried;      /* a bit per version that has been compared */
    int n[2];            /* samples of best and other */
    double cost[2][WADI_CHOICE_ROUNDS];
    int64_t size; /* elements of a chunk when last compared */
    int comparisons;
} wadi_choice;

/* The version for the next chunk; `rule` is what wadi_choose_schedule says. */
wadi_schedule wadi_choice_next(wadi_choice *c, const wadi_plan_body *body, wadi_schedule rule);
/* Versions are being compared, or will be with the next chunk: it had better not be a long one. */
bool wadi_choice_tries(const wadi_choice *c, const wadi_plan_body *body);
/* A chunk took so long in a version. loaded: kernels were compiled first, so the time says nothing. */
void wadi_choice_saw(wadi_choice *c, wadi_schedule ran, int64_t count, int64_t bytes, int64_t ns,
                     bool loaded);

#endif
