/* fold_batch, whose result must not depend on how the stream is cut, and sequences within
 * sequences. */
#include "tests/operators/support.h"

static wadi_exp index_plus(void *env, wadi_ix ix) {
    return wadi_add(*(wadi_exp *)env, ix.at[0]);
}

/* i, i + 1, ..., i copies */
static wadi_acc ramp(wadi_exp i) {
    return wadi_generate_env(wadi_ix1(i), index_plus, &i);
}

static wadi_acc sum_step(wadi_acc state, wadi_acc chunk) {
    return wadi_zip_with(wadi_add, state, wadi_sum(wadi_tuple_get(chunk, 1)));
}

/* The longest array so far, and how many there were. */
static wadi_acc longest_step(wadi_acc state, wadi_acc chunk) {
    const wadi_acc shapes = wadi_tuple_get(chunk, 0);
    const wadi_acc longest = wadi_maximum(wadi_flatten(shapes));
    const wadi_acc n = wadi_unit(wadi_extent(shapes, 0));
    return wadi_tuple2(wadi_zip_with(wadi_max, wadi_tuple_get(state, 0), longest),
                       wadi_zip_with(wadi_add, wadi_tuple_get(state, 1), n));
}

static void fold_batch_sees_shapes_and_values(void **state) {
    (void)state;
    begin();
    const wadi_seq s = wadi_produce(wadi_i64(5), ramp);
    wadi_output("sum", wadi_consume(wadi_fold_batch(sum_step, wadi_unit(wadi_i64(100)), s)));
    wadi_output("long", wadi_consume(wadi_fold_batch(
                            longest_step,
                            wadi_tuple2(wadi_unit(wadi_i64(-1)), wadi_unit(wadi_i64(0))), s)));
    wadi_output("none", wadi_consume(wadi_fold_batch(sum_step, wadi_unit(wadi_i64(100)),
                                                     wadi_produce(wadi_i64(0), ramp))));
    run();
    expect_ints("sum", 1, I64S(100 + 1 + 5 + 12 + 22));
    expect_ints("long.0", 1, I64S(4));
    expect_ints("long.1", 1, I64S(5));
    expect_ints("none", 1, I64S(100));
    end();
}

static wadi_acc count_chunks(wadi_acc state, wadi_acc chunk) {
    (void)chunk;
    return wadi_zip_with(wadi_add, state, wadi_unit(wadi_i64(1)));
}

static void a_result_that_depends_on_the_cut_is_a_fault(void **state) {
    (void)state;
    begin();
    const wadi_seq s = wadi_produce(wadi_i64(5), ramp);
    wadi_output("x", wadi_consume(wadi_fold_batch(count_chunks, wadi_unit(wadi_i64(0)), s)));
    run_fails(NULL, WADI_FAULT,
              "fold_batch: state 0 depends on how the stream is cut: one chunk and chunks of one "
              "element of its 5 elements give different results");
    end();
}

static wadi_exp tenth(wadi_exp x) {
    return wadi_mul(wadi_convert(WADI_F32, x), wadi_f32(0.1F));
}

static wadi_acc float_step(wadi_acc state, wadi_acc chunk) {
    return wadi_zip_with(wadi_add, state, wadi_sum(wadi_map(tenth, wadi_tuple_get(chunk, 1))));
}

static void float_sums_by_chunk_are_compared_exactly(void **state) {
    (void)state;
    begin();
    const wadi_seq s = wadi_produce(wadi_i64(300), ramp);
    wadi_output("x", wadi_consume(wadi_fold_batch(float_step, wadi_unit(wadi_f32(0)), s)));
    run_fails(NULL, WADI_FAULT, "depends on how the stream is cut");
    end();
}

/* ---- sequences within sequences ---- */

static wadi_acc add_all(wadi_acc state, wadi_acc x) {
    return wadi_zip_with(wadi_add, state, wadi_sum(x));
}

/* The triangle numbers up to the element's extent, by way of sequences. */
static wadi_acc inner(wadi_acc a) {
    const wadi_seq prefixes = wadi_produce(wadi_extent(a, 0), ramp);
    const wadi_acc sum = wadi_consume(wadi_fold_seq(add_all, wadi_unit(wadi_i64(0)), prefixes));
    return wadi_tuple2(wadi_consume(wadi_elements(prefixes)), sum);
}

static wadi_acc scaled(void *env, wadi_acc x) {
    const wadi_exp by = *(wadi_exp *)env;
    const wadi_acc factor = wadi_fill(wadi_ix1(wadi_extent(x, 0)), by);
    return wadi_zip_with(wadi_mul, x, factor);
}

/* The rows of `a`, each times the sum of all of `a`. */
static wadi_acc outer_value_in_inner_stream(wadi_acc a) {
    wadi_exp total = wadi_the(wadi_fold_all(wadi_add, wadi_i64(0), a));
    return wadi_consume(wadi_tabulate(wadi_map_seq_env(scaled, &total, wadi_to_seq(a))));
}

static wadi_acc square(wadi_exp i) {
    wadi_exp first = i;
    const wadi_exp n = wadi_add(i, wadi_i64(1));
    return wadi_generate_env(wadi_ix2(n, n), index_plus, &first);
}

static void a_body_may_use_sequences_of_its_own(void **state) {
    (void)state;
    begin();
    const wadi_seq s = wadi_map_seq(inner, wadi_produce(wadi_i64(4), ramp));
    wadi_stream_out(s, "out");
    wadi_stream_out(wadi_map_seq(outer_value_in_inner_stream, wadi_produce(wadi_i64(2), square)),
                    "rows");
    run();
    const wadi_interp_sink *out = wadi_interp_sink_get(results(), "out");
    assert_int_equal(out->n, 4);
    expect_array_ints(&out->elements[6], 0, 3, I64S(1, 2, 3));
    expect_array_ints(&out->elements[7], 0, 1, I64S(6));
    const wadi_interp_sink *rows = wadi_interp_sink_get(results(), "rows");
    expect_array_ints(&rows->elements[1], 0, 4, I64S(6, 6, 12, 12)); /* rows 1 1 and 2 2 */
    end();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fold_batch_sees_shapes_and_values),
        cmocka_unit_test(a_result_that_depends_on_the_cut_is_a_fault),
        cmocka_unit_test(float_sums_by_chunk_are_compared_exactly),
        cmocka_unit_test(a_body_may_use_sequences_of_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
