/* Short words are cut out of the 16 bytes from their beginning on. Nothing depends on the word before, so many are packed at the same time. */
#include "apps/md5/pack.h"

#include <string.h>

#include "apps/md5/hash.h"

/* ---- any processor: a table by length gives which bytes to keep and where the set bit goes ---- */

/* Little-endian, as the machines are that wadi runs on. */
static uint64_t load(const uint8_t *at) {
    uint64_t x;
    memcpy(&x, at, sizeof x);
    return x;
}

typedef struct cut {
    uint64_t keep[2], set[2];
} cut;

#define BELOW(n) ((n) <= 0 ? 0 : (n) >= 8 ? UINT64_MAX : ((uint64_t)1 << (8 * ((n)&7))) - 1)
#define BIT_AT(n) ((n) < 0 || (n) >= 8 ? 0 : (uint64_t)0x80 << (8 * ((n)&7)))
#define CUT(n)                       \
    {                                \
        {BELOW(n), BELOW((n)-8)}, {  \
            BIT_AT(n), BIT_AT((n)-8) \
        }                            \
    }

static const cut cuts[MD5_SHORT_BYTES + 1] = {CUT(0),  CUT(1),  CUT(2),  CUT(3), CUT(4),  CUT(5),
                                              CUT(6),  CUT(7),  CUT(8),  CUT(9), CUT(10), CUT(11),
                                              CUT(12), CUT(13), CUT(14), CUT(15)};

static int64_t pack_plain(const md5_lines *l, int64_t n, uint32_t *const column[5]) {
    uint32_t *const restrict w0 = column[0], *const restrict w1 = column[1],
                             *const restrict w2 = column[2], *const restrict w3 = column[3],
                             *const restrict bits = column[4];
    for (int64_t i = 0; i < n; i++) {
        const uint32_t begin = l->end[i] + 1, length = l->end[i + 1] - begin;
        const uint8_t *at = l->text + begin;
        const unsigned kept = length - (!l->keep_cr && length > 0 && at[length - 1] == '\r');
        if (kept > MD5_SHORT_BYTES || *at == '$') return i;
        const cut *c = &cuts[kept];
        const uint64_t low = (load(at) & c->keep[0]) | c->set[0],
                       high = (load(at + 8) & c->keep[1]) | c->set[1];
        w0[i] = (uint32_t)low;
        w1[i] = (uint32_t)(low >> 32);
        w2[i] = (uint32_t)high;
        w3[i] = (uint32_t)(high >> 32);
        bits[i] = 8 * kept;
    }
    return n;
}

/* ---- AVX-512: 16 words at once, each column of them in a register ---- */

#if defined __x86_64__ && defined __GNUC__
#include <immintrin.h>
#define NEEDS __attribute__((target("avx512f,avx512bw")))
#define INLINE NEEDS static inline __attribute__((always_inline))

typedef struct sixteen {
    __m512i w[4];
} sixteen;

INLINE __m128i first_bytes(const uint8_t *text, uint32_t end) {
    const uint32_t begin = end + 1;
    return _mm_loadu_si128((const __m128i *)(const void *)(text + begin));
}

/* Lines i, i + 4, i + 8, i + 12. */
INLINE __m512i four(const uint8_t *text, const uint32_t *end) {
    __m512i x = _mm512_castsi128_si512(first_bytes(text, end[0]));
    x = _mm512_inserti32x4(x, first_bytes(text, end[4]), 1);
    x = _mm512_inserti32x4(x, first_bytes(text, end[8]), 2);
    return _mm512_inserti32x4(x, first_bytes(text, end[12]), 3);
}

INLINE sixteen columns_of(const uint8_t *text, const uint32_t *end) {
    const __m512i a = four(text, end), b = four(text, end + 1), c = four(text, end + 2),
                  d = four(text, end + 3);
    const __m512i ab = _mm512_unpacklo_epi32(a, b), cd = _mm512_unpacklo_epi32(c, d),
                  ef = _mm512_unpackhi_epi32(a, b), gh = _mm512_unpackhi_epi32(c, d);
    return (sixteen){{_mm512_unpacklo_epi64(ab, cd), _mm512_unpackhi_epi64(ab, cd),
                      _mm512_unpacklo_epi64(ef, gh), _mm512_unpackhi_epi64(ef, gh)}};
}

INLINE bool has_cr(const sixteen *s) {
    const __m512i cr = _mm512_set1_epi8('\r');
    return (_mm512_cmpeq_epi8_mask(s->w[0], cr) | _mm512_cmpeq_epi8_mask(s->w[1], cr) |
            _mm512_cmpeq_epi8_mask(s->w[2], cr) | _mm512_cmpeq_epi8_mask(s->w[3], cr)) != 0;
}

/* Which words have a carriage return as their last byte. Shifts by less than 0 or more than 31 bits give 0. Of words of more than 16 bytes,
 * which are too long without their last one as well, nothing is known. */
INLINE __mmask16 with_cr(const sixteen *s, __m512i bits) {
    const __m512i byte = _mm512_set1_epi32(0xff), cr = _mm512_set1_epi32('\r');
    __m512i differ = _mm512_setzero_si512();
    for (int k = 0; k < 4; k++) {
        const __m512i at = _mm512_sub_epi32(bits, _mm512_set1_epi32(32 * k + 8));
        const __m512i last = _mm512_and_si512(s->w[k], _mm512_sllv_epi32(byte, at));
        differ = _mm512_or_si512(differ, _mm512_xor_si512(last, _mm512_sllv_epi32(cr, at)));
    }
    return _mm512_mask_cmpeq_epi32_mask(_mm512_test_epi32_mask(bits, bits), differ,
                                        _mm512_setzero_si512());
}

/* Bytes 4 k and on of the words: those behind the word become zero, and the bit is set. */
INLINE __m512i cut_column(__m512i w, __m512i bits, int k) {
    const __m512i ones = _mm512_set1_epi32(-1), zero = _mm512_setzero_si512();
    const __m512i at = _mm512_sub_epi32(bits, _mm512_set1_epi32(32 * k));
    const __m512i behind = _mm512_sllv_epi32(ones, _mm512_max_epi32(at, zero));
    return _mm512_or_si512(_mm512_andnot_si512(behind, w),
                           _mm512_sllv_epi32(_mm512_set1_epi32(0x80), at));
}

INLINE __mmask16 not_plain(__m512i w0, __m512i bits) {
    const __m512i first = _mm512_and_si512(w0, _mm512_set1_epi32(0xff));
    return _mm512_cmpgt_epu32_mask(bits, _mm512_set1_epi32(8 * MD5_SHORT_BYTES)) |
           _mm512_cmpeq_epi32_mask(first, _mm512_set1_epi32('$'));
}

NEEDS static int64_t pack_avx512(const md5_lines *l, int64_t n, uint32_t *const column[5]) {
    uint32_t few[17]; /* the last lines; those that are not there begin behind them */
    for (int64_t i = 0; i < n; i += 16) {
        const uint32_t *end = l->end + i;
        const int m = n - i < 16 ? (int)(n - i) : 16;
        for (int k = 0; m < 16 && k < 17; k++) few[k] = end[k < m ? k : m];
        if (m < 16) end = few;
        const __m512i begin = _mm512_add_epi32(_mm512_loadu_si512(end), _mm512_set1_epi32(1));
        const __m512i length = _mm512_sub_epi32(_mm512_loadu_si512(end + 1), begin);
        const sixteen s = columns_of(l->text, end);
        __m512i bits = _mm512_slli_epi32(length, 3);
        if (!l->keep_cr && has_cr(&s))
            bits = _mm512_mask_sub_epi32(bits, with_cr(&s, bits), bits, _mm512_set1_epi32(8));
        const unsigned strange = not_plain(s.w[0], bits) | 1u << m;
        const int good = __builtin_ctz(strange);
        const __mmask16 stored = (__mmask16)((1u << good) - 1);
        for (int k = 0; k < 4; k++)
            _mm512_mask_storeu_epi32(column[k] + i, stored, cut_column(s.w[k], bits, k));
        _mm512_mask_storeu_epi32(column[4] + i, stored, bits);
        if (good < m) return i + good;
    }
    return n;
}

int64_t md5_pack_lines(const md5_lines *l, int64_t n, uint32_t *const column[5]) {
    const bool has = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw");
    return has && !l->plain ? pack_avx512(l, n, column) : pack_plain(l, n, column);
}
#else
int64_t md5_pack_lines(const md5_lines *l, int64_t n, uint32_t *const column[5]) {
    return pack_plain(l, n, column);
}
#endif
