/* What is taken is laid out first, so that one block holds it all. */
#include "sched/sample.h"

#include <stdlib.h>
#include <string.h>

static int64_t divide_up(int64_t n, int64_t by) {
    return (n + by - 1) / by;
}

static int64_t step_of(int64_t n, int64_t most) {
    return n > most ? divide_up(n, most) : 1;
}

static int64_t parts_of(wadi_type t) {
    return t == WADI_C64 || t == WADI_C128 ? 2 : 1;
}

/* ---- laying out ---- */

static void lay_out_part(wadi_sample_part *p, const wadi_chunk *c, const wadi_array *a, int field) {
    const bool matrix = a->rank >= 2;
    const int64_t rows = matrix ? a->shape[a->rank - 2] : 1;
    const int64_t columns = a->rank == 0 ? c->count : a->shape[a->rank - 1];
    const bool empty = a->rank > 0 && wadi_shape_values(a->rank, a->shape) <= 0;
    p->type = a->type[field];
    p->series = a->rank == 0;
    p->rank = a->rank;
    for (int i = 0; i < a->rank; i++) p->shape[i] = a->shape[i];
    p->row_step = step_of(rows, WADI_SAMPLE_SIDE);
    p->column_step = step_of(columns, matrix ? WADI_SAMPLE_SIDE : WADI_SAMPLE_LINE);
    p->rows = empty ? 0 : divide_up(rows, p->row_step);
    p->columns = empty ? 0 : divide_up(columns, p->column_step);
}

/* All but the values. Returns how many they are. */
static int64_t lay_out(wadi_sample *s, const wadi_chunk *c) {
    s->first = c->first;
    s->count = c->count;
    for (int i = 0; i < c->components; i++) {
        const wadi_array a = wadi_chunk_array(c, i, c->count - 1);
        for (int f = 0; f < a.fields; f++) {
            s->cut = s->n == WADI_SAMPLE_PARTS;
            if (s->cut) return s->values;
            wadi_sample_part *p = &s->part[s->n++];
            lay_out_part(p, c, &a, f);
            p->at = s->values;
            s->values += p->rows * p->columns * parts_of(p->type);
        }
    }
    return s->values;
}

/* ---- values ---- */

#define AT(type) ((double)((const type *)column)[i])

/* Returns the place behind it. */
static double *take_value(double *to, wadi_type t, const void *column, int64_t i) {
    switch (t) {
    case WADI_BOOL:
    case WADI_U8:
        *to++ = AT(uint8_t);
        break;
    case WADI_I8:
        *to++ = AT(int8_t);
        break;
    case WADI_I16:
        *to++ = AT(int16_t);
        break;
    case WADI_I32:
        *to++ = AT(int32_t);
        break;
    case WADI_I64:
        *to++ = AT(int64_t);
        break;
    case WADI_U16:
        *to++ = AT(uint16_t);
        break;
    case WADI_U32:
        *to++ = AT(uint32_t);
        break;
    case WADI_U64:
        *to++ = AT(uint64_t);
        break;
    case WADI_F32:
        *to++ = AT(float);
        break;
    case WADI_F64:
        *to++ = AT(double);
        break;
    case WADI_C64:
        *to++ = (double)((const float *)column)[2 * i];
        *to++ = (double)((const float *)column)[2 * i + 1];
        break;
    case WADI_C128:
        *to++ = ((const double *)column)[2 * i];
        *to++ = ((const double *)column)[2 * i + 1];
        break;
    case WADI_TYPE_COUNT:
        break;
    }
    return to;
}

static void take_series(const wadi_sample_part *p, const wadi_chunk *c, int component, int field,
                        double *to) {
    for (int64_t k = 0; k < p->columns; k++) {
        const wadi_array a = wadi_chunk_array(c, component, k * p->column_step);
        to = take_value(to, p->type, a.column[field], 0);
    }
}

static void take_array(const wadi_sample_part *p, const wadi_array *a, int field, double *to) {
    const int64_t width = a->shape[a->rank - 1];
    for (int64_t r = 0; r < p->rows; r++)
        for (int64_t k = 0; k < p->columns; k++)
            to = take_value(to, p->type, a->column[field],
                            r * p->row_step * width + k * p->column_step);
}

static void take_values(wadi_sample *s, const wadi_chunk *c) {
    int n = 0;
    for (int i = 0; i < c->components && n < s->n; i++) {
        const wadi_array a = wadi_chunk_array(c, i, c->count - 1);
        for (int f = 0; f < a.fields && n < s->n; f++) {
            const wadi_sample_part *p = &s->part[n++];
            if (p->series)
                take_series(p, c, i, f, s->value + p->at);
            else
                take_array(p, &a, f, s->value + p->at);
        }
    }
}

static size_t size_of(int64_t values) {
    return sizeof(wadi_sample) + (size_t)values * sizeof(double);
}

wadi_sample *wadi_sample_make(const wadi_chunk *c) {
    wadi_sample about = {0};
    const int64_t values = lay_out(&about, c);
    wadi_sample *s = calloc(1, size_of(values));
    if (s == NULL) return NULL;
    *s = about;
    take_values(s, c);
    return s;
}

wadi_sample *wadi_sample_copy(const wadi_sample *s) {
    wadi_sample *copy = malloc(size_of(s->values));
    if (copy != NULL) memcpy(copy, s, size_of(s->values));
    return copy;
}
