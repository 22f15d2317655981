/* Reductions and scans of segments: empty ones, rows, and offsets that do not fit. */
#include <string.h>

#include "tests/operators/support.h"

static wadi_acc numbers(void) {
    return vector(7, I64S(1, 2, 3, 4, 5, 6, 7));
}

static void fold_seg_reduces_each_segment(void **state) {
    (void)state;
    begin();
    wadi_output("sums",
                wadi_fold_seg(wadi_add, wadi_i64(100), vector(4, I64S(2, 0, 4, 1)), numbers()));
    wadi_output("short", wadi_fold_seg(wadi_add, wadi_i64(0), vector(2, I64S(1, 2)), numbers()));
    wadi_output("none", wadi_fold_seg(wadi_add, wadi_i64(0), vector(0, NULL), numbers()));
    wadi_output("middle",
                wadi_fold_offsets(wadi_mul, wadi_i64(1), vector(3, I64S(2, 4, 5)), numbers()));
    wadi_output("rows", wadi_fold_seg(wadi_add, wadi_i64(0), vector(2, I64S(1, 2)),
                                      matrix(2, 3, I64S(1, 2, 3, 4, 5, 6))));
    wadi_output("of_nothing",
                wadi_fold_seg(wadi_add, wadi_i64(3), vector(2, I64S(0, 0)), vector(0, NULL)));
    run();
    expect_ints("sums", 4, I64S(103, 100, 118, 107));
    expect_ints("short", 2, I64S(1, 5));
    expect_shape("none", 1, I64S(0));
    expect_ints("middle", 2, I64S(12, 5));
    expect_shape("rows", 2, I64S(2, 2));
    expect_ints("rows", 4, I64S(1, 5, 4, 11));
    expect_ints("of_nothing", 2, I64S(3, 3));
    end();
}

static void fold1_seg_wants_elements(void **state) {
    (void)state;
    begin();
    wadi_output("max", wadi_fold1_seg(wadi_max, vector(3, I64S(3, 1, 3)), numbers()));
    wadi_output("min", wadi_fold1_offsets(wadi_min, vector(2, I64S(1, 7)), numbers()));
    run();
    expect_ints("max", 3, I64S(3, 4, 7));
    expect_ints("min", 1, I64S(2));
    end();
    begin();
    wadi_output("x", wadi_fold1_seg(wadi_max, vector(2, I64S(1, 0)), numbers()));
    run_fails(NULL, WADI_FAULT, "fold1_seg: the segment is empty, index [1]");
    end();
}

static void segments_must_lie_in_the_array(void **state) {
    (void)state;
    begin();
    wadi_output("x", wadi_fold_seg(wadi_add, wadi_i64(0), vector(3, I64S(4, -1, 2)), numbers()));
    run_fails(NULL, WADI_FAULT, "fold_seg: segment 1, 4 to 3, is no part of the extent 7");
    end();
    begin();
    wadi_output("x", wadi_fold_seg(wadi_add, wadi_i64(0), vector(3, I64S(4, 3, 1)), numbers()));
    run_fails(NULL, WADI_FAULT, "segment 2, 7 to 8");
    end();
    begin();
    wadi_output("x", wadi_scanl1_offsets(wadi_add, vector(2, I64S(0, 1)), wadi_unit(wadi_i64(1))));
    build_fails(WADI_SHAPE, "rank");
    end();
    begin();
    wadi_output("x", wadi_fold_offsets(wadi_add, wadi_i64(0), vector(3, I64S(0, 4, 2)), numbers()));
    run_fails(NULL, WADI_FAULT, "segment 1, 4 to 2");
    end();
    begin();
    wadi_output("x", wadi_fold_offsets(wadi_add, wadi_i64(0), vector(2, I64S(-1, 2)), numbers()));
    run_fails(NULL, WADI_FAULT, "segment 0, -1 to 2");
    end();
    begin();
    wadi_output("x", wadi_fold_offsets(wadi_add, wadi_i64(0), vector(0, NULL), numbers()));
    run_fails(NULL, WADI_FAULT, "extent -1 is negative in dimension 0");
    end();
    begin();
    wadi_output("x", wadi_scanl1_seg(wadi_add, vector(3, I64S(4, 3, 1)), numbers()));
    run_fails(NULL, WADI_FAULT, "scanl1_seg: segment 2, 7 to 8");
    end();
}

static void scans_of_segments(void **state) {
    (void)state;
    begin();
    const wadi_acc lengths = vector(4, I64S(2, 0, 3, 1)), a = numbers();
    const wadi_exp ten = wadi_i64(10);
    wadi_output("l1", wadi_scanl1_seg(wadi_add, lengths, a));
    wadi_output("l", wadi_scanl_seg(wadi_add, ten, lengths, a));
    wadi_output("pre", wadi_prescanl_seg(wadi_add, ten, lengths, a));
    wadi_output("post", wadi_postscanl_seg(wadi_add, ten, lengths, wadi_take(wadi_i64(6), a)));
    wadi_output("total", wadi_scanl_total_seg(wadi_add, ten, lengths, a));
    run();
    expect_ints("l1", 7, I64S(1, 3, 3, 7, 12, 6, 0));
    expect_ints("l", 11, I64S(10, 11, 13, 10, 10, 13, 17, 22, 10, 16, 0));
    expect_ints("pre", 7, I64S(10, 11, 10, 13, 17, 10, 0));
    expect_ints("post", 6, I64S(11, 13, 13, 17, 22, 16));
    expect_ints("total.0", 7, I64S(10, 11, 10, 13, 17, 10, 0));
    expect_ints("total.1", 4, I64S(13, 10, 22, 16));
    end();
}

static void scans_of_segments_from_the_right(void **state) {
    (void)state;
    begin();
    const wadi_acc lengths = vector(4, I64S(2, 0, 3, 1)), a = numbers();
    const wadi_exp ten = wadi_i64(10);
    wadi_output("r1", wadi_scanr1_seg(wadi_sub, lengths, a));
    wadi_output("r", wadi_scanr_seg(wadi_add, ten, lengths, a));
    wadi_output("pre", wadi_prescanr_seg(wadi_add, ten, lengths, a));
    wadi_output("post", wadi_postscanr_seg(wadi_add, ten, lengths, wadi_take(wadi_i64(6), a)));
    run();
    expect_ints("r1", 7, I64S(-1, 2, 4, -1, 5, 6, 0));
    expect_ints("r", 11, I64S(13, 12, 10, 10, 22, 19, 15, 10, 16, 10, 0));
    expect_ints("pre", 7, I64S(12, 10, 19, 15, 10, 10, 0));
    expect_ints("post", 6, I64S(13, 12, 22, 19, 15, 16));
    end();
}

static void scans_of_rows_of_segments(void **state) {
    (void)state;
    begin();
    const wadi_acc m = matrix(2, 3, I64S(1, 2, 3, 4, 5, 6)), lengths = vector(2, I64S(1, 2));
    wadi_output("l1", wadi_scanl1_seg(wadi_add, lengths, m));
    wadi_output("l", wadi_scanl_seg(wadi_add, wadi_i64(0), lengths, m));
    wadi_output("middle", wadi_scanl1_offsets(wadi_add, vector(2, I64S(1, 2)), m));
    run();
    expect_ints("l1", 6, I64S(1, 2, 5, 4, 5, 11));
    expect_shape("l", 2, I64S(2, 5));
    expect_ints("l", 10, I64S(0, 1, 0, 2, 5, 0, 4, 0, 5, 11));
    expect_ints("middle", 6, I64S(0, 2, 0, 0, 5, 0));
    end();
}

/* Whatever it is made of, a mistake in its lengths is told in its own name. */
static void a_mistake_names_the_operator_that_was_called(void **state) {
    (void)state;
    static const struct {
        const char *name;
        wadi_acc (*from)(wadi_fn2 f, wadi_exp z, wadi_acc lengths, wadi_acc a);
        wadi_acc (*of)(wadi_fn2 f, wadi_acc lengths, wadi_acc a);
    } calls[] = {{"fold_seg", wadi_fold_seg, NULL},
                 {"fold1_seg", NULL, wadi_fold1_seg},
                 {"scanl_seg", wadi_scanl_seg, NULL},
                 {"scanl1_seg", NULL, wadi_scanl1_seg},
                 {"prescanl_seg", wadi_prescanl_seg, NULL},
                 {"postscanl_seg", wadi_postscanl_seg, NULL},
                 {"scanr_seg", wadi_scanr_seg, NULL},
                 {"scanr1_seg", NULL, wadi_scanr1_seg},
                 {"prescanr_seg", wadi_prescanr_seg, NULL},
                 {"postscanr_seg", wadi_postscanr_seg, NULL},
                 {"scanl_total_seg", wadi_scanl_total_seg, NULL}};
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        wadi_error err = {.status = WADI_OK};
        begin();
        const wadi_acc wrong = floats(2, F64S(1, 2));
        (void)(calls[i].from != NULL ? calls[i].from(wadi_add, wadi_i64(0), wrong, numbers())
                                     : calls[i].of(wadi_add, wrong, numbers()));
        assert_int_not_equal(wadi_program_check(wadi_program_current(), &err), WADI_OK);
        const size_t n = strlen(calls[i].name);
        if (strncmp(err.msg, calls[i].name, n) != 0 || err.msg[n] != ':')
            fail_msg("%s: %s", calls[i].name, err.msg);
        end();
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fold_seg_reduces_each_segment),
        cmocka_unit_test(fold1_seg_wants_elements),
        cmocka_unit_test(segments_must_lie_in_the_array),
        cmocka_unit_test(scans_of_segments),
        cmocka_unit_test(scans_of_segments_from_the_right),
        cmocka_unit_test(scans_of_rows_of_segments),
        cmocka_unit_test(a_mistake_names_the_operator_that_was_called),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
