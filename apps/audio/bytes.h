/* The bytes of an input, a file or a pipe, in order. What was read can be given back once, so that an input can be recognised
 * without seeking. */
#ifndef APPS_AUDIO_BYTES_H
#define APPS_AUDIO_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wadi/status.h"

typedef struct flac_bytes flac_bytes;

/* path "-" is standard input. Errors: WADI_IO, WADI_MEMORY. */
WADI_NODISCARD wadi_status flac_bytes_open(const char *path, flac_bytes **out, wadi_error *err);
void flac_bytes_close(flac_bytes *b); /* NULL is fine */

const char *flac_bytes_path(const flac_bytes *b);
int64_t flac_bytes_at(const flac_bytes *b);
/* Of the whole input; -1: unknown (a pipe). */
int64_t flac_bytes_size(const flac_bytes *b);

/* Up to n bytes; fewer only at the end of the input. Errors: WADI_IO with the position, WADI_MEMORY. */
WADI_NODISCARD wadi_status flac_bytes_read(flac_bytes *b, void *to, size_t n, size_t *out_n,
                                           wadi_error *err);
/* Exactly n bytes, or an error that calls the missing ones `what`. */
WADI_NODISCARD wadi_status flac_bytes_need(flac_bytes *b, void *to, size_t n, const char *what,
                                           wadi_error *err);
/* Moves on by n bytes or to the end. */
WADI_NODISCARD wadi_status flac_bytes_skip(flac_bytes *b, int64_t n, wadi_error *err);

/* Everything read so far is kept until `forget`; `rewind` starts over from the first byte. */
void flac_bytes_rewind(flac_bytes *b);
void flac_bytes_forget(flac_bytes *b);

/* The input, from its first byte, under a name for those who open files by name: its own, or that of a nameless copy on disk
 * for a pipe. Borrowed until close. After `forget` it is an error. Errors: WADI_IO, WADI_MEMORY. */
WADI_NODISCARD wadi_status flac_bytes_as_file(flac_bytes *b, const char **out_path,
                                              wadi_error *err);

#endif
