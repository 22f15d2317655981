/* The rules of branches and loops for shapes and for dependence on the stream. */
#include "graph/analysis/depend.h"
#include "graph/analysis/shape.h"
#include "tests/operators/support.h"

/* Programs over one stream of vectors: x has a fixed extent, y has not, p depends on the
 * element, q does not. */
#define STREAM                                           \
    "program p\n"                                        \
    "input w : f32[8]\n"                                 \
    "input q : bool\n"                                   \
    "in = stream_in \"s\" : seq(f32[8], f32[?], bool)\n" \
    "t = map_seq in (x, y, p) {\n"
#define END           \
    "    yield out\n" \
    "}\n"             \
    "stream_out \"t\" t\n"

/* How the body's yield is stored. */
static void expect_rep(const char *text, wadi_rep want) {
    wadi_error err = {0};
    wadi_module *m = NULL;
    wadi_shapes *s = NULL;
    wadi_deps *d = NULL;
    wadi_status st = wadi_ir_parse(text, "t.ir", wadi_operators(), &m, &err);
    if (st == WADI_OK) st = wadi_shapes_analyse(m, &s, &err);
    if (st == WADI_OK) st = wadi_depend_analyse(m, s, &d, &err);
    if (st != WADI_OK) fail_msg("%s", err.msg);
    wadi_rep got = WADI_REP_NONE;
    for (int i = 0; i < m->main->nbinds; i++)
        if (m->main->binds[i]->op == wadi_op_find(wadi_operators(), "map_seq"))
            got = wadi_rep_of(wadi_deps_get(d, m->main->binds[i]->blocks[0]->yields[0], 0));
    if (got != want) fail_msg("stored as %d, expected %d:\n%s", (int)got, (int)want, text);
    wadi_deps_destroy(d);
    wadi_shapes_destroy(s);
    wadi_module_destroy(m);
}

#define COND(condition, then, other)                            \
    STREAM "    out = acond " condition " {\n        a = " then \
           "\n        yield a\n    } else {\n        b = " other "\n        yield b\n    }\n" END

static void acond_stays_regular_where_it_can(void **state) {
    (void)state;
    expect_rep(COND("q", "map w (e) { neg e }", "map w (e) { e }"), WADI_REP_AVOID);
    expect_rep(COND("q", "map w (e) { neg e }", "take dim=0 w 3"), WADI_REP_AVOID);
    expect_rep(COND("q", "map x (e) { neg e }", "take dim=0 w 3"), WADI_REP_REGULAR);
    expect_rep(COND("p", "map w (e) { neg e }", "map x (e) { e }"), WADI_REP_REGULAR);
    expect_rep(COND("p", "map w (e) { neg e }", "take dim=0 w 3"), WADI_REP_IRREGULAR);
    expect_rep(COND("q", "map w (e) { neg e }", "map y (e) { e }"), WADI_REP_IRREGULAR);
}

#define LOOP(init, pred, body)                                  \
    STREAM "    out = awhile " init " (s) {\n        g = " pred \
           "\n        yield g\n    } do (r) {\n        b = " body "\n        yield b\n    }\n" END
#define SHORT "unit { lt (extent s 0) 3 }"
#define BY_ELEMENT "unit { and (the p) (lt (extent s 0) 3) }"

static void awhile_stays_regular_where_it_can(void **state) {
    (void)state;
    /* a body that keeps the shape: whatever the predicate says */
    expect_rep(LOOP("w", SHORT, "map r (e) { neg e }"), WADI_REP_AVOID);
    expect_rep(LOOP("w", SHORT, "zip_with r x (e, f) { add e f }"), WADI_REP_REGULAR);
    expect_rep(LOOP("w", BY_ELEMENT, "map r (e) { neg e }"), WADI_REP_REGULAR);
    expect_rep(LOOP("x", BY_ELEMENT, "zip_with w r (e, f) { add e f }"), WADI_REP_REGULAR);
    /* one that changes it: only while the number of rounds is the same for all elements */
    expect_rep(LOOP("w", SHORT, "drop dim=0 r 1"), WADI_REP_AVOID);
    expect_rep(LOOP("x", SHORT, "drop dim=0 r 1"), WADI_REP_REGULAR);
    expect_rep(LOOP("x", BY_ELEMENT, "drop dim=0 r 1"), WADI_REP_IRREGULAR);
    expect_rep(LOOP("y", SHORT, "map r (e) { neg e }"), WADI_REP_IRREGULAR);
}

/* What an array holds may be the same for all elements while its extent is not: reading it at an index is a question of the extent. */
static void a_read_depends_on_the_extent(void **state) {
    (void)state;
#define NUMBERS(of, extent)            \
    STREAM "    n = unit { extent " of \
           " 0 }\n    z = generate n (i) { i }\n    out = unit { z ! " extent " }\n" END
    expect_rep(NUMBERS("x", "0"), WADI_REP_AVOID);
    expect_rep(NUMBERS("y", "0"), WADI_REP_REGULAR);
#undef NUMBERS
}

static void loops_know_what_they_keep(void **state) {
    (void)state;
    wadi_error err = {0};
    wadi_module *m = NULL;
    wadi_shapes *s = NULL;
    const wadi_status st = wadi_ir_parse("program p\n"
                                         "input a : f32[n, 5]\n"
                                         "k, l = awhile a a (s, t) {\n"
                                         "    yield true\n"
                                         "} do (u, v) {\n"
                                         "    x = map u (e) { neg e }\n"
                                         "    y = take dim=0 v 1\n"
                                         "    yield x, y\n"
                                         "}\n"
                                         "output k\noutput l\n",
                                         "t.ir", wadi_operators(), &m, &err);
    if (st != WADI_OK) fail_msg("%s", err.msg);
    assert_int_equal(wadi_shapes_analyse(m, &s, &err), WADI_OK);
    const wadi_val a = m->main->binds[0]->results[0];
    const wadi_val k = m->main->yields[0], l = m->main->yields[1];
    assert_true(wadi_shapes_same(s, m, a, k));
    assert_false(wadi_shapes_same(s, m, a, l));
    assert_true(
        wadi_ext_equal(s->extents, wadi_shapes_extent(s, a, 0, 1), wadi_shapes_extent(s, l, 0, 1)));
    assert_int_equal(s->nchecks, 0);
    wadi_shapes_destroy(s);
    wadi_module_destroy(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(acond_stays_regular_where_it_can),
        cmocka_unit_test(awhile_stays_regular_where_it_can),
        cmocka_unit_test(a_read_depends_on_the_extent),
        cmocka_unit_test(loops_know_what_they_keep),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
