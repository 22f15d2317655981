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

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_operator_names_its_array),
                                       cmocka_unit_test(what_a_pass_replaces_keeps_its_name)};
    return cmocka_run_group_tests(tests, texts_open, texts_close);
}
