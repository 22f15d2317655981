/* Runs whose home is another device than the first, and runs that begin again because their home is lost: what comes out is what comes out on one
 * device. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/log.h"
#include "sched/run.h"
#include "sched/run/late.h"
#include "sched/run/stream.h"
#include "tests/sched/hand_plan.h"
#include "tests/sched/patient.h"
#include "tests/sched/ramp.h"

typedef struct trial {
    hand_program hand;
    ramp in;
    adding out;
    wadi_sink *sink; /* in the place of `out`; NULL: that */
    patient patient; /* what device `sick` becomes */
    int home, sick, who, chunks;
    bool saved; /* somebody saves the run, whose first device could not be opened */
    wadi_run_options options;
    wadi_status status;
    wadi_error err;
    wadi_run_stats stats;
    uint64_t sum;
} trial;

static int choose_home(void *env, int devices) {
    trial *t = env;
    assert_in_range(t->home, 0, devices - 1);
    return t->home;
}

/* -1: they share; -2: in turn. */
static int choose(void *env, int devices) {
    trial *t = env;
    return t->who == -2 ? t->chunks++ / 3 % (devices + 1) - 1 : t->who;
}

static wadi_device *wrap(void *env, int number, wadi_device *owned_d) {
    trial *t = env;
    return number == t->sick ? patient_over(&t->patient, owned_d) : owned_d;
}

static wadi_status save_nothing(void *env, wadi_stream *s, bool last, wadi_error *err) {
    (void)env, (void)s, (void)last, (void)err;
    return WADI_OK;
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
    wadi_run *run = NULL;
    wadi_array all;
    assert_int_equal(wadi_run_create_for(&t->hand.plan, &loader, &t->options, &run, &t->err),
                     WADI_OK);
    assert_int_equal(wadi_run_source(run, "in", &t->in.base, &t->err), WADI_OK);
    const wadi_status sink =
        wadi_run_sink(run, "out", t->sink != NULL ? t->sink : &t->out.base, NULL);
    (void)sink; /* some programs have none */
    wadi_run_share_by(run, (wadi_share_rule){choose, 0, wrap, t});
    wadi_run_home_by(run, (wadi_home_rule){choose_home, t});
    if (t->saved) run->saver = (wadi_run_saver){save_nothing, NULL};
    if (t->saved) assert_int_equal(wadi_run_move(run, 1, NULL), WADI_OK);
    t->status = wadi_run_go(run, &t->err);
    wadi_run_stats_get(run, &t->stats);
    if (t->status == WADI_OK && t->hand.plan.noutputs > 0) {
        assert_int_equal(wadi_run_result(run, "all", &all, NULL), WADI_OK);
        t->sum = sum_of(&all);
    }
    t->stats.device = NULL; /* the run's */
    wadi_run_destroy(run);
}

static void staged(trial *t, const char *devices, int home) {
    memset(t, 0, sizeof *t);
    hand_staged(&t->hand, 11, 150);
    ramp_init(&t->in, 500);
    t->in.back = true;
    adding_init(&t->out);
    t->options = (wadi_run_options){.threads = 1, .chunk = 7, .device = devices};
    t->home = t->sick = home;
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

static char told[4096];

static void note(void *env, wadi_log_level level, const char *line) {
    (void)level, (void)env;
    snprintf(told, sizeof told, "%s", line);
}

/* ---- the tests ---- */

static const char *const lists[] = {"cpu,null", "null,cpu", "cpu,null,null:1"};
static const char *const mortal[] = {"cpu,null", "null,null:1", "cpu,null,null:1"};

static void any_home_gives_the_same(void **state) {
    (void)state;
    for (int fold = 0; fold < 2; fold++) {
        trial one;
        staged(&one, "cpu", 0);
        if (fold) hand_doubling(&one.hand, WADI_END_FOLD);
        go(&one);
        assert_string_equal(one.stats.home, "");
        for (int list = 0; list < 3; list++)
            for (int home = 0; home < (list < 2 ? 2 : 3); home++)
                for (int who = -2; who < 2; who++) {
                    trial t;
                    staged(&t, lists[list], home);
                    if (fold) hand_doubling(&t.hand, WADI_END_FOLD);
                    t.who = who;
                    go(&t);
                    assert_alike(&one, &t);
                    assert_true(home == 0 || who != 0 || t.patient.launches > 0);
                }
    }
}

static void the_home_does_what_is_not_shared(void **state) {
    (void)state;
    trial t;
    staged(&t, "cpu,null", 1);
    go(&t);
    assert_string_equal(t.stats.shares, "null 100 %, cpu 0 %");
    assert_string_equal(t.stats.home, "null, as a rule says");
    staged(&t, "cpu,null", 0);
    go(&t);
    assert_string_equal(t.stats.shares, "cpu 100 %, null 0 %");
    assert_string_equal(t.stats.home, "cpu, as a rule says");
}

/* Wherever it dies: the rest of the list does all, sinks get each element once, and somebody is told. */
static void a_lost_home_is_replaced(void **state) {
    (void)state;
    wadi_log_set(note, NULL);
    for (int fold = 0; fold < 2; fold++)
        for (int list = 0; list < 3; list++) {
            trial one;
            staged(&one, "cpu", 0);
            if (fold) hand_doubling(&one.hand, WADI_END_FOLD);
            go(&one);
            for (int64_t at = 0; at < 300; at += 1 + at / 3) {
                trial t;
                staged(&t, mortal[list], 1);
                if (fold) hand_doubling(&t.hand, WADI_END_FOLD);
                t.patient.dies_at = at;
                t.options.chunk = 1 + at % 9;
                t.who = (int)(at % 3) - 2;
                told[0] = '\0';
                go(&t);
                assert_alike(&one, &t);
                if (!t.patient.dead) continue;
                assert_non_null(strstr(told, "is out"));
                assert_non_null(strstr(told, "it has fallen off the bus"));
                if (list == 0) assert_true(strncmp(t.stats.home, "null is out", 11) == 0);
            }
        }
    wadi_log_set(NULL, NULL);
}

typedef struct numbered {
    wadi_sink base;
    int64_t next, wrong; /* chunks with another number */
} numbered;

static void numbered_destroy(wadi_sink *self) {
    (void)self;
}

static wadi_status numbered_put(wadi_sink *self, wadi_chunk *c, wadi_error *err) {
    numbered *out = (numbered *)self;
    (void)err;
    out->wrong += c->first != out->next;
    out->next += c->count;
    return WADI_OK;
}

/* A sink that takes elements in any order gets them with numbers, each once, also those of a run that has begun again. */
static void numbers_go_on_where_a_home_was_lost(void **state) {
    static const wadi_sink_ops ops = {.destroy = numbered_destroy, .put = numbered_put};
    bool went_on = false;
    (void)state;
    for (int64_t at = 10; at < 100; at += 15) {
        trial t;
        numbered out = {.base = {.ops = &ops, .kind = "numbered", .wake_fd = -1}};
        staged(&t, mortal[0], 1);
        hand_doubling(&t.hand, WADI_END_SINK);
        t.hand.end[0].unordered = true;
        t.patient.dies_at = at;
        t.sink = &out.base;
        t.who = 0; /* home does all, so nothing is overtaken */
        t.options.chunk = 2;
        go(&t);
        if (t.status != WADI_OK) fail_msg("%s", t.err.msg);
        assert_int_equal(out.next, 500);
        assert_int_equal(out.wrong, 0);
        went_on = went_on || t.patient.dead;
    }
    assert_true(went_on);
}

/* A source that cannot go back: the failure is the device's, by name. */
static void what_cannot_begin_again_fails(void **state) {
    (void)state;
    trial t;
    staged(&t, "cpu,null", 1);
    t.in.back = false;
    t.patient.dies_at = 5;
    go(&t);
    assert_int_equal(t.status, WADI_DEVICE);
    assert_string_equal(t.err.msg, "it has fallen off the bus");
    assert_true(t.out.aborted && !t.out.finished);
}

/* What it has saved may be behind what its sinks have. */
static void a_run_that_is_saved_does_not_begin_again(void **state) {
    (void)state;
    trial t;
    staged(&t, "cpu,null", 1);
    t.saved = true;
    t.patient.dies_at = 5;
    go(&t);
    assert_true(t.patient.dead);
    assert_int_equal(t.status, WADI_DEVICE);
    assert_true(t.out.aborted && !t.out.finished);
}

/* What the program, its source or its sink does wrong is told as it is on one device. */
static void other_failures_are_told_alike(void **state) {
    (void)state;
    for (int i = 0; i < 3; i++) {
        trial one;
        for (int list = -1; list < 3; list++) {
            trial t;
            staged(&t, list < 0 ? "cpu" : lists[list], list < 0 ? 0 : 1);
            if (i == 0) t.hand.fault_at = 30;
            if (i == 1) t.in.fail_at = 30;
            if (i == 2) t.out.fail_at = 30;
            go(&t);
            if (list < 0) one = t;
            assert_int_not_equal(t.status, WADI_OK);
            assert_true(t.out.aborted);
            assert_alike(&one, &t);
        }
    }
}

/* The status of the sink's failure is one that a device may have, too. The sink is not asked again. */
static void a_sinks_failure_is_no_devices(void **state) {
    (void)state;
    for (int list = 0; list < 3; list++)
        for (int last = 0; last < 2; last++)
            for (int64_t at = 0; at < 100 && (at == 0 || !last); at += 30) {
                trial t;
                staged(&t, mortal[list], 1);
                t.out.fails_with = WADI_MEMORY;
                t.out.once = true;
                t.out.fails_last = last;
                if (!last) t.out.fail_at = at;
                go(&t);
                assert_int_equal(t.status, WADI_MEMORY);
                assert_string_equal(t.err.msg, "the sink is broken");
                assert_false(t.out.finished);
                assert_true(t.out.aborted == !last); /* a finish that fails has cleaned up */
            }
}

/* The home is lost, and then its source cannot go back after all: the sink has a part, and hears that no more comes. */
static void what_begins_again_in_vain_is_aborted(void **state) {
    int dead = 0;
    (void)state;
    wadi_log_set(note, NULL);
    for (int list = 0; list < 3; list++)
        for (int64_t at = 10; at < 100; at += 15) {
            trial t;
            staged(&t, mortal[list], 1);
            t.who = -2;
            t.options.chunk = 2;
            t.in.breaks = 2; /* it is asked once before the run begins */
            t.patient.dies_at = at;
            go(&t);
            if (!t.patient.dead) continue; /* it had less to do */
            dead++;
            assert_int_equal(t.status, WADI_IO);
            assert_string_equal(t.err.msg, "the ramp is gone");
            assert_true(t.out.aborted && !t.out.finished);
        }
    assert_true(dead > 3);
    wadi_log_set(NULL, NULL);
}

/* ---- giving up a trial, by a clock that somebody sets ---- */

static atomic_int_least64_t now_ns;

static int64_t now(void) {
    return atomic_load(&now_ns);
}

static void rest_ms(int ms) {
    (void)nanosleep(&(struct timespec){0, ms * 1000000L}, NULL);
}

static void a_load_under_way_is_not_counted(void **state) {
    (void)state;
    wadi_late l;
    atomic_int_least64_t loads_ns = 0, since = 5000000000;
    atomic_store(&now_ns, 5000000000);
    wadi_clock_set(now);
    assert_int_equal(wadi_late_begin(&l, NULL, 1000000, &loads_ns, &since, NULL), WADI_OK);
    atomic_store(&now_ns, 9000000000);
    rest_ms(20);
    assert_false(wadi_stop_called(&l.stop));
    atomic_store(&loads_ns, 4000000000);
    atomic_store(&since, 0);
    rest_ms(20);
    assert_false(wadi_stop_called(&l.stop));
    atomic_store(&now_ns, 9001000000);
    for (int i = 0; i < 1000 && !wadi_stop_called(&l.stop); i++) rest_ms(10);
    assert_true(wadi_late_end(&l));
    wadi_clock_set(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_home_gives_the_same),
        cmocka_unit_test(the_home_does_what_is_not_shared),
        cmocka_unit_test(a_lost_home_is_replaced),
        cmocka_unit_test(numbers_go_on_where_a_home_was_lost),
        cmocka_unit_test(what_cannot_begin_again_fails),
        cmocka_unit_test(a_run_that_is_saved_does_not_begin_again),
        cmocka_unit_test(other_failures_are_told_alike),
        cmocka_unit_test(a_sinks_failure_is_no_devices),
        cmocka_unit_test(what_begins_again_in_vain_is_aborted),
        cmocka_unit_test(a_load_under_way_is_not_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
