/* A work queue over ZeroMQ: a home, and workers in threads. Items and answers are opaque bytes. */
#include <sched.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>
#include <zmq.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/stop.h"
#include "base/thread.h"
#include "sched/work/dispatch.h"
#include "sched/work/message.h"
#include "sched/work/ways.h"
#include "tests/port.h"

static const char address[] = "ipc://work_queue_test.sock";
static const int64_t second = INT64_C(1000000000);

enum { SEATS = 64 };

static void ignore(void *env, wadi_log_level level, const char *line) {
    (void)env;
    (void)level;
    (void)line;
}

static wadi_workq *open_end(bool home) {
    wadi_workq *q = NULL;
    wadi_error err = {.status = WADI_OK};
    const wadi_workq_options o = {
        .address = address, .home = home, .memory = 1 << 20, .seats = SEATS, .wake_fd = -1};
    if (wadi_way_open(&o, &q, &err) != WADI_OK) fail_msg("%s", err.msg);
    return q;
}

/* ---- a worker in a thread ---- */

typedef struct worker {
    wadi_thread thread;
    wadi_stop stop;
    int64_t leaves_after; /* so many items, without an answer to the last; 0: stays */
    int64_t fails_at;     /* number; -1: none */
    int64_t done, jobs;
    wadi_status status;
    char charter[32];
    atomic_bool ended;
} worker;

static wadi_status do_item(worker *w, wadi_workq *q, wadi_work_item *i) {
    unsigned char *bytes = i->bytes;
    for (int64_t k = 0; k < i->n; k++) bytes[k] = (unsigned char)(bytes[k] + 1);
    if (i->number == w->fails_at) i->status = WADI_FAULT;
    const wadi_status status = q->ops->answer(q, i, NULL);
    free(i->bytes);
    w->done++;
    return status;
}

static wadi_status do_job(worker *w, wadi_workq *q, bool *out_goes_on) {
    void *charter = NULL;
    int64_t n = 0;
    *out_goes_on = false;
    WADI_TRY(q->ops->charter(q, &charter, &n, NULL));
    if (charter == NULL) return WADI_OK; /* the job was over before */
    (void)snprintf(w->charter, sizeof w->charter, "%.*s", (int)n, (char *)charter);
    free(charter);
    w->jobs++;
    for (;;) {
        wadi_work_item i;
        WADI_TRY(q->ops->fetch(q, &i, NULL));
        *out_goes_on = i.number < 0 && i.status != WADI_OK;
        if (i.number < 0) return WADI_OK;
        if (w->leaves_after > 0 && w->done + 1 == w->leaves_after) {
            free(i.bytes);
            return WADI_OK;
        }
        WADI_TRY(do_item(w, q, &i));
    }
}

static void work(void *env) {
    worker *w = env;
    wadi_workq *q = open_end(false);
    bool goes_on = true;
    assert_int_equal(wadi_stop_fd(&w->stop, &q->wake_fd, NULL), WADI_OK);
    while (w->status == WADI_OK && goes_on) w->status = do_job(w, q, &goes_on);
    wadi_workq_close(q);
    atomic_store(&w->ended, true);
}

static void start(worker *w) {
    w->fails_at = w->fails_at == 0 ? -1 : w->fails_at;
    assert_int_equal(wadi_stop_init(&w->stop, NULL, NULL), WADI_OK);
    assert_int_equal(wadi_thread_start(&w->thread, work, w, NULL), WADI_OK);
}

static void join(worker *w) {
    wadi_thread_join(&w->thread);
    wadi_stop_fini(&w->stop);
}

/* ---- a home ---- */

typedef struct tally {
    int64_t answers, failed;
    bool seen[1000];
} tally;

static void take(wadi_workq *q, int64_t wait_ns, tally *t) {
    wadi_work_item i;
    assert_int_equal(q->ops->collect(q, wait_ns, &i, NULL), WADI_OK);
    if (i.number < 0) return;
    assert_false(t->seen[i.number]);
    t->seen[i.number] = true;
    t->answers++;
    if (i.status != WADI_OK) {
        assert_null(i.bytes);
        t->failed++;
        return;
    }
    int64_t number = 0;
    assert_true(i.n >= (int64_t)sizeof number);
    for (int64_t k = 0; k < i.n; k++)
        ((unsigned char *)i.bytes)[k] = (unsigned char)(((unsigned char *)i.bytes)[k] - 1);
    memcpy(&number, i.bytes, sizeof number);
    assert_int_equal(number, i.number);
    free(i.bytes);
}

static void submit(wadi_workq *q, int64_t number) {
    char bytes[200] = "";
    memcpy(bytes, &number, sizeof number);
    assert_int_equal(q->ops->submit(q, number, bytes, (int64_t)sizeof number + number % 150, NULL),
                     WADI_OK);
}

static void do_all(wadi_workq *q, int64_t first, int64_t n, tally *t) {
    const int64_t before = t->answers;
    for (int64_t next = first; t->answers < before + n;) {
        while (next < first + n && q->ops->has_room(q, 200)) submit(q, next++);
        take(q, second / 10, t);
    }
}

static void offer(wadi_workq *q, const char *charter) {
    assert_int_equal(q->ops->offer(q, charter, (int64_t)strlen(charter), NULL), WADI_OK);
}

static void wait_for_workers(wadi_workq *q, int n, tally *t) {
    while (q->ops->workers(q) < n) take(q, second / 10, t);
}

/* Home looks until all have heard that the job is over: some may not have come before. */
static void end(wadi_workq *q, worker *w, int n, tally *t) {
    assert_int_equal(q->ops->end(q, NULL), WADI_OK);
    for (int i = 0; i < n; i++) {
        while (!atomic_load(&w[i].ended)) take(q, second / 50, t);
        join(&w[i]);
    }
}

/* ---- tests ---- */

static void several_workers_share_the_items(void **state) {
    (void)state;
    worker w[3] = {{.jobs = 0}};
    tally t = {0};
    for (int i = 0; i < 3; i++) start(&w[i]); /* before there is a home */
    wadi_workq *q = open_end(true);
    offer(q, "the charter");
    wait_for_workers(q, 3, &t);
    do_all(q, 0, 900, &t);
    end(q, w, 3, &t);
    int64_t done = 0;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(w[i].status, WADI_OK);
        assert_string_equal(w[i].charter, "the charter");
        assert_true(w[i].done > 0);
        done += w[i].done;
    }
    wadi_workq_close(q);
    assert_int_equal(done, 900);
    assert_int_equal(t.failed, 0);
}

static void items_of_workers_that_leave_go_to_others(void **state) {
    (void)state;
    worker w[8] = {{.jobs = 0}};
    tally t = {0};
    wadi_workq *q = open_end(true);
    offer(q, "c");
    for (int i = 0; i < 8; i++) {
        w[i].leaves_after = i == 0 ? 0 : 10 * i;
        start(&w[i]);
    }
    do_all(q, 0, 900, &t);
    end(q, w, 8, &t);
    wadi_workq_close(q);
    assert_int_equal(t.answers, 900);
}

static void another_charter_takes_the_place_of_the_first(void **state) {
    (void)state;
    worker w = {.jobs = 0};
    tally t = {0};
    wadi_workq *q = open_end(true);
    offer(q, "one");
    start(&w);
    do_all(q, 0, 50, &t);
    offer(q, "two");
    do_all(q, 50, 50, &t);
    end(q, &w, 1, &t);
    wadi_workq_close(q);
    assert_int_equal(w.jobs, 2);
    assert_string_equal(w.charter, "two");
    assert_int_equal(w.done, 100);
}

/* A home that is killed says nothing. Its successor listens at the same address. */
static void a_worker_goes_on_with_the_successor_of_its_home(void **state) {
    (void)state;
    worker w = {.jobs = 0};
    tally t = {0};
    wadi_workq *q = open_end(true);
    offer(q, "one");
    start(&w);
    do_all(q, 0, 20, &t);
    submit(q, 20);
    wadi_workq_close(q);
    q = open_end(true);
    offer(q, "two");
    t.seen[20] = false;
    do_all(q, 20, 20, &t);
    end(q, &w, 1, &t);
    wadi_workq_close(q);
    assert_int_equal(w.jobs, 2);
    assert_int_equal(t.answers, 40);
}

static void a_failure_comes_back_as_such(void **state) {
    (void)state;
    worker w = {.fails_at = 7};
    tally t = {0};
    wadi_workq *q = open_end(true);
    offer(q, "c");
    start(&w);
    do_all(q, 0, 20, &t);
    wadi_stop_call(&w.stop); /* it leaves before the job is over */
    join(&w);
    assert_int_equal(w.status, WADI_CANCELLED);
    while (q->ops->workers(q) > 0) take(q, second / 10, &t);
    wadi_workq_close(q);
    assert_int_equal(t.failed, 1);
    assert_int_equal(t.answers, 20);
}

static void a_worker_does_not_wait_for_ever(void **state) {
    (void)state;
    wadi_workq *q = NULL;
    wadi_error err = {.status = WADI_OK};
    void *charter = NULL;
    int64_t n = 0;
    const wadi_workq_options o = {.address = address, .wake_fd = -1, .lost_after_ns = second / 20};
    assert_int_equal(wadi_way_open(&o, &q, &err), WADI_OK);
    assert_int_equal(q->ops->charter(q, &charter, &n, &err), WADI_IO);
    assert_non_null(strstr(err.msg, "no home for"));
    wadi_workq_close(q);
}

/* ---- strangers ---- */

static void send_frames(void *socket, const void *control, size_t n, int payloads) {
    (void)zmq_send(socket, control, n, ZMQ_DONTWAIT | (payloads > 0 ? ZMQ_SNDMORE : 0));
    for (int i = 0; i < payloads; i++)
        (void)zmq_send(socket, "payload", 7, ZMQ_DONTWAIT | (i + 1 < payloads ? ZMQ_SNDMORE : 0));
}

/* Messages like those of the protocol, with some bytes changed. */
static void talk_nonsense(void *socket, uint64_t *x) {
    uint8_t control[WADI_WORKQ_CONTROL];
    *x = *x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    const wadi_workq_control c = {.kind = (wadi_workq_kind)(1 + (*x >> 50) % 9),
                                  .job = (int64_t)(*x >> 44 & 1),
                                  .number = (int64_t)(*x >> 40 & 15),
                                  .bytes = (*x >> 39 & 1) != 0 ? 7 : 0};
    wadi_workq_control_write(&c, control);
    const int changes = (int)(*x >> 34 & 3);
    for (int i = 0; i < changes; i++) control[*x >> (5 * i) & 31] = (uint8_t)(*x >> (8 * i));
    send_frames(socket, control, (*x >> 60) == 0 ? 9 : sizeof control, (int)(*x >> 57 & 3));
}

static void strangers_do_no_harm(void **state) {
    (void)state;
    worker w = {.jobs = 0};
    tally t = {0};
    uint64_t x = 1;
    wadi_log_set(ignore, NULL);
    wadi_workq *q = open_end(true);
    offer(q, "c");
    start(&w);
    wait_for_workers(q, 1, &t);
    void *context = zmq_ctx_new(), *socket[4];
    for (int i = 0; i < 4; i++) {
        socket[i] = zmq_socket(context, ZMQ_DEALER);
        const int none = 0;
        (void)zmq_setsockopt(socket[i], ZMQ_LINGER, &none, sizeof none);
        assert_int_equal(zmq_connect(socket[i], address), 0);
    }
    for (int round = 0; round < 100; round++) {
        for (int i = 0; i < 40; i++) talk_nonsense(socket[i % 4], &x);
        do_all(q, 5 * round, 5, &t);
    }
    for (int i = 0; i < 4; i++) assert_int_equal(zmq_close(socket[i]), 0);
    assert_int_equal(zmq_ctx_term(context), 0);
    end(q, &w, 1, &t);
    wadi_workq_close(q);
    wadi_log_set(NULL, NULL);
    assert_int_equal(t.answers, 500);
    assert_int_equal(t.failed, 0);
}

/* A worker ignores what makes no sense, too. */
static void a_worker_ignores_nonsense(void **state) {
    (void)state;
    worker w = {.jobs = 0};
    uint64_t x = 3;
    void *context = zmq_ctx_new(), *socket = zmq_socket(context, ZMQ_DEALER);
    const int none = 0;
    (void)zmq_setsockopt(socket, ZMQ_LINGER, &none, sizeof none);
    assert_int_equal(zmq_bind(socket, address), 0);
    start(&w);
    char first[64];
    assert_true(zmq_recv(socket, first, sizeof first, 0) > 0); /* HELLO */
    for (int i = 0; i < 2000; i++) talk_nonsense(socket, &x);
    wadi_stop_call(&w.stop);
    join(&w);
    assert_int_equal(zmq_close(socket), 0);
    assert_int_equal(zmq_ctx_term(context), 0);
}

/* ---- a home that the test plays ---- */

static void say_with(void *socket, wadi_workq_kind kind, int64_t job, const char *text) {
    uint8_t bytes[WADI_WORKQ_CONTROL];
    const wadi_workq_control c = {.kind = kind, .job = job, .bytes = (int64_t)strlen(text)};
    wadi_workq_control_write(&c, bytes);
    (void)zmq_send(socket, bytes, sizeof bytes, ZMQ_SNDMORE);
    (void)zmq_send(socket, text, strlen(text), 0);
}

static void hears(void *socket, wadi_workq_kind kind) {
    uint8_t bytes[WADI_WORKQ_CONTROL];
    wadi_workq_control c = {0};
    assert_int_equal(zmq_recv(socket, bytes, sizeof bytes, 0), sizeof bytes);
    assert_int_equal(wadi_workq_control_read(bytes, sizeof bytes, &c, NULL), WADI_OK);
    assert_int_equal(c.kind, kind);
}

/* One that was late, and whose seat another has. */
static void a_worker_without_a_seat_asks_again(void **state) {
    (void)state;
    worker w = {.jobs = 0};
    void *context = zmq_ctx_new(), *socket = zmq_socket(context, ZMQ_DEALER);
    const int none = 0;
    (void)zmq_setsockopt(socket, ZMQ_LINGER, &none, sizeof none);
    assert_int_equal(zmq_bind(socket, address), 0);
    start(&w);
    hears(socket, WADI_WORKQ_HELLO);
    say_with(socket, WADI_WORKQ_ITEM, 0, "x"); /* without a charter: it is none of its items */
    say_with(socket, WADI_WORKQ_CHARTER, 5, "c");
    hears(socket, WADI_WORKQ_READY);
    for (int i = 0; i < 2; i++) {
        say_with(socket, WADI_WORKQ_REFUSED, 0, "there are many");
        hears(socket, WADI_WORKQ_HELLO);
    }
    say_with(socket, WADI_WORKQ_CHARTER, 5, "c");
    hears(socket, WADI_WORKQ_READY);
    say_with(socket, WADI_WORKQ_REFUSED, 0, "there are many");
    hears(socket, WADI_WORKQ_HELLO);
    say_with(socket, WADI_WORKQ_REFUSED, 0, "there are many");
    assert_int_equal(zmq_close(socket), 0);
    join(&w);
    assert_int_equal(w.status, WADI_IO);
    assert_int_equal(w.jobs, 1);
    assert_int_equal(zmq_ctx_term(context), 0);
}

/* ---- large answers ---- */

enum { LARGE = 5 << 20 };

/* A worker that has an item in hand until it is told to answer. */
typedef struct holder {
    wadi_thread thread;
    char address[64];
    atomic_bool has, answers;
    wadi_status status;
} holder;

static wadi_status hold_items(holder *h, wadi_workq *q) {
    void *charter = NULL;
    int64_t n = 0;
    wadi_work_item i = {.number = -1}, next = {.number = -1};
    char *large = calloc(1, LARGE);
    assert_non_null(large);
    WADI_TRY(q->ops->charter(q, &charter, &n, NULL));
    free(charter);
    WADI_TRY(q->ops->fetch(q, &i, NULL));
    free(i.bytes);
    atomic_store(&h->has, true);
    while (!atomic_load(&h->answers)) sched_yield();
    i.bytes = large;
    i.n = LARGE;
    wadi_status status = q->ops->answer(q, &i, NULL);
    free(large);
    for (int64_t k = 1; status == WADI_OK && k <= 2; k++) { /* those that came meanwhile */
        status = q->ops->fetch(q, &next, NULL);
        assert_int_equal(next.number, k);
        free(next.bytes);
    }
    return status;
}

static void hold(void *env) {
    holder *h = env;
    wadi_workq *q = NULL;
    const wadi_workq_options o = {.address = h->address, .wake_fd = -1};
    assert_int_equal(wadi_way_open(&o, &q, NULL), WADI_OK);
    h->status = hold_items(h, q);
    wadi_workq_close(q);
}

/* A home of the test at this address; *out_monitor tells when somebody has connected. */
static void *open_home(void *context, const char *at, const char *events, void **out_monitor) {
    const int none = 0;
    void *socket = zmq_socket(context, ZMQ_DEALER);
    (void)zmq_setsockopt(socket, ZMQ_LINGER, &none, sizeof none);
    assert_int_equal(zmq_socket_monitor(socket, events, ZMQ_EVENT_HANDSHAKE_SUCCEEDED), 0);
    *out_monitor = zmq_socket(context, ZMQ_PAIR);
    assert_int_equal(zmq_connect(*out_monitor, events), 0);
    for (int tries = 0; zmq_bind(socket, at) != 0; tries++) { /* the one before may not be gone */
        assert_true(tries < 3000);
        (void)zmq_poll(NULL, 0, 10);
    }
    return socket;
}

static void close_home(void *socket, void *monitor) {
    assert_int_equal(zmq_socket_monitor(socket, NULL, 0), 0);
    assert_int_equal(zmq_close(monitor), 0);
    assert_int_equal(zmq_close(socket), 0);
}

static void say_item(void *socket, int64_t job, int64_t number) {
    uint8_t bytes[WADI_WORKQ_CONTROL];
    const wadi_workq_control c = {
        .kind = WADI_WORKQ_ITEM, .job = job, .number = number, .bytes = 1};
    wadi_workq_control_write(&c, bytes);
    (void)zmq_send(socket, bytes, sizeof bytes, ZMQ_SNDMORE);
    (void)zmq_send(socket, "i", 1, 0);
}

/* The worker begins, gets its charter from this home, and has item 0. */
static void begin_holder(holder *h, void *socket) {
    assert_int_equal(wadi_thread_start(&h->thread, hold, h, NULL), WADI_OK);
    hears(socket, WADI_WORKQ_HELLO);
    say_with(socket, WADI_WORKQ_CHARTER, 5, "c");
    hears(socket, WADI_WORKQ_READY);
    say_item(socket, 5, 0);
    while (!atomic_load(&h->has)) sched_yield();
}

/* Home takes 4 MiB of nobody whom it does not know. */
static void a_large_answer_waits_until_home_knows_whose_it_is(void **state) {
    (void)state;
    holder h = {.status = WADI_OK};
    char at[64], event[64];
    (void)snprintf(at, sizeof at, "tcp://127.0.0.1:%d", test_port());
    void *context = zmq_ctx_new(), *monitor = NULL;
    void *socket = open_home(context, at, "inproc://first", &monitor);
    memcpy(h.address, at, sizeof at);
    begin_holder(&h, socket);
    close_home(socket, monitor);
    socket = open_home(context, at, "inproc://second", &monitor);
    assert_true(zmq_recv(monitor, event, sizeof event, 0) > 0); /* it is there again */
    atomic_store(&h.answers, true);
    hears(socket, WADI_WORKQ_HELLO);
    say_item(socket, 5, 1);
    say_item(socket, 5, 2);
    say_with(socket, WADI_WORKQ_CHARTER, 5, "c");
    hears(socket, WADI_WORKQ_READY);
    hears(socket, WADI_WORKQ_ANSWER);
    wadi_thread_join(&h.thread);
    assert_int_equal(h.status, WADI_OK);
    close_home(socket, monitor);
    assert_int_equal(zmq_ctx_term(context), 0);
}

/* ---- a worker that was busy for long ---- */

/* How often it says HELLO before it leaves. */
static int count_hellos(void *socket) {
    uint8_t bytes[WADI_WORKQ_CONTROL];
    wadi_workq_control c = {.kind = WADI_WORKQ_READY};
    int n = 0;
    while (c.kind != WADI_WORKQ_BYE) {
        const int got = zmq_recv(socket, bytes, sizeof bytes, 0);
        assert_true(got >= 0);
        if (got == sizeof bytes && memcmp(bytes, "WWRK", 4) == 0)
            assert_int_equal(wadi_workq_control_read(bytes, sizeof bytes, &c, NULL), WADI_OK);
        else
            continue; /* bytes of an answer */
        n += c.kind == WADI_WORKQ_HELLO;
    }
    return n;
}

/* A home that has begun anew asks at each sign of life who it is. */
static void one_who_was_asked_often_says_once_who_it_is(void **state) {
    (void)state;
    enum { ASKED = 200 };
    holder h = {.status = WADI_OK};
    uint8_t ask[WADI_WORKQ_CONTROL];
    wadi_workq_control_write(&(wadi_workq_control){.kind = WADI_WORKQ_ASK}, ask);
    void *context = zmq_ctx_new(), *socket = zmq_socket(context, ZMQ_DEALER);
    const int none = 0;
    (void)zmq_setsockopt(socket, ZMQ_LINGER, &none, sizeof none);
    assert_int_equal(zmq_bind(socket, address), 0);
    (void)snprintf(h.address, sizeof h.address, "%s", address);
    begin_holder(&h, socket);
    for (int i = 0; i < ASKED; i++) (void)zmq_send(socket, ask, sizeof ask, 0);
    say_item(socket, 5, 1);
    say_item(socket, 5, 2);
    atomic_store(&h.answers, true);
    assert_in_range(count_hellos(socket), 1, ASKED / 2); /* more than one if they come bit by bit */
    wadi_thread_join(&h.thread);
    assert_int_equal(h.status, WADI_OK);
    assert_int_equal(zmq_close(socket), 0);
    assert_int_equal(zmq_ctx_term(context), 0);
}

/* ---- workers that have vanished ---- */

static _Atomic int64_t ahead_ns;

static int64_t clock_ahead(void) {
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * second + t.tv_nsec + atomic_load(&ahead_ns);
}

static void say(void *socket, wadi_workq_kind kind, int64_t job) {
    uint8_t bytes[WADI_WORKQ_CONTROL];
    const wadi_workq_control c = {.kind = kind, .job = job};
    wadi_workq_control_write(&c, bytes);
    send_frames(socket, bytes, sizeof bytes, 0);
}

/* Takes part in the job of whatever it hears, and answers no item. True: an item has come. */
static bool hear(void *socket) {
    uint8_t bytes[256];
    wadi_workq_control c = {0};
    int more = 0;
    size_t size = sizeof more;
    const int n = zmq_recv(socket, bytes, sizeof bytes, ZMQ_DONTWAIT);
    if (n < 0) return false;
    assert_int_equal(wadi_workq_control_read(bytes, (size_t)n, &c, NULL), WADI_OK);
    assert_int_equal(zmq_getsockopt(socket, ZMQ_RCVMORE, &more, &size), 0);
    if (more) (void)zmq_recv(socket, bytes, sizeof bytes, 0);
    if (c.kind == WADI_WORKQ_CHARTER) say(socket, WADI_WORKQ_READY, c.job);
    return c.kind == WADI_WORKQ_ITEM;
}

/* Their connections are there, but nobody answers any more: the system takes long to notice it. */
static void workers_that_have_vanished_leave_their_seats_to_others(void **state) {
    (void)state;
    worker w = {.jobs = 0};
    tally t = {0};
    void *context = zmq_ctx_new(), *socket[SEATS];
    const int none = 0;
    wadi_clock_set(clock_ahead);
    wadi_workq *q = open_end(true);
    offer(q, "c");
    for (int i = 0; i < SEATS; i++) {
        socket[i] = zmq_socket(context, ZMQ_DEALER);
        (void)zmq_setsockopt(socket[i], ZMQ_LINGER, &none, sizeof none);
        assert_int_equal(zmq_connect(socket[i], address), 0);
        say(socket[i], WADI_WORKQ_HELLO, 0);
    }
    while (q->ops->workers(q) < SEATS) {
        take(q, second / 100, &t);
        for (int i = 0; i < SEATS; i++) (void)hear(socket[i]);
    }
    for (int i = 0; i < SEATS; i++) submit(q, i);
    for (int had = 0; had < SEATS; take(q, second / 100, &t))
        for (int i = 0; i < SEATS; i++) had += hear(socket[i]);
    atomic_store(&ahead_ns, 21 * second);
    take(q, 0, &t); /* home finds that they are late before the other one comes */
    start(&w);
    while (t.answers < SEATS && !atomic_load(&w.ended)) take(q, second / 100, &t);
    end(q, &w, 1, &t);
    for (int i = 0; i < SEATS; i++) assert_int_equal(zmq_close(socket[i]), 0);
    assert_int_equal(zmq_ctx_term(context), 0);
    wadi_workq_close(q);
    wadi_clock_set(NULL);
    assert_int_equal(w.done, SEATS);
}

/* A home that ends without anything to do says so. */
static void a_job_may_have_no_charter(void **state) {
    (void)state;
    worker w = {.jobs = 0};
    tally t = {0};
    wadi_workq *q = open_end(true);
    assert_int_equal(q->ops->end(q, NULL), WADI_OK);
    start(&w);
    while (w.thread.started && !atomic_load(&w.ended)) take(q, second / 50, &t);
    join(&w);
    wadi_workq_close(q);
    assert_int_equal(w.status, WADI_OK);
    assert_int_equal(w.jobs, 0);
}

static void addresses_are_checked(void **state) {
    (void)state;
    static const struct {
        const char *address, *says;
    } wrong[] = {
        {"tcp://127.0.0.1", "the port is missing"},
        {"carrier://pigeon", "expected tcp://HOST:PORT or ipc://PATH"},
        {"", "expected tcp://HOST:PORT or ipc://PATH"},
        {"ipc://", "expected ipc://PATH"},
        {"ipc://@name", "the path of a file"},
        {"ipc://*?silence=5", "the path of a file"},
        {"ipc://@name?silence=5", "the path of a file"},
        {"tcp://0.0.0.0:7799", "binding anything but loopback needs keys"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        wadi_workq *q = NULL;
        wadi_error err = {.status = WADI_OK};
        const wadi_workq_options o = {.address = wrong[i].address, .home = true, .wake_fd = -1};
        assert_int_equal(wadi_way_open(&o, &q, &err), WADI_INVALID);
        if (strstr(err.msg, wrong[i].says) == NULL) fail_msg("%s", err.msg);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(several_workers_share_the_items),
        cmocka_unit_test(items_of_workers_that_leave_go_to_others),
        cmocka_unit_test(another_charter_takes_the_place_of_the_first),
        cmocka_unit_test(a_worker_goes_on_with_the_successor_of_its_home),
        cmocka_unit_test(a_failure_comes_back_as_such),
        cmocka_unit_test(a_worker_does_not_wait_for_ever),
        cmocka_unit_test(strangers_do_no_harm),
        cmocka_unit_test(a_worker_ignores_nonsense),
        cmocka_unit_test(a_worker_without_a_seat_asks_again),
        cmocka_unit_test(a_large_answer_waits_until_home_knows_whose_it_is),
        cmocka_unit_test(one_who_was_asked_often_says_once_who_it_is),
        cmocka_unit_test(workers_that_have_vanished_leave_their_seats_to_others),
        cmocka_unit_test(a_job_may_have_no_charter),
        cmocka_unit_test(addresses_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
