/* Runs that go on without elements at which the program fails: what comes out is what the elements that do not fail give, in every schedule and
 * however the stream is cut; each that fails is told once, also by a run that goes on in another one. */
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
#include "sched/plan.h"
#include "wadi/wadi.h"

enum { ELEMENTS = 300, WIDE = 4, BINS = 4 };

static char folder[64], dead_file[96], kept[96];

/* The stage that reads fails where x ! 1 is 0; the fold where x ! 2 is no index, the scan where it is 5; the sums where an element is 6. */
static const char text[] =
    "program faulty\nstream_in s : seq(i64[4])\ninput zero : i64[4]\n"
    "t = map_seq s (x) {\n    n = unit { quot (x ! 0) (x ! 1) }\n    yield n\n}\n"
    "f = fold_seq s 1 (k, x) {\n    n = unit { add (mul (the k) 3) (x ! (x ! 2)) }\n    yield "
    "n\n}\n"
    "h = scan_seq s 0 (k, x) {\n"
    "    n = unit { add (the k) (quot 700 (sub (x ! 2) 5)) }\n    yield n\n}\n"
    "c = fold_seq s zero (k, x) {\n"
    "    n = zip_with k x (p, q) { add (mul p 5) (quot 60 (sub q 6)) }\n    yield n\n}\n"
    "stream_out \"t\" t\nstream_out \"h\" h\noutput f\noutput c\n";

static int64_t data[ELEMENTS][WIDE];

static int make(void **unused) {
    uint64_t x = 12345;
    (void)unused;
    (void)snprintf(folder, sizeof folder, "/tmp/wadi_on_fault_XXXXXX");
    if (mkdtemp(folder) == NULL) return 1;
    (void)snprintf(dead_file, sizeof dead_file, "%s/dead", folder);
    (void)snprintf(kept, sizeof kept, "%s/kept", folder);
    for (int i = 0; i < ELEMENTS; i++)
        for (int k = 0; k < WIDE; k++) {
            x = x * 6364136223846793005u + 1442695040888963407u;
            data[i][k] = (int64_t)(x >> 60) % 7;
        }
    for (int i = 60; i < 100; i++) data[i][1] = 0; /* one behind the other */
    return 0;
}

static int clean(void **unused) {
    char command[160];
    (void)unused;
    (void)snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

/* ---- what it means ---- */

typedef struct meaning {
    int64_t t[ELEMENTS], h[ELEMENTS], nt, nh;
    uint64_t f, c[BINS];
    int64_t dead;
} meaning;

static void mean_fold(meaning *m, const int64_t *x) {
    if (x[2] >= 0 && x[2] < WIDE)
        m->f = m->f * 3 + (uint64_t)x[x[2]];
    else
        m->dead++;
    bool fails = false;
    for (int k = 0; k < BINS; k++) fails = fails || x[k] == 6;
    m->dead += fails;
    for (int k = 0; k < BINS && !fails; k++) m->c[k] = m->c[k] * 5 + (uint64_t)(60 / (x[k] - 6));
}

static void mean(meaning *m, bool replaces) {
    *m = (meaning){.f = 1};
    int64_t h = 0;
    for (int i = 0; i < ELEMENTS; i++) {
        const int64_t *x = data[i];
        m->dead += x[1] == 0;
        if (x[1] != 0) m->t[m->nt++] = x[0] / x[1];
        if (x[1] == 0 && replaces) m->t[m->nt++] = -9;
        if (x[1] == 0 && !replaces) continue;
        mean_fold(m, x);
        if (replaces || x[2] == 5) {
            m->dead += x[2] == 5;
            continue;
        }
        h += 700 / (x[2] - 5);
        m->h[m->nh++] = h;
    }
}

/* ---- runs ---- */

typedef struct got {
    meaning m;
    wadi_run *run;
    int64_t drain_at; /* element of t; -1: never */
    wadi_error err;
    bool drained;
} got;

static wadi_status take_t(void *env, int64_t index, int parts, const wadi_array *element,
                          wadi_error *err) {
    got *g = env;
    (void)parts, (void)err;
    g->m.t[g->m.nt++] = *(const int64_t *)element[0].column[0];
    if (g->drain_at >= 0 && index >= g->drain_at) wadi_run_drain(g->run);
    return WADI_OK;
}

static wadi_status take_h(void *env, int64_t index, int parts, const wadi_array *element,
                          wadi_error *err) {
    got *g = env;
    (void)index, (void)parts, (void)err;
    g->m.h[g->m.nh++] = *(const int64_t *)element[0].column[0];
    return WADI_OK;
}

static void take_results(got *g) {
    wadi_array a;
    assert_int_equal(wadi_run_result(g->run, "f", &a, NULL), WADI_OK);
    g->m.f = *(const uint64_t *)a.column[0];
    assert_int_equal(wadi_run_result(g->run, "c", &a, NULL), WADI_OK);
    memcpy(g->m.c, a.column[0], sizeof g->m.c);
}

static wadi_status go(const char *program, const wadi_run_options *options, got *g) {
    static int64_t none[WIDE];
    wadi_exe *exe = NULL;
    wadi_source *source = NULL;
    wadi_sink *t = NULL, *h = NULL;
    wadi_run_stats stats;
    const wadi_array rows = {
        .rank = 2, .fields = 1, .shape = {ELEMENTS, WIDE}, .type = {WADI_I64}, .column = {data}};
    const wadi_array zero = {
        .rank = 1, .fields = 1, .shape = {WIDE}, .type = {WADI_I64}, .column = {none}};
    assert_int_equal(wadi_compile_text(program, "on_fault_test", NULL, &exe, NULL), WADI_OK);
    assert_int_equal(wadi_run_create(exe, options, &g->run, NULL), WADI_OK);
    assert_int_equal(wadi_source_memory(&rows, &source, NULL), WADI_OK);
    assert_int_equal(wadi_sink_callback(take_t, g, &t, NULL), WADI_OK);
    assert_int_equal(wadi_sink_callback(take_h, g, &h, NULL), WADI_OK);
    assert_int_equal(wadi_run_source(g->run, "s", source, NULL), WADI_OK);
    assert_int_equal(wadi_run_input(g->run, "zero", &zero, NULL), WADI_OK);
    assert_int_equal(wadi_run_sink(g->run, "t", t, NULL), WADI_OK);
    assert_int_equal(wadi_run_sink(g->run, "h", h, NULL), program == text ? WADI_OK : WADI_INVALID);
    const wadi_status status = wadi_run_go(g->run, &g->err);
    if (status == WADI_OK) take_results(g);
    wadi_run_stats_get(g->run, &stats);
    g->m.dead = stats.dead;
    g->drained = stats.drained;
    wadi_run_destroy(g->run);
    wadi_source_destroy(source);
    wadi_sink_destroy(t);
    wadi_sink_destroy(h);
    wadi_exe_destroy(exe);
    return status;
}

static void assert_means(const meaning *is, const meaning *want) {
    assert_int_equal(is->nt, want->nt);
    assert_memory_equal(is->t, want->t, (size_t)want->nt * sizeof *want->t);
    assert_int_equal(is->nh, want->nh);
    assert_memory_equal(is->h, want->h, (size_t)want->nh * sizeof *want->h);
    assert_int_equal(is->f, want->f);
    assert_memory_equal(is->c, want->c, sizeof want->c);
    assert_int_equal(is->dead, want->dead);
}

static char *letters(int64_t *out_lines) {
    char *lines = NULL;
    size_t n = 0;
    *out_lines = 0;
    assert_int_equal(wadi_file_read(dead_file, &lines, &n, NULL), WADI_OK);
    lines = realloc(lines, n + 1);
    lines[n] = '\0';
    for (size_t i = 0; i < n; i++) *out_lines += lines[i] == '\n';
    return lines;
}

/* ---- tests ---- */

static void elements_that_fail_are_left_out(void **unused) {
    static const int64_t chunks[] = {1, 7, 64, 1000};
    static meaning want;
    static got g;
    (void)unused;
    mean(&want, false);
    for (int k = 0; k < 4; k++)
        for (int schedule = 0; schedule <= WADI_SCHEDULE_COUNT; schedule += k == 1 ? 1 : 2) {
            int64_t lines = 0;
            const wadi_run_options options = {.threads = 2,
                                              .chunk = chunks[k],
                                              .schedule = (wadi_schedule_option)schedule,
                                              .stages = k == 1 ? WADI_STAGES_APART : 0,
                                              .on_fault = WADI_ON_FAULT_SKIP,
                                              .dead = dead_file};
            g = (got){.drain_at = -1};
            if (go(text, &options, &g) != WADI_OK) fail_msg("%s", g.err.msg);
            assert_means(&g.m, &want);
            free(letters(&lines));
            assert_int_equal(lines, want.dead);
        }
}

static void a_letter_holds_element_position_and_reason(void **unused) {
    static got g;
    char expected[256];
    int64_t lines = 0;
    int i = 0;
    const wadi_run_options options = {
        .chunk = 50, .on_fault = WADI_ON_FAULT_SKIP, .dead = dead_file};
    (void)unused;
    g = (got){.drain_at = -1};
    assert_int_equal(go(text, &options, &g), WADI_OK);
    while (data[i][1] != 0) i++;
    (void)snprintf(expected, sizeof expected,
                   "{\"stage\": \"0.0\", \"element\": %d, \"reason\": \"quot: division of %lld by "
                   "zero, element %d, at on_fault_test:5\", \"values\": [[%lld, 0, %lld, %lld]]}\n",
                   i, (long long)data[i][0], i, (long long)data[i][0], (long long)data[i][2],
                   (long long)data[i][3]);
    char *all = letters(&lines);
    if (strstr(all, expected) == NULL) fail_msg("no %sin %.600s", expected, all);
    free(all);
}

static void elements_that_fail_are_replaced(void **unused) {
    static meaning want;
    static got g;
    static char one[sizeof text];
    (void)unused;
    memcpy(one, text, sizeof text);
    char *scan = strstr(one, "h = scan_seq"), *behind = strstr(one, "c = fold_seq");
    memmove(scan, behind, strlen(behind) + 1); /* a scan could not go on */
    char *sink = strstr(one, "stream_out \"h\" h\n");
    memmove(sink, sink + 17, strlen(sink + 17) + 1);
    mean(&want, true);
    for (int64_t chunk = 1; chunk < 400; chunk += 131) {
        const wadi_run_options options = {
            .chunk = chunk, .on_fault = WADI_ON_FAULT_REPLACE, .replacement = -9};
        g = (got){.drain_at = -1};
        if (go(one, &options, &g) != WADI_OK) fail_msg("%s", g.err.msg);
        want.dead = g.m.dead; /* an element may fail in several places */
        assert_means(&g.m, &want);
    }
}

static void too_many_end_the_run(void **unused) {
    static meaning want;
    static got g;
    int64_t lines = 0;
    const wadi_run_options options = {
        .chunk = 33, .on_fault = WADI_ON_FAULT_SKIP, .dead = dead_file, .dead_limit = 5};
    (void)unused;
    mean(&want, false);
    g = (got){.drain_at = -1};
    assert_int_equal(go(text, &options, &g), WADI_FAULT);
    if (strstr(g.err.msg, "the limit of elements that may fail, 5, is reached") == NULL)
        fail_msg("%s", g.err.msg);
    assert_memory_equal(g.m.t, want.t, (size_t)g.m.nt * sizeof *want.t); /* what came before */
    free(letters(&lines));
    assert_int_equal(lines, 5);
}

static void letters_are_told_once_by_runs_that_go_on(void **unused) {
    static got g;
    static meaning want;
    int64_t lines = 0;
    wadi_run_options options = {.threads = 1,
                                .chunk = 9,
                                .state = kept,
                                .save_every_s = 1e-9,
                                .on_fault = WADI_ON_FAULT_SKIP,
                                .dead = dead_file};
    (void)unused;
    mean(&want, false);
    g = (got){.drain_at = -1};
    assert_int_equal(go(text, &options, &g), WADI_OK);
    char *once = letters(&lines);
    assert_int_equal(lines, want.dead);
    assert_int_equal(unlink(dead_file), 0);
    g = (got){.drain_at = 20};
    wadi_status status = WADI_CANCELLED;
    for (int i = 0; i < ELEMENTS && status == WADI_CANCELLED; i++) {
        status = go(text, &options, &g);
        assert_true(status == WADI_OK || g.drained);
        g.drain_at += 37;
    }
    assert_int_equal(status, WADI_OK);
    assert_means(&g.m, &want);
    char *parts = letters(&lines);
    assert_string_equal(parts, once);
    free(once);
    free(parts);
    /* another way with faults is another run */
    g = (got){.drain_at = 20};
    assert_int_equal(go(text, &options, &g), WADI_CANCELLED);
    options.on_fault = WADI_ON_FAULT_FAIL;
    options.dead = NULL;
    assert_int_equal(go(text, &options, &g), WADI_INVALID);
    assert_non_null(strstr(g.err.msg, "another way with elements that fail"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements_that_fail_are_left_out),
        cmocka_unit_test(a_letter_holds_element_position_and_reason),
        cmocka_unit_test(elements_that_fail_are_replaced),
        cmocka_unit_test(too_many_end_the_run),
        cmocka_unit_test(letters_are_told_once_by_runs_that_go_on),
    };
    return cmocka_run_group_tests(tests, make, clean);
}
