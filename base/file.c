/* Reading whole files and making folders. Files are written by base/outfile.c. */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/io.h"
#include "base/outfile.h"

/* Reads to the end, growing *out; works for pipes as well, where the size is not known ahead. */
wadi_status wadi_file_read_fd(int fd, const char *path, char **out, size_t *out_n,
                              wadi_error *err) {
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
        const ssize_t got = wadi_io_read(fd, at + n, cap - n - 1, path);
        if (got < 0) {
            const int why = errno;
            free(at);
            return wadi_fail_errno(err, why, "cannot read %s", path);
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
    const int fd = wadi_io_open(path);
    if (fd < 0) return wadi_fail_errno(err, errno, "cannot open %s", path);
    const wadi_status status = wadi_file_read_fd(fd, path, out, out_n, err);
    (void)close(fd);
    return status;
}

wadi_status wadi_file_write(const char *path, const void *data, size_t n, unsigned mode,
                            wadi_error *err) {
    const wadi_outfile_options options = {.mode = mode, .sync = WADI_SYNC_ALWAYS};
    return wadi_outfile_put(path, data, n, &options, err);
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
    const wadi_status status =
        made ? WADI_OK : wadi_fail_errno(err, errno, "cannot make directory %s", path);
    free(part);
    return status;
}
