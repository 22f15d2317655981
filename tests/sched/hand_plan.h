/* Plans made by hand, with kernels written by hand, for tests of the runtime. */
#ifndef WADI_TESTS_SCHED_HAND_PLAN_H
#define WADI_TESTS_SCHED_HAND_PLAN_H

#include "sched/plan.h"

enum { HAND_SLOTS = 22, HAND_STAGES = 4, HAND_ENDS = 2, HAND_BODIES = 4 };

typedef struct hand_program {
    wadi_plan plan;
    wadi_plan_slot slot[HAND_SLOTS];
    wadi_plan_body body[HAND_BODIES];
    wadi_plan_step step[5][4];
    wadi_plan_version version[HAND_BODIES][WADI_SCHEDULE_COUNT];
    wadi_code kernels[HAND_BODIES][WADI_SCHEDULE_COUNT][4],
        units[HAND_BODIES][WADI_SCHEDULE_COUNT][4];
    wadi_plan_phase phase;
    wadi_plan_stage stage[HAND_STAGES];
    wadi_plan_end end[HAND_ENDS];
    wadi_plan_source source;
    wadi_plan_place place[1];
    wadi_plan_input input;
    wadi_plan_output output;
    int64_t one;
    int64_t skip, most; /* hand_staged */
    wadi_array skip_array, most_array;
    wadi_array init;
    int64_t starve_above;  /* chunks of more elements find no memory; 0: all do */
    int64_t step_fails_at; /* hand_keyed; -1: at none */
    int64_t fault_at;      /* stream element whose division fails; -1: none */
    void (*begins)(void);  /* called by the kernels inside elements; NULL: nothing */
} hand_program;

/* Source "in" of i32[n], irregular, doubled. SINK: to "out"; ELEMENTS, TABULATE: output "all" (i32); FOLD: output "all",
 * i64 state: state * 3 + extent of the element, from 1. */
void hand_doubling(hand_program *h, wadi_end_kind end);
/* Input "n" (i64): output "table", i64[n, 3] with table[i][k] = 10 i + k. */
void hand_counting(hand_program *h);

/* Source "in" of i32[n], irregular, doubled; those of even length, without the first `skip` of them and at most `most`,
 * go to the sink "out"; all of them, doubled, are collected as output "all". */
void hand_staged(hand_program *h, int64_t skip, int64_t most);

/* Source "in" of i32[n], irregular, doubled; those of even length, doubled again; of these, all but the first `skip` doubled once more, go to the
 * sink "out". So there are three bodies: two in stages of which the second filters, and one behind a change that counts. */
void hand_thrice(hand_program *h, int64_t skip);

/* Source "in" of i32[n], irregular, doubled; by n % 3, the last such element and how many there have been go to the sink "out". A step
 * fails at an element that begins with `step_fails_at`, doubled. */
void hand_keyed(hand_program *h);

wadi_loader hand_loader(hand_program *h);

#endif
