/* A port that waits, as the watchdog sees it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/log.h"
#include "base/stop.h"
#include "sched/run.h"
#include "sched/transport/port.h"
#include "tests/sched/stepped_clock.h"

typedef struct heard {
    wadi_stop stop;
    char line[1024];
} heard;

static void hear(void *env, wadi_log_level level, const char *line) {
    heard *h = env;
    (void)level;
    if (strstr(line, "compute waits") == NULL) return; /* a slow machine may stand still earlier */
    (void)snprintf(h->line, sizeof h->line, "%s", line);
    wadi_stop_call(&h->stop);
}

/* It looks at its socket again and again; that is no progress. */
static void a_port_that_waits_is_named(void **state) {
    (void)state;
    heard h = {.line = ""};
    wadi_port *port = NULL;
    wadi_chunk *c = NULL;
    wadi_error err = {.status = WADI_OK};
    int fd = -1;
    assert_int_equal(wadi_stop_init(&h.stop, NULL, NULL), WADI_OK);
    assert_int_equal(wadi_stop_fd(&h.stop, &fd, NULL), WADI_OK);
    wadi_log_set(hear, &h);
    stepped_clock_start();
    wadi_waits *waits = NULL;
    assert_int_equal(wadi_waits_create((int64_t)(WADI_WATCHDOG_S * 1e9), &waits, NULL), WADI_OK);
    const wadi_port_options options = {.address = "ipc://port_test.sock",
                                       .bind = true,
                                       .owner = "compute",
                                       .other = "source",
                                       .waits = waits,
                                       .wake_fd = fd,
                                       .first_after_ns = -1,
                                       .credit_chunks = 2,
                                       .credit_bytes = 1 << 20};
    assert_int_equal(wadi_port_open(&options, &port, &err), WADI_OK);
    if (wadi_port_receive(port, &c, &err) != WADI_CANCELLED) fail_msg("%s", err.msg);
    wadi_port_close(port);
    wadi_waits_destroy(waits);
    stepped_clock_end();
    wadi_log_set(NULL, NULL);
    double seconds = 0;
    assert_int_equal(sscanf(strstr(h.line, "compute waits"), "compute waits %lf s for", &seconds),
                     1);
    assert_true(seconds >= 10);
    assert_non_null(strstr(h.line, "s for chunk 0 (source)"));
    wadi_stop_fini(&h.stop);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_port_that_waits_is_named)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
