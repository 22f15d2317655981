/* Elements as lines of text. */
#include "connectors/lines_write.h"

#include <string.h>

#include "base/error.h"
#include "connectors/decimal.h"

/* ---- numbers ---- */

static void add_f64(wadi_text *t, double x) {
    char digits[WADI_DECIMAL_ROOM];
    wadi_text_add_n(t, digits, wadi_decimal_write_f64(x, digits));
}

static void add_f32(wadi_text *t, float x) {
    char digits[WADI_DECIMAL_ROOM];
    wadi_text_add_n(t, digits, wadi_decimal_write_f32(x, digits));
}

static void add_unsigned(wadi_text *t, uint64_t v, bool minus) {
    char digits[24];
    size_t at = sizeof digits;
    do {
        digits[--at] = (char)('0' + v % 10);
        v /= 10;
    } while (v > 0);
    if (minus) digits[--at] = '-';
    wadi_text_add_n(t, digits + at, sizeof digits - at);
}

static void add_signed(wadi_text *t, int64_t v) {
    add_unsigned(t, v < 0 ? 0 - (uint64_t)v : (uint64_t)v, v < 0);
}

static void add_value(wadi_text *t, wadi_type type, const void *column, int64_t i) {
    switch (type) {
    case WADI_BOOL:
    case WADI_U8:
        add_unsigned(t, ((const uint8_t *)column)[i], false);
        return;
    case WADI_U16:
        add_unsigned(t, ((const uint16_t *)column)[i], false);
        return;
    case WADI_U32:
        add_unsigned(t, ((const uint32_t *)column)[i], false);
        return;
    case WADI_U64:
        add_unsigned(t, ((const uint64_t *)column)[i], false);
        return;
    case WADI_I8:
        add_signed(t, ((const int8_t *)column)[i]);
        return;
    case WADI_I16:
        add_signed(t, ((const int16_t *)column)[i]);
        return;
    case WADI_I32:
        add_signed(t, ((const int32_t *)column)[i]);
        return;
    case WADI_I64:
        add_signed(t, ((const int64_t *)column)[i]);
        return;
    case WADI_F32:
        add_f32(t, ((const float *)column)[i]);
        return;
    case WADI_F64:
        add_f64(t, ((const double *)column)[i]);
        return;
    case WADI_C64:
    case WADI_C128:
    case WADI_TYPE_COUNT:
        break; /* refused before */
    }
}

/* An element may be far larger than its text should become in memory. */
static wadi_status add_numbers(const wadi_lines_writer *w, const wadi_array *a, bool *first,
                               wadi_text *t, wadi_error *err) {
    const int64_t n = wadi_shape_values(a->rank, a->shape);
    for (int64_t i = 0; i < n; i++) {
        for (int f = 0; f < a->fields; f++) {
            if (!*first) wadi_text_add_n(t, &w->separator, 1);
            add_value(t, a->type[f], a->column[f], i);
            *first = false;
        }
        if (t->n >= WADI_LINES_PIECE) WADI_TRY(w->piece(w->env, t, err));
    }
    return WADI_OK;
}

/* ---- lines ---- */

static bool is_bytes(const wadi_chunk *c) {
    const wadi_chunk_component *one = &c->component[0];
    return c->components == 1 && one->rank == 1 && one->fields == 1 && one->type[0] == WADI_U8;
}

static wadi_status add_bytes(const wadi_lines_writer *w, const wadi_chunk *c, int64_t i,
                             const wadi_array *a, wadi_text *t, wadi_error *err) {
    const char *bytes = a->column[0];
    const size_t n = (size_t)a->shape[0];
    const char *newline = n > 0 ? memchr(bytes, '\n', n) : NULL;
    if (newline != NULL)
        return wadi_fail(err, WADI_INVALID,
                         "%s: byte %lld of element %lld is a newline, so it would be two lines",
                         w->at, (long long)(newline - bytes), (long long)(c->first + i));
    if (n > 0) wadi_text_add_n(t, bytes, n);
    return WADI_OK;
}

wadi_status wadi_lines_write_check(const wadi_lines_writer *w, const wadi_chunk *c,
                                   wadi_error *err) {
    if (c->components > WADI_MAX_PARTS)
        return wadi_fail(err, WADI_UNSUPPORTED, "%s: elements of %d arrays, at most %d", w->at,
                         c->components, (int)WADI_MAX_PARTS);
    for (int k = 0; k < c->components; k++)
        for (int f = 0; f < c->component[k].fields; f++)
            if (c->component[k].type[f] > WADI_F64)
                return wadi_fail(err, WADI_TYPE, "%s: a line of text has no numbers of type %s",
                                 w->at, wadi_type_name(c->component[k].type[f]));
    return WADI_OK;
}

wadi_status wadi_lines_write(const wadi_lines_writer *w, const wadi_chunk *c, int64_t i,
                             wadi_text *t, wadi_error *err) {
    bool first = true;
    for (int k = 0; k < c->components; k++) {
        const wadi_array a = wadi_chunk_array(c, k, i);
        if (is_bytes(c))
            WADI_TRY(add_bytes(w, c, i, &a, t, err));
        else
            WADI_TRY(add_numbers(w, &a, &first, t, err));
    }
    wadi_text_add(t, "\n");
    return WADI_OK;
}
