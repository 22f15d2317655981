/* The consumers `elements` (all values of all elements as one vector) and `tabulate` (elements stacked along a new
 * outer dimension) as sinks: they append each chunk's columns to vectors that grow geometrically, in the sink's thread,
 * and hand the vectors over to the result's slots at the end. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "sched/run_internal.h"

typedef struct part {
    void *column[WADI_MAX_FIELDS];
    int64_t values;
    bool shaped; /* tabulate: the shape of an element is known */
    int64_t shape[WADI_MAX_RANK];
} part;

typedef struct collect {
    wadi_sink base;
    const wadi_plan *plan;
    const wadi_plan_stream *stream;
    wadi_buffers *buffers;
    int64_t elements;
    part parts[WADI_MAX_PARTS];
} collect;

static void destroy(wadi_sink *self) {
    collect *c = (collect *)self;
    for (int i = 0; i < c->stream->ninto; i++) {
        for (int f = 0; f < WADI_MAX_FIELDS; f++) wadi_buffers_put(c->parts[i].column[f]);
    }
    free(c);
}

static wadi_status append(collect *c, part *p, const wadi_chunk_component *from,
                          const void *const *column, int64_t values, wadi_error *err) {
    for (int f = 0; f < from->fields; f++) {
        const int64_t size = wadi_type_size(from->type[f]);
        const int64_t have = p->values * size, more = values * size;
        if (!wadi_buffers_grow(c->buffers, &p->column[f], have, have + more)) {
            return wadi_fail(err, WADI_MEMORY,
                             "collecting a stream: out of memory after %lld values",
                             (long long)p->values);
        }
        if (more > 0) memcpy((char *)p->column[f] + have, column[f], (size_t)more);
    }
    p->values += values;
    return WADI_OK;
}

/* All elements have the shape of the first. */
static wadi_status check_shapes(const collect *c, part *p, const wadi_chunk *chunk, int i,
                                wadi_error *err) {
    const wadi_chunk_component *from = &chunk->component[i];
    const bool irregular = from->layout == WADI_LAYOUT_IRREGULAR;
    for (int64_t s = 0; s < (irregular ? chunk->count : 1); s++) {
        const int64_t *shape = irregular ? from->shapes + s * from->rank : from->shape;
        for (int d = 0; d < from->rank; d++) {
            if (!p->shaped) p->shape[d] = shape[d];
            if (p->shape[d] == shape[d]) continue;
            const wadi_fault fault = {.kind = WADI_FAULT_SHAPE,
                                      .place = c->stream->place,
                                      .element = s,
                                      .linear = -1,
                                      .value = {p->shape[d], shape[d]}};
            return wadi_fault_error(c->plan->nplaces, c->plan->places, &fault, chunk->first, false,
                                    err);
        }
        p->shaped = true;
    }
    return WADI_OK;
}

static wadi_status put(wadi_sink *self, wadi_chunk *chunk, wadi_error *err) {
    collect *c = (collect *)self;
    for (int i = 0; i < c->stream->ninto; i++) {
        const wadi_chunk_component *from = &chunk->component[i];
        part *p = &c->parts[i];
        if (c->stream->end == WADI_END_TABULATE) WADI_TRY(check_shapes(c, p, chunk, i, err));
        const void *column[WADI_MAX_FIELDS];
        for (int f = 0; f < from->fields; f++) column[f] = from->column[f];
        const int64_t times = from->layout == WADI_LAYOUT_AVOID ? chunk->count : 1;
        for (int64_t k = 0; k < times; k++) {
            WADI_TRY(append(c, p, from, column, from->values, err));
        }
    }
    c->elements += chunk->count;
    return WADI_OK;
}

static const wadi_sink_ops ops = {destroy, put, NULL, NULL};

wadi_status wadi_collect_create(wadi_exec *x, const wadi_plan_stream *stream, wadi_sink **out,
                                wadi_error *err) {
    if (stream->ninto > WADI_MAX_PARTS) {
        return wadi_fail(err, WADI_UNSUPPORTED, "elements of %d arrays, at most %d", stream->ninto,
                         (int)WADI_MAX_PARTS);
    }
    collect *c = calloc(1, sizeof *c);
    if (c == NULL) return wadi_fail(err, WADI_MEMORY, "collecting a stream: out of memory");
    c->base.ops = &ops;
    c->base.kind = stream->end == WADI_END_TABULATE ? "tabulate" : "elements";
    c->base.wake_fd = -1;
    c->plan = x->plan;
    c->stream = stream;
    c->buffers = x->buffers;
    *out = &c->base;
    return WADI_OK;
}

wadi_status wadi_collect_store(wadi_sink *self, wadi_exec *x, wadi_error *err) {
    collect *c = (collect *)self;
    for (int i = 0; i < c->stream->ninto; i++) {
        const int slot = c->stream->into[i];
        const wadi_plan_slot *plan = &x->plan->slots[slot];
        part *p = &c->parts[i];
        wadi_slots_clear(&x->slots, slot);
        if (!wadi_slots_room_for_shapes(&x->slots, slot, 1)) {
            return wadi_fail(err, WADI_MEMORY, "collecting a stream: out of memory");
        }
        wadi_slot *to = &x->slots.slot[slot];
        const bool stacked = c->stream->end == WADI_END_TABULATE;
        to->shape[0] = stacked ? c->elements : p->values;
        for (int d = 1; d < plan->rank; d++) to->shape[d] = p->shape[d - 1];
        for (int f = 0; f < plan->fields; f++) {
            if (!wadi_buffers_grow(x->buffers, &p->column[f], 0, 0)) {
                return wadi_fail(err, WADI_MEMORY, "collecting a stream: out of memory");
            }
            x->slots.memory[slot].column[f] = p->column[f];
            to->col[f] = p->column[f];
            p->column[f] = NULL;
        }
    }
    return WADI_OK;
}
