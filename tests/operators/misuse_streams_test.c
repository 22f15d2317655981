/* The messages of reductions, segments, control and streams for arguments that do not fit, with the place of the call:
 * tests/operators/cases/misuse_*.txt. */
#include "tests/operators/cases.h"
#include "tests/operators/misuse.h"

static wadi_exp f(float x) {
    return wadi_f32(x);
}

static wadi_exp i(int64_t x) {
    return wadi_i64(x);
}

static wadi_exp b(void) {
    return wadi_bool(true);
}

static void reductions(void **state) {
    wadi_text t;
    (void)state;
    wadi_text_init(&t);
    T(wadi_fold(wadi_add, i(1), vec()));
    T(wadi_fold(wadi_add, f(1), wadi_unit(f(1))));
    T(wadi_fold(i64_of2, f(1), vec()));
    T(wadi_fold(wadi_add, NO_EXP, vec()));
    T(wadi_fold(wadi_add, f(1), NO_ACC));
    T(wadi_fold(NULL, f(1), vec()));
    T(wadi_fold1(wadi_add, unit0()));
    T(wadi_fold1(wadi_lt, vec()));
    T(wadi_fold_all(wadi_add, i(1), mat()));
    T(wadi_sum(bools()));
    T(wadi_sum(recs()));
    T(wadi_sum(unit0()));
    T(wadi_sum(wadi_filter(true1, vec())));
    T(wadi_product(NO_ACC));
    T(wadi_matmul(mat(), vec()));
    T(wadi_matmul(bools(), mat()));
    T(wadi_product(bools()));
    T(wadi_minimum(bools()));
    T(wadi_maximum(zs()));
    T(wadi_all_of(vec()));
    T(wadi_any_of(ints()));
    T(wadi_argmin(recs()));
    T(wadi_argmin(unit0()));
    T(wadi_argmax(zs()));
    T(wadi_scanl(wadi_add, i(1), vec()));
    T(wadi_scanl(wadi_add, f(1), wadi_unit(f(1))));
    T(wadi_scanl1(wadi_add, unit0()));
    T(wadi_scanl1(i64_of2, vec()));
    T(wadi_scanr(wadi_add, i(1), vec()));
    T(wadi_scanr1(wadi_add, unit0()));
    T(wadi_prescanl(wadi_add, i(1), vec()));
    T(wadi_postscanl(wadi_add, f(1), unit0()));
    T(wadi_scanl_total(wadi_add, i(1), vec()));
    T(wadi_permute(first2, vec(), same_ix, ints()));
    T(wadi_permute(i64_of2, vec(), same_ix, vec()));
    T(wadi_permute(first2, vec(), rank2_ix, vec()));
    T(wadi_permute(first2, mat(), same_ix, vec()));
    T(wadi_permute(first2, vec(), float_ix, vec()));
    T(wadi_permute(NULL, vec(), same_ix, vec()));
    T(wadi_permute(first2, vec(), NULL, vec()));
    T(wadi_permute(first2, NO_ACC, same_ix, vec()));
    T(wadi_permute_by_env(NULL, vec(), NULL, NULL, vec(), 9, ARRAYS(vec())));
    T(wadi_permute_by_env(NULL, vec(), NULL, NULL, vec(), 1, NULL));
    T(wadi_permute_by_env(NULL, vec(), NULL, NULL, vec(), 1, ARRAYS(mat())));
    T(wadi_scatter(vec(), vec(), vec()));
    T(wadi_scatter(ints(), vec(), ints()));
    T(wadi_scatter_if(ints(), ints(), vec(), vec()));
    T(wadi_histogram(wadi_add, i(3), i(0), ints(), vec()));
    T(wadi_histogram(wadi_add, f(3), i(0), ints(), ints()));
    T(wadi_filter(same1, vec()));
    T(wadi_filter(true1, unit0()));
    T(wadi_filter(true1, pair()));
    T(wadi_filter(NULL, vec()));
    T(wadi_filter_by_env(NULL, NULL, 0, ARRAYS(vec())));
    T(wadi_filter_by_env(NULL, NULL, 10, ARRAYS(vec())));
    T(wadi_filter_by_env(NULL, NULL, 2, NULL));
    T(wadi_compact(ints(), vec()));
    T(wadi_compact(bools(), mat()));
    T(wadi_partition(same1, vec()));
    T(wadi_partition(true1, unit0()));
    T(wadi_expand(same1, first2, vec()));
    T(wadi_expand(i64_of1, first2, mat()));
    T(wadi_expand(i64_of1, NULL, vec()));
    T(wadi_expand_offsets(first2, mat(), vec()));
    T(wadi_expand_offsets(first2, vec(), vec()));
    T(wadi_expand_offsets(first2, ints(), mat()));
    T(wadi_expand_offsets(first2, NO_ACC, vec()));
    T(wadi_expand_offsets(first2, pair(), vec()));
    T(wadi_fold_seg(wadi_add, f(1), vec(), vec()));
    T(wadi_fold_seg(wadi_add, f(1), unit0(), vec()));
    T(wadi_fold_seg(wadi_add, i(1), ints(), vec()));
    T(wadi_fold_offsets(wadi_add, f(1), mat(), vec()));
    T(wadi_fold_offsets(wadi_add, f(1), ints(), wadi_unit(f(1))));
    T(wadi_fold1_seg(wadi_add, vec(), vec()));
    T(wadi_fold1_offsets(wadi_add, vec(), vec()));
    T(wadi_scanl_seg(wadi_add, f(1), vec(), vec()));
    T(wadi_scanl_offsets(wadi_add, i(1), ints(), vec()));
    T(wadi_scanl1_offsets(wadi_add, ints(), unit0()));
    T(wadi_prescanl_seg(wadi_add, f(1), mat(), vec()));
    T(wadi_postscanl_seg(wadi_add, i(1), ints(), vec()));
    T(wadi_scanr_seg(wadi_add, i(1), ints(), vec()));
    T(wadi_scanr1_seg(wadi_add, vec(), vec()));
    T(wadi_prescanr_seg(wadi_add, f(1), unit0(), vec()));
    T(wadi_scanl_total_seg(wadi_add, f(1), vec(), vec()));
    T(wadi_sort(recs()));
    T(wadi_sort(zs()));
    T(wadi_sort(unit0()));
    T(wadi_sort(NO_ACC));
    T(wadi_sort_by_key(no_exp1, vec()));
    T(wadi_sort_by_key(NULL, vec()));
    T(wadi_acond(i(1), vec(), vec()));
    T(wadi_acond(b(), vec(), ints()));
    T(wadi_acond(b(), vec(), mat()));
    T(wadi_acond(b(), pair(), vec()));
    T(wadi_acond(b(), NO_ACC, vec()));
    T(wadi_acond(b(), vec(), NO_ACC));
    T(wadi_acond(NO_EXP, vec(), vec()));
    T(wadi_awhile(same_acc, same_acc, vec()));
    T(wadi_awhile(true_of, true_of, vec()));
    T(wadi_awhile(true_of, vec_of, pair()));
    T(wadi_awhile(no_acc, same_acc, vec()));
    T(wadi_awhile(true_of, NULL, vec()));
    T(wadi_awhile(true_of, same_acc, NO_ACC));
    T(wadi_with_lifted(same_acc, true_of, vec()));
    T(wadi_with_lifted(same_acc, same_acc, high()));
    T(wadi_with_lifted(same_acc, NULL, vec()));
    check_transcript("operators/cases/misuse_reductions", &t);
    wadi_text_fini(&t);
}

static wadi_exp no_exp2(wadi_exp a, wadi_exp b) {
    (void)a;
    (void)b;
    return NO_EXP;
}

static wadi_acc first_of_n(int n, const wadi_acc *arrays) {
    (void)n;
    return arrays[0];
}

static wadi_acc two_of_n(int n, const wadi_acc *arrays) {
    (void)n;
    return wadi_tuple2(arrays[0], arrays[0]);
}

static void orders_and_routines(void **state) {
    wadi_text t;
    (void)state;
    wadi_text_init(&t);
    T(wadi_sort_by(0, NULL, vec()));
    T(wadi_sort_by(17, &(wadi_order){.key = same1}, vec()));
    T(wadi_sort_by(1, &(wadi_order){.key = NULL}, vec()));
    T(wadi_argsort(recs()));
    T(wadi_argsort_by(1, &(wadi_order){.key = same1}, zs()));
    T(wadi_largest(f(1), vec()));
    T(wadi_smallest(NO_EXP, vec()));
    T(wadi_largest(i(1), unit0()));
    T(wadi_smallest(i(1), zs()));
    T(wadi_unique(unit0()));
    T(wadi_unique(NO_ACC));
    T(wadi_group_ids(unit0()));
    T(wadi_lower_bound(zs(), zs()));
    T(wadi_lower_bound(recs(), recs()));
    T(wadi_lower_bound(unit0(), ints()));
    T(wadi_lower_bound(mat(), vec()));
    T(wadi_upper_bound(vec(), ints()));
    T(wadi_upper_bound(vec(), NO_ACC));
    T(wadi_unit(wadi_sfoldl(first2, f(1), wadi_ix0(), mat())));
    T(wadi_unit(wadi_sfoldl(first2, f(1), wadi_ix0(), unit0())));
    T(wadi_unit(wadi_sfoldl(i64_of2, f(1), wadi_ix0(), vec())));
    T(wadi_unit(wadi_sfoldl(no_exp2, f(1), wadi_ix0(), vec())));
    T(wadi_unit(wadi_sfoldl(NULL, f(1), wadi_ix0(), vec())));
    T(wadi_unit(wadi_sfoldl_env(NULL, NULL, f(1), wadi_ix0(), vec())));
    T(wadi_foreign("f", 1, 0, NULL, wadi_ix1(i(1)), first_of_n));
    T(wadi_foreign("f", 1, 4, ARRAYS(vec(), vec(), vec(), vec()), wadi_ix1(i(1)), first_of_n));
    T(wadi_foreign("", 1, 1, ARRAYS(vec()), wadi_ix1(i(1)), first_of_n));
    T(wadi_foreign(NULL, 1, 1, ARRAYS(vec()), wadi_ix1(i(1)), first_of_n));
    T(wadi_foreign("f", -1, 1, ARRAYS(vec()), wadi_ix1(i(1)), first_of_n));
    T(wadi_foreign("f", 2, 1, ARRAYS(vec()), wadi_ix1(i(1)), first_of_n));
    T(wadi_foreign("f", 1, 1, ARRAYS(recs()), wadi_ix1(i(1)), first_of_n));
    T(wadi_foreign("f", 1, 2, ARRAYS(vec(), NO_ACC), wadi_ix1(i(1)), first_of_n));
    T(wadi_foreign("f", 1, 1, ARRAYS(vec()), wadi_ix1(f(1)), first_of_n));
    T(wadi_foreign("f", 1, 1, ARRAYS(vec()), wadi_ix2(i(1), i(1)), first_of_n));
    T(wadi_foreign("f", 1, 1, ARRAYS(vec()), wadi_ix1(i(1)), NULL));
    T(wadi_foreign("f", 1, 1, ARRAYS(vec()), wadi_ix1(i(1)), two_of_n));
    check_transcript("operators/cases/misuse_orders", &t);
    wadi_text_fini(&t);
}

static void sequences(void **state) {
    wadi_text t;
    (void)state;
    wadi_text_init(&t);
    T(wadi_produce(f(1), NULL));
    T(wadi_produce(i(1), NULL));
    T(wadi_stream_in("", 1, &(wadi_component){.elem = wadi_scalar_elem(WADI_F32)}));
    T(wadi_stream_in("s", 0, &(wadi_component){.elem = wadi_scalar_elem(WADI_F32)}));
    T(wadi_stream_in("s", 9999, &(wadi_component){.elem = wadi_scalar_elem(WADI_F32)}));
    T(wadi_stream_in("s", 1, NULL));
    T(wadi_stream_in("s", 1, &(wadi_component){.elem = wadi_scalar_elem(WADI_F32), .rank = 9}));
    T(wadi_stream_in("s", 1, &(wadi_component){.rank = 1}));
    T(wadi_to_seq(unit0()));
    T(wadi_to_seq_on(1, vec()));
    T(wadi_to_seq_on(-1, vec()));
    T(wadi_from_segs(vec(), ints(), vec()));
    T(wadi_from_segs(ints(), ints(), vec()));
    T(wadi_from_segs(ints(), wadi_input("s", WADI_I64, 2, NULL), vec()));
    T(wadi_from_segs(ints(), wadi_input("s", WADI_I64, 2, NAMES("n", "9")), vec()));
    T(wadi_from_segs(ints(), wadi_input("s", WADI_I64, 2, NAMES("n", "1")), mat()));
    T(wadi_from_offsets(mat(), vec()));
    T(wadi_from_offsets(vec(), vec()));
    T(wadi_from_offsets(ints(), mat()));
    T(wadi_from_shapes(ints(), vec()));
    T(wadi_from_shapes(mat(), vec()));
    T(wadi_from_shapes(wadi_input("s", WADI_I64, 2, NAMES("n", "0")), vec()));
    T(wadi_from_shapes(wadi_input("s", WADI_I64, 2, NAMES("n", "2")), mat()));
    T(wadi_subarrays(wadi_ix1(i(1)), mat()));
    T(wadi_subarrays(wadi_ix0(), unit0()));
    T(wadi_subarrays(wadi_ix1(f(1)), vec()));
    T(wadi_map_seq(same_acc, NO_SEQ));
    T(wadi_map_seq(NULL, seq_of(vec())));
    T(wadi_map_seq(no_acc, seq_of(vec())));
    T(wadi_zip_with_seq(first_acc, seq_of(vec()), NO_SEQ));
    T(wadi_zip_with_seq(NULL, seq_of(vec()), seq_of(vec())));
    T(wadi_filter_seq(same_acc, seq_of(vec())));
    T(wadi_filter_seq(true_of, NO_SEQ));
    T(wadi_filter_seq(NULL, seq_of(vec())));
    T(wadi_take_seq(f(1), seq_of(vec())));
    T(wadi_take_seq(i(1), NO_SEQ));
    T(wadi_drop_seq(b(), seq_of(vec())));
    T(wadi_expand_seq(same_acc, seq_of(unit0())));
    T(wadi_expand_seq(same_acc, NO_SEQ));
    T(wadi_expand_seq(NULL, seq_of(vec())));
    T(wadi_windows(f(1), i(1), WADI_LAST_DROP, seq_of(vec())));
    T(wadi_windows(i(1), f(1), WADI_LAST_DROP, seq_of(vec())));
    T(wadi_windows(i(1), i(1), (wadi_last)3, seq_of(vec())));
    T(wadi_windows(i(1), i(1), (wadi_last)-1, seq_of(vec())));
    T(wadi_windows(i(1), i(1), WADI_LAST_PAD, seq_of(mat())));
    T(wadi_windows(i(1), i(1), WADI_LAST_PAD, NO_SEQ));
    T(wadi_batch(f(1), seq_of(vec())));
    T(wadi_batch(i(1), seq_of(high())));
    T(wadi_batch(i(1), NO_SEQ));
    T(wadi_scan_seq(second_acc, unit0(), seq_of(vec())));
    T(wadi_scan_seq(first_acc, pair(), NO_SEQ));
    T(wadi_scan_seq(first_acc, NO_ACC, seq_of(vec())));
    T(wadi_scan_seq(second_acc, pair(), seq_of(vec())));
    T(wadi_scan_seq(NULL, unit0(), seq_of(vec())));
    T(wadi_scan_by_key(second_acc, vec(), seq_of(unit0())));
    T(wadi_scan_by_key(first_acc, unit0(), seq_of(vec())));
    T(wadi_scan_by_key(first_acc, unit0(), seq_of(wadi_unit(f(1)))));
    T(wadi_scan_by_key(first_acc, pair(), NO_SEQ));
    T(wadi_scan_by_key(first_acc, NO_ACC, seq_of(unit0())));
    T(wadi_scan_by_key(second_acc, pair(), seq_of(unit0())));
    T(wadi_scan_by_key(NULL, unit0(), seq_of(unit0())));
    T(wadi_fold_by_key(second_acc, vec(), seq_of(unit0())));
    T(wadi_fold_by_key(first_acc, unit0(), seq_of(vec())));
    T(wadi_fold_by_key(first_acc, pair(), NO_SEQ));
    T(wadi_fold_by_key(first_acc, NO_ACC, seq_of(unit0())));
    T(wadi_fold_by_key(NULL, unit0(), seq_of(unit0())));
    T(wadi_fold_seq(second_acc, mat(), seq_of(vec())));
    T(wadi_fold_seq(first_acc, mat(), NO_SEQ));
    T(wadi_fold_batch(second_acc, vec(), seq_of(vec())));
    T(wadi_fold_batch(NULL, vec(), seq_of(vec())));
    T(wadi_elements(NO_SEQ));
    T(wadi_tabulate(NO_SEQ));
    T(wadi_tabulate(seq_of(high())));
    T(wadi_tabulate_min(seq_of(high())));
    T(wadi_from_seq(NO_SEQ));
    T(wadi_consume((wadi_eat){0, 0}));
    T((wadi_stream_out(NO_SEQ, "s"), 0));
    T((wadi_stream_out(seq_of(vec()), ""), 0));
    T((wadi_stream_out(seq_of(vec()), NULL), 0));
    T((wadi_stream_out_unordered(NO_SEQ, "s"), 0));
    T((wadi_stream_out_unordered(seq_of(vec()), ""), 0));
    T((wadi_stream_out_unordered(seq_of(vec()), NULL), 0));
    T(wadi_random_u32(f(1), i(1)));
    T(wadi_random_u64(i(1), NO_EXP));
    T(wadi_random_words(i(1), i(1), f(2)));
    T(wadi_sincos(i(1)));
    T(wadi_sincos(rec_of()));
    T(wadi_sincos(NO_EXP));
    T(wadi_random_below(i(1), i(1), f(2)));
    T(wadi_random_below(i(1), rec_of(), i(2)));
    T(wadi_random_between(i(1), i(1), i(2), wadi_i32(2)));
    T(wadi_random_between(i(1), i(1), f(2), f(2)));
    T(wadi_random_normal_f32(f(1), i(1)));
    T(wadi_random_array(NULL, wadi_ix1(i(3)), i(1)));
    T(wadi_random_array(wadi_random_f32, wadi_ix1(f(3)), i(1)));
    T(wadi_random_array(wadi_random_f32, wadi_ix1(i(3)), f(1)));
    T(wadi_fft(vec()));
    T(wadi_fft(NO_ACC));
    T(wadi_fft(wadi_tuple2(zs(), zs())));
    T(wadi_rfft(NO_ACC));
    T(wadi_irfft(i(4), NO_ACC));
    T(wadi_irfft(NO_EXP, zs()));
    T(wadi_fft_own(1, false, NO_ACC));
    T(wadi_fft_sized(1, I64S(4), false, NO_ACC));
    T(wadi_fft(wadi_unit(wadi_c64(1, 2))));
    T(wadi_fft_nd(0, zs()));
    T(wadi_fft_nd(2, zs()));
    T(wadi_ifft_nd(4, zs()));
    T(wadi_rfft(zs()));
    T(wadi_rfft_nd(2, vec()));
    T(wadi_irfft(i(4), vec()));
    T(wadi_irfft(f(4), zs()));
    T(wadi_irfft_nd(2, i(4), zs()));
    T(wadi_fft_own(1, false, vec()));
    T(wadi_fft_own(0, true, zs()));
    T(wadi_fft_nd(1, wadi_input("z", WADI_C64, 5, NULL)));
    T(wadi_fft_own(1, false, wadi_input("z", WADI_C64, 5, NULL)));
    T(wadi_fft_sized(1, I64S(-1), false, zs()));
    T(wadi_fft_sized(1, I64S(16777217), true, zs()));
    T(wadi_fft_sized(2, I64S(4, 4), false, zs()));
    check_transcript("operators/cases/misuse_sequences", &t);
    wadi_text_fini(&t);
}

/* ---- where calls may stand ---- */

static wadi_acc kept;
static wadi_exp kept_scalar;

static wadi_acc keep_acc(wadi_acc a) {
    kept = a;
    return a;
}

static wadi_exp keep_scalar(wadi_exp x) {
    kept_scalar = x;
    return x;
}

static wadi_acc output_inside(wadi_acc a) {
    wadi_output("inside", a);
    return a;
}

static wadi_acc stream_inside(wadi_acc a) {
    wadi_stream_out(seq_of(vec()), "inside");
    return a;
}

static wadi_exp array_of_scalar(wadi_exp x) {
    return wadi_the(wadi_sum(wadi_fill(wadi_ix1(i(3)), x)));
}

static void places(void **state) {
    wadi_text t;
    (void)state;
    wadi_text_init(&t);
    T(wadi_map_seq(output_inside, seq_of(vec())));
    T(wadi_map_seq(stream_inside, seq_of(vec())));
    T((wadi_map_seq(keep_acc, seq_of(vec())), wadi_output("x", kept), 0));
    T((wadi_map_seq(keep_acc, seq_of(vec())), wadi_map(same1, kept)));
    T((wadi_map(keep_scalar, vec()), wadi_unit(kept_scalar)));
    T((wadi_map(keep_scalar, vec()), wadi_add(kept_scalar, f(1))));
    T(wadi_map(array_of_scalar, vec()));
    T((wadi_output("x", (wadi_acc){seq_of(vec()).node, wadi_unit(f(1)).program}), 0));
    check_transcript("operators/cases/misuse_places", &t);
    wadi_text_fini(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reductions),
        cmocka_unit_test(orders_and_routines),
        cmocka_unit_test(sequences),
        cmocka_unit_test(places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
