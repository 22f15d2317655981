/* FILTER: keeps the elements whose test is true.
 *
 * The test is the last component. Where all elements of a chunk agree nothing is copied. Else the columns of the kept
 * elements are brought together: single values by their positions, arrays in runs of neighbours. */
#include <string.h>

#include "base/error.h"
#include "sched/change_internal.h"

/* Positions of the kept elements. */
typedef struct kept {
    const int64_t *at;
    int64_t n;
} kept;

static int64_t count_true(const uint8_t *test, int64_t count) {
    int64_t n = 0;
    for (int64_t s = 0; s < count; s++) n += test[s] != 0;
    return n;
}

static void positions(const uint8_t *test, int64_t count, int64_t *at) {
    int64_t n = 0;
    for (int64_t s = 0; s < count; s++) {
        at[n] = s; /* overwritten unless kept; `at` has room for one more */
        n += test[s] != 0;
    }
}

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

/* Kept elements from number `i` on that stand one behind the other. */
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

/* Shapes and offsets of the kept elements. */
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

/* Component `to` of `out` is that of the input and becomes that of the kept elements. */
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

/* ---- the change ---- */

/* The chunk without its test, all elements. */
static wadi_status without_test(wadi_chunk *chunk, wadi_chunk **out, wadi_error *err) {
    WADI_TRY(wadi_change_view(chunk, chunk->components - 1, chunk->count, out, err));
    for (int i = 0; i < (*out)->components; i++) (*out)->component[i] = chunk->component[i];
    return WADI_OK;
}

static wadi_status pick(wadi_change *c, wadi_chunk *out, const kept *k, wadi_error *err) {
    bool done = true;
    for (int i = 0; i < out->components && done; i++) {
        const bool may_overlap = out->component[i].layout == WADI_LAYOUT_REGULAR;
        if (may_overlap && wadi_chunk_spread(out, i, err) != WADI_OK)
            done = false;
        else
            done = pick_component(out, &out->component[i], k);
    }
    if (!done) {
        wadi_chunk_release(out);
        return wadi_change_no_memory(c, err);
    }
    out->count = k->n;
    return wadi_change_ready(c, out, err);
}

wadi_status wadi_change_filter(wadi_change *c, wadi_chunk *chunk, wadi_error *err) {
    const wadi_chunk_component *test = &chunk->component[chunk->components - 1];
    const uint8_t *truth = test->column[0];
    const int64_t count = chunk->count;
    const bool shared = test->layout == WADI_LAYOUT_AVOID;
    const int64_t n = shared ? (truth[0] != 0 ? count : 0) : count_true(truth, count);
    wadi_chunk *out = NULL;
    if (n == 0) return WADI_OK;
    WADI_TRY(without_test(chunk, &out, err));
    if (n == count) return wadi_change_ready(c, out, err);
    int64_t *at = wadi_buffers_get(c->o.buffers, (count + 1) * (int64_t)sizeof *at);
    if (at == NULL) {
        wadi_chunk_release(out);
        return wadi_change_no_memory(c, err);
    }
    positions(truth, count, at);
    const wadi_status status = pick(c, out, &(kept){at, n}, err);
    wadi_buffers_put(at);
    return status;
}
