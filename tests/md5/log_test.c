/* Files that are appended to: who may write them, what is kept of their contents, and what they contain when the disk is full. */
#define _GNU_SOURCE /* syscall */
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

#include "apps/md5/log_file.h"
#include "base/error.h"
#include "base/file.h"
#include "tests/open_files.h"

static const char name[] = "md5-log.test", other[] = "md5-log-other.test",
                  linked[] = "md5-log-link.test";

/* ---- the system: stands before the C library's ---- */

static size_t room = SIZE_MAX; /* bytes that still can be written */

#pragma GCC visibility push(default)

ssize_t pwrite(int fd, const void *data, size_t n, off_t at) {
    const size_t most = n < room ? n : room;
    if (room == 0) {
        errno = ENOSPC;
        return -1;
    }
    if (room != SIZE_MAX) room -= most;
    return syscall(SYS_pwrite64, fd, data, most, at);
}

#pragma GCC visibility pop

static int setup(void **state) {
    (void)state;
    room = SIZE_MAX;
    (void)unlink(name);
    (void)unlink(other);
    (void)unlink(linked);
    return 0;
}

static void open_log(md5_log *log) {
    wadi_error err = {0};
    if (md5_log_open(name, 0600, log, &err) != WADI_OK) fail_msg("%s", err.msg);
}

static void assert_holds(const char *path, const char *text) {
    char *got = NULL;
    size_t n = 0;
    assert_int_equal(wadi_file_read(path, &got, &n, NULL), WADI_OK);
    assert_string_equal(got, text);
    assert_int_equal(n, strlen(text));
    free(got);
}

static void add(md5_log *log, const char *text) {
    assert_int_equal(md5_log_add(log, text, strlen(text), NULL), WADI_OK);
}

/* ---- tests ---- */

static void what_is_added_and_cut_is_there_when_it_is_opened_again(void **state) {
    (void)state;
    md5_log log;
    char *text = NULL;
    open_log(&log);
    assert_int_equal(log.length, 0);
    add(&log, "0123456789");
    add(&log, "abc");
    assert_int_equal(log.length, 13);
    assert_int_equal(md5_log_cut(&log, 11, NULL), WADI_OK);
    assert_int_equal(log.length, 11);
    add(&log, "!");
    assert_int_equal(md5_log_sync(&log, NULL), WADI_OK);
    md5_log_close(&log);
    assert_int_equal(log.fd, -1);
    md5_log_close(&log); /* harmless */
    assert_holds(name, "0123456789a!");
    open_log(&log);
    assert_int_equal(log.length, 12);
    assert_int_equal(md5_log_read(&log, &text, NULL), WADI_OK);
    assert_string_equal(text, "0123456789a!");
    free(text);
    add(&log, "?");
    md5_log_close(&log);
    assert_holds(name, "0123456789a!?");
}

static void an_empty_file_is_removed_and_another_stays(void **state) {
    (void)state;
    md5_log log;
    open_log(&log);
    assert_true(wadi_file_exists(name));
    md5_log_close(&log);
    assert_false(wadi_file_exists(name));
    open_log(&log);
    add(&log, "x");
    md5_log_close(&log);
    assert_true(wadi_file_exists(name));
    open_log(&log);
    assert_int_equal(md5_log_cut(&log, 0, NULL), WADI_OK);
    md5_log_close(&log);
    assert_false(wadi_file_exists(name));
}

/* What somebody has put in its place is not ours. */
static void a_file_that_has_taken_the_name_stays(void **state) {
    (void)state;
    md5_log log;
    open_log(&log);
    add(&log, "mine");
    assert_int_equal(wadi_file_write(other, "theirs", 6, 0600, NULL), WADI_OK);
    assert_int_equal(rename(other, name), 0);
    assert_int_equal(md5_log_cut(&log, 0, NULL), WADI_OK);
    md5_log_close(&log);
    assert_holds(name, "theirs");
}

static void one_has_it_at_a_time(void **state) {
    (void)state;
    md5_log log, second;
    wadi_error err = {0};
    open_log(&log);
    add(&log, "x");
    assert_int_equal(md5_log_open(name, 0600, &second, &err), WADI_IO);
    assert_string_equal(err.msg, "md5-log.test: another process is using it");
    assert_int_equal(second.fd, -1);
    md5_log_close(&second);
    md5_log_close(&log);
    open_log(&log);
    md5_log_close(&log);
}

static void it_is_made_with_the_rights_that_are_asked_for(void **state) {
    (void)state;
    static const unsigned modes[] = {0600, 0666}, masks[] = {0, 022, 077};
    for (int i = 0; i < 6; i++) {
        md5_log log;
        struct stat about;
        const mode_t before = umask((mode_t)masks[i / 2]);
        assert_int_equal(md5_log_open(name, modes[i % 2], &log, NULL), WADI_OK);
        umask(before);
        assert_int_equal(stat(name, &about), 0);
        assert_int_equal(about.st_mode & 0777, modes[i % 2] & ~masks[i / 2]);
        md5_log_close(&log);
    }
}

static void a_link_is_followed_and_stays(void **state) {
    (void)state;
    md5_log log;
    char *real = NULL;
    assert_int_equal(symlink(name, linked), 0);
    assert_int_equal(md5_log_open(linked, 0600, &log, NULL), WADI_OK);
    real = realpath(name, NULL);
    assert_string_equal(log.path, real);
    free(real);
    add(&log, "x");
    md5_log_close(&log);
    assert_holds(name, "x");
    assert_int_equal(md5_log_open(linked, 0600, &log, NULL), WADI_OK);
    assert_int_equal(md5_log_cut(&log, 0, NULL), WADI_OK);
    md5_log_close(&log);
    assert_false(wadi_file_exists(name));
    assert_int_equal(unlink(linked), 0); /* it is there */
}

/* All of a line, or nothing: what was begun is taken back. */
static void a_full_disk_leaves_what_was_there(void **state) {
    (void)state;
    md5_log log;
    wadi_error err = {0};
    open_log(&log);
    add(&log, "whole\n");
    for (size_t most = 0; most < 5; most++) {
        room = most;
        assert_int_equal(md5_log_add(&log, "begun", 5, &err), WADI_IO);
        room = SIZE_MAX;
        assert_non_null(strstr(err.msg, strerror(ENOSPC)));
        assert_non_null(strstr(err.msg, name));
        assert_int_equal(log.length, 6);
        assert_holds(name, "whole\n");
    }
    add(&log, "more\n");
    md5_log_close(&log);
    assert_holds(name, "whole\nmore\n");
}

static void a_file_that_became_shorter_is_told(void **state) {
    (void)state;
    md5_log log;
    char *text = NULL;
    wadi_error err = {0};
    open_log(&log);
    add(&log, "0123456789");
    assert_int_equal(truncate(name, 4), 0);
    assert_int_equal(md5_log_read(&log, &text, &err), WADI_IO);
    assert_null(text);
    assert_non_null(strstr(err.msg, "became shorter while it was read"));
    md5_log_close(&log);
}

static void a_stream_is_written_to_and_never_removed(void **state) {
    (void)state;
    md5_log log;
    char got[16] = "";
    assert_int_equal(mkfifo(name, 0600), 0);
    const int reader = open(name, O_RDONLY | O_NONBLOCK);
    open_log(&log);
    assert_true(log.stream);
    assert_string_equal(log.path, name);
    add(&log, "one\n");
    add(&log, "two\n");
    assert_int_equal(md5_log_sync(&log, NULL), WADI_OK);
    assert_int_equal(read(reader, got, sizeof got - 1), 8);
    assert_string_equal(got, "one\ntwo\n");
    md5_log_close(&log);
    assert_true(wadi_file_exists(name));
    assert_int_equal(close(reader), 0);
    assert_int_equal(md5_log_open("-", 0600, &log, NULL), WADI_OK);
    assert_string_equal(log.path, "standard output");
    assert_true(log.fd != STDOUT_FILENO);
    md5_log_close(&log);
    assert_true(fcntl(STDOUT_FILENO, F_GETFD) >= 0);
    (void)unlink(name);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_files_are_counted),
        cmocka_unit_test_setup(what_is_added_and_cut_is_there_when_it_is_opened_again, setup),
        cmocka_unit_test_setup(an_empty_file_is_removed_and_another_stays, setup),
        cmocka_unit_test_setup(a_file_that_has_taken_the_name_stays, setup),
        cmocka_unit_test_setup(one_has_it_at_a_time, setup),
        cmocka_unit_test_setup(it_is_made_with_the_rights_that_are_asked_for, setup),
        cmocka_unit_test_setup(a_link_is_followed_and_stays, setup),
        cmocka_unit_test_setup(a_full_disk_leaves_what_was_there, setup),
        cmocka_unit_test_setup(a_file_that_became_shorter_is_told, setup),
        cmocka_unit_test_setup(a_stream_is_written_to_and_never_removed, setup),
        cmocka_unit_test(no_file_is_left_open),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    (void)setup(NULL);
    return failed;
}
