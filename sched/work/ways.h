/* The ways for items of work to reach another process. The scheme of an address ("tcp" in tcp://HOST:PORT) names the row, and the row says
 * the rest.
 *
 * A new way is a file beside this one, which defines its row `wadi_way_NAME`, and its line in the list below. */
#ifndef WADI_SCHED_WORK_WAYS_H
#define WADI_SCHED_WORK_WAYS_H

#include "sched/work/queue.h"

struct wadi_text;

typedef struct wadi_workq_options {
    const char *address; /* of a way in the table */
    bool home;           /* this is the home of the job; false: a worker */
    int64_t
        memory; /* home: bytes of items that the queue keeps at most; an item that is larger is kept alone */
    int seats; /* home over ZeroMQ: workers at most; 0: as many as there can be (sched/work/dispatch.h) */
    int64_t lost_after_ns; /* worker: it is an error to have no home for so long; 0: no limit */
    int64_t
        hangs_after_ns; /* worker: an item that takes longer, and much longer than usual, goes to others, too; 0: it does not. Over ZeroMQ home decides that */
    int64_t
        silent_ns; /* over ZeroMQ: how long the other side may be silent before it counts as lost; 0: for ever. What the address says */
    int wake_fd;   /* as in wadi_workq */
    wadi_waits *waits;                                      /* as in wadi_workq */
    const char *curve_public, *curve_secret, *curve_server; /* Z85; NULL: none */
    const char *const *curve_clients;                       /* ended by NULL */
    /* home: ends the run when that is asked for from outside; from any thread. False, or NULL: it cannot be. */
    bool (*drain)(void *env);
    /* home: appends what `wadi top` shows of the run, as sched/watch/answer.h says; from any thread. NULL: nothing is told. Errors: WADI_INVALID, WADI_MEMORY. */
    wadi_status (*tell)(void *env, const char *asked, wadi_text *out, wadi_error *err);
    void *env;
    /* home: adds the reply to what a worker asks for (wadi_workq_ops.ask), of about `most` bytes; from any thread. Never waits. NULL: nothing can be asked for. */
    void (*kernels)(void *kernels_env, const char *what, int64_t most, struct wadi_text *out);
    void *kernels_env;
} wadi_workq_options;

typedef struct wadi_way {
    const char *scheme; /* "tcp": its addresses begin with tcp:// */
    const char *form;   /* "tcp://HOST:PORT", for messages */
    /* Checks that the address, which begins with the scheme, has this form. Errors: WADI_INVALID, which says what is missing. */
    wadi_status (*check)(const char *address, wadi_error *err);
    /* Opens one end. The address has been checked. */
    wadi_status (*open)(const wadi_workq_options *options, wadi_workq **out, wadi_error *err);
} wadi_way;

/* One line for each way. Messages name them in this order. */
#define WADI_WAYS(ROW) \
    ROW(tcp)           \
    ROW(ipc)           \
    ROW(nats)

#define WADI_WAY_ROW(name) extern const wadi_way wadi_way_##name;
WADI_WAYS(WADI_WAY_ROW)
#undef WADI_WAY_ROW

/* Opens one end by the way of the address. The strings of the options are copied. A home is there at once; a worker may be there before
 * its home. Errors: WADI_INVALID (address, keys; it says what is
 * missing, or which forms of addresses there are), WADI_UNSUPPORTED (a library is missing), WADI_IO, WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_way_open(const wadi_workq_options *options, wadi_workq **out,
                                         wadi_error *err);

#endif
