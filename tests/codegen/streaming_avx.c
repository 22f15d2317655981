/* With the instructions of AVX. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#pragma GCC target("avx")
#endif
#include "codegen/rt/stream.h"
#include "tests/codegen/streaming.h"

static void copy(void *restrict to, const void *restrict from, int64_t bytes) {
    wadi_stream(to, from, bytes);
}

const streaming streaming_avx = {copy, STREAMING_WIDE};
