/* The link protocol by simulation: messages travel through a network that delays, reorders, repeats and loses peers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sched/link/link.h"

enum { MOST_MESSAGES = 4096, WORKERS = 3, CHUNKS = 200, WINDOW_CHUNKS = 3, WINDOW_BYTES = 300 };

static uint64_t rng_state;

static int below(int n) {
    rng_state = rng_state * 6364136223846793005u + 1442695040888963407u;
    return (int)((rng_state >> 33) % (uint64_t)n);
}

/* A node's end of a link: 0 the source, 1..WORKERS the workers, COLLECTOR the collector. */
enum { SOURCE = 0, COLLECTOR = WORKERS + 1, NODES = WORKERS + 2 };

typedef struct flight {
    int from, to;
    int life; /* of both: what was under way when one of them went never arrives */
    wadi_link_message m;
} flight;

typedef struct world {
    flight flight[MOST_MESSAGES];
    int flights;
    bool dead[NODES];
    int life[NODES]; /* how often it has come back */
    wadi_link_sender source;
    wadi_link_receiver in[WORKERS]; /* of the workers */
    wadi_link_sender out[WORKERS];
    wadi_link_receiver collector;
    bool repeat, reorder;
    int64_t delivered;
} world;

/* Payloads are numbers in disguise: nothing to drop. */
static void *payload_of(int64_t number) {
    return (void *)(intptr_t)(number + 1);
}

static void drop(void *env, void *payload) {
    (void)env;
    (void)payload;
}

static int64_t size_of(int64_t number) {
    return number % 50 == 7 ? 2 * WINDOW_BYTES
                            : 20 + number % 13 * 20; /* some are larger than the window */
}

static void post(world *w, int from, int to, const wadi_link_message *m) {
    const int copies = w->repeat && below(4) == 0 ? 2 : 1;
    for (int i = 0; i < copies; i++) {
        assert_true(w->flights < MOST_MESSAGES);
        w->flight[w->flights++] = (flight){from, to, w->life[from] + w->life[to], *m};
    }
}

static void collect_outgoing(world *w) {
    wadi_link_message m;
    while (wadi_link_sender_pop(&w->source, &m)) post(w, SOURCE, m.peer + 1, &m);
    for (int i = 0; i < WORKERS; i++) {
        if (w->dead[i + 1]) continue;
        while (wadi_link_receiver_pop(&w->in[i], &m)) post(w, i + 1, SOURCE, &m);
        while (wadi_link_sender_pop(&w->out[i], &m)) post(w, i + 1, COLLECTOR, &m);
    }
    while (wadi_link_receiver_pop(&w->collector, &m)) post(w, COLLECTOR, m.peer + 1, &m);
}

static void to_sender(wadi_link_sender *s, int peer, const wadi_link_message *m) {
    if (m->kind == WADI_LINK_READY) wadi_link_sender_on_ready(s, peer, m->bytes, m->number);
    if (m->kind == WADI_LINK_DONE) {
        wadi_link_sender_on_done(s, peer, m->number, m->bytes, m->sequence);
    }
    if (m->kind == WADI_LINK_FAIL) {
        wadi_link_sender_on_fail(s, peer, m->number, m->status, m->reason);
    }
}

static void to_receiver(wadi_link_receiver *r, int peer, const wadi_link_message *m) {
    if (m->kind == WADI_LINK_CHUNK) {
        wadi_link_receiver_on_chunk(r, peer, m->number, m->sequence, m->bytes, m->payload);
    }
    if (m->kind == WADI_LINK_END) wadi_link_receiver_on_end(r, m->number);
    if (m->kind == WADI_LINK_FAIL) wadi_link_receiver_on_fail(r, m->number, m->status, m->reason);
}

/* Delivers one message; false: none is under way. */
static bool deliver_one(world *w) {
    if (w->flights == 0) return false;
    const int at = w->reorder ? below(w->flights) : 0;
    const flight f = w->flight[at];
    w->flights--;
    memmove(&w->flight[at], &w->flight[at + 1], (size_t)(w->flights - at) * sizeof f);
    if (w->dead[f.from] || w->dead[f.to]) return true;
    if (f.life != w->life[f.from] + w->life[f.to]) return true;
    if (f.to == SOURCE) {
        to_sender(&w->source, f.from - 1, &f.m);
    } else if (f.to == COLLECTOR) {
        to_receiver(&w->collector, f.from - 1, &f.m);
    } else if (f.from == SOURCE) {
        to_receiver(&w->in[f.to - 1], 0, &f.m);
    } else {
        to_sender(&w->out[f.to - 1], 0, &f.m);
    }
    return true;
}

/* A worker passes a chunk on as soon as it has it, and reports it done when the collector has reported it. */
static void work(world *w, int i) {
    int64_t number;
    void *payload;
    while (wadi_link_receiver_take(&w->in[i], &number, &payload)) {
        assert_true(wadi_link_sender_push(&w->out[i], number, size_of(number), payload));
    }
    for (size_t h = 0; h < w->in[i].held.n;) {
        bool out = false;
        for (size_t k = 0; k < w->out[i].kept.n; k++) {
            out = out || w->out[i].kept.at[k].number == w->in[i].held.at[h].number;
        }
        if (out) {
            h++;
        } else {
            wadi_link_receiver_done(&w->in[i], w->in[i].held.at[h].number);
        }
    }
}

static void consume(world *w) {
    int64_t number;
    void *payload;
    while (wadi_link_receiver_take(&w->collector, &number, &payload)) {
        assert_int_equal(number, w->delivered);
        assert_ptr_equal(payload, payload_of(number));
        w->delivered++;
        wadi_link_receiver_done(&w->collector, number);
    }
}

static void check_memory(const world *w) {
    int64_t bytes;
    for (int i = 0; i < WORKERS; i++) {
        assert_true(wadi_link_receiver_held(&w->in[i], &bytes) <= WINDOW_CHUNKS + 1);
        assert_true(bytes <= WINDOW_BYTES + 2 * WINDOW_BYTES);
    }
    const int64_t held = wadi_link_receiver_held(&w->collector, &bytes);
    assert_true(held <= WORKERS * (WINDOW_CHUNKS + 1));
}

static void kill_worker(world *w, int i) {
    w->dead[i + 1] = true;
    wadi_link_sender_on_lost(&w->source, i);
    wadi_link_receiver_on_lost(&w->collector, i);
}

static void join_worker(world *w, int i) {
    wadi_link_receiver_init(&w->in[i], false, WINDOW_BYTES, WINDOW_CHUNKS, drop, NULL);
    wadi_link_sender_init(&w->out[i], drop, NULL);
    wadi_link_sender_on_join(&w->source, i);
    wadi_link_receiver_on_join(&w->in[i], 0);
    wadi_link_sender_on_join(&w->out[i], 0);
    wadi_link_receiver_on_join(&w->collector, i);
}

/* The worker comes back under its number and remembers nothing. */
static void revive_worker(world *w, int i) {
    w->dead[i + 1] = false;
    w->life[i + 1]++;
    wadi_link_receiver_fini(&w->in[i]);
    wadi_link_sender_fini(&w->out[i]);
    join_worker(w, i);
}

static world *make_world(bool repeat, bool reorder) {
    world *w = calloc(1, sizeof *w);
    assert_non_null(w);
    w->repeat = repeat;
    w->reorder = reorder;
    wadi_link_sender_init(&w->source, drop, NULL);
    wadi_link_receiver_init(&w->collector, true, WINDOW_BYTES, WINDOW_CHUNKS, drop, NULL);
    for (int i = 0; i < WORKERS; i++) join_worker(w, i);
    return w;
}

static void free_world(world *w) {
    wadi_link_sender_fini(&w->source);
    wadi_link_receiver_fini(&w->collector);
    for (int i = 0; i < WORKERS; i++) {
        wadi_link_receiver_fini(&w->in[i]);
        wadi_link_sender_fini(&w->out[i]);
    }
    free(w);
}

/* One step of the network and the workers. */
static void move(world *w, int idle) {
    collect_outgoing(w);
    (void)deliver_one(w);
    for (int i = 0; i < WORKERS; i++)
        if (!w->dead[i + 1] && below(idle) == 0) work(w, i);
}

/* What was granted and not used is the window, with everybody who is there; nothing is held any more. */
static void check_books(const world *w) {
    int64_t bytes = 0;
    assert_int_equal(wadi_link_sender_kept(&w->source), 0);
    assert_int_equal(wadi_link_receiver_held(&w->collector, &bytes), 0);
    assert_null(w->source.nonsense);
    assert_null(w->collector.nonsense);
    for (int i = 0; i < WORKERS; i++) {
        if (w->dead[i + 1]) continue;
        assert_int_equal(wadi_link_receiver_held(&w->in[i], &bytes), 0);
        assert_int_equal(wadi_link_sender_kept(&w->out[i]), 0);
        assert_null(w->in[i].nonsense);
        assert_null(w->out[i].nonsense);
        assert_int_equal(w->source.peer[i].granted_chunks - w->source.peer[i].sent_chunks,
                         WINDOW_CHUNKS);
        assert_int_equal(w->source.peer[i].granted_bytes - w->source.peer[i].sent_bytes,
                         WINDOW_BYTES);
        assert_int_equal(w->out[i].peer[0].granted_chunks - w->out[i].peer[0].sent_chunks,
                         WINDOW_CHUNKS);
        assert_int_equal(w->out[i].peer[0].granted_bytes - w->out[i].peer[0].sent_bytes,
                         WINDOW_BYTES);
    }
}

/* Someone dies, but the last, or one who has died comes back. */
static void strike(world *w, int *deaths, bool return_) {
    const int i = below(WORKERS - 1);
    if (!w->dead[i + 1] && *deaths > 0) {
        kill_worker(w, i);
        --*deaths;
    } else if (w->dead[i + 1] && return_) {
        revive_worker(w, i);
    }
}

static void simulate(uint64_t seed, bool repeat, bool reorder, int deaths, bool return_) {
    rng_state = seed;
    world *w = make_world(repeat, reorder);
    int64_t pushed = 0;
    for (int64_t step = 0; w->delivered < CHUNKS; step++) {
        assert_true(step < 100000); /* anything longer is a standstill */
        if (pushed < CHUNKS && wadi_link_sender_queued(&w->source) == 0) {
            assert_true(
                wadi_link_sender_push(&w->source, pushed, size_of(pushed), payload_of(pushed)));
            pushed++;
        }
        if (below(60) == 0) strike(w, &deaths, return_);
        move(w, 3);
        consume(w);
        check_memory(w);
    }
    wadi_link_sender_end(&w->source, CHUNKS);
    for (int i = 0; i < 10000 && (!w->in[WORKERS - 1].ended || w->flights > 0); i++) {
        move(w, 1);
        consume(w);
    }
    assert_true(wadi_link_receiver_ended(&w->in[WORKERS - 1]));
    check_books(w);
    free_world(w);
}

static void chunks_arrive_once_and_in_order(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) simulate(seed, false, false, 0, false);
}

static void repeated_messages_change_nothing(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) simulate(seed, true, false, 0, false);
}

static void reordered_messages_change_nothing(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) simulate(seed, false, true, 0, false);
}

static void chunks_of_lost_peers_go_to_others(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) simulate(seed, true, true, WORKERS - 1, false);
}

static void peers_come_back_under_their_number(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) simulate(seed, true, seed % 2 == 0, 20, true);
}

/* The stream is named first. */
static void takes_note(wadi_link_sender *s, int peer) {
    wadi_link_message m;
    assert_true(wadi_link_sender_pop(s, &m));
    assert_int_equal(m.kind, WADI_LINK_NOTE);
    assert_int_equal(m.peer, peer);
}

static void nothing_is_sent_without_credit(void **state) {
    (void)state;
    wadi_link_sender s;
    wadi_link_message m;
    wadi_link_sender_init(&s, drop, NULL);
    wadi_link_sender_on_join(&s, 0);
    for (int64_t i = 0; i < 5; i++) {
        assert_true(wadi_link_sender_push(&s, i, 10, payload_of(i)));
    }
    assert_false(wadi_link_sender_pop(&s, &m));
    wadi_link_sender_on_ready(&s, 0, 25, 2);
    takes_note(&s, 0);
    assert_true(wadi_link_sender_pop(&s, &m));
    assert_true(wadi_link_sender_pop(&s, &m));
    assert_int_equal(m.number, 1);
    assert_false(wadi_link_sender_pop(&s, &m)); /* two chunks, and 25 bytes hold no third */
    wadi_link_sender_on_ready(&s, 0, 20, 1);    /* late: changes nothing */
    assert_false(wadi_link_sender_pop(&s, &m));
    wadi_link_sender_on_ready(&s, 0, 100, 3);
    assert_true(wadi_link_sender_pop(&s, &m));
    assert_false(wadi_link_sender_pop(&s, &m)); /* three chunks */
    wadi_link_sender_fini(&s);
}

static void a_chunk_larger_than_the_window_travels_alone(void **state) {
    (void)state;
    wadi_link_sender s;
    wadi_link_message m;
    wadi_link_sender_init(&s, drop, NULL);
    wadi_link_sender_on_join(&s, 0);
    wadi_link_sender_on_ready(&s, 0, 100, 4);
    assert_true(wadi_link_sender_push(&s, 0, 50, payload_of(0)));
    assert_true(wadi_link_sender_push(&s, 1, 500, payload_of(1)));
    takes_note(&s, 0);
    assert_true(wadi_link_sender_pop(&s, &m));
    assert_false(wadi_link_sender_pop(&s, &m));
    wadi_link_sender_on_done(&s, 0, 0, 150, 5);
    assert_true(wadi_link_sender_pop(&s, &m));
    assert_int_equal(m.number, 1);
    wadi_link_sender_fini(&s);
}

static void a_failure_comes_after_the_chunks_before_it(void **state) {
    (void)state;
    wadi_link_receiver r;
    wadi_link_receiver_init(&r, true, 100, 4, drop, NULL);
    wadi_link_receiver_on_join(&r, 0);
    wadi_link_receiver_on_fail(&r, 2, WADI_IO, "the file ends early");
    wadi_link_receiver_on_chunk(&r, 0, 1, 1, 10, payload_of(1));
    assert_null(wadi_link_receiver_failed(&r));
    wadi_link_receiver_on_chunk(&r, 0, 0, 0, 10, payload_of(0));
    int64_t number;
    void *payload;
    assert_true(wadi_link_receiver_take(&r, &number, &payload));
    assert_null(wadi_link_receiver_failed(&r));
    assert_true(wadi_link_receiver_take(&r, &number, &payload));
    assert_int_equal(number, 1);
    assert_non_null(wadi_link_receiver_failed(&r));
    assert_int_equal(wadi_link_receiver_failed(&r)->status, WADI_IO);
    assert_string_equal(wadi_link_receiver_failed(&r)->reason, "the file ends early");
    wadi_link_receiver_on_chunk(&r, 0, 2, 2, 10, payload_of(2)); /* from another, say */
    assert_false(wadi_link_receiver_take(&r, &number, &payload));
    wadi_link_receiver_fini(&r);
}

/* Without an order too: what is held and not yet taken comes before the end and before a failure behind it. */
static void in_any_order_the_end_comes_after_what_is_held(void **state) {
    (void)state;
    wadi_link_receiver r;
    int64_t number;
    void *payload;
    wadi_link_receiver_init(&r, false, 100, 4, drop, NULL);
    wadi_link_receiver_on_join(&r, 0);
    wadi_link_receiver_on_chunk(&r, 0, 1, 0, 10, payload_of(1));
    wadi_link_receiver_on_chunk(&r, 0, 0, 1, 10, payload_of(0));
    wadi_link_receiver_on_end(&r, 2);
    for (int i = 0; i < 2; i++) {
        assert_false(wadi_link_receiver_ended(&r));
        assert_true(wadi_link_receiver_take(&r, &number, &payload));
    }
    assert_true(wadi_link_receiver_ended(&r)); /* taken, and not done */
    for (int i = 0; i < 2; i++) wadi_link_receiver_done(&r, i);
    assert_true(wadi_link_receiver_ended(&r));
    wadi_link_receiver_fini(&r);

    wadi_link_receiver_init(&r, false, 100, 4, drop, NULL);
    wadi_link_receiver_on_join(&r, 0);
    wadi_link_receiver_on_chunk(&r, 0, 0, 0, 10, payload_of(0));
    wadi_link_receiver_on_chunk(&r, 0, 5, 1, 10, payload_of(5));
    wadi_link_receiver_on_fail(&r, 2, WADI_IO, "the file ends early");
    assert_null(wadi_link_receiver_failed(&r));
    assert_true(wadi_link_receiver_take(&r, &number, &payload));
    assert_int_equal(number, 0);
    assert_non_null(wadi_link_receiver_failed(&r));
    assert_false(wadi_link_receiver_take(&r, &number, &payload)); /* 5 is behind it */
    wadi_link_receiver_fini(&r);
}

static void count_drop(void *env, void *payload) {
    assert_non_null(payload);
    ++*(int *)env;
}

/* Whoever took a chunk has it; the others are dropped, once. */
static void what_nobody_took_is_dropped_at_the_end(void **state) {
    (void)state;
    for (int taken = 0; taken <= 4; taken++) {
        wadi_link_receiver r;
        int64_t number;
        void *payload;
        int dropped = 0;
        wadi_link_receiver_init(&r, true, 100, 4, count_drop, &dropped);
        wadi_link_receiver_on_join(&r, 0);
        for (int i = 0; i < 4; i++) wadi_link_receiver_on_chunk(&r, 0, i, i, 10, payload_of(i));
        wadi_link_receiver_on_chunk(&r, 0, 3, 3, 10, payload_of(3)); /* it is there already */
        assert_int_equal(dropped, 1);
        for (int i = 0; i < taken; i++) assert_true(wadi_link_receiver_take(&r, &number, &payload));
        wadi_link_receiver_fini(&r);
        assert_int_equal(dropped, 1 + 4 - taken);
    }
}

/* A receiver of chunks 0 and 1, of which the first is done. */
static void init_receiver(wadi_link_receiver *r) {
    int64_t number;
    void *payload;
    wadi_link_receiver_init(r, true, 100, 4, drop, NULL);
    wadi_link_receiver_on_join(r, 0);
    for (int64_t i = 0; i < 2; i++) wadi_link_receiver_on_chunk(r, 0, i, i, 10, payload_of(i));
    assert_true(wadi_link_receiver_take(r, &number, &payload));
    wadi_link_receiver_done(r, number);
}

/* One chunk of three peers, of which two were thought lost: each of them hears that it is done, whoever came first. */
static void all_who_sent_a_chunk_hear_that_it_is_done(void **state) {
    (void)state;
    for (int late = 0; late < 2; late++) { /* the copies come before or after it has been taken */
        wadi_link_receiver r;
        wadi_link_message m;
        int64_t number;
        void *payload;
        int told[3] = {0};
        wadi_link_receiver_init(&r, true, 100, 4, drop, NULL);
        for (int p = 0; p < 3; p++) wadi_link_receiver_on_join(&r, p);
        wadi_link_receiver_on_chunk(&r, 1, 0, 0, 10, payload_of(0));
        if (late) assert_true(wadi_link_receiver_take(&r, &number, &payload));
        wadi_link_receiver_on_chunk(&r, 0, 0, 0, 10, payload_of(0));
        wadi_link_receiver_on_chunk(&r, 2, 0, 0, 10, payload_of(0));
        if (!late) assert_true(wadi_link_receiver_take(&r, &number, &payload));
        wadi_link_receiver_done(&r, number);
        while (wadi_link_receiver_pop(&r, &m))
            if (m.kind == WADI_LINK_DONE && m.number == 0) told[m.peer]++;
        for (int p = 0; p < 3; p++) assert_int_equal(told[p], 1);
        wadi_link_receiver_fini(&r);
    }
}

static void an_end_that_contradicts_the_stream_is_nonsense(void **state) {
    (void)state;
    int64_t bytes;
    wadi_link_receiver r;
    for (int64_t count = 0; count < 5; count++) {
        init_receiver(&r);
        wadi_link_receiver_on_end(&r, count);
        assert_int_equal(r.nonsense != NULL, count < 2); /* chunk 1 has come */
        assert_int_equal(r.ended, count >= 2);           /* and nobody is told another end */
        wadi_link_receiver_fini(&r);
    }
    init_receiver(&r);
    wadi_link_receiver_on_end(&r, 3);
    wadi_link_receiver_on_end(&r, 3);
    assert_null(r.nonsense);
    wadi_link_receiver_on_end(&r, 4);
    assert_non_null(r.nonsense);
    assert_int_equal(r.end, 3);
    wadi_link_receiver_fini(&r);
    init_receiver(&r);
    wadi_link_receiver_on_end(&r, 2);
    assert_null(r.nonsense);
    const int64_t held = wadi_link_receiver_held(&r, &bytes);
    wadi_link_receiver_on_chunk(&r, 0, 2, 2, 10, payload_of(2));
    assert_non_null(r.nonsense);
    assert_int_equal(wadi_link_receiver_held(&r, &bytes), held); /* it is not passed on */
    wadi_link_receiver_fini(&r);
}

static void a_restarted_receiver_is_as_new(void **state) {
    (void)state;
    wadi_link_receiver r;
    wadi_link_message m;
    int64_t bytes, number;
    void *payload;
    init_receiver(&r);
    wadi_link_receiver_restart(&r);
    assert_int_equal(wadi_link_receiver_held(&r, &bytes), 0);
    assert_false(wadi_link_receiver_pop(&r, &m));
    wadi_link_receiver_on_join(&r, 5);
    assert_true(wadi_link_receiver_pop(&r, &m));
    assert_int_equal(m.number, 4);
    assert_int_equal(m.bytes, 100);
    wadi_link_receiver_on_chunk(&r, 5, 0, 0, 10, payload_of(0));
    assert_true(wadi_link_receiver_take(&r, &number, &payload));
    assert_int_equal(number, 0);
    wadi_link_receiver_fini(&r);
}

static void what_was_not_sent_cannot_be_done(void **state) {
    (void)state;
    wadi_link_sender s;
    wadi_link_message m;
    wadi_link_sender_init(&s, drop, NULL);
    wadi_link_sender_on_join(&s, 0);
    wadi_link_sender_on_ready(&s, 0, 100, 1);
    for (int64_t i = 0; i < 2; i++) assert_true(wadi_link_sender_push(&s, i, 10, payload_of(i)));
    while (wadi_link_sender_pop(&s, &m)) continue;
    wadi_link_sender_on_done(&s, 0, 0, 100, 1);
    wadi_link_sender_on_done(&s, 0, 0, 100, 1); /* again */
    assert_null(s.nonsense);
    assert_int_equal(wadi_link_sender_kept(&s), 1);
    wadi_link_sender_on_done(&s, 0, 1, 100, 1); /* there was no credit to send it */
    assert_non_null(s.nonsense);
    assert_int_equal(wadi_link_sender_kept(&s), 1);
    s.nonsense = NULL;
    wadi_link_sender_on_done(&s, 0, 7, 100, 1);
    assert_non_null(s.nonsense);
    wadi_link_sender_fini(&s);
}

static void a_sender_keeps_no_more_than_its_own_bound(void **state) {
    (void)state;
    wadi_link_sender s;
    wadi_link_message m;
    wadi_link_sender_init(&s, drop, NULL);
    s.most_bytes = 25;
    wadi_link_sender_on_join(&s, 0);
    wadi_link_sender_on_ready(&s, 0, INT64_MAX, INT64_MAX);
    for (int64_t i = 0; i < 4; i++) assert_true(wadi_link_sender_push(&s, i, 10, payload_of(i)));
    while (wadi_link_sender_pop(&s, &m)) continue;
    assert_int_equal(wadi_link_sender_queued(&s), 2);
    wadi_link_sender_on_done(&s, 0, 0, INT64_MAX, INT64_MAX);
    while (wadi_link_sender_pop(&s, &m)) continue;
    assert_int_equal(wadi_link_sender_queued(&s), 1);
    wadi_link_sender_fini(&s);
}

static void a_sender_without_manners_is_noticed(void **state) {
    (void)state;
    wadi_link_receiver r;
    wadi_link_receiver_init(&r, true, 100, 2, drop, NULL);
    wadi_link_receiver_on_join(&r, 0);
    for (int64_t i = 0; i < 3; i++) wadi_link_receiver_on_chunk(&r, 0, i, i, 10, payload_of(i));
    assert_null(r.nonsense);
    wadi_link_receiver_on_chunk(&r, 0, 3, 3, 10, payload_of(3));
    assert_non_null(r.nonsense);
    wadi_link_receiver_fini(&r);
}

static void a_note_goes_to_every_peer_before_its_first_chunk(void **state) {
    (void)state;
    wadi_link_sender s;
    wadi_link_message m;
    wadi_link_sender_init(&s, drop, NULL);
    wadi_link_sender_on_join(&s, 0);
    assert_true(wadi_link_sender_push(&s, 0, 10, payload_of(0)));
    assert_false(wadi_link_sender_pop(&s, &m)); /* nobody has asked */
    wadi_link_sender_on_ready(&s, 0, 100, 4);
    assert_true(wadi_link_sender_pop(&s, &m));
    assert_int_equal(m.kind, WADI_LINK_NOTE);
    assert_true(wadi_link_sender_pop(&s, &m));
    assert_int_equal(m.kind, WADI_LINK_CHUNK);
    wadi_link_sender_on_join(&s, 3);
    wadi_link_sender_on_ready(&s, 3, 100, 4);
    assert_true(wadi_link_sender_pop(&s, &m));
    assert_int_equal(m.kind, WADI_LINK_NOTE);
    assert_int_equal(m.peer, 3);
    wadi_link_sender_on_ready(&s, 3, 200, 5);
    assert_false(wadi_link_sender_pop(&s, &m)); /* once */
    wadi_link_sender_fini(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chunks_arrive_once_and_in_order),
        cmocka_unit_test(repeated_messages_change_nothing),
        cmocka_unit_test(reordered_messages_change_nothing),
        cmocka_unit_test(chunks_of_lost_peers_go_to_others),
        cmocka_unit_test(peers_come_back_under_their_number),
        cmocka_unit_test(nothing_is_sent_without_credit),
        cmocka_unit_test(a_chunk_larger_than_the_window_travels_alone),
        cmocka_unit_test(a_failure_comes_after_the_chunks_before_it),
        cmocka_unit_test(in_any_order_the_end_comes_after_what_is_held),
        cmocka_unit_test(what_nobody_took_is_dropped_at_the_end),
        cmocka_unit_test(all_who_sent_a_chunk_hear_that_it_is_done),
        cmocka_unit_test(an_end_that_contradicts_the_stream_is_nonsense),
        cmocka_unit_test(a_restarted_receiver_is_as_new),
        cmocka_unit_test(what_was_not_sent_cannot_be_done),
        cmocka_unit_test(a_sender_keeps_no_more_than_its_own_bound),
        cmocka_unit_test(a_sender_without_manners_is_noticed),
        cmocka_unit_test(a_note_goes_to_every_peer_before_its_first_chunk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
