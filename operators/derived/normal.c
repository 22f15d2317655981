/* Random numbers of the normal distribution: the inverse of its distribution function at a uniform number (Wichura: Algorithm
 * AS 241: the percentage points of the normal distribution, PPND16; Applied Statistics 37, 1988).
 *
 * Near the middle it is a rational function. In the tails it is one of sqrt(-log(p)). The logarithm is made here of additions,
 * products and a quotient, so the bits are the same on every target. */
#include "graph/lang/node.h"

enum { DEGREE = 7 };

/* A quotient of two polynomials; the highest powers come first. */
typedef struct rational {
    double above[DEGREE + 1], below[DEGREE + 1];
} rational;

static const rational middle = {
    {2509.0809287301226727, 33430.575583588128105, 67265.770927008700853, 45921.953931549871457,
     13731.693765509461125, 1971.5909503065514427, 133.14166789178437745, 3.387132872796366608},
    {5226.495278852545925, 28729.085735721942674, 39307.89580009271061, 21213.794301586595867,
     5394.1960214247511077, 687.1870074920579083, 42.313330701600911252, 1.0}};

static const rational tail = {
    {7.7454501427834140764e-4, 2.27238449892691845833e-2, 2.4178072517745061177e-1,
     1.27045825245236838258, 3.64784832476320460504, 5.7694972214606914055, 4.6303378461565452959,
     1.42343711074968357734},
    {1.05075007164441684324e-9, 5.475938084995344946e-4, 1.51986665636164571966e-2,
     1.4810397642748007459e-1, 6.8976733498510000455e-1, 1.6763848301838038494,
     2.05319162663775882187, 1.0}};

static const rational far_tail = {
    {2.01033439929228813265e-7, 2.71155556874348757815e-5, 1.2426609473880784386e-3,
     2.6532189526576123093e-2, 2.9656057182850489123e-1, 1.7848265399172913358,
     5.4637849111641143699, 6.6579046435011037772},
    {2.04426310338993978564e-15, 1.4215117583164458887e-7, 1.8463183175100546818e-5,
     7.868691311456132591e-4, 1.48753612908506148525e-2, 1.3692988092273580531e-1,
     5.9983220655588793769e-1, 1.0}};

static wadi_exp polynomial(int degree, const double *c, wadi_exp x) {
    wadi_exp y = wadi_f64(c[0]);
    for (int k = 1; k <= degree; k++) y = wadi_add(wadi_mul(y, x), wadi_f64(c[k]));
    return y;
}

static wadi_exp quotient(const rational *r, wadi_exp x) {
    return wadi_div(polynomial(DEGREE, r->above, x), polynomial(DEGREE, r->below, x));
}

/* The logarithm of a normal positive number x = m 2^e, with sqrt(1/2) <= m < sqrt(2): e log 2 + log m, where log m =
 * 2 (s + s^3/3 + s^5/5 + ..) with s = (m - 1) / (m + 1), |s| < 0.1716. The series ends where terms are below 2^-56. */
static wadi_exp logarithm(wadi_exp x) {
    enum { TERMS = 10 };
    double c[TERMS + 1];
    for (int k = 0; k <= TERMS; k++) c[k] = 2.0 / (2 * (TERMS - k) + 1);
    const uint64_t half_root = 0x3FE6A09E667F3BCD; /* sqrt(1/2) */
    const wadi_exp from = wadi_sub(wadi_bitcast(WADI_I64, x), wadi_i64((int64_t)half_root));
    const wadi_exp e = wadi_shr(from, wadi_i32(52));
    const wadi_exp bits = wadi_sub(wadi_bitcast(WADI_I64, x), wadi_shl(e, wadi_i32(52)));
    const wadi_exp m = wadi_bitcast(WADI_F64, bits), one = wadi_f64(1);
    const wadi_exp s = wadi_div(wadi_sub(m, one), wadi_add(m, one));
    const wadi_exp log_m = wadi_mul(s, polynomial(TERMS, c, wadi_mul(s, s)));
    const wadi_exp log_2 = wadi_f64(0.693147180559945309417232121458);
    return wadi_add(wadi_mul(wadi_convert(WADI_F64, e), log_2), log_m);
}

/* The modulus of the number below which a part p (0 < p <= 1/2) of the distribution lies. */
static wadi_exp modulus(wadi_exp p) {
    const wadi_exp q = wadi_sub(wadi_f64(0.5), p);
    const wadi_exp r = wadi_sub(wadi_f64(0.180625), wadi_mul(q, q));
    const wadi_exp t = wadi_sqrt(wadi_neg(logarithm(p)));
    const wadi_exp near = quotient(&tail, wadi_sub(t, wadi_f64(1.6)));
    const wadi_exp far = quotient(&far_tail, wadi_sub(t, wadi_f64(5)));
    const wadi_exp outside = wadi_cond(wadi_le(t, wadi_f64(5)), near, far);
    return wadi_cond(wadi_le(q, wadi_f64(0.425)), wadi_mul(q, quotient(&middle, r)), outside);
}

/* The highest bit is the sign; the others are p. */
wadi_exp wadi_random_normal_f64(wadi_exp seed, wadi_exp index) {
    if (!wadi_exp_to_i64("random_normal", "argument 1", seed).node) return WADI_NO_EXP;
    if (!wadi_exp_to_i64("random_normal", "argument 2", index).node) return WADI_NO_EXP;
    const wadi_exp bits = wadi_random_u64(seed, index);
    const wadi_exp low = wadi_convert(WADI_F64, wadi_shr(wadi_shl(bits, wadi_i32(1)), wadi_i32(1)));
    const wadi_exp p = wadi_mul(wadi_add(low, wadi_f64(0.5)), wadi_f64(0x1p-64));
    const wadi_exp x = modulus(p);
    return wadi_cond(wadi_lt(wadi_bitcast(WADI_I64, bits), wadi_i64(0)), wadi_neg(x), x);
}

wadi_exp wadi_random_normal_f32(wadi_exp seed, wadi_exp index) {
    const wadi_exp x = wadi_random_normal_f64(seed, index);
    return x.node ? wadi_convert(WADI_F32, x) : WADI_NO_EXP;
}
