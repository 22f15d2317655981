/* A fold over chunks. It must give the same result however the stream is cut into chunks; that result is its meaning.
 *
 * So the interpreter reads the whole stream and folds it several times: in one chunk, in chunks of one element, and with three
 * arbitrary cuts. Results that differ in any bit are a fault. */
#include <string.h>

#include "operators/interp/stream.h"

enum { CUTS = 5 };

static const char *const cut_name[CUTS] = {"one chunk", "chunks of one element",
                                           "a first other cut", "a second other cut",
                                           "a third other cut"};

/* The stream in memory. */
typedef struct whole {
    int components;
    int64_t n;
    const wadi_array_type *type;
    wadi_gathered *component;
    int64_t
        value_at[WADI_STREAM_COMPONENTS]; /* where the values of the next chunk begin, in cells */
} whole;

static wadi_status read_whole(wadi_interp *in, const wadi_bind *b, wadi_cursor *from, whole *w) {
    const wadi_iarray *element[WADI_STREAM_COMPONENTS];
    for (bool more = true;;) {
        const size_t mark = in->cx.mark(&in->cx);
        WADI_TRY(wadi_cursor_more(in, from, &more));
        if (!more) return WADI_OK;
        WADI_TRY(wadi_cursor_next(in, from, element));
        for (int c = 0; c < w->components; c++)
            if (!wadi_gathered_add(&w->component[c], element[c]))
                return wadi_stream_no_memory(in, b);
        in->cx.release(&in->cx, mark, 0, NULL);
        w->n++;
    }
}

/* Elements [e, e + k) in the form that the region takes: shapes and values per component. */
static wadi_status chunk(wadi_interp *in, const wadi_bind *b, whole *w, int64_t e, int64_t k,
                         const wadi_iarray **out) {
    const wadi_elem i64 = wadi_elem_scalar(WADI_I64);
    for (int c = 0; c < w->components; c++) {
        const wadi_array_type *t = &w->type[c];
        const int64_t *shapes = t->rank > 0 ? w->component[c].shapes.at + e * t->rank : NULL;
        const int64_t table[2] = {k, t->rank};
        int64_t total = 0;
        wadi_iarray *a;
        WADI_TRY(wadi_stream_array(in, b, 2, &i64, table, &a));
        for (int64_t i = 0; i < a->size; i++) a->cell[i] = (uint64_t)shapes[i];
        *out++ = a;
        for (int64_t i = 0; i < k; i++) {
            int64_t size = 0;
            (void)wadi_eval_size(t->rank, t->rank > 0 ? shapes + i * t->rank : NULL, &size);
            total += size;
        }
        const uint64_t *cells = total > 0 ? w->component[c].cells.at + w->value_at[c] : NULL;
        WADI_TRY(wadi_stream_cells(in, b, 1, &t->elem, &total, cells, out++));
        w->value_at[c] += total * wadi_elem_cells(&t->elem);
    }
    return WADI_OK;
}

/* The size of the next chunk. After the first two cuts, sizes are pseudo-random numbers from fixed seeds, so that runs repeat. */
static int64_t chunk_size(int cut, int64_t left, uint64_t *seed) {
    if (cut == 0) return left;
    if (cut == 1) return 1;
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return 1 + (int64_t)((*seed >> 33) % (uint64_t)left);
}

static wadi_status fold_cut(wadi_interp *in, const wadi_bind *b, whole *w, int cut,
                            const wadi_iarray **state) {
    const int n = b->nargs - 1;
    const wadi_iarray *args[3 * WADI_STREAM_COMPONENTS], *next[WADI_STREAM_COMPONENTS];
    const size_t mark = in->cx.mark(&in->cx);
    uint64_t seed = (uint64_t)cut;
    memset(w->value_at, 0, sizeof w->value_at);
    for (int i = 0; i < n; i++) args[i] = in->value[b->args[1 + i]];
    for (int64_t e = 0, k; e < w->n; e += k) {
        k = chunk_size(cut, w->n - e, &seed);
        WADI_TRY(chunk(in, b, w, e, k, args + n));
        wadi_stream_at(in, e);
        WADI_TRY(in->cx.region(&in->cx, b->blocks[0], args, next));
        memcpy(args, next, (size_t)n * sizeof(args[0]));
        in->cx.release(&in->cx, mark, n, args);
    }
    for (int i = 0; i < n; i++) state[i] = args[i];
    return WADI_OK;
}

static bool same(const wadi_iarray *a, const wadi_iarray *b) {
    for (int d = 0; d < a->rank; d++)
        if (a->shape[d] != b->shape[d]) return false;
    return a->size == 0 ||
           memcmp(a->cell, b->cell, (size_t)(a->size * a->cells) * sizeof *a->cell) == 0;
}

static wadi_status fold_cuts(wadi_interp *in, const wadi_bind *b, whole *w,
                             const wadi_iarray **state) {
    const int64_t outer = in->cx.element;
    WADI_TRY(fold_cut(in, b, w, 0, state));
    for (int cut = 1; cut < CUTS && w->n > 1; cut++) {
        const wadi_iarray *other[WADI_STREAM_COMPONENTS];
        const size_t mark = in->cx.mark(&in->cx);
        WADI_TRY(fold_cut(in, b, w, cut, other));
        in->cx.element = outer;
        for (int i = 0; i < b->nresults; i++)
            if (!same(state[i], other[i]))
                return wadi_eval_fault(&in->cx, b, b->loc,
                                       "state %d depends on how the stream is cut: %s and %s of "
                                       "its %lld elements give different results",
                                       i, cut_name[0], cut_name[cut], (long long)w->n);
        in->cx.release(&in->cx, mark, 0, NULL);
    }
    in->cx.element = outer;
    return WADI_OK;
}

static wadi_status fold_chunk(wadi_interp *in, const wadi_bind *b) {
    const wadi_val_type *s = &in->m->values[b->args[0]].type;
    wadi_gathered component[WADI_STREAM_COMPONENTS];
    const wadi_iarray *state[WADI_STREAM_COMPONENTS];
    memset(component, 0, sizeof component);
    whole w = {.components = s->arrays, .type = s->array, .component = component};
    wadi_cursor *from = NULL;
    const int64_t outer = in->cx.element;
    wadi_status st = wadi_cursor_open(in, b->args[0], &from);
    if (st == WADI_OK) st = read_whole(in, b, from, &w);
    in->cx.element = outer;
    if (st == WADI_OK) st = fold_cuts(in, b, &w, state);
    wadi_cursor_close(from);
    for (int c = 0; c < w.components; c++) wadi_gathered_fini(&component[c]);
    for (int i = 0; i < b->nresults && st == WADI_OK; i++)
        st = in->cx.alias(&in->cx, b->results[i], state[i]);
    return st;
}

const wadi_seq_meaning wadi_meaning_fold_chunk = {.run = fold_chunk};
