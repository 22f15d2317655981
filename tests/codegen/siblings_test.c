/* How often programs go through their arrays: the examples of Reppy and Wingerter (2020), the four statistics, and what stays apart. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "tests/codegen/programs.h"

static void assert_passes(const char *text, const char *disable, int n) {
    compiled c = compile(text, disable);
    if (passes(c.m) != n) {
        char *after = text_of(c.m);
        print_message("%s", after);
        free(after);
    }
    assert_int_equal(passes(c.m), n);
    compiled_free(&c);
}

static const char *reason(const compiled *c, wadi_note_kind kind, const char *name) {
    const wadi_note *n = wadi_diag_find(c->d, kind, value_named(c->m, name));
    assert_non_null(n);
    return n->reason;
}

static const char statistics[] = "program statistics\n"
                                 "input xs : f32[n]\n"
                                 "sum = fold 0.0f32 xs (a, x) { add a x }\n"
                                 "sq = map xs (x) { mul x x }\n"
                                 "squares = fold 0.0f32 sq (a, x) { add a x }\n"
                                 "least = fold1 xs (a, x) { min a x }\n"
                                 "most = fold1 xs (a, x) { max a x }\n"
                                 "output sum\noutput squares\noutput least\noutput most\n";

static void four_statistics_are_one_pass(void **state) {
    (void)state;
    assert_passes(statistics, NULL, 1);
    assert_passes(statistics, "siblings", 4);
}

/* dotp of the paper: one kernel, by fusion alone. */
static void a_dot_product_is_one_pass(void **state) {
    (void)state;
    assert_passes("program dotp\n"
                  "input xs : f32[n]\n"
                  "input ys : f32[n]\n"
                  "prods = zip_with xs ys (x, y) { mul x y }\n"
                  "dot = fold 0.0f32 prods (a, x) { add a x }\n"
                  "output dot\n",
                  "siblings", 1);
}

static int count_of_stages(const char *text) {
    compiled c = compile(text, NULL);
    const int n = count_op(c.m, "map_seq");
    compiled_free(&c);
    return n;
}

/* The first examples of the paper: for-each over two vectors, also with a filter, which is counted and then stored; the product of a sparse
 * vector and a vector, and of rows of those; a function that calls itself, for each element; mm and mv, which take nested vectors. */
static void for_each_is_one_pass(void **state) {
    (void)state;
    assert_passes("program sums\ninput xs : f32[n]\ninput ys : f32[n]\n"
                  "sums = zip_with xs ys (x, y) { add x y }\noutput sums\n",
                  NULL, 1);
    assert_passes("program quotients\ninput xs : f32[n]\ninput ys : f32[n]\n"
                  "ones = zip_with xs ys (x, y) { convert i64 (ne y 0.0f32) }\n"
                  "count = fold 0 ones (a, x) { add a x }\n"
                  "pairs = zip_with xs ys (x, y) { x: x, y: y }\n"
                  "kept = compact count pairs (x, y) { ne y 0.0f32 }\n"
                  "parts = map kept (x, y) { fdiv x y }\noutput parts\n",
                  NULL, 3);
}

static void sparse_products_are_one_pass(void **state) {
    (void)state;
    assert_passes("program svxv\ninput sv : {at: i64, x: f32}[n]\ninput v : f32[m]\n"
                  "prods = map sv (i, x) { mul x (v ! i) }\n"
                  "sum = fold 0.0f32 prods (a, x) { add a x }\noutput sum\n",
                  NULL, 1);
    assert_passes(
        "program smxv\nsm = stream_in \"sm\" : seq({at: i64, x: f32}[?])\ninput v : f32[m]\n"
        "rows = map_seq sm (sv) {\n"
        "    prods = map sv (i, x) { mul x (v ! i) }\n"
        "    sum = fold 0.0f32 prods (a, x) { add a x }\n"
        "    yield sum\n"
        "}\nstream_out \"rows\" rows\n",
        NULL, 1);
}

static void factorials_of_each_are_one_pass(void **state) {
    (void)state;
    assert_passes("program fact\ninput ns : i64[n]\n"
                  "fs = map ns (n) {\n"
                  "    m, f = while (k, p) { gt k 0 } do { sub k 1, mul p k } from n, 1\n"
                  "    f\n"
                  "}\noutput fs\n",
                  NULL, 1);
}

static void nested_vectors_are_one_pass(void **state) {
    (void)state;
    assert_passes("program mm\nxss = stream_in \"xss\" : seq(f32[?])\n"
                  "yss = stream_in \"yss\" : seq(f32[?])\n"
                  "zss = map_seq xss yss (xs, ys) {\n"
                  "    zs = zip_with xs ys (x, y) { add x y }\n    yield zs\n"
                  "}\nstream_out \"zss\" zss\n",
                  NULL, 1);
    assert_passes("program mv\nxss = stream_in \"xss\" : seq(f32[?])\ninput ys : f32[n]\n"
                  "zss = map_seq xss (xs) {\n"
                  "    zs = zip_with xs ys (x, y) { add x y }\n    yield zs\n"
                  "}\nstream_out \"zss\" zss\n",
                  NULL, 1);
}

/* norm2 of the paper with the filter written as a choice: K123 and K45. */
static void norm2_is_two_passes(void **state) {
    (void)state;
    static const char text[] = "program norm2\n"
                               "input xys : {x: f32, y: f32}[n]\n"
                               "xs = map xys (x, y) { x }\n"
                               "gts = map xys (x, y) { if gt y 0.0f32 { y } else { 0.0f32 } }\n"
                               "sum1 = fold 0.0f32 xs (a, x) { add a x }\n"
                               "sum2 = fold 0.0f32 gts (a, y) { add a y }\n"
                               "res1 = map xys (x, y) { fdiv x (the sum1) }\n"
                               "res2 = map xys (x, y) { fdiv y (the sum2) }\n"
                               "output res1\noutput res2\n";
    assert_passes(text, NULL, 2);
    assert_passes(text, "siblings", 4);
}

/* A producer that a stencil reads at three places is computed three times for an element, one that its reader may read several times again each time. */
static void it_is_told_what_is_computed_again(void **state) {
    (void)state;
    compiled c = compile("program again\ninput xs : f64[n]\ninput at : i64[m]\n"
                         "a = map xs (x) { mul x x }\n"
                         "s = stencil dims=1 edge=1 near=3,-1,0,1 a (l, c, r) { add l (add c r) }\n"
                         "once = map xs (x) { mul (sub x 1.0) (mul x (add x 3.0)) }\n"
                         "sum = fold 0.0 once (x, y) { add x y }\n"
                         "output s\noutput sum\n",
                         NULL);
    assert_string_equal(reason(&c, WADI_NOTE_FUSED, "a"),
                        "computed again at each of 3 places, which costs less than memory");
    assert_string_equal(reason(&c, WADI_NOTE_FUSED, "once"), "read once, element by element");
    compiled_free(&c);
}

/* The same with two vectors of one length, in several orders: they share no array, but one loop each goes through both. */
static void vectors_of_one_length_share_passes(void **state) {
    (void)state;
    static const char gts[] = "gts = map ys (y) { if gt y 0.0f32 { y } else { 0.0f32 } }\n";
    static const char sum1[] = "sum1 = fold 0.0f32 xs (a, x) { add a x }\n";
    static const char sum2[] = "sum2 = fold 0.0f32 gts (a, y) { add a y }\n";
    static const char res1[] = "res1 = map xs (x) { fdiv x (the sum1) }\n";
    static const char res2[] = "res2 = map ys (y) { fdiv y (the sum2) }\n";
    static const char *const orders[][5] = {{gts, sum1, sum2, res1, res2},
                                            {sum1, res1, gts, sum2, res2},
                                            {gts, sum2, res2, sum1, res1}};
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "program norm2\ninput xs : f32[n]\ninput ys : f32[n]\n%s%s%s%s%s"
                 "output res1\noutput res2\n",
                 orders[i][0], orders[i][1], orders[i][2], orders[i][3], orders[i][4]);
        assert_passes(text, NULL, 2);
        assert_passes(text, "siblings", 4);
    }
}

/* Equal extents do not part what shares an array: with one of the last four folds, the first pass would be full. Nor is an array made earlier for
 * that: the second sum needs one that is read at other places. */
static void equal_extents_part_nobody(void **state) {
    (void)state;
    assert_passes("program bits\ninput b : u8[n]\ninput s : u8[n]\n"
                  "b1 = fold 0u8 b (x, y) { add x y }\nb2 = fold 0u8 b (x, y) { xor x y }\n"
                  "b3 = fold 0u8 b (x, y) { or x y }\nb4 = fold 0u8 b (x, y) { max x y }\n"
                  "b5 = fold 9u8 b (x, y) { min x y }\n"
                  "s1 = fold 0u8 s (x, y) { add x y }\ns2 = fold 0u8 s (x, y) { xor x y }\n"
                  "s3 = fold 0u8 s (x, y) { or x y }\ns4 = fold 0u8 s (x, y) { max x y }\n"
                  "output b1\noutput b2\noutput b3\noutput b4\noutput b5\n"
                  "output s1\noutput s2\noutput s3\noutput s4\n",
                  NULL, 2);
    compiled c = compile("program later\ninput xs : f64[n]\ninput ys : f64[n]\n"
                         "a = fold 0.0 xs (x, y) { add x y }\n"
                         "runs = scanl1 ys (x, y) { add x y }\n"
                         "b = fold 0.0 runs (x, y) { add x y }\n"
                         "output a\noutput b\noutput runs\n",
                         NULL);
    assert_null(wadi_diag_find(c.d, WADI_NOTE_SIBLING, value_named(c.m, "b")));
    compiled_free(&c);
}

/* The same with two vectors whose lengths are not known to be equal: nothing is shared. */
static void vectors_of_their_own_stay_apart(void **state) {
    (void)state;
    assert_passes("program norm2\n"
                  "input xs : f32[n]\n"
                  "input ys : f32[m]\n"
                  "gts = map ys (y) { if gt y 0.0f32 { y } else { 0.0f32 } }\n"
                  "sum1 = fold 0.0f32 xs (a, x) { add a x }\n"
                  "sum2 = fold 0.0f32 gts (a, y) { add a y }\n"
                  "res1 = map xs (x) { fdiv x (the sum1) }\n"
                  "res2 = map ys (y) { fdiv y (the sum2) }\n"
                  "output res1\noutput res2\n",
                  NULL, 4);
}

/* norm2 as the paper has it, of pairs and of two vectors: the filter and its sum are one pass (K23), which needs the count before it. The count is
 * taken beside the other sum where the lengths are equal, and the two maps are one pass there (K45). */
static const char masked_norm2[] = "program norm2\n"
                                   "%s"
                                   "ones = map ys (y) { convert i64 (gt y 0.0f32) }\n"
                                   "count = fold 0 ones (a, x) { add a x }\n"
                                   "gts = compact count ys (y) { gt y 0.0f32 }\n"
                                   "sum1 = fold 0.0f32 xs (a, x) { add a x }\n"
                                   "sum2 = fold 0.0f32 gts (a, y) { add a y }\n"
                                   "res1 = map xs (x) { fdiv x (the sum1) }\n"
                                   "res2 = map ys (y) { fdiv y (the sum2) }\n"
                                   "output res1\noutput res2\n%s";

static void assert_norm2(const char *inputs, const char *more, const char *disable, int n) {
    char text[1024];
    snprintf(text, sizeof text, masked_norm2, inputs, more);
    assert_passes(text, disable, n);
}

static void norm2_with_its_filter_stores_nothing_between(void **state) {
    (void)state;
    static const char pairs[] = "input xys : {x: f32, y: f32}[n]\n"
                                "xs = map xys (x, y) { x }\n"
                                "ys = map xys (x, y) { y }\n";
    static const char vectors[] = "input xs : f32[n]\ninput ys : f32[m]\n";
    assert_norm2(pairs, "", NULL, 3);
    assert_norm2(pairs, "", "siblings", 5);
    assert_norm2(pairs, "", "siblings,fuse", 9);
    assert_norm2(vectors, "", NULL, 5);
    assert_norm2("input xs : f32[n]\ninput ys : f32[n]\n", "", NULL, 3);
}

/* A filter that somebody else reads is stored, and so is one whose count is not seen to be right. */
static void filters_that_are_not_only_folded_are_stored(void **state) {
    (void)state;
    static const char vectors[] = "input xs : f32[n]\ninput ys : f32[m]\n";
    assert_norm2(vectors, "output gts\n", NULL, 6);
    assert_norm2(vectors, "most = fold1 gts (a, y) { max a y }\noutput most\n", NULL, 6);
    compiled c = compile("program counted\n"
                         "input ys : f32[n]\n"
                         "ones = map ys (y) { convert i64 (ge y 0.0f32) }\n"
                         "count = fold 0 ones (a, x) { add a x }\n"
                         "gts = compact count ys (y) { le 0.0f32 y }\n"
                         "sum = fold 0.0f32 gts (a, y) { add a y }\n"
                         "output sum\n",
                         NULL);
    assert_non_null(strstr(reason(&c, WADI_NOTE_KEPT, "gts"), "its count is not seen"));
    compiled_free(&c);
}

/* What is made of kept elements on the way to the fold, choices in the predicate, and flags beside the vector. */
static void folds_of_what_is_made_of_kept_elements_are_masked(void **state) {
    (void)state;
    assert_passes(
        "program masked\n"
        "input xs : f64[n]\n"
        "input flags : bool[n]\n"
        "ones = zip_with xs flags (x, f) { convert i64 (if f { gt x 1.0 } else { false }) }\n"
        "count = fold 0 ones (a, x) { add a x }\n"
        "kept = compact count xs flags (x, f) { if f { gt x 1.0 } else { false } }\n"
        "twice = map kept (x) { mul 2.0 x }\n"
        "far = imap twice (i, x) { sub x (convert f64 i) }\n"
        "sum = fold 0.0 far (a, x) { add a x }\n"
        "output sum\n",
        NULL, 2);
}

/* In a stage whose rows are ragged, a filtered row that is folded is not stored. A fold with an identity needs no count; a sum that rounds goes through the row after
 * the count has. A fold of two filters by one predicate stores one of them. */
static void filters_of_rows_that_are_only_folded_are_masked(void **state) {
    (void)state;
    static const char rows[] = "program rows\n"
                               "stream_in s : seq(f64[?])\n"
                               "t = map_seq s (v) {\n"
                               "    ones = map v (x) { convert i64 (gt x 0.5) }\n"
                               "    count = fold 0 ones (a, x) { add a x }\n"
                               "    kept = compact count v (x) { gt x 0.5 }\n"
                               "%s"
                               "}\n"
                               "stream_out \"out\" t\n";
    static const char least[] = "    least = fold 9.0 kept (a, x) { min a x }\n    yield least\n";
    static const char sum[] = "    sum = fold 0.0 kept (a, x) { add a x }\n    yield sum\n";
    static const char both[] = "    twice = map v (x) { mul x x }\n"
                               "    also = compact count twice v (y, x) { gt x 0.5 }\n"
                               "    prods = zip_with kept also (x, y) { mul x y }\n"
                               "    dot = fold 0.0 prods (a, x) { add a x }\n    yield dot\n";
    static const struct {
        const char *folded;
        int passes;
    } forms[] = {{least, 1}, {sum, 2}, {both, 3}};
    for (int i = 0; i < 3; i++) {
        char text[1024];
        snprintf(text, sizeof text, rows, forms[i].folded);
        assert_passes(text, NULL, forms[i].passes);
    }
}

/* Up to four readers are named. */
static void the_readers_of_a_stored_value_are_named(void **state) {
    (void)state;
    for (int n = 2; n <= 5; n++) {
        wadi_text text = {0};
        wadi_text_add(&text, "program p\ninput xs : f64[n]\nd = map xs (x) { exp x }\n");
        for (int i = 0; i < n; i++)
            wadi_text_addf(&text, "r%d = map d (x) { mul x (exp %d.0) }\noutput r%d\n", i, i, i);
        compiled c = compile(wadi_text_str(&text), NULL);
        const char *why = reason(&c, WADI_NOTE_KEPT, "d");
        char names[200];
        size_t k = 0;
        for (; *why && k + 1 < sizeof names; why++)
            if (*why < '0' || *why > '9') names[k++] = *why;
        names[k] = '\0';
        static const char *const by[] = {
            "by % and %:", "by %, % and %:", "by %, %, % and %:", "by %, %, %, % and others:"};
        if (!strstr(names, by[n - 2])) fail_msg("%s", names);
        wadi_text_fini(&text);
        compiled_free(&c);
    }
}

/* A count written as a choice between 1 and 0, without a start, and of flags that are stored. What is no count of them stays stored. */
static void counts_are_seen_in_each_of_their_forms(void **state) {
    (void)state;
    static const struct {
        const char *one, *sum;
        bool seen;
    } cases[] = {
        {"if f { 1 } else { 0 }", "fold 0", true},  {"convert i64 f", "fold1", true},
        {"if f { 1 } else { 0 }", "fold1", true},   {"if f { 0 } else { 1 }", "fold 0", false},
        {"if f { 2 } else { 0 }", "fold 0", false}, {"if f { 1 } else { 1 }", "fold 0", false},
        {"if f { 1 } else { 0 }", "fold 1", false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512];
        snprintf(text, sizeof text,
                 "program p\ninput xs : f64[n]\nflags = map xs (x) { gt x 0.0 }\n"
                 "c = map flags (f) { %s }\nm = %s c (a, b) { add a b }\n"
                 "kept = compact m xs flags (x, f) { f }\n"
                 "e = fold 0.0 kept (x, y) { add x y }\noutput e\n",
                 cases[i].one, cases[i].sum);
        compiled c = compile(text, NULL);
        const wadi_note *stored = wadi_diag_find(c.d, WADI_NOTE_KEPT, value_named(c.m, "kept"));
        if ((stored == NULL) != cases[i].seen) fail_msg("%s%s", text, stored ? stored->reason : "");
        compiled_free(&c);
    }
}

/* norm2 of integers: the filter's fold is one with an identity, so it and the count go through the vector with the other sum (K123), and
 * the two maps through both again (K45). */
static void norm2_of_integers_is_two_passes(void **state) {
    (void)state;
    static const char text[] = "program norm2\n"
                               "input xys : {x: i32, y: i32}[n]\n"
                               "xs = map xys (x, y) { x }\n"
                               "ys = map xys (x, y) { y }\n"
                               "ones = map ys (y) { convert i64 (gt y 0i32) }\n"
                               "count = fold 0 ones (a, x) { add a x }\n"
                               "gts = compact count ys (y) { gt y 0i32 }\n"
                               "sum1 = fold 0i32 xs (a, x) { add a x }\n"
                               "sum2 = fold 0i32 gts (a, y) { add a y }\n"
                               "res1 = map xs (x) { mul x (the sum1) }\n"
                               "res2 = map ys (y) { mul y (the sum2) }\n"
                               "output count\noutput res1\noutput res2\n";
    assert_passes(text, NULL, 2);
    assert_passes(text, "mask", 3);
    assert_passes(text, "siblings", 5);
}

/* Folds of one filter and its count are one pass, and a last step of one element for each fold that faults if nothing is kept. */
static void folds_of_a_filter_and_its_count_are_one_pass(void **state) {
    (void)state;
    static const char text[] = "program kept\n"
                               "input xs : f32[n]\n"
                               "ones = map xs (x) { convert i64 (gt x 0.5f32) }\n"
                               "count = fold 0 ones (a, x) { add a x }\n"
                               "kept = compact count xs (x) { gt x 0.5f32 }\n"
                               "is = map kept (x) { convert i64 (mul x 8.0f32) }\n"
                               "sum = fold 0 is (a, x) { add a x }\n"
                               "least = fold %s kept (a, x) { min a x }\n"
                               "most = fold %s kept (a, x) { max a x }\n"
                               "output count\noutput sum\noutput least\noutput most\n";
    char with_z[1024], without[1024];
    snprintf(with_z, sizeof with_z, text, "9.0f32", "0.0f32");
    snprintf(without, sizeof without, text, "", "");
    for (char *at = without; (at = strstr(at, "fold  ")) != NULL; at++) at[4] = '1';
    assert_passes(with_z, NULL, 1);
    assert_passes(with_z, "mask", 3);
    assert_passes(without, NULL, 3);
}

/* The same lines in other orders: a map in front of the sum that the other map needs, and the first vector wholly in front of the second. */
static void the_order_of_lines_is_no_obstacle(void **state) {
    (void)state;
    static const char head[] = "program norm2\ninput xys : {x: f32, y: f32}[n]\n"
                               "xs = map xys (x, y) { x }\nys = map xys (x, y) { y }\n";
    static const char gts[] = "gts = map xys (x, y) { if gt y 0.0f32 { y } else { 0.0f32 } }\n";
    static const char sum1[] = "sum1 = fold 0.0f32 xs (a, x) { add a x }\n";
    static const char sum2[] = "sum2 = fold 0.0f32 gts (a, y) { add a y }\n";
    static const char res1[] = "res1 = map xys (x, y) { fdiv x (the sum1) }\n";
    static const char res2[] = "res2 = map xys (x, y) { fdiv y (the sum2) }\n";
    static const char *const orders[][5] = {{gts, sum1, res1, sum2, res2},
                                            {sum1, gts, res1, sum2, res2},
                                            {sum1, res1, gts, sum2, res2},
                                            {gts, sum2, res2, sum1, res1}};
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        char text[1024];
        snprintf(text, sizeof text, "%s%s%s%s%s%soutput res1\noutput res2\n", head, orders[i][0],
                 orders[i][1], orders[i][2], orders[i][3], orders[i][4]);
        assert_passes(text, NULL, 2);
    }
}

/* What two maps of one vector need comes of two other vectors, which share no pass. */
static void what_siblings_need_is_computed_before_the_first(void **state) {
    (void)state;
    static const char text[] = "program needs\n"
                               "input xs : f64[n]\ninput ys : f64[m]\ninput zs : f64[k]\n"
                               "sum1 = fold 0.0 ys (a, x) { add a x }\n"
                               "res1 = map xs (x) { fdiv x (the sum1) }\n"
                               "sum2 = fold 0.0 zs (a, x) { add a x }\n"
                               "res2 = map xs (x) { mul x (the sum2) }\n"
                               "output res1\noutput res2\n";
    assert_passes(text, NULL, 3);
    assert_passes(text, "siblings", 4);
}

/* The second sum may fault, and stays behind the map that may fault too. */
static void what_may_fault_is_not_moved(void **state) {
    (void)state;
    static const char text[] = "program needs\n"
                               "input xs : i64[n]\ninput ys : i64[m]\ninput zs : i64[k]\n"
                               "sum1 = fold 0 ys (a, x) { add a x }\n"
                               "res1 = map xs (x) { mul x (the sum1) }\n"
                               "most = fold1 zs (a, x) { max a x }\n"
                               "res2 = map xs (x) { mul x (the most) }\n"
                               "output res1\noutput res2\n";
    assert_passes(text, NULL, 4);
}

/* They have the mark of one pass. Several workers go through what a scan reads once more, before it (kernel_text_test.c). */
static void scans_and_maps_join_folds(void **state) {
    (void)state;
    assert_passes("program beside\n"
                  "input m : f64[r, k]\n"
                  "sums = fold 0.0 m (a, x) { add a x }\n"
                  "runs = scanl1 m (a, x) { add a x }\n"
                  "half = map m (x) { mul 0.5 x }\n"
                  "output sums\noutput runs\noutput half\n",
                  NULL, 1);
}

/* Scans of vectors whose bits depend on their order go a few blocks at a time (kernel_text_test.c), so nobody goes with them, whichever stands first.
 * Those in any order, of rows, of what is known to be short, and in bodies of streams join. */
static void scans_that_wait_for_each_element_stay_apart(void **state) {
    (void)state;
    static const char fold[] = "program beside\ninput xs : f64[n]\n"
                               "most = fold1 xs (a, x) { max a x }\n"
                               "runs = scanl1 xs (a, x) { add a x }\n"
                               "half = map xs (x) { mul 0.5 x }\n"
                               "output most\noutput runs\noutput half\n";
    assert_passes(fold, NULL, 2);
    compiled c = compile(fold, NULL);
    assert_string_equal(reason(&c, WADI_NOTE_APART, "runs"),
                        "both read %0, but a scan goes through its vector a few blocks at a time");
    compiled_free(&c);
    assert_passes("program before\ninput xs : f64[n]\n"
                  "runs = scanl 0.0 xs (a, x) { add a x }\n"
                  "most = fold1 xs (a, x) { max a x }\n"
                  "output runs\noutput most\n",
                  NULL, 2);
    assert_passes("program ints\ninput xs : i64[n]\n"
                  "most = fold1 xs (a, x) { max a x }\n"
                  "runs = scanl1 xs (a, x) { add a x }\n"
                  "output most\noutput runs\n",
                  NULL, 1);
    assert_passes("program short\ninput xs : f64[4096]\n"
                  "most = fold1 xs (a, x) { max a x }\n"
                  "runs = scanl1 xs (a, x) { add a x }\n"
                  "output most\noutput runs\n",
                  NULL, 1);
    assert_passes("program stage\ns = stream_in \"s\" : seq(f64[?])\n"
                  "t = map_seq s (a) {\n"
                  "    most = fold1 a (x, y) { max x y }\n"
                  "    runs = scanl1 a (x, y) { add x y }\n"
                  "    yield most, runs\n"
                  "}\n"
                  "stream_out \"out\" t\n",
                  NULL, 1);
}

static void bodies_of_streams_and_branches_have_siblings(void **state) {
    (void)state;
    assert_passes("program stage\n"
                  "s = stream_in \"s\" : seq(f64[?])\n"
                  "t = map_seq s (a) {\n"
                  "    sum = fold 0.0 a (x, y) { add x y }\n"
                  "    most = fold1 a (x, y) { max x y }\n"
                  "    yield sum, most\n"
                  "}\n"
                  "stream_out \"out\" t\n",
                  NULL, 1);
}

/* Two stages of one stream, whose elements both fold; not if one of them needs what the end of the stream gives. */
static void stages_of_one_stream_have_siblings(void **state) {
    (void)state;
    static const char text[] = "program stages\n"
                               "s = stream_in \"s\" : seq(f64[?])\n"
                               "a = map_seq s (xs) {\n"
                               "    sum = fold 0.0 xs (x, y) { add x y }\n"
                               "    yield sum\n"
                               "}\n%s"
                               "b = map_seq s (ys) {\n"
                               "    most = fold1 ys (x, y) { max x y }\n"
                               "    half = map ys (x) { mul x (the c) }\n"
                               "    yield most, half\n"
                               "}\n"
                               "stream_out \"a\" a\nstream_out \"b\" b\n";
    char one[1024], two[1024];
    snprintf(one, sizeof one, text, "");
    snprintf(two, sizeof two, text, "all = elements a\nc = fold 0.0 all (x, y) { add x y }\n");
    char *at = strstr(one, "(the c)");
    memcpy(at, "    0.5", 7);
    assert_passes(one, NULL, 1);
    assert_passes(one, "twins", 2);
    assert_int_equal(count_of_stages(one), 3);
    assert_int_equal(count_of_stages(two), 2);
}

static void it_is_told_what_stays_apart_and_why(void **state) {
    (void)state;
    compiled c = compile("program apart\n"
                         "input xs : f64[n]\n"
                         "sum = fold 0.0 xs (a, x) { add a x }\n"
                         "away = map xs (x) { sub x (the sum) }\n"
                         "far = fold 0.0 away (a, x) { add a (mul x x) }\n"
                         "few = take dim=0 xs 3\n"
                         "half = map xs (x) { mul 0.5 x }\n"
                         "output far\noutput few\noutput half\n",
                         NULL);
    assert_non_null(strstr(reason(&c, WADI_NOTE_SIBLING, "half"), "both read %"));
    assert_non_null(strstr(reason(&c, WADI_NOTE_APART, "far"), "which comes of that pass"));
    compiled_free(&c);
}

/* Stencils of one matrix, and a sum of its rows, which are all of one space. */
static void it_is_told_that_stencils_read_other_places(void **state) {
    (void)state;
    compiled c = compile("program stencils\n"
                         "input g : f32[h, w]\n"
                         "a = stencil dims=2 edge=1 near=2,0,0,0,1 g (c, e) { sub e c }\n"
                         "b = stencil dims=2 edge=1 near=2,0,0,1,0 g (c, e) { sub e c }\n"
                         "s = fold 0.0f32 g (x, y) { add x y }\n"
                         "output a\noutput b\noutput s\n",
                         NULL);
    assert_non_null(strstr(reason(&c, WADI_NOTE_APART, "b"), "reads it at other places"));
    assert_non_null(strstr(reason(&c, WADI_NOTE_APART, "s"), "reads it at other places"));
    compiled_free(&c);
}

/* A fold of a filter that rounds reads the vector for itself. */
static void it_is_told_that_a_masked_sum_stays_apart(void **state) {
    (void)state;
    compiled c = compile("program masked\n"
                         "input xs : f32[n]\n"
                         "ones = map xs (x) { convert i64 (gt x 0.5f32) }\n"
                         "count = fold 0 ones (a, x) { add a x }\n"
                         "kept = compact count xs (x) { gt x 0.5f32 }\n"
                         "sum = fold 0.0f32 kept (a, x) { add a x }\n"
                         "output count\noutput sum\n",
                         NULL);
    assert_non_null(strstr(reason(&c, WADI_NOTE_APART, "sum"), "a loop of its own"));
    compiled_free(&c);
}

/* The mark is text, and reads back. */
static void marks_read_back(void **state) {
    (void)state;
    compiled c = compile(statistics, NULL);
    char *text = text_of(c.m), *again = NULL;
    wadi_module *m = program(text);
    assert_non_null(strstr(text, "sibling 1 most = "));
    again = text_of(m);
    assert_string_equal(text, again);
    free(text);
    free(again);
    wadi_module_destroy(m);
    compiled_free(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(four_statistics_are_one_pass),
        cmocka_unit_test(a_dot_product_is_one_pass),
        cmocka_unit_test(for_each_is_one_pass),
        cmocka_unit_test(sparse_products_are_one_pass),
        cmocka_unit_test(factorials_of_each_are_one_pass),
        cmocka_unit_test(nested_vectors_are_one_pass),
        cmocka_unit_test(norm2_is_two_passes),
        cmocka_unit_test(it_is_told_what_is_computed_again),
        cmocka_unit_test(vectors_of_one_length_share_passes),
        cmocka_unit_test(equal_extents_part_nobody),
        cmocka_unit_test(vectors_of_their_own_stay_apart),
        cmocka_unit_test(norm2_with_its_filter_stores_nothing_between),
        cmocka_unit_test(filters_that_are_not_only_folded_are_stored),
        cmocka_unit_test(folds_of_what_is_made_of_kept_elements_are_masked),
        cmocka_unit_test(filters_of_rows_that_are_only_folded_are_masked),
        cmocka_unit_test(the_readers_of_a_stored_value_are_named),
        cmocka_unit_test(counts_are_seen_in_each_of_their_forms),
        cmocka_unit_test(norm2_of_integers_is_two_passes),
        cmocka_unit_test(folds_of_a_filter_and_its_count_are_one_pass),
        cmocka_unit_test(the_order_of_lines_is_no_obstacle),
        cmocka_unit_test(what_siblings_need_is_computed_before_the_first),
        cmocka_unit_test(what_may_fault_is_not_moved),
        cmocka_unit_test(scans_and_maps_join_folds),
        cmocka_unit_test(scans_that_wait_for_each_element_stay_apart),
        cmocka_unit_test(bodies_of_streams_and_branches_have_siblings),
        cmocka_unit_test(stages_of_one_stream_have_siblings),
        cmocka_unit_test(it_is_told_what_stays_apart_and_why),
        cmocka_unit_test(it_is_told_that_stencils_read_other_places),
        cmocka_unit_test(it_is_told_that_a_masked_sum_stays_apart),
        cmocka_unit_test(marks_read_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
