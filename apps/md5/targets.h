/* The wanted digests, and which of them have been found. */
#ifndef APPS_MD5_TARGETS_H
#define APPS_MD5_TARGETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "apps/md5/word_digest.h"
#include "base/text.h"
#include "wadi/status.h"

/* Lines of lists that were no digests. */
typedef struct md5_bad_lines {
    int64_t n, of_list; /* how many in all lists, and in the last one */
    wadi_text
        told; /* for the first ones of each list, one line: file, line, the text and the reason */
} md5_bad_lines;

typedef struct md5_targets {
    uint8_t (*digest)[MD5_DIGEST]; /* sorted, once each */
    bool *found;
    size_t n, cap, nfound;
    int log2_bits;    /* of the bitmap; see apps/md5/hash.h */
    uint32_t *bitmap; /* [2^log2_bits / 32] */
    md5_bad_lines bad;
} md5_targets;

/* Adds a digest, 32 hexadecimal digits of either case, or every line of a list: a file, packed or not, or "-" for standard input.
 * apps/md5/hash_line.h says what a line may be. Other lines are counted in t->bad. Errors: WADI_INVALID if no line of
 * a list is a digest, WADI_IO, WADI_MEMORY. */
WADI_NODISCARD wadi_status md5_targets_add(md5_targets *t, const char *hex_or_file,
                                           wadi_error *err);
/* Sorts the digests and makes the bitmap, so large that only about 1 word in 512 is a false hit. Errors: WADI_INVALID if there is no
 * digest, WADI_MEMORY. */
WADI_NODISCARD wadi_status md5_targets_ready(md5_targets *t, wadi_error *err);
/* The number of a digest, or -1. */
int64_t md5_targets_find(const md5_targets *t, const uint8_t digest[MD5_DIGEST]);
void md5_targets_fini(md5_targets *t);

#endif
