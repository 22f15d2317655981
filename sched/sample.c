/* What is taken is laid out first, so that one block holds it all. Of columns on a device only what holds it comes to the host: of arrays those of
 * the last element. */
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

static void take_series(const wadi_sample_part *p, const wadi_chunk *series, int component,
                        int field, double *to) {
    for (int64_t k = 0; k < p->columns; k++) {
        const wadi_array a = wadi_chunk_array(series, component, k * p->column_step);
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

/* The columns of component i, which is number `at` of those that were fetched. Returns how many parts there are then. */
static int take_component(wadi_sample *s, int n, const wadi_chunk *fetched, int at, bool series) {
    const wadi_array a = wadi_chunk_array(fetched, at, 0);
    for (int f = 0; f < a.fields && n < s->n; f++) {
        const wadi_sample_part *p = &s->part[n++];
        if (series)
            take_series(p, fetched, at, f, s->value + p->at);
        else
            take_array(p, &a, f, s->value + p->at);
    }
    return n;
}

static void take_values(wadi_sample *s, const wadi_chunk *series, const wadi_chunk *last) {
    int n = 0, scalars = 0, arrays = 0;
    while (n < s->n) {
        const bool of_each = s->part[n].series;
        n = take_component(s, n, of_each ? series : last, of_each ? scalars++ : arrays++, of_each);
    }
}

/* ---- columns ---- */

/* The components whose columns the sample has that are scalars, or arrays, from element `begin` on, in host memory. NULL: no memory, or the device
 * has failed. */
static wadi_chunk *fetch(wadi_chunk *c, bool scalars, int64_t begin) {
    wadi_chunk *some = NULL, *view = NULL;
    int from[WADI_SAMPLE_PARTS], n = 0, columns = 0;
    for (int i = 0; i < c->components && columns < WADI_SAMPLE_PARTS; i++) {
        columns += c->component[i].fields;
        if ((c->component[i].rank == 0) == scalars) from[n++] = i;
    }
    if (n == 0) begin = c->count; /* nothing of it is wanted */
    if (wadi_chunk_slice(c, begin, c->count - begin, &some, NULL) != WADI_OK) return NULL;
    wadi_status status = wadi_chunk_select(some, n, from, &view, NULL);
    wadi_chunk_release(some);
    if (status != WADI_OK) return NULL;
    status = wadi_chunk_at_host(view, NULL);
    if (status == WADI_OK) return view;
    wadi_chunk_release(view);
    return NULL;
}

static size_t size_of(int64_t values) {
    return sizeof(wadi_sample) + (size_t)values * sizeof(double);
}

static wadi_sample *make(const wadi_chunk *c, const wadi_chunk *series, const wadi_chunk *last) {
    wadi_sample about = {0};
    const int64_t values = lay_out(&about, c);
    wadi_sample *s = calloc(1, size_of(values));
    if (s == NULL) return NULL;
    *s = about;
    take_values(s, series, last);
    return s;
}

wadi_sample *wadi_sample_make(wadi_chunk *c) {
    wadi_chunk *series = fetch(c, true, 0);
    wadi_chunk *last = series != NULL ? fetch(c, false, c->count - 1) : NULL;
    wadi_sample *s = last != NULL ? make(c, series, last) : NULL;
    wadi_chunk_release(series);
    wadi_chunk_release(last);
    return s;
}

wadi_sample *wadi_sample_copy(const wadi_sample *s) {
    wadi_sample *copy = malloc(size_of(s->values));
    if (copy != NULL) memcpy(copy, s, size_of(s->values));
    return copy;
}
