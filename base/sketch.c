/* Lengths and digests of parts of files. */
#include "base/sketch.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/io.h"

enum { BLOCKS = 64, BLOCK = 4096, DIGEST = 32 };

static wadi_status add_digest(const void *data, size_t n, wadi_text *out, wadi_error *err) {
    uint8_t digest[DIGEST];
    char digits[2 * DIGEST + 1];
    if (wadi_blake2b(data, n, digest) != WADI_OK)
        return wadi_fail(err, WADI_INTERNAL, "no digest of %zu bytes", n);
    wadi_hex(digest, DIGEST, digits);
    wadi_text_addf(out, "%s ", digits);
    return out->failed ? wadi_fail(err, WADI_MEMORY, "a digest: out of memory") : WADI_OK;
}

/* Reads up to n bytes from byte `at` on. Returns how many, or -1: errno. */
static ssize_t read_at(int fd, unsigned char *to, size_t n, off_t at) {
    size_t got = 0;
    while (got < n) {
        const ssize_t more = pread(fd, to + got, n - got, at + (off_t)got);
        if (more < 0 && errno == EINTR) continue;
        if (more < 0) return -1;
        if (more == 0) break;
        got += (size_t)more;
    }
    return (ssize_t)got;
}

/* Where block i begins in a file of `bytes` bytes: the first at 0, the last at the end. */
static off_t begin_of(int i, off_t bytes) {
    const off_t last = bytes - BLOCK, step = last / (BLOCKS - 1);
    return i == BLOCKS - 1 ? last : step * i;
}

/* The bytes that stand for the file, one after another. Returns how many, or -1: errno. */
static ssize_t gather(int fd, off_t bytes, unsigned char *to) {
    if (bytes <= BLOCKS * BLOCK) return read_at(fd, to, (size_t)bytes, 0);
    ssize_t all = 0;
    for (int i = 0; i < BLOCKS; i++) {
        const ssize_t n = read_at(fd, to + all, BLOCK, begin_of(i, bytes));
        if (n < 0) return -1;
        all += n;
    }
    return all;
}

static wadi_status append(int fd, const char *name, off_t bytes, unsigned char *room,
                          wadi_text *out, wadi_error *err) {
    const ssize_t n = gather(fd, bytes, room);
    if (n < 0) return wadi_fail_errno(err, errno, "%s", name);
    wadi_text_addf(out, "%lld ", (long long)bytes);
    return add_digest(room, (size_t)n, out, err);
}

wadi_status wadi_sketch(int fd, const char *name, wadi_text *out, wadi_error *err) {
    struct stat about;
    if (fstat(fd, &about) != 0) return wadi_fail_errno(err, errno, "%s", name);
    unsigned char *room = malloc(BLOCKS * BLOCK);
    if (room == NULL) return wadi_fail(err, WADI_MEMORY, "%s: out of memory", name);
    const off_t bytes = S_ISREG(about.st_mode) ? about.st_size : 0;
    const wadi_status status = append(fd, name, bytes, room, out, err);
    free(room);
    return status;
}

wadi_status wadi_sketch_file(const char *path, wadi_text *out, wadi_error *err) {
    const int fd = wadi_io_open(path);
    if (fd < 0) return wadi_fail_errno(err, errno, "%s", path);
    const wadi_status status = wadi_sketch(fd, path, out, err);
    (void)close(fd);
    return status;
}

wadi_status wadi_sketch_array(const wadi_array *a, wadi_text *out, wadi_error *err) {
    int64_t values = 1;
    for (int d = 0; d < a->rank; d++) {
        wadi_text_addf(out, "%lld ", (long long)a->shape[d]);
        values *= a->shape[d];
    }
    for (int f = 0; f < a->fields; f++) {
        wadi_text_addf(out, "%s ", wadi_type_name(a->type[f]));
        WADI_TRY(add_digest(a->column[f], (size_t)(values * wadi_type_size(a->type[f])), out, err));
    }
    return WADI_OK;
}
