/* Which peer becomes the partner of a stream and which does not, and the messages of both sides, byte for byte, if one of them has
 * version 1. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <zmq.h>

#include <cmocka.h>

#include "base/hash.h"
#include "connectors/link.h"
#include "sched/builder.h"
#include "sched/stream.h"
#include "tests/connectors/link_ends.h"

static void nap(int64_t ms) {
    const struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    (void)nanosleep(&t, NULL);
}

/* A chunk of two elements, i64[1] each, as version 1 has it, written here by hand: docs/WIRE.md. */
typedef struct old_chunk {
    uint8_t header[128];
    int64_t header_bytes;
    int64_t shapes[2], offsets[3], values[2];
} old_chunk;

static void put(uint8_t *at, uint64_t value, size_t bytes) {
    for (size_t i = 0; i < bytes; i++) at[i] = (uint8_t)(value >> (8 * i));
}

static void make_old_chunk(old_chunk *c, uint64_t stream, uint64_t number) {
    memset(c, 0, sizeof *c);
    const void *frame[3] = {c->shapes, c->offsets, c->values};
    const size_t bytes[3] = {sizeof c->shapes, sizeof c->offsets, sizeof c->values};
    for (int i = 0; i < 2; i++) c->shapes[i] = c->offsets[i + 1] = 1;
    c->offsets[2] = 2;
    for (int i = 0; i < 2; i++) c->values[i] = (int64_t)number * 2 + i;
    uint8_t *h = c->header;
    memcpy(h, "WADI", 4);
    put(h + 4, 1, 2);
    put(h + 8, stream, 8);
    put(h + 48, number, 8);
    put(h + 56, number * 2, 8);
    put(h + 64, 2, 8);
    put(h + 72, 1, 4);
    memcpy(h + 76, "\2\1\1\0\4", 5); /* irregular, rank 1, a field: i64 */
    for (size_t i = 0; i < 3; i++) {
        put(h + 81 + 12 * i, bytes[i], 8);
        put(h + 89 + 12 * i, wadi_crc32c(0, frame[i], bytes[i]), 4);
    }
    put(h + 117, wadi_crc32c(0, h, 117), 4);
    c->header_bytes = 121;
}

static void old_control(uint8_t out[32], int kind, uint64_t number, uint64_t sequence,
                        uint64_t bytes) {
    memset(out, 0, 32);
    memcpy(out, "WLNK\1", 5);
    out[5] = (uint8_t)kind;
    put(out + 8, number, 8);
    put(out + 16, sequence, 8);
    put(out + 24, bytes, 8);
}

static void say_old(const link_peer *p, const char *to, int kind, uint64_t number,
                    uint64_t sequence, uint64_t bytes) {
    uint8_t control[32];
    old_control(control, kind, number, sequence, bytes);
    if (to != NULL) assert_int_equal(zmq_send(p->socket, to, 5, ZMQ_SNDMORE), 5);
    link_say(p, 1, (wadi_wire_frame[]){{control, 32}});
}

static void say_chunk(const link_peer *p, const char *to, uint64_t stream, uint64_t number,
                      uint64_t sequence) {
    uint8_t control[32];
    old_chunk c;
    make_old_chunk(&c, stream, number);
    old_control(control, 2, number, sequence, 16 + 24 + 16);
    if (to != NULL) assert_int_equal(zmq_send(p->socket, to, 5, ZMQ_SNDMORE), 5);
    link_say(p, 5,
             (wadi_wire_frame[]){{control, 32},
                                 {c.header, c.header_bytes},
                                 {c.shapes, 16},
                                 {c.offsets, 24},
                                 {c.values, 16}});
}

/* The next message, of which all bytes of the control frame but the last 24 are known; numbers: those. It is of version 1. */
static void hear_old(const link_peer *p, char *from, int kind, int status, int64_t numbers[3],
                     int *frames) {
    uint8_t control[32];
    const uint8_t head[8] = {'W', 'L', 'N', 'K', 1, (uint8_t)kind, (uint8_t)status, 0};
    int more = 1;
    size_t size = sizeof more;
    if (from != NULL) assert_int_equal(zmq_recv(p->socket, from, 5, 0), 5);
    assert_int_equal(zmq_recv(p->socket, control, sizeof control, 0), 32);
    assert_memory_equal(control, head, 8);
    for (int i = 0; i < 3; i++) memcpy(&numbers[i], control + 8 + 8 * i, 8);
    for (*frames = 0;; ++*frames) {
        char rest[4096];
        assert_int_equal(zmq_getsockopt(p->socket, ZMQ_RCVMORE, &more, &size), 0);
        if (more == 0) return;
        assert_true(zmq_recv(p->socket, rest, sizeof rest, 0) >= 0);
    }
}

/* A ROUTER, as the side that binds has it. */
static link_peer bind_peer(const char *address) {
    const int linger = 1000, patience = 120000;
    link_peer p = {.context = zmq_ctx_new()};
    p.socket = zmq_socket(p.context, ZMQ_ROUTER);
    assert_int_equal(zmq_setsockopt(p.socket, ZMQ_LINGER, &linger, sizeof linger), 0);
    assert_int_equal(zmq_setsockopt(p.socket, ZMQ_RCVTIMEO, &patience, sizeof patience), 0);
    assert_int_equal(zmq_bind(p.socket, address), 0);
    return p;
}

/* ---- version 1 at the other end ---- */

/* What a sender of version 1 says; to: whom, of a ROUTER. */
static void send_old(const link_peer *p, const char *to, char *from, bool greets) {
    int64_t n[3];
    int frames;
    if (greets) say_old(p, NULL, 16, 0, 0, 0);
    hear_old(p, from, 1, 0, n, &frames);
    assert_int_equal(n[0], 4);
    assert_int_equal(n[2], 64 << 20);
    for (uint64_t i = 0; i < 3; i++) say_chunk(p, to, 77, i, i);
    for (int done = 0; done < 3;) {
        uint8_t control[32];
        if (from != NULL) assert_int_equal(zmq_recv(p->socket, from, 5, 0), 5);
        assert_int_equal(zmq_recv(p->socket, control, 32, 0), 32);
        assert_int_equal(control[4], 1);
        assert_true(control[5] == 3 || control[5] == 1);
        done += control[5] == 3;
    }
    say_old(p, to, 5, 3, 0, 0);
}

static void start_old_sender(const char *address, bool binds, pid_t *out) {
    (void)fflush(NULL);
    *out = fork();
    assert_true(*out >= 0);
    if (*out > 0) return;
    char from[5];
    int64_t n[3];
    int frames;
    link_peer p = binds ? bind_peer(address) : link_connect_peer(address);
    const int linger = 1000;
    (void)zmq_setsockopt(p.socket, ZMQ_LINGER, &linger, sizeof linger);
    if (binds) hear_old(&p, from, 16, 0, n, &frames); /* HELLO */
    send_old(&p, binds ? from : NULL, binds ? from : NULL, !binds);
    link_leave(&p);
    _exit(0);
}

static void hears_three_chunks(const char *address, const wadi_link_options *options) {
    wadi_source *in = NULL;
    wadi_buffers *buffers = NULL;
    wadi_builder b;
    wadi_error err = {0};
    const wadi_status status = wadi_source_link(address, options, &in, &err);
    if (status != WADI_OK) fail_msg("%s", err.msg);
    assert_int_equal(wadi_buffers_create(NULL, 0, &buffers, NULL), WADI_OK);
    assert_int_equal(wadi_builder_init(&b, buffers, 1, in->part, INT64_MAX, NULL), WADI_OK);
    assert_int_equal(in->ops->next(in, 100, &b, &err), WADI_OK);
    assert_int_equal(b.count, 6);
    wadi_builder_fini(&b);
    wadi_buffers_release(buffers);
    wadi_source_destroy(in);
}

static void a_sender_of_version_1_is_understood(void **state) {
    (void)state;
    for (int binds = 0; binds < 2; binds++) {
        const char *address = link_ipc_address("old-sender");
        const wadi_link_options options = {.bind = !binds};
        pid_t pid;
        start_old_sender(address, binds, &pid);
        hears_three_chunks(address, &options);
        assert_int_equal(link_exit_status(pid), 0);
    }
}

/* Neither a message of another version nor one of a kind that version 1 does not have. */
static void receive_old(const link_peer *p, char *from) {
    int64_t n[3];
    int frames, chunks = 0;
    if (from != NULL) hear_old(p, from, 16, 0, n, &frames); /* HELLO */
    if (from == NULL) say_old(p, NULL, 16, 0, 0, 0);
    say_old(p, from, 1, 2, 0, 1 << 20);
    for (;;) {
        uint8_t control[32];
        int more = 1;
        size_t size = sizeof more;
        if (from != NULL) assert_int_equal(zmq_recv(p->socket, from, 5, 0), 5);
        assert_int_equal(zmq_recv(p->socket, control, 32, 0), 32);
        assert_memory_equal(control, "WLNK\1", 5);
        for (frames = 0; zmq_getsockopt(p->socket, ZMQ_RCVMORE, &more, &size) == 0 && more;
             frames++) {
            char rest[4096];
            assert_true(zmq_recv(p->socket, rest, sizeof rest, 0) >= 0);
        }
        memcpy(n, control + 8, sizeof n);
        if (control[5] == 6) {
            assert_int_equal(frames, 1);
            assert_int_equal(n[1], 0); /* the CRC of a note of no bytes */
            assert_int_equal(n[2], 0);
        } else if (control[5] == 2) {
            assert_int_equal(n[0], chunks);
            assert_int_equal(n[1], chunks);
            assert_int_equal(frames, 4);
            chunks++;
            say_old(p, from, 3, (uint64_t)n[0], (uint64_t)chunks + 2, 1 << 20);
        } else {
            assert_int_equal(control[5], 5);
            assert_int_equal(n[0], chunks);
            return;
        }
    }
}

static void a_receiver_of_version_1_understands(void **state) {
    (void)state;
    for (int binds = 0; binds < 2; binds++) {
        const char *address = link_ipc_address("old-receiver");
        const wadi_link_options options = {.bind = !binds};
        const pid_t pid = link_start_sender(address, &options, (link_teller){40, -1, -1});
        char from[5];
        link_peer p = binds ? bind_peer(address) : link_connect_peer(address);
        receive_old(&p, binds ? from : NULL);
        link_leave(&p);
        assert_int_equal(link_exit_status(pid), WADI_OK);
    }
}

/* Both say what they speak, and then speak the newer; a newer one still is no obstacle. */
static void versions_are_agreed_upon(void **state) {
    (void)state;
    for (int speaks = 1; speaks < 6; speaks++) {
        const int both = speaks < 5 ? speaks : 4;
        const char *address = link_ipc_address("versions");
        const wadi_link_options binds = {.bind = true}, connects = {0};
        const pid_t receiver = link_start_receiver(address, &binds);
        uint8_t control[32];
        char text[64];
        link_peer p = link_connect_peer(address);
        old_control(control, 16, (uint64_t)speaks, 0, 0);
        link_say(&p, 1, (wadi_wire_frame[]){{control, 32}});
        if (speaks > 1) assert_int_equal(link_hear(&p, 16, text, sizeof text), both);
        assert_int_equal(link_hear(&p, 1, text, sizeof text), both);
        link_leave(&p);
        const pid_t sender =
            link_start_sender(address, &connects, (link_teller){LINK_ELEMENTS, -1, -1});
        assert_int_equal(link_exit_status(sender), WADI_OK);
        assert_int_equal(link_exit_status(receiver), 0);
    }
}

/* ---- partners and others ---- */

/* The second is told so. When the first goes before it has confirmed anything, the next one gets the whole stream. */
static void a_sender_keeps_one_receiver(void **state) {
    (void)state;
    const char *address = link_ipc_address("two-receivers");
    const wadi_link_options binds = {.bind = true}, connects = {0};
    const pid_t sender = link_start_sender(address, &binds, (link_teller){LINK_ELEMENTS, -1, -1});
    wadi_error err = {0};
    int64_t count = 0;
    char text[256];
    link_peer first = link_connect_peer(address), second = link_connect_peer(address);
    link_say(&first, 1, (wadi_wire_frame[]){{link_hello, sizeof link_hello}});
    say_old(&first, NULL, 1, 2, 0, 1 << 20); /* READY */
    (void)link_hear(&first, 2, text, sizeof text);
    link_say(&second, 1, (wadi_wire_frame[]){{link_hello, sizeof link_hello}});
    (void)link_hear(&second, 4, text, sizeof text);
    assert_string_equal(text, "the sender has another receiver");
    link_leave(&second);
    link_leave(&first);
    wadi_status status = WADI_IO;
    for (int i = 0; i < 2400 && status != WADI_OK; i++) { /* until the sender has noticed */
        if (i > 0 && strstr(err.msg, "another receiver") == NULL) break;
        nap(50);
        status = link_receive(address, &connects, 5, &count, &err);
    }
    if (status != WADI_OK) fail_msg("%s", err.msg);
    assert_int_equal(count, LINK_ELEMENTS);
    assert_int_equal(link_exit_status(sender), WADI_OK);
}

static void who_says_hello_and_nothing_else_is_not_waited_for(void **state) {
    (void)state;
    const char *address = link_ipc_address("silent");
    const wadi_link_options binds = {.bind = true, .lost_after_ms = 400};
    link_peer p = link_connect_peer(address);
    link_say(&p, 1, (wadi_wire_frame[]){{link_hello, sizeof link_hello}});
    wadi_source *in = NULL;
    wadi_error err = {0};
    assert_int_equal(wadi_source_link(address, &binds, &in, &err), WADI_IO);
    assert_non_null(strstr(err.msg, "no sender for"));
    link_leave(&p);
}

/* A peer that has said HELLO and been granted credit, once the receiver has noticed that its partner is gone. */
static link_peer greeted_peer(const char *address) {
    for (int tries = 0;; tries++) {
        char text[64];
        int kind = 0;
        link_peer p = link_connect_peer(address);
        link_say(&p, 1, (wadi_wire_frame[]){{link_hello, sizeof link_hello}});
        while (kind != 1 && kind != 4) (void)link_hear_any(&p, text, sizeof text, &kind);
        if (kind == 1) return p;
        assert_true(tries < 2400);
        assert_string_equal(text, "the receiver listens to another stream");
        link_leave(&p);
        nap(50);
    }
}

static void a_stream_that_was_left_before_its_use_is_forgotten(void **state) {
    (void)state;
    const char *address = link_ipc_address("left");
    const wadi_link_options binds = {.bind = true}, connects = {0};
    const pid_t receiver = link_start_receiver(address, &binds);
    uint8_t note[32];
    char text[256];
    link_peer p = greeted_peer(address);
    old_control(note, 6, 99, wadi_crc32c(0, "n", 1), 1);
    link_say(&p, 2, (wadi_wire_frame[]){{note, 32}, {"n", 1}});
    (void)link_hear(&p, 1, text, sizeof text); /* it is the partner now */
    link_leave(&p);
    for (int i = 0; i < 2; i++) { /* a stream does not begin so */
        p = greeted_peer(address);
        say_chunk(&p, NULL, 98, i == 0 ? 3 : 0, i == 0 ? 0 : 7);
        (void)link_hear(&p, 4, text, sizeof text);
        assert_non_null(strstr(text, "a stream that begins with chunk"));
        link_leave(&p);
    }
    const pid_t sender =
        link_start_sender(address, &connects, (link_teller){LINK_ELEMENTS, -1, -1});
    assert_int_equal(link_exit_status(sender), WADI_OK);
    assert_int_equal(link_exit_status(receiver), 0);
}

/* ---- descriptors and floods, at a port that does not look ---- */

static void open_port(wadi_link_end *e, const char *address) {
    const wadi_link_options binds = {.bind = true, .lost_after_ms = 120000};
    wadi_error err = {0};
    memset(e, 0, sizeof *e);
    if (wadi_link_end_open(e, address, &binds, false, &err) != WADI_OK) fail_msg("%s", err.msg);
}

static void receives_a_chunk(wadi_link_end *e) {
    wadi_chunk *c = NULL;
    wadi_error err = {0};
    if (wadi_port_receive(e->port, &c, &err) != WADI_OK) fail_msg("%s", err.msg);
    assert_non_null(c);
    assert_int_equal(c->count, 2);
    wadi_chunk_release(c);
    wadi_port_done(e->port, 0);
}

static void one_that_was_used_breaks_the_stream(void **state) {
    (void)state;
    const char *address = link_ipc_address("used");
    wadi_link_end e;
    wadi_chunk *c = NULL;
    wadi_error err = {0};
    open_port(&e, address);
    link_peer p = link_connect_peer(address);
    link_say(&p, 1, (wadi_wire_frame[]){{link_hello, sizeof link_hello}});
    say_chunk(&p, NULL, 98, 0, 0);
    receives_a_chunk(&e);
    link_leave(&p);
    assert_int_equal(wadi_port_receive(e.port, &c, &err), WADI_IO);
    assert_non_null(strstr(err.msg, "the connection to the sender was lost"));
    wadi_link_end_close(&e);
}

/* What somebody else has written is shown to a user: nothing in it steers a terminal. */
static void a_reason_steers_no_terminal(void **state) {
    (void)state;
    static const char reason[] = "a\033[2J\tb\r\nc\001\x7f\xc3\xa9";
    const char *address = link_ipc_address("reason");
    wadi_link_end e;
    wadi_chunk *c = NULL;
    wadi_error err = {0};
    uint8_t control[32];
    open_port(&e, address);
    link_peer p = link_connect_peer(address);
    link_say(&p, 1, (wadi_wire_frame[]){{link_hello, sizeof link_hello}});
    say_chunk(&p, NULL, 98, 0, 0);
    receives_a_chunk(&e);
    old_control(control, 4, 1, 0, 0);
    control[6] = WADI_IO;
    link_say(&p, 2, (wadi_wire_frame[]){{control, 32}, {reason, sizeof reason - 1}});
    assert_int_equal(wadi_port_receive(e.port, &c, &err), WADI_IO);
    assert_string_equal(err.msg, "a?[2J?b??c??\xc3\xa9");
    link_leave(&p);
    wadi_link_end_close(&e);
}

/* Where the first sender may take any time, one that was forgotten was none. */
static void who_was_forgotten_starts_no_clock(void **state) {
    (void)state;
    const wadi_link_options patient = {.bind = true, .first_after_ms = -1, .lost_after_ms = 200};
    const char *address = link_ipc_address("patient");
    wadi_link_end e = {0};
    wadi_chunk *c = NULL;
    wadi_error err = {0};
    uint8_t note[32];
    assert_int_equal(wadi_link_end_open(&e, address, &patient, false, &err), WADI_OK);
    link_peer p = link_connect_peer(address);
    link_say(&p, 1, (wadi_wire_frame[]){{link_hello, sizeof link_hello}});
    old_control(note, 6, 99, wadi_crc32c(0, "n", 1), 1);
    link_say(&p, 2, (wadi_wire_frame[]){{note, 32}, {"n", 1}});
    for (int i = 0; i < 20 && !wadi_port_ready(e.port); i++) nap(10);
    link_leave(&p);
    for (int i = 0; i < 60; i++) { /* the clock would have run out long ago */
        assert_false(wadi_port_ready(e.port));
        nap(10);
    }
    const pid_t pid = link_start_sender(address, &(wadi_link_options){0}, (link_teller){3, -1, -1});
    const wadi_status status = wadi_port_receive(e.port, &c, &err);
    if (status != WADI_OK) fail_msg("%s", err.msg);
    assert_non_null(c);
    const int64_t number = c->number;
    wadi_chunk_release(c);
    wadi_port_done(e.port, number);
    while (wadi_port_receive(e.port, &c, &err) == WADI_OK && c != NULL) {
        wadi_port_done(e.port, c->number);
        wadi_chunk_release(c);
    }
    assert_int_equal(link_exit_status(pid), WADI_OK);
    wadi_link_end_close(&e);
}

/* The descriptor of a stranger who has gone is the sender's by the time that is noticed. */
static void a_descriptor_that_serves_again_loses_nobody(void **state) {
    (void)state;
    char address[64];
    (void)snprintf(address, sizeof address, "%s", link_tcp_address());
    wadi_link_end e;
    open_port(&e, address);
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_port =
                                 htons((uint16_t)strtol(strrchr(address, ':') + 1, NULL, 10))};
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    link_peer p = {.context =
                       zmq_ctx_new()}; /* with the descriptors it needs, but for its connection's */
    p.socket = zmq_socket(p.context, ZMQ_DEALER);
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&at, sizeof at), 0);
    nap(100);
    (void)close(fd);
    nap(100);
    assert_int_equal(zmq_connect(p.socket, address), 0);
    link_say(&p, 1, (wadi_wire_frame[]){{link_hello, sizeof link_hello}});
    say_chunk(&p, NULL, 5, 0, 0);
    nap(200);
    receives_a_chunk(&e);
    say_chunk(&p, NULL, 5, 1, 1);
    wadi_chunk *c = NULL;
    assert_int_equal(wadi_port_receive(e.port, &c, NULL), WADI_OK);
    wadi_chunk_release(c);
    link_leave(&p);
    wadi_link_end_close(&e);
}

/* More than is read at once, from one who has gone when it is read; with libzmq's heartbeats this ends the process. */
static void a_flood_ends_nothing(void **state) {
    (void)state;
    char address[64];
    (void)snprintf(address, sizeof address, "%s", link_tcp_address());
    wadi_link_end e;
    open_port(&e, address);
    for (int k = 0; k < 3; k++) {
        link_peer p = link_connect_peer(address);
        for (int i = 0; i < 5000; i++)
            link_say(&p, 1, (wadi_wire_frame[]){{link_hello, sizeof link_hello}});
        nap(200);
        link_leave(&p);
    }
    nap(2500);
    link_peer p = link_connect_peer(address);
    link_say(&p, 1, (wadi_wire_frame[]){{link_hello, sizeof link_hello}});
    say_chunk(&p, NULL, 5, 0, 0);
    receives_a_chunk(&e);
    link_leave(&p);
    wadi_link_end_close(&e);
}

/* ---- tokens and keys ---- */

static wadi_status try_link(const char *address, const wadi_link_options *from,
                            const wadi_link_options *to, wadi_error *err) {
    int64_t count = 0;
    const pid_t pid = link_start_sender(address, from, (link_teller){LINK_ELEMENTS, -1, -1});
    const wadi_status status = link_receive(address, to, 5, &count, err);
    assert_int_equal(link_exit_status(pid) == WADI_OK, status == WADI_OK);
    assert_int_equal(count, status == WADI_OK ? LINK_ELEMENTS : 0);
    return status;
}

static void a_token_keeps_strangers_out(void **state) {
    (void)state;
    if (!zmq_has("curve")) skip();
    enum {
        PATIENT_MS = 60000, /* those who shall meet must not run out of it on a busy machine */
        BRIEF_MS = 500
    };
    wadi_link_options binds = {
        .bind = true, .lost_after_ms = PATIENT_MS, .token = "what only we two know"};
    wadi_link_options connects = {.lost_after_ms = PATIENT_MS, .token = "what only we two know"};
    wadi_error err = {0};
    assert_int_equal(try_link(link_ipc_address("token"), &connects, &binds, &err), WADI_OK);
    assert_int_equal(try_link(link_tcp_address(), &connects, &binds, &err), WADI_OK);
    binds.lost_after_ms = 3 * BRIEF_MS;
    connects.lost_after_ms = BRIEF_MS;
    connects.token = "what only we two kmow";
    assert_int_equal(try_link(link_tcp_address(), &connects, &binds, &err), WADI_IO);
    connects.token = NULL;
    assert_int_equal(try_link(link_tcp_address(), &connects, &binds, &err), WADI_IO);
}

static void is_refused(const char *address, const wadi_link_options *options, const char *words) {
    wadi_source *in = NULL;
    wadi_error err = {0};
    assert_int_equal(wadi_source_link(address, options, &in, &err), WADI_INVALID);
    if (strstr(err.msg, words) == NULL) fail_msg("no \"%s\" in: %s", words, err.msg);
    if (options->token != NULL && *options->token != '\0')
        assert_null(strstr(err.msg, options->token));
}

static void tokens_have_their_place(void **state) {
    (void)state;
    wadi_link_options o = {.bind = true, .token = "what only we two know"};
    is_refused("tcp://0.0.0.0:5555", &o, "only within one machine");
    o.bind = false;
    is_refused("tcp://10.1.2.3:5555", &o, "only within one machine");
    o.token = "short";
    is_refused("ipc:///tmp/x", &o, "16 to 1024 bytes");
    o.token = "what only we two know";
    o.curve_public = o.curve_secret = o.curve_server = "x";
    is_refused("ipc:///tmp/x", &o, "both keys and a token");
}

static void addresses_are_looked_at(void **state) {
    (void)state;
    const wadi_link_options binds = {.bind = true};
    is_refused("tcp://127.0.0.1", &binds, "the port is missing");
    is_refused("tcp://[::1]", &binds, "the port is missing");
    is_refused("tcp://127.0.0.1:", &binds, "a port up to 65535");
    is_refused("tcp://127.0.0.1:x", &binds, "a port up to 65535");
    is_refused("tcp://127.0.0.1:65536", &binds, "a port up to 65535");
    is_refused("tcp://:5555", &binds, "expected tcp://HOST:PORT");
    is_refused("ipc://", &binds, "ipc://PATH");
    is_refused("inproc://x", &binds, "another process");
    is_refused("127.0.0.1:5555", &binds, "another process");
}

static void who_is_not_admitted_is_told(void **state) {
    (void)state;
    if (!zmq_has("curve")) skip();
    char key[4][41];
    for (int i = 0; i < 4; i += 2) assert_int_equal(zmq_curve_keypair(key[i], key[i + 1]), 0);
    const char *const nobody[] = {key[0], NULL};
    const char *address = link_tcp_address();
    const wadi_link_options binds = {.bind = true,
                                     .lost_after_ms = 2000,
                                     .curve_public = key[0],
                                     .curve_secret = key[1],
                                     .curve_clients = nobody};
    const wadi_link_options connects = {
        .curve_public = key[2], .curve_secret = key[3], .curve_server = key[0]};
    const pid_t receiver = link_start_receiver(address, &binds);
    wadi_source *in = NULL;
    wadi_error err = {0};
    assert_int_equal(wadi_source_link(address, &connects, &in, &err), WADI_IO);
    if (strstr(err.msg, "does not admit this key") == NULL) fail_msg("%s", err.msg);
    assert_int_equal(link_exit_status(receiver), 1);
}

/* The thread sanitizer ends a child that a process with threads has forked when it starts a thread of its own. */
static bool forks_may_have_threads(void) {
    const char *sanitize = getenv("WADI_SANITIZE");
    return sanitize == NULL || strstr(sanitize, "thread") == NULL;
}

int main(void) {
    enum { SKIPPED = 77 };
    if (!forks_may_have_threads()) {
        print_message("skipped: its children start threads, which the thread sanitizer forbids\n");
        return SKIPPED;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sender_of_version_1_is_understood),
        cmocka_unit_test(a_receiver_of_version_1_understands),
        cmocka_unit_test(versions_are_agreed_upon),
        cmocka_unit_test(a_sender_keeps_one_receiver),
        cmocka_unit_test(who_says_hello_and_nothing_else_is_not_waited_for),
        cmocka_unit_test(a_stream_that_was_left_before_its_use_is_forgotten),
        cmocka_unit_test(one_that_was_used_breaks_the_stream),
        cmocka_unit_test(a_reason_steers_no_terminal),
        cmocka_unit_test(who_was_forgotten_starts_no_clock),
        cmocka_unit_test(a_descriptor_that_serves_again_loses_nobody),
        cmocka_unit_test(a_flood_ends_nothing),
        cmocka_unit_test(a_token_keeps_strangers_out),
        cmocka_unit_test(tokens_have_their_place),
        cmocka_unit_test(addresses_are_looked_at),
        cmocka_unit_test(who_is_not_admitted_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
