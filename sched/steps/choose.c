/* Choosing a version by the cost rule, which is a function of each schedule's row (sched/schedules.c), and confirming it by
 * measuring. */
#include "sched/steps/choose.h"

#include <stdlib.h>

#include "base/error.h"
#include "sched/schedules.h"

static bool offers(const wadi_plan_body *body, int schedule) {
    return body->offers[schedule];
}

/* The one that is forced, or the first there is. */
static wadi_schedule forced(const wadi_plan_body *body, int force) {
    if (offers(body, force)) return (wadi_schedule)force;
    int s = 0;
    while (s < WADI_SCHEDULE_COUNT && !offers(body, s)) s++;
    WADI_ASSERT(s < WADI_SCHEDULE_COUNT);
    return (wadi_schedule)s;
}

wadi_schedule wadi_choose_schedule(const wadi_plan_body *body, int force, bool main_block,
                                   int64_t count, int64_t bytes, int workers) {
    const wadi_situation situation = {main_block, count, bytes, workers};
    int best = -1, least = 0;
    if (force >= 0) return forced(body, force);
    for (int s = 0; s < WADI_SCHEDULE_COUNT; s++) {
        if (!offers(body, s) || wadi_schedules[s].cost == NULL) continue;
        const int cost = wadi_schedules[s].cost(body, &situation);
        if (best < 0 || cost < least) {
            best = s;
            least = cost;
        }
    }
    WADI_ASSERT(best >= 0);
    return (wadi_schedule)best;
}

/* Whether measuring may choose it. */
static bool is_comparable(const wadi_plan_body *body, int schedule) {
    return offers(body, schedule) && wadi_schedules[schedule].cost != NULL;
}

/* ---- what measuring adds ---- */

static const int64_t trial_ns = 250000000; /* work in a body before its other versions are tried */
static const int64_t trial_chunks = 8;
/* By which part a version that is not ready may shorten the remaining work: one that was not measured, and one that the rule prefers. */
static const double hoped = 0.1, ruled = 0.5;
static const double gain = 0.05; /* a version must be that much faster to be changed to */
static const double hopeless =
    1.5; /* so many times dearer than the version in use at its worst: no more of it */
static const int64_t other_size = 16; /* chunks so many times larger or smaller are compared anew */
enum { MOST_COMPARISONS = 8 };

static int by_cost(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(int n, double *cost) {
    qsort(cost, (size_t)n, sizeof *cost, by_cost);
    return cost[n / 2];
}

/* The remaining work of the body, as a time. If the length of a stream is not known, half of it is assumed to be over. */
static double left_ns(const wadi_choice *c, int64_t left) {
    if (left < 0 || c->total == 0) return (double)c->total_ns;
    return (double)c->total_ns / (double)c->total * (double)left;
}

/* Processor time that may be spent for a version that shortens the remaining work by `part`. */
static int64_t worth(const wadi_choice *c, double part, const wadi_ready *ready) {
    const double ns = part * left_ns(c, ready->left) * ready->workers;
    return ns < 9e18 ? (int64_t)ns : INT64_MAX;
}

/* The next version to compare with; false: there is none that could run now. */
static bool find_other(const wadi_choice *c, const wadi_plan_body *body, const wadi_ready *ready,
                       int64_t worth_ns, wadi_schedule *out) {
    for (int s = 0; s < WADI_SCHEDULE_COUNT; s++) {
        *out = (wadi_schedule)s;
        if (!is_comparable(body, s) || *out == c->best || (c->tried >> s & 1) != 0) continue;
        if (ready->is(ready->env, *out, worth_ns)) return true;
    }
    return false;
}

static void begin_comparison(wadi_choice *c) {
    c->comparing = true;
    c->tried |= 1u << c->other;
    c->n[0] = c->n[1] = 0;
    c->comparisons++;
}

/* Whether even the cheapest chunk of the other version cost far more than the dearest of the version in use. Disturbances only make chunks
 * dearer, so one chunk is enough to show this. */
static bool is_hopeless(const wadi_choice *c) {
    double worst = 0;
    for (int i = 0; i < c->n[0]; i++) worst = c->cost[0][i] > worst ? c->cost[0][i] : worst;
    for (int i = 0; i < c->n[1]; i++)
        if (c->cost[1][i] <= hopeless * worst) return false;
    return c->n[0] > 0 && c->n[1] > 0;
}

static void end_comparison(wadi_choice *c) {
    const double best = median(c->n[0], c->cost[0]), other = median(c->n[1], c->cost[1]);
    c->comparing = false;
    c->kept = true;
    if (other < best * (1 - gain)) c->best = c->other;
}

static bool is_due(const wadi_choice *c, const wadi_plan_body *body, const wadi_ready *ready,
                   int64_t worth_ns, wadi_schedule *out) {
    return c->spent_ns >= trial_ns && c->chunks >= trial_chunks &&
           c->comparisons < MOST_COMPARISONS && find_other(c, body, ready, worth_ns, out);
}

bool wadi_choice_tries(const wadi_choice *c, const wadi_plan_body *body, const wadi_ready *ready) {
    wadi_schedule other;
    return c->comparing || is_due(c, body, ready, 0, &other);
}

wadi_schedule wadi_choice_next(wadi_choice *c, const wadi_plan_body *body, wadi_schedule rule,
                               const wadi_ready *ready) {
    if (!c->kept && !c->comparing) c->best = rule;
    if (c->comparing) return c->n[1] < c->n[0] ? c->other : c->best;
    if (is_due(c, body, ready, worth(c, hoped, ready), &c->other)) begin_comparison(c);
    return c->best;
}

wadi_schedule wadi_choice_at_hand(const wadi_choice *c, const wadi_plan_body *body, wadi_schedule s,
                                  const wadi_ready *ready) {
    if (ready->is(ready->env, s, 0)) return s;
    for (int i = 0; i < WADI_SCHEDULE_COUNT; i++) {
        const wadi_schedule other = (wadi_schedule)i;
        if (!is_comparable(body, i) || !ready->is(ready->env, other, 0)) continue;
        return ready->is(ready->env, s, worth(c, ruled, ready)) ? s : other;
    }
    return s;
}

/* If chunks have another order of magnitude, versions are compared again. */
static void notice_size(wadi_choice *c, int64_t count) {
    if (c->size == 0) c->size = count;
    if (count <= c->size * other_size && count * other_size >= c->size) return;
    c->size = count;
    c->tried = 0;
    c->spent_ns = 0;
    c->chunks = 0;
    c->comparing = false;
}

void wadi_choice_saw(wadi_choice *c, wadi_schedule ran, int64_t count, int64_t bytes, int64_t ns,
                     bool loaded) {
    if (loaded) return;
    notice_size(c, count);
    c->total_ns += ns;
    c->total += count;
    c->spent_ns += ns;
    c->chunks++;
    if (!c->comparing || (ran != c->best && ran != c->other)) return;
    const int which = ran == c->other;
    if (c->n[which] < WADI_CHOICE_ROUNDS)
        c->cost[which][c->n[which]++] = (double)ns / (double)(bytes > 0 ? bytes : count);
    if (c->n[0] == WADI_CHOICE_ROUNDS && c->n[1] == WADI_CHOICE_ROUNDS) {
        end_comparison(c);
    } else if (is_hopeless(c)) {
        c->comparing = false;
        c->kept = true;
    }
}
