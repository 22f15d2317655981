/* Visibilities in plain text, one in each line: u v w re im and optionally a weight, with blanks or commas between them. Baselines
 * are in wavelengths, so no frequency is needed. If none is given, the frequency is that of a wave of one metre, for which wavelengths
 * are metres. A file may be compressed with gzip if the module zlib is installed.
 *
 * What follows a # is a comment. Comments before the first visibility may tell more, a name and a value in each line:
 *
 *     # frequency 74e6      Hz
 *     # ra 83.63            phase centre, degrees
 *     # dec 22.01
 *     # sign +1             visibilities of exp(+2 pi i (u l + v m + w (n - 1))), which are conjugated when read; default -1
 *     # stokes -1           code of the polarisation in FITS; default 1 (I)
 *
 * The number of rows is not known before the whole file has been read. */
#include "connectors/visibility.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/error.h"
#include "base/io.h"
#include "base/loadable.h"
#include "connectors/decimal.h"
#include "connectors/offers.h"

enum { BUFFER = 1 << 16, MAX_LINE = 4096, MIN_COLUMNS = 5, MAX_COLUMNS = 6 };

static const double LIGHT = 299792458; /* m/s */

static const char *const column_names[MAX_COLUMNS] = {"u", "v", "w", "re", "im", "weight"};

typedef struct text_vis {
    wadi_vis base;
    char *path;
    int fd;                      /* the file */
    const wadi_gzip_offer *gzip; /* reads the file if it is compressed */
    void *packed; /* the compressed file, as gzip has opened it; NULL: not compressed */
    char *buffer;
    size_t from, to; /* the part of the buffer that has not been read yet */
    bool at_end;     /* the file has ended: nothing more comes into the buffer */
    int64_t line;    /* number of the line read last, from 1 */
    int64_t row;     /* rows delivered */
    int columns;     /* of every line, as in the first; 0: no line has been read */
    double frequency, sign;
    int stokes;
} text_vis;

/* ---- bytes ---- */

static bool is_packed(const unsigned char *head, size_t n) {
    return n >= 2 && head[0] == 0x1f && head[1] == 0x8b;
}

static wadi_status get_gzip(const char *path, const wadi_gzip_offer **out, wadi_error *err) {
    const void *offer = NULL;
    wadi_error why = {0};
    const wadi_status st = wadi_loadable_get("zlib", "gzip", &offer, &why);
    if (st != WADI_OK)
        return wadi_fail(err, st, "%.100s is compressed with gzip: %.380s", path, why.msg);
    *out = offer;
    return WADI_OK;
}

static wadi_status open_file(text_vis *t, wadi_error *err) {
    unsigned char head[2];
    bool failed = false;
    t->fd = wadi_io_open(t->path);
    if (t->fd < 0) return wadi_fail_errno(err, errno, "%s", t->path);
    const size_t n = wadi_io_read_full(t->fd, head, sizeof head, t->path, &failed);
    if (failed) return wadi_fail_errno(err, errno, "%s", t->path);
    if (is_packed(head, n)) {
        WADI_TRY(get_gzip(t->path, &t->gzip, err));
        t->packed = t->gzip->open(t->path);
        return t->packed != NULL ? WADI_OK : wadi_fail_errno(err, errno, "%s", t->path);
    }
    if (lseek(t->fd, 0, SEEK_SET) == 0) return WADI_OK;
    return wadi_fail_errno(err, errno, "%s", t->path);
}

static void close_file(text_vis *t) {
    if (t->fd >= 0) (void)close(t->fd);
    if (t->packed != NULL) t->gzip->close(t->packed);
}

static bool rewind_file(text_vis *t) {
    return t->packed != NULL ? t->gzip->rewind(t->packed) : lseek(t->fd, 0, SEEK_SET) == 0;
}

static wadi_status read_bytes(text_vis *t, char *to, size_t n, size_t *out_n, wadi_error *err) {
    const char *why = NULL;
    if (t->packed != NULL) {
        why = t->gzip->read(t->packed, to, n, out_n);
    } else {
        bool failed = false;
        *out_n = wadi_io_read_full(t->fd, to, n, t->path, &failed);
        if (failed) return wadi_fail_errno(err, errno, "%s:%lld", t->path, (long long)t->line + 1);
    }
    if (why == NULL) return WADI_OK;
    return wadi_fail(err, WADI_IO, "%s:%lld: %s", t->path, (long long)t->line + 1, why);
}

static wadi_status start_over(text_vis *t, wadi_error *err) {
    if (!rewind_file(t)) {
        return wadi_fail(err, WADI_IO, "%s: cannot be read from the start again", t->path);
    }
    t->from = t->to = 0;
    t->line = t->row = 0;
    t->at_end = false;
    return WADI_OK;
}

/* ---- lines ---- */

typedef struct line {
    const char *at, *end;       /* numbers; NULL: no more lines */
    const char *comment, *stop; /* the text behind the #; empty: there is none */
} line;

static wadi_status fill(text_vis *t, wadi_error *err) {
    memmove(t->buffer, t->buffer + t->from, t->to - t->from);
    t->to -= t->from;
    t->from = 0;
    size_t n = 0;
    WADI_TRY(read_bytes(t, t->buffer + t->to, BUFFER - t->to, &n, err));
    t->to += n;
    t->at_end = n == 0;
    return WADI_OK;
}

/* The next line without its line end. The text stays valid until the next call. */
static wadi_status next_line(text_vis *t, line *out, wadi_error *err) {
    const char *end = memchr(t->buffer + t->from, '\n', t->to - t->from);
    while (end == NULL && !t->at_end && t->to - t->from <= MAX_LINE) {
        WADI_TRY(fill(t, err));
        end = memchr(t->buffer + t->from, '\n', t->to - t->from);
    }
    *out = (line){0};
    if (end == NULL && t->from == t->to) return WADI_OK;
    const char *at = t->buffer + t->from;
    if (end == NULL) end = t->buffer + t->to;
    t->line++;
    if (end - at > MAX_LINE) {
        return wadi_fail(err, WADI_IO, "%s:%lld:%d: the line is longer than %d bytes", t->path,
                         (long long)t->line, MAX_LINE + 1, MAX_LINE);
    }
    t->from = (size_t)(end - t->buffer) + (end < t->buffer + t->to);
    const char *mark = memchr(at, '#', (size_t)(end - at));
    *out = (line){at, mark != NULL ? mark : end, mark != NULL ? mark + 1 : end, end};
    return WADI_OK;
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

static const char *skip_blank(const char *at, const char *end) {
    while (at < end && is_blank(*at)) at++;
    return at;
}

static const char *word_end(const char *at, const char *end) {
    while (at < end && !is_blank(*at) && *at != ',') at++;
    return at;
}

/* ---- a visibility ---- */

static wadi_status bad_column(const text_vis *t, const line *l, const char *at, const char *what,
                              wadi_error *err) {
    const int n = (int)(word_end(at, at < l->end ? l->end : l->stop) - at);
    return wadi_fail(err, WADI_IO, "%s:%lld:%lld: expected %s, found %s%.*s%s", t->path,
                     (long long)t->line, (long long)(at - l->at) + 1, what,
                     n == 0 ? "nothing" : "\"", n < 40 ? n : 40, at, n == 0 ? "" : "\"");
}

/* Reads the numbers of a line, which are separated by blanks or single commas. */
static wadi_status read_numbers(const text_vis *t, const line *l, double *out, int *out_n,
                                wadi_error *err) {
    const char *at = skip_blank(l->at, l->end);
    int n = 0;
    while (at < l->end) {
        if (n == MAX_COLUMNS) return bad_column(t, l, at, "the end of the line", err);
        const char *end = wadi_decimal_f64(at, l->end, &out[n]);
        if (end == NULL || end != word_end(at, l->end)) {
            char what[64];
            snprintf(what, sizeof what, "a number for %s", column_names[n]);
            return bad_column(t, l, at, what, err);
        }
        if (n < 3 && !isfinite(out[n])) return bad_column(t, l, at, "a finite baseline", err);
        n++;
        at = skip_blank(end, l->end);
        if (at < l->end && *at == ',') at = skip_blank(at + 1, l->end);
    }
    *out_n = n;
    return WADI_OK;
}

static wadi_status read_visibility(text_vis *t, const line *l, double *value, wadi_error *err) {
    int n = 0;
    WADI_TRY(read_numbers(t, l, value, &n, err));
    if (t->columns == 0 && n >= MIN_COLUMNS) t->columns = n;
    const int want = t->columns != 0 ? t->columns : MIN_COLUMNS;
    if (n < want) {
        char what[64];
        snprintf(what, sizeof what, "a number for %s", column_names[n]);
        return bad_column(t, l, l->end, what, err);
    }
    if (n > want) {
        return wadi_fail(err, WADI_IO, "%s:%lld: %d columns, where the first visibility has %d",
                         t->path, (long long)t->line, n, want);
    }
    return WADI_OK;
}

/* The next line that holds a visibility. out->at is NULL at the end of the file. */
static wadi_status next_visibility(text_vis *t, line *out, wadi_error *err) {
    do {
        WADI_TRY(next_line(t, out, err));
    } while (out->at != NULL && skip_blank(out->at, out->end) == out->end);
    return WADI_OK;
}

static void put(const text_vis *t, const double *value, int64_t k, const wadi_vis_rows *rows) {
    const double metres = LIGHT / t->frequency;
    for (int i = 0; i < 3; i++) rows->uvw[3 * k + i] = value[i] * metres;
    rows->pair[2 * k] = rows->pair[2 * k + 1] = -1;
    rows->time[k] = 0;
    rows->data[2 * k] = value[3];
    rows->data[2 * k + 1] = t->sign > 0 ? -value[4] : value[4];
    rows->weight[k] = t->columns == MAX_COLUMNS ? (float)value[5] : 1;
}

static wadi_status read_rows(wadi_vis *self, int64_t first, int64_t k, const wadi_vis_rows *rows,
                             int64_t *out_n, wadi_error *err) {
    text_vis *t = (text_vis *)self;
    double value[MAX_COLUMNS];
    *out_n = 0;
    if (first != t->row) WADI_TRY(start_over(t, err));
    while (*out_n < k) {
        line l;
        WADI_TRY(next_visibility(t, &l, err));
        if (l.at == NULL) break;
        WADI_TRY(read_visibility(t, &l, value, err));
        if (t->row++ >= first) put(t, value, (*out_n)++, rows);
    }
    return WADI_OK;
}

/* ---- what stands before the first visibility ---- */

static bool is_code(double v) {
    return (v >= -8 && v <= -1 && v == floor(v)) || (v >= 1 && v <= 4 && v == floor(v));
}

/* Reads a comment that begins with one of the names, and skips any other. */
static wadi_status read_comment(text_vis *t, const line *l, wadi_error *err) {
    static const char *const names[] = {"frequency", "ra", "dec", "sign", "stokes"};
    enum { FREQUENCY, RA, DEC, SIGN, STOKES, NAMES };
    const double degree = acos(-1.0) / 180;
    const char *at = skip_blank(l->comment, l->stop);
    const char *end = word_end(at, l->stop);
    int which = 0;
    while (which < NAMES && (strlen(names[which]) != (size_t)(end - at) ||
                             strncmp(names[which], at, (size_t)(end - at)) != 0))
        which++;
    if (which == NAMES) return WADI_OK;
    at = skip_blank(end, l->stop);
    double v = 0;
    end = wadi_decimal_f64(at, l->stop, &v);
    if (end == NULL || end != word_end(at, l->stop) || !isfinite(v)) {
        return bad_column(t, l, at, "a number", err);
    }
    switch (which) {
    case FREQUENCY:
        t->frequency = v;
        return v > 0 ? WADI_OK : bad_column(t, l, at, "a positive frequency in Hz", err);
    case RA:
        t->base.info.ra = v * degree;
        return WADI_OK;
    case DEC:
        t->base.info.dec = v * degree;
        return fabs(v) <= 90 ? WADI_OK : bad_column(t, l, at, "-90 to 90 degrees", err);
    case SIGN:
        t->sign = v;
        return fabs(v) == 1 ? WADI_OK : bad_column(t, l, at, "+1 or -1", err);
    default:
        t->stokes = is_code(v) ? (int)v : 0;
        return t->stokes != 0 ? WADI_OK : bad_column(t, l, at, "1 to 4 or -1 to -8", err);
    }
}

static wadi_status read_head(text_vis *t, wadi_error *err) {
    double value[MAX_COLUMNS];
    line l;
    for (;;) {
        WADI_TRY(next_line(t, &l, err));
        if (l.at == NULL) {
            return wadi_fail(err, WADI_INVALID, "%s: contains no visibilities", t->path);
        }
        if (skip_blank(l.at, l.end) < l.end) break;
        WADI_TRY(read_comment(t, &l, err));
    }
    WADI_TRY(read_visibility(t, &l, value, err)); /* sets the number of columns */
    if (isnan(t->base.info.ra) != isnan(t->base.info.dec)) {
        return wadi_fail(err, WADI_IO, "%s: the phase centre needs both ra and dec, found only %s",
                         t->path, isnan(t->base.info.ra) ? "dec" : "ra");
    }
    return start_over(t, err);
}

/* ---- life ---- */

static void close_text(wadi_vis *self) {
    text_vis *t = (text_vis *)self;
    close_file(t);
    free(t->buffer);
    free(t->path);
    free(t);
}

static const wadi_vis_ops text_ops = {read_rows, close_text};

static void describe(text_vis *t) {
    t->base.ops = &text_ops;
    t->frequency = LIGHT;
    t->sign = -1;
    t->stokes = WADI_STOKES_I;
    t->base.info = (wadi_vis_info){.rows = -1,
                                   .channels = 1,
                                   .pols = 1,
                                   .frequency = &t->frequency,
                                   .stokes = &t->stokes,
                                   .ra = (double)NAN,
                                   .dec = (double)NAN,
                                   .equinox = 2000,
                                   .object = "",
                                   .telescope = "",
                                   .format = "text"};
}

static wadi_status open_text(const char *path, const wadi_vis_options *options, wadi_vis **out,
                             wadi_error *err) {
    if (options->field > 1 || options->setup > 1) {
        return wadi_fail(err, WADI_INVALID, "%s: text has one field and one setup, number 0", path);
    }
    text_vis *t = calloc(1, sizeof *t);
    if (t == NULL) return wadi_fail(err, WADI_MEMORY, "%s: out of memory", path);
    t->fd = -1;
    describe(t);
    wadi_status st = WADI_OK;
    t->path = malloc(strlen(path) + 1);
    t->buffer = malloc(BUFFER);
    if (t->path == NULL || t->buffer == NULL) {
        st = wadi_fail(err, WADI_MEMORY, "%s: out of memory", path);
        goto done;
    }
    strcpy(t->path, path);
    st = open_file(t, err);
    if (st == WADI_OK) st = read_head(t, err);
done:
    if (st != WADI_OK)
        close_text(&t->base);
    else
        *out = &t->base;
    return st;
}

const wadi_vis_format_ops wadi_vis_text = {open_text, NULL};

/* ---- recognition ---- */

/* Whether it is text whose first line without a comment begins with a number. Text of comments alone is accepted, too. */
static bool looks_like_numbers(const unsigned char *head, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (head[i] < ' ' && strchr("\t\r\n", head[i]) == NULL) return false;
        if (head[i] == 0) return false;
    }
    size_t i = 0;
    while (i < n) {
        while (i < n && strchr(" \t\r\n", head[i]) != NULL) i++;
        if (i < n && head[i] != '#') return strchr("+-.0123456789", head[i]) != NULL;
        while (i < n && head[i] != '\n') i++;
    }
    return n > 0 && memchr(head, '#', n) != NULL;
}

/* If a compressed file cannot be read because there is no module zlib, it is accepted here; opening it then says what is missing. */
bool wadi_vis_text_recognises(const char *path, const unsigned char *head, size_t n) {
    char text[MAX_LINE];
    size_t got = 0;
    const wadi_gzip_offer *gzip = NULL;
    if (head == NULL) return false;
    if (!is_packed(head, n)) return looks_like_numbers(head, n);
    if (get_gzip(path, &gzip, NULL) != WADI_OK) return true;
    void *file = gzip->open(path);
    if (file == NULL) return false;
    const bool failed = gzip->read(file, text, sizeof text, &got) != NULL;
    gzip->close(file);
    return !failed && got > 0 && looks_like_numbers((const unsigned char *)text, got);
}
