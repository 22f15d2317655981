/* The digests that are wanted, and which of them have been found. */
#ifndef APPS_MD5_TARGETS_H
#define APPS_MD5_TARGETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wadi/status.h"

enum { MD5_DIGEST = 16 };

typedef struct md5_targets {
    uint8_t (*digest)[MD5_DIGEST]; /* sorted, once each */
    bool *found;
    size_t n, cap, nfound;
    int log2_bits;    /* of the bitmap; see apps/md5/hash.h */
    uint32_t *bitmap; /* [2^log2_bits / 32] */
} md5_targets;

/* Adds a digest, 32 hexadecimal digits of either case, or every line of a file of such: blank lines and lines that begin with
 * '#' are skipped. Errors: WADI_INVALID naming file and line (a salted digest is refused by that name), WADI_IO, WADI_MEMORY. */
WADI_NODISCARD wadi_status md5_targets_add(md5_targets *t, const char *hex_or_file,
                                           wadi_error *err);
/* Sorts and makes the bitmap, sparse enough that about 1 word in 512 is looked at twice. Errors: WADI_INVALID when there is
 * none, WADI_MEMORY. */
WADI_NODISCARD wadi_status md5_targets_ready(md5_targets *t, wadi_error *err);
/* The number of a digest, or -1. */
int64_t md5_targets_find(const md5_targets *t, const uint8_t digest[MD5_DIGEST]);
void md5_targets_fini(md5_targets *t);

/* Reads 32 hexadecimal digits. */
bool md5_digest_read(const char *hex, size_t n, uint8_t out[MD5_DIGEST]);

#endif
