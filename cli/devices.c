/* wadi devices: which devices there are, and why those that cannot be used cannot.
 *
 * A driver that is broken may crash or hang. So kinds with a library of their own are asked by a process of its own, and how that ended is
 * told if it has no answer. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/process.h"
#include "base/text.h"
#include "cli/command.h"
#include "sched/devices.h"

static const int64_t PATIENCE_NS = INT64_C(30000000000);

/* In the process that asks. */
static _Noreturn void ask(const wadi_device_row *row, int to) {
    const struct rlimit none = {0, 0};
    wadi_text t = {0};
    (void)setrlimit(RLIMIT_CORE, &none);
    wadi_device_describe(row, &t);
    for (size_t done = 0; done < t.n;) {
        const ssize_t n = write(to, t.at + done, t.n - done);
        if (n <= 0) _exit(1);
        done += (size_t)n;
    }
    _exit(0);
}

/* Appends what is said until the end. False: that takes too long. */
static bool listen_to(int from, wadi_text *out) {
    const int64_t end = wadi_clock_ns() + PATIENCE_NS;
    for (;;) {
        char bytes[512];
        struct pollfd p = {.fd = from, .events = POLLIN};
        const int64_t left = (end - wadi_clock_ns()) / 1000000;
        if (left <= 0 || poll(&p, 1, (int)left) == 0) return false;
        const ssize_t n = read(from, bytes, sizeof bytes);
        if (n == 0) return true;
        if (n > 0) wadi_text_add_n(out, bytes, (size_t)n);
    }
}

/* Ends the process, unless it has ended, and tells how it ended. */
static void close_asker(const wadi_device_row *row, pid_t asker, bool answered, wadi_text *answer) {
    int status = 0;
    if (!answered) (void)kill(asker, SIGKILL);
    while (waitpid(asker, &status, 0) < 0 && errno == EINTR) continue;
    if (answered && answer->n > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
    wadi_text_clear(answer);
    wadi_text_addf(answer, "%-12s %s: none: its library ", row->name, row->about);
    if (!answered)
        wadi_text_add(answer, "did not answer within 30 s\n");
    else if (WIFSIGNALED(status))
        wadi_text_addf(answer, "is broken: asking it ended in a crash (%s)\n",
                       strsignal(WTERMSIG(status)));
    else
        wadi_text_addf(answer, "is broken: it ended the process that asked it\n");
}

/* False: no process could be started. */
static bool ask_apart(const wadi_device_row *row, wadi_text *answer) {
    int ends[2];
    if (pipe(ends) != 0) return false;
    for (int i = 0; i < 2; i++) (void)fcntl(ends[i], F_SETFD, FD_CLOEXEC); /* daemons of drivers */
    const pid_t asker = fork();
    if (asker == 0) ask(row, ends[1]);
    (void)close(ends[1]);
    if (asker > 0) close_asker(row, asker, listen_to(ends[0], answer), answer);
    (void)close(ends[0]);
    return asker > 0;
}

static int run(int argc, char **argv) {
    if (argc > 1) return wadi_cli_misuse(&wadi_cli_devices, "unexpected \"%s\"", argv[1]);
    wadi_process_may_die(true);
    for (const wadi_device_row *d = wadi_devices; d->name != NULL; d++) {
        wadi_text t = {0};
        if (d->count == NULL || !ask_apart(d, &t)) wadi_device_describe(d, &t);
        fputs(wadi_text_str(&t), stdout);
        (void)fflush(stdout);
        wadi_text_fini(&t);
    }
    return WADI_CLI_OK;
}

const wadi_cli_command wadi_cli_devices = {
    "devices", "", "lists the devices that programs run on",
    "Each line says what the device is, its versions and memory, and what is wrong if it cannot be "
    "used.\n"
    "The first is used unless --device NAME or WADI_DEVICE names another. All give the same bits.\n"
    "A device runs kernels of one language; `wadi version` lists the targets of each.\n",
    run};
