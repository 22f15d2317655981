/* Converts samples to bytes and adds them to the MD5, in pieces that stay in the first-level cache. */
#include "apps/audio/md5_tap.h"

enum { PIECE = 2048 }; /* samples */

void flac_md5_tap_init(flac_md5_tap *t, int channels, int bits) {
    *t = (flac_md5_tap){.channels = channels, .width = (bits + 7) / 8};
    wadi_md5_init(&t->md5);
}

/* One loop per width: each then has a constant stride. */
static void to_bytes(uint8_t *to, const int32_t *s, int64_t n, int width) {
    switch (width) {
    case 1:
        for (int64_t i = 0; i < n; i++) to[i] = (uint8_t)s[i];
        break;
    case 2:
        for (int64_t i = 0; i < n; i++) {
            to[2 * i] = (uint8_t)s[i];
            to[2 * i + 1] = (uint8_t)(s[i] >> 8);
        }
        break;
    case 3:
        for (int64_t i = 0; i < n; i++) {
            to[3 * i] = (uint8_t)s[i];
            to[3 * i + 1] = (uint8_t)(s[i] >> 8);
            to[3 * i + 2] = (uint8_t)(s[i] >> 16);
        }
        break;
    default:
        for (int64_t i = 0; i < n; i++) {
            to[4 * i] = (uint8_t)s[i];
            to[4 * i + 1] = (uint8_t)(s[i] >> 8);
            to[4 * i + 2] = (uint8_t)(s[i] >> 16);
            to[4 * i + 3] = (uint8_t)(s[i] >> 24);
        }
    }
}

void flac_md5_tap_hear(flac_md5_tap *t, const int32_t *samples, int64_t frames) {
    uint8_t bytes[4 * PIECE];
    const int64_t n = frames * t->channels;
    for (int64_t at = 0; at < n; at += PIECE) {
        const int64_t piece = n - at < PIECE ? n - at : PIECE;
        to_bytes(bytes, samples + at, piece, t->width);
        wadi_md5_update(&t->md5, bytes, (size_t)(piece * t->width));
    }
}

void flac_md5_tap_final(flac_md5_tap *t, uint8_t out[16]) {
    wadi_md5_final(&t->md5, out);
}
