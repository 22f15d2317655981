/* Letters and digits of ASCII. isalpha counts those of the process's locale, too, and in some locales tolower and strcasecmp take I for no capital of i. */
#ifndef WADI_BASE_ASCII_H
#define WADI_BASE_ASCII_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline bool wadi_ascii_is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static inline bool wadi_ascii_is_letter_or_digit(char c) {
    return wadi_ascii_is_letter(c) || (c >= '0' && c <= '9');
}

/* Of names: a letter, a digit or _. */
static inline bool wadi_ascii_is_word(char c) {
    return wadi_ascii_is_letter_or_digit(c) || c == '_';
}

/* Whether it is a name: letters, digits and _, and no digit first. */
static inline bool wadi_ascii_is_name(const char *s) {
    if (!wadi_ascii_is_letter(*s) && *s != '_') return false;
    while (wadi_ascii_is_word(*s)) s++;
    return *s == '\0';
}

static inline char wadi_ascii_lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Whether the first n characters of both, or all up to their ends, are equal but for capitals. */
static inline bool wadi_ascii_begin_alike(const char *a, const char *b, size_t n) {
    size_t i = 0;
    while (i < n && a[i] != '\0' && wadi_ascii_lower(a[i]) == wadi_ascii_lower(b[i])) i++;
    return i == n || (a[i] == '\0' && b[i] == '\0');
}

/* Whether they are equal but for capitals. */
static inline bool wadi_ascii_alike(const char *a, const char *b) {
    return wadi_ascii_begin_alike(a, b, SIZE_MAX);
}

#endif
