/* A line of the file of elements that have failed, in JSON (RFC 8259):
 *
 *     {"stage": "0.1", "element": 7, "reason": "quot: division of 3 by zero, ..", "values": [[3, 0], 1.5]}
 *
 * An array is a list, with a list for each of its rows; a complex number is [re, im]; a record is a list of its fields' arrays. What is
 * not finite is a string, "nan", "inf" or "-inf". `"cut": true` says that values are missing. */
#include "sched/run/dead.h"

enum { MOST = 4096 };

#define AT(type) (((const type *)column)[i])

static void put_value(wadi_text *out, wadi_type t, const void *column, int64_t i) {
    switch (t) {
    case WADI_BOOL:
        wadi_text_add(out, AT(uint8_t) ? "true" : "false");
        return;
    case WADI_I8:
        wadi_text_addf(out, "%d", AT(int8_t));
        return;
    case WADI_I16:
        wadi_text_addf(out, "%d", AT(int16_t));
        return;
    case WADI_I32:
        wadi_text_addf(out, "%ld", (long)AT(int32_t));
        return;
    case WADI_I64:
        wadi_text_addf(out, "%lld", (long long)AT(int64_t));
        return;
    case WADI_U8:
        wadi_text_addf(out, "%u", AT(uint8_t));
        return;
    case WADI_U16:
        wadi_text_addf(out, "%u", AT(uint16_t));
        return;
    case WADI_U32:
        wadi_text_addf(out, "%lu", (unsigned long)AT(uint32_t));
        return;
    case WADI_U64:
        wadi_text_addf(out, "%llu", (unsigned long long)AT(uint64_t));
        return;
    case WADI_F32:
        wadi_text_add_json_number(out, (double)AT(float), 9);
        return;
    case WADI_F64:
        wadi_text_add_json_number(out, AT(double), 17);
        return;
    case WADI_C64:
        wadi_text_add_json_complex(out, (double)((const float *)column)[2 * i],
                                   (double)((const float *)column)[2 * i + 1], 9);
        return;
    case WADI_C128:
        wadi_text_add_json_complex(out, ((const double *)column)[2 * i],
                                   ((const double *)column)[2 * i + 1], 17);
        return;
    case WADI_TYPE_COUNT:
        break;
    }
    wadi_text_add(out, "null");
}

/* The values of one column from number *i on, `left` of them at most. */
static void put_rows(wadi_text *out, const wadi_array *a, int field, int dim, int64_t *i,
                     int64_t *left) {
    if (dim == a->rank) {
        put_value(out, a->type[field], a->column[field], (*i)++);
        --*left;
        return;
    }
    wadi_text_add(out, "[");
    for (int64_t k = 0; k < a->shape[dim] && *left > 0; k++) {
        if (k > 0) wadi_text_add(out, ", ");
        put_rows(out, a, field, dim + 1, i, left);
    }
    wadi_text_add(out, "]");
}

/* An array without values may have very many rows of none. */
static bool put_array(wadi_text *out, const wadi_array *a) {
    const int64_t values = wadi_shape_values(a->rank, a->shape);
    if (values <= 0) wadi_text_add(out, "[]");
    if (values > 0 && a->fields > 1) wadi_text_add(out, "[");
    for (int f = 0; values > 0 && f < a->fields; f++) {
        int64_t i = 0, left = MOST;
        if (f > 0) wadi_text_add(out, ", ");
        put_rows(out, a, f, 0, &i, &left);
    }
    if (values > 0 && a->fields > 1) wadi_text_add(out, "]");
    return values <= MOST;
}

void wadi_dead_letter(wadi_text *out, int phase, int stage, const wadi_chunk *c, int64_t at,
                      const char *reason) {
    bool whole = true;
    wadi_text_addf(out, "{\"stage\": \"%d.%d\", \"element\": %lld, \"reason\": ", phase, stage,
                   (long long)(c->first + at));
    wadi_text_add_json(out, reason);
    wadi_text_add(out, ", \"values\": [");
    for (int i = 0; i < c->components; i++) {
        const wadi_array a = wadi_chunk_array(c, i, at);
        if (i > 0) wadi_text_add(out, ", ");
        whole = put_array(out, &a) && whole;
    }
    wadi_text_add(out, whole ? "]}\n" : "], \"cut\": true}\n");
}
