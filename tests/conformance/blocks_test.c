/* Rows of arrays whose last block begins earlier: widths around those of vectors of each size of element, stored once and twice, and arrays that are written over
 * themselves, where no round may be done again. They give what the interpreter gives, in every schedule. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/text.h"
#include "tests/conformance/texts.h"

static const int widths[] = {7, 16, 17, 65, 130};

enum { HIGH = 5, WIDTHS = sizeof widths / sizeof *widths };

static const char *const kinds[] = {"convert u8 (mul x 255.0)", "convert i16 (mul x 30000.0)",
                                    "convert f32 x", "mul x x",
                                    "one: convert u8 (mul x 99.0), two: x"};

enum { KINDS = sizeof kinds / sizeof *kinds };

/* A matrix m of rows of this width. */
static void begin(wadi_text *t, int width) {
    wadi_text_init(t);
    wadi_text_addf(
        t,
        "program blocks\ninput r200000 : f64[n]\nw = unit { min %d (extent r200000 0) }\n"
        "g = generate %d w (i, j) { r200000 ! (add (mul i 131) j) }\nm = compute g\n",
        width, HIGH);
}

static void check(void **state, wadi_text *t) {
    assert_false(t->failed);
    texts_check(state, t->at, false);
    wadi_text_fini(t);
}

static void elements_of_every_size(void **state) {
    for (int n = 0; n < WIDTHS; n++) {
        wadi_text t;
        begin(&t, widths[n]);
        for (int k = 0; k < KINDS; k++)
            wadi_text_addf(&t, "a%d = map m (x) { %s }\noutput a%d\n", k, kinds[k], k);
        check(state, &t);
    }
}

static void rows_beside_others(void **state) {
    for (int n = 0; n < WIDTHS; n++) {
        wadi_text t;
        begin(&t, widths[n]);
        wadi_text_addf(
            &t, "s = stencil dims=2 edge=1 near=5,-1,0,0,-1,0,0,0,1,1,0 m (a, b, c, d, e) {\n"
                "    add (sub (mul c 4.0) (add a b)) (mul d e)\n}\noutput s\n"
                "b = map m (x) { convert u8 (mul x 255.0) }\nc = compute b\n"
                "v = stencil dims=2 edge=2 near=2,0,-1,1,1 c (a, b) { sub a b }\n"
                "output v\n");
        check(state, &t);
    }
}

/* Each is written over the one before, and reads elements of it that it has not written. */
static void rows_over_themselves(void **state) {
    for (int n = 0; n < WIDTHS; n++) {
        wadi_text t;
        begin(&t, widths[n]);
        wadi_text_addf(&t, "a = map m (x) { add x 1.0 }\nb = compute a\n"
                           "c = map b (x) { mul x 3.0 }\nd = compute c\n"
                           "e = zip_with d d (x, y) { sub (mul x 0.5) y }\noutput e\n");
        check(state, &t);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements_of_every_size),
        cmocka_unit_test(rows_beside_others),
        cmocka_unit_test(rows_over_themselves),
    };
    return cmocka_run_group_tests(tests, texts_open, texts_close);
}
