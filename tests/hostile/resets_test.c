/* Two runs over a link whose connection is reset two hundred times: the output has the same bytes. Runs that are saved wait for each other (--wait). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <signal.h>
#include <fcntl.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "tests/nats/server.h"
#include "tests/port.h"

enum { RESETS = 200, EACH = 20000, NUMBERS = 800000 };

static char folder[64];

static const char *in_folder(const char *name) {
    static char buffers[4][128];
    static int next;
    char *out = buffers[next++ % 4];
    (void)snprintf(out, sizeof buffers[0], "%s/%s", folder, name);
    return out;
}

static void put(const char *name, const void *bytes, size_t n) {
    assert_int_equal(wadi_file_write(in_folder(name), bytes, n, 0600, NULL), WADI_OK);
}

static void put_program(const char *name, const char *input) {
    char text[256];
    const int n = snprintf(text, sizeof text,
                           "program p\nstream_in %s : seq(f64[?])\ny = map_seq %s (b) {\n"
                           "  h = map b (x) { add x 1.0 }\n  yield h\n}\nstream_out \"out\" y\n",
                           input, input);
    put(name, text, (size_t)n);
}

static double number(int i) {
    return (double)(i * INT64_C(7919) % 1000003);
}

static void put_input(void) {
    double *x = malloc(NUMBERS * sizeof *x);
    assert_non_null(x);
    for (int i = 0; i < NUMBERS; i++) x[i] = number(i);
    put("in.raw", x, NUMBERS * sizeof *x);
    free(x);
}

/* wadi run with these places, in the folder. */
static pid_t run(const char *program, const char *from, const char *to, const char *said,
                 const char *state) {
    char path[512];
    (void)snprintf(path, sizeof path, "%s/cli/wadi", getenv("WADI_BUILD"));
    const pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid != 0) return pid;
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    const int log = chdir(folder) == 0 ? open(said, O_WRONLY | O_CREAT, 0600) : -1;
    (void)dup2(log, 2);
    (void)execl(path, "wadi", "run", program, from, to, "--wait", "30", "--chunk", "10", "--state",
                state, "--every", "0.05", (char *)NULL);
    _exit(127);
}

static void tell(const char *name) {
    char *text = NULL;
    size_t n = 0;
    if (wadi_file_read(in_folder(name), &text, &n, NULL) != WADI_OK) return;
    (void)fprintf(stderr, "-- %s: %s\n", name, text);
    free(text);
}

static void the_output_is_whole(void) {
    char *got = NULL;
    size_t n = 0;
    assert_int_equal(wadi_file_read(in_folder("out.raw"), &got, &n, NULL), WADI_OK);
    assert_int_equal(n, NUMBERS * sizeof(double));
    for (int i = 0; i < NUMBERS; i++) {
        double x;
        memcpy(&x, got + (size_t)i * sizeof x, sizeof x);
        if (x != number(i) + 2) fail_msg("number %d is %.17g", i, x);
    }
    free(got);
}

static void a_link_that_is_reset_loses_nothing(void **state) {
    (void)state;
    char from[64], to[64];
    int port = 0;
    (void)alarm(600);
    const int end = test_port();
    test_proxy *proxy = test_proxy_start(end, &port);
    test_proxy_reset_each(proxy, EACH, RESETS);
    (void)snprintf(from, sizeof from, "mid=@tcp://127.0.0.1:%d", end);
    (void)snprintf(to, sizeof to, "out=@tcp://127.0.0.1:%d", port);
    const pid_t receiver = run("second.wadi", from, "out=@out.raw", "receiver", "got");
    const pid_t sender = run("first.wadi", "s=100:@in.raw", to, "sender", "sent");
    const int first = test_wait(sender), second = test_wait(receiver);
    if (first != 0) tell("sender");
    if (second != 0) tell("receiver");
    assert_int_equal(first, 0);
    assert_int_equal(second, 0);
    the_output_is_whole();
    assert_int_equal(test_proxy_resets(proxy), RESETS);
    test_proxy_end(proxy);
    (void)alarm(0);
}

int main(void) {
    char command[128];
    if (getenv("WADI_BUILD") == NULL) return 77;
    (void)snprintf(folder, sizeof folder, "/tmp/wadi-resets-XXXXXX");
    if (mkdtemp(folder) == NULL) return 1;
    put_program("first.wadi", "s");
    put_program("second.wadi", "mid");
    put_input();
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_link_that_is_reset_loses_nothing)};
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    (void)snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command) != 0 ? 1 : failed;
}
