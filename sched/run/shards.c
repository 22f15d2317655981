/* Parting by keys is a counting sort. Putting together is a scatter: of single values by column, of arrays one by one. */
#include "sched/run/shards.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

static wadi_status no_memory(wadi_error *err) {
    return wadi_fail(err, WADI_MEMORY, "elements by key: out of memory");
}

/* ---- parting ---- */

void wadi_shard_marks_fini(wadi_shard_marks *m) {
    free(m->of);
    *m = (wadi_shard_marks){.of = NULL};
}

static bool more_marks(wadi_shard_marks *m, int64_t keys) {
    if (keys <= m->n) return true;
    const int64_t n = 2 * keys;
    int64_t *of = realloc(m->of, (size_t)n * sizeof *of);
    if (of == NULL) return false;
    memset(of + m->n, 0, (size_t)(n - m->n) * sizeof *of);
    m->of = of;
    m->n = n;
    return true;
}

void wadi_shards_fini(wadi_shards *p) {
    free(p->order);
    free(p->key);
    *p = (wadi_shards){.n = 0};
}

static int item_of(const wadi_shards *p, int64_t key) {
    return wadi_shard_of(key) * p->n / WADI_SHARDS;
}

static void count_elements(wadi_shards *p, const int64_t *number) {
    int64_t first = 0;
    for (int64_t s = 0; s < p->count; s++) p->item[item_of(p, number[s])].n++;
    for (int i = 0; i < p->n; i++) {
        wadi_shard_item *k = &p->item[i];
        k->low = (i * WADI_SHARDS + p->n - 1) / p->n;
        k->high = ((i + 1) * WADI_SHARDS + p->n - 1) / p->n;
        k->first = first;
        first += k->n;
        k->n = 0;
    }
}

wadi_status wadi_shards_part(const int64_t *number, int64_t count, int64_t keys, int n,
                             wadi_shard_marks *marks, wadi_shards *out, wadi_error *err) {
    *out = (wadi_shards){.n = n < WADI_SHARDS ? n : WADI_SHARDS, .count = count};
    out->order = malloc((size_t)(count + 1) * sizeof *out->order);
    out->key = malloc((size_t)(count + 1) * sizeof *out->key);
    if (out->order == NULL || out->key == NULL || !more_marks(marks, keys)) {
        wadi_shards_fini(out);
        return no_memory(err);
    }
    count_elements(out, number);
    marks->chunk++;
    for (int64_t s = 0; s < count; s++) {
        wadi_shard_item *k = &out->item[item_of(out, number[s])];
        int64_t *mark = &marks->of[number[s]];
        out->order[k->first + k->n++] = s;
        if (*mark != marks->chunk) out->key[k->first + k->nkeys++] = number[s];
        *mark = marks->chunk;
    }
    return WADI_OK;
}

/* ---- putting together ---- */

/* One component of all items. */
typedef struct parts {
    const wadi_shards *p;
    wadi_chunk *const *of;
    int i;
} parts;

static const wadi_chunk_component *component_of(const parts *x, int item) {
    return x->p->item[item].n > 0 ? &x->of[item]->component[x->i] : NULL;
}

/* Whether they all have the layout; and, of arrays, whether they have one shape. */
static bool all_are(const parts *x, wadi_chunk_layout layout) {
    for (int k = 0; k < x->p->n; k++) {
        const wadi_chunk_component *c = component_of(x, k);
        if (c != NULL && c->layout != layout) return false;
    }
    return true;
}

static bool have_one_shape(const parts *x, const wadi_chunk_component *first) {
    for (int k = 0; k < x->p->n; k++) {
        const wadi_chunk_component *c = component_of(x, k);
        for (int d = 0; c != NULL && d < c->rank; d++)
            if (c->shape[d] != first->shape[d]) return false;
    }
    return true;
}

#define SPREAD(size) \
    for (int64_t i = 0; i < n; i++) memcpy(to + at[i] * (size), from + i * step * (size), (size))

/* n values, every `step`-th, to the places `at`. */
static void spread(int size, const char *from, int64_t step, const int64_t *at, int64_t n,
                   char *to) {
    switch (size) {
    case 1:
        SPREAD(1);
        return;
    case 2:
        SPREAD(2);
        return;
    case 4:
        SPREAD(4);
        return;
    case 8:
        SPREAD(8);
        return;
    default:
        SPREAD(16);
    }
}

/* Regular arrays, of which each has `each` values. */
static void join_regular(const parts *x, int f, int64_t each, char *to) {
    for (int k = 0; k < x->p->n; k++) {
        const wadi_shard_item *is = &x->p->item[k];
        const wadi_chunk_component *c = component_of(x, k);
        if (c == NULL || each == 0) continue;
        const int size = wadi_type_size(c->type[f]);
        const int64_t *at = x->p->order + is->first, step = wadi_component_stride(c);
        const char *from = c->column[f];
        if (c->rank == 0) {
            spread(size, from, step, at, is->n, to);
            continue;
        }
        for (int64_t i = 0; i < is->n; i++)
            memcpy(to + at[i] * each * size, from + i * step * size, (size_t)(each * size));
    }
}

/* The shape of each element, and how many values it has in front. */
static bool describe(const parts *x, wadi_chunk *out, wadi_chunk_component *c) {
    const int64_t word = (int64_t)sizeof(int64_t), count = x->p->count;
    c->layout = WADI_LAYOUT_IRREGULAR;
    c->shapes = wadi_chunk_alloc(out, count * c->rank * word);
    c->offsets = wadi_chunk_alloc(out, (count + 1) * word);
    if (c->shapes == NULL || c->offsets == NULL) return false;
    for (int k = 0; k < x->p->n; k++) {
        const wadi_shard_item *is = &x->p->item[k];
        for (int64_t i = 0; i < is->n; i++) {
            const wadi_array a = wadi_chunk_array(x->of[k], x->i, i);
            const int64_t s = x->p->order[is->first + i];
            for (int d = 0; d < c->rank; d++) c->shapes[s * c->rank + d] = a.shape[d];
        }
    }
    c->offsets[0] = 0;
    for (int64_t s = 0; s < count; s++)
        c->offsets[s + 1] = c->offsets[s] + wadi_shape_values(c->rank, c->shapes + s * c->rank);
    c->values = c->offsets[count];
    return true;
}

static void join_irregular(const parts *x, int f, const wadi_chunk_component *c, char *to) {
    const int64_t size = wadi_type_size(c->type[f]);
    for (int k = 0; k < x->p->n; k++) {
        const wadi_shard_item *is = &x->p->item[k];
        for (int64_t i = 0; i < is->n; i++) {
            const wadi_array a = wadi_chunk_array(x->of[k], x->i, i);
            const int64_t s = x->p->order[is->first + i];
            const int64_t bytes = (c->offsets[s + 1] - c->offsets[s]) * size;
            if (bytes > 0) memcpy(to + c->offsets[s] * size, a.column[f], (size_t)bytes);
        }
    }
}

static wadi_status join_component(const parts *x, const wadi_chunk_component *first,
                                  wadi_chunk *out, wadi_error *err) {
    wadi_chunk_component *c = &out->component[x->i];
    const bool regular = all_are(x, WADI_LAYOUT_REGULAR);
    const bool irregular = !regular && all_are(x, WADI_LAYOUT_IRREGULAR);
    int64_t each = 0;
    *c = (wadi_chunk_component){
        .layout = first->layout, .rank = first->rank, .fields = first->fields};
    memcpy(c->type, first->type, sizeof c->type);
    if (regular ? !have_one_shape(x, first) : !irregular || c->rank == 0)
        return wadi_fail(err, WADI_IO, "item: results of several shapes");
    if (regular) {
        memcpy(c->shape, first->shape, sizeof c->shape);
        each = wadi_shape_values(c->rank, c->shape);
        c->values = x->p->count * each;
    } else if (!describe(x, out, c)) {
        return no_memory(err);
    }
    for (int f = 0; f < c->fields; f++) {
        char *to = wadi_chunk_alloc(out, c->values * wadi_type_size(c->type[f]));
        if (to == NULL) return no_memory(err);
        c->column[f] = to;
        if (regular)
            join_regular(x, f, each, to);
        else
            join_irregular(x, f, c, to);
    }
    return WADI_OK;
}

/* A chunk of an item with elements. */
static wadi_chunk *first_of(const wadi_shards *p, wadi_chunk *const *of) {
    for (int k = 0; k < p->n; k++)
        if (p->item[k].n > 0) return of[k];
    return NULL;
}

wadi_status wadi_shards_join(const wadi_shards *p, wadi_chunk *const *of, wadi_buffers *buffers,
                             wadi_chunk **out, wadi_error *err) {
    wadi_chunk *first = first_of(p, of), *c = NULL;
    wadi_status status = WADI_OK;
    WADI_TRY(wadi_chunk_create(buffers, first->components, &c, err));
    c->count = p->count;
    wadi_chunk_hold(c, first);
    for (int i = 0; i < c->components && status == WADI_OK; i++) {
        const parts x = {p, of, i};
        if (all_are(&x, WADI_LAYOUT_AVOID))
            c->component[i] = first->component[i];
        else
            status = join_component(&x, &first->component[i], c, err);
    }
    if (status == WADI_OK)
        *out = c;
    else
        wadi_chunk_release(c);
    return status;
}
