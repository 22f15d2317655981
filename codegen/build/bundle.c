/* Reading bundles. The index is checked as a whole when a bundle is opened, a thing when it is read. The file is opened for each thing and
 * never mapped: it may be replaced or cut at any time, and then a thing is not there. */
#include "codegen/build/bundle.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/hash.h"
#include "codegen/compiler_stamp.h"

enum { DIGEST = WADI_BUNDLE_DIGEST, HEADER = WADI_BUNDLE_HEADER, ROW = WADI_BUNDLE_ROW };
enum { THINGS_MAX = 100000, STAMP_AT = 24, DIGEST_AT = HEADER - DIGEST };

struct wadi_bundle {
    char *path;
    size_t n;
    wadi_bundle_entry entry[];
};

const char *wadi_bundle_stamp(void) {
    return WADI_COMPILER_STAMP;
}

wadi_status wadi_bundle_seal(char *header, size_t n, uint8_t out[32]) {
    memset(header + DIGEST_AT, 0, DIGEST);
    return wadi_blake2b(header, n, out);
}

/* ---- bytes ---- */

static uint64_t number_at(const char *at) {
    uint64_t x = 0;
    for (int i = 7; i >= 0; i--) x = x << 8 | (uint8_t)at[i];
    return x;
}

/* n bytes of the file from `begin` on. */
static wadi_status read_at(int fd, const char *path, uint64_t begin, char *out, size_t n,
                           wadi_error *err) {
    for (size_t done = 0; done < n;) {
        const ssize_t got = pread(fd, out + done, n - done, (off_t)(begin + done));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return wadi_fail_errno(err, errno, "kernels: %s", path);
        if (got == 0) return wadi_fail(err, WADI_INVALID, "kernels: %s is cut off", path);
        done += (size_t)got;
    }
    return WADI_OK;
}

static wadi_status open_file(const char *path, int *out_fd, uint64_t *out_size, wadi_error *err) {
    struct stat about;
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) return wadi_fail_errno(err, errno, "kernels: %s", path);
    wadi_status st = WADI_OK;
    if (fstat(fd, &about) != 0)
        st = wadi_fail_errno(err, errno, "kernels: %s", path);
    else if (!S_ISREG(about.st_mode))
        st = wadi_fail(err, WADI_INVALID, "kernels: %s is not a file", path);
    else if ((about.st_mode & S_IWOTH) != 0)
        st = wadi_fail(err, WADI_INVALID, "kernels: everybody can write to %s (mode %o)", path,
                       (unsigned)(about.st_mode & 07777));
    if (st != WADI_OK) {
        (void)close(fd);
        return st;
    }
    *out_fd = fd;
    *out_size = (uint64_t)about.st_size;
    return WADI_OK;
}

/* ---- the index ---- */

static wadi_status check_header(const char *header, const char *path, uint64_t size,
                                wadi_error *err) {
    if (memcmp(header, WADI_BUNDLE_MAGIC, 8) != 0)
        return wadi_fail(err, WADI_INVALID, "kernels: %s is no bundle of kernels", path);
    if (number_at(header + 8) != size)
        return wadi_fail(err, WADI_INVALID, "kernels: %s is damaged: it has %llu bytes, not %llu",
                         path, (unsigned long long)size, (unsigned long long)number_at(header + 8));
    const uint64_t n = number_at(header + 16);
    if (n > THINGS_MAX || HEADER + n * ROW > size)
        return wadi_fail(err, WADI_INVALID, "kernels: %s is damaged: its index is too long", path);
    return WADI_OK;
}

static wadi_status check_stamp(const char *header, const char *path, wadi_error *err) {
    char stamp[WADI_BUNDLE_STAMP];
    memcpy(stamp, header + STAMP_AT, sizeof stamp);
    stamp[sizeof stamp - 1] = '\0';
    if (strcmp(stamp, wadi_bundle_stamp()) == 0) return WADI_OK;
    for (char *c = stamp; *c != '\0'; c++)
        if (*c < ' ' || *c > '~') *c = '?';
    return wadi_fail(err, WADI_INVALID, "kernels: %s is of another wadi: of %s, this is %s", path,
                     stamp, wadi_bundle_stamp());
}

static bool is_text(const char *at, size_t room) {
    const size_t n = strnlen(at, room);
    for (size_t i = 0; i < n; i++)
        if ((uint8_t)at[i] < ' ') return false;
    return n < room;
}

/* False: no index has such a row. */
static bool read_row(const char *at, uint64_t size, const wadi_bundle_entry *before,
                     wadi_bundle_entry *e) {
    memcpy(e->key, at, DIGEST);
    memcpy(e->digest, at + 32, DIGEST);
    e->begin = number_at(at + 64);
    e->size = number_at(at + 72);
    memcpy(e->target, at + 80, sizeof e->target);
    memcpy(e->label, at + 80 + sizeof e->target, sizeof e->label);
    return e->begin <= size && e->size <= size - e->begin && e->size < SIZE_MAX &&
           is_text(e->target, sizeof e->target) && is_text(e->label, sizeof e->label) &&
           (before == NULL || memcmp(before->key, e->key, DIGEST) < 0);
}

static wadi_status read_rows(wadi_bundle *b, const char *all, uint64_t size, wadi_error *err) {
    for (size_t i = 0; i < b->n; i++)
        if (!read_row(all + HEADER + i * ROW, size, i > 0 ? &b->entry[i - 1] : NULL, &b->entry[i]))
            return wadi_fail(err, WADI_INVALID, "kernels: %s is damaged: row %zu of its index",
                             b->path, i);
    return WADI_OK;
}

static wadi_status no_memory(const char *path, wadi_error *err) {
    return wadi_fail(err, WADI_MEMORY, "kernels: %s: out of memory", path);
}

static wadi_status check_digest(char *all, size_t n, const char *path, wadi_error *err) {
    uint8_t said[DIGEST], digest[DIGEST];
    memcpy(said, all + DIGEST_AT, DIGEST);
    WADI_TRY(wadi_bundle_seal(all, n, digest));
    if (memcmp(said, digest, DIGEST) == 0) return WADI_OK;
    return wadi_fail(err, WADI_INVALID, "kernels: %s is damaged: its index has another digest",
                     path);
}

/* Header and index, checked; the caller frees *out. */
static wadi_status read_index(int fd, const char *path, uint64_t size, char **out, size_t *out_n,
                              wadi_error *err) {
    char header[HEADER];
    WADI_TRY(read_at(fd, path, 0, header, sizeof header, err));
    WADI_TRY(check_header(header, path, size, err));
    const size_t n = (size_t)number_at(header + 16), bytes = HEADER + n * ROW;
    char *all = malloc(bytes);
    if (all == NULL) return no_memory(path, err);
    wadi_status st = read_at(fd, path, 0, all, bytes, err);
    if (st == WADI_OK && memcmp(all, header, sizeof header) != 0)
        st = wadi_fail(err, WADI_INVALID, "kernels: %s is being changed", path);
    if (st == WADI_OK) st = check_digest(all, bytes, path, err);
    if (st == WADI_OK) st = check_stamp(all, path, err);
    if (st != WADI_OK) {
        free(all);
        return st;
    }
    *out = all;
    *out_n = n;
    return WADI_OK;
}

static wadi_status make(int fd, const char *path, uint64_t size, wadi_bundle **out,
                        wadi_error *err) {
    char *all = NULL;
    size_t n = 0;
    WADI_TRY(read_index(fd, path, size, &all, &n, err));
    wadi_bundle *b = malloc(sizeof *b + n * sizeof b->entry[0]);
    char *name = strdup(path);
    wadi_status st = b != NULL && name != NULL ? WADI_OK : no_memory(path, err);
    if (st == WADI_OK) {
        *b = (wadi_bundle){.path = name, .n = n};
        st = read_rows(b, all, size, err);
    }
    free(all);
    if (st != WADI_OK) {
        free(name);
        free(b);
        return st;
    }
    *out = b;
    return WADI_OK;
}

wadi_status wadi_bundle_open(const char *path, wadi_bundle **out, wadi_error *err) {
    int fd = -1;
    uint64_t size = 0;
    *out = NULL;
    WADI_TRY(open_file(path, &fd, &size, err));
    const wadi_status st = make(fd, path, size, out, err);
    (void)close(fd);
    return st;
}

void wadi_bundle_close(wadi_bundle *b) {
    if (b == NULL) return;
    free(b->path);
    free(b);
}

const char *wadi_bundle_path(const wadi_bundle *b) {
    return b->path;
}

size_t wadi_bundle_count(const wadi_bundle *b) {
    return b->n;
}

const wadi_bundle_entry *wadi_bundle_at(const wadi_bundle *b, size_t i) {
    return &b->entry[i];
}

static int by_key(const void *key, const void *entry) {
    return memcmp(key, ((const wadi_bundle_entry *)entry)->key, DIGEST);
}

const wadi_bundle_entry *wadi_bundle_find(const wadi_bundle *b, const uint8_t key[DIGEST]) {
    return bsearch(key, b->entry, b->n, sizeof b->entry[0], by_key);
}

/* ---- things ---- */

static wadi_status check_thing(const wadi_bundle *b, const wadi_bundle_entry *e, const char *bytes,
                               wadi_error *err) {
    uint8_t digest[DIGEST];
    WADI_TRY(wadi_blake2b(bytes, (size_t)e->size, digest));
    if (memcmp(digest, e->digest, DIGEST) == 0) return WADI_OK;
    return wadi_fail(err, WADI_INVALID, "kernels: %s is damaged: \"%s\" has another digest",
                     b->path, e->label);
}

wadi_status wadi_bundle_read(const wadi_bundle *b, const wadi_bundle_entry *e, char **out,
                             wadi_error *err) {
    int fd = -1;
    uint64_t size = 0;
    WADI_TRY(open_file(b->path, &fd, &size, err));
    char *bytes = NULL;
    wadi_status st = WADI_OK;
    if (e->begin + e->size > size)
        st = wadi_fail(err, WADI_INVALID, "kernels: %s is cut off", b->path);
    else if ((bytes = malloc((size_t)e->size + 1)) == NULL)
        st = no_memory(b->path, err);
    if (st == WADI_OK) st = read_at(fd, b->path, e->begin, bytes, (size_t)e->size, err);
    if (st == WADI_OK) st = check_thing(b, e, bytes, err);
    (void)close(fd);
    if (st != WADI_OK) {
        free(bytes);
        return st;
    }
    bytes[e->size] = '\0';
    *out = bytes;
    return WADI_OK;
}
