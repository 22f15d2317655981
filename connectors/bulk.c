/* Sources and sinks that are functions of the calling program. One call takes or gives many elements of fixed shape, column by column.
 * For streams of small elements: a call for each element (connectors/callback.c) would cost more than the element. */
#include <stdlib.h>

#include "base/error.h"
#include "sched/stream.h"

/* ---- source ---- */

typedef struct fill_source {
    wadi_source base;
    wadi_fill_fn fill;
    void *env;
} fill_source;

static void destroy_source(wadi_source *self) {
    free(self);
}

static wadi_status next(wadi_source *self, int64_t k, wadi_builder *b, wadi_error *err) {
    const fill_source *s = (const fill_source *)self;
    wadi_array columns[WADI_MAX_PARTS];
    int64_t n = 0;
    k = wadi_builder_fit(b, k);
    WADI_TRY(wadi_builder_bulk(b, k, columns, err));
    const wadi_status status = s->fill(s->env, k, columns, &n, err);
    if (n < 0 || n > k) {
        wadi_builder_keep(b, 0);
        return wadi_fail(err, WADI_INVALID, "bulk source: %lld elements filled, expected 0 to %lld",
                         (long long)n, (long long)k);
    }
    wadi_builder_keep(b, n);
    return status;
}

static const wadi_source_ops source_ops = {destroy_source, next};

wadi_status wadi_source_bulk(int parts, const wadi_part *part, wadi_fill_fn fill, void *env,
                             wadi_source **out_source, wadi_error *err) {
    WADI_GIVEN(err, part);
    WADI_GIVEN(err, fill);
    WADI_GIVEN(err, out_source);
    if (parts < 1 || parts > WADI_MAX_PARTS) {
        return wadi_fail(err, WADI_INVALID, "bulk source: %d parts, expected 1 to %d", parts,
                         (int)WADI_MAX_PARTS);
    }
    for (int i = 0; i < parts; i++) {
        const wadi_part *p = &part[i];
        if (!wadi_part_is_possible(p))
            return wadi_fail(err, WADI_INVALID,
                             "bulk source: part %d has rank %d and %d fields, expected rank 0 to "
                             "%d and 1 to %d fields",
                             i, p->rank, p->fields, (int)WADI_MAX_RANK, (int)WADI_MAX_FIELDS);
        if (!part[i].fixed || wadi_shape_values(part[i].rank, part[i].shape) < 0)
            return wadi_fail(err, WADI_SHAPE, "bulk source: part %d has no fixed shape", i);
    }
    fill_source *s = calloc(1, sizeof *s);
    if (s == NULL) return wadi_fail(err, WADI_MEMORY, "bulk source: out of memory");
    s->base =
        (wadi_source){.ops = &source_ops, .kind = "bulk callback", .wake_fd = -1, .parts = parts};
    for (int i = 0; i < parts; i++) s->base.part[i] = part[i];
    s->fill = fill;
    s->env = env;
    *out_source = &s->base;
    return WADI_OK;
}

/* ---- sink ---- */

typedef struct drain_sink {
    wadi_sink base;
    wadi_drain_fn drain;
    void *env;
} drain_sink;

static void destroy_sink(wadi_sink *self) {
    free(self);
}

/* All elements of a component as one array. */
static wadi_array whole(const wadi_chunk_component *c, int64_t count) {
    wadi_array a = {.rank = c->rank + 1, .fields = c->fields};
    a.shape[0] = count;
    for (int d = 0; d < c->rank; d++) a.shape[d + 1] = c->shape[d];
    for (int f = 0; f < c->fields; f++) {
        a.type[f] = c->type[f];
        a.column[f] = c->column[f];
    }
    return a;
}

static wadi_status put(wadi_sink *self, wadi_chunk *c, wadi_error *err) {
    const drain_sink *s = (const drain_sink *)self;
    wadi_array columns[WADI_MAX_PARTS];
    if (c->components > WADI_MAX_PARTS) {
        return wadi_fail(err, WADI_UNSUPPORTED, "bulk sink: elements of %d arrays, at most %d",
                         c->components, (int)WADI_MAX_PARTS);
    }
    for (int i = 0; i < c->components; i++) {
        const wadi_chunk_component *part = &c->component[i];
        if (part->layout != WADI_LAYOUT_REGULAR || part->rank == WADI_MAX_RANK) {
            return wadi_fail(err, WADI_UNSUPPORTED,
                             "bulk sink: part %d of the elements has no fixed shape below rank %d",
                             i, (int)WADI_MAX_RANK);
        }
        columns[i] = whole(part, c->count);
    }
    return s->drain(s->env, c->first, c->count, c->components, columns, err);
}

static const wadi_sink_ops sink_ops = {destroy_sink, put, NULL, NULL};

wadi_status wadi_sink_bulk(wadi_drain_fn drain, void *env, wadi_sink **out_sink, wadi_error *err) {
    WADI_GIVEN(err, drain);
    WADI_GIVEN(err, out_sink);
    drain_sink *s = calloc(1, sizeof *s);
    if (s == NULL) return wadi_fail(err, WADI_MEMORY, "bulk sink: out of memory");
    s->base = (wadi_sink){.ops = &sink_ops,
                          .kind = "bulk callback",
                          .wake_fd = -1,
                          .unwatched = true,
                          .gives = WADI_GUARANTEE_AT_LEAST_ONCE};
    s->drain = drain;
    s->env = env;
    *out_sink = &s->base;
    return WADI_OK;
}
