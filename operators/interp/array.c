/* Arrays of the interpreter: making them, copying and checking the caller's arrays, and copying results for the caller. */
#include <stdlib.h>
#include <string.h>

#include "operators/interp/state.h"

wadi_status wadi_interp_no_memory(wadi_interp *in) {
    return wadi_fail(in->cx.err, WADI_MEMORY, "%s: out of memory", in->m->name);
}

wadi_iarray *wadi_iarray_create(int rank, const wadi_elem *elem, const int64_t *shape,
                                int64_t size) {
    wadi_iarray *a = calloc(1, sizeof *a);
    if (!a) return NULL;
    *a = (wadi_iarray){.rank = rank, .elem = *elem, .cells = wadi_elem_cells(elem), .size = size};
    for (int d = 0; d < rank; d++) a->shape[d] = shape[d];
    const size_t bytes_each = (size_t)a->cells * sizeof *a->cell;
    if ((uint64_t)size < SIZE_MAX / bytes_each - 1)
        a->cell = calloc((size_t)size + 1, bytes_each); /* never NULL for an empty array */
    if (a->cell) return a;
    free(a);
    return NULL;
}

void wadi_iarray_destroy(wadi_iarray *a) {
    if (!a) return;
    free(a->cell);
    free(a);
}

/* ---- what comes in ---- */

static wadi_status bind_extent(wadi_interp *in, const char *what, const char *name, wadi_loc loc,
                               int d, const wadi_extent_decl *decl, int64_t extent) {
    if (decl->kind == WADI_EXTENT_CONST && decl->value != extent)
        return wadi_fail_at(in->cx.err, loc, WADI_SHAPE,
                            "%s '%s': extent %d is %lld, expected %lld", what, name, d,
                            (long long)extent, (long long)decl->value);
    if (decl->kind != WADI_EXTENT_NAMED) return WADI_OK;
    for (size_t i = 0; i < in->known.n; i++) {
        if (strcmp(in->known.at[i].name, decl->name) != 0) continue;
        if (in->known.at[i].value == extent) return WADI_OK;
        return wadi_fail_at(in->cx.err, loc, WADI_SHAPE,
                            "%s '%s': extent %d is %lld, but %s is %lld already", what, name, d,
                            (long long)extent, decl->name, (long long)in->known.at[i].value);
    }
    if (wadi_vec_push(&in->known, (wadi_known_extent){decl->name, extent})) return WADI_OK;
    return wadi_interp_no_memory(in);
}

static wadi_status check_type(wadi_interp *in, const char *what, const char *name, wadi_loc loc,
                              const wadi_array_type *t, const wadi_array *a) {
    if (a->rank != t->rank)
        return wadi_fail_at(in->cx.err, loc, WADI_SHAPE, "%s '%s': rank %d, expected %d", what,
                            name, a->rank, t->rank);
    if (a->fields != t->elem.fields)
        return wadi_fail_at(in->cx.err, loc, WADI_TYPE, "%s '%s': %d fields, expected %d", what,
                            name, a->fields, t->elem.fields);
    for (int f = 0; f < a->fields; f++)
        if (a->type[f] != t->elem.type[f])
            return wadi_fail_at(in->cx.err, loc, WADI_TYPE, "%s '%s': field %d is %s, expected %s",
                                what, name, f, wadi_type_name(a->type[f]),
                                wadi_type_name(t->elem.type[f]));
    return WADI_OK;
}

wadi_status wadi_interp_bind(wadi_interp *in, const char *what, const char *name, wadi_loc loc,
                             const wadi_array_type *t, const wadi_array *a, wadi_iarray **out) {
    WADI_TRY(check_type(in, what, name, loc, t, a));
    for (int d = 0; d < t->rank && t->extent; d++)
        WADI_TRY(bind_extent(in, what, name, loc, d, &t->extent[d], a->shape[d]));
    int64_t size = 0;
    if (!wadi_eval_size(a->rank, a->shape, &size))
        return wadi_fail_at(in->cx.err, loc, WADI_SHAPE, "%s '%s': impossible extents", what, name);
    wadi_iarray *to = wadi_iarray_create(t->rank, &t->elem, a->shape, size);
    if (!to) return wadi_interp_no_memory(in);
    wadi_cells_load(a, to->cell);
    *out = to;
    return WADI_OK;
}

/* ---- what goes out ---- */

wadi_status wadi_interp_give(wadi_interp *in, const wadi_iarray *a, wadi_array *out) {
    wadi_arena *arena = in->results->arena;
    *out = (wadi_array){.rank = a->rank, .fields = a->elem.fields};
    for (int d = 0; d < a->rank; d++) out->shape[d] = a->shape[d];
    for (int f = 0; f < a->elem.fields; f++) {
        out->type[f] = a->elem.type[f];
        out->column[f] =
            wadi_arena_alloc_n(arena, (size_t)wadi_type_size(a->elem.type[f]), (size_t)a->size);
        if (!out->column[f]) return wadi_interp_no_memory(in);
    }
    wadi_cells_store(a->cell, out);
    return WADI_OK;
}
