/* Features of sliding windows over sound: energy, zero crossings and peak of every window of 1024 samples, a new one every 512.
 *
 * wadi: the streaming form (a window is an element, cut where it stands), the same from a stream of blocks, as sound arrives from
 * outside, and the whole-array form (folds over the rows of a matrix that is never stored).
 * Peer: the same in C with OpenMP. The sound is synthetic: tones whose pitch moves, with noise. */
#include "bench/streams/benchmarks.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "bench/streams/program.h"

enum { SIZE = 1024, FEATURES = 3, BLOCK = 4096 };
static const char *const names[FEATURES] = {"energy", "crossings", "peak"};

/* ---- the programs ---- */

typedef struct job {
    wadi_acc samples;
    int64_t hop;
} job;

static job declare(int64_t hop) {
    static const char *const n[] = {"n"};
    return (job){wadi_input("samples", WADI_F32, 1, n), hop};
}

/* Full windows. */
static wadi_exp windows_of(const job *j) {
    const wadi_exp n = wadi_extent(j->samples, 0);
    return wadi_max(wadi_i64(0), wadi_add(wadi_quot(wadi_sub(n, wadi_i64(SIZE)), wadi_i64(j->hop)),
                                          wadi_i64(1)));
}

static wadi_exp square(wadi_exp x) {
    return wadi_mul(x, x);
}

static wadi_exp differs(wadi_exp a, wadi_exp b) {
    const wadi_exp zero = wadi_f32(0);
    return wadi_convert(WADI_I32, wadi_ne(wadi_lt(a, zero), wadi_lt(b, zero)));
}

static wadi_acc features(wadi_acc window) {
    const wadi_acc first = wadi_take(wadi_i64(SIZE - 1), window),
                   second = wadi_drop(wadi_i64(1), window);
    const wadi_acc parts[FEATURES] = {wadi_sum(wadi_map(square, window)),
                                      wadi_sum(wadi_zip_with(differs, first, second)),
                                      wadi_fold(wadi_max, wadi_f32(0), wadi_map(wadi_abs, window))};
    return wadi_tuple(FEATURES, parts);
}

typedef struct start {
    wadi_exp at;
} start;

static wadi_ix shifted(void *env, wadi_ix ix) {
    return wadi_ix1(wadi_add(((const start *)env)->at, ix.at[0]));
}

static wadi_acc cut_window(void *env, wadi_exp i) {
    const job *j = env;
    start s = {wadi_mul(i, wadi_i64(j->hop))};
    return wadi_backpermute_env(wadi_ix1(wadi_i64(SIZE)), shifted, &s, j->samples);
}

static wadi_program *streaming(int64_t hop) {
    wadi_program *p = wadi_program_create("windows_stream");
    if (p == NULL) return NULL;
    job j = declare(hop);
    const wadi_seq windows = wadi_produce_env(windows_of(&j), cut_window, &j);
    const wadi_acc all = wadi_consume(wadi_elements(wadi_map_seq(features, windows)));
    for (int i = 0; i < FEATURES; i++) wadi_output(names[i], wadi_tuple_get(all, i));
    return p;
}

/* The same windows cut from a stream of blocks, as samples arrive from outside. */
static wadi_program *arriving(int64_t hop) {
    wadi_program *p = wadi_program_create("windows_arriving");
    if (p == NULL) return NULL;
    const job j = declare(hop);
    const wadi_seq blocks = wadi_subarrays(wadi_ix1(wadi_i64(BLOCK)), j.samples);
    const wadi_seq windows = wadi_windows(wadi_i64(SIZE), wadi_i64(hop), WADI_LAST_DROP, blocks);
    const wadi_acc all = wadi_consume(wadi_elements(wadi_map_seq(features, windows)));
    for (int i = 0; i < FEATURES; i++) wadi_output(names[i], wadi_tuple_get(all, i));
    return p;
}

/* All windows as the rows of a matrix that fusion never stores. */
static wadi_ix in_row(void *env, wadi_ix ix) {
    const job *j = env;
    return wadi_ix1(wadi_add(wadi_mul(ix.at[0], wadi_i64(j->hop)), ix.at[1]));
}

static wadi_program *whole(int64_t hop) {
    wadi_program *p = wadi_program_create("windows_whole");
    if (p == NULL) return NULL;
    job j = declare(hop);
    const wadi_acc rows =
        wadi_backpermute_env(wadi_ix2(windows_of(&j), wadi_i64(SIZE)), in_row, &j, j.samples);
    const wadi_acc all = features(rows);
    for (int i = 0; i < FEATURES; i++) wadi_output(names[i], wadi_tuple_get(all, i));
    return p;
}

/* ---- the loop in C ---- */

typedef struct loop {
    const float *samples;
    int64_t windows, hop;
    float *energy, *peak;
    int32_t *crossings;
    int threads;
} loop;

static void one_window(const loop *l, int64_t w) {
    const float *x = l->samples + w * l->hop;
    float energy[16] = {0}, peak = 0, sum = 0;
    int32_t crossings = 0;
    for (int i = 0; i < SIZE; i += 16) {
        for (int k = 0; k < 16; k++) energy[k] += x[i + k] * x[i + k];
    }
    for (int k = 0; k < 16; k++) sum += energy[k];
    for (int i = 0; i < SIZE; i++) {
        const float level = x[i] < 0 ? -x[i] : x[i];
        peak = level > peak ? level : peak;
    }
    for (int i = 0; i + 1 < SIZE; i++) crossings += (x[i] < 0) != (x[i + 1] < 0);
    l->energy[w] = sum;
    l->peak[w] = peak;
    l->crossings[w] = crossings;
}

static wadi_status run_loop(void *env, double *out_seconds, wadi_error *err) {
    const loop *l = env;
    WADI_UNUSED(out_seconds);
    WADI_UNUSED(err);
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic, 64) num_threads(l->threads)
#endif
    for (int64_t w = 0; w < l->windows; w++) one_window(l, w);
    return WADI_OK;
}

/* ---- all together ---- */

static wadi_status check(bench_program *p, const char *what, const loop *l, wadi_error *err) {
    double unused = -1;
    wadi_array energy, crossings, peak;
    WADI_TRY(bench_program_run(p, &unused, err));
    WADI_TRY(bench_program_result(p, "energy", &energy, err));
    WADI_TRY(bench_program_result(p, "crossings", &crossings, err));
    WADI_TRY(bench_program_result(p, "peak", &peak, err));
    for (int64_t w = 0; w < l->windows; w++) {
        const float e = ((const float *)energy.column[0])[w];
        const int32_t c = ((const int32_t *)crossings.column[0])[w];
        const float k = ((const float *)peak.column[0])[w];
        const float off = e > l->energy[w] ? e - l->energy[w] : l->energy[w] - e;
        if (off <= 1e-5f * l->energy[w] && c == l->crossings[w] && k == l->peak[w]) continue;
        return wadi_fail(err, WADI_INTERNAL, "%s: window %lld gives %g, %d, %g", what, (long long)w,
                         (double)e, (int)c, (double)k);
    }
    return WADI_OK;
}

static float *make_sound(int64_t n) {
    float *x = malloc(((size_t)n + 1) * sizeof *x);
    uint32_t noise = 1;
    double phase = 0;
    for (int64_t i = 0; x != NULL && i < n; i++) {
        noise = noise * 1664525u + 1013904223u;
        phase += 0.02 + 0.3 * (double)(i % 100000) * 1e-5;
        if (phase > 6.283185307179586) phase -= 6.283185307179586;
        x[i] = (float)(0.7 * sin(phase) + 0.1 * ((double)(noise >> 8) * 0x1p-23 - 1));
    }
    return x;
}

static wadi_status make_room(loop *l, wadi_error *err) {
    const size_t n = (size_t)l->windows + 1;
    l->energy = calloc(n, sizeof *l->energy);
    l->peak = calloc(n, sizeof *l->peak);
    l->crossings = calloc(n, sizeof *l->crossings);
    if (l->energy && l->peak && l->crossings) return WADI_OK;
    return wadi_fail(err, WADI_MEMORY, "out of memory");
}

static wadi_status compare(bench *b, const char *name, int64_t n, loop *l, bench_program *stream,
                           bench_program *blocks, bench_program *one, wadi_error *err) {
    double unused = -1;
    WADI_TRY(make_room(l, err));
    WADI_TRY(bench_program_open(b, streaming(l->hop), stream, err));
    WADI_TRY(bench_program_open(b, arriving(l->hop), blocks, err));
    WADI_TRY(bench_program_open(b, whole(l->hop), one, err));
    bench_program_vector(stream, "samples", WADI_F32, n, l->samples);
    bench_program_vector(blocks, "samples", WADI_F32, n, l->samples);
    bench_program_vector(one, "samples", WADI_F32, n, l->samples);
    WADI_TRY(run_loop(l, &unused, err));
    WADI_TRY(check(stream, "windows, streaming", l, err));
    WADI_TRY(check(blocks, "windows, stream of blocks", l, err));
    WADI_TRY(check(one, "windows, whole array", l, err));
    const bench_side side[] = {{"wadi", bench_program_run, stream},
                               {"wadi whole array", bench_program_run, one},
                               {"wadi stream of blocks", bench_program_run, blocks},
                               {"C OpenMP", run_loop, l}};
    return bench_compare(b, "windows", name, 4, side, NULL, err);
}

static wadi_status one_case(bench *b, const char *name, int64_t hop, wadi_error *err) {
    const int64_t n = b->quick ? 100000 : INT64_C(40000000);
    if (!bench_wants(b, name)) return WADI_OK;
    float *samples = make_sound(n);
    if (samples == NULL) return wadi_fail(err, WADI_MEMORY, "out of memory");
    loop l = {
        .samples = samples, .windows = (n - SIZE) / hop + 1, .hop = hop, .threads = b->threads};
    bench_program stream = {0}, blocks = {0}, one = {0};
    const wadi_status status = compare(b, name, n, &l, &stream, &blocks, &one, err);
    bench_program_close(&stream);
    bench_program_close(&blocks);
    bench_program_close(&one);
    free(l.energy);
    free(l.peak);
    free(l.crossings);
    free(samples);
    return status;
}

wadi_status bench_windows(bench *b, wadi_error *err) {
    WADI_TRY(one_case(b, "windows of 1024, hop 512", 512, err));
    return one_case(b, "windows of 1024, hop 1024", 1024, err);
}
