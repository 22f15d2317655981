/* Filters of rows whose lengths lie below, at and above the length up to which a row is counted and placed in one loop, with results that are
 * near each other in staging memory and results that are not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/text.h"
#include "tests/conformance/texts.h"

/* The first bindings of a body over rows of 0 to 70 and some longer ones. */
static void begin(wadi_text *t, const char *name) {
    wadi_text_addf(t,
                   "program %s\ns = stream_in \"s\" : seq(i64)\n"
                   "u = map_seq s (k) {\n"
                   "    m = unit { add (rem (mul 29 (the k)) 71) (mul 100 (quot (the k) 30)) }\n"
                   "    row = generate m (i) { rem (mul (add i 3) (add (the k) 7)) 11 }\n",
                   name);
}

/* count%d and kept%d: the elements of `row`, as `element` of x says, for which `keep` holds. */
static void add_filter(wadi_text *t, int n, const char *element, const char *keep) {
    wadi_text_addf(t,
                   "    values%d = map row (x) { %s }\n"
                   "    stored%d = compute values%d\n"
                   "    ones%d = zip_with row stored%d (x, y) { if %s { 1 } else { 0 } }\n"
                   "    count%d = fold 0 ones%d (a, b) { add a b }\n"
                   "    kept%d = compact count%d stored%d row (y, x) { %s }\n",
                   n, element, n, n, n, n, keep, n, n, n, n, n, keep);
}

static void end(void **state, wadi_text *t, const char *results) {
    wadi_text_addf(t, "    yield %s\n}\nstream_out \"out\" u\n", results);
    texts_check(state, wadi_text_str(t), false);
    wadi_text_fini(t);
}

static void rows_of_every_length_and_type(void **state) {
    static const char *const elements[] = {"convert f64 x", "convert i32 x", "convert u8 x",
                                           "gt x 4",        "convert i8 x",  "convert f32 x"};
    static const char *const keeps[] = {"gt x 5", "ge x 0", "lt x 0", "eq (rem x 2) 0"};
    wadi_text t;
    wadi_text_init(&t);
    begin(&t, "lengths");
    for (int e = 0; e < (int)(sizeof elements / sizeof *elements); e++)
        add_filter(&t, e, elements[e], keeps[e % 4]);
    end(state, &t, "kept0, kept1, kept2, kept3, kept4, kept5");
}

/* Two filters share the room; counts are results, and what is kept is read again. */
static void several_filters_of_one_row(void **state) {
    wadi_text t;
    wadi_text_init(&t);
    begin(&t, "several");
    add_filter(&t, 0, "convert f64 x", "gt x 5");
    add_filter(&t, 1, "convert i32 x", "lt x 7");
    wadi_text_addf(&t, "    back = reverse dim=0 kept0\n"
                       "    both = fold 0i32 kept1 (a, b) { add a b }\n");
    end(state, &t, "count0, kept0, kept1, back, both, count1");
}

/* A vector that the filter has beside those that decide is as long as they are, or that is a fault. */
static void a_further_vector_of_another_length_is_a_fault(void **state) {
    wadi_text t;
    wadi_text_init(&t);
    begin(&t, "unequal");
    wadi_text_addf(&t, "    other = generate k (i) { i }\n"
                       "    stored = map row (x) { convert f64 x }\n"
                       "    ones = zip_with row stored (x, y) { if gt x 5 { 1 } else { 0 } }\n"
                       "    count = fold 0 ones (a, b) { add a b }\n"
                       "    kept = compact count stored row other (y, x, z) { gt x 5 }\n"
                       "    yield kept\n}\nstream_out \"out\" u\n");
    texts_check(state, wadi_text_str(&t), true);
    wadi_text_fini(&t);
}

/* ---- rows that lie in an array, which are taken several elements at a time ---- */

/* kept%d: of `count` elements of `array` at the index that `index` says of i, those that `keep` says of x. */
static void add_piece(wadi_text *t, int n, const char *array, const char *count, const char *index,
                      const char *keep) {
    wadi_text_addf(t,
                   "    length%d = unit { %s }\n"
                   "    row%d = backpermute %s length%d (i) { %s }\n"
                   "    ones%d = map row%d (x) { if %s { 1 } else { 0 } }\n"
                   "    count%d = fold 0 ones%d (a, b) { add a b }\n"
                   "    kept%d = compact count%d row%d (x) { %s }\n",
                   n, count, n, array, n, index, n, n, keep, n, n, n, n, n, keep);
}

static void begin_pieces(wadi_text *t, const char *name) {
    wadi_text_addf(t,
                   "program %s\ninput r16 : f64[r]\ninput r259 : f64[q]\n"
                   "small = map r259 (x) { convert f32 x }\nsingle = compute small\n"
                   "numbers = map r259 (x) { convert i32 (mul x 100.0) }\nwhole = compute numbers\n"
                   "long = map r259 (x) { convert i64 (mul x 1000.0) }\nwide = compute long\n"
                   "s = stream_in \"s\" : seq(i64)\n"
                   "v = stream_in \"v\" : seq(i64[?])\n"
                   "p = stream_in \"p\" : seq(i64[2, 3], f64[4], i64)\n"
                   "u = map_seq s v p (k, ragged, matrix, four, number) {\n",
                   name);
}

/* Of lengths 0 to 88, at the beginning and up to the end of an array. */
static void pieces_of_arrays(void **state) {
    static const char *const keeps[] = {"gt x 0.5", "gt x 0.25f32", "gt x 20i32", "gt x 300"};
    static const char *const arrays[] = {"r259", "single", "whole", "wide"};
    wadi_text t;
    wadi_text_init(&t);
    begin_pieces(&t, "pieces");
    for (int a = 0; a < 4; a++) {
        add_piece(&t, 2 * a, arrays[a], "the k", "add i (the k)", keeps[a]);
        add_piece(&t, 2 * a + 1, arrays[a], "mul 8 (the k)", "add i (sub 259 (mul 8 (the k)))",
                  keeps[a]);
    }
    add_piece(&t, 8, "r16", "rem (add 16 (the k)) 17", "sub i 0", "lt x 0.5");
    add_piece(&t, 9, "r16", "sub 16 (the k)", "sub (add i (mul 2 (the k))) (the k)", "le x 2.0");
    end(state, &t, "kept0, kept1, kept2, kept3, kept4, kept5, kept6, kept7, kept8, count8, kept9");
}

/* Indices that do not go up by one from element to element. */
static void pieces_that_are_not_in_order(void **state) {
    static const char *const indices[] = {
        "sub 15 i",        "add i i", "mul i 2",        "add (mul i 2) (sub 0 i)",
        "sub (mul 2 i) i", "the k",   "sub i (mul i 1)"};
    wadi_text t;
    wadi_text_init(&t);
    begin_pieces(&t, "disorder");
    for (int i = 0; i < 7; i++) add_piece(&t, i, "r16", "rem (the k) 8", indices[i], "gt x 0.5");
    end(state, &t, "kept0, kept1, kept2, kept3, kept4, kept5, kept6");
}

/* Elements of streams, with results beside each other in one chunk. */
static void rows_of_streams(void **state) {
    wadi_text t;
    wadi_text_init(&t);
    begin_pieces(&t, "rows");
    static const char *const rows[] = {"ragged", "four"}, *const keeps[] = {"gt x 2", "gt x 0.5"};
    for (int r = 0; r < 2; r++)
        wadi_text_addf(&t,
                       "    ones%d = map %s (x) { convert i64 (%s) }\n"
                       "    count%d = fold 0 ones%d (a, b) { add a b }\n"
                       "    kept%d = compact count%d %s (x) { %s }\n",
                       r, rows[r], keeps[r], r, r, r, r, rows[r], keeps[r]);
    end(state, &t, "kept0, count0, kept1");
}

/* A piece that leaves its array, and a predicate that cannot be asked for all. */
static void faults_of_pieces(void **state) {
    static const char *const pieces[][3] = {
        {"the k", "sub i (quot (the k) 4)", "gt x 0.5"},
        {"the k", "add i (mul 2 (the k))", "gt x 0.5"},
        {"the k", "add i 9223372036854775800", "gt x 0.5"},
        {"the k", "sub i 9223372036854775807", "gt x 0.5"},
        {"sub 3 (the k)", "add i (the k)", "gt x 0.5"},
        {"the k", "add i (the k)",
         "gt (quot 7 (sub (convert i64 (mul x 0.0)) (quot (the k) 5))) 3"}};
    for (size_t k = 0; k < sizeof pieces / sizeof *pieces; k++) {
        wadi_text t;
        wadi_text_init(&t);
        begin_pieces(&t, "leaving");
        add_piece(&t, 0, "r16", pieces[k][0], pieces[k][1], pieces[k][2]);
        wadi_text_add(&t, "    yield kept0\n}\nstream_out \"out\" u\n");
        texts_check(state, wadi_text_str(&t), true);
        wadi_text_fini(&t);
    }
}

/* ---- elements of which nothing is kept ---- */

enum { ELEMENTS = 12 /* of the streams */ };

/* kept%d: all elements of the row, converted, but none of them where the element of the stream is among the `wide` from `first` on. */
static void add_emptied(wadi_text *t, const char *row, const char *type, int first, int wide) {
    const int e = first;
    wadi_text_addf(t,
                   "    stored%d = map %s (x) { if land (ge (the k) %d) (lt (the k) %d) { convert "
                   "%s 0 } else { convert %s (add 1.0 "
                   "(convert f64 (abs x))) } }\n"
                   "    row%d = compute stored%d\n"
                   "    ones%d = map row%d (x) { if gt x (convert %s 0) { 1 } else { 0 } }\n"
                   "    count%d = fold 0 ones%d (a, b) { add a b }\n"
                   "    kept%d = compact count%d row%d (x) { gt x (convert %s 0) }\n",
                   e, row, first, first + wide, type, type, e, e, e, e, type, e, e, e, e, e, type);
}

/* kept%d: three elements, but none for the same elements of the stream. Here the kernel asks for the room of what it has not yet computed. */
static void add_generated(wadi_text *t, const char *row, const char *type, int first, int wide) {
    wadi_text_addf(
        t,
        "    length%d = unit { if land (ge (the k) %d) (lt (the k) %d) { 0 } else { 3 } }\n"
        "    kept%d = generate length%d (i) { convert %s (add i (extent %s 0)) }\n",
        first, first, first + wide, first, first, type, row);
}

typedef void add_fn(wadi_text *t, const char *row, const char *type, int first, int wide);

/* A result for each element from `from` to before `below`, which is the first that is empty there. */
static void check_emptied(void **state, add_fn *add, const char *row, const char *type, int wide,
                          int from, int below) {
    wadi_text t, results;
    wadi_text_init(&t);
    wadi_text_init(&results);
    wadi_text_addf(&t, "program emptied\ninput r3 : f64[r]\n"
                       "s = stream_in \"s\" : seq(i64)\n"
                       "p = stream_in \"p\" : seq(i64[2, 3], f64[4], i64)\n"
                       "v = stream_in \"v\" : seq(i64[?])\n"
                       "u = map_seq s p v (k, matrix, four, number, ragged) {\n");
    for (int e = from; e < below; e++) {
        add(&t, row, type, e, wide);
        wadi_text_addf(&results, "%skept%d", e > from ? ", " : "", e);
    }
    end(state, &t, wadi_text_str(&results));
    wadi_text_fini(&results);
}

/* Elements of the size of all those of the chunk before are expected. An empty one among them is the first of a worker that is not of that size: so
 * results whose empty elements are in one chunk have a program of their own. Chunks have five elements at times. */
static void check_rows(void **state, add_fn *add) {
    static const struct {
        const char *row, *type;
        int wide;
    } rows[] = {{"four", "f64", 1}, {"r3", "f32", 2}, {"ragged", "u8", 3}};
    for (int r = 0; r < 3; r++)
        for (int from = 0; from < ELEMENTS; from += 5)
            check_emptied(state, add, rows[r].row, rows[r].type, rows[r].wide, from,
                          from + 5 < ELEMENTS ? from + 5 : ELEMENTS);
}

static void filters_behind_empty_ones_stay(void **state) {
    check_rows(state, add_emptied);
}

static void rows_behind_empty_ones_stay(void **state) {
    check_rows(state, add_generated);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_every_length_and_type),
        cmocka_unit_test(several_filters_of_one_row),
        cmocka_unit_test(filters_behind_empty_ones_stay),
        cmocka_unit_test(rows_behind_empty_ones_stay),
        cmocka_unit_test(pieces_of_arrays),
        cmocka_unit_test(pieces_that_are_not_in_order),
        cmocka_unit_test(rows_of_streams),
        cmocka_unit_test(faults_of_pieces),
        cmocka_unit_test(a_further_vector_of_another_length_is_a_fault),
    };
    return cmocka_run_group_tests(tests, texts_open, texts_close);
}
