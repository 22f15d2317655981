/* Jobs whose server is killed, stops, or is cut off: nothing is lost and nothing comes twice. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/text.h"
#include "sched/work/jet_label.h"
#include "tests/nats/raw.h"
#include "tests/nats/server.h"

typedef struct outage {
    test_server server;
    test_proxy *proxy;
    int64_t each;
    int times;
} outage;

static void run_through(outage *o, const char *address, void (*between)(void *, int64_t),
                        int64_t items, int64_t n) {
    wadi_error err = {0};
    pid_t worker[3];
    for (int i = 0; i < 3; i++) worker[i] = test_worker(address, "plain");
    wadi_workq *q = test_open(address, true);
    if (q->ops->offer(q, "x", 1, &err) != WADI_OK) fail_msg("%s", err.msg);
    test_await(q, 3);
    test_run(q, &(test_job){.items = items, .n = n, .between = between, .env = o});
    if (q->ops->end(q, &err) != WADI_OK) fail_msg("%s", err.msg);
    q->ops->close(q);
    for (int i = 0; i < 3; i++) assert_int_equal(test_wait(worker[i]), 0);
}

static void kill_server(void *env, int64_t answered) {
    outage *o = env;
    if (answered % o->each != 0) return;
    test_server_kill(&o->server);
    test_server_again(&o->server);
    o->times++;
}

static void a_killed_server_loses_nothing(void **state) {
    (void)state;
    outage o = {.each = 150};
    test_server_start(&o.server, true, "");
    run_through(&o, test_address(o.server.port, "killed", ""), kill_server, 800, 3000);
    assert_int_equal(o.times, 5);
    test_server_end(&o.server);
}

static void kill_server_of_large(void *env, int64_t answered) {
    outage *o = env;
    if (answered == 4) kill_server(env, o->each);
}

static void a_killed_server_loses_no_frames(void **state) {
    (void)state;
    outage o = {.each = 1};
    test_server_start(&o.server, true, "");
    run_through(&o, test_address(o.server.port, "frames", ""), kill_server_of_large, 12, 5000000);
    assert_int_equal(o.times, 1);
    test_server_end(&o.server);
}

static void reset_connections(void *env, int64_t answered) {
    outage *o = env;
    if (answered % o->each != 0) return;
    test_proxy_reset(o->proxy);
    o->times++;
}

/* So many times, after each so many of the items, all connections are reset. */
static void run_through_resets(const char *job, int times, int64_t each, int64_t bytes) {
    outage o = {.each = each};
    int port = 0;
    test_server_start(&o.server, true, "");
    o.proxy = test_proxy_start(o.server.port, &port);
    run_through(&o, test_address(port, job, ""), reset_connections, times * each, bytes);
    assert_int_equal(o.times, times);
    test_proxy_end(o.proxy);
    test_server_end(&o.server);
}

static void reset_connections_lose_nothing(void **state) {
    (void)state;
    run_through_resets("reset", 200, 10, 3000);
}

/* What home was asked for is lost with its connection. */
static void reset_connections_lose_no_frames(void **state) {
    (void)state;
    run_through_resets("resets", 5, 6, 3000000);
}

static void stop_server(void *env, int64_t answered) {
    outage *o = env;
    if (answered != o->each) return;
    o->times++;
    assert_int_equal(kill(o->server.pid, SIGSTOP), 0);
    /* Whoever waits meanwhile can be cancelled. */
    if (fork() == 0) {
        (void)sleep(2);
        (void)kill(o->server.pid, SIGCONT);
        _exit(0);
    }
}

static void a_stopped_server_holds_everybody_up_and_no_longer(void **state) {
    (void)state;
    outage o = {.each = 60};
    test_server_start(&o.server, true, "");
    run_through(&o, test_address(o.server.port, "stopped", ""), stop_server, 200, 3000);
    assert_int_equal(o.times, 1);
    (void)wait(NULL);
    test_server_end(&o.server);
}

/* ---- what a server has kept of a job ---- */

typedef struct kept {
    outage o;
    const char *stream;
    bool copied;
} kept;

/* In the folder of a stream of the server. */
static void in_stream(const kept *k, const char *commands) {
    char all[512];
    (void)snprintf(all, sizeof all, "cd '%s/jetstream/$G/streams/WADI_older_%s' && %s",
                   k->o.server.folder, k->stream, commands);
    assert_int_equal(system(all), 0);
}

static void copy_index(void *env, int64_t answered) {
    kept *k = env;
    if (answered != 3) return;
    in_stream(k, "if [ -e msgs/1.idx ]; then cp msgs/1.idx old; fi");
    k->copied = true;
}

/* A server writes the numbers of a stream to its disk every two seconds, and when the last message has gone. If it is killed just then, the stream begins again
 * with numbers that its consumer has passed. */
static void begins_again_with_older_numbers(const char *stream) {
    kept k = {.stream = stream};
    wadi_error err = {0};
    wadi_work_item none;
    (void)alarm(300); /* nobody would get anything any more */
    test_server_start(&k.o.server, true, "");
    const char *address = test_address(k.o.server.port, "older", "");
    const pid_t one = test_worker(address, "plain");
    wadi_workq *q = test_open(address, true);
    if (q->ops->offer(q, "x", 1, &err) != WADI_OK) fail_msg("%s", err.msg);
    test_await(q, 1);
    test_run(q, &(test_job){.items = 300, .n = 300, .between = copy_index, .env = &k});
    assert_true(k.copied);
    /* The server has told its disk what was acknowledged. */
    assert_int_equal(q->ops->collect(q, 300000000, &none, &err), WADI_OK);
    test_server_kill(&k.o.server);
    in_stream(&k, "if [ -e old ]; then : >msgs/1.blk && cp old msgs/1.idx; fi");
    test_server_again(&k.o.server);
    test_run(q, &(test_job){.items = 30, .n = 300, .first = 300});
    if (q->ops->end(q, &err) != WADI_OK) fail_msg("%s", err.msg);
    q->ops->close(q);
    assert_int_equal(test_wait(one), 0);
    test_server_end(&k.o.server);
    (void)alarm(0);
}

static void workers_get_items_that_have_older_numbers(void **state) {
    (void)state;
    begins_again_with_older_numbers("items");
}

static void home_gets_answers_that_have_older_numbers(void **state) {
    (void)state;
    begins_again_with_older_numbers("answers");
}

/* What the server says of the consumer: the value behind "name":, "" if there is none. */
static void consumer_says(int port, const char *consumer, const char *name, char out[64]) {
    char text[8192];
    const int s = test_raw_hear(port, "consumer.info");
    const int n = snprintf(text, sizeof text,
                           "PUB $JS.API.CONSUMER.INFO.%s consumer.info 0\r\n\r\n", consumer);
    assert_int_equal(write(s, text, (size_t)n), n);
    test_raw_read(s, "\"num_pending\"", "\"error\"", text, sizeof text);
    const char *at = strstr(text, name);
    out[0] = '\0';
    if (at == NULL) return;
    at += strlen(name) + 2;
    (void)snprintf(out, 64, "%.*s", (int)strcspn(at, ",}"), at);
}

static void epoch_of(const char *address, char out[WADI_JET_EPOCH]) {
    wadi_text text = {0};
    wadi_error err = {0};
    if (test_jobs()->ask(address, "ping", "", &text, &err) != WADI_OK) fail_msg("%s", err.msg);
    (void)snprintf(out, WADI_JET_EPOCH, "%.16s", wadi_text_str(&text));
    wadi_text_fini(&text);
}

/* "STREAM.CONSUMER" of the home that the job has. */
static void consumer_of(const char *address, const char *stream, char out[96]) {
    char epoch[WADI_JET_EPOCH];
    epoch_of(address, epoch);
    (void)snprintf(out, 96, "%s.taker-%s", stream, epoch);
}

/* Waits until so many requests wait at the consumer. */
static void await_requests(int port, const char *consumer, const char *number) {
    char now[64] = "";
    for (;;) {
        consumer_says(port, consumer, "num_waiting", now);
        if (strcmp(now, number) == 0) return;
        (void)nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    }
}

/* What waits at a consumer may be lost with it without a word. Home tells of a new one; here it is the old one, where the request before still waits. */
static void workers_ask_again_at_a_new_consumer(void **state) {
    (void)state;
    outage o = {0};
    wadi_error err = {0};
    char epoch[WADI_JET_EPOCH], text[64], consumer[96];
    (void)alarm(300);
    test_server_start(&o.server, true, "");
    const char *address = test_address(o.server.port, "asked", "");
    const pid_t one = test_worker(address, "plain");
    wadi_workq *q = test_open(address, true);
    if (q->ops->offer(q, "x", 1, &err) != WADI_OK) fail_msg("%s", err.msg);
    test_await(q, 1);
    epoch_of(address, epoch);
    consumer_of(address, "WADI_asked_items", consumer);
    await_requests(o.server.port, consumer, "1");
    (void)snprintf(text, sizeof text, "%s anew", epoch);
    test_raw_say(o.server.port, "wadi.asked.live.home", "", text);
    await_requests(o.server.port, consumer, "2");
    if (q->ops->end(q, &err) != WADI_OK) fail_msg("%s", err.msg);
    q->ops->close(q);
    assert_int_equal(test_wait(one), 0);
    test_server_end(&o.server);
    (void)alarm(0);
}

/* What tells it to do so may be of another home's consumer: it was on its way while this home was stopped and lost its job. */
static void a_home_removes_no_consumer_but_its_own(void **state) {
    (void)state;
    outage o = {0};
    wadi_error err = {0};
    char text[4096], inbox[96] = "", subject[128], consumer[96];
    (void)alarm(300);
    test_server_start(&o.server, true, "");
    int heard = test_raw_hear(o.server.port, "$JS.API.DIRECT.GET.>");
    const char *address = test_address(o.server.port, "own", "");
    wadi_workq *q = test_open(address, true);
    test_raw_read(heard, "{", "{", text, sizeof text);
    assert_int_equal(sscanf(text, " MSG %*s 1 %95s", inbox), 1);
    assert_non_null(strstr(inbox, ".w."));
    *strstr(inbox, ".w.") = '\0';
    if (q->ops->offer(q, "x", 1, &err) != WADI_OK) fail_msg("%s", err.msg);
    consumer_of(address, "WADI_own_answers", consumer);
    heard = test_raw_hear(o.server.port, "$JS.API.CONSUMER.DELETE.>");
    for (int i = 0; i < 6; i++) { /* real replies may come between */
        (void)snprintf(subject, sizeof subject, "%s.c.2.%c.0", inbox, "il"[i % 2]);
        test_raw_say(o.server.port, subject, "",
                     i % 2 == 0 ? "{\"stream_seq\":9}" : "{\"last_seq\":1}");
    }
    test_raw_read(heard, ".c.2.d.", ".c.2.d.", text, sizeof text);
    assert_non_null(strstr(text, consumer));
    if (q->ops->end(q, &err) != WADI_OK) fail_msg("%s", err.msg);
    q->ops->close(q);
    test_server_end(&o.server);
    (void)alarm(0);
}

static void consumers_that_are_removed_are_made_again(void **state) {
    (void)state;
    outage o = {0};
    wadi_error err = {0};
    char text[4096]; /* signs of life of half a minute */
    char consumer[96], subject[128];
    (void)alarm(300);
    test_server_start(&o.server, true, "");
    const char *address = test_address(o.server.port, "removed", "");
    const pid_t one = test_worker(address, "plain");
    wadi_workq *q = test_open(address, true);
    if (q->ops->offer(q, "x", 1, &err) != WADI_OK) fail_msg("%s", err.msg);
    test_run(q, &(test_job){.items = 30, .n = 300});
    const int heard = test_raw_hear(o.server.port, "wadi.removed.live.home");
    static const char *const streams[] = {"WADI_removed_items", "WADI_removed_answers"};
    for (int i = 0; i < 2; i++) {
        consumer_of(address, streams[i], consumer);
        (void)snprintf(subject, sizeof subject, "$JS.API.CONSUMER.DELETE.%s", consumer);
        test_raw_say(o.server.port, subject, "", "");
    }
    test_run(q, &(test_job){.items = 30, .n = 300, .first = 30});
    test_raw_read(heard, " anew", " anew", text, sizeof text);
    if (q->ops->end(q, &err) != WADI_OK) fail_msg("%s", err.msg);
    q->ops->close(q);
    assert_int_equal(test_wait(one), 0);
    test_server_end(&o.server);
    (void)alarm(0);
}

/* ---- ends ---- */

/* A worker may ask for the record just before the job ends, and hear the answer after the word of the end. */
static void an_older_record_does_not_open_a_job_again(void **state) {
    (void)state;
    outage o = {0};
    wadi_error err = {0};
    char headers[256], line[WADI_JET_LABEL_ROOM];
    wadi_jet_record r = {.state = WADI_JET_OPEN, .ack_wait_ms = 1000};
    test_server_start(&o.server, true, "");
    const char *address = test_address(o.server.port, "again", "");
    const pid_t one = test_worker(address, "long=0");
    wadi_workq *q = test_open(address, true);
    if (q->ops->offer(q, "x", 1, &err) != WADI_OK) fail_msg("%s", err.msg);
    test_await(q, 1);
    epoch_of(address, r.epoch);
    char *item = test_item(0, 100);
    if (q->ops->submit(q, 0, item, 100, &err) != WADI_OK) fail_msg("%s", err.msg);
    free(item);
    wadi_work_item none; /* the worker has the item by then, and takes long for it */
    assert_int_equal(q->ops->collect(q, 1000000000, &none, &err), WADI_OK);
    if (q->ops->end(q, &err) != WADI_OK) fail_msg("%s", err.msg);
    wadi_jet_record_write(&r, line);
    (void)snprintf(headers, sizeof headers, "NATS/1.0\r\nWadi-Record: %s\r\n\r\n", line);
    test_raw_say(o.server.port, "wadi.again.record", headers, "");
    q->ops->close(q);
    assert_int_equal(test_wait(one), 0);
    test_server_end(&o.server);
}

/* The stream takes a record only from a home that knows the one before. Others hear of it all the same. */
static void workers_stay_with_a_home_that_another_could_not_displace(void **state) {
    (void)state;
    outage o = {0};
    wadi_error err = {0};
    char headers[256], line[WADI_JET_LABEL_ROOM];
    wadi_jet_record r = {.epoch = "0123456789abcdef", .state = WADI_JET_BEGUN, .ack_wait_ms = 1000};
    (void)alarm(300);
    test_server_start(&o.server, true, "");
    const char *address = test_address(o.server.port, "refused", "");
    const pid_t one = test_worker(address, "plain");
    wadi_workq *q = test_open(address, true);
    if (q->ops->offer(q, "x", 1, &err) != WADI_OK) fail_msg("%s", err.msg);
    test_run(q, &(test_job){.items = 10, .n = 300});
    wadi_jet_record_write(&r, line);
    (void)snprintf(headers, sizeof headers,
                   "NATS/1.0\r\nNats-Expected-Last-Subject-Sequence: 900\r\n"
                   "Wadi-Record: %s\r\n\r\n",
                   line);
    test_raw_say(o.server.port, "wadi.refused.record", headers, "");
    wadi_work_item none; /* the worker has heard it by then */
    assert_int_equal(q->ops->collect(q, 300000000, &none, &err), WADI_OK);
    test_run(q, &(test_job){.items = 10, .n = 300, .first = 10});
    if (q->ops->end(q, &err) != WADI_OK) fail_msg("%s", err.msg);
    q->ops->close(q);
    assert_int_equal(kill(one, SIGKILL), 0);
    (void)test_wait(one);
    test_server_end(&o.server);
    (void)alarm(0);
}

/* Replies may be late: here to a question that home asked before it had the job. */
static void a_late_reply_does_not_end_a_home(void **state) {
    (void)state;
    outage o = {0};
    wadi_error err = {0};
    char headers[256], line[WADI_JET_LABEL_ROOM], text[1024], inbox[128] = "";
    wadi_jet_record r = {.epoch = "0123456789abcdef", .state = WADI_JET_OPEN, .ack_wait_ms = 1000};
    (void)alarm(300);
    test_server_start(&o.server, true, "");
    const int heard = test_raw_hear(o.server.port, "$JS.API.DIRECT.GET.>");
    const char *address = test_address(o.server.port, "late", "");
    wadi_workq *q = test_open(address, true);
    test_raw_read(heard, "{", "{", text, sizeof text);
    assert_int_equal(sscanf(text, " MSG %*s 1 %127s", inbox), 1);
    const pid_t one = test_worker(address, "plain");
    if (q->ops->offer(q, "x", 1, &err) != WADI_OK) fail_msg("%s", err.msg);
    wadi_jet_record_write(&r, line);
    (void)snprintf(headers, sizeof headers, "NATS/1.0\r\nWadi-Record: %s\r\n\r\n", line);
    test_raw_say(o.server.port, inbox, headers, "");
    test_run(q, &(test_job){.items = 10, .n = 300});
    if (q->ops->end(q, &err) != WADI_OK) fail_msg("%s", err.msg);
    q->ops->close(q);
    assert_int_equal(test_wait(one), 0);
    test_server_end(&o.server);
    (void)alarm(0);
}

static void *end_job(void *queue) {
    wadi_workq *q = queue;
    return q->ops->end(q, NULL) == WADI_OK ? NULL : queue;
}

/* The last answers are at home already when the server is killed. */
static void a_job_that_ends_during_an_outage_ends_for_workers_as_well(void **state) {
    (void)state;
    outage o = {.each = 1};
    wadi_error err = {0};
    test_server_start(&o.server, true, "");
    const char *address = test_address(o.server.port, "late", "");
    const pid_t one = test_worker(address, "plain");
    wadi_workq *q = test_open(address, true);
    if (q->ops->offer(q, "x", 1, &err) != WADI_OK) fail_msg("%s", err.msg);
    test_run(q, &(test_job){.items = 1, .n = 100});
    test_server_kill(&o.server);
    wadi_work_item none;
    assert_int_equal(q->ops->collect(q, 100000000, &none, &err), WADI_OK); /* it is noticed */
    pthread_t ending;
    void *status = NULL;
    assert_int_equal(pthread_create(&ending, NULL, end_job, q), 0);
    test_server_again(&o.server); /* the connection comes back a tenth of a second later */
    (void)pthread_join(ending, &status);
    assert_null(status);
    q->ops->close(q);
    assert_int_equal(test_wait(one), 0);
    test_server_end(&o.server);
}

/* Waits until the server has noted this in its log so many times. */
static void await_log(const test_server *server, const char *word, int times) {
    while (test_server_noted(server, word) < times)
        (void)nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
}

/* Two items, of which the first kills two workers: whether the server has noted that one was given back for `ack`. */
static bool is_given_back(wadi_workq *q, const test_server *server, const char *address,
                          int64_t first) {
    wadi_error err = {0};
    char mode[32];
    (void)snprintf(mode, sizeof mode, "kill=%d", (int)first);
    for (int64_t i = first; i < first + 2; i++) {
        char *item = test_item(i, 100);
        if (q->ops->submit(q, i, item, 100, &err) != WADI_OK) fail_msg("%s", err.msg);
        free(item);
    }
    for (int i = 0; i < 2; i++)
        assert_int_equal(test_wait(test_worker(address, mode)), 128 + SIGKILL);
    const pid_t worker = test_worker(address, "plain");
    for (int i = 0; i < 2; i++) {
        wadi_work_item a;
        if (q->ops->collect(q, -1, &a, &err) != WADI_OK) fail_msg("%s", err.msg);
        assert_true(test_answers(a.number, 100, &a));
        free(a.bytes);
    }
    assert_int_equal(kill(worker, SIGKILL), 0);
    assert_int_equal(test_wait(worker), 128 + SIGKILL);
    return test_server_noted(server, ": 300000000}") > 0;
}

/* What is beside an item that may kill workers is given back, and nobody has it for as long as `ack`, and two seconds at most. In some rounds the
 * server gives it out when the first has killed already. */
static void what_is_given_back_comes_again_soon(void **state) {
    enum { ROUNDS = 10 };
    (void)state;
    test_server server;
    wadi_error err = {0};
    bool given_back = false;
    (void)alarm(300);
    test_server_start(&server, true, "trace: true\n");
    const char *address = test_address(server.port, "beside", "&ack=0.3");
    wadi_workq *q = test_open(address, true);
    if (q->ops->offer(q, "x", 1, &err) != WADI_OK) fail_msg("%s", err.msg);
    for (int i = 0; i < ROUNDS && !given_back; i++)
        given_back = is_given_back(q, &server, address, 2 * i);
    assert_true(given_back);
    assert_int_equal(test_server_noted(&server, ": 2000000000}"), 0);
    if (q->ops->end(q, &err) != WADI_OK) fail_msg("%s", err.msg);
    q->ops->close(q);
    test_server_end(&server);
    (void)alarm(0);
}

static void in_folder(const test_server *server, const char *commands) {
    char all[256];
    (void)snprintf(all, sizeof all, "cd %s && %s", server->folder, commands);
    assert_int_equal(system(all), 0);
}

/* A server that begins or ends may be without JetStream for a while. */
static void a_call_waits_for_jetstream(void **state) {
    (void)state;
    outage o = {0};
    wadi_error err = {0};
    (void)alarm(300);
    test_server_start(&o.server, true, "trace: true\n");
    wadi_workq *q = test_open(test_address(o.server.port, "slow", ""), true);
    if (q->ops->offer(q, "x", 1, &err) != WADI_OK) fail_msg("%s", err.msg);
    test_server_kill(&o.server);
    in_folder(&o.server, "mv config all && grep -v jetstream all >config && : >log");
    test_server_again(&o.server);
    pthread_t ending;
    void *status = NULL;
    assert_int_equal(pthread_create(&ending, NULL, end_job, q), 0);
    await_log(&o.server, "[PUB $JS.API.STREAM.INFO.WADI_slow_record", 2); /* one is the queue's */
    (void)close(test_raw_hear(o.server.port, "any")); /* it has said by then that nobody listens */
    test_server_kill(&o.server);
    in_folder(&o.server, "mv all config");
    test_server_again(&o.server);
    (void)pthread_join(ending, &status);
    assert_null(status);
    q->ops->close(q);
    test_server_end(&o.server);
    (void)alarm(0);
}

/* A server that stays away is an error, for home and for workers, after the time that was set. */
static void a_server_that_stays_away_is_an_error(void **state) {
    (void)state;
    outage o = {0};
    wadi_error err = {0};
    wadi_work_item none;
    test_server_start(&o.server, true, "");
    const char *address = test_address(o.server.port, "away", "&wait=0.5");
    wadi_workq *q = test_open(address, true);
    if (q->ops->offer(q, "x", 1, &err) != WADI_OK) fail_msg("%s", err.msg);
    const pid_t one = test_worker(address, "plain");
    test_await(q, 1);
    test_server_kill(&o.server);
    wadi_status st = WADI_OK;
    while (st == WADI_OK) st = q->ops->collect(q, INT64_C(1000000000), &none, &err);
    assert_int_equal(st, WADI_IO);
    assert_non_null(strstr(err.msg, "the server has been away for 0.5 s"));
    assert_int_equal(test_wait(one), 1);
    q->ops->close(q);
    test_server_again(&o.server);
    test_server_end(&o.server);
}

/* Waits end when the descriptor is readable, also while the server is stopped. */
static void waits_can_be_ended(void **state) {
    (void)state;
    outage o = {0};
    wadi_error err = {0};
    wadi_work_item none;
    test_server_start(&o.server, true, "");
    wadi_workq *q = test_open(test_address(o.server.port, "ended", ""), true);
    if (q->ops->offer(q, "x", 1, &err) != WADI_OK) fail_msg("%s", err.msg);
    assert_int_equal(kill(o.server.pid, SIGSTOP), 0);
    const int fd = eventfd(1, EFD_CLOEXEC);
    q->wake_fd = fd;
    assert_int_equal(q->ops->collect(q, -1, &none, &err), WADI_CANCELLED);
    assert_int_equal(kill(o.server.pid, SIGCONT), 0);
    q->ops->close(q);
    (void)close(fd);
    test_server_end(&o.server);
}

int main(int argc, char **argv) {
    const int status = test_worker_main(argc, argv);
    if (status >= 0) return status;
    test_need_nats();
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_given_back_comes_again_soon),
        cmocka_unit_test(a_killed_server_loses_nothing),
        cmocka_unit_test(a_killed_server_loses_no_frames),
        cmocka_unit_test(reset_connections_lose_nothing),
        cmocka_unit_test(reset_connections_lose_no_frames),
        cmocka_unit_test(a_stopped_server_holds_everybody_up_and_no_longer),
        cmocka_unit_test(workers_get_items_that_have_older_numbers),
        cmocka_unit_test(home_gets_answers_that_have_older_numbers),
        cmocka_unit_test(consumers_that_are_removed_are_made_again),
        cmocka_unit_test(workers_ask_again_at_a_new_consumer),
        cmocka_unit_test(a_home_removes_no_consumer_but_its_own),
        cmocka_unit_test(an_older_record_does_not_open_a_job_again),
        cmocka_unit_test(workers_stay_with_a_home_that_another_could_not_displace),
        cmocka_unit_test(a_late_reply_does_not_end_a_home),
        cmocka_unit_test(a_job_that_ends_during_an_outage_ends_for_workers_as_well),
        cmocka_unit_test(a_call_waits_for_jetstream),
        cmocka_unit_test(a_server_that_stays_away_is_an_error),
        cmocka_unit_test(waits_can_be_ended),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
