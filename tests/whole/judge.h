/* What the truth, by MPFR, says of a number that was computed. For tests that have MPFR. */
#ifndef WADI_TESTS_WHOLE_JUDGE_H
#define WADI_TESTS_WHOLE_JUDGE_H

#include <math.h>
#include <mpfr.h>
#include <stdbool.h>

/** The arguments of a function, and its value there to 140 bits. */
typedef struct judge {
    mpfr_t x, y, want, spare;
    bool small;       /* what is computed is of f32, otherwise of f64 */
    bool near_a_root; /* of lgamma, of negative numbers: only the difference has a bound */
} judge;

static inline void judge_init(judge *j, bool small) {
    mpfr_inits2(53, j->x, j->y, (mpfr_ptr)NULL);
    mpfr_inits2(140, j->want, j->spare, (mpfr_ptr)NULL);
    j->small = small;
    j->near_a_root = false;
}

static inline void judge_fini(judge *j) {
    mpfr_clears(j->x, j->y, j->want, j->spare, (mpfr_ptr)NULL);
}

/** The logarithm of |gamma|, as MPFR's functions of one number. */
static inline int judge_log_of_gamma(mpfr_t y, const mpfr_t x, mpfr_rnd_t round) {
    int sign;
    return mpfr_lgamma(y, &sign, x, round);
}

/** Computes the truth at x, or at x and y if `one` is NULL. */
static inline void judge_at(judge *j, int (*one)(mpfr_t, const mpfr_t, mpfr_rnd_t),
                            int (*two)(mpfr_t, const mpfr_t, const mpfr_t, mpfr_rnd_t), double x,
                            double y) {
    mpfr_set_d(j->x, x, MPFR_RNDN);
    mpfr_set_d(j->y, y, MPFR_RNDN);
    if (one)
        (void)one(j->want, j->x, MPFR_RNDN);
    else
        (void)two(j->want, j->x, j->y, MPFR_RNDN);
    j->near_a_root = one == judge_log_of_gamma && x < 0;
}

/** The error of `got` in units in the last place of the truth. Infinite if `got` is of another kind: NaN, of another sign, not 0 where the truth
 *  is, or finite where it is beyond all numbers of the type. Where infinity is wrong, it counts as the number after the largest one. */
static inline double judge_error(judge *j, double got) {
    const int digits = j->small ? 24 : 53, least = j->small ? -149 : -1074;
    const int top = j->small ? 128 : 1024; /* of the power of 2 that is beyond */
    if (mpfr_nan_p(j->want) || isnan(got)) return mpfr_nan_p(j->want) && isnan(got) ? 0 : HUGE_VAL;
    if ((signbit(got) != 0) != (mpfr_signbit(j->want) != 0)) return HUGE_VAL;
    if (mpfr_zero_p(j->want)) return got == 0 ? 0 : HUGE_VAL;
    if (mpfr_inf_p(j->want) || mpfr_get_exp(j->want) > top) return isinf(got) ? 0 : HUGE_VAL;
    if (isinf(got))
        mpfr_set_si_2exp(j->spare, got < 0 ? -1 : 1, top, MPFR_RNDN);
    else
        mpfr_set_d(j->spare, got, MPFR_RNDN);
    mpfr_sub(j->spare, j->spare, j->want, MPFR_RNDN);
    if (j->near_a_root && fabs(mpfr_get_d(j->spare, MPFR_RNDN)) < 0x1p-53) return 0;
    const int e = (int)mpfr_get_exp(j->want) - digits;
    mpfr_mul_2si(j->spare, j->spare, -(e > least ? e : least), MPFR_RNDN);
    return fabs(mpfr_get_d(j->spare, MPFR_RNDN));
}

/** Whether MPFR takes very long, or all memory: gamma of large numbers. */
static inline bool judge_is_slow(int (*one)(mpfr_t, const mpfr_t, mpfr_rnd_t), double x) {
    const bool gamma = one == mpfr_gamma, log = one == judge_log_of_gamma;
    return ((gamma || log) && x < -1e4 && floor(x) != x) || (gamma && fabs(x) > 1e6 && x - x == 0);
}

#endif
