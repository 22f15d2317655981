/* Hexadecimal digits. */
#ifndef APPS_MD5_HEX_H
#define APPS_MD5_HEX_H

/* The value of a digit, or -1. */
static inline int md5_hex_digit(int c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

#endif
