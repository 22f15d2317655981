/* Files of words, and the digests that libcrypto gives them. */
#ifndef TESTS_MD5_SUPPORT_H
#define TESTS_MD5_SUPPORT_H

#include <stddef.h>
#include <stdint.h>

#include "apps/md5/targets.h"

/* Writes n bytes to a new file in the test's directory; the path is the caller's to free after remove(). */
char *support_file(const void *data, size_t n);
void support_remove(char *path);

void support_digest(const void *word, size_t n, uint8_t out[MD5_DIGEST]);
/* Adds the word's digest to the wanted ones. */
void support_want(md5_targets *t, const void *word, size_t n);

/* The same numbers in every run. */
uint32_t support_random(uint32_t *state);

#endif
