/* Sources and sinks that are functions of the calling program: one element per call. */
#include <stdlib.h>

#include "base/error.h"
#include "connectors/connectors.h"
#include "sched/stream.h"

/* ---- source ---- */

typedef struct pull_source {
    wadi_source base;
    wadi_pull_fn pull;
    void *env;
    int64_t index;
    bool ended;
} pull_source;

struct wadi_yield {
    wadi_builder *builder;
    bool flush;
};

wadi_status wadi_yield_array(wadi_yield *yield, int part, const int64_t *shape,
                             wadi_array *out_array, wadi_error *err) {
    WADI_GIVEN(err, yield);
    WADI_GIVEN(err, out_array);
    return wadi_builder_array(yield->builder, part, shape, out_array, err);
}

void wadi_yield_flush(wadi_yield *yield) {
    if (yield != NULL) yield->flush = true;
}

static void destroy_source(wadi_source *self) {
    free(self);
}

static wadi_status next(wadi_source *self, int64_t k, wadi_builder *b, wadi_error *err) {
    pull_source *s = (pull_source *)self;
    wadi_yield yield = {b, false};
    while (b->count < k && !s->ended && !yield.flush && !wadi_builder_full(b)) {
        WADI_TRY(s->pull(s->env, s->index, &yield, err));
        if (wadi_builder_open(b)) {
            WADI_TRY(wadi_builder_next(b, err));
            s->index++;
        } else {
            s->ended = true;
        }
    }
    return WADI_OK;
}

static const wadi_source_ops source_ops = {destroy_source, next};

static wadi_status check_parts(int parts, const wadi_part *part, wadi_error *err) {
    if (parts < 1 || parts > WADI_MAX_PARTS) {
        return wadi_fail(err, WADI_INVALID, "callback source: %d parts, expected 1 to %d", parts,
                         (int)WADI_MAX_PARTS);
    }
    for (int i = 0; i < parts; i++) {
        const wadi_part *p = &part[i];
        if (!wadi_part_is_possible(p)) {
            return wadi_fail(err, WADI_INVALID,
                             "callback source: part %d has rank %d and %d fields, expected rank 0 "
                             "to %d and 1 to %d fields",
                             i, p->rank, p->fields, (int)WADI_MAX_RANK, (int)WADI_MAX_FIELDS);
        }
        if (p->fixed && wadi_shape_values(p->rank, p->shape) < 0) {
            return wadi_fail(err, WADI_SHAPE, "callback source: part %d has a negative extent", i);
        }
    }
    return WADI_OK;
}

wadi_status wadi_source_callback(int parts, const wadi_part *part, wadi_pull_fn pull, void *env,
                                 wadi_source **out_source, wadi_error *err) {
    WADI_GIVEN(err, part);
    WADI_GIVEN(err, pull);
    WADI_GIVEN(err, out_source);
    WADI_TRY(check_parts(parts, part, err));
    pull_source *s = calloc(1, sizeof *s);
    if (s == NULL) return wadi_fail(err, WADI_MEMORY, "callback source: out of memory");
    s->base.ops = &source_ops;
    s->base.kind = "callback";
    s->base.wake_fd = -1;
    s->base.parts = parts;
    for (int i = 0; i < parts; i++) s->base.part[i] = part[i];
    s->pull = pull;
    s->env = env;
    *out_source = &s->base;
    return WADI_OK;
}

/* ---- sink ---- */

typedef struct push_sink {
    wadi_sink base;
    wadi_push_fn push;
    void *env;
} push_sink;

static void destroy_sink(wadi_sink *self) {
    free(self);
}

static wadi_status put(wadi_sink *self, wadi_chunk *c, wadi_error *err) {
    const push_sink *s = (const push_sink *)self;
    wadi_array element[WADI_MAX_PARTS];
    if (c->components > WADI_MAX_PARTS) {
        return wadi_fail(err, WADI_UNSUPPORTED, "callback sink: elements of %d arrays, at most %d",
                         c->components, (int)WADI_MAX_PARTS);
    }
    for (int64_t i = 0; i < c->count; i++) {
        for (int k = 0; k < c->components; k++) element[k] = wadi_chunk_array(c, k, i);
        WADI_TRY(s->push(s->env, c->first + i, c->components, element, err));
    }
    return WADI_OK;
}

static const wadi_sink_ops sink_ops = {destroy_sink, put, NULL, NULL};

wadi_status wadi_sink_callback(wadi_push_fn push, void *env, wadi_sink **out_sink,
                               wadi_error *err) {
    WADI_GIVEN(err, push);
    WADI_GIVEN(err, out_sink);
    push_sink *s = calloc(1, sizeof *s);
    if (s == NULL) return wadi_fail(err, WADI_MEMORY, "callback sink: out of memory");
    s->base.ops = &sink_ops;
    s->base.kind = "callback";
    s->base.wake_fd = -1;
    s->base.unwatched = true;
    s->base.gives = WADI_GUARANTEE_AT_LEAST_ONCE;
    s->push = push;
    s->env = env;
    *out_sink = &s->base;
    return WADI_OK;
}

const wadi_connector wadi_connector_row_callback = {
    .name = "callback", .about = "functions of the calling program: source and sink"};
