/* The language's own transforms, spread, foreign's fallback and with_lifted: compiled code against the interpreter, to the
 * bit. (The runner compiles without library routines, which may round differently.) */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <math.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/conformance/runner.h"

enum { N = 12, LONGEST = 200 };

static double signal[2 * N * 96];

static void make_signal(void) {
    for (int i = 0; i < 2 * N * 96; i++) signal[i] = sin(0.7 * i) + 0.01 * (i % 7);
}

static void check_stream(wadi_acc_fn1 body, wadi_type type, int rank, const char *const *extents,
                         const wadi_array *elements) {
    const wadi_interp_source source = {.name = "s", .n = N, .elements = elements};
    const wadi_interp_io io = {NULL, 0, &source, 1};
    wadi_component c = {wadi_scalar_elem(type), rank, extents};
    wadi_program *p = wadi_program_create("fft");
    wadi_stream_out(wadi_map_seq(body, wadi_stream_in("s", 1, &c)), "out");
    conf_assert_agrees_briefly(p, &io);
}

static wadi_acc own(wadi_acc x) {
    return wadi_fft(x);
}

static wadi_acc sized(wadi_acc x) {
    static const int64_t n[] = {4, 6};
    return wadi_ifft_nd(2, wadi_fft_sized(2, n, false, x));
}

static wadi_acc real_there_and_back(wadi_acc x) {
    return wadi_irfft(wadi_extent(x, 0), wadi_rfft(x));
}

static void ragged_vectors(void **state) {
    (void)state;
    static const int64_t lengths[N] = {8, 0, 1, 7, 32, 8, 3, 16, 60, 2, 13, 8};
    wadi_array e[N], r[N];
    for (int i = 0; i < N; i++) {
        e[i] = conf_vector(WADI_C128, lengths[i], signal + 2 * i);
        r[i] = conf_vector(WADI_F64, lengths[i], signal + i);
    }
    check_stream(own, WADI_C128, 1, NULL, e);
    check_stream(real_there_and_back, WADI_F64, 1, NULL, r);
}

static void regular_matrices(void **state) {
    (void)state;
    static const int64_t shape[] = {4, 6};
    static const char *const extents[] = {"4", "6"};
    wadi_array e[N];
    for (int i = 0; i < N; i++) e[i] = conf_array(WADI_C128, 2, shape, signal + 48 * i);
    check_stream(sized, WADI_C128, 2, extents, e);
    check_stream(sized, WADI_C128, 2, NULL, e);
}

/* ---- spread ---- */

static wadi_exp three(wadi_exp x) {
    return wadi_rec3("a", x, "b", wadi_mul(x, x), "c", wadi_sub(x, wadi_f64(1)));
}

static wadi_acc spread_both_ways(wadi_acc x) {
    const wadi_acc y = wadi_map(three, x);
    return wadi_tuple2(wadi_spread_on(0, y), wadi_sum(wadi_spread_on(1, y)));
}

static void spread_in_streams_and_whole(void **state) {
    (void)state;
    wadi_array e[N];
    for (int i = 0; i < N; i++) e[i] = conf_vector(WADI_F64, i * i % 31, signal + i);
    const wadi_interp_source source = {.name = "s", .n = N, .elements = e};
    wadi_component c = {wadi_scalar_elem(WADI_F64), 1, NULL};
    wadi_program *p = wadi_program_create("spread");
    wadi_stream_out(wadi_map_seq(spread_both_ways, wadi_stream_in("s", 1, &c)), "out");
    conf_assert_agrees(p, &(wadi_interp_io){NULL, 0, &source, 1}, 0, NULL);

    static const int64_t shape[] = {7, 96};
    static const char *const any[] = {"?", "?"};
    p = wadi_program_create("spread_whole");
    const wadi_acc x = wadi_input("x", WADI_F64, 2, any);
    wadi_output("y", wadi_spread_on(1, wadi_map(three, x)));
    const wadi_interp_input in = {"x", conf_array(WADI_F64, 2, shape, signal)};
    conf_assert_agrees(p, &(wadi_interp_io){&in, 1, NULL, 0}, 0, NULL);
}

/* ---- with_lifted ---- */

static wadi_exp twice(wadi_exp x) {
    return wadi_mul(x, wadi_f64(2));
}

static wadi_acc row_sums(wadi_acc x) {
    return wadi_sum(wadi_map(twice, x));
}

/* The same text serves both: it works on the innermost dimension. */
static wadi_acc lifted_sums(wadi_acc x) {
    const wadi_acc y = wadi_map(twice, x);
    return wadi_tuple2(wadi_with_lifted(row_sums, row_sums, y), y);
}

static wadi_acc pair(wadi_acc t) {
    return wadi_tuple2(wadi_zip_with(wadi_add, wadi_tuple_get(t, 0), wadi_tuple_get(t, 1)),
                       wadi_tuple_get(t, 0));
}

static wadi_acc lifted_pair(wadi_acc x) {
    return wadi_with_lifted(pair, pair, wadi_tuple2(x, wadi_map(twice, x)));
}

static void manual_lifting(void **state) {
    (void)state;
    static const char *const extents[] = {"5"};
    wadi_array e[N], r[N];
    for (int i = 0; i < N; i++) {
        e[i] = conf_vector(WADI_F64, 5, signal + 5 * i);
        r[i] = conf_vector(WADI_F64, i % 4, signal + i);
    }
    check_stream(lifted_sums, WADI_F64, 1, extents, e);
    check_stream(lifted_sums, WADI_F64, 1, NULL, r);
    check_stream(lifted_pair, WADI_F64, 1, extents, e);
    check_stream(lifted_pair, WADI_F64, 1, NULL, r);
}

static wadi_acc lifted_row_sums(wadi_acc x) {
    return wadi_with_lifted(row_sums, row_sums, x);
}

/* Windows that overlap and such with gaps: the chunk is no matrix. */
static void manual_lifting_of_windows(void **state) {
    (void)state;
    wadi_array e[40];
    for (int i = 0; i < 40; i++) e[i] = conf_scalar(WADI_F64, signal + i);
    const wadi_interp_source source = {.name = "s", .n = 40, .elements = e};
    const wadi_component c = {wadi_scalar_elem(WADI_F64), 0, NULL};
    for (int64_t hop = 3; hop < 12; hop += 8) {
        wadi_program *p = wadi_program_create("windows");
        const wadi_seq s =
            wadi_windows(wadi_i64(7), wadi_i64(hop), WADI_LAST_DROP, wadi_stream_in("s", 1, &c));
        wadi_stream_out(wadi_map_seq(lifted_row_sums, s), "out");
        conf_assert_agrees(p, &(wadi_interp_io){NULL, 0, &source, 1}, 0, NULL);
    }
}

int main(void) {
    make_signal();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ragged_vectors),
        cmocka_unit_test(regular_matrices),
        cmocka_unit_test(spread_in_streams_and_whole),
        cmocka_unit_test(manual_lifting),
        cmocka_unit_test(manual_lifting_of_windows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
