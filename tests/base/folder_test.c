/* Temporary folders of processes that have ended are removed; others are not touched. */
#include <dirent.h>
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

#include "base/file.h"
#include "base/folder.h"
#include "tests/open_files.h"

static char place[] = "/tmp/wadi_scratch_XXXXXX";
static char folder[64], file[80];

static int make_place(void **state) {
    (void)state;
    strcpy(place + strlen(place) - 6, "XXXXXX");
    if (mkdtemp(place) == NULL) return -1;
    snprintf(folder, sizeof folder, "%s/work-empty1", place);
    snprintf(file, sizeof file, "%s/file", folder);
    return mkdir(folder, 0700);
}

static int remove_place(void **state) {
    char command[64];
    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'", place);
    return system(command);
}

static int entries(const char *path) {
    int n = 0;
    DIR *d = opendir(path);
    assert_non_null(d);
    for (const struct dirent *e = readdir(d); e != NULL; e = readdir(d)) n += e->d_name[0] != '.';
    (void)closedir(d);
    return n;
}

static void an_empty_one_is_swept(void **state) {
    (void)state;
    assert_int_equal(wadi_folder_sweep(place, "other-"), 0);
    assert_true(wadi_file_exists(folder));
    assert_int_equal(wadi_folder_sweep(place, "work-"), 1);
    assert_false(wadi_file_exists(folder));
    assert_int_equal(wadi_folder_sweep(place, "work-"), 0);
}

static void what_others_have_put_there_stays(void **state) {
    (void)state;
    assert_int_equal(wadi_file_write(file, "x", 1, 0600, NULL), WADI_OK);
    assert_int_equal(wadi_folder_sweep(place, "work-"), 0);
    assert_true(wadi_file_exists(file));
}

/* As the program before this one may have left it: without a lock, for more than an hour. */
static void an_old_one_without_a_lock_is_swept_whatever_is_in_it(void **state) {
    (void)state;
    const time_t now = time(NULL);
    assert_int_equal(wadi_file_write(file, "x", 1, 0600, NULL), WADI_OK);
    for (int age = 3500; age <= 3700; age += 200) {
        const struct timespec at[2] = {{.tv_sec = now - age}, {.tv_sec = now - age}};
        assert_int_equal(utimensat(AT_FDCWD, folder, at, 0), 0);
        assert_int_equal(wadi_folder_sweep(place, "work-"), age > 3600);
        assert_int_equal(wadi_file_exists(file), age <= 3600);
    }
}

/* The prefix and six characters, a folder, and no link to one. */
static void what_only_looks_like_one_stays(void **state) {
    (void)state;
    static const char *const names[] = {"work-empty", "work-empty12", "work-", "wor-empty1"};
    char path[80], target[80];
    assert_int_equal(rmdir(folder), 0);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        snprintf(path, sizeof path, "%s/%s", place, names[i]);
        assert_int_equal(mkdir(path, 0700), 0);
    }
    snprintf(path, sizeof path, "%s/work-a-file", place);
    assert_int_equal(wadi_file_write(path, "x", 1, 0600, NULL), WADI_OK);
    snprintf(target, sizeof target, "%s/target", place);
    assert_int_equal(mkdir(target, 0700), 0);
    snprintf(path, sizeof path, "%s/work-alink1", place);
    assert_int_equal(symlink("target", path), 0);
    snprintf(path, sizeof path, "%s/work-plain1", place);
    assert_int_equal(wadi_file_write(path, "x", 1, 0600, NULL), WADI_OK);
    assert_int_equal(wadi_folder_sweep(place, "work-"), 0);
    assert_true(wadi_file_exists(target) && wadi_file_exists(path));
    assert_int_equal(wadi_folder_sweep("/nonexistent", "work-"), 0);
}

static void one_of_a_killed_process_is_swept_with_its_files(void **state) {
    (void)state;
    wadi_folder s, other;
    char inner[sizeof s.path + 16];
    const pid_t child = fork();
    if (child == 0) { /* it leaves it, as if it were killed */
        bool fine = wadi_folder_make(place, "left-", &s, NULL) == WADI_OK;
        snprintf(inner, sizeof inner, "%s/a", s.path);
        fine = fine && wadi_file_write(inner, "x", 1, 0600, NULL) == WADI_OK;
        _exit(fine && wadi_folder_sweep(place, "left-") == 0 ? 0 : 1);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(wadi_folder_make(place, "left-", &s, NULL), WADI_OK);
    assert_int_equal(wadi_folder_make(place, "left-", &other, NULL), WADI_OK);
    assert_string_not_equal(s.path, other.path);
    assert_int_equal(wadi_folder_sweep(place, "left-"), 1);
    wadi_folder_remove(&s);
    assert_false(wadi_file_exists(s.path));
    assert_true(wadi_file_exists(other.path));
    wadi_folder_remove(&other);
    assert_int_equal(entries(place), 1); /* the empty one */
}

static void a_folder_that_cannot_be_made_says_why(void **state) {
    (void)state;
    char large[600];
    wadi_folder s;
    wadi_error err = {0};
    assert_int_equal(wadi_folder_make("/nonexistent", "work-", &s, &err), WADI_IO);
    assert_non_null(strstr(err.msg, strerror(ENOENT)));
    assert_int_equal(s.lock, -1);
    memset(large, 'x', sizeof large - 1);
    large[sizeof large - 1] = '\0';
    assert_int_equal(wadi_folder_make(place, large, &s, &err), WADI_IO);
    assert_non_null(strstr(err.msg, strerror(ENAMETOOLONG)));
    assert_int_equal(s.lock, -1);
    assert_int_equal(entries(place), 1);
}

static void those_of_another_user_stay(void **state) {
    (void)state;
    if (geteuid() != 0) skip();
    assert_int_equal(chown(folder, 12345, (gid_t)-1), 0);
    assert_int_equal(wadi_folder_sweep(place, "work-"), 0);
    assert_true(wadi_file_exists(folder));
    assert_int_equal(chown(folder, 0, (gid_t)-1), 0);
    assert_int_equal(wadi_folder_sweep(place, "work-"), 1);
}

static void one_in_use_stays_until_it_is_removed(void **state) {
    (void)state;
    wadi_folder s;
    assert_int_equal(wadi_folder_make(place, "work-", &s, NULL), WADI_OK);
    assert_int_equal(wadi_folder_sweep(place, "work-"), 1); /* the empty one */
    assert_true(wadi_file_exists(s.path));
    wadi_folder_remove(&s);
    assert_int_equal(wadi_folder_sweep(place, "work-"), 0);
}

/* Such a one keeps its lock, by which the next sweep knows that it is nobody's. */
static void one_that_cannot_be_emptied_is_swept_when_it_can(void **state) {
    (void)state;
    char path[sizeof((wadi_folder *)NULL)->path], inner[sizeof path + 16];
    for (int turn = 0; turn < 4; turn++) { /* folders come in any order */
        wadi_folder s;
        assert_int_equal(wadi_folder_make(place, "held-", &s, NULL), WADI_OK);
        memcpy(path, s.path, sizeof path);
        for (int i = 0; i < 7; i++) {
            snprintf(inner, sizeof inner, "%s/%c", path, 'a' + i);
            if (i == 3 + turn % 2)
                assert_int_equal(mkdir(inner, 0700), 0);
            else
                assert_int_equal(wadi_file_write(inner, "x", 1, 0600, NULL), WADI_OK);
        }
        wadi_folder_remove(&s);
        assert_int_equal(entries(path), 2); /* the folder and the lock */
        assert_int_equal(wadi_folder_sweep(place, "held-"), 0);
        snprintf(inner, sizeof inner, "%s/%c", path, 'a' + 3 + turn % 2);
        assert_int_equal(rmdir(inner), 0);
        assert_int_equal(wadi_folder_sweep(place, "held-"), 1);
        assert_false(wadi_file_exists(path));
    }
}

static void a_folder_that_is_not_there_is_no_parent(void **state) {
    (void)state;
    assert_int_equal(setenv("TMPDIR", place, 1), 0);
    assert_string_equal(wadi_folder_parent(), place);
    assert_int_equal(setenv("TMPDIR", "/nonexistent", 1), 0);
    assert_string_equal(wadi_folder_parent(), "/tmp");
    assert_int_equal(setenv("TMPDIR", "", 1), 0);
    assert_string_equal(wadi_folder_parent(), "/tmp");
    assert_int_equal(unsetenv("TMPDIR"), 0);
    assert_string_equal(wadi_folder_parent(), "/tmp");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_files_are_counted),
        cmocka_unit_test_setup_teardown(an_empty_one_is_swept, make_place, remove_place),
        cmocka_unit_test_setup_teardown(a_folder_that_is_not_there_is_no_parent, make_place,
                                        remove_place),
        cmocka_unit_test_setup_teardown(what_others_have_put_there_stays, make_place, remove_place),
        cmocka_unit_test_setup_teardown(an_old_one_without_a_lock_is_swept_whatever_is_in_it,
                                        make_place, remove_place),
        cmocka_unit_test_setup_teardown(what_only_looks_like_one_stays, make_place, remove_place),
        cmocka_unit_test_setup_teardown(one_of_a_killed_process_is_swept_with_its_files, make_place,
                                        remove_place),
        cmocka_unit_test_setup_teardown(a_folder_that_cannot_be_made_says_why, make_place,
                                        remove_place),
        cmocka_unit_test_setup_teardown(those_of_another_user_stay, make_place, remove_place),
        cmocka_unit_test_setup_teardown(one_that_cannot_be_emptied_is_swept_when_it_can, make_place,
                                        remove_place),
        cmocka_unit_test_setup_teardown(one_in_use_stays_until_it_is_removed, make_place,
                                        remove_place),
        cmocka_unit_test(no_file_is_left_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
