/* Servers that stay connected and take nothing, or do not let in any more whom they did: who waits for them ends, and says why. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "tests/nats/raw.h"
#include "tests/nats/server.h"

static void has_words(const wadi_error *err, const char *words) {
    if (strstr(err->msg, words) == NULL) fail_msg("expected \"%s\", got: %s", words, err->msg);
}

/* Until the wait for an answer fails. */
static void await_failure(wadi_workq *q, wadi_error *err) {
    wadi_work_item none = {0};
    wadi_status st = WADI_OK;
    (void)alarm(300);
    while (st == WADI_OK) st = q->ops->collect(q, 1000000000, &none, err);
    (void)alarm(0);
    assert_int_equal(st, WADI_IO);
}

static wadi_workq *open_home(const char *address) {
    wadi_error err = {0};
    wadi_workq *q = test_open(address, true);
    if (q->ops->offer(q, "x", 1, &err) != WADI_OK) fail_msg("%s", err.msg);
    return q;
}

static void submit(wadi_workq *q, int64_t number) {
    wadi_error err = {0};
    char *item = test_item(number, 300);
    const wadi_status st = q->ops->submit(q, number, item, 300, &err);
    free(item);
    if (st != WADI_OK) fail_msg("%s", err.msg);
}

/* ---- what is not taken ---- */

static void items_that_no_stream_takes_end_a_home(void **state) {
    (void)state;
    test_server s;
    wadi_error err = {0};
    test_server_start(&s, true, "");
    wadi_workq *q = open_home(test_address(s.port, "taken", "&wait=1"));
    test_raw_say(s.port, "$JS.API.STREAM.DELETE.WADI_taken_items", "", "");
    submit(q, 0);
    await_failure(q, &err);
    has_words(&err,
              "the server has taken nothing for 1 s: it has no JetStream any more, or not the "
              "streams of the job");
    q->ops->close(q);
    test_server_end(&s);
}

static void items_for_which_there_is_no_room_end_a_home(void **state) {
    (void)state;
    test_server s;
    wadi_error err = {0};
    test_server_start(&s, true, "");
    wadi_workq *q = open_home(test_address(s.port, "full", "&wait=1"));
    test_raw_say(s.port, "$JS.API.STREAM.UPDATE.WADI_full_items", "",
                 "{\"name\":\"WADI_full_items\",\"subjects\":[\"wadi.full.item.>\"],\"retention\":"
                 "\"workqueue\",\"storage\":\"file\",\"discard\":\"new\",\"num_replicas\":1,"
                 "\"duplicate_window\":120000000000,\"allow_direct\":true,\"max_bytes\":100}");
    submit(q, 0);
    await_failure(q, &err);
    has_words(&err, "the server has taken nothing for 1 s: maximum bytes exceeded");
    q->ops->close(q);
    test_server_end(&s);
}

/* ---- who is not let in ---- */

static void write_file(const test_server *s, const char *name, const char *text, char path[128]) {
    (void)snprintf(path, 128, "%s/%s", s->folder, name);
    assert_int_equal(wadi_file_write(path, text, strlen(text), 0600, NULL), WADI_OK);
}

/* From now on the server knows this token only. */
static void set_token(const test_server *s, const char *token) {
    char path[128], text[512];
    (void)snprintf(text, sizeof text,
                   "listen: \"127.0.0.1:%d\"\njetstream: {store_dir: \"%s\"}\n"
                   "authorization: {token: \"%s\"}\n",
                   s->port, s->folder, token);
    write_file(s, "config", text, path);
    assert_int_equal(kill(s->pid, SIGHUP), 0);
}

static void await_noted(const test_server *s, const char *words, int times) {
    (void)alarm(300);
    while (test_server_noted(s, words) < times)
        (void)nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    (void)alarm(0);
}

static const char *start_with_token(test_server *s, const char *job, const char *wait) {
    char path[128], settings[200];
    test_server_start(s, true, "authorization: {token: \"old\"}\n");
    write_file(s, "token", "old\n", path);
    (void)snprintf(settings, sizeof settings, "&token=%s&wait=%s", path, wait);
    return test_address(s->port, job, settings);
}

/* The library gives a connection up when it was refused twice. */
static void who_is_let_in_again_goes_on(void **state) {
    (void)state;
    test_server s;
    wadi_error err = {0};
    const char *address = start_with_token(&s, "again", "60");
    const pid_t one = test_worker(address, "plain");
    wadi_workq *q = open_home(address);
    test_await(q, 1);
    for (int i = 0; i < 2; i++) {
        test_run(q, &(test_job){.items = 30, .n = 300, .first = 30 * i});
        set_token(&s, "new");
        await_noted(&s, "authentication error", 12 * (i + 1));
        set_token(&s, "old");
    }
    test_run(q, &(test_job){.items = 30, .n = 300, .first = 60});
    if (q->ops->end(q, &err) != WADI_OK) fail_msg("%s", err.msg);
    q->ops->close(q);
    assert_int_equal(test_wait(one), 0);
    test_server_end(&s);
}

static void who_is_not_let_in_any_more_is_told(void **state) {
    (void)state;
    test_server s;
    wadi_error err = {0};
    wadi_workq *q = open_home(start_with_token(&s, "out", "3"));
    set_token(&s, "new");
    await_failure(q, &err);
    has_words(&err, "the server has been away for 3 s (the last error: Authorization Violation)");
    q->ops->close(q);
    test_server_end(&s);
}

int main(int argc, char **argv) {
    const int worker = test_worker_main(argc, argv);
    if (worker >= 0) return worker;
    test_need_nats();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(items_that_no_stream_takes_end_a_home),
        cmocka_unit_test(items_for_which_there_is_no_room_end_a_home),
        cmocka_unit_test(who_is_let_in_again_goes_on),
        cmocka_unit_test(who_is_not_let_in_any_more_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
