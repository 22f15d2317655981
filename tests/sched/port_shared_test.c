/* Ports of a stream that is shared, message by message: what one of several that leaves does to the others, and what those who have come to the wrong end are told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cmocka.h>
#include <zmq.h>

#include "base/clock.h"
#include "sched/transport/zmq/replies.h"
#include "tests/sched/port_talk.h"
#include "wadi/log.h"

enum { HELLO = WADI_CONTROL_HELLO, MUCH = 1 << 20, OLD_STREAM = 5 };

static const wadi_port_options shares = {.bind = true, .sends = true, .share.on = true},
                               gathers = {.bind = true, .share.on = true},
                               takes_part = {.share.on = true},
                               sends_part = {.sends = true, .share.on = true},
                               sends = {.sends = true}, receives = {.bind = true};

static const wadi_whole whole = {.stream = TALK_STREAM};

static void says_hello(const peer *p, bool shared) {
    talk_say(p, (word){4, HELLO, .number = WADI_CONTROL_VERSION, .bytes = shared});
}

static void grants(const peer *p) {
    talk_say(p, (word){4, WADI_LINK_READY, .number = 2, .bytes = MUCH});
}

/* One that gets a part of what the port shares. */
static peer receiver(talk *t) {
    peer p = talk_peer(t, false);
    char text[TALK_TEXT];
    says_hello(&p, true);
    grants(&p);
    word w = {.kind = HELLO};
    while (w.kind == HELLO) w = talk_listens(t, &p, text);
    if (w.kind != WADI_LINK_NOTE) fail_msg("no note, but %d: %s", w.kind, text);
    return p;
}

static void says_note(const peer *p, int64_t stream) {
    talk_say(p, (word){4, WADI_LINK_NOTE, 1, stream, 0, 0, ""});
}

/* One that sends a part to the port that gathers: its first chunk. */
static peer sender(talk *t, int64_t stream) {
    peer p = talk_peer(t, false);
    says_hello(&p, true);
    says_note(&p, stream);
    talk_say_chunk(t, &p, stream, 0, (word){4, WADI_LINK_CHUNK, 0, 0, 0, TALK_CHUNK_BYTES, NULL});
    return p;
}

/* Whether the port takes the chunk, or turns the sender away. */
static bool is_welcome(talk *t, peer *p) {
    char text[TALK_TEXT];
    for (;;) {
        zmq_pollitem_t item = {.socket = p->socket, .events = ZMQ_POLLIN};
        if (wadi_port_ready(t->port)) return true;
        assert_true(zmq_poll(&item, 1, 5) >= 0);
        if (item.revents != 0 && talk_listens(t, p, text).kind == WADI_LINK_FAIL) return false;
    }
}

/* Waits until the port has noticed that somebody has gone. */
static void look_after_until_gone(talk *t) {
    const int64_t until_ns = wadi_clock_ns() + INT64_C(1500000000);
    while (wadi_clock_ns() < until_ns) {
        talk_look_after(t);
        (void)zmq_poll(NULL, 0, 10);
    }
}

/* ---- those that leave ---- */

static void why_one_has_left_does_not_end_the_stream_when_another_is_lost(void **state) {
    (void)state;
    talk t;
    talk_open(&t, shares);
    peer wrong = receiver(&t), killed = receiver(&t);
    talk_say(&wrong, (word){4, WADI_LINK_FAIL, WADI_IO, 0, 0, 0, "the disk is full"});
    look_after_until_gone(&t);
    talk_leave(&killed);
    look_after_until_gone(&t);
    peer next = receiver(&t);
    assert_int_equal(wadi_port_lay(t.port, &whole, talk_chunk(&t, 0), NULL), WADI_OK);
    talk_hears(&t, &next, (word){4, WADI_LINK_CHUNK, 0, 0, 0, TALK_CHUNK_BYTES, NULL});
    talk_leave(&wrong);
    talk_leave(&next);
    talk_close(&t);
}

static void the_reason_of_the_last_one_ends_it(void **state) {
    (void)state;
    talk t;
    wadi_error err = {.status = WADI_OK};
    talk_open(&t, shares);
    peer last = receiver(&t);
    talk_say(&last, (word){4, WADI_LINK_FAIL, WADI_IO, 0, 0, 0, "the disk is full"});
    assert_int_equal(wadi_port_serve(t.port, &err), WADI_IO);
    assert_string_equal(err.msg, "the disk is full");
    talk_leave(&last);
    talk_close(&t);
}

/* One of a stream that is over may still be there when its end is begun anew. */
static void the_stream_of_one_that_was_lost_at_once_binds_nobody(void **state) {
    (void)state;
    talk t;
    talk_open(&t, gathers);
    char text[TALK_TEXT];
    wadi_chunk *c = NULL;
    wadi_error err = {.status = WADI_OK};
    peer old = talk_peer(&t, false);
    says_hello(&old, true);
    says_note(&old, OLD_STREAM);
    for (int heard = 0; heard < 2;) /* credit: for the greeting, and for the stream */
        heard += talk_listens(&t, &old, text).kind == WADI_LINK_READY;
    talk_leave(&old);
    peer next = sender(&t, TALK_STREAM);
    for (int i = 0; i < 1000 && !is_welcome(&t, &next); i++) { /* the loss is not noticed yet */
        talk_leave(&next);
        (void)zmq_poll(NULL, 0, 20);
        next = sender(&t, TALK_STREAM);
    }
    if (wadi_port_receive(t.port, &c, &err) != WADI_OK) fail_msg("%s", err.msg);
    assert_non_null(c);
    wadi_chunk_release(c);
    wadi_port_done(t.port, 0);
    talk_leave(&next);
    talk_close(&t);
}

static void waiting_begins_when_the_last_one_that_was_there_has_gone(void **state) {
    (void)state;
    talk t;
    wadi_chunk *c = NULL;
    wadi_error err = {.status = WADI_OK};
    wadi_port_options o = gathers;
    o.lost_after_ns = INT64_C(2000000000);
    talk_open(&t, o);
    peer idle = talk_peer(&t, false);
    says_hello(&idle, true); /* its own part has not begun */
    talk_hears(&t, &idle,
               (word){4, HELLO, .number = WADI_CONTROL_VERSION, .sequence = 30000, .bytes = 1});
    look_after_until_gone(&t);
    look_after_until_gone(&t); /* longer than the port waits */
    const int64_t gone_ns = wadi_clock_ns();
    talk_leave(&idle);
    assert_int_equal(wadi_port_receive(t.port, &c, &err), WADI_IO);
    assert_true(wadi_clock_ns() - gone_ns >= o.lost_after_ns);
    talk_close(&t);
}

static void nothing_comes_behind_a_failure_before_the_stream_has_a_name(void **state) {
    (void)state;
    const wadi_error why = {.status = WADI_CANCELLED, .msg = "the sender has stopped"};
    talk t;
    char text[TALK_TEXT];
    talk_open(&t, sends_part);
    peer p = talk_peer(&t, true);
    assert_int_equal(talk_listens(&t, &p, text).kind, HELLO);
    says_hello(&p, true);
    grants(&p);
    for (int i = 0; i < 20; i++) { /* the port has its credit */
        talk_look_after(&t);
        (void)zmq_poll(NULL, 0, 10);
    }
    wadi_port_fail(t.port, 0, &why);
    talk_hears(&t, &p, (word){4, WADI_LINK_FAIL, WADI_CANCELLED, 0, TALK_STREAM, 0, why.msg});
    zmq_pollitem_t more = {.socket = p.socket, .events = ZMQ_POLLIN};
    assert_int_equal(zmq_poll(&more, 1, 200), 0);
    talk_leave(&p);
    talk_close(&t);
}

static void who_finds_all_places_taken_is_told(void **state) {
    (void)state;
    talk t;
    char text[TALK_TEXT];
    peer p[WADI_LINK_PEERS];
    talk_open(&t, shares);
    for (int i = 0; i < WADI_LINK_PEERS; i++) p[i] = receiver(&t);
    peer more = talk_peer(&t, false);
    says_hello(&more, true);
    assert_int_equal(talk_listens(&t, &more, text).kind, WADI_LINK_FAIL);
    assert_string_equal(text, "the stream is shared by 64 already, and there is no place for more");
    talk_leave(&more);
    for (int i = 0; i < WADI_LINK_PEERS; i++) talk_leave(&p[i]);
    talk_close(&t);
}

/* Many who are one over one connection: each of its messages costs it its seat, and would be answered. */
static void one_that_floods_leaves_answers_to_others(void **state) {
    (void)state;
    enum { FLOOD = 2000 };
    talk t;
    char text[TALK_TEXT];
    talk_open(&t, receives);
    peer loud = talk_peer(&t, false), other = talk_peer(&t, false);
    for (int i = 0; i < FLOOD; i++) grants(&loud); /* both ends receive */
    int answers = 0;
    while (answers < WADI_REPLIES_OF_ONE) {
        assert_int_equal(talk_listens(&t, &loud, text).kind, WADI_LINK_FAIL);
        answers++;
    }
    grants(&other);
    const word w = talk_listens(&t, &other, text);
    assert_int_equal(w.kind, WADI_LINK_FAIL);
    assert_non_null(strstr(text, "both ends receive"));
    talk_leave(&loud);
    talk_leave(&other);
    talk_close(&t);
}

static void replies_are_counted_for_all_and_for_each(void **state) {
    (void)state;
    static wadi_replies r;
    const int64_t second = 1000000000, begin = 5 * second;
    int given = 0;
    for (int i = 0; i < 1000; i++) given += wadi_replies_may(&r, 7, begin);
    assert_int_equal(given, WADI_REPLIES_OF_ONE);
    for (int i = 0; i < 1000; i++) given += wadi_replies_may(&r, 8, begin + second);
    assert_int_equal(given, 2 * WADI_REPLIES_OF_ONE);
    for (int fd = -1; fd < 1000; fd++) given += wadi_replies_may(&r, fd, begin + second);
    assert_int_equal(given, WADI_REPLIES);
    assert_false(wadi_replies_may(&r, -1, begin + second));
    for (int i = 0; i < 1000; i++) given += wadi_replies_may(&r, -1, begin + 3 * second);
    assert_int_equal(given, 2 * WADI_REPLIES);
    assert_true(wadi_replies_may(&r, 7, INT64_MAX));
}

/* ---- whoever gathers ---- */

/* As one that has a part says it, of a gatherer of this name. */
static void says_from(const peer *p, int64_t have, int64_t by) {
    talk_say(p, (word){4, WADI_CONTROL_FROM, 0, have, TALK_STREAM, by, NULL});
}

static void hears_chunk(talk *t, peer *p, int64_t number, int64_t sequence) {
    talk_hears(t, p, (word){4, WADI_LINK_CHUNK, 0, number, sequence, TALK_CHUNK_BYTES, NULL});
}

static void says_done(const peer *p, int64_t number, int64_t chunks) {
    talk_say(p, (word){4, WADI_LINK_DONE, 0, number, chunks, MUCH, NULL});
}

static void lays(talk *t, int64_t number) {
    assert_int_equal(wadi_port_lay(t->port, &whole, talk_chunk(t, number), NULL), WADI_OK);
}

/* What its peers have said. */
static void takes_in(talk *t) {
    for (int i = 0; i < 20; i++) {
        talk_look_after(t);
        (void)zmq_poll(NULL, 0, 10);
    }
}

static void what_was_done_for_an_earlier_gatherer_is_sent_again(void **state) {
    (void)state;
    talk t;
    wadi_error err = {.status = WADI_OK};
    talk_open(&t, shares);
    peer slow = receiver(&t);
    says_from(&slow, 0, 11);
    lays(&t, 0);
    hears_chunk(&t, &slow, 0, 0);
    says_done(&slow, 0, 3);
    lays(&t, 1);
    hears_chunk(&t, &slow, 1, 1);
    peer quick = receiver(&t);
    says_from(&quick, 2, 22); /* the other has not noticed yet */
    takes_in(&t);
    says_done(&slow, 1, 3);
    hears_chunk(&t, &quick, 1, 0);
    talk_leave(&slow);
    says_done(&quick, 1, 3);
    says_from(&quick, 3, 33); /* it lacks an element that is here no more */
    assert_int_equal(wadi_port_serve(t.port, &err), WADI_IO);
    assert_non_null(strstr(err.msg, "whoever gathers the stream has 3 elements, and 4 that an "
                                    "earlier one has had are gone at the sender"));
    talk_leave(&quick);
    talk_close(&t);
}

static void until_certain(talk *t, int64_t elements) {
    for (int i = 0; i < 600 && wadi_port_certain(t->port) != elements; i++) takes_in(t);
    assert_int_equal(wadi_port_certain(t->port), elements);
}

/* One whose words were long on their way names the earlier gatherer last, and has something done in its name. */
static void a_gatherer_that_is_forgotten_leaves_nothing_missing(void **state) {
    (void)state;
    talk t;
    wadi_error err = {.status = WADI_OK};
    wadi_status status = WADI_CANCELLED;
    const int wake = eventfd(1, EFD_CLOEXEC);
    assert_true(wake >= 0);
    talk_open(&t, shares);
    peer quick = receiver(&t);
    says_from(&quick, 0, 22);
    lays(&t, 0);
    hears_chunk(&t, &quick, 0, 0);
    says_done(&quick, 0, 2);
    until_certain(&t, 2);
    peer late = receiver(&t);
    says_from(&late, 2, 11);
    lays(&t, 1);
    hears_chunk(&t, &late, 1, 0);
    says_done(&late, 1, 2);
    until_certain(&t, 4);
    talk_leave(&late);
    lays(&t, 2);
    hears_chunk(&t, &quick, 2, 1);
    wadi_port_wake_by(t.port, wake); /* no wait takes long */
    for (int i = 0; i < 50 && status == WADI_CANCELLED; i++) {
        says_done(&quick, 2, 2);
        takes_in(&t);
        status = wadi_port_serve(t.port, &err);
    }
    assert_int_equal(status, WADI_IO);
    assert_non_null(strstr(err.msg, "whoever gathers the stream has 0 elements, and 4 that an "
                                    "earlier one has had are gone at the sender"));
    talk_leave(&quick);
    talk_close(&t);
    (void)close(wake);
}

/* What the last one that has a part is told, and the owner, where a gatherer lacks what an earlier one had. */
static void tells_what_to_do(bool goes_on, int saves, int status, const char *words) {
    talk t;
    char text[TALK_TEXT];
    wadi_error err = {.status = WADI_OK};
    wadi_port_options o = shares;
    const wadi_whole of = {.stream = TALK_STREAM, .lasts = goes_on};
    o.goes_on = goes_on;
    talk_open(&t, o);
    assert_int_equal(wadi_port_lay(t.port, &of, talk_chunk(&t, 0), NULL), WADI_OK);
    peer p = receiver(&t);
    talk_say(&p, (word){4, WADI_CONTROL_FROM, saves, 0, TALK_STREAM, 11, NULL});
    hears_chunk(&t, &p, 0, 0);
    says_done(&p, 0, 3);
    talk_say(&p, (word){4, WADI_CONTROL_FROM, saves, 0, TALK_STREAM, 22, NULL});
    assert_int_equal(wadi_port_serve(t.port, &err), WADI_IO);
    if (strstr(err.msg, words) == NULL) fail_msg("%s", err.msg);
    const word w = talk_listens(&t, &p, text);
    assert_int_equal(w.kind, WADI_LINK_FAIL);
    assert_int_equal(w.status, status);
    assert_string_equal(text, err.msg);
    talk_leave(&p);
    talk_close(&t);
}

static void who_has_to_be_started_again_is_told_to_all(void **state) {
    (void)state;
    tells_what_to_do(false, 0, WADI_IO, "start all again, since the sender has no state");
    tells_what_to_do(true, 0, WADI_IO, "start all again, the sender without its state");
    tells_what_to_do(true, 1, WADI_CANCELLED, "start the sender again, for which the others wait");
}

static void note_warning(void *env, wadi_log_level level, const char *text) {
    bool *told = env;
    if (level == WADI_LOG_WARNING && strcmp(text, "start it again") == 0) *told = true;
}

/* It says so at once, and again if nobody comes. */
static void a_part_waits_for_a_sender_that_is_to_be_started_again(void **state) {
    (void)state;
    talk t;
    char text[TALK_TEXT];
    wadi_chunk *c = NULL;
    wadi_error err = {.status = WADI_OK};
    wadi_port_options o = takes_part;
    o.lost_after_ns = INT64_C(1000000000);
    talk_open(&t, o);
    peer p = talk_peer(&t, true);
    assert_int_equal(talk_listens(&t, &p, text).kind, HELLO);
    says_hello(&p, true);
    talk_say(&p, (word){4, WADI_LINK_NOTE, 1 | WADI_CONTROL_GOES_ON, TALK_STREAM, 0, 0, ""});
    talk_say(&p, (word){4, WADI_LINK_FAIL, WADI_CANCELLED, 0, TALK_STREAM, 0, "start it again"});
    bool told = false;
    wadi_log_set(note_warning, &told);
    for (int i = 0; i < 600 && !told; i++) takes_in(&t);
    wadi_log_set(NULL, NULL);
    assert_true(told);
    talk_leave(&p);
    assert_int_equal(wadi_port_receive(t.port, &c, &err), WADI_IO);
    if (strstr(err.msg, "one was there, but start it again") == NULL) fail_msg("%s", err.msg);
    talk_close(&t);
}

/* A sender whose earlier process has heard that gatherer 11 had all: somebody names this gatherer, is given what is behind the saving, and leaves. 0: nobody comes. */
static wadi_status serves_again(int64_t by) {
    talk t;
    wadi_error err = {.status = WADI_OK};
    wadi_port_options o = shares;
    const wadi_whole of = {
        .stream = TALK_STREAM, .lasts = true, .confirmed = true, .confirmed_by = 11};
    o.goes_on = true;
    o.lost_after_ns = INT64_C(1000000000);
    talk_open(&t, o);
    assert_int_equal(wadi_port_lay(t.port, &of, talk_chunk(&t, 0), NULL), WADI_OK);
    if (by != 0) {
        peer p = receiver(&t);
        says_from(&p, 0, by);
        hears_chunk(&t, &p, 0, 0);
        takes_in(&t);
        talk_leave(&p);
    }
    const wadi_status status = wadi_port_serve(t.port, &err);
    if (status != WADI_OK) assert_non_null(strstr(err.msg, "no receiver for"));
    talk_close(&t);
    return status;
}

static void an_end_that_was_confirmed_before_needs_nobody(void **state) {
    (void)state;
    assert_int_equal(serves_again(0), WADI_OK);
    assert_int_equal(serves_again(11), WADI_OK); /* one that was about to end */
    assert_int_equal(serves_again(22), WADI_IO); /* which may lack something */
}

/* Its part goes to a file. */
static void what_is_done_is_certain_where_nobody_gathers(void **state) {
    (void)state;
    talk t;
    talk_open(&t, shares);
    peer p = receiver(&t);
    lays(&t, 0);
    lays(&t, 1);
    hears_chunk(&t, &p, 0, 0);
    hears_chunk(&t, &p, 1, 1);
    assert_int_equal(wadi_port_certain(t.port), 0);
    says_done(&p, 0, 3);
    until_certain(&t, 2);
    talk_leave(&p);
    talk_close(&t);
}

/* The next message that is no HELLO and gives no credit. */
static word listens(talk *t, peer *p) {
    char text[TALK_TEXT];
    word w = talk_listens(t, p, text);
    while (w.kind == HELLO || w.kind == WADI_LINK_READY) w = talk_listens(t, p, text);
    return w;
}

static void a_gatherer_says_what_it_has_before_anything_is_done(void **state) {
    (void)state;
    talk t;
    wadi_chunk *c = NULL;
    wadi_error err = {.status = WADI_OK};
    talk_open(&t, gathers);
    wadi_port_keep(t.port, 0, false);
    peer p = sender(&t, TALK_STREAM);
    if (wadi_port_receive(t.port, &c, &err) != WADI_OK) fail_msg("%s", err.msg);
    wadi_chunk_release(c);
    wadi_port_done(t.port, 0);
    const word from = listens(&t, &p);
    assert_int_equal(from.kind, WADI_CONTROL_FROM);
    assert_int_equal(from.number, 0);
    assert_int_equal(from.status, 1); /* it saves */
    assert_true(from.bytes > 0);
    assert_int_equal(listens(&t, &p).kind, WADI_LINK_DONE);
    wadi_port_keep(t.port, 2, false);
    const word kept = listens(&t, &p);
    assert_int_equal(kept.kind, WADI_CONTROL_KEPT);
    assert_int_equal(kept.number, 2);
    assert_int_equal(kept.status, 0);
    talk_say(&p, (word){4, WADI_CONTROL_FROM, 0, 4, TALK_STREAM, 0, NULL});
    assert_int_equal(wadi_port_receive(t.port, &c, &err), WADI_INVALID);
    assert_non_null(
        strstr(err.msg, "the sender goes on behind 4 elements, and 2 of them are here"));
    talk_leave(&p);
    talk_close(&t);
}

/* ---- older versions ---- */

/* Old ones would take the note for that of a stream of one receiver. */
static void an_old_one_that_has_a_part_is_told_so(void **state) {
    (void)state;
    wadi_port_options goes_on = shares;
    talk t;
    char text[TALK_TEXT];
    goes_on.goes_on = true;
    talk_open(&t, goes_on);
    peer p = talk_peer(&t, false);
    talk_say(&p, (word){3, HELLO, .number = 3, .bytes = 1});
    talk_say(&p, (word){3, WADI_LINK_READY, .number = 2, .bytes = MUCH});
    word w = {.kind = HELLO};
    while (w.kind == HELLO) w = talk_listens(&t, &p, text);
    assert_int_equal(w.kind, WADI_LINK_FAIL);
    assert_int_equal(w.status, WADI_UNSUPPORTED);
    assert_non_null(strstr(text, "speaks version 3 of the protocol"));
    talk_leave(&p);
    talk_close(&t);
}

static void an_old_gatherer_gets_no_stream_that_is_gone_on_with(void **state) {
    (void)state;
    const wadi_whole lasting = {.stream = TALK_STREAM, .lasts = true};
    talk t;
    char text[TALK_TEXT];
    wadi_error err = {.status = WADI_OK};
    talk_open(&t, sends_part);
    peer p = talk_peer(&t, true);
    assert_int_equal(talk_listens(&t, &p, text).kind, HELLO);
    talk_say(&p, (word){3, HELLO, .number = 3, .bytes = 1});
    talk_say(&p, (word){3, WADI_LINK_READY, .number = 2, .bytes = MUCH});
    assert_int_equal(wadi_port_lay(t.port, &lasting, talk_chunk(&t, 0), NULL), WADI_OK);
    assert_int_equal(wadi_port_serve(t.port, &err), WADI_UNSUPPORTED);
    assert_non_null(strstr(err.msg, "speaks version 3 of the protocol"));
    talk_leave(&p);
    talk_close(&t);
}

/* ---- the wrong end ---- */

/* What the port says to a peer that binds, or connects, and is of the other kind. */
static void tells(wadi_port_options o, bool other_shares, const char *words) {
    talk t;
    char text[TALK_TEXT];
    talk_open(&t, o);
    peer p = talk_peer(&t, !o.bind);
    if (p.binds) assert_int_equal(talk_listens(&t, &p, text).kind, HELLO);
    says_hello(&p, other_shares);
    if (o.sends)
        grants(&p);
    else
        says_note(&p, TALK_STREAM);
    word w = {.kind = HELLO};
    while (w.kind == HELLO || w.kind == WADI_LINK_READY || w.kind == WADI_LINK_NOTE)
        w = talk_listens(&t, &p, text);
    assert_int_equal(w.kind, WADI_LINK_FAIL);
    if (strstr(text, words) == NULL) fail_msg("%s", text);
    talk_leave(&p);
    talk_close(&t);
}

static void each_is_told_what_to_write_at_which_end(void **state) {
    (void)state;
    const wadi_port_options sends_and_binds = {.bind = true, .sends = true}, connects = {0};
    tells(shares, false, "the other end does not take a part of it (@link,part:ADDRESS)");
    tells(connects, true, "the other end does not take a part of it (@link,part:ADDRESS)");
    tells(takes_part, false, "(@link,share:ADDRESS on the sender's side)");
    tells(sends_and_binds, true, "(@link,share:ADDRESS on the sender's side)");
    tells(sends_part, false, "(@link,gather:ADDRESS on the receiver's side)");
    tells(receives, true, "(@link,gather:ADDRESS on the receiver's side)");
    tells(gathers, false, "the receiver gathers parts of a stream");
    tells(sends, true, "the receiver gathers parts of a stream");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(why_one_has_left_does_not_end_the_stream_when_another_is_lost),
        cmocka_unit_test(the_reason_of_the_last_one_ends_it),
        cmocka_unit_test(the_stream_of_one_that_was_lost_at_once_binds_nobody),
        cmocka_unit_test(waiting_begins_when_the_last_one_that_was_there_has_gone),
        cmocka_unit_test(nothing_comes_behind_a_failure_before_the_stream_has_a_name),
        cmocka_unit_test(who_finds_all_places_taken_is_told),
        cmocka_unit_test(what_was_done_for_an_earlier_gatherer_is_sent_again),
        cmocka_unit_test(a_gatherer_that_is_forgotten_leaves_nothing_missing),
        cmocka_unit_test(one_that_floods_leaves_answers_to_others),
        cmocka_unit_test(replies_are_counted_for_all_and_for_each),
        cmocka_unit_test(an_end_that_was_confirmed_before_needs_nobody),
        cmocka_unit_test(who_has_to_be_started_again_is_told_to_all),
        cmocka_unit_test(a_part_waits_for_a_sender_that_is_to_be_started_again),
        cmocka_unit_test(what_is_done_is_certain_where_nobody_gathers),
        cmocka_unit_test(a_gatherer_says_what_it_has_before_anything_is_done),
        cmocka_unit_test(an_old_one_that_has_a_part_is_told_so),
        cmocka_unit_test(an_old_gatherer_gets_no_stream_that_is_gone_on_with),
        cmocka_unit_test(each_is_told_what_to_write_at_which_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
