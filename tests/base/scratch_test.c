/* Folders that only a process which is gone can have left are swept; others are not touched. */
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
        cmocka_unit_test_setup_teardown(an_empty_one_is_swept, make_place, remove_place),
        cmocka_unit_test_setup_teardown(a_folder_that_is_not_there_is_no_parent, make_place,
                                        remove_place),
        cmocka_unit_test_setup_teardown(what_others_have_put_there_stays, make_place, remove_place),
        cmocka_unit_test_setup_teardown(those_of_another_user_stay, make_place, remove_place),
        cmocka_unit_test_setup_teardown(one_in_use_stays_until_it_is_removed, make_place,
                                        remove_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
