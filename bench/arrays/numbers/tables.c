/* Lines that write to small tables: histograms, and a round of k-means. */
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/text.h"
#include "bench/arrays/numbers/line.h"
#include "bench/arrays/peers/numbers.h"

/* ---- histograms ---- */

enum { COUNTED = 20000000, QUICK_COUNTED = 20011 };

static void c_histogram(const numbers_line *l, void *const *out) {
    peer_histogram(l->input[0].shape[0], l->input[0].column[0], l->extra, out[0]);
}

static wadi_status histogram_of(bench *b, int64_t bins, wadi_error *err) {
    const int64_t n = numbers_size(b, COUNTED, QUICK_COUNTED);
    char name[48], text[256];
    numbers_line l = {.benchmark = "histogram",
                      .name = name,
                      .text = text,
                      .input_name = {"x"},
                      .output = {"counts"},
                      .peer = c_histogram,
                      .task = "histogram",
                      .libraries = "numpy jax numba",
                      .extra = bins,
                      .bytes = 4 * (double)n,
                      .asked = 1.1};
    (void)snprintf(name, sizeof name, "20 M in %lld bins", (long long)bins);
    (void)snprintf(text, sizeof text,
                   "program histogram\n"
                   "input x : i32[n]\n"
                   "none = generate %lld (b) { 0 }\n"
                   "one = map x (a) { 1 }\n"
                   "counts = permute none one x (new, old) { add new old } (i, a) { true, convert "
                   "i64 a }\n"
                   "output counts\n",
                   (long long)bins);
    if (!bench_wants(b, name)) return WADI_OK;
    WADI_TRY(numbers_vector(WADI_I32, n, &l.input[0], err));
    int32_t *x = l.input[0].column[0];
    for (int64_t i = 0; i < n; i++) x[i] = (int32_t)(numbers_unit(i, 0) * (double)bins);
    const wadi_status status = numbers_compare(b, &l, err);
    free(x);
    return status;
}

wadi_status numbers_histogram(bench *b, wadi_error *err) {
    WADI_TRY(histogram_of(b, 256, err));
    return histogram_of(b, 65536, err);
}

/* ---- k-means ---- */

enum { POINTS = 4000000, QUICK_POINTS = 4001, CENTRES = 16 };

/* Sums are made in two steps: of blocks, whose points come in their order, and of the sums of blocks. */
static const char kmeans[] =
    "program kmeans\n"
    "input x : f32[n]\n"
    "input y : f32[n]\n"
    "input z : f32[n]\n"
    "input c : f32[m]\n"
    "label = zip_with x y z (p, q, r) {\n"
    "  at, best = iterate 16 (j, at, best) {\n"
    "    first = mul 3 j\n"
    "    u = sub p (c ! first)\n"
    "    v = sub q (c ! (add first 1))\n"
    "    w = sub r (c ! (add first 2))\n"
    "    d = add (add (mul u u) (mul v v)) (mul w w)\n"
    "    near = lt d best\n"
    "    if near { j } else { at }, if near { d } else { best }\n"
    "  } from 0, 3.0e38f32\n"
    "  at\n"
    "}\n"
    "none = generate 16 (i) { x: 0.0, y: 0.0, z: 0.0, n: 0 }\n"
    "point = zip_with x y z (p, q, r) { x: convert f64 p, y: convert f64 q, z: convert f64 r, n: 1 "
    "}\n"
    "sums = permute none point label (a, b, e, k, p, q, r, l) { x: add a p, y: add b q, z: add e "
    "r, n: add k l } (i, g) { true, g }\n"
    "mx = map sums (p, q, r, k) { fdiv p (convert f64 k) }\n"
    "my = map sums (p, q, r, k) { fdiv q (convert f64 k) }\n"
    "mz = map sums (p, q, r, k) { fdiv r (convert f64 k) }\n"
    "count = map sums (p, q, r, k) { k }\n"
    "output mx\noutput my\noutput mz\noutput count\n";

static void c_kmeans(const numbers_line *l, void *const *out) {
    peer_kmeans(l->input[0].shape[0], l->input[0].column[0], l->input[1].column[0],
                l->input[2].column[0], CENTRES, l->input[3].column[0], out[0], out[1], out[2],
                out[3]);
}

wadi_status numbers_kmeans(bench *b, wadi_error *err) {
    const int64_t n = numbers_size(b, POINTS, QUICK_POINTS);
    numbers_line l = {.benchmark = "kmeans",
                      .name = "4 M points, 16 centres",
                      .text = kmeans,
                      .input_name = {"x", "y", "z", "c"},
                      .output = {"mx", "my", "mz", "count"},
                      .peer = c_kmeans,
                      .task = "kmeans",
                      .libraries = "numpy jax numba",
                      .operations = 8.0 * CENTRES * (double)n,
                      .asked = 1.1,
                      .tolerance = 1e-4};
    if (!bench_wants(b, l.name)) return WADI_OK;
    wadi_status status = WADI_OK;
    for (int i = 0; i < 4 && status == WADI_OK; i++) {
        const int64_t length = i < 3 ? n : 3 * CENTRES;
        status = numbers_vector(WADI_F32, length, &l.input[i], err);
        for (int64_t k = 0; status == WADI_OK && k < length; k++)
            ((float *)l.input[i].column[0])[k] = (float)numbers_unit(k, i);
    }
    if (status == WADI_OK) status = numbers_compare(b, &l, err);
    for (int i = 0; i < 4; i++) free(l.input[i].column[0]);
    return status;
}
