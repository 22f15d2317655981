/* Makes the sounds. */
#include "tests/apps/signals.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static uint64_t seed = 88172645463325252u;

static uint64_t next_random(void) {
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

static int32_t top(int bits) {
    return (int32_t)((INT64_C(1) << (bits - 1)) - 1);
}

int32_t sound_silence(int64_t i, int channel, int bits) {
    (void)i, (void)channel, (void)bits;
    return 0;
}

static int32_t constant(int64_t i, int channel, int bits) {
    (void)i;
    return -top(bits) / (channel + 2);
}

int32_t sound_noise(int64_t i, int channel, int bits) {
    (void)i, (void)channel;
    return (int32_t)((int64_t)next_random() >> (64 - bits));
}

static int32_t square(int64_t i, int channel, int bits) {
    return (i / (3 + channel) & 1) != 0 ? top(bits) : -top(bits) - 1;
}

/* L = -R as far as two's complement allows: the side channel needs its extra bit. */
static int32_t opposite(int64_t i, int channel, int bits) {
    const bool up = (i / 5 & 1) != (channel & 1);
    return up ? top(bits) : -top(bits) - 1;
}

static int32_t impulse(int64_t i, int channel, int bits) {
    (void)channel;
    return i % 5000 == 4000 ? top(bits) : 0;
}

/* A digital oscillator with a little noise. */
int32_t sound_tone(int64_t i, int channel, int bits) {
    const int64_t period = 50 + 10 * channel;
    const int64_t x = i % period * 4 * (top(bits) / 2) / period;
    const int64_t peak = top(bits) / 2;
    const int64_t v = x < 2 * peak ? x - peak : 3 * peak - x;
    return (int32_t)(v + (int64_t)(next_random() % 5) - 2);
}

int32_t sound_change(int64_t i, int channel, int bits) {
    return (i / 128 & 1) != 0 ? sound_noise(i, channel, bits) : 0;
}

static int32_t tone_with_wasted_bits_in_one_channel(int64_t i, int channel, int bits) {
    const int32_t v = sound_tone(i, 0, bits);
    return channel == 1 ? v & ~7 : v;
}

static int32_t same_in_all_channels(int64_t i, int channel, int bits) {
    (void)channel;
    return (int32_t)(i * i % 1000) * (top(bits) / 2048 + 1) / 8;
}

const sound_fn sounds[] = {sound_silence,
                           constant,
                           sound_noise,
                           square,
                           opposite,
                           impulse,
                           sound_tone,
                           tone_with_wasted_bits_in_one_channel,
                           same_in_all_channels};
const int sound_count = sizeof sounds / sizeof sounds[0];

int32_t *sound_make(sound_fn sound, const flac_format *f, int64_t frames) {
    int32_t *samples = malloc((size_t)(frames * f->channels) * sizeof *samples + 1);
    assert_non_null(samples);
    for (int64_t i = 0; i < frames; i++) {
        for (int c = 0; c < f->channels; c++) {
            samples[i * f->channels + c] = sound(i, c, f->bits);
        }
    }
    return samples;
}
