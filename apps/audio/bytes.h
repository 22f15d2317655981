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
/* The size of the whole input in bytes; -1: unknown (a pipe). */
int64_t flac_bytes_size(const flac_bytes *b);

/* Reads up to n bytes; fewer only at the end of the input. Errors: WADI_IO with the position, WADI_MEMORY. */
WADI_NODISCARD wadi_status flac_bytes_read(flac_bytes *b, void *to, size_t n, size_t *out_n,
                                           wadi_error *err);
/* Reads exactly n bytes. If some are missing, the error calls them `what`. */
WADI_NODISCARD wadi_status flac_bytes_need(flac_bytes *b, void *to, size_t n, const char *what,
                                           wadi_error *err);
/* Moves on by n bytes or to the end. */
WADI_NODISCARD wadi_status flac_bytes_skip(flac_bytes *b, int64_t n, wadi_error *err);

/* Everything read so far is kept until `forget`; `rewind` goes back to the first byte. */
void flac_bytes_rewind(flac_bytes *b);
void flac_bytes_forget(flac_bytes *b);

/* Whether what the file begins with can be read; name: for messages. */
typedef wadi_status (*flac_look)(const char *path, const char *name, wadi_error *err);

/* A path for libraries that open files by name, and that gives the input from its first byte: its own path or, for a pipe, the path of
 * a nameless copy on disk. Borrowed until close. Not allowed after `forget`. A copy goes to `look`, with the input's own name, when it has a MiB behind its ID3 tags: what comes through a
 * pipe may have no end, and nobody may be able to read it. Errors: WADI_IO, WADI_MEMORY, those of `look`. */
WADI_NODISCARD wadi_status flac_bytes_as_file(flac_bytes *b, flac_look look, const char **out_path,
                                              wadi_error *err);

#endif
