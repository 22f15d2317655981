/* The lines of a text, or its words, as a stream: their bytes, or the numbers in them. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/format.h"
#include "base/sketch.h"
#include "connectors/lines_reader.h"
#include "connectors/lines_values.h"
#include "sched/stream.h"

typedef struct lines_source {
    wadi_source base;
    wadi_lines_options how;
    wadi_lines_reader reader;
    wadi_lines_values values;
    int64_t element; /* the number of the next one */
} lines_source;

static void destroy(wadi_source *self) {
    lines_source *s = (lines_source *)self;
    wadi_lines_reader_close(&s->reader);
    wadi_lines_values_fini(&s->values);
    free(s);
}

/* Where the element stands, for messages. */
static wadi_status wrong(const lines_source *s, wadi_error *err, const char *what) {
    if (s->how.words)
        return wadi_fail(err, WADI_INVALID, "%s: word %lld, at byte %lld, %s", s->reader.path,
                         (long long)s->element + 1, (long long)wadi_lines_reader_place(&s->reader),
                         what);
    return wadi_fail(err, WADI_INVALID, "%s: line %lld %s", s->reader.path,
                     (long long)(s->how.skip + s->element + 1), what);
}

/* ---- bytes ---- */

/* Nothing is read or written behind what either side has room for. */
static void copy(uint8_t *to, const uint8_t *from, size_t n) {
    memcpy(to, from, WADI_LINE_SLACK);
    if (n > WADI_LINE_SLACK)
        memcpy(to + WADI_LINE_SLACK, from + WADI_LINE_SLACK, n - WADI_LINE_SLACK);
}

/* How many of the known spans the builder has room for, at least one, and their bytes. */
static int fit(const lines_source *s, int64_t k, const wadi_builder *b, int64_t *out_bytes) {
    const wadi_lines_reader *r = &s->reader;
    const int64_t left = b->most_bytes - b->bytes;
    int64_t bytes = 0;
    int n = 0;
    while (r->next + n < r->spans && n < k && (n == 0 || bytes < left)) {
        bytes += r->stop[r->next + n] - r->begin[r->next + n];
        n++;
    }
    *out_bytes = bytes;
    return n;
}

static wadi_status take_bytes(lines_source *s, int64_t k, wadi_builder *b, wadi_error *err) {
    wadi_lines_reader *r = &s->reader;
    wadi_builder_rows rows;
    int64_t bytes;
    const int n = fit(s, k, b, &bytes);
    WADI_TRY(wadi_builder_room(b, n, bytes + WADI_LINE_SLACK, &rows, err));
    uint8_t *to = rows.column;
    for (int i = 0; i < n; i++) {
        const uint32_t begin = r->begin[r->next + i], length = r->stop[r->next + i] - begin;
        copy(to, r->text + begin, length);
        rows.extents[i] = length;
        to += length;
    }
    wadi_builder_keep_rows(b, n);
    r->next += n;
    s->element += n;
    return WADI_OK;
}

/* ---- the source ---- */

static wadi_status take_one(lines_source *s, wadi_builder *b, wadi_error *err) {
    const wadi_lines_reader *r = &s->reader;
    wadi_error why = {.status = WADI_OK};
    const wadi_status st =
        wadi_lines_values_take(&s->values, (const char *)r->text + r->begin[r->next],
                               r->stop[r->next] - r->begin[r->next], b, &why);
    if (st == WADI_INVALID) return wrong(s, err, why.msg);
    if (st != WADI_OK) return wadi_fail(err, st, "%s: %.400s", s->reader.path, why.msg);
    s->reader.next++;
    s->element++;
    return WADI_OK;
}

/* What a pipe has brought is given on before more is waited for. */
static wadi_status next(wadi_source *self, int64_t k, wadi_builder *b, wadi_error *err) {
    lines_source *s = (lines_source *)self;
    wadi_lines_reader *r = &s->reader;
    const bool rows = s->values.bytes && !s->base.part[0].fixed;
    if (wadi_lines_reader_place(r) == 0) WADI_TRY(wadi_lines_reader_skip(r, s->how.skip, err));
    while (b->count < k && !wadi_builder_full(b)) {
        if (r->next == r->spans && b->count > 0 && !r->regular) return WADI_OK;
        WADI_TRY(wadi_lines_reader_find(r, err));
        if (r->next == r->spans) return WADI_OK;
        WADI_TRY(rows ? take_bytes(s, k - b->count, b, err) : take_one(s, b, err));
    }
    return WADI_OK;
}

static wadi_status tell(wadi_source *self, wadi_position *out, wadi_error *err) {
    const lines_source *s = (const lines_source *)self;
    WADI_UNUSED(err);
    *out = (wadi_position){.element = s->element, .mark = wadi_lines_reader_place(&s->reader)};
    return WADI_OK;
}

static wadi_status seek(wadi_source *self, wadi_position to, wadi_error *err) {
    lines_source *s = (lines_source *)self;
    if (!s->reader.regular)
        return wadi_fail(err, WADI_UNSUPPORTED, "%s: is no file that can be read from the middle",
                         s->reader.path);
    if (to.element < 0 || (to.mark == 0 && to.element > 0) ||
        !wadi_lines_reader_has(&s->reader, to.mark))
        return wadi_fail(err, WADI_INVALID, "%s: no position (%lld, %lld)", s->reader.path,
                         (long long)to.element, (long long)to.mark);
    WADI_TRY(wadi_lines_reader_go_to(&s->reader, to.mark, err));
    s->element = to.element;
    return WADI_OK;
}

static wadi_status describe(wadi_source *self, wadi_text *out, wadi_error *err) {
    const lines_source *s = (const lines_source *)self;
    wadi_text_addf(out, "%d %d %d %lld ", s->how.words, s->how.keep_cr, s->how.separator,
                   (long long)s->how.skip);
    return wadi_sketch(s->reader.fd, s->reader.path, out, err);
}

static const wadi_source_ops source_ops = {
    .destroy = destroy, .next = next, .tell = tell, .seek = seek, .describe = describe};

/* ---- opening ---- */

static wadi_status check(const char *path, int parts, const wadi_part *part,
                         const wadi_lines_options *how, wadi_error *err) {
    WADI_TRY(wadi_lines_check(path, parts, part, err));
    if (how->skip < 0)
        return wadi_fail(err, WADI_INVALID, "%s: skip is %lld, expected 0 or more", path,
                         (long long)how->skip);
    const bool bytes = part->rank == 1 && part->type[0] == WADI_U8, number = part->rank == 0;
    if (how->words && (parts > 1 || part->fields > 1 || !(bytes || number)))
        return wadi_fail(err, WADI_TYPE,
                         "%s: a word is u8[n] or one number, but the program declares something "
                         "else",
                         path);
    return WADI_OK;
}

static wadi_status begin(lines_source *s, const char *path, int parts, const wadi_part *part,
                         wadi_error *err) {
    s->base = (wadi_source){.ops = &source_ops, .kind = "lines", .wake_fd = -1, .parts = parts};
    for (int i = 0; i < parts; i++) s->base.part[i] = part[i];
    wadi_lines_values_init(&s->values, parts, s->base.part, s->how.words ? '\0' : s->how.separator);
    WADI_TRY(wadi_lines_reader_open(&s->reader, path, err));
    s->reader.words = s->how.words;
    s->reader.keep_cr = s->how.keep_cr;
    return WADI_OK;
}

wadi_status wadi_source_lines(const char *path, int parts, const wadi_part *part,
                              const wadi_lines_options *options, wadi_source **out_source,
                              wadi_error *err) {
    WADI_GIVEN(err, path);
    WADI_GIVEN(err, part);
    WADI_GIVEN(err, out_source);
    const wadi_lines_options how = options != NULL ? *options : (wadi_lines_options){0};
    WADI_TRY(check(path, parts, part, &how, err));
    lines_source *s = calloc(1, sizeof *s);
    if (s == NULL) return wadi_fail(err, WADI_MEMORY, "%s: out of memory", path);
    s->reader.fd = -1;
    s->how = how;
    const wadi_status st = begin(s, path, parts, part, err);
    if (st != WADI_OK) {
        destroy(&s->base);
        return st;
    }
    *out_source = &s->base;
    return WADI_OK;
}
