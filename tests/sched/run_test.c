/* Running plans whose kernels are written by hand: stages, schedules, ends of streams, faults and failures. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "sched/run.h"
#include "sched/stream.h"
#include "tests/sched/hand_plan.h"

/* ---- sources and sinks ---- */

/* Element i is i32[i % 7] with values i, i + 1, ... */
typedef struct ramp {
    wadi_source base;
    int64_t index, n, fail_at;
} ramp;

static void ramp_destroy(wadi_source *self) {
    (void)self;
}

static wadi_status ramp_next(wadi_source *self, int64_t k, wadi_builder *b, wadi_error *err) {
    ramp *r = (ramp *)self;
    for (; b->count < k && r->index < r->n; r->index++) {
        if (r->index == r->fail_at) {
            *err = (wadi_error){.status = WADI_IO, .msg = "the tape is torn"};
            return WADI_IO;
        }
        const int64_t shape = r->index % 7;
        wadi_array a;
        assert_int_equal(wadi_builder_array(b, 0, &shape, &a, err), WADI_OK);
        for (int64_t i = 0; i < shape; i++) ((int32_t *)a.column[0])[i] = (int32_t)(r->index + i);
        assert_int_equal(wadi_builder_next(b, err), WADI_OK);
    }
    return WADI_OK;
}

static ramp make_ramp(int64_t n, int64_t fail_at) {
    static const wadi_source_ops ops = {ramp_destroy, ramp_next};
    ramp r = {.n = n, .fail_at = fail_at};
    r.base.ops = &ops;
    r.base.parts = 1;
    r.base.part[0] = wadi_part_irregular(WADI_I32, 1);
    return r;
}

/* Checks that element i is the ramp's, doubled. */
typedef struct check {
    wadi_sink base;
    int64_t seen, fail_at;
    bool finished, aborted;
    wadi_status why;
} check;

static void check_destroy(wadi_sink *self) {
    (void)self;
}

static wadi_status check_put(wadi_sink *self, wadi_chunk *c, wadi_error *err) {
    check *s = (check *)self;
    assert_int_equal(c->first, s->seen);
    for (int64_t i = 0; i < c->count; i++, s->seen++) {
        if (s->seen == s->fail_at) {
            *err = (wadi_error){.status = WADI_IO, .msg = "the disk is full"};
            return WADI_IO;
        }
        const wadi_array a = wadi_chunk_array(c, 0, i);
        assert_int_equal(a.shape[0], s->seen % 7);
        for (int64_t k = 0; k < a.shape[0]; k++) {
            assert_int_equal(((int32_t *)a.column[0])[k], 2 * (s->seen + k));
        }
    }
    return WADI_OK;
}

static wadi_status check_finish(wadi_sink *self, wadi_error *err) {
    (void)err;
    ((check *)self)->finished = true;
    return WADI_OK;
}

static void check_abort(wadi_sink *self, const wadi_error *why) {
    ((check *)self)->aborted = true;
    ((check *)self)->why = why->status;
}

static check make_check(int64_t fail_at) {
    static const wadi_sink_ops ops = {check_destroy, check_put, check_finish, check_abort};
    check s = {.fail_at = fail_at};
    s.base.ops = &ops;
    return s;
}

/* ---- runs ---- */

static wadi_status run_doubling(const wadi_run_options *options, hand_program *h, ramp *in,
                                check *out, wadi_run_stats *stats, wadi_error *err) {
    const wadi_loader loader = hand_loader(h);
    wadi_run *x = NULL;
    assert_int_equal(wadi_run_create_for(&h->plan, &loader, options, &x, err), WADI_OK);
    assert_int_equal(wadi_run_source(x, "in", &in->base, err), WADI_OK);
    assert_int_equal(wadi_run_sink(x, "out", &out->base, err), WADI_OK);
    const wadi_status status = wadi_run_go(x, err);
    if (stats != NULL) wadi_run_stats_get(x, stats);
    wadi_run_destroy(x);
    return status;
}

static void every_schedule_size_and_thread_count_gives_the_same(void **state) {
    (void)state;
    static const int64_t sizes[] = {0, 1, 2, 13, 1000};
    static const wadi_schedule_option schedules[] = {WADI_SCHEDULE_AUTO, WADI_SCHEDULE_FORCE_INSIDE,
                                                     WADI_SCHEDULE_FORCE_FLAT};
    for (int i = 0; i < 5; i++) {
        for (int k = 0; k < 3; k++) {
            for (int threads = 1; threads <= 3; threads++) {
                hand_program h;
                hand_doubling(&h, WADI_END_SINK);
                ramp in = make_ramp(501, -1);
                check out = make_check(-1);
                wadi_run_options o = {
                    .chunk = sizes[i], .threads = threads, .schedule = schedules[k]};
                wadi_run_stats stats;
                wadi_error err = {0};
                assert_int_equal(run_doubling(&o, &h, &in, &out, &stats, &err), WADI_OK);
                assert_int_equal(out.seen, 501);
                assert_true(out.finished);
                assert_false(out.aborted);
                assert_int_equal(stats.elements, 501);
                assert_int_equal(stats.threads, threads);
                assert_string_equal(stats.schedule, k == 2 ? "flat" : "inside");
            }
        }
    }
}

static void an_empty_stream_finishes_its_sink(void **state) {
    (void)state;
    hand_program h;
    hand_doubling(&h, WADI_END_SINK);
    ramp in = make_ramp(0, -1);
    check out = make_check(-1);
    wadi_error err = {0};
    assert_int_equal(run_doubling(NULL, &h, &in, &out, NULL, &err), WADI_OK);
    assert_true(out.finished);
    assert_int_equal(out.seen, 0);
}

static void a_fault_is_the_same_however_the_stream_is_cut(void **state) {
    (void)state;
    static const int64_t sizes[] = {1, 7, 64, 1000};
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < 2; k++) {
            hand_program h;
            hand_doubling(&h, WADI_END_SINK);
            h.fault_at = 37;
            ramp in = make_ramp(200, -1);
            check out = make_check(-1);
            wadi_run_options o = {.chunk = sizes[i],
                                  .threads = 2,
                                  .schedule = k == 0 ? WADI_SCHEDULE_FORCE_INSIDE
                                                     : WADI_SCHEDULE_FORCE_FLAT};
            wadi_error err = {0};
            assert_int_equal(run_doubling(&o, &h, &in, &out, NULL, &err), WADI_FAULT);
            assert_int_equal(out.seen, 37);
            assert_true(out.aborted);
            assert_false(out.finished);
            assert_string_equal(err.msg, "quot: division of 5 by zero, element 37, at hand.c:12");
            assert_string_equal(err.at.file, "hand.c");
            assert_int_equal(err.at.line, 12);
        }
    }
}

static void elements_before_a_source_failure_are_delivered(void **state) {
    (void)state;
    hand_program h;
    hand_doubling(&h, WADI_END_SINK);
    ramp in = make_ramp(200, 101);
    check out = make_check(-1);
    wadi_run_options o = {.chunk = 16};
    wadi_error err = {0};
    assert_int_equal(run_doubling(&o, &h, &in, &out, NULL, &err), WADI_IO);
    assert_string_equal(err.msg, "the tape is torn");
    assert_int_equal(out.seen, 101);
    assert_true(out.aborted);
    assert_int_equal(out.why, WADI_IO);
}

static void a_failing_sink_stops_the_run(void **state) {
    (void)state;
    hand_program h;
    hand_doubling(&h, WADI_END_SINK);
    ramp in = make_ramp(INT64_MAX, -1);
    check out = make_check(99);
    wadi_run_options o = {.chunk = 16};
    wadi_error err = {0};
    assert_int_equal(run_doubling(&o, &h, &in, &out, NULL, &err), WADI_IO);
    assert_string_equal(err.msg, "the disk is full");
    assert_true(out.aborted);
}

/* Cancels its run after some elements. */
typedef struct canceller {
    ramp in;
    wadi_run *x;
} canceller;

static wadi_status cancelling_next(wadi_source *self, int64_t k, wadi_builder *b, wadi_error *err) {
    canceller *c = (canceller *)self;
    if (c->in.index >= 50) wadi_run_cancel(c->x);
    return ramp_next(self, k, b, err);
}

static void a_cancelled_run_stops_and_aborts_its_sink(void **state) {
    (void)state;
    static const wadi_source_ops ops = {ramp_destroy, cancelling_next};
    hand_program h;
    hand_doubling(&h, WADI_END_SINK);
    const wadi_loader loader = hand_loader(&h);
    canceller c = {.in = make_ramp(INT64_MAX, -1)};
    check out = make_check(-1);
    wadi_error err = {0};
    c.in.base.ops = &ops;
    assert_int_equal(wadi_run_create_for(&h.plan, &loader, NULL, &c.x, &err), WADI_OK);
    assert_int_equal(wadi_run_source(c.x, "in", &c.in.base, &err), WADI_OK);
    assert_int_equal(wadi_run_sink(c.x, "out", &out.base, &err), WADI_OK);
    assert_int_equal(wadi_run_go(c.x, &err), WADI_CANCELLED);
    assert_true(out.aborted);
    wadi_run_destroy(c.x);
}

static void memory_stays_within_the_budget(void **state) {
    (void)state;
    hand_program h;
    hand_doubling(&h, WADI_END_SINK);
    ramp in = make_ramp(20000, -1);
    check out = make_check(-1);
    wadi_run_options o = {.memory = 1 << 18, .chunk = 1 << 20};
    wadi_run_stats stats;
    wadi_error err = {0};
    assert_int_equal(run_doubling(&o, &h, &in, &out, &stats, &err), WADI_OK);
    assert_int_equal(out.seen, 20000);
    /* elements are small, so descriptors, size classes and scratch weigh as much as the columns the budget counts */
    assert_true(stats.memory_peak < 16 * o.memory);
}

static void chunks_too_large_for_memory_are_tried_in_halves(void **state) {
    (void)state;
    for (int64_t fault_at = -1; fault_at < 200; fault_at += 67) {
        hand_program h;
        hand_doubling(&h, WADI_END_SINK);
        h.starve_above = 9;
        h.fault_at = fault_at;
        ramp in = make_ramp(200, -1);
        check out = make_check(-1);
        wadi_run_options o = {.chunk = 50, .threads = 2, .schedule = WADI_SCHEDULE_FORCE_INSIDE};
        wadi_run_stats stats;
        wadi_error err = {0};
        const wadi_status status = run_doubling(&o, &h, &in, &out, &stats, &err);
        assert_int_equal(status, fault_at < 0 ? WADI_OK : WADI_FAULT);
        assert_int_equal(out.seen, fault_at < 0 ? 200 : fault_at);
        if (fault_at < 0) assert_true(stats.chunk_elements <= 9);
    }
}

static void elements_and_tabulate_collect(void **state) {
    (void)state;
    static const int64_t sizes[] = {1, 5, 100};
    for (int i = 0; i < 3; i++) {
        hand_program h;
        hand_doubling(&h, WADI_END_ELEMENTS);
        const wadi_loader loader = hand_loader(&h);
        ramp in = make_ramp(100, -1);
        wadi_run_options o = {.chunk = sizes[i]};
        wadi_error err = {0};
        wadi_run *x = NULL;
        wadi_array all;
        assert_int_equal(wadi_run_create_for(&h.plan, &loader, &o, &x, &err), WADI_OK);
        assert_int_equal(wadi_run_source(x, "in", &in.base, &err), WADI_OK);
        assert_int_equal(wadi_run_go(x, &err), WADI_OK);
        assert_int_equal(wadi_run_result(x, "all", &all, &err), WADI_OK);
        assert_int_equal(all.rank, 1);
        int64_t at = 0;
        for (int64_t e = 0; e < 100; e++) {
            for (int64_t k = 0; k < e % 7; k++) {
                assert_int_equal(((int32_t *)all.column[0])[at++], 2 * (e + k));
            }
        }
        assert_int_equal(all.shape[0], at);
        wadi_run_destroy(x);
    }
}

static void tabulate_refuses_ragged_elements(void **state) {
    (void)state;
    hand_program h;
    hand_doubling(&h, WADI_END_TABULATE);
    const wadi_loader loader = hand_loader(&h);
    ramp in = make_ramp(100, -1);
    wadi_error err = {0};
    wadi_run *x = NULL;
    assert_int_equal(wadi_run_create_for(&h.plan, &loader, NULL, &x, &err), WADI_OK);
    assert_int_equal(wadi_run_source(x, "in", &in.base, &err), WADI_OK);
    assert_int_equal(wadi_run_go(x, &err), WADI_FAULT);
    assert_non_null(strstr(
        err.msg, "extent 0 of component 0 and that of the first array: 1 and 0 differ, element 1"));
    wadi_run_destroy(x);
}

static void a_fold_passes_its_state_on_in_order(void **state) {
    (void)state;
    for (int64_t chunk = 1; chunk < 40; chunk += 12) {
        hand_program h;
        hand_doubling(&h, WADI_END_FOLD);
        const wadi_loader loader = hand_loader(&h);
        ramp in = make_ramp(30, -1);
        wadi_run_options o = {.chunk = chunk};
        wadi_error err = {0};
        wadi_run *x = NULL;
        wadi_array all;
        int64_t want = 1;
        for (int64_t e = 0; e < 30; e++) want = want * 3 + e % 7;
        assert_int_equal(wadi_run_create_for(&h.plan, &loader, &o, &x, &err), WADI_OK);
        assert_int_equal(wadi_run_source(x, "in", &in.base, &err), WADI_OK);
        assert_int_equal(wadi_run_go(x, &err), WADI_OK);
        assert_int_equal(wadi_run_result(x, "all", &all, &err), WADI_OK);
        assert_int_equal(*(int64_t *)all.column[0], want);
        wadi_run_destroy(x);
    }
}

/* Checks that element i is the ramp's element number 2 skip + ..: those of even length, doubled. */
typedef struct even_check {
    wadi_sink base;
    int64_t next, seen, fail_at; /* number in the ramp of the next one; elements so far */
    bool finished, aborted;
} even_check;

static wadi_status even_put(wadi_sink *self, wadi_chunk *c, wadi_error *err) {
    even_check *s = (even_check *)self;
    assert_int_equal(c->first, s->seen);
    for (int64_t i = 0; i < c->count; i++, s->seen++, s->next++) {
        if (s->seen == s->fail_at) {
            *err = (wadi_error){.status = WADI_IO, .msg = "the disk is full"};
            return WADI_IO;
        }
        while (s->next % 7 % 2 != 0) s->next++;
        const wadi_array a = wadi_chunk_array(c, 0, i);
        assert_int_equal(a.shape[0], s->next % 7);
        for (int64_t k = 0; k < a.shape[0]; k++)
            assert_int_equal(((int32_t *)a.column[0])[k], 2 * (s->next + k));
    }
    return WADI_OK;
}

static wadi_status even_finish(wadi_sink *self, wadi_error *err) {
    (void)err;
    ((even_check *)self)->finished = true;
    return WADI_OK;
}

static void even_abort(wadi_sink *self, const wadi_error *why) {
    (void)why;
    ((even_check *)self)->aborted = true;
}

static even_check make_even(int64_t skip, int64_t fail_at) {
    static const wadi_sink_ops ops = {check_destroy, even_put, even_finish, even_abort};
    even_check s = {.fail_at = fail_at};
    s.base.ops = &ops;
    for (int64_t left = skip; left > 0; s.next++) left -= s.next % 7 % 2 == 0;
    return s;
}

/* 100 elements of the ramp through filter, drop and take to a sink, and all of them to a collector. */
static wadi_status run_staged(hand_program *h, int64_t chunk, ramp *in, even_check *out,
                              int64_t *out_collected, wadi_error *err) {
    const wadi_loader loader = hand_loader(h);
    wadi_run_options o = {.chunk = chunk, .threads = 2};
    wadi_run *x = NULL;
    wadi_array all;
    assert_int_equal(wadi_run_create_for(&h->plan, &loader, &o, &x, err), WADI_OK);
    assert_int_equal(wadi_run_source(x, "in", &in->base, err), WADI_OK);
    assert_int_equal(wadi_run_sink(x, "out", &out->base, err), WADI_OK);
    const wadi_status status = wadi_run_go(x, err);
    *out_collected = -1;
    if (status == WADI_OK && wadi_run_result(x, "all", &all, err) == WADI_OK)
        *out_collected = all.shape[0];
    wadi_run_destroy(x);
    return status;
}

static void stages_hang_on_each_other(void **state) {
    (void)state;
    static const int64_t sizes[] = {1, 2, 3, 7, 40, 1000};
    static const int64_t skips[] = {0, 3, 1000}, mosts[] = {0, 5, 1000, -4};
    for (int i = 0; i < 6 * 3 * 4; i++) {
        const int64_t chunk = sizes[i % 6], skip = skips[i / 6 % 3], most = mosts[i / 18];
        hand_program h;
        hand_staged(&h, skip, most);
        ramp in = make_ramp(100, -1);
        even_check out = make_even(skip, -1);
        wadi_error err = {0};
        int64_t collected = 0;
        assert_int_equal(run_staged(&h, chunk, &in, &out, &collected, &err), WADI_OK);
        int64_t values = 0, even = 0;
        for (int64_t e = 0; e < 100; e++) values += e % 7, even += e % 7 % 2 == 0;
        const int64_t left = even > skip ? even - skip : 0;
        assert_int_equal(out.seen, most < 0 ? 0 : left < most ? left : most);
        assert_int_equal(collected, values);
        assert_true(out.finished);
        assert_false(out.aborted);
    }
}

static void a_stream_ends_when_nobody_wants_more(void **state) {
    (void)state;
    hand_program h;
    hand_staged(&h, 2, 20);
    h.phase.stream.nends = 1; /* the sink alone */
    h.plan.noutputs = 0;
    ramp in = make_ramp(INT64_MAX, -1);
    even_check out = make_even(2, -1);
    wadi_error err = {0};
    int64_t collected = 0;
    assert_int_equal(run_staged(&h, 0, &in, &out, &collected, &err), WADI_OK);
    assert_int_equal(out.seen, 20);
    assert_true(out.finished);
}

static void a_fault_behind_the_last_element_wanted_is_none(void **state) {
    (void)state;
    for (int64_t chunk = 1; chunk < 100; chunk += 14) {
        hand_program h;
        hand_staged(&h, 2, 3);
        h.phase.stream.nends = 1;
        h.plan.noutputs = 0;
        h.fault_at = 12;
        ramp in = make_ramp(100, -1);
        even_check out = make_even(2, -1);
        wadi_error err = {0};
        int64_t collected = 0;
        assert_int_equal(run_staged(&h, chunk, &in, &out, &collected, &err), WADI_OK);
        assert_int_equal(out.seen, 3);
        hand_staged(&h, 2, 30);
        h.fault_at = 12;
        in = make_ramp(100, -1);
        out = make_even(2, -1);
        assert_int_equal(run_staged(&h, chunk, &in, &out, &collected, &err), WADI_FAULT);
        assert_non_null(strstr(err.msg, "element 12"));
        assert_int_equal(out.seen,
                         5); /* 0 2 4 6 7 9 11 are even and come before; two are dropped */
        assert_true(out.aborted);
    }
}

static void a_failing_sink_behind_stages_stops_the_run(void **state) {
    (void)state;
    hand_program h;
    hand_staged(&h, 0, 1000);
    ramp in = make_ramp(INT64_MAX, -1);
    even_check out = make_even(0, 50);
    wadi_error err = {0};
    int64_t collected = 0;
    assert_int_equal(run_staged(&h, 10, &in, &out, &collected, &err), WADI_IO);
    assert_string_equal(err.msg, "the disk is full");
    assert_int_equal(out.seen, 50);
    assert_true(out.aborted);
}

/* The second end of hand_staged as a sink as well: all elements, doubled. */
static void no_sink_is_finished_when_another_fails(void **state) {
    (void)state;
    for (int64_t fail_at = 0; fail_at < 100; fail_at += 33) {
        hand_program h;
        hand_staged(&h, 0, 1000);
        h.end[1].kind = WADI_END_SINK;
        h.end[1].name = "all";
        h.plan.noutputs = 0;
        const wadi_loader loader = hand_loader(&h);
        ramp in = make_ramp(100, -1);
        even_check even = make_even(0, -1);
        check all = make_check(fail_at);
        wadi_run_options o = {.chunk = 7, .threads = 1};
        wadi_error err = {0};
        wadi_run *x = NULL;
        assert_int_equal(wadi_run_create_for(&h.plan, &loader, &o, &x, &err), WADI_OK);
        assert_int_equal(wadi_run_source(x, "in", &in.base, &err), WADI_OK);
        assert_int_equal(wadi_run_sink(x, "out", &even.base, &err), WADI_OK);
        assert_int_equal(wadi_run_sink(x, "all", &all.base, &err), WADI_OK);
        assert_int_equal(wadi_run_go(x, &err), WADI_IO);
        assert_true(all.aborted && even.aborted);
        assert_false(all.finished || even.finished);
        wadi_run_destroy(x);
    }
}

static void what_is_regular_is_collected_in_place(void **state) {
    (void)state;
    static const int64_t sizes[] = {1, 2, 3, 7, 100, 5000};
    for (int i = 0; i < 12; i++) {
        hand_program h;
        hand_counting(&h);
        h.end[0].kind = i < 6 ? WADI_END_TABULATE : WADI_END_ELEMENTS;
        if (i >= 6) h.slot[5].rank = 1; /* of the result */
        const wadi_loader loader = hand_loader(&h);
        int64_t n = 4000;
        const int64_t bytes = n * 3 * (int64_t)sizeof(int64_t);
        const wadi_run_options o = {.chunk = sizes[i % 6], .threads = 2};
        wadi_array count = {.fields = 1, .type = {WADI_I64}, .column = {&n}};
        wadi_array table;
        wadi_run_stats stats;
        wadi_error err = {0};
        wadi_run *x = NULL;
        assert_int_equal(wadi_run_create_for(&h.plan, &loader, &o, &x, &err), WADI_OK);
        assert_int_equal(wadi_run_input(x, "n", &count, &err), WADI_OK);
        assert_int_equal(wadi_run_go(x, &err), WADI_OK);
        assert_int_equal(wadi_run_result(x, "table", &table, &err), WADI_OK);
        assert_int_equal(table.shape[0], i < 6 ? n : 3 * n);
        for (int64_t k = 0; k < 3 * n; k++)
            assert_int_equal(((int64_t *)table.column[0])[k], k / 3 * 10 + k % 3);
        wadi_run_stats_get(x, &stats);
        if (sizes[i % 6] <= 100)
            assert_true(stats.memory_peak < 2 * bytes); /* grown: three times */
        wadi_run_destroy(x);
    }
}

static void what_a_run_measured_stays_when_it_has_ended(void **state) {
    (void)state;
    hand_program h;
    hand_counting(&h);
    const wadi_loader loader = hand_loader(&h);
    int64_t n = 1000;
    wadi_array count = {.fields = 1, .type = {WADI_I64}, .column = {&n}};
    wadi_run_stats first, second;
    wadi_run *x = NULL;
    assert_int_equal(wadi_run_create_for(&h.plan, &loader, NULL, &x, NULL), WADI_OK);
    wadi_run_stats_get(x, &first);
    assert_true(first.elapsed_s == 0); /* it has not begun */
    assert_int_equal(wadi_run_input(x, "n", &count, NULL), WADI_OK);
    assert_int_equal(wadi_run_go(x, NULL), WADI_OK);
    wadi_run_stats_get(x, &first);
    assert_true(first.elapsed_s > 0);
    assert_int_equal(nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL), 0);
    wadi_run_stats_get(x, &second);
    assert_memory_equal(&first, &second, sizeof first);
    wadi_run_destroy(x);
}

static void a_counter_feeds_the_index(void **state) {
    (void)state;
    hand_program h;
    hand_counting(&h);
    const wadi_loader loader = hand_loader(&h);
    int64_t n = 1000;
    wadi_array count = {.fields = 1, .type = {WADI_I64}, .column = {&n}};
    wadi_array table;
    wadi_error err = {0};
    wadi_run *x = NULL;
    assert_int_equal(wadi_run_create_for(&h.plan, &loader, NULL, &x, &err), WADI_OK);
    assert_int_equal(wadi_run_input(x, "n", &count, &err), WADI_OK);
    assert_int_equal(wadi_run_go(x, &err), WADI_OK);
    assert_int_equal(wadi_run_result(x, "table", &table, &err), WADI_OK);
    assert_int_equal(table.rank, 2);
    assert_int_equal(table.shape[0], 1000);
    assert_int_equal(table.shape[1], 3);
    for (int64_t i = 0; i < 3000; i++) {
        assert_int_equal(((int64_t *)table.column[0])[i], i / 3 * 10 + i % 3);
    }
    wadi_run_destroy(x);
}

static void what_is_bound_must_fit(void **state) {
    (void)state;
    hand_program h;
    hand_doubling(&h, WADI_END_SINK);
    const wadi_loader loader = hand_loader(&h);
    ramp in = make_ramp(1, -1);
    check out = make_check(-1);
    wadi_error err = {0};
    wadi_run *x = NULL;
    assert_int_equal(wadi_run_create_for(&h.plan, &loader, NULL, &x, &err), WADI_OK);
    assert_int_equal(wadi_run_source(x, "im", &in.base, &err), WADI_INVALID);
    assert_string_equal(err.msg, "the program has no source \"im\"");
    in.base.part[0].type[0] = WADI_F32;
    assert_int_equal(wadi_run_source(x, "in", &in.base, &err), WADI_TYPE);
    assert_string_equal(err.msg, "in: f32, but the program takes i32");
    in.base.part[0] = wadi_part_irregular(WADI_I32, 2);
    assert_int_equal(wadi_run_source(x, "in", &in.base, &err), WADI_SHAPE);
    assert_int_equal(wadi_run_sink(x, "out", &out.base, &err), WADI_OK);
    assert_int_equal(wadi_run_go(x, &err), WADI_INVALID);
    assert_string_equal(err.msg, "source \"in\" is not bound");
    wadi_run_destroy(x);
    const wadi_run_options bad = {.policy = "lucky"};
    assert_int_equal(wadi_run_create_for(&h.plan, &loader, &bad, &x, &err), WADI_INVALID);
    assert_string_equal(err.msg, "no chunk policy \"lucky\"; there are: probe, paper, fixed");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_schedule_size_and_thread_count_gives_the_same),
        cmocka_unit_test(an_empty_stream_finishes_its_sink),
        cmocka_unit_test(a_fault_is_the_same_however_the_stream_is_cut),
        cmocka_unit_test(elements_before_a_source_failure_are_delivered),
        cmocka_unit_test(a_failing_sink_stops_the_run),
        cmocka_unit_test(a_cancelled_run_stops_and_aborts_its_sink),
        cmocka_unit_test(memory_stays_within_the_budget),
        cmocka_unit_test(chunks_too_large_for_memory_are_tried_in_halves),
        cmocka_unit_test(elements_and_tabulate_collect),
        cmocka_unit_test(tabulate_refuses_ragged_elements),
        cmocka_unit_test(a_fold_passes_its_state_on_in_order),
        cmocka_unit_test(stages_hang_on_each_other),
        cmocka_unit_test(a_stream_ends_when_nobody_wants_more),
        cmocka_unit_test(a_fault_behind_the_last_element_wanted_is_none),
        cmocka_unit_test(a_failing_sink_behind_stages_stops_the_run),
        cmocka_unit_test(no_sink_is_finished_when_another_fails),
        cmocka_unit_test(what_is_regular_is_collected_in_place),
        cmocka_unit_test(what_a_run_measured_stays_when_it_has_ended),
        cmocka_unit_test(a_counter_feeds_the_index),
        cmocka_unit_test(what_is_bound_must_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
