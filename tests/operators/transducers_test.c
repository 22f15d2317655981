/* Transducers between a source and a consumer: take, drop, filter, expand, windows, batch, scan,
 * with their edge cases. */
#include "tests/operators/support.h"

static wadi_exp index_plus(void *env, wadi_ix ix) {
    return wadi_add(*(wadi_exp *)env, ix.at[0]);
}

/* i, i + 1, ..., i copies: the arrays differ in extent */
static wadi_acc ramp(wadi_exp i) {
    return wadi_generate_env(wadi_ix1(i), index_plus, &i);
}

static wadi_acc the_index(wadi_exp i) {
    return wadi_unit(i);
}

static wadi_seq numbers(int64_t n) {
    return wadi_produce(wadi_i64(n), the_index);
}

static wadi_acc all_of(wadi_seq s) {
    return wadi_consume(wadi_elements(s));
}

/* ---- take_seq, drop_seq ---- */

static void take_and_drop_clamp_to_what_there_is(void **state) {
    (void)state;
    begin();
    wadi_output("a", all_of(wadi_take_seq(wadi_i64(2), numbers(5))));
    wadi_output("b", all_of(wadi_drop_seq(wadi_i64(3), numbers(5))));
    wadi_output("c", all_of(wadi_take_seq(wadi_i64(9), numbers(2))));
    wadi_output("d", all_of(wadi_drop_seq(wadi_i64(9), numbers(2))));
    wadi_output("e", all_of(wadi_take_seq(wadi_i32(-1), numbers(2))));
    wadi_output("f", all_of(wadi_drop_seq(wadi_i32(-1), numbers(2))));
    wadi_output("g", all_of(wadi_take_seq(wadi_i64(2), wadi_drop_seq(wadi_i64(1), numbers(5)))));
    wadi_output("h", all_of(wadi_drop_seq(wadi_i64(1), wadi_take_seq(wadi_i64(3), numbers(5)))));
    run();
    expect_ints("a", 2, I64S(0, 1));
    expect_ints("b", 2, I64S(3, 4));
    expect_ints("c", 2, I64S(0, 1));
    expect_shape("d", 1, I64S(0));
    expect_shape("e", 1, I64S(0));
    expect_ints("f", 2, I64S(0, 1));
    expect_ints("g", 2, I64S(1, 2));
    expect_ints("h", 2, I64S(1, 2));
    end();
}

static void take_ends_a_sequence_without_end(void **state) {
    (void)state;
    begin();
    wadi_output("x", all_of(wadi_take_seq(wadi_i64(3), wadi_produce(wadi_forever(), the_index))));
    run();
    expect_ints("x", 3, I64S(0, 1, 2));
    end();
}

static wadi_acc joined(wadi_acc a, wadi_acc b) {
    return wadi_unit(wadi_add(wadi_mul(wadi_the(a), wadi_i64(10)), wadi_the(b)));
}

static void a_sequence_meets_its_own_tail(void **state) {
    (void)state;
    begin();
    const wadi_seq s = numbers(4);
    wadi_output("x", all_of(wadi_zip_with_seq(joined, s, wadi_drop_seq(wadi_i64(1), s))));
    run();
    expect_ints("x", 3, I64S(1, 12, 23));
    end();
}

/* ---- filter_seq ---- */

static wadi_acc is_long(wadi_acc a) {
    return wadi_unit(wadi_gt(wadi_extent(a, 0), wadi_i64(1)));
}

static wadi_acc is_even(wadi_acc a) {
    return wadi_unit(wadi_eq(wadi_mod(wadi_the(a), wadi_i64(2)), wadi_i64(0)));
}

/* Fails for an odd number. */
static wadi_acc only_even(wadi_acc a) {
    const wadi_exp odd = wadi_mod(wadi_the(a), wadi_i64(2));
    return wadi_unit(wadi_quot(wadi_the(a), wadi_sub(wadi_i64(1), odd)));
}

static wadi_acc nothing(wadi_acc a) {
    (void)a;
    return wadi_unit(wadi_bool(false));
}

static void filter_keeps_what_passes(void **state) {
    (void)state;
    begin();
    wadi_output("long", all_of(wadi_filter_seq(is_long, wadi_produce(wadi_i64(4), ramp))));
    wadi_output("none", all_of(wadi_filter_seq(nothing, numbers(4))));
    wadi_output("empty", all_of(wadi_filter_seq(nothing, numbers(0))));
    wadi_output("halves", all_of(wadi_map_seq(only_even, wadi_filter_seq(is_even, numbers(6)))));
    wadi_output("three", all_of(wadi_take_seq(
                             wadi_i64(3),
                             wadi_filter_seq(is_even, wadi_produce(wadi_forever(), the_index)))));
    run();
    expect_ints("long", 5, I64S(2, 3, 3, 4, 5));
    expect_shape("none", 1, I64S(0));
    expect_shape("empty", 1, I64S(0));
    expect_ints("halves", 3, I64S(0, 2, 4));
    expect_ints("three", 3, I64S(0, 2, 4));
    end();
}

static wadi_acc not_a_truth(wadi_acc a) {
    return a;
}

static void a_predicate_must_be_one_bool(void **state) {
    (void)state;
    begin();
    wadi_output("x", all_of(wadi_filter_seq(not_a_truth, numbers(4))));
    build_fails(WADI_TYPE, "filter_seq: the function gives i64, expected bool");
    end();
}

/* ---- expand_seq ---- */

static wadi_acc counted(wadi_acc a) {
    return wadi_iota(WADI_I64, wadi_the(a));
}

static wadi_acc table(wadi_acc a) {
    const wadi_exp n = wadi_the(a);
    return wadi_tuple2(wadi_fill(wadi_ix2(n, wadi_i64(2)), n), wadi_iota(WADI_I64, n));
}

static wadi_acc uneven(wadi_acc a) {
    const wadi_exp n = wadi_the(a);
    return wadi_tuple2(wadi_iota(WADI_I64, n), wadi_iota(WADI_I64, wadi_i64(1)));
}

static wadi_acc as_it_is(wadi_acc a) {
    return a;
}

static void expand_gives_none_one_or_several(void **state) {
    (void)state;
    begin();
    wadi_output("x", all_of(wadi_expand_seq(counted, numbers(4))));
    wadi_output("rows", wadi_consume(wadi_tabulate(wadi_expand_seq(table, numbers(3)))));
    wadi_output("none", all_of(wadi_expand_seq(counted, numbers(1))));
    run();
    expect_ints("x", 6, I64S(0, 0, 1, 0, 1, 2));
    expect_shape("rows.0", 2, I64S(3, 2));
    expect_ints("rows.0", 6, I64S(1, 1, 2, 2, 2, 2));
    expect_ints("rows.1", 3, I64S(0, 0, 1));
    expect_shape("none", 1, I64S(0));
    end();
}

static void expand_wants_one_outermost_extent(void **state) {
    (void)state;
    begin();
    wadi_stream_out(wadi_expand_seq(uneven, wadi_drop_seq(wadi_i64(1), numbers(3))), "out");
    run_fails(NULL, WADI_FAULT,
              "expand_seq: extent 0 of components 1 and 0: 1 and 2 differ, element 1");
    end();
    begin();
    wadi_stream_out(wadi_expand_seq(as_it_is, numbers(3)), "out");
    build_fails(WADI_SHAPE, "expand_seq: the function gives i64, expected rank 1 or more");
    end();
}

/* ---- windows ---- */

static const wadi_interp_sink *windows_of(int64_t size, int64_t hop, wadi_last last, wadi_seq s) {
    wadi_stream_out(wadi_windows(wadi_i64(size), wadi_i64(hop), last, s), "out");
    run();
    const wadi_interp_sink *out = wadi_interp_sink_get(results(), "out");
    assert_non_null(out);
    return out;
}

static void windows_overlap(void **state) {
    (void)state;
    begin();
    const wadi_interp_sink *w = windows_of(4, 2, WADI_LAST_DROP, numbers(7));
    assert_int_equal(w->n, 2);
    expect_array_ints(&w->elements[0], 0, 4, I64S(0, 1, 2, 3));
    expect_array_ints(&w->elements[1], 0, 4, I64S(2, 3, 4, 5));
    end();
}

static void the_last_window_is_dropped_padded_or_kept(void **state) {
    (void)state;
    begin();
    const wadi_interp_sink *w = windows_of(4, 2, WADI_LAST_PAD, numbers(7));
    assert_int_equal(w->n, 3);
    expect_array_ints(&w->elements[2], 0, 4, I64S(4, 5, 6, 0));
    end();
    begin();
    w = windows_of(4, 2, WADI_LAST_KEEP, numbers(7));
    assert_int_equal(w->n, 3);
    expect_array_ints(&w->elements[2], 0, 3, I64S(4, 5, 6));
    end();
    begin(); /* every sample is covered: there is nothing left to keep */
    assert_int_equal(windows_of(4, 2, WADI_LAST_KEEP, numbers(6))->n, 2);
    end();
    begin(); /* too few samples for one window */
    w = windows_of(4, 1, WADI_LAST_KEEP, numbers(3));
    assert_int_equal(w->n, 1);
    expect_array_ints(&w->elements[0], 0, 3, I64S(0, 1, 2));
    end();
}

static void windows_may_leave_samples_out(void **state) {
    (void)state;
    begin();
    const wadi_interp_sink *w = windows_of(2, 3, WADI_LAST_KEEP, numbers(7));
    assert_int_equal(w->n, 3);
    expect_array_ints(&w->elements[0], 0, 2, I64S(0, 1));
    expect_array_ints(&w->elements[1], 0, 2, I64S(3, 4));
    expect_array_ints(&w->elements[2], 0, 1, I64S(6));
    end();
    begin(); /* the next would begin behind the end */
    assert_int_equal(windows_of(2, 3, WADI_LAST_PAD, numbers(6))->n, 2);
    end();
}

static void windows_join_pieces_of_any_length(void **state) {
    (void)state;
    begin();
    /* {} 1, 2 3, 3 4 5 */
    const wadi_interp_sink *w = windows_of(3, 3, WADI_LAST_DROP, wadi_produce(wadi_i64(4), ramp));
    assert_int_equal(w->n, 2);
    expect_array_ints(&w->elements[0], 0, 3, I64S(1, 2, 3));
    expect_array_ints(&w->elements[1], 0, 3, I64S(3, 4, 5));
    end();
    begin();
    assert_int_equal(windows_of(3, 3, WADI_LAST_KEEP, numbers(0))->n, 0);
    end();
}

static wadi_acc two_ramps(wadi_exp i) {
    return wadi_tuple2(ramp(i), wadi_fill(wadi_ix1(i), wadi_f64(0.5)));
}

static wadi_acc unequal(wadi_exp i) {
    return wadi_tuple2(ramp(i), wadi_unit(i));
}

static void windows_of_tuples_go_together(void **state) {
    (void)state;
    begin();
    const wadi_interp_sink *w =
        windows_of(2, 2, WADI_LAST_PAD, wadi_produce(wadi_i64(3), two_ramps));
    assert_int_equal(w->n, 2);
    assert_int_equal(w->components, 2);
    expect_array_ints(&w->elements[2], 0, 2, I64S(3, 0));
    assert_true(((const double *)w->elements[3].column[0])[0] == 0.5);
    assert_true(((const double *)w->elements[3].column[0])[1] == 0.0);
    end();
    begin();
    wadi_stream_out(
        wadi_windows(wadi_i64(2), wadi_i64(2), WADI_LAST_DROP, wadi_produce(wadi_i64(3), unequal)),
        "out");
    run_fails(NULL, WADI_FAULT,
              "windows: samples of components 1 and 0: 1 and 0 differ, element 0");
    end();
}

static void a_window_needs_a_size_and_a_hop(void **state) {
    (void)state;
    begin();
    wadi_stream_out(wadi_windows(wadi_i64(0), wadi_i64(1), WADI_LAST_DROP, numbers(0)), "out");
    run_fails(NULL, WADI_FAULT, "windows: the size: 0 is less than 1");
    end();
    begin();
    wadi_stream_out(wadi_windows(wadi_i64(1), wadi_i64(-1), WADI_LAST_DROP, numbers(3)), "out");
    run_fails(NULL, WADI_FAULT, "windows: the hop: -1 is less than 1");
    end();
}

/* ---- batch ---- */

static wadi_acc pair_of(wadi_exp i) {
    return wadi_fill(wadi_ix1(wadi_i64(2)), i);
}

static void the_last_batch_may_be_shorter(void **state) {
    (void)state;
    begin();
    wadi_stream_out(wadi_batch(wadi_i64(2), wadi_produce(wadi_i64(3), pair_of)), "out");
    wadi_stream_out(wadi_batch(wadi_i64(5), numbers(2)), "scalars");
    wadi_stream_out(wadi_batch(wadi_i64(5), numbers(0)), "none");
    run();
    const wadi_interp_sink *out = wadi_interp_sink_get(results(), "out");
    assert_int_equal(out->n, 2);
    assert_int_equal(out->elements[0].shape[0], 2);
    expect_array_ints(&out->elements[0], 0, 4, I64S(0, 0, 1, 1));
    assert_int_equal(out->elements[1].shape[0], 1);
    assert_int_equal(out->elements[1].shape[1], 2);
    expect_array_ints(&out->elements[1], 0, 2, I64S(2, 2));
    expect_array_ints(&wadi_interp_sink_get(results(), "scalars")->elements[0], 0, 2, I64S(0, 1));
    assert_int_equal(wadi_interp_sink_get(results(), "none")->n, 0);
    end();
}

static void a_batch_has_one_shape(void **state) {
    (void)state;
    begin();
    wadi_stream_out(wadi_batch(wadi_i64(2), wadi_produce(wadi_i64(4), ramp)), "out");
    run_fails(NULL, WADI_FAULT,
              "batch: extent 0 of component 0 and that of the first array: 1 and 0 differ, "
              "element 1");
    end();
    begin();
    wadi_stream_out(wadi_batch(wadi_i64(1), wadi_produce(wadi_i64(4), ramp)), "out");
    run();
    assert_int_equal(wadi_interp_sink_get(results(), "out")->n, 4);
    end();
    begin();
    wadi_stream_out(wadi_batch(wadi_i64(0), numbers(4)), "out");
    run_fails(NULL, WADI_FAULT, "batch: the number of arrays: 0 is less than 1");
    end();
}

/* ---- scan_seq ---- */

static wadi_acc add_sum(wadi_acc state, wadi_acc x) {
    return wadi_zip_with(wadi_add, state, wadi_sum(x));
}

static wadi_acc keep_state(wadi_acc state, wadi_acc x) {
    (void)x;
    return state;
}

static wadi_acc swapped(wadi_acc state, wadi_acc x) {
    return wadi_tuple2(wadi_tuple_get(state, 1), x);
}

static void scan_gives_the_state_after_each_element(void **state) {
    (void)state;
    begin();
    const wadi_seq s = wadi_produce(wadi_i64(4), ramp);
    wadi_output("sums", all_of(wadi_scan_seq(add_sum, wadi_unit(wadi_i64(100)), s)));
    wadi_output("same", all_of(wadi_scan_seq(keep_state, vector(2, I64S(7, 8)), numbers(2))));
    wadi_output("none", all_of(wadi_scan_seq(keep_state, vector(2, I64S(7, 8)), numbers(0))));
    const wadi_acc z = wadi_tuple2(vector(1, I64S(-2)), vector(1, I64S(-1)));
    wadi_output("delay", all_of(wadi_scan_seq(swapped, z, s)));
    run();
    expect_ints("sums", 4, I64S(100, 101, 106, 118));
    expect_ints("same", 4, I64S(7, 8, 7, 8));
    expect_shape("none", 1, I64S(0));
    expect_ints("delay.0", 4, I64S(-1, 1, 2, 3));
    expect_ints("delay.1", 6, I64S(1, 2, 3, 3, 4, 5));
    end();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(take_and_drop_clamp_to_what_there_is),
        cmocka_unit_test(take_ends_a_sequence_without_end),
        cmocka_unit_test(a_sequence_meets_its_own_tail),
        cmocka_unit_test(filter_keeps_what_passes),
        cmocka_unit_test(a_predicate_must_be_one_bool),
        cmocka_unit_test(expand_gives_none_one_or_several),
        cmocka_unit_test(expand_wants_one_outermost_extent),
        cmocka_unit_test(windows_overlap),
        cmocka_unit_test(the_last_window_is_dropped_padded_or_kept),
        cmocka_unit_test(windows_may_leave_samples_out),
        cmocka_unit_test(windows_join_pieces_of_any_length),
        cmocka_unit_test(windows_of_tuples_go_together),
        cmocka_unit_test(a_window_needs_a_size_and_a_hop),
        cmocka_unit_test(the_last_batch_may_be_shorter),
        cmocka_unit_test(a_batch_has_one_shape),
        cmocka_unit_test(scan_gives_the_state_after_each_element),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
