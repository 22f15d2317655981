/* Strangers that make a listening process hold memory: messages of endlessly many frames, frames without bytes, commands instead of a handshake, many half
 * messages, and crowds that say nothing. Its memory stays small, and the stream arrives afterwards. */
#define _DEFAULT_SOURCE /* wait4 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <zmq.h>

#include <cmocka.h>

#include "connectors/work.h"
#include "sched/builder.h"
#include "sched/stream.h"

enum {
    MIB = 1 << 20,
    FLOOD = 384, /* MiB that a stranger tries to send */
    CALM = 128,  /* MiB that a listening process may have at most */
    CROWD = 600,
    CHUNKS = 3,
    CHUNK_BYTES = 12 * MIB, /* more than a stranger may have on the way */
    PATIENCE_MS = 60000
};

/* ---- the healthy stream ---- */

typedef enum victim { RECEIVER, SLOW_RECEIVER, SENDER, HOME, WORKER } victim;

typedef struct stage {
    atomic_bool busy, leave;
    char said[512];
} stage;

static stage *shared;
static const char *token;

static void nap(int64_t ms) {
    const struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    (void)nanosleep(&t, NULL);
}

static wadi_status send_all(wadi_sink *sink, wadi_error *err) {
    const int64_t shape = CHUNK_BYTES / 8;
    const wadi_part part = wadi_part_irregular(WADI_I64, 1);
    wadi_buffers *buffers = NULL;
    wadi_status status = wadi_buffers_create(NULL, 1 << 20, &buffers, err);
    for (int64_t i = 0; status == WADI_OK && i < CHUNKS; i++) {
        wadi_builder b;
        wadi_chunk *c = NULL;
        wadi_array a;
        if (wadi_builder_init(&b, buffers, 1, &part, INT64_MAX, err) != WADI_OK ||
            wadi_builder_array(&b, 0, &shape, &a, err) != WADI_OK)
            abort();
        memset(a.column[0], (int)i + 1, CHUNK_BYTES);
        if (wadi_builder_next(&b, err) != WADI_OK ||
            wadi_chunk_create(buffers, 1, &c, err) != WADI_OK)
            abort();
        c->number = c->first = i;
        c->count = 1;
        wadi_builder_finish(&b, c, 0, 1);
        wadi_builder_fini(&b);
        status = sink->ops->put(sink, c, err);
        wadi_chunk_release(c);
    }
    if (status == WADI_OK) status = sink->ops->finish(sink, err);
    wadi_buffers_release(buffers);
    return status;
}

static wadi_status receive_all(wadi_source *source, wadi_error *err) {
    wadi_buffers *buffers = NULL;
    wadi_status status = wadi_buffers_create(NULL, 1 << 20, &buffers, err);
    int64_t got = 0;
    for (bool more = true; status == WADI_OK && more; got += more) {
        wadi_builder b;
        status = wadi_builder_init(&b, buffers, 1, source->part, INT64_MAX, err);
        if (status == WADI_OK) status = source->ops->next(source, 1, &b, err);
        more = status == WADI_OK && b.count > 0;
        wadi_builder_fini(&b);
    }
    wadi_buffers_release(buffers);
    return status != WADI_OK || got == CHUNKS ? status : WADI_INTERNAL;
}

static wadi_status stay_home(const char *address, const wadi_link_options *keys, wadi_error *err) {
    const wadi_workq_options options = {
        .address = address, .home = true, .memory = MIB, .wake_fd = -1};
    wadi_workq *q = NULL;
    wadi_work_item none;
    wadi_status status = wadi_link_work_open(&options, keys, &q, err);
    if (status == WADI_OK) status = q->ops->offer(q, "a charter", 9, err);
    while (status == WADI_OK && !atomic_load(&shared->leave))
        status = q->ops->collect(q, 10000000, &none, err);
    wadi_workq_close(q);
    return status;
}

static wadi_status get_charter(const char *address, const wadi_link_options *keys,
                               wadi_error *err) {
    const wadi_workq_options options = {.address = address,
                                        .memory = MIB,
                                        .lost_after_ns = INT64_C(1000000) * PATIENCE_MS,
                                        .wake_fd = -1};
    wadi_workq *q = NULL;
    void *charter = NULL;
    int64_t n = 0;
    wadi_status status = wadi_link_work_open(&options, keys, &q, err);
    if (status == WADI_OK) status = q->ops->charter(q, &charter, &n, err);
    free(charter);
    wadi_workq_close(q);
    return status != WADI_OK || n == 9 ? status : WADI_INTERNAL;
}

static wadi_status take_part(victim v, const char *address, bool binds, wadi_error *err) {
    const wadi_link_options options = {.bind = binds, .lost_after_ms = PATIENCE_MS, .token = token};
    wadi_source *source = NULL;
    wadi_sink *sink = NULL;
    if (v == HOME) return stay_home(address, &options, err);
    if (v == WORKER) return get_charter(address, &options, err);
    wadi_status status = v == SENDER ? wadi_sink_link(address, &options, &sink, err)
                                     : wadi_source_link(address, &options, &source, err);
    atomic_store(&shared->busy, true);
    while (v == SLOW_RECEIVER && status == WADI_OK && !atomic_load(&shared->leave)) nap(5);
    if (status == WADI_OK) status = v == SENDER ? send_all(sink, err) : receive_all(source, err);
    wadi_source_destroy(source);
    wadi_sink_destroy(sink);
    return status;
}

static pid_t start(victim v, const char *address, bool binds) {
    wadi_error err = {.status = WADI_OK};
    (void)fflush(NULL);
    const pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid > 0) return pid;
    const wadi_status status = take_part(v, address, binds, &err);
    if (status != WADI_OK) (void)snprintf(shared->said, sizeof shared->said, "%.500s", err.msg);
    _exit((int)status);
}

/* MiB that it had at most. */
static int64_t await_exit(pid_t pid) {
    struct rusage used;
    int status = -1;
    assert_int_equal(wait4(pid, &status, 0, &used), pid);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != WADI_OK)
        fail_msg("status %d: %s", WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status),
                 shared->said);
    return (int64_t)used.ru_maxrss / 1024;
}

/* ---- strangers ---- */

static const char *free_address(void) {
    static char address[64];
    size_t n = sizeof address;
    void *context = zmq_ctx_new(), *socket = zmq_socket(context, ZMQ_PAIR);
    assert_int_equal(zmq_bind(socket, "tcp://127.0.0.1:*"), 0);
    assert_int_equal(zmq_getsockopt(socket, ZMQ_LAST_ENDPOINT, address, &n), 0);
    (void)zmq_close(socket);
    (void)zmq_ctx_term(context);
    return address;
}

static int dial(const char *address) {
    struct sockaddr_in to = {.sin_family = AF_INET};
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    to.sin_port = htons((uint16_t)strtol(strrchr(address, ':') + 1, NULL, 10));
    const struct timeval most = {
        .tv_usec = 50000}; /* the kernel answers at once, unless nobody is let in */
    if (fd >= 0) (void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &most, sizeof most);
    if (fd >= 0 && connect(fd, (struct sockaddr *)&to, sizeof to) == 0) return fd;
    if (fd >= 0) (void)close(fd);
    return -1;
}

static void await_listener(const char *address) {
    int fd = -1;
    for (int i = 0; i < 24000 && (fd = dial(address)) < 0; i++) nap(5);
    assert_true(fd >= 0);
    (void)close(fd);
}

/* False: the connection was closed, or nothing is taken for so long. */
static bool say_within(int ms, int fd, const void *data, size_t n) {
    const char *at = data;
    for (ssize_t sent; n > 0; at += sent, n -= (size_t)sent) {
        struct pollfd room = {.fd = fd, .events = POLLOUT};
        if (poll(&room, 1, ms) != 1) return false;
        sent = send(fd, at, n, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && errno != EAGAIN) return false;
        if (sent < 0) sent = 0;
    }
    return true;
}

static bool say(int fd, const void *data, size_t n) {
    return say_within(1000, fd, data, n);
}

/* A connection whose greeting, of ZMTP 3.0, was answered. */
static int greet(const char *address, const char *mechanism) {
    uint8_t greeting[64] = {0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0x7f, 3, 0};
    const int fd = dial(address);
    if (fd < 0) return -1;
    memcpy(greeting + 12, mechanism, strlen(mechanism));
    (void)say(fd, greeting, sizeof greeting);
    for (size_t n = 0; n < sizeof greeting;) {
        const ssize_t came = recv(fd, greeting, sizeof greeting - n, 0);
        if (came <= 0) break;
        n += (size_t)came;
    }
    return fd;
}

static int shake_hands(const char *address) {
    static const char ready[] = "\x04\x29\x05READY\x0bSocket-Type\0\0\0\x06"
                                "DEALER\x08Identity\0\0\0\0";
    const int fd = greet(address, "NULL");
    if (fd >= 0) (void)say(fd, ready, sizeof ready - 1);
    return fd;
}

/* The head of a frame, and so many MiB. */
static void say_frame_within(int ms, int fd, uint8_t flags, uint64_t announced, int mib) {
    static const char block[MIB];
    uint8_t head[9] = {flags};
    for (int i = 0; i < 8; i++) head[8 - i] = (uint8_t)(announced >> (8 * i));
    bool on = say_within(ms, fd, head, sizeof head);
    for (int i = 0; i < mib && on; i++) on = say_within(ms, fd, block, sizeof block);
}

static void say_frame(int fd, uint8_t flags, uint64_t announced, int mib) {
    say_frame_within(1000, fd, flags, announced, mib);
}

enum { MORE = 1, LONG = 2, COMMAND = 4 };

static void endless_message(const char *address) {
    const int fd = shake_hands(address);
    for (int i = 0; i < FLOOD; i++) say_frame(fd, LONG | MORE, MIB, 1);
    (void)close(fd);
}

/* A sender refuses frames of more than 64 KiB. */
static bool say_small_frames(int fd, int mib) {
    enum { BYTES = 1 << 15 };
    static const char block[BYTES];
    const uint8_t head[9] = {LONG | MORE, 0, 0, 0, 0, 0, 0, BYTES >> 8, 0};
    bool on = fd >= 0;
    for (int i = 0; i < mib * (MIB / BYTES) && on; i++)
        on = say(fd, head, sizeof head) && say(fd, block, sizeof block);
    return on;
}

static void endless_small_frames(const char *address) {
    const int fd = shake_hands(address);
    const bool all = say_small_frames(fd, FLOOD);
    (void)close(fd);
    assert_false(all);
}

static void half_messages_of_small_frames(const char *address) {
    enum { EACH = 4 };
    int fd[FLOOD / EACH];
    for (int i = 0; i < FLOOD / EACH; i++) {
        fd[i] = shake_hands(address);
        (void)say_small_frames(fd[i], EACH);
    }
    for (int i = 0; i < FLOOD / EACH; i++)
        if (fd[i] >= 0) (void)close(fd[i]);
}

/* A frame without bytes takes two on the way, and 64 in memory. */
static void empty_frames(const char *address) {
    enum { MIBS = 16 };
    static uint8_t block[MIB];
    const int fd = shake_hands(address);
    bool on = fd >= 0;
    for (size_t i = 0; i < sizeof block; i += 2) block[i] = MORE;
    for (int i = 0; i < MIBS && on; i++) on = say(fd, block, sizeof block);
    (void)close(fd);
}

/* ZeroMQ puts the identity, which came once, before each message. The listener closes only when it has been told more than it takes, so whoever
 * waits for that lets it come to reading. */
static void bought_credit(const char *address) {
    enum { NAME = 255, MESSAGES = 40000 };
    static const char ready[] = "\x05READY\x0bSocket-Type\0\0\0\x06"
                                "DEALER\x08Identity\0\0\0\xff";
    static char name[NAME], messages[MESSAGES * 3];
    const uint8_t head[9] = {LONG | COMMAND, 0, 0, 0, 0, 0, 0, 1, sizeof ready - 1 + NAME - 256};
    const int fd = greet(address, "NULL");
    memset(name, 'n', sizeof name);
    for (int i = 0; i < MESSAGES; i++) messages[i * 3 + 1] = 1;
    bool on = say(fd, head, sizeof head) && say(fd, ready, sizeof ready - 1) &&
              say(fd, name, sizeof name) && say_within(PATIENCE_MS, fd, messages, sizeof messages);
    assert_true(on);
    say_frame_within(PATIENCE_MS, fd, LONG, 64 * MIB, 6);
    char answer[1 << 12];
    ssize_t n = 1;
    for (struct pollfd end = {.fd = fd, .events = POLLIN}; on && n > 0;) {
        on = poll(&end, 1, PATIENCE_MS) == 1;
        if (on) n = recv(fd, answer, sizeof answer, 0);
    }
    (void)close(fd);
    assert_true(on);
}

static void huge_command(const char *address) {
    const int fd = greet(address, token != NULL ? "CURVE" : "NULL");
    say_frame(fd, LONG | COMMAND, UINT64_C(1) << 31, FLOOD);
    (void)close(fd);
}

static void half_messages(const char *address) {
    enum { EACH = 4 };
    int fd[FLOOD / EACH];
    for (int i = 0; i < FLOOD / EACH; i++) {
        fd[i] = shake_hands(address);
        say_frame(fd[i], LONG, 64 * MIB, EACH);
    }
    for (int i = 0; i < FLOOD / EACH; i++) (void)close(fd[i]);
}

/* Each connection leaves whole messages behind, which wait until they are read. */
static void left_messages(const char *address) {
    enum { ROUNDS = 64, MESSAGES = 250, BYTES = 1 << 14 };
    static const char message[BYTES];
    const uint8_t head[9] = {LONG, 0, 0, 0, 0, 0, 0, BYTES >> 8, 0};
    for (int i = 0; i < ROUNDS; i++) {
        const int fd = shake_hands(address);
        if (fd < 0) return; /* nobody is let in any more */
        bool on = true;
        for (int j = 0; j < MESSAGES && on; j++)
            on = say(fd, head, sizeof head) && say(fd, message, sizeof message);
        (void)close(fd);
    }
}

static void silent_crowd(const char *address) {
    int fd[CROWD], closed = 0;
    for (int i = 0; i < CROWD; i++) fd[i] = shake_hands(address);
    for (int tries = 0; tries < PATIENCE_MS / 5 && closed < CROWD / 2; tries++) {
        nap(5);
        closed = 0;
        for (int i = 0; i < CROWD; i++) {
            struct pollfd end = {.fd = fd[i], .events = 0};
            closed += poll(&end, 1, 0) == 1;
        }
    }
    for (int i = 0; i < CROWD; i++) (void)close(fd[i]);
    assert_true(closed >= CROWD / 2);
}

/* ---- trials ---- */

static void endure(victim v, void (*attack)(const char *address), int64_t most) {
    const char *address = free_address();
    atomic_store(&shared->leave, false);
    const pid_t listener = start(v, address, true);
    await_listener(address);
    attack(address);
    const victim other = v == SENDER ? RECEIVER : v == HOME ? WORKER : SENDER;
    (void)await_exit(start(other, address, false));
    atomic_store(&shared->leave, true);
    const int64_t had = await_exit(listener);
    if (had > most) fail_msg("it had %lld MiB", (long long)had);
}

/* Its consumer takes nothing while it lasts. */
static void endure_slowly(void (*attack)(const char *address), int64_t most) {
    const char *address = free_address();
    atomic_store(&shared->leave, false);
    atomic_store(&shared->busy, false);
    const pid_t listener = start(SLOW_RECEIVER, address, true);
    const pid_t sender = start(SENDER, address, false);
    await_listener(address);
    while (!atomic_load(&shared->busy)) nap(5);
    attack(address);
    atomic_store(&shared->leave, true);
    (void)await_exit(sender);
    const int64_t had = await_exit(listener);
    if (had > most) fail_msg("it had %lld MiB", (long long)had);
}

static void a_busy_receiver_endures(void **state) {
    (void)state;
    token = NULL;
    endure_slowly(left_messages, CALM);
}

static void a_receiver_endures(void **state) {
    (void)state;
    token = NULL;
    endure(RECEIVER, endless_message, CALM);
    endure(RECEIVER, half_messages, CALM);
    endure(RECEIVER, bought_credit, CALM);
    endure(RECEIVER, huge_command, CALM);
    endure(RECEIVER, silent_crowd, CALM);
    endure(RECEIVER, empty_frames, 3 * CALM);
}

static void a_receiver_with_a_token_endures(void **state) {
    (void)state;
    token = "a secret of this test";
    endure(RECEIVER, huge_command, CALM);
}

static void a_sender_endures(void **state) {
    (void)state;
    token = NULL;
    endure(SENDER, endless_small_frames, CALM);
    endure(SENDER, half_messages_of_small_frames, CALM);
}

static void a_home_endures(void **state) {
    (void)state;
    token = NULL;
    endure(HOME, endless_message, CALM);
    endure(HOME, half_messages, CALM);
}

int main(void) {
    enum { SKIPPED = 77 };
    const char *sanitize = getenv("WADI_SANITIZE");
    if (sanitize != NULL && *sanitize != '\0' && strcmp(sanitize, "OFF") != 0) {
        print_message("skipped: a sanitizer takes memory of its own\n");
        return SKIPPED;
    }
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_receiver_endures),
        cmocka_unit_test(a_busy_receiver_endures),
        cmocka_unit_test(a_receiver_with_a_token_endures),
        cmocka_unit_test(a_sender_endures),
        cmocka_unit_test(a_home_endures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
