/* A server that begins again without what it had confirmed: what is lost of a job is sent again, and its room comes back. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/text.h"
#include "tests/nats/raw.h"
#include "tests/nats/server.h"

enum { ITEMS = 5 };

/* The server is killed, and its stream of this name has lost all messages. */
static void forget(test_server *server, const char *stream) {
    char command[256];
    test_server_kill(server);
    (void)snprintf(command, sizeof command, "cd '%s/jetstream/$G/streams/%s/msgs' && rm -f -- *",
                   server->folder, stream);
    assert_int_equal(system(command), 0);
    test_server_again(server);
}

static wadi_workq *begin(const char *address) {
    wadi_error err = {0};
    wadi_workq *q = test_open(address, true);
    if (q->ops->offer(q, "x", 1, &err) != WADI_OK) fail_msg("%s", err.msg);
    return q;
}

static void submit(wadi_workq *q, int64_t first, int64_t items, int64_t n) {
    wadi_error err = {0};
    for (int64_t i = first; i < first + items; i++) {
        char *item = test_item(i, n);
        if (q->ops->submit(q, i, item, n, &err) != WADI_OK) fail_msg("%s", err.msg);
        free(item);
    }
}

static void collect(wadi_workq *q, int64_t items, int64_t n) {
    bool seen[ITEMS] = {false};
    wadi_error err = {0};
    for (int64_t i = 0; i < items; i++) {
        wadi_work_item a;
        if (q->ops->collect(q, -1, &a, &err) != WADI_OK) fail_msg("%s", err.msg);
        assert_in_range(a.number, 0, items - 1);
        assert_true(!seen[a.number] && test_answers(a.number, n, &a));
        seen[a.number] = true;
        free(a.bytes);
    }
}

static void finish(wadi_workq *q, pid_t worker) {
    wadi_error err = {0};
    wadi_workq_open open;
    q->ops->look(q, &open);
    assert_int_equal(open.items, 0);
    if (q->ops->end(q, &err) != WADI_OK) fail_msg("%s", err.msg);
    q->ops->close(q);
    assert_int_equal(test_wait(worker), 0);
}

/* The server ends, and begins again with all that it had. */
static void begin_again(test_server *server) {
    assert_int_equal(kill(server->pid, SIGTERM), 0);
    (void)test_wait(server->pid);
    test_server_again(server);
}

/* Waits until the stream of items, or of answers, has so many, and home has heard of that: it answers behind what came before. */
static void await_messages(int port, const char *job, const char *stream, const char *address,
                           int items) {
    char ask[160], text[8192], want[32];
    wadi_text pong = {0};
    wadi_error err = {0};
    const int n = snprintf(ask, sizeof ask,
                           "PUB $JS.API.STREAM.INFO.WADI_%s_%s stream.info 0\r\n\r\n", job, stream);
    (void)snprintf(want, sizeof want, "\"messages\":%d,", items);
    do {
        const int s = test_raw_hear(port, "stream.info");
        assert_int_equal(write(s, ask, (size_t)n), n);
        test_raw_read(s, "\"consumer_count\"", "\"error\"", text, sizeof text);
    } while (strstr(text, want) == NULL);
    if (test_jobs()->ask(address, "ping", "", &pong, &err) != WADI_OK) fail_msg("%s", err.msg);
    wadi_text_fini(&pong);
}

static void await_items(int port, const char *job, const char *address, int items) {
    await_messages(port, job, "items", address, items);
}

static void await_log(const test_server *server, const char *word, int times) {
    while (test_server_noted(server, word) < times)
        (void)nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
}

static void forgotten_items(const char *job, int64_t n) {
    test_server server;
    char stream[64];
    (void)alarm(300);
    test_server_start(&server, true, "trace: true\n");
    const char *address = test_address(server.port, job, "");
    wadi_workq *q = begin(address);
    submit(q, 0, ITEMS, n);
    await_items(server.port, job, address, ITEMS);
    (void)snprintf(stream, sizeof stream, "WADI_%s_items", job);
    forget(&server, stream);
    const pid_t worker = test_worker(address, "plain");
    collect(q, ITEMS, n);
    finish(q, worker);
    test_server_end(&server);
    (void)alarm(0);
}

static void items_that_a_server_forgets_are_sent_again(void **state) {
    (void)state;
    forgotten_items("forgets", 3000);
}

static void of_large_ones_what_home_has_sent_is_sent_again(void **state) {
    (void)state;
    forgotten_items("large", 3000000);
}

/* Home asks for each, and is told that it is there. */
static void what_is_not_forgotten_is_not_sent_again(void **state) {
    (void)state;
    test_server server;
    (void)alarm(300);
    test_server_start(&server, true, "trace: true\n");
    const char *address = test_address(server.port, "kept", "");
    wadi_workq *q = begin(address);
    submit(q, 0, 2, 300);
    await_items(server.port, "kept", address, 2);
    const int sent = test_server_noted(&server, "HPUB wadi.kept.item.");
    begin_again(&server);
    await_log(&server, "PUB $JS.API.DIRECT.GET.WADI_kept_items", 2);
    const pid_t worker = test_worker(address, "plain");
    collect(q, 2, 300);
    assert_int_equal(test_server_noted(&server, "HPUB wadi.kept.item."), sent);
    finish(q, worker);
    test_server_end(&server);
    (void)alarm(0);
}

/* The numbers of forgotten items are given to others: what a worker says of an item that it had before is not taken for them. */
static void who_is_late_acknowledges_no_other_item(void **state) {
    (void)state;
    enum { HAD = 3 }; /* one at work, and as many as are asked for ahead */
    test_server server;
    wadi_error err = {0};
    wadi_work_item item;
    void *charter = NULL;
    int64_t bytes = 0;
    (void)alarm(300);
    test_server_start(&server, true, "trace: true\n");
    const char *address = test_address(server.port, "late", "");
    wadi_workq *q = begin(address), *late = test_open(address, false);
    if (late->ops->charter(late, &charter, &bytes, &err) != WADI_OK) fail_msg("%s", err.msg);
    free(charter);
    submit(q, 0, HAD, 300);
    if (late->ops->fetch(late, &item, &err) != WADI_OK) fail_msg("%s", err.msg);
    await_log(&server, "MSG wadi.late.item.", HAD);
    forget(&server, "WADI_late_items");
    submit(q, HAD, 1, 300); /* it has the number that the first one had */
    await_log(&server, "PUB wadi.late.item.", HAD + 1 + HAD);
    wadi_work_item answer = {.number = item.number, .n = 300 + 8};
    answer.bytes = test_answer(item.number, item.bytes, 300);
    if (late->ops->answer(late, &answer, &err) != WADI_OK) fail_msg("%s", err.msg);
    free(answer.bytes);
    free(item.bytes);
    late->ops->close(late);
    const pid_t worker = test_worker(address, "plain");
    collect(q, HAD + 1, 300);
    finish(q, worker);
    test_server_end(&server);
    (void)alarm(0);
}

/* Of a slow home many answers wait at the server, more than it has asked for. Their items are not there any more. */
static void what_is_answered_is_not_sent_again(void **state) {
    (void)state;
    enum { MANY = 200 };
    test_server server;
    wadi_error err = {0};
    char *seen = calloc(MANY, 1);
    assert_non_null(seen);
    (void)alarm(300);
    test_server_start(&server, true, "trace: true\n");
    const char *address = test_address(server.port, "waits", "");
    wadi_workq *q = begin(address);
    submit(q, 0, MANY, 300);
    const pid_t worker = test_worker(address, "plain");
    await_messages(server.port, "waits", "answers", address, MANY);
    await_items(server.port, "waits", address, 0);
    const int sent = test_server_noted(&server, "HPUB wadi.waits.item.");
    begin_again(&server);
    (void)nanosleep(&(struct timespec){.tv_sec = 4}, NULL); /* home would have asked by then */
    for (int i = 0; i < MANY; i++) {
        wadi_work_item a;
        if (q->ops->collect(q, -1, &a, &err) != WADI_OK) fail_msg("%s", err.msg);
        assert_in_range(a.number, 0, MANY - 1);
        assert_true(!seen[a.number] && test_answers(a.number, 300, &a));
        seen[a.number] = true;
        free(a.bytes);
    }
    assert_int_equal(test_server_noted(&server, "HPUB wadi.waits.item."), sent);
    free(seen);
    finish(q, worker);
    test_server_end(&server);
    (void)alarm(0);
}

int main(int argc, char **argv) {
    const int status = test_worker_main(argc, argv);
    if (status >= 0) return status;
    test_need_nats();
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(items_that_a_server_forgets_are_sent_again),
        cmocka_unit_test(of_large_ones_what_home_has_sent_is_sent_again),
        cmocka_unit_test(what_is_not_forgotten_is_not_sent_again),
        cmocka_unit_test(who_is_late_acknowledges_no_other_item),
        cmocka_unit_test(what_is_answered_is_not_sent_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
