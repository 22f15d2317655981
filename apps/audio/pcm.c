/* Converting stored integers. Every sample is first made a left-aligned number of 32 bits. One loop per layout would be faster, but
 * reading is not what limits the compressor. Only the usual layout of two bytes has its own loop. */
#include "apps/audio/pcm.h"

static inline uint32_t left_aligned(const uint8_t *p, int width, bool big_endian) {
    uint32_t v = 0;
    for (int i = 0; i < width; i++) v = v << 8 | p[big_endian ? i : width - 1 - i];
    return v << (32 - 8 * width);
}

static inline uint32_t sign_bit(const flac_pcm *p) {
    return p->is_unsigned ? UINT32_C(1) << 31 : 0;
}

/* The usual layout: 16 bits, little-endian. */
static void decode_16(const uint8_t *from, int64_t n, int32_t *to) {
    for (int64_t i = 0; i < n; i++) {
        to[i] = (int16_t)(uint16_t)(from[2 * i] | from[2 * i + 1] << 8);
    }
}

bool flac_pcm_decode(const flac_pcm *p, const uint8_t *from, int64_t n, int32_t *to,
                     int64_t *out_bad) {
    const flac_pcm layout = *p;
    if (layout.width == 2 && layout.bits == 16 && !layout.big_endian && !layout.is_unsigned) {
        decode_16(from, n, to);
        return true;
    }
    const uint32_t unused = layout.bits < 32 ? UINT32_MAX >> layout.bits : 0;
    for (int64_t i = 0; i < n; i++) {
        const uint32_t v = left_aligned(from + i * layout.width, layout.width, layout.big_endian) ^
                           sign_bit(&layout);
        if ((v & unused) != 0) {
            *out_bad = i;
            return false;
        }
        to[i] = (int32_t)v >> (32 - layout.bits);
    }
    return true;
}

void flac_pcm_encode(const flac_pcm *p, const int32_t *from, int64_t n, uint8_t *to) {
    const int width = p->width;
    for (int64_t i = 0; i < n; i++) {
        const uint32_t v = ((uint32_t)from[i] << (32 - p->bits)) ^ sign_bit(p);
        for (int k = 0; k < width; k++) {
            const int at = p->big_endian ? k : width - 1 - k;
            to[i * width + at] = (uint8_t)(v >> (24 - 8 * k));
        }
    }
}
