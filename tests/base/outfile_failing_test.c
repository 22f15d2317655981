/* Output files when a system call fails: what the name leads to afterwards, and which step the message names. */
#define _GNU_SOURCE
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

#include "base/file.h"
#include "base/outfile.h"
#include "tests/base/support.h"
#include "tests/open_files.h"

/* ---- the system: stands before the C library's ---- */

static int file_sync, folder_sync, closing, renaming,
    linking;                     /* errno of such a call; 0: it works */
static int64_t room = INT64_MAX; /* bytes that still can be written */
static int closed_in_vain;       /* descriptors that were closed already, or never open */
static struct stat synced;       /* the last folder */

#pragma GCC visibility push(default)

int fsync(int fd) {
    struct stat about;
    if (fstat(fd, &about) != 0) return -1;
    if (S_ISDIR(about.st_mode)) synced = about;
    errno = S_ISDIR(about.st_mode) ? folder_sync : file_sync;
    return errno != 0 ? -1 : (int)syscall(SYS_fsync, fd);
}

/* Of the next file that is closed. */
int close(int fd) {
    const int failed = closing;
    closing = 0;
    if (syscall(SYS_close, fd) != 0) {
        closed_in_vain++;
        return -1;
    }
    errno = failed;
    return failed != 0 ? -1 : 0;
}

int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags) {
    if (renaming == 0) return (int)syscall(SYS_renameat2, from_folder, from, to_folder, to, flags);
    errno = renaming;
    return -1;
}

int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags) {
    if (linking == 0) return (int)syscall(SYS_linkat, from_folder, from, to_folder, to, flags);
    errno = linking;
    return -1;
}

static size_t take_room(size_t n) {
    const size_t most = (int64_t)n < room ? n : (size_t)room;
    if (room != INT64_MAX) room -= (int64_t)most;
    return most;
}

ssize_t write(int fd, const void *data, size_t n) {
    if (room > 0) return syscall(SYS_write, fd, data, take_room(n));
    errno = ENOSPC;
    return -1;
}

ssize_t pwrite(int fd, const void *data, size_t n, off_t at) {
    if (room > 0) return syscall(SYS_pwrite64, fd, data, take_room(n), at);
    errno = ENOSPC;
    return -1;
}

#pragma GCC visibility pop

static int setup(void **state) {
    file_sync = folder_sync = closing = renaming = linking = 0;
    room = INT64_MAX;
    closed_in_vain = 0;
    return fresh_folder(state);
}

/* Another thread may have been given the number meanwhile. */
static int teardown(void **state) {
    assert_int_equal(closed_in_vain, 0);
    return remove_folder(state);
}

static wadi_outfile *begin(const char *path, const wadi_outfile_options *options,
                           const char *text) {
    wadi_outfile *f = NULL;
    wadi_error err = {0};
    if (wadi_outfile_open(path, options, &f, &err) != WADI_OK) fail_msg("%s", err.msg);
    assert_int_equal(wadi_outfile_write(f, text, strlen(text), NULL), WADI_OK);
    return f;
}

static void keep_fails(wadi_outfile *f, wadi_status with, const char *words, int reason) {
    wadi_error err = {0};
    assert_int_equal(wadi_outfile_keep(f, &err), with);
    if (strstr(err.msg, words) == NULL) fail_msg("\"%s\" says nothing of \"%s\"", err.msg, words);
    if (reason != 0 && strstr(err.msg, strerror(reason)) == NULL)
        fail_msg("\"%s\" says nothing of \"%s\"", err.msg, strerror(reason));
}

/* ---- the disk ---- */

static const wadi_outfile_options always = {.sync = WADI_SYNC_ALWAYS};

static void a_file_that_cannot_be_synced_does_not_get_its_name(void **state) {
    (void)state;
    put(in("old"), "old");
    file_sync = EIO;
    keep_fails(begin(in("new"), &always, "x"), WADI_IO, "cannot be completed", EIO);
    keep_fails(begin(in("old"), &always, "x"), WADI_IO, "cannot be completed", EIO);
    keep_fails(begin(in("old"), NULL, "x"), WADI_IO, "cannot take this name", EIO);
    assert_int_equal(entries(), 1);
    assert_true(holds(in("old"), "old"));
    const wadi_outfile_options never = {.sync = WADI_SYNC_NEVER};
    assert_int_equal(wadi_outfile_put(in("old"), "new", 3, &never, NULL), WADI_OK);
    assert_true(holds(in("old"), "new"));
}

/* It has its name then, and says so; a folder that cannot be synced at all is none of its business. */
static void a_folder_that_cannot_be_synced_is_told(void **state) {
    (void)state;
    folder_sync = EIO;
    keep_fails(begin(in("new"), &always, "x"), WADI_IO, "is written, but its folder not synced",
               EIO);
    assert_true(holds(in("new"), "x"));
    keep_fails(begin(in("new"), NULL, "y"), WADI_IO, "is written, but its folder not synced", EIO);
    assert_true(holds(in("new"), "y"));
    assert_false(wadi_outfile_sync_name(in("new")));
    assert_int_equal(errno, EIO);
    folder_sync = EINVAL;
    assert_int_equal(wadi_outfile_put(in("new"), "z", 1, &always, NULL), WADI_OK);
    assert_true(wadi_outfile_sync_name(in("new")));
}

/* What a pipe answers, a file system that is read only, and one that knows no such thing. */
static void streams_that_know_no_disk_need_none(void **state) {
    (void)state;
    static const int fine[] = {0, EINVAL, EROFS, ENOTSUP};
    for (size_t i = 0; i < sizeof fine / sizeof fine[0]; i++) {
        file_sync = fine[i];
        assert_int_equal(wadi_outfile_put("/dev/null", "x", 1, &always, NULL), WADI_OK);
    }
    file_sync = EIO;
    assert_int_equal(wadi_outfile_put("/dev/null", "x", 1, NULL, NULL), WADI_OK);
    keep_fails(begin("/dev/null", &always, "x"), WADI_IO, "cannot be completed", EIO);
}

/* A network file system tells then that there was no room. */
static void what_closing_tells_counts(void **state) {
    (void)state;
    put(in("old"), "old");
    wadi_outfile *f = begin(in("new"), NULL, "x");
    closing = EDQUOT;
    keep_fails(f, WADI_IO, "cannot be completed", EDQUOT);
    f = begin(in("old"), NULL, "x");
    closing = EDQUOT;
    keep_fails(f, WADI_IO, "cannot be completed", EDQUOT);
    assert_int_equal(entries(), 1);
    assert_true(holds(in("old"), "old"));
    f = begin("/dev/null", NULL, "x");
    closing = EDQUOT;
    keep_fails(f, WADI_IO, "cannot be completed", EDQUOT);
}

static void the_folder_of_the_name_is_synced(void **state) {
    (void)state;
    static const struct {
        const char *path, *folder;
    } cases[] = {{"/x", "/"}, {"x", "."}, {"./x", "."}, {"/tmp/x", "/tmp"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct stat want;
        memset(&synced, 0, sizeof synced);
        assert_true(wadi_outfile_sync_name(cases[i].path));
        assert_int_equal(stat(cases[i].folder, &want), 0);
        assert_true(synced.st_ino == want.st_ino && synced.st_dev == want.st_dev);
    }
}

/* ---- file systems that can do less ---- */

static void without_a_careful_rename_names_are_taken_all_the_same(void **state) {
    (void)state;
    static const int reasons[] = {EINVAL, ENOSYS}, links[] = {0, EPERM};
    const wadi_outfile_options only_new = {.only_new = true};
    for (int i = 0; i < 4; i++) {
        renaming = reasons[i % 2];
        linking = links[i / 2];
        (void)unlink(in("a"));
        assert_int_equal(wadi_outfile_put(in("a"), "one", 3, NULL, NULL), WADI_OK);
        assert_true(holds(in("a"), "one"));
        assert_int_equal(wadi_outfile_put(in("a"), "two", 3, NULL, NULL), WADI_OK);
        assert_true(holds(in("a"), "two"));
        assert_int_equal(entries(), 1);
        (void)unlink(in("a"));
        wadi_outfile *f = begin(in("a"), &only_new, "mine");
        const int fd = open(in("a"), O_WRONLY | O_CREAT | O_EXCL, 0600);
        assert_int_equal(close(fd), 0);
        keep_fails(f, WADI_INVALID, "exists", 0);
        assert_true(holds(in("a"), ""));
        assert_int_equal(entries(), 1);
    }
}

static void a_name_that_cannot_be_taken_leaves_nothing(void **state) {
    (void)state;
    renaming = EACCES; /* another reason is one */
    keep_fails(begin(in("a"), NULL, "x"), WADI_IO, "cannot take this name", EACCES);
    assert_int_equal(entries(), 0);
}

/* ---- what is there when the name is taken ---- */

static void what_appeared_meanwhile_is_replaced_if_it_is_a_file(void **state) {
    (void)state;
    wadi_outfile *f = begin(in("a"), NULL, "mine");
    put(in("a"), "theirs");
    assert_int_equal(chmod(in("a"), 0751), 0);
    assert_int_equal(wadi_outfile_keep(f, NULL), WADI_OK);
    assert_true(holds(in("a"), "mine"));
    assert_int_equal(mode_of(in("a")), 0751);
    const wadi_outfile_options secret = {.mode = 0640};
    f = begin(in("b"), &secret, "mine");
    assert_int_equal(mode_of(wadi_outfile_name(f)), 0600); /* until it is whole */
    put(in("b"), "theirs");
    assert_int_equal(chmod(in("b"), 0666), 0);
    assert_int_equal(wadi_outfile_keep(f, NULL), WADI_OK);
    assert_int_equal(mode_of(in("b")), 0640);
    f = begin(in("c"), NULL, "mine");
    assert_int_equal(symlink("a", in("c")), 0);
    keep_fails(f, WADI_IO, "cannot take this name", EEXIST);
    assert_true(holds(in("a"), "mine"));
    assert_int_equal(entries(), 3);
}

/* Whom a file belongs to stays, and so does what its owner's rights are worth. */
static void owner_group_and_all_rights_are_those_of_the_old_file(void **state) {
    (void)state;
    struct stat about;
    put(in("a"), "old");
    if (geteuid() == 0) assert_int_equal(chown(in("a"), 12345, 23456), 0);
    assert_int_equal(chmod(in("a"), 06755), 0);
    put(in("a"), "new");
    assert_true(holds(in("a"), "new"));
    assert_int_equal(mode_of(in("a")), 06755);
    assert_int_equal(stat(in("a"), &about), 0);
    assert_int_equal(about.st_uid, geteuid() == 0 ? 12345 : geteuid());
    assert_int_equal(about.st_gid, geteuid() == 0 ? 23456 : getegid());
}

static void a_stream_is_never_there_already(void **state) {
    (void)state;
    const wadi_outfile_options only_new = {.only_new = true};
    assert_int_equal(wadi_outfile_put("/dev/null", "x", 1, &only_new, NULL), WADI_OK);
}

static void giving_up_leaves_nothing(void **state) {
    (void)state;
    wadi_outfile *f = begin(in("a"), NULL, "x");
    wadi_outfile_give_up(&f);
    assert_null(f);
    wadi_outfile_give_up(&f);
    assert_int_equal(entries(), 0);
    f = begin(in("a"), NULL, "x");
    file_sync = EIO; /* nobody asks for the disk */
    assert_int_equal(wadi_outfile_finish(&f, false, NULL), WADI_OK);
    assert_null(f);
    assert_true(holds(in("a"), "x"));
}

/* ---- no more room ---- */

static void the_place_is_told_where_writing_failed(void **state) {
    (void)state;
    enum { LARGE = 200000 };
    static const int64_t limits[] = {0, 1, 4, 65535, 65536, 65537, 65540, 100000, 199999};
    char *data = calloc(1, LARGE), words[64];
    assert_non_null(data);
    for (int goes_back = 0; goes_back < 2; goes_back++) {
        for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
            const wadi_outfile_options options = {.goes_back = goes_back != 0};
            wadi_error err = {0};
            char own[32];
            (void)unlink(in("got"));
            const int fd = open(in("got"), O_RDWR | O_CREAT, 0600);
            (void)snprintf(own, sizeof own, "/dev/fd/%d", fd);
            wadi_outfile *f = begin(goes_back ? own : in("a"), &options, "head ");
            if (goes_back) assert_int_equal(wadi_outfile_write(f, data, LARGE, NULL), WADI_OK);
            if (goes_back) assert_int_equal(wadi_outfile_flush(f, NULL), WADI_OK);
            room = limits[i];
            bool fine = goes_back || wadi_outfile_write(f, data, LARGE, &err) == WADI_OK;
            if (fine)
                assert_int_equal(wadi_outfile_keep(f, &err), WADI_IO);
            else
                wadi_outfile_discard(f);
            room = INT64_MAX;
            (void)snprintf(words, sizeof words,
                           ": writing failed at byte %lld: ", (long long)limits[i]);
            if (strstr(err.msg, words) == NULL) fail_msg("%s, not \"%s\"", err.msg, words);
            assert_int_equal(close(fd), 0);
            assert_int_equal(entries(), 1);
        }
    }
    free(data);
}

static void rewriting_that_fails_tells_the_place(void **state) {
    (void)state;
    wadi_error err = {0};
    wadi_outfile *f = begin(in("a"), NULL, "0123456789");
    assert_int_equal(wadi_outfile_flush(f, NULL), WADI_OK);
    room = 3;
    assert_int_equal(wadi_outfile_rewrite(f, 4, "abcdef", 6, &err), WADI_IO);
    room = INT64_MAX;
    assert_non_null(strstr(err.msg, ": writing failed at byte 7: "));
    wadi_outfile_discard(f);
}

/* ---- any order of writing ---- */

/* Against a buffer in memory: pieces about as long as the file's own buffer, and corrections anywhere. */
static void any_pieces_and_corrections_give_the_whole(void **state) {
    (void)state;
    enum { MOST = 1 << 21, TURNS = 60 };
    static const size_t sizes[] = {0, 1, 7, 4096, 32768, 65535, 65536, 65537, 70000};
    char *want = malloc(MOST), *got = NULL, *piece = malloc(70000);
    uint64_t seed = 11;
    size_t n = 0, got_n = 0;
    assert_true(want != NULL && piece != NULL);
    wadi_outfile *f = begin(in("a"), NULL, "");
    for (int i = 0; i < TURNS; i++) {
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        const uint64_t x = seed >> 20;
        const size_t length = sizes[x % 9];
        memset(piece, (int)(x % 251), length);
        if (x / 9 % 4 == 0 && n > 0) {
            const size_t at = x / 36 % n, most = length < n - at ? length : n - at;
            assert_int_equal(wadi_outfile_rewrite(f, (int64_t)at, piece, most, NULL), WADI_OK);
            memcpy(want + at, piece, most);
        } else if (n + length <= MOST) {
            assert_int_equal(wadi_outfile_write(f, piece, length, NULL), WADI_OK);
            memcpy(want + n, piece, length);
            n += length;
        }
        assert_int_equal(wadi_outfile_bytes(f), n);
    }
    assert_int_equal(wadi_outfile_keep(f, NULL), WADI_OK);
    assert_int_equal(wadi_file_read(in("a"), &got, &got_n, NULL), WADI_OK);
    assert_int_equal(got_n, n);
    assert_memory_equal(got, want, n);
    free(got);
    free(want);
    free(piece);
}

/* ---- descriptors ---- */

static int inheritable(void) {
    int n = 0;
    for (int fd = 0; fd < 1000; fd++) {
        const int flags = fcntl(fd, F_GETFD);
        n += flags >= 0 && (flags & FD_CLOEXEC) == 0;
    }
    return n;
}

/* A program that is started meanwhile would hold the lock, and keep a pipe open. */
static void nothing_of_a_file_goes_to_other_programs(void **state) {
    (void)state;
    const int before = inheritable();
    const wadi_outfile_options goes_back = {.goes_back = true};
    wadi_outfile *const f[] = {begin(in("a"), NULL, "x"), begin("/dev/null", NULL, "x"),
                               begin("/dev/null", &goes_back, "x")};
    assert_int_equal(inheritable(), before);
    for (int i = 0; i < 3; i++) assert_int_equal(wadi_outfile_keep(f[i], NULL), WADI_OK);
}

/* ---- names ---- */

/* Of a name that is too long a part alone is in the temporary one: it is still found when its writer is gone. */
static void what_is_left_of_a_long_name_is_swept(void **state) {
    (void)state;
    static const size_t lengths[] = {1, 99, 100, 101, 200, 255};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        char name[256], path[512];
        memset(name, 'n', lengths[i]);
        name[lengths[i]] = '\0';
        (void)snprintf(path, sizeof path, "%s/%.100s.0123abcd.wadi-part", folder, name);
        const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
        assert_int_equal(close(fd), 0);
        (void)snprintf(path, sizeof path, "%s/%s", folder, name);
        wadi_outfile *f = begin(path, NULL, "x");
        assert_true(wadi_outfile_is_temporary(strrchr(wadi_outfile_name(f), '/') + 1));
        assert_int_equal(wadi_outfile_keep(f, NULL), WADI_OK);
        assert_true(holds(path, "x"));
        assert_int_equal(entries(), 1);
        assert_int_equal(unlink(path), 0);
    }
}

/* What a program tells on one that is closed goes nowhere, and not into its files. */
static bool leaves_standard_streams_free(void *path) {
    wadi_outfile *f = NULL;
    for (int fd = 0; fd < 3; fd++) (void)close(fd);
    if (wadi_outfile_open(path, NULL, &f, NULL) != WADI_OK) return false;
    bool fine = true;
    for (int fd = 0; fd < 3; fd++) fine = fine && write(fd, "told", 4) == -1;
    return wadi_outfile_write(f, "x", 1, NULL) == WADI_OK &&
           wadi_outfile_keep(f, NULL) == WADI_OK && fine;
}

static void files_take_no_number_of_a_standard_stream(void **state) {
    (void)state;
    char path[128];
    (void)snprintf(path, sizeof path, "%s/a", folder);
    assert_int_equal(status_of_child(leaves_standard_streams_free, path), 0);
    assert_true(holds(path, "x"));
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_files_are_counted),
        CASE(a_file_that_cannot_be_synced_does_not_get_its_name),
        CASE(a_folder_that_cannot_be_synced_is_told),
        CASE(streams_that_know_no_disk_need_none),
        CASE(what_closing_tells_counts),
        CASE(the_folder_of_the_name_is_synced),
        CASE(without_a_careful_rename_names_are_taken_all_the_same),
        CASE(a_name_that_cannot_be_taken_leaves_nothing),
        CASE(what_appeared_meanwhile_is_replaced_if_it_is_a_file),
        CASE(owner_group_and_all_rights_are_those_of_the_old_file),
        CASE(a_stream_is_never_there_already),
        CASE(giving_up_leaves_nothing),
        CASE(the_place_is_told_where_writing_failed),
        CASE(rewriting_that_fails_tells_the_place),
        CASE(any_pieces_and_corrections_give_the_whole),
        CASE(nothing_of_a_file_goes_to_other_programs),
        CASE(what_is_left_of_a_long_name_is_swept),
        CASE(files_take_no_number_of_a_standard_stream),
        cmocka_unit_test(no_file_is_left_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
