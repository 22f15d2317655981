/* Loops by groups and by lanes: their rules, and which kernels of schedule group have them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "codegen/plan/plan.h"
#include "tests/codegen/code_fixture.h"
#include "tests/codegen/programs.h"

/* ---- the rules ---- */

static wadi_lv num(wadi_lb *b, int64_t v) {
    return wadi_lb_i64(b, v);
}

static wadi_lv loop(wadi_lb *b, wadi_lby by) {
    const wadi_lv var = wadi_lb_for(b, num(b, 0), num(b, 8), 1, "i");
    b->scope->owner->by = by;
    return var;
}

/* Closes `open` loops and says what is wrong with the kernel. */
static const char *verdict(wadi_lb *b, int open) {
    while (open-- > 0) wadi_lb_end(b);
    assert_false(b->failed);
    return wadi_lfun_check_groups(b->fun);
}

static wadi_lb *builder(void **state) {
    return &((fixture *)*state)->b;
}

static void a_lane_may_write_its_own_element_and_what_it_made(void **state) {
    wadi_lb *b = builder(state);
    (void)loop(b, WADI_BY_GROUPS);
    const wadi_lv shared = wadi_lb_lanes(b, WADI_I64, 8, "acc");
    const wadi_lv lane = loop(b, WADI_BY_LANES);
    const wadi_lv own = wadi_lb_var(b, WADI_I64, false, num(b, 0), "own");
    wadi_lb_set(b, own, num(b, 2));
    wadi_lb_put(b, shared, lane, wadi_lb_get(b, own));
    assert_null(verdict(b, 2));
}

static void a_lane_may_not_write_the_element_of_another(void **state) {
    wadi_lb *b = builder(state);
    (void)loop(b, WADI_BY_GROUPS);
    const wadi_lv shared = wadi_lb_lanes(b, WADI_I64, 8, "acc");
    (void)loop(b, WADI_BY_LANES);
    wadi_lb_put(b, shared, num(b, 3), num(b, 1));
    assert_string_equal(verdict(b, 2), "a lane changes what the group has");
}

static void a_lane_may_not_set_a_variable_of_the_group(void **state) {
    wadi_lb *b = builder(state);
    (void)loop(b, WADI_BY_GROUPS);
    const wadi_lv var = wadi_lb_var(b, WADI_I64, false, num(b, 0), "total");
    (void)loop(b, WADI_BY_LANES);
    wadi_lb_if(b, wadi_lb_leaf(b, WADI_L_SHAPE, 0, 0, WADI_LV_NONE));
    wadi_lb_set(b, var, num(b, 1));
    assert_string_equal(verdict(b, 3), "a lane changes what the group has");
}

static void a_group_may_set_its_own_variables_alone(void **state) {
    wadi_lb *b = builder(state);
    const wadi_lv all = wadi_lb_var(b, WADI_I64, false, num(b, 0), "all");
    (void)loop(b, WADI_BY_GROUPS);
    const wadi_lv own = wadi_lb_var(b, WADI_I64, false, num(b, 0), "own");
    wadi_lb_set(b, own, num(b, 1));
    assert_null(wadi_lfun_check_groups(b->fun));
    wadi_lb_set(b, all, num(b, 1));
    assert_string_equal(verdict(b, 1), "a round of a loop by groups changes what all groups have");
}

static void loops_by_groups_stand_alone_and_lanes_within_them(void **state) {
    wadi_lb *b = builder(state);
    (void)loop(b, WADI_BY_ONE);
    (void)loop(b, WADI_BY_GROUPS);
    assert_string_equal(verdict(b, 2), "a loop by groups stands in a loop");
}

static void lanes_belong_to_a_group(void **state) {
    wadi_lb *b = builder(state);
    (void)loop(b, WADI_BY_LANES);
    assert_string_equal(verdict(b, 1), "lanes of no group");
}

static void lanes_have_no_lanes(void **state) {
    wadi_lb *b = builder(state);
    (void)loop(b, WADI_BY_GROUPS);
    (void)loop(b, WADI_BY_LANES);
    (void)loop(b, WADI_BY_LANES);
    assert_string_equal(verdict(b, 3), "lanes have lanes");
}

/* ---- kernels ---- */

static int count(const char *text, const char *what) {
    int n = 0;
    for (const char *p = strstr(text, what); p; p = strstr(p + strlen(what), what)) n++;
    return n;
}

/* Loops of each kind in the program's only body. */
static void loops_of(const char *text, wadi_schedule schedule, int *groups, int *lanes) {
    compiled c = compile(text, NULL);
    wadi_error err = {.status = WADI_OK};
    const wadi_plan_options options = {.unchecked = false};
    wadi_plan *plan = NULL;
    wadi_versions *versions = NULL;
    wadi_made *made = NULL;
    if (wadi_plan_build(c.m, &c.facts, &options, &plan, &versions, &err) != WADI_OK)
        fail_msg("%s", err.msg);
    assert_int_equal(plan->nbodies, 1);
    wadi_versions_keep_loops(versions);
    if (wadi_versions_make(versions, 0, (wadi_version_key){.schedule = schedule}, NULL, &made,
                           &err) != WADI_OK)
        fail_msg("%s", err.msg);
    *groups = count(made->loops, " by groups");
    *lanes = count(made->loops, " by lanes");
    wadi_made_destroy(made);
    wadi_versions_destroy(versions);
    wadi_plan_destroy(plan);
    compiled_free(&c);
}

#define MAP "program p\ninput x : f64[n]\ny = map x (a) { mul a 2.0 }\noutput y\n"
#define SUM "program p\ninput x : f64[n, 100]\ny = fold1 x (a, b) { add a b }\noutput y\n"
#define GATHER                                                                      \
    "program p\ninput x : i64[n, 100]\ninput v : f64[m]\nt = map x (a) { v ! a }\n" \
    "y = fold1 t (a, b) { add a b }\noutput y\n"
#define SCAN "program p\ninput x : f64[n]\ny = scanl1 x (a, b) { add a b }\noutput y\n"

static void elements_of_maps_are_lanes(void **state) {
    int groups = 0, lanes = 0;
    (void)state;
    loops_of(MAP, WADI_SCHEDULE_GROUP, &groups, &lanes);
    assert_int_equal(groups, 1);
    assert_in_range(lanes, 1, 2);
}

/* Sixteen accumulators, and four halvings. */
static void accumulators_of_folds_are_lanes(void **state) {
    int groups = 0, lanes = 0;
    (void)state;
    loops_of(SUM, WADI_SCHEDULE_GROUP, &groups, &lanes);
    assert_int_equal(groups, 1);
    assert_true(lanes >= 5);
}

/* Checks of indices stay in the lane: the rules are kept, or no version would be made. */
static void lanes_that_check_indices_change_nothing_of_the_group(void **state) {
    int groups = 0, lanes = 0;
    (void)state;
    loops_of(GATHER, WADI_SCHEDULE_GROUP, &groups, &lanes);
    assert_int_equal(groups, 1);
    assert_true(lanes >= 5);
}

static void what_is_carried_from_unit_to_unit_is_not_by_groups(void **state) {
    int groups = 0, lanes = 0;
    (void)state;
    loops_of(SCAN, WADI_SCHEDULE_GROUP, &groups, &lanes);
    assert_int_equal(lanes, 0);
}

static void no_other_schedule_has_groups(void **state) {
    static const wadi_schedule others[] = {WADI_SCHEDULE_INSIDE, WADI_SCHEDULE_FLAT};
    (void)state;
    for (int k = 0; k < 2; k++) {
        int groups = 0, lanes = 0;
        loops_of(SUM, others[k], &groups, &lanes);
        assert_int_equal(groups + lanes, 0);
    }
}

#define WITH(test) cmocka_unit_test_setup_teardown(test, open_fixture, close_fixture)

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH(a_lane_may_write_its_own_element_and_what_it_made),
        WITH(a_lane_may_not_write_the_element_of_another),
        WITH(a_lane_may_not_set_a_variable_of_the_group),
        WITH(a_group_may_set_its_own_variables_alone),
        WITH(loops_by_groups_stand_alone_and_lanes_within_them),
        WITH(lanes_belong_to_a_group),
        WITH(lanes_have_no_lanes),
        cmocka_unit_test(elements_of_maps_are_lanes),
        cmocka_unit_test(accumulators_of_folds_are_lanes),
        cmocka_unit_test(lanes_that_check_indices_change_nothing_of_the_group),
        cmocka_unit_test(what_is_carried_from_unit_to_unit_is_not_by_groups),
        cmocka_unit_test(no_other_schedule_has_groups),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
