/* Loops by groups and by lanes: their rules, and which kernels of schedule group have them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
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
    return wadi_lfun_check_groups(b->fun, b->arena);
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
    assert_null(wadi_lfun_check_groups(b->fun, b->arena));
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

/* ---- places of lanes ---- */

static wadi_lv sum(wadi_lb *b, wadi_lv x, wadi_lv y) {
    return wadi_lb_bin(b, WADI_SOP_ADD, x, y);
}

static wadi_lv times(wadi_lb *b, wadi_lv x, int64_t y) {
    return wadi_lb_bin(b, WADI_SOP_MUL, x, num(b, y));
}

/* A loop over all lanes of a group within `unit`s, and an array of theirs. */
typedef struct lanes_of {
    wadi_lv unit, array, lane;
} lanes_of;

static lanes_of open_lanes(wadi_lb *b, int elements, int64_t lanes) {
    lanes_of x = {.unit = loop(b, WADI_BY_GROUPS)};
    x.array = wadi_lb_lanes(b, WADI_I64, elements, "tile");
    x.lane = wadi_lb_for(b, num(b, 0), num(b, lanes), 1, "lane");
    b->scope->owner->by = WADI_BY_LANES;
    return x;
}

static void lanes_may_have_rows_of_a_tile(void **state) {
    wadi_lb *b = builder(state);
    const lanes_of x = open_lanes(b, 64 * 17, 64);
    const wadi_lv j = wadi_lb_for(b, num(b, 0), num(b, 16), 1, "j");
    wadi_lb_put(b, x.array, sum(b, times(b, x.lane, 17), j), num(b, 1));
    assert_null(verdict(b, 3));
}

/* Round j = 17 of a lane is round 0 of the next. */
static void rows_of_a_tile_may_not_meet(void **state) {
    wadi_lb *b = builder(state);
    const lanes_of x = open_lanes(b, 64 * 17, 64);
    const wadi_lv j = wadi_lb_for(b, num(b, 0), num(b, 18), 1, "j");
    wadi_lb_put(b, x.array, sum(b, times(b, x.lane, 17), j), num(b, 1));
    assert_string_equal(verdict(b, 3), "a lane changes what the group has");
}

static void rows_of_a_length_that_is_not_known_may_meet(void **state) {
    wadi_lb *b = builder(state);
    const wadi_lv n = wadi_lb_leaf(b, WADI_L_SHAPE, 0, 0, WADI_LV_NONE);
    const lanes_of x = open_lanes(b, 64 * 17, 64);
    const wadi_lv j = wadi_lb_for(b, num(b, 0), n, 1, "j");
    wadi_lb_put(b, x.array, sum(b, times(b, x.lane, 17), j), num(b, 1));
    assert_string_equal(verdict(b, 3), "a lane changes what the group has");
}

static void quotient_and_remainder_tell_the_lane(void **state) {
    wadi_lb *b = builder(state);
    const lanes_of x = open_lanes(b, 64 * 17, 64);
    const wadi_lv high = wadi_lb_bin(b, WADI_SOP_QUOT, x.lane, num(b, 16));
    const wadi_lv low = wadi_lb_bin(b, WADI_SOP_REM, x.lane, num(b, 16));
    const wadi_lv row = sum(b, times(b, x.unit, 4), high);
    wadi_lb_put(b, x.array, sum(b, times(b, row, 17), low), num(b, 1));
    assert_null(verdict(b, 2));
}

static void a_remainder_alone_does_not(void **state) {
    wadi_lb *b = builder(state);
    const lanes_of x = open_lanes(b, 64, 64);
    wadi_lb_put(b, x.array, wadi_lb_bin(b, WADI_SOP_REM, x.lane, num(b, 16)), num(b, 1));
    assert_string_equal(verdict(b, 2), "a lane changes what the group has");
}

static void nor_with_the_quotient_by_another_number(void **state) {
    wadi_lb *b = builder(state);
    const lanes_of x = open_lanes(b, 64 * 17, 64);
    const wadi_lv high = wadi_lb_bin(b, WADI_SOP_QUOT, x.lane, num(b, 32));
    const wadi_lv low = wadi_lb_bin(b, WADI_SOP_REM, x.lane, num(b, 16));
    wadi_lb_put(b, x.array, sum(b, times(b, high, 17), low), num(b, 1));
    assert_string_equal(verdict(b, 2), "a lane changes what the group has");
}

static void a_lane_may_read_what_none_changes_meanwhile(void **state) {
    wadi_lb *b = builder(state);
    const lanes_of x = open_lanes(b, 64, 32);
    const wadi_lv other = wadi_lb_lane(b, x.array, sum(b, x.lane, num(b, 32)));
    wadi_lb_put(b, x.array, x.lane, sum(b, wadi_lb_lane(b, x.array, x.lane), other));
    assert_null(verdict(b, 2));
}

static void a_lane_may_not_read_what_another_changes(void **state) {
    wadi_lb *b = builder(state);
    const lanes_of x = open_lanes(b, 64, 32);
    const wadi_lv other = wadi_lb_lane(b, x.array, sum(b, x.lane, num(b, 31)));
    wadi_lb_put(b, x.array, x.lane, sum(b, wadi_lb_lane(b, x.array, x.lane), other));
    assert_string_equal(verdict(b, 2), "a lane reads what another one changes");
}

/* A lane reads element `read` of its row of 17, of which it changes elements 1 to 16. */
static const char *with_rows(wadi_lb *b, int64_t read) {
    const lanes_of x = open_lanes(b, 64 * 17, 32);
    const wadi_lv row = times(b, x.lane, 17);
    const wadi_lv other = wadi_lb_lane(b, x.array, sum(b, row, num(b, read)));
    const wadi_lv j = wadi_lb_for(b, num(b, 1), num(b, 17), 1, "j");
    wadi_lb_put(b, x.array, sum(b, row, j), other);
    return verdict(b, 3);
}

static void a_lane_may_read_what_it_changes_of_its_row(void **state) {
    assert_null(with_rows(builder(state), 0));
}

static void also_the_last_element(void **state) {
    assert_null(with_rows(builder(state), 16));
}

static void but_not_of_the_next_row(void **state) {
    assert_string_equal(with_rows(builder(state), 17), "a lane reads what another one changes");
}

static void a_group_may_not_change_what_its_lanes_have(void **state) {
    wadi_lb *b = builder(state);
    const lanes_of x = open_lanes(b, 64, 64);
    wadi_lb_put(b, x.array, x.lane, num(b, 1));
    wadi_lb_end(b);
    wadi_lb_put(b, x.array, num(b, 0), num(b, 2));
    assert_string_equal(verdict(b, 1), "a group changes what its lanes have");
}

/* ---- barriers ---- */

static void a_lane_may_not_leave_what_the_group_repeats(void **state) {
    wadi_lb *b = builder(state);
    (void)loop(b, WADI_BY_GROUPS);
    wadi_lb_repeat(b);
    const wadi_lv lane = loop(b, WADI_BY_LANES);
    wadi_lb_leave_unless(b, wadi_lb_bin(b, WADI_SOP_GT, lane, num(b, 3)));
    assert_string_equal(verdict(b, 3), "a lane leaves what the group repeats");
}

static void a_lane_may_repeat_on_its_own(void **state) {
    wadi_lb *b = builder(state);
    (void)loop(b, WADI_BY_GROUPS);
    const wadi_lv lane = loop(b, WADI_BY_LANES);
    wadi_lb_repeat(b);
    wadi_lb_leave_unless(b, wadi_lb_bin(b, WADI_SOP_GT, lane, num(b, 3)));
    assert_null(verdict(b, 3));
}

/* ---- memory ---- */

static wadi_lv column(wadi_lb *b) {
    return wadi_lb_column(b, 0, 0, WADI_I64);
}

static void lanes_may_not_store_in_the_same_place(void **state) {
    wadi_lb *b = builder(state);
    const lanes_of x = open_lanes(b, 64, 64);
    wadi_lb_store(b, column(b), x.unit, x.lane);
    assert_string_equal(verdict(b, 2), "lanes store in the same place");
}

static void one_lane_alone_may_store_anywhere(void **state) {
    wadi_lb *b = builder(state);
    const lanes_of x = open_lanes(b, 64, 1);
    wadi_lb_store(b, column(b), x.unit, x.unit);
    assert_null(verdict(b, 2));
}

static void a_group_may_not_read_what_one_of_its_lanes_has_stored(void **state) {
    wadi_lb *b = builder(state);
    const wadi_lv unit = loop(b, WADI_BY_GROUPS);
    wadi_lb_store(b, column(b), unit, num(b, 1));
    wadi_lb_store(b, wadi_lb_column(b, 1, 0, WADI_I64), unit, wadi_lb_fresh(b, column(b), unit));
    assert_string_equal(verdict(b, 1), "a group reads what one lane has stored");
}

/* Adds 1 to an element, or stores something else there. */
static const char *counted(wadi_lb *b, bool right) {
    const lanes_of x = open_lanes(b, 64, 64);
    const wadi_lv at = wadi_lb_load(b, wadi_lb_column(b, 1, 0, WADI_I64), x.lane, NULL);
    const wadi_lv old = wadi_lb_fresh(b, column(b), right ? at : x.lane);
    wadi_lb_store(b, column(b), at, sum(b, old, num(b, 1)));
    wadi_linst *store = b->scope->inst[b->scope->n - 1];
    assert_int_equal(store->kind, WADI_L_STORE);
    store->atomic = true;
    return verdict(b, 2);
}

static void lanes_may_update_one_place_as_one_step(void **state) {
    assert_null(counted(builder(state), true));
}

static void an_atomic_store_is_an_update_of_its_own_place(void **state) {
    assert_string_equal(counted(builder(state), false),
                        "an atomic store is no update of its place");
}

/* ---- kernels ---- */

static int count(const char *text, const char *what) {
    int n = 0;
    for (const char *p = strstr(text, what); p; p = strstr(p + strlen(what), what)) n++;
    return n;
}

/* The loops of the program's only body as text; the caller frees it. */
static char *loops_text(const char *text, wadi_schedule schedule) {
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
    char *loops = strdup(made->loops);
    assert_non_null(loops);
    wadi_made_destroy(made);
    wadi_versions_destroy(versions);
    wadi_plan_destroy(plan);
    compiled_free(&c);
    return loops;
}

/* Loops of each kind in it. */
static void loops_of(const char *text, wadi_schedule schedule, int *groups, int *lanes) {
    char *loops = loops_text(text, schedule);
    *groups = count(loops, " by groups");
    *lanes = count(loops, " by lanes");
    free(loops);
}

#define INPUT(declared, of) "program p\n" declared of "output y\n"
#define VECTOR "input x : f64[n]\n"
#define NUMBERS "input x : i64[n]\n"
#define MAP INPUT(VECTOR, "y = map x (a) { mul a 2.0 }\n")
#define SUM INPUT("input x : f64[n, 100]\n", "y = fold1 x (a, b) { add a b }\n")
#define GATHER                                                                      \
    "program p\ninput x : i64[n, 100]\ninput v : f64[m]\nt = map x (a) { v ! a }\n" \
    "y = fold1 t (a, b) { add a b }\noutput y\n"
#define OFFSETS "input o : i64[m]\n"

/* ---- which loops a group's kernels have ---- */

/* What kernels whose name has `kernel` in it have: loops by groups; loops by lanes, those of one lane alone among them; atomic stores;
 * arrays of tiles. A number that is smaller here than there may be right, but nobody shall find out late. */
typedef struct pin {
    const char *kernel;
    int groups, lanes, alone, atomic, tiles;
} pin;
typedef struct pinned {
    const char *what, *text;
    pin of[4];
} pinned;

static const pinned pins[] = {
    /* clang-format off */
    {"map", MAP, {{"_run", 1, 1, 0, 0, 0}}},
    {"fold of rows", SUM, {{"_run", 1, 6, 0, 0, 0}}},
    {"fold of rows whose indices may fault", GATHER, {{"_run", 1, 7, 2, 0, 0}}},
    {"fold of a long vector", INPUT(VECTOR, "y = fold 0.0 x (a, b) { add a b }\n"), {{"_parts_run", 1, 6, 0, 0, 0}, {"_run", 2, 8, 1, 0, 0}}},
    {"fold in order", INPUT(VECTOR, "y = fold 0.0 x (a, b) { add (mul a 0.5) b }\n"), {{"_parts_run", 1, 1, 0, 0, 0}}},
    {"scan of a long vector", INPUT(VECTOR, "y = scanl1 x (a, b) { add a b }\n"), {{"lasts_run", 1, 6, 0, 0, 1}, {"carries_run", 1, 4, 0, 0, 0}, {"_run", 3, 17, 0, 0, 2}}},
    {"scan of short rows", INPUT("input x : f64[n, 100]\n", "y = scanl1 x (a, b) { add a b }\n"), {{"_run", 1, 7, 0, 0, 1}}},
    {"scan in any order", INPUT(NUMBERS, "y = scanl 0 x (a, b) { add a b }\n"), {{"lasts_run", 1, 8, 1, 0, 0}, {"carries_run", 1, 8, 0, 0, 0}, {"_run", 3, 25, 1, 0, 1}}},
    {"filter", INPUT(NUMBERS "input k : i64\n", "c = unit { the k }\ny = compact c x (a) { gt a 3 }\n"), {{"counts_run", 1, 8, 1, 0, 0}, {"sums_run", 1, 8, 0, 0, 0}, {"_run", 3, 24, 1, 0, 0}}},
    {"partition", INPUT("input x : f64[r, n]\ninput k : i64[r]\n", "y = partition k x (a) { lt a 0.0 }\n"), {{"counts_run", 1, 8, 1, 0, 0}, {"sums_run", 1, 8, 0, 0, 0}, {"_run", 3, 24, 1, 0, 0}}},
    {"histogram in any order", INPUT(NUMBERS "input k : i64[n]\n", "z = generate 16 (i) { 0 }\ny = permute z x k (new, old) { add new old } (i, k) { true, k }\n"), {{"defaults_run", 1, 1, 0, 0, 0}, {"tables_run", 1, 1, 0, 0, 0}, {"y4_run", 1, 2, 0, 2, 0}, {"all_run", 1, 1, 0, 0, 0}}},
    {"histogram of floats", INPUT(VECTOR "input k : i64[n]\n", "z = generate 16 (i) { 0.0 }\ny = permute z x k (new, old) { add new old } (i, k) { true, k }\n"), {{"keys_run", 1, 1, 0, 0, 0}, {"counts0_run", 1, 2, 0, 1, 0}, {"places0_run", 1, 11, 0, 0, 0}, {"y4_run", 1, 5, 1, 0, 0}}},
    {"permutation", INPUT(VECTOR, "z = generate 16 (i) { 0.0 }\ny = permute z x (new, old) { add new old } (i) { lt i 16, i }\n"), {{"defaults_run", 1, 1, 0, 0, 0}, {"y3_run", 1, 2, 0, 0, 0}}},
    {"patches", "program p\ninput at : i64[n, 2]\ninput zs : c64[n]\nn = unit { extent zs 0 }\nzero = generate 1000 1000 (i, j) { 0.0+0.0ic64 }\n"
        "patch = generate n 5 5 (k, i, j) { mul (zs ! k) (complex (convert f32 (add i j)) 1.0f32) }\n"
        "sum = permute zero patch (new, old) { add new old } (k, i, j) { true, add (at ! (k, 0)) i, add (at ! (k, 1)) j }\noutput sum\n", {{"defaults_run", 1, 1, 0, 0, 0}, {"_run", 2, 5, 0, 0, 0}}},
    {"fold of segments", INPUT(OFFSETS VECTOR, "y = fold_seg 0.0 o x (a, b) { add a b }\n"), {{"parts_run", 1, 5, 0, 0, 1}, {"_run", 2, 12, 1, 0, 2}}},
    {"fold of segments whose indices may fault", INPUT(OFFSETS NUMBERS "input v : f64[k]\n", "t = map x (a) { v ! a }\ny = fold_seg 0.0 o t (a, b) { add a b }\n"), {{"parts_run", 1, 12, 1, 0, 1}, {"_run", 2, 36, 4, 0, 2}}},
    {"fold of segments in order", INPUT(OFFSETS VECTOR, "y = fold1_seg o x (a, b) { add (mul a 0.5) b }\n"), {{"parts_run", 1, 11, 1, 0, 1}, {"_run", 2, 24, 3, 0, 2}}},
    {"fold of segments whose elements read where they may not", INPUT(OFFSETS NUMBERS "input v : f64[k]\n", "t = map x (a) { if gt a 0 { v ! a } else { 0.0 } }\ny = fold_seg 0.0 o t (a, b) { add a b }\n"), {{"_run", 2, 36, 4, 0, 2}}},
    {"scan of segments", INPUT(OFFSETS VECTOR, "y = scanl1_seg o x (a, b) { add a b }\n"), {{"_run", 3, 39, 3, 0, 3}}},
    {"expand", INPUT(OFFSETS NUMBERS, "t = unit { o ! (sub (extent o 0) 1) }\ny = expand t o x (a, j) { add a j }\n"), {{"_run", 1, 2, 0, 0, 0}}},
    {"concat", INPUT("input x : f32[n, m]\ninput b : f32[k, m]\n", "y = concat dim=0 x b\n"), {{"_run", 1, 2, 0, 0, 0}}},
    {"one number for each element of a stream", "program p\nstream_in s : seq(f64)\nt = map_seq s (x) {\n    y = unit { exp (the x) }\n    yield y\n}\nstream_out \"t\" t\n", {{"unit_y3_run", 0, 0, 0, 0, 0}}},
    {"spread", INPUT("input x : {re: f32, im: f32}[n, m]\n", "y = spread dim=0 x\n"), {{"_run", 1, 1, 0, 0, 0}}},
    /* clang-format on */
};

static pin found_in(const char *loops, const char *kernel) {
    pin p = {.kernel = kernel};
    for (const char *at = strstr(loops, "kernel "); at;) {
        const char *next = strstr(at + 7, "\nkernel ");
        char *one = next ? strndup(at, (size_t)(next - at)) : strdup(at);
        assert_non_null(one);
        char *end = strchr(one, '\n');
        if (end) *end = '\0';
        const size_t n = strlen(one), m = strlen(kernel);
        if (end && n >= m && strcmp(one + n - m, kernel) == 0) {
            p.groups += count(end + 1, " by groups");
            p.lanes += count(end + 1, " by lanes");
            p.alone += count(end + 1, " by lanes 0 1 1\n");
            p.atomic += count(end + 1, "store atomic");
            p.tiles += count(end + 1, ".tile : ");
        }
        free(one);
        at = next ? next + 1 : NULL;
    }
    return p;
}

/* Prints what is there, as the table has it. */
static bool is_as_pinned(const pinned *p) {
    char *loops = loops_text(p->text, WADI_SCHEDULE_GROUP);
    bool same = true;
    for (int k = 0; k < 4 && p->of[k].kernel; k++) {
        const pin got = found_in(loops, p->of[k].kernel), *want = &p->of[k];
        if (got.groups == want->groups && got.lanes == want->lanes && got.alone == want->alone &&
            got.atomic == want->atomic && got.tiles == want->tiles)
            continue;
        same = false;
        print_error("%s: {\"%s\", %d, %d, %d, %d, %d}\n", p->what, got.kernel, got.groups,
                    got.lanes, got.alone, got.atomic, got.tiles);
    }
    free(loops);
    return same;
}

static void each_skeleton_deals_its_work_to_lanes(void **state) {
    (void)state;
    int wrong = 0;
    for (size_t k = 0; k < sizeof pins / sizeof *pins; k++) wrong += !is_as_pinned(&pins[k]);
    assert_int_equal(wrong, 0);
}

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
        WITH(lanes_may_have_rows_of_a_tile),
        WITH(rows_of_a_tile_may_not_meet),
        WITH(rows_of_a_length_that_is_not_known_may_meet),
        WITH(quotient_and_remainder_tell_the_lane),
        WITH(a_remainder_alone_does_not),
        WITH(nor_with_the_quotient_by_another_number),
        WITH(a_lane_may_read_what_none_changes_meanwhile),
        WITH(a_lane_may_not_read_what_another_changes),
        WITH(a_lane_may_read_what_it_changes_of_its_row),
        WITH(also_the_last_element),
        WITH(but_not_of_the_next_row),
        WITH(a_group_may_not_change_what_its_lanes_have),
        WITH(a_lane_may_not_leave_what_the_group_repeats),
        WITH(a_lane_may_repeat_on_its_own),
        WITH(lanes_may_not_store_in_the_same_place),
        WITH(one_lane_alone_may_store_anywhere),
        WITH(a_group_may_not_read_what_one_of_its_lanes_has_stored),
        WITH(lanes_may_update_one_place_as_one_step),
        WITH(an_atomic_store_is_an_update_of_its_own_place),
        cmocka_unit_test(elements_of_maps_are_lanes),
        cmocka_unit_test(accumulators_of_folds_are_lanes),
        cmocka_unit_test(lanes_that_check_indices_change_nothing_of_the_group),
        cmocka_unit_test(each_skeleton_deals_its_work_to_lanes),
        cmocka_unit_test(no_other_schedule_has_groups),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
