/* Sums and products of two numbers with what rounding has cut off.
 *
 * The elementary functions in this folder are one text for the interpreter, C, CUDA C and OpenCL C. It has only + - * /, fused
 * multiply-adds, roots, selections, integers and reinterpreted bits, which all of these round alike, so that results have the same bits
 * everywhere. Selections stand in the place of branches, so that loops over the functions are vectorised.
 *
 * Sources: T. J. Dekker, A Floating-Point Technique for Extending the Available Precision (1971); D. E. Knuth, The Art of Computer
 * Programming 2, 4.2.2 (the sum of any two numbers); P. Markstein, Computation of Elementary Functions on the IBM RISC System/6000 Processor
 * (1990; products and quotients by fused multiply-adds). */
#ifndef WADI_ELEMENTARY_SUMS_H
#define WADI_ELEMENTARY_SUMS_H

#include "graph/elementary/builtin.h"

/* a + b, where b is not the larger one, or a is 0 */
WADI_FN double wadi_sum_ordered(double a, double b, double *low) {
    const double s = a + b;
    *low = (a - s) + b;
    return s;
}

WADI_FN double wadi_sum_any(double a, double b, double *low) {
    const double s = a + b, t = s - a;
    *low = (a - (s - t)) + (b - t);
    return s;
}

WADI_FN double wadi_product(double a, double b, double *low) {
    const double p = a * b;
    *low = WADI_FMA(a, b, -p, );
    return p;
}

/* (a + al) (b + bl) */
WADI_FN double wadi_product_of_sums(double a, double al, double b, double bl, double *low) {
    const double p = a * b, e = WADI_FMA(a, b, -p, );
    return wadi_sum_ordered(p, e + WADI_FMA(a, bl, al * b, ), low);
}

/* (n + nl) / (d + dl) */
WADI_FN double wadi_quotient_of_sums(double n, double nl, double d, double dl, double *low) {
    const double inverse = 1 / d, q = n * inverse;
    *low = (WADI_FMA(-q, d, n, ) + WADI_FMA(-q, dl, nl, )) * inverse;
    return q;
}

/* 1 / sqrt(x) to a thirtieth, for what roots lack; x's bits say it (J. F. Blinn, Floating-Point Tricks, 1997) */
WADI_FN double wadi_inverse_root_f64(double x) {
    return wadi_of_bits_f64(0x5fe6eb50c7b537a9u - (wadi_bits_of_f64(x) >> 1));
}

WADI_FN float wadi_inverse_root_f32(float x) {
    return wadi_of_bits_f32(0x5f3759dfu - (wadi_bits_of_f32(x) >> 1));
}

#endif
