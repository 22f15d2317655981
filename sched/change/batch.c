/* BATCH: stacks `size` consecutive elements of one shape into one element with one more dimension.
 *
 * Whole batches inside a chunk stay where they are and are only described differently. The rest of the chunk waits, as a view,
 * for the elements that complete it; these elements are then copied together. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/words.h"
#include "sched/change/row.h"

/* Shape of element s. */
static const int64_t *shape_of(const wadi_chunk_component *c, int64_t s) {
    return c->layout == WADI_LAYOUT_IRREGULAR ? c->shapes + s * c->rank : c->shape;
}

/* The present batch: it has the shape of element `at` of chunk `like`. */
typedef struct batch {
    const wadi_chunk *like;
    int64_t at;
} batch;

/* The extent of an element that does not fit its batch. */
typedef struct misfit {
    int component, dim;
    int64_t x, y; /* this extent, and that of the batch's first array */
} misfit;

/* Whether element s of the chunk differs from the batch's, and where. */
static bool differs(const batch *b, const wadi_chunk *chunk, int64_t s, misfit *out) {
    for (int i = 0; i < chunk->components; i++) {
        const int64_t *want = shape_of(&b->like->component[i], b->at);
        const int64_t *have = shape_of(&chunk->component[i], s);
        for (int d = 0; d < chunk->component[i].rank; d++) {
            *out = (misfit){i, d, have[d], want[d]};
            if (want[d] != have[d]) return true;
        }
    }
    return false;
}

static bool all_regular(const wadi_chunk *chunk) {
    for (int i = 0; i < chunk->components; i++)
        if (chunk->component[i].layout == WADI_LAYOUT_IRREGULAR && chunk->component[i].rank > 0)
            return false;
    return true;
}

/* How many elements come before the first that does not fit its batch. Batches begin where those that wait say. */
static int64_t fitting(const wadi_change *c, const wadi_chunk *chunk, misfit *out) {
    const wadi_change_queue *q = &c->in[0];
    const int64_t waits = q->elements;
    const bool regular = all_regular(chunk);
    batch b = {chunk, 0};
    if (waits > 0) b = (batch){q->chunks.at[q->head], q->used};
    for (int64_t s = 0; s < chunk->count; s++) {
        if ((waits + s) % c->o.size == 0) b = (batch){chunk, s};
        if (regular && b.like == chunk) return chunk->count; /* all that follow fit, too */
        if (differs(&b, chunk, s, out)) return s;
    }
    return chunk->count;
}

/* ---- batches inside of a chunk ---- */

static void deepen(int64_t *shape, int rank, const int64_t *from, int64_t n) {
    for (int d = rank; d > 0; d--) shape[d] = from[d - 1];
    shape[0] = n;
}

static bool describe_irregular(wadi_chunk *out, wadi_chunk_component *to, int64_t batches,
                               int64_t size) {
    const wadi_chunk_component from = *to;
    const int rank = from.rank + 1;
    const int64_t word = (int64_t)sizeof(int64_t);
    to->shapes = wadi_chunk_alloc(out, batches * rank * word);
    to->offsets = wadi_chunk_alloc(out, (batches + 1) * word);
    if (to->shapes == NULL || to->offsets == NULL) return false;
    for (int64_t k = 0; k < batches; k++) {
        deepen(to->shapes + k * rank, from.rank, shape_of(&from, k * size), size);
        to->offsets[k] = from.offsets[k * size];
    }
    to->offsets[batches] = from.offsets[batches * size];
    to->rank = rank;
    to->values = to->offsets[batches];
    return true;
}

/* Describes a component of `batches * size` elements as one of `batches` elements. */
static bool batch_component(wadi_chunk *out, wadi_chunk_component *to, int64_t batches,
                            int64_t size) {
    const int64_t *shape = NULL;
    if (!wadi_component_is_regular(to, batches * size, &shape))
        return describe_irregular(out, to, batches, size);
    int64_t deep[WADI_MAX_RANK + 1] = {0};
    deepen(deep, to->rank, shape, size);
    to->layout = WADI_LAYOUT_REGULAR;
    to->rank++;
    memcpy(to->shape, deep, sizeof to->shape);
    to->shapes = to->offsets = NULL;
    to->stride = 0;
    to->values = batches * wadi_shape_values(to->rank, to->shape);
    return true;
}

/* Gives all elements of `owned`, whose number is a multiple of `size`, as batches. */
static wadi_status ready_batches(wadi_change *c, wadi_chunk *owned, int64_t size, wadi_error *err) {
    const int64_t batches = owned->count / size;
    bool done = true;
    for (int i = 0; i < owned->components && done; i++)
        done = wadi_chunk_spread(owned, i, err) == WADI_OK;
    wadi_chunk *out = NULL;
    wadi_status status =
        done ? wadi_change_view(owned, owned->components, batches, &out, err) : WADI_MEMORY;
    wadi_chunk_release(owned); /* the view holds it */
    if (status != WADI_OK) return wadi_change_no_memory(c, err);
    for (int i = 0; i < out->components && done; i++) {
        out->component[i] = owned->component[i];
        done = batch_component(out, &out->component[i], batches, size);
    }
    if (done) return wadi_change_ready(c, out, err);
    wadi_chunk_release(out);
    return wadi_change_no_memory(c, err);
}

/* ---- a batch out of several chunks ---- */

/* Columns for `n` elements like those of `like`. */
static bool make_columns(wadi_chunk *out, const wadi_chunk *like, int64_t at, int64_t n) {
    for (int i = 0; i < out->components; i++) {
        const wadi_chunk_component *from = &like->component[i];
        wadi_chunk_component *to = &out->component[i];
        *to = (wadi_chunk_component){
            .layout = WADI_LAYOUT_REGULAR, .rank = from->rank, .fields = from->fields};
        memcpy(to->type, from->type, sizeof to->type);
        if (from->rank > 0)
            memcpy(to->shape, shape_of(from, at), (size_t)from->rank * sizeof *to->shape);
        to->values = n * wadi_shape_values(to->rank, to->shape);
        for (int f = 0; f < to->fields; f++) {
            to->column[f] = wadi_chunk_alloc(out, to->values * wadi_type_size(to->type[f]));
            if (to->column[f] == NULL) return false;
        }
    }
    return true;
}

/* Copies the values of all elements of `part` to `out`, from element `at` on. */
static void copy_elements(wadi_chunk *out, int64_t at, const wadi_chunk *part) {
    for (int i = 0; i < out->components; i++) {
        const wadi_chunk_component *to = &out->component[i];
        const int64_t each = wadi_shape_values(to->rank, to->shape);
        for (int64_t s = 0; s < part->count && each > 0; s++) {
            const wadi_array a = wadi_chunk_array(part, i, s);
            const bool whole =
                part->component[i].layout != WADI_LAYOUT_AVOID && part->component[i].stride == 0;
            const int64_t n = whole ? part->count : 1; /* they stand one behind the other */
            for (int f = 0; f < to->fields; f++) {
                const int64_t bytes = each * wadi_type_size(to->type[f]);
                memcpy((char *)to->column[f] + (at + s) * bytes, a.column[f], (size_t)(n * bytes));
            }
            if (whole) break;
        }
    }
}

/* Everything that waits becomes one batch. */
static wadi_status ready_waiting(wadi_change *c, wadi_error *err) {
    wadi_change_queue *q = &c->in[0];
    const int64_t n = q->elements;
    wadi_chunk *out = NULL, *part = NULL;
    if (n == 0) return WADI_OK;
    const wadi_chunk *first = q->chunks.at[q->head];
    WADI_TRY(wadi_chunk_create(c->o.buffers, first->components, &out, err));
    out->count = n;
    wadi_status status = WADI_OK;
    if (!make_columns(out, first, q->used, n)) status = wadi_change_no_memory(c, err);
    for (int64_t at = 0; at < n && status == WADI_OK;) {
        status = wadi_change_pop(q, n, &part, err);
        if (status != WADI_OK) break;
        copy_elements(out, at, part);
        at += part->count;
        wadi_chunk_release(part);
    }
    if (status == WADI_OK) return ready_batches(c, out, n, err);
    wadi_chunk_release(out);
    return status;
}

/* ---- the change ---- */

static wadi_status wait(wadi_change *c, wadi_chunk *chunk, int64_t begin, int64_t count,
                        wadi_error *err) {
    wadi_chunk *part = NULL;
    if (count == 0) return WADI_OK;
    WADI_TRY(wadi_chunk_slice(chunk, begin, count, &part, err));
    return wadi_change_push(&c->in[0], part, err);
}

static wadi_status batch_elements(wadi_change *c, wadi_chunk *chunk, int64_t count,
                                  wadi_error *err) {
    const int64_t size = c->o.size, waits = c->in[0].elements;
    int64_t begin = 0;
    if (waits > 0) {
        begin = size - waits < count ? size - waits : count;
        WADI_TRY(wait(c, chunk, 0, begin, err));
        if (c->in[0].elements == size) WADI_TRY(ready_waiting(c, err));
    }
    const int64_t whole = (count - begin) / size * size;
    if (whole > 0) {
        wadi_chunk *part = NULL;
        WADI_TRY(wadi_chunk_slice(chunk, begin, whole, &part, err));
        WADI_TRY(ready_batches(c, part, size, err));
    }
    return wait(c, chunk, begin + whole, count - begin - whole, err);
}

static wadi_status put(wadi_change *c, int input, wadi_chunk *chunk, wadi_error *err) {
    WADI_UNUSED(input);
    misfit m = {0};
    const int64_t good = fitting(c, chunk, &m);
    WADI_TRY(batch_elements(c, chunk, good, err));
    if (good == chunk->count) return WADI_OK;
    char what[96];
    (void)snprintf(what, sizeof what, WADI_SAID_FIRST, m.dim, m.component);
    return wadi_change_fault(c, chunk->first + good, what, m.x, m.y, err);
}

/* Whether what waits is of one type and one shape. */
static bool waiting_fits(const wadi_change_queue *q) {
    misfit m;
    for (size_t k = q->head; k < q->chunks.n; k++) {
        const wadi_chunk *first = q->chunks.at[q->head], *chunk = q->chunks.at[k];
        const batch b = {first, q->used};
        if (chunk->components != first->components) return false;
        for (int i = 0; i < chunk->components; i++) {
            const wadi_chunk_component *x = &first->component[i], *y = &chunk->component[i];
            if (x->rank != y->rank || x->fields != y->fields) return false;
            if (memcmp(x->type, y->type, (size_t)x->fields * sizeof *x->type) != 0) return false;
        }
        for (int64_t s = 0; s < chunk->count; s++)
            if (differs(&b, chunk, s, &m)) return false;
    }
    return true;
}

/* Elements of full batches do not wait. */
static wadi_status load(wadi_change *c, wadi_state_reader *from, wadi_error *err) {
    const wadi_change_queue *q = &c->in[0];
    WADI_UNUSED(from);
    if (q->elements >= c->o.size)
        return wadi_fail(err, WADI_INVALID, "saved state: %lld elements wait for a batch of %lld",
                         (long long)q->elements, (long long)c->o.size);
    if (waiting_fits(q)) return WADI_OK;
    return wadi_fail(err, WADI_INVALID, "saved state: elements of several shapes wait for a batch");
}

const wadi_change_row wadi_change_batch = {
    .facts = {.name = "batch", .size = "the number of arrays"},
    .put = put,
    .end = ready_waiting,
    .load = load};
