/* Chooses which version of a body runs.
 *
 * The cost rule decides from sizes. It cannot know how much memory the temporaries of a body take, or what a compiler makes of
 * its loops. So after a body has run for a while, each other version is tried on a few chunks, in alternation with the current
 * one, and the fastest stays. A version that is far slower is dropped after its first chunk. All versions give the same bits,
 * so changing is safe. A version is tried only when it is ready: the stream does not wait for a compiler, and no compiler is
 * started for the last part of a stream. */
#ifndef WADI_SCHED_STEPS_CHOOSE_H
#define WADI_SCHED_STEPS_CHOOSE_H

#include "sched/plan.h"

/* force: a wadi_schedule or -1. bytes: of the elements' input. A body has at least one version. */
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
    int64_t total_ns, total; /* of all chunks: their time, and how many elements they had */
} wadi_choice;

/* Which versions can run now. */
typedef struct wadi_ready {
    /* Asks for the version, too, if it is not there and what it may gain is worth making it. */
    bool (*is)(void *env, wadi_schedule s, int64_t worth_ns);
    void *env;
    int workers;
    int64_t left; /* elements known to come; -1: not known */
} wadi_ready;

/* The version for the next chunk; `rule` is what wadi_choose_schedule says. */
wadi_schedule wadi_choice_next(wadi_choice *c, const wadi_plan_body *body, wadi_schedule rule,
                               const wadi_ready *ready);
/* Whether versions are being compared, or will be with the next chunk. The caller should then avoid long chunks. */
bool wadi_choice_tries(const wadi_choice *c, const wadi_plan_body *body, const wadi_ready *ready);
/* `s` if it is ready, else another version that is; `s` again if none is. */
wadi_schedule wadi_choice_at_hand(const wadi_choice *c, const wadi_plan_body *body, wadi_schedule s,
                                  const wadi_ready *ready);
/* Records how long a chunk took in a version. loaded: the time includes loading kernels, so it is not used. */
void wadi_choice_saw(wadi_choice *c, wadi_schedule ran, int64_t count, int64_t bytes, int64_t ns,
                     bool loaded);

#endif
