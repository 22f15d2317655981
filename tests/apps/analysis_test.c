/* The analysis program, run by the interpreter, against the plain C model: the same decisions, the same numbers.
 *
 * Sums of doubles may be taken in another order, so where model and program choose different predictors their frames
 * must still have nearly the same size; on these signals they agree exactly in almost all. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "apps/audio/analysis.h"
#include "apps/audio/pack.h"
#include "graph/lang/node.h"
#include "operators/interp.h"
#include "operators/table.h"
#include "tests/apps/flac_model.h"

enum { BLOCKS = 3 };

typedef struct sound {
    int bits, channels, n; /* n: samples per channel of a block */
    int32_t *samples;      /* [BLOCKS][n][channels] */
} sound;

static int32_t clip(double x, int bits) {
    const double top = ldexp(1, bits - 1) - 1;
    return (int32_t)(x > top ? top : x < -top - 1 ? -top - 1 : floor(x));
}

/* Two tones and a little noise, the channels alike but not the same, `wasted` low bits empty. */
static void synthesise(sound *s, int wasted) {
    uint32_t seed = 1;
    const double scale = ldexp(0.3, s->bits - 1);
    for (int i = 0; i < BLOCKS * s->n; i++)
        for (int c = 0; c < s->channels; c++) {
            seed = seed * 1664525u + 1013904223u;
            const double noise = (double)(seed >> 8) / 16777216.0 - 0.5;
            const double tone = sin(i * 0.05) + sin(i * 0.31 + c) * 0.5 + noise * 0.02;
            const int32_t v = clip(tone * scale, s->bits);
            s->samples[i * s->channels + c] = wasted ? (v >> wasted) * (1 << wasted) : v;
        }
}

static wadi_module *lower_analysis(const flac_recipe *recipe) {
    wadi_error err;
    wadi_module *m = NULL;
    wadi_program *p = wadi_program_create("flac");
    flac_analysis_build(recipe);
    if (wadi_program_lower(p, wadi_operators(), &m, &err) != WADI_OK)
        fail_msg("%s:%d: %s", err.at.file, err.at.line, err.msg);
    wadi_program_destroy(p);
    return m;
}

static flac_frame frame_of(const wadi_array *part) {
    const bool wide = part[3].type[0] == WADI_I64;
    return (flac_frame){.channels = (int)part[3].shape[0],
                        .n = part[3].shape[1],
                        .head = part[0].column[0],
                        .sub = part[1].column[0],
                        .rice = part[2].column[0],
                        .rice_n = part[2].shape[0],
                        .resid32 = wide ? NULL : part[3].column[0],
                        .resid64 = wide ? part[3].column[0] : NULL};
}

static size_t packed_size(const flac_frame *f, const sound *s, int64_t index, flac_bits *bits) {
    wadi_error err;
    const flac_format format = {44100, s->channels, s->bits, s->n};
    flac_bits_clear(bits);
    if (flac_pack_frame(f, &format, index, bits, &err) != WADI_OK) fail_msg("%s", err.msg);
    return bits->n;
}

static bool same_row(const flac_frame *a, const flac_frame *b) {
    return memcmp(a->sub, b->sub, sizeof(int32_t) * FLAC_SUB_SIZE * (size_t)a->channels) == 0;
}

/* Runs both on every block; sizes within 0.2 % in all and most blocks the same to the last number. */
static void compare(const sound *s, int level) {
    const flac_recipe recipe = flac_recipe_for(level, 44100, s->channels, s->bits);
    wadi_module *m = lower_analysis(&recipe);
    wadi_array element[BLOCKS];
    for (int b = 0; b < BLOCKS; b++)
        element[b] = (wadi_array){.rank = 2,
                                  .fields = 1,
                                  .type = {WADI_I32},
                                  .shape = {s->n, s->channels},
                                  .column = {s->samples + b * s->n * s->channels}};
    const wadi_interp_source source = {.name = FLAC_SAMPLES, .n = BLOCKS, .elements = element};
    const wadi_interp_io io = {.sources = &source, .nsources = 1};
    wadi_interp_results *r = NULL;
    wadi_error err = {0};
    if (wadi_interp_run(m, &io, &r, &err) != WADI_OK)
        fail_msg("%s (%s:%d)", err.msg, err.at.file, err.at.line);
    const wadi_interp_sink *out = wadi_interp_sink_get(r, FLAC_FRAMES);
    assert_int_equal(out->n, BLOCKS);
    flac_model *model = flac_model_create(&recipe);
    flac_bits bits = {0};
    size_t ours = 0, theirs = 0;
    int agree = 0;
    for (int b = 0; b < BLOCKS; b++) {
        flac_frame expected;
        const flac_frame got = frame_of(out->elements + b * out->components);
        flac_model_analyse(model, element[b].column[0], s->n, &expected);
        ours += packed_size(&got, s, b, &bits);
        theirs += packed_size(&expected, s, b, &bits);
        agree += got.head[0] == expected.head[0] && same_row(&got, &expected);
    }
    flac_bits_fini(&bits);
    flac_model_destroy(model);
    wadi_interp_results_destroy(r);
    wadi_module_destroy(m);
    print_message(
        "level %d, %d bits, %d channels, %d samples: %zu bytes, model %zu, %d of %d blocks alike\n",
        level, s->bits, s->channels, s->n, ours, theirs, agree, BLOCKS);
    assert_true(fabs((double)ours - (double)theirs) <= 0.002 * (double)theirs + 2);
}

static void run(int bits, int channels, int n, int wasted, int level) {
    sound s = {bits, channels, n, calloc((size_t)(BLOCKS * n * channels), sizeof(int32_t))};
    assert_non_null(s.samples);
    synthesise(&s, wasted);
    compare(&s, level);
    free(s.samples);
}

static void stereo_of_16_bits_agrees_at_every_level(void **state) {
    (void)state;
    for (int level = 0; level <= 8; level++) run(16, 2, 512, 0, level);
}

static void wide_samples_agree(void **state) {
    (void)state;
    run(24, 2, 512, 0, 8);
    run(32, 2, 512, 0, 8);
    run(20, 1, 512, 0, 5);
}

static void odd_and_tiny_blocks_agree(void **state) {
    (void)state;
    static const int sizes[] = {1, 2, 4, 5, 15, 16, 17, 63, 64, 65, 997};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) run(16, 2, sizes[i], 0, 8);
}

static void wasted_bits_and_many_channels_agree(void **state) {
    (void)state;
    run(16, 8, 256, 3, 8);
    run(8, 1, 256, 2, 5);
}

static void silence_and_squares_agree(void **state) {
    (void)state;
    sound s = {16, 2, 256, calloc(BLOCKS * 256 * 2, sizeof(int32_t))};
    assert_non_null(s.samples);
    compare(&s, 8);
    for (int i = 0; i < BLOCKS * 256; i++) {
        s.samples[2 * i] = i / 7 % 2 ? 32767 : -32768;
        s.samples[2 * i + 1] = i / 7 % 2 ? -32768 : 32767;
    }
    compare(&s, 8);
    free(s.samples);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stereo_of_16_bits_agrees_at_every_level),
        cmocka_unit_test(wide_samples_agree),
        cmocka_unit_test(odd_and_tiny_blocks_agree),
        cmocka_unit_test(wasted_bits_and_many_channels_agree),
        cmocka_unit_test(silence_and_squares_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
