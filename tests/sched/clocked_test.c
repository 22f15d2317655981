/* Devices whose calls are timed: what is told of them, what does not count, and failures that are told by the wait that the caller makes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/error.h"
#include "base/file.h"
#include "sched/clocked.h"
#include "wadi/log.h"

/* ---- a slow device ---- */

enum { CALL_MS = 20, COPY_MS = 300 };

typedef struct slow {
    wadi_device base;
    wadi_residence residence;
    wadi_traffic traffic;
    int copying; /* copies that have not ended: `wait` takes their time */
    int failures, gone;
} slow;

static slow *slow_of(const wadi_device *self) {
    return (slow *)(uintptr_t)self;
}

static void pause_ms(int ms) {
    const struct timespec t = {.tv_nsec = ms * 1000000L};
    (void)nanosleep(&t, NULL);
}

static void launch(wadi_device *self, wadi_launch *l) {
    WADI_UNUSED(self);
    WADI_UNUSED(l);
    pause_ms(CALL_MS);
}

static int64_t count(wadi_device *self, const void *bools, int64_t n) {
    WADI_UNUSED(self);
    WADI_UNUSED(bools);
    pause_ms(CALL_MS);
    return n - 1;
}

static wadi_status wait_for(wadi_device *self, wadi_error *err) {
    slow *d = slow_of(self);
    if (d->copying > 0) pause_ms(COPY_MS);
    d->copying = 0;
    if (d->failures-- > 0) return wadi_fail(err, WADI_IO, "lost");
    return WADI_OK;
}

static void destroy(wadi_device *self) {
    slow_of(self)->gone++;
}

static const wadi_device_ops ops = {
    .destroy = destroy, .launch = launch, .count = count, .wait = wait_for};

static void make(slow *d) {
    *d = (slow){.base = {.ops = &ops, .residence = &d->residence}};
    d->residence.traffic = &d->traffic;
}

static void path_of(char path[64]) {
    (void)snprintf(path, 64, "clocked-%d", (int)getpid());
    (void)remove(path);
    assert_int_equal(setenv("WADI_DEVICE_TIMES", path, 1), 0);
}

/* ---- tests ---- */

static void without_the_variable_nothing_is_around_it(void **state) {
    (void)state;
    slow d;
    make(&d);
    assert_int_equal(unsetenv("WADI_DEVICE_TIMES"), 0);
    assert_ptr_equal(wadi_clocked("x", &d.base), &d.base);
    assert_int_equal(setenv("WADI_DEVICE_TIMES", "", 1), 0);
    assert_ptr_equal(wadi_clocked("x", &d.base), &d.base);
}

static void calls_count_and_copies_do_not(void **state) {
    (void)state;
    char path[64], name[16], *text = NULL;
    size_t n = 0;
    path_of(path);
    for (int i = 0; i < 2; i++) {
        slow d;
        wadi_launch l = {.n = 1};
        make(&d);
        wadi_device *c = wadi_clocked("slow:7", &d.base);
        assert_ptr_not_equal(c, &d.base);
        assert_ptr_equal(c->residence, &d.residence);
        d.copying = 1;
        c->ops->launch(c, &l);
        d.copying = 1;
        assert_int_equal(c->ops->count(c, NULL, 8), 7);
        d.traffic.put = 30;
        d.traffic.got = 40;
        c->ops->destroy(c);
        assert_int_equal(d.gone, 1);
    }
    assert_int_equal(wadi_file_read(path, &text, &n, NULL), WADI_OK);
    char *line = text;
    for (int i = 0; i < 2; i++) {
        int calls = 0, put = 0, got = 0, end = 0;
        double seconds = 0;
        assert_int_equal(
            sscanf(line, "%15s %d %lf %d %d%n", name, &calls, &seconds, &put, &got, &end), 5);
        assert_string_equal(name, "slow:7");
        assert_int_equal(calls, 2);
        assert_true(seconds >= 2e-3 * CALL_MS && seconds < 1e-3 * COPY_MS);
        assert_int_equal(put, 30);
        assert_int_equal(got, 40);
        line += end + 1;
    }
    assert_int_equal(line - text, n);
    free(text);
    (void)remove(path);
}

/* It may be told before or behind a call: the caller's wait tells it, once. */
static void failures_are_kept_for_the_caller(void **state) {
    (void)state;
    char path[64];
    path_of(path);
    for (int failures = 0; failures < 3; failures++) {
        slow d;
        wadi_launch l = {.n = 1};
        wadi_error err = {0};
        make(&d);
        wadi_device *c = wadi_clocked("slow", &d.base);
        d.failures = failures;
        c->ops->launch(c, &l);
        assert_int_equal(c->ops->wait(c, &err), failures > 0 ? WADI_IO : WADI_OK);
        if (failures > 0) assert_string_equal(err.msg, "lost");
        assert_int_equal(c->ops->wait(c, &err), WADI_OK);
        d.failures = 1;
        assert_int_equal(c->ops->wait(c, NULL), WADI_IO);
        c->ops->destroy(c);
    }
    (void)remove(path);
}

static void listen(void *env, wadi_log_level level, const char *line) {
    if (level == WADI_LOG_WARNING && strstr(line, "/nowhere/at/all") != NULL) ++*(int *)env;
}

static void a_file_that_cannot_be_written_is_a_warning(void **state) {
    (void)state;
    int warnings = 0;
    slow d;
    make(&d);
    assert_int_equal(setenv("WADI_DEVICE_TIMES", "/nowhere/at/all", 1), 0);
    wadi_device *c = wadi_clocked("slow", &d.base);
    wadi_log_set(listen, &warnings);
    c->ops->destroy(c);
    wadi_log_set(NULL, NULL);
    assert_int_equal(warnings, 1);
    assert_int_equal(d.gone, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_the_variable_nothing_is_around_it),
        cmocka_unit_test(calls_count_and_copies_do_not),
        cmocka_unit_test(failures_are_kept_for_the_caller),
        cmocka_unit_test(a_file_that_cannot_be_written_is_a_warning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
