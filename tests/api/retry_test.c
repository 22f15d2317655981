/* Runs whose sources and files fail for a while: they are tried again, with a warning each time, and what comes out is whole. What fails for good
 * ends the run after as many tries as were allowed. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <sys/resource.h>
#include <unistd.h>

#include "base/file.h"
#include "wadi/wadi.h"

enum { RECORDS = 5000, RECORD = 32, CUT = 13 };

static char folder[64], in_file[96], out_file[96], state[96];
static unsigned char data[RECORDS * RECORD];

static const char text[] = "program again\nstream_in s : seq(u8[32])\n"
                           "t = map_seq s (x) {\n    y = map x (v) { xor v 255u8 }\n"
                           "    yield y\n}\nstream_out \"t\" t\n";

static int make(void **unused) {
    (void)unused;
    (void)snprintf(folder, sizeof folder, "/tmp/wadi_retry_XXXXXX");
    if (mkdtemp(folder) == NULL) return 1;
    (void)snprintf(in_file, sizeof in_file, "%s/in", folder);
    (void)snprintf(out_file, sizeof out_file, "%s/out", folder);
    (void)snprintf(state, sizeof state, "%s/state", folder);
    for (size_t i = 0; i < sizeof data; i++) data[i] = (unsigned char)(i * 7 + i / 251);
    (void)signal(SIGXFSZ, SIG_IGN);
    return 0;
}

static int clean(void **unused) {
    char command[160];
    (void)unused;
    (void)snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

/* ---- the world, which a warning changes ---- */

static int warnings, helps_at; /* at the so manieth warning what failed is put right; 0: never */
static void (*help)(void);
static char last[400];

static void hear(void *env, wadi_log_level level, const char *line) {
    (void)env;
    if (level < WADI_LOG_WARNING || strstr(line, "is tried again") == NULL) return;
    (void)snprintf(last, sizeof last, "%s", line);
    if (++warnings == helps_at) help();
}

static void complete_file(void) {
    FILE *f = fopen(in_file, "ab");
    assert_non_null(f);
    assert_int_equal(fwrite(data + sizeof data / 2 + CUT, 1, sizeof data / 2 - CUT, f),
                     sizeof data / 2 - CUT);
    assert_int_equal(fclose(f), 0);
}

static void set_limit(rlim_t bytes) {
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes < limit.rlim_max ? bytes : limit.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void lift_limit(void) {
    set_limit(RLIM_INFINITY);
}

static wadi_run *run; /* that goes now */
static bool drained;  /* the last one was */

static void drain(void) {
    wadi_run_drain(run);
}

static wadi_status go_with(wadi_run_options options, wadi_error *err) {
    const int64_t shape[] = {RECORD};
    const wadi_part part = wadi_part_fixed(WADI_U8, 1, shape);
    wadi_run_stats stats;
    wadi_exe *exe = NULL;
    options.threads = 1;
    options.chunk = 100;
    wadi_source *source = NULL;
    wadi_sink *sink = NULL;
    warnings = 0;
    wadi_log_set(hear, NULL);
    assert_int_equal(wadi_compile_text(text, "retry_test", NULL, &exe, NULL), WADI_OK);
    assert_int_equal(wadi_run_create(exe, &options, &run, NULL), WADI_OK);
    assert_int_equal(wadi_source_raw(in_file, &part, &source, NULL), WADI_OK);
    assert_int_equal(wadi_sink_raw(out_file, &sink, NULL), WADI_OK);
    assert_int_equal(wadi_run_source(run, "s", source, NULL), WADI_OK);
    assert_int_equal(wadi_run_sink(run, "t", sink, NULL), WADI_OK);
    const wadi_status status = wadi_run_go(run, err);
    wadi_run_stats_get(run, &stats);
    drained = stats.drained;
    wadi_run_destroy(run);
    wadi_source_destroy(source);
    wadi_sink_destroy(sink);
    wadi_exe_destroy(exe);
    wadi_log_set(NULL, NULL);
    return status;
}

static wadi_status go(int retries, wadi_error *err) {
    return go_with((wadi_run_options){.retries = retries, .retry_after_s = 0.002}, err);
}

static void assert_whole(void) {
    char *got = NULL;
    size_t n = 0;
    assert_int_equal(wadi_file_read(out_file, &got, &n, NULL), WADI_OK);
    assert_int_equal(n, sizeof data);
    for (size_t i = 0; i < n; i++) assert_int_equal((unsigned char)got[i], data[i] ^ 255);
    free(got);
}

/* ---- tests ---- */

static void a_source_is_asked_again(void **unused) {
    wadi_error err = {.status = WADI_OK};
    (void)unused;
    assert_int_equal(wadi_file_write(in_file, data, sizeof data / 2 + CUT, 0600, NULL), WADI_OK);
    helps_at = 2;
    help = complete_file;
    if (go(5, &err) != WADI_OK) fail_msg("%s", err.msg);
    assert_int_equal(warnings, 2);
    assert_non_null(
        strstr(last, "the source \"s\" has failed, and is tried again in 0.004 s (2 of 5)"));
    assert_whole();
}

static void a_source_that_stays_so_ends_the_run(void **unused) {
    wadi_error err = {.status = WADI_OK};
    (void)unused;
    assert_int_equal(wadi_file_write(in_file, data, sizeof data / 2 + CUT, 0600, NULL), WADI_OK);
    helps_at = 0;
    for (int retries = 0; retries <= 3; retries += 3) {
        assert_int_equal(go(retries, &err), WADI_IO);
        assert_int_equal(warnings, retries);
        assert_non_null(strstr(err.msg, "within a record"));
    }
}

static void a_file_is_written_on(void **unused) {
    static const rlim_t limits[] = {1, 4097, 70001};
    wadi_error err = {.status = WADI_OK};
    (void)unused;
    assert_int_equal(wadi_file_write(in_file, data, sizeof data, 0600, NULL), WADI_OK);
    helps_at = 3;
    help = lift_limit;
    for (int i = 0; i < 3; i++) {
        set_limit(limits[i]);
        const wadi_status status = go(4, &err);
        lift_limit();
        if (status != WADI_OK) fail_msg("%s", err.msg);
        assert_int_equal(warnings, 3);
        assert_whole();
    }
}

static void a_file_that_stays_so_ends_the_run(void **unused) {
    wadi_error err = {.status = WADI_OK};
    (void)unused;
    assert_int_equal(wadi_file_write(in_file, data, sizeof data, 0600, NULL), WADI_OK);
    helps_at = 0;
    set_limit(5000);
    const wadi_status status = go(2, &err);
    lift_limit();
    assert_int_equal(status, WADI_IO);
    assert_int_equal(warnings, 2);
    if (strstr(err.msg, "writing failed at byte 5000") == NULL) fail_msg("%s", err.msg);
}

/* Nothing is told of time: if the run waited for the next try, the test would not end in its time. */
static wadi_run_options saved(void) {
    return (wadi_run_options){
        .state = state, .save_every_s = 1e-9, .retries = 3, .retry_after_s = 1000};
}

static void a_run_that_is_to_end_does_not_wait_for_its_source(void **unused) {
    wadi_error err = {.status = WADI_OK};
    (void)unused;
    assert_int_equal(wadi_file_write(in_file, data, sizeof data / 2 + CUT, 0600, NULL), WADI_OK);
    helps_at = 1;
    help = drain;
    assert_int_equal(go_with(saved(), &err), WADI_CANCELLED);
    assert_true(drained);
    assert_int_equal(warnings, 1);
    complete_file();
    wadi_run_options o = saved();
    o.accept_change = true; /* the file is longer */
    if (go_with(o, &err) != WADI_OK) fail_msg("%s", err.msg);
    assert_whole();
}

/* What is in flight cannot be written, so the saving before it counts. */
static void nor_for_its_file(void **unused) {
    wadi_error err = {.status = WADI_OK};
    (void)unused;
    assert_int_equal(wadi_file_write(in_file, data, sizeof data, 0600, NULL), WADI_OK);
    helps_at = 1;
    help = drain;
    set_limit(70001);
    const wadi_status status = go_with(saved(), &err);
    lift_limit();
    assert_int_equal(status, WADI_IO);
    assert_int_equal(warnings, 1);
    helps_at = 0;
    if (go_with(saved(), &err) != WADI_OK) fail_msg("%s", err.msg);
    assert_whole();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_source_is_asked_again),
        cmocka_unit_test(a_source_that_stays_so_ends_the_run),
        cmocka_unit_test(a_file_is_written_on),
        cmocka_unit_test(a_file_that_stays_so_ends_the_run),
        cmocka_unit_test(a_run_that_is_to_end_does_not_wait_for_its_source),
        cmocka_unit_test(nor_for_its_file),
    };
    return cmocka_run_group_tests(tests, make, clean);
}
