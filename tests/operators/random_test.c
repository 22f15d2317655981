/* Random numbers: known answers of the generator, a second computation of each number in C, and statistics of many. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/operators/support.h"

enum { MANY = 40000, SEED = 20240229 };

/* ---- the generator ---- */

/* The vectors of the Random123 distribution (kat_vectors, philox4x32 10). */
static const uint32_t known[][10] = {
    {0, 0, 0, 0, 0, 0, 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8},
    {~0u, ~0u, ~0u, ~0u, ~0u, ~0u, 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd},
    {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0, 0xd16cfe09, 0x94fdcceb,
     0x5001e420, 0x24126ea1}};

static uint64_t join(uint32_t low, uint32_t high) {
    return low | (uint64_t)high << 32;
}

/* The generator in C. */
static void philox(uint64_t seed, uint64_t low, uint64_t high, uint32_t x[4]) {
    uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    x[0] = (uint32_t)low;
    x[1] = (uint32_t)(low >> 32);
    x[2] = (uint32_t)high;
    x[3] = (uint32_t)(high >> 32);
    for (int r = 0; r < 10; r++) {
        const uint64_t p = x[0] * (uint64_t)0xD2511F53, q = x[2] * (uint64_t)0xCD9E8D57;
        const uint32_t next[4] = {(uint32_t)(q >> 32) ^ x[1] ^ key[0], (uint32_t)q,
                                  (uint32_t)(p >> 32) ^ x[3] ^ key[1], (uint32_t)p};
        memcpy(x, next, sizeof next);
        key[0] += 0x9E3779B9;
        key[1] += 0xBB67AE85;
    }
}

static void words_are_the_known_answers(void **state) {
    static const char *const names[] = {"w0", "w1", "w2", "w3"};
    (void)state;
    for (int k = 0; k < 3; k++) {
        const uint32_t *v = known[k];
        uint32_t x[4];
        philox(join(v[4], v[5]), join(v[0], v[1]), join(v[2], v[3]), x);
        begin();
        const wadi_exp seed = wadi_u64(join(v[4], v[5])), above = wadi_u64(join(v[2], v[3]));
        const wadi_exp r = wadi_random_words(seed, wadi_u64(join(v[0], v[1])), above);
        for (int i = 0; i < 4; i++) wadi_output(names[i], wadi_unit(wadi_get(r, names[i])));
        run();
        for (int i = 0; i < 4; i++) {
            expect_ints(names[i], 1, I64S(v[6 + i]));
            assert_int_equal(x[i], v[6 + i]);
        }
        end();
    }
}

/* ---- every number by another computation ---- */

static wadi_exp below_7(wadi_exp seed, wadi_exp i) {
    return wadi_random_below(seed, i, wadi_i16(7));
}

static wadi_exp below_most(wadi_exp seed, wadi_exp i) {
    return wadi_random_below(seed, i, wadi_u64(UINT64_MAX - 5));
}

static wadi_exp below_none(wadi_exp seed, wadi_exp i) {
    return wadi_random_below(seed, i, wadi_i32(-3));
}

static wadi_exp dice(wadi_exp seed, wadi_exp i) {
    return wadi_random_between(seed, i, wadi_i8(-2), wadi_i8(3));
}

static wadi_exp any_i64(wadi_exp seed, wadi_exp i) {
    return wadi_random_between(seed, i, wadi_i64(INT64_MIN), wadi_i64(INT64_MAX));
}

static wadi_exp backwards(wadi_exp seed, wadi_exp i) {
    return wadi_random_between(seed, i, wadi_u8(9), wadi_u8(4));
}

__extension__ typedef unsigned __int128 wide;

/* floor(bits n / 2^128), by another way than the language's: the lowest 64 bits first. */
static uint64_t scaled(const uint32_t x[4], uint64_t n) {
    const wide low = (wide)join(x[2], x[3]) * n;
    const wide high = (wide)join(x[0], x[1]) * n + (low >> 64);
    return (uint64_t)(high >> 64);
}

static void numbers_are_those_of_the_words(void **state) {
    static const wadi_fn2 draws[] = {wadi_random_u32, wadi_random_u64, below_7,
                                     below_most,      below_none,      dice,
                                     any_i64,         backwards};
    enum { N = 300, DRAWS = sizeof draws / sizeof *draws };
    static int64_t want[DRAWS][N];
    double f32s[N], f64s[N];
    char name[2] = "a";
    (void)state;
    for (int i = 0; i < N; i++) {
        uint32_t x[4];
        philox((uint64_t)-3, (uint64_t)i, 0, x);
        const uint64_t bits = join(x[0], x[1]);
        const int64_t row[DRAWS] = {x[0],
                                    (int64_t)bits,
                                    (int64_t)scaled(x, 7),
                                    (int64_t)scaled(x, UINT64_MAX - 5),
                                    0,
                                    (int64_t)scaled(x, 6) - 2,
                                    (int64_t)(bits + ((uint64_t)1 << 63)),
                                    9};
        for (int d = 0; d < DRAWS; d++) want[d][i] = row[d];
        f32s[i] = ldexp(x[0] >> 8, -24);
        f64s[i] = ldexp((double)(bits >> 11), -53);
    }
    begin();
    const wadi_ix shape = wadi_ix2(wadi_i64(N / 3), wadi_i64(3));
    for (int d = 0; d < DRAWS; d++, name[0]++)
        wadi_output(name, wadi_random_array(draws[d], shape, wadi_i32(-3)));
    wadi_output("f32", wadi_random_array(wadi_random_f32, shape, wadi_i32(-3)));
    wadi_output("f64", wadi_random_array(wadi_random_f64, shape, wadi_i32(-3)));
    run();
    name[0] = 'a';
    for (int d = 0; d < DRAWS; d++, name[0]++) expect_ints(name, N, want[d]);
    expect_shape("f32", 2, I64S(N / 3, 3));
    expect_floats("f32", N, f32s);
    expect_floats("f64", N, f64s);
    end();
}

/* ---- the normal distribution ---- */

static void normal_numbers_invert_the_distribution(void **state) {
    enum { N = 4000 };
    (void)state;
    begin();
    const wadi_ix shape = wadi_ix1(wadi_i64(N));
    wadi_output("f64", wadi_random_array(wadi_random_normal_f64, shape, wadi_u64(SEED)));
    wadi_output("f32", wadi_random_array(wadi_random_normal_f32, shape, wadi_u64(SEED)));
    run();
    const double *x = wadi_interp_output_get(results(), "f64")->column[0];
    const float *single = wadi_interp_output_get(results(), "f32")->column[0];
    int far = 0;
    for (int i = 0; i < N; i++) {
        uint32_t w[4];
        philox(SEED, (uint64_t)i, 0, w);
        const uint64_t bits = join(w[0], w[1]);
        const double p = ((double)(bits << 1 >> 1) + 0.5) * 0x1p-64;
        assert_true(fabs(erfc(fabs(x[i]) / sqrt(2.0)) / 2 / p - 1) < 1e-14);
        assert_true(p == 0.5 || (x[i] < 0) == (bits >> 63 == 1));
        assert_true(single[i] == (float)x[i]);
        far += p < 0.075;
    }
    assert_true(far > 100); /* the tails have been seen */
    end();
}

/* ---- statistics ---- */

static const double *drawn(wadi_fn2 draw) {
    begin();
    wadi_output("x", wadi_random_array(draw, wadi_ix1(wadi_i64(MANY)), wadi_u64(SEED)));
    run();
    return wadi_interp_output_get(results(), "x")->column[0];
}

/* The mean of the k-th powers, and the deviation that it has by chance. */
static void expect_moment(const double *x, int k, double mean, double of_square) {
    double sum = 0;
    for (int i = 0; i < MANY; i++) sum += pow(x[i], k);
    const double deviation = sqrt((of_square - mean * mean) / MANY);
    assert_true(fabs(sum / MANY - mean) < 4 * deviation);
}

/* Neighbours are not related: the sum of products of differences from the mean has deviation variance * sqrt(n). */
static void expect_no_relation(const double *x, double mean, double variance) {
    double sum = 0;
    for (int i = 0; i + 1 < MANY; i++) sum += (x[i] - mean) * (x[i + 1] - mean);
    assert_true(fabs(sum) < 4 * variance * sqrt(MANY));
}

static void uniform_numbers_are_uniform(void **state) {
    enum { CELLS = 100 };
    int count[CELLS] = {0};
    double chi = 0;
    (void)state;
    const double *x = drawn(wadi_random_f64);
    for (int i = 0; i < MANY; i++) {
        assert_true(x[i] >= 0 && x[i] < 1);
        count[(int)(x[i] * CELLS)]++;
    }
    for (int c = 0; c < CELLS; c++) {
        const double expected = (double)MANY / CELLS, d = count[c] - expected;
        chi += d * d / expected;
    }
    assert_true(chi > 55 && chi < 155); /* 99 degrees of freedom: 99 +- 14 */
    for (int k = 1; k <= 4; k++) expect_moment(x, k, 1.0 / (k + 1), 1.0 / (2 * k + 1));
    expect_no_relation(x, 0.5, 1.0 / 12);
    end();
}

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The greatest distance between the distribution function and that of the numbers (Kolmogorov and Smirnov): below 1.95 / sqrt(n) but
 * once in 1000 times. */
static void normal_numbers_are_normal(void **state) {
    static double sorted[MANY];
    double most = 0;
    (void)state;
    const double *x = drawn(wadi_random_normal_f64);
    expect_moment(x, 1, 0, 1);
    expect_moment(x, 2, 1, 3);
    expect_moment(x, 3, 0, 15);
    expect_moment(x, 4, 3, 105);
    expect_no_relation(x, 0, 1);
    memcpy(sorted, x, sizeof sorted);
    end();
    qsort(sorted, MANY, sizeof *sorted, ascending);
    for (int i = 0; i < MANY; i++) {
        const double below = erfc(-sorted[i] / sqrt(2.0)) / 2;
        most = fmax(most, fmax(fabs(below - (double)i / MANY), fabs(below - (i + 1.0) / MANY)));
    }
    assert_true(most < 1.95 / sqrt(MANY));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_the_known_answers),
        cmocka_unit_test(numbers_are_those_of_the_words),
        cmocka_unit_test(normal_numbers_invert_the_distribution),
        cmocka_unit_test(uniform_numbers_are_uniform),
        cmocka_unit_test(normal_numbers_are_normal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
