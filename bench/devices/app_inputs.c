/* See app_inputs.h. */
#include "bench/devices/app_inputs.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"

static const double pi = 3.14159265358979323846;

/* -1 to 1. */
static double noise(uint64_t *seed) {
    return (double)(wadi_hash64((*seed)++) >> 11) * 0x1p-52 - 1;
}

static wadi_status done(FILE *f, const char *path, bool good, wadi_error *err) {
    const bool closed = fclose(f) == 0;
    if (good && closed) return WADI_OK;
    return wadi_fail(err, WADI_IO, "%s: %s", path, strerror(errno));
}

static wadi_status start(const char *path, FILE **out, wadi_error *err) {
    *out = fopen(path, "wb");
    if (*out != NULL) return WADI_OK;
    return wadi_fail(err, WADI_IO, "%s: %s", path, strerror(errno));
}

/* ---- sound ---- */

enum { RATE = 44100, FRAME = 4 /* bytes */ };

static void put_le(uint8_t *at, uint32_t value, int bytes) {
    for (int i = 0; i < bytes; i++) at[i] = (uint8_t)(value >> (8 * i));
}

static void wav_header(uint8_t header[44], uint32_t frames) {
    memcpy(header, "RIFF....WAVEfmt ", 16);
    put_le(header + 4, 36 + frames * FRAME, 4);
    put_le(header + 16, 16, 4);
    put_le(header + 20, 1, 2); /* PCM */
    put_le(header + 22, 2, 2);
    put_le(header + 24, RATE, 4);
    put_le(header + 28, RATE * FRAME, 4);
    put_le(header + 32, FRAME, 2);
    put_le(header + 34, 16, 2);
    memcpy(header + 36, "data", 4);
    put_le(header + 40, frames * FRAME, 4);
}

/* A chord whose notes change every half second, a little apart in the two channels, and noise. */
static int16_t sample(uint32_t t, int channel, uint64_t *seed) {
    const double s = (double)t / RATE;
    const int beat = (int)(2 * s) % 7;
    double x = 0;
    for (int note = 0; note < 3; note++)
        x += sin(2 * pi * s * (220 + 33 * beat + 110 * note) + 0.3 * channel);
    return (int16_t)(6000 * x + 40 * noise(seed));
}

wadi_status bench_make_sound(const char *path, bool quick, wadi_error *err) {
    const uint32_t frames = quick ? RATE / 2 : RATE * 120;
    uint8_t header[44], frame[FRAME];
    uint64_t seed = 1;
    FILE *f = NULL;
    WADI_TRY(start(path, &f, err));
    wav_header(header, frames);
    bool good = fwrite(header, sizeof header, 1, f) == 1;
    for (uint32_t t = 0; t < frames && good; t++) {
        for (int c = 0; c < 2; c++) put_le(frame + 2 * c, (uint16_t)sample(t, c, &seed), 2);
        good = fwrite(frame, FRAME, 1, f) == 1;
    }
    return done(f, path, good, err);
}

/* ---- words ---- */

wadi_status bench_make_words(const char *path, bool quick, wadi_error *err) {
    const int64_t n = quick ? 1000 : 10000000;
    FILE *f = NULL;
    WADI_TRY(start(path, &f, err));
    bool good = true;
    for (int64_t i = 0; i < n && good; i++)
        good = fprintf(f, "%.*llx\n", 4 + (int)(i % 8),
                       (unsigned long long)wadi_hash64((uint64_t)i) >> 20) > 0;
    good = good && fputs("the last word\n", f) >= 0;
    return done(f, path, good, err);
}

/* ---- visibilities ---- */

/* Three sources within the field, of 1, 2 and 3 Jy. */
static void visibility(const double uvw[3], double *re, double *im) {
    *re = *im = 0;
    for (int k = 1; k <= 3; k++) {
        const double l = 0.006 * k - 0.01, m = 0.004 * k, n = sqrt(1 - l * l - m * m) - 1,
                     phase = -2 * pi * (uvw[0] * l + uvw[1] * m + uvw[2] * n);
        *re += k * cos(phase);
        *im += k * sin(phase);
    }
}

wadi_status bench_make_visibilities(const char *path, bool quick, wadi_error *err) {
    const int64_t n = quick ? 200 : 1000000;
    uint64_t seed = 7;
    FILE *f = NULL;
    WADI_TRY(start(path, &f, err));
    bool good = fputs("# frequency 150e6\n", f) >= 0;
    for (int64_t i = 0; i < n && good; i++) {
        const double uvw[3] = {8000 * noise(&seed), 8000 * noise(&seed), 500 * noise(&seed)};
        double re, im;
        visibility(uvw, &re, &im);
        good = fprintf(f, "%.6f %.6f %.6f %.9f %.9f\n", uvw[0], uvw[1], uvw[2], re, im) > 0;
    }
    return done(f, path, good, err);
}
