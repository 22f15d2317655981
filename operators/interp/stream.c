/* Cursors: opening, closing, and their memory. The meaning of each form is in another file. */
#include "operators/interp/stream.h"

#include <stdlib.h>
#include <string.h>

#include "base/words.h"

static const wadi_val_type *type_of(const wadi_interp *in, wadi_val v) {
    return &in->m->values[v].type;
}

/* ---- memory ---- */

wadi_status wadi_stream_no_memory(wadi_interp *in, const wadi_bind *b) {
    return wadi_fail_at(in->cx.err, b->loc, WADI_MEMORY, "%s: out of memory", b->op->name);
}

wadi_status wadi_stream_array(wadi_interp *in, const wadi_bind *b, int rank, const wadi_elem *elem,
                              const int64_t *shape, wadi_iarray **out) {
    int64_t size = 0;
    wadi_iarray *a =
        wadi_eval_size(rank, shape, &size) ? wadi_iarray_create(rank, elem, shape, size) : NULL;
    if (!a || !wadi_vec_push(&in->heap, a)) {
        wadi_iarray_destroy(a);
        return wadi_stream_no_memory(in, b);
    }
    *out = a;
    return WADI_OK;
}

wadi_status wadi_stream_cells(wadi_interp *in, const wadi_bind *b, int rank, const wadi_elem *elem,
                              const int64_t *shape, const uint64_t *cells,
                              const wadi_iarray **out) {
    wadi_iarray *a = NULL;
    WADI_TRY(wadi_stream_array(in, b, rank, elem, shape, &a));
    if (a->size > 0) memcpy(a->cell, cells, (size_t)(a->size * a->cells) * sizeof *a->cell);
    *out = a;
    return WADI_OK;
}

void wadi_cursor_forget(wadi_cursor *c) {
    for (int i = 0; i < c->nkept; i++) wadi_iarray_destroy(c->kept[i]);
    c->nkept = 0;
}

wadi_status wadi_cursor_keep(wadi_interp *in, wadi_cursor *c, int n,
                             const wadi_iarray *const *arrays) {
    wadi_cursor_forget(c);
    for (int i = 0; i < n; i++) {
        const wadi_iarray *a = arrays[i];
        wadi_iarray *copy = wadi_iarray_create(a->rank, &a->elem, a->shape, a->size);
        if (!copy) return wadi_stream_no_memory(in, c->bind);
        if (a->size > 0)
            memcpy(copy->cell, a->cell, (size_t)(a->size * a->cells) * sizeof *a->cell);
        c->kept[c->nkept++] = copy;
    }
    return WADI_OK;
}

wadi_status wadi_cursor_recall(wadi_interp *in, wadi_cursor *c, const wadi_iarray **out) {
    for (int i = 0; i < c->nkept; i++) {
        const wadi_iarray *a = c->kept[i];
        WADI_TRY(wadi_stream_cells(in, c->bind, a->rank, &a->elem, a->shape, a->cell, &out[i]));
    }
    return WADI_OK;
}

bool wadi_gathered_add(wadi_gathered *g, const wadi_iarray *a) {
    const size_t more = (size_t)(a->size * a->cells);
    if (!wadi_vec_reserve(&g->cells, g->cells.n + more)) return false;
    if (more > 0) memcpy(g->cells.at + g->cells.n, a->cell, more * sizeof *a->cell);
    g->cells.n += more;
    for (int d = 0; d < a->rank; d++)
        if (!wadi_vec_push(&g->shapes, a->shape[d])) return false;
    return true;
}

void wadi_gathered_fini(wadi_gathered *g) {
    wadi_vec_free(&g->cells);
    wadi_vec_free(&g->shapes);
}

void wadi_stream_at(wadi_interp *in, int64_t e) {
    if (in->depth == 0) in->cx.element = e;
}

/* ---- opening and closing ---- */

void wadi_cursor_close(wadi_cursor *c) {
    if (!c) return;
    if (c->kept) wadi_cursor_forget(c);
    for (size_t i = 0; i < c->keys.n; i++) {
        wadi_key_state *k = &c->keys.at[i];
        for (int a = 0; a < k->nkept; a++) wadi_iarray_destroy(k->kept[a]);
        free((void *)k->kept);
    }
    wadi_vec_free(&c->keys);
    for (int i = 0; i < c->nfrom; i++) wadi_cursor_close(c->from[i]);
    for (int i = 0; c->samples && i < c->components; i++) wadi_gathered_fini(&c->samples[i]);
    free(c->samples);
    free(c->kept);
    free(c->from);
    free(c);
}

wadi_status wadi_cursor_number(wadi_interp *in, const wadi_cursor *c, int arg, const char *what,
                               int64_t *out) {
    const wadi_bind *b = c->bind;
    const int64_t n = wadi_eval_i64(&in->cx, b->args[arg]);
    if (what && n < 1)
        return wadi_eval_fault(&in->cx, b, b->loc, "%s: " WADI_SAID_COUNT, what, (long long)n);
    *out = n < 0 ? 0 : n;
    return WADI_OK;
}

static const wadi_seq_meaning *meaning_of(const wadi_interp *in, const wadi_cursor *c) {
    return in->meanings[c->bind->op->seq.form];
}

static wadi_status open_into(wadi_interp *in, wadi_cursor *c) {
    const wadi_bind *b = c->bind;
    c->from = calloc((size_t)b->nargs + 1, sizeof *c->from);
    c->kept = calloc(WADI_STREAM_COMPONENTS, sizeof *c->kept);
    if (!c->from || !c->kept) return wadi_stream_no_memory(in, b);
    for (int i = 0; i < b->nargs; i++)
        if (type_of(in, b->args[i])->is_seq)
            WADI_TRY(wadi_cursor_open(in, b->args[i], &c->from[c->nfrom++]));
    return meaning_of(in, c)->start ? meaning_of(in, c)->start(in, c) : WADI_OK;
}

wadi_status wadi_cursor_open(wadi_interp *in, wadi_val s, wadi_cursor **out) {
    const wadi_bind *b = in->m->values[s].bind;
    wadi_cursor *c = calloc(1, sizeof *c);
    *out = NULL;
    if (!c) return wadi_stream_no_memory(in, b);
    c->bind = b;
    c->components = type_of(in, s)->arrays;
    const wadi_status st = open_into(in, c);
    if (st == WADI_OK)
        *out = c;
    else
        wadi_cursor_close(c);
    return st;
}

/* ---- the two questions ---- */

wadi_status wadi_cursor_all_more(wadi_interp *in, wadi_cursor *c, bool *out) {
    *out = true;
    for (int i = 0; i < c->nfrom && *out; i++) WADI_TRY(wadi_cursor_more(in, c->from[i], out));
    return WADI_OK;
}

wadi_status wadi_cursor_more(wadi_interp *in, wadi_cursor *c, bool *out) {
    return meaning_of(in, c)->more(in, c, out);
}

wadi_status wadi_cursor_next(wadi_interp *in, wadi_cursor *c, const wadi_iarray **out) {
    WADI_TRY(meaning_of(in, c)->next(in, c, out));
    c->at++;
    return WADI_OK;
}
