/* An engine (engine.h), as text: plain.c and avx512.c each compile it. Rows become unsigned numbers of the same order, which are sorted (rows.h) and
 * afterwards are numbers again. Positions are sorted as numbers that hold a key, or its highest bits, and the position below it. */
#include "sched/radix/engine.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

enum {
    DIGITS = 2048,
    TOP = 6, /* bits of the first digit of long rows: its places are few pages */
    MOST = 1 << TOP,
    FEW = 4,           /* so many numbers are sorted by insertion */
    SHORT = 24,        /* so many by counting */
    CACHED = 1 << 14,  /* rows up to this length are sorted where they go */
    PARTED = 1 << 23,  /* numbers that are parted by pivots, where that is fast */
    COUNTED = 1 << 15, /* rows of 16 bits from this length on are counted */
    VALUES = 16,       /* so few different keys are counted */
    SAMPLE = 1024,     /* keys that say which digits are likely */
    PARTS = 64,        /* pieces that workers share where runs of equal numbers must stay whole */
    GROUP = 64,        /* keys that are passed over if none is wanted */
    BATCH = 512,       /* keys that are computed before they are counted or placed */
    BLOCK = 1 << 15    /* elements that a worker converts at once */
};

/* ---- digits ---- */

static int bits_of(uint64_t x) {
    return x == 0 ? 0 : 64 - __builtin_clzll(x);
}

/* So many that about two elements have one digit: 3 to 11. */
static int digit_bits(int64_t n) {
    const int bits = bits_of((uint64_t)n) - 2;
    return bits < 3 ? 3 : bits > 11 ? 11 : bits;
}

static int shift_of(uint64_t range, int bits) {
    const int n = bits_of(range);
    return n > bits ? n - bits : 0;
}

/* ---- numbers without sign ---- */

#ifdef LANES
#include <immintrin.h>
#ifdef __clang__
#define UNROLL _Pragma("unroll")
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif
#define EXCLUSIVE 0x96 /* of three bits */
#define ALWAYS static inline __attribute__((always_inline))

/* For each mask of 8 lanes, a byte each: its lanes, and then the others. */
static uint64_t lanes_first[256];

static void fill_lanes_first(void) {
    for (unsigned mask = 0; mask < 256; mask++)
        for (unsigned lane = 0, in = 0, out = (unsigned)__builtin_popcount(mask); lane < 8; lane++)
            lanes_first[mask] |= (uint64_t)lane << 8 * (mask >> lane & 1 ? in++ : out++);
}

/* The lanes of the mask, and then the others. */
ALWAYS __m512i parted_u64(__m512i v, __mmask8 mask) {
    const __m128i order = _mm_loadl_epi64((const __m128i *)(const void *)&lanes_first[mask]);
    return _mm512_permutexvar_epi64(_mm512_cvtepu8_epi64(order), v);
}

ALWAYS __m512i parted_u32(__m512i v, __mmask16 mask) {
    const __mmask16 others = (__mmask16)~mask;
    const unsigned after = 0xffffu << __builtin_popcount(mask);
    return _mm512_mask_expand_epi32(_mm512_maskz_compress_epi32(mask, v), (__mmask16)after,
                                    _mm512_maskz_compress_epi32(others, v));
}
#endif

#define ELEMENT uint16_t
#define KEYS uint32_t
#define NAMED(f) f##_u16
#include "sched/radix/by_digits.h"
#include "sched/radix/by_counting.h"
#undef ELEMENT
#undef KEYS
#undef NAMED

#define ELEMENT uint32_t
#define KEYS uint32_t
#define NAMED(f) f##_u32
#include "sched/radix/by_digits.h"
#ifdef LANES
#define LANE 16
#define MASK __mmask16
#define LANE_TYPE int
#define NUMBERS _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define I(f) _mm512_##f##_epi32
#define U(f) _mm512_##f##_epu32
#define U_MASK(f) _mm512_##f##_epu32_mask
#include "sched/radix/by_lanes.h"
#else
#include "sched/radix/by_counting.h"
#endif
#undef ELEMENT
#undef KEYS
#undef NAMED

#define ELEMENT uint64_t
#define KEYS uint64_t
#define NAMED(f) f##_u64
#include "sched/radix/by_digits.h"
#ifdef LANES
#define LANE 8
#define MASK __mmask8
#define LANE_TYPE long long
#define NUMBERS _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0)
#define I(f) _mm512_##f##_epi64
#define U(f) _mm512_##f##_epu64
#define U_MASK(f) _mm512_##f##_epu64_mask
#include "sched/radix/by_lanes.h"
#else
#include "sched/radix/by_counting.h"
#endif
#undef ELEMENT
#undef KEYS
#undef NAMED

/* Sorts n numbers of `a` into `b` (`move`), or in place; both are overwritten. */
typedef struct kind {
    size_t size;
    void (*sort)(void *a, void *b, int64_t n, bool move);
} kind;

static void sort_16(void *a, void *b, int64_t n, bool move) {
    sort_u16(a, b, n, move);
}

static void sort_32(void *a, void *b, int64_t n, bool move) {
    sort_u32(a, b, n, move);
}

static void sort_64(void *a, void *b, int64_t n, bool move) {
    sort_u64(a, b, n, move);
}

static const kind kind_16 = {2, sort_16}, kind_32 = {4, sort_32}, kind_64 = {8, sort_64};

/* ---- rows as keys ---- */

typedef struct span {
    int64_t begin;
    uint64_t low, high, first, last; /* keys */
    bool rising, falling;            /* each not less, or each less than the one before */
    bool minus;                      /* a -0 is there */
} span;

/* Of some chunk, how often each of a few keys is there. */
typedef struct tally {
    int64_t count[VALUES];
    bool minus; /* a -0 is there */
} tally;

typedef struct source source;

typedef struct job {
    const source *source;
    const kind *kind; /* of the numbers that are sorted */
    const void *from; /* [n] */
    void *to, *room;  /* [n] of that kind; `to` may be `from` */
    int64_t n;
    uint64_t flip; /* the sign bit of integers that have one */
    uint64_t low;  /* the least key */
    /* A digit is the distance of the key from `first`, shifted; what is below or beyond has the first or last digit. */
    uint64_t first;
    int shift;
    int64_t digits;
    bool
        packed; /* the number is a key without its lowest `drop` bits, and the position in `bits` bits below it */
    int drop, bits;
    bool again; /* it is a digit of a long row */
    wadi_pool *pool;
    int64_t chunks;
    int values;             /* of a row with so few different keys */
    uint64_t value[VALUES]; /* rising */
    tally *tally;           /* [chunks] */
    span *span;             /* [chunks] */
    int64_t *at;            /* [chunks][MOST] */
    int64_t *end;           /* [digits] */
    int64_t large;          /* digits of so many numbers are shared, too */
} job;

struct source {
    /* What there is in begin < end, and how often each digit (`count` NULL: not that). */
    void (*look)(const job *j, int64_t begin, int64_t end, span *out, int64_t *count);
    /* Numbers to their places in `room`; at[digit] is where the next one with that digit goes. */
    void (*place)(const job *j, int64_t begin, int64_t end, int64_t *at);
    void (*place_packed)(const job *j, int64_t begin, int64_t end, int64_t *at);
    /* All numbers, as they are, to `to`. */
    void (*keys)(const job *j);
    void (*pack)(const job *j);
    /* Keys in `to` become elements again. */
    void (*restore)(const job *j, int64_t begin, int64_t end);
    uint64_t (*key)(const job *j, int64_t i);
    /* Adds to how often each of the job's values is there; not for bytes. */
    void (*tally)(const job *j, int64_t begin, int64_t end, tally *t);
    /* How many keys are at most the pivot; and where, with their elements to elements[first], .. */
    int64_t (*below)(const job *j, int64_t begin, int64_t end, uint64_t pivot);
    void (*collect)(const job *j, int64_t begin, int64_t end, uint64_t pivot, int64_t *at,
                    void *elements, int64_t first);
    /* Elements with this key to [begin, end) of `to`. */
    void (*spread)(const job *j, int64_t begin, int64_t end, uint64_t key);
};

static const uint32_t sign32 = (uint32_t)1 << 31;
static const uint64_t sign64 = (uint64_t)1 << 63;

/* Of a float's bits: -0 becomes +0, and NaN the greatest key. Without conditions, loops of it are vectorised. */
static inline uint32_t key_of_f32(uint32_t b, uint32_t flip) {
    WADI_UNUSED(flip);
    const uint32_t x = b & (0 - (uint32_t)(b != sign32)), k = x ^ ((0 - (x >> 31)) | sign32);
    return k | (0 - (uint32_t)(b << 1 > 0xff000000u));
}

static inline uint64_t key_of_f64(uint64_t b, uint64_t flip) {
    WADI_UNUSED(flip);
    const uint64_t x = b & (0 - (uint64_t)(b != sign64)), k = x ^ ((0 - (x >> 63)) | sign64);
    return k | (0 - (uint64_t)(b << 1 > 0xffe0000000000000u));
}

static inline uint32_t bits_of_f32(uint32_t k, uint32_t flip) {
    WADI_UNUSED(flip);
    return k >> 31 != 0 ? k ^ sign32 : ~k;
}

static inline uint64_t bits_of_f64(uint64_t k, uint64_t flip) {
    WADI_UNUSED(flip);
    return k >> 63 != 0 ? k ^ sign64 : ~k;
}

#define INTEGER_KEY(x, flip) ((x) ^ (flip))

#define RAW uint8_t
#define KEY(x, flip) ((RAW)INTEGER_KEY(x, flip))
#define NUMBER(k, flip) ((RAW)INTEGER_KEY(k, flip))
#define IS_MINUS(x) 0
#define NAMED(f) f##_8
#include "sched/radix/sources.h"

#define RAW uint16_t
#define KEY(x, flip) ((RAW)INTEGER_KEY(x, flip))
#define NUMBER(k, flip) ((RAW)INTEGER_KEY(k, flip))
#define IS_MINUS(x) 0
#define NAMED(f) f##_16
#include "sched/radix/sources.h"

#define RAW uint32_t
#define KEY(x, flip) INTEGER_KEY(x, flip)
#define NUMBER(k, flip) INTEGER_KEY(k, flip)
#define IS_MINUS(x) 0
#define NAMED(f) f##_32
#include "sched/radix/sources.h"

#define RAW uint64_t
#define KEY(x, flip) INTEGER_KEY(x, flip)
#define NUMBER(k, flip) INTEGER_KEY(k, flip)
#define IS_MINUS(x) 0
#define NAMED(f) f##_64
#include "sched/radix/sources.h"

#define RAW uint32_t
#define KEY(x, flip) key_of_f32(x, flip)
#define NUMBER(k, flip) bits_of_f32(k, flip)
#define IS_MINUS(x) ((x) == sign32)
#define NAMED(f) f##_f32
#include "sched/radix/sources.h"

#define RAW uint64_t
#define KEY(x, flip) key_of_f64(x, flip)
#define NUMBER(k, flip) bits_of_f64(k, flip)
#define IS_MINUS(x) ((x) == sign64)
#define NAMED(f) f##_f64
#include "sched/radix/sources.h"

/* By the bytes of a number. */
static const source *const unsigned_of[] = {
    [1] = &source_8, [2] = &source_16, [4] = &source_32, [8] = &source_64};

#include "sched/radix/rows.h"
