/* Streams that are gone on with after a partner was lost, message by message (docs/WIRE.md). */
#define _DEFAULT_SOURCE /* usleep */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <zmq.h>

#include "tests/sched/port_talk.h"

enum { NONE_GOES_ON = WADI_CONTROL_NO_NOTE | WADI_CONTROL_GOES_ON };

static const wadi_port_options receives = {.bind = true},
                               sends = {.bind = true, .sends = true, .goes_on = true};

/* ---- a port that receives ---- */

static void begin(const peer *p, int64_t stream) {
    talk_greet(p, 3);
    talk_say(p, (word){3, WADI_LINK_NOTE, NONE_GOES_ON, stream, 0, 0, ""});
}

static peer comes(talk *t, int64_t stream) {
    peer p = talk_peer(t, false);
    begin(&p, stream);
    talk_hears(t, &p, (word){3, WADI_LINK_READY, .number = TALK_CHUNKS, .bytes = TALK_BYTES});
    return p;
}

/* READY is heard as the answer to HELLO, and once more by the partner. */
static void is_told(talk *t, peer *p, int64_t from) {
    char text[TALK_TEXT];
    word w = talk_listens(t, p, text);
    while (w.kind == WADI_LINK_READY || w.kind == WADI_CONTROL_HELLO) w = talk_listens(t, p, text);
    if (w.kind == WADI_LINK_FAIL) fail_msg("FAIL: %s", text);
    assert_int_equal(w.kind, WADI_CONTROL_FROM);
    assert_int_equal(w.number, from);
    assert_int_equal(w.sequence, TALK_STREAM);
}

/* The port hands on elements from `first` to `end`. */
static void takes(talk *t, int64_t first, int64_t end) {
    wadi_chunk *c = NULL;
    wadi_error err = {.status = WADI_OK};
    if (wadi_port_receive(t->port, &c, &err) != WADI_OK) fail_msg("%s", err.msg);
    assert_non_null(c);
    assert_int_equal(c->first, first);
    assert_int_equal(c->first + c->count, end);
    for (int64_t i = 0; i < c->count; i++)
        assert_int_equal(*(const int64_t *)wadi_chunk_array(c, 0, i).column[0], first + i);
    const int64_t number = c->number;
    wadi_chunk_release(c);
    wadi_port_done(t->port, number);
}

/* FROM is said once somebody wants chunks: a wait that ends at once asks for them. */
static void wants(talk *t, int wake) {
    wadi_chunk *c = NULL;
    wadi_port_wake_by(t->port, wake);
    assert_int_equal(wadi_port_receive(t->port, &c, NULL), WADI_CANCELLED);
    wadi_port_wake_by(t->port, -1);
}

static void a_sender_that_was_lost_goes_on(void **state) {
    const int wake = *(const int *)*state;
    talk t;
    talk_open(&t, receives);
    peer p = comes(&t, TALK_STREAM);
    wants(&t, wake);
    is_told(&t, &p, 0);
    talk_resend_chunk(&t, &p, TALK_STREAM, 0, 0, 0);
    talk_resend_chunk(&t, &p, TALK_STREAM, 1, 1, 1);
    takes(&t, 0, 2);
    talk_leave(&p); /* with a chunk that nobody has taken */

    peer other = talk_peer(&t, false);
    talk_greet_until(&t, &other, "the receiver listens to another stream", NULL);
    begin(&other, 5);
    char text[TALK_TEXT];
    word w = talk_listens(&t, &other, text);
    while (w.kind != WADI_LINK_FAIL) w = talk_listens(&t, &other, text);
    assert_string_equal(text, "link: a message of another stream than the one that has begun");
    talk_leave(&other);

    p = comes(&t, TALK_STREAM); /* cuts the stream otherwise, and counts chunks anew */
    is_told(&t, &p, 2);
    talk_resend_chunk(&t, &p, TALK_STREAM, 0, 0, 0);
    talk_resend_chunk(&t, &p, TALK_STREAM, 1, 1, 1);
    talk_resend_chunk(&t, &p, TALK_STREAM, 2, 2, 2);
    takes(&t, 2, 4);
    takes(&t, 4, 6);
    talk_say(&p, (word){3, WADI_LINK_END, .number = 3, .sequence = TALK_STREAM});
    wadi_chunk *c = NULL;
    assert_int_equal(wadi_port_receive(t.port, &c, NULL), WADI_OK);
    assert_null(c);
    do w = talk_listens(&t, &p, text);
    while (w.kind != WADI_CONTROL_KEPT || w.status != 1);
    assert_int_equal(w.number, 6);
    talk_leave(&p);
    talk_close(&t);
}

/* ZeroMQ connects again by itself, and sends what it has left for the connection before. The chunk before that one is lost. */
static void a_chunk_of_a_lost_connection_begins_nothing(void **state) {
    const int wake = *(const int *)*state;
    talk t;
    talk_open(&t, receives);
    peer p = comes(&t, TALK_STREAM);
    wants(&t, wake);
    is_told(&t, &p, 0);
    talk_resend_chunk(&t, &p, TALK_STREAM, 0, 0, 0);
    takes(&t, 0, 2);
    talk_leave(&p);

    p = talk_peer(&t, false);
    talk_greet_until(&t, &p, "the receiver listens to another stream", NULL);
    talk_resend_chunk(&t, &p, TALK_STREAM, 2, 2, 2);
    wants(&t, wake);
    begin(&p, TALK_STREAM);
    is_told(&t, &p, 2);
    talk_resend_chunk(&t, &p, TALK_STREAM, 1, 1, 0);
    takes(&t, 2, 4);
    talk_leave(&p);
    talk_close(&t);
}

static void a_receiver_goes_on_behind_what_it_has(void **state) {
    const int wake = *(const int *)*state;
    talk t;
    talk_open(&t, receives);
    wadi_port_go_on(t.port, TALK_STREAM, 5);
    peer other = talk_peer(&t, false);
    begin(&other, 6);
    char text[TALK_TEXT];
    word w = talk_listens(&t, &other, text);
    while (w.kind != WADI_LINK_FAIL) w = talk_listens(&t, &other, text);
    assert_string_equal(
        text, "the receiver waits for the rest of another stream, of which it has 5 elements");
    talk_leave(&other);
    peer p = comes(&t, TALK_STREAM);
    wants(&t, wake);
    is_told(&t, &p, 5);
    talk_resend_chunk(&t, &p, TALK_STREAM, 2, 7, 0); /* elements 4 and 5 */
    takes(&t, 5, 6);
    talk_resend_chunk(&t, &p, TALK_STREAM, 4, 8, 1);
    wadi_chunk *c = NULL;
    wadi_error err = {.status = WADI_OK};
    assert_int_equal(wadi_port_receive(t.port, &c, &err), WADI_IO);
    assert_string_equal(err.msg, "link: element 8 comes where 6 is expected");
    talk_leave(&p);
    talk_close(&t);
}

static void only_what_is_kept_is_told(void **state) {
    const int wake = *(const int *)*state;
    talk t;
    talk_open(&t, receives);
    wadi_port_keep(t.port, 0, false);
    peer p = comes(&t, TALK_STREAM);
    wants(&t, wake);
    is_told(&t, &p, 0);
    talk_resend_chunk(&t, &p, TALK_STREAM, 0, 0, 0);
    takes(&t, 0, 2);
    char text[TALK_TEXT];
    word w = talk_listens(&t, &p, text);
    for (; w.kind != WADI_LINK_DONE; w = talk_listens(&t, &p, text))
        assert_true(w.kind != WADI_CONTROL_KEPT || w.number == 0);
    wadi_port_keep(t.port, 2, false);
    talk_look_after(&t);
    talk_hears(&t, &p, (word){3, WADI_CONTROL_KEPT, 0, 2, TALK_STREAM, 0, NULL});
    wadi_port_keep(t.port, 0, true); /* one that speaks version 3 does not answer */
    talk_hears(&t, &p, (word){3, WADI_CONTROL_KEPT, 1, 2, TALK_STREAM, 0, NULL});
    talk_leave(&p);
    talk_close(&t);
}

static void hears_that_all_is_kept(talk *t, peer *p) {
    char text[TALK_TEXT];
    word w = talk_listens(t, p, text);
    while (w.kind != WADI_CONTROL_KEPT || w.status != 1) w = talk_listens(t, p, text);
    assert_int_equal(w.number, 2);
}

/* The sender is lost before it answers. It may come again, and is told again. */
static void a_receiver_stays_until_its_last_word_is_heard(void **state) {
    static const word note = {4, WADI_LINK_NOTE, NONE_GOES_ON, TALK_STREAM, 0, 0, ""},
                      end = {4, WADI_LINK_END, .number = 1, .sequence = TALK_STREAM};
    const int wake = *(const int *)*state;
    wadi_chunk *c = NULL;
    talk t;
    wadi_port_options for_ever = receives;
    for_ever.lost_after_ns = -1;
    talk_open(&t, for_ever);
    wadi_port_keep(t.port, 0, false);
    peer p = talk_peer(&t, false);
    talk_greet(&p, 4);
    talk_say(&p, note);
    wants(&t, wake);
    is_told(&t, &p, 0);
    talk_resend_chunk(&t, &p, TALK_STREAM, 0, 0, 0);
    takes(&t, 0, 2);
    talk_say(&p, end);
    assert_int_equal(wadi_port_receive(t.port, &c, NULL), WADI_OK);
    assert_null(c);
    talk_leave(&p); /* before the receiver has saved */

    p = talk_peer(&t, false);
    talk_greet_until(&t, &p, "the receiver listens to another stream", NULL);
    talk_greet(&p, 4);
    talk_say(&p, note);
    is_told(&t, &p, 2);
    wadi_port_wake_by(t.port, wake); /* it waits, and is waked */
    wadi_port_keep(t.port, 2, true);
    hears_that_all_is_kept(&t, &p);
    talk_leave(&p);

    p = talk_peer(&t, false);
    talk_greet_until(&t, &p, "the receiver listens to another stream", NULL);
    talk_greet(&p, 4);
    talk_say(&p, note);
    is_told(&t, &p, 2);
    hears_that_all_is_kept(&t, &p);
    talk_say(&p, (word){4, WADI_CONTROL_HEARD, 0, 0, TALK_STREAM, 0, NULL});
    wadi_port_wake_by(t.port, -1);
    wadi_port_keep(t.port, 2, true);
    talk_leave(&p);
    talk_close(&t);
}

/* Numbers begin anew with such a note, and chunks of before would have two. */
static void a_stream_that_has_begun_is_not_one_that_goes_on(void **state) {
    (void)state;
    wadi_chunk *c = NULL;
    wadi_error err = {.status = WADI_OK};
    talk t;
    talk_open(&t, receives);
    peer p = talk_peer(&t, false);
    talk_greet(&p, 4);
    talk_resend_chunk(&t, &p, TALK_STREAM, 0, 0, 0);
    assert_int_equal(wadi_port_receive(t.port, &c, &err), WADI_OK);
    talk_say(&p, (word){4, WADI_LINK_NOTE, NONE_GOES_ON, TALK_STREAM, 0, 0, ""});
    for (int i = 0; i < 20; i++) {
        talk_look_after(&t);
        (void)zmq_poll(NULL, 0, 10);
    }
    talk_resend_chunk(&t, &p, TALK_STREAM, 1, 1, 1);
    wadi_chunk *next = NULL;
    assert_int_equal(wadi_port_receive(t.port, &next, &err), WADI_IO);
    assert_non_null(strstr(err.msg, "goes on"));
    wadi_chunk_release(c);
    wadi_port_done(t.port, 0);
    talk_leave(&p);
    talk_close(&t);
}

/* It was stopped, or means no good: this side has all. */
static void a_receiver_does_not_stay_for_ever(void **state) {
    const int wake = *(const int *)*state;
    wadi_port_options short_wait = receives;
    wadi_chunk *c = NULL;
    talk t;
    short_wait.first_after_ns = -1;
    short_wait.lost_after_ns = 200000000;
    talk_open(&t, short_wait);
    wadi_port_keep(t.port, 0, false);
    peer p = talk_peer(&t, false);
    talk_greet(&p, 4);
    talk_say(&p, (word){4, WADI_LINK_NOTE, NONE_GOES_ON, TALK_STREAM, 0, 0, ""});
    wants(&t, wake);
    is_told(&t, &p, 0);
    talk_say(&p, (word){4, WADI_LINK_END, .number = 0, .sequence = TALK_STREAM});
    assert_int_equal(wadi_port_receive(t.port, &c, NULL), WADI_OK);
    assert_null(c);
    wadi_port_keep(t.port, 0, true); /* it returns */
    talk_leave(&p);
    talk_close(&t);
}

/* ---- a port that sends ---- */

/* The port may notice late that the one before has gone. */
static peer asks(talk *t, int64_t from) {
    peer p = talk_peer(t, false);
    talk_greet_until(t, &p, "the sender has another receiver", NULL);
    talk_greet(&p, 3);
    talk_say(&p, (word){3, WADI_LINK_READY, .number = TALK_CHUNKS, .bytes = TALK_BYTES});
    talk_say(&p, (word){3, WADI_CONTROL_FROM, 0, from, TALK_STREAM, 0, NULL});
    return p;
}

static void hears_note(talk *t, peer *p) {
    talk_hears(t, p, (word){3, WADI_LINK_NOTE, NONE_GOES_ON, TALK_STREAM, 0, 0, ""});
}

static void hears_chunk(talk *t, peer *p, int64_t number, int64_t sequence) {
    talk_hears(t, p, (word){3, WADI_LINK_CHUNK, 0, number, sequence, TALK_CHUNK_BYTES, NULL});
}

static void a_receiver_that_was_lost_gets_what_it_lacks(void **state) {
    (void)state;
    talk t;
    int64_t has = -1;
    wadi_error err = {.status = WADI_OK};
    talk_open(&t, sends);
    peer p = asks(&t, 3);
    if (wadi_port_meet(t.port, TALK_STREAM, &has, &err) != WADI_OK) fail_msg("%s", err.msg);
    assert_int_equal(has, 3);
    for (int64_t i = 0; i < 3; i++)
        assert_int_equal(wadi_port_send(t.port, talk_chunk(&t, i), NULL), WADI_OK);
    hears_note(&t, &p);
    hears_chunk(&t, &p, 1, 0); /* elements 0 and 1 are there */
    hears_chunk(&t, &p, 2, 1);
    talk_leave(&p);

    p = asks(&t, 4); /* the first chunk came, its DONE did not */
    hears_note(&t, &p);
    hears_chunk(&t, &p, 2, 0);
    talk_say(&p, (word){3, WADI_LINK_DONE, 0, 2, TALK_CHUNKS + 1, TALK_BYTES + 16, NULL});
    assert_int_equal(wadi_port_settle(t.port, 3, NULL), WADI_OK);
    assert_int_equal(wadi_port_certain(t.port), 0);
    talk_say(&p, (word){3, WADI_CONTROL_KEPT, 0, 6, TALK_STREAM, 0, NULL});
    talk_say(&p, (word){3, WADI_CONTROL_KEPT, 1, 6, TALK_STREAM, 0, NULL});
    if (wadi_port_end(t.port, 3, &err) != WADI_OK) fail_msg("%s", err.msg);
    assert_int_equal(wadi_port_certain(t.port), INT64_MAX);
    talk_leave(&p);
    talk_close(&t);
}

/* It has all from an earlier sender, and leaves. */
static void a_receiver_that_has_all_is_answered(void **state) {
    (void)state;
    talk t;
    int64_t has = -1;
    wadi_error err = {.status = WADI_OK};
    talk_open(&t, sends);
    peer p = talk_peer(&t, false);
    talk_greet(&p, 4);
    talk_say(&p, (word){4, WADI_LINK_READY, .number = TALK_CHUNKS, .bytes = TALK_BYTES});
    talk_say(&p, (word){4, WADI_CONTROL_FROM, 0, 4, TALK_STREAM, 0, NULL});
    if (wadi_port_meet(t.port, TALK_STREAM, &has, &err) != WADI_OK) fail_msg("%s", err.msg);
    talk_say(&p, (word){4, WADI_CONTROL_KEPT, 1, 4, TALK_STREAM, 0, NULL});
    talk_hears(&t, &p, (word){4, WADI_LINK_NOTE, NONE_GOES_ON, TALK_STREAM, 0, 0, ""});
    talk_hears(&t, &p, (word){4, WADI_CONTROL_HEARD, 0, 0, TALK_STREAM, 0, NULL});
    talk_leave(&p);
    for (int64_t i = 0; i < 2; i++)
        if (wadi_port_send(t.port, talk_chunk(&t, i), &err) != WADI_OK) fail_msg("%s", err.msg);
    if (wadi_port_end(t.port, 2, &err) != WADI_OK) fail_msg("%s", err.msg);
    talk_close(&t);
}

static void what_is_gone_cannot_be_sent_again(void **state) {
    (void)state;
    talk t;
    int64_t has = -1;
    wadi_error err = {.status = WADI_OK};
    talk_open(&t, sends);
    peer p = asks(&t, 0);
    assert_int_equal(wadi_port_meet(t.port, TALK_STREAM, &has, NULL), WADI_OK);
    assert_int_equal(wadi_port_send(t.port, talk_chunk(&t, 0), NULL), WADI_OK);
    hears_note(&t, &p);
    hears_chunk(&t, &p, 0, 0);
    talk_say(&p, (word){3, WADI_LINK_DONE, 0, 0, TALK_CHUNKS + 1, TALK_BYTES + 16, NULL});
    assert_int_equal(wadi_port_settle(t.port, 1, NULL), WADI_OK);
    talk_leave(&p);
    p = asks(&t, 1);
    hears_note(&t, &p);
    assert_int_equal(wadi_port_send(t.port, talk_chunk(&t, 1), &err), WADI_IO);
    assert_non_null(strstr(err.msg, "the receiver has 1 elements, and those behind them are gone "
                                    "here: the sender has to be started again"));
    talk_leave(&p);
    talk_close(&t);
}

static void an_old_receiver_is_told_so(void **state) {
    (void)state;
    talk t;
    int64_t has = -1;
    wadi_error err = {.status = WADI_OK};
    talk_open(&t, sends);
    peer p = talk_peer(&t, false);
    talk_greet(&p, 2);
    talk_say(&p, (word){2, WADI_LINK_READY, .number = TALK_CHUNKS, .bytes = TALK_BYTES});
    char text[TALK_TEXT];
    word w = talk_listens(&t, &p, text);
    while (w.kind != WADI_LINK_FAIL) w = talk_listens(&t, &p, text);
    assert_non_null(strstr(text, "the receiver speaks version 2"));
    talk_leave(&p);
    p = asks(&t, 0); /* another one may come */
    assert_int_equal(wadi_port_meet(t.port, TALK_STREAM, &has, &err), WADI_OK);
    talk_leave(&p);
    talk_close(&t);
}

/* READY of somebody who has gone, found together with the end of the partner. Whether both ends are noticed at once depends on when the port looks. */
static void who_has_gone_is_no_partner(void **state) {
    enum { ROUNDS = 4, MOMENT_US = 100000 };
    (void)state;
    talk t;
    int64_t has = -1;
    wadi_error err = {.status = WADI_OK};
    talk_open(&t, sends);
    peer p = asks(&t, 0);
    if (wadi_port_meet(t.port, TALK_STREAM, &has, &err) != WADI_OK) fail_msg("%s", err.msg);
    for (int i = 0; i < ROUNDS; i++) {
        const int linger = -1;
        peer rival = talk_peer(&t, false);
        assert_int_equal(zmq_setsockopt(rival.socket, ZMQ_LINGER, &linger, sizeof linger), 0);
        talk_say(&rival, (word){3, WADI_LINK_READY, .number = TALK_CHUNKS, .bytes = TALK_BYTES});
        talk_leave(&rival);
        talk_leave(&p);
        (void)usleep(MOMENT_US);
        p = asks(&t, 0);
        hears_note(&t, &p);
    }
    talk_leave(&p);
    talk_close(&t);
}

int main(void) {
    int ends[2];
    static int wake;
    if (pipe(ends) != 0 || write(ends[1], "", 1) != 1) return 1;
    wake = ends[0];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(a_sender_that_was_lost_goes_on, &wake),
        cmocka_unit_test_prestate(a_chunk_of_a_lost_connection_begins_nothing, &wake),
        cmocka_unit_test_prestate(a_receiver_goes_on_behind_what_it_has, &wake),
        cmocka_unit_test_prestate(only_what_is_kept_is_told, &wake),
        cmocka_unit_test_prestate(a_receiver_stays_until_its_last_word_is_heard, &wake),
        cmocka_unit_test(a_stream_that_has_begun_is_not_one_that_goes_on),
        cmocka_unit_test_prestate(a_receiver_does_not_stay_for_ever, &wake),
        cmocka_unit_test(a_receiver_that_was_lost_gets_what_it_lacks),
        cmocka_unit_test(a_receiver_that_has_all_is_answered),
        cmocka_unit_test(what_is_gone_cannot_be_sent_again),
        cmocka_unit_test(an_old_receiver_is_told_so),
        cmocka_unit_test(who_has_gone_is_no_partner),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
