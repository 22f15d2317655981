/* A run as it is seen from outside while it goes on: a copy, which nobody changes any more. sched/run/view.c makes it; the files of sched/watch
 * tell it in words, as JSON and as metrics. */
#ifndef WADI_SCHED_VIEW_H
#define WADI_SCHED_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "base/wait.h"
#include "sched/sample.h"
#include "wadi/run.h"

enum { WADI_VIEW_NAME = 96, WADI_VIEW_WAITS = 32, WADI_VIEW_DEVICES = 17 };

typedef enum wadi_view_kind { WADI_VIEW_SOURCE, WADI_VIEW_STAGE, WADI_VIEW_END } wadi_view_kind;

/* A source, a stage or an end of the stream at work. */
typedef struct wadi_view_node {
    wadi_view_kind kind;
    char id
        [24]; /* "0.1", as `wadi explain` counts; of an end "0.out", of a source "0.in", with a number behind it */
    char name[WADI_VIEW_NAME]; /* the user's: of the stream, or of the values that are computed */
    const char *what;          /* "raw", "filter", "fold"; static */
    int64_t elements, bytes, chunks; /* read; gone through the body; delivered */
    int64_t total;                   /* elements that there are in all; -1: nobody knows */
    bool has_values; /* it can be tapped; elements that are only counted have none */
    bool elsewhere;  /* workers of other processes compute it */
    int64_t began;   /* the number of the first element: not 0 of a saved run that goes on */
    int64_t
        busy_ns; /* time in which its thread worked for it; of a source, waiting for what it reads as well */
    int64_t beside_ns[WADI_VIEW_DEVICES]; /* the same of other devices, by their numbers */
} wadi_view_node;

/* What one node gives to another. */
typedef struct wadi_view_edge {
    int from, to;                /* nodes */
    bool queue;                  /* a link between two threads; the rest is 0 without */
    int64_t chunks, most_chunks; /* under way on it */
    int64_t bytes, most_bytes;
    int64_t from_ns, to_ns; /* for how long that end has waited for the other; 0: it does not */
} wadi_view_edge;

typedef struct wadi_view_device {
    char name[64];
    int64_t elements; /* of those that several devices share out */
    int64_t busy_ns;  /* of all its workers */
    int workers;      /* 0: it does nothing in this run */
} wadi_view_device;

/* Workers of other processes, of a run with the option `via`. */
typedef struct wadi_view_elsewhere {
    bool used;         /* it has that option; the rest is 0 without */
    char address[128]; /* without settings */
    int wanted;        /* workers that the run waits for before it begins */
    int workers;       /* that are there now */
    int64_t items, most_items, bytes, most_bytes; /* that have no answer, and their limits */
    int64_t unsent;                               /* items that home has not given out yet */
    int64_t in_turn;                              /* answers that wait for those of earlier items */
    double per_second;                            /* answers, over the last ten seconds */
    int64_t items_there, elements_there;          /* that workers have computed */
    int64_t items_here, elements_here; /* that were for them, and that home has computed */
    bool held;                         /* no more items go to workers: `wadi job pause` */
    int64_t stuck,
        stuck_ns; /* items that the server of the job has not taken, and for how long it has taken none; 0: it takes them */
    bool away;    /* it is not there */
    char said[96]; /* why, in its own words; "": it has not told */
    bool lost;     /* they get nothing any more of this stream */
} wadi_view_elsewhere;

typedef enum wadi_view_state {
    WADI_VIEW_RUNS,
    WADI_VIEW_PAUSED,
    WADI_VIEW_DRAINS, /* it is being saved, and will end */
    WADI_VIEW_OVER
} wadi_view_state;

typedef struct wadi_view {
    int64_t
        id; /* of the run in its process: 1, 2, .. in the order of their beginnings; 0: it has not begun */
    char name[WADI_VIEW_NAME]; /* of the program */
    wadi_view_state state;
    bool saved;           /* it has the option `state`: it can be drained */
    int phase, phases;    /* at work; -1: none */
    wadi_run_stats stats; /* its texts `device` and `schedule` are not to be used: see below */
    char device[192], schedule[16];
    int64_t memory_used, memory_most; /* bytes, as memory_peak counts them, and their limit */
    WADI_VEC(wadi_view_node) nodes;   /* of the stream at work: sources, stages, ends */
    WADI_VEC(wadi_view_edge) edges;
    wadi_wait_seen waits[WADI_VIEW_WAITS];
    int nwaits;
    wadi_view_device devices[WADI_VIEW_DEVICES];
    int ndevices;
    wadi_view_elsewhere elsewhere;
    double
        left_s; /* until all that is to be read is computed, at the pace so far; -1: nobody knows */
    bool failed; /* there was no memory for all nodes and edges */
} wadi_view;

/* Fills in *out, for wadi_view_fini. Any thread, while the run exists. Errors: WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_view_take(wadi_run *run, wadi_view *out, wadi_error *err);
void wadi_view_fini(wadi_view *v);
/* Asks for values of the next chunk of a source, a stage or an end with that `id`. *out: those that were asked for before, for free(); NULL: nothing has come
 * since. Any thread, while the run exists. Errors: WADI_INVALID (no such id in the stream at work), WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_view_tap(wadi_run *run, const char *id, wadi_sample **out,
                                         wadi_error *err);
/* Whether wadi_run_drain would do anything: the run is saved. */
bool wadi_view_can_drain(const wadi_run *run);

/* "running", "paused", .. */
const char *wadi_view_state_name(wadi_view_state s);
/* "source", "stage", "end". */
const char *wadi_view_kind_name(wadi_view_kind k);

#endif
