/* The string builder: one growing buffer that always ends in NUL. */
#include "base/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/format.h"
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

static bool is_shown(const char *s, size_t length) {
    return length > 0 &&
           (*s == '\n' || *s == '\t' || !wadi_utf8_is_control(wadi_utf8_code(s, length)));
}

void wadi_text_add_shown(wadi_text *t, const char *s, size_t n) {
    for (size_t at = 0; at < n;) {
        const size_t length = wadi_utf8_length(s + at, n - at);
        if (is_shown(s + at, length)) {
            wadi_text_add_n(t, s + at, length);
            at += length;
        } else {
            wadi_text_addf(t, "\\x%02x", (unsigned char)s[at++]);
        }
    }
}

/* The character of so many bytes; 0: a byte that is none. */
static void add_json_character(wadi_text *t, const char *s, size_t length) {
    const unsigned code = length > 0 ? wadi_utf8_code(s, length) : (unsigned char)*s;
    if (code == '"' || code == '\\')
        wadi_text_addf(t, "\\%c", (char)code);
    else if (length == 0 || wadi_utf8_is_control(code))
        wadi_text_addf(t, "\\u%04x", code);
    else
        wadi_text_add_n(t, s, length);
}

void wadi_text_add_json(wadi_text *t, const char *s) {
    const size_t n = strlen(s);
    wadi_text_add(t, "\"");
    for (size_t at = 0; at < n;) {
        const size_t length = wadi_utf8_length(s + at, n - at);
        add_json_character(t, s + at, length);
        at += length > 0 ? length : 1;
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
    const int n = wadi_format_list(t->at != NULL ? t->at + t->n : NULL, room, format, args);
    if (n < 0) t->failed = true;
    if (n >= 0 && (size_t)n >= room) {
        if (t->at != NULL) t->at[t->n] = '\0';
        if (make_room(t, (size_t)n))
            (void)wadi_format_list(t->at + t->n, (size_t)n + 1, format, again);
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
