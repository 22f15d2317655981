/* Hexadecimal digits, and words that are spelled in them. */
#ifndef APPS_MD5_HEX_H
#define APPS_MD5_HEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The value of a digit, or -1. */
static inline int md5_hex_digit(int c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

/* Turns "$HEX[6162]" into the bytes that it spells, in place. False: it has not this form, so it is an ordinary word. */
bool md5_hex_word(uint8_t *word, size_t *n);

#endif
