/* Stages after the passes: which sequences are joined, which values leave bodies, and how the others are stored over a chunk. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "codegen/explain.h"
#include "tests/codegen/programs.h"

static void assert_rep(const compiled *c, const char *name, wadi_rep rep) {
    const wadi_val v = value_named(c->m, name);
    if (c->m->values[v].rep != rep)
        fail_msg("%s has representation %d, expected %d", name, (int)c->m->values[v].rep, (int)rep);
    const wadi_note *n = wadi_diag_find(c->d, WADI_NOTE_REP, v);
    assert_non_null(n);
    assert_int_equal(n->rep, rep);
    assert_true(strlen(n->reason) > 0);
}

static bool is_in_main(const compiled *c, const char *name) {
    const wadi_val v = value_named(c->m, name);
    for (int i = 0; i < c->m->main->nbinds; i++)
        if (c->m->main->binds[i] == c->m->values[v].bind) return true;
    return false;
}

static void dot_products_of_fixed_rows_are_regular(void **state) {
    (void)state;
    compiled c = compile("program dots\n"
                         "s = stream_in \"s\" : seq(f32[4], f32[4])\n"
                         "t = map_seq s (xs, ys) {\n"
                         "    prods = zip_with xs ys (x, y) { mul x y }\n"
                         "    dot = fold 0.0f32 prods (a, x) { add a x }\n"
                         "    yield dot\n"
                         "}\n"
                         "stream_out \"out\" t\n",
                         NULL);
    assert_rep(&c, "xs", WADI_REP_REGULAR);
    assert_rep(&c, "prods", WADI_REP_REGULAR);
    assert_rep(&c, "dot", WADI_REP_REGULAR);
    assert_int_equal(kernels(c.m), 1);
    compiled_free(&c);
}

static void rows_of_a_matrix_times_a_vector_are_regular(void **state) {
    (void)state;
    compiled c = compile("program mvm\n"
                         "input vec : f32[k]\n"
                         "rows = stream_in \"rows\" : seq(f32[k])\n"
                         "out = map_seq rows (row) {\n"
                         "    scaled = map vec (x) { mul x 2.0f32 }\n"
                         "    prods = zip_with row scaled (x, y) { mul x y }\n"
                         "    dot = fold 0.0f32 prods (a, x) { add a x }\n"
                         "    yield dot\n"
                         "}\n"
                         "stream_out \"out\" out\n",
                         NULL);
    assert_rep(&c, "row", WADI_REP_REGULAR);
    assert_rep(&c, "scaled", WADI_REP_AVOID);
    assert_true(is_in_main(&c, "scaled"));
    assert_non_null(wadi_diag_find(c.d, WADI_NOTE_HOISTED, value_named(c.m, "scaled")));
    assert_rep(&c, "prods", WADI_REP_REGULAR);
    assert_rep(&c, "dot", WADI_REP_REGULAR);
    compiled_free(&c);
}

static void sparse_rows_are_irregular_and_their_sums_regular(void **state) {
    (void)state;
    compiled c = compile("program smvm\n"
                         "input vec : f32[7]\n"
                         "rows = stream_in \"rows\" : seq(i64[?], f32[?])\n"
                         "out = map_seq rows (columns, values) {\n"
                         "    picked = gather columns vec\n"
                         "    prods = zip_with values picked (x, y) { mul x y }\n"
                         "    dot = fold 0.0f32 prods (a, x) { add a x }\n"
                         "    yield dot\n"
                         "}\n"
                         "stream_out \"out\" out\n",
                         NULL);
    assert_rep(&c, "columns", WADI_REP_IRREGULAR);
    assert_rep(&c, "values", WADI_REP_IRREGULAR);
    assert_rep(&c, "picked", WADI_REP_IRREGULAR);
    assert_rep(&c, "prods", WADI_REP_IRREGULAR);
    assert_rep(&c, "dot", WADI_REP_REGULAR);
    assert_int_equal(kernels(c.m), 1);
    compiled_free(&c);
}

static void cheap_value_leaves_its_body_and_is_never_stored(void **state) {
    (void)state;
    compiled c = compile("program ramp\n"
                         "s = stream_in \"s\" : seq(i64[6])\n"
                         "t = map_seq s (xs) {\n"
                         "    ramp = generate 6i64 (i) { mul i 2i64 }\n"
                         "    ys = zip_with xs ramp (x, y) { add x y }\n"
                         "    yield ys\n"
                         "}\n"
                         "stream_out \"out\" t\n",
                         NULL);
    assert_rep(&c, "ramp", WADI_REP_AVOID);
    assert_true(is_in_main(&c, "ramp"));
    assert_int_equal(c.m->values[value_named(c.m, "ramp")].storage, WADI_STORE_DELAYED);
    assert_int_equal(kernels(c.m), 1);
    compiled_free(&c);
}

static void independent_value_in_a_branch_stays(void **state) {
    (void)state;
    compiled c = compile("program branch\n"
                         "s = stream_in \"s\" : seq(f32[?])\n"
                         "t = map_seq s (xs) {\n"
                         "    p = unit { gt (extent xs 0) 3i64 }\n"
                         "    ys = acond p {\n"
                         "        a = generate 5i64 (i) { sin (convert f32 i) }\n"
                         "        yield a\n"
                         "    } else {\n"
                         "        yield xs\n"
                         "    }\n"
                         "    yield ys\n"
                         "}\n"
                         "stream_out \"out\" t\n",
                         NULL);
    assert_rep(&c, "a", WADI_REP_REGULAR);
    assert_false(is_in_main(&c, "a"));
    assert_rep(&c, "ys", WADI_REP_IRREGULAR);
    compiled_free(&c);
}

static void adjacent_stages_become_one(void **state) {
    (void)state;
    compiled c = compile("program chain\n"
                         "s = stream_in \"s\" : seq(f32[?])\n"
                         "t = map_seq s (xs) {\n"
                         "    ys = map xs (x) { sqrt x }\n"
                         "    yield ys\n"
                         "}\n"
                         "u = map_seq t (xs) {\n"
                         "    zs = map xs (x) { add x 1.0f32 }\n"
                         "    yield zs\n"
                         "}\n"
                         "stream_out \"out\" u\n",
                         NULL);
    assert_int_equal(count_op(c.m, "map_seq"), 1);
    assert_int_equal(kernels(c.m), 1);
    compiled_free(&c);
}

static void sequence_with_two_readers_stays(void **state) {
    (void)state;
    compiled c = compile("program shared\n"
                         "s = produce 5i64 (i) {\n"
                         "    n = unit { the i }\n"
                         "    xs = generate n (j) { mul j j }\n"
                         "    yield xs\n"
                         "}\n"
                         "t = map_seq s (xs) {\n"
                         "    ys = map xs (x) { add x 1i64 }\n"
                         "    yield ys\n"
                         "}\n"
                         "stream_out \"plain\" s\n"
                         "stream_out \"more\" t\n",
                         NULL);
    const wadi_note *n = wadi_diag_find(c.d, WADI_NOTE_SEQ_KEPT, value_named(c.m, "s"));
    assert_non_null(n);
    assert_non_null(strstr(n->reason, "several stages"));
    assert_int_equal(count_op(c.m, "map_seq"), 1);
    compiled_free(&c);
}

static void explanation_names_passes_values_and_reasons(void **state) {
    (void)state;
    compiled c = compile("program told\n"
                         "input xs : f32[n]\n"
                         "s = stream_in \"s\" : seq(f32[?])\n"
                         "t = map_seq s (row) {\n"
                         "    total = fold 0.0f32 xs (a, x) { add a x }\n"
                         "    ys = map row (x) { add x (the total) }\n"
                         "    yield ys\n"
                         "}\n"
                         "u = map_seq t (row) {\n"
                         "    zs = map row (x) { sqrt x }\n"
                         "    yield zs\n"
                         "}\n"
                         "stream_out \"out\" u\n",
                         NULL);
    static const char *const expected[] = {
        "== program as written ==", "== after seqfuse ==", "== after fuse ==", "== stages ==",
        "\nt joined with u: ",      "left its stage",      "irregular: ",      "fused into zs",
        "combined in 16 lanes",
    };
    wadi_text t;
    wadi_text_init(&t);
    wadi_explain_text(c.d, c.m, &c.facts, NULL, &t);
    assert_false(t.failed);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        if (!strstr(wadi_text_str(&t), expected[i]))
            fail_msg("'%s' is missing in:\n%s", expected[i], wadi_text_str(&t));
    wadi_text_fini(&t);
    compiled_free(&c);
}

static char *explained(const char *text) {
    compiled c = compile(text, NULL);
    wadi_text t;
    wadi_text_init(&t);
    wadi_explain_text(c.d, c.m, &c.facts, NULL, &t);
    char *out = strdup(wadi_text_str(&t));
    wadi_text_fini(&t);
    compiled_free(&c);
    assert_non_null(out);
    return out;
}

static void checks_name_their_dimensions(void **state) {
    (void)state;
    char *text = explained("program checks\n"
                           "input a : f64[n, m]\ninput b : f64[k, l]\ninput c : f64[3]\n"
                           "d = zip_with a b (x, y) { add x y }\n"
                           "e = reshape a 3\n"
                           "f = zip_with e c (x, y) { add x y }\n"
                           "output d\noutput f\n");
    assert_non_null(strstr(text, " in dimension 0: n = k"));
    assert_non_null(strstr(text, " in dimension 1: m = l"));
    char *sizes = strstr(text, "reshape: ");
    assert_non_null(sizes);
    assert_null(strstr(strtok(sizes, "\n"), "dimension"));
    free(text);
}

/* A program is shown after a pass if that changed it. */
static void passes_that_change_nothing_are_told_so(void **state) {
    (void)state;
    char *text = explained("program quiet\ninput a : f64[n]\n"
                           "b = map a (x) { mul (add x 1.0) (add x 1.0) }\noutput b\n");
    static const struct {
        const char *title;
        bool changes;
    } passes[] = {{"== program as written ==", true},
                  {"== after simplify ==", false},
                  {"== after dce ==", false},
                  {"== after cse ==", true},
                  {"== after hoist ==", false}};
    for (size_t i = 0; i < sizeof passes / sizeof *passes; i++) {
        const char *at = strstr(text, passes[i].title);
        assert_non_null(at);
        at += strlen(passes[i].title) + 2;
        if (passes[i].changes != (strncmp(at, "unchanged\n", 10) != 0))
            fail_msg("%s: %.40s", passes[i].title, at);
    }
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dot_products_of_fixed_rows_are_regular),
        cmocka_unit_test(rows_of_a_matrix_times_a_vector_are_regular),
        cmocka_unit_test(sparse_rows_are_irregular_and_their_sums_regular),
        cmocka_unit_test(cheap_value_leaves_its_body_and_is_never_stored),
        cmocka_unit_test(independent_value_in_a_branch_stays),
        cmocka_unit_test(adjacent_stages_become_one),
        cmocka_unit_test(sequence_with_two_readers_stays),
        cmocka_unit_test(explanation_names_passes_values_and_reasons),
        cmocka_unit_test(checks_name_their_dimensions),
        cmocka_unit_test(passes_that_change_nothing_are_told_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
