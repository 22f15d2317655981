/* Which worker gets which item. A state machine without sockets, threads or clocks: the caller says what has happened, and what time it is.
 *
 * Items are given out in their order, each to the worker that has the fewest, and each worker has a few ahead, so that none waits
 * for the way. The items of a lost worker go to others. So do those of a late one, which gets nothing more until it is heard of again: it may be
 * stopped, or cut off. An item that was given out WADI_DISPATCH_TIMES times, and whose workers are all lost or late, is given up, since it may be what
 * kills or holds up workers. */
#ifndef WADI_SCHED_WORK_DISPATCH_H
#define WADI_SCHED_WORK_DISPATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "wadi/status.h"

enum {
    WADI_DISPATCH_WORKERS = 1024, /* at most */
    WADI_DISPATCH_AHEAD = 3,      /* items that a worker has at once */
    WADI_DISPATCH_TIMES = 3
};

typedef struct wadi_dispatch_item {
    int64_t number, n;
    void *payload;
    int holder[WADI_DISPATCH_TIMES]; /* workers that have it */
    int holders;
    int times;        /* it was given out */
    int64_t since_ns; /* clock when it was given out last */
} wadi_dispatch_item;

typedef struct wadi_dispatch {
    int seats; /* workers are numbered below that */
    struct {
        bool alive, ready, late;
        bool beats; /* it says that it lives, also while it computes */
        int held;   /* items */
    } worker[WADI_DISPATCH_WORKERS];
    WADI_VEC(wadi_dispatch_item) items; /* that have no answer, in the order of their numbers */
    int64_t bytes;                      /* of these */
    int64_t slowest_ns; /* how long an answer takes at most, of late; 0: there was none */
    void (*drop)(void *payload);
} wadi_dispatch;

/* seats: 1 <= seats <= WADI_DISPATCH_WORKERS. */
void wadi_dispatch_init(wadi_dispatch *d, int seats, void (*drop)(void *payload));
/* Drops all items; workers stay, and are no longer ready. */
void wadi_dispatch_clear(wadi_dispatch *d);
void wadi_dispatch_fini(wadi_dispatch *d);

/* Takes over the payload; false when out of memory: the caller keeps it then. Numbers rise. */
WADI_NODISCARD bool wadi_dispatch_push(wadi_dispatch *d, int64_t number, int64_t n, void *payload);
/* How many items there may be, so that none would only wait. */
int64_t wadi_dispatch_most(const wadi_dispatch *d);
/* Whether one more item of n bytes would not only wait; `most`: bytes of all items, but one is always taken. */
bool wadi_dispatch_room(const wadi_dispatch *d, int64_t n, int64_t most);

void wadi_dispatch_join(wadi_dispatch *d, int worker);
void wadi_dispatch_ready(wadi_dispatch *d, int worker);
void wadi_dispatch_heard(wadi_dispatch *d, int worker);
/* It says that it lives: how long its first answer takes is no sign that it does not. */
void wadi_dispatch_beats(wadi_dispatch *d, int worker);
void wadi_dispatch_lost(wadi_dispatch *d, int worker);
/* The item has its answer, from this worker (-1: nobody in particular). False: it had one before, or was never given out. */
bool wadi_dispatch_answered(wadi_dispatch *d, int worker, int64_t number, int64_t now_ns);

/* The next item to send, and to whom: it has been given out then. The payload still belongs to the dispatch. False: nothing now. */
bool wadi_dispatch_next(wadi_dispatch *d, int64_t now_ns, int *out_worker,
                        wadi_dispatch_item *out_item);
/* An item that is given up; -1: none. It is no longer kept. */
int64_t wadi_dispatch_given_up(wadi_dispatch *d);

/* Whether the worker has the item. */
static inline bool wadi_dispatch_holds(const wadi_dispatch_item *i, int worker) {
    for (int k = 0; k < i->holders; k++)
        if (i->holder[k] == worker) return true;
    return false;
}

/* Workers that are ready and not late. */
int wadi_dispatch_workers(const wadi_dispatch *d);
/* Who makes room for another worker. While one is late, this is one who has not said that it is ready, or else a late one. -1: nobody. */
int wadi_dispatch_idle(const wadi_dispatch *d);

#endif
