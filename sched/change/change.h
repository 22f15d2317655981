/* Changes between the bodies of a stream: they turn the elements of a stage's input into the elements that its body sees.
 *
 * A change takes chunks and gives chunks, in order; elements are counted anew on the way. Outgoing chunks refer to incoming
 * ones wherever the layout allows: slices, regular arrays described differently, windows that overlap. A change keeps what
 * must wait for the next chunk: at most one window or one batch, and for ZIP what one input is ahead of the others.
 *
 * A change is a row (row.h); sched/changes.def lists them.
 *
 * A change belongs to one thread. It knows nothing of bodies. So WADI_CHANGE_SCAN leaves elements as they are here; the code that
 * runs the stage turns them into states. */
#ifndef WADI_SCHED_CHANGE_CHANGE_H
#define WADI_SCHED_CHANGE_CHANGE_H

#include "sched/chunk.h"
#include "sched/plan.h"
#include "sched/state.h"

typedef struct wadi_change wadi_change;

typedef struct wadi_change_options {
    wadi_change_kind kind; /* not WADI_CHANGE_READ */
    int inputs;            /* 1, except for ZIP */
    int64_t size,
        first; /* TAKE, DROP, PICK: negative numbers mean 0, and INT64_MAX means no limit; BATCH, WINDOWS: size is at least 1 */
    int64_t hop; /* PICK, WINDOWS: at least 1 */
    wadi_last_window last;
    int places, place; /* of the plan, for faults */
    const wadi_plan_place *table;
    wadi_buffers *buffers;
} wadi_change_options;

/* What one must know of a change to print, check or run a plan. */
typedef struct wadi_change_facts {
    const char *name; /* in a plan's text */
    const char *size,
        *hop; /* how a fault names this number if it is less than 1; NULL: the change has no such number, or it may be anything */
    bool tests; /* it uses component `test` of the input, which follows the parts */
    bool lasts; /* it uses `last` */
    bool
        reads; /* its elements come from sources: the stage has these and no inputs, and the parts are theirs */
    bool folds; /* the stage has a fold `scan`, and the parts are of its state */
    bool keys;  /* the fold has a state for each key, which is component `test` */
    bool
        last; /* its elements come behind the end: component 0 is a key, and the others its state */
    bool
        each; /* what comes of an element depends on it alone, and nothing is kept: chunks may be changed anywhere, and in any order */
} wadi_change_facts;

/* Never NULL. */
const wadi_change_facts *wadi_change_about(wadi_change_kind kind);

WADI_NODISCARD wadi_status wadi_change_create(const wadi_change_options *options, wadi_change **out,
                                              wadi_error *err);
void wadi_change_destroy(wadi_change *c); /* NULL is fine */

/* Takes the next chunk of input `input`: the components that the stage uses, and for FILTER the test behind them. The chunk is borrowed.
 * After a failure, the elements before the one that fails have been taken and will come out. */
WADI_NODISCARD wadi_status wadi_change_put(wadi_change *c, int input, wadi_chunk *chunk,
                                           wadi_error *err);
/* Says, once, that input `input` has ended. */
WADI_NODISCARD wadi_status wadi_change_end(wadi_change *c, int input, wadi_error *err);
/* Gives the next changed elements, at most `most`, with a reference for the caller. *out is NULL if there are none now. */
WADI_NODISCARD wadi_status wadi_change_next(wadi_change *c, int64_t most, wadi_chunk **out,
                                            wadi_error *err);

/* `count` elements were changed elsewhere, by a change of the same kind that is `each`: those that come now are numbered behind them. Returns the
 * number of the first. */
int64_t wadi_change_skip(wadi_change *c, int64_t count);

/* Whether more input can still give more elements. For example, a TAKE that has all of its elements wants no more. */
bool wadi_change_wants(const wadi_change *c);
/* How many elements of input `input` wait for those of other inputs (ZIP). */
int64_t wadi_change_waiting(const wadi_change *c, int input);
/* How many elements of its input the change needs at most to give `need` elements; INT64_MAX: not known. */
int64_t wadi_change_needs(const wadi_change *c, int64_t need);
/* Bytes of what the change keeps. */
int64_t wadi_change_bytes(const wadi_change *c);

/* No change: a chunk of its n elements at the positions `at`, which rise. Errors: WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_change_gather(wadi_chunk *chunk, const int64_t *at, int64_t n,
                                              wadi_chunk **out, wadi_error *err);

/* Appends all that the change keeps, with the elements that are ready. Between two calls of the functions above. Errors: WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_change_save(const wadi_change *c, wadi_text *out, wadi_error *err);
/* Loads the saved state into a change that has just been created with the same options. After a failure the change can only be destroyed.
 * Errors: WADI_INVALID (the state of another change, or of one with other numbers), WADI_IO (damaged), WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_change_load(wadi_change *c, wadi_state_reader *from,
                                            wadi_error *err);

#endif
