/* A port that sends, against docs/WIRE.md, message by message, whichever side binds: its answer to each peer, which peers it trusts,
 * and what ends the stream. */
#include <netinet/in.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>
#include <zmq.h>

#include "base/clock.h"
#include "base/hash.h"
#include "tests/sched/port_talk.h"

enum { HELLO = WADI_CONTROL_HELLO, MUCH = 1 << 20 };

static const wadi_port_options binds = {.bind = true, .sends = true};
static const wadi_port_options noted = {
    .bind = true, .sends = true, .note = "abc", .note_bytes = 3};

static word hello(int version) {
    return (word){version, HELLO, .number = WADI_CONTROL_VERSION};
}

static word note(int version, const char *text) {
    const char *bytes = text != NULL ? text : "";
    return (word){version,
                  WADI_LINK_NOTE,
                  text == NULL,
                  TALK_STREAM,
                  wadi_crc32c(0, bytes, strlen(bytes)),
                  (int64_t)strlen(bytes),
                  bytes};
}

static word chunk(int64_t number, int64_t sequence) {
    return (word){2, WADI_LINK_CHUNK, 0, number, sequence, TALK_CHUNK_BYTES, NULL};
}

static word grants(int64_t chunks, int64_t bytes) {
    return (word){2, WADI_LINK_READY, .number = chunks, .bytes = bytes};
}

static void done(const peer *p, int64_t number) {
    talk_say(p, (word){2, WADI_LINK_DONE, .number = number, .sequence = number + 3, .bytes = MUCH});
}

static void sends(talk *t, int64_t number) {
    wadi_error err = {.status = WADI_OK};
    if (wadi_port_send(t->port, talk_chunk(t, number), &err) != WADI_OK) fail_msg("%s", err.msg);
}

static void breaks(talk *t, int64_t number, wadi_status status, const char *words) {
    wadi_error err = {.status = WADI_OK};
    assert_int_equal(wadi_port_send(t->port, talk_chunk(t, number), &err), status);
    assert_string_equal(err.msg, words);
}

/* A peer that is the partner, as soon as there is no other: it has said what it grants and heard the note. */
static peer partner(talk *t, const char *text) {
    peer p = talk_peer(t, false);
    talk_greet_until(t, &p, "the sender has another receiver", NULL);
    talk_say(&p, grants(2, MUCH));
    talk_hears(t, &p, note(2, text));
    return p;
}

static void settles(talk *t, int64_t count) {
    wadi_error err = {.status = WADI_OK};
    if (wadi_port_settle(t->port, count, &err) != WADI_OK) fail_msg("%s", err.msg);
}

static void a_stream_goes_from_its_note_to_its_end(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        talk t;
        talk_open(&t, i == 0 ? binds : noted);
        peer p = partner(&t, i == 0 ? NULL : "abc");
        assert_int_equal(wadi_port_introduce(t.port, NULL), WADI_OK);
        sends(&t, 0);
        sends(&t, 1);
        talk_hears(&t, &p, chunk(0, 0));
        talk_hears(&t, &p, chunk(1, 1));
        done(&p, 0);
        sends(&t, 2);
        talk_hears(&t, &p, chunk(2, 2));
        done(&p, 2); /* in any order */
        done(&p, 1);
        settles(&t, 3);
        assert_int_equal(wadi_port_end(t.port, 3, NULL), WADI_OK);
        talk_hears(&t, &p, (word){2, WADI_LINK_END, .number = 3, .sequence = TALK_STREAM});
        peer late = talk_peer(&t, false);
        talk_greet(&late, 2);
        talk_hears(&t, &late,
                   (word){1, WADI_LINK_FAIL, WADI_IO, 0, TALK_STREAM, 0,
                          "the sender has another receiver"});
        talk_leave(&p); /* that is no loss any more */
        talk_leave(&late);
        talk_close(&t);
    }
}

/* The side that connects speaks first, and names its stream before it is asked. */
static void a_sender_that_connects_introduces_itself(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        const char *text = i == 0 ? NULL : "abc";
        talk t;
        talk_open(&t, (wadi_port_options){.sends = true, .note = text, .note_bytes = i * 3});
        peer p = talk_peer(&t, true);
        talk_hears(&t, &p, hello(1));
        talk_hears(&t, &p, note(1, text));
        talk_greet(&p, 2);
        talk_say(&p, grants(2, MUCH));
        talk_hears(&t, &p, note(2, text));
        sends(&t, 0);
        talk_hears(&t, &p, chunk(0, 0));
        done(&p, 0);
        settles(&t, 1);
        assert_int_equal(wadi_port_end(t.port, 1, NULL), WADI_OK);
        talk_hears(&t, &p, (word){2, WADI_LINK_END, .number = 1, .sequence = TALK_STREAM});
        talk_leave(&p);
        talk_close(&t);
    }
}

static void a_receiver_that_connects_introduces_itself(void **state) {
    (void)state;
    wadi_chunk *c = NULL;
    wadi_error err = {.status = WADI_OK};
    talk t;
    talk_open(&t, (wadi_port_options){.sends = false});
    peer p = talk_peer(&t, true);
    talk_hears(&t, &p, hello(1));
    talk_hears(&t, &p, (word){1, WADI_LINK_READY, .number = TALK_CHUNKS, .bytes = TALK_BYTES});
    talk_say_note(&p, 5, NULL);
    talk_send_chunk(&t, &p, 5, 0);
    if (wadi_port_receive(t.port, &c, &err) != WADI_OK) fail_msg("%s", err.msg);
    wadi_chunk_release(c);
    wadi_port_done(t.port, 0);
    talk_hears(&t, &p, (word){2, WADI_LINK_DONE, 0, 0, 4, TALK_BYTES + TALK_CHUNK_BYTES, NULL});
    talk_leave(&p);
    assert_int_equal(wadi_port_receive(t.port, &c, &err), WADI_IO);
    assert_non_null(strstr(err.msg, ": the connection to the sender was lost"));
    talk_close(&t);
}

/* ---- what makes no sense of a partner ---- */

static const struct {
    word w;
    wadi_status status;
    const char *answer;
} lies[] = {
    {{2, WADI_LINK_DONE, 0, 7, 0, 0, NULL},
     WADI_IO,
     "link: a chunk is confirmed that was not sent"},
    {{2, WADI_LINK_CHUNK, 0, 0, 0, 0, "x"},
     WADI_IO,
     "link: message of kind 2 makes no sense here: both ends send"},
    {{2, WADI_LINK_END, 0, 0, 0, 0, NULL}, WADI_IO, "link: message of kind 5 makes no sense here"},
    {{2, WADI_LINK_NOTE, 0, 0, 0, 0, ""},
     WADI_IO,
     "link: message of kind 6 makes no sense here: both ends send"},
    {{2, 9, 0, 0, 0, 0, NULL}, WADI_IO, "link: message of kind 9 makes no sense here"},
    {{2, WADI_CONTROL_FROM, 0, 0, 0, 0, NULL}, WADI_IO, "link: a place in another stream"},
    {{2, WADI_CONTROL_KEPT, 0, 0, 0, 0, NULL}, WADI_IO, "link: a place in another stream"},
    {{0, 1, 0, 0, 0, 0, NULL},
     WADI_UNSUPPORTED,
     "link: protocol version 0; this build speaks 1 to 4"},
    {{2, WADI_LINK_READY, 0, -1, 0, 0, NULL}, WADI_IO, "link: a message with negative numbers"},
};

/* Before anything was confirmed another receiver gets the whole of it; after that nobody does. */
static void a_partner_that_lies_is_left(void **state) {
    (void)state;
    for (size_t i = 0; i < 2 * (sizeof lies / sizeof *lies); i++) {
        const bool used = i % 2 != 0;
        talk t;
        talk_open(&t, noted);
        peer p = partner(&t, "abc");
        sends(&t, 0);
        sends(&t, 1);
        talk_hears(&t, &p, chunk(0, 0));
        talk_hears(&t, &p, chunk(1, 1));
        if (used) done(&p, 0);
        talk_say(&p, lies[i / 2].w);
        talk_hears_fail(&t, &p, (int)lies[i / 2].status, 0, TALK_STREAM, lies[i / 2].answer);
        if (used) {
            breaks(&t, 2, lies[i / 2].status, lies[i / 2].answer);
            peer late = talk_peer(&t, false);
            talk_greet(&late, 2);
            talk_hears(&t, &late,
                       (word){1, WADI_LINK_FAIL, WADI_IO, 0, TALK_STREAM, 0, "the stream is over"});
            talk_leave(&late);
        } else {
            peer next = partner(&t, "abc");
            talk_hears(&t, &next, chunk(0, 0));
            talk_hears(&t, &next, chunk(1, 1));
            done(&next, 0);
            done(&next, 1);
            settles(&t, 2);
            talk_leave(&next);
        }
        talk_leave(&p);
        talk_close(&t);
    }
}

static void a_partner_that_has_gone_is_missed_once_it_has_confirmed(void **state) {
    (void)state;
    char words[256];
    talk t;
    talk_open(&t, binds);
    peer p = partner(&t, NULL);
    sends(&t, 0);
    sends(&t, 1);
    talk_hears(&t, &p, chunk(0, 0));
    talk_hears(&t, &p, chunk(1, 1));
    talk_leave(&p);
    p = partner(&t, NULL);
    talk_hears(&t, &p, chunk(0, 0));
    talk_hears(&t, &p, chunk(1, 1));
    done(&p, 0);
    sends(&t, 2);
    talk_hears(&t, &p, chunk(2, 2));
    talk_leave(&p);
    (void)snprintf(words, sizeof words,
                   "%s: the connection to the receiver was lost, 2 chunks unconfirmed", t.address);
    wadi_error err = {.status = WADI_OK};
    assert_int_equal(wadi_port_settle(t.port, 3, &err), WADI_IO);
    assert_string_equal(err.msg, words);
    talk_close(&t);
}

/* Though he has confirmed all there was: there may be more. */
static void a_partner_that_has_gone_between_two_chunks_is_missed(void **state) {
    (void)state;
    char words[256];
    talk t;
    talk_open(&t, binds);
    peer p = partner(&t, NULL), other = talk_peer(&t, false);
    sends(&t, 0);
    talk_hears(&t, &p, chunk(0, 0));
    done(&p, 0);
    settles(&t, 1);
    talk_leave(&p);
    talk_greet_until(&t, &other, "the sender has another receiver", "the stream is over");
    (void)snprintf(words, sizeof words,
                   "%s: the connection to the receiver was lost, 0 chunks unconfirmed", t.address);
    breaks(&t, 1, WADI_IO, words);
    talk_leave(&other);
    talk_close(&t);
}

/* Who connects has chosen its partner: there is no other. */
static void who_connects_waits_for_nobody_else(void **state) {
    (void)state;
    wadi_chunk *c = NULL;
    wadi_error err = {.status = WADI_OK};
    talk t;
    talk_open(&t, (wadi_port_options){.sends = false});
    peer p = talk_peer(&t, true);
    talk_hears(&t, &p, hello(1));
    talk_leave(&p);
    assert_int_equal(wadi_port_receive(t.port, &c, &err), WADI_IO);
    assert_non_null(strstr(err.msg, ": the connection to the sender was lost"));
    talk_close(&t);
}

/* Whatever it is granted: 62 chunks of 16 bytes are less than 1000 bytes. */
static void a_sender_keeps_no_more_than_it_was_given(void **state) {
    (void)state;
    wadi_error err = {.status = WADI_OK};
    talk t;
    int wake[2];
    assert_int_equal(pipe(wake), 0);
    assert_int_equal(write(wake[1], "x", 1), 1);
    talk_open(&t, binds);
    peer p = partner(&t, NULL);
    talk_say(&p, grants(100, MUCH));
    sends(&t, 0);
    sends(&t, 1);
    sends(&t, 2); /* it has heard */
    wadi_port_wake_by(t.port, wake[0]);
    for (int64_t i = 3; i < TALK_BYTES / TALK_CHUNK_BYTES; i++) sends(&t, i);
    assert_int_equal(wadi_port_send(t.port, talk_chunk(&t, TALK_BYTES / TALK_CHUNK_BYTES), &err),
                     WADI_CANCELLED);
    talk_leave(&p);
    talk_close(&t);
    (void)close(wake[0]);
    (void)close(wake[1]);
}

/* ---- failures ---- */

static void the_failure_of_a_receiver_is_told(void **state) {
    (void)state;
    static const struct {
        word w;
        wadi_status status;
        const char *words;
    } failures[] = {
        {{2, WADI_LINK_FAIL, WADI_FAULT, 0, 0, 0, "enough"}, WADI_FAULT, "enough"},
        {{2, WADI_LINK_FAIL, WADI_FAULT, 0, 99, 0, "enough"}, WADI_FAULT, "enough"},
        {{1, WADI_LINK_FAIL, WADI_OK, 0, 0, 0, "enough"}, WADI_INTERNAL, "enough"},
        {{2, WADI_LINK_FAIL, WADI_IO, 0, 0, 0, NULL}, WADI_IO, "no reason given"},
    };
    for (size_t i = 0; i < sizeof failures / sizeof *failures; i++) {
        wadi_error err = {.status = WADI_OK};
        talk t;
        talk_open(&t, binds);
        peer p = partner(&t, NULL), other = talk_peer(&t, false);
        talk_say(&other, (word){2, WADI_LINK_FAIL, WADI_FAULT, 0, 0, 0, "of no concern"});
        talk_greet(&other, 2);
        talk_hears(&t, &other,
                   (word){1, WADI_LINK_FAIL, WADI_IO, 0, TALK_STREAM, 0,
                          "the sender has another receiver"});
        sends(&t, 0);
        talk_say(&p, failures[i].w);
        assert_int_equal(wadi_port_settle(t.port, 1, &err), failures[i].status);
        assert_string_equal(err.msg, failures[i].words);
        talk_leave(&p);
        talk_leave(&other);
        talk_close(&t);
    }
}

/* What is under way is waited for, where it may still be confirmed. */
static void the_failure_of_a_sender_is_told(void **state) {
    (void)state;
    const wadi_error why = {.status = WADI_FAULT, .msg = "the well is dry"},
                     stop = {.status = WADI_CANCELLED, .msg = "no more"};
    for (int i = 0; i < 2; i++) {
        talk t;
        talk_open(&t, binds);
        peer p = partner(&t, NULL);
        sends(&t, 0);
        talk_hears(&t, &p, chunk(0, 0));
        if (i == 0) done(&p, 0); /* who is cancelled does not wait for it */
        wadi_port_fail(t.port, 5, i == 0 ? &why : &stop);
        talk_hears_fail(&t, &p, (int)(i == 0 ? why : stop).status, 5, TALK_STREAM,
                        (i == 0 ? why : stop).msg);
        talk_leave(&p);
        talk_close(&t);
    }
}

/* ---- who is no partner ---- */

static void strangers_confirm_nothing(void **state) {
    (void)state;
    talk t;
    talk_open(&t, binds);
    peer other = talk_peer(&t, false);
    talk_greet(&other, 2);
    talk_hears(&t, &other, hello(2));
    done(&other, 0);
    talk_hears_fail(&t, &other, WADI_IO, 0, TALK_STREAM,
                    "link: a chunk is confirmed that was not sent");
    peer p = partner(&t, NULL);
    sends(&t, 0);
    talk_hears(&t, &p, chunk(0, 0));
    done(&other, 0);
    talk_hears(
        &t, &other,
        (word){1, WADI_LINK_FAIL, WADI_IO, 0, TALK_STREAM, 0, "the sender has another receiver"});
    talk_leave(&p); /* nothing was confirmed: another may come */
    p = partner(&t, NULL);
    talk_hears(&t, &p, chunk(0, 0));
    done(&p, 0);
    settles(&t, 1);
    talk_leave(&p);
    talk_leave(&other);
    talk_close(&t);
}

/* ---- on a clock of the test's ---- */

static atomic_llong now_ns, step_ns;

static int64_t now(void) {
    return atomic_fetch_add(&now_ns, atomic_load(&step_ns));
}

/* What is queued is told; nobody who listens there is somebody else. */
static void a_receiver_is_waited_for_as_long_as_was_said(void **state) {
    (void)state;
    static const char *const rest[] = {
        " s, 1 chunk unconfirmed", " s, 1 chunk unconfirmed",
        " s, 1 chunk unconfirmed; one was there, but the handshake "
        "failed: the peer does not speak ZeroMQ, or has other keys or "
        "another token"};
    for (int i = 0; i < 3; i++) {
        char head[128];
        double seconds = 0;
        int n = 0;
        wadi_error err = {.status = WADI_OK};
        talk t;
        atomic_store(&now_ns, 1000000000000);
        atomic_store(&step_ns, 0);
        wadi_clock_set(now);
        talk_open(&t, (wadi_port_options){
                          .bind = i == 0, .sends = true, .lost_after_ns = INT64_C(4000000000)});
        if (i == 2) { /* one who hangs up: who comes again has noticed */
            struct sockaddr_un at = {.sun_family = AF_UNIX};
            const int listener = socket(AF_UNIX, SOCK_STREAM, 0);
            (void)snprintf(at.sun_path, sizeof at.sun_path, "%s", t.address + strlen("ipc://"));
            assert_int_equal(bind(listener, (const struct sockaddr *)&at, sizeof at), 0);
            assert_int_equal(listen(listener, 1), 0);
            for (int k = 0; k < 2; k++) {
                const int fd = accept(listener, NULL, NULL);
                assert_true(fd >= 0);
                (void)close(fd);
            }
            (void)close(listener);
            (void)unlink(at.sun_path);
        }
        atomic_store(&step_ns, 50000000);
        assert_int_equal(wadi_port_send(t.port, talk_chunk(&t, 0), &err), WADI_IO);
        (void)snprintf(head, sizeof head, "%s: no receiver for ", t.address);
        assert_memory_equal(err.msg, head, strlen(head));
        assert_int_equal(sscanf(err.msg + strlen(head), "%lf%n", &seconds, &n), 1);
        assert_true(seconds >= 4 && seconds < 4.9);
        assert_string_equal(err.msg + strlen(head) + n, rest[i]);
        talk_close(&t);
        wadi_clock_set(NULL);
    }
}

/* A stream of no chunks has an end too, of which somebody must hear. */
static void an_end_that_nobody_hears_is_none(void **state) {
    (void)state;
    wadi_error err = {.status = WADI_OK};
    talk t;
    atomic_store(&now_ns, 1000000000000);
    atomic_store(&step_ns, 50000000);
    wadi_clock_set(now);
    talk_open(
        &t, (wadi_port_options){.bind = true, .sends = true, .lost_after_ns = INT64_C(4000000000)});
    assert_int_equal(wadi_port_end(t.port, 0, &err), WADI_IO);
    assert_non_null(strstr(err.msg, ": no receiver for 4"));
    talk_close(&t);
    wadi_clock_set(NULL);
}

/* ---- somebody else at the address ---- */

static int listen_on(char address[64]) {
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t n = sizeof at;
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(listen(fd, 8), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &n), 0);
    (void)snprintf(address, 64, "tcp://127.0.0.1:%d", ntohs(at.sin_port));
    return fd;
}

/* Greets who comes next as one without keys does, and leaves it to him to hang up. */
static void greet_next(wadi_port *p, int listener) {
    static const uint8_t greeting[64] = {0xff, [9] = 0x7f, 3, 0, 'N', 'U', 'L', 'L'};
    struct pollfd one = {.fd = listener, .events = POLLIN};
    char byte;
    while (poll(&one, 1, 1) == 0)
        assert_int_equal(wadi_port_settle(p, 0, NULL), WADI_OK); /* the port looks around */
    const int fd = accept(listener, NULL, NULL);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, greeting, sizeof greeting), sizeof greeting);
    while (read(fd, &byte, 1) > 0) continue;
    (void)close(fd);
}

/* libzmq by itself gives the address up. */
static void who_meets_other_keys_tries_again(void **state) {
    (void)state;
    char address[64], public[41], secret[41];
    wadi_port *p = NULL;
    const int listener = listen_on(address);
    assert_int_equal(zmq_curve_keypair(public, secret), 0);
    const wadi_port_options options = {.address = address,
                                       .sends = true,
                                       .lost_after_ns = -1,
                                       .owner = "sender",
                                       .other = "receiver",
                                       .wake_fd = -1,
                                       .credit_bytes = TALK_BYTES,
                                       .stream = {.id = TALK_STREAM},
                                       .curve_public = public,
                                       .curve_secret = secret,
                                       .curve_server = public};
    assert_int_equal(wadi_port_open(&options, &p, NULL), WADI_OK);
    for (int i = 0; i < 3; i++) greet_next(p, listener);
    wadi_port_close(p);
    (void)close(listener);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stream_goes_from_its_note_to_its_end),
        cmocka_unit_test(a_sender_that_connects_introduces_itself),
        cmocka_unit_test(a_receiver_that_connects_introduces_itself),
        cmocka_unit_test(a_partner_that_lies_is_left),
        cmocka_unit_test(a_partner_that_has_gone_is_missed_once_it_has_confirmed),
        cmocka_unit_test(a_partner_that_has_gone_between_two_chunks_is_missed),
        cmocka_unit_test(who_connects_waits_for_nobody_else),
        cmocka_unit_test(a_sender_keeps_no_more_than_it_was_given),
        cmocka_unit_test(the_failure_of_a_receiver_is_told),
        cmocka_unit_test(the_failure_of_a_sender_is_told),
        cmocka_unit_test(strangers_confirm_nothing),
        cmocka_unit_test(a_receiver_is_waited_for_as_long_as_was_said),
        cmocka_unit_test(an_end_that_nobody_hears_is_none),
        cmocka_unit_test(who_meets_other_keys_tries_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
