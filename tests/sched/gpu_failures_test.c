/* What a run is told when a device with groups of lanes fails: the failure itself, and no result of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sched/steps/runner.h"
#include "tests/sched/gpu_bench.h"

enum { IN, OUT, SLOTS, N = 300 };

static const char words[] = "groups: it has been made to fail";

static const wadi_plan_slot plan_slots[SLOTS] = {
    {.name = "in", .kind = WADI_SLOT_IRREGULAR, .rank = 1, .fields = 1, .type = {WADI_I64}},
    {.name = "out", .kind = WADI_SLOT_REGULAR, .fields = 1, .type = {WADI_I64}}};
static const int out_slot[] = {OUT};

/* A body with one kernel, whose result is allocated, or is one that only the kernel knows the shapes of. */
typedef struct program {
    gpu_bench bench;
    wadi_plan_body body;
    wadi_plan_step steps[2];
    wadi_plan_version version;
    wadi_code kernels[2], units[2];
    bool fails; /* the device, when the kernel is loaded */
} program;

static wadi_status load(void *self, const wadi_plan *plan, int body, wadi_version_key version,
                        wadi_plan_code *out, wadi_error *err) {
    program *p = self;
    (void)plan;
    (void)body;
    (void)version;
    (void)err;
    if (p->fails) gpu_host_fail(p->bench.driver);
    *out = (wadi_plan_code){.version = &p->version, .kernels = p->kernels, .units = p->units};
    return WADI_OK;
}

static void open_program(program *p, const char *kernel) {
    *p = (program){.body = {.name = "body", .index_slot = -1, .nresults = 1, .results = out_slot}};
    gpu_bench_open(&p->bench, 1 << 24, "tests/sched/gpu_kernels.h");
    gpu_bench *b = &p->bench;
    p->body.offers[WADI_SCHEDULE_FIRST] = true;
    p->steps[0] =
        (wadi_plan_step){.kind = WADI_STEP_ALLOC, .nslots = 1, .slots = out_slot, .place = 1};
    p->steps[1] = (wadi_plan_step){.kind = WADI_STEP_RUN, .kernel = kernel};
    p->version = (wadi_plan_version){.nsteps = 2, .steps = p->steps};
    p->kernels[1] = gpu_bench_code(b, kernel);
    b->plan = (wadi_plan){.nslots = SLOTS, .slots = plan_slots, .nbodies = 1, .bodies = &p->body};
    assert_int_equal(wadi_slots_init(&b->slots, &b->plan, b->buffers, b->device->residence, NULL),
                     WADI_OK);
    int64_t values[N];
    assert_true(wadi_slots_room_for_shapes(&b->slots, IN, N));
    assert_true(wadi_slots_room_for_offsets(&b->slots, IN, N));
    for (int64_t s = 0; s <= N; s++) b->slots.slot[IN].offset[s] = s;
    for (int64_t s = 0; s < N; s++) {
        b->slots.slot[IN].shape[s] = 1;
        values[s] = 3 * s;
    }
    gpu_bench_fill(b, IN, values, N);
}

static wadi_status run(program *p, wadi_fault *out_fault, wadi_error *err) {
    wadi_runner *runner = NULL;
    const wadi_loader loader = {.load = load, .self = p};
    const wadi_runner_options options = {
        .plan = &p->bench.plan, .loader = &loader, .device = p->bench.device, .force = -1};
    assert_int_equal(wadi_runner_create(&options, &runner, NULL), WADI_OK);
    wadi_job job = {.first = 50, .count = N, .bytes = 64, .slots = &p->bench.slots};
    const wadi_status status = wadi_runner_run(runner, &job, err);
    *out_fault = job.fault;
    wadi_runner_destroy(runner);
    return status;
}

static void close_program(program *p) {
    wadi_slots_fini(&p->bench.slots);
    gpu_bench_close(&p->bench);
}

static void steps_run_on_groups(void **state) {
    (void)state;
    program p;
    wadi_fault fault;
    int64_t got[N];
    open_program(&p, "sums");
    assert_int_equal(run(&p, &fault, NULL), WADI_OK);
    assert_int_equal(fault.kind, WADI_FAULT_NONE);
    gpu_bench_get(&p.bench, got, p.bench.slots.slot[OUT].col[0], sizeof got);
    for (int64_t s = 0; s < N; s++) assert_int_equal(got[s], 50 + s + 3 * s);
    close_program(&p);
}

static void faults_of_the_program_are_the_jobs(void **state) {
    (void)state;
    program p;
    wadi_fault fault;
    open_program(&p, "faults");
    assert_int_equal(run(&p, &fault, NULL), WADI_OK);
    assert_int_equal(fault.kind, WADI_FAULT_INDEX);
    assert_int_equal(fault.element, 70);
    close_program(&p);
}

static void a_failed_device_ends_the_run(void **state) {
    (void)state;
    program p;
    wadi_fault fault;
    wadi_error err = {0};
    open_program(&p, "sums");
    p.fails = true;
    assert_int_equal(run(&p, &fault, &err), WADI_DEVICE);
    assert_string_equal(err.msg, words);
    close_program(&p);
}

/* Memory is short, too: of the two the device's failure is told. */
static void a_failure_is_told_before_what_it_led_to(void **state) {
    (void)state;
    program p;
    wadi_fault fault;
    wadi_error err = {0};
    static const wadi_plan_slot huge = {
        .name = "out", .kind = WADI_SLOT_REGULAR, .rank = 1, .fields = 1, .type = {WADI_I64}};
    wadi_plan_slot slots[SLOTS];
    open_program(&p, "sums");
    memcpy(slots, plan_slots, sizeof slots);
    slots[OUT] = huge;
    p.bench.plan.slots = slots;
    assert_true(wadi_slots_room_for_shapes(&p.bench.slots, OUT, N));
    p.bench.slots.slot[OUT].shape[0] = INT64_C(1) << 40;
    p.fails = true;
    assert_int_equal(run(&p, &fault, &err), WADI_DEVICE);
    assert_string_equal(err.msg, words);
    close_program(&p);
}

static void nobody_gets_the_zeros_of_a_failed_device(void **state) {
    (void)state;
    gpu_bench b;
    wadi_error err = {0};
    const int64_t values[4] = {1, 2, 3, 4};
    gpu_bench_open(&b, 1 << 20, NULL);
    for (int how = 0; how < 2; how++) {
        void *block = gpu_bench_block(&b, values, sizeof values);
        wadi_chunk *c = NULL;
        assert_int_equal(wadi_chunk_create(b.buffers, 1, &c, NULL), WADI_OK);
        c->count = 2;
        c->component[0] = (wadi_chunk_component){.layout = WADI_LAYOUT_REGULAR,
                                                 .fields = 1,
                                                 .type = {WADI_I64},
                                                 .stride = 2,
                                                 .residence = b.device->residence,
                                                 .column = {wadi_buffers_address(block)},
                                                 .values = 4};
        if (how == 1) gpu_host_fail(b.driver);
        assert_int_equal(wadi_chunk_at_host(c, &err), how == 0 ? WADI_OK : WADI_DEVICE);
        if (how == 0)
            assert_memory_equal(c->component[0].column[0], values, sizeof values);
        else
            assert_int_equal(wadi_chunk_spread(c, 0, NULL), WADI_DEVICE);
        wadi_chunk_release(c);
        wadi_buffers_put(block);
    }
    assert_string_equal(err.msg, words);
    gpu_bench_close(&b);
}

static void outputs_of_a_failed_device_are_not_fetched(void **state) {
    (void)state;
    gpu_bench b;
    static const wadi_plan_slot slot = {
        .name = "x", .kind = WADI_SLOT_ONCE, .fields = 1, .type = {WADI_I64}};
    const int64_t seven = 7;
    gpu_bench_open(&b, 1 << 20, NULL);
    gpu_bench_begin(&b, 1, &slot, 0, 1);
    gpu_bench_fill(&b, 0, &seven, 1);
    const void *there = b.slots.slot[0].col[0];
    gpu_host_fail(b.driver);
    assert_int_equal(wadi_slots_fetch(&b.slots, 0, NULL), WADI_DEVICE);
    assert_ptr_equal(b.slots.slot[0].col[0], there);
    gpu_bench_end(&b);
    gpu_bench_close(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_run_on_groups),
        cmocka_unit_test(faults_of_the_program_are_the_jobs),
        cmocka_unit_test(a_failed_device_ends_the_run),
        cmocka_unit_test(a_failure_is_told_before_what_it_led_to),
        cmocka_unit_test(nobody_gets_the_zeros_of_a_failed_device),
        cmocka_unit_test(outputs_of_a_failed_device_are_not_fetched),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
