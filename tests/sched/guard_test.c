/* The guard of a listening socket, told by events of the test about connections of the test: which of them it closes. Each test ends with a connection that
 * must be closed, so that the others have been looked at by then. */
#define _DEFAULT_SOURCE /* SO_GET_FILTER */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/filter.h>
#include <netinet/in.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "sched/transport/zmq/guard.h"
#include "sched/transport/zmq/library.h"
#include "wadi/log.h"

enum { MIB = 1 << 20, PATIENCE_MS = 60000, MOST = 400 };

typedef struct pair {
    int near, far; /* the end that listens, and the other one */
} pair;

typedef struct fixture {
    void *context, *monitor, *events;
    wadi_zmq_guard *guard;
    int listener, other;
    int pairs;
    pair pair[MOST];
} fixture;

static void ignore(void *env, wadi_log_level level, const char *line) {
    (void)env;
    (void)level;
    (void)line;
}

/* ---- connections ---- */

static int start_listening(char *endpoint, size_t room) {
    struct sockaddr_in at = {.sin_family = AF_INET};
    socklen_t n = sizeof at;
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert_true(fd >= 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(listen(fd, 8), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &n), 0);
    (void)snprintf(endpoint, room, "tcp://127.0.0.1:%d", ntohs(at.sin_port));
    return fd;
}

static pair *meet(fixture *f, int listener) {
    struct sockaddr_in at;
    socklen_t n = sizeof at;
    pair *p = &f->pair[f->pairs++];
    assert_true(f->pairs <= MOST);
    assert_int_equal(getsockname(listener, (struct sockaddr *)&at, &n), 0);
    p->far = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(connect(p->far, (struct sockaddr *)&at, sizeof at), 0);
    p->near = accept(listener, NULL, NULL);
    assert_true(p->far >= 0 && p->near >= 0);
    return p;
}

/* So many bytes arrive, and are taken from the kernel, as ZeroMQ takes them. */
static void feed(const pair *p, int64_t bytes) {
    static char block[1 << 16];
    for (int64_t sent = 0, came = 0; came < bytes;) {
        const int64_t left = bytes - sent;
        const size_t n = left < (int64_t)sizeof block ? (size_t)left : sizeof block;
        const ssize_t out = n > 0 ? send(p->far, block, n, MSG_DONTWAIT | MSG_NOSIGNAL) : 0;
        assert_true(out >= 0 || errno == EAGAIN);
        sent += out > 0 ? out : 0;
        const ssize_t in = recv(p->near, block, sizeof block, n > 0 ? MSG_DONTWAIT : 0);
        assert_true(in > 0 || errno == EAGAIN);
        came += in > 0 ? in : 0;
    }
}

static bool is_closed(const pair *p, int ms) {
    struct pollfd end = {.fd = p->far, .events = POLLIN};
    return poll(&end, 1, ms) == 1;
}

/* ---- the guard ---- */

static void tell(const fixture *f, int what, int value) {
    const uint16_t kind = (uint16_t)what;
    const int32_t number = value;
    uint8_t event[sizeof kind + sizeof number];
    memcpy(event, &kind, sizeof kind);
    memcpy(event + sizeof kind, &number, sizeof number);
    assert_true(wadi_zmq.send(f->monitor, event, sizeof event, ZMQ_SNDMORE) >= 0);
    assert_true(wadi_zmq.send(f->monitor, "", 0, 0) >= 0);
}

/* Until the guard has taken all events before this one. */
static void settle(const fixture *f) {
    uint8_t event[6];
    uint16_t kind = 0;
    tell(f, ZMQ_EVENT_HANDSHAKE_FAILED_AUTH, 0);
    while (kind != ZMQ_EVENT_HANDSHAKE_FAILED_AUTH) {
        assert_int_equal(wadi_zmq.recv(f->events, event, sizeof event, 0), sizeof event);
        memcpy(&kind, event, sizeof kind);
    }
}

static pair *accepted(fixture *f, int64_t bytes) {
    pair *p = meet(f, f->listener);
    feed(p, bytes);
    tell(f, ZMQ_EVENT_ACCEPTED, p->near);
    return p;
}

static void await_closed(fixture *f, int64_t bytes) {
    assert_true(is_closed(accepted(f, bytes), PATIENCE_MS));
}

static int set_up(void **state) {
    static fixture fixed;
    fixture *f = &fixed;
    wadi_error err = {.status = WADI_OK};
    char endpoint[64], another[64];
    *f = (fixture){0};
    wadi_log_set(ignore, NULL);
    if (wadi_zmq_open(&err) != WADI_OK) fail_msg("%s", err.msg);
    f->listener = start_listening(endpoint, sizeof endpoint);
    f->other = start_listening(another, sizeof another);
    f->context = wadi_zmq.ctx_new();
    f->monitor = wadi_zmq.socket(f->context, ZMQ_PAIR);
    void *watched = wadi_zmq.socket(f->context, ZMQ_PAIR);
    assert_int_equal(wadi_zmq.bind(f->monitor, "inproc://monitor"), 0);
    assert_int_equal(wadi_zmq.connect(watched, "inproc://monitor"), 0);
    if (wadi_zmq_guard_start(f->context, watched, "here", endpoint, 16 * MIB, &f->guard, &f->events,
                             &err) != WADI_OK)
        fail_msg("%s", err.msg);
    tell(f, ZMQ_EVENT_LISTENING, f->listener);
    *state = f;
    return 0;
}

static int tear_down(void **state) {
    fixture *f = *state;
    tell(f, ZMQ_EVENT_MONITOR_STOPPED, 0);
    wadi_zmq_guard_stop(f->guard);
    (void)wadi_zmq.close(f->monitor);
    (void)wadi_zmq.ctx_term(f->context);
    for (int i = 0; i < f->pairs; i++) {
        if (f->pair[i].near >= 0) (void)close(f->pair[i].near);
        (void)close(f->pair[i].far);
    }
    (void)close(f->listener);
    (void)close(f->other);
    wadi_log_set(NULL, NULL);
    return 0;
}

/* ---- tests ---- */

/* A message that is read late names a descriptor that another socket of the process may have by then. */
static void connections_of_other_sockets_are_left_alone(void **state) {
    fixture *f = *state;
    const pair *taken = meet(f, f->other), *trusted = meet(f, f->other),
               *accepted_there = meet(f, f->other);
    feed(taken, 5 * MIB);
    feed(trusted, 17 * MIB);
    feed(accepted_there, 5 * MIB);
    wadi_zmq_guard_took(f->guard, taken->near, 100);
    wadi_zmq_guard_trust(f->guard, trusted->near);
    tell(f, ZMQ_EVENT_ACCEPTED, accepted_there->near);
    await_closed(f, 5 * MIB);
    assert_false(is_closed(taken, 0));
    assert_false(is_closed(trusted, 0));
    assert_false(is_closed(accepted_there, 0));
}

static void who_holds_most_is_turned_out(void **state) {
    fixture *f = *state;
    const pair *waits = accepted(f, 100), *some = accepted(f, 3 * MIB);
    const pair *most = accepted(f, 4 * MIB), *more = accepted(f, 3 * MIB);
    assert_true(is_closed(most, PATIENCE_MS));
    await_closed(f, 5 * MIB);
    assert_false(is_closed(waits, 0));
    assert_false(is_closed(some, 0));
    assert_false(is_closed(more, 0));
}

/* A stranger sends so much and goes at once. */
static int come_and_go(fixture *f, pair *p, int64_t bytes) {
    const int fd = p->near;
    tell(f, ZMQ_EVENT_ACCEPTED, fd);
    settle(f);
    feed(p, bytes);
    (void)close(fd);
    p->near = -1;
    tell(f, ZMQ_EVENT_DISCONNECTED, fd);
    settle(f);
    return fd;
}

/* Whether the kernel drops what comes to the listener. */
static bool is_shut(const fixture *f) {
    socklen_t n = 0;
    assert_int_equal(getsockopt(f->listener, SOL_SOCKET, SO_GET_FILTER, NULL, &n), 0);
    return n > 0;
}

/* ZeroMQ keeps whole messages until the port reads them. */
static void what_strangers_leave_is_counted_until_it_is_read(void **state) {
    enum { COME = 3 };
    fixture *f = *state;
    const pair *late = meet(f, f->listener);
    pair *leaves[COME];
    int fd = -1;
    for (int i = 0; i < COME; i++) leaves[i] = meet(f, f->listener);
    for (int i = 0; i < COME; i++) {
        settle(f);
        wadi_zmq_guard_took(f->guard, -1, 0); /* it has looked */
        assert_false(is_shut(f));
        fd = come_and_go(f, leaves[i], 3 * MIB);
    }
    tell(f, ZMQ_EVENT_ACCEPTED, late->near);
    assert_true(is_closed(late, PATIENCE_MS));
    settle(f);
    wadi_zmq_guard_took(f->guard, fd, 100);
    assert_true(is_shut(f));
    wadi_zmq_guard_took(f->guard, fd, 2 * MIB);
    settle(f);
    wadi_zmq_guard_took(f->guard, fd, 1);
    assert_false(is_shut(f));
    (void)come_and_go(f, meet(f, f->listener), 3 * MIB);
    settle(f);
    wadi_zmq_guard_took(f->guard, -1, 0);
    assert_true(is_shut(f));
    wadi_zmq_guard_all_taken(f->guard);
    assert_false(is_shut(f));
    const pair *stays = accepted(f, 100);
    await_closed(f, 5 * MIB);
    assert_false(is_closed(stays, 0));
}

/* The library does not close a connection of which 256 messages wait, before some are read. */
static void the_door_shuts_while_many_are_leaving(void **state) {
    enum { LEAVING = WADI_GUARD_CONNECTIONS / 2 + 1 };
    fixture *f = *state;
    for (int i = 0; i < WADI_GUARD_CONNECTIONS + LEAVING; i++) (void)meet(f, f->listener);
    for (int i = 0; i < WADI_GUARD_CONNECTIONS + LEAVING - 1; i++)
        tell(f, ZMQ_EVENT_ACCEPTED, f->pair[i].near);
    settle(f);
    wadi_zmq_guard_took(f->guard, -1, 0);
    wadi_zmq_guard_all_taken(f->guard);
    assert_false(is_shut(f));
    tell(f, ZMQ_EVENT_ACCEPTED, f->pair[WADI_GUARD_CONNECTIONS + LEAVING - 1].near);
    for (bool shut = false; !shut; shut = is_shut(f)) settle(f);
    for (int i = 0; i < LEAVING; i++) {
        assert_true(is_closed(&f->pair[i], PATIENCE_MS));
        (void)close(f->pair[i].near);
        f->pair[i].near = -1;
    }
    for (bool shut = true; shut; shut = is_shut(f)) settle(f);
}

/* In a crowd, who has said something stays, and so does who has just come. */
static void of_a_crowd_the_silent_are_turned_out(void **state) {
    fixture *f = *state;
    const pair *waits = accepted(f, 200), *silent = accepted(f, 0);
    for (int i = 2; i < WADI_GUARD_CONNECTIONS; i++) (void)accepted(f, 1);
    const pair *newest = accepted(f, 0);
    assert_true(is_closed(silent, PATIENCE_MS));
    await_closed(f, 5 * MIB);
    assert_false(is_closed(waits, 0));
    assert_false(is_closed(newest, 0));
}

/* ---- doubts ---- */

static void fill(const pair *p) {
    static const char block[1 << 16];
    while (send(p->near, block, sizeof block, MSG_DONTWAIT | MSG_NOSIGNAL) > 0) {
    }
}

/* From now on the far end gets nothing, and says nothing, as if its host had lost its cable. */
static void pull_cable(const pair *p) {
    struct sock_filter nothing = {.code = BPF_RET | BPF_K};
    const struct sock_fprog filter = {.len = 1, .filter = &nothing};
    assert_int_equal(setsockopt(p->far, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof filter), 0);
}

static bool is_ended(const pair *p, int ms) {
    struct pollfd end = {.fd = p->near}; /* a hang-up or an error */
    return poll(&end, 1, ms) == 1;
}

/* The kernel of a process that is stopped still answers, also when there is no room for more. */
static void only_silent_hosts_are_turned_out(void **state) {
    enum { SILENCE_MS = 4000 };
    fixture *f = *state;
    const pair *idle = accepted(f, 100), *stopped = accepted(f, 100), *gone = accepted(f, 100),
               *gone_with_data = accepted(f, 100), *alone = accepted(f, 100);
    fill(stopped);
    pull_cable(gone);
    pull_cable(gone_with_data);
    pull_cable(alone);
    assert_int_equal(send(gone_with_data->near, "data", 4, MSG_NOSIGNAL), 4);
    wadi_zmq_guard_doubt(f->guard, idle->near);
    wadi_zmq_guard_doubt(f->guard, stopped->near);
    wadi_zmq_guard_doubt(f->guard, gone->near);
    wadi_zmq_guard_doubt(f->guard, gone_with_data->near);
    assert_true(is_ended(gone, PATIENCE_MS));
    assert_true(is_ended(gone_with_data, PATIENCE_MS));
    assert_false(is_ended(stopped, SILENCE_MS));
    assert_false(is_ended(idle, 0));
    assert_false(is_ended(alone, 0));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(connections_of_other_sockets_are_left_alone, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(who_holds_most_is_turned_out, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_strangers_leave_is_counted_until_it_is_read, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(the_door_shuts_while_many_are_leaving, set_up, tear_down),
        cmocka_unit_test_setup_teardown(of_a_crowd_the_silent_are_turned_out, set_up, tear_down),
        cmocka_unit_test_setup_teardown(only_silent_hosts_are_turned_out, set_up, tear_down),
    };
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
        files.rlim_cur = files.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &files);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
