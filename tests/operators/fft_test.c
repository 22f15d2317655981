/* What the language's own transforms give, in the interpreter, against sums in long double. */
#include "tests/operators/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "graph/ir/ir.h"

enum { LARGEST = 4096 };

/* A signal that is the same in every run, parts in -1..1. */
static double sample(int64_t i) {
    uint64_t x = (uint64_t)i * 0x9e3779b97f4a7c15u + 0x632be59bd9b4e019u;
    x ^= x >> 29;
    x *= 0xbf58476d1ce4e5b9u;
    x ^= x >> 32;
    return (double)(int32_t)(uint32_t)x / 2147483648.0;
}

typedef struct problem {
    int rank, dims;
    int64_t shape[4];
    bool inverse;
} problem;

static int64_t product(int n, const int64_t *shape) {
    int64_t size = 1;
    for (int d = 0; d < n; d++) size *= shape[d];
    return size;
}

/* The phase of element k of the output and j of the input, both row-major in the transformed dimensions, in turns. */
static long double turns(const problem *p, int64_t k, int64_t j) {
    long double sum = 0;
    for (int d = p->rank - 1; d >= p->rank - p->dims; d--) {
        const int64_t n = p->shape[d];
        sum += (long double)(k % n * (j % n) % n) / (long double)n;
        k /= n;
        j /= n;
    }
    return sum;
}

/* in and out: pairs of parts. */
static void transform(const problem *p, const double *in, long double *out) {
    const int64_t n = product(p->dims, p->shape + p->rank - p->dims);
    const int64_t batch = product(p->rank - p->dims, p->shape);
    const long double pi = acosl(-1.0L), sign = p->inverse ? 1 : -1;
    for (int64_t b = 0; b < batch; b++)
        for (int64_t k = 0; k < n; k++) {
            long double re = 0, im = 0;
            for (int64_t j = 0; j < n; j++) {
                const long double a = sign * 2 * pi * turns(p, k, j);
                const long double c = cosl(a), s = sinl(a);
                const double *x = in + 2 * (b * n + j);
                re += (long double)x[0] * c - (long double)x[1] * s;
                im += (long double)x[0] * s + (long double)x[1] * c;
            }
            out[2 * (b * n + k)] = p->inverse ? re / (long double)n : re;
            out[2 * (b * n + k) + 1] = p->inverse ? im / (long double)n : im;
        }
}

static double part_at(const wadi_array *a, int64_t i) {
    const bool single = a->type[0] == WADI_C64 || a->type[0] == WADI_F32;
    return single ? (double)((const float *)a->column[0])[i] : ((const double *)a->column[0])[i];
}

/* The bound that wadi/lang_fft.h states. */
static double bound(wadi_type t, int64_t n, int64_t parts, const long double *want) {
    long double squares = 0;
    for (int64_t i = 0; i < parts; i++) squares += want[i] * want[i];
    const bool single = t == WADI_C64 || t == WADI_F32;
    const double e = ldexp(1, single ? -24 : -53);
    return 16 * e * log2((double)n + 2) * (double)sqrtl(squares) + 1e-300;
}

static void expect_close(const char *name, int64_t parts, const long double *want, int64_t n) {
    const wadi_array *got = wadi_interp_output_get(results(), name);
    assert_non_null(got);
    const double most = bound(got->type[0], n, parts, want);
    for (int64_t i = 0; i < parts; i++) {
        const double difference = fabs(part_at(got, i) - (double)want[i]);
        if (!(difference <= most))
            fail_msg("%s, part %lld: %.17g, expected %.17g", name, (long long)i, part_at(got, i),
                     (double)want[i]);
    }
}

static wadi_array host_complex(const problem *p, wadi_type t, double *d, float *f) {
    const int64_t size = product(p->rank, p->shape);
    wadi_array a = {.rank = p->rank, .fields = 1, .type = {t}};
    memcpy(a.shape, p->shape, sizeof p->shape);
    for (int64_t i = 0; i < 2 * size; i++) {
        f[i] = (float)sample(i);
        d[i] = t == WADI_C64 ? (double)f[i] : sample(i);
    }
    a.column[0] = t == WADI_C64 ? (void *)f : (void *)d;
    return a;
}

static void check(const problem *p, wadi_type t) {
    static double d[2 * LARGEST];
    static float f[2 * LARGEST];
    static long double want[2 * LARGEST];
    const int64_t n = product(p->dims, p->shape + p->rank - p->dims);
    const int64_t size = product(p->rank, p->shape);
    assert_true(size <= LARGEST);
    const wadi_array host = host_complex(p, t, d, f);
    begin();
    const wadi_acc x = wadi_use(&host);
    wadi_output("own", wadi_fft_own(p->dims, p->inverse, x));
    wadi_output("sized", wadi_fft_sized(p->dims, p->shape + p->rank - p->dims, p->inverse, x));
    wadi_output("fft", p->inverse ? wadi_ifft_nd(p->dims, x) : wadi_fft_nd(p->dims, x));
    run();
    transform(p, d, want);
    expect_close("own", 2 * size, want, n);
    expect_close("sized", 2 * size, want, n);
    expect_close("fft", 2 * size, want, n);
    end();
}

static void one_dimension(void **state) {
    (void)state;
    static const int64_t sizes[] = {1, 2, 3, 4, 5, 7, 8, 12, 16, 17, 32, 60, 64, 97, 128, 1000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const bool long_one = sizes[i] > 128;
        check(&(problem){1, 1, {sizes[i]}, false}, WADI_C128);
        if (long_one) continue;
        check(&(problem){1, 1, {sizes[i]}, true}, WADI_C128);
        check(&(problem){1, 1, {sizes[i]}, i % 2 != 0}, WADI_C64);
    }
}

static void two_dimensions(void **state) {
    (void)state;
    static const int64_t sizes[][2] = {{1, 1}, {2, 3}, {4, 8}, {7, 5}, {12, 17}, {32, 32}, {1, 60}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        check(&(problem){2, 2, {sizes[i][0], sizes[i][1]}, i % 2 != 0},
              i % 3 == 1 ? WADI_C64 : WADI_C128);
}

static void three_dimensions(void **state) {
    (void)state;
    check(&(problem){3, 3, {2, 3, 4}, false}, WADI_C128);
    check(&(problem){3, 3, {8, 4, 2}, true}, WADI_C128);
    check(&(problem){3, 3, {5, 7, 3}, false}, WADI_C64);
}

static void outer_dimensions_are_a_batch(void **state) {
    (void)state;
    check(&(problem){2, 1, {3, 16}, false}, WADI_C128);
    check(&(problem){2, 1, {3, 7}, true}, WADI_C128);
    check(&(problem){3, 1, {2, 3, 12}, false}, WADI_C128);
    check(&(problem){4, 2, {2, 3, 4, 5}, false}, WADI_C64);
    check(&(problem){4, 3, {2, 3, 4, 8}, true}, WADI_C128);
}

static void nothing_gives_nothing(void **state) {
    (void)state;
    check(&(problem){1, 1, {0}, false}, WADI_C128);
    check(&(problem){2, 2, {0, 5}, true}, WADI_C128);
    check(&(problem){2, 1, {0, 8}, false}, WADI_C64);
}

/* ---- real signals ---- */

static void check_real(int dims, const int64_t *shape, wadi_type t) {
    static double x[LARGEST], pairs[2 * LARGEST];
    static float f[LARGEST];
    static long double want[2 * LARGEST], half[2 * LARGEST], back[LARGEST];
    problem p = {.rank = dims, .dims = dims};
    memcpy(p.shape, shape, (size_t)dims * sizeof *shape);
    const int64_t size = product(dims, shape), last = shape[dims - 1], kept = last / 2 + 1;
    wadi_array host = {.rank = dims, .fields = 1, .type = {t}};
    memcpy(host.shape, p.shape, sizeof p.shape);
    for (int64_t i = 0; i < size; i++) {
        f[i] = (float)sample(i);
        x[i] = t == WADI_F32 ? (double)f[i] : sample(i);
        pairs[2 * i] = x[i];
        pairs[2 * i + 1] = 0;
        back[i] = (long double)x[i];
    }
    host.column[0] = t == WADI_F32 ? (void *)f : (void *)x;
    begin();
    const wadi_acc y = wadi_rfft_nd(dims, wadi_use(&host));
    wadi_output("half", y);
    wadi_output("back", wadi_irfft_nd(dims, wadi_i64(last), y));
    run();
    transform(&p, pairs, want);
    for (int64_t row = 0; row < size / last; row++)
        for (int64_t i = 0; i < 2 * kept; i++) half[row * 2 * kept + i] = want[row * 2 * last + i];
    expect_close("half", size / last * kept * 2, half, size);
    expect_close("back", size, back, size);
    end();
}

static void real_signals(void **state) {
    (void)state;
    static const int64_t sizes[] = {1, 2, 3, 5, 7, 8, 12, 17, 32, 60, 97, 128};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        check_real(1, &sizes[i], i % 3 == 2 ? WADI_F32 : WADI_F64);
    check_real(2, I64S(6, 7), WADI_F64);
    check_real(2, I64S(8, 8), WADI_F32);
    check_real(3, I64S(3, 4, 5), WADI_F64);
}

static void a_half_of_the_wrong_length_is_a_fault(void **state) {
    (void)state;
    static double x[2 * 5];
    const wadi_array host = {
        .rank = 1, .fields = 1, .type = {WADI_C128}, .shape = {5}, .column = {x}};
    begin();
    wadi_output("y", wadi_irfft(wadi_i64(10), wadi_use(&host)));
    run_fails(NULL, WADI_FAULT, "");
    end();
}

static void wrong_arguments_are_told(void **state) {
    (void)state;
    begin();
    wadi_output("y", wadi_fft(floats(3, F64S(1, 2, 3))));
    build_fails(WADI_TYPE, "complex");
    end();
    begin();
    wadi_output("y", wadi_rfft_nd(2, floats(3, F64S(1, 2, 3))));
    build_fails(WADI_TYPE, "2 dimensions");
    end();
}

/* ---- spread and with_lifted ---- */

static wadi_exp three(wadi_exp x) {
    return wadi_rec3("a", x, "b", wadi_mul(x, wadi_i64(10)), "c", wadi_neg(x));
}

static void fields_become_a_dimension(void **state) {
    (void)state;
    begin();
    const wadi_acc a = wadi_map(three, matrix(2, 2, I64S(1, 2, 3, 4)));
    wadi_output("outer", wadi_spread_on(0, a));
    wadi_output("inner", wadi_spread_on(2, a));
    run();
    expect_shape("outer", 3, I64S(3, 2, 2));
    expect_ints("outer", 12, I64S(1, 2, 3, 4, 10, 20, 30, 40, -1, -2, -3, -4));
    expect_shape("inner", 3, I64S(2, 2, 3));
    expect_ints("inner", 12, I64S(1, 10, -1, 2, 20, -2, 3, 30, -3, 4, 40, -4));
    end();
}

static wadi_acc doubled(wadi_acc a) {
    return wadi_zip_with(wadi_add, a, a);
}

static void a_lifted_version_of_another_rank_is_a_mistake(void **state) {
    (void)state;
    begin();
    wadi_output("y", wadi_with_lifted(doubled, wadi_flatten, vector(3, I64S(1, 2, 3))));
    build_fails(WADI_TYPE, "expected");
    end();
    begin();
    wadi_output("y", wadi_with_lifted(wadi_flatten, wadi_flatten, matrix(1, 2, I64S(1, 2))));
    build_fails(WADI_TYPE, "expected");
    end();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_dimension),
        cmocka_unit_test(two_dimensions),
        cmocka_unit_test(three_dimensions),
        cmocka_unit_test(outer_dimensions_are_a_batch),
        cmocka_unit_test(nothing_gives_nothing),
        cmocka_unit_test(real_signals),
        cmocka_unit_test(a_half_of_the_wrong_length_is_a_fault),
        cmocka_unit_test(wrong_arguments_are_told),
        cmocka_unit_test(fields_become_a_dimension),
        cmocka_unit_test(a_lifted_version_of_another_rank_is_a_mistake),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
