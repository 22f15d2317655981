/* The source counts; the sink adds. */
#include "tests/sched/ramp.h"

#include "base/error.h"

static void nothing_to_destroy(wadi_source *self) {
    (void)self;
}

static wadi_status ramp_next(wadi_source *self, int64_t k, wadi_builder *b, wadi_error *err) {
    ramp *r = (ramp *)self;
    for (; b->count < k && r->next < r->n; r->next++) {
        const int64_t shape = r->next % 5;
        wadi_array a;
        if (r->next == r->fail_at) return wadi_fail(err, WADI_IO, "the source is broken");
        WADI_TRY(wadi_builder_array(b, 0, &shape, &a, err));
        for (int64_t i = 0; i < shape; i++) ((int32_t *)a.column[0])[i] = (int32_t)r->next;
        WADI_TRY(wadi_builder_next(b, err));
    }
    return WADI_OK;
}

static wadi_status ramp_tell(wadi_source *self, wadi_position *out, wadi_error *err) {
    (void)err;
    *out = (wadi_position){.element = ((ramp *)self)->next};
    return WADI_OK;
}

static wadi_status ramp_seek(wadi_source *self, wadi_position to, wadi_error *err) {
    ramp *r = (ramp *)self;
    if (!r->back) return wadi_fail(err, WADI_UNSUPPORTED, "the ramp is read only once");
    if (r->breaks > 0 && --r->breaks == 0) return wadi_fail(err, WADI_IO, "the ramp is gone");
    r->next = to.element;
    return WADI_OK;
}

void ramp_init(ramp *r, int64_t n) {
    static const wadi_source_ops ops = {
        .destroy = nothing_to_destroy, .next = ramp_next, .tell = ramp_tell, .seek = ramp_seek};
    *r = (ramp){.n = n, .fail_at = -1};
    r->base.ops = &ops;
    r->base.parts = 1;
    r->base.part[0] = wadi_part_irregular(WADI_I32, 1);
}

static void sink_destroy(wadi_sink *self) {
    (void)self;
}

static wadi_status adding_fails(const adding *a, wadi_error *err) {
    return wadi_fail(err, a->fails_with != WADI_OK ? a->fails_with : WADI_IO, "the sink is broken");
}

static wadi_status adding_put(wadi_sink *self, wadi_chunk *c, wadi_error *err) {
    adding *a = (adding *)self;
    for (int64_t s = 0; s < c->count; s++, a->seen++) {
        const wadi_array got = wadi_chunk_array(c, 0, s);
        if (a->seen == a->fail_at) {
            if (a->once) a->fail_at = -1;
            return adding_fails(a, err);
        }
        for (int64_t i = 0; i < got.shape[0]; i++)
            a->sum = a->sum * 31 + (uint64_t)((const int32_t *)got.column[0])[i];
    }
    return WADI_OK;
}

static wadi_status adding_finish(wadi_sink *self, wadi_error *err) {
    adding *a = (adding *)self;
    if (a->fails_last) return adding_fails(a, err);
    a->finished = true;
    return WADI_OK;
}

static void adding_abort(wadi_sink *self, const wadi_error *why) {
    (void)why;
    ((adding *)self)->aborted = true;
}

void adding_init(adding *a) {
    static const wadi_sink_ops ops = {sink_destroy, adding_put, adding_finish, adding_abort};
    *a = (adding){.fail_at = -1};
    a->base.ops = &ops;
}
