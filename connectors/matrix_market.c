/* From the text of a Matrix Market file to a list of entries; matrix_rows.c makes rows of them. See wadi/matrix.h. */
#include "wadi/matrix.h"

#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/error.h"
#include "base/file.h"
#include "connectors/decimal.h"
#include "connectors/matrix_rows.h"

typedef enum field { REAL, INTEGER, COMPLEX, PATTERN } field;
typedef enum symmetry { GENERAL, SYMMETRIC, SKEW, HERMITIAN } symmetry;
static const char *const field_names[] = {"real", "integer", "complex", "pattern", NULL};
static const char *const symmetry_names[] = {"general", "symmetric", "skew-symmetric", "hermitian",
                                             NULL};
static const char *const format_names[] = {"coordinate", "array", NULL};

typedef struct reader {
    const char *name;
    const char *at, *end;
    long long line; /* of `at`, from 1 */
    bool is_array;
    field field;
    symmetry symmetry;
    int64_t rows, columns, announced;
    wadi_entries entries;
    wadi_error *err;
} reader;

#define FAIL(r, ...) fail((r), wadi_fail((r)->err, WADI_INVALID, __VA_ARGS__))

/* Puts file and line in front of the message just made. */
static wadi_status fail(reader *r, wadi_status status) {
    if (r->err == NULL) return status;
    char what[sizeof r->err->msg];
    memcpy(what, r->err->msg, sizeof what);
    return wadi_fail(r->err, status, "%s, line %lld: %.300s", r->name, r->line, what);
}

/* ---- characters ---- */

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

static void skip_blanks(reader *r) {
    while (r->at < r->end && is_blank(*r->at)) r->at++;
}

static bool at_line_end(const reader *r) {
    return r->at == r->end || *r->at == '\n';
}

static void next_line(reader *r) {
    while (!at_line_end(r)) r->at++;
    if (r->at < r->end) {
        r->at++;
        r->line++;
    }
}

/* Goes to the next line that is neither empty nor a comment; false at the end of the file. */
static bool find_content(reader *r) {
    for (;;) {
        skip_blanks(r);
        if (r->at == r->end) return false;
        if (*r->at != '\n' && *r->at != '%') return true;
        next_line(r);
    }
}

static bool ends_token(const reader *r, const char *at) {
    return at == r->end || is_blank(*at) || *at == '\n';
}

/* Fails: says what was expected, and the word that stands at r->at. */
static wadi_status expected(reader *r, const char *what) {
    enum { SHOWN = 40 };
    int n = 0;
    while (n < SHOWN && !ends_token(r, r->at + n)) n++;
    if (n == 0) return FAIL(r, "expected %s, found the end of the line", what);
    return FAIL(r, "expected %s, found \"%.*s\"", what, n, r->at);
}

static wadi_status end_of_line(reader *r) {
    skip_blanks(r);
    return at_line_end(r) ? WADI_OK : expected(r, "the end of the line");
}

/* ---- numbers ---- */

static wadi_status read_count(reader *r, const char *what, int64_t *out) {
    skip_blanks(r);
    const char *at = r->at;
    int64_t v = 0;
    for (; at < r->end && *at >= '0' && *at <= '9'; at++) {
        if (v > (INT64_MAX - 9) / 10) return FAIL(r, "%s is too large", what);
        v = 10 * v + (*at - '0');
    }
    if (at == r->at || !ends_token(r, at)) return expected(r, what);
    r->at = at;
    *out = v;
    return WADI_OK;
}

static wadi_status read_number(reader *r, double *out) {
    skip_blanks(r);
    const char *end = wadi_decimal_f64(r->at, r->end, out);
    if (end == NULL || !ends_token(r, end)) return expected(r, "a number");
    if (r->field == INTEGER && !wadi_decimal_is_exact_integer(r->at, end))
        return expected(r, "an integer of at most 2^53");
    r->at = end;
    return WADI_OK;
}

static wadi_status read_value(reader *r, double value[2]) {
    value[0] = 1;
    value[1] = 0;
    if (r->field == PATTERN) return WADI_OK;
    WADI_TRY(read_number(r, &value[0]));
    return r->field == COMPLEX ? read_number(r, &value[1]) : WADI_OK;
}

/* ---- the first line and the sizes ---- */

/* Which of `names` the next word is; upper and lower case are equal. */
static wadi_status read_word(reader *r, const char *what, const char *const *names, int *out) {
    skip_blanks(r);
    const char *from = r->at, *end = from;
    while (!ends_token(r, end)) end++;
    const size_t n = (size_t)(end - from);
    for (int i = 0; names[i] != NULL; i++) {
        if (wadi_ascii_begin_alike(names[i], from, n) && strlen(names[i]) == n) {
            r->at = end;
            *out = i;
            return WADI_OK;
        }
    }
    return expected(r, what);
}

static wadi_status read_header(reader *r) {
    static const char *const magic[] = {"%%matrixmarket", NULL};
    static const char *const objects[] = {"matrix", "vector", NULL};
    int unused = 0, object = 0, format = 0, kind = 0, shape = 0;
    WADI_TRY(read_word(r, "\"%%MatrixMarket\"", magic, &unused));
    WADI_TRY(read_word(r, "an object (matrix)", objects, &object));
    if (object != 0) {
        return fail(r, wadi_fail(r->err, WADI_UNSUPPORTED, "vectors are not read, only matrices"));
    }
    WADI_TRY(read_word(r, "a format (coordinate, array)", format_names, &format));
    WADI_TRY(read_word(r, "a field (real, integer, complex, pattern)", field_names, &kind));
    WADI_TRY(read_word(r, "a symmetry (general, symmetric, skew-symmetric, hermitian)",
                       symmetry_names, &shape));
    WADI_TRY(end_of_line(r));
    r->is_array = format == 1;
    r->field = (field)kind;
    r->symmetry = (symmetry)shape;
    if (r->field == PATTERN && (r->is_array || r->symmetry == SKEW || r->symmetry == HERMITIAN)) {
        return FAIL(r, "a pattern cannot be %s",
                    r->is_array ? "an array" : symmetry_names[r->symmetry]);
    }
    if (r->symmetry == HERMITIAN && r->field != COMPLEX) {
        return FAIL(r, "only complex matrices can be hermitian");
    }
    next_line(r);
    return WADI_OK;
}

/* How many values a file of format "array" holds: all of the matrix, or a triangle. */
static int64_t array_values(const reader *r) {
    const int64_t n = r->rows;
    if (r->symmetry == GENERAL) return n * r->columns;
    return r->symmetry == SKEW ? n * (n - 1) / 2 : n * (n + 1) / 2;
}

/* No file holds more entries than it has bytes, so a wrong count is found before memory is asked for. */
static wadi_status read_sizes(reader *r) {
    const int64_t limit = INT64_C(1) << 44;
    if (!find_content(r)) return FAIL(r, "the file ends before the sizes of the matrix");
    WADI_TRY(read_count(r, "the number of rows", &r->rows));
    WADI_TRY(read_count(r, "the number of columns", &r->columns));
    if (r->rows > limit || r->columns > limit) return FAIL(r, "the matrix is too large");
    if (r->symmetry != GENERAL && r->rows != r->columns) {
        return FAIL(r, "a %s matrix must be square, not %lld x %lld", symmetry_names[r->symmetry],
                    (long long)r->rows, (long long)r->columns);
    }
    if (!r->is_array) WADI_TRY(read_count(r, "the number of entries", &r->announced));
    if (r->is_array) {
        const bool fits = r->columns == 0 || r->rows <= limit / r->columns;
        r->announced = fits ? array_values(r) : limit;
    }
    WADI_TRY(end_of_line(r));
    if (r->announced > r->end - r->at) {
        return FAIL(r, "%lld entries are announced, more than the file can hold",
                    (long long)r->announced);
    }
    next_line(r);
    return WADI_OK;
}

/* ---- entries ---- */

static wadi_status append(reader *r, int64_t row, int64_t column, const double value[2]) {
    if (wadi_entries_append(&r->entries, row, column, value)) return WADI_OK;
    return fail(r, wadi_fail(r->err, WADI_MEMORY, "out of memory"));
}

/* Appends the entry and, if the matrix is symmetric, its mirror image. */
static wadi_status add(reader *r, int64_t row, int64_t column, const double value[2]) {
    WADI_TRY(append(r, row, column, value));
    if (r->symmetry == GENERAL) return WADI_OK;
    if (row == column) {
        if (r->symmetry == HERMITIAN && value[1] != 0) {
            return FAIL(r, "the diagonal of a hermitian matrix is real");
        }
        return WADI_OK;
    }
    double mirror[2] = {value[0], value[1]};
    if (r->symmetry == SKEW) mirror[0] = -value[0];
    if (r->symmetry != SYMMETRIC) mirror[1] = -value[1];
    return append(r, column, row, mirror);
}

static wadi_status read_place(reader *r, int64_t *out_row, int64_t *out_column) {
    int64_t row = 0, column = 0;
    WADI_TRY(read_count(r, "the row", &row));
    WADI_TRY(read_count(r, "the column", &column));
    if (row < 1 || row > r->rows || column < 1 || column > r->columns) {
        return FAIL(r, "entry (%lld, %lld) is outside the matrix of %lld x %lld; both count from 1",
                    (long long)row, (long long)column, (long long)r->rows, (long long)r->columns);
    }
    if (r->symmetry == SKEW && column == row) {
        return FAIL(r, "the diagonal of a skew-symmetric matrix is zero and is not written");
    }
    *out_row = row - 1;
    *out_column = column - 1;
    return WADI_OK;
}

/* A pattern has no values, but some writers put values behind its places all the same. These are skipped. */
static wadi_status skip_value(reader *r) {
    double unused = 0;
    for (int i = 0; i < 2; i++) {
        skip_blanks(r);
        if (at_line_end(r)) return WADI_OK;
        WADI_TRY(read_number(r, &unused));
    }
    return WADI_OK;
}

static wadi_status read_coordinates(reader *r) {
    for (int64_t i = 0; i < r->announced; i++) {
        int64_t row = 0, column = 0;
        double value[2];
        if (!find_content(r)) {
            return FAIL(r, "the file ends after %lld of %lld entries", (long long)i,
                        (long long)r->announced);
        }
        WADI_TRY(read_place(r, &row, &column));
        WADI_TRY(read_value(r, value));
        if (r->field == PATTERN) WADI_TRY(skip_value(r));
        WADI_TRY(end_of_line(r));
        WADI_TRY(add(r, row, column, value));
    }
    return WADI_OK;
}

/* Column after column; of symmetric matrices the lower triangle. */
static wadi_status read_array(reader *r) {
    int64_t i = 0;
    for (int64_t column = 0; column < r->columns; column++) {
        const int64_t first = r->symmetry == GENERAL ? 0 : column + (r->symmetry == SKEW);
        for (int64_t row = first; row < r->rows; row++, i++) {
            double value[2];
            if (!find_content(r)) {
                return FAIL(r, "the file ends after %lld of %lld values", (long long)i,
                            (long long)r->announced);
            }
            WADI_TRY(read_value(r, value));
            WADI_TRY(end_of_line(r));
            WADI_TRY(add(r, row, column, value));
        }
    }
    return WADI_OK;
}

static wadi_status read_all(reader *r) {
    WADI_TRY(read_header(r));
    WADI_TRY(read_sizes(r));
    r->entries.is_complex = r->field == COMPLEX;
    WADI_TRY(r->is_array ? read_array(r) : read_coordinates(r));
    if (!find_content(r)) return WADI_OK;
    return FAIL(r, "more than the %lld announced %s", (long long)r->announced,
                r->is_array ? "values" : "entries");
}

/* ---- public ---- */

wadi_status wadi_matrix_market_parse(const char *name, const char *text, size_t n, wadi_csr *out,
                                     wadi_error *err) {
    WADI_GIVEN(err, name);
    WADI_GIVEN(err, text);
    WADI_GIVEN(err, out);
    reader r = {.name = name, .at = text, .end = text + n, .line = 1, .err = err};
    wadi_status status = read_all(&r);
    if (status == WADI_OK) {
        status = wadi_entries_to_rows(&r.entries, r.rows, r.columns, out);
        if (status != WADI_OK) status = wadi_fail(err, status, "%s: out of memory", name);
    }
    wadi_entries_fini(&r.entries);
    return status;
}

wadi_status wadi_matrix_market_read(const char *path, wadi_csr *out, wadi_error *err) {
    WADI_GIVEN(err, path);
    WADI_GIVEN(err, out);
    char *text = NULL;
    size_t n = 0;

    WADI_TRY(wadi_file_read(path, &text, &n, err));
    const wadi_status status = wadi_matrix_market_parse(path, text, n, out, err);
    free(text);
    return status;
}
