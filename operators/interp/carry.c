/* Forms that carry something from element to element: the rest of an expanded element, samples for the next windows, the arrays of
 * a batch, a state. */
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "graph/lang/node.h"
#include "operators/interp/stream.h"

/* Makes the next element of the argument; faults name that element. */
static wadi_status pull(wadi_interp *in, wadi_cursor *c, const wadi_iarray **out) {
    WADI_TRY(wadi_cursor_next(in, c->from[0], out));
    wadi_stream_at(in, c->from[0]->at - 1);
    return WADI_OK;
}

/* ---- expand: `kept` are the arrays being cut up, `start` the next slice ---- */

static int64_t slices(const wadi_cursor *c) {
    return c->nkept > 0 ? c->kept[0]->shape[0] : 0;
}

static wadi_status expand_one(wadi_interp *in, wadi_cursor *c) {
    const wadi_iarray *element[WADI_STREAM_COMPONENTS], *whole[WADI_STREAM_COMPONENTS];
    WADI_TRY(pull(in, c, element));
    WADI_TRY(in->cx.region(&in->cx, c->bind->blocks[0], element, whole));
    for (int i = 1; i < c->components; i++)
        if (whole[i]->shape[0] != whole[0]->shape[0])
            return wadi_eval_fault(&in->cx, c->bind, c->bind->loc,
                                   WADI_SAID_SLICES ": " WADI_SAID_DIFFER, i,
                                   (long long)whole[i]->shape[0], (long long)whole[0]->shape[0]);
    c->start = 0;
    return wadi_cursor_keep(in, c, c->components, whole);
}

static wadi_status more_expand(wadi_interp *in, wadi_cursor *c, bool *out) {
    while (c->start >= slices(c)) {
        const size_t mark = in->cx.mark(&in->cx);
        WADI_TRY(wadi_cursor_more(in, c->from[0], out));
        if (!*out) return WADI_OK;
        WADI_TRY(expand_one(in, c));
        in->cx.release(&in->cx, mark, 0, NULL);
    }
    *out = true;
    return WADI_OK;
}

static wadi_status next_expand(wadi_interp *in, wadi_cursor *c, const wadi_iarray **out) {
    for (int i = 0; i < c->components; i++) {
        const wadi_iarray *a = c->kept[i];
        const int64_t cells = a->size / a->shape[0] * a->cells;
        WADI_TRY(wadi_stream_cells(in, c->bind, a->rank - 1, &a->elem, a->shape + 1,
                                   a->cell + c->start * cells, &out[i]));
    }
    c->start++;
    return WADI_OK;
}

const wadi_seq_meaning wadi_meaning_expand = {.more = more_expand, .next = next_expand};

/* ---- windows ----
 * Samples are numbered over the whole stream. Those in memory begin with sample `first`. The next window begins at `start`. The
 * last full one ended before sample `ended`. */

static const wadi_elem *elem_of(const wadi_interp *in, const wadi_cursor *c, int component) {
    return &in->m->values[c->bind->results[0]].type.array[component].elem;
}

static int64_t samples_read(const wadi_interp *in, const wadi_cursor *c) {
    return c->first + (int64_t)c->samples[0].cells.n / wadi_elem_cells(elem_of(in, c, 0));
}

static wadi_status read_piece(wadi_interp *in, wadi_cursor *c) {
    const wadi_iarray *piece[WADI_STREAM_COMPONENTS];
    const size_t mark = in->cx.mark(&in->cx);
    WADI_TRY(pull(in, c, piece));
    for (int i = 0; i < c->components; i++) {
        if (piece[i]->size != piece[0]->size)
            return wadi_eval_fault(&in->cx, c->bind, c->bind->loc,
                                   WADI_SAID_SAMPLES ": " WADI_SAID_DIFFER, i,
                                   (long long)piece[i]->size, (long long)piece[0]->size);
        if (!wadi_gathered_add(&c->samples[i], piece[i])) return wadi_stream_no_memory(in, c->bind);
    }
    in->cx.release(&in->cx, mark, 0, NULL);
    return WADI_OK;
}

/* Forgets the samples before the next window. */
static void drop_samples(const wadi_interp *in, wadi_cursor *c) {
    const int64_t end = samples_read(in, c), to = c->start < end ? c->start : end;
    for (int i = 0; i < c->components; i++) {
        wadi_gathered *g = &c->samples[i];
        const size_t gone = (size_t)((to - c->first) * wadi_elem_cells(elem_of(in, c, i)));
        if (gone == 0) continue;
        memmove(g->cells.at, g->cells.at + gone, (g->cells.n - gone) * sizeof *g->cells.at);
        g->cells.n -= gone;
    }
    c->first = to;
}

static bool is_full(const wadi_interp *in, const wadi_cursor *c) {
    return samples_read(in, c) - c->start >= c->count;
}

static wadi_status more_windows(wadi_interp *in, wadi_cursor *c, bool *out) {
    while (!is_full(in, c)) {
        WADI_TRY(wadi_cursor_more(in, c->from[0], out));
        if (!*out) break;
        WADI_TRY(read_piece(in, c));
        drop_samples(in, c);
    }
    const int64_t read = samples_read(in, c);
    *out = is_full(in, c) || (c->bind->attrs[0] != WADI_LAST_DROP && !c->last_given &&
                              read > c->start && read > c->ended);
    return WADI_OK;
}

static wadi_status next_windows(wadi_interp *in, wadi_cursor *c, const wadi_iarray **out) {
    const bool full = is_full(in, c);
    const int64_t there = full ? c->count : samples_read(in, c) - c->start;
    const int64_t shape[1] = {c->bind->attrs[0] == WADI_LAST_KEEP ? there : c->count};
    for (int i = 0; i < c->components; i++) {
        wadi_iarray *a;
        WADI_TRY(wadi_stream_array(in, c->bind, 1, elem_of(in, c, i), shape, &a));
        const uint64_t *from = c->samples[i].cells.at + (c->start - c->first) * a->cells;
        memcpy(a->cell, from, (size_t)(there * a->cells) * sizeof *a->cell);
        out[i] = a;
    }
    if (full) c->ended = c->start + c->count;
    c->last_given = !full;
    c->start = c->step > INT64_MAX - c->start ? INT64_MAX : c->start + c->step;
    drop_samples(in, c);
    return WADI_OK;
}

static wadi_status start_windows(wadi_interp *in, wadi_cursor *c) {
    WADI_TRY(wadi_cursor_number(in, c, 1, "the size", &c->count));
    WADI_TRY(wadi_cursor_number(in, c, 2, "the hop", &c->step));
    c->samples = calloc((size_t)c->components + 1, sizeof *c->samples);
    return c->samples ? WADI_OK : wadi_stream_no_memory(in, c->bind);
}

const wadi_seq_meaning wadi_meaning_windows = {
    .start = start_windows, .more = more_windows, .next = next_windows};

/* ---- batch ---- */

static wadi_status add_to_batch(wadi_interp *in, wadi_cursor *c, int64_t n, wadi_gathered *g) {
    const wadi_iarray *element[WADI_STREAM_COMPONENTS];
    WADI_TRY(pull(in, c, element));
    for (int i = 0; i < c->components; i++) {
        const wadi_iarray *a = element[i];
        for (int d = 0; n > 0 && d < a->rank; d++)
            if (a->shape[d] != g[i].shapes.at[d])
                return wadi_eval_fault(&in->cx, c->bind, c->bind->loc,
                                       WADI_SAID_FIRST ": " WADI_SAID_DIFFER, d, i,
                                       (long long)a->shape[d], (long long)g[i].shapes.at[d]);
        if (n > 0) wadi_vec_clear(&g[i].shapes);
        if (!wadi_gathered_add(&g[i], a)) return wadi_stream_no_memory(in, c->bind);
    }
    return WADI_OK;
}

static wadi_status fill_batch(wadi_interp *in, wadi_cursor *c, wadi_gathered *g, int64_t *n) {
    for (bool more = true; more && *n < c->count; ++*n) {
        const size_t mark = in->cx.mark(&in->cx);
        if (*n > 0) WADI_TRY(wadi_cursor_more(in, c->from[0], &more));
        if (!more) break;
        WADI_TRY(add_to_batch(in, c, *n, g));
        in->cx.release(&in->cx, mark, 0, NULL);
    }
    return WADI_OK;
}

static wadi_status give_batch(wadi_interp *in, wadi_cursor *c, const wadi_gathered *g, int64_t n,
                              const wadi_iarray **out) {
    const wadi_array_type *t = in->m->values[c->bind->results[0]].type.array;
    for (int i = 0; i < c->components; i++) {
        int64_t shape[WADI_MAX_RANK] = {n};
        for (int d = 1; d < t[i].rank; d++) shape[d] = g[i].shapes.at[d - 1];
        WADI_TRY(
            wadi_stream_cells(in, c->bind, t[i].rank, &t[i].elem, shape, g[i].cells.at, &out[i]));
    }
    return WADI_OK;
}

static wadi_status next_batch(wadi_interp *in, wadi_cursor *c, const wadi_iarray **out) {
    wadi_gathered g[WADI_STREAM_COMPONENTS];
    memset(g, 0, sizeof g);
    int64_t n = 0;
    wadi_status st = fill_batch(in, c, g, &n);
    if (st == WADI_OK) st = give_batch(in, c, g, n, out);
    for (int i = 0; i < c->components; i++) wadi_gathered_fini(&g[i]);
    return st;
}

static wadi_status start_batch(wadi_interp *in, wadi_cursor *c) {
    return wadi_cursor_number(in, c, 1, "the number of arrays", &c->count);
}

const wadi_seq_meaning wadi_meaning_batch = {
    .start = start_batch, .more = wadi_cursor_all_more, .next = next_batch};

/* ---- scan: `kept` is the state ---- */

static wadi_status start_scan(wadi_interp *in, wadi_cursor *c) {
    const wadi_bind *b = c->bind;
    const wadi_iarray *state[WADI_STREAM_COMPONENTS];
    for (int i = 1; i < b->nargs; i++) state[i - 1] = in->value[b->args[i]];
    return wadi_cursor_keep(in, c, b->nargs - 1, state);
}

static wadi_status next_scan(wadi_interp *in, wadi_cursor *c, const wadi_iarray **out) {
    const wadi_iarray *args[2 * WADI_STREAM_COMPONENTS];
    WADI_TRY(wadi_cursor_recall(in, c, args));
    WADI_TRY(wadi_cursor_next(in, c->from[0], args + c->nkept));
    wadi_stream_at(in, c->at);
    WADI_TRY(in->cx.region(&in->cx, c->bind->blocks[0], args, out));
    return wadi_cursor_keep(in, c, c->components, out);
}

const wadi_seq_meaning wadi_meaning_scan = {
    .start = start_scan, .more = wadi_cursor_all_more, .next = next_scan};
