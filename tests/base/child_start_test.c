/* A child starts with clean descriptors and signals whatever the state of its parent, and as much of its output is kept as asked. */
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
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/child.h"
#include "tests/base/support.h"
#include "tests/open_files.h"

extern char **environ;

static char sh[] = "/bin/sh", dash_c[] = "-c";

static wadi_child_end run(const char *script, wadi_child c, char *out, size_t room, int *out_code) {
    char text[200];
    char *const argv[] = {sh, dash_c, text, NULL};
    (void)snprintf(text, sizeof text, "%s", script);
    c.argv = argv;
    c.what = "a script";
    return wadi_child_run(&c, out, room, out_code);
}

static void no_child_is_left(void) {
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
}

static void every_end_is_told(void **state) {
    (void)state;
    static const struct {
        const char *script;
        wadi_child_end end;
        int code;
    } cases[] = {{"exit 0", WADI_CHILD_EXITED, 0},
                 {"exit 1", WADI_CHILD_EXITED, 1},
                 {"exit 255", WADI_CHILD_EXITED, 255},
                 {"exec >/dev/null 2>&1; exit 4", WADI_CHILD_EXITED, 4},
                 {"exec >/dev/null 2>&1; cat /dev/null; kill -1 $$", WADI_CHILD_KILLED, SIGHUP},
                 {"kill -15 $$", WADI_CHILD_KILLED, SIGTERM}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (int64_t limit = 0; limit < 2; limit++) {
            char out[10];
            int code = -1;
            const wadi_child c = {.limit_ns = limit * 3600000000000};
            assert_int_equal(run(cases[i].script, c, out, sizeof out, &code), cases[i].end);
            assert_int_equal(code, cases[i].code);
            assert_string_equal(out, "");
            no_child_is_left();
        }
    }
}

static void what_is_no_program_says_why(void **state) {
    (void)state;
    static const int reasons[] = {ENOENT, EACCES, EACCES, ENOTDIR};
    char none[128], plain[128], here[128], below[160];
    char *const paths[] = {none, plain, here, below};
    (void)snprintf(none, sizeof none, "%s", in("none"));
    (void)snprintf(plain, sizeof plain, "%s", in("plain"));
    (void)snprintf(here, sizeof here, "%s", folder);
    (void)snprintf(below, sizeof below, "%s/x", plain);
    put(plain, "x");
    for (int i = 0; i < 4; i++) {
        char out[10] = "before";
        int code = -1;
        char *const argv[] = {paths[i], NULL};
        const wadi_child c = {.argv = argv, .what = "nothing"};
        assert_int_equal(wadi_child_run(&c, out, sizeof out, &code), WADI_CHILD_FAILED);
        assert_int_equal(code, reasons[i]);
        assert_string_equal(out, "");
        no_child_is_left();
    }
}

/* Numbers one after the other: what is kept is their beginning, and the room is not left. */
static void the_beginning_of_what_it_writes_is_kept(void **state) {
    (void)state;
    static const size_t rooms[] = {1, 2, 10, 1023, 1024, 1025, 5000, 20000};
    static char want[200000], out[20001];
    size_t n = 0;
    for (int i = 1; i <= 30000; i++) n += (size_t)snprintf(want + n, sizeof want - n, "%d\n", i);
    for (size_t i = 0; i < sizeof rooms / sizeof rooms[0]; i++) {
        int code = -1;
        out[rooms[i]] = 'g';
        assert_int_equal(run("seq 30000", (wadi_child){0}, out, rooms[i], &code),
                         WADI_CHILD_EXITED);
        assert_int_equal(code, 0);
        assert_int_equal(strlen(out), rooms[i] - 1);
        assert_memory_equal(out, want, rooms[i] - 1);
        assert_int_equal(out[rooms[i]], 'g');
    }
    int code = -1;
    assert_int_equal(run("seq 3", (wadi_child){0}, out, sizeof out, &code), WADI_CHILD_EXITED);
    assert_string_equal(out, "1\n2\n3\n");
}

/* Under the thread sanitizer it becomes so while it runs already. */
static void it_is_as_nice_as_asked(void **state) {
    (void)state;
    const char *sanitizer = getenv("WADI_SANITIZE");
    if (sanitizer != NULL && strstr(sanitizer, "thread") != NULL) skip();
    const int own = getpriority(PRIO_PROCESS, 0);
    for (int nice = 0; nice <= 19; nice += nice == 0 ? 5 : 14) {
        char out[16], want[16];
        int code = -1;
        (void)snprintf(want, sizeof want, "%d\n", own + nice > 19 ? 19 : own + nice);
        assert_int_equal(run("nice", (wadi_child){.nice = nice}, out, sizeof out, &code),
                         WADI_CHILD_EXITED);
        assert_string_equal(out, want);
    }
    assert_int_equal(getpriority(PRIO_PROCESS, 0), own);
}

/* ---- the environment, as the program gets it ---- */

static int count(const char *text, const char *line) {
    const size_t n = strlen(line);
    int found = 0;
    for (const char *at = text; *at != '\0'; at += strcspn(at, "\n"), at += *at == '\n')
        found += strncmp(at, line, n) == 0 && (at[n] == '\n' || line[n - 1] == '=');
    return found;
}

static void print_environment(const char *tmpdir, char *out, size_t room) {
    char env[] = "/usr/bin/env";
    char *const argv[] = {env, NULL};
    const wadi_child c = {.argv = argv, .what = "env", .tmpdir = tmpdir};
    int code = -1;
    assert_int_equal(wadi_child_run(&c, out, room, &code), WADI_CHILD_EXITED);
    assert_int_equal(code, 0);
}

static void only_one_variable_of_its_environment_is_another(void **state) {
    (void)state;
    static char out[200000];
    if (access("/usr/bin/env", X_OK) != 0) skip();
    assert_int_equal(setenv("TMPDIRS", "kept", 1), 0);
    assert_int_equal(setenv("WADI_TEST_TMPDIR", "kept", 1), 0);
    for (int has = 0; has < 2; has++) {
        const int changed = has ? setenv("TMPDIR", "/elsewhere", 1) : unsetenv("TMPDIR");
        assert_int_equal(changed, 0);
        print_environment("/some where", out, sizeof out);
        assert_int_equal(count(out, "TMPDIR="), 1);
        assert_int_equal(count(out, "TMPDIR=/some where"), 1);
        assert_int_equal(count(out, "TMPDIRS=kept"), 1);
        assert_int_equal(count(out, "WADI_TEST_TMPDIR=kept"), 1);
        for (char **e = environ; *e != NULL; e++)
            if (strchr(*e, '\n') == NULL && strncmp(*e, "TMPDIR=", 7) != 0)
                assert_int_equal(count(out, *e), 1);
        print_environment(NULL, out, sizeof out);
        assert_int_equal(count(out, "TMPDIR="), has);
        assert_int_equal(count(out, "TMPDIR=/elsewhere"), has);
    }
    assert_int_equal(unsetenv("TMPDIR") | unsetenv("TMPDIRS") | unsetenv("WADI_TEST_TMPDIR"), 0);
}

/* ---- signals ---- */

static void nothing(int number) {
    (void)number;
}

static unsigned long long mask_of(const char *status, const char *which) {
    const char *at = strstr(status, which);
    return at != NULL ? strtoull(at + strlen(which), NULL, 16) : ~0ull;
}

/* A caller that ignores them and lets none through: its child can be interrupted all the same, and the caller is as it was. */
static bool begins_with_usual_signals(void *env) {
    static const int usual[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGCHLD};
    char out[200];
    int code = -1;
    sigset_t all, now;
    unsigned long long ignored = 0;
    (void)env;
    for (int i = 0; i < 5; i++) (void)signal(usual[i], SIG_IGN);
    (void)sigfillset(&all);
    (void)sigprocmask(SIG_SETMASK, &all, NULL);
    (void)run("grep -E 'Sig(Blk|Ign)' /proc/self/status", (wadi_child){0}, out, sizeof out, &code);
    for (int i = 0; i < 5; i++) ignored |= mask_of(out, "SigIgn:") >> (usual[i] - 1) & 1;
    struct sigaction action;
    bool fine = mask_of(out, "SigBlk:") == 0 && ignored == 0;
    for (int i = 0; i < 5; i++)
        fine = fine && sigaction(usual[i], NULL, &action) == 0 && action.sa_handler == SIG_IGN;
    (void)sigprocmask(SIG_SETMASK, NULL, &now);
    fine = fine && sigismember(&now, SIGINT) == 1 && sigismember(&now, SIGUSR1) == 1;
    (void)signal(SIGINT, nothing);
    (void)signal(SIGCHLD, SIG_DFL);
    (void)sigemptyset(&all);
    (void)sigprocmask(SIG_SETMASK, &all, NULL);
    fine = fine && run("exit 5", (wadi_child){0}, out, sizeof out, &code) == WADI_CHILD_EXITED;
    (void)sigprocmask(SIG_SETMASK, NULL, &now);
    return fine && code == 5 && sigismember(&now, SIGINT) == 0 &&
           sigaction(SIGINT, NULL, &action) == 0 && action.sa_handler == nothing;
}

static void it_begins_with_the_usual_signals(void **state) {
    (void)state;
    if (access("/proc/self/status", R_OK) != 0) skip();
    assert_int_equal(status_of_child(begins_with_usual_signals, NULL), 0);
}

/* When it has to end it is asked first: what it does then, it does before it is killed. How long it takes to have heard is the
 * machine's affair, so it is asked again and again until it has. */
static void it_may_clean_up_when_its_time_is_up(void **state) {
    (void)state;
    char script[150], out[100];
    int code = -1, tries = 0;
    (void)snprintf(script, sizeof script,
                   "trap 'echo x >%s/cleaned; exit' TERM; echo; while :; do sleep 0.01; done",
                   folder);
    for (int64_t ns = 50000000; access(in("cleaned"), F_OK) != 0 && tries < 60; tries++) {
        assert_int_equal(run(script, (wadi_child){.limit_ns = ns}, out, sizeof out, &code),
                         WADI_CHILD_LATE);
        if (out[0] == '\0') ns *= 2; /* it has not come so far */
    }
    assert_int_equal(access(in("cleaned"), F_OK), 0);
}

/* ---- files ---- */

/* Its output, twice, and the pipe by whose end it hears of the caller's: no other end of either, and no file that is open here. */
static void it_gets_no_files_of_the_caller(void **state) {
    (void)state;
    static char out[100000];
    int code = -1, pipes = 0, inherited = 0;
    if (access("/proc/self/fd", X_OK) != 0) skip();
    for (int fd = 3; fd < 1000; fd++) {
        const int flags = fcntl(fd, F_GETFD);
        struct stat about;
        inherited += flags >= 0 && (flags & FD_CLOEXEC) == 0 && fstat(fd, &about) == 0 &&
                     S_ISFIFO(about.st_mode);
    }
    put(in("own"), "x");
    const int own = open(in("own"), O_RDONLY | O_CLOEXEC);
    assert_int_equal(run("for f in /proc/$$/fd/*; do readlink $f; done", (wadi_child){0}, out,
                         sizeof out, &code),
                     WADI_CHILD_EXITED);
    assert_int_equal(close(own), 0);
    assert_null(strstr(out, "/own"));
    for (const char *at = out; (at = strstr(at, "pipe:")) != NULL; at++) pipes++;
    assert_in_range(pipes - inherited, 2, 3);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, fresh_folder, remove_folder)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_files_are_counted),
        CASE(every_end_is_told),
        CASE(what_is_no_program_says_why),
        CASE(the_beginning_of_what_it_writes_is_kept),
        CASE(it_is_as_nice_as_asked),
        CASE(only_one_variable_of_its_environment_is_another),
        CASE(it_begins_with_the_usual_signals),
        CASE(it_may_clean_up_when_its_time_is_up),
        CASE(it_gets_no_files_of_the_caller),
        cmocka_unit_test(no_file_is_left_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
