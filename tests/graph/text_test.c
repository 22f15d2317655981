/* Program text: what is printed reads back as the same program. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "graph/ir/ir.h"
#include "graph/ir/literal.h"
#include "operators/table.h"
#include "tests/graph/module_copy.h"
#include "tests/graph/text_programs.h"
#include "tests/spoilt_memory.h"

static wadi_module *parsed(const char *text, const char *file) {
    wadi_module *m = NULL;
    wadi_error err = {0};
    if (wadi_ir_parse(text, file, wadi_operators(), &m, &err) != WADI_OK)
        fail_msg("%s\n%s", err.msg, text);
    if (wadi_ir_verify(m, &err) != WADI_OK) fail_msg("%s\n%s", err.msg, text);
    return m;
}

static char *printed(const wadi_module *m, bool places) {
    wadi_text t;
    wadi_text_init(&t);
    if (places)
        wadi_ir_print_places(m, &t);
    else
        wadi_ir_print(m, &t);
    assert_false(t.failed);
    return wadi_text_take(&t);
}

/* Prints, reads and prints `text`, which must give the same text twice. */
static void check_round_trip(const char *text, const char *file, bool places) {
    wadi_module *first = parsed(text, file);
    char *once = printed(first, places);
    wadi_module *second = parsed(once, NULL);
    char *twice = printed(second, places);
    assert_string_equal(once, twice);
    free(once);
    free(twice);
    wadi_module_destroy(first);
    wadi_module_destroy(second);
}

static void printing_what_was_read_gives_the_same_text(void **state) {
    (void)state;
    for (const text_program *p = text_programs; p->name; p++)
        check_round_trip(p->text, NULL, false);
}

static void places_survive_the_round_trip(void **state) {
    (void)state;
    for (const text_program *p = text_programs; p->name; p++)
        check_round_trip(p->text, "some file.wadi", true);
}

static void bindings_remember_their_line(void **state) {
    (void)state;
    wadi_module *m =
        parsed("program p\n\ninput xs : i32[n]\nys = map xs (x) { quot x x }\n", "p.wadi");
    assert_int_equal(m->main->binds[1]->loc.line, 4);
    assert_string_equal(m->main->binds[1]->loc.file, "p.wadi");
    assert_int_equal(m->main->binds[1]->funs[0]->body->insts[0]->loc.line, 4);
    wadi_module_destroy(m);
}

static void copies_print_the_same(void **state) {
    (void)state;
    for (const text_program *p = text_programs; p->name; p++) {
        wadi_module *m = parsed(p->text, "file");
        wadi_module *copy = module_copy(m);
        char *original = printed(m, true);
        wadi_module_destroy(m);
        wadi_error err = {0};
        if (wadi_ir_verify(copy, &err) != WADI_OK) fail_msg("%s", err.msg);
        char *copied = printed(copy, true);
        assert_string_equal(original, copied);
        free(original);
        free(copied);
        wadi_module_destroy(copy);
    }
}

static void a_program_prints_as_people_write_it(void **state) {
    (void)state;
    static const char text[] = "program dotp\n"
                               "\n"
                               "input xs : f32[n]\n"
                               "input ys : f32[n]\n"
                               "prods = zip_with xs ys (x, y) { mul x y } : f32[?]\n"
                               "dot = fold 0.0f32 prods (x, y) { add x y } : f32\n"
                               "output dot\n";
    wadi_module *m = parsed(text, NULL);
    char *again = printed(m, false);
    assert_string_equal(again, text);
    free(again);
    wadi_module_destroy(m);
}

static void bodies_take_a_line_per_shared_expression(void **state) {
    (void)state;
    static const char text[] = "program bodies\n"
                               "\n"
                               "input xs : f64[n]\n"
                               "ys = map xs (x) {\n"
                               "    t0 = mul x x\n"
                               "    t1 = if lt t0 1.0 { t0 } else { sqrt t0 }\n"
                               "    sub (mul t1 t1) t1\n"
                               "} : f64[?]\n"
                               "output ys\n";
    wadi_module *m = parsed(text, NULL);
    char *again = printed(m, false);
    assert_string_equal(again, text);
    free(again);
    wadi_module_destroy(m);
}

/* ---- literals ---- */

static void check_literal(wadi_scalar v) {
    wadi_text t;
    wadi_text_init(&t);
    wadi_literal_print(v, false, &t);
    wadi_scalar back;
    const char *why;
    if (!wadi_literal_read(wadi_text_str(&t), t.n, NULL, &back, &why))
        fail_msg("%s: %s", wadi_text_str(&t), why);
    assert_int_equal(back.type, v.type);
    assert_int_equal(back.bits, v.bits);
    assert_int_equal(back.im, v.im);
    wadi_text_fini(&t);
}

static bool is_nan(wadi_type t, uint64_t bits) {
    return t == WADI_F32   ? (bits & 0x7fffffff) > 0x7f800000
           : t == WADI_F64 ? bits << 1 > UINT64_C(0xffe0000000000000)
                           : false;
}

static wadi_scalar literal(const char *s, const wadi_type *want) {
    wadi_scalar v = {WADI_BOOL, 9};
    const char *why = "";
    if (!wadi_literal_read(s, strlen(s), want, &v, &why)) fail_msg("%s: %s", s, why);
    return v;
}

static void complex_literals_have_two_parts(void **state) {
    (void)state;
    const wadi_type c64 = WADI_C64;
    const uint64_t inf = UINT64_C(0x7ff0000000000000), nan = UINT64_C(0x7ff8000000000000);
    const struct {
        const char *text;
        const wadi_type *want;
        wadi_scalar v;
    } cases[] = {
        {"1.5-2.0i", NULL, {WADI_C128, UINT64_C(0x3ff8000000000000), UINT64_C(0xc000000000000000)}},
        {"1.5-2.0ic64", NULL, {WADI_C64, 0x3fc00000, 0xc0000000}},
        {"-1-2i", &c64, {WADI_C64, 0xbf800000, 0xc0000000}},
        {"1e-1+1e+1ic64", NULL, {WADI_C64, 0x3dcccccd, 0x41200000}},
        {"-0.0-0.0i", NULL, {WADI_C128, UINT64_C(1) << 63, UINT64_C(1) << 63}},
        {"-2i", &c64, {WADI_C64, 0, 0xc0000000}},
        {"2", &c64, {WADI_C64, 0x40000000, 0}},
        {"2.5c64", NULL, {WADI_C64, 0x40200000, 0}},
        {"-inf+nani", NULL, {WADI_C128, inf | UINT64_C(1) << 63, nan}},
        {"nan-infi", NULL, {WADI_C128, nan, inf | UINT64_C(1) << 63}},
        {"inf+infic64", NULL, {WADI_C64, 0x7f800000, 0x7f800000}},
        {"0x1c64", NULL, {WADI_I64, 0x1c64, 0}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const wadi_scalar v = literal(cases[i].text, cases[i].want);
        if (!wadi_scalar_same(v, cases[i].v))
            fail_msg("%s: %s %llx %llx", cases[i].text, wadi_type_name(v.type),
                     (unsigned long long)v.bits, (unsigned long long)v.im);
        if (v.type == WADI_C64 || v.type == WADI_C128) check_literal(v);
    }
}

static void literals_read_back_bit_for_bit(void **state) {
    (void)state;
    uint64_t x = 1;
    for (int i = 0; i < 3000; i++) {
        x = x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        const uint64_t bits = x ^ x >> 33;
        for (int t = 0; t < WADI_TYPE_COUNT; t++) {
            const wadi_type type = (wadi_type)t, part = wadi_type_part(type);
            wadi_scalar v = {type, wadi_scalar_wrap(type, bits)};
            if (part != type) v.im = wadi_scalar_wrap(type, bits * 5 + 3);
            if (!is_nan(part, v.bits) && !is_nan(part, v.im)) check_literal(v);
        }
    }
}

/* The first number of digits from 1 on that reads back; what is printed has no more, and their values are the same. */
static void check_fewest_digits(wadi_type t, uint64_t bits) {
    const wadi_scalar v = {t, wadi_scalar_wrap(t, bits)};
    double x;
    float f;
    memcpy(&x, &v.bits, sizeof x);
    const uint32_t low = (uint32_t)v.bits;
    memcpy(&f, &low, sizeof f);
    if (t == WADI_F32) x = (double)f;
    if (!isfinite(x)) return;
    char fewest[64];
    int digits = 0;
    bool same = false;
    do {
        snprintf(fewest, sizeof fewest, "%.*g", ++digits, x);
        same = t == WADI_F32 ? strtof(fewest, NULL) == f : strtod(fewest, NULL) == x;
    } while (!same);
    if (strchr(fewest, 'e') && fabs(x) < 1e6 && x == trunc(x))
        snprintf(fewest, sizeof fewest, "%.0f", x);
    if (!strpbrk(fewest, ".e")) strcat(fewest, ".0");
    wadi_text text = {0};
    wadi_literal_print(v, true, &text);
    assert_string_equal(wadi_text_str(&text), fewest);
    wadi_text_fini(&text);
}

static void literals_have_the_fewest_digits(void **state) {
    (void)state;
    static const double picked[] = {0.0,
                                    -0.0,
                                    5e-324,
                                    1e-310,
                                    2.5e-320,
                                    1e6,
                                    999999.0,
                                    1e15,
                                    1e16,
                                    1e17,
                                    0.1,
                                    0.3,
                                    123.0,
                                    9007199254740993.0,
                                    1e22,
                                    1e23,
                                    5e-5,
                                    1e-4,
                                    100.0,
                                    120.0,
                                    2.2250738585072014e-308,
                                    1e308,
                                    1e-45,
                                    1.1754943508222875e-38};
    for (size_t i = 0; i < sizeof picked / sizeof *picked; i++) {
        uint64_t bits;
        uint32_t low;
        const float f = (float)picked[i];
        memcpy(&bits, &picked[i], sizeof bits);
        memcpy(&low, &f, sizeof low);
        check_fewest_digits(WADI_F64, bits);
        check_fewest_digits(WADI_F32, low);
    }
    uint64_t x = 7;
    for (int i = 0; i < 3000; i++) {
        x = x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        const uint64_t bits = x ^ x >> 33;
        const int64_t few = (int64_t)(bits % 100000);
        const double decimal = (double)few / 1000.0;
        uint64_t short_bits;
        memcpy(&short_bits, &decimal, sizeof short_bits);
        check_fewest_digits(WADI_F64, bits);
        check_fewest_digits(WADI_F64, bits >> 12); /* not normal */
        check_fewest_digits(WADI_F64, short_bits);
        check_fewest_digits(WADI_F32, bits);
        check_fewest_digits(WADI_F32, bits & 0x007fffff);
    }
}

static void literals_out_of_range_are_refused(void **state) {
    (void)state;
    static const char *const bad[] = {"256u8",
                                      "-1u8",
                                      "128i8",
                                      "-129i8",
                                      "18446744073709551616u64",
                                      "9223372036854775808",
                                      "-",
                                      "1x",
                                      "1.5i32",
                                      "0x",
                                      "1e5i64",
                                      "--1",
                                      "1.2.3",
                                      "0xgg",
                                      "1f16",
                                      "e5",
                                      "i",
                                      "1+i",
                                      "1+2",
                                      "1+2ii",
                                      "1+2+3i",
                                      "1+2if64",
                                      "inf",
                                      "1+infinityi",
                                      "1+2i32"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        wadi_scalar v;
        const char *why = NULL;
        assert_false(wadi_literal_read(bad[i], strlen(bad[i]), NULL, &v, &why));
        assert_non_null(why);
    }
}

/* ---- mistakes ---- */

typedef struct mistake {
    const char *text, *message;
} mistake;

/* Where an expression goes on a line may end. */
static void lines_may_end_anywhere_within_braces(void **state) {
    (void)state;
    wadi_module *one = parsed(
        "program p\ninput xs : f64[n]\np = unit { true }\n"
        "ys = map xs (x) { if gt x 0.0 { add x 1.0 } else { if lt x -1.0 { x } else { neg x } } }\n"
        "zs = acond p { yield xs } else { yield ys }\noutput zs\n",
        NULL);
    wadi_module *many = parsed("program p\n\ninput xs : f64[n]\np = unit {\n true\n}\n"
                               "ys = map xs (x) {\n if gt x 0.0 {\n add x 1.0\n }\n\n else {\n"
                               "if lt x -1.0 {\n x\n }\n else {\n neg x\n }\n }\n}\n"
                               "zs = acond p {\n yield xs\n} else {\n\n yield ys\n}\n\noutput zs\n",
                               NULL);
    char *a = printed(one, false), *b = printed(many, false);
    assert_string_equal(a, b);
    free(a);
    free(b);
    wadi_module_destroy(one);
    wadi_module_destroy(many);
}

/* A body may compute what nobody wants, also from its result. */
static void unused_scalars_survive_the_round_trip(void **state) {
    (void)state;
    check_round_trip("program p\ninput xs : f64[n]\nys = map xs (x) {\n t = add x 1.0\n u = neg t\n"
                     " v = mul t t\n t\n}\nzs = map xs (x) {\n a, b = if gt x 0.0 {\n x, neg x\n } "
                     "else {\n neg x, x\n }\n c = add a b\n sub a b\n}\noutput ys\noutput zs\n",
                     NULL, false);
}

static void mistakes_are_told_with_line_and_column(void **state) {
    (void)state;
    static const mistake mistakes[] = {
        {"", "line 1, column 1: expected 'program' and its name in the first line, found the end "
             "of the text"},
        {"program p\ninput xs : f33[n]\n", "line 2, column 12: expected a scalar type such as f32 "
                                           "(did you mean 'f32'?), found 'f33'"},
        {"program p\nys = map xs (x) { x }\n",
         "line 2, column 10: expected the name of a value in scope, found 'xs'"},
        {"program p\ninput xs : f32[n]\nys = blur xs\n",
         "line 3, column 6: expected an operator, found 'blur'"},
        {"program p\ninput xs : f32[n]\ninput xs : f32[n]\n",
         "line 3, column 7: this name is already in use, found 'xs'"},
        {"program p\ninput xs : f32[n]\noutput xs\nys = map xs (x) { neg x }\noutput ys as xs\n",
         "line 5, column 8: there are two outputs named \"xs\", found 'ys'"},
        {"program p\ninput xs : f32[n]\nys = map xs (x) { a: x, b: x, a: x }\n",
         "line 3, column 31: two fields have this name, found 'a'"},
        {"program p\ninput xs : {a: f32, a: i64}[n]\n",
         "line 2, column 21: two fields have this name, found 'a'"},
        {"program p\na = input \"x\" : f32\nb = input \"x\" : i64\n",
         "input: there are two inputs named \"x\""},
        {"program p\nstream_in s : seq(f32)\nstream_out \"t\" s\nstream_out \"t\" s\n",
         "stream_out: there are two sinks named \"t\""},
        {"program p\nstream_in s : seq(f32)\nstream_out \"t\" s\nstream_out_unordered \"t\" s\n",
         "stream_out_unordered: there are two sinks named \"t\""},
        {"program p\nstream_in s : seq(f32)\nstream_out \"u\" s\nstream_out_unordered \"t\" s\n",
         "stream_out: needs the elements in order, and stream_out_unordered \"t\" (f.wadi, line 4) "
         "lets them go in any"},
        {"program p\nstream_in s : seq(f32[n])\nstream_out_unordered \"t\" s\n"
         "k = map_seq s (a) { yield a }\nf = filter_seq k (a) {\n    p = unit { gt (extent a 0) 1 "
         "}\n    yield p\n}\nr = expand_seq f (a) { yield a }\ne = elements r\noutput e\n",
         "elements: needs the elements in order, and stream_out_unordered \"t\" (f.wadi, line 3) "
         "lets them go in any"},
        {"program p\nstream_in s : seq(f32)\nstream_in u : seq(f32)\n"
         "z = map_seq u s (a, b) { yield a, b }\nstream_out_unordered \"t\" s\nstream_out \"z\" "
         "z\n",
         "map_seq: needs the elements in order, and stream_out_unordered \"t\" (f.wadi, line 5) "
         "lets them go in any"},
        {"program p\nstream_in s : seq(f32)\nstream_out_unordered \"t\" s\nw = take_seq s 2\n"
         "stream_out_unordered \"w\" w\n",
         "take_seq: needs the elements in order, and stream_out_unordered \"t\" (f.wadi, line 3) "
         "lets them go in any"},
        {"program p\nstream_in s : seq(f32[n])\nstream_out_unordered \"t\" s\nw = windows last=0 "
         "s 2 1\nstream_out_unordered \"w\" w\n",
         "windows: needs the elements in order, and stream_out_unordered \"t\" (f.wadi, line 3) "
         "lets them go in any"},
        {"program p\nstream_in s : seq(f32)\nstream_out_unordered \"t\" s\nw = scan_seq s 0.0f32 "
         "(a, x) { yield x }\nstream_out_unordered \"w\" w\n",
         "scan_seq: needs the elements in order, and stream_out_unordered \"t\" (f.wadi, line 3) "
         "lets them go in any"},
        {"program p\ninput xs : f32[n]\nys = map xs (x) { add x 1 }\n",
         "line 3, column 19: this operation does not take f32, i64 (1.0f32 is a literal of type "
         "f32), found 'add'"},
        {"program p\ninput xs : f32[n]\nys = map xs (x) { fma x x 1.0 }\n",
         "line 3, column 19: this operation does not take f32, f32, f64 (1.0f32 is a literal of "
         "type f32), found 'fma'"},
        {"program p\ninput xs : f32[n]\nys = compute dim=0 xs\n",
         "line 3, column 14: compute has no further attribute, found 'dim'"},
        {"program p\ninput xs : f32[n]\nys = map xs (x, y) { x }\n",
         "line 3, column 17: expected 1 parameter (f32), found 'y'"},
        {"program p\ninput xs : f32[n]\nys = map xs (x) { x } : i32[?]\n",
         "line 3, column 25: result 1 of map is f32[?], not this, found 'i32'"},
        {"program p\ninput xs : f32[n]\na, b = map xs (x) { x }\n",
         "line 3, column 8: map gives 1 result: expected 1 name before '=', not 2"},
        {"program p\ninput xs : f32[n]\nys = map xs (x) { x\n",
         "line 4, column 1: expected '}' for the '{' in line 3, column 17, found the end of the "
         "text"},
        {"program p\ninput xs : f32[n]\nys = drop di=0 xs 1\n",
         "line 3, column 11: expected the attribute 'dim' of drop, found 'di'"},
        {"program p\ninput xs : f32[n]\nys = drop dimm=0 xs 1\n",
         "line 3, column 11: expected the attribute 'dim' of drop, found 'dimm'"},
        {"program p\ninput xs : f32[n]\nys = drop Dim=0 xs 1\n",
         "line 3, column 11: expected the attribute 'dim' of drop, found 'Dim'"},
        {"program p\ninput xs : f32[n]\nys = drop dim=0 dim=0 xs 1\n",
         "line 3, column 17: drop has no further attribute, found 'dim'"},
        {"program p\ninput xs : f32[n] $\n", "line 2, column 19: stray character '$' (0x24)"},
        {"program \"p\n", "line 1, column 9: this string has no end"},
        {"program p\nks = use : f32[2] [1, 2, 3]\n",
         "line 2, column 19: expected a list of 2 numbers, found '['"},
        {"program p\nks = use : u8[1] [256]\n",
         "line 2, column 19: expected a literal of type u8: out of range of its type, found '256'"},
    };
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        wadi_module *m = NULL;
        wadi_error err = {0};
        if (wadi_ir_parse(mistakes[i].text, "f.wadi", wadi_operators(), &m, &err) == WADI_OK)
            fail_msg("%s", mistakes[i].text);
        assert_null(m);
        assert_string_equal(err.msg, mistakes[i].message);
        assert_string_equal(err.at.file, "f.wadi");
    }
}

#define START "program p\ninput xs : f64[n]\ninput p : f64\nstream_in s : seq(f64)\n"

/* What somebody writes who knows other languages: the message says what is written instead. */
static void usual_mistakes_are_told_with_what_to_write(void **state) {
    (void)state;
    static const mistake mistakes[] = {
        {START "y = sum xs\n", "a sum is fold z a (x, y) { add x y }"},
        {START "y = search xs xs\n", "lower_bound sorted needles"},
        {START "y = topk xs 2\n", "largest a k"},
        {START "y = random 1 2\n", "random_f64 seed i"},
        {START "y = random_f64 1 2\n", "it takes scalars"},
        {START "y = map xs (x) { sort xs }\n", "it takes arrays"},
        {START "y = stencil dims=1 edge=01 near=1,0 xs (x) { x }\n", "does not begin with 0"},
        {START "y = stencil dims=1 edge=1 near=1,-01 xs (x) { x }\n", "does not begin with 0"},
        {START "y = filter xs (x) { gt x 0.0 }\n", "a filter is compact n a (x) { keep }"},
        {START "y = neg xs\n", "map a (x) { neg x }"},
        {START "y = max xs\n", "zip_with a b (x, y) { max x y }"},
        {START "y = xs\n", "it is a value"},
        {START "y = map xs (x) { mul x p }\n", "the p"},
        {START "y = map xs (x) { mul x xs }\n", "xs ! i"},
        {START "y = map xs (x) { mul x s }\n", "it is a sequence"},
        {START "y = unit { n }\n", "(extent xs 0)"},
        {START "y = take dim=0 xs n\n", "unit { extent xs 0 }"},
        {START "y = map xs (x) { add x 1 }\n", "1.0 is a literal"},
        {START "y = map xs (x) { fdiv 1 x }\n", "1.0 is a literal"},
        {START "y = map xs (x) { x + 1.0 }\n", "add x y"},
        {START "y = map xs (x) { if x <= 1.0 { x } else { x } }\n", "le x y"},
        {START "y = map xs (x) { x } // all\n", "a comment begins with #"},
        {START "y = map (x) { x } xs\n", "it is written map a (x) { .. }"},
        {START "y = fold xs 0.0\n", "it is written fold z a (x, y) { .. }"},
        {START "y = transpose xs\n", "it is written transpose perm=1,0.. a"},
        {START "y = take 2 xs\n", "it is written take dim=0 a n"},
        {START "y = fold_seq s 0.0 (a, b) { add a b }\n", "and then 'yield r'"},
        {START "y = stencil dims=1 edge=9 near=1,0 xs (x) { x }\n",
         "line 5, column 20: stencil: edge: expected a digit"},
        {START "y = stencil dims=1 edge=1 near=600,0 xs (x) { x }\n", "at most 512 places"},
        {START "output s\n", "stream_out \"s\" s delivers it"},
    };
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        wadi_module *m = NULL;
        wadi_error err = {0};
        if (wadi_ir_parse(mistakes[i].text, NULL, wadi_operators(), &m, &err) == WADI_OK ||
            !strstr(err.msg, mistakes[i].message))
            fail_msg("%s%s", mistakes[i].text, err.msg);
    }
}

/* Quotes, backslashes and ends of lines in a name. */
static void names_in_quotes_say_what_they_mean(void **state) {
    (void)state;
    static const char text[] = "program \"a\\nb \\\"c\\\" \\\\d\\n\"\ninput xs : f32[n]\n"
                               "output xs as \"\\\\n \\\"\"\n";
    wadi_module *m = parsed(text, NULL);
    assert_string_equal(m->name, "a\nb \"c\" \\d\n");
    assert_string_equal(m->outputs[0], "\\n \"");
    wadi_module_destroy(m);
    check_round_trip(text, NULL, false);
}

/* A list that follows the type of a scalar must not be read as its extents. */
static void data_of_rank_0_survives_the_round_trip(void **state) {
    (void)state;
    static const char text[] = "program p\n\na = use : f32[] [1.5]\n"
                               "b = use : {x: i64, y: u8}[] [1] [2]\noutput a\noutput b\n";
    wadi_module *m = parsed(text, NULL);
    assert_int_equal(m->main->binds[0]->data->rank, 0);
    char *again = printed(m, false);
    assert_string_equal(again, text);
    free(again);
    wadi_module_destroy(m);
}

/* Files of other systems. */
static void lines_may_end_with_a_return(void **state) {
    (void)state;
    wadi_module *m = parsed("program p\r\ninput xs : f32\r\noutput xs\r\n", "f");
    assert_int_equal(m->main->nyields, 1);
    assert_int_equal(m->main->binds[0]->loc.line, 2);
    wadi_module_destroy(m);
}

/* So do some editors begin a text; a second mark is a stray character. */
static void a_byte_order_mark_may_come_first(void **state) {
    (void)state;
    wadi_module *m = parsed("\xef\xbb\xbfprogram p\ninput xs : f32\noutput xs\n", "f");
    assert_int_equal(m->main->binds[0]->loc.line, 2);
    wadi_module_destroy(m);
    wadi_error err = {0};
    assert_int_equal(
        wadi_ir_parse("\xef\xbb\xbf\xef\xbb\xbfprogram p\n", "f", wadi_operators(), &m, &err),
        WADI_INVALID);
    assert_non_null(strstr(err.msg, "line 1, column 1: stray character"));
    assert_int_equal(wadi_ir_parse("program \xf6", "f", wadi_operators(), &m, &err), WADI_INVALID);
    assert_non_null(strstr(err.msg, "line 1, column 9: stray byte 0xf6"));
}

/* Extents that are written behind a binding are declared for every component of it. */
static void annotations_are_of_every_component(void **state) {
    (void)state;
    static const char text[] = "program p\ns = stream_in \"s\" : seq(i64[?], f32[?, ?], f64)\n"
                               "t = map_seq s (a, b, c) {\n    yield a, b, c\n} "
                               ": seq(i64[2], f32[?, 3], f64)\nstream_out \"o\" t\n";
    wadi_module *m = parsed(text, NULL);
    const wadi_array_type *t = m->values[m->main->binds[1]->results[0]].type.array;
    assert_int_equal(t[0].extent[0].kind, WADI_EXTENT_CONST);
    assert_int_equal(t[0].extent[0].value, 2);
    assert_non_null(t[1].extent);
    assert_int_equal(t[1].extent[0].kind, WADI_EXTENT_ANY);
    assert_int_equal(t[1].extent[1].value, 3);
    wadi_module_destroy(m);
    check_round_trip(text, NULL, false);
}

static void an_error_need_not_be_wanted(void **state) {
    (void)state;
    wadi_module *m = NULL;
    assert_int_equal(wadi_ir_parse("programme", NULL, wadi_operators(), &m, NULL), WADI_INVALID);
}

static void deep_nesting_is_refused(void **state) {
    (void)state;
    wadi_text t;
    wadi_text_init(&t);
    wadi_text_add(&t, "program deep\ninput x : f32\ny = map x (a) { ");
    for (int i = 0; i < 100000; i++) wadi_text_add(&t, "neg (");
    wadi_module *m = NULL;
    wadi_error err = {0};
    assert_int_equal(wadi_ir_parse(wadi_text_str(&t), NULL, wadi_operators(), &m, &err),
                     WADI_INVALID);
    assert_non_null(strstr(err.msg, "nested more than"));
    wadi_text_fini(&t);
}

/* Numbers that are too many or too large are told; none of them is believed before it is checked. */
static void lengths_are_not_believed(void **state) {
    (void)state;
    wadi_text longer, attributes;
    wadi_text_init(&longer);
    wadi_text_init(&attributes);
    wadi_text_add(&longer, "program p\nks = use : f64[2] [1");
    for (int i = 0; i < 200000; i++) wadi_text_add(&longer, ",2");
    wadi_text_add(&longer, "]\noutput ks\n");
    wadi_text_add(&attributes, "program p\ninput x : f64[n]\ny = transpose perm=0");
    for (int i = 0; i < 2048; i++) wadi_text_add(&attributes, ",1");
    wadi_text_add(&attributes, " x\n");
    const mistake mistakes[] = {
        {"program p\nks = use : f64[4294967296, 4294967296] []\noutput ks\n", "as many values"},
        {"program p\nks = use : f64[9223372036854775807, 2] [1]\noutput ks\n", "as many values"},
        {"program p\nks = use : f64[3, 6148914691236517206] [1, 2]\noutput ks\n", "as many values"},
        {wadi_text_str(&longer), "expected a list of 2 numbers"},
        {wadi_text_str(&attributes), "more than 2048 numbers"},
    };
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        wadi_module *m = NULL;
        wadi_error err = {0};
        assert_int_not_equal(wadi_ir_parse(mistakes[i].text, NULL, wadi_operators(), &m, &err),
                             WADI_OK);
        assert_null(m);
        if (!strstr(err.msg, mistakes[i].message)) fail_msg("%zu: %s", i, err.msg);
    }
    wadi_text_fini(&longer);
    wadi_text_fini(&attributes);
}

/* Nothing has as many elements as nothing, in whichever order its extents stand. */
static void no_elements_have_any_other_extents(void **state) {
    (void)state;
    check_round_trip("program p\na = use : i64[1000000, 0] []\nb = use : i64[0, 1000000] []\n"
                     "c = use : f32[9223372036854775807, 4, 0] []\noutput a\noutput b\noutput c\n",
                     NULL, false);
}

static void regions_in_a_row_are_not_nested(void **state) {
    (void)state;
    wadi_text t;
    wadi_text_init(&t);
    wadi_text_add(&t, "program rows\ninput a : f64[n]\n");
    for (int i = 0; i < 101; i++)
        wadi_text_addf(&t, "b%d = acond true { yield a } else { yield a }\noutput b%d\n", i, i);
    wadi_module_destroy(parsed(wadi_text_str(&t), NULL));
    wadi_text_fini(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(printing_what_was_read_gives_the_same_text),
        cmocka_unit_test(places_survive_the_round_trip),
        cmocka_unit_test(bindings_remember_their_line),
        cmocka_unit_test(copies_print_the_same),
        cmocka_unit_test(a_program_prints_as_people_write_it),
        cmocka_unit_test(bodies_take_a_line_per_shared_expression),
        cmocka_unit_test(literals_read_back_bit_for_bit),
        cmocka_unit_test(complex_literals_have_two_parts),
        cmocka_unit_test(literals_have_the_fewest_digits),
        cmocka_unit_test(literals_out_of_range_are_refused),
        cmocka_unit_test(lines_may_end_anywhere_within_braces),
        cmocka_unit_test(unused_scalars_survive_the_round_trip),
        cmocka_unit_test(mistakes_are_told_with_line_and_column),
        cmocka_unit_test(usual_mistakes_are_told_with_what_to_write),
        cmocka_unit_test(names_in_quotes_say_what_they_mean),
        cmocka_unit_test(data_of_rank_0_survives_the_round_trip),
        cmocka_unit_test(lines_may_end_with_a_return),
        cmocka_unit_test(a_byte_order_mark_may_come_first),
        cmocka_unit_test(annotations_are_of_every_component),
        cmocka_unit_test(an_error_need_not_be_wanted),
        cmocka_unit_test(lengths_are_not_believed),
        cmocka_unit_test(no_elements_have_any_other_extents),
        cmocka_unit_test(regions_in_a_row_are_not_nested),
        cmocka_unit_test(deep_nesting_is_refused),
    };
    spoil_memory();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
