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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_every_length_and_type),
        cmocka_unit_test(several_filters_of_one_row),
    };
    return cmocka_run_group_tests(tests, texts_open, texts_close);
}
