/* Branches and loops of a plan made by hand. Its kernels count the elements that they run for, so that unneeded work is seen. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sched/cpu/code.h"
#include "sched/cpu/cpu.h"
#include "sched/steps/runner.h"

enum { COUNT = 41, STEPS = 8 };

/* Slots: the plan's, then the version's own. */
enum { IN, OUT, SLOTS, MAP = SLOTS, MAP_2, LEFT, ROUNDS, SAYS, NEXT_LEFT, NEXT_ROUNDS, ZERO, ALL };

/* How often elements ran what, by their number in the chunk. */
static int64_t asked[COUNT], went_round[COUNT], took[2][COUNT];
static int rounds;

static int64_t *column(wadi_work *w, int slot) {
    return w->slot[slot].col[0];
}

/* ---- kernels: one worker runs them ---- */

static int some_left(wadi_work *w, int64_t begin, int64_t end) {
    uint8_t *says = w->slot[SAYS].col[0];
    for (int64_t s = begin; s < end; s++) {
        asked[column(w, MAP)[s]]++;
        says[s] = column(w, LEFT)[s] > 0;
    }
    return 0;
}

static int go_round(wadi_work *w, int64_t begin, int64_t end) {
    rounds += begin == 0;
    for (int64_t s = begin; s < end; s++) {
        went_round[column(w, MAP)[s]]++;
        column(w, NEXT_LEFT)[s] = column(w, LEFT)[s] - 1;
        column(w, NEXT_ROUNDS)[s] = column(w, ROUNDS)[s] + 1;
    }
    return 0;
}

static int is_odd(wadi_work *w, int64_t begin, int64_t end) {
    uint8_t *says = w->slot[SAYS].col[0];
    for (int64_t s = begin; s < end; s++) says[s] = column(w, IN)[s] % 2 != 0;
    return 0;
}

static int take_side(wadi_work *w, int side, int to, int64_t begin, int64_t end) {
    for (int64_t s = begin; s < end; s++) {
        const int64_t up = column(w, side == 0 ? MAP : MAP_2)[s];
        took[side][up]++;
        column(w, to)[s] = side == 0 ? 1000 + column(w, IN)[up] : -column(w, IN)[up];
    }
    return 0;
}

static int take_first(wadi_work *w, int64_t begin, int64_t end) {
    return take_side(w, 0, LEFT, begin, end);
}

static int take_second(wadi_work *w, int64_t begin, int64_t end) {
    return take_side(w, 1, ROUNDS, begin, end);
}

/* ---- plans ---- */

typedef struct program {
    wadi_plan plan;
    wadi_plan_slot slot[ALL];
    wadi_plan_body body;
    wadi_plan_level level[2];
    wadi_plan_control control;
    wadi_plan_step step[STEPS];
    wadi_code kernels[STEPS], units[STEPS];
    wadi_plan_version version;
    int64_t zero;
    wadi_array zeros;
} program;

static const int result[] = {OUT};
static const bool may_move[] = {true, true};

static void make_slots(program *p) {
    static const int levels[ALL] = {[MAP] = 1,  [MAP_2] = 2,     [LEFT] = 1,       [ROUNDS] = 1,
                                    [SAYS] = 1, [NEXT_LEFT] = 1, [NEXT_ROUNDS] = 1};
    for (int i = 0; i < ALL; i++) {
        p->slot[i] = (wadi_plan_slot){.name = "slot",
                                      .kind = i == ZERO ? WADI_SLOT_ONCE : WADI_SLOT_REGULAR,
                                      .level = levels[i],
                                      .fields = 1,
                                      .type = {i == SAYS ? WADI_BOOL : WADI_I64}};
    }
    p->zeros = (wadi_array){.fields = 1, .type = {WADI_I64}, .column = {&p->zero}};
    p->slot[ZERO].data = &p->zeros;
    p->level[0] = (wadi_plan_level){0, MAP};
    p->level[1] = (wadi_plan_level){0, MAP_2};
    p->body = (wadi_plan_body){.name = "body", .index_slot = -1, .nresults = 1, .results = result};
    p->body.offers[WADI_SCHEDULE_FLAT] = true;
    p->plan = (wadi_plan){
        .name = "control", .nslots = SLOTS, .slots = p->slot, .nbodies = 1, .bodies = &p->body};
}

static void add(program *p, wadi_plan_step step, wadi_kernel kernel) {
    const int n = p->version.nsteps++;
    step.kernel = kernel ? "kernel" : NULL;
    p->step[n] = step;
    p->kernels[n] = wadi_cpu_code(kernel);
}

static void finish(program *p) {
    p->version.steps = p->step;
    p->version.nslots = ALL - SLOTS;
    p->version.slots = p->slot + SLOTS;
    p->version.nlevels = 2;
    p->version.levels = p->level;
}

/* OUT = how often an element goes round that has IN rounds to go. */
static void make_loop(program *p) {
    static const int results[] = {-1, OUT}, init[] = {IN, ZERO}, state[] = {LEFT, ROUNDS},
                     yields[] = {NEXT_LEFT, NEXT_ROUNDS}, says[] = {SAYS};
    make_slots(p);
    p->control = (wadi_plan_control){
        .predicate = SAYS,
        .nvalues = 2,
        .results = results,
        .init = init,
        .state = state,
        .part = {{.level = 1, .nsteps = 2},
                 {.level = 1, .nsteps = 2, .yields = yields, .moves = may_move}}};
    add(p, (wadi_plan_step){.kind = WADI_STEP_LOOP, .control = &p->control}, NULL);
    add(p, (wadi_plan_step){.kind = WADI_STEP_ALLOC, .nslots = 1, .slots = says, .level = 1}, NULL);
    add(p, (wadi_plan_step){.kind = WADI_STEP_RUN, .level = 1}, some_left);
    add(p, (wadi_plan_step){.kind = WADI_STEP_ALLOC, .nslots = 2, .slots = yields, .level = 1},
        NULL);
    add(p, (wadi_plan_step){.kind = WADI_STEP_RUN, .level = 1}, go_round);
    finish(p);
}

/* OUT = 1000 + IN where IN is odd, -IN elsewhere. */
static void make_branch(program *p) {
    static const int results[] = {OUT}, says[] = {SAYS}, first[] = {LEFT}, second[] = {ROUNDS};
    make_slots(p);
    p->slot[SAYS].level = 0;
    p->slot[ROUNDS].level = 2;
    p->control = (wadi_plan_control){
        .predicate = SAYS,
        .nvalues = 1,
        .results = results,
        .part = {{.level = 1, .nsteps = 2, .yields = first, .moves = may_move},
                 {.level = 2, .nsteps = 2, .yields = second, .moves = may_move}}};
    add(p, (wadi_plan_step){.kind = WADI_STEP_ALLOC, .nslots = 1, .slots = says}, NULL);
    add(p, (wadi_plan_step){.kind = WADI_STEP_RUN}, is_odd);
    add(p, (wadi_plan_step){.kind = WADI_STEP_COND, .control = &p->control}, NULL);
    add(p, (wadi_plan_step){.kind = WADI_STEP_ALLOC, .nslots = 1, .slots = first, .level = 1},
        NULL);
    add(p, (wadi_plan_step){.kind = WADI_STEP_RUN, .level = 1}, take_first);
    add(p, (wadi_plan_step){.kind = WADI_STEP_ALLOC, .nslots = 1, .slots = second, .level = 2},
        NULL);
    add(p, (wadi_plan_step){.kind = WADI_STEP_RUN, .level = 2}, take_second);
    finish(p);
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

/* Runs the program over in[0 .. COUNT - 1]. */
static void run(program *p, const int64_t *in, int64_t *out) {
    wadi_buffers *buffers = NULL;
    wadi_slots slots;
    wadi_device *device = NULL;
    wadi_runner *runner = NULL;
    const wadi_loader loader = {.load = load, .self = p};
    memset(asked, 0, sizeof asked);
    memset(went_round, 0, sizeof went_round);
    memset(took, 0, sizeof took);
    rounds = 0;
    assert_int_equal(wadi_buffers_create(NULL, 1 << 24, &buffers, NULL), WADI_OK);
    assert_int_equal(wadi_slots_init(&slots, &p->plan, buffers, NULL, NULL), WADI_OK);
    const wadi_device_options options = {.buffers = buffers, .threads = 1};
    assert_int_equal(wadi_cpu_open(&options, &device, NULL), WADI_OK);
    const wadi_runner_options run_options = {
        .plan = &p->plan, .loader = &loader, .device = device, .force = -1};
    assert_int_equal(wadi_runner_create(&run_options, &runner, NULL), WADI_OK);
    slots.slot[IN].col[0] = (void *)(uintptr_t)in;
    slots.slot[IN].stride = 1;
    wadi_job job = {.count = COUNT, .bytes = COUNT * 8, .slots = &slots};
    assert_int_equal(wadi_runner_run(runner, &job, NULL), WADI_OK);
    assert_int_equal(job.fault.kind, WADI_FAULT_NONE);
    memcpy(out, slots.slot[OUT].col[0], COUNT * sizeof *out);
    wadi_runner_destroy(runner);
    device->ops->destroy(device);
    wadi_slots_fini(&slots);
    assert_int_equal(wadi_buffers_used(buffers), 0);
    wadi_buffers_release(buffers);
}

/* ---- tests ---- */

static void elements_go_round_as_often_as_they_need(void **state) {
    (void)state;
    int64_t in[COUNT], out[COUNT];
    program p = {0};
    for (int64_t i = 0; i < COUNT; i++) in[i] = i * 5 % 7;
    make_loop(&p);
    run(&p, in, out);
    assert_int_equal(rounds, 6);
    for (int i = 0; i < COUNT; i++) {
        assert_int_equal(out[i], in[i]);
        assert_int_equal(went_round[i], in[i]);
        assert_int_equal(asked[i], in[i] + 1);
    }
}

static void elements_that_stop_together_are_not_moved(void **state) {
    (void)state;
    int64_t in[COUNT], out[COUNT];
    program p = {0};
    for (int64_t i = 0; i < COUNT; i++) in[i] = 3;
    make_loop(&p);
    run(&p, in, out);
    assert_int_equal(rounds, 3);
    for (int i = 0; i < COUNT; i++) assert_int_equal(out[i], 3);
}

static void nobody_goes_round(void **state) {
    (void)state;
    const int64_t in[COUNT] = {0};
    int64_t out[COUNT];
    program p = {0};
    make_loop(&p);
    run(&p, in, out);
    assert_int_equal(rounds, 0);
    for (int i = 0; i < COUNT; i++) assert_int_equal(out[i], 0);
}

static void elements_run_the_side_they_take(void **state) {
    (void)state;
    int64_t in[COUNT], out[COUNT];
    program p = {0};
    for (int64_t i = 0; i < COUNT; i++) in[i] = i * i % 11;
    make_branch(&p);
    run(&p, in, out);
    for (int i = 0; i < COUNT; i++) {
        const bool odd = in[i] % 2 != 0;
        assert_int_equal(out[i], odd ? 1000 + in[i] : -in[i]);
        assert_int_equal(took[0][i], odd);
        assert_int_equal(took[1][i], !odd);
    }
}

static void a_side_that_nobody_takes_does_not_run(void **state) {
    (void)state;
    int64_t in[COUNT], out[COUNT];
    program p = {0};
    for (int64_t i = 0; i < COUNT; i++) in[i] = 2 * i;
    make_branch(&p);
    run(&p, in, out);
    for (int i = 0; i < COUNT; i++) {
        assert_int_equal(out[i], -in[i]);
        assert_int_equal(took[0][i], 0);
        assert_int_equal(took[1][i], 1);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements_go_round_as_often_as_they_need),
        cmocka_unit_test(elements_that_stop_together_are_not_moved),
        cmocka_unit_test(nobody_goes_round),
        cmocka_unit_test(elements_run_the_side_they_take),
        cmocka_unit_test(a_side_that_nobody_takes_does_not_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
