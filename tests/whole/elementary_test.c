/* The errors of elementary functions over all arguments of f32, or very many of f64.
 *
 *     whole_elementary_test [f32|f64 FUNCTION|all [COUNT [SEED]]]
 *
 * prints one line a function: its name, the type, how many arguments, and the largest error in units in the last place with its
 * argument (0.5 and 0 where none is above a half). COUNT is by default 2^32, which are all arguments of f32 of functions of one number, or 10^8 of f64; functions of two numbers get
 * chosen and random pairs. SEED begins the random numbers.
 *
 * A result is compared with the C library's in the next wider type, whose own error is a small part of a unit. Where that says that
 * the error is as large as the largest one so far, or above the bound, or that the result is of another kind (NaN, infinite, of
 * another sign), MPFR decides, as it does for every 2^20th argument in any case. An error beyond the bound ends the program with status 1. Without
 * arguments, all functions get a few numbers of both types. Without MPFR nothing is tested (status 77). */
#include <stdio.h>

#if !defined(TEST_HAS_MPFR)

int main(void) {
    printf("MPFR is not there: elementary functions are not tested\n");
    return 77;
}

#else

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tests/whole/functions.h"
#include "tests/whole/judge.h"

enum { CHUNK = 1 << 14, EVERY = 1 << 20 };

/* An odd factor: it takes the numbers of 32 bits to all of them, in an order that is spread. */
#define SPREAD UINT32_C(2654435761)

typedef int truth_one(mpfr_t, const mpfr_t, mpfr_rnd_t);
typedef int truth_two(mpfr_t, const mpfr_t, const mpfr_t, mpfr_rnd_t);

typedef struct function {
    const char *name;
    void (*ours32)(int, const float *, const float *, float *);
    void (*theirs32)(int, const double *, const double *, double *);
    void (*ours64)(int, const double *, const double *, double *);
    void (*theirs64)(int, const double *, const double *, long double *);
    truth_one *one;
    truth_two *two;
    double bound;
} function;

#define LOOPS(name) \
#name, whole_##name##_f32, truth_##name##_f32, whole_##name##_f64, truth_##name##_f64
static const function functions[] = {
    {LOOPS(exp), mpfr_exp, NULL, 1},
    {LOOPS(exp2), mpfr_exp2, NULL, 1},
    {LOOPS(expm1), mpfr_expm1, NULL, 1},
    {LOOPS(log), mpfr_log, NULL, 1},
    {LOOPS(log2), mpfr_log2, NULL, 1},
    {LOOPS(log10), mpfr_log10, NULL, 1},
    {LOOPS(log1p), mpfr_log1p, NULL, 1},
    {LOOPS(sin), mpfr_sin, NULL, 1},
    {LOOPS(cos), mpfr_cos, NULL, 1},
    {LOOPS(tan), mpfr_tan, NULL, 1},
    {LOOPS(asin), mpfr_asin, NULL, 1},
    {LOOPS(acos), mpfr_acos, NULL, 1},
    {LOOPS(atan), mpfr_atan, NULL, 1},
    {LOOPS(sinh), mpfr_sinh, NULL, 1},
    {LOOPS(cosh), mpfr_cosh, NULL, 1},
    {LOOPS(tanh), mpfr_tanh, NULL, 1},
    {LOOPS(asinh), mpfr_asinh, NULL, 1},
    {LOOPS(acosh), mpfr_acosh, NULL, 1},
    {LOOPS(atanh), mpfr_atanh, NULL, 1},
    {LOOPS(cbrt), mpfr_cbrt, NULL, 1},
    {LOOPS(erf), mpfr_erf, NULL, 1},
    {LOOPS(erfc), mpfr_erfc, NULL, 1},
    {LOOPS(lgamma), judge_log_of_gamma, NULL, 2},
    {LOOPS(tgamma), mpfr_gamma, NULL, 2},
    {LOOPS(pow), NULL, mpfr_pow, 1},
    {LOOPS(atan2), NULL, mpfr_atan2, 1},
    {LOOPS(hypot), NULL, mpfr_hypot, 1},
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

typedef struct search {
    const function *f;
    bool small; /* of f32 */
    uint64_t random;
    double worst, at[2];
    judge judge;
} search;

/* ---- arguments ---- */

static uint64_t next_random(search *s) {
    uint64_t z = (s->random += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static float f32_of_bits(uint32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Of all bits, of some ranges, next to multiples of a quarter of pi, and near 1. */
static double sample(search *s, uint64_t k) {
    const uint64_t r = next_random(s);
    const double unit = (double)(int64_t)r * 0x1p-63;
    double x;
    switch (k & 7) {
    case 0:
        if (s->small) return (double)f32_of_bits((uint32_t)r);
        memcpy(&x, &r, sizeof x);
        return x;
    case 1:
        return 2 * unit;
    case 2:
        return 8 * unit;
    case 3:
        return 30 * unit;
    case 4:
        return (s->small ? 105 : 750) * unit;
    case 5:
        return ldexp(1 + fabs(unit), (int)(k >> 3) % 60 - 40) * (r & 1 ? 1 : -1);
    case 6:
        return (double)(int64_t)(r >> 40) * 0.78539816339744830962;
    default:
        return 1 + ldexp(unit, -(int)(k >> 3) % 50);
    }
}

/* ---- the truth ---- */

static void try(search *s, double x, double y, double got) {
    judge_at(&s->judge, s->f->one, s->f->two, x, y);
    const double far = judge_error(&s->judge, got);
    if (far > s->worst) s->worst = far, s->at[0] = x, s->at[1] = y;
}

/* MPFR also takes long for erfc of large numbers. */
static bool is_slow(const function *f, double x) {
    return judge_is_slow(f->one, x) || (f->one == mpfr_erfc && x > 30);
}

/* ---- chunks ---- */

/* What MPFR must look at: errors near the largest one so far, results of another kind, and some others. */
static bool is_doubtful(const search *s, double got, double want, double error) {
    if (isnan(want) || isnan(got)) return isnan(want) != isnan(got);
    if (isinf(want) && isinf(got) && (want < 0) == (got < 0)) return false;
    if ((signbit(want) != 0) != (signbit(got) != 0)) return true;
    return !(error <= s->worst);
}

static void chunk_f32(search *s, int n, uint64_t from) {
    static float x[CHUNK], y[CHUNK], got[CHUNK];
    static double wide[CHUNK], wide_y[CHUNK], want[CHUNK], error[CHUNK];
    for (int k = 0; k < n; k++) {
        x[k] = s->f->two ? (float)sample(s, from + (uint64_t)k)
                         : f32_of_bits(((uint32_t)from + (uint32_t)k) * SPREAD);
        y[k] = s->f->two ? (float)sample(s, (from + (uint64_t)k) >> 3) : 0;
        if (s->f->two == mpfr_pow && k % 2)
            y[k] =
                (float)((double)(int64_t)next_random(s) * 0x1p-63 * 100 / log(fabs((double)x[k])));
        wide[k] = (double)x[k];
        wide_y[k] = (double)y[k];
    }
    s->f->ours32(n, x, y, got);
    s->f->theirs32(n, wide, wide_y, want);
    const double least = s->worst;
    int open = 0;
    for (int k = 0; k < n; k++) { /* in vectors */
        const double g = (double)got[k], w = want[k];
        uint64_t bits;
        double unit;
        memcpy(&bits, &w, sizeof bits);
        bits = (bits & UINT64_C(0x7ff0000000000000)) - (UINT64_C(23) << 52);
        memcpy(&unit, &bits, sizeof unit);
        unit = unit < 0x1p-149 ? 0x1p-149 : unit;
        error[k] = fabs(g - w) / unit;
        const int near = (error[k] <= least) & ((w < 0) == (g < 0)), none = (g != g) & (w != w);
        const int beyond =
            ((g == HUGE_VAL) & (w >= 0x1p128)) | ((g == -HUGE_VAL) & (w <= -0x1p128));
        open += !(near | none | beyond);
    }
    if (from % EVERY == 0 && !is_slow(s->f, wide[0])) try(s, wide[0], wide_y[0], (double)got[0]);
    if (open == 0) return;
    for (int k = 0; k < n; k++) {
        if (fabs(want[k]) >= 0x1p128 && isinf(got[k]) && (want[k] < 0) == (got[k] < 0)) continue;
        if (is_doubtful(s, (double)got[k], want[k], error[k]) && !is_slow(s->f, wide[k]))
            try(s, wide[k], wide_y[k], (double)got[k]);
    }
}

static void chunk_f64(search *s, int n, uint64_t from) {
    static double x[CHUNK], y[CHUNK], got[CHUNK];
    static long double want[CHUNK];
    for (int k = 0; k < n; k++) {
        x[k] = sample(s, from + (uint64_t)k);
        y[k] = s->f->two ? sample(s, (from + (uint64_t)k) >> 3) : 0;
        if (s->f->two == mpfr_pow && k % 2)
            y[k] = (double)(int64_t)next_random(s) * 0x1p-63 * 745 / log(fabs(x[k]));
    }
    s->f->ours64(n, x, y, got);
    s->f->theirs64(n, x, y, want);
    for (int k = 0; k < n; k++) {
        int e = 0;
        const long double w = want[k];
        if (isfinite(w)) (void)frexpl(w, &e);
        const long double unit = ldexpl(1, e - 53 < -1074 ? -1074 : e - 53);
        const double error = (double)(fabsl((long double)got[k] - w) / unit);
        if (fabsl(w) >= 0x1p1024L && isinf(got[k]) && (w < 0) == (got[k] < 0)) continue;
        if ((is_doubtful(s, got[k], w > 0 && (double)w == 0 ? 0x1p-1074 : (double)w, error) ||
             (from + (uint64_t)k) % EVERY == 0) &&
            !is_slow(s->f, x[k]))
            try(s, x[k], y[k], got[k]);
    }
}

static bool search_all(const function *f, bool small, uint64_t count, uint64_t seed) {
    search s = {.f = f, .small = small, .random = seed, .worst = 0.5};
    judge_init(&s.judge, small);
    for (uint64_t from = 0; from < count; from += CHUNK) {
        const int n = count - from < CHUNK ? (int)(count - from) : CHUNK;
        if (small)
            chunk_f32(&s, n, from);
        else
            chunk_f64(&s, n, from);
    }
    printf("%s\t%s\t%.0f\t%.4f\t%a\t%a\n", f->name, small ? "f32" : "f64", (double)count, s.worst,
           s.at[0], s.at[1]);
    fflush(stdout);
    judge_fini(&s.judge);
    return s.worst <= f->bound;
}

static bool search_named(const char *only, bool small, double count, uint64_t seed, bool *found) {
    bool fine = true;
    for (int k = 0; k < FUNCTIONS; k++)
        if (strcmp(only, "all") == 0 || strcmp(only, functions[k].name) == 0) {
            *found = true;
            if (!search_all(&functions[k], small, (uint64_t)count, seed)) fine = false;
        }
    return fine;
}

int main(int argc, char **argv) {
    const char *type = argc > 1 ? argv[1] : "f32", *only = argc > 2 ? argv[2] : "all";
    const bool small = strcmp(type, "f32") == 0;
    const double count = argc > 3   ? strtod(argv[3], NULL)
                         : argc < 2 ? 1 << 15
                         : small    ? 0x1p32
                                    : 1e8;
    const uint64_t seed = argc > 4 ? strtoull(argv[4], NULL, 10) : 1;
    bool found = false, fine = false;
    if ((small || strcmp(type, "f64") == 0) && count > 0)
        fine = search_named(only, small, count, seed, &found);
    if (!found) {
        fprintf(stderr, "whole_elementary_test [f32|f64 FUNCTION|all [COUNT [SEED]]]\n");
        return 2;
    }
    if (argc < 2 && !search_named(only, false, count, seed, &found)) fine = false;
    return fine ? 0 : 1;
}

#endif
