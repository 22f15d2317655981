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
#include "base/pages.h"

enum { FIRST_BYTES = 4096 };

/* What an array of numbers may have: a machine that has no memory left ends whoever it likes. */
static size_t most_of_machine(void) {
    const int64_t bytes = wadi_pages_machine();
    return bytes > 0 ? (size_t)(bytes / 4 * 3) : SIZE_MAX;
}

static wadi_status too_large(const char *path, size_t most, bool is_asked, wadi_error *err) {
    if (is_asked)
        return wadi_fail(err, WADI_INVALID, "%s: more than %zu bytes, the most expected here", path,
                         most);
    return wadi_fail(err, WADI_MEMORY, "%s: more than %zu bytes, as much as this machine can hold",
                     path, most);
}

typedef struct whole {
    char *at;
    size_t n, cap;
} whole;

static bool make_room(whole *w) {
    if (w->cap - w->n >= 2) return true;
    const size_t cap = w->cap == 0 ? FIRST_BYTES : 2 * w->cap;
    char *more = realloc(w->at, cap);
    if (more == NULL) return false;
    w->at = more;
    w->cap = cap;
    return true;
}

/* Reads to the end; works for pipes as well, where the size is not known ahead. */
static wadi_status read_all(int fd, const char *path, size_t most, whole *w, wadi_error *err) {
    const size_t limit = most > 0 ? most : most_of_machine();
    for (;;) {
        if (!make_room(w)) return wadi_fail(err, WADI_MEMORY, "out of memory reading %s", path);
        const ssize_t got = wadi_io_read(fd, w->at + w->n, w->cap - w->n - 1, path);
        if (got < 0) return wadi_fail_errno(err, errno, "cannot read %s", path);
        if (got == 0) return WADI_OK;
        w->n += (size_t)got;
        if (w->n > limit) return too_large(path, limit, most > 0, err);
    }
}

wadi_status wadi_file_read_fd(int fd, const char *path, size_t most, char **out, size_t *out_n,
                              wadi_error *err) {
    whole w = {.at = NULL};
    const wadi_status status = read_all(fd, path, most, &w, err);
    if (status != WADI_OK) {
        free(w.at);
        return status;
    }
    w.at[w.n] = '\0';
    *out = w.at;
    *out_n = w.n;
    return WADI_OK;
}

wadi_status wadi_file_read_most(const char *path, size_t most, char **out, size_t *out_n,
                                wadi_error *err) {
    const int fd = wadi_io_open(path);
    if (fd < 0) return wadi_fail_errno(err, errno, "cannot open %s", path);
    const wadi_status status = wadi_file_read_fd(fd, path, most, out, out_n, err);
    (void)close(fd);
    return status;
}

wadi_status wadi_file_read(const char *path, char **out, size_t *out_n, wadi_error *err) {
    return wadi_file_read_most(path, 0, out, out_n, err);
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
