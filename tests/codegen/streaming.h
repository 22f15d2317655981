/* The copies that go past the caches (codegen/rt/stream.h), as each kind of processor has them. */
#ifndef TESTS_CODEGEN_STREAMING_H
#define TESTS_CODEGEN_STREAMING_H

#include <stdint.h>

typedef struct streaming {
    void (*copy)(void *restrict to, const void *restrict from, int64_t bytes);
    int wide; /* bytes that are stored at once; 0: no such stores are known */
} streaming;

/* That of the processor that has been chosen before this is included, behind codegen/rt/stream.h. */
#if defined(WADI_STREAM_WIDE)
#define STREAMING_WIDE WADI_STREAM_WIDE
#else
#define STREAMING_WIDE 0
#endif

extern const streaming streaming_plain, streaming_avx, streaming_avx512;

#endif
