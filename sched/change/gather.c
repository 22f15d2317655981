/* Copying some elements of a chunk together: single values by their positions, arrays in runs of neighbours. */
#include <string.h>

#include "base/error.h"
#include "sched/change/row.h"

/* Positions of the kept elements. */
typedef struct kept {
    const int64_t *at;
    int64_t n;
} kept;

/* ---- single values ---- */

#define PICK(name, type)                                          \
    static void name(const void *from, const kept *k, void *to) { \
        const type *x = from;                                     \
        type *y = to;                                             \
        for (int64_t i = 0; i < k->n; i++) y[i] = x[k->at[i]];    \
    }

typedef struct pair {
    uint64_t half[2];
} pair;

PICK(pick_1, uint8_t)
PICK(pick_2, uint16_t)
PICK(pick_4, uint32_t)
PICK(pick_8, uint64_t)
PICK(pick_16, pair)

static void pick_values(const void *from, const kept *k, int64_t size, void *to) {
    switch (size) {
    case 1:
        pick_1(from, k, to);
        break;
    case 2:
        pick_2(from, k, to);
        break;
    case 4:
        pick_4(from, k, to);
        break;
    case 8:
        pick_8(from, k, to);
        break;
    default:
        WADI_ASSERT(size == 16);
        pick_16(from, k, to);
    }
}

/* ---- arrays ---- */

/* Where element s begins, in values; one past the last element is allowed. */
static int64_t start_of(const wadi_chunk_component *c, int64_t s) {
    return c->layout == WADI_LAYOUT_IRREGULAR ? c->offsets[s] : s * wadi_component_stride(c);
}

/* How many kept elements from number `i` on stand one behind the other. */
static int64_t run_of(const kept *k, int64_t i) {
    int64_t n = 1;
    while (i + n < k->n && k->at[i + n] == k->at[i] + n) n++;
    return n;
}

static void pick_arrays(const wadi_chunk_component *c, int f, const kept *k, char *to) {
    const int64_t size = wadi_type_size(c->type[f]);
    for (int64_t i = 0; i < k->n;) {
        const int64_t n = run_of(k, i);
        const int64_t begin = start_of(c, k->at[i]);
        const int64_t bytes = (start_of(c, k->at[i] + n) - begin) * size;
        if (bytes > 0) memcpy(to, (const char *)c->column[f] + begin * size, (size_t)bytes);
        to += bytes;
        i += n;
    }
}

/* Writes the shapes and offsets of the kept elements. */
static bool pick_descriptor(wadi_chunk *out, wadi_chunk_component *to, const kept *k) {
    const wadi_chunk_component from = *to;
    const int64_t word = (int64_t)sizeof(int64_t);
    to->shapes = wadi_chunk_alloc(out, k->n * from.rank * word);
    to->offsets = wadi_chunk_alloc(out, (k->n + 1) * word);
    if (to->shapes == NULL || to->offsets == NULL) return false;
    to->offsets[0] = 0;
    for (int64_t i = 0; i < k->n; i++) {
        const int64_t s = k->at[i];
        for (int d = 0; d < from.rank; d++)
            to->shapes[i * from.rank + d] = from.shapes[s * from.rank + d];
        to->offsets[i + 1] = to->offsets[i] + from.offsets[s + 1] - from.offsets[s];
    }
    to->values = to->offsets[k->n];
    return true;
}

/* Component `to` of `out` describes all elements of the input. Makes it describe the kept elements. */
static bool pick_component(wadi_chunk *out, wadi_chunk_component *to, const kept *k) {
    const wadi_chunk_component from = *to;
    if (from.layout == WADI_LAYOUT_AVOID) return true;
    if (from.layout == WADI_LAYOUT_IRREGULAR) {
        if (!pick_descriptor(out, to, k)) return false;
    } else {
        to->values = k->n * wadi_shape_values(from.rank, from.shape);
    }
    for (int f = 0; f < from.fields; f++) {
        const int64_t size = wadi_type_size(from.type[f]);
        to->column[f] = wadi_chunk_alloc(out, to->values * size);
        if (to->column[f] == NULL) return false;
        if (from.rank == 0)
            pick_values(from.column[f], k, size, to->column[f]);
        else
            pick_arrays(&from, f, k, to->column[f]);
    }
    return true;
}

/* False: out of memory. */
static bool pick_all(wadi_chunk *out, const kept *k) {
    for (int i = 0; i < out->components; i++) {
        const bool may_overlap = out->component[i].layout == WADI_LAYOUT_REGULAR;
        if (may_overlap && wadi_chunk_spread(out, i, NULL) != WADI_OK) return false;
        if (!pick_component(out, &out->component[i], k)) return false;
    }
    out->count = k->n;
    return true;
}

wadi_status wadi_change_ready_gathered(wadi_change *c, wadi_chunk *owned_out, const int64_t *at,
                                       int64_t n, wadi_error *err) {
    const kept k = {at, n};
    if (pick_all(owned_out, &k)) return wadi_change_ready(c, owned_out, err);
    wadi_chunk_release(owned_out);
    return wadi_change_no_memory(c, err);
}

wadi_status wadi_change_gather(wadi_chunk *chunk, const int64_t *at, int64_t n, wadi_chunk **out,
                               wadi_error *err) {
    const kept k = {at, n};
    WADI_TRY(wadi_change_view(chunk, chunk->components, chunk->count, out, err));
    for (int i = 0; i < chunk->components; i++) {
        wadi_chunk_component *to = &(*out)->component[i];
        *to = chunk->component[i];
        to->whole = NULL;
        to->home = NULL;
        to->ahead = NULL;
    }
    if (pick_all(*out, &k)) return WADI_OK;
    wadi_chunk_release(*out);
    *out = NULL;
    return wadi_fail(err, WADI_MEMORY, "elements: out of memory");
}
