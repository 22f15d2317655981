/* Consumers of one array in one pass: folds, scans and stored arrays over equal spaces give what the interpreter gives in every schedule, and
 * the fault that is told is the first of the program. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/conformance/texts.h"

/* `body` reads a vector xs, of one element to many blocks. */
static void check_rows(void **state, const char *body) {
    static const char *const rows[] = {"r1", "r3", "r16", "r33", "r4097", "r200000"};
    char text[4096];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        snprintf(text, sizeof text,
                 "program siblings\ninput %s : f64[n]\nxs = map %s (x) { sub 0.5 x }\n%s", rows[i],
                 rows[i], body);
        texts_check(state, text, false);
    }
}

static void folds_of_one_vector(void **state) {
    check_rows(state, "sum = fold 0.25 xs (a, x) { add a x }\n"
                      "sq = map xs (x) { mul x x }\n"
                      "squares = fold 0.5 sq (a, x) { add a x }\n"
                      "least = fold1 xs (a, x) { min a x }\n"
                      "most = fold1 xs (a, x) { max a x }\n"
                      "output sum\noutput squares\noutput least\noutput most\n");
}

/* Accumulators of several types, records, orders that are free or fixed, and more than registers hold. */
static void folds_of_many_kinds(void **state) {
    check_rows(state, "is = map xs (x) { convert i64 (mul x 1000.0) }\n"
                      "count = fold 7 is (a, x) { add a x }\n"
                      "top = fold1 is (a, x) { max a x }\n"
                      "small = map xs (x) { convert f32 x }\n"
                      "single = fold 0.0f32 small (a, x) { add a x }\n"
                      "pairs = map xs (x) { one: x, two: convert f32 (mul 2.0 x) }\n"
                      "zero = unit { one: 0.0, two: 1.0f32 }\n"
                      "both = fold zero pairs (a, b, c, d) { one: add a c, two: max b d }\n"
                      "fixed = fold 1.0 xs (a, x) { sub a x }\n"
                      "product = fold 1.0 xs (a, x) { mul a x }\n"
                      "most = fold1 xs (a, x) { max a x }\n"
                      "output count\noutput top\noutput single\noutput both\noutput fixed\n"
                      "output product\noutput most\n");
}

static void folds_beside_maps_and_scans(void **state) {
    check_rows(state, "twice = map xs (x) { mul 2.0 x }\n"
                      "sum = fold 0.0 xs (a, x) { add a x }\n"
                      "runs = scanl1 xs (a, x) { add a x }\n"
                      "before = scanl 3.0 xs (a, x) { add a x }\n"
                      "tops = scanl1 xs (a, x) { max a x }\n"
                      "index = imap xs (i, x) { add x (convert f64 i) }\n"
                      "most = fold1 index (a, x) { max a x }\n"
                      "least = fold1 xs (a, x) { min a x }\n"
                      "output twice\noutput sum\noutput runs\noutput before\noutput tops\n"
                      "output index\noutput most\noutput least\n");
}

/* The result of one is used by what comes behind, so the second pair is computed later. A map stands in front of the fold that the other
 * map needs: lines move for the second pair. */
static void passes_follow_each_other(void **state) {
    check_rows(state, "sum = fold 1.0 xs (a, x) { add a x }\n"
                      "part = map xs (x) { fdiv x (the sum) }\n"
                      "most = fold1 xs (a, x) { max a x }\n"
                      "away = map xs (x) { sub x (the most) }\n"
                      "scaled = fold 0.0 part (a, x) { add a x }\n"
                      "far = fold 0.0 away (a, x) { add a (mul x x) }\n"
                      "output part\noutput away\noutput scaled\noutput far\n");
}

/* norm2 of Reppy and Wingerter, with a filter written as a choice, the first vector wholly in front of the second. */
static void two_vectors_of_one_length(void **state) {
    check_rows(state, "xys = map xs (x) { one: x, two: sub x 0.25 }\n"
                      "first = map xys (x, y) { x }\n"
                      "sum1 = fold 0.0 first (a, x) { add a x }\n"
                      "res1 = map xys (x, y) { fdiv x (the sum1) }\n"
                      "second = map xys (x, y) { if gt y 0.0 { y } else { 0.0 } }\n"
                      "sum2 = fold 0.0 second (a, y) { add a y }\n"
                      "res2 = map xys (x, y) { fdiv y (the sum2) }\n"
                      "output res1\noutput res2\n");
}

/* Rows of a matrix: short, a whole block, and longer. */
static void rows_of_matrices(void **state) {
    static const char *const widths[] = {"0", "1", "7", "64", "4096", "4100", "9000"};
    char text[2048];
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        snprintf(
            text, sizeof text,
            "program rows\n"
            "input r3 : f64[k]\n"
            "m = generate 5 %s (i, j) { fdiv (r3 ! (rem j 3)) (convert f64 (add i 1)) }\n"
            "sums = fold 0.0 m (a, x) { add a x }\n"
            "tops = fold 9.0 m (a, x) { max a x }\n"
            "halves = map m (x) { mul 0.5 x }\n"
            "runs = scanl1 m (a, x) { add a x }\n"
            "before = scanl 1.0 m (a, x) { add a x }\n"
            "more = map sums (x) { add x 1.0 }\n"
            "output sums\noutput tops\noutput halves\noutput runs\noutput before\noutput more\n",
            widths[i]);
        texts_check(state, text, false);
    }
}

/* A scan with an initial value has a unit for an empty row, its siblings have none. */
static void a_vector_that_turns_out_empty(void **state) {
    texts_check(state,
                "program empty\n"
                "input r16 : f64[n]\n"
                "input z : i64[m]\n"
                "none = unit { z ! 0 }\n"
                "xs = take dim=0 r16 none\n"
                "ys = map xs (x) { mul 2.0 x }\n"
                "runs = scanl1 ys (a, x) { add a x }\n"
                "half = map ys (x) { mul 0.5 x }\n"
                "sum = fold 4.0 ys (a, x) { add a x }\n"
                "before = scanl 3.0 ys (a, x) { add a x }\n"
                "output runs\noutput half\noutput sum\noutput before\n",
                false);
}

static void elements_of_streams(void **state) {
    texts_check(state,
                "program stages\n"
                "v = stream_in \"v\" : seq(i64[?])\n"
                "u = map_seq v (a) {\n"
                "    n = unit { mul 1500 (extent a 0) }\n"
                "    long = generate 2 n (j, i) { add (mul i j) (rem i 7) }\n"
                "    sums = fold 5 long (x, y) { add x y }\n"
                "    tops = fold -9 long (x, y) { max x y }\n"
                "    sum = fold 0 a (x, y) { add x y }\n"
                "    most = fold -1 a (x, y) { max x y }\n"
                "    twice = map a (x) { mul 2 x }\n"
                "    runs = scanl1 a (x, y) { add x y }\n"
                "    fs = map long (x) { fdiv (convert f64 x) 3.0 }\n"
                "    fsum = fold 0.0 fs (x, y) { add x y }\n"
                "    fmost = fold -1.0 fs (x, y) { max x y }\n"
                "    yield sums, tops, sum, most, twice, runs, fsum, fmost\n"
                "}\n"
                "stream_out \"out\" u\n",
                false);
}

/* Stages that read one stream: their consumers are siblings, whichever sink comes first, and a stage that picks what another one made is none. */
static void stages_of_one_stream(void **state) {
    static const char *const sinks[] = {"stream_out \"p\" a\nstream_out \"q\" b\n",
                                        "stream_out \"q\" b\nstream_out \"p\" a\n"};
    for (int k = 0; k < 2; k++) {
        char text[2048];
        snprintf(text, sizeof text,
                 "program twins\n"
                 "v = stream_in \"v\" : seq(i64[?])\n"
                 "a = map_seq v (xs) {\n"
                 "    n = unit { extent xs 0 }\n"
                 "    long = map xs (x) { add x (the n) }\n"
                 "    sum = fold 0 long (x, y) { add x y }\n"
                 "    all = fold 0 xs (x, y) { add x y }\n"
                 "    yield sum, all, xs\n"
                 "}\n"
                 "b = map_seq v (ys) {\n"
                 "    most = fold -5 ys (x, y) { max x y }\n"
                 "    runs = scanl1 ys (x, y) { add x y }\n"
                 "    half = map ys (x) { quot x 2 }\n"
                 "    all = fold 0 ys (x, y) { add x y }\n"
                 "    yield most, all, runs, half, all, ys\n"
                 "}\n"
                 "c = map_seq v (ys) {\n"
                 "    least = fold 5 ys (x, y) { min x y }\n"
                 "    yield least\n"
                 "}\n"
                 "d = map_seq a (s, t, zs) {\n"
                 "    least = fold 5 zs (x, y) { min x y }\n"
                 "    w = map t (x) { add x (the s) }\n"
                 "    yield least, w\n"
                 "}\n"
                 "%sstream_out \"r\" d\nstream_out \"s\" c\n",
                 sinks[k]);
        texts_check(state, text, false);
    }
}

/* Of one element, the first stage that a sink asks for tells its fault. */
static void faults_of_stages_of_one_stream(void **state) {
    static const char *const sinks[] = {"stream_out \"p\" a\nstream_out \"q\" b\n",
                                        "stream_out \"q\" b\nstream_out \"p\" a\n"};
    static const char *const bodies[][2] = {
        {"    r = map xs (x) { quot 7 (sub x 3) }\n", "    r = map ys (x) { rem 9 (sub x 3) }\n"},
        {"    r = fold1 xs (x, y) { max x y }\n", "    r = fold1 ys (x, y) { min x y }\n"},
        {"    r = unit { quot 7 (extent xs 0) }\n", "    r = fold1 ys (x, y) { min x y }\n"}};
    for (int k = 0; k < 6; k++) {
        char text[2048];
        snprintf(text, sizeof text,
                 "program faults\nv = stream_in \"v\" : seq(i64[?])\n"
                 "a = map_seq v (xs) {\n%s    yield r\n}\n"
                 "b = map_seq v (ys) {\n%s    yield r\n}\n%s",
                 bodies[k / 2][0], bodies[k / 2][1], sinks[k % 2]);
        texts_check(state, text, true);
    }
}

static void branches_and_loops(void **state) {
    texts_check(state,
                "program levels\n"
                "input r4097 : f64[n]\n"
                "s = stream_in \"s\" : seq(i64)\n"
                "u = map_seq s (k) {\n"
                "    even = unit { eq (rem (the k) 2) 0 }\n"
                "    a, b = acond even {\n"
                "        moved = map r4097 (x) { add x (convert f64 (the k)) }\n"
                "        sum = fold 0.0 moved (x, y) { add x y }\n"
                "        most = fold1 moved (x, y) { max x y }\n"
                "        yield sum, most\n"
                "    } else {\n"
                "        least = fold1 r4097 (x, y) { min x y }\n"
                "        all = fold 0.0 r4097 (x, y) { add x y }\n"
                "        yield least, all\n"
                "    }\n"
                "    w = awhile r4097 (x) {\n"
                "        top = fold1 x (p, q) { max p q }\n"
                "        low = fold1 x (p, q) { min p q }\n"
                "        go = unit { lt (add (the top) (the low)) (convert f64 (the k)) }\n"
                "        yield go\n"
                "    } do (x) {\n"
                "        y = map x (p) { add p 1.0 }\n"
                "        yield y\n"
                "    }\n"
                "    yield a, b, w\n"
                "}\n"
                "stream_out \"out\" u\n",
                false);
}

/* ---- faults ---- */

static void fault(void **state, const char *body) {
    char text[2048];
    snprintf(text, sizeof text, "program faults\ninput r200000 : f64[n]\ninput z : i64[m]\n%s",
             body);
    texts_check(state, text, true);
}

/* An earlier consumer faults at a later element than a later one. */
static void the_first_fault_of_the_program_is_told(void **state) {
    fault(state, "is = imap r200000 (i, x) { sub i 100000 }\n"
                 "late = map is (i) { quot 5 i }\n"
                 "early = map is (i) { quot 7 (add i 99000) }\n"
                 "output late\noutput early\n");
    fault(state, "is = imap r200000 (i, x) { sub i 100000 }\n"
                 "sum = fold 0 is (a, x) { add a x }\n"
                 "late = map is (i) { quot 5 i }\n"
                 "most = fold 0 is (a, x) { max a x }\n"
                 "early = map is (i) { z ! (add i 99000) }\n"
                 "output sum\noutput late\noutput most\noutput early\n");
    fault(state, "is = imap r200000 (i, x) { sub i 100000 }\n"
                 "sum = fold 0 is (a, x) { add a x }\n"
                 "other = map z (x) { quot 1 x }\n"
                 "late = map is (i) { quot 5 i }\n"
                 "output sum\noutput other\noutput late\n");
}

static void empty_rows_are_told_of_the_first(void **state) {
    fault(state, "none = take dim=0 r200000 0\n"
                 "copy = map none (x) { mul x 2.0 }\n"
                 "sum = fold 0.0 copy (a, x) { add a x }\n"
                 "least = fold1 copy (a, x) { min a x }\n"
                 "most = fold1 copy (a, x) { max a x }\n"
                 "output copy\noutput sum\noutput least\noutput most\n");
    fault(state, "none = take dim=0 z 0\n"
                 "copy = map none (x) { mul x 2 }\n"
                 "sum = fold 0 copy (a, x) { add a x }\n"
                 "bad = map z (x) { quot 1 x }\n"
                 "most = fold1 copy (a, x) { max a x }\n"
                 "output copy\noutput sum\noutput bad\noutput most\n");
}

/* Where the extent of a stored array is computed late, what asks for it does not stand in front of that. */
static void an_extent_that_is_computed_late(void **state) {
    texts_check(state,
                "program late\n"
                "input r3 : f64[k]\n"
                "xs = map r3 (x) { add 1 (convert i64 x) }\n"
                "a = fold 0 xs (x, y) { add x y }\n"
                "n2 = unit { add (min 5 (max 0 (the a))) 2 }\n"
                "g = generate n2 (i) { mul i 3 }\n"
                "m = map xs (x) { add x (extent g 0) }\n"
                "b = fold 0 m (x, y) { add x y }\n"
                "c = fold 0 g (x, y) { add x y }\n"
                "output a\noutput b\noutput c\n",
                false);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(folds_of_one_vector),
        cmocka_unit_test(folds_of_many_kinds),
        cmocka_unit_test(folds_beside_maps_and_scans),
        cmocka_unit_test(passes_follow_each_other),
        cmocka_unit_test(two_vectors_of_one_length),
        cmocka_unit_test(rows_of_matrices),
        cmocka_unit_test(a_vector_that_turns_out_empty),
        cmocka_unit_test(elements_of_streams),
        cmocka_unit_test(stages_of_one_stream),
        cmocka_unit_test(faults_of_stages_of_one_stream),
        cmocka_unit_test(branches_and_loops),
        cmocka_unit_test(the_first_fault_of_the_program_is_told),
        cmocka_unit_test(empty_rows_are_told_of_the_first),
        cmocka_unit_test(an_extent_that_is_computed_late),
    };
    return cmocka_run_group_tests(tests, texts_open, texts_close);
}
