/* Temporary files that take their name when they are complete. The lock is held until then, because a file with a temporary
 * name must have an owner. */
#define _GNU_SOURCE /* memfd_create, renameat2 */
#include "base/outfile.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/claim.h"
#include "base/destination.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/io.h"
#include "base/random.h"
#include "base/retry.h"

enum {
    ROOM = 1 << 16, /* of the buffer */
    STEM =
        100, /* characters of the name with which the temporary name begins; some file systems allow only 143 in all */
    LONGEST_KEPT = 133, /* the same limit less ".wadi-kept" */
    DIGITS = 8,
    TRIES = 100,
    KEPT_FREE = 3 /* 0 to 2 belong to the standard streams */
};
static const char ending[] = ".wadi-part", lasting[] = ".wadi-kept";

typedef struct temporary_name {
    char text[NAME_MAX + 1];
} temporary_name;

struct wadi_outfile {
    char *path; /* as the caller gave it, for messages */
    wadi_outfile_options options;
    wadi_destination to;
    int fd; /* what is written: the temporary file, the stream, or memory whose contents go to the stream at the end */
    temporary_name name; /* empty: there is no temporary file */
    char *opened_as;     /* a path by which others may open fd; NULL: none */
    off_t
        begin; /* position of byte 0 in a stream, which may be a file that somebody has written into */
    bool rewritable;
    bool begun;       /* of a file that lasts: what an earlier process has left is dealt with */
    bool stays;       /* likewise: somebody may go on with it, so it is not removed */
    bool done;        /* likewise: it has its name */
    wadi_retry retry; /* of writes */
    int64_t bytes;
    size_t held; /* bytes in the buffer */
    unsigned char buffer[ROOM];
};

/* ---- temporary names ---- */

static size_t stem_of(const char *name) {
    const size_t n = strlen(name);
    return n < STEM ? n : STEM;
}

bool wadi_outfile_is_temporary(const char *name) {
    const size_t n = strlen(name), end = sizeof ending - 1, tail = 1 + DIGITS + end;
    return n > tail && name[n - tail] == '.' && strcmp(name + n - end, ending) == 0 &&
           strspn(name + n - tail + 1, "0123456789abcdef") == DIGITS;
}

static bool is_temporary_of(const char *name, const char *of) {
    const size_t stem = stem_of(of);
    return wadi_outfile_is_temporary(name) && strncmp(name, of, stem) == 0 &&
           strlen(name) == stem + 1 + DIGITS + sizeof ending - 1;
}

static bool invent_name(const char *of, temporary_name *out) {
    uint32_t number;
    if (!wadi_random_bytes(&number, sizeof number)) return false;
    (void)snprintf(out->text, sizeof out->text, "%.*s.%08x%s", (int)stem_of(of), of,
                   (unsigned)number, ending);
    return true;
}

/* Removes the temporary files that nobody owns: those for the name `of`, or all if it is NULL. If the folder cannot be listed,
 * nothing is removed. Returns how many. */
static int sweep(int folder, const char *of) {
    const int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
    int removed = 0;
    if (d == NULL) {
        if (fd >= 0) (void)close(fd);
        return 0;
    }
    for (const struct dirent *e = readdir(d); e != NULL; e = readdir(d)) {
        const bool fits =
            of != NULL ? is_temporary_of(e->d_name, of) : wadi_outfile_is_temporary(e->d_name);
        if (fits && wadi_claim_remove(fd, e->d_name)) removed++;
    }
    (void)closedir(d);
    return removed;
}

void wadi_outfile_remove(const char *path) {
    struct stat about;
    wadi_destination to;
    if (stat(path, &about) != 0 || !S_ISREG(about.st_mode)) return; /* finding a FIFO would wait */
    if (wadi_destination_find(path, &to, NULL) == WADI_OK && to.stream < 0)
        (void)unlinkat(to.folder, to.name, 0);
    wadi_destination_fini(&to);
}

int wadi_outfile_sweep(const char *folder) {
    const int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return 0;
    const int removed = sweep(fd, NULL);
    (void)close(fd);
    return removed;
}

/* ---- opening ---- */

static int above_standard(int fd) {
    if (fd < 0 || fd >= KEPT_FREE) return fd;
    const int higher = fcntl(fd, F_DUPFD_CLOEXEC, KEPT_FREE), reason = errno;
    (void)close(fd);
    errno = reason;
    return higher;
}

/* One try to make a temporary file that we own. -1 with EEXIST: try another name. If the file will replace another one, only its
 * owner may read it until it gets the permissions of that file. */
static int make_file(wadi_outfile *f) {
    const mode_t mode = f->options.mode != 0 || f->to.exists ? 0600 : 0666;
    if (!invent_name(f->to.name, &f->name)) return -1;
    const int fd = above_standard(
        openat(f->to.folder, f->name.text, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode));
    if (fd < 0) return -1;
    if (wadi_claim_file(fd, f->to.folder, f->name.text) != WADI_CLAIM_LOST) return fd;
    (void)close(fd);
    errno = EEXIST;
    return -1;
}

/* The name of the file that lasts: NAME.wadi-kept, found by the name alone. A name that leaves no room for that is cut, and a digest tells it from others
 * that begin so. False: no memory. */
static bool lasting_name(const char *of, temporary_name *out) {
    uint8_t digest[32];
    char digits[2 * sizeof digest + 1];
    if (strlen(of) <= LONGEST_KEPT) {
        (void)snprintf(out->text, sizeof out->text, "%s%s", of, lasting);
        return true;
    }
    if (wadi_blake2b(of, strlen(of), digest) != WADI_OK) return false;
    wadi_hex(digest, sizeof digest, digits);
    (void)snprintf(out->text, sizeof out->text, "%.*s.%.*s%s", (int)stem_of(of), of, 2 * DIGITS,
                   digits, lasting);
    return true;
}

bool wadi_outfile_lasts_in(int folder, const char *name) {
    temporary_name whole;
    struct stat there;
    return lasting_name(name, &whole) &&
           fstatat(folder, whole.text, &there, AT_SYMLINK_NOFOLLOW) == 0;
}

static bool is_locked(int fd, int folder, const char *name) {
    return wadi_claim_file(fd, folder, name) == WADI_CLAIM_LOST;
}

static wadi_status open_lasting(wadi_outfile *f, wadi_error *err) {
    struct stat there;
    const mode_t mode = f->options.mode != 0 || f->to.exists ? 0600 : 0666;
    if (!lasting_name(f->to.name, &f->name)) {
        f->name.text[0] = '\0';
        return wadi_fail(err, WADI_MEMORY, "%s: out of memory", f->path);
    }
    f->fd = above_standard(
        openat(f->to.folder, f->name.text, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, mode));
    f->stays = true;
    if (f->fd < 0)
        return wadi_fail_errno(err, errno, "%s: cannot open %s beside it", f->path, f->name.text);
    if (is_locked(f->fd, f->to.folder, f->name.text))
        return wadi_fail(err, WADI_IO, "%s: another process is writing %s", f->path, f->name.text);
    f->stays = fstat(f->fd, &there) != 0 || there.st_size > 0;
    f->rewritable = true;
    return WADI_OK;
}

static wadi_status open_temporary(wadi_outfile *f, wadi_error *err) {
    if (f->to.exists && f->options.only_new)
        return wadi_fail(err, WADI_INVALID, "%s: exists", f->path);
    if (f->options.lasts) return open_lasting(f, err);
    (void)sweep(f->to.folder, f->to.name);
    errno = EEXIST;
    for (int i = 0; i < TRIES && f->fd < 0 && errno == EEXIST; i++) f->fd = make_file(f);
    if (f->fd < 0) {
        f->name.text[0] = '\0';
        return wadi_fail_errno(err, errno, "%s: cannot write beside it", f->path);
    }
    f->rewritable = true;
    const size_t n = (size_t)(f->to.name - f->to.path), room = n + sizeof f->name.text;
    f->opened_as = malloc(room);
    if (f->opened_as == NULL) return wadi_fail(err, WADI_MEMORY, "%s: out of memory", f->path);
    (void)snprintf(f->opened_as, room, "%.*s%s", (int)n, f->to.path, f->name.text);
    return WADI_OK;
}

static wadi_status open_memory(wadi_outfile *f, wadi_error *err) {
    enum { NAME = 32 };
    f->fd = memfd_create("wadi-stream", MFD_CLOEXEC);
    f->opened_as = malloc(NAME);
    if (f->fd < 0) return wadi_fail_errno(err, errno, "%s: no memory to collect it in", f->path);
    if (f->opened_as == NULL) return wadi_fail(err, WADI_MEMORY, "%s: out of memory", f->path);
    (void)snprintf(f->opened_as, NAME, "/proc/self/fd/%d", f->fd);
    f->rewritable = true;
    return WADI_OK;
}

/* A stream can be rewritten if it is a regular file (`program > file`) that is not opened for appending. */
static void examine_stream(wadi_outfile *f) {
    struct stat about;
    f->fd = f->to.stream;
    f->begin = lseek(f->fd, 0, SEEK_CUR);
    f->rewritable = f->begin >= 0 && fstat(f->fd, &about) == 0 && S_ISREG(about.st_mode) &&
                    (fcntl(f->fd, F_GETFL) & O_APPEND) == 0;
}

static wadi_status open_any(wadi_outfile *f, wadi_error *err) {
    WADI_TRY(wadi_destination_find(f->path, &f->to, err));
    if (f->to.stream < 0) return open_temporary(f, err);
    if (f->options.lasts)
        return wadi_fail(err, WADI_UNSUPPORTED, "%s: is no file, so nothing of it can be kept",
                         f->path);
    if (f->options.goes_back) return open_memory(f, err);
    examine_stream(f);
    return WADI_OK;
}

wadi_status wadi_outfile_open(const char *path, const wadi_outfile_options *options,
                              wadi_outfile **out, wadi_error *err) {
    wadi_outfile *f = calloc(1, sizeof *f);
    if (f == NULL) return wadi_fail(err, WADI_MEMORY, "%s: out of memory", path);
    f->fd = -1;
    f->to = (wadi_destination){.stream = -1, .folder = -1};
    if (options != NULL) f->options = *options;
    f->path = strdup(path);
    const wadi_status status =
        f->path != NULL ? open_any(f, err) : wadi_fail(err, WADI_MEMORY, "out of memory");
    if (status != WADI_OK) {
        wadi_outfile_discard(f);
        return status;
    }
    *out = f;
    return WADI_OK;
}

/* ---- files that last ---- */

wadi_status wadi_outfile_go_on(wadi_outfile *f, int64_t bytes, bool ended, wadi_error *err) {
    struct stat there, named;
    WADI_ASSERT(f->options.lasts && !f->begun && f->bytes == 0);
    if (fstat(f->fd, &there) != 0) return wadi_fail_errno(err, errno, "%s", f->path);
    f->done = ended && there.st_size == 0 && bytes > 0 &&
              fstatat(f->to.folder, f->to.name, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
              S_ISREG(named.st_mode) && named.st_size == bytes;
    f->begun = true;
    f->bytes = bytes;
    if (f->done) return WADI_OK;
    if (there.st_size == 0 && bytes > 0)
        return wadi_fail(
            err, WADI_IO,
            "%s: %lld bytes of it were saved, but there is no %s, or nothing in it: it "
            "was removed, or the run had another output",
            f->path, (long long)bytes, f->name.text);
    if (there.st_size < bytes)
        return wadi_fail(err, WADI_IO, "%s: %s has %lld bytes, and %lld were saved", f->path,
                         f->name.text, (long long)there.st_size, (long long)bytes);
    f->stays = true;
    if (ftruncate(f->fd, (off_t)bytes) == 0 && lseek(f->fd, (off_t)bytes, SEEK_SET) == bytes)
        return WADI_OK;
    return wadi_fail_errno(err, errno, "%s: %s", f->path, f->name.text);
}

/* Before the first bytes, if there are any: nobody goes on with what an earlier process has left. */
static wadi_status begin_lasting(wadi_outfile *f, wadi_error *err) {
    if (!f->options.lasts || f->begun) return WADI_OK;
    f->begun = true;
    if (ftruncate(f->fd, 0) == 0) return WADI_OK;
    return wadi_fail_errno(err, errno, "%s: %s", f->path, f->name.text);
}

/* ---- writing ---- */

/* Writes all n bytes at that position. False: errno says why, and *done how many bytes were written. */
static bool write_at(int fd, const unsigned char *data, size_t n, off_t at, size_t *done) {
    for (*done = 0; *done < n;) {
        const ssize_t put = pwrite(fd, data + *done, n - *done, at + (off_t)*done);
        if (put > 0) *done += (size_t)put;
        if (put == 0) errno = ENOSPC; /* no error and no progress: no disk does so with room left */
        if (put == 0 || (put < 0 && errno != EINTR)) return false;
    }
    return true;
}

static wadi_status write_failed(const wadi_outfile *f, int64_t at, wadi_error *err) {
    return wadi_fail_errno(err, errno, "%s: writing failed at byte %lld", f->path, (long long)at);
}

static wadi_status write_now(wadi_outfile *f, const unsigned char *data, size_t n,
                             wadi_error *err) {
    const int64_t at = f->bytes - (int64_t)f->held;
    wadi_error why = {.status = WADI_OK};
    WADI_TRY(begin_lasting(f, err));
    for (size_t all = 0;;) {
        size_t done = 0;
        const bool written = wadi_io_write(f->fd, data + all, n - all, f->path, &done);
        all += done;
        if (written) break;
        const wadi_status status = write_failed(f, at + (int64_t)all, &why);
        if (err != NULL) *err = why;
        if (status != WADI_IO || wadi_outfile_is_stream(f) ||
            !wadi_retry_wait(&f->retry, f->path, why.msg))
            return status;
    }
    wadi_retry_well(&f->retry);
    return WADI_OK;
}

void wadi_outfile_try_again(wadi_outfile *f, wadi_retry how) {
    f->retry = how;
}

wadi_status wadi_outfile_flush(wadi_outfile *f, wadi_error *err) {
    WADI_TRY(write_now(f, f->buffer, f->held, err));
    f->held = 0;
    return WADI_OK;
}

wadi_status wadi_outfile_write(wadi_outfile *f, const void *data, size_t n, wadi_error *err) {
    if (n > ROOM - f->held) WADI_TRY(wadi_outfile_flush(f, err));
    if (n >= ROOM) {
        WADI_TRY(write_now(f, data, n, err));
    } else if (n > 0) {
        memcpy(f->buffer + f->held, data, n);
        f->held += n;
    }
    f->bytes += (int64_t)n;
    return WADI_OK;
}

wadi_status wadi_outfile_rewrite(wadi_outfile *f, int64_t at, const void *data, size_t n,
                                 wadi_error *err) {
    size_t done = 0;
    WADI_ASSERT(f->rewritable && at + (int64_t)n <= f->bytes);
    WADI_TRY(wadi_outfile_flush(f, err));
    if (write_at(f->fd, data, n, f->begin + (off_t)at, &done)) return WADI_OK;
    return write_failed(f, at + (int64_t)done, err);
}

bool wadi_outfile_can_rewrite(const wadi_outfile *f) {
    return f->rewritable;
}

bool wadi_outfile_is_stream(const wadi_outfile *f) {
    return f->to.stream >= 0;
}

int64_t wadi_outfile_bytes(const wadi_outfile *f) {
    return f->bytes;
}

const char *wadi_outfile_name(const wadi_outfile *f) {
    return f->opened_as;
}

/* ---- ending ---- */

/* Like rename, but does not replace a file: -1 with EEXIST. */
static int rename_to_new(int folder, const char *from, const char *to) {
    struct stat about;
    if (renameat2(folder, from, folder, to, RENAME_NOREPLACE) == 0) return 0;
    if (errno != EINVAL && errno != ENOSYS) return -1; /* else the file system cannot do so */
    if (linkat(folder, from, folder, to, 0) == 0) return unlinkat(folder, from, 0);
    if (errno == EEXIST) return -1;
    if (fstatat(folder, to, &about, AT_SYMLINK_NOFOLLOW) == 0) {
        errno = EEXIST;
        return -1;
    }
    return renameat(folder, from, folder, to);
}

/* Closes a duplicate, because a network file system may report only at close() that there was no room. The descriptor with the
 * lock stays open. */
static bool close_copy(int fd) {
    const int copy = fcntl(fd, F_DUPFD_CLOEXEC, KEPT_FREE);
    return copy >= 0 ? close(copy) == 0 : fsync(fd) == 0 || errno == EINVAL;
}

static bool sync_folder(int folder) {
    const int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return errno == EACCES; /* it may be written, not read: then nothing more can be done */
    const bool synced =
        fsync(fd) == 0 || errno == EINVAL; /* some file systems have no such thing */
    const int reason = errno;
    (void)close(fd);
    errno = reason;
    return synced;
}

wadi_status wadi_outfile_save(wadi_outfile *f, wadi_error *err) {
    WADI_ASSERT(f->options.lasts);
    if (f->done) return WADI_OK;
    WADI_TRY(wadi_outfile_flush(f, err));
    f->stays = true;
    if (fsync(f->fd) == 0 && sync_folder(f->to.folder)) return WADI_OK;
    return wadi_fail_errno(err, errno, "%s: %s cannot be forced onto the disk", f->path,
                           f->name.text);
}

/* What an earlier process has left stays as long as it is whole. */
void wadi_outfile_unsave(wadi_outfile *f) {
    WADI_ASSERT(f->options.lasts);
    if (f->begun) f->stays = false;
}

bool wadi_outfile_sync_name(const char *path) {
    const char *name = strrchr(path, '/');
    const size_t n = name == NULL ? 0 : name == path ? 1 : (size_t)(name - path);
    char *folder = n > 0 ? strndup(path, n) : strdup(".");
    const int fd = folder != NULL ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    const bool synced = fd >= 0 ? sync_folder(fd) : errno == EACCES;
    const int reason = errno;
    if (fd >= 0) (void)close(fd);
    free(folder);
    errno = reason;
    return synced;
}

/* Takes owner and permissions from the old file. The owner comes first, because changing it clears permissions. Failures do not
 * matter: some file systems have neither. */
static void take_after(const wadi_outfile *f, const struct stat *old) {
    struct stat mine;
    if (fstat(f->fd, &mine) != 0) return;
    const bool same = mine.st_uid == old->st_uid && mine.st_gid == old->st_gid;
    if (!same && fchown(f->fd, old->st_uid, old->st_gid) != 0) errno = 0;
    if (fchmod(f->fd, old->st_mode & 07777) != 0) errno = 0;
}

/* Replaces what has the name, if it is a regular file. */
static bool replace(wadi_outfile *f, bool *synced) {
    struct stat there;
    const int folder = f->to.folder;
    const bool known = fstatat(folder, f->to.name, &there, AT_SYMLINK_NOFOLLOW) == 0;
    if (known && !S_ISREG(there.st_mode)) {
        errno = EEXIST;
        return false;
    }
    if (known && f->options.mode == 0) take_after(f, &there);
    *synced = f->options.sync != WADI_SYNC_NEVER;
    return (!*synced || fsync(f->fd) == 0) &&
           renameat(folder, f->name.text, folder, f->to.name) == 0;
}

static wadi_status give_name(wadi_outfile *f, wadi_error *err) {
    if (f->done) return WADI_OK;
    const bool always = f->options.sync == WADI_SYNC_ALWAYS;
    bool synced = always, named = false;
    const bool ready = (f->options.mode == 0 || fchmod(f->fd, (mode_t)f->options.mode) == 0) &&
                       (always ? fsync(f->fd) == 0 : close_copy(f->fd));
    if (!ready) return wadi_fail_errno(err, errno, "%s: cannot be completed", f->path);
    if (f->options.mode == 0 && f->to.exists) take_after(f, &f->to.about);
    named = rename_to_new(f->to.folder, f->name.text, f->to.name) == 0;
    if (!named && errno == EEXIST) {
        if (f->options.only_new) return wadi_fail(err, WADI_INVALID, "%s: exists", f->path);
        named = replace(f, &synced);
    }
    if (!named) return wadi_fail_errno(err, errno, "%s: cannot take this name", f->path);
    f->name.text[0] = '\0';
    if (synced && !sync_folder(f->to.folder))
        return wadi_fail_errno(err, errno, "%s: is written, but its folder not synced", f->path);
    return WADI_OK;
}

/* Writes what was collected in memory to the stream. */
static wadi_status pour(wadi_outfile *f, wadi_error *err) {
    int64_t at = 0;
    for (;;) {
        size_t done = 0;
        const ssize_t n = pread(f->fd, f->buffer, ROOM, (off_t)at);
        if (n < 0 && errno == EINTR) continue;
        if (n == 0) return WADI_OK;
        if (n < 0 || !wadi_io_write(f->to.stream, f->buffer, (size_t)n, f->path, &done))
            return write_failed(f, at + (int64_t)done, err);
        at += n;
    }
}

static wadi_status end_stream(wadi_outfile *f, wadi_error *err) {
    if (f->fd != f->to.stream) WADI_TRY(pour(f, err));
    const bool complete = f->options.sync != WADI_SYNC_ALWAYS || fsync(f->to.stream) == 0 ||
                          errno == EINVAL || errno == EROFS || errno == ENOTSUP;
    if (complete && close_copy(f->to.stream)) return WADI_OK;
    return wadi_fail_errno(err, errno, "%s: cannot be completed", f->path);
}

wadi_status wadi_outfile_keep(wadi_outfile *owned_f, wadi_error *err) {
    wadi_outfile *f = owned_f;
    wadi_status status = wadi_outfile_flush(f, err);
    if (status == WADI_OK)
        status = wadi_outfile_is_stream(f) ? end_stream(f, err) : give_name(f, err);
    wadi_outfile_discard(f);
    return status;
}

void wadi_outfile_discard(wadi_outfile *owned_f) {
    wadi_outfile *f = owned_f;
    if (f == NULL) return;
    if (f->name.text[0] != '\0' && !f->stays) (void)unlinkat(f->to.folder, f->name.text, 0);
    if (f->fd >= 0 && f->fd != f->to.stream) (void)close(f->fd);
    wadi_destination_fini(&f->to);
    free(f->opened_as);
    free(f->path);
    free(f);
}

wadi_status wadi_outfile_finish(wadi_outfile **f, bool sync, wadi_error *err) {
    wadi_outfile *file = *f;
    *f = NULL;
    if (sync) file->options.sync = WADI_SYNC_ALWAYS;
    return wadi_outfile_keep(file, err);
}

void wadi_outfile_give_up(wadi_outfile **f) {
    wadi_outfile_discard(*f);
    *f = NULL;
}

wadi_status wadi_outfile_put(const char *path, const void *data, size_t n,
                             const wadi_outfile_options *options, wadi_error *err) {
    wadi_outfile *f = NULL;
    WADI_TRY(wadi_outfile_open(path, options, &f, err));
    const wadi_status status = wadi_outfile_write(f, data, n, err);
    if (status == WADI_OK) return wadi_outfile_keep(f, err);
    wadi_outfile_discard(f);
    return status;
}
