/* Rows of more blocks than a group has lanes: the results of their blocks are combined by runs, and the runs by the same law. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/text.h"
#include "tests/conformance/texts.h"

static void rows_of_many_blocks(void **state) {
    static const char *const sizes[] = {"262144", "262145", "532481", "600001"};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        wadi_text t = {0};
        wadi_text_addf(&t,
                       "program tops\n"
                       "h = generate %s (i) { fdiv 1.0 (convert f64 (add (rem i 1013) 3)) }\n"
                       "a = fold 0.1 h (x, y) { add x y }\noutput a\n"
                       "b = fold 0.1 h (x, y) { add (mul x 0.5) y }\noutput b\n"
                       "q = map h (x) { convert i64 (mul x 1000.0) }\n"
                       "c = fold1 q (x, y) { max x y }\noutput c\n",
                       sizes[i]);
        texts_check(state, wadi_text_str(&t), false);
        wadi_text_fini(&t);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows_of_many_blocks)};
    return cmocka_run_group_tests(tests, texts_open, texts_close);
}
