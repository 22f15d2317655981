/* Scans of rows of many blocks: the blocks are shared by workers, and every result is that of the law. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/conformance/runner.h"

enum {
    LONG = 9 * 4096 + 77,
    MOST = 2 * 4096 + 1,
    WIDE = 8 * 4096 + 1,
    ROUNDS = 80 * 4096 + 5,
    MANY = 1100 * 4096 + 3
};

static wadi_exp slope(wadi_exp r) {
    return wadi_get(r, "slope");
}

static wadi_exp offset(wadi_exp r) {
    return wadi_get(r, "offset");
}

/* Composition of affine maps: associative, not commutative. */
static wadi_exp after(wadi_exp f, wadi_exp g) {
    return wadi_rec2("slope", wadi_mul(slope(f), slope(g)), "offset",
                     wadi_add(wadi_mul(slope(g), offset(f)), offset(g)));
}

static wadi_exp line(wadi_exp x) {
    return wadi_rec2("slope", wadi_add(x, wadi_i64(3)), "offset", x);
}

static wadi_exp half(wadi_exp x) {
    return wadi_div(wadi_convert(WADI_F32, x), wadi_f32(3));
}

static wadi_acc all_scans(wadi_acc a) {
    const wadi_acc f = wadi_map(half, a), lines = wadi_scanl1(after, wadi_map(line, a));
    const wadi_acc parts[] = {wadi_scanl1(wadi_add, a), wadi_scanl(wadi_max, wadi_i64(7), a),
                              wadi_scanl1(wadi_add, f), wadi_scanl(wadi_add, wadi_f32(0.1F), f),
                              wadi_map(offset, lines)};
    return wadi_tuple(5, parts);
}

static int64_t *numbers(int64_t n) {
    int64_t *v = malloc((size_t)(n > 0 ? n : 1) * sizeof *v);
    assert_non_null(v);
    for (int64_t i = 0; i < n; i++) v[i] = i * 7919 % 1009 - 500;
    return v;
}

static void a_long_vector(void **state) {
    (void)state;
    int64_t *v = numbers(LONG);
    static const char *const any[] = {"?"};
    const wadi_interp_input in = {"v", conf_vector(WADI_I64, LONG, v)};
    wadi_program *p = wadi_program_create("long");
    const wadi_acc all = all_scans(wadi_input("v", WADI_I64, 1, any));
    static const char *const names[] = {"a", "b", "c", "d", "e"};
    for (int i = 0; i < 5; i++) wadi_output(names[i], wadi_tuple_get(all, i));
    conf_assert_agrees(p, &(wadi_interp_io){&in, 1, NULL, 0}, 0, NULL);
    free(v);
}

static void rows_of_a_matrix(void **state) {
    (void)state;
    int64_t *v = numbers(3 * (int64_t)MOST);
    static const char *const any[] = {"?", "?"};
    const int64_t shape[] = {3, MOST};
    const wadi_interp_input in = {"m", conf_array(WADI_I64, 2, shape, v)};
    wadi_program *p = wadi_program_create("rows");
    const wadi_acc all = all_scans(wadi_input("m", WADI_I64, 2, any));
    static const char *const names[] = {"a", "b", "c", "d", "e"};
    for (int i = 0; i < 5; i++) wadi_output(names[i], wadi_tuple_get(all, i));
    conf_assert_agrees(p, &(wadi_interp_io){&in, 1, NULL, 0}, 0, NULL);
    free(v);
}

/* Blocks are computed several at a time, and rows begin and end with fewer. */
static void long_rows_of_a_matrix(void **state) {
    (void)state;
    int64_t *v = numbers(2 * (int64_t)WIDE);
    static const char *const any[] = {"?", "?"};
    const int64_t shape[] = {2, WIDE};
    const wadi_interp_input in = {"m", conf_array(WADI_I64, 2, shape, v)};
    wadi_program *p = wadi_program_create("wide");
    const wadi_acc f = wadi_map(half, wadi_input("m", WADI_I64, 2, any));
    wadi_output("a", wadi_scanl(wadi_add, wadi_f32(0.1F), f));
    conf_assert_agrees(p, &(wadi_interp_io){&in, 1, NULL, 0}, 0, NULL);
    free(v);
}

/* So long that workers go through it in rounds: what one round has summed is carried into the next. */
static void several_rounds(void **state) {
    (void)state;
    int64_t *v = numbers(ROUNDS);
    static const char *const any[] = {"?"};
    const wadi_interp_input in = {"v", conf_vector(WADI_I64, ROUNDS, v)};
    wadi_program *p = wadi_program_create("rounds");
    const wadi_acc a = wadi_input("v", WADI_I64, 1, any);
    wadi_output("f", wadi_scanl1(wadi_add, wadi_map(half, a)));
    wadi_output("i", wadi_scanl1(wadi_add, a));
    conf_assert_agrees(p, &(wadi_interp_io){&in, 1, NULL, 0}, 0, NULL);
    free(v);
}

/* More blocks than the lanes of a group read at once when they combine what blocks have. It takes long, so only full suites and other devices ask for it. */
static void many_blocks(void **state) {
    (void)state;
    if (getenv("WADI_TEST_ALL") == NULL && getenv("WADI_DEVICE") == NULL) skip();
    int64_t *v = numbers(MANY);
    static const char *const any[] = {"?"};
    const wadi_interp_input in = {"v", conf_vector(WADI_I64, MANY, v)};
    wadi_program *p = wadi_program_create("many");
    const wadi_acc f = wadi_map(half, wadi_input("v", WADI_I64, 1, any));
    wadi_output("scan", wadi_scanl1(wadi_add, f));
    wadi_output("sum", wadi_fold(wadi_add, wadi_f32(0), f));
    conf_assert_agrees(p, &(wadi_interp_io){&in, 1, NULL, 0}, 0, NULL);
    free(v);
}

static void long_and_short_elements(void **state) {
    (void)state;
    static const int64_t lengths[] = {0, 1, 4096, 4097, MOST, 0, 5, 8192};
    enum { N = sizeof lengths / sizeof lengths[0] };
    wadi_array element[N];
    int64_t *v = numbers(MOST);
    for (int i = 0; i < N; i++) element[i] = conf_vector(WADI_I64, lengths[i], v);
    const wadi_interp_source source = {.name = "s", .n = N, .elements = element};
    const wadi_component c = {wadi_scalar_elem(WADI_I64), 1, NULL};
    wadi_program *p = wadi_program_create("mixed");
    wadi_stream_out(wadi_map_seq(all_scans, wadi_stream_in("s", 1, &c)), "out");
    conf_assert_agrees(p, &(wadi_interp_io){NULL, 0, &source, 1}, 0, NULL);
    free(v);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_long_vector),         cmocka_unit_test(rows_of_a_matrix),
        cmocka_unit_test(long_rows_of_a_matrix), cmocka_unit_test(several_rounds),
        cmocka_unit_test(many_blocks),           cmocka_unit_test(long_and_short_elements),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
