/* Writing metadata blocks. All numbers are big-endian. */
#include "apps/audio/metadata.h"

#include <string.h>

#include "apps/audio/blocks.h"
#include "apps/audio/endian.h"

static void put_block_header(flac_bits *w, int type, bool last, size_t bytes) {
    flac_bits_put(w, last, 1);
    flac_bits_put(w, (uint64_t)type, 7);
    flac_bits_put(w, bytes, 24);
}

void flac_put_streaminfo(flac_bits *w, const flac_streaminfo *info, bool last) {
    const flac_format *f = &info->format;
    put_block_header(w, FLAC_BLOCK_STREAMINFO, last, FLAC_STREAMINFO_BYTES);
    flac_bits_put(w, (uint64_t)(f->shortest > 0 ? f->shortest : f->block), 16);
    flac_bits_put(w, (uint64_t)f->block, 16);
    flac_bits_put(w, info->min_frame, 24);
    flac_bits_put(w, info->max_frame, 24);
    flac_bits_put(w, (uint64_t)f->rate, 20);
    flac_bits_put(w, (uint64_t)f->channels - 1, 3);
    flac_bits_put(w, (uint64_t)f->bits - 1, 5);
    flac_bits_put(w, (uint64_t)info->total, 36);
    for (int i = 0; i < 16; i++) flac_bits_put(w, info->md5[i], 8);
}

void flac_put_seektable(flac_bits *w, const flac_seekpoint *points, size_t n, bool last) {
    put_block_header(w, FLAC_BLOCK_SEEKTABLE, last, n * FLAC_SEEKPOINT_BYTES);
    for (size_t i = 0; i < n; i++) {
        const bool real = points[i].first >= 0;
        flac_bits_put(w, real ? (uint64_t)points[i].first : UINT64_MAX, 64);
        flac_bits_put(w, real ? (uint64_t)points[i].offset : 0, 64);
        flac_bits_put(w, real ? (uint64_t)points[i].samples : 0, 16);
    }
}

void flac_put_block(flac_bits *w, int type, const void *body, size_t n, bool last) {
    const uint8_t *p = body;
    put_block_header(w, type, last, n);
    for (size_t i = 0; i < n; i++) flac_bits_put(w, p[i], 8);
}

void flac_put_padding(flac_bits *w, unsigned bytes, bool last) {
    put_block_header(w, FLAC_BLOCK_PADDING, last, bytes);
    for (unsigned i = 0; i < bytes; i++) flac_bits_put(w, 0, 8);
}

void flac_get_streaminfo(const uint8_t p[FLAC_STREAMINFO_BYTES], flac_streaminfo *out) {
    const uint64_t about = flac_be(p + 10, 8);
    const int shortest = (int)flac_be(p, 2), block = (int)flac_be(p + 2, 2);
    *out = (flac_streaminfo){
        .format = {.rate = (int)(about >> 44),
                   .channels = (int)(about >> 41 & 7) + 1,
                   .bits = (int)(about >> 36 & 31) + 1,
                   .block = block,
                   .shortest = shortest < block ? shortest : 0},
        .min_frame = (uint32_t)flac_be(p + 4, 3),
        .max_frame = (uint32_t)flac_be(p + 7, 3),
        .total = (int64_t)(about & 0xfffffffff),
    };
    memcpy(out->md5, p + 18, sizeof out->md5);
}
