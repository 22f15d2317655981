/* What kernels emit on a device with groups of lanes: descriptors, columns, and the heap. The kernels are in gpu_kernels.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "sched/gpu/rt/call.h"
#include "tests/sched/gpu_bench.h"

enum { RAGGED, ONE, SLOTS }; /* as IN and OUT in the kernels */
enum { N = 5000 };

static const wadi_plan_slot plan_slots[SLOTS] = {
    {.name = "ragged",
     .kind = WADI_SLOT_IRREGULAR,
     .rank = 1,
     .fields = 2,
     .type = {WADI_I64, WADI_U8}},
    {.name = "one", .kind = WADI_SLOT_ONCE, .rank = 2, .fields = 1, .type = {WADI_I32}}};

static gpu_bench *const bench = &gpu_bench_shared;

static bool expect(int slot, int64_t n) {
    return bench->device->ops->expect(bench->device, slot, n);
}

static bool finish(int slot, bool whole) {
    return bench->device->ops->finish(bench->device, &slot, 1, whole);
}

static void check_ragged(int64_t n) {
    const wadi_slot *s = &bench->slots.slot[RAGGED];
    const int64_t total = s->offset[n];
    int64_t *wide = malloc((size_t)(total + 1) * sizeof *wide), at = 0;
    uint8_t *narrow = malloc((size_t)total + 1);
    gpu_bench_get(bench, wide, s->col[0], total * (int64_t)sizeof *wide);
    gpu_bench_get(bench, narrow, s->col[1], total);
    for (int64_t e = 0; e < n; e++) {
        assert_int_equal(s->shape[e], e % 5);
        assert_int_equal(s->offset[e], at);
        for (int64_t i = 0; i < e % 5; i++, at++) {
            assert_int_equal(wide[at], 10 * e + i);
            assert_int_equal(narrow[at], (uint8_t)(10 * e + i));
        }
    }
    assert_int_equal(at, total);
    free(wide);
    free(narrow);
}

static void check_one(int64_t count) {
    const wadi_slot *s = &bench->slots.slot[ONE];
    int32_t *got = malloc((size_t)(3 * count) * sizeof *got);
    assert_int_equal(s->shape[0], 3);
    assert_int_equal(s->shape[1], count);
    gpu_bench_get(bench, got, s->col[0], 3 * count * (int64_t)sizeof *got);
    for (int64_t i = 0; i < 3 * count; i++) assert_int_equal(got[i], i);
    free(got);
}

static void elements_get_their_places(void **state) {
    (void)state;
    static const int64_t sizes[] = {1, 2, 5, 64, 65, 1000, N};
    for (int k = 0; k < 7; k++) {
        gpu_bench_begin(bench, SLOTS, plan_slots, 2000, sizes[k]);
        assert_true(expect(RAGGED, sizes[k]));
        assert_true(expect(RAGGED, sizes[k])); /* harmless */
        assert_null(bench->slots.slot[RAGGED].col[0]);
        assert_int_equal(gpu_bench_launch(bench, "emits", sizes[k], sizes[k]).kind,
                         WADI_FAULT_NONE);
        assert_null(bench->slots.slot[RAGGED].col[0]);
        assert_true(finish(RAGGED, true));
        check_ragged(sizes[k]);
        gpu_bench_end(bench);
    }
}

/* Launches one after the other, whose pieces lie in the heap together; one of them is finished before the other begins. */
static void pieces_stay_until_they_are_finished(void **state) {
    (void)state;
    static const int both[] = {RAGGED, ONE};
    for (int order = 0; order < 2; order++) {
        gpu_bench_begin(bench, SLOTS, plan_slots, 2000, N);
        assert_true(expect(RAGGED, N));
        assert_true(expect(ONE, 1));
        assert_int_equal(gpu_bench_launch(bench, "emits", N, N).kind, WADI_FAULT_NONE);
        if (order == 0) assert_true(finish(RAGGED, false));
        assert_int_equal(gpu_bench_launch(bench, "emits_one", 700, 1).kind, WADI_FAULT_NONE);
        assert_true(bench->device->ops->finish(bench->device, both, 2, true));
        check_ragged(N);
        check_one(700);
        gpu_bench_end(bench);
    }
}

/* A part finishes what it emits round after round, and its pieces take no more room than those of one round. */
static void the_heap_is_used_again(void **state) {
    (void)state;
    gpu_bench_begin(bench, SLOTS, plan_slots, 0, 1);
    for (int round = 0; round < 30; round++) {
        wadi_slots_clear(&bench->slots, ONE);
        assert_true(expect(ONE, 1));
        assert_int_equal(gpu_bench_launch(bench, "emits_one", 100000, 1).kind, WADI_FAULT_NONE);
        assert_true(finish(ONE, true));
        check_one(100000);
    }
    gpu_bench_end(bench);
}

static void negative_extents_are_faults(void **state) {
    (void)state;
    gpu_bench_begin(bench, SLOTS, plan_slots, 300, N);
    assert_true(expect(RAGGED, N));
    const wadi_fault f = gpu_bench_launch(bench, "emits", N, N);
    assert_int_equal(f.kind, WADI_FAULT_EXTENT);
    assert_int_equal(f.place, 4);
    assert_int_equal(f.element, 700);
    assert_int_equal(f.value[0], -1);
    assert_int_equal(f.value[1], 0);
    gpu_bench_end(bench);
}

/* A version that ends with a fault leaves nothing behind, and the next has the heap for itself. */
static void what_is_too_large_is_a_fault(void **state) {
    (void)state;
    for (int round = 0; round < 3; round++) {
        gpu_bench_begin(bench, SLOTS, plan_slots, 0, 1);
        assert_true(expect(ONE, 1));
        const wadi_fault f = gpu_bench_launch(bench, "emits_one", 5000000, 1);
        assert_int_equal(f.kind, WADI_FAULT_MEMORY);
        assert_int_equal(f.place, 5);
        assert_int_equal(f.value[0], 60000000);
        gpu_bench_end(bench);
        assert_true(wadi_buffers_used(bench->buffers) > 0); /* the table */
        gpu_bench_begin(bench, SLOTS, plan_slots, 0, 1);
        assert_true(wadi_slots_is_empty(&bench->slots, ONE));
        assert_true(expect(ONE, 1));
        assert_int_equal(gpu_bench_launch(bench, "emits_one", 150000, 1).kind, WADI_FAULT_NONE);
        assert_true(finish(ONE, true));
        check_one(150000);
        gpu_bench_end(bench);
    }
}

/* Each column counts as 2^56 bytes, so sixteen of them are a number still. */
static void what_no_number_counts_is_a_fault(void **state) {
    (void)state;
    wadi_plan_slot wide[SLOTS] = {plan_slots[RAGGED], plan_slots[ONE]};
    wide[ONE].fields = WADI_GPU_FIELDS;
    for (int f = 0; f < WADI_GPU_FIELDS; f++) wide[ONE].type[f] = WADI_C128;
    for (int bits = 57; bits < 63; bits++) {
        gpu_bench_begin(bench, SLOTS, wide, 0, 1);
        assert_true(expect(ONE, 1));
        const wadi_fault f = gpu_bench_launch(bench, "emits_one", INT64_C(1) << bits, 1);
        assert_int_equal(f.kind, WADI_FAULT_MEMORY);
        assert_int_equal(f.place, 5);
        assert_int_equal(f.value[0], INT64_C(1) << 60);
        gpu_bench_end(bench);
    }
}

static bool in_my_place(void *env, int64_t values, void **out_column) {
    if (values != 21) return false;
    out_column[0] = env;
    return true;
}

static void columns_may_have_a_place(void **state) {
    (void)state;
    int32_t got[21];
    void *block = gpu_bench_block(bench, NULL, sizeof got);
    gpu_bench_begin(bench, SLOTS, plan_slots, 0, 1);
    bench->slots.place[ONE] = (wadi_slots_place){in_my_place, wadi_buffers_address(block)};
    assert_true(expect(ONE, 1));
    assert_int_equal(gpu_bench_launch(bench, "emits_one", 7, 1).kind, WADI_FAULT_NONE);
    assert_true(finish(ONE, true));
    assert_ptr_equal(bench->slots.slot[ONE].col[0], wadi_buffers_address(block));
    check_one(7);
    gpu_bench_end(bench);
    wadi_buffers_put(block);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements_get_their_places),
        cmocka_unit_test(pieces_stay_until_they_are_finished),
        cmocka_unit_test(the_heap_is_used_again),
        cmocka_unit_test(negative_extents_are_faults),
        cmocka_unit_test(what_is_too_large_is_a_fault),
        cmocka_unit_test(what_no_number_counts_is_a_fault),
        cmocka_unit_test(columns_may_have_a_place),
    };
    return cmocka_run_group_tests(tests, gpu_bench_setup, gpu_bench_teardown);
}
