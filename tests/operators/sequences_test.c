/* Sequence operators, element by element. */
#include "tests/operators/support.h"

static wadi_exp index_plus(void *env, wadi_ix ix) {
    return wadi_add(*(wadi_exp *)env, ix.at[0]);
}

/* i, i + 1, ..., i copies: the arrays differ in extent */
static wadi_acc ramp(wadi_exp i) {
    return wadi_generate_env(wadi_ix1(i), index_plus, &i);
}

static wadi_exp twice(wadi_exp x) {
    return wadi_mul(x, wadi_i64(2));
}

static wadi_acc twice_all(wadi_acc a) {
    return wadi_map(twice, a);
}

static void elements_joins_arrays_of_any_extent(void **state) {
    (void)state;
    begin();
    wadi_output(
        "x", wadi_consume(wadi_elements(wadi_map_seq(twice_all, wadi_produce(wadi_i64(4), ramp)))));
    wadi_output("none", wadi_consume(wadi_elements(wadi_produce(wadi_i64(0), ramp))));
    wadi_output("less", wadi_consume(wadi_elements(wadi_produce(wadi_i64(-3), ramp))));
    run();
    expect_ints("x", 6, I64S(2, 4, 6, 6, 8, 10));
    expect_shape("none", 1, I64S(0));
    expect_shape("less", 1, I64S(0));
    end();
}

static wadi_acc the_index(wadi_exp i) {
    return wadi_unit(i);
}

static void the_index_itself_may_be_an_element(void **state) {
    (void)state;
    begin();
    wadi_output("x", wadi_consume(wadi_tabulate(wadi_produce(wadi_i64(3), the_index))));
    run();
    expect_ints("x", 3, I64S(0, 1, 2));
    end();
}

static wadi_acc pair_of(wadi_exp i) {
    return wadi_tuple2(wadi_fill(wadi_ix1(wadi_i64(2)), i), wadi_unit(wadi_convert(WADI_F32, i)));
}

static void tabulate_stacks_each_component(void **state) {
    (void)state;
    begin();
    wadi_output("x", wadi_consume(wadi_tabulate(wadi_produce(wadi_i64(3), pair_of))));
    wadi_output("none", wadi_consume(wadi_tabulate(wadi_produce(wadi_i64(0), pair_of))));
    run();
    expect_shape("x.0", 2, I64S(3, 2));
    expect_ints("x.0", 6, I64S(0, 0, 1, 1, 2, 2));
    expect_floats("x.1", 3, F64S(0, 1, 2));
    expect_shape("none.0", 2, I64S(0, 0));
    end();
}

static void tabulate_of_different_shapes_is_a_fault(void **state) {
    (void)state;
    begin();
    wadi_output("x", wadi_consume(wadi_tabulate(wadi_produce(wadi_i64(3), ramp))));
    run_fails(
        NULL, WADI_FAULT,
        "tabulate: extent 0 of component 0 and that of the first array: 1 and 0 differ, element 1");
    end();
}

static wadi_acc add_sums(wadi_acc state, wadi_acc x) {
    return wadi_zip_with(wadi_add, state, wadi_sum(x));
}

static wadi_acc keep_last(wadi_acc state, wadi_acc x) {
    (void)state;
    return x;
}

static void fold_seq_carries_a_state(void **state) {
    (void)state;
    begin();
    const wadi_seq s = wadi_produce(wadi_i64(4), ramp);
    wadi_output("sum", wadi_consume(wadi_fold_seq(add_sums, wadi_unit(wadi_i64(100)), s)));
    wadi_output("last", wadi_consume(wadi_fold_seq(keep_last, vector(1, I64S(-1)), s)));
    wadi_output("none", wadi_consume(wadi_fold_seq(keep_last, vector(1, I64S(-1)),
                                                   wadi_produce(wadi_i64(0), ramp))));
    run();
    expect_ints("sum", 1, I64S(100 + 1 + 5 + 12));
    expect_ints("last", 3, I64S(3, 4, 5));
    expect_ints("none", 1, I64S(-1));
    end();
}

static wadi_acc joined_sizes(wadi_acc a, wadi_acc b) {
    return wadi_unit(wadi_add(wadi_size(a), wadi_mul(wadi_size(b), wadi_i64(10))));
}

/* Fails from element 2 on. */
static wadi_exp refuse(void *env, wadi_ix ix) {
    return wadi_quot(ix.at[0],
                     wadi_cond(wadi_lt(*(wadi_exp *)env, wadi_i64(2)), wadi_i64(1), wadi_i64(0)));
}

static wadi_acc refused(wadi_exp i) {
    return wadi_generate_env(wadi_ix1(wadi_i64(2)), refuse, &i);
}

static void the_shorter_sequence_ends_a_zip(void **state) {
    (void)state;
    begin();
    const wadi_seq longer = wadi_produce(wadi_i64(9), refused);
    const wadi_seq shorter = wadi_produce(wadi_i64(2), ramp);
    wadi_output("x", wadi_consume(wadi_tabulate(wadi_zip_with_seq(joined_sizes, longer, shorter))));
    wadi_output("y", wadi_consume(wadi_tabulate(wadi_zip_with_seq(joined_sizes, shorter, longer))));
    run();
    expect_ints("x", 2, I64S(2, 12));
    expect_ints("y", 2, I64S(20, 21));
    end();
}

static void a_fault_names_the_element_of_the_stream(void **state) {
    (void)state;
    begin();
    wadi_output("x", wadi_consume(wadi_elements(wadi_produce(wadi_i64(9), refused))));
    run_fails(NULL, WADI_FAULT, "quot: division of 0 by zero, element 2, index [0], at ");
    end();
}

static void from_shapes_cuts_a_vector(void **state) {
    (void)state;
    begin();
    const wadi_acc shapes = matrix(3, 2, I64S(1, 2, 0, 5, 2, 2));
    const wadi_seq s = wadi_from_shapes(shapes, counting(1, I64S(6)));
    wadi_stream_out(s, "out");
    run();
    const wadi_interp_sink *out = wadi_interp_sink_get(results(), "out");
    assert_non_null(out);
    assert_int_equal(out->n, 3);
    assert_int_equal(out->elements[1].shape[0], 0);
    assert_int_equal(out->elements[1].shape[1], 5);
    expect_array_ints(&out->elements[0], 0, 2, I64S(0, 1));
    expect_array_ints(&out->elements[2], 0, 4, I64S(2, 3, 4, 5));
    end();
    begin();
    wadi_stream_out(wadi_from_shapes(counting(2, I64S(1, 1)), vector(1, I64S(1))), "out");
    build_fails(WADI_SHAPE, "from_shapes");
    end();
}

/* ---- streams from outside ---- */

static const wadi_component *samples(void) {
    static const char *const extents[] = {"n"};
    static wadi_component c;
    c = (wadi_component){.elem = wadi_scalar_elem(WADI_I32), .rank = 1, .extents = extents};
    return &c;
}

static wadi_acc sum_of(wadi_acc a) {
    return wadi_sum(a);
}

static void a_stream_goes_in_and_out(void **state) {
    (void)state;
    int32_t a[] = {1, 2}, b[] = {3, 4}, c[] = {5, 6};
    const wadi_array elements[] = {host_i32(1, I64S(2), a), host_i32(1, I64S(2), b),
                                   host_i32(1, I64S(2), c)};
    const wadi_interp_source source = {.name = "in", .n = 3, .elements = elements};
    const wadi_interp_io io = {.sources = &source, .nsources = 1};
    begin();
    const wadi_seq s = wadi_stream_in("in", 1, samples());
    wadi_stream_out(wadi_map_seq(sum_of, s), "sums");
    wadi_stream_out(s, "same");
    run_with(&io);
    const wadi_interp_sink *sums = wadi_interp_sink_get(results(), "sums");
    assert_int_equal(sums->n, 3);
    assert_int_equal(sums->components, 1);
    expect_array_ints(&sums->elements[2], 0, 1, I64S(11));
    expect_array_ints(&wadi_interp_sink_get(results(), "same")->elements[1], 0, 2, I64S(3, 4));
    end();
}

static void elements_are_checked_against_the_declaration(void **state) {
    (void)state;
    int32_t a[] = {1, 2, 3};
    const wadi_array elements[] = {host_i32(1, I64S(3), a), host_i32(1, I64S(2), a)};
    const wadi_interp_source source = {.name = "in", .n = 2, .elements = elements};
    const wadi_interp_io io = {.sources = &source, .nsources = 1};
    begin();
    wadi_stream_out(wadi_stream_in("in", 1, samples()), "out");
    run_fails(&io, WADI_SHAPE, "stream 'in': extent 0 is 2, but n is 3 already");
    end();
    begin();
    wadi_stream_out(wadi_stream_in("other", 1, samples()), "out");
    run_fails(&io, WADI_INVALID, "nothing is bound to 'other'");
    end();
}

/* Three elements, each asked for once. */
static wadi_status pull(void *env, int64_t index, wadi_array *out, bool *out_end, wadi_error *err) {
    static int32_t value[1];
    int *asked = env;
    (void)err;
    assert_int_equal(index, (*asked)++);
    if (index == 3) {
        *out_end = true;
        return WADI_OK;
    }
    value[0] = (int32_t)index * 7;
    *out = host_i32(1, I64S(1), value);
    return WADI_OK;
}

static void a_source_is_read_once_for_all_consumers(void **state) {
    (void)state;
    int asked = 0;
    const wadi_interp_source source = {.name = "in", .pull = pull, .env = &asked};
    const wadi_interp_io io = {.sources = &source, .nsources = 1};
    begin();
    const wadi_seq s = wadi_stream_in("in", 1, samples());
    wadi_output("a", wadi_consume(wadi_elements(s)));
    wadi_output("b", wadi_consume(wadi_elements(s)));
    run_with(&io);
    assert_int_equal(asked, 4);
    expect_ints("a", 3, I64S(0, 7, 14));
    expect_ints("b", 3, I64S(0, 7, 14));
    end();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements_joins_arrays_of_any_extent),
        cmocka_unit_test(the_index_itself_may_be_an_element),
        cmocka_unit_test(tabulate_stacks_each_component),
        cmocka_unit_test(tabulate_of_different_shapes_is_a_fault),
        cmocka_unit_test(fold_seq_carries_a_state),
        cmocka_unit_test(the_shorter_sequence_ends_a_zip),
        cmocka_unit_test(a_fault_names_the_element_of_the_stream),
        cmocka_unit_test(from_shapes_cuts_a_vector),
        cmocka_unit_test(a_stream_goes_in_and_out),
        cmocka_unit_test(elements_are_checked_against_the_declaration),
        cmocka_unit_test(a_source_is_read_once_for_all_consumers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
