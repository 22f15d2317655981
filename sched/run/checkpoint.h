/* A run that goes on after its process was ended: what it needs for that is kept in a folder (base/kept_folder.h).
 *
 * The state is replaced now and then, between two chunks. It holds what the run is of (checkpoint_of.c), the place of
 * each sink of the stream at work, and the stream (saved.c). The run whose first command it is finds it, and goes on from there. Of phases
 * before that stream nothing is kept: they run again, and give what they gave. When the run has ended well, the state is removed. */
#ifndef WADI_SCHED_RUN_CHECKPOINT_H
#define WADI_SCHED_RUN_CHECKPOINT_H

#include "base/text.h"
#include "sched/run/stream.h"

typedef struct wadi_checkpoint wadi_checkpoint;

/* Of a run with the option `state`, when it is made: it will be saved. Errors: WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_checkpoint_create(wadi_run *x, wadi_error *err);
/* Before the run begins, with all bound: opens the folder, and reads what is there. Errors: WADI_IO (folder or file; another process uses
 * it), WADI_INVALID (it is of something else), WADI_UNSUPPORTED (a sink cannot go on, a source cannot go back). */
WADI_NODISCARD wadi_status wadi_checkpoint_open(wadi_run *x, wadi_error *err);
/* Whether the sink can go on in a run that is saved, with the order in which its elements come: the other end of a link knows them by their numbers,
 * and behind the last saving a run that goes on may give the same numbers to others. */
bool wadi_checkpoint_suits(const wadi_binding *b);
/* Whether the run has been saved, by this process or an earlier one. */
bool wadi_checkpoint_exists(const wadi_run *x);
/* The run is over. well: what was kept is removed. */
void wadi_checkpoint_close(wadi_run *x, bool well);
void wadi_checkpoint_destroy(wadi_run *x);

/* ---- guarantee.c ---- */

/* Errors: WADI_UNSUPPORTED if the run gives less than it was asked for; the message says why. */
WADI_NODISCARD wadi_status wadi_run_check_guarantee(wadi_run *x, wadi_error *err);

/* ---- checkpoint_of.c ---- */

/* Appends what the run is of (sched/traits.h): the version, the program, how it computes, the inputs, the data of its sources, and the form of its outputs.
 * *out_older: so many bytes are of what states always had; older ones have nothing of the outputs. */
wadi_status wadi_checkpoint_describe(const wadi_run *x, wadi_text *out, size_t *out_older,
                                     wadi_error *err);

#endif
