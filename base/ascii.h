/* Letters and digits of ASCII. isalpha counts those of the process's locale, too. */
#ifndef WADI_BASE_ASCII_H
#define WADI_BASE_ASCII_H

#include <stdbool.h>

static inline bool wadi_ascii_is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static inline bool wadi_ascii_is_letter_or_digit(char c) {
    return wadi_ascii_is_letter(c) || (c >= '0' && c <= '9');
}

#endif
