/* Sparse matrices from Matrix Market files (NIST; Boisvert, Pozo, Remington 1996), as compressed sparse rows. It reads the formats
 * coordinate and array, the fields real, integer, complex and pattern, and the symmetries general, symmetric, skew-symmetric
 * and hermitian.
 *
 * The meaning of a file is that of scipy.io.mmread:
 *   - The missing triangle of a symmetric file is filled in, whichever it is.
 *   - Entries with one position are added in the order of the file. Written zeros are kept.
 *   - Entries of a pattern have the value 1, even if the file has a value. Integers become f64; one that f64 cannot hold is an error.
 *   - Rows are sorted by column.
 *   - Blank lines, comment lines, CRLF and a missing last newline are allowed. Anything else unexpected is an error that names
 *     the file and the line. */
#ifndef WADI_MATRIX_H
#define WADI_MATRIX_H

#include <stddef.h>

#include "wadi/stream.h"
#include "wadi/type.h"

WADI_BEGIN_DECLS

/** A matrix as compressed sparse rows. */
typedef struct wadi_csr {
    int64_t rows, columns;
    int64_t entries;
    int64_t *offsets;     /**< [rows + 1]: row r has entries offsets[r] .. offsets[r + 1] - 1 */
    wadi_type index_type; /**< WADI_I32 when every column index fits, else WADI_I64 */
    void *index;          /**< [entries] column of each entry */
    wadi_type type;       /**< WADI_F64, or WADI_C128 for complex files */
    double *values;       /**< [entries], or [2 * entries]: real and imaginary parts in turn */
} wadi_csr;

/** Reads a file. After success, the caller calls wadi_csr_fini. Errors: WADI_IO (no such file), WADI_INVALID (a mistake in the file, with
 *  its line), WADI_UNSUPPORTED (not a matrix), WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_matrix_market_read(const char *path, wadi_csr *out,
                                                   wadi_error *err);
/** Reads a matrix from the n bytes at `text`, which a NUL must follow. Errors call it `name`. */
WADI_NODISCARD wadi_status wadi_matrix_market_parse(const char *name, const char *text, size_t n,
                                                    wadi_csr *out, wadi_error *err);
/** Frees the arrays. NULL and an all-zero struct are fine. */
void wadi_csr_fini(wadi_csr *m);

/** Makes a source of the rows of a matrix, in order. An element is the columns of a row, i32[n] or i64[n] as index_type says, and its
 *  values, f64[n] or c128[n]. Borrows the matrix until the source is destroyed. Errors: WADI_INVALID, WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_source_matrix(const wadi_csr *m, wadi_source **out_source,
                                              wadi_error *err);

WADI_END_DECLS

#endif
