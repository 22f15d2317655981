/* How a run ends if a sink cannot finish, alone or beside another sink, or if there is no memory for an element. Earlier elements
 * have been delivered, and each end is told exactly once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "sched/cpu/code.h"
#include "sched/run.h"
#include "sched/stream.h"
#include "tests/kept_memory.h"
#include "tests/sched/hand_plan.h"

/* ---- a source of i32[1], in memory or not ---- */

typedef struct source {
    wadi_source base;
    int64_t n, index;

} source;

static void source_destroy(wadi_source *self) {
    (void)self;
}

static wadi_status source_next(wadi_source *self, int64_t k, wadi_builder *b, wadi_error *err) {
    source *s = (source *)self;
    for (; b->count < k && s->index < s->n; s->index++) {
        const int64_t one = 1;
        wadi_array a;
        WADI_TRY(wadi_builder_array(b, 0, &one, &a, err));
        *(int32_t *)a.column[0] = (int32_t)s->index;
        WADI_TRY(wadi_builder_next(b, err));
        self->at_hand -= self->at_hand > 0;
    }
    return WADI_OK;
}

static source make_source(int64_t n, bool in_memory) {
    static const wadi_source_ops ops = {source_destroy, source_next, NULL};
    source s = {.base = {.ops = &ops, .wake_fd = -1, .parts = 1}, .n = n};
    s.base.at_hand = in_memory ? n : 0;
    s.base.part[0] = wadi_part_irregular(WADI_I32, 1);
    return s;
}

/* ---- a sink that counts what happens to it ---- */

typedef struct sink {
    wadi_sink base;
    int64_t elements;
    int finished, aborted;
    const char *fails; /* at its end, with these words */
    wadi_error why;
} sink;

static void sink_destroy(wadi_sink *self) {
    (void)self;
}

static wadi_status sink_put(wadi_sink *self, wadi_chunk *c, wadi_error *err) {
    sink *s = (sink *)self;
    (void)err;
    for (int64_t i = 0; i < c->count; i++, s->elements++)
        assert_int_equal(*(int32_t *)wadi_chunk_array(c, 0, i).column[0], 2 * s->elements);
    return WADI_OK;
}

static wadi_status sink_finish(wadi_sink *self, wadi_error *err) {
    sink *s = (sink *)self;
    s->finished++;
    return s->fails == NULL ? WADI_OK : wadi_fail(err, WADI_IO, "%s", s->fails);
}

static void sink_abort(wadi_sink *self, const wadi_error *why) {
    ((sink *)self)->aborted++;
    ((sink *)self)->why = *why;
}

static sink make_sink(bool keeps, const char *fails) {
    static const wadi_sink_ops ops = {sink_destroy, sink_put, sink_finish, sink_abort};
    return (sink){.base = {.ops = &ops, .wake_fd = -1, .keeps = keeps}, .fails = fails};
}

static wadi_status run(const hand_program *h, const wadi_loader *loader, source *in, sink *out,
                       sink *all, int64_t chunk, wadi_error *err) {
    const wadi_run_options o = {
        .chunk = chunk, .threads = 1, .schedule = WADI_SCHEDULE_FORCE_INSIDE};
    wadi_run *x = NULL;
    assert_int_equal(wadi_run_create_for(&h->plan, loader, &o, &x, NULL), WADI_OK);
    assert_int_equal(wadi_run_source(x, "in", &in->base, NULL), WADI_OK);
    assert_int_equal(wadi_run_sink(x, "out", &out->base, NULL), WADI_OK);
    if (all != NULL) assert_int_equal(wadi_run_sink(x, "all", &all->base, NULL), WADI_OK);
    const wadi_status status = wadi_run_go(x, err);
    assert_int_equal(out->base.wake_fd, -1); /* as it was */
    assert_int_equal(in->base.wake_fd, -1);
    wadi_run_destroy(x);
    return status;
}

/* Called by the compute thread or by one of its own: it is the run that fails, and the sink is not told again. */
static void a_sink_that_cannot_finish_fails_the_run(void **state) {
    (void)state;
    for (int how = 0; how < 8; how++) {
        hand_program h;
        hand_doubling(&h, WADI_END_SINK);
        const wadi_loader loader = hand_loader(&h);
        const bool fails = how / 4 == 1;
        source in = make_source(100, how % 2 == 1);
        sink out = make_sink(how / 2 % 2 == 1, fails ? "the disk is full at last" : NULL);
        wadi_error err = {.status = WADI_OK};
        assert_int_equal(run(&h, &loader, &in, &out, NULL, 7, &err), fails ? WADI_IO : WADI_OK);
        assert_string_equal(err.msg, fails ? "the disk is full at last" : "");
        assert_int_equal(out.elements, 100);
        assert_int_equal(out.finished, 1);
        assert_int_equal(out.aborted, 0);
    }
}

/* The other sink, which ends later, leaves nothing; one that had ended before has ended well. */
static void beside_a_sink_that_cannot_finish_another_ends_once(void **state) {
    (void)state;
    for (int how = 0; how < 8; how++) {
        hand_program h;
        hand_staged(&h, 0, 1000);
        h.end[0].stage = 0; /* both get all, doubled */
        h.phase.stream.nstages = 1;
        h.end[1].kind = WADI_END_SINK;
        h.end[1].name = "all";
        h.plan.noutputs = 0;
        const wadi_loader loader = hand_loader(&h);
        const bool first = how / 4 == 0;
        source in = make_source(100, how % 2 == 1);
        sink out = make_sink(how / 2 % 2 == 1, first ? "no" : NULL);
        sink all = make_sink(how / 2 % 2 == 1, first ? NULL : "no");
        wadi_error err = {.status = WADI_OK};
        assert_int_equal(run(&h, &loader, &in, &out, &all, 7, &err), WADI_IO);
        assert_string_equal(err.msg, "no");
        assert_int_equal(out.elements, 100);
        assert_int_equal(all.elements, 100);
        assert_int_equal(out.finished, 1);
        assert_int_equal(out.aborted, 0);
        assert_int_equal(all.finished + all.aborted, 1);
        assert_int_equal(all.aborted, first);
        if (first) assert_string_equal(all.why.msg, "no");
    }
}

/* ---- memory ---- */

static wadi_kernel real_body;
static int64_t too_large; /* the element for which there is none */

static int poor_body(wadi_work *w, int64_t begin, int64_t end) {
    if (w->first <= too_large && too_large < w->first + w->count) {
        w->fault = (wadi_fault){
            .kind = WADI_FAULT_MEMORY, .place = 0, .element = begin, .value = {1 << 20}};
        return 1;
    }
    return real_body(w, begin, end);
}

static wadi_status load_poor(void *self, const wadi_plan *plan, int body, wadi_version_key version,
                             wadi_plan_code *out, wadi_error *err) {
    hand_program *h = self;
    const wadi_status status = hand_loader(h).load(h, plan, body, version, out, err);
    wadi_code *kernel = &h->kernels[body][version.schedule][0];
    const wadi_code poor = wadi_cpu_code(poor_body);
    if (kernel->handle != poor.handle) real_body = wadi_cpu_kernel(*kernel);
    *kernel = poor;
    return status;
}

/* Tried in ever smaller steps until it stands alone. */
static void an_element_too_large_for_memory_is_named(void **state) {
    (void)state;
    for (int64_t chunk = 1; chunk < 40; chunk += 6) {
        for (too_large = 0; too_large < 20; too_large += 3) {
            hand_program h;
            hand_doubling(&h, WADI_END_SINK);
            const wadi_loader loader = {.load = load_poor, .self = &h};
            source in = make_source(20, false);
            sink out = make_sink(false, NULL);
            wadi_error err = {.status = WADI_OK};
            char said[100];
            assert_int_equal(run(&h, &loader, &in, &out, NULL, chunk, &err), WADI_MEMORY);
            (void)snprintf(said, sizeof said,
                           "quot: no memory for 1048576 bytes, element %d, at hand.c:12",
                           (int)too_large);
            assert_string_equal(err.msg, said);
            assert_int_equal(out.elements, too_large);
            assert_int_equal(out.finished, 0);
            assert_int_equal(out.aborted, 1);
            assert_int_equal(out.why.status, WADI_MEMORY);
            assert_string_equal(out.why.msg, said);
        }
    }
}

/* ---- what is left ---- */

/* Runs of one thread, one that ends well and some that do not: what is not bound, a sink that cannot finish, no memory. */
static void some_runs(void *env) {
    (void)env;
    for (int how = 0; how < 4; how++) {
        hand_program h;
        hand_doubling(&h, how == 3 ? WADI_END_ELEMENTS : WADI_END_SINK);
        const wadi_loader loader = {.load = load_poor, .self = &h};
        const wadi_run_options o = {
            .chunk = 7, .threads = 1, .schedule = WADI_SCHEDULE_FORCE_INSIDE};
        source in = make_source(100, true);
        sink out = make_sink(true, how == 1 ? "no" : NULL);
        wadi_run *x = NULL;
        too_large = how == 2 ? 50 : -1;
        assert_int_equal(wadi_run_create_for(&h.plan, &loader, &o, &x, NULL), WADI_OK);
        assert_int_equal(wadi_run_go(x, NULL), WADI_INVALID);
        assert_int_equal(wadi_run_source(x, "in", &in.base, NULL), WADI_OK);
        if (how < 3) assert_int_equal(wadi_run_sink(x, "out", &out.base, NULL), WADI_OK);
        static const wadi_status ends[] = {WADI_OK, WADI_IO, WADI_MEMORY, WADI_OK};
        assert_int_equal(wadi_run_go(x, NULL), ends[how]);
        wadi_run_destroy(x);
    }
}

static void runs_keep_no_memory(void **state) {
    (void)state;
    assert_keeps_nothing(some_runs, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sink_that_cannot_finish_fails_the_run),
        cmocka_unit_test(beside_a_sink_that_cannot_finish_another_ends_once),
        cmocka_unit_test(an_element_too_large_for_memory_is_named),
        cmocka_unit_test(runs_keep_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
