/* Computations that could fault run only if their conditions hold. Also the order in which consumers of the same streams run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/text.h"
#include "tests/conformance/texts.h"

/* Divisions by zero and reads outside, below up to two cheap choices: whichever of them is made without a branch, what is guarded stays
 * guarded. */
static void guards_hold_through_cheap_choices(void **state) {
    static const char *const guarded[] = {"quot 100 x", "rem 100 x", "div 100 x", "mod 100 x",
                                          "convert i64 (r16 ! (mul 99 (convert i64 (eq x 0))))"};
    static const int limits[] = {100, -50};
    wadi_text t;
    int n = 0;
    wadi_text_init(&t);
    wadi_text_add(&t, "program guards\ninput r16 : f64[n]\ninput z : i64[m]\nzs = compute z\n");
    for (size_t k = 0; k < sizeof guarded / sizeof *guarded; k++) {
        for (int form = 0; form < 4; form++) {
            for (int depth = 0; depth < 3; depth++, n++) {
                wadi_text inner;
                wadi_text_init(&inner);
                wadi_text_addf(&inner, "{ %s }", guarded[k]);
                for (int d = 0; d < depth; d++) {
                    wadi_text more;
                    wadi_text_init(&more);
                    if (form % 2)
                        wadi_text_addf(&more, "{ if le x %d %s else { 1 } }", limits[d],
                                       wadi_text_str(&inner));
                    else
                        wadi_text_addf(&more, "{ if gt x %d { 1 } else %s }", limits[d],
                                       wadi_text_str(&inner));
                    wadi_text_fini(&inner);
                    inner = more;
                }
                wadi_text_addf(&t, "y%d = map zs (x) { ", n);
                if (form < 2)
                    wadi_text_addf(&t, "if ne x 0 %s else { 7 }", wadi_text_str(&inner));
                else
                    wadi_text_addf(&t, "if eq x 0 { 7 } else %s", wadi_text_str(&inner));
                wadi_text_addf(&t, " }\noutput y%d\n", n);
                wadi_text_fini(&inner);
            }
        }
    }
    texts_check(state, wadi_text_str(&t), false);
    wadi_text_fini(&t);
}

/* That a number is an extent says that it is not negative only where that has been checked. A read that this proves to be in range stays there, also where
 * all elements read the same. */
static void reads_wait_for_the_extent_that_proves_them(void **state) {
    texts_check(state,
                "program proof\n"
                "input z : i64[9]\n"
                "s = stream_in \"s\" : seq(i64)\n"
                "n = unit { mul (z ! 7) 1000000000 }\n"
                "r = map_seq s (j) {\n"
                "    a = generate n (x) { add x (the j) }\n"
                "    b = generate 3 (x) { add (the j) (mul (z ! (min (the n) 8)) "
                "(add x (z ! (min (the n) 8)))) }\n"
                "    k = unit { rem (the j) 3 }\n"
                "    d = generate k (x) { x }\n"
                "    c = concat dim=0 a b d\n"
                "    yield c\n"
                "}\n"
                "stream_out \"out\" r\n",
                true);
}

/* An extent that has wrapped around is as small as it looks: what it was made of is no index of the array. */
static void extents_that_wrap_around_prove_nothing(void **state) {
    texts_check(state,
                "program wrapped\n"
                "s = stream_in \"s\" : seq(i64)\n"
                "r = map_seq s (j) {\n"
                "    x = unit { max (add (the j) 4611686018427387907) 1 }\n"
                "    n = unit { mul (the x) 4 }\n"
                "    a = generate n (i) { mul i i }\n"
                "    b = compute a\n"
                "    y = generate 3 (k) { add (b ! (the x)) k }\n"
                "    yield y\n"
                "}\n"
                "stream_out \"out\" r\n",
                true);
}

/* Consumers that need others' results read the same sequences in a later phase. */
static void consumers_run_in_phases(void **state) {
    texts_check(state,
                "program phases\n"
                "s = stream_in \"s\" : seq(i64)\n"
                "p = produce 9 (i) { yield i }\n"
                "q = produce 5 (i) {\n"
                "    t = unit { mul 3 (the i) }\n"
                "    yield t\n"
                "}\n"
                "a = fold_seq p 0 (z, i) {\n"
                "    t = unit { add (the z) (the i) }\n"
                "    yield t\n"
                "}\n"
                "b = fold_seq q a (z, i) {\n"
                "    t = unit { add (mul 2 (the z)) (the i) }\n"
                "    yield t\n"
                "}\n"
                "c = fold_seq p b (z, i) {\n"
                "    t = unit { sub (the z) (the i) }\n"
                "    yield t\n"
                "}\n"
                "d = elements q\n"
                "shifted = map_seq p q (i, j) {\n"
                "    t = unit { add (add (the i) (the j)) (the c) }\n"
                "    yield t\n"
                "}\n"
                "e = elements shifted\n"
                "f = elements shifted\n"
                "m = map_seq s p (k, i) {\n"
                "    t = unit { add (mul (the k) 10) (the i) }\n"
                "    yield t\n"
                "}\n"
                "g = fold_seq m 0 (z, i) {\n"
                "    t = unit { add (the z) (the i) }\n"
                "    yield t\n"
                "}\n"
                "h = elements m\n"
                "n = fold_seq s 0 (z, k) {\n"
                "    t = unit { max (the z) (the k) }\n"
                "    yield t\n"
                "}\n"
                "stream_out \"kept\" s\n"
                "w = produce g (i) {\n"
                "    t = unit { add (the i) (the n) }\n"
                "    yield t\n"
                "}\n"
                "few = take_seq w 4\n"
                "l = elements few\n"
                "output a\n"
                "output b\n"
                "output c\n"
                "output d\n"
                "output e\n"
                "output f\n"
                "output g\n"
                "output h\n"
                "output n\n"
                "output l\n",
                false);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(guards_hold_through_cheap_choices),
        cmocka_unit_test(reads_wait_for_the_extent_that_proves_them),
        cmocka_unit_test(extents_that_wrap_around_prove_nothing),
        cmocka_unit_test(consumers_run_in_phases),
    };
    return cmocka_run_group_tests(tests, texts_open, texts_close);
}
