/* One stream over two processes: one sources, the other receives and collects. */
#include <netinet/in.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zmq.h>

#include <cmocka.h>

#include "sched/stream.h"
#include "tests/connectors/link_ends.h"
#include "tests/connectors/pass_plan.h"
#include "tests/open_files.h"

static void streams_cross_processes(const char *address, const wadi_link_options *from,
                                    const wadi_link_options *to) {
    for (int64_t chunk = 0; chunk < 30; chunk += 29) {
        wadi_error err = {0};
        int64_t count = 0;
        const pid_t pid = link_start_sender(address, from, (link_teller){LINK_ELEMENTS, -1, -1});
        assert_int_equal(link_receive(address, to, chunk, &count, &err), WADI_OK);
        assert_int_equal(count, LINK_ELEMENTS);
        assert_int_equal(link_exit_status(pid), WADI_OK);
    }
}

static void streams_cross_processes_over_ipc(void **state) {
    (void)state;
    const wadi_link_options binds = {.bind = true}, connects = {0};
    streams_cross_processes(link_ipc_address("a"), &binds, &connects);
    streams_cross_processes(link_ipc_address("b"), &connects, &binds);
}

static void streams_cross_processes_over_tcp(void **state) {
    (void)state;
    const wadi_link_options binds = {.bind = true}, connects = {0};
    streams_cross_processes(link_tcp_address(), &connects, &binds);
}

/* The port of a loopback address, at another host. */
static const char *with_host(const char *host) {
    static char address[64];
    (void)snprintf(address, sizeof address, "tcp://%s:%s", host,
                   strrchr(link_tcp_address(), ':') + 1);
    return address;
}

static bool has_ipv6(void) {
    const struct sockaddr_in6 at = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    const int fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const bool binds = fd >= 0 && bind(fd, (const struct sockaddr *)&at, sizeof at) == 0;
    if (fd >= 0) (void)close(fd);
    return binds;
}

/* libzmq by itself binds neither. */
static void loopback_has_other_names(void **state) {
    (void)state;
    const wadi_link_options binds = {.bind = true}, connects = {0};
    streams_cross_processes(with_host("localhost"), &connects, &binds);
    if (has_ipv6()) streams_cross_processes(with_host("[::1]"), &connects, &binds);
}

static void what_is_of_another_machine_cannot_be_bound(void **state) {
    (void)state;
    wadi_error err = {0};
    wadi_source *in = NULL;
    const char *const clients[] = {NULL};
    char public[41], secret[41];
    assert_int_equal(zmq_curve_keypair(public, secret), 0);
    const wadi_link_options binds = {
        .bind = true, .curve_public = public, .curve_secret = secret, .curve_clients = clients};
    assert_int_equal(wadi_source_link("tcp://elsewhere.invalid:7700", &binds, &in, &err), WADI_IO);
    assert_string_equal(err.msg, "tcp://elsewhere.invalid:7700: bind: this machine has no such "
                                 "address, and no interface of that name");
}

static void small_credits_only_slow_it_down(void **state) {
    (void)state;
    const wadi_link_options binds = {.bind = true, .credit_bytes = 64, .credit_chunks = 1};
    const wadi_link_options connects = {0};
    streams_cross_processes(link_ipc_address("c"), &connects, &binds);
}

static void an_empty_stream_crosses_too(void **state) {
    (void)state;
    const char *address = link_ipc_address("d");
    const wadi_link_options binds = {.bind = true}, connects = {0};
    wadi_error err = {0};
    int64_t count = -1;
    const pid_t pid = link_start_sender(address, &connects, (link_teller){0, -1, -1});
    assert_int_equal(link_receive(address, &binds, 5, &count, &err), WADI_OK);
    assert_int_equal(count, 0);
    assert_int_equal(link_exit_status(pid), WADI_OK);
}

/* What the receiver has taken is lost with the receiver. */
static void a_link_has_nothing_for_good(void **state) {
    (void)state;
    const wadi_link_options binds = {.bind = true};
    wadi_sink *sink = NULL;
    wadi_error err = {0};
    wadi_position at;
    assert_int_equal(wadi_sink_link(link_ipc_address("g"), &binds, &sink, &err), WADI_OK);
    assert_int_equal(wadi_sink_have(sink, &at, &err), WADI_UNSUPPORTED);
    assert_string_equal(err.msg, "a link sink cannot say what it has");
    wadi_sink_destroy(sink);
}

static void a_failure_of_the_sender_arrives_with_its_words(void **state) {
    (void)state;
    const char *address = link_ipc_address("e");
    const wadi_link_options binds = {.bind = true}, connects = {0};
    wadi_error err = {0};
    int64_t count = 0;
    const pid_t pid = link_start_sender(address, &connects, (link_teller){LINK_ELEMENTS, 321, -1});
    assert_int_equal(link_receive(address, &binds, 5, &count, &err), WADI_IO);
    assert_string_equal(err.msg, "the well is dry");
    assert_int_equal(count, 321);
    assert_int_equal(link_exit_status(pid), WADI_IO);
}

static void a_lost_sender_is_an_error_not_a_hang(void **state) {
    (void)state;
    const char *address = link_ipc_address("f");
    const wadi_link_options binds = {.bind = true}, connects = {0};
    wadi_error err = {0};
    int64_t count = 0;
    const pid_t pid = link_start_sender(address, &connects, (link_teller){LINK_ELEMENTS, -1, 250});
    assert_int_equal(link_receive(address, &binds, 5, &count, &err), WADI_IO);
    assert_non_null(strstr(err.msg, "the connection to the sender was lost"));
    assert_int_equal(link_exit_status(pid), 3);
}

static void a_note_arrives_in_front(void **state) {
    (void)state;
    static const char *const notes[] = {"a title", "", NULL};
    for (int i = 0; i < 3; i++) {
        const char *address = link_ipc_address("h");
        const wadi_link_options binds = {.bind = true};
        const wadi_link_options tells = {
            .note = notes[i], .note_bytes = notes[i] != NULL ? (int64_t)strlen(notes[i]) : 77};
        const pid_t pid = link_start_sender(address, &tells, (link_teller){LINK_ELEMENTS, -1, -1});
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
        assert_int_equal(wadi_sink_memory_count(out), LINK_ELEMENTS);
        wadi_source_destroy(in);
        wadi_sink_destroy(out);
        assert_int_equal(link_exit_status(pid), WADI_OK);
    }
}

static void notes_and_credits_have_bounds(void **state) {
    (void)state;
    const wadi_link_options tells = {.note = "x", .note_bytes = WADI_NOTE_BYTES + 1};
    wadi_sink *out = NULL;
    wadi_error err = {0};
    assert_int_equal(wadi_sink_link(link_ipc_address("i"), &tells, &out, &err), WADI_INVALID);
    assert_non_null(strstr(err.msg, "at most 4194304"));
    const wadi_link_options much = {.credit_bytes = INT64_MAX};
    assert_int_equal(wadi_sink_link(link_ipc_address("i"), &much, &out, &err), WADI_INVALID);
    assert_non_null(strstr(err.msg, "at most 281474976710656"));
    wadi_source *in = NULL;
    const void *note = NULL;
    int64_t n = 0;
    const wadi_array array = {.rank = 1,
                              .shape = {1},
                              .fields = 1,
                              .type = {WADI_I64},
                              .column = {(void *)(uintptr_t)&n}};
    assert_int_equal(wadi_source_memory(&array, &in, NULL), WADI_OK);
    assert_int_equal(wadi_source_note(in, &note, &n, NULL), WADI_INVALID);
    wadi_source_destroy(in);
}

/* What a receiver answers to a peer that says this; NULL: nothing that a peer could wait for. It goes on listening. */
static void is_answered(const char *address, int n, const wadi_wire_frame *frame,
                        const char *words) {
    char text[512];
    link_peer p = link_connect_peer(address);
    link_say(&p, 1, (wadi_wire_frame[]){{link_hello, sizeof link_hello}});
    (void)link_hear(&p, 1, text, sizeof text); /* READY */
    link_say(&p, n, frame);
    const uint8_t *first = frame[0].data;
    const bool newer = frame[0].bytes > 4 && first[4] == 2;
    assert_int_equal(link_hear(&p, 4, text, sizeof text), newer ? 2 : 1); /* what the peer speaks */
    if (strstr(text, words) == NULL) fail_msg("no \"%s\" in: %s", words, text);
    link_leave(&p);
}

static void peers_without_sense_are_told_so_and_harm_nobody(void **state) {
    (void)state;
    static const uint8_t note[32] = {'W', 'L', 'N', 'K', 1, 6};
    static const uint8_t newer[32] = {'W', 'L', 'N', 'K', 9, 6};
    static const uint8_t ready[32] = {'W', 'L', 'N', 'K', 1, 1};
    static const uint8_t chunk[32] = {'W', 'L', 'N', 'K', 1, 2};
    static const uint8_t end[32] = {'W', 'L', 'N', 'K', 1, 5};
    static const uint8_t named_end[32] = {'W', 'L', 'N', 'K', 2, 5, [16] = 7};
    static const uint8_t other[32] = {'W', 'L', 'N', 'K', 1, 99};
    static const uint8_t before[32] = {'W', 'L', 'N', 'K', 1, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80};
    const wadi_link_options binds = {.bind = true}, connects = {0};
    const char *address = link_ipc_address("j");
    const pid_t receiver = link_start_receiver(address, &binds);
    uint8_t *large = calloc(1, WADI_NOTE_BYTES + 1);
    assert_non_null(large);
    is_answered(address, 2, (wadi_wire_frame[]){{note, 32}, {"x", 1}}, "length or checksum");
    is_answered(address, 1, (wadi_wire_frame[]){{note, 32}}, "one frame");
    is_answered(address, 3, (wadi_wire_frame[]){{note, 32}, {"x", 1}, {"y", 1}}, "one frame");
    is_answered(address, 2, (wadi_wire_frame[]){{note, 32}, {large, WADI_NOTE_BYTES + 1}},
                "at most");
    is_answered(address, 2, (wadi_wire_frame[]){{newer, 32}, {"x", 1}}, "version 9");
    is_answered(address, 1, (wadi_wire_frame[]){{ready, 32}}, "makes no sense here");
    is_answered(address, 1, (wadi_wire_frame[]){{other, 32}}, "makes no sense here");
    is_answered(address, 1, (wadi_wire_frame[]){{before, 32}}, "negative");
    is_answered(address, 1, (wadi_wire_frame[]){{note, 31}}, "not of this protocol");
    is_answered(address, 1, (wadi_wire_frame[]){{"", 0}}, "not of this protocol");
    is_answered(address, 1, (wadi_wire_frame[]){{chunk, 32}}, "without frames");
    is_answered(address, 2, (wadi_wire_frame[]){{chunk, 32}, {"WADX", 4}}, "WADI");
    is_answered(address, 1, (wadi_wire_frame[]){{end, 32}}, "has not begun");
    is_answered(address, 1, (wadi_wire_frame[]){{named_end, 32}}, "has not begun");
    free(large);
    const pid_t sender =
        link_start_sender(address, &connects, (link_teller){LINK_ELEMENTS, -1, -1});
    assert_int_equal(link_exit_status(sender), WADI_OK);
    assert_int_equal(link_exit_status(receiver), 0);
}

static void nobody_at_the_other_end_is_an_error(void **state) {
    (void)state;
    const wadi_link_options connects = {.lost_after_ms = 100};
    wadi_error err = {0};
    int64_t count = 0;
    assert_int_equal(link_receive(link_ipc_address("g"), &connects, 5, &count, &err), WADI_IO);
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
                                     .lost_after_ms = 120000,
                                     .curve_public = server.public_key,
                                     .curve_secret = server.secret_key,
                                     .curve_clients = clients};
    wadi_link_options connects = {.curve_public = friend.public_key,
                                  .curve_secret = friend.secret_key,
                                  .curve_server = server.public_key};
    streams_cross_processes(link_tcp_address(), &connects, &binds);

    connects.curve_public = stranger.public_key;
    connects.curve_secret = stranger.secret_key;
    connects.lost_after_ms = 300;
    wadi_link_options impatient = binds;
    impatient.lost_after_ms = 600;
    wadi_error err = {0};
    int64_t count = 0;
    const char *address = link_tcp_address();
    const pid_t pid = link_start_sender(address, &connects, (link_teller){LINK_ELEMENTS, -1, -1});
    assert_int_equal(link_receive(address, &impatient, 5, &count, &err), WADI_IO);
    assert_int_equal(count, 0);
    assert_int_not_equal(link_exit_status(pid), WADI_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_files_are_counted),
        cmocka_unit_test(streams_cross_processes_over_ipc),
        cmocka_unit_test(streams_cross_processes_over_tcp),
        cmocka_unit_test(loopback_has_other_names),
        cmocka_unit_test(what_is_of_another_machine_cannot_be_bound),
        cmocka_unit_test(small_credits_only_slow_it_down),
        cmocka_unit_test(an_empty_stream_crosses_too),
        cmocka_unit_test(a_link_has_nothing_for_good),
        cmocka_unit_test(a_failure_of_the_sender_arrives_with_its_words),
        cmocka_unit_test(a_lost_sender_is_an_error_not_a_hang),
        cmocka_unit_test(a_note_arrives_in_front),
        cmocka_unit_test(notes_and_credits_have_bounds),
        cmocka_unit_test(peers_without_sense_are_told_so_and_harm_nobody),
        cmocka_unit_test(nobody_at_the_other_end_is_an_error),
        cmocka_unit_test(binding_to_the_world_needs_keys),
        cmocka_unit_test(keys_admit_those_who_are_listed),
        cmocka_unit_test(no_file_is_left_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
