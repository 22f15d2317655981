/* How a line of text becomes an element: its bytes, or the numbers in it. */
#include "connectors/lines_values.h"

#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "connectors/lines_fields.h"
#include "sched/stream.h"

/* ---- what may be a line ---- */

static wadi_status check_part(const char *at, const wadi_part *part, bool last, wadi_error *err) {
    if (!wadi_part_is_possible(part))
        return wadi_fail(err, WADI_INVALID, "%s: no such part of an element", at);
    const int64_t values = part->fixed ? wadi_shape_values(part->rank, part->shape) : 0;
    if (values < 0 ||
        values > INT64_MAX / WADI_MAX_PARTS / part->fields) /* so many are summed up */
        return wadi_fail(err, WADI_INVALID, "%s: no such part of an element", at);
    for (int f = 0; f < part->fields; f++)
        if (part->type[f] > WADI_F64)
            return wadi_fail(err, WADI_TYPE, "%s: a line of text has no numbers of type %s", at,
                             wadi_type_name(part->type[f]));
    if (!part->fixed && (!last || part->rank != 1))
        return wadi_fail(err, WADI_SHAPE,
                         "%s: a line does not tell the shapes of its arrays: all extents must be "
                         "given, but for that of a last array of rank 1, which takes the rest of "
                         "the line",
                         at);
    return WADI_OK;
}

wadi_status wadi_lines_check(const char *at, int parts, const wadi_part *part, wadi_error *err) {
    if (parts < 1 || parts > WADI_MAX_PARTS)
        return wadi_fail(err, WADI_INVALID, "%s: an element of %d parts", at, parts);
    for (int i = 0; i < parts; i++) WADI_TRY(check_part(at, &part[i], i == parts - 1, err));
    return WADI_OK;
}

void wadi_lines_values_init(wadi_lines_values *v, int parts, const wadi_part *part,
                            char separator) {
    *v = (wadi_lines_values){.parts = parts, .part = part, .separator = separator};
    v->bytes = parts == 1 && part->fields == 1 && part->rank == 1 && part->type[0] == WADI_U8;
    for (int i = 0; i < parts; i++) {
        if (part[i].fixed)
            v->count += wadi_shape_values(part[i].rank, part[i].shape) * part[i].fields;
        else
            v->rest = true;
    }
}

void wadi_lines_values_fini(wadi_lines_values *v) {
    wadi_vec_free(&v->cells);
}

/* ---- bytes ---- */

static wadi_status take_bytes(const wadi_lines_values *v, const char *line, size_t n,
                              wadi_builder *b, wadi_error *err) {
    const wadi_part *part = &v->part[0];
    const int64_t extent = (int64_t)n;
    wadi_array to;
    if (part->fixed && extent != part->shape[0])
        return wadi_fail(err, WADI_INVALID, "has %lld bytes, expected %lld", (long long)extent,
                         (long long)part->shape[0]);
    WADI_TRY(wadi_builder_array(b, 0, part->fixed ? NULL : &extent, &to, err));
    if (n > 0) memcpy(to.column[0], line, n);
    return wadi_builder_next(b, err);
}

/* ---- numbers ---- */

static wadi_status no_number(const wadi_lines_values *v, int64_t number, wadi_type type,
                             const char *at, size_t n, wadi_error *err) {
    enum { SHOWN = 40 };
    wadi_text text = {0};
    if (v->count == 1 && !v->rest)
        wadi_text_add(&text, "is \"");
    else
        wadi_text_addf(&text, "has as value %lld \"", (long long)number + 1);
    wadi_text_add_shown(&text, at, n < SHOWN ? n : SHOWN);
    wadi_text_addf(&text, "%s\", which is no %s", n > SHOWN ? ".." : "", wadi_type_name(type));
    const wadi_status st = wadi_fail(err, WADI_INVALID, "%s", wadi_text_str(&text));
    wadi_text_fini(&text);
    return st;
}

static wadi_status read_value(wadi_lines_values *v, wadi_lines_fields *f, wadi_type type,
                              wadi_error *err) {
    const char *at = NULL;
    size_t n = 0;
    uint64_t cell = 0;
    if (!wadi_lines_fields_next(f, &at, &n))
        return wadi_fail(err, WADI_INVALID, "has %lld values, expected %s%lld",
                         (long long)v->cells.n, v->rest ? "at least " : "", (long long)v->count);
    if (!wadi_lines_field_read(at, n, type, &cell))
        return no_number(v, (int64_t)v->cells.n, type, at, n, err);
    if (!wadi_vec_push(&v->cells, cell)) return wadi_fail(err, WADI_MEMORY, "out of memory");
    return WADI_OK;
}

/* The values of one part: `count` of them, or, if it is negative, as many as there are. */
static wadi_status read_part(wadi_lines_values *v, wadi_lines_fields *f, const wadi_part *part,
                             int64_t count, wadi_error *err) {
    for (int64_t i = 0; count < 0 ? f->at != NULL : i < count; i++)
        for (int field = 0; field < part->fields; field++)
            WADI_TRY(read_value(v, f, part->type[field], err));
    return WADI_OK;
}

/* Moves the values of a part from their cells to the builder. */
static wadi_status deliver(const wadi_lines_values *v, int number, size_t *at, wadi_builder *b,
                           wadi_error *err) {
    const wadi_part *part = &v->part[number];
    const int64_t left = (int64_t)(v->cells.n - *at) / part->fields;
    const int64_t n = part->fixed ? wadi_shape_values(part->rank, part->shape) : left;
    wadi_array to;
    WADI_TRY(wadi_builder_array(b, number, part->fixed ? NULL : &n, &to, err));
    for (int64_t i = 0; i < n; i++) {
        for (int f = 0; f < part->fields; f++) {
            const size_t size = (size_t)wadi_type_size(part->type[f]);
            memcpy((char *)to.column[f] + (size_t)i * size, &v->cells.at[(*at)++], size);
        }
    }
    return WADI_OK;
}

static wadi_status take_numbers(wadi_lines_values *v, const char *line, size_t n, wadi_builder *b,
                                wadi_error *err) {
    wadi_lines_fields f = wadi_lines_fields_of(line, n, v->separator);
    size_t at = 0;
    v->cells.n = 0;
    for (int i = 0; i < v->parts; i++) {
        const wadi_part *part = &v->part[i];
        const int64_t count = part->fixed ? wadi_shape_values(part->rank, part->shape) : -1;
        WADI_TRY(read_part(v, &f, part, count, err));
    }
    if (f.at != NULL && wadi_lines_fields_next(&f, &(const char *){NULL}, &(size_t){0}))
        return wadi_fail(err, WADI_INVALID, "has more than %lld value%s", (long long)v->count,
                         v->count == 1 ? "" : "s");
    for (int i = 0; i < v->parts; i++) WADI_TRY(deliver(v, i, &at, b, err));
    return wadi_builder_next(b, err);
}

wadi_status wadi_lines_values_take(wadi_lines_values *v, const char *line, size_t n,
                                   wadi_builder *b, wadi_error *err) {
    return v->bytes ? take_bytes(v, line, n, b, err) : take_numbers(v, line, n, b, err);
}
