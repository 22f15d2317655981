/* Several devices that share a stream: what comes out, and how a run ends, are as they are on one device, whoever computes what, and
 * whatever becomes of a device. */
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
#include "base/log.h"
#include "base/task.h"
#include "base/thread.h"
#include "sched/run.h"
#include "sched/run/stream.h"
#include "tests/sched/hand_plan.h"

static void rest(int64_t ns) {
    const struct timespec t = {ns / 1000000000, ns % 1000000000};
    (void)nanosleep(&t, NULL);
}

/* ---- a device that dies, or is slow, over another one ---- */

typedef struct patient {
    wadi_device base;
    wadi_device *inner;
    int64_t launches, dies_at, sleeps_from, sleep_ns; /* launch -1: never */
    bool dead;
} patient;

static patient *patient_of(const wadi_device *self) {
    return (patient *)(uintptr_t)self;
}

static void p_destroy(wadi_device *self) {
    patient *p = patient_of(self);
    p->inner->ops->destroy(p->inner);
}

static int64_t p_busy_ns(const wadi_device *self) {
    return patient_of(self)->inner->ops->busy_ns(patient_of(self)->inner);
}

static int p_workers(const wadi_device *self) {
    return patient_of(self)->inner->ops->workers(patient_of(self)->inner);
}

static bool p_begin(wadi_device *self, const wadi_device_work *work) {
    return patient_of(self)->inner->ops->begin(patient_of(self)->inner, work);
}

static void p_end(wadi_device *self) {
    patient_of(self)->inner->ops->end(patient_of(self)->inner);
}

static void p_launch(wadi_device *self, wadi_launch *l) {
    patient *p = patient_of(self);
    const int64_t number = p->launches++;
    if (p->sleeps_from >= 0 && number >= p->sleeps_from) rest(p->sleep_ns);
    if (p->dies_at >= 0 && number >= p->dies_at) p->dead = true;
    p->inner->ops->launch(p->inner, l); /* a dead one computes too, and means nothing */
}

static bool p_expect(wadi_device *self, int slot, int64_t count) {
    return patient_of(self)->inner->ops->expect(patient_of(self)->inner, slot, count);
}

static bool p_finish(wadi_device *self, const int *slots, int n, bool whole) {
    return patient_of(self)->inner->ops->finish(patient_of(self)->inner, slots, n, whole);
}

static void p_iota(wadi_device *self, int64_t *to, int64_t n, int64_t first) {
    patient_of(self)->inner->ops->iota(patient_of(self)->inner, to, n, first);
}

static int64_t p_scan(wadi_device *self, int64_t *at, int64_t n) {
    return patient_of(self)->inner->ops->scan(patient_of(self)->inner, at, n);
}

static int64_t p_count(wadi_device *self, const void *bools, int64_t n) {
    return patient_of(self)->inner->ops->count(patient_of(self)->inner, bools, n);
}

static void p_gather(wadi_device *self, const wadi_device_gather *g) {
    patient_of(self)->inner->ops->gather(patient_of(self)->inner, g);
}

static bool p_routine(wadi_device *self, const wadi_device_calls *batch) {
    return patient_of(self)->inner->ops->routine(patient_of(self)->inner, batch);
}

static wadi_status p_wait(wadi_device *self, wadi_error *err) {
    patient *p = patient_of(self);
    if (p->dead) return wadi_fail(err, WADI_DEVICE, "it has fallen off the bus");
    return p->inner->ops->wait(p->inner, err);
}

static const wadi_device_ops patient_ops = {.destroy = p_destroy,
                                            .busy_ns = p_busy_ns,
                                            .workers = p_workers,
                                            .begin = p_begin,
                                            .end = p_end,
                                            .launch = p_launch,
                                            .expect = p_expect,
                                            .finish = p_finish,
                                            .iota = p_iota,
                                            .scan = p_scan,
                                            .count = p_count,
                                            .gather = p_gather,
                                            .routine = p_routine,
                                            .wait = p_wait};

/* ---- a source of i32[i % 5], which may fail ---- */

typedef struct ramp {
    wadi_source base;
    int64_t n, next, fail_at;
} ramp;

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

static void ramp_init(ramp *r, int64_t n) {
    static const wadi_source_ops ops = {nothing_to_destroy, ramp_next};
    *r = (ramp){.n = n, .fail_at = -1};
    r->base.ops = &ops;
    r->base.parts = 1;
    r->base.part[0] = wadi_part_irregular(WADI_I32, 1);
}

/* ---- a sink that adds up what it gets, and may fail ---- */

typedef struct adding {
    wadi_sink base;
    int64_t seen, fail_at;
    uint64_t sum;
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
    *a = (adding){.fail_at = -1};
    a->base.ops = &ops;
}

/* ---- runs ---- */

enum { IN_TURN = -2 };

typedef struct trial {
    hand_program hand;
    ramp in;
    adding out;
    patient patient; /* what device number 1 becomes */
    int who;         /* computes: a device, -1: all, or all of these in turn */
    int chunks, cancel_at;
    int stage;
    wadi_run_options options;
    wadi_run *run;
    wadi_status status;
    wadi_error err;
    wadi_run_stats stats;
    uint64_t sum;
} trial;

static int choose(void *env, int devices) {
    trial *t = env;
    if (t->chunks++ == t->cancel_at) wadi_run_cancel(t->run);
    return t->who == IN_TURN ? t->chunks / 3 % (devices + 1) - 1 : t->who;
}

static wadi_device *wrap(void *env, int number, wadi_device *owned_d) {
    trial *t = env;
    if (number != 1) return owned_d;
    t->patient.base = (wadi_device){&patient_ops, owned_d->residence, owned_d->images};
    t->patient.inner = owned_d;
    return &t->patient.base;
}

static uint64_t sum_of(const wadi_array *a) {
    uint64_t sum = 0;
    const int64_t n = a->rank == 0 ? 1 : a->shape[0];
    for (int64_t i = 0; i < n; i++)
        sum = sum * 31 + (a->type[0] == WADI_I64 ? (uint64_t)((const int64_t *)a->column[0])[i]
                                                 : (uint64_t)((const int32_t *)a->column[0])[i]);
    return sum;
}

static void go(trial *t) {
    const wadi_loader loader = hand_loader(&t->hand);
    wadi_array all;
    assert_int_equal(wadi_run_create_for(&t->hand.plan, &loader, &t->options, &t->run, &t->err),
                     WADI_OK);
    assert_int_equal(wadi_run_source(t->run, "in", &t->in.base, &t->err), WADI_OK);
    wadi_status sink = wadi_run_sink(t->run, "out", &t->out.base, NULL);
    (void)sink; /* some programs have none */
    wadi_run_share_by(
        t->run, (wadi_share_rule){.choose = choose, .stage = t->stage, .wrap = wrap, .env = t});
    t->status = wadi_run_go(t->run, &t->err);
    wadi_run_stats_get(t->run, &t->stats);
    if (t->status == WADI_OK && t->hand.plan.noutputs > 0) {
        assert_int_equal(wadi_run_result(t->run, "all", &all, NULL), WADI_OK);
        t->sum = sum_of(&all);
    }
    t->stats.device = NULL; /* the run's */
    wadi_run_destroy(t->run);
}

static void staged(trial *t, const char *devices, int who) {
    memset(t, 0, sizeof *t);
    hand_staged(&t->hand, 11, 150);
    ramp_init(&t->in, 500);
    adding_init(&t->out);
    t->options = (wadi_run_options){.threads = 1, .chunk = 7, .device = devices};
    t->who = who;
    t->cancel_at = -1;
    t->patient = (patient){.dies_at = -1, .sleeps_from = -1};
}

static void assert_alike(const trial *a, const trial *b) {
    assert_int_equal(a->status, b->status);
    assert_string_equal(a->err.msg, b->err.msg);
    assert_int_equal(a->out.seen, b->out.seen);
    assert_int_equal(a->out.sum, b->out.sum);
    assert_int_equal(a->out.finished, b->out.finished);
    assert_int_equal(a->out.aborted, b->out.aborted);
    assert_int_equal(a->sum, b->sum);
}

static const char *const lists[] = {"cpu,null", "null,cpu", "cpu,null,null:1,null:2",
                                    "null,null:1"};

/* ---- the tests ---- */

static void consumers_get_the_same(void **state) {
    (void)state;
    static const int64_t sizes[] = {1, 7, 100, 1000};
    for (int i = 0; i < 4 * 4; i++) {
        trial one;
        staged(&one, "cpu", 0);
        one.options.chunk = sizes[i % 4];
        go(&one);
        assert_int_equal(one.status, WADI_OK);
        assert_int_equal(one.out.seen, 150);
        assert_string_equal(one.stats.shares, "");
        for (int who = IN_TURN; who < 2; who++)
            for (int stage = 0; stage < 4; stage++) {
                trial t;
                staged(&t, lists[i / 4], who);
                t.options.chunk = sizes[i % 4];
                t.options.threads = 1 + i % 2;
                t.stage = stage;
                go(&t);
                assert_alike(&one, &t);
            }
    }
}

static void a_device_that_is_asked_computes(void **state) {
    (void)state;
    trial t;
    staged(&t, "cpu,null", 1);
    go(&t);
    assert_string_equal(t.stats.shares, "cpu 0 %, null 100 %");
    assert_true(t.patient.launches > 0);
    staged(&t, "cpu,null", 0);
    go(&t);
    assert_string_equal(t.stats.shares, "cpu 100 %, null 0 %");
    assert_true(t.patient.launches <= WADI_TEAM_REHEARSALS); /* whose results are dropped */
}

static void folds_stay_in_order(void **state) {
    (void)state;
    uint64_t want = 1;
    for (uint64_t i = 0; i < 100; i++) want = want * 3 + i % 5;
    for (int i = 0; i < 4; i++)
        for (int who = IN_TURN; who < 2; who++) {
            trial t;
            staged(&t, lists[i], who);
            hand_doubling(&t.hand, WADI_END_FOLD);
            ramp_init(&t.in, 100);
            t.options.chunk = 3;
            go(&t);
            assert_int_equal(t.status, WADI_OK);
            assert_int_equal(t.sum, want);
            assert_int_equal(t.stats.elements, 100);
        }
}

/* An element, or the source, or the sink, or two of them. */
static void failures_are_told_alike(void **state) {
    (void)state;
    for (int who = 1; who < 4; who++)
        for (int64_t i = 0; i < 40; i += 3) {
            trial one;
            staged(&one, "cpu", 0);
            for (int list = -1; list < 4; list++) {
                trial t;
                staged(&t, list < 0 ? "cpu" : lists[list], i % 2 ? -1 : IN_TURN);
                t.options.chunk = 1 + i % 4;
                t.stage = (int)(i / 2 % 3);
                if (who & 1) t.hand.fault_at = i;
                if (who & 2) t.in.fail_at = 40 - i;
                go(&t);
                if (list < 0) one = t;
                assert_int_not_equal(t.status, WADI_OK);
                assert_true(t.out.aborted);
                assert_alike(&one, &t);
            }
        }
    for (int i = 0; i < 4; i++) {
        trial t;
        staged(&t, lists[i], -1);
        t.out.fail_at = 30;
        go(&t);
        assert_int_equal(t.status, WADI_IO);
        assert_string_equal(t.err.msg, "the sink is broken");
    }
}

/* Wherever it dies, the others do its work, and somebody is told. */
static char told[4096];

static void note(void *env, wadi_log_level level, const char *line) {
    (void)level, (void)env;
    snprintf(told, sizeof told, "%s", line);
}

static void a_lost_device_s_work_is_done_by_the_others(void **state) {
    (void)state;
    trial one;
    staged(&one, "cpu", 0);
    go(&one);
    wadi_log_set(note, NULL);
    for (int i = 0; i < 3; i++)
        for (int64_t at = 0; at < 30; at += 1 + at / 4) {
            trial t;
            staged(&t, lists[i], at % 2 ? -1 : 1);
            t.patient.dies_at = at;
            told[0] = '\0';
            go(&t);
            assert_alike(&one, &t);
            if (!t.patient.dead) continue;
            assert_non_null(strstr(told, i == 1 ? "device cpu is out" : "device null is out"));
            assert_non_null(strstr(told, "it has fallen off the bus"));
        }
    wadi_log_set(NULL, NULL);
}

/* It gets nothing more until it is done, and its work is taken back. */
static void a_device_that_hangs_holds_nobody_up(void **state) {
    (void)state;
    trial one, t;
    staged(&one, "cpu", 0);
    go(&one);
    staged(&t, "cpu,null", 1);
    t.patient.sleeps_from = 4;
    t.patient.sleep_ns = 700000000;
    go(&t);
    assert_alike(&one, &t);
    assert_true(t.patient.launches < 8);
    assert_true(t.stats.elapsed_s < 5);
}

static void a_run_is_cancelled(void **state) {
    (void)state;
    for (int i = 0; i < 4; i++)
        for (int at = 0; at < 20; at += 5) {
            trial t;
            staged(&t, lists[i], IN_TURN);
            t.cancel_at = at;
            t.options.chunk = 3;
            go(&t);
            assert_int_equal(t.status, WADI_CANCELLED);
        }
}

/* A chunk that finds no memory is taken in parts. */
static void want_of_memory_is_borne(void **state) {
    (void)state;
    trial one;
    staged(&one, "cpu", 0);
    go(&one);
    for (int i = 0; i < 4; i++) {
        trial t;
        staged(&t, lists[i], -1);
        t.options.chunk = 50;
        t.hand.starve_above = 8;
        go(&t);
        assert_alike(&one, &t);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(consumers_get_the_same),
        cmocka_unit_test(a_device_that_is_asked_computes),
        cmocka_unit_test(folds_stay_in_order),
        cmocka_unit_test(failures_are_told_alike),
        cmocka_unit_test(a_lost_device_s_work_is_done_by_the_others),
        cmocka_unit_test(a_device_that_hangs_holds_nobody_up),
        cmocka_unit_test(a_run_is_cancelled),
        cmocka_unit_test(want_of_memory_is_borne),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
