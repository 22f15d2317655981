/* Two homes of one job: one that is alive keeps it, and one that has lost it ends. */
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
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
#include "tests/nats/raw.h"
#include "tests/nats/server.h"

/* A process that is home of the job, and answers, when the call returns. */
static pid_t start_home(int port, const char *job, const char *address) {
    char subject[64], said[4096];
    wadi_text text = {0};
    /* A server of 2.9.10 crashes if it is asked of a stream that it is making: nobody asks before home has said that it lives. */
    (void)snprintf(subject, sizeof subject, "wadi.%s.live.home", job);
    const int heard = test_raw_hear(port, subject);
    const pid_t home = test_worker(address, "home");
    test_raw_read(heard, "live.home 1 ", "live.home 1 ", said, sizeof said);
    while (test_jobs()->ask(address, "ping", "", &text, NULL) != WADI_OK)
        (void)nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    wadi_text_fini(&text);
    return home;
}

static void a_home_that_lost_its_job_in_an_outage_ends(void **state) {
    (void)state;
    test_server server;
    wadi_error err = {0};
    (void)alarm(300);
    test_server_start(&server, true, "");
    const char *address = test_address(server.port, "lost", "");
    const pid_t first = start_home(server.port, "lost", address);
    assert_int_equal(kill(first, SIGSTOP), 0);
    test_server_kill(&server);
    test_server_again(&server);
    wadi_workq *q = test_open(address, true);
    if (q->ops->offer(q, "x", 1, &err) != WADI_OK) fail_msg("%s", err.msg);
    assert_int_equal(kill(first, SIGCONT), 0);
    assert_int_equal(test_wait(first), 1);
    if (q->ops->end(q, &err) != WADI_OK) fail_msg("%s", err.msg);
    q->ops->close(q);
    test_server_end(&server);
    (void)alarm(0);
}

/* Which of two has ended, with status 1: the first, or not. The other is killed. */
static bool first_has_ended(pid_t first, pid_t second) {
    int status = 0;
    for (;;) {
        const pid_t one = waitpid(-1, &status, 0);
        if (one != first && one != second) continue; /* the server is the parent's as well */
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 1);
        const pid_t other = one == first ? second : first;
        assert_int_equal(kill(other, SIGKILL), 0);
        assert_int_equal(test_wait(other), 128 + SIGKILL);
        return one == first;
    }
}

/* The server has just begun again, and the home of the job has no connection yet. True: it keeps the job, and who comes meanwhile is told so. */
static bool keeps_its_job(void) {
    test_server server;
    char text[4096];
    test_server_start(&server, true, "");
    const char *address = test_address(server.port, "kept", "");
    const pid_t first = start_home(server.port, "kept", address);
    assert_int_equal(kill(first, SIGSTOP), 0);
    test_server_kill(&server);
    test_server_again(&server);
    const int heard = test_raw_hear(server.port, "$JS.API.DIRECT.GET.>");
    const pid_t second = test_worker(address, "home");
    test_raw_read(heard, "WADI_kept_record", "WADI_kept_record", text, sizeof text);
    assert_int_equal(kill(first, SIGCONT), 0); /* the second is about to ask for it */
    const bool keeps = !first_has_ended(first, second);
    test_server_end(&server);
    return keeps;
}

/* It has a second and a half for that, which may be too little for it now and then where a machine is busy. */
static void a_home_that_comes_back_late_keeps_its_job(void **state) {
    (void)state;
    bool keeps = false;
    (void)alarm(300);
    for (int tries = 0; tries < 5 && !keeps; tries++) keeps = keeps_its_job();
    assert_true(keeps);
    (void)alarm(0);
}

typedef struct offering {
    wadi_workq *q;
    wadi_status status;
} offering;

static void *offer(void *env) {
    offering *o = env;
    o->status = o->q->ops->offer(o->q, "x", 1, NULL);
    return NULL;
}

/* What a server has not passed on yet is not the silence of home. */
static void a_server_that_pauses_does_not_cost_home_its_job(void **state) {
    (void)state;
    test_server server;
    char text[4096];
    (void)alarm(300);
    test_server_start(&server, true, "");
    const char *address = test_address(server.port, "paused", "");
    const pid_t first = start_home(server.port, "paused", address);
    assert_int_equal(kill(first, SIGSTOP), 0);
    const int heard = test_raw_hear(server.port, "wadi.paused.ask.ping");
    offering second = {.q = test_open(address, true)};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, offer, &second), 0);
    test_raw_read(heard, "ask.ping", "ask.ping", text, sizeof text);
    assert_int_equal(kill(server.pid, SIGSTOP), 0);
    assert_int_equal(kill(first, SIGCONT), 0);
    (void)nanosleep(&(struct timespec){3, 500000000}, NULL);
    assert_int_equal(kill(server.pid, SIGCONT), 0);
    (void)pthread_join(thread, NULL);
    assert_int_equal(second.status, WADI_INVALID); /* there is a home */
    second.q->ops->close(second.q);
    assert_int_equal(kill(first, SIGKILL), 0);
    assert_int_equal(test_wait(first), 128 + SIGKILL);
    test_server_end(&server);
    (void)alarm(0);
}

/* Nobody listens where a home was killed, and that is asked again for a while. */
static void the_search_for_a_home_can_be_ended(void **state) {
    (void)state;
    test_server server;
    wadi_error err = {0};
    (void)alarm(300);
    test_server_start(&server, true, "");
    const char *address = test_address(server.port, "search", "");
    const pid_t first = start_home(server.port, "search", address);
    assert_int_equal(kill(first, SIGKILL), 0);
    assert_int_equal(test_wait(first), 128 + SIGKILL);
    wadi_workq *q = test_open(address, true);
    q->wake_fd = eventfd(1, EFD_CLOEXEC);
    assert_int_equal(q->ops->offer(q, "x", 1, &err), WADI_CANCELLED);
    (void)close(q->wake_fd);
    q->wake_fd = -1;
    if (q->ops->offer(q, "x", 1, &err) != WADI_OK) fail_msg("%s", err.msg);
    if (q->ops->end(q, &err) != WADI_OK) fail_msg("%s", err.msg);
    q->ops->close(q);
    test_server_end(&server);
    (void)alarm(0);
}

/* How often a home that wants the job asks for another, which nobody is: once more if the server has not seen yet that the other's connection has ended. */
static int searches(const test_server *server, const char *address) {
    static const char ping[] = "[PUB wadi.searched.ask.ping ";
    wadi_error err = {0};
    const int before = test_server_noted(server, ping);
    wadi_workq *q = test_open(address, true);
    if (q->ops->offer(q, "x", 1, &err) != WADI_OK) fail_msg("%s", err.msg);
    const int after = test_server_noted(server, ping);
    if (q->ops->end(q, &err) != WADI_OK) fail_msg("%s", err.msg);
    q->ops->close(q);
    return after - before;
}

/* At a server that it has met, a home that was killed is not waited for as at one that has just begun. */
static void a_killed_home_is_not_looked_for_long(void **state) {
    (void)state;
    test_server server;
    (void)alarm(300);
    test_server_start(&server, true, "trace: true\n");
    const char *address = test_address(server.port, "searched", "");
    pid_t home = start_home(server.port, "searched", address);
    assert_int_equal(kill(home, SIGKILL), 0);
    assert_int_equal(test_wait(home), 128 + SIGKILL);
    assert_in_range(searches(&server, address), 4, 5);
    home = start_home(server.port, "searched", address);
    assert_int_equal(kill(home, SIGKILL), 0);
    assert_int_equal(test_wait(home), 128 + SIGKILL);
    test_server_kill(&server);
    test_server_again(&server);
    assert_in_range(searches(&server, address), 6, 7);
    home = start_home(server.port, "searched", address);
    const int met = test_server_noted(&server, "[PUB wadi.searched.charter.");
    test_server_kill(&server);
    test_server_again(&server);
    while (test_server_noted(&server, "[PUB wadi.searched.charter.") == met)
        (void)nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    assert_int_equal(kill(home, SIGKILL), 0);
    assert_int_equal(test_wait(home), 128 + SIGKILL);
    assert_in_range(searches(&server, address), 4, 5);
    test_server_end(&server);
    (void)alarm(0);
}

/* While it makes its streams, too: to a home that comes meanwhile it must not seem to be nobody. */
static void a_home_can_be_asked_before_it_makes_streams(void **state) {
    (void)state;
    test_server server;
    wadi_error err = {0};
    char log[128], *text = NULL;
    size_t n = 0;
    test_server_start(&server, true, "trace: true\n");
    wadi_workq *q = test_open(test_address(server.port, "early", ""), true);
    if (q->ops->offer(q, "x", 1, &err) != WADI_OK) fail_msg("%s", err.msg);
    (void)snprintf(log, sizeof log, "%s/log", server.folder);
    assert_int_equal(wadi_file_read(log, &text, &n, NULL), WADI_OK);
    const char *claim = strstr(text, "PUB wadi.early.record"),
               *ear = strstr(text, "[SUB wadi.early.ask."),
               *streams = strstr(text, "STREAM.CREATE.WADI_early_items");
    assert_non_null(claim);
    assert_non_null(ear);
    assert_true(claim < ear && ear < streams);
    free(text);
    if (q->ops->end(q, &err) != WADI_OK) fail_msg("%s", err.msg);
    q->ops->close(q);
    test_server_end(&server);
}

typedef struct asking {
    const char *address;
    atomic_bool over;
    int asked;
} asking;

static void *keep_asking(void *env) {
    asking *a = env;
    for (; !atomic_load(&a->over); a->asked++) {
        wadi_text text = {0};
        (void)test_jobs()->dead(a->address, &text, NULL);
        wadi_text_fini(&text);
    }
    return NULL;
}

/* nats-server 2.9.10 crashes if it is asked by MSG.GET of a stream that it is making. */
static void a_job_may_be_asked_for_while_it_begins(void **state) {
    enum { ASKING = 4, ROUNDS = 20 };
    (void)state;
    test_server server;
    wadi_error err = {0};
    pthread_t thread[ASKING];
    asking who[ASKING];
    (void)alarm(300);
    test_server_start(&server, true, "");
    const char *address = test_address(server.port, "begins", "&wait=1");
    wadi_workq *q = test_open(address, true);
    for (int i = 0; i < ASKING; i++) {
        who[i] = (asking){.address = address};
        atomic_init(&who[i].over, false);
        assert_int_equal(pthread_create(&thread[i], NULL, keep_asking, &who[i]), 0);
    }
    for (int i = 0; i < ROUNDS; i++) {
        if (q->ops->offer(q, "x", 1, &err) != WADI_OK) fail_msg("round %d: %s", i, err.msg);
        if (q->ops->end(q, &err) != WADI_OK) fail_msg("round %d: %s", i, err.msg);
    }
    for (int i = 0; i < ASKING; i++) {
        atomic_store(&who[i].over, true);
        (void)pthread_join(thread[i], NULL);
        assert_true(who[i].asked > 0);
    }
    q->ops->close(q);
    test_server_end(&server);
    (void)alarm(0);
}

/* A home that cannot make its streams does not pass for one while its run goes on without workers, and leaves nothing. */
static void a_home_without_streams_is_none(void **state) {
    (void)state;
    test_server server;
    wadi_error err = {0};
    wadi_text text = {0};
    char command[256];
    (void)alarm(300);
    test_server_start(&server, true, "");
    test_server_kill(&server);
    (void)snprintf(command, sizeof command,
                   "sed -i 's/store_dir/max_file_store: 400MB, &/' %s/config", server.folder);
    assert_int_equal(system(command), 0);
    test_server_again(&server);
    const char *large = test_address(server.port, "full", ""),
               *small = test_address(server.port, "full", "&budget=1M");
    wadi_workq *first = test_open(large, true);
    assert_int_equal(first->ops->offer(first, "x", 1, &err), WADI_IO);
    if (strstr(err.msg, "making a stream") == NULL) fail_msg("%s", err.msg);
    assert_int_equal(test_jobs()->ask(large, "ping", "", &text, &err), WADI_IO);
    if (strstr(err.msg, "there is no job full") == NULL) fail_msg("%s", err.msg);
    wadi_workq *second = test_open(small, true);
    if (second->ops->offer(second, "x", 1, &err) != WADI_OK) fail_msg("%s", err.msg);
    assert_int_equal(first->ops->offer(first, "x", 1, &err), WADI_INVALID); /* there is one now */
    first->ops->close(first);
    if (test_jobs()->ask(small, "ping", "", &text, &err) != WADI_OK) fail_msg("%s", err.msg);
    assert_int_equal(strlen(wadi_text_str(&text)), 17); /* an epoch, and the end of the line */
    wadi_text_fini(&text);
    const pid_t one = test_worker(small, "plain");
    test_run(second, &(test_job){.items = 10, .n = 100});
    if (second->ops->end(second, &err) != WADI_OK) fail_msg("%s", err.msg);
    second->ops->close(second);
    assert_int_equal(test_wait(one), 0);
    test_server_end(&server);
    (void)alarm(0);
}

/* Has the server say when somebody asks for the home of the job, and when its stream of items is made. */
static int hear_the_next(int port) {
    static const char also[] = "SUB $JS.API.STREAM.CREATE.WADI_next_items 2\r\n";
    const int s = test_raw_hear(port, "wadi.next.ask.ping");
    assert_int_equal(write(s, also, sizeof also - 1), sizeof also - 1);
    return s;
}

/* Answers as a home does, if something comes within a while. False: nothing has come. */
static bool answer_ping(int s, int patience_ms) {
    struct pollfd f = {.fd = s, .events = POLLIN};
    char text[1024] = "", inbox[128], said[160];
    if (poll(&f, 1, patience_ms) <= 0) return false;
    while (strstr(text, "\r\n\r\n") == NULL && strstr(text, "CREATE") == NULL) {
        const size_t n = strlen(text);
        const ssize_t more = read(s, text + n, sizeof text - 1 - n);
        assert_true(more > 0);
        text[n + (size_t)more] = '\0';
    }
    const char *asked = strstr(text, "MSG wadi.next.ask.ping");
    if (asked == NULL || sscanf(asked, "%*s %*s %*s %120s", inbox) != 1) return true;
    const int n = snprintf(said, sizeof said, "PUB %s 1\r\nx\r\n", inbox);
    assert_int_equal(write(s, said, (size_t)n), n);
    return true;
}

typedef struct removing {
    const char *address;
    wadi_status status;
    atomic_bool over;
} removing;

static void *remove_job(void *env) {
    removing *r = env;
    wadi_error err = {0};
    r->status = test_jobs()->remove(r->address, true, &err);
    atomic_store(&r->over, true);
    return NULL;
}

/* One that leaves the job removes streams that have the names of those of the next. While it does, it answers. */
static void a_home_that_leaves_costs_the_next_no_streams(void **state) {
    (void)state;
    static const char gone[] = "UNSUB 1\r\nUNSUB 2\r\n";
    test_server server;
    wadi_error err = {0};
    pthread_t thread[2];
    (void)alarm(300);
    test_server_start(&server, true, "");
    const char *address = test_address(server.port, "next", "");
    const pid_t home = start_home(server.port, "next", address);
    assert_int_equal(kill(home, SIGKILL), 0);
    assert_int_equal(test_wait(home), 128 + SIGKILL);
    test_raw_say(server.port, "wadi.next.record",
                 "NATS/1.0\r\nWadi-Record: 4 0123456789abcdef ended 1000 0 0 1 0 00000000 "
                 "0000000000000000\r\n\r\n",
                 "");
    const int leaver = hear_the_next(server.port);
    offering o = {.q = test_open(address, true)};
    removing r = {.address = address};
    atomic_init(&r.over, false);
    assert_int_equal(pthread_create(&thread[0], NULL, offer, &o), 0);
    assert_true(answer_ping(leaver, -1));
    assert_int_equal(pthread_create(&thread[1], NULL, remove_job, &r), 0);
    while (!atomic_load(&r.over)) (void)answer_ping(leaver, 5);
    assert_int_equal(write(leaver, gone, sizeof gone - 1), sizeof gone - 1);
    (void)answer_ping(leaver, 100); /* what was on its way */
    (void)close(leaver);
    for (int i = 0; i < 2; i++) (void)pthread_join(thread[i], NULL);
    assert_int_equal(r.status, WADI_OK);
    assert_int_equal(o.status, WADI_OK);
    const pid_t one = test_worker(address, "plain");
    test_run(o.q, &(test_job){.items = 10, .n = 100});
    if (o.q->ops->end(o.q, &err) != WADI_OK) fail_msg("%s", err.msg);
    o.q->ops->close(o.q);
    assert_int_equal(test_wait(one), 0);
    test_server_end(&server);
    (void)alarm(0);
}

/* Connections come about, and no more. */
static void a_server_that_says_nothing_is_away(void **state) {
    (void)state;
    test_server server;
    wadi_error err = {0};
    wadi_work_item none;
    int port = 0;
    (void)alarm(300);
    test_server_start(&server, true, "");
    test_proxy *proxy = test_proxy_start(server.port, &port);
    wadi_workq *q = test_open(test_address(port, "silent", "&wait=0.5"), true);
    if (q->ops->offer(q, "x", 1, &err) != WADI_OK) fail_msg("%s", err.msg);
    test_proxy_mute(proxy, "PING\r\n");
    wadi_status st = WADI_OK;
    while (st == WADI_OK) st = q->ops->collect(q, INT64_C(1000000000), &none, &err);
    assert_int_equal(st, WADI_IO);
    if (strstr(err.msg, "the server has been away for 0.5 s") == NULL) fail_msg("%s", err.msg);
    q->ops->close(q);
    test_proxy_end(proxy);
    test_server_end(&server);
    (void)alarm(0);
}

/* As nats-server 2.9 does whose disk is full: who asks it for that is never heard again. Which of two limits is reached first depends on when the library sees each loss: that of the
 * call, or that of a server that is away, because one that takes connections and says nothing counts as such. */
static void a_call_that_ends_each_connection_is_given_up(void **state) {
    (void)state;
    test_server server;
    wadi_error err = {0};
    int port = 0;
    (void)alarm(300);
    test_server_start(&server, true, "");
    test_proxy *proxy = test_proxy_start(server.port, &port);
    wadi_workq *q = test_open(test_address(port, "full", "&wait=5"), true);
    if (q->ops->offer(q, "x", 1, &err) != WADI_OK) fail_msg("%s", err.msg);
    test_proxy_mute(proxy, "$JS.API.STREAM.DELETE");
    assert_int_equal(q->ops->end(q, &err), WADI_IO);
    if (strstr(err.msg, "removing a stream: ") == NULL &&
        strstr(err.msg, "the server has been away for 5 s") == NULL)
        fail_msg("%s", err.msg);
    q->ops->close(q);
    test_proxy_end(proxy);
    test_server_end(&server);
    (void)alarm(0);
}

int main(int argc, char **argv) {
    const int status = test_worker_main(argc, argv);
    if (status >= 0) return status;
    test_need_nats();
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_home_that_lost_its_job_in_an_outage_ends),
        cmocka_unit_test(a_home_that_comes_back_late_keeps_its_job),
        cmocka_unit_test(a_server_that_pauses_does_not_cost_home_its_job),
        cmocka_unit_test(the_search_for_a_home_can_be_ended),
        cmocka_unit_test(a_killed_home_is_not_looked_for_long),
        cmocka_unit_test(a_home_can_be_asked_before_it_makes_streams),
        cmocka_unit_test(a_job_may_be_asked_for_while_it_begins),
        cmocka_unit_test(a_home_without_streams_is_none),
        cmocka_unit_test(a_home_that_leaves_costs_the_next_no_streams),
        cmocka_unit_test(a_server_that_says_nothing_is_away),
        cmocka_unit_test(a_call_that_ends_each_connection_is_given_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
