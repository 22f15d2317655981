/* Sinks that know of a saved run only how many elements were put: what they send lasts elsewhere, and is found again by its number. */
#ifndef WADI_CONNECTORS_COUNTED_H
#define WADI_CONNECTORS_COUNTED_H

#include "sched/stream.h"

/* Such a sink begins with this. */
typedef struct wadi_counted_sink {
    wadi_sink base;
    int64_t elements; /* put, also by an earlier process */
} wadi_counted_sink;

/* Operations of wadi_sink_ops. */
wadi_status wadi_counted_have(wadi_sink *self, wadi_position *out, wadi_error *err);
wadi_status wadi_counted_last(wadi_sink *self, wadi_error *err);
wadi_status wadi_counted_go_on(wadi_sink *self, wadi_position behind, bool ended, wadi_error *err);

#endif
