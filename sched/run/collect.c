/* Consumers that keep what they get, as sinks: `elements` (all values as one vector), `tabulate` (elements stacked along a new
 * outer dimension), `tabulate_min` (the same, cut to the least extents), `from_seq` (shapes and values).
 *
 * They append each chunk's columns to vectors that grow geometrically, and at the end give the vectors to the slots of the
 * result. If the number of elements is known and their shape turns out to be regular, the vector is made once and the bodies
 * write into it; then nothing is copied. */
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/words.h"
#include "sched/run/state.h"

static const int64_t word = (int64_t)sizeof(int64_t);

/* One component. */
typedef struct part {
    struct collect *of;
    wadi_type type[WADI_MAX_FIELDS];
    int fields, rank;
    void *column[WADI_MAX_FIELDS];
    int64_t values;
    bool
        shaped; /* the shape of an element is known: TABULATE all have it, TABULATE_MIN have it at least */
    int64_t shape[WADI_MAX_RANK];
    void *shapes;  /* FROM_SEQ, TABULATE_MIN: int64_t[elements][rank] */
    int64_t total; /* in place: values in the end, 0 when not known yet; -1: not in place */
} part;

typedef struct collect {
    wadi_sink base;
    const wadi_plan *plan;
    const wadi_plan_end *end;
    wadi_buffers *buffers;
    int64_t elements;
    int64_t expected; /* elements of the next chunk, in place */
    int64_t in_all;   /* elements of the stream, in place */
    part parts[WADI_MAX_PARTS];
} collect;

static void destroy(wadi_sink *self) {
    collect *c = (collect *)self;
    for (int i = 0; i < c->end->nfrom; i++) {
        for (int f = 0; f < WADI_MAX_FIELDS; f++) wadi_buffers_put(c->parts[i].column[f]);
        wadi_buffers_put(c->parts[i].shapes);
    }
    free(c);
}

static wadi_status no_memory(const part *p, wadi_error *err) {
    return wadi_fail(err, WADI_MEMORY, "collecting a stream: out of memory after %lld values",
                     (long long)p->values);
}

/* ---- shapes ---- */

static const int64_t *shape_of(const wadi_chunk_component *c, int64_t s) {
    return c->layout == WADI_LAYOUT_IRREGULAR ? c->shapes + s * c->rank : c->shape;
}

static wadi_status unlike(const collect *c, int64_t element, int component, int dim, int64_t x,
                          int64_t first, wadi_error *err) {
    const wadi_fault fault = {.kind = WADI_FAULT_SHAPE, .linear = -1, .value = {x, first}};
    wadi_plan_place place = c->plan->places[c->end->place];
    char what[96];
    (void)snprintf(what, sizeof what, WADI_SAID_FIRST, dim, component);
    place.what = what;
    return wadi_fault_error(1, &place, &fault, element, false, err);
}

/* All elements have the shape of the first. */
static wadi_status check_shapes(const collect *c, part *p, const wadi_chunk *chunk, int i,
                                wadi_error *err) {
    const wadi_chunk_component *from = &chunk->component[i];
    const bool irregular = from->layout == WADI_LAYOUT_IRREGULAR;
    for (int64_t s = 0; s < (irregular ? chunk->count : 1); s++) {
        const int64_t *shape = shape_of(from, s);
        for (int d = 0; d < from->rank; d++) {
            if (!p->shaped) p->shape[d] = shape[d];
            if (p->shape[d] == shape[d]) continue;
            return unlike(c, chunk->first + s, i, d, shape[d], p->shape[d], err);
        }
        p->shaped = true;
    }
    return WADI_OK;
}

static wadi_status append_shapes(collect *c, part *p, const wadi_chunk *chunk, int i,
                                 wadi_error *err) {
    const wadi_chunk_component *from = &chunk->component[i];
    const int64_t have = c->elements * p->rank, more = chunk->count * p->rank;
    if (!wadi_buffers_grow(c->buffers, &p->shapes, have * word, (have + more) * word)) {
        return no_memory(p, err);
    }
    int64_t *to = (int64_t *)p->shapes + have;
    for (int64_t s = 0; s < chunk->count; s++) {
        const int64_t *shape = shape_of(from, s);
        for (int d = 0; d < p->rank; d++) {
            *to++ = shape[d];
            if (!p->shaped || shape[d] < p->shape[d]) p->shape[d] = shape[d];
        }
        p->shaped = true;
    }
    return WADI_OK;
}

/* ---- values ---- */

/* Whether the values stand already where they would be appended. */
static bool in_place(const part *p, const wadi_chunk_component *from) {
    if (p->total <= 0) return false;
    for (int f = 0; f < p->fields; f++) {
        const char *end = (char *)p->column[f] + p->values * wadi_type_size(p->type[f]);
        if ((const char *)from->column[f] != end) return false;
    }
    return true;
}

static wadi_status append(collect *c, part *p, const wadi_chunk_component *from, wadi_error *err) {
    for (int f = 0; f < from->fields && !in_place(p, from); f++) {
        const int64_t size = wadi_type_size(from->type[f]);
        const int64_t have = p->values * size, more = from->values * size;
        if (!wadi_buffers_grow(c->buffers, &p->column[f], have, have + more)) {
            return no_memory(p, err);
        }
        if (more > 0) memcpy((char *)p->column[f] + have, from->column[f], (size_t)more);
    }
    p->values += from->values;
    return WADI_OK;
}

static wadi_status put_component(collect *c, const wadi_chunk *chunk, int i, wadi_error *err) {
    part *p = &c->parts[i];
    const wadi_chunk_component *from = &chunk->component[i];
    const wadi_end_kind kind = c->end->kind;
    if (kind == WADI_END_TABULATE) WADI_TRY(check_shapes(c, p, chunk, i, err));
    if (kind == WADI_END_TABULATE_MIN || kind == WADI_END_FROM_SEQ) {
        WADI_TRY(append_shapes(c, p, chunk, i, err));
    }
    const int64_t times = from->layout == WADI_LAYOUT_AVOID ? chunk->count : 1;
    for (int64_t k = 0; k < times; k++) WADI_TRY(append(c, p, from, err));
    return WADI_OK;
}

static wadi_status put(wadi_sink *self, wadi_chunk *chunk, wadi_error *err) {
    collect *c = (collect *)self;
    for (int i = 0; i < c->end->nfrom; i++) WADI_TRY(put_component(c, chunk, i, err));
    c->elements += chunk->count;
    return WADI_OK;
}

/* ---- in place ---- */

/* The vector for the whole stream, once the first chunk tells what one element takes. */
static bool make_whole(part *p, int64_t values) {
    const collect *c = p->of;
    const int64_t each = values / c->expected;
    if (values % c->expected != 0 || p->values > 0) return false;
    if (each > INT64_MAX / 64 / c->in_all) return false;
    for (int f = 0; f < p->fields; f++) {
        const int64_t bytes = each * c->in_all * wadi_type_size(p->type[f]);
        wadi_buffers_put(p->column[f]);
        p->column[f] = wadi_buffers_get(c->buffers, bytes);
        if (p->column[f] == NULL) return false;
    }
    p->total = each * c->in_all;
    return true;
}

static bool columns(void *env, int64_t values, void **out_column) {
    part *p = env;
    if (p->of->expected == 0) return false; /* elements before these are still to come */
    if (p->total == 0 && !make_whole(p, values)) p->total = -1;
    if (p->total < p->values + values) return false;
    for (int f = 0; f < p->fields; f++) {
        out_column[f] = (char *)p->column[f] + p->values * wadi_type_size(p->type[f]);
    }
    return true;
}

void wadi_collect_in_place(wadi_sink *self, wadi_run *x, int i, int slot, int64_t elements) {
    collect *c = (collect *)self;
    c->in_all = elements;
    c->parts[i].total = 0;
    x->slots.place[slot] = (wadi_slots_place){columns, &c->parts[i]};
}

void wadi_collect_expect(wadi_sink *self, int64_t count) {
    ((collect *)self)->expected = count;
}

/* ---- life ---- */

static const wadi_sink_ops ops = {destroy, put, NULL, NULL};

static const char *kind_of(wadi_end_kind kind) {
    switch (kind) {
    case WADI_END_TABULATE:
        return "tabulate";
    case WADI_END_TABULATE_MIN:
        return "tabulate_min";
    case WADI_END_FROM_SEQ:
        return "from_seq";
    case WADI_END_ELEMENTS:
    case WADI_END_SINK:
    case WADI_END_FOLD:
    case WADI_END_FOLD_BATCH:
        break;
    }
    return "elements";
}

/* The slot that gets the values of component i. */
static int into_of(const wadi_plan_end *end, int i) {
    return end->into[end->kind == WADI_END_FROM_SEQ ? 2 * i + 1 : i];
}

wadi_status wadi_collect_create(wadi_run *x, const wadi_plan_stage *stage, const wadi_plan_end *end,
                                wadi_sink **out, wadi_error *err) {
    if (end->nfrom > WADI_MAX_PARTS) {
        return wadi_fail(err, WADI_UNSUPPORTED, "elements of %d arrays, at most %d", end->nfrom,
                         (int)WADI_MAX_PARTS);
    }
    collect *c = calloc(1, sizeof *c);
    if (c == NULL) return wadi_fail(err, WADI_MEMORY, "collecting a stream: out of memory");
    c->base.ops = &ops;
    c->base.kind = kind_of(end->kind);
    c->base.wake_fd = -1;
    c->base.keeps = true;
    c->plan = x->plan;
    c->end = end;
    c->buffers = x->buffers;
    for (int i = 0; i < end->nfrom; i++) {
        const wadi_plan_slot *p = &x->plan->slots[into_of(end, i)];
        const int rank = x->plan->slots[stage->results[end->from[i]]].rank;
        c->parts[i] = (part){.of = c, .fields = p->fields, .rank = rank, .total = -1};
        memcpy(c->parts[i].type, p->type, sizeof c->parts[i].type);
    }
    *out = &c->base;
    return WADI_OK;
}

/* ---- what was collected so far, as bytes: numbers, the table of shapes and the values of each component ---- */

/* `count` scalars whose columns these are; borrowed. */
static wadi_status save_columns(collect *c, const wadi_type *type, int fields, void *const *column,
                                int64_t count, wadi_text *out, wadi_error *err) {
    wadi_chunk *chunk = NULL;
    WADI_TRY(wadi_chunk_create(c->buffers, 1, &chunk, err));
    wadi_chunk_component *to = chunk->component;
    chunk->count = count;
    *to = (wadi_chunk_component){.layout = WADI_LAYOUT_REGULAR, .fields = fields, .values = count};
    for (int f = 0; f < fields; f++) {
        to->type[f] = type[f];
        to->column[f] = column[f];
    }
    const wadi_status status = wadi_state_put_chunk(out, chunk, err);
    wadi_chunk_release(chunk);
    return status;
}

/* The columns become blocks of their own. *out_count: values in each. */
static wadi_status load_columns(collect *c, const wadi_type *type, int fields, void **column,
                                int64_t *out_count, wadi_state_reader *from, wadi_error *err) {
    wadi_chunk *chunk = NULL;
    WADI_TRY(wadi_state_take_chunk(from, c->buffers, &chunk, err));
    const wadi_chunk_component *was = chunk->component;
    bool fits = chunk->components == 1 && was->layout == WADI_LAYOUT_REGULAR && was->rank == 0 &&
                was->fields == fields;
    for (int f = 0; fits && f < fields; f++) fits = was->type[f] == type[f];
    wadi_status status =
        fits ? WADI_OK
             : wadi_fail(err, WADI_INVALID, "saved state: values of another type than those of %s",
                         c->base.kind);
    for (int f = 0; f < fields && status == WADI_OK; f++) {
        const int64_t bytes = chunk->count * wadi_type_size(type[f]);
        if (!wadi_buffers_grow(c->buffers, &column[f], 0, bytes))
            status = wadi_fail(err, WADI_MEMORY, "collecting a stream: out of memory");
        else if (bytes > 0)
            memcpy(column[f], was->column[f], (size_t)bytes);
    }
    *out_count = chunk->count;
    wadi_chunk_release(chunk);
    return status;
}

static bool keeps_shapes(const collect *c) {
    return c->end->kind == WADI_END_TABULATE_MIN || c->end->kind == WADI_END_FROM_SEQ;
}

wadi_status wadi_collect_save(wadi_sink *self, wadi_text *out, wadi_error *err) {
    static const wadi_type extent = WADI_I64;
    collect *c = (collect *)self;
    wadi_state_put_text(out, c->base.kind);
    wadi_state_put(out, c->end->nfrom);
    wadi_state_put(out, c->elements);
    for (int i = 0; i < c->end->nfrom; i++) {
        const part *p = &c->parts[i];
        wadi_state_put(out, p->shaped);
        for (int d = 0; d < p->rank; d++) wadi_state_put(out, p->shape[d]);
        if (keeps_shapes(c))
            WADI_TRY(save_columns(c, &extent, 1, (void *const *)&p->shapes, c->elements * p->rank,
                                  out, err));
        WADI_TRY(save_columns(c, p->type, p->fields, p->column, p->values, out, err));
    }
    return out->failed ? wadi_fail(err, WADI_MEMORY, "saving a stream: out of memory") : WADI_OK;
}

/* The values that all elements together must have; -1: there are no such shapes. */
static int64_t values_of(const collect *c, const part *p) {
    if (c->end->kind == WADI_END_ELEMENTS) return p->values;
    if (c->elements == 0) return 0;
    if (!p->shaped) return -1;
    if (!keeps_shapes(c) || p->rank == 0) {
        const int64_t each = wadi_shape_values(p->rank, p->shape);
        return each < 0 || (each > 0 && c->elements > INT64_MAX / each) ? -1 : each * c->elements;
    }
    int64_t sum = 0;
    for (int64_t e = 0; e < c->elements; e++) {
        const int64_t *shape = (const int64_t *)p->shapes + e * p->rank;
        const int64_t values = wadi_shape_values(p->rank, shape);
        if (values < 0 || values > INT64_MAX - sum) return -1;
        for (int d = 0; d < p->rank; d++)
            if (shape[d] < p->shape[d]) return -1; /* the least extents are not the least */
        sum += values;
    }
    return sum;
}

static wadi_status load_part(collect *c, part *p, wadi_state_reader *from, wadi_error *err) {
    static const wadi_type extent = WADI_I64;
    int64_t shaped = 0, extents = 0;
    WADI_TRY(wadi_state_take_count(from, 1, &shaped, err));
    p->shaped = shaped != 0;
    for (int d = 0; d < p->rank; d++)
        WADI_TRY(wadi_state_take_count(from, INT64_MAX, &p->shape[d], err));
    if (keeps_shapes(c)) WADI_TRY(load_columns(c, &extent, 1, &p->shapes, &extents, from, err));
    WADI_TRY(load_columns(c, p->type, p->fields, p->column, &p->values, from, err));
    const bool has_shapes = !keeps_shapes(c) || extents == c->elements * p->rank;
    if (has_shapes && values_of(c, p) == p->values) return WADI_OK;
    return wadi_fail(err, WADI_INVALID, "saved state: %s of %lld elements and %lld values",
                     c->base.kind, (long long)c->elements, (long long)p->values);
}

wadi_status wadi_collect_load(wadi_sink *self, wadi_state_reader *from, wadi_error *err) {
    collect *c = (collect *)self;
    int64_t parts = 0;
    WADI_TRY(wadi_state_expect_text(from, c->base.kind, err));
    WADI_TRY(wadi_state_take(from, &parts, err));
    if (parts != c->end->nfrom)
        return wadi_fail(err, WADI_INVALID, "saved state: of %lld arrays, not %d", (long long)parts,
                         c->end->nfrom);
    WADI_TRY(wadi_state_take_count(from, INT64_MAX / WADI_MAX_RANK, &c->elements, err));
    for (int i = 0; i < c->end->nfrom; i++) WADI_TRY(load_part(c, &c->parts[i], from, err));
    return WADI_OK;
}

/* ---- results ---- */

/* The slot becomes an array of this shape; its columns follow. */
static wadi_status shape_slot(wadi_run *x, int slot, int rank, const int64_t *shape,
                              wadi_error *err) {
    wadi_slots_clear(&x->slots, slot);
    if (!wadi_slots_room_for_shapes(&x->slots, slot, 1)) {
        return wadi_fail(err, WADI_MEMORY, "collecting a stream: out of memory");
    }
    for (int d = 0; d < rank; d++) x->slots.slot[slot].shape[d] = shape[d];
    return WADI_OK;
}

/* Columns of `values` values each become the slot's, which takes over the blocks of host memory. */
static wadi_status give_columns(wadi_run *x, int slot, int fields, void **column, int64_t values,
                                wadi_error *err) {
    for (int f = 0; f < fields; f++)
        if (!wadi_buffers_grow(x->buffers, &column[f], 0, 0))
            return wadi_fail(err, WADI_MEMORY, "collecting a stream: out of memory");
    if (!wadi_slots_set_columns(&x->slots, slot, NULL, column, values)) {
        WADI_TRY(wadi_residence_check(x->slots.residence, err)); /* a device says more */
        return wadi_fail(err, WADI_MEMORY, "collecting a stream: out of memory");
    }
    for (int f = 0; x->slots.residence == NULL && f < fields; f++) {
        x->slots.memory[slot].column[f] = column[f];
        column[f] = NULL;
    }
    return WADI_OK;
}

static wadi_status give_shapes(collect *c, wadi_run *x, int i, wadi_error *err) {
    part *p = &c->parts[i];
    const int64_t shape[2] = {c->elements, p->rank};
    WADI_TRY(shape_slot(x, c->end->into[2 * i], 2, shape, err));
    return give_columns(x, c->end->into[2 * i], 1, &p->shapes, c->elements * p->rank, err);
}

/* Element `from` of shape `have` loses what lies outside the shape `want`, dimension d on. */
static char *cut(const char *from, char *to, int rank, const int64_t *have, const int64_t *want,
                 int64_t size) {
    if (rank == 0) {
        memmove(to, from, (size_t)size);
        return to + size;
    }
    const int64_t inner = wadi_shape_values(rank - 1, have + 1) * size;
    if (memcmp(have + 1, want + 1, (size_t)(rank - 1) * sizeof *have) == 0) {
        if (want[0] * inner > 0) memmove(to, from, (size_t)(want[0] * inner));
        return to + want[0] * inner;
    }
    for (int64_t k = 0; k < want[0]; k++) {
        to = cut(from + k * inner, to, rank - 1, have + 1, want + 1, size);
    }
    return to;
}

/* All elements are cut to the least extents, in the columns they stand in: nothing moves to the right. */
static void cut_elements(collect *c, part *p) {
    for (int f = 0; f < p->fields; f++) {
        const int64_t size = wadi_type_size(p->type[f]);
        const char *from = p->column[f];
        char *to = p->column[f];
        for (int64_t e = 0; e < c->elements; e++) {
            const int64_t *have = (const int64_t *)p->shapes + e * p->rank;
            to = cut(from, to, p->rank, have, p->shape, size);
            from += wadi_shape_values(p->rank, have) * size;
        }
    }
}

static wadi_status give_values(collect *c, wadi_run *x, int i, wadi_error *err) {
    part *p = &c->parts[i];
    const int slot = into_of(c->end, i);
    const bool stacked = c->end->kind == WADI_END_TABULATE || c->end->kind == WADI_END_TABULATE_MIN;
    int64_t shape[WADI_MAX_RANK + 1] = {stacked ? c->elements : p->values};
    for (int d = 0; stacked && d < p->rank; d++) shape[d + 1] = p->shape[d];
    if (c->end->kind == WADI_END_TABULATE_MIN) cut_elements(c, p);
    WADI_TRY(shape_slot(x, slot, x->plan->slots[slot].rank, shape, err));
    const int64_t values = wadi_shape_values(x->plan->slots[slot].rank, shape);
    return give_columns(x, slot, p->fields, p->column, values, err);
}

wadi_status wadi_collect_store(wadi_sink *self, wadi_run *x, wadi_error *err) {
    collect *c = (collect *)self;
    for (int i = 0; i < c->end->nfrom; i++) {
        if (c->end->kind == WADI_END_FROM_SEQ) WADI_TRY(give_shapes(c, x, i, err));
        WADI_TRY(give_values(c, x, i, err));
    }
    return WADI_OK;
}
