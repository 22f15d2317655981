/* Whether a stream is better parted, and at which seam: predicted from what its stages take when all is joined, then confirmed by measuring.
 *
 * If the part behind a seam ran apart, the slower of the two parts would decide, unless there are too few processors for both. If
 * that promises enough, the seam is tried in windows of time that alternate with joined ones, and what has the better median of
 * time per element stays. A stream that waits for its sources or sinks is not tried. This uses no clock: whoever asks says how late
 * it is. */
#ifndef WADI_SCHED_RUN_WEIGH_H
#define WADI_SCHED_RUN_WEIGH_H

#include <stdbool.h>
#include <stdint.h>

/* Readings since the stream began. */
typedef struct wadi_weights {
    int64_t now_ns;     /* clock */
    int64_t elements;   /* of sources, computed */
    int64_t compute_ns; /* in which the compute thread had a chunk, and no digest to wait for */
    int64_t work_ns;    /* of all threads */
} wadi_weights;

/* What is behind one seam, while all was joined: time it has taken, and work of workers in it. */
typedef struct wadi_weight {
    int64_t ns, work_ns;
} wadi_weight;

enum { WADI_WEIGH_ROUNDS = 3 };

/* All zero is the start. */
typedef struct wadi_weighing {
    wadi_weights begin; /* of the window */
    int chunks;         /* in it */
    bool open;
    bool trying,
        apart; /* the seam is being tried; the window is one in which it runs apart, or that is decided */
    bool decided; /* for apart */
    int seam;
    int n[2]; /* windows measured, joined and apart */
    double cost[2][WADI_WEIGH_ROUNDS];
    int trials;
    int64_t look_ns; /* length of the next window to predict from; 0: the first */
} wadi_weighing;

/* Before a chunk: the seam for it, or -1. begin: [nseams] the caller's to keep, all zero at the start. disturbed: the last chunk says nothing about
 * the next, because code was loaded first. */
int wadi_weigh_next(wadi_weighing *w, const wadi_weights *now, int nseams, const wadi_weight *seam,
                    wadi_weight *begin, int workers, bool disturbed);

#endif
