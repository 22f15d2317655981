/* The functions that kernels get (codegen/rt), as C, and numbers to try them on. Included once, by a test's own file. */
#ifndef TESTS_CODEGEN_RUNTIME_TEXT_H
#define TESTS_CODEGEN_RUNTIME_TEXT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <float.h>
#include <math.h>

#include "graph/ir/ir.h"
#include "sched/kernel.h"

/* Kernels are compiled without these warnings. */
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wtype-limits"
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wunknown-warning-option"
#pragma clang diagnostic ignored "-Wbitwise-instead-of-logical"
#endif
/* What functions begin with stands in work.h. */
#include "codegen/rt/lanes.h"
#include "codegen/rt/work.h"

#include "codegen/rt/scalar.h"

#include "graph/elementary/elementary.h"

#include "codegen/rt/complex.h"

#include "graph/elementary/complex.h"

/* ---- integers, in wider ones ---- */

__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 uwide;

static inline wide value_of(wadi_type t, uint64_t bits) {
    return wadi_type_is_signed(t) ? (wide)(int64_t)bits : (wide)bits;
}

static inline int width_of(wadi_type t) {
    return 8 * wadi_type_size(t);
}

/* The low bits, extended as a scalar of the type is. */
static inline uint64_t cut(wadi_type t, wide v) {
    const int width = width_of(t);
    const uwide mask = ((uwide)1 << width) - 1;
    const uwide low = (uwide)v & mask;
    const bool negative = wadi_type_is_signed(t) && (low >> (width - 1)) != 0;
    return (uint64_t)(negative ? low | ~mask : low);
}

static const uint64_t ends[] = {0,
                                1,
                                2,
                                3,
                                5,
                                7,
                                8,
                                100,
                                0x7e,
                                0x7f,
                                0x80,
                                0x81,
                                0xff,
                                0x7fff,
                                0x8000,
                                0xffff,
                                0x10000,
                                0x7fffffff,
                                0x80000000,
                                0x80000001,
                                0xffffffff,
                                UINT64_C(0x100000000),
                                UINT64_C(0x0123456789abcdef),
                                INT64_MAX,
                                UINT64_C(0x8000000000000000),
                                UINT64_C(0x8000000000000001),
                                UINT64_MAX - 6,
                                UINT64_MAX - 1,
                                UINT64_MAX};
enum { ENDS = sizeof ends / sizeof *ends };

static inline bool takes(wadi_sop op, wadi_type t) {
    const bool distance = wadi_sop_get(op)->cls == WADI_CLASS_SHIFT;
    const wadi_type types[3] = {t, distance ? WADI_I32 : t, t};
    wadi_type result;
    return wadi_sop_type(op, types, &result);
}

/* ---- floats ---- */

static inline uint64_t bits_of(wadi_type t, double x) {
    const float f = (float)x;
    uint32_t low;
    uint64_t bits;
    memcpy(&low, &f, sizeof low);
    memcpy(&bits, &x, sizeof bits);
    return t == WADI_F32 ? low : bits;
}

static inline double float_of(wadi_type t, uint64_t bits) {
    const uint32_t low = (uint32_t)bits;
    float f;
    double x;
    memcpy(&f, &low, sizeof f);
    memcpy(&x, &bits, sizeof x);
    return t == WADI_F32 ? (double)f : x;
}

/* NaNs are one value; zeros are two. */
static inline bool same_float(wadi_type t, uint64_t x, uint64_t y) {
    return x == y || (isnan(float_of(t, x)) && isnan(float_of(t, y)));
}

static const double reals[] = {0.0,
                               -0.0,
                               1,
                               -1,
                               0.5,
                               -0.5,
                               1.5,
                               -1.5,
                               2.5,
                               -2.5,
                               0.49999999999999994,
                               3,
                               7,
                               -7,
                               100.25,
                               8388607.5,
                               8388608,
                               1e10,
                               -1e10,
                               4503599627370495.5,
                               4503599627370497,
                               1e300,
                               -1e300,
                               1e-310,
                               (double)FLT_MIN,
                               (double)FLT_MAX,
                               DBL_MAX,
                               (double)INFINITY,
                               -(double)INFINITY,
                               (double)NAN};
enum { REALS = sizeof reals / sizeof *reals };

#endif
