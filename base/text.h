/* A string under construction, for printers and code emitters.
 *
 * Failure is sticky: when memory runs out, `failed` is set and later additions do nothing, so a printer checks once at its
 * end. All zero is an empty text. */
#ifndef WADI_BASE_TEXT_H
#define WADI_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "wadi/status.h"

typedef struct wadi_text {
    char *at; /* NUL-terminated once anything was added */
    size_t n; /* length without the NUL */
    size_t cap;
    bool failed;
} wadi_text;

void wadi_text_init(wadi_text *t);
void wadi_text_fini(wadi_text *t);

void wadi_text_add(wadi_text *t, const char *s);
void wadi_text_add_n(wadi_text *t, const char *s, size_t n);
void wadi_text_addf(wadi_text *t, const char *format, ...) WADI_PRINTF(2, 3);

/* n bytes for a terminal: control characters (base/utf8.h) but newlines and tabs, and bytes that are no UTF-8, as \x1b. */
void wadi_text_add_shown(wadi_text *t, const char *s, size_t n);

/* A JSON string (RFC 8259), control characters as \u001b. Bytes that are no UTF-8 become characters of the same number. */
void wadi_text_add_json(wadi_text *t, const char *s);
/* A value of a program, with so many significant digits: 9 tell an f32 from its neighbours, 17 an f64, and 20 are enough for each 64-bit integer that
 * a double can hold. JSON has numbers only for what is finite: else "nan", "inf" or "-inf", as a string. */
void wadi_text_add_json_number(wadi_text *t, double x, int digits);
/* [re, im]. */
void wadi_text_add_json_complex(wadi_text *t, double re, double im, int digits);

/* Four spaces per level. */
void wadi_text_indent(wadi_text *t, int levels);

/* Empties the text and forgets a failure; keeps the room. */
void wadi_text_clear(wadi_text *t);

/* Never NULL; borrowed until the next change. */
const char *wadi_text_str(const wadi_text *t);

/* `words` without "name: " in front, for whoever tells the name himself. */
const char *wadi_text_unnamed(const char *words, const char *name);

/* The string itself, for the caller to free; the text is empty afterwards. NULL when the text failed. */
char *wadi_text_take(wadi_text *t);

#endif
