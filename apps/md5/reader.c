/* Reading dictionaries into buffers of whole lines. */
#include "apps/md5/reader.h"

#include <stdlib.h>
#include <string.h>

#include "apps/md5/hex.h"
#include "base/error.h"
#include "base/lines.h"

enum { START = 1 << 20 };

/* ---- life ---- */

static wadi_status resize(md5_reader *r, size_t cap, wadi_error *err) {
    const size_t at = r->buffer ? (size_t)(r->at - r->buffer) : 0,
                 stop = r->buffer ? (size_t)(r->stop - r->buffer) : 0,
                 end = r->buffer ? (size_t)(r->end - r->buffer) : 0;
    uint8_t *grown = realloc(r->buffer, cap + MD5_READ_AHEAD + 1);
    if (grown == NULL) return wadi_fail(err, WADI_MEMORY, "reading words: out of memory");
    memset(grown + cap, 0, MD5_READ_AHEAD + 1);
    r->buffer = grown;
    r->cap = cap;
    r->at = grown + at;
    r->stop = grown + stop;
    r->end = grown + end;
    return WADI_OK;
}

wadi_status md5_reader_init(md5_reader *r, md5_input *in, bool keep_cr, wadi_error *err) {
    *r = (md5_reader){.in = in, .keep_cr = keep_cr};
    return resize(r, START, err);
}

void md5_reader_fini(md5_reader *r) {
    free(r->buffer);
    *r = (md5_reader){0};
}

wadi_status md5_reader_go_to(md5_reader *r, md5_place place, wadi_error *err) {
    WADI_TRY(md5_input_seek(r->in, place.file, place.offset, err));
    r->file = place.file;
    r->base = place.offset;
    r->words = place.words;
    return WADI_OK;
}

md5_place md5_reader_place(const md5_reader *r) {
    return (md5_place){r->file, r->base + (r->at - r->buffer), r->words};
}

/* ---- filling ---- */

/* Makes room in the buffer: the beginning of an incomplete word moves to the front. A new file begins with an empty buffer. */
static void make_room(md5_reader *r) {
    const size_t left = (size_t)(r->end - r->stop);
    r->base += r->stop - r->buffer;
    if (left > 0) memmove(r->buffer, r->stop, left);
    r->at = r->stop = r->buffer;
    r->end = r->buffer + left;
    if (!r->file_ended) return;
    r->file_ended = false;
    r->file = md5_input_file(r->in);
    r->base = 0;
}

static const uint8_t *last_newline(const uint8_t *from, const uint8_t *end) {
    while (end > from)
        if (*--end == '\n') return end;
    return NULL;
}

/* The buffer has no newline. */
static void note_joined(md5_reader *r) {
    const size_t n = (size_t)(r->end - r->buffer);
    if (r->base > 0 || n < 2 || memchr(r->buffer, '\r', n - 1) == NULL) return;
    if (r->joined++ == 0) r->joined_file = r->file;
}

/* The word in the buffer is too long: drops the part that is there. */
static void begin_skipping(md5_reader *r) {
    if (!r->skipping) r->too_long++, note_joined(r);
    r->skipping = true;
    r->base += r->end - r->buffer;
    r->end = r->buffer;
}

/* Drops everything up to the end of the long word, if the end is in the buffer. */
static void skip(md5_reader *r) {
    const uint8_t *newline = memchr(r->buffer, '\n', (size_t)(r->end - r->buffer));
    if (newline == NULL && !r->file_ended) {
        begin_skipping(r);
        return;
    }
    const size_t gone = newline ? (size_t)(newline + 1 - r->buffer) : (size_t)(r->end - r->buffer);
    memmove(r->buffer, r->buffer + gone, (size_t)(r->end - r->buffer) - gone);
    r->end -= gone;
    r->base += (int64_t)gone;
    r->skipping = false;
}

/* Reads once more into the buffer, and finds up to where words are complete. */
static wadi_status read_more(md5_reader *r, bool *out_done, wadi_error *err) {
    uint8_t *end = r->buffer + (r->end - r->buffer);
    size_t got = 0;
    WADI_TRY(md5_input_read(r->in, end, (size_t)(r->buffer + r->cap - end), &got, out_done, err));
    const uint8_t *fresh = r->end;
    r->end += got;
    r->file_ended = got == 0;
    if (r->skipping) {
        fresh = r->buffer;
        skip(r);
    }
    if (r->file_ended && r->end > r->buffer) { /* the last line need not end in a newline */
        if (r->end[-1] != '\n') {
            note_joined(r);
            r->buffer[r->end - r->buffer] = '\n', r->end++;
        }
        r->stop = r->end;
        return WADI_OK;
    }
    const uint8_t *newline = last_newline(fresh, r->end);
    if (newline != NULL) r->stop = newline + 1;
    return WADI_OK;
}

static void pass_byte_order_mark(md5_reader *r) {
    static const uint8_t mark[] = {0xef, 0xbb, 0xbf};
    const bool first = r->base == 0 && r->at == r->buffer;
    if (first && (size_t)(r->stop - r->at) > sizeof mark && memcmp(r->at, mark, sizeof mark) == 0)
        r->at += sizeof mark;
}

wadi_status md5_reader_refill(md5_reader *r, bool *out_done, wadi_error *err) {
    *out_done = false;
    make_room(r);
    while (r->stop == r->buffer && !*out_done) {
        if (r->file_ended) make_room(r);
        if (r->end == r->buffer + r->cap) {
            if (r->cap >= MD5_LONGEST)
                begin_skipping(r);
            else
                WADI_TRY(resize(r, 2 * r->cap, err));
        }
        WADI_TRY(read_more(r, out_done, err));
    }
    *out_done = r->stop == r->buffer;
    pass_byte_order_mark(r);
    return WADI_OK;
}

bool md5_reader_waits(const md5_reader *r) {
    return r->at == r->stop && md5_input_waits(r->in);
}

/* ---- words ---- */

static void find_lines(md5_reader *r) {
    size_t seen;
    r->text = r->at;
    r->line = 0;
    r->line_end[0] = UINT32_MAX; /* one before the first byte */
    r->lines = wadi_line_ends(r->text, (size_t)(r->stop - r->at), r->plain, r->line_end + 1,
                              MD5_LINES, &seen);
}

md5_lines md5_reader_lines(md5_reader *r, int64_t *out_n) {
    if (r->line == r->lines && r->at < r->stop) find_lines(r);
    *out_n = (int64_t)(r->lines - r->line);
    return (md5_lines){r->text, r->line_end + r->line, r->keep_cr, r->plain};
}

void md5_reader_pass(md5_reader *r, int64_t n) {
    r->line += (size_t)n;
    r->words += n;
    r->at = r->text + (uint32_t)(r->line_end[r->line] + 1);
}

const uint8_t *md5_reader_next(md5_reader *r, size_t *out_n) {
    int64_t ready;
    uint8_t *word = r->buffer + (r->at - r->buffer);
    (void)md5_reader_lines(r, &ready);
    md5_reader_pass(r, 1);
    size_t n = (size_t)(r->at - 1 - word);
    if (!r->keep_cr && n > 0 && word[n - 1] == '\r') n--;
    if (n > 0 && word[0] == '$') (void)md5_hex_word(word, &n);
    *out_n = n;
    return word;
}
