/* Entries of a sparse matrix in any order, and the rows made of them. */
#ifndef WADI_CONNECTORS_MATRIX_ROWS_H
#define WADI_CONNECTORS_MATRIX_ROWS_H

#include <stdbool.h>

#include "base/vec.h"
#include "wadi/matrix.h"

typedef struct wadi_matrix_place {
    int64_t row, column;
} wadi_matrix_place;

/* All zero is empty. */
typedef struct wadi_entries {
    bool is_complex;
    WADI_VEC(wadi_matrix_place) places;
    WADI_VEC(double) values; /* one per place; two if complex: real and imaginary part */
} wadi_entries;

/* False when out of memory. */
bool wadi_entries_append(wadi_entries *e, int64_t row, int64_t column, const double value[2]);
void wadi_entries_fini(wadi_entries *e);

/* Sorts by row and column, and adds up entries of the same place in the order given. Errors: WADI_MEMORY, without a message. */
WADI_NODISCARD wadi_status wadi_entries_to_rows(const wadi_entries *e, int64_t rows,
                                                int64_t columns, wadi_csr *out);

#endif
