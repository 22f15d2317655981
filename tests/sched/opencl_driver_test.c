/* A device of OpenCL: memory, copies, and kernels in device C that are written by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/thread.h"
#include "sched/gpu/rt/call.h"
#include "sched/kernel.h"
#include "sched/opencl/image.h"
#include "tests/sched/opencl_bench.h"

enum { MOST = 64 << 20, N = 10000 };

static wadi_gpu_driver *opened(int64_t most) {
    wadi_gpu_driver *d = NULL;
    wadi_error err = {0};
    if (wadi_opencl_driver_open(opencl_bench_machine(), most, &d, &err) != WADI_OK)
        fail_msg("%s", err.msg);
    return d;
}

static void *taken(wadi_gpu_driver *d, size_t bytes) {
    void *at = d->ops->take(d, bytes);
    assert_non_null(at);
    return at;
}

static uint64_t address(const void *at) {
    return (uint64_t)(uintptr_t)at;
}

static void assert_well(wadi_gpu_driver *d) {
    wadi_error err = {0};
    if (d->ops->wait(d, &err) != WADI_OK) fail_msg("%s", err.msg);
}

/* ---- memory and copies ---- */

static void what_is_put_is_what_is_got(void **state) {
    (void)state;
    wadi_gpu_driver *d = opened(MOST);
    char *one = taken(d, N), *two = taken(d, 2 * N), from[N], to[N] = {0};
    for (int i = 0; i < N; i++) from[i] = (char)(i * 7);
    assert_int_equal(address(one) % 256, 0);
    assert_int_equal(address(two) % 256, 0);
    d->ops->put(d, one, from, N);
    d->ops->copy(d, two + 3, one + 1, N - 1);
    d->ops->copy(d, two, one, 3);
    d->ops->put(d, two + N + 1, from, 0);
    d->ops->get(d, to, two, N);
    assert_memory_equal(to, from, 3);
    assert_memory_equal(to + 3, from + 1, N - 3);
    assert_well(d);
    assert_true(d->ops->busy_ns(d) > 0);
    d->ops->give(d, one, N);
    d->ops->give(d, two, 2 * N);
    d->ops->destroy(d);
}

static void memory_ends_and_comes_back(void **state) {
    (void)state;
    wadi_gpu_driver *d = opened(MOST);
    assert_int_equal(d->memory, MOST);
    void *half = taken(d, MOST / 2), *rest = taken(d, MOST / 2);
    assert_null(d->ops->take(d, 1));
    d->ops->give(d, half, MOST / 2);
    assert_null(d->ops->take(d, MOST / 2 + 1));
    assert_ptr_equal(taken(d, MOST / 2), half);
    d->ops->give(d, half, MOST / 2);
    d->ops->give(d, rest, MOST / 2);
    assert_ptr_equal(taken(d, MOST), half);
    d->ops->give(d, half, MOST);
    assert_well(d);
    d->ops->destroy(d);
}

static void the_device_says_what_it_is(void **state) {
    (void)state;
    const wadi_opencl_machine *m = opencl_bench_machine();
    wadi_gpu_driver *d = opened(0);
    assert_true(d->memory > 0 && d->memory <= m->largest);
    assert_int_equal(d->units, m->units);
    assert_string_equal(d->name, m->name);
    assert_ptr_equal(d->images, &m->images);
    assert_string_equal(d->images->language, "OpenCL C");
    assert_non_null(strstr(d->dialect, "WADI_DIALECT_OPENCL"));
    d->ops->destroy(d);
}

static void a_copy_outside_of_the_memory_fails_and_the_rest_does_nothing(void **state) {
    (void)state;
    wadi_gpu_driver *d = opened(MOST);
    char *at = taken(d, MOST), byte = 5;
    wadi_error err = {0};
    d->ops->put(d, at, &byte, 1);
    d->ops->put(d, at + MOST, &byte, 1);
    byte = 6;
    d->ops->put(d, at, &byte, 1);
    d->ops->get(d, &byte, at, 1);
    assert_int_equal(byte, 0);
    assert_int_equal(d->ops->wait(d, &err), WADI_INTERNAL);
    assert_non_null(strstr(err.msg, d->name));
    assert_int_equal(d->ops->wait(d, NULL), WADI_INTERNAL);
    d->ops->destroy(d);
}

/* ---- kernels ---- */

/* What a kernel is given: a table of slots, and the state that it leaves. */
typedef struct work {
    wadi_gpu_driver *d;
    void *slots, *state;
    wadi_gpu_call call;
} work;

static work work_for(wadi_gpu_driver *d, int64_t n, int64_t step) {
    static const wadi_gpu_state clear;
    work w = {
        .d = d, .slots = taken(d, 4 * sizeof(wadi_gpu_slot)), .state = taken(d, sizeof clear)};
    d->ops->put(d, w.state, &clear, sizeof clear);
    w.call = (wadi_gpu_call){
        .n = n, .step = step, .count = n, .slot = address(w.slots), .state = address(w.state)};
    return w;
}

static wadi_gpu_state launched(work *w, wadi_code code, int64_t groups, const wadi_gpu_slot *slots,
                               int n) {
    wadi_gpu_state state;
    w->d->ops->put(w->d, w->slots, slots, (size_t)n * sizeof *slots);
    w->d->ops->launch(w->d, code, groups, &w->call);
    w->d->ops->get(w->d, &state, w->state, sizeof state);
    return state;
}

static const char by_items[] =
    "WADI_FN int twice_body(wadi_item *w, int64_t begin, int64_t end) {\n"
    "    WADI_GLOBAL const wadi_gpu_slot *const s = WADI_AT(w, const wadi_gpu_slot, "
    "w->call->slot);\n"
    "    for (int64_t i = begin; i < end; i++) {\n"
    "        const int64_t x = WADI_AT(w, const int64_t, s[0].col[0])[i];\n"
    "        if (x < 0) return wadi_fault_at(w, WADI_FAULT_INDEX, 7, i, 2, x, 1, 2, 3, 0, 0);\n"
    "        WADI_AT(w, int64_t, s[1].col[0])[i] = 2 * x;\n"
    "    }\n"
    "    return 0;\n"
    "}\n"
    "WADI_KERNEL(twice) {\n"
    "    WADI_ITEM\n"
    "    for (int64_t at = w->item * call.step; at < call.n; at += w->items * call.step)\n"
    "        if (twice_body(w, at, at + call.step < call.n ? at + call.step : call.n)) return;\n"
    "}\n"
    "WADI_KERNEL(total) {\n"
    "    WADI_ITEM\n"
    "    WADI_GLOBAL const wadi_gpu_slot *const s = WADI_AT(w, const wadi_gpu_slot, call.slot);\n"
    "    volatile WADI_GLOBAL uint64_t *const to = WADI_AT(w, uint64_t, s[1].col[0]);\n"
    "    for (int64_t i = w->item; i < call.n; i += w->items) {\n"
    "        uint64_t old = *to, seen;\n"
    "        const uint64_t x = WADI_AT(w, const uint64_t, s[0].col[0])[i];\n"
    "        while ((seen = wadi_cas64(to, old, old + x)) != old) old = seen;\n"
    "    }\n"
    "}\n";

/* Slots of one column. */
static void slots_of(wadi_gpu_slot *out, const void *a, const void *b) {
    memset(out, 0, 2 * sizeof *out);
    out[0].col[0] = address(a);
    out[1].col[0] = address(b);
}

static void kernels_read_and_write_columns(void **state) {
    (void)state;
    wadi_kernels k = opencl_bench_load(opencl_bench_machine(), by_items);
    wadi_gpu_driver *d = opened(MOST);
    static int64_t x[N], y[N];
    void *from = taken(d, sizeof x), *to = taken(d, sizeof y);
    wadi_gpu_slot slots[2];
    slots_of(slots, from, to);
    for (int64_t i = 0; i < N; i++) x[i] = i * i;
    d->ops->put(d, from, x, sizeof x);
    for (int64_t step = 1; step <= N; step *= 10) {
        work w = work_for(d, N, step);
        d->ops->put(d, to, x, sizeof x);
        const wadi_gpu_state left = launched(&w, opencl_bench_find(&k, "twice"), 3, slots, 2);
        assert_int_equal(left.fault.kind, 0);
        d->ops->get(d, y, to, sizeof y);
        for (int i = 0; i < N; i++) assert_int_equal(y[i], 2 * x[i]);
    }
    int64_t total = 0;
    for (int i = 0; i < N; i++) total += x[i];
    work w = work_for(d, N, 1);
    d->ops->put(d, to, &(int64_t){0}, sizeof(int64_t));
    (void)launched(&w, opencl_bench_find(&k, "total"), 5, slots, 2);
    d->ops->get(d, y, to, sizeof y[0]);
    assert_int_equal(y[0], total);
    assert_well(d);
    d->ops->destroy(d);
    wadi_opencl_images_ops.unload(&k);
}

static void the_first_of_many_faults_is_told(void **state) {
    (void)state;
    wadi_kernels k = opencl_bench_load(opencl_bench_machine(), by_items);
    wadi_gpu_driver *d = opened(MOST);
    static int64_t x[N];
    void *from = taken(d, sizeof x), *to = taken(d, sizeof x);
    wadi_gpu_slot slots[2];
    slots_of(slots, from, to);
    for (int64_t i = 0; i < N; i++) x[i] = i >= 1234 ? -i : i;
    d->ops->put(d, from, x, sizeof x);
    for (int groups = 1; groups <= 64; groups *= 4) {
        work w = work_for(d, N, 1);
        const wadi_gpu_state left = launched(&w, opencl_bench_find(&k, "twice"), groups, slots, 2);
        assert_int_equal(left.fault.kind, WADI_FAULT_INDEX);
        assert_int_equal(left.fault.place, 7);
        assert_int_equal(left.fault.element, 1234);
        assert_int_equal(left.fault.linear, 2);
        assert_int_equal(left.fault.value[0], -1234);
        assert_int_equal(left.fault.value[3], 3);
        assert_int_equal(left.lock, 0);
    }
    assert_well(d);
    d->ops->destroy(d);
    wadi_opencl_images_ops.unload(&k);
}

/* Lanes leave their branch by goto, and all lanes leave together behind the barrier. A private array lives over barriers. */
static const char by_groups[] =
    "WADI_KERNEL(rows) {\n"
    "    WADI_LOCAL int64_t tile[WADI_GPU_LANES];\n"
    "    WADI_LOCAL int stop;\n"
    "    WADI_ITEM\n"
    "    WADI_GLOBAL const wadi_gpu_slot *const s = WADI_AT(w, const wadi_gpu_slot, call.slot);\n"
    "    const int lane = w->lane;\n"
    "    int64_t mine[4] = {0, 0, 0, 0};\n"
    "    if (lane == 0) stop = 0;\n"
    "    for (int64_t u = w->group; u < call.n; u += w->groups) {\n"
    "        const int64_t rounds = u % 64 + 1;\n"
    "        WADI_BARRIER\n"
    "        tile[lane] = 0;\n"
    "        WADI_BARRIER\n"
    "        if (lane < rounds) {\n"
    "            for (int q = 0; q < 3; q++) {\n"
    "                const int64_t x = WADI_AT(w, const int64_t, s[0].col[0])[u * 64 + lane];\n"
    "                if (x < 0) {\n"
    "                    stop = wadi_fault_at(w, WADI_FAULT_INDEX, 9, u, lane, x, 0, 0, 0, 0, 0);\n"
    "                    goto leave;\n"
    "                }\n"
    "                tile[lane] += x;\n"
    "                mine[q] += x;\n"
    "            }\n"
    "        leave:;\n"
    "        }\n"
    "        WADI_BARRIER\n"
    "        if (stop) return;\n"
    "        int64_t sum = 0;\n"
    "        for (int64_t k = 0; k < rounds; k++) sum += tile[k];\n"
    "        for (int h = 32; h >= 1; h /= 2) {\n"
    "            WADI_BARRIER\n"
    "            if (lane < h) tile[lane] += tile[lane + h];\n"
    "        }\n"
    "        WADI_BARRIER\n"
    "        if (lane == 0) WADI_AT(w, int64_t, s[1].col[0])[u] = sum + tile[0];\n"
    "    }\n"
    "    if (w->groups == 1 && lane < 2) WADI_AT(w, int64_t, s[1].col[1])[lane] = mine[lane + 1];\n"
    "}\n";

enum { ROWS = 500 };

static void groups_meet_at_barriers(void **state) {
    (void)state;
    wadi_kernels k = opencl_bench_load(opencl_bench_machine(), by_groups);
    wadi_gpu_driver *d = opened(MOST);
    static int64_t x[ROWS * 64], y[ROWS];
    void *from = taken(d, sizeof x), *to = taken(d, sizeof y), *own = taken(d, 2 * sizeof y[0]);
    int64_t mine[2], first[2] = {0, 0};
    wadi_gpu_slot slots[2];
    slots_of(slots, from, to);
    slots[1].col[1] = address(own);
    for (int i = 0; i < ROWS * 64; i++) x[i] = i * 7919 % 1000;
    d->ops->put(d, from, x, sizeof x);
    for (int groups = 1; groups <= 9; groups += 4) {
        work w = work_for(d, ROWS, 1);
        const wadi_gpu_state left = launched(&w, opencl_bench_find(&k, "rows"), groups, slots, 2);
        assert_int_equal(left.fault.kind, 0);
        d->ops->get(d, y, to, sizeof y);
        for (int u = 0; u < ROWS; u++) {
            int64_t sum = 0;
            for (int i = 0; i < u % 64 + 1; i++) sum += x[u * 64 + i];
            assert_int_equal(y[u], 6 * sum);
        }
    }
    for (int u = 0; u < ROWS; u++)
        for (int lane = 0; lane < 2 && lane < u % 64 + 1; lane++) first[lane] += x[u * 64 + lane];
    d->ops->get(d, mine, own, sizeof mine);
    assert_memory_equal(mine, first, sizeof mine);
    assert_well(d);
    d->ops->destroy(d);
    wadi_opencl_images_ops.unload(&k);
}

static void a_fault_in_a_lane_ends_its_group(void **state) {
    (void)state;
    wadi_kernels k = opencl_bench_load(opencl_bench_machine(), by_groups);
    wadi_gpu_driver *d = opened(MOST);
    static int64_t x[ROWS * 64];
    void *from = taken(d, sizeof x), *to = taken(d, ROWS * 8);
    wadi_gpu_slot slots[2];
    slots_of(slots, from, to);
    slots[1].col[1] = address(to);
    x[40 * 64 + 40] = x[40 * 64 + 17] = x[41 * 64 + 3] = x[400 * 64 + 1] = -5;
    d->ops->put(d, from, x, sizeof x);
    for (int groups = 1; groups <= 9; groups += 4) {
        work w = work_for(d, ROWS, 1);
        const wadi_gpu_state left = launched(&w, opencl_bench_find(&k, "rows"), groups, slots, 2);
        assert_int_equal(left.fault.kind, WADI_FAULT_INDEX);
        assert_int_equal(left.fault.element, 40);
        assert_int_equal(left.fault.linear, 17);
    }
    assert_well(d);
    d->ops->destroy(d);
    wadi_opencl_images_ops.unload(&k);
}

static void commands_without_an_end_are_counted(void **state) {
    (void)state;
    wadi_kernels k = opencl_bench_load(opencl_bench_machine(), by_items);
    wadi_gpu_driver *d = opened(MOST);
    int64_t x[4] = {1, 2, 3, 4}, got = 0;
    void *from = taken(d, sizeof x), *to = taken(d, sizeof got);
    wadi_gpu_slot slots[2];
    slots_of(slots, from, to);
    work w = work_for(d, 4, 1);
    d->ops->put(d, from, x, sizeof x);
    d->ops->put(d, to, &got, sizeof got);
    d->ops->put(d, w.slots, slots, sizeof slots);
    for (int i = 0; i < 1000; i++) d->ops->launch(d, opencl_bench_find(&k, "total"), 1, &w.call);
    d->ops->get(d, &got, to, sizeof got);
    assert_int_equal(got, 10000);
    assert_well(d);
    d->ops->destroy(d);
    wadi_opencl_images_ops.unload(&k);
}

/* "more_twice" is the beginning and the end of other names. */
static const char joint[] =
    "/* more_twice_and_more is case 2 of both */\n/* twice is case 1 of both */\n"
    "/* more_twice is case 0 of both */\n"
    "WADI_KERNEL(both) {\n"
    "    WADI_ITEM\n"
    "    WADI_GLOBAL const wadi_gpu_slot *const s = WADI_AT(w, const wadi_gpu_slot, call.slot);\n"
    "    if (w->item == 0) WADI_AT(w, int64_t, s[0].col[0])[call.which] += 1 + call.which;\n"
    "}\n"
    "WADI_KERNEL(own) {\n"
    "    WADI_ITEM\n"
    "    WADI_GLOBAL const wadi_gpu_slot *const s = WADI_AT(w, const wadi_gpu_slot, call.slot);\n"
    "    if (w->item == 0) WADI_AT(w, int64_t, s[0].col[0])[3] += 4 + call.which;\n"
    "}\n";

static void kernels_may_share_an_entry(void **state) {
    (void)state;
    static const char *const names[] = {"twice", "more_twice", "more_twice_and_more", "own",
                                        "more_twice"};
    wadi_kernels k = opencl_bench_load(opencl_bench_machine(), joint);
    wadi_gpu_driver *d = opened(MOST);
    int64_t x[4] = {0};
    void *to = taken(d, sizeof x);
    wadi_gpu_slot slots[2];
    wadi_code code;
    slots_of(slots, to, to);
    d->ops->put(d, to, x, sizeof x);
    work w = work_for(d, 1, 1);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        (void)launched(&w, opencl_bench_find(&k, names[i]), 1, slots, 2);
    d->ops->get(d, x, to, sizeof x);
    assert_int_equal(x[0], 2);
    assert_int_equal(x[1], 2);
    assert_int_equal(x[2], 3);
    assert_int_equal(x[3], 4);
    assert_well(d);
    d->ops->destroy(d);
    assert_int_equal(wadi_opencl_images_ops.find(&k, "twice_and_more", &code, NULL), WADI_IO);
    wadi_opencl_images_ops.unload(&k);
}

/* ---- two devices at once ---- */

typedef struct one {
    wadi_code code;
    int64_t factor;
    int wrong;
} one;

static void work_alone(void *env) {
    one *o = env;
    wadi_gpu_driver *d = NULL;
    enum { FEW = 1000 };
    int64_t x[FEW], y[FEW];
    if (wadi_opencl_driver_open(opencl_bench_machine(), MOST, &d, NULL) != WADI_OK) {
        o->wrong = -1;
        return;
    }
    void *from = d->ops->take(d, sizeof x), *to = d->ops->take(d, sizeof y);
    wadi_gpu_slot slots[2];
    slots_of(slots, from, to);
    work w = work_for(d, FEW, 1);
    for (int round = 0; round < 200; round++) {
        for (int i = 0; i < FEW; i++) x[i] = (i + round) * o->factor;
        d->ops->put(d, from, x, sizeof x);
        (void)launched(&w, o->code, 4, slots, 2);
        d->ops->get(d, y, to, sizeof y);
        for (int i = 0; i < FEW; i++) o->wrong += y[i] != 2 * x[i];
    }
    if (d->ops->wait(d, NULL) != WADI_OK) o->wrong = -2;
    d->ops->destroy(d);
}

static void two_opened_devices_share_a_kernel(void **state) {
    (void)state;
    wadi_kernels k = opencl_bench_load(opencl_bench_machine(), by_items);
    one ones[2] = {{opencl_bench_find(&k, "twice"), 3, 0}, {opencl_bench_find(&k, "twice"), 5, 0}};
    wadi_thread threads[2] = {0};
    assert_int_equal(ones[0].code.handle, ones[1].code.handle);
    for (int i = 0; i < 2; i++)
        assert_int_equal(wadi_thread_start(&threads[i], work_alone, &ones[i], NULL), WADI_OK);
    for (int i = 0; i < 2; i++) wadi_thread_join(&threads[i]);
    assert_int_equal(ones[0].wrong, 0);
    assert_int_equal(ones[1].wrong, 0);
    wadi_opencl_images_ops.unload(&k);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_put_is_what_is_got),
        cmocka_unit_test(memory_ends_and_comes_back),
        cmocka_unit_test(the_device_says_what_it_is),
        cmocka_unit_test(a_copy_outside_of_the_memory_fails_and_the_rest_does_nothing),
        cmocka_unit_test(kernels_read_and_write_columns),
        cmocka_unit_test(the_first_of_many_faults_is_told),
        cmocka_unit_test(groups_meet_at_barriers),
        cmocka_unit_test(a_fault_in_a_lane_ends_its_group),
        cmocka_unit_test(commands_without_an_end_are_counted),
        cmocka_unit_test(kernels_may_share_an_entry),
        cmocka_unit_test(two_opened_devices_share_a_kernel),
    };
    if (opencl_bench_machine() == NULL) return 77;
    return cmocka_run_group_tests_name("opencl_driver", tests, NULL, NULL);
}
