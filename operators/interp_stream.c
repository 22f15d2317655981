/* Cursors: opening, closing, and the operators that carry nothing from element to element but a
 * count. */
#include "base/words.h"
#include "operators/interp_stream.h"

#include <stdlib.h>
#include <string.h>

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
    for (int i = 0; i < c->nfrom; i++) wadi_cursor_close(c->from[i]);
    for (int i = 0; c->samples && i < c->components; i++) wadi_gathered_fini(&c->samples[i]);
    free(c->samples);
    free(c->kept);
    free(c->from);
    free(c);
}

/* A number the operator takes: at least 1, or 0 when it is less than that. */
static wadi_status number(wadi_interp *in, const wadi_bind *b, int arg, const char *what,
                          int64_t *out) {
    const int64_t n = wadi_eval_i64(&in->cx, b->args[arg]);
    if (what && n < 1)
        return wadi_eval_fault(&in->cx, b, b->loc, "%s: " WADI_SAID_COUNT, what, (long long)n);
    *out = n < 0 ? 0 : n;
    return WADI_OK;
}

static wadi_status start(wadi_interp *in, wadi_cursor *c) {
    const wadi_bind *b = c->bind;
    if (b->op == &wadi_op_produce) return number(in, b, 0, NULL, &c->count);
    if (b->op == &wadi_op_take_seq || b->op == &wadi_op_drop_seq)
        return number(in, b, 1, NULL, &c->count);
    if (b->op == &wadi_op_batch) return number(in, b, 1, "the number of arrays", &c->count);
    if (b->op == &wadi_op_windows) {
        WADI_TRY(number(in, b, 1, "the size", &c->count));
        WADI_TRY(number(in, b, 2, "the hop", &c->step));
        c->samples = calloc((size_t)c->components + 1, sizeof *c->samples);
        return c->samples ? WADI_OK : wadi_stream_no_memory(in, b);
    }
    if (b->op != &wadi_op_scan_seq) return WADI_OK;
    const wadi_iarray *state[WADI_STREAM_COMPONENTS];
    for (int i = 1; i < b->nargs; i++) state[i - 1] = in->value[b->args[i]];
    return wadi_cursor_keep(in, c, b->nargs - 1, state);
}

static wadi_status open_into(wadi_interp *in, wadi_cursor *c) {
    const wadi_bind *b = c->bind;
    c->from = calloc((size_t)b->nargs + 1, sizeof *c->from);
    c->kept = calloc(WADI_STREAM_COMPONENTS, sizeof *c->kept);
    if (!c->from || !c->kept) return wadi_stream_no_memory(in, b);
    for (int i = 0; i < b->nargs; i++)
        if (type_of(in, b->args[i])->is_seq)
            WADI_TRY(wadi_cursor_open(in, b->args[i], &c->from[c->nfrom++]));
    return start(in, c);
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

/* ---- filter_seq and drop_seq: what is not wanted ---- */

/* The elements dropped are made and forgotten. */
static wadi_status skip(wadi_interp *in, wadi_cursor *c) {
    const wadi_iarray *unwanted[WADI_STREAM_COMPONENTS];
    for (; c->count > 0; c->count--) {
        const size_t mark = in->cx.mark(&in->cx);
        bool more = false;
        WADI_TRY(wadi_cursor_more(in, c->from[0], &more));
        if (!more) break;
        WADI_TRY(wadi_cursor_next(in, c->from[0], unwanted));
        in->cx.release(&in->cx, mark, 0, NULL);
    }
    c->count = 0;
    return WADI_OK;
}

/* Keeps the next element that passes, if there is one. */
static wadi_status find(wadi_interp *in, wadi_cursor *c, bool *out) {
    const wadi_iarray *element[WADI_STREAM_COMPONENTS], *passes[1];
    while (!c->found) {
        const size_t mark = in->cx.mark(&in->cx);
        WADI_TRY(wadi_cursor_more(in, c->from[0], out));
        if (!*out) return WADI_OK;
        WADI_TRY(wadi_cursor_next(in, c->from[0], element));
        wadi_stream_at(in, c->from[0]->at - 1);
        WADI_TRY(in->cx.region(&in->cx, c->bind->blocks[0], element, passes));
        c->found = passes[0]->cell[0] != 0;
        if (c->found) WADI_TRY(wadi_cursor_keep(in, c, c->components, element));
        in->cx.release(&in->cx, mark, 0, NULL);
    }
    *out = true;
    return WADI_OK;
}

static wadi_status found(wadi_interp *in, wadi_cursor *c, const wadi_iarray **out) {
    WADI_TRY(wadi_cursor_recall(in, c, out));
    wadi_cursor_forget(c);
    c->found = false;
    return WADI_OK;
}

/* ---- map_seq and produce: a region's yields ---- */

static wadi_status mapped(wadi_interp *in, wadi_cursor *c, const wadi_iarray **out) {
    const wadi_iarray *args[WADI_STREAM_COMPONENTS];
    int n = 0;
    for (int i = 0; i < c->nfrom; i++) {
        WADI_TRY(wadi_cursor_next(in, c->from[i], args + n));
        n += c->from[i]->components;
    }
    wadi_stream_at(in, c->at);
    return in->cx.region(&in->cx, c->bind->blocks[0], args, out);
}

static wadi_status produced(wadi_interp *in, wadi_cursor *c, const wadi_iarray **out) {
    const wadi_elem i64 = wadi_elem_scalar(WADI_I64);
    const uint64_t cell = (uint64_t)c->at;
    const wadi_iarray *index[1];
    WADI_TRY(wadi_stream_cells(in, c->bind, 0, &i64, NULL, &cell, index));
    wadi_stream_at(in, c->at);
    return in->cx.region(&in->cx, c->bind->blocks[0], index, out);
}

/* ---- by operator ---- */

static wadi_status all_have_more(wadi_interp *in, wadi_cursor *c, bool *out) {
    *out = true;
    for (int i = 0; i < c->nfrom && *out; i++) WADI_TRY(wadi_cursor_more(in, c->from[i], out));
    return WADI_OK;
}

wadi_status wadi_cursor_more(wadi_interp *in, wadi_cursor *c, bool *out) {
    const wadi_op *op = c->bind->op;
    if (op == &wadi_op_stream_in) return wadi_source_has(in, c->bind, c->at, out);
    if (op == &wadi_op_filter_seq) return find(in, c, out);
    if (op == &wadi_op_expand_seq) return wadi_expand_more(in, c, out);
    if (op == &wadi_op_windows) return wadi_windows_more(in, c, out);
    if (op == &wadi_op_drop_seq) WADI_TRY(skip(in, c));
    *out = false;
    if ((op == &wadi_op_produce || op == &wadi_op_take_seq) && c->at >= c->count) return WADI_OK;
    return all_have_more(in, c, out);
}

static wadi_status next(wadi_interp *in, wadi_cursor *c, const wadi_iarray **out) {
    const wadi_op *op = c->bind->op;
    if (op == &wadi_op_map_seq) return mapped(in, c, out);
    if (op == &wadi_op_produce) return produced(in, c, out);
    if (op == &wadi_op_filter_seq) return found(in, c, out);
    if (op == &wadi_op_expand_seq) return wadi_expand_next(in, c, out);
    if (op == &wadi_op_windows) return wadi_windows_next(in, c, out);
    if (op == &wadi_op_batch) return wadi_batch_next(in, c, out);
    if (op == &wadi_op_scan_seq) return wadi_scan_next(in, c, out);
    if (op == &wadi_op_stream_in) {
        wadi_source_get(in, c->bind, c->at, out);
        return WADI_OK;
    }
    return wadi_cursor_next(in, c->from[0], out); /* take_seq, drop_seq */
}

wadi_status wadi_cursor_next(wadi_interp *in, wadi_cursor *c, const wadi_iarray **out) {
    WADI_TRY(next(in, c, out));
    c->at++;
    return WADI_OK;
}
