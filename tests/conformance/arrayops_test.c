/* Filters, segments, expansions, scatters and the derived array operations under every schedule, whole and in streams. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/conformance/runner.h"

static const char *const any3[] = {"?", "?", "?"};

/* ---- data ---- */

enum { N = 24, LONGEST = 9001 };

/* A stream of ragged vectors, with empty ones and one longer than two blocks. */
typedef struct ragged {
    int32_t data[LONGEST];
    wadi_array element[N];
    wadi_interp_source source;
    wadi_interp_io io;
} ragged;

static int64_t length_of(int i) {
    return i == 5 ? LONGEST : i % 7 == 3 ? 0 : i * i % 41;
}

static void ragged_init(ragged *r) {
    for (int i = 0; i < LONGEST; i++) r->data[i] = (int32_t)(i * 7919 % 613) - 300;
    for (int i = 0; i < N; i++)
        r->element[i] = conf_vector(WADI_I32, length_of(i), r->data + i * 13 % 97 * (i != 5));
    r->source = (wadi_interp_source){.name = "s", .n = N, .elements = r->element};
    r->io = (wadi_interp_io){NULL, 0, &r->source, 1};
}

/* The body over ragged vectors, over vectors of one length, and over one array. */
static void check(wadi_acc_fn1 body) {
    ragged *r = malloc(sizeof *r);
    const char *fixed[] = {"17"};
    assert_non_null(r);
    ragged_init(r);
    wadi_component c = {wadi_scalar_elem(WADI_I32), 1, NULL};
    wadi_program *p = wadi_program_create("ragged");
    wadi_stream_out(wadi_map_seq(body, wadi_stream_in("s", 1, &c)), "out");
    conf_assert_agrees(p, &r->io, 0, NULL);

    wadi_array element[N];
    for (int i = 0; i < N; i++) element[i] = conf_vector(WADI_I32, 17, r->data + i * 13);
    const wadi_interp_source source = {.name = "s", .n = N, .elements = element};
    c.extents = fixed;
    p = wadi_program_create("regular");
    wadi_stream_out(wadi_map_seq(body, wadi_stream_in("s", 1, &c)), "out");
    conf_assert_agrees(p, &(wadi_interp_io){NULL, 0, &source, 1}, 0, NULL);

    static const int64_t sizes[] = {0, LONGEST};
    for (int k = 0; k < 2; k++) {
        p = wadi_program_create("whole");
        wadi_output("x", body(wadi_input("a", WADI_I32, 1, any3)));
        const wadi_interp_input in = {"a", conf_vector(WADI_I32, sizes[k], r->data)};
        const wadi_interp_io io = {&in, 1, NULL, 0};
        if (sizes[k] > 0)
            conf_assert_agrees(p, &io, 0, NULL);
        else
            conf_assert_agrees_briefly(p, &io);
    }
    free(r);
}

/* ---- filters ---- */

static wadi_exp positive(wadi_exp x) {
    return wadi_gt(x, wadi_i32(0));
}

static wadi_exp squared(wadi_exp x) {
    return wadi_mul(x, x);
}

static wadi_exp odd(wadi_exp x) {
    return wadi_ne(wadi_and(x, wadi_i32(1)), wadi_i32(0));
}

static wadi_acc filtered(wadi_acc a) {
    const wadi_acc kept = wadi_filter(positive, wadi_map(wadi_neg, a));
    const wadi_acc again = wadi_filter(odd, wadi_map(squared, wadi_tuple_get(kept, 0)));
    return wadi_tuple(3, (const wadi_acc[]){wadi_tuple_get(kept, 1), wadi_tuple_get(again, 0),
                                            wadi_tuple_get(again, 1)});
}

static void filter_in_streams(void **state) {
    (void)state;
    check(filtered);
}

/* An array of two or three rows made of the vector. */
static wadi_acc rows(wadi_acc a) {
    const wadi_exp n = wadi_quot(wadi_extent(a, 0), wadi_i64(3));
    return wadi_reshape(wadi_ix2(wadi_i64(3), n), wadi_take(wadi_mul(n, wadi_i64(3)), a));
}

static wadi_acc filtered_rows(wadi_acc a) {
    const wadi_acc kept = wadi_filter(positive, rows(a));
    const wadi_acc parted = wadi_partition(odd, rows(a));
    return wadi_tuple(4, (const wadi_acc[]){wadi_tuple_get(kept, 0), wadi_tuple_get(kept, 1),
                                            wadi_tuple_get(parted, 0), wadi_tuple_get(parted, 1)});
}

static void filter_and_partition_of_rows_in_streams(void **state) {
    (void)state;
    check(filtered_rows);
}

static wadi_exp to_f64(wadi_exp x) {
    return wadi_convert(WADI_F64, x);
}

static wadi_acc parted(wadi_acc a) {
    const wadi_acc p = wadi_partition(odd, wadi_map(squared, a));
    const wadi_acc c = wadi_compact(wadi_map(positive, a), wadi_map(to_f64, a));
    return wadi_tuple(
        3, (const wadi_acc[]){wadi_tuple_get(p, 0), wadi_tuple_get(c, 0), wadi_tuple_get(c, 1)});
}

static void partition_and_compact_in_streams(void **state) {
    (void)state;
    check(parted);
}

/* ---- expand ---- */

static wadi_exp small(wadi_exp x) {
    return wadi_convert(WADI_I32, wadi_mod(x, wadi_i32(5)));
}

static wadi_exp times(wadi_exp x, wadi_exp j) {
    return wadi_add(wadi_mul(x, wadi_i32(10)), wadi_convert(WADI_I32, j));
}

static wadi_acc expanded(wadi_acc a) {
    return wadi_expand(small, times, a);
}

static void expand_in_streams(void **state) {
    (void)state;
    check(expanded);
}

/* ---- segments ---- */

/* Lengths that cover the array in part, with empty ones and one long one. */
static wadi_exp some_length(void *env, wadi_ix ix) {
    const wadi_exp n = wadi_extent(*(const wadi_acc *)env, 0);
    const wadi_exp small_one = wadi_mod(wadi_mul(ix.at[0], wadi_i64(7)), wadi_i64(4));
    return wadi_cond(wadi_eq(ix.at[0], wadi_i64(2)), wadi_quot(n, wadi_i64(2)),
                     wadi_min(small_one, wadi_quot(n, wadi_i64(20))));
}

static wadi_acc lengths_for(wadi_acc *a) {
    const wadi_exp count = wadi_min(wadi_i64(8), wadi_extent(*a, 0));
    return wadi_generate_env(wadi_ix1(count), some_length, a);
}

static wadi_exp to_f32(wadi_exp x) {
    return wadi_convert(WADI_F32, x);
}

static wadi_exp divided(wadi_exp x) {
    return wadi_div(wadi_f64(1), wadi_add(to_f64(x), wadi_f64(0.5)));
}

static wadi_acc folded(wadi_acc a) {
    const wadi_acc lengths = lengths_for(&a), x = wadi_map(divided, a);
    const wadi_acc sums = wadi_map(wadi_sqrt, wadi_fold_seg(wadi_add, wadi_f64(0.25), lengths, x));
    return wadi_tuple(3, (const wadi_acc[]){sums, wadi_fold_seg(wadi_max, wadi_i32(-7), lengths, a),
                                            wadi_fold_seg(wadi_hypot, wadi_f64(1), lengths, x)});
}

static void fold_seg_in_streams(void **state) {
    (void)state;
    check(folded);
}

static wadi_acc scanned(wadi_acc a) {
    const wadi_acc lengths = lengths_for(&a), x = wadi_map(divided, a);
    return wadi_tuple(5, (const wadi_acc[]){wadi_scanl_seg(wadi_add, wadi_f64(0.25), lengths, x),
                                            wadi_scanl1_seg(wadi_max, lengths, a),
                                            wadi_prescanl_seg(wadi_hypot, wadi_f64(1), lengths, x),
                                            wadi_scanr_seg(wadi_add, wadi_f64(0.5), lengths, x),
                                            wadi_postscanr_seg(wadi_add, wadi_i32(3), lengths, a)});
}

static void scans_of_segments_in_streams(void **state) {
    (void)state;
    check(scanned);
}

static wadi_acc segments_of_rows(wadi_acc a) {
    const wadi_acc r = rows(a);
    wadi_acc one = wadi_slice(2, (const wadi_spec[]){wadi_fix(wadi_i64(0)), wadi_all()}, r);
    const wadi_acc lengths = lengths_for(&one);
    return wadi_tuple2(wadi_fold_seg(wadi_add, wadi_i32(1), lengths, r),
                       wadi_scanl1_seg(wadi_add, lengths, r));
}

static void segments_of_rows_in_streams(void **state) {
    (void)state;
    check(segments_of_rows);
}

/* Enough elements for several units of schedule flat, with one segment longer than a unit among short and empty ones. */
static wadi_exp skewed(wadi_ix ix) {
    const wadi_exp some = wadi_mod(wadi_mul(ix.at[0], wadi_i64(7919)), wadi_i64(50));
    return wadi_cond(wadi_eq(ix.at[0], wadi_i64(700)), wadi_i64(70000), some);
}

static void skewed_segments_in_many_units(void **state) {
    (void)state;
    enum { MANY = 150000, SEGMENTS = 3000 };
    int32_t *data = malloc(MANY * sizeof *data);
    assert_non_null(data);
    for (int i = 0; i < MANY; i++) data[i] = (int32_t)(i * 7919LL % 613) - 300;
    wadi_program *p = wadi_program_create("skewed");
    const wadi_acc a = wadi_input("a", WADI_I32, 1, any3), x = wadi_map(divided, a);
    const wadi_acc lengths = wadi_generate(wadi_ix1(wadi_i64(SEGMENTS)), skewed);
    wadi_output("sums", wadi_map(wadi_sqrt, wadi_fold_seg(wadi_add, wadi_f64(9), lengths, x)));
    wadi_output("most", wadi_fold_seg(wadi_max, wadi_i32(0), lengths, a));
    wadi_output("scans", wadi_scanl_seg(wadi_add, wadi_f64(1), lengths, x));
    const wadi_interp_input in = {"a", conf_vector(WADI_I32, MANY, data)};
    conf_assert_agrees(p, &(wadi_interp_io){&in, 1, NULL, 0}, 0, NULL);
    free(data);
}

/* ---- derived ---- */

static wadi_exp bucket(wadi_exp x) {
    return wadi_mod(x, wadi_i32(11));
}

static wadi_acc sent(wadi_acc a) {
    const wadi_acc to = wadi_map(bucket, a),
                   start = wadi_fill(wadi_ix1(wadi_i64(11)), wadi_i32(-1));
    return wadi_tuple(
        4, (const wadi_acc[]){
               wadi_scatter(to, start, wadi_map(squared, a)),
               wadi_scatter_if(wadi_map(odd, a), to, start, a),
               wadi_histogram(wadi_add, wadi_i64(11), wadi_i32(5), to, wadi_map(squared, a)),
               wadi_gather_if(wadi_map(positive, a), to, a, wadi_scatter(to, start, a))});
}

static void scatters_in_streams(void **state) {
    (void)state;
    check(sent);
}

static wadi_acc joined(wadi_acc a) {
    const wadi_acc r = rows(a);
    const wadi_acc twice = wadi_concat(wadi_map(squared, a), wadi_reverse(a));
    return wadi_tuple(4, (const wadi_acc[]){twice, wadi_sum(wadi_concat(a, twice)),
                                            wadi_concat_on(0, r, wadi_map(wadi_neg, r)),
                                            wadi_concat(r, wadi_take(wadi_i64(2), r))});
}

static void concat_in_streams(void **state) {
    (void)state;
    check(joined);
}

static wadi_acc right(wadi_acc a) {
    const wadi_acc x = wadi_map(divided, a), t = wadi_scanl_total(wadi_add, wadi_f64(0.5), x);
    return wadi_tuple(5, (const wadi_acc[]){wadi_scanr(wadi_add, wadi_f64(0.25), x),
                                            wadi_tuple_get(t, 0), wadi_tuple_get(t, 1),
                                            wadi_prescanr(wadi_max, wadi_i32(0), a),
                                            wadi_zip_with_min(wadi_add, wadi_tail(a), a)});
}

static void scans_from_the_right_in_streams(void **state) {
    (void)state;
    check(right);
}

static wadi_exp halves(wadi_exp x) {
    return wadi_convert(WADI_I16, wadi_quot(x, wadi_i32(2)));
}

static wadi_acc sorted(wadi_acc a) {
    const wadi_acc x = wadi_map(divided, a);
    return wadi_tuple2(wadi_sort_by_key(halves, a),
                       wadi_map(wadi_neg, wadi_sort_by_key(to_f32, x)));
}

static void sort_in_streams(void **state) {
    (void)state;
    check(sorted);
}

/* ---- under acond and awhile ---- */

static wadi_acc long_enough(wadi_acc a) {
    return wadi_unit(wadi_gt(wadi_extent(a, 0), wadi_i64(2)));
}

static wadi_exp shrink(wadi_exp x) {
    return wadi_sub(x, wadi_i32(37));
}

static wadi_acc sieve(wadi_acc a) {
    const wadi_acc tail = wadi_tail(a);
    return wadi_tuple_get(wadi_filter(positive, wadi_map(shrink, tail)), 0);
}

static wadi_acc controlled(wadi_acc a) {
    const wadi_acc sifted = wadi_awhile(long_enough, sieve, a);
    const wadi_acc either = wadi_acond(wadi_gt(wadi_size(a), wadi_i64(9)),
                                       wadi_tuple_get(wadi_partition(odd, a), 0), expanded(a));
    return wadi_tuple2(sifted, either);
}

static void filters_under_control_in_streams(void **state) {
    (void)state;
    check(controlled);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(filter_in_streams),
        cmocka_unit_test(filter_and_partition_of_rows_in_streams),
        cmocka_unit_test(partition_and_compact_in_streams),
        cmocka_unit_test(expand_in_streams),
        cmocka_unit_test(fold_seg_in_streams),
        cmocka_unit_test(scans_of_segments_in_streams),
        cmocka_unit_test(skewed_segments_in_many_units),
        cmocka_unit_test(segments_of_rows_in_streams),
        cmocka_unit_test(scatters_in_streams),
        cmocka_unit_test(concat_in_streams),
        cmocka_unit_test(scans_from_the_right_in_streams),
        cmocka_unit_test(sort_in_streams),
        cmocka_unit_test(filters_under_control_in_streams),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
