/* The life of a change, the queues it keeps, and the changes that only count: zip, take and drop. */
#include "sched/change.h"

#include <stdlib.h>

#include "base/error.h"
#include "sched/change_internal.h"
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

/* ---- zip, take, drop ---- */

static wadi_status ready_slice(wadi_change *c, wadi_chunk *chunk, int64_t begin, int64_t count,
                               wadi_error *err) {
    wadi_chunk *part = NULL;
    if (count <= 0) return WADI_OK;
    WADI_TRY(wadi_chunk_slice(chunk, begin, count, &part, err));
    return wadi_change_ready(c, part, err);
}

static int64_t not_negative(int64_t n) {
    return n < 0 ? 0 : n;
}

static int64_t at_most(int64_t n, int64_t most) {
    return n < most ? n : most;
}

static wadi_status take(wadi_change *c, wadi_chunk *chunk, wadi_error *err) {
    const int64_t left = not_negative(c->o.size) - c->seen;
    const int64_t n = at_most(chunk->count, left);
    c->seen += n;
    return ready_slice(c, chunk, 0, n, err);
}

static wadi_status drop(wadi_change *c, wadi_chunk *chunk, wadi_error *err) {
    const int64_t n = at_most(chunk->count, not_negative(c->o.size) - c->seen);
    c->seen += n;
    return ready_slice(c, chunk, n, chunk->count - n, err);
}

static wadi_status same(wadi_change *c, wadi_chunk *chunk, wadi_error *err) {
    return ready_slice(c, chunk, 0, chunk->count, err);
}

/* Elements that all inputs have in one piece. */
static int64_t in_one_piece(const wadi_change *c) {
    int64_t n = INT64_MAX;
    for (int i = 0; i < c->o.inputs; i++) {
        const wadi_change_queue *q = &c->in[i];
        if (q->elements == 0) return 0;
        n = at_most(n, q->chunks.at[q->head]->count - q->used);
    }
    return n;
}

static wadi_status zip_piece(wadi_change *c, int64_t n, wadi_error *err) {
    wadi_chunk *part[WADI_MAX_PARTS] = {NULL}, *all = NULL;
    wadi_status status = WADI_OK;
    int components = 0, next = 0;
    for (int i = 0; i < c->o.inputs && status == WADI_OK; i++) {
        status = wadi_change_pop(&c->in[i], n, &part[i], err);
        if (status == WADI_OK) components += part[i]->components;
    }
    if (status == WADI_OK) status = wadi_chunk_create(c->o.buffers, components, &all, err);
    for (int i = 0; i < c->o.inputs; i++) {
        for (int k = 0; all != NULL && k < part[i]->components; k++)
            all->component[next++] = part[i]->component[k];
        if (all != NULL && part[i]->components > 0) wadi_chunk_hold(all, part[i]);
        wadi_chunk_release(part[i]);
    }
    if (status != WADI_OK) return status;
    all->count = n;
    return wadi_change_ready(c, all, err);
}

static wadi_status zip(wadi_change *c, int input, wadi_chunk *chunk, wadi_error *err) {
    WADI_TRY(wadi_change_push(&c->in[input], wadi_chunk_retain(chunk), err));
    for (int64_t n = in_one_piece(c); n > 0; n = in_one_piece(c)) WADI_TRY(zip_piece(c, n, err));
    return WADI_OK;
}

/* ---- what every change does ---- */

wadi_status wadi_change_put(wadi_change *c, int input, wadi_chunk *chunk, wadi_error *err) {
    if (chunk->count == 0 || !wadi_change_wants(c)) return WADI_OK;
    switch (c->o.kind) {
    case WADI_CHANGE_ZIP:
        return c->o.inputs == 1 ? same(c, chunk, err) : zip(c, input, chunk, err);
    case WADI_CHANGE_TAKE:
        return take(c, chunk, err);
    case WADI_CHANGE_DROP:
        return drop(c, chunk, err);
    case WADI_CHANGE_FILTER:
        return wadi_change_filter(c, chunk, err);
    case WADI_CHANGE_EXPAND:
        return wadi_change_expand(c, chunk, err);
    case WADI_CHANGE_BATCH:
        return wadi_change_batch(c, chunk, err);
    case WADI_CHANGE_WINDOWS:
        return wadi_change_windows(c, chunk, err);
    case WADI_CHANGE_READ:
    case WADI_CHANGE_SCAN:
        break;
    }
    return same(c, chunk, err);
}

wadi_status wadi_change_end(wadi_change *c, int input, wadi_error *err) {
    c->in[input].ended = true;
    if (c->o.kind == WADI_CHANGE_BATCH) return wadi_change_batch_end(c, err);
    if (c->o.kind == WADI_CHANGE_WINDOWS) return wadi_change_windows_end(c, err);
    return WADI_OK;
}

wadi_status wadi_change_next(wadi_change *c, int64_t most, wadi_chunk **out, wadi_error *err) {
    return wadi_change_pop(&c->ready, most, out, err);
}

bool wadi_change_wants(const wadi_change *c) {
    if (c->o.kind == WADI_CHANGE_TAKE && c->seen >= not_negative(c->o.size)) return false;
    for (int i = 0; i < c->o.inputs; i++)
        if (c->in[i].ended && c->in[i].elements == 0) return false;
    return true;
}

int64_t wadi_change_waiting(const wadi_change *c, int input) {
    return c->o.kind == WADI_CHANGE_ZIP ? c->in[input].elements : 0;
}

int64_t wadi_change_needs(const wadi_change *c, int64_t need) {
    const int64_t n = not_negative(c->o.size);
    switch (c->o.kind) {
    case WADI_CHANGE_TAKE:
        return at_most(need, n);
    case WADI_CHANGE_DROP:
        return need > INT64_MAX - n ? INT64_MAX : need + n;
    case WADI_CHANGE_ZIP:
    case WADI_CHANGE_SCAN:
        return need;
    case WADI_CHANGE_READ:
    case WADI_CHANGE_FILTER:
    case WADI_CHANGE_EXPAND:
    case WADI_CHANGE_BATCH:
    case WADI_CHANGE_WINDOWS:
        break;
    }
    return need == 0 ? 0 : INT64_MAX;
}

int64_t wadi_change_bytes(const wadi_change *c) {
    int64_t bytes = c->ready.bytes;
    for (int i = 0; i < c->o.inputs; i++) bytes += c->in[i].bytes;
    if (c->tail.like == NULL) return bytes;
    for (int i = 0; i < c->tail.like->components; i++)
        bytes += c->tail.samples * wadi_component_value_bytes(&c->tail.like->component[i]);
    return bytes;
}

/* ---- life ---- */

wadi_status wadi_change_create(const wadi_change_options *options, wadi_change **out,
                               wadi_error *err) {
    wadi_change *c = calloc(1, sizeof *c);
    wadi_change_queue *in = calloc((size_t)options->inputs, sizeof *in);
    if (c == NULL || in == NULL) {
        free(c);
        free(in);
        return wadi_fail(err, WADI_MEMORY, "stream: out of memory");
    }
    c->o = *options;
    c->in = in;
    *out = c;
    return WADI_OK;
}

void wadi_change_destroy(wadi_change *c) {
    if (c == NULL) return;
    wadi_change_clear(&c->ready);
    for (int i = 0; i < c->o.inputs; i++) wadi_change_clear(&c->in[i]);
    wadi_change_windows_fini(c);
    free(c->in);
    free(c);
}
