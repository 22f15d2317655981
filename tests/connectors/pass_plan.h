/* A plan that passes elements from a source "in" to a sink "out" unchanged: one part of rank `rank`. */
#ifndef WADI_TESTS_CONNECTORS_PASS_PLAN_H
#define WADI_TESTS_CONNECTORS_PASS_PLAN_H

#include "sched/run.h"

/* Runs it; the status and error are the run's. */
wadi_status pass_through(wadi_source *in, wadi_sink *out, wadi_type type, int rank, int64_t chunk,
                         wadi_error *err);

/* Passes `planes` planes of h x w values, an element each; destroys `out`. */
wadi_status pass_planes(wadi_sink *out, wadi_type type, int64_t planes, int64_t h, int64_t w,
                        const void *values, wadi_error *err);

#endif
