/* Rows of all lengths around those of stripes, groups, tiles and blocks, in schedule group and in the others: whatever lanes take together
 * gives the interpreter's bits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/conformance/runner.h"

enum { BINS = 16, ROWS = 5 };

static const char vectors[] =
    "program vectors\n"
    "input x : i64[n]\n"
    "input w : f64[n]\n"
    "input k : i64[n]\n"
    "input o : i64[3]\n"
    "input e : i64[2]\n"
    "sums = scanl 0 x (a, b) { add a b }\n"
    "most = scanl1 x (a, b) { max a b }\n"
    "floats = scanl1 w (a, b) { add a b }\n"
    "total = fold 0.25 w (a, b) { add a b }\n"
    "faded = fold 0.5 w (a, b) { add (mul a 0.75) b }\n"
    "keep = map x (a) { if gt a 0 { 1 } else { 0 } }\n"
    "count = fold 0 keep (a, b) { add a b }\n"
    "kept = compact count x (a) { gt a 0 }\n"
    "none = generate 16 (i) { 0 }\n"
    "bins = permute none x k (new, old) { add new old } (i, j) { true, j }\n"
    "zero = generate 16 (i) { 0.0 }\n"
    "heaps = permute zero w k (new, old) { add new old } (i, j) { true, j }\n"
    "len = unit { extent x 0 }\n"
    "same = generate len (i) { 0.5 }\n"
    "back = permute same w (new, old) { sub new old } (i) { true, i }\n"
    "parts = fold_seg 0.0 o w (a, b) { add a b }\n"
    "within = scanl1_seg o w (a, b) { add a b }\n"
    "all = unit { o ! 2 }\n"
    "grown = expand all o e (a, j) { add a j }\n"
    "output sums\noutput most\noutput floats\noutput total\noutput faded\noutput kept\noutput "
    "bins\n"
    "output heaps\noutput back\noutput parts\noutput within\noutput grown\n";

static const char rows[] = "program rows\n"
                           "input m : f64[r, n]\n"
                           "input i : i64[r, n]\n"
                           "sums = fold 0.25 m (a, b) { add a b }\n"
                           "faded = fold 0.5 m (a, b) { add (mul a 0.75) b }\n"
                           "floats = scanl 0.5 m (a, b) { add a b }\n"
                           "whole = scanl1 i (a, b) { add a b }\n"
                           "keep = map i (a) { if gt a 0 { 1 } else { 0 } }\n"
                           "counts = fold 0 keep (a, b) { add a b }\n"
                           "apart = partition counts i (a) { gt a 0 }\n"
                           "output sums\noutput faded\noutput floats\noutput whole\noutput apart\n";

static void agrees(const char *text, const wadi_interp_io *io, int64_t n) {
    static const conf_variant variants[] = {{NULL, WADI_SCHEDULE_FORCE_GROUP, 1, 0},
                                            {NULL, WADI_SCHEDULE_FORCE_GROUP, 2, 0},
                                            {NULL, WADI_SCHEDULE_FORCE_FLAT, 2, 0}};
    conf_case c;
    wadi_text why;
    wadi_text_init(&why);
    bool same = conf_case_text(&c, text, io, &why) && c.want;
    wadi_exe *exe = same ? conf_compile(&c, NULL, &why) : NULL;
    for (size_t k = 0; same && k < sizeof variants / sizeof *variants; k++)
        same = exe && conf_run(&c, exe, &variants[k], &why);
    wadi_exe_destroy(exe);
    if (!same) print_error("%lld elements: %s%s\n", (long long)n, wadi_text_str(&why), c.fault.msg);
    conf_case_fini(&c);
    wadi_text_fini(&why);
    assert_true(same);
}

/* Numbers whose sums are not exact, those of both signs, and bins. */
typedef struct numbers {
    double *w;
    int64_t *x, *k;
} numbers;

static numbers numbers_of(int64_t n) {
    const size_t room = (size_t)(n + 1);
    const numbers a = {malloc(room * sizeof *a.w), malloc(room * sizeof *a.x),
                       malloc(room * sizeof *a.k)};
    assert_true(a.w && a.x && a.k);
    uint32_t seed = 12345;
    for (int64_t i = 0; i < n; i++) {
        seed = seed * 1664525U + 1013904223U;
        a.w[i] = (double)(seed >> 8) / 3.0;
        a.x[i] = (int64_t)(seed >> 24) - 100;
        a.k[i] = (int64_t)(seed >> 16) % BINS;
    }
    return a;
}

static void drop(const numbers *a) {
    free(a->w);
    free(a->x);
    free(a->k);
}

static void vectors_of_all_lengths(void **state) {
    static const int64_t lengths[] = {0,     1,     2,     15,    16,     17,    31,   63,
                                      64,    65,    1023,  1025,  4095,   4096,  4097, 8191,
                                      12288, 12289, 16385, 65537, 100000, 270000};
    (void)state;
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
        const int64_t n = lengths[k];
        const numbers a = numbers_of(n);
        int64_t offsets[] = {0, n / 3, n}, each[] = {5, -7};
        const wadi_interp_input in[] = {{"x", conf_vector(WADI_I64, n, a.x)},
                                        {"w", conf_vector(WADI_F64, n, a.w)},
                                        {"k", conf_vector(WADI_I64, n, a.k)},
                                        {"o", conf_vector(WADI_I64, 3, offsets)},
                                        {"e", conf_vector(WADI_I64, 2, each)}};
        const wadi_interp_io io = {.inputs = in, .ninputs = 5};
        agrees(vectors, &io, n);
        drop(&a);
    }
}

static void rows_of_all_lengths(void **state) {
    static const int64_t lengths[] = {0, 1, 15, 16, 17, 63, 64, 65, 4095, 4096, 4097, 9000};
    (void)state;
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
        const int64_t n = lengths[k], shape[] = {ROWS, n};
        const numbers a = numbers_of(ROWS * n);
        const wadi_interp_input in[] = {{"m", conf_array(WADI_F64, 2, shape, a.w)},
                                        {"i", conf_array(WADI_I64, 2, shape, a.x)}};
        const wadi_interp_io io = {.inputs = in, .ninputs = 2};
        agrees(rows, &io, n);
        drop(&a);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(vectors_of_all_lengths),
                                       cmocka_unit_test(rows_of_all_lengths)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
