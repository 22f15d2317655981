#include "tests/conformance/seekable.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

typedef struct seekable {
    wadi_source base;
    const wadi_interp_source *from;
    int64_t at, most;
} seekable;

static void destroy(wadi_source *self) {
    free(self);
}

static wadi_status put(const seekable *s, wadi_builder *b, wadi_error *err) {
    for (int p = 0; p < s->base.parts; p++) {
        const wadi_array *a = &s->from->elements[s->at * s->base.parts + p];
        wadi_array room;
        const int64_t n = wadi_shape_values(a->rank, a->shape);
        WADI_TRY(wadi_builder_array(b, p, a->shape, &room, err));
        for (int k = 0; k < a->fields && n > 0; k++)
            memcpy(room.column[k], a->column[k], (size_t)(n * wadi_type_size(a->type[k])));
    }
    return wadi_builder_next(b, err);
}

static wadi_status next(wadi_source *self, int64_t k, wadi_builder *b, wadi_error *err) {
    seekable *s = (seekable *)self;
    const int64_t most = k < s->most ? k : s->most;
    for (; s->at < s->from->n && b->count < most && !wadi_builder_full(b); s->at++)
        WADI_TRY(put(s, b, err));
    return WADI_OK;
}

/* The mark says that a position is one of these. */
static wadi_status tell(wadi_source *self, wadi_position *out, wadi_error *err) {
    const seekable *s = (const seekable *)self;
    WADI_UNUSED(err);
    *out = (wadi_position){.element = s->at, .mark = -7 * s->at};
    return WADI_OK;
}

static wadi_status seek(wadi_source *self, wadi_position to, wadi_error *err) {
    seekable *s = (seekable *)self;
    if (to.element < 0 || to.element > s->from->n || to.mark != -7 * to.element)
        return wadi_fail(err, WADI_INVALID, "no position");
    s->at = to.element;
    return WADI_OK;
}

wadi_source *seekable_create(const wadi_interp_source *from, int parts, const wadi_part *part,
                             int number) {
    static const wadi_source_ops ops = {
        .destroy = destroy, .next = next, .tell = tell, .seek = seek};
    seekable *s = calloc(1, sizeof *s);
    if (s == NULL) return NULL;
    s->base = (wadi_source){.ops = &ops, .kind = "seekable", .wake_fd = -1, .parts = parts};
    for (int p = 0; p < parts; p++) s->base.part[p] = part[p];
    s->from = from;
    s->most = number % 2 == 0 ? INT64_MAX : 2 + number;
    return &s->base;
}
