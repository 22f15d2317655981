/* Following links to find what a name leads to.
 *
 * Links are followed one by one, for two reasons: the name of a file that does not exist yet is needed too, and a link within
 * /proc is not a path but an open file, whose text may be "pipe:[7]". */
#define _GNU_SOURCE /* O_PATH */
#include "base/destination.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/error.h"
#include "base/io.h"

enum {
    LINKS_MAX = 40,
    PROC_MAGIC = 0x9fa0,
    KEPT_FREE = 3 /* 0 to 2 belong to the standard streams */
};

static const char *last_part(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

/* The folder that `path` lies in. */
static int open_folder(const char *path) {
    const size_t n = (size_t)(last_part(path) - path);
    char *folder = n == 0 ? strdup(".") : strndup(path, n);
    if (folder == NULL) return -1;
    const int fd = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    free(folder);
    return fd;
}

static bool same_file(int a, int b) {
    struct stat x, y;
    return fstat(a, &x) == 0 && fstat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* The descriptor of this process that `path` stands for, or -1. */
static int own_descriptor(const char *path) {
    const char *name = last_part(path);
    const size_t digits = strspn(name, "0123456789");
    if (strcmp(path, "-") == 0) return STDOUT_FILENO;
    if (digits == 0 || digits > 9 || name[digits] != '\0') return -1;
    const int folder = open_folder(path), own = open("/proc/self/fd", O_PATH | O_CLOEXEC);
    const int found = folder >= 0 && own >= 0 && same_file(folder, own) ? atoi(name) : -1;
    if (folder >= 0) (void)close(folder);
    if (own >= 0) (void)close(own);
    return found;
}

static wadi_status take_stream(wadi_destination *d, int fd, const char *path, wadi_error *err) {
    if (fd < 0) return wadi_fail_errno(err, errno, "%s: cannot be written", path);
    d->stream = fd;
    return WADI_OK;
}

static wadi_status duplicate(wadi_destination *d, int own, const char *path, wadi_error *err) {
    const int flags = fcntl(own, F_GETFL);
    const char *name = strcmp(path, "-") == 0 ? "standard output" : path;
    if (flags >= 0 && wadi_io_is_closed(own)) return wadi_fail(err, WADI_IO, "%s: is closed", name);
    if (flags >= 0 && (flags & O_ACCMODE) == O_RDONLY)
        return wadi_fail(err, WADI_IO, "%s: is open for reading only", name);
    return take_stream(d, fcntl(own, F_DUPFD_CLOEXEC, KEPT_FREE), path, err);
}

static wadi_status open_stream(wadi_destination *d, const char *at, int more, const char *path,
                               wadi_error *err) {
    int fd = wadi_io_open_output(at, more);
    if (fd >= 0 && fd < KEPT_FREE) {
        const int higher = fcntl(fd, F_DUPFD_CLOEXEC, KEPT_FREE), reason = errno;
        (void)close(fd);
        errno = reason;
        fd = higher;
    }
    return take_stream(d, fd, path, err);
}

/* A link within /proc, which stands for an open file of some process. If that file is a regular one, it is appended to and not
 * truncated, because the process may be writing it. */
static bool is_magic(int link) {
    struct statfs where;
    return fstatfs(link, &where) == 0 && where.f_type == PROC_MAGIC;
}

/* The path that the link contains, relative to the folder of the link; the caller frees it. NULL: errno. */
static char *follow(int link, const char *at) {
    char said[PATH_MAX];
    const ssize_t n = readlinkat(link, "", said, sizeof said - 1);
    if (n <= 0) return NULL;
    said[n] = '\0';
    const size_t before = said[0] == '/' ? 0 : (size_t)(last_part(at) - at);
    char *next = malloc(before + (size_t)n + 1);
    if (next == NULL) return NULL;
    memcpy(next, at, before);
    memcpy(next + before, said, (size_t)n + 1);
    return next;
}

static wadi_status take_file(wadi_destination *d, const char *path, wadi_error *err) {
    d->name = last_part(d->path);
    d->folder = open_folder(d->path);
    if (d->folder < 0) return wadi_fail_errno(err, errno, "%s: cannot be written", path);
    if (d->name[0] == '\0') return wadi_fail(err, WADI_INVALID, "%s: names no file", path);
    if (d->exists && faccessat(d->folder, d->name, W_OK, AT_EACCESS) != 0)
        return wadi_fail_errno(err, errno, "%s: cannot be replaced", path);
    return WADI_OK;
}

/* One step: if d->path is a link, replaces it by the path in the link; else opens it and sets *done. */
static wadi_status step(wadi_destination *d, const char *path, bool *done, wadi_error *err) {
    const int own = own_descriptor(d->path);
    *done = true;
    if (own >= 0) return duplicate(d, own, path, err);
    const int at = open(d->path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (at < 0 && errno == ENOENT) return take_file(d, path, err);
    if (at < 0 || fstat(at, &d->about) != 0) {
        const int reason = errno;
        if (at >= 0) (void)close(at);
        return wadi_fail_errno(err, reason, "%s: cannot be written", path);
    }
    const bool magic = S_ISLNK(d->about.st_mode) && is_magic(at);
    char *next = S_ISLNK(d->about.st_mode) && !magic ? follow(at, d->path) : NULL;
    const int reason = errno;
    (void)close(at);
    if (magic) return open_stream(d, d->path, O_APPEND, path, err);
    if (S_ISLNK(d->about.st_mode)) {
        if (next == NULL) return wadi_fail_errno(err, reason, "%s: a link cannot be read", path);
        free(d->path);
        d->path = next;
        *done = false;
        return WADI_OK;
    }
    if (S_ISDIR(d->about.st_mode)) return wadi_fail(err, WADI_IO, "%s: is a directory", path);
    d->exists = S_ISREG(d->about.st_mode);
    return d->exists ? take_file(d, path, err) : open_stream(d, d->path, 0, path, err);
}

wadi_status wadi_destination_find(const char *path, wadi_destination *out, wadi_error *err) {
    bool done = false;
    *out = (wadi_destination){.stream = -1, .folder = -1};
    out->path = strdup(path);
    if (out->path == NULL) return wadi_fail(err, WADI_MEMORY, "%s: out of memory", path);
    for (int i = 0; i <= LINKS_MAX; i++) {
        WADI_TRY(step(out, path, &done, err));
        if (done) return WADI_OK;
    }
    return wadi_fail_errno(err, ELOOP, "%s: cannot be written", path);
}

void wadi_destination_fini(wadi_destination *d) {
    if (d->stream >= 0) (void)close(d->stream);
    if (d->folder >= 0) (void)close(d->folder);
    free(d->path);
    *d = (wadi_destination){.stream = -1, .folder = -1};
}

/* ---- comparing ---- */

/* False: it is no file, or cannot be found. The caller calls fini in any case. */
static bool find_file(const char *path, wadi_destination *out) {
    struct stat about;
    *out = (wadi_destination){.stream = -1, .folder = -1};
    if (stat(path, &about) == 0 && !S_ISREG(about.st_mode)) return false;
    return wadi_destination_find(path, out, NULL) == WADI_OK && out->folder >= 0;
}

bool wadi_destination_is_same(const char *path, const char *other) {
    wadi_destination a, b = {.stream = -1, .folder = -1};
    const bool same = find_file(path, &a) && find_file(other, &b) &&
                      same_file(a.folder, b.folder) && strcmp(a.name, b.name) == 0;
    wadi_destination_fini(&a);
    wadi_destination_fini(&b);
    return same;
}
