/* Faults: the run ends with an error that names the operation, the element and the place, and earlier elements have been
 * delivered. The interpreter and compiled code fault in the same element. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/conformance/runner.h"

/* Every stream here has N elements: element i is a vector of i numbers i, i + 1, ..., 2 i - 1. */
enum { N = 9 };

typedef struct counting {
    int64_t data[N][N];
    wadi_array element[N];
    wadi_interp_source source;
    wadi_interp_io io;
} counting;

static void counting_init(counting *c) {
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) c->data[i][j] = i + j;
        c->element[i] = conf_vector(WADI_I64, i, c->data[i]);
    }
    c->source = (wadi_interp_source){.name = "s", .n = N, .elements = c->element};
    c->io = (wadi_interp_io){NULL, 0, &c->source, 1};
}

static wadi_seq counting_in(void) {
    const wadi_component c = {wadi_scalar_elem(WADI_I64), 1, NULL};
    return wadi_stream_in("s", 1, &c);
}

static int line; /* of the call that faults */

/* What a fault must tell. */
typedef struct expected {
    const char *op;
    int64_t element; /* -1: outside every stream */
} expected;

static bool mentions(const char *text, const expected *e, const char *op, wadi_text *why) {
    char place[64], element[32];
    snprintf(place, sizeof place, "faults_test.c:%d", line);
    snprintf(element, sizeof element, "element %lld", (long long)e->element);
    const bool told = strstr(text, op) && strstr(text, place) &&
                      (e->element < 0 || strstr(text, element) != NULL);
    if (!told)
        wadi_text_addf(why, "\"%s\" does not name %s, %s and %s", text, op,
                       e->element < 0 ? "the program" : element, place);
    return told;
}

static bool faults(const conf_case *c, const expected *e, const conf_variant *v, wadi_text *why) {
    wadi_error err = {0};
    int64_t delivered = 0;
    wadi_exe *exe = conf_compile(c, v->disable, why);
    const wadi_status st = exe ? conf_go(c, exe, v, &delivered, &err) : WADI_INTERNAL;
    wadi_exe_destroy(exe);
    if (!exe) return false;
    if (st != WADI_FAULT) {
        wadi_text_addf(why, "status %s: %s", wadi_status_name(st), err.msg);
        return false;
    }
    if (v->chunk == 1 && delivered >= 0 && delivered != e->element) {
        wadi_text_addf(why, "%lld elements were delivered before element %lld",
                       (long long)delivered, (long long)e->element);
        return false;
    }
    return mentions(err.msg, e, e->op, why) && conf_told_alike(c, &err, why);
}

static void assert_faults(wadi_program *p, const wadi_interp_io *io, const char *op,
                          int64_t element) {
    static const conf_variant variants[] = {{NULL, WADI_SCHEDULE_FORCE_INSIDE, 1, 1},
                                            {NULL, WADI_SCHEDULE_FORCE_FLAT, 2, 1},
                                            {NULL, WADI_SCHEDULE_FORCE_INSIDE, 2, 100},
                                            {NULL, WADI_SCHEDULE_FORCE_GROUP, 2, 100},
                                            {"all", WADI_SCHEDULE_FORCE_FLAT, 1, 100}};
    const expected e = {op, element};
    conf_case c;
    wadi_text why;
    wadi_text_init(&why);
    bool right = conf_case_init(&c, p, io, &why);
    if (right && c.want) {
        wadi_text_add(&why, "the interpreter does not fault");
        right = false;
    }
    right = right && mentions(c.fault.msg, &e, "", &why);
    for (size_t i = 0; right && i < sizeof variants / sizeof *variants; i++) {
        right = faults(&c, &e, &variants[i], &why);
        wadi_text_add(&why, "\n");
        conf_variant_print(&variants[i], &why);
    }
    if (!right) print_error("%s\n", wadi_text_str(&why));
    if (!right && c.module) {
        wadi_text_clear(&why);
        wadi_ir_print_places(c.module, &why);
        print_error("%s\n", wadi_text_str(&why));
    }
    conf_case_fini(&c);
    wadi_program_destroy(p);
    wadi_text_fini(&why);
    assert_true(right);
}

/* The program that streams `body` over the counting vectors faults in `element`. */
static void assert_body_faults(wadi_acc_fn1 body, const char *op, int64_t element) {
    counting c;
    counting_init(&c);
    wadi_program *p = wadi_program_create(op);
    wadi_stream_out(wadi_map_seq(body, counting_in()), "out");
    assert_faults(p, &c.io, op, element);
}

/* ---- indices ---- */

static wadi_exp fourth(void *env, wadi_ix ix) {
    const wadi_acc *a = env;
    line = __LINE__ + 1;
    return wadi_add(wadi_index1(*a, wadi_sub(wadi_i64(4), ix.at[0])), ix.at[0]);
}

static wadi_acc read_table(wadi_acc a) {
    const wadi_acc table = wadi_iota(WADI_I64, wadi_i64(5));
    return wadi_generate_env(wadi_ix1(wadi_extent(a, 0)), fourth, (void *)&table);
}

static void index_below_range(void **state) {
    (void)state;
    assert_body_faults(read_table, "!", 6);
}

static wadi_acc take_by_index(wadi_acc a) {
    const wadi_acc table = wadi_iota(WADI_F32, wadi_i64(12));
    line = __LINE__ + 1;
    return wadi_gather(a, table);
}

static void gather_beyond_the_end(void **state) {
    (void)state;
    assert_body_faults(take_by_index, "gather", 7);
}

static void assert_table_faults(wadi_acc (*result)(wadi_acc indices, wadi_acc table), int64_t bad,
                                int64_t at) {
    enum { LONG = 3000 };
    static int64_t index[LONG];
    static const int64_t table[] = {0, 1, 2};
    for (int i = 0; i < LONG; i++) index[i] = i % 3;
    index[at] = index[LONG - 1] = bad;
    const wadi_array i = conf_vector(WADI_I64, LONG, index), t = conf_vector(WADI_I64, 3, table);
    wadi_program *p = wadi_program_create("table");
    wadi_output("read", result(wadi_use(&i), wadi_use(&t)));
    assert_faults(p, &(wadi_interp_io){NULL, 0, NULL, 0}, "!", -1);
}

static wadi_exp entry(void *env, wadi_exp i) {
    line = __LINE__ + 1;
    return wadi_index1(*(const wadi_acc *)env, i);
}

static wadi_exp entry_of_entry(void *env, wadi_exp i) {
    line = __LINE__ + 1;
    const wadi_exp first = wadi_index1(*(const wadi_acc *)env, i);
    return wadi_index1(*(const wadi_acc *)env, first);
}

static wadi_acc entries(wadi_acc indices, wadi_acc table) {
    return wadi_compute(wadi_map_env(entry, &table, indices));
}

static wadi_acc entries_of_entries(wadi_acc indices, wadi_acc table) {
    return wadi_compute(wadi_map_env(entry_of_entry, &table, indices));
}

/* two reductions whose law has lanes: their checks are made ahead of the lanes */
static wadi_exp doubled(void *env, wadi_exp i) {
    return wadi_convert(WADI_F64, entry(env, i));
}

static wadi_exp doubled_twice(void *env, wadi_exp i) {
    return wadi_convert(WADI_F64, entry_of_entry(env, i));
}

static wadi_acc sum_of_entries(wadi_acc indices, wadi_acc table) {
    return wadi_fold(wadi_add, wadi_f64(0), wadi_map_env(doubled, &table, indices));
}

static wadi_acc sum_of_entries_of_entries(wadi_acc indices, wadi_acc table) {
    return wadi_fold(wadi_add, wadi_f64(0), wadi_map_env(doubled_twice, &table, indices));
}

/* An index far beyond an array must not be followed, also not in front of the loop that would tell of it. */
static void indices_from_data_far_beyond_the_end(void **state) {
    (void)state;
    static const int64_t bad[] = {INT64_C(1) << 43, -1, INT64_MIN, 3};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        const int64_t at = k % 2 ? 2047 : 5;
        assert_table_faults(entries, bad[k], at);
        assert_table_faults(entries_of_entries, bad[k], at);
        assert_table_faults(sum_of_entries, bad[k], at);
        assert_table_faults(sum_of_entries_of_entries, bad[k], at);
    }
}

static wadi_ix ahead(wadi_ix ix) {
    return wadi_ix1(wadi_add(ix.at[0], wadi_i64(3)));
}

static wadi_acc shifted(wadi_acc a) {
    line = __LINE__ + 1;
    return wadi_backpermute(wadi_ix1(wadi_min(wadi_extent(a, 0), wadi_i64(1))), ahead, a);
}

static void backpermute_beyond_the_end(void **state) {
    (void)state;
    assert_body_faults(shifted, "backpermute", 1);
}

static wadi_exp same(wadi_ix ix) {
    return wadi_convert(WADI_I64, ix.at[0]);
}

static wadi_acc second(wadi_acc a) {
    const wadi_acc square =
        wadi_generate(wadi_ix2(wadi_i64(3), wadi_sub(wadi_i64(4), wadi_extent(a, 0))), same);
    const wadi_spec spec[] = {wadi_all(), wadi_fix(wadi_i64(1))};
    line = __LINE__ + 1;
    return wadi_slice(2, spec, square);
}

static void slice_beyond_the_end(void **state) {
    (void)state;
    assert_body_faults(second, "slice", 3);
}

static wadi_ix onto(void *env, wadi_ix ix) {
    const wadi_acc *a = env;
    return wadi_ix1(wadi_index1(*a, ix.at[0]));
}

static wadi_exp sum_of_both(void *env, wadi_exp x, wadi_exp y) {
    (void)env;
    return wadi_add(x, y);
}

static wadi_acc scattered(wadi_acc a) {
    const wadi_acc room = wadi_fill(wadi_ix1(wadi_i64(10)), wadi_i64(0));
    line = __LINE__ + 1;
    return wadi_permute_env(sum_of_both, room, onto, &a, a);
}

static void permute_beyond_the_end(void **state) {
    (void)state;
    assert_body_faults(scattered, "permute", 6);
}

/* ---- numbers ---- */

static wadi_exp twelve_by(wadi_exp x) {
    line = __LINE__ + 1;
    return wadi_quot(wadi_i64(12), wadi_sub(x, wadi_i64(9)));
}

static wadi_acc divided(wadi_acc a) {
    return wadi_map(twelve_by, a);
}

static void division_by_zero(void **state) {
    (void)state;
    assert_body_faults(divided, "quot", 5);
}

static wadi_exp modulo(wadi_exp x, wadi_exp y) {
    line = __LINE__ + 1;
    return wadi_mod(x, wadi_sub(y, wadi_i64(6)));
}

static wadi_acc folded(wadi_acc a) {
    return wadi_fold(modulo, wadi_i64(100), wadi_take(wadi_i64(1), a));
}

static void division_by_zero_inside_a_fold(void **state) {
    (void)state;
    assert_body_faults(folded, "mod", 6);
}

/* ---- shapes ---- */

static wadi_acc zipped(wadi_acc a) {
    const wadi_acc other = wadi_generate(wadi_ix1(wadi_min(wadi_extent(a, 0), wadi_i64(4))), same);
    line = __LINE__ + 1;
    return wadi_zip_with(wadi_add, a, other);
}

static void zip_of_different_extents(void **state) {
    (void)state;
    assert_body_faults(zipped, "zip_with", 5);
}

/* Nothing says that the two have one extent until they are zipped. */
static void zip_of_different_inputs(void **state) {
    (void)state;
    const int64_t v[] = {4, 5, 9, 7};
    static const char *const any[] = {"?"};
    const wadi_interp_input in[] = {{"v", conf_vector(WADI_I64, 4, v)},
                                    {"w", conf_vector(WADI_I64, 3, v)}};
    for (int k = 0; k < 2; k++) {
        wadi_program *p = wadi_program_create("inputs");
        const wadi_acc a = wadi_input("v", WADI_I64, 1, any), b = wadi_input("w", WADI_I64, 1, any);
        line = __LINE__ + 1;
        wadi_output("z", wadi_zip_with(wadi_add, k ? b : a, k ? a : b));
        assert_faults(p, &(wadi_interp_io){in, 2, NULL, 0}, "zip_with", -1);
    }
}

static wadi_acc two_rows(wadi_acc a) {
    const wadi_acc six = wadi_drop(wadi_sub(wadi_extent(a, 0), wadi_i64(6)), a);
    const wadi_exp half = wadi_quot(wadi_extent(six, 0), wadi_i64(2));
    line = __LINE__ + 1;
    return wadi_reshape(wadi_ix2(wadi_i64(2), half), six);
}

static void reshape_to_another_size(void **state) {
    (void)state;
    assert_body_faults(two_rows, "reshape", 1);
}

static wadi_acc largest(wadi_acc a) {
    line = __LINE__ + 1;
    return wadi_fold1(wadi_max, a);
}

static void fold1_of_nothing(void **state) {
    (void)state;
    assert_body_faults(largest, "fold1", 0);
}

static wadi_acc shrinking(wadi_acc a) {
    line = __LINE__ + 1;
    return wadi_generate(wadi_ix1(wadi_sub(wadi_i64(5), wadi_extent(a, 0))), same);
}

static void negative_extent(void **state) {
    (void)state;
    assert_body_faults(shrinking, "generate", 6);
}

static wadi_exp of_longer(void *env, wadi_ix ix) {
    return wadi_add(wadi_extent(*(const wadi_acc *)env, 0), ix.at[1]);
}

/* The memory of the scan, alike for all elements, is asked for before any element of the matrix is. */
static wadi_acc scan_of_an_impossible_matrix(wadi_acc a) {
    line = __LINE__ + 1;
    const wadi_acc m = wadi_generate_env(wadi_ix2(wadi_i64(2), wadi_i64(-1)), of_longer, &a);
    return wadi_scanl(wadi_add, wadi_i64(0), wadi_flatten(m));
}

/* Sizes that differ come before the extent that only a result of other sizes would have. */
static wadi_acc impossible_rows(wadi_acc a) {
    line = __LINE__ + 1;
    const wadi_acc m = wadi_reshape(wadi_ix2(wadi_i64(-1), wadi_i64(2)), a);
    return wadi_flatten(m);
}

static void the_operator_that_makes_a_negative_extent_tells_of_it(void **state) {
    (void)state;
    assert_body_faults(scan_of_an_impossible_matrix, "generate", 0);
    assert_body_faults(impossible_rows, "reshape", 0);
}

/* ---- inside control, consumers and the main block ---- */

static wadi_acc branch(wadi_acc a) {
    const wadi_exp large = wadi_ge(wadi_extent(a, 0), wadi_i64(5));
    return wadi_acond(large, wadi_map(twelve_by, a), wadi_map(wadi_neg, a));
}

static void division_by_zero_inside_a_branch(void **state) {
    (void)state;
    assert_body_faults(branch, "quot", 5);
}

static wadi_acc add_quotients(wadi_acc state, wadi_acc element) {
    return wadi_zip_with(wadi_add, state, wadi_sum(wadi_map(twelve_by, element)));
}

static void division_by_zero_inside_fold_seq(void **state) {
    (void)state;
    counting c;
    counting_init(&c);
    wadi_program *p = wadi_program_create("fold_seq");
    wadi_output("sum",
                wadi_consume(wadi_fold_seq(add_quotients, wadi_unit(wadi_i64(0)), counting_in())));
    assert_faults(p, &c.io, "quot", 5);
}

static void tabulate_of_different_shapes(void **state) {
    (void)state;
    counting c;
    counting_init(&c);
    wadi_program *p = wadi_program_create("tabulate");
    line = __LINE__ + 1;
    const wadi_eat t = wadi_tabulate(counting_in());
    wadi_output("table", wadi_consume(t));
    assert_faults(p, &c.io, "tabulate", 1);
}

static void division_by_zero_in_the_main_block(void **state) {
    (void)state;
    const int64_t v[] = {4, 5, 9, 7};
    static const char *const any[] = {"?"};
    const wadi_interp_input in = {"v", conf_vector(WADI_I64, 4, v)};
    wadi_program *p = wadi_program_create("main");
    wadi_output("q", wadi_map(twelve_by, wadi_input("v", WADI_I64, 1, any)));
    assert_faults(p, &(wadi_interp_io){&in, 1, NULL, 0}, "quot", -1);
}

static wadi_exp remainder_of(wadi_exp a, wadi_exp x) {
    line = __LINE__ + 1;
    return wadi_rem(a, x);
}

static wadi_exp row_and_place(void *env, wadi_ix ix) {
    const wadi_acc *v = env;
    return wadi_add(wadi_index1(*v, ix.at[0]), ix.at[1]);
}

/* The fault names the row. */
static void division_by_zero_in_a_fold_of_rows(void **state) {
    (void)state;
    const int64_t r[] = {1, 2, 3, 4, -5, 6, 7, 8, 9};
    static const char *const any[] = {"?"};
    const wadi_interp_input in = {"r", conf_vector(WADI_I64, 9, r)};
    wadi_program *p = wadi_program_create("rows");
    wadi_acc v = wadi_input("r", WADI_I64, 1, any);
    const wadi_acc g =
        wadi_generate_env(wadi_ix2(wadi_extent(v, 0), wadi_i64(20)), row_and_place, &v);
    wadi_output("c", wadi_fold(remainder_of, wadi_i64(1000), g));
    assert_faults(p, &(wadi_interp_io){&in, 1, NULL, 0}, "rem", -1);
}

static wadi_ix to_itself(void *env, wadi_ix ix, int n, const wadi_exp *key) {
    (void)env;
    (void)ix;
    (void)n;
    return wadi_ix1(key[0]);
}

static wadi_exp added(void *env, wadi_exp element, wadi_exp old) {
    (void)env;
    return wadi_add(element, old);
}

/* Long enough for tables; the earlier of two bad indices lies in another worker's part. */
static void the_first_bad_index_of_a_long_permute(void **state) {
    (void)state;
    enum { LONG = 100000 };
    static int64_t v[LONG];
    for (int i = 0; i < LONG; i++) v[i] = i % 10;
    v[41000] = 10;
    v[90000] = -1;
    static const char *const any[] = {"?"};
    const wadi_interp_input in = {"v", conf_vector(WADI_I64, LONG, v)};
    wadi_program *p = wadi_program_create("long");
    const wadi_acc a = wadi_input("v", WADI_I64, 1, any);
    const wadi_acc zeros = wadi_fill(wadi_ix1(wadi_i64(10)), wadi_i64(0));
    line = __LINE__ + 1;
    wadi_output("sums", wadi_permute_by_env(added, zeros, to_itself, NULL, a, 1, &a));
    assert_faults(p, &(wadi_interp_io){&in, 1, NULL, 0}, "index 10 ", -1);
}

/* ---- segments ---- */

/* One segment, of min(n, 5 - n) elements of n. */
static wadi_acc lengths_until_six(wadi_acc a) {
    const wadi_exp n = wadi_extent(a, 0);
    return wadi_fill(wadi_ix1(wadi_i64(1)), wadi_min(n, wadi_sub(wadi_i64(5), n)));
}

static wadi_acc sums_of_segments(wadi_acc a) {
    const wadi_acc lengths = lengths_until_six(a);
    line = __LINE__ + 1;
    return wadi_fold_seg(wadi_add, wadi_i64(0), lengths, a);
}

static wadi_acc scans_of_segments(wadi_acc a) {
    const wadi_acc lengths = lengths_until_six(a);
    line = __LINE__ + 1;
    return wadi_scanl1_seg(wadi_add, lengths, a);
}

static void segments_of_negative_length(void **state) {
    (void)state;
    assert_body_faults(sums_of_segments, "fold_seg", 6);
    assert_body_faults(scans_of_segments, "scanl1_seg", 6);
}

static wadi_exp four_less(wadi_exp x) {
    return wadi_sub(wadi_i64(4), x);
}

static wadi_acc expanded(wadi_acc a) {
    line = __LINE__ + 1;
    return wadi_expand(four_less, wadi_add, a);
}

static void expansion_to_a_negative_size(void **state) {
    (void)state;
    assert_body_faults(expanded, "expand", 3);
}

static wadi_exp at_least_five(wadi_exp x) {
    return wadi_ge(x, wadi_i64(5));
}

/* As many flags as there are elements, but for element 4. */
static wadi_acc compacted(wadi_acc a) {
    const wadi_exp n = wadi_extent(a, 0);
    const wadi_exp more = wadi_convert(WADI_I64, wadi_eq(n, wadi_i64(4)));
    const wadi_acc flags = wadi_fill(wadi_ix1(wadi_add(n, more)), wadi_bool(true));
    line = __LINE__ + 1;
    return wadi_tuple_get(wadi_compact(flags, wadi_map(at_least_five, a)), 0);
}

static void flags_of_another_extent(void **state) {
    (void)state;
    assert_body_faults(compacted, "extents of arguments", 4);
}

/* ---- refused before the run ---- */

static void inputs_that_do_not_fit_are_named(void **state) {
    (void)state;
    const int64_t v[] = {4, 5, 9, 7};
    static const char *const n[] = {"n"}, *const five[] = {"5"};
    for (int k = 0; k < 4; k++) {
        wadi_program *p = wadi_program_create("inputs");
        wadi_output("z", wadi_zip_with(wadi_add, wadi_input("v", WADI_I64, 1, k == 1 ? five : n),
                                       wadi_input("w", WADI_I64, 1, n)));
        wadi_exe *exe = NULL;
        wadi_run *run = NULL;
        wadi_error err = {0};
        const wadi_array four = conf_vector(WADI_I64, 4, v), three = conf_vector(WADI_I64, 3, v),
                         wrong = conf_vector(WADI_F64, 4, v);
        assert_int_equal(wadi_compile(p, NULL, &exe, &err), WADI_OK);
        assert_int_equal(wadi_run_create(exe, NULL, &run, &err), WADI_OK);
        wadi_status st = wadi_run_input(run, "v", k == 2 ? &wrong : &four, &err);
        if (st == WADI_OK && k != 3) st = wadi_run_input(run, "w", &three, &err);
        if (st == WADI_OK) st = wadi_run_go(run, &err);
        const wadi_status want[] = {WADI_SHAPE, WADI_SHAPE, WADI_TYPE, WADI_INVALID};
        assert_int_equal(st, want[k]);
        assert_non_null(strstr(err.msg, k == 0 || k == 3 ? "w" : "v"));
        wadi_run_destroy(run);
        wadi_exe_destroy(exe);
        wadi_program_destroy(p);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(index_below_range),
        cmocka_unit_test(gather_beyond_the_end),
        cmocka_unit_test(indices_from_data_far_beyond_the_end),
        cmocka_unit_test(backpermute_beyond_the_end),
        cmocka_unit_test(slice_beyond_the_end),
        cmocka_unit_test(the_first_bad_index_of_a_long_permute),
        cmocka_unit_test(permute_beyond_the_end),
        cmocka_unit_test(division_by_zero),
        cmocka_unit_test(division_by_zero_inside_a_fold),
        cmocka_unit_test(zip_of_different_extents),
        cmocka_unit_test(zip_of_different_inputs),
        cmocka_unit_test(reshape_to_another_size),
        cmocka_unit_test(fold1_of_nothing),
        cmocka_unit_test(negative_extent),
        cmocka_unit_test(the_operator_that_makes_a_negative_extent_tells_of_it),
        cmocka_unit_test(division_by_zero_inside_a_branch),
        cmocka_unit_test(division_by_zero_inside_fold_seq),
        cmocka_unit_test(tabulate_of_different_shapes),
        cmocka_unit_test(division_by_zero_in_the_main_block),
        cmocka_unit_test(division_by_zero_in_a_fold_of_rows),
        cmocka_unit_test(segments_of_negative_length),
        cmocka_unit_test(expansion_to_a_negative_size),
        cmocka_unit_test(flags_of_another_extent),
        cmocka_unit_test(inputs_that_do_not_fit_are_named)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
