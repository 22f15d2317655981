/* Ends of sequences, element by element. */
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "operators/interp/stream.h"

static const wadi_val_type *type_of(const wadi_interp *in, wadi_val v) {
    return &in->m->values[v].type;
}

/* Called with each element in order. It must copy what it keeps, because the memory of the element is given back. */
typedef wadi_status (*consumer)(wadi_interp *in, const wadi_bind *b, void *state, int64_t e,
                                const wadi_iarray *const *components);

static wadi_status each(wadi_interp *in, const wadi_bind *b, wadi_cursor *from, consumer take,
                        void *state) {
    const wadi_iarray *components[WADI_STREAM_COMPONENTS];
    for (int64_t e = 0;; e++) {
        bool more = false;
        const size_t mark = in->cx.mark(&in->cx);
        WADI_TRY(wadi_cursor_more(in, from, &more));
        if (!more) return WADI_OK;
        WADI_TRY(wadi_cursor_next(in, from, components));
        wadi_stream_at(in, e);
        WADI_TRY(take(in, b, state, e, components));
        in->cx.release(&in->cx, mark, 0, NULL);
    }
}

static wadi_status consume(wadi_interp *in, const wadi_bind *b, consumer take, void *state) {
    const int64_t outer = in->cx.element;
    wadi_cursor *from = NULL;
    WADI_TRY(wadi_cursor_open(in, b->args[0], &from));
    const wadi_status st = each(in, b, from, take, state);
    wadi_cursor_close(from);
    in->cx.element = outer;
    return st;
}

/* ---- all elements, as arrays ---- */

typedef struct collecting {
    wadi_gathered component[WADI_STREAM_COMPONENTS];
    int64_t n; /* elements */
} collecting;

static wadi_status take_all(wadi_interp *in, const wadi_bind *b, void *state, int64_t e,
                            const wadi_iarray *const *components) {
    collecting *c = state;
    c->n = e + 1;
    for (int i = 0; i < type_of(in, b->args[0])->arrays; i++)
        if (!wadi_gathered_add(&c->component[i], components[i]))
            return wadi_stream_no_memory(in, b);
    return WADI_OK;
}

static wadi_status take_alike(wadi_interp *in, const wadi_bind *b, void *state, int64_t e,
                              const wadi_iarray *const *components) {
    const collecting *c = state;
    for (int i = 0; e > 0 && i < b->nresults; i++) {
        const wadi_iarray *a = components[i];
        const int64_t *first = c->component[i].shapes.at;
        for (int d = 0; d < a->rank; d++)
            if (first[d] != a->shape[d])
                return wadi_eval_fault(&in->cx, b, b->loc, WADI_SAID_FIRST ": " WADI_SAID_DIFFER, d,
                                       i, (long long)a->shape[d], (long long)first[d]);
    }
    return take_all(in, b, state, e, components);
}

static void put_cells(wadi_iarray *to, const wadi_gathered *from) {
    if (from->cells.n > 0) memcpy(to->cell, from->cells.at, from->cells.n * sizeof *to->cell);
}

static wadi_status give_elements(wadi_interp *in, const wadi_bind *b, int i, const collecting *c) {
    const wadi_elem *elem = &type_of(in, b->results[i])->array->elem;
    const int64_t n = (int64_t)c->component[i].cells.n / wadi_elem_cells(elem);
    wadi_iarray *out;
    WADI_TRY(in->cx.result(&in->cx, b->results[i], 1, &n, &out));
    put_cells(out, &c->component[i]);
    return WADI_OK;
}

static wadi_status give_table(wadi_interp *in, const wadi_bind *b, int i, const collecting *c) {
    const int rank = type_of(in, b->results[i])->array->rank;
    int64_t shape[WADI_MAX_RANK] = {c->n};
    for (int d = 1; c->n > 0 && d < rank; d++) shape[d] = c->component[i].shapes.at[d - 1];
    wadi_iarray *out;
    WADI_TRY(in->cx.result(&in->cx, b->results[i], rank, shape, &out));
    put_cells(out, &c->component[i]);
    return WADI_OK;
}

/* Each array cut to the extents that all of them have. */
static wadi_status give_least(wadi_interp *in, const wadi_bind *b, int i, const collecting *c) {
    const wadi_gathered *g = &c->component[i];
    const int rank = type_of(in, b->results[i])->array->rank - 1;
    int64_t least[WADI_MAX_RANK] = {c->n}, *corner = least + 1;
    for (int64_t e = 0; e < c->n; e++)
        for (int d = 0; d < rank; d++)
            if (e == 0 || g->shapes.at[e * rank + d] < corner[d])
                corner[d] = g->shapes.at[e * rank + d];
    wadi_iarray *out;
    WADI_TRY(in->cx.result(&in->cx, b->results[i], rank + 1, least, &out));
    const uint64_t *from = g->cells.at;
    uint64_t *to = out->cell;
    for (int64_t e = 0; e < c->n && out->size > 0; e++) {
        const int64_t *shape = rank > 0 ? g->shapes.at + e * rank : NULL;
        int64_t ix[WADI_MAX_RANK] = {0}, size = 0;
        (void)wadi_eval_size(rank, shape, &size);
        do {
            const int64_t at = wadi_eval_linear(rank, shape, ix) * out->cells;
            to = wadi_eval_put(out, from + at, to);
        } while (wadi_eval_next(rank, corner, ix));
        from += size * out->cells;
    }
    return WADI_OK;
}

/* Results come in pairs, shapes and values of a component. */
static wadi_status give_segments(wadi_interp *in, const wadi_bind *b, int r, const collecting *c) {
    const wadi_gathered *g = &c->component[r / 2];
    const wadi_array_type *t = type_of(in, b->results[r])->array;
    const int rank = type_of(in, b->args[0])->array[r / 2].rank;
    const int64_t table[2] = {c->n, rank};
    const int64_t values[1] = {(int64_t)g->cells.n / wadi_elem_cells(&t->elem)};
    const bool shapes = r % 2 == 0;
    wadi_iarray *out;
    WADI_TRY(in->cx.result(&in->cx, b->results[r], t->rank, shapes ? table : values, &out));
    if (!shapes) put_cells(out, g);
    for (size_t i = 0; shapes && i < g->shapes.n; i++) out->cell[i] = (uint64_t)g->shapes.at[i];
    return WADI_OK;
}

typedef wadi_status (*giver)(wadi_interp *in, const wadi_bind *b, int result, const collecting *c);

static wadi_status collect(wadi_interp *in, const wadi_bind *b, consumer take, giver give) {
    collecting *c = calloc(1, sizeof *c);
    if (!c) return wadi_stream_no_memory(in, b);
    wadi_status st = consume(in, b, take, c);
    for (int i = 0; i < b->nresults && st == WADI_OK; i++) st = give(in, b, i, c);
    for (int i = 0; i < WADI_STREAM_COMPONENTS; i++) wadi_gathered_fini(&c->component[i]);
    free(c);
    return st;
}

static wadi_status collect_as(wadi_interp *in, const wadi_bind *b) {
    switch (b->op->seq.collect) {
    case WADI_COLLECT_VALUES:
        return collect(in, b, take_all, give_elements);
    case WADI_COLLECT_TABLE:
        return collect(in, b, take_alike, give_table);
    case WADI_COLLECT_LEAST_TABLE:
        return collect(in, b, take_all, give_least);
    case WADI_COLLECT_SEGMENTS:
        break;
    }
    return collect(in, b, take_all, give_segments);
}

const wadi_seq_meaning wadi_meaning_collect = {.run = collect_as};

/* ---- fold: after each element, all memory but the state is given back ---- */

static wadi_status step_all(wadi_interp *in, const wadi_bind *b, wadi_cursor *from,
                            const wadi_iarray **args) {
    const int n = b->nargs - 1;
    const wadi_iarray *next[WADI_STREAM_COMPONENTS];
    const size_t mark = in->cx.mark(&in->cx);
    for (int i = 0; i < n; i++) args[i] = in->value[b->args[1 + i]];
    for (int64_t e = 0;; e++) {
        bool more = false;
        WADI_TRY(wadi_cursor_more(in, from, &more));
        if (!more) return WADI_OK;
        WADI_TRY(wadi_cursor_next(in, from, args + n));
        wadi_stream_at(in, e);
        WADI_TRY(in->cx.region(&in->cx, b->blocks[0], args, next));
        memcpy(args, next, (size_t)n * sizeof(args[0]));
        in->cx.release(&in->cx, mark, n, args);
    }
}

static wadi_status fold(wadi_interp *in, const wadi_bind *b) {
    const int64_t outer = in->cx.element;
    const wadi_iarray *args[2 * WADI_STREAM_COMPONENTS];
    wadi_cursor *from = NULL;
    WADI_TRY(wadi_cursor_open(in, b->args[0], &from));
    const wadi_status st = step_all(in, b, from, args);
    wadi_cursor_close(from);
    in->cx.element = outer;
    if (st != WADI_OK) return st;
    for (int i = 0; i < b->nresults; i++) WADI_TRY(in->cx.alias(&in->cx, b->results[i], args[i]));
    return WADI_OK;
}

const wadi_seq_meaning wadi_meaning_fold = {.run = fold};

/* ---- sinks ---- */

static wadi_status take_out(wadi_interp *in, const wadi_bind *b, void *state, int64_t e,
                            const wadi_iarray *const *components) {
    wadi_sunk *to = &in->sunk.at[*(const size_t *)state];
    to->n = e + 1;
    for (int c = 0; c < type_of(in, b->args[0])->arrays; c++) {
        wadi_array a;
        WADI_TRY(wadi_interp_give(in, components[c], &a));
        if (!wadi_vec_push(&to->arrays, a)) return wadi_stream_no_memory(in, b);
    }
    return WADI_OK;
}

static wadi_status deliver(wadi_interp *in, const wadi_bind *b) {
    size_t number = in->sunk.n;
    if (!wadi_vec_push(&in->sunk, (wadi_sunk){.bind = b})) return wadi_stream_no_memory(in, b);
    return consume(in, b, take_out, &number);
}

const wadi_seq_meaning wadi_meaning_deliver = {.run = deliver};
