/* The user's cache folder: in which order places are tried, and that a folder which others can write to is refused. */
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

#include "base/file.h"
#include "base/user_cache.h"
#include "tests/open_files.h"

enum { ROOM = 256 };

static char place[] = "/tmp/wadi_user_cache_XXXXXX";

static void in_place(char out[ROOM], const char *name) {
    snprintf(out, ROOM, "%s/%s", place, name);
}

static void set(const char *variable, const char *name) {
    char path[ROOM];
    in_place(path, name);
    assert_int_equal(setenv(variable, path, 1), 0);
}

static void expect(const char *name) {
    char want[ROOM], got[ROOM];
    struct stat about;
    in_place(want, name);
    assert_int_equal(wadi_user_cache(got, sizeof got, NULL), WADI_OK);
    assert_string_equal(got, want);
    assert_int_equal(stat(got, &about), 0);
    assert_true(S_ISDIR(about.st_mode));
    assert_int_equal(about.st_mode & 0777, 0700);
}

static void the_first_that_can_be_used_is_it(void **state) {
    (void)state;
    char folder[ROOM], file[ROOM], last[64];
    in_place(folder, "home");
    assert_int_equal(mkdir(folder, 0755), 0);
    set("WADI_CACHE_DIR", "own/deep");
    set("XDG_CACHE_HOME", "xdg");
    set("HOME", "home");
    set("TMPDIR", "");
    expect("own/deep");
    setenv("WADI_CACHE_DIR", "", 1);
    expect("xdg/wadi");
    expect("xdg/wadi"); /* that is there now */
    in_place(file, "file");
    assert_int_equal(wadi_file_write(file, "", 0, 0600, NULL), WADI_OK);
    set("XDG_CACHE_HOME", "file"); /* no folder can be made below a file */
    expect("home/.cache/wadi");
    unsetenv("XDG_CACHE_HOME");
    expect("home/.cache/wadi");
    snprintf(last, sizeof last, "/wadi-%lu", (unsigned long)geteuid());
    set("HOME", "none"); /* a home that is not there is not made */
    expect(last);
    unsetenv("HOME");
    expect(last);
    assert_false(wadi_file_exists("none"));
    setenv("HOME", ".", 1); /* nor is one that is no whole path */
    setenv("XDG_CACHE_HOME", "", 1);
    expect(last);
}

/* In a place where others can make names: no link, and nobody else may look into it. */
static void the_one_beside_those_of_others_is_ours_alone(void **state) {
    (void)state;
    char parent[ROOM], folder[ROOM + 32], other[ROOM], got[ROOM];
    wadi_error err = {.status = WADI_OK};
    unsetenv("WADI_CACHE_DIR");
    unsetenv("XDG_CACHE_HOME");
    unsetenv("HOME");
    set("TMPDIR", "shared-by-all");
    in_place(parent, "shared-by-all");
    assert_int_equal(mkdir(parent, 01777), 0);
    snprintf(folder, sizeof folder, "%s/wadi-%lu", parent, (unsigned long)geteuid());
    static const mode_t open[] = {0701, 0710, 0704, 0740, 0755};
    for (size_t i = 0; i < sizeof open / sizeof open[0]; i++) {
        (void)mkdir(folder, 0700);
        assert_int_equal(chmod(folder, open[i]), 0);
        assert_int_equal(wadi_user_cache(got, sizeof got, &err), WADI_IO);
        assert_non_null(strstr(err.msg, folder));
    }
    assert_int_equal(chmod(folder, 0700), 0);
    assert_int_equal(wadi_user_cache(got, sizeof got, NULL), WADI_OK);
    assert_string_equal(got, folder);
    assert_int_equal(rmdir(folder), 0);
    in_place(other, "ours");
    assert_int_equal(mkdir(other, 0700), 0);
    assert_int_equal(symlink(other, folder), 0);
    assert_int_equal(wadi_user_cache(got, sizeof got, NULL), WADI_IO);
    assert_int_equal(unlink(folder), 0);
    set("WADI_CACHE_DIR", "link"); /* one's own may be one */
    in_place(folder, "link");
    assert_int_equal(symlink(other, folder), 0);
    assert_int_equal(wadi_user_cache(got, sizeof got, NULL), WADI_OK);
    in_place(folder, "no-folder");
    assert_int_equal(wadi_file_write(folder, "", 0, 0600, NULL), WADI_OK);
    set("WADI_CACHE_DIR", "no-folder");
    assert_int_equal(wadi_user_cache(got, sizeof got, &err), WADI_IO);
    assert_non_null(strstr(err.msg, "is not a folder"));
}

static void a_folder_that_others_can_write_to_is_none(void **state) {
    (void)state;
    char folder[ROOM], got[ROOM];
    wadi_error err = {.status = WADI_OK};
    in_place(folder, "open");
    set("WADI_CACHE_DIR", "open");
    static const mode_t open[] = {0777, 0720, 0702, 0770};
    for (size_t i = 0; i < sizeof open / sizeof open[0]; i++) {
        (void)mkdir(folder, 0700);
        assert_int_equal(chmod(folder, open[i]), 0);
        assert_int_equal(wadi_user_cache(got, sizeof got, &err), WADI_INVALID);
        assert_non_null(strstr(err.msg, folder));
    }
    assert_int_equal(chmod(folder, 0755), 0); /* others may look */
    assert_int_equal(wadi_user_cache(got, sizeof got, NULL), WADI_OK);
    assert_int_equal(wadi_user_cache(got, strlen(folder), NULL), WADI_IO); /* no room for its end */
    assert_int_equal(wadi_user_cache(got, strlen(folder) + 1, NULL), WADI_OK);
    assert_int_equal(chmod(folder, 0777), 0);
    unsetenv("WADI_CACHE_DIR"); /* passed over where it is not the one that was named */
    set("HOME", "home");
    set("XDG_CACHE_HOME", "shared");
    in_place(folder, "shared/wadi");
    assert_int_equal(wadi_dir_make(folder, 0700, NULL), WADI_OK);
    assert_int_equal(chmod(folder, 0777), 0);
    expect("home/.cache/wadi");
}

static int make_place(void **state) {
    (void)state;
    return mkdtemp(place) != NULL ? 0 : -1;
}

static int remove_place(void **state) {
    (void)state;
    char command[ROOM];
    snprintf(command, sizeof command, "rm -rf '%s'", place);
    return system(command);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_files_are_counted),
        cmocka_unit_test(the_first_that_can_be_used_is_it),
        cmocka_unit_test(a_folder_that_others_can_write_to_is_none),
        cmocka_unit_test(the_one_beside_those_of_others_is_ours_alone),
        cmocka_unit_test(no_file_is_left_open),
    };
    return cmocka_run_group_tests(tests, make_place, remove_place);
}
