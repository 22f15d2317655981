/* Prints and reads the values of a plan's text. Floating-point numbers are printed with so many digits that they read back exactly. A
 * NaN is printed with its bits, "nan:7fc00000". */
#include "sched/plan/words.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/format.h"
#include "base/text.h"

const char *const wadi_plan_kinds[] = {"once", "regular", "irregular", NULL};
const char *const wadi_plan_ends[] = {
#define WADI_END(KIND, name, slots) #name,
#include "sched/ends.def"
#undef WADI_END
    NULL};
const char *const wadi_plan_lasts[] = {"drop", "pad", "keep", NULL};

/* ---- names ---- */

void wadi_plan_name_print(const char *name, wadi_text *out) {
    if (name == NULL) {
        wadi_text_add(out, "_");
        return;
    }
    const char *at = name;
    while (wadi_ascii_is_word(*at)) at++;
    const bool plain = *name != '\0' && *at == '\0' && !(*name >= '0' && *name <= '9');
    if (plain && strcmp(name, "_") != 0)
        wadi_text_add(out, name);
    else
        wadi_plan_string_print(name, out);
}

void wadi_plan_string_print(const char *s, wadi_text *out) {
    if (s == NULL) {
        wadi_text_add(out, "-");
        return;
    }
    wadi_text_add(out, "\"");
    for (; *s != '\0'; s++) {
        const unsigned char c = (unsigned char)*s;
        if (c < 32 || c == 127 || c == '"' || c == '\\')
            wadi_text_addf(out, "\\%02x", c);
        else
            wadi_text_add_n(out, s, 1);
    }
    wadi_text_add(out, "\"");
}

/* ---- values ---- */

/* The bits as a little-endian host stores them. */
static uint64_t take_bits(const char *at, int size) {
    uint64_t bits = 0;
    for (int i = size - 1; i >= 0; i--) bits = bits << 8 | (unsigned char)at[i];
    return bits;
}

static void put_bits(uint64_t bits, int size, char *at) {
    for (int i = 0; i < size; i++) at[i] = (char)(bits >> (8 * i));
}

static void print_float(wadi_type type, const char *at, wadi_text *out) {
    const bool is_single = type == WADI_F32;
    float single = 0;
    double x = 0;
    memcpy(is_single ? (void *)&single : (void *)&x, at, (size_t)wadi_type_size(type));
    if (is_single) x = (double)single;
    if (isnan(x))
        wadi_text_addf(out, "nan:%" PRIx64, take_bits(at, wadi_type_size(type)));
    else
        wadi_text_addf(out, "%.*g", is_single ? 9 : 17, x);
}

static bool is_signed(wadi_type type) {
    return type == WADI_I8 || type == WADI_I16 || type == WADI_I32 || type == WADI_I64;
}

static bool is_float(wadi_type type) {
    return type == WADI_F32 || type == WADI_F64;
}

static void print_integer(wadi_type type, const char *at, wadi_text *out) {
    const int size = wadi_type_size(type);
    const uint64_t bits = take_bits(at, size);
    if (is_signed(type)) {
        const uint64_t sign = UINT64_C(1) << (8 * size - 1);
        wadi_text_addf(out, "%" PRId64, (int64_t)((bits ^ sign) - sign));
    } else {
        wadi_text_addf(out, "%" PRIu64, bits);
    }
}

void wadi_plan_value_print(wadi_type type, const void *at, wadi_text *out) {
    const char *from = at;
    const wadi_type part = type == WADI_C64 ? WADI_F32 : type == WADI_C128 ? WADI_F64 : type;
    if (part != type) {
        wadi_plan_value_print(part, from, out);
        wadi_text_add(out, " ");
        wadi_plan_value_print(part, from + wadi_type_size(part), out);
    } else if (is_float(part)) {
        print_float(part, from, out);
    } else {
        print_integer(type, from, out);
    }
}

static const char *read_integer(wadi_type type, const char *text, char *at) {
    const int size = wadi_type_size(type), width = 8 * size;
    char *end = NULL;
    const char *digits = text + (*text == '-');
    if (*digits < '0' || *digits > '9') return NULL;
    errno = 0;
    if (is_signed(type)) {
        const int64_t x = strtoll(text, &end, 10), most = INT64_MAX >> (64 - width);
        if (errno != 0 || x > most || x < -most - 1) return NULL;
        put_bits((uint64_t)x, size, at);
    } else {
        const uint64_t x = strtoull(text, &end, 10);
        const uint64_t most = type == WADI_BOOL ? 1 : UINT64_MAX >> (64 - width);
        if (errno != 0 || *text == '-' || x > most) return NULL;
        put_bits(x, size, at);
    }
    return end;
}

static const char *read_float(wadi_type type, const char *text, char *at) {
    const int size = wadi_type_size(type);
    char *end = NULL;
    if (strncmp(text, "nan:", 4) == 0) {
        const uint64_t bits = strtoull(text + 4, &end, 16);
        put_bits(bits, size, at);
        const bool is_nan = type == WADI_F32 ? (bits & 0x7fffffff) > 0x7f800000 && bits >> 32 == 0
                                             : (bits & INT64_MAX) > UINT64_C(0x7ff0000000000000);
        return is_nan && text[4] != '-' && text[4] != '+' && text[4] != ' ' ? end : NULL;
    }
    if (*text != '-' && *text != 'i' && (*text < '0' || *text > '9')) return NULL;
    if (type == WADI_F32) {
        const float x = wadi_format_read_f32(text, &end);
        memcpy(at, &x, sizeof x);
        return end == text || isnan(x) ? NULL : end;
    }
    const double x = wadi_format_read_f64(text, &end);
    memcpy(at, &x, sizeof x);
    return end == text || isnan(x) ? NULL : end;
}

const char *wadi_plan_value_read(wadi_type type, const char *text, void *at) {
    const wadi_type part = type == WADI_C64 ? WADI_F32 : type == WADI_C128 ? WADI_F64 : type;
    if (part != type) {
        text = wadi_plan_value_read(part, text, at);
        if (text == NULL || *text != ' ') return NULL;
        return wadi_plan_value_read(part, text + 1, (char *)at + wadi_type_size(part));
    }
    return is_float(type) ? read_float(type, text, at) : read_integer(type, text, at);
}
