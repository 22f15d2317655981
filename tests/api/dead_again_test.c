/* A run without elements that fail, which begins again on another device, with other chunks: it tells each of them once, though those of several
 * places then come in another order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <unistd.h>

#include "base/file.h"
#include "sched/run.h"
#include "sched/run/state.h"
#include "tests/sched/patient.h"
#include "wadi/wadi.h"

enum { ELEMENTS = 200 };

/* In each chunk all that fail in f are told before all that fail in g. */
static const char text[] =
    "program again\nstream_in s : seq(i64)\n"
    "t = map_seq s (x) {\n    n = unit { quot 100 (rem (the x) 11) }\n    yield n\n}\n"
    "f = fold_seq s 0 (k, x) {\n    n = unit { add (the k) (quot 100 (rem (the x) 7)) }\n    yield "
    "n\n}\n"
    "g = fold_seq s 0 (k, x) {\n    n = unit { add (the k) (quot 100 (rem (the x) 5)) }\n    yield "
    "n\n}\n"
    "stream_out \"t\" t\noutput f\noutput g\n";

typedef struct trial {
    wadi_run *run;
    patient patient;
    int64_t f, g, dead;
} trial;

static int64_t data[ELEMENTS];
static char file[96];

static int second(void *env, int devices) {
    (void)env;
    return devices > 1 ? 1 : 0;
}

static wadi_device *wrap(void *env, int number, wadi_device *owned_d) {
    trial *t = env;
    return number == 1 ? patient_over(&t->patient, owned_d) : owned_d;
}

/* The device is out: the next one gets larger chunks. */
static void enlarge(void *env, wadi_log_level level, const char *line) {
    trial *t = env;
    (void)level, (void)line;
    t->run->options.chunk = 64;
}

static wadi_status take(void *env, int64_t index, int parts, const wadi_array *element,
                        wadi_error *err) {
    (void)env, (void)index, (void)parts, (void)element, (void)err;
    return WADI_OK;
}

static int64_t result(wadi_run *run, const char *name) {
    wadi_array a;
    assert_int_equal(wadi_run_result(run, name, &a, NULL), WADI_OK);
    return *(const int64_t *)a.column[0];
}

static void go(trial *t, const char *devices, int64_t dies_at) {
    wadi_exe *exe = NULL;
    wadi_source *source = NULL;
    wadi_sink *sink = NULL;
    wadi_run_stats stats;
    wadi_error err = {.status = WADI_OK};
    const wadi_array all = {
        .rank = 1, .fields = 1, .shape = {ELEMENTS}, .type = {WADI_I64}, .column = {data}};
    const wadi_run_options options = {
        .threads = 1, .chunk = 1, .device = devices, .on_fault = WADI_ON_FAULT_SKIP, .dead = file};
    *t = (trial){.patient = {.dies_at = dies_at, .sleeps_from = -1}};
    assert_int_equal(wadi_compile_text(text, "again", NULL, &exe, NULL), WADI_OK);
    assert_int_equal(wadi_run_create(exe, &options, &t->run, NULL), WADI_OK);
    wadi_run_share_by(t->run, (wadi_share_rule){second, 0, wrap, t});
    wadi_run_home_by(t->run, (wadi_home_rule){second, t});
    assert_int_equal(wadi_source_memory(&all, &source, NULL), WADI_OK);
    assert_int_equal(wadi_sink_callback(take, t, &sink, NULL), WADI_OK);
    assert_int_equal(wadi_run_source(t->run, "s", source, NULL), WADI_OK);
    assert_int_equal(wadi_run_sink(t->run, "t", sink, NULL), WADI_OK);
    wadi_log_set(enlarge, t);
    if (wadi_run_go(t->run, &err) != WADI_OK) fail_msg("%s", err.msg);
    wadi_log_set(NULL, NULL);
    t->f = result(t->run, "f");
    t->g = result(t->run, "g");
    wadi_run_stats_get(t->run, &stats);
    t->dead = stats.dead;
    wadi_run_destroy(t->run);
    wadi_source_destroy(source);
    wadi_sink_destroy(sink);
    wadi_exe_destroy(exe);
}

static int by_text(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The lines, in the order of their texts. */
static char *sorted(void) {
    static char *line[4 * ELEMENTS];
    char *all = NULL;
    size_t bytes = 0, n = 0, at = 0;
    assert_int_equal(wadi_file_read(file, &all, &bytes, NULL), WADI_OK);
    all = realloc(all, bytes + 1);
    all[bytes] = '\0';
    for (char *l = strtok(all, "\n"); l != NULL; l = strtok(NULL, "\n")) line[n++] = l;
    qsort(line, n, sizeof *line, by_text);
    char *out = malloc(bytes + 1);
    for (size_t i = 0; i < n; i++)
        at += (size_t)snprintf(out + at, bytes + 1 - at, "%s\n", line[i]);
    free(all);
    return out;
}

static void each_is_told_once(void **unused) {
    static trial whole, t;
    int again = 0;
    (void)unused;
    go(&whole, "cpu", -1);
    char *want = sorted();
    for (int64_t at = 0; at < 150; at += 9) {
        go(&t, "cpu,null", at);
        char *is = sorted();
        again += t.patient.dead;
        assert_int_equal(t.f, whole.f);
        assert_int_equal(t.g, whole.g);
        assert_int_equal(t.dead, whole.dead);
        assert_string_equal(is, want);
        free(is);
    }
    assert_true(again > 10);
    free(want);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_is_told_once)};
    char folder[] = "/tmp/wadi_dead_again_XXXXXX";
    if (mkdtemp(folder) == NULL) return 1;
    for (int i = 0; i < ELEMENTS; i++) data[i] = i;
    (void)snprintf(file, sizeof file, "%s/dead", folder);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    (void)unlink(file);
    (void)rmdir(folder);
    return failed;
}
