/* A home and two workers of which one says nothing: it is stopped, with what it has, or home is. Work queues and their messages are the real ones; items are numbers, and take their worker as long as
 * they say. The clock is the world's, and so are all times here.
 *
 *     WADI_SEEDS=A-B  those worlds */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "sched/work/ways.h"
#include "tests/simulate/world.h"
#include "wadi/log.h"

enum { ITEMS = 12, WORKERS = 2 };

static const int64_t SECOND = 1000000000;

static struct {
    const char *address, *workers_address; /* the same: NULL */
    bool tells;
    int64_t item_ns; /* what an item takes */
    process *home, *worker[WORKERS];
    int64_t submitted, answered;
    int times[ITEMS], by[ITEMS][WORKERS]; /* how often it was computed */
    int64_t lost_after_ns;
    int64_t over_ns;          /* when home had all answers */
    int64_t left_ns[WORKERS]; /* when the worker has ended */
    wadi_error left[WORKERS]; /* and why */
    int losses;               /* that were logged */
    bool away;                /* home computes something itself after it has submitted all */
    bool lasts;               /* home does not end the job */
} t;

static void listen(void *env, wadi_log_level level, const char *text) {
    WADI_UNUSED(env);
    WADI_UNUSED(level);
    t.losses += strstr(text, "counts as lost") != NULL;
    if (t.tells) printf("%10.3f s  %s\n", (double)world_now() / 1e9, text);
}

/* ---- home ---- */

static void take_answer(wadi_workq *q, int64_t wait_ns) {
    wadi_work_item i = {.number = -1};
    wadi_error err = {.status = WADI_OK};
    if (q->ops->collect(q, wait_ns, &i, &err) != WADI_OK || i.number < 0) return;
    if (i.status == WADI_OK && (i.n != 1 || *(char *)i.bytes != (char)i.number)) abort();
    t.times[i.number]++;
    t.answered++;
    free(i.bytes);
}

static void live_as_home(void *env) {
    wadi_workq *q = NULL;
    wadi_error err = {.status = WADI_OK};
    WADI_UNUSED(env);
    const wadi_workq_options o = {
        .address = t.address, .home = true, .memory = 1 << 20, .wake_fd = -1};
    if (wadi_way_open(&o, &q, &err) != WADI_OK) abort();
    if (q->ops->offer(q, "charter", 7, &err) != WADI_OK) abort();
    while (t.answered < ITEMS && !world_am_dead()) {
        const char byte = (char)t.submitted;
        if (t.submitted < ITEMS && q->ops->has_room(q, 1)) {
            if (q->ops->submit(q, t.submitted++, &byte, 1, &err) != WADI_OK) abort();
        } else {
            if (t.away && t.answered == ITEMS / 2) {
                world_sleep(3600 * SECOND);
                t.away = false;
            }
            take_answer(q, SECOND);
        }
    }
    t.over_ns = world_now();
    while (t.lasts && !world_am_dead()) take_answer(q, SECOND);
    if (!world_am_dead() && q->ops->end(q, &err) != WADI_OK) abort();
    wadi_workq_close(q);
}

/* ---- workers ---- */

static wadi_status work(wadi_workq *q, int who, wadi_error *err) {
    wadi_work_item i = {.number = -1};
    WADI_TRY(q->ops->fetch(q, &i, err));
    if (i.number < 0) return i.status == WADI_OK ? WADI_CANCELLED : WADI_OK;
    t.by[i.number][who]++;
    world_sleep(t.item_ns);
    const wadi_status status = q->ops->answer(q, &i, err);
    free(i.bytes);
    return status;
}

static void live_as_worker(void *env) {
    const int who = *(const int *)env;
    const wadi_workq_options o = {.address =
                                      t.workers_address != NULL ? t.workers_address : t.address,
                                  .lost_after_ns = t.lost_after_ns,
                                  .wake_fd = -1};
    wadi_workq *q = NULL;
    wadi_error *err = &t.left[who];
    void *charter = NULL;
    int64_t n = 0;
    if (wadi_way_open(&o, &q, err) != WADI_OK) abort();
    wadi_status status = q->ops->charter(q, &charter, &n, err);
    free(charter);
    while (status == WADI_OK) status = work(q, who, err);
    wadi_workq_close(q);
    t.left_ns[who] = world_now();
}

/* ---- worlds ---- */

static void begin(uint64_t seed, const char *address, int64_t item_s) {
    static const int all[WORKERS] = {0, 1};
    memset(&t, 0, sizeof t);
    t.address = address;
    t.tells = getenv("WADI_SEED") != NULL;
    t.item_ns = item_s * SECOND;
    t.lost_after_ns = 100 * SECOND;
    world_begin(seed, 0);
    t.home = world_start(live_as_home, NULL);
    for (int i = 0; i < WORKERS; i++)
        t.worker[i] = world_start(live_as_worker, (void *)(uintptr_t)&all[i]);
}

static void end_process(process **p, bool kill) {
    if (*p == NULL) return;
    if (kill) world_kill(*p);
    while (!world_has_ended(*p)) assert_true(world_turn());
    *p = NULL;
}

static void end_all(bool kill) {
    end_process(&t.home, kill);
    for (int i = 0; i < WORKERS; i++) end_process(&t.worker[i], kill);
    world_end();
}

static void go_on_until(int64_t ns) {
    while (world_now() < ns) assert_true(world_turn());
}

static world_seeds seeds(void) {
    return world_seeds_of(getenv("WADI_TEST_ALL") != NULL ? 40 : 4);
}

/* Items take 60 s, so one who is slow would have 8 minutes for each. */
static void what_a_stopped_worker_has_is_given_to_another(void **state) {
    WADI_UNUSED(state);
    const world_seeds s = seeds();
    for (uint64_t seed = s.first; seed <= s.last; seed++) {
        begin(seed, "tcp://127.0.0.1:1", 60);
        const int64_t from = world_now();
        while (t.answered < 4) assert_true(world_turn());
        world_stop(t.worker[0], 5000 * SECOND);
        while (t.over_ns == 0) assert_true(world_turn());
        /* one worker has at most ten items left, and waits for the others' three for half a minute */
        assert_in_range(t.over_ns - from, 0, (120 + 30 + 11 * 60) * SECOND);
        end_all(false);
        assert_int_equal(t.losses, 1);
        for (int i = 0; i < ITEMS; i++) assert_int_equal(t.times[i], 1);
        assert_int_equal(t.left[1].status, WADI_OK);
    }
}

/* It was given up, and is asked who it is. What it still had is not waited for, and counts at most once. */
static void one_that_goes_on_works_as_any_other(void **state) {
    WADI_UNUSED(state);
    const world_seeds s = seeds();
    for (uint64_t seed = s.first; seed <= s.last; seed++) {
        begin(seed, "tcp://127.0.0.1:1", 60);
        while (t.answered < 4) assert_true(world_turn());
        world_stop(t.worker[0], 90 * SECOND);
        const int64_t back = world_now() + 90 * SECOND;
        go_on_until(back);
        int before = 0, behind = 0;
        for (int i = 0; i < ITEMS; i++) before += t.by[i][0];
        end_all(false);
        for (int i = 0; i < ITEMS; i++) behind += t.by[i][0];
        for (int i = 0; i < ITEMS; i++) assert_int_equal(t.times[i], 1);
        assert_int_equal(t.losses, 1);
        assert_true(behind > before);
        for (int i = 0; i < WORKERS; i++) assert_int_equal(t.left[i].status, WADI_OK);
    }
}

static void an_item_that_takes_long_is_no_silence(void **state) {
    WADI_UNUSED(state);
    const world_seeds s = seeds();
    for (uint64_t seed = s.first; seed <= s.last; seed++) {
        begin(seed, "tcp://127.0.0.1:1", 200);
        end_all(false);
        assert_int_equal(t.losses, 0);
        for (int i = 0; i < ITEMS; i++) assert_int_equal(t.times[i], 1);
        for (int i = 0; i < ITEMS; i++) assert_int_equal(t.by[i][0] + t.by[i][1], 1);
    }
}

/* The workers have done with their items, and hear nothing but that home lives. */
static void a_home_that_does_something_else_for_an_hour_is_no_silence(void **state) {
    WADI_UNUSED(state);
    const world_seeds s = seeds();
    for (uint64_t seed = s.first; seed <= s.last; seed++) {
        begin(seed, "tcp://127.0.0.1:1", 1);
        t.away = true;
        t.lost_after_ns = 10 * SECOND;
        end_all(false);
        assert_int_equal(t.losses, 0);
        assert_int_equal(t.answered, ITEMS);
        for (int i = 0; i < WORKERS; i++) assert_int_equal(t.left[i].status, WADI_OK);
    }
}

static void stop_home(uint64_t seed, const char *address, int64_t for_s) {
    begin(seed, address, 1);
    t.lost_after_ns = 10 * SECOND;
    t.lasts = true;
    while (t.over_ns == 0) assert_true(world_turn());
    world_stop(t.home, for_s * SECOND);
}

static void workers_of_a_stopped_home_end(void **state) {
    WADI_UNUSED(state);
    const world_seeds s = seeds();
    for (uint64_t seed = s.first; seed <= s.last; seed++) {
        stop_home(seed, "tcp://127.0.0.1:1?silence=5", 1000);
        const int64_t from = world_now();
        for (int i = 0; i < WORKERS; i++) end_process(&t.worker[i], false);
        for (int i = 0; i < WORKERS; i++) {
            assert_int_equal(t.left[i].status, WADI_IO);
            assert_non_null(strstr(t.left[i].msg, "no home for 1"));
            assert_in_range(t.left_ns[i] - from, 13 * SECOND, 19 * SECOND);
        }
        end_all(true);
    }
}

/* It bears the silence of workers for ever, and they do not bear its own. */
static void workers_of_a_patient_home_hear_of_it(void **state) {
    WADI_UNUSED(state);
    const world_seeds s = seeds();
    for (uint64_t seed = s.first; seed <= s.last; seed++) {
        begin(seed, "tcp://127.0.0.1:1?silence=0", 1);
        t.workers_address = "tcp://127.0.0.1:1?silence=5";
        t.lost_after_ns = 10 * SECOND;
        t.lasts = true;
        while (t.over_ns == 0) assert_true(world_turn());
        go_on_until(world_now() + 100 * SECOND);
        assert_int_equal(t.losses, 0);
        world_stop(t.home, 1000 * SECOND);
        const int64_t until = world_now() + 30 * SECOND;
        while ((t.left_ns[0] == 0 || t.left_ns[1] == 0) && world_now() < until)
            assert_true(world_turn());
        for (int i = 0; i < WORKERS; i++) assert_int_equal(t.left[i].status, WADI_IO);
        end_all(true);
    }
}

static void without_a_limit_they_wait_for_it(void **state) {
    WADI_UNUSED(state);
    const world_seeds s = seeds();
    for (uint64_t seed = s.first; seed <= s.last; seed++) {
        stop_home(seed, "tcp://127.0.0.1:1?silence=0", 1000);
        go_on_until(world_now() + 1010 * SECOND);
        t.lasts = false;
        end_all(false);
        assert_int_equal(t.losses, 0);
        for (int i = 0; i < WORKERS; i++) assert_int_equal(t.left[i].status, WADI_OK);
    }
}

static int set_up(void **state) {
    WADI_UNUSED(state);
    wadi_log_set(listen, NULL);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_stopped_worker_has_is_given_to_another),
        cmocka_unit_test(one_that_goes_on_works_as_any_other),
        cmocka_unit_test(an_item_that_takes_long_is_no_silence),
        cmocka_unit_test(a_home_that_does_something_else_for_an_hour_is_no_silence),
        cmocka_unit_test(workers_of_a_stopped_home_end),
        cmocka_unit_test(workers_of_a_patient_home_hear_of_it),
        cmocka_unit_test(without_a_limit_they_wait_for_it)};
    return cmocka_run_group_tests(tests, set_up, NULL);
}
