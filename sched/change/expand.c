/* EXPAND: every slice along the outermost dimension becomes an element.
 *
 * No value moves, because the columns already hold the slices in the right order; only their description changes. A regular
 * array [m, ..] gives count x m regular elements. The slices of irregular arrays are regular if all have one shape. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/words.h"
#include "sched/change/row.h"

static int64_t outermost(const wadi_chunk_component *c, int64_t s) {
    return c->layout == WADI_LAYOUT_IRREGULAR ? c->shapes[s * c->rank] : c->shape[0];
}

/* How many elements come before the first whose components differ in their outermost extent. *out_slices is the number of their slices. */
static int64_t agreeing(const wadi_chunk *chunk, int64_t *out_slices, int *out_component,
                        int64_t *out_x, int64_t *out_y) {
    *out_slices = 0;
    for (int64_t s = 0; s < chunk->count; s++) {
        const int64_t m = outermost(&chunk->component[0], s);
        for (int i = 1; i < chunk->components; i++) {
            *out_component = i;
            *out_x = outermost(&chunk->component[i], s);
            *out_y = m;
            if (*out_x != *out_y) return s;
        }
        *out_slices += m;
    }
    return chunk->count;
}

/* Whether all slices have one shape, which goes to *out_shape. */
static bool one_shape(const wadi_chunk_component *c, int64_t count, const int64_t **out_shape) {
    static const int64_t none[WADI_MAX_RANK] = {0};
    const size_t bytes = (size_t)(c->rank - 1) * sizeof *c->shapes;
    const int64_t *shape = NULL;
    for (int64_t s = 0; s < count; s++) {
        const int64_t *here = c->shapes + s * c->rank;
        if (here[0] == 0) continue;
        if (shape == NULL) shape = here + 1;
        if (bytes > 0 && memcmp(shape, here + 1, bytes) != 0) return false;
    }
    *out_shape = shape != NULL ? shape : none;
    return true;
}

static void describe_regular(wadi_chunk_component *to, int rank, const int64_t *shape,
                             int64_t slices) {
    int64_t own[WADI_MAX_RANK] = {0};
    for (int d = 0; d < rank; d++) own[d] = shape[d];
    to->layout = WADI_LAYOUT_REGULAR;
    to->rank = rank;
    memcpy(to->shape, own, sizeof own);
    to->shapes = to->offsets = NULL;
    to->stride = 0;
    to->values = slices * wadi_shape_values(rank, own);
}

static bool describe_irregular(wadi_chunk *out, wadi_chunk_component *to, int64_t count,
                               int64_t slices) {
    const wadi_chunk_component from = *to;
    const int rank = from.rank - 1;
    const int64_t word = (int64_t)sizeof(int64_t);
    int64_t *shapes = wadi_chunk_alloc(out, slices * rank * word);
    int64_t *offsets = wadi_chunk_alloc(out, (slices + 1) * word);
    if (shapes == NULL || offsets == NULL) return false;
    int64_t next = 0;
    offsets[0] = 0;
    for (int64_t s = 0; s < count; s++) {
        const int64_t *shape = from.shapes + s * from.rank;
        const int64_t each = wadi_shape_values(rank, shape + 1);
        for (int64_t k = 0; k < shape[0]; k++, next++) {
            for (int d = 0; d < rank; d++) shapes[next * rank + d] = shape[d + 1];
            offsets[next + 1] = offsets[next] + each;
        }
    }
    to->rank = rank;
    to->shapes = shapes;
    to->offsets = offsets;
    return true;
}

static bool expand_component(wadi_chunk *out, int i, int64_t count, int64_t slices) {
    wadi_chunk_component *to = &out->component[i];
    const int64_t *shape = NULL;
    if (to->layout == WADI_LAYOUT_REGULAR) {
        describe_regular(to, to->rank - 1, to->shape + 1, slices);
        return true;
    }
    if (!one_shape(to, count, &shape)) return describe_irregular(out, to, count, slices);
    describe_regular(to, to->rank - 1, shape, slices);
    return true;
}

/* Gives the slices of the first `count` elements; there are `slices` of them. */
static wadi_status expand(wadi_change *c, wadi_chunk *chunk, int64_t count, int64_t slices,
                          wadi_error *err) {
    wadi_chunk *out = NULL;
    bool done = true;
    if (slices == 0) return WADI_OK;
    WADI_TRY(wadi_change_view(chunk, chunk->components, count, &out, err));
    for (int i = 0; i < out->components && done; i++) {
        out->component[i] = chunk->component[i];
        done = wadi_chunk_spread(out, i, err) == WADI_OK && expand_component(out, i, count, slices);
    }
    if (!done) {
        wadi_chunk_release(out);
        return wadi_change_no_memory(c, err);
    }
    out->count = slices;
    return wadi_change_ready(c, out, err);
}

static wadi_status put(wadi_change *c, int input, wadi_chunk *chunk, wadi_error *err) {
    WADI_UNUSED(input);
    int64_t slices = 0, x = 0, y = 0;
    int component = 0;
    char what[64];
    const int64_t good = agreeing(chunk, &slices, &component, &x, &y);
    WADI_TRY(expand(c, chunk, good, slices, err));
    if (good == chunk->count) return WADI_OK;
    (void)snprintf(what, sizeof what, WADI_SAID_SLICES, component);
    return wadi_change_fault(c, chunk->first + good, what, x, y, err);
}

const wadi_change_row wadi_change_expand = {.facts = {.name = "expand", .each = true}, .put = put};
