/* Where the time of one thread of a run goes.
 *
 * The thread always charges one account: what it was told last. Switching from one to another reads the clock once, so the accounts of a
 * thread add up to its time. Each thread that computes has a profile of its own, which it finds without being passed it; without one
 * all calls do nothing. */
#ifndef WADI_SCHED_PROFILE_H
#define WADI_SCHED_PROFILE_H

#include "base/pool.h"
#include "sched/plan.h"
#include "sched/trace.h"
#include "wadi/profile.h"

typedef struct wadi_account {
    int64_t ns;      /* of the thread */
    int64_t busy_ns; /* of the device's workers */
    int64_t calls, elements, read, written;
    double operations[2]; /* of numbers below 8 bytes, and of others */
} wadi_account;

/* A version's accounts, one for each step. */
typedef struct wadi_profiled {
    const wadi_plan_version *version; /* NULL: it never ran */
    wadi_account *step;               /* [nsteps] */
} wadi_profiled;

typedef struct wadi_profile {
    const wadi_plan *plan;
    char device[64];
    bool beside;
    wadi_account of[WADI_PROFILE_KIND_COUNT]; /* what is no step of a version */
    wadi_profiled *version;                   /* [nbodies][WADI_BODY_VERSIONS] */
    wadi_account *at;                         /* charged now */
    int64_t since_ns;
    int64_t busy_ns;          /* of workers, charged so far */
    bool used;                /* by a thread now */
    wadi_trace *trace;        /* NULL: nothing is traced */
    wadi_trace_lane *lane;    /* its accounts are traced; NULL: they are not */
    wadi_trace_lane **worker; /* [workers], of the device */
    int workers;
    int64_t turn; /* of loops that workers share, so far */
    struct wadi_profile *next;
} wadi_profile;

/* A profile that charges REST from now on, if a thread begins with it. NULL: out of memory. */
wadi_profile *wadi_profile_create(const wadi_plan *plan, const char *device, bool beside);
void wadi_profile_destroy(wadi_profile *owned_p);

/* The calling thread, which charges nobody, charges p from now on; NULL: nobody. */
void wadi_profile_begin(wadi_profile *p);
/* It charges nobody from now on. */
void wadi_profile_end(void);
/* Around a run within a run: what happens in between is charged to the account that is charged now, and to no step. */
wadi_profile *wadi_profile_put_aside(void);
void wadi_profile_take_up(wadi_profile *p);
/* The profile of the calling thread; NULL: it has none. */
wadi_profile *wadi_profile_now(void);

/* Charges `to` from now on. Returns what was charged before. p is the calling thread's. */
wadi_account *wadi_profile_switch(wadi_profile *p, wadi_account *to);
/* Since when it does: for a span around what is charged until wadi_profile_span. Both do nothing without a trace. */
int64_t wadi_profile_span_begins(void);
void wadi_profile_span(const char *name, int64_t begin_ns, int64_t elements);
/* The same for what is no step, whether the thread has a profile or not; wadi_profile_back undoes it. */
wadi_account *wadi_profile_charge(wadi_profile_kind kind);
void wadi_profile_back(wadi_account *before);
/* wadi_pool_for on the pool of a device. With a trace, each of its workers has a lane, with a span for each loop that it takes part in, named as what the calling thread
 * charges. */
void wadi_profile_pool_for(wadi_pool *pool, int64_t n, int64_t grain, wadi_pool_fn fn, void *env);
/* The accounts of a version's steps; NULL: out of memory. */
wadi_account *wadi_profile_steps(wadi_profile *p, int body, wadi_version_key version,
                                 const wadi_plan_version *v);

/* What rows are made of. */
typedef struct wadi_profile_rows {
    wadi_profile_row *at;
    const wadi_account **account; /* [n] that each is of; NULL: none */
    int n, room;
    wadi_arena *arena; /* of their texts */
    bool failed;
} wadi_profile_rows;

/* Adds a row for each account of p that was charged (profile_rows.c). */
void wadi_profile_add_rows(const wadi_profile *p, wadi_profile_rows *rows);
void wadi_profile_add_row(wadi_profile_rows *rows, const wadi_profile_row *row,
                          const wadi_account *of);

#endif
