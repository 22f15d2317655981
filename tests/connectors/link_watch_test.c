/* A watchdog sees a source that waits for its sender while it is opened, before the run begins. The test's clock advances a second
 * every few milliseconds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/thread.h"
#include "connectors/visibility.h"
#include "wadi/log.h"
#include "wadi/stream.h"

static atomic_llong now_ns;

static int64_t now(void) {
    return atomic_load(&now_ns);
}

static void go_on(void *env) {
    (void)env;
    for (;; (void)nanosleep(&(struct timespec){0, 5000000}, NULL))
        atomic_fetch_add(&now_ns, 1000000000);
}

/* The first warning goes to the test, and the process has done what it is for. */
static void tell(void *env, wadi_log_level level, const char *text) {
    const int to = *(const int *)env;
    if (level != WADI_LOG_WARNING) return;
    _exit(write(to, text, strlen(text)) < 0);
}

static void wait_for_a_sender(bool visibilities, int to) {
    char address[64];
    wadi_thread clock;
    const wadi_link_options options = {.bind = true, .first_after_ms = 600000};
    (void)snprintf(address, sizeof address, "ipc:///tmp/wadi-link-watch-%d", (int)getpid());
    wadi_log_set(tell, &to);
    wadi_clock_set(now);
    if (wadi_thread_start(&clock, go_on, NULL, NULL) != WADI_OK) _exit(2);
    wadi_vis *v = NULL;
    wadi_source *s = NULL;
    const wadi_status status = visibilities ? wadi_vis_listen(address, &options, &v, NULL)
                                            : wadi_source_link(address, &options, &s, NULL);
    _exit(status == WADI_OK ? 3 : 4); /* nobody sends, and nobody gives up */
}

static void warned(bool visibilities, const char *words) {
    int ends[2], status = 0;
    char said[500] = "";
    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) wait_for_a_sender(visibilities, ends[1]);
    (void)close(ends[1]);
    assert_true(read(ends[0], said, sizeof said - 1) > 0);
    (void)close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    if (strstr(said, words) == NULL) fail_msg("%s", said);
    char socket[64];
    (void)snprintf(socket, sizeof socket, "/tmp/wadi-link-watch-%d", (int)child);
    (void)unlink(socket);
}

static void a_stream_that_does_not_begin_is_told(void **state) {
    (void)state;
    warned(false, "link source waits");
    warned(true, "link source waits");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stream_that_does_not_begin_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
