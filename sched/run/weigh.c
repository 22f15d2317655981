/* Weighing a stream joined against the same apart. */
#include "sched/run/weigh.h"

#include <stdlib.h>
#include <string.h>

static const int64_t first_ns = 20000000, trial_ns = 10000000; /* windows, at least */
static const int window_chunks = 8;                            /* in a window, at least, */
static const int settle_chunks = 4; /* after so many with which the link fills */
static const double promise = 0.9;  /* of the time joined: a seam must promise no more than that */
static const double gain = 0.95;    /* and must keep so much */
static const double busy =
    0.8; /* of the time: else the compute thread is not what the stream waits for */
enum { MOST_TRIALS = 4 };

static int64_t larger(int64_t a, int64_t b) {
    return a > b ? a : b;
}

static void open_window(wadi_weighing *w, const wadi_weights *now, int nseams,
                        const wadi_weight *seam, wadi_weight *begin) {
    w->begin = *now;
    w->chunks = 0;
    w->open = true;
    memcpy(begin, seam, (size_t)nseams * sizeof *seam);
}

/* Time that a stream takes with a part apart for which it takes `compute` joined. */
static double predicted(int64_t compute, int64_t work, const wadi_weight *part, int workers) {
    const int64_t before = compute - part->ns, behind = larger(part->ns, part->work_ns);
    const int64_t slower = larger(before, behind);
    const double all = (double)larger(work, compute) / workers;
    return (double)slower > all ? (double)slower : all;
}

/* The seam that promises most in the window; -1: none promises enough. */
static int best_seam(const wadi_weighing *w, const wadi_weights *now, int nseams,
                     const wadi_weight *seam, const wadi_weight *begin, int workers) {
    const int64_t compute = now->compute_ns - w->begin.compute_ns;
    const int64_t work = now->work_ns - w->begin.work_ns;
    double least = promise * (double)compute;
    int best = -1;
    if ((double)compute < busy * (double)(now->now_ns - w->begin.now_ns)) return -1;
    for (int i = 0; i < nseams; i++) {
        const wadi_weight part = {seam[i].ns - begin[i].ns, seam[i].work_ns - begin[i].work_ns};
        const double ns = predicted(compute, work, &part, workers);
        if (ns >= least) continue;
        least = ns;
        best = i;
    }
    return best;
}

static int by_cost(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *cost) {
    qsort(cost, WADI_WEIGH_ROUNDS, sizeof *cost, by_cost);
    return cost[WADI_WEIGH_ROUNDS / 2];
}

static void decide(wadi_weighing *w) {
    w->trying = false;
    w->decided = w->apart = median(w->cost[1]) < gain * median(w->cost[0]);
}

/* A window of a trial has ended: the other way is next. */
static void note(wadi_weighing *w, const wadi_weights *now) {
    const int64_t elements = now->elements - w->begin.elements;
    if (elements > 0)
        w->cost[w->apart][w->n[w->apart]++] =
            (double)(now->now_ns - w->begin.now_ns) / (double)elements;
    w->apart = w->n[1] <= w->n[0];
    if (w->n[0] == WADI_WEIGH_ROUNDS && w->n[1] == WADI_WEIGH_ROUNDS) decide(w);
}

static void begin_trial(wadi_weighing *w, int seam) {
    w->trying = w->apart = true;
    w->seam = seam;
    w->n[0] = w->n[1] = 0;
    w->trials++;
}

/* A window in which all was joined has ended. After one that promised nothing, a longer one is looked at. */
static void look(wadi_weighing *w, int best) {
    w->look_ns = 2 * larger(w->look_ns, first_ns);
    if (best >= 0 && w->trials < MOST_TRIALS) begin_trial(w, best);
}

int wadi_weigh_next(wadi_weighing *w, const wadi_weights *now, int nseams, const wadi_weight *seam,
                    wadi_weight *begin, int workers, bool disturbed) {
    if (w->decided) return w->seam;
    w->chunks++;
    const bool settled = w->open || !w->trying || w->chunks > settle_chunks;
    if (disturbed || (!w->open && settled)) {
        open_window(w, now, nseams, seam, begin);
    } else if (w->open && w->chunks >= window_chunks) {
        const int64_t least = w->trying ? trial_ns : larger(w->look_ns, first_ns);
        if (now->now_ns - w->begin.now_ns >= least) {
            w->open = false;
            w->chunks = 0;
            if (w->trying)
                note(w, now);
            else
                look(w, best_seam(w, now, nseams, seam, begin, workers));
        }
    }
    return w->apart ? w->seam : -1;
}
