/* What the changes share: queues of chunks that wait, chunks that become ready, faults. */
#include "base/error.h"
#include "sched/change/row.h"
#include "sched/fault.h"

/* ---- queues ---- */

wadi_status wadi_change_push(wadi_change_queue *q, wadi_chunk *owned_chunk, wadi_error *err) {
    if (q->head == q->chunks.n) {
        q->head = 0;
        wadi_vec_clear(&q->chunks);
    }
    if (!wadi_vec_push(&q->chunks, owned_chunk)) {
        wadi_chunk_release(owned_chunk);
        return wadi_fail(err, WADI_MEMORY, "a stream's elements that wait: out of memory");
    }
    q->elements += owned_chunk->count;
    q->bytes += wadi_chunk_bytes(owned_chunk);
    return WADI_OK;
}

static void pop_first(wadi_change_queue *q) {
    wadi_chunk *first = q->chunks.at[q->head++];
    q->bytes -= wadi_chunk_bytes(first);
    q->used = 0;
    wadi_chunk_release(first);
}

wadi_status wadi_change_pop(wadi_change_queue *q, int64_t most, wadi_chunk **out, wadi_error *err) {
    *out = NULL;
    if (q->head == q->chunks.n || most <= 0) return WADI_OK;
    wadi_chunk *first = q->chunks.at[q->head];
    const int64_t left = first->count - q->used;
    const int64_t n = left < most ? left : most;
    if (n == first->count)
        *out = wadi_chunk_retain(first);
    else
        WADI_TRY(wadi_chunk_slice(first, q->used, n, out, err));
    q->used += n;
    q->elements -= n;
    if (q->used == first->count) pop_first(q);
    return WADI_OK;
}

void wadi_change_clear(wadi_change_queue *q) {
    while (q->head < q->chunks.n) pop_first(q);
    wadi_vec_free(&q->chunks);
    *q = (wadi_change_queue){.ended = q->ended};
}

wadi_status wadi_change_ready(wadi_change *c, wadi_chunk *owned_chunk, wadi_error *err) {
    if (owned_chunk->count == 0) {
        wadi_chunk_release(owned_chunk);
        return WADI_OK;
    }
    const int64_t n = owned_chunk->count;
    owned_chunk->first = c->position;
    WADI_TRY(wadi_change_push(&c->ready, owned_chunk, err));
    c->position += n;
    return WADI_OK;
}

/* ---- tools of the changes ---- */

wadi_status wadi_change_view(wadi_chunk *chunk, int components, int64_t count, wadi_chunk **out,
                             wadi_error *err) {
    WADI_TRY(wadi_chunk_create(chunk->buffers, components, out, err));
    wadi_chunk_hold(*out, chunk);
    (*out)->count = count;
    return WADI_OK;
}

wadi_status wadi_change_fault(const wadi_change *c, int64_t element, const char *what, int64_t x,
                              int64_t y, wadi_error *err) {
    const wadi_fault fault = {.kind = WADI_FAULT_SHAPE, .linear = -1, .value = {x, y}};
    const bool known = c->o.place >= 0 && c->o.place < c->o.places;
    wadi_plan_place place = {"a stream", NULL, {NULL, 0}};
    if (known) place = c->o.table[c->o.place];
    place.what = what;
    return wadi_fault_error(1, &place, &fault, element, false, err);
}

wadi_status wadi_change_no_memory(const wadi_change *c, wadi_error *err) {
    const bool known = c->o.place >= 0 && c->o.place < c->o.places;
    return wadi_fail(err, WADI_MEMORY, "%s: out of memory",
                     known ? c->o.table[c->o.place].op : "a stream");
}

wadi_status wadi_change_ready_slice(wadi_change *c, wadi_chunk *chunk, int64_t begin, int64_t count,
                                    wadi_error *err) {
    wadi_chunk *part = NULL;
    if (count <= 0) return WADI_OK;
    WADI_TRY(wadi_chunk_slice(chunk, begin, count, &part, err));
    return wadi_change_ready(c, part, err);
}

wadi_status wadi_change_ready_all(wadi_change *c, int input, wadi_chunk *chunk, wadi_error *err) {
    WADI_UNUSED(input);
    return wadi_change_ready_slice(c, chunk, 0, chunk->count, err);
}
