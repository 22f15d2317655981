/* Reading and writing descriptors: everything is transferred, in however many pieces; the descriptor is blocking afterwards; errno
 * is that of the failing call. */
#include "base/io.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/error.h"
#include "base/task.h"
#include "base/thread.h"
#include "tests/open_files.h"

static bool blocks(int fd) {
    return (fcntl(fd, F_GETFL) & O_NONBLOCK) == 0;
}

static void what_is_opened_blocks_and_is_not_inherited(void **state) {
    (void)state;
    (void)unlink("io_fifo");
    assert_int_equal(mkfifo("io_fifo", 0600), 0);
    const int in = wadi_io_open("io_fifo"); /* does not wait for a writer */
    assert_true(in >= 0);
    const int out = wadi_io_open_output("io_fifo", 0);
    assert_true(out >= 0);
    assert_true(blocks(in));
    assert_true(blocks(out));
    assert_true((fcntl(in, F_GETFD) & FD_CLOEXEC) != 0);
    assert_true((fcntl(out, F_GETFD) & FD_CLOEXEC) != 0);
    assert_int_equal(fcntl(in, F_GETFL) & O_ACCMODE, O_RDONLY);
    assert_int_equal(fcntl(out, F_GETFL) & O_ACCMODE, O_WRONLY);
    (void)close(out);
    const int more = wadi_io_open_output("io_fifo", O_APPEND);
    assert_true((fcntl(more, F_GETFL) & O_APPEND) != 0);
    (void)close(more);
    (void)close(in);
    (void)unlink("io_fifo");
}

static void what_cannot_be_opened_says_why(void **state) {
    (void)state;
    errno = 0;
    assert_int_equal(wadi_io_open("io_none"), -1);
    assert_int_equal(errno, ENOENT);
    errno = 0;
    assert_int_equal(wadi_io_open_output("io_none/x", 0), -1);
    assert_int_equal(errno, ENOENT);
    errno = 0;
    assert_int_equal(wadi_io_open_output(".", 0), -1);
    assert_int_equal(errno, EISDIR);
}

enum { LARGE = 1 << 20 };

typedef struct sending {
    int fd;
    unsigned char *data;
    size_t done;
    bool fine;
} sending;

static void send_all(void *env) {
    sending *s = env;
    s->fine = wadi_io_write(s->fd, s->data, LARGE, "pipe", &s->done);
    (void)close(s->fd);
}

/* More than a pipe holds, by a thread, read in pieces of any size. */
static void all_of_it_passes_a_pipe(void **state) {
    (void)state;
    static unsigned char sent[LARGE], got[LARGE + 100];
    int fd[2];
    wadi_thread thread = {0};
    for (size_t i = 0; i < LARGE; i++) sent[i] = (unsigned char)(i * 7 + i / 251);
    assert_int_equal(pipe(fd), 0);
    sending s = {.fd = fd[1], .data = sent};
    assert_int_equal(wadi_thread_start(&thread, send_all, &s, NULL), WADI_OK);
    size_t have = 0;
    bool failed = true;
    for (size_t piece = 1; have + piece < LARGE; piece = piece * 3 + 1) {
        assert_int_equal(wadi_io_read_full(fd[0], got + have, piece, "pipe", &failed), piece);
        assert_false(failed);
        have += piece;
    }
    /* and what is left, of which there is less than asked for */
    assert_int_equal(wadi_io_read_full(fd[0], got + have, LARGE + 100 - have, "pipe", &failed),
                     LARGE - have);
    assert_false(failed);
    wadi_thread_join(&thread);
    assert_true(s.fine);
    assert_int_equal(s.done, LARGE);
    assert_memory_equal(sent, got, LARGE);
    assert_int_equal(wadi_io_read_full(fd[0], got, 5, "pipe", &failed), 0);
    assert_false(failed);
    assert_int_equal(wadi_io_read(fd[0], got, 5, "pipe"), 0);
    (void)close(fd[0]);
}

/* Whoever has what was asked for does not wait for more; or for ever. */
static void what_is_there_is_read_without_waiting(void **state) {
    (void)state;
    int fd[2];
    char got[8] = "";
    bool failed = true;
    assert_int_equal(pipe(fd), 0);
    assert_int_equal(write(fd[1], "12345678", 8), 8);
    assert_int_equal(wadi_io_read_full(fd[0], got, 3, "pipe", &failed), 3);
    assert_memory_equal(got, "123", 3);
    assert_int_equal(wadi_io_read(fd[0], got, 8, "pipe"), 5);
    assert_memory_equal(got, "45678", 5);
    assert_int_equal(wadi_io_read_full(fd[0], got, 0, "pipe", &failed), 0);
    assert_int_equal(write(fd[1], "abc", 3), 3);
    assert_int_equal(wadi_io_read_full(fd[0], got, 3, "pipe", &failed), 3);
    assert_false(failed);
    assert_memory_equal(got, "abc", 3);
    assert_int_equal(close(fd[0]) | close(fd[1]), 0);
}

static void what_cannot_be_read_or_written_fails(void **state) {
    (void)state;
    char byte = 'x';
    bool failed = false;
    size_t done = 7;
    const int folder = open(".", O_RDONLY | O_CLOEXEC);
    assert_int_equal(wadi_io_read_full(folder, &byte, 1, "folder", &failed), 0);
    assert_true(failed);
    assert_int_equal(errno, EISDIR);
    (void)close(folder);
    const int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    assert_false(wadi_io_write(null, &byte, 1, "null", &done));
    assert_int_equal(errno, EBADF);
    assert_int_equal(done, 0);
    (void)close(null);
    const int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
    if (full < 0) return;
    assert_false(wadi_io_write(full, &byte, 1, "full", &done));
    assert_int_equal(errno, ENOSPC);
    (void)close(full);
}

/* A task that is to stop waits neither for bytes nor for room nor for a reader. */
static void a_stop_ends_every_wait(void **state) {
    (void)state;
    static char large[LARGE];
    int fd[2];
    char byte = 'x';
    bool failed = false;
    size_t done = 0;
    wadi_stop stop;
    assert_int_equal(wadi_stop_init(&stop, NULL, NULL), WADI_OK);
    const wadi_task before = wadi_task_begin((wadi_task){.name = "test", .stop = &stop});
    assert_int_equal(pipe(fd), 0);
    wadi_stop_call(&stop);
    errno = 0;
    assert_int_equal(wadi_io_read_full(fd[0], &byte, 1, "pipe", &failed), 0);
    assert_true(failed);
    assert_int_equal(errno, ECANCELED);
    assert_false(wadi_io_write(fd[1], large, sizeof large, "pipe", &done));
    assert_int_equal(errno, ECANCELED);
    assert_true(done < sizeof large);
    assert_false(wadi_io_wait(fd[0], POLLIN, "pipe"));
    (void)unlink("io_file"); /* nor is a file written on, which would not wait */
    const int file = open("io_file", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    errno = 0;
    assert_false(wadi_io_write(file, large, sizeof large, "file", &done));
    assert_int_equal(errno, ECANCELED);
    assert_int_equal(done, 0);
    errno = 0;
    assert_int_equal(wadi_io_read(file, &byte, 1, "file"), -1);
    assert_int_equal(errno, ECANCELED);
    (void)close(file);
    (void)unlink("io_file");
    (void)unlink("io_fifo");
    assert_int_equal(mkfifo("io_fifo", 0600), 0);
    errno = 0;
    assert_int_equal(wadi_io_open_output("io_fifo", 0), -1);
    assert_int_equal(errno, ECANCELED);
    (void)unlink("io_fifo");
    (void)close(fd[0]);
    (void)close(fd[1]);
    wadi_task_end(before);
    wadi_stop_fini(&stop);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_files_are_counted),
        cmocka_unit_test(what_is_opened_blocks_and_is_not_inherited),
        cmocka_unit_test(what_cannot_be_opened_says_why),
        cmocka_unit_test(all_of_it_passes_a_pipe),
        cmocka_unit_test(what_is_there_is_read_without_waiting),
        cmocka_unit_test(what_cannot_be_read_or_written_fails),
        cmocka_unit_test(a_stop_ends_every_wait),
        cmocka_unit_test(no_file_is_left_open),
    };
    alarm(600); /* against hangs alone */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
