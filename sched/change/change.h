/* Changes between the bodies of a stream: they turn the elements of a stage's input into the elements that its body sees.
 *
 * A change takes chunks and gives chunks, in order; elements are counted anew on the way. Outgoing chunks refer to incoming
 * ones wherever the layout allows: slices, regular arrays described differently, windows that overlap. A change keeps what
 * must wait for the next chunk: at most one window or one batch, and for ZIP what one input is ahead of the others.
 *
 * A change is a row (row.h); sched/changes.def lists them.
 *
 * A change belongs to one thread. It knows nothing of bodies: WADI_CHANGE_SCAN leaves elements as they are here, and whoever
 * runs the stage turns them into states. */
#ifndef WADI_SCHED_CHANGE_CHANGE_H
#define WADI_SCHED_CHANGE_CHANGE_H

#include "sched/chunk.h"
#include "sched/plan.h"
#include "sched/state.h"

typedef struct wadi_change wadi_change;

typedef struct wadi_change_options {
    wadi_change_kind kind; /* not WADI_CHANGE_READ */
    int inputs;            /* 1, but for ZIP */
    int64_t size,
        first; /* TAKE, DROP, PICK: below 0 is 0, and INT64_MAX no limit; BATCH, WINDOWS: size is at least 1 */
    int64_t hop; /* PICK, WINDOWS: at least 1 */
    wadi_last_window last;
    int places, place; /* of the plan, for faults */
    const wadi_plan_place *table;
    wadi_buffers *buffers;
} wadi_change_options;

/* What whoever prints, checks or runs a plan must know of a change. */
typedef struct wadi_change_facts {
    const char *name; /* in a plan's text */
    const char *size,
        *hop; /* what a fault calls a number that is less than 1; NULL: there is none, or any will do */
    bool tests; /* takes component `test` of the input, which comes behind the parts */
    bool lasts; /* goes by `last` */
} wadi_change_facts;

/* Never NULL. */
const wadi_change_facts *wadi_change_about(wadi_change_kind kind);

WADI_NODISCARD wadi_status wadi_change_create(const wadi_change_options *options, wadi_change **out,
                                              wadi_error *err);
void wadi_change_destroy(wadi_change *c); /* NULL is fine */

/* The next chunk of input `input`: the components the stage has a use for, and for FILTER the test behind them. Borrowed.
 * On failure the elements before the one that fails have been taken and come out. */
WADI_NODISCARD wadi_status wadi_change_put(wadi_change *c, int input, wadi_chunk *chunk,
                                           wadi_error *err);
/* Input `input` has ended; once. */
WADI_NODISCARD wadi_status wadi_change_end(wadi_change *c, int input, wadi_error *err);
/* The next changed elements, at most `most` of them, with a reference for the caller; NULL: there are none now. */
WADI_NODISCARD wadi_status wadi_change_next(wadi_change *c, int64_t most, wadi_chunk **out,
                                            wadi_error *err);

/* Whether more input can still make a difference. */
bool wadi_change_wants(const wadi_change *c);
/* Elements of input `input` that wait for those of others (ZIP). */
int64_t wadi_change_waiting(const wadi_change *c, int input);
/* Of how many elements of its input the change needs no more than the first, when `need` of its own are wanted;
 * INT64_MAX: nobody knows. */
int64_t wadi_change_needs(const wadi_change *c, int64_t need);
/* Bytes of what is kept. */
int64_t wadi_change_bytes(const wadi_change *c);

/* Appends all that the change keeps, its elements that are ready included: between two calls of the others. Errors: WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_change_save(const wadi_change *c, wadi_text *out, wadi_error *err);
/* Makes a change that has just been created, with the same options, what the saved one was. After a failure it can only be destroyed.
 * Errors: WADI_INVALID (it was another change, or other numbers), WADI_IO (damaged), WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_change_load(wadi_change *c, wadi_state_reader *from,
                                            wadi_error *err);

#endif
