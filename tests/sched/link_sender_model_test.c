/* The sending half of a link against a model of the rules in sched/link/link.h. Peers send anything in any order; both must give the
 * same. The model keeps every chunk for ever and searches all of them each time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "sched/link/link.h"

enum { PEERS = 4, CHUNKS = 40, STEPS = 400 };

static uint64_t rng_state;

static int below(int n) {
    rng_state = rng_state * 6364136223846793005u + 1442695040888963407u;
    return (int)((rng_state >> 33) % (uint64_t)n);
}

/* Peers at both ends of the range. */
static const int seat[PEERS] = {0, 1, 17, WADI_LINK_PEERS - 1};

typedef struct chunk {
    bool there, ever_sent, done;
    int64_t bytes;
    int with; /* the peer it is with; -1: nobody */
} chunk;

typedef struct model {
    chunk c[CHUNKS]; /* by number */
    struct {
        bool alive, note, end, fail;
        int64_t may_bytes, may_chunks, bytes, chunks;
    } p[PEERS];
    int64_t bound, end; /* end: -1 while there may be more */
    bool confirmed, nonsense;
    int64_t fails, failed; /* numbers of our failure and of a peer's first; -1: none */
    int dropped[CHUNKS], want_dropped[CHUNKS];
} model;

static char payload[CHUNKS];

static void drop(void *env, void *what) {
    ((model *)env)->dropped[(char *)what - payload]++;
}

/* ---- the rules ---- */

static int first_open(const model *m) {
    for (int n = 0; n < CHUNKS; n++)
        if (m->c[n].there && !m->c[n].done) return n;
    return -1;
}

static bool fits(const model *m, int peer, int number) {
    int64_t out = 0;
    for (int n = 0; n < CHUNKS; n++)
        if (m->c[n].there && !m->c[n].done && m->c[n].with >= 0) out += m->c[n].bytes;
    if (m->bound > 0 && out + m->c[number].bytes > m->bound) return false;
    return m->p[peer].chunks + 1 <= m->p[peer].may_chunks &&
           m->p[peer].bytes + m->c[number].bytes <= m->p[peer].may_bytes;
}

/* The chunk that is next, to the peer that has used least of what it granted. */
static bool next_chunk(model *m, wadi_link_message *want) {
    int number = 0, to = -1;
    while (number < CHUNKS && (!m->c[number].there || m->c[number].done || m->c[number].with >= 0))
        number++;
    if (number == CHUNKS) return false;
    for (int p = 0; p < PEERS; p++) {
        if (!m->p[p].alive || m->p[p].may_chunks < 1) continue;
        if (number != first_open(m) && !fits(m, p, number)) continue;
        if (to < 0 || m->p[p].may_chunks - m->p[p].chunks > m->p[to].may_chunks - m->p[to].chunks)
            to = p;
    }
    if (to < 0) return false;
    *want = (wadi_link_message){.kind = WADI_LINK_CHUNK,
                                .peer = seat[to],
                                .number = number,
                                .bytes = m->c[number].bytes,
                                .sequence = m->p[to].chunks++,
                                .payload = &payload[number]};
    m->p[to].bytes += m->c[number].bytes;
    m->c[number].with = to;
    m->c[number].ever_sent = true;
    return true;
}

static bool next_message(model *m, wadi_link_message *want) {
    for (int p = 0; p < PEERS && m->fails >= 0; p++) {
        if (!m->p[p].alive || m->p[p].fail) continue;
        m->p[p].fail = true;
        *want = (wadi_link_message){
            .kind = WADI_LINK_FAIL, .peer = seat[p], .number = m->fails, .status = WADI_IO};
        return true;
    }
    for (int p = 0; p < PEERS; p++) {
        if (!m->p[p].alive || m->p[p].may_chunks == 0 || m->p[p].note) continue;
        m->p[p].note = true;
        *want = (wadi_link_message){.kind = WADI_LINK_NOTE, .peer = seat[p]};
        return true;
    }
    if (next_chunk(m, want)) return true;
    for (int p = 0; p < PEERS && m->end >= 0 && first_open(m) < 0; p++) {
        if (!m->p[p].alive || m->p[p].may_chunks == 0 || m->p[p].end) continue;
        m->p[p].end = true;
        *want = (wadi_link_message){.kind = WADI_LINK_END, .peer = seat[p], .number = m->end};
        return true;
    }
    return false;
}

/* ---- both at once ---- */

static void pop(model *m, wadi_link_sender *s) {
    wadi_link_message want, got;
    const bool there = next_message(m, &want);
    assert_int_equal(wadi_link_sender_pop(s, &got), there);
    if (!there) return;
    assert_int_equal(got.kind, want.kind);
    assert_int_equal(got.peer, want.peer);
    assert_int_equal(got.number, want.number);
    assert_int_equal(got.bytes, want.bytes);
    assert_int_equal(got.sequence, want.sequence);
    assert_ptr_equal(got.payload, want.payload);
    assert_int_equal(got.status, want.status);
    if (got.kind == WADI_LINK_FAIL) assert_string_equal(got.reason, "no more");
}

/* One that comes late is put before the others. */
static void push(model *m, wadi_link_sender *s) {
    const int number = below(CHUNKS);
    if (m->c[number].there || m->end >= 0) return;
    m->c[number] = (chunk){.there = true, .bytes = 1 + below(60), .with = -1};
    assert_true(wadi_link_sender_push(s, number, m->c[number].bytes, &payload[number]));
}

/* A number that is no longer kept and not beyond all that were sent has been done. */
static void done(model *m, wadi_link_sender *s, int p) {
    const int oldest = first_open(m), number = below(3) > 0 || oldest < 0 ? below(CHUNKS) : oldest;
    const int64_t bytes = below(300), chunks = below(20);
    int highest = -1;
    chunk *c = &m->c[number];
    for (int n = 0; n < CHUNKS; n++)
        if (m->c[n].ever_sent) highest = n;
    if (bytes > m->p[p].may_bytes) m->p[p].may_bytes = bytes;
    if (chunks > m->p[p].may_chunks) m->p[p].may_chunks = chunks;
    wadi_link_sender_on_done(s, seat[p], number, bytes, chunks);
    if (c->there && !c->done && c->ever_sent) {
        c->done = m->confirmed = true;
        m->want_dropped[number] = 1;
    } else if (c->there && !c->done) {
        m->nonsense = true;
    } else if (!c->there && number > highest) {
        m->nonsense = true;
    }
}

static void join(model *m, wadi_link_sender *s, int p) {
    for (int n = 0; n < CHUNKS; n++)
        if (m->c[n].with == p) m->c[n].with = -1;
    memset(&m->p[p], 0, sizeof m->p[p]);
    m->p[p].alive = true;
    wadi_link_sender_on_join(s, seat[p]);
}

static void ready(model *m, wadi_link_sender *s, int p) {
    const int64_t bytes = below(300), chunks = below(20);
    if (bytes > m->p[p].may_bytes) m->p[p].may_bytes = bytes;
    if (chunks > m->p[p].may_chunks) m->p[p].may_chunks = chunks;
    wadi_link_sender_on_ready(s, seat[p], bytes, chunks);
}

static void lose(model *m, wadi_link_sender *s, int p) {
    for (int n = 0; n < CHUNKS; n++)
        if (m->c[n].with == p) m->c[n].with = -1;
    m->p[p].alive = false;
    wadi_link_sender_on_lost(s, seat[p]);
}

/* Of failures the first one counts. */
static void give_up(model *m, wadi_link_sender *s, int p) {
    const int64_t number = below(CHUNKS);
    if (below(2) == 0) {
        wadi_link_sender_fail(s, number, WADI_IO, m->fails < 0 ? "no more" : "again");
        if (m->fails < 0) m->fails = number;
    } else {
        wadi_link_sender_on_fail(s, seat[p], number, WADI_FAULT, m->failed < 0 ? "why" : "again");
        if (m->failed < 0) m->failed = number;
    }
}

static void check(model *m, wadi_link_sender *s) {
    int open = 0, unsent = 0, alive = 0;
    for (int n = 0; n < CHUNKS; n++) {
        open += m->c[n].there && !m->c[n].done;
        unsent += m->c[n].there && !m->c[n].done && m->c[n].with < 0;
        assert_int_equal(m->dropped[n], m->want_dropped[n]);
    }
    for (int p = 0; p < PEERS; p++) alive += m->p[p].alive;
    assert_int_equal(wadi_link_sender_kept(s), open);
    assert_int_equal(wadi_link_sender_queued(s), unsent);
    assert_int_equal(wadi_link_sender_peers(s), alive);
    assert_int_equal(s->nonsense != NULL, m->nonsense);
    m->nonsense = false; /* each of them is to be noticed */
    s->nonsense = NULL;
    assert_int_equal(s->confirmed, m->confirmed);
    assert_int_equal(s->received.set, m->failed >= 0);
    if (m->failed < 0) return;
    assert_int_equal(s->received.number, m->failed);
    assert_int_equal(s->received.status, WADI_FAULT);
    assert_string_equal(s->received.reason, "why");
}

static void step(model *m, wadi_link_sender *s) {
    const int p = below(PEERS), what = below(100);
    if (what < 40)
        pop(m, s);
    else if (what < 60)
        push(m, s);
    else if (what < 75)
        done(m, s, p);
    else if (what < 88)
        ready(m, s, p);
    else if (what < 94)
        join(m, s, p);
    else if (what < 98)
        lose(m, s, p);
    else if (below(4) == 0)
        give_up(m, s, p);
    check(m, s);
}

static void what_is_sent_follows_the_rules(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        model m = {.end = -1, .fails = -1, .failed = -1};
        wadi_link_sender s;
        rng_state = seed;
        wadi_link_sender_init(&s, drop, &m);
        m.bound = s.most_bytes = seed % 2 == 0 ? 0 : 100;
        for (int i = 0; i < STEPS; i++) {
            if (i == STEPS / 2 && seed % 3 == 0) wadi_link_sender_end(&s, m.end = CHUNKS);
            step(&m, &s);
        }
        wadi_link_sender_fini(&s);
        for (int n = 0; n < CHUNKS; n++) assert_int_equal(m.dropped[n], m.c[n].there);
    }
}

/* A reason longer than there is room for is cut, and ended. */
static void a_long_reason_is_cut(void **state) {
    (void)state;
    char reason[2000];
    wadi_link_sender s;
    memset(reason, 'x', sizeof reason);
    reason[sizeof reason - 1] = '\0';
    wadi_link_sender_init(&s, drop, NULL);
    wadi_link_sender_fail(&s, 0, WADI_IO, reason);
    assert_int_equal(strlen(s.failure.reason), sizeof s.failure.reason - 1);
    wadi_link_sender_fini(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_sent_follows_the_rules),
        cmocka_unit_test(a_long_reason_is_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
