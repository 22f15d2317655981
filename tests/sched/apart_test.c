/* Stages and folds that run in a thread of their own: what comes out, and how a run ends, are as they are when all is joined. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/error.h"
#include "base/task.h"
#include "base/thread.h"
#include "sched/run.h"
#include "sched/run/stream.h"
#include "tests/sched/hand_plan.h"

static void rest(void) {
    const struct timespec ms = {0, 1000000};
    (void)nanosleep(&ms, NULL);
}

/* ---- a source of i32[i % 5], which may fail or fall silent at one element ---- */

typedef struct ramp {
    wadi_source base;
    int64_t n, next, fail_at, silent_at;
    atomic_llong made;
    atomic_bool forgotten; /* it was silent, and nobody has stopped it */
} ramp;

static void nothing_to_destroy(wadi_source *self) {
    (void)self;
}

/* Nothing comes any more until somebody says that nothing need come. */
static wadi_status fall_silent(ramp *r, wadi_error *err) {
    for (int ms = 0; ms < 5000; ms++) {
        if (wadi_task_stopped()) return wadi_fail(err, WADI_CANCELLED, "stopped");
        rest();
    }
    atomic_store(&r->forgotten, true);
    return wadi_fail(err, WADI_IO, "nobody has stopped the source");
}

static wadi_status ramp_next(wadi_source *self, int64_t k, wadi_builder *b, wadi_error *err) {
    ramp *r = (ramp *)self;
    for (; b->count < k && r->next < r->n; r->next++) {
        const int64_t shape = r->next % 5;
        wadi_array a;
        if (r->next == r->fail_at) return wadi_fail(err, WADI_IO, "the source is broken");
        if (r->next == r->silent_at) {
            if (b->count > 0) return WADI_OK;
            return fall_silent(r, err);
        }
        WADI_TRY(wadi_builder_array(b, 0, &shape, &a, err));
        for (int64_t i = 0; i < shape; i++) ((int32_t *)a.column[0])[i] = (int32_t)r->next;
        WADI_TRY(wadi_builder_next(b, err));
        atomic_fetch_add(&r->made, 1);
    }
    return WADI_OK;
}

static void ramp_init(ramp *r, int64_t n) {
    static const wadi_source_ops ops = {nothing_to_destroy, ramp_next};
    *r = (ramp){.n = n, .fail_at = -1, .silent_at = -1};
    r->base.ops = &ops;
    r->base.parts = 1;
    r->base.part[0] = wadi_part_irregular(WADI_I32, 1);
}

/* ---- a sink that adds up what it gets, and may fail, or wait until the run is cancelled ---- */

typedef struct adding {
    wadi_sink base;
    int64_t seen, fail_at, wait_at;
    uint64_t sum;
    atomic_bool waits;
    bool finished, aborted;
} adding;

static void sink_destroy(wadi_sink *self) {
    (void)self;
}

static wadi_status adding_put(wadi_sink *self, wadi_chunk *c, wadi_error *err) {
    adding *a = (adding *)self;
    for (int64_t s = 0; s < c->count; s++, a->seen++) {
        const wadi_array got = wadi_chunk_array(c, 0, s);
        if (a->seen == a->fail_at) return wadi_fail(err, WADI_IO, "the sink is broken");
        while (a->seen == a->wait_at && !wadi_task_stopped()) {
            atomic_store(&a->waits, true);
            rest();
        }
        for (int64_t i = 0; i < got.shape[0]; i++)
            a->sum = a->sum * 31 + (uint64_t)((const int32_t *)got.column[0])[i];
    }
    return WADI_OK;
}

static wadi_status adding_finish(wadi_sink *self, wadi_error *err) {
    (void)err;
    ((adding *)self)->finished = true;
    return WADI_OK;
}

static void adding_abort(wadi_sink *self, const wadi_error *why) {
    (void)why;
    ((adding *)self)->aborted = true;
}

static void adding_init(adding *a) {
    static const wadi_sink_ops ops = {sink_destroy, adding_put, adding_finish, adding_abort};
    *a = (adding){.fail_at = -1, .wait_at = -1};
    a->base.ops = &ops;
}

/* ---- rules ---- */

/* The seam to be at, or all of them in turn, each for `stay` chunks, if it is below -1. */
typedef struct rule {
    int at, stay, chunks, seams;
} rule;

static int choose(void *env, int seams) {
    rule *r = env;
    r->seams = seams;
    if (r->at >= -1) return r->at < seams ? r->at : seams - 1;
    return r->chunks++ / r->stay % (seams + 1) - 1;
}

/* ---- runs ---- */

static const char *device; /* of all of them */

typedef struct trial {
    hand_program hand;
    ramp in;
    adding out;
    bool sink;
    rule rule;
    wadi_run_options options;
    wadi_run *run;
    wadi_status status;
    wadi_error err;
    wadi_run_stats stats;
    int64_t values; /* of the result */
    uint64_t sum;
} trial;

static uint64_t sum_of(const wadi_array *a) {
    uint64_t sum = 0;
    const int64_t n = a->rank == 0 ? 1 : a->shape[0];
    for (int64_t i = 0; i < n; i++)
        sum = sum * 31 + (a->type[0] == WADI_I64 ? (uint64_t)((const int64_t *)a->column[0])[i]
                                                 : (uint64_t)((const int32_t *)a->column[0])[i]);
    return sum;
}

static void open_trial(trial *t) {
    const wadi_loader loader = hand_loader(&t->hand);
    assert_int_equal(wadi_run_create_for(&t->hand.plan, &loader, &t->options, &t->run, &t->err),
                     WADI_OK);
    assert_int_equal(wadi_run_source(t->run, "in", &t->in.base, &t->err), WADI_OK);
    if (t->sink) assert_int_equal(wadi_run_sink(t->run, "out", &t->out.base, &t->err), WADI_OK);
    if (t->rule.stay > 0) wadi_run_seam_by(t->run, (wadi_seam_rule){choose, &t->rule});
}

static void close_trial(trial *t) {
    wadi_array all;
    wadi_run_stats_get(t->run, &t->stats);
    if (t->status == WADI_OK && t->hand.plan.noutputs > 0) {
        assert_int_equal(wadi_run_result(t->run, "all", &all, NULL), WADI_OK);
        t->values = all.rank == 0 ? 1 : all.shape[0];
        t->sum = sum_of(&all);
    }
    wadi_run_destroy(t->run);
}

static void go(trial *t) {
    open_trial(t);
    t->status = wadi_run_go(t->run, &t->err);
    close_trial(t);
}

static void staged(trial *t, int64_t n, int64_t skip, int64_t most, int at) {
    memset(t, 0, sizeof *t);
    hand_staged(&t->hand, skip, most);
    ramp_init(&t->in, n);
    adding_init(&t->out);
    t->sink = true;
    t->options = (wadi_run_options){.threads = 1, .chunk = 7, .device = device};
    t->rule = (rule){.at = at, .stay = 1};
}

static void assert_alike(const trial *a, const trial *b) {
    assert_int_equal(a->status, b->status);
    assert_string_equal(a->err.msg, b->err.msg);
    assert_int_equal(a->out.seen, b->out.seen);
    assert_int_equal(a->out.sum, b->out.sum);
    assert_int_equal(a->out.finished, b->out.finished);
    assert_int_equal(a->out.aborted, b->out.aborted);
    assert_int_equal(a->values, b->values);
    assert_int_equal(a->sum, b->sum);
}

/* ---- the tests ---- */

static void seams_are_where_elements_come_by_one_way(void **state) {
    (void)state;
    static const int none[] = {0}, first[] = {1}, both[] = {1, 2}, third[] = {3};
    wadi_plan_stage stage[5] = {{.change = WADI_CHANGE_READ},
                                {.change = WADI_CHANGE_FILTER, .ninputs = 1, .inputs = none},
                                {.change = WADI_CHANGE_DROP, .ninputs = 1, .inputs = first},
                                {.change = WADI_CHANGE_ZIP, .ninputs = 2, .inputs = both},
                                {.change = WADI_CHANGE_TAKE, .ninputs = 1, .inputs = third}};
    const wadi_plan_end end[2] = {{.kind = WADI_END_FOLD, .stage = 2},
                                  {.kind = WADI_END_SINK, .stage = 4}};
    const wadi_plan_stream plan = {.nstages = 5, .stages = stage, .nends = 2, .ends = end};
    wadi_seam seam[7];
    assert_int_equal(wadi_seam_list(&plan, seam), 3);
    assert_int_equal(seam[0].stage, 1); /* stage 2 would leave the zip with one half */
    assert_int_equal(seam[1].stage, 4);
    assert_int_equal(seam[2].stage, -1);
    assert_int_equal(seam[2].end, 0);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(wadi_seam_has_stage(&plan, &seam[0], i), i >= 1);
        assert_int_equal(wadi_seam_has_stage(&plan, &seam[1], i), i == 4);
        assert_false(wadi_seam_has_stage(&plan, &seam[2], i));
    }
    assert_true(wadi_seam_has_end(&plan, &seam[0], 0) && wadi_seam_has_end(&plan, &seam[0], 1));
    assert_true(!wadi_seam_has_end(&plan, &seam[1], 0) && wadi_seam_has_end(&plan, &seam[1], 1));
    assert_true(wadi_seam_has_end(&plan, &seam[2], 0) && !wadi_seam_has_end(&plan, &seam[2], 1));
}

/* At each seam, and with stages that move to and fro. */
static void consumers_get_the_same(void **state) {
    (void)state;
    static const int64_t sizes[] = {1, 7, 100};
    for (int i = 0; i < 3; i++) {
        trial joined;
        staged(&joined, 500, 11, 150, -1);
        joined.options.chunk = sizes[i];
        go(&joined);
        assert_int_equal(joined.status, WADI_OK);
        assert_int_equal(joined.out.seen, 150);
        assert_int_equal(joined.stats.stages_apart, 0);
        for (int at = -3; at < 3; at++) {
            trial t;
            if (at == -1) continue;
            staged(&t, 500, 11, 150, at);
            t.options.chunk = sizes[i];
            t.rule.stay = -at;
            if (t.rule.stay <= 0) t.rule.stay = 1;
            go(&t);
            assert_alike(&joined, &t);
            assert_int_equal(t.rule.seams, 3);
            if (at >= 0) assert_int_equal(t.stats.elements, joined.stats.elements);
        }
    }
}

static void the_option_decides(void **state) {
    (void)state;
    for (int stages = WADI_STAGES_JOINED; stages <= WADI_STAGES_APART; stages++) {
        trial t;
        staged(&t, 100, 0, 1000, 0);
        t.rule.stay = 0;
        t.options.stages = (wadi_stages_option)stages;
        go(&t);
        assert_int_equal(t.status, WADI_OK);
        assert_int_equal(t.out.seen, 60);
        assert_int_equal(t.stats.stages_apart, stages == WADI_STAGES_APART ? 1 : 0);
        assert_true((t.stats.apart_s > 0) == (stages == WADI_STAGES_APART));
    }
    trial t;
    staged(&t, 100, 0, 1000, 0);
    t.options.stages = (wadi_stages_option)7;
    const wadi_loader loader = hand_loader(&t.hand);
    assert_int_equal(wadi_run_create_for(&t.hand.plan, &loader, &t.options, &t.run, &t.err),
                     WADI_INVALID);
}

/* The state of a fold at an end: it begins with the compute thread, goes, comes back, .. */
static void a_fold_keeps_its_state(void **state) {
    (void)state;
    uint64_t want = 0;
    for (int at = -3; at < 1; at++) {
        trial t = {.options = {.threads = 2, .chunk = 3, .device = device},
                   .rule = {.at = at, .stay = 1}};
        hand_doubling(&t.hand, WADI_END_FOLD);
        ramp_init(&t.in, 100);
        if (at < -1) t.rule.stay = -1 - at;
        go(&t);
        assert_int_equal(t.status, WADI_OK);
        assert_int_equal(t.rule.seams, 1);
        if (at == -3) want = t.sum;
        assert_int_equal(t.sum, want);
        assert_int_equal(t.stats.elements, 100);
        assert_int_equal(t.stats.stages_apart, at == 0 ? 1 : t.stats.stages_apart);
    }
    uint64_t sum = 1;
    for (uint64_t i = 0; i < 100; i++) sum = sum * 3 + i % 5;
    assert_int_equal(want, sum);
}

/* An element before the seam fails, or the source, or the sink behind it, or two of them, at any element. */
static void failures_are_told_alike(void **state) {
    (void)state;
    for (int who = 1; who < 8; who++) {
        for (int64_t i = 0; i < 40; i += 3) {
            trial joined;
            staged(&joined, 60, 2, 1000, -1);
            for (int at = -2; at < 3; at++) {
                trial t;
                staged(&t, 60, 2, 1000, at);
                t.options.chunk = 1 + i % 4;
                if (who & 1) t.hand.fault_at = i;
                if (who & 2) t.in.fail_at = 40 - i;
                if (who & 4) t.out.fail_at = 20 - i / 2;
                go(&t);
                if (at == -2) joined = t;
                assert_int_not_equal(t.status, WADI_OK);
                assert_true(t.out.aborted);
                if (at > -1 && (who & 4) == 0) assert_alike(&joined, &t);
            }
        }
    }
}

/* A take behind the seam has had enough: the source is asked for few elements more, and one that has fallen silent is stopped. */
static void enough_is_enough(void **state) {
    (void)state;
    for (int at = -1; at < 3; at++) {
        for (int silent = 0; silent < 2; silent++) {
            trial t;
            staged(&t, 100000, 0, 6, at);
            t.hand.phase.stream.nends = 1; /* nobody else wants elements */
            t.hand.plan.noutputs = 0;
            if (silent) t.in.silent_at = 14;
            go(&t);
            assert_int_equal(t.status, WADI_OK);
            assert_int_equal(t.out.seen, 6);
            assert_true(t.out.finished);
            assert_false(atomic_load(&t.in.forgotten));
            assert_true(atomic_load(&t.in.made) <= 14 + 12 * 7);
        }
    }
}

/* The failure behind the seam ends a run whose source has fallen silent. */
static void a_failure_apart_is_told_at_once(void **state) {
    (void)state;
    for (int at = 0; at < 3; at++) {
        trial t;
        staged(&t, 1000, 0, 100, at);
        t.options.chunk = 1;
        t.in.silent_at = 100;
        t.out.fail_at = 0;
        go(&t);
        assert_int_equal(t.status, WADI_IO);
        assert_string_equal(t.err.msg, "the sink is broken");
        assert_false(atomic_load(&t.in.forgotten));
    }
}

static void cancel(void *env) {
    trial *t = env;
    while (!atomic_load(&t->out.waits)) rest();
    for (int ms = 0; ms < 100; ms++) rest(); /* until all links are full */
    wadi_run_cancel(t->run);
}

static void cancelling_ends_what_is_full(void **state) {
    (void)state;
    for (int at = 0; at < 3; at++) {
        trial t;
        wadi_thread other = {0};
        staged(&t, 100000, 0, 100000, at);
        t.out.wait_at = 5;
        open_trial(&t);
        assert_int_equal(wadi_thread_start(&other, cancel, &t, NULL), WADI_OK);
        t.status = wadi_run_go(t.run, &t.err);
        wadi_thread_join(&other);
        close_trial(&t);
        assert_int_equal(t.status, WADI_CANCELLED);
        assert_true(t.out.aborted);
        assert_true(atomic_load(&t.in.made) < 1000);
    }
}

static wadi_status no_device(const wadi_device_options *options, wadi_device **out,
                             wadi_error *err) {
    (void)options;
    (void)out;
    return wadi_fail(err, WADI_MEMORY, "out of memory");
}

/* Without memory for a crew a stream goes on joined. */
static void a_stream_does_without_a_crew(void **state) {
    (void)state;
    const wadi_device_row row = {.name = "none", .about = "cannot be opened", .open = no_device};
    trial t;
    staged(&t, 500, 0, 1000, 0);
    open_trial(&t);
    t.run->chosen.row = &row;
    t.status = wadi_run_go(t.run, &t.err);
    assert_int_equal(t.status, WADI_OK);
    close_trial(&t);
    assert_int_equal(t.out.seen, 300);
    assert_int_equal(t.stats.stages_apart, 0);
}

static int on_null(void **state) {
    (void)state;
    device = "null";
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(consumers_get_the_same),
        cmocka_unit_test(the_option_decides),
        cmocka_unit_test(a_fold_keeps_its_state),
        cmocka_unit_test(failures_are_told_alike),
        cmocka_unit_test(enough_is_enough),
        cmocka_unit_test(a_failure_apart_is_told_at_once),
        cmocka_unit_test(cancelling_ends_what_is_full),
    };
    const struct CMUnitTest of_cpu[] = {
        cmocka_unit_test(seams_are_where_elements_come_by_one_way),
        cmocka_unit_test(a_stream_does_without_a_crew),
    };
    const int failed = cmocka_run_group_tests_name("on cpu", tests, NULL, NULL) +
                       cmocka_run_group_tests(of_cpu, NULL, NULL);
    return failed + cmocka_run_group_tests_name("on null", tests, on_null, NULL);
}
