/* Starts processes that send or receive, and speaks the link's protocol frame by frame. */
#include "tests/connectors/link_ends.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zmq.h>

#include <cmocka.h>

#include "tests/connectors/pass_plan.h"

/* Element i is i64[i % 11] with values i * i + k. */
static wadi_status tell(void *env, int64_t index, wadi_yield *yield, wadi_error *err) {
    const link_teller *t = env;
    const int64_t shape[] = {index % 11};
    wadi_array a;
    if (index == t->die_at) _exit(3);
    if (index == t->fail_at) {
        *err = (wadi_error){.status = WADI_IO, .msg = "the well is dry"};
        return WADI_IO;
    }
    if (index == t->n) return WADI_OK;
    const wadi_status status = wadi_yield_array(yield, 0, shape, &a, err);
    if (status != WADI_OK) return status;
    for (int64_t i = 0; i < shape[0]; i++) ((int64_t *)a.column[0])[i] = index * index + i;
    return WADI_OK;
}

/* The other process: tells its story into a link. Its exit status is that of its run. */
pid_t link_start_sender(const char *address, const wadi_link_options *options, link_teller t) {
    (void)fflush(NULL);
    const pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid > 0) return pid;
    const wadi_part part = wadi_part_irregular(WADI_I64, 1);
    wadi_source *in = NULL;
    wadi_sink *out = NULL;
    wadi_error err = {0};
    wadi_status status = wadi_source_callback(1, &part, tell, &t, &in, &err);
    if (status == WADI_OK) status = wadi_sink_link(address, options, &out, &err);
    if (status == WADI_OK) status = pass_through(in, out, WADI_I64, 1, 13, &err);
    wadi_source_destroy(in);
    wadi_sink_destroy(out);
    _exit((int)status);
}

int link_exit_status(pid_t pid) {
    int status = 0;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void check_element(const wadi_sink *sink, int64_t i) {
    wadi_array a;
    assert_int_equal(wadi_sink_memory_get(sink, i, 0, &a, NULL), WADI_OK);
    assert_int_equal(a.shape[0], i % 11);
    for (int64_t k = 0; k < a.shape[0]; k++) {
        assert_int_equal(((int64_t *)a.column[0])[k], i * i + k);
    }
}

/* Receives everything; how many elements came well. */
wadi_status link_receive(const char *address, const wadi_link_options *options, int64_t chunk,
                         int64_t *out_count, wadi_error *err) {
    wadi_source *in = NULL;
    wadi_sink *out = NULL;
    *out_count = 0;
    assert_int_equal(wadi_sink_memory(&out, err), WADI_OK);
    wadi_status status = wadi_source_link(address, options, &in, err);
    if (status == WADI_OK) status = pass_through(in, out, WADI_I64, 1, chunk, err);
    *out_count = wadi_sink_memory_count(out);
    for (int64_t i = 0; i < *out_count; i++) check_element(out, i);
    wadi_source_destroy(in);
    wadi_sink_destroy(out);
    return status;
}

/* An ipc address of this test's own. */
const char *link_ipc_address(const char *name) {
    static char address[128];
    (void)snprintf(address, sizeof address, "ipc:///tmp/wadi-%s-%ld", name, (long)getpid());
    (void)unlink(address + strlen("ipc://"));
    return address;
}

const char *link_tcp_address(void) {
    static char address[64];
    void *context = zmq_ctx_new(), *socket = zmq_socket(context, ZMQ_PAIR);
    size_t n = sizeof address;
    assert_int_equal(zmq_bind(socket, "tcp://127.0.0.1:*"), 0); /* a port that is free now */
    assert_int_equal(zmq_getsockopt(socket, ZMQ_LAST_ENDPOINT, address, &n), 0);
    (void)zmq_close(socket);
    (void)zmq_ctx_term(context);
    return address;
}

/* ---- peers that speak for themselves, frame by frame ---- */

const uint8_t link_hello[32] = {'W', 'L', 'N', 'K', 1, 16};

link_peer link_connect_peer(const char *address) {
    const int linger = 0, patience = 120000;
    link_peer p = {.context = zmq_ctx_new()};
    p.socket = zmq_socket(p.context, ZMQ_DEALER);
    assert_int_equal(zmq_setsockopt(p.socket, ZMQ_LINGER, &linger, sizeof linger), 0);
    assert_int_equal(zmq_setsockopt(p.socket, ZMQ_RCVTIMEO, &patience, sizeof patience), 0);
    assert_int_equal(zmq_connect(p.socket, address), 0);
    return p;
}

void link_leave(link_peer *p) {
    (void)zmq_close(p->socket);
    (void)zmq_ctx_term(p->context);
}

void link_say(const link_peer *p, int n, const wadi_wire_frame *frame) {
    for (int i = 0; i < n; i++)
        assert_int_equal(
            zmq_send(p->socket, frame[i].data, (size_t)frame[i].bytes, i + 1 < n ? ZMQ_SNDMORE : 0),
            (int)frame[i].bytes);
}

int link_hear_any(const link_peer *p, char *text, size_t room, int *out_kind) {
    uint8_t control[32];
    int more = 1;
    size_t size = sizeof more;
    assert_int_equal(zmq_recv(p->socket, control, sizeof control, 0), sizeof control);
    text[0] = '\0';
    while (zmq_getsockopt(p->socket, ZMQ_RCVMORE, &more, &size) == 0 && more != 0) {
        const int n = zmq_recv(p->socket, text, room - 1, 0);
        assert_true(n >= 0);
        text[(size_t)n < room ? (size_t)n : room - 1] = '\0';
    }
    *out_kind = control[5];
    return control[4];
}

int link_hear(const link_peer *p, int kind, char *text, size_t room) {
    for (;;) {
        int heard = 0;
        const int version = link_hear_any(p, text, room, &heard);
        if (heard == kind) return version;
    }
}

/* A receiver in a process of its own, which must get the whole of a healthy stream in the end. */
pid_t link_start_receiver(const char *address, const wadi_link_options *options) {
    (void)fflush(NULL);
    const pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid > 0) return pid;
    wadi_error err = {0};
    int64_t count = 0;
    const wadi_status status = link_receive(address, options, 5, &count, &err);
    _exit(status == WADI_OK && count == LINK_ELEMENTS ? 0 : 1);
}
