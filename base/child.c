/* Starting and ending child processes.
 *
 * The child is started as posix_spawn does it: it shares the caller's memory until it has become the other program. So nothing
 * is copied, and no handler of pthread_atfork runs. posix_spawn itself cannot ask for the child to end with its parent. Under
 * the thread sanitizer, posix_spawn is used all the same. The sanitizer takes every clone for a fork and changes its state,
 * which both share, in the child; the parent then misses races and cannot start threads. */
#if defined(__has_feature)
#define HAS_FEATURE(f) __has_feature(f)
#else
#define HAS_FEATURE(f) 0
#endif
#if defined(__linux__) && !defined(__SANITIZE_THREAD__) && !HAS_FEATURE(thread_sanitizer)
#define CLONES
#define _GNU_SOURCE /* clone */
#include <sched.h>
#include <sys/prctl.h>
#endif
#include "base/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/task.h"

extern char **environ;

typedef struct running {
    const wadi_child *c;
    pid_t pid;
    int to, from; /* the pipe for its output: the end it writes to, and the end that we read */
    int none;     /* /dev/null */
    int life,
        hears; /* a pipe that closes when this process ends: only this process has its writing end, `life` */
    char **env;
    int64_t until; /* clock; INT64_MAX: no limit */
    char *out;
    size_t room, n;
} running;

/* ---- starting ---- */

static const int usual[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGCHLD};

#if defined(CLONES)

typedef struct start {
    const running *r;
    pid_t parent;
    int failed; /* errno */
} start;

/* PR_SET_PDEATHSIG signals only the child, which may be waiting for children of its own. The pipe signals all of them: nobody writes
 * to it, the whole group has its reading end open, and SIGTERM comes when the writing end is closed. */
__attribute__((no_sanitize("address"))) static bool hear_of_the_end(int fd) {
    return fcntl(fd, F_SETFD, 0) == 0 && fcntl(fd, F_SETOWN, -getpid()) == 0 &&
           fcntl(fd, F_SETSIG, SIGTERM) == 0 &&
           fcntl(fd, F_SETFL, O_RDONLY | O_ASYNC | O_NONBLOCK) == 0;
}

/* Runs in the child. The function never returns, and its stack belongs to the caller again afterwards. The address sanitizer would
 * leave its marks around variables there, so it is off. */
__attribute__((no_sanitize("address"))) static int become(void *env) {
    start *s = env;
    const wadi_child *c = s->r->c;
    sigset_t none;
    (void)setpgid(0, 0);
    if (prctl(PR_SET_PDEATHSIG, SIGTERM) != 0 || getppid() != s->parent) _exit(127);
    const struct sigaction action = {.sa_handler = SIG_DFL};
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        (void)sigaction(usual[i], &action, NULL);
    if (c->nice > 0) (void)setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + c->nice);
    const bool fine = dup2(s->r->none, STDIN_FILENO) >= 0 && dup2(s->r->to, STDOUT_FILENO) >= 0 &&
                      dup2(s->r->to, STDERR_FILENO) >= 0;
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    if (fine && hear_of_the_end(s->r->hears)) (void)execve(c->argv[0], c->argv, s->r->env);
    s->failed = errno;
    _exit(127);
}

/* 0, or errno. The caller sleeps until the child has become the program, so the child's stack can lie on the caller's. */
static int spawn(running *r) {
    _Alignas(64) char stack[32768];
    start s = {.r = r, .parent = getpid()};
    sigset_t all, before;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    r->pid = clone(become, stack + sizeof stack, CLONE_VM | CLONE_VFORK | SIGCHLD, &s);
    if (r->pid < 0) s.failed = errno;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (s.failed != 0 && r->pid > 0) (void)waitpid(r->pid, NULL, 0);
    return s.failed;
}

#else

static int spawn(running *r) {
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    sigset_t none, defaults;
    (void)sigemptyset(&none);
    (void)sigemptyset(&defaults);
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) (void)sigaddset(&defaults, usual[i]);
    int failed = posix_spawn_file_actions_init(&files);
    if (failed != 0) return failed;
    failed = posix_spawnattr_init(&how);
    if (failed == 0) {
        (void)posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
                                                 POSIX_SPAWN_SETSIGDEF);
        (void)posix_spawnattr_setsigmask(&how, &none);
        (void)posix_spawnattr_setsigdefault(&how, &defaults);
        failed = posix_spawn_file_actions_adddup2(&files, r->none, STDIN_FILENO);
        if (failed == 0) failed = posix_spawn_file_actions_adddup2(&files, r->to, STDOUT_FILENO);
        if (failed == 0) failed = posix_spawn_file_actions_adddup2(&files, r->to, STDERR_FILENO);
        if (failed == 0)
            failed = posix_spawn(&r->pid, r->c->argv[0], &files, &how, r->c->argv, r->env);
        if (failed == 0 && r->c->nice > 0)
            (void)setpriority(PRIO_PROCESS, (id_t)r->pid,
                              getpriority(PRIO_PROCESS, 0) + r->c->nice);
        (void)posix_spawnattr_destroy(&how);
    }
    (void)posix_spawn_file_actions_destroy(&files);
    return failed;
}

#endif

static bool make_pipe(int *out_read, int *out_write) {
    int end[2];
    if (pipe(end) != 0) return false;
    for (int i = 0; i < 2; i++) (void)fcntl(end[i], F_SETFD, FD_CLOEXEC);
    *out_read = end[0];
    *out_write = end[1];
    return true;
}

static void close_all(const int *fds, int n) {
    for (int i = 0; i < n; i++)
        if (fds[i] >= 0) (void)close(fds[i]);
}

/* Held while pipes are made and the child is started. Another child that is started meanwhile must not inherit the writing ends:
 * the reader would then wait for that child, too. */
static pthread_mutex_t starting = PTHREAD_MUTEX_INITIALIZER;

static int start_child(running *r) {
    (void)pthread_mutex_lock(&starting);
    r->none = open("/dev/null", O_RDONLY | O_CLOEXEC);
    const bool ready =
        r->none >= 0 && make_pipe(&r->from, &r->to) && make_pipe(&r->hears, &r->life);
    const int failed = ready ? spawn(r) : errno;
    close_all((const int[]){r->none, r->to, r->hears}, 3);
    if (failed != 0) close_all((const int[]){r->from, r->life}, 2);
    (void)pthread_mutex_unlock(&starting);
    return failed;
}

/* The caller's environment with another TMPDIR; NULL: out of memory. The caller frees *out_text and the list. */
static char **environment_with(const char *tmpdir, char **out_text) {
    static const char name[] = "TMPDIR=";
    size_t n = 0, kept = 0;
    while (environ != NULL && environ[n] != NULL) n++;
    char **list = malloc((n + 2) * sizeof *list);
    char *text = malloc(sizeof name + strlen(tmpdir));
    if (list == NULL || text == NULL) {
        free(list);
        free(text);
        return NULL;
    }
    for (size_t i = 0; i < n; i++)
        if (strncmp(environ[i], name, sizeof name - 1) != 0) list[kept++] = environ[i];
    strcpy(text, name);
    strcat(text, tmpdir);
    list[kept++] = *out_text = text;
    list[kept] = NULL;
    return list;
}

static int start_child_in(running *r) {
    char *text = NULL;
    r->env = environ;
    if (r->c->tmpdir == NULL) return start_child(r);
    r->env = environment_with(r->c->tmpdir, &text);
    const int failed = r->env != NULL ? start_child(r) : ENOMEM;
    free(r->env);
    free(text);
    return failed;
}

/* ---- watching ---- */

/* Reads output of the child: keeps the beginning, and drops the rest so that the child never blocks. False: it will write no more. */
static bool take_output(running *r) {
    char buffer[1024];
    const ssize_t got = read(r->from, buffer, sizeof buffer);
    if (got < 0) return errno == EINTR || errno == EAGAIN;
    const size_t room = r->room - 1 - r->n, keep = (size_t)got < room ? (size_t)got : room;
    memcpy(r->out + r->n, buffer, keep);
    r->n += keep;
    return got > 0;
}

static bool has_ended(const running *r) {
    siginfo_t about = {.si_pid = 0};
    return waitid(P_PID, (id_t)r->pid, &about, WEXITED | WNOHANG | WNOWAIT) != 0 ||
           about.si_pid != 0;
}

/* Sleeps until the child writes, the task is stopped, or most_ns have passed. True: the child has written. */
static bool doze(const running *r, bool writes, int64_t most_ns) {
    struct pollfd p[2] = {{.fd = writes ? r->from : -1, .events = POLLIN},
                          {.fd = -1, .events = POLLIN}};
    const wadi_task *task = wadi_task_now();
    const int64_t left = r->until - wadi_clock_ns(), ns = left < most_ns ? left : most_ns;
    if (task->stop != NULL) (void)!wadi_stop_fd(task->stop, &p[1].fd, NULL);
    (void)poll(p, 2, ns <= 0 ? 0 : (int)(wadi_clock_sleep_ns(ns) / 1000000) + 1);
    return p[0].revents != 0;
}

/* Waits until the child has ended by itself, or has to be ended. */
static wadi_child_end attend(running *r) {
    static const int64_t SECOND = 1000000000, SHORT = 2000000;
    bool writes = true;
    for (int64_t nap = SHORT; writes || !has_ended(r); nap = nap < 16 * SHORT ? 2 * nap : nap) {
        if (doze(r, writes, writes ? SECOND : nap) && writes) writes = take_output(r);
        if (wadi_task_stopped()) return WADI_CHILD_STOPPED;
        if (wadi_clock_ns() >= r->until) return WADI_CHILD_LATE;
    }
    return WADI_CHILD_EXITED;
}

/* Asks the child to end, gives it 60 ms to clean up, and then kills it with all that it has started. */
static void end_group(const running *r) {
    enum { TRIES = 15 };
    const struct timespec nap = {.tv_nsec = 4000000};
    (void)kill(-r->pid, SIGTERM);
    for (int i = 0; i < TRIES && !has_ended(r); i++) (void)nanosleep(&nap, NULL);
    (void)kill(-r->pid, SIGKILL);
}

wadi_child_end wadi_child_run(const wadi_child *c, char *out, size_t room, int *out_code) {
    running r = {.c = c,
                 .to = -1,
                 .from = -1,
                 .none = -1,
                 .life = -1,
                 .hears = -1,
                 .until = INT64_MAX,
                 .out = out,
                 .room = room};
    *out = '\0';
    if (c->limit_ns > 0) r.until = wadi_clock_ns() + c->limit_ns;
    *out_code = start_child_in(&r);
    if (*out_code != 0) return WADI_CHILD_FAILED;
    const int ticket = wadi_task_wait(c->what, -1, c->argv[0]);
    wadi_child_end end = attend(&r);
    wadi_task_go_on(ticket);
    if (end != WADI_CHILD_EXITED) end_group(&r);
    close_all((const int[]){r.from, r.life}, 2);
    out[r.n] = '\0';
    int status = 0;
    while (waitpid(r.pid, &status, 0) < 0 && errno == EINTR) continue;
    if (end != WADI_CHILD_EXITED) return end;
    *out_code = WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status);
    return WIFEXITED(status) ? WADI_CHILD_EXITED : WADI_CHILD_KILLED;
}
