/* Life of chunks, views, and reading single elements. */
#include "sched/chunk.h"

#include <string.h>

#include "base/error.h"

enum { BLOCKS_PER_COMPONENT = WADI_MAX_FIELDS + 2 };

wadi_status wadi_chunk_create(wadi_buffers *buffers, int components, wadi_chunk **out,
                              wadi_error *err) {
    const size_t n = (size_t)components;
    const size_t most_blocks = n * BLOCKS_PER_COMPONENT + 1;
    const size_t bytes =
        sizeof(wadi_chunk) + n * sizeof(wadi_chunk_component) + most_blocks * sizeof(void *);
    wadi_chunk *c = wadi_buffers_get(buffers, (int64_t)bytes);
    if (c == NULL) return wadi_fail(err, WADI_MEMORY, "chunk: out of memory");
    memset(c, 0, bytes);
    atomic_init(&c->refs, 1);
    c->buffers = wadi_buffers_retain(buffers);
    c->components = components;
    c->component = (wadi_chunk_component *)(c + 1);
    c->block = (void **)(c->component + n);
    c->most_blocks = (int)most_blocks;
    *out = c;
    return WADI_OK;
}

/* Acquire and release on every change of the count: who releases the last reference sees what the others wrote. */
wadi_chunk *wadi_chunk_retain(wadi_chunk *c) {
    atomic_fetch_add_explicit(&c->refs, 1, memory_order_acq_rel);
    return c;
}

void wadi_chunk_release(wadi_chunk *c) {
    if (c == NULL || atomic_fetch_sub_explicit(&c->refs, 1, memory_order_acq_rel) != 1) return;
    wadi_buffers *buffers = c->buffers;
    for (int i = 0; i < c->blocks; i++) wadi_buffers_put(c->block[i]);
    wadi_chunk_release(c->parent);
    wadi_buffers_put(c);
    wadi_buffers_release(buffers);
}

void wadi_chunk_own(wadi_chunk *c, void *owned_block) {
    WADI_ASSERT(c->blocks < c->most_blocks);
    c->block[c->blocks++] = owned_block;
}

void *wadi_chunk_alloc(wadi_chunk *c, int64_t bytes) {
    void *memory = wadi_buffers_get(c->buffers, bytes);
    if (memory != NULL) wadi_chunk_own(c, memory);
    return memory;
}

void wadi_chunk_hold(wadi_chunk *c, wadi_chunk *parent) {
    WADI_ASSERT(c->parent == NULL);
    c->parent = wadi_chunk_retain(parent);
}

int64_t wadi_shape_values(int rank, const int64_t *shape) {
    int64_t n = 1;
    for (int d = 0; d < rank; d++) {
        if (shape[d] < 0) return -1;
        if (shape[d] != 0 && n > INT64_MAX / 64 / shape[d]) return -1;
        n *= shape[d];
    }
    return n;
}

static void move_columns(wadi_chunk_component *c, int64_t values) {
    for (int f = 0; f < c->fields; f++) {
        c->column[f] = (char *)c->column[f] + values * wadi_type_size(c->type[f]);
    }
}

static wadi_status slice_irregular(wadi_chunk *view, wadi_chunk_component *c, int64_t begin,
                                   wadi_error *err) {
    const int64_t base = c->offsets[begin];
    int64_t *offsets = wadi_chunk_alloc(view, (view->count + 1) * (int64_t)sizeof *offsets);
    if (offsets == NULL) return wadi_fail(err, WADI_MEMORY, "view of a chunk: out of memory");
    for (int64_t s = 0; s <= view->count; s++) offsets[s] = c->offsets[begin + s] - base;
    c->offsets = offsets;
    c->shapes += begin * c->rank;
    c->values = offsets[view->count];
    move_columns(c, base);
    return WADI_OK;
}

wadi_status wadi_chunk_slice(wadi_chunk *parent, int64_t begin, int64_t count, wadi_chunk **out,
                             wadi_error *err) {
    WADI_ASSERT(begin >= 0 && count >= 0 && begin + count <= parent->count);
    wadi_chunk *view = NULL;
    WADI_TRY(wadi_chunk_create(parent->buffers, parent->components, &view, err));
    wadi_chunk_hold(view, parent);
    view->number = parent->number;
    view->first = parent->first + begin;
    view->count = count;
    for (int i = 0; i < parent->components; i++) {
        wadi_chunk_component *c = &view->component[i];
        *c = parent->component[i];
        if (c->layout == WADI_LAYOUT_IRREGULAR) {
            const wadi_status status = slice_irregular(view, c, begin, err);
            if (status != WADI_OK) {
                wadi_chunk_release(view);
                return status;
            }
        } else if (c->layout == WADI_LAYOUT_REGULAR) {
            const int64_t each = wadi_shape_values(c->rank, c->shape);
            c->values = count * each;
            move_columns(c, begin * each);
        }
    }
    *out = view;
    return WADI_OK;
}

wadi_array wadi_chunk_array(const wadi_chunk *chunk, int i, int64_t s) {
    const wadi_chunk_component *c = &chunk->component[i];
    wadi_array a = {.rank = c->rank, .fields = c->fields};
    const bool irregular = c->layout == WADI_LAYOUT_IRREGULAR;
    const int64_t *shape = irregular ? c->shapes + s * c->rank : c->shape;
    for (int d = 0; d < c->rank; d++) a.shape[d] = shape[d];
    int64_t start = 0;
    if (irregular) {
        start = c->offsets[s];
    } else if (c->layout == WADI_LAYOUT_REGULAR) {
        start = s * wadi_shape_values(c->rank, c->shape);
    }
    for (int f = 0; f < c->fields; f++) {
        a.type[f] = c->type[f];
        a.column[f] = (char *)c->column[f] + start * wadi_type_size(c->type[f]);
    }
    return a;
}

int64_t wadi_component_value_bytes(const wadi_chunk_component *c) {
    int64_t bytes = 0;
    for (int f = 0; f < c->fields; f++) bytes += wadi_type_size(c->type[f]);
    return bytes;
}

int64_t wadi_chunk_bytes(const wadi_chunk *chunk) {
    int64_t bytes = 0;
    for (int i = 0; i < chunk->components; i++) {
        const wadi_chunk_component *c = &chunk->component[i];
        bytes += c->values * wadi_component_value_bytes(c);
        if (c->layout == WADI_LAYOUT_IRREGULAR) {
            bytes += (chunk->count * (c->rank + 1) + 1) * (int64_t)sizeof(int64_t);
        }
    }
    return bytes;
}
