/* Elements of some keys, and the states of these, at a worker. */
#ifndef WADI_SCHED_RUN_SERVE_KEYED_H
#define WADI_SCHED_RUN_SERVE_KEYED_H

#include "sched/run/stream.h"

/* Whether the first states of the stage are there, as far as somebody has sent them. */
bool wadi_serve_has_states(const wadi_stream *s, int stage);
/* The elements change the states, one for each key that they have, in the order in which the keys first come. *out: what comes of the elements behind the
 * body of the stage; NULL: nothing before the end. *after: the states then. Both with a reference for the caller. Errors: those of the program and of the device, WADI_IO (these
 * are other states), WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_serve_keyed(wadi_stream *s, int stage, wadi_crew *crew,
                                            wadi_chunk *in, const wadi_chunk *states,
                                            wadi_chunk **out, wadi_chunk **after, wadi_error *err);

#endif
