/* The link protocol by simulation: messages travel through a network that delays, reorders, repeats and loses peers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sched/link.h"

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
    wadi_link_message m;
} flight;

typedef struct world {
    flight flight[MOST_MESSAGES];
    int flights;
    bool dead[NODES];
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
        w->flight[w->flights++] = (flight){from, to, *m};
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

static world *make_world(bool repeat, bool reorder) {
    world *w = calloc(1, sizeof *w);
    assert_non_null(w);
    w->repeat = repeat;
    w->reorder = reorder;
    wadi_link_sender_init(&w->source, drop, NULL);
    wadi_link_receiver_init(&w->collector, true, WINDOW_BYTES, WINDOW_CHUNKS, drop, NULL);
    for (int i = 0; i < WORKERS; i++) {
        wadi_link_receiver_init(&w->in[i], false, WINDOW_BYTES, WINDOW_CHUNKS, drop, NULL);
        wadi_link_sender_init(&w->out[i], drop, NULL);
        wadi_link_sender_on_join(&w->source, i);
        wadi_link_receiver_on_join(&w->in[i], 0);
        wadi_link_sender_on_join(&w->out[i], 0);
        wadi_link_receiver_on_join(&w->collector, i);
    }
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

static void simulate(uint64_t seed, bool repeat, bool reorder, int deaths) {
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
        if (deaths > 0 && below(60) == 0) kill_worker(w, --deaths);
        collect_outgoing(w);
        (void)deliver_one(w);
        for (int i = 0; i < WORKERS; i++) {
            if (!w->dead[i + 1] && below(3) == 0) work(w, i);
        }
        consume(w);
        check_memory(w);
    }
    wadi_link_sender_end(&w->source, CHUNKS);
    for (int i = 0; i < 10000 && !w->in[WORKERS - 1].ended; i++) {
        collect_outgoing(w);
        (void)deliver_one(w);
        for (int k = 0; k < WORKERS; k++) {
            if (!w->dead[k + 1]) work(w, k);
        }
    }
    assert_true(wadi_link_receiver_ended(&w->in[WORKERS - 1]));
    assert_int_equal(wadi_link_sender_kept(&w->source), 0);
    for (int i = 0; i < WORKERS; i++) assert_false(w->in[i].overrun);
    assert_false(w->collector.overrun);
    free_world(w);
}

static void chunks_arrive_once_and_in_order(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) simulate(seed, false, false, 0);
}

static void repeated_messages_change_nothing(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) simulate(seed, true, false, 0);
}

static void reordered_messages_change_nothing(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) simulate(seed, false, true, 0);
}

static void chunks_of_lost_peers_go_to_others(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) simulate(seed, true, true, WORKERS - 1);
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
    wadi_link_receiver_fini(&r);
}

static void a_sender_without_manners_is_noticed(void **state) {
    (void)state;
    wadi_link_receiver r;
    wadi_link_receiver_init(&r, true, 100, 2, drop, NULL);
    wadi_link_receiver_on_join(&r, 0);
    for (int64_t i = 0; i < 3; i++) wadi_link_receiver_on_chunk(&r, 0, i, i, 10, payload_of(i));
    assert_false(r.overrun);
    wadi_link_receiver_on_chunk(&r, 0, 3, 3, 10, payload_of(3));
    assert_true(r.overrun);
    wadi_link_receiver_fini(&r);
}

static void a_note_goes_to_every_peer_before_its_first_chunk(void **state) {
    (void)state;
    wadi_link_sender s;
    wadi_link_message m;
    wadi_link_sender_init(&s, drop, NULL);
    wadi_link_sender_note(&s);
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
        cmocka_unit_test(nothing_is_sent_without_credit),
        cmocka_unit_test(a_chunk_larger_than_the_window_travels_alone),
        cmocka_unit_test(a_failure_comes_after_the_chunks_before_it),
        cmocka_unit_test(a_sender_without_manners_is_noticed),
        cmocka_unit_test(a_note_goes_to_every_peer_before_its_first_chunk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
