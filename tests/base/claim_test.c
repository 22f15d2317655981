/* Claims on files: one open file holds the claim as long as its name leads to it, and files that nobody claims are removed. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/claim.h"
#include "base/file.h"
#include "tests/base/support.h"
#include "tests/open_files.h"

static int open_folder(void) {
    const int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(fd >= 0);
    return fd;
}

static int open_in(int in_folder, const char *name) {
    const int fd = openat(in_folder, name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    return fd;
}

static void one_open_file_has_the_claim_until_it_is_closed(void **state) {
    (void)state;
    const int at = open_folder(), first = open_in(at, "a"), second = open_in(at, "a");
    assert_int_equal(wadi_claim_file(first, at, "a"), WADI_CLAIM_HELD);
    assert_int_equal(wadi_claim_file(first, at, "a"), WADI_CLAIM_HELD);
    assert_int_equal(wadi_claim_file(second, at, "a"), WADI_CLAIM_LOST);
    assert_int_equal(close(first), 0);
    assert_int_equal(wadi_claim_file(second, at, "a"), WADI_CLAIM_HELD);
    assert_int_equal(close(second) | close(at), 0);
}

static void a_claim_is_lost_when_the_name_means_another_file(void **state) {
    (void)state;
    const int at = open_folder(), mine = open_in(at, "a"), other = open_in(at, "b");
    assert_int_equal(wadi_claim_file(mine, at, "b"), WADI_CLAIM_LOST);
    assert_int_equal(wadi_claim_file(mine, at, "none"), WADI_CLAIM_LOST);
    assert_int_equal(wadi_claim_file(mine, at, "a"), WADI_CLAIM_HELD);
    assert_int_equal(symlinkat("a", at, "link"), 0); /* a name of another thing */
    assert_int_equal(wadi_claim_file(mine, at, "link"), WADI_CLAIM_LOST);
    assert_int_equal(renameat(at, "b", at, "a"), 0);
    assert_int_equal(wadi_claim_file(mine, at, "a"), WADI_CLAIM_LOST);
    assert_int_equal(close(mine) | close(other) | close(at), 0);
}

/* As where a file system has no locks: what is no file has none either. */
static void what_cannot_be_locked_is_unknown(void **state) {
    (void)state;
    const int at = open_folder();
    assert_int_equal(wadi_claim_file(-1, at, "a"), WADI_CLAIM_UNKNOWN);
    assert_int_equal(close(at), 0);
}

static void regular_files_of_nobody_are_removed_and_nothing_else(void **state) {
    (void)state;
    const int at = open_folder();
    assert_true(wadi_claim_remove(at, "none"));
    put(in("left"), "x");
    put(in("target"), "x");
    assert_int_equal(mkdir(in("folder"), 0700), 0);
    assert_int_equal(mkfifo(in("fifo"), 0600), 0);
    assert_int_equal(symlink("target", in("link")), 0);
    static const char *const others[] = {"folder", "fifo", "link"};
    for (int i = 0; i < 3; i++) assert_false(wadi_claim_remove(at, others[i]));
    const int owned = open_in(at, "owned");
    assert_int_equal(wadi_claim_file(owned, at, "owned"), WADI_CLAIM_HELD);
    assert_false(wadi_claim_remove(at, "owned"));
    assert_true(wadi_claim_remove(at, "left"));
    assert_int_equal(entries(), 5);
    assert_false(wadi_file_exists(in("left")));
    assert_int_equal(close(owned), 0);
    assert_true(wadi_claim_remove(at, "owned"));
    assert_int_equal(entries(), 4);
    assert_int_equal(close(at), 0);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, fresh_folder, remove_folder)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_files_are_counted),
        CASE(one_open_file_has_the_claim_until_it_is_closed),
        CASE(a_claim_is_lost_when_the_name_means_another_file),
        CASE(what_cannot_be_locked_is_unknown),
        CASE(regular_files_of_nobody_are_removed_and_nothing_else),
        cmocka_unit_test(no_file_is_left_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
