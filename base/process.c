/* Signals and the end of a process. A signal handler touches only atomics: the stop, the number of the signal, and whether the
 * process may die. */
#define _GNU_SOURCE /* on_exit, O_PATH */
#include "base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/behind.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/say.h"
#include "base/task.h"

static const int caught[] = {SIGINT, SIGTERM, SIGHUP};

static const char *program;
static wadi_stop stop;
static atomic_int came, may_die;
static _Atomic int64_t came_ns; /* set before it came */
static atomic_bool warns;
static void (*_Atomic drain)(void *env);
static void *_Atomic drain_env;
static atomic_bool drains;
static atomic_int draining; /* handlers that may be calling `drain` */
static void (*before_warning)(void *env);
static void *before_env;

/* ---- signals ---- */

static void usual_effect(int number) {
    struct sigaction usual = {.sa_handler = SIG_DFL};
    (void)sigaction(number, &usual, NULL);
}

/* Ends the process by the signal, once the handler has returned. */
static void die_by(int number) {
    sigset_t one;
    usual_effect(number);
    (void)sigemptyset(&one);
    (void)sigaddset(&one, number);
    (void)raise(number);
    (void)pthread_sigmask(SIG_UNBLOCK, &one, NULL);
}

/* Whether this signal is the same as the last one. timeout(1) and others signal the process and its group, so one signal comes
 * twice at once. */
static bool is_echo(void) {
    static const int64_t ECHO_NS = 50000000;
    const bool came_before = atomic_load(&came) != 0 || atomic_load(&drains);
    return came_before && wadi_clock_ns() - atomic_load(&came_ns) < ECHO_NS;
}

/* Whether the signal is one that drains, or its echo. */
static bool call_drain(void) {
    void (*fn)(void *env) = atomic_load(&drain);
    if (fn == NULL || atomic_load(&came) != 0) return false;
    if (atomic_load(&drains)) return is_echo();
    atomic_store(&came_ns, wadi_clock_ns());
    atomic_store(&drains, true);
    fn(atomic_load(&drain_env));
    return true;
}

static bool begin_drain(void) {
    (void)atomic_fetch_add(&draining, 1);
    const bool drained = call_drain();
    (void)atomic_fetch_sub(&draining, 1);
    return drained;
}

static void on_signal(int number) {
    const int reason = errno;
    if (begin_drain()) {
        errno = reason;
        return;
    }
    if (atomic_load(&may_die) != 0 || (atomic_load(&came) != 0 && !is_echo())) {
        die_by(number);
    } else if (atomic_load(&came) == 0) {
        atomic_store(&came_ns, wadi_clock_ns());
        atomic_store(&came, number);
        wadi_stop_call(&stop);
    }
    errno = reason;
}

static void catch_signals(void) {
    struct sigaction action = {.sa_handler = on_signal}, before;
    for (size_t i = 0; i < sizeof caught / sizeof *caught; i++) {
        const bool known = sigaction(caught[i], NULL, &before) == 0;
        /* nohup */
        if (caught[i] == SIGHUP && known && before.sa_handler == SIG_IGN) continue;
        (void)sigaction(caught[i], &action, NULL);
    }
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    (void)sigaction(SIGPIPE, &ignore, NULL);
    (void)sigaction(SIGXFSZ, &ignore, NULL); /* of `ulimit -f`: writing fails, and that is told */
}

void wadi_process_drain_by(void (*fn)(void *env), void *env) {
    atomic_store(&drain, NULL);
    while (atomic_load(&draining) > 0) (void)sched_yield(); /* in another thread */
    atomic_store(&drain_env, env);
    atomic_store(&drains, false);
    atomic_store(&drain, fn);
}

bool wadi_process_drain(bool now) {
    if (atomic_load(&drain) == NULL) return false;
    return !now || atomic_load(&drains) || begin_drain();
}

wadi_stop *wadi_process_stop(void) {
    return program != NULL ? &stop : NULL;
}

int wadi_process_signal(void) {
    return atomic_load(&came);
}

void wadi_process_may_die(bool may) {
    atomic_store(&may_die, may);
    const int number = atomic_load(&came);
    if (may && number != 0) die_by(number);
}

/* ---- warnings ---- */

static void warn(void *env, wadi_log_level level, const char *line) {
    WADI_UNUSED(env);
    if (level < WADI_LOG_WARNING || !atomic_load(&warns)) return;
    if (wadi_say_json()) {
        wadi_say(WADI_SAY_WARNING, "%s", line);
        return;
    }
    char clock[32] = "";
    struct tm now;
    const time_t seconds = time(NULL);
    if (localtime_r(&seconds, &now) != NULL)
        (void)strftime(clock, sizeof clock, "%Y-%m-%d %H:%M:%S", &now);
    if (before_warning != NULL) before_warning(before_env);
    char all[1200]; /* lines of the log have at most 1023 bytes */
    (void)snprintf(all, sizeof all, "%s: %s: warning: %s\n", program, clock, line);
    wadi_say_shown(stderr, all);
}

void wadi_process_warn(bool wanted) {
    atomic_store(&warns, wanted);
}

void wadi_process_before_warning(void (*fn)(void *env), void *env) {
    before_env = env;
    before_warning = fn;
}

/* ---- beginning and end ---- */

/* A number below three that is closed would be the next file or pipe, and what the program prints would go there. It becomes a
 * folder, which is open for nothing: reading and writing fail as before, and so do /dev/stdin and its like, which open again what is there. */
static void keep_standard_numbers(void) {
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0) (void)!open("/", O_PATH | O_DIRECTORY);
}

/* With a stack of little the process and the C compiler would end by SIGSEGV. */
static void need_stack(void) {
    enum { LEAST = 256 << 10 };
    struct rlimit stack;
    if (getrlimit(RLIMIT_STACK, &stack) != 0 || stack.rlim_cur >= LEAST) return;
    wadi_say(WADI_SAY_ERROR,
             "the stack is limited to %lld KiB (ulimit -s), and at least %d are needed",
             (long long)(stack.rlim_cur >> 10), LEAST >> 10);
    _exit(1);
}

void wadi_process_begin(const char *name) {
    keep_standard_numbers();
    const wadi_status status = wadi_stop_init(&stop, NULL, NULL);
    WADI_UNUSED(status); /* it cannot fail without one above */
    program = name;
    wadi_say_as(name);
    need_stack();
    (void)wadi_task_begin((wadi_task){.name = "main", .stop = &stop});
    atomic_store(&warns, true);
    wadi_log_set(warn, NULL);
    catch_signals();
}

bool wadi_process_output_gone(void) {
    struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};
    struct stat about;
    if (fstat(STDOUT_FILENO, &about) != 0 || !(S_ISFIFO(about.st_mode) || S_ISSOCK(about.st_mode)))
        return false;
    return poll(&out, 1, 0) > 0 && (out.revents & (POLLERR | POLLHUP)) != 0;
}

bool wadi_process_printed(void) {
    if (fflush(stdout) == 0 && !ferror(stdout)) return true;
    if (!wadi_process_output_gone()) wadi_say(WADI_SAY_ERROR, "cannot write to standard output");
    return false;
}

#ifdef __GLIBC__
/* Libraries clean up at the end of a process. One that a thread was left behind in would wait for it, or find it in the way. */
static void end_at_once(int status, void *env) {
    WADI_UNUSED(env);
    (void)fflush(NULL);
    _exit(status);
}
#endif

void wadi_process_quit(void) {
#ifdef __GLIBC__
    if (wadi_behind_count() > 0) (void)on_exit(end_at_once, NULL);
#endif
}

void wadi_process_end(bool failed) {
    wadi_log_set(NULL, NULL);
    wadi_process_quit();
    const int number = atomic_load(&came);
    if (number != 0) die_by(number);
    if (failed && wadi_process_output_gone()) die_by(SIGPIPE);
}
