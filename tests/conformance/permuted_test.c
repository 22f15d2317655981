/* Permutes of a long vector into places of as many, whose last element is kept: all places are reached, or some elements meet in one, among the first or near the
 * end; and what faults is told as the interpreter tells it. There are 140,000 elements, which workers share (codegen/kernel/flat/permute_full.c). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/conformance/runner.h"

enum { N = 140000 };

/* Two devices share each launch: they have one memory, or one each. */
static const conf_parts joined = {.n = 2}, apart = {.n = 2, .apart = true};

static const conf_variant variants[] = {
    {.schedule = WADI_SCHEDULE_FORCE_FLAT, .threads = 1},
    {.schedule = WADI_SCHEDULE_FORCE_FLAT, .threads = 2},
    {.schedule = WADI_SCHEDULE_FORCE_FLAT, .threads = 5, .device = "cpu"},
    {.schedule = WADI_SCHEDULE_FORCE_FLAT, .threads = 2, .parts = &joined},
    {.schedule = WADI_SCHEDULE_FORCE_FLAT, .threads = 2, .device = "null", .parts = &apart},
    {.schedule = WADI_SCHEDULE_FORCE_INSIDE, .threads = 2, .device = "cpu"}};

static bool agrees(const conf_case *c, const wadi_exe *exe, const conf_variant *v, wadi_text *why) {
    int64_t delivered = 0;
    wadi_error err = {0};
    if (c->want) return conf_run(c, exe, v, why);
    if (conf_go(c, exe, v, &delivered, &err) == WADI_FAULT) return conf_told_alike(c, &err, why);
    wadi_text_addf(why, "%s, the interpreter: %s", err.msg, c->fault.msg);
    return false;
}

/* Compares the program with the interpreter, which gives a fault or none; x is 1, 1/2, 1/3, .. */
static void check(const char *text, bool faults) {
    conf_case c;
    wadi_text why;
    wadi_text_init(&why);
    double *data = malloc(N * sizeof *data);
    assert_non_null(data);
    for (int64_t i = 0; i < N; i++) data[i] = 1.0 / (double)(i + 1);
    const wadi_interp_input x = {"x", conf_vector(WADI_F64, N, data)};
    const wadi_interp_io io = {&x, 1, NULL, 0};
    bool same = conf_case_text(&c, text, &io, &why) && (c.want == NULL) == faults;
    if (!same) wadi_text_addf(&why, "the interpreter: %s", c.want ? "no fault" : c.fault.msg);
    wadi_exe *exe = same ? conf_compile(&c, NULL, &why) : NULL;
    same = exe != NULL;
    for (size_t i = 0; same && i < sizeof variants / sizeof *variants; i++) {
        same = agrees(&c, exe, &variants[i], &why);
        if (!same) conf_variant_print(&variants[i], &why);
    }
    if (!same) print_error("%s\n%s\n", wadi_text_str(&why), text);
    wadi_exe_destroy(exe);
    conf_case_fini(&c);
    wadi_text_fini(&why);
    free(data);
    assert_true(same);
}

/* Element i goes to the place that the statements leave in `to`. */
#define SENT(to)                                                                        \
    "program permuted\ninput x : f64[n]\nm = unit { extent x 0 }\n"                     \
    "none = generate m (i) { -1.0 }\n"                                                  \
    "p = permute none x (new, old) { new } (i) {\n    k = mod (mul i 7919) 140000\n" to \
    "    true, to\n}\n"                                                                 \
    "output p\n"

static void all_places_are_reached(void **state) {
    (void)state;
    check(SENT("    to = add k 0\n"), false);
}

static void elements_meet_at_once(void **state) {
    (void)state;
    check(SENT("    to = quot k 2\n"), false);
}

static void elements_meet_late(void **state) {
    (void)state;
    check(SENT("    to = if eq i 139999 { 0 } else { k }\n"), false);
    check(SENT("    to = if lt i 130000 { k } else { rem k 500 }\n"), false);
    /* none of the first parts, and the last of those that meet is far in front */
    check(SENT("    to = if eq i 70000 { 139999 } else { i }\n"), false);
}

static void the_first_fault_is_told(void **state) {
    (void)state;
    check(SENT("    to = if eq i 139990 { 140000 } else { k }\n"), true);
    check(SENT("    to = if gt i 90000 { neg i } else { k }\n"), true);
    check(SENT("    to = if eq i 3 { -1 } else { k }\n"), true);
    check(SENT("    to = if gt i 120000 { quot k (sub i i) } else { quot k 2 }\n"), true);
}

static void some_are_dropped(void **state) {
    (void)state;
    check("program dropped\ninput x : f64[n]\nm = unit { extent x 0 }\n"
          "none = generate m (i) { -1.0 }\n"
          "p = permute none x (new, old) { new } (i) {\n"
          "    ne (rem i 5) 3, sub 139999 i\n}\noutput p\n",
          false);
}

static void records_and_bytes_move(void **state) {
    (void)state;
    check("program records\ninput x : f64[n]\nm = unit { extent x 0 }\n"
          "r = generate m (i) { a: convert i32 i, b: mul (x ! i) 0.5 }\n"
          "s = map r (a, b) { a: a, b: neg b }\n"
          "p = permute r s x (a, b, c, d) { a: a, b: b } (i, z) {\n"
          "    true, mod (mul i 77773) 140000\n}\n"
          "t = map r (a, b) { convert u8 a }\n"
          "q = permute t t r (new, old) { new } (i, a, b) {\n"
          "    true, sub 139999 (convert i64 a)\n}\noutput p\noutput q\n",
          false);
}

/* Rounds of one bit, as in a radix sort: what a round makes is what the next one reads. */
static void rounds_sort(void **state) {
    (void)state;
    check("program rounds\ninput x : f64[n]\nm = unit { extent x 0 }\n"
          "keys = generate m (i) { mod (mul i 48271) 256 }\n"
          "sorted, s = awhile keys 0 (a, s) {\n    more = unit { lt (the s) 8 }\n    yield more\n} "
          "do (a, s) {\n"
          "    ones = map a (k) { and (shr k (convert i32 (the s))) 1 }\n"
          "    before = scanl 0 ones (u, v) { add u v }\n"
          "    zeros = unit { sub (extent x 0) (before ! 140000) }\n"
          "    b = permute a a ones (new, old) { new } (i, o) {\n"
          "        true, if eq o 1 { add (the zeros) (before ! i) } else { sub i (before ! i) "
          "}\n    }\n"
          "    next = unit { add (the s) 1 }\n    yield b, next\n}\noutput sorted\n",
          false);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_places_are_reached),
        cmocka_unit_test(elements_meet_at_once),
        cmocka_unit_test(elements_meet_late),
        cmocka_unit_test(the_first_fault_is_told),
        cmocka_unit_test(some_are_dropped),
        cmocka_unit_test(records_and_bytes_move),
        cmocka_unit_test(rounds_sort),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
