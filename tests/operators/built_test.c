/* What builder functions build: the program of each call as text, in tests/operators/cases/built_*.txt. This shows every line of the
 * programs that derived operations become. Other tests check what operators mean. */
#include <string.h>

#include "graph/lang/node.h"
#include "tests/operators/cases.h"
#include "tests/operators/misuse.h"
#include "wadi/lang_arrays.h"
#include "wadi/lang_fft.h"
#include "wadi/lang_seq.h"

/* The program but for its name and its inputs, which are the same for all. */
static void add_lines(const wadi_module *m, wadi_text *out) {
    wadi_text all;
    wadi_text_init(&all);
    wadi_ir_print(m, &all);
    for (const char *at = wadi_text_str(&all); *at; at += strcspn(at, "\n") + 1)
        if (*at != '\n' && strncmp(at, "input ", 6) != 0 && strncmp(at, "program ", 8) != 0)
            wadi_text_add_n(out, at, strcspn(at, "\n") + 1);
    wadi_text_fini(&all);
}

static void tell_program(wadi_program *p, const char *call, wadi_text *out) {
    wadi_error err = {0};
    wadi_module *m = NULL;
    wadi_text_addf(out, "# %s\n", call);
    wadi_status st = wadi_program_check(p, &err);
    if (st == WADI_OK) st = wadi_program_lower(p, wadi_operators(), &m, &err);
    if (st == WADI_OK) st = wadi_ir_verify(m, &err);
    if (st == WADI_OK)
        add_lines(m, out);
    else
        wadi_text_addf(out, "%s: %s\n", wadi_status_name(st), err.msg);
    wadi_module_destroy(m);
    wadi_program_destroy(p);
}

/* What calls are made of. Made first, since C evaluates arguments in any order; what is not used is left out of the program. */
static struct {
    wadi_acc v, w, v3, k, l, m, m2, c, c2, c3, n, b, u, z, p;
    wadi_exp s, s2;
} g;

static void make_inputs(void) {
    static const char *const pqr[] = {"p", "q", "r"};
    g.v = vec();
    g.w = wadi_input("w", WADI_F32, 1, NULL);
    g.v3 = wadi_input("v3", WADI_F32, 1, NULL);
    g.k = ints();
    g.l = wadi_input("l", WADI_I64, 1, NULL);
    g.m = mat();
    g.m2 = wadi_input("m2", WADI_F32, 2, NULL);
    g.c = wadi_input("c", WADI_I64, 3, pqr);
    g.c2 = wadi_input("c2", WADI_I64, 3, pqr);
    g.c3 = wadi_input("c3", WADI_I64, 3, pqr);
    g.n = wadi_input("n", WADI_I32, 2, NULL);
    g.b = bools();
    g.u = unit0();
    g.z = zs();
    g.s = wadi_the(g.u);
    g.s2 = wadi_the(wadi_input("u2", WADI_I64, 0, NULL));
    g.p = wadi_tuple2(g.v, g.k);
}

/* The call gives an array; what it is made of is all there is in its program. */
#define A(call)                                      \
    do {                                             \
        wadi_program *p_ = wadi_program_create("t"); \
        make_inputs();                               \
        wadi_output("x", call);                      \
        tell_program(p_, #call, &t);                 \
    } while (0)

/* The call gives a stream. */
#define S(call)                                      \
    do {                                             \
        wadi_program *p_ = wadi_program_create("t"); \
        make_inputs();                               \
        wadi_stream_out(call, "x");                  \
        tell_program(p_, #call, &t);                 \
    } while (0)

/* The call gives a scalar. */
#define E(call) A(wadi_unit(call))

#define ARRAYS(...) ((const wadi_acc[]){__VA_ARGS__})
#define SPECS(...) ((const wadi_spec[]){__VA_ARGS__})
#define NAMES(...) ((const char *const[]){__VA_ARGS__})
#define DIMS(...) ((const int[]){__VA_ARGS__})

static wadi_exp f(float x) {
    return wadi_f32(x);
}

static wadi_exp i(int64_t x) {
    return wadi_i64(x);
}

static wadi_exp later(wadi_exp a, wadi_exp b) {
    return wadi_sub(wadi_mul(a, a), b);
}

static wadi_exp is_positive(wadi_exp a) {
    return wadi_gt(a, f(0));
}

static wadi_exp as_i64(wadi_exp a) {
    return wadi_convert(WADI_I64, a);
}

static wadi_exp grown(wadi_exp x, wadi_exp j) {
    return wadi_add(x, wadi_convert(WADI_F32, j));
}

static wadi_exp grown_first(wadi_exp j, wadi_exp x) {
    return grown(x, j);
}

static wadi_exp both_of(wadi_exp x, wadi_exp y) {
    return wadi_rec2("x", x, "y", y);
}

static wadi_ix turned(wadi_ix ix) {
    return wadi_ix1(wadi_sub(i(7), ix.at[0]));
}

static wadi_ix kept_if_even(wadi_ix ix) {
    return wadi_keep_if(wadi_eq(wadi_rem(ix.at[0], i(2)), i(0)), ix);
}

static wadi_ix kept_twice(wadi_ix ix) {
    return wadi_keep_if(wadi_lt(ix.at[0], i(5)), kept_if_even(ix));
}

static wadi_ix none_or_same(wadi_ix ix) {
    (void)ix;
    return wadi_ignore(1);
}

static wadi_exp sum_of_ix(wadi_ix ix) {
    return wadi_add(ix.at[0], ix.at[1]);
}

static wadi_exp plus_index(wadi_ix ix, wadi_exp x) {
    return wadi_add(wadi_convert(WADI_F32, ix.at[0]), x);
}

static wadi_exp izip(wadi_ix ix, wadi_exp x, wadi_exp y) {
    return wadi_rec3("i", ix.at[0], "x", x, "y", y);
}

static wadi_exp of3(wadi_exp a, wadi_exp b, wadi_exp c) {
    return wadi_fma(a, b, c);
}

static wadi_exp of4(wadi_exp a, wadi_exp b, wadi_exp c, wadi_exp d) {
    return wadi_cond(wadi_lt(a, b), c, d);
}

static wadi_acc shorter(wadi_acc a) {
    return wadi_drop(i(1), a);
}

static wadi_acc is_long(wadi_acc a) {
    return wadi_unit(wadi_gt(wadi_extent(a, 0), i(3)));
}

static wadi_acc added(wadi_acc a, wadi_acc b) {
    return wadi_zip_with(wadi_add, a, b);
}

static wadi_acc doubled(wadi_acc a) {
    return wadi_zip_with(wadi_add, a, a);
}

static wadi_exp below_ten(wadi_exp x) {
    return wadi_lt(x, f(10));
}

static wadi_exp twice(wadi_exp x) {
    return wadi_add(x, x);
}

static wadi_acc whole_state(wadi_acc state, wadi_acc chunk) {
    return wadi_zip_with(wadi_add, state, wadi_sum(wadi_map(twice, wadi_tuple_get(chunk, 1))));
}

static wadi_acc state_and_key(wadi_acc state, wadi_acc key) {
    return wadi_map(twice, wadi_take(wadi_the(key), state));
}

static wadi_acc sums(wadi_exp n) {
    return wadi_fill(wadi_ix1(n), f(1));
}

static void scalars_and_indices(void **state) {
    wadi_text t;
    (void)state;
    wadi_text_init(&t);
    E(wadi_add(wadi_mul(g.s, i(2)), wadi_neg(g.s2)));
    E(wadi_literal(WADI_U8, 300));
    E(wadi_convert(WADI_F32, i(3)));
    E(wadi_convert(WADI_F32, g.s));
    E(wadi_convert(WADI_I64, g.s));
    E(wadi_bitcast(WADI_F64, g.s));
    E(wadi_div(g.s, i(3)));
    E(wadi_div(wadi_convert(WADI_C64, g.s), wadi_c64(1, 2)));
    E(wadi_shl(g.s, g.s2));
    E(wadi_shr(g.s, wadi_convert(WADI_U64, g.s2)));
    E(wadi_shr(g.s, wadi_convert(WADI_U32, g.s2)));
    E(wadi_shl(g.s, wadi_convert(WADI_I16, g.s2)));
    E(wadi_shl(g.s, i(-5)));
    E(wadi_shl(g.s, i(65)));
    E(wadi_shl(g.s, i(64)));
    E(wadi_shr(g.s, i(3)));
    E(wadi_rotl(g.s, g.s2));
    E(wadi_rotr(g.s, wadi_u8(200)));
    E(wadi_cond(wadi_lt(g.s, i(3)), rec_of(), rec_of()));
    E(wadi_get(wadi_cond(wadi_lt(g.s, i(3)), rec_of(), rec_of()), "b"));
    E(wadi_get(rec_of(), "b"));
    E(wadi_while(below_ten, twice, f(1)));
    E(wadi_iterate(g.s, grown_first, f(1)));
    E(wadi_index(g.c, wadi_ix3(i(1), g.s, wadi_i32(2))));
    E(wadi_linear(g.c, g.s));
    E(wadi_size(g.c));
    E(wadi_size(g.u));
    E(wadi_extent(g.c, 1));
    E(wadi_to_index(wadi_shape_of(g.c), wadi_ix3(i(1), i(2), i(3))));
    E(wadi_to_index(wadi_ix0(), wadi_ix0()));
    E(wadi_from_index(wadi_shape_of(g.c), g.s).at[0]);
    E(wadi_from_index(wadi_shape_of(g.c), g.s).at[1]);
    E(wadi_from_index(wadi_shape_of(g.c), g.s).at[2]);
    check_transcript("operators/cases/built_scalars", &t);
    wadi_text_fini(&t);
}

static void places_and_elements(void **state) {
    wadi_text t;
    (void)state;
    wadi_text_init(&t);
    A(wadi_generate(wadi_ix2(g.s, i(3)), sum_of_ix));
    A(wadi_fill(wadi_ix2(g.s, wadi_i8(3)), f(1)));
    A(wadi_iota(WADI_F32, g.s));
    A(wadi_iota(WADI_I64, i(3)));
    A(wadi_enum_from_step(g.s, f(1), f(0.5f)));
    A(wadi_map(is_positive, g.m));
    A(wadi_imap(plus_index, g.v));
    A(wadi_zip_with(later, g.v, g.w));
    A(wadi_zip_with3(of3, g.v, g.w, g.v3));
    A(wadi_zip_with4(of4, g.v, g.w, g.k, g.l));
    A(wadi_izip_with(izip, g.v, g.k));
    A(wadi_zip_with_min(later, g.m, g.m2));
    A(wadi_zip_with_min(later, g.v, g.w));
    A(wadi_backpermute(wadi_ix1(g.s), turned, g.v));
    A(wadi_replicate(3, SPECS(wadi_fix(g.s), wadi_all(), wadi_fix(i(2))), g.v));
    A(wadi_replicate(2, SPECS(wadi_any(), wadi_fix(i(2))), g.m));
    A(wadi_slice(3, SPECS(wadi_fix(g.s), wadi_all(), wadi_fix(i(2))), g.c));
    A(wadi_slice(2, SPECS(wadi_any(), wadi_fix(i(2))), g.c));
    A(wadi_reshape(wadi_ix2(g.s, i(3)), g.v));
    A(wadi_assert_shape(wadi_ix2(g.s, i(3)), g.m));
    A(wadi_flatten(g.c));
    A(wadi_flatten(g.u));
    A(wadi_flatten(g.v));
    A(wadi_transpose(g.c));
    A(wadi_transpose_on(DIMS(1, 2, 0), g.c));
    A(wadi_reverse(g.c));
    A(wadi_reverse_on(0, g.c));
    A(wadi_take(g.s, g.c));
    A(wadi_take_on(1, i(3), g.c));
    A(wadi_drop(g.s, g.c));
    A(wadi_drop_on(0, i(3), g.c));
    A(wadi_init(g.c));
    A(wadi_init_on(1, g.c));
    A(wadi_tail(g.c));
    A(wadi_tail_on(0, g.c));
    A(wadi_slit(i(1), i(2), g.c));
    A(wadi_slit_on(0, i(1), i(2), g.c));
    A(wadi_gather(g.n, g.v));
    A(wadi_gather_if(wadi_map(is_positive, g.v), g.k, g.w, g.v3));
    A(wadi_concat(g.m, g.m2));
    A(wadi_concat_on(0, g.m, g.m2));
    A(wadi_concat_n(1, 3, ARRAYS(g.c, g.c2, g.c3)));
    A(wadi_compute(g.p));
    A(wadi_named("twice", wadi_map(twice, g.v)));
    A(wadi_spread_on(1, wadi_zip_with(both_of, g.v, g.w)));
    A(g.p);
    A(wadi_tuple_get(wadi_tuple2(g.p, g.c), 2));
    check_transcript("operators/cases/built_places", &t);
    wadi_text_fini(&t);
}

static void reductions_and_permutations(void **state) {
    wadi_text t;
    (void)state;
    wadi_text_init(&t);
    A(wadi_fold(later, f(1), g.m));
    A(wadi_fold1(later, g.m));
    A(wadi_fold_all(later, f(1), g.m));
    A(wadi_fold_all(later, f(1), wadi_unit(f(2))));
    A(wadi_sum(g.m));
    A(wadi_sum(g.n));
    A(wadi_matmul(g.m, wadi_transpose(g.m2)));
    A(wadi_product(g.z));
    A(wadi_minimum(g.m));
    A(wadi_maximum(g.m));
    A(wadi_all_of(g.b));
    A(wadi_any_of(g.b));
    A(wadi_argmin(g.m));
    A(wadi_argmax(g.v));
    A(wadi_scanl(later, f(1), g.m));
    A(wadi_scanl1(later, g.m));
    A(wadi_scanr(later, f(1), g.m));
    A(wadi_scanr1(later, g.m));
    A(wadi_scanl_total(later, f(1), g.m));
    A(wadi_scanr_total(later, f(1), g.m));
    A(wadi_prescanl(later, f(1), g.m));
    A(wadi_postscanl(later, f(1), g.m));
    A(wadi_prescanr(later, f(1), g.m));
    A(wadi_postscanr(later, f(1), g.m));
    A(wadi_permute(later, g.v, kept_if_even, g.w));
    A(wadi_permute(later, g.v, kept_twice, g.w));
    A(wadi_permute(later, g.v, none_or_same, g.w));
    A(wadi_scatter(g.n, g.v, g.m));
    A(wadi_scatter_if(g.b, g.k, g.v, g.w));
    A(wadi_histogram(wadi_add, g.s, f(0), g.k, g.v));
    A(wadi_filter(is_positive, g.v));
    A(wadi_filter(is_positive, g.m));
    A(wadi_compact(g.b, g.v));
    A(wadi_partition(is_positive, g.m));
    A(wadi_expand(as_i64, grown, g.v));
    A(wadi_expand_offsets(grown, g.k, g.v));
    A(wadi_sort(g.v));
    A(wadi_sort(wadi_input("d", WADI_U8, 1, NULL)));
    A(wadi_sort_by_key(as_i64, g.m));
    A(wadi_acond(wadi_lt(g.s, i(3)), wadi_map(twice, g.v), g.w));
    A(wadi_awhile(is_long, shorter, g.v));
    A(wadi_with_lifted(doubled, doubled, g.v));
    check_transcript("operators/cases/built_reductions", &t);
    wadi_text_fini(&t);
}

static void segments(void **state) {
    wadi_text t;
    (void)state;
    wadi_text_init(&t);
    A(wadi_fold_seg(later, f(1), g.k, g.m));
    A(wadi_fold_offsets(later, f(1), g.k, g.m));
    A(wadi_fold1_seg(later, g.k, g.m));
    A(wadi_fold1_offsets(later, g.k, g.m));
    A(wadi_scanl_seg(later, f(1), g.k, g.m));
    A(wadi_scanl1_seg(later, g.k, g.m));
    A(wadi_prescanl_seg(later, f(1), g.k, g.m));
    A(wadi_postscanl_seg(later, f(1), g.k, g.m));
    A(wadi_scanl_total_seg(later, f(1), g.k, g.v));
    A(wadi_scanr_seg(later, f(1), g.k, g.m));
    A(wadi_scanr1_seg(later, g.k, g.m));
    A(wadi_prescanr_seg(later, f(1), g.k, g.m));
    A(wadi_postscanr_seg(later, f(1), g.k, g.m));
    A(wadi_scanl_offsets(later, f(1), g.k, g.m));
    A(wadi_scanl1_offsets(later, g.k, g.m));
    A(wadi_prescanl_offsets(later, f(1), g.k, g.m));
    check_transcript("operators/cases/built_segments", &t);
    wadi_text_fini(&t);
}

static void sequences_and_transforms(void **state) {
    wadi_text t;
    (void)state;
    wadi_text_init(&t);
    S(wadi_produce(g.s, sums));
    S(wadi_take_seq(i(9), wadi_produce(wadi_forever(), sums)));
    S(wadi_stream_in("s", 1,
                     &(wadi_component){.elem = wadi_scalar_elem(WADI_F32),
                                       .rank = 2,
                                       .extents = NAMES("?", "3")}));
    S(wadi_to_seq(g.c));
    S(wadi_to_seq_on(1, g.c));
    S(wadi_from_segs(g.k, wadi_input("s", WADI_I64, 2, NAMES("n", "2")), g.v));
    S(wadi_from_offsets(g.k, g.v));
    S(wadi_from_shapes(wadi_input("s", WADI_I64, 2, NAMES("n", "2")), g.v));
    S(wadi_subarrays(wadi_ix2(g.s, i(2)), g.m));
    S(wadi_map_seq(doubled, seq_of(g.v)));
    S(wadi_zip_with_seq(added, seq_of(g.v), seq_of(g.w)));
    S(wadi_filter_seq(is_long, seq_of(g.v)));
    S(wadi_drop_seq(g.s, seq_of(g.p)));
    S(wadi_expand_seq(doubled, seq_of(g.m)));
    S(wadi_windows(i(8), g.s, WADI_LAST_KEEP, seq_of(g.v)));
    S(wadi_batch(g.s, seq_of(g.p)));
    S(wadi_scan_seq(added, g.v, seq_of(g.w)));
    S(wadi_scan_by_key(state_and_key, g.v, seq_of(wadi_unit(g.s))));
    S(wadi_fold_by_key(state_and_key, g.v, seq_of(wadi_unit(g.s))));
    A(wadi_consume(wadi_fold_seq(added, g.v, seq_of(g.w))));
    A(wadi_consume(wadi_fold_batch(whole_state, wadi_unit(f(0)), seq_of(g.v))));
    A(wadi_consume(wadi_elements(seq_of(g.p))));
    A(wadi_consume(wadi_tabulate(seq_of(g.p))));
    A(wadi_consume(wadi_tabulate_min(seq_of(g.p))));
    A(wadi_consume(wadi_from_seq(seq_of(g.p))));
    A(wadi_fft_sized(1, I64S(1), false, g.z));
    A(wadi_fft_sized(1, I64S(2), false, g.z));
    A(wadi_fft_sized(1, I64S(3), true, g.z));
    A(wadi_fft_sized(1, I64S(4), false, g.z));
    check_transcript("operators/cases/built_sequences", &t);
    wadi_text_fini(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scalars_and_indices),         cmocka_unit_test(places_and_elements),
        cmocka_unit_test(reductions_and_permutations), cmocka_unit_test(segments),
        cmocka_unit_test(sequences_and_transforms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
