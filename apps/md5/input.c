/* See the header. zlib is optional: without it gzip files are refused by name. */
#include "apps/md5/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

#ifdef WADI_HAVE_ZLIB
#include <zlib.h>
#endif

struct md5_input {
    int n, file;
    const char *const *paths;
    int64_t *size;         /* on disk; -1: none */
    int64_t total, before; /* bytes on disk of all files, of those before the current one */
    int fd;                /* of the current file, -1: not opened yet */
    bool packed;
    int64_t offset;
    _Atomic int64_t
        on_disk; /* bytes of the current file that were taken from the disk, and all before */
#ifdef WADI_HAVE_ZLIB
    gzFile gz;
#endif
};

static bool is_standard_input(const char *path) {
    return strcmp(path, "-") == 0;
}

static wadi_status io_error(const md5_input *in, const char *what, wadi_error *err) {
    return wadi_fail(err, WADI_IO, "%s, byte %lld: %s", in->paths[in->file], (long long)in->offset,
                     what);
}

/* ---- opening ---- */

static wadi_status look_at(md5_input *in, int i, wadi_error *err) {
    struct stat about;
    in->size[i] = -1;
    if (is_standard_input(in->paths[i])) {
        if (fstat(STDIN_FILENO, &about) != 0) return WADI_OK;
    } else {
        if (stat(in->paths[i], &about) != 0 || access(in->paths[i], R_OK) != 0)
            return wadi_fail(err, WADI_IO, "%s: %s", in->paths[i], strerror(errno));
        if (S_ISDIR(about.st_mode))
            return wadi_fail(err, WADI_IO, "%s is a directory", in->paths[i]);
    }
    if (S_ISREG(about.st_mode)) in->size[i] = about.st_size;
    in->total = in->size[i] < 0 || in->total < 0 ? -1 : in->total + in->size[i];
    return WADI_OK;
}

wadi_status md5_input_open(int n, const char *const *paths, md5_input **out, wadi_error *err) {
    md5_input *in = calloc(1, sizeof *in);
    *out = NULL;
    if (in != NULL) in->size = calloc((size_t)n + 1, sizeof *in->size);
    if (in == NULL || in->size == NULL) {
        free(in);
        return wadi_fail(err, WADI_MEMORY, "input: out of memory");
    }
    in->n = n;
    in->paths = paths;
    in->fd = -1;
    wadi_status status = WADI_OK;
    for (int i = 0; i < n && status == WADI_OK; i++) status = look_at(in, i, err);
    if (status == WADI_OK)
        *out = in;
    else
        md5_input_close(in);
    return status;
}

/* gzip's two magic bytes (RFC 1952); only a file that can be rewound is looked at. */
static bool is_gzip(int fd) {
    unsigned char magic[2];
    return pread(fd, magic, 2, 0) == 2 && magic[0] == 0x1f && magic[1] == 0x8b;
}

static wadi_status unpack(md5_input *in, wadi_error *err) {
#ifdef WADI_HAVE_ZLIB
    in->gz = gzdopen(in->fd, "rb");
    if (in->gz == NULL) return io_error(in, "out of memory", err);
    (void)gzbuffer(in->gz, 1 << 18);
    return WADI_OK;
#else
    return wadi_fail(err, WADI_UNSUPPORTED,
                     "%s is a gzip file, and wadi-md5 was built without zlib", in->paths[in->file]);
#endif
}

static wadi_status open_current(md5_input *in, wadi_error *err) {
    const char *path = in->paths[in->file];
    in->offset = 0;
    in->fd = is_standard_input(path) ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
    if (in->fd < 0) return io_error(in, strerror(errno), err);
    in->packed = is_gzip(in->fd);
    return in->packed ? unpack(in, err) : WADI_OK;
}

static void close_current(md5_input *in) {
    if (in->fd < 0) return;
#ifdef WADI_HAVE_ZLIB
    if (in->packed && in->gz != NULL) {
        (void)gzclose(in->gz);
        in->gz = NULL;
        in->fd = -1;
        return;
    }
#endif
    (void)close(in->fd);
    in->fd = -1;
}

void md5_input_close(md5_input *in) {
    if (in == NULL) return;
    close_current(in);
    free(in->size);
    free(in);
}

/* ---- reading ---- */

static ssize_t read_plain(md5_input *in, void *to, size_t n) {
    ssize_t got;
    do got = read(in->fd, to, n);
    while (got < 0 && errno == EINTR);
    return got;
}

static wadi_status read_some(md5_input *in, void *to, size_t n, size_t *out_n, wadi_error *err) {
#ifdef WADI_HAVE_ZLIB
    if (in->packed) {
        const unsigned most = n > 1u << 30 ? 1u << 30 : (unsigned)n;
        const int got = gzread(in->gz, to, most);
        int code = Z_OK;
        const char *why = gzerror(in->gz, &code);
        if (got < 0 || code == Z_BUF_ERROR || code == Z_DATA_ERROR)
            return io_error(in, code == Z_BUF_ERROR ? "the gzip file is cut short" : why, err);
        *out_n = (size_t)got;
        atomic_store(&in->on_disk, in->before + gzoffset(in->gz));
        return WADI_OK;
    }
#endif
    const ssize_t got = read_plain(in, to, n);
    if (got < 0) return io_error(in, strerror(errno), err);
    *out_n = (size_t)got;
    atomic_store(&in->on_disk, in->before + in->offset + got);
    return WADI_OK;
}

static void next_file(md5_input *in) {
    close_current(in);
    if (in->size[in->file] > 0) in->before += in->size[in->file];
    in->file++;
    in->offset = 0;
}

wadi_status md5_input_read(md5_input *in, void *to, size_t n, size_t *out_n, bool *out_done,
                           wadi_error *err) {
    *out_n = 0;
    *out_done = in->file >= in->n;
    if (*out_done) return WADI_OK;
    if (in->fd < 0) WADI_TRY(open_current(in, err));
    WADI_TRY(read_some(in, to, n, out_n, err));
    in->offset += (int64_t)*out_n;
    if (*out_n == 0) next_file(in);
    *out_done = in->file >= in->n;
    return WADI_OK;
}

static wadi_status skip(md5_input *in, int64_t offset, wadi_error *err) {
    char scrap[1 << 16];
    while (in->offset < offset) {
        const int64_t left = offset - in->offset;
        const size_t n = left < (int64_t)sizeof scrap ? (size_t)left : sizeof scrap;
        size_t got = 0;
        WADI_TRY(read_some(in, scrap, n, &got, err));
        if (got == 0) return io_error(in, "the file ends here, before the place to go on", err);
        in->offset += (int64_t)got;
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
    if (!in->packed && lseek(in->fd, 0, SEEK_CUR) == 0 && offset <= in->size[in->file] &&
        lseek(in->fd, offset, SEEK_SET) == offset) {
        in->offset = offset;
        return WADI_OK;
    }
    return skip(in, offset, err);
}

int md5_input_file(const md5_input *in) {
    return in->file;
}

int64_t md5_input_offset(const md5_input *in) {
    return in->offset;
}

double md5_input_progress(const md5_input *in) {
    if (in->total <= 0) return -1;
    return (double)atomic_load(&in->on_disk) / (double)in->total;
}

int64_t md5_input_size(const md5_input *in, int i) {
    return in->size[i];
}
