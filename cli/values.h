/* Arrays on the command line and on standard output. */
#ifndef WADI_CLI_VALUES_H
#define WADI_CLI_VALUES_H

#include "base/text.h"
#include "graph/ir/ir.h"

/* A value as the command line has it: [SHAPE:]LITERALS or [SHAPE:]@PLACE, where SHAPE is extents joined by x.
 *     1,2,3    2x2:1,2,3,4    @samples.raw    3x4:@matrix.raw    4096:@song.wav */
typedef struct wadi_cli_value {
    int rank; /* -1: no shape was given */
    int64_t shape[WADI_MAX_RANK];
    const char *at; /* what follows the @, or NULL */
    const char *literals;
} wadi_cli_value;

/* Takes `text` apart; borrows it. Errors: WADI_INVALID. */
WADI_NODISCARD wadi_status wadi_cli_value_split(const char *text, wadi_cli_value *out,
                                                wadi_error *err);

/* The shape of `v` as an array of type `t` that holds `n` elements. It is the given shape or, if none was given, the shape that the
 * program declares; one unknown extent follows from n. If n < 0, the number of elements is not known. Errors: WADI_SHAPE. */
WADI_NODISCARD wadi_status wadi_cli_value_shape(const wadi_cli_value *v, const wadi_array_type *t,
                                                int64_t n, int64_t *out_shape, wadi_error *err);

/* The array that `v` stands for: literals, or a file of the column's bytes in the machine's order; records as cli/records.h says. The caller frees it
 * with wadi_cli_array_free. Errors: WADI_INVALID, WADI_SHAPE, WADI_IO, WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_cli_array_read(const wadi_cli_value *v, const wadi_array_type *t,
                                               wadi_array *out, wadi_error *err);
void wadi_cli_array_free(wadi_array *a);

/* "f32[2, 3] [[1, 2, 3], [4, 5, 6]]"; records as {name: value, ...}. elem NULL: fields have no names. */
void wadi_cli_array_print(const wadi_array *a, const wadi_elem *elem, wadi_text *out);

#endif
