/* Checking UTF-8 (RFC 3629). */
#include "base/utf8.h"

/* How many bytes follow this first byte of a character. -1: no character begins with it. */
static int followers(unsigned char first) {
    if (first < 0x80) return 0;
    if (first < 0xc2) return -1;
    if (first < 0xe0) return 1;
    if (first < 0xf0) return 2;
    return first < 0xf5 ? 3 : -1;
}

/* The second byte excludes overlong forms, surrogates, and what lies beyond U+10FFFF. */
static bool second_fits(unsigned char first, unsigned char second) {
    const unsigned char low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
    const unsigned char high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
    return second >= low && second <= high;
}

size_t wadi_utf8_length(const char *text, size_t n) {
    const unsigned char *p = (const unsigned char *)text;
    const int more = n > 0 ? followers(p[0]) : -1;
    if (more < 0 || (size_t)more >= n || (more > 0 && !second_fits(p[0], p[1]))) return 0;
    for (int k = 2; k <= more; k++)
        if ((p[k] & 0xc0) != 0x80) return 0;
    return (size_t)more + 1;
}

unsigned wadi_utf8_code(const char *character, size_t length) {
    const unsigned char *p = (const unsigned char *)character;
    unsigned code = length == 1 ? p[0] : p[0] & (0xffU >> (length + 1));
    for (size_t i = 1; i < length; i++) code = code << 6 | (p[i] & 0x3fU);
    return code;
}

bool wadi_utf8_is_control(unsigned code) {
    return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x061c || code == 0x200e ||
           code == 0x200f || (code >= 0x202a && code <= 0x202e) ||
           (code >= 0x2066 && code <= 0x2069);
}

bool wadi_utf8_is(const char *text, size_t n) {
    for (size_t i = 0; i < n;) {
        const size_t length = wadi_utf8_length(text + i, n - i);
        if (length == 0) return false;
        i += length;
    }
    return true;
}
