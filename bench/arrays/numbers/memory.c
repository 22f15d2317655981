/* Lines that memory bounds: dot product, statistics, norm2, running sums, sums of segments. */
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "bench/arrays/numbers/line.h"
#include "bench/arrays/peers/numbers.h"

static wadi_status singles(int64_t n, int salt, wadi_array *out, wadi_error *err) {
    WADI_TRY(numbers_vector(WADI_F32, n, out, err));
    float *x = out->column[0];
    for (int64_t i = 0; i < n; i++) x[i] = (float)numbers_unit(i, salt);
    return WADI_OK;
}

static void free_inputs(const numbers_line *l) {
    for (int i = 0; i < NUMBERS_INPUTS; i++) free(l->input[i].column[0]);
}

/* ---- two vectors or one ---- */

static void c_dot(const numbers_line *l, void *const *out) {
    *(float *)out[0] = peer_dot(l->input[0].shape[0], l->input[0].column[0], l->input[1].column[0]);
}

static void c_statistics(const numbers_line *l, void *const *out) {
    float four[4];
    peer_statistics(l->input[0].shape[0], l->input[0].column[0], four);
    for (int i = 0; i < 4; i++) *(float *)out[i] = four[i];
}

static void c_norm2(const numbers_line *l, void *const *out) {
    peer_norm2(l->input[0].shape[0], l->input[0].column[0], l->input[1].column[0], out[0], out[1]);
}

enum { VECTORS = 20000000, QUICK_VECTORS = 20011 };

/* A line over one or two vectors of f32. */
static wadi_status of_vectors(bench *b, numbers_line l, int inputs, wadi_error *err) {
    const int64_t n = numbers_size(b, VECTORS, QUICK_VECTORS);
    l.name = "f32, 20 M";
    l.asked = 1.1;
    l.tolerance = 1e-3;
    l.bytes *= (double)n;
    if (!bench_wants(b, l.name)) return WADI_OK;
    wadi_status status = WADI_OK;
    for (int i = 0; i < inputs && status == WADI_OK; i++) status = singles(n, i, &l.input[i], err);
    if (status == WADI_OK) status = numbers_compare(b, &l, err);
    free_inputs(&l);
    return status;
}

wadi_status numbers_dot(bench *b, wadi_error *err) {
    return of_vectors(b,
                      (numbers_line){.benchmark = "dot",
                                     .text = "program dot\n"
                                             "input x : f32[n]\n"
                                             "input y : f32[n]\n"
                                             "p = zip_with x y (a, b) { mul a b }\n"
                                             "dot = fold 0.0f32 p (a, b) { add a b }\n"
                                             "output dot\n",
                                     .unfused = true,
                                     .input_name = {"x", "y"},
                                     .output = {"dot"},
                                     .peer = c_dot,
                                     .task = "dot",
                                     .libraries = "numpy jax numba polars",
                                     .bytes = 8,
                                     .read = 0.9},
                      2, err);
}

wadi_status numbers_statistics(bench *b, wadi_error *err) {
    return of_vectors(b,
                      (numbers_line){.benchmark = "statistics",
                                     .text = "program statistics\n"
                                             "input x : f32[n]\n"
                                             "squares = map x (a) { mul a a }\n"
                                             "s = fold 0.0f32 x (a, b) { add a b }\n"
                                             "q = fold 0.0f32 squares (a, b) { add a b }\n"
                                             "least = fold1 x (a, b) { min a b }\n"
                                             "most = fold1 x (a, b) { max a b }\n"
                                             "output s\noutput q\noutput least\noutput most\n",
                                     .input_name = {"x"},
                                     .output = {"s", "q", "least", "most"},
                                     .peer = c_statistics,
                                     .task = "statistics",
                                     .libraries = "numpy jax numba polars",
                                     .bytes = 4,
                                     .read = 0.9},
                      1, err);
}

wadi_status numbers_norm2(bench *b, wadi_error *err) {
    return of_vectors(b,
                      (numbers_line){.benchmark = "norm2",
                                     .text = "program norm2\n"
                                             "input x : f32[n]\n"
                                             "input y : f32[n]\n"
                                             "ones = map y (v) { convert i64 (gt v 0.0f32) }\n"
                                             "count = fold 0 ones (a, v) { add a v }\n"
                                             "kept = compact count y (v) { gt v 0.0f32 }\n"
                                             "s = fold 0.0f32 x (a, v) { add a v }\n"
                                             "t = fold 0.0f32 kept (a, v) { add a v }\n"
                                             "p = map x (v) { fdiv v (the s) }\n"
                                             "q = map y (v) { fdiv v (the t) }\n"
                                             "output p\noutput q\n",
                                     .input_name = {"x", "y"},
                                     .output = {"p", "q"},
                                     .unfused = true,
                                     .peer = c_norm2,
                                     .task = "norm2",
                                     .libraries = "numpy jax numba",
                                     .bytes = 24},
                      2, err);
}

/* ---- 100 million ---- */

enum { MANY = 100000000, QUICK_MANY = 100000 };

static wadi_status doubles(int64_t n, wadi_array *out, wadi_error *err) {
    WADI_TRY(numbers_vector(WADI_F64, n, out, err));
    double *x = out->column[0];
    for (int64_t i = 0; i < n; i++) x[i] = numbers_unit(i, 0);
    return WADI_OK;
}

static void c_scan(const numbers_line *l, void *const *out) {
    peer_scan(l->input[0].shape[0], l->input[0].column[0], out[0]);
}

wadi_status numbers_scan(bench *b, wadi_error *err) {
    const int64_t n = numbers_size(b, MANY, QUICK_MANY);
    numbers_line l = {.benchmark = "scan",
                      .name = "f64, 100 M",
                      .text = "program scan\n"
                              "input x : f64[n]\n"
                              "s = scanl1 x (a, b) { add a b }\n"
                              "output s\n",
                      .input_name = {"x"},
                      .output = {"s"},
                      .peer = c_scan,
                      .task = "scan",
                      .libraries = "numpy jax numba polars",
                      .bytes = 16 * (double)n,
                      .asked = 1.1,
                      .read = 0.9,
                      .tolerance = 1e-9};
    if (!bench_wants(b, l.name)) return WADI_OK;
    wadi_status status = doubles(n, &l.input[0], err);
    if (status == WADI_OK) status = numbers_compare(b, &l, err);
    free_inputs(&l);
    return status;
}

static void c_segments(const numbers_line *l, void *const *out) {
    peer_segments(l->input[1].shape[0] - 1, l->input[1].column[0], l->input[0].column[0], out[0]);
}

/* Segments of equal length, by offsets. */
static wadi_status segments_of(bench *b, const wadi_array *x, int64_t length, wadi_error *err) {
    const int64_t n = x->shape[0], rows = n / length;
    char name[48];
    numbers_line l = {.benchmark = "segments",
                      .name = name,
                      .text = "program segments\n"
                              "input x : f64[n]\n"
                              "input o : i64[m]\n"
                              "s = fold_seg 0.0 o x (a, b) { add a b }\n"
                              "output s\n",
                      .input_name = {"x", "o"},
                      .input = {*x},
                      .output = {"s"},
                      .peer = c_segments,
                      .task = "segments",
                      .libraries = "numpy numba",
                      .extra = length,
                      .bytes = 8 * (double)n + 16 * (double)rows,
                      .asked = 1.1,
                      .read = 0.9,
                      .tolerance = 1e-9};
    (void)snprintf(name, sizeof name, "f64, %lld of %lld", (long long)rows, (long long)length);
    if (!bench_wants(b, name)) return WADI_OK;
    WADI_TRY(numbers_vector(WADI_I64, rows + 1, &l.input[1], err));
    int64_t *at = l.input[1].column[0];
    for (int64_t r = 0; r <= rows; r++) at[r] = r * length;
    const wadi_status status = numbers_compare(b, &l, err);
    free(at);
    return status;
}

wadi_status numbers_segments(bench *b, wadi_error *err) {
    wadi_array x = {0};
    wadi_status status = doubles(numbers_size(b, MANY, QUICK_MANY), &x, err);
    for (int64_t length = 1; status == WADI_OK && length <= x.shape[0]; length *= 10)
        status = segments_of(b, &x, length, err);
    free(x.column[0]);
    return status;
}
