/* CRC-32C, by the instruction that processors have for it, or without it. */
#include "base/hash.h"

#include <string.h>

#if defined __x86_64__
#include <nmmintrin.h>
#include <wmmintrin.h>

/* An instruction takes three cycles, and one may begin in each: so three parts of LANE bytes are gone through side by side. */
enum { LANE = 2048 };

/* x^(8 LANE - 33) modulo the polynomial, bits reversed. */
static const uint32_t past_lane = 0xa51b6135;

static inline uint64_t word_at(const uint8_t *p) {
    uint64_t word;
    memcpy(&word, p, 8);
    return word;
}

/* What crc is behind LANE more bytes of zeros. The instruction multiplies by x^32 and reduces, the product of reversed numbers by x. */
__attribute__((target("sse4.2,pclmul"))) static inline uint64_t past(uint64_t crc) {
    const __m128i product = _mm_clmulepi64_si128(_mm_cvtsi64_si128((long long)crc),
                                                 _mm_cvtsi64_si128((long long)past_lane), 0);
    return _mm_crc32_u64(0, (uint64_t)_mm_cvtsi128_si64(product));
}

__attribute__((target("sse4.2,pclmul"))) static uint64_t three_lanes(uint64_t crc,
                                                                     const uint8_t *p) {
    uint64_t second = 0, third = 0;
    for (int i = 0; i < LANE; i += 8) {
        crc = _mm_crc32_u64(crc, word_at(p + i));
        second = _mm_crc32_u64(second, word_at(p + i + LANE));
        third = _mm_crc32_u64(third, word_at(p + i + 2 * LANE));
    }
    return past(past(crc) ^ second) ^ third;
}

/* crc is inverted. */
__attribute__((target("sse4.2,pclmul"))) static uint32_t
by_instruction(uint32_t crc, const uint8_t *p, size_t n) {
    uint64_t r = crc;
    for (; n >= (size_t)3 * LANE; n -= (size_t)3 * LANE, p += 3 * LANE) r = three_lanes(r, p);
    for (; n >= 8; n -= 8, p += 8) r = _mm_crc32_u64(r, word_at(p));
    crc = (uint32_t)r;
    for (; n > 0; n--, p++) crc = _mm_crc32_u8(crc, *p);
    return crc;
}

static bool has_instruction(void) {
    return __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("pclmul");
}

#else

static uint32_t by_instruction(uint32_t crc, const uint8_t *p, size_t n) {
    (void)p;
    (void)n;
    return crc;
}

static bool has_instruction(void) {
    return false;
}

#endif

uint32_t wadi_crc32c(uint32_t crc, const void *data, size_t n) {
    return has_instruction() ? ~by_instruction(~crc, data, n) : wadi_crc32c_sliced(crc, data, n);
}
