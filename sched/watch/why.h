/* Why a run goes no faster, or not at all. */
#ifndef WADI_SCHED_WATCH_WHY_H
#define WADI_SCHED_WATCH_WHY_H

#include "base/text.h"
#include "sched/view.h"

/* Appends a sentence: who waits for whom and since when, or who sets the pace. */
void wadi_watch_why(const wadi_view *v, wadi_text *out);

#endif
