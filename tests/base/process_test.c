/* Programs as processes: what the first and the second signal do, how warnings look, and how a process ends. */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/process.h"
#include "base/task.h"

static _Atomic int64_t now_ns;
static _Atomic int *reached; /* by a child: shared with it */
static int sent;             /* the signal that a child sends itself */

static int64_t now(void) {
    return now_ns;
}

#define MUST(x)                                                               \
    do {                                                                      \
        if (x) break;                                                         \
        (void)fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #x); \
        _exit(99);                                                            \
    } while (0)

/* How a process ends that does this. */
static int status_of(void (*what)(void)) {
    int status = -1;
    *reached = 0;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        static const int usual[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
        for (int i = 0; i < 4; i++) (void)signal(usual[i], SIG_DFL);
        now_ns = 1000000000;
        wadi_clock_set(now);
        what();
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static void assert_killed_by(int status, int number) {
    if (!WIFSIGNALED(status) || WTERMSIG(status) != number)
        fail_msg("status %x, expected signal %d", (unsigned)status, number);
}

static int setup(void **state) {
    (void)state;
    void *shared =
        mmap(NULL, sizeof *reached, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    reached = shared;
    return shared == MAP_FAILED;
}

/* ---- signals ---- */

static void take_one(void) {
    MUST(wadi_process_stop() == NULL);
    wadi_process_begin("tester");
    MUST(wadi_process_signal() == 0 && !wadi_stop_called(wadi_process_stop()));
    MUST(raise(sent) == 0);
    MUST(wadi_process_signal() == sent);
    MUST(wadi_stop_called(wadi_process_stop()) && wadi_task_stopped());
    *reached = 1;
    wadi_process_end(false);
    *reached = 2;
}

static void the_first_signal_stops_and_ends_the_process_when_it_is_done(void **state) {
    (void)state;
    static const int all[] = {SIGINT, SIGTERM, SIGHUP};
    for (int i = 0; i < 3; i++) {
        sent = all[i];
        assert_killed_by(status_of(take_one), sent);
        assert_int_equal(*reached, 1);
    }
}

static void take_two(void) {
    wadi_process_begin("tester");
    MUST(raise(sent) == 0);
    MUST(raise(sent) == 0); /* an echo */
    now_ns += 49999999;
    MUST(raise(SIGTERM) == 0);
    MUST(wadi_process_signal() == sent);
    *reached = 1;
    now_ns += 1;
    MUST(raise(SIGTERM) == 0);
    *reached = 2;
}

static void the_second_signal_ends_the_process_at_once_unless_it_is_an_echo(void **state) {
    (void)state;
    static const int all[] = {SIGINT, SIGTERM, SIGHUP};
    for (int i = 0; i < 3; i++) {
        sent = all[i];
        assert_killed_by(status_of(take_two), SIGTERM);
        assert_int_equal(*reached, 1);
    }
}

static void die_at_once(void) {
    wadi_process_begin("tester");
    wadi_process_may_die(true);
    *reached = 1;
    MUST(raise(SIGHUP) == 0);
    *reached = 2;
}

static void die_when_allowed(void) {
    wadi_process_begin("tester");
    wadi_process_may_die(true);
    wadi_process_may_die(false);
    MUST(raise(SIGTERM) == 0);
    *reached = 1;
    wadi_process_may_die(true);
    *reached = 2;
}

static void who_may_die_does_so_by_the_first(void **state) {
    (void)state;
    assert_killed_by(status_of(die_at_once), SIGHUP);
    assert_int_equal(*reached, 1);
    assert_killed_by(status_of(die_when_allowed), SIGTERM);
    assert_int_equal(*reached, 1);
}

/* Whoever has it blocked meanwhile ends by it all the same. */
static void end_blocked(void) {
    sigset_t one;
    wadi_process_begin("tester");
    MUST(raise(SIGTERM) == 0);
    (void)sigemptyset(&one);
    (void)sigaddset(&one, SIGTERM);
    MUST(sigprocmask(SIG_BLOCK, &one, NULL) == 0);
    wadi_process_end(false);
}

static void a_blocked_signal_ends_the_process_too(void **state) {
    (void)state;
    assert_killed_by(status_of(end_blocked), SIGTERM);
}

/* A shell has its background jobs ignore SIGINT: who sends it means it. nohup means that it is ignored. */
static void begin_with_all_ignored(void) {
    (void)signal(SIGHUP, SIG_IGN);
    (void)signal(SIGINT, SIG_IGN);
    (void)signal(SIGTERM, SIG_IGN);
    wadi_process_begin("tester");
    MUST(raise(SIGHUP) == 0);
    MUST(wadi_process_signal() == 0 && !wadi_task_stopped());
    MUST(raise(sent) == 0);
    MUST(wadi_process_signal() == sent);
}

static void a_hangup_that_was_ignored_stays_so(void **state) {
    (void)state;
    static const int others[] = {SIGINT, SIGTERM};
    for (int i = 0; i < 2; i++) {
        sent = others[i];
        assert_int_equal(status_of(begin_with_all_ignored), 0);
    }
}

/* What is interrupted by it finds its errno as it was, also when the stop had no room for one more byte. */
static void keep_errno(void) {
    enum { MORE_THAN_A_PIPE_HOLDS = 70000 };
    int fd = -1;
    wadi_process_begin("tester");
    MUST(wadi_stop_fd(wadi_process_stop(), &fd, NULL) == WADI_OK);
    for (int i = 0; i < MORE_THAN_A_PIPE_HOLDS; i++) wadi_stop_call(wadi_process_stop());
    errno = ENOTNAM;
    MUST(raise(SIGINT) == 0);
    MUST(errno == ENOTNAM);
}

static void a_signal_leaves_errno_alone(void **state) {
    (void)state;
    assert_int_equal(status_of(keep_errno), 0);
}

/* ---- warnings ---- */

static int told[2];

/* ---- what drains ---- */

static atomic_int inside, released;

static void wait_inside(void *unused) {
    (void)unused;
    atomic_store(&inside, 1);
    while (atomic_load(&released) == 0) {
    }
    atomic_store(&inside, 0);
}

static void *handle(void *unused) {
    (void)unused;
    (void)pthread_kill(pthread_self(), SIGTERM);
    return NULL;
}

static void *release(void *unused) {
    const struct timespec nap = {0, 30000000};
    (void)unused;
    (void)nanosleep(&nap, NULL);
    atomic_store(&released, 1);
    return NULL;
}

/* The handler runs in another thread: it is waited for, so that what it works on can go. */
static void forget_while_draining(void) {
    pthread_t one, other;
    wadi_process_begin("test");
    wadi_process_drain_by(wait_inside, NULL);
    MUST(pthread_create(&one, NULL, handle, NULL) == 0);
    while (atomic_load(&inside) == 0) {
    }
    MUST(pthread_create(&other, NULL, release, NULL) == 0);
    wadi_process_drain_by(NULL, NULL);
    MUST(atomic_load(&inside) == 0 && wadi_process_signal() == 0);
    MUST(pthread_join(one, NULL) == 0 && pthread_join(other, NULL) == 0);
    _exit(0);
}

static void what_drains_is_over_when_it_is_forgotten(void **state) {
    (void)state;
    const int status = status_of(forget_while_draining);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void tell(void *text) {
    (void)fputs(text, stderr);
}

static void warn_some(void) {
    static char before[] = "[before] ";
    MUST(dup2(told[1], STDERR_FILENO) == STDERR_FILENO);
    wadi_process_begin("tester");
    wadi_logf(WADI_LOG_WARNING, "stage %d", 7);
    wadi_logf(WADI_LOG_INFO, "nobody asked");
    wadi_process_warn(false);
    wadi_logf(WADI_LOG_WARNING, "silenced");
    wadi_process_warn(true);
    wadi_process_before_warning(tell, before);
    wadi_logf(WADI_LOG_WARNING, "again");
    wadi_process_end(false);
    wadi_logf(WADI_LOG_WARNING, "too late");
}

static void warnings_have_the_programs_name_and_the_time(void **state) {
    (void)state;
    char got[1000] = "";
    bool right = false;
    assert_int_equal(pipe(told), 0);
    const time_t start = time(NULL);
    assert_int_equal(status_of(warn_some), 0);
    const time_t end = time(NULL);
    assert_true(read(told[0], got, sizeof got - 1) > 0);
    for (time_t a = start; a <= end && !right; a++) {
        for (time_t b = a; b <= end && !right; b++) {
            char want[300], one[32], other[32];
            struct tm parts;
            (void)strftime(one, sizeof one, "%Y-%m-%d %H:%M:%S", localtime_r(&a, &parts));
            (void)strftime(other, sizeof other, "%Y-%m-%d %H:%M:%S", localtime_r(&b, &parts));
            (void)snprintf(want, sizeof want,
                           "tester: %s: warning: stage 7\n[before] tester: %s: warning: again\n",
                           one, other);
            right = strcmp(got, want) == 0;
        }
    }
    if (!right) fail_msg("told: %s", got);
    (void)close(told[0]);
    (void)close(told[1]);
}

/* ---- the end ---- */

static void set_output(int fd) {
    MUST(dup2(fd, STDOUT_FILENO) == STDOUT_FILENO);
    (void)close(fd);
}

static void lose_output(void) {
    int end[2];
    wadi_process_begin("tester");
    for (int socket = 0; socket < 2; socket++) {
        MUST((socket ? socketpair(AF_UNIX, SOCK_STREAM, 0, end) : pipe(end)) == 0);
        set_output(end[1]);
        MUST(!wadi_process_output_gone());
        wadi_process_end(true);
        (void)close(end[0]);
        MUST(wadi_process_output_gone());
        wadi_process_end(false);
    }
    const int null = open("/dev/null", O_WRONLY);
    set_output(null);
    MUST(!wadi_process_output_gone());
    MUST(pipe(end) == 0);
    (void)close(STDOUT_FILENO);
    MUST(!wadi_process_output_gone());
    set_output(end[1]);
    (void)close(end[0]);
    MUST(write(STDOUT_FILENO, "x", 1) == -1 && errno == EPIPE); /* no signal kills it */
    *reached = 1;
    wadi_process_end(true);
    *reached = 2;
}

static void who_failed_and_has_no_reader_ends_as_if_by_the_pipe(void **state) {
    (void)state;
    assert_killed_by(status_of(lose_output), SIGPIPE);
    assert_int_equal(*reached, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_signal_stops_and_ends_the_process_when_it_is_done),
        cmocka_unit_test(the_second_signal_ends_the_process_at_once_unless_it_is_an_echo),
        cmocka_unit_test(who_may_die_does_so_by_the_first),
        cmocka_unit_test(a_blocked_signal_ends_the_process_too),
        cmocka_unit_test(a_hangup_that_was_ignored_stays_so),
        cmocka_unit_test(a_signal_leaves_errno_alone),
        cmocka_unit_test(what_drains_is_over_when_it_is_forgotten),
        cmocka_unit_test(warnings_have_the_programs_name_and_the_time),
        cmocka_unit_test(who_failed_and_has_no_reader_ends_as_if_by_the_pipe),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
