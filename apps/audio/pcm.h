/* Stored integers to samples and back: in either byte order, signed or not, with the unused bits lowest. */
#ifndef APPS_AUDIO_PCM_H
#define APPS_AUDIO_PCM_H

#include <stdbool.h>
#include <stdint.h>

typedef struct flac_pcm {
    int width; /* bytes, 1..4 */
    int bits;  /* how many are significant: the highest ones */
    bool big_endian, is_unsigned;
} flac_pcm;

/* Converts n samples. False if a sample has an unused bit that is set; *out_bad is its number. */
bool flac_pcm_decode(const flac_pcm *p, const uint8_t *from, int64_t n, int32_t *to,
                     int64_t *out_bad);
void flac_pcm_encode(const flac_pcm *p, const int32_t *from, int64_t n, uint8_t *to);

#endif
