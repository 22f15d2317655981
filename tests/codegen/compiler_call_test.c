/* How the compiler is called, which programs are accepted as one, and how its errors are reported. Small scripts play the
 * compiler. */
#define _XOPEN_SOURCE 700
#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "codegen/build/cc.h"
#include "codegen/targets.h"

static char folder[64], script[128], said[128];

static int setup(void **state) {
    (void)state;
    (void)strcpy(folder, "compiler_call_test-XXXXXX");
    if (mkdtemp(folder) == NULL) return 1;
    (void)snprintf(script, sizeof script, "%s/cc", folder);
    (void)snprintf(said, sizeof said, "%s/said", folder);
    return 0;
}

static int teardown(void **state) {
    (void)state;
    (void)unsetenv("WADI_CC");
    (void)unlink(said);
    return unlink(script) != 0 || rmdir(folder) != 0;
}

/* A compiler that does this. */
static wadi_image_builder compiler(const char *commands) {
    wadi_error err = {.status = WADI_OK};
    wadi_image_builder cc;
    FILE *f = fopen(script, "w");
    assert_non_null(f);
    assert_true(fprintf(f, "#!/bin/sh\n%s\n", commands) > 0);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(chmod(script, 0700), 0);
    assert_int_equal(setenv("WADI_CC", script, 1), 0);
    if (wadi_cc_find(wadi_targets, &cc, &err) != WADI_OK) fail_msg("%s", err.msg);
    return cc;
}

static void fails(const char *commands, const char *message) {
    wadi_error err = {.status = WADI_OK};
    const wadi_image_builder cc = compiler(commands);
    char want[512];
    (void)snprintf(want, sizeof want, message, script);
    assert_int_equal(wadi_cc_compile(&cc, "in.c", "out.so", NULL, false, &err), WADI_COMPILE);
    assert_string_equal(err.msg, want);
}

static void complaints_begin_with_the_first_error(void **state) {
    (void)state;
    fails("echo 'in.c:1: warning: x'; echo 'in.c:2: error: y' >&2; exit 3",
          "%s failed on in.c (status 3): error: y\n");
    fails("echo 'all is lost'; exit 1", "%s failed on in.c (status 1): all is lost\n");
    fails("exit 4", "%s failed on in.c (status 4): ");
    fails("kill -9 $$", "%s failed on in.c (status -1): killed by signal 9");
}

/* Its own options, those of all kernels in their order, the target's, and what goes where. */
static void a_kernel_is_compiled_with_these_arguments(void **state) {
    (void)state;
    char commands[256], want[4096], *text = NULL;
    size_t size = 0;
    wadi_error err = {.status = WADI_OK};
    (void)snprintf(commands, sizeof commands, "for a; do echo \"$a\"; done > %s", said);
    const wadi_image_builder cc = compiler(commands);
    assert_int_equal(wadi_cc_compile(&cc, "in.c", "out.so", NULL, true, &err), WADI_OK);
    assert_int_equal(wadi_file_read(said, &text, &size, &err), WADI_OK);
    int n = 0;
    for (const char *const *flag = wadi_cc_flags(false); *flag; flag++)
        n += snprintf(want + n, sizeof want - (size_t)n, "%s\n", *flag);
    (void)snprintf(want + n, sizeof want - (size_t)n, "%s\nin.c\n-o\nout.so\n-lm\n",
                   cc.target->flag);
    assert_string_equal(text, want);
    assert_non_null(strstr(want, "-ffp-contract=off\n"));
    assert_non_null(strstr(want, "-fwrapv\n"));
    assert_non_null(strstr(want, "-shared\n"));
    free(text);
}

static void fast_math_has_its_flags(void **state) {
    (void)state;
    char commands[256], *text = NULL;
    size_t size = 0;
    wadi_error err = {.status = WADI_OK};
    (void)snprintf(commands, sizeof commands, "for a; do echo \"$a\"; done > %s", said);
    wadi_image_builder cc = compiler(commands);
    cc.fast = true;
    assert_int_equal(wadi_cc_compile(&cc, "in.c", "out.so", NULL, false, &err), WADI_OK);
    assert_int_equal(wadi_file_read(said, &text, &size, &err), WADI_OK);
    for (const char *const *flag = wadi_cc_flags(true); *flag; flag++)
        assert_non_null(strstr(text, *flag));
    assert_non_null(strstr(text, "\nin.c\n-o\nout.so\n-lm\n"));
    free(text);
}

static void files_of_its_own_go_where_it_is_told(void **state) {
    (void)state;
    char commands[256], *text = NULL;
    size_t size = 0;
    wadi_error err = {.status = WADI_OK};
    (void)snprintf(commands, sizeof commands, "echo \"$TMPDIR\" > %s", said);
    const wadi_image_builder cc = compiler(commands);
    assert_int_equal(wadi_cc_compile(&cc, "in.c", "out.so", "/some/folder", false, &err), WADI_OK);
    assert_int_equal(wadi_file_read(said, &text, &size, &err), WADI_OK);
    assert_string_equal(text, "/some/folder\n");
    free(text);
}

static void a_version_is_its_first_line(void **state) {
    (void)state;
    char version[64];
    wadi_error err = {.status = WADI_OK};
    wadi_image_builder cc =
        compiler("test \"$1\" = --version && test $# = 1 && echo 'cc 1.2' && echo more");
    assert_int_equal(wadi_cc_version(&cc, version, sizeof version, &err), WADI_OK);
    assert_string_equal(version, "cc 1.2");
    assert_int_equal(wadi_cc_version(&cc, version, 4, &err), WADI_OK);
    assert_string_equal(version, "cc ");
    cc = compiler("exit 1");
    char want[256];
    (void)snprintf(want, sizeof want, "the C compiler %s does not run", script);
    assert_int_equal(wadi_cc_version(&cc, version, sizeof version, &err), WADI_COMPILE);
    assert_string_equal(err.msg, want);
}

static void only_programs_are_compilers(void **state) {
    (void)state;
    wadi_error err = {.status = WADI_OK};
    wadi_image_builder cc = compiler("exit 0"), again;
    char want[256], stamp[sizeof cc.stamp];
    assert_string_equal(cc.path, script);
    assert_int_equal(strlen(cc.cpu), 64);
    assert_int_equal(strncmp(cc.stamp, "17 bytes of ", 12), 0);
    (void)strcpy(stamp, cc.stamp);
    cc = compiler("exit 00");
    assert_string_not_equal(cc.stamp, stamp);
    if (wadi_targets[1].name) { /* only native depends on the processor */
        assert_int_equal(wadi_cc_find(&wadi_targets[1], &again, &err), WADI_OK);
        assert_string_equal(again.cpu, "");
        assert_ptr_equal(again.target, &wadi_targets[1]);
    }
    assert_int_equal(chmod(script, 0600), 0);
    (void)snprintf(want, sizeof want, "the C compiler named by WADI_CC, \"%s\", cannot be run",
                   script);
    if (access(script, X_OK) != 0) {
        assert_int_equal(wadi_cc_find(wadi_targets, &again, &err), WADI_COMPILE);
        assert_string_equal(err.msg, want);
    }
    assert_int_equal(setenv("WADI_CC", folder, 1), 0); /* a folder can be searched, not run */
    assert_int_equal(wadi_cc_find(wadi_targets, &again, &err), WADI_COMPILE);
    char slashed[80];
    (void)snprintf(slashed, sizeof slashed, "./%s", folder);
    assert_int_equal(setenv("WADI_CC", slashed, 1), 0);
    assert_int_equal(wadi_cc_find(wadi_targets, &again, &err), WADI_COMPILE);
}

/* The same path in so many letters: further slashes in front of it change nothing. */
static void padded(const char *path, size_t length, char *out) {
    const size_t n = strlen(path);
    memset(out, '/', length);
    memcpy(out + length - n, path, n + 1);
}

/* Names that just fit are found, longer ones are none. */
static void paths_of_compilers_may_be_as_long_as_there_is_room(void **state) {
    (void)state;
    wadi_error err = {.status = WADI_OK};
    wadi_image_builder cc = compiler("exit 0"), again;
    enum { ROOM = sizeof cc.path };
    char whole[PATH_MAX], path[ROOM + 8], *before = strdup(getenv("PATH"));
    assert_non_null(before);
    assert_non_null(realpath(script, whole));
    for (size_t length = ROOM - 3; length <= ROOM + 1; length++) {
        padded(whole, length, path);
        assert_int_equal(setenv("WADI_CC", path, 1), 0);
        assert_int_equal(wadi_cc_find(wadi_targets, &again, &err),
                         length < ROOM ? WADI_OK : WADI_COMPILE);
        if (length < ROOM) assert_string_equal(again.path, path);
    }
    assert_int_equal(setenv("WADI_CC", "cc", 1), 0);
    whole[strlen(whole) - strlen("/cc")] = '\0';
    for (size_t length = ROOM - 6; length <= ROOM + 1; length++) {
        padded(whole, length, path);
        assert_int_equal(setenv("PATH", path, 1), 0);
        const wadi_status st = wadi_cc_find(wadi_targets, &again, &err);
        assert_int_equal(st, length + strlen("/cc") < ROOM ? WADI_OK : WADI_COMPILE);
    }
    assert_int_equal(setenv("PATH", before, 1), 0);
    free(before);
}

static void a_compiler_that_is_gone_is_told(void **state) {
    (void)state;
    wadi_error err = {.status = WADI_OK};
    const wadi_image_builder cc = compiler("exit 0");
    char want[256];
    assert_int_equal(unlink(script), 0);
    (void)snprintf(want, sizeof want, "%s failed on in.c (status -1): %s", script,
                   strerror(ENOENT));
    assert_int_equal(wadi_cc_compile(&cc, "in.c", "out.so", NULL, false, &err), WADI_COMPILE);
    assert_string_equal(err.msg, want);
    (void)compiler("exit 0");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(complaints_begin_with_the_first_error),
        cmocka_unit_test(a_kernel_is_compiled_with_these_arguments),
        cmocka_unit_test(fast_math_has_its_flags),
        cmocka_unit_test(files_of_its_own_go_where_it_is_told),
        cmocka_unit_test(a_version_is_its_first_line),
        cmocka_unit_test(only_programs_are_compilers),
        cmocka_unit_test(paths_of_compilers_may_be_as_long_as_there_is_room),
        cmocka_unit_test(a_compiler_that_is_gone_is_told),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
