/* Workers of other processes at work on one stage of a stream.
 *
 * This process is the home of the job: it has all that has an order, sources, changes, folds, ends, and what is saved. The body of one
 * stage, which computes each element by itself, is for workers: each chunk of it becomes an item of a work queue (sched/work/queue.h).
 * Answers are handed on in the order of the items, by the compute thread. What no worker has computed, for whatever reason, the compute
 * thread does in its turn: so faults, their words, and what was delivered before them are those of a run without workers, and a run
 * without workers is done here. */
#ifndef WADI_SCHED_RUN_FAR_H
#define WADI_SCHED_RUN_FAR_H

#include "base/thread.h"
#include "sched/chunk.h"
#include "sched/run/team.h"
#include "sched/work/queue.h"

struct wadi_stream;

typedef struct wadi_far_ticket {
    int64_t number; /* of all items of the run */
    wadi_ticket_state state;
    wadi_chunk *in;
    wadi_chunk *answer; /* DONE: the results that have travelled */
    int64_t sent_ns;    /* clock; 0: it has not been sent */
} wadi_far_ticket;

enum { WADI_FAR_TICKETS = 256 };

enum { WADI_FAR_RATES = 11 };

/* Answers so far, once a second, in a ring. */
typedef struct wadi_far_rate {
    int64_t ns[WADI_FAR_RATES], answered[WADI_FAR_RATES];
    int n; /* seconds so far */
} wadi_far_rate;

typedef struct wadi_far {
    struct wadi_stream *stream;
    int stage; /* that is shared */
    bool opened, delivering, given_up;
    bool told;       /* that nobody has come */
    int64_t from_ns; /* clock when it was opened */
    bool
        shown; /* by the run's lock: there are the locks below, until the stream is no longer shown */
    wadi_slots once; /* what is ONCE, in host memory */
    int *results;    /* [nresults] slots that travel */
    int nresults;
    int wake;           /* a descriptor by which the compute thread wakes the other; -1: none */
    wadi_thread thread; /* which has the queue meanwhile */
    wadi_mutex lock;    /* guards what follows */
    wadi_condition done;
    bool closing;
    bool lost;            /* the queue has failed */
    int workers;          /* as the queue has told last */
    wadi_workq_open open; /* likewise */
    int64_t answered;     /* items */
    wadi_far_rate rate;
    int64_t slowest_ns;    /* answer so far */
    int64_t answered_ns;   /* clock at the last one */
    int64_t usual_ns;      /* between two of them; 0: not known */
    wadi_far_ticket *ring; /* [WADI_FAR_TICKETS] */
    int head, tickets;
    int64_t bytes; /* of their chunks */
} wadi_far;

/* ---- far_thread.c ---- */

/* Sends what waits and takes what has come, until `closing`. env: the wadi_far. */
void wadi_far_work(void *env);
/* Wakes that thread. */
void wadi_far_nudge(const wadi_far *t);

/* ---- far_view.c ---- */

struct wadi_view_elsewhere;
/* What is under way to workers and back, for those who look at the stream, which is at work. By the run's lock. */
void wadi_far_look(struct wadi_stream *s, struct wadi_view_elsewhere *out);

/* ---- far.c: as the functions of elsewhere.h ---- */

WADI_NODISCARD wadi_status wadi_far_next(struct wadi_stream *s, wadi_error *err);
bool wadi_far_takes(const struct wadi_stream *s, int stage);
WADI_NODISCARD wadi_status wadi_far_share(struct wadi_stream *s, wadi_chunk *in, wadi_error *err);
/* Elements that are not as declared: the compute thread tells why. */
WADI_NODISCARD wadi_status wadi_far_here(struct wadi_stream *s, wadi_chunk *in, wadi_error *err);
bool wadi_far_times(const struct wadi_stream *s);
void wadi_far_saw(struct wadi_stream *s, int stage, int64_t count, int64_t ns);
WADI_NODISCARD wadi_status wadi_far_poll(struct wadi_stream *s, wadi_error *err);
WADI_NODISCARD wadi_status wadi_far_flush(struct wadi_stream *s, wadi_error *err);
WADI_NODISCARD wadi_status wadi_far_settle(struct wadi_stream *s, wadi_error *err);
/* How many chunks may be on their way to workers and back, also before the first is there. */
int64_t wadi_far_in_flight(int workers);
void wadi_far_close(struct wadi_stream *s);

#endif
