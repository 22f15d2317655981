/* Branches and loops of a stage body. Schedule flat runs them over levels of elements, which here are nested, empty, complete,
 * regular and ragged. Work that must not be done divides by zero, so that doing it would be a fault. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/conformance/runner.h"

/* Element i is the vector i, i - 1, ..., 1 and so are its neighbours in another order of lengths; every seventh is empty. */
enum { N = 29 };

typedef struct ragged {
    int64_t data[N][N];
    wadi_array row[N];
    wadi_interp_source source;
    wadi_interp_io io;
} ragged;

static int64_t length_of(int64_t i) {
    return i % 7 == 3 ? 0 : i * 11 % N;
}

static void ragged_init(ragged *r) {
    for (int64_t i = 0; i < N; i++) {
        for (int64_t j = 0; j < N; j++) r->data[i][j] = length_of(i) - j;
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
    wadi_program *p = wadi_program_create("levels");
    wadi_stream_out(wadi_map_seq(body, ragged_in()), "out");
    conf_assert_agrees(p, &r.io, 0, NULL);
}

static wadi_exp length(wadi_acc a) {
    return wadi_extent(a, 0);
}

static wadi_exp is_multiple(wadi_exp n, int64_t of) {
    return wadi_eq(wadi_mod(n, wadi_i64(of)), wadi_i64(0));
}

static wadi_exp twelve_by(wadi_exp x) {
    return wadi_quot(wadi_i64(12), x);
}

/* ---- branches ---- */

/* An empty vector has a minimum only in the branch that makes it longer. */
static wadi_acc guarded(wadi_acc a) {
    const wadi_exp some = wadi_gt(length(a), wadi_i64(0));
    const wadi_acc least = wadi_acond(some, wadi_minimum(a), wadi_unit(wadi_i64(-1)));
    const wadi_exp safe = wadi_ne(wadi_the(least), wadi_i64(-1));
    const wadi_acc by = wadi_acond(safe, wadi_map(twelve_by, a), wadi_map(wadi_neg, a));
    return wadi_tuple2(least, by);
}

static void no_element_runs_the_branch_it_did_not_take(void **state) {
    (void)state;
    assert_body(guarded);
}

/* One yield is a value from outside, one a constant, one is given twice. */
static wadi_acc outside(wadi_acc a) {
    const wadi_acc shared = wadi_scanl1(wadi_add, a), zero = wadi_unit(wadi_i64(0));
    const wadi_acc long_one = wadi_reverse(wadi_scanl(wadi_add, wadi_i64(5), a));
    const wadi_acc yes[] = {shared, zero, long_one, long_one};
    const wadi_acc no[] = {wadi_map(wadi_neg, a), wadi_sum(shared), a, shared};
    const wadi_acc chosen =
        wadi_acond(is_multiple(length(a), 3), wadi_tuple(4, yes), wadi_tuple(4, no));
    const wadi_acc all[] = {chosen, shared};
    return wadi_tuple(2, all);
}

static void a_branch_gives_what_is_around_it(void **state) {
    (void)state;
    assert_body(outside);
}

static wadi_acc three_deep(wadi_acc a) {
    const wadi_acc sums = wadi_scanl1(wadi_add, a);
    const wadi_acc deep = wadi_acond(is_multiple(length(a), 2), wadi_zip_with(wadi_sub, sums, a),
                                     wadi_take(wadi_i64(2), sums));
    const wadi_acc middle = wadi_acond(is_multiple(length(a), 3),
                                       wadi_map(wadi_neg, wadi_scanl1(wadi_max, deep)), sums);
    return wadi_acond(wadi_gt(length(a), wadi_i64(4)), middle, wadi_reverse(sums));
}

static void branches_within_branches(void **state) {
    (void)state;
    assert_body(three_deep);
}

typedef struct whole {
    wadi_acc flag;
} whole;

static wadi_acc by_flag(void *env, wadi_acc a) {
    const whole *w = env;
    const wadi_acc sums = wadi_scanl1(wadi_add, a);
    return wadi_acond(wadi_the(w->flag), wadi_reverse(sums), wadi_map(twelve_by, sums));
}

static void a_condition_of_the_whole_program_divides_nobody(void **state) {
    (void)state;
    ragged r;
    ragged_init(&r);
    const bool yes = true;
    const wadi_interp_input flag = {"flag", conf_scalar(WADI_BOOL, &yes)};
    r.io.inputs = &flag;
    r.io.ninputs = 1;
    wadi_program *p = wadi_program_create("flag");
    whole w = {wadi_input("flag", WADI_BOOL, 0, NULL)};
    wadi_stream_out(wadi_map_seq_env(by_flag, &w, ragged_in()), "out");
    conf_assert_agrees(p, &r.io, 0, NULL);
}

/* ---- loops ---- */

static wadi_acc some_left(wadi_acc s) {
    return wadi_unit(wadi_gt(wadi_the(wadi_tuple_get(s, 1)), wadi_i64(0)));
}

/* Divides by the rounds that are left: a round too many faults. */
static wadi_exp by_left(void *env, wadi_exp x) {
    const wadi_acc *left = env;
    return wadi_add(x, wadi_quot(wadi_i64(12), wadi_the(*left)));
}

static wadi_acc one_round(wadi_acc s) {
    wadi_acc left = wadi_tuple_get(s, 1);
    const wadi_acc next = wadi_scanl1(wadi_add, wadi_map_env(by_left, &left, wadi_tuple_get(s, 0)));
    const wadi_acc fewer = wadi_unit(wadi_sub(wadi_the(left), wadi_i64(1)));
    const wadi_acc count = wadi_unit(wadi_add(wadi_the(wadi_tuple_get(s, 2)), wadi_i64(1)));
    const wadi_acc all[] = {next, fewer, count};
    return wadi_tuple(3, all);
}

static wadi_acc counted(wadi_acc a) {
    const wadi_acc rounds = wadi_unit(wadi_mod(length(a), wadi_i64(6)));
    const wadi_acc all[] = {a, rounds, wadi_unit(wadi_i64(0))};
    return wadi_awhile(some_left, one_round, wadi_tuple(3, all));
}

static void no_element_goes_round_after_it_stopped(void **state) {
    (void)state;
    assert_body(counted);
}

/* The state's parts change places, one stays, one is replaced by an array from outside. */
static wadi_acc change_places(void *env, wadi_acc s) {
    const wadi_acc *outer = env;
    const wadi_acc a = wadi_tuple_get(s, 0), b = wadi_tuple_get(s, 2);
    const wadi_acc fewer = wadi_unit(wadi_sub(wadi_the(wadi_tuple_get(s, 1)), wadi_i64(1)));
    const wadi_acc all[] = {b, fewer, wadi_zip_with(wadi_add, a, wadi_tuple_get(s, 3)),
                            wadi_tuple_get(s, 3), *outer};
    return wadi_tuple(5, all);
}

static wadi_acc some_left_env(void *env, wadi_acc s) {
    (void)env;
    return some_left(s);
}

static wadi_acc fibonacci(wadi_acc a) {
    wadi_acc outer = wadi_take(wadi_i64(3), wadi_scanl1(wadi_add, a));
    const wadi_acc rounds = wadi_unit(wadi_mod(length(a), wadi_i64(5)));
    const wadi_acc all[] = {a, rounds, wadi_map(wadi_neg, a), wadi_reverse(a), a};
    return wadi_awhile_env(some_left_env, change_places, &outer, wadi_tuple(5, all));
}

static void states_change_places(void **state) {
    (void)state;
    assert_body(fibonacci);
}

static wadi_acc two_or_more(wadi_acc a) {
    return wadi_unit(wadi_gt(length(a), wadi_i64(1)));
}

static wadi_acc shorter(wadi_acc a) {
    const wadi_acc left = wadi_scanl1(wadi_add, wadi_drop(wadi_i64(1), a));
    return wadi_acond(is_multiple(length(a), 3), wadi_take(wadi_quot(length(a), wadi_i64(2)), a),
                      left);
}

static wadi_acc shrinking(wadi_acc a) {
    const wadi_exp odd = wadi_ne(wadi_mod(length(a), wadi_i64(2)), wadi_i64(0));
    return wadi_acond(odd, wadi_awhile(two_or_more, shorter, a), wadi_scanl1(wadi_max, a));
}

static void loops_within_branches_and_branches_within_loops(void **state) {
    (void)state;
    assert_body(shrinking);
}

static wadi_acc inner_rounds(wadi_acc s) {
    const wadi_acc a = wadi_tuple_get(s, 0), left = wadi_tuple_get(s, 1);
    const wadi_acc all[] = {a, left, wadi_unit(wadi_i64(0))};
    const wadi_acc inner = wadi_awhile(some_left, one_round, wadi_tuple(3, all));
    const wadi_acc fewer = wadi_unit(wadi_sub(wadi_the(left), wadi_i64(1)));
    return wadi_tuple2(wadi_tuple_get(inner, 0), fewer);
}

static wadi_acc loop_in_loop(wadi_acc a) {
    const wadi_acc rounds = wadi_unit(wadi_mod(length(a), wadi_i64(4)));
    return wadi_tuple_get(wadi_awhile(some_left, inner_rounds, wadi_tuple2(a, rounds)), 0);
}

static void loops_within_loops(void **state) {
    (void)state;
    assert_body(loop_in_loop);
}

/* One state takes the value of another, which stays as it is. */
static wadi_acc take_what_stays(wadi_acc s) {
    const wadi_acc kept = wadi_tuple_get(s, 2);
    const wadi_acc fewer = wadi_unit(wadi_sub(wadi_the(wadi_tuple_get(s, 1)), wadi_i64(1)));
    const wadi_acc all[] = {kept, fewer, kept};
    return wadi_tuple(3, all);
}

static wadi_acc one_stays(wadi_acc a) {
    const wadi_acc all[] = {wadi_scanl1(wadi_add, a), wadi_unit(wadi_mod(length(a), wadi_i64(4))),
                            wadi_scanl1(wadi_max, a)};
    const wadi_acc end = wadi_awhile(some_left, take_what_stays, wadi_tuple(3, all));
    return wadi_tuple2(wadi_tuple_get(end, 0), wadi_tuple_get(end, 2));
}

static void a_state_takes_another_that_stays(void **state) {
    (void)state;
    ragged r;
    ragged_init(&r);
    wadi_program *p = wadi_program_create("stays");
    wadi_stream_out(wadi_map_seq(one_stays, ragged_in()), "out");
    conf_case c;
    wadi_text why;
    wadi_text_init(&why);
    const conf_variant flat = {NULL, WADI_SCHEDULE_FORCE_FLAT, 1, 100};
    if (!conf_case_init(&c, p, &r.io, &why) || !conf_check(&c, &flat, &why))
        fail_msg("%s", wadi_text_str(&why));
    conf_case_fini(&c);
    wadi_text_fini(&why);
    wadi_program_destroy(p);
}

/* ---- regular streams ---- */

static wadi_acc settle(wadi_acc s) {
    const wadi_acc m = wadi_tuple_get(s, 0);
    const wadi_acc fewer = wadi_unit(wadi_sub(wadi_the(wadi_tuple_get(s, 1)), wadi_i64(1)));
    return wadi_tuple2(wadi_transpose(wadi_scanl1(wadi_add, m)), fewer);
}

static wadi_acc matrices(wadi_acc m) {
    const wadi_exp first = wadi_index2(m, wadi_i64(0), wadi_i64(0));
    const wadi_acc turns = wadi_unit(wadi_mod(wadi_abs(first), wadi_i64(4)));
    const wadi_acc turned =
        wadi_tuple_get(wadi_awhile(some_left, settle, wadi_tuple2(m, turns)), 0);
    const wadi_acc chosen = wadi_acond(is_multiple(first, 2), wadi_scanl1(wadi_add, turned),
                                       wadi_map(wadi_neg, wadi_transpose(m)));
    return wadi_tuple2(chosen, wadi_sum(wadi_transpose(chosen)));
}

static void regular_elements_stay_regular(void **state) {
    (void)state;
    enum { COUNT = 17, D = 3 };
    int64_t data[COUNT][D * D];
    wadi_array element[COUNT];
    const int64_t shape[] = {D, D};
    static const char *const extents[] = {"3", "3"};
    for (int i = 0; i < COUNT; i++) {
        for (int k = 0; k < D * D; k++) data[i][k] = (int64_t)i * 5 % 13 + k;
        element[i] = conf_array(WADI_I64, 2, shape, data[i]);
    }
    const wadi_interp_source source = {.name = "m", .n = COUNT, .elements = element};
    const wadi_component c = {wadi_scalar_elem(WADI_I64), 2, extents};
    wadi_program *p = wadi_program_create("regular");
    wadi_stream_out(wadi_map_seq(matrices, wadi_stream_in("m", 1, &c)), "out");
    conf_assert_agrees(p, &(wadi_interp_io){NULL, 0, &source, 1}, 0, NULL);
}

/* ---- the main block ---- */

static wadi_exp damped(void *env, wadi_exp x) {
    const wadi_acc *total = env;
    return wadi_add(wadi_f64(0.15), wadi_div(wadi_mul(wadi_f64(0.85), x), wadi_the(*total)));
}

static wadi_acc far_from_rest(wadi_acc s) {
    const wadi_exp moved = wadi_gt(wadi_the(wadi_tuple_get(s, 1)), wadi_f64(1e-3));
    return wadi_unit(wadi_and(moved, wadi_lt(wadi_the(wadi_tuple_get(s, 2)), wadi_i64(50))));
}

static wadi_exp distance(wadi_exp a, wadi_exp b) {
    return wadi_abs(wadi_sub(a, b));
}

static wadi_acc iterate(wadi_acc s) {
    const wadi_acc rank = wadi_tuple_get(s, 0), matrix = wadi_tuple_get(s, 3);
    const wadi_exp n = wadi_extent(rank, 0);
    const wadi_spec rows[] = {wadi_fix(n), wadi_all()};
    const wadi_acc spread = wadi_zip_with(wadi_mul, matrix, wadi_replicate(2, rows, rank));
    const wadi_acc sums = wadi_sum(spread);
    wadi_acc total = wadi_sum(sums);
    const wadi_acc next = wadi_map_env(damped, &total, sums);
    const wadi_acc moved = wadi_sum(wadi_zip_with(distance, next, rank));
    const wadi_exp even = is_multiple(wadi_the(wadi_tuple_get(s, 2)), 2);
    const wadi_acc kept = wadi_acond(even, next, wadi_reverse(next));
    const wadi_acc all[] = {
        kept, moved, wadi_unit(wadi_add(wadi_the(wadi_tuple_get(s, 2)), wadi_i64(1))), matrix};
    return wadi_tuple(4, all);
}

static void whole_arrays_iterate(void **state) {
    (void)state;
    enum { D = 70 };
    static double m[D * D];
    for (int i = 0; i < D * D; i++) m[i] = (i * 7 % 11) / 4.0;
    const int64_t shape[] = {D, D};
    static const char *const square[] = {"n", "n"};
    const wadi_interp_input in = {"m", conf_array(WADI_F64, 2, shape, m)};
    wadi_program *p = wadi_program_create("iterate");
    const wadi_acc matrix = wadi_input("m", WADI_F64, 2, square);
    const wadi_acc start = wadi_fill(wadi_ix1(wadi_extent(matrix, 0)), wadi_f64(1));
    const wadi_acc all[] = {start, wadi_unit(wadi_f64(1)), wadi_unit(wadi_i64(0)), matrix};
    const wadi_acc end = wadi_awhile(far_from_rest, iterate, wadi_tuple(4, all));
    wadi_output("rank", wadi_tuple_get(end, 0));
    wadi_output("rounds", wadi_tuple_get(end, 2));
    wadi_output("matrix", wadi_tuple_get(end, 3));
    conf_assert_agrees(p, &(wadi_interp_io){&in, 1, NULL, 0}, 0, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_element_runs_the_branch_it_did_not_take),
        cmocka_unit_test(a_branch_gives_what_is_around_it),
        cmocka_unit_test(branches_within_branches),
        cmocka_unit_test(a_condition_of_the_whole_program_divides_nobody),
        cmocka_unit_test(no_element_goes_round_after_it_stopped),
        cmocka_unit_test(states_change_places),
        cmocka_unit_test(loops_within_branches_and_branches_within_loops),
        cmocka_unit_test(loops_within_loops),
        cmocka_unit_test(a_state_takes_another_that_stays),
        cmocka_unit_test(regular_elements_stay_regular),
        cmocka_unit_test(whole_arrays_iterate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
