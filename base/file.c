/* Reading a file whole, replacing one atomically, making directories.
 *
 * The content reaches the disk before the name does, so that a crash leaves the old file or the new one. */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

/* strerror is not thread-safe; the POSIX strerror_r is. */
static wadi_status io_error(wadi_error *err, const char *what, const char *path, int number) {
    char text[128] = "";
    if (strerror_r(number, text, sizeof text) != 0) text[0] = '\0';
    return wadi_fail(err, WADI_IO, "cannot %s %s: %s", what, path, text);
}

/* Reads to the end, growing *out; works for pipes as well, where the size is not known ahead. */
static wadi_status read_all(int fd, const char *path, char **out, size_t *out_n, wadi_error *err) {
    char *at = NULL;
    size_t n = 0, cap = 0;
    for (;;) {
        if (cap - n < 2) {
            cap = cap == 0 ? 4096 : 2 * cap;
            char *more = realloc(at, cap);
            if (more == NULL) {
                free(at);
                return wadi_fail(err, WADI_MEMORY, "out of memory reading %s", path);
            }
            at = more;
        }
        const ssize_t got = read(fd, at + n, cap - n - 1);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) {
            free(at);
            return io_error(err, "read", path, errno);
        }
        if (got == 0) break;
        n += (size_t)got;
    }
    at[n] = '\0';
    *out = at;
    *out_n = n;
    return WADI_OK;
}

wadi_status wadi_file_read(const char *path, char **out, size_t *out_n, wadi_error *err) {
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return io_error(err, "open", path, errno);
    const wadi_status status = read_all(fd, path, out, out_n, err);
    (void)close(fd);
    return status;
}

static bool write_all(int fd, const char *data, size_t n) {
    while (n > 0) {
        const ssize_t put = write(fd, data, n);
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) return false;
        data += put;
        n -= (size_t)put;
    }
    return true;
}

/* Fills the temporary file and gives it its name; on failure errno tells why. */
static bool fill_and_rename(int fd, const char *temporary, const char *path, const void *data,
                            size_t n, unsigned mode) {
    const bool filled = write_all(fd, data, n) && fchmod(fd, (mode_t)mode) == 0 && fsync(fd) == 0;
    const int reason = errno;
    const bool closed = close(fd) == 0;
    if (!filled) errno = reason;
    return filled && closed && rename(temporary, path) == 0;
}

wadi_status wadi_file_write(const char *path, const void *data, size_t n, unsigned mode,
                            wadi_error *err) {
    static const char suffix[] = ".XXXXXX";
    const size_t length = strlen(path);
    char *temporary = malloc(length + sizeof suffix);
    if (temporary == NULL) return wadi_fail(err, WADI_MEMORY, "out of memory writing %s", path);
    memcpy(temporary, path, length);
    memcpy(temporary + length, suffix, sizeof suffix);
    wadi_status status = WADI_OK;
    const int fd = mkstemp(temporary);
    if (fd < 0) {
        status = io_error(err, "write", path, errno);
    } else if (!fill_and_rename(fd, temporary, path, data, n, mode)) {
        const int reason = errno;
        (void)unlink(temporary);
        status = io_error(err, "write", path, reason);
    }
    free(temporary);
    return status;
}

bool wadi_file_exists(const char *path) {
    struct stat info;
    return stat(path, &info) == 0;
}

static bool make_one(const char *path, unsigned mode) {
    struct stat info;
    if (mkdir(path, (mode_t)mode) == 0) return true;
    if (errno != EEXIST || stat(path, &info) != 0) return false;
    if (S_ISDIR(info.st_mode)) return true;
    errno = ENOTDIR;
    return false;
}

wadi_status wadi_dir_make(const char *path, unsigned mode, wadi_error *err) {
    const size_t length = strlen(path);
    char *part = malloc(length + 1);
    if (part == NULL) return wadi_fail(err, WADI_MEMORY, "out of memory making %s", path);
    memcpy(part, path, length + 1);
    bool made = length > 0;
    errno = ENOENT;
    for (size_t i = 1; made && i <= length; i++) {
        const bool end = path[i] == '\0' || (path[i] == '/' && path[i - 1] != '/');
        if (!end) continue;
        part[i] = '\0';
        made = make_one(part, mode);
        part[i] = path[i];
    }
    const wadi_status status = made ? WADI_OK : io_error(err, "make directory", path, errno);
    free(part);
    return status;
}
