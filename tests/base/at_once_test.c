/* Two processes make or remove the same folder at the same moment: neither takes what the other has done for a fault. */
#define _GNU_SOURCE /* AT_FDCWD */
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
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/kept_folder.h"
#include "base/private_folder.h"
#include "tests/open_files.h"

static char place[] = "/tmp/wadi_at_once_XXXXXX", folder[64];

/* ---- the other process: it acts within a call of this one ---- */

static bool shall_make, shall_remove;

static void let_other_make(const char *path) {
    if (!shall_make || strcmp(path, folder) != 0) return;
    shall_make = false;
    (void)syscall(SYS_mkdirat, AT_FDCWD, folder, 0700);
}

#pragma GCC visibility push(default)

/* It makes the folder when this process has seen that there is none. */
int stat(const char *path, struct stat *out) {
    const int got = fstatat(AT_FDCWD, path, out, 0), why = errno;
    let_other_make(path);
    errno = why;
    return got;
}

int lstat(const char *path, struct stat *out) {
    const int got = fstatat(AT_FDCWD, path, out, AT_SYMLINK_NOFOLLOW), why = errno;
    let_other_make(path);
    errno = why;
    return got;
}

/* It removes the folder when this process has seen that there is one. */
int mkdir(const char *path, mode_t mode) {
    const int got = (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode), why = errno;
    if (shall_remove && got != 0 && why == EEXIST && strcmp(path, folder) == 0) {
        shall_remove = false;
        (void)rmdir(folder);
    }
    errno = why;
    return got;
}

#pragma GCC visibility pop

/* ---- */

static void a_private_folder_that_another_makes_meanwhile_is_fine(void **state) {
    (void)state;
    char path[sizeof folder];
    for (int shared = 0; shared < 2; shared++) {
        const int n = snprintf(path, sizeof path, "%s", folder);
        shall_make = true;
        assert_int_equal(wadi_private_folder(n, path, sizeof path, shared, "test", NULL), WADI_OK);
        assert_false(shall_make);
        assert_int_equal(rmdir(folder), 0);
    }
}

static void a_kept_folder_that_another_removes_meanwhile_is_made_again(void **state) {
    (void)state;
    wadi_kept_folder *f = NULL;
    assert_int_equal(syscall(SYS_mkdirat, AT_FDCWD, folder, 0700), 0);
    shall_remove = true;
    assert_int_equal(wadi_kept_folder_open(folder, "test", &f, NULL), WADI_OK);
    assert_false(shall_remove);
    wadi_kept_folder_close(f, true);
    assert_int_equal(access(folder, F_OK), -1);
}

static int make_place(void **state) {
    (void)state;
    if (mkdtemp(place) == NULL) return -1;
    (void)snprintf(folder, sizeof folder, "%s/folder", place);
    return 0;
}

static int remove_place(void **state) {
    (void)state;
    return rmdir(place);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_files_are_counted),
        cmocka_unit_test(a_private_folder_that_another_makes_meanwhile_is_fine),
        cmocka_unit_test(a_kept_folder_that_another_removes_meanwhile_is_made_again),
        cmocka_unit_test(no_file_is_left_open),
    };
    return cmocka_run_group_tests(tests, make_place, remove_place);
}
