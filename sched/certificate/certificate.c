/* The text of a certificate. */
#include "sched/certificate/certificate.h"

#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/error.h"
#include "base/file.h"

static const char title[] = "wadi certificate ";
static const char other_elements[] = "a stream and its blocks have different numbers of elements";

enum { DIGITS = 2 * WADI_TALLY_DIGEST };

/* ---- writing ---- */

void wadi_certificate_begin(wadi_text *out, int version) {
    wadi_text_addf(out, "%s%d\n", title, version);
}

static bool is_plain(char c) {
    return wadi_ascii_is_letter_or_digit(c) || (c != '\0' && strchr("._-/:=,@+", c) != NULL);
}

void wadi_certificate_name(wadi_text *out, const char *name) {
    for (; *name != '\0'; name++)
        wadi_text_addf(out, is_plain(*name) ? "%c" : "%%%02X", (unsigned char)*name);
}

void wadi_certificate_digest(wadi_text *out, const uint8_t digest[WADI_TALLY_DIGEST]) {
    char digits[DIGITS + 1];
    wadi_hex(digest, WADI_TALLY_DIGEST, digits);
    wadi_text_add(out, digits);
}

void wadi_certificate_fact(wadi_text *out, const char *word, const char *name,
                           const uint8_t digest[WADI_TALLY_DIGEST]) {
    wadi_text_addf(out, "%s ", word);
    wadi_certificate_name(out, name);
    wadi_text_add(out, " ");
    wadi_certificate_digest(out, digest);
    wadi_text_add(out, "\n");
}

bool wadi_certificate_is_kernel(const char *line, size_t n) {
    static const char word[] = "kernel ";
    if (n < sizeof word || n > 1000 || strncmp(line, word, sizeof word - 1) != 0) return false;
    for (size_t i = 0; i < n; i++)
        if (!is_plain(line[i]) && line[i] != ' ' && line[i] != '%') return false;
    return true;
}

void wadi_certificate_blocks(wadi_text *out, const wadi_tally_list *blocks) {
    for (size_t i = 0; i < blocks->n; i++) {
        wadi_text_addf(out, "block %lld ", (long long)blocks->at[i].elements);
        wadi_certificate_digest(out, blocks->at[i].digest);
        wadi_text_add(out, "\n");
    }
}

wadi_status wadi_certificate_end(wadi_text *out, wadi_error *err) {
    uint8_t digest[WADI_TALLY_DIGEST];
    if (!out->failed) WADI_TRY(wadi_blake2b(out->at, out->n, digest));
    wadi_text_add(out, "end ");
    if (!out->failed) wadi_certificate_digest(out, digest);
    wadi_text_add(out, "\n");
    return out->failed ? wadi_fail(err, WADI_MEMORY, "certificate: out of memory") : WADI_OK;
}

/* ---- reading ---- */

/* A stream has a few thousand blocks, and some more each time that it is three times as long (tally.h). */
enum { MOST_BYTES = 256 << 20 };

static wadi_status invalid(const wadi_certificate *c, int line, const char *why, wadi_error *err) {
    return wadi_fail(err, WADI_INVALID, "%s:%d: certificate: %s", c->path, line + 1, why);
}

static wadi_status split(wadi_certificate *c, size_t n, wadi_error *err) {
    size_t lines = 0;
    for (size_t i = 0; i < n; i++) lines += c->text[i] == '\n';
    c->line = calloc(lines + 1, sizeof *c->line);
    if (c->line == NULL) return wadi_fail(err, WADI_MEMORY, "certificate: out of memory");
    char *at = c->text;
    for (char *end; (end = strchr(at, '\n')) != NULL; at = end + 1) {
        *end = '\0';
        c->line[c->n++] = at;
    }
    if (*at == '\0' && (size_t)(at - c->text) == n) return WADI_OK;
    return invalid(c, c->n, "a line that does not end, or has a zero byte", err);
}

/* The first line tells the version. */
static wadi_status read_version(wadi_certificate *c, wadi_error *err) {
    const char *at = c->text + strlen(title);
    char *end = NULL;
    if (strncmp(c->text, title, strlen(title)) != 0 || *at < '1' || *at > '9')
        return invalid(c, 0, "expected \"wadi certificate\" and its version", err);
    const long version = strtol(at, &end, 10);
    if (*end != '\n') return invalid(c, 0, "expected \"wadi certificate\" and its version", err);
    if (version > WADI_CERTIFICATE_VERSION)
        return wadi_fail(err, WADI_UNSUPPORTED,
                         "%s: certificate of version %ld; this wadi knows them up to version %d",
                         c->path, version, (int)WADI_CERTIFICATE_VERSION);
    c->version = (int)version;
    return WADI_OK;
}

/* The last line has the digest of those before. */
static wadi_status check(wadi_certificate *c, size_t n, wadi_error *err) {
    static const char end[] = "\nend ";
    const size_t last = strlen(end) - 1 + DIGITS + 1;
    uint8_t told[WADI_TALLY_DIGEST], is[WADI_TALLY_DIGEST];
    WADI_TRY(read_version(c, err));
    if (n < last + 1 || memcmp(c->text + n - last - 1, end, strlen(end)) != 0 ||
        c->text[n - 1] != '\n' || !wadi_hex_read(c->text + n - 1 - DIGITS, WADI_TALLY_DIGEST, told))
        return wadi_fail(err, WADI_INVALID, "%s: certificate: its last line is missing", c->path);
    WADI_TRY(wadi_blake2b(c->text, n - last, is));
    if (memcmp(is, told, sizeof is) == 0) return WADI_OK;
    return wadi_fail(err, WADI_INVALID, "%s: certificate: it was changed after it was written",
                     c->path);
}

wadi_status wadi_certificate_read(const char *path, wadi_certificate *out, wadi_error *err) {
    size_t n = 0;
    *out = (wadi_certificate){.path = strdup(path)};
    wadi_status status =
        out->path != NULL ? WADI_OK : wadi_fail(err, WADI_MEMORY, "certificate: out of memory");
    if (status == WADI_OK) status = wadi_file_read_most(path, MOST_BYTES, &out->text, &n, err);
    if (status == WADI_OK) status = check(out, n, err);
    if (status == WADI_OK) status = split(out, n, err);
    if (status != WADI_OK) wadi_certificate_fini(out);
    return status;
}

void wadi_certificate_fini(wadi_certificate *c) {
    free(c->path);
    free(c->text);
    free(c->line);
    *c = (wadi_certificate){0};
}

/* What follows the word, if the text begins with it; NULL: it does not. */
static const char *behind(const char *text, const char *word) {
    const size_t n = strlen(word);
    if (strncmp(text, word, n) != 0) return NULL;
    if (text[n] == ' ') return text + n + 1;
    return text[n] == '\0' ? text + n : NULL;
}

const char *wadi_certificate_find(const wadi_certificate *c, const char *what, const char *name,
                                  int *at) {
    wadi_text word = {0};
    const char *found = NULL;
    wadi_certificate_name(&word, name);
    while (*at < c->n && found == NULL) {
        found = behind(c->line[(*at)++], what);
        if (found != NULL && name[0] != '\0') found = behind(found, wadi_text_str(&word));
    }
    wadi_text_fini(&word);
    return found;
}

wadi_status wadi_certificate_take_blocks(const wadi_certificate *c, int at, const char *words,
                                         wadi_tally_list *out, wadi_error *err) {
    const int stream = at - 1;
    char *end = NULL;
    int64_t left = strtoll(words, &end, 10); /* elements of blocks that are to come */
    if (left < 0 || end == words || *end != ' ')
        return invalid(c, stream, "expected a number of elements, and of what kind it is", err);
    for (; at < c->n && (words = behind(c->line[at], "block")) != NULL; at++) {
        wadi_tally_block block;
        block.elements = strtoll(words, &end, 10);
        if (block.elements < 1 || *end != ' ' || strlen(end + 1) != DIGITS ||
            !wadi_hex_read(end + 1, WADI_TALLY_DIGEST, block.digest))
            return invalid(c, at, "expected \"block\", a number of elements and a digest", err);
        if (block.elements > left) return invalid(c, at, other_elements, err);
        left -= block.elements;
        if (!wadi_vec_push(out, block))
            return wadi_fail(err, WADI_MEMORY, "certificate: out of memory");
    }
    return left == 0 ? WADI_OK : invalid(c, stream, other_elements, err);
}

static bool unescape(const char *name, char *out) {
    for (; *name != '\0'; name++) {
        uint8_t byte = (uint8_t)*name;
        if (*name == '%') {
            const char digits[2] = {name[1], name[1] != '\0' ? name[2] : '\0'};
            char low[2];
            for (int i = 0; i < 2; i++)
                low[i] = digits[i] >= 'A' && digits[i] <= 'F' ? (char)(digits[i] + 32) : digits[i];
            if (!wadi_hex_read(low, 1, &byte) || byte == 0) return false;
            name += 2;
        }
        *out++ = (char)byte;
    }
    *out = '\0';
    return true;
}

wadi_status wadi_certificate_notes(const wadi_certificate *c, char ***out, int *out_n,
                                   wadi_error *err) {
    char **notes = calloc((size_t)c->n + 1, sizeof *notes);
    wadi_status status =
        notes != NULL ? WADI_OK : wadi_fail(err, WADI_MEMORY, "certificate: out of memory");
    int n = 0, at = 0;
    for (const char *note; status == WADI_OK && (note = wadi_certificate_find(c, "note", "", &at));
         n++) {
        notes[n] = malloc(strlen(note) + 1);
        if (notes[n] == NULL)
            status = wadi_fail(err, WADI_MEMORY, "certificate: out of memory");
        else if (!unescape(note, notes[n]))
            status = invalid(c, at - 1, "expected two digits behind a %", err);
    }
    if (status != WADI_OK) {
        wadi_certificate_notes_free(notes);
        notes = NULL;
    }
    *out = notes;
    *out_n = n;
    return status;
}

void wadi_certificate_notes_free(char **notes) {
    for (int i = 0; notes != NULL && notes[i] != NULL; i++) free(notes[i]);
    free(notes);
}
