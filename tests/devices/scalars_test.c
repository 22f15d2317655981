/* Every scalar operation on every type in device C, against its meaning: the same bits. And elementary functions against those of long
 * double, within the bounds of docs/LANGUAGE.md. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <complex.h>
#include <float.h>
#include <math.h>

#include "tests/devices/doubles.h"
#include "tests/devices/scalar_runs.h"

/* ---- comparison ---- */

static double number_of(wadi_type part, uint64_t bits) {
    const uint32_t low = (uint32_t)bits;
    float f;
    double x;
    memcpy(&f, &low, sizeof f);
    memcpy(&x, &bits, sizeof x);
    return part == WADI_F32 ? (double)f : x;
}

/* NaNs are one value, but for a bit cast. */
static bool same_part(wadi_type part, uint64_t want, uint64_t got) {
    return want == got || (wadi_type_is_float(part) && isnan(number_of(part, want)) &&
                           isnan(number_of(part, got)));
}

static bool same_scalar(wadi_scalar want, wadi_scalar got) {
    const wadi_type part = wadi_type_part(want.type);
    return same_part(part, want.bits, got.bits) && same_part(part, want.im, got.im);
}

static wadi_scalar meaning_of(const scalar_case *one, const wadi_scalar *args, int i) {
    wadi_scalar want = {one->result, 0};
    if (one->alone) return one->imm;
    if (one->chosen) return args[i % 2];
    (void)wadi_scalar_eval(one->op, one->result, args, &want); /* a division by zero gives 0 */
    return want;
}

static wadi_scalar result_of(const scalar_cases *c, int k, int i, const char *columns) {
    const wadi_type t = c->at[k].result;
    return wadi_scalar_load(t, columns + scalar_cases_column(c, k) +
                                   (size_t)i * (size_t)wadi_type_size(t));
}

static void tell(const scalar_case *one, const wadi_scalar *args, wadi_scalar want,
                 wadi_scalar got) {
    const char *name = one->alone    ? "constant"
                       : one->chosen ? "select"
                                     : wadi_sop_get(one->op)->name;
    fail_msg(
        "%s %s to %s, constant %d: (%llx, %llx) (%llx, %llx) (%llx): got (%llx, %llx), expected "
        "(%llx, %llx)",
        name, wadi_type_name(args[0].type), wadi_type_name(one->result), one->constant,
        (unsigned long long)args[0].bits, (unsigned long long)args[0].im,
        (unsigned long long)args[1].bits, (unsigned long long)args[1].im,
        (unsigned long long)args[2].bits, (unsigned long long)got.bits, (unsigned long long)got.im,
        (unsigned long long)want.bits, (unsigned long long)want.im);
}

static void check_same(const scalar_cases *c, const char *columns) {
    for (int k = 0; k < c->n; k++)
        for (int i = 0; i < DEVICE_ELEMENTS; i++) {
            wadi_scalar args[DEVICE_ARGS];
            scalar_case_args(c, k, i, args);
            const wadi_scalar want = meaning_of(&c->at[k], args, i),
                              got = result_of(c, k, i, columns);
            if (!same_scalar(want, got)) tell(&c->at[k], args, want, got);
        }
}

/* ---- elementary functions ---- */

typedef struct precise {
    wadi_sop op;
    long double (*one)(long double);
    long double (*two)(long double, long double);
} precise;

static const precise functions[] = {
    {WADI_SOP_CBRT, cbrtl, NULL},     {WADI_SOP_EXP, expl, NULL},
    {WADI_SOP_EXP2, exp2l, NULL},     {WADI_SOP_EXPM1, expm1l, NULL},
    {WADI_SOP_LOG, logl, NULL},       {WADI_SOP_LOG2, log2l, NULL},
    {WADI_SOP_LOG10, log10l, NULL},   {WADI_SOP_LOG1P, log1pl, NULL},
    {WADI_SOP_SIN, sinl, NULL},       {WADI_SOP_COS, cosl, NULL},
    {WADI_SOP_TAN, tanl, NULL},       {WADI_SOP_ASIN, asinl, NULL},
    {WADI_SOP_ACOS, acosl, NULL},     {WADI_SOP_ATAN, atanl, NULL},
    {WADI_SOP_SINH, sinhl, NULL},     {WADI_SOP_COSH, coshl, NULL},
    {WADI_SOP_TANH, tanhl, NULL},     {WADI_SOP_ASINH, asinhl, NULL},
    {WADI_SOP_ACOSH, acoshl, NULL},   {WADI_SOP_ATANH, atanhl, NULL},
    {WADI_SOP_ERF, erfl, NULL},       {WADI_SOP_ERFC, erfcl, NULL},
    {WADI_SOP_LGAMMA, lgammal, NULL}, {WADI_SOP_TGAMMA, tgammal, NULL},
    {WADI_SOP_ATAN2, NULL, atan2l},   {WADI_SOP_POW, NULL, powl},
    {WADI_SOP_HYPOT, NULL, hypotl},
};

static long double precisely(const precise *f, double x, double y) {
    return f->one ? f->one((long double)x) : f->two((long double)x, (long double)y);
}

/* The distance of numbers next to x. */
static long double unit_of(wadi_type part, long double x) {
    const int digits = part == WADI_F32 ? FLT_MANT_DIG : DBL_MANT_DIG,
              least = (part == WADI_F32 ? FLT_MIN_EXP : DBL_MIN_EXP) - digits;
    int e = 0;
    (void)frexpl(x, &e);
    return ldexpl(1, e - digits > least ? e - digits : least);
}

/* How far got is from want, in units in the last place. 0 for equal infinities and for two NaNs. */
static double apart(wadi_type part, long double want, double got) {
    const long double most = part == WADI_F32 ? (long double)FLT_MAX : (long double)DBL_MAX;
    if (isnan(want) || isnan(got)) return isnan(want) && isnan(got) ? 0 : (double)INFINITY;
    if (fabsl(want) >= most * (1 + 0x1p-20L)) /* too large for the type, whatever the bound */
        return isinf(got) && (got > 0) == (want > 0) ? 0 : (double)INFINITY;
    if (want == 0 && got == 0 && !signbit(want) != !signbit(got)) return (double)INFINITY;
    if (isinf(got)) return fabsl(want) > most * (1 - 0x1p-20L) ? 0 : (double)INFINITY;
    return (double)(fabsl((long double)got - want) / unit_of(part, want));
}

/* Of a function of x and y: its value, and the bound of either part in units in the last place of the larger one. */
typedef struct precise_complex {
    wadi_sop op;
    long double complex (*one)(long double complex);
    long double complex (*two)(long double complex, long double complex);
    double bound;
} precise_complex;

static long double complex modulus(long double complex x) {
    return hypotl(creall(x), cimagl(x));
}

static long double complex angle(long double complex x) {
    return atan2l(cimagl(x), creall(x));
}

static const precise_complex complex_functions[] = {
    {WADI_SOP_SQRT, csqrtl, NULL, 8},    {WADI_SOP_EXP, cexpl, NULL, 16},
    {WADI_SOP_LOG, clogl, NULL, 16},     {WADI_SOP_SIN, csinl, NULL, 16},
    {WADI_SOP_COS, ccosl, NULL, 16},     {WADI_SOP_TAN, ctanl, NULL, 32},
    {WADI_SOP_SINH, csinhl, NULL, 16},   {WADI_SOP_COSH, ccoshl, NULL, 16},
    {WADI_SOP_TANH, ctanhl, NULL, 32},   {WADI_SOP_ASIN, casinl, NULL, 16},
    {WADI_SOP_ACOS, cacosl, NULL, 16},   {WADI_SOP_ATAN, catanl, NULL, 16},
    {WADI_SOP_ASINH, casinhl, NULL, 16}, {WADI_SOP_ACOSH, cacoshl, NULL, 16},
    {WADI_SOP_ATANH, catanhl, NULL, 16}, {WADI_SOP_POW, NULL, cpowl, 16},
    {WADI_SOP_ABS, modulus, NULL, 1},    {WADI_SOP_ARG, angle, NULL, 1},
};

static long double complex complex_of(wadi_scalar v) {
    const wadi_type part = wadi_type_part(v.type);
    const long double parts[2] = {(long double)number_of(part, v.bits),
                                  (long double)number_of(part, v.im)};
    long double complex z; /* an array of its parts; not every compiler has CMPLXL */
    memcpy(&z, parts, sizeof z);
    return z;
}

/* As apart, for each part against the unit of the larger one. Signs of zeros do not count,
 * nor those of infinities beside a NaN, which Annex G leaves open. */
static double complex_apart(wadi_type part, long double complex want, wadi_scalar got) {
    const double x = number_of(part, got.bits), y = number_of(part, got.im);
    long double re = creall(want), im = cimagl(want);
    if (isnan(im) || re == 0) re = copysignl(re, (long double)x);
    if (isnan(re) || im == 0) im = copysignl(im, (long double)y);
    const double far_re = apart(part, re, x), far_im = apart(part, im, y);
    if (isinf(far_re) || isinf(far_im)) return (double)INFINITY;
    if (!isfinite(x) || !isfinite(y)) return 0;
    const long double dx = fabsl((long double)x - re), dy = fabsl((long double)y - im),
                      most = fabsl(re) > fabsl(im) ? re : im;
    return (double)((dx > dy ? dx : dy) / unit_of(part, most));
}

/* A power is exp(y log x): the error of the exponent counts as often as the exponent is large. 0: nothing is promised, since the power
 * is of a number that is none, or far out. */
static double power_bound(const precise_complex *f, long double complex x, long double complex y) {
    const long double exponent = cabsl(y * clogl(x));
    return cabsl(x) > 0 && exponent < 60 ? f->bound * (double)(1 + exponent) : 0;
}

static double function_apart(const precise_complex *f, const wadi_scalar *args, wadi_scalar got) {
    const long double complex x = complex_of(args[0]), y = complex_of(args[1]);
    const long double complex want = f->one ? f->one(x) : f->two(x, y);
    return complex_apart(wadi_type_part(args[0].type), want, got);
}

static void check_function(const scalar_cases *c, int k, const precise_complex *f,
                           const char *columns) {
    double worst = 0;
    for (int i = 0; i < DEVICE_ELEMENTS; i++) {
        wadi_scalar args[DEVICE_ARGS];
        scalar_case_args(c, k, i, args);
        const double bound =
            f->one ? f->bound : power_bound(f, complex_of(args[0]), complex_of(args[1]));
        if (bound == 0) continue;
        const wadi_scalar got = result_of(c, k, i, columns);
        const double far = function_apart(f, args, got);
        if (far > bound) tell(&c->at[k], args, meaning_of(&c->at[k], args, i), got);
        if (far * f->bound > worst * bound) worst = far * f->bound / bound;
    }
    if (getenv("WADI_TEST_TELL"))
        print_message("%s %s: %.2f\n", wadi_sop_get(f->op)->name, wadi_type_name(c->type), worst);
}

static void check_near_complex(const scalar_cases *c, const char *columns) {
    for (int k = 0; k < c->n; k++)
        for (size_t f = 0; f < sizeof complex_functions / sizeof *complex_functions; f++)
            if (complex_functions[f].op == c->at[k].op)
                check_function(c, k, &complex_functions[f], columns);
}

/* At most a unit in the last place; two of the gamma functions. The logarithm of gamma has roots between negative numbers, near which the
 * difference counts. */
static void check_real(const scalar_cases *c, int k, const precise *f, const char *columns) {
    double worst = 0;
    for (int i = 0; i < DEVICE_ELEMENTS; i++) {
        wadi_scalar args[DEVICE_ARGS];
        scalar_case_args(c, k, i, args);
        const wadi_scalar got = result_of(c, k, i, columns);
        const long double want =
            precisely(f, number_of(c->type, args[0].bits), number_of(c->type, args[1].bits));
        const double far = apart(c->type, want, number_of(c->type, got.bits));
        if (far > worst) worst = far;
        const long double off = want - (long double)number_of(c->type, got.bits);
        const bool log = f->op == WADI_SOP_LGAMMA, gamma = log || f->op == WADI_SOP_TGAMMA;
        if (log && fabsl(off) < 0x1p-53L) continue;
        if (far > (gamma ? 2 : 1)) tell(&c->at[k], args, meaning_of(&c->at[k], args, i), got);
    }
    if (getenv("WADI_TEST_TELL"))
        print_message("%s %s: %.2f\n", wadi_sop_get(f->op)->name, wadi_type_name(c->type), worst);
}

static void check_near_real(const scalar_cases *c, const char *columns) {
    for (int k = 0; k < c->n; k++)
        for (size_t f = 0; f < sizeof functions / sizeof *functions; f++)
            if (functions[f].op == c->at[k].op) check_real(c, k, &functions[f], columns);
}

static void check(const scalar_cases *c, const char *columns) {
    check_same(c, columns);
    if (wadi_type_is_complex(c->type))
        check_near_complex(c, columns);
    else if (wadi_type_is_float(c->type))
        check_near_real(c, columns);
}

/* ---- tests ---- */

/* For every type. Skips the test where there is no device. */
static void compare(wadi_gpu_driver *d, const wadi_dialect *dialect) {
    if (d == NULL) {
        print_message("left out: there is no device\n");
        skip();
    }
    for (int t = 0; t < WADI_TYPE_COUNT; t++) {
        scalar_cases c;
        scalar_cases_init(&c, (wadi_type)t);
        scalar_cases_fill(&c);
        if (c.n > 0) {
            char *text = scalar_runs_text(&c, dialect);
            char *columns = test_malloc(scalar_cases_column(&c, c.n));
            scalar_runs_on(d, text, &c, columns);
            check(&c, columns);
            test_free(columns);
            free(text);
        }
        scalar_cases_fini(&c);
    }
    d->ops->destroy(d);
}

static void opencl_gives_the_same_bits(void **state) {
    (void)state;
    compare(scalar_runs_opencl(), &scalar_runs_opencl_c);
}

/* Here signed integers that overflow end the process. */
static void the_double_of_cuda_gives_the_same_bits(void **state) {
    (void)state;
    compare(scalar_runs_cuda(), &scalar_runs_cuda_c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(opencl_gives_the_same_bits),
        cmocka_unit_test(the_double_of_cuda_gives_the_same_bits),
    };
    /* PoCL takes half of the time; what its optimiser does to bits is looked at at full length. */
    if (getenv("WADI_TEST_ALL") == NULL)
        (void)setenv("POCL_EXTRA_BUILD_FLAGS", "-cl-opt-disable", 0);
    if (doubles_use()) doubles_set("");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
