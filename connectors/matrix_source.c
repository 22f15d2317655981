/* The rows of a sparse matrix as a stream. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/sketch.h"
#include "sched/stream.h"
#include "wadi/matrix.h"

typedef struct matrix_source {
    wadi_source base;
    const wadi_csr *matrix;
    int64_t row; /* the next one */
} matrix_source;

static void destroy(wadi_source *self) {
    free(self);
}

static wadi_status deliver(const wadi_csr *m, int64_t row, wadi_builder *b, wadi_error *err) {
    const int64_t first = m->offsets[row], n = m->offsets[row + 1] - first;
    const void *const from[2] = {m->index, m->values};
    const wadi_type types[2] = {m->index_type, m->type};
    for (int part = 0; part < 2; part++) {
        wadi_array to;
        const size_t size = (size_t)wadi_type_size(types[part]);
        WADI_TRY(wadi_builder_array(b, part, &n, &to, err));
        if (n > 0)
            memcpy(to.column[0], (const char *)from[part] + (size_t)first * size, (size_t)n * size);
    }
    return wadi_builder_next(b, err);
}

static wadi_status next(wadi_source *self, int64_t k, wadi_builder *b, wadi_error *err) {
    matrix_source *s = (matrix_source *)self;
    for (; s->row < s->matrix->rows && b->count < k && !wadi_builder_full(b); s->row++)
        WADI_TRY(deliver(s->matrix, s->row, b, err));
    return WADI_OK;
}

static wadi_status tell(wadi_source *self, wadi_position *out, wadi_error *err) {
    WADI_UNUSED(err);
    *out = (wadi_position){.element = ((const matrix_source *)self)->row};
    return WADI_OK;
}

static wadi_status seek(wadi_source *self, wadi_position to, wadi_error *err) {
    matrix_source *s = (matrix_source *)self;
    WADI_TRY(wadi_position_check(to, s->matrix->rows, self->kind, err));
    s->row = to.element;
    return WADI_OK;
}

/* Rows, columns, and the entries in their order. */
static wadi_status describe(wadi_source *self, wadi_text *out, wadi_error *err) {
    const wadi_csr *m = ((const matrix_source *)self)->matrix;
    const wadi_array rows = {.rank = 1,
                             .fields = 1,
                             .shape = {m->rows + 1},
                             .type = {WADI_I64},
                             .column = {m->offsets}},
                     entries = {.rank = 1,
                                .fields = 2,
                                .shape = {m->entries},
                                .type = {m->index_type, m->type},
                                .column = {m->index, m->values}};
    wadi_text_addf(out, "%lld ", (long long)m->columns);
    WADI_TRY(wadi_sketch_array(&rows, out, err));
    return wadi_sketch_array(&entries, out, err);
}

static const wadi_source_ops source_ops = {
    .destroy = destroy, .next = next, .tell = tell, .seek = seek, .describe = describe};

wadi_status wadi_source_matrix(const wadi_csr *m, wadi_source **out_source, wadi_error *err) {
    WADI_GIVEN(err, m);
    WADI_GIVEN(err, out_source);
    if (m->offsets == NULL)
        return wadi_fail(err, WADI_INVALID, "matrix source: the matrix has no offsets");
    matrix_source *s = calloc(1, sizeof *s);
    if (s == NULL) return wadi_fail(err, WADI_MEMORY, "matrix source: out of memory");
    s->base = (wadi_source){.ops = &source_ops, .kind = "matrix", .wake_fd = -1, .parts = 2};
    s->base.part[0] = wadi_part_irregular(m->index_type, 1);
    s->base.part[1] = wadi_part_irregular(m->type, 1);
    s->matrix = m;
    s->base.total = m->rows;
    *out_source = &s->base;
    return WADI_OK;
}
