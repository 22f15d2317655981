/* Polynomials of the elementary functions; scripts/elementary_polynomials computes them and writes this file. The bound of each error holds
 * before rounding. */
#ifndef WADI_ELEMENTARY_POLYNOMIALS_H
#define WADI_ELEMENTARY_POLYNOMIALS_H

#include "graph/elementary/builtin.h"

/* (exp(x) - 1 - x) / x^2 up to log(2) / 2, within 2^-56.3 of the result */
WADI_FN double wadi_poly_exp_f64(double x) {
    double y = 0x1.ad7fe62ae0aa1p-26;
    y = WADI_FMA(y, x, 0x1.28ad72ee2f4b6p-22, );
    y = WADI_FMA(y, x, 0x1.71df2503b9f51p-19, );
    y = WADI_FMA(y, x, 0x1.a0199a0c0f179p-16, );
    y = WADI_FMA(y, x, 0x1.a01a012a7cc3bp-13, );
    y = WADI_FMA(y, x, 0x1.6c16c1842a452p-10, );
    y = WADI_FMA(y, x, 0x1.1111111127b70p-7, );
    y = WADI_FMA(y, x, 0x1.555555555087bp-5, );
    y = WADI_FMA(y, x, 0x1.55555555554fap-3, );
    y = WADI_FMA(y, x, 0x1.000000000000ap-1, );
    return y;
}
/* the same for sums of two numbers, within 2^-58.4 */
WADI_FN double wadi_poly_exp_long(double x) {
    double y = 0x1.1f7302786c63ep-29;
    y = WADI_FMA(y, x, 0x1.af4de80e9edfcp-26, );
    y = WADI_FMA(y, x, 0x1.27e4db64cf930p-22, );
    y = WADI_FMA(y, x, 0x1.71de023245f17p-19, );
    y = WADI_FMA(y, x, 0x1.a01a01a6d86a1p-16, );
    y = WADI_FMA(y, x, 0x1.a01a01abe7c69p-13, );
    y = WADI_FMA(y, x, 0x1.6c16c16c162d4p-10, );
    y = WADI_FMA(y, x, 0x1.11111111100dcp-7, );
    y = WADI_FMA(y, x, 0x1.5555555555556p-5, );
    y = WADI_FMA(y, x, 0x1.5555555555557p-3, );
    y = WADI_FMA(y, x, 0x1.0000000000000p-1, );
    return y;
}
/* the same for results of f32, within 2^-29.4 */
WADI_FN double wadi_poly_exp_light(double x) {
    double y = 0x1.a124effd82e81p-13;
    y = WADI_FMA(y, x, 0x1.6d4322945e06fp-10, );
    y = WADI_FMA(y, x, 0x1.1110e0f2cef9cp-7, );
    y = WADI_FMA(y, x, 0x1.5554e90788f5cp-5, );
    y = WADI_FMA(y, x, 0x1.5555555a78d51p-3, );
    y = WADI_FMA(y, x, 0x1.0000000b90f35p-1, );
    return y;
}
/* the same in f32, within 2^-28.2 of the result */
WADI_FN float wadi_poly_exp_f32(float x) {
    float y = 0x1.6ac7780000000p-10f;
    y = WADI_FMA(y, x, 0x1.123de20000000p-7f, f);
    y = WADI_FMA(y, x, 0x1.5558580000000p-5f, f);
    y = WADI_FMA(y, x, 0x1.55548c0000000p-3f, f);
    y = WADI_FMA(y, x, 0x1.fffffc0000000p-2f, f);
    return y;
}
/* the same for exp(x) - 1, within 2^-28.8 of the result */
WADI_FN float wadi_poly_expm1_f32(float x) {
    float y = 0x1.a032c40000000p-13f;
    y = WADI_FMA(y, x, 0x1.6d71f60000000p-10f, f);
    y = WADI_FMA(y, x, 0x1.11118a0000000p-7f, f);
    y = WADI_FMA(y, x, 0x1.5554b20000000p-5f, f);
    y = WADI_FMA(y, x, 0x1.5555540000000p-3f, f);
    y = WADI_FMA(y, x, 0x1.0000000000000p-1f, f);
    return y;
}
/* (2^x - 1 - x log(2)) / x^2 up to 1/2, within 2^-57.6 of the result */
WADI_FN double wadi_poly_exp2_f64(double x) {
    double y = 0x1.e7c75b5c130d7p-32;
    y = WADI_FMA(y, x, 0x1.e617c17bc6c61p-28, );
    y = WADI_FMA(y, x, 0x1.b526528fea101p-24, );
    y = WADI_FMA(y, x, 0x1.62bfc9ee54662p-20, );
    y = WADI_FMA(y, x, 0x1.ffcbfbc7e74a9p-17, );
    y = WADI_FMA(y, x, 0x1.4309130dc821ep-13, );
    y = WADI_FMA(y, x, 0x1.5d87fe78c36efp-10, );
    y = WADI_FMA(y, x, 0x1.3b2ab6fba0785p-7, );
    y = WADI_FMA(y, x, 0x1.c6b08d704a046p-5, );
    y = WADI_FMA(y, x, 0x1.ebfbdff82c5a1p-3, );
    return y;
}
/* the same in f32, within 2^-28.2 of the result */
WADI_FN float wadi_poly_exp2_f32(float x) {
    float y = 0x1.41a42c0000000p-13f;
    y = WADI_FMA(y, x, 0x1.5f06a20000000p-10f, f);
    y = WADI_FMA(y, x, 0x1.3b2db00000000p-7f, f);
    y = WADI_FMA(y, x, 0x1.c6af840000000p-5f, f);
    y = WADI_FMA(y, x, 0x1.ebfbdc0000000p-3f, f);
    return y;
}
/* (2 atanh(s) - 2 s) / s^3 of x = s^2, s up to 3 - sqrt(8), within 2^-51.5 */
WADI_FN double wadi_poly_log_f64(double x) {
    double y = 0x1.2b5885b442260p-3;
    y = WADI_FMA(y, x, 0x1.39fe5b9ecf70cp-3, );
    y = WADI_FMA(y, x, 0x1.7462b4cff5ef9p-3, );
    y = WADI_FMA(y, x, 0x1.c71c62e4fed0bp-3, );
    y = WADI_FMA(y, x, 0x1.2492492df1ae2p-2, );
    y = WADI_FMA(y, x, 0x1.99999999952dep-2, );
    y = WADI_FMA(y, x, 0x1.5555555555558p-1, );
    return y;
}
/* the same by 1 / log(2), within 2^-50.9 */
WADI_FN double wadi_poly_log2_f64(double x) {
    double y = 0x1.afdd5c2039da0p-3;
    y = WADI_FMA(y, x, 0x1.c4ff3aa6acbbbp-3, );
    y = WADI_FMA(y, x, 0x1.0c9e9190744ebp-2, );
    y = WADI_FMA(y, x, 0x1.484b091b55469p-2, );
    y = WADI_FMA(y, x, 0x1.a61762b53385cp-2, );
    y = WADI_FMA(y, x, 0x1.2776c50ef68f9p-1, );
    y = WADI_FMA(y, x, 0x1.ec709dc3a0401p-1, );
    return y;
}
/* the same by 1 / log(10), within 2^-52.6 */
WADI_FN double wadi_poly_log10_f64(double x) {
    double y = 0x1.040229c267302p-4;
    y = WADI_FMA(y, x, 0x1.10bb3a9c73374p-4, );
    y = WADI_FMA(y, x, 0x1.4373330c0b271p-4, );
    y = WADI_FMA(y, x, 0x1.8b4de606839d0p-4, );
    y = WADI_FMA(y, x, 0x1.fc3fa62558894p-4, );
    y = WADI_FMA(y, x, 0x1.63c6277521368p-3, );
    y = WADI_FMA(y, x, 0x1.287a7636f4361p-2, );
    return y;
}
/* (log(1 + x) - x + x^2 / 2) / x^3 from sqrt(1/2) - 1 to sqrt(2) - 1, in f32, within 2^-29.8 of the result */
WADI_FN float wadi_poly_log_f32(float x) {
    float y = 0x1.1b49560000000p-4f;
    y = WADI_FMA(y, x, -0x1.e2ed8e0000000p-4f, f);
    y = WADI_FMA(y, x, 0x1.e64f6e0000000p-4f, f);
    y = WADI_FMA(y, x, -0x1.fb425a0000000p-4f, f);
    y = WADI_FMA(y, x, 0x1.2332cc0000000p-3f, f);
    y = WADI_FMA(y, x, -0x1.5562ea0000000p-3f, f);
    y = WADI_FMA(y, x, 0x1.99a5460000000p-3f, f);
    y = WADI_FMA(y, x, -0x1.ffffee0000000p-3f, f);
    y = WADI_FMA(y, x, 0x1.5555460000000p-2f, f);
    return y;
}
/* (log2(1 + x) - x / log(2)) / x^2 of the same, in f32, within 2^-27.9 of the result */
WADI_FN float wadi_poly_log2_f32(float x) {
    float y = 0x1.98b3a20000000p-4f;
    y = WADI_FMA(y, x, -0x1.5c5cda0000000p-3f, f);
    y = WADI_FMA(y, x, 0x1.5ecc9a0000000p-3f, f);
    y = WADI_FMA(y, x, -0x1.6de8ca0000000p-3f, f);
    y = WADI_FMA(y, x, 0x1.a41c3e0000000p-3f, f);
    y = WADI_FMA(y, x, -0x1.ec843a0000000p-3f, f);
    y = WADI_FMA(y, x, 0x1.277f300000000p-2f, f);
    y = WADI_FMA(y, x, -0x1.71546a0000000p-2f, f);
    y = WADI_FMA(y, x, 0x1.ec70880000000p-2f, f);
    y = WADI_FMA(y, x, -0x1.7154760000000p-1f, f);
    return y;
}
/* (log10(1 + x) - x / log(10)) / x^2 of the same, in f32, within 2^-26.6 of the result */
WADI_FN float wadi_poly_log10_f32(float x) {
    float y = 0x1.ec203a0000000p-6f;
    y = WADI_FMA(y, x, -0x1.a378720000000p-5f, f);
    y = WADI_FMA(y, x, 0x1.a667840000000p-5f, f);
    y = WADI_FMA(y, x, -0x1.b899480000000p-5f, f);
    y = WADI_FMA(y, x, 0x1.f9dcfe0000000p-5f, f);
    y = WADI_FMA(y, x, -0x1.2886440000000p-4f, f);
    y = WADI_FMA(y, x, 0x1.63d04a0000000p-4f, f);
    y = WADI_FMA(y, x, -0x1.bcb7a20000000p-4f, f);
    y = WADI_FMA(y, x, 0x1.287a680000000p-3f, f);
    y = WADI_FMA(y, x, -0x1.bcb7b20000000p-3f, f);
    return y;
}
/* what follows 2 s + 2/3 s^3 in 2 atanh(s), / s^5, of x = s^2, within 2^-55.1 */
WADI_FN double wadi_poly_log_tail(double x) {
    double y = 0x1.e02d887275a6bp-4;
    y = WADI_FMA(y, x, 0x1.df7cdf0a71668p-4, );
    y = WADI_FMA(y, x, 0x1.1118c77ada5ddp-3, );
    y = WADI_FMA(y, x, 0x1.3b1395d40b350p-3, );
    y = WADI_FMA(y, x, 0x1.745d177a915bdp-3, );
    y = WADI_FMA(y, x, 0x1.c71c71c6eaa64p-3, );
    y = WADI_FMA(y, x, 0x1.2492492492521p-2, );
    y = WADI_FMA(y, x, 0x1.999999999999ap-2, );
    return y;
}
/* (sin(r) / r - 1) / r^2 of x = r^2, r up to pi / 4, within 2^-54.8 */
WADI_FN double wadi_poly_sin_f64(double x) {
    double y = 0x1.5e09d9d5e0a0ep-33;
    y = WADI_FMA(y, x, -0x1.ae6007894f61ap-26, );
    y = WADI_FMA(y, x, 0x1.71de379333e62p-19, );
    y = WADI_FMA(y, x, -0x1.a01a019e8117bp-13, );
    y = WADI_FMA(y, x, 0x1.1111111110ba7p-7, );
    y = WADI_FMA(y, x, -0x1.5555555555555p-3, );
    return y;
}
/* (cos(r) - 1 + r^2 / 2) / r^4 of x = r^2, within 2^-58.6 */
WADI_FN double wadi_poly_cos_f64(double x) {
    double y = -0x1.907c62f73b583p-37;
    y = WADI_FMA(y, x, 0x1.1eeb672c1d06ep-29, );
    y = WADI_FMA(y, x, -0x1.27e4fa162e8f2p-22, );
    y = WADI_FMA(y, x, 0x1.a01a019f4d662p-16, );
    y = WADI_FMA(y, x, -0x1.6c16c16c16961p-10, );
    y = WADI_FMA(y, x, 0x1.5555555555555p-5, );
    return y;
}
/* the first for sums of two numbers, within 2^-56.6 */
WADI_FN double wadi_poly_sin_long(double x) {
    double y = -0x1.ab167433a9299p-41;
    y = WADI_FMA(y, x, 0x1.61217cb633c7dp-33, );
    y = WADI_FMA(y, x, -0x1.ae64540fd31c2p-26, );
    y = WADI_FMA(y, x, 0x1.71de3a545ee31p-19, );
    y = WADI_FMA(y, x, -0x1.a01a01a01992ap-13, );
    y = WADI_FMA(y, x, 0x1.1111111111110p-7, );
    y = WADI_FMA(y, x, -0x1.5555555555555p-3, );
    return y;
}
/* the first in f32, within 2^-25.3 */
WADI_FN float wadi_poly_sin_f32(float x) {
    float y = -0x1.9ac78c0000000p-13f;
    y = WADI_FMA(y, x, 0x1.110c240000000p-7f, f);
    y = WADI_FMA(y, x, -0x1.5555520000000p-3f, f);
    return y;
}
/* the second in f32, within 2^-28.6 */
WADI_FN float wadi_poly_cos_f32(float x) {
    float y = 0x1.9bd6e40000000p-16f;
    y = WADI_FMA(y, x, -0x1.6c12d00000000p-10f, f);
    y = WADI_FMA(y, x, 0x1.5555540000000p-5f, f);
    return y;
}
/* the first for results of f32, within 2^-35.0 */
WADI_FN double wadi_poly_sin_light(double x) {
    double y = 0x1.6dbc5e7d1b2e1p-19;
    y = WADI_FMA(y, x, -0x1.a013a2715be7ep-13, );
    y = WADI_FMA(y, x, 0x1.11110deb6021bp-7, );
    y = WADI_FMA(y, x, -0x1.555555545c79bp-3, );
    return y;
}
/* the second for results of f32, within 2^-38.6 */
WADI_FN double wadi_poly_cos_light(double x) {
    double y = -0x1.252331e0659efp-22;
    y = WADI_FMA(y, x, 0x1.a015c10ffca17p-16, );
    y = WADI_FMA(y, x, -0x1.6c16bf525cda2p-10, );
    y = WADI_FMA(y, x, 0x1.5555555502496p-5, );
    return y;
}
/* (asin(r) / r - 1) / r^2 of x = r^2 up to 1/4, within 2^-55.3 */
WADI_FN double wadi_poly_asin_f64(double x) {
    double y = 0x1.d72bfe8d2d1b1p-6;
    y = WADI_FMA(y, x, -0x1.e6ad04e2122eep-7, );
    y = WADI_FMA(y, x, 0x1.1d19511a02decp-6, );
    y = WADI_FMA(y, x, 0x1.65a8b5a399ca3p-8, );
    y = WADI_FMA(y, x, 0x1.524229c84aabcp-7, );
    y = WADI_FMA(y, x, 0x1.78264d3213d13p-7, );
    y = WADI_FMA(y, x, 0x1.c9cf07dc27533p-7, );
    y = WADI_FMA(y, x, 0x1.1c4d35cbc696bp-6, );
    y = WADI_FMA(y, x, 0x1.6e8bb1c848b0fp-6, );
    y = WADI_FMA(y, x, 0x1.f1c71c1daf6a5p-6, );
    y = WADI_FMA(y, x, 0x1.6db6db6e31f2cp-5, );
    y = WADI_FMA(y, x, 0x1.3333333332ecap-4, );
    y = WADI_FMA(y, x, 0x1.5555555555556p-3, );
    return y;
}
/* the same in f32, within 2^-27.6 of the result */
WADI_FN float wadi_poly_asin_f32(float x) {
    float y = 0x1.595fd40000000p-5f;
    y = WADI_FMA(y, x, 0x1.8c3aba0000000p-6f, f);
    y = WADI_FMA(y, x, 0x1.747c040000000p-5f, f);
    y = WADI_FMA(y, x, 0x1.3302020000000p-4f, f);
    y = WADI_FMA(y, x, 0x1.5555c80000000p-3f, f);
    return y;
}
/* (atan(t) / t - 1) / t^2 of x = t^2, t up to 1/2, within 2^-57.5 of the result */
WADI_FN double wadi_poly_atan_f64(double x) {
    double y = 0x1.4b8644ddef15cp-7;
    y = WADI_FMA(y, x, -0x1.c1818235f1837p-6, );
    y = WADI_FMA(y, x, 0x1.56f6562074d96p-5, );
    y = WADI_FMA(y, x, -0x1.a3989d2c7308ap-5, );
    y = WADI_FMA(y, x, 0x1.dfe9853153aedp-5, );
    y = WADI_FMA(y, x, -0x1.10f3202d03cbbp-4, );
    y = WADI_FMA(y, x, 0x1.3b113dde191abp-4, );
    y = WADI_FMA(y, x, -0x1.745cf4cd4254fp-4, );
    y = WADI_FMA(y, x, 0x1.c71c709100c3cp-4, );
    y = WADI_FMA(y, x, -0x1.249249215e395p-3, );
    y = WADI_FMA(y, x, 0x1.9999999991157p-3, );
    y = WADI_FMA(y, x, -0x1.5555555555516p-2, );
    return y;
}
/* the same of x = t^2 - 0.75390625, t up to 1, within 2^-58.4 of the result */
WADI_FN double wadi_poly_atan_far(double x) {
    double y = 0x1.7cc61d24de750p-18;
    y = WADI_FMA(y, x, 0x1.3d2e7935a8ea7p-16, );
    y = WADI_FMA(y, x, 0x1.f80bdcdac5694p-16, );
    y = WADI_FMA(y, x, 0x1.7dd3735da2d7dp-16, );
    y = WADI_FMA(y, x, 0x1.5e386f6336faap-17, );
    y = WADI_FMA(y, x, -0x1.2659797e7c2ffp-18, );
    y = WADI_FMA(y, x, 0x1.12dfc18136827p-18, );
    y = WADI_FMA(y, x, -0x1.9902fa1c407f6p-17, );
    y = WADI_FMA(y, x, 0x1.6d6ba93f1a464p-16, );
    y = WADI_FMA(y, x, -0x1.5467ceb7ea63fp-15, );
    y = WADI_FMA(y, x, 0x1.416eefe43acd0p-14, );
    y = WADI_FMA(y, x, -0x1.309fd9a62abd4p-13, );
    y = WADI_FMA(y, x, 0x1.229f9ad3418a1p-12, );
    y = WADI_FMA(y, x, -0x1.177b05dd5f25cp-11, );
    y = WADI_FMA(y, x, 0x1.0f5b500a33051p-10, );
    y = WADI_FMA(y, x, -0x1.0a9e4d878d6bdp-9, );
    y = WADI_FMA(y, x, 0x1.09f3af25c1730p-8, );
    y = WADI_FMA(y, x, -0x1.0e9f196093f56p-7, );
    y = WADI_FMA(y, x, 0x1.1b0daecd3a947p-6, );
    y = WADI_FMA(y, x, -0x1.345ca79730ba2p-5, );
    y = WADI_FMA(y, x, 0x1.674b497d4ce1bp-4, );
    y = WADI_FMA(y, x, -0x1.df848d646faf0p-3, );
    return y;
}
/* the same of x = t^2 - 0.84375, in f32, within 2^-29.4 of the result */
WADI_FN float wadi_poly_atan_f32(float x) {
    float y = 0x1.23f7760000000p-10f;
    y = WADI_FMA(y, x, 0x1.2acd320000000p-10f, f);
    y = WADI_FMA(y, x, 0x1.bab7f40000000p-10f, f);
    y = WADI_FMA(y, x, -0x1.44b61a0000000p-10f, f);
    y = WADI_FMA(y, x, 0x1.981b420000000p-9f, f);
    y = WADI_FMA(y, x, -0x1.b516060000000p-8f, f);
    y = WADI_FMA(y, x, 0x1.deaa220000000p-7f, f);
    y = WADI_FMA(y, x, -0x1.11440c0000000p-5f, f);
    y = WADI_FMA(y, x, 0x1.4d35d80000000p-4f, f);
    y = WADI_FMA(y, x, -0x1.cff9ac0000000p-3f, f);
    return y;
}
/* (tan(t) / t - 1) / t^2 of x = t^2, t up to pi / 4, within 2^-58.2 of the result: the even powers, and the odd ones, of which one x is left, of the square of x */
WADI_FN double wadi_poly_tan_even_f64(double x) {
    double y = 0x1.48a70e6422178p-17;
    y = WADI_FMA(y, x, 0x1.98082a34ad949p-15, );
    y = WADI_FMA(y, x, 0x1.1a0ace3d24950p-14, );
    y = WADI_FMA(y, x, 0x1.ff3128daa47fep-13, );
    y = WADI_FMA(y, x, 0x1.7db19292fac44p-10, );
    y = WADI_FMA(y, x, 0x1.226e3a828ca71p-7, );
    y = WADI_FMA(y, x, 0x1.ba1ba1babf4c2p-5, );
    y = WADI_FMA(y, x, 0x1.555555555555ep-2, );
    return y;
}
WADI_FN double wadi_poly_tan_odd_f64(double x) {
    double y = -0x1.9722142bf0edap-16;
    y = WADI_FMA(y, x, -0x1.ae6a6e93edd6cp-16, );
    y = WADI_FMA(y, x, 0x1.5e6b4329e4144p-14, );
    y = WADI_FMA(y, x, 0x1.34bbf08b3d097p-11, );
    y = WADI_FMA(y, x, 0x1.d6d2e776f7c7bp-9, );
    y = WADI_FMA(y, x, 0x1.664f485d1df05p-6, );
    y = WADI_FMA(y, x, 0x1.11111111105d1p-3, );
    return y;
}
/* the same in f32, within 2^-30.2 of the result */
WADI_FN float wadi_poly_tan_f32(float x) {
    float y = 0x1.2dc5fa0000000p-8f;
    y = WADI_FMA(y, x, -0x1.adfc560000000p-12f, f);
    y = WADI_FMA(y, x, 0x1.7116b60000000p-7f, f);
    y = WADI_FMA(y, x, 0x1.59bc2c0000000p-6f, f);
    y = WADI_FMA(y, x, 0x1.bb2bee0000000p-5f, f);
    y = WADI_FMA(y, x, 0x1.110ba20000000p-3f, f);
    y = WADI_FMA(y, x, 0x1.5555680000000p-2f, f);
    return y;
}
/* (sinh(r) / r - 1) / r^2 of x = r^2, r up to log(2) / 2, within 2^-61.7 of the result */
WADI_FN double wadi_poly_sinh_f64(double x) {
    double y = 0x1.af5ff2f1c516ep-26;
    y = WADI_FMA(y, x, 0x1.71ddf7affe685p-19, );
    y = WADI_FMA(y, x, 0x1.a01a01b0204b6p-13, );
    y = WADI_FMA(y, x, 0x1.111111110f62ap-7, );
    y = WADI_FMA(y, x, 0x1.5555555555559p-3, );
    return y;
}
/* (cosh(r) - 1) / r^2 of x = r^2, within 2^-70.0 of the result */
WADI_FN double wadi_poly_cosh_f64(double x) {
    double y = 0x1.1f8beef4c1700p-29;
    y = WADI_FMA(y, x, 0x1.27e4cc0916e71p-22, );
    y = WADI_FMA(y, x, 0x1.a01a01ad8102ap-16, );
    y = WADI_FMA(y, x, 0x1.6c16c16c14ffap-10, );
    y = WADI_FMA(y, x, 0x1.5555555555558p-5, );
    y = WADI_FMA(y, x, 0x1.0000000000000p-1, );
    return y;
}
/* the first in f32, within 2^-26.1 of the result */
WADI_FN float wadi_poly_sinh_f32(float x) {
    float y = 0x1.12291c0000000p-7f;
    y = WADI_FMA(y, x, 0x1.5554ae0000000p-3f, f);
    return y;
}
/* the second in f32, within 2^-33.2 of the result */
WADI_FN float wadi_poly_cosh_f32(float x) {
    float y = 0x1.6d4f1c0000000p-10f;
    y = WADI_FMA(y, x, 0x1.5554e60000000p-5f, f);
    y = WADI_FMA(y, x, 0x1.0000000000000p-1f, f);
    return y;
}
/* (tanh(t) / t - 1) / t^2 of x = t^2, t up to 1, in f32, within 2^-27.5 of the result */
WADI_FN float wadi_poly_tanh_f32(float x) {
    float y = -0x1.77dcb60000000p-12f;
    y = WADI_FMA(y, x, 0x1.2da4b80000000p-9f, f);
    y = WADI_FMA(y, x, -0x1.0460a80000000p-7f, f);
    y = WADI_FMA(y, x, 0x1.6009860000000p-6f, f);
    y = WADI_FMA(y, x, -0x1.b962200000000p-5f, f);
    y = WADI_FMA(y, x, 0x1.110be20000000p-3f, f);
    y = WADI_FMA(y, x, -0x1.55553c0000000p-2f, f);
    return y;
}
/* (asinh(t) / t - 1) / t^2 of x = t^2, t up to 1/2, in f32, within 2^-29.6 of the result */
WADI_FN float wadi_poly_asinh_f32(float x) {
    float y = -0x1.b14e380000000p-7f;
    y = WADI_FMA(y, x, 0x1.cd64060000000p-6f, f);
    y = WADI_FMA(y, x, -0x1.6b95ce0000000p-5f, f);
    y = WADI_FMA(y, x, 0x1.3324f20000000p-4f, f);
    y = WADI_FMA(y, x, -0x1.5555360000000p-3f, f);
    return y;
}
/* (atanh(t) / t - 1) / t^2 of x = t^2, t up to 0.2005, within 2^-55.6 of the result */
WADI_FN double wadi_poly_atanh_f64(double x) {
    double y = 0x1.3a32094d8af12p-4;
    y = WADI_FMA(y, x, 0x1.38686d5d99786p-4, );
    y = WADI_FMA(y, x, 0x1.74739241c61acp-4, );
    y = WADI_FMA(y, x, 0x1.c71c0ba30672ap-4, );
    y = WADI_FMA(y, x, 0x1.2492499d6a5a6p-3, );
    y = WADI_FMA(y, x, 0x1.9999999919018p-3, );
    y = WADI_FMA(y, x, 0x1.5555555555694p-2, );
    return y;
}
/* (atanh(t) / t - 1) / t^2 of x = t^2, t up to 1/2, in f32, within 2^-29.4 of the result */
WADI_FN float wadi_poly_atanh_f32(float x) {
    float y = 0x1.6945f40000000p-3f;
    y = WADI_FMA(y, x, 0x1.a69b2e0000000p-5f, f);
    y = WADI_FMA(y, x, 0x1.e404100000000p-4f, f);
    y = WADI_FMA(y, x, 0x1.234d620000000p-3f, f);
    y = WADI_FMA(y, x, 0x1.99a6780000000p-3f, f);
    y = WADI_FMA(y, x, 0x1.5555400000000p-2f, f);
    return y;
}
/* (acosh(1 + x) / sqrt(2 x) - 1) / x, x up to 1/2, in f32, within 2^-29.6 of the result */
WADI_FN float wadi_poly_acosh_f32(float x) {
    float y = -0x1.b0fe900000000p-12f;
    y = WADI_FMA(y, x, 0x1.cd528c0000000p-10f, f);
    y = WADI_FMA(y, x, -0x1.6b94a20000000p-8f, f);
    y = WADI_FMA(y, x, 0x1.3324ec0000000p-6f, f);
    y = WADI_FMA(y, x, -0x1.5555360000000p-4f, f);
    return y;
}
/* 1 / the cube root of 1.457 - x, x up to 0.125, within 2^-34.1 of the result */
WADI_FN double wadi_poly_cbrt_f64(double x) {
    double y = 0x1.53858bd844cb2p-7;
    y = WADI_FMA(y, x, 0x1.15a076c8d6dd1p-6, );
    y = WADI_FMA(y, x, 0x1.cde33fbaebe45p-6, );
    y = WADI_FMA(y, x, 0x1.93ca460c0e9ebp-5, );
    y = WADI_FMA(y, x, 0x1.7a37ba5682e6cp-4, );
    y = WADI_FMA(y, x, 0x1.9d4c1ffb72793p-3, );
    y = WADI_FMA(y, x, 0x1.c3a174bb23261p-1, );
    return y;
}
/* the same in f32, within 2^-15.2 of the result */
WADI_FN float wadi_poly_cbrt_f32(float x) {
    float y = 0x1.7c1fa20000000p-4f;
    y = WADI_FMA(y, x, 0x1.9e7c560000000p-3f, f);
    y = WADI_FMA(y, x, 0x1.c3a1520000000p-1f, f);
    return y;
}
/* erf(t) / t - 1 of x = t^2, t up to 15/16, in f32, within 2^-30.0 of the result */
WADI_FN float wadi_poly_erf_inner_f32(float x) {
    float y = 0x1.4f8fa00000000p-14f;
    y = WADI_FMA(y, x, -0x1.a612a20000000p-11f, f);
    y = WADI_FMA(y, x, 0x1.544aaa0000000p-8f, f);
    y = WADI_FMA(y, x, -0x1.b801200000000p-6f, f);
    y = WADI_FMA(y, x, 0x1.ce2d640000000p-4f, f);
    y = WADI_FMA(y, x, -0x1.8127400000000p-2f, f);
    y = WADI_FMA(y, x, 0x1.06eba80000000p-3f, f);
    return y;
}
/* (-log2(erfc(15/16 + x)) - 0x1.37b4b00000000p+1) / x up to 3, in f32, within 2^-27.4 of the result */
WADI_FN float wadi_poly_erf_outer_f32(float x) {
    float y = 0x1.42711c0000000p-13f;
    y = WADI_FMA(y, x, -0x1.f11f700000000p-11f, f);
    y = WADI_FMA(y, x, 0x1.0357f20000000p-9f, f);
    y = WADI_FMA(y, x, 0x1.187bf80000000p-13f, f);
    y = WADI_FMA(y, x, -0x1.bc709c0000000p-7f, f);
    y = WADI_FMA(y, x, 0x1.0271d60000000p-4f, f);
    y = WADI_FMA(y, x, 0x1.3470da0000000p+0f, f);
    y = WADI_FMA(y, x, 0x1.d3f4580000000p+1f, f);
    return y;
}
/* exp(y^2) erfc(y) beside its quotient in error.h, of x = 1 - 2 / (1 + 11/32 y), y up to 27.3, within 2^-56.8 of the result: the even powers, and the odd ones, of which one x is left, of the square of x */
WADI_FN double wadi_poly_erfc_even_f64(double x) {
    double y = -0x1.616978d0b4b96p-29;
    y = WADI_FMA(y, x, 0x1.d74cca3ca9112p-26, );
    y = WADI_FMA(y, x, -0x1.5e6b04a6c17cap-23, );
    y = WADI_FMA(y, x, 0x1.abd12993d5b9ep-21, );
    y = WADI_FMA(y, x, -0x1.ec5a45221f03cp-19, );
    y = WADI_FMA(y, x, 0x1.4cf934f1e5abcp-16, );
    y = WADI_FMA(y, x, -0x1.e0405288d89a0p-14, );
    y = WADI_FMA(y, x, 0x1.da01d675a317bp-11, );
    y = WADI_FMA(y, x, -0x1.1d62e05b45ffcp-8, );
    y = WADI_FMA(y, x, -0x1.7b0cb4feea536p-6, );
    y = WADI_FMA(y, x, 0x1.fb006f25e7619p-4, );
    y = WADI_FMA(y, x, -0x1.0dcc5c4ade84ep-4, );
    return y;
}
WADI_FN double wadi_poly_erfc_odd_f64(double x) {
    double y = -0x1.3dc68737e7ab9p-30;
    y = WADI_FMA(y, x, 0x1.213bade86e54cp-27, );
    y = WADI_FMA(y, x, -0x1.948e28ec29989p-26, );
    y = WADI_FMA(y, x, -0x1.b51ea9736c369p-27, );
    y = WADI_FMA(y, x, 0x1.3edd5aed2eb93p-21, );
    y = WADI_FMA(y, x, -0x1.1bba40e1a6ad6p-18, );
    y = WADI_FMA(y, x, 0x1.b532f994013ddp-16, );
    y = WADI_FMA(y, x, -0x1.102a384eb1190p-14, );
    y = WADI_FMA(y, x, -0x1.cd5163a0b907dp-12, );
    y = WADI_FMA(y, x, 0x1.44a2432bf447bp-6, );
    y = WADI_FMA(y, x, 0x1.d15f48e5e1792p-6, );
    y = WADI_FMA(y, x, -0x1.0e78c0a8e62b1p-6, );
    return y;
}
/* the same for f32, of x = 1 - 2 / (1 + 3/8 y), y up to 10.25, in f32, within 2^-26.2 of the result */
WADI_FN float wadi_poly_erfc_f32(float x) {
    float y = 0x1.0109f40000000p-12f;
    y = WADI_FMA(y, x, 0x1.de90ca0000000p-12f, f);
    y = WADI_FMA(y, x, -0x1.4dad100000000p-10f, f);
    y = WADI_FMA(y, x, 0x1.2c09d60000000p-11f, f);
    y = WADI_FMA(y, x, 0x1.03f6da0000000p-6f, f);
    y = WADI_FMA(y, x, -0x1.4e61040000000p-6f, f);
    y = WADI_FMA(y, x, 0x1.8641c00000000p-5f, f);
    y = WADI_FMA(y, x, 0x1.005f740000000p-3f, f);
    y = WADI_FMA(y, x, 0x1.010ecc0000000p-7f, f);
    y = WADI_FMA(y, x, -0x1.22a50a0000000p-5f, f);
    return y;
}
/* z (log(gamma(z)) - (z - 1/2) log(z) + z - log(2 pi) / 2) of x = 1 / z^2, z from 8, within 2^-57.6 */
WADI_FN double wadi_poly_stirling(double x) {
    double y = 0x1.bf7144fb6f5d4p-4;
    y = WADI_FMA(y, x, -0x1.c5c89872c5093p-6, );
    y = WADI_FMA(y, x, 0x1.a243e29206457p-8, );
    y = WADI_FMA(y, x, -0x1.f69a09a5e654bp-10, );
    y = WADI_FMA(y, x, 0x1.b951b3ce02dabp-11, );
    y = WADI_FMA(y, x, -0x1.3813811380c7bp-11, );
    y = WADI_FMA(y, x, 0x1.a01a01a00ba3cp-11, );
    y = WADI_FMA(y, x, -0x1.6c16c16c16c0ep-9, );
    y = WADI_FMA(y, x, 0x1.5555555555555p-4, );
    return y;
}
/* if c, log(gamma(1 + x)) / x, else log(gamma(2 + x)) / x, x from -1/16 to 1/16, within 2^-57.2 and 2^-57.2 */
WADI_FN double wadi_poly_lgamma_near(bool c, double x) {
    double y = c ? 0x1.58e11b621db0ap-4 : 0x1.58eb0ffe38727p-16;
    y = WADI_FMA(y, x, c ? -0x1.7846a4e7137d2p-4 : -0x1.79cd0d01fec1dp-15, );
    y = WADI_FMA(y, x, c ? 0x1.99fdf9315a6f0p-4 : 0x1.a127727bde914p-14, );
    y = WADI_FMA(y, x, c ? -0x1.c80239043a812p-4 : -0x1.d3fd09151a556p-13, );
    y = WADI_FMA(y, x, c ? 0x1.010b37b4795abp-3 : 0x1.0b36af8a495e3p-11, );
    y = WADI_FMA(y, x, c ? -0x1.2703a2f5edf21p-3 : -0x1.38ac5c305ac3dp-10, );
    y = WADI_FMA(y, x, c ? 0x1.5b40cb0fcecd4p-3 : 0x1.7add6eadb685ep-9, );
    y = WADI_FMA(y, x, c ? -0x1.a8b9c17a63f93p-3 : -0x1.e404fc218f1d2p-8, );
    y = WADI_FMA(y, x, c ? 0x1.151322ac7d872p-2 : 0x1.51322ac7d8483p-6, );
    y = WADI_FMA(y, x, c ? -0x1.9a4d55beab304p-2 : -0x1.13e001a557607p-4, );
    y = WADI_FMA(y, x, c ? 0x1.a51a6625307d3p-1 : 0x1.4a34cc4a60fa6p-2, );
    y = WADI_FMA(y, x, c ? -0x1.2788cfc6fb619p-1 : 0x1.b0ee6072093cep-2, );
    return y;
}
/* the same for results of f32, within 2^-36.9 and 2^-44.9 */
WADI_FN double wadi_poly_lgamma_near_light(bool c, double x) {
    double y = c ? -0x1.287efea9c72e3p-3 : -0x1.390755ec5564fp-10;
    y = WADI_FMA(y, x, c ? 0x1.5d068342e6636p-3 : 0x1.7b5301b28cf01p-9, );
    y = WADI_FMA(y, x, c ? -0x1.a8b9141bbffc1p-3 : -0x1.e404f2f5984cap-8, );
    y = WADI_FMA(y, x, c ? 0x1.1512b09356dfep-2 : 0x1.513223652a3bdp-6, );
    y = WADI_FMA(y, x, c ? -0x1.9a4d55c700fc2p-2 : -0x1.13e001a55f38bp-4, );
    y = WADI_FMA(y, x, c ? 0x1.a51a662c5b629p-1 : 0x1.4a34cc4a6fd22p-2, );
    y = WADI_FMA(y, x, c ? -0x1.2788cfc6fb791p-1 : 0x1.b0ee6072093cbp-2, );
    return y;
}
/* sin(pi t) / t of x = t^2, t up to 1/2, within 2^-52.4 */
WADI_FN double wadi_poly_sinpi(double x) {
    double y = -0x1.7ed4caa17a161p-26;
    y = WADI_FMA(y, x, 0x1.aabbe36970ac2p-21, );
    y = WADI_FMA(y, x, -0x1.6fad4887fdeb3p-16, );
    y = WADI_FMA(y, x, 0x1.e8f4338e02661p-12, );
    y = WADI_FMA(y, x, -0x1.e3074fdc520bdp-8, );
    y = WADI_FMA(y, x, 0x1.50783487ec199p-4, );
    y = WADI_FMA(y, x, -0x1.32d2cce62bd57p-1, );
    y = WADI_FMA(y, x, 0x1.466bc6775aae2p+1, );
    y = WADI_FMA(y, x, -0x1.4abbce625be53p+2, );
    y = WADI_FMA(y, x, 0x1.921fb54442d18p+1, );
    return y;
}

#endif
