/* Which of several faults of one computation is told, and where in its array: compiled code says it as the interpreter does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/text.h"
#include "tests/conformance/texts.h"

/* What faults in the function names the element that it was called for, as a bad segment does. */
static void an_expansion_names_the_element_it_comes_from(void **state) {
    texts_check(state,
                "program expansion\n"
                "s = stream_in \"s\" : seq(i64)\n"
                "r = map_seq s (j) {\n"
                "    a = generate 5 (i) { add i (the j) }\n"
                "    sizes = map a (x) { rem x 3 }\n"
                "    offsets = scanl 0 sizes (x, y) { add x y }\n"
                "    n = fold 0 sizes (x, y) { add x y }\n"
                "    e = expand n offsets a (x, k) { quot 100 (sub x (add 4 k)) }\n"
                "    yield e\n"
                "}\n"
                "stream_out \"out\" r\n",
                true);
}

/* Nothing to scan and no offsets: the result has no extent. */
static void empty_offsets_of_an_empty_array_are_a_negative_extent(void **state) {
    static const char *const sizes[] = {"0", "3"};
    for (int k = 0; k < 2; k++) {
        wadi_text t;
        wadi_text_init(&t);
        wadi_text_addf(&t,
                       "program offsets\n"
                       "s = stream_in \"s\" : seq(i64)\n"
                       "r = map_seq s (j) {\n"
                       "    n = unit { mul (min (the j) 0) 1 }\n"
                       "    m = unit { add %s (the n) }\n"
                       "    a = generate m (i) { i }\n"
                       "    o = generate n (i) { i }\n"
                       "    b = scanl_seg whole=1 2 o a (x, y) { add x y }\n"
                       "    yield b\n"
                       "}\n"
                       "stream_out \"out\" r\n",
                       sizes[k]);
        texts_check(state, wadi_text_str(&t), true);
        wadi_text_fini(&t);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_expansion_names_the_element_it_comes_from),
        cmocka_unit_test(empty_offsets_of_an_empty_array_are_a_negative_extent),
    };
    return cmocka_run_group_tests(tests, texts_open, texts_close);
}
