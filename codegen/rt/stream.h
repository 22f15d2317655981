/* Stores that go past the caches, for arrays that are larger than these: a processor fetches a line before it writes a part of it, and what is written would only drive
 * out what is read again.
 *
 * A loop computes a stretch of such an array in memory that stays in the nearest cache, which wadi_stream copies to its place. A kernel that does so
 * begins with WADI_STREAMS, which puts a fence wherever it returns: such stores are not in the order of others, and what tells another thread of them is one of these. */
#ifndef WADI_RT_STREAM_H
#define WADI_RT_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WADI_STREAM_LINE = 64 };

#if defined(__x86_64__) && defined(__GNUC__)
/* The widest vectors that there are: a line that is stored as one goes out at once, while one that is stored by parts may have to go before it is whole. */
#if defined(__AVX512F__)
#define WADI_STREAM_WIDE 64
#elif defined(__AVX__)
#define WADI_STREAM_WIDE 32
#else
#define WADI_STREAM_WIDE 16
#endif
typedef long long wadi_stream_part __attribute__((vector_size(WADI_STREAM_WIDE), may_alias));
#if defined(__clang__)
#define WADI_STREAM_PART(to, x) __builtin_nontemporal_store(x, to)
#elif defined(__AVX512F__)
#define WADI_STREAM_PART(to, x) __builtin_ia32_movntdq512(to, x)
#elif defined(__AVX__)
#define WADI_STREAM_PART(to, x) __builtin_ia32_movntdq256(to, x)
#else
#define WADI_STREAM_PART(to, x) __builtin_ia32_movntdq(to, x)
#endif

/* Whether an array of so many bytes is. */
static inline __attribute__((unused)) bool wadi_is_far(int64_t bytes, int64_t far) {
    return far > 0 && bytes >= far;
}

static inline __attribute__((unused)) void wadi_stream_end(const int *unused) {
    (void)unused;
    __builtin_ia32_sfence();
}

#define WADI_STREAMS const int wadi_streams __attribute__((cleanup(wadi_stream_end), unused)) = 0;

/* Copies; whole lines go past the caches. */
static inline __attribute__((unused)) void wadi_stream(void *restrict to, const void *restrict from,
                                                       int64_t bytes) {
    char *at = to;
    const char *x = from;
    const int64_t before = (int64_t)(-(uintptr_t)to % WADI_STREAM_LINE);
    if (before > 0) {
        const int64_t n = before < bytes ? before : bytes;
        __builtin_memcpy(at, x, (size_t)n);
        at += n;
        x += n;
        bytes -= n;
    }
    for (; bytes >= WADI_STREAM_LINE; bytes -= WADI_STREAM_LINE) {
        wadi_stream_part part[WADI_STREAM_LINE / WADI_STREAM_WIDE];
        __builtin_memcpy(part, x, sizeof part);
        for (int k = 0; k < WADI_STREAM_LINE / WADI_STREAM_WIDE; k++)
            WADI_STREAM_PART((wadi_stream_part *)(void *)at + k, part[k]);
        at += WADI_STREAM_LINE;
        x += WADI_STREAM_LINE;
    }
    __builtin_memcpy(at, x, (size_t)bytes);
}
#else
/* No such stores are known here. */
static inline __attribute__((unused)) bool wadi_is_far(int64_t bytes, int64_t far) {
    (void)bytes;
    (void)far;
    return false;
}

#define WADI_STREAMS

static inline __attribute__((unused)) void wadi_stream(void *restrict to, const void *restrict from,
                                                       int64_t bytes) {
    __builtin_memcpy(to, from, (size_t)bytes);
}
#endif

#endif
