/* Samples of chunks: which values of which arrays are taken, and how many at most. */
#include "sched/sample.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sched/builder.h"

enum { MOST_VALUES = 1 << 17 };

/* ---- chunks of one array, whose values count from 0 in each element, plus 1000 times its number ---- */

static wadi_buffers *buffers;

static int set_up(void **state) {
    (void)state;
    return wadi_buffers_create(NULL, 0, &buffers, NULL) == WADI_OK ? 0 : -1;
}

static int tear_down(void **state) {
    (void)state;
    wadi_buffers_release(buffers);
    return 0;
}

static void put(void *column, wadi_type t, int64_t i, double x) {
    if (t == WADI_F64) ((double *)column)[i] = x;
    if (t == WADI_I16) ((int16_t *)column)[i] = (int16_t)x;
    if (t == WADI_C64) ((float *)column)[2 * i] = (float)x;
    if (t == WADI_C64) ((float *)column)[2 * i + 1] = -(float)x;
}

static wadi_sample *sample(wadi_type t, int rank, const int64_t *shape, int64_t n) {
    const wadi_part part = wadi_part_irregular(t, rank);
    const int64_t values = wadi_shape_values(rank, shape);
    wadi_builder b;
    wadi_chunk *c = NULL;
    assert_int_equal(wadi_builder_init(&b, buffers, 1, &part, INT64_MAX, NULL), WADI_OK);
    for (int64_t s = 0; s < n; s++) {
        wadi_array a;
        assert_int_equal(wadi_builder_array(&b, 0, shape, &a, NULL), WADI_OK);
        for (int64_t i = 0; i < values; i++) put(a.column[0], t, i, (double)(1000 * s + i));
        assert_int_equal(wadi_builder_next(&b, NULL), WADI_OK);
    }
    assert_int_equal(wadi_chunk_create(buffers, 1, &c, NULL), WADI_OK);
    c->first = 70;
    c->count = n;
    wadi_builder_finish(&b, c, 0, n);
    wadi_sample *made = wadi_sample_make(c), *copy = made != NULL ? wadi_sample_copy(made) : NULL;
    assert_non_null(copy);
    free(made);
    wadi_chunk_release(c);
    wadi_builder_fini(&b);
    assert_true(copy->values <= MOST_VALUES);
    assert_int_equal(copy->n, 1);
    assert_int_equal(copy->first, 70);
    assert_int_equal(copy->count, n);
    return copy;
}

/* ---- what is taken ---- */

static void of_arrays_the_last_element_is_taken(void **state) {
    (void)state;
    const int64_t shape = 5;
    wadi_sample *s = sample(WADI_I16, 1, &shape, 3);
    const wadi_sample_part *p = &s->part[0];
    assert_false(p->series);
    assert_int_equal(p->rows, 1);
    assert_int_equal(p->columns, 5);
    assert_int_equal(p->shape[0], 5);
    for (int i = 0; i < 5; i++) assert_true(s->value[p->at + i] == 2000 + i);
    free(s);
}

static void of_scalars_a_value_of_each_element_is_taken(void **state) {
    (void)state;
    wadi_sample *s = sample(WADI_F64, 0, NULL, 7);
    assert_true(s->part[0].series);
    assert_int_equal(s->part[0].columns, 7);
    for (int i = 0; i < 7; i++) assert_true(s->value[i] == 1000 * i);
    free(s);
}

static void complex_numbers_have_two_parts(void **state) {
    (void)state;
    const int64_t shape[] = {2, 3};
    wadi_sample *s = sample(WADI_C64, 2, shape, 1);
    assert_int_equal(s->part[0].rows, 2);
    assert_int_equal(s->part[0].columns, 3);
    assert_int_equal(s->values, 12);
    for (int i = 0; i < 6; i++) assert_true(s->value[2 * i] == i && s->value[2 * i + 1] == -i);
    free(s);
}

static void long_lines_are_thinned(void **state) {
    (void)state;
    const int64_t sizes[] = {WADI_SAMPLE_LINE, WADI_SAMPLE_LINE + 1, 100003};
    for (int i = 0; i < 3; i++) {
        wadi_sample *s = sample(WADI_F64, 1, &sizes[i], 1);
        const wadi_sample_part *p = &s->part[0];
        assert_in_range(p->columns, WADI_SAMPLE_LINE / 2, WADI_SAMPLE_LINE);
        assert_int_equal(p->column_step == 1, i == 0);
        assert_true((p->columns - 1) * p->column_step < sizes[i]);
        for (int64_t k = 0; k < p->columns; k++)
            assert_true(s->value[k] == (double)(k * p->column_step));
        free(s);
    }
    wadi_sample *s = sample(WADI_F64, 0, NULL, 2000);
    assert_int_equal(s->part[0].column_step, 4);
    assert_true(s->value[499] == 1000 * 4 * 499);
    free(s);
}

static void large_matrices_are_thinned_both_ways(void **state) {
    (void)state;
    const int64_t shape[] = {2, 200, 97};
    for (int rank = 2; rank <= 3; rank++) {
        wadi_sample *s = sample(WADI_F64, rank, shape + 3 - rank, 1);
        const wadi_sample_part *p = &s->part[0];
        assert_int_equal(p->row_step, 3);
        assert_int_equal(p->rows, 67);
        assert_int_equal(p->column_step, 2);
        assert_int_equal(p->columns, 49);
        for (int64_t r = 0; r < p->rows; r++)
            for (int64_t k = 0; k < p->columns; k++)
                assert_true(s->value[r * 49 + k] == (double)(r * 3 * 97 + k * 2));
        free(s);
    }
}

/* Element s has s rows of s + 1 values, so the last one has its own shape, and begins behind all others. */
static void rows_may_be_ragged(void **state) {
    (void)state;
    enum { N = 5 };
    const wadi_part part = wadi_part_irregular(WADI_F64, 2);
    wadi_builder b;
    wadi_chunk *c = NULL;
    assert_int_equal(wadi_builder_init(&b, buffers, 1, &part, INT64_MAX, NULL), WADI_OK);
    for (int64_t s = 0; s < N; s++) {
        const int64_t shape[] = {s, s + 1};
        wadi_array a;
        assert_int_equal(wadi_builder_array(&b, 0, shape, &a, NULL), WADI_OK);
        for (int64_t i = 0; i < s * (s + 1); i++)
            ((double *)a.column[0])[i] = (double)(1000 * s + i);
        assert_int_equal(wadi_builder_next(&b, NULL), WADI_OK);
    }
    assert_int_equal(wadi_chunk_create(buffers, 1, &c, NULL), WADI_OK);
    c->count = N;
    wadi_builder_finish(&b, c, 0, N);
    for (int64_t n = 1; n <= N; n++) {
        c->count = n;
        wadi_sample *s = wadi_sample_make(c);
        assert_non_null(s);
        assert_int_equal(s->part[0].shape[0], n - 1);
        assert_int_equal(s->part[0].shape[1], n);
        assert_int_equal(s->values, (n - 1) * n);
        for (int64_t i = 0; i < s->values; i++)
            assert_true(s->value[i] == (double)(1000 * (n - 1) + i));
        free(s);
    }
    wadi_chunk_release(c);
    wadi_builder_fini(&b);
}

/* ---- what is copied from a device ---- */

static int64_t copied;

static void copy_home(void *self, void *to, const void *from, int64_t bytes) {
    (void)self;
    copied += bytes;
    memcpy(to, from, (size_t)bytes);
}

/* Its memory is the host's, which nobody else may know. */
static void of_arrays_on_a_device_one_element_is_copied(void **state) {
    (void)state;
    enum { N = 100, EACH = 8 };
    wadi_traffic traffic = {0};
    const wadi_residence device = {.get = copy_home, .traffic = &traffic};
    float numbers[N], rows[N * EACH];
    int64_t offsets[N + 1], shapes[N];
    wadi_chunk *c = NULL;
    for (int i = 0; i < N; i++) numbers[i] = (float)i;
    for (int i = 0; i < N * EACH; i++) rows[i] = (float)i;
    for (int i = 0; i <= N; i++) offsets[i] = i * EACH;
    for (int i = 0; i < N; i++) shapes[i] = EACH;
    const wadi_chunk_component irregular = {.layout = WADI_LAYOUT_IRREGULAR,
                                            .rank = 1,
                                            .fields = 1,
                                            .type = {WADI_F32},
                                            .shapes = shapes,
                                            .offsets = offsets,
                                            .values = N * EACH,
                                            .column = {rows},
                                            .residence = &device};
    const wadi_chunk_component scalar = {.layout = WADI_LAYOUT_REGULAR,
                                         .fields = 1,
                                         .type = {WADI_F32},
                                         .values = N,
                                         .column = {numbers},
                                         .residence = &device};
    wadi_chunk_component regular = irregular;
    regular.layout = WADI_LAYOUT_REGULAR;
    regular.shape[0] = EACH;
    assert_int_equal(wadi_chunk_create(buffers, WADI_SAMPLE_PARTS + 2, &c, NULL), WADI_OK);
    c->count = N;
    for (int i = 0; i < c->components; i++) c->component[i] = regular; /* some are not wanted */
    c->component[1] = scalar;
    c->component[2] = irregular;
    copied = 0;
    wadi_sample *s = wadi_sample_make(c);
    assert_non_null(s);
    assert_int_equal(s->n, WADI_SAMPLE_PARTS);
    assert_int_equal(copied, (N + 3 * EACH) * (int64_t)sizeof(float));
    for (int k = 0; k < N; k++) assert_true(s->value[s->part[1].at + k] == k);
    for (int i = 0; i < s->n; i++)
        for (int k = 0; i != 1 && k < EACH; k++)
            assert_true(s->value[s->part[i].at + k] == (N - 1) * EACH + k);
    for (int i = 0; i < c->components; i++) assert_ptr_equal(c->component[i].residence, &device);
    free(s);
    wadi_chunk_release(c);
}

static void arrays_without_values_are_known(void **state) {
    (void)state;
    const int64_t shape[] = {0, INT64_C(1) << 40};
    wadi_sample *s = sample(WADI_F64, 2, shape, 4);
    assert_int_equal(s->values, 0);
    assert_int_equal(s->part[0].rows, 0);
    assert_int_equal(s->part[0].shape[1], INT64_C(1) << 40);
    free(s);
}

static void columns_beyond_the_most_are_left_out(void **state) {
    (void)state;
    double one[] = {1, 2, 3};
    wadi_chunk *c = NULL;
    assert_int_equal(wadi_chunk_create(buffers, WADI_SAMPLE_PARTS + 1, &c, NULL), WADI_OK);
    c->count = 3;
    for (int i = 0; i <= WADI_SAMPLE_PARTS; i++)
        c->component[i] = (wadi_chunk_component){.layout = WADI_LAYOUT_AVOID,
                                                 .fields = 1,
                                                 .type = {WADI_F64},
                                                 .values = 1,
                                                 .column = {one}};
    wadi_sample *s = wadi_sample_make(c);
    assert_non_null(s);
    assert_int_equal(s->n, WADI_SAMPLE_PARTS);
    assert_true(s->cut);
    for (int i = 0; i < 3; i++) assert_true(s->value[i] == 1); /* all elements share it */
    free(s);
    wadi_chunk_release(c);
}

int main(void) {
#define CASE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        CASE(of_arrays_the_last_element_is_taken),
        CASE(of_scalars_a_value_of_each_element_is_taken),
        CASE(complex_numbers_have_two_parts),
        CASE(long_lines_are_thinned),
        CASE(large_matrices_are_thinned_both_ways),
        CASE(rows_may_be_ragged),
        CASE(of_arrays_on_a_device_one_element_is_copied),
        CASE(arrays_without_values_are_known),
        CASE(columns_beyond_the_most_are_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
