/* Views as metrics for Prometheus. */
#ifndef WADI_SCHED_WATCH_METRICS_H
#define WADI_SCHED_WATCH_METRICS_H

#include "base/text.h"
#include "sched/view.h"

/* Appends the text format, version 0.0.4, of n views. docs/RUNTIME.md lists the names, which stay. */
void wadi_watch_metrics(const wadi_view *views, size_t n, wadi_text *out);

#endif
