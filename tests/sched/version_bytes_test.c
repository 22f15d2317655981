/* A version read from bytes: those that end early, say too much or have been changed make an error, or another version, and nothing else.
 * That what was written is read again, tests/codegen/recorded finds of every version it makes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "sched/plan.h"

static wadi_text bytes_of_some(void) {
    static const int slots[] = {3, 4}, reads[] = {1, 2, 5}, results[] = {7, -1};
    static const bool moves[] = {true, false};
    static const wadi_plan_turns turns = {.value = 1, .step = 2, .reach = 3};
    static const wadi_plan_control control = {
        .turns = &turns,
        .predicate = 6,
        .nvalues = 2,
        .results = results,
        .part = {{.level = 1, .nsteps = 1, .yields = slots, .moves = moves}, {.level = 2}}};
    static const wadi_plan_call call = {"fft", 2, 3};
    static const wadi_plan_touch touch = {.slot = 3, .writes = true, .own = 1LL << 40};
    static const wadi_plan_step steps[] = {
        {.kind = WADI_STEP_COND, .control = &control},
        {.kind = WADI_STEP_RUN,
         .kernel = "k0",
         .nslots = 2,
         .slots = slots,
         .serial = true,
         .touches =
             {.quiet = true, .of_shapes = true, .known = true, .n = 1, .of = &touch, .piece = 12}},
        {.kind = WADI_STEP_FOREIGN, .call = &call, .reads = reads, .nslots = 2, .slots = slots}};
    static const wadi_plan_slot slot = {
        .name = "t", .kind = WADI_SLOT_REGULAR, .rank = 2, .fields = 1, .type = {WADI_F64}};
    static const wadi_plan_level levels[] = {{0, 4}, {1, 5}};
    static const wadi_plan_place place = {"map", "", {.file = "a.c", .line = 12}};
    const wadi_plan_version v = {3, steps, 1, &slot, 2, levels, true, 1, &place};
    wadi_text t = {0};
    assert_true(wadi_plan_version_save(&v, &t));
    return t;
}

static wadi_status load(const char *bytes, size_t n) {
    wadi_arena *arena = wadi_arena_create();
    wadi_plan_version v;
    char *exact = malloc(n ? n : 1); /* a sanitizer sees each byte behind it */
    assert_non_null(arena);
    memcpy(exact, bytes, n);
    const wadi_status st = wadi_plan_version_load(exact, n, arena, &v, NULL);
    free(exact);
    wadi_arena_destroy(arena);
    return st;
}

static void it_is_read_again(void **state) {
    (void)state;
    wadi_text t = bytes_of_some();
    wadi_arena *arena = wadi_arena_create();
    wadi_plan_version v;
    assert_int_equal(wadi_plan_version_load(t.at, t.n, arena, &v, NULL), WADI_OK);
    assert_int_equal(v.nsteps, 3);
    assert_int_equal(v.steps[0].control->results[1], -1);
    assert_true(v.steps[0].control->part[0].moves[0]);
    assert_int_equal(v.steps[0].control->turns->reach, 3);
    assert_string_equal(v.steps[1].kernel, "k0");
    assert_true(v.steps[1].touches.of[0].own == 1LL << 40);
    assert_true(v.steps[1].touches.quiet && !v.steps[0].touches.quiet);
    assert_true(v.steps[1].touches.of_shapes && !v.steps[0].touches.of_shapes);
    assert_string_equal(v.steps[2].call->routine, "fft");
    assert_int_equal(v.steps[2].reads[2], 5);
    assert_int_equal(v.slots[0].type[0], WADI_F64);
    assert_int_equal(v.levels[1].map, 5);
    assert_int_equal(v.places[0].loc.line, 12);
    wadi_arena_destroy(arena);
    wadi_text_fini(&t);
}

static void bytes_that_end_early(void **state) {
    (void)state;
    wadi_text t = bytes_of_some();
    for (size_t n = 0; n < t.n; n++) assert_int_equal(load(t.at, n), WADI_INVALID);
    wadi_text_add(&t, "x");
    assert_int_equal(load(t.at, t.n), WADI_INVALID);
    wadi_text_fini(&t);
}

static void changed_bytes(void **state) {
    (void)state;
    wadi_text t = bytes_of_some();
    for (size_t i = 0; i < t.n; i++)
        for (int bit = 0; bit < 8; bit++) {
            t.at[i] = (char)(t.at[i] ^ 1 << bit);
            const wadi_status st = load(t.at, t.n);
            assert_true(st == WADI_OK || st == WADI_INVALID);
            t.at[i] = (char)(t.at[i] ^ 1 << bit);
        }
    wadi_text_fini(&t);
}

static void an_array_of_the_program_cannot_be_written(void **state) {
    (void)state;
    const wadi_array data = {0};
    const wadi_plan_slot slot = {.name = "t", .data = &data};
    const wadi_plan_version v = {.nslots = 1, .slots = &slot};
    wadi_text t = {0};
    assert_false(wadi_plan_version_save(&v, &t));
    wadi_text_fini(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(it_is_read_again),
                                       cmocka_unit_test(bytes_that_end_early),
                                       cmocka_unit_test(changed_bytes),
                                       cmocka_unit_test(an_array_of_the_program_cannot_be_written)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
