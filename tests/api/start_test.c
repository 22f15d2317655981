/* Runs one after another and at the same time: a run finds what earlier runs have saved, and nothing else of them. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/thread.h"
#include "wadi/wadi.h"

enum { N = 40, RUNS = 50 };

/* ---- programs ---- */

typedef enum form { WHOLE, TABULATE, ELEMENTS, SINK, CALLBACK, FORMS } form;

static wadi_acc sum_of_prefix(void *env, wadi_acc i) {
    return wadi_sum(wadi_gather(wadi_iota(WADI_I64, wadi_the(i)), *(const wadi_acc *)env));
}

static wadi_exp twice(wadi_exp x) {
    return wadi_add(x, x);
}

/* Element i of the stream is table[0] + .. + table[i - 1]. */
static wadi_exe *compile(form f) {
    wadi_error err = {0};
    wadi_exe *exe = NULL;
    wadi_program *p = wadi_program_create("start");
    wadi_acc table = wadi_input("table", WADI_I64, 1, NULL);
    const wadi_acc counts = wadi_input("counts", WADI_I64, 1, NULL);
    const wadi_seq s = wadi_map_seq_env(sum_of_prefix, &table, wadi_to_seq(counts));
    if (f == WHOLE) wadi_output("r", wadi_compute(wadi_map(twice, table)));
    if (f == TABULATE) wadi_output("r", wadi_consume(wadi_tabulate(s)));
    if (f == ELEMENTS) wadi_output("r", wadi_consume(wadi_elements(s)));
    if (f == SINK || f == CALLBACK) wadi_stream_out(s, "r");
    if (wadi_compile(p, NULL, &exe, &err) != WADI_OK) fail_msg("%s", err.msg);
    wadi_program_destroy(p);
    return exe;
}

static int64_t want(form f, int64_t i) {
    return f == WHOLE ? 2 * (i + 1) : i * (i + 1) / 2;
}

/* ---- runs ---- */

typedef struct taken {
    int64_t n, fail_at;
    bool wrong;
} taken;

static wadi_status take(void *env, int64_t index, int parts, const wadi_array *element,
                        wadi_error *err) {
    taken *t = env;
    (void)parts;
    if (index == t->fail_at) {
        *err = (wadi_error){.status = WADI_IO, .msg = "enough"};
        return WADI_IO;
    }
    t->wrong = t->wrong || *(const int64_t *)element[0].column[0] != want(CALLBACK, index);
    t->n++;
    return WADI_OK;
}

/* One run over counts 0 .. n - 1; bad: an index is beyond the table from there on. Checks what came out. */
static wadi_status go(const wadi_exe *exe, form f, int threads, int64_t n, int64_t bad,
                      int64_t fail_at) {
    int64_t table[N], counts[N];
    for (int64_t i = 0; i < N; i++) {
        table[i] = i + 1;
        counts[i] = i < bad ? i : 2 * N;
    }
    const wadi_array in[] = {{1, 1, {WADI_I64}, {N}, {table}}, {1, 1, {WADI_I64}, {n}, {counts}}};
    const wadi_run_options options = {.threads = threads};
    taken t = {.fail_at = fail_at};
    wadi_error err = {0};
    wadi_run *run = NULL;
    wadi_sink *sink = NULL;
    wadi_array r;
    assert_int_equal(wadi_run_create(exe, &options, &run, NULL), WADI_OK);
    assert_int_equal(wadi_run_input(run, "table", &in[0], NULL), WADI_OK);
    assert_int_equal(wadi_run_input(run, "counts", &in[1], NULL), WADI_OK);
    if (f == SINK) assert_int_equal(wadi_sink_memory(&sink, NULL), WADI_OK);
    if (f == CALLBACK) assert_int_equal(wadi_sink_callback(take, &t, &sink, NULL), WADI_OK);
    if (sink != NULL) assert_int_equal(wadi_run_sink(run, "r", sink, NULL), WADI_OK);
    const wadi_status status = wadi_run_go(run, &err);
    if (status == WADI_OK && sink == NULL) {
        assert_int_equal(wadi_run_result(run, "r", &r, NULL), WADI_OK);
        for (int64_t i = 0; i < n; i++)
            assert_int_equal(((const int64_t *)r.column[0])[i], want(f, i));
    }
    /* all before a failure has been delivered */
    const int64_t enough = bad < n ? bad : n;
    if (f == SINK) assert_int_equal(wadi_sink_memory_count(sink), enough);
    for (int64_t i = 0; f == SINK && i < enough; i++) {
        assert_int_equal(wadi_sink_memory_get(sink, i, 0, &r, NULL), WADI_OK);
        assert_int_equal(*(const int64_t *)r.column[0], want(f, i));
    }
    if (f == CALLBACK) assert_int_equal(t.n, fail_at >= 0 ? fail_at : enough);
    assert_false(t.wrong);
    wadi_run_destroy(run);
    wadi_sink_destroy(sink);
    return status;
}

/* ---- threads of this process ---- */

enum { MOST = 64 };
typedef struct census {
    int n;
    long id[MOST];
} census;

/* False where the system does not tell. */
static bool count_threads(census *out) {
    DIR *tasks = opendir("/proc/self/task");
    if (tasks == NULL) return false;
    out->n = 0;
    for (const struct dirent *e = readdir(tasks); e != NULL; e = readdir(tasks))
        if (e->d_name[0] != '.' && out->n < MOST) out->id[out->n++] = strtol(e->d_name, NULL, 10);
    (void)closedir(tasks);
    return true;
}

static bool knows(const census *c, long id) {
    for (int i = 0; i < c->n; i++)
        if (c->id[i] == id) return true;
    return false;
}

static void nothing(void *env) {
    (void)env;
}

static void repeated_runs_start_no_threads(void **state) {
    (void)state;
    wadi_thread first; /* with it sanitizers start theirs */
    assert_int_equal(wadi_thread_start(&first, nothing, NULL, NULL), WADI_OK);
    wadi_thread_join(&first);
    for (int f = 0; f < FORMS; f++) {
        census before = {0}, early = {0}, late = {0};
        if (!count_threads(&before)) skip();
        wadi_exe *exe = compile((form)f);
        for (int i = 0; i < 3; i++) assert_int_equal(go(exe, (form)f, 2, N, N, -1), WADI_OK);
        assert_true(count_threads(&early));
        for (int i = 0; i < RUNS; i++) assert_int_equal(go(exe, (form)f, 2, N, N, -1), WADI_OK);
        assert_true(count_threads(&late));
        /* those of the first runs are still there; a run that was held up may have needed a sink's, and ZeroMQ's */
        for (int i = 0; i < early.n; i++) assert_true(knows(&late, early.id[i]));
        assert_true(late.n <= early.n + 6);
        wadi_exe_destroy(exe);
        /* joined ones may be listed for a moment more */
        for (int i = 0; i < 120000 && late.n > before.n; i++) {
            (void)nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
            assert_true(count_threads(&late));
        }
        assert_int_equal(late.n, before.n);
    }
}

static void a_run_after_a_failure_is_as_good_as_any(void **state) {
    (void)state;
    for (int f = TABULATE; f < FORMS; f++) {
        wadi_exe *exe = compile((form)f);
        for (int i = 0; i < RUNS; i++) {
            assert_int_equal(go(exe, (form)f, 2, N, i % N, -1), WADI_FAULT);
            if (f == CALLBACK) assert_int_equal(go(exe, (form)f, 2, N, N, i % N), WADI_IO);
            assert_int_equal(go(exe, (form)f, 2, N, N, -1), WADI_OK);
        }
        wadi_exe_destroy(exe);
    }
}

/* ---- at once ---- */

typedef struct caller {
    wadi_exe *const *exe; /* [FORMS] */
    int first;
} caller;

static void call(void *env) {
    const caller *c = env;
    for (int i = 0; i < RUNS; i++) {
        const form f = (form)((c->first + i) % FORMS);
        assert_int_equal(go(c->exe[f], f, 1 + i % 3, N, N, -1), WADI_OK);
    }
}

static void runs_at_once_do_not_meet(void **state) {
    (void)state;
    enum { CALLERS = 6 };
    wadi_thread thread[CALLERS];
    caller callers[CALLERS];
    wadi_exe *exe[FORMS];
    for (int f = 0; f < FORMS; f++) exe[f] = compile((form)f);
    for (int i = 0; i < CALLERS; i++) {
        callers[i] = (caller){exe, i};
        assert_int_equal(wadi_thread_start(&thread[i], call, &callers[i], NULL), WADI_OK);
    }
    for (int i = 0; i < CALLERS; i++) wadi_thread_join(&thread[i]);
    for (int f = 0; f < FORMS; f++) wadi_exe_destroy(exe[f]);
}

static void a_forked_child_has_runs_of_its_own(void **state) {
    (void)state;
    const char *sanitizer = getenv("WADI_SANITIZE");
    if (sanitizer != NULL && strstr(sanitizer, "thread") != NULL) skip();
    wadi_exe *exe = compile(CALLBACK);
    assert_int_equal(go(exe, CALLBACK, 2, N, N, -1), WADI_OK);
    const pid_t child = fork();
    if (child == 0) _exit(go(exe, CALLBACK, 2, N, N, -1) == WADI_OK ? 0 : 1);
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(go(exe, CALLBACK, 2, N, N, -1), WADI_OK);
    wadi_exe_destroy(exe);
}

/* ---- a stream that grows old: its sink gets a thread on the way ---- */

static wadi_acc squared(wadi_acc i) {
    return wadi_unit(wadi_mul(wadi_the(i), wadi_the(i)));
}

static void a_long_stream_is_kept_in_order(void **state) {
    (void)state;
    enum { LONG = 100000 };
    static int64_t values[LONG];
    for (int64_t i = 0; i < LONG; i++) values[i] = i;
    const wadi_array in = {1, 1, {WADI_I64}, {LONG}, {values}};
    const wadi_run_options options = {.chunk = 100, .threads = 2};
    wadi_error err = {0};
    wadi_exe *exe = NULL;
    wadi_program *p = wadi_program_create("long");
    wadi_stream_out(wadi_map_seq(squared, wadi_to_seq(wadi_input("v", WADI_I64, 1, NULL))), "r");
    if (wadi_compile(p, NULL, &exe, &err) != WADI_OK) fail_msg("%s", err.msg);
    wadi_program_destroy(p);
    for (int i = 0; i < 3; i++) {
        wadi_run *run = NULL;
        wadi_sink *sink = NULL;
        assert_int_equal(wadi_run_create(exe, &options, &run, NULL), WADI_OK);
        assert_int_equal(wadi_run_input(run, "v", &in, NULL), WADI_OK);
        assert_int_equal(wadi_sink_memory(&sink, NULL), WADI_OK);
        assert_int_equal(wadi_run_sink(run, "r", sink, NULL), WADI_OK);
        assert_int_equal(wadi_run_go(run, NULL), WADI_OK);
        assert_int_equal(wadi_sink_memory_count(sink), LONG);
        for (int64_t k = 0; k < LONG; k++) {
            wadi_array r;
            assert_int_equal(wadi_sink_memory_get(sink, k, 0, &r, NULL), WADI_OK);
            assert_int_equal(*(const int64_t *)r.column[0], k * k);
        }
        wadi_run_destroy(run);
        wadi_sink_destroy(sink);
    }
    wadi_exe_destroy(exe);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(repeated_runs_start_no_threads),
        cmocka_unit_test(a_run_after_a_failure_is_as_good_as_any),
        cmocka_unit_test(runs_at_once_do_not_meet),
        cmocka_unit_test(a_forked_child_has_runs_of_its_own),
        cmocka_unit_test(a_long_stream_is_kept_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
