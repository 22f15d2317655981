/* poll() waits for the descriptor and for the task's stop together; then one call that does not block reads or writes. A
 * reader takes what is there. A pipe that is writable has room for PIPE_BUF bytes. Files are always ready, so they are not
 * polled. */
#define _GNU_SOURCE /* O_PATH */
#include "base/io.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/task.h"

static bool cancelled(void) {
    if (!wadi_task_stopped()) return false;
    errno = ECANCELED;
    return true;
}

/* 1: ready. 0: not within the time. -1: failed or cancelled, errno says why. */
static int look(int fd, short events, int timeout_ms) {
    struct pollfd p[2] = {{.fd = fd, .events = events}, {.fd = -1, .events = POLLIN}};
    if (timeout_ms != 0) p[1].fd = wadi_task_stop_fd();
    const int n = poll(p, 2, timeout_ms);
    if (cancelled()) return -1;
    if (n < 0) return errno == EINTR ? 0 : -1;
    return p[0].revents != 0;
}

bool wadi_io_wait(int fd, short events, const char *name) {
    int ready = look(fd, events, 0);
    if (ready != 0) return ready > 0;
    const int ticket = wadi_task_wait(events & POLLOUT ? "room" : "bytes", -1, name);
    while (ready == 0) ready = look(fd, events, -1);
    const int why = errno;
    wadi_task_go_on(ticket);
    errno = why;
    return ready > 0;
}

bool wadi_io_is_closed(int fd) {
    const int flags = fcntl(fd, F_GETFL);
    return flags < 0 || (flags & O_PATH) != 0;
}

/* Whether the path is another name of a standard stream, as /dev/stdin, that is closed. */
static bool names_closed(const char *path) {
    static const char *const names[][3] = {{"/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"},
                                           {"/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"},
                                           {"/dev/stderr", "/dev/fd/2", "/proc/self/fd/2"}};
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        for (int i = 0; i < 3; i++)
            if (strcmp(path, names[fd][i]) == 0) return wadi_io_is_closed(fd);
    return false;
}

wadi_status wadi_io_check_stdin(wadi_error *err) {
    return wadi_io_is_closed(STDIN_FILENO) ? wadi_fail(err, WADI_IO, "standard input: is closed")
                                           : WADI_OK;
}

wadi_status wadi_io_check_end(const char *name, int64_t had, int64_t taken, int64_t now,
                              wadi_error *err) {
    if (taken >= had || now >= had) return WADI_OK;
    return wadi_fail(err, WADI_IO, "%s: had %lld bytes, and %lld when it was read to its end", name,
                     (long long)had, (long long)now);
}

/* Files and block devices: reading or writing them never blocks for long. */
static bool is_file(int fd) {
    struct stat about;
    return fstat(fd, &about) == 0 && (S_ISREG(about.st_mode) || S_ISBLK(about.st_mode));
}

ssize_t wadi_io_read(int fd, void *to, size_t n, const char *name) {
    enum { MOST = 1 << 30 };
    for (;;) {
        if (!wadi_io_wait(fd, POLLIN, name)) return -1;
        const ssize_t got = read(fd, to, n < MOST ? n : MOST);
        if (got >= 0 || (errno != EINTR && errno != EAGAIN)) return got;
    }
}

size_t wadi_io_read_full(int fd, void *to, size_t n, const char *name, bool *out_failed) {
    size_t have = 0;
    ssize_t got = 1;
    while (have < n && got > 0) {
        got = wadi_io_read(fd, (char *)to + have, n - have, name);
        if (got > 0) have += (size_t)got;
    }
    *out_failed = got < 0;
    return have;
}

bool wadi_io_write(int fd, const void *data, size_t n, const char *name, size_t *out_done) {
    enum { FILE_MOST = 1 << 24 };
    const bool file = is_file(fd);
    const size_t most = file ? FILE_MOST : PIPE_BUF;
    for (*out_done = 0; *out_done < n;) {
        const size_t left = n - *out_done;
        if (file ? cancelled() : !wadi_io_wait(fd, POLLOUT, name)) return false;
        const ssize_t put = write(fd, (const char *)data + *out_done, left < most ? left : most);
        if (put > 0) *out_done += (size_t)put;
        if (put == 0) errno = ENOSPC; /* no error and no progress: no disk does so with room left */
        if (put == 0 || (put < 0 && errno != EINTR && errno != EAGAIN)) return false;
    }
    return true;
}

static void make_blocking(int fd) {
    const int flags = fcntl(fd, F_GETFL);
    if (flags >= 0) (void)fcntl(fd, F_SETFL, flags & ~O_NONBLOCK);
}

int wadi_io_stat(const char *path, struct stat *out) {
    if (!names_closed(path)) return stat(path, out);
    errno = EBADF;
    return -1;
}

int wadi_io_open(const char *path) {
    if (names_closed(path)) {
        errno = EBADF;
        return -1;
    }
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd >= 0) make_blocking(fd);
    return fd;
}

int wadi_io_open_output(const char *path, int more) {
    enum { LOOK_MS = 20 };
    int ticket = -1, fd = -1;
    bool waits = false;
    for (;;) {
        fd = open(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | more);
        if (fd >= 0 || errno != ENXIO || cancelled()) break;
        if (!waits) ticket = wadi_task_wait("a reader", -1, path);
        waits = true;
        if (look(-1, 0, LOOK_MS) < 0) break;
    }
    const int why = errno;
    if (waits) wadi_task_go_on(ticket);
    if (fd >= 0) make_blocking(fd);
    errno = why;
    return fd;
}
