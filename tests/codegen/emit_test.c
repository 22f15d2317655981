/* Decisions behind the C text of a kernel: which values are written where they are used, and which loops check for a stop. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "codegen/emit/c_like/names.h"
#include "codegen/emit/c/stop.h"
#include "tests/codegen/code_fixture.h"

static wadi_lv num(wadi_lb *b, int64_t v) {
    return wadi_lb_i64(b, v);
}

static wadi_lv bin(wadi_lb *b, wadi_sop op, wadi_lv x, wadi_lv y) {
    return wadi_lb_bin(b, op, x, y);
}

static wadi_lv extent(wadi_lb *b, int dim) {
    return wadi_lb_leaf(b, WADI_L_SHAPE, 0, dim, WADI_LV_NONE);
}

/* ---- what is written where it is used ---- */

typedef enum between {
    NOTHING,
    SAME_SET,
    OTHER_SET,
    SET_IN_LOOP,
    SET_IN_BRANCH,
    SET_IN_ELSE,
    SET_TWO_DEEP,
    WAYS
} between;

static void set_in_branch(wadi_lb *b, wadi_lv var) {
    wadi_lb_if(b, bin(b, WADI_SOP_GT, extent(b, 0), num(b, 5)));
    wadi_lb_set(b, var, num(b, 8));
    wadi_lb_end(b);
}

static void write_between(wadi_lb *b, between way, wadi_lv var, wadi_lv other) {
    switch (way) {
    case SAME_SET:
        wadi_lb_set(b, var, num(b, 7));
        break;
    case OTHER_SET:
        wadi_lb_set(b, other, num(b, 7));
        break;
    case SET_IN_LOOP:
    case SET_TWO_DEEP:
        (void)wadi_lb_for(b, num(b, 0), extent(b, 0), 1, "i");
        if (way == SET_IN_LOOP)
            wadi_lb_set(b, var, num(b, 7));
        else
            set_in_branch(b, var);
        wadi_lb_end(b);
        break;
    case SET_IN_BRANCH:
        set_in_branch(b, var);
        break;
    case SET_IN_ELSE:
        wadi_lb_if(b, bin(b, WADI_SOP_GT, extent(b, 0), num(b, 5)));
        wadi_lb_set(b, other, num(b, 8));
        wadi_lb_else(b);
        wadi_lb_set(b, var, num(b, 9));
        wadi_lb_end(b);
        break;
    default:
        break;
    }
}

/* What is read of a variable before it changes must not be read behind the change. */
static void a_variable_is_read_before_it_changes(void **state) {
    wadi_lb *b = &((fixture *)*state)->b;
    wadi_lv old[2 * WAYS];
    const wadi_lv column = wadi_lb_column(b, 1, 0, WADI_I64);
    for (int k = 0; k < 2 * WAYS; k++) {
        const wadi_lv var = wadi_lb_var(b, WADI_I64, false, num(b, 1), "v"),
                      other = wadi_lb_var(b, WADI_I64, false, num(b, 2), "o");
        old[k] = wadi_lb_get(b, var);
        const wadi_lv sum = k < WAYS ? old[k] : bin(b, WADI_SOP_ADD, old[k], extent(b, 1));
        write_between(b, (between)(k % WAYS), var, other);
        wadi_lb_store(b, column, num(b, k), sum);
        wadi_lb_store(b, column, num(b, 100 + k), wadi_lb_get(b, other));
        wadi_lb_store(b, column, num(b, 200 + k), wadi_lb_get(b, var));
    }
    wadi_c_names names;
    assert_true(wadi_c_names_init(&names, b->fun, NULL));
    for (int k = 0; k < 2 * WAYS; k++) {
        const bool changes = k % WAYS != NOTHING && k % WAYS != OTHER_SET;
        assert_true(names.at[old[k]].uses == 1);
        if (changes) assert_false(names.at[old[k]].inlined);
        if (!changes) assert_true(names.at[old[k]].inlined);
    }
    wadi_c_names_fini(&names);
}

static void a_lane_is_read_before_it_changes(void **state) {
    wadi_lb *b = &((fixture *)*state)->b;
    const wadi_lv column = wadi_lb_column(b, 1, 0, WADI_I64);
    const wadi_lv lanes = wadi_lb_lanes(b, WADI_I64, 16, "acc"),
                  apart = wadi_lb_lanes(b, WADI_I64, 16, "other");
    const wadi_lv before = wadi_lb_lane(b, lanes, num(b, 3)),
                  kept = wadi_lb_lane(b, apart, num(b, 3));
    wadi_lb_put(b, lanes, num(b, 3), num(b, 1));
    wadi_lb_store(b, column, num(b, 0), before);
    wadi_lb_store(b, column, num(b, 1), kept);
    wadi_c_names names;
    assert_true(wadi_c_names_init(&names, b->fun, NULL));
    assert_false(names.at[before].inlined);
    assert_true(names.at[kept].inlined);
    wadi_c_names_fini(&names);
}

/* A value used once, but in a loop, would be computed each round. */
static void nothing_is_written_into_a_loop(void **state) {
    wadi_lb *b = &((fixture *)*state)->b;
    const wadi_lv column = wadi_lb_column(b, 1, 0, WADI_I64),
                  far = bin(b, WADI_SOP_QUOT, extent(b, 0), extent(b, 1));
    const wadi_lv i = wadi_lb_for(b, num(b, 0), extent(b, 2), 1, "i");
    const wadi_lv here = bin(b, WADI_SOP_MUL, i, far);
    wadi_lb_store(b, column, i, here);
    wadi_lb_end(b);
    wadi_c_names names;
    assert_true(wadi_c_names_init(&names, b->fun, NULL));
    assert_false(names.at[far].inlined);
    assert_true(names.at[here].inlined);
    wadi_c_names_fini(&names);
}

/* ---- loops that look at the stop ---- */

enum { NONE = 0, SIMPLE = 65536, NEST = 16 };

static wadi_linst *closed(wadi_lb *b) {
    const wadi_lscope *s = b->scope;
    wadi_lb_end(b);
    return s->owner;
}

static void assert_strip(const wadi_lb *b, const wadi_linst *loop, int64_t strip) {
    assert_non_null(loop);
    assert_int_equal(wadi_c_strip_of(b->fun, loop), strip);
}

static void loops_of_unknown_length_look_at_the_stop(void **state) {
    wadi_lb *b = &((fixture *)*state)->b;
    const wadi_lv n = extent(b, 0), column = wadi_lb_column(b, 1, 0, WADI_I64);
    const wadi_lv from = bin(b, WADI_SOP_MUL, extent(b, 1), num(b, 4096));
    const wadi_lv next = bin(b, WADI_SOP_ADD, from, num(b, 4096)),
                  far = bin(b, WADI_SOP_ADD, from, num(b, 4097));
    const struct {
        wadi_lv from, below;
        int64_t step, strip;
    } loops[] = {{num(b, 0), n, 1, SIMPLE},
                 {num(b, 0), num(b, 4096), 1, NONE},
                 {num(b, 0), num(b, 4097), 1, SIMPLE},
                 {num(b, 0), num(b, 4096 * 16), 16, NONE},
                 {num(b, 10), num(b, 4106), 1, NONE},
                 {from, bin(b, WADI_SOP_MIN, next, n), 1, NONE},
                 {from, bin(b, WADI_SOP_MIN, n, next), 1, NONE},
                 {from, bin(b, WADI_SOP_MIN, far, n), 1, SIMPLE},
                 {from, bin(b, WADI_SOP_MAX, next, n), 1, SIMPLE},
                 {num(b, 0), bin(b, WADI_SOP_AND, n, num(b, -16)), 16, SIMPLE},
                 {bin(b, WADI_SOP_AND, n, num(b, -16)), n, 1, NONE},
                 {bin(b, WADI_SOP_AND, n, num(b, -8192)), n, 1, SIMPLE},
                 {bin(b, WADI_SOP_AND, n, num(b, 15)), n, 1, SIMPLE}};
    for (size_t k = 0; k < sizeof loops / sizeof *loops; k++) {
        const wadi_lv i = wadi_lb_for(b, loops[k].from, loops[k].below, loops[k].step, "i");
        wadi_lb_store(b, column, i, i);
        assert_strip(b, closed(b), loops[k].strip);
    }
}

/* An inner loop is left to the one around it, unless that is short, or it hands a value on. */
static void of_loops_within_loops_the_outer_one_looks(void **state) {
    wadi_lb *b = &((fixture *)*state)->b;
    const wadi_lv n = extent(b, 0), m = extent(b, 1), column = wadi_lb_column(b, 1, 0, WADI_I64);
    enum { PLAIN, SETS, PUTS, SETS_DEEP, KINDS };
    enum { LONG_ONE, SHORT_ONE, ELEMENTS, AROUNDS };
    for (int around = 0; around < AROUNDS; around++) {
        for (int kind = 0; kind < KINDS; kind++) {
            const wadi_lv var = wadi_lb_var(b, WADI_I64, false, num(b, 0), "v"),
                          lanes = wadi_lb_lanes(b, WADI_I64, 16, "acc"),
                          begin = wadi_lb_leaf(b, WADI_L_ARG, -1, 0, WADI_LV_NONE),
                          end = wadi_lb_leaf(b, WADI_L_ARG, -1, 1, WADI_LV_NONE);
            (void)wadi_lb_for(b, around == ELEMENTS ? begin : num(b, 0),
                              around == ELEMENTS    ? end
                              : around == SHORT_ONE ? num(b, 8)
                                                    : m,
                              1, "o");
            const wadi_lv i = wadi_lb_for(b, num(b, 0), n, 1, "i");
            wadi_lb_store(b, column, i, i);
            if (kind == SETS) wadi_lb_set(b, var, i);
            if (kind == PUTS) wadi_lb_put(b, lanes, num(b, 0), i);
            if (kind == SETS_DEEP) {
                wadi_lb_if(b, bin(b, WADI_SOP_GT, i, m));
                wadi_lb_set(b, var, i);
                wadi_lb_end(b);
            }
            const wadi_linst *inner = closed(b), *outer = closed(b);
            assert_strip(b, inner, kind == PLAIN && around == LONG_ONE ? NONE : SIMPLE);
            assert_strip(b, outer, around == SHORT_ONE ? NONE : NEST);
        }
    }
}

/* Each round of a loop that nobody counted looks; within it, and within a short loop in it, arrays bound the others. */
static void loops_in_rounds_that_look_need_not(void **state) {
    wadi_lb *b = &((fixture *)*state)->b;
    const wadi_lv n = extent(b, 0), column = wadi_lb_column(b, 1, 0, WADI_I64);
    wadi_lb_repeat(b);
    wadi_lb_leave_unless(b, bin(b, WADI_SOP_LT, wadi_lb_load(b, column, num(b, 0), NULL), n));
    (void)wadi_lb_for(b, num(b, 0), num(b, 3), 1, "s");
    const wadi_lv i = wadi_lb_for(b, num(b, 0), n, 1, "i");
    wadi_lb_store(b, column, i, i);
    const wadi_linst *inner = closed(b);
    wadi_lb_end(b);
    wadi_lb_end(b);
    assert_strip(b, inner, NONE);
    (void)wadi_lb_for(b, num(b, 0), n, 1, "o");
    wadi_lb_if(b, bin(b, WADI_SOP_GT, n, num(b, 3)));
    const wadi_lv k = wadi_lb_for(b, num(b, 0), n, 1, "k");
    wadi_lb_store(b, column, k, k);
    const wadi_linst *deep = closed(b);
    wadi_lb_end(b);
    assert_strip(b, deep, NONE);
    assert_strip(b, closed(b), NEST);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_fixture, close_fixture)
    const struct CMUnitTest tests[] = {
        TEST(a_variable_is_read_before_it_changes),
        TEST(a_lane_is_read_before_it_changes),
        TEST(nothing_is_written_into_a_loop),
        TEST(loops_of_unknown_length_look_at_the_stop),
        TEST(of_loops_within_loops_the_outer_one_looks),
        TEST(loops_in_rounds_that_look_need_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
