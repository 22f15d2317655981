/* Loops within elements that run for a block of elements in step: they give what the interpreter gives, for which each element has a loop of its
 * own, in every schedule. Which loops these are, tests/codegen/lockstep_test.c checks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "base/text.h"
#include "tests/conformance/texts.h"

static void check(void **state, const wadi_text *t, bool faults) {
    assert_false(t->failed);
    texts_check(state, t->at, faults);
}

/* Elements end after 0 to 19 rounds, neighbours at different times; what they had when they ended is told. */
static void blocks_of_many_lengths(void **state) {
    static const int lengths[] = {0,  1,  7,   8,   9,   31,  32,  33,  39,   40,   63,   64,   65,
                                  95, 96, 127, 128, 129, 191, 192, 193, 4095, 4096, 4097, 10000};
    for (size_t n = 0; n < sizeof lengths / sizeof *lengths; n++) {
        wadi_text t;
        wadi_text_init(&t);
        wadi_text_addf(&t,
                       "program lengths\ninput r200000 : f64[n]\nxs = take dim=0 r200000 %d\n"
                       "is = imap xs (i, x) { i }\n"
                       "a = map is (i) {\n"
                       "    u, k = while (u, k) { lt k (rem (mul i 7) 20) } do { add (mul u 0.75) "
                       "1.0, add k 1 } from convert f64 i, 0\n"
                       "    add u (convert f64 k)\n}\n"
                       "b = map xs (x) {\n"
                       "    y, k = while (y, k) { lt (convert f32 k) (mul y 9.0f32) } do { mul y "
                       "0.875f32, add k 1i32 } from convert f32 x, 0i32\n"
                       "    y, k\n}\noutput a\noutput b\n",
                       lengths[n]);
        check(state, &t, false);
        wadi_text_fini(&t);
    }
}

/* A lane that has ended goes on to infinities and NaN, and wraps around: none of it may be seen. One in some lanes goes on for much longer. */
static const char *const ended[] = {
    "u, v = while (u, v) { lt u x } do { mul (add u 1.0) 1.0e200, sub v (mul u u) } from 0.0, 1.0\n"
    "    add u v",
    "u, k = while (u, k) { gt u 0.0 } do { sub u 0.001, mul (add k 1) 1000003 } from x, 7\n"
    "    add u (convert f64 k)",
    "u, p = while (u, p) { land p (lt u 3.0) } do { add u x, lt (mul u u) 5.0 } from 0.0, gt x "
    "0.01\n"
    "    if p { u } else { neg u }",
    "u, k = while (u, k) { lt k (if (eq (rem (convert i64 (mul x 1000.0)) 37) 0) { 900 } else { 3 "
    "}) } do { add (fdiv 1.0 (add u "
    "1.5)) (sqrt u), add k 1 } from abs x, 0\n    add u (convert f64 k)",
    "u, k = while (u, k) { ne (rotl k 1i32) 6u8 } do { fdiv u (sub u u), add k 1u8 } from x, "
    "250u8\n"
    "    add u (convert f64 k)"};

/* Nothing of the state goes on, or all of it changes places; the loop depends on what stands in front of it. */
static const char *const shapes[] = {
    "k = while (k) { lt (mul (convert f64 k) x) 1.0 } do { add k 1 } from 0\n    convert f64 k",
    "a, b, k = while (a, b, k) { lt k 5 } do { b, a, add k 1 } from x, mul x 2.0, convert i64 (mul "
    "x 9.0)\n"
    "    sub a b",
    "y = sqrt x\n    z = sub y x\n"
    "    a = while (a) { lt a (mul z 20.0) } do { add a (add z y) } from z\n    mul a (add y z)",
    "a = while (a) { lt a 4.0 } do { if (lt a 1.0) { add a x } else { add a (mul a 0.5) } } from "
    "x\n    a",
    "iterate (the limit) (k, a) { add (mul a x) (convert f64 k) } from x",
    "b, a = iterate (the limit) (k, b, a) { a, add b x } from 1.0, x\n    sub b a"};

static void add_each(wadi_text *t, char name, const char *const *bodies, int n) {
    for (int k = 0; k < n; k++)
        wadi_text_addf(t, "%c%d = map xs (x) {\n    %s\n}\noutput %c%d\n", name, k, bodies[k], name,
                       k);
}

static void every_body(void **state) {
    wadi_text t;
    wadi_text_init(&t);
    wadi_text_add(&t, "program bodies\ninput r200000 : f64[n]\ninput z : i64[m]\n"
                      "xs = take dim=0 r200000 165\nlimit = unit { z ! 6 }\n");
    add_each(&t, 'e', ended, sizeof ended / sizeof *ended);
    add_each(&t, 's', shapes, sizeof shapes / sizeof *shapes);
    check(state, &t, false);
    wadi_text_fini(&t);
}

/* No rounds, fewer than none, and rows of matrices; the last also in streams. */
static void counts_and_rows(void **state) {
    texts_check(
        state,
        "program rows\ninput z : i64[m]\nstream_in s : seq(i64)\n"
        "none = unit { z ! 0 }\nless = unit { z ! 2 }\n"
        "a = generate 5 70 (i, j) { iterate (the none) (k, u) { add (mul u 3) k } from mul i j }\n"
        "b = generate 70 5 (i, j) { iterate (the less) (k, u) { add (mul u 3) k } from mul i j }\n"
        "t = map_seq s (x) {\n"
        "    c = generate 3 66 (i, j) {\n"
        "        u = while (u) { lt u (mul (the x) 100) } do { add (mul u 2) 1 } from add i j\n"
        "        u\n    }\n"
        "    yield c\n}\n"
        "output a\noutput b\nstream_out \"out\" t\n",
        false);
}

/* A fault in an element, in front of its loop and in it, is that of the first such element. */
static void faults_are_told(void **state) {
    texts_check(
        state,
        "program front\ninput r259 : f64[n]\nis = imap r259 (i, x) { i }\n"
        "a = map is (i) {\n    k = while (k) { lt k 90 } do { add k 9 } from quot 7 (sub i 200)\n"
        "    k\n}\noutput a\n",
        true);
    texts_check(state,
                "program within\ninput r259 : f64[n]\nis = imap r259 (i, x) { i }\n"
                "a = map is (i) {\n    k, q = while (k, q) { lt k 90 } do { add k 9, quot 7 (sub k "
                "i) } from 0, 1\n"
                "    q\n}\noutput a\n",
                true);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_of_many_lengths),
        cmocka_unit_test(every_body),
        cmocka_unit_test(counts_and_rows),
        cmocka_unit_test(faults_are_told),
    };
    return cmocka_run_group_tests(tests, texts_open, texts_close);
}
