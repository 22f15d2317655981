/* Writes files of words, and digests words with libcrypto. */
#include "tests/md5/support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "apps/digest/md5.h"
#include "base/hash.h"

char *support_file(const void *data, size_t n) {
    char name[] = "md5-words-XXXXXX";
    const int fd = mkstemp(name);
    assert_true(fd >= 0);
    for (size_t done = 0; done < n;) {
        const ssize_t wrote = write(fd, (const char *)data + done, n - done);
        assert_true(wrote > 0);
        done += (size_t)wrote;
    }
    close(fd);
    return strdup(name);
}

void support_remove(char *path) {
    (void)remove(path);
    free(path);
}

void support_digest(const void *word, size_t n, uint8_t out[MD5_DIGEST]) {
    wadi_md5 md5;
    wadi_md5_init(&md5);
    wadi_md5_update(&md5, word, n);
    wadi_md5_final(&md5, out);
}

void support_want(md5_targets *t, const void *word, size_t n) {
    uint8_t digest[MD5_DIGEST];
    char hex[2 * MD5_DIGEST + 1];
    support_digest(word, n, digest);
    wadi_hex(digest, MD5_DIGEST, hex);
    assert_int_equal(md5_targets_add(t, hex, NULL), WADI_OK);
}

uint32_t support_random(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}
