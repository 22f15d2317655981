/* Weighing devices against each other. */
#include "sched/run/share.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/format.h"

static const int64_t first_ns = 250000000;  /* a stream that ends before is not worth a trial */
static const int64_t trial_ns = 10000000;   /* a window of a trial, at least */
static const int64_t again_ns = 1000000000; /* from a decision to the next look; then twice that */
static const int window_chunks = 4, settle_chunks = 2;
static const double promise = 0.95; /* of the time of the first: another way must promise no more */
static const double gain = 0.95;    /* and must keep so much */
static const double hopeless = 1.05; /* times the first's: a way that costs so much is tried once */
static const double weight = 0.25;   /* of the latest time in the average */
static const int64_t least_part =
    64; /* a device that would take less than 1 / least_part takes none */

/* ---- rates ---- */

void wadi_sharing_saw(wadi_sharing *g, int member, int64_t elements, int64_t ns) {
    double *is = &g->element_ns[member];
    if (elements <= 0 || ns <= 0) return;
    const double each = (double)ns / (double)elements;
    *is = *is > 0 ? *is + weight * (each - *is) : each;
}

static double fastest(const wadi_sharing *g, int *out) {
    double least = 0;
    *out = 0;
    for (int i = 0; i < g->n; i++) {
        const double ns = g->element_ns[i];
        if (g->out[i] || ns <= 0 || (least > 0 && ns >= least)) continue;
        least = ns;
        *out = i;
    }
    return least;
}

int64_t wadi_sharing_part(const wadi_sharing *g, int member, int64_t count) {
    int first = 0;
    const double least = fastest(g, &first), ns = g->element_ns[member];
    if (g->out[member]) return 0;
    if (ns <= 0 || least <= 0) return (count + g->n - 1) / g->n;
    if (least * (double)least_part < ns) return 0;
    const int64_t part = (int64_t)((double)count * least / ns);
    return part < 1 ? 1 : part;
}

/* ---- windows ---- */

static void begin_window(wadi_sharing *g, const wadi_share_reading *now) {
    g->open = true;
    g->chunks = 0;
    g->begin_ns = now->now_ns;
    g->begin_elements = now->elements;
}

/* Whether the window has lasted so long. The first chunks after a change of way are none of it. */
static bool is_over(wadi_sharing *g, const wadi_share_reading *now, int64_t least_ns, int settle) {
    g->chunks++;
    const bool long_chunks = g->open && now->now_ns - g->begin_ns >= 3 * least_ns;
    if (!now->disturbed && long_chunks) return true;
    if (now->disturbed || (!g->open && g->chunks > settle)) {
        begin_window(g, now);
        return false;
    }
    return g->open && g->chunks >= window_chunks && now->now_ns - g->begin_ns >= least_ns;
}

static void close_window(wadi_sharing *g) {
    g->open = false;
    g->chunks = 0;
}

/* ---- trials ---- */

static void add_way(wadi_sharing *g, int who) {
    g->rounds[g->ways] = 0;
    g->way[g->ways++] = who;
}

/* The ways that promise something. False: the first device alone is best as far as one knows. */
static bool find_ways(wadi_sharing *g) {
    int best = 0;
    const double least = fastest(g, &best), first = g->element_ns[0];
    double rate = 0;
    for (int i = 0; i < g->n; i++)
        if (!g->out[i] && g->element_ns[i] > 0) rate += 1 / g->element_ns[i];
    g->ways = 0;
    add_way(g, 0);
    if (least <= 0 || first <= 0) return false;
    if (best != 0 && least < promise * first) add_way(g, best);
    if (1 / rate < promise * least) add_way(g, WADI_SHARE_ALL);
    return g->ways > 1;
}

static void go_on_with(wadi_sharing *g, int who, wadi_sharing_state state) {
    g->who = who;
    g->state = state;
    close_window(g);
}

static int by_cost(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median, or the only one of a way that was tried once. */
static double cost_of(wadi_sharing *g, int i) {
    qsort(g->cost[i], (size_t)g->rounds[i], sizeof g->cost[i][0], by_cost);
    return g->cost[i][g->rounds[i] / 2];
}

static void decide(wadi_sharing *g) {
    int best = 0;
    double least = gain * cost_of(g, 0);
    for (int i = 1; i < g->ways; i++) {
        const double cost = cost_of(g, i);
        if (cost >= least) continue;
        least = cost;
        best = i;
    }
    g->known = true;
    g->look_ns = g->look_ns < again_ns ? again_ns : 2 * g->look_ns;
    go_on_with(g, g->way[best], WADI_SHARING_STAYS);
}

static bool is_hopeless(const wadi_sharing *g, int i) {
    return i > 0 && g->rounds[i] > 0 && g->cost[i][0] > hopeless * g->cost[0][0];
}

/* The next way in turn that is not measured enough; -1: all are. */
static int next_way(const wadi_sharing *g) {
    for (int k = 1; k <= g->ways; k++) {
        const int i = (g->at + k) % g->ways;
        if (g->rounds[i] < WADI_SHARE_ROUNDS && !is_hopeless(g, i)) return i;
    }
    return -1;
}

static void note(wadi_sharing *g, const wadi_share_reading *now) {
    const int64_t elements = now->elements - g->begin_elements;
    if (elements > 0)
        g->cost[g->at][g->rounds[g->at]++] = (double)(now->now_ns - g->begin_ns) / (double)elements;
    const int next = next_way(g);
    if (next < 0) {
        decide(g);
        return;
    }
    g->at = next;
    go_on_with(g, g->way[next], WADI_SHARING_TRIES);
}

static void begin_trial(wadi_sharing *g) {
    if (!find_ways(g)) {
        g->known = true;
        g->look_ns = g->look_ns < again_ns ? again_ns : 2 * g->look_ns;
        go_on_with(g, 0, WADI_SHARING_STAYS);
        return;
    }
    g->at = 0;
    go_on_with(g, 0, WADI_SHARING_TRIES);
}

/* ---- what is next ---- */

static void use_learned(wadi_sharing *g) {
    g->learnt = false;
    g->look_ns = again_ns;
    go_on_with(g, g->learned, WADI_SHARING_STAYS);
}

static bool has_others(const wadi_sharing *g) {
    for (int i = 1; i < g->n; i++)
        if (!g->out[i]) return true;
    return false;
}

static bool opens_at_once(const wadi_sharing *g) {
    return g->state == WADI_SHARING_LOOKS && g->learnt && g->learned != 0;
}

static void look(wadi_sharing *g, const wadi_share_reading *now) {
    const int64_t least = g->look_ns > first_ns ? g->look_ns : first_ns;
    if (!opens_at_once(g) && !is_over(g, now, least, 0)) return;
    go_on_with(g, 0, WADI_SHARING_OPENS);
}

int wadi_sharing_next(wadi_sharing *g, const wadi_share_reading *now, bool *out_wants) {
    *out_wants = false;
    if (!has_others(g)) return 0;
    if (g->state == WADI_SHARING_LOOKS)
        look(g, now);
    else if (g->state == WADI_SHARING_OPENS && now->ready && g->learnt && g->learned != 0)
        use_learned(g);
    else if (g->state == WADI_SHARING_OPENS && now->ready)
        begin_trial(g);
    else if (g->state == WADI_SHARING_TRIES && is_over(g, now, trial_ns, settle_chunks))
        note(g, now);
    else if (g->state == WADI_SHARING_STAYS && is_over(g, now, g->look_ns, 0))
        begin_trial(g);
    *out_wants = g->state != WADI_SHARING_LOOKS;
    return g->who;
}

void wadi_sharing_lost(wadi_sharing *g, int member) {
    g->out[member] = true;
    if (g->who == member || g->state == WADI_SHARING_TRIES) {
        g->look_ns = again_ns;
        go_on_with(g, 0, WADI_SHARING_STAYS);
    }
}

/* ---- what was learned ---- */

void wadi_sharing_save(const wadi_sharing *g, wadi_text *out) {
    const bool tried = g->state == WADI_SHARING_STAYS;
    wadi_text_addf(out, "shares %d", tried ? g->who : 0);
    for (int i = 0; i < g->n; i++) wadi_text_addf(out, " %.6g", g->element_ns[i]);
}

bool wadi_sharing_load(wadi_sharing *g, const char *line) {
    double ns[WADI_DEVICES_MOST] = {0};
    int who = 0, used = 0;
    if (sscanf(line, "shares %d%n", &who, &used) != 1 || who < WADI_SHARE_ALL || who >= g->n)
        return false;
    for (int i = 0; i < g->n; i++) {
        char *end = NULL;
        ns[i] = wadi_format_read_f64(line + used, &end);
        if (end == line + used || !(ns[i] >= 0 && ns[i] < 1e18)) return false;
        used = (int)(end - line);
    }
    if (line[used] != '\0') return false;
    memcpy(g->element_ns, ns, sizeof ns);
    g->learned = who;
    g->learnt = g->known = true;
    if (who == 0) g->look_ns = 2 * again_ns;
    return true;
}
