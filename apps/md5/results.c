/* Writing found words, and reading those that a file already holds. */
#include "apps/md5/results.h"

#include <stdlib.h>
#include <string.h>

#include "apps/md5/hex.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/text.h"

enum { HEX = 2 * MD5_DIGEST };

/* ---- writing ---- */

static bool is_plain(const uint8_t *word, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (word[i] < 0x20 || word[i] == 0x7f || word[i] == ':') return false;
    return n < 5 || memcmp(word, "$HEX[", 5) != 0;
}

wadi_status md5_results_add(md5_log *log, const uint8_t digest[MD5_DIGEST], const uint8_t *word,
                            size_t n, wadi_error *err) {
    wadi_text line = {0};
    char hex[HEX + 1];
    wadi_hex(digest, MD5_DIGEST, hex);
    wadi_text_addf(&line, "%s:", hex);
    if (is_plain(word, n)) {
        wadi_text_add_n(&line, (const char *)word, n);
    } else {
        wadi_text_add(&line, "$HEX[");
        for (size_t i = 0; i < n; i++) wadi_text_addf(&line, "%02x", word[i]);
        wadi_text_add(&line, "]");
    }
    wadi_text_add(&line, "\n");
    const wadi_status status = line.failed
                                   ? wadi_fail(err, WADI_MEMORY, "found words: out of memory")
                                   : md5_log_add(log, line.at, line.n, err);
    wadi_text_fini(&line);
    return status;
}

/* ---- reading ---- */

typedef struct reading {
    const char *from, *at, *end;
    long line;
} reading;

/* Reads the line at r->at. True if it is complete and holds a digest and its word. A $HEX word is decoded in place. */
static bool read_line(reading *r, char *stop, uint8_t digest[MD5_DIGEST]) {
    uint8_t own[MD5_DIGEST];
    const size_t n = (size_t)(stop - r->at);
    if (n <= HEX || r->at[HEX] != ':' || !md5_digest_read(r->at, HEX, digest)) return false;
    uint8_t *word = (uint8_t *)stop - (n - HEX - 1);
    size_t length = n - HEX - 1;
    (void)md5_hex_word(word, &length);
    md5_digest_of(word, length, own);
    return memcmp(own, digest, sizeof own) == 0;
}

/* Whether this is the beginning of a line whose writing was interrupted: some of the digits, or all of them and some of the word. */
static bool is_unfinished(const reading *r) {
    const size_t n = (size_t)(r->end - r->at);
    for (size_t i = 0; i < n && i < HEX; i++)
        if (md5_hex_digit((unsigned char)r->at[i]) < 0) return false;
    return (n <= HEX || r->at[HEX] == ':') && memchr(r->at, '\n', n) == NULL;
}

static void take(md5_targets *t, const uint8_t digest[MD5_DIGEST]) {
    const int64_t i = md5_targets_find(t, digest);
    if (i < 0 || t->found[i]) return;
    t->found[i] = true;
    t->nfound++;
}

static wadi_status read_lines(md5_log *log, char *text, int64_t known, md5_targets *t,
                              wadi_error *err) {
    reading r = {text, text, text + log->length, 1};
    while (r.at < r.end) {
        uint8_t digest[MD5_DIGEST];
        char *stop = memchr(text + (r.at - text), '\n', (size_t)(r.end - r.at));
        if (stop == NULL || !read_line(&r, stop, digest)) break;
        take(t, digest);
        r.at = stop + 1;
        r.line++;
    }
    if (r.at == r.end) return WADI_OK;
    const int64_t whole = r.at - r.from;
    if (known >= 0 ? whole >= known : is_unfinished(&r)) return md5_log_cut(log, whole, err);
    return wadi_fail(
        err, WADI_INVALID,
        "%s, line %ld: expected a line \"digest:word\" of wadi-md5; found words are added only to "
        "files of such lines",
        log->path, r.line);
}

wadi_status md5_results_read(md5_log *log, int64_t known, md5_targets *t, wadi_error *err) {
    char *text = NULL;
    if (log->stream) return WADI_OK;
    if (log->length < known)
        return wadi_fail(err, WADI_INVALID, "%s has %lld bytes, but the session expects %lld",
                         log->path, (long long)log->length, (long long)known);
    WADI_TRY(md5_log_read(log, &text, err));
    const wadi_status status = read_lines(log, text, known, t, err);
    free(text);
    return status;
}
