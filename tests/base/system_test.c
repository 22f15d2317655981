/* Files, directories, shared objects, clocks and the log. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
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

static void folders_are_made_with_the_mode_that_is_asked_for(void **state) {
    const mode_t mask = umask(0);
    static const unsigned modes[] = {0700, 0755, 0770};
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        char name[32];
        struct stat info;
        (void)snprintf(name, sizeof name, "m%o/inner", modes[i]);
        assert_int_equal(wadi_dir_make(inside(state, name), modes[i], NULL), WADI_OK);
        assert_int_equal(stat(inside(state, name), &info), 0);
        assert_int_equal(info.st_mode & 0777, modes[i]);
        *strchr(name, '/') = '\0';
        assert_int_equal(stat(inside(state, name), &info), 0);
        assert_int_equal(info.st_mode & 0777, modes[i]);
    }
    umask(mask);
    wadi_error err = {0};
    assert_int_equal(symlink("nowhere", inside(state, "dangling")), 0);
    assert_false(wadi_file_exists(inside(state, "dangling")));
    assert_int_equal(wadi_dir_make(inside(state, "dangling"), 0700, &err), WADI_IO);
    assert_int_equal(wadi_file_write(inside(state, "file"), "", 0, 0600, NULL), WADI_OK);
    assert_int_equal(wadi_dir_make(inside(state, "file"), 0700, &err), WADI_IO);
    assert_non_null(strstr(err.msg, strerror(ENOTDIR)));
    assert_non_null(strstr(err.msg, inside(state, "file")));
}

/* Reads that give a few bytes at a time, as a pipe does: the whole is what was written. */
static void what_is_no_file_is_read_to_its_end(void **state) {
    WADI_UNUSED(state);
    int end[2];
    char *text = NULL;
    size_t n = 0;
    wadi_error err = {0};
    assert_int_equal(pipe(end), 0);
    const pid_t child = fork();
    if (child == 0) {
        bool fine = true;
        for (int i = 0; i < 30000; i++)
            fine = write(end[1], "piece", 1 + (size_t)i % 5) > 0 && fine;
        _exit(fine ? 0 : 1);
    }
    assert_int_equal(close(end[1]), 0);
    assert_int_equal(wadi_file_read_fd(end[0], "pipe", 0, &text, &n, NULL), WADI_OK);
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_int_equal(n, 6000 * (1 + 2 + 3 + 4 + 5));
    for (size_t i = 0, k = 0; i < n; k++) {
        assert_memory_equal(text + i, "piece", 1 + k % 5);
        i += 1 + k % 5;
    }
    free(text);
    assert_int_equal(close(end[0]), 0);
    const int folder = open(".", O_RDONLY);
    assert_int_equal(wadi_file_read_fd(folder, "folder", 0, &text, &n, &err), WADI_IO);
    assert_non_null(strstr(err.msg, "cannot read folder"));
    assert_int_equal(close(folder), 0);
}

/* Devices have no end, and names of files are easily mistaken. */
static void a_file_of_more_than_expected_is_refused(void **state) {
    static const size_t most = 10000;
    const char *path = inside(state, "much");
    char *data = calloc(1, most + 1), *text = NULL;
    size_t n = 0;
    wadi_error err = {0};
    assert_non_null(data);
    assert_int_equal(wadi_file_write(path, data, most, 0644, NULL), WADI_OK);
    assert_int_equal(wadi_file_read_most(path, most, &text, &n, NULL), WADI_OK);
    assert_int_equal(n, most);
    free(text);
    text = NULL;
    assert_int_equal(wadi_file_write(path, data, most + 1, 0644, NULL), WADI_OK);
    assert_int_equal(wadi_file_read_most(path, most, &text, &n, &err), WADI_INVALID);
    assert_non_null(strstr(err.msg, "much: more than 10000 bytes"));
    assert_int_equal(wadi_file_read_most("/dev/zero", most, &text, &n, &err), WADI_INVALID);
    assert_null(text);
    free(data);
}

/* ---- shared objects from memory ---- */

/* A shared object with a function that returns the number. */
static char *object_with(void **state, int number, size_t *out_n) {
    char command[400], *bytes = NULL;
    const char *cc = getenv("WADI_TEST_CC");
    (void)snprintf(command, sizeof command,
                   "echo 'int which(void) { return %d; }' | %s -shared -fPIC -x c - -o %s", number,
                   cc != NULL ? cc : "cc", inside(state, "object.so"));
    assert_int_equal(system(command), 0);
    assert_int_equal(wadi_file_read(inside(state, "object.so"), &bytes, out_n, NULL), WADI_OK);
    return bytes;
}

static int loaded_from_memory(void) {
    char line[1000];
    int n = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    assert_non_null(maps);
    while (fgets(line, sizeof line, maps) != NULL) n += strstr(line, "wadi-kernel") != NULL;
    assert_int_equal(fclose(maps), 0);
    return n;
}

/* Many of the same name that are open at once, by descriptors that are used again: each is its own. */
static void objects_in_memory_are_told_apart(void **state) {
    enum { MANY = 40 };
    char *bytes[2];
    size_t n[2];
    wadi_dl d[MANY];
    wadi_dl_fn fn = NULL;
    wadi_error err = {0};
    for (int i = 0; i < 2; i++) bytes[i] = object_with(state, i + 1, &n[i]);
    for (int i = 0; i < MANY; i++) {
        const int which = i * i % 3 == 0;
        if (wadi_dl_open_bytes(&d[i], bytes[which], n[which], &err) != WADI_OK)
            fail_msg("%s", err.msg);
        assert_int_equal(wadi_dl_function(&d[i], "which", &fn, &err), WADI_OK);
        assert_int_equal(((int (*)(void))fn)(), which + 1);
    }
    assert_true(loaded_from_memory() > 0);
    for (int i = 0; i < MANY; i++) wadi_dl_close(&d[i]);
    assert_int_equal(loaded_from_memory(), 0);
    assert_int_equal(wadi_dl_open_bytes(&d[0], "no object", 9, &err), WADI_IO);
    assert_null(d[0].handle);
    for (int i = 0; i < 2; i++) free(bytes[i]);
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
    assert_true(wadi_clock_ns() >= wall);
}

static int64_t read_clock(clockid_t id) {
    struct timespec t;
    assert_int_equal(clock_gettime(id, &t), 0);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int64_t thirteen(void) {
    return 13;
}

/* Nanoseconds of the system's clocks; or of a clock that was set, which is then looked at every millisecond. */
static void clocks_are_those_of_the_system_unless_one_is_set(void **state) {
    WADI_UNUSED(state);
    const int64_t before = read_clock(CLOCK_MONOTONIC), wall = wadi_clock_ns();
    assert_true(wall >= before && wall <= read_clock(CLOCK_MONOTONIC));
    assert_int_equal(wadi_clock_sleep_ns(5000000000), 5000000000);
    wadi_clock_set(thirteen);
    assert_int_equal(wadi_clock_ns(), 13);
    assert_int_equal(wadi_clock_sleep_ns(5000000000), 1000000);
    assert_int_equal(wadi_clock_sleep_ns(1000001), 1000000);
    assert_int_equal(wadi_clock_sleep_ns(999999), 999999);
    wadi_clock_set(NULL);
    assert_true(wadi_clock_ns() >= wall);
}

static void keep_long_line(void *env, wadi_log_level level, const char *line) {
    (void)level;
    *(size_t *)env = strlen(line);
}

static void a_long_line_is_cut(void **state) {
    WADI_UNUSED(state);
    size_t length = 0;
    wadi_log_set(keep_long_line, &length);
    wadi_logf(WADI_LOG_WARNING, "%1023s", "x");
    assert_int_equal(length, 1023);
    wadi_logf(WADI_LOG_WARNING, "%3000s", "x");
    assert_int_equal(length, 1023);
    wadi_log_set(NULL, NULL);
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
        cmocka_unit_test_setup_teardown(a_file_of_more_than_expected_is_refused, make_directory,
                                        remove_directory),
        cmocka_unit_test_setup_teardown(failed_write_leaves_nothing_behind, make_directory,
                                        remove_directory),
        cmocka_unit_test_setup_teardown(missing_file_is_a_named_error, make_directory,
                                        remove_directory),
        cmocka_unit_test_setup_teardown(directories_are_made_all_the_way, make_directory,
                                        remove_directory),
        cmocka_unit_test_setup_teardown(folders_are_made_with_the_mode_that_is_asked_for,
                                        make_directory, remove_directory),
        cmocka_unit_test(what_is_no_file_is_read_to_its_end),
        cmocka_unit_test_setup_teardown(objects_in_memory_are_told_apart, make_directory,
                                        remove_directory),
        cmocka_unit_test(functions_are_found_by_name),
        cmocka_unit_test(clocks_do_not_go_back),
        cmocka_unit_test(clocks_are_those_of_the_system_unless_one_is_set),
        cmocka_unit_test(a_long_line_is_cut),
        cmocka_unit_test(log_reaches_the_callback_until_silenced),
        cmocka_unit_test(no_file_is_left_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
