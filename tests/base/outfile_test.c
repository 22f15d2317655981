/* Output files before they get their names: which files exist at each moment, with links, streams, two writers and killed
 * writers. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <setjmp.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/outfile.h"
#include "tests/base/support.h"
#include "tests/open_files.h"

static wadi_outfile *begin(const char *path, const char *text) {
    wadi_outfile *f = NULL;
    wadi_error err = {0};
    if (wadi_outfile_open(path, NULL, &f, &err) != WADI_OK) fail_msg("%s", err.msg);
    assert_int_equal(wadi_outfile_write(f, text, strlen(text), NULL), WADI_OK);
    return f;
}

/* ---- the name ---- */

static void the_name_appears_when_the_file_is_whole(void **state) {
    (void)state;
    wadi_outfile *f = begin(in("a"), "one");
    assert_false(wadi_file_exists(in("a")));
    assert_int_equal(entries(), 1);
    assert_int_equal(wadi_outfile_keep(f, NULL), WADI_OK);
    assert_true(holds(in("a"), "one"));
    f = begin(in("a"), "two");
    assert_true(holds(in("a"), "one"));
    wadi_outfile_discard(f);
    assert_true(holds(in("a"), "one"));
    put(in("a"), "two");
    assert_true(holds(in("a"), "two"));
    assert_int_equal(entries(), 1);
}

static void large_writes_and_small_ones_keep_their_order(void **state) {
    (void)state;
    enum { LARGE = 200000 };
    char *data = malloc(LARGE), *got = NULL;
    size_t n = 0;
    assert_non_null(data);
    for (int i = 0; i < LARGE; i++) data[i] = (char)(i % 251);
    wadi_outfile *f = begin(in("a"), "small");
    assert_int_equal(wadi_outfile_write(f, data, LARGE, NULL), WADI_OK);
    for (int i = 0; i < 70000; i++) assert_int_equal(wadi_outfile_write(f, "xy", 2, NULL), WADI_OK);
    assert_int_equal(wadi_outfile_bytes(f), 5 + LARGE + 140000);
    assert_true(wadi_outfile_can_rewrite(f));
    assert_int_equal(wadi_outfile_rewrite(f, 3, "LLxx", 4, NULL), WADI_OK);
    assert_int_equal(wadi_outfile_write(f, "end", 3, NULL), WADI_OK);
    assert_int_equal(wadi_outfile_keep(f, NULL), WADI_OK);
    assert_int_equal(wadi_file_read(in("a"), &got, &n, NULL), WADI_OK);
    assert_int_equal(n, 5 + LARGE + 140000 + 3);
    assert_memory_equal(got, "smaLLxx", 7);
    assert_memory_equal(got + 7, data + 2, LARGE - 2);
    assert_memory_equal(got + n - 7, "xyxyend", 7);
    free(got);
    free(data);
}

static void only_new_refuses_what_exists_and_what_appears(void **state) {
    (void)state;
    const wadi_outfile_options only_new = {.only_new = true};
    wadi_outfile *f = NULL;
    put(in("a"), "old");
    assert_int_equal(wadi_outfile_open(in("a"), &only_new, &f, NULL), WADI_INVALID);
    assert_int_equal(wadi_outfile_open(in("b"), &only_new, &f, NULL), WADI_OK);
    put(in("b"), "meanwhile");
    assert_int_equal(wadi_outfile_keep(f, NULL), WADI_INVALID);
    assert_true(holds(in("b"), "meanwhile"));
    assert_int_equal(entries(), 2);
}

static void a_directory_is_an_error(void **state) {
    (void)state;
    wadi_outfile *f = NULL;
    wadi_error err = {0};
    assert_int_equal(wadi_outfile_open(folder, NULL, &f, &err), WADI_IO);
    assert_non_null(strstr(err.msg, "directory"));
    assert_int_equal(wadi_outfile_open(in("none/"), NULL, &f, &err), WADI_IO);
    assert_int_equal(wadi_outfile_open(in("none/a"), NULL, &f, &err), WADI_IO);
    assert_non_null(strstr(err.msg, "No such file"));
    assert_int_equal(wadi_outfile_open("", NULL, &f, &err), WADI_INVALID);
    f = begin(in("a"), "x");
    assert_int_equal(mkdir(in("a"), 0755), 0);
    assert_int_equal(wadi_outfile_keep(f, &err), WADI_IO);
    assert_non_null(strstr(err.msg, in("a")));
    assert_int_equal(entries(), 1);
}

static void a_long_name_is_no_obstacle(void **state) {
    (void)state;
    char name[256];
    memset(name, 'n', 255);
    name[255] = '\0';
    char path[300];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    put(path, "one");
    put(path, "two");
    assert_true(holds(path, "two"));
    assert_int_equal(entries(), 1);
}

/* ---- permissions ---- */

static void permissions_are_those_of_the_umask_or_of_the_old_file(void **state) {
    (void)state;
    const wadi_outfile_options secret = {.mode = 0600};
    umask(027);
    put(in("new"), "x");
    assert_int_equal(mode_of(in("new")), 0640);
    put(in("old"), "x");
    assert_int_equal(chmod(in("old"), 0751), 0);
    wadi_outfile *f = begin(in("old"), "y");
    assert_int_equal(mode_of(wadi_outfile_name(f)), 0600);
    assert_int_equal(wadi_outfile_keep(f, NULL), WADI_OK);
    assert_int_equal(mode_of(in("old")), 0751);
    assert_int_equal(wadi_outfile_put(in("old"), "z", 1, &secret, NULL), WADI_OK);
    assert_int_equal(mode_of(in("old")), 0600);
}

/* As somebody who is not root, whom nothing stops. */
static bool refused_with(const char *path, int reason) {
    wadi_outfile *f = NULL;
    wadi_error err = {0};
    return wadi_outfile_open(path, NULL, &f, &err) == WADI_IO && strstr(err.msg, strerror(reason));
}

static void read_only_files_and_folders_are_left_alone(void **state) {
    (void)state;
    put(in("a"), "old");
    assert_int_equal(chmod(in("a"), 0444), 0);
    assert_int_equal(chmod(folder, 0777), 0);
    const pid_t child = fork();
    if (child == 0) {
        if (geteuid() == 0 && seteuid(65534) != 0) _exit(1);
        _exit(refused_with(in("a"), EACCES) ? 0 : 2);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(chmod(folder, 0555), 0);
    const pid_t other = fork();
    if (other == 0) {
        if (geteuid() == 0 && seteuid(65534) != 0) _exit(1);
        _exit(refused_with(in("b"), EACCES) ? 0 : 2);
    }
    assert_int_equal(waitpid(other, &status, 0), other);
    assert_int_equal(status, 0);
    assert_int_equal(chmod(folder, 0700), 0);
}

static void a_full_disk_is_told_with_the_place(void **state) {
    (void)state;
    const struct rlimit small = {4096, 4096};
    char data[3000] = {0};
    const pid_t child = fork();
    if (child == 0) { /* a limit stands for the disk */
        wadi_error err = {0};
        wadi_outfile *f = NULL;
        (void)signal(SIGXFSZ, SIG_IGN);
        bool ok = setrlimit(RLIMIT_FSIZE, &small) == 0 &&
                  wadi_outfile_open(in("a"), NULL, &f, &err) == WADI_OK;
        for (int i = 0; ok && i < 3; i++)
            ok = wadi_outfile_write(f, data, sizeof data, &err) == WADI_OK;
        ok = ok && wadi_outfile_keep(f, &err) == WADI_IO && strstr(err.msg, strerror(EFBIG)) &&
             strstr(err.msg, "byte 4096") && entries() == 0;
        _exit(ok ? 0 : 1);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

/* What is asked of the disk: stands before the C library's. */
#pragma GCC visibility push(default)

static int synced_files, synced_folders;

int fsync(int fd) {
    struct stat about;
    if (fstat(fd, &about) != 0) return -1;
    ++*(S_ISDIR(about.st_mode) ? &synced_folders : &synced_files);
    return (int)syscall(SYS_fsync, fd);
}

static size_t at_once = SIZE_MAX; /* bytes that the system takes or gives by one call */

static size_t few(size_t n) {
    return n < at_once ? n : at_once;
}

ssize_t write(int fd, const void *data, size_t n) {
    return syscall(SYS_write, fd, data, few(n));
}

ssize_t pwrite(int fd, const void *data, size_t n, off_t at) {
    return syscall(SYS_pwrite64, fd, data, few(n), at);
}

ssize_t pread(int fd, void *to, size_t n, off_t at) {
    return syscall(SYS_pread64, fd, to, few(n), at);
}

#pragma GCC visibility pop

static void what_is_taken_in_pieces_is_whole(void **state) {
    (void)state;
    for (int goes_back = 0; goes_back < 2; goes_back++) {
        const wadi_outfile_options options = {.goes_back = goes_back != 0};
        char own[32];
        wadi_outfile *f = NULL;
        wadi_error err = {0};
        put(in("got"), "");
        const int fd = open(in("got"), O_WRONLY);
        (void)snprintf(own, sizeof own, "/dev/fd/%d", fd);
        at_once = 3;
        bool fine = wadi_outfile_open(own, &options, &f, &err) == WADI_OK &&
                    wadi_outfile_write(f, "0123456789abcdef", 16, &err) == WADI_OK &&
                    wadi_outfile_rewrite(f, 2, "REWRITE", 7, &err) == WADI_OK &&
                    wadi_outfile_keep(f, &err) == WADI_OK;
        at_once = SIZE_MAX;
        if (!fine) fail_msg("%s", err.msg);
        assert_int_equal(close(fd), 0);
        assert_true(holds(in("got"), "01REWRITE9abcdef"));
    }
}

static void the_disk_is_waited_for_where_something_could_be_lost(void **state) {
    (void)state;
    static const struct {
        wadi_outfile_sync sync;
        bool replaces;
        int files, folders;
    } cases[] = {
        {WADI_SYNC_REPLACED, false, 0, 0}, {WADI_SYNC_REPLACED, true, 1, 1},
        {WADI_SYNC_ALWAYS, false, 1, 1},   {WADI_SYNC_NEVER, false, 0, 0},
        {WADI_SYNC_NEVER, true, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const wadi_outfile_options options = {.sync = cases[i].sync};
        (void)unlink(in("a"));
        if (cases[i].replaces) put(in("a"), "old");
        synced_files = synced_folders = 0;
        assert_int_equal(wadi_outfile_put(in("a"), "new", 3, &options, NULL), WADI_OK);
        assert_int_equal(synced_files, cases[i].files);
        assert_int_equal(synced_folders, cases[i].folders);
    }
    const wadi_outfile_options always = {.sync = WADI_SYNC_ALWAYS}; /* of two, one is needless */
    synced_files = synced_folders = 0;
    assert_int_equal(wadi_outfile_put(in("a"), "newer", 5, &always, NULL), WADI_OK);
    assert_true(synced_files >= 1 && synced_folders == 1);
    synced_files = synced_folders = 0;
    (void)unlink(in("a"));
    wadi_outfile *f = begin(in("a"), "by request");
    assert_int_equal(wadi_outfile_finish(&f, true, NULL), WADI_OK);
    assert_null(f);
    assert_int_equal(synced_files, 1);
    assert_true(wadi_outfile_sync_name(in("a")) && synced_folders == 2);
    assert_true(wadi_outfile_sync_name("a") && synced_folders == 3);
    assert_false(wadi_outfile_sync_name(in("none/a")));
    assert_int_equal(errno, ENOENT);
}

/* ---- links ---- */

static void a_link_stays_and_its_target_is_written(void **state) {
    (void)state;
    assert_int_equal(mkdir(in("sub"), 0755), 0);
    put(in("sub/real"), "old");
    assert_int_equal(symlink("sub/middle", in("link")), 0);
    assert_int_equal(symlink("real", in("sub/middle")), 0);
    put(in("link"), "new");
    struct stat about;
    assert_int_equal(lstat(in("link"), &about), 0);
    assert_true(S_ISLNK(about.st_mode));
    assert_true(holds(in("sub/real"), "new"));
    assert_int_equal(symlink("sub/absent", in("dangling")), 0);
    put(in("dangling"), "made");
    assert_true(holds(in("sub/absent"), "made"));
    char whole[256], here[200];
    assert_non_null(getcwd(here, sizeof here));
    (void)snprintf(whole, sizeof whole, "%s/%s/sub/real", here, folder);
    assert_int_equal(symlink(whole, in("absolute")), 0);
    put(in("absolute"), "newer");
    assert_true(holds(in("sub/real"), "newer"));
    assert_int_equal(entries(), 4);
}

static void what_a_name_leads_to_is_removed(void **state) {
    (void)state;
    put(in("real"), "x");
    put(in("other"), "x");
    assert_int_equal(symlink("real", in("link")), 0);
    assert_int_equal(mkfifo(in("fifo"), 0600), 0);
    wadi_outfile_remove(in("link"));
    assert_false(wadi_file_exists(in("real")));
    wadi_outfile_remove(in("fifo"));
    wadi_outfile_remove(in("none"));
    wadi_outfile_remove(folder);
    assert_int_equal(entries(), 3);
    wadi_outfile_remove(in("other"));
    assert_int_equal(entries(), 2);
}

static void a_loop_of_links_is_an_error(void **state) {
    (void)state;
    wadi_outfile *f = NULL;
    wadi_error err = {0};
    assert_int_equal(symlink("b", in("a")), 0);
    assert_int_equal(symlink("a", in("b")), 0);
    assert_int_equal(wadi_outfile_open(in("a"), NULL, &f, &err), WADI_IO);
    assert_non_null(strstr(err.msg, strerror(ELOOP)));
    assert_int_equal(symlink("folder", in("folder")), 0);
    assert_int_equal(wadi_outfile_open(in("folder/x"), NULL, &f, &err), WADI_IO);
    assert_int_equal(entries(), 3);
}

/* ---- streams ---- */

/* What arrives in a pipe when `text` is put to `path`, which leads to it. */
static void assert_arrives(const char *path, int reading, const char *text) {
    char got[16] = "";
    put(path, text);
    assert_int_equal(read(reading, got, sizeof got - 1), strlen(text));
    assert_string_equal(got, text);
}

static void descriptors_fifos_and_sockets_are_streams(void **state) {
    (void)state;
    int ends[2];
    char own[32], other[48];
    assert_int_equal(pipe(ends), 0);
    (void)snprintf(own, sizeof own, "/dev/fd/%d", ends[1]);
    assert_arrives(own, ends[0], "one");
    (void)snprintf(own, sizeof own, "/proc/self/fd/%d", ends[1]);
    assert_arrives(own, ends[0], "two");
    assert_int_equal(symlink(own, in("so")), 0);
    assert_arrives(in("so"), ends[0], "three");
    (void)snprintf(other, sizeof other, "/proc/self/task/%d/fd/%d", (int)getpid(), ends[1]);
    assert_arrives(other, ends[0], "four");
    assert_int_equal(mkfifo(in("fifo"), 0600), 0);
    const int reader = open(in("fifo"), O_RDONLY | O_NONBLOCK);
    assert_arrives(in("fifo"), reader, "five");
    int pair[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    (void)snprintf(own, sizeof own, "/dev/fd/%d", pair[1]);
    assert_arrives(own, pair[0], "six");
    const int closing[] = {ends[0], ends[1], reader, pair[0], pair[1]};
    for (int i = 0; i < 5; i++) (void)close(closing[i]);
    put("/dev/null", "x");
    struct stat about;
    assert_int_equal(stat("/dev/null", &about), 0);
    assert_true(S_ISCHR(about.st_mode));
    assert_int_equal(entries(), 2);
}

/* As "> file" and ">> file" of a shell: what stands there before the place is kept, and one goes back only where one can. */
static void a_redirected_file_is_written_from_where_it_stands(void **state) {
    (void)state;
    for (int appending = 0; appending < 2; appending++) {
        put(in("got"), "head ");
        const int fd = open(in("got"), O_WRONLY | (appending ? O_APPEND : 0));
        char own[32];
        (void)snprintf(own, sizeof own, "/dev/fd/%d", fd);
        if (!appending) assert_int_equal(lseek(fd, 0, SEEK_END), 5);
        wadi_outfile *f = begin(own, "body");
        assert_true(wadi_outfile_is_stream(f));
        assert_int_equal(wadi_outfile_can_rewrite(f), !appending);
        if (!appending) assert_int_equal(wadi_outfile_rewrite(f, 0, "B", 1, NULL), WADI_OK);
        assert_int_equal(wadi_outfile_keep(f, NULL), WADI_OK);
        assert_int_equal(write(fd, "!", 1), 1); /* the position is shared */
        assert_int_equal(close(fd), 0);
        assert_true(holds(in("got"), appending ? "head body!" : "head Body!"));
    }
}

/* Somebody else has it open and may be writing it: it is not cut, and no other takes its place. */
static void an_open_file_of_somebody_is_added_to(void **state) {
    (void)state;
    char path[64];
    put(in("log"), "head ");
    const int fd = open(in("log"), O_RDONLY);
    (void)snprintf(path, sizeof path, "/proc/self/task/%d/fd/%d", (int)getpid(), fd);
    assert_int_equal(symlink(path, in("link")), 0);
    wadi_outfile *f = begin(in("link"), "body");
    assert_true(wadi_outfile_is_stream(f));
    assert_int_equal(wadi_outfile_keep(f, NULL), WADI_OK);
    char got[16] = "";
    assert_int_equal(read(fd, got, sizeof got - 1), 9);
    assert_string_equal(got, "head body");
    assert_int_equal(close(fd), 0);
    assert_int_equal(entries(), 2);
}

static void a_stream_that_cannot_go_back_gets_the_whole_at_the_end(void **state) {
    (void)state;
    const wadi_outfile_options goes_back = {.goes_back = true};
    wadi_outfile *f = NULL;
    int ends[2];
    char own[32], got[16] = "";
    assert_int_equal(pipe(ends), 0);
    (void)snprintf(own, sizeof own, "/dev/fd/%d", ends[1]);
    assert_int_equal(wadi_outfile_open(own, &goes_back, &f, NULL), WADI_OK);
    assert_true(wadi_outfile_can_rewrite(f));
    assert_int_equal(wadi_outfile_write(f, "xello", 5, NULL), WADI_OK);
    assert_int_equal(wadi_outfile_flush(f, NULL), WADI_OK);
    FILE *library = fopen(wadi_outfile_name(f), "r+");
    assert_non_null(library);
    assert_int_equal(fputc('h', library), 'h');
    assert_int_equal(fclose(library), 0);
    assert_int_equal(fcntl(ends[0], F_SETFL, O_NONBLOCK), 0);
    assert_int_equal(read(ends[0], got, sizeof got), -1);
    assert_int_equal(wadi_outfile_keep(f, NULL), WADI_OK);
    assert_int_equal(read(ends[0], got, sizeof got - 1), 5);
    assert_string_equal(got, "hello");
    (void)close(ends[0]);
    (void)close(ends[1]);
}

/* It goes there in pieces, from where the stream stands on. */
static void what_was_collected_goes_out_whole(void **state) {
    (void)state;
    enum { LARGE = 200001 };
    const wadi_outfile_options goes_back = {.goes_back = true};
    wadi_outfile *f = NULL;
    char own[32], *got = NULL, *data = malloc(LARGE);
    size_t n = 0;
    assert_non_null(data);
    for (int i = 0; i < LARGE; i++) data[i] = (char)(i % 251);
    put(in("got"), "head ");
    const int fd = open(in("got"), O_WRONLY | O_APPEND);
    (void)snprintf(own, sizeof own, "/dev/fd/%d", fd);
    assert_int_equal(wadi_outfile_open(own, &goes_back, &f, NULL), WADI_OK);
    assert_int_equal(wadi_outfile_write(f, data, LARGE, NULL), WADI_OK);
    assert_int_equal(wadi_outfile_rewrite(f, 70000, "back", 4, NULL), WADI_OK);
    memcpy(data + 70000, "back", 4);
    assert_true(holds(in("got"), "head "));
    assert_int_equal(wadi_outfile_keep(f, NULL), WADI_OK);
    assert_int_equal(close(fd), 0);
    assert_int_equal(wadi_file_read(in("got"), &got, &n, NULL), WADI_OK);
    assert_int_equal(n, 5 + LARGE);
    assert_memory_equal(got, "head ", 5);
    assert_memory_equal(got + 5, data, LARGE);
    free(got);
    free(data);
}

static void a_stream_that_fails_tells_why(void **state) {
    (void)state;
    wadi_error err = {0};
    assert_int_equal(wadi_outfile_put("/dev/full", "x", 1, NULL, &err), WADI_IO);
    assert_non_null(strstr(err.msg, strerror(ENOSPC)));
    assert_non_null(strstr(err.msg, "/dev/full"));
    assert_int_equal(wadi_outfile_put("/proc/self/fd/999", "x", 1, NULL, &err), WADI_IO);
    assert_non_null(strstr(err.msg, strerror(EBADF)));
}

/* ---- two writers, dead writers ---- */

static void of_two_writers_the_last_complete_one_stands(void **state) {
    (void)state;
    wadi_outfile *a = begin(in("x"), "first"), *b = begin(in("x"), "sec");
    assert_int_equal(entries(), 2);
    assert_int_equal(wadi_outfile_write(b, "ond", 3, NULL), WADI_OK);
    assert_int_equal(wadi_outfile_keep(b, NULL), WADI_OK);
    assert_true(holds(in("x"), "second"));
    assert_int_equal(wadi_outfile_keep(a, NULL), WADI_OK);
    assert_true(holds(in("x"), "first"));
    assert_int_equal(entries(), 1);
}

/* A child that has begun a file and waits; killed, it leaves it. */
static pid_t begin_in_child(const char *path) {
    int ready[2];
    char byte;
    assert_int_equal(pipe(ready), 0);
    const pid_t child = fork();
    if (child == 0) {
        wadi_outfile *f = begin(path, "part");
        if (wadi_outfile_flush(f, NULL) != WADI_OK || write(ready[1], "x", 1) != 1) _exit(1);
        for (;;) (void)pause();
    }
    (void)close(ready[1]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    (void)close(ready[0]);
    return child;
}

static void bury(pid_t child) {
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
}

static void what_a_killed_writer_left_is_removed_by_the_next(void **state) {
    (void)state;
    const pid_t child = begin_in_child(in("x"));
    put(in("x"), "one"); /* it lives: its file stays */
    assert_int_equal(entries(), 2);
    bury(child);
    assert_int_equal(entries(), 2);
    put(in("xx"), "other"); /* another name is not this one's business */
    assert_int_equal(entries(), 3);
    put(in("x"), "two");
    assert_int_equal(entries(), 2);
    bury(begin_in_child(in("y")));
    bury(begin_in_child(in("z")));
    wadi_outfile *f = begin(in("w"), "living");
    assert_int_equal(entries(), 5);
    assert_int_equal(wadi_outfile_sweep(folder), 2);
    assert_int_equal(entries(), 3);
    assert_int_equal(wadi_outfile_keep(f, NULL), WADI_OK);
}

static void what_only_looks_like_a_temporary_file_stays(void **state) {
    (void)state;
    assert_true(wadi_outfile_is_temporary("x.0123abcd.wadi-part"));
    assert_false(wadi_outfile_is_temporary(".0123abcd.wadi-part"));
    assert_false(wadi_outfile_is_temporary("x.0123abcg.wadi-part"));
    assert_false(wadi_outfile_is_temporary("x.0123abcd.wadi-part~"));
    put(in("x.0123abcd.wadi-part~"), "mine");
    assert_int_equal(mkdir(in("x.0123abcd.wadi-part"), 0755), 0);
    assert_int_equal(symlink("nowhere", in("x.0123abce.wadi-part")), 0);
    put(in("x"), "one");
    assert_int_equal(entries(), 4);
}

/* ---- files that last ---- */

static wadi_outfile *begin_lasting(int64_t from, bool ended) {
    wadi_outfile *f = NULL;
    wadi_error err = {0};
    if (wadi_outfile_open(in("a"), &(wadi_outfile_options){.lasts = true}, &f, &err) != WADI_OK)
        fail_msg("%s", err.msg);
    if (from > 0 && wadi_outfile_go_on(f, from, ended, &err) != WADI_OK) fail_msg("%s", err.msg);
    return f;
}

static void append(wadi_outfile *f, const char *text) {
    assert_int_equal(wadi_outfile_write(f, text, strlen(text), NULL), WADI_OK);
}

/* Killed: the buffer is lost, and nothing is cleaned up. */
static void save_and_be_killed(const char *saved, const char *more) {
    const pid_t child = fork();
    if (child == 0) {
        wadi_outfile *f = begin_lasting(0, false);
        append(f, saved);
        const wadi_status status = wadi_outfile_save(f, NULL);
        append(f, more);
        if (status == WADI_OK && wadi_outfile_flush(f, NULL) == WADI_OK) (void)raise(SIGKILL);
        _exit(1);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
}

static void a_file_that_lasts_goes_on_where_it_was_saved(void **state) {
    (void)state;
    save_and_be_killed("one", "more");
    assert_false(wadi_file_exists(in("a")));
    assert_true(holds(in("a.wadi-kept"), "onemore"));
    const int here = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(wadi_outfile_lasts_in(here, "a"));
    assert_false(wadi_outfile_lasts_in(here, "b"));
    assert_int_equal(close(here), 0);
    put(in("a"), "another writer");
    assert_true(holds(in("a.wadi-kept"), "onemore"));
    wadi_outfile *f = begin_lasting(3, false);
    append(f, "two");
    wadi_outfile_discard(f);
    f = begin_lasting(3, false);
    append(f, "six");
    assert_int_equal(wadi_outfile_keep(f, NULL), WADI_OK);
    assert_true(holds(in("a"), "onesix"));
    assert_int_equal(entries(), 1);
}

/* Names that leave no room for the ending: found by the next process, and told from others that begin alike. */
static void a_file_with_a_long_name_lasts_too(void **state) {
    char one[2 * NAME_MAX], other[2 * NAME_MAX];
    wadi_outfile *f = NULL, *g = NULL;
    const wadi_outfile_options lasting = {.lasts = true};
    (void)state;
    const int n = snprintf(one, sizeof one, "%s/%0*d", folder, NAME_MAX, 0);
    memcpy(other, one, sizeof one);
    other[n - 1] = '1';
    for (int i = 0; i < 2; i++) {
        assert_int_equal(wadi_outfile_open(one, &lasting, &f, NULL), WADI_OK);
        assert_int_equal(wadi_outfile_open(other, &lasting, &g, NULL), WADI_OK);
        assert_int_equal(wadi_outfile_go_on(f, i * 3, false, NULL), WADI_OK);
        append(f, "one");
        assert_int_equal(wadi_outfile_save(f, NULL), WADI_OK);
        if (i == 0) wadi_outfile_discard(f);
        wadi_outfile_discard(g);
    }
    assert_int_equal(wadi_outfile_keep(f, NULL), WADI_OK);
    assert_true(holds(one, "oneone"));
    assert_int_equal(entries(), 1);
}

static void a_file_that_lasts_may_begin_anew(void **state) {
    (void)state;
    save_and_be_killed("one", "more");
    wadi_outfile *f = begin_lasting(0, false);
    append(f, "x");
    assert_int_equal(wadi_outfile_keep(f, NULL), WADI_OK);
    assert_true(holds(in("a"), "x"));
    save_and_be_killed("one", "more");
    assert_int_equal(wadi_outfile_keep(begin_lasting(0, false), NULL), WADI_OK);
    assert_true(holds(in("a"), ""));
    wadi_outfile_discard(begin_lasting(0, false)); /* nothing was saved */
    assert_int_equal(entries(), 1);
}

static void what_has_its_name_already_is_complete(void **state) {
    (void)state;
    wadi_outfile *f = begin_lasting(0, false);
    append(f, "whole");
    assert_int_equal(wadi_outfile_save(f, NULL), WADI_OK);
    assert_int_equal(wadi_outfile_keep(f, NULL), WADI_OK);
    f = begin_lasting(5, true);
    assert_int_equal(wadi_outfile_save(f, NULL), WADI_OK);
    assert_int_equal(wadi_outfile_keep(f, NULL), WADI_OK);
    assert_true(holds(in("a"), "whole"));
    assert_int_equal(entries(), 1);
}

static void what_is_lost_is_told(void **state) {
    (void)state;
    wadi_error err = {0};
    put(in("a"), "whole");
    wadi_outfile *f = begin_lasting(0, false);
    assert_int_equal(wadi_outfile_go_on(f, 5, false, &err), WADI_IO);
    assert_non_null(
        strstr(err.msg, "5 bytes of it were saved, but there is no a.wadi-kept, or nothing in it"));
    wadi_outfile_discard(f);
    save_and_be_killed("abc", "");
    f = begin_lasting(0, false);
    assert_int_equal(wadi_outfile_go_on(f, 5, false, &err), WADI_IO);
    assert_non_null(strstr(err.msg, "a.wadi-kept has 3 bytes, and 5 were saved"));
    wadi_outfile_discard(f);
    assert_int_equal(unlink(in("a.wadi-kept")), 0);
    f = begin_lasting(0, false);
    assert_int_equal(wadi_outfile_go_on(f, 6, true, NULL), WADI_IO);
    wadi_outfile_discard(f);
    assert_true(holds(in("a"), "whole"));
    assert_int_equal(entries(), 1);
}

static void a_file_that_lasts_has_one_writer_and_is_a_file(void **state) {
    (void)state;
    wadi_outfile *f = begin_lasting(0, false), *other = NULL;
    const wadi_outfile_options lasting = {.lasts = true};
    wadi_error err = {0};
    append(f, "one");
    assert_int_equal(wadi_outfile_save(f, NULL), WADI_OK);
    assert_int_equal(wadi_outfile_open(in("a"), &lasting, &other, &err), WADI_IO);
    assert_non_null(strstr(err.msg, "another process is writing"));
    assert_int_equal(wadi_outfile_keep(f, NULL), WADI_OK);
    assert_true(holds(in("a"), "one"));
    assert_int_equal(wadi_outfile_open("/dev/null", &lasting, &other, &err), WADI_UNSUPPORTED);
    assert_int_equal(symlink("elsewhere", in("a.wadi-kept")), 0);
    assert_int_equal(wadi_outfile_open(in("a"), &lasting, &other, &err), WADI_IO);
    assert_int_equal(entries(), 2);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, fresh_folder, remove_folder)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_files_are_counted),
        CASE(the_name_appears_when_the_file_is_whole),
        CASE(large_writes_and_small_ones_keep_their_order),
        CASE(only_new_refuses_what_exists_and_what_appears),
        CASE(a_directory_is_an_error),
        CASE(a_long_name_is_no_obstacle),
        CASE(permissions_are_those_of_the_umask_or_of_the_old_file),
        CASE(read_only_files_and_folders_are_left_alone),
        CASE(a_full_disk_is_told_with_the_place),
        CASE(what_is_taken_in_pieces_is_whole),
        CASE(the_disk_is_waited_for_where_something_could_be_lost),
        CASE(a_link_stays_and_its_target_is_written),
        CASE(what_a_name_leads_to_is_removed),
        CASE(a_loop_of_links_is_an_error),
        CASE(descriptors_fifos_and_sockets_are_streams),
        CASE(a_redirected_file_is_written_from_where_it_stands),
        CASE(an_open_file_of_somebody_is_added_to),
        CASE(a_stream_that_cannot_go_back_gets_the_whole_at_the_end),
        CASE(what_was_collected_goes_out_whole),
        CASE(a_stream_that_fails_tells_why),
        CASE(of_two_writers_the_last_complete_one_stands),
        CASE(what_a_killed_writer_left_is_removed_by_the_next),
        CASE(what_only_looks_like_a_temporary_file_stays),
        CASE(a_file_that_lasts_goes_on_where_it_was_saved),
        CASE(a_file_with_a_long_name_lasts_too),
        CASE(a_file_that_lasts_may_begin_anew),
        CASE(what_has_its_name_already_is_complete),
        CASE(what_is_lost_is_told),
        CASE(a_file_that_lasts_has_one_writer_and_is_a_file),
        cmocka_unit_test(no_file_is_left_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
