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

bool wadi_utf8_is(const char *text, size_t n) {
    const unsigned char *p = (const unsigned char *)text;
    for (size_t i = 0; i < n;) {
        const unsigned char first = p[i++];
        const int more = followers(first);
        if (more < 0 || (size_t)more > n - i) return false;
        if (more > 0 && !second_fits(first, p[i])) return false;
        for (int k = 0; k < more; k++, i++) {
            if ((p[i] & 0xc0) != 0x80) return false;
        }
    }
    return true;
}
