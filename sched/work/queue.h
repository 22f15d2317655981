/* A work queue: chunks of a stream that other processes compute.
 *
 * The process that runs a program is the job's home: it has the sources, the sinks and all that has an order. Workers compute the bodies
 * of stages, chunk by chunk. A queue carries bytes and knows nothing of what they mean: home offers a charter (what a worker needs before
 * its first item), submits items by number, and collects the answers in any order. Nothing is lost if a worker is: its items go to
 * others. An item may be computed twice; home gets one answer.
 *
 * A home may offer another charter later, when nothing of the one before is open: workers then get that one. Numbers go on rising. What a
 * home that was killed has left, items and answers, does not count for its successor.
 *
 * Each way of carrying items has its own kind of queue behind these operations (ways.h). A queue belongs to one thread at a time. */
#ifndef WADI_SCHED_WORK_QUEUE_H
#define WADI_SCHED_WORK_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/wait.h"
#include "wadi/status.h"

typedef struct wadi_workq wadi_workq;

enum { WADI_WORKQ_LINE = 64 };
/* Home's reply while what it was asked for is being made: it is asked again. */
#define WADI_WORKQ_WAIT "wait"

typedef struct wadi_work_item {
    int64_t number; /* of the item; -1: none came */
    wadi_status
        status; /* answers: WADI_OK, or why no worker could compute it; home then does so itself. Of number -1: see `fetch` */
    void *
        bytes; /* owned by whoever holds the item; freed by free(). NULL where the status is not WADI_OK */
    int64_t n;
} wadi_work_item;

/* What home has submitted and has no answer to, and how much of that there may be. */
typedef struct wadi_workq_open {
    int64_t items, most_items, bytes, most_bytes;
    bool held; /* no more go to workers until somebody allows it: `wadi job pause` */
    int64_t stuck,
        stuck_ns; /* items that the server between home and workers has not taken, and for how long it has taken none; 0: it takes them */
    bool away;    /* it is not there */
    char said[96]; /* why, in its own words; "": it has not told */
} wadi_workq_open;

typedef struct wadi_workq_ops {
    void (*close)(wadi_workq *self);

    /* ---- home ---- */

    /* Workers that come from now on begin with this charter, and those that are there go on with it. Errors: WADI_IO, WADI_MEMORY. */
    wadi_status (*offer)(wadi_workq *self, const void *charter, int64_t n, wadi_error *err);
    /* Whether an item of n bytes can be submitted now. */
    bool (*has_room)(wadi_workq *self, int64_t n);
    /* Copies the bytes. Never waits for workers. */
    wadi_status (*submit)(wadi_workq *self, int64_t number, const void *bytes, int64_t n,
                          wadi_error *err);
    /* The next answer; number -1 if none has come in wait_ns (0: looks and returns). The caller owns out->bytes. */
    wadi_status (*collect)(wadi_workq *self, int64_t wait_ns, wadi_work_item *out, wadi_error *err);
    /* How many workers are known to be at work, or ready for it, now. */
    int (*workers)(wadi_workq *self);
    /* Fills in *out. */
    void (*look)(wadi_workq *self, wadi_workq_open *out);
    /* There are no more items of any charter: workers are told that the job is over. A home that is to go on later does not call it. */
    wadi_status (*end)(wadi_workq *self, wadi_error *err);

    /* ---- worker ---- */

    /* Waits for the charter of the job, which the caller frees by free(). *out NULL: the job is over, and had no charter, or no other one. */
    wadi_status (*charter)(wadi_workq *self, void **out, int64_t *out_n, wadi_error *err);
    /* Waits for an item of that charter. Number -1 with WADI_OK: the job is over. Number -1 with another status: that charter is, and
     * `charter` waits for the next. */
    wadi_status (*fetch)(wadi_workq *self, wadi_work_item *out, wadi_error *err);
    /* Answers the item of that number; the bytes are copied. */
    wadi_status (*answer)(wadi_workq *self, const wadi_work_item *item, wadi_error *err);
    /* Asks home for kernels (wadi_workq_options.kernels) and waits for what it says, other than WADI_WORKQ_WAIT; before the first item of a charter. The caller
     * frees *out by free(). *out NULL: the charter is over. what: a line of less than WADI_WORKQ_LINE bytes. Errors: also WADI_COMPILE (anybody could
     * be home here: kernels are code). */
    wadi_status (*ask)(wadi_workq *self, const char *what, void **out, int64_t *out_n,
                       wadi_error *err);

    /* ---- home, optional; NULL: nothing can be left ---- */

    /* If this home has offered nothing: ends the job that an earlier one has left, as that would have, unless another home has it. *out: there was one. Errors: WADI_IO, .. */
    wadi_status (*end_left)(wadi_workq *self, bool *out, wadi_error *err);
} wadi_workq_ops;

/* Each way's own struct begins with this. */
struct wadi_workq {
    const wadi_workq_ops *ops;
    int wake_fd; /* waits end with WADI_CANCELLED when it becomes readable; -1: none. May be changed between calls */
    wadi_waits *waits; /* where waits are registered for the watchdog; NULL: nowhere. Likewise */
};

/* NULL is fine. */
static inline void wadi_workq_close(wadi_workq *q) {
    if (q != NULL) q->ops->close(q);
}

#endif
