/* A device that hangs: the watchdog says who waits for which, however the host came to wait. The clock is the test's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/task.h"
#include "tests/sched/gpu_bench.h"

enum { LOOKS = 2000 };

static const int64_t patience = (int64_t)10e9;
static _Atomic int64_t now_ns;
static atomic_bool named;

static int64_t now(void) {
    return atomic_load(&now_ns);
}

static void hear(void *env, wadi_log_level level, const char *line) {
    (void)env;
    (void)level;
    if (strstr(line, "tester waits") != NULL && strstr(line, "for the device (groups)") != NULL)
        atomic_store(&named, true);
}

/* Time passes, and nothing else happens until somebody has named the device. */
static void hang(void) {
    atomic_store(&named, false);
    atomic_fetch_add(&now_ns, 2 * patience);
    for (int i = 0; i < LOOKS && !atomic_load(&named); i++)
        (void)nanosleep(&(struct timespec){0, 5000000}, NULL);
}

static const wadi_gpu_driver_ops *real;

static void slow_get(wadi_gpu_driver *self, void *to, const void *from, size_t bytes) {
    hang();
    real->get(self, to, from, bytes);
}

static wadi_status slow_wait(wadi_gpu_driver *self, wadi_error *err) {
    hang();
    return real->wait(self, err);
}

static void the_watchdog_names_the_device(void **state) {
    gpu_bench b;
    wadi_waits *waits = NULL;
    int64_t value = 7;
    (void)state;
    wadi_clock_set(now);
    wadi_log_set(hear, NULL);
    assert_int_equal(wadi_waits_create(patience, &waits, NULL), WADI_OK);
    const wadi_task before = wadi_task_begin((wadi_task){.name = "tester", .waits = waits});
    gpu_bench_open(&b, 1 << 20, NULL);
    real = b.driver->ops;
    void *block = gpu_bench_block(&b, &value, sizeof value);
    wadi_gpu_driver_ops slow = *real;
    b.driver->ops = &slow;

    slow.get = slow_get;
    gpu_bench_get(&b, &value, wadi_buffers_address(block), sizeof value);
    assert_true(atomic_load(&named));
    slow.get = real->get;
    slow.wait = slow_wait;
    assert_int_equal(wadi_residence_check(b.device->residence, NULL), WADI_OK);
    assert_true(atomic_load(&named));
    assert_int_equal(b.device->ops->wait(b.device, NULL), WADI_OK);
    assert_true(atomic_load(&named));

    b.driver->ops = real;
    wadi_buffers_put(block);
    gpu_bench_close(&b);
    wadi_task_end(before);
    wadi_waits_destroy(waits);
    wadi_log_set(NULL, NULL);
    wadi_clock_set(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_watchdog_names_the_device),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
