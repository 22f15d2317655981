/* The receiving half of a link against a model of the rules in sched/link/link.h. Senders send anything in any order, often what no
 * sender may; both must give the same. The model remembers each chunk and each sequence number for ever. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "sched/link/link.h"

enum { PEERS = 3, CHUNKS = 40, STEPS = 400, SEQUENCES = 200, PAYLOADS = STEPS, BYTES = 500 };

static uint64_t rng_state;

static int below(int n) {
    rng_state = rng_state * 6364136223846793005u + 1442695040888963407u;
    return (int)((rng_state >> 33) % (uint64_t)n);
}

/* Peers at both ends of the range. */
static const int seat[PEERS] = {0, 5, WADI_LINK_PEERS - 1};

typedef struct chunk {
    bool held, taken;
    int64_t bytes;
    int credit;       /* the peer whose credit it uses; -1: it is lost */
    bool told[PEERS]; /* who has sent it since it is held */
    int payload;
} chunk;

typedef struct model {
    bool ordered;
    int64_t window;
    chunk c[CHUNKS];
    struct {
        bool alive, ready, fail, seen[SEQUENCES];
        int64_t bytes, chunks; /* free again */
    } p[PEERS];
    struct {
        int peer, number;
    } dones[8 * STEPS];
    int first_done, dones_end;
    int64_t next, end; /* end: -1: not told */
    bool nonsense;
    int64_t fails, failed; /* numbers of our failure and of the sender's first; -1: none */
    int payloads;
    bool dropped[PAYLOADS], want_dropped[PAYLOADS];
} model;

static char payload[PAYLOADS];

static void drop(void *env, void *what) {
    model *m = env;
    const ptrdiff_t i = (char *)what - payload;
    assert_in_range(i, 0, PAYLOADS - 1);
    assert_false(m->dropped[i]);
    m->dropped[i] = true;
}

/* ---- the rules ---- */

/* A sequence number is news once, and no further ahead of the first that is missing than 63. */
static bool is_news(model *m, int p, int sequence) {
    int missing = 0;
    while (m->p[p].seen[missing]) missing++;
    if (m->p[p].seen[sequence] || sequence > missing + 63) return false;
    m->p[p].seen[sequence] = true;
    return true;
}

static void free_credit(model *m, int p, int64_t bytes) {
    if (p < 0) return;
    m->p[p].bytes += bytes;
    m->p[p].chunks++;
    m->p[p].ready = true;
}

static void say_done(model *m, int p, int number) {
    m->dones[m->dones_end].peer = p;
    m->dones[m->dones_end++].number = number;
}

static bool next_message(model *m, wadi_link_message *want) {
    for (int p = 0; p < PEERS && m->fails >= 0; p++) {
        if (!m->p[p].alive || m->p[p].fail) continue;
        m->p[p].fail = true;
        *want = (wadi_link_message){
            .kind = WADI_LINK_FAIL, .peer = seat[p], .number = m->fails, .status = WADI_FAULT};
        return true;
    }
    for (; m->first_done < m->dones_end; m->first_done++) {
        const int p = m->dones[m->first_done].peer;
        if (!m->p[p].alive) continue;
        m->p[p].ready = false;
        *want = (wadi_link_message){.kind = WADI_LINK_DONE,
                                    .peer = seat[p],
                                    .number = m->dones[m->first_done++].number,
                                    .bytes = m->p[p].bytes + BYTES,
                                    .sequence = m->p[p].chunks + m->window};
        return true;
    }
    for (int p = 0; p < PEERS; p++) {
        if (!m->p[p].alive || !m->p[p].ready) continue;
        m->p[p].ready = false;
        *want = (wadi_link_message){.kind = WADI_LINK_READY,
                                    .peer = seat[p],
                                    .number = m->p[p].chunks + m->window,
                                    .bytes = m->p[p].bytes + BYTES};
        return true;
    }
    return false;
}

static int lowest_untaken(const model *m) {
    for (int n = 0; n < CHUNKS; n++)
        if (m->c[n].held && !m->c[n].taken) return n;
    return CHUNKS;
}

static bool handed_out(const model *m, int64_t count) {
    return m->ordered ? m->next >= count : lowest_untaken(m) >= count;
}

/* ---- both at once ---- */

static void pop(model *m, wadi_link_receiver *r) {
    wadi_link_message want, got;
    const bool there = next_message(m, &want);
    assert_int_equal(wadi_link_receiver_pop(r, &got), there);
    if (!there) return;
    assert_int_equal(got.kind, want.kind);
    assert_int_equal(got.peer, want.peer);
    assert_int_equal(got.number, want.number);
    assert_int_equal(got.bytes, want.bytes);
    assert_int_equal(got.sequence, want.sequence);
    assert_int_equal(got.status, want.status);
    if (got.kind == WADI_LINK_FAIL) assert_string_equal(got.reason, "no more");
}

/* What it has sent stays, and belongs to nobody. */
static void lose(model *m, wadi_link_receiver *r, int p) {
    int end = m->first_done;
    for (int i = m->first_done; i < m->dones_end; i++)
        if (m->dones[i].peer != p) m->dones[end++] = m->dones[i];
    m->dones_end = end;
    for (int n = 0; n < CHUNKS; n++) {
        m->c[n].told[p] = false;
        if (m->c[n].credit == p) m->c[n].credit = -1;
    }
    m->p[p].alive = false;
    wadi_link_receiver_on_lost(r, seat[p]);
}

/* Someone new takes a seat that is free. */
static void join(model *m, wadi_link_receiver *r, int p) {
    if (m->p[p].alive) return;
    memset(&m->p[p], 0, sizeof m->p[p]);
    m->p[p].alive = m->p[p].ready = true;
    wadi_link_receiver_on_join(r, seat[p]);
}

static void hold(model *m, int p, int number, int64_t bytes, int what) {
    int64_t held = 0;
    bool is_lowest = true;
    for (int n = 0; n < CHUNKS; n++) held += m->c[n].held && m->c[n].credit == p;
    for (int n = 0; n < number; n++)
        if (m->c[n].held && !m->c[n].taken && m->c[n].credit == p) is_lowest = false;
    const bool may = !m->ordered && is_lowest && held <= m->window + WADI_LINK_PEERS;
    if (held > m->window && !may) {
        m->nonsense = m->want_dropped[what] = true;
        return;
    }
    m->c[number] = (chunk){.held = true, .bytes = bytes, .credit = p, .payload = what};
    m->c[number].told[p] = true;
}

/* Mostly the next sequence number and a chunk that is wanted; else any. */
static void arrive(model *m, wadi_link_receiver *r, int p) {
    int number = below(CHUNKS), sequence = 0;
    const int64_t bytes = below(100);
    const int what = m->payloads++;
    while (m->p[p].seen[sequence]) sequence++;
    if (below(3) > 0 && m->next < CHUNKS - 3) number = (int)m->next + below(3);
    if (below(3) == 0) sequence = below(SEQUENCES - 1);
    wadi_link_receiver_on_chunk(r, seat[p], number, sequence, bytes, &payload[what]);

    const bool news = is_news(m, p, sequence), held = m->c[number].held;
    const bool over = m->ordered && number < m->next && !held;
    if (m->end >= 0 && number >= m->end) {
        m->nonsense = m->want_dropped[what] = true;
        return;
    }
    if (news && !held && !over) {
        hold(m, p, number, bytes, what);
        return;
    }
    m->want_dropped[what] = true;
    if (news) free_credit(m, p, bytes);
    if (over) say_done(m, p, number);
    if (held) m->c[number].told[p] = true;
}

static void take(model *m, wadi_link_receiver *r) {
    int64_t number = -1;
    void *got = NULL;
    const int want = lowest_untaken(m);
    const bool there =
        want < CHUNKS && (!m->ordered || want == m->next) && (m->failed < 0 || want < m->failed);
    assert_int_equal(wadi_link_receiver_take(r, &number, &got), there);
    if (!there) return;
    assert_int_equal(number, want);
    assert_ptr_equal(got, &payload[m->c[want].payload]);
    m->c[want].taken = true;
    m->next += m->ordered;
}

/* Any that was taken: everybody who has sent it hears of it. */
static void finish(model *m, wadi_link_receiver *r) {
    const int from = below(CHUNKS);
    for (int i = 0; i < CHUNKS; i++) {
        chunk *c = &m->c[(from + i) % CHUNKS];
        if (!c->held || !c->taken) continue;
        wadi_link_receiver_done(r, (from + i) % CHUNKS);
        free_credit(m, c->credit, c->bytes);
        for (int p = 0; p < PEERS; p++)
            if (c->told[p]) say_done(m, p, (from + i) % CHUNKS);
        c->held = false;
        return;
    }
}

static void end(model *m, wadi_link_receiver *r) {
    const int64_t count = below(3) > 0 ? m->next + below(4) : below(CHUNKS);
    wadi_link_receiver_on_end(r, count);
    bool fits = (!m->ordered || m->next <= count) && (m->end < 0 || m->end == count);
    for (int n = 0; n < CHUNKS; n++)
        if (m->c[n].held && n >= count) fits = false;
    if (!fits) m->nonsense = true;
    if (fits) m->end = count;
}

static void give_up(model *m, wadi_link_receiver *r) {
    const int64_t number = below(CHUNKS);
    if (below(2) == 0) {
        wadi_link_receiver_fail(r, WADI_FAULT, m->fails < 0 ? "no more" : "again");
        if (m->fails < 0) m->fails = m->next;
    } else {
        wadi_link_receiver_on_fail(r, number, WADI_IO, m->failed < 0 ? "why" : "again");
        if (m->failed < 0) m->failed = number;
    }
}

static void check(model *m, wadi_link_receiver *r) {
    int64_t held = 0, bytes = 0, got = -1;
    int alive = 0;
    for (int n = 0; n < CHUNKS; n++) {
        held += m->c[n].held;
        bytes += m->c[n].held ? m->c[n].bytes : 0;
    }
    for (int p = 0; p < PEERS; p++) alive += m->p[p].alive;
    assert_int_equal(wadi_link_receiver_held(r, &got), held);
    assert_int_equal(got, bytes);
    assert_int_equal(wadi_link_receiver_peers(r), alive);
    assert_memory_equal(m->dropped, m->want_dropped, sizeof m->dropped);
    assert_int_equal(r->nonsense != NULL, m->nonsense);
    m->nonsense = false; /* each of it is to be noticed */
    r->nonsense = NULL;
    assert_int_equal(wadi_link_receiver_ended(r), m->end >= 0 && handed_out(m, m->end));
    const wadi_link_failure *f = wadi_link_receiver_failed(r);
    assert_int_equal(f != NULL, m->failed >= 0 && handed_out(m, m->failed));
    if (f == NULL) return;
    assert_int_equal(f->number, m->failed);
    assert_int_equal(f->status, WADI_IO);
    assert_string_equal(f->reason, "why");
}

static void step(model *m, wadi_link_receiver *r) {
    const int p = below(PEERS), what = below(100);
    if (what < 35)
        pop(m, r);
    else if (what < 60)
        arrive(m, r, p);
    else if (what < 75)
        take(m, r);
    else if (what < 90)
        finish(m, r);
    else if (what < 94)
        join(m, r, p);
    else if (what < 97) {
        lose(m, r, p);
    } else if (below(6) == 0) {
        give_up(m, r);
    } else if (below(4) == 0) {
        end(m, r);
    }
    check(m, r);
}

static void what_is_received_follows_the_rules(void **state) {
    (void)state;
    static model m;
    for (uint64_t seed = 1; seed <= 120; seed++) {
        wadi_link_receiver r;
        rng_state = seed;
        m = (model){.ordered = seed % 4 != 0,
                    .window = 1 + (int64_t)seed % 4,
                    .end = -1,
                    .fails = -1,
                    .failed = -1};
        wadi_link_receiver_init(&r, m.ordered, BYTES, m.window, drop, &m);
        for (int p = 0; p < PEERS; p++) join(&m, &r, p);
        for (int i = 0; i < STEPS; i++) step(&m, &r);
        wadi_link_receiver_fini(&r);
        for (int n = 0; n < CHUNKS; n++)
            if (m.c[n].held && !m.c[n].taken) m.want_dropped[m.c[n].payload] = true;
        assert_memory_equal(m.dropped, m.want_dropped, sizeof m.dropped);
    }
}

/* Whoever asks for more is granted what can be told apart. */
static void a_window_has_a_bound(void **state) {
    (void)state;
    static const int64_t asked[] = {1, WADI_LINK_WINDOW - 1, WADI_LINK_WINDOW, WADI_LINK_WINDOW + 1,
                                    INT64_MAX};
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        wadi_link_receiver r;
        wadi_link_message m;
        wadi_link_receiver_init(&r, true, BYTES, asked[i], drop, NULL);
        wadi_link_receiver_on_join(&r, 3);
        assert_true(wadi_link_receiver_pop(&r, &m));
        assert_int_equal(m.number, asked[i] < WADI_LINK_WINDOW ? asked[i] : WADI_LINK_WINDOW);
        wadi_link_receiver_fini(&r);
    }
}

/* What was said before a restart, by either side, is not heard behind it. */
static void a_restart_forgets_failures_and_the_end(void **state) {
    (void)state;
    wadi_link_receiver r;
    wadi_link_message m;
    wadi_link_receiver_init(&r, false, BYTES, 3, drop, NULL);
    wadi_link_receiver_on_join(&r, 2);
    wadi_link_receiver_on_end(&r, 0);
    wadi_link_receiver_on_fail(&r, 0, WADI_IO, "why");
    wadi_link_receiver_fail(&r, WADI_FAULT, "no more");
    wadi_link_receiver_restart(&r);
    assert_int_equal(wadi_link_receiver_peers(&r), 0);
    assert_false(wadi_link_receiver_ended(&r));
    assert_null(wadi_link_receiver_failed(&r));
    wadi_link_receiver_on_join(&r, 2);
    assert_true(wadi_link_receiver_pop(&r, &m));
    assert_int_equal(m.kind, WADI_LINK_READY);
    assert_int_equal(m.number, 3);
    assert_int_equal(m.bytes, BYTES);
    assert_false(wadi_link_receiver_pop(&r, &m));
    assert_false(r.ordered);
    wadi_link_receiver_fini(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_received_follows_the_rules),
        cmocka_unit_test(a_window_has_a_bound),
        cmocka_unit_test(a_restart_forgets_failures_and_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
