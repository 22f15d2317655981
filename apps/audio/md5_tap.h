/* The MD5 of the samples as STREAMINFO needs it: interleaved, signed, little-endian, in whole bytes (RFC 9639, section 8.2).
 * It is computed while the samples are read, in parallel with the analysis. */
#ifndef APPS_AUDIO_MD5_TAP_H
#define APPS_AUDIO_MD5_TAP_H

#include <stdint.h>

#include "apps/digest/md5.h"

typedef struct flac_md5_tap {
    wadi_md5 md5;
    int channels;
    int width; /* bytes per sample */
} flac_md5_tap;

void flac_md5_tap_init(flac_md5_tap *t, int channels, int bits);

/* Takes interleaved, right-aligned samples. */
void flac_md5_tap_hear(flac_md5_tap *t, const int32_t *samples, int64_t frames);

void flac_md5_tap_final(flac_md5_tap *t, uint8_t out[16]);

#endif
