/* Sources that are pieces of an array, compiled: values under every variant, and the same faults as the interpreter's in the
 * same element, with the operator's name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tests/conformance/runner.h"

enum { VALUES = 40 };

static float values[VALUES];
static int64_t numbers[16], extents[16];
static wadi_interp_input inputs[3];

static const wadi_interp_io *given(int n, const int64_t *list, int rows, int rank,
                                   const int64_t *table) {
    static wadi_interp_io io;
    for (int i = 0; i < VALUES; i++) values[i] = (float)(i * 7 % 11) * 0.5F;
    if (n > 0) memcpy(numbers, list, (size_t)n * sizeof *list);
    if (rows > 0) memcpy(extents, table, (size_t)(rows * rank) * sizeof *table);
    inputs[0] = (wadi_interp_input){"v", conf_vector(WADI_F32, VALUES, values)};
    inputs[1] = (wadi_interp_input){"o", conf_vector(WADI_I64, n, numbers)};
    inputs[2] =
        (wadi_interp_input){"t", conf_array(WADI_I64, 2, (const int64_t[]){rows, rank}, extents)};
    io = (wadi_interp_io){.inputs = inputs, .ninputs = rank > 0 ? 3 : 2};
    return &io;
}

static wadi_acc values_in(void) {
    return wadi_input("v", WADI_F32, 1, (const char *const[]){"n"});
}

static wadi_acc numbers_in(void) {
    return wadi_input("o", WADI_I64, 1, (const char *const[]){"l"});
}

static wadi_acc table_in(int rank) {
    return wadi_input("t", WADI_I64, 2, (const char *const[]){"rows", rank == 1 ? "1" : "2"});
}

static wadi_exp square(wadi_exp x) {
    return wadi_mul(x, x);
}

/* Reads the piece twice: it is delayed and read where it lies. */
static wadi_acc moments(wadi_acc a) {
    const wadi_acc sum = wadi_fold_all(wadi_add, wadi_f32(0), a);
    const wadi_acc squares = wadi_fold_all(wadi_add, wadi_f32(0), wadi_map(square, a));
    return wadi_zip_with(wadi_sub, squares, sum);
}

static void looked_at(wadi_seq s) {
    wadi_output("moments", wadi_consume(wadi_elements(wadi_map_seq(moments, s))));
    wadi_output("all", wadi_consume(wadi_elements(s)));
}

#define LIST(...)                                                                        \
    (int)(sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), (const int64_t[]) { \
        __VA_ARGS__                                                                      \
    }

static void offsets_cut_a_vector_into_rows(void **state) {
    (void)state;
    wadi_program *p = wadi_program_create("offsets");
    looked_at(wadi_from_offsets(numbers_in(), values_in()));
    conf_assert_agrees(p, given(LIST(0, 3, 3, 4, 20, 37, 40), 0, 0, NULL), 0, NULL);
}

static void no_offsets_are_no_rows(void **state) {
    (void)state;
    wadi_program *p = wadi_program_create("none");
    looked_at(wadi_from_offsets(numbers_in(), values_in()));
    conf_assert_agrees_briefly(p, given(0, NULL, 0, 0, NULL));
    p = wadi_program_create("one");
    looked_at(wadi_from_offsets(numbers_in(), values_in()));
    conf_assert_agrees_briefly(p, given(LIST(7), 0, 0, NULL));
}

static void segments_overlap(void **state) {
    (void)state;
    wadi_program *p = wadi_program_create("segs");
    looked_at(wadi_from_segs(numbers_in(), table_in(2), values_in()));
    conf_assert_agrees(p, given(LIST(0, 2, 2, 30), 4, 2, (const int64_t[]){3, 4, 1, 7, 0, 5, 5, 2}),
                       0, NULL);
}

static void shapes_cut_a_vector(void **state) {
    (void)state;
    wadi_program *p = wadi_program_create("shapes");
    looked_at(wadi_from_shapes(table_in(2), values_in()));
    conf_assert_agrees(p, given(LIST(0), 4, 2, (const int64_t[]){3, 4, 1, 7, 0, 5, 5, 2}), 0, NULL);
}

static void rows_columns_and_tiles(void **state) {
    (void)state;
    wadi_program *p = wadi_program_create("tiles");
    const wadi_acc v = values_in(), o = numbers_in();
    const wadi_acc a = wadi_reshape(wadi_ix2(wadi_index1(o, wadi_i64(0)), wadi_i64(8)), v);
    const wadi_seq tiles = wadi_subarrays(wadi_ix2(wadi_index1(o, wadi_i64(1)), wadi_i64(3)), a);
    wadi_output("rows", wadi_consume(wadi_elements(wadi_map_seq(moments, wadi_to_seq(a)))));
    wadi_output("columns",
                wadi_consume(wadi_elements(wadi_map_seq(moments, wadi_to_seq_on(1, a)))));
    looked_at(tiles);
    conf_assert_agrees(p, given(LIST(5, 2), 0, 0, NULL), 0, NULL);
}

/* Two sequences that count: one loop over both. */
static wadi_acc side_by_side(wadi_acc x, wadi_acc y) {
    return wadi_tuple2(wadi_fold_all(wadi_add, wadi_f32(0), x), y);
}

static void rows_of_two_vectors_go_together(void **state) {
    (void)state;
    wadi_program *p = wadi_program_create("together");
    const wadi_acc v = values_in(), o = numbers_in();
    const wadi_seq s = wadi_zip_with_seq(side_by_side, wadi_from_offsets(o, v), wadi_to_seq(o));
    wadi_output("both", wadi_consume(wadi_elements(s)));
    conf_assert_agrees(p, given(LIST(0, 3, 9, 9, 40), 0, 0, NULL), 0, NULL);
}

/* ---- faults ---- */

/* The fault names the operator first and the element later. */
static bool tells(const char *msg, const char *op, const char *element) {
    return strncmp(msg, op, strlen(op)) == 0 && strstr(msg, element);
}

static bool faults(const conf_case *c, const char *op, const char *element, const conf_variant *v,
                   wadi_text *why) {
    wadi_error err = {0};
    int64_t delivered = 0;
    wadi_exe *exe = conf_compile(c, v->disable, why);
    const wadi_status st = exe ? conf_go(c, exe, v, &delivered, &err) : WADI_INTERNAL;
    wadi_exe_destroy(exe);
    if (st == WADI_FAULT && tells(err.msg, op, element)) return conf_told_alike(c, &err, why);
    wadi_text_addf(why, "%s: \"%s\", expected a fault of %s in %s", wadi_status_name(st), err.msg,
                   op, element);
    return false;
}

static void assert_faults(wadi_program *p, const wadi_interp_io *io, const char *op,
                          const char *element) {
    static const conf_variant variants[] = {{NULL, WADI_SCHEDULE_FORCE_INSIDE, 1, 1},
                                            {NULL, WADI_SCHEDULE_FORCE_FLAT, 2, 100},
                                            {"all", WADI_SCHEDULE_FORCE_INSIDE, 2, 100}};
    conf_case c;
    wadi_text why;
    wadi_text_init(&why);
    bool right = conf_case_init(&c, p, io, &why) && !c.want && tells(c.fault.msg, op, element);
    if (!right) wadi_text_addf(&why, "the interpreter: \"%s\"", c.fault.msg);
    for (size_t i = 0; right && i < sizeof variants / sizeof *variants; i++)
        right = faults(&c, op, element, &variants[i], &why);
    if (!right) print_error("%s\n", wadi_text_str(&why));
    conf_case_fini(&c);
    wadi_program_destroy(p);
    wadi_text_fini(&why);
    assert_true(right);
}

static void summed(wadi_seq s) {
    wadi_output("sums", wadi_consume(wadi_elements(wadi_map_seq(moments, s))));
}

static void a_row_that_ends_before_it_begins(void **state) {
    (void)state;
    wadi_program *p = wadi_program_create("backwards");
    summed(wadi_from_offsets(numbers_in(), values_in()));
    assert_faults(p, given(LIST(0, 3, 8, 5, 9), 0, 0, NULL), "from_offsets: ", "element 2,");
}

static void a_row_beyond_the_values(void **state) {
    (void)state;
    wadi_program *p = wadi_program_create("beyond");
    summed(wadi_from_offsets(numbers_in(), values_in()));
    assert_faults(p, given(LIST(0, 3, 41), 0, 0, NULL), "from_offsets: ", "element 1,");
    p = wadi_program_create("before");
    summed(wadi_from_offsets(numbers_in(), values_in()));
    assert_faults(p, given(LIST(0, 3, -2, 3), 0, 0, NULL), "from_offsets: ", "element 1,");
}

static void a_segment_without_an_offset(void **state) {
    (void)state;
    wadi_program *p = wadi_program_create("missing");
    summed(wadi_from_segs(numbers_in(), table_in(1), values_in()));
    assert_faults(p, given(LIST(0, 3), 3, 1, (const int64_t[]){2, 2, 2}), "", "element 2,");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(offsets_cut_a_vector_into_rows),
        cmocka_unit_test(no_offsets_are_no_rows),
        cmocka_unit_test(segments_overlap),
        cmocka_unit_test(shapes_cut_a_vector),
        cmocka_unit_test(rows_columns_and_tiles),
        cmocka_unit_test(rows_of_two_vectors_go_together),
        cmocka_unit_test(a_row_that_ends_before_it_begins),
        cmocka_unit_test(a_row_beyond_the_values),
        cmocka_unit_test(a_segment_without_an_offset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
