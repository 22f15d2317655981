/* Programs at the corners of what the language allows, as text: each compiled
 * in every schedule gives what the interpreter gives, or faults as it does.
 * Every one is here because a single wrong line somewhere once went unseen
 * without it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/text.h"
#include "tests/conformance/texts.h"

/* Folds of rows whose extent is known when they are compiled: below, at and
 * above the number of lanes and the size of a block. */
static void rows_of_known_extents(void **state) {
    static const char *const extents[] = {"1",  "2",  "3",    "16",   "17",
                                          "18", "33", "4096", "4097", "4098"};
    wadi_text t;
    wadi_text_init(&t);
    wadi_text_add(&t, "program rows\n");
    for (size_t i = 0; i < sizeof extents / sizeof *extents; i++) {
        const char *n = extents[i];
        wadi_text_addf(&t, "input r%s : f64[%s]\n", n, n);
        wadi_text_addf(&t, "f%s = fold1 r%s (a, b) { add a b }\noutput f%s\n", n, n, n);
        wadi_text_addf(&t, "g%s = fold 0.5 r%s (a, b) { max a b }\noutput g%s\n", n, n, n);
        wadi_text_addf(&t, "s%s = scanl 0.25 r%s (a, b) { add a b }\noutput s%s\n", n, n, n);
    }
    texts_check(state, wadi_text_str(&t), false);
    wadi_text_fini(&t);
}

/* The last that is not zero: associative, and which argument is the earlier one can be seen everywhere. */
static void the_earlier_argument_is_the_first(void **state) {
    static const char *const extents[] = {"0", "1", "15", "16", "17", "4096", "4097", "9000"};
    wadi_text t;
    wadi_text_init(&t);
    wadi_text_add(&t, "program order\nks = use : i64[4] [0, 2, 2, 40]\no = map ks (k) { k }\n");
    for (size_t i = 0; i < sizeof extents / sizeof *extents; i++) {
        const char *n = extents[i];
        static const char last[] = "{ if ne b 0 { b } else { a } }";
        wadi_text_addf(&t, "x%s = generate %s (i) { if eq (rem i 700) 3 { i } else { 0 } }\n", n,
                       n);
        wadi_text_addf(&t, "f%s = fold -7 x%s (a, b) %s\noutput f%s\n", n, n, last, n);
        wadi_text_addf(&t, "s%s = scanl -7 x%s (a, b) %s\noutput s%s\n", n, n, last, n);
        wadi_text_addf(&t, "t%s = scanl1 x%s (a, b) %s\noutput t%s\n", n, n, last, n);
    }
    wadi_text_add(&t, "g = fold_seg -7 o x4096 (a, b) { if ne b 0 { b } else { a } }\noutput g\n");
    texts_check(state, wadi_text_str(&t), false);
    wadi_text_fini(&t);
}

/* Where every partial sum is rounded, the blocks of the law can be seen: in what follows the first of a later one. */
static void scans_of_floats_keep_their_blocks(void **state) {
    static const char *const extents[] = {"17", "4096", "4100", "5000", "8192", "8193", "9000"};
    wadi_text t;
    wadi_text_init(&t);
    wadi_text_add(&t, "program blocks\n");
    for (size_t i = 0; i < sizeof extents / sizeof *extents; i++) {
        const char *n = extents[i];
        wadi_text_addf(&t, "h%s = generate %s (i) { fdiv 1.0 (convert f64 (add i 3)) }\n", n, n);
        wadi_text_addf(&t, "s%s = scanl 0.1 h%s (a, b) { add a b }\noutput s%s\n", n, n, n);
        wadi_text_addf(&t, "t%s = scanl1 h%s (a, b) { add a b }\noutput t%s\n", n, n, n);
        wadi_text_addf(&t, "f%s = fold 0.1 h%s (a, b) { add a b }\noutput f%s\n", n, n, n);
    }
    texts_check(state, wadi_text_str(&t), false);
    wadi_text_fini(&t);
}

static void sums_of_floats_keep_their_order(void **state) {
    texts_check(state,
                "program collisions\n"
                "input r200000 : f64[200000]\n"
                "zeros = generate 4 (i) { 0.0 }\n"
                "keys = generate 200000 (i) { rem i 4 }\n"
                "h = permute zeros r200000 keys (new, old) { add new old } (i, k) { "
                "true, k }\n"
                "output h\n",
                false);
}

/* What would fault, or not end, stays in the sequence that has no round. */
static void nothing_leaves_an_empty_sequence(void **state) {
#define INNER(name, body)                                                        \
    "    " name " = produce n (i) {\n        " body "\n        yield b\n    }\n" \
    "    " name "s = elements " name "\n"
    texts_check(state,
                "program empty\n"
                "t = stream_in \"v\" : seq(i64[?])\n"
                "u = map_seq t (v) {\n"
                "    n = unit { extent v 0 }\n"
                "    three = unit { quot (extent v 0) 3 }\n"
                "    w = generate 3 (k) { mul k k }\n" INNER("p", "b = unit { v !! 0 }")
                    INNER("q", "b = unit { v ! (sub (extent v 0) 1) }")
                        INNER("r", "b = unit { quot 100 (extent v 0) }") INNER(
                            "l", "b = unit { while (x) { lt x 5 } do { add x (min "
                                 "(extent v 0) 1) } from 0 }")
                            INNER("m", "b = fold1 v (x, y) { add x y }") "    zp = produce three "
                                                                         "(i) {\n"
                                                                         "        c = zip_with v "
                                                                         "w (x, y) { add x y }\n"
                                                                         "        b = fold 0 c "
                                                                         "(x, y) { add x y }\n"
                                                                         "        yield b\n"
                                                                         "    }\n"
                                                                         "    zs = elements zp\n"
                                                                         "    yield ps, qs, rs, "
                                                                         "ls, ms, zs\n"
                                                                         "}\n"
                                                                         "stream_out \"out\" u\n",
                false);
#undef INNER
}

static void transducers_of_no_length(void **state) {
    texts_check(state,
                "program cuts\n"
                "t = stream_in \"v\" : seq(i64[?])\n"
                "u = map_seq t (v) {\n"
                "    n = unit { extent v 0 }\n"
                "    p = produce n (i) { yield i }\n"
                "    f = filter_seq p (i) {\n        c = unit { ge (the i) 0 }\n       "
                " yield c\n    }\n"
                "    a = take_seq f 0\n    b = take_seq a 5\n    ab = elements b\n"
                "    c = take_seq f 5\n    d = take_seq c 0\n    cd = elements d\n"
                "    e = drop_seq f 1\n    g = take_seq e 1\n    eg = elements g\n"
                "    h = take_seq f 2\n    k = drop_seq h 1\n    hk = elements k\n"
                "    l = drop_seq p 3\n    lx = elements l\n"
                "    q = drop_seq l 99\n    qx = elements q\n"
                "    r = take_seq p 99\n    rx = elements r\n"
                "    yield ab, cd, eg, hk, lx, qx, rx\n"
                "}\n"
                "stream_out \"out\" u\n",
                false);
}

static void a_loop_behind_overlapping_windows(void **state) {
    texts_check(state,
                "program windows\n"
                "s = stream_in \"s\" : seq(i64)\n"
                "w = windows last=0 s 4 2\n"
                "u = map_seq w (x) {\n"
                "    y, k = awhile x 0 (a, k) {\n"
                "        c = unit { lt (the k) 2 }\n        yield c\n"
                "    } do (a, k) {\n"
                "        b = drop dim=0 a 1\n        l = unit { add (the k) 1 }\n      "
                "  yield b, l\n"
                "    }\n"
                "    yield y\n"
                "}\n"
                "stream_out \"out\" u\n",
                false);
}

static void batches_that_begin_within_a_chunk(void **state) {
    texts_check(state,
                "program batches\n"
                "s = stream_in \"s\" : seq(i64)\n"
                "u = map_seq s (i) {\n"
                "    n = unit { add 1 (quot (the i) 3) }\n"
                "    g = generate n (j) { add j (the i) }\n"
                "    yield g\n"
                "}\n"
                "b = batch u 3\n"
                "t = map_seq b (x) {\n    y = map x (e) { neg e }\n    yield y\n}\n"
                "stream_out \"out\" t\n",
                false);
}

static void extents_that_shrink_one_by_one(void **state) {
    texts_check(state,
                "program least\n"
                "s = stream_in \"s\" : seq(i64)\n"
                "two = take_seq s 2\n"
                "u = map_seq two (i) {\n"
                "    n = unit { add 1 (the i) }\n    m = unit { sub 3 (the i) }\n"
                "    g = generate n m (j, k) { add (mul j 10) k }\n"
                "    yield g\n"
                "}\n"
                "least = tabulate_min u\n"
                "output least\n",
                false);
}

static void indices_that_wrap(void **state) {
    static const char *const bodies[] = {
        "r16 ! (sub (add (mul i i) (the k)) (mul i i))", /* fine: k = 3 */
        "r16 ! (add (mul (quot i 3) 7) (rem i 3))"};
    static const char *const faults[] = {"r16 ! (quot (the m) 2)", /* -4 */
                                         "r16 ! (mul i (the m))",  /* a factor below 0 */
                                         "r16 ! (mul (the f) (mul 3 (the f)))", /* beyond 2^63 */
                                         "r16 ! (mul (add i 3) 6148914691236517205)"};
    char text[512];
    for (int i = 0; i < 6; i++) {
        snprintf(text, sizeof text,
                 "program wraps\ninput r16 : f64[n]\ninput z : i64[m]\n"
                 "k = unit { z ! 6 }\nm = unit { z ! 3 }\nf = unit { z ! 5 }\n"
                 "y = generate 5 (i) { %s }\noutput y\n",
                 i < 2 ? bodies[i] : faults[i - 2]);
        texts_check(state, text, i >= 2);
    }
}

/* What was checked for one array is not checked for a shorter one, nor is another index. */
static void a_check_is_of_one_array_and_one_index(void **state) {
    static const struct {
        const char *body;
        bool faults;
    } cases[] = {{"add (r16 ! (z ! i)) (r3 ! (z ! i))", true},
                 {"add (r3 ! (rem i 3)) (r16 ! (rem i 3))", false},
                 {"add (r16 ! (rem i 5)) (r3 ! (rem i 5))", true},
                 {"add (r3 ! (rem i 3)) (r3 ! (add 1 (rem i 3)))", true},
                 {"add (add (r16 ! (rem i 7)) (r17 ! (rem i 7))) (r3 ! (rem i 7))", true},
                 {"if ge (r16 ! (rem i 4)) 0.0 { r3 ! (rem i 4) } else { r3 ! (rem i 4) }", true},
                 {"add (r17 ! (rem i 17)) (r16 ! (rem i 17))", true},
                 {"add (r17 ! (rem i 16)) (r16 ! (rem i 16))", false}};
    char text[512];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(text, sizeof text,
                 "program checks\ninput r16 : f64[n]\ninput r3 : f64[m]\ninput r17 : f64[l]\n"
                 "input z : i64[k]\nuses = unit { add (extent r17 0) (extent z 0) }\n"
                 "y = generate 40 (i) { %s }\noutput y\noutput uses\n",
                 cases[i].body);
        texts_check(state, text, cases[i].faults);
    }
}

/* A value that is known not to be negative may be so large that a sum with it is. */
static void a_bound_on_one_side_bounds_no_sum(void **state) {
    static const char *const indices[] = {"min (add x 5) (sub (extent r16 0) 1)",
                                          "sub (extent r16 0) (max 1 (sub 3 (neg x)))"};
    char text[512];
    for (int i = 0; i < 2; i++) {
        snprintf(text, sizeof text,
                 "program sides\ninput r16 : f64[n]\ninput z : i64[m]\n"
                 "k = unit { extent z 0 }\n"
                 "y = generate k (i) {\n    x = z ! i\n"
                 "    if ge x 0 { r16 ! (%s) } else { 0.0 }\n}\noutput y\n",
                 indices[i]);
        texts_check(state, text, true);
    }
}

static void segments_far_outside(void **state) {
    static const char *const offsets[] = {"-100000", "1152921504606846976", "-1", "17"};
    char text[512];
    for (int i = 0; i < 4; i++) {
        snprintf(text, sizeof text,
                 "program segments\ninput r16 : f64[16]\nks = use : i64[3] [0, 2, %s]\n"
                 "o = map ks (k) { k }\n"
                 "y = fold_seg 0.0 o r16 (a, x) { add a x }\noutput y\n",
                 offsets[i]);
        texts_check(state, text, true);
    }
}

static void extents_that_do_not_fit_their_type(void **state) {
    texts_check(state,
                "program narrow\n"
                "input r259 : f64[n]\n"
                "e = unit { convert i64 (convert i8 (extent r259 0)) }\n"
                "g = generate e (i) { i }\n"
                "y = zip_with g r259 (i, x) { add (convert f64 i) x }\n"
                "output y\n",
                true);
}

static void reduce(wadi_text *t, const char *op, const char *type, const char *z) {
    wadi_text_addf(t, "    %s_%s = fold %s c_%s (a, b) { %s a b }\n", op, type, z, type, op);
}

static void yields(wadi_text *t, int nops, const char *const *ops, int ntypes,
                   const char *const *types, const char *stream) {
    for (int i = 0; i < nops * ntypes; i++)
        wadi_text_addf(t, "%s%s_%s", i ? ", " : "    yield ", ops[i % nops], types[i / nops]);
    wadi_text_addf(t, "\n}\nstream_out \"%s\" %s\n", stream, stream);
}

/* The numbers that leave others as they are begin each lane: those of every operation and type. */
static void reductions_of_every_type(void **state) {
    static const char *const ops[] = {"add", "mul", "min", "max", "and", "or", "xor"},
                             *const types[] = {"i8", "i16", "i32", "i64",
                                               "u8", "u16", "u32", "u64"},
                             *const bool_ops[] = {"and", "or", "xor", "land", "lor"},
                             *const bools[] = {"bool"}, *const floats[] = {"f32", "f64"};
    wadi_text t;
    wadi_text_init(&t);
    wadi_text_add(&t, "program reductions\ns = stream_in \"s\" : seq(i64)\n");
    for (int half = 0; half < 2; half++) {
        wadi_text_addf(&t, "u%d = map_seq s (k) {\n    n = unit { rem (mul (the k) 7) 40 }\n",
                       half);
        for (int i = 4 * half; i < 4 * half + 4; i++) {
            char z[16];
            wadi_text_addf(&t,
                           "    x_%s = generate n (i) { convert %s (mul (add i (add 3 (the k))) "
                           "2654435761987) }\n    c_%s = compute x_%s\n",
                           types[i], types[i], types[i], types[i]);
            for (int k = 0; k < 7; k++) {
                snprintf(z, sizeof z, "%s%s", k == 4 ? (half ? "77" : "-1") : "5", types[i]);
                reduce(&t, ops[k], types[i], z);
            }
        }
        yields(&t, 7, ops, 4, types + 4 * half, half ? "u1" : "u0");
    }
    wadi_text_add(&t, "u2 = map_seq s (k) {\n    n = unit { rem (mul (the k) 7) 40 }\n"
                      "    x = generate n (i) { rem (mul (add i (the k)) 7919) 101 }\n"
                      "    d = compute x\n    x_bool = map d (x) { gt x 20 }\n"
                      "    c_bool = compute x_bool\n");
    for (int k = 0; k < 5; k++) reduce(&t, bool_ops[k], "bool", k % 3 ? "false" : "true");
    yields(&t, 5, bool_ops, 1, bools, "u2");
    wadi_text_add(&t, "u3 = map_seq s (k) {\n    n = unit { rem (mul (the k) 7) 40 }\n");
    for (int i = 0; i < 2; i++) {
        wadi_text_addf(&t,
                       "    x_%s = generate n (i) { fdiv (convert %s (rem (mul (add i (the k)) "
                       "7919) 101)) -7.0%s }\n    c_%s = compute x_%s\n",
                       floats[i], floats[i], i ? "" : "f32", floats[i], floats[i]);
        for (int k = 0; k < 4; k++) reduce(&t, ops[k], floats[i], i ? "-0.5" : "-0.5f32");
    }
    yields(&t, 4, ops, 2, floats, "u3");
    texts_check(state, wadi_text_str(&t), false);
    wadi_text_fini(&t);
}

static void a_chain_longer_than_calls_may_nest(void **state) {
    static const char *const ops[] = {"add", "xor", "sub", "mul"};
    wadi_text t;
    wadi_text_init(&t);
    wadi_text_add(&t, "program chain\ns = stream_in \"v\" : seq(i64[?])\nu = map_seq s (x0) {\n");
    for (int i = 0; i < 230; i++)
        wadi_text_addf(&t, "    x%d = map x%d (x) { %s x %d }\n", i + 1, i, ops[i % 4], i % 5 + 1);
    wadi_text_add(&t, "    r = reverse dim=0 x230\n    yield r\n}\nstream_out \"out\" u\n");
    texts_check(state, wadi_text_str(&t), false);
    wadi_text_fini(&t);
}

/* Each in the body of a stage over 0 .. 11: the place and the words are the interpreter's. */
static void faults_within_an_element(void **state) {
#define SEQUENCE "p = produce k (i) { yield i }\n"
    static const char *const bodies[] = {
        SEQUENCE "w = windows last=0 p 0 1\nr = elements w\n",
        SEQUENCE "w = windows last=1 p 2 0\nr = elements w\n",
        SEQUENCE "w = windows last=2 p -1 1\nr = elements w\n",
        SEQUENCE "n = unit { sub 4 (the k) }\nw = windows last=0 p 1 n\nr = elements w\n",
        SEQUENCE "w = batch p 0\nr = elements w\n",
        SEQUENCE "n = unit { sub 4 (the k) }\nw = batch p n\nr = elements w\n",
        SEQUENCE "e = expand_seq p (i) {\na = generate 2 (x) { x }\n"
                 "n = unit { add 2 (quot (the i) 4) }\nb = generate n (x) { x }\nyield a, b\n}\n"
                 "m = map_seq e (a, b) {\nt = unit { add (the a) (the b) }\nyield t\n}\n"
                 "r = elements m\n",
        "p = produce k (i) {\nn = unit { add 1 (quot (the i) 5) }\nm = generate 2 n (x, y) { x }\n"
        "yield m\n}\nr = tabulate p\n",
        "x = generate 0 (i) { add i (the k) }\nr = fold1 x (a, b) { add a b }\n",
        "x = generate k (i) { i }\nr = fold1 x (a, b) { add a b }\n",
        "z = generate 3 (i) { i }\nm = generate 4 k (i, j) { i }\nx = generate 4 (i) { i }\n"
        "f = fold1 m (a, b) { min a b }\n"
        "r = permute z x (n, o) { add n o } (i) { lt i 2, f ! i }\n",
        "z = generate 3 4 5 (i, j, l) { quot 1 (sub (add (mul j 10) (add l (mul i 100))) "
        "(mul 19 (the k))) }\nr = reverse dim=2 z\n",
        "z = generate 3 4 (i, j) { i }\nx = generate 5 5 (i, j) { add i j }\n"
        "r = permute z x (n, o) { add n o } (i, j) { ne i 2, sub i (quot (the k) 3), "
        "sub 3 (rem j 4) }\n"};
#undef SEQUENCE
    char text[1024];
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        snprintf(text, sizeof text,
                 "program faults\ns = stream_in \"s\" : seq(i64)\nu = map_seq s (k) {\n%s"
                 "yield r\n}\nstream_out \"out\" u\n",
                 bodies[i]);
        texts_check(state, text, true);
    }
}

/* States that grow beside others that do not, that are records, or are handed on as they are. */
static void states_of_every_kind(void **state) {
    texts_check(state,
                "program grow\n"
                "s = stream_in \"s\" : seq(i64)\n"
                "v = stream_in \"v\" : seq(i64[?])\n"
                "u = map_seq v (a) {\n"
                "    n = unit { extent a 0 }\n"
                "    p = produce 5 (i) {\n"
                "        b = generate i (j) { add (mul (the i) 10) j }\n"
                "        yield b\n"
                "    }\n"
                "    kk, xx, yy = fold_seq p n a a (k, x, y, b) {\n"
                "        l = unit { add (the k) (extent b 0) }\n"
                "        c = concat dim=0 x b\n"
                "        d = map y (e) { add e (the k) }\n"
                "        yield l, c, d\n"
                "    }\n"
                "    k2, x2 = awhile 0 a (k, x) {\n"
                "        go = unit { lt (the k) 5 }\n"
                "        yield go\n"
                "    } do (k, x) {\n"
                "        l = unit { add (the k) 1 }\n"
                "        c = concat dim=0 x x\n"
                "        d = take dim=0 c 7\n"
                "        f = reverse dim=0 d\n"
                "        yield l, f\n"
                "    }\n"
                "    sc = scan_seq p 0 a (k, x, b) {\n"
                "        l = unit { add (the k) 1 }\n"
                "        c = concat dim=0 b x\n"
                "        yield l, c\n"
                "    }\n"
                "    vs = map_seq sc (k, x) {\n"
                "        t = map x (e) { add e (the k) }\n"
                "        yield t\n"
                "    }\n"
                "    ve = elements vs\n"
                "    yes = unit { true }\n"
                "    c1, c2 = acond yes {\n"
                "        i = map a (e) { add e 0 }\n"
                "        r = map i (e) { mul 3 (mul e 1) }\n"
                "        yield i, r\n"
                "    } else {\n"
                "        yield a, a\n"
                "    }\n"
                "    yield kk, xx, yy, x2, ve, c1, c2\n"
                "}\n"
                "stream_out \"out\" u\n"
                "rec = map_seq s (k) {\n"
                "    one = unit { a: the k, b: mul 3 (the k) }\n"
                "    two = generate 3 (i) { a: add i (the k), b: sub i (the k) }\n"
                "    yield one, two\n"
                "}\n"
                "z1 = unit { a: 100, b: 200 }\n"
                "z2 = generate 3 (i) { a: i, b: mul i 7 }\n"
                "e1, e2, e3, e4 = fold_seq rec z1 z1 z2 z2 (x, y, m, w, one, two) {\n"
                "    yield y, one, w, two\n"
                "}\n"
                "output e1\n"
                "output e2\n"
                "output e3\n"
                "output e4\n"
                "f1, f2, f3 = fold_seq rec z1 z2 z1 (x, m, l, one, two) {\n"
                "    t = zip_with x one (a, b, c, d) { a: add a c, b: sub b d }\n"
                "    r = reverse dim=0 m\n"
                "    yield t, r, t\n"
                "}\n"
                "output f1\n"
                "output f2\n"
                "output f3\n"
                "short = take_seq rec 2\n"
                "gg = fold_seq short 0 (k, one, two) {\n"
                "    t = unit { add (the k) (extent two 0) }\n"
                "    yield t\n"
                "}\n"
                "output gg\n",
                false);
}

/* A sequence that is gone through on several levels, and results that outgrow their memory in the middle of a round. */
static void sequences_with_many_readers(void **state) {
    texts_check(state,
                "program shared\n"
                "v = stream_in \"v\" : seq(i64[?])\n"
                "u = map_seq v (a) {\n"
                "    n = unit { extent a 0 }\n"
                "    p = produce n (i) {\n"
                "        b = take dim=0 a i\n"
                "        c = scanl 1 b (x, y) { max x y }\n"
                "        t = fold 0 c (x, y) { add x y }\n"
                "        yield t\n"
                "    }\n"
                "    r = produce n (i) { yield i }\n"
                "    odd = unit { eq (rem (the n) 2) 1 }\n"
                "    first = acond odd {\n"
                "        x = fold_seq p 0 (z, t) {\n"
                "            w = unit { add (mul 3 (the z)) (the t) }\n"
                "            yield w\n"
                "        }\n"
                "        yield x\n"
                "    } else {\n"
                "        yield n\n"
                "    }\n"
                "    both = map_seq p r (t, i) {\n"
                "        w = unit { add (mul 10 (the t)) (the i) }\n"
                "        yield w\n"
                "    }\n"
                "    s = fold_seq both 0 (z, w) {\n"
                "        o = unit { add (mul 2 (the z)) (the w) }\n"
                "        yield o\n"
                "    }\n"
                "    cut = take_seq p 2\n"
                "    few = elements cut\n"
                "    k, last = awhile n 0 (k, y) {\n"
                "        go = unit { gt (the k) 1 }\n"
                "        yield go\n"
                "    } do (k, y) {\n"
                "        g = fold_seq p y (z, t) {\n"
                "            w = unit { add (the z) (mul (the t) (the k)) }\n"
                "            yield w\n"
                "        }\n"
                "        l = unit { sub (the k) 1 }\n"
                "        yield l, g\n"
                "    }\n"
                "    tail = drop_seq both 1\n"
                "    te = elements tail\n"
                "    h = fold_seq p 0 (z, t) {\n"
                "        w = unit { sub (mul 2 (the t)) (the z) }\n"
                "        yield w\n"
                "    }\n"
                "    even = filter_seq r (i) {\n"
                "        c = unit { eq (rem (the i) 2) 0 }\n"
                "        yield c\n"
                "    }\n"
                "    beside = map_seq p even (t, i) {\n"
                "        w = unit { add (mul 10 (the t)) (the i) }\n"
                "        yield w\n"
                "    }\n"
                "    be = fold_seq beside 0 (z, t) {\n"
                "        w = unit { add (the z) (the t) }\n"
                "        yield w\n"
                "    }\n"
                "    whole = lifted a (x) {\n"
                "        l = fold 0 x (i, j) { add i j }\n"
                "        yield l\n"
                "    } do (xs) {\n"
                "        l = fold 0 xs (i, j) { add i j }\n"
                "        yield l\n"
                "    }\n"
                "    yield first, s, few, last, te, h, be, whole\n"
                "}\n"
                "stream_out \"out\" u\n"
                "s = stream_in \"s\" : seq(i64)\n"
                "g = map_seq s (k) {\n"
                "    n = unit { mul 30 (the k) }\n"
                "    nine = generate 9 (i) { mul i (the k) }\n"
                "    rec = unit { a: 5, b: extent nine 0, c: 7i32 }\n"
                "    p = produce n (i) {\n"
                "        m = unit { rem (the i) 40 }\n"
                "        b = generate m (j) { add (mul (the i) 100) j }\n"
                "        c = scanl 0 b (x, y) { add x y }\n"
                "        d = reverse dim=0 c\n"
                "        yield d\n"
                "    }\n"
                "    f = filter_seq p (d) {\n"
                "        c = unit { ne (rem (extent d 0) 3) 1 }\n"
                "        yield c\n"
                "    }\n"
                "    all = elements p\n"
                "    some = elements f\n"
                "    shapes, values = from_seq f\n"
                "    known = map some (x) {\n"
                "        a, b, c = the rec\n"
                "        add (add (mul a x) b) (convert i64 c)\n"
                "    }\n"
                "    t = fold_seq f 0 (z, d) {\n"
                "        o = fold 0 d (x, y) { add x y }\n"
                "        w = unit { add (mul 3 (the z)) (the o) }\n"
                "        yield w\n"
                "    }\n"
                "    yield all, some, shapes, values, known, t\n"
                "}\n"
                "stream_out \"grown\" g\n",
                false);
}

/* What a check of an extent finds does not hold where no array has the extent: on the other side of a branch, and behind a loop without rounds. There the
 * number is negative, and reads nothing. */
static void a_checked_extent_is_known_behind_the_check_only(void **state) {
    static const char array[] = "g = generate k (i) { convert f64 i }\n"
                                "v = scanl 0.0 g (a, b) { add a b }\n"
                                "f = fold 0.0 v (a, b) { add a b }\n",
                      branch[] = "p = unit { gt (the k) 0 }\n"
                                 "x = acond p {\n%syield f\n} else {\n%s\nyield y\n}\nyield x\n",
                      loop[] = "n = unit { max 0 (the k) }\no = unit { 0.0 }\n"
                               "left, x = awhile n o (a, b) {\n"
                               "    go = unit { gt (the a) 0 }\n    yield go\n} do (a, b) {\n%s"
                               "    d = unit { sub (the a) 1 }\n"
                               "    e = unit { add (the b) (the f) }\n    yield d, e\n}\n%s\n"
                               "w = unit { add (the x) (the y) }\nyield w\n";
    static const char *const reads[] = {
        "y = unit { r16 ! (the k) }",
        "h = generate 3 (i) { r16 ! (add (the k) i) }\ny = fold 0.0 h (a, b) { add a b }",
        "y = unit { r16 ! (quot (the k) 2) }"};
    for (size_t k = 0; k < 2 * sizeof reads / sizeof *reads; k++) {
        wadi_text t = {0};
        wadi_text_add(&t, "program behind\ninput r16 : f64[16]\ns = stream_in \"s\" : seq(i64)\n"
                          "r = map_seq s (j) {\nk = unit { rem (sub 3 (the j)) 100 }\n");
        if (k % 2 == 0)
            wadi_text_addf(&t, branch, array, reads[k / 2]);
        else
            wadi_text_addf(&t, loop, array, reads[k / 2]);
        wadi_text_add(&t, "}\nstream_out \"out\" r\n");
        texts_check(state, wadi_text_str(&t), true);
        wadi_text_fini(&t);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_known_extents),
        cmocka_unit_test(the_earlier_argument_is_the_first),
        cmocka_unit_test(scans_of_floats_keep_their_blocks),
        cmocka_unit_test(sums_of_floats_keep_their_order),
        cmocka_unit_test(nothing_leaves_an_empty_sequence),
        cmocka_unit_test(transducers_of_no_length),
        cmocka_unit_test(a_loop_behind_overlapping_windows),
        cmocka_unit_test(batches_that_begin_within_a_chunk),
        cmocka_unit_test(extents_that_shrink_one_by_one),
        cmocka_unit_test(indices_that_wrap),
        cmocka_unit_test(a_check_is_of_one_array_and_one_index),
        cmocka_unit_test(a_bound_on_one_side_bounds_no_sum),
        cmocka_unit_test(segments_far_outside),
        cmocka_unit_test(extents_that_do_not_fit_their_type),
        cmocka_unit_test(reductions_of_every_type),
        cmocka_unit_test(a_chain_longer_than_calls_may_nest),
        cmocka_unit_test(faults_within_an_element),
        cmocka_unit_test(states_of_every_kind),
        cmocka_unit_test(a_checked_extent_is_known_behind_the_check_only),
        cmocka_unit_test(sequences_with_many_readers),
    };
    return cmocka_run_group_tests(tests, texts_open, texts_close);
}
