/* The sentences for faults that the interpreter, the checks in kernels and the runtime share. */
#ifndef WADI_BASE_WORDS_H
#define WADI_BASE_WORDS_H

/* These follow what is compared and a colon: "batch: extent 0 of component 1 and that of the first array: 3 and 4 differ". */
#define WADI_SAID_DIFFER "%lld and %lld differ"
#define WADI_SAID_COUNT "%lld is less than 1"
/* What is compared: an array's extent in a batch or a tabulate; the arrays of one expand_seq; the pieces of one windows. */
#define WADI_SAID_FIRST "extent %d of component %d and that of the first array"
#define WADI_SAID_SLICES "extent 0 of components %d and 0"
#define WADI_SAID_SAMPLES "samples of components %d and 0"
/* These are whole sentences. The first is followed by "in dimension 0 of a". */
#define WADI_SAID_NO_ELEMENTS "index %lld, but there are no elements"
#define WADI_SAID_EXTENT "extent %lld is negative in dimension %lld"
#define WADI_SAID_SEGMENT "segment %lld, %lld to %lld, is no part of the extent %lld"
#define WADI_SAID_NO_DIMENSION "the dimension is empty"
#define WADI_SAID_NO_SEGMENT "the segment is empty"

#endif
