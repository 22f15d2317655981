/* Matrix Market files become rows, or errors that name the line. */
#include "wadi/matrix.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "connectors/decimal.h"
#include "sched/stream.h"
#include "tests/open_files.h"

static wadi_csr parse(const char *text) {
    wadi_csr m = {0};
    wadi_error err = {0};
    if (wadi_matrix_market_parse("test", text, strlen(text), &m, &err) != WADI_OK)
        fail_msg("%s", err.msg);
    return m;
}

static double at(const wadi_csr *m, int64_t row, int64_t column, int part) {
    const int parts = m->type == WADI_C128 ? 2 : 1;
    for (int64_t i = m->offsets[row]; i < m->offsets[row + 1]; i++) {
        if (((const int32_t *)m->index)[i] == column) return m->values[parts * i + part];
    }
    return 0;
}

static void coordinates_become_sorted_rows(void **state) {
    (void)state;
    wadi_csr m = parse("%%MatrixMarket matrix coordinate real general\n% a comment\n\n"
                       "3 4 4\n3 4 2.5\n1 2 -1e-3\n\n1 1 7\n% another\n3 1 .5\n");
    assert_int_equal(m.rows, 3);
    assert_int_equal(m.columns, 4);
    assert_int_equal(m.entries, 4);
    assert_int_equal(m.type, WADI_F64);
    assert_int_equal(m.index_type, WADI_I32);
    const int64_t offsets[] = {0, 2, 2, 4};
    const int32_t index[] = {0, 1, 0, 3};
    const double values[] = {7, -1e-3, .5, 2.5};
    assert_memory_equal(m.offsets, offsets, sizeof offsets);
    assert_memory_equal(m.index, index, sizeof index);
    assert_memory_equal(m.values, values, sizeof values);
    wadi_csr_fini(&m);
}

static void entries_of_one_place_are_added_and_zeros_kept(void **state) {
    (void)state;
    wadi_csr m = parse("%%MatrixMarket matrix coordinate integer general\n"
                       "2 2 5\n2 1 0\n1 1 3\n1 2 1\n1 1 4\n1 1 -7\n");
    assert_int_equal(m.entries, 3);
    assert_int_equal(m.offsets[1], 2);
    assert_true(m.values[0] == 0 && m.values[1] == 1 && m.values[2] == 0);
    wadi_csr_fini(&m);
}

/* Whatever the order of the columns: 1 is lost beside 1e16 only where it comes before -1e16. */
static void sums_are_made_in_the_order_of_the_file(void **state) {
    (void)state;
    wadi_csr m =
        parse("%%MatrixMarket matrix coordinate real general\n"
              "2 4 8\n1 3 1e16\n1 1 5\n1 3 1\n2 4 1\n1 3 -1e16\n2 4 1e16\n2 1 3\n2 4 -1e16\n");
    assert_int_equal(m.entries, 4);
    assert_true(at(&m, 0, 2, 0) == 0 && at(&m, 0, 0, 0) == 5);
    assert_true(at(&m, 1, 3, 0) == 0 && at(&m, 1, 0, 0) == 3);
    wadi_csr_fini(&m);
    m = parse("%%MatrixMarket matrix coordinate complex general\n"
              "1 2 4\n1 2 1e16 1e16\n1 1 5 6\n1 2 -1e16 1\n1 2 1 -1e16\n");
    assert_int_equal(m.entries, 2);
    assert_true(at(&m, 0, 1, 0) == 1 && at(&m, 0, 1, 1) == 0 && at(&m, 0, 0, 1) == 6);
    wadi_csr_fini(&m);
}

static void other_triangles_are_filled_in(void **state) {
    (void)state;
    wadi_csr m = parse("%%MatrixMarket matrix coordinate pattern symmetric\n2 2 2\n1 1\n2 1\n");
    assert_int_equal(m.entries, 3);
    assert_true(at(&m, 0, 0, 0) == 1 && at(&m, 0, 1, 0) == 1 && at(&m, 1, 0, 0) == 1);
    wadi_csr_fini(&m);
    m = parse("%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 1\n3 1 2\n");
    assert_true(at(&m, 2, 0, 0) == 2 && at(&m, 0, 2, 0) == -2);
    wadi_csr_fini(&m);
    m = parse("%%MatrixMarket matrix coordinate complex hermitian\n2 2 2\n2 1 1 2\n1 1 5 0\n");
    assert_int_equal(m.type, WADI_C128);
    assert_true(at(&m, 1, 0, 1) == 2 && at(&m, 0, 1, 1) == -2 && at(&m, 0, 1, 0) == 1);
    wadi_csr_fini(&m);
    m = parse("%%MatrixMarket matrix coordinate complex symmetric\n2 2 1\n2 1 1 2\n");
    assert_true(at(&m, 0, 1, 1) == 2);
    wadi_csr_fini(&m);
}

static void arrays_are_columns_one_after_another(void **state) {
    (void)state;
    wadi_csr m = parse("%%MatrixMarket matrix array real general\n2 3\n1\n2\n3\n4\n0\n6\n");
    assert_int_equal(m.entries, 6);
    assert_true(at(&m, 0, 0, 0) == 1 && at(&m, 1, 0, 0) == 2 && at(&m, 1, 2, 0) == 6);
    wadi_csr_fini(&m);
    m = parse("%%MatrixMarket matrix array integer symmetric\n2 2\n1\n2\n3\n");
    assert_true(at(&m, 0, 1, 0) == 2 && at(&m, 1, 0, 0) == 2 && at(&m, 1, 1, 0) == 3);
    wadi_csr_fini(&m);
    m = parse("%%MatrixMarket matrix array real skew-symmetric\n3 3\n1\n2\n3\n");
    assert_true(at(&m, 1, 0, 0) == 1 && at(&m, 2, 1, 0) == 3 && at(&m, 1, 2, 0) == -3);
    wadi_csr_fini(&m);
}

static void line_ends_and_capitals_do_not_matter(void **state) {
    (void)state;
    wadi_csr m = parse("%%MatrixMarket MATRIX Coordinate Real General\r\n% c\r\n2\t2 1\r\n"
                       "  2 2  1.5D+01 \r\n\r\n");
    assert_true(at(&m, 1, 1, 0) == 15);
    wadi_csr_fini(&m);
    m = parse("%%matrixmarket matrix coordinate real general\n1 1 1\n1 1 2");
    assert_true(at(&m, 0, 0, 0) == 2);
    wadi_csr_fini(&m);
}

static void empty_matrices_are_fine(void **state) {
    (void)state;
    wadi_csr m = parse("%%MatrixMarket matrix coordinate real general\n0 0 0\n");
    assert_int_equal(m.entries, 0);
    assert_int_equal(m.offsets[0], 0);
    wadi_csr_fini(&m);
    m = parse("%%MatrixMarket matrix coordinate real general\n3 5 0\n");
    assert_int_equal(m.offsets[3], 0);
    wadi_csr_fini(&m);
    m = parse("%%MatrixMarket matrix array real general\n0 7\n");
    assert_int_equal(m.entries, 0);
    wadi_csr_fini(&m);
}

static void wide_matrices_have_wide_indices(void **state) {
    (void)state;
    wadi_csr m = parse("%%MatrixMarket matrix coordinate real general\n"
                       "1 3000000000 1\n1 3000000000 4\n");
    assert_int_equal(m.index_type, WADI_I64);
    assert_true(((const int64_t *)m.index)[0] == 2999999999);
    wadi_csr_fini(&m);
}

static void mistakes_are_errors_that_name_the_line(void **state) {
    (void)state;
#define R "%%MatrixMarket matrix coordinate real general\n"
#define S "%%MatrixMarket matrix coordinate real symmetric\n"
    static const struct {
        const char *text, *line, *says;
    } cases[] = {
        {"", "line 1", "MatrixMarket"},
        {"1 1 1\n", "line 1", "MatrixMarket"},
        {"%%MatrixMarket vector coordinate real general\n", "line 1", "vector"},
        {"%%MatrixMarket tensor coordinate real general\n", "line 1", "tensor"},
        {"%%MatrixMarket matrix elements real general\n", "line 1", "elements"},
        {"%%MatrixMarket matrix coordinate float general\n", "line 1", "float"},
        {"%%MatrixMarket matrix coordinate real\n", "line 1", "symmetry"},
        {"%%MatrixMarket matrix coordinate real general x\n", "line 1",
         "expected the end of the line"},
        {"%%MatrixMarket matrix coordinate real hermitian\n", "line 1", "hermitian"},
        {"%%MatrixMarket matrix array pattern general\n", "line 1", "pattern"},
        {"%%MatrixMarket matrix coordinate pattern skew-symmetric\n", "line 1", "pattern"},
        {R, "line 2", "sizes"},
        {R "2 2\n", "line 2", "number of entries"},
        {R "2 2 -1\n", "line 2", "number of entries"},
        {R "2 2 1.0\n1 1 1\n", "line 2", "number of entries"},
        {R "99999999999999999999 1 1\n", "line 2", "too large"},
        {R "9223372036854775809 1 1\n", "line 2", "too large"},
        {R "1 9223372036854775808 1\n", "line 2", "too large"},
        {R "99999999999999999 1 1\n", "line 2", "too large"},
        {R "2 2 1000000000000\n1 1 1\n", "line 2", "more than the file can hold"},
        {R "% c\n2 2 2\n1 1 1\n", "line 5", "ends after 1 of 2"},
        {R "2 2 1\n1 1 1\n2 2 2\n", "line 4", "more than the 1 announced"},
        {R "2 2 1\n0 1 1\n", "line 3", "outside"},
        {R "2 2 1\n1 3 1\n", "line 3", "outside"},
        {R "2 2 1\n1 1\n", "line 3", "expected a number"},
        {R "2 2 1\n1 1 x\n", "line 3", "expected a number"},
        {R "2 2 1\n1 1 0x10\n", "line 3", "expected a number"},
        {R "2 2 1\n1 1 1 1\n", "line 3", "expected the end of the line"},
        {R "2 2 1\n1.0 1 1\n", "line 3", "row"},
        {S "2 3 1\n1 1 1\n", "line 2", "square"},
        {"%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n1 1 0\n", "line 3",
         "diagonal"},
        {"%%MatrixMarket matrix coordinate complex hermitian\n2 2 1\n1 1 0 1\n", "line 3",
         "diagonal"},
        {"%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 1.5\n", "line 3", "integer"},
        {"%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 9007199254740993\n",
         "line 3", "2^53"},
        {"%%MatrixMarket matrix coordinate pattern general\n1 1 1\n1 1 x\n", "line 3",
         "expected a number"},
        {"%%MatrixMarket matrix coordinate pattern general\n1 1 1\n1 1 1 2 3\n", "line 3",
         "expected the end of the line"},
        {"%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n", "line 6", "3 of 4"},
        {"%%MatrixMarket matrix array real general\n1 1\n1\n2\n", "line 4", "more than the 1"},
        {"%%MatrixMarket matrix array real general\n9999999 9999999\n1\n", "line 2", "announced"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        wadi_csr m = {0};
        wadi_error err = {0};
        assert_int_not_equal(
            wadi_matrix_market_parse("bad.mtx", cases[i].text, strlen(cases[i].text), &m, &err),
            WADI_OK);
        if (!strstr(err.msg, "bad.mtx") || !strstr(err.msg, cases[i].line) ||
            !strstr(err.msg, cases[i].says))
            fail_msg("case %zu: \"%s\" names no %s, or not %s", i, err.msg, cases[i].line,
                     cases[i].says);
        assert_null(m.offsets);
    }
}

/* Every prefix of a file is an error or a matrix, never a crash. */
static void cut_off_files_are_survived(void **state) {
    (void)state;
    const char *text = "%%MatrixMarket matrix coordinate complex hermitian\n% c\n3 3 3\n"
                       "1 1 1e3 0\n3 1 -2.5e-1 7\r\n3 2 1 1\n";
    for (size_t n = 0; n <= strlen(text); n++) {
        char *part = calloc(n + 1, 1);
        assert_non_null(part);
        memcpy(part, text, n);
        wadi_csr m = {0};
        if (wadi_matrix_market_parse("cut", part, n, &m, NULL) == WADI_OK) wadi_csr_fini(&m);
        free(part);
    }
}

static void numbers_round_like_strtod(void **state) {
    (void)state;
    static const char *const texts[] = {"0",
                                        "-0.0",
                                        "1",
                                        "+3.25",
                                        ".5",
                                        "5.",
                                        "1e22",
                                        "1e23",
                                        "123456789012345678",
                                        "0.1",
                                        "9007199254740993",
                                        "2.2250738585072014e-308",
                                        "4.9e-324",
                                        "1.7976931348623157e308",
                                        "1e400",
                                        "inf",
                                        "-2.5000000000000004e-3",
                                        "0.000000000000000000000000012345",
                                        "123456789.123456789123456789"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        double got = 0;
        const double want = strtod(texts[i], NULL);
        const char *end = texts[i] + strlen(texts[i]);
        assert_ptr_equal(wadi_decimal_f64(texts[i], end, &got), end);
        assert_memory_equal(&got, &want, sizeof want);
    }
    static const char *const none[] = {"", ".", "-", "e5", "+.e1", "x"};
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
        double got = 0;
        assert_null(wadi_decimal_f64(none[i], none[i] + strlen(none[i]), &got));
    }
    uint64_t random = 1;
    for (int i = 0; i < 20000; i++) {
        char text[64];
        random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        snprintf(text, sizeof text, "%.*e", (int)(random >> 60), (double)(random >> 12) * 1e-9);
        double got = 0;
        const double want = strtod(text, NULL);
        assert_non_null(wadi_decimal_f64(text, text + strlen(text), &got));
        assert_memory_equal(&got, &want, sizeof want);
    }
}

/* A number ends where the text does, whatever stands behind: every part of a text is read as if it were alone. */
static void nothing_behind_the_end_is_read(void **state) {
    (void)state;
    static const char *const texts[] = {
        "1234567890123456789012", "-0.000123456", "12.5e-31",  "7e+5",
        "99.99999999999999999",   "+.5D2",        "-infinity", "nan0"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        for (size_t n = 0; n <= strlen(texts[i]); n++) {
            char alone[32] = "";
            double want = 0, got = 0;
            memcpy(alone, texts[i], n);
            const char *end = wadi_decimal_f64(alone, alone + n, &want);
            const char *there = wadi_decimal_f64(texts[i], texts[i] + n, &got);
            assert_int_equal(there == NULL, end == NULL);
            if (end == NULL) continue;
            assert_int_equal(there - texts[i], end - alone);
            assert_memory_equal(&got, &want, sizeof got);
            assert_int_equal(wadi_decimal_is_exact_integer(texts[i], texts[i] + n),
                             wadi_decimal_is_exact_integer(alone, alone + n));
        }
    }
}

static void real_files_have_their_sizes(void **state) {
    (void)state;
    static const struct {
        const char *name;
        int64_t rows, columns, entries;
        wadi_type type;
    } files[] = {{"Groebner_id2003_aug", 4967, 2456, 173670, WADI_F64},
                 {"bcspwr10", 5300, 5300, 21842, WADI_F64},
                 {"bcsstk13", 2003, 2003, 83883, WADI_F64},
                 {"karate", 34, 34, 156, WADI_F64},
                 {"young1c", 841, 841, 4089, WADI_C128}};
    const char *data = getenv("WADI_TEST_DATA");
    if (data == NULL) {
        print_message("WADI_TEST_DATA is not set\n");
        skip();
    }
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/matrix/%s.mtx", data, files[i].name);
        wadi_csr m = {0};
        wadi_error err = {0};
        if (wadi_matrix_market_read(path, &m, &err) != WADI_OK) fail_msg("%s", err.msg);
        assert_int_equal(m.rows, files[i].rows);
        assert_int_equal(m.columns, files[i].columns);
        assert_int_equal(m.entries, files[i].entries);
        assert_int_equal(m.type, files[i].type);
        for (int64_t r = 0; r < m.rows; r++) {
            for (int64_t k = m.offsets[r] + 1; k < m.offsets[r + 1]; k++)
                assert_true(((int32_t *)m.index)[k] > ((int32_t *)m.index)[k - 1]);
        }
        wadi_csr_fini(&m);
    }
}

static void missing_files_are_errors(void **state) {
    (void)state;
    wadi_csr m = {0};
    wadi_error err = {0};
    assert_int_equal(wadi_matrix_market_read("no_such_file.mtx", &m, &err), WADI_IO);
    assert_non_null(strstr(err.msg, "no_such_file.mtx"));
}

/* The header's words end where the file's do: a NUL is no end of a word. */
static void a_nul_in_the_header_is_an_unknown_word(void **state) {
    (void)state;
    static const char text[] = "%%MatrixMarket matrix\0\0x\n";
    wadi_csr m = {0};
    wadi_error err = {0};
    assert_int_equal(wadi_matrix_market_parse("nul", text, sizeof text - 1, &m, &err),
                     WADI_INVALID);
    assert_non_null(strstr(err.msg, "line 1"));
    assert_non_null(strstr(err.msg, "expected an object"));
}

/* As scipy.io.mmread reads them. */
static void symmetric_files_may_have_the_upper_triangle(void **state) {
    (void)state;
    wadi_csr m =
        parse("%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n1 3 2\n2 1 5\n3 3 7\n");
    assert_int_equal(m.entries, 5);
    assert_true(at(&m, 0, 2, 0) == 2 && at(&m, 2, 0, 0) == 2 && at(&m, 0, 1, 0) == 5 &&
                at(&m, 1, 0, 0) == 5 && at(&m, 2, 2, 0) == 7);
    wadi_csr_fini(&m);
    m = parse("%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 1\n1 3 2\n");
    assert_true(at(&m, 0, 2, 0) == 2 && at(&m, 2, 0, 0) == -2);
    wadi_csr_fini(&m);
    m = parse("%%MatrixMarket matrix coordinate complex hermitian\n2 2 1\n1 2 1 2\n");
    assert_true(at(&m, 0, 1, 1) == 2 && at(&m, 1, 0, 1) == -2);
    wadi_csr_fini(&m);
}

static void values_behind_the_places_of_a_pattern_are_passed_over(void **state) {
    (void)state;
    wadi_csr m =
        parse("%%MatrixMarket matrix coordinate pattern general\n2 2 3\n1 1 5\n2 1 -2.5 3\n2 2\n");
    assert_int_equal(m.entries, 3);
    assert_int_equal(m.type, WADI_F64);
    assert_true(at(&m, 0, 0, 0) == 1 && at(&m, 1, 0, 0) == 1 && at(&m, 1, 1, 0) == 1);
    wadi_csr_fini(&m);
}

/* The next k rows at most, each against the matrix; how many they are. */
static int64_t look_at_rows(wadi_source *source, const wadi_csr *m, int64_t first, int64_t k) {
    wadi_buffers *pool = NULL;
    wadi_builder b;
    wadi_chunk *c = NULL;
    assert_int_equal(wadi_buffers_create(NULL, 0, &pool, NULL), WADI_OK);
    assert_int_equal(wadi_builder_init(&b, pool, source->parts, source->part, 1 << 20, NULL),
                     WADI_OK);
    assert_int_equal(source->ops->next(source, k, &b, NULL), WADI_OK);
    assert_int_equal(wadi_chunk_create(pool, source->parts, &c, NULL), WADI_OK);
    c->count = b.count;
    wadi_builder_finish(&b, c, 0, b.count);
    wadi_builder_fini(&b);
    for (int64_t i = 0; i < c->count; i++) {
        const wadi_array index = wadi_chunk_array(c, 0, i), values = wadi_chunk_array(c, 1, i);
        const int64_t from = m->offsets[first + i], n = m->offsets[first + i + 1] - from;
        assert_true(index.shape[0] == n && values.shape[0] == n);
        const size_t size = (size_t)n;
        if (n == 0) continue;
        assert_memory_equal(index.column[0], (const int32_t *)m->index + from, 4 * size);
        assert_memory_equal(values.column[0], m->values + from, 8 * size);
    }
    const int64_t count = c->count;
    wadi_chunk_release(c);
    wadi_buffers_release(pool);
    return count;
}

static void rows_are_a_stream(void **state) {
    (void)state;
    wadi_csr m = parse("%%MatrixMarket matrix coordinate real general\n"
                       "4 4 5\n3 4 2.5\n1 2 -1\n1 1 7\n3 1 .5\n4 2 6\n");
    wadi_source *source = NULL;
    assert_int_equal(wadi_source_matrix(&m, &source, NULL), WADI_OK);
    assert_int_equal(look_at_rows(source, &m, 0, 3), 3);
    assert_int_equal(look_at_rows(source, &m, 3, 3), 1);
    assert_int_equal(look_at_rows(source, &m, 4, 3), 0);
    wadi_source_destroy(source);
    assert_int_equal(wadi_source_matrix(NULL, &source, NULL), WADI_INVALID);
    wadi_csr_fini(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_files_are_counted),
        cmocka_unit_test(coordinates_become_sorted_rows),
        cmocka_unit_test(entries_of_one_place_are_added_and_zeros_kept),
        cmocka_unit_test(sums_are_made_in_the_order_of_the_file),
        cmocka_unit_test(other_triangles_are_filled_in),
        cmocka_unit_test(arrays_are_columns_one_after_another),
        cmocka_unit_test(line_ends_and_capitals_do_not_matter),
        cmocka_unit_test(empty_matrices_are_fine),
        cmocka_unit_test(wide_matrices_have_wide_indices),
        cmocka_unit_test(mistakes_are_errors_that_name_the_line),
        cmocka_unit_test(cut_off_files_are_survived),
        cmocka_unit_test(a_nul_in_the_header_is_an_unknown_word),
        cmocka_unit_test(symmetric_files_may_have_the_upper_triangle),
        cmocka_unit_test(values_behind_the_places_of_a_pattern_are_passed_over),
        cmocka_unit_test(rows_are_a_stream),
        cmocka_unit_test(numbers_round_like_strtod),
        cmocka_unit_test(nothing_behind_the_end_is_read),
        cmocka_unit_test(real_files_have_their_sizes),
        cmocka_unit_test(missing_files_are_errors),
        cmocka_unit_test(no_file_is_left_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
