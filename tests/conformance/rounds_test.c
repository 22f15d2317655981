/* Loops and folds within an element whose state is several arrays: the next state is computed from the whole state before, whatever is computed in place,
 * kept, moved to another part of the state or there twice (codegen/kernel/state.c). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/text.h"
#include "tests/conformance/texts.h"

/* The start: two vectors of f64, two of i64, all of one length, and in the last element of more than a strip of gathers. */
static void add_start(wadi_text *t) {
    wadi_text_add(
        t, "program rounds\ns = stream_in \"s\" : seq(i64)\nr = map_seq s (k) {\n"
           "    n = unit { if eq (the k) 11 { 1500 } else { the k } }\n"
           "    a = generate n (i) { fdiv (convert f64 (add i 1)) (convert f64 (add 3 (the k))) }\n"
           "    b = generate n (i) { fdiv 1.0 (convert f64 (add i 2)) }\n"
           "    c = generate n (i) { rem (mul (add i 3) 7919) (the n) }\n"
           "    d = generate n (i) { sub (mul 3 i) (the k) }\n");
}

/* A loop over x, y, u, v and the number of the round: 0 to 3 rounds. */
static void check_loop(void **state, const char *body) {
    wadi_text t = {0};
    add_start(&t);
    wadi_text_addf(&t,
                   "    p, q, g, h, e = awhile a b c d 0 (x, y, u, v, l) {\n"
                   "        on = unit { lt (the l) (rem (the k) 4) }\n        yield on\n"
                   "    } do (x, y, u, v, l) {\n        m = unit { add (the l) 1 }\n%s    }\n"
                   "    yield p, q, g, h, e }\nstream_out \"out\" r\n",
                   body);
    texts_check(state, wadi_text_str(&t), false);
    wadi_text_fini(&t);
}

static void parts_change_places(void **state) {
    check_loop(state, "        yield y, x, v, u, m\n");
    check_loop(state, "        w = map x (e) { mul e 0.5 }\n        yield y, w, u, c, m\n");
    check_loop(state, "        w = generate n (i) { sub (x ! i) (mul (y ! i) 0.5) }\n"
                      "        z = generate n (i) { rem (add (mul (u ! i) 3) i) (the n) }\n"
                      "        yield w, w, z, z, m\n");
}

static void parts_read_each_other(void **state) {
    /* each has the shape that it had, so the loop has two buffers for it */
    check_loop(
        state,
        "        w = zip_with x y (e, f) { add f 0.5 }\n"
        "        z = zip_with y x (e, f) { mul f 0.75 }\n"
        "        o = zip_with u v (e, f) { rem (if lt f 0 { sub 0 f } else { f }) (the n) }\n"
        "        f = zip_with v u (e, f) { add e f }\n"
        "        yield w, z, o, f, m\n");
    check_loop(state, "        w = map y (e) { add e 0.5 }\n        z = map x (e) { mul e 0.75 }\n"
                      "        yield w, z, v, u, m\n");
    /* from the end to the beginning, at places that are part of the state, summed, and scattered */
    check_loop(state, "        w = reverse dim=0 y\n        z = map u (e) { x ! e }\n"
                      "        o = generate n (i) { u ! (sub (sub (the n) 1) i) }\n"
                      "        f = scanl1 v (e, f) { add e f }\n        yield w, z, o, f, m\n");
    check_loop(state, "        w = scanl1 y (e, f) { add e f }\n"
                      "        z = permute x y u (new, old) { add new old } (i, e) { true, e }\n"
                      "        o = map u (e) { u ! e }\n        f = map u (e) { v ! e }\n"
                      "        yield w, z, o, f, m\n");
}

static void parts_read_what_is_new(void **state) {
    check_loop(state, "        w = map x (e) { mul e 1.5 }\n"
                      "        z = zip_with w y (e, f) { sub f e }\n"
                      "        o = generate n (i) { u ! (sub (sub (the n) 1) i) }\n"
                      "        f = zip_with o u (e, f) { sub e f }\n        yield w, z, o, f, m\n");
    /* two parts are computed in their other buffers, two are copied */
    check_loop(state, "        w = zip_with x y (e, f) { sub f e }\n"
                      "        z = zip_with y w (e, f) { add f (mul e 0.5) }\n"
                      "        yield w, z, u, v, m\n");
}

/* A branch, a loop and a value of another shape in the same memory make parts. */
static void parts_come_from_regions(void **state) {
    check_loop(state, "        even = unit { eq (rem (the l) 2) 0 }\n"
                      "        t = map y (e) { add e 1.0 }\n"
                      "        w = acond even { yield t } else { yield x }\n"
                      "        z = acond even { yield x } else { yield t }\n"
                      "        f = assert_shape w n\n        g = assert_shape z n\n"
                      "        yield f, g, u, v, m\n");
    check_loop(state,
               "        t = map x (e) { add e 1.0 }\n"
               "        w, z, j = awhile t y 0 (e, f, i) {\n"
               "            on = unit { le (the i) (the l) }\n            yield on\n"
               "        } do (e, f, i) {\n            g = zip_with e f (a, b) { sub a b }\n"
               "            h = unit { add (the i) 1 }\n            yield f, g, h\n        }\n"
               "        yield z, t, u, v, m\n");
    check_loop(state, "        t = map x (e) { add e 1.0 }\n        g = reshape t 1 n\n"
                      "        w = reshape g n\n        z = compute y\n"
                      "        yield w, t, u, v, m\n");
}

/* Parts that grow and shrink have new memory in every round. */
static void parts_change_shape(void **state) {
    check_loop(state, "        w = concat dim=0 y x\n        z = drop dim=0 x 1\n"
                      "        o = take dim=0 v 5\n        f = concat dim=0 u o\n"
                      "        yield w, z, o, f, m\n");
    check_loop(state, "        z = drop dim=0 x 1\n        yield y, z, v, u, m\n");
}

/* Folds of a sequence within the element; `body`: the next x, y and u. */
static void check_fold(void **state, const char *seq, const char *body) {
    wadi_text t = {0};
    add_start(&t);
    wadi_text_addf(&t,
                   "    count = unit { rem (the k) 4 }\n    w = %s\n"
                   "    p, q, g = fold_seq w a b d (x, y, u, e) {\n%s    }\n"
                   "    yield p, q, g }\nstream_out \"out\" r\n",
                   seq, body);
    texts_check(state, wadi_text_str(&t), false);
    wadi_text_fini(&t);
}

static void folds_have_states_of_several_arrays(void **state) {
    static const char *const seq =
        "produce count (j) {\n        o = generate n (i) { add (the j) i }\n"
        "        yield o }";
    check_fold(state, seq, "        yield y, x, e\n");
    check_fold(state, seq,
               "        f = zip_with y e (f, g) { mul f (convert f64 g) }\n"
               "        g = map x (f) { add f 0.5 }\n"
               "        h = zip_with u e (f, g) { sub f g }\n        yield f, g, h\n");
    check_fold(state, seq,
               "        f = reverse dim=0 y\n        g = zip_with f x (f, g) { sub f g }\n"
               "        yield g, f, u\n");
    check_fold(state, seq,
               "        f = concat dim=0 y x\n        g = take dim=0 x 3\n"
               "        yield f, g, e\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(parts_change_places),
                                       cmocka_unit_test(parts_read_each_other),
                                       cmocka_unit_test(parts_read_what_is_new),
                                       cmocka_unit_test(parts_come_from_regions),
                                       cmocka_unit_test(parts_change_shape),
                                       cmocka_unit_test(folds_have_states_of_several_arrays)};
    return cmocka_run_group_tests(tests, texts_open, texts_close);
}
