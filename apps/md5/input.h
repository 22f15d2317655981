/* The bytes of several files, one after another: plain files, packed ones (apps/md5/unpack.h), and "-" for standard input. The
 * reader is told where a file ends, because a word does not continue in the next file. */
#ifndef APPS_MD5_INPUT_H
#define APPS_MD5_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wadi/status.h"

typedef struct md5_input md5_input;

/* Borrows `paths`. Checks at once that all files exist, so that a missing one is not found after hours of work. as_is: packed files are
 * not unpacked. Errors: WADI_IO naming the file, WADI_MEMORY. */
WADI_NODISCARD wadi_status md5_input_open(int n, const char *const *paths, bool as_is,
                                          md5_input **out, wadi_error *err);
void md5_input_close(md5_input *in); /* NULL is fine */

/* Reads up to n bytes of the current file. *out_n is 0 at its end; the next call then reads the next file. *out_done: all files have
 * ended. Errors: WADI_IO naming file and byte, WADI_UNSUPPORTED for a format that this build cannot unpack. */
WADI_NODISCARD wadi_status md5_input_read(md5_input *in, void *to, size_t n, size_t *out_n,
                                          bool *out_done, wadi_error *err);
/* Whether a read would wait for a pipe. */
bool md5_input_waits(const md5_input *in);
/* Goes to byte `offset` (unpacked) of file number `file`. Errors: WADI_IO, also if the file is shorter. */
WADI_NODISCARD wadi_status md5_input_seek(md5_input *in, int file, int64_t offset, wadi_error *err);

/* Number of the current file. */
int md5_input_file(const md5_input *in);
/* The share of all bytes on disk that has been read, 0..1; -1 if a file has no size (a pipe). Any thread may ask. */
double md5_input_progress(const md5_input *in);
/* Bytes on disk of file i; -1 for a pipe. */
int64_t md5_input_size(const md5_input *in, int i);

#endif
