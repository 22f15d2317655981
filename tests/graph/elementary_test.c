/* Elementary functions against MPFR: at most a unit in the last place from the truth (lgamma and tgamma: two; lgamma near its negative roots:
 * 2^-53), special values as Annex F of C99 has them, exact where the truth is a number of the type. Without MPFR they are not tested (status 77).
 *
 * WADI_TEST_ALL tries more arguments. WADI_ELEMENTARY_SAMPLES says how many of f64 each function gets, WADI_ELEMENTARY_STRIDE how far those of
 * f32 are apart in their bits (1: all there are); WADI_TEST_TELL prints the largest errors, WADI_ELEMENTARY_ONLY names one function. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#if !defined(TEST_HAS_MPFR)

int main(void) {
    printf("MPFR is not there: elementary functions are not tested\n");
    return 77;
}

#else

#include <math.h>

#include "graph/ir/ir.h"
#include "tests/whole/judge.h"

typedef struct row {
    wadi_sop op;
    int (*one)(mpfr_t, const mpfr_t, mpfr_rnd_t);
    int (*two)(mpfr_t, const mpfr_t, const mpfr_t, mpfr_rnd_t);
    double beyond; /* the bound in units in the last place, less 1 */
} row;

static const row rows[] = {
    {WADI_SOP_EXP, mpfr_exp, NULL},
    {WADI_SOP_EXP2, mpfr_exp2, NULL},
    {WADI_SOP_EXPM1, mpfr_expm1, NULL},
    {WADI_SOP_LOG, mpfr_log, NULL},
    {WADI_SOP_LOG2, mpfr_log2, NULL},
    {WADI_SOP_LOG10, mpfr_log10, NULL},
    {WADI_SOP_LOG1P, mpfr_log1p, NULL},
    {WADI_SOP_SIN, mpfr_sin, NULL},
    {WADI_SOP_COS, mpfr_cos, NULL},
    {WADI_SOP_TAN, mpfr_tan, NULL},
    {WADI_SOP_ASIN, mpfr_asin, NULL},
    {WADI_SOP_ACOS, mpfr_acos, NULL},
    {WADI_SOP_ATAN, mpfr_atan, NULL},
    {WADI_SOP_SINH, mpfr_sinh, NULL},
    {WADI_SOP_COSH, mpfr_cosh, NULL},
    {WADI_SOP_TANH, mpfr_tanh, NULL},
    {WADI_SOP_ASINH, mpfr_asinh, NULL},
    {WADI_SOP_ACOSH, mpfr_acosh, NULL},
    {WADI_SOP_ATANH, mpfr_atanh, NULL},
    {WADI_SOP_CBRT, mpfr_cbrt, NULL},
    {WADI_SOP_ERF, mpfr_erf, NULL},
    {WADI_SOP_ERFC, mpfr_erfc, NULL},
    {WADI_SOP_LGAMMA, judge_log_of_gamma, NULL, 1},
    {WADI_SOP_TGAMMA, mpfr_gamma, NULL, 1},
    {WADI_SOP_ATAN2, NULL, mpfr_atan2},
    {WADI_SOP_POW, NULL, mpfr_pow},
    {WADI_SOP_HYPOT, NULL, mpfr_hypot},
};
enum { ROWS = sizeof rows / sizeof *rows };

/* ---- numbers ---- */

static uint64_t bits_of(wadi_type t, double x) {
    const float f = (float)x;
    uint32_t low;
    uint64_t bits;
    memcpy(&low, &f, sizeof low);
    memcpy(&bits, &x, sizeof bits);
    return t == WADI_F32 ? low : bits;
}

static double number_of(wadi_type t, uint64_t bits) {
    const uint32_t low = (uint32_t)bits;
    float f;
    double x;
    memcpy(&f, &low, sizeof f);
    memcpy(&x, &bits, sizeof x);
    return t == WADI_F32 ? (double)f : x;
}

static uint64_t next_random(uint64_t *state) {
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static double computed(wadi_sop op, wadi_type t, double x, double y) {
    const wadi_scalar args[2] = {{t, bits_of(t, x)}, {t, bits_of(t, y)}};
    wadi_scalar out = {t, 0};
    assert_true(wadi_scalar_eval(op, t, args, &out));
    return number_of(t, out.bits);
}

/* ---- errors ---- */

typedef struct bench {
    judge judge;
    double worst, at[2];
} bench;

static void bench_init(bench *b, wadi_type t) {
    judge_init(&b->judge, t == WADI_F32);
    b->worst = b->at[0] = b->at[1] = 0;
}

static void bench_fini(bench *b, const row *r) {
    if (getenv("WADI_TEST_TELL"))
        print_message("%-6s %s %.3f units at %a %a\n", wadi_sop_get(r->op)->name,
                      b->judge.small ? "f32" : "f64", b->worst, b->at[0], b->at[1]);
    judge_fini(&b->judge);
}

static void try(bench *b, const row *r, double x, double y) {
    const wadi_type t = b->judge.small ? WADI_F32 : WADI_F64;
    x = number_of(t, bits_of(t, x));
    y = number_of(t, bits_of(t, y));
    const double got = computed(r->op, t, x, y);
    judge_at(&b->judge, r->one, r->two, x, y);
    const double far = judge_error(&b->judge, got);
    if (far > 1 + r->beyond)
        fail_msg("%s of %s %a %a: %a, %g units from the truth", wadi_sop_get(r->op)->name,
                 wadi_type_name(t), x, y, got, far);
    if (far > b->worst) b->worst = far, b->at[0] = x, b->at[1] = y;
}

/* ---- arguments ---- */

static const double specials[] = {0.0,
                                  -0.0,
                                  1,
                                  -1,
                                  0.5,
                                  -0.5,
                                  2,
                                  -2,
                                  3,
                                  -3,
                                  1.5,
                                  -1.5,
                                  2.5,
                                  10,
                                  -10,
                                  100,
                                  1000,
                                  1e5,
                                  1e10,
                                  -1e10,
                                  0.25,
                                  0.75,
                                  0x1p-1074,
                                  -0x1p-1074,
                                  0x1p-1022,
                                  -0x1p-1022,
                                  0x0.fffffffffffffp-1022,
                                  0x1.fffffffffffffp+1023,
                                  -0x1.fffffffffffffp+1023,
                                  0x1p-149,
                                  0x1p-126,
                                  0x1.fffffcp-127,
                                  0x1.fffffep+127,
                                  -0x1.fffffep+127,
                                  0x1p52,
                                  0x1p53,
                                  0x1.0000000000001p+53,
                                  -0x1.0000000000001p+53,
                                  0x1p23,
                                  0x1p24,
                                  0x1.000002p+24,
                                  -0x1.000002p+24,
                                  0x1p20,
                                  0x1.fffffffffffffp+19,
                                  0x1.ffffffp+19,
                                  0x1p-20,
                                  0x1p-28,
                                  -0x1p-28,
                                  0x1p-54,
                                  1 - 0x1p-53,
                                  1 + 0x1p-52,
                                  1 - 0x1p-24,
                                  1 + 0x1p-23,
                                  -1 + 0x1p-53,
                                  -1 - 0x1p-52,
                                  0x1.0000001ff8f7fp+0,
                                  0x1.ff343f0c681d4p-1,
                                  0x1.15b308p+0,
                                  0x1.f624f2p-1,
                                  0x1.01f0fap+0,
                                  709.782712893384,
                                  709.782712893385,
                                  -745.1332191019411,
                                  -745.1332191019412,
                                  710.4758600739439,
                                  710.475860073944,
                                  88.72283,
                                  88.72284,
                                  -103.97208,
                                  -103.97209,
                                  1023.9999,
                                  1024,
                                  -1074,
                                  -1075,
                                  -1075.5,
                                  127.9999,
                                  128,
                                  -149,
                                  -150,
                                  26.543,
                                  28,
                                  6,
                                  9.19,
                                  10.05,
                                  19.0615,
                                  22,
                                  0.65,
                                  0.8,
                                  1.325,
                                  0.41421356237309503,
                                  0.7071067811865476,
                                  1.4142135623730951,
                                  3.141592653589793,
                                  1.5707963267948966,
                                  0.7853981633974483,
                                  1e22,
                                  0x1.6ac5b262ca1ffp+849,
                                  HUGE_VAL,
                                  -HUGE_VAL,
                                  (double)NAN};
enum { SPECIALS = sizeof specials / sizeof *specials };

/* Of all bits, of some ranges, and near 1. */
static double sample(uint64_t k, uint64_t *state) {
    const uint64_t r = next_random(state);
    const double unit = (double)(int64_t)r * 0x1p-63;
    switch (k % 7) {
    case 0:
        return number_of(WADI_F64, r);
    case 1:
        return 2 * unit;
    case 2:
        return 30 * unit;
    case 3:
        return 750 * unit;
    case 4:
        return ldexp(1 + fabs(unit), (int)(k / 7 % 60) - 40) * (r & 1 ? 1 : -1);
    case 5: /* next to a multiple of a quarter of pi */
        return (double)(int64_t)(r >> 40) * 0.78539816339744830962;
    default:
        return 1 + ldexp(unit, -(int)(k / 7 % 50));
    }
}

static double chosen(const char *name, double quick, double all) {
    const char *text = getenv(name), *every = getenv("WADI_TEST_ALL");
    return text ? strtod(text, NULL) : every && *every ? all : quick;
}

static bool is_left_out(const row *r) {
    const char *only = getenv("WADI_ELEMENTARY_ONLY");
    return only && strcmp(only, wadi_sop_get(r->op)->name) != 0;
}

/* ---- tests ---- */

static void special_arguments(void **state) {
    (void)state;
    for (int k = 0; k < ROWS; k++)
        for (wadi_type t = WADI_F32; t <= WADI_F64; t++) {
            bench b;
            if (is_left_out(&rows[k])) continue;
            bench_init(&b, t);
            for (int i = 0; i < SPECIALS; i++)
                for (int j = 0; j < (rows[k].two ? SPECIALS : 1); j++)
                    if (!judge_is_slow(rows[k].one, specials[i]))
                        try(&b, &rows[k], specials[i], specials[j]);
            bench_fini(&b, &rows[k]);
        }
}

static void many_arguments_of_f64(void **state) {
    const double n = chosen("WADI_ELEMENTARY_SAMPLES", 3000, 60000);
    (void)state;
    for (int k = 0; k < ROWS; k++) {
        bench b;
        uint64_t seed = 11;
        if (is_left_out(&rows[k])) continue;
        bench_init(&b, WADI_F64);
        for (uint64_t i = 0; i < (uint64_t)n; i++) {
            const double x = sample(i, &seed);
            double y = rows[k].two ? sample(i / 7, &seed) : 0;
            if (rows[k].op == WADI_SOP_POW && i % 2) /* a power that is a number */
                y = (double)(int64_t)next_random(&seed) * 0x1p-63 * 745 / log(fabs(x));
            if (rows[k].op == WADI_SOP_ERFC && fabs(x) > 30 && i % 16)
                continue; /* MPFR takes long */
            if (judge_is_slow(rows[k].one, x)) continue;
            try(&b, &rows[k], x, y);
        }
        bench_fini(&b, &rows[k]);
    }
}

static void many_arguments_of_f32(void **state) {
    const double stride = chosen("WADI_ELEMENTARY_STRIDE", 2000003, 150001);
    (void)state;
    for (int k = 0; k < ROWS; k++) {
        bench b;
        uint64_t seed = 12;
        if (is_left_out(&rows[k])) continue;
        bench_init(&b, WADI_F32);
        for (uint64_t i = 0; i < UINT64_C(1) << 32; i += (uint64_t)stride) {
            const double x = number_of(WADI_F32, i);
            double y = rows[k].two ? sample(i, &seed) : 0;
            if (rows[k].op == WADI_SOP_POW && i % 2)
                y = (double)(int64_t)next_random(&seed) * 0x1p-63 * 100 / log(fabs(x));
            if (judge_is_slow(rows[k].one, x)) continue;
            try(&b, &rows[k], x, y);
        }
        bench_fini(&b, &rows[k]);
    }
}

/* The numbers next to multiples of a quarter of a turn, of which the least remains, and those about the first far one, whose turns are taken off in another way. */
static void turns_are_taken_off(void **state) {
    (void)state;
    for (int k = 0; k < ROWS; k++)
        for (wadi_type t = WADI_F32; t <= WADI_F64; t++) {
            const wadi_sop op = rows[k].op;
            const double far = t == WADI_F32 ? 0x1p17 : 0x1p26;
            bench b;
            if ((op != WADI_SOP_SIN && op != WADI_SOP_COS && op != WADI_SOP_TAN) ||
                is_left_out(&rows[k]))
                continue;
            bench_init(&b, t);
            for (double n = 1; n < 16 * far; n = floor(n * 1.01) + 1)
                for (int64_t i = -1; i <= 1; i++) {
                    const uint64_t bits = bits_of(t, n * 1.5707963267948966) + (uint64_t)i;
                    try(&b, &rows[k], number_of(t, bits), 0);
                    try(&b, &rows[k], -number_of(t, bits), 0);
                }
            for (int64_t i = -3; i <= 3; i++) {
                const double x = number_of(t, bits_of(t, far) + (uint64_t)i);
                try(&b, &rows[k], x, 0);
                try(&b, &rows[k], -x, 0);
            }
            bench_fini(&b, &rows[k]);
        }
}

/* Integers, poles and infinities. */
static void gamma_at_known_places(void **state) {
    double factorial = 1;
    (void)state;
    for (int n = 1; n <= 19; n++) {
        const double got = computed(WADI_SOP_TGAMMA, WADI_F64, n, 0);
        if (fabs(got / factorial - 1) > 0x1p-52) fail_msg("tgamma of %d: %a", n, got);
        factorial *= n;
    }
    for (wadi_type t = WADI_F32; t <= WADI_F64; t++) {
        assert_true(computed(WADI_SOP_LGAMMA, t, 1, 0) == 0);
        assert_true(computed(WADI_SOP_LGAMMA, t, 2, 0) == 0);
        for (double n = -1; n > -1e30; n *= 2) {
            assert_true(isnan(computed(WADI_SOP_TGAMMA, t, n, 0)));
            assert_true(computed(WADI_SOP_LGAMMA, t, n, 0) == HUGE_VAL);
        }
        assert_true(computed(WADI_SOP_TGAMMA, t, -0.0, 0) == -HUGE_VAL);
        assert_true(isnan(computed(WADI_SOP_TGAMMA, t, -HUGE_VAL, 0)));
        assert_true(computed(WADI_SOP_LGAMMA, t, -HUGE_VAL, 0) == HUGE_VAL);
        assert_true(computed(WADI_SOP_TGAMMA, t, 1e10, 0) == HUGE_VAL);
        assert_true(signbit(computed(WADI_SOP_TGAMMA, t, -200.5, 0)));
        assert_false(signbit(computed(WADI_SOP_TGAMMA, t, -201.5, 0)));
    }
}

/* Neighbours have the same arc mostly, and never one the wrong way round. */
static void a_larger_number_has_no_smaller_arc(void **state) {
    (void)state;
    for (wadi_type t = WADI_F32; t <= WADI_F64; t++)
        for (double from = 0x1p-8; from < 0x1p20; from *= 1.37) {
            const uint64_t first = bits_of(t, from);
            double before = 0;
            for (uint64_t bits = first; bits < first + 2000; bits++) {
                const double x = number_of(t, bits), arc = computed(WADI_SOP_ATAN, t, x, 0);
                if (arc < before)
                    fail_msg("atan of %s %a: %a, of the number below: %a", wadi_type_name(t), x,
                             arc, before);
                before = arc;
            }
        }
}

static void exact(wadi_sop op, double x, double y, double want) {
    for (wadi_type t = WADI_F32; t <= WADI_F64; t++) {
        const double got = computed(op, t, x, y);
        if (t == WADI_F32 && (double)(float)want != want) continue;
        if (got != want)
            fail_msg("%s of %s %a %a: %a, expected %a", wadi_sop_get(op)->name, wadi_type_name(t),
                     x, y, got, want);
    }
}

static void exact_results(void **state) {
    (void)state;
    for (int k = -126; k < 128; k++) {
        exact(WADI_SOP_EXP2, k, 0, ldexp(1, k));
        exact(WADI_SOP_LOG2, ldexp(1, k), 0, k);
        exact(WADI_SOP_POW, 2, k, ldexp(1, k));
    }
    for (int k = -1074; k < 1024; k++) {
        assert_true(computed(WADI_SOP_EXP2, WADI_F64, k, 0) == ldexp(1, k));
        assert_true(computed(WADI_SOP_LOG2, WADI_F64, ldexp(1, k), 0) == k);
    }
    for (double k = -250; k <= 250; k++) exact(WADI_SOP_CBRT, k * k * k, 0, k);
    for (int k = 0; k < 23; k++) {
        double power = 1;
        for (int i = 0; i < k; i++) power *= 10;
        assert_true(computed(WADI_SOP_LOG10, WADI_F64, power, 0) == k);
        assert_true(computed(WADI_SOP_POW, WADI_F64, 10, k) == power);
    }
    for (int k = -1074; k <= 1021; k++)
        exact(WADI_SOP_HYPOT, ldexp(3, k), ldexp(-4, k), ldexp(5, k));
    exact(WADI_SOP_HYPOT, HUGE_VAL, (double)NAN, HUGE_VAL);
    exact(WADI_SOP_POW, 1, (double)NAN, 1);
    exact(WADI_SOP_POW, (double)NAN, 0, 1);
    exact(WADI_SOP_POW, -1, HUGE_VAL, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(special_arguments),
        cmocka_unit_test(many_arguments_of_f64),
        cmocka_unit_test(many_arguments_of_f32),
        cmocka_unit_test(turns_are_taken_off),
        cmocka_unit_test(exact_results),
        cmocka_unit_test(gamma_at_known_places),
        cmocka_unit_test(a_larger_number_has_no_smaller_arc),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
