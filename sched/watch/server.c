/* One connection after the other: a line is read, an answer is written, and the connection is closed. Whoever connects and is silent, or does not read,
 * holds up others who watch for a second, and never the run. The folder lets only the user's own processes in. */
#define _GNU_SOURCE /* accept4 */
#include "sched/watch/server.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/folder_lock.h"
#include "base/stop.h"
#include "base/thread.h"
#include "sched/watch/answer.h"
#include "sched/watch/place.h"

enum { PATIENCE_MS = 1000, MOST = 256 };

struct wadi_watch_server {
    char process[48];
    struct sockaddr_un hidden, at; /* where it is bound, and where it is found */
    int fd, stop_fd;
    bool bound, found, has_stop;
    ino_t
        inode; /* of the socket: a process in another container may have the same number, and its socket this name later */
    wadi_stop stop;
    wadi_thread thread;
};

/* False: the server is to stop, or `patience` is over. */
static bool wait_for(const wadi_watch_server *s, int fd, short events, int patience_ms) {
    struct pollfd ready[] = {{.fd = s->stop_fd, .events = POLLIN}, {.fd = fd, .events = events}};
    for (;;) {
        const int n = poll(ready, 2, patience_ms);
        if (n < 0 && errno == EINTR) continue;
        return n > 0 && ready[0].revents == 0;
    }
}

/* A line without its end. False: none came in time. */
static bool read_line(const wadi_watch_server *s, int fd, char line[MOST]) {
    size_t n = 0;
    const int64_t until = wadi_clock_ns() + (int64_t)PATIENCE_MS * 1000000;
    while (n < MOST - 1) {
        const int64_t left = until - wadi_clock_ns();
        if (left <= 0 || !wait_for(s, fd, POLLIN, (int)(left / 1000000) + 1)) return false;
        const ssize_t got = recv(fd, line + n, 1, MSG_DONTWAIT);
        if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) return false;
        if (got < 0) continue;
        if (line[n] == '\n' || line[n] == '\0') {
            line[n] = '\0';
            return true;
        }
        n++;
    }
    return false;
}

static void write_all(const wadi_watch_server *s, int fd, const char *at, size_t n) {
    while (n > 0 && wait_for(s, fd, POLLOUT, PATIENCE_MS)) {
        const ssize_t put = send(fd, at, n, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (put < 0 && errno != EAGAIN && errno != EINTR) return;
        if (put > 0) at += put;
        if (put > 0) n -= (size_t)put;
    }
}

static void serve(const wadi_watch_server *s, int fd) {
    char line[MOST];
    wadi_text out = {0};
    wadi_error err = {0};
    if (!read_line(s, fd, line)) return;
    wadi_text_add(&out, "ok\n");
    if (wadi_watch_answer(s->process, line, &out, &err) != WADI_OK) {
        wadi_text_clear(&out);
        wadi_text_addf(&out, "error %s\n", err.msg);
    }
    write_all(s, fd, wadi_text_str(&out), out.n);
    wadi_text_fini(&out);
}

static void work(void *env) {
    const wadi_watch_server *s = env;
    while (wait_for(s, s->fd, POLLIN, -1)) {
        const int fd = accept4(s->fd, NULL, NULL, SOCK_CLOEXEC);
        if (fd < 0) { /* no descriptors are left, perhaps: not at once again */
            (void)wait_for(s, -1, 0, PATIENCE_MS);
            continue;
        }
        serve(s, fd);
        (void)close(fd);
    }
}

/* ---- life ---- */

static void give_up_name(const wadi_watch_server *s) {
    const char *path = s->found ? s->at.sun_path : s->hidden.sun_path;
    struct stat about;
    const int lock = wadi_folder_lock(path);
    if (stat(path, &about) == 0 && about.st_ino == s->inode) (void)unlink(path);
    wadi_folder_unlock(lock);
}

/* A socket that is bound and does not listen yet refuses connections, like one whose process is gone, and whoever looked just then would remove it. So it gets
 * its name when it listens. False: errno. */
static bool take_name(wadi_watch_server *s) {
    struct stat about = {0};
    (void)unlink(s->hidden.sun_path); /* of a process that had this number */
    s->bound = bind(s->fd, (const struct sockaddr *)&s->hidden, sizeof s->hidden) == 0;
    if (s->bound && stat(s->hidden.sun_path, &about) == 0) s->inode = about.st_ino;
    s->found = s->bound && listen(s->fd, 8) == 0 && rename(s->hidden.sun_path, s->at.sun_path) == 0;
    return s->found;
}

/* Whoever removes the socket of a process that is gone takes the lock, too (place.c), and so does a process in another container that has the same number. Who has
 * waited for it in vain goes on without it. */
static wadi_status listen_there(wadi_watch_server *s, wadi_error *err) {
    WADI_TRY(wadi_watch_address(getpid(), s->process, &s->at, err));
    WADI_TRY(wadi_watch_hidden_address(getpid(), s->process, &s->hidden, err));
    s->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (s->fd < 0) return wadi_fail_errno(err, errno, "watch");
    const int lock = wadi_folder_lock(s->at.sun_path);
    const bool taken = take_name(s);
    const int why = errno;
    wadi_folder_unlock(lock);
    return taken ? WADI_OK : wadi_fail_errno(err, why, "watch: %s", s->at.sun_path);
}

static wadi_status open_all(wadi_watch_server *s, wadi_error *err) {
    WADI_TRY(listen_there(s, err));
    WADI_TRY(wadi_stop_init(&s->stop, NULL, err));
    s->has_stop = true;
    WADI_TRY(wadi_stop_fd(&s->stop, &s->stop_fd, err));
    return wadi_thread_start(&s->thread, work, s, err);
}

wadi_status wadi_watch_server_create(const char *process, wadi_watch_server **out,
                                     wadi_error *err) {
    wadi_watch_server *s = calloc(1, sizeof *s);
    if (s == NULL) return wadi_fail(err, WADI_MEMORY, "watch: out of memory");
    s->fd = -1;
    (void)snprintf(s->process, sizeof s->process, "%s", process);
    const wadi_status status = open_all(s, err);
    if (status == WADI_OK)
        *out = s;
    else
        wadi_watch_server_destroy(s);
    return status;
}

void wadi_watch_server_destroy(wadi_watch_server *s) {
    if (s == NULL) return;
    if (s->has_stop) wadi_stop_call(&s->stop);
    wadi_thread_join(&s->thread);
    if (s->bound) give_up_name(s);
    if (s->fd >= 0) (void)close(s->fd);
    if (s->has_stop) wadi_stop_fini(&s->stop);
    free(s);
}
