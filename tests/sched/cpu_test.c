/* The cpu device's parts: scratch memory, emitted results, the choice of a schedule. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sched/cpu/cpu.h"
#include "sched/cpu/emissions.h"
#include "sched/cpu/scratch.h"
#include "sched/steps/choose.h"
#include "sched/steps/merge.h"

static wadi_buffers *make_buffers(void) {
    wadi_buffers *b = NULL;
    assert_int_equal(wadi_buffers_create(NULL, 1 << 24, &b, NULL), WADI_OK);
    return b;
}

/* ---- scratch ---- */

static void scratch_is_a_stack_that_never_moves(void **state) {
    (void)state;
    wadi_buffers *buffers = make_buffers();
    wadi_scratch s;
    wadi_scratch_init(&s, buffers);
    char *kept = wadi_scratch_take(&s, 100);
    assert_int_equal((uintptr_t)kept % WADI_ALIGN, 0);
    memset(kept, 7, 100);
    for (int round = 0; round < 3; round++) {
        const int64_t mark = wadi_scratch_mark(&s);
        char *first = NULL;
        for (int64_t bytes = 1; bytes < 3000000; bytes *= 3) {
            char *at = wadi_scratch_take(&s, bytes);
            assert_non_null(at);
            assert_int_equal((uintptr_t)at % WADI_ALIGN, 0);
            memset(at, 1, (size_t)bytes);
            if (first == NULL) first = at;
        }
        wadi_scratch_rewind(&s, mark);
        assert_ptr_equal(wadi_scratch_take(&s, 1), first);
        wadi_scratch_rewind(&s, mark);
    }
    for (int i = 0; i < 100; i++) assert_int_equal(kept[i], 7);
    assert_null(wadi_scratch_take(&s, -1));
    assert_null(wadi_scratch_take(&s, INT64_MAX));
    wadi_scratch_fini(&s);
    assert_int_equal(wadi_buffers_used(buffers), 0);
    wadi_buffers_release(buffers);
}

static void scratch_settles_in_one_block(void **state) {
    (void)state;
    wadi_buffers *buffers = make_buffers();
    wadi_scratch s;
    wadi_scratch_init(&s, buffers);
    for (int round = 0; round < 4; round++) {
        for (int i = 0; i < 50; i++) assert_non_null(wadi_scratch_take(&s, 10000));
        assert_true(round == 0 || s.blocks == 1);
        wadi_scratch_reset(&s);
        assert_int_equal(s.blocks, round == 0 ? 0 : 1);
        if (round == 0) assert_int_equal(wadi_buffers_used(buffers), 0); /* nobody may need it */
    }
    wadi_scratch_fini(&s);
    wadi_buffers_release(buffers);
}

/* A system that gives memory in pieces of up to 2 MiB. */
static void *take_some(void *self, size_t bytes) {
    (void)self;
    return bytes > (2 << 20) ? NULL : aligned_alloc(WADI_ALIGN, bytes);
}

static void give_some(void *self, void *at, size_t bytes) {
    (void)self;
    (void)bytes;
    free(at);
}

static void scratch_of_several_blocks_needs_no_larger_one(void **state) {
    (void)state;
    const wadi_memory memory = {.take = take_some, .give = give_some};
    wadi_buffers *buffers = NULL;
    wadi_scratch s;
    assert_int_equal(wadi_buffers_create(&memory, 0, &buffers, NULL), WADI_OK);
    wadi_scratch_init(&s, buffers);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 25; i++) assert_non_null(wadi_scratch_take(&s, 100000));
        wadi_scratch_reset(&s);
    }
    wadi_scratch_fini(&s);
    assert_int_equal(wadi_buffers_used(buffers), 0);
    wadi_buffers_release(buffers);
}

/* ---- emit ---- */

enum { COUNT = 40 };

/* Element s gets s % 4 rows of 3 records {i32, u8}. */
static void emit_all(wadi_emissions *e, wadi_scratch *staging, int workers) {
    wadi_work w = {.slot = e->slots->slot};
    for (int64_t i = 0; i < COUNT; i++) {
        const int64_t s = COUNT - 1 - i; /* any order */
        const int64_t shape[] = {s % 4, 3};
        void *col[2] = {NULL, NULL};
        int64_t bytes = 0;
        assert_int_equal(wadi_emissions_put(e, &w, &staging[s % workers], 0, s, shape, col, &bytes),
                         WADI_FAULT_NONE);
        for (int64_t k = 0; k < shape[0] * 3; k++) {
            ((int32_t *)col[0])[k] = (int32_t)(100 * s + k);
            ((uint8_t *)col[1])[k] = (uint8_t)(s + k);
        }
    }
}

static void emitted_elements_end_up_in_order(void **state) {
    (void)state;
    const wadi_plan_slot slot = {.name = "r",
                                 .kind = WADI_SLOT_IRREGULAR,
                                 .rank = 2,
                                 .fields = 2,
                                 .type = {WADI_I32, WADI_U8}};
    const wadi_plan plan = {.nslots = 1, .slots = &slot};
    static const int slots[] = {0};
    wadi_buffers *buffers = make_buffers();
    wadi_slots table;
    wadi_emission emission = {0};
    wadi_work_near near = {0};
    wadi_scratch staging[3];
    wadi_pool *pool = NULL;
    assert_int_equal(wadi_pool_create(3, &pool, NULL), WADI_OK);
    assert_int_equal(wadi_slots_init(&table, &plan, buffers, NULL, NULL), WADI_OK);
    for (int i = 0; i < 3; i++) wadi_scratch_init(&staging[i], buffers);
    wadi_emissions e = {.slots = &table, .room = 1, .of = &emission, .near = &near};
    assert_true(wadi_emissions_expect(&e, 0, COUNT));
    emit_all(&e, staging, 3);
    assert_true(wadi_emissions_finish(&e, slots, 1, pool));
    const wadi_slot *r = &table.slot[0];
    int64_t at = 0;
    for (int64_t s = 0; s < COUNT; s++) {
        assert_int_equal(r->offset[s], at);
        assert_int_equal(r->shape[2 * s], s % 4);
        assert_int_equal(r->shape[2 * s + 1], 3);
        for (int64_t k = 0; k < s % 4 * 3; k++, at++) {
            assert_int_equal(((int32_t *)r->col[0])[at], 100 * s + k);
            assert_int_equal(((uint8_t *)r->col[1])[at], (uint8_t)(s + k));
        }
    }
    assert_int_equal(r->offset[COUNT], at);
    wadi_emissions_reset(&e);
    for (int i = 0; i < 3; i++) wadi_scratch_fini(&staging[i]);
    wadi_slots_fini(&table);
    assert_int_equal(wadi_buffers_used(buffers), 0);
    wadi_buffers_release(buffers);
    wadi_pool_destroy(pool);
}

/* Elements of `rows` rows each but one. */
typedef struct alike {
    int64_t rows, odd_one /* -1: none */, odd_rows;
} alike;

static int64_t rows_of(const alike *a, int64_t s) {
    return s == a->odd_one ? a->odd_rows : a->rows;
}

static void emit_alike(wadi_emissions *e, wadi_scratch *staging, const alike *a) {
    wadi_work w = {.slot = e->slots->slot};
    for (int64_t s = 0; s < COUNT; s++) {
        const int64_t shape[] = {rows_of(a, s)};
        void *col[1] = {NULL};
        int64_t bytes = 0;
        assert_int_equal(wadi_emissions_put(e, &w, staging, 0, s, shape, col, &bytes),
                         WADI_FAULT_NONE);
        for (int64_t k = 0; k < shape[0]; k++) ((int32_t *)col[0])[k] = (int32_t)(10 * s + k);
    }
}

static void elements_of_one_size_are_written_in_their_places(void **state) {
    (void)state;
    const wadi_plan_slot slot = {
        .name = "r", .kind = WADI_SLOT_IRREGULAR, .rank = 1, .fields = 1, .type = {WADI_I32}};
    const wadi_plan plan = {.nslots = 1, .slots = &slot};
    static const int slots[] = {0};
    static const alike chunk[] = {{3, -1, 0}, {3, -1, 0}, {3, 7, 4}, {3, -1, 0},
                                  {4, -1, 0}, {4, -1, 0}, {4, 7, 0}, {0, -1, 0}};
    wadi_buffers *buffers = make_buffers();
    wadi_slots table;
    wadi_emission emission = {0};
    wadi_work_near near = {0};
    wadi_scratch staging;
    wadi_pool *pool = NULL;
    assert_int_equal(wadi_pool_create(2, &pool, NULL), WADI_OK);
    assert_int_equal(wadi_slots_init(&table, &plan, buffers, NULL, NULL), WADI_OK);
    wadi_scratch_init(&staging, buffers);
    wadi_emissions e = {.slots = &table, .room = 1, .of = &emission, .near = &near};
    for (size_t i = 0; i < sizeof chunk / sizeof chunk[0]; i++) {
        wadi_slots_clear(&table, 0);
        assert_true(wadi_emissions_expect(&e, 0, COUNT));
        const void *places = table.slot[0].col[0];
        emit_alike(&e, &staging, &chunk[i]);
        assert_true(wadi_emissions_finish(&e, slots, 1, pool));
        const wadi_slot *r = &table.slot[0];
        if (i == 1 || i == 5) assert_ptr_equal(r->col[0], places);
        for (int64_t s = 0, at = 0; s < COUNT; s++) {
            assert_int_equal(r->offset[s], at);
            for (int64_t k = 0; k < rows_of(&chunk[i], s); k++, at++)
                assert_int_equal(((int32_t *)r->col[0])[at], 10 * s + k);
        }
        wadi_emissions_reset(&e);
        wadi_scratch_reset(&staging);
    }
    wadi_scratch_fini(&staging);
    wadi_slots_fini(&table);
    assert_int_equal(wadi_buffers_used(buffers), 0);
    wadi_buffers_release(buffers);
    wadi_pool_destroy(pool);
}

static void a_negative_extent_is_a_fault_of_the_element(void **state) {
    (void)state;
    const wadi_plan_slot slot = {
        .name = "r", .kind = WADI_SLOT_ONCE, .rank = 1, .fields = 1, .type = {WADI_I32}};
    const wadi_plan plan = {.nslots = 1, .slots = &slot};
    wadi_buffers *buffers = make_buffers();
    wadi_slots table;
    wadi_emission emission = {0};
    wadi_work_near near = {0};
    wadi_scratch staging;
    const int64_t shape = -4;
    int64_t bytes = 0;
    void *col[1];
    wadi_scratch_init(&staging, buffers);
    assert_int_equal(wadi_slots_init(&table, &plan, buffers, NULL, NULL), WADI_OK);
    wadi_emissions e = {.slots = &table, .room = 1, .of = &emission, .near = &near};
    assert_true(wadi_emissions_expect(&e, 0, 1));
    wadi_work w = {.slot = table.slot};
    assert_int_equal(wadi_emissions_put(&e, &w, &staging, 0, 0, &shape, col, &bytes),
                     WADI_FAULT_EXTENT);
    wadi_emissions_reset(&e);
    wadi_slots_fini(&table);
    wadi_scratch_fini(&staging);
    wadi_buffers_release(buffers);
}

/* ---- elements passed on, and copied ---- */

enum { RAGGED, EVEN, TO, PASSED = 3 };

/* Value k of element i of slot `slot`. */
static int64_t value_in(const wadi_slots *s, int slot, int64_t i, int64_t k) {
    const wadi_slot *at = &s->slot[slot];
    const bool ragged = wadi_slots_plan(s, slot)->kind == WADI_SLOT_IRREGULAR;
    assert_int_equal(at->shape[ragged ? i : 0], 2);
    return ((const int64_t *)at->col[0])[(ragged ? at->offset[i] : i * at->stride) + k];
}

/* Three pairs that lie side by side, from any place on, or apart, or overlap: described otherwise they are the same. */
static void pairs_stay_what_they_are_wherever_they_lie(void **state) {
    (void)state;
    static const struct {
        int64_t begin, stride;
    } cases[] = {{0, 2}, {5, 2}, {0, 3}, {4, 3}, {0, 1}, {7, 1}};
    wadi_plan_slot slot[PASSED];
    for (int i = 0; i < PASSED; i++)
        slot[i] = (wadi_plan_slot){.name = "x",
                                   .kind = i == RAGGED ? WADI_SLOT_IRREGULAR : WADI_SLOT_REGULAR,
                                   .rank = 1,
                                   .fields = 1,
                                   .type = {WADI_I64}};
    wadi_plan plan = {.nslots = PASSED, .slots = slot};
    wadi_device *device = NULL;
    int64_t values[20];
    for (int64_t i = 0; i < 20; i++) values[i] = 100 + i;
    for (size_t n = 0; n < 4 * sizeof cases / sizeof cases[0]; n++) {
        const int64_t begin = cases[n / 4].begin, stride = cases[n / 4].stride;
        const int from = n % 2 == 0 ? RAGGED : EVEN;
        int64_t offset[] = {begin, begin + stride, begin + 2 * stride, begin + 2 * stride + 2};
        int64_t shapes[] = {2, 2, 2};
        wadi_buffers *buffers = make_buffers();
        const wadi_device_options options = {.buffers = buffers, .threads = 2};
        wadi_slots s;
        assert_int_equal(wadi_cpu_open(&options, &device, NULL), WADI_OK);
        slot[TO].kind = n / 2 % 2 == 0 ? WADI_SLOT_REGULAR : WADI_SLOT_IRREGULAR;
        assert_int_equal(wadi_slots_init(&s, &plan, buffers, NULL, NULL), WADI_OK);
        s.slot[from].shape = shapes;
        s.slot[from].offset = from == RAGGED ? offset : NULL;
        s.slot[from].stride = from == RAGGED ? 0 : stride;
        s.slot[from].col[0] = from == RAGGED ? values : values + begin;
        const wadi_device_source source = {slot[from].kind, s.slot[from]};
        const bool fits = wadi_merge_fits(&s, from, TO, 3);
        assert_int_equal(fits, slot[from].kind == slot[TO].kind || stride == 2);
        assert_true(fits ? wadi_merge_pass(&s, from, TO, 3, false)
                         : wadi_merge(&s, device, TO, 3, &source, NULL, NULL));
        for (int64_t i = 0; i < 3; i++)
            for (int64_t k = 0; k < 2; k++)
                assert_int_equal(value_in(&s, TO, i, k), 100 + begin + i * stride + k);
        memset(&s.slot[from], 0, sizeof s.slot[from]);
        wadi_slots_fini(&s);
        device->ops->destroy(device);
        assert_int_equal(wadi_buffers_used(buffers), 0);
        wadi_buffers_release(buffers);
    }
}

/* ---- choosing ---- */

static wadi_plan_body body_with(bool inside, bool flat, bool across, bool rank0) {
    wadi_plan_body b = {.name = "b", .rank0 = rank0};
    b.offers[WADI_SCHEDULE_INSIDE] = inside;
    b.offers[WADI_SCHEDULE_FLAT] = flat;
    b.offers[WADI_SCHEDULE_ACROSS] = across;
    return b;
}

static void the_cost_rule_chooses_by_size_and_number(void **state) {
    (void)state;
    const wadi_plan_body all = body_with(true, true, true, false);
    const wadi_plan_body scalars = body_with(true, true, true, true);
    const wadi_plan_body plain = body_with(true, false, false, true);
    const int64_t large = INT64_C(1) << 30;
    assert_int_equal(wadi_choose_schedule(&all, -1, false, 100, 4000, 4), WADI_SCHEDULE_INSIDE);
    assert_int_equal(wadi_choose_schedule(&all, -1, false, 2, large, 4), WADI_SCHEDULE_FLAT);
    assert_int_equal(wadi_choose_schedule(&all, -1, false, 2, 4000, 4), WADI_SCHEDULE_INSIDE);
    assert_int_equal(wadi_choose_schedule(&all, -1, true, 1, 0, 4), WADI_SCHEDULE_FLAT);
    assert_int_equal(wadi_choose_schedule(&scalars, -1, false, 2, 10, 4), WADI_SCHEDULE_ACROSS);
    assert_int_equal(wadi_choose_schedule(&plain, -1, false, 2, 10, 4), WADI_SCHEDULE_INSIDE);
    assert_int_equal(wadi_choose_schedule(&plain, WADI_SCHEDULE_FLAT, false, 2, 10, 4),
                     WADI_SCHEDULE_INSIDE);
    assert_int_equal(wadi_choose_schedule(&all, WADI_SCHEDULE_ACROSS, false, 2, 10, 4),
                     WADI_SCHEDULE_ACROSS);
}

static bool is_there(void *env, wadi_schedule s, int64_t worth_ns) {
    (void)env;
    (void)s;
    (void)worth_ns;
    return true;
}

static const wadi_ready all_there = {is_there, NULL, 2, -1};

/* Chunks of `count` elements that cost so many nanoseconds each in every version; what ran last. */
static wadi_schedule run_choice(wadi_choice *c, const wadi_plan_body *b, int chunks, int64_t count,
                                const int64_t cost[WADI_SCHEDULE_COUNT]) {
    wadi_schedule s = WADI_SCHEDULE_INSIDE;
    for (int i = 0; i < chunks; i++) {
        s = wadi_choice_next(c, b, WADI_SCHEDULE_INSIDE, &all_there);
        wadi_choice_saw(c, s, count, 0, count * cost[s] * (i % 7 == 3 ? 20 : 1), false);
    }
    return s;
}

static void versions_are_tried_once_a_body_has_run_for_a_while(void **state) {
    (void)state;
    static const int64_t flat_wins[WADI_SCHEDULE_COUNT] = {1000, 500, 800},
                         inside_wins[WADI_SCHEDULE_COUNT] = {1000, 1100, 3000},
                         equal[WADI_SCHEDULE_COUNT] = {1000, 980, 990};
    const wadi_plan_body b = body_with(true, true, true, false);
    wadi_choice c = {0};
    assert_int_equal(run_choice(&c, &b, 7, 100000, flat_wins), WADI_SCHEDULE_INSIDE);
    assert_int_equal(run_choice(&c, &b, 60, 100000, flat_wins), WADI_SCHEDULE_FLAT);
    c = (wadi_choice){0};
    assert_int_equal(run_choice(&c, &b, 60, 100000, inside_wins), WADI_SCHEDULE_INSIDE);
    c = (wadi_choice){0};
    assert_int_equal(run_choice(&c, &b, 60, 100000, equal), WADI_SCHEDULE_INSIDE);
    c = (wadi_choice){0}; /* too little work to make other versions for */
    assert_int_equal(run_choice(&c, &b, 60, 10, flat_wins), WADI_SCHEDULE_INSIDE);
    assert_int_equal(c.comparisons, 0);
}

/* Of two versions to try, the one that is far dearer runs one chunk, besides the one that loads it. */
static void a_version_that_is_far_dearer_is_given_up_at_once(void **state) {
    (void)state;
    const wadi_plan_body b = body_with(true, true, false, false);
    wadi_choice c = {0};
    int flat = 0, tries = 0;
    for (int i = 0; i < 60; i++) {
        tries += wadi_choice_tries(&c, &b, &all_there);
        const wadi_schedule s = wadi_choice_next(&c, &b, WADI_SCHEDULE_INSIDE, &all_there);
        const bool other = s == WADI_SCHEDULE_FLAT;
        flat += other;
        wadi_choice_saw(&c, s, 100000, 0, other ? 300000000 : 100000000, other && flat == 1);
    }
    assert_int_equal(flat, 2);
    assert_int_equal(c.comparisons, 1);
    assert_true(tries >= 2 && tries <= 6);
    assert_false(wadi_choice_tries(&c, &b, &all_there));
}

/* Versions that are there, and what others were last said to be worth. */
typedef struct shelf {
    bool there[WADI_SCHEDULE_COUNT];
    int64_t worth_ns[WADI_SCHEDULE_COUNT];
} shelf;

static bool is_on(void *env, wadi_schedule s, int64_t worth_ns) {
    shelf *h = env;
    if (worth_ns > 0) h->worth_ns[s] = worth_ns;
    return h->there[s];
}

/* Ten chunks of 0.1 s each have run, a tenth of two workers' time is hoped for; of what is known to be left or, where that is
 * not known, of as much as has been. */
static void a_version_that_is_not_there_is_asked_for_by_what_it_may_gain(void **state) {
    (void)state;
    const wadi_plan_body b = body_with(true, true, false, false);
    for (int known = 0; known < 2; known++) {
        shelf h = {.there = {[WADI_SCHEDULE_INSIDE] = true}};
        const wadi_ready ready = {is_on, &h, 2, known ? 5000000 : -1};
        wadi_choice c = {0};
        for (int i = 0; i < 10; i++) {
            assert_int_equal(wadi_choice_next(&c, &b, WADI_SCHEDULE_INSIDE, &ready),
                             WADI_SCHEDULE_INSIDE);
            wadi_choice_saw(&c, WADI_SCHEDULE_INSIDE, 100000, 0, 100000000, false);
        }
        assert_false(wadi_choice_tries(&c, &b, &ready));
        (void)wadi_choice_next(&c, &b, WADI_SCHEDULE_INSIDE, &ready);
        assert_int_equal(h.worth_ns[WADI_SCHEDULE_FLAT], known ? 1000000000 : 200000000);
        assert_int_equal(c.comparisons, 0);
        h.there[WADI_SCHEDULE_FLAT] = true; /* it has been made meanwhile */
        assert_true(wadi_choice_tries(&c, &b, &ready));
        (void)wadi_choice_next(&c, &b, WADI_SCHEDULE_INSIDE, &ready);
        assert_int_equal(c.comparisons, 1);
    }
}

static void what_is_there_runs_while_the_rule_wants_another(void **state) {
    (void)state;
    const wadi_plan_body b = body_with(true, true, true, false);
    shelf h = {.there = {[WADI_SCHEDULE_INSIDE] = true}};
    const wadi_ready ready = {is_on, &h, 2, -1};
    wadi_choice c = {0};
    assert_int_equal(wadi_choice_at_hand(&c, &b, WADI_SCHEDULE_FLAT, &ready), WADI_SCHEDULE_INSIDE);
    assert_int_equal(h.worth_ns[WADI_SCHEDULE_FLAT], 0); /* nothing has run: nothing is known */
    wadi_choice_saw(&c, WADI_SCHEDULE_INSIDE, 10, 0, 600, false);
    assert_int_equal(wadi_choice_at_hand(&c, &b, WADI_SCHEDULE_FLAT, &ready), WADI_SCHEDULE_INSIDE);
    assert_int_equal(h.worth_ns[WADI_SCHEDULE_FLAT], 600);
    h.there[WADI_SCHEDULE_FLAT] = true;
    assert_int_equal(wadi_choice_at_hand(&c, &b, WADI_SCHEDULE_FLAT, &ready), WADI_SCHEDULE_FLAT);
    h = (shelf){{false}, {0}}; /* nothing is there: what is wanted is waited for */
    assert_int_equal(wadi_choice_at_hand(&c, &b, WADI_SCHEDULE_FLAT, &ready), WADI_SCHEDULE_FLAT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scratch_is_a_stack_that_never_moves),
        cmocka_unit_test(scratch_settles_in_one_block),
        cmocka_unit_test(scratch_of_several_blocks_needs_no_larger_one),
        cmocka_unit_test(emitted_elements_end_up_in_order),
        cmocka_unit_test(elements_of_one_size_are_written_in_their_places),
        cmocka_unit_test(a_negative_extent_is_a_fault_of_the_element),
        cmocka_unit_test(pairs_stay_what_they_are_wherever_they_lie),
        cmocka_unit_test(the_cost_rule_chooses_by_size_and_number),
        cmocka_unit_test(versions_are_tried_once_a_body_has_run_for_a_while),
        cmocka_unit_test(a_version_that_is_far_dearer_is_given_up_at_once),
        cmocka_unit_test(a_version_that_is_not_there_is_asked_for_by_what_it_may_gain),
        cmocka_unit_test(what_is_there_runs_while_the_rule_wants_another),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
