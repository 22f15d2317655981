/* A port, on a clock that the test sets: how long it waits for each peer, what it says then, and how often it answers a peer that
 * sends nonsense. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/log.h"
#include "sched/transport/zmq/replies.h"
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

static atomic_llong now_ns, step_ns;

static int64_t now(void) {
    return atomic_fetch_add(&now_ns, atomic_load(&step_ns));
}

typedef struct told {
    int lines, last;
    char first[256];
} told;

static void count_line(void *env, wadi_log_level level, const char *line) {
    told *h = env;
    (void)level;
    if (strstr(line, "a peer was turned away: ") == NULL) return;
    if (h->lines++ == 0) (void)snprintf(h->first, sizeof h->first, "%s", line);
    h->last += strstr(line, " (later ones are not logged)") != NULL;
}

/* A hundred answers in a second to whoever makes no sense, and three lines in the log. */
static void who_never_makes_sense_is_not_answered_for_ever(void **state) {
    (void)state;
    told h = {0};
    talk t;
    atomic_store(&now_ns, 1000000000000);
    atomic_store(&step_ns, 0);
    wadi_clock_set(now);
    wadi_log_set(count_line, &h);
    talk_open(&t, binds);
    peer p = talk_peer(&t, false);
    for (int second = 0; second < 2; second++) {
        for (int i = 0; i < 130; i++) {
            if (i == 120) atomic_fetch_add(&now_ns, 1000000000); /* not more than one */
            talk_say(&p, (word){2, WADI_LINK_DONE, .number = 1});
            if (i < WADI_REPLIES_OF_ONE)
                talk_hears_fail(&t, &p, WADI_IO, 0, 0,
                                "link: message of kind 3 makes no sense here");
        }
        meet(&t, &p);
        talk_say(&p, (word){2, 99, .number = 1});
        meet(&t, &p);
        atomic_fetch_add(&now_ns, 1);
    }
    assert_int_equal(h.lines, 3);
    assert_int_equal(h.last, 1);
    assert_non_null(strstr(h.first, t.address));
    assert_non_null(strstr(h.first, "link: message of kind 3 makes no sense here"));
    talk_leave(&p);
    talk_close(&t);
    wadi_log_set(NULL, NULL);
    wadi_clock_set(NULL);
}

/* Who has been heard may take any time for the next word: the port waits until it is woken. */
static void a_partner_may_be_silent(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        wadi_chunk *c = NULL;
        talk t;
        int wake[2];
        assert_int_equal(pipe(wake), 0);
        assert_int_equal(write(wake[1], "x", 1), 1);
        atomic_store(&now_ns, 1000000000000);
        atomic_store(&step_ns, 0);
        wadi_clock_set(now);
        talk_open(&t, (wadi_port_options){.bind = i == 0, .lost_after_ns = 1000000000});
        peer p = talk_peer(&t, i != 0);
        if (i == 0) meet(&t, &p);
        if (i != 0) {
            talk_hears(&t, &p, (word){1, HELLO, .number = WADI_CONTROL_VERSION});
            talk_hears(&t, &p, ready(1));
        }
        talk_say_note(&p, TALK_STREAM, "abc");
        has_note(&t, "abc");
        atomic_fetch_add(&now_ns, INT64_C(1000000000000));
        wadi_port_wake_by(t.port, wake[0]);
        assert_int_equal(wadi_port_receive(t.port, &c, NULL), WADI_CANCELLED);
        talk_leave(&p);
        talk_close(&t);
        wadi_clock_set(NULL);
        (void)close(wake[0]);
        (void)close(wake[1]);
    }
}

/* Where the first sender may take any time, so it may. */
static void the_first_one_may_take_any_time(void **state) {
    (void)state;
    wadi_chunk *c = NULL;
    talk t;
    int wake[2];
    assert_int_equal(pipe(wake), 0);
    assert_int_equal(write(wake[1], "x", 1), 1);
    atomic_store(&now_ns, 1000000000000);
    atomic_store(&step_ns, 0);
    wadi_clock_set(now);
    talk_open(&t,
              (wadi_port_options){.bind = true, .first_after_ns = -1, .lost_after_ns = 1000000000});
    atomic_fetch_add(&now_ns, INT64_C(1000000000000));
    wadi_port_wake_by(t.port, wake[0]);
    assert_int_equal(wadi_port_receive(t.port, &c, NULL), WADI_CANCELLED);
    talk_close(&t);
    wadi_clock_set(NULL);
    (void)close(wake[0]);
    (void)close(wake[1]);
}

/* When one was forgotten the next is waited for as long as the first, from then on. */
static void who_was_forgotten_is_as_if_he_had_not_been(void **state) {
    (void)state;
    wadi_chunk *c = NULL;
    wadi_error err = {.status = WADI_OK};
    char head[128];
    double seconds = 0;
    talk t;
    atomic_store(&now_ns, 1000000000000);
    atomic_store(&step_ns, 0);
    wadi_clock_set(now);
    talk_open(&t, (wadi_port_options){.bind = true,
                                      .first_after_ns = INT64_C(5000000000),
                                      .lost_after_ns = INT64_C(2000000000)});
    peer p = talk_peer(&t, false), other = talk_peer(&t, false);
    talk_say_note(&p, 5, NULL);
    talk_hears(&t, &p, ready(2));
    talk_say_note(&p, 5, NULL);
    talk_send_chunk(&t, &p, 5, 0); /* which nobody takes */
    while (!wadi_port_ready(t.port)) continue;
    atomic_fetch_add(&now_ns, INT64_C(100000000000));
    talk_leave(&p);
    talk_greet_until(&t, &other, "the receiver listens to another stream", NULL);
    atomic_store(&step_ns, 50000000);
    assert_int_equal(wadi_port_receive(t.port, &c, &err), WADI_IO);
    (void)snprintf(head, sizeof head, "%s: no sender for ", t.address);
    assert_memory_equal(err.msg, head, strlen(head));
    assert_int_equal(sscanf(err.msg + strlen(head), "%lf", &seconds), 1);
    assert_true(seconds >= 5 && seconds < 5.9);
    atomic_store(&step_ns, 0);
    talk_leave(&other);
    other = talk_peer(&t, false);
    talk_say_note(&other, 6, "abc"); /* the first had none */
    talk_hears(&t, &other, ready(2));
    has_note(&t, "abc");
    talk_leave(&other);
    talk_close(&t);
    wadi_clock_set(NULL);
}

/* What is said after waiting in vain, and when. */
static void nobody_is_waited_for_longer_than_was_said(void **state) {
    (void)state;
    static const struct {
        int64_t first, later;
        bool binds, stranger;
        double least;
        const char *rest;
    } cases[] = {
        {0, 2, true, false, 2, " s"},
        {5, 2, true, false, 5, " s"},
        {1, 7, false, false, 1, " s"},
        {0, 3, true, true, 3, " s; turned away: 2, the last because: it says: be?ter so"},
    };
    told h = {0};
    wadi_log_set(count_line, &h);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        talk t;
        char head[128];
        double seconds = 0;
        int n = 0;
        wadi_chunk *c = NULL;
        wadi_error err = {.status = WADI_OK};
        atomic_store(&now_ns, 1000000000000);
        atomic_store(&step_ns, 0);
        wadi_clock_set(now);
        talk_open(&t, (wadi_port_options){.bind = cases[i].binds,
                                          .first_after_ns = cases[i].first * 1000000000,
                                          .lost_after_ns = cases[i].later * 1000000000});
        peer p = {0};
        if (cases[i].stranger) {
            p = talk_peer(&t, false);
            talk_say(&p, (word){2, WADI_LINK_FAIL, WADI_IO, 0, 0, 0, "good-bye"});
            talk_say(&p, (word){2, WADI_LINK_FAIL, WADI_IO, 0, 0, 0, "be\tter so"});
            meet(&t, &p);
        }
        atomic_store(&step_ns, 50000000);
        assert_int_equal(wadi_port_receive(t.port, &c, &err), WADI_IO);
        (void)snprintf(head, sizeof head, "%s: no sender for ", t.address);
        assert_memory_equal(err.msg, head, strlen(head));
        assert_int_equal(sscanf(err.msg + strlen(head), "%lf%n", &seconds, &n), 1);
        assert_true(seconds >= cases[i].least && seconds < cases[i].least + 0.9);
        assert_string_equal(err.msg + strlen(head) + n, cases[i].rest);
        if (p.socket != NULL) talk_leave(&p);
        talk_close(&t);
        wadi_clock_set(NULL);
    }
    wadi_log_set(NULL, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_never_makes_sense_is_not_answered_for_ever),
        cmocka_unit_test(a_partner_may_be_silent),
        cmocka_unit_test(the_first_one_may_take_any_time),
        cmocka_unit_test(who_was_forgotten_is_as_if_he_had_not_been),
        cmocka_unit_test(nobody_is_waited_for_longer_than_was_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
