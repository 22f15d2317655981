/* Servers that are none, strangers on the subjects of a job, and requests to its home. */
#include <arpa/inet.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/nats/raw.h"
#include "tests/nats/server.h"

static test_server server;

static wadi_workq *home_of(const char *address) {
    wadi_error err = {0};
    wadi_workq *q = test_open(address, true);
    if (q->ops->offer(q, "x", 1, &err) != WADI_OK) fail_msg("%s", err.msg);
    return q;
}

static void end_home(wadi_workq *q) {
    wadi_error err = {0};
    if (q->ops->end(q, &err) != WADI_OK) fail_msg("%s", err.msg);
    q->ops->close(q);
}

static void expect_refusal(const char *address, wadi_status status, const char *words) {
    for (int home = 0; home < 2; home++) {
        wadi_workq *q = NULL;
        wadi_error err = {0};
        assert_int_equal(test_try_open(address, home == 1, &q, &err), status);
        if (strstr(err.msg, words) == NULL) fail_msg("%s", err.msg);
    }
}

/* ---- servers ---- */

static void no_server_is_an_error_at_once(void **state) {
    (void)state;
    expect_refusal("nats://127.0.0.1:9/j", WADI_IO, "there is no connection");
}

static void a_server_without_jetstream_is_named(void **state) {
    (void)state;
    test_server plain;
    test_server_start(&plain, false, "");
    expect_refusal(test_address(plain.port, "j", ""), WADI_UNSUPPORTED, "no JetStream");
    test_server_end(&plain);
}

/* A listener that never says a word. */
static void what_is_no_server_holds_nobody_up(void **state) {
    (void)state;
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t n = sizeof a;
    wadi_workq *q = NULL;
    wadi_error err = {0};
    const int s = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(s, (struct sockaddr *)&a, sizeof a), 0);
    assert_int_equal(listen(s, 4), 0);
    assert_int_equal(getsockname(s, (struct sockaddr *)&a, &n), 0);
    assert_int_equal(test_try_open(test_address(ntohs(a.sin_port), "j", ""), true, &q, &err),
                     WADI_IO);
    assert_non_null(strstr(err.msg, "there is no connection"));
    (void)close(s);
}

static void a_server_may_take_less_than_a_frame(void **state) {
    (void)state;
    test_server small;
    test_server_start(&small, true, "max_payload: 65536\n");
    const char *address = test_address(small.port, "small", "");
    const pid_t one = test_worker(address, "plain");
    wadi_workq *q = home_of(address);
    test_run(q, &(test_job){.items = 10, .n = 500000});
    end_home(q);
    assert_int_equal(test_wait(one), 0);
    test_server_end(&small);
}

/* ---- strangers ---- */

static void publish(int s, const char *job, const char *subject, const char *header,
                    const char *text) {
    char line[1024];
    char headers[256] = "";
    if (header != NULL) (void)snprintf(headers, sizeof headers, "NATS/1.0\r\n%s\r\n\r\n", header);
    const int n = snprintf(line, sizeof line, "HPUB wadi.%s.%s x.y %zu %zu\r\n%s%s\r\n", job,
                           subject, strlen(headers), strlen(headers) + strlen(text), headers, text);
    assert_int_equal(write(s, line, (size_t)n), n);
}

/* Waits until the server has read all that was written. */
static void ping(int s) {
    char buffer[65536];
    size_t have = 0;
    assert_int_equal(write(s, "PING\r\n", 6), 6);
    do {
        const ssize_t n = read(s, buffer + have, sizeof buffer - 1 - have);
        assert_true(n > 0);
        have += (size_t)n;
        buffer[have] = '\0';
    } while (strstr(buffer, "PONG") == NULL);
    (void)close(s);
}

static void find_epoch(const char *address, char out[17]) {
    wadi_text status = {0};
    wadi_error err = {0};
    if (test_jobs()->ask(address, "status", "", &status, &err) != WADI_OK) fail_msg("%s", err.msg);
    const char *at = strstr(wadi_text_str(&status), "\"epoch\": \"");
    assert_non_null(at);
    memcpy(out, at + 10, 16);
    out[16] = '\0';
    wadi_text_fini(&status);
}

/* What home sends when somebody asks for a frame. */
static void expect_frame(int port, const char *what, const char *answer) {
    static char got[1 << 16];
    const int ear = test_raw_hear(port, "x.y"), s = test_raw_connect(port);
    publish(s, "large", "ask.frame", "Other: x", what);
    ping(s);
    test_raw_read(ear, answer, answer, got, sizeof got);
}

/* Home keeps them, and the server has one message, which tells of them. Servers may allow messages that they cannot read again later; ours are never so large. */
static void home_sends_frames_to_who_asks(void **state) {
    enum { N = 40000000 }; /* 38 frames of a mebibyte less a header, and one of 193024 bytes */
    (void)state;
    test_server large;
    char epoch[17], what[64];
    (void)alarm(300);
    test_server_start(&large, true, "max_payload: 60000000\nmax_pending: 90000000\n");
    const char *address = test_address(large.port, "large", "");
    wadi_workq *q = home_of(address);
    wadi_error err = {0};
    char *item = test_item(0, N);
    assert_int_equal(q->ops->submit(q, 0, item, N, &err), WADI_OK);
    free(item);
    find_epoch(address, epoch);
    static const struct {
        const char *asked, *answer;
    } frames[] = {{"0 0", "MSG x.y 1 1047552\r\n"}, {"0 38", "MSG x.y 1 193024\r\n"},
                  {"0 39", "MSG x.y 1 0\r\n"},      {"0 -1", "MSG x.y 1 0\r\n"},
                  {"1 0", "MSG x.y 1 0\r\n"},       {"0 2147483647", "MSG x.y 1 0\r\n"}};
    for (size_t i = 0; i < sizeof frames / sizeof *frames; i++) {
        (void)snprintf(what, sizeof what, "%s %s", epoch, frames[i].asked);
        expect_frame(large.port, what, frames[i].answer);
    }
    wadi_text list = {0};
    assert_int_equal(test_jobs()->list(address, &list, &err), WADI_OK);
    assert_non_null(strstr(wadi_text_str(&list), " 1 item messages"));
    wadi_text_fini(&list);
    const pid_t one = test_worker(address, "plain");
    wadi_work_item a;
    assert_int_equal(q->ops->collect(q, -1, &a, &err), WADI_OK);
    assert_true(test_answers(0, N, &a));
    free(a.bytes);
    (void)snprintf(what, sizeof what, "%s 0 0", epoch);
    expect_frame(large.port, what, "MSG x.y 1 0\r\n"); /* it is answered */
    end_home(q);
    assert_int_equal(test_wait(one), 0);
    test_server_end(&large);
    (void)alarm(0);
}

typedef struct wanting {
    int s;
    char text[128];
    atomic_bool over;
} wanting;

/* Asks for a frame again and again. In a thread of its own, where nothing may be asserted. */
static void *keep_wanting(void *env) {
    wanting *w = env;
    const size_t n = strlen(w->text);
    bool said = true;
    while (said && !atomic_load(&w->over)) {
        said = write(w->s, w->text, n) == (ssize_t)n;
        (void)nanosleep(&(struct timespec){.tv_nsec = 50000}, NULL);
    }
    return said ? NULL : w;
}

/* Workers ask for the frames of what is not answered when a run is cancelled. Nobody sends them any more, and home does not wait for that. */
static void a_home_ends_while_frames_are_asked_for(void **state) {
    (void)state;
    const char *address = test_address(server.port, "leaving", "");
    const struct timespec nap = {.tv_nsec = 1000000};
    wanting w = {.s = test_raw_connect(server.port)};
    char epoch[17];
    pthread_t thread;
    void *refused = NULL;
    wadi_error err = {0};
    (void)alarm(300);
    wadi_workq *q = home_of(address);
    find_epoch(address, epoch);
    (void)snprintf(w.text, sizeof w.text, "PUB wadi.leaving.ask.frame x.y 20\r\n%s 0 0\r\n", epoch);
    assert_int_equal(pthread_create(&thread, NULL, keep_wanting, &w), 0);
    if (q->ops->end(q, &err) != WADI_OK) fail_msg("%s", err.msg);
    for (int i = 0; i < 100; i++) {
        (void)nanosleep(&nap, NULL);
        assert_int_equal(q->ops->workers(q), 0);
    }
    q->ops->close(q);
    atomic_store(&w.over, true);
    (void)pthread_join(thread, &refused);
    assert_null(refused);
    (void)close(w.s);
    (void)alarm(0);
}

static void strangers_do_no_harm(void **state) {
    (void)state;
    static const char *const headers[] = {"Wadi-Label: nonsense",
                                          "Wadi-Label: 5 0 99999999999 5 00000000 0000000000000000",
                                          "Wadi-Label: 3 0 4 0 00000000 0000000000000000",
                                          "Wadi-Label: 900 0 4000000 4 00000000 0000000000000000",
                                          "Wadi-Record: 1 what",
                                          "Other: x"};
    char epoch[17], subject[64];
    const char *address = test_address(server.port, "strangers", "");
    wadi_workq *q = home_of(address);
    find_epoch(address, epoch);
    const int s = test_raw_connect(server.port);
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        static const char *const subjects[] = {"item.%s.do", "answer.%s.do", "item.%s.part.1.2.3",
                                               "answer.%s.part.1.2.3"};
        for (int k = 0; k < 4; k++) {
            (void)snprintf(subject, sizeof subject, subjects[k], epoch);
            publish(s, "strangers", subject, headers[i], "text");
        }
        publish(s, "strangers", "live.worker", headers[i], "0123456789abcdef 0123456789abcdef 1");
        publish(s, "strangers", "live.worker", headers[i], "");
        publish(s, "strangers", "live.home", headers[i], "?");
        publish(s, "strangers", "ask.status", headers[i], "x");
        publish(s, "strangers", "ask.resize", headers[i], "99999999999999999999");
        publish(s, "strangers", "ask.what", headers[i], "x");
        publish(s, "strangers", "ask.frame", headers[i], "");
        publish(s, "strangers", "ask.frame", headers[i], "x 1");
        publish(s, "strangers", "ask.frame", headers[i], "0123456789abcdef0123456789abcdef 1 1");
        publish(s, "strangers", "dead.do", headers[i], "x");
    }
    ping(s);
    const pid_t one = test_worker(address, "plain");
    test_job job = {.items = 60, .n = 1000, .first = 10};
    test_run(q, &job);
    assert_int_equal(job.failed, 0);
    wadi_text text = {0};
    wadi_error err = {0};
    assert_int_equal(test_jobs()->ask(address, "status", "", &text, &err), WADI_OK);
    assert_non_null(strstr(wadi_text_str(&text), "\"answered\": 60"));
    assert_null(strstr(wadi_text_str(&text), "\"strangers\": 0,"));
    wadi_text_clear(&text);
    assert_int_equal(test_jobs()->dead(address, &text, &err), WADI_OK);
    wadi_text_fini(&text);
    end_home(q);
    assert_int_equal(test_wait(one), 0);
    assert_int_equal(test_jobs()->remove(address, false, &err), WADI_OK); /* letters of strangers */
}

/* It is answered by another, and home does not keep its frames any more: that is no letter. */
static void an_item_without_its_frames_is_nobodys(void **state) {
    (void)state;
    static const char letter[] = "PUB wadi.without.dead";
    test_server own;
    char epoch[17], subject[64];
    (void)alarm(300);
    test_server_start(&own, true, "trace: true\n");
    const char *address = test_address(own.port, "without", "");
    wadi_workq *q = home_of(address);
    find_epoch(address, epoch);
    const int s = test_raw_connect(own.port);
    (void)snprintf(subject, sizeof subject, "item.%s.do", epoch);
    publish(s, "without", subject, "Wadi-Label: 900 0 4000000 4 00000000 0000000000000000", "end");
    ping(s);
    const pid_t one = test_worker(address, "plain");
    while (test_server_noted(&own, "+TERM") == 0 && test_server_noted(&own, letter) == 0)
        (void)nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    assert_int_equal(test_server_noted(&own, letter), 0);
    test_run(q, &(test_job){.items = 10, .n = 1000});
    end_home(q);
    assert_int_equal(test_wait(one), 0);
    test_server_end(&own);
    (void)alarm(0);
}

/* A worker that waits for the job is told so. */
static void a_record_of_another_version_is_an_error(void **state) {
    (void)state;
    const char *address = test_address(server.port, "older", "");
    wadi_error err = {0};
    void *charter = NULL;
    int64_t n = 0;
    (void)alarm(300);
    wadi_workq *q = home_of(address);
    q->ops->close(q);
    test_raw_say(server.port, "wadi.older.record",
                 "NATS/1.0\r\nWadi-Record: 3 0123456789abcdef open 5000 0 0 0 0 00000000 "
                 "0000000000000000\r\n\r\n",
                 "");
    q = test_open(address, false);
    assert_int_equal(q->ops->charter(q, &charter, &n, &err), WADI_IO);
    if (strstr(err.msg, "its record on the server makes no sense") == NULL) fail_msg("%s", err.msg);
    q->ops->close(q);
    if (test_jobs()->remove(address, false, &err) != WADI_OK) fail_msg("%s", err.msg);
    (void)alarm(0);
}

typedef struct flood {
    int s;
    char *text;
    size_t n;
    atomic_bool over;
} flood;

/* In a thread of its own, where nothing may be asserted. */
static void *keep_saying(void *env) {
    flood *f = env;
    ssize_t said = (ssize_t)f->n;
    while (said == (ssize_t)f->n && !atomic_load(&f->over)) said = write(f->s, f->text, f->n);
    return said == (ssize_t)f->n ? NULL : f;
}

/* The thread that reads may have a message in hand just then. It is large, so that this takes a while. */
static void a_home_ends_in_a_flood(void **state) {
    (void)state;
    enum { LARGE = 1000000 };
    flood f = {.s = test_raw_connect(server.port), .text = calloc(1, LARGE + 64)};
    pthread_t saying;
    void *refused = NULL;
    assert_non_null(f.text);
    const int head = snprintf(f.text, 64, "PUB wadi.flooded.live.worker %d\r\n", LARGE);
    f.n = (size_t)head + LARGE + 2;
    memcpy(f.text + f.n - 2, "\r\n", 2);
    assert_int_equal(pthread_create(&saying, NULL, keep_saying, &f), 0);
    for (int i = 0; i < 20; i++) {
        wadi_workq *q = test_open(test_address(server.port, "flooded", ""), true);
        q->ops->close(q);
    }
    atomic_store(&f.over, true);
    (void)pthread_join(saying, &refused);
    assert_null(refused);
    (void)close(f.s);
    free(f.text);
}

/* Asks again and again who is home, each time when it has heard an answer: "1", or that nobody listens. */
static void *keep_asking(void *env) {
    static const char ask[] = "PUB wadi.begins.ask.ping heard 0\r\n\r\n";
    flood *f = env;
    bool heard = true;
    while (heard && !atomic_load(&f->over)) {
        char text[256] = "";
        size_t n = 0;
        heard = write(f->s, ask, sizeof ask - 1) == sizeof ask - 1;
        while (heard && strstr(text, "MSG heard 1") == NULL) {
            const ssize_t more = read(f->s, text + n, sizeof text - 1 - n);
            heard = more > 0;
            n += heard ? (size_t)more : 0;
            text[n] = '\0';
        }
    }
    return heard ? NULL : f;
}

/* Whoever asks and hears nothing would take the home for one that is stopped. */
static void a_home_that_begins_leaves_no_question_open(void **state) {
    (void)state;
    const struct timeval patience = {.tv_sec = 5};
    for (int i = 0; i < 3; i++) {
        flood f = {.s = test_raw_hear(server.port, "heard")};
        pthread_t asking;
        void *unheard = NULL;
        assert_int_equal(setsockopt(f.s, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience), 0);
        assert_int_equal(pthread_create(&asking, NULL, keep_asking, &f), 0);
        wadi_workq *q = home_of(test_address(server.port, "begins", ""));
        atomic_store(&f.over, true);
        (void)pthread_join(asking, &unheard);
        assert_null(unheard);
        (void)close(f.s);
        end_home(q);
    }
}

/* ---- requests ---- */

static void ask(const char *address, const char *verb, const char *what, const char *words) {
    wadi_text out = {0};
    wadi_error err = {0};
    if (test_jobs()->ask(address, verb, what, &out, &err) != WADI_OK) fail_msg("%s", err.msg);
    if (strstr(wadi_text_str(&out), words) == NULL) fail_msg("%s", wadi_text_str(&out));
    wadi_text_fini(&out);
}

static void a_home_does_what_it_is_asked(void **state) {
    (void)state;
    const char *address = test_address(server.port, "asked", "&credit=7");
    wadi_text out = {0};
    wadi_error err = {0};
    assert_int_equal(test_jobs()->ask(address, "status", "", &out, &err), WADI_IO);
    assert_non_null(strstr(err.msg, "there is no job asked on this server"));
    wadi_workq *q = home_of(address);
    ask(address, "status", "", "\"submitted\": 0, \"answered\": 0");
    ask(address, "status", "", "\"credit\": 7,");
    assert_true(q->ops->has_room(q, 10));
    ask(address, "pause", "", "paused");
    assert_false(q->ops->has_room(q, 10));
    ask(address, "status", "", "\"paused\": true");
    ask(address, "resume", "", "resumed");
    assert_true(q->ops->has_room(q, 10));
    ask(address, "resize", "1", "1 items");
    assert_int_equal(q->ops->submit(q, 0, "a", 1, &err), WADI_OK);
    assert_false(q->ops->has_room(q, 1));
    ask(address, "resize", "2", "2 items");
    assert_true(q->ops->has_room(q, 1));
    assert_int_equal(test_jobs()->ask(address, "resize", "none", &out, &err), WADI_INVALID);
    assert_int_equal(test_jobs()->list(address, &out, &err), WADI_OK);
    assert_non_null(strstr(wadi_text_str(&out), "asked"));
    assert_non_null(strstr(wadi_text_str(&out), "has a home"));
    wadi_text_fini(&out);
    end_home(q);
}

static void a_job_with_a_home_is_not_removed_by_mistake(void **state) {
    (void)state;
    const char *address = test_address(server.port, "removed", "");
    wadi_error err = {0};
    wadi_work_item none;
    assert_int_equal(test_jobs()->remove(address, false, &err), WADI_IO);
    wadi_workq *q = home_of(address);
    assert_int_equal(test_jobs()->remove(address, false, &err), WADI_INVALID);
    assert_non_null(strstr(err.msg, "has a home, which is at work"));
    assert_int_equal(test_jobs()->remove(address, true, &err), WADI_OK);
    wadi_status st = WADI_OK;
    while (st == WADI_OK) st = q->ops->collect(q, 1000000000, &none, &err);
    assert_int_equal(st, WADI_IO);
    assert_non_null(strstr(err.msg, "its streams were removed from the server"));
    wadi_text out = {0};
    assert_int_equal(test_jobs()->ask(address, "ping", "", &out, &err), WADI_IO);
    wadi_text_fini(&out);
    q->ops->close(q);
}

int main(int argc, char **argv) {
    const int status = test_worker_main(argc, argv);
    if (status >= 0) return status;
    test_need_nats();
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    test_server_start(&server, true, "");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_server_is_an_error_at_once),
        cmocka_unit_test(a_server_without_jetstream_is_named),
        cmocka_unit_test(what_is_no_server_holds_nobody_up),
        cmocka_unit_test(home_sends_frames_to_who_asks),
        cmocka_unit_test(a_home_ends_while_frames_are_asked_for),
        cmocka_unit_test(a_server_may_take_less_than_a_frame),
        cmocka_unit_test(strangers_do_no_harm),
        cmocka_unit_test(an_item_without_its_frames_is_nobodys),
        cmocka_unit_test(a_record_of_another_version_is_an_error),
        cmocka_unit_test(a_home_ends_in_a_flood),
        cmocka_unit_test(a_home_that_begins_leaves_no_question_open),
        cmocka_unit_test(a_home_does_what_it_is_asked),
        cmocka_unit_test(a_job_with_a_home_is_not_removed_by_mistake),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    test_server_end(&server);
    return failed;
}
