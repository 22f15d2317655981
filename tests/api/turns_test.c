/* Turns of a loop over an array: where several run together, and that nobody sees it but who asks for what they read. Results are compared with those of
 * schedule inside, where each turn ends before the next begins. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/api/picture.h"

enum { ROWS = 600, TURNS = 11 };

/* The state x becomes y, n times. */
#define LOOP(HEAD, n, NEXT, LEFT)                                                               \
    HEAD "r, c = awhile a " #n " (x, k) {\n p = unit { gt (the k) 0 }\n yield p\n} do (x, k) {" \
         "\n y = " NEXT "\n l = " LEFT "\n yield y, l\n}\noutput r\noutput c\n"
#define ONE_LESS "unit { sub (the k) 1 }"
#define NEAR(EDGE, a)                                                                     \
    "stencil dims=2 edge=" EDGE " near=5,-2,0,0,-1,0,0,0,1,1,0 " a                        \
    " (p, q, r, s, t) { add (mul 0.3f32 p) (sub (mul 0.4f32 q) (sub (mul 0.5f32 r) (add " \
    "(mul 0.2f32 s) (mul 0.1f32 t)))) }"

/* Whether the turns have read less than each of them alone would. */
static bool is_together(const picture_run *o, int64_t bytes) {
    for (int i = 0; i < o->n; i++) {
        const char *y = strstr(o->row[i].name, ": y");
        if (y != NULL && y[3] == 0) return o->row[i].bytes_read < o->row[i].calls * bytes;
    }
    return false;
}

static bool are_together(picture_run flat, picture_run inside, int64_t bytes) {
    assert_true(picture_same(&flat, &inside, "r"));
    assert_true(picture_same(&flat, &inside, "c"));
    const bool together = is_together(&flat, bytes);
    picture_end(&flat);
    picture_end(&inside);
    return together;
}

static bool together(const char *text, int64_t rows, int threads) {
    return are_together(picture_go(text, rows, threads, WADI_SCHEDULE_FORCE_FLAT),
                        picture_go(text, rows, 1, WADI_SCHEDULE_FORCE_INSIDE),
                        rows * PICTURE_COLUMNS * (int64_t)sizeof(float));
}

static void a_counted_loop(void **state) {
    (void)state;
    static const char text[] = LOOP(PICTURE_HEAD, 11, NEAR("1", "x"), ONE_LESS);
    assert_true(together(text, ROWS, 1));
    assert_true(together(text, ROWS, 2));
    assert_true(together(text, ROWS, 5));
    assert_false(together(text, PICTURE_FEW_ROWS, 2)); /* fits into a cache */
    assert_false(together(text, ROWS, 300));           /* a worker has two rows */
}

static void how_many_turns(void **state) {
    (void)state;
    assert_false(together(LOOP(PICTURE_HEAD, 0, NEAR("2", "x"), ONE_LESS), ROWS, 2));
    assert_false(together(LOOP(PICTURE_HEAD, 1, NEAR("2", "x"), ONE_LESS), ROWS, 2));
    assert_true(together(LOOP(PICTURE_HEAD, 2, NEAR("2", "x"), ONE_LESS), ROWS, 2));
    assert_true(together(LOOP(PICTURE_HEAD, 8, NEAR("2", "x"), ONE_LESS), ROWS, 2));
    assert_true(together(LOOP(PICTURE_HEAD, 16, NEAR("2", "x"), ONE_LESS), ROWS, 2));
}

/* What is not stored belongs to the step that reads it; what stays the same may be read anywhere. */
static void more_than_a_stencil(void **state) {
    (void)state;
    assert_true(together(LOOP(PICTURE_HEAD, 11,
                              "stencil dims=2 edge=42 near=2,0,0,-1,2,2,0,0,2,-1 a x (p, q, r, s) "
                              "{ sub (mul p q) (mul r s) } (i, j) { convert f32 (sub i j) }",
                              ONE_LESS),
                         ROWS, 2));
    assert_true(
        together(LOOP(PICTURE_HEAD, 11, "map x (p) { mul p (sub 1.5f32 p) }", ONE_LESS), ROWS, 2));
}

static void rank_three(void **state) {
    (void)state;
    static const char text[] = LOOP(PICTURE_CUBE_HEAD, 11,
                                    "stencil dims=3 edge=1 near=4,0,-1,0,1,0,0,0,0,1,-1,0,1 x (p, "
                                    "q, r, s) { sub (mul p q) (mul r s) }",
                                    ONE_LESS);
    assert_true(are_together(picture_go_cube(text, 2, WADI_SCHEDULE_FORCE_FLAT),
                             picture_go_cube(text, 1, WADI_SCHEDULE_FORCE_INSIDE),
                             (int64_t)sizeof(float) * PICTURE_PLANES * PICTURE_PLANE_ROWS *
                                 PICTURE_PLANE_COLUMNS));
}

/* ---- the start goes before the state does ---- */

#define BLUR \
    "stencil dims=2 edge=1 near=3,-1,0,0,0,1,0 x (p, q, r) { add p (mul 0.3f32 (sub q r)) }"
#define LATER "d = map r (e) { mul 0.5f32 e }\noutput r\noutput d\n"

static void same_results(const char *text, const char *const *result) {
    picture_run flat = picture_go(text, ROWS, 2, WADI_SCHEDULE_FORCE_FLAT);
    picture_run inside = picture_go(text, ROWS, 1, WADI_SCHEDULE_FORCE_INSIDE);
    assert_true(is_together(&flat, (int64_t)ROWS * PICTURE_COLUMNS * (int64_t)sizeof(float)));
    for (; *result != NULL; result++) assert_true(picture_same(&flat, &inside, *result));
    picture_end(&flat);
    picture_end(&inside);
}

/* Eight turns end where they began: in the slot of the state, which leaves the branch. */
static void a_start_of_a_branch(void **state) {
    (void)state;
    static const char *const result[] = {"r", "d", NULL};
    same_results(
        PICTURE_HEAD
        "o = unit { lt (a ! (5, 5)) 2.0f32 }\nr = acond o {\n b = map a (e) { mul 0.9f32 e }\n"
        " u, c = awhile b 8 (x, k) {\n  p = unit { gt (the k) 0 }\n  yield p\n"
        " } do (x, k) {\n  y = " BLUR "\n  l = " ONE_LESS "\n  yield y, l\n }\n"
        " yield u\n} else {\n yield a\n}\n" LATER,
        result);
}

/* The inner loop has 6, 5, 4 and 3 turns. */
static void a_start_of_a_loop(void **state) {
    (void)state;
    static const char *const result[] = {"r", "c", "d", NULL};
    same_results(PICTURE_HEAD
                 "r, c = awhile a 4 (z, m) {\n o = unit { gt (the m) 0 }\n yield o\n"
                 "} do (z, m) {\n n = unit { add (the m) 2 }\n"
                 " u, v = awhile z n (x, k) {\n  p = unit { gt (the k) 0 }\n  yield p\n"
                 " } do (x, k) {\n  y = " BLUR "\n  l = " ONE_LESS "\n  yield y, l\n }\n"
                 " w = unit { sub (the m) 1 }\n yield u, w\n}\noutput c\n" LATER,
                 result);
}

/* ---- each turn needs the one before as a whole ---- */

static void rows_that_wrap_around(void **state) {
    (void)state;
    assert_false(together(LOOP(PICTURE_HEAD, 11, NEAR("3", "x"), ONE_LESS), ROWS, 2));
}

static void a_turn_that_reads_its_number(void **state) {
    (void)state;
    assert_false(together(LOOP(PICTURE_HEAD, 11,
                               "stencil dims=2 edge=1 near=2,0,0,1,0 x (p, q) { sub q (mul p "
                               "(convert f32 (the k))) }",
                               ONE_LESS),
                          ROWS, 2));
}

static void a_turn_that_reads_another_state(void **state) {
    (void)state;
    assert_false(together(
        PICTURE_HEAD "r, c, q = awhile a 11 a (x, k, v) {\n p = unit { gt (the k) 0 }\n yield p\n} "
                     "do (x, k, v) {"
                     "\n y = stencil dims=2 edge=11 near=1,1,0,1,0,0 x v (p, q) { sub p (mul "
                     "0.3f32 q) }\n l = " ONE_LESS
                     "\n u = map v (e) { mul 0.5f32 e }\n yield y, l, u\n}\noutput r\noutput c\n",
        ROWS, 2));
}

static void a_loop_that_ends_by_what_is_in_the_array(void **state) {
    (void)state;
    assert_false(together(
        PICTURE_HEAD "r, c = awhile a 11 (x, k) {\n p = unit { gt (mul (x ! (5, 5)) (convert f32 "
                     "(the k))) 0.001f32 }\n yield p\n} do (x, k) {\n y = " NEAR(
                         "1", "x") "\n l = " ONE_LESS "\n yield y, l\n}\noutput r\noutput c\n",
        ROWS, 2));
}

static void another_state_that_reads_it(void **state) {
    (void)state;
    assert_false(together(
        PICTURE_HEAD "r, c, q = awhile a 11 0.5f32 (x, k, m) {\n p = unit { gt (the k) 0 }\n "
                     "yield p\n} do (x, k, m) {\n y = " NEAR(
                         "1", "x") "\n l = " ONE_LESS "\n n = unit { add (the m) (y ! (7, 7)) }"
                                   "\n yield y, l, n\n}\noutput r\noutput c\noutput q\n",
        ROWS, 2));
}

/* ---- faults ---- */

static void same_fault(const char *text) {
    wadi_error err[2] = {{.status = WADI_OK}, {.status = WADI_OK}};
    const wadi_schedule_option how[] = {WADI_SCHEDULE_FORCE_FLAT, WADI_SCHEDULE_FORCE_INSIDE};
    for (int i = 0; i < 2; i++) {
        picture_run o = picture_begin(text, ROWS, 2, how[i]);
        assert_int_not_equal(wadi_run_go(o.run, &err[i]), WADI_OK);
        picture_end(&o);
    }
    assert_string_equal(err[0].msg, err[1].msg);
}

static void faults_come_in_their_order(void **state) {
    (void)state;
    /* the counter's, in a turn that others wait for */
    same_fault(LOOP(PICTURE_HEAD, 11, NEAR("1", "x"),
                    "unit { sub (sub (the k) 1) (quot 1 (mul 4 (sub (the k) 8))) }"));
    /* the array's, in the first turn, before the counter's in the fourth */
    same_fault(LOOP(PICTURE_HEAD "z = take dim=0 a 599\n", 11, "zip_with x z (p, q) { add p q }",
                    "unit { sub (sub (the k) 1) (quot 1 (mul 4 (sub (the k) 8))) }"));
    /* an element's */
    same_fault(LOOP(PICTURE_HEAD, 11,
                    "stencil dims=2 edge=1 near=2,0,0,1,0 x (p, q) { convert f32 (quot (convert "
                    "i64 (mul 9.0f32 p)) (sub (convert i64 (mul 1000.0f32 q)) 7)) }",
                    ONE_LESS));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_counted_loop),
                                       cmocka_unit_test(how_many_turns),
                                       cmocka_unit_test(more_than_a_stencil),
                                       cmocka_unit_test(rank_three),
                                       cmocka_unit_test(a_start_of_a_branch),
                                       cmocka_unit_test(a_start_of_a_loop),
                                       cmocka_unit_test(rows_that_wrap_around),
                                       cmocka_unit_test(a_turn_that_reads_its_number),
                                       cmocka_unit_test(a_turn_that_reads_another_state),
                                       cmocka_unit_test(a_loop_that_ends_by_what_is_in_the_array),
                                       cmocka_unit_test(another_state_that_reads_it),
                                       cmocka_unit_test(faults_come_in_their_order)};
    return cmocka_run_group_tests(tests, picture_make, picture_free);
}
