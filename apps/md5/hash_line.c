/* Recognising the kinds of lines in a list of hashes. */
#include "apps/md5/hash_line.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "apps/md5/hex.h"

enum { HEX = 2 * MD5_DIGEST, BASE64 = 24 };

typedef struct text {
    const char *at;
    size_t n;
} text;

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

static text trimmed(text t) {
    while (t.n > 0 && is_blank(t.at[t.n - 1])) t.n--;
    while (t.n > 0 && is_blank(*t.at)) t.at++, t.n--;
    return t;
}

static bool begins(text t, const char *with) {
    return t.n >= strlen(with) && memcmp(t.at, with, strlen(with)) == 0;
}

static text behind(text t, size_t n) {
    return (text){t.at + n, t.n - n};
}

static bool read_hex(text t, uint8_t out[MD5_DIGEST]) {
    return md5_digest_read(t.at, t.n, out);
}

/* ---- {MD5}, RFC 2307 ---- */

static int base64_digit(char c) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = c != '\0' ? strchr(digits, c) : NULL;
    return at != NULL ? (int)(at - digits) : -1;
}

/* 16 bytes are 22 digits, of which the last has four zero bits, and two padding characters. */
static bool read_base64(text t, uint8_t out[MD5_DIGEST]) {
    uint32_t bits = 0;
    int have = 0, n = 0;
    if (t.n != BASE64 || t.at[BASE64 - 1] != '=' || t.at[BASE64 - 2] != '=') return false;
    for (int i = 0; i < BASE64 - 2; i++) {
        const int digit = base64_digit(t.at[i]);
        if (digit < 0) return false;
        bits = bits << 6 | (uint32_t)digit;
        have += 6;
        if (have < 8) continue;
        have -= 8;
        if (n < MD5_DIGEST) out[n++] = (uint8_t)(bits >> have);
    }
    return n == MD5_DIGEST && (bits & 0xf) == 0;
}

static bool read_digest(text t, uint8_t out[MD5_DIGEST]) {
    return begins(t, "{MD5}") ? read_base64(behind(t, 5), out) : read_hex(t, out);
}

/* ---- potfiles ---- */

static bool has_digest(const uint8_t *word, size_t n, const uint8_t digest[MD5_DIGEST]) {
    uint8_t own[MD5_DIGEST];
    md5_digest_of(word, n, own);
    return memcmp(own, digest, MD5_DIGEST) == 0;
}

/* Whether this is a word of a potfile, plain or as $HEX[..], with that digest. */
static bool is_word_of(text word, const uint8_t digest[MD5_DIGEST]) {
    if (has_digest((const uint8_t *)word.at, word.n, digest)) return true;
    uint8_t *bytes = malloc(word.n + 1);
    if (bytes == NULL) return false;
    memcpy(bytes, word.at, word.n);
    const bool right = md5_hex_word(bytes, &word.n) && has_digest(bytes, word.n, digest);
    free(bytes);
    return right;
}

/* ---- the forms ---- */

/* "MD5 (NAME) = DIGEST"; a name may contain any characters. */
static bool read_tagged(text t, uint8_t out[MD5_DIGEST]) {
    if (!begins(t, "MD5 (") && !begins(t, "MD5(")) return false;
    if (t.n < HEX || !read_hex(behind(t, t.n - HEX), out)) return false;
    t = trimmed((text){t.at, t.n - HEX});
    if (t.at[t.n - 1] != '=') return false;
    t = trimmed((text){t.at, t.n - 1});
    return t.at[t.n - 1] == ')';
}

/* "DIGEST  NAME" and "DIGEST *NAME". */
static bool read_named(text t, uint8_t out[MD5_DIGEST]) {
    return t.n > HEX && is_blank(t.at[HEX]) && read_hex((text){t.at, HEX}, out);
}

static bool read_user(text t, uint8_t out[MD5_DIGEST]) {
    size_t start = t.n;
    while (start > 0 && t.at[start - 1] != ':') start--;
    return start > 0 && read_digest(behind(t, start), out);
}

md5_line md5_line_read(const char *line, size_t n, uint8_t out[MD5_DIGEST], const char **out_why) {
    const text whole = {line, n};
    text t = trimmed(whole);
    if (t.n == 0 || *t.at == '#') return MD5_LINE_NOTHING;
    if (*t.at == '\\') t = behind(t, 1);
    if (read_digest(t, out) || read_named(t, out) || read_tagged(t, out)) return MD5_LINE_DIGEST;
    if (t.n > HEX && t.at[HEX] == ':' && read_hex((text){t.at, HEX}, out)) {
        const size_t start = (size_t)(t.at - line) + HEX + 1;
        text word =
            behind(whole, start); /* blanks belong to the word, except for a carriage return */
        if (is_word_of(word, out)) return MD5_LINE_DIGEST;
        if (word.n > 0 && word.at[word.n - 1] == '\r') word.n--;
        if (is_word_of(word, out)) return MD5_LINE_DIGEST;
        *out_why = "salted digests are not supported";
        return MD5_LINE_BAD;
    }
    if (read_user(t, out)) return MD5_LINE_DIGEST;
    *out_why = "not an MD5 digest";
    return MD5_LINE_BAD;
}
