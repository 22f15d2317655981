/* Checks that builder functions of operators share: ranks, elements, dimensions, the types that users declare, and host arrays. */
#include "graph/lang/grow.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/format.h"

void wadi_draft_expected(wadi_draft *d, const wadi_array_type *t, wadi_status st, const char *fmt,
                         ...) {
    if (wadi_draft_failed(d)) return;
    char expected[200];
    va_list args;
    va_start(args, fmt);
    (void)wadi_format_list(expected, sizeof expected, fmt, args);
    va_end(args);
    wadi_draft_fail(d, st, "argument %d is %s, expected %s", d->nargs, wadi_array_type_text(t),
                    expected);
}

static bool plain(const wadi_array_type *t) {
    return t->elem.fields == 1 && !t->elem.name[0];
}

void wadi_expect_rank(wadi_draft *d, const wadi_array_type *t, int rank) {
    if (t && t->rank != rank) wadi_draft_expected(d, t, WADI_SHAPE, "rank %d", rank);
}

void wadi_expect_rank_from(wadi_draft *d, const wadi_array_type *t, int least) {
    if (t && t->rank < least) wadi_draft_expected(d, t, WADI_SHAPE, "rank %d or more", least);
}

void wadi_expect_elem(wadi_draft *d, const wadi_array_type *t, const wadi_elem *e) {
    if (t && e && !wadi_elem_equal(&t->elem, e))
        wadi_draft_expected(d, t, WADI_TYPE, "elements %s", wadi_elem_text(e));
}

void wadi_expect_plain(wadi_draft *d, const wadi_array_type *t) {
    if (t && !plain(t)) wadi_draft_expected(d, t, WADI_TYPE, "plain scalars");
}

void wadi_expect_int(wadi_draft *d, const wadi_array_type *t) {
    if (t && (!plain(t) || !wadi_type_is_int(t->elem.type[0])))
        wadi_draft_expected(d, t, WADI_TYPE, "integers");
}

void wadi_expect_dim(wadi_draft *d, const wadi_array_type *t, int dim) {
    if (t && (dim < 0 || dim >= t->rank))
        wadi_draft_expected(d, t, WADI_SHAPE, "an array with dimension %d", dim);
}

/* ---- declared types ---- */

static void declare_extent(wadi_draft *d, const char *text, wadi_extent_decl *out) {
    *out = (wadi_extent_decl){.kind = WADI_EXTENT_ANY};
    if (!text || strcmp(text, "?") == 0) return;
    if (*text >= '0' && *text <= '9') {
        char *end = NULL;
        errno = 0;
        const long long v = strtoll(text, &end, 10);
        if (errno != 0 || *end)
            wadi_draft_fail(d, WADI_INVALID, "extent \"%s\", expected a number, a name or \"?\"",
                            text);
        *out = (wadi_extent_decl){.kind = WADI_EXTENT_CONST, .value = v};
    } else if (wadi_ascii_is_name(text)) {
        *out = (wadi_extent_decl){.kind = WADI_EXTENT_NAMED, .name = wadi_lang_name(text)};
    } else {
        wadi_draft_fail(d, WADI_INVALID, "extent \"%s\", expected a number, a name or \"?\"", text);
    }
}

static void check_fields(wadi_draft *d, wadi_elem *e) {
    if (e->fields < 1 || e->fields > WADI_MAX_FIELDS) {
        wadi_draft_fail(d, WADI_INVALID, "%d fields, expected 1 to %d", e->fields, WADI_MAX_FIELDS);
        return;
    }
    for (int f = 0; f < e->fields; f++) {
        if ((unsigned)e->type[f] >= WADI_TYPE_COUNT)
            wadi_draft_fail(d, WADI_TYPE, "field %d: there is no type %d", f, (int)e->type[f]);
        if (!e->name[f] && e->fields == 1) return;
        if (!e->name[f] || !*e->name[f]) {
            wadi_draft_fail(d, WADI_INVALID, "field %d has no name", f);
            return;
        }
        if (!wadi_ascii_is_name(e->name[f])) {
            wadi_draft_fail(d, WADI_INVALID,
                            "field %d: \"%s\" is not a name of letters, digits and _", f,
                            e->name[f]);
            return;
        }
        e->name[f] = wadi_lang_name(e->name[f]);
        for (int k = 0; k < f; k++)
            if (e->name[k] == e->name[f])
                wadi_draft_fail(d, WADI_INVALID, "two fields named \"%s\"", e->name[f]);
    }
}

void wadi_draft_declare(wadi_draft *d, wadi_elem_type elem, int rank, const char *const *extents,
                        wadi_array_type *out) {
    *out = (wadi_array_type){.rank = 0};
    if (wadi_draft_failed(d)) return;
    if (rank < 0 || rank > WADI_MAX_RANK) {
        wadi_draft_fail(d, WADI_SHAPE, "rank %d, expected 0 to %d", rank, WADI_MAX_RANK);
        return;
    }
    out->rank = rank;
    out->elem.fields = elem.fields;
    memcpy(out->elem.type, elem.type, sizeof elem.type);
    memcpy(out->elem.name, elem.name, sizeof elem.name);
    check_fields(d, &out->elem);
    if (wadi_draft_failed(d) || !extents || rank == 0) return;
    out->extent = WADI_NEW_N(wadi_program_current()->arena, wadi_extent_decl, (size_t)rank);
    if (!out->extent) wadi_lang_no_memory();
    for (int k = 0; out->extent && k < rank; k++) declare_extent(d, extents[k], &out->extent[k]);
}

wadi_elem_type wadi_scalar_elem(wadi_type t) {
    return (wadi_elem_type){.fields = 1, .type = {t}};
}

/* ---- host data ---- */

/* How many elements the array has, or -1 if it is no possible array. */
static int64_t host_size(const wadi_array *a) {
    if (!a || a->rank < 0 || a->rank > WADI_MAX_RANK || a->fields < 1 ||
        a->fields > WADI_MAX_FIELDS)
        return -1;
    int64_t size = 1;
    bool empty = false;
    for (int k = 0; k < a->rank; k++) {
        if (a->shape[k] < 0) return -1;
        if (a->shape[k] == 0) empty = true;
        if (!empty && size > INT64_MAX / 16 / a->shape[k]) return -1; /* c128 has 16 bytes */
        if (!empty) size *= a->shape[k];
    }
    if (empty) size = 0;
    for (int f = 0; f < a->fields; f++)
        if ((unsigned)a->type[f] >= WADI_TYPE_COUNT || (size > 0 && !a->column[f])) return -1;
    return size;
}

void wadi_draft_data(wadi_draft *d, const wadi_array *a) {
    if (wadi_draft_failed(d)) return;
    const int64_t size = host_size(a);
    if (size < 0) {
        wadi_draft_fail(d, WADI_INVALID,
                        "the host array has an impossible rank, shape, type or column");
        return;
    }
    wadi_arena *arena = wadi_program_current()->arena;
    wadi_array *own = WADI_NEW(arena, wadi_array);
    if (own) *own = *a;
    for (int f = 0; own && f < a->fields; f++) {
        const size_t bytes = (size_t)size * (size_t)wadi_type_size(a->type[f]);
        own->column[f] = wadi_arena_alloc(arena, bytes);
        if (!own->column[f])
            own = NULL;
        else if (bytes > 0)
            memcpy(own->column[f], a->column[f], bytes);
    }
    if (!own) wadi_lang_no_memory();
    d->data = own;
}
