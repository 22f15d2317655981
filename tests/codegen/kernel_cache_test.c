/* The kernel cache: found again, verified, private, safe between processes, clear when there is no compiler. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "codegen/build/cache.h"

static const char *const answer = "int answer(void) { return 42; }\n";

typedef int (*answer_fn)(void);

static char dir[64];

static int fresh_cache(void **state) {
    (void)state;
    strcpy(dir, "/tmp/wadi-cache-XXXXXX");
    if (!mkdtemp(dir)) return -1;
    return setenv("WADI_CACHE_DIR", dir, 1);
}

static int remove_cache(void **state) {
    char command[128];
    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'", dir);
    return system(command);
}

static int call(const wadi_dl *d) {
    wadi_dl_fn f = NULL;
    wadi_error err;
    assert_int_equal(wadi_dl_function(d, "answer", &f, &err), WADI_OK);
    return ((answer_fn)f)();
}

static wadi_cache_report load(const char *source) {
    wadi_dl d;
    wadi_error err = {0};
    wadi_cache_report r;
    if (wadi_cache_load(source, &d, &r, &err) != WADI_OK) fail_msg("%s", err.msg);
    assert_int_equal(call(&d), 42);
    wadi_dl_close(&d);
    return r;
}

static void a_second_load_compiles_nothing(void **state) {
    (void)state;
    assert_true(load(answer).compiled);
    const wadi_cache_report again = load(answer);
    assert_false(again.compiled);
    assert_false(again.damaged);
}

static void other_text_is_another_entry(void **state) {
    (void)state;
    const wadi_cache_report a = load(answer), b = load("int answer(void) { return 6 * 7; }\n");
    assert_true(b.compiled);
    assert_string_not_equal(a.path, b.path);
}

/* Flips one byte, or cuts the file, at every 1/16th of it: each time the entry is noticed and rebuilt. */
static void a_damaged_entry_is_rebuilt(void **state) {
    (void)state;
    const wadi_cache_report first = load(answer);
    for (int part = 0; part < 16; part++) {
        char *data = NULL;
        size_t n = 0;
        assert_int_equal(wadi_file_read(first.path, &data, &n, NULL), WADI_OK);
        data[n * (size_t)part / 16] ^= 1;
        assert_int_equal(wadi_file_write(first.path, data, part % 2 ? n : n - 1, 0700, NULL),
                         WADI_OK);
        free(data);
        const wadi_cache_report r = load(answer);
        assert_true(r.damaged && r.compiled);
    }
}

static void the_directory_is_private(void **state) {
    (void)state;
    struct stat st;
    load(answer);
    assert_int_equal(stat(dir, &st), 0);
    assert_int_equal(st.st_mode & 077, 0);
}

static void a_directory_others_can_write_is_refused(void **state) {
    (void)state;
    wadi_dl d;
    wadi_error err;
    assert_int_equal(chmod(dir, 0777), 0);
    assert_int_equal(wadi_cache_load(answer, &d, NULL, &err), WADI_IO);
    assert_non_null(strstr(err.msg, dir));
}

static void a_missing_compiler_is_named(void **state) {
    (void)state;
    wadi_dl d;
    wadi_error err;
    setenv("WADI_CC", "/nowhere/cc", 1);
    const wadi_status st = wadi_cache_load(answer, &d, NULL, &err);
    unsetenv("WADI_CC");
    assert_int_equal(st, WADI_COMPILE);
    assert_non_null(strstr(err.msg, "/nowhere/cc"));
}

static void a_refused_text_gives_the_compilers_words(void **state) {
    (void)state;
    wadi_dl d;
    wadi_error err;
    assert_int_equal(wadi_cache_load("int answer(void) { return nothing; }\n", &d, NULL, &err),
                     WADI_COMPILE);
    assert_non_null(strstr(err.msg, "nothing"));
}

static void processes_compiling_at_once_all_succeed(void **state) {
    (void)state;
    pid_t child[4];
    for (int i = 0; i < 4; i++) {
        child[i] = fork();
        if (child[i] == 0) {
            wadi_dl d;
            wadi_dl_fn f = NULL;
            if (wadi_cache_load(answer, &d, NULL, NULL) != WADI_OK) _exit(1);
            if (wadi_dl_function(&d, "answer", &f, NULL) != WADI_OK) _exit(2);
            _exit(((answer_fn)f)() == 42 ? 0 : 3);
        }
    }
    for (int i = 0; i < 4; i++) {
        int status = -1;
        assert_int_equal(waitpid(child[i], &status, 0), child[i]);
        assert_int_equal(status, 0);
    }
    assert_false(load(answer).compiled);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, fresh_cache, remove_cache)

int main(void) {
    const struct CMUnitTest tests[] = {
        CASE(a_second_load_compiles_nothing),
        CASE(other_text_is_another_entry),
        CASE(a_damaged_entry_is_rebuilt),
        CASE(the_directory_is_private),
        CASE(a_directory_others_can_write_is_refused),
        CASE(a_missing_compiler_is_named),
        CASE(a_refused_text_gives_the_compilers_words),
        CASE(processes_compiling_at_once_all_succeed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
