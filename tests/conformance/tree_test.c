/* The law of the tree (operators/reduce_tree.h), implemented once more from its description alone. The interpreter and compiled code
 * must give the same bits as this, for rows from one element to many thousand blocks. The functions round, and one is not even
 * nearly associative, so that another tree gives other numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sched/devices.h"
#include "tests/conformance/runner.h"

/* ---- the law ---- */

enum { BLOCK = 4096, LANES = 16 };

typedef double (*law_fun)(double, double);

static double add(double a, double x) {
    return (double)((float)a + (float)x);
}

static double mul(double a, double x) {
    return (double)((float)a * (float)x);
}

static double fade(double a, double x) {
    return a * 0.75 + x;
}

static double one_by_one(law_fun f, const double *x, int64_t n) {
    double t = x[0];
    for (int64_t i = 1; i < n; i++) t = f(t, x[i]);
    return t;
}

static double lane(law_fun f, const double *x, int64_t stripes) {
    return stripes == 1 ? x[0] : f(lane(f, x, stripes - 1), x[(stripes - 1) * LANES]);
}

/* Lane l, taken together with those that are `step`, 2 `step`, .. behind it. */
static double joined(law_fun f, const double *x, int64_t stripes, int l, int step) {
    if (step == LANES) return lane(f, x + l, stripes);
    return f(joined(f, x, stripes, l, 2 * step), joined(f, x, stripes, l + step, 2 * step));
}

static double block(law_fun f, bool lanes, const double *x, int64_t n) {
    const int64_t stripes = n / LANES, rest = n % LANES;
    if (!lanes || stripes == 0) return one_by_one(f, x, n);
    const double all = joined(f, x, stripes, 0, 1);
    return rest == 0 ? all : f(all, one_by_one(f, x + stripes * LANES, rest));
}

static double top(law_fun f, const double *result, int64_t m) {
    int64_t p = 1;
    if (m == 1) return result[0];
    while (2 * p < m) p *= 2;
    return f(top(f, result, p), top(f, result + p, m - p));
}

static double carry_into(law_fun f, const double *last, int64_t k) {
    int64_t p = 1;
    while (k % (2 * p) == 0) p *= 2;
    const double right = top(f, last + k - p, p);
    return k == p ? right : f(carry_into(f, last, k - p), right);
}

static double *room(int64_t n) {
    double *p = malloc((size_t)(n > 0 ? n : 1) * sizeof *p);
    assert_non_null(p);
    return p;
}

static int64_t length_of_block(int64_t k, int64_t n) {
    return n - k * BLOCK < BLOCK ? n - k * BLOCK : BLOCK;
}

static double total(law_fun f, bool lanes, const double *x, int64_t n) {
    const int64_t m = (n + BLOCK - 1) / BLOCK;
    double *result = room(m);
    for (int64_t k = 0; k < m; k++)
        result[k] = block(f, lanes, x + k * BLOCK, length_of_block(k, n));
    const double all = top(f, result, m);
    free(result);
    return all;
}

static double fold(law_fun f, bool lanes, double z, const double *x, int64_t n) {
    return n == 0 ? z : f(z, total(f, lanes, x, n));
}

static void scan1(law_fun f, const double *x, int64_t n, double *out) {
    const int64_t m = (n + BLOCK - 1) / BLOCK;
    double *last = room(m);
    for (int64_t k = 0; k < m; k++) {
        const double carry = k > 0 ? carry_into(f, last, k) : 0;
        for (int64_t i = 0; i < length_of_block(k, n); i++) {
            const int64_t at = k * BLOCK + i;
            last[k] = i == 0 ? x[at] : f(last[k], x[at]);
            out[at] = k > 0 ? f(carry, last[k]) : last[k];
        }
    }
    free(last);
}

/* ---- the program ---- */

static wadi_exp wide(wadi_exp x) {
    return wadi_convert(WADI_F64, x);
}

static wadi_exp fading(wadi_exp a, wadi_exp x) {
    return wadi_add(wadi_mul(a, wadi_f64(0.75)), x);
}

static wadi_program *program(bool all) {
    wadi_program *p = wadi_program_create("tree");
    const wadi_acc x = wadi_input("x", WADI_F32, 1, NULL), w = wadi_map(wide, x);
    wadi_output("sum", wadi_fold(wadi_add, wadi_f32(0.1F), x));
    wadi_output("product", wadi_fold(wadi_mul, wadi_f32(1.1F), x)); /* together with the sum */
    wadi_output("faded", wadi_fold(fading, wadi_f64(0.3), w));
    wadi_output("sums", wadi_scanl1(wadi_add, x));
    if (!all) return p;
    const wadi_acc offsets = wadi_input("offsets", WADI_I64, 1, NULL);
    wadi_output("fading", wadi_scanl(fading, wadi_f64(0.3), w));
    wadi_output("parts", wadi_fold_offsets(wadi_add, wadi_f32(0.1F), offsets, x));
    wadi_output("partial", wadi_scanl1_offsets(fading, offsets, w));
    return p;
}

enum { OUTPUTS = 7, SEGMENTS = 3 };
static const char *const names[OUTPUTS] = {"sum",    "product", "faded",  "sums",
                                           "fading", "parts",   "partial"};

typedef struct expected {
    double *x, *of[OUTPUTS];
    float *narrow;
    int64_t n, offsets[SEGMENTS + 1];
} expected;

static expected expect(int64_t n, bool all) {
    expected e = {.x = room(n), .narrow = malloc((size_t)(n + 1) * sizeof(float)), .n = n};
    assert_non_null(e.narrow);
    uint32_t seed = 12345;
    for (int64_t i = 0; i < n; i++) {
        seed = seed * 1664525U + 1013904223U;
        e.narrow[i] = 1.0F + ((float)(seed >> 8) * 0x1p-24F - 0.5F) * 0x1p-9F;
        e.x[i] = (double)e.narrow[i];
    }
    for (int k = 0; k < OUTPUTS; k++) e.of[k] = room(k < 3 ? 1 : all || k == 3 ? n + SEGMENTS : 0);
    *e.of[0] = fold(add, true, (double)0.1F, e.x, n);
    *e.of[1] = fold(mul, true, (double)1.1F, e.x, n);
    *e.of[2] = fold(fade, false, 0.3, e.x, n);
    scan1(add, e.x, n, e.of[3]);
    if (!all) return e;
    e.of[4][0] = 0.3;
    scan1(fade, e.x, n, e.of[4] + 1);
    for (int64_t i = 1; i <= n; i++) e.of[4][i] = fade(0.3, e.of[4][i]);
    e.offsets[1] = e.offsets[2] = n / 7;
    e.offsets[3] = n;
    for (int j = 0; j < SEGMENTS; j++) {
        const int64_t from = e.offsets[j], length = e.offsets[j + 1] - from;
        e.of[5][j] = fold(add, true, (double)0.1F, e.x + from, length);
        scan1(fade, e.x + from, length, e.of[6] + from);
    }
    return e;
}

static void drop(const expected *e) {
    for (int k = 0; k < OUTPUTS; k++) free(e->of[k]);
    free(e->x);
    free(e->narrow);
}

static void assert_is(const wadi_array *got, const expected *e, int k, const char *where) {
    const int64_t n = k < 3 ? 1 : k == 5 ? SEGMENTS : k == 4 ? e->n + 1 : e->n;
    assert_true(got->rank == (k < 3 ? 0 : 1) && (k < 3 || got->shape[0] == n));
    for (int64_t i = 0; i < n; i++) {
        const double v = got->type[0] == WADI_F32 ? (double)((const float *)got->column[0])[i]
                                                  : ((const double *)got->column[0])[i];
        if (v != e->of[k][i])
            fail_msg("%s, %lld elements: %s[%lld] is %.17g, by the law %.17g", where,
                     (long long)e->n, names[k], (long long)i, v, e->of[k][i]);
    }
}

/* ---- compiled code ---- */

typedef struct way {
    wadi_schedule_option schedule;
    int threads;
} way;
static const way ways[] = {{WADI_SCHEDULE_FORCE_INSIDE, 1},
                           {WADI_SCHEDULE_FORCE_FLAT, 1},
                           {WADI_SCHEDULE_FORCE_FLAT, 3},
                           {WADI_SCHEDULE_FORCE_GROUP, 1},
                           {WADI_SCHEDULE_FORCE_GROUP, 3}};

static void compiled(const wadi_exe *exe, const expected *e, bool all, way w, const char *device) {
    const wadi_run_options options = {
        .threads = w.threads, .schedule = w.schedule, .device = device};
    const wadi_array x = {1, 1, {WADI_F32}, {e->n}, {e->narrow}};
    const wadi_array offsets = {1, 1, {WADI_I64}, {SEGMENTS + 1}, {(void *)e->offsets}};
    wadi_run *r = NULL;
    wadi_error err = {0};
    char where[96];
    snprintf(where, sizeof where, "schedule %d, %d threads, device %s", (int)w.schedule, w.threads,
             device);
    assert_int_equal(wadi_run_create(exe, &options, &r, NULL), WADI_OK);
    assert_int_equal(wadi_run_input(r, "x", &x, NULL), WADI_OK);
    if (all) assert_int_equal(wadi_run_input(r, "offsets", &offsets, NULL), WADI_OK);
    if (wadi_run_go(r, &err) != WADI_OK) fail_msg("%s", err.msg);
    for (int k = 0; k < (all ? OUTPUTS : 4); k++) {
        wadi_array got;
        assert_int_equal(wadi_run_result(r, names[k], &got, NULL), WADI_OK);
        assert_is(&got, e, k, where);
    }
    wadi_run_destroy(r);
}

/* In every way on the first device, and from way number `others` on, on all. */
static void compiled_everywhere(const wadi_exe *exe, const expected *e, bool all, size_t others) {
    for (const wadi_device_row *d = conf_device(wadi_devices); d->name; d = conf_device(d + 1))
        for (size_t k = d == wadi_devices ? 0 : others; k < sizeof ways / sizeof ways[0]; k++)
            compiled(exe, e, all, ways[k], d->name);
}

static wadi_exe *compile(const wadi_program *p) {
    wadi_exe *exe = NULL;
    wadi_error err = {0};
    if (wadi_compile(p, NULL, &exe, &err) != WADI_OK) fail_msg("%s", err.msg);
    return exe;
}

/* ---- tests ---- */

static void interpreted(const wadi_program *p, const expected *e) {
    const wadi_interp_input in[] = {{"x", conf_vector(WADI_F32, e->n, e->narrow)},
                                    {"offsets", conf_vector(WADI_I64, SEGMENTS + 1, e->offsets)}};
    const wadi_interp_io io = {.inputs = in, .ninputs = 2};
    wadi_text why;
    conf_case c;
    wadi_text_init(&why);
    if (!conf_case_init(&c, p, &io, &why) || !c.want)
        fail_msg("%s%s", why.at ? why.at : "", c.fault.msg);
    for (int k = 0; k < OUTPUTS; k++)
        assert_is(wadi_interp_output_get(c.want, names[k]), e, k, "interpreted");
    conf_case_fini(&c);
    wadi_text_fini(&why);
}

static void rows_of_some_blocks(void **state) {
    (void)state;
    static const int64_t sizes[] = {0,
                                    1,
                                    LANES - 1,
                                    LANES + 1,
                                    BLOCK - 1,
                                    BLOCK,
                                    BLOCK + 1,
                                    3 * BLOCK,
                                    4 * BLOCK - 1,
                                    4 * BLOCK,
                                    4 * BLOCK + 1,
                                    7 * BLOCK + 3,
                                    LANES * BLOCK - 1,
                                    LANES * BLOCK,
                                    LANES * BLOCK + 1,
                                    37 * BLOCK + 21};
    wadi_program *p = program(true);
    wadi_exe *exe = compile(p);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        const expected e = expect(sizes[i], true);
        interpreted(p, &e);
        compiled_everywhere(exe, &e, true, 0);
        drop(&e);
    }
    wadi_exe_destroy(exe);
    wadi_program_destroy(p);
}

/* Around 4096 blocks of 4096: a run of as many as a block has elements, and one block more, in full or in part. */
static void rows_of_thousands_of_blocks(void **state) {
    (void)state;
    static const int64_t sizes[] = {BLOCK * BLOCK - 1, BLOCK * BLOCK + 5 * BLOCK + 7};
    wadi_program *p = program(false);
    wadi_exe *exe = compile(p);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        const expected e = expect(sizes[i], false);
        compiled_everywhere(exe, &e, false, sizeof ways / sizeof ways[0] - 1);
        drop(&e);
    }
    wadi_exe_destroy(exe);
    wadi_program_destroy(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows_of_some_blocks),
                                       cmocka_unit_test(rows_of_thousands_of_blocks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
