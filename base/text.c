/* The string builder: one growing buffer that always ends in NUL. */
#include "base/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

void wadi_text_init(wadi_text *t) {
    *t = (wadi_text){0};
}

void wadi_text_fini(wadi_text *t) {
    free(t->at);
    wadi_text_init(t);
}

/* Makes room for `more` characters and the NUL. */
static bool make_room(wadi_text *t, size_t more) {
    if (t->failed) return false;
    if (t->cap - t->n > more) return true;
    size_t cap = t->cap < 128 ? 256 : t->cap * 2;
    if (more > SIZE_MAX / 4 || t->cap > SIZE_MAX / 4) {
        t->failed = true;
        return false;
    }
    if (cap < t->n + more + 1) cap = t->n + more + 1;
    char *at = realloc(t->at, cap);
    if (at == NULL) {
        t->failed = true;
        return false;
    }
    t->at = at;
    t->cap = cap;
    return true;
}

void wadi_text_add_n(wadi_text *t, const char *s, size_t n) {
    if (!make_room(t, n)) return;
    if (n > 0) memcpy(t->at + t->n, s, n);
    t->n += n;
    t->at[t->n] = '\0';
}

void wadi_text_add(wadi_text *t, const char *s) {
    wadi_text_add_n(t, s, strlen(s));
}

/* Whether the character of so many bytes changes what a terminal does: C0, DEL and C1. */
static bool is_control(const char *s, size_t length) {
    const unsigned char c = (unsigned char)s[0], next = (unsigned char)(length > 1 ? s[1] : 0);
    return (c < 0x20 && c != '\n' && c != '\t') || c == 0x7f || (c == 0xc2 && next < 0xa0);
}

void wadi_text_add_shown(wadi_text *t, const char *s, size_t n) {
    for (size_t at = 0; at < n;) {
        const size_t length = wadi_utf8_length(s + at, n - at);
        if (length > 0 && !is_control(s + at, length)) {
            wadi_text_add_n(t, s + at, length);
            at += length;
        } else {
            wadi_text_addf(t, "\\x%02x", (unsigned char)s[at++]);
        }
    }
}

void wadi_text_add_json(wadi_text *t, const char *s) {
    const bool utf8 = wadi_utf8_is(s, strlen(s));
    wadi_text_add(t, "\"");
    for (; *s != '\0'; s++) {
        const unsigned char c = (unsigned char)*s;
        if (c == '"' || c == '\\')
            wadi_text_addf(t, "\\%c", c);
        else if (c < 0x20 || c == 0x7f || (c > 0x7f && !utf8))
            wadi_text_addf(t, "\\u%04x", c);
        else
            wadi_text_add_n(t, s, 1);
    }
    wadi_text_add(t, "\"");
}

void wadi_text_add_json_number(wadi_text *t, double x, int digits) {
    if (isfinite(x))
        wadi_text_addf(t, "%.*g", digits, x);
    else
        wadi_text_add(t, isnan(x) ? "\"nan\"" : x > 0 ? "\"inf\"" : "\"-inf\"");
}

void wadi_text_add_json_complex(wadi_text *t, double re, double im, int digits) {
    wadi_text_add(t, "[");
    wadi_text_add_json_number(t, re, digits);
    wadi_text_add(t, ", ");
    wadi_text_add_json_number(t, im, digits);
    wadi_text_add(t, "]");
}

/* The first try nearly always has enough room. */
void wadi_text_addf(wadi_text *t, const char *format, ...) {
    va_list args, again;
    if (t->failed) return;
    va_start(args, format);
    va_copy(again, args);
    const size_t room = t->cap - t->n;
    const int n = vsnprintf(t->at != NULL ? t->at + t->n : NULL, room, format, args);
    if (n < 0) t->failed = true;
    if (n >= 0 && (size_t)n >= room) {
        if (t->at != NULL) t->at[t->n] = '\0';
        if (make_room(t, (size_t)n)) (void)vsnprintf(t->at + t->n, (size_t)n + 1, format, again);
    }
    if (!t->failed) t->n += (size_t)n;
    va_end(again);
    va_end(args);
}

void wadi_text_indent(wadi_text *t, int levels) {
    for (int i = 0; i < levels; i++) wadi_text_add_n(t, "    ", 4);
}

void wadi_text_clear(wadi_text *t) {
    t->n = 0;
    t->failed = false;
    if (t->at != NULL) t->at[0] = '\0';
}

const char *wadi_text_str(const wadi_text *t) {
    return t->at == NULL ? "" : t->at;
}

char *wadi_text_take(wadi_text *t) {
    wadi_text_add_n(t, "", 0);
    char *s = NULL;
    if (!t->failed) {
        s = t->at;
        t->at = NULL;
    }
    wadi_text_fini(t);
    return s;
}

const char *wadi_text_unnamed(const char *words, const char *name) {
    const size_t n = strlen(name);
    return strncmp(words, name, n) == 0 && strncmp(words + n, ": ", 2) == 0 ? words + n + 2 : words;
}
