/* A pipe between two threads: chunks come out in order, never more are under way than allowed, and every kind of end reaches the
 * other side. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/thread.h"
#include "sched/pipe.h"

enum { CHUNKS = 3000, MOST_CHUNKS = 3, MOST_BYTES = 100 };

typedef struct world {
    wadi_buffers *buffers;
    wadi_pipe *pipe;
    wadi_stop stop;
    atomic_llong under_way, bytes; /* as the sender counts them */
    int64_t fail_after;            /* chunks: the sender fails then; -1: it ends well */
    int64_t give_up_after;         /* the receiver; -1: never */
    wadi_status status;            /* of the sender */
    char said[100];
} world;

static int setup(void **state) {
    world *w = calloc(1, sizeof *w);
    assert_non_null(w);
    w->fail_after = w->give_up_after = -1;
    assert_int_equal(wadi_stop_init(&w->stop, NULL, NULL), WADI_OK);
    const wadi_pipe_options o = {.from = "left",
                                 .to = "right",
                                 .most_chunks = MOST_CHUNKS,
                                 .most_bytes = MOST_BYTES,
                                 .stop = &w->stop};
    assert_int_equal(wadi_buffers_create(NULL, 0, &w->buffers, NULL), WADI_OK);
    assert_int_equal(wadi_pipe_create(&o, &w->pipe, NULL), WADI_OK);
    *state = w;
    return 0;
}

/* Whatever happened, all memory comes back. */
static int teardown(void **state) {
    world *w = *state;
    wadi_pipe_destroy(w->pipe);
    assert_int_equal(wadi_buffers_used(w->buffers), 0);
    wadi_buffers_release(w->buffers);
    wadi_stop_fini(&w->stop);
    free(w);
    return 0;
}

static int64_t bytes_of(int64_t i) {
    return i % 40 == 9 ? 2 * MOST_BYTES : i % 7 * 10;
}

/* Chunk i has i as its first element, and bytes_of(i) bytes. */
static wadi_chunk *make(world *w, int64_t i) {
    wadi_chunk *c = NULL;
    assert_int_equal(wadi_chunk_create(w->buffers, 1, &c, NULL), WADI_OK);
    c->first = i;
    c->count = 1;
    wadi_chunk_component *p = &c->component[0];
    *p = (wadi_chunk_component){.layout = WADI_LAYOUT_REGULAR,
                                .rank = 1,
                                .fields = 1,
                                .type = {WADI_U8},
                                .shape = {bytes_of(i)},
                                .values = bytes_of(i)};
    p->column[0] = wadi_chunk_alloc(c, bytes_of(i));
    assert_int_equal(wadi_chunk_bytes(c), bytes_of(i));
    return c;
}

static void send_all(void *env) {
    world *w = env;
    wadi_error err = {.status = WADI_OK};
    wadi_status status = WADI_OK;
    for (int64_t i = 0; status == WADI_OK && i != w->fail_after && i < CHUNKS; i++) {
        status = wadi_pipe_send(w->pipe, make(w, i), &err);
        if (status == WADI_OK) {
            const long long n = atomic_fetch_add(&w->under_way, 1) + 1;
            const long long bytes = atomic_fetch_add(&w->bytes, bytes_of(i)) + bytes_of(i);
            assert_true(n <= MOST_CHUNKS);
            assert_true(bytes <= MOST_BYTES || n == 1);
        }
    }
    const wadi_error why = {.status = WADI_IO, .msg = "the well is dry"};
    if (status == WADI_OK && w->fail_after >= 0)
        wadi_pipe_fail(w->pipe, &why);
    else if (status == WADI_OK)
        status = wadi_pipe_end(w->pipe, &err);
    w->status = status;
    strcpy(w->said, status != WADI_OK ? err.msg : "");
}

/* How many chunks come; each is as it was sent. */
static int64_t receive_all(world *w, wadi_error *err) {
    for (int64_t i = 0;; i++) {
        wadi_chunk *c = NULL;
        if (wadi_pipe_receive(w->pipe, &c, err) != WADI_OK || c == NULL) return i;
        assert_int_equal(c->first, i);
        assert_int_equal(wadi_chunk_bytes(c), bytes_of(i));
        wadi_chunk_release(c);
        if (i == w->give_up_after) {
            const wadi_error why = {.status = WADI_IO, .msg = "the disk is full"};
            wadi_pipe_give_up(w->pipe, &why);
            return i;
        }
        /* counted before the sender may know of it: what it counts is no more than what there is */
        atomic_fetch_sub(&w->under_way, 1);
        atomic_fetch_sub(&w->bytes, bytes_of(i));
        wadi_pipe_done(w->pipe);
    }
}

/* The sender counts a chunk when its send has returned, by when it may be done already: counts are never above the truth. */
static int64_t run(world *w, wadi_error *err) {
    wadi_thread sender = {0};
    assert_int_equal(wadi_thread_start(&sender, send_all, w, NULL), WADI_OK);
    const int64_t n = receive_all(w, err);
    wadi_thread_join(&sender);
    return n;
}

static void chunks_come_in_order_and_within_bounds(void **state) {
    world *w = *state;
    wadi_error err = {.status = WADI_OK};
    assert_int_equal(run(w, &err), CHUNKS);
    assert_int_equal(err.status, WADI_OK);
    assert_int_equal(w->status, WADI_OK);
    assert_int_equal(w->under_way, 0);
    assert_int_equal(w->bytes, 0);
}

static void a_failure_comes_after_the_chunks_before_it(void **state) {
    world *w = *state;
    wadi_error err = {.status = WADI_OK};
    w->fail_after = 321;
    assert_int_equal(run(w, &err), 321);
    assert_int_equal(err.status, WADI_IO);
    assert_string_equal(err.msg, "the well is dry");
}

static void a_receiver_that_gives_up_tells_the_sender_why(void **state) {
    world *w = *state;
    wadi_error err = {.status = WADI_OK};
    w->give_up_after = 77;
    assert_int_equal(run(w, &err), 77);
    assert_int_equal(w->status, WADI_IO);
    assert_string_equal(w->said, "the disk is full");
}

static void stop(void *env) {
    world *w = env;
    wadi_stop_call(&w->stop);
}

/* Neither a receiver without chunks nor a sender without room waits on. */
static void whoever_waits_ends_when_the_run_is_cancelled(void **state) {
    world *w = *state;
    wadi_error err = {.status = WADI_OK};
    wadi_chunk *c = NULL;
    wadi_thread other = {0};
    assert_int_equal(wadi_thread_start(&other, stop, w, NULL), WADI_OK);
    assert_int_equal(wadi_pipe_receive(w->pipe, &c, &err), WADI_CANCELLED);
    assert_null(c);
    wadi_thread_join(&other);
    assert_int_equal(wadi_pipe_send(w->pipe, make(w, 9), &err), WADI_OK); /* there is room */
    assert_int_equal(wadi_pipe_send(w->pipe, make(w, 1), &err), WADI_CANCELLED);
    assert_int_equal(wadi_pipe_settle(w->pipe, &err), WADI_CANCELLED);
}

/* Where a run was cancelled nobody waits: a send tells at once whether there was room, which is so if and only if the books of
 * the test say so. */
static void there_is_room_for_what_the_bounds_allow(void **state) {
    world *w = *state;
    wadi_chunk *held[MOST_CHUNKS];
    int64_t sent = 0, received = 0, done = 0, bytes = 0;
    uint64_t random = 1;
    wadi_stop_call(&w->stop);
    for (int step = 0; step < 4000; step++) {
        random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        if (random >> 33 & 1) {
            const int64_t more = bytes_of(sent), n = sent - done;
            const bool room = n == 0 || (n < MOST_CHUNKS && bytes + more <= MOST_BYTES);
            const wadi_status st = wadi_pipe_send(w->pipe, make(w, sent), NULL);
            assert_int_equal(st, room ? WADI_OK : WADI_CANCELLED);
            sent += room;
            bytes += room ? more : 0;
        } else if (received < sent && random >> 34 & 1) {
            wadi_chunk **c = &held[received % MOST_CHUNKS];
            assert_int_equal(wadi_pipe_receive(w->pipe, c, NULL), WADI_OK);
            assert_int_equal((*c)->first, received++);
        } else if (done < received) {
            wadi_chunk_release(held[done % MOST_CHUNKS]);
            wadi_pipe_done(w->pipe);
            bytes -= bytes_of(done++);
        }
    }
    assert_true(done > 500);
    for (; done < received; done++) {
        wadi_chunk_release(held[done % MOST_CHUNKS]);
        wadi_pipe_done(w->pipe);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(chunks_come_in_order_and_within_bounds, setup, teardown),
        cmocka_unit_test_setup_teardown(a_failure_comes_after_the_chunks_before_it, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(a_receiver_that_gives_up_tells_the_sender_why, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(whoever_waits_ends_when_the_run_is_cancelled, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(there_is_room_for_what_the_bounds_allow, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
