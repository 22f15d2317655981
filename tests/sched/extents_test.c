/* Extents that a program computes: if one is negative or too large, the message names the element, the extent and its dimension, in
 * every kind of slot. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sched/cpu/code.h"
#include "sched/cpu/cpu.h"
#include "sched/steps/runner.h"

enum { COUNT = 5, PLACE = 3, RANK = 2, LARGE = 4 };

/* Slots: the plan's, then the version's own, of the sides of a branch. */
enum { OUT, SAYS, SLOTS, MAP = SLOTS, MAP_2, FIRST, SECOND, ALL };

/* Values at most: of an element, of a slot. */
#define ELEMENT (INT64_MAX / 64)
#define SLOT (INT64_MAX / 16)

/* What the kernels write, for each element. */
static int64_t shapes[COUNT][RANK];
static bool side[COUNT];

/* ---- kernels ---- */

static void put(const wadi_work *w, int slot, int64_t s, int64_t element) {
    memcpy(&w->slot[slot].shape[s * RANK], shapes[element], sizeof shapes[element]);
}

static int shape_out(wadi_work *w, int64_t begin, int64_t end) {
    for (int64_t s = begin; s < end; s++) put(w, OUT, s, s);
    return 0;
}

static int shape_first(wadi_work *w, int64_t begin, int64_t end) {
    for (int64_t s = begin; s < end; s++)
        put(w, FIRST, s, ((const int64_t *)w->slot[MAP].col[0])[s]);
    return 0;
}

static int shape_second(wadi_work *w, int64_t begin, int64_t end) {
    for (int64_t s = begin; s < end; s++)
        put(w, SECOND, s, ((const int64_t *)w->slot[MAP_2].col[0])[s]);
    return 0;
}

static int say_sides(wadi_work *w, int64_t begin, int64_t end) {
    for (int64_t s = begin; s < end; s++) ((uint8_t *)w->slot[SAYS].col[0])[s] = side[s];
    return 0;
}

static int emit_out(wadi_work *w, int64_t begin, int64_t end) {
    for (int64_t s = begin; s < end; s++) {
        void *col[1];
        if (!w->emit(w, OUT, s, shapes[s], col)) return 1;
    }
    return 0;
}

/* ---- programs ---- */

typedef struct program {
    wadi_plan plan;
    wadi_plan_slot slot[ALL];
    wadi_plan_body body;
    wadi_plan_level level[2];
    wadi_plan_control control;
    wadi_plan_step step[8];
    wadi_code kernels[8], units[8];
    wadi_plan_version version;
} program;

static const int out_slot[] = {OUT}, says_slot[] = {SAYS}, first[] = {FIRST}, second[] = {SECOND};
static const bool moves[] = {true};

static void begin(program *p, wadi_slot_kind kind) {
    static const int levels[ALL] = {[MAP] = 1, [MAP_2] = 2, [FIRST] = 1, [SECOND] = 2};
    memset(p, 0, sizeof *p);
    for (int i = 0; i < ALL; i++) {
        const bool array = i == OUT || i == FIRST || i == SECOND;
        p->slot[i] = (wadi_plan_slot){.name = "slot",
                                      .kind = array ? kind : WADI_SLOT_REGULAR,
                                      .level = levels[i],
                                      .rank = array ? RANK : 0,
                                      .fields = 1,
                                      .type = {i == SAYS ? WADI_BOOL
                                               : array   ? WADI_I32
                                                         : WADI_I64}};
    }
    p->level[0] = (wadi_plan_level){0, MAP};
    p->level[1] = (wadi_plan_level){0, MAP_2};
    p->body =
        (wadi_plan_body){.name = "body", .index_slot = -1, .nresults = 1, .results = out_slot};
    p->plan = (wadi_plan){
        .name = "extents", .nslots = SLOTS, .slots = p->slot, .nbodies = 1, .bodies = &p->body};
    p->version = (wadi_plan_version){.steps = p->step,
                                     .nslots = ALL - SLOTS,
                                     .slots = p->slot + SLOTS,
                                     .nlevels = 2,
                                     .levels = p->level};
}

static void add(program *p, wadi_plan_step step, wadi_kernel kernel) {
    const int n = p->version.nsteps++;
    step.kernel = kernel != NULL ? "kernel" : NULL;
    step.place = PLACE;
    p->step[n] = step;
    p->kernels[n] = wadi_cpu_code(kernel);
}

static void add_array(program *p, const int *slot, int level, wadi_kernel kernel) {
    add(p, (wadi_plan_step){.kind = WADI_STEP_SHAPE, .nslots = 1, .slots = slot, .level = level},
        kernel);
    add(p, (wadi_plan_step){.kind = WADI_STEP_ALLOC, .nslots = 1, .slots = slot, .level = level},
        NULL);
}

static wadi_status load(void *self, const wadi_plan *plan, int body, wadi_version_key version,
                        wadi_plan_code *out, wadi_error *err) {
    program *p = self;
    (void)plan;
    (void)body;
    (void)version;
    (void)err;
    *out = (wadi_plan_code){.version = &p->version, .kernels = p->kernels, .units = p->units};
    return WADI_OK;
}

/* The fault of a run over so many elements. */
static wadi_fault run(program *p, wadi_schedule schedule, int64_t count) {
    wadi_buffers *buffers = NULL;
    wadi_slots slots;
    wadi_device *device = NULL;
    wadi_runner *runner = NULL;
    const wadi_loader loader = {.load = load, .self = p};
    p->body.offers[schedule] = true;
    assert_int_equal(wadi_buffers_create(NULL, 1 << 24, &buffers, NULL), WADI_OK);
    assert_int_equal(wadi_slots_init(&slots, &p->plan, buffers, NULL, NULL), WADI_OK);
    const wadi_device_options options = {.buffers = buffers, .threads = 1};
    assert_int_equal(wadi_cpu_open(&options, &device, NULL), WADI_OK);
    const wadi_runner_options run_options = {
        .plan = &p->plan, .loader = &loader, .device = device, .force = -1};
    assert_int_equal(wadi_runner_create(&run_options, &runner, NULL), WADI_OK);
    wadi_job job = {.count = count, .bytes = 64, .slots = &slots};
    assert_int_equal(wadi_runner_run(runner, &job, NULL), WADI_OK);
    wadi_runner_destroy(runner);
    device->ops->destroy(device);
    wadi_slots_fini(&slots);
    assert_int_equal(wadi_buffers_used(buffers), 0);
    wadi_buffers_release(buffers);
    return job.fault;
}

/* ---- tests ---- */

/* Shapes of the elements, and what is told of them: kind NONE: nothing. */
typedef struct row {
    int64_t shapes[COUNT][RANK];
    int64_t count;
    wadi_fault_kind kind;
    int64_t element, value[2];
} row;

static void expect(const wadi_fault *f, const row *r, int place) {
    assert_int_equal(f->kind, r->kind);
    if (r->kind == WADI_FAULT_NONE) return;
    assert_int_equal(f->place, place);
    assert_int_equal(f->element, r->element);
    assert_int_equal(f->linear, -1);
    assert_int_equal(f->value[0], r->value[0]);
    if (r->kind == WADI_FAULT_EXTENT) assert_int_equal(f->value[1], r->value[1]);
}

static const row ragged[] = {
    {{{1, 2}, {0, 0}, {3, 4}, {1, 1}, {9, 1}}, 5, WADI_FAULT_NONE, 0, {0}},
    {{{1, 2}, {3, 4}, {-1, 5}, {1, 1}, {1, 1}}, 5, WADI_FAULT_EXTENT, 2, {-1, 0}},
    {{{1, 2}, {3, -4}, {-1, 5}, {1, 1}, {1, -1}}, 5, WADI_FAULT_EXTENT, 1, {-4, 1}},
    {{{-2, -3}, {3, 4}, {1, 5}, {-7, 1}, {1, 1}}, 5, WADI_FAULT_EXTENT, 0, {-2, 0}},
    {{{0, 4}, {3, 4}, {1, 1}, {1, 1}, {0, INT64_MIN}}, 5, WADI_FAULT_EXTENT, 4, {INT64_MIN, 1}},
};

static const row large[] = {
    {{{1, 1}, {INT64_MAX, 2}, {1, 1}}, 3, WADI_FAULT_MEMORY, 1, {INT64_MAX, 0}},
    {{{1, 1}, {1, 1}, {ELEMENT + 1, 1}}, 3, WADI_FAULT_MEMORY, 2, {INT64_MAX, 0}},
    {{{1, ELEMENT}, {1, ELEMENT}, {ELEMENT, 1}, {ELEMENT, 1}, {SLOT - 4 * ELEMENT + 1, 1}},
     5,
     WADI_FAULT_MEMORY,
     4,
     {INT64_MAX, 0}},
    /* it could be counted, but no memory is as large: all of the slot's bytes are told */
    {{{1, ELEMENT}, {1, ELEMENT}, {ELEMENT, 1}, {ELEMENT, 1}, {SLOT - 4 * ELEMENT, 1}},
     5,
     WADI_FAULT_MEMORY,
     0,
     {SLOT * LARGE, 0}},
};

static void elements_of_any_shape(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof ragged / sizeof *ragged + sizeof large / sizeof *large; i++) {
        const size_t few = sizeof ragged / sizeof *ragged;
        const row *r = i < few ? &ragged[i] : &large[i - few];
        program p;
        memcpy(shapes, r->shapes, sizeof shapes);
        begin(&p, WADI_SLOT_IRREGULAR);
        add_array(&p, out_slot, 0, shape_out);
        const wadi_fault f = run(&p, WADI_SCHEDULE_FLAT, r->count);
        expect(&f, r, PLACE);
    }
}

/* One shape for all of them. */
static void elements_of_one_shape(void **state) {
    (void)state;
    static const row rows[] = {
        {{{2, 3}}, 3, WADI_FAULT_NONE, 0, {0}},
        {{{2, -3}}, 3, WADI_FAULT_EXTENT, 0, {-3, 1}},
        {{{-2, 0}}, 3, WADI_FAULT_EXTENT, 0, {-2, 0}},
        {{{ELEMENT + 1, 1}}, 1, WADI_FAULT_MEMORY, 0, {INT64_MAX, 0}},
        {{{ELEMENT, 1}}, 1, WADI_FAULT_MEMORY, 0, {ELEMENT * LARGE, 0}},
        {{{SLOT / 5 + 1, 1}}, 5, WADI_FAULT_MEMORY, 0, {INT64_MAX, 0}},
        {{{1, SLOT / 5}}, 5, WADI_FAULT_MEMORY, 0, {SLOT / 5 * 5 * LARGE, 0}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        program p;
        memcpy(shapes, rows[i].shapes, sizeof shapes);
        begin(&p, WADI_SLOT_REGULAR);
        add_array(&p, out_slot, 0, shape_out);
        const wadi_fault f = run(&p, WADI_SCHEDULE_FLAT, rows[i].count);
        expect(&f, &rows[i], PLACE);
    }
}

/* On either side of a branch elements have other numbers; those of the stream are told. */
static void elements_of_a_branch(void **state) {
    (void)state;
    for (int sides = 1; sides < (1 << COUNT) - 1; sides++) {
        for (size_t i = 0; i < sizeof ragged / sizeof *ragged; i++) {
            row r = ragged[i];
            program p;
            memcpy(shapes, r.shapes, sizeof shapes);
            for (int s = 0; s < COUNT; s++) side[s] = (sides >> s & 1) != 0;
            begin(&p, WADI_SLOT_IRREGULAR);
            p.control = (wadi_plan_control){
                .predicate = SAYS,
                .nvalues = 1,
                .results = out_slot,
                .part = {{.level = 1, .nsteps = 2, .yields = first, .moves = moves},
                         {.level = 2, .nsteps = 2, .yields = second, .moves = moves}}};
            add(&p, (wadi_plan_step){.kind = WADI_STEP_ALLOC, .nslots = 1, .slots = says_slot},
                NULL);
            add(&p, (wadi_plan_step){.kind = WADI_STEP_RUN}, say_sides);
            add(&p, (wadi_plan_step){.kind = WADI_STEP_COND, .control = &p.control}, NULL);
            add_array(&p, first, 1, shape_first);
            add_array(&p, second, 2, shape_second);
            /* of several the first on the side that runs first */
            bool found = r.kind == WADI_FAULT_NONE;
            for (int taken = 1; taken >= 0 && !found; taken--) {
                for (int64_t s = 0; s < COUNT && !found; s++) {
                    if (side[s] != (taken == 1)) continue;
                    for (int d = 0; d < RANK && !found; d++) {
                        found = shapes[s][d] < 0;
                        if (found) r.element = s, r.value[0] = shapes[s][d], r.value[1] = d;
                    }
                }
            }
            const wadi_fault f = run(&p, WADI_SCHEDULE_FLAT, COUNT);
            expect(&f, &r, PLACE);
        }
    }
}

/* A kernel that makes elements one at a time does not know the place. */
static void elements_one_at_a_time(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof ragged / sizeof *ragged; i++) {
        program p;
        memcpy(shapes, ragged[i].shapes, sizeof shapes);
        begin(&p, WADI_SLOT_IRREGULAR);
        add(&p, (wadi_plan_step){.kind = WADI_STEP_RUN}, emit_out);
        const wadi_fault f = run(&p, WADI_SCHEDULE_INSIDE, COUNT);
        expect(&f, &ragged[i], -1);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements_of_any_shape),
        cmocka_unit_test(elements_of_one_shape),
        cmocka_unit_test(elements_of_a_branch),
        cmocka_unit_test(elements_one_at_a_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
