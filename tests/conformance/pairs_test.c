/* Folds over all pairs of a row and a column, which are computed by tiles: they give what the interpreter gives in every schedule, and fault as it
 * does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "tests/conformance/texts.h"

static void check(void **state, wadi_text *t, bool faults) {
    assert_false(t->failed);
    texts_check(state, t->at, faults);
    wadi_text_fini(t);
}

static wadi_text program(void) {
    wadi_text t;
    wadi_text_init(&t);
    wadi_text_add(&t, "program pairs\n");
    return t;
}

/* Matrices x : [m, k] and y : [n, k] of numbers that show in which order they are added; `type` is one of floats. */
static void add_matrices(wadi_text *t, const char *m, const char *n, const char *k,
                         const char *type) {
    wadi_text_addf(t,
                   "x = generate %s %s (i, j) { convert %s (fdiv 1.0 (convert f64 (add (mul i 37) "
                   "(add j 1)))) }\n"
                   "y = generate %s %s (i, j) { convert %s (fdiv (convert f64 (sub j i)) 3.0) }\n"
                   "xx = replicate new=0,1,0 x %s\nyy = replicate new=1,0,0 y %s\n",
                   m, k, type, n, k, type, n, m);
}

/* The element of rows x and columns y, folded by f from z. */
static void add_fold(wadi_text *t, int number, const char *element, const char *z, const char *f) {
    wadi_text_addf(t,
                   "p%d = zip_with xx yy (x, y) { %s }\n"
                   "c%d = fold %s p%d (a, x) { %s }\noutput c%d\n",
                   number, element, number, z, number, f, number);
}

/* Extents that the compiler knows, and extents that it does not. */
static void add_extents(wadi_text *t, bool known, int m, int n, int k, char out[3][12]) {
    const int size[] = {m, n, k};
    for (int d = 0; d < 3; d++) {
        snprintf(out[d], 12, known ? "%d" : "n%d", known ? size[d] : d);
        if (!known)
            wadi_text_addf(t, "n%d = unit { sub (extent r200000 0) %d }\n", d, 200000 - size[d]);
    }
}

static void check_product(void **state, bool known, bool wide, int m, int n, int k) {
    wadi_text t = program();
    char extent[3][12];
    if (!known) wadi_text_add(&t, "input r200000 : f64[long]\n");
    add_extents(&t, known, m, n, k, extent);
    add_matrices(&t, extent[0], extent[1], extent[2], wide ? "f64" : "f32");
    add_fold(&t, 0, "mul x y", wide ? "0.5" : "0.5f32", "add a x");
    check(state, &t, false);
}

static void products_of_many_sizes(void **state) {
    static const int rows[] = {1, 5, 6, 7, 33}, columns[] = {33, 7, 16, 8, 17};
    static const int places[] = {0, 1, 7, 16, 17, 33};
    for (int i = 0; i < 5; i++)
        for (int k = 0; k < 6; k++)
            check_product(state, (i + k) % 3 == 0, (i + k) % 2 == 0, rows[i], columns[(i + k) % 5],
                          places[k]);
}

/* A row of the fold that is one block, and one that is more than a block; more rows and columns than a unit has. */
static void products_beyond_a_unit(void **state) {
    check_product(state, false, true, 6, 16, 4096);
    check_product(state, false, false, 7, 17, 4095);
    check_product(state, false, true, 6, 8, 4097);
    check_product(state, false, false, 200, 20, 18);
    check_product(state, true, true, 193, 9, 17);
    check_product(state, false, true, 7, 530, 3);
}

static void folds_of_many_kinds(void **state) {
    wadi_text t = program();
    wadi_text_add(&t, "input r17 : f64[n]\nn = unit { extent r17 0 }\nfirst = unit { 0.75 }\n");
    add_matrices(&t, "n", "19", "35", "f64");
    add_fold(&t, 0, "add x y", "9.0", "min a x");
    add_fold(&t, 1, "fdiv (sub x y) 0.0", "0.0", "max a x");
    add_fold(&t, 2, "convert i64 (mul (mul x y) 1000.0)", "3", "add a x");
    add_fold(&t, 3, "lt x y", "true", "and a x");
    add_fold(&t, 4, "convert f32 (sqrt (mul x x))", "0.0f32", "add a x");
    add_fold(&t, 5, "if lt x y { sub y x } else { mul (sub x y) (the first) }", "0.0", "add a x");
    wadi_text_add(&t, "zero = unit { one: 0.0, two: 7.0f32 }\n"
                      "pairs = zip_with xx yy (x, y) { one: mul x y, two: convert f32 (sub x y) }\n"
                      "both = fold zero pairs (a, b, x, y) { one: add a x, two: min b y }\n"
                      "output both\n");
    check(state, &t, false);
}

/* Elements that know their place, a matrix that is not turned, conversions on the way, fold1, and more dimensions. */
static void operands_of_many_kinds(void **state) {
    wadi_text t = program();
    wadi_text_add(&t,
                  "input r17 : f64[n]\ninput r33 : f64[m]\nn = unit { extent r17 0 }\n"
                  "m = unit { extent r33 0 }\n"
                  "a = generate n m (i, j) { fdiv 1.0 (convert f64 (add (mul i 33) (add j 1))) }\n"
                  "b = generate m 18 (i, j) { convert f32 (sub i j) }\n"
                  "bt = transpose perm=1,0 b\n"
                  "aa = replicate new=0,1,0 a 18\nbb = replicate new=1,0,0 bt n\n"
                  "aw = imap aa (i, j, k, x) { mul x (convert f64 (add (add i j) k)) }\n"
                  "q = zip_with aw bb (x, y) { mul x (convert f64 y) }\n"
                  "c = fold1 q (a, x) { add a x }\noutput c\n"
                  "g = generate n 18 m (i, j, k) { mul (a ! (i, k)) (convert f64 (b ! (k, j))) }\n"
                  "d = fold 0.0 g (a, x) { add a x }\noutput d\n"
                  "o = generate 16 20 n (i, j, k) { mul (r33 ! (add i k)) (r33 ! j) }\n"
                  "p = fold 0.0 o (a, x) { add a x }\noutput p\n"
                  "h = generate 3 8 9 m (s, i, j, k) { mul (a ! (add s i, k)) (r33 ! "
                  "(rem (add j k) 33)) }\n"
                  "e = fold 0.0 h (a, x) { add a x }\noutput e\n"
                  "l = generate n 18 m (i, j, k) { if eq i j { 1.0 } else { fdiv 1.0 (convert "
                  "f64 (add k 1)) } }\n"
                  "f = fold 0.0 l (a, x) { add a x }\noutput f\n");
    check(state, &t, false);
}

/* A matrix of its own size for each element of a stream, some with tiles and some without. */
static void products_in_a_stream(void **state) {
    wadi_text t = program();
    wadi_text_add(
        &t,
        "stream_in s : seq(i64[])\n"
        "products = map_seq s (e) {\n"
        "n = map e (x) { add x 4 }\nm = map e (x) { mul x 3 }\n"
        "x = generate n m (i, k) { fdiv (convert f64 (add i (the e))) (convert f64 (add k 1)) }\n"
        "y = generate 13 m (j, k) { convert f64 (sub j k) }\n"
        "xx = replicate new=0,1,0 x 13\nyy = replicate new=1,0,0 y n\n"
        "p = zip_with xx yy (x, y) { mul x y }\n"
        "c = fold 0.0 p (a, x) { add a x }\nyield c }\n"
        "c = elements products\noutput c\n");
    check(state, &t, false);
}

/* What may fault in the middle is not computed by tiles. */
static void faults_are_the_first(void **state) {
    static const char *const elements[] = {
        "convert f64 (quot 100 (sub (add i k) (mul j 2)))", /* rows and columns */
        "mul (r33 ! (add i k)) (r33 ! j)",                  /* by a row */
        "mul (r33 ! (sub (mul j 2) k)) (r33 ! (rem i 33))"};
    for (size_t i = 0; i < sizeof elements / sizeof *elements; i++) {
        wadi_text t = program();
        wadi_text_addf(&t,
                       "input r33 : f64[n]\nn = unit { extent r33 0 }\n"
                       "g = generate n 20 17 (i, j, k) { %s }\n"
                       "c = fold 0.0 g (a, x) { add a x }\noutput c\n",
                       elements[i]);
        check(state, &t, true);
    }
}

/* Row 0 faults at a column of the second unit; the first unit faults as well, in a later row. */
static void faults_of_units_are_in_order(void **state) {
    wadi_text t = program();
    wadi_text_add(&t,
                  "input r33 : f64[n]\ninput r259 : f64[m]\n"
                  "g = generate 40 1100 2 (i, j, k) { mul (r33 ! (add i k)) (r259 ! (quot j 2)) }\n"
                  "c = fold 0.0 g (a, x) { add a x }\noutput c\n");
    check(state, &t, true);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_of_many_sizes),      cmocka_unit_test(products_beyond_a_unit),
        cmocka_unit_test(folds_of_many_kinds),         cmocka_unit_test(operands_of_many_kinds),
        cmocka_unit_test(products_in_a_stream),        cmocka_unit_test(faults_are_the_first),
        cmocka_unit_test(faults_of_units_are_in_order)};
    return cmocka_run_group_tests(tests, texts_open, texts_close);
}
