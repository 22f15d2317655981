/* Fuzzing of the header of visibilities: no bytes crash the reader, and what it takes is written as the same bytes.
 *
 * With -DWADI_LIBFUZZER and -fsanitize=fuzzer this is a libFuzzer target. Otherwise it is a test: a fixed number of mutations of
 * sound headers (WADI_FUZZ_RUNS changes how many), always the same ones. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "connectors/vis_header.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void demand(bool holds, const char *what) {
    if (holds) return;
    (void)fprintf(stderr, "%s\n", what);
    abort();
}

/* Two NaNs are the same place: nowhere. */
static bool same_bytes(const uint8_t *a, const uint8_t *b, size_t n, const wadi_vis_info *info) {
    const size_t place = 32, place_bytes = 16;
    if (!isnan(info->ra)) return memcmp(a, b, n) == 0;
    return memcmp(a, b, place) == 0 &&
           memcmp(a + place + place_bytes, b + place + place_bytes, n - place - place_bytes) == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    wadi_vis_info info;
    wadi_error err = {.status = WADI_OK};
    void *memory = NULL, *again = NULL;
    size_t length = 0;
    uint8_t *exact = calloc(n + 1, 1); /* so that a sanitizer sees what is read behind it */
    demand(exact != NULL, "out of memory");
    if (n > 0) memcpy(exact + 1, data, n);
    const wadi_status status = wadi_vis_header_read(exact + 1, n, &info, &memory, &err);
    if (status == WADI_OK) {
        demand(strlen(info.object) + strlen(info.telescope) < n, "names are longer than all");
        demand(wadi_vis_header_write(&info, &again, &length, NULL) == WADI_OK,
               "a header that was read cannot be written");
        demand(length == n && same_bytes(again, exact + 1, n, &info), "a header changes");
    } else {
        demand(status == WADI_IO || status == WADI_UNSUPPORTED, "another status");
        demand(status == err.status && err.msg[0] != 0, "an error without words");
    }
    free(again);
    free(memory);
    free(exact);
    return 0;
}

#ifndef WADI_LIBFUZZER

static uint64_t rng_state = 1;

static size_t below(size_t n) {
    rng_state = rng_state * 6364136223846793005u + 1442695040888963407u;
    return (size_t)((rng_state >> 33) % n);
}

static size_t mutate(uint8_t *m, size_t n) {
    static const uint8_t bold[] = {0, 1, 0x7f, 0x80, 0xff};
    for (size_t i = 1 + below(3); i > 0; i--) {
        const size_t at = below(2) == 0 ? below(n) : below(n < 64 ? n : 64);
        if (below(2) == 0) {
            m[at] ^= (uint8_t)(1u << below(8));
        } else if (below(8) > 0) {
            m[at] = bold[below(sizeof bold)];
        } else {
            n = at + 1;
        }
    }
    return n;
}

static void fuzz(const wadi_vis_info *info, long runs) {
    void *sound = NULL;
    size_t n = 0;
    demand(wadi_vis_header_write(info, &sound, &n, NULL) == WADI_OK, "write");
    uint8_t *mutant = malloc(n);
    demand(mutant != NULL, "out of memory");
    (void)LLVMFuzzerTestOneInput(sound, n);
    for (long i = 0; i < runs; i++) {
        memcpy(mutant, sound, n);
        (void)LLVMFuzzerTestOneInput(mutant, mutate(mutant, n));
    }
    free(mutant);
    free(sound);
}

int main(void) {
    static const double frequency[] = {1e9, 1.1e9, 1.2e9, 1.3e9};
    static const int stokes[] = {WADI_STOKES_XX, WADI_STOKES_YY, WADI_STOKES_I};
    const char *text = getenv("WADI_FUZZ_RUNS");
    const long runs = text != NULL ? strtol(text, NULL, 10) : 60000;
    wadi_vis_info info = {.rows = 12,
                          .channels = 4,
                          .pols = 3,
                          .frequency = frequency,
                          .stokes = stokes,
                          .channel_width = 1e6,
                          .ra = -1,
                          .dec = 0.5,
                          .equinox = 2000,
                          .object = "3C 273",
                          .telescope = "VLA"};
    fuzz(&info, runs / 4);
    info.longest = 3e4;
    info.shortest = 35;
    fuzz(&info, runs / 4);
    info.ra = info.dec = (double)NAN;
    info.rows = -1;
    info.channels = info.pols = 1;
    info.object = "";
    fuzz(&info, runs / 2);
    return 0;
}

#endif
