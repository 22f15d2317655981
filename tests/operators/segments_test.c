/* Sources that are pieces of an array, and consumers that give a stream back as arrays. */
#include "tests/operators/support.h"

static const wadi_interp_sink *sunk(wadi_seq s) {
    wadi_stream_out(s, "out");
    run();
    const wadi_interp_sink *out = wadi_interp_sink_get(results(), "out");
    assert_non_null(out);
    return out;
}

static wadi_acc all_of(wadi_seq s) {
    return wadi_consume(wadi_elements(s));
}

/* ---- sources ---- */

static void to_seq_gives_slices(void **state) {
    (void)state;
    begin();
    const wadi_acc m = matrix(2, 3, I64S(1, 2, 3, 4, 5, 6));
    wadi_stream_out(wadi_to_seq(m), "rows");
    wadi_stream_out(wadi_to_seq_on(1, m), "columns");
    wadi_output("scalars", all_of(wadi_to_seq(vector(2, I64S(8, 9)))));
    wadi_output("none", all_of(wadi_to_seq(vector(0, I64S(0)))));
    run();
    const wadi_interp_sink *rows = wadi_interp_sink_get(results(), "rows");
    assert_int_equal(rows->n, 2);
    expect_array_ints(&rows->elements[1], 0, 3, I64S(4, 5, 6));
    const wadi_interp_sink *columns = wadi_interp_sink_get(results(), "columns");
    assert_int_equal(columns->n, 3);
    expect_array_ints(&columns->elements[1], 0, 2, I64S(2, 5));
    expect_ints("scalars", 2, I64S(8, 9));
    expect_shape("none", 1, I64S(0));
    end();
    begin();
    wadi_stream_out(wadi_to_seq_on(2, matrix(1, 1, I64S(1))), "out");
    build_fails(WADI_SHAPE, "to_seq: argument 1 is");
    end();
}

static void segments_may_overlap(void **state) {
    (void)state;
    begin();
    const wadi_acc shapes = matrix(3, 2, I64S(2, 2, 1, 3, 0, 4));
    const wadi_interp_sink *s =
        sunk(wadi_from_segs(vector(3, I64S(0, 2, 6)), shapes, counting(1, I64S(6))));
    assert_int_equal(s->n, 3);
    assert_int_equal(s->elements[0].shape[1], 2);
    expect_array_ints(&s->elements[0], 0, 4, I64S(0, 1, 2, 3));
    expect_array_ints(&s->elements[1], 0, 3, I64S(2, 3, 4));
    assert_int_equal(s->elements[2].shape[1], 4);
    end();
}

static void a_segment_must_be_within_the_values(void **state) {
    (void)state;
    begin();
    const wadi_acc shapes = matrix(2, 1, I64S(2, 2));
    wadi_stream_out(wadi_from_segs(vector(2, I64S(0, 3)), shapes, counting(1, I64S(4))), "out");
    run_fails(NULL, WADI_FAULT, "index 4 out of range 0..3 in dimension 0 of generate, element 1");
    end();
    begin(); /* fewer offsets than shapes */
    wadi_stream_out(
        wadi_from_segs(vector(1, I64S(0)), matrix(2, 1, I64S(2, 2)), counting(1, I64S(4))), "out");
    run_fails(NULL, WADI_FAULT, "element 1");
    end();
}

static void offsets_cut_a_vector(void **state) {
    (void)state;
    begin();
    const wadi_interp_sink *s =
        sunk(wadi_from_offsets(vector(4, I64S(1, 3, 3, 4)), counting(1, I64S(6))));
    assert_int_equal(s->n, 3);
    expect_array_ints(&s->elements[0], 0, 2, I64S(1, 2));
    expect_array_ints(&s->elements[1], 0, 0, I64S(0));
    expect_array_ints(&s->elements[2], 0, 1, I64S(3));
    end();
    begin();
    assert_int_equal(sunk(wadi_from_offsets(vector(1, I64S(7)), counting(1, I64S(6))))->n, 0);
    end();
    begin();
    assert_int_equal(sunk(wadi_from_offsets(vector(0, I64S(0)), counting(1, I64S(6))))->n, 0);
    end();
    begin();
    wadi_stream_out(wadi_from_offsets(vector(3, I64S(0, 2, 1)), counting(1, I64S(6))), "out");
    run_fails(NULL, WADI_FAULT, "extent -1 is negative in dimension 0, element 1");
    end();
    begin();
    wadi_stream_out(wadi_from_offsets(vector(2, I64S(-1, 2)), counting(1, I64S(6))), "out");
    run_fails(NULL, WADI_FAULT, "index -1 out of range");
    end();
}

static void offsets_are_a_vector_of_integers(void **state) {
    (void)state;
    begin();
    (void)wadi_from_offsets(floats(2, F64S(0, 1)), vector(1, I64S(5)));
    build_fails(WADI_TYPE, "from_offsets: ");
    end();
    begin();
    (void)wadi_from_offsets(matrix(1, 2, I64S(0, 1)), vector(1, I64S(5)));
    build_fails(WADI_SHAPE, "from_offsets: ");
    end();
    begin();
    (void)wadi_from_offsets(vector(2, I64S(0, 1)), matrix(1, 1, I64S(5)));
    build_fails(WADI_SHAPE, "from_offsets: ");
    end();
}

static void tiles_keep_a_ragged_remainder(void **state) {
    (void)state;
    begin();
    const wadi_acc a = counting(2, I64S(3, 5));
    const wadi_interp_sink *t = sunk(wadi_subarrays(wadi_ix2(wadi_i64(2), wadi_i64(3)), a));
    assert_int_equal(t->n, 4);
    expect_array_ints(&t->elements[0], 0, 6, I64S(0, 1, 2, 5, 6, 7));
    assert_int_equal(t->elements[1].shape[1], 2);
    expect_array_ints(&t->elements[1], 0, 4, I64S(3, 4, 8, 9));
    assert_int_equal(t->elements[2].shape[0], 1);
    expect_array_ints(&t->elements[2], 0, 3, I64S(10, 11, 12));
    expect_array_ints(&t->elements[3], 0, 2, I64S(13, 14));
    end();
    begin();
    assert_int_equal(sunk(wadi_subarrays(wadi_ix1(wadi_i64(0)), counting(1, I64S(3))))->n, 3);
    end();
    begin();
    assert_int_equal(sunk(wadi_subarrays(wadi_ix1(wadi_i64(4)), vector(0, I64S(0))))->n, 0);
    end();
    begin();
    wadi_stream_out(wadi_subarrays(wadi_ix1(wadi_i64(4)), matrix(1, 1, I64S(0))), "out");
    build_fails(WADI_SHAPE, "subarrays: argument 2 is");
    end();
}

/* ---- consumers ---- */

static wadi_acc triangle(wadi_exp i) {
    return wadi_tuple2(wadi_fill(wadi_ix2(i, wadi_i64(2)), i), wadi_unit(wadi_neg(i)));
}

static void from_seq_gives_shapes_and_values(void **state) {
    (void)state;
    begin();
    wadi_output("x", wadi_consume(wadi_from_seq(wadi_produce(wadi_i64(3), triangle))));
    wadi_output("none", wadi_consume(wadi_from_seq(wadi_produce(wadi_i64(0), triangle))));
    run();
    expect_shape("x.0", 2, I64S(3, 2));
    expect_ints("x.0", 6, I64S(0, 2, 1, 2, 2, 2));
    expect_ints("x.1", 6, I64S(1, 1, 2, 2, 2, 2));
    expect_shape("x.2", 2, I64S(3, 0));
    expect_ints("x.3", 3, I64S(0, -1, -2));
    expect_shape("none.0", 2, I64S(0, 2));
    expect_shape("none.1", 1, I64S(0));
    expect_shape("none.2", 2, I64S(0, 0));
    end();
}

static wadi_exp row_major(void *env, wadi_ix ix) {
    return wadi_to_index(*(const wadi_ix *)env, ix);
}

/* (4 - i) x (i + 1), numbered */
static wadi_acc crossing(wadi_exp i) {
    wadi_ix shape = wadi_ix2(wadi_sub(wadi_i64(4), i), wadi_add(i, wadi_i64(1)));
    return wadi_generate_env(shape, row_major, &shape);
}

static void tabulate_min_cuts_to_the_least_extents(void **state) {
    (void)state;
    begin();
    wadi_output("x", wadi_consume(wadi_tabulate_min(
                         wadi_drop_seq(wadi_i64(1), wadi_produce(wadi_i64(3), crossing)))));
    wadi_output("none", wadi_consume(wadi_tabulate_min(wadi_produce(wadi_i64(0), crossing))));
    wadi_output("flat", wadi_consume(wadi_tabulate_min(wadi_produce(wadi_i64(5), crossing))));
    run();
    expect_shape("x", 3, I64S(2, 2, 2)); /* of 3 x 2 and 2 x 3 */
    expect_ints("x", 8, I64S(0, 1, 2, 3, 0, 1, 3, 4));
    expect_shape("none", 3, I64S(0, 0, 0));
    expect_shape("flat", 3, I64S(5, 0, 1));
    end();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(to_seq_gives_slices),
        cmocka_unit_test(segments_may_overlap),
        cmocka_unit_test(a_segment_must_be_within_the_values),
        cmocka_unit_test(offsets_cut_a_vector),
        cmocka_unit_test(offsets_are_a_vector_of_integers),
        cmocka_unit_test(tiles_keep_a_ragged_remainder),
        cmocka_unit_test(from_seq_gives_shapes_and_values),
        cmocka_unit_test(tabulate_min_cuts_to_the_least_extents),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
