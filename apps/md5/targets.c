/* The set of wanted digests, and the marks of those found. */
#include "apps/md5/targets.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "apps/md5/hash_line.h"
#include "apps/md5/input.h"
#include "base/error.h"

enum { FEWEST_BITS = 15, MOST_BITS = 30, SPARSE = 512, SHOWN_LINES = 3, SHOWN_BYTES = 48 };

typedef struct text_bytes {
    const char *at;
    size_t n;
} text_bytes;

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

/* Notes a bad line. The first bad lines of a list are shown, the others only counted. */
static void note_bad(md5_targets *t, const char *file, long line, text_bytes text,
                     const char *why) {
    wadi_text *told = &t->bad.told;
    const size_t shown = text.n > SHOWN_BYTES ? SHOWN_BYTES : text.n;
    t->bad.n++;
    if (t->bad.of_list++ >= SHOWN_LINES) return;
    wadi_text_add_shown(told, file, strlen(file));
    wadi_text_addf(told, ", line %ld: \"", line);
    wadi_text_add_shown(told, text.at, shown);
    wadi_text_addf(told, "\"%s: %s\n", shown < text.n ? ".." : "", why);
}

static wadi_status add_line(md5_targets *t, const char *file, long line, text_bytes text,
                            wadi_error *err) {
    uint8_t digest[MD5_DIGEST];
    const char *why = NULL;
    const md5_line kind = md5_line_read(text.at, text.n, digest, &why);
    if (kind == MD5_LINE_BAD) note_bad(t, file, line, text, why);
    return kind == MD5_LINE_DIGEST ? append(t, digest, err) : WADI_OK;
}

static wadi_status add_lines(md5_targets *t, const char *file, text_bytes list, wadi_error *err) {
    const char *at = list.at, *end = list.at + list.n;
    for (long line = 1; at < end; line++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *stop = newline != NULL ? newline : end;
        WADI_TRY(add_line(t, file, line, (text_bytes){at, (size_t)(stop - at)}, err));
        at = stop + 1;
    }
    return WADI_OK;
}

/* ---- files ---- */

enum { LONGEST_LINE = 1 << 20 };

/* How far the last line of the part is behind its begin; `so_far` of it stood in front of the part. */
static size_t unended(const char *part, size_t n, size_t so_far) {
    for (size_t i = n; i > 0; i--)
        if (part[i - 1] == '\n') return n - i;
    return so_far + n;
}

/* Devices have no end, and small packed files may hold many zeros. */
static wadi_status read_rest(md5_input *in, const char *path, wadi_text *list, wadi_error *err) {
    size_t line = 0;
    for (bool done = false; !done && !list->failed;) {
        char part[1 << 14];
        size_t got = 0;
        WADI_TRY(md5_input_read(in, part, sizeof part, &got, &done, err));
        wadi_text_add_n(list, part, got);
        line = unended(part, got, line);
        if (line > LONGEST_LINE)
            return wadi_fail(err, WADI_INVALID,
                             "%s: byte %zu begins a line of more than 1 MiB: this is no list of "
                             "hashes",
                             path, list->n - line);
    }
    return list->failed ? wadi_fail(err, WADI_MEMORY, "digests: out of memory") : WADI_OK;
}

/* Reads a list. Like a dictionary, it may be packed or come from a pipe. */
static wadi_status read_file(const char *path, wadi_text *list, wadi_error *err) {
    md5_input *in = NULL;
    WADI_TRY(md5_input_open(1, &path, false, &in, err));
    const wadi_status status = read_rest(in, path, list, err);
    md5_input_close(in);
    return status;
}

/* Skips the byte order mark that some editors put before UTF-8. */
static wadi_status begin_text(const char *file, const wadi_text *list, text_bytes *out,
                              wadi_error *err) {
    static const char utf8[] = "\xef\xbb\xbf", utf16[] = "\xff\xfe", swapped[] = "\xfe\xff";
    *out = (text_bytes){list->at, list->n};
    if (list->n >= 2 && (memcmp(list->at, utf16, 2) == 0 || memcmp(list->at, swapped, 2) == 0))
        return wadi_fail(err, WADI_INVALID, "%s is UTF-16 text; a list of hashes is ASCII or UTF-8",
                         file);
    if (list->n >= 3 && memcmp(list->at, utf8, 3) == 0)
        *out = (text_bytes){list->at + 3, list->n - 3};
    return WADI_OK;
}

static wadi_status add_file(md5_targets *t, const char *file, const wadi_text *list,
                            wadi_error *err) {
    const size_t before = t->n, told = t->bad.told.n;
    const int64_t bad = t->bad.n;
    text_bytes text;
    t->bad.of_list = 0;
    WADI_TRY(begin_text(file, list, &text, err));
    WADI_TRY(add_lines(t, file, text, err));
    if (t->n > before || t->bad.n == bad) return WADI_OK;
    const char *first = wadi_text_str(&t->bad.told) + told;
    return wadi_fail(err, WADI_INVALID, "no line of %s is an MD5 digest; %.*s", file,
                     (int)strcspn(first, "\n"), first);
}

wadi_status md5_targets_add(md5_targets *t, const char *hex_or_file, wadi_error *err) {
    uint8_t digest[MD5_DIGEST];
    wadi_text list = {0};
    if (md5_digest_read(hex_or_file, strlen(hex_or_file), digest)) return append(t, digest, err);
    if (strcmp(hex_or_file, "-") != 0 && access(hex_or_file, F_OK) != 0 && errno == ENOENT)
        return wadi_fail(err, WADI_IO,
                         "\"%s\" is neither a digest of 32 hexadecimal digits nor a file that is "
                         "there",
                         hex_or_file);
    wadi_status status = read_file(hex_or_file, &list, err);
    if (status == WADI_OK) status = add_file(t, hex_or_file, &list, err);
    wadi_text_fini(&list);
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
    wadi_text_fini(&t->bad.told);
    *t = (md5_targets){0};
}
