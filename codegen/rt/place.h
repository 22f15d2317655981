/* Putting those numbers of an array that are kept behind each other, without branches that depend on data.
 *
 * wadi_place_N(to, from, keep, n, room) puts those of from[0 .. n - 1], of N bytes each, with keep[t] = 1 (else 0) to to[0], to[1] and so on. Returns how many are
 * kept. No place from `room` on is written to, and what lies below it behind those that are kept means nothing then.
 *
 * A processor that has an instruction for it takes sixteen numbers at a time, or eight; one with AVX2 and BMI2 takes eight, or four, by computing the
 * permutation. Whole vectors are stored, and the next ones overwrite what is too much. The last few numbers are
 * taken one by one: each is written, and overwritten by the next if it is not kept.
 *
 * Of arrays of 64 bytes, which have as many numbers as that is, there are further functions for N of 4 and 8. wadi_take_N(to, from, n) loads the first n numbers
 * and reads nothing behind them; the others of `to` become 0. wadi_place_front_N(to, from, keep, n) puts those of the first n that
 * are kept, and may write to 64 bytes. WADI_PLACES_WIDE: whether they take several at a time. */
#ifndef WADI_RT_PLACE_H
#define WADI_RT_PLACE_H

#include <stdint.h>

#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__)
typedef char wadi_place_i8x16 __attribute__((vector_size(16)));
typedef long long wadi_place_i64x2 __attribute__((vector_size(16)));
typedef int wadi_place_i32x8 __attribute__((vector_size(32)));
typedef int wadi_place_i32x16 __attribute__((vector_size(64)));
typedef long long wadi_place_i64x8 __attribute__((vector_size(64)));
#if defined(__AVX512F__) && defined(__AVX512VL__) && defined(__AVX512BW__)
#define WADI_PLACE_BY_MASK
#elif defined(__AVX2__) && defined(__BMI2__) && defined(__POPCNT__)
#define WADI_PLACE_BY_ORDER
#endif
#endif

#if defined(WADI_PLACE_BY_MASK)
#define WADI_PLACES_WIDE 1
#else
#define WADI_PLACES_WIDE 0
#endif

/* Each stores some numbers of a vector that begins at `from`, and gives how many are kept. */
#if defined(WADI_PLACE_BY_MASK)
enum { WADI_PLACE_WIDE_4 = 16, WADI_PLACE_WIDE_8 = 8 };

static inline __attribute__((always_inline, unused)) int
wadi_place_wide_4(char *to, const char *from, const uint8_t *keep) {
    wadi_place_i8x16 k;
    wadi_place_i32x16 x;
    __builtin_memcpy(&k, keep, sizeof k);
    __builtin_memcpy(&x, from, sizeof x);
    const unsigned short mask = __builtin_ia32_ptestmb128(k, k, (unsigned short)-1);
    x = __builtin_ia32_compresssi512_mask(x, x, mask);
    __builtin_memcpy(to, &x, sizeof x);
    return __builtin_popcount(mask);
}

static inline __attribute__((always_inline, unused)) int
wadi_place_wide_8(char *to, const char *from, const uint8_t *keep) {
    long long bytes;
    wadi_place_i64x8 x;
    __builtin_memcpy(&bytes, keep, sizeof bytes);
    __builtin_memcpy(&x, from, sizeof x);
    const wadi_place_i8x16 k = (wadi_place_i8x16)(wadi_place_i64x2){bytes, 0};
    const unsigned char mask = (unsigned char)__builtin_ia32_ptestmb128(k, k, (unsigned short)-1);
    x = __builtin_ia32_compressdi512_mask(x, x, mask);
    __builtin_memcpy(to, &x, sizeof x);
    return __builtin_popcount(mask);
}
#elif defined(WADI_PLACE_BY_ORDER)
enum { WADI_PLACE_WIDE_4 = 8, WADI_PLACE_WIDE_8 = 4 };

/* Byte t of `order` says which 32 bits come to place t. */
static inline __attribute__((always_inline, unused)) void
wadi_place_in_order(char *to, const char *from, unsigned long long order) {
    const wadi_place_i8x16 bytes = (wadi_place_i8x16)(wadi_place_i64x2){(long long)order, 0};
    wadi_place_i32x8 x;
    __builtin_memcpy(&x, from, sizeof x);
    x = __builtin_ia32_permvarsi256(x, __builtin_ia32_pmovzxbd256(bytes));
    __builtin_memcpy(to, &x, sizeof x);
}

static inline __attribute__((always_inline, unused)) int
wadi_place_wide_4(char *to, const char *from, const uint8_t *keep) {
    unsigned long long k;
    __builtin_memcpy(&k, keep, sizeof k);
    wadi_place_in_order(to, from, __builtin_ia32_pext_di(0x0706050403020100, k * 0xff));
    return __builtin_popcountll(k);
}

static inline __attribute__((always_inline, unused)) int
wadi_place_wide_8(char *to, const char *from, const uint8_t *keep) {
    unsigned k;
    __builtin_memcpy(&k, keep, sizeof k);
    const unsigned long long pairs = __builtin_ia32_pdep_di(k, 0x00ff00ff00ff00ff);
    wadi_place_in_order(to, from, __builtin_ia32_pext_di(0x0706050403020100, pairs * 0xffff));
    return __builtin_popcount(k);
}
#endif

/* The first n of 64 bytes. */
#if defined(WADI_PLACE_BY_MASK)
static inline __attribute__((always_inline, unused)) void wadi_take_4(void *to, const void *from,
                                                                      int64_t n) {
    const unsigned short mask = (unsigned short)((1u << n) - 1);
    const wadi_place_i32x16 x =
        __builtin_ia32_loaddqusi512_mask(from, (wadi_place_i32x16){0}, mask);
    __builtin_memcpy(to, &x, sizeof x);
}

static inline __attribute__((always_inline, unused)) void wadi_take_8(void *to, const void *from,
                                                                      int64_t n) {
    const unsigned char mask = (unsigned char)((1u << n) - 1);
    const wadi_place_i64x8 x = __builtin_ia32_loaddqudi512_mask(from, (wadi_place_i64x8){0}, mask);
    __builtin_memcpy(to, &x, sizeof x);
}

static inline __attribute__((always_inline, unused)) int64_t
wadi_place_front_4(void *to, const void *from, const uint8_t *keep, int64_t n) {
    wadi_place_i8x16 k;
    wadi_place_i32x16 x;
    __builtin_memcpy(&k, keep, sizeof k);
    __builtin_memcpy(&x, from, sizeof x);
    const unsigned mask =
        __builtin_ia32_ptestmb128(k, k, (unsigned short)-1) & (unsigned short)((1u << n) - 1);
    x = __builtin_ia32_compresssi512_mask(x, x, (unsigned short)mask);
    __builtin_memcpy(to, &x, sizeof x);
    return __builtin_popcount(mask);
}

static inline __attribute__((always_inline, unused)) int64_t
wadi_place_front_8(void *to, const void *from, const uint8_t *keep, int64_t n) {
    long long bytes;
    wadi_place_i64x8 x;
    __builtin_memcpy(&bytes, keep, sizeof bytes);
    __builtin_memcpy(&x, from, sizeof x);
    const wadi_place_i8x16 k = (wadi_place_i8x16)(wadi_place_i64x2){bytes, 0};
    const unsigned mask =
        __builtin_ia32_ptestmb128(k, k, (unsigned short)-1) & (unsigned char)((1u << n) - 1);
    x = __builtin_ia32_compressdi512_mask(x, x, (unsigned char)mask);
    __builtin_memcpy(to, &x, sizeof x);
    return __builtin_popcount(mask);
}
#else
#define WADI_TAKE(N)                                                                           \
    static inline __attribute__((always_inline, unused)) void wadi_take_##N(                   \
        void *to, const void *from, int64_t n) {                                               \
        for (int64_t t = 0; t < 64 / N; t++) {                                                 \
            if (t < n)                                                                         \
                __builtin_memcpy((char *)to + t * N, (const char *)from + t * N, N);           \
            else                                                                               \
                __builtin_memset((char *)to + t * N, 0, N);                                    \
        }                                                                                      \
    }                                                                                          \
    static inline __attribute__((always_inline, unused))                                       \
    int64_t wadi_place_front_##N(void *to, const void *from, const uint8_t *keep, int64_t n) { \
        int64_t kept = 0;                                                                      \
        for (int64_t t = 0; t < n; t++) {                                                      \
            __builtin_memcpy((char *)to + kept * N, (const char *)from + t * N, N);            \
            kept += keep[t];                                                                   \
        }                                                                                      \
        return kept;                                                                           \
    }
WADI_TAKE(4)
WADI_TAKE(8)
#endif

#if defined(WADI_PLACE_BY_MASK) || defined(WADI_PLACE_BY_ORDER)
/* Where there is no room for a whole vector, it waits in a place of its own, and what is kept of it is copied. */
#define WADI_PLACE_WIDE(N)                                                          \
    for (; t + WADI_PLACE_WIDE_##N <= n; t += WADI_PLACE_WIDE_##N) {                \
        char own[WADI_PLACE_WIDE_##N * N];                                          \
        const int fits = kept + WADI_PLACE_WIDE_##N <= room;                        \
        const int more = wadi_place_wide_##N(fits ? (char *)to + kept * N : own,    \
                                             (const char *)from + t * N, keep + t); \
        for (int e = 0; !fits && e < more && kept + e < room; e++)                  \
            __builtin_memcpy((char *)to + (kept + e) * N, own + e * N, N);          \
        kept += more;                                                               \
    }
#else
#define WADI_PLACE_WIDE(N)
#endif

#define WADI_PLACE(N, wide)                                                             \
    static inline __attribute__((unused))                                               \
    int64_t wadi_place_##N(void *restrict to, const void *restrict from,                \
                           const uint8_t *restrict keep, int64_t n, int64_t room) {     \
        int64_t t = 0, kept = 0;                                                        \
        wide for (; t < n; t++) {                                                       \
            if (kept < room)                                                            \
                __builtin_memcpy((char *)to + kept * N, (const char *)from + t * N, N); \
            kept += keep[t];                                                            \
        }                                                                               \
        return kept;                                                                    \
    }

WADI_PLACE(1, )
WADI_PLACE(2, )
WADI_PLACE(4, WADI_PLACE_WIDE(4))
WADI_PLACE(8, WADI_PLACE_WIDE(8))
WADI_PLACE(16, )

#endif
