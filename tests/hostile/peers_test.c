/* A healthy stream between two processes, disturbed by peers that lie. Whatever strangers send to the binding side, before, during
 * and after the stream, the stream arrives complete.
 *
 * WADI_HOSTILE_SECONDS=N goes on for about N seconds with other seeds, and prints what was done. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <zmq.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/hash.h"
#include "sched/builder.h"
#include "sched/stream.h"
#include "sched/transport/zmq/message.h"
#include "sched/link/wire.h"

enum { CROWD = 200, PATIENCE_MS = 120000 };

/* ---- the healthy stream ---- */

/* Shared by the processes of a trial. */
typedef struct stage {
    atomic_bool finish; /* the stream may end */
    atomic_bool leave;  /* the side that binds may go */
    atomic_llong sent, got;
    char said[512];
} stage;

static stage *new_stage(void) {
    FILE *file = tmpfile();
    assert_non_null(file);
    assert_int_equal(ftruncate(fileno(file), sizeof(stage)), 0);
    stage *s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(file), 0);
    assert_ptr_not_equal(s, MAP_FAILED);
    (void)fclose(file);
    return s;
}

static void nap(int64_t ms) {
    const struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    (void)nanosleep(&t, NULL);
}

/* Element i is i64[i % 5] of i. */
static wadi_chunk *make_chunk(wadi_buffers *buffers, int64_t first, int64_t count) {
    const wadi_part part = wadi_part_irregular(WADI_I64, 1);
    wadi_builder b;
    wadi_chunk *c = NULL;
    if (wadi_builder_init(&b, buffers, 1, &part, INT64_MAX, NULL) != WADI_OK) abort();
    for (int64_t i = first; i < first + count; i++) {
        wadi_array a;
        const int64_t shape = i % 5;
        if (wadi_builder_array(&b, 0, &shape, &a, NULL) != WADI_OK) abort();
        for (int64_t k = 0; k < shape; k++) ((int64_t *)a.column[0])[k] = i;
        if (wadi_builder_next(&b, NULL) != WADI_OK) abort();
    }
    if (wadi_chunk_create(buffers, 1, &c, NULL) != WADI_OK) abort();
    c->first = first;
    c->count = count;
    wadi_builder_finish(&b, c, 0, count);
    wadi_builder_fini(&b);
    return c;
}

static wadi_status send_all(stage *s, wadi_sink *sink, wadi_error *err) {
    wadi_buffers *buffers = NULL;
    wadi_status status = wadi_buffers_create(NULL, 1 << 20, &buffers, err);
    int64_t sent = 0;
    for (int64_t i = 0; status == WADI_OK && (i < 20 || !atomic_load(&s->finish)); i++) {
        wadi_chunk *c = make_chunk(buffers, sent, 1 + i % 7);
        status = sink->ops->put(sink, c, err);
        wadi_chunk_release(c);
        sent += 1 + i % 7;
        nap(1);
    }
    atomic_store(&s->sent, sent);
    if (status == WADI_OK) status = sink->ops->finish(sink, err);
    wadi_buffers_release(buffers);
    return status;
}

static bool is_element(const wadi_chunk *c, int64_t at, int64_t i) {
    const wadi_array a = wadi_chunk_array(c, 0, at);
    bool right = a.shape[0] == i % 5;
    for (int64_t k = 0; right && k < i % 5; k++) right = ((const int64_t *)a.column[0])[k] == i;
    return right;
}

static wadi_status take_elements(wadi_source *source, wadi_buffers *buffers, int64_t first,
                                 int64_t *out_n, wadi_error *err) {
    wadi_builder b;
    wadi_chunk *c = NULL;
    wadi_status status = wadi_builder_init(&b, buffers, 1, source->part, INT64_MAX, err);
    if (status == WADI_OK) status = source->ops->next(source, 10, &b, err);
    const int64_t n = status == WADI_OK ? b.count : 0;
    if (n > 0) status = wadi_chunk_create(buffers, 1, &c, err);
    if (status == WADI_OK && n > 0) {
        c->count = n;
        wadi_builder_finish(&b, c, 0, n);
        for (int64_t i = 0; i < n; i++)
            if (!is_element(c, i, first + i)) abort();
        wadi_chunk_release(c);
    }
    wadi_builder_fini(&b);
    *out_n = n;
    return status;
}

static wadi_status receive_all(stage *s, wadi_source *source, wadi_error *err) {
    wadi_buffers *buffers = NULL;
    wadi_status status = wadi_buffers_create(NULL, 1 << 20, &buffers, err);
    int64_t got = 0, n = 1;
    while (status == WADI_OK && n > 0) {
        status = take_elements(source, buffers, got, &n, err);
        got += n;
        atomic_store(&s->got, got);
    }
    wadi_buffers_release(buffers);
    return status;
}

/* One side of the stream in a process of its own; its exit status is that of the stream. */
static pid_t start(stage *s, const char *address, bool sends, bool binds) {
    (void)fflush(NULL);
    const pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid > 0) return pid;
    const wadi_link_options options = {.bind = binds, .lost_after_ms = PATIENCE_MS};
    wadi_source *source = NULL;
    wadi_sink *sink = NULL;
    wadi_error err = {.status = WADI_OK};
    wadi_status status;
    if (sends) {
        status = wadi_sink_link(address, &options, &sink, &err);
        if (status == WADI_OK) status = send_all(s, sink, &err);
    } else {
        status = wadi_source_link(address, &options, &source, &err);
        if (status == WADI_OK) status = receive_all(s, source, &err);
    }
    for (int i = 0; binds && status == WADI_OK && i < 24000 && !atomic_load(&s->leave); i++) nap(5);
    if (status != WADI_OK)
        (void)snprintf(s->said, sizeof s->said, "%s: %.480s", sends ? "sender" : "receiver",
                       err.msg);
    wadi_source_destroy(source);
    wadi_sink_destroy(sink);
    _exit((int)status);
}

/* ---- strangers ---- */

static uint64_t rng_state;

static size_t below(size_t n) {
    rng_state = rng_state * 6364136223846793005u + 1442695040888963407u;
    return (size_t)((rng_state >> 33) % n);
}

static void random_bytes(uint8_t *out, size_t n) {
    for (size_t i = 0; i < n; i++) out[i] = (uint8_t)below(256);
}

/* A plain socket to the address; -1: not let in. */
static int dial(const char *address) {
    struct sockaddr_un at_path = {.sun_family = AF_UNIX};
    struct sockaddr_in at_port = {.sin_family = AF_INET};
    const bool ipc = strncmp(address, "ipc://", 6) == 0;
    const int fd = socket(ipc ? AF_UNIX : AF_INET, SOCK_STREAM, 0);
    if (fd < 0) return -1;
    (void)snprintf(at_path.sun_path, sizeof at_path.sun_path, "%s", address + 6);
    at_port.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    at_port.sin_port = htons((uint16_t)strtol(strrchr(address, ':') + 1, NULL, 10));
    const struct sockaddr *to = ipc ? (struct sockaddr *)&at_path : (struct sockaddr *)&at_port;
    if (connect(fd, to, ipc ? sizeof at_path : sizeof at_port) == 0) return fd;
    (void)close(fd);
    return -1;
}

static void send_plain(const char *address, const void *data, size_t n, bool stay) {
    const int fd = dial(address);
    if (fd < 0) return;
    (void)!send(fd, data, n, MSG_NOSIGNAL);
    if (stay) nap(2);
    (void)close(fd);
}

typedef struct stranger {
    const char *address;
    void *context;
} stranger;

/* A ZeroMQ socket that speaks for itself, and lingers long enough to be heard. */
static void *call(const stranger *s) {
    const int linger = 500, patience = 20;
    void *socket = zmq_socket(s->context, ZMQ_DEALER);
    assert_non_null(socket);
    (void)zmq_setsockopt(socket, ZMQ_LINGER, &linger, sizeof linger);
    (void)zmq_setsockopt(socket, ZMQ_RCVTIMEO, &patience, sizeof patience);
    assert_int_equal(zmq_connect(socket, s->address), 0);
    return socket;
}

static void say_control(void *socket, wadi_control c, bool more) {
    uint8_t bytes[WADI_CONTROL_BYTES];
    if (c.version == 0) c.version = 1 + (int)below(2);
    wadi_control_write(&c, bytes);
    (void)zmq_send(socket, bytes, sizeof bytes, more ? ZMQ_SNDMORE : 0);
}

static void say_hello(void *socket) {
    say_control(
        socket,
        (wadi_control){.version = 1, .kind = WADI_CONTROL_HELLO, .number = (int64_t)below(4)},
        false);
}

static int64_t any_number(void) {
    static const int64_t some[] = {
        0, 1, 2, 7, 63, 64, 4294967295, 4294967296, INT64_MAX - 1, INT64_MAX, 100};
    return below(3) == 0 ? (int64_t)(below(1u << 30) << 30)
                         : some[below(sizeof some / sizeof some[0])];
}

/* What it hears is thrown away. */
static void hang_up(void *socket) {
    uint8_t bytes[64];
    for (int i = 0; i < 3 && zmq_recv(socket, bytes, sizeof bytes, 0) >= 0; i++) {
    }
    (void)zmq_close(socket);
}

/* ---- what they do. A stream that has begun is in no danger from any of it; before, from what is no proper stream. ---- */

static void noise(const stranger *s) {
    uint8_t bytes[4096];
    random_bytes(bytes, sizeof bytes);
    send_plain(s->address, bytes, 1 + below(sizeof bytes), below(2) == 0);
}

static void other_protocols(const stranger *s) {
    /* A whole greeting of ZMTP 3.0, 64 bytes, and the head of a frame of 2^62 bytes. */
    static const char huge[] = "\xff\0\0\0\0\0\0\0\x01\x7f\x03\0NULL"
                               "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
                               "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
                               "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
                               "\x02\x40\0\0\0\0\0\0\0";
    _Static_assert(sizeof huge == 73 + 1, "64 bytes, then 9");
    static const struct {
        const char *bytes;
        size_t n;
    } hellos[] = {
        {"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 client hello of TLS", 32},
        {"\x03\x00\x00\x2a\x25\xe0\x00\x00\x00\x00\x00 Cookie: mstshash=x", 30},
        {"GET / HTTP/1.1\r\nHost: here\r\n\r\n", 30},
        {"SSH-2.0-OpenSSH_9.2\r\n", 21},
        {"PING\r\n", 6},
        {"\x00\x00\x00\x85\xff"
         "SMB",
         8},
        {"\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 16},
        {"\xff\0\0\0\0\0\0\0\x01\x7f\x03\0NULL\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0junk after a "
         "greeting",
         53},
        {"\xff\0\0\0\0\0\0\0\x01\x7f\x01\x05\x00\x00", 14}, /* ZMTP 2.0 */
        {"\x01\x00\x06\x00WLNK\x01", 9},                    /* ZMTP 1.0, a frame of it */
        {huge, 73},
    };
    const size_t i = below(sizeof hellos / sizeof hellos[0]);
    send_plain(s->address, hellos[i].bytes, hellos[i].n, below(2) == 0);
}

static void comes_and_goes(const stranger *s) {
    const int fd = dial(s->address);
    if (fd >= 0) (void)close(fd);
}

static void wrong_words(const stranger *s) {
    void *socket = call(s);
    if (below(2) == 0) say_hello(socket);
    (void)zmq_send(socket, "hello", 5, 0);
    hang_up(socket);
}

static void empty_frames(const stranger *s) {
    void *socket = call(s);
    const size_t n = 1 + below(300);
    if (below(2) == 0) say_hello(socket);
    for (size_t i = 0; i < n; i++) (void)zmq_send(socket, "", 0, i + 1 < n ? ZMQ_SNDMORE : 0);
    hang_up(socket);
}

static void other_versions(const stranger *s) {
    static const int versions[] = {0, 3, 9, 255};
    uint8_t bytes[WADI_CONTROL_BYTES];
    void *socket = call(s);
    wadi_control_write(&(wadi_control){.version = versions[below(4)], .kind = (int)below(20)},
                       bytes);
    (void)zmq_send(socket, bytes, sizeof bytes, 0);
    hang_up(socket);
}

static void unknown_kinds(const stranger *s) {
    void *socket = call(s);
    say_hello(socket);
    say_control(socket, (wadi_control){.kind = 7 + (int)below(200), .number = any_number()}, false);
    hang_up(socket);
}

static void junk_behind(const stranger *s) {
    static const int kinds[] = {WADI_LINK_CHUNK, WADI_LINK_NOTE};
    uint8_t bytes[300];
    void *socket = call(s);
    say_hello(socket);
    for (size_t i = below(4); i < 4; i++) {
        const size_t n = below(sizeof bytes);
        random_bytes(bytes, n);
        say_control(socket,
                    (wadi_control){.kind = kinds[below(2)],
                                   .number = any_number(),
                                   .sequence = any_number(),
                                   .bytes = any_number()},
                    true);
        (void)zmq_send(socket, bytes, n, 0);
    }
    hang_up(socket);
}

static void ends(const stranger *s) {
    void *socket = call(s);
    if (below(4) != 0) say_hello(socket);
    say_control(
        socket,
        (wadi_control){.kind = WADI_LINK_END, .number = any_number(), .sequence = any_number()},
        false);
    hang_up(socket);
}

static void fails(const stranger *s) {
    void *socket = call(s);
    if (below(4) != 0) say_hello(socket);
    say_control(socket,
                (wadi_control){.kind = WADI_LINK_FAIL,
                               .status = WADI_IO,
                               .number = any_number(),
                               .sequence = any_number()},
                true);
    (void)zmq_send(socket, "because I can\x1b[2J", 17, 0);
    hang_up(socket);
}

static void confirms(const stranger *s) {
    void *socket = call(s);
    say_hello(socket);
    for (size_t i = below(3); i < 3; i++)
        say_control(socket,
                    (wadi_control){.kind = WADI_LINK_DONE,
                                   .number = any_number(),
                                   .sequence = any_number(),
                                   .bytes = any_number()},
                    false);
    hang_up(socket);
}

static void is_silent(const stranger *s) {
    void *socket = call(s);
    say_hello(socket);
    nap((int64_t)below(5));
    (void)zmq_close(socket);
}

/* One that comes back under the name it has had. */
static void comes_back(const stranger *s) {
    for (int i = 0; i < 3; i++) {
        void *socket = call(s);
        (void)zmq_setsockopt(socket, ZMQ_ROUTING_ID, "the same one", 12);
        say_hello(socket);
        hang_up(socket);
    }
}

/* ---- more that they do once the stream has begun: what would be a stream of its own ---- */

static void asks_for_chunks(const stranger *s) {
    void *socket = call(s);
    say_hello(socket);
    say_control(
        socket,
        (wadi_control){.kind = WADI_LINK_READY, .number = any_number(), .bytes = any_number()},
        false);
    hang_up(socket);
}

static void names_a_stream(const stranger *s) {
    void *socket = call(s);
    wadi_control c = wadi_note_control(below(1u << 30), "a note", 6);
    say_hello(socket);
    say_control(socket, c, true);
    (void)zmq_send(socket, "a note", 6, 0);
    hang_up(socket);
}

/* A proper chunk, of another stream or with a number of its own. */
static void sends_a_chunk(const stranger *s) {
    wadi_buffers *buffers = NULL;
    wadi_wire_message *m = malloc(sizeof *m);
    assert_non_null(m);
    assert_int_equal(wadi_buffers_create(NULL, 1 << 20, &buffers, NULL), WADI_OK);
    wadi_chunk *c = make_chunk(buffers, (int64_t)below(100), 1 + (int64_t)below(5));
    c->number = below(2) == 0 ? 0 : (int64_t)below(100);
    const wadi_wire_stream stream = {.id = below(1u << 30)};
    assert_int_equal(wadi_wire_encode(c, &stream, m, NULL), WADI_OK);
    void *socket = call(s);
    say_hello(socket);
    say_control(socket,
                (wadi_control){.kind = WADI_LINK_CHUNK,
                               .number = c->number,
                               .sequence = any_number(),
                               .bytes = wadi_chunk_bytes(c)},
                true);
    for (int i = 0; i < m->frames; i++)
        (void)zmq_send(socket, m->frame[i].data, (size_t)m->frame[i].bytes,
                       i + 1 < m->frames ? ZMQ_SNDMORE : 0);
    hang_up(socket);
    wadi_chunk_release(c);
    wadi_buffers_release(buffers);
    free(m);
}

typedef void (*act)(const stranger *s);

static const act acts[] = {noise,        other_protocols, comes_and_goes, wrong_words,
                           empty_frames, other_versions,  unknown_kinds,  junk_behind,
                           ends,         fails,           confirms,       is_silent,
                           comes_back,   asks_for_chunks, names_a_stream, sends_a_chunk};
enum { ACTS = sizeof acts / sizeof acts[0], HARMLESS = ACTS - 3 };

static long long done_acts;

static void torment(const stranger *s, size_t rounds, size_t kinds) {
    for (size_t i = 0; i < rounds; i++) acts[i < kinds ? i : below(kinds)](s);
    done_acts += (long long)rounds;
}

/* All seats are taken, and more. */
static void crowd(const stranger *s, void *sockets[CROWD]) {
    for (int i = 0; i < CROWD; i++) {
        sockets[i] = call(s);
        say_hello(sockets[i]);
    }
    nap(100);
    done_acts += CROWD;
}

static void disperse(void *sockets[CROWD]) {
    const int linger = 0;
    for (int i = 0; i < CROWD; i++) {
        (void)zmq_setsockopt(sockets[i], ZMQ_LINGER, &linger, sizeof linger);
        (void)zmq_close(sockets[i]);
    }
}

/* ---- trials ---- */

static const char *ipc_address(void) {
    static char address[100];
    (void)snprintf(address, sizeof address, "ipc:///tmp/wadi-hostile-%ld", (long)getpid());
    (void)unlink(address + 6);
    return address;
}

static const char *tcp_address(void) {
    static char address[64];
    size_t n = sizeof address;
    void *context = zmq_ctx_new(), *socket = zmq_socket(context, ZMQ_PAIR);
    assert_int_equal(zmq_bind(socket, "tcp://127.0.0.1:*"), 0);
    assert_int_equal(zmq_getsockopt(socket, ZMQ_LAST_ENDPOINT, address, &n), 0);
    (void)zmq_close(socket);
    (void)zmq_ctx_term(context);
    return address;
}

/* It listens: strangers that came before would speak to nobody. */
static void await_listener(const char *address) {
    for (int i = 0; i < 24000; i++) {
        const int fd = dial(address);
        if (fd >= 0) {
            (void)close(fd);
            return;
        }
        nap(5);
    }
    fail_msg("nobody listens at %s", address);
}

static void await_exit(pid_t pid, const stage *s) {
    int status = 0;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (WIFEXITED(status) && WEXITSTATUS(status) == WADI_OK) return;
    fail_msg("status %d: %s", WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), s->said);
}

static void try_stream(const char *address, bool sender_binds, size_t rounds, bool crowded) {
    stage *s = new_stage();
    stranger who = {.address = address};
    void *sockets[CROWD];
    const pid_t binder = start(s, address, sender_binds, true);
    await_listener(address);
    who.context = zmq_ctx_new();
    assert_int_equal(zmq_ctx_set(who.context, ZMQ_MAX_SOCKETS, 4 * CROWD), 0);
    torment(&who, rounds, HARMLESS);
    if (crowded) crowd(&who, sockets);
    const pid_t other = start(s, address, !sender_binds, false);
    for (int i = 0; i < 24000 && atomic_load(&s->got) == 0; i++) nap(5); /* the stream begins */
    torment(&who, rounds, ACTS);
    if (crowded) disperse(sockets);
    torment(&who, rounds, ACTS);
    atomic_store(&s->finish, true);
    await_exit(other, s);
    torment(&who, rounds / 4, HARMLESS);
    atomic_store(&s->leave, true);
    await_exit(binder, s);
    assert_true(atomic_load(&s->sent) > 0);
    assert_int_equal(atomic_load(&s->got), atomic_load(&s->sent));
    (void)zmq_ctx_term(who.context);
    if (strncmp(address, "ipc://", 6) == 0) (void)unlink(address + 6);
    (void)munmap(s, sizeof *s);
}

static void strangers_do_a_receiver_no_harm(void **state) {
    (void)state;
    rng_state = 1;
    try_stream(tcp_address(), false, 40, false);
    try_stream(ipc_address(), false, 40, true);
}

static void strangers_do_a_sender_no_harm(void **state) {
    (void)state;
    rng_state = 2;
    try_stream(tcp_address(), true, 40, true);
    try_stream(ipc_address(), true, 40, false);
}

static void strangers_never_tire(void **state) {
    (void)state;
    const char *text = getenv("WADI_HOSTILE_SECONDS");
    if (text == NULL) skip();
    const int64_t until = wadi_clock_ns() + strtol(text, NULL, 10) * 1000000000;
    long long trials = 0;
    for (; wadi_clock_ns() < until; trials++) {
        rng_state = 1000 + (uint64_t)trials;
        try_stream(trials % 2 == 0 ? tcp_address() : ipc_address(), trials / 2 % 2 == 0,
                   20 + below(100), trials % 3 == 0);
    }
    print_message("%lld streams, %lld acts of strangers\n", trials, done_acts);
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
        cmocka_unit_test(strangers_do_a_receiver_no_harm),
        cmocka_unit_test(strangers_do_a_sender_no_harm),
        cmocka_unit_test(strangers_never_tire),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
