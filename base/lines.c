/* Finding newlines. A block of 64 bytes becomes a mask with a bit for each byte, and the mask becomes positions: as many as usually are in a
 * block are written without asking how many there are, since a wrong guess of the processor costs more than writing them. */
#include "base/lines.h"

#include <string.h>

#if defined __x86_64__ && defined __GNUC__
#include <immintrin.h>
#define X86 1
#endif

typedef struct search {
    const uint8_t *text;
    size_t n, most;
    uint32_t *ends;
    size_t at, found;
} search;

/* The next block; the last one is filled up with bytes that are no newlines. */
static const uint8_t *next_block(const search *s, uint8_t last[WADI_LINES_BLOCK]) {
    const size_t left = s->n - s->at;
    if (left >= WADI_LINES_BLOCK) return s->text + s->at;
    memset(last, 0, WADI_LINES_BLOCK);
    memcpy(last, s->text + s->at, left);
    return last;
}

static bool goes_on(const search *s) {
    return s->at < s->n && s->most - s->found >= WADI_LINES_BLOCK;
}

static void pass_block(search *s) {
    s->at = s->n - s->at > WADI_LINES_BLOCK ? s->at + WADI_LINES_BLOCK : s->n;
}

/* ---- any processor ---- */

#ifdef X86
static uint64_t newlines(const uint8_t *block) {
    const __m128i newline = _mm_set1_epi8('\n');
    uint64_t mask = 0;
    for (int i = 0; i < 4; i++) {
        const __m128i x = _mm_loadu_si128((const __m128i *)(const void *)(block + 16 * i));
        mask |= (uint64_t)(unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(x, newline)) << (16 * i);
    }
    return mask;
}
#else
/* The zero bytes of x = bytes ^ newlines: adding 0x7f to its low seven bits reaches the high bit unless they are zero. The product gathers
 * the high bits in the highest byte. */
static uint64_t newlines(const uint8_t *block) {
    const uint64_t ones = 0x0101010101010101, low = 0x7f * ones;
    uint64_t mask = 0;
    for (int i = 0; i < 8; i++) {
        uint64_t x = 0;
        for (int k = 0; k < 8; k++) x |= (uint64_t)block[8 * i + k] << (8 * k);
        x ^= '\n' * ones;
        const uint64_t zero = ~(((x & low) + low) | x) >> 7 & ones;
        mask |= (zero * 0x0102040810204080 >> 56) << (8 * i);
    }
    return mask;
}
#endif

/* Writes at least the first 8 bits of the mask; 0 has no lowest bit, but a value that nobody reads. */
static void write_positions(search *s, uint64_t mask) {
    uint32_t *to = s->ends + s->found;
    const int count = __builtin_popcountll(mask);
    for (int begin = 0; begin == 0 || begin < count; begin += 8)
        for (int i = 0; i < 8; i++) {
            to[begin + i] = (uint32_t)s->at + (uint32_t)__builtin_ctzll(mask | UINT64_C(1) << 63);
            mask &= mask - 1;
        }
    s->found += (size_t)count;
}

static void search_plain(search *s) {
    uint8_t last[WADI_LINES_BLOCK];
    while (goes_on(s)) {
        write_positions(s, newlines(next_block(s, last)));
        pass_block(s);
    }
}

/* ---- AVX-512 ---- */

#ifdef X86
#define NEEDS __attribute__((target("avx512f,avx512bw,avx512vbmi2,popcnt")))

static bool has_avx512(void) {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("popcnt");
}

NEEDS static void search_avx512(search *s) {
    static const uint8_t place[WADI_LINES_BLOCK] = {
        0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
        22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43,
        44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};
    const __m512i places = _mm512_loadu_si512(place), newline = _mm512_set1_epi8('\n');
    uint8_t last[WADI_LINES_BLOCK];
    while (goes_on(s)) {
        const __m512i block = _mm512_loadu_si512(next_block(s, last));
        const __mmask64 mask = _mm512_cmpeq_epi8_mask(block, newline);
        const size_t count = (size_t)__builtin_popcountll(mask);
        __m512i in = _mm512_maskz_compress_epi8(mask, places);
        for (size_t begin = 0; begin == 0 || begin < count; begin += 16) {
            const __m512i at = _mm512_cvtepu8_epi32(_mm512_castsi512_si128(in));
            _mm512_storeu_si512(s->ends + s->found + begin,
                                _mm512_add_epi32(at, _mm512_set1_epi32((int)s->at)));
            in = _mm512_alignr_epi32(in, in, 4);
        }
        s->found += count;
        pass_block(s);
    }
}
#else
static bool has_avx512(void) {
    return false;
}
static void search_avx512(search *s) {
    search_plain(s);
}
#endif

size_t wadi_line_ends(const uint8_t *text, size_t n, bool plain, uint32_t *ends, size_t most,
                      size_t *out_seen) {
    search s = {text, n, most, ends, 0, 0};
    if (!plain && has_avx512())
        search_avx512(&s);
    else
        search_plain(&s);
    *out_seen = s.at;
    return s.found;
}
