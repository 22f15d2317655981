/* Reading an input in order, with one step back. */
#include "apps/audio/bytes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "apps/audio/endian.h"
#include "base/error.h"
#include "base/io.h"
#include "base/text.h"

enum { KEEP_MOST = 1 << 30 };

struct flac_bytes {
    char *path;
    int fd;
    bool is_stdin;
    int64_t size, at;
    bool keeping;
    wadi_text
        kept; /* the bytes from the start, while keeping or while some are to be given again */
    FILE *copy;
    char copy_path[32];
};

static wadi_status failed(const flac_bytes *b, const char *what, wadi_error *err) {
    return wadi_fail_errno(err, errno, "%s: %s at byte %lld", b->path, what, (long long)b->at);
}

wadi_status flac_bytes_open(const char *path, flac_bytes **out, wadi_error *err) {
    flac_bytes *b = calloc(1, sizeof *b);
    wadi_text copy = {0};
    wadi_text_add(&copy, path);
    if (b != NULL) b->path = wadi_text_take(&copy);
    wadi_text_fini(&copy);
    if (b == NULL || b->path == NULL) {
        free(b);
        return wadi_fail(err, WADI_MEMORY, "out of memory");
    }
    b->is_stdin = strcmp(path, "-") == 0;
    b->keeping = true;
    b->fd = b->is_stdin ? STDIN_FILENO : wadi_io_open(path);
    struct stat about = {0};
    wadi_status st = b->is_stdin ? wadi_io_check_stdin(err) : WADI_OK;
    if (st == WADI_OK && (b->fd < 0 || fstat(b->fd, &about) != 0))
        st = wadi_fail_errno(err, errno, "%s", path);
    if (st == WADI_OK && S_ISDIR(about.st_mode))
        st = wadi_fail(err, WADI_IO, "%s: is a directory", path);
    /* Standard input whose position is not its start is read from there on, as a pipe is. */
    const bool whole = !b->is_stdin || lseek(b->fd, 0, SEEK_CUR) == 0;
    b->size = S_ISREG(about.st_mode) && whole ? (int64_t)about.st_size : -1;
    if (st != WADI_OK) {
        flac_bytes_close(b);
        return st;
    }
    *out = b;
    return WADI_OK;
}

void flac_bytes_close(flac_bytes *b) {
    if (b == NULL) return;
    if (b->fd >= 0 && !b->is_stdin) (void)close(b->fd);
    if (b->copy != NULL) (void)fclose(b->copy);
    wadi_text_fini(&b->kept);
    free(b->path);
    free(b);
}

const char *flac_bytes_path(const flac_bytes *b) {
    return b->path;
}

int64_t flac_bytes_at(const flac_bytes *b) {
    return b->at;
}

int64_t flac_bytes_size(const flac_bytes *b) {
    return b->size;
}

/* ---- reading ---- */

static wadi_status keep(flac_bytes *b, const void *data, size_t n, wadi_error *err) {
    if (!b->keeping) return WADI_OK;
    if (b->kept.n + n > KEEP_MOST) {
        return wadi_fail(err, WADI_UNSUPPORTED, "%s: more than 1 GiB precedes the sound", b->path);
    }
    wadi_text_add_n(&b->kept, data, n);
    return b->kept.failed ? wadi_fail(err, WADI_MEMORY, "out of memory") : WADI_OK;
}

wadi_status flac_bytes_read(flac_bytes *b, void *to, size_t n, size_t *out_n, wadi_error *err) {
    size_t done = 0;
    if ((uint64_t)b->at < b->kept.n) {
        const size_t there = b->kept.n - (size_t)b->at;
        done = there < n ? there : n;
        memcpy(to, b->kept.at + b->at, done);
        b->at += (int64_t)done;
    }
    while (done < n) {
        const ssize_t got = wadi_io_read(b->fd, (char *)to + done, n - done, b->path);
        if (got < 0) return failed(b, "reading failed", err);
        if (got == 0) break;
        WADI_TRY(keep(b, (char *)to + done, (size_t)got, err));
        done += (size_t)got;
        b->at += got;
    }
    *out_n = done;
    return WADI_OK;
}

wadi_status flac_bytes_need(flac_bytes *b, void *to, size_t n, const char *what, wadi_error *err) {
    size_t got = 0;
    WADI_TRY(flac_bytes_read(b, to, n, &got, err));
    if (got == n) return WADI_OK;
    return wadi_fail(err, WADI_IO, "%s: truncated: it ends at byte %lld, within %s", b->path,
                     (long long)b->at, what);
}

wadi_status flac_bytes_skip(flac_bytes *b, int64_t n, wadi_error *err) {
    char piece[4096];
    while (n > 0) {
        size_t got = 0;
        const size_t want = n < (int64_t)sizeof piece ? (size_t)n : sizeof piece;
        WADI_TRY(flac_bytes_read(b, piece, want, &got, err));
        if (got < want) return WADI_OK;
        n -= (int64_t)got;
    }
    return WADI_OK;
}

void flac_bytes_rewind(flac_bytes *b) {
    WADI_ASSERT(b->keeping);
    b->at = 0;
}

void flac_bytes_forget(flac_bytes *b) {
    b->keeping = false;
    if ((uint64_t)b->at >= b->kept.n) wadi_text_fini(&b->kept);
}

/* ---- as a file ---- */

enum { LOOK_AT = 1 << 20 };

static const char copying[] = "copying standard input to a temporary file failed";

/* Moves *at behind the ID3v2 tags that begin there, as far as they are copied: pictures make them long, and what they hold is no sound. */
static void pass_tags(const flac_bytes *b, int64_t *at) {
    uint8_t head[10];
    while (*at + (int64_t)sizeof head <= b->at &&
           pread(fileno(b->copy), head, sizeof head, *at) == (ssize_t)sizeof head &&
           memcmp(head, "ID3", 3) == 0) {
        *at += (int64_t)sizeof head + flac_id3_length(head + 6);
    }
}

/* What is copied so far, when there is a MiB of it behind the tags; *begin: where those ended before. */
static wadi_status look_at_copy(const flac_bytes *b, flac_look look, int64_t *begin,
                                int64_t *look_at, wadi_error *err) {
    if (b->at < *look_at) return WADI_OK;
    if (fflush(b->copy) != 0) return failed(b, copying, err);
    pass_tags(b, begin);
    if (*begin > KEEP_MOST)
        return wadi_fail(err, WADI_UNSUPPORTED, "%s: more than 1 GiB precedes the sound", b->path);
    *look_at = *begin + LOOK_AT;
    if (b->at < *look_at) return WADI_OK;
    *look_at = INT64_MAX;
    return look(b->copy_path, b->path, err);
}

static wadi_status copy_rest(flac_bytes *b, flac_look look, wadi_error *err) {
    char piece[4096];
    size_t got = sizeof piece;
    int64_t begin = 0, look_at = LOOK_AT;
    b->copy = tmpfile();
    if (b->copy == NULL) return failed(b, copying, err);
    (void)snprintf(b->copy_path, sizeof b->copy_path, "/dev/fd/%d", fileno(b->copy));
    b->at = 0;
    while (got == sizeof piece) {
        WADI_TRY(flac_bytes_read(b, piece, sizeof piece, &got, err));
        if ((uint64_t)b->at >= b->kept.n) flac_bytes_forget(b);
        if (fwrite(piece, 1, got, b->copy) != got) return failed(b, copying, err);
        if (got == sizeof piece) WADI_TRY(look_at_copy(b, look, &begin, &look_at, err));
    }
    return fflush(b->copy) == 0 ? WADI_OK : failed(b, copying, err);
}

wadi_status flac_bytes_as_file(flac_bytes *b, flac_look look, const char **out_path,
                               wadi_error *err) {
    WADI_ASSERT(b->keeping);
    if (b->size >= 0 && !b->is_stdin) {
        *out_path = b->path;
        return WADI_OK;
    }
    if (b->size < 0)
        WADI_TRY(copy_rest(b, look, err));
    else
        (void)snprintf(b->copy_path, sizeof b->copy_path, "/dev/fd/%d", b->fd);
    *out_path = b->copy_path;
    return WADI_OK;
}
