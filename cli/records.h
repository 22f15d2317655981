/* Arrays of records on the command line. */
#ifndef WADI_CLI_RECORDS_H
#define WADI_CLI_RECORDS_H

#include "graph/ir/ir.h"

/* Records as they are printed, {x: 1, y: 2}, {x: 3, y: 4}, with their fields in any order, or as `use` has them in program text: a list for each
 * field in order, [1, 3] [2, 4]. Makes the columns of `a`, of which the caller has set the fields and types and which it frees. Errors:
 * WADI_INVALID (the message names element and field), WADI_SHAPE, WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_cli_records_read(const char *text, const wadi_elem *elem,
                                                 wadi_array *a, int64_t *out_n, wadi_error *err);

/* Records of a file: one after the other, each its fields in order without gaps, in the machine's byte order. Errors: as above, WADI_IO. */
WADI_NODISCARD wadi_status wadi_cli_records_load(const char *path, const wadi_elem *elem,
                                                 wadi_array *a, int64_t *out_n, wadi_error *err);

#endif
