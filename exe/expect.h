/* What a run is expected to do, as text. */
#ifndef WADI_EXE_EXPECT_H
#define WADI_EXE_EXPECT_H

#include "base/text.h"

struct wadi_exe;

/** Adds the section "expected": the schedule of each body, and the chunk. forced: a schedule, or -1. extents: "n=100,xs.0=3", or NULL. */
void wadi_exe_foresee(const struct wadi_exe *exe, int forced, const char *extents, wadi_text *t);

#endif
