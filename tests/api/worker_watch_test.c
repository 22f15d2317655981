/* A body that hangs in a worker: its watchdog says where, and the run goes on without it. The clock is the test's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/task.h"
#include "base/thread.h"
#include "wadi/wadi.h"
#include "wadi/work.h"

/* Nobody is silent by a clock that runs ahead of the threads that tell of life. */
static const char address[] = "ipc://worker_watch_test.sock?silence=0";
static const char text[] =
    "program hanging\nstream_in s : seq(i32[4])\n"
    "t = map_seq s (x) {\n    y = foreign \"hang\" dims=1 arrays=1 x 4 (a) {\n"
    "        b = map a (v) { add v 1i32 }\n        yield b\n    }\n    yield y\n}\n"
    "r = fold_seq t 0i32 (n, y) {\n    z = fold 0i32 y (a, b) { add a b }\n"
    "    m = unit { add (the n) (the z) }\n    yield m\n}\noutput r\n";
enum { CHUNK = 5, ELEMENTS = 8 * CHUNK };

/* ---- the clock ---- */

static atomic_llong now_ns;
static atomic_bool hangs;

/* A millisecond goes by each time somebody looks, and while a body hangs, a second. */
static int64_t hasty(void) {
    return atomic_fetch_add(&now_ns, atomic_load(&hangs) ? 1000000000 : 1000000);
}

/* ---- the body ---- */

static wadi_mutex lock;
static wadi_condition heard;
static bool told;
static char line[1024]; /* what the watchdog of the worker has said */

/* In the worker it hangs until the watchdog has said so. Both ends are in this process: only the worker's task has this name. */
static wadi_status hang(void *env, int n, const wadi_foreign_array *in,
                        const wadi_foreign_array *out, wadi_error *err) {
    WADI_UNUSED(env);
    WADI_UNUSED(n);
    WADI_UNUSED(err);
    for (int64_t i = 0; i < out->shape[0]; i++)
        ((int32_t *)out->data)[i] = ((const int32_t *)in[0].data)[i] + 1;
    if (strcmp(wadi_task_now()->name, "worker") != 0) return WADI_OK;
    wadi_mutex_lock(&lock);
    atomic_store(&hangs, !told);
    while (!told) wadi_condition_wait(&heard, &lock);
    atomic_store(&hangs, false);
    wadi_mutex_unlock(&lock);
    return WADI_OK;
}

static void hear(void *env, wadi_log_level level, const char *message) {
    WADI_UNUSED(env);
    WADI_UNUSED(level);
    if (strstr(message, "worker works") == NULL) return;
    wadi_mutex_lock(&lock);
    if (!told) (void)snprintf(line, sizeof line, "%s", message);
    told = true;
    wadi_condition_broadcast(&heard);
    wadi_mutex_unlock(&lock);
}

/* ---- both ends ---- */

static void work(void *env) {
    assert_int_equal(wadi_worker_go(env, NULL), WADI_OK);
}

static int32_t run_home(void) {
    static int32_t data[ELEMENTS * 4];
    const wadi_array a = {
        .rank = 2, .fields = 1, .type = {WADI_I32}, .shape = {ELEMENTS, 4}, .column = {data}};
    const wadi_run_options o = {.threads = 1,
                                .chunk = CHUNK,
                                .forget = true,
                                .via = address,
                                .workers = 1,
                                .watchdog_s = 1e9};
    wadi_exe *exe = NULL;
    wadi_run *run = NULL;
    wadi_source *source = NULL;
    wadi_array result;
    wadi_error err = {0};
    for (int i = 0; i < ELEMENTS * 4; i++) data[i] = i;
    assert_int_equal(wadi_compile_text(text, "hanging", NULL, &exe, NULL), WADI_OK);
    assert_int_equal(wadi_run_create(exe, &o, &run, NULL), WADI_OK);
    assert_int_equal(wadi_source_memory(&a, &source, NULL), WADI_OK);
    assert_int_equal(wadi_run_source(run, "s", source, NULL), WADI_OK);
    if (wadi_run_go(run, &err) != WADI_OK) fail_msg("%s", err.msg);
    assert_int_equal(wadi_run_result(run, "r", &result, NULL), WADI_OK);
    const int32_t sum = *(const int32_t *)result.column[0];
    wadi_run_destroy(run);
    wadi_source_destroy(source);
    wadi_exe_destroy(exe);
    return sum;
}

static void a_body_that_hangs_is_named(void **state) {
    WADI_UNUSED(state);
    const wadi_worker_options o = {.threads = 1};
    wadi_worker *worker = NULL;
    wadi_thread thread;
    assert_int_equal(wadi_mutex_init(&lock, NULL), WADI_OK);
    assert_int_equal(wadi_condition_init(&heard, NULL), WADI_OK);
    assert_int_equal(wadi_foreign_add("hang", hang, NULL, NULL), WADI_OK);
    wadi_clock_set(hasty);
    wadi_log_set(hear, NULL);
    assert_int_equal(wadi_worker_create(address, &o, &worker, NULL), WADI_OK);
    assert_int_equal(wadi_thread_start(&thread, work, worker, NULL), WADI_OK);
    assert_int_equal(run_home(), ELEMENTS * 4 * (ELEMENTS * 4 - 1) / 2 + ELEMENTS * 4);
    wadi_thread_join(&thread);
    wadi_worker_destroy(worker);
    wadi_log_set(NULL, NULL);
    wadi_clock_set(NULL);
    wadi_condition_fini(&heard);
    wadi_mutex_fini(&lock);
    if (strstr(line, "no progress for") == NULL ||
        strstr(line, "elements from 0 (stream_in, line 2)") == NULL)
        fail_msg("\"%s\"", line);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_body_that_hangs_is_named)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
