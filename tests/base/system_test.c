/* Files, directories, shared objects, clocks and the log. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/dl.h"
#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "tests/open_files.h"

static int make_directory(void **state) {
    static char name[64];
    (void)snprintf(name, sizeof name, "/tmp/wadi-base-test.XXXXXX");
    *state = mkdtemp(name);
    return *state == NULL ? -1 : 0;
}

static int remove_directory(void **state) {
    char command[128];
    (void)snprintf(command, sizeof command, "rm -rf '%s'", (const char *)*state);
    return system(command);
}

static const char *inside(void **state, const char *name) {
    static char path[256];
    (void)snprintf(path, sizeof path, "%s/%s", (const char *)*state, name);
    return path;
}

static void written_file_reads_back_with_its_mode(void **state) {
    const char *path = inside(state, "file");
    static const char data[] = "a\0b";
    assert_false(wadi_file_exists(path));
    assert_int_equal(wadi_file_write(path, data, 3, 0600, NULL), WADI_OK);
    assert_true(wadi_file_exists(path));
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
    char *text = NULL;
    size_t n = 0;
    assert_int_equal(wadi_file_read(path, &text, &n, NULL), WADI_OK);
    assert_int_equal(n, 3);
    assert_memory_equal(text, data, 4);
    free(text);
}

static void large_and_empty_files_read_whole(void **state) {
    static const size_t sizes[] = {0, 1, 4094, 4095, 4096, 4097, 1000003};
    char *data = calloc(1, 1000003);
    assert_non_null(data);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        const char *path = inside(state, "sized");
        assert_int_equal(wadi_file_write(path, data, sizes[i], 0644, NULL), WADI_OK);
        char *text = NULL;
        size_t n = 7;
        assert_int_equal(wadi_file_read(path, &text, &n, NULL), WADI_OK);
        assert_int_equal(n, sizes[i]);
        assert_int_equal(text[n], 0);
        free(text);
    }
    free(data);
}

static void failed_write_leaves_nothing_behind(void **state) {
    wadi_error err = {0};
    assert_int_equal(wadi_dir_make(inside(state, "taken"), 0700, NULL), WADI_OK);
    assert_int_equal(wadi_file_write(inside(state, "taken"), "x", 1, 0600, &err), WADI_IO);
    assert_non_null(strstr(err.msg, "taken"));
    assert_int_equal(wadi_file_write(inside(state, "none/file"), "x", 1, 0600, NULL), WADI_IO);
    assert_int_equal(rmdir(inside(state, "taken")), 0);
    /* Now the directory is empty: no temporary file remained. */
    assert_int_equal(rmdir(inside(state, "")), 0);
    assert_int_equal(mkdir(inside(state, ""), 0700), 0);
}

static void missing_file_is_a_named_error(void **state) {
    wadi_error err = {0};
    char *text = NULL;
    size_t n = 0;
    assert_int_equal(wadi_file_read(inside(state, "none"), &text, &n, &err), WADI_IO);
    assert_non_null(strstr(err.msg, "none"));
    assert_int_equal(wadi_file_read(inside(state, ""), &text, &n, &err), WADI_IO);
    assert_null(text);
}

static void directories_are_made_all_the_way(void **state) {
    assert_int_equal(wadi_dir_make(inside(state, "a//b/c/"), 0700, NULL), WADI_OK);
    assert_int_equal(wadi_dir_make(inside(state, "a/b/c"), 0700, NULL), WADI_OK);
    assert_true(wadi_file_exists(inside(state, "a/b/c")));
    assert_int_equal(wadi_file_write(inside(state, "a/file"), "", 0, 0600, NULL), WADI_OK);
    wadi_error err = {0};
    assert_int_equal(wadi_dir_make(inside(state, "a/file/d"), 0700, &err), WADI_IO);
    assert_int_equal(wadi_dir_make(inside(state, "a/file"), 0700, &err), WADI_IO);
    assert_int_equal(wadi_dir_make("", 0700, &err), WADI_IO);
}

static void functions_are_found_by_name(void **state) {
    WADI_UNUSED(state);
    wadi_dl d;
    wadi_dl_fn fn = NULL;
    wadi_error err = {0};
    assert_int_equal(wadi_dl_open(&d, "libm.so.6", &err), WADI_OK);
    assert_int_equal(wadi_dl_function(&d, "cos", &fn, &err), WADI_OK);
    assert_true(((double (*)(double))fn)(0.0) == 1.0);
    assert_int_equal(wadi_dl_function(&d, "no_such_name", &fn, &err), WADI_IO);
    assert_non_null(strstr(err.msg, "no_such_name"));
    wadi_dl_close(&d);
    wadi_dl_close(&d);
    assert_int_equal(wadi_dl_open(&d, "/no/such/object.so", &err), WADI_IO);
    assert_non_null(strstr(err.msg, "/no/such/object.so"));
}

static void clocks_do_not_go_back(void **state) {
    WADI_UNUSED(state);
    const int64_t wall = wadi_clock_ns();
    const int64_t cpu = wadi_clock_thread_cpu_ns();
    assert_true(wadi_clock_ns() >= wall);
    assert_true(wadi_clock_thread_cpu_ns() >= cpu);
}

static void keep_line(void *env, wadi_log_level level, const char *line) {
    (void)snprintf(env, 64, "%d %s", (int)level, line);
}

static void log_reaches_the_callback_until_silenced(void **state) {
    WADI_UNUSED(state);
    char kept[64] = "";
    wadi_logf(WADI_LOG_INFO, "nobody listens");
    wadi_log_set(keep_line, kept);
    wadi_logf(WADI_LOG_WARNING, "stage %d waits", 3);
    assert_string_equal(kept, "2 stage 3 waits");
    char other[64] = ""; /* what listens may change */
    wadi_log_set(keep_line, other);
    wadi_logf(WADI_LOG_INFO, "%s", "to the other");
    assert_string_equal(other, "1 to the other");
    assert_string_equal(kept, "2 stage 3 waits");
    wadi_log_set(NULL, NULL);
    wadi_logf(WADI_LOG_WARNING, "silence");
    assert_string_equal(other, "1 to the other");
    assert_string_equal(kept, "2 stage 3 waits");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_files_are_counted),
        cmocka_unit_test_setup_teardown(written_file_reads_back_with_its_mode, make_directory,
                                        remove_directory),
        cmocka_unit_test_setup_teardown(large_and_empty_files_read_whole, make_directory,
                                        remove_directory),
        cmocka_unit_test_setup_teardown(failed_write_leaves_nothing_behind, make_directory,
                                        remove_directory),
        cmocka_unit_test_setup_teardown(missing_file_is_a_named_error, make_directory,
                                        remove_directory),
        cmocka_unit_test_setup_teardown(directories_are_made_all_the_way, make_directory,
                                        remove_directory),
        cmocka_unit_test(functions_are_found_by_name),
        cmocka_unit_test(clocks_do_not_go_back),
        cmocka_unit_test(log_reaches_the_callback_until_silenced),
        cmocka_unit_test(no_file_is_left_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
