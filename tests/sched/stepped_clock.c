#include "tests/sched/stepped_clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/thread.h"

enum { STEP_US = 5000 };

static atomic_llong now_ns;
static atomic_bool ended;
static wadi_thread thread;

static int64_t now(void) {
    return atomic_load(&now_ns);
}

static void step(void *env) {
    (void)env;
    for (; !atomic_load(&ended); (void)nanosleep(&(struct timespec){0, STEP_US * 1000L}, NULL))
        atomic_fetch_add(&now_ns, 1000000000);
}

void stepped_clock_start(void) {
    atomic_store(&ended, false);
    wadi_clock_set(now);
    assert_int_equal(wadi_thread_start(&thread, step, NULL, NULL), WADI_OK);
}

void stepped_clock_end(void) {
    atomic_store(&ended, true);
    wadi_thread_join(&thread);
    wadi_clock_set(NULL);
}
