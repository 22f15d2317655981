/* A socket's name tells whose it is. The socket of a process that was killed stays behind; nobody answers there, and whoever finds it removes it. */
#include "sched/watch/place.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/error.h"
#include "base/folder_lock.h"
#include "base/private_folder.h"
#include "base/text.h"

enum { PATIENCE_MS = 5000 };

static wadi_status find_folder(char *out, size_t room, wadi_error *err) {
    const char *xdg = getenv("XDG_RUNTIME_DIR");
    if (xdg != NULL && *xdg == '/')
        return wadi_private_folder(snprintf(out, room, "%s/wadi", xdg), out, room, false, "watch",
                                   err);
    return wadi_private_folder(snprintf(out, room, "/tmp/wadi-watch-%lu", (unsigned long)geteuid()),
                               out, room, true, "watch", err);
}

/* mark: what stands before the number. */
static wadi_status find_socket(const char *mark, int64_t pid, const char *name,
                               struct sockaddr_un *out, wadi_error *err) {
    char folder[512];
    *out = (struct sockaddr_un){.sun_family = AF_UNIX};
    WADI_TRY(find_folder(folder, sizeof folder, err));
    const int n = snprintf(out->sun_path, sizeof out->sun_path, "%s/%s%lld.%s", folder, mark,
                           (long long)pid, name);
    if (n > 0 && (size_t)n < sizeof out->sun_path) return WADI_OK;
    return wadi_fail(err, WADI_IO, "watch: %s: the path is too long for a socket", folder);
}

wadi_status wadi_watch_address(int64_t pid, const char *name, struct sockaddr_un *out,
                               wadi_error *err) {
    return find_socket("", pid, name, out, err);
}

wadi_status wadi_watch_hidden_address(int64_t pid, const char *name, struct sockaddr_un *out,
                                      wadi_error *err) {
    return find_socket(".", pid, name, out, err);
}

/* ---- who is there ---- */

static wadi_status does_not_answer(const wadi_watch_process *p, wadi_error *err) {
    return wadi_fail(err, WADI_IO, "process %lld does not answer", (long long)p->pid);
}

static wadi_status has_ended(const wadi_watch_process *p, wadi_error *err) {
    return wadi_fail(err, WADI_CANCELLED, "process %lld has ended meanwhile", (long long)p->pid);
}

/* Never waits: one that is stopped takes no more than some connections, and then there is EAGAIN. -1: errno. */
static int open_socket(const wadi_watch_process *p, wadi_error *err) {
    struct sockaddr_un at;
    if (wadi_watch_address(p->pid, p->name, &at, err) != WADI_OK) return -1;
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd >= 0 && connect(fd, (const struct sockaddr *)&at, sizeof at) == 0) return fd;
    const int why = errno;
    if (why == EAGAIN)
        (void)does_not_answer(p, err);
    else if (why == ECONNREFUSED || why == ENOENT)
        (void)has_ended(p, err);
    else
        (void)wadi_fail_errno(err, why, "process %lld", (long long)p->pid);
    if (fd >= 0) (void)close(fd);
    errno = why;
    return -1;
}

/* Its number says nothing: it may be in use by another process, or not be known here. */
static bool is_gone(const wadi_watch_process *p) {
    const int fd = open_socket(p, NULL);
    const bool gone = fd < 0 && errno == ECONNREFUSED;
    if (fd >= 0) (void)close(fd);
    return gone;
}

/* A process that begins meanwhile may have the same number. It takes the name under the same lock, so its socket is either not there yet or answers. False:
 * there is one. */
static bool forget_gone(const wadi_watch_process *p) {
    struct sockaddr_un at;
    if (wadi_watch_address(p->pid, p->name, &at, NULL) != WADI_OK) return true;
    const int lock = wadi_folder_lock(at.sun_path);
    const bool gone = is_gone(p);
    if (gone) (void)unlink(at.sun_path);
    wadi_folder_unlock(lock);
    return gone;
}

/* "123.wadi" */
static bool read_name(const char *name, wadi_watch_process *out) {
    char *end = NULL;
    errno = 0;
    out->pid = strtoll(name, &end, 10);
    if (errno != 0 || out->pid <= 0 || *end != '.' || name[0] < '0' || name[0] > '9') return false;
    return (size_t)snprintf(out->name, sizeof out->name, "%s", end + 1) < sizeof out->name;
}

static int compare(const void *a, const void *b) {
    const wadi_watch_process *x = a, *y = b;
    return x->pid < y->pid ? -1 : x->pid > y->pid;
}

wadi_status wadi_watch_processes(wadi_watch_process *out, int most, int *out_n, wadi_error *err) {
    char folder[512];
    *out_n = 0;
    WADI_TRY(find_folder(folder, sizeof folder, err));
    DIR *d = opendir(folder);
    if (d == NULL) return wadi_fail_errno(err, errno, "watch: %s", folder);
    for (const struct dirent *e; *out_n < most && (e = readdir(d)) != NULL;) {
        wadi_watch_process p = {0};
        if (!read_name(e->d_name, &p)) continue;
        if (!is_gone(&p) || !forget_gone(&p)) out[(*out_n)++] = p;
    }
    (void)closedir(d);
    qsort(out, (size_t)*out_n, sizeof *out, compare);
    return WADI_OK;
}

/* ---- asking ---- */

static wadi_status read_all(int fd, const wadi_watch_process *p, wadi_text *out, wadi_error *err) {
    for (;;) {
        char some[4096];
        struct pollfd ready = {.fd = fd, .events = POLLIN};
        const int n_ready = poll(&ready, 1, PATIENCE_MS);
        if (n_ready < 0 && errno == EINTR) return wadi_fail(err, WADI_CANCELLED, "interrupted");
        if (n_ready <= 0) return does_not_answer(p, err);
        const ssize_t n = read(fd, some, sizeof some);
        if (n < 0) return wadi_fail_errno(err, errno, "process %lld", (long long)p->pid);
        if (n == 0) return WADI_OK;
        wadi_text_add_n(out, some, (size_t)n);
        if (out->failed) return wadi_fail(err, WADI_MEMORY, "watch: out of memory");
    }
}

/* "ok" and a newline, then the answer; or the error. */
static wadi_status take_answer(const wadi_watch_process *p, const wadi_text *got, wadi_text *out,
                               wadi_error *err) {
    const char *s = wadi_text_str(got);
    if (strncmp(s, "ok\n", 3) == 0) {
        wadi_text_add(out, s + 3);
        return out->failed ? wadi_fail(err, WADI_MEMORY, "watch: out of memory") : WADI_OK;
    }
    if (strncmp(s, "error ", 6) == 0)
        return wadi_fail(err, WADI_INVALID, "%.*s", (int)strcspn(s + 6, "\n"), s + 6);
    return has_ended(p, err);
}

wadi_status wadi_watch_ask(const wadi_watch_process *p, const char *request, wadi_text *out,
                           wadi_error *err) {
    wadi_text got = {0};
    wadi_error why = {.status = WADI_OK};
    const int fd = open_socket(p, &why);
    if (fd < 0 && err != NULL) *err = why;
    if (fd < 0) return why.status;
    const size_t n = strlen(request);
    wadi_status st = WADI_OK;
    if (send(fd, request, n, MSG_NOSIGNAL) != (ssize_t)n || send(fd, "\n", 1, MSG_NOSIGNAL) != 1)
        st = wadi_fail_errno(err, errno, "process %lld", (long long)p->pid);
    if (st == WADI_OK) st = read_all(fd, p, &got, err);
    if (st == WADI_OK) st = take_answer(p, &got, out, err);
    (void)close(fd);
    wadi_text_fini(&got);
    return st;
}
