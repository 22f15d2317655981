/* Folds that go through one array together: of what a filter keeps, and beside a map and a scan. The peers have one thread: for one thread of each,
 * --threads 1. */
#include <stdlib.h>

#include "base/error.h"
#include "bench/arrays/numbers/line.h"
#include "bench/arrays/peers/numbers.h"

enum { ELEMENTS = 20000000, QUICK_ELEMENTS = 20011 };

static wadi_status of_vector(bench *b, numbers_line l, wadi_array x, wadi_error *err) {
    l.peer_name = "C, one thread";
    l.bytes *= (double)x.shape[0];
    l.tolerance = 1e-3;
    l.input[0] = x;
    return bench_wants(b, l.name) ? numbers_compare(b, &l, err) : WADI_OK;
}

/* ---- a filter ---- */

static void c_masked(const numbers_line *l, void *const *out) {
    int32_t three[3];
    peer_masked(l->input[0].shape[0], l->input[0].column[0], out[0], three);
    for (int i = 0; i < 3; i++) *(int32_t *)out[i + 1] = three[i];
}

wadi_status numbers_masked(bench *b, wadi_error *err) {
    const numbers_line l = {.benchmark = "masked",
                            .name = "count, sum, least, greatest of what is positive",
                            .text = "program masked\n"
                                    "input x : i32[n]\n"
                                    "ones = map x (v) { convert i64 (gt v 0i32) }\n"
                                    "count = fold 0 ones (a, v) { add a v }\n"
                                    "kept = compact count x (v) { gt v 0i32 }\n"
                                    "sum = fold 0i32 kept (a, v) { add a v }\n"
                                    "least = fold1 kept (a, v) { min a v }\n"
                                    "most = fold1 kept (a, v) { max a v }\n"
                                    "output count\noutput sum\noutput least\noutput most\n",
                            .input_name = {"x"},
                            .output = {"count", "sum", "least", "most"},
                            .peer = c_masked,
                            .bytes = 4};
    wadi_array x;
    WADI_TRY(numbers_vector(WADI_I32, numbers_size(b, ELEMENTS, QUICK_ELEMENTS), &x, err));
    int32_t *at = x.column[0];
    for (int64_t i = 0; i < x.shape[0]; i++) at[i] = (int32_t)((numbers_unit(i, 0) - 0.5) * 0x1p32);
    const wadi_status status = of_vector(b, l, x, err);
    free(at);
    return status;
}

/* ---- beside a map and a scan ---- */

static void c_map(const numbers_line *l, void *const *out) {
    *(float *)out[0] = peer_fold_and_map(l->input[0].shape[0], l->input[0].column[0], out[1]);
}

static void c_scan(const numbers_line *l, void *const *out) {
    *(float *)out[0] = peer_fold_and_scan(l->input[0].shape[0], l->input[0].column[0], out[1]);
}

wadi_status numbers_beside(bench *b, wadi_error *err) {
    const numbers_line lines[] = {{.benchmark = "beside",
                                   .name = "a sum beside a map",
                                   .text = "program beside\n"
                                           "input x : f32[n]\n"
                                           "sum = fold 0.0f32 x (a, v) { add a v }\n"
                                           "half = map x (v) { mul v 0.5f32 }\n"
                                           "output sum\noutput half\n",
                                   .input_name = {"x"},
                                   .output = {"sum", "half"},
                                   .peer = c_map,
                                   .bytes = 8},
                                  {.benchmark = "beside",
                                   .name = "a maximum beside a scan",
                                   .text = "program beside\n"
                                           "input x : f32[n]\n"
                                           "most = fold1 x (a, v) { max a v }\n"
                                           "sums = scanl1 x (a, v) { add a v }\n"
                                           "output most\noutput sums\n",
                                   .input_name = {"x"},
                                   .output = {"most", "sums"},
                                   .peer = c_scan,
                                   .bytes = 8}};
    wadi_array x;
    WADI_TRY(numbers_vector(WADI_F32, numbers_size(b, ELEMENTS, QUICK_ELEMENTS), &x, err));
    float *at = x.column[0];
    for (int64_t i = 0; i < x.shape[0]; i++) at[i] = (float)numbers_unit(i, 0);
    wadi_status status = of_vector(b, lines[0], x, err);
    if (status == WADI_OK) status = of_vector(b, lines[1], x, err);
    free(at);
    return status;
}
