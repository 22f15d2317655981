/* Shapes and dependence of whole programs, the examples of the papers among them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/text.h"
#include "graph/analysis/depend.h"
#include "operators/table.h"

typedef struct analysed {
    wadi_module *m;
    wadi_shapes *s;
    wadi_deps *d;
} analysed;

static analysed analyse(const char *text) {
    analysed a = {NULL, NULL, NULL};
    wadi_error err = {0};
    if (wadi_ir_parse(text, NULL, wadi_operators(), &a.m, &err) != WADI_OK ||
        wadi_ir_verify(a.m, &err) != WADI_OK || wadi_shapes_analyse(a.m, &a.s, &err) != WADI_OK ||
        wadi_depend_analyse(a.m, a.s, &a.d, &err) != WADI_OK)
        fail_msg("%s\n%s", err.msg, text);
    return a;
}

static void finish(analysed *a) {
    wadi_deps_destroy(a->d);
    wadi_shapes_destroy(a->s);
    wadi_module_destroy(a->m);
}

static wadi_val named(const analysed *a, const char *name) {
    for (wadi_val v = 0; v < a->m->nvalues; v++)
        if (a->m->values[v].name && strcmp(a->m->values[v].name, name) == 0) return v;
    fail_msg("no value is called %s", name);
    return WADI_NONE;
}

/* The extents of a value as text, after all that was learned. */
static void check_shape(const analysed *a, const char *name, const char *want) {
    const wadi_val v = named(a, name);
    wadi_text t;
    wadi_text_init(&t);
    for (int d = 0; d < a->m->values[v].type.array->rank; d++) {
        if (d > 0) wadi_text_add(&t, ", ");
        const wadi_ext e = wadi_shapes_extent(a->s, v, 0, d);
        wadi_ext_print(a->s->extents, wadi_ext_norm(a->s->extents, e), &t);
    }
    if (strcmp(wadi_text_str(&t), want) != 0)
        fail_msg("%s: [%s], expected [%s]", name, wadi_text_str(&t), want);
    wadi_text_fini(&t);
}

static void check_rep(const analysed *a, const char *name, wadi_rep want) {
    const wadi_rep got = wadi_rep_of(wadi_deps_get(a->d, named(a, name), 0));
    if (got != want) fail_msg("%s: representation %d, expected %d", name, got, want);
}

/* Whether two vectors are as long as each other when all checks have passed. */
static bool all_equal(const analysed *a, const char *x, const char *y) {
    return wadi_ext_equal(a->s->extents, wadi_shapes_extent(a->s, named(a, x), 0, 0),
                          wadi_shapes_extent(a->s, named(a, y), 0, 0));
}

/* ---- shapes ---- */

/* The checks of a program, "p = r, q = s". */
static void list_checks(const analysed *a, wadi_text *out) {
    for (int i = 0; i < a->s->nchecks; i++) {
        wadi_text_add(out, i > 0 ? ", " : "");
        wadi_ext_print(a->s->extents, a->s->checks[i].a, out);
        wadi_text_add(out, " = ");
        wadi_ext_print(a->s->extents, a->s->checks[i].b, out);
    }
}

static void operators_ask_for_equal_extents(void **state) {
    (void)state;
    static const struct {
        const char *line, *checks;
    } cases[] = {
        {"x = zip_with a b (x, y) { add x y }", "p = r, q = s"},
        {"x = zip_with v w v (x, y, z) { add x y }", "n = m"},
        {"x = partition c a (x) { gt x 0.0 }", "k = p"},
        {"x = partition c a b (x, y) { gt x y }", "p = r, q = s, k = p"},
        {"x = partition d e (x) { gt x 0.0 }", "l = g, h = i"},
        {"x = compact 3 v w (x, y) { gt x y }", "n = m"},
        {"x = compact 3 v (x) { gt x 0.0 }", ""},
        {"x = permute v w c (new, old) { add new old } (i, k) { true, k }", "m = k"},
        {"x = permute a w (new, old) { add new old } (i) { true, i, i }", ""},
        {"x = concat dim=0 a b", "q = s"},
        {"x = concat dim=1 a b", "p = r"},
        {"x = concat dim=0 v w", ""},
        {"x = expand 9 c v (x, j) { x }", "k - 1 = n"},
        {"x = reshape v 2 3", "n = 6"},
        {"x = reshape a 4 5", "p*q = 20"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        wadi_text text, found;
        wadi_text_init(&text);
        wadi_text_init(&found);
        wadi_text_addf(&text,
                       "program p\ninput a : f64[p, q]\ninput b : f64[r, s]\ninput c : i64[k]\n"
                       "input v : f64[n]\ninput w : f64[m]\ninput d : i64[l, h]\n"
                       "input e : f64[g, i, j]\n%s\noutput x\n",
                       cases[i].line);
        analysed a = analyse(wadi_text_str(&text));
        list_checks(&a, &found);
        if (strcmp(wadi_text_str(&found), cases[i].checks) != 0)
            fail_msg("%s: \"%s\", expected \"%s\"", cases[i].line, wadi_text_str(&found),
                     cases[i].checks);
        finish(&a);
        wadi_text_fini(&text);
        wadi_text_fini(&found);
    }
}

static void dotp_needs_no_check(void **state) {
    (void)state;
    analysed a = analyse("program dotp\n"
                         "input xs : f32[n]\n"
                         "input ys : f32[n]\n"
                         "prods = zip_with xs ys (x, y) { mul x y }\n"
                         "dot = fold 0.0f32 prods (a, x) { add a x }\n"
                         "output dot\n");
    check_shape(&a, "prods", "n");
    check_shape(&a, "dot", "");
    assert_int_equal(a.s->nchecks, 0);
    finish(&a);
}

static void bindings_check_for_themselves(void **state) {
    (void)state;
    analysed a = analyse("program twice\n"
                         "input xs : f32[n]\n"
                         "input ys : f32[m]\n"
                         "a = zip_with xs ys (x, y) { mul x y }\n"
                         "b = zip_with ys xs (x, y) { add x y }\n"
                         "c = zip_with a b (x, y) { add x y }\n"
                         "d = map ys (x) { neg x }\n"
                         "output c\noutput d\n");
    /* either of the first two may never run, so the other cannot lean on it; what is made of both may */
    assert_int_equal(a.s->nchecks, 2);
    assert_ptr_equal(a.s->checks[0].bind, a.m->values[named(&a, "a")].bind);
    assert_ptr_equal(a.s->checks[1].bind, a.m->values[named(&a, "b")].bind);
    assert_int_not_equal(a.s->checks[0].a, a.s->checks[0].b);
    assert_true(wadi_shapes_same(a.s, a.m, named(&a, "a"), named(&a, "b")));
    /* no bound of d comes from the extent of xs, though in the end they are one */
    assert_false(wadi_shapes_same(a.s, a.m, named(&a, "d"), named(&a, "xs")));
    assert_true(all_equal(&a, "d", "xs"));
    finish(&a);
}

static void mvm_has_the_shape_of_its_rows(void **state) {
    (void)state;
    analysed a = analyse("program mvm\n"
                         "input m : f64[rows, cols]\n"
                         "input v : f64[cols]\n"
                         "n = unit { extent m 0 }\n"
                         "vs = replicate new=1,0 v n\n"
                         "prods = zip_with m vs (x, y) { mul x y }\n"
                         "out = fold 0.0 prods (a, x) { add a x }\n"
                         "output out\n");
    check_shape(&a, "vs", "rows, cols");
    check_shape(&a, "out", "rows");
    assert_int_equal(a.s->nchecks, 0);
    finish(&a);
}

static void extents_are_computed_in_scalar_code(void **state) {
    (void)state;
    analysed a = analyse("program padded\n"
                         "input xs : f32[n]\n"
                         "k = unit { add (mul 2 (extent xs 0)) 3 }\n"
                         "l = unit { sub (the k) (extent xs 0) }\n"
                         "a = generate k (i) { i }\n"
                         "b = generate l (i) { i }\n"
                         "c = drop dim=0 a 3\n"
                         "d = scanl 0 b (x, y) { add x y }\n"
                         "e = take dim=0 a 2\n"
                         "output c\noutput d\noutput e\n");
    check_shape(&a, "a", "2*n + 3");
    check_shape(&a, "b", "n + 3");
    check_shape(&a, "c", "2*n");
    check_shape(&a, "d", "n + 4");
    check_shape(&a, "e", "2");
    finish(&a);
}

static void reshapes_of_one_size_are_proved(void **state) {
    (void)state;
    analysed a = analyse("program reshapes\n"
                         "input xs : f32[n, m]\n"
                         "k = unit { mul (extent xs 1) (extent xs 0) }\n"
                         "a = reshape xs k\n"
                         "b = reshape a k 1\n"
                         "output b\n");
    check_shape(&a, "a", "n*m");
    assert_int_equal(a.s->nchecks, 0);
    finish(&a);
}

/* Paper 004: with |xs| = |ys| unknown the sums cannot share a loop, with it known they can. */
static void norm2_is_one_space_when_names_agree(void **state) {
    (void)state;
    static const char body[] = "sum1 = fold 0.0f32 xs (a, x) { add a x }\n"
                               "gts = map ys (y) { if gt y 0.0f32 { y } else { 0.0f32 } }\n"
                               "sum2 = fold 0.0f32 gts (a, x) { add a x }\n"
                               "res1 = map xs (x) { fdiv x (the sum1) }\n"
                               "res2 = map ys (y) { fdiv y (the sum2) }\n"
                               "output res1\noutput res2\n";
    for (int same = 0; same < 2; same++) {
        wadi_text t;
        wadi_text_init(&t);
        wadi_text_addf(&t, "program norm2\ninput xs : f32[n]\ninput ys : f32[%s]\n%s",
                       same ? "n" : "m", body);
        analysed a = analyse(wadi_text_str(&t));
        assert_int_equal(wadi_shapes_same(a.s, a.m, named(&a, "res1"), named(&a, "res2")), same);
        assert_int_equal(a.s->nchecks, 0);
        finish(&a);
        wadi_text_fini(&t);
    }
}

/* Paper 004: both arguments are irregular, of one shape, which is the result's. */
static void mm_is_irregular_in_one_shape(void **state) {
    (void)state;
    analysed a = analyse("program mm\n"
                         "xss = stream_in \"xss\" : seq(f32[?])\n"
                         "yss = stream_in \"yss\" : seq(f32[?])\n"
                         "zss = map_seq xss yss (xs, ys) {\n"
                         "    zs = zip_with xs ys (x, y) { add x y }\n"
                         "    yield zs\n"
                         "}\n"
                         "stream_out \"out\" zss\n");
    assert_true(all_equal(&a, "xs", "ys"));
    assert_true(wadi_shapes_same(a.s, a.m, named(&a, "xs"), named(&a, "zs")));
    assert_int_equal(a.s->nchecks, 1);
    check_rep(&a, "xs", WADI_REP_IRREGULAR);
    check_rep(&a, "zs", WADI_REP_IRREGULAR);
    finish(&a);
}

/* Paper 004: every row must be as long as ys, so the result is rectangular. What the stream brings is only known to be
 * so once the check has passed. */
static void mv_is_rectangular(void **state) {
    (void)state;
    analysed a = analyse("program mv\n"
                         "input ys : f32[m]\n"
                         "xss = stream_in \"xss\" : seq(f32[?])\n"
                         "zss = map_seq xss (xs) {\n"
                         "    zs = zip_with xs ys (x, y) { add x y }\n"
                         "    yield zs\n"
                         "}\n"
                         "stream_out \"out\" zss\n");
    check_shape(&a, "xs", "m");
    check_shape(&a, "zs", "m");
    assert_false(wadi_shapes_same(a.s, a.m, named(&a, "xs"), named(&a, "zs")));
    assert_int_equal(a.s->nchecks, 1);
    check_rep(&a, "xs", WADI_REP_IRREGULAR);
    check_rep(&a, "zs", WADI_REP_REGULAR);
    finish(&a);
}

/* ---- regions ---- */

static void what_a_branch_learns_stays_in_it(void **state) {
    (void)state;
    analysed a = analyse("program branch\n"
                         "input p : bool\n"
                         "input xs : f32[n]\n"
                         "input ys : f32[m]\n"
                         "r = acond p {\n"
                         "    s = zip_with xs ys (x, y) { add x y }\n"
                         "    yield s\n"
                         "} else {\n"
                         "    yield xs\n"
                         "}\n"
                         "t = zip_with xs ys (x, y) { mul x y }\n"
                         "output r\noutput t\n");
    assert_int_equal(a.s->nchecks, 2);
    check_shape(&a, "r", "n");
    finish(&a);
}

static void a_loop_that_keeps_its_shape_has_the_shape_of_its_start(void **state) {
    (void)state;
    analysed a = analyse("program keeps\n"
                         "input xs : f32[n]\n"
                         "w, v = awhile xs xs (s, t) {\n"
                         "    c = unit { lt (extent t 0) 5 }\n"
                         "    yield c\n"
                         "} do (s, t) {\n"
                         "    a = map s (x) { mul x 0.5f32 }\n"
                         "    b = drop dim=0 t 1\n"
                         "    yield a, b\n"
                         "}\n"
                         "output w\noutput v\n");
    check_shape(&a, "w", "n");
    const wadi_val v = named(&a, "v");
    const wadi_ext e = wadi_shapes_extent(a.s, v, 0, 0);
    assert_int_equal(wadi_ext_get(a.s->extents, e)->kind, WADI_EXT_DIM);
    assert_int_equal(wadi_ext_get(a.s->extents, e)->val, v);
    finish(&a);
}

/* A stencil has the least of its arrays' extents: of the state and its start that is the start's; of the state and another array it may be less. */
static void a_loop_over_the_least_extent_of_state_and_start_keeps_its_shape(void **state) {
    (void)state;
    analysed a = analyse(
        "program least\n"
        "input xs : f32[n]\n"
        "input ys : f32[m]\n"
        "w = awhile xs (s) {\n"
        "    c = unit { lt (s ! 0) 1.0f32 }\n"
        "    yield c\n"
        "} do (s) {\n"
        "    a = stencil dims=1 edge=11 near=1,0,2,-1,1 xs s (o, l, r) { add o (add l r) }\n"
        "    yield a\n"
        "}\n"
        "v = awhile xs (s) {\n"
        "    c = unit { lt (s ! 0) 1.0f32 }\n"
        "    yield c\n"
        "} do (s) {\n"
        "    a = stencil dims=1 edge=11 near=1,0,2,-1,1 ys s (o, l, r) { add o (add l r) }\n"
        "    yield a\n"
        "}\n"
        "output w\noutput v\n");
    check_shape(&a, "w", "n");
    const wadi_val v = named(&a, "v");
    assert_int_equal(wadi_ext_get(a.s->extents, wadi_shapes_extent(a.s, v, 0, 0))->kind,
                     WADI_EXT_DIM);
    finish(&a);
}

static void extents_flow_from_stage_to_stage(void **state) {
    (void)state;
    analysed a = analyse("program stages\n"
                         "input v : f32[n]\n"
                         "s = produce 100 (i) {\n"
                         "    k = unit { add (extent v 0) 1 }\n"
                         "    xs = generate k (j) { mul j (the i) }\n"
                         "    h = unit { quot (extent v 0) 2 }\n"
                         "    ys = generate h (j) { mul j (the i) }\n"
                         "    zs = generate i (j) { j }\n"
                         "    yield xs, ys, zs\n"
                         "}\n"
                         "t = map_seq s (p, q, r) {\n"
                         "    pp = map p (x) { neg x }\n"
                         "    qq = map q (x) { neg x }\n"
                         "    rr = map r (x) { neg x }\n"
                         "    yield pp, qq, rr\n"
                         "}\n"
                         "stream_out \"t\" t\n");
    check_shape(&a, "pp", "n + 1");
    check_rep(&a, "pp", WADI_REP_REGULAR);
    /* its extent has no name outside of the first body, but it is one for the whole stream */
    check_rep(&a, "h", WADI_REP_AVOID);
    check_rep(&a, "ys", WADI_REP_REGULAR);
    check_rep(&a, "qq", WADI_REP_REGULAR);
    check_rep(&a, "zs", WADI_REP_IRREGULAR);
    check_rep(&a, "rr", WADI_REP_IRREGULAR);
    finish(&a);
}

/* ---- dependence ---- */

static void sparse_rows_are_irregular_until_they_are_summed(void **state) {
    (void)state;
    analysed a = analyse("program smvm\n"
                         "input v : f32[n]\n"
                         "rows = stream_in \"rows\" : seq(i64[?], f32[?])\n"
                         "sums = map_seq rows (cols, vals) {\n"
                         "    picked = gather cols v\n"
                         "    prods = zip_with vals picked (x, y) { mul x y }\n"
                         "    sum = fold 0.0f32 prods (a, x) { add a x }\n"
                         "    square = map v (x) { mul x x }\n"
                         "    yield sum, square\n"
                         "}\n"
                         "all, more = elements sums\n"
                         "output all\noutput more\n");
    check_rep(&a, "cols", WADI_REP_IRREGULAR);
    check_rep(&a, "picked", WADI_REP_IRREGULAR);
    check_rep(&a, "prods", WADI_REP_IRREGULAR);
    check_rep(&a, "sum", WADI_REP_REGULAR);
    check_rep(&a, "square", WADI_REP_AVOID);
    check_rep(&a, "v", WADI_REP_AVOID);
    check_rep(&a, "all", WADI_REP_AVOID);
    finish(&a);
}

static void declared_extents_make_a_stream_regular(void **state) {
    (void)state;
    analysed a = analyse("program declared\n"
                         "input v : f32[n]\n"
                         "s = stream_in \"s\" : seq(f32[n], i32[16], i32[?])\n"
                         "t = map_seq s (p, q, r) {\n"
                         "    a = zip_with p v (x, y) { add x y }\n"
                         "    b = map r (x) { add x (q ! 0) }\n"
                         "    c = map v (x) { add x 1.0f32 }\n"
                         "    d = unit { extent p 0 }\n"
                         "    e = unit { extent r 0 }\n"
                         "    f = generate d (i) { i }\n"
                         "    g = generate e (i) { 0 }\n"
                         "    h = map c (x) { add x (convert f32 (q ! 1)) }\n"
                         "    yield a, b, c, d, e, f, g, h\n"
                         "}\n"
                         "stream_out \"t\" t\n");
    assert_int_equal(a.s->nchecks, 0);
    check_rep(&a, "a", WADI_REP_REGULAR);
    check_rep(&a, "b", WADI_REP_IRREGULAR);
    check_rep(&a, "c", WADI_REP_AVOID);
    check_rep(&a, "d", WADI_REP_AVOID);
    check_rep(&a, "e", WADI_REP_REGULAR);
    check_rep(&a, "f", WADI_REP_AVOID);
    check_rep(&a, "g", WADI_REP_IRREGULAR);
    check_rep(&a, "h", WADI_REP_REGULAR);
    finish(&a);
}

/* Paper 001, section 4: a condition that is independent, or two branches of one shape, stay regular; a loop stays
 * regular when its test is independent or its body keeps the shape. */
static void control_stays_regular_where_it_can(void **state) {
    (void)state;
    analysed a = analyse("program control\n"
                         "input v : f32[n]\n"
                         "s = stream_in \"s\" : seq(f32[8], f32[?])\n"
                         "t = map_seq s (p, q) {\n"
                         "    cp = unit { lt (p ! 0) 0.0f32 }\n"
                         "    cv = unit { lt (v ! 0) 0.0f32 }\n"
                         "    half = take dim=0 p 4\n"
                         "    a = acond cp { yield p } else { m = map p (x) { neg x }\n yield m }\n"
                         "    b = acond cp { yield p } else { yield half }\n"
                         "    c = acond cv { yield p } else { yield half }\n"
                         "    d = awhile p (w) { k = unit { lt (w ! 0) 1.0f32 }\n yield k }\n"
                         "        do (w) { x = map w (y) { add y 1.0f32 }\n yield x }\n"
                         "    e = awhile p (w) { k = unit { lt (extent w 0) 1 }\n yield k }\n"
                         "        do (w) { x = drop dim=0 w 1\n yield x }\n"
                         "    f = awhile p (w) { k = unit { lt (w ! 0) 1.0f32 }\n yield k }\n"
                         "        do (w) { x = drop dim=0 w 1\n yield x }\n"
                         "    yield a, b, c, d, e, f\n"
                         "}\n"
                         "stream_out \"t\" t\n");
    check_rep(&a, "cv", WADI_REP_AVOID);
    check_rep(&a, "a", WADI_REP_REGULAR);
    check_rep(&a, "b", WADI_REP_IRREGULAR);
    check_rep(&a, "c", WADI_REP_REGULAR);
    check_rep(&a, "d", WADI_REP_REGULAR);
    check_rep(&a, "e", WADI_REP_REGULAR);
    check_rep(&a, "f", WADI_REP_IRREGULAR);
    finish(&a);
}

static void nothing_depends_outside_of_streams(void **state) {
    (void)state;
    analysed a = analyse("program outside\n"
                         "input v : f32[?]\n"
                         "input p : bool\n"
                         "w = acond p { d = drop dim=0 v 1\n yield d } else { yield v }\n"
                         "x = awhile w (s) { k = unit { lt (extent s 0) 9 }\n yield k }\n"
                         "    do (s) { e = drop dim=0 s 1\n yield e }\n"
                         "output x\n");
    check_rep(&a, "w", WADI_REP_AVOID);
    check_rep(&a, "x", WADI_REP_AVOID);
    finish(&a);
}

/* Code that was removed has no extents, and so no shape like that of any other, whichever is asked about first. */
static void what_was_removed_is_like_nothing(void **state) {
    (void)state;
    analysed a = analyse("program removed\n"
                         "input v : f32[n]\n"
                         "w = map v (x) { neg x }\n"
                         "z = unit { 1 }\n"
                         "output v\n");
    const wadi_val v = named(&a, "v"), w = named(&a, "w"), z = named(&a, "z");
    assert_true(wadi_shapes_same(a.s, a.m, v, w));
    wadi_shapes *fewer = NULL;
    wadi_error err = {0};
    a.m->main->nbinds = 1;
    assert_int_equal(wadi_shapes_analyse(a.m, &fewer, &err), WADI_OK);
    assert_int_equal(wadi_shapes_extent(fewer, w, 0, 0), WADI_EXT_NONE);
    assert_int_equal(wadi_shapes_extent(fewer, a.m->nvalues, 0, 0), WADI_EXT_NONE);
    assert_false(wadi_shapes_same(fewer, a.m, v, w));
    assert_false(wadi_shapes_same(fewer, a.m, w, v));
    assert_false(wadi_shapes_same(fewer, a.m, w, z));
    assert_true(wadi_shapes_same(fewer, a.m, v, v));
    wadi_shapes_destroy(fewer);
    finish(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operators_ask_for_equal_extents),
        cmocka_unit_test(dotp_needs_no_check),
        cmocka_unit_test(bindings_check_for_themselves),
        cmocka_unit_test(mvm_has_the_shape_of_its_rows),
        cmocka_unit_test(extents_are_computed_in_scalar_code),
        cmocka_unit_test(reshapes_of_one_size_are_proved),
        cmocka_unit_test(norm2_is_one_space_when_names_agree),
        cmocka_unit_test(mm_is_irregular_in_one_shape),
        cmocka_unit_test(mv_is_rectangular),
        cmocka_unit_test(what_a_branch_learns_stays_in_it),
        cmocka_unit_test(a_loop_that_keeps_its_shape_has_the_shape_of_its_start),
        cmocka_unit_test(a_loop_over_the_least_extent_of_state_and_start_keeps_its_shape),
        cmocka_unit_test(extents_flow_from_stage_to_stage),
        cmocka_unit_test(sparse_rows_are_irregular_until_they_are_summed),
        cmocka_unit_test(declared_extents_make_a_stream_regular),
        cmocka_unit_test(control_stays_regular_where_it_can),
        cmocka_unit_test(nothing_depends_outside_of_streams),
        cmocka_unit_test(what_was_removed_is_like_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
