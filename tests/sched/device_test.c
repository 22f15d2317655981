/* Every device of the table: its memory, its primitives, and that the host accesses columns only by copying. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/error.h"
#include "sched/cpu/code.h"
#include "sched/devices.h"

enum { N = 1000 };

/* The first of a kind that this machine has, from `row` on. */
static const wadi_device_row *here(const wadi_device_row *row) {
    wadi_device_choice choice;
    while (row->name != NULL && wadi_device_find(row->name, &choice, NULL) != WADI_OK) row++;
    return row;
}

#define EACH_DEVICE(row) \
    for (const wadi_device_row *row = here(wadi_devices); row->name != NULL; row = here(row + 1))

/* Whether its kernels are functions of this process, as those of this test. */
static bool runs_here(const wadi_device_row *row) {
    return strcmp(row->language, "C") == 0;
}

typedef struct bench {
    wadi_buffers *buffers;
    wadi_device *device;
} bench;

static bench open_bench(const wadi_device_row *row) {
    bench b = {0};
    assert_int_equal(wadi_buffers_create(NULL, 1 << 24, &b.buffers, NULL), WADI_OK);
    const wadi_device_options o = {.buffers = b.buffers, .keep_bytes = 1 << 24, .threads = 2};
    assert_int_equal(row->open(&o, &b.device, NULL), WADI_OK);
    return b;
}

static void close_bench(bench *b) {
    b->device->ops->destroy(b->device);
    assert_int_equal(wadi_buffers_used(b->buffers), 0);
    wadi_buffers_release(b->buffers);
}

/* A block of the device's own memory. */
static void *block_of(const bench *b, int64_t bytes) {
    const wadi_residence *r = b->device->residence;
    void *block = wadi_buffers_get(r != NULL ? r->blocks : b->buffers, bytes);
    assert_non_null(block);
    return block;
}

static void what_is_put_is_what_is_got(void **state) {
    (void)state;
    EACH_DEVICE(row) {
        bench b = open_bench(row);
        void *one = block_of(&b, N), *two = block_of(&b, 3 << 20);
        char from[N], to[N] = {0};
        for (int i = 0; i < N; i++) from[i] = (char)(i * 7);
        wadi_residence_put(b.device->residence, wadi_buffers_address(one), from, N);
        wadi_residence_copy(b.device->residence, wadi_buffers_address(two),
                            wadi_buffers_address(one), N);
        wadi_residence_get(b.device->residence, to, wadi_buffers_address(two), N);
        assert_int_equal(b.device->ops->wait(b.device, NULL), WADI_OK);
        assert_memory_equal(from, to, N);
        const wadi_sight seen =
            wadi_residence_see(b.device->residence, b.buffers, wadi_buffers_address(one), N);
        assert_memory_equal(from, seen.at, N);
        assert_int_equal(seen.block == NULL, b.device->residence == NULL);
        wadi_buffers_put(seen.block);
        wadi_buffers_put(one);
        wadi_buffers_put(two);
        close_bench(&b);
    }
}

static void primitives_count_and_add_up(void **state) {
    (void)state;
    EACH_DEVICE(row) {
        bench b = open_bench(row);
        const wadi_device_ops *ops = b.device->ops;
        const int64_t bytes = (N + 1) * (int64_t)sizeof(int64_t);
        void *block = block_of(&b, bytes);
        int64_t *at = wadi_buffers_address(block), got[N + 1];
        ops->iota(b.device, at, N, 5);
        wadi_residence_get(b.device->residence, got, at, bytes - (int64_t)sizeof *at);
        for (int i = 0; i < N; i++) assert_int_equal(got[i], i + 5);
        assert_int_equal(ops->scan(b.device, at, N), N * (N - 1) / 2 + 5 * N);
        wadi_residence_get(b.device->residence, got, at, bytes);
        for (int64_t i = 0; i <= N; i++) assert_int_equal(got[i], i * (i - 1) / 2 + 5 * i);
        uint8_t bools[N];
        for (int i = 0; i < N; i++) bools[i] = i % 3 == 1;
        wadi_residence_put(b.device->residence, at, bools, N);
        assert_int_equal(ops->count(b.device, at, N), N / 3);
        assert_int_equal(ops->count(b.device, at, 1), 0);
        assert_int_equal(ops->scan(b.device, at, 0), 0);
        wadi_buffers_put(block);
        close_bench(&b);
    }
}

/* Elements 9, 8, .. of two slots in turn. */
static void gathered_elements_come_from_where_they_are_said_to_be(void **state) {
    (void)state;
    const wadi_plan_slot slot = {
        .kind = WADI_SLOT_REGULAR, .rank = 1, .fields = 1, .type = {WADI_I32}};
    EACH_DEVICE(row) {
        bench b = open_bench(row);
        void *block[3];
        wadi_device_source source[2];
        int64_t shape = 2, index[10];
        int32_t which[10], values[20];
        wadi_slot to = {.shape = &shape, .stride = 2};
        for (int k = 0; k < 3; k++) block[k] = block_of(&b, sizeof values);
        for (int k = 0; k < 2; k++) {
            for (int i = 0; i < 20; i++) values[i] = 100 * k + i;
            wadi_residence_put(b.device->residence, wadi_buffers_address(block[k]), values,
                               sizeof values);
            source[k] = (wadi_device_source){
                WADI_SLOT_REGULAR,
                {.col = {wadi_buffers_address(block[k])}, .shape = &shape, .stride = 2}};
        }
        for (int i = 0; i < 10; i++) {
            which[i] = i % 2;
            index[i] = 9 - i;
        }
        to.col[0] = wadi_buffers_address(block[2]);
        const wadi_device_gather g = {&slot, &to, 10, 20, source, which, index};
        b.device->ops->gather(b.device, &g);
        wadi_residence_get(b.device->residence, values, to.col[0], sizeof values);
        for (int i = 0; i < 20; i++)
            assert_int_equal(values[i], 100 * (i / 2 % 2) + 2 * (9 - i / 2) + i % 2);
        for (int k = 0; k < 3; k++) wadi_buffers_put(block[k]);
        close_bench(&b);
    }
}

/* Element s becomes s + 1 rows of what the chunk's first element is. */
static int emit_rows(wadi_work *w, int64_t begin, int64_t end) {
    for (int64_t s = begin; s < end; s++) {
        const int64_t rows = s % 5 + 1;
        void *col[WADI_KERNEL_FIELDS];
        if (!w->emit(w, 0, s, &rows, col)) return 1;
        for (int64_t i = 0; i < rows; i++) ((int64_t *)col[0])[i] = w->first + 10 * s + i;
    }
    return 0;
}

static void what_kernels_emit_is_described_on_the_host(void **state) {
    (void)state;
    const wadi_plan_slot slot = {
        .name = "rows", .kind = WADI_SLOT_IRREGULAR, .rank = 1, .fields = 1, .type = {WADI_I64}};
    const wadi_plan plan = {.nslots = 1, .slots = &slot};
    static const int zero[] = {0};
    EACH_DEVICE(row) {
        if (!runs_here(row)) continue;
        bench b = open_bench(row);
        wadi_slots slots;
        assert_int_equal(wadi_slots_init(&slots, &plan, b.buffers, b.device->residence, NULL),
                         WADI_OK);
        const wadi_device_work work = {.slots = &slots, .first = 7000, .count = N};
        assert_true(b.device->ops->begin(b.device, &work));
        assert_true(b.device->ops->expect(b.device, 0, N));
        wadi_launch l = {.code = wadi_cpu_code(emit_rows), .count = N, .n = N};
        b.device->ops->launch(b.device, &l);
        assert_int_equal(l.fault.kind, WADI_FAULT_NONE);
        assert_true(b.device->ops->finish(b.device, zero, 1, true));
        b.device->ops->end(b.device);
        int64_t at = 0;
        for (int64_t s = 0; s < N; s++) {
            int64_t rows[5];
            assert_int_equal(slots.slot[0].offset[s], at);
            assert_int_equal(slots.slot[0].shape[s], s % 5 + 1);
            wadi_residence_get(b.device->residence, rows, (int64_t *)slots.slot[0].col[0] + at,
                               (s % 5 + 1) * (int64_t)sizeof *rows);
            for (int64_t i = 0; i <= s % 5; i++) assert_int_equal(rows[i], 7000 + 10 * s + i);
            at += s % 5 + 1;
        }
        assert_int_equal(slots.slot[0].offset[N], at);
        wadi_slots_fini(&slots);
        close_bench(&b);
    }
}

/* What the host's table says while a kernel runs. */
static const wadi_slots *watched;
static atomic_bool changed;

static int emit_one(wadi_work *w, int64_t begin, int64_t end) {
    const int64_t rows = 3;
    void *col[WADI_KERNEL_FIELDS];
    if (end - begin != 1 || !w->emit(w, 0, 0, &rows, col)) return 1;
    for (int64_t i = 0; i < rows; i++) ((int64_t *)col[0])[i] = 40 + i;
    if (watched->slot[0].col[0] != NULL || watched->memory[0].column[0] != NULL)
        atomic_store(&changed, true);
    return 0;
}

/* A device that is far away could not write into the host's table; so none does. */
static void the_table_of_slots_changes_between_launches_alone(void **state) {
    (void)state;
    static const int zero[] = {0};
    EACH_DEVICE(row) {
        if (!runs_here(row)) continue;
        for (int kind = 0; kind < 2; kind++) {
            const wadi_plan_slot slot = {.name = "rows",
                                         .kind = kind ? WADI_SLOT_IRREGULAR : WADI_SLOT_ONCE,
                                         .rank = 1,
                                         .fields = 1,
                                         .type = {WADI_I64}};
            const wadi_plan plan = {.nslots = 1, .slots = &slot};
            bench b = open_bench(row);
            wadi_slots slots;
            int64_t rows[3];
            assert_int_equal(wadi_slots_init(&slots, &plan, b.buffers, b.device->residence, NULL),
                             WADI_OK);
            watched = &slots;
            atomic_store(&changed, false);
            const wadi_device_work work = {.slots = &slots, .count = 1};
            assert_true(b.device->ops->begin(b.device, &work));
            assert_true(b.device->ops->expect(b.device, 0, 1));
            wadi_launch l = {.code = wadi_cpu_code(emit_one), .count = 1, .n = 1};
            b.device->ops->launch(b.device, &l);
            assert_int_equal(l.fault.kind, WADI_FAULT_NONE);
            assert_false(atomic_load(&changed));
            assert_true(b.device->ops->finish(b.device, zero, 1, true));
            b.device->ops->end(b.device);
            assert_int_equal(slots.slot[0].shape[0], 3);
            wadi_residence_get(b.device->residence, rows, slots.slot[0].col[0], sizeof rows);
            for (int64_t i = 0; i < 3; i++) assert_int_equal(rows[i], 40 + i);
            wadi_slots_fini(&slots);
            close_bench(&b);
        }
    }
}

/* Two readers of one component: the second finds the copy of the first. A reader of a part has a copy of his own. */
static void columns_come_to_the_host_once(void **state) {
    (void)state;
    static const int both[] = {0, 0}, first[] = {0};
    EACH_DEVICE(row) {
        bench b = open_bench(row);
        const bool apart = b.device->residence != NULL;
        wadi_chunk *c = NULL, *one = NULL, *two = NULL, *of_two = NULL, *some = NULL;
        int32_t *numbers = wadi_buffers_get(b.buffers, N * (int64_t)sizeof *numbers);
        for (int i = 0; i < N; i++) numbers[i] = 3 * i;
        assert_int_equal(wadi_chunk_create(b.buffers, 1, &c, NULL), WADI_OK);
        if (apart) wadi_chunk_retain_pool(c, b.device->residence->blocks);
        void *block = block_of(&b, N * (int64_t)sizeof *numbers);
        wadi_residence_put(b.device->residence, wadi_buffers_address(block), numbers,
                           N * (int64_t)sizeof *numbers);
        wadi_chunk_own(c, block);
        c->count = N;
        c->component[0] = (wadi_chunk_component){.layout = WADI_LAYOUT_REGULAR,
                                                 .fields = 1,
                                                 .type = {WADI_I32},
                                                 .values = N,
                                                 .column = {wadi_buffers_address(block)},
                                                 .residence = b.device->residence};
        assert_int_equal(wadi_chunk_select(c, 1, first, &one, NULL), WADI_OK);
        assert_int_equal(wadi_chunk_select(c, 2, both, &two, NULL), WADI_OK);
        assert_int_equal(wadi_chunk_select(two, 1, first, &of_two, NULL), WADI_OK);
        assert_int_equal(wadi_chunk_at_host(one, NULL), WADI_OK);
        const int64_t used = wadi_buffers_used(b.buffers);
        assert_int_equal(wadi_chunk_at_host(two, NULL), WADI_OK);
        assert_int_equal(wadi_chunk_at_host(of_two, NULL), WADI_OK);
        assert_int_equal(wadi_buffers_used(b.buffers), used);
        const void *home = one->component[0].column[0];
        assert_memory_equal(home, numbers, N * sizeof *numbers);
        assert_ptr_equal(two->component[0].column[0], home);
        assert_ptr_equal(two->component[1].column[0], home);
        assert_ptr_equal(of_two->component[0].column[0], home);
        assert_ptr_equal(c->component[0].residence,
                         b.device->residence); /* kernels read it there */
        assert_ptr_equal(c->component[0].column[0], wadi_buffers_address(block));
        assert_int_equal(wadi_chunk_slice(c, 10, 5, &some, NULL), WADI_OK);
        assert_int_equal(wadi_chunk_at_host(some, NULL), WADI_OK);
        assert_memory_equal(some->component[0].column[0], numbers + 10, 5 * sizeof *numbers);
        wadi_chunk_release(c);
        assert_memory_equal(of_two->component[0].column[0], numbers, N * sizeof *numbers);
        wadi_chunk_release(one);
        wadi_chunk_release(two);
        wadi_chunk_release(of_two);
        wadi_chunk_release(some);
        wadi_buffers_put(numbers);
        close_bench(&b);
    }
}

/* Whether a process that reads the byte outlives it. */
static bool can_read(const volatile char *at) {
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        (void)signal(SIGSEGV, SIG_DFL); /* nobody shall tell about it */
        (void)signal(SIGBUS, SIG_DFL);
        (void)*at;
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void the_host_reads_its_own_memory_alone(void **state) {
    (void)state;
    int apart = 0;
    EACH_DEVICE(row) {
        bench b = open_bench(row);
        apart += b.device->residence != NULL;
        void *block = block_of(&b, N);
        char *at = wadi_buffers_address(block);
        assert_int_equal(can_read(at), b.device->residence == NULL);
        wadi_residence_put(b.device->residence, at, "word", 5);
        assert_int_equal(can_read(at), b.device->residence == NULL);
        wadi_buffers_put(block);
        close_bench(&b);
    }
    assert_true(apart > 0); /* without such a device nobody would find a hidden read */
}

/* A chunk whose columns are a device's outlives the device. */
static void a_chunk_comes_home(void **state) {
    (void)state;
    const wadi_plan_slot slot = {
        .name = "x", .kind = WADI_SLOT_REGULAR, .rank = 0, .fields = 1, .type = {WADI_I64}};
    const wadi_plan plan = {.nslots = 1, .slots = &slot};
    EACH_DEVICE(row) {
        bench b = open_bench(row);
        wadi_slots slots;
        wadi_chunk *c = NULL, *view = NULL;
        assert_int_equal(wadi_slots_init(&slots, &plan, b.buffers, b.device->residence, NULL),
                         WADI_OK);
        assert_true(wadi_slots_room_for_shapes(&slots, 0, N));
        assert_true(wadi_slots_room_for_columns(&slots, 0, N));
        b.device->ops->iota(b.device, slots.slot[0].col[0], N, 0);
        slots.slot[0].stride = 1;
        assert_int_equal(wadi_chunk_create(b.buffers, 1, &c, NULL), WADI_OK);
        c->count = N;
        wadi_slots_take(&slots, 0, c, 0);
        wadi_slots_fini(&slots);
        assert_int_equal(wadi_chunk_slice(c, 10, 20, &view, NULL), WADI_OK);
        assert_int_equal(wadi_chunk_at_host(view, NULL), WADI_OK);
        assert_null(view->component[0].residence);
        b.device->ops->destroy(b.device);
        for (int i = 0; i < 20; i++)
            assert_int_equal(((const int64_t *)view->component[0].column[0])[i], 10 + i);
        wadi_chunk_release(view);
        wadi_chunk_release(c);
        assert_int_equal(wadi_buffers_used(b.buffers), 0);
        wadi_buffers_release(b.buffers);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_put_is_what_is_got),
        cmocka_unit_test(primitives_count_and_add_up),
        cmocka_unit_test(gathered_elements_come_from_where_they_are_said_to_be),
        cmocka_unit_test(what_kernels_emit_is_described_on_the_host),
        cmocka_unit_test(the_table_of_slots_changes_between_launches_alone),
        cmocka_unit_test(columns_come_to_the_host_once),
        cmocka_unit_test(the_host_reads_its_own_memory_alone),
        cmocka_unit_test(a_chunk_comes_home),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
