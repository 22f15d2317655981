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

#include "base/behind.h"
#include "base/error.h"
#include "base/log.h"
#include "base/task.h"
#include "base/thread.h"
#include "sched/run.h"
#include "sched/run/stream.h"
#include "tests/sched/hand_plan.h"
#include "tests/sched/patient.h"
#include "tests/sched/ramp.h"

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
    return patient_over(&t->patient, owned_d);
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

/* A chunk may be done again by the first device, if other processes hold the second one up for long. */
static void a_device_that_is_asked_computes(void **state) {
    (void)state;
    trial t;
    int cpu = -1, null = -1;
    staged(&t, "cpu,null", 1);
    go(&t);
    if (sscanf(t.stats.shares, "cpu %d %%, null %d %%", &cpu, &null) != 2 || null < 50)
        fail_msg("%s", t.stats.shares);
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

/* One line after the other: others may follow the one that is looked for. */
static void note(void *env, wadi_log_level level, const char *line) {
    (void)level, (void)env;
    const size_t at = strlen(told);
    snprintf(told + at, sizeof told - at, "%s\n", line);
}

static void assert_told(const char *words) {
    if (strstr(told, words) == NULL) fail_msg("\"%s\" is not in what was told:\n%s", words, told);
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
            assert_told(i == 1 ? "device cpu is out" : "device null is out");
            assert_told("it has fallen off the bus");
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

/* The run does not wait for it longer than for anything else. */
static void a_device_that_never_answers_is_left_behind(void **state) {
    (void)state;
    static trial one, t; /* the device's thread stays */
    const int before = wadi_behind_count();
    staged(&one, "cpu", 0);
    go(&one);
    staged(&t, "cpu,null", 1);
    t.patient.sleeps_from = 4;
    t.patient.sleep_ns = INT64_C(60000000000);
    t.options.watchdog_s = 0.2;
    told[0] = '\0';
    wadi_log_set(note, NULL);
    go(&t);
    wadi_log_set(NULL, NULL);
    assert_alike(&one, &t);
    assert_true(t.stats.elapsed_s < 30);
    assert_int_equal(wadi_behind_count(), before + 1);
    assert_told("device null has not answered for 0.2 s, and is left behind");
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

/* ---- a sink that takes elements in any order ---- */

enum { MANY = 400 };

typedef struct counting {
    wadi_sink base;
    int64_t seen, of[MANY], last; /* elements, of each number, and the largest number */
    int64_t empty, behind;        /* without values, and those that came behind a later one */
} counting;

static wadi_status count_put(wadi_sink *self, wadi_chunk *c, wadi_error *err) {
    counting *s = (counting *)self;
    (void)err;
    assert_int_equal(c->first, s->seen);
    for (int64_t k = 0; k < c->count; k++) {
        const wadi_array a = wadi_chunk_array(c, 0, k);
        const int64_t i = a.shape[0] > 0 ? *(const int32_t *)a.column[0] / 2 : -1;
        s->seen++;
        s->empty += i < 0;
        if (i < 0) continue;
        assert_in_range(i, 0, MANY - 1);
        assert_int_equal(a.shape[0], i % 5);
        s->of[i]++;
        s->behind += i < s->last;
        if (i > s->last) s->last = i;
    }
    return WADI_OK;
}

static void count_destroy(wadi_sink *self) {
    (void)self;
}

/* How many elements have come behind a later one, of a run on these devices. */
static int64_t go_counting(trial *t, bool unordered) {
    static const wadi_sink_ops ops = {.destroy = count_destroy, .put = count_put};
    counting out = {.base = {.ops = &ops, .kind = "counting", .wake_fd = -1}};
    const wadi_run_options o = t->options;
    hand_doubling(&t->hand, WADI_END_SINK);
    t->hand.end[0].unordered = unordered;
    ramp_init(&t->in, MANY);
    const wadi_loader loader = hand_loader(&t->hand);
    assert_int_equal(wadi_run_create_for(&t->hand.plan, &loader, &o, &t->run, &t->err), WADI_OK);
    assert_int_equal(wadi_run_source(t->run, "in", &t->in.base, &t->err), WADI_OK);
    assert_int_equal(wadi_run_sink(t->run, "out", &out.base, &t->err), WADI_OK);
    wadi_run_share_by(t->run, (wadi_share_rule){.choose = choose, .wrap = wrap, .env = t});
    if (wadi_run_go(t->run, &t->err) != WADI_OK) fail_msg("%s", t->err.msg);
    wadi_run_destroy(t->run);
    assert_int_equal(out.seen, MANY);
    assert_int_equal(out.empty, MANY / 5);
    for (int i = 0; i < MANY; i++) assert_int_equal(out.of[i], i % 5 > 0);
    return out.behind;
}

/* A device that is slow at each launch: what the others compute goes to the sink before what it has. */
static void a_slow_device_holds_nobody_back(void **state) {
    (void)state;
    int64_t behind = 0;
    for (int i = 0; i < 4; i++)
        for (int who = IN_TURN; who < 2; who++) {
            trial t;
            staged(&t, lists[i], who);
            t.patient.sleeps_from = 3;
            t.patient.sleep_ns = 300000;
            assert_int_equal(go_counting(&t, false), 0);
            staged(&t, lists[i], who);
            t.patient.sleeps_from = 3;
            t.patient.sleep_ns = 300000;
            behind += go_counting(&t, true);
        }
    assert_true(behind > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(consumers_get_the_same),
        cmocka_unit_test(a_device_that_is_asked_computes),
        cmocka_unit_test(folds_stay_in_order),
        cmocka_unit_test(failures_are_told_alike),
        cmocka_unit_test(a_lost_device_s_work_is_done_by_the_others),
        cmocka_unit_test(a_device_that_hangs_holds_nobody_up),
        cmocka_unit_test(a_device_that_never_answers_is_left_behind),
        cmocka_unit_test(a_run_is_cancelled),
        cmocka_unit_test(want_of_memory_is_borne),
        cmocka_unit_test(a_slow_device_holds_nobody_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
