/* Reading and printing arrays. Literals are those of program text, so printed values can be typed again. */
#include "cli/values.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "cli/records.h"
#include "graph/ir/literal.h"

/* ---- taking apart ---- */

static wadi_status read_shape(const char *text, size_t n, wadi_cli_value *out, wadi_error *err) {
    out->rank = 0;
    const char *at = text;
    while (n > 0 && at < text + n) {
        char *end;
        errno = 0;
        const long long extent = strtoll(at, &end, 10);
        const bool ends_well = end == text + n || *end == 'x';
        if (end == at || !ends_well || extent < 0 || out->rank == WADI_MAX_RANK)
            return wadi_fail(err, WADI_INVALID,
                             "\"%.*s\" is not a shape: expected extents joined by x", (int)n, text);
        if (errno == ERANGE)
            return wadi_fail(err, WADI_INVALID, "\"%.*s\": an extent does not fit 64 bits", (int)n,
                             text);
        out->shape[out->rank++] = (int64_t)extent;
        at = end + (*end == 'x');
    }
    return WADI_OK;
}

wadi_status wadi_cli_value_split(const char *text, wadi_cli_value *out, wadi_error *err) {
    *out = (wadi_cli_value){.rank = -1};
    const char *file = strchr(text, '@'), *colon = strchr(text, ':');
    const char *rest = text;
    if (colon && text + strcspn(text, "{[") < colon) colon = NULL; /* of a record */
    if (colon && (!file || colon < file)) {
        WADI_TRY(read_shape(text, (size_t)(colon - text), out, err));
        rest = colon + 1;
    }
    if (*rest == '@')
        out->at = rest + 1;
    else
        out->literals = rest;
    return WADI_OK;
}

wadi_status wadi_cli_value_shape(const wadi_cli_value *v, const wadi_array_type *t, int64_t n,
                                 int64_t *out_shape, wadi_error *err) {
    if (v->rank >= 0 && v->rank != t->rank)
        return wadi_fail(err, WADI_SHAPE, "the shape has %d extents, but the program declares %d",
                         v->rank, t->rank);
    int unknown = -1;
    int64_t known = 1;
    for (int d = 0; d < t->rank; d++) {
        const bool declared = t->extent && t->extent[d].kind == WADI_EXTENT_CONST;
        if (v->rank < 0 && !declared && unknown >= 0)
            return wadi_fail(err, WADI_SHAPE,
                             "the program declares more than one unknown extent: give the shape, "
                             "as in 3x4:VALUE");
        if (v->rank < 0 && !declared) {
            unknown = d;
            continue;
        }
        out_shape[d] = v->rank >= 0 ? v->shape[d] : t->extent[d].value;
        if (__builtin_mul_overflow(known, out_shape[d], &known))
            known = INT64_MAX; /* more than any array has, so it differs from n */
    }
    if (unknown >= 0 && n < 0) return wadi_fail(err, WADI_SHAPE, "give the shape, as in 3x4:VALUE");
    if (unknown >= 0) {
        out_shape[unknown] = known > 0 ? n / known : 0;
        known *= out_shape[unknown];
    }
    if (n >= 0 && known != n)
        return wadi_fail(err, WADI_SHAPE, "%lld elements do not fill the shape", (long long)n);
    return WADI_OK;
}

/* ---- reading ---- */

void wadi_cli_array_free(wadi_array *a) {
    for (int f = 0; f < a->fields; f++) free(a->column[f]);
    *a = (wadi_array){0};
}

static int64_t count_literals(const char *s) {
    int64_t n = *s != '\0';
    for (; *s; s++) n += *s == ',';
    return n;
}

static wadi_status read_literals(const char *s, wadi_array *a, int64_t n, wadi_error *err) {
    const size_t size = (size_t)wadi_type_size(a->type[0]);
    a->column[0] = calloc((size_t)n + 1, size);
    if (!a->column[0]) return wadi_fail(err, WADI_MEMORY, "out of memory");
    for (int64_t i = 0; i < n; i++) {
        while (*s == ' ') s++;
        const size_t length = strcspn(s, ", ");
        const char *why = "";
        wadi_scalar v;
        if (!wadi_literal_read(s, length, &a->type[0], &v, &why))
            return wadi_fail(err, WADI_INVALID, "\"%.*s\": %s (expected %s)", (int)length, s, why,
                             wadi_type_name(a->type[0]));
        wadi_scalar_store(v, (char *)a->column[0] + (size_t)i * size);
        s += length;
        while (*s == ' ') s++;
        s += *s == ',';
    }
    return WADI_OK;
}

static wadi_status read_bytes(const char *path, wadi_array *a, int64_t *out_n, wadi_error *err) {
    char *bytes = NULL;
    size_t n = 0;
    const size_t size = (size_t)wadi_type_size(a->type[0]);
    WADI_TRY(wadi_file_read(path, &bytes, &n, err));
    a->column[0] = bytes;
    *out_n = (int64_t)(n / size);
    if (n % size == 0) return WADI_OK;
    return wadi_fail(err, WADI_SHAPE, "%s: %zu bytes are not a whole number of %s", path, n,
                     wadi_type_name(a->type[0]));
}

static wadi_status read_elements(const wadi_cli_value *v, const wadi_elem *elem, wadi_array *a,
                                 int64_t *out_n, wadi_error *err) {
    const bool is_record = elem->fields > 1 || elem->name[0];
    if (is_record)
        return v->at ? wadi_cli_records_load(v->at, elem, a, out_n, err)
                     : wadi_cli_records_read(v->literals, elem, a, out_n, err);
    if (v->at) return read_bytes(v->at, a, out_n, err);
    *out_n = count_literals(v->literals);
    return read_literals(v->literals, a, *out_n, err);
}

wadi_status wadi_cli_array_read(const wadi_cli_value *v, const wadi_array_type *t, wadi_array *out,
                                wadi_error *err) {
    wadi_array a = {.rank = t->rank, .fields = t->elem.fields};
    for (int f = 0; f < a.fields; f++) a.type[f] = t->elem.type[f];
    int64_t n = 0;
    wadi_status st = read_elements(v, &t->elem, &a, &n, err);
    if (st == WADI_OK) st = wadi_cli_value_shape(v, t, n, a.shape, err);
    if (st == WADI_OK)
        *out = a;
    else
        wadi_cli_array_free(&a);
    return st;
}

/* ---- printing ---- */

static void print_field(const wadi_array *a, int f, int64_t i, wadi_text *out) {
    const char *at = (const char *)a->column[f] + i * wadi_type_size(a->type[f]);
    wadi_literal_print(wadi_scalar_load(a->type[f], at), true, out);
}

static void print_element(const wadi_array *a, const wadi_elem *elem, int64_t i, wadi_text *out) {
    const bool is_record = a->fields > 1 || (elem && elem->name[0]);
    if (!is_record) {
        print_field(a, 0, i, out);
        return;
    }
    for (int f = 0; f < a->fields; f++) {
        wadi_text_add(out, f == 0 ? "{" : ", ");
        if (elem && elem->name[f]) wadi_text_addf(out, "%s: ", elem->name[f]);
        print_field(a, f, i, out);
    }
    wadi_text_add(out, "}");
}

/* Elements from `first` on, in dimensions dim.. */
static void print_from(const wadi_array *a, const wadi_elem *elem, int dim, int64_t first,
                       wadi_text *out) {
    if (dim == a->rank) {
        print_element(a, elem, first, out);
        return;
    }
    int64_t step = 1;
    for (int d = dim + 1; d < a->rank; d++) step *= a->shape[d];
    wadi_text_add(out, "[");
    for (int64_t i = 0; i < a->shape[dim]; i++) {
        if (i > 0) wadi_text_add(out, ", ");
        print_from(a, elem, dim + 1, first + i * step, out);
    }
    wadi_text_add(out, "]");
}

static void print_type(const wadi_array *a, const wadi_elem *elem, wadi_text *out) {
    const bool is_record = a->fields > 1 || (elem && elem->name[0]);
    for (int f = 0; f < a->fields; f++) {
        if (is_record) wadi_text_add(out, f == 0 ? "{" : ", ");
        if (elem && elem->name[f]) wadi_text_addf(out, "%s: ", elem->name[f]);
        wadi_text_add(out, wadi_type_name(a->type[f]));
    }
    if (is_record) wadi_text_add(out, "}");
    for (int d = 0; d < a->rank; d++)
        wadi_text_addf(out, d == 0 ? "[%lld" : ", %lld", (long long)a->shape[d]);
    if (a->rank > 0) wadi_text_add(out, "]");
}

void wadi_cli_array_print(const wadi_array *a, const wadi_elem *elem, wadi_text *out) {
    print_type(a, elem, out);
    wadi_text_add(out, " ");
    print_from(a, elem, 0, 0, out);
}
