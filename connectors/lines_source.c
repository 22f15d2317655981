/* The lines of a text, or its words, as a stream: their bytes, or the numbers in them. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/format.h"
#include "base/sketch.h"
#include "base/vec.h"
#include "connectors/lines_fields.h"
#include "connectors/lines_reader.h"
#include "sched/stream.h"

typedef struct lines_source {
    wadi_source base;
    wadi_lines_options how;
    wadi_lines_reader reader;
    int64_t element;          /* the number of the next one */
    int64_t values;           /* of fixed parts, all together; */
    bool rest;                /* the last part takes what is left of a line */
    WADI_VEC(uint64_t) cells; /* the values of a line, each in the first bytes of its cell */
} lines_source;

static void destroy(wadi_source *self) {
    lines_source *s = (lines_source *)self;
    wadi_lines_reader_close(&s->reader);
    wadi_vec_free(&s->cells);
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

/* Lines that must all have so many bytes. */
static wadi_status take_exact_bytes(lines_source *s, wadi_builder *b, wadi_error *err) {
    wadi_lines_reader *r = &s->reader;
    const uint32_t begin = r->begin[r->next], length = r->stop[r->next] - begin;
    char text[80];
    wadi_array to;
    if (length != s->base.part[0].shape[0]) {
        wadi_format(text, sizeof text, "has %u bytes, expected %lld", length,
                    (long long)s->base.part[0].shape[0]);
        return wrong(s, err, text);
    }
    WADI_TRY(wadi_builder_array(b, 0, NULL, &to, err));
    if (length > 0) memcpy(to.column[0], r->text + begin, length);
    return wadi_builder_next(b, err);
}

/* ---- numbers ---- */

static wadi_status no_number(const lines_source *s, int64_t number, wadi_type type, const char *at,
                             size_t n, wadi_error *err) {
    enum { SHOWN = 40 };
    wadi_text text = {0};
    if (s->values == 1 && !s->rest)
        wadi_text_add(&text, "is \"");
    else
        wadi_text_addf(&text, "has as value %lld \"", (long long)number + 1);
    wadi_text_add_shown(&text, at, n < SHOWN ? n : SHOWN);
    wadi_text_addf(&text, "%s\", which is no %s", n > SHOWN ? ".." : "", wadi_type_name(type));
    const wadi_status st = wrong(s, err, wadi_text_str(&text));
    wadi_text_fini(&text);
    return st;
}

static wadi_status read_value(lines_source *s, wadi_lines_fields *f, wadi_type type,
                              wadi_error *err) {
    const char *at = NULL;
    size_t n = 0;
    uint64_t cell = 0;
    if (!wadi_lines_fields_next(f, &at, &n)) {
        char text[80];
        wadi_format(text, sizeof text, "has %lld values, expected %s%lld", (long long)s->cells.n,
                    s->rest ? "at least " : "", (long long)s->values);
        return wrong(s, err, text);
    }
    if (!wadi_lines_field_read(at, n, type, &cell))
        return no_number(s, (int64_t)s->cells.n, type, at, n, err);
    if (!wadi_vec_push(&s->cells, cell))
        return wadi_fail(err, WADI_MEMORY, "%s: out of memory", s->reader.path);
    return WADI_OK;
}

/* The values of one part: `count` of them, or, if it is negative, as many as there are. */
static wadi_status read_part(lines_source *s, wadi_lines_fields *f, const wadi_part *part,
                             int64_t count, wadi_error *err) {
    for (int64_t i = 0; count < 0 ? f->at != NULL : i < count; i++)
        for (int field = 0; field < part->fields; field++)
            WADI_TRY(read_value(s, f, part->type[field], err));
    return WADI_OK;
}

/* Moves the values of a part from their cells to the builder. */
static wadi_status deliver(lines_source *s, int number, size_t *at, wadi_builder *b,
                           wadi_error *err) {
    const wadi_part *part = &s->base.part[number];
    const int64_t left = (int64_t)(s->cells.n - *at) / part->fields;
    const int64_t n = part->fixed ? wadi_shape_values(part->rank, part->shape) : left;
    wadi_array to;
    WADI_TRY(wadi_builder_array(b, number, part->fixed ? NULL : &n, &to, err));
    for (int64_t i = 0; i < n; i++) {
        for (int f = 0; f < part->fields; f++) {
            const size_t size = (size_t)wadi_type_size(part->type[f]);
            memcpy((char *)to.column[f] + (size_t)i * size, &s->cells.at[(*at)++], size);
        }
    }
    return WADI_OK;
}

static wadi_status take_numbers(lines_source *s, wadi_builder *b, wadi_error *err) {
    const wadi_lines_reader *r = &s->reader;
    const char *line = (const char *)r->text + r->begin[r->next];
    wadi_lines_fields f = wadi_lines_fields_of(line, r->stop[r->next] - r->begin[r->next],
                                               s->how.words ? '\0' : s->how.separator);
    size_t at = 0;
    s->cells.n = 0;
    for (int i = 0; i < s->base.parts; i++) {
        const wadi_part *part = &s->base.part[i];
        const int64_t count = part->fixed ? wadi_shape_values(part->rank, part->shape) : -1;
        WADI_TRY(read_part(s, &f, part, count, err));
    }
    if (f.at != NULL && wadi_lines_fields_next(&f, &(const char *){NULL}, &(size_t){0})) {
        char text[80];
        wadi_format(text, sizeof text, "has more than %lld value%s", (long long)s->values,
                    s->values == 1 ? "" : "s");
        return wrong(s, err, text);
    }
    for (int i = 0; i < s->base.parts; i++) WADI_TRY(deliver(s, i, &at, b, err));
    return wadi_builder_next(b, err);
}

/* ---- the source ---- */

static bool is_bytes(const lines_source *s) {
    const wadi_part *part = &s->base.part[0];
    return s->base.parts == 1 && part->fields == 1 && part->rank == 1 && part->type[0] == WADI_U8;
}

static wadi_status take_one(lines_source *s, wadi_builder *b, wadi_error *err) {
    WADI_TRY(is_bytes(s) ? take_exact_bytes(s, b, err) : take_numbers(s, b, err));
    s->reader.next++;
    s->element++;
    return WADI_OK;
}

/* What a pipe has brought is given on before more is waited for. */
static wadi_status next(wadi_source *self, int64_t k, wadi_builder *b, wadi_error *err) {
    lines_source *s = (lines_source *)self;
    wadi_lines_reader *r = &s->reader;
    const bool rows = is_bytes(s) && !s->base.part[0].fixed;
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

static wadi_status check_part(const char *path, const wadi_part *part, bool last, wadi_error *err) {
    if (part->fields < 1 || part->fields > WADI_MAX_FIELDS || part->rank < 0 ||
        part->rank > WADI_MAX_RANK ||
        (part->fixed && wadi_shape_values(part->rank, part->shape) < 0))
        return wadi_fail(err, WADI_INVALID, "%s: no such part of an element", path);
    for (int f = 0; f < part->fields; f++)
        if (part->type[f] > WADI_F64)
            return wadi_fail(err, WADI_TYPE, "%s: a line of text has no numbers of type %s", path,
                             wadi_type_name(part->type[f]));
    if (!part->fixed && (!last || part->rank != 1))
        return wadi_fail(err, WADI_SHAPE,
                         "%s: a line does not tell the shapes of its arrays: all extents must be "
                         "given, but for that of a last array of rank 1, which takes the rest of "
                         "the line",
                         path);
    return WADI_OK;
}

static wadi_status check(const char *path, int parts, const wadi_part *part,
                         const wadi_lines_options *how, wadi_error *err) {
    if (parts < 1 || parts > WADI_MAX_PARTS)
        return wadi_fail(err, WADI_INVALID, "%s: an element of %d parts", path, parts);
    if (how->skip < 0)
        return wadi_fail(err, WADI_INVALID, "%s: skip is %lld, expected 0 or more", path,
                         (long long)how->skip);
    for (int i = 0; i < parts; i++) WADI_TRY(check_part(path, &part[i], i == parts - 1, err));
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
    for (int i = 0; i < parts; i++) {
        s->base.part[i] = part[i];
        if (part[i].fixed)
            s->values += wadi_shape_values(part[i].rank, part[i].shape) * part[i].fields;
        else
            s->rest = true;
    }
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
