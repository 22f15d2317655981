/* Maps and sums of functions that look for far arguments behind the loop, and run it again if there was one: wherever it is, in loops of few rounds and many. They give what the interpreter gives,
 * in every schedule. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/text.h"
#include "tests/conformance/texts.h"

/* Nothing far; next to the first far number on both sides; near, but noted; and what is no number. */
static const char *const far64[] = {"1.0",    "67108863.99999999", "67108864.0", "-67108864.0",
                                    "-5.5e7", "1.0e300",           "-inf_f64",   "nan_f64"};
static const char *const far32[] = {"1.0f32",    "131071.99f32", "131072.0f32", "-131072.0f32",
                                    "-1.2e5f32", "1.0e30f32",    "-inf_f32",    "nan_f32"};

enum { VALUES = sizeof far64 / sizeof *far64, EACH = 2 /* of these in a program, in turn */ };

static const struct place {
    int length, at;
} places[] = {{1, 0}, {128, 127}, {145, 20}, {4098, 4095}, {9000, 4101}};

enum { PLACES = sizeof places / sizeof *places };

static void check(void **state, wadi_text *t) {
    assert_false(t->failed);
    texts_check(state, t->at, false);
    wadi_text_fini(t);
}

/* Vectors x<k> and y<k> of f64 and f32, each with a far number at place n. */
static void begin(wadi_text *t, int n) {
    const struct place *p = &places[n];
    wadi_text_init(t);
    wadi_text_addf(t, "program twice\ninput r200000 : f64[n]\nxs = take dim=0 r200000 %d\n",
                   p->length);
    for (int k = 0; k < EACH; k++)
        wadi_text_addf(t,
                       "x%d = imap xs (i, x) { if eq i %d { %s } else { mul x 9.0 } }\n"
                       "y%d = imap xs (i, x) { if eq i %d { %s } else { convert f32 x } }\n",
                       k, p->at, far64[(EACH * n + k) % VALUES], k, p->at,
                       far32[(EACH * n + k) % VALUES]);
}

static void maps(void **state) {
    static const char *const functions[] = {"sin", "cos", "tan"};
    for (int n = 0; n < PLACES; n++) {
        wadi_text t;
        begin(&t, n);
        for (int k = 0; k < EACH; k++) {
            const char *f = functions[(n + k) % 3], *g = functions[(n + k + 1) % 3];
            wadi_text_addf(&t,
                           "a%d = map x%d (x) { %s x }\noutput a%d\n"
                           "b%d = zip_with x%d y%d (x, y) { one: mul (%s x) 2.0, two: %s y }\n"
                           "output b%d\n",
                           k, k, f, k, k, k, k, g, f, k);
        }
        check(state, &t);
    }
}

/* The order of a sum is the interpreter's, so what a loop has added before it runs again would be seen. */
static void sums(void **state) {
    for (int n = 0; n < PLACES; n++) {
        wadi_text t;
        begin(&t, n);
        for (int k = 0; k < EACH; k++)
            wadi_text_addf(&t,
                           "s%d = map x%d (x) { add (sin x) (tan x) }\n"
                           "a%d = fold 0.5 s%d (x, y) { add x y }\noutput a%d\n"
                           "c%d = map y%d (y) { cos y }\n"
                           "b%d = fold 0.5f32 c%d (x, y) { add x y }\noutput b%d\n"
                           "m%d = zip_with x%d y%d (x, y) { one: sin x, two: cos y }\n"
                           "z%d = unit { one: 0.0, two: 9.0f32 }\n"
                           "d%d = fold z%d m%d (a, b, c, d) { one: add a c, two: min b d }\n"
                           "output d%d\n",
                           k, k, k, k, k, k, k, k, k, k, k, k, k, k, k, k, k, k);
        check(state, &t);
    }
}

/* Where a vector is written over itself, no round may be done again; where a function stands in one side of a choice, its argument in the other one is not looked at. */
static void over_itself_and_by_choice(void **state) {
    for (int n = 0; n < PLACES; n++) {
        wadi_text t;
        begin(&t, n);
        for (int k = 0; k < EACH; k++)
            wadi_text_addf(&t,
                           "v%d = compute x%d\nw%d = map v%d (x) { add (sin x) x }\n"
                           "u%d = compute w%d\ne%d = map u%d (x) { cos x }\noutput e%d\n"
                           "f%d = map y%d (y) { if lt y 0.25f32 { sin y } else { y } }\n"
                           "output f%d\n",
                           k, k, k, k, k, k, k, k, k, k, k, k);
        check(state, &t);
    }
}

/* Where a place follows from a function, it was checked with true values: a near form of a far number tells any place. */
static void places_follow(void **state) {
    static const char *const far[][2] = {{"1.0e18", "1.0e12f32"}, {"-1.0e12", "nan_f32"}};
    for (int k = 0; k < EACH; k++) {
        wadi_text t;
        begin(&t, 2 * k + 2);
        wadi_text_addf(&t,
                       "input r4096 : f64[m]\n"
                       "x = imap x0 (i, x) { if eq (rem i 143) 20 { %s } else { x } }\n"
                       "y = imap y1 (i, y) { if eq (rem i 143) 20 { %s } else { y } }\n"
                       "i = map x (x) { convert i64 (mul 2000.0 (add 1.0 (sin x))) }\n"
                       "j = map y (y) { convert i32 (mul 1000.0f32 (add 1.0f32 (cos y))) }\n"
                       "a = gather i r4096\noutput a\nb = gather j r4096\noutput b\n"
                       "c = fold 0.0 b (x, y) { add x y }\noutput c\n"
                       "d = fold 0.0 a (x, y) { max x y }\noutput d\n"
                       "long = unit { extent x 0 }\nwide = unit { 7 }\n"
                       "none = generate long wide (i, j) { convert f32 j }\n"
                       "h = map x (x) { convert i64 (mul 3.0 (add 1.0 (cos x))) }\n"
                       "p = permute none y h (new, old) { new } (i, at) { true, i, at }\n"
                       "output p\n",
                       far[k][0], far[k][1]);
        check(state, &t);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(maps),
        cmocka_unit_test(sums),
        cmocka_unit_test(over_itself_and_by_choice),
        cmocka_unit_test(places_follow),
    };
    return cmocka_run_group_tests(tests, texts_open, texts_close);
}
