/* The bytes of one file, unpacked if its first bytes show that it is packed with gzip, xz, zstd or bzip2. Files and pipes. */
#ifndef APPS_MD5_UNPACK_H
#define APPS_MD5_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "wadi/status.h"

typedef struct md5_unpack md5_unpack;

/* Takes fd over, whether it succeeds or not; borrows `name`, which errors begin with. as_is: nothing is unpacked. Waits for no more bytes
 * than it takes to know. Errors: WADI_UNSUPPORTED for what is packed in a way this build does not know, WADI_IO, WADI_MEMORY. */
WADI_NODISCARD wadi_status md5_unpack_open(int fd, const char *name, bool as_is, md5_unpack **out,
                                           wadi_error *err);
void md5_unpack_close(md5_unpack *u); /* NULL is fine */

/* Up to n bytes; *out_n is 0 at the end. Whatever can be unpacked before a place that cannot is given first. Errors: WADI_IO with
 * the byte, packed and unpacked; WADI_MEMORY. */
WADI_NODISCARD wadi_status md5_unpack_read(md5_unpack *u, void *to, size_t n, size_t *out_n,
                                           wadi_error *err);
/* Whether nothing is there to be read, and the end is not either. */
bool md5_unpack_waits(const md5_unpack *u);
/* Goes to that byte of the file if it is plain and can be moved in; false: it cannot. */
bool md5_unpack_seek(md5_unpack *u, int64_t offset);
/* Bytes taken from the file, packed, and given, unpacked. */
int64_t md5_unpack_taken(const md5_unpack *u);
int64_t md5_unpack_given(const md5_unpack *u);

/* "gzip (zlib 1.2.13), xz (not in this build), .." */
void md5_unpack_formats(wadi_text *t);

#endif
