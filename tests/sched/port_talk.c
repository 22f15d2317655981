#define _DEFAULT_SOURCE /* usleep */
#include "tests/sched/port_talk.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <zmq.h>

#include "base/hash.h"
#include "sched/builder.h"

/* A port turns 100 peers away in a second and is silent to more. Where the end of a connection is noticed late, who asks without a pause would be
 * one of those, and wait for an answer in vain. */
enum { TURN_US = 20000 };

void talk_open(talk *t, wadi_port_options options) {
    static int opened;
    wadi_error err = {.status = WADI_OK};
    memset(t, 0, sizeof *t);
    (void)snprintf(t->address, sizeof t->address, "ipc:///tmp/wadi-talk-%ld-%d", (long)getpid(),
                   opened++);
    t->outside = zmq_ctx_new();
    assert_int_equal(wadi_buffers_create(NULL, 0, &t->buffers, NULL), WADI_OK);
    options.address = t->address;
    options.owner = "test";
    options.other = options.sends ? "receiver" : "sender";
    if (options.credit_chunks == 0) options.credit_chunks = TALK_CHUNKS;
    options.credit_bytes = TALK_BYTES;
    options.wake_fd = -1;
    options.buffers = t->buffers;
    options.stream.id = TALK_STREAM;
    options.limits = (wadi_wire_limits){.bytes = 1 << 20, .elements = 1000};
    if (options.lost_after_ns == 0) options.lost_after_ns = INT64_C(120000000000);
    if (wadi_port_open(&options, &t->port, &err) != WADI_OK) fail_msg("%s", err.msg);
}

void talk_close(talk *t) {
    wadi_port_close(t->port);
    assert_int_equal(zmq_ctx_term(t->outside), 0);
    (void)unlink(t->address + strlen("ipc://")); /* what a peer that binds has left */
    assert_int_equal(wadi_buffers_used(t->buffers), 0);
    wadi_buffers_release(t->buffers);
}

void talk_look_after(talk *t) {
    (void)wadi_port_ready(t->port);
}

wadi_chunk *talk_chunk(const talk *t, int64_t number) {
    const int64_t one = 1;
    const wadi_part part = wadi_part_fixed(WADI_I64, 1, &one);
    wadi_builder b;
    wadi_chunk *c = NULL;
    assert_int_equal(wadi_builder_init(&b, t->buffers, 1, &part, INT64_MAX, NULL), WADI_OK);
    for (int64_t i = 0; i < 2; i++) {
        wadi_array a;
        assert_int_equal(wadi_builder_array(&b, 0, NULL, &a, NULL), WADI_OK);
        *(int64_t *)a.column[0] = 2 * number + i;
        assert_int_equal(wadi_builder_next(&b, NULL), WADI_OK);
    }
    assert_int_equal(wadi_chunk_create(t->buffers, 1, &c, NULL), WADI_OK);
    c->number = number;
    c->first = 2 * number;
    c->count = 2;
    wadi_builder_finish(&b, c, 0, 2);
    wadi_builder_fini(&b);
    assert_int_equal(wadi_chunk_bytes(c), TALK_CHUNK_BYTES);
    return c;
}

/* ---- peers ---- */

peer talk_peer(talk *t, bool binds) {
    const int linger = 0;
    peer p = {.binds = binds};
    p.socket = zmq_socket(t->outside, binds ? ZMQ_ROUTER : ZMQ_DEALER);
    assert_non_null(p.socket);
    assert_int_equal(zmq_setsockopt(p.socket, ZMQ_LINGER, &linger, sizeof linger), 0);
    assert_int_equal((binds ? zmq_bind : zmq_connect)(p.socket, t->address), 0);
    return p;
}

void talk_leave(peer *p) {
    (void)zmq_close(p->socket);
    p->socket = NULL;
}

static void say_bytes(const peer *p, const void *data, size_t n, bool more) {
    assert_int_equal(zmq_send(p->socket, data, n, more ? ZMQ_SNDMORE : 0), (int)n);
}

/* After the description in sched/transport/zmq/message.h. */
static void say_control(const peer *p, const word *w, bool more) {
    const int64_t numbers[] = {w->number, w->sequence, w->bytes};
    uint8_t control[32] = {
        'W', 'L', 'N', 'K', (uint8_t)w->version, (uint8_t)w->kind, (uint8_t)w->status};
    for (int i = 0; i < 24; i++) control[8 + i] = (uint8_t)(numbers[i / 8] >> (i % 8 * 8));
    if (p->binds) say_bytes(p, p->name, p->name_bytes, true);
    say_bytes(p, control, sizeof control, more);
}

void talk_say(const peer *p, word w) {
    say_control(p, &w, w.text != NULL);
    if (w.text != NULL) say_bytes(p, w.text, strlen(w.text), false);
}

void talk_greet(const peer *p, int speaks) {
    talk_say(p, (word){1, WADI_CONTROL_HELLO, .number = speaks});
}

void talk_say_note(const peer *p, int64_t stream, const char *note) {
    const char *text = note != NULL ? note : "";
    talk_say(p, (word){2, WADI_LINK_NOTE, note == NULL, stream, wadi_crc32c(0, text, strlen(text)),
                       (int64_t)strlen(text), text});
}

static void say_chunk(wadi_chunk *c, const peer *p, int64_t stream, word w) {
    static wadi_wire_message m;
    const wadi_wire_stream of = {.id = (uint64_t)stream};
    assert_int_equal(wadi_wire_encode(c, &of, &m, NULL), WADI_OK);
    say_control(p, &w, true);
    for (int i = 0; i < m.frames; i++)
        say_bytes(p, m.frame[i].data, (size_t)m.frame[i].bytes, i + 1 < m.frames);
    wadi_chunk_release(c);
}

void talk_say_chunk(const talk *t, const peer *p, int64_t stream, int64_t number, word w) {
    say_chunk(talk_chunk(t, number), p, stream, w);
}

void talk_resend_chunk(const talk *t, const peer *p, int64_t stream, int64_t number,
                       int64_t instead, int64_t sequence) {
    wadi_chunk *c = talk_chunk(t, number);
    c->number = instead;
    say_chunk(c, p, stream,
              (word){3, WADI_LINK_CHUNK, 0, instead, sequence, TALK_CHUNK_BYTES, NULL});
}

void talk_send_chunk(const talk *t, const peer *p, int64_t stream, int64_t number) {
    talk_say_chunk(t, p, stream, number,
                   (word){2, WADI_LINK_CHUNK, 0, number, number, TALK_CHUNK_BYTES, NULL});
}

static void await_message(talk *t, const peer *p) {
    for (int i = 0; i < 12000; i++) {
        zmq_pollitem_t item = {.socket = p->socket, .events = ZMQ_POLLIN};
        talk_look_after(t);
        assert_true(zmq_poll(&item, 1, 5) >= 0);
        if ((item.revents & ZMQ_POLLIN) != 0) return;
    }
    fail_msg("nothing is heard");
}

word talk_listens(talk *t, peer *p, char text[TALK_TEXT]) {
    uint8_t control[33];
    int64_t numbers[3] = {0};
    int more = 1;
    size_t size = sizeof more;
    word w = {0};
    await_message(t, p);
    if (p->binds) {
        const int n = zmq_recv(p->socket, p->name, sizeof p->name, 0);
        assert_in_range(n, 1, 255);
        p->name_bytes = (size_t)n;
    }
    assert_int_equal(zmq_recv(p->socket, control, sizeof control, 0), 32);
    assert_memory_equal(control, "WLNK", 4);
    assert_int_equal(control[7], 0);
    for (int i = 23; i >= 0; i--) numbers[i / 8] = numbers[i / 8] * 256 + control[8 + i];
    text[0] = '\0';
    while (zmq_getsockopt(p->socket, ZMQ_RCVMORE, &more, &size) == 0 && more != 0) {
        const int n = zmq_recv(p->socket, text, TALK_TEXT - 1, 0);
        assert_in_range(n, 0, TALK_TEXT - 1);
        text[n] = '\0';
        w.text = text;
    }
    w.version = control[4];
    w.kind = control[5];
    w.status = control[6];
    w.number = numbers[0];
    w.sequence = numbers[1];
    w.bytes = numbers[2];
    return w;
}

void talk_hears(talk *t, peer *p, word w) {
    char text[TALK_TEXT];
    word got = talk_listens(t, p, text);
    while (got.kind == WADI_CONTROL_HELLO && w.kind != WADI_CONTROL_HELLO)
        got = talk_listens(t, p, text);
    if (got.kind == WADI_LINK_FAIL && w.kind != WADI_LINK_FAIL) fail_msg("FAIL: %s", text);
    assert_int_equal(got.kind, w.kind);
    if (w.kind != WADI_LINK_CHUNK) assert_int_equal(got.text != NULL, w.text != NULL);
    if (w.text != NULL) assert_string_equal(text, w.text);
    assert_int_equal(got.version, w.version);
    assert_int_equal(got.status, w.status);
    assert_int_equal(got.number, w.number);
    assert_int_equal(got.sequence, w.sequence);
    assert_int_equal(got.bytes, w.bytes);
}

void talk_hears_fail(talk *t, peer *p, int status, int64_t number, int64_t stream,
                     const char *text) {
    talk_hears(t, p, (word){2, WADI_LINK_FAIL, status, number, stream, 0, text});
}

void talk_greet_until(talk *t, peer *p, const char *before, const char *after) {
    for (;;) {
        char text[TALK_TEXT];
        talk_greet(p, 2);
        const word w = talk_listens(t, p, text);
        if (after == NULL && w.kind != WADI_LINK_FAIL) return;
        if (after != NULL && strcmp(text, after) == 0) return;
        assert_string_equal(text, before);
        (void)usleep(TURN_US);
    }
}
