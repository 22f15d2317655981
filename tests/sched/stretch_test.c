/* Which stages go to workers together, in plans and with times that are made here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sched/run/stretch.h"

enum { STAGES = 6, BODIES = 6 };

static const int first_result[] = {0};
static const bool usable[STAGES] = {true, true, true, true, true, true};

/* Stage i reads stage reads[i], and has a body unless `idle` has it. */
typedef struct made {
    wadi_plan plan;
    wadi_plan_body body[BODIES];
    wadi_plan_stage stage[STAGES];
    wadi_plan_end end[STAGES];
    int reads[STAGES];
    wadi_plan_stream s;
} made;

static void begin(made *m) {
    memset(m, 0, sizeof *m);
    m->plan = (wadi_plan){.nbodies = BODIES, .bodies = m->body};
    m->s = (wadi_plan_stream){.stages = m->stage, .ends = m->end};
}

static void add_stage(made *m, wadi_change_kind change, int reads, bool has_body) {
    const int i = m->s.nstages++;
    m->reads[i] = reads;
    m->body[i].index_slot = -1;
    m->stage[i] = (wadi_plan_stage){.change = change,
                                    .ninputs = reads >= 0 ? 1 : 0,
                                    .inputs = &m->reads[i],
                                    .body = has_body ? i : -1,
                                    .nresults = 1,
                                    .results = first_result};
}

static void add_end(made *m, int stage) {
    m->end[m->s.nends++] = (wadi_plan_end){.kind = WADI_END_SINK, .stage = stage};
}

static void assert_stages(const wadi_stretch *t, int n, const int *want) {
    assert_int_equal(t->n, n);
    for (int i = 0; i < n; i++) assert_int_equal(t->stage[i], want[i]);
}

/* A body, a filter with one, and slices with one; a batch, which keeps elements, and a filter behind it. */
static void make_long(made *m) {
    begin(m);
    add_stage(m, WADI_CHANGE_READ, -1, true);
    add_stage(m, WADI_CHANGE_FILTER, 0, true);
    add_stage(m, WADI_CHANGE_EXPAND, 1, true);
    add_stage(m, WADI_CHANGE_BATCH, 2, true);
    add_stage(m, WADI_CHANGE_FILTER, 3, true);
    add_end(m, 4);
}

/* ---- the longest ---- */

static void what_keeps_nothing_goes_along(void **state) {
    (void)state;
    static const int before[] = {0, 1, 2}, behind[] = {3, 4};
    made m;
    wadi_stretch_list all;
    make_long(&m);
    wadi_stretch_find(&m.plan, &m.s, usable, NULL, &all);
    assert_int_equal(all.n, 2);
    assert_stages(&all.at[0], 3, before);
    assert_stages(&all.at[1], 2, behind);
    assert_false(wadi_stretch_gives(&m.s, &all.at[0], 0));
    assert_true(wadi_stretch_gives(&m.s, &all.at[0], 2));
    assert_true(wadi_stretch_gives(&m.s, &all.at[1], 4));
}

static void stages_of_others_are_left_out(void **state) {
    (void)state;
    static const bool some[STAGES] = {true, false, true, true, true};
    static const int only[] = {0};
    made m;
    wadi_stretch_list all;
    make_long(&m);
    wadi_stretch_find(&m.plan, &m.s, some, NULL, &all);
    assert_int_equal(all.n, 3); /* slices of what others filter begin one */
    assert_stages(&all.at[0], 1, only);
}

static void a_filter_without_a_body_saves_an_answer_or_is_left_out(void **state) {
    (void)state;
    static const int both[] = {0, 1}, one[] = {0};
    made m;
    wadi_stretch_list all;
    begin(&m);
    add_stage(&m, WADI_CHANGE_READ, -1, true);
    add_stage(&m, WADI_CHANGE_FILTER, 0, false);
    add_end(&m, 1);
    wadi_stretch_find(&m.plan, &m.s, usable, NULL, &all);
    assert_int_equal(all.n, 1);
    assert_stages(&all.at[0], 2, both);
    add_end(&m, 0); /* all elements travel anyway */
    wadi_stretch_find(&m.plan, &m.s, usable, NULL, &all);
    assert_stages(&all.at[0], 1, one);
}

static void no_body_no_stretch(void **state) {
    (void)state;
    made m;
    wadi_stretch_list all;
    begin(&m);
    add_stage(&m, WADI_CHANGE_READ, -1, false);
    add_end(&m, 0);
    wadi_stretch_find(&m.plan, &m.s, usable, NULL, &all);
    assert_int_equal(all.n, 0);
}

/* ---- what pays ---- */

static void what_takes_long_goes(void **state) {
    (void)state;
    static const wadi_stretch_weight weight[STAGES] = {{1000000, 1000, 1000},
                                                       {1000000, 1000, 1000},
                                                       {1000000, 1000, 1000},
                                                       {1000000, 1000, 1000},
                                                       {1000000, 1000, 1000}};
    made m;
    wadi_stretch_list all;
    make_long(&m);
    wadi_stretch_find(&m.plan, &m.s, usable, NULL, &all);
    wadi_stretch_choose(&m.s, weight, &all);
    assert_int_equal(all.n, 2);
    assert_int_equal(all.at[0].n, 3);
    assert_int_equal(all.at[1].n, 2);
}

/* A first stage that reads much and takes nothing, before a filter that lets little through; a last one that makes much of it. */
static void ends_that_cost_more_than_they_take_stay(void **state) {
    (void)state;
    static const wadi_stretch_weight weight[STAGES] = {
        {1000, 1000000, 1000}, {1000000, 1000, 1000}, {1000, 1000, 1000000}};
    static const int middle[] = {1};
    made m;
    wadi_stretch_list all;
    make_long(&m);
    wadi_stretch_find(&m.plan, &m.s, usable, NULL, &all);
    wadi_stretch_choose(&m.s, weight, &all);
    assert_int_equal(all.n, 1); /* nothing is gained by the other */
    assert_stages(&all.at[0], 1, middle);
}

static void the_best_goes_though_nothing_is_gained(void **state) {
    (void)state;
    static const wadi_stretch_weight weight[STAGES] = {
        {0, 5000, 5000}, {0, 5000, 5000}, {0, 5000, 5000}, {0, 100, 100}, {0, 100, 100}};
    made m;
    wadi_stretch_list all;
    make_long(&m);
    wadi_stretch_find(&m.plan, &m.s, usable, NULL, &all);
    wadi_stretch_choose(&m.s, weight, &all);
    assert_int_equal(all.n, 1);
    assert_true(all.at[0].stage[0] >= 3);
}

/* A stage that two others read stays their first. */
static void a_fork_is_not_cut_at_its_root(void **state) {
    (void)state;
    static const wadi_stretch_weight weight[STAGES] = {
        {0, 1000000, 0}, {900000, 10, 10}, {900000, 10, 10}};
    static const int three[] = {0, 1, 2};
    made m;
    wadi_stretch_list all;
    begin(&m);
    add_stage(&m, WADI_CHANGE_READ, -1, true);
    add_stage(&m, WADI_CHANGE_FILTER, 0, true);
    add_stage(&m, WADI_CHANGE_FILTER, 0, true);
    add_end(&m, 1);
    add_end(&m, 2);
    wadi_stretch_find(&m.plan, &m.s, usable, NULL, &all);
    wadi_stretch_choose(&m.s, weight, &all);
    assert_int_equal(all.n, 1);
    assert_stages(&all.at[0], 3, three);
}

/* ---- states by key ---- */

/* A body; states by key with one behind them; a filter. */
static void make_keyed(made *m, wadi_change_kind change) {
    begin(m);
    add_stage(m, WADI_CHANGE_READ, -1, true);
    add_stage(m, change, 0, true);
    add_stage(m, WADI_CHANGE_FILTER, 1, true);
    m->stage[1].scan.body = 4;
    m->body[4].index_slot = -1;
    add_end(m, 2);
}

static void keys_go_alone(void **state) {
    (void)state;
    static const bool keyed[STAGES] = {true, true, true};
    static const int each[][1] = {{0}, {1}, {2}};
    made m;
    wadi_stretch_list all;
    make_keyed(&m, WADI_CHANGE_KEYED);
    wadi_stretch_find(&m.plan, &m.s, usable, keyed, &all);
    assert_int_equal(all.n, 3);
    for (int i = 0; i < 3; i++) {
        assert_stages(&all.at[i], 1, each[i]);
        assert_int_equal(all.at[i].keyed, i == 1);
        assert_true(wadi_stretch_is_one(&m.plan, &m.s, &all.at[i]));
    }
    wadi_stretch_find(&m.plan, &m.s, usable, NULL, &all); /* the body and the filter go */
    assert_int_equal(all.n, 2);
    assert_int_equal(all.at[1].n, 2);
    assert_false(all.at[1].keyed);
}

/* Then nothing goes that costs more than it saves. */
static void keys_that_go_are_enough(void **state) {
    (void)state;
    static const bool keyed[STAGES] = {false, true};
    static const wadi_stretch_weight weight[STAGES] = {{0, 5000, 5000}, {0}, {0, 100, 100}};
    made m;
    wadi_stretch_list all;
    make_keyed(&m, WADI_CHANGE_KEYS);
    wadi_stretch_find(&m.plan, &m.s, usable, keyed, &all);
    wadi_stretch_choose(&m.s, weight, &all);
    assert_int_equal(all.n, 1);
    assert_true(all.at[0].keyed);
}

static void keys_go_where_home_gains(void **state) {
    (void)state;
    const wadi_keyed_weight dear = {.ns = 1000000,
                                    .chunks = 2,
                                    .elements = 1000,
                                    .in_bytes = 16000,
                                    .state_bytes = 8000,
                                    .most = 100};
    const wadi_stretch_weight body = {1000000, 8000, 8000}, none = {0, 8000, 8000};
    wadi_keyed_weight w = dear;
    made m;
    make_keyed(&m, WADI_CHANGE_KEYED);
    const wadi_plan_stage *p = &m.stage[1];
    assert_true(wadi_stretch_pays_keyed(p, &dear, &none));
    w.ns = 70000; /* elements cost 40 ns, and bytes one each */
    assert_false(wadi_stretch_pays_keyed(p, &w, &none));
    assert_true(wadi_stretch_pays_keyed(p, &w, &body)); /* which goes along */
    m.stage[1].change = WADI_CHANGE_KEYS;               /* or is for the end */
    assert_false(wadi_stretch_pays_keyed(p, &w, &body));
    w = dear;
    w.state_bytes = 1000000;
    assert_false(wadi_stretch_pays_keyed(p, &w, &none));
    w = dear;
    w.most = 751; /* one key has most elements */
    assert_false(wadi_stretch_pays_keyed(p, &w, &none));
    w = (wadi_keyed_weight){0};
    assert_false(wadi_stretch_pays_keyed(p, &w, &body)); /* nothing is known */
}

static void only_keys_are_keyed(void **state) {
    (void)state;
    const wadi_stretch good = {1, {1}, .keyed = true}, first = {1, {0}, .keyed = true},
                       two = {2, {1, 2}, .keyed = true}, none = {1, {3}, .keyed = true},
                       before = {1, {-1}, .keyed = true}, no_stage = {0, {1}, .keyed = true};
    const wadi_stretch *const bad[] = {&first, &two, &none, &before, &no_stage};
    made m;
    make_keyed(&m, WADI_CHANGE_KEYED);
    assert_true(wadi_stretch_is_one(&m.plan, &m.s, &good));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(wadi_stretch_is_one(&m.plan, &m.s, bad[i]));
    m.body[4].index_slot = 0; /* the step counts elements */
    assert_false(wadi_stretch_is_one(&m.plan, &m.s, &good));
    m.body[4].index_slot = -1;
    m.stage[1].change = WADI_CHANGE_SCAN;
    assert_false(wadi_stretch_is_one(&m.plan, &m.s, &good));
}

/* ---- from elsewhere ---- */

static void only_stretches_are_taken(void **state) {
    (void)state;
    static const wadi_stretch good[] = {{1, {0}}, {3, {0, 1, 2}}, {2, {3, 4}}, {1, {2}}},
                              bad[] = {
                                  {0, {0}},    {1, {-1}},         {1, {5}},
                                  {2, {0, 2}}, {2, {2, 3}},       {2, {1, 0}},
                                  {2, {0, 0}}, {4, {0, 1, 2, 7}}, {WADI_STRETCH_STAGES + 1, {0}}};
    made m;
    make_long(&m);
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_true(wadi_stretch_is_one(&m.plan, &m.s, &good[i]));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(wadi_stretch_is_one(&m.plan, &m.s, &bad[i]));
    m.stage[0].nresults = 2 * WADI_MAX_PARTS + 1;
    assert_false(wadi_stretch_is_one(&m.plan, &m.s, &good[0]));
    m.body[1].index_slot = 0; /* it counts its elements */
    m.stage[0].nresults = 1;
    assert_false(wadi_stretch_is_one(&m.plan, &m.s, &good[1]));
}

/* ---- the order ---- */

static void what_comes_of_each_may_come_in_any_order(void **state) {
    (void)state;
    made m;
    make_long(&m);
    m.end[0].unordered = true; /* of the last stage */
    for (int i = 0; i < 5; i++)
        assert_int_equal(wadi_plan_stage_is_unordered(&m.s, i), i >= 3); /* a batch reads stage 2 */
    add_end(&m, 1);
    m.end[1].unordered = true;
    for (int i = 0; i < 5; i++) assert_int_equal(wadi_plan_stage_is_unordered(&m.s, i), i >= 3);
    assert_ptr_equal(wadi_plan_unordered_end(&m.s), &m.end[0]);
    m.stage[3].change = WADI_CHANGE_FILTER;
    for (int i = 0; i < 5; i++) assert_true(wadi_plan_stage_is_unordered(&m.s, i));
    add_end(&m, 4); /* in order */
    for (int i = 0; i < 5; i++) assert_false(wadi_plan_stage_is_unordered(&m.s, i));
    m.end[0].unordered = m.end[1].unordered = false;
    assert_null(wadi_plan_unordered_end(&m.s));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_comes_of_each_may_come_in_any_order),
        cmocka_unit_test(what_keeps_nothing_goes_along),
        cmocka_unit_test(stages_of_others_are_left_out),
        cmocka_unit_test(a_filter_without_a_body_saves_an_answer_or_is_left_out),
        cmocka_unit_test(no_body_no_stretch),
        cmocka_unit_test(keys_go_alone),
        cmocka_unit_test(keys_that_go_are_enough),
        cmocka_unit_test(keys_go_where_home_gains),
        cmocka_unit_test(only_keys_are_keyed),
        cmocka_unit_test(what_takes_long_goes),
        cmocka_unit_test(ends_that_cost_more_than_they_take_stay),
        cmocka_unit_test(the_best_goes_though_nothing_is_gained),
        cmocka_unit_test(a_fork_is_not_cut_at_its_root),
        cmocka_unit_test(only_stretches_are_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
