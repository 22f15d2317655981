/* What the analyses conclude about the examples of two papers: van den Haak (2019), section 4, on which arrays depend on the
 * element of the stream; Reppy and Wingerter (2020), on which shapes are equal.
 *
 * The thesis has three classes of terms: independent in shape and elements (TotalI), in shape (ShapeI), in neither (NotI). Here
 * shape and elements are separate, so there are four classes, and each part of a tuple has its own. */
#include <stdio.h>
#include <string.h>

#include "graph/analysis/depend.h"
#include "graph/analysis/shape.h"
#include "tests/operators/support.h"

/* ---- asking ---- */

typedef struct analysed {
    wadi_module *m;
    wadi_shapes *s;
    wadi_deps *d;
} analysed;

static analysed analyse(const char *text) {
    wadi_error err = {0};
    analysed a = {0};
    wadi_status st = wadi_ir_parse(text, "t.ir", wadi_operators(), &a.m, &err);
    if (st == WADI_OK) st = wadi_shapes_analyse(a.m, &a.s, &err);
    if (st == WADI_OK) st = wadi_depend_analyse(a.m, a.s, &a.d, &err);
    if (st != WADI_OK) fail_msg("%s", err.msg);
    return a;
}

static void forget(analysed *a) {
    wadi_deps_destroy(a->d);
    wadi_shapes_destroy(a->s);
    wadi_module_destroy(a->m);
}

static wadi_val find(const analysed *a, const char *name) {
    for (wadi_val v = 0; v < a->m->nvalues; v++)
        if (a->m->values[v].name && strcmp(a->m->values[v].name, name) == 0) return v;
    fail_msg("no value %s", name);
    return WADI_NONE;
}

/* shape and elements: '-' independent of the stream, 's', 'e' dependent */
static void expect_dep(const analysed *a, const char *name, const char *want) {
    const wadi_dep d = wadi_deps_get(a->d, find(a, name), 0);
    const char got[3] = {d.shape ? 's' : '-', d.elems ? 'e' : '-', '\0'};
    if (strcmp(got, want) != 0) fail_msg("%s depends as %s, expected %s", name, got, want);
}

/* The body of a stream whose elements are `parts`: what it says of value `out`. */
static void expect_in_body(const char *parts, const char *params, const char *body,
                           const char *want) {
    char text[2048];
    (void)snprintf(text, sizeof text,
                   "program p\n"
                   "input once : i32[n]\n"
                   "in = stream_in \"s\" : seq(%s)\n"
                   "t = map_seq in (%s) {\n%s    yield out\n}\n"
                   "stream_out \"t\" t\n",
                   parts, params, body);
    analysed a = analyse(text);
    expect_dep(&a, "out", want);
    forget(&a);
}

/* ---- section 4.3: independence ---- */

#define PRED_EX "    out = unit { gt (extent xs 0) 1 }\n"

static void pred_ex_is_independent_of_a_regular_array(void **state) {
    (void)state;
    expect_in_body("i32[8]", "xs", PRED_EX, "--");
    expect_in_body("i32[n]", "xs", PRED_EX, "--"); /* a named extent is one for all elements */
    expect_in_body("i32[?]", "xs", PRED_EX, "-e"); /* a scalar always has the same shape */
}

#define GENERATE_EX                              \
    "    ys = generate 10 (i) { i }\n"           \
    "    total = fold 0 ys (a, x) { add a x }\n" \
    "    out = map total (e) { gt e 10 }\n"

static void generate_ex_depends_on_nothing(void **state) {
    (void)state;
    expect_in_body("i32[8]", "xs", GENERATE_EX, "--");
    expect_in_body("i32[?]", "xs", GENERATE_EX, "--");
}

static void open_f_depends_as_the_array_it_reads(void **state) {
    (void)state;
    /* reads an array of outside the stream */
    expect_in_body("i32[8]", "xs",
                   "    out = unit { gt (extent xs 0) (convert i64 (once !! 0)) }\n", "--");
    expect_in_body("i32[?]", "xs",
                   "    out = unit { gt (extent xs 0) (convert i64 (once !! 0)) }\n", "-e");
    /* reads an array of the stream, regular or not */
    expect_in_body("i32[8], i32[8]", "xs, ys",
                   "    out = unit { gt (extent xs 0) (convert i64 (ys !! 0)) }\n", "-e");
    expect_in_body("i32[8], i32[?]", "xs, ys",
                   "    out = unit { gt (extent xs 0) (convert i64 (ys !! 0)) }\n", "-e");
}

static void indexing_depends_on_its_element_whatever_the_loop_does(void **state) {
    (void)state;
    expect_in_body("i32, i32[8]", "n, xs", "    out = unit { lt (the n) 10i32 }\n", "-e");
    /* the same loop, counted by the size of an array: the number of rounds is one for all, so the result is regular
     * although each round makes it longer */
    expect_in_body("i32[8]", "xs",
                   "    none = take dim=0 xs 0\n"
                   "    out = awhile none (s) {\n"
                   "        more = unit { lt (extent s 0) 10 }\n"
                   "        yield more\n"
                   "    } do (r) {\n"
                   "        size = unit { add (extent r 0) 1 }\n"
                   "        longer = generate size (i) { xs !! 0 }\n"
                   "        yield longer\n"
                   "    }\n",
                   "-e");
}

/* Section 3.4's increaseTillHundred: the number of rounds depends on the elements, the shape does not change. */
#define INCREASE                                   \
    "    out = awhile xs (s) {\n"                  \
    "        low = fold1 s (a, x) { min a x }\n"   \
    "        more = map low (e) { lt e 100i32 }\n" \
    "        yield more\n"                         \
    "    } do (r) {\n"                             \
    "        next = map r (e) { add e 1i32 }\n"    \
    "        yield next\n"                         \
    "    }\n"

static void increase_till_hundred_keeps_the_shape(void **state) {
    (void)state;
    expect_in_body("i32[8]", "xs", INCREASE, "-e");
    expect_in_body("i32[?]", "xs", INCREASE, "se");
}

/* ---- section 4.1: conditionals ---- */

#define CONDITIONAL(condition, then, other)                                      \
    "    c = unit { " condition " }\n"                                           \
    "    out = acond c {\n        a = " then "\n        yield a\n    } else {\n" \
    "        b = " other "\n        yield b\n    }\n"

static void
a_conditional_is_regular_when_its_condition_is_independent_or_its_shapes_agree(void **state) {
    (void)state;
    expect_in_body("i32[8]", "xs",
                   CONDITIONAL("gt (extent xs 0) 1", "map xs (e) { neg e }", "take dim=0 xs 3"),
                   "-e");
    expect_in_body("i32[8]", "xs",
                   CONDITIONAL("gt (xs !! 0) 1i32", "map xs (e) { neg e }", "reverse dim=0 xs"),
                   "-e");
    expect_in_body("i32[8]", "xs",
                   CONDITIONAL("gt (xs !! 0) 1i32", "map xs (e) { neg e }", "take dim=0 xs 3"),
                   "se");
    expect_in_body("i32[?]", "xs",
                   CONDITIONAL("gt (extent xs 0) 1", "map xs (e) { neg e }", "take dim=0 xs 3"),
                   "se");
}

/* ---- section 4.4: equal shapes ---- */

static void expect_same(const char *text, const char *left, const char *right, bool want) {
    analysed a = analyse(text);
    if (wadi_shapes_same(a.s, a.m, find(&a, left), find(&a, right)) != want)
        fail_msg("%s and %s: expected %s", left, right, want ? "one shape" : "nothing proved");
    forget(&a);
}

static void a_map_and_a_generate_of_its_shape_have_one_shape(void **state) {
    (void)state;
    static const char text[] = "program p\n"
                               "input xs : f32[?, ?]\n"
                               "mapped = map xs (e) { add e 1.0f32 }\n"
                               "m = unit { extent xs 0 }\n"
                               "n = unit { extent mapped 1 }\n"
                               "made = generate m n (i, j) { 0.0f32 }\n"
                               "output mapped\noutput made\n";
    expect_same(text, "xs", "mapped", true);
    expect_same(text, "xs", "made", true);
    expect_same(text, "mapped", "made", true);
}

/* The thesis' two reshapes: to the size of a map of xs, and of a fold of xs. Written alike, they differ by what `a` is. */
static void two_reshapes_are_told_apart_by_what_they_measure(void **state) {
    (void)state;
    static const char text[] = "program p\n"
                               "input xs : f32[?, ?]\n"
                               "mapped = map xs (e) { add e 1.0f32 }\n"
                               "all = unit { mul (extent mapped 0) (extent mapped 1) }\n"
                               "flat = reshape mapped all\n"
                               "again = unit { mul (extent xs 0) (extent xs 1) }\n"
                               "flat_again = reshape xs again\n"
                               "rows = fold 0.0f32 xs (a, x) { add a x }\n"
                               "few = unit { extent rows 0 }\n"
                               "made = generate few (i) { 0.0f32 }\n"
                               "output flat\noutput flat_again\noutput made\n";
    expect_same(text, "flat", "flat_again", true);
    expect_same(text, "flat", "made", false);
    expect_same(text, "rows", "made", true);
}

/* ---- Reppy and Wingerter: norm2, mm, mv ---- */

static int checks_of(const char *text) {
    analysed a = analyse(text);
    const int n = a.s->nchecks;
    forget(&a);
    return n;
}

/* norm2 takes one sequence of pairs apart: both halves, and both results, have one length, whatever the filter between
 * gives. */
static void norm2_keeps_the_length_of_both_halves(void **state) {
    (void)state;
    static const char text[] = "program norm2\n"
                               "input xys : {x: f32, y: f32}[?]\n"
                               "xs = map xys (x, y) { x }\n"
                               "ys = map xys (x, y) { y }\n"
                               "sum1 = fold 0.0f32 xs (a, e) { add a e }\n"
                               "positive = map ys (e) { max e 0.0f32 }\n"
                               "sum2 = fold 0.0f32 positive (a, e) { add a e }\n"
                               "first = map xs (e) { fdiv e (the sum1) }\n"
                               "second = map ys (e) { fdiv e (the sum2) }\n"
                               "output first\noutput second\n";
    expect_same(text, "first", "second", true);
    expect_same(text, "xs", "ys", true);
    assert_int_equal(checks_of(text), 0);
}

/* mm adds two nested sequences element by element: their rows must have the same lengths, and so has the result. The zip is
 * the constraint: one check per row, and what follows knows it. */
static void mm_learns_from_its_zip_that_rows_agree(void **state) {
    (void)state;
    static const char text[] = "program mm\n"
                               "xss = stream_in \"xss\" : seq(f32[?])\n"
                               "yss = stream_in \"yss\" : seq(f32[?])\n"
                               "t = map_seq xss yss (xs, ys) {\n"
                               "    sums = zip_with xs ys (x, y) { add x y }\n"
                               "    twice = zip_with sums xs (x, y) { add x y }\n"
                               "    thrice = zip_with twice ys (x, y) { add x y }\n"
                               "    yield thrice\n"
                               "}\n"
                               "stream_out \"t\" t\n";
    assert_int_equal(checks_of(text), 1);
    expect_same(text, "sums", "thrice", true);
    expect_same(text, "xs", "thrice", true);
    analysed a = analyse(text);
    expect_dep(&a, "thrice", "se");
    forget(&a);
}

/* mv adds one vector to every row: each row is then as long as the vector, so the result is rectangular: regular. */
static void mv_is_rectangular(void **state) {
    (void)state;
    static const char text[] = "program mv\n"
                               "input ys : f32[n]\n"
                               "xss = stream_in \"xss\" : seq(f32[?])\n"
                               "t = map_seq xss (xs) {\n"
                               "    sums = zip_with ys xs (y, x) { add x y }\n"
                               "    again = zip_with xs sums (x, y) { add x y }\n"
                               "    yield again\n"
                               "}\n"
                               "stream_out \"t\" t\n";
    analysed a = analyse(text);
    expect_dep(&a, "xs", "se");
    expect_dep(&a, "sums", "-e");
    expect_dep(&a, "again", "-e"); /* the first zip's check is this one's too */
    assert_int_equal(a.s->nchecks, 1);
    forget(&a);
}

/* ---- assertions ---- */

static void an_asserted_shape_is_believed_by_what_follows(void **state) {
    (void)state;
    expect_in_body("i32[?]", "xs",
                   "    known = assert_shape xs 64\n    out = map known (e) { neg e }\n", "-e");
    expect_in_body("i32[?], i32[?]", "xs, ys",
                   "    n = unit { extent ys 0 }\n"
                   "    known = assert_shape xs n\n"
                   "    out = zip_with known ys (x, y) { add x y }\n",
                   "se");
    static const char text[] = "program p\n"
                               "input xs : i32[?]\ninput ys : i32[?]\n"
                               "n = unit { extent ys 0 }\n"
                               "known = assert_shape xs n\n"
                               "sums = zip_with known ys (x, y) { add x y }\n"
                               "output sums\n";
    assert_int_equal(checks_of(text), 1); /* the assertion's; the zip needs none */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pred_ex_is_independent_of_a_regular_array),
        cmocka_unit_test(generate_ex_depends_on_nothing),
        cmocka_unit_test(open_f_depends_as_the_array_it_reads),
        cmocka_unit_test(indexing_depends_on_its_element_whatever_the_loop_does),
        cmocka_unit_test(increase_till_hundred_keeps_the_shape),
        cmocka_unit_test(
            a_conditional_is_regular_when_its_condition_is_independent_or_its_shapes_agree),
        cmocka_unit_test(a_map_and_a_generate_of_its_shape_have_one_shape),
        cmocka_unit_test(two_reshapes_are_told_apart_by_what_they_measure),
        cmocka_unit_test(norm2_keeps_the_length_of_both_halves),
        cmocka_unit_test(mm_learns_from_its_zip_that_rows_agree),
        cmocka_unit_test(mv_is_rectangular),
        cmocka_unit_test(an_asserted_shape_is_believed_by_what_follows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
