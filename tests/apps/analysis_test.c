/* The analysis run by the interpreter: its frames decode to the input and are no larger than the model's. Blocks are short, since
 * the interpreter is slow; the compiled analysis has its own test. */
#include "apps/audio/analysis.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "apps/audio/frame.h"
#include "apps/audio/pack.h"
#include "graph/ir/ir.h"
#include "graph/lang/node.h"
#include "operators/interp/interp.h"
#include "operators/table.h"
#include "tests/apps/flac_judge.h"
#include "tests/apps/flac_model.h"
#include "tests/apps/signals.h"

enum { MAX_BLOCKS = 8 };

/* The recipe of a level, with its program lowered. */
typedef struct fixture {
    flac_recipe recipe;
    wadi_program *program;
    wadi_module *module;
    flac_model *model;
} fixture;

/* f->block, if not 0, is that of the recipe instead of the level's. */
static void fixture_init(fixture *x, int level, const flac_format *f) {
    wadi_error err = {0};
    x->recipe = flac_recipe_for(level, f->rate, f->channels, f->bits);
    if (f->block > 0) x->recipe.block = f->block;
    x->program = wadi_program_create("flac");
    assert_non_null(x->program);
    flac_analysis_build(&x->recipe);
    if (wadi_program_check(x->program, &err) != WADI_OK) {
        fail_msg("%s (%s:%d)", err.msg, err.at.file != NULL ? err.at.file : "?", err.at.line);
    }
    if (wadi_program_lower(x->program, wadi_operators(), &x->module, &err) != WADI_OK) {
        fail_msg("%s", err.msg);
    }
    x->model = flac_model_create(&x->recipe);
    assert_non_null(x->model);
}

static void fixture_fini(fixture *x) {
    flac_model_destroy(x->model);
    wadi_module_destroy(x->module);
    wadi_program_destroy(x->program);
}

static flac_frame frame_of(const fixture *x, const wadi_array *part) {
    const bool wide = part[3].type[0] == WADI_I64;
    assert_int_equal(part[0].shape[0], FLAC_HEAD_SIZE);
    assert_int_equal(part[1].shape[0], x->recipe.channels);
    assert_int_equal(part[1].shape[1], FLAC_SUB_SIZE);
    assert_int_equal(part[3].shape[0], x->recipe.channels);
    return (flac_frame){
        .channels = x->recipe.channels,
        .n = part[3].shape[1],
        .head = part[0].column[0],
        .sub = part[1].column[0],
        .rice = part[2].column[0],
        .rice_n = part[2].shape[0],
        .resid32 = wide ? NULL : part[3].column[0],
        .resid64 = wide ? part[3].column[0] : NULL,
    };
}

static size_t packed_size(const flac_frame *frame, const flac_format *f) {
    flac_bits bits = {0};
    wadi_error err = {0};
    if (flac_pack_frame(frame, f, 0, 0, &bits, &err) != WADI_OK) fail_msg("%s", err.msg);
    const size_t n = bits.n;
    flac_bits_fini(&bits);
    return n;
}

/* Undoes the analysis of one channel: residuals to samples, in 64 bits. */
static void restore(const flac_frame *f, int channel, int64_t *x) {
    static const int32_t binomial[5][4] = {{0}, {1}, {2, -1}, {3, -3, 1}, {4, -6, 4, -1}};
    const int32_t *sub = f->sub + channel * FLAC_SUB_SIZE;
    const int kind = sub[FLAC_SUB_KIND];
    const int order = kind >= FLAC_FIXED ? sub[FLAC_SUB_ORDER] : 0;
    const int32_t *taps = kind == FLAC_FIXED ? binomial[order] : sub + FLAC_SUB_COEFFICIENTS;
    for (int64_t i = 0; i < f->n; i++) {
        const int64_t at = channel * f->n + (kind == FLAC_CONSTANT ? 0 : i);
        x[i] = f->resid32 != NULL ? f->resid32[at] : f->resid64[at];
        if (kind < FLAC_FIXED || i < order) continue;
        int64_t sum = 0;
        for (int j = 0; j < order; j++) sum += taps[j] * x[i - 1 - j];
        x[i] += sum >> (kind == FLAC_LPC ? sub[FLAC_SUB_SHIFT] : 0);
    }
    for (int64_t i = 0; i < f->n; i++) x[i] *= INT64_C(1) << sub[FLAC_SUB_WASTED];
}

static void assert_restores(const flac_frame *f, const int32_t *samples) {
    int64_t *x = malloc((size_t)(f->channels * f->n) * sizeof *x);
    assert_non_null(x);
    for (int c = 0; c < f->channels; c++) restore(f, c, x + c * f->n);
    for (int64_t i = 0; i < f->n; i++) {
        int64_t a = x[i];
        int64_t b = f->channels > 1 ? x[f->n + i] : 0;
        switch (f->head[0]) {
        case FLAC_LEFT_SIDE:
            b = a - b;
            break;
        case FLAC_SIDE_RIGHT:
            a += b;
            break;
        case FLAC_MID_SIDE: {
            const int64_t sum = a * 2 + (b & 1);
            a = (sum + b) >> 1;
            b = (sum - b) >> 1;
            break;
        }
        default:
            break;
        }
        assert_int_equal(a, samples[i * f->channels]);
        if (f->channels > 1) assert_int_equal(b, samples[i * f->channels + 1]);
        for (int c = 2; c < f->channels; c++) {
            assert_int_equal(x[c * f->n + i], samples[i * f->channels + c]);
        }
    }
    free(x);
}

/* One block of the input: its frames are those the model cuts it into. Returns their number. */
static int check_block(fixture *x, const flac_format *f, const wadi_array *elements,
                       const int32_t *samples, int64_t n) {
    const int parts = flac_model_cut(x->model, samples, n);
    for (int p = 0; p < parts; p++) {
        const int32_t *part = samples + p * (n / parts) * f->channels;
        const flac_frame got = frame_of(x, elements + 4 * p);
        flac_frame want;
        flac_model_analyse(x->model, part, n / parts, &want);
        assert_int_equal(got.n, n / parts);
        assert_int_equal(got.head[0], want.head[0]);
        assert_restores(&got, part);
        assert_in_range(packed_size(&got, f), 0, packed_size(&want, f) + 2);
    }
    return parts;
}

/* Blocks of the given lengths of one sound, through the interpreter and through the model; how many frames came out. */
static int check(sound_fn sound, int level, const flac_format *f, int blocks,
                 const int64_t *length) {
    fixture x;
    fixture_init(&x, level, f);
    int32_t *samples[MAX_BLOCKS];
    wadi_array elements[MAX_BLOCKS];
    for (int b = 0; b < blocks; b++) {
        samples[b] = sound_make(sound, f, length[b]);
        elements[b] = (wadi_array){.rank = 2,
                                   .fields = 1,
                                   .type = {WADI_I32},
                                   .shape = {length[b], f->channels},
                                   .column = {samples[b]}};
    }
    const wadi_interp_source source = {.name = FLAC_SAMPLES, .n = blocks, .elements = elements};
    const wadi_interp_io io = {.sources = &source, .nsources = 1};
    wadi_interp_results *results = NULL;
    wadi_error err = {0};
    if (wadi_interp_run(x.module, &io, &results, &err) != WADI_OK) fail_msg("%s", err.msg);
    const wadi_interp_sink *sink = wadi_interp_sink_get(results, FLAC_FRAMES);
    assert_non_null(sink);
    assert_int_equal(sink->components, 4);
    int frames = 0;
    for (int b = 0; b < blocks; b++) {
        assert_in_range(frames, 0, sink->n - 1);
        frames += check_block(&x, f, sink->elements + 4 * frames, samples[b], length[b]);
        free(samples[b]);
    }
    assert_int_equal(sink->n, frames);
    wadi_interp_results_destroy(results);
    fixture_fini(&x);
    return frames;
}

static const int64_t lengths[] = {200, 192, 64, 17};

static void every_sound_is_analysed_as_by_the_model(void **state) {
    (void)state;
    const flac_format f = {44100, 2, 16, 0};
    for (int s = 0; s < sound_count; s++) (void)check(sounds[s], 8, &f, 4, lengths);
}

static void every_width_is_analysed_as_by_the_model(void **state) {
    (void)state;
    const int widths[] = {8, 20, 24, 32};
    for (int w = 0; w < 4; w++) {
        const flac_format f = {44100, 2, widths[w], 0};
        for (int s = 0; s < sound_count; s++) (void)check(sounds[s], 8, &f, 2, lengths);
    }
}

static void every_level_is_analysed_as_by_the_model(void **state) {
    (void)state;
    const flac_format f = {44100, 2, 16, 0};
    for (int level = 0; level <= FLAC_MAX_LEVEL; level++) {
        (void)check(sound_tone, level, &f, 2, lengths);
        (void)check(sound_noise, level, &f, 1, lengths);
    }
}

static void one_and_many_channels_are_analysed(void **state) {
    (void)state;
    const int channels[] = {1, 3, 8};
    for (int c = 0; c < 3; c++) {
        const flac_format f = {44100, channels[c], 16, 0};
        (void)check(sound_tone, 8, &f, 2, lengths);
    }
}

static void blocks_are_cut_where_the_sound_changes(void **state) {
    (void)state;
    const flac_format stereo = {44100, 2, 16, 512}, surround = {48000, 6, 24, 512};
    const int64_t full[] = {512, 512, 511};
    assert_int_equal(check(sound_change, 8, &stereo, 3, full), 4 + 4 + 1);
    assert_int_equal(check(sound_change, 5, &stereo, 3, full), 1 + 1 + 1);
    assert_int_equal(check(sound_change, 8, &surround, 1, full), 4);
    assert_int_equal(check(sound_tone, 8, &stereo, 3, full), 3);
    assert_int_equal(check(sound_noise, 8, &stereo, 3, full), 3);
    const flac_format longer = {44100, 1, 16, 256};
    const int64_t two[] = {256, 256};
    assert_int_equal(check(sound_change, 5, &longer, 2, two), 4);
}

/* What the frame of one block takes. */
static size_t size_of(int level, const flac_format *f, const int32_t *samples, int64_t n) {
    fixture x;
    fixture_init(&x, level, f);
    wadi_array element = {.rank = 2,
                          .fields = 1,
                          .type = {WADI_I32},
                          .shape = {n, f->channels},
                          .column = {(void *)samples}};
    const wadi_interp_source source = {.name = FLAC_SAMPLES, .n = 1, .elements = &element};
    const wadi_interp_io io = {.sources = &source, .nsources = 1};
    wadi_interp_results *results = NULL;
    assert_int_equal(wadi_interp_run(x.module, &io, &results, NULL), WADI_OK);
    const wadi_interp_sink *sink = wadi_interp_sink_get(results, FLAC_FRAMES);
    const flac_frame frame = frame_of(&x, sink->elements);
    const size_t size = packed_size(&frame, f);
    wadi_interp_results_destroy(results);
    fixture_fini(&x);
    return size;
}

static void wasted_bits_of_both_channels_cost_nothing(void **state) {
    (void)state;
    const flac_format narrow = {44100, 2, 16, 0}, wide = {44100, 2, 24, 0};
    int32_t *samples = sound_make(sound_tone, &narrow, 1000),
            *shifted = sound_make(sound_silence, &wide, 1000);
    /* one tone under different noise: of 16 bits mid and side are the least, but of 24 mid has only 7 of the 8 zeros */
    for (int i = 0; i < 1000; i++) {
        samples[2 * i + 1] = samples[2 * i] + sound_noise(i, 1, 2);
        samples[2 * i] += sound_noise(i, 0, 2);
    }
    for (int i = 0; i < 2000; i++) shifted[i] = samples[i] * 256;
    for (int level = 5; level <= 8; level += 3) {
        const size_t want = size_of(level, &narrow, samples, 1000);
        assert_in_range(size_of(level, &wide, shifted, 1000), want / 2, want + 70);
    }
    free(samples);
    free(shifted);
}

static void tiny_blocks_are_analysed(void **state) {
    (void)state;
    const flac_format f = {44100, 2, 16, 0};
    const int64_t tiny[] = {1, 2, 3, 4, 5, 6, 16, 63};
    (void)check(sound_noise, 8, &f, 8, tiny);
    (void)check(sound_silence, 8, &f, 8, tiny);
    (void)check(sound_tone, 8, &f, 8, tiny);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_sound_is_analysed_as_by_the_model),
        cmocka_unit_test(every_width_is_analysed_as_by_the_model),
        cmocka_unit_test(every_level_is_analysed_as_by_the_model),
        cmocka_unit_test(one_and_many_channels_are_analysed),
        cmocka_unit_test(blocks_are_cut_where_the_sound_changes),
        cmocka_unit_test(tiny_blocks_are_analysed),
        cmocka_unit_test(wasted_bits_of_both_channels_cost_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
