/* Of a run that is saved and has sinks that others see at once (wadi_sink.begins): that it has begun. Otherwise a process that is ended before the
 * first saving leaves elements, of which the next one would not know whether they are its own, or of the same run as it was yesterday. With it goes where the sources stood then: elements have the same
 * numbers only from there. */
#ifndef WADI_SCHED_RUN_BEGINNING_H
#define WADI_SCHED_RUN_BEGINNING_H

#include "sched/run.h"
#include "sched/state.h"

/* Whether the run has such a sink. */
bool wadi_beginning_is_needed(const wadi_run *x);
/* Says to the sinks that the run begins. Errors: WADI_IO (no random numbers). */
WADI_NODISCARD wadi_status wadi_beginning_new(wadi_run *x, wadi_error *err);
/* Appends it, when the sinks have met their output. Errors: WADI_IO of the sources. */
WADI_NODISCARD wadi_status wadi_beginning_save(wadi_run *x, wadi_text *out, wadi_error *err);
/* Reads it, and tells the sinks. *out: the bytes of it; borrowed from those of the reader. */
WADI_NODISCARD wadi_status wadi_beginning_load(wadi_run *x, wadi_state_reader *from,
                                               wadi_state_reader *out, wadi_error *err);
/* Takes the sources back to where the run began. Errors: those of their seek. */
WADI_NODISCARD wadi_status wadi_beginning_go_back(wadi_run *x, wadi_state_reader from,
                                                  wadi_error *err);

#endif
