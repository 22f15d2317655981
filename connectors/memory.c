/* Arrays in the program's own memory: as a source without copying, as a sink with copying. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/sketch.h"
#include "base/vec.h"
#include "connectors/connectors.h"
#include "sched/stream.h"

/* ---- source ---- */

typedef struct row_source {
    wadi_source base;
    wadi_array array;
    int64_t row; /* next */
} row_source;

static void destroy_source(wadi_source *self) {
    free(self);
}

static wadi_status next(wadi_source *self, int64_t k, wadi_builder *b, wadi_error *err) {
    row_source *s = (row_source *)self;
    const wadi_part *part = &s->base.part[0];
    const int64_t each = wadi_shape_values(part->rank, part->shape);
    const int64_t left = s->array.shape[0] - s->row;
    const int64_t n = wadi_builder_fit(b, k < left ? k : left);
    void *column[WADI_MAX_FIELDS];
    WADI_UNUSED(err);
    if (left == 0) return WADI_OK;
    for (int f = 0; f < part->fields; f++) {
        column[f] = (char *)s->array.column[f] + s->row * each * wadi_type_size(part->type[f]);
    }
    wadi_builder_borrow(b, n, column);
    s->row += n;
    self->at_hand -= n;
    return WADI_OK;
}

static wadi_status tell(wadi_source *self, wadi_position *out, wadi_error *err) {
    WADI_UNUSED(err);
    *out = (wadi_position){.element = ((const row_source *)self)->row};
    return WADI_OK;
}

static wadi_status seek(wadi_source *self, wadi_position to, wadi_error *err) {
    row_source *s = (row_source *)self;
    WADI_TRY(wadi_position_check(to, s->array.shape[0], self->kind, err));
    s->row = to.element;
    self->at_hand = s->array.shape[0] - s->row;
    return WADI_OK;
}

static wadi_status describe(wadi_source *self, wadi_text *out, wadi_error *err) {
    return wadi_sketch_array(&((const row_source *)self)->array, out, err);
}

static const wadi_source_ops source_ops = {
    .destroy = destroy_source, .next = next, .tell = tell, .seek = seek, .describe = describe};

wadi_status wadi_source_memory(const wadi_array *array, wadi_source **out_source, wadi_error *err) {
    WADI_GIVEN(err, array);
    WADI_GIVEN(err, out_source);
    if (array->rank < 1 || array->rank > WADI_MAX_RANK || array->fields < 1 ||
        array->fields > WADI_MAX_FIELDS) {
        return wadi_fail(err, WADI_SHAPE,
                         "memory source: rank %d, %d fields; expected rank 1 to %d, 1 to %d fields",
                         array->rank, array->fields, (int)WADI_MAX_RANK, (int)WADI_MAX_FIELDS);
    }
    if (wadi_shape_values(array->rank, array->shape) < 0) {
        return wadi_fail(err, WADI_SHAPE, "memory source: a negative or too large extent");
    }
    WADI_TRY(wadi_array_check_columns("memory source", array, err));
    row_source *s = calloc(1, sizeof *s);
    if (s == NULL) return wadi_fail(err, WADI_MEMORY, "memory source: out of memory");
    s->base.ops = &source_ops;
    s->base.kind = "memory";
    s->base.wake_fd = -1;
    s->base.parts = 1;
    s->base.at_hand = array->shape[0];
    s->array = *array;
    wadi_part *part = &s->base.part[0];
    part->rank = array->rank - 1;
    part->fields = array->fields;
    part->fixed = true;
    memcpy(part->type, array->type, sizeof part->type);
    for (int d = 0; d < part->rank; d++) part->shape[d] = array->shape[d + 1];
    *out_source = &s->base;
    return WADI_OK;
}

/* ---- sink ---- */

typedef struct array_sink {
    wadi_sink base;
    int parts; /* of every element; 0 before the first element */
    WADI_VEC(wadi_array)
    arrays; /* [elements][parts]; all columns of an array are one allocation, which begins at column[0] */
} array_sink;

static int64_t padded(int64_t bytes) {
    return (bytes + WADI_ALIGN - 1) / WADI_ALIGN * WADI_ALIGN;
}

/* Replaces the borrowed columns by copies. False: out of memory. */
static bool copy_columns(wadi_array *a) {
    const int64_t values = wadi_shape_values(a->rank, a->shape);
    int64_t bytes = 0;
    for (int f = 0; f < a->fields; f++) bytes += padded(values * wadi_type_size(a->type[f]));
    char *memory = aligned_alloc(WADI_ALIGN, (size_t)(bytes > 0 ? bytes : WADI_ALIGN));
    if (memory == NULL) return false;
    for (int f = 0; f < a->fields; f++) {
        const int64_t size = values * wadi_type_size(a->type[f]);
        if (size > 0) memcpy(memory, a->column[f], (size_t)size);
        a->column[f] = memory;
        memory += padded(size);
    }
    return true;
}

static void destroy_sink(wadi_sink *self) {
    array_sink *s = (array_sink *)self;
    for (size_t i = 0; i < s->arrays.n; i++) free(s->arrays.at[i].column[0]);
    wadi_vec_free(&s->arrays);
    free(s);
}

static wadi_status put(wadi_sink *self, wadi_chunk *c, wadi_error *err) {
    array_sink *s = (array_sink *)self;
    s->parts = c->components;
    for (int64_t i = 0; i < c->count; i++) {
        for (int k = 0; k < c->components; k++) {
            wadi_array a = wadi_chunk_array(c, k, i);
            if (!wadi_vec_reserve(&s->arrays, s->arrays.n + 1) || !copy_columns(&a)) {
                return wadi_fail(err, WADI_MEMORY, "memory sink: out of memory at element %lld",
                                 (long long)(c->first + i));
            }
            (void)wadi_vec_push(&s->arrays, a);
        }
    }
    return WADI_OK;
}

static wadi_status have(wadi_sink *self, wadi_position *out, wadi_error *err) {
    WADI_UNUSED(err);
    *out = (wadi_position){.element = wadi_sink_memory_count(self)};
    return WADI_OK;
}

static const wadi_sink_ops sink_ops = {.destroy = destroy_sink, .put = put, .have = have};

wadi_status wadi_sink_memory(wadi_sink **out_sink, wadi_error *err) {
    WADI_GIVEN(err, out_sink);
    array_sink *s = calloc(1, sizeof *s);
    if (s == NULL) return wadi_fail(err, WADI_MEMORY, "memory sink: out of memory");
    s->base.ops = &sink_ops;
    s->base.kind = "memory";
    s->base.wake_fd = -1;
    s->base.keeps = true;
    *out_sink = &s->base;
    return WADI_OK;
}

int64_t wadi_sink_memory_count(const wadi_sink *sink) {
    const array_sink *s = (const array_sink *)sink;
    return sink != NULL && sink->ops == &sink_ops && s->parts > 0 ? (int64_t)s->arrays.n / s->parts
                                                                  : 0;
}

wadi_status wadi_sink_memory_get(const wadi_sink *sink, int64_t index, int part,
                                 wadi_array *out_array, wadi_error *err) {
    WADI_GIVEN(err, sink);
    WADI_GIVEN(err, out_array);
    const array_sink *s = (const array_sink *)sink;
    if (sink->ops != &sink_ops)
        return wadi_fail(err, WADI_INVALID, "memory sink: this is a %s sink", sink->kind);
    if (index < 0 || index >= wadi_sink_memory_count(sink) || part < 0 || part >= s->parts) {
        return wadi_fail(err, WADI_INVALID, "memory sink: no part %d of element %lld", part,
                         (long long)index);
    }
    *out_array = s->arrays.at[index * s->parts + part];
    return WADI_OK;
}

const wadi_connector wadi_connector_row_memory = {
    .name = "memory", .about = "arrays of the calling program: source and sink"};
