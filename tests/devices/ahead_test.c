/* Columns that are sent ahead, over the double of the driver: blocks are used in turn, and give way when memory runs out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

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

int main(void) {
    if (!doubles_use()) return 77;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_used_in_turn),
        cmocka_unit_test(large_chunks_are_not_sent),
        cmocka_unit_test(what_nobody_uses_gives_way),
        cmocka_unit_test(want_of_memory_is_no_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
