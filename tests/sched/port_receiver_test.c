/* A port that receives, against docs/WIRE.md, message by message: its answer to each peer, which peers it trusts, and what ends the
 * stream. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <zmq.h>

#include "tests/sched/port_talk.h"

enum { HELLO = WADI_CONTROL_HELLO };

static const wadi_port_options binds = {.bind = true};

static word ready(int version) {
    return (word){version, WADI_LINK_READY, .number = TALK_CHUNKS, .bytes = TALK_BYTES};
}

/* HELLO of version 2, and its answer. */
static void meet(talk *t, peer *p) {
    talk_greet(p, 2);
    talk_hears(t, p, (word){2, HELLO, .number = WADI_CONTROL_VERSION});
    talk_hears(t, p, ready(2));
}

/* The next chunk is that one; it is done at once. */
static void takes(talk *t, int64_t number) {
    wadi_chunk *c = NULL;
    wadi_error err = {.status = WADI_OK};
    if (wadi_port_receive(t->port, &c, &err) != WADI_OK) fail_msg("%s", err.msg);
    assert_non_null(c);
    assert_int_equal(c->number, number);
    assert_int_equal(*(const int64_t *)wadi_chunk_array(c, 0, 1).column[0], 2 * number + 1);
    wadi_chunk_release(c);
    wadi_port_done(t->port, number);
}

static void ends(talk *t) {
    wadi_chunk *c = NULL;
    wadi_error err = {.status = WADI_OK};
    if (wadi_port_receive(t->port, &c, &err) != WADI_OK) fail_msg("%s", err.msg);
    assert_null(c);
}

static void breaks(talk *t, wadi_status status, const char *words) {
    wadi_chunk *c = NULL;
    wadi_error err = {.status = WADI_OK};
    assert_int_equal(wadi_port_receive(t->port, &c, &err), status);
    assert_string_equal(err.msg, words);
}

static void has_note(talk *t, const char *want) {
    const void *note = NULL;
    int64_t n = -1;
    assert_int_equal(wadi_port_note(t->port, &note, &n, NULL), WADI_OK);
    assert_int_equal(n, want != NULL ? (int64_t)strlen(want) : 0);
    if (want == NULL)
        assert_null(note);
    else
        assert_memory_equal(note, want, (size_t)n);
}

/* A HELLO may come as often as it likes. */
static void a_hello_is_answered_in_its_version(void **state) {
    (void)state;
    enum { PEERS = 5 };
    static const int speaks[PEERS] = {0, 1, 2, 3, 255};
    peer p[PEERS];
    talk t;
    talk_open(&t, binds);
    for (int i = 0; i < PEERS; i++) {
        p[i] = talk_peer(&t, false);
        for (int again = 0; again < 2; again++) {
            talk_greet(&p[i], speaks[i]);
            const int agreed = speaks[i] < 1 ? 1 : speaks[i] < 4 ? speaks[i] : 4;
            if (speaks[i] >= 2) talk_hears(&t, &p[i], (word){agreed, HELLO, .number = 4});
            char text[TALK_TEXT];
            const word w = talk_listens(&t, &p[i], text);
            assert_int_equal(w.kind, WADI_LINK_READY);
            assert_int_equal(w.version, agreed);
            assert_int_equal(w.number, TALK_CHUNKS);
            assert_int_equal(w.bytes, TALK_BYTES);
        }
    }
    for (int i = 0; i < PEERS; i++) talk_leave(&p[i]);
    talk_close(&t);
}

static void a_stream_goes_from_its_note_to_its_end(void **state) {
    (void)state;
    talk t;
    talk_open(&t, binds);
    peer p = talk_peer(&t, false), other = talk_peer(&t, false);
    meet(&t, &other);
    meet(&t, &p);
    talk_say_note(&p, TALK_STREAM, "abc");
    talk_hears(&t, &p, ready(2));
    has_note(&t, "abc");
    talk_say_note(&p, TALK_STREAM, "abc"); /* it may come twice */
    talk_greet(&p, 2);                     /* of the partner this is no question */
    for (int64_t i = 0; i < 2; i++) {
        talk_send_chunk(&t, &p, TALK_STREAM, i);
        takes(&t, i);
        talk_hears(&t, &p,
                   (word){2, WADI_LINK_DONE, 0, i, TALK_CHUNKS + i + 1,
                          TALK_BYTES + (i + 1) * TALK_CHUNK_BYTES, NULL});
    }
    talk_greet(&other, 2);
    talk_hears_fail(&t, &other, WADI_IO, 0, TALK_STREAM, "the receiver listens to another stream");
    assert_false(wadi_port_ready(t.port));
    talk_say(&p, (word){2, WADI_LINK_END, .number = 2, .sequence = TALK_STREAM});
    ends(&t);
    assert_true(wadi_port_ready(t.port));
    talk_leave(&p); /* that is no loss any more */
    talk_greet_until(&t, &other, "the receiver listens to another stream", "the stream is over");
    ends(&t);
    talk_leave(&other);
    talk_close(&t);
}

static void streams_may_have_no_note(void **state) {
    (void)state;
    talk t;
    talk_open(&t, binds);
    peer p = talk_peer(&t, false);
    talk_say_note(&p, 5, NULL);
    talk_hears(&t, &p, ready(2)); /* who speaks version 2 is spoken to in it */
    has_note(&t, NULL);
    talk_say_note(&p, 5, NULL);
    talk_send_chunk(&t, &p, 5, 0);
    takes(&t, 0);
    talk_hears(&t, &p, (word){2, WADI_LINK_DONE, 0, 0, 4, TALK_BYTES + TALK_CHUNK_BYTES, NULL});
    talk_say_note(&p, 5, "late");
    talk_hears_fail(&t, &p, WADI_IO, 0, 5, "link: a second, different note");
    breaks(&t, WADI_IO, "link: a second, different note");
    talk_leave(&p);
    talk_close(&t);
}

/* ---- what makes no sense of a partner ---- */

enum { SAY, NOTE, NO_NOTE, CHUNK, FRAMES, MANY_CHUNKS, TWO_ENDS };

typedef struct lie {
    int how;
    word w;
    int64_t stream, number; /* of the chunk */
    wadi_status status;
    const char *answer;
} lie;

static const lie lies[] = {
    {NOTE, {.number = TALK_STREAM, .text = "abd"}, 0, 0, WADI_IO, "link: a second, different note"},
    {NOTE,
     {.number = TALK_STREAM, .text = "abcd"},
     0,
     0,
     WADI_IO,
     "link: a second, different note"},
    {NOTE, {.number = TALK_STREAM, .text = "ab"}, 0, 0, WADI_IO, "link: a second, different note"},
    {NO_NOTE, {.number = TALK_STREAM}, 0, 0, WADI_IO, "link: a second, different note"},
    {NOTE,
     {.number = 78, .text = "abc"},
     0,
     0,
     WADI_IO,
     "link: a message of another stream than the one that has begun"},
    {CHUNK,
     {2, WADI_LINK_CHUNK, .bytes = TALK_CHUNK_BYTES},
     78,
     0,
     WADI_IO,
     "link: a message of another stream than the one that has begun"},
    {CHUNK,
     {2, WADI_LINK_CHUNK, 0, 1, 0, TALK_CHUNK_BYTES, NULL},
     TALK_STREAM,
     0,
     WADI_IO,
     "link: chunk 1 differs from its announcement"},
    {CHUNK,
     {2, WADI_LINK_CHUNK, 0, 0, 0, TALK_CHUNK_BYTES + 1, NULL},
     TALK_STREAM,
     0,
     WADI_IO,
     "link: chunk 0 differs from its announcement"},
    {SAY, {2, WADI_LINK_CHUNK, .text = NULL}, 0, 0, WADI_IO, "link: a chunk without frames"},
    {SAY, {2, WADI_LINK_NOTE, .number = TALK_STREAM}, 0, 0, WADI_IO, "link: a note is one frame"},
    {SAY, {2, WADI_LINK_END, .sequence = 78}, 0, 0, WADI_IO, "link: the end of another stream"},
    {TWO_ENDS, {0}, 0, 0, WADI_IO, "link: an end that is not that of the stream"},
    {SAY,
     {2, WADI_LINK_READY, .number = 1},
     0,
     0,
     WADI_IO,
     "link: message of kind 1 makes no sense here: both ends receive"},
    {SAY,
     {2, WADI_LINK_DONE, .number = 0},
     0,
     0,
     WADI_IO,
     "link: message of kind 3 makes no sense here"},
    {SAY, {2, 0, .number = 0}, 0, 0, WADI_IO, "link: message of kind 0 makes no sense here"},
    {SAY,
     {5, WADI_LINK_END, .number = 0},
     0,
     0,
     WADI_UNSUPPORTED,
     "link: protocol version 5; this build speaks 1 to 4"},
    {FRAMES, {0}, 0, 0, WADI_IO, "link: a message with too many frames"},
    {MANY_CHUNKS, {0}, 0, 0, WADI_IO, "link: more chunks than were asked for"},
};

static void tell(talk *t, peer *p, const lie *l) {
    switch (l->how) {
    case NOTE:
        talk_say_note(p, l->w.number, l->w.text);
        break;
    case NO_NOTE:
        talk_say_note(p, l->w.number, NULL);
        break;
    case CHUNK:
        talk_say_chunk(t, p, l->stream, l->number, l->w);
        break;
    case FRAMES:
        for (int i = 0; i < WADI_WIRE_FRAMES + 10; i++)
            assert_int_equal(zmq_send(p->socket, "", 0, ZMQ_SNDMORE), 0);
        assert_int_equal(zmq_send(p->socket, "", 0, 0), 0);
        break;
    case MANY_CHUNKS: /* one more than was granted may be under way */
        for (int64_t i = 0; i < TALK_CHUNKS + 2; i++) talk_send_chunk(t, p, TALK_STREAM, i);
        break;
    case TWO_ENDS:
        talk_say(p, (word){2, WADI_LINK_END, .number = 5, .sequence = TALK_STREAM});
        talk_say(p, (word){2, WADI_LINK_END, .number = 6, .sequence = TALK_STREAM});
        break;
    default:
        talk_say(p, l->w);
    }
}

static void begin(talk *t, peer *p) {
    talk_open(t, binds);
    *p = talk_peer(t, false);
    meet(t, p);
    talk_say_note(p, TALK_STREAM, "abc");
    talk_hears(t, p, ready(2));
}

static void a_partner_that_lies_has_broken_a_stream_in_use(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        talk t;
        peer p;
        begin(&t, &p);
        has_note(&t, "abc");
        tell(&t, &p, &lies[i]);
        talk_hears_fail(&t, &p, (int)lies[i].status, 0, TALK_STREAM, lies[i].answer);
        if (lies[i].how == MANY_CHUNKS ||
            lies[i].how == TWO_ENDS) { /* what is sound still counts */
            wadi_port_give_up(t.port, &(wadi_error){.status = WADI_OK});
        } else {
            breaks(&t, lies[i].status, lies[i].answer);
        }
        talk_leave(&p);
        talk_close(&t);
    }
}

/* Nothing of the stream was used: the next one is received instead, as if the first had not been. */
static void before_that_it_is_forgotten(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        talk t;
        peer p;
        if (lies[i].how == TWO_ENDS) continue; /* its end stands */
        begin(&t, &p);
        tell(&t, &p, &lies[i]);
        talk_hears_fail(&t, &p, (int)lies[i].status, 0, TALK_STREAM, lies[i].answer);
        peer next = talk_peer(&t, false);
        meet(&t, &next);
        talk_say_note(&next, 5, "of another");
        talk_hears(&t, &next, ready(2));
        has_note(&t, "of another");
        talk_send_chunk(&t, &next, 5, 0);
        takes(&t, 0);
        talk_say(&next, (word){2, WADI_LINK_END, .number = 1, .sequence = 5});
        ends(&t);
        talk_leave(&p);
        talk_leave(&next);
        talk_close(&t);
    }
}

/* Of a stream without a note the first chunk is chunk 0, and the first that was sent. */
static void a_stream_begins_with_its_first_chunk(void **state) {
    (void)state;
    static const struct {
        int64_t number, sequence;
        const char *words;
    } wrongs[] = {{0, 7, "link: a stream that begins with chunk 0"},
                  {3, 0, "link: a stream that begins with chunk 3"}};
    talk t;
    talk_open(&t, binds);
    peer p = talk_peer(&t, false);
    for (int i = 0; i < 2; i++) {
        meet(&t, &p);
        talk_say_chunk(&t, &p, 5, wrongs[i].number,
                       (word){2, WADI_LINK_CHUNK, 0, wrongs[i].number, wrongs[i].sequence,
                              TALK_CHUNK_BYTES, NULL});
        talk_hears_fail(&t, &p, WADI_IO, 0, 0, wrongs[i].words);
    }
    talk_leave(&p);
    talk_close(&t);
}

/* Also somebody who has not been heard before. */
static void other_versions_are_answered(void **state) {
    (void)state;
    talk t;
    talk_open(&t, binds);
    peer p = talk_peer(&t, false);
    talk_say(&p, (word){9, WADI_LINK_NOTE, .number = 1});
    talk_hears(&t, &p,
               (word){1, WADI_LINK_FAIL, WADI_UNSUPPORTED, 0, 0, 0,
                      "link: protocol version 9; this build speaks 1 to 4"});
    talk_leave(&p);
    talk_close(&t);
}

/* ---- failures ---- */

static void a_failure_comes_behind_the_chunks_before_it(void **state) {
    (void)state;
    char long_reason[700];
    memset(long_reason, 'x', sizeof long_reason);
    long_reason[sizeof long_reason - 1] = '\0';
    const struct {
        word w;
        wadi_status status;
        const char *words;
    } failures[] = {
        {{2, WADI_LINK_FAIL, WADI_FAULT, 1, TALK_STREAM, 0, "why"}, WADI_FAULT, "why"},
        {{1, WADI_LINK_FAIL, WADI_IO, 1, 0, 0, "why"}, WADI_IO, "why"},
        {{2, WADI_LINK_FAIL, WADI_IO, 1, TALK_STREAM, 0, NULL}, WADI_IO, "no reason given"},
        {{2, WADI_LINK_FAIL, WADI_IO, 1, TALK_STREAM, 0, ""}, WADI_IO, "no reason given"},
        {{2, WADI_LINK_FAIL, WADI_OK, 1, TALK_STREAM, 0, "why"}, WADI_INTERNAL, "why"},
        {{2, WADI_LINK_FAIL, WADI_CANCELLED, 1, TALK_STREAM, 0, "cancelled"},
         WADI_CANCELLED,
         "the sender was cancelled"},
        {{2, WADI_LINK_FAIL, WADI_IO, 1, TALK_STREAM, 0, long_reason},
         WADI_IO,
         long_reason + sizeof long_reason - 512},
    };
    for (size_t i = 0; i < sizeof failures / sizeof *failures; i++) {
        talk t;
        peer p;
        begin(&t, &p);
        talk_say(&p, failures[i].w);
        talk_send_chunk(&t, &p, TALK_STREAM, 0);
        takes(&t, 0);
        assert_true(wadi_port_ready(t.port));
        breaks(&t, failures[i].status, failures[i].words);
        talk_leave(&p);
        talk_close(&t);
    }
}

/* The failure of another stream is none of this one, and of its sender nothing more is believed. */
static void a_failure_of_another_stream_is_none(void **state) {
    (void)state;
    talk t;
    peer p;
    begin(&t, &p);
    has_note(&t, "abc");
    talk_say(&p, (word){2, WADI_LINK_FAIL, WADI_FAULT, 0, 78, 0, "why"});
    breaks(&t, WADI_IO, "link: the failure of another stream");
    talk_leave(&p);
    talk_close(&t);
}

static void all_hear_that_it_gives_up(void **state) {
    (void)state;
    const wadi_error why = {.status = WADI_FAULT, .msg = "enough"};
    talk t;
    peer p;
    talk_open(&t, binds);
    peer other = talk_peer(&t, false);
    meet(&t, &other);
    p = talk_peer(&t, false);
    meet(&t, &p);
    talk_say_note(&p, TALK_STREAM, "abc");
    talk_hears(&t, &p, ready(2));
    talk_send_chunk(&t, &p, TALK_STREAM, 0);
    takes(&t, 0);
    talk_hears(&t, &p, (word){2, WADI_LINK_DONE, 0, 0, 4, TALK_BYTES + TALK_CHUNK_BYTES, NULL});
    wadi_port_give_up(t.port, &why);
    talk_hears_fail(&t, &p, WADI_FAULT, 1, TALK_STREAM, "enough");
    talk_hears_fail(&t, &other, WADI_FAULT, 0, TALK_STREAM, "enough");
    talk_leave(&p);
    talk_leave(&other);
    talk_close(&t);
}

/* ---- strangers ---- */

/* The one who has been silent for longest makes room, but never the partner. */
static void seats_are_given_up_by_the_oldest(void **state) {
    (void)state;
    const wadi_error why = {.status = WADI_FAULT, .msg = "enough"};
    enum { ALL = WADI_LINK_PEERS + 3 }; /* the partner and its 63 seats, and three too many */
    static peer p[ALL];
    talk t;
    talk_open(&t, binds);
    for (int i = 0; i < ALL; i++) {
        p[i] = talk_peer(&t, false);
        meet(&t, &p[i]);
    }
    /* 0, 1 and 2 are forgotten; 3 becomes the partner, and 4 makes room for 0 who comes again */
    talk_say_note(&p[3], TALK_STREAM, "abc");
    talk_hears(&t, &p[3], ready(2));
    talk_greet(&p[0], 2);
    talk_hears(&t, &p[0],
               (word){1, WADI_LINK_FAIL, WADI_IO, 0, TALK_STREAM, 0,
                      "the receiver listens to another stream"});
    wadi_port_give_up(t.port, &why);
    talk_hears_fail(&t, &p[3], WADI_FAULT, 0, TALK_STREAM, "enough");
    for (int i = 5; i < ALL; i++) talk_hears_fail(&t, &p[i], WADI_FAULT, 0, TALK_STREAM, "enough");
    for (int i = 0; i < 5; i++) { /* who has no seat has heard nothing, and is new */
        if (i == 3) continue;
        talk_say(&p[i], (word){2, WADI_LINK_END, .number = 1});
        talk_hears(&t, &p[i],
                   (word){1, WADI_LINK_FAIL, WADI_IO, 0, TALK_STREAM, 0,
                          "the receiver listens to another stream"});
    }
    for (int i = 0; i < ALL; i++) talk_leave(&p[i]);
    talk_close(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hello_is_answered_in_its_version),
        cmocka_unit_test(a_stream_goes_from_its_note_to_its_end),
        cmocka_unit_test(streams_may_have_no_note),
        cmocka_unit_test(a_partner_that_lies_has_broken_a_stream_in_use),
        cmocka_unit_test(before_that_it_is_forgotten),
        cmocka_unit_test(a_stream_begins_with_its_first_chunk),
        cmocka_unit_test(other_versions_are_answered),
        cmocka_unit_test(a_failure_comes_behind_the_chunks_before_it),
        cmocka_unit_test(a_failure_of_another_stream_is_none),
        cmocka_unit_test(all_hear_that_it_gives_up),
        cmocka_unit_test(seats_are_given_up_by_the_oldest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
