/* Reading a text piece by piece, so that each line lies in one piece. */
#include "connectors/lines_reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/io.h"

enum { START = 1 << 18, LONGEST = 1 << 30 };

static int64_t bytes_of(const wadi_lines_reader *r) {
    struct stat about;
    return fstat(r->fd, &about) == 0 && S_ISREG(about.st_mode) ? about.st_size : -1;
}

static wadi_status grow(wadi_lines_reader *r, wadi_error *err) {
    if (r->room >= LONGEST)
        return wadi_fail(err, WADI_INVALID, "%s: byte %lld begins a %s of more than %d MiB",
                         r->path, (long long)r->base, r->words ? "word" : "line", LONGEST >> 20);
    const size_t room = r->room == 0 ? START : 2 * r->room;
    uint8_t *grown = realloc(r->text, room + WADI_LINE_SLACK);
    if (grown == NULL) return wadi_fail(err, WADI_MEMORY, "%s: out of memory", r->path);
    r->text = grown;
    r->room = room;
    return WADI_OK;
}

wadi_status wadi_lines_reader_open(wadi_lines_reader *r, const char *path, wadi_error *err) {
    *r = (wadi_lines_reader){.fd = -1};
    r->path = strdup(path);
    if (r->path == NULL) return wadi_fail(err, WADI_MEMORY, "%s: out of memory", path);
    r->fd = wadi_io_open(path);
    if (r->fd < 0) return wadi_fail_errno(err, errno, "%s", path);
    r->bytes = bytes_of(r);
    r->regular = r->bytes >= 0;
    return grow(r, err);
}

void wadi_lines_reader_close(wadi_lines_reader *r) {
    if (r->fd >= 0) (void)close(r->fd);
    free(r->text);
    free(r->path);
    *r = (wadi_lines_reader){.fd = -1};
}

/* ---- more of the text ---- */

/* What has been taken makes room. */
static void pass(wadi_lines_reader *r) {
    const size_t gone = r->at;
    if (gone == 0) return;
    memmove(r->text, r->text + gone, r->end - gone);
    r->base += (int64_t)gone;
    r->end -= gone;
    r->scanned -= gone;
    r->at = 0;
}

static wadi_status read_more(wadi_lines_reader *r, wadi_error *err) {
    pass(r);
    if (r->end == r->room) WADI_TRY(grow(r, err));
    const ssize_t got = wadi_io_read(r->fd, r->text + r->end, r->room - r->end, r->path);
    if (got < 0)
        return wadi_fail_errno(err, errno, "%s: read error at byte %lld", r->path,
                               (long long)(r->base + (int64_t)r->end));
    r->end += (size_t)got;
    memset(r->text + r->end, 0, WADI_LINE_SLACK);
    r->ended = got == 0;
    if (!r->ended) return WADI_OK;
    return wadi_io_check_end(r->path, r->bytes, r->base + (int64_t)r->end, bytes_of(r), err);
}

/* ---- lines ---- */

static void add_span(wadi_lines_reader *r, size_t begin, size_t stop) {
    if (!r->words && !r->keep_cr && stop > begin && r->text[stop - 1] == '\r') stop--;
    r->begin[r->spans] = (uint32_t)begin;
    r->stop[r->spans++] = (uint32_t)stop;
}

static void find_lines(wadi_lines_reader *r) {
    uint32_t ends[WADI_SPANS];
    size_t seen = 0;
    const size_t from = r->scanned;
    const size_t n = wadi_line_ends(r->text + from, r->end - from, false, ends, WADI_SPANS, &seen);
    for (size_t i = 0; i < n; i++) {
        const size_t stop = from + ends[i];
        add_span(r, r->at, stop);
        r->at = stop + 1;
    }
    r->scanned = from + seen;
    if (r->scanned < r->end || !r->ended || r->at == r->end || r->spans == WADI_SPANS) return;
    add_span(r, r->at, r->end); /* the last line need not end in a newline */
    r->at = r->end;
}

/* ---- words ---- */

/* What separates words: blanks and ends of lines, as in the C locale. */
static bool separates(uint8_t c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static void find_words(wadi_lines_reader *r) {
    size_t at = r->at;
    while (r->spans < WADI_SPANS) {
        while (at < r->end && separates(r->text[at])) at++;
        r->at = at;
        if (r->scanned > at) at = r->scanned; /* the beginning of this word is known */
        while (at < r->end && !separates(r->text[at])) at++;
        r->scanned = at;
        if (at == r->end && (!r->ended || r->at == r->end)) return;
        add_span(r, r->at, at);
        r->at = at;
    }
}

wadi_status wadi_lines_reader_find(wadi_lines_reader *r, wadi_error *err) {
    if (r->next < r->spans) return WADI_OK;
    r->next = r->spans = 0;
    for (;;) {
        (r->words ? find_words : find_lines)(r);
        if (r->spans > 0 || r->ended) return WADI_OK;
        if (r->scanned == r->end) WADI_TRY(read_more(r, err));
    }
}

/* ---- places ---- */

wadi_status wadi_lines_reader_skip(wadi_lines_reader *r, int64_t lines, wadi_error *err) {
    static const uint8_t mark[] = {0xef, 0xbb, 0xbf};
    while (r->end < sizeof mark && !r->ended && memcmp(r->text, mark, r->end) == 0)
        WADI_TRY(read_more(r, err)); /* a pipe may have brought a short line */
    if (r->end >= sizeof mark && memcmp(r->text, mark, sizeof mark) == 0) r->at = sizeof mark;
    size_t from = r->at;
    while (lines > 0) {
        const uint8_t *newline = memchr(r->text + from, '\n', r->end - from);
        if (newline != NULL) {
            from = r->at = (size_t)(newline + 1 - r->text);
            lines--;
        } else if (r->ended) {
            from = r->at = r->end;
            break;
        } else {
            from = r->end - r->at;
            r->scanned = r->at;
            WADI_TRY(read_more(r, err));
        }
    }
    r->scanned = r->at;
    return WADI_OK;
}

int64_t wadi_lines_reader_place(const wadi_lines_reader *r) {
    return r->base + (int64_t)(r->next < r->spans ? r->begin[r->next] : r->at);
}

bool wadi_lines_reader_has(const wadi_lines_reader *r, int64_t place) {
    const int64_t bytes = bytes_of(r);
    char before = '\n';
    if (place < 0 || place > bytes) return false;
    if (r->words || place == 0 || place == bytes) return true;
    return pread(r->fd, &before, 1, place - 1) == 1 && before == '\n';
}

wadi_status wadi_lines_reader_go_to(wadi_lines_reader *r, int64_t place, wadi_error *err) {
    if (lseek(r->fd, place, SEEK_SET) < 0)
        return wadi_fail_errno(err, errno, "%s: seek to byte %lld", r->path, (long long)place);
    r->base = place;
    r->at = r->scanned = r->end = 0;
    r->next = r->spans = 0;
    r->ended = false;
    return WADI_OK;
}
