/* Reads arrays of records from the command line and from files. */
#include "cli/records.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "graph/ir/literal.h"

typedef struct reader {
    const char *at;
    const wadi_elem *elem;
    wadi_array *a;
    wadi_error *err;
} reader;

static void skip_blanks(reader *r) {
    while (*r->at == ' ') r->at++;
}

static bool accept(reader *r, char c) {
    skip_blanks(r);
    if (*r->at != c) return false;
    r->at++;
    skip_blanks(r);
    return true;
}

static size_t to_mark(const char *s) {
    return strcspn(s, ",:[]{} ");
}

/* What is at the place, for a message. */
static const char *found(const reader *r) {
    return *r->at ? r->at : "the end";
}

static wadi_status expect(reader *r, char c, int64_t i) {
    if (accept(r, c)) return WADI_OK;
    return wadi_fail(r->err, WADI_INVALID, "element %lld: expected '%c', found \"%.20s\"",
                     (long long)i, c, found(r));
}

static wadi_status allocate(reader *r, int64_t n) {
    for (int f = 0; f < r->elem->fields; f++) {
        r->a->column[f] = calloc((size_t)n + 1, (size_t)wadi_type_size(r->elem->type[f]));
        if (!r->a->column[f]) return wadi_fail(r->err, WADI_MEMORY, "out of memory");
    }
    return WADI_OK;
}

static wadi_status read_number(reader *r, int f, int64_t i) {
    const wadi_type t = r->elem->type[f];
    const size_t n = to_mark(r->at);
    const char *why = "";
    wadi_scalar v;
    if (!wadi_literal_read(r->at, n, &t, &v, &why))
        return wadi_fail(r->err, WADI_INVALID, "element %lld, field %s: \"%.*s\": %s (expected %s)",
                         (long long)i, r->elem->name[f], (int)n, r->at, why, wadi_type_name(t));
    wadi_scalar_store(v, (char *)r->a->column[f] + i * wadi_type_size(t));
    r->at += n;
    skip_blanks(r);
    return WADI_OK;
}

/* The field whose name comes next. */
static wadi_status read_field(reader *r, int64_t i, uint64_t *known) {
    const size_t n = to_mark(r->at);
    int f = 0;
    while (f < r->elem->fields &&
           (strlen(r->elem->name[f]) != n || memcmp(r->elem->name[f], r->at, n) != 0))
        f++;
    if (f == r->elem->fields)
        return wadi_fail(r->err, WADI_INVALID, "element %lld: \"%.*s\" is none of its fields",
                         (long long)i, (int)n, r->at);
    if (*known >> f & 1)
        return wadi_fail(r->err, WADI_INVALID, "element %lld: field %s stands there twice",
                         (long long)i, r->elem->name[f]);
    *known |= (uint64_t)1 << f;
    r->at += n;
    WADI_TRY(expect(r, ':', i));
    return read_number(r, f, i);
}

/* {x: 1, y: 2} */
static wadi_status read_record(reader *r, int64_t i) {
    uint64_t known = 0;
    WADI_TRY(expect(r, '{', i));
    do WADI_TRY(read_field(r, i, &known));
    while (accept(r, ','));
    for (int f = 0; f < r->elem->fields; f++)
        if (!(known >> f & 1))
            return wadi_fail(r->err, WADI_INVALID, "element %lld: field %s is missing",
                             (long long)i, r->elem->name[f]);
    return expect(r, '}', i);
}

static int64_t count(const char *s, char c, char until) {
    int64_t n = 0;
    for (; *s && *s != until; s++) n += *s == c;
    return n;
}

static wadi_status read_records(reader *r, int64_t *out_n) {
    *out_n = 0;
    WADI_TRY(allocate(r, count(r->at, '{', '\0')));
    if (!*r->at) return WADI_OK;
    do WADI_TRY(read_record(r, (*out_n)++));
    while (accept(r, ','));
    return WADI_OK;
}

/* [1, 3] of a field; n: how many the first field has */
static wadi_status read_list(reader *r, int f, int64_t n) {
    int64_t i = 0;
    WADI_TRY(expect(r, '[', i));
    while (!accept(r, ']')) {
        if (i > 0) WADI_TRY(expect(r, ',', i));
        if (i++ < n) WADI_TRY(read_number(r, f, i - 1));
        if (i > n) break;
    }
    if (i == n) return WADI_OK;
    return wadi_fail(r->err, WADI_SHAPE,
                     "the list of field %s has %s elements than that of field %s, which has %lld",
                     r->elem->name[f], i < n ? "fewer" : "more", r->elem->name[0], (long long)n);
}

static wadi_status read_lists(reader *r, int64_t *out_n) {
    const char *first = r->at + 1;
    while (*first == ' ') first++;
    const int64_t n = *first == ']' ? 0 : 1 + count(first, ',', ']');
    WADI_TRY(allocate(r, n));
    for (int f = 0; f < r->elem->fields; f++) {
        WADI_TRY(read_list(r, f, n));
        (void)accept(r, ',');
    }
    *out_n = n;
    return WADI_OK;
}

wadi_status wadi_cli_records_read(const char *text, const wadi_elem *elem, wadi_array *a,
                                  int64_t *out_n, wadi_error *err) {
    reader r = {text, elem, a, err};
    skip_blanks(&r);
    WADI_TRY(*r.at == '[' ? read_lists(&r, out_n) : read_records(&r, out_n));
    skip_blanks(&r);
    if (!*r.at) return WADI_OK;
    return wadi_fail(err, WADI_INVALID, "behind element %lld: unexpected \"%.20s\"",
                     (long long)*out_n - 1, r.at);
}

/* ---- files ---- */

static void take_apart(const char *bytes, const wadi_elem *elem, int64_t n, size_t whole,
                       wadi_array *a) {
    size_t at = 0;
    for (int f = 0; f < elem->fields; f++) {
        const size_t size = (size_t)wadi_type_size(elem->type[f]);
        for (int64_t i = 0; i < n; i++)
            memcpy((char *)a->column[f] + (size_t)i * size, bytes + (size_t)i * whole + at, size);
        at += size;
    }
}

wadi_status wadi_cli_records_load(const char *path, const wadi_elem *elem, wadi_array *a,
                                  int64_t *out_n, wadi_error *err) {
    char *bytes = NULL;
    size_t n = 0, whole = 0;
    reader r = {NULL, elem, a, err};
    WADI_TRY(wadi_file_read(path, &bytes, &n, err));
    for (int f = 0; f < elem->fields; f++) whole += (size_t)wadi_type_size(elem->type[f]);
    *out_n = (int64_t)(n / whole);
    wadi_status st = allocate(&r, *out_n);
    if (st == WADI_OK && n % whole != 0)
        st = wadi_fail(err, WADI_SHAPE,
                       "%s: %zu bytes are not a whole number of records of %zu bytes", path, n,
                       whole);
    if (st == WADI_OK) take_apart(bytes, elem, *out_n, whole, a);
    free(bytes);
    return st;
}
