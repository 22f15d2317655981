/* A view as JSON. */
#ifndef WADI_SCHED_WATCH_JSON_H
#define WADI_SCHED_WATCH_JSON_H

#include "base/text.h"
#include "sched/view.h"

/* Appends an object. docs/RUNTIME.md lists its members, whose names stay. */
void wadi_watch_json(const wadi_view *v, wadi_text *out);

#endif
