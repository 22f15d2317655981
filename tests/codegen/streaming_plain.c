/* With the vectors of 16 bytes that all processors of x86-64 have, unless the whole build is for one that has wider ones; elsewhere whole arrays are copied. */
#include "codegen/rt/stream.h"
#include "tests/codegen/streaming.h"

static void copy(void *restrict to, const void *restrict from, int64_t bytes) {
    wadi_stream(to, from, bytes);
}

const streaming streaming_plain = {copy, STREAMING_WIDE};
