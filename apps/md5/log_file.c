/* Opening, locking and appending to a file that grows by lines. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "apps/md5/log_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/io.h"
#include "base/outfile.h"

enum { TRIES = 100 };

static wadi_status io_error(const char *path, wadi_error *err) {
    return wadi_fail_errno(err, errno, "%s", path);
}

/* ---- opening ---- */

static bool is_regular(int fd) {
    struct stat about;
    return fstat(fd, &about) == 0 && S_ISREG(about.st_mode);
}

/* Whether the path still leads to the file that is open. */
static bool is_there(const char *path, int fd, int64_t *out_length) {
    struct stat named, open_one;
    if (fstat(fd, &open_one) != 0 || stat(path, &named) != 0) return false;
    *out_length = open_one.st_size;
    return named.st_dev == open_one.st_dev && named.st_ino == open_one.st_ino;
}

/* Whether another process holds the lock. On a file system without locks, nobody does. */
static bool is_busy(int fd) {
    int got;
    do got = flock(fd, LOCK_EX | LOCK_NB);
    while (got != 0 && errno == EINTR);
    return got != 0 && errno == EWOULDBLOCK;
}

static wadi_status open_stream(const char *path, md5_log *log, wadi_error *err) {
    const bool standard = strcmp(path, "-") == 0;
    log->stream = true;
    log->path = strdup(standard ? "standard output" : path);
    if (log->path == NULL) return wadi_fail(err, WADI_MEMORY, "%s: out of memory", path);
    log->fd = standard ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0) : wadi_io_open_output(path, 0);
    return log->fd >= 0 ? WADI_OK : io_error(path, err);
}

/* Opens and locks the file. If its owner removes it before we have the lock, it is opened again. */
static wadi_status open_file(const char *path, unsigned mode, md5_log *log, wadi_error *err) {
    for (int i = 0; i < TRIES; i++) {
        log->fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, (mode_t)mode);
        if (log->fd < 0) return io_error(path, err);
        if (is_busy(log->fd)) break;
        if (is_there(path, log->fd, &log->length)) {
            log->path = realpath(path, NULL);
            const bool kept =
                log->path != NULL && (log->length > 0 || wadi_outfile_sync_name(log->path));
            return kept ? WADI_OK : io_error(path, err);
        }
        (void)close(log->fd);
        log->fd = -1;
    }
    return wadi_fail(err, WADI_IO, "%s: another process is using it", path);
}

static bool is_stream(const char *path) {
    struct stat about;
    return strcmp(path, "-") == 0 || (stat(path, &about) == 0 && !S_ISREG(about.st_mode));
}

wadi_status md5_log_open(const char *path, unsigned mode, md5_log *out, wadi_error *err) {
    const bool stream = is_stream(path);
    *out = (md5_log){.fd = -1};
    const wadi_status status =
        stream ? open_stream(path, out, err) : open_file(path, mode, out, err);
    if (status != WADI_OK && out->fd >= 0) {
        (void)close(out->fd);
        out->fd = -1;
    }
    return status;
}

/* While it is still locked. */
static void remove_empty(const md5_log *log) {
    int64_t length;
    if (!log->stream && log->fd >= 0 && is_there(log->path, log->fd, &length))
        (void)unlink(log->path);
}

void md5_log_close(md5_log *log) {
    if (log->path == NULL) return;
    if (!log->stream && log->length == 0) remove_empty(log);
    if (log->fd >= 0) (void)close(log->fd);
    free(log->path);
    *log = (md5_log){.fd = -1};
}

/* ---- reading and writing ---- */

wadi_status md5_log_read(const md5_log *log, char **out, wadi_error *err) {
    *out = malloc((size_t)log->length + 1);
    if (*out == NULL) return wadi_fail(err, WADI_MEMORY, "%s: out of memory", log->path);
    int64_t n = 0;
    while (n < log->length) {
        const ssize_t got = pread(log->fd, *out + n, (size_t)(log->length - n), n);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) {
            const wadi_status status =
                got < 0
                    ? io_error(log->path, err)
                    : wadi_fail(err, WADI_IO, "%s: became shorter while it was read", log->path);
            free(*out);
            *out = NULL;
            return status;
        }
        n += got;
    }
    (*out)[n] = '\0';
    return WADI_OK;
}

static bool write_all(const md5_log *log, int64_t at, const char *data, size_t n) {
    size_t done = 0;
    if (log->stream) return wadi_io_write(log->fd, data, n, log->path, &done);
    while (n > 0) {
        const ssize_t put = pwrite(log->fd, data, n, at);
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) return false;
        data += put;
        at += put;
        n -= (size_t)put;
    }
    return true;
}

static bool cut(const md5_log *log, int64_t length) {
    int got;
    do got = ftruncate(log->fd, (off_t)length);
    while (got != 0 && errno == EINTR);
    return got == 0;
}

wadi_status md5_log_add(md5_log *log, const void *data, size_t n, wadi_error *err) {
    if (!write_all(log, log->length, data, n)) {
        const wadi_status status = io_error(log->path, err);
        if (!log->stream) (void)cut(log, log->length);
        return status;
    }
    log->length += (int64_t)n;
    return WADI_OK;
}

wadi_status md5_log_cut(md5_log *log, int64_t length, wadi_error *err) {
    if (!cut(log, length)) return io_error(log->path, err);
    log->length = length;
    return WADI_OK;
}

wadi_status md5_log_sync(const md5_log *log, wadi_error *err) {
    if (log->stream && !is_regular(log->fd)) return WADI_OK;
    return fsync(log->fd) == 0 ? WADI_OK : io_error(log->path, err);
}
