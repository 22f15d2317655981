/* Cutting a line into fields, and reading them as numbers. */
#include "connectors/lines_fields.h"

#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "base/format.h"
#include "connectors/decimal.h"

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

static void trim(const char **at, const char **end) {
    while (*at < *end && is_blank(**at)) ++*at;
    while (*at < *end && is_blank((*end)[-1])) --*end;
}

wadi_lines_fields wadi_lines_fields_of(const char *line, size_t n, char separator) {
    const char *at = line, *end = line + n;
    trim(&at, &end);
    if (at == end) return (wadi_lines_fields){.at = NULL};
    return (wadi_lines_fields){line, line + n, separator};
}

bool wadi_lines_fields_next(wadi_lines_fields *f, const char **out_at, size_t *out_n) {
    if (f->at == NULL) return false;
    const char *at = f->at, *end = f->end;
    if (f->separator == '\0') {
        trim(&at, &end);
        f->at = NULL;
        if (at == end) return false;
        const char *stop = at;
        while (stop < end && !is_blank(*stop)) stop++;
        f->at = stop < end ? stop : NULL;
        end = stop;
    } else {
        const char *stop = memchr(at, f->separator, (size_t)(end - at));
        f->at = stop != NULL ? stop + 1 : NULL;
        if (stop != NULL) end = stop;
        trim(&at, &end);
    }
    *out_at = at;
    *out_n = (size_t)(end - at);
    return true;
}

/* ---- numbers ---- */

typedef struct bounds {
    uint64_t below, above; /* how far it reaches below and above zero */
} bounds;

static bounds bounds_of(wadi_type type) {
    if (type == WADI_BOOL) return (bounds){0, 1};
    const int bits = 8 * wadi_type_size(type);
    const bool is_unsigned = type >= WADI_U8 && type <= WADI_U64;
    const uint64_t all = UINT64_MAX >> (64 - bits);
    return is_unsigned ? (bounds){0, all} : (bounds){all / 2 + 1, all / 2};
}

static bool read_integer(const char *at, const char *end, wadi_type type, void *out) {
    const bounds most = bounds_of(type);
    const bool minus = *at == '-';
    const uint64_t limit = minus ? most.below : most.above;
    if (*at == '-' || *at == '+') at++;
    if (at == end) return false;
    uint64_t v = 0;
    for (; at < end; at++) {
        const unsigned digit = (unsigned)(unsigned char)*at - '0';
        if (digit > 9 || v > (limit - digit % 10) / 10 || 10 * v + digit > limit) return false;
        v = 10 * v + digit;
    }
    if (minus) v = 0 - v;
    memcpy(out, &v, (size_t)wadi_type_size(type)); /* little-endian: its lowest bytes */
    return true;
}

/* A number that was rounded to an f64 first would be rounded twice. */
static bool read_f32(const char *at, size_t n, float *out) {
    char text[512], *stop = text;
    double wide;
    if (n >= sizeof text || wadi_decimal_f64(at, at + n, &wide) != at + n) return false;
    for (size_t i = 0; i < n; i++) text[i] = at[i] == 'd' || at[i] == 'D' ? 'e' : at[i];
    text[n] = '\0';
    if (wide - wide != 0) { /* inf, nan */
        *out = (float)wide;
        return true;
    }
    *out = wadi_format_read_f32(text, &stop);
    return stop == text + n;
}

bool wadi_lines_field_read(const char *at, size_t n, wadi_type type, void *out) {
    if (n == 0) return false;
    if (type == WADI_F32) return read_f32(at, n, out);
    if (type != WADI_F64) return read_integer(at, at + n, type, out);
    return wadi_decimal_f64(at, at + n, out) == at + n;
}
