/* A compiler that hangs is ended by a time limit, or when its task is stopped. A compiler is searched on the PATH only. */
#define _XOPEN_SOURCE 700 /* putenv */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/task.h"
#include "codegen/build/cc.h"
#include "codegen/targets.h"

static char folder[64], hanging[128], waiting[128], done[128];

static int setup(void **state) {
    (void)state;
    (void)strcpy(folder, "compiler_test-XXXXXX");
    if (mkdtemp(folder) == NULL) return 1;
    (void)snprintf(hanging, sizeof hanging, "%s/cc", folder);
    (void)snprintf(waiting, sizeof waiting, "%s/waiting", folder);
    (void)snprintf(done, sizeof done, "%s/done", folder);
    FILE *f = fopen(hanging, "w");
    if (f == NULL || fputs("#!/bin/sh\nexec sleep 1000\n", f) < 0 || fclose(f) != 0) return 1;
    return chmod(hanging, 0700) != 0 || setenv("WADI_CC", hanging, 1) != 0;
}

static int teardown(void **state) {
    (void)state;
    (void)unsetenv("WADI_CC");
    (void)unsetenv("WADI_CC_TIMEOUT");
    return unlink(hanging) != 0 || rmdir(folder) != 0;
}

static bool patient;

static wadi_status compile(wadi_error *err) {
    wadi_image_builder cc;
    const wadi_status found = wadi_cc_find(wadi_targets, &cc, err);
    cc.patient = patient;
    return found != WADI_OK ? found : wadi_cc_compile(&cc, "none.c", "none.so", NULL, false, err);
}

static void a_limit_ends_it(void **state) {
    (void)state;
    wadi_error err = {.status = WADI_OK};
    assert_int_equal(setenv("WADI_CC_TIMEOUT", "0.1", 1), 0);
    assert_int_equal(compile(&err), WADI_COMPILE);
    assert_non_null(strstr(err.msg, hanging));
    assert_non_null(strstr(err.msg, "not finished after 0.1 s"));
    assert_int_equal(unsetenv("WADI_CC_TIMEOUT"), 0);
}

static atomic_llong now_ns;

/* A second goes by each time somebody looks. */
static int64_t hasty(void) {
    return atomic_fetch_add(&now_ns, 1000000000);
}

static void there_is_a_limit_unless_told_otherwise(void **state) {
    (void)state;
    wadi_error err = {.status = WADI_OK};
    wadi_clock_set(hasty);
    assert_int_equal(compile(&err), WADI_COMPILE);
    wadi_clock_set(NULL);
    assert_non_null(strstr(err.msg, "not finished after 120 s"));
    assert_true(atomic_load(&now_ns) >= 120000000000);
}

/* Years go by each time somebody looks. */
static int64_t leaping(void) {
    return atomic_fetch_add(&now_ns, 200000000000000000);
}

/* No number, a negative one, or one that no clock counts to: as if nothing was said. */
static void a_limit_is_a_number_of_seconds(void **state) {
    (void)state;
    static const struct {
        const char *said, *means;
    } limits[] = {{"2", " 2 s"},      {"0.5", " 0.5 s"}, {"", " 120 s"},
                  {"soon", " 120 s"}, {"3x", " 120 s"},  {"-1", " 120 s"},
                  {"1e9", " 120 s"},  {"nan", " 120 s"}, {"inf", " 120 s"}};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        wadi_error err = {.status = WADI_OK};
        assert_int_equal(setenv("WADI_CC_TIMEOUT", limits[i].said, 1), 0);
        atomic_store(&now_ns, 0);
        wadi_clock_set(leaping);
        (void)alarm(100); /* without a limit it would be for ever */
        assert_int_equal(compile(&err), WADI_COMPILE);
        (void)alarm(0);
        wadi_clock_set(NULL);
        if (!strstr(err.msg, limits[i].means)) fail_msg("\"%s\": %s", limits[i].said, err.msg);
    }
    assert_int_equal(unsetenv("WADI_CC_TIMEOUT"), 0);
}

static int looks;

/* Hours go by, and then the compiler may end. */
static int64_t hasty_and_done(void) {
    if (++looks == 300) {
        FILE *f = fopen(done, "w");
        if (f != NULL) (void)fclose(f);
    }
    return (int64_t)looks * 60000000000;
}

static void expect_no_limit(void) {
    char commands[400];
    wadi_error err = {.status = WADI_OK};
    (void)snprintf(commands, sizeof commands,
                   "#!/bin/sh\nwhile ! test -e %s; do sleep 0.01; done\nexit 0\n", done);
    assert_int_equal(wadi_file_write(waiting, commands, strlen(commands), 0700, NULL), WADI_OK);
    assert_int_equal(setenv("WADI_CC", waiting, 1), 0);
    looks = 0;
    wadi_clock_set(hasty_and_done);
    const wadi_status st = compile(&err);
    wadi_clock_set(NULL);
    assert_int_equal(setenv("WADI_CC", hanging, 1), 0);
    (void)unlink(done);
    (void)unlink(waiting);
    if (st != WADI_OK) fail_msg("%s", err.msg);
    assert_true(looks >= 300);
}

static void none_is_any_number_of_seconds(void **state) {
    (void)state;
    assert_int_equal(setenv("WADI_CC_TIMEOUT", "0", 1), 0);
    expect_no_limit();
    assert_int_equal(unsetenv("WADI_CC_TIMEOUT"), 0);
}

/* Kernels made ahead of time, perhaps on a machine with much else to do. */
static void there_is_none_if_no_run_waits(void **state) {
    (void)state;
    patient = true;
    expect_no_limit();
    patient = false;
}

static void the_end_of_the_task_ends_it(void **state) {
    (void)state;
    wadi_error err = {.status = WADI_OK};
    wadi_stop stop;
    assert_int_equal(wadi_stop_init(&stop, NULL, NULL), WADI_OK);
    wadi_stop_call(&stop);
    const wadi_task before = wadi_task_begin((wadi_task){.name = "test", .stop = &stop});
    assert_int_equal(compile(&err), WADI_CANCELLED);
    wadi_task_end(before);
    wadi_stop_fini(&stop);
}

/* As if nothing was said. */
static void an_empty_name_is_no_compiler(void **state) {
    (void)state;
    wadi_image_builder named, sought;
    assert_int_equal(unsetenv("WADI_CC"), 0);
    assert_int_equal(wadi_cc_find(wadi_targets, &sought, NULL), WADI_OK);
    assert_int_equal(setenv("WADI_CC", "", 1), 0);
    assert_int_equal(wadi_cc_find(wadi_targets, &named, NULL), WADI_OK);
    assert_string_equal(named.path, sought.path);
    assert_int_equal(setenv("WADI_CC", hanging, 1), 0);
}

/* PATH is searched to its end and no further: behind it stands a folder that has a compiler. */
static void a_compiler_is_sought_on_the_path_alone(void **state) {
    (void)state;
    static const char *const nowhere[] = {"/nonexistent", "", ":",
                                          "/nonexistent::", ":/nonexistent:"};
    char *before = strdup(getenv("PATH"));
    assert_non_null(before);
    assert_int_equal(unsetenv("WADI_CC"), 0);
    for (size_t i = 0; i < sizeof nowhere / sizeof nowhere[0]; i++) {
        static char variable[256];
        wadi_error err = {.status = WADI_OK};
        wadi_image_builder cc;
        const int n = snprintf(variable, sizeof variable, "PATH=%s", nowhere[i]);
        (void)snprintf(variable + n + 1, sizeof variable - (size_t)n - 1, "%s:%s", folder, before);
        assert_int_equal(putenv(variable), 0);
        assert_int_equal(wadi_cc_find(wadi_targets, &cc, &err), WADI_COMPILE);
        assert_non_null(strstr(err.msg, "no C compiler found"));
        (void)snprintf(variable + n, sizeof variable - (size_t)n, ":%s:/other", folder);
        assert_int_equal(wadi_cc_find(wadi_targets, &cc, &err), WADI_OK);
        assert_non_null(strstr(cc.path, hanging));
    }
    assert_int_equal(setenv("PATH", before, 1), 0);
    assert_int_equal(setenv("WADI_CC", hanging, 1), 0);
    free(before);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_limit_ends_it),
        cmocka_unit_test(there_is_a_limit_unless_told_otherwise),
        cmocka_unit_test(a_limit_is_a_number_of_seconds),
        cmocka_unit_test(none_is_any_number_of_seconds),
        cmocka_unit_test(there_is_none_if_no_run_waits),
        cmocka_unit_test(the_end_of_the_task_ends_it),
        cmocka_unit_test(an_empty_name_is_no_compiler),
        cmocka_unit_test(a_compiler_is_sought_on_the_path_alone),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
