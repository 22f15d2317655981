/* What an image is made of, as facts of a saved sum (sched/traits.h): with other ones it would be another image. */
#ifndef WADI_APPS_GRIDDING_FACTS_H
#define WADI_APPS_GRIDDING_FACTS_H

#include "apps/gridding/limits.h"
#include "apps/gridding/options.h"

/* Appends the facts, and ends them. limits: of all visibilities; part: how many are gridded at a time. Errors: of reading the inputs; WADI_MEMORY. */
WADI_NODISCARD wadi_status grid_facts_add(wadi_text *out, const grid_options *o,
                                          const grid_limits *limits, const grid_job *job,
                                          int64_t part, wadi_error *err);

#endif
