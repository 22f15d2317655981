/* The policy that compares sizes by measuring: the default.
 *
 * Sizes are powers of two. The costs of chunks of each size are kept separately, as a window of the latest times per element
 * and per byte, and compared by medians, so a single bad time changes nothing. A size is tried, never drifted to:
 *
 *   climbing   From one element upwards: in large steps until a chunk is large enough for its fixed costs to matter little (GUESS_BYTES),
 *              then by doubling as long as that lowers the cost.
 *   settled    At the smallest size that is about as good as the best. From time to time a neighbour is tried for a few chunks, among
 *              as many chunks of the settled size: what slows a machine down lasts longer than a chunk, so costs of chunks near each
 *              other are compared pair by pair. The order is drawn by lot, and a pair is six chunks apart: if every second or
 *              third chunk wakes a thread up, both of a pair do, and what comes otherwise falls on either size by chance. A trial
 *              that brings nothing doubles the time to the next one, so a settled stream hardly ever changes its size. A trial that
 *              helps is followed by another at once.
 *   upset      When the cost of the settled size itself changes, the load has changed: what is known of the other sizes is
 *              forgotten, and trials begin again.
 *
 * Several chunks are always in flight, so a sample may belong to an older choice. It is counted for the size it had, not for
 * the one chosen last. Of time per element and time per byte, the policy uses the one that scatters less: ragged elements cost
 * by the byte, many small fixed costs by the element. Memory is the business of the budget. Chunks that stay smaller than the
 * size asked for end the climbing. */
#include "sched/policy.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

enum {
    LEVELS = 31,    /* size 2^level */
    WINDOW = 15,    /* samples kept of a level */
    ENOUGH = 7,     /* samples of the settled size that a trial waits for */
    APART = 6,      /* from one sample of a pair to the other: even, and divisible by three */
    TRIAL = 9,      /* a trial is judged after so many pairs of samples */
    LOOK = 18,      /* a trial has at most so many pairs */
    MOST_AHEAD = 4, /* chunks that one of the sizes tried may be ahead of the other */
    PAIRS = 63,     /* pairs that are remembered, with those of earlier trials */
    SHORTEST = 12,  /* samples between trials at first */
    LONGEST = 768,  /* samples between trials at most */
    PATIENCE =
        12, /* samples to wait for the first chunk of a size before it counts as out of reach */
    UNIT_MEMORY = 16,
    RECENT = 5 /* samples that must agree that the load has changed */
};
static const double GUESS_BYTES =
    1 << 17; /* bytes of a chunk's input and output; larger chunks grow in small steps */
static const double SHORT_NS = 3e5; /* a shorter chunk is mostly fixed costs */
static const double LASTING_NS =
    2e6; /* in shorter chunks fixed costs may matter, so an undecided trial is won by the larger size */
static const double LONG_NS =
    2e7; /* in longer chunks fixed costs do not matter, so the size need not grow while processors are busy */
static const double BUSY = 0.8;  /* from this utilisation on, processors are busy */
static const double GAIN = 0.03; /* a larger size must lower the cost by this share */
static const double EQUAL =
    0.01; /* costs that differ by less are equal: the smaller size is taken */
static const double CHANGED =
    0.35; /* if the cost of the settled size changes by this share, the load has changed */

typedef struct record {
    double per_element, per_byte, ns, busy;
} record;

typedef struct level {
    int64_t seen; /* samples in all; the latest WINDOW are kept */
    record kept[WINDOW];
} level;

typedef struct sample {
    record cost;
    int level;
} sample;

/* Trials of one neighbour. A pair is a chunk of the settled size and one of the neighbour, the one APART samples after the other; the
 * logarithm of the ratio of their costs is kept. */
typedef struct evidence {
    int64_t seen; /* pairs in all; the latest PAIRS are kept */
    double kept[PAIRS];
} evidence;

typedef struct probe {
    wadi_policy base;
    int now;           /* level chosen */
    int home;          /* level settled at */
    int trial;         /* the neighbour that takes turns with it; -1: none */
    evidence down, up; /* what is known of the neighbours of `home` */
    int before;        /* climbing: the level before; -1 at the first level */
    int ceiling;       /* levels above this one are out of reach */
    int direction;     /* the direction of the next trial: 1 or -1 */
    bool climbing, by_byte;
    double jump_element,
        jump_byte; /* how much the cost differs from one chunk of a size to the next: the average logarithm */
    double bytes;  /* per element, average */
    int64_t since; /* samples since `now` was chosen */
    int64_t tried; /* pairs of this trial */
    int64_t ahead; /* how many more chunks of the neighbour than of the settled size came in it */
    int64_t pause; /* samples between trials */
    uint64_t lot;  /* what the order of a trial is drawn from */
    int64_t seen;  /* samples in all; the latest APART are kept */
    sample latest[APART];
    level at[LEVELS];
} probe;

/* ---- what is known about a level ---- */

static int by_size(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *x, int n) {
    qsort(x, (size_t)n, sizeof *x, by_size);
    return n % 2 != 0 ? x[n / 2] : 0.5 * (x[n / 2 - 1] + x[n / 2]);
}

static int count(const level *l) {
    return l->seen < WINDOW ? (int)l->seen : WINDOW;
}

/* The latest n costs of the level, newest first. */
static int costs(const level *l, bool by_byte, int n, double *out) {
    if (n > count(l)) n = count(l);
    for (int i = 0; i < n; i++) {
        const record *r = &l->kept[(l->seen - 1 - i) % WINDOW];
        out[i] = by_byte ? r->per_byte : r->per_element;
    }
    return n;
}

static double cost_of(const probe *p, const record *r) {
    return p->by_byte ? r->per_byte : r->per_element;
}

static double cost(const probe *p, int l) {
    double x[WINDOW];
    const int n = costs(&p->at[l], p->by_byte, WINDOW, x);
    return n > 0 ? median(x, n) : HUGE_VAL;
}

static void note_pair(evidence *e, double here, double there) {
    e->kept[e->seen++ % PAIRS] = log(there / here);
}

/* The share of the cost that the neighbour saves, and the doubt about it: the median, and its standard error if the numbers are
 * distributed normally. */
static double gain_of(const evidence *e, double *out_doubt) {
    double x[PAIRS];
    const int n = e->seen < PAIRS ? (int)e->seen : PAIRS;
    memcpy(x, e->kept, sizeof x);
    const double middle = median(x, n);
    for (int i = 0; i < n; i++) x[i] = fabs(x[i] - middle);
    *out_doubt = 1.25 * 1.48 * median(x, n) / sqrt((double)n);
    return -middle;
}

static double latest(const probe *p, int l, double (*what)(const record *)) {
    double x[WINDOW];
    const level *at = &p->at[l];
    const int n = count(at) < 3 ? count(at) : 3;
    for (int i = 0; i < n; i++) x[i] = what(&at->kept[(at->seen - 1 - i) % WINDOW]);
    return n > 0 ? median(x, n) : 0;
}

static double ns_of(const record *r) {
    return r->ns;
}

static double busy_of(const record *r) {
    return r->busy;
}

/* Whether chunks of this level are long and keep the processors busy. */
static bool is_long(const probe *p, int l) {
    return latest(p, l, ns_of) > LONG_NS && latest(p, l, busy_of) >= BUSY;
}

/* The level to which a chunk of this size counts. A chunk that memory has cut to somewhat more than half still counts to the size that
 * was asked for. */
static int level_of(double elements) {
    const int l = (int)ceil(log2(elements < 1 ? 1 : elements) - 0.2);
    return l < LEVELS ? l : LEVELS - 1;
}

int64_t wadi_policy_goal(double bytes, int64_t *out_bytes) {
    *out_bytes = (int64_t)GUESS_BYTES;
    return (int64_t)1 << level_of(GUESS_BYTES / (bytes < 1 ? 1 : bytes));
}

/* ---- changing the size ---- */

static void choose_level(probe *p, int l) {
    p->now = l;
    p->since = 0;
}

static void settle(probe *p, int l) {
    p->climbing = false;
    p->home = l;
    p->trial = -1;
    p->up.seen = p->down.seen = 0;
    p->pause = SHORTEST;
    p->direction = l < p->ceiling ? 1 : -1;
    choose_level(p, l);
}

/* The smallest level that costs about as little as the best one. */
static int best(const probe *p) {
    double least = HUGE_VAL;
    for (int l = 0; l <= p->ceiling; l++) least = fmin(least, cost(p, l));
    for (int l = 0; l <= p->ceiling; l++) {
        if (cost(p, l) <= least * (1 + EQUAL)) return l;
    }
    return p->now;
}

/* The cost of a level while climbing: the least of its samples, because the first chunk of a size may have waited for its source. */
static double climbing_cost(const probe *p, int l) {
    double x[WINDOW];
    const int n = costs(&p->at[l], p->by_byte, WINDOW, x);
    double least = HUGE_VAL;
    for (int i = 0; i < n; i++) least = fmin(least, x[i]);
    return least;
}

static int step_up(const probe *p, double ratio) {
    const int guess = p->bytes > 0 ? level_of(GUESS_BYTES / p->bytes) : p->now;
    const bool is_short = latest(p, p->now, ns_of) < SHORT_NS;
    int step = ratio < 0.6 ? 2 : 1;
    if (is_short && p->now < guess) step = guess - p->now < 4 ? guess - p->now : 4;
    return p->now + step < p->ceiling ? p->now + step : p->ceiling;
}

static void climb(probe *p) {
    const level *at = &p->at[p->now];
    const bool is_short = latest(p, p->now, ns_of) < SHORT_NS;
    if (at->seen < (is_short ? 2 : 3)) return;
    const double now = climbing_cost(p, p->now);
    const double before = p->before < 0 ? HUGE_VAL : climbing_cost(p, p->before);
    const double ratio = p->before < 0 ? 0 : now / before;
    const bool pays = ratio < 1 - GAIN || (is_short && ratio < 1.5);
    if (!pays || p->now >= p->ceiling || is_long(p, p->now)) {
        settle(p, best(p));
        p->direction = -1; /* few samples were taken, so climbing may have gone too far */
        p->since = SHORTEST;
        return;
    }
    const int up = step_up(p, ratio);
    p->before = p->now;
    choose_level(p, up);
}

/* If no chunk of a level has come since it was chosen, the level is out of reach: memory or the source keeps chunks smaller. */
static void give_up_level(probe *p, int seen) {
    const int wanted = p->trial >= 0 ? p->trial : p->now;
    if (p->since < PATIENCE || p->at[wanted].seen > 0 || seen >= wanted) return;
    p->ceiling = seen;
    settle(p, p->climbing ? seen : p->home < seen ? p->home : seen);
}

static void forget_others(probe *p) {
    for (int l = 0; l < LEVELS; l++) p->at[l].seen = 0;
    p->up.seen = p->down.seen = 0;
    p->pause = SHORTEST;
    p->ceiling = LEVELS - 1;
}

/* Whether the latest samples of the settled size all cost clearly more, or all clearly less, than those before. */
static bool is_upset(const probe *p) {
    double x[WINDOW];
    const level *at = &p->at[p->home];
    if (at->seen < WINDOW || costs(at, p->by_byte, WINDOW, x) < WINDOW) return false;
    double old[WINDOW - RECENT];
    memcpy(old, x + RECENT, sizeof old);
    const double was = median(old, WINDOW - RECENT);
    int above = 0, below = 0;
    for (int i = 0; i < RECENT; i++) {
        above += x[i] > was * (1 + CHANGED);
        below += x[i] < was / (1 + CHANGED);
    }
    return above == RECENT || below == RECENT;
}

static void draw_lots(probe *p) {
    p->lot = p->lot * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
}

/* Whether the neighbour's turn comes after so many others of the trial. Of two turns in a row it has one, the first or the second by lot; of the
 * trial's first two the first. APART turns are followed by as many in which the sizes are exchanged, so that each turn makes a pair. */
static bool is_neighbours_turn(const probe *p, int64_t turn) {
    const int i = (int)(turn % APART), is_exchanged = turn / APART % 2 != 0;
    const int is_second = i < 2 ? 0 : (int)(p->lot >> (40 + i / 2)) & 1;
    return (i % 2 == is_second) != is_exchanged;
}

static void start_trial(probe *p) {
    int to = p->home + p->direction;
    if (to < 0 || to > p->ceiling || (p->direction > 0 && is_long(p, p->home))) {
        p->direction = -p->direction;
        to = p->home + p->direction;
        if (to < 0 || to > p->ceiling || (p->direction > 0 && is_long(p, p->home))) {
            p->since = 0;
            return;
        }
    }
    p->at[to].seen = 0; /* old samples do not count: the level is judged by its present cost */
    p->tried = p->ahead = 0;
    p->trial = to;
    draw_lots(p);
    choose_level(p, to);
}

/* Settles at the neighbour. The evidence for the way there, negated, is evidence for the way back. */
static void move_on(probe *p) {
    const bool upwards = p->trial > p->home;
    evidence *way = upwards ? &p->up : &p->down, *back = upwards ? &p->down : &p->up;
    *back = *way;
    for (int i = 0; i < PAIRS; i++) back->kept[i] = -back->kept[i];
    way->seen = 0;
    p->home = p->trial;
    p->trial = -1;
    p->pause = SHORTEST;
    choose_level(p, p->home);
    p->since = SHORTEST; /* the next trial begins at once */
}

static void turn_back(probe *p) {
    p->direction = -p->direction;
    p->trial = -1;
    if (p->pause < LONGEST) p->pause *= 2;
    choose_level(p, p->home);
}

/* A trial is won if the gain is larger than what chance may have caused. It continues while that is undecided. */
static void judge_trial(probe *p, const evidence *e) {
    double noise = 0;
    if (p->tried < TRIAL) return;
    const double wanted = p->trial > p->home ? EQUAL : -EQUAL, gain = gain_of(e, &noise) - wanted;
    const bool is_short = p->trial > p->home && latest(p, p->home, ns_of) < LASTING_NS;
    if (gain > noise || (is_short && p->tried >= LOOK && gain > 0)) {
        move_on(p);
    } else if (gain < -noise || p->tried >= LOOK) {
        turn_back(p);
    }
}

/* During a trial, chunks of the settled size and of the neighbour take turns. The source may ask at every second turn only, and so always get
 * the same size: then the other one is chosen until it has come. */
static void take_turns(probe *p, int seen) {
    if (p->since % (2 * APART) == 0) draw_lots(p);
    p->ahead += (seen == p->trial) - (seen == p->home);
    if (p->ahead > MOST_AHEAD || p->ahead < -MOST_AHEAD)
        p->now = p->ahead > 0 ? p->home : p->trial;
    else
        p->now = is_neighbours_turn(p, p->since) ? p->trial : p->home;
}

/* The sample makes a pair with the one APART before, if that was of the other size. */
static void note_sample(probe *p, evidence *e, const sample *new) {
    const sample *old = &p->latest[p->seen % APART];
    const bool is_there = new->level == p->trial;
    if (p->seen < APART || new->level == old->level) return;
    if ((is_there ? old : new)->level != p->home || (is_there ? new : old)->level != p->trial)
        return;
    const double now = cost_of(p, &new->cost), then = cost_of(p, &old->cost);
    note_pair(e, is_there ? then : now, is_there ? now : then);
    p->tried++;
}

static void follow_trial(probe *p, const sample *new) {
    evidence *e = p->trial > p->home ? &p->up : &p->down;
    note_sample(p, e, new);
    take_turns(p, new->level);
    judge_trial(p, e);
}

static void watch(probe *p, const sample *new) {
    if (p->trial >= 0) {
        follow_trial(p, new);
    } else if (is_upset(p)) {
        forget_others(p);
        choose_level(p, p->home);
    } else if (p->since >= p->pause && p->at[p->home].seen >= ENOUGH) {
        start_trial(p);
    }
}

/* ---- the interface ---- */

static void destroy(wadi_policy *self) {
    free(self);
}

/* Chooses the unit (element or byte) whose cost differs less between chunks of one size, over about the latest UNIT_MEMORY chunks. */
static void prefer_a_unit(probe *p, const record *old, const record *new) {
    p->jump_element +=
        (fabs(log(new->per_element / old->per_element)) - p->jump_element) / UNIT_MEMORY;
    p->jump_byte += (fabs(log(new->per_byte / old->per_byte)) - p->jump_byte) / UNIT_MEMORY;
    const double believed = p->by_byte ? p->jump_byte : p->jump_element;
    const double other = p->by_byte ? p->jump_element : p->jump_byte;
    if (other < 0.8 * believed) p->by_byte = !p->by_byte;
}

static void observe(wadi_policy *self, const wadi_policy_sample *s) {
    probe *p = (probe *)self;
    if (s->elements <= 0) return;
    const double n = (double)s->elements, each = (double)s->bytes / n;
    p->bytes = p->bytes > 0 ? p->bytes + 0.25 * (each - p->bytes) : each;
    if (s->elapsed_ns <= 0) { /* the time is not known */
        if (p->climbing && p->before < 0) choose_level(p, step_up(p, 1));
        return;
    }
    const int l = level_of(n);
    level *at = &p->at[l];
    const double ns = (double)s->elapsed_ns;
    const sample new = {.cost = {.per_element = ns / n,
                                 .per_byte = ns / (s->bytes > 0 ? (double)s->bytes : n),
                                 .ns = ns,
                                 .busy = (double)s->busy_ns / ns},
                        .level = l};
    if (at->seen > 0) prefer_a_unit(p, &at->kept[(at->seen - 1) % WINDOW], &new.cost);
    at->kept[at->seen++ % WINDOW] = new.cost;
    p->since++;
    give_up_level(p, l);
    if (p->climbing) {
        climb(p);
    } else {
        watch(p, &new);
    }
    p->latest[p->seen++ % APART] = new;
}

static int64_t choose(const wadi_policy *self) {
    return INT64_C(1) << ((const probe *)self)->now;
}

static void save(const wadi_policy *self, wadi_text *out) {
    const probe *p = (const probe *)self;
    wadi_text_addf(out, "probe %lld", 1LL << (p->climbing ? p->now : p->home));
}

static wadi_status load(wadi_policy *self, const char *text, wadi_error *err) {
    long long size = 0;
    if (sscanf(text, "probe %lld", &size) != 1 || size < 1 || size > 1LL << (LEVELS - 1)) {
        return wadi_fail(err, WADI_INVALID, "chunk policy probe: cannot read \"%s\"", text);
    }
    settle((probe *)self, level_of((double)size));
    return WADI_OK;
}

static const wadi_policy_ops ops = {destroy, observe, choose, save, load};

wadi_status wadi_policy_probe_create(int64_t start, wadi_policy **out, wadi_error *err) {
    probe *p = malloc(sizeof *p);
    if (p == NULL) return wadi_fail(err, WADI_MEMORY, "chunk policy: out of memory");
    memset(p, 0,
           offsetof(probe,
                    at)); /* a level without samples is not read, so only its `seen` is set below */
    for (int l = 0; l < LEVELS; l++) p->at[l].seen = 0;
    p->base.ops = &ops;
    p->ceiling = LEVELS - 1;
    p->climbing = true;
    p->before = -1;
    p->trial = -1;
    if (start > 0) settle(p, level_of((double)start));
    *out = &p->base;
    return WADI_OK;
}
