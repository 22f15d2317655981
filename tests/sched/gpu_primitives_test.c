/* The primitives of devices with groups of lanes: sizes around those of rounds, groups and machines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sched/gpu/rt/call.h"
#include "sched/gpu/rt/tasks.h"
#include "tests/sched/gpu_bench.h"

static const int64_t sizes[] = {
    1, 63, 64, 65, 4095, 4096, 4097, 3 * 4096, 100000, GPU_UNITS * 16 * 4096 + 5, 400001};
enum { SIZES = sizeof sizes / sizeof sizes[0] };

static const int64_t word = (int64_t)sizeof(int64_t);

static gpu_bench bench;

static int open_bench(void **state) {
    (void)state;
    gpu_bench_open(&bench, INT64_C(256) << 20, NULL);
    return 0;
}

static int close_bench(void **state) {
    (void)state;
    gpu_bench_close(&bench);
    return 0;
}

static void iota_counts_and_scan_adds_up(void **state) {
    (void)state;
    const wadi_device_ops *ops = bench.device->ops;
    for (int k = 0; k < SIZES; k++) {
        const int64_t n = sizes[k];
        int64_t *got = malloc((size_t)(n + 1) * sizeof *got), sum = 0;
        void *block = gpu_bench_block(&bench, NULL, (n + 1) * word);
        int64_t *at = wadi_buffers_address(block);
        ops->iota(bench.device, at, n, -7);
        gpu_bench_get(&bench, got, at, n * word);
        for (int64_t i = 0; i < n; i++) assert_int_equal(got[i], i - 7);
        for (int64_t i = 0; i < n; i++) got[i] = i * 31 % 17;
        wadi_residence_put(bench.device->residence, at, got, n * word);
        const int64_t all = ops->scan(bench.device, at, n);
        gpu_bench_get(&bench, got, at, (n + 1) * word);
        for (int64_t i = 0; i <= n; i++) {
            assert_int_equal(got[i], sum);
            if (i < n) sum += i * 31 % 17;
        }
        assert_int_equal(all, sum);
        wadi_buffers_put(block);
        free(got);
    }
}

/* 0 + 1 + 2 + 0 + 1 + .. of n numbers */
static int64_t sum_of_thirds(int64_t n) {
    return n / 3 * 3 + (n % 3 == 2 ? 1 : 0);
}

/* More than one round of the rounds' totals. */
static void scans_of_many_rounds_add_up(void **state) {
    (void)state;
    const int64_t n = 4096 * 4096 + 4096 + 3;
    int64_t *at = malloc((size_t)(n + 1) * sizeof *at);
    for (int64_t i = 0; i < n; i++) at[i] = i % 3;
    void *block = gpu_bench_block(&bench, at, n * word);
    int64_t *there = wadi_buffers_address(block);
    assert_int_equal(bench.device->ops->scan(bench.device, there, n), sum_of_thirds(n));
    gpu_bench_get(&bench, at, there, (n + 1) * word);
    for (int64_t i = 0; i <= n; i++)
        if (at[i] != sum_of_thirds(i)) assert_int_equal(at[i], sum_of_thirds(i));
    wadi_buffers_put(block);
    free(at);
}

static void nothing_adds_up_to_nothing(void **state) {
    (void)state;
    int64_t got = 5;
    void *block = gpu_bench_block(&bench, &got, word);
    assert_int_equal(bench.device->ops->scan(bench.device, wadi_buffers_address(block), 0), 0);
    gpu_bench_get(&bench, &got, wadi_buffers_address(block), word);
    assert_int_equal(got, 0);
    bench.device->ops->iota(bench.device, wadi_buffers_address(block), 0, 3);
    assert_int_equal(bench.device->ops->count(bench.device, wadi_buffers_address(block), 0), 0);
    gpu_bench_get(&bench, &got, wadi_buffers_address(block), word);
    assert_int_equal(got, 0);
    wadi_buffers_put(block);
}

static void bools_are_counted(void **state) {
    (void)state;
    for (int k = 0; k < SIZES; k++) {
        const int64_t n = sizes[k];
        uint8_t *says = malloc((size_t)n + 64);
        int64_t yes = 0;
        memset(says, 1, (size_t)n + 64); /* those behind are not counted */
        for (int64_t i = 0; i < n; i++) {
            says[i] = i % 7 != 2 && i % 5 != 0;
            yes += says[i];
        }
        void *block = gpu_bench_block(&bench, says, n + 64);
        assert_int_equal(bench.device->ops->count(bench.device, wadi_buffers_address(block), n),
                         yes);
        wadi_buffers_put(block);
        free(says);
    }
}

/* ---- gather ---- */

/* Two fields of different sizes in three sources; element e of source k holds what value_of says. */
enum { SOURCES = 3, MOST = 20000 };

static int64_t value_of(int source, int64_t at) {
    return source * 1000000 + at;
}

typedef struct gathered {
    wadi_plan_slot p;
    wadi_device_source source[SOURCES];
    void *block[SOURCES][2], *to_block[2];
    int64_t *offset[SOURCES], *to_offset, *index;
    int32_t *which;
    wadi_slot to;
    int64_t total;
} gathered;

/* Elements of source k: how many values, where they begin. */
static int64_t size_in(wadi_slot_kind kind, int64_t e) {
    return kind == WADI_SLOT_IRREGULAR ? e % 4 : 3;
}

static void fill_sources(gathered *g, wadi_slot_kind kind, int64_t elements) {
    for (int k = 0; k < SOURCES; k++) {
        g->offset[k] = malloc((size_t)(elements + 1) * sizeof(int64_t));
        g->offset[k][0] = 2 * k; /* what lies in front belongs to nobody */
        for (int64_t e = 0; e < elements; e++)
            g->offset[k][e + 1] = g->offset[k][e] + size_in(kind, e);
        const int64_t n = g->offset[k][elements] + elements + 8;
        int64_t *wide = malloc((size_t)n * sizeof *wide);
        int16_t *narrow = malloc((size_t)n * sizeof *narrow);
        for (int64_t i = 0; i < n; i++) {
            wide[i] = value_of(k, i);
            narrow[i] = (int16_t)(value_of(k, i) % 30011);
        }
        g->block[k][0] = gpu_bench_block(&bench, wide, n * (int64_t)sizeof *wide);
        g->block[k][1] = gpu_bench_block(&bench, narrow, n * (int64_t)sizeof *narrow);
        g->source[k] = (wadi_device_source){
            kind, {.offset = kind == WADI_SLOT_IRREGULAR ? g->offset[k] : NULL, .stride = 4}};
        for (int f = 0; f < 2; f++) g->source[k].slot.col[f] = wadi_buffers_address(g->block[k][f]);
        free(wide);
        free(narrow);
    }
}

/* Where element i comes from: its source, its number there, its first value. */
static int64_t start_of(const gathered *g, int64_t i, int *out_source, int64_t *out_e) {
    *out_source = g->which != NULL ? g->which[i] : 0;
    *out_e = g->index != NULL ? g->index[i] : i;
    const wadi_slot_kind kind = g->source[*out_source].kind;
    if (kind == WADI_SLOT_IRREGULAR) return g->offset[*out_source][*out_e];
    return kind == WADI_SLOT_ONCE ? 0 : *out_e * 4;
}

static void check(gathered *g, int64_t n) {
    int64_t *wide = calloc((size_t)g->total + 1, sizeof *wide), at = 0;
    int16_t *narrow = calloc((size_t)g->total + 1, sizeof *narrow);
    gpu_bench_get(&bench, wide, g->to.col[0], g->total * (int64_t)sizeof *wide);
    gpu_bench_get(&bench, narrow, g->to.col[1], g->total * (int64_t)sizeof *narrow);
    for (int64_t i = 0; i < n; i++) {
        int k = 0;
        int64_t e = 0;
        const int64_t start = start_of(g, i, &k, &e);
        for (int64_t v = 0; v < size_in(g->source[k].kind, e); v++, at++) {
            assert_int_equal(wide[at], value_of(k, start + v));
            assert_int_equal(narrow[at], value_of(k, start + v) % 30011);
        }
    }
    assert_int_equal(at, g->total);
    free(wide);
    free(narrow);
}

static void gather_case(wadi_slot_kind kind, int64_t n, bool which, bool index) {
    gathered g = {.p = {.kind = kind == WADI_SLOT_ONCE ? WADI_SLOT_REGULAR : kind,
                        .rank = 1,
                        .fields = 2,
                        .type = {WADI_I64, WADI_I16}}};
    fill_sources(&g, kind, n);
    if (which) g.which = malloc((size_t)n * sizeof *g.which);
    if (index) g.index = malloc((size_t)n * sizeof *g.index);
    for (int64_t i = 0; which && i < n; i++) g.which[i] = (int32_t)(i * 5 % SOURCES);
    for (int64_t i = 0; index && i < n; i++) g.index[i] = n - 1 - i;
    g.to_offset = calloc((size_t)n + 1, sizeof *g.to_offset);
    for (int64_t i = 0; i < n; i++) {
        int k = 0;
        int64_t e = 0;
        (void)start_of(&g, i, &k, &e);
        g.to_offset[i + 1] = g.to_offset[i] + size_in(kind, e);
    }
    g.total = g.to_offset[n];
    g.to.stride = 3;
    if (kind == WADI_SLOT_IRREGULAR) g.to.offset = g.to_offset;
    for (int f = 0; f < 2; f++) {
        g.to_block[f] = gpu_bench_block(&bench, NULL, (g.total + 1) * word);
        g.to.col[f] = wadi_buffers_address(g.to_block[f]);
    }
    const wadi_device_gather all = {&g.p, &g.to, n, g.total, g.source, g.which, g.index};
    bench.device->ops->gather(bench.device, &all);
    check(&g, n);
    for (int k = 0; k < SOURCES; k++) {
        free(g.offset[k]);
        for (int f = 0; f < 2; f++) wadi_buffers_put(g.block[k][f]);
    }
    for (int f = 0; f < 2; f++) wadi_buffers_put(g.to_block[f]);
    free(g.to_offset);
    free(g.which);
    free(g.index);
}

static void elements_come_from_where_they_are_said_to_be(void **state) {
    (void)state;
    static const wadi_slot_kind kinds[] = {WADI_SLOT_REGULAR, WADI_SLOT_IRREGULAR, WADI_SLOT_ONCE};
    static const int64_t counts[] = {1, 2, 70, 1365, 1366, MOST};
    for (int k = 0; k < 3; k++)
        for (int c = 0; c < 6; c++)
            for (int how = 0; how < 4; how++)
                gather_case(kinds[k], counts[c], how % 2 != 0, how / 2 != 0);
}

/* Values of rank 0 are one after the other, whatever their stride says. */
static void scalars_are_gathered(void **state) {
    (void)state;
    static const wadi_type types[] = {WADI_BOOL, WADI_F32, WADI_C128};
    for (int t = 0; t < 3; t++) {
        const wadi_plan_slot p = {.kind = WADI_SLOT_REGULAR, .fields = 1, .type = {types[t]}};
        const int64_t size = wadi_type_size(types[t]);
        uint8_t bytes[100 * 16], got[100 * 16];
        int64_t index[100];
        for (int i = 0; i < 100 * 16; i++) bytes[i] = (uint8_t)(i * 7 + i / 256);
        for (int i = 0; i < 100; i++) index[i] = i * 37 % 100;
        void *from = gpu_bench_block(&bench, bytes, 100 * size);
        void *to = gpu_bench_block(&bench, NULL, 100 * size);
        const wadi_slot slot = {.col = {wadi_buffers_address(to)}};
        const wadi_device_source source = {WADI_SLOT_REGULAR,
                                           {.col = {wadi_buffers_address(from)}}};
        const wadi_device_gather g = {&p, &slot, 100, 100, &source, NULL, index};
        bench.device->ops->gather(bench.device, &g);
        gpu_bench_get(&bench, got, slot.col[0], 100 * size);
        for (int i = 0; i < 100; i++)
            assert_memory_equal(got + i * size, bytes + index[i] * size, (size_t)size);
        wadi_buffers_put(from);
        wadi_buffers_put(to);
    }
}

/* ---- failures ---- */

enum { HOGS = 1 << 14 };

/* Without memory a primitive says so once, and gives 0. */
static void what_finds_no_memory_is_told(void **state) {
    (void)state;
    static void *hog[HOGS];
    gpu_bench b;
    wadi_error err = {0};
    int n = 0;
    gpu_bench_open(&b, 1 << 20, NULL);
    void *bools = gpu_bench_block(&b, "\1\1", 2);
    wadi_buffers *blocks = b.device->residence->blocks;
    assert_int_equal(b.device->ops->count(b.device, wadi_buffers_address(bools), 2), 2);
    for (int64_t bytes = 1 << 19; bytes >= 128; bytes /= 2)
        while (n < HOGS && (hog[n] = wadi_buffers_get(blocks, bytes)) != NULL) n++;
    assert_true(n < HOGS);
    assert_int_equal(b.device->ops->count(b.device, wadi_buffers_address(bools), 2), 0);
    assert_int_equal(b.device->ops->wait(b.device, &err), WADI_MEMORY);
    assert_string_equal(err.msg, "groups: out of memory");
    assert_int_equal(b.device->ops->wait(b.device, &err), WADI_OK);
    while (n > 0) wadi_buffers_put(hog[--n]);
    assert_int_equal(b.device->ops->count(b.device, wadi_buffers_address(bools), 2), 2);
    wadi_buffers_put(bools);
    gpu_bench_close(&b);
}

/* What a failed device does not give is zero. */
static void a_failed_device_gives_zeros(void **state) {
    (void)state;
    gpu_bench b;
    wadi_error err = {0};
    int64_t got[2] = {3, 3};
    gpu_bench_open(&b, 1 << 20, NULL);
    void *block = gpu_bench_block(&b, got, sizeof got);
    gpu_host_fail(b.driver);
    assert_int_equal(b.device->ops->count(b.device, wadi_buffers_address(block), 16), 0);
    assert_int_equal(b.device->ops->scan(b.device, wadi_buffers_address(block), 1), 0);
    gpu_bench_get(&b, got, wadi_buffers_address(block), sizeof got);
    assert_int_equal(got[0], 0);
    assert_int_equal(got[1], 0);
    assert_int_equal(b.device->ops->wait(b.device, &err), WADI_DEVICE);
    assert_string_equal(err.msg, "groups: it has been made to fail");
    wadi_buffers_put(block);
    gpu_bench_close(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(iota_counts_and_scan_adds_up),
        cmocka_unit_test(scans_of_many_rounds_add_up),
        cmocka_unit_test(nothing_adds_up_to_nothing),
        cmocka_unit_test(bools_are_counted),
        cmocka_unit_test(elements_come_from_where_they_are_said_to_be),
        cmocka_unit_test(scalars_are_gathered),
        cmocka_unit_test(what_finds_no_memory_is_told),
        cmocka_unit_test(a_failed_device_gives_zeros),
    };
    return cmocka_run_group_tests(tests, open_bench, close_bench);
}
