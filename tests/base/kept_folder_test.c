/* A folder that a process goes on from: what is damaged, or is no file of ours, is told, and nobody waits for it. */
#define _DEFAULT_SOURCE /* syscall */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/kept_folder.h"

static const char title[] = "kept folder test";
static char folder[64], state_file[96];

static bool folders_fail; /* to be forced onto the disk */

#pragma GCC visibility push(default)

/* In the place of the C library's. */
int fsync(int fd) {
    struct stat about;
    if (!folders_fail || fstat(fd, &about) != 0 || !S_ISDIR(about.st_mode))
        return (int)syscall(SYS_fsync, fd);
    errno = EIO;
    return -1;
}

#pragma GCC visibility pop

static int make_folder(void **unused) {
    (void)unused;
    (void)snprintf(folder, sizeof folder, "/tmp/wadi_kept_XXXXXX");
    if (mkdtemp(folder) == NULL) return 1;
    (void)snprintf(state_file, sizeof state_file, "%s/state", folder);
    return 0;
}

static int remove_folder(void **unused) {
    char lock[sizeof folder + 8];
    (void)unused;
    (void)snprintf(lock, sizeof lock, "%s/lock", folder);
    (void)unlink(lock);
    (void)unlink(state_file);
    (void)rmdir(state_file);
    (void)rmdir(folder);
    return 0;
}

static wadi_kept_folder *open_folder(void) {
    wadi_kept_folder *f = NULL;
    assert_int_equal(wadi_kept_folder_open(folder, title, &f, NULL), WADI_OK);
    return f;
}

/* What a process that begins finds there; the caller frees *out. */
static wadi_status find(char **out, size_t *out_n, wadi_error *err) {
    wadi_kept_folder *f = open_folder();
    const wadi_status status = wadi_kept_folder_read(f, out, out_n, err);
    wadi_kept_folder_close(f, false);
    return status;
}

static void refused(const char *says) {
    char *found = NULL;
    size_t n = 0;
    wadi_error err = {.status = WADI_OK};
    assert_int_equal(find(&found, &n, &err), WADI_IO);
    assert_null(found);
    if (strstr(err.msg, says) == NULL) fail_msg("%s", err.msg);
}

static wadi_status try_to_write(size_t n) {
    wadi_text t = {0};
    wadi_kept_folder *f = open_folder();
    for (size_t i = 0; i < n; i++) wadi_text_addf(&t, "%c", (int)(i * 7 % 251));
    const wadi_status status = wadi_kept_folder_write(f, &t, NULL);
    wadi_kept_folder_close(f, false);
    wadi_text_fini(&t);
    return status;
}

static void write_state(size_t n) {
    assert_int_equal(try_to_write(n), WADI_OK);
}

static void what_was_written_is_found(void **unused) {
    char *found = NULL;
    size_t n = 0;
    (void)unused;
    assert_int_equal(find(&found, &n, NULL), WADI_OK);
    assert_null(found);
    for (size_t bytes = 0; bytes < 600; bytes += 299) {
        (void)remove_folder(NULL);
        assert_int_equal(make_folder(NULL), 0);
        write_state(bytes);
        assert_int_equal(find(&found, &n, NULL), WADI_OK);
        assert_int_equal(n, bytes);
        for (size_t i = 0; i < n; i++) assert_int_equal((unsigned char)found[i], i * 7 % 251);
        free(found);
        assert_int_equal(remove_folder(NULL), 0);
    }
}

/* Every bit of every byte, and every length but its own. */
static void no_damage_is_believed(void **unused) {
    char *bytes = NULL;
    size_t n = 0;
    (void)unused;
    write_state(40);
    assert_int_equal(wadi_file_read(state_file, &bytes, &n, NULL), WADI_OK);
    for (size_t i = 0; i < 8 * n; i++) {
        bytes[i / 8] = (char)(bytes[i / 8] ^ 1 << i % 8);
        FILE *file = fopen(state_file, "wb");
        assert_true(file != NULL && fwrite(bytes, 1, n, file) == n && fclose(file) == 0);
        refused(i / 8 <= strlen(title) ? "this is no saved run" : "the saved run is damaged");
        bytes[i / 8] = (char)(bytes[i / 8] ^ 1 << i % 8);
    }
    for (size_t length = 0; length < n; length++) {
        FILE *file = fopen(state_file, "wb");
        assert_true(file != NULL && fwrite(bytes, 1, length, file) == length && fclose(file) == 0);
        refused("/state: ");
    }
    free(bytes);
}

/* Titles end with a version, of one digit or more. */
static void what_another_version_wrote_is_told(void **unused) {
    static const char *const written[] = {"some kind 9\n", "some kind 100\n", "some kind 1\n"};
    static const char *const others[] = {"some kind \n", "some kind 9x\n", "some other 9\n",
                                         "some"};
    wadi_kept_folder *f = NULL;
    wadi_error err = {.status = WADI_OK};
    char *found = NULL;
    size_t n = 0;
    (void)unused;
    assert_int_equal(wadi_kept_folder_open(folder, "some kind 10", &f, NULL), WADI_OK);
    for (int i = 0; i < 7; i++) {
        const char *text = i < 3 ? written[i] : others[i - 3];
        FILE *file = fopen(state_file, "wb");
        assert_true(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
        assert_int_equal(wadi_kept_folder_read(f, &found, &n, &err), WADI_IO);
        assert_non_null(
            strstr(err.msg, i < 3 ? "another version of wadi" : "this is no saved run; remove it"));
    }
    wadi_kept_folder_close(f, false);
}

/* A pipe has no end, and so have devices that a link leads to. */
static void what_is_no_file_is_not_read(void **unused) {
    (void)unused;
    assert_int_equal(mkfifo(state_file, 0600), 0);
    const int other_end = open(state_file, O_RDWR | O_CLOEXEC); /* keeps it open */
    assert_true(other_end >= 0);
    (void)alarm(20);
    refused("this is no regular file");
    assert_int_equal(unlink(state_file), 0);
    assert_int_equal(symlink("/dev/zero", state_file), 0);
    refused("this is no regular file");
    assert_int_equal(unlink(state_file), 0);
    assert_int_equal(mkdir(state_file, 0700), 0);
    refused("this is no regular file");
    (void)alarm(0);
    assert_int_equal(close(other_end), 0);
}

/* It had its name already. */
static void a_first_saving_that_fails_leaves_nothing(void **unused) {
    (void)unused;
    folders_fail = true;
    assert_int_equal(try_to_write(10), WADI_IO);
    folders_fail = false;
    assert_int_equal(access(folder, F_OK), -1);
}

static void a_later_saving_that_fails_leaves_a_state(void **unused) {
    (void)unused;
    write_state(10);
    folders_fail = true;
    assert_int_equal(try_to_write(20), WADI_IO);
    folders_fail = false;
    assert_int_equal(access(state_file, F_OK), 0);
}

static void what_a_killed_process_has_begun_to_write_does_not_stay(void **unused) {
    char begun[sizeof folder + 40];
    (void)unused;
    (void)snprintf(begun, sizeof begun, "%s/state.0123abcd.wadi-part", folder);
    write_state(10);
    const int fd = open(begun, O_WRONLY | O_CREAT | O_EXCL, 0600);
    assert_true(fd >= 0);
    assert_int_equal(close(fd), 0);
    wadi_kept_folder_close(open_folder(), true);
    assert_int_equal(access(folder, F_OK), -1);
}

static void a_folder_that_cannot_be_locked_is_not_made(void **unused) {
    struct rlimit before, none;
    wadi_kept_folder *f = NULL;
    (void)unused;
    assert_int_equal(remove_folder(NULL), 0);
    const int next = dup(STDIN_FILENO);
    assert_true(next >= 0 && close(next) == 0 && getrlimit(RLIMIT_NOFILE, &before) == 0);
    none = (struct rlimit){(rlim_t)next, before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    const wadi_status status = wadi_kept_folder_open(folder, title, &f, NULL);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_int_equal(status, WADI_IO);
    assert_int_equal(access(folder, F_OK), -1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_was_written_is_found, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(no_damage_is_believed, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(what_another_version_wrote_is_told, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(what_is_no_file_is_not_read, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(a_first_saving_that_fails_leaves_nothing, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(a_later_saving_that_fails_leaves_a_state, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(what_a_killed_process_has_begun_to_write_does_not_stay,
                                        make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(a_folder_that_cannot_be_locked_is_not_made, make_folder,
                                        remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
