/* Shapes and dependence from stage to stage, over every transducer and source. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "graph/analysis/depend.h"
#include "operators/table.h"

static wadi_module *m;
static wadi_shapes *shapes;
static wadi_deps *deps;

static wadi_module *parse(const char *text) {
    wadi_module *out = NULL;
    wadi_error err = {0};
    if (wadi_ir_parse(text, NULL, wadi_operators(), &out, &err) != WADI_OK)
        fail_msg("%s\n%s", err.msg, text);
    return out;
}

static void analyse(const char *text) {
    wadi_error err = {0};
    m = parse(text);
    if (wadi_ir_verify(m, &err) != WADI_OK || wadi_shapes_analyse(m, &shapes, &err) != WADI_OK ||
        wadi_depend_analyse(m, shapes, &deps, &err) != WADI_OK)
        fail_msg("%s\n%s", err.msg, text);
}

static void finish(void) {
    wadi_deps_destroy(deps);
    wadi_shapes_destroy(shapes);
    wadi_module_destroy(m);
}

static wadi_val named(const char *name) {
    for (wadi_val v = 0; v < m->nvalues; v++)
        if (m->values[v].name && strcmp(m->values[v].name, name) == 0) return v;
    fail_msg("no value is called %s", name);
    return WADI_NONE;
}

static void check_shape(const char *name, const char *want) {
    const wadi_val v = named(name);
    wadi_text t;
    wadi_text_init(&t);
    for (int d = 0; d < m->values[v].type.array->rank; d++) {
        if (d > 0) wadi_text_add(&t, ", ");
        wadi_ext_print(shapes->extents, wadi_shapes_extent(shapes, v, 0, d), &t);
    }
    if (strcmp(wadi_text_str(&t), want) != 0)
        fail_msg("%s: [%s], expected [%s]", name, wadi_text_str(&t), want);
    wadi_text_fini(&t);
}

static void check_rep(const char *name, wadi_rep want) {
    const wadi_rep got = wadi_rep_of(wadi_deps_get(deps, named(name), 0));
    if (got != want) fail_msg("%s: representation %d, expected %d", name, (int)got, (int)want);
}

#define SOURCES                                        \
    "program p\n"                                      \
    "input v : f32[n]\n"                               \
    "input k : i64\n"                                  \
    "reg = stream_in \"reg\" : seq(f32[n], i32[16])\n" \
    "irr = stream_in \"irr\" : seq(f32[?])\n"

static void what_is_left_out_changes_no_shape(void **state) {
    (void)state;
    analyse(SOURCES "a = take_seq reg 3\n"
                    "b = drop_seq a k\n"
                    "c = filter_seq b (x, y) {\n"
                    "    p = unit { gt (y ! 0) 0i32 }\n"
                    "    yield p\n"
                    "}\n"
                    "d = map_seq c (x, y) {\n"
                    "    s = zip_with x v (e, f) { add e f }\n"
                    "    h = map y (e) { neg e }\n"
                    "    yield s, h\n"
                    "}\n"
                    "stream_out \"d\" d\n"
                    "e = filter_seq irr (x) {\n"
                    "    q = unit { gt (extent x 0) 2 }\n"
                    "    yield q\n"
                    "}\n"
                    "f = take_seq e 3\n"
                    "g = map_seq f (x) {\n"
                    "    t = map x (e) { neg e }\n"
                    "    yield t\n"
                    "}\n"
                    "stream_out \"g\" g\n");
    assert_int_equal(shapes->nchecks, 0); /* n is n still */
    check_shape("s", "n");
    check_shape("h", "16");
    check_rep("s", WADI_REP_REGULAR);
    check_rep("h", WADI_REP_REGULAR);
    check_rep("p", WADI_REP_REGULAR);
    check_rep("t", WADI_REP_IRREGULAR);
    finish();
}

static void elements_under_other_numbers_are_not_alike(void **state) {
    (void)state;
    analyse(SOURCES "a = drop_seq irr 1\n"
                    "b = map_seq irr a (x, y) {\n"
                    "    s = zip_with x y (e, f) { add e f }\n"
                    "    yield s\n"
                    "}\n"
                    "stream_out \"b\" b\n");
    assert_int_equal(shapes->nchecks, 1);
    check_rep("s", WADI_REP_IRREGULAR);
    finish();
}

static void a_regular_body_is_regular_behind_a_filter(void **state) {
    (void)state;
    /* the extent has no name outside of the first body, but it is one for the whole stream */
    analyse(SOURCES "a = map_seq irr (x) {\n"
                    "    h = unit { quot (extent v 0) 2 }\n"
                    "    y = generate h (i) { add i (extent x 0) }\n"
                    "    yield y, x\n"
                    "}\n"
                    "b = filter_seq a (y, x) {\n"
                    "    p = unit { gt (extent x 0) 2 }\n"
                    "    yield p\n"
                    "}\n"
                    "c = map_seq b (y, x) {\n"
                    "    s = map y (e) { neg e }\n"
                    "    t = map x (e) { neg e }\n"
                    "    yield s, t\n"
                    "}\n"
                    "stream_out \"c\" c\n");
    check_rep("s", WADI_REP_REGULAR);
    check_rep("t", WADI_REP_IRREGULAR);
    finish();
}

static void slices_of_an_irregular_array_may_be_regular(void **state) {
    (void)state;
    analyse(SOURCES "a = expand_seq irr (x) {\n"
                    "    m = unit { extent x 0 }\n"
                    "    y = generate m 4 (i, j) { x ! i }\n"
                    "    z = generate m m (i, j) { x ! i }\n"
                    "    yield y, z\n"
                    "}\n"
                    "b = map_seq a (y, z) {\n"
                    "    s = map y (e) { neg e }\n"
                    "    t = map z (e) { neg e }\n"
                    "    yield s, t\n"
                    "}\n"
                    "stream_out \"b\" b\n");
    check_shape("s", "4");
    check_rep("s", WADI_REP_REGULAR);
    check_rep("t", WADI_REP_IRREGULAR);
    finish();
}

static void windows_are_regular_unless_a_short_one_is_kept(void **state) {
    (void)state;
    analyse(SOURCES "a = windows last=1 irr 1024 512\n"
                    "b = windows last=0 irr k 1\n"
                    "c = windows last=2 irr 1024 512\n"
                    "d = map_seq a b c (x, y, z) {\n"
                    "    s = map x (e) { neg e }\n"
                    "    t = map y (e) { neg e }\n"
                    "    u = map z (e) { neg e }\n"
                    "    yield s, t, u\n"
                    "}\n"
                    "stream_out \"d\" d\n");
    check_shape("s", "1024");
    check_rep("s", WADI_REP_REGULAR);
    check_rep("t", WADI_REP_REGULAR);
    check_rep("u", WADI_REP_IRREGULAR);
    finish();
}

static void a_batch_varies_in_its_outermost_extent(void **state) {
    (void)state;
    analyse(SOURCES "a = batch reg 8\n"
                    "b = map_seq a (x, y) {\n"
                    "    s = map x (e) { neg e }\n"
                    "    r = slice dropped=1,0 x 0\n"
                    "    yield s, r\n"
                    "}\n"
                    "stream_out \"b\" b\n");
    check_rep("s", WADI_REP_IRREGULAR);
    check_shape("r", "n");
    check_rep("r", WADI_REP_REGULAR);
    finish();
}

static void a_state_keeps_the_shape_of_its_start(void **state) {
    (void)state;
    analyse(SOURCES "a = scan_seq reg v 0i32 (s, c, x, y) {\n"
                    "    s1 = zip_with s x (e, f) { add e f }\n"
                    "    c1 = unit { add (the c) (y ! 0) }\n"
                    "    yield s1, c1\n"
                    "}\n"
                    "b = map_seq a (s2, c2) {\n"
                    "    t = map s2 (e) { neg e }\n"
                    "    yield t\n"
                    "}\n"
                    "stream_out \"b\" b\n"
                    "d = scan_seq irr v (s, x) { yield x }\n"
                    "e = map_seq d (x3) {\n"
                    "    u = map x3 (e) { neg e }\n"
                    "    yield u\n"
                    "}\n"
                    "stream_out \"e\" e\n"
                    "f, f1 = fold_batch irr v 0i64 (s, c, shapes, values) {\n"
                    "    h = unit { add (the c) (extent shapes 0) }\n"
                    "    w = take dim=0 values 3\n"
                    "    yield s, h\n"
                    "} : f32[?], i64\n");
    check_shape("t", "n");
    check_rep("t", WADI_REP_REGULAR);
    check_rep("u", WADI_REP_IRREGULAR);
    finish();
}

static void segments_are_irregular_and_slices_regular(void **state) {
    (void)state;
    analyse(SOURCES "input o : i64[l]\n"
                    "input a : f32[r, 3]\n"
                    "h = unit { sub (extent o 0) 1 }\n"
                    "segs = produce h (i) {\n"
                    "    c = unit { sub (o ! (add (the i) 1)) (o ! (the i)) }\n"
                    "    s = backpermute v c (j) { add (o ! (the i)) j }\n"
                    "    yield s\n"
                    "}\n"
                    "g = unit { extent a 0 }\n"
                    "rows = produce g (i) {\n"
                    "    t = slice dropped=1,0 a i\n"
                    "    yield t\n"
                    "}\n"
                    "stream_out \"segs\" segs\n"
                    "stream_out \"rows\" rows\n");
    check_rep("s", WADI_REP_IRREGULAR);
    check_shape("t", "3");
    check_rep("t", WADI_REP_REGULAR);
    finish();
}

static void what_an_inner_stream_gives_depends_on_the_outer_one(void **state) {
    (void)state;
    analyse(SOURCES "a = map_seq irr (x) {\n"
                    "    h = unit { extent x 0 }\n"
                    "    inner = produce h (i) {\n"
                    "        y = take dim=0 v i\n"
                    "        sum = fold 0.0f32 y (c, e) { add c e }\n"
                    "        yield sum\n"
                    "    }\n"
                    "    sums = elements inner\n"
                    "    zero = fold 0.0f32 sums (c, e) { add c e }\n"
                    "    yield sums, zero\n"
                    "}\n"
                    "stream_out \"a\" a\n");
    check_rep("sums", WADI_REP_IRREGULAR);
    check_rep("zero", WADI_REP_REGULAR);
    finish();
}

static void effects_stand_in_the_main_block(void **state) {
    (void)state;
    wadi_error err = {0};
    wadi_module *none = NULL;
    const char *text = SOURCES "a = map_seq irr (x) {\n"
                               "    s = produce 3 (i) { yield x }\n"
                               "    stream_out \"a\" s\n"
                               "    yield x\n"
                               "}\n"
                               "stream_out \"b\" a\n";
    assert_int_not_equal(wadi_ir_parse(text, NULL, wadi_operators(), &none, &err), WADI_OK);
    assert_non_null(strstr(err.msg, "stands in a region"));
}

static char *printed(const wadi_module *module) {
    wadi_text t;
    wadi_text_init(&t);
    wadi_ir_print(module, &t);
    return wadi_text_take(&t);
}

static void every_transducer_prints_and_reads_back(void **state) {
    (void)state;
    m = parse(SOURCES "a = take_seq reg 3\n"
                      "b = drop_seq a k\n"
                      "c = expand_seq b (x, y) { yield x }\n"
                      "d = windows last=2 c 4 k\n"
                      "e = batch c 5\n"
                      "f = scan_seq d v (s, x) { yield x }\n"
                      "g, h = from_seq f\n"
                      "i = tabulate_min f\n"
                      "j = fold_batch e v (s, t, x) { yield x }\n"
                      "l = filter_seq e (x) {\n"
                      "    p = unit { false }\n"
                      "    yield p\n"
                      "}\n"
                      "stream_out \"l\" l\n"
                      "output g\noutput h\noutput i\noutput j\n");
    char *once = printed(m);
    wadi_module *again = parse(once);
    char *twice = printed(again);
    assert_string_equal(once, twice);
    free(once);
    free(twice);
    wadi_module_destroy(again);
    wadi_module_destroy(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_left_out_changes_no_shape),
        cmocka_unit_test(elements_under_other_numbers_are_not_alike),
        cmocka_unit_test(a_regular_body_is_regular_behind_a_filter),
        cmocka_unit_test(slices_of_an_irregular_array_may_be_regular),
        cmocka_unit_test(windows_are_regular_unless_a_short_one_is_kept),
        cmocka_unit_test(a_batch_varies_in_its_outermost_extent),
        cmocka_unit_test(a_state_keeps_the_shape_of_its_start),
        cmocka_unit_test(segments_are_irregular_and_slices_regular),
        cmocka_unit_test(what_an_inner_stream_gives_depends_on_the_outer_one),
        cmocka_unit_test(effects_stand_in_the_main_block),
        cmocka_unit_test(every_transducer_prints_and_reads_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
