/* Folds of what a filter keeps, without the filtered vector: they give what the interpreter gives, which folds that vector, in every schedule,
 * and fault as it does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "tests/conformance/texts.h"

/* Predicates of element x with index i: all, none, a third, the first half, a few, runs that are longer than a block, and one of NaN. */
static const char *const predicates[] = {"ge x 0.0",
                                         "lt x 0.0",
                                         "eq (rem i 3) 1",
                                         "lt i (quot (extent xs 0) 2)",
                                         "eq (rem i 5000) 4999",
                                         "lt (rem i 9000) 4100",
                                         "lt (fdiv x 0.0) (sub x (fdiv x 0.0))"};

enum { PREDICATES = sizeof predicates / sizeof *predicates };

/* A filter of xs and its count: values kept<k> and count<k>. */
static void add_filter(wadi_text *t, int k, const char *keep) {
    wadi_text_addf(t,
                   "ones%d = zip_with xs is (x, i) { convert i64 (%s) }\n"
                   "count%d = fold 0 ones%d (a, x) { add a x }\n"
                   "kept%d = compact count%d xs is (x, i) { %s }\n",
                   k, keep, k, k, k, k, keep);
}

static void add_vector(wadi_text *t, const char *of) {
    wadi_text_addf(t, "xs = %s\nis = imap xs (i, x) { i }\n", of);
}

static void check(void **state, const wadi_text *t, bool faults) {
    assert_false(t->failed);
    texts_check(state, t->at, faults);
}

/* One fold of each predicate. */
static void folds_of_many_lengths(void **state) {
    static const int lengths[] = {0, 1, 15, 16, 17, 4095, 4097, 65535, 65536, 65537};
    for (size_t n = 0; n < sizeof lengths / sizeof *lengths; n++) {
        wadi_text t;
        wadi_text_init(&t);
        wadi_text_addf(&t, "program lengths\ninput r200000 : f64[n]\n");
        char of[64];
        snprintf(of, sizeof of, "take dim=0 r200000 %d", lengths[n]);
        add_vector(&t, of);
        for (int k = 0; k < PREDICATES; k++) {
            add_filter(&t, k, predicates[k]);
            wadi_text_addf(&t, "sum%d = fold 0.5 kept%d (a, x) { add a x }\noutput sum%d\n", k, k,
                           k);
        }
        check(state, &t, false);
        wadi_text_fini(&t);
    }
}

/* Kinds of folds, each of a filter of its own: orders that are free or fixed, records, minima, maps on the way, and the index of a kept
 * element. */
static void folds_of_many_kinds(void **state) {
    static const char *const folds[] = {
        "out%d = fold 1.0 kept%d (a, x) { sub a x }\n",
        "w%d = map kept%d (x) { convert i64 (mul x 1000.0) }\nout%d = fold 7 w%d (a, x) { add a x "
        "}\n",
        "out%d = fold1 kept%d (a, x) { max a x }\n",
        "w%d = map kept%d (x) { one: x, two: convert f32 (sub 1.0 x) }\n"
        "out%d = fold zero w%d (a, b, c, d) { one: add a c, two: min b d }\n",
        "w%d = imap kept%d (j, x) { mul x (convert f64 j) }\nout%d = fold 0.0 w%d (a, x) { add a x "
        "}\n",
        "w%d = map kept%d (x) { ne (fdiv (sub x x) (sub x x)) x }\n"
        "out%d = fold true w%d (a, x) { and a x }\n"};
    wadi_text t;
    wadi_text_init(&t);
    wadi_text_addf(
        &t, "program kinds\ninput r200000 : f64[n]\nzero = unit { one: 0.0, two: 9.0f32 }\n");
    add_vector(&t, "map r200000 (x) { sub 0.75 x }");
    for (int k = 0; k < (int)(sizeof folds / sizeof *folds); k++) {
        add_filter(&t, k, predicates[k == 1 ? 0 : 2 + k % 4]);
        wadi_text_addf(&t, folds[k], k, k, k, k);
        wadi_text_addf(&t, "output out%d\n", k);
    }
    check(state, &t, false);
    wadi_text_fini(&t);
}

/* Types, an initial value, and operations that have an identity; those of floats prefer numbers to NaN, those of truth values are logical. */
static const struct exact {
    const char *type, *z, *made, *ops[7];
} exacts[] = {
    {"i8",
     "3i8",
     "convert i8 (convert i64 (mul x 1000.0))",
     {"add", "mul", "min", "max", "and", "or", "xor"}},
    {"u16", "3u16", "convert u16 (mul x 9999.0)", {"add", "mul", "min", "max", "and", "or", "xor"}},
    {"i64", "-3", "convert i64 (mul x 1000.0)", {"add", "mul", "min", "max", "and", "or", "xor"}},
    {"f32", "0.25f32", "convert f32 (sub 0.5 x)", {"min", "max"}},
    {"f64", "-0.0", "fdiv (sub x x) (sub x 0.5)", {"min", "max"}},
    {"bool", "true", "gt x 0.25", {"and", "or"}},
};

static void add_exact_folds(wadi_text *t, const struct exact *e) {
    wadi_text_addf(t, "made = map kept0 (x) { %s }\n", e->made);
    for (int k = 0; k < 7 && e->ops[k]; k++)
        wadi_text_addf(t,
                       "%s0 = fold %s made (a, x) { %s a x }\noutput %s0\n"
                       "%s1 = fold1 made (a, x) { %s a x }\noutput %s1\n",
                       e->ops[k], e->z, e->ops[k], e->ops[k], e->ops[k], e->ops[k], e->ops[k]);
}

/* Folds of one filter whose identity stands for what is not kept, beside the count, a sum that rounds, and a record. */
static void several_folds_of_one_filter(void **state) {
    for (size_t i = 0; i < sizeof exacts / sizeof *exacts; i++) {
        wadi_text t;
        wadi_text_init(&t);
        wadi_text_addf(&t, "program several\ninput r200000 : f64[n]\n");
        add_vector(&t, i % 2 ? "take dim=0 r200000 5000" : "map r200000 (x) { sub 0.75 x }");
        add_filter(&t, 0, predicates[2 + i % 4]);
        add_exact_folds(&t, &exacts[i]);
        wadi_text_addf(&t, "sum = fold 0.0 kept0 (a, x) { add a x }\n"
                           "pairs = map kept0 (x) { one: x, two: convert i32 (mul x 100.0) }\n"
                           "both = fold1 pairs (a, b, c, d) { one: min a c, two: add b d }\n"
                           "mean = map sum (s) { fdiv s (convert f64 (extent kept0 0)) }\n"
                           "output count0\noutput both\noutput mean\n");
        check(state, &t, false);
        wadi_text_fini(&t);
    }
}

/* Nothing is kept: an initial value is what remains, and without one that is a fault, though there are elements. */
static void folds_of_nothing(void **state) {
    for (int faults = 0; faults < 2; faults++)
        for (int empty = 0; empty < 2; empty++) {
            wadi_text t;
            wadi_text_init(&t);
            wadi_text_addf(&t, "program nothing\ninput r3 : f64[n]\n");
            add_vector(&t, empty ? "take dim=0 r3 0" : "map r3 (x) { x }");
            add_filter(&t, 0, "gt i 7");
            wadi_text_addf(&t,
                           "least = fold%s kept0 (a, x) { min a x }\n"
                           "js = map kept0 (x) { convert i64 x }\n"
                           "sum = fold 7 js (a, x) { add a x }\n"
                           "output sum\noutput least\n",
                           faults ? "1" : " 9.0");
            check(state, &t, faults);
            wadi_text_fini(&t);
        }
}

/* What is made of kept elements faults where an element is not kept, or is not cheap: it is computed of kept elements alone. */
static void maps_that_would_fault(void **state) {
    wadi_text t;
    wadi_text_init(&t);
    wadi_text_addf(&t, "program harm\ninput r4097 : f64[n]\n");
    add_vector(&t, "map r4097 (x) { x }");
    wadi_text_addf(&t, "ones = map is (i) { convert i64 (ne i 5) }\n"
                       "count = fold 0 ones (a, x) { add a x }\n"
                       "kept = compact count is (i) { ne i 5 }\n"
                       "parts = map kept (i) { quot 1000 (sub i 5) }\n"
                       "most = fold1 parts (a, x) { max a x }\n"
                       "powers = map kept (i) { iterate (rem i 9) (j, x) { mul x 3 } from 1 }\n"
                       "all = fold 0 powers (a, x) { xor a x }\n"
                       "output most\noutput all\n");
    check(state, &t, false);
    wadi_text_fini(&t);
}

/* A vector of its own length beside what is kept, and a fold whose result is read on the way to another. */
static void kept_elements_beside_others(void **state) {
    wadi_text t;
    wadi_text_init(&t);
    wadi_text_addf(&t, "program beside\ninput r200000 : f64[n]\n");
    add_vector(&t, "map r200000 (x) { x }");
    add_filter(&t, 0, predicates[2]);
    wadi_text_addf(&t, "others = generate count0 (j) { convert f64 (rem j 7) }\n"
                       "products = zip_with kept0 others (x, y) { mul x y }\n"
                       "dot = fold 0.0 products (a, x) { add a x }\n"
                       "mean = map dot (x) { fdiv x (convert f64 (the count0)) }\n"
                       "output mean\n");
    check(state, &t, false);
    wadi_text_fini(&t);
}

/* Two filters that meet are both needed at once, which one fold cannot do; folds that a filter's vector and another one share are no siblings. */
static void filters_that_meet(void **state) {
    wadi_text t;
    wadi_text_init(&t);
    wadi_text_addf(&t, "program meeting\ninput r200000 : f64[n]\n");
    add_vector(&t, "map r200000 (x) { x }");
    wadi_text_addf(&t, "ys = imap xs (i, x) { fdiv (convert f64 (rem i 11)) 3.0 }\n");
    add_filter(&t, 0, predicates[2]);
    wadi_text_addf(&t, "kept1 = compact count0 ys is (x, i) { %s }\n", predicates[2]);
    wadi_text_addf(&t, "halves = map kept1 (y) { mul y 0.5 }\n"
                       "products = zip_with kept0 halves (x, y) { mul x y }\n"
                       "dot = fold 0.0 products (a, x) { add a x }\n"
                       "output dot\n");
    add_filter(&t, 2, predicates[4]);
    wadi_text_addf(&t, "weights = generate count2 (j) { exp (fdiv -1.0 (convert f64 (add j 1))) }\n"
                       "total = fold 0.0 weights (a, x) { add a x }\n"
                       "weighed = zip_with kept2 weights (x, y) { mul x y }\n"
                       "sum = fold 0.0 weighed (a, x) { add a x }\n"
                       "most = fold 0.0 weights (a, x) { max a x }\n"
                       "output total\noutput sum\noutput most\n");
    check(state, &t, false);
    wadi_text_fini(&t);
}

/* A filter's vector meets one that a chain of maps as long as chains may be makes. */
static void kept_elements_beside_a_chain(void **state) {
    wadi_text t;
    wadi_text_init(&t);
    wadi_text_addf(&t, "program chain\ninput r200000 : f64[n]\n");
    add_vector(&t, "map r200000 (x) { x }");
    add_filter(&t, 0, predicates[2]);
    wadi_text_addf(&t, "m0 = generate count0 (j) { convert f64 (rem j 7) }\n");
    for (int k = 1; k < 99; k++)
        wadi_text_addf(&t, "m%d = map m%d (x) { add x %d.5 }\n", k, k - 1, k);
    wadi_text_addf(&t, "products = zip_with kept0 m98 (x, y) { mul x y }\n"
                       "dot = fold 0.0 products (a, x) { add a x }\n"
                       "output dot\n");
    check(state, &t, false);
    wadi_text_fini(&t);
}

/* Filters of each element of a stream, of 0 to three blocks, and inside branches and loops. */
static void filters_of_rows(void **state) {
    wadi_text t;
    wadi_text_init(&t);
    wadi_text_addf(
        &t, "program rows\ns = stream_in \"s\" : seq(i64)\n"
            "u = map_seq s (k) {\n"
            "n = unit { max 0 (add (mul 4096 (quot (the k) 3)) (sub (rem (the k) 3) 1)) }\n");
    add_vector(&t, "generate n (i) { fdiv 1.0 (convert f64 (add i (add (the k) 1))) }");
    for (int k = 0; k < PREDICATES; k++) {
        add_filter(&t, k, predicates[k]);
        wadi_text_addf(&t, "sum%d = fold 0.5 kept%d (a, x) { add a x }\n", k, k);
    }
    wadi_text_addf(&t, "few = unit { lt (the k) 5 }\n"
                       "r = acond few {\n");
    add_filter(&t, 7, "eq (rem i 2) 0");
    wadi_text_addf(&t, "least = fold 2.0 kept7 (a, x) { min a x }\nyield least\n} else {\n");
    add_filter(&t, 8, "gt x 0.001");
    wadi_text_addf(&t, "w = map kept8 (x) { add x (convert f64 (the k)) }\n"
                       "far = fold 0.0 w (a, x) { add a x }\nyield far\n}\nyield r");
    for (int k = 0; k < PREDICATES; k++) wadi_text_addf(&t, ", sum%d", k);
    wadi_text_addf(&t, "\n}\nstream_out \"out\" u\n");
    check(state, &t, false);
    wadi_text_fini(&t);
}

/* Filters that are stored take the blocks of their count for their own. */
static void filters_that_are_stored(void **state) {
    static const int lengths[] = {0, 4096, 8193};
    for (size_t n = 0; n < sizeof lengths / sizeof *lengths; n++) {
        wadi_text t;
        wadi_text_init(&t);
        wadi_text_addf(&t, "program stored\ninput r200000 : f64[n]\n");
        char of[64];
        snprintf(of, sizeof of, "take dim=0 r200000 %d", lengths[n]);
        add_vector(&t, of);
        for (int k = 0; k < PREDICATES; k++) {
            add_filter(&t, k, predicates[k]);
            wadi_text_addf(&t, "output kept%d\n", k);
        }
        check(state, &t, false);
        wadi_text_fini(&t);
    }
}

/* Rows whose count is taken in front of a loop in which they are filtered, together with what changes there; loops end after different numbers of rounds. */
static void filters_in_loops_are_counted_before(void **state) {
    texts_check(state,
                "program loops\n"
                "s = stream_in \"s\" : seq(i64)\n"
                "t = map_seq s (k) {\n"
                "    n = unit { max 0 (mul 1400 (the k)) }\n"
                "    v = generate n (i) { rem (mul i 7919) 9 }\n"
                "    w = compute v\n"
                "    ones = map w (x) { convert i64 (gt x 3) }\n"
                "    count = fold 0 ones (a, x) { add a x }\n"
                "    zero = unit { 0 }\n"
                "    rounds = unit { rem (the count) 4 }\n"
                "    sum, left = awhile zero rounds (a, b) {\n"
                "        go = unit { gt (the b) 0 }\n"
                "        yield go\n"
                "    } do (a, b) {\n"
                "        y = map w (x) { mul x (add (the b) 1) }\n"
                "        kept = compact count w y (x, y) { gt x 3 }\n"
                "        far = imap kept (i, x) { mul x i }\n"
                "        sums = scanl 0 far (p, q) { sub (mul 3 p) q }\n"
                "        total = fold 0 sums (p, q) { add p q }\n"
                "        next = unit { add (the a) (the total) }\n"
                "        less = unit { sub (the b) 1 }\n"
                "        yield next, less\n"
                "    }\n"
                "    yield sum\n"
                "}\n"
                "stream_out \"out\" t\n",
                false);
}

static void fault(void **state, const char *keep, const char *rest) {
    wadi_text t;
    wadi_text_init(&t);
    wadi_text_addf(&t, "program faults\ninput r200000 : f64[n]\ninput z : i64[m]\n");
    add_vector(&t, "map r200000 (x) { x }");
    add_filter(&t, 0, keep);
    wadi_text_addf(&t, "%s", rest);
    check(state, &t, true);
    wadi_text_fini(&t);
}

static void faults_are_told(void **state) {
    /* in the predicate, in what is made of kept elements, in both, in the fold, and of a row that turns out empty */
    fault(state, "eq (quot 1 (sub i 70000)) 0",
          "sum = fold 0.0 kept0 (a, x) { add a x }\noutput sum\n");
    fault(state, "eq (rem i 3) 0",
          "w = imap kept0 (j, x) { z ! (quot j 5000) }\nsum = fold 0 w (a, x) { add a x }\noutput "
          "sum\n");
    fault(state, "eq (rem i (sub 5 i)) 0",
          "w = imap kept0 (j, x) { quot 5 (sub j 1) }\nsum = fold 0 w (a, x) { add a x }\noutput "
          "sum\n");
    fault(state, "ge i 0",
          "w = imap kept0 (j, x) { sub 5000 j }\nsum = fold1 w (a, x) { add (quot 1 x) a }\noutput "
          "sum\n");
    fault(state, "lt i 0", "most = fold1 kept0 (a, x) { max a x }\noutput most\n");
}

/* A count that the program makes in another way is believed only when the elements have been counted. */
static void wrong_counts_are_told(void **state) {
    static const char text[] = "program wrong\n"
                               "input r200000 : f64[n]\n"
                               "ones = map r200000 (x) { convert i64 (gt x %s) }\n"
                               "count = fold %s ones (a, x) { add a x }\n"
                               "kept = compact count r200000 (x) { gt x 0.01 }\n"
                               "sum = fold 0.0 kept (a, x) { add a x }\n"
                               "output sum\n";
    char wrong[512];
    snprintf(wrong, sizeof wrong, text, "0.02", "0");
    texts_check(state, wrong, true);
    snprintf(wrong, sizeof wrong, text, "0.01", "1");
    texts_check(state, wrong, true);
}

/* A predicate that reads no element counts another vector, longer or shorter: the two are not one. */
static void counts_of_another_vector_are_told(void **state) {
    static const char text[] = "program other\n"
                               "input r33 : f64[n]\n"
                               "input r16 : f64[m]\n"
                               "input z : i64[k]\n"
                               "all = unit { eq (z ! 0) 0 }\n"
                               "ones = map %s (x) { convert i64 (the all) }\n"
                               "count = fold 0 ones (a, x) { add a x }\n"
                               "kept = compact count %s (x) { the all }\n"
                               "r = fold 0.0 kept (a, x) { %s a x }\n"
                               "output r\n";
    static const char *const vectors[] = {"r33", "r16"}, *const ops[] = {"add", "max"};
    for (int k = 0; k < 4; k++) {
        char other[512], same[512];
        snprintf(other, sizeof other, text, vectors[k % 2], vectors[1 - k % 2], ops[k / 2]);
        texts_check(state, other, true);
        snprintf(same, sizeof same, text, vectors[k % 2], vectors[k % 2], ops[k / 2]);
        texts_check(state, same, false);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(folds_of_many_lengths),
        cmocka_unit_test(folds_of_many_kinds),
        cmocka_unit_test(several_folds_of_one_filter),
        cmocka_unit_test(folds_of_nothing),
        cmocka_unit_test(maps_that_would_fault),
        cmocka_unit_test(kept_elements_beside_others),
        cmocka_unit_test(filters_that_meet),
        cmocka_unit_test(kept_elements_beside_a_chain),
        cmocka_unit_test(filters_of_rows),
        cmocka_unit_test(filters_that_are_stored),
        cmocka_unit_test(filters_in_loops_are_counted_before),
        cmocka_unit_test(faults_are_told),
        cmocka_unit_test(wrong_counts_are_told),
        cmocka_unit_test(counts_of_another_vector_are_told),
    };
    return cmocka_run_group_tests(tests, texts_open, texts_close);
}
