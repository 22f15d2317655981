/* More meanings in plain C, as in meanings_test.c: zips of two to nine arrays of rank one to three, with and without the index; folds
 * of segments by lengths and by offsets, with the messages for an empty segment and for one that ends after the array; orders of
 * floats and records. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/operators/support.h"

enum { MOST = 24, MOST_ARRAYS = 9 };

/* ---- zips ---- */

/* Not symmetric in its arguments: each counts by its place. */
static wadi_exp weighed(int n, const wadi_exp *x) {
    wadi_exp sum = wadi_i64(n);
    for (int k = 0; k < n; k++) sum = wadi_sub(wadi_mul(sum, wadi_i64(3)), x[k]);
    return sum;
}

static wadi_exp weighed_at(void *env, wadi_ix ix, int n, const wadi_exp *x) {
    (void)env;
    wadi_exp sum = weighed(n, x);
    for (int d = 0; d < ix.rank; d++) sum = wadi_add(wadi_mul(sum, wadi_i64(5)), ix.at[d]);
    return sum;
}

static int64_t element(int array, int64_t i) {
    return (i * (7 + array) + 3 * array) % 13 - 5;
}

static int64_t c_weighed(int n, int64_t i) {
    int64_t sum = n;
    for (int k = 0; k < n; k++) sum = sum * 3 - element(k, i);
    return sum;
}

static const int64_t shapes[3][3] = {{11}, {3, 4}, {2, 3, 4}};

static int64_t c_weighed_at(int n, int64_t i, int rank, const int64_t *shape) {
    int64_t ix[3], sum = c_weighed(n, i), left = i;
    for (int d = rank - 1; d >= 0; d--) {
        ix[d] = left % shape[d];
        left /= shape[d];
    }
    for (int d = 0; d < rank; d++) sum = sum * 5 + ix[d];
    return sum;
}

static wadi_acc numbered(int array, int rank, const int64_t *shape, int64_t size) {
    int64_t x[MOST];
    for (int64_t i = 0; i < size; i++) x[i] = element(array, i);
    const wadi_acc v = vector(size, x);
    if (rank == 1) return v;
    if (rank == 2) return wadi_reshape(wadi_ix2(wadi_i64(shape[0]), wadi_i64(shape[1])), v);
    return wadi_reshape(wadi_ix3(wadi_i64(shape[0]), wadi_i64(shape[1]), wadi_i64(shape[2])), v);
}

static void zips_of_all_counts_and_ranks(void **state) {
    (void)state;
    for (int rank = 1; rank <= 3; rank++)
        for (int n = 2; n <= MOST_ARRAYS; n++) {
            const int64_t *shape = shapes[rank - 1];
            int64_t size = 1, plain[MOST], indexed[MOST];
            wadi_acc a[MOST_ARRAYS];
            for (int d = 0; d < rank; d++) size *= shape[d];
            begin();
            for (int k = 0; k < n; k++) a[k] = numbered(k, rank, shape, size);
            wadi_output("plain", wadi_zip_with_n(weighed, n, a));
            wadi_output("indexed", wadi_izip_with_n_env(weighed_at, NULL, n, a));
            run();
            for (int64_t i = 0; i < size; i++) {
                plain[i] = c_weighed(n, i);
                indexed[i] = c_weighed_at(n, i, rank, shape);
            }
            expect_shape("plain", rank, shape);
            expect_shape("indexed", rank, shape);
            expect_ints("plain", size, plain);
            expect_ints("indexed", size, indexed);
            end();
        }
}

static void zips_tell_which_array_and_dimension(void **state) {
    (void)state;
    for (int n = 2; n <= MOST_ARRAYS; n++)
        for (int d = 0; d < 3; d++) {
            int64_t other[3];
            char says[96];
            wadi_acc a[MOST_ARRAYS];
            memcpy(other, shapes[2], sizeof other);
            other[d]--;
            begin();
            for (int k = 0; k < n; k++) a[k] = counting(3, k == n - 1 ? other : shapes[2]);
            wadi_output("x", wadi_zip_with_n(weighed, n, a));
            (void)snprintf(says, sizeof says,
                           "extents of arguments 1 and %d in dimension %d: %d and %d differ", n, d,
                           (int)shapes[2][d], (int)other[d]);
            run_fails(NULL, WADI_FAULT, says);
            end();
        }
}

/* ---- segments ---- */

static wadi_exp later(wadi_exp a, wadi_exp b) {
    (void)a;
    return b;
}

static const struct segments {
    int64_t n, lengths[6], values;
} segmented[] = {{1, {1}, 1}, {3, {2, 1, 4}, 7}, {2, {3, 3}, 9}, {6, {1, 2, 3, 4, 5, 6}, 21}};

static void folds_of_segments_that_are_not_empty(void **state) {
    (void)state;
    for (size_t c = 0; c < sizeof segmented / sizeof *segmented; c++) {
        const struct segments *s = &segmented[c];
        int64_t x[MOST], offsets[7] = {0}, sum[6], last[6];
        for (int64_t i = 0; i < s->values; i++) x[i] = element(2, i);
        for (int64_t k = 0; k < s->n; k++) {
            offsets[k + 1] = offsets[k] + s->lengths[k];
            sum[k] = 0;
            for (int64_t i = offsets[k]; i < offsets[k + 1]; i++) sum[k] += x[i];
            last[k] = x[offsets[k + 1] - 1];
        }
        begin();
        const wadi_acc v = vector(s->values, x), lengths = vector(s->n, s->lengths),
                       at = vector(s->n + 1, offsets);
        wadi_output("sum", wadi_fold1_seg(wadi_add, lengths, v));
        wadi_output("last", wadi_fold1_seg(later, lengths, v));
        wadi_output("sum_at", wadi_fold1_offsets(wadi_add, at, v));
        wadi_output("last_at", wadi_fold1_offsets(later, at, v));
        run();
        expect_ints("sum", s->n, sum);
        expect_ints("last", s->n, last);
        expect_ints("sum_at", s->n, sum);
        expect_ints("last_at", s->n, last);
        end();
    }
}

static void segments_out_of_range_are_told(void **state) {
    (void)state;
    static const int64_t x[5] = {1, 2, 3, 4, 5};
    begin();
    wadi_output("o", wadi_fold1_offsets(wadi_add, vector(3, I64S(0, 2, 2)), vector(5, x)));
    run_fails(NULL, WADI_FAULT, "the segment is empty, index [1]");
    end();
    begin();
    wadi_output("o", wadi_fold1_offsets(wadi_add, vector(3, I64S(0, 2, 6)), vector(5, x)));
    run_fails(NULL, WADI_FAULT, "segment 1, 2 to 6, is no part of the extent 5, index [1]");
    end();
    begin();
    wadi_output("o", wadi_fold1_offsets(wadi_add, vector(3, I64S(-1, 2, 3)), vector(5, x)));
    run_fails(NULL, WADI_FAULT, "segment 0, -1 to 2, is no part of the extent 5, index [0]");
    end();
}

/* Sizes are compared before extents are looked at, as compiled code does. */
static void shapes_less_than_nothing_are_told(void **state) {
    (void)state;
    begin();
    wadi_output("o", wadi_reshape(wadi_ix2(wadi_i64(-1), wadi_i64(2)), vector(2, I64S(1, 2))));
    run_fails(NULL, WADI_FAULT, "sizes before and after: 2 and -2 differ");
    end();
    begin();
    wadi_output("o", wadi_reshape(wadi_ix2(wadi_i64(-1), wadi_i64(-2)), vector(2, I64S(1, 2))));
    run_fails(NULL, WADI_FAULT, "extent -1 is negative in dimension 0");
    end();
}

/* ---- orders ---- */

static int by_number(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    if (x != y) return x < y ? -1 : 1;
    return (int)signbit(y) - (int)signbit(x); /* -0 in front of 0 */
}

static void floats_are_sorted(void **state) {
    (void)state;
    double x[MOST], sorted[MOST];
    for (int i = 0; i < MOST; i++) x[i] = (double)element(3, i) * 0.25 * (i % 3 == 0 ? 1e18 : 1);
    x[4] = -0.0;
    x[9] = 0.0;
    x[11] = -(double)INFINITY;
    x[12] = (double)INFINITY;
    memcpy(sorted, x, sizeof x);
    qsort(sorted, MOST, sizeof *sorted, by_number);
    begin();
    wadi_output("sorted", wadi_sort(floats(MOST, x)));
    run();
    expect_floats("sorted", MOST, sorted);
    end();
}

static wadi_exp paired(wadi_ix ix, wadi_exp x, wadi_exp y) {
    return wadi_rec3("x", x, "y", y, "i", ix.at[0]);
}

static wadi_exp key_of(wadi_exp r) {
    return wadi_get(r, "x");
}

/* Records go by their key, those of one key in the order they came in. */
static void records_are_sorted(void **state) {
    (void)state;
    int64_t x[MOST], y[MOST], place[MOST], at[3][MOST];
    int n = 0;
    for (int64_t i = 0; i < MOST; i++) {
        x[i] = element(1, i) / 3;
        y[i] = element(4, i);
    }
    for (int64_t key = -20; key < 20; key++)
        for (int64_t i = 0; i < MOST; i++)
            if (x[i] == key) place[n++] = i;
    for (int k = 0; k < MOST; k++) {
        at[0][k] = x[place[k]];
        at[1][k] = y[place[k]];
        at[2][k] = place[k];
    }
    begin();
    wadi_output("sorted",
                wadi_sort_by_key(key_of, wadi_izip_with(paired, vector(MOST, x), vector(MOST, y))));
    run();
    for (int f = 0; f < 3; f++) expect_field("sorted", f, MOST, at[f]);
    end();
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(zips_of_all_counts_and_ranks),
                                       cmocka_unit_test(zips_tell_which_array_and_dimension),
                                       cmocka_unit_test(folds_of_segments_that_are_not_empty),
                                       cmocka_unit_test(segments_out_of_range_are_told),
                                       cmocka_unit_test(shapes_less_than_nothing_are_told),
                                       cmocka_unit_test(floats_are_sorted),
                                       cmocka_unit_test(records_are_sorted)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
