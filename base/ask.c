/* The child says over a pipe what it has heard, and at last a zero byte: it has come to its end by itself. Its exit status may be lost, as a host may
 * ignore its children or wait for any. */
#include "base/ask.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/task.h"

/* ---- in the child ---- */

/* Signals end the child as usual. It also ends when nobody listens any more, or shortly behind the limit. */
static void be_mortal(pid_t parent, int64_t limit_ns) {
    static const int usual[] = {SIGINT, SIGTERM, SIGHUP, SIGALRM};
    const struct rlimit none = {0, 0};
    sigset_t no_signal;
    (void)setrlimit(RLIMIT_CORE, &none);
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) (void)signal(usual[i], SIG_DFL);
    (void)sigemptyset(&no_signal);
    (void)pthread_sigmask(SIG_SETMASK, &no_signal, NULL);
    (void)alarm((unsigned)(limit_ns / 1000000000) + 2);
#ifdef __linux__
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    if (getppid() != parent) _exit(1);
}

static void say(int to, const char *bytes, size_t n) {
    for (size_t done = 0; done < n;) {
        const ssize_t put = write(to, bytes + done, n - done);
        if (put <= 0) _exit(1);
        done += (size_t)put;
    }
}

static _Noreturn void answer_to(int to, void (*ask)(const void *env, wadi_text *answer),
                                const void *env) {
    wadi_text t = {0};
    ask(env, &t);
    say(to, t.at, t.n);
    say(to, "", 1);
    _exit(0);
}

/* ---- in the parent ---- */

static int wait_for(int from, int64_t end) {
    struct pollfd p[2] = {{.fd = from, .events = POLLIN},
                          {.fd = wadi_task_stop_fd(), .events = POLLIN}};
    const int64_t left = (end - wadi_clock_ns() + 999999) / 1000000;
    return left > 0 ? poll(p, 2, left < 1000 ? (int)left : 1000) : 0;
}

/* What is said until the zero byte. */
static wadi_ask_end listen_to(int from, int64_t limit_ns, wadi_text *out) {
    const int64_t end = wadi_clock_ns() + limit_ns;
    (void)fcntl(from, F_SETFL, O_NONBLOCK);
    for (;;) {
        char bytes[512];
        (void)wait_for(from, end);
        const ssize_t n = read(from, bytes, sizeof bytes);
        if (n == 0) return WADI_ASK_CRASHED;
        if (n > 0 && bytes[n - 1] == '\0') {
            wadi_text_add_n(out, bytes, (size_t)n - 1);
            return WADI_ASK_ANSWERED;
        }
        if (n > 0) wadi_text_add_n(out, bytes, (size_t)n);
        if (wadi_task_stopped()) return WADI_ASK_STOPPED;
        if (wadi_clock_ns() >= end) return WADI_ASK_LATE;
    }
}

/* Ends the child, unless it has ended, and looks at which signal has ended it; 0: none, or nobody knows. */
static int close_child(pid_t child, wadi_ask_end end) {
    int status = 0;
    pid_t ended = 0;
    if (end != WADI_ASK_ANSWERED) (void)kill(child, SIGKILL);
    while ((ended = waitpid(child, &status, 0)) < 0 && errno == EINTR) continue;
    return ended == child && WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

wadi_ask_end wadi_ask(void (*ask)(const void *env, wadi_text *answer), const void *env,
                      int64_t limit_ns, wadi_text *answer, int *out_code) {
    int ends[2];
    const size_t before = answer->n;
    *out_code = 0;
    if (pipe(ends) != 0) return WADI_ASK_FAILED;
    for (int i = 0; i < 2; i++) (void)fcntl(ends[i], F_SETFD, FD_CLOEXEC); /* daemons of drivers */
    const pid_t parent = getpid(), child = fork();
    if (child == 0) {
        be_mortal(parent, limit_ns);
        answer_to(ends[1], ask, env);
    }
    (void)close(ends[1]);
    wadi_ask_end end = WADI_ASK_FAILED;
    if (child > 0) end = listen_to(ends[0], limit_ns, answer);
    if (child > 0) *out_code = close_child(child, end);
    (void)close(ends[0]);
    if (end != WADI_ASK_ANSWERED && answer->n > before) answer->n = before;
    return end;
}

void wadi_ask_tell(wadi_ask_end end, int code, int64_t limit_ns, wadi_text *out) {
    if (end == WADI_ASK_LATE)
        wadi_text_addf(out, "did not answer within %g s", (double)limit_ns / 1e9);
    else if (code != 0)
        wadi_text_addf(out, "is broken: asking it ended in a crash (%s)", strsignal(code));
    else
        wadi_text_add(out, "is broken: it ended the process that asked it");
}
