/* Stencils in a row: where they run in strips, and that nobody sees it but who asks for time. What a strip did not store has no line in a profile.
 * Results are compared with those of schedule inside, which never runs in strips. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/api/picture.h"

#define ACROSS(EDGE, a)                                            \
    "stencil dims=2 edge=" EDGE " near=5,0,-2,0,-1,0,0,0,1,0,2 " a \
    " (p, q, r, s, t) { add (mul 0.3f32 p) (add (mul q r) (sub s (mul t p))) }"
#define DOWN(EDGE, a, MORE)                                        \
    "stencil dims=2 edge=" EDGE " near=5,-2,0,-1,0,0,0,1,0,2,0 " a \
    " (p, q, r, s, t) { add (mul 0.3f32 p) (add (mul q r) (sub s (mul t p))) }" MORE

/* Whether `b`, and `d` if there is one, had no step of its own; the output is the same as in schedule inside. */
static bool are_strips(picture_run flat, picture_run inside) {
    assert_true(picture_same(&flat, &inside, "c"));
    assert_true(picture_has_line(&flat, "c"));
    const bool strips = !picture_has_line(&flat, "b");
    if (strips) assert_false(picture_has_line(&flat, "d"));
    picture_end(&flat);
    picture_end(&inside);
    return strips;
}

static bool in_strips(const char *text, int64_t rows, int threads) {
    return are_strips(picture_go(text, rows, threads, WADI_SCHEDULE_FORCE_FLAT),
                      picture_go(text, rows, 1, WADI_SCHEDULE_FORCE_INSIDE));
}

static void two_in_a_row(void **state) {
    (void)state;
    static const char text[] =
        PICTURE_HEAD "b = " ACROSS("1", "a") "\nc = " DOWN("1", "b", "") "\noutput c\n";
    assert_true(in_strips(text, PICTURE_ROWS, 1));
    assert_true(in_strips(text, PICTURE_ROWS, 3));
    assert_true(in_strips(text, PICTURE_ROWS, 64)); /* each has few rows, but enough for a strip */
    assert_false(in_strips(text, PICTURE_FEW_ROWS, 2));
}

static void three_in_a_row(void **state) {
    (void)state;
    /* b is read by both of the others; a mirror, and a function beyond the edge */
    static const char text[] = PICTURE_HEAD "b = " ACROSS("2", "a") "\nd = " DOWN(
        "2", "b", "") "\n"
                      "c = stencil dims=2 edge=41 near=3,-1,0,0,0,1,0,3,0,-1,0,0,1,1 d b (p, q, r, "
                      "s, t, u) { add "
                      "(mul p q) (sub (mul r s) (add (mul t u) p)) } (i, j) { convert f32 (add i "
                      "j) }\noutput c\n";
    assert_true(in_strips(text, PICTURE_ROWS, 2));
}

static void one_that_others_read(void **state) {
    (void)state;
    static const char text[] =
        PICTURE_HEAD "b = " ACROSS("1", "a") "\nc = " DOWN("1", "b", "") "\noutput c\noutput b\n";
    assert_false(in_strips(text, PICTURE_ROWS, 2));
}

static void one_that_wraps_around(void **state) {
    (void)state;
    static const char text[] =
        PICTURE_HEAD "b = " ACROSS("1", "a") "\nc = " DOWN("3", "b", "") "\noutput c\n";
    assert_false(in_strips(text, PICTURE_ROWS, 2));
}

/* Columns may wrap around: a strip has all of them. */
static void one_that_wraps_within_rows(void **state) {
    (void)state;
    static const char text[] =
        PICTURE_HEAD "b = " ACROSS("1", "a") "\nc = " ACROSS("3", "b") "\noutput c\n";
    assert_true(in_strips(text, PICTURE_ROWS, 2));
}

/* Two columns of different widths; what is read of `b` near the edges is of both. */
static void records(void **state) {
    (void)state;
    static const char text[] =
        PICTURE_HEAD "b = stencil dims=2 edge=1 near=3,0,-1,0,0,0,1 a (p, q, r) { x: convert u8 "
                     "(mul 200.0f32 q), y: convert f64 (sub (mul 0.3f32 p) r) }\n"
                     "c = stencil dims=2 edge=1 near=3,-2,0,0,0,1,0 b (p, pp, q, qq, r, rr) { add "
                     "(sub pp (mul 0.1 qq)) (add rr (convert f64 (add p (sub q r)))) }\n"
                     "output c\n";
    assert_true(in_strips(text, PICTURE_ROWS, 2));
}

static void rank_three(void **state) {
    (void)state;
    static const char text[] = PICTURE_CUBE_HEAD
        "b = stencil dims=3 edge=1 near=4,0,-1,0,0,0,0,0,1,0,0,0,1 a (p, q, r, s) "
        "{ sub (mul p q) (mul r s) }\n"
        "c = stencil dims=3 edge=1 near=3,-1,0,0,0,0,0,2,0,1 b (p, q, r) { add p "
        "(sub q r) }\noutput c\n";
    assert_true(are_strips(picture_go_cube(text, 2, WADI_SCHEDULE_FORCE_FLAT),
                           picture_go_cube(text, 1, WADI_SCHEDULE_FORCE_INSIDE)));
}

/* The fault is that of the first step that has one, as if the steps ran one after the other. */
static void a_fault(void **state) {
    (void)state;
    static const char text[] =
        "program p\ninput a : f32[h, w]\n"
        "b = stencil dims=2 edge=1 near=5,0,-2,0,-1,0,0,0,1,0,2 a (p, q, r, s, t) { add (quot 7 "
        "(sub (convert i64 (mul 1000.0f32 r)) 500)) (convert i64 (add (mul p q) (mul s t))) }\n"
        "c = stencil dims=2 edge=1 near=5,-2,0,-1,0,0,0,1,0,2,0 b (p, q, r, s, t) { add (quot p "
        "(sub q q)) (add (mul r s) (mul t p)) }\noutput c\n";
    wadi_error err[2] = {{.status = WADI_OK}, {.status = WADI_OK}};
    const wadi_schedule_option how[] = {WADI_SCHEDULE_FORCE_FLAT, WADI_SCHEDULE_FORCE_INSIDE};
    for (int i = 0; i < 2; i++) {
        picture_run o = picture_begin(text, PICTURE_ROWS, 2, how[i]);
        assert_int_not_equal(wadi_run_go(o.run, &err[i]), WADI_OK);
        picture_end(&o);
    }
    assert_string_equal(err[0].msg, err[1].msg);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(two_in_a_row),
                                       cmocka_unit_test(three_in_a_row),
                                       cmocka_unit_test(one_that_others_read),
                                       cmocka_unit_test(one_that_wraps_around),
                                       cmocka_unit_test(one_that_wraps_within_rows),
                                       cmocka_unit_test(records),
                                       cmocka_unit_test(rank_three),
                                       cmocka_unit_test(a_fault)};
    return cmocka_run_group_tests(tests, picture_make, picture_free);
}
