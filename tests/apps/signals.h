/* Sounds that are awkward for an encoder: silence, full-scale noise and squares, opposite channels, impulses after silence, wasted
 * bits in one channel, and a tone. */
#ifndef TESTS_APPS_SIGNALS_H
#define TESTS_APPS_SIGNALS_H

#include <stdint.h>

#include "apps/audio/pack.h"

/* Sample `i` of a channel, of so many bits. */
typedef int32_t (*sound_fn)(int64_t i, int channel, int bits);

int32_t sound_silence(int64_t i, int channel, int bits);
int32_t sound_noise(int64_t i, int channel, int bits);
int32_t sound_tone(int64_t i, int channel, int bits);
/* Silence that becomes noise, and back, every 128 samples. */
int32_t sound_change(int64_t i, int channel, int bits);

/* These and all the others. */
extern const sound_fn sounds[];
extern const int sound_count;

/* Interleaved samples in the given format; the caller frees them. */
int32_t *sound_make(sound_fn sound, const flac_format *format, int64_t frames);

#endif
