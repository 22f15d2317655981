/* A work queue over ZeroMQ: nobody waits for ever who was not heard of, or was taken for another one. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/stop.h"
#include "base/thread.h"
#include "sched/transport/zmq/library.h"
#include "sched/work/message.h"
#include "sched/work/ways.h"

static const char address[] = "ipc://work_seats_test.sock";
static const int64_t second = INT64_C(1000000000);

/* ---- an end that the test plays ---- */

static void *open_played(void *context, int type) {
    const int none = 0, patience_ms = 120000;
    void *socket = zmq_socket(context, type);
    assert_non_null(socket);
    (void)zmq_setsockopt(socket, ZMQ_LINGER, &none, sizeof none);
    (void)zmq_setsockopt(socket, ZMQ_RCVTIMEO, &patience_ms, sizeof patience_ms);
    return socket;
}

static void say(void *socket, wadi_workq_kind kind, int64_t job) {
    uint8_t bytes[WADI_WORKQ_CONTROL];
    const wadi_workq_control c = {.kind = kind, .job = job};
    wadi_workq_control_write(&c, bytes);
    assert_int_equal(zmq_send(socket, bytes, sizeof bytes, 0), sizeof bytes);
}

/* The next message; 0: none so far. Its payload is left. */
static wadi_workq_kind hear(void *socket, int flags, int64_t *out_job) {
    uint8_t bytes[WADI_WORKQ_CONTROL];
    char payload[16];
    wadi_workq_control c = {0};
    int more = 0;
    size_t size = sizeof more;
    const int n = zmq_recv(socket, bytes, sizeof bytes, flags);
    if (n < 0) return 0;
    assert_int_equal(wadi_workq_control_read(bytes, (size_t)n, &c, NULL), WADI_OK);
    assert_int_equal(zmq_getsockopt(socket, ZMQ_RCVMORE, &more, &size), 0);
    if (more) (void)zmq_recv(socket, payload, sizeof payload, 0);
    *out_job = c.job;
    return c.kind;
}

/* ---- one who has the descriptor of another ---- */

static __typeof__(zmq_msg_get) *real_get;
static __typeof__(zmq_msg_recv) *real_recv;
static void *news;  /* the monitor of home, which is read before the messages */
static bool deaf;   /* news come late */
static int only_fd; /* of all connections; -1: of the first one */

static int same_fd(const zmq_msg_t *m, int property) {
    const int is = real_get(m, property);
    if (property != ZMQ_SRCFD) return is;
    if (only_fd < 0) only_fd = is;
    return only_fd;
}

static int late_news(zmq_msg_t *m, void *socket, int flags) {
    if (news == NULL) news = socket;
    if (!deaf || socket != news) return real_recv(m, socket, flags);
    errno = EAGAIN;
    return -1;
}

static void look(wadi_workq *home) {
    wadi_work_item i;
    assert_int_equal(home->ops->collect(home, second / 100, &i, NULL), WADI_OK);
    assert_true(i.number < 0);
}

/* Takes part in the job. */
static void join(wadi_workq *home, void *worker, int workers) {
    int64_t job = 0;
    while (home->ops->workers(home) < workers) {
        look(home);
        if (hear(worker, ZMQ_DONTWAIT, &job) == WADI_WORKQ_CHARTER)
            say(worker, WADI_WORKQ_READY, job);
    }
}

/* The news that a connection has ended comes when another one has its descriptor, whose worker is ready, and says nothing more. */
static void a_worker_that_is_taken_for_lost_is_asked(void **state) {
    (void)state;
    const wadi_workq_options o = {
        .address = address, .home = true, .memory = 1 << 20, .wake_fd = -1};
    wadi_workq *home = NULL;
    int64_t job = 0;
    assert_int_equal(wadi_way_open(&o, &home, NULL), WADI_OK);
    real_get = wadi_zmq.msg_get;
    real_recv = wadi_zmq.msg_recv;
    wadi_zmq.msg_get = same_fd;
    wadi_zmq.msg_recv = late_news;
    news = NULL;
    only_fd = -1;
    assert_int_equal(home->ops->offer(home, "c", 1, NULL), WADI_OK);
    void *context = zmq_ctx_new(), *first = open_played(context, ZMQ_DEALER),
         *next = open_played(context, ZMQ_DEALER);
    assert_int_equal(zmq_connect(first, address), 0);
    say(first, WADI_WORKQ_HELLO, 0);
    join(home, first, 1);
    deaf = true;
    assert_int_equal(zmq_close(first), 0);
    assert_int_equal(zmq_connect(next, address), 0);
    say(next, WADI_WORKQ_HELLO, 0);
    join(home, next, 2);
    deaf = false;
    while (home->ops->workers(home) > 0) look(home);
    assert_int_equal(hear(next, 0, &job), WADI_WORKQ_ASK);
    say(next, WADI_WORKQ_HELLO, job);
    join(home, next, 1);
    assert_int_equal(zmq_close(next), 0);
    assert_int_equal(zmq_ctx_term(context), 0);
    wadi_workq_close(home);
    wadi_zmq.msg_get = real_get;
    wadi_zmq.msg_recv = real_recv;
}

/* ---- one who is not heard ---- */

static _Atomic int64_t ahead_ns;

static int64_t clock_ahead(void) {
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * second + t.tv_nsec + atomic_load(&ahead_ns);
}

typedef struct worker {
    wadi_stop stop;
    wadi_status status;
} worker;

static void work(void *env) {
    worker *w = env;
    wadi_workq *q = NULL;
    void *charter = NULL;
    int64_t n = 0;
    const wadi_workq_options o = {.address = address, .wake_fd = -1};
    assert_int_equal(wadi_way_open(&o, &q, NULL), WADI_OK);
    assert_int_equal(wadi_stop_fd(&w->stop, &q->wake_fd, NULL), WADI_OK);
    w->status = q->ops->charter(q, &charter, &n, NULL);
    free(charter);
    wadi_workq_close(q);
}

/* Of many who come at once home replies to some, and turns others away whom it tells nothing. */
static void a_hello_without_a_reply_is_said_again(void **state) {
    (void)state;
    worker w = {.status = WADI_OK};
    wadi_thread thread;
    int64_t job = 0;
    void *context = zmq_ctx_new(), *home = open_played(context, ZMQ_DEALER);
    assert_int_equal(zmq_bind(home, address), 0);
    wadi_clock_set(clock_ahead);
    assert_int_equal(wadi_stop_init(&w.stop, NULL, NULL), WADI_OK);
    assert_int_equal(wadi_thread_start(&thread, work, &w, NULL), WADI_OK);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(hear(home, 0, &job), WADI_WORKQ_HELLO);
        (void)atomic_fetch_add(&ahead_ns, 11 * second);
    }
    say(home, WADI_WORKQ_END, 0);
    wadi_thread_join(&thread);
    wadi_stop_fini(&w.stop);
    wadi_clock_set(NULL);
    assert_int_equal(w.status, WADI_OK);
    assert_int_equal(zmq_close(home), 0);
    assert_int_equal(zmq_ctx_term(context), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_worker_that_is_taken_for_lost_is_asked),
        cmocka_unit_test(a_hello_without_a_reply_is_said_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
