/* Runs that get a part of a stream which several processes share. */
#ifndef WADI_SCHED_RUN_PARTS_H
#define WADI_SCHED_RUN_PARTS_H

#include "sched/run/state.h"

/* Whether what comes of the stage is handed on as it comes. A home on trial may begin again, and that needs the order. So do parts: whoever gathers them has room for what comes
 * in turn. */
bool wadi_run_mixes(const wadi_run *x, const wadi_plan_stream *s, int stage);
/* Whether the program gives one element for each, by itself: then no part lacks what another process has. Binds the sink to its source. Errors: WADI_UNSUPPORTED, which
 * names the place in the program, or the option. */
WADI_NODISCARD wadi_status wadi_run_check_parts(wadi_run *x, wadi_error *err);
/* The sink has taken the chunk: the source is told, if these are elements of a part and the sink does not tell it itself. */
void wadi_run_settle_part(wadi_sink *sink, const wadi_chunk *c);
/* The sink has got all, and knows that: the source of a part is told. */
void wadi_run_end_part(wadi_sink *sink);

#endif
