/* Opening the inputs one after another and reading them. */
#include "apps/md5/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "apps/md5/unpack.h"
#include "base/error.h"
#include "base/io.h"

struct md5_input {
    int n, file;
    const char *const *paths;
    bool as_is;
    int64_t *size;           /* on disk; -1: none */
    int64_t total, before;   /* bytes on disk of all files, and of those before the current one */
    md5_unpack *current;     /* NULL: not opened yet */
    _Atomic int64_t on_disk; /* bytes taken from the disk */
};

static bool is_standard_input(const char *path) {
    return strcmp(path, "-") == 0;
}

/* ---- opening ---- */

static wadi_status look_at(md5_input *in, int i, wadi_error *err) {
    struct stat about;
    in->size[i] = -1;
    if (is_standard_input(in->paths[i])) {
        WADI_TRY(wadi_io_check_stdin(err));
        if (fstat(STDIN_FILENO, &about) != 0) return WADI_OK;
    } else {
        if (wadi_io_stat(in->paths[i], &about) != 0 || access(in->paths[i], R_OK) != 0)
            return wadi_fail_errno(err, errno, "%s", in->paths[i]);
        if (S_ISDIR(about.st_mode))
            return wadi_fail(err, WADI_IO, "%s is a directory", in->paths[i]);
    }
    if (S_ISREG(about.st_mode)) in->size[i] = about.st_size;
    in->total = in->size[i] < 0 || in->total < 0 ? -1 : in->total + in->size[i];
    return WADI_OK;
}

wadi_status md5_input_open(int n, const char *const *paths, bool as_is, md5_input **out,
                           wadi_error *err) {
    md5_input *in = calloc(1, sizeof *in);
    *out = NULL;
    if (in != NULL) in->size = calloc((size_t)n + 1, sizeof *in->size);
    if (in == NULL || in->size == NULL) {
        free(in);
        return wadi_fail(err, WADI_MEMORY, "input: out of memory");
    }
    in->n = n;
    in->paths = paths;
    in->as_is = as_is;
    wadi_status status = WADI_OK;
    for (int i = 0; i < n && status == WADI_OK; i++) status = look_at(in, i, err);
    if (status == WADI_OK)
        *out = in;
    else
        md5_input_close(in);
    return status;
}

static wadi_status open_current(md5_input *in, wadi_error *err) {
    const char *path = in->paths[in->file];
    const bool standard = is_standard_input(path);
    const int fd = standard ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0) : wadi_io_open(path);
    if (fd < 0) return wadi_fail_errno(err, errno, "%s", path);
    return md5_unpack_open(fd, standard ? "standard input" : path, in->as_is, &in->current, err);
}

static void close_current(md5_input *in) {
    md5_unpack_close(in->current);
    in->current = NULL;
}

void md5_input_close(md5_input *in) {
    if (in == NULL) return;
    close_current(in);
    free(in->size);
    free(in);
}

/* ---- reading ---- */

/* Words may be missing, so a digest that was not found says nothing. */
static wadi_status check_end(const md5_input *in, wadi_error *err) {
    const char *path = in->paths[in->file];
    const int64_t size = in->size[in->file];
    struct stat about;
    const bool known =
        is_standard_input(path) ? fstat(STDIN_FILENO, &about) == 0 : stat(path, &about) == 0;
    return wadi_io_check_end(path, size, md5_unpack_taken(in->current),
                             known ? about.st_size : size, err);
}

static wadi_status read_some(md5_input *in, void *to, size_t n, size_t *out_n, wadi_error *err) {
    WADI_TRY(md5_unpack_read(in->current, to, n, out_n, err));
    atomic_store(&in->on_disk, in->before + md5_unpack_taken(in->current));
    return WADI_OK;
}

static void next_file(md5_input *in) {
    close_current(in);
    if (in->size[in->file] > 0) in->before += in->size[in->file];
    in->file++;
}

wadi_status md5_input_read(md5_input *in, void *to, size_t n, size_t *out_n, bool *out_done,
                           wadi_error *err) {
    *out_n = 0;
    *out_done = in->file >= in->n;
    if (*out_done) return WADI_OK;
    if (in->current == NULL) WADI_TRY(open_current(in, err));
    WADI_TRY(read_some(in, to, n, out_n, err));
    if (*out_n > 0) return WADI_OK;
    WADI_TRY(check_end(in, err));
    next_file(in);
    *out_done = in->file >= in->n;
    return WADI_OK;
}

bool md5_input_waits(const md5_input *in) {
    return in->current != NULL && md5_unpack_waits(in->current);
}

/* Goes to a byte by reading up to it, for inputs that cannot seek. */
static wadi_status pass(md5_input *in, int64_t offset, wadi_error *err) {
    char scrap[1 << 16];
    for (int64_t left; (left = offset - md5_unpack_given(in->current)) > 0;) {
        size_t got = 0;
        WADI_TRY(read_some(in, scrap, left < (int64_t)sizeof scrap ? (size_t)left : sizeof scrap,
                           &got, err));
        if (got == 0)
            return wadi_fail(
                err, WADI_IO, "%s ends at byte %lld, before the place to go on, byte %lld",
                in->paths[in->file], (long long)md5_unpack_given(in->current), (long long)offset);
    }
    return WADI_OK;
}

wadi_status md5_input_seek(md5_input *in, int file, int64_t offset, wadi_error *err) {
    while (in->file < file && in->file < in->n) {
        if (is_standard_input(in->paths[in->file]))
            return wadi_fail(err, WADI_IO, "standard input cannot be skipped over");
        next_file(in);
    }
    if (in->file >= in->n || offset == 0) return WADI_OK;
    WADI_TRY(open_current(in, err));
    if (offset <= in->size[in->file] && md5_unpack_seek(in->current, offset)) return WADI_OK;
    return pass(in, offset, err);
}

int md5_input_file(const md5_input *in) {
    return in->file;
}

double md5_input_progress(const md5_input *in) {
    if (in->total <= 0) return -1;
    return (double)atomic_load(&in->on_disk) / (double)in->total;
}

int64_t md5_input_size(const md5_input *in, int i) {
    return in->size[i];
}
