/* Checking text that may or may not be UTF-8 (RFC 3629). */
#ifndef WADI_BASE_UTF8_H
#define WADI_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* How many bytes the well-formed character has that the n bytes begin with; 0: they begin with none. */
size_t wadi_utf8_length(const char *text, size_t n);

/* The number of a well-formed character of so many bytes. */
unsigned wadi_utf8_code(const char *character, size_t length);

/* Whether the character would change what a terminal does or shows: C0 (newlines and tabs, too), DEL and C1, and marks for the direction
 * of writing. */
bool wadi_utf8_is_control(unsigned code);

/* True when all n bytes are well-formed characters: no overlong forms, no surrogates, nothing beyond U+10FFFF. */
bool wadi_utf8_is(const char *text, size_t n);

#endif
