/* Simplification of scalar functions, for every type. Two conversions become one exactly if the type in between has every number of
 * the first type. Operations with a constant, or with equal arguments, keep their meaning for all numbers of 8 bits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "tests/codegen/programs.h"
#include "tests/graph/module_copy.h"

/* The numbers a type holds: from -2^below, or 0, to 2^above - 1. */
typedef struct number_type {
    const char *name;
    int below, above;
    const char *edges;
} number_type;

static const number_type types[] = {
    {"i8", 7, 7, "-128, -127, -1, 0, 1, 126, 127"},
    {"i16", 15, 15, "-32768, -129, -128, -1, 0, 127, 128, 255, 256, 32767"},
    {"i32", 31, 31, "-2147483648, -32769, -1, 0, 128, 32768, 65535, 65536, 2147483647"},
    {"i64", 63, 63, "-9223372036854775808, -2147483649, -1, 0, 255, 2147483648, 4294967295"},
    {"u8", -1, 8, "0, 1, 127, 128, 254, 255"},
    {"u16", -1, 16, "0, 127, 128, 255, 256, 32767, 32768, 65535"},
    {"u32", -1, 32, "0, 128, 32768, 65536, 2147483647, 2147483648, 4294967295"},
    {"u64", -1, 64, "0, 128, 4294967296, 9223372036854775807, 18446744073709551615"},
    {"f32", 0, 0, "-1.5, 0.0, 1.0, 16777216.0"},
    {"f64", 0, 0, "-1.5, 0.0, 1.0, 16777217.0"},
};

enum { TYPES = sizeof types / sizeof *types };

static bool is_float(const number_type *t) {
    return t->above == 0;
}

static bool holds(const number_type *t, const number_type *other) {
    return !is_float(t) && !is_float(other) && other->below <= t->below && other->above <= t->above;
}

static int expected(const number_type *a, const number_type *b, const number_type *c) {
    if (a == b || b == c || holds(b, a)) return a != c;
    return 2;
}

static void simplify(wadi_module *m) {
    wadi_error err = {.status = WADI_OK};
    if (wadi_pipeline_pass(m, "simplify", NULL, &err) != WADI_OK) fail_msg("%s", err.msg);
    if (wadi_pipeline_pass(m, "dce", NULL, &err) != WADI_OK) fail_msg("%s", err.msg);
}

static int conversions_left(const char *text) {
    wadi_module *m = program(text);
    simplify(m);
    char *after = text_of(m);
    int n = 0;
    for (const char *at = after; (at = strstr(at, "convert ")) != NULL; at++) n++;
    free(after);
    wadi_module_destroy(m);
    return n;
}

static void two_conversions_are_one_where_nothing_is_lost_between(void **state) {
    (void)state;
    for (int a = 0; a < TYPES; a++)
        for (int b = 0; b < TYPES; b++)
            for (int c = 0; c < TYPES; c++) {
                char text[256];
                snprintf(text, sizeof text,
                         "program p\ninput xs : %s[n]\n"
                         "y = map xs (x) { convert %s (convert %s x) }\noutput y\n",
                         types[a].name, types[c].name, types[b].name);
                const int n = conversions_left(text);
                if (n != expected(&types[a], &types[b], &types[c]))
                    fail_msg("%d conversions from %s by %s to %s", n, types[a].name, types[b].name,
                             types[c].name);
            }
}

static void same_meaning(const char *text) {
    wadi_module *m = program(text), *original = module_copy(m);
    simplify(m);
    assert_same_meaning(original, m);
    wadi_module_destroy(m);
    wadi_module_destroy(original);
}

static void numbers_at_the_edges_stay_what_they_were(void **state) {
    (void)state;
    for (int a = 0; a < TYPES; a++) {
        wadi_text t;
        wadi_text_init(&t);
        int n = 1;
        for (const char *c = types[a].edges; *c; c++) n += *c == ',';
        wadi_text_addf(&t, "program p\nxs = use : %s[%d] [%s]\n", types[a].name, n, types[a].edges);
        for (int b = 0; b < TYPES; b++)
            for (int c = 0; c < TYPES; c++) {
                wadi_text_addf(&t, "y%d_%d = map xs (x) { convert %s (convert %s x) }\n", b, c,
                               types[c].name, types[b].name);
                wadi_text_addf(&t, "output y%d_%d\n", b, c);
            }
        same_meaning(wadi_text_str(&t));
        wadi_text_fini(&t);
    }
}

/* ---- operations ---- */

static const char *const ops[] = {"add", "sub", "mul", "and", "or", "xor", "min",
                                  "max", "eq",  "ne",  "lt",  "le", "gt",  "ge"},
                         *const divisions[] = {"quot", "rem", "div", "mod"},
                         *const shifts[] = {"shl", "shr", "rotl", "rotr"},
                         *const twice[] = {"neg", "not", "abs", "signum"};

#define COUNT(list) (sizeof(list) / sizeof *(list))

static void add_case(wadi_text *t, int *n, const char *op, const char *x, const char *y) {
    wadi_text_addf(t, "y%d = map xs (x) { %s %s %s }\noutput y%d\n", *n, op, x, y, *n);
    ++*n;
}

static void operations_mean_what_they_meant(const char *type, int first,
                                            const char *const constants[4]) {
    wadi_text t;
    int n = 0;
    wadi_text_init(&t);
    wadi_text_addf(&t, "program p\nxs = use : %s[256] [", type);
    for (int x = 0; x < 256; x++) wadi_text_addf(&t, "%s%d", x ? ", " : "", first + x);
    wadi_text_add(&t, "]\n");
    for (int k = 0; k < 4; k++) {
        for (size_t i = 0; i < COUNT(ops); i++) {
            add_case(&t, &n, ops[i], "x", constants[k]);
            add_case(&t, &n, ops[i], constants[k], "x");
            add_case(&t, &n, ops[i], constants[k], constants[3 - k]);
        }
        for (size_t i = 0; k > 0 && i < COUNT(divisions); i++) {
            add_case(&t, &n, divisions[i], "x", constants[k]);
            add_case(&t, &n, divisions[i], constants[3], constants[k]);
        }
        for (size_t i = 0; i < COUNT(shifts); i++) {
            static const char *const distance[] = {"0i32", "1i32", "-1i32", "8i32"};
            add_case(&t, &n, shifts[i], "x", distance[k]);
            add_case(&t, &n, shifts[i], constants[k], "1i32");
        }
    }
    for (size_t i = 0; i < COUNT(ops); i++) add_case(&t, &n, ops[i], "x", "x");
    for (size_t i = 0; i < COUNT(twice); i++)
        for (size_t k = 0; k < COUNT(twice); k++) {
            char inner[32];
            snprintf(inner, sizeof inner, "(%s x)", twice[k]);
            add_case(&t, &n, twice[i], inner, "");
        }
    same_meaning(wadi_text_str(&t));
    wadi_text_fini(&t);
}

/* Nothing, one, all bits, and another number; no division by the first of them. */
static void all_numbers_of_8_bits_stay_what_they_were(void **state) {
    (void)state;
    static const char *const of_signed[4] = {"0i8", "1i8", "-1i8", "5i8"}, *const of_unsigned[4] = {
                                                                               "0u8", "1u8",
                                                                               "255u8", "5u8"};
    operations_mean_what_they_meant("i8", -128, of_signed);
    operations_mean_what_they_meant("u8", 0, of_unsigned);
}

/* What leaves x as it is, and what makes the same of every x, on the sides where it does: operation, constant, left as well. */
static const struct {
    const char *type, *op, *constant;
    bool either;
} neutral[] = {{"i64", "add", "0", true},
               {"i64", "sub", "0", false},
               {"u8", "mul", "1u8", true},
               {"i8", "quot", "1i8", false},
               {"i64", "div", "1", false},
               {"i16", "and", "-1i16", true},
               {"u32", "and", "4294967295u32", true},
               {"u64", "or", "0u64", true},
               {"i32", "xor", "0i32", true},
               {"i64", "shl", "0i32", false},
               {"u8", "shr", "0i32", false},
               {"i8", "rotl", "0i32", false},
               {"u16", "rotr", "0i32", false},
               {"bool", "land", "true", true},
               {"bool", "lor", "false", true}},
  absorbing[] = {{"i64", "mul", "0", true},       {"u8", "and", "0u8", true},
                 {"i8", "or", "-1i8", true},      {"u16", "or", "65535u16", true},
                 {"i64", "rem", "1", false},      {"u8", "mod", "1u8", false},
                 {"bool", "land", "false", true}, {"bool", "lor", "true", true}};

static char *simplified(const char *type, const char *op, const char *x, const char *y) {
    char text[256];
    snprintf(text, sizeof text,
             "program p\ninput xs : %s[n]\nys = map xs (x) { %s %s %s }\noutput ys\n", type, op, x,
             y);
    wadi_module *m = program(text);
    simplify(m);
    char *after = text_of(m);
    wadi_module_destroy(m);
    return after;
}

static void neutral_constants_leave_nothing_to_do(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(neutral); i++)
        for (int left = 0; left <= neutral[i].either; left++) {
            const char *c = neutral[i].constant;
            char *after =
                simplified(neutral[i].type, neutral[i].op, left ? c : "x", left ? "x" : c);
            if (!strstr(after, "output xs as ys")) fail_msg("%s", after);
            free(after);
        }
    for (size_t i = 0; i < COUNT(absorbing); i++)
        for (int left = 0; left <= absorbing[i].either; left++) {
            const char *c = absorbing[i].constant;
            char *after =
                simplified(absorbing[i].type, absorbing[i].op, left ? c : "x", left ? "x" : c);
            char operation[16];
            snprintf(operation, sizeof operation, "{ %s ", absorbing[i].op);
            if (strstr(after, operation) || strstr(after, " as ys")) fail_msg("%s", after);
            free(after);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_conversions_are_one_where_nothing_is_lost_between),
        cmocka_unit_test(numbers_at_the_edges_stay_what_they_were),
        cmocka_unit_test(all_numbers_of_8_bits_stay_what_they_were),
        cmocka_unit_test(neutral_constants_leave_nothing_to_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
