/* Sequence operators, element by element.
 *
 * A sequence is a way to make element number e; nothing is kept between elements but what was
 * read from sources. So two consumers of one stream compute its elements twice: that is how it
 * means the same as once. */
#include <stdlib.h>
#include <string.h>

#include "operators/interp_state.h"

enum { MAX_COMPONENTS = WADI_MAX_PARAMS };

static const wadi_val_type *type_of(const wadi_interp *in, wadi_val v) {
    return &in->m->values[v].type;
}

static wadi_status no_memory(wadi_interp *in, const wadi_bind *b) {
    return wadi_fail_at(in->cx.err, b->loc, WADI_MEMORY, "%s: out of memory", b->op->name);
}

/* ---- sources ---- */

static wadi_read_source *find_source(wadi_interp *in, const char *name) {
    for (int i = 0; i < in->io->nsources; i++)
        if (strcmp(in->io->sources[i].name, name) == 0) return &in->source[i];
    return NULL;
}

static wadi_status next_of(wadi_interp *in, const wadi_read_source *s, int64_t e, int components,
                           wadi_array *out, bool *out_end) {
    *out_end = false;
    if (!s->from->elements) return s->from->pull(s->from->env, e, out, out_end, in->cx.err);
    if (e >= s->from->n)
        *out_end = true;
    else
        memcpy(out, s->from->elements + e * components, (size_t)components * sizeof *out);
    return WADI_OK;
}

/* Reads one more element into memory. */
static wadi_status read_more(wadi_interp *in, const wadi_bind *b, wadi_read_source *s) {
    const wadi_val_type *t = type_of(in, b->results[0]);
    wadi_array host[MAX_COMPONENTS];
    memset(host, 0, sizeof host);
    const int64_t e = (int64_t)s->arrays.n / t->arrays;
    WADI_TRY(next_of(in, s, e, t->arrays, host, &s->ended));
    const int64_t outer = in->cx.element;
    in->cx.element = e;
    for (int c = 0; c < t->arrays && !s->ended; c++) {
        wadi_iarray *a;
        WADI_TRY(wadi_interp_bind(in, "stream", b->name, b->loc, &t->array[c], &host[c], &a));
        if (!wadi_vec_push(&s->arrays, a)) {
            wadi_iarray_destroy(a);
            return no_memory(in, b);
        }
    }
    in->cx.element = outer;
    return WADI_OK;
}

/* Whether the source has an element e. */
static wadi_status source_has(wadi_interp *in, const wadi_bind *b, int64_t e, bool *out) {
    wadi_read_source *s = find_source(in, b->name);
    const int n = type_of(in, b->results[0])->arrays;
    if (!s || n > MAX_COMPONENTS)
        return wadi_fail_at(in->cx.err, b->loc, WADI_INVALID, "stream_in: nothing is bound to '%s'",
                            b->name);
    while (!s->ended && (int64_t)s->arrays.n < (e + 1) * n) WADI_TRY(read_more(in, b, s));
    *out = (int64_t)s->arrays.n >= (e + 1) * n;
    return WADI_OK;
}

/* ---- elements ---- */

/* Whether sequence `s` has an element e, without computing it. */
static wadi_status has(wadi_interp *in, wadi_val s, int64_t e, bool *out) {
    const wadi_bind *b = in->m->values[s].bind;
    if (b->op == &wadi_op_stream_in) return source_has(in, b, e, out);
    if (b->op == &wadi_op_produce) {
        *out = e < wadi_eval_i64(&in->cx, b->args[0]);
        return WADI_OK;
    }
    *out = true;
    for (int i = 0; i < b->nargs && *out; i++) WADI_TRY(has(in, b->args[i], e, out));
    return WADI_OK;
}

static wadi_status element(wadi_interp *in, wadi_val s, int64_t e, const wadi_iarray **out);

/* The region of map_seq on the elements number e of its arguments. */
static wadi_status mapped(wadi_interp *in, const wadi_bind *b, int64_t e, const wadi_iarray **out) {
    const wadi_iarray *args[MAX_COMPONENTS];
    int n = 0;
    for (int i = 0; i < b->nargs; i++) {
        WADI_TRY(element(in, b->args[i], e, args + n));
        n += type_of(in, b->args[i])->arrays;
    }
    return in->cx.region(&in->cx, b->blocks[0], args, out);
}

static wadi_status produced(wadi_interp *in, const wadi_bind *b, int64_t e,
                            const wadi_iarray **out) {
    uint64_t cell = (uint64_t)e;
    const wadi_iarray index = {
        .rank = 0, .elem = wadi_elem_scalar(WADI_I64), .size = 1, .cell = &cell};
    const wadi_iarray *args[1] = {&index};
    WADI_TRY(in->cx.region(&in->cx, b->blocks[0], args, out));
    /* the index itself may be a yield, and does not outlive this call */
    for (int y = 0; y < b->blocks[0]->nyields; y++) {
        if (out[y] != &index) continue;
        wadi_iarray *copy = wadi_iarray_create(0, &index.elem, NULL, 1);
        if (!copy || !wadi_vec_push(&in->heap, copy)) {
            wadi_iarray_destroy(copy);
            return no_memory(in, b);
        }
        copy->cell[0] = cell;
        out[y] = copy;
    }
    return WADI_OK;
}

/* The components of element e, which exists, of sequence `s`. */
static wadi_status element(wadi_interp *in, wadi_val s, int64_t e, const wadi_iarray **out) {
    const wadi_bind *b = in->m->values[s].bind;
    if (b->op == &wadi_op_map_seq) return mapped(in, b, e, out);
    if (b->op == &wadi_op_produce) return produced(in, b, e, out);
    const wadi_read_source *source = find_source(in, b->name);
    const int n = type_of(in, s)->arrays;
    for (int c = 0; c < n; c++) out[c] = source->arrays.at[e * n + c];
    return WADI_OK;
}

/* ---- consumers ---- */

/* Something done with each element in order. */
typedef wadi_status (*consumer)(wadi_interp *in, const wadi_bind *b, void *state, int64_t e,
                                const wadi_iarray *const *components);

/* What the consumer keeps of an element it must copy: the element's memory is given back. */
static wadi_status consume(wadi_interp *in, const wadi_bind *b, consumer take, void *state) {
    const int64_t outer = in->cx.element;
    for (int64_t e = 0;; e++) {
        bool more = false;
        const size_t mark = in->cx.mark(&in->cx);
        WADI_TRY(has(in, b->args[0], e, &more));
        if (!more) break;
        in->cx.element = e;
        const wadi_iarray *components[MAX_COMPONENTS];
        WADI_TRY(element(in, b->args[0], e, components));
        WADI_TRY(take(in, b, state, e, components));
        in->cx.release(&in->cx, mark, 0, NULL);
    }
    in->cx.element = outer;
    return WADI_OK;
}

/* Cells of one component so far, and the shape of its first array. */
typedef struct growing {
    WADI_VEC(uint64_t) cells;
    int64_t shape[WADI_MAX_RANK];
} growing;

typedef struct collecting {
    growing component[MAX_COMPONENTS];
    int64_t n; /* elements */
} collecting;

static wadi_status take_elements(wadi_interp *in, const wadi_bind *b, void *state, int64_t e,
                                 const wadi_iarray *const *components) {
    collecting *c = state;
    c->n = e + 1;
    for (int i = 0; i < b->nresults; i++) {
        const wadi_iarray *a = components[i];
        growing *g = &c->component[i];
        const size_t more = (size_t)(a->size * a->elem.fields);
        if (!wadi_vec_reserve(&g->cells, g->cells.n + more)) return no_memory(in, b);
        if (more > 0) memcpy(g->cells.at + g->cells.n, a->cell, more * sizeof *a->cell);
        g->cells.n += more;
    }
    return WADI_OK;
}

static wadi_status take_tabulate(wadi_interp *in, const wadi_bind *b, void *state, int64_t e,
                                 const wadi_iarray *const *components) {
    collecting *c = state;
    for (int i = 0; i < b->nresults; i++) {
        const wadi_iarray *a = components[i];
        int64_t *first = c->component[i].shape;
        for (int d = 0; d < a->rank; d++) {
            if (e == 0) first[d] = a->shape[d];
            if (first[d] != a->shape[d])
                return wadi_eval_fault(
                    &in->cx, b, b->loc,
                    "extent %d of component %d is %lld, that of element 0 is %lld", d, i,
                    (long long)a->shape[d], (long long)first[d]);
        }
    }
    return take_elements(in, b, state, e, components);
}

/* The collected cells become the results: vectors, or arrays with the elements outermost. */
static wadi_status give_collected(wadi_interp *in, const wadi_bind *b, const collecting *c) {
    for (int i = 0; i < b->nresults; i++) {
        const growing *g = &c->component[i];
        const wadi_array_type *t = type_of(in, b->results[i])->array;
        int64_t shape[WADI_MAX_RANK + 1] = {(int64_t)g->cells.n / t->elem.fields};
        if (b->op == &wadi_op_tabulate) {
            shape[0] = c->n;
            for (int d = 1; d < t->rank; d++) shape[d] = g->shape[d - 1];
        }
        wadi_iarray *out;
        WADI_TRY(in->cx.result(&in->cx, b->results[i], t->rank, shape, &out));
        if (g->cells.n > 0) memcpy(out->cell, g->cells.at, g->cells.n * sizeof *out->cell);
    }
    return WADI_OK;
}

static wadi_status collect(wadi_interp *in, const wadi_bind *b, consumer take) {
    collecting *c = calloc(1, sizeof *c);
    if (!c) return no_memory(in, b);
    wadi_status st = consume(in, b, take, c);
    if (st == WADI_OK) st = give_collected(in, b, c);
    for (int i = 0; i < b->nresults; i++) wadi_vec_free(&c->component[i].cells);
    free(c);
    return st;
}

/* fold_seq keeps its state across elements, so it releases everything but the state itself. */
static wadi_status fold(wadi_interp *in, const wadi_bind *b) {
    const int n = b->nargs - 1;
    const int64_t outer = in->cx.element;
    const wadi_iarray *args[MAX_COMPONENTS], *next[MAX_COMPONENTS];
    const size_t mark = in->cx.mark(&in->cx);
    for (int i = 0; i < n; i++) args[i] = in->value[b->args[1 + i]];
    for (int64_t e = 0;; e++) {
        bool more = false;
        WADI_TRY(has(in, b->args[0], e, &more));
        if (!more) break;
        in->cx.element = e;
        WADI_TRY(element(in, b->args[0], e, args + n));
        WADI_TRY(in->cx.region(&in->cx, b->blocks[0], args, next));
        memcpy(args, next, (size_t)n * sizeof(args[0]));
        in->cx.release(&in->cx, mark, n, args);
    }
    in->cx.element = outer;
    for (int i = 0; i < n; i++) WADI_TRY(in->cx.alias(&in->cx, b->results[i], args[i]));
    return WADI_OK;
}

static wadi_status take_out(wadi_interp *in, const wadi_bind *b, void *state, int64_t e,
                            const wadi_iarray *const *components) {
    wadi_sunk *to = &in->sunk.at[*(const size_t *)state];
    to->n = e + 1;
    for (int c = 0; c < type_of(in, b->args[0])->arrays; c++) {
        wadi_array a;
        WADI_TRY(wadi_interp_give(in, components[c], &a));
        if (!wadi_vec_push(&to->arrays, a)) return no_memory(in, b);
    }
    return WADI_OK;
}

static wadi_status deliver(wadi_interp *in, const wadi_bind *b) {
    size_t number = in->sunk.n;
    if (!wadi_vec_push(&in->sunk, (wadi_sunk){.bind = b})) return no_memory(in, b);
    return consume(in, b, take_out, &number);
}

wadi_status wadi_interp_seq(wadi_interp *in, const wadi_bind *b) {
    if (b->op == &wadi_op_elements) return collect(in, b, take_elements);
    if (b->op == &wadi_op_tabulate) return collect(in, b, take_tabulate);
    if (b->op == &wadi_op_fold_seq) return fold(in, b);
    if (b->op == &wadi_op_stream_out) return deliver(in, b);
    return WADI_OK;
}
