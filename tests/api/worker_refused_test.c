/* A worker whose home is another version of wadi, or has made another plan of the same text, says so and does nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/thread.h"
#include "sched/state.h"
#include "sched/work/ways.h"
#include "wadi/wadi.h"
#include "wadi/work.h"

static const char address[] = "ipc://worker_refused_test.sock";
static const int64_t second = INT64_C(1000000000);

typedef struct at_work {
    wadi_thread thread;
    wadi_worker *worker;
    wadi_status status;
    wadi_error err;
    atomic_bool ended;
} at_work;

static void work(void *env) {
    at_work *w = env;
    w->status = wadi_worker_go(w->worker, &w->err);
    wadi_worker_destroy(w->worker);
    atomic_store(&w->ended, true);
}

/* A charter without values, as home writes it. */
static void write_charter(const char *version, const char *program, wadi_text *out) {
    static const char hash[] = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";
    wadi_text p = {0};
    wadi_state_put_text(&p, ""); /* libraries */
    wadi_state_put(&p, 0);       /* options */
    wadi_state_put_text(&p, ""); /* passes that are left out */
    wadi_state_put_text(&p, ""); /* its file */
    wadi_state_put_text(&p, program);
    wadi_state_put_text(out, "wadi charter 4");
    wadi_state_put_text(out, version);
    wadi_state_put_text(out, hash);
    wadi_state_put(out, (int64_t)p.n);
    wadi_text_add_n(out, p.at, p.n);
    for (int i = 0; i < 4; i++) wadi_state_put(out, 0); /* phase, stage, reports, values */
    wadi_state_put(out, (int64_t)wadi_crc32c(0, out->at, out->n));
    assert_false(p.failed || out->failed);
    wadi_text_fini(&p);
}

/* What the worker says of it. */
static wadi_status worker_of(const wadi_text *charter, wadi_error *out_err) {
    const wadi_workq_options o = {
        .address = address, .home = true, .memory = 1 << 20, .wake_fd = -1};
    const wadi_worker_options w = {.wait_s = 60};
    at_work a = {.status = WADI_OK};
    wadi_workq *home = NULL;
    wadi_work_item answer = {.number = -1};
    assert_int_equal(wadi_way_open(&o, &home, NULL), WADI_OK);
    assert_int_equal(home->ops->offer(home, charter->at, (int64_t)charter->n, NULL), WADI_OK);
    assert_int_equal(home->ops->submit(home, 0, "item", 4, NULL), WADI_OK);
    assert_int_equal(wadi_worker_create(address, &w, &a.worker, NULL), WADI_OK);
    assert_int_equal(wadi_thread_start(&a.thread, work, &a, NULL), WADI_OK);
    while (!atomic_load(&a.ended)) {
        assert_int_equal(home->ops->collect(home, second / 50, &answer, NULL), WADI_OK);
        assert_int_equal(answer.number, -1); /* nobody has computed anything */
        assert_int_equal(home->ops->workers(home), 0);
    }
    wadi_thread_join(&a.thread);
    wadi_workq_close(home);
    *out_err = a.err;
    return a.status;
}

static void refused(const char *version, const char *program, wadi_status status,
                    const char *says) {
    wadi_text charter = {0};
    wadi_error err = {.status = WADI_OK};
    write_charter(version, program, &charter);
    assert_int_equal(worker_of(&charter, &err), status);
    if (strstr(err.msg, says) == NULL) fail_msg("%s", err.msg);
    wadi_text_fini(&charter);
}

static const char program[] =
    "program p\nstream_in s : seq(f64)\n"
    "t = map_seq s (x) {\n    y = unit { mul (the x) 2.0 }\n    yield y\n}\n"
    "stream_out \"t\" t\n";

static void another_version_is_refused(void **unused) {
    (void)unused;
    refused("7.6.5", program, WADI_UNSUPPORTED,
            "home is wadi 7.6.5, and this is wadi " WADI_VERSION);
}

static void another_plan_is_refused(void **unused) {
    (void)unused;
    refused(WADI_VERSION, program, WADI_UNSUPPORTED,
            "the program compiles to another plan here than at home");
}

static void a_program_that_is_none_is_refused(void **unused) {
    (void)unused;
    refused(WADI_VERSION, "program p\nt = nonsense\n", WADI_INVALID, "expected an operator");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(another_version_is_refused),
        cmocka_unit_test(another_plan_is_refused),
        cmocka_unit_test(a_program_that_is_none_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
