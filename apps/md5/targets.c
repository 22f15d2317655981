/* See the header. */
#include "apps/md5/targets.h"

#include <stdlib.h>
#include <string.h>

#include "apps/md5/hex.h"
#include "base/error.h"
#include "base/file.h"

enum { FEWEST_BITS = 15, MOST_BITS = 30, SPARSE = 512 };

bool md5_digest_read(const char *hex, size_t n, uint8_t out[MD5_DIGEST]) {
    if (n != 2 * MD5_DIGEST) return false;
    for (int i = 0; i < MD5_DIGEST; i++) {
        const int high = md5_hex_digit((unsigned char)hex[2 * i]);
        const int low = md5_hex_digit((unsigned char)hex[2 * i + 1]);
        if (high < 0 || low < 0) return false;
        out[i] = (uint8_t)(16 * high + low);
    }
    return true;
}

/* ---- adding ---- */

static wadi_status append(md5_targets *t, const uint8_t digest[MD5_DIGEST], wadi_error *err) {
    if (t->n == t->cap) {
        const size_t cap = t->cap > 0 ? 2 * t->cap : 64;
        void *grown = realloc(t->digest, cap * sizeof *t->digest);
        if (grown == NULL) return wadi_fail(err, WADI_MEMORY, "digests: out of memory");
        t->digest = grown;
        t->cap = cap;
    }
    memcpy(t->digest[t->n++], digest, MD5_DIGEST);
    return WADI_OK;
}

static wadi_status bad_line(const char *file, long line, const char *text, size_t n,
                            wadi_error *err) {
    const int shown = n > 48 ? 48 : (int)n;
    if (n > 2 * MD5_DIGEST && text[2 * MD5_DIGEST] == ':')
        return wadi_fail(err, WADI_INVALID,
                         "%s, line %ld: salted digests are not offered: \"%.*s\"", file, line,
                         shown, text);
    return wadi_fail(err, WADI_INVALID,
                     "%s, line %ld: \"%.*s\" is not an MD5 digest of 32 hexadecimal digits", file,
                     line, shown, text);
}

static wadi_status add_line(md5_targets *t, const char *file, long line, const char *text, size_t n,
                            wadi_error *err) {
    uint8_t digest[MD5_DIGEST];
    while (n > 0 && strchr(" \t\r", text[n - 1]) != NULL) n--;
    while (n > 0 && (*text == ' ' || *text == '\t')) text++, n--;
    if (n == 0 || *text == '#') return WADI_OK;
    if (!md5_digest_read(text, n, digest)) return bad_line(file, line, text, n, err);
    return append(t, digest, err);
}

static wadi_status add_lines(md5_targets *t, const char *file, const char *text, size_t n,
                             wadi_error *err) {
    const char *at = text, *end = text + n;
    for (long line = 1; at < end; line++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *stop = newline != NULL ? newline : end;
        WADI_TRY(add_line(t, file, line, at, (size_t)(stop - at), err));
        at = stop + 1;
    }
    return WADI_OK;
}

wadi_status md5_targets_add(md5_targets *t, const char *hex_or_file, wadi_error *err) {
    uint8_t digest[MD5_DIGEST];
    char *text = NULL;
    size_t n = 0;
    if (md5_digest_read(hex_or_file, strlen(hex_or_file), digest)) return append(t, digest, err);
    WADI_TRY(wadi_file_read(hex_or_file, &text, &n, err));
    const wadi_status status = add_lines(t, hex_or_file, text, n, err);
    free(text);
    return status;
}

/* ---- looking up ---- */

static int compare(const void *a, const void *b) {
    return memcmp(a, b, MD5_DIGEST);
}

/* Word 0 of a digest: the bytes in little-endian order. */
static uint32_t first_word(const uint8_t *d) {
    return (uint32_t)d[0] | (uint32_t)d[1] << 8 | (uint32_t)d[2] << 16 | (uint32_t)d[3] << 24;
}

static void drop_repeated(md5_targets *t) {
    size_t left = 0;
    for (size_t i = 0; i < t->n; i++) {
        if (left > 0 && compare(t->digest[left - 1], t->digest[i]) == 0) continue;
        if (left != i) memcpy(t->digest[left], t->digest[i], MD5_DIGEST);
        left++;
    }
    t->n = left;
}

wadi_status md5_targets_ready(md5_targets *t, wadi_error *err) {
    if (t->n == 0) return wadi_fail(err, WADI_INVALID, "no digests to look for");
    qsort(t->digest, t->n, sizeof *t->digest, compare);
    drop_repeated(t);
    t->log2_bits = FEWEST_BITS;
    while (t->log2_bits < MOST_BITS && (size_t)1 << t->log2_bits < SPARSE * t->n) t->log2_bits++;
    t->bitmap = calloc((size_t)1 << t->log2_bits >> 5, sizeof *t->bitmap);
    t->found = calloc(t->n, sizeof *t->found);
    if (t->bitmap == NULL || t->found == NULL)
        return wadi_fail(err, WADI_MEMORY, "digests: out of memory");
    for (size_t i = 0; i < t->n; i++) {
        const uint32_t bit = first_word(t->digest[i]) >> (32 - t->log2_bits);
        t->bitmap[bit / 32] |= (uint32_t)1 << bit % 32;
    }
    return WADI_OK;
}

int64_t md5_targets_find(const md5_targets *t, const uint8_t digest[MD5_DIGEST]) {
    const void *hit = bsearch(digest, t->digest, t->n, sizeof *t->digest, compare);
    return hit != NULL ? (const uint8_t(*)[MD5_DIGEST])hit - (const uint8_t(*)[MD5_DIGEST])t->digest
                       : -1;
}

void md5_targets_fini(md5_targets *t) {
    free(t->digest);
    free(t->found);
    free(t->bitmap);
    *t = (md5_targets){0};
}
