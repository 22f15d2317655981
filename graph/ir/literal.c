/* Scalars as text. Decimal numbers are the shortest that read back as the same bits. */
#include "graph/ir/literal.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/format.h"

enum { MAX_LITERAL = 64 };

#define HEX "0123456789abcdefABCDEF"

/* ---- bits ---- */

static double f64_of(wadi_scalar v) {
    double x;
    if (v.type == WADI_F32) {
        const uint32_t low = (uint32_t)v.bits;
        float f;
        memcpy(&f, &low, sizeof f);
        return (double)f;
    }
    memcpy(&x, &v.bits, sizeof x);
    return x;
}

static wadi_scalar f32_scalar(float f) {
    uint32_t low;
    memcpy(&low, &f, sizeof low);
    return (wadi_scalar){WADI_F32, isnan(f) ? UINT32_C(0x7fc00000) : low};
}

static wadi_scalar f64_scalar(double x) {
    wadi_scalar v = {WADI_F64, UINT64_C(0x7ff8000000000000)};
    if (!isnan(x)) memcpy(&v.bits, &x, sizeof x);
    return v;
}

/* Reads a whole string of digits, point and exponent as a float of type `t`. */
static bool read_decimal(const char *s, wadi_type t, wadi_scalar *out) {
    char *end = NULL;
    *out = t == WADI_F32 ? f32_scalar(wadi_format_read_f32(s, &end))
                         : f64_scalar(wadi_format_read_f64(s, &end));
    return end != s && *end == '\0';
}

/* ---- printing ---- */

static const double PLAIN_BELOW = 1e6; /* whole numbers below this are written without exponent */

/* The bits that a text reads back as. */
static uint64_t read_back(const char *text, wadi_type t) {
    return t == WADI_F32 ? f32_scalar(wadi_format_read_f32(text, NULL)).bits
                         : f64_scalar(wadi_format_read_f64(text, NULL)).bits;
}

/* How many digits a text has from the first that is not 0 to the last that is not 0; at least one. */
static int significant_digits(const char *text) {
    int n = 0, last = 1;
    for (; *text && *text != 'e'; text++) {
        if (*text < '0' || *text > '9' || (n == 0 && *text == '0')) continue;
        n++;
        if (*text != '0') last = n;
    }
    return last;
}

/* The fewest digits that read back as `x`, whose bits are `v`. FLT_DIG or DBL_DIG digits survive being read and printed again, so a text
 * of no more digits than these that reads back is the one with just these; numbers that are not normal have fewer. */
static int digits_needed(wadi_scalar v, double x) {
    const bool is_f32 = v.type == WADI_F32;
    const bool normal = fabs(x) >= (is_f32 ? (double)FLT_MIN : DBL_MIN);
    const int most = is_f32 ? FLT_DECIMAL_DIG : DBL_DECIMAL_DIG;
    char text[MAX_LITERAL];
    for (int digits = normal ? (is_f32 ? FLT_DIG : DBL_DIG) : 1; digits < most; digits++) {
        (void)wadi_format(text, sizeof text, "%.*g", digits, x);
        if (read_back(text, v.type) == v.bits) return significant_digits(text);
    }
    return most;
}

static void print_finite(wadi_scalar v, wadi_text *out) {
    char text[MAX_LITERAL];
    const double x = f64_of(v);
    (void)wadi_format(text, sizeof text, "%.*g", digits_needed(v, x), x);
    if (strchr(text, 'e') && fabs(x) < PLAIN_BELOW && x == trunc(x)) /* 10.0, not 1e+01 */
        (void)wadi_format(text, sizeof text, "%.0f", x);
    wadi_text_add(out, text);
    if (!strpbrk(text, ".e")) wadi_text_add(out, ".0");
}

/* "-1.5", "inf", "nan"; with `sign`, a "+" stands before what is not negative. */
static void print_part(wadi_scalar v, bool sign, wadi_text *out) {
    const double x = f64_of(v);
    if (sign && (isnan(x) || !signbit(x))) wadi_text_add(out, "+");
    if (isnan(x))
        wadi_text_add(out, "nan");
    else if (isinf(x))
        wadi_text_add(out, x < 0 ? "-inf" : "inf");
    else
        print_finite(v, out);
}

static void print_complex(wadi_scalar v, bool bare, wadi_text *out) {
    const wadi_type part = wadi_type_part(v.type);
    print_part((wadi_scalar){part, v.bits}, false, out);
    print_part((wadi_scalar){part, v.im}, true, out);
    wadi_text_add(out, "i");
    if (!bare && v.type == WADI_C64) wadi_text_add(out, "c64");
}

static void print_float(wadi_scalar v, bool bare, wadi_text *out) {
    const double x = f64_of(v);
    if (isnan(x) || isinf(x)) {
        wadi_text_addf(out, "%s_%s",
                       isnan(x) ? "nan"
                       : x < 0  ? "-inf"
                                : "inf",
                       wadi_type_name(v.type));
        return;
    }
    print_finite(v, out);
    if (!bare && v.type == WADI_F32) wadi_text_add(out, "f32");
}

void wadi_literal_print(wadi_scalar v, bool bare, wadi_text *out) {
    if (wadi_type_is_float(v.type)) {
        print_float(v, bare, out);
    } else if (wadi_type_is_complex(v.type)) {
        print_complex(v, bare, out);
    } else if (v.type == WADI_BOOL) {
        wadi_text_add(out, v.bits ? "true" : "false");
    } else {
        if (wadi_type_is_signed(v.type))
            wadi_text_addf(out, "%lld", (long long)(int64_t)v.bits);
        else
            wadi_text_addf(out, "%llu", (unsigned long long)v.bits);
        if (!bare && v.type != WADI_I64) wadi_text_add(out, wadi_type_name(v.type));
    }
}

/* ---- reading ---- */

bool wadi_type_read(const char *s, size_t n, wadi_type *out) {
    for (int t = 0; t < WADI_TYPE_COUNT; t++) {
        const char *name = wadi_type_name((wadi_type)t);
        if (strlen(name) != n || memcmp(name, s, n) != 0) continue;
        *out = (wadi_type)t;
        return true;
    }
    return false;
}

static bool is_hex(const char *s) {
    s += *s == '-';
    return s[0] == '0' && (s[1] == 'x' || s[1] == 'X');
}

/* Cuts the name of a type off the end of `s`. In a hexadecimal number "f32" is three digits and no suffix. */
static bool cut_suffix(char *s, wadi_type *out) {
    const size_t n = strlen(s);
    for (size_t k = 2; k <= 4 && k < n; k++) {
        if (!wadi_type_read(s + n - k, k, out) || *out == WADI_BOOL) continue;
        if (is_hex(s) && wadi_type_rounds(*out)) continue;
        s[n - k] = '\0';
        return true;
    }
    return false;
}

static int digit_of(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return 99;
}

static bool read_magnitude(const char *s, uint64_t *out) {
    const uint64_t base = is_hex(s) ? 16 : 10;
    uint64_t m = 0;
    s += base == 16 ? 2 : 0;
    if (!*s) return false;
    for (; *s; s++) {
        const uint64_t digit = (uint64_t)digit_of(*s);
        if (digit >= base || m > (UINT64_MAX - digit) / base) return false;
        m = m * base + digit;
    }
    *out = m;
    return true;
}

static bool read_integer(const char *s, wadi_type t, wadi_scalar *out, const char **out_why) {
    const bool negative = *s == '-';
    uint64_t m = 0;
    const char *digits = s + negative + (is_hex(s + negative) ? 2 : 0);
    const bool whole = digits[strspn(digits, is_hex(s + negative) ? HEX : "0123456789")] == '\0';
    *out_why = whole && *digits ? "not an integer that fits 64 bits" : "not a number";
    if (!read_magnitude(s + negative, &m)) return false;
    const int bits = 8 * wadi_type_size(t) - (wadi_type_is_signed(t) ? 1 : 0);
    const uint64_t most = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
    const uint64_t least =
        wadi_type_is_signed(t) ? most + 1 : 0; /* magnitude of the least number */
    *out_why = "out of range of its type";
    if (m > (negative ? least : most)) return false;
    *out = (wadi_scalar){t, wadi_scalar_wrap(t, negative ? 0 - m : m)};
    return true;
}

/* inf_f32, -inf_f64, nan_f32, true, ... */
static bool read_word(const char *s, wadi_scalar *out) {
    static const struct {
        const char *word;
        wadi_scalar value;
    } words[] = {
        {"true", {WADI_BOOL, 1}},
        {"false", {WADI_BOOL, 0}},
        {"inf_f32", {WADI_F32, 0x7f800000}},
        {"-inf_f32", {WADI_F32, 0xff800000}},
        {"nan_f32", {WADI_F32, 0x7fc00000}},
        {"inf_f64", {WADI_F64, UINT64_C(0x7ff0000000000000)}},
        {"-inf_f64", {WADI_F64, UINT64_C(0xfff0000000000000)}},
        {"nan_f64", {WADI_F64, UINT64_C(0x7ff8000000000000)}},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcmp(words[i].word, s) != 0) continue;
        *out = words[i].value;
        return true;
    }
    return false;
}

/* ---- complex: re+imi ---- */

/* Where the imaginary part starts: the last sign that is not an exponent's, nor the first character. NULL: none. */
static char *find_imaginary(char *s) {
    for (char *at = s + strlen(s); at > s + 1;)
        if ((*--at == '+' || *at == '-') && at[-1] != 'e' && at[-1] != 'E') return at;
    return NULL;
}

static bool read_part(const char *s, wadi_type t, wadi_scalar *out) {
    static const char *const words[] = {"inf", "nan"};
    const bool negative = *s == '-', is_f32 = t == WADI_F32;
    const char *unsigned_part = s + (*s == '-' || *s == '+');
    if (strcmp(unsigned_part, words[0]) == 0)
        *out = is_f32 ? f32_scalar(negative ? -INFINITY : INFINITY)
                      : f64_scalar(negative ? -HUGE_VAL : HUGE_VAL);
    else if (strcmp(unsigned_part, words[1]) == 0)
        *out = is_f32 ? f32_scalar(NAN) : f64_scalar((double)NAN);
    else
        return s[strspn(s, "0123456789.eE+-")] == '\0' && read_decimal(s, t, out);
    return true;
}

/* A number without an `i` at its end is real. */
static bool read_complex(char *s, wadi_type t, wadi_scalar *out) {
    const size_t n = strlen(s);
    const wadi_type part = wadi_type_part(t);
    wadi_scalar re = {part, 0}, im = {part, 0};
    if (n > 1 && s[n - 1] == 'i') {
        s[n - 1] = '\0';
        char *at = find_imaginary(s);
        const bool alone = !at; /* 2i */
        if (alone) at = s;
        if (!read_part(at, part, &im)) return false;
        *at = '\0';
        if (alone) s = NULL;
    }
    if (s && !read_part(s, part, &re)) return false;
    *out = (wadi_scalar){t, re.bits, im.bits};
    return true;
}

/* ---- any literal ---- */

static wadi_type default_type(const char *s, const wadi_type *want) {
    const bool imaginary = !is_hex(s) && s[strlen(s) - 1] == 'i';
    const bool fraction = imaginary || (!is_hex(s) && strpbrk(s, ".eE"));
    if (want && (wadi_type_rounds(*want) || !fraction)) return *want;
    return imaginary ? WADI_C128 : fraction ? WADI_F64 : WADI_I64;
}

static bool read_number(char *s, const wadi_type *want, wadi_scalar *out, const char **out_why) {
    wadi_type t;
    if (!cut_suffix(s, &t)) t = default_type(s, want);
    if (wadi_type_is_int(t)) return read_integer(s, t, out, out_why);
    *out_why = "not a number";
    if (wadi_type_is_complex(t)) return read_complex(s, t, out);
    if (wadi_type_is_float(t) && strpbrk(s, "an")) return read_part(s, t, out); /* inf, nan */
    if (!wadi_type_is_float(t) || s[strspn(s, "0123456789.eE+-")] != '\0') return false;
    return read_decimal(s, t, out);
}

bool wadi_literal_read(const char *s, size_t n, const wadi_type *want, wadi_scalar *out,
                       const char **out_why) {
    char text[MAX_LITERAL + 1];
    *out_why = n == 0 ? "not a number" : "too long for a number";
    if (n == 0 || n > MAX_LITERAL) return false;
    memcpy(text, s, n);
    text[n] = '\0';
    if (!read_word(text, out) && !read_number(text, want, out, out_why)) return false;
    *out_why = "not of the type asked for";
    return !want || *want == out->type;
}

bool wadi_literal_overflows(const char *s, size_t n, wadi_scalar v) {
    const wadi_type part = wadi_type_is_complex(v.type) ? wadi_type_part(v.type) : v.type;
    if (!wadi_type_is_float(part)) return false;
    int infinite = isinf(f64_of((wadi_scalar){part, v.bits})) ? 1 : 0;
    if (part != v.type && isinf(f64_of((wadi_scalar){part, v.im}))) infinite++;
    for (size_t i = 0; i + 3 <= n; i++)
        if (memcmp(s + i, "inf", 3) == 0) infinite--;
    return infinite > 0;
}
