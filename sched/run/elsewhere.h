/* Who computes the body of a stage instead of the compute thread: other devices of this process (team.h), or workers of other processes
 * (far.h). A run has one or the other, or neither. All is called by the compute thread. */
#ifndef WADI_SCHED_RUN_ELSEWHERE_H
#define WADI_SCHED_RUN_ELSEWHERE_H

#include "sched/run/stream.h"

/* Before a chunk of a source, of `count` elements: who computes. */
WADI_NODISCARD wadi_status wadi_elsewhere_next(wadi_stream *s, int64_t count, wadi_error *err);
/* Whether elements of the stage are for others now. */
bool wadi_elsewhere_takes(const wadi_stream *s, int stage);
/* Elements of the stage, which wadi_elsewhere_takes. */
WADI_NODISCARD wadi_status wadi_elsewhere_share(wadi_stream *s, int stage, wadi_chunk *in,
                                                wadi_error *err);
/* The same for elements that change the states of a stage with some for each key. */
bool wadi_elsewhere_takes_states(const wadi_stream *s, int stage);
WADI_NODISCARD wadi_status wadi_elsewhere_share_states(wadi_stream *s, int stage, wadi_chunk *in,
                                                       wadi_error *err);
/* Whether the elements of `stage` that are handed on now have been through `reader` as well, which reads it: what came of them there is handed on
 * next. */
bool wadi_elsewhere_brings(const wadi_stream *s, int stage, int reader);
/* Whether the times of bodies are wanted, and one of them: a chunk, and what came of it. By the compute thread, of stages that it has. */
bool wadi_elsewhere_times(const wadi_stream *s);
void wadi_elsewhere_saw(wadi_stream *s, int stage, wadi_chunk *in, const wadi_chunk *out,
                        int64_t ns);
void wadi_elsewhere_saw_states(wadi_stream *s, int stage, const wadi_chunk *in, int64_t ns);
/* Hands on what is done and in its turn. The compute thread must not be busy, as the meter sees it. */
WADI_NODISCARD wadi_status wadi_elsewhere_poll(wadi_stream *s, wadi_error *err);
/* These hand on all that others have so far: for a compute thread that is busy, or not; and for one that is not. */
WADI_NODISCARD wadi_status wadi_elsewhere_flush(wadi_stream *s, wadi_error *err);
WADI_NODISCARD wadi_status wadi_elsewhere_settle(wadi_stream *s, wadi_error *err);
/* The same as settling, but chunks whose elements may come in any order may stay with workers, if they are little: wadi_far_save has them. */
WADI_NODISCARD wadi_status wadi_elsewhere_rest(wadi_stream *s, wadi_error *err);
/* Whether other trials would disturb. */
bool wadi_elsewhere_tries(wadi_stream *s);
/* The stream is over. What was not handed on is dropped. */
void wadi_elsewhere_close(wadi_stream *s);

#endif
