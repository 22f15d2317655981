/* Samples as JSON. */
#ifndef WADI_SCHED_WATCH_SAMPLE_H
#define WADI_SCHED_WATCH_SAMPLE_H

#include "base/text.h"
#include "sched/sample.h"

/* Appends {"first", "count", "cut", "parts"} (docs/RUNTIME.md). Values are told as wadi_text_add_json_number says, a complex number as [re, im]. */
void wadi_watch_sample(const wadi_sample *s, wadi_text *out);

#endif
