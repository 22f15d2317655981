/* The bytes of one file or pipe. They are unpacked if the first bytes show that they are packed with gzip, xz, zstd or bzip2. */
#ifndef APPS_MD5_UNPACK_H
#define APPS_MD5_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "wadi/status.h"

typedef struct md5_unpack md5_unpack;

/* Takes over fd, also if it fails. Borrows `name`, with which errors begin. as_is: nothing is unpacked. Reads only as many bytes as are
 * needed to know the format. Errors: WADI_UNSUPPORTED for a format that this build cannot unpack, WADI_IO, WADI_MEMORY. */
WADI_NODISCARD wadi_status md5_unpack_open(int fd, const char *name, bool as_is, md5_unpack **out,
                                           wadi_error *err);
void md5_unpack_close(md5_unpack *u); /* NULL is fine */

/* Reads up to n bytes; *out_n is 0 at the end. If the data is damaged, all bytes before the damage are given first. Errors: WADI_IO with
 * the packed and the unpacked byte; WADI_MEMORY. */
WADI_NODISCARD wadi_status md5_unpack_read(md5_unpack *u, void *to, size_t n, size_t *out_n,
                                           wadi_error *err);
/* Whether a read would wait: no bytes are there, and the end has not come. */
bool md5_unpack_waits(const md5_unpack *u);
/* Goes to this byte of the file. False: the file is packed, or cannot seek. */
bool md5_unpack_seek(md5_unpack *u, int64_t offset);
/* Bytes taken from the file, packed, and given, unpacked. */
int64_t md5_unpack_taken(const md5_unpack *u);
int64_t md5_unpack_given(const md5_unpack *u);

/* "gzip (zlib 1.2.13), xz (not in this build), .." */
void md5_unpack_formats(wadi_text *t);

#endif
