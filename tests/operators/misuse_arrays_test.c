/* The messages of scalar and array functions for arguments that do not fit, with the place of the call:
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

static void scalars(void **state) {
    wadi_text t;
    (void)state;
    wadi_text_init(&t);
    T(wadi_add(f(1), i(1)));
    T(wadi_add(b(), b()));
    T(wadi_add(f(1), NO_EXP));
    T(wadi_add(NO_EXP, f(1)));
    T(wadi_add(rec_of(), f(1)));
    T(wadi_sub(i(1), wadi_u64(1)));
    T(wadi_neg(b()));
    T(wadi_abs(b()));
    T(wadi_min(wadi_c64(1, 2), wadi_c64(1, 2)));
    T(wadi_signum(wadi_c64(1, 2)));
    T(wadi_quot(f(1), f(1)));
    T(wadi_rem(wadi_c64(1, 2), wadi_c64(1, 2)));
    T(wadi_div(b(), b()));
    T(wadi_div(f(1), i(1)));
    T(wadi_div(i(1), f(1)));
    T(wadi_div(NO_EXP, f(1)));
    T(wadi_div(rec_of(), rec_of()));
    T(wadi_and(f(1), f(1)));
    T(wadi_not(f(1)));
    T(wadi_shl(f(1), i(1)));
    T(wadi_shl(i(1), f(1)));
    T(wadi_shr(b(), i(1)));
    T(wadi_rotl(i(1), b()));
    T(wadi_rotr(wadi_c64(1, 2), i(1)));
    T(wadi_shl(i(1), NO_EXP));
    T(wadi_popcount(f(1)));
    T(wadi_clz(b()));
    T(wadi_ctz(wadi_c64(1, 2)));
    T(wadi_eq(i(1), f(1)));
    T(wadi_ne(rec_of(), rec_of()));
    T(wadi_lt(wadi_c64(1, 2), wadi_c64(1, 2)));
    T(wadi_ge(i(1), wadi_i32(1)));
    T(wadi_land(i(1), i(1)));
    T(wadi_lor(b(), i(1)));
    T(wadi_lnot(i(1)));
    T(wadi_sqrt(i(1)));
    T(wadi_cbrt(wadi_c64(1, 2)));
    T(wadi_exp_(b()));
    T(wadi_atan2(f(1), wadi_f64(1)));
    T(wadi_pow(i(1), i(1)));
    T(wadi_floor(i(1)));
    T(wadi_fma(f(1), f(1), wadi_f64(1)));
    T(wadi_fma(f(1), NO_EXP, f(1)));
    T(wadi_fma(i(1), i(1), i(1)));
    T(wadi_isnan(i(1)));
    T(wadi_complex(f(1), wadi_f64(1)));
    T(wadi_complex(i(1), i(1)));
    T(wadi_real(f(1)));
    T(wadi_conj(i(1)));
    T(wadi_literal((wadi_type)99, 1));
    T(wadi_convert((wadi_type)99, i(1)));
    T(wadi_convert((wadi_type)-1, i(1)));
    T(wadi_convert(WADI_F32, rec_of()));
    T(wadi_convert(WADI_F32, NO_EXP));
    T(wadi_bitcast(WADI_F64, f(1)));
    T(wadi_bitcast(WADI_U8, b()));
    T(wadi_bitcast(WADI_BOOL, wadi_u8(1)));
    T(wadi_bitcast(WADI_U64, wadi_c64(1, 2)));
    T(wadi_bitcast((wadi_type)WADI_TYPE_COUNT, f(1)));
    T(wadi_bitcast(WADI_F32, rec_of()));
    T(wadi_cond(i(1), f(1), f(1)));
    T(wadi_cond(b(), f(1), i(1)));
    T(wadi_cond(b(), rec_of(), i(1)));
    T(wadi_cond(NO_EXP, f(1), f(1)));
    T(wadi_cond(b(), NO_EXP, f(1)));
    T(wadi_cond(b(), f(1), NO_EXP));
    T(wadi_while(same1, same1, f(1)));
    T(wadi_while(true1, i64_of1, f(1)));
    T(wadi_while(true1, same1, NO_EXP));
    T(wadi_while(no_exp1, same1, f(1)));
    T(wadi_while(true1, no_exp1, f(1)));
    T(wadi_while(NULL, same1, f(1)));
    T(wadi_while(true1, NULL, f(1)));
    T(wadi_iterate(f(1), first2, f(1)));
    T(wadi_iterate(i(1), first2, f(1)));
    T(wadi_iterate(i(1), first2, NO_EXP));
    T(wadi_iterate(NO_EXP, first2, f(1)));
    T(wadi_iterate(rec_of(), first2, i(1)));
    T(wadi_iterate(i(1), NULL, i(1)));
    T(wadi_rec(0, NAMES(""), &(wadi_exp){0, 0}));
    T(wadi_rec(17, NAMES(""), &(wadi_exp){0, 0}));
    T(wadi_rec(1, NULL, &(wadi_exp){0, 0}));
    T(wadi_rec(1, NAMES("a"), NULL));
    T(wadi_rec2("a", f(1), "a", f(1)));
    T(wadi_rec2("a", f(1), "", f(1)));
    T(wadi_rec2(NULL, f(1), "b", f(1)));
    T(wadi_rec2("a", f(1), "b", NO_EXP));
    T(wadi_rec3("a", f(1), "b", f(1), "c", rec_of()));
    T(wadi_rec3("a", f(1), "b", f(1), "b", f(1)));
    T(wadi_get(rec_of(), "c"));
    T(wadi_get(rec_of(), NULL));
    T(wadi_get(f(1), "a"));
    T(wadi_get(NO_EXP, "a"));
    check_transcript("operators/cases/misuse_scalars", &t);
    wadi_text_fini(&t);
}

static wadi_acc tuple_of(int n) {
    wadi_acc parts[65];
    for (int k = 0; k < n; k++) parts[k] = vec();
    return wadi_tuple(n, parts);
}

/* 63 loops in each other, and `more` in them. */
static wadi_exp deeper(void *env, wadi_exp x) {
    int *left = env;
    return (*left)-- > 0 ? wadi_while_env(deeper, deeper, env, b()) : x;
}

static wadi_exp nested(int more) {
    int left = 63 + more;
    return wadi_while_env(deeper, deeper, &left, b());
}

static void reads_and_indices(void **state) {
    wadi_text t;
    (void)state;
    wadi_text_init(&t);
    T(wadi_index(mat(), wadi_ix1(i(1))));
    T(wadi_index(vec(), wadi_ix0()));
    T(wadi_index1(vec(), f(1)));
    T(wadi_index1(vec(), NO_EXP));
    T(wadi_index1(NO_ACC, i(1)));
    T(wadi_index1(pair(), i(1)));
    T(wadi_index2(mat(), i(1), b()));
    T(wadi_index3(mat(), i(1), i(1), i(1)));
    T(wadi_linear(mat(), f(1)));
    T(wadi_linear(NO_ACC, i(1)));
    T(wadi_linear(mat(), NO_EXP));
    T(wadi_the(vec()));
    T(wadi_the(NO_ACC));
    T(wadi_the(pair()));
    T(wadi_extent(mat(), 2));
    T(wadi_extent(mat(), -1));
    T(wadi_extent(unit0(), 0));
    T(wadi_extent(NO_ACC, 0));
    T(wadi_size(NO_ACC));
    T(wadi_size(pair()));
    T(wadi_unit(wadi_index1(vec(), wadi_extent(vec(), 1))));
    T(wadi_tuple_get(pair(), 2));
    T(wadi_tuple_get(pair(), -1));
    T(wadi_tuple_get(vec(), 1));
    T(wadi_tuple_get(NO_ACC, 0));
    T(wadi_tuple(0, ARRAYS(NO_ACC)));
    T(wadi_tuple(1, NULL));
    T(wadi_tuple2(vec(), NO_ACC));
    T(tuple_of(64));
    T(tuple_of(65));
    T(nested(0));
    T(nested(1));
    T(wadi_shape_of(NO_ACC).rank);
    T(wadi_shape_of(pair()).rank);
    T(wadi_to_index(wadi_ix1(i(1)), wadi_ix2(i(1), i(1))));
    T(wadi_to_index((wadi_ix){.rank = 9}, wadi_ix0()));
    T(wadi_to_index((wadi_ix){.rank = -1}, wadi_ix0()));
    T(wadi_to_index(wadi_ix2(i(1), i(1)), wadi_ix2(i(1), f(1))));
    T(wadi_to_index(wadi_ix2(i(1), f(1)), wadi_ix2(i(1), i(1))));
    T(wadi_from_index(wadi_ix1(f(1)), i(1)).rank);
    T(wadi_from_index(wadi_ix2(i(1), i(1)), f(1)).rank);
    T(wadi_from_index((wadi_ix){.rank = 9}, i(1)).rank);
    T(wadi_ignore(9).rank);
    T(wadi_ignore(-1).rank);
    T(wadi_keep_if(i(1), wadi_ix0()).rank);
    T(wadi_keep_if(NO_EXP, wadi_ix0()).rank);
    T((wadi_output("x", NO_ACC), 0));
    T((wadi_output("", vec()), 0));
    T((wadi_output(NULL, vec()), 0));
    T((wadi_output("x", vec()), wadi_output("x", ints()), 0));
    T((wadi_output("x", pair()), wadi_output("x.1", ints()), 0));
    T(wadi_named("a b", vec()));
    T(wadi_named("1a", vec()));
    T(wadi_named("", vec()));
    T(wadi_named(NULL, vec()));
    T(wadi_input("", WADI_F32, 1, NULL));
    T(wadi_input(NULL, WADI_F32, 1, NULL));
    T(wadi_input("v", (wadi_type)99, 1, NULL));
    T(wadi_input("v", WADI_F32, 9, NULL));
    T(wadi_input("v", WADI_F32, -1, NULL));
    T(wadi_input("v", WADI_F32, 1, NAMES("-1")));
    T(wadi_input("v", WADI_F32, 2, NAMES("n", "2n")));
    T(wadi_input("v", WADI_F32, 1, NAMES("n m")));
    T(wadi_input("v", WADI_F32, 1, NAMES("99999999999999999999")));
    T(wadi_input_rec("v", (wadi_elem_type){.fields = 0}, 1, NULL));
    T(wadi_input_rec("v", (wadi_elem_type){.fields = 17}, 1, NULL));
    T(wadi_input_rec("v", (wadi_elem_type){.fields = 2, .name = {"a"}}, 1, NULL));
    T(wadi_input_rec("v", (wadi_elem_type){.fields = 2, .name = {"a", "a"}}, 1, NULL));
    T(wadi_input_rec("v", (wadi_elem_type){.fields = 2, .name = {"a", "b c"}}, 1, NULL));
    T(wadi_input_rec(
        "v", (wadi_elem_type){.fields = 2, .type = {WADI_F32, (wadi_type)99}, .name = {"a", "b"}},
        1, NULL));
    T(wadi_use(NULL));
    T(wadi_use(&(wadi_array){.rank = 9, .fields = 1}));
    T(wadi_use(&(wadi_array){.rank = -1, .fields = 1}));
    T(wadi_use(&(wadi_array){.rank = 1, .fields = 0}));
    T(wadi_use(&(wadi_array){.rank = 1, .fields = 17}));
    T(wadi_use(&(wadi_array){.rank = 1, .shape = {-1}, .fields = 1}));
    T(wadi_use(&(wadi_array){.rank = 1, .shape = {1}, .fields = 1}));
    T(wadi_use(&(wadi_array){.rank = 1, .shape = {0}, .fields = 1, .type = {(wadi_type)99}}));
    T(wadi_use(&(wadi_array){.rank = 2, .shape = {INT64_MAX, 2}, .fields = 1}));
    T(wadi_use(
        &(wadi_array){.rank = 1, .shape = {INT64_MAX / 8 + 1}, .fields = 1, .column = {&t}}));
    T(wadi_use(&(wadi_array){.rank = 1,
                             .shape = {INT64_MAX / 16 + 1},
                             .fields = 1,
                             .type = {WADI_C128},
                             .column = {&t}}));
    check_transcript("operators/cases/misuse_reads", &t);
    wadi_text_fini(&t);
}

static void arrays(void **state) {
    wadi_text t;
    (void)state;
    wadi_text_init(&t);
    T(wadi_unit(NO_EXP));
    T(wadi_generate(wadi_ix1(f(1)), first_of_ix));
    T(wadi_generate((wadi_ix){.rank = 9}, first_of_ix));
    T(wadi_generate((wadi_ix){.rank = -1}, first_of_ix));
    T(wadi_generate(wadi_ix1(NO_EXP), first_of_ix));
    T(wadi_generate(wadi_ix1(i(1)), NULL));
    T(wadi_fill(wadi_ix1(b()), i(1)));
    T(wadi_fill(wadi_ix1(i(1)), NO_EXP));
    T(wadi_iota((wadi_type)99, i(1)));
    T(wadi_iota(WADI_F32, f(1)));
    T(wadi_enum_from_step(i(1), f(1), i(1)));
    T(wadi_enum_from_step(f(1), f(1), f(1)));
    T(wadi_enum_from_step(i(1), b(), b()));
    T(wadi_map(same1, NO_ACC));
    T(wadi_map(same1, pair()));
    T(wadi_map(no_exp1, vec()));
    T(wadi_map(NULL, vec()));
    T(wadi_imap(NULL, vec()));
    T(wadi_zip_with(first2, vec(), mat()));
    T(wadi_zip_with(first2, vec(), NO_ACC));
    T(wadi_zip_with(first2, NO_ACC, vec()));
    T(wadi_zip_with(first2, pair(), vec()));
    T(wadi_zip_with(wadi_add, vec(), ints()));
    T(wadi_zip_with3(NULL, vec(), vec(), vec()));
    T(wadi_zip_with3(NULL, vec(), vec(), mat()));
    T(wadi_zip_with4(NULL, vec(), vec(), vec(), unit0()));
    T(wadi_zip_with_n(NULL, 1, ARRAYS(vec())));
    T(wadi_zip_with_n(NULL, 10, ARRAYS(vec())));
    T(wadi_zip_with_n(NULL, 2, NULL));
    T(wadi_izip_with(NULL, vec(), mat()));
    T(wadi_backpermute(wadi_ix1(f(1)), same_ix, vec()));
    T(wadi_backpermute(wadi_ix1(i(1)), same_ix, mat()));
    T(wadi_backpermute(wadi_ix1(i(1)), rank2_ix, vec()));
    T(wadi_backpermute(wadi_ix1(i(1)), float_ix, vec()));
    T(wadi_backpermute(wadi_ix1(i(1)), dropping_ix, vec()));
    T(wadi_backpermute(wadi_ix1(i(1)), NULL, vec()));
    T(wadi_backpermute(wadi_ix1(i(1)), same_ix, NO_ACC));
    T(wadi_replicate(1, SPECS(wadi_fix(i(1))), vec()));
    T(wadi_replicate(2, SPECS(wadi_all(), wadi_all()), vec()));
    T(wadi_replicate(2, SPECS(wadi_any(), wadi_any()), vec()));
    T(wadi_replicate(3, SPECS(wadi_any(), wadi_all(), wadi_all()), vec()));
    T(wadi_replicate(2, SPECS(wadi_fix(f(1)), wadi_all()), vec()));
    T(wadi_replicate(2, SPECS(wadi_fix(i(1)), wadi_any()), high()));
    T(wadi_replicate(1, NULL, vec()));
    T(wadi_slice(1, SPECS(wadi_all()), mat()));
    T(wadi_slice(3, SPECS(wadi_all(), wadi_fix(i(1)), wadi_all()), mat()));
    T(wadi_slice(1, SPECS(wadi_fix(f(1))), vec()));
    T(wadi_slice(2, SPECS(wadi_any(), wadi_any()), vec()));
    T(wadi_slice(2, SPECS(wadi_fix(i(1)), wadi_fix(i(1))), vec()));
    T(wadi_slice(1, NULL, vec()));
    T(wadi_reshape(wadi_ix1(f(1)), vec()));
    T(wadi_reshape((wadi_ix){.rank = 9}, vec()));
    T(wadi_reshape(wadi_ix1(i(1)), NO_ACC));
    T(wadi_assert_shape(wadi_ix1(i(1)), mat()));
    T(wadi_assert_shape(wadi_ix1(f(1)), vec()));
    T(wadi_flatten(pair()));
    T(wadi_transpose(pair()));
    T(wadi_transpose_on(NULL, vec()));
    T(wadi_transpose_on(DIMS(0, 0), mat()));
    T(wadi_transpose_on(DIMS(0, 2), mat()));
    T(wadi_transpose_on(DIMS(-1, 0), mat()));
    T(wadi_reverse(unit0()));
    T(wadi_reverse_on(1, vec()));
    T(wadi_reverse_on(-1, vec()));
    T(wadi_take(i(1), unit0()));
    T(wadi_take(f(1), vec()));
    T(wadi_take_on(1, i(1), vec()));
    T(wadi_drop(i(1), unit0()));
    T(wadi_drop_on(-1, i(1), vec()));
    T(wadi_init(unit0()));
    T(wadi_tail_on(1, vec()));
    T(wadi_slit(f(1), i(1), vec()));
    T(wadi_slit_on(1, i(1), i(1), vec()));
    T(wadi_gather(vec(), vec()));
    T(wadi_gather(recs(), vec()));
    T(wadi_gather(ints(), mat()));
    T(wadi_gather_if(ints(), ints(), vec(), vec()));
    T(wadi_gather_if(bools(), vec(), vec(), vec()));
    T(wadi_gather_if(bools(), ints(), ints(), vec()));
    T(wadi_gather_if(bools(), ints(), vec(), mat()));
    T(wadi_concat(vec(), mat()));
    T(wadi_concat(vec(), ints()));
    T(wadi_concat(unit0(), unit0()));
    T(wadi_concat_on(1, vec(), vec()));
    T(wadi_concat_n(0, 0, ARRAYS(vec())));
    T(wadi_concat_n(0, 10, ARRAYS(vec())));
    T(wadi_concat_n(0, 3, ARRAYS(vec(), vec(), ints())));
    T(wadi_concat_n(0, 2, NULL));
    T(wadi_compute(NO_ACC));
    T(wadi_spread_on(2, vec()));
    T(wadi_spread_on(-1, vec()));
    T(wadi_spread_on(0, recs()));
    T(wadi_spread_on(0, high()));
    check_transcript("operators/cases/misuse_arrays", &t);
    wadi_text_fini(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scalars),
        cmocka_unit_test(reads_and_indices),
        cmocka_unit_test(arrays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
