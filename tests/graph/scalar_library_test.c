/* Functions that C's library has, too, each found by its name in the language: both widths, real and complex, over a grid of values. Real
 * results are near the library's: neither is exact. How near to the truth they are, tests/graph/elementary_test.c tells. Complex ones are
 * judged by the bounds of docs/LANGUAGE.md against the library's in a wider type. */
#include <complex.h>
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "graph/ir/ir.h"

/* ---- values ---- */

static const double grid[] = {
    0.0,  -0.0,  1.0,  -1.0,  0.5,    -0.5,        2.0,         -2.0,     3.0,       0.1,
    -0.3, 1.5,   2.5,  -2.5,  10.0,   -7.25,       1e-3,        1e10,     -1e10,     0.7071,
    89.0, 1e-30, 1e30, 709.0, -745.0, 2.718281828, -3.14159265, HUGE_VAL, -HUGE_VAL, (double)NAN};
enum { N = sizeof grid / sizeof *grid };

static wadi_scalar f64(double x) {
    wadi_scalar v = {WADI_F64, UINT64_C(0x7ff8000000000000)};
    if (!isnan(x)) memcpy(&v.bits, &x, sizeof x);
    return v;
}

static wadi_scalar f32(float x) {
    uint32_t bits = UINT32_C(0x7fc00000);
    if (!isnan(x)) memcpy(&bits, &x, sizeof x);
    return (wadi_scalar){WADI_F32, bits};
}

static wadi_scalar c128(double re, double im) {
    return (wadi_scalar){WADI_C128, f64(re).bits, f64(im).bits};
}

static wadi_scalar c64(float re, float im) {
    return (wadi_scalar){WADI_C64, f32(re).bits, f32(im).bits};
}

/* Parts in place: a product with I makes NaN of infinities. */
static double complex of_parts(double re, double im) {
    const double part[2] = {re, im};
    double complex z;
    memcpy(&z, part, sizeof z);
    return z;
}

/* ---- operations ---- */

static wadi_sop named(const char *name) {
    for (int op = 0; op < WADI_SOP_PRIM_COUNT; op++)
        if (strcmp(wadi_sop_get((wadi_sop)op)->name, name) == 0) return (wadi_sop)op;
    fail_msg("there is no %s", name);
    return WADI_SOP_COUNT;
}

static double number(wadi_type part, uint64_t bits) {
    const uint32_t low = (uint32_t)bits;
    float f;
    double x;
    memcpy(&f, &low, sizeof f);
    memcpy(&x, &bits, sizeof x);
    return part == WADI_F32 ? (double)f : x;
}

/* `off`: how far two finite numbers may be from each other. */
static bool near_part(wadi_type part, uint64_t got, uint64_t want, double off) {
    const double x = number(part, got), y = number(part, want);
    if (isnan(x) || isnan(y)) return isnan(x) && isnan(y);
    if (isinf(x) || isinf(y)) return x == y;
    return fabs(x - y) <= off && (x != 0 || y != 0 || off > 0 || signbit(x) == signbit(y));
}

/* Parts within `units` units in the last place of the larger one, or of the least number that is not subnormal. Zeros have the same sign
 * if both numbers are real. An infinity beside a NaN has either sign. */
static bool near(wadi_scalar got, wadi_scalar want, double units) {
    const wadi_type part = wadi_type_part(want.type);
    const double re = fabs(number(part, want.bits)), im = fabs(number(part, want.im));
    const double larger = isfinite(re) && !(re < im && isfinite(im)) ? re : isfinite(im) ? im : 0;
    const double least = part == WADI_F32 ? 0x1p-126 : 0x1p-1022;
    const double off =
        units * (part == WADI_F32 ? 0x1p-23 : 0x1p-52) * (larger > least ? larger : least);
    if (!wadi_type_is_complex(want.type))
        return re == 0 && !isnan(re) ? wadi_scalar_same(got, want)
                                     : near_part(part, got.bits, want.bits, off);
    const double x = number(part, got.bits), y = number(part, got.im);
    if (isinf(re) && isnan(im)) return isinf(x) && isnan(y);
    if (isnan(re) && isinf(im)) return isnan(x) && isinf(y);
    return near_part(part, got.bits, want.bits, off) && near_part(part, got.im, want.im, off);
}

/* The result has the type of the first argument. */
static void check(const char *name, int n, wadi_scalar a, wadi_scalar b, wadi_scalar c,
                  wadi_scalar want, double units) {
    const wadi_sop op = named(name);
    const wadi_scalar args[3] = {a, b, c};
    wadi_scalar got = {0};
    assert_int_equal(wadi_sop_get(op)->arity, n);
    assert_true(wadi_scalar_eval(op, a.type, args, &got));
    if (units > 0 ? !near(got, want, units) : !wadi_scalar_same(got, want))
        fail_msg("%s of %s %llx %llx, %llx: %llx %llx, expected %llx %llx", name,
                 wadi_type_name(a.type), (unsigned long long)a.bits, (unsigned long long)a.im,
                 (unsigned long long)b.bits, (unsigned long long)got.bits,
                 (unsigned long long)got.im, (unsigned long long)want.bits,
                 (unsigned long long)want.im);
}

/* ---- of one argument ---- */

#define ONE(name) \
    { #name, name, name##f }
static const struct {
    const char *name;
    double (*of)(double);
    float (*off)(float);
} one[] = {ONE(sqrt),   ONE(cbrt),  ONE(exp),   ONE(exp2),  ONE(expm1), ONE(log),
           ONE(log2),   ONE(log10), ONE(log1p), ONE(sin),   ONE(cos),   ONE(tan),
           ONE(asin),   ONE(acos),  ONE(atan),  ONE(sinh),  ONE(cosh),  ONE(tanh),
           ONE(asinh),  ONE(acosh), ONE(atanh), ONE(erf),   ONE(erfc),  ONE(lgamma),
           ONE(tgamma), ONE(floor), ONE(ceil),  ONE(round), ONE(trunc)};

static void functions_of_one(void **state) {
    const wadi_scalar no = {0};
    (void)state;
    for (size_t k = 0; k < sizeof one / sizeof *one; k++)
        for (int i = 0; i < N; i++) {
            const float x = (float)grid[i];
            check(one[k].name, 1, f64(grid[i]), no, no, f64(one[k].of(grid[i])), 6);
            check(one[k].name, 1, f32(x), no, no, f32(one[k].off(x)), 6);
        }
}

/* ---- of two and three ---- */

#define TWO(name) \
    { #name, name, name##f }
static const struct {
    const char *name;
    double (*of)(double, double);
    float (*off)(float, float);
} two[] = {TWO(atan2), TWO(pow), TWO(hypot)};

static void functions_of_two(void **state) {
    const wadi_scalar no = {0};
    (void)state;
    for (size_t k = 0; k < sizeof two / sizeof *two; k++)
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++) {
                const float x = (float)grid[i], y = (float)grid[j];
                check(two[k].name, 2, f64(grid[i]), f64(grid[j]), no,
                      f64(two[k].of(grid[i], grid[j])), 6);
                check(two[k].name, 2, f32(x), f32(y), no, f32(two[k].off(x, y)), 6);
            }
}

static void a_product_is_added_to(void **state) {
    (void)state;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            const double x = grid[i], y = grid[j], z = grid[(i + 3 * j) % N];
            check("fma", 3, f64(x), f64(y), f64(z), f64(fma(x, y, z)), 0);
            check("fma", 3, f32((float)x), f32((float)y), f32((float)z),
                  f32(fmaf((float)x, (float)y, (float)z)), 0);
        }
}

/* ---- complex ---- */

static const bool is_wider = LDBL_MANT_DIG >= DBL_MANT_DIG + 11; /* long double than double */

/* A unit in the last place of the larger part; of the least number that is not subnormal if both are less. */
static long double unit_of(wadi_type part, long double re, long double im) {
    const int digits = part == WADI_F32 ? FLT_MANT_DIG : DBL_MANT_DIG;
    const int least = part == WADI_F32 ? FLT_MIN_EXP : DBL_MIN_EXP;
    const long double larger = fabsl(re) > fabsl(im) ? fabsl(re) : fabsl(im);
    const int exponent = larger > 0 ? ilogbl(larger) + 1 : least;
    return ldexpl(1, (exponent > least ? exponent : least) - digits);
}

static wadi_scalar rounded(wadi_type type, long double re, long double im) {
    return type == WADI_C64 ? c64((float)re, (float)im) : c128((double)re, (double)im);
}

/* Fails unless either part of the result is within so many units of the wider result; what is not finite in the type is so in both. */
static void check_within(const char *name, int n, wadi_scalar a, wadi_scalar b,
                         long double complex want, double units) {
    const wadi_scalar no = {0}, args[2] = {a, b};
    const wadi_type part = wadi_type_part(a.type);
    const wadi_scalar near_want = rounded(a.type, creall(want), cimagl(want));
    wadi_scalar got = {0};
    if (!isfinite(number(part, near_want.bits)) || !isfinite(number(part, near_want.im))) {
        check(name, n, a, b, no, near_want, units);
        return;
    }
    assert_int_equal(wadi_sop_get(named(name))->arity, n);
    assert_true(wadi_scalar_eval(named(name), a.type, args, &got));
    const long double unit = unit_of(part, creall(want), cimagl(want));
    const long double re = fabsl((long double)number(part, got.bits) - creall(want)) / unit,
                      im = fabsl((long double)number(part, got.im) - cimagl(want)) / unit;
    if (!(re <= (long double)units && im <= (long double)units))
        fail_msg("%s of %s %g %g, %g %g: %.17g %.17g is %.2Lf and %.2Lf units from %.20Lg %.20Lg",
                 name, wadi_type_name(a.type), number(part, a.bits), number(part, a.im),
                 number(part, b.bits), number(part, b.im), number(part, got.bits),
                 number(part, got.im), re, im, creall(want), cimagl(want));
}

static long double complex wider(double complex z) {
    return (long double complex)z;
}

/* Units within which docs/LANGUAGE.md says that the function is. */
#define COMPLEX(name, units) \
    { #name, c##name##l, c##name, units }
static const struct {
    const char *name;
    long double complex (*wide)(long double complex);
    double complex (*of)(double complex);
    double units;
} parts[] = {COMPLEX(sqrt, 8),   COMPLEX(exp, 16),   COMPLEX(log, 16),   COMPLEX(sin, 16),
             COMPLEX(cos, 16),   COMPLEX(tan, 32),   COMPLEX(asin, 16),  COMPLEX(acos, 16),
             COMPLEX(atan, 16),  COMPLEX(sinh, 16),  COMPLEX(cosh, 16),  COMPLEX(tanh, 32),
             COMPLEX(asinh, 16), COMPLEX(acosh, 16), COMPLEX(atanh, 16), {"conj", conjl, conj, 0}};

static void functions_of_a_complex_number(void **state) {
    const wadi_scalar no = {0};
    (void)state;
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++) {
                const double re = isnan(grid[i]) ? (double)NAN : grid[i],
                             im = isnan(grid[j]) ? (double)NAN : grid[j];
                const double complex w = of_parts((double)(float)re, (double)(float)im);
                check_within(parts[k].name, 1, c64((float)re, (float)im), no, wider(parts[k].of(w)),
                             parts[k].units);
                if (is_wider)
                    check_within(parts[k].name, 1, c128(re, im), no,
                                 parts[k].wide(wider(of_parts(re, im))), parts[k].units);
            }
}

/* xorshift64* */
static uint64_t next_random(uint64_t *state) {
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(2685821657736338717);
}

/* Of every magnitude from 2^-20 on to 2^6, and as often near 1. */
static double random_part(uint64_t *state) {
    const uint64_t r = next_random(state);
    const double x = ldexp((double)(r >> 11), -53);
    const int exponent = r & 1 ? 1 : (int)(r >> 1 & 31) % 27 - 20;
    return (r & 64 ? -1 : 1) * ldexp(0.5 + x / 2, exponent);
}

static void functions_of_random_complex_numbers(void **state) {
    const wadi_scalar no = {0};
    uint64_t seed = 20261128;
    (void)state;
    for (int i = 0; i < 20000; i++) {
        const double re = random_part(&seed), im = random_part(&seed);
        const float ref = (float)re, imf = (float)im;
        for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
            check_within(parts[k].name, 1, c64(ref, imf), no,
                         wider(parts[k].of(of_parts((double)ref, (double)imf))), parts[k].units);
            if (is_wider)
                check_within(parts[k].name, 1, c128(re, im), no,
                             parts[k].wide(wider(of_parts(re, im))), parts[k].units);
        }
    }
}

/* The error of a power grows with its exponent. What it is for zeros, infinities and NaN is left open. */
static void powers_of_complex_numbers(void **state) {
    (void)state;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            const double a = grid[i], b = grid[(i + 7) % N], c = grid[j], d = grid[(j + 11) % N];
            const long double complex x = wider(of_parts(a, b)), y = wider(of_parts(c, d));
            const long double exponent = cabsl(y * clogl(x));
            if (!(cabsl(x) > 0 && exponent < 60)) continue;
            const double units = 16 * (1 + (double)exponent);
            if (is_wider) check_within("pow", 2, c128(a, b), c128(c, d), cpowl(x, y), units);
            const double complex xs = of_parts((double)(float)a, (double)(float)b),
                                 ys = of_parts((double)(float)c, (double)(float)d);
            check_within("pow", 2, c64((float)a, (float)b), c64((float)c, (float)d),
                         wider(cpow(xs, ys)), units);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_of_one),
        cmocka_unit_test(functions_of_two),
        cmocka_unit_test(a_product_is_added_to),
        cmocka_unit_test(functions_of_a_complex_number),
        cmocka_unit_test(functions_of_random_complex_numbers),
        cmocka_unit_test(powers_of_complex_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
