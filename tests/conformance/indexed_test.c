/* An index out of range is told of the array that was read or written, by name, when a stage has several. In all schedules. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/text.h"
#include "tests/conformance/texts.h"

/* Five arrays of one extent, which passes might take for one another, and a sixth that is made of one of them. In element 4 `at` is 7. */
static void check(void **state, const char *body) {
    wadi_text t = {0};
    wadi_text_add(&t, "program indexed\ns = stream_in \"s\" : seq(i64)\nr = map_seq s (k) {\n");
    for (const char *name = "abcde"; *name; name++)
        wadi_text_addf(&t,
                       "    %c0 = generate 7 (i) { add (mul i (the k)) %d }\n"
                       "    %c = compute %c0\n",
                       *name, *name, *name, *name);
    wadi_text_addf(&t,
                   "    f = map c (x) { x }\n"
                   "    at = generate 3 (i) { if land (eq (the k) 4) (eq i 1) { 7 } else { i } }\n"
                   "%s}\nstream_out \"out\" r\n",
                   body);
    texts_check(state, wadi_text_str(&t), true);
    wadi_text_fini(&t);
}

static void each_operator_names_its_array(void **state) {
    check(state, "    g = gather at d\n    h = gather at b\n    yield g, h, a\n");
    check(state, "    g = map at (i) { add (a ! (min i 6)) (mul (c ! i) (b ! (min i 5))) }\n"
                 "    yield g, d, e\n");
    check(state, "    g = unit { n = at ! 1\n add (e !! n) (a !! 0) }\n    yield g, d, c\n");
    check(state, "    n = unit { at ! 1 }\n    g = slice dropped=1 b n\n    yield g, a\n");
    check(state, "    g = backpermute e 3 (i) { at ! i }\n    yield g, a\n");
    check(state, "    h = permute d at at (x, y) { add x y } (i, k) { true, k }\n    yield h, a\n");
}

static void what_a_pass_replaces_keeps_its_name(void **state) {
    check(state, "    g = gather at f\n    yield g, c\n");
}

/* A sum of `n` products values[at] * v[columns[at]] with at = first + i, in element k of 12: `values` has 9000 elements, and `v` 50. Columns are
 * in range but for the one at `wrong`. */
static void check_sum(void **state, const char *n, const char *first, int wrong, bool faults) {
    wadi_text t = {0};
    wadi_text_addf(&t,
                   "program sums\ns = stream_in \"s\" : seq(i64)\n"
                   "values = generate 9000 (i) { fdiv 1.0 (convert f64 (add i 1)) }\n"
                   "v = generate 50 (i) { convert f64 (mul i i) }\n"
                   "columns = generate 9000 (i) { if eq i %d { 50 } else { rem i 50 } }\n"
                   "r = map_seq s (k) {\n"
                   "    n = unit { %s }\n"
                   "    first = unit { %s }\n"
                   "    products = generate n (i) {\n        at = add (the first) i\n"
                   "        mul (values ! at) (v ! (columns ! at))\n    }\n"
                   "    sum = fold 0.0 products (a, b) { add a b }\n    yield sum\n}\n"
                   "stream_out \"out\" r\n",
                   wrong, n, first);
    texts_check(state, wadi_text_str(&t), faults);
    wadi_text_fini(&t);
}

/* Of the position in the row, and of what is read there first. */
static void the_first_fault_of_a_row_is_told(void **state) {
    static const struct {
        const char *n, *first;
        int wrong; /* -1: no column is */
    } rows[] = {
        {"70", "sub (mul (the k) 2000) 1", -1},       /* before the array, at 0 */
        {"add 30 (the k)", "add 8960 (the k)", -1},   /* behind it, in the last of a row */
        {"add 30 (the k)", "add 8960 (the k)", 8980}, /* a column earlier */
        {"mul (the k) 2000", "mul (the k) 10", -1},   /* in a later block */
        {"mul (the k) 2000", "mul (the k) 10", 8000}, /* a column in an earlier block */
        {"5", "add 8992 (the k)", -1},                /* fewer than a stripe */
        {"add 5 (the k)", "sub 9223372036854775806 (the k)", -1} /* places that wrap around */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        check_sum(state, rows[i].n, rows[i].first, rows[i].wrong, true);
}

static void rows_within_their_arrays_have_their_sums(void **state) {
    check_sum(state, "add 1 (mul (the k) 800)", "mul (the k) 10", -1, false);
    check_sum(state, "add 1 (the k)", "sub 8988 (the k)", 8999, false);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_operator_names_its_array),
                                       cmocka_unit_test(what_a_pass_replaces_keeps_its_name),
                                       cmocka_unit_test(the_first_fault_of_a_row_is_told),
                                       cmocka_unit_test(rows_within_their_arrays_have_their_sums)};
    return cmocka_run_group_tests(tests, texts_open, texts_close);
}
