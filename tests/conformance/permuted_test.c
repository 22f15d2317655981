/* Permutes of a long vector of 140,000 elements, which workers share. Into places of as many, whose last element is kept (codegen/kernel/flat/permute_full.c):
 * all places are reached, or some elements meet in one, among the first or near the end. Into any places, near those of neighbours or not
 * (permute_near.c there). What faults is told as the interpreter tells it. */
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

/* Element i is combined with others at a place, if it is kept: sums, whose bits tell the order, and the least of numbers. */
#define NEAR(places, keep, to)                                                              \
    "program near\ninput x : f64[n]\nm = unit { " places " }\n"                             \
    "none = generate m (i) { convert f64 i }\n"                                             \
    "p = permute none x (new, old) { add old new } (i) { " keep ", " to " }\n"              \
    "most = generate m (i) { 2147483647 }\nown = map x (z) { convert i64 (mul z 1.0e9) }\n" \
    "q = permute most own (new, old) { min new old } (i) { " keep ", " to " }\n"            \
    "output p\noutput q\n"

static void neighbours_stay_near(void **state) {
    (void)state;
    check(NEAR("60000", "true", "add (shr i 2i32) (and i 7)"), false);
    check(NEAR("60000", "lt (and (mul i 7919) 15) 7", "add (shr i 2i32) (and i 7)"), false);
    check(NEAR("140000", "true", "sub 139999 (shr i 1i32)"), false);
    check(NEAR("140000", "eq (and i 4095) 4095", "shr (mul i 7) 3i32"), false);
}

static void neighbours_go_far(void **state) {
    (void)state;
    check(NEAR("60000", "true", "and (mul i 7919) 32767"), false);
    check(NEAR("60000", "lt (and (mul i 7919) 15) 7", "and (mul i 7919) 32767"), false);
    /* some parts only: one whose first elements tell, and ones whose others do */
    check(
        NEAR("65536", "true",
             "and (mul (shr i 2i32) (add 1 (mul 7918 (convert i64 (eq (shr i 12i32) 3))))) 65535"),
        false);
    check(NEAR("60000", "true",
               "add (shr i 2i32) (mul (sub 59999 (mul 2 (shr i 2i32))) "
               "(convert i64 (eq (and i 4095) 4000)))"),
          false);
    /* the first elements lie far apart, and others in front of them or behind */
    check(NEAR("60000", "true",
               "add (shr i 2i32) (mul (convert i64 (eq (shr i 12i32) 4)) "
               "(min 54000 (mul (and i 4095) 600)))"),
          false);
    check(NEAR("60000", "true",
               "max (shr i 7i32) (mul (sub 57800 (mul (and i 4095) 600)) "
               "(convert i64 (eq (shr i 12i32) 4)))"),
          false);
}

static void corners_of_near_ones(void **state) {
    (void)state;
    check(NEAR("60000", "false", "i"), false);
    check(NEAR("60000", "lt i 0", "sub i 1000000"), false);
    check(NEAR("60000", "eq i 139999", "sub i 139999"), false);
    check(NEAR("60000", "ne i 7", "59999"), false);
    check(NEAR("4096", "lt (and (mul i 7919) 15) 7", "shr i 6i32"), false);
    check(NEAR("1", "true", "shr i 18i32"), false);
    check(NEAR("70", "ge i 5", "shr i 11i32"), false);
}

static void lengths_about_the_least(void **state) {
    (void)state;
    for (int n = 32766; n < 32771; n++) {
        wadi_text t;
        wadi_text_init(&t);
        wadi_text_addf(&t,
                       "program edge\ninput x : f64[n]\nm = unit { %d }\nl = unit { %d }\n"
                       "none = generate m (i) { 0.5 }\ns = generate l (i) { x ! i }\n"
                       "p = permute none s (new, old) { add (mul old 0.5) new } (i) {\n"
                       "    ne (and i 3) 1, add (shr i 1i32) (and i 7)\n}\noutput p\n",
                       n, n);
        check(wadi_text_str(&t), false);
        wadi_text_fini(&t);
    }
}

static void near_faults_are_told(void **state) {
    (void)state;
    check(NEAR("60000", "true", "add (shr i 2i32) (mul 60000 (convert i64 (eq i 139998)))"), true);
    check(NEAR("60000", "ne i 5", "sub (shr i 2i32) (mul 33334 (convert i64 (eq i 100000)))"),
          true);
    check(NEAR("60000", "true", "mul (shr i 2i32) (sub 1 (mul 2 (convert i64 (eq i 110000))))"),
          true);
    check(NEAR("34999", "ge i 9", "shr i 2i32"), true);
    check(NEAR("60000", "gt i 70000", "mul i -9223372036854775807"), true);
    check(NEAR("60000", "gt i 70000", "add (and i 1) 9223372036854775806"), true);
    /* what is sent faults, in front of and behind a place outside */
    check("program near\ninput x : f64[n]\nm = unit { 60000 }\nl = unit { extent x 0 }\n"
          "none = generate m (i) { 0 }\ns = generate l (i) { quot 5 (sub i 100000) }\n"
          "p = permute none s (new, old) { add new old } (i) {\n"
          "    ne (and i 3) 2, add (shr i 2i32) (mul 60000 (convert i64 (eq i 100003)))\n}\noutput "
          "p\n",
          true);
    check(
        "program near\ninput x : f64[n]\nm = unit { 60000 }\nl = unit { extent x 0 }\n"
        "none = generate m (i) { 0.0 }\ns = generate l (i) { convert f64 (quot 5 (sub i 100000)) "
        "}\n"
        "p = permute none s (new, old) { add new old } (i) {\n"
        "    true, sub (sub 50000 (shr i 2i32)) (mul 60000 (convert i64 (eq i 100001)))\n}\noutput "
        "p\n",
        true);
    /* the defaults fault, too */
    check("program near\ninput x : f64[n]\nm = unit { 60000 }\n"
          "none = generate m (i) { convert f64 (quot 5 (sub i 59000)) }\n"
          "p = permute none x (new, old) { add new old } (i) {\n"
          "    true, sub (shr i 2i32) (mul 9 (convert i64 (eq i 3)))\n}\noutput p\n",
          true);
}

static void what_is_kept_goes_back(void **state) {
    (void)state;
    check("program back\ninput x : f64[n]\nm = unit { extent x 0 }\n"
          "some = map x (z) { lt (rem (convert i64 (mul z 1.0e9)) 5) 2 }\n"
          "ones = map some (z) { convert i64 z }\nn = fold 0 ones (a, b) { add a b }\n"
          "all = generate m (i) { convert i32 i }\nkept = compact n all some (a, b) { b }\n"
          "high = unit { 700 }\nwide = unit { 200 }\n"
          "picture = generate high wide (i, j) { convert u8 (add i j) }\n"
          "white = map kept (k) { 255u8 }\n"
          "p = permute picture white kept (new, old) { new } (i, k) {\n"
          "    true, convert i64 (quot k 200i32), convert i64 (rem k 200i32)\n}\n"
          "three = unit { 3 }\nlong = unit { 50000 }\n"
          "flat = generate three long (i, j) { convert i32 (mul i j) }\n"
          "q = permute flat kept (new, old) { sub new old } (i) {\n"
          "    true, quot i 50000, rem i 50000\n}\noutput p\noutput q\n",
          false);
    check("program outside\ninput x : f64[n]\nm = unit { extent x 0 }\n"
          "high = unit { 700 }\nwide = unit { 200 }\n"
          "picture = generate high wide (i, j) { convert f64 (add i j) }\n"
          "p = permute picture x (new, old) { add new old } (i) {\n"
          "    ne (and i 7) 0, convert i64 (quot (convert i32 i) 200i32), add (and i 127) (mul 200 "
          "(convert i64 (eq i "
          "100003)))\n}\n"
          "output p\n",
          true);
}

static void near_records_move(void **state) {
    (void)state;
    check("program records\ninput x : f64[n]\nm = unit { 50000 }\nl = unit { extent x 0 }\n"
          "none = generate m (i) { a: 0.0, b: convert u8 i, c: true }\n"
          "s = generate l (i) { a: x ! i, b: convert u8 (mul i 3), c: eq (rem i 7) 2 }\n"
          "p = permute none s (a, b, c, d, e, f) { a: add a d, b: b, c: ne c f } (i) {\n"
          "    ne (and (mul i 7919) 15) 4, shr (mul i 5) 4i32\n}\noutput p\n",
          false);
}

/* Labels of places become those of their neighbours, and what a label names gets the least: what the permute makes decides where the next one sends. */
static void rounds_join_labels(void **state) {
    (void)state;
    check(
        "program labels\ninput x : f64[n]\nm = unit { extent x 0 }\n"
        "start = generate m (i) { convert i32 i }\n"
        "labels, s = awhile start 0 (a, s) {\n    more = unit { lt (the s) 6 }\n    yield more\n} "
        "do (a, s) {\n"
        "    least = imap a (i, z) {\n"
        "        k = if eq (rem (mul i 7919) 31) 0 { i } else { max (sub i 1) 0 }\n"
        "        min z (a ! k)\n    }\n"
        "    b = permute a least (new, old) { min new old } (i) {\n"
        "        lt (least ! i) (a ! i), convert i64 (a ! i)\n    }\n"
        "    c = zip_with b least (u, v) { min u v }\n"
        "    next = unit { add (the s) 1 }\n    yield c, next\n}\noutput labels\n",
        false);
    /* in memory that nobody reads any more */
    check("program labels\ninput x : f64[n]\nm = unit { extent x 0 }\n"
          "start = generate m (i) { 0.0 }\n"
          "sums, s = awhile start 0 (a, s) {\n    more = unit { lt (the s) 5 }\n    yield more\n} "
          "do (a, s) {\n"
          "    b = permute a x (new, old) { add new old } (i) {\n"
          "        gt (and (mul i 7919) 15) 6, max (sub i (mul 20 (the s))) 0\n    }\n"
          "    next = unit { add (the s) 1 }\n    yield b, next\n}\noutput sums\n",
          false);
}

/* Ranges are rounded up, so that the last ones of 5 workers have no rows: what lies behind all rows is told by the last one that has some. */
static void ranges_without_rows(void **state) {
    (void)state;
    for (int fault = 0; fault < 2; fault++) {
        wadi_text t;
        wadi_text_init(&t);
        wadi_text_addf(&t,
                       "program rows\ninput x : f64[n]\nhigh = unit { 72 }\nwide = unit { 2100 }\n"
                       "picture = generate high wide (i, j) { convert f64 (add i j) }\n"
                       "p = permute picture x (new, old) { add new old } (i) {\n"
                       "    at = convert i32 i\n    row = convert i64 (quot at 2100i32)\n"
                       "    true, if eq i %d { 72 } else { row }, convert i64 (rem at 2100i32)\n"
                       "}\noutput p\n",
                       fault ? 130003 : -1);
        check(wadi_text_str(&t), fault);
        wadi_text_fini(&t);
    }
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
        cmocka_unit_test(neighbours_stay_near),
        cmocka_unit_test(neighbours_go_far),
        cmocka_unit_test(corners_of_near_ones),
        cmocka_unit_test(lengths_about_the_least),
        cmocka_unit_test(near_faults_are_told),
        cmocka_unit_test(what_is_kept_goes_back),
        cmocka_unit_test(near_records_move),
        cmocka_unit_test(ranges_without_rows),
        cmocka_unit_test(rounds_join_labels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
