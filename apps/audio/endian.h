/* Numbers of up to 8 bytes as they are stored in files. */
#ifndef APPS_AUDIO_ENDIAN_H
#define APPS_AUDIO_ENDIAN_H

#include <stdint.h>

static inline uint64_t flac_le(const uint8_t *p, int n) {
    uint64_t v = 0;
    while (n-- > 0) v = v << 8 | p[n];
    return v;
}

static inline uint64_t flac_be(const uint8_t *p, int n) {
    uint64_t v = 0;
    for (int i = 0; i < n; i++) v = v << 8 | p[i];
    return v;
}

/* Bytes behind the first ten of an ID3v2 tag, of which these are the last four: groups of seven bits. */
static inline int64_t flac_id3_length(const uint8_t p[4]) {
    int64_t n = 0;
    for (int i = 0; i < 4; i++) n = n << 7 | (p[i] & 0x7f);
    return n;
}

#endif
