/* Kernels are code: a worker takes them, and home makes them, only where not anybody can be at the other end. */
#define _DEFAULT_SOURCE /* mkdtemp */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#include <zmq.h>

#include "base/error.h"
#include "base/text.h"
#include "sched/work/message.h"
#include "sched/work/ways.h"
#include "tests/port.h"

static const int64_t second = INT64_C(1000000000);

static void make_kernels(void *asked, const char *what, int64_t most, wadi_text *out) {
    (void)what;
    (void)most;
    ++*(int *)asked;
    wadi_text_add(out, "kernels 1\nx");
}

static wadi_workq *open_end(const char *address, bool home, int *asked) {
    wadi_workq *q = NULL;
    wadi_error err = {.status = WADI_OK};
    const wadi_workq_options o = {.address = address,
                                  .home = home,
                                  .memory = 1 << 20,
                                  .wake_fd = -1,
                                  .lost_after_ns = second / 10,
                                  .kernels = make_kernels,
                                  .kernels_env = asked};
    if (wadi_way_open(&o, &q, &err) != WADI_OK) fail_msg("%s", err.msg);
    return q;
}

/* A folder of that mode, and an address in it. */
static void make_folder(mode_t mode, char folder[64], char address[96]) {
    (void)strcpy(folder, "work_kernels_XXXXXX");
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chmod(folder, mode), 0);
    (void)snprintf(address, 96, "ipc://%s/q", folder);
}

/* ---- a worker ---- */

static void takes_none(const char *address, const char *says) {
    wadi_error err = {.status = WADI_OK};
    void *said = NULL;
    int64_t n = 0;
    wadi_workq *q = open_end(address, false, NULL);
    assert_int_equal(q->ops->ask(q, "x86-64 0 0", &said, &n, &err), WADI_COMPILE);
    if (strstr(err.msg, says) == NULL) fail_msg("%s", err.msg);
    wadi_workq_close(q);
}

static void a_worker_takes_none_where_anybody_may_be_home(void **state) {
    (void)state;
    char folder[64], address[96];
    takes_none("tcp://127.0.0.1:9", "only with keys or a token");
    make_folder(01777, folder, address);
    takes_none(address, "a folder that not everybody can write to");
    assert_int_equal(rmdir(folder), 0);
}

static void a_worker_asks_in_a_folder_of_its_own(void **state) {
    (void)state;
    char folder[64], address[96];
    void *said = NULL;
    int64_t n = 0;
    make_folder(0755, folder, address);
    wadi_workq *q = open_end(address, false, NULL);
    assert_int_equal(q->ops->ask(q, "x86-64 0 0", &said, &n, NULL), WADI_IO); /* no home comes */
    wadi_workq_close(q);
    assert_int_equal(rmdir(folder), 0);
}

/* ---- home ---- */

static void say(void *socket, wadi_workq_kind kind, int64_t job, const char *text) {
    uint8_t bytes[WADI_WORKQ_CONTROL];
    const wadi_workq_control c = {.kind = kind, .job = job, .bytes = (int64_t)strlen(text)};
    wadi_workq_control_write(&c, bytes);
    (void)zmq_send(socket, bytes, sizeof bytes, *text != '\0' ? ZMQ_SNDMORE : 0);
    if (*text != '\0') (void)zmq_send(socket, text, strlen(text), 0);
}

/* The next message of home, and what is in it. */
static wadi_workq_control hear(wadi_workq *home, void *socket, char text[256]) {
    uint8_t bytes[WADI_WORKQ_CONTROL];
    wadi_workq_control c = {0};
    while (zmq_recv(socket, bytes, sizeof bytes, ZMQ_DONTWAIT) < 0) {
        wadi_work_item item = {.number = -1};
        assert_int_equal(home->ops->collect(home, second / 100, &item, NULL), WADI_OK);
    }
    assert_int_equal(wadi_workq_control_read(bytes, sizeof bytes, &c, NULL), WADI_OK);
    const int n = c.bytes > 0 ? zmq_recv(socket, text, 255, 0) : 0;
    assert_true(n >= 0 && n < 256);
    text[n] = '\0';
    return c;
}

static void *connect_to(void *context, const char *address) {
    const int none = 0;
    void *socket = zmq_socket(context, ZMQ_DEALER);
    assert_int_equal(zmq_setsockopt(socket, ZMQ_LINGER, &none, sizeof none), 0);
    assert_int_equal(zmq_connect(socket, address), 0);
    return socket;
}

/* What home replies to somebody who takes part in its job and asks for kernels. */
static void ask_home(const char *address, int *asked, char text[256]) {
    wadi_workq *q = open_end(address, true, asked);
    void *context = zmq_ctx_new(), *socket = connect_to(context, address);
    assert_int_equal(q->ops->offer(q, "c", 1, NULL), WADI_OK);
    say(socket, WADI_WORKQ_HELLO, 0, "");
    const wadi_workq_control c = hear(q, socket, text);
    assert_int_equal(c.kind, WADI_WORKQ_CHARTER);
    say(socket, WADI_WORKQ_KERNELS, c.job, "x86-64 0 0");
    assert_int_equal(hear(q, socket, text).kind, WADI_WORKQ_KERNELS);
    assert_int_equal(zmq_close(socket), 0);
    assert_int_equal(zmq_ctx_term(context), 0);
    wadi_workq_close(q);
}

static void home_makes_kernels_in_a_folder_of_its_own(void **state) {
    (void)state;
    char folder[64], address[96], text[256];
    int asked = 0;
    make_folder(0755, folder, address);
    ask_home(address, &asked, text);
    assert_string_equal(text, "kernels 1\nx");
    assert_int_equal(asked, 1);
    assert_int_equal(rmdir(folder), 0);
}

/* Each question has its reply, and somebody who comes meanwhile has his charter. */
static void many_questions_are_answered(void **state) {
    (void)state;
    enum { QUESTIONS = 300 };
    char folder[64], address[96], text[256];
    int asked = 0;
    make_folder(0755, folder, address);
    wadi_workq *q = open_end(address, true, &asked);
    void *context = zmq_ctx_new(), *one = connect_to(context, address),
         *other = connect_to(context, address);
    assert_int_equal(q->ops->offer(q, "c", 1, NULL), WADI_OK);
    say(one, WADI_WORKQ_HELLO, 0, "");
    const int64_t job = hear(q, one, text).job;
    for (int i = 0; i < QUESTIONS; i++) say(one, WADI_WORKQ_KERNELS, job, "x86-64 0 0");
    wadi_work_item item = {.number = -1};
    for (int i = 0; i < 3000 && asked < QUESTIONS; i++)
        assert_int_equal(q->ops->collect(q, second / 100, &item, NULL), WADI_OK);
    assert_int_equal(asked, QUESTIONS);
    say(other, WADI_WORKQ_HELLO, 0, "");
    assert_int_equal(hear(q, other, text).kind, WADI_WORKQ_CHARTER);
    assert_int_equal(zmq_close(one), 0);
    assert_int_equal(zmq_close(other), 0);
    assert_int_equal(zmq_ctx_term(context), 0);
    wadi_workq_close(q);
    assert_int_equal(rmdir(folder), 0);
}

/* An address that nobody has bound. */
static void find_port(char address[96]) {
    (void)snprintf(address, 96, "tcp://127.0.0.1:%d", test_port());
}

static void home_makes_none_for_anybody(void **state) {
    (void)state;
    char folder[64], address[96], text[256];
    int asked = 0;
    make_folder(0777, folder, address);
    ask_home(address, &asked, text);
    assert_string_equal(text, "error: anybody could ask for them here");
    find_port(address);
    ask_home(address, &asked, text);
    assert_string_equal(text, "error: anybody could ask for them here");
    assert_int_equal(asked, 0);
    assert_int_equal(rmdir(folder), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_worker_takes_none_where_anybody_may_be_home),
        cmocka_unit_test(a_worker_asks_in_a_folder_of_its_own),
        cmocka_unit_test(home_makes_kernels_in_a_folder_of_its_own),
        cmocka_unit_test(home_makes_none_for_anybody),
        cmocka_unit_test(many_questions_are_answered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
