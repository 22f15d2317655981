/* Programs with complex numbers, against the interpreter and against plain C. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/conformance/runner.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

typedef struct cfloat {
    float re, im;
} cfloat;

typedef struct cdouble {
    double re, im;
} cdouble;

static const char *const any3[] = {"?", "?", "?"};

/* Small integers: sums and products of a few are exact, in any order. */
static void fill(cfloat *z, cdouble *w, int n) {
    for (int i = 0; i < n; i++) {
        z[i] = (cfloat){(float)(i % 7 - 3), (float)(i % 5 - 1)};
        w[i] = (cdouble){(double)z[i].re, (double)z[i].im};
    }
}

static wadi_exp negated_conjugate_product(wadi_exp x, wadi_exp y) {
    return wadi_neg(wadi_mul(x, wadi_conj(y)));
}

static void sums_of_lengths_around_the_block(void **state) {
    (void)state;
    static const int64_t lengths[] = {0, 1, 15, 16, 17, 4096, 4097, 9001};
    enum { LONGEST = 9001 };
    cfloat *z = malloc(LONGEST * sizeof *z);
    cdouble *w = malloc(LONGEST * sizeof *w);
    fill(z, w, LONGEST);
    for (int k = 0; k < COUNT(lengths); k++) {
        const char *n[] = {"n"};
        wadi_program *p = wadi_program_create("sums");
        const wadi_acc a = wadi_input("z", WADI_C64, 1, n), b = wadi_input("w", WADI_C128, 1, n);
        wadi_output("sum", wadi_fold(wadi_add, wadi_c64(0, 0), a));
        wadi_output("power", wadi_sum(wadi_zip_with(negated_conjugate_product, b, b)));
        wadi_output("prefix", wadi_scanl(wadi_add, wadi_c128(0, 1), b));
        cfloat sum = {0, 0};
        cdouble power = {0, 0};
        for (int i = 0; i < lengths[k]; i++) {
            sum.re += z[i].re;
            sum.im += z[i].im;
            power.re -= w[i].re * w[i].re + w[i].im * w[i].im;
        }
        const wadi_interp_input in[] = {{"z", conf_vector(WADI_C64, lengths[k], z)},
                                        {"w", conf_vector(WADI_C128, lengths[k], w)}};
        const wadi_interp_input out[] = {{"sum", conf_scalar(WADI_C64, &sum)},
                                         {"power", conf_scalar(WADI_C128, &power)}};
        conf_assert_agrees(p, &(wadi_interp_io){in, 2, NULL, 0}, 2, out);
    }
    free(z);
    free(w);
}

/* ---- records ---- */

static wadi_exp labelled(wadi_ix ix, wadi_exp z) {
    return wadi_rec3("place", wadi_convert(WADI_I16, ix.at[ix.rank - 1]), "z", z, "wide",
                     wadi_convert(WADI_C128, wadi_mul(z, wadi_c64(0, 1))));
}

/* Associative, but not commutative: the later element, and sums. */
static wadi_exp later(wadi_exp a, wadi_exp b) {
    return wadi_rec3("place", wadi_get(b, "place"), "z",
                     wadi_add(wadi_get(a, "z"), wadi_get(b, "z")), "wide", wadi_get(b, "wide"));
}

static wadi_exp second(wadi_exp r) {
    return wadi_get(r, "z");
}

static wadi_exp third(wadi_exp r) {
    return wadi_add(wadi_get(r, "wide"),
                    wadi_complex(wadi_convert(WADI_F64, wadi_get(r, "place")), wadi_f64(0.5)));
}

static wadi_ix backwards(void *env, wadi_ix ix) {
    const wadi_acc *a = env;
    ix.at[1] = wadi_sub(wadi_sub(wadi_extent(*a, 1), ix.at[1]), wadi_i64(1));
    return ix;
}

static void fields_of_records_may_be_complex(void **state) {
    (void)state;
    enum { ROWS = 3, COLUMNS = 37 };
    cfloat z[ROWS * COLUMNS];
    cdouble w[ROWS * COLUMNS];
    fill(z, w, ROWS * COLUMNS);
    wadi_program *p = wadi_program_create("records");
    const wadi_acc a = wadi_input("z", WADI_C64, 2, any3);
    wadi_acc r = wadi_imap(labelled, a);
    wadi_output("z", wadi_map(second, r));
    wadi_output("last", wadi_map(third, wadi_fold1(later, r)));
    wadi_output("scan", wadi_map(second, wadi_scanl1(later, wadi_compute(r))));
    wadi_output("whole", wadi_compute(r));
    wadi_output("turned", wadi_transpose(r));
    wadi_output("back", wadi_backpermute_env(wadi_shape_of(a), backwards, &r, r));
    const wadi_interp_input in = {"z",
                                  conf_array(WADI_C64, 2, (const int64_t[]){ROWS, COLUMNS}, z)};
    const wadi_interp_input out = {"z",
                                   conf_array(WADI_C64, 2, (const int64_t[]){ROWS, COLUMNS}, z)};
    conf_assert_agrees(p, &(wadi_interp_io){&in, 1, NULL, 0}, 1, &out);
}

static wadi_exp added(void *env, wadi_exp x, wadi_exp old) {
    (void)env;
    return wadi_add(x, old);
}

static wadi_ix by_real_part(void *env, wadi_ix ix) {
    const wadi_acc *a = env;
    const wadi_exp k = wadi_convert(WADI_I64, wadi_index(*a, ix)); /* the real part, -3 to 3 */
    return wadi_keep_if(wadi_ge(k, wadi_i64(0)), wadi_ix1(k));
}

static void complex_numbers_collide_and_are_gathered(void **state) {
    (void)state;
    enum { N = 50 };
    cfloat z[N], want[4] = {{1, 0}, {1, 0}, {1, 0}, {1, 0}};
    cdouble w[N];
    fill(z, w, N);
    for (int i = 0; i < N; i++) {
        const int k = i % 7 - 3;
        if (k < 0) continue;
        want[k].re += z[i].re;
        want[k].im += z[i].im;
    }
    wadi_program *p = wadi_program_create("collide");
    wadi_acc a = wadi_input("z", WADI_C64, 1, any3);
    const wadi_acc start = wadi_fill(wadi_ix1(wadi_i64(4)), wadi_c64(1, 0));
    const wadi_acc b = wadi_permute_env(added, start, by_real_part, &a, a);
    wadi_output("buckets", b);
    wadi_output("picked", wadi_gather(wadi_iota(WADI_I32, wadi_i64(3)), b));
    wadi_output("wide", wadi_replicate(2, (const wadi_spec[]){wadi_fix(wadi_i64(3)), wadi_all()},
                                       wadi_reverse(b)));
    const wadi_interp_input in = {"z", conf_vector(WADI_C64, N, z)};
    const wadi_interp_input out = {"buckets", conf_vector(WADI_C64, 4, want)};
    conf_assert_agrees(p, &(wadi_interp_io){&in, 1, NULL, 0}, 1, &out);
}

/* ---- control ---- */

static wadi_exp inside(void *env, wadi_exp s) {
    (void)env;
    const wadi_exp z = wadi_get(s, "z");
    return wadi_land(wadi_lt(wadi_get(s, "n"), wadi_i32(40)), wadi_le(wadi_abs(z), wadi_f64(2)));
}

static wadi_exp square_and_add(void *env, wadi_exp s) {
    const wadi_exp *c = env, z = wadi_get(s, "z");
    return wadi_rec2("z", wadi_add(wadi_mul(z, z), *c), "n",
                     wadi_add(wadi_get(s, "n"), wadi_i32(1)));
}

static wadi_exp escape_time(wadi_ix ix) {
    wadi_exp c = wadi_complex(
        wadi_sub(wadi_mul(wadi_convert(WADI_F64, ix.at[1]), wadi_f64(0.125)), wadi_f64(2)),
        wadi_sub(wadi_mul(wadi_convert(WADI_F64, ix.at[0]), wadi_f64(0.125)), wadi_f64(1)));
    const wadi_exp from = wadi_rec2("z", wadi_c128(0, 0), "n", wadi_i32(0));
    return wadi_while_env(inside, square_and_add, &c, from);
}

static wadi_exp turned(wadi_exp i, wadi_exp z) {
    const wadi_exp even = wadi_eq(wadi_rem(i, wadi_i64(2)), wadi_i64(0));
    return wadi_cond(even, wadi_mul(z, wadi_c64(0, 1)), wadi_div(z, wadi_c64(2, -1)));
}

static wadi_exp turned_five_times(wadi_exp z) {
    return wadi_iterate(wadi_i64(5), turned, z);
}

static void loops_carry_complex_numbers(void **state) {
    (void)state;
    wadi_program *p = wadi_program_create("loops");
    const wadi_acc n = wadi_generate(wadi_ix2(wadi_i64(16), wadi_i64(24)), escape_time);
    wadi_output("escape", n);
    wadi_output("turned", wadi_map(turned_five_times, wadi_input("z", WADI_C64, 1, any3)));
    cfloat z[19];
    cdouble w[19];
    fill(z, w, 19);
    const wadi_interp_input in = {"z", conf_vector(WADI_C64, 19, z)};
    conf_assert_agrees(p, &(wadi_interp_io){&in, 1, NULL, 0}, 0, NULL);
}

static wadi_acc long_enough(wadi_acc a) {
    return wadi_unit(wadi_gt(wadi_extent(a, 0), wadi_i64(1)));
}

static wadi_exp pair_sum(void *env, wadi_exp i) {
    const wadi_acc *a = env;
    const wadi_exp two = wadi_mul(i, wadi_i64(2));
    return wadi_add(wadi_index1(*a, two), wadi_index1(*a, wadi_add(two, wadi_i64(1))));
}

static wadi_acc halved(wadi_acc a) {
    const wadi_exp n = wadi_quot(wadi_extent(a, 0), wadi_i64(2));
    return wadi_map_env(pair_sum, &a, wadi_iota(WADI_I64, n));
}

static void a_state_of_arrays_may_be_complex(void **state) {
    (void)state;
    enum { N = 64 };
    cfloat z[N];
    cdouble w[N], sum = {0, 0};
    fill(z, w, N);
    for (int i = 0; i < N; i++) {
        sum.re += w[i].re;
        sum.im += w[i].im;
    }
    wadi_program *p = wadi_program_create("halves");
    const wadi_acc a = wadi_input("w", WADI_C128, 1, any3);
    wadi_output("sum", wadi_awhile(long_enough, halved, a));
    const wadi_interp_input in = {"w", conf_vector(WADI_C128, N, w)};
    const wadi_interp_input out = {"sum", conf_vector(WADI_C128, 1, &sum)};
    conf_assert_agrees(p, &(wadi_interp_io){&in, 1, NULL, 0}, 1, &out);
}

/* ---- host data and constants ---- */

static void constants_and_host_data(void **state) {
    (void)state;
    const cfloat z[3] = {{1, -2}, {-0.0f, 0.5f}, {3, 4}}, sum = {4, 2.5f};
    const cdouble five = {3, -4};
    wadi_program *p = wadi_program_create("data");
    const wadi_array host = conf_vector(WADI_C64, 3, z);
    const wadi_acc a = wadi_use(&host);
    wadi_output("z", a);
    wadi_output("sum", wadi_sum(a));
    wadi_output("abs", wadi_unit(wadi_abs(wadi_c128(3, -4))));
    wadi_output("five", wadi_unit(wadi_c128(3, -4)));
    wadi_output("nothing",
                wadi_fold(wadi_add, wadi_literal(WADI_C64, 1.5), wadi_take(wadi_i64(0), a)));
    const double size = 5;
    const wadi_interp_input out[] = {{"z", host},
                                     {"sum", conf_scalar(WADI_C64, &sum)},
                                     {"abs", conf_scalar(WADI_F64, &size)},
                                     {"five", conf_scalar(WADI_C128, &five)}};
    conf_assert_agrees(p, &(wadi_interp_io){NULL, 0, NULL, 0}, COUNT(out), out);
}

/* ---- streams ---- */

static wadi_acc spectrum_line(wadi_acc z) {
    return wadi_tuple2(wadi_map(wadi_abs, z), wadi_fold(wadi_add, wadi_c64(0, 0), z));
}

static wadi_acc turned_scalar(wadi_acc z) {
    return wadi_map(turned_five_times, z);
}

static void streams_of_complex_arrays(void **state) {
    (void)state;
    enum { ELEMENTS = 7, LONGEST = 33 };
    cfloat z[ELEMENTS][LONGEST];
    cdouble w[LONGEST];
    wadi_array element[ELEMENTS];
    for (int e = 0; e < ELEMENTS; e++) {
        fill(z[e], w, LONGEST);
        z[e][0].re += (float)e;
        element[e] = conf_vector(WADI_C64, e * e % LONGEST, z[e]);
    }
    for (int scalar = 0; scalar < 2; scalar++) {
        const wadi_component component = {wadi_scalar_elem(WADI_C64), scalar ? 0 : 1, NULL};
        for (int e = 0; scalar && e < ELEMENTS; e++) element[e] = conf_scalar(WADI_C64, z[e]);
        wadi_program *p = wadi_program_create("stream");
        const wadi_seq in = wadi_stream_in("in", 1, &component);
        const wadi_seq out = wadi_map_seq(scalar ? turned_scalar : spectrum_line, in);
        wadi_stream_out(out, "out");
        const wadi_interp_source source = {.name = "in", .elements = element, .n = ELEMENTS};
        conf_assert_agrees(p, &(wadi_interp_io){NULL, 0, &source, 1}, 0, NULL);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_of_lengths_around_the_block),
        cmocka_unit_test(fields_of_records_may_be_complex),
        cmocka_unit_test(complex_numbers_collide_and_are_gathered),
        cmocka_unit_test(loops_carry_complex_numbers),
        cmocka_unit_test(a_state_of_arrays_may_be_complex),
        cmocka_unit_test(constants_and_host_data),
        cmocka_unit_test(streams_of_complex_arrays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
