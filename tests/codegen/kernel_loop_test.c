/* The builder of loop IR: equal values are found again, values are placed in the right scope, and bounds of indices are known. */
#include "codegen/loop/loop.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "base/text.h"
#include "codegen/loop/bound.h"
#include "tests/codegen/code_fixture.h"

static wadi_lv shape(wadi_lb *b, int slot, int dim) {
    return wadi_lb_leaf(b, WADI_L_SHAPE, slot, dim, WADI_LV_NONE);
}

static wadi_lv num(wadi_lb *b, int64_t v) {
    return wadi_lb_i64(b, v);
}

static wadi_lv loop(wadi_lb *b, wadi_lv n) {
    return wadi_lb_for(b, num(b, 0), n, 1, "i");
}

static wadi_lv bin(wadi_lb *b, wadi_sop op, wadi_lv x, wadi_lv y) {
    return wadi_lb_bin(b, op, x, y);
}

static void equal_values_are_one(void **state) {
    wadi_lb *b = &((fixture *)*state)->b;
    const wadi_lv n = shape(b, 0, 0);
    assert_int_equal(n, shape(b, 0, 0));
    assert_int_not_equal(n, shape(b, 0, 1));
    assert_int_equal(bin(b, WADI_SOP_ADD, n, num(b, 3)), bin(b, WADI_SOP_ADD, n, num(b, 3)));
}

static void invariants_leave_loops(void **state) {
    wadi_lb *b = &((fixture *)*state)->b;
    const wadi_lv n = shape(b, 0, 0);
    const wadi_lv i = loop(b, n), outer = bin(b, WADI_SOP_MUL, i, n);
    wadi_lscope *first = b->scope;
    const wadi_lv j = loop(b, n);
    const wadi_lv moved = bin(b, WADI_SOP_ADD, outer, num(b, 7)),
                  stays = bin(b, WADI_SOP_ADD, moved, j);
    assert_ptr_equal(wadi_lb_home(b, moved), first);
    assert_ptr_equal(wadi_lb_home(b, stays), b->scope);
    const wadi_lv far = bin(b, WADI_SOP_QUOT, n, num(b, 3));
    assert_ptr_equal(wadi_lb_home(b, far), b->fun->body);
    wadi_lb_end(b);
    wadi_lb_end(b);
}

static void costly_values_stay_in_branches(void **state) {
    wadi_lb *b = &((fixture *)*state)->b;
    const wadi_lv n = shape(b, 0, 0), m = shape(b, 0, 1);
    (void)loop(b, n);
    wadi_lb_if(b, bin(b, WADI_SOP_GT, n, num(b, 5)));
    assert_ptr_equal(wadi_lb_home(b, bin(b, WADI_SOP_QUOT, n, m)), b->scope);
    assert_ptr_equal(wadi_lb_home(b, bin(b, WADI_SOP_ADD, n, m)), b->fun->body);
    wadi_lb_end(b);
    wadi_lb_end(b);
}

/* The first element of a row that may be empty: its index is made of what is known outside of the branch that asks. */
static void what_holds_in_a_branch_keeps_reads_in_it(void **state) {
    wadi_lb *b = &((fixture *)*state)->b;
    const wadi_lv n = shape(b, 0, 0), first = bin(b, WADI_SOP_MUL, shape(b, 0, 1), num(b, 4096)),
                  column = wadi_lb_column(b, 0, 0, WADI_F64),
                  last = bin(b, WADI_SOP_SUB, n, num(b, 1));
    wadi_lb_if(b, bin(b, WADI_SOP_GT, n, num(b, 0)));
    const wadi_lv i = wadi_lb_range(b, first, num(b, 0), last);
    assert_int_equal(i, wadi_lb_range(b, first, num(b, 0), last));
    assert_true(wadi_bound_proved(b, i, n));
    const wadi_lv x = wadi_lb_load(b, column, i, b->fun->body);
    assert_ptr_equal(wadi_lb_home(b, x), b->scope);
    wadi_lb_else(b);
    const wadi_lv again = wadi_lb_range(b, first, num(b, 0), last);
    assert_int_not_equal(x, wadi_lb_load(b, column, again, b->fun->body));
    wadi_lb_end(b);
}

static void values_of_a_closed_branch_are_not_found(void **state) {
    wadi_lb *b = &((fixture *)*state)->b;
    const wadi_lv n = shape(b, 0, 0), m = shape(b, 0, 1);
    wadi_lb_if(b, bin(b, WADI_SOP_GT, n, num(b, 5)));
    const wadi_lv inside = bin(b, WADI_SOP_QUOT, n, m);
    wadi_lb_end(b);
    assert_int_not_equal(inside, bin(b, WADI_SOP_QUOT, n, m));
}

static void constants_fold_and_positions_divide_back(void **state) {
    wadi_lb *b = &((fixture *)*state)->b;
    int64_t known = 0;
    assert_true(wadi_lb_is_const(b, bin(b, WADI_SOP_MUL, num(b, 6), num(b, 7)), &known));
    assert_int_equal(known, 42);
    const wadi_lv d = shape(b, 0, 0), x = shape(b, 1, 0);
    const wadi_lv q = bin(b, WADI_SOP_QUOT, x, d), r = bin(b, WADI_SOP_REM, x, d);
    assert_int_equal(bin(b, WADI_SOP_ADD, bin(b, WADI_SOP_MUL, q, d), r), x);
    assert_int_equal(bin(b, WADI_SOP_SUB, bin(b, WADI_SOP_ADD, x, num(b, 4)), num(b, 4)), x);
}

static void an_index_from_a_loop_over_the_extent_is_proved(void **state) {
    wadi_lb *b = &((fixture *)*state)->b;
    const wadi_lv n = shape(b, 0, 0), i = loop(b, n);
    assert_true(wadi_bound_proved(b, i, n));
    assert_true(wadi_bound_proved(b, i, bin(b, WADI_SOP_ADD, n, num(b, 16))));
    assert_true(
        wadi_bound_proved(b, bin(b, WADI_SOP_SUB, bin(b, WADI_SOP_SUB, n, num(b, 1)), i), n));
    assert_false(wadi_bound_proved(b, bin(b, WADI_SOP_ADD, i, num(b, 1)), n));
    assert_false(wadi_bound_proved(b, bin(b, WADI_SOP_SUB, i, num(b, 1)), n));
    assert_false(wadi_bound_proved(b, i, shape(b, 1, 0)));
    wadi_lb_end(b);
}

static void a_row_major_position_is_proved(void **state) {
    wadi_lb *b = &((fixture *)*state)->b;
    const wadi_lv m = shape(b, 0, 0), n = num(b, 4096), i = loop(b, m), j = loop(b, n);
    const wadi_lv at = bin(b, WADI_SOP_ADD, bin(b, WADI_SOP_MUL, i, n), j);
    assert_true(wadi_bound_proved(b, at, bin(b, WADI_SOP_MUL, m, n)));
    assert_false(
        wadi_bound_proved(b, bin(b, WADI_SOP_ADD, at, num(b, 1)), bin(b, WADI_SOP_MUL, m, n)));
    wadi_lb_end(b);
    wadi_lb_end(b);
}

static void a_lag_inside_the_padding_is_proved(void **state) {
    wadi_lb *b = &((fixture *)*state)->b;
    const wadi_lv n = shape(b, 0, 0), padded = bin(b, WADI_SOP_ADD, n, num(b, 16));
    const wadi_lv lag = loop(b, num(b, 13)), i = loop(b, n);
    const wadi_lv at = bin(b, WADI_SOP_ADD, bin(b, WADI_SOP_SUB, i, lag), num(b, 16));
    assert_true(wadi_bound_proved(b, at, padded));
    assert_false(wadi_bound_proved(b, bin(b, WADI_SOP_SUB, at, num(b, 5)), padded));
    wadi_lb_end(b);
    wadi_lb_end(b);
}

static void what_is_not_proved_is_decided_in_front_of_the_loop(void **state) {
    wadi_lb *b = &((fixture *)*state)->b;
    const wadi_lv n = shape(b, 0, 0), m = shape(b, 1, 0), k = shape(b, 2, 0);
    wadi_lscope *home = b->scope;
    const wadi_lv i = loop(b, n), at = bin(b, WADI_SOP_ADD, i, k);
    const wadi_lv c = wadi_bound_condition(b, home, at, m);
    assert_int_not_equal(c, WADI_LV_NONE);
    assert_ptr_equal(wadi_lb_home(b, c), home);
    const wadi_lv column = wadi_lb_column(b, 0, 0, WADI_I64),
                  loaded = wadi_lb_load(b, column, i, NULL);
    assert_int_equal(wadi_bound_condition(b, home, loaded, m), WADI_LV_NONE);
    wadi_lb_end(b);
}

static void a_kernel_prints(void **state) {
    wadi_lb *b = &((fixture *)*state)->b;
    const wadi_lv n = shape(b, 0, 0), column = wadi_lb_column(b, 1, 0, WADI_I64), i = loop(b, n);
    wadi_lb_store(b, column, i, bin(b, WADI_SOP_MUL, i, num(b, 3)));
    wadi_lb_end(b);
    wadi_lfun *funs[] = {b->fun};
    const wadi_lmodule m = {.name = "m", .nfuns = 1, .funs = funs};
    wadi_text t;
    wadi_text_init(&t);
    wadi_lmodule_print(&m, &t);
    assert_string_equal(wadi_text_str(&t), "kernel test\n"
                                           "    %0 : i64 = shape slot 0 #0\n"
                                           "    %1 : *i64 = column slot 1 #0\n"
                                           "    %5 = for 0 %0 1\n"
                                           "        %7 : i64 = mul %5 3\n"
                                           "        store %1 %5 %7\n");
    wadi_text_fini(&t);
}

/* What stands in both sides of a branch is printed, if it is one instruction alone. */
static void branches_print(void **state) {
    wadi_lb *b = &((fixture *)*state)->b;
    const wadi_lv column = wadi_lb_column(b, 0, 0, WADI_I64),
                  c = wadi_lb_load(b, wadi_lb_column(b, 1, 0, WADI_BOOL), num(b, 0), NULL);
    for (int both = 0; both < 2; both++) {
        wadi_lb_if(b, c);
        wadi_lb_store(b, column, num(b, 1), num(b, 2));
        if (both) {
            wadi_lb_else(b);
            wadi_lb_store(b, column, num(b, 3), num(b, 4));
        }
        wadi_lb_end(b);
    }
    wadi_lfun *funs[] = {b->fun};
    const wadi_lmodule m = {.name = "m", .nfuns = 1, .funs = funs};
    wadi_text t;
    wadi_text_init(&t);
    wadi_lmodule_print(&m, &t);
    assert_non_null(strstr(wadi_text_str(&t), "\n    if %3\n        store %0 1 2\n"
                                              "    if %3\n        store %0 1 2\n"
                                              "    else\n        store %0 3 4\n"));
    wadi_text_fini(&t);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_fixture, close_fixture)
    const struct CMUnitTest tests[] = {
        TEST(equal_values_are_one),
        TEST(invariants_leave_loops),
        TEST(costly_values_stay_in_branches),
        TEST(what_holds_in_a_branch_keeps_reads_in_it),
        TEST(values_of_a_closed_branch_are_not_found),
        TEST(constants_fold_and_positions_divide_back),
        TEST(an_index_from_a_loop_over_the_extent_is_proved),
        TEST(a_row_major_position_is_proved),
        TEST(a_lag_inside_the_padding_is_proved),
        TEST(a_kernel_prints),
        TEST(branches_print),
        TEST(what_is_not_proved_is_decided_in_front_of_the_loop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
