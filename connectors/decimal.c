/* Decimal numbers. If the digits are an integer of at most 2^53 and the power of ten is at most 10^22, both are exact in f64,
 * and one multiplication or division rounds correctly (Clinger 1990). More digits, as programs write them that want the same number back, are divided as whole numbers of
 * 128 bits and rounded. All others go to strtod. */
#include "connectors/decimal.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/format.h"

enum { MAX_POWER = 22, MAX_TOKEN = 512, MAX_DIVISOR = 19 /* 10^19 < 2^64 */ };

__extension__ typedef unsigned __int128 wide;

static const double powers[MAX_POWER + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                             1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                             1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static const char *slow(const char *at, const char *end, double *out) {
    char text[MAX_TOKEN];
    size_t n = 0;
    const char *from = at;
    while (from < end && n + 1 < sizeof text && strchr(" \t\r\n", *from) == NULL) {
        const char c = *from++;
        text[n++] = c == 'd' || c == 'D' ? 'e' : c;
    }
    text[n] = '\0';
    if (strpbrk(text, "xX") != NULL)
        return NULL; /* strtod reads hexadecimal; this format has none */
    char *stop = text;
    *out = wadi_format_read_f64(text, &stop);
    return stop == text ? NULL : at + (stop - text);
}

/* digits / 10^n correctly rounded, for digits of 2^53 to 2^63 and n up to MAX_DIVISOR: the quotient of digits * 2^64 has 54 bits at least, and what it leaves decides
 * between its two neighbours only if those bits do not. */
static double divide(uint64_t digits, int n) {
    uint64_t divisor = 1;
    for (int i = 0; i < n; i++) divisor *= 10;
    const wide all = (wide)digits << 64;
    wide v = all / divisor;
    const bool rest = v * divisor != all;
    const uint64_t high = (uint64_t)(v >> 64), top = high != 0 ? high : (uint64_t)v;
    const int drop = (high != 0 ? 128 : 64) - __builtin_clzll(top) - DBL_MANT_DIG;
    const wide half = (wide)1 << (drop - 1), low = v & (2 * half - 1);
    v >>= drop;
    if (low > half || (low == half && (rest || (v & 1) != 0))) v++;
    return ldexp((double)(uint64_t)v, drop - 64);
}

/* Reads the exponent behind a mantissa, if there is one, and adds it to *out. False: the fast way cannot take this number. */
static bool read_exponent(const char **at, const char *end, int *out) {
    const char *p = *at;
    int e = 0;
    if (p == end || (*p != 'e' && *p != 'E' && *p != 'd' && *p != 'D')) return true;
    p++;
    const bool minus = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+')) p++;
    const char *digits = p;
    while (p < end && is_digit(*p) && p - digits < 5) e = 10 * e + (*p++ - '0');
    if (p == digits || (p < end && is_digit(*p))) return false;
    *out += minus ? -e : e;
    *at = p;
    return true;
}

const char *wadi_decimal_f64(const char *at, const char *end, double *out) {
    const char *p = at;
    const bool minus = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+')) p++;
    uint64_t digits = 0;
    int count = 0, power = 0;
    const char *from = p;
    for (; p < end && is_digit(*p); p++, count += digits != 0)
        digits = 10 * digits + (uint64_t)(*p - '0');
    const char *point = p;
    if (p < end && *p == '.') {
        for (p++; p < end && is_digit(*p); p++, count += digits != 0) {
            digits = 10 * digits + (uint64_t)(*p - '0');
            power--;
        }
    }
    if (p - from < 1 || (p - from == 1 && p != point)) return slow(at, end, out); /* no digit */
    if (count > 18 || !read_exponent(&p, end, &power) || power > MAX_POWER || power < -MAX_POWER)
        return slow(at, end, out);
    const bool exact = digits <= UINT64_C(1) << 53;
    if (!exact && (power > 0 || power < -MAX_DIVISOR)) return slow(at, end, out);
    const double v = !exact      ? divide(digits, -power)
                     : power < 0 ? (double)digits / powers[-power]
                                 : (double)digits * powers[power];
    *out = minus ? -v : v;
    return p;
}

bool wadi_decimal_is_exact_integer(const char *at, const char *end) {
    uint64_t v = 0;
    if (at < end && (*at == '-' || *at == '+')) at++;
    if (at == end) return false;
    for (; at < end; at++) {
        if (!is_digit(*at)) return false;
        v = 10 * v + (uint64_t)(*at - '0');
        if (v > UINT64_C(1) << 53) return false;
    }
    return true;
}
