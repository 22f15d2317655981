/* Telling files and arrays from others of their kind. */
#ifndef WADI_BASE_SKETCH_H
#define WADI_BASE_SKETCH_H

#include "base/text.h"
#include "wadi/type.h"

/* Appends the length of the open file and a digest of 64 blocks of 4 KiB, spread evenly from its beginning to its end; of a file that is
 * shorter, of all bytes. So a change of some bytes in the middle of a large file need not be seen, while another file, or another length,
 * is. Where the file stands does not change. What is no regular file has length 0. `name` is for messages. Errors: WADI_IO, WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_sketch(int fd, const char *name, wadi_text *out, wadi_error *err);
/* The same of the file of that name. */
WADI_NODISCARD wadi_status wadi_sketch_file(const char *path, wadi_text *out, wadi_error *err);

/* Appends the types and extents of the array, and a digest of all bytes of each column. Errors: WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_sketch_array(const wadi_array *a, wadi_text *out, wadi_error *err);

#endif
