/* scan_by_key in every schedule gives what the interpreter gives: keys of each integer type and at its ends, states of all kinds, and what fails. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/conformance/texts.h"

/* Here, and where workers have the keys. */
static void check_texts(void **state, const char *text, bool faults) {
    texts_check(state, text, faults);
    texts_check_elsewhere(state, text, faults);
}

static void keys_of_every_integer_type(void **state) {
    check_texts(state,
                "program types\n"
                "input z : i64[9]\n"
                "s = stream_in \"s\" : seq(i64)\n"
                "m = map_seq s (i) {\n"
                "    e = unit { z ! (rem (the i) 9) }\n"
                "    k = unit { convert i8 (the e) }\n"
                "    l = unit { convert u16 (the e) }\n"
                "    o = unit { convert u64 (sub 0 (the e)) }\n"
                "    r = unit { a: convert i32 (the e), b: convert u8 (the i), c: the e }\n"
                "    yield k, l, o, r, e\n}\n"
                "a = scan_by_key m 0 (n, k, l, o, r, e) {\n"
                "    q = unit { add (mul (the n) 3) (the e) }\n    yield q\n}\n"
                "by_u16 = map_seq m (k, l, o, r, e) { yield l }\n"
                "b = scan_by_key by_u16 1 (n, l) {\n"
                "    q = unit { add (mul (the n) 3) (convert i64 (the l)) }\n    yield q\n}\n"
                "by_u64 = map_seq m (k, l, o, r, e) { yield o }\n"
                "c = scan_by_key by_u64 1 (n, o) {\n"
                "    q = unit { mul (the n) 2 }\n    yield q\n}\n"
                "by_record = map_seq m (k, l, o, r, e) { yield r, e }\n"
                "d = scan_by_key by_record 1 (n, r, e) {\n"
                "    q = unit { sub (mul (the n) 2) (the e) }\n    yield q\n}\n"
                "by_i64 = map_seq m (k, l, o, r, e) { yield e }\n"
                "f = scan_by_key by_i64 1 (n, e) {\n"
                "    q = unit { add (the n) 1 }\n    yield q\n}\n"
                "stream_out \"a\" a\nstream_out \"b\" b\nstream_out \"c\" c\nstream_out \"d\" d\n"
                "stream_out \"f\" f\n",
                false);
}

/* A key that all elements share, one of each element's own, and a key that only the stage before it knows. */
static void one_key_and_many(void **state) {
    check_texts(state,
                "program alike\n"
                "input z : i64[9]\n"
                "s = stream_in \"s\" : seq(i64)\n"
                "same = map_seq s (i) {\n"
                "    k = unit { z ! 8 }\n    yield k, i\n}\n"
                "a = scan_by_key same 100 (n, k, i) {\n"
                "    q = unit { sub (the n) (mul (the i) (the i)) }\n    yield q\n}\n"
                "b = scan_by_key s 100 (n, i) {\n"
                "    q = unit { add (the n) (the i) }\n    yield q\n}\n"
                "odd = filter_seq s (i) {\n"
                "    p = unit { eq (rem (the i) 2) 1 }\n    yield p\n}\n"
                "third = map_seq odd (i) {\n"
                "    k = unit { rem (the i) 3 }\n    yield k, i\n}\n"
                "c = scan_by_key third 0 (n, k, i) {\n"
                "    q = unit { add (mul (the n) 10) (the i) }\n    yield q\n}\n"
                "stream_out \"a\" a\nstream_out \"b\" b\nstream_out \"c\" c\n"
                "last = fold_seq c 0 (n, i) {\n    yield i\n}\noutput last\n",
                false);
}

/* States that change places, that are handed on as they are, records, and arrays: of one shape, in place, and of other shapes in each element. */
static void states_of_all_kinds(void **state) {
    check_texts(state,
                "program states\n"
                "input z : i64[9]\n"
                "v = stream_in \"v\" : seq(i64[?])\n"
                "m = map_seq v (x) {\n"
                "    k = unit { rem (extent x 0) 3 }\n    yield k, x\n}\n"
                "a = scan_by_key m 1 2 (p, q, k, x) {\n    yield q, p\n}\n"
                "one = unit { c: 1.5, d: 2u8 }\n"
                "b = scan_by_key m one (p, k, x) {\n"
                "    n = map p (c, d) { c: mul c 0.7, d: add d 3u8 }\n    yield n\n}\n"
                "c = scan_by_key m z (p, k, x) {\n"
                "    n = map p (e) { add e (extent x 0) }\n    yield n\n}\n"
                "none = take dim=0 z 0\n"
                "d = scan_by_key m none 0 (p, n, k, x) {\n"
                "    o = concat dim=0 x p\n"
                "    l = unit { add (the n) (extent p 0) }\n    yield o, l\n}\n"
                "e = scan_by_key m z (p, k, x) {\n"
                "    n = permute p x (y, w) { add y w } (i) { true, i }\n    yield n\n}\n"
                "odd = unit { a: 3u8, b: 0.5, c: 1i16, d: complex 1.0 0.5 }\n"
                "f = scan_by_key m odd (p, k, x) {\n"
                "    n = map p (a, b, c, d) { a: add a 7u8, b: mul b 0.7, c: sub c 2i16, d: add d "
                "d }\n    yield n\n}\n"
                "stream_out \"a\" a\nstream_out \"b\" b\nstream_out \"c\" c\nstream_out \"d\" d\n"
                "stream_out \"e\" e\nstream_out \"f\" f\n",
                false);
}

/* Keys of all types and their last states, to a sink, to a collector, and through more stages. */
static void each_key_at_the_end(void **state) {
    check_texts(
        state,
        "program last\n"
        "input z : i64[9]\n"
        "v = stream_in \"v\" : seq(i64[?])\n"
        "m = map_seq v (x) {\n"
        "    k = unit { rem (mul (extent x 0) 5) 3 }\n"
        "    r = unit { a: convert i8 (sub 0 (the k)), b: convert u16 (z ! (the k)), c: z ! 8 }\n"
        "    yield r, k, x\n}\n"
        "a = fold_by_key m 1 z (p, q, r, k, x) {\n"
        "    n = unit { add (mul (the p) 3) (extent x 0) }\n"
        "    h = concat dim=0 x q\n    yield n, h\n}\n"
        "by_k = map_seq m (r, k, x) {\n    yield k, x\n}\n"
        "b = fold_by_key by_k 1 2.5 (p, q, k, x) {\n"
        "    n = unit { add (mul (the p) 3) (extent x 0) }\n"
        "    f = unit { add (mul (the q) 0.7) (convert f64 (the k)) }\n    yield n, f\n}\n"
        "c = map_seq b (k, n, f) {\n"
        "    o = unit { add (the f) (convert f64 (add (the k) (the n))) }\n    yield o\n}\n"
        "few = take_seq c 2\n"
        "again = fold_by_key b 0 (s, k, n, f) {\n"
        "    t = unit { add (the s) (the n) }\n    yield t\n}\n"
        "keys, sums, floats = tabulate b\n"
        "stream_out \"a\" a\nstream_out \"few\" few\nstream_out \"again\" again\n"
        "output keys\noutput sums\noutput floats\n",
        false);
}

/* What a step hands on as it is: an element, an array of all elements, arrays that change places; states that no step reads; bools and complex numbers. */
static void states_that_are_handed_on(void **state) {
    check_texts(state,
                "program handed\n"
                "input z : i64[9]\n"
                "v = stream_in \"v\" : seq(i64[?])\n"
                "m = map_seq v (x) {\n"
                "    k = unit { rem (extent x 0) 2 }\n    yield k, x\n}\n"
                "none = take dim=0 z 0\n"
                "a = scan_by_key m none z (p, q, k, x) {\n    yield x, p\n}\n"
                "b = fold_by_key m z none (p, q, k, x) {\n    yield q, p\n}\n"
                "c = fold_by_key m none 7 (p, n, k, x) {\n"
                "    e = unit { extent x 0 }\n    yield z, e\n}\n"
                "yes = unit { true }\n"
                "d = scan_by_key m yes (p, k, x) {\n"
                "    n = unit { xor (the p) (eq (rem (extent x 0) 3) 1) }\n    yield n\n}\n"
                "one = unit { complex 1.0 0.5 }\n"
                "e = fold_by_key m one yes (w, p, k, x) {\n"
                "    n = unit { add (mul (the w) (complex 0.5 0.25)) (complex (convert f64 (extent "
                "x 0)) 1.0) }\n"
                "    y = unit { not (the p) }\n    yield n, y\n}\n"
                "stream_out \"a\" a\nstream_out \"b\" b\nstream_out \"c\" c\nstream_out \"d\" d\n"
                "stream_out \"e\" e\n",
                false);
}

/* What comes of a scan by key goes to a second one, a window and a zip with what it was made of. */
static void one_behind_the_other(void **state) {
    check_texts(state,
                "program chain\n"
                "s = stream_in \"s\" : seq(i64)\n"
                "m = map_seq s (i) {\n"
                "    k = unit { rem (mul (the i) 5) 4 }\n    yield k, i\n}\n"
                "a = scan_by_key m 0 (n, k, i) {\n"
                "    q = unit { add (the n) (the i) }\n    yield q\n}\n"
                "both = map_seq a m (q, k, i) {\n"
                "    l = unit { rem (the q) 3 }\n    yield l, q, i\n}\n"
                "b = scan_by_key both 1 (n, l, q, i) {\n"
                "    t = unit { add (mul (the n) 2) (sub (the q) (the i)) }\n    yield t\n}\n"
                "w = windows last=2 b 3 2\n"
                "stream_out \"b\" b\nstream_out \"w\" w\n",
                false);
}

/* Keys that come as they are from each operator that makes elements anew, and from sources of several parts; parts that are one array for all elements. */
static void keys_from_every_operator(void **state) {
    check_texts(
        state,
        "program behind\n"
        "input z : i64[9]\n"
        "s = stream_in \"s\" : seq(i64)\n"
        "v = stream_in \"v\" : seq(i64[?])\n"
        "m = map_seq s (i) {\n"
        "    k = unit { sub 0u64 (convert u64 (rem (the i) 3)) }\n    yield k, i, z\n}\n"
        "odd = filter_seq m (k, i, y) {\n"
        "    p = unit { ne (rem (the i) 4) 1 }\n    yield p\n}\n"
        "few = take_seq odd 7\nless = drop_seq few 2\n"
        "a = scan_by_key less 0 (n, k, i, y) {\n"
        "    q = unit { add (mul (the n) 3) (add (the i) (y ! 4)) }\n    yield q\n}\n"
        "b = fold_by_key a 0 (n, q) {\n"
        "    t = unit { add (the n) 1 }\n    yield t\n}\n"
        "all = expand_seq v (x) {\n    yield x\n}\n"
        "c = fold_by_key all z 1 (h, n, e) {\n"
        "    t = unit { add (mul (the n) 3) (the e) }\n"
        "    g = map h (d) { add d (the n) }\n    yield g, t\n}\n"
        "d = scan_by_key c 0 (n, k, h, t) {\n"
        "    q = unit { add (the n) (add (the t) (h ! 1)) }\n    yield q\n}\n"
        "w = batch d 4\n"
        "twos = map_seq w (x) {\n    y = unit { convert i16 (extent x 0) }\n    yield y\n}\n"
        "e = fold_by_key twos 0 (n, k) {\n"
        "    t = unit { add (the n) (convert i64 (the k)) }\n    yield t\n}\n"
        "none = filter_seq s (i) {\n    p = unit { lt (the i) 0 }\n    yield p\n}\n"
        "f = fold_by_key none 0 (n, k) {\n"
        "    t = unit { add (the n) 1 }\n    yield t\n}\n"
        "g = scan_by_key none 0 (n, k) {\n"
        "    t = unit { add (the n) 1 }\n    yield t\n}\n"
        "keys, counts = tabulate f\n"
        "both = map_seq s a (i, q) {\n"
        "    k = unit { convert u8 (rem (the q) 5) }\n    yield k, i, q\n}\n"
        "l = fold_by_key both 0 (n, k, i, q) {\n"
        "    t = unit { add (mul (the n) 5) (sub (the q) (the i)) }\n    yield t\n}\n"
        "first = take_seq l 2\n"
        "stream_out \"a\" a\nstream_out \"b\" b\nstream_out \"c\" c\n"
        "stream_out \"w\" w\nstream_out \"e\" e\nstream_out \"f\" f\n"
        "stream_out \"g\" g\nstream_out \"l\" l\nstream_out \"first\" first\n"
        "output keys\noutput counts\n",
        false);
}

static void faults_name_the_first_element(void **state) {
    check_texts(state,
                "program fails\n"
                "s = stream_in \"s\" : seq(i64)\n"
                "m = map_seq s (i) {\n"
                "    k = unit { rem (the i) 3 }\n    yield k, i\n}\n"
                "a = scan_by_key m 5 (n, k, i) {\n"
                "    q = unit { sub (the n) (quot 7 (mul (sub (the i) 8) (sub (the i) 7))) }\n"
                "    yield q\n}\n"
                "stream_out \"a\" a\n",
                true);
    check_texts(state,
                "program fails\n"
                "v = stream_in \"v\" : seq(i64[?])\n"
                "m = map_seq v (x) {\n"
                "    k = unit { extent x 0 }\n    yield k, x\n}\n"
                "g = generate 2 (j) { j }\n"
                "a = scan_by_key m g (p, k, x) {\n"
                "    q = map p (e) { add e (x ! (sub (extent x 0) 3)) }\n"
                "    yield q\n}\n"
                "stream_out \"a\" a\n",
                true);
    check_texts(state,
                "program fails\n"
                "input z : i64[9]\n"
                "s = stream_in \"s\" : seq(i64)\n"
                "m = map_seq s (i) {\n"
                "    k = unit { rem (the i) 3 }\n    yield k, i\n}\n"
                "a = fold_by_key m 5 (n, k, i) {\n"
                "    q = unit { sub (the n) (quot 7 (sub (the i) 8)) }\n"
                "    yield q\n}\n"
                "stream_out \"a\" a\n",
                true);
    check_texts(state,
                "program fails\n"
                "s = stream_in \"s\" : seq(i64)\n"
                "m = map_seq s (i) {\n"
                "    k = unit { rem (the i) 5 }\n    yield k, i\n}\n"
                "a = fold_by_key m 5 (n, k, i) {\n"
                "    q = unit { sub (the n) (the i) }\n"
                "    yield q\n}\n"
                "b = map_seq a (k, n) {\n"
                "    q = unit { quot (the n) (sub (the k) 3) }\n"
                "    yield q\n}\n"
                "stream_out \"b\" b\n",
                true);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(keys_of_every_integer_type),
                                       cmocka_unit_test(one_key_and_many),
                                       cmocka_unit_test(states_of_all_kinds),
                                       cmocka_unit_test(states_that_are_handed_on),
                                       cmocka_unit_test(each_key_at_the_end),
                                       cmocka_unit_test(one_behind_the_other),
                                       cmocka_unit_test(keys_from_every_operator),
                                       cmocka_unit_test(faults_name_the_first_element)};
    return cmocka_run_group_tests(tests, texts_open, texts_close);
}
