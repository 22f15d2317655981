/* What a device has been asked before: it is not launched again, and the answer is that to the same question. The kernels are in gpu_kernels.h: the
 * shapes of `in`, twice as long, and one unit for each element of `in` that is not empty. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sched/gpu/memo.h"
#include "tests/sched/gpu_bench.h"

enum { IN, OUT, EMITTED, SLOTS }; /* as in the kernels */
enum { N = 10, FEW = 2 };

static const wadi_plan_slot plan_slots[SLOTS] = {
    {.name = "in", .kind = WADI_SLOT_IRREGULAR, .rank = 1, .fields = 1, .type = {WADI_I64}},
    {.name = "out", .kind = WADI_SLOT_IRREGULAR, .rank = 1, .fields = 1, .type = {WADI_I64}},
    {.name = "emitted", .kind = WADI_SLOT_ONCE, .rank = 1, .fields = 1, .type = {WADI_I64}}};

static const wadi_plan_touches of_shapes = {.quiet = true, .of_shapes = true, .known = true};

static gpu_bench *const bench = &gpu_bench_shared;
static wadi_code shapes,
    units; /* the bench gives a kernel another handle each time it is looked up */

static int setup(void **state) {
    if (gpu_bench_setup(state) != 0) return -1;
    shapes = gpu_bench_code(bench, "shapes");
    units = gpu_bench_code(bench, "units");
    return 0;
}

/* ---- a chunk: one element has another length than in other chunks. Each test has chunks of its own, so nothing is known before ---- */

static int64_t length(int which, int64_t s) {
    return s == which % N ? 100 + which : s % 3;
}

static void begin(int which) {
    gpu_bench_begin(bench, SLOTS, plan_slots, 0, N);
    const wadi_slot *in = &bench->slots.slot[IN];
    assert_true(wadi_slots_room_for_shapes(&bench->slots, IN, N));
    assert_true(wadi_slots_room_for_offsets(&bench->slots, IN, N));
    assert_true(wadi_slots_room_for_shapes(&bench->slots, OUT, N));
    memset(bench->slots.slot[OUT].shape, 0, N * sizeof(int64_t));
    for (int64_t s = 0; s < N; s++) in->shape[s] = length(which, s);
    for (int64_t s = 0; s <= N; s++) in->offset[s] = 0; /* all are the same memory */
}

/* Whether a kernel was launched. */
static bool launch(wadi_code kernel, const wadi_plan_touches *touches, int64_t *unit) {
    static const int out[] = {OUT};
    const int64_t before = gpu_host_launches(bench->driver);
    wadi_launch l = {.code = kernel,
                     .count = N,
                     .n = N,
                     .unit = unit,
                     .nshapes = unit == NULL,
                     .shapes = out,
                     .touches = touches};
    bench->device->ops->launch(bench->device, &l);
    assert_int_equal(l.fault.kind, WADI_FAULT_NONE);
    return gpu_host_launches(bench->driver) > before;
}

static bool ask_shapes(int which) {
    int64_t *shape = bench->slots.slot[OUT].shape;
    memset(shape, 0x11, N * sizeof *shape);
    const bool launched = launch(shapes, &of_shapes, NULL);
    for (int64_t s = 0; s < N; s++) assert_int_equal(shape[s], 2 * length(which, s));
    return launched;
}

static bool ask(int which) {
    begin(which);
    const bool launched = ask_shapes(which);
    gpu_bench_end(bench);
    return launched;
}

/* ---- shapes ---- */

static void the_same_is_not_asked_again(void **state) {
    (void)state;
    assert_true(ask(1));
    assert_true(ask(2));
    assert_false(ask(1));
    assert_false(ask(2));
}

static void the_oldest_question_is_forgotten(void **state) {
    (void)state;
    for (int i = 0; i <= WADI_GPU_MEMO_ENTRIES; i++) assert_true(ask(1000 + i));
    assert_false(ask(1000 + WADI_GPU_MEMO_ENTRIES));
    assert_false(ask(1001));
    assert_true(ask(1000));
}

/* The host does not know the shape of what is emitted yet, so the question is not known either. */
static void while_something_is_emitted_nothing_is_known(void **state) {
    (void)state;
    for (int round = 0; round < FEW; round++) {
        begin(3);
        assert_true(bench->device->ops->expect(bench->device, EMITTED, 1));
        assert_true(ask_shapes(3));
        assert_true(ask_shapes(3));
        gpu_bench_end(bench);
    }
}

/* ---- numbers of units ---- */

static void assert_units(int64_t n, int64_t *unit) {
    int64_t begins[N + 1], sum = 0;
    assert_int_equal(bench->device->ops->scan(bench->device, unit, N), n);
    gpu_bench_get(bench, begins, unit, (int64_t)sizeof begins);
    for (int64_t s = 0; s<N; sum += bench->slots.slot[IN].shape[s++]> 0)
        assert_int_equal(begins[s], sum);
    assert_int_equal(begins[N], sum);
}

static void units_are_those_of_the_last_kernel(void **state) {
    (void)state;
    for (int round = 0; round < FEW; round++) {
        begin(4);
        void *block = gpu_bench_block(bench, NULL, (N + 1) * (int64_t)sizeof(int64_t));
        int64_t *unit = wadi_buffers_address(block);
        assert_int_equal(launch(units, &of_shapes, unit), round == 0);
        assert_units(6, unit);
        assert_false(launch(units, &of_shapes, unit));
        bench->slots.slot[IN].shape[6] = 1;
        assert_true(launch(units, NULL, unit)); /* the same place, by one that is not asked */
        assert_units(7, unit);
        bench->slots.slot[IN].shape[6] = 0;
        assert_false(launch(units, &of_shapes, unit));
        assert_units(6, unit);
        wadi_buffers_put(block);
        gpu_bench_end(bench);
    }
}

/* Nobody has summed them up, so the answer was not noted: what stands there later is another's. */
static void an_answer_that_another_has_overwritten_is_not_noted(void **state) {
    (void)state;
    begin(5);
    void *block = gpu_bench_block(bench, NULL, (N + 1) * (int64_t)sizeof(int64_t));
    int64_t *unit = wadi_buffers_address(block);
    assert_true(launch(units, &of_shapes, unit));
    bench->slots.slot[IN].shape[6] = 1;
    assert_true(launch(units, NULL, unit));
    assert_units(7, unit);
    bench->slots.slot[IN].shape[6] = 0;
    assert_true(launch(units, &of_shapes, unit));
    assert_units(6, unit);
    wadi_buffers_put(block);
    gpu_bench_end(bench);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_is_not_asked_again),
        cmocka_unit_test(the_oldest_question_is_forgotten),
        cmocka_unit_test(while_something_is_emitted_nothing_is_known),
        cmocka_unit_test(units_are_those_of_the_last_kernel),
        cmocka_unit_test(an_answer_that_another_has_overwritten_is_not_noted)};
    return cmocka_run_group_tests(tests, setup, gpu_bench_teardown);
}
