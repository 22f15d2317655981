/* What is delivered between two steps of a stream is part of none: its bytes are counted, and its time is the compute thread's. */
#include "sched/run/stream.h"

wadi_status wadi_run_between_steps(wadi_stream *s,
                                   wadi_status (*what)(wadi_stream *s, wadi_error *err),
                                   wadi_error *err) {
    wadi_run *x = s->x;
    x->crew.out_bytes = 0;
    wadi_meter_busy(&x->meter, WADI_STAGE_COMPUTE);
    const wadi_status status = what(s, err);
    wadi_meter_idle(&x->meter, WADI_STAGE_COMPUTE);
    wadi_mutex_lock(&x->lock);
    x->stats.bytes_out += x->crew.out_bytes;
    wadi_mutex_unlock(&x->lock);
    x->crew.out_bytes = 0;
    return status;
}
