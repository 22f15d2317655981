/* Where a name that is to be written leads: through links to which folder and file, or to which descriptor. */
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
#include <unistd.h>

#include <cmocka.h>

#include "base/destination.h"
#include "base/file.h"
#include "tests/base/support.h"
#include "tests/open_files.h"

static bool is_same(const struct stat *a, const struct stat *b) {
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static struct stat about(const char *path) {
    struct stat s;
    assert_int_equal(stat(path, &s), 0);
    return s;
}

static struct stat about_fd(int fd) {
    struct stat s;
    assert_int_equal(fstat(fd, &s), 0);
    return s;
}

static wadi_destination find(const char *path) {
    wadi_destination d;
    wadi_error err = {0};
    if (wadi_destination_find(path, &d, &err) != WADI_OK) fail_msg("%s", err.msg);
    return d;
}

/* `path` leads to the file `name` in the folder `where`. */
static void leads_to_file(const char *path, const char *where, const char *name, bool exists) {
    wadi_destination d = find(path);
    const struct stat is = about_fd(d.folder), want = about(where);
    assert_int_equal(d.stream, -1);
    assert_true(is_same(&is, &want));
    assert_string_equal(d.name, name);
    assert_int_equal(d.exists, exists);
    if (exists) {
        const struct stat file = about(path);
        assert_true(is_same(&d.about, &file));
    }
    assert_true((fcntl(d.folder, F_GETFD) & FD_CLOEXEC) != 0);
    wadi_destination_fini(&d);
    assert_int_equal(d.folder, -1);
    assert_null(d.path);
}

/* `path` leads to what `fd` has open, with the flags; it is written through another descriptor. */
static void leads_to_stream(const char *path, int fd, int flags) {
    wadi_destination d = find(path);
    const struct stat is = about_fd(d.stream), want = about_fd(fd);
    assert_true(is_same(&is, &want));
    assert_true(d.stream > 2 && d.stream != fd);
    assert_int_equal(d.folder, -1);
    assert_int_equal(fcntl(d.stream, F_GETFL) & (O_ACCMODE | O_APPEND | O_NONBLOCK), flags);
    assert_true((fcntl(d.stream, F_GETFD) & FD_CLOEXEC) != 0);
    wadi_destination_fini(&d);
    assert_int_equal(d.stream, -1);
}

static void is_refused(const char *path, wadi_status with, const char *why) {
    wadi_destination d;
    wadi_error err = {0};
    assert_int_equal(wadi_destination_find(path, &d, &err), with);
    if (strstr(err.msg, why) == NULL) fail_msg("%s: \"%s\", not \"%s\"", path, err.msg, why);
    assert_int_equal(strncmp(err.msg, path, strlen(path)), 0);
    wadi_destination_fini(&d);
}

static void link_to(const char *target, const char *name) {
    assert_int_equal(symlink(target, in(name)), 0);
}

static void files_are_found_behind_links(void **state) {
    (void)state;
    assert_int_equal(mkdir(in("sub"), 0755) | mkdir(in("sub/deep"), 0755), 0);
    put(in("sub/real"), "x");
    link_to("sub/a", "link");
    link_to("deep/b", "sub/a");
    link_to("../real", "sub/deep/b");
    link_to("sub/deep/none", "dangling");
    link_to("sub", "folder");
    leads_to_file(in("plain"), folder, "plain", false);
    leads_to_file(in("sub/real"), in("sub"), "real", true);
    leads_to_file(in("link"), in("sub"), "real", true);
    leads_to_file(in("dangling"), in("sub/deep"), "none", false);
    leads_to_file(in("folder/real"), in("sub"), "real", true);
    leads_to_file("no_such_file_here", ".", "no_such_file_here", false);
    leads_to_file("/no_such_file_here", "/", "no_such_file_here", false);
}

/* As many links as the system follows itself (path_resolution(7)). */
static void forty_links_are_followed_and_no_more(void **state) {
    (void)state;
    char name[16], target[16];
    put(in("0"), "x");
    for (int i = 1; i <= 41; i++) {
        (void)snprintf(name, sizeof name, "%d", i);
        (void)snprintf(target, sizeof target, "%d", i - 1);
        link_to(target, name);
    }
    const int fd = open(in("40"), O_RDONLY);
    assert_true(fd >= 0);
    assert_int_equal(close(fd), 0);
    assert_int_equal(open(in("41"), O_RDONLY), -1);
    assert_int_equal(errno, ELOOP);
    leads_to_file(in("40"), folder, "0", true);
    is_refused(in("41"), WADI_IO, strerror(ELOOP));
}

/* Only in the place of open files is a number a descriptor, and only alone is a dash standard output. */
static void names_that_look_like_descriptors_are_files(void **state) {
    (void)state;
    put(in("2"), "x");
    leads_to_file(in("1"), folder, "1", false);
    leads_to_file(in("2"), folder, "2", true);
    leads_to_file(in("-"), folder, "-", false);
    leads_to_file("./-", ".", "-", false);
}

static void what_this_process_has_open_is_written_through_another_descriptor(void **state) {
    (void)state;
    char path[64];
    int end[2];
    assert_int_equal(pipe(end), 0);
    static const char *const forms[] = {"/dev/fd/%d", "/proc/self/fd/%d", "/proc/self/fd/0%d",
                                        "/dev/../dev/fd/%d"};
    for (int i = 0; i < 4; i++) {
        (void)snprintf(path, sizeof path, forms[i], end[1]);
        leads_to_stream(path, end[1], O_WRONLY);
    }
    (void)snprintf(path, sizeof path, "/dev/fd/%d", end[1]);
    link_to(path, "link");
    leads_to_stream(in("link"), end[1], O_WRONLY);
    (void)snprintf(path, sizeof path, "/dev/fd/%d", end[0]);
    is_refused(path, WADI_IO, "is open for reading only");
    leads_to_file("/dev/fd/3x", "/proc/self/fd", "3x", false);
    leads_to_file("/dev/fd/1000000000000", "/proc/self/fd", "1000000000000", false);
    is_refused("/dev/fd/999", WADI_IO, strerror(EBADF));
    const int appending = open(in("log"), O_RDWR | O_CREAT | O_APPEND, 0600);
    (void)snprintf(path, sizeof path, "/dev/fd/%d", appending);
    leads_to_stream(path, appending, O_RDWR | O_APPEND);
    leads_to_stream("-", STDOUT_FILENO, fcntl(STDOUT_FILENO, F_GETFL) & (O_ACCMODE | O_APPEND));
    assert_int_equal(close(end[0]) | close(end[1]) | close(appending), 0);
}

/* Through /proc of a thread, which is no folder of this process's own: the file is opened anew, and not cut. */
static void what_somebody_has_open_is_added_to(void **state) {
    (void)state;
    char path[64];
    put(in("log"), "head");
    const int fd = open(in("log"), O_RDONLY);
    (void)snprintf(path, sizeof path, "/proc/self/task/%d/fd/%d", (int)getpid(), fd);
    leads_to_stream(path, fd, O_WRONLY | O_APPEND);
    assert_true(holds(in("log"), "head"));
    assert_int_equal(close(fd), 0);
}

static void fifos_and_devices_are_opened(void **state) {
    (void)state;
    assert_int_equal(mkfifo(in("fifo"), 0600), 0);
    const int reader = open(in("fifo"), O_RDONLY | O_NONBLOCK), null = open("/dev/null", O_RDONLY);
    leads_to_stream(in("fifo"), reader, O_WRONLY);
    leads_to_stream("/dev/null", null, O_WRONLY);
    link_to("fifo", "link");
    leads_to_stream(in("link"), reader, O_WRONLY);
    assert_int_equal(close(reader) | close(null), 0);
}

static void what_cannot_be_written_says_why(void **state) {
    (void)state;
    put(in("file"), "x");
    is_refused(folder, WADI_IO, "is a directory");
    is_refused(in("file/x"), WADI_IO, strerror(ENOTDIR));
    is_refused(in("none/x"), WADI_IO, strerror(ENOENT));
    is_refused(in("none/"), WADI_IO, "");
    is_refused("", WADI_INVALID, "names no file");
    link_to("none/x", "link");
    is_refused(in("link"), WADI_IO, strerror(ENOENT));
}

static void two_names_of_one_file_are_recognised(void **state) {
    (void)state;
    char name[64], other[64];
    link_to("file", "link");
    for (int exists = 0; exists < 2; exists++) {
        (void)snprintf(name, sizeof name, "%s", in("file"));
        (void)snprintf(other, sizeof other, "%s", in("./link"));
        assert_true(wadi_destination_is_same(name, other));
        assert_false(wadi_destination_is_same(name, in("files")));
        assert_false(wadi_destination_is_same(name, in("none/file")));
        put(name, "x");
    }
    assert_false(wadi_destination_is_same("-", "-"));
    assert_false(wadi_destination_is_same("/dev/null", "/dev/null"));
}

/* ---- where standard streams are closed ---- */

static bool none_below_three(void) {
    for (int fd = 0; fd < 3; fd++)
        if (fcntl(fd, F_GETFD) != -1) return false;
    return true;
}

/* Whoever closed them has the next file opened by their numbers, and what is told on them goes into it. */
static bool leaves_standard_streams_free(void *path) {
    wadi_destination d;
    for (int fd = 0; fd < 3; fd++) (void)close(fd);
    if (wadi_destination_find(path, &d, NULL) != WADI_OK) return false;
    const bool fine = d.stream > 2 && none_below_three();
    wadi_destination_fini(&d);
    return fine && none_below_three();
}

static void streams_take_no_number_of_a_standard_one(void **state) {
    (void)state;
    char null[] = "/dev/null", own[32];
    int end[2];
    assert_int_equal(status_of_child(leaves_standard_streams_free, null), 0);
    assert_int_equal(pipe(end), 0);
    (void)snprintf(own, sizeof own, "/dev/fd/%d", end[1]);
    assert_int_equal(status_of_child(leaves_standard_streams_free, own), 0);
    assert_int_equal(close(end[0]) | close(end[1]), 0);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, fresh_folder, remove_folder)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_files_are_counted),
        CASE(files_are_found_behind_links),
        CASE(forty_links_are_followed_and_no_more),
        CASE(names_that_look_like_descriptors_are_files),
        CASE(what_this_process_has_open_is_written_through_another_descriptor),
        CASE(what_somebody_has_open_is_added_to),
        CASE(fifos_and_devices_are_opened),
        CASE(what_cannot_be_written_says_why),
        CASE(two_names_of_one_file_are_recognised),
        CASE(streams_take_no_number_of_a_standard_one),
        cmocka_unit_test(no_file_is_left_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
