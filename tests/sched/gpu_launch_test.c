/* Launches on a device with groups of lanes: what kernels see of slots, which faults are told, scratch memory, and what is sent. The
 * kernels are in gpu_kernels.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sched/gpu/rt/call.h"
#include "tests/sched/gpu_bench.h"

enum { IN, OUT, SLOTS }; /* as in the kernels */

static const wadi_plan_slot plan_slots[SLOTS] = {
    {.name = "in", .kind = WADI_SLOT_IRREGULAR, .rank = 1, .fields = 1, .type = {WADI_I64}},
    {.name = "out", .kind = WADI_SLOT_REGULAR, .fields = 1, .type = {WADI_I64}}};
static const wadi_plan_slot ragged_out[SLOTS] = {
    {.name = "in", .kind = WADI_SLOT_IRREGULAR, .rank = 1, .fields = 1, .type = {WADI_I64}},
    {.name = "out", .kind = WADI_SLOT_IRREGULAR, .rank = 1, .fields = 1, .type = {WADI_I64}}};

enum { FIRST = 900, N = 5000 /* more than there are groups, and items */ };

static gpu_bench *const bench = &gpu_bench_shared;

/* Element s has s % 90 values: s, s + 1, .. */
static void fill_in(int64_t n) {
    wadi_slot *in = &bench->slots.slot[IN];
    assert_true(wadi_slots_room_for_shapes(&bench->slots, IN, n));
    assert_true(wadi_slots_room_for_offsets(&bench->slots, IN, n));
    in->offset[0] = 0;
    for (int64_t s = 0; s < n; s++) {
        in->shape[s] = s % 90;
        in->offset[s + 1] = in->offset[s] + in->shape[s];
    }
    int64_t *values = malloc((size_t)(in->offset[n] + 1) * sizeof *values);
    for (int64_t s = 0; s < n; s++)
        for (int64_t i = 0; i < in->shape[s]; i++) values[in->offset[s] + i] = s + i;
    gpu_bench_fill(bench, IN, values, in->offset[n]);
    free(values);
}

static int64_t sum_of(int64_t s) {
    const int64_t n = s % 90;
    return n * s + n * (n - 1) / 2;
}

static void begin(const wadi_plan_slot *slots, int64_t n) {
    gpu_bench_begin(bench, SLOTS, slots, FIRST, n);
    fill_in(n);
    if (slots[OUT].kind == WADI_SLOT_IRREGULAR) return;
    assert_true(wadi_slots_room_for_shapes(&bench->slots, OUT, n));
    assert_true(wadi_slots_room_for_columns(&bench->slots, OUT, n));
    bench->slots.slot[OUT].stride = 1;
}

static void check_sums(int64_t n) {
    static int64_t got[N];
    gpu_bench_get(bench, got, bench->slots.slot[OUT].col[0], n * (int64_t)sizeof *got);
    for (int64_t s = 0; s < n; s++) assert_int_equal(got[s], sum_of(s) + FIRST + s);
}

static void items_and_groups_share_the_rounds(void **state) {
    (void)state;
    static const int64_t sizes[] = {1, 2, 47, 48, 49, 64, 65, N};
    for (int k = 0; k < 8; k++) {
        begin(plan_slots, sizes[k]);
        assert_int_equal(gpu_bench_launch(bench, "sums", sizes[k], sizes[k]).kind, WADI_FAULT_NONE);
        check_sums(sizes[k]);
        const int64_t none = 0;
        wadi_residence_put(bench->device->residence, bench->slots.slot[OUT].col[0], &none, 8);
        assert_int_equal(gpu_bench_launch(bench, "folds", sizes[k], sizes[k]).kind,
                         WADI_FAULT_NONE);
        check_sums(sizes[k]);
        gpu_bench_end(bench);
    }
}

/* As step_flat does it: elements without units are left out. */
static void units_lead_to_their_elements(void **state) {
    (void)state;
    int64_t got[N];
    begin(plan_slots, N);
    void *block = gpu_bench_block(bench, NULL, (N + 1) * (int64_t)sizeof(int64_t));
    const wadi_device_ops *ops = bench->device->ops;
    wadi_launch l = {.code = gpu_bench_code(bench, "units"),
                     .count = N,
                     .n = N,
                     .unit = wadi_buffers_address(block)};
    ops->launch(bench->device, &l);
    l.n = ops->scan(bench->device, l.unit, N);
    assert_int_equal(l.n, N - (N + 89) / 90);
    l.code = gpu_bench_code(bench, "folds");
    memset(got, 0, sizeof got);
    wadi_residence_put(bench->device->residence, bench->slots.slot[OUT].col[0], got, sizeof got);
    ops->launch(bench->device, &l);
    gpu_bench_get(bench, got, bench->slots.slot[OUT].col[0], sizeof got);
    for (int64_t s = 0; s < N; s++)
        assert_int_equal(got[s], s % 90 == 0 ? 0 : sum_of(s) + FIRST + s);
    wadi_buffers_put(block);
    gpu_bench_end(bench);
}

static void shapes_come_back(void **state) {
    (void)state;
    static const int out[] = {OUT};
    begin(ragged_out, N);
    assert_true(wadi_slots_room_for_shapes(&bench->slots, OUT, N));
    wadi_launch l = {
        .code = gpu_bench_code(bench, "shapes"), .count = N, .n = N, .nshapes = 1, .shapes = out};
    for (int round = 0; round < 2; round++) {
        memset(bench->slots.slot[OUT].shape, 0x11, N * sizeof(int64_t));
        bench->device->ops->launch(bench->device, &l);
        assert_int_equal(l.fault.kind, WADI_FAULT_NONE);
        for (int64_t s = 0; s < N; s++)
            assert_int_equal(bench->slots.slot[OUT].shape[s], 2 * (s % 90));
    }
    gpu_bench_end(bench);
}

/* Of 9 lanes in each of 705 elements, whatever comes first. */
static void the_first_fault_is_told(void **state) {
    (void)state;
    begin(plan_slots, N);
    for (int round = 0; round < 5; round++) {
        const wadi_fault f = gpu_bench_launch(bench, "faults", N, N);
        assert_int_equal(f.kind, WADI_FAULT_INDEX);
        assert_int_equal(f.place, 3);
        assert_int_equal(f.element, 70);
        assert_int_equal(f.linear, 20);
        assert_int_equal(f.rank, 2);
        for (int k = 0; k < 4; k++) assert_int_equal(f.value[k], 71 + k);
        assert_int_equal(f.index[0], 70);
        assert_int_equal(f.index[1], 20);
        /* and is forgotten before the next launch */
        assert_int_equal(gpu_bench_launch(bench, "sums", N, N).kind, WADI_FAULT_NONE);
    }
    gpu_bench_end(bench);
}

static void of_faults_at_one_place_always_the_same_is_told(void **state) {
    (void)state;
    begin(plan_slots, N);
    for (int round = 0; round < 20; round++) {
        const wadi_fault f = gpu_bench_launch(bench, "ties", N, N);
        assert_int_equal(f.place, 3);
        assert_int_equal(f.kind, WADI_FAULT_INDEX);
        for (int k = 0; k < 4; k++) assert_int_equal(f.value[k], 0);
        assert_int_equal(f.rank, 0);
    }
    gpu_bench_end(bench);
}

/* Here they differ in the index alone. */
static void the_index_decides_last(void **state) {
    (void)state;
    begin(plan_slots, N);
    for (int round = 0; round < 20; round++) {
        const wadi_fault f = gpu_bench_launch(bench, "last_ties", N, N);
        assert_int_equal(f.rank, 2);
        assert_int_equal(f.index[0], 7);
        assert_int_equal(f.index[1], 0);
    }
    gpu_bench_end(bench);
}

static void a_serial_launch_is_one_range(void **state) {
    (void)state;
    static int64_t got[N];
    begin(plan_slots, N);
    wadi_launch l = {.code = gpu_bench_code(bench, "serial"), .count = N, .n = N, .serial = true};
    bench->device->ops->launch(bench->device, &l);
    gpu_bench_get(bench, got, bench->slots.slot[OUT].col[0], sizeof got);
    for (int64_t s = 0; s < N; s++) assert_int_equal(got[s], N + s);
    gpu_bench_end(bench);
}

static void nothing_runs_over_nothing(void **state) {
    (void)state;
    begin(plan_slots, 4);
    const int64_t launches = gpu_host_launches(bench->driver);
    wadi_launch l = {.code = gpu_bench_code(bench, "faults"), .fault = {.kind = 5}};
    bench->device->ops->launch(bench->device, &l);
    assert_int_equal(l.fault.kind, WADI_FAULT_NONE);
    assert_int_equal(gpu_host_launches(bench->driver), launches);
    gpu_bench_end(bench);
}

static int five(wadi_gpu_driver *self, wadi_code kernel) {
    (void)self;
    (void)kernel;
    return 5;
}

static void a_launch_has_the_groups_that_fit(void **state) {
    (void)state;
    const wadi_gpu_driver_ops *const real = bench->driver->ops;
    wadi_gpu_driver_ops telling = *real;
    int64_t told[8];
    telling.fitting = five;
    bench->driver->ops = &telling;
    begin(plan_slots, N);
    (void)gpu_bench_launch(bench, "told", N, N);
    gpu_bench_get(bench, told, bench->slots.slot[OUT].col[0], sizeof told);
    assert_int_equal(told[5], 5 * GPU_UNITS);
    (void)gpu_bench_launch(bench, "told", N, 4);
    gpu_bench_get(bench, told, bench->slots.slot[OUT].col[0], sizeof told);
    assert_int_equal(told[5], 4);
    gpu_bench_end(bench);
    bench->driver->ops = real;
}

static void a_call_says_what_there_is(void **state) {
    (void)state;
    int64_t few[8], many[8], alone[8];
    begin(plan_slots, N);
    (void)gpu_bench_launch(bench, "told", N, 10);
    gpu_bench_get(bench, few, bench->slots.slot[OUT].col[0], sizeof few);
    (void)gpu_bench_launch(bench, "told", N, INT64_C(1) << 40);
    gpu_bench_get(bench, many, bench->slots.slot[OUT].col[0], sizeof many);
    wadi_launch l = {.code = gpu_bench_code(bench, "told"), .count = N, .n = 77, .serial = true};
    bench->device->ops->launch(bench->device, &l);
    gpu_bench_get(bench, alone, bench->slots.slot[OUT].col[0], sizeof alone);
    int64_t grouped[8], units[11] = {0};
    void *block = gpu_bench_block(bench, units, sizeof units);
    l = (wadi_launch){.code = gpu_bench_code(bench, "told"),
                      .count = N,
                      .n = 10,
                      .unit = wadi_buffers_address(block)};
    bench->device->ops->launch(bench->device, &l);
    gpu_bench_get(bench, grouped, bench->slots.slot[OUT].col[0], sizeof grouped);
    wadi_buffers_put(block);
    const int64_t half = bench->driver->memory / 16;
    assert_int_equal(grouped[5], 10);
    assert_int_equal(grouped[6], half / (10 * 64) / 64 * 64); /* any lane may want scratch memory */
    assert_int_equal(few[0], 10);
    assert_int_equal(few[1], 1);
    assert_int_equal(few[2], FIRST);
    assert_int_equal(few[3], N);
    assert_int_equal(few[4], GPU_UNITS);
    assert_int_equal(few[4], bench->device->ops->workers(bench->device));
    assert_int_equal(few[5], 10);
    assert_int_equal(few[6], half / 10 / 64 * 64);
    assert_int_equal(few[7], half / 64);
    assert_int_equal(many[5], 16 * GPU_UNITS);
    assert_int_equal(many[6], half / (16 * GPU_UNITS * 64) / 64 * 64);
    assert_int_equal(alone[1], 77);
    assert_int_equal(alone[5], 1);
    assert_int_equal(alone[6], half);
    gpu_bench_end(bench);
}

/* ---- scratch memory ---- */

static void check_scratch(int64_t n) {
    static int64_t got[N];
    gpu_bench_get(bench, got, bench->slots.slot[OUT].col[0], n * (int64_t)sizeof *got);
    for (int64_t s = 0; s < n; s++) assert_int_equal(got[s], s);
}

/* 8 KB for each of 300 items fit into regions; of 3000 some are taken of the heap, until it is used up; and of an item alone the region is
 * large. */
static void scratch_memory_is_shared_out(void **state) {
    (void)state;
    begin(plan_slots, N);
    assert_int_equal(gpu_bench_launch(bench, "scratch", N, 300).kind, WADI_FAULT_NONE);
    check_scratch(300);
    const wadi_fault f = gpu_bench_launch(bench, "scratch", N, 3000);
    assert_int_equal(f.kind, WADI_FAULT_MEMORY);
    assert_int_equal(f.place, 6);
    gpu_bench_end(bench);
    /* the next version has twice as much */
    begin(plan_slots, N);
    int64_t told[8];
    (void)gpu_bench_launch(bench, "told", N, 10);
    gpu_bench_get(bench, told, bench->slots.slot[OUT].col[0], sizeof told);
    assert_int_equal(told[7], bench->driver->memory / 8 / 64);
    gpu_bench_end(bench);
}

/* Element 0 needs more than its region has: it is taken of the heap. */
static void what_does_not_fit_is_taken_of_the_heap(void **state) {
    (void)state;
    gpu_bench_begin(bench, SLOTS, plan_slots, 0, N);
    fill_in(N);
    assert_true(wadi_slots_room_for_columns(&bench->slots, OUT, N));
    assert_int_equal(gpu_bench_launch(bench, "scratch", N, 300).kind, WADI_FAULT_NONE);
    check_scratch(300);
    gpu_bench_end(bench);
}

/* ---- what is sent ---- */

static int64_t sent_by(const char *kernel, int64_t n) {
    const int64_t before = gpu_host_put_bytes(bench->driver);
    (void)gpu_bench_launch(bench, kernel, n, n);
    return gpu_host_put_bytes(bench->driver) - before;
}

static void what_has_not_changed_is_not_sent_again(void **state) {
    assert_int_equal(gpu_bench_teardown(state), 0);
    assert_int_equal(gpu_bench_setup(state), 0); /* one that has sent nothing yet */
    begin(plan_slots, N);
    assert_true(sent_by("sums", N) >= (2 * N + 1) * 8);
    assert_int_equal(sent_by("sums", N), 0);
    assert_true(sent_by("faults", N) == 0);
    assert_true(sent_by("sums", N) < 1000); /* the fault is cleared */
    bench->slots.slot[IN].offset[N / 2]--;  /* the sums of two elements become others */
    const int64_t few = sent_by("folds", N);
    assert_true(few > 0 && few <= (N + 1) * 8);
    int64_t got = 0;
    gpu_bench_get(bench, &got, (int64_t *)bench->slots.slot[OUT].col[0] + N / 2, 8);
    assert_int_not_equal(got, sum_of(N / 2) + FIRST + N / 2);
    bench->slots.slot[IN].offset[N / 2]++;
    (void)sent_by("folds", N);
    check_sums(N);
    gpu_bench_end(bench);
    begin(plan_slots, N); /* the same table again, but for addresses */
    assert_true(sent_by("sums", N) < 1000);
    check_sums(N);
    gpu_bench_end(bench);
}

/* Tables of all sizes, so that places move and the block grows. */
static void tables_grow_and_shrink(void **state) {
    (void)state;
    for (int64_t n = 1; n <= N; n = n * 3 + 1) {
        for (int k = 0; k < 3; k++) {
            const int64_t here = k == 1 ? n / 2 + 1 : n;
            begin(plan_slots, here);
            (void)gpu_bench_launch(bench, "folds", here, here);
            check_sums(here);
            gpu_bench_end(bench);
        }
    }
}

/* ---- failures ---- */

static void a_run_that_is_stopped_launches_nothing(void **state) {
    (void)state;
    wadi_stop stop;
    assert_int_equal(wadi_stop_init(&stop, NULL, NULL), WADI_OK);
    begin(plan_slots, N);
    const wadi_device_work work = {.slots = &bench->slots, .count = N, .stop = &stop};
    assert_true(bench->device->ops->begin(bench->device, &work));
    assert_int_equal(gpu_bench_launch(bench, "sums", N, N).kind, WADI_FAULT_NONE);
    wadi_stop_call(&stop);
    assert_int_equal(gpu_bench_launch(bench, "sums", N, N).kind, WADI_FAULT_CANCELLED);
    gpu_bench_end(bench);
    wadi_stop_fini(&stop);
}

static void a_failed_device_tells_no_fault_of_the_program(void **state) {
    (void)state;
    gpu_bench b;
    static const int in[] = {IN};
    gpu_bench_open(&b, 1 << 22, "tests/sched/gpu_kernels.h");
    gpu_bench_begin(&b, SLOTS, plan_slots, 0, 10);
    assert_true(wadi_slots_room_for_shapes(&b.slots, IN, 10));
    memset(b.slots.slot[IN].shape, 0x22, 10 * sizeof(int64_t));
    gpu_host_fail(b.driver);
    wadi_launch l = {
        .code = gpu_bench_code(&b, "faults"), .count = 10, .n = 100, .nshapes = 1, .shapes = in};
    b.device->ops->launch(b.device, &l);
    assert_int_equal(l.fault.kind, WADI_FAULT_NONE);
    for (int i = 0; i < 10; i++) assert_int_equal(b.slots.slot[IN].shape[i], 0);
    assert_int_equal(b.device->ops->wait(b.device, NULL), WADI_DEVICE);
    gpu_bench_end(&b);
    gpu_bench_close(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(items_and_groups_share_the_rounds),
        cmocka_unit_test(units_lead_to_their_elements),
        cmocka_unit_test(shapes_come_back),
        cmocka_unit_test(the_first_fault_is_told),
        cmocka_unit_test(of_faults_at_one_place_always_the_same_is_told),
        cmocka_unit_test(the_index_decides_last),
        cmocka_unit_test(a_serial_launch_is_one_range),
        cmocka_unit_test(nothing_runs_over_nothing),
        cmocka_unit_test(a_launch_has_the_groups_that_fit),
        cmocka_unit_test(a_call_says_what_there_is),
        cmocka_unit_test(scratch_memory_is_shared_out),
        cmocka_unit_test(what_does_not_fit_is_taken_of_the_heap),
        cmocka_unit_test(what_has_not_changed_is_not_sent_again),
        cmocka_unit_test(tables_grow_and_shrink),
        cmocka_unit_test(a_run_that_is_stopped_launches_nothing),
        cmocka_unit_test(a_failed_device_tells_no_fault_of_the_program),
    };
    return cmocka_run_group_tests(tests, gpu_bench_setup, gpu_bench_teardown);
}
