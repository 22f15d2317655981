/* Stages of a stream: operators that count elements anew, one behind the other and side by side, and several consumers of
 * one pass, against the interpreter under every schedule, with one and two threads, and cut in chunks of any size. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/conformance/runner.h"

/* ---- two streams: ragged vectors of i32, and single f64 ---- */

enum { ROWS = 29, NUMBERS = 41 };

typedef struct given {
    int32_t data[ROWS][ROWS];
    wadi_array row[ROWS];
    double number[NUMBERS];
    wadi_array single[NUMBERS];
    wadi_interp_source source[2];
    wadi_interp_io io;
} given;

static int64_t length_of(int64_t row) {
    return row * 5 % 7 + (row % 9 == 4 ? 11 : 0) - (row % 4 == 1 ? row * 5 % 7 : 0);
}

static void given_init(given *g) {
    for (int i = 0; i < ROWS; i++) {
        for (int j = 0; j < ROWS; j++) g->data[i][j] = i * 37 % 50 + j - 20;
        g->row[i] = conf_vector(WADI_I32, length_of(i), g->data[i]);
    }
    for (int i = 0; i < NUMBERS; i++) {
        g->number[i] = i * 0.5 - 3;
        g->single[i] = conf_scalar(WADI_F64, &g->number[i]);
    }
    g->source[0] = (wadi_interp_source){.name = "rows", .n = ROWS, .elements = g->row};
    g->source[1] = (wadi_interp_source){.name = "numbers", .n = NUMBERS, .elements = g->single};
    g->io = (wadi_interp_io){NULL, 0, g->source, 2};
}

static wadi_seq rows_in(void) {
    const wadi_component c = {wadi_scalar_elem(WADI_I32), 1, NULL};
    return wadi_stream_in("rows", 1, &c);
}

static wadi_seq numbers_in(void) {
    const wadi_component c = {wadi_scalar_elem(WADI_F64), 0, NULL};
    return wadi_stream_in("numbers", 1, &c);
}

static void check(wadi_program *p, int sources, int first) {
    given g;
    given_init(&g);
    g.io.sources = g.source + first;
    g.io.nsources = sources;
    conf_assert_agrees(p, &g.io, 0, NULL);
}

/* ---- functions ---- */

static wadi_acc doubled(wadi_acc a) {
    return wadi_zip_with(wadi_add, a, a);
}

static wadi_acc is_long(wadi_acc a) {
    return wadi_unit(wadi_ge(wadi_extent(a, 0), wadi_i64(2)));
}

static wadi_acc has_odd_sum(wadi_acc a) {
    return wadi_unit(wadi_ne(wadi_mod(wadi_the(wadi_sum(a)), wadi_i32(2)), wadi_i32(0)));
}

static wadi_acc always(wadi_acc a) {
    (void)a;
    return wadi_unit(wadi_eq(wadi_i64(1), wadi_i64(1)));
}

static wadi_acc itself(wadi_acc a) {
    return a;
}

static wadi_acc sum_and_row(wadi_acc a) {
    return wadi_tuple2(wadi_sum(a), a);
}

static wadi_acc first_plus_all(wadi_acc x, wadi_acc a) {
    const wadi_exp sum = wadi_the(wadi_sum(x));
    return wadi_zip_with(wadi_add, a, wadi_fill(wadi_ix1(wadi_extent(a, 0)), sum));
}

static wadi_acc times(wadi_acc x, wadi_acc a) {
    return wadi_map(wadi_neg, wadi_zip_with(wadi_mul, x, wadi_map(wadi_neg, a)));
}

static wadi_acc count_up(wadi_exp i) {
    return wadi_iota(WADI_I32, wadi_mod(i, wadi_i64(5)));
}

static wadi_acc square(wadi_exp i) {
    const wadi_exp n = wadi_add(wadi_i64(1), wadi_mod(i, wadi_i64(3)));
    return wadi_fill(wadi_ix2(n, wadi_i64(2)), wadi_convert(WADI_F32, i));
}

static wadi_acc total(wadi_acc state, wadi_acc a) {
    return wadi_zip_with(wadi_add, state, wadi_sum(a));
}

static wadi_acc i32_zero(void) {
    return wadi_unit(wadi_i32(0));
}

/* ---- one behind the other ---- */

static void stages_in_a_row(void **state) {
    (void)state;
    wadi_program *p = wadi_program_create("row");
    wadi_seq s = wadi_filter_seq(is_long, wadi_map_seq(doubled, rows_in()));
    s = wadi_drop_seq(wadi_i64(2), wadi_map_seq(sum_and_row, s));
    wadi_stream_out(wadi_take_seq(wadi_i64(9), s), "out");
    check(p, 1, 0);
}

static void cuts_beyond_the_ends(void **state) {
    (void)state;
    wadi_program *p = wadi_program_create("cuts");
    const wadi_seq s = rows_in();
    wadi_output("none", wadi_consume(wadi_elements(wadi_take_seq(wadi_i64(-3), s))));
    wadi_output("all", wadi_consume(wadi_elements(wadi_take_seq(wadi_i64(1000), s))));
    wadi_output("gone", wadi_consume(wadi_elements(wadi_drop_seq(wadi_i64(1000), s))));
    wadi_output("kept", wadi_consume(wadi_elements(wadi_drop_seq(wadi_i64(-1), s))));
    check(p, 1, 0);
}

static void filters_of_filters(void **state) {
    (void)state;
    wadi_program *p = wadi_program_create("filters");
    const wadi_seq s = wadi_filter_seq(has_odd_sum, wadi_filter_seq(is_long, rows_in()));
    wadi_stream_out(wadi_filter_seq(always, s), "out");
    check(p, 1, 0);
}

static void expanded_and_put_together_again(void **state) {
    (void)state;
    wadi_program *p = wadi_program_create("expand");
    const wadi_seq s = wadi_expand_seq(itself, wadi_map_seq(doubled, rows_in()));
    wadi_output("batches", wadi_consume(wadi_from_seq(wadi_batch(wadi_i64(6), s))));
    check(p, 1, 0);
}

static void slices_of_matrices(void **state) {
    (void)state;
    wadi_program *p = wadi_program_create("slices");
    const wadi_seq s = wadi_produce(wadi_i64(13), square);
    const wadi_seq lines = wadi_expand_seq(itself, s);
    wadi_output("lines", wadi_consume(wadi_tabulate(lines)));
    wadi_output("cells", wadi_consume(wadi_elements(wadi_expand_seq(itself, lines))));
    check(p, 0, 0);
}

static void windows_over_pieces(void **state) {
    (void)state;
    static const int64_t sizes[] = {1, 4, 7, 4}, hops[] = {1, 1, 3, 9};
    static const wadi_last lasts[] = {WADI_LAST_DROP, WADI_LAST_PAD, WADI_LAST_KEEP};
    for (int i = 0; i < 4; i++) {
        char name[3][24];
        wadi_program *p = wadi_program_create("windows");
        for (int k = 0; k < 3; k++) {
            snprintf(name[k], sizeof name[k], "last_%d", k);
            const wadi_seq w =
                wadi_windows(wadi_i64(sizes[i]), wadi_i64(hops[i]), lasts[k], rows_in());
            if (k == 2)
                wadi_stream_out(w, name[k]);
            else
                wadi_output(name[k], wadi_consume(wadi_tabulate(wadi_map_seq(doubled, w))));
        }
        check(p, 1, 0);
    }
}

static void windows_over_samples(void **state) {
    (void)state;
    for (int64_t hop = 1; hop < 16; hop += 7) {
        wadi_program *p = wadi_program_create("samples");
        const wadi_seq w = wadi_windows(wadi_i64(8), wadi_i64(hop), WADI_LAST_PAD, numbers_in());
        wadi_stream_out(w, "windows");
        wadi_output("sums", wadi_consume(wadi_elements(wadi_map_seq(wadi_sum, w))));
        check(p, 1, 1);
    }
}

static void batches_of_anything_alike(void **state) {
    (void)state;
    wadi_program *p = wadi_program_create("batch");
    const wadi_seq w = wadi_windows(wadi_i64(3), wadi_i64(2), WADI_LAST_PAD, rows_in());
    wadi_stream_out(wadi_batch(wadi_i64(4), w), "matrices");
    wadi_stream_out(wadi_batch(wadi_i64(1), w), "ones");
    wadi_stream_out(wadi_batch(wadi_i64(1000), w), "one");
    check(p, 1, 0);
}

static void states_after_each_element(void **state) {
    (void)state;
    wadi_program *p = wadi_program_create("scan");
    const wadi_seq sums = wadi_scan_seq(total, i32_zero(), wadi_filter_seq(is_long, rows_in()));
    wadi_stream_out(wadi_map_seq(doubled, sums), "sums");
    wadi_output("batches", wadi_consume(wadi_from_seq(wadi_batch(wadi_i64(3), sums))));
    check(p, 1, 0);
}

static wadi_acc longer_of(wadi_acc state, wadi_acc a) {
    return wadi_acond(wadi_gt(wadi_extent(a, 0), wadi_extent(state, 0)), a, state);
}

static void states_that_change_their_shape(void **state) {
    (void)state;
    wadi_program *p = wadi_program_create("longest");
    const wadi_acc none = wadi_fill(wadi_ix1(wadi_i64(1)), wadi_i32(9));
    wadi_stream_out(wadi_scan_seq(longer_of, none, rows_in()), "longest");
    check(p, 1, 0);
}

/* ---- side by side ---- */

static void sequences_that_count_differently(void **state) {
    (void)state;
    wadi_program *p = wadi_program_create("zip");
    const wadi_seq s = rows_in();
    wadi_stream_out(wadi_zip_with_seq(first_plus_all, s, wadi_drop_seq(wadi_i64(3), s)), "ahead");
    wadi_stream_out(wadi_zip_with_seq(first_plus_all, wadi_filter_seq(is_long, s), s), "behind");
    check(p, 1, 0);
}

static void sources_that_are_read_at_different_speeds(void **state) {
    (void)state;
    wadi_program *p = wadi_program_create("speeds");
    const wadi_seq singles = wadi_expand_seq(itself, rows_in());
    const wadi_seq counted = wadi_map_seq(wadi_sum, wadi_produce(wadi_forever(), count_up));
    wadi_stream_out(wadi_zip_with_seq(times, singles, counted), "out");
    check(p, 1, 0);
}

static wadi_acc pair(wadi_acc a, wadi_acc b) {
    return wadi_tuple2(b, a);
}

static void the_shorter_of_two_ends_a_zip_of_stages(void **state) {
    (void)state;
    wadi_program *p = wadi_program_create("shorter");
    const wadi_seq few = wadi_take_seq(wadi_i64(7), numbers_in());
    wadi_stream_out(wadi_zip_with_seq(pair, wadi_filter_seq(is_long, rows_in()), few), "out");
    check(p, 2, 0);
}

static void a_source_zipped_here_and_read_alone_there(void **state) {
    (void)state;
    wadi_program *p = wadi_program_create("both");
    const wadi_seq numbers = numbers_in();
    wadi_stream_out(wadi_zip_with_seq(pair, rows_in(), numbers), "pairs");
    wadi_output("all", wadi_consume(wadi_elements(numbers)));
    check(p, 2, 0);
}

static wadi_acc fails_late(wadi_acc a) {
    return wadi_unit(wadi_quot(wadi_i32(100), wadi_sub(wadi_the(wadi_sum(a)), wadi_i32(140))));
}

static void a_fault_that_the_shorter_sequence_never_reaches_is_none(void **state) {
    (void)state;
    wadi_program *p = wadi_program_create("unreached");
    const wadi_seq s = wadi_map_seq(fails_late, wadi_filter_seq(is_long, rows_in()));
    const wadi_seq few = wadi_take_seq(wadi_i64(3), numbers_in());
    const wadi_seq zipped = wadi_zip_with_seq(pair, s, few);
    wadi_stream_out(zipped, "out");
    wadi_output("batches", wadi_consume(wadi_from_seq(wadi_batch(wadi_i64(2), zipped))));
    check(p, 2, 0);
}

/* ---- several consumers ---- */

static void one_pass_has_many_ends(void **state) {
    (void)state;
    wadi_program *p = wadi_program_create("ends");
    const wadi_seq s = wadi_map_seq(doubled, rows_in());
    wadi_stream_out(s, "rows_out");
    wadi_output("all", wadi_consume(wadi_elements(s)));
    wadi_output("total", wadi_consume(wadi_fold_seq(total, i32_zero(), s)));
    wadi_stream_out(wadi_filter_seq(has_odd_sum, s), "odd");
    wadi_output("sums", wadi_consume(wadi_tabulate(wadi_map_seq(wadi_sum, s))));
    wadi_output("corner", wadi_consume(wadi_tabulate_min(wadi_filter_seq(is_long, s))));
    wadi_output("segments", wadi_consume(wadi_from_seq(s)));
    check(p, 1, 0);
}

static void what_is_produced_twice_where_a_result_is_needed(void **state) {
    (void)state;
    wadi_program *p = wadi_program_create("twice");
    const wadi_seq s = wadi_produce(wadi_i64(17), count_up);
    const wadi_acc all = wadi_consume(wadi_elements(s));
    wadi_output("all", all);
    const wadi_acc start = wadi_map(wadi_neg, wadi_sum(all));
    wadi_output("after", wadi_consume(wadi_fold_seq(total, start, s)));
    check(p, 0, 0);
}

static void arrays_between_consumers_of_one_pass(void **state) {
    (void)state;
    wadi_program *p = wadi_program_create("between");
    const wadi_seq s = rows_in();
    const wadi_acc all = wadi_consume(wadi_elements(s));
    const wadi_acc start = wadi_sum(wadi_iota(WADI_I32, wadi_i64(9)));
    wadi_output("sum", wadi_sum(all));
    wadi_output("folded", wadi_consume(wadi_fold_seq(total, start, s)));
    const wadi_acc n = wadi_consume(wadi_elements(wadi_produce(wadi_extent(all, 0), count_up)));
    wadi_output("n", wadi_sum(n));
    check(p, 1, 0);
}

static void a_source_is_not_read_twice(void **state) {
    (void)state;
    wadi_error err = {0};
    wadi_exe *exe = NULL;
    wadi_program *p = wadi_program_create("impossible");
    const wadi_seq s = rows_in();
    const wadi_acc all = wadi_consume(wadi_elements(s));
    const int line = __LINE__ + 1;
    const wadi_eat e = wadi_fold_seq(total, wadi_sum(all), s);
    wadi_output("after", wadi_consume(e));
    assert_int_equal(wadi_compile(p, NULL, &exe, &err), WADI_UNSUPPORTED);
    char place[64];
    snprintf(place, sizeof place, "stages_test.c:%d", line - 2);
    assert_non_null(strstr(err.msg, "rows"));
    assert_non_null(strstr(err.msg, "elements"));
    assert_non_null(strstr(err.msg, place));
    assert_int_equal(err.at.line, line);
    wadi_program_destroy(p);
}

/* ---- a chunk at once ---- */

static wadi_acc step(wadi_acc state, wadi_acc chunk) {
    const wadi_acc shapes = wadi_tuple_get(chunk, 0), values = wadi_tuple_get(chunk, 1);
    const wadi_exp zero = wadi_i32(0);
    const wadi_acc sum = wadi_fold(wadi_add, zero, values);
    const wadi_acc lengths = wadi_fold_all(wadi_add, wadi_i64(0), shapes);
    const wadi_acc parts[] = {wadi_zip_with(wadi_add, wadi_tuple_get(state, 0), sum),
                              wadi_zip_with(wadi_add, wadi_tuple_get(state, 1), lengths),
                              wadi_tuple_get(state, 2)};
    return wadi_tuple(3, parts);
}

static void folds_of_whole_chunks(void **state) {
    (void)state;
    wadi_program *p = wadi_program_create("chunks");
    const wadi_acc parts[] = {wadi_unit(wadi_i32(5)), wadi_unit(wadi_i64(7)),
                              wadi_iota(WADI_F32, wadi_i64(3))};
    const wadi_seq s = wadi_map_seq(doubled, rows_in());
    wadi_output("state", wadi_consume(wadi_fold_batch(step, wadi_tuple(3, parts), s)));
    check(p, 1, 0);
}

static wadi_acc both_alike(wadi_acc state, wadi_acc chunk) {
    const wadi_acc sum = wadi_fold(wadi_add, wadi_i32(0), wadi_tuple_get(chunk, 1));
    const wadi_acc next = wadi_zip_with(wadi_add, wadi_tuple_get(state, 0), sum);
    return wadi_tuple2(next, next);
}

/* Two states that are one array from the first chunk on. */
static void states_may_be_the_same_array(void **state) {
    (void)state;
    wadi_program *p = wadi_program_create("alike");
    const wadi_acc start = wadi_tuple2(wadi_unit(wadi_i32(5)), wadi_unit(wadi_i32(7)));
    wadi_output("state", wadi_consume(wadi_fold_batch(both_alike, start, rows_in())));
    given g;
    given_init(&g);
    g.io.nsources = 1;
    conf_assert_agrees_briefly(p, &g.io);
}

/* ---- what is the same for all elements ---- */

static wadi_acc with_constants(void *env, wadi_acc a) {
    const wadi_acc *table = env;
    const wadi_acc parts[] = {a, *table, wadi_unit(wadi_i64(3))};
    return wadi_tuple(3, parts);
}

static wadi_acc the_table(wadi_acc t) {
    return wadi_tuple_get(t, 1);
}

static wadi_acc first_is_long(wadi_acc t) {
    return is_long(wadi_tuple_get(t, 0));
}

static wadi_acc sum_of_table(wadi_acc state, wadi_acc t) {
    return total(state, wadi_tuple_get(t, 1));
}

static void constants_pass_through_stages(void **state) {
    (void)state;
    wadi_program *p = wadi_program_create("constants");
    wadi_acc table = wadi_iota(WADI_I32, wadi_i64(4));
    const wadi_seq s = wadi_map_seq_env(with_constants, &table, rows_in());
    const wadi_seq some = wadi_take_seq(wadi_i64(11), wadi_filter_seq(first_is_long, s));
    wadi_stream_out(some, "some");
    wadi_output("expanded", wadi_consume(wadi_elements(wadi_expand_seq(the_table, some))));
    wadi_output("batched", wadi_consume(wadi_from_seq(
                               wadi_batch(wadi_i64(3), wadi_map_seq(the_table, some)))));
    wadi_output("windows",
                wadi_consume(wadi_elements(wadi_windows(wadi_i64(6), wadi_i64(5), WADI_LAST_KEEP,
                                                        wadi_map_seq(the_table, some)))));
    wadi_output("folded", wadi_consume(wadi_fold_seq(sum_of_table, i32_zero(), some)));
    wadi_output("scanned",
                wadi_consume(wadi_elements(wadi_scan_seq(sum_of_table, i32_zero(), some))));
    check(p, 1, 0);
}

/* ---- streams of nothing ---- */

static void empty_streams_end_everything(void **state) {
    (void)state;
    wadi_program *p = wadi_program_create("empty");
    const wadi_seq s = wadi_take_seq(wadi_i64(0), rows_in());
    wadi_stream_out(s, "out");
    wadi_output("from", wadi_consume(wadi_from_seq(s)));
    wadi_output("least", wadi_consume(wadi_tabulate_min(s)));
    wadi_output("windows", wadi_consume(wadi_tabulate(
                               wadi_windows(wadi_i64(3), wadi_i64(1), WADI_LAST_PAD, s))));
    wadi_output("batches", wadi_consume(wadi_from_seq(wadi_batch(wadi_i64(3), s))));
    wadi_output("expanded", wadi_consume(wadi_elements(wadi_expand_seq(itself, s))));
    wadi_output("scanned", wadi_consume(wadi_elements(wadi_scan_seq(total, i32_zero(), s))));
    check(p, 1, 0);
}

/* ---- streams without end ---- */

static wadi_acc above(wadi_acc a) {
    return wadi_unit(wadi_gt(wadi_extent(a, 0), wadi_i64(3)));
}

static void streams_without_end_are_ended(void **state) {
    (void)state;
    wadi_program *p = wadi_program_create("forever");
    const wadi_seq s = wadi_produce(wadi_forever(), count_up);
    wadi_stream_out(wadi_take_seq(wadi_i64(20), wadi_filter_seq(above, s)), "filtered");
    wadi_output("first", wadi_consume(wadi_elements(wadi_take_seq(wadi_i64(33), s))));
    const wadi_seq w = wadi_windows(wadi_i64(5), wadi_i64(3), WADI_LAST_KEEP, s);
    wadi_output("windows", wadi_consume(wadi_tabulate(wadi_take_seq(wadi_i64(8), w))));
    check(p, 0, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stages_in_a_row),
        cmocka_unit_test(cuts_beyond_the_ends),
        cmocka_unit_test(filters_of_filters),
        cmocka_unit_test(expanded_and_put_together_again),
        cmocka_unit_test(slices_of_matrices),
        cmocka_unit_test(windows_over_pieces),
        cmocka_unit_test(windows_over_samples),
        cmocka_unit_test(batches_of_anything_alike),
        cmocka_unit_test(states_after_each_element),
        cmocka_unit_test(states_that_change_their_shape),
        cmocka_unit_test(sequences_that_count_differently),
        cmocka_unit_test(sources_that_are_read_at_different_speeds),
        cmocka_unit_test(the_shorter_of_two_ends_a_zip_of_stages),
        cmocka_unit_test(a_source_zipped_here_and_read_alone_there),
        cmocka_unit_test(a_fault_that_the_shorter_sequence_never_reaches_is_none),
        cmocka_unit_test(one_pass_has_many_ends),
        cmocka_unit_test(what_is_produced_twice_where_a_result_is_needed),
        cmocka_unit_test(arrays_between_consumers_of_one_pass),
        cmocka_unit_test(a_source_is_not_read_twice),
        cmocka_unit_test(folds_of_whole_chunks),
        cmocka_unit_test(states_may_be_the_same_array),
        cmocka_unit_test(constants_pass_through_stages),
        cmocka_unit_test(empty_streams_end_everything),
        cmocka_unit_test(streams_without_end_are_ended),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
