/* A source of given elements that tells its position and can begin at any of them. */
#ifndef TESTS_CONFORMANCE_SEEKABLE_H
#define TESTS_CONFORMANCE_SEEKABLE_H

#include "operators/interp/interp.h"
#include "sched/stream.h"

/* Elements of `parts` arrays each, borrowed. The source of each `number` gives another count of elements at a time. NULL: out of memory. */
wadi_source *seekable_create(const wadi_interp_source *from, int parts, const wadi_part *part,
                             int number);

#endif
