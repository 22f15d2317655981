/* Folds and scans of segments of very unequal lengths: one that is all of the array, one between thousands of tiny ones, lengths around those of
 * blocks and units, empty ones, places outside. All schedules give the bits of the interpreter. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/text.h"
#include "tests/conformance/texts.h"

typedef struct offsets {
    const char *what, *n, *at; /* how many offsets; offset j */
} offsets;

static const offsets all_offsets[] = {
    {"one segment", "2", "mul j 200000"},
    {"one between tiny ones", "20002", "add j (mul 179998 (min 1 (max 0 (sub j 10000))))"},
    {"about a block", "49", "min 200000 (mul j 4097)"},
    {"about a unit", "4", "min 200000 (mul j 65537)"},
    {"empty ones", "3001", "mul 66 (sub j (rem j 9))"},
    {"of one element", "200001", "j"},
    {"places outside", "3", "add 77 (mul j 99000)"},
    {"lengths that differ from some segment on, and long ones", "30001",
     "add (mul 5 j) (mul (min 1 (quot j 9000)) (add (rem (quot (mul j (mul j 31)) 64) 6) (mul 40 "
     "(quot "
     "(sub j 9000) 50))))"},
};

#define EACH for (size_t k = 0; k < sizeof all_offsets / sizeof *all_offsets; k++)

static void begin(wadi_text *t, const offsets *o) {
    wadi_text_addf(t,
                   "program segments # %s\n"
                   "input r200000 : f64[200000]\n"
                   "x = map r200000 (a) { fdiv 1.0 (add 1.0 (mul a a)) }\n"
                   "q = generate 200000 (i) { rem (mul i 37) 1009 }\n"
                   "o = generate %s (j) { %s }\n",
                   o->what, o->n, o->at);
}

static void check(void **state, wadi_text *t, bool faults) {
    texts_check(state, wadi_text_str(t), faults);
    wadi_text_fini(t);
}

static void folds(void **state) {
    EACH {
        wadi_text t = {0};
        begin(&t, &all_offsets[k]);
        wadi_text_addf(&t, "a = fold_seg 0.1 o x (a, b) { add a b }\noutput a\n"
                           "b = fold_seg 7 o q (a, b) { max a b }\noutput b\n"
                           "c = fold_seg 0.5 o x (a, b) { add (mul a 0.5) b }\n"
                           "d = map c (a) { sub a 1.0 }\noutput d\n"
                           "w = map x (a) { convert i64 (mul a 199999.0) }\n"
                           "y = map w (k) { r200000 ! k }\n"
                           "e = fold_seg 0.0 o y (a, b) { add a b }\noutput e\n"
                           "f = fold_seg 0.5 o y (a, b) { add (mul a 0.5) b }\noutput f\n"
                           "stored = compute x\nplaces = compute o\n"
                           "g = fold_seg 0.1 places stored (a, b) { add a b }\noutput g\n");
        check(state, &t, false);
    }
}

static void scans(void **state) {
    EACH {
        wadi_text t = {0};
        begin(&t, &all_offsets[k]);
        wadi_text_addf(&t,
                       "a = scanl1_seg o x (a, b) { add a b }\noutput a\n"
                       "b = scanl_seg whole=1 7 o q (a, b) { add a b }\noutput b\n"
                       "c = scanl_seg whole=0 0.5 o x (a, b) { add a b }\noutput c\n"
                       "d = scanl_seg whole=1 0.5 o x (a, b) { add (mul a 0.5) b }\noutput d\n");
        check(state, &t, false);
    }
}

/* Checks on one side of a branch, in loops and in f, none of which fails; folds that a map reads one by one; large elements. */
static void folds_with_checks_and_large_elements(void **state) {
    static const char *const bodies[] = {
        "y = map w (k) { if gt k 90000 { r200000 ! k } else { 0.25 } }\n"
        "a = fold_seg 0.0 o y (a, b) { add a b }\n"
        "b = fold_seg 0.5 o y (a, b) { add (mul a 0.5) b }\n"
        "c = zip_with a b (a, b) { mul a b }\noutput c\n",
        "y = map w (k) { iterate (rem k 3) (i, s) { add s (r200000 ! (sub k i)) } from 0.0 }\n"
        "a = fold_seg 0.0 o y (a, b) { add a b }\n"
        "b = fold1_seg o1 w (a, b) { r = while (r) { gt r 1000 } do { quot r (sub b -1) } from a\n"
        "add r b }\n"
        "output a\noutput b\n",
        "a = fold_seg 7 o w (a, b) { add (quot a (add b 1)) b }\n"
        "b = fold_seg 0 o w (a, b) { rem b (add 1 (convert i64 (r200000 ! (min 9 a)))) }\n"
        "output a\noutput b\n",
        "y = map x (a) { x: a, y: mul a a, z: sub a 1.0 }\n"
        "none = unit { x: 0.0, y: 0.5, z: 0.0 }\n"
        "a = fold_seg none o y (ax, ay, az, bx, by, bz) { x: add ax bx, y: add ay by, z: max az bz "
        "}\n"
        "b = fold_seg none o y (ax, ay, az, bx, by, bz) { x: add (mul 0.5 ax) bz, y: by, z: add az "
        "bx }\n"
        "output a\noutput b\n",
        "y = map x (r) { a: complex r 1.0, b: complex r 2.0, c: complex r 3.0, d: complex r 4.0, "
        "e: complex r 5.0, f: complex r 6.0, g: complex r 7.0, h: complex r 8.0 }\n"
        "c = unit { 0.0+0.0i }\n"
        "none = map c (z) { a: z, b: z, c: z, d: z, e: z, f: z, g: z, h: z }\n"
        "a = fold_seg none o y (a, b, c, d, e, f, g, h, i, j, k, l, m, n, p, q) { a: add a i, b: "
        "add "
        "b j, c: add c k, d: add d l, e: add e m, f: add f n, g: add g p, h: add h q }\n"
        "output a\n"};
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        wadi_text t = {0};
        begin(&t, &all_offsets[i]);
        wadi_text_addf(&t,
                       "w = map x (a) { convert i64 (mul a 199999.0) }\n"
                       "o1 = generate 2001 (j) { mul 66 j }\n%s",
                       bodies[i]);
        check(state, &t, false);
    }
}

/* Where all segments together have 2^22 elements and more, those of up to 65,536 elements are reduced without the table of blocks. The third program has
 * just so many, the second has one less, though its array is longer. */
static void of_many_elements(void **state) {
    static const struct {
        const char *n, *at;
    } cuts[] = {{"4600000", "min 4550077 (add o 77)"},
                {"4600000", "min 4194303 o"},
                {"4194304", "min 4194304 o"}};
    for (size_t k = 0; k < sizeof cuts / sizeof *cuts; k++) {
        wadi_text t = {0};
        wadi_text_addf(
            &t,
            "program many\n"
            "input r200000 : f64[200000]\n"
            "lengths = generate 135 (j) {\n"
            "  r = rem j 9\n"
            "  if lt r 4 { if lt r 2 { if eq r 0 { 10000 } else { 65536 } }\n"
            "    else { if eq r 2 { 65537 } else { 0 } } }\n"
            "  else { if lt r 6 { if eq r 4 { 4096 } else { 4097 } }\n"
            "    else { if eq r 6 { 131073 } else { if eq r 7 { 69632 } else { 9 } } } }\n"
            "}\n"
            "sums = scanl 0 lengths (a, b) { add a b }\n"
            "o = map sums (o) { %s }\n"
            "x = generate %s (i) { r200000 ! (rem i 200000) }\n"
            "a = fold_seg 0.1 o x (a, b) { add a b }\noutput a\n",
            cuts[k].at, cuts[k].n);
        check(state, &t, false);
    }
}

/* The same, and an element of a later block fails: the fault is that of the first one. */
static void faults_of_many_elements(void **state) {
    wadi_text t = {0};
    wadi_text_addf(&t,
                   "program many\n"
                   "input r200000 : f64[200000]\n"
                   "o = generate 461 (j) { mul j 10000 }\n"
                   "w = generate 4600000 (i) { sub (rem (add i 5000) 200000) (quot i 4290000) }\n"
                   "x = map w (k) { r200000 ! k }\n"
                   "a = fold_seg 0.0 o x (a, b) { add a b }\noutput a\n");
    check(state, &t, true);
}

/* Segments of every row, and of records. */
static void rows_and_records(void **state) {
    wadi_text t = {0};
    wadi_text_addf(
        &t, "program rows\n"
            "m = generate 3 90000 (i, k) { fdiv 1.0 (convert f64 (add i (rem k 1013))) }\n"
            "o = generate 202 (j) { add j (mul 89799 (min 1 (max 0 (sub j 100)))) }\n"
            "m1 = map m (x) { min x 3.0 }\n"
            "a = fold_seg 0.0 o m1 (a, b) { add a b }\noutput a\n"
            "b = scanl1_seg o m1 (a, b) { add a b }\noutput b\n"
            "c = scanl_seg whole=1 0.25 o m1 (a, b) { add a b }\noutput c\n"
            "r = map m1 (x) { x: x, y: convert i64 (mul x 10.0) }\n"
            "none = unit { x: 0.0, y: 0 }\n"
            "d = fold_seg none o r (ax, ay, bx, by) { x: add ax bx, y: max ay by }\noutput d\n"
            "e = scanl_seg whole=0 none o r (ax, ay, bx, by) { x: add ax bx, y: max ay by }\n"
            "output e\n");
    check(state, &t, false);
}

/* The number of elements and the offsets differ from element to element. */
static void elements_of_streams(void **state) {
    texts_check(state,
                "program streams\n"
                "s = stream_in \"s\" : seq(i64)\n"
                "u = map_seq s (k) {\n"
                "    n = unit { mul (mul (the k) (the k)) 997 }\n"
                "    x = generate n (i) { fdiv 1.0 (convert f64 (add i 1)) }\n"
                "    o = generate 12 (j) { quot (mul (mul j j) (the n)) 121 }\n"
                "    a = scanl1_seg o x (a, b) { add a b }\n"
                "    yield a\n}\n"
                "v = map_seq s (k) {\n"
                "    n = unit { mul (mul (the k) (the k)) 997 }\n"
                "    x = generate n (i) { fdiv 1.0 (convert f64 (add i 1)) }\n"
                "    o = generate 12 (j) { quot (mul (mul j j) (the n)) 121 }\n"
                "    b = fold_seg 0.0 o x (a, b) { add a b }\n"
                "    yield b\n}\n"
                "a = elements u\nb = elements v\noutput a\noutput b\n",
                false);
}

static void the_first_fault_is_told(void **state) {
    static const offsets bad[] = {
        {"turned", "40", "sub (mul j 5000) (mul 70000 (quot j 30))"},
        {"too far", "30", "mul j 7000"},
        {"far too far", "451", "mul j 10000"},
        {"negative", "30", "sub (mul j 5000) 1"},
        {"long, then turned", "5", "sub (mul j 90000) (mul 90000 (quot j 3))"},
    };
    static const char *const bodies[] = {
        "a = scanl1_seg o x (a, b) { add a b }\noutput a\n",
        "a = scanl_seg whole=1 0 o q (a, b) { add a b }\noutput a\n",
        "a = fold_seg 0.0 o x (a, b) { add a b }\noutput a\n",
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
            wadi_text t = {0};
            begin(&t, &bad[k]);
            wadi_text_addf(&t, "%s", bodies[i]);
            check(state, &t, true);
        }
    }
}

static const offsets long_ones[] = {
    {"a later block", "2", "mul j 200000"},
    {"a later block of the third", "5", "add (min 9 (mul 3 j)) (mul 60000 (max 0 (sub j 2)))"},
    {"short ones", "2001", "mul j 100"},
};

/* A fault in elements: in a later block of a segment, and in the segments before that as well. */
static void the_first_fault_of_elements_is_told(void **state) {
    static const char *const places[] = {
        "max 0 (sub 1 (mul (sub i 150001) (sub i 150001)))",
        "max 0 (sub (rem i 9000) 8998)",
        "max 0 (sub 1 (mul (min 1 (mul (sub i 5) (sub i 5))) (mul (sub i 5000) (sub i 5000))))",
    };
    static const char *const bodies[] = {
        "v = map w (k) { t ! k }\na = fold_seg 0 o v (a, b) { add a b }\noutput a\n",
        "v = map w (k) { t ! k }\na = fold1_seg o v (a, b) { add (mul a 3) b }\noutput a\n",
        "v = map w (k) { sub k 70 }\na = fold_seg 1 o v (a, b) { quot a b }\noutput a\n",
        "a = fold_seg 0 o w (a, b) { add (rem a 50) (t ! b) }\noutput a\n",
        "a = scanl1_seg o w (a, b) { add (rem a 50) (t ! b) }\noutput a\n",
    };
    for (size_t k = 0; k < sizeof long_ones / sizeof *long_ones; k++) {
        for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
            wadi_text t = {0};
            begin(&t, &long_ones[k]);
            wadi_text_addf(&t,
                           "t = generate 64 (i) { mul i i }\n"
                           "w = generate 200000 (i) { add (rem i 60) (mul 70 (%s)) }\n%s",
                           places[(k + i) % (sizeof places / sizeof *places)], bodies[i]);
            check(state, &t, true);
        }
    }
}

/* Segments may be folded in the order of their lengths. Two faults are near each other, so that the later one may be in the shorter segment;
 * one is in a long segment; and a place behind a fault is wrong. */
static void the_first_fault_of_short_segments_is_told(void **state) {
    static const char *const wrong[] = {"0", "0", "0",
                                        "max 0 (sub 1 (mul (sub j 10040) (sub j 10040)))"};
    static const int first[] = {58030, 58030, 58000, 58030}, apart[] = {20, 100, 60, 20};
    for (size_t k = 0; k < sizeof apart / sizeof *apart; k++) {
        wadi_text t = {0};
        wadi_text_addf(&t,
                       "program segments\n"
                       "squares = generate 64 (i) { convert f64 (mul i i) }\n"
                       "numbers = generate 100000 (i) { add (rem i 60) (mul 70 (max (max 0 (sub 1 "
                       "(abs (sub i %d)))) (max 0 (sub 1 (abs (sub i %d)))))) }\n"
                       "places = generate 16001 (j) { add (mul 900000 (%s)) (add (mul 5 j) (add "
                       "(rem (quot (mul j (mul j 31)) 64) 6) (mul 40 (quot j 50)))) }\n"
                       "t = compute squares\nw = compute numbers\no = compute places\n"
                       "y = gather w t\n"
                       "a = fold_seg 0.5 o y (a, b) { add a b }\noutput a\n",
                       first[k], first[k] + apart[k], wrong[k]);
        check(state, &t, true);
    }
}

/* Segments of arrays of the whole run, short ones of unequal lengths and some long ones, of every type of elements; two programs have an
 * index out of range. */
static void short_segments_of_every_type(void **state) {
    static const char *const types[] = {"f64", "f32", "i64", "i32", "i16", "i8", "u64", "u8"},
                             *const sums[] = {
                                 "a = fold1_seg o y (a, b) { add a b }\n",
                                 "z = unit { convert %s 3 }\n"
                                 "a = fold_seg z o y (a, b) { max a b }\n",
                                 "w = zip_with y v (a, b) { a, b }\n"
                                 "z = unit { convert %s 1, convert %s 0 }\n"
                                 "a = fold_seg z o w (a, b, c, d) { mul a c, add b d }\n"};
    enum { TYPES = sizeof types / sizeof *types, SUMS = sizeof sums / sizeof *sums };
    for (int k = 0; k < TYPES; k++) {
        const char *t = types[k];
        const int longest = 2 + 7 * (k % 4), wrong = k % 4 == 1 ? 700 + 100 * k : -1;
        wadi_text text = {0};
        wadi_text_addf(
            &text,
            "program short\n"
            "n = generate 2000 (j) { add 1 (add (rem (quot (mul j (mul j 31)) 64) %d) "
            "(mul 40 (quot (rem j 50) 49))) }\n"
            "o = scanl 0 n (a, b) { add a b }\n"
            "v = generate 36000 (i) { convert %s (rem (mul i 7919) 101) }\n"
            "u = generate 97 (i) { convert %s (rem (mul i 31) 11) }\n"
            "x = generate 36000 (i) { if eq i %d { 97 } else { rem (mul i 104729) 97 } }\n"
            "m = compute v\nf = compute u\nix = compute x\n"
            "g = gather ix f\ny = zip_with g m (a, b) { add a b }\n",
            longest, t, t, wrong);
        wadi_text_addf(&text, sums[k % SUMS], t, t);
        wadi_text_add(&text, "output a\n");
        check(state, &text, wrong >= 0);
    }
}

/* On one side of a branch, in a loop, in a loop of f, and in f alone. */
static void the_first_fault_of_scalar_control_is_told(void **state) {
    static const char *const bodies[] = {
        /* without a value of t, the second loop would not end */
        "v = map w (k) { c = if gt k 30 { t ! k } else { 9 }\n"
        "while (r) { ne r 1 } do { if gt r 1 { quot r 2 } else { r } } from c }\n"
        "a = fold_seg 0 o v (a, b) { add a b }\noutput a\n",
        "v = map w (k) { while (s) { lt s 900 } do { add s (t ! (max k 9)) } from 0 }\n"
        "a = fold1_seg o v (a, b) { iterate 2 (i, r) { sub b (quot r (sub 3200 b)) } from a "
        "}\noutput a\n",
        /* in the chain of a block, not where its result is combined */
        "a = fold_seg 0 o w (a, b) { add (rem a 50) (quot 900 (sub 129 b)) }\noutput a\n",
    };
    for (size_t k = 0; k < sizeof long_ones / sizeof *long_ones; k++) {
        wadi_text t = {0};
        begin(&t, &long_ones[k]);
        wadi_text_addf(&t,
                       "t = generate 64 (i) { mul i i }\n"
                       "w = generate 200000 (i) { add (rem i 60) (mul 70 (max 0 (sub (rem i 9000) "
                       "8998))) }\n%s",
                       bodies[k]);
        check(state, &t, true);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(folds),
        cmocka_unit_test(scans),
        cmocka_unit_test(folds_with_checks_and_large_elements),
        cmocka_unit_test(the_first_fault_of_short_segments_is_told),
        cmocka_unit_test(short_segments_of_every_type),
        cmocka_unit_test(of_many_elements),
        cmocka_unit_test(faults_of_many_elements),
        cmocka_unit_test(rows_and_records),
        cmocka_unit_test(elements_of_streams),
        cmocka_unit_test(the_first_fault_is_told),
        cmocka_unit_test(the_first_fault_of_elements_is_told),
        cmocka_unit_test(the_first_fault_of_scalar_control_is_told),
    };
    return cmocka_run_group_tests(tests, texts_open, texts_close);
}
