/* Gathers of rows that are longer than the strips in which their indices are checked ahead (codegen/kernel/nest.c): every element has its value,
 * and the first index that is out of range is told, whichever strip it is in, in all schedules. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/text.h"
#include "tests/conformance/texts.h"

/* Elements of lengths around one strip and three: x is read at the places p, y at q; neither is known to be in range. `bad`: an expression of i and
 * of the number k of the element that is added to the places p. */
static void add_rows(wadi_text *t, const char *p, const char *q, const char *bad) {
    static const char *const lengths =
        "    n = unit { if lt (the k) 2 { the k } else { if lt (the k) 6 { add 1020 (the k) } else "
        "{ mul (sub (the k) 5) 1000 } } }\n";
    wadi_text_add(t, "program strips\ns = stream_in \"s\" : seq(i64)\nr = map_seq s (k) {\n");
    wadi_text_add(t, lengths);
    wadi_text_addf(t,
                   "    m = unit { add 101 (the k) }\n"
                   "    x = generate m (i) { fdiv (convert f64 (add i 1)) (convert f64 (add 3 "
                   "(the k))) }\n    xs = compute x\n"
                   "    y = generate m (i) { rem (mul (add i 5) 37) 100 }\n    ys = compute y\n"
                   "    a = generate n (i) { convert %s (add (rem (mul (add i 3) 7919) 101) (%s)) "
                   "}\n    ps = compute a\n"
                   "    b = generate n (i) { convert %s (rem (mul i 37) 101) }\n"
                   "    qs = compute b\n",
                   p, bad, q);
}

static void check(void **state, const char *p, const char *q, const char *bad, const char *body) {
    wadi_text t = {0};
    add_rows(&t, p, q, bad ? bad : "0");
    wadi_text_addf(&t, "%s}\nstream_out \"out\" r\n", body);
    texts_check(state, wadi_text_str(&t), bad != NULL);
    wadi_text_fini(&t);
}

#define AT(x, i) x " ! (convert i64 " i ")"

/* One array, several, one twice, rows of a matrix, records, a change of the element that the index itself is in. */
static const char *const several =
    "    o = gather ps xs\n"
    "    v = zip_with ps qs (p, q) { mul (" AT("xs", "p") ") (convert f64 (" AT(
        "ys",
        "q") ")) }\n"
             "    u = imap ps (i, p) { f = " AT("xs", "p") "\n g = " AT(
                 "ys",
                 "p") "\n"
                      "        l: convert f32 f, r: add g (mul i (convert i64 p)) }\n"
                      "    w = generate 2 n (j, i) { sub (" AT("ys", "(ps ! i)") ") (mul j (" AT(
                          "ys", "(qs ! i)") ")) }\n    yield o, v, u, w\n";

static void rows_longer_than_strips(void **state) {
    static const char *const types[][2] = {
        {"i8", "u64"}, {"u8", "i32"}, {"i16", "u16"}, {"u32", "i64"}};
    for (size_t k = 0; k < sizeof types / sizeof *types; k++)
        check(state, types[k][0], types[k][1], NULL, several);
}

/* Places that are read at places, places in reversed order and moved ones, and those that a choice decides. */
static void places_from_places(void **state) {
    check(state, "i32", "i64", NULL,
          "    o = map qs (q) { " AT(
              "xs",
              "(ys ! q)") " }\n"
                          "    v = map ps (p) { " AT(
                              "xs",
                              "(" AT("ys",
                                     "(" AT("ys", "p") ")") ")") " }\n"
                                                                 "    u = generate n (i) { " AT(
                                                                     "xs",
                                                                     "(ps ! (sub (sub (the n) 1) "
                                                                     "i))") " }\n"
                                                                            "    w = imap ps (i, "
                                                                            "p) { add (" AT(
                                                                                "ys",
                                                                                "p") ") (convert "
                                                                                     "i64 (qs ! "
                                                                                     "(min (add i "
                                                                                     "1) (sub "
                                                                                     "(the n) "
                                                                                     "1)))) }\n    "
                                                                                     "yield o, v, "
                                                                                     "u, w\n");
    check(state, "i32", "i64", NULL,
          "    o = zip_with ps qs (p, q) { if lt q 50 { " AT(
              "xs", "p") " } else { xs ! q } }\n"
                         "    v = zip_with ps qs (p, q) { if lt q 50 { " AT(
                             "xs", "p") " } else { 0.5 } }\n"
                                        "    u = zip_with ps qs (p, q) { xs ! (if lt q 50 { "
                                        "convert i64 p } else { q }) }\n"
                                        "    yield o, v, u\n");
}

/* The first of two bad places is told, at the ends of strips and in the last one. */
static void the_first_bad_place_is_told(void **state) {
    static const char *const bad[] = {
        "if land (eq (the k) 5) (ge i 1023) { -200 } else { 0 }",
        "if land (eq (the k) 5) (eq i 1024) { 200 } else { 0 }",
        "if land (eq (the k) 8) (eq (rem i 1000) 999) { sub 0 (mul i 100000) } else { 0 }",
        "if land (eq (the k) 9) (gt i 3998) { 3000000000 } else { 0 }"};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        check(state, k == 3 ? "i64" : "i32", "u8", bad[k], "    o = gather ps xs\n    yield o\n");
        check(state, k == 3 ? "u32" : "i32", "u8", bad[k],
              "    o = zip_with ps qs (p, q) { mul (" AT("xs", "p") ") (convert f64 (" AT(
                  "ys", "q") ")) }\n    yield o\n");
    }
}

/* What a choice leaves out is not read. */
static void masked_places_may_be_bad(void **state) {
    wadi_text t = {0};
    add_rows(&t, "i32", "i64", "if eq (rem i 7) 3 { -500 } else { 0 }");
    wadi_text_add(&t, "    o = zip_with ps qs (p, q) { if ge p 0i32 { " AT(
                          "xs", "p") " } else { convert f64 q } }\n"
                                     "    v = imap ps (i, p) { xs ! (if eq (rem i 7) 3 { 2 } else "
                                     "{ convert i64 p }) }\n"
                                     "    yield o, v }\nstream_out \"out\" r\n");
    texts_check(state, wadi_text_str(&t), false);
    wadi_text_fini(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_longer_than_strips), cmocka_unit_test(places_from_places),
        cmocka_unit_test(the_first_bad_place_is_told), cmocka_unit_test(masked_places_may_be_bad)};
    return cmocka_run_group_tests(tests, texts_open, texts_close);
}
