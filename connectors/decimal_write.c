/* The least decimal digits that tell a real number, in whole numbers: a number x of the range that people use is m / 2^shift, and its n digits are m * 10^k / 2^shift
 * rounded, which 120 bits hold exactly. They read as x again if they differ from it by less than half a unit of m. Numbers beyond that range are tried with
 * wadi_format. */
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/format.h"
#include "connectors/decimal.h"

__extension__ typedef unsigned __int128 wide;

enum { LOWEST = -4, HIGHEST = 15 }; /* from 10^LOWEST on, below 10^HIGHEST, %g has no exponent */

typedef struct real {
    uint64_t mantissa;
    int shift; /* it is mantissa / 2^shift */
    int power; /* and at least 10^power, below 10^(power + 1) */
} real;

static wide ten_to(int k) {
    static const uint64_t tens[] = {1,       10,       100,       1000,       10000,      100000,
                                    1000000, 10000000, 100000000, 1000000000, 10000000000};
    return k <= 10 ? (wide)tens[k] : (wide)tens[10] * tens[k - 10];
}

/* As numbers of f64, the negative powers are a little more than they should be: what is at least the one is at least the other. */
static int power_of(double x) {
    static const double powers[] = {1e-4, 1e-3, 1e-2, 1e-1, 1e0,  1e1,  1e2,  1e3,  1e4, 1e5,
                                    1e6,  1e7,  1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14};
    int at = HIGHEST - 1 - LOWEST;
    while (x < powers[at]) at--;
    return at + LOWEST;
}

static real real_of(double x, int bits) {
    int exponent;
    const double part = frexp(x, &exponent);
    return (real){
        .mantissa = (uint64_t)ldexp(part, bits), .shift = bits - exponent, .power = power_of(x)};
}

/* x * 10^k rounded; whether that, divided by 10^k, reads as x. It never lies halfway between two numbers, since that has more digits; and that numbers lie closer
 * below a power of two makes no difference to any of this range, as the test tries them all. */
static bool rounds(const real *x, int k, uint64_t *out) {
    const wide ten = ten_to(k), exact = x->mantissa * ten;
    const wide half = (wide)1 << (x->shift - 1), rest = exact & (2 * half - 1);
    wide v = exact >> x->shift;
    if (rest > half || (rest == half && (v & 1) != 0)) v++;
    const wide at = v << x->shift;
    *out = (uint64_t)v;
    return 2 * (at < exact ? exact - at : at - exact) < ten;
}

/* v / 10^k. Returns its length. */
static size_t write_fixed(bool minus, uint64_t v, int k, char *out) {
    char digits[WADI_DECIMAL_ROOM];
    size_t at = sizeof digits;
    for (; k > 0 && v % 10 == 0; k--) v /= 10;
    for (int i = 0; i <= k || v > 0; i++) {
        if (i == k && k > 0) digits[--at] = '.';
        digits[--at] = (char)('0' + v % 10);
        v /= 10;
    }
    if (minus) digits[--at] = '-';
    memcpy(out, digits + at, sizeof digits - at);
    return sizeof digits - at;
}

/* Of a type of real numbers. */
typedef struct kind {
    int bits, first,
        last; /* of its mantissa; the digits that always read as what was written, and those that are enough */
    double below; /* 10^first: below it, %g has no exponent */
    double (*read)(const char *text);
} kind;

static double read_f64(const char *text) {
    return wadi_format_read_f64(text, NULL);
}

static double read_f32(const char *text) {
    return (double)wadi_format_read_f32(text, NULL);
}

static const kind f64 = {DBL_MANT_DIG, DBL_DIG, 17, 1e15, read_f64},
                  f32 = {FLT_MANT_DIG, FLT_DIG, 9, 1e6, read_f32};

static size_t write_near(double x, const kind *of, char *out) {
    const real r = real_of(fabs(x), of->bits);
    uint64_t v;
    for (int n = of->first; n <= of->last; n++)
        if (rounds(&r, n - 1 - r.power, &v)) return write_fixed(x < 0, v, n - 1 - r.power, out);
    return 0;
}

static size_t write_text(const char *text, char *out) {
    const size_t n = strlen(text);
    memcpy(out, text, n);
    return n;
}

static size_t write_real(double x, const kind *of, char *out) {
    char text[WADI_DECIMAL_ROOM];
    if (x == 0) return write_text(signbit(x) ? "-0" : "0", out);
    if (isnan(x)) return write_text("nan", out);
    const size_t near = fabs(x) >= 1e-4 && fabs(x) < of->below ? write_near(x, of, out) : 0;
    if (near > 0) return near;
    for (int n = of->first; n <= of->last; n++) {
        wadi_format(text, sizeof text, "%.*g", n, x);
        if (of->read(text) == x) break;
    }
    return write_text(text, out);
}

size_t wadi_decimal_write_f64(double x, char *out) {
    return write_real(x, &f64, out);
}

size_t wadi_decimal_write_f32(float x, char *out) {
    return write_real((double)x, &f32, out);
}
