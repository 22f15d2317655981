/* Workers of other processes at work on stages of a stream.
 *
 * This process is the home of the job: it has all that has an order, sources, changes that keep something, folds, ends, and what is saved. Bodies,
 * which compute each element by itself, are for workers, those of a stretch of stages (stretch.h) together: each chunk for its first stage
 * becomes an item of a work queue (sched/work/queue.h). Answers are handed on by the compute thread, in the order of the items, or as they come where all
 * that follows takes elements in any order (wadi_plan_stage_is_unordered). What no worker has computed, for whatever reason, the compute thread does in its turn: so faults, their words, and what was delivered before them are
 * those of a run without workers, and a run without workers is done here.
 *
 * Each stretch has its own items in order. Handing on what came of one may add items to the stretches behind it, and wait until these have room. */
#ifndef WADI_SCHED_RUN_FAR_H
#define WADI_SCHED_RUN_FAR_H

#include "base/thread.h"
#include "sched/chunk.h"
#include "sched/run/charter.h"
#include "sched/run/report.h"
#include "sched/run/team.h"
#include "sched/work/queue.h"

struct wadi_stream;

typedef struct wadi_far_ticket {
    int64_t number; /* of all items of the run */
    wadi_ticket_state state;
    wadi_chunk *in;
    wadi_chunk *states;    /* keyed: of its keys; else NULL, and so is `after` */
    wadi_answer *answer;   /* DONE: [stages of the stretch] */
    wadi_chunk *after;     /* DONE: the states then */
    const wadi_kind *kind; /* DONE: of the worker; NULL: nobody has asked */
    int64_t sent_ns;       /* clock; 0: it has not been sent */
} wadi_far_ticket;

enum {
    WADI_FAR_TICKETS = 4096,
    WADI_FAR_AHEAD = 256 /* beyond what keeps workers busy, up to so many in all */
};

enum { WADI_FAR_RATES = 11 };

/* Answers so far, once a second, in a ring. */
typedef struct wadi_far_rate {
    int64_t ns[WADI_FAR_RATES], answered[WADI_FAR_RATES];
    int n; /* seconds so far */
} wadi_far_rate;

/* A stretch at work. */
typedef struct wadi_far_part {
    const wadi_stretch *plan;
    wadi_travel *travel;   /* [plan->n] */
    bool delivering;       /* what came of an item is handed on, or the compute thread does it */
    bool brings;           /* that has all stages of the stretch */
    bool unordered;        /* nobody needs the order of what comes of its items */
    wadi_far_ticket *ring; /* [WADI_FAR_TICKETS]; it and what follows by the lock */
    int head, tickets;
    int64_t bytes;                /* of their chunks */
    struct wadi_far_keyed *keyed; /* far_keyed.h; NULL: the stretch is not keyed */
} wadi_far_part;

typedef struct wadi_far {
    struct wadi_stream *stream;
    wadi_stretch_list stretches; /* that are shared; [nparts] once it is opened */
    wadi_far_part *parts;
    int nparts;
    wadi_reports reports; /* what workers tell of themselves with each answer */
    wadi_kinds kinds;     /* the thread below has them; each of them anybody may read */
    bool opened, given_up;
    bool told;       /* that nobody has come */
    int64_t from_ns; /* clock when it was opened */
    bool
        shown; /* by the run's lock: there are the locks below, until the stream is no longer shown */
    wadi_slots once;    /* what is ONCE, in host memory */
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
    int64_t patience_ns; /* home waits for an answer for so long; 0: for the least time */
    int64_t answered_ns; /* clock at the last one */
    int64_t usual_ns;    /* between two of them; 0: not known */
} wadi_far;

enum { WADI_FAR_PATIENCE_TIMES = 20 };
static const int64_t wadi_far_least_patience_ns = INT64_C(30000000000);

/* How long home waits for an answer, after one that took so long: an answer that is far later than any so far is not waited for. It may be late for another reason than the work: a server
 * that was away, a worker that stood still. So one of them doubles the time at most, or a few would have home wait for hours. patience_ns: before; 0: there was no answer. */
static inline int64_t wadi_far_patience(int64_t patience_ns, int64_t took_ns) {
    const int64_t least = wadi_far_least_patience_ns,
                  before = patience_ns > least ? patience_ns : least;
    const int64_t times = WADI_FAR_PATIENCE_TIMES,
                  usual = took_ns < INT64_MAX / times ? times * took_ns : INT64_MAX;
    if (usual <= before) return before;
    return before > INT64_MAX / 2 || usual < 2 * before ? usual : 2 * before;
}

/* Ticket number i of the stretch. By the lock. */
static inline wadi_far_ticket *wadi_far_at(const wadi_far_part *p, int i) {
    return &p->ring[(p->head + i) % WADI_FAR_TICKETS];
}

/* Bytes of what it is sent with. */
static inline int64_t wadi_far_ticket_bytes(const wadi_far_ticket *k) {
    return wadi_chunk_bytes(k->in) + (k->states != NULL ? wadi_chunk_bytes(k->states) : 0);
}

/* ---- far_open.c ---- */

/* Finds out what workers compute, and begins to share it. Errors: those of waiting for workers. */
WADI_NODISCARD wadi_status wadi_far_next(struct wadi_stream *s, wadi_error *err);
/* Whether times of bodies are wanted, and one of them. */
bool wadi_far_times(const struct wadi_stream *s);
void wadi_far_saw(struct wadi_stream *s, int stage, const wadi_chunk *in, const wadi_chunk *out,
                  int64_t ns);
/* Likewise of the states of a stage; in: what they have changed by. */
void wadi_far_saw_states(struct wadi_stream *s, int stage, const wadi_chunk *in, int64_t ns);
void wadi_far_close(struct wadi_stream *s);

/* ---- far_thread.c ---- */

/* Sends what waits and takes what has come, until `closing`. env: the wadi_far. */
void wadi_far_work(void *env);
/* Wakes that thread. */
void wadi_far_nudge(const wadi_far *t);

/* ---- far_answer.c ---- */

/* What a worker has sent for an item of the stretch, of so many elements and keys, becomes the answer and the kind of `out`; no answer: it is of no use, which is told.
 * report: empty, if none is asked for, or could be read. By the thread that has the queue, without the lock. */
void wadi_far_read(wadi_far *t, const wadi_far_part *p, int64_t count, int64_t keys,
                   const wadi_work_item *item, wadi_far_ticket *out, wadi_report *report);
/* At the end of the run: how many answers were not used, if there were more than had been told one by one. */
void wadi_far_tell_unused(const wadi_run *x);
/* Gives back what a ticket of this stretch has, which is no longer in its ring. */
void wadi_far_drop(const wadi_far_part *p, const wadi_far_ticket *owned_k);

/* ---- far_tickets.c: by the compute thread ---- */

/* The place of a ticket that can be handed on, of a keyed stretch of any; -1: there is none. By the lock. */
int wadi_far_find_ready(const wadi_far_part *p);
bool wadi_far_has_ready(wadi_far *t, const wadi_far_part *p);
/* Until there is one; there are tickets. */
WADI_NODISCARD wadi_status wadi_far_wait_for_ready(struct wadi_stream *s, wadi_far_part *p,
                                                   wadi_error *err);
/* It leaves the ring. By the lock. */
wadi_far_ticket wadi_far_take_out(wadi_far_part *p, int at);
int wadi_far_most_tickets(int workers);
/* How many there are, of whom the run is told; 0: also if the queue has failed. */
int wadi_far_workers_now(struct wadi_stream *s);
/* After a while, that nobody has come. */
void wadi_far_tell_nobody(struct wadi_stream *s);
/* A ticket for these elements, of which the ring has room. states: NULL, or of a keyed stretch. Returns its number. */
int64_t wadi_far_add(struct wadi_stream *s, wadi_far_part *p, wadi_chunk *in, wadi_chunk *states);
/* An item that the compute thread has computed; and some that workers have. elements: of all. */
void wadi_far_count_here(struct wadi_stream *s, int64_t elements);
void wadi_far_count_there(struct wadi_stream *s, int items, int64_t elements);

/* ---- far_view.c ---- */

struct wadi_view_elsewhere;
/* What is under way to workers and back, for those who look at the stream, which is at work. By the run's lock. */
void wadi_far_look(struct wadi_stream *s, struct wadi_view_elsewhere *out);

/* ---- far_saved.c ---- */

/* A chunk of a stage that was with workers when the run was saved. */
typedef struct wadi_far_left {
    int stage;
    wadi_chunk *in;
} wadi_far_left;

/* Appends what wadi_far_rest has left with workers. */
WADI_NODISCARD wadi_status wadi_far_save(struct wadi_stream *s, wadi_text *out, wadi_error *err);
/* Reads that to s->left, for the compute thread to begin with. Errors: WADI_INVALID, WADI_IO, WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_far_load(struct wadi_stream *s, wadi_state_reader *from,
                                         wadi_error *err);

/* ---- far.c: as the functions of elsewhere.h ---- */

bool wadi_far_takes(const struct wadi_stream *s, int stage);
WADI_NODISCARD wadi_status wadi_far_share(struct wadi_stream *s, int stage, wadi_chunk *in,
                                          wadi_error *err);
/* Elements that are not as declared: the compute thread tells why. */
WADI_NODISCARD wadi_status wadi_far_here(struct wadi_stream *s, int stage, wadi_chunk *in,
                                         wadi_error *err);
/* The same for the states of a stage that has some for each key. */
bool wadi_far_takes_states(const struct wadi_stream *s, int stage);
WADI_NODISCARD wadi_status wadi_far_share_states(struct wadi_stream *s, int stage, wadi_chunk *in,
                                                 wadi_error *err);
bool wadi_far_brings(const struct wadi_stream *s, int stage, int reader);
WADI_NODISCARD wadi_status wadi_far_poll(struct wadi_stream *s, wadi_error *err);
WADI_NODISCARD wadi_status wadi_far_flush(struct wadi_stream *s, wadi_error *err);
WADI_NODISCARD wadi_status wadi_far_settle(struct wadi_stream *s, wadi_error *err);
WADI_NODISCARD wadi_status wadi_far_rest(struct wadi_stream *s, wadi_error *err);
/* How many chunks may be on their way to workers and back, of so many stretches, also before the first worker is there. */
int64_t wadi_far_in_flight(int stretches, int workers);

#endif
