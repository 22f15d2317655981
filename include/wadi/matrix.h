/* Sparse matrices from Matrix Market files (NIST; Boisvert, Pozo, Remington 1996), as compressed sparse rows: coordinate and array
 * formats, the fields real, integer, complex and pattern, the symmetries general, symmetric, skew-symmetric and hermitian.
 *
 * What a file means here, which is what scipy.io.mmread reads:
 *   - the other triangle of a symmetric file is filled in, whichever of the two the file has;
 *   - entries of one place are added, in the order of the file; written zeros are kept;
 *   - entries of a pattern have the value 1, also where the file has a value behind the place; integers become f64, those that f64
 *     cannot hold are an error;
 *   - rows are sorted by column;
 *   - blank lines, comment lines, CRLF and a missing last newline are fine; anything else unexpected is an error that names the
 *     file and the line. */
#ifndef WADI_MATRIX_H
#define WADI_MATRIX_H

#include <stddef.h>

#include "wadi/stream.h"
#include "wadi/type.h"

WADI_BEGIN_DECLS

/** A matrix by its rows. */
typedef struct wadi_csr {
    int64_t rows, columns;
    int64_t entries;
    int64_t *offsets;     /**< [rows + 1]: row r has entries offsets[r] .. offsets[r + 1] - 1 */
    wadi_type index_type; /**< WADI_I32 when every column index fits, else WADI_I64 */
    void *index;          /**< [entries] column of each entry */
    wadi_type type;       /**< WADI_F64, or WADI_C128 for complex files */
    double *values;       /**< [entries], or [2 * entries]: real and imaginary parts in turn */
} wadi_csr;

/** Reads a file. wadi_csr_fini is due when it succeeds. Errors: WADI_IO (no such file), WADI_INVALID (what is wrong, and in which
 *  line), WADI_UNSUPPORTED (not a matrix), WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_matrix_market_read(const char *path, wadi_csr *out,
                                                   wadi_error *err);
/** The same from memory. A NUL must follow the n bytes; `name` stands for the file in messages. */
WADI_NODISCARD wadi_status wadi_matrix_market_parse(const char *name, const char *text, size_t n,
                                                    wadi_csr *out, wadi_error *err);
/** Frees the arrays; a matrix of zeros, or NULL, is fine. */
void wadi_csr_fini(wadi_csr *m);

/** The rows of a matrix as a stream, in order: of each row the columns, i32[n] or i64[n] as index_type says, and the values,
 *  f64[n] or c128[n]. Borrows the matrix until the source is destroyed. Errors: WADI_INVALID, WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_source_matrix(const wadi_csr *m, wadi_source **out_source,
                                              wadi_error *err);

WADI_END_DECLS

#endif
