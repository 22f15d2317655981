/* Values from within a run, as JSON. */
#ifndef WADI_SCHED_WATCH_TAP_H
#define WADI_SCHED_WATCH_TAP_H

#include <stdint.h>

#include "base/text.h"

/* Asks for values of the next chunk at `stage`, as a view calls it, and appends those that were asked for before: {"run", "stage", "sample"}, null if there are
 * none yet. run 0: the first run that has such a stage. Errors: WADI_INVALID (no such run or stage), WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_watch_tap(int64_t run, const char *stage, wadi_text *out,
                                          wadi_error *err);

#endif
