/* The MD5 digest of a word, and digests as digits. */
#ifndef APPS_MD5_WORD_DIGEST_H
#define APPS_MD5_WORD_DIGEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MD5_DIGEST = 16 };

/* The digest of a word of n bytes. */
void md5_digest_of(const uint8_t *word, size_t n, uint8_t out[MD5_DIGEST]);
/* Reads 32 hexadecimal digits of either case; false when the n characters are anything else. */
bool md5_digest_read(const char *hex, size_t n, uint8_t out[MD5_DIGEST]);

#endif
