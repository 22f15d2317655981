/* Workers whose answers make no sense: home computes what they were for, says so a few times of each worker, and in the end how often it was. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/text.h"
#include "base/thread.h"
#include "sched/state.h"
#include "sched/work/ways.h"
#include "wadi/wadi.h"

static const char address[] = "ipc://worker_answers_test.sock";
static const char trace[] = "worker_answers_test.json";
static const char text[] = "program sums\nstream_in s : seq(i32[4])\n"
                           "t = map_seq s (x) {\n    y = map x (v) { add v 1i32 }\n    yield y\n}\n"
                           "r = fold_seq t 0i32 (n, y) {\n"
                           "    z = fold 0i32 y (a, b) { add a b }\n"
                           "    m = unit { add (the n) (the z) }\n    yield m\n}\noutput r\n";
enum { CHUNK = 5, ITEMS = 200, ELEMENTS = ITEMS * CHUNK };

/* ---- what is logged ---- */

static atomic_int one_by_one, of_a, of_b, in_all;
static char sum[400];

static void hear(void *env, wadi_log_level level, const char *line) {
    WADI_UNUSED(env);
    WADI_UNUSED(level);
    if (strstr(line, "is not used") != NULL) atomic_fetch_add(&one_by_one, 1);
    if (strstr(line, "an answer of a:1 is not used") != NULL) atomic_fetch_add(&of_a, 1);
    if (strstr(line, "an answer of b:2 is not used") != NULL) atomic_fetch_add(&of_b, 1);
    if (strstr(line, "were not used") == NULL) return;
    atomic_fetch_add(&in_all, 1);
    (void)snprintf(sum, sizeof sum, "%s", line);
}

/* ---- the worker: its answers are a report, if it is to tell who it is, and nonsense ---- */

typedef struct nonsense {
    wadi_workq *queue;
    bool named;
    atomic_int answers;
} nonsense;

static void write_answer(const nonsense *w, int64_t number, wadi_text *out) {
    wadi_text body = {0};
    wadi_state_put_text(&body, number % 2 == 0 ? "a:1" : "b:2");
    wadi_state_put(&body, 5);
    wadi_state_put(out, (int64_t)body.n);
    wadi_text_add_n(out, body.at, body.n);
    wadi_state_put(out, (int64_t)wadi_crc32c(0, body.at, body.n));
    if (!w->named) wadi_text_clear(out);
    wadi_text_add(out, "nonsense");
    wadi_text_fini(&body);
}

static void answer_all(nonsense *w) {
    wadi_workq *q = w->queue;
    for (;;) {
        wadi_work_item item = {.number = -1};
        wadi_text t = {0};
        assert_int_equal(q->ops->fetch(q, &item, NULL), WADI_OK);
        if (item.number < 0) return;
        write_answer(w, item.number, &t);
        free(item.bytes);
        const wadi_work_item answer = {
            .number = item.number, .bytes = t.at, .n = (int64_t)t.n, .status = WADI_OK};
        atomic_fetch_add(&w->answers, 1);
        assert_int_equal(q->ops->answer(q, &answer, NULL), WADI_OK);
        wadi_text_fini(&t);
    }
}

static void work(void *env) {
    nonsense *w = env;
    void *charter = NULL;
    int64_t n = 0;
    assert_int_equal(w->queue->ops->charter(w->queue, &charter, &n, NULL), WADI_OK);
    if (charter != NULL) answer_all(w);
    free(charter);
}

/* ---- home ---- */

static int32_t run_home(bool traced) {
    static int32_t data[ELEMENTS * 4];
    const wadi_array a = {
        .rank = 2, .fields = 1, .type = {WADI_I32}, .shape = {ELEMENTS, 4}, .column = {data}};
    const wadi_run_options o = {.threads = 1,
                                .chunk = CHUNK,
                                .forget = true,
                                .via = address,
                                .workers = 1,
                                .trace = traced ? trace : NULL,
                                .watchdog_s = 1e9};
    wadi_exe *exe = NULL;
    wadi_run *run = NULL;
    wadi_source *source = NULL;
    wadi_array result;
    wadi_error err = {0};
    for (int i = 0; i < ELEMENTS * 4; i++) data[i] = i;
    assert_int_equal(wadi_compile_text(text, "sums", NULL, &exe, NULL), WADI_OK);
    assert_int_equal(wadi_run_create(exe, &o, &run, NULL), WADI_OK);
    assert_int_equal(wadi_source_memory(&a, &source, NULL), WADI_OK);
    assert_int_equal(wadi_run_source(run, "s", source, NULL), WADI_OK);
    if (wadi_run_go(run, &err) != WADI_OK) fail_msg("%s", err.msg);
    assert_int_equal(wadi_run_result(run, "r", &result, NULL), WADI_OK);
    const int32_t r = *(const int32_t *)result.column[0];
    wadi_run_destroy(run);
    wadi_source_destroy(source);
    wadi_exe_destroy(exe);
    (void)unlink(trace);
    return r;
}

/* How many answers the worker has given. */
static int run_both(bool named) {
    const wadi_workq_options o = {.address = address, .wake_fd = -1};
    nonsense w = {.named = named};
    wadi_thread thread;
    atomic_store(&one_by_one, 0);
    atomic_store(&of_a, 0);
    atomic_store(&of_b, 0);
    atomic_store(&in_all, 0);
    assert_int_equal(wadi_way_open(&o, &w.queue, NULL), WADI_OK);
    assert_int_equal(wadi_thread_start(&thread, work, &w, NULL), WADI_OK);
    wadi_log_set(hear, NULL);
    assert_int_equal(run_home(named), ELEMENTS * 4 * (ELEMENTS * 4 - 1) / 2 + ELEMENTS * 4);
    wadi_thread_join(&thread);
    wadi_workq_close(w.queue);
    wadi_log_set(NULL, NULL);
    return atomic_load(&w.answers);
}

/* Who is held up long enough may be late, and have his answers dropped: so there may be fewer. */
static void assert_sum(int most) {
    int n = 0;
    const char *colon = strstr(sum, ": ");
    assert_int_equal(atomic_load(&in_all), 1);
    assert_non_null(colon);
    assert_int_equal(sscanf(colon, ": %d answers of workers were not used", &n), 1);
    assert_in_range(n, 4, most);
}

static void nonsense_is_told_a_few_times(void **state) {
    WADI_UNUSED(state);
    const int answers = run_both(false);
    assert_int_equal(atomic_load(&one_by_one), 3);
    assert_sum(answers);
}

static void nonsense_is_told_of_each_worker(void **state) {
    WADI_UNUSED(state);
    const int answers = run_both(true);
    assert_int_equal(atomic_load(&of_a), 3);
    assert_int_equal(atomic_load(&of_b), 3);
    assert_int_equal(atomic_load(&one_by_one), 6);
    assert_sum(answers);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(nonsense_is_told_a_few_times),
                                       cmocka_unit_test(nonsense_is_told_of_each_worker)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
