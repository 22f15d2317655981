/* One stream over two processes: one sources, the other receives and collects. */
#include <setjmp.h>
#include <signal.h>
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

#include "sched/wire.h"
#include "tests/connectors/pass_plan.h"

enum { ELEMENTS = 500 };

typedef struct teller {
    int64_t n, fail_at, die_at;
} teller;

/* Element i is i64[i % 11] with values i * i + k. */
static wadi_status tell(void *env, int64_t index, wadi_yield *yield, wadi_error *err) {
    const teller *t = env;
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
static pid_t start_sender(const char *address, const wadi_link_options *options, teller t) {
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

static int exit_status(pid_t pid) {
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
static wadi_status receive(const char *address, const wadi_link_options *options, int64_t chunk,
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
static const char *ipc_address(const char *name) {
    static char address[128];
    (void)snprintf(address, sizeof address, "ipc:///tmp/wadi-%s-%ld", name, (long)getpid());
    (void)unlink(address + strlen("ipc://"));
    return address;
}

static const char *tcp_address(void) {
    static char address[64];
    void *context = zmq_ctx_new(), *socket = zmq_socket(context, ZMQ_PAIR);
    size_t n = sizeof address;
    assert_int_equal(zmq_bind(socket, "tcp://127.0.0.1:*"), 0); /* a port that is free now */
    assert_int_equal(zmq_getsockopt(socket, ZMQ_LAST_ENDPOINT, address, &n), 0);
    (void)zmq_close(socket);
    (void)zmq_ctx_term(context);
    return address;
}

static void streams_cross_processes(const char *address, const wadi_link_options *from,
                                    const wadi_link_options *to) {
    for (int64_t chunk = 0; chunk < 30; chunk += 29) {
        wadi_error err = {0};
        int64_t count = 0;
        const pid_t pid = start_sender(address, from, (teller){ELEMENTS, -1, -1});
        assert_int_equal(receive(address, to, chunk, &count, &err), WADI_OK);
        assert_int_equal(count, ELEMENTS);
        assert_int_equal(exit_status(pid), WADI_OK);
    }
}

static void streams_cross_processes_over_ipc(void **state) {
    (void)state;
    const wadi_link_options binds = {.bind = true}, connects = {0};
    streams_cross_processes(ipc_address("a"), &binds, &connects);
    streams_cross_processes(ipc_address("b"), &connects, &binds);
}

static void streams_cross_processes_over_tcp(void **state) {
    (void)state;
    const wadi_link_options binds = {.bind = true}, connects = {0};
    streams_cross_processes(tcp_address(), &connects, &binds);
}

static void small_credits_only_slow_it_down(void **state) {
    (void)state;
    const wadi_link_options binds = {.bind = true, .credit_bytes = 64, .credit_chunks = 1};
    const wadi_link_options connects = {0};
    streams_cross_processes(ipc_address("c"), &connects, &binds);
}

static void an_empty_stream_crosses_too(void **state) {
    (void)state;
    const char *address = ipc_address("d");
    const wadi_link_options binds = {.bind = true}, connects = {0};
    wadi_error err = {0};
    int64_t count = -1;
    const pid_t pid = start_sender(address, &connects, (teller){0, -1, -1});
    assert_int_equal(receive(address, &binds, 5, &count, &err), WADI_OK);
    assert_int_equal(count, 0);
    assert_int_equal(exit_status(pid), WADI_OK);
}

static void a_failure_of_the_sender_arrives_with_its_words(void **state) {
    (void)state;
    const char *address = ipc_address("e");
    const wadi_link_options binds = {.bind = true}, connects = {0};
    wadi_error err = {0};
    int64_t count = 0;
    const pid_t pid = start_sender(address, &connects, (teller){ELEMENTS, 321, -1});
    assert_int_equal(receive(address, &binds, 5, &count, &err), WADI_IO);
    assert_string_equal(err.msg, "the well is dry");
    assert_int_equal(count, 321);
    assert_int_equal(exit_status(pid), WADI_IO);
}

static void a_lost_sender_is_an_error_not_a_hang(void **state) {
    (void)state;
    const char *address = ipc_address("f");
    const wadi_link_options binds = {.bind = true}, connects = {0};
    wadi_error err = {0};
    int64_t count = 0;
    const pid_t pid = start_sender(address, &connects, (teller){ELEMENTS, -1, 250});
    assert_int_equal(receive(address, &binds, 5, &count, &err), WADI_IO);
    assert_non_null(strstr(err.msg, "the connection to the sender was lost"));
    assert_int_equal(exit_status(pid), 3);
}

static void a_note_arrives_in_front(void **state) {
    (void)state;
    static const char *const notes[] = {"a title", "", NULL};
    for (int i = 0; i < 3; i++) {
        const char *address = ipc_address("h");
        const wadi_link_options binds = {.bind = true};
        const wadi_link_options tells = {
            .note = notes[i], .note_bytes = notes[i] != NULL ? (int64_t)strlen(notes[i]) : 77};
        const pid_t pid = start_sender(address, &tells, (teller){ELEMENTS, -1, -1});
        wadi_source *in = NULL;
        wadi_sink *out = NULL;
        const void *note = "left as it was";
        int64_t n = -1;
        assert_int_equal(wadi_source_link(address, &binds, &in, NULL), WADI_OK);
        assert_int_equal(wadi_sink_memory(&out, NULL), WADI_OK);
        assert_int_equal(wadi_source_note(in, &note, &n, NULL), WADI_OK);
        assert_int_equal(note == NULL, notes[i] == NULL);
        assert_int_equal(n, notes[i] != NULL ? tells.note_bytes : 0);
        if (n > 0) assert_memory_equal(note, notes[i], (size_t)n);
        assert_int_equal(pass_through(in, out, WADI_I64, 1, 0, NULL), WADI_OK);
        assert_int_equal(wadi_sink_memory_count(out), ELEMENTS);
        wadi_source_destroy(in);
        wadi_sink_destroy(out);
        assert_int_equal(exit_status(pid), WADI_OK);
    }
}

static void notes_have_bounds(void **state) {
    (void)state;
    const wadi_link_options tells = {.note = "x", .note_bytes = WADI_NOTE_BYTES + 1};
    wadi_sink *out = NULL;
    wadi_error err = {0};
    assert_int_equal(wadi_sink_link(ipc_address("i"), &tells, &out, &err), WADI_INVALID);
    assert_non_null(strstr(err.msg, "at most 4194304"));
    const wadi_part part = wadi_part_irregular(WADI_I64, 1);
    wadi_source *in = NULL;
    const void *note = NULL;
    int64_t n = 0;
    assert_int_equal(wadi_source_callback(1, &part, tell, NULL, &in, NULL), WADI_OK);
    assert_int_equal(wadi_source_note(in, &note, &n, NULL), WADI_INVALID);
    wadi_source_destroy(in);
}

/* A peer that speaks for itself, frame by frame. */
static void speak(const char *address, int n, const wadi_wire_frame *frame) {
    static const uint8_t hello[32] = {'W', 'L', 'N', 'K', 1, 16};
    const int linger = 5000;
    void *context = zmq_ctx_new(), *socket = zmq_socket(context, ZMQ_DEALER);
    assert_int_equal(zmq_setsockopt(socket, ZMQ_LINGER, &linger, sizeof linger), 0);
    assert_int_equal(zmq_connect(socket, address), 0);
    assert_int_equal(zmq_send(socket, hello, sizeof hello, 0), sizeof hello);
    for (int i = 0; i < n; i++)
        assert_int_equal(
            zmq_send(socket, frame[i].data, (size_t)frame[i].bytes, i + 1 < n ? ZMQ_SNDMORE : 0),
            (int)frame[i].bytes);
    (void)zmq_close(socket);
    (void)zmq_ctx_term(context);
}

/* What a receiver says to a peer that speaks like this. */
static void is_told(int n, const wadi_wire_frame *frame, wadi_status status, const char *words) {
    const char *address = ipc_address("j");
    const wadi_link_options binds = {.bind = true};
    (void)fflush(NULL);
    const pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        speak(address, n, frame);
        _exit(0);
    }
    wadi_source *in = NULL;
    wadi_error err = {0};
    assert_int_equal(wadi_source_link(address, &binds, &in, &err), status);
    if (strstr(err.msg, words) == NULL) fail_msg("no \"%s\" in: %s", words, err.msg);
    assert_int_equal(exit_status(pid), 0);
}

static void peers_without_sense_are_told_so(void **state) {
    (void)state;
    static const uint8_t note[32] = {'W', 'L', 'N', 'K', 1, 6};
    static const uint8_t newer[32] = {'W', 'L', 'N', 'K', 2, 6};
    static const uint8_t ready[32] = {'W', 'L', 'N', 'K', 1, 1};
    static const uint8_t chunk[32] = {'W', 'L', 'N', 'K', 1, 2};
    static const uint8_t other[32] = {'W', 'L', 'N', 'K', 1, 99};
    static const uint8_t before[32] = {'W', 'L', 'N', 'K', 1, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80};
    uint8_t *large = calloc(1, WADI_NOTE_BYTES + 1);
    assert_non_null(large);
    is_told(2, (wadi_wire_frame[]){{note, 32}, {"x", 1}}, WADI_IO, "length or checksum");
    is_told(1, (wadi_wire_frame[]){{note, 32}}, WADI_IO, "one frame");
    is_told(3, (wadi_wire_frame[]){{note, 32}, {"x", 1}, {"y", 1}}, WADI_IO, "one frame");
    is_told(2, (wadi_wire_frame[]){{note, 32}, {large, WADI_NOTE_BYTES + 1}}, WADI_IO, "at most");
    is_told(2, (wadi_wire_frame[]){{newer, 32}, {"x", 1}}, WADI_UNSUPPORTED, "version 2");
    is_told(1, (wadi_wire_frame[]){{ready, 32}}, WADI_IO, "makes no sense here");
    is_told(1, (wadi_wire_frame[]){{other, 32}}, WADI_IO, "makes no sense here");
    is_told(1, (wadi_wire_frame[]){{before, 32}}, WADI_IO, "negative");
    is_told(1, (wadi_wire_frame[]){{note, 31}}, WADI_IO, "not of this protocol");
    is_told(1, (wadi_wire_frame[]){{"", 0}}, WADI_IO, "not of this protocol");
    is_told(1, (wadi_wire_frame[]){{chunk, 32}}, WADI_IO, "without frames");
    is_told(2, (wadi_wire_frame[]){{chunk, 32}, {"WADX", 4}}, WADI_IO, "WADI");
    free(large);
}

static void nobody_at_the_other_end_is_an_error(void **state) {
    (void)state;
    const wadi_link_options connects = {.lost_after_ms = 100};
    wadi_error err = {0};
    int64_t count = 0;
    assert_int_equal(receive(ipc_address("g"), &connects, 5, &count, &err), WADI_IO);
    assert_non_null(strstr(err.msg, "no sender for"));
}

static void binding_to_the_world_needs_keys(void **state) {
    (void)state;
    static const char *const open[] = {"tcp://*:5555", "tcp://0.0.0.0:5555",
                                       "tcp://192.168.1.2:5555", "tcp://eth0:5555",
                                       "tcp://127.evil.org:5555"};
    const wadi_link_options binds = {.bind = true};
    for (int i = 0; i < 5; i++) {
        wadi_source *in = NULL;
        wadi_error err = {0};
        assert_int_equal(wadi_source_link(open[i], &binds, &in, &err), WADI_INVALID);
        assert_non_null(strstr(err.msg, "needs keys"));
    }
}

typedef struct keys {
    char public_key[41], secret_key[41];
} keys;

static void make_keys(keys *k) {
    assert_int_equal(zmq_curve_keypair(k->public_key, k->secret_key), 0);
}

static void keys_admit_those_who_are_listed(void **state) {
    (void)state;
    if (!zmq_has("curve")) skip();
    keys server, friend, stranger;
    make_keys(&server);
    make_keys(&friend);
    make_keys(&stranger);
    const char *const clients[] = {friend.public_key, NULL};
    const wadi_link_options binds = {.bind = true,
                                     .lost_after_ms = 5000,
                                     .curve_public = server.public_key,
                                     .curve_secret = server.secret_key,
                                     .curve_clients = clients};
    wadi_link_options connects = {.curve_public = friend.public_key,
                                  .curve_secret = friend.secret_key,
                                  .curve_server = server.public_key};
    streams_cross_processes(tcp_address(), &connects, &binds);

    connects.curve_public = stranger.public_key;
    connects.curve_secret = stranger.secret_key;
    connects.lost_after_ms = 300;
    wadi_link_options impatient = binds;
    impatient.lost_after_ms = 600;
    wadi_error err = {0};
    int64_t count = 0;
    const char *address = tcp_address();
    const pid_t pid = start_sender(address, &connects, (teller){ELEMENTS, -1, -1});
    assert_int_equal(receive(address, &impatient, 5, &count, &err), WADI_IO);
    assert_int_equal(count, 0);
    assert_int_not_equal(exit_status(pid), WADI_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(streams_cross_processes_over_ipc),
        cmocka_unit_test(streams_cross_processes_over_tcp),
        cmocka_unit_test(small_credits_only_slow_it_down),
        cmocka_unit_test(an_empty_stream_crosses_too),
        cmocka_unit_test(a_failure_of_the_sender_arrives_with_its_words),
        cmocka_unit_test(a_lost_sender_is_an_error_not_a_hang),
        cmocka_unit_test(a_note_arrives_in_front),
        cmocka_unit_test(notes_have_bounds),
        cmocka_unit_test(peers_without_sense_are_told_so),
        cmocka_unit_test(nobody_at_the_other_end_is_an_error),
        cmocka_unit_test(binding_to_the_world_needs_keys),
        cmocka_unit_test(keys_admit_those_who_are_listed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
