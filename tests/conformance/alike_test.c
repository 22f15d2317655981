/* Programs with so many kernels that those which are the same but for their slots, places and constants share a function, and bodies with so many loop
 * nests that those with the same text do: results and faults are each one's own. Those that differ in an operation or a type
 * stand between those that are alike. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/text.h"
#include "tests/conformance/texts.h"

enum { ROUNDS = 36, CONSTANT_ROUNDS = 12 };

static const struct {
    const char *name, *zero, *half;
} types[] = {{"f64", "0.0", "0.5"}, {"f32", "0.0f32", "0.5f32"}, {"i32", "0i32", "3i32"}};
enum { TYPES = sizeof types / sizeof *types };

/* A round sums an array, changes it by the sum, scans it, and reads it at places that are computed. fault: the round that reads beyond the
 * end; -1: none. */
static void add_round(wadi_text *t, int k, int fault) {
    const char *zero = types[k % TYPES].zero, *half = types[k % TYPES].half;
    wadi_text_addf(t, "s%d = fold %s a%d (x, y) { %s x y }\n", k, zero, k,
                   k % 7 == 6 ? "max" : "add");
    wadi_text_addf(t, "b%d = map a%d (x) { %s (mul x %s) (the s%d) }\n", k, k,
                   k % 11 == 10 ? "sub" : "add", k % 5 == 4 ? types[k % TYPES].zero : half, k);
    wadi_text_addf(t, "p%d = scanl1 b%d (x, y) { add x y }\n", k, k);
    wadi_text_addf(t, "o%d = unit { z ! %d }\n", k, k == fault ? 1 : 0);
    wadi_text_addf(t, "a%d = imap p%d (i, x) { sub x (b%d ! (add i (the o%d))) }\n", k + TYPES, k,
                   k, k);
}

static void add_rounds(wadi_text *t, const char *from, int fault) {
    for (int k = 0; k < TYPES; k++)
        wadi_text_addf(t, "a%d = map %s (x) { convert %s (mul x 7.0) }\n", k, from, types[k].name);
    for (int k = 0; k < ROUNDS; k++) add_round(t, k, fault);
}

static void check(void **state, const char *input, int fault) {
    wadi_text t = {0};
    wadi_text_addf(&t, "program alike\ninput %s : f64[n]\ninput z : i64[m]\n", input);
    add_rounds(&t, input, fault);
    for (int k = ROUNDS; k < ROUNDS + TYPES; k++) wadi_text_addf(&t, "output a%d\n", k);
    texts_check(state, wadi_text_str(&t), fault >= 0);
    wadi_text_fini(&t);
}

/* The rounds are the body of a stage. The arrays are short but for one, which is scanned in three blocks. */
static void check_stage(void **state, int fault) {
    wadi_text t = {0};
    wadi_text_add(&t, "program alike_stage\ninput z : i64[m]\nstream_in s : seq(i64)\n"
                      "r = map_seq s (e) {\n"
                      "count = unit { if eq (the e) 5 { 9000 } else { the e } }\n"
                      "xs = generate count (i) { fdiv (convert f64 (add i (the e))) 16.0 }\n");
    add_rounds(&t, "xs", fault);
    wadi_text_addf(&t, "yield a%d, a%d, a%d }\nstream_out \"out\" r\n", ROUNDS, ROUNDS + 1,
                   ROUNDS + 2);
    texts_check(state, wadi_text_str(&t), fault >= 0);
    wadi_text_fini(&t);
}

/* Constants of which floats are made, in each place where one may stand: those that compilers divide by and compare with, zeros of both signs,
 * and one that stands twice. */
static void add_constants(wadi_text *t, int k) {
    static const char *const of[] = {"0.0", "-0.0", "1.0", "0.1", "-3.5", "1.0e30", "2.0"};
    enum { OF = sizeof of / sizeof *of };
    const char *end = k % 2 == 0 ? "" : "f32", *odd = of[k / 2 % OF];
    wadi_text_addf(t, "p%d = map a%d (x) { add (mul x %d.25%s) (fdiv %s%s x) }\n", k, k, k + 3, end,
                   odd, end);
    wadi_text_addf(t, "l%d = scanl1 p%d (x, y) { min (add x y) %s%s }\n", k, k,
                   k == 4 ? "7.0" : "9.0", end);
    wadi_text_addf(
        t,
        "a%d = imap l%d p%d (i, x, y) { if lt x %d.75%s { sub %s%s y } else { fdiv y 8.0%s } }\n",
        k + 2, k, k, k, end, k == 5 ? "5.75" : odd, end, end);
}

static void each_has_its_own_constants(void **state) {
    wadi_text t = {0};
    wadi_text_add(&t, "program alike_constants\ninput r16 : f64[n]\na0 = map r16 (x) { x }\n"
                      "a1 = map r16 (x) { convert f32 x }\n");
    for (int k = 0; k < CONSTANT_ROUNDS; k++) add_constants(&t, k);
    for (int k = 0; k < CONSTANT_ROUNDS; k++) wadi_text_addf(&t, "output l%d\n", k);
    wadi_text_add(&t, "output a12\noutput a13\n");
    texts_check(state, wadi_text_str(&t), false);
    wadi_text_fini(&t);
}

static void each_computes_its_own(void **state) {
    check(state, "r16", -1);
}

static void each_has_its_own_fault(void **state) {
    check(state, "r3", 0);
    check(state, "r3", ROUNDS - 1);
}

static void nests_compute_their_own(void **state) {
    check_stage(state, -1);
}

static void nests_have_their_own_faults(void **state) {
    check_stage(state, ROUNDS - 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_has_its_own_constants), cmocka_unit_test(each_computes_its_own),
        cmocka_unit_test(each_has_its_own_fault), cmocka_unit_test(nests_compute_their_own),
        cmocka_unit_test(nests_have_their_own_faults)};
    return cmocka_run_group_tests(tests, texts_open, texts_close);
}
