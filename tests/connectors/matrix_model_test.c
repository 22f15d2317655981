/* Random Matrix Market files of every format, field and symmetry against a full matrix that was filled in here by the law of its
 * symmetry: a(j, i) = a(i, j), -a(i, j), conj a(i, j). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "wadi/matrix.h"

enum { SIDE = 6, REAL = 0, INTEGER, COMPLEX, PATTERN, GENERAL = 0, SYMMETRIC, SKEW, HERMITIAN };

static const char *const fields[] = {"real", "integer", "complex", "pattern"};
static const char *const symmetries[] = {"general", "symmetric", "skew-symmetric", "hermitian"};

static uint32_t seed;

static int chance(int below) {
    seed = seed * 1664525u + 1013904223u;
    return (int)((seed >> 8) % (uint32_t)below);
}

typedef struct model {
    bool is_array;
    int field, symmetry, rows, columns;
    double at[SIDE][SIDE][2];
    bool is_there[SIDE][SIDE];
    int entries; /* in the file */
    char text[4000], body[3000];
    size_t n;
} model;

static void add(model *m, const char *text) {
    m->n += (size_t)snprintf(m->body + m->n, sizeof m->body - m->n, "%s", text);
}

/* The value that stands in the file, and what it means there and across the diagonal. */
static void put(model *m, int r, int c) {
    double v[2] = {chance(2001) / 8.0 - 125, chance(2001) / 8.0 - 125};
    char line[100];
    if (m->field == INTEGER) v[0] = chance(2001) - 1000;
    if (m->field == PATTERN) v[0] = 1;
    if (m->field != COMPLEX || (m->symmetry == HERMITIAN && r == c)) v[1] = 0;
    if (!m->is_array) {
        snprintf(line, sizeof line, "%d %d ", r + 1, c + 1);
        add(m, line);
    }
    if (m->field == COMPLEX)
        snprintf(line, sizeof line, "%.17g %.17g\n", v[0], v[1]);
    else
        snprintf(line, sizeof line, "%.17g\n", v[0]);
    add(m, m->field == PATTERN ? "\n" : line);
    m->entries++;
    for (int k = 0; k < 2; k++) m->at[r][c][k] += v[k];
    m->is_there[r][c] = true;
    if (m->symmetry == GENERAL || r == c) return;
    const double re = m->symmetry == SKEW ? -1 : 1, im = m->symmetry == SYMMETRIC ? 1 : -1;
    m->at[c][r][0] += re * v[0];
    m->at[c][r][1] += im * v[1];
    m->is_there[c][r] = true;
}

static void make(model *m, bool is_array, int field, int symmetry) {
    memset(m, 0, sizeof *m);
    m->is_array = is_array;
    m->field = field;
    m->symmetry = symmetry;
    m->rows = 1 + chance(SIDE);
    m->columns = symmetry == GENERAL ? 1 + chance(SIDE) : m->rows;
    if (is_array) {
        for (int c = 0; c < m->columns; c++)
            for (int r = 0; r < m->rows; r++)
                if (symmetry == GENERAL || r > c || (r == c && symmetry != SKEW)) put(m, r, c);
    } else {
        for (int i = chance(20); i > 0; i--) { /* in any order, some more than once */
            const int r = chance(m->rows), c = chance(m->columns);
            if (symmetry != SKEW || r != c) put(m, r, c);
        }
    }
    int at = snprintf(m->text, sizeof m->text, "%%%%MatrixMarket matrix %s %s %s\n%d %d",
                      is_array ? "array" : "coordinate", fields[field], symmetries[symmetry],
                      m->rows, m->columns);
    if (!is_array) at += snprintf(m->text + at, sizeof m->text - (size_t)at, " %d", m->entries);
    snprintf(m->text + at, sizeof m->text - (size_t)at, "\n%s", m->body);
}

static void assert_is(const wadi_csr *got, const model *m) {
    const int parts = m->field == COMPLEX ? 2 : 1;
    int64_t n = 0;
    assert_int_equal(got->type, parts == 2 ? WADI_C128 : WADI_F64);
    assert_int_equal(got->rows, m->rows);
    assert_int_equal(got->columns, m->columns);
    for (int r = 0; r < m->rows; r++) {
        assert_int_equal(got->offsets[r], n);
        for (int c = 0; c < m->columns; c++) {
            if (!m->is_there[r][c]) continue;
            assert_int_equal(((const int32_t *)got->index)[n], c);
            for (int k = 0; k < parts; k++)
                if (got->values[parts * n + k] != m->at[r][c][k])
                    fail_msg("%s(%d, %d) is %g, not %g", m->text, r + 1, c + 1,
                             got->values[parts * n + k], m->at[r][c][k]);
            n++;
        }
    }
    assert_int_equal(got->entries, n);
    assert_int_equal(got->offsets[m->rows], n);
}

static void files_are_the_matrices_they_describe(void **state) {
    (void)state;
    static model m;
    seed = 11;
    for (int i = 0; i < 40; i++)
        for (int way = 0; way < 32; way++) {
            const bool is_array = way >= 16;
            const int field = way / 4 % 4, symmetry = way % 4;
            if (field == PATTERN && (is_array || symmetry > SYMMETRIC)) continue;
            if (symmetry == HERMITIAN && field != COMPLEX) continue;
            wadi_csr got = {0};
            wadi_error err = {.status = WADI_OK};
            make(&m, is_array, field, symmetry);
            if (wadi_matrix_market_parse("m", m.text, strlen(m.text), &got, &err) != WADI_OK)
                fail_msg("%s%s", m.text, err.msg);
            assert_is(&got, &m);
            wadi_csr_fini(&got);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(files_are_the_matrices_they_describe)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
