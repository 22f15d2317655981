/* Sequences within the elements of a stream, to any depth, in every schedule. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/conformance/runner.h"

enum { N = 19 };

typedef struct ragged {
    int64_t data[N][N];
    wadi_array row[N];
    wadi_interp_source source;
    wadi_interp_io io;
} ragged;

static int64_t length_of(int64_t i) {
    return i % 5 == 2 ? 0 : i * 7 % N;
}

static void ragged_init(ragged *r) {
    for (int64_t i = 0; i < N; i++) {
        for (int64_t j = 0; j < N; j++) r->data[i][j] = (i * 31 + j * 17) % 23 - 9;
        r->row[i] = conf_vector(WADI_I64, length_of(i), r->data[i]);
    }
    r->source = (wadi_interp_source){.name = "s", .n = N, .elements = r->row};
    r->io = (wadi_interp_io){NULL, 0, &r->source, 1};
}

static wadi_seq ragged_in(void) {
    const wadi_component c = {wadi_scalar_elem(WADI_I64), 1, NULL};
    return wadi_stream_in("s", 1, &c);
}

static void assert_body(wadi_acc_fn1 body) {
    ragged r;
    ragged_init(&r);
    wadi_program *p = wadi_program_create("nested");
    wadi_stream_out(wadi_map_seq(body, ragged_in()), "out");
    conf_assert_agrees(p, &r.io, 0, NULL);
}

static wadi_exp length(wadi_acc a) {
    return wadi_extent(a, 0);
}

/* ---- sources ---- */

static wadi_acc prefix(void *env, wadi_exp i) {
    const wadi_acc *a = env;
    return wadi_take(wadi_add(i, wadi_i64(1)), *a);
}

static wadi_acc prefixes(wadi_acc a) {
    const wadi_seq s = wadi_produce_env(length(a), prefix, &a);
    const wadi_acc sums = wadi_consume(wadi_elements(wadi_map_seq(wadi_sum, s)));
    return wadi_tuple2(wadi_consume(wadi_elements(s)), sums);
}

static void produce_within_an_element(void **state) {
    (void)state;
    assert_body(prefixes);
}

static wadi_acc doubled(wadi_acc a) {
    return wadi_zip_with(wadi_add, a, a);
}

static wadi_acc tiles(wadi_acc a) {
    const wadi_seq s = wadi_subarrays(wadi_ix1(wadi_i64(4)), a);
    const wadi_seq scanned = wadi_map_seq(doubled, wadi_map_seq(wadi_reverse, s));
    const wadi_acc cut = wadi_consume(wadi_tabulate_min(scanned));
    const wadi_acc parts = wadi_consume(wadi_from_seq(scanned));
    return wadi_tuple2(cut, parts);
}

static void tiles_cut_to_the_least_and_segments(void **state) {
    (void)state;
    assert_body(tiles);
}

static wadi_acc row_sums(wadi_acc a) {
    const wadi_exp n = length(a);
    const wadi_spec rows[] = {wadi_fix(wadi_i64(3)), wadi_all()};
    const wadi_acc m = wadi_replicate(2, rows, a);
    const wadi_acc table = wadi_consume(wadi_tabulate(wadi_map_seq(wadi_reverse, wadi_to_seq(m))));
    const wadi_acc turned =
        wadi_consume(wadi_tabulate(wadi_map_seq(wadi_sum, wadi_to_seq_on(1, m))));
    return wadi_tuple(3, (const wadi_acc[]){table, turned, wadi_unit(n)});
}

static void rows_and_columns_of_a_matrix(void **state) {
    (void)state;
    assert_body(row_sums);
}

/* ---- stages ---- */

static wadi_acc is_even(wadi_acc x) {
    return wadi_unit(wadi_eq(wadi_mod(wadi_the(x), wadi_i64(2)), wadi_i64(0)));
}

static wadi_acc so_many(wadi_acc x) {
    const wadi_exp n = wadi_mod(wadi_the(x), wadi_i64(4));
    return wadi_fill(wadi_ix1(wadi_max(n, wadi_i64(0))), wadi_the(x));
}

static wadi_acc plus(wadi_acc a, wadi_acc b) {
    return wadi_zip_with(wadi_add, a, b);
}

static wadi_acc stages(wadi_acc a) {
    const wadi_seq s = wadi_to_seq(a);
    const wadi_seq even = wadi_filter_seq(is_even, s);
    const wadi_seq more = wadi_expand_seq(so_many, s);
    const wadi_seq sums = wadi_scan_seq(plus, wadi_unit(wadi_i64(100)), even);
    const wadi_acc all[] = {wadi_consume(wadi_elements(even)),
                            wadi_consume(wadi_elements(more)),
                            wadi_consume(wadi_elements(sums)),
                            wadi_consume(wadi_elements(wadi_take_seq(wadi_i64(2), even))),
                            wadi_consume(wadi_elements(wadi_drop_seq(wadi_i64(2), more))),
                            wadi_consume(wadi_elements(wadi_zip_with_seq(plus, s, even)))};
    return wadi_tuple(6, all);
}

static void stages_that_drop_and_multiply(void **state) {
    (void)state;
    assert_body(stages);
}

static wadi_acc neighbours(wadi_acc a) {
    const wadi_seq s = wadi_map_seq(doubled, wadi_to_seq(a));
    const wadi_seq next = wadi_drop_seq(wadi_i64(1), s);
    const wadi_seq pairs = wadi_zip_with_seq(plus, s, next);
    return wadi_consume(wadi_elements(wadi_take_seq(wadi_i64(5), pairs)));
}

static void a_sequence_zipped_with_itself(void **state) {
    (void)state;
    assert_body(neighbours);
}

static wadi_acc guarded_quot(wadi_acc x) {
    return wadi_unit(wadi_quot(wadi_i64(12), wadi_the(x)));
}

static wadi_acc not_zero(wadi_acc x) {
    return wadi_unit(wadi_ne(wadi_the(x), wadi_i64(0)));
}

static wadi_acc safe_quotients(wadi_acc a) {
    const wadi_seq s = wadi_filter_seq(not_zero, wadi_to_seq(a));
    return wadi_consume(wadi_elements(wadi_map_seq(guarded_quot, s)));
}

static void what_is_filtered_out_is_not_computed(void **state) {
    (void)state;
    assert_body(safe_quotients);
}

/* ---- folds ---- */

static wadi_acc longer(wadi_acc state, wadi_acc x) {
    const wadi_acc grown = wadi_scanl(wadi_add, wadi_the(x), state);
    return wadi_take(wadi_i64(6), grown);
}

static wadi_acc keep_even(wadi_acc state, wadi_acc x) {
    const wadi_exp even = wadi_the(is_even(x));
    return wadi_acond(even, plus(state, x), state);
}

static wadi_acc both(wadi_acc state, wadi_acc x) {
    const wadi_acc total = wadi_tuple_get(state, 0);
    const wadi_spec all[] = {wadi_fix(length(total))};
    const wadi_acc turned = wadi_reverse(plus(total, wadi_replicate(1, all, x)));
    return wadi_tuple2(turned, plus(wadi_tuple_get(state, 1), x));
}

static wadi_acc folds(wadi_acc a) {
    const wadi_seq s = wadi_to_seq(a);
    const wadi_acc z = wadi_unit(wadi_i64(0));
    const wadi_acc shape_changes =
        wadi_consume(wadi_fold_seq(longer, wadi_take(wadi_i64(1), a), s));
    const wadi_acc scalar = wadi_consume(wadi_fold_seq(keep_even, z, s));
    const wadi_acc start = wadi_tuple2(a, z);
    const wadi_acc pair = wadi_consume(wadi_fold_seq(both, start, s));
    return wadi_tuple(3, (const wadi_acc[]){shape_changes, scalar, pair});
}

static void folds_of_every_kind_of_state(void **state) {
    (void)state;
    assert_body(folds);
}

static wadi_acc add_values(wadi_acc state, wadi_acc chunk) {
    const wadi_acc values = wadi_tuple_get(chunk, 1);
    return plus(state, wadi_sum(values));
}

static wadi_acc batches(wadi_acc a) {
    const wadi_seq s = wadi_subarrays(wadi_ix1(wadi_i64(3)), a);
    return wadi_consume(wadi_fold_batch(add_values, wadi_unit(wadi_i64(7)), s));
}

static void chunks_of_a_fold(void **state) {
    (void)state;
    assert_body(batches);
}

/* ---- stages that ask for their elements ---- */

static wadi_acc flat(wadi_seq s) {
    return wadi_consume(wadi_elements(s));
}

static wadi_acc window_kinds(wadi_acc a) {
    const wadi_seq s = wadi_to_seq(a), pieces = wadi_expand_seq(so_many, s);
    const wadi_exp two = wadi_i64(2), three = wadi_i64(3), five = wadi_i64(5);
    const wadi_seq drop = wadi_windows(three, two, WADI_LAST_DROP, s);
    const wadi_seq pad = wadi_windows(five, three, WADI_LAST_PAD, pieces);
    const wadi_seq keep = wadi_windows(two, five, WADI_LAST_KEEP, wadi_map_seq(so_many, s));
    const wadi_seq sized = wadi_windows(wadi_max(length(a), wadi_i64(1)), two, WADI_LAST_KEEP, s);
    const wadi_acc all[] = {wadi_consume(wadi_tabulate(drop)),
                            wadi_consume(wadi_tabulate(pad)),
                            wadi_tuple_get(wadi_consume(wadi_from_seq(keep)), 0),
                            flat(wadi_map_seq(wadi_sum, keep)),
                            flat(sized),
                            flat(wadi_take_seq(three, drop)),
                            flat(wadi_drop_seq(two, pad))};
    return wadi_tuple(7, all);
}

static void windows_within_an_element(void **state) {
    (void)state;
    assert_body(window_kinds);
}

static wadi_exp half(wadi_exp x) {
    return wadi_mul(wadi_convert(WADI_F64, x), wadi_f64(0.5));
}

static wadi_acc with_float(wadi_acc x) {
    return wadi_tuple2(x, wadi_map(half, x));
}

static wadi_acc windows_of_two(wadi_acc a) {
    const wadi_seq s = wadi_map_seq(with_float, wadi_filter_seq(is_even, wadi_to_seq(a)));
    return wadi_consume(wadi_tabulate(wadi_windows(wadi_i64(4), wadi_i64(1), WADI_LAST_PAD, s)));
}

static void windows_of_several_components(void **state) {
    (void)state;
    assert_body(windows_of_two);
}

static wadi_acc batch_kinds(wadi_acc a) {
    const wadi_seq s = wadi_to_seq(a), even = wadi_filter_seq(is_even, s);
    const wadi_exp two = wadi_i64(2), four = wadi_i64(4);
    const wadi_seq of_even = wadi_batch(wadi_i64(3), even);
    const wadi_seq rows = wadi_batch(two, wadi_windows(four, two, WADI_LAST_DROP, s));
    const wadi_acc all[] = {flat(wadi_map_seq(wadi_sum, of_even)),
                            wadi_tuple_get(wadi_consume(wadi_from_seq(of_even)), 0),
                            wadi_tuple_get(wadi_consume(wadi_from_seq(rows)), 0), flat(rows),
                            flat(wadi_drop_seq(wadi_i64(1), of_even))};
    return wadi_tuple(5, all);
}

static wadi_acc even_pairs_alone(wadi_acc a) {
    const wadi_exp n = wadi_sub(length(a), wadi_mod(length(a), wadi_i64(4)));
    const wadi_seq s = wadi_batch(wadi_i64(2), wadi_to_seq(wadi_take(n, a)));
    return flat(wadi_batch(wadi_i64(2), s));
}

static void batches_within_an_element(void **state) {
    (void)state;
    assert_body(batch_kinds);
    assert_body(even_pairs_alone);
}

static wadi_acc both_kept(wadi_acc a) {
    const wadi_seq s = wadi_to_seq(a);
    const wadi_seq even = wadi_filter_seq(is_even, s), more = wadi_expand_seq(so_many, s);
    const wadi_seq sums = wadi_scan_seq(plus, wadi_unit(wadi_i64(100)), even);
    const wadi_seq after = wadi_drop_seq(wadi_i64(1), even);
    const wadi_seq some = wadi_take_seq(wadi_i64(4), more);
    const wadi_acc all[] = {flat(wadi_zip_with_seq(plus, even, more)),
                            flat(wadi_zip_with_seq(plus, even, after)),
                            flat(wadi_zip_with_seq(plus, sums, some)),
                            flat(wadi_zip_with_seq(plus, wadi_map_seq(doubled, after), s)),
                            flat(wadi_zip_with_seq(plus, s, wadi_map_seq(doubled, even)))};
    return wadi_tuple(5, all);
}

static void zips_of_chains_of_unknown_length(void **state) {
    (void)state;
    assert_body(both_kept);
}

static wadi_acc even_only(wadi_acc a) {
    return wadi_consume(wadi_elements(wadi_filter_seq(is_even, wadi_to_seq(a))));
}

static wadi_acc joined(wadi_acc a, wadi_acc b) {
    return wadi_concat(a, b);
}

static wadi_acc not_empty(wadi_acc a) {
    return wadi_unit(wadi_gt(length(a), wadi_i64(1)));
}

static wadi_acc longest(wadi_acc state, wadi_acc x) {
    return wadi_acond(wadi_ge(length(x), length(state)), x, state);
}

/* Arrays of unlike lengths are kept from round to round: by a filter, an expansion and a state. */
static wadi_acc arrays_kept(wadi_acc a) {
    const wadi_seq s = wadi_produce_env(length(a), prefix, &a);
    const wadi_seq odd = wadi_filter_seq(not_empty, wadi_map_seq(even_only, s));
    const wadi_seq rows = wadi_windows(wadi_i64(7), wadi_i64(3), WADI_LAST_KEEP, s);
    const wadi_seq pairs = wadi_zip_with_seq(joined, odd, wadi_filter_seq(not_empty, rows));
    const wadi_acc last = wadi_consume(wadi_fold_seq(longest, wadi_take(wadi_i64(1), a), rows));
    const wadi_acc state = wadi_consume(wadi_fold_seq(longest, wadi_take(wadi_i64(2), a), pairs));
    return wadi_tuple(3, (const wadi_acc[]){flat(pairs), state, last});
}

static void arrays_that_are_kept_from_round_to_round(void **state) {
    (void)state;
    assert_body(arrays_kept);
}

/* ---- one element with a long sequence among others: a level of work in schedule flat ---- */

static wadi_exp sum_below(void *env, wadi_exp n) {
    const wadi_acc *a = env;
    return wadi_the(wadi_sum(wadi_take(n, *a)));
}

static wadi_acc sum_of_many(void *env, wadi_exp i) {
    return wadi_unit(sum_below(env, i));
}

static wadi_acc large(wadi_acc x) {
    return wadi_unit(wadi_gt(wadi_the(x), wadi_i64(-5)));
}

static wadi_acc minus(wadi_acc a, wadi_acc b) {
    return wadi_zip_with(wadi_sub, b, a);
}

static wadi_acc spread(wadi_acc a) {
    const wadi_exp n = length(a), few = wadi_i64(3);
    const wadi_exp many = wadi_cond(wadi_eq(n, wadi_i64(18)), wadi_i64(5000), n);
    const wadi_seq s = wadi_produce_env(many, sum_of_many, &a);
    const wadi_seq twice = wadi_map_seq(doubled, wadi_drop_seq(few, s));
    const wadi_acc all[] = {flat(s),
                            wadi_consume(wadi_tabulate(wadi_take_seq(wadi_i64(40), twice))),
                            wadi_consume(wadi_fold_seq(minus, wadi_unit(wadi_i64(1)), s)),
                            flat(wadi_filter_seq(large, twice)),
                            flat(wadi_take_seq(few, wadi_filter_seq(large, s))),
                            flat(wadi_zip_with_seq(plus, s, wadi_filter_seq(large, s)))};
    return wadi_tuple(6, all);
}

static void one_long_sequence_among_short_ones(void **state) {
    (void)state;
    assert_body(spread);
}

static wadi_acc longer_than_two(wadi_acc a) {
    return wadi_unit(wadi_gt(length(a), wadi_i64(2)));
}

static wadi_exp first_index(wadi_ix ix) {
    return ix.at[0];
}

static wadi_acc in_branches(wadi_acc a) {
    const wadi_exp odd = wadi_ne(wadi_mod(length(a), wadi_i64(2)), wadi_i64(0));
    const wadi_seq s = wadi_produce_env(length(a), sum_of_many, &a);
    const wadi_acc last = wadi_consume(wadi_fold_seq(minus, wadi_unit(wadi_i64(1)), s));
    const wadi_acc none = wadi_generate(wadi_ix1(wadi_i64(1)), first_index);
    const wadi_acc chosen = wadi_acond(odd, flat(s), none);
    return wadi_tuple(3, (const wadi_acc[]){chosen, last, flat(s)});
}

static wadi_acc fewer_sums(wadi_acc a) {
    const wadi_seq s = wadi_produce_env(wadi_sub(length(a), wadi_i64(1)), sum_of_many, &a);
    return flat(wadi_filter_seq(large, s));
}

static wadi_acc rounds_and_branches(wadi_acc a) {
    return wadi_tuple2(in_branches(a), wadi_awhile(longer_than_two, fewer_sums, a));
}

static void levels_of_work_within_branches_and_loops(void **state) {
    (void)state;
    assert_body(rounds_and_branches);
}

/* ---- deeper, and within control ---- */

static wadi_acc inner_sum(wadi_acc a) {
    const wadi_seq s = wadi_produce_env(length(a), prefix, &a);
    return wadi_consume(wadi_fold_seq(plus, wadi_unit(wadi_i64(0)), wadi_map_seq(wadi_sum, s)));
}

static wadi_acc deep(wadi_acc a) {
    const wadi_seq s = wadi_subarrays(wadi_ix1(wadi_i64(5)), a);
    const wadi_seq sums = wadi_map_seq(inner_sum, s);
    return wadi_tuple2(wadi_consume(wadi_elements(sums)), wadi_scanl1(wadi_add, a));
}

static void three_levels(void **state) {
    (void)state;
    assert_body(deep);
}

static wadi_acc thinned(wadi_acc a) {
    return wadi_take(wadi_sub(length(a), wadi_i64(1)),
                     wadi_consume(wadi_elements(wadi_map_seq(doubled, wadi_to_seq(a)))));
}

static wadi_acc in_control(wadi_acc a) {
    const wadi_exp odd = wadi_ne(wadi_mod(length(a), wadi_i64(2)), wadi_i64(0));
    const wadi_acc chosen = wadi_acond(odd, even_only(a), wadi_scanl1(wadi_add, a));
    return wadi_tuple2(chosen, wadi_awhile(longer_than_two, thinned, a));
}

static void sequences_within_branches_and_loops(void **state) {
    (void)state;
    assert_body(in_control);
}

static wadi_acc piece_of(void *env, wadi_exp i) {
    const wadi_acc *a = env;
    return wadi_drop(i, *a);
}

static void sequences_within_a_loop_of_the_main_block(void **state) {
    (void)state;
    static const char *const any[] = {"?"};
    const int64_t v[] = {5, 3, 8, 1, 9, 2, 7};
    const wadi_interp_input in = {"v", conf_vector(WADI_I64, 7, v)};
    wadi_program *p = wadi_program_create("main");
    wadi_acc a = wadi_input("v", WADI_I64, 1, any);
    wadi_output("loop", wadi_awhile(longer_than_two, thinned, a));
    const wadi_seq s = wadi_produce_env(length(a), piece_of, &a);
    wadi_output("sums", wadi_consume(wadi_elements(wadi_map_seq(inner_sum, s))));
    conf_assert_agrees(p, &(wadi_interp_io){&in, 1, NULL, 0}, 0, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(produce_within_an_element),
        cmocka_unit_test(tiles_cut_to_the_least_and_segments),
        cmocka_unit_test(rows_and_columns_of_a_matrix),
        cmocka_unit_test(stages_that_drop_and_multiply),
        cmocka_unit_test(a_sequence_zipped_with_itself),
        cmocka_unit_test(what_is_filtered_out_is_not_computed),
        cmocka_unit_test(folds_of_every_kind_of_state),
        cmocka_unit_test(chunks_of_a_fold),
        cmocka_unit_test(windows_within_an_element),
        cmocka_unit_test(windows_of_several_components),
        cmocka_unit_test(batches_within_an_element),
        cmocka_unit_test(zips_of_chains_of_unknown_length),
        cmocka_unit_test(arrays_that_are_kept_from_round_to_round),
        cmocka_unit_test(one_long_sequence_among_short_ones),
        cmocka_unit_test(levels_of_work_within_branches_and_loops),
        cmocka_unit_test(three_levels),
        cmocka_unit_test(sequences_within_branches_and_loops),
        cmocka_unit_test(sequences_within_a_loop_of_the_main_block),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
