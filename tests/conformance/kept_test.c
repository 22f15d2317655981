/* What a filter keeps, stored: elements of every size, kept seldom, often, and in runs, of vectors around the lengths of blocks, stretches and vectors. They
 * give what the interpreter gives, in every schedule, and a wrong count is a fault. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/text.h"
#include "tests/conformance/texts.h"

/* Elements that are made of x: one for each size, bools, and a record. */
static const char *const kinds[] = {"convert u8 (mul x 255.0)",
                                    "convert i16 (mul x 30000.0)",
                                    "convert i32 (mul x 1000000.0)",
                                    "mul x x",
                                    "gt x 0.3",
                                    "complex x (sub 0.0 x)",
                                    "one: convert u8 (mul x 99.0), two: x, three: convert f32 x"};

/* Predicates of index i: all, none, one of 50, most, the first few, the last few, runs. */
static const char *const keeps[] = {"ge i 0",
                                    "lt i 0",
                                    "eq (rem i 50) 3",
                                    "ne (rem i 50) 3",
                                    "lt i 20",
                                    "ge i (sub (extent xs 0) 20)",
                                    "lt (rem i 700) 300"};

enum { KINDS = sizeof kinds / sizeof *kinds, KEEPS = sizeof keeps / sizeof *keeps };

static void begin(wadi_text *t, int length) {
    wadi_text_init(t);
    wadi_text_addf(t,
                   "program kept\ninput r200000 : f64[n]\nxs = take dim=0 r200000 %d\n"
                   "is = imap xs (i, x) { i }\n",
                   length);
}

/* Filter k of the vector of a kind: value kept<k>. `more` is added to the count. */
static void add_filter(wadi_text *t, int k, int kind, const char *keep, const char *more) {
    wadi_text_addf(t,
                   "made%d = map xs (x) { %s }\n"
                   "ones%d = map is (i) { convert i64 (%s) }\n"
                   "sum%d = fold 0 ones%d (a, x) { add a x }\n"
                   "count%d = map sum%d (x) { add x %s }\n"
                   "kept%d = compact count%d made%d is (%s, i) { %s }\n"
                   "output kept%d\n",
                   k, kinds[kind], k, keep, k, k, k, k, more, k, k, k,
                   kind == KINDS - 1 ? "x, y, z" : "x", keep, k);
}

static void every_size_of_many_lengths(void **state) {
    static const int lengths[] = {0, 17, 257, 4096, 12300};
    for (size_t n = 0; n < sizeof lengths / sizeof *lengths; n++) {
        wadi_text t;
        begin(&t, lengths[n]);
        for (int k = 0; k < KINDS; k++) add_filter(&t, k, k, keeps[((int)n + k) % KEEPS], "0");
        assert_false(t.failed);
        texts_check(state, t.at, false);
        wadi_text_fini(&t);
    }
}

/* Too few and too many: nothing is stored where there is no room. */
static void wrong_counts(void **state) {
    static const int lengths[] = {40, 12300};
    static const char *const more[] = {"-1", "1", "-30"};
    for (int n = 0; n < 2; n++)
        for (int m = 0; m < 3; m++) {
            wadi_text t;
            begin(&t, lengths[n]);
            add_filter(&t, 0, n == 0 ? KINDS - 1 : 2, keeps[2 * m], more[m]);
            assert_false(t.failed);
            texts_check(state, t.at, true);
            wadi_text_fini(&t);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_size_of_many_lengths),
        cmocka_unit_test(wrong_counts),
    };
    return cmocka_run_group_tests(tests, texts_open, texts_close);
}
