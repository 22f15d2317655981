/* Folders that only a process which is gone can have left are swept; others are not touched. */
#include <dirent.h>
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
#include "base/scratch.h"
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

static void an_empty_one_is_swept(void **state) {
    (void)state;
    assert_int_equal(wadi_scratch_sweep(place, "other-"), 0);
    assert_true(wadi_file_exists(folder));
    assert_int_equal(wadi_scratch_sweep(place, "work-"), 1);
    assert_false(wadi_file_exists(folder));
    assert_int_equal(wadi_scratch_sweep(place, "work-"), 0);
}

static void what_others_have_put_there_stays(void **state) {
    (void)state;
    assert_int_equal(wadi_file_write(file, "x", 1, 0600, NULL), WADI_OK);
    assert_int_equal(wadi_scratch_sweep(place, "work-"), 0);
    assert_true(wadi_file_exists(file));
}

static void those_of_another_user_stay(void **state) {
    (void)state;
    if (geteuid() != 0) skip();
    assert_int_equal(chown(folder, 12345, (gid_t)-1), 0);
    assert_int_equal(wadi_scratch_sweep(place, "work-"), 0);
    assert_true(wadi_file_exists(folder));
    assert_int_equal(chown(folder, 0, (gid_t)-1), 0);
    assert_int_equal(wadi_scratch_sweep(place, "work-"), 1);
}

static void one_in_use_stays_until_it_is_removed(void **state) {
    (void)state;
    wadi_scratch s;
    assert_int_equal(wadi_scratch_make(place, "work-", &s, NULL), WADI_OK);
    assert_int_equal(wadi_scratch_sweep(place, "work-"), 1); /* the empty one */
    assert_true(wadi_file_exists(s.path));
    wadi_scratch_remove(&s);
    assert_int_equal(wadi_scratch_sweep(place, "work-"), 0);
}

static int entries(const char *path) {
    int n = 0;
    DIR *d = opendir(path);
    assert_non_null(d);
    for (const struct dirent *e = readdir(d); e != NULL; e = readdir(d)) n += e->d_name[0] != '.';
    (void)closedir(d);
    return n;
}

/* Such a one keeps its lock, by which the next sweep knows that it is nobody's. */
static void one_that_cannot_be_emptied_is_swept_when_it_can(void **state) {
    (void)state;
    char path[sizeof((wadi_scratch *)NULL)->path], inner[sizeof path + 16];
    for (int turn = 0; turn < 4; turn++) { /* folders come in any order */
        wadi_scratch s;
        assert_int_equal(wadi_scratch_make(place, "held-", &s, NULL), WADI_OK);
        memcpy(path, s.path, sizeof path);
        for (int i = 0; i < 7; i++) {
            snprintf(inner, sizeof inner, "%s/%c", path, 'a' + i);
            if (i == 3 + turn % 2)
                assert_int_equal(mkdir(inner, 0700), 0);
            else
                assert_int_equal(wadi_file_write(inner, "x", 1, 0600, NULL), WADI_OK);
        }
        wadi_scratch_remove(&s);
        assert_int_equal(entries(path), 2); /* the folder and the lock */
        assert_int_equal(wadi_scratch_sweep(place, "held-"), 0);
        snprintf(inner, sizeof inner, "%s/%c", path, 'a' + 3 + turn % 2);
        assert_int_equal(rmdir(inner), 0);
        assert_int_equal(wadi_scratch_sweep(place, "held-"), 1);
        assert_false(wadi_file_exists(path));
    }
}

static void a_folder_that_is_not_there_is_no_parent(void **state) {
    (void)state;
    assert_int_equal(setenv("TMPDIR", place, 1), 0);
    assert_string_equal(wadi_scratch_parent(), place);
    assert_int_equal(setenv("TMPDIR", "/nonexistent", 1), 0);
    assert_string_equal(wadi_scratch_parent(), "/tmp");
    assert_int_equal(unsetenv("TMPDIR"), 0);
    assert_string_equal(wadi_scratch_parent(), "/tmp");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_files_are_counted),
        cmocka_unit_test_setup_teardown(an_empty_one_is_swept, make_place, remove_place),
        cmocka_unit_test_setup_teardown(a_folder_that_is_not_there_is_no_parent, make_place,
                                        remove_place),
        cmocka_unit_test_setup_teardown(what_others_have_put_there_stays, make_place, remove_place),
        cmocka_unit_test_setup_teardown(those_of_another_user_stay, make_place, remove_place),
        cmocka_unit_test_setup_teardown(one_that_cannot_be_emptied_is_swept_when_it_can, make_place,
                                        remove_place),
        cmocka_unit_test_setup_teardown(one_in_use_stays_until_it_is_removed, make_place,
                                        remove_place),
        cmocka_unit_test(no_file_is_left_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
