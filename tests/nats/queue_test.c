/* A work queue on a NATS server, with workers in processes of their own: nothing is lost and nothing comes twice, whatever dies. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "sched/work/jet_address.h"
#include "tests/nats/server.h"

static test_server server;

static wadi_workq *home_of(const char *address, const char *charter) {
    wadi_error err = {0};
    wadi_workq *q = test_open(address, true);
    if (q->ops->offer(q, charter, (int64_t)strlen(charter), &err) != WADI_OK)
        fail_msg("%s", err.msg);
    return q;
}

static void end_home(wadi_workq *q) {
    wadi_error err = {0};
    if (q->ops->end(q, &err) != WADI_OK) fail_msg("%s", err.msg);
    q->ops->close(q);
}

static void every_item_is_answered_once(void **state) {
    (void)state;
    const char *address = test_address(server.port, "plain", "");
    pid_t early = test_worker(address, "plain");
    wadi_workq *q = home_of(address, "what to do");
    const pid_t late = test_worker(address, "plain");
    test_await(q, 2);
    test_run(q, &(test_job){.items = 300, .n = 5000});
    end_home(q);
    assert_int_equal(test_wait(early), 0);
    assert_int_equal(test_wait(late), 0);
}

/* ---- workers that die ---- */

typedef struct crew {
    const char *address;
    pid_t worker[3];
    int64_t each; /* after so many answers one is killed */
    int kills;
} crew;

static void hire(crew *c) {
    for (int i = 0; i < 3; i++) c->worker[i] = test_worker(c->address, "plain");
}

static void kill_one(void *env, int64_t answered) {
    crew *c = env;
    if (answered % c->each != 0) return;
    pid_t *w = &c->worker[c->kills++ % 3];
    assert_int_equal(kill(*w, SIGKILL), 0);
    assert_int_equal(test_wait(*w), 128 + SIGKILL);
    *w = test_worker(c->address, "plain");
}

/* Killed ones may have been replaced when the job was over already. */
static void dismiss(crew *c) {
    for (int i = 0; i < 3; i++) {
        (void)kill(c->worker[i], SIGKILL);
        (void)test_wait(c->worker[i]);
    }
}

/* Some in frames, which workers ask home for. */
static int64_t few_large(int64_t number) {
    return number % 50 == 0 ? 300000 : 2000;
}

static void nothing_is_lost_with_workers(void **state) {
    (void)state;
    crew c = {.address = test_address(server.port, "kills", ""), .each = 150};
    wadi_workq *q = home_of(c.address, "x");
    hire(&c);
    test_run(q, &(test_job){.items = 3000, .size = few_large, .between = kill_one, .env = &c});
    assert_true(c.kills >= 20);
    end_home(q);
    dismiss(&c);
}

static void a_stopped_worker_holds_nobody_up(void **state) {
    (void)state;
    const char *address = test_address(server.port, "stopped", "");
    const pid_t one = test_worker(address, "plain");
    wadi_workq *q = home_of(address, "x");
    test_run(q, &(test_job){.items = 20, .n = 100});
    /* It holds requests for items now. */
    assert_int_equal(kill(one, SIGSTOP), 0);
    const pid_t two = test_worker(address, "plain");
    test_run(q, &(test_job){.items = 200, .n = 100, .first = 1000});
    assert_int_equal(kill(one, SIGCONT), 0);
    /* What it answers late comes twice, and does not count. */
    test_run(q, &(test_job){.items = 200, .n = 100, .first = 2000});
    end_home(q);
    assert_int_equal(test_wait(one), 0);
    assert_int_equal(test_wait(two), 0);
}

static void what_kills_workers_becomes_a_dead_letter(void **state) {
    (void)state;
    const char *address = test_address(server.port, "poison", "");
    pid_t worker[8];
    wadi_workq *q = home_of(address, "x");
    for (int i = 0; i < 8; i++) worker[i] = test_worker(address, "kill=7");
    test_job job = {.items = 12, .n = 100};
    test_run(q, &job);
    /* On a busy machine one that was beside it may have been delivered as often. */
    assert_in_range(job.failed, 1, 3);
    int killed = 0;
    end_home(q);
    for (int i = 0; i < 8; i++) killed += test_wait(worker[i]) == 128 + SIGKILL;
    /* It was delivered so often, once or twice perhaps to workers that gave it back. */
    assert_in_range(killed, 2, WADI_JET_DELIVERIES);
    wadi_text letters = {0};
    wadi_error err = {0};
    if (test_jobs()->dead(address, &letters, &err) != WADI_OK) fail_msg("%s", err.msg);
    assert_non_null(strstr(wadi_text_str(&letters), "{\"item\": 7, \"reason\": \"it was given"));
    assert_int_equal(test_jobs()->remove(address, false, &err), WADI_OK);
    wadi_text_fini(&letters);
}

static void submit(wadi_workq *q, int64_t number) {
    wadi_error err = {0};
    char *item = test_item(number, 100);
    if (q->ops->submit(q, number, item, 100, &err) != WADI_OK) fail_msg("%s", err.msg);
    free(item);
}

/* A worker at an item that two have died of gives back what is beside it, and none of that is buried. */
static void what_is_beside_a_suspect_is_not_buried(void **state) {
    enum { SUSPECT = 7, OPEN = 3, PATIENCE_S = 60 };
    (void)state;
    const char *address = test_address(server.port, "beside", "");
    wadi_error err = {0};
    wadi_workq *q = home_of(address, "x");
    submit(q, SUSPECT);
    for (int i = 0; i < 2; i++)
        assert_int_equal(test_wait(test_worker(address, "kill=7")), 128 + SIGKILL);
    const pid_t one = test_worker(address, "long=7");
    int64_t submitted = 1, answered = 0;
    bool over = false;
    for (int idle = 0; answered < submitted && idle < PATIENCE_S;) {
        wadi_work_item a;
        for (; !over && submitted < answered + OPEN; submitted++) submit(q, 1000 + submitted);
        if (q->ops->collect(q, 1000000000, &a, &err) != WADI_OK) fail_msg("%s", err.msg);
        idle = a.number < 0 ? idle + 1 : 0;
        if (a.number < 0) continue;
        assert_int_equal(a.status, WADI_OK);
        over = over || a.number == SUSPECT;
        answered++;
        free(a.bytes);
    }
    assert_int_equal(answered, submitted);
    end_home(q);
    assert_int_equal(test_wait(one), 0);
}

/* It is alive, and says so until the item takes too long. */
static void a_worker_that_hangs_holds_nobody_up(void **state) {
    (void)state;
    const char *address = test_address(server.port, "hangs", "");
    wadi_workq *q = home_of(address, "x");
    const pid_t one = test_worker(address, "hang=3");
    test_job job = {.items = 12, .n = 100};
    test_run(q, &job);
    assert_int_equal(job.failed, 0);
    end_home(q);
    assert_int_equal(kill(one, SIGKILL), 0);
    (void)test_wait(one);
}

static void items_that_fail_are_told(void **state) {
    (void)state;
    const char *address = test_address(server.port, "fails", "");
    const pid_t one = test_worker(address, "fail=10");
    wadi_workq *q = home_of(address, "x");
    test_job job = {.items = 100, .n = 100};
    test_run(q, &job);
    assert_int_equal(job.failed, 10);
    end_home(q);
    assert_int_equal(test_wait(one), 0);
}

/* ---- sizes ---- */

static int64_t sizes(int64_t number) {
    static const int64_t n[] = {0, 1, 1047551, 1047552, 1047553, 1048576, 3000000, 9000000};
    return n[number % 8];
}

static int64_t one_huge(int64_t number) {
    return number == 27 ? 40000000 : 10;
}

static void items_of_any_size_travel(void **state) {
    (void)state;
    const char *address = test_address(server.port, "sizes", "&budget=16M");
    const pid_t one = test_worker(address, "plain");
    const pid_t two = test_worker(address, "plain");
    char *charter = test_item(1, 2500000);
    wadi_error err = {0};
    wadi_workq *q = test_open(address, true);
    if (q->ops->offer(q, charter, 2500000, &err) != WADI_OK) fail_msg("%s", err.msg);
    free(charter);
    test_await(q, 2);
    test_run(q, &(test_job){.items = 24, .size = sizes});
    /* Far beyond the budget, and what the stream was made for. */
    test_run(q, &(test_job){.items = 5, .first = 24, .size = one_huge});
    end_home(q);
    assert_int_equal(test_wait(one), 0);
    assert_int_equal(test_wait(two), 0);
}

/* A test of what is left of frames: `wadi job ls` says how many messages there are. */
static void nothing_is_left_of_frames(void **state) {
    (void)state;
    const char *address = test_address(server.port, "frames", "");
    const pid_t one = test_worker(address, "plain");
    wadi_workq *q = home_of(address, "x");
    wadi_error err = {0};
    test_run(q, &(test_job){.items = 10, .n = 3000000});
    wadi_text list = {0};
    for (int i = 0; i < 1000; i++) {
        wadi_work_item none;
        wadi_text_clear(&list);
        if (test_jobs()->list(address, &list, &err) != WADI_OK) fail_msg("%s", err.msg);
        if (strstr(wadi_text_str(&list), " 0 item messages, 0 answer messages") != NULL) break;
        assert_int_equal(q->ops->collect(q, 10000000, &none, &err), WADI_OK);
        assert_int_equal(none.number, -1);
    }
    assert_non_null(strstr(wadi_text_str(&list), "frames "));
    assert_non_null(strstr(wadi_text_str(&list), " 0 item messages, 0 answer messages"));
    end_home(q);
    assert_int_equal(test_wait(one), 0);
    wadi_text_clear(&list);
    assert_int_equal(test_jobs()->list(address, &list, &err), WADI_OK);
    assert_null(strstr(wadi_text_str(&list), "frames "));
    wadi_text_fini(&list);
}

/* ---- charters and homes ---- */

static void a_home_offers_one_charter_after_another(void **state) {
    (void)state;
    const char *address = test_address(server.port, "charters", "");
    const pid_t one = test_worker(address, "stay");
    wadi_workq *q = home_of(address, "first");
    wadi_error err = {0};
    test_run(q, &(test_job){.items = 30, .n = 100});
    assert_int_equal(q->ops->offer(q, "second", 6, &err), WADI_OK);
    test_run(q, &(test_job){.items = 30, .n = 100, .first = 30});
    end_home(q);
    assert_int_equal(kill(one, SIGKILL), 0);
    (void)test_wait(one);
}

static void a_job_has_one_home(void **state) {
    (void)state;
    const char *address = test_address(server.port, "twins", "");
    wadi_workq *q = home_of(address, "x"), *other = test_open(address, true);
    wadi_error err = {0};
    assert_int_equal(other->ops->offer(other, "y", 1, &err), WADI_INVALID);
    assert_non_null(strstr(err.msg, "job twins has a home already"));
    other->ops->close(other);
    const pid_t one = test_worker(address, "plain");
    test_run(q, &(test_job){.items = 10, .n = 100});
    end_home(q);
    assert_int_equal(test_wait(one), 0);
}

/* What a killed home has left, items and answers, is not of its successor. */
static void a_successor_begins_anew(void **state) {
    (void)state;
    const char *address = test_address(server.port, "successor", "");
    const pid_t home = fork();
    if (home == 0) {
        wadi_workq *q = home_of(address, "x");
        test_run(q, &(test_job){.items = 40, .n = 200, .first = 100000});
        for (int64_t i = 0; i < 50; i++) {
            wadi_error err;
            if (q->ops->submit(q, i, "wrong", 5, &err) != WADI_OK) _exit(1);
        }
        (void)raise(SIGKILL);
    }
    const pid_t one = test_worker(address, "stay");
    assert_int_equal(test_wait(home), 128 + SIGKILL);
    wadi_workq *q = home_of(address, "y");
    test_run(q, &(test_job){.items = 50, .n = 200});
    end_home(q);
    assert_int_equal(kill(one, SIGKILL), 0);
    (void)test_wait(one);
}

int main(int argc, char **argv) {
    const int status = test_worker_main(argc, argv);
    if (status >= 0) return status;
    test_need_nats();
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    test_server_start(&server, true, "");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_successor_begins_anew), /* forks before there are threads */
        cmocka_unit_test(every_item_is_answered_once),
        cmocka_unit_test(nothing_is_lost_with_workers),
        cmocka_unit_test(a_stopped_worker_holds_nobody_up),
        cmocka_unit_test(what_kills_workers_becomes_a_dead_letter),
        cmocka_unit_test(what_is_beside_a_suspect_is_not_buried),
        cmocka_unit_test(a_worker_that_hangs_holds_nobody_up),
        cmocka_unit_test(items_that_fail_are_told),
        cmocka_unit_test(items_of_any_size_travel),
        cmocka_unit_test(nothing_is_left_of_frames),
        cmocka_unit_test(a_home_offers_one_charter_after_another),
        cmocka_unit_test(a_job_has_one_home),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    test_server_end(&server);
    return failed;
}
