/* What is hard to read in a trace: names of all bytes, spans that begin at once, and before there was a trace. Somebody else judges it (tests/trace_judge.c). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "sched/trace.h"

enum { BEGIN = 1000000 };

static wadi_status put(void *env, const wadi_text *part, wadi_error *err) {
    WADI_UNUSED(err);
    return fwrite(part->at, 1, part->n, env) == part->n ? WADI_OK : WADI_IO;
}

static const char *name_of(void *env, const void *key) {
    WADI_UNUSED(env);
    WADI_UNUSED(key);
    return NULL;
}

/* The lines of the judge; the caller frees them. */
static char *judge(wadi_trace *t, const char *program) {
    char command[1024], file[64];
    char *out = calloc(1, 1 << 16);
    const char *build = getenv("WADI_BUILD");
    (void)snprintf(file, sizeof file, "trace_write_test.json");
    FILE *f = fopen(file, "wb");
    assert_non_null(f);
    assert_non_null(out);
    assert_non_null(build);
    assert_int_equal(wadi_trace_write(t, program, (wadi_trace_names){.of = name_of},
                                      (wadi_trace_writer){put, f}, NULL),
                     WADI_OK);
    assert_int_equal(fclose(f), 0);
    (void)snprintf(command, sizeof command, "%s/tests/trace_judge %s", build, file);
    FILE *lines = popen(command, "r");
    assert_non_null(lines);
    (void)!fread(out, 1, (1 << 16) - 1, lines);
    if (pclose(lines) != 0) fail_msg("the judge refuses %s", file);
    assert_int_equal(remove(file), 0);
    return out;
}

static void spans_that_begin_at_once_nest(void **state) {
    wadi_trace *t = wadi_trace_create(BEGIN);
    wadi_trace_lane *l = wadi_trace_lane_add(t, "compute", "cpu");
    (void)state;
    for (int i = 0; i < 100; i++) {
        const int64_t at = BEGIN + 10 * i;
        wadi_trace_add(l, (wadi_trace_what){.name = "kernel"}, at, at + 4, -1);
        wadi_trace_add(l, (wadi_trace_what){.name = "part"}, at, at + 4, -1);
        wadi_trace_add(l, (wadi_trace_what){.name = "wait"}, at + 4, at + 9, -1);
        wadi_trace_add(l, (wadi_trace_what){.name = "chunk"}, at, at + 9, 3);
    }
    char *lines = judge(t, "p");
    assert_string_equal(lines, "compute cpu: 400 events, 300 elements\n");
    free(lines);
    wadi_trace_destroy(t);
}

static void what_began_before_begins_with_the_trace(void **state) {
    wadi_trace *t = wadi_trace_create(BEGIN);
    (void)state;
    wadi_trace_amount n = {.unit = "elements", .n = 1};
    wadi_trace_add_behind(t, "elsewhere", "w", "item", 10, BEGIN - 5, n);
    wadi_trace_add_behind(t, "elsewhere", "w", "item", 10, BEGIN + 5, n);
    wadi_trace_add_behind(t, "elsewhere", "w", "item", 10, BEGIN + 7, n);
    wadi_trace_add_behind(t, "elsewhere", "w", "item", INT64_MIN / 2, BEGIN + 9, n);
    char *lines = judge(t, "p");
    assert_string_equal(lines, "elsewhere w: 4 events, 4 elements\n");
    free(lines);
    wadi_trace_destroy(t);
}

static void names_may_be_anything(void **state) {
    wadi_trace *t = wadi_trace_create(BEGIN);
    char all[300];
    (void)state;
    for (int i = 0; i < 255; i++) all[i] = (char)(i + 1);
    memcpy(all + 255, "\xed\xa0\x80\xf4\x90\x80\x80\xc0\x80\xe2\x82", 12);
    wadi_trace_lane *l = wadi_trace_lane_add(t, "compute", all);
    wadi_trace_add(l, (wadi_trace_what){.name = wadi_trace_word(t, all)}, BEGIN, BEGIN + 1, 0);
    wadi_trace_add(l, (wadi_trace_what){.name = ""}, BEGIN + 1, BEGIN + 1, 0);
    wadi_trace_add(l, (wadi_trace_what){.key = all}, BEGIN + 1, BEGIN + 2, 0); /* without a name */
    char *lines = judge(t, all);
    assert_non_null(strstr(lines, ": 2 events, 0 elements\n"));
    free(lines);
    wadi_trace_destroy(t);
}

static void a_trace_may_have_nothing(void **state) {
    wadi_trace *t = wadi_trace_create(BEGIN);
    (void)state;
    char *lines = judge(t, "p");
    assert_string_equal(lines, "");
    free(lines);
    wadi_trace_destroy(t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spans_that_begin_at_once_nest),
        cmocka_unit_test(what_began_before_begins_with_the_trace),
        cmocka_unit_test(names_may_be_anything),
        cmocka_unit_test(a_trace_may_have_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
