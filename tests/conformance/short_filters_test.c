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
        cmocka_unit_test(a_further_vector_of_another_length_is_a_fault),
    };
    return cmocka_run_group_tests(tests, texts_open, texts_close);
}
