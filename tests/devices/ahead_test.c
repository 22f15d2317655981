/* Columns that are sent ahead, over the double of the driver: blocks are used in turn, and give way when memory runs out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "sched/chunk.h"
#include "sched/cuda/driver.h"
#include "sched/gpu/ahead.h"
#include "sched/gpu/memory.h"
#include "tests/devices/doubles.h"

/* A residence on the double. */
typedef struct opened {
    wadi_residence r;
    const wadi_beside *b;
} opened;

static opened open_memory(const char *words) {
    opened o;
    wadi_gpu_driver *d = NULL;
    doubles_set(words);
    assert_int_equal(wadi_cuda_driver_open(0, &d, NULL), WADI_OK);
    assert_int_equal(wadi_gpu_residence_init(&o.r, d, 1 << 20, NULL), WADI_OK);
    o.b = o.r.beside;
    return o;
}

static void close_memory(opened *o) {
    assert_int_equal(wadi_residence_check(&o->r, NULL), WADI_OK);
    wadi_gpu_residence_fini(&o->r);
    assert_int_equal(doubles_held(), 0);
}

enum { N = 100 };

static wadi_ahead *send(const opened *o, int64_t first, void **out) {
    int64_t numbers[N];
    const wadi_ahead_column columns[] = {{numbers, (int64_t)sizeof numbers},
                                         {numbers + N / 2, (int64_t)sizeof numbers / 2}};
    for (int i = 0; i < N; i++) numbers[i] = first + i;
    wadi_ahead *a = o->b->send(o->r.self, 2, columns, out);
    memset(numbers, 0x55, sizeof numbers); /* they have been read */
    return a;
}

static void check(const opened *o, int64_t first, void *const *at) {
    int64_t seen[N];
    wadi_residence_get(&o->r, seen, at[0], (int64_t)sizeof seen);
    for (int i = 0; i < N; i++) assert_int_equal(seen[i], first + i);
    wadi_residence_get(&o->r, seen, at[1], (int64_t)sizeof seen / 2);
    for (int i = 0; i < N / 2; i++) assert_int_equal(seen[i], first + N / 2 + i);
}

static void blocks_are_used_in_turn(void **state) {
    (void)state;
    opened o = open_memory("");
    wadi_ahead *a[WADI_GPU_AHEAD];
    void *at[WADI_GPU_AHEAD][2];
    for (int round = 0; round < 3; round++) {
        void *none[2];
        for (int i = 0; i < WADI_GPU_AHEAD; i++) {
            a[i] = send(&o, 1000 * i + round, at[i]);
            assert_non_null(a[i]);
        }
        assert_null(send(&o, 0, none));
        for (int i = 0; i < WADI_GPU_AHEAD; i++) {
            assert_true(a[i]->use(a[i]));
            assert_true(a[i]->use(a[i])); /* by each of its columns */
            check(&o, 1000 * i + round, at[i]);
            a[i]->release(a[i]);
        }
    }
    assert_int_equal(doubles_calls("cuMemAlloc"), WADI_GPU_AHEAD);
    close_memory(&o);
}

/* A block that grows, and what is too large for any. */
static void large_chunks_are_not_sent(void **state) {
    static char bytes[1 << 16];
    (void)state;
    opened o = open_memory("memory=2000000"); /* 50000 for each block */
    void *at = NULL;
    for (int64_t n = 1000; n < 50000; n += 7000) {
        const wadi_ahead_column column = {bytes, n};
        wadi_ahead *a = o.b->send(o.r.self, 1, &column, &at);
        assert_non_null(a);
        assert_true(a->use(a));
        a->release(a);
    }
    const wadi_ahead_column column = {bytes, 50001}, none = {bytes, 0};
    assert_null(o.b->send(o.r.self, 1, &column, &at));
    assert_null(o.b->send(o.r.self, 1, &none, &at));
    close_memory(&o);
}

static void what_nobody_uses_gives_way(void **state) {
    (void)state;
    opened o = open_memory("");
    void *at[3][2];
    wadi_ahead *used = send(&o, 10, at[0]), *waits = send(&o, 20, at[1]);
    assert_true(used->use(used));
    const long given = doubles_calls("cuMemFree");
    assert_true(wadi_residence_relieve(&o.r));
    assert_int_equal(doubles_calls("cuMemFree"), given + 1);
    assert_false(waits->use(waits));
    assert_true(used->use(used));
    check(&o, 10, at[0]);
    assert_null(send(&o, 30, at[2]));           /* for good */
    assert_false(wadi_residence_relieve(&o.r)); /* there is nothing more */
    waits->release(waits);
    used->release(used);
    assert_int_equal(doubles_calls("cuMemFree"), given + 2);
    assert_null(send(&o, 30, at[2]));
    close_memory(&o);
}

/* Nothing is sent if there is no memory for it, and that is no failure. */
static void want_of_memory_is_no_failure(void **state) {
    (void)state;
    opened o = open_memory("fail=cuMemAlloc:1:2");
    void *at[2];
    assert_null(send(&o, 0, at));
    close_memory(&o);
}

/* Pinned memory for chunks ends at 256 MiB, and a block at 64. */
static void pinned_memory_ends(void **state) {
    enum { MIB = 1 << 20, BLOCKS = 5 };
    (void)state;
    opened o = open_memory("");
    void *block[BLOCKS];
    assert_null(wadi_buffers_get(o.b->pinned, 65 * MIB));
    for (int i = 0; i < BLOCKS; i++) {
        block[i] = wadi_buffers_get(o.b->pinned, 47 * MIB);
        assert_non_null(block[i]);
    }
    assert_null(wadi_buffers_get(o.b->pinned, 47 * MIB));
    for (int i = 0; i < BLOCKS; i++) wadi_buffers_put(block[i]);
    close_memory(&o);
}

/* ---- chunks ---- */

/* Elements 0, 1, .. of three numbers each, in host memory. */
static wadi_chunk *make_chunk(wadi_buffers *buffers, int64_t count) {
    wadi_chunk *c = NULL;
    assert_int_equal(wadi_chunk_create(buffers, 1, &c, NULL), WADI_OK);
    int64_t *numbers = wadi_chunk_alloc(c, 3 * count * (int64_t)sizeof *numbers);
    for (int64_t i = 0; i < 3 * count; i++) numbers[i] = i;
    c->count = count;
    c->component[0] = (wadi_chunk_component){.layout = WADI_LAYOUT_REGULAR,
                                             .rank = 1,
                                             .fields = 1,
                                             .type = {WADI_I64},
                                             .shape = {3},
                                             .values = 3 * count,
                                             .column = {numbers}};
    return c;
}

/* The last of n elements as it is on the device. */
static void check_last(const opened *o, const wadi_chunk *c, int64_t first) {
    int64_t seen[3];
    const int64_t *at = c->component[0].ahead_column[0];
    assert_true(c->component[0].ahead->use(c->component[0].ahead));
    wadi_residence_get(&o->r, seen, at + 3 * (c->count - 1), (int64_t)sizeof seen);
    for (int i = 0; i < 3; i++) assert_int_equal(seen[i], first + i);
}

/* A chunk gives its block to a later one, and its parts have theirs of it. */
static void each_chunk_has_a_block(void **state) {
    (void)state;
    wadi_buffers *buffers = NULL;
    opened o = open_memory("");
    assert_int_equal(wadi_buffers_create(NULL, 1 << 20, &buffers, NULL), WADI_OK);
    for (int i = 0; i < 3 * WADI_GPU_AHEAD; i++) {
        wadi_chunk *c = make_chunk(buffers, 10), *part = NULL;
        wadi_chunk_send_ahead(c, &o.r);
        assert_non_null(c->component[0].ahead);
        check_last(&o, c, 27);
        assert_int_equal(wadi_chunk_slice(c, 4, 3, &part, NULL), WADI_OK);
        check_last(&o, part, 18);
        wadi_chunk_release(c);
        check_last(&o, part, 18);
        wadi_chunk_release(part);
    }
    wadi_buffers_release(buffers);
    close_memory(&o);
}

/* The residence may go before a chunk does. */
static void a_chunk_may_stay_longer(void **state) {
    (void)state;
    wadi_buffers *buffers = NULL;
    opened o = open_memory("");
    assert_int_equal(wadi_buffers_create(NULL, 1 << 20, &buffers, NULL), WADI_OK);
    wadi_chunk *c = make_chunk(buffers, 10);
    wadi_chunk_send_ahead(c, &o.r);
    wadi_gpu_residence_fini(&o.r);
    assert_true(doubles_held() > 0);
    wadi_chunk_release(c);
    assert_int_equal(doubles_held(), 0);
    wadi_buffers_release(buffers);
}

/* Columns of the device that are on their way to the host when the chunk is released: its memory may go to others only when they are there. */
static void a_chunk_waits_for_what_is_under_way(void **state) {
    (void)state;
    wadi_buffers *buffers = NULL;
    opened o = open_memory("");
    int64_t numbers[N];
    assert_int_equal(wadi_buffers_create(NULL, 1 << 20, &buffers, NULL), WADI_OK);
    for (int i = 0; i < N; i++) numbers[i] = i;
    for (int round = 0; round < 2; round++) {
        wadi_chunk *c = make_chunk(buffers, 10);
        void *block = wadi_buffers_get(o.r.blocks, 30 * 8);
        wadi_chunk_retain_pool(c, o.r.blocks);
        wadi_chunk_own(c, block);
        wadi_residence_put(&o.r, wadi_buffers_address(block), numbers + round, 30 * 8);
        c->component[0].residence = &o.r;
        c->component[0].column[0] = wadi_buffers_address(block);
        assert_int_equal(wadi_chunk_to_host(c, NULL), WADI_OK);
        assert_true(c->arrival.mark > 0);
        if (round == 1) {
            assert_int_equal(wadi_chunk_at_host(c, NULL), WADI_OK);
            assert_memory_equal(c->component[0].column[0], numbers + round, 30 * 8);
        }
        const long waits = doubles_calls("cuEventSynchronize");
        wadi_chunk_release(c);
        assert_int_equal(doubles_calls("cuEventSynchronize") - waits, round == 0);
    }
    wadi_buffers_release(buffers);
    close_memory(&o);
}

int main(void) {
    if (!doubles_use()) return 77;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_used_in_turn),
        cmocka_unit_test(large_chunks_are_not_sent),
        cmocka_unit_test(what_nobody_uses_gives_way),
        cmocka_unit_test(want_of_memory_is_no_failure),
        cmocka_unit_test(pinned_memory_ends),
        cmocka_unit_test(each_chunk_has_a_block),
        cmocka_unit_test(a_chunk_may_stay_longer),
        cmocka_unit_test(a_chunk_waits_for_what_is_under_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
