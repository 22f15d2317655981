/* Metadata blocks. Everything is big-endian but the lengths inside the Vorbis comments. */
#include "apps/audio/metadata.h"

#include <string.h>

enum { TYPE_STREAMINFO = 0, TYPE_PADDING = 1, TYPE_SEEKTABLE = 3, TYPE_COMMENTS = 4 };

static void put_block_header(flac_bits *w, int type, bool last, size_t bytes) {
    flac_bits_put(w, last, 1);
    flac_bits_put(w, (uint64_t)type, 7);
    flac_bits_put(w, bytes, 24);
}

void flac_put_streaminfo(flac_bits *w, const flac_streaminfo *info, bool last) {
    const flac_format *f = &info->format;
    put_block_header(w, TYPE_STREAMINFO, last, FLAC_STREAMINFO_BYTES);
    flac_bits_put(w, (uint64_t)f->block, 16);
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
    put_block_header(w, TYPE_SEEKTABLE, last, n * FLAC_SEEKPOINT_BYTES);
    for (size_t i = 0; i < n; i++) {
        const bool real = points[i].first >= 0;
        flac_bits_put(w, real ? (uint64_t)points[i].first : UINT64_MAX, 64);
        flac_bits_put(w, real ? (uint64_t)points[i].offset : 0, 64);
        flac_bits_put(w, real ? (uint64_t)points[i].samples : 0, 16);
    }
}

static void put_bytes(flac_bits *w, const char *s, size_t n) {
    for (size_t i = 0; i < n; i++) flac_bits_put(w, (uint8_t)s[i], 8);
}

static void put_little_endian(flac_bits *w, size_t v) {
    for (int i = 0; i < 4; i++) flac_bits_put(w, v >> (8 * i) & 0xff, 8);
}

bool flac_put_comments(flac_bits *w, const char *vendor, const flac_tag *tags, size_t n,
                       bool last) {
    size_t bytes = 8 + strlen(vendor);
    for (size_t i = 0; i < n; i++) bytes += 5 + strlen(tags[i].name) + strlen(tags[i].value);
    if (bytes > FLAC_MAX_BLOCK_BYTES) return false;
    put_block_header(w, TYPE_COMMENTS, last, bytes);
    put_little_endian(w, strlen(vendor));
    put_bytes(w, vendor, strlen(vendor));
    put_little_endian(w, n);
    for (size_t i = 0; i < n; i++) {
        const size_t name = strlen(tags[i].name);
        const size_t value = strlen(tags[i].value);
        put_little_endian(w, name + 1 + value);
        put_bytes(w, tags[i].name, name);
        put_bytes(w, "=", 1);
        put_bytes(w, tags[i].value, value);
    }
    return true;
}

void flac_put_padding(flac_bits *w, unsigned bytes, bool last) {
    put_block_header(w, TYPE_PADDING, last, bytes);
    for (unsigned i = 0; i < bytes; i++) flac_bits_put(w, 0, 8);
}
