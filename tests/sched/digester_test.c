/* Digests that are made beside: they are those made at once, and nothing is kept longer than for its digest. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sched/run/digester.h"

enum { MANY = 1000, VALUES = 4000, MOST = 3 * VALUES * (int)sizeof(int32_t) };

static wadi_chunk *chunk_of(wadi_buffers *buffers, int number) {
    wadi_chunk *c = NULL;
    assert_int_equal(wadi_chunk_create(buffers, 1, &c, NULL), WADI_OK);
    c->count = number * 7 % VALUES;
    int32_t *values = wadi_chunk_alloc(c, VALUES * (int64_t)sizeof *values);
    assert_non_null(values);
    for (int i = 0; i < VALUES; i++) values[i] = number * VALUES + i;
    c->component[0] = (wadi_chunk_component){.layout = WADI_LAYOUT_REGULAR,
                                             .fields = 1,
                                             .type = {WADI_I32},
                                             .values = c->count,
                                             .column = {values}};
    return c;
}

static void check_same(const wadi_tally *a, const wadi_tally *b) {
    assert_int_equal(a->all_elements, b->all_elements);
    assert_int_equal(a->done.n, b->done.n);
    assert_true(a->done.n > 1);
    for (size_t i = 0; i < a->done.n; i++)
        assert_memory_equal(a->done.at[i].digest, b->done.at[i].digest, WADI_TALLY_DIGEST);
}

static void digests_are_those_made_at_once(void **state) {
    (void)state;
    wadi_tally now[2] = {0}, later[2] = {0};
    wadi_buffers *buffers = NULL;
    wadi_digester *b = NULL;
    assert_int_equal(wadi_buffers_create(NULL, 1 << 20, &buffers, NULL), WADI_OK);
    assert_int_equal(wadi_digester_create(MOST, &b, NULL), WADI_OK);
    for (int i = 0; i < MANY; i++) {
        wadi_chunk *c = chunk_of(buffers, i);
        assert_int_equal(wadi_tally_add(&now[i % 2], c, NULL), WADI_OK);
        assert_int_equal(wadi_digester_add(b, &later[i % 2], c, NULL), WADI_OK);
        wadi_chunk_release(c); /* as the run does when it has computed them */
    }
    assert_int_equal(wadi_digester_settle(b, NULL), WADI_OK);
    for (int i = 0; i < 2; i++) {
        check_same(&now[i], &later[i]);
        wadi_tally_fini(&now[i]);
        wadi_tally_fini(&later[i]);
    }
    wadi_digester_destroy(b);
    wadi_buffers_release(buffers);
}

enum { CHUNKS = 100 };

/* Bytes of those of the first n chunks that wait. */
static int64_t held(wadi_chunk *const *c, int n) {
    int64_t bytes = 0;
    for (int i = 0; i < n; i++)
        if (atomic_load(&c[i]->refs) > 1) bytes += wadi_chunk_bytes(c[i]);
    return bytes;
}

static void what_waits_is_bounded_and_given_back(void **state) {
    (void)state;
    wadi_tally tally = {0};
    wadi_buffers *buffers = NULL;
    wadi_digester *b = NULL;
    wadi_chunk *c[CHUNKS];
    assert_int_equal(wadi_buffers_create(NULL, 1 << 20, &buffers, NULL), WADI_OK);
    assert_int_equal(wadi_digester_create(MOST, &b, NULL), WADI_OK);
    b->thread.started = true; /* for now, there is none */
    for (int i = 0; i < CHUNKS; i++) {
        c[i] = chunk_of(buffers, VALUES - 1);
        const int64_t bytes = wadi_chunk_bytes(c[i]);
        assert_true(bytes > MOST / 4 && bytes <= MOST / 3);
        if (i == 3) {
            assert_int_equal(held(c, i), 3 * bytes);
            assert_false(wadi_digester_has_room(b, bytes));
            b->thread.started = false;
        } else if (i < 3) {
            assert_true(wadi_digester_has_room(b, bytes));
        }
        assert_int_equal(wadi_digester_add(b, &tally, c[i], NULL), WADI_OK);
        assert_in_range(held(c, i + 1), 0, MOST);
    }
    wadi_digester_await_room(b, MOST - 1);
    assert_true(wadi_digester_has_room(b, MOST - 1));
    assert_int_equal(wadi_digester_settle(b, NULL), WADI_OK);
    for (int i = 0; i < CHUNKS; i++) {
        assert_int_equal(atomic_load(&c[i]->refs), 1);
        wadi_chunk_release(c[i]);
    }
    wadi_tally_fini(&tally);
    wadi_digester_destroy(b);
    wadi_digester_destroy(NULL);
    wadi_buffers_release(buffers);
}

/* As a run does that has failed for want of memory. */
static void what_begins_again_forgets_what_has_failed(void **state) {
    (void)state;
    wadi_tally tally = {0};
    wadi_buffers *buffers = NULL;
    wadi_digester *b = NULL;
    assert_int_equal(wadi_buffers_create(NULL, 1 << 20, &buffers, NULL), WADI_OK);
    assert_int_equal(wadi_digester_create(MOST, &b, NULL), WADI_OK);
    wadi_chunk *c = chunk_of(buffers, 1);
    wadi_error err = {.status = WADI_OK};
    b->failed = (wadi_error){.status = WADI_MEMORY, .msg = "no room"};
    assert_int_equal(wadi_digester_settle(b, &err), WADI_MEMORY);
    assert_string_equal(err.msg, "no room");
    assert_int_equal(wadi_digester_add(b, &tally, c, NULL), WADI_MEMORY);
    assert_int_equal(atomic_load(&c->refs), 1);
    wadi_digester_again(b);
    assert_int_equal(wadi_digester_add(b, &tally, c, NULL), WADI_OK);
    assert_int_equal(wadi_digester_settle(b, NULL), WADI_OK);
    assert_int_equal(tally.all_elements, c->count);
    wadi_chunk_release(c);
    wadi_tally_fini(&tally);
    wadi_digester_destroy(b);
    wadi_buffers_release(buffers);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(digests_are_those_made_at_once),
                                       cmocka_unit_test(what_waits_is_bounded_and_given_back),
                                       cmocka_unit_test(what_begins_again_forgets_what_has_failed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
