/* Stops: trees of them, waiting for one, and reads and writes that end with one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/io.h"
#include "base/task.h"
#include "base/thread.h"
#include "tests/open_files.h"

static bool is_readable(int fd) {
    struct pollfd p = {.fd = fd, .events = POLLIN};
    return poll(&p, 1, 0) == 1;
}

static void a_call_reaches_all_below(void **state) {
    (void)state;
    enum { MANY = 40 }; /* more than one room */
    wadi_stop top, below[MANY], deeper;
    int fd = -1;
    assert_int_equal(wadi_stop_init(&top, NULL, NULL), WADI_OK);
    for (int i = 0; i < MANY; i++) assert_int_equal(wadi_stop_init(&below[i], &top, NULL), WADI_OK);
    assert_int_equal(wadi_stop_init(&deeper, &below[30], NULL), WADI_OK);
    assert_int_equal(wadi_stop_fd(&deeper, &fd, NULL), WADI_OK);
    wadi_stop_call(&below[3]);
    assert_true(wadi_stop_called(&below[3]));
    assert_false(wadi_stop_called(&top) || wadi_stop_called(&below[4]) || is_readable(fd));
    wadi_stop_fini(&below[7]);
    wadi_stop_call(&top);
    for (int i = 0; i < MANY; i++) assert_true(wadi_stop_called(&below[i]) == (i != 7));
    assert_true(wadi_stop_called(&deeper) && is_readable(fd));
    wadi_stop_fini(&deeper);
    for (int i = 0; i < MANY; i++) wadi_stop_fini(&below[i]);
    wadi_stop_fini(&top);
}

static void a_call_is_not_lost_on_who_comes_late(void **state) {
    (void)state;
    wadi_stop top, late;
    int fd = -1;
    assert_int_equal(wadi_stop_init(&top, NULL, NULL), WADI_OK);
    wadi_stop_call(&top);
    assert_int_equal(wadi_stop_init(&late, &top, NULL), WADI_OK);
    assert_true(wadi_stop_called(&late));
    assert_int_equal(wadi_stop_fd(&late, &fd, NULL), WADI_OK);
    assert_true(is_readable(fd));
    wadi_stop_fini(&late);
    wadi_stop_fini(&top);
}

/* What was made within a run may outlive it. */
static void the_one_above_may_go_first(void **state) {
    (void)state;
    wadi_stop *top = malloc(sizeof *top), below;
    assert_non_null(top);
    assert_int_equal(wadi_stop_init(top, NULL, NULL), WADI_OK);
    assert_int_equal(wadi_stop_init(&below, top, NULL), WADI_OK);
    wadi_stop_fini(top);
    memset(top, 0xff, sizeof *top);
    assert_false(wadi_stop_called(&below));
    wadi_stop_fini(&below);
    for (size_t i = 0; i < sizeof *top; i++) assert_int_equal(((unsigned char *)top)[i], 0xff);
    free(top);
}

/* Whatever seat they have. */
static void many_below_outlive_the_one_above(void **state) {
    (void)state;
    enum { MANY = 40 };
    wadi_stop *top = malloc(sizeof *top), below[MANY];
    assert_non_null(top);
    assert_int_equal(wadi_stop_init(top, NULL, NULL), WADI_OK);
    for (int i = 0; i < MANY; i++) assert_int_equal(wadi_stop_init(&below[i], top, NULL), WADI_OK);
    wadi_stop_fini(top);
    for (int i = 0; i < MANY; i++) assert_null(below[i].above);
    free(top);
    for (int i = 0; i < MANY; i++) {
        wadi_stop_call(&below[i]);
        assert_true(wadi_stop_called(&below[i]));
        wadi_stop_fini(&below[i]);
    }
}

/* Nobody who calls waits for room in it, and no other program gets it. */
static void its_pipe_is_its_own(void **state) {
    (void)state;
    wadi_stop stop;
    int fd = -1, again = -1;
    assert_int_equal(wadi_stop_init(&stop, NULL, NULL), WADI_OK);
    assert_int_equal(wadi_stop_fd(&stop, &fd, NULL), WADI_OK);
    assert_int_equal(wadi_stop_fd(&stop, &again, NULL), WADI_OK);
    assert_int_equal(fd, again);
    for (int i = 0; i < 1000; i++) {
        const int flags = fcntl(i, F_GETFL);
        struct stat mine, about;
        if (flags < 0 || fstat(fd, &mine) != 0 || fstat(i, &about) != 0) continue;
        if (mine.st_ino != about.st_ino || mine.st_dev != about.st_dev) continue;
        assert_true((flags & O_NONBLOCK) != 0);
        assert_true((fcntl(i, F_GETFD) & FD_CLOEXEC) != 0);
    }
    wadi_stop_fini(&stop);
    assert_int_equal(fcntl(fd, F_GETFD), -1);
}

/* ---- what blocks ---- */

typedef struct blocked {
    wadi_stop stop;
    int fd;
    const char *path;
    ssize_t result;
    int why;
    bool ended;
    wadi_mutex lock;
    wadi_condition changed;
    wadi_thread thread;
    void (*what)(struct blocked *b);
} blocked;

static void read_some(blocked *b) {
    char to[16];
    b->result = wadi_io_read(b->fd, to, sizeof to, "in");
}

static void write_much(blocked *b) {
    static char much[1 << 20];
    size_t done = 0;
    b->result = wadi_io_write(b->fd, much, sizeof much, "out", &done) ? 0 : -1;
}

static void open_fifo_to_write(blocked *b) {
    b->result = wadi_io_open_output(b->path, 0);
}

static void open_fifo_and_read(blocked *b) {
    b->fd = wadi_io_open(b->path);
    assert_true(b->fd >= 0);
    read_some(b);
}

static void at_work(void *env) {
    blocked *b = env;
    const wadi_task before = wadi_task_begin((wadi_task){.name = "test", .stop = &b->stop});
    b->what(b);
    b->why = errno;
    wadi_task_end(before);
    wadi_mutex_lock(&b->lock);
    b->ended = true;
    wadi_condition_signal(&b->changed);
    wadi_mutex_unlock(&b->lock);
}

static void begin(blocked *b, void (*what)(blocked *b)) {
    b->what = what;
    b->ended = false;
    assert_int_equal(wadi_stop_init(&b->stop, NULL, NULL), WADI_OK);
    assert_int_equal(wadi_mutex_init(&b->lock, NULL), WADI_OK);
    assert_int_equal(wadi_condition_init(&b->changed, NULL), WADI_OK);
    assert_int_equal(wadi_thread_start(&b->thread, at_work, b, NULL), WADI_OK);
}

/* It blocks until it is stopped, and then ends at once; a cap against hangs alone. */
static void ends_when_stopped(blocked *b) {
    static const int64_t cap = 120000000000;
    (void)nanosleep(&(struct timespec){0, 20000 * 1000L}, NULL);
    wadi_mutex_lock(&b->lock);
    assert_false(b->ended);
    wadi_stop_call(&b->stop);
    while (!b->ended && wadi_condition_wait_for(&b->changed, &b->lock, cap)) continue;
    const bool ended = b->ended;
    wadi_mutex_unlock(&b->lock);
    assert_true(ended);
    wadi_thread_join(&b->thread);
    assert_int_equal(b->result, -1);
    assert_int_equal(b->why, ECANCELED);
    wadi_condition_fini(&b->changed);
    wadi_mutex_fini(&b->lock);
    wadi_stop_fini(&b->stop);
}

static void a_read_ends_when_stopped(void **state) {
    (void)state;
    int end[2];
    assert_int_equal(pipe(end), 0);
    blocked b = {.fd = end[0]};
    begin(&b, read_some);
    ends_when_stopped(&b);
    assert_int_equal(close(end[0]) | close(end[1]), 0);
}

static void a_write_to_a_full_pipe_ends_when_stopped(void **state) {
    (void)state;
    int end[2];
    assert_int_equal(pipe(end), 0);
    blocked b = {.fd = end[1]};
    begin(&b, write_much);
    ends_when_stopped(&b);
    assert_int_equal(close(end[0]) | close(end[1]), 0);
}

static char *make_fifo(char path[64]) {
    (void)strcpy(path, "stop_test-XXXXXX");
    assert_non_null(mkdtemp(path));
    (void)strcat(path, "/fifo");
    assert_int_equal(mkfifo(path, 0600), 0);
    return path;
}

static void remove_fifo(char *path) {
    assert_int_equal(unlink(path), 0);
    *strrchr(path, '/') = '\0';
    assert_int_equal(rmdir(path), 0);
}

static void a_fifo_nobody_opens_ends_when_stopped(void **state) {
    (void)state;
    char path[64];
    blocked writer = {.path = make_fifo(path)}, reader = {.path = path};
    begin(&writer, open_fifo_to_write);
    ends_when_stopped(&writer);
    begin(&reader, open_fifo_and_read);
    ends_when_stopped(&reader);
    assert_int_equal(close(reader.fd), 0);
    remove_fifo(path);
}

static void write_words(void *env) {
    size_t done = 0;
    const int fd = wadi_io_open_output(env, 0);
    assert_true(fd >= 0);
    assert_true(wadi_io_write(fd, "two ", 4, "fifo", &done));
    (void)nanosleep(&(struct timespec){0, 10000 * 1000L}, NULL);
    assert_true(wadi_io_write(fd, "words", 5, "fifo", &done));
    assert_int_equal(close(fd), 0);
}

static void a_fifo_is_read_to_its_end(void **state) {
    (void)state;
    char path[64], got[32] = "";
    bool failed = true;
    wadi_thread writer;
    make_fifo(path);
    const int fd = wadi_io_open(path);
    assert_true(fd >= 0);
    assert_int_equal(wadi_thread_start(&writer, write_words, path, NULL), WADI_OK);
    assert_int_equal(wadi_io_read_full(fd, got, sizeof got, "fifo", &failed), 9);
    assert_false(failed);
    assert_string_equal(got, "two words");
    wadi_thread_join(&writer);
    assert_int_equal(close(fd), 0);
    remove_fifo(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_files_are_counted),
        cmocka_unit_test(a_call_reaches_all_below),
        cmocka_unit_test(a_call_is_not_lost_on_who_comes_late),
        cmocka_unit_test(the_one_above_may_go_first),
        cmocka_unit_test(many_below_outlive_the_one_above),
        cmocka_unit_test(its_pipe_is_its_own),
        cmocka_unit_test(a_read_ends_when_stopped),
        cmocka_unit_test(a_write_to_a_full_pipe_ends_when_stopped),
        cmocka_unit_test(a_fifo_nobody_opens_ends_when_stopped),
        cmocka_unit_test(a_fifo_is_read_to_its_end),
        cmocka_unit_test(no_file_is_left_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
