/* Tasks: which stop and which table of waits a thread uses, and what is reported while it reads, writes, opens a file or runs a
 * program. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/child.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/io.h"
#include "base/task.h"
#include "base/thread.h"
#include "tests/open_files.h"

static int64_t standing_clock(void) {
    return 1000000000;
}

static int setup(void **state) {
    wadi_waits *w = NULL;
    wadi_clock_set(standing_clock);
    if (wadi_waits_create(INT64_C(1) << 60, &w, NULL) != WADI_OK) return -1;
    *state = w;
    return 0;
}

static int teardown(void **state) {
    wadi_waits_destroy(*state);
    wadi_clock_set(NULL);
    return 0;
}

static bool prints(wadi_waits *w, const char *want) {
    wadi_text t;
    wadi_text_init(&t);
    wadi_waits_print(w, &t);
    const bool same = strcmp(wadi_text_str(&t), want) == 0;
    wadi_text_fini(&t);
    return same;
}

/* ---- the thread's task ---- */

static void a_task_ends_with_the_one_before_it(void **state) {
    wadi_stop stop;
    wadi_error err = {0};
    int fd = -1;
    assert_null(wadi_task_now()->stop);
    assert_null(wadi_task_now()->waits);
    assert_int_equal(wadi_task_stop_fd(), -1);
    assert_false(wadi_task_stopped());
    assert_int_equal(wadi_stop_init(&stop, NULL, NULL), WADI_OK);
    const wadi_task none = wadi_task_begin((wadi_task){.name = "outer", .stop = &stop});
    const wadi_task outer = wadi_task_begin((wadi_task){.name = "inner", .waits = *state});
    assert_string_equal(outer.name, "outer");
    assert_string_equal(wadi_task_now()->name, "inner");
    wadi_stop_call(&stop);
    assert_false(wadi_task_stopped()); /* it has another task */
    assert_int_equal(wadi_task_check(&err), WADI_OK);
    assert_int_equal(wadi_task_stop_fd(), -1);
    wadi_task_end(outer);
    assert_true(wadi_task_stopped());
    assert_int_equal(wadi_task_check(&err), WADI_CANCELLED);
    assert_string_equal(err.msg, "cancelled");
    assert_int_equal(wadi_stop_fd(&stop, &fd, NULL), WADI_OK);
    assert_int_equal(wadi_task_stop_fd(), fd);
    wadi_task_end(none);
    assert_int_equal(wadi_task_check(&err), WADI_OK);
    wadi_stop_fini(&stop);
}

static void look_at_own_task(void *env) {
    *(bool *)env = wadi_task_now()->stop == NULL && !wadi_task_stopped() &&
                   strcmp(wadi_task_now()->name, "a thread") == 0;
}

static void another_thread_has_another_task(void **state) {
    (void)state;
    wadi_stop stop;
    wadi_thread thread = {0};
    bool own = false;
    assert_int_equal(wadi_stop_init(&stop, NULL, NULL), WADI_OK);
    const wadi_task before = wadi_task_begin((wadi_task){.name = "test", .stop = &stop});
    wadi_stop_call(&stop);
    assert_int_equal(wadi_thread_start(&thread, look_at_own_task, &own, NULL), WADI_OK);
    wadi_thread_join(&thread);
    assert_true(own);
    wadi_task_end(before);
    wadi_stop_fini(&stop);
}

static wadi_task *elsewhere(void) {
    static wadi_task task = {.name = "elsewhere"};
    return &task;
}

static void a_copy_of_this_code_looks_where_its_host_does(void **state) {
    (void)state;
    const wadi_task_place own = wadi_task_share();
    wadi_task_adopt(elsewhere);
    assert_string_equal(wadi_task_now()->name, "elsewhere");
    assert_true(wadi_task_share() == elsewhere);
    wadi_task_end(wadi_task_begin((wadi_task){.name = "there"}));
    wadi_task_adopt(own);
    assert_string_equal(wadi_task_now()->name, "a thread");
}

/* ---- what is told ---- */

static void a_task_waits_works_and_idles_under_its_name(void **state) {
    wadi_waits *w = *state;
    const wadi_task before = wadi_task_begin((wadi_task){.name = "stage", .waits = w});
    const int waits = wadi_task_wait("chunk", 7, "flat");
    assert_true(prints(w, "stage waits 0.0 s for chunk 7 (flat)"));
    wadi_task_go_on(waits);
    const int works = wadi_task_work("chunk", 0, NULL);
    assert_true(prints(w, "stage works 0.0 s on chunk 0"));
    wadi_task_go_on(works);
    const int idles = wadi_task_idle("words", -1, "long");
    assert_true(prints(w, "stage waits 0.0 s for words (long)"));
    wadi_task_go_on(idles);
    assert_true(prints(w, ""));
    wadi_task_end(before);
}

typedef struct blocked {
    wadi_waits *waits;
    const char *path;
    int fd;
    bool (*what)(struct blocked *b);
    bool fine;
} blocked;

static bool read_one(blocked *b) {
    char byte = 0;
    return wadi_io_read(b->fd, &byte, 1, "in") == 1 && byte == 'x';
}

static bool write_much(blocked *b) {
    static char much[1 << 20];
    size_t done = 0;
    const bool fine = wadi_io_write(b->fd, much, sizeof much, "out", &done);
    (void)close(b->fd);
    return fine && done == sizeof much;
}

static bool open_fifo(blocked *b) {
    b->fd = wadi_io_open_output(b->path, 0);
    return b->fd >= 0;
}

static bool run_program(blocked *b) {
    char sh[] = "/bin/sh", dash_c[] = "-c", script[100], out[16];
    char *const argv[] = {sh, dash_c, script, NULL};
    const wadi_child c = {.argv = argv, .what = "a script"};
    int code = -1;
    (void)snprintf(script, sizeof script, "cat %s", b->path);
    return wadi_child_run(&c, out, sizeof out, &code) == WADI_CHILD_EXITED && code == 0 &&
           strcmp(out, "x") == 0;
}

static void at_work(void *env) {
    blocked *b = env;
    const wadi_task before = wadi_task_begin((wadi_task){.name = "worker", .waits = b->waits});
    b->fine = b->what(b);
    wadi_task_end(before);
}

/* Until it is told; far longer than any machine takes. */
static void wait_until_told(wadi_waits *w, const char *want) {
    enum { TRIES = 120000 };
    for (int i = 0; i < TRIES && !prints(w, want); i++)
        (void)nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    wadi_text t;
    wadi_text_init(&t);
    wadi_waits_print(w, &t);
    assert_string_equal(wadi_text_str(&t), want);
    wadi_text_fini(&t);
}

static void whoever_blocks_tells_for_what(void **state) {
    wadi_waits *w = *state;
    static char much[1 << 20];
    char fifo[] = "task_test_fifo";
    int end[2];
    bool failed = false;
    wadi_thread thread = {0};
    assert_int_equal(pipe(end), 0);
    blocked b = {.waits = w, .fd = end[0], .what = read_one};
    assert_int_equal(wadi_thread_start(&thread, at_work, &b, NULL), WADI_OK);
    wait_until_told(w, "worker waits 0.0 s for bytes (in)");
    assert_int_equal(write(end[1], "x", 1), 1);
    wadi_thread_join(&thread);
    assert_true(b.fine && prints(w, ""));

    b = (blocked){.waits = w, .fd = end[1], .what = write_much};
    assert_int_equal(wadi_thread_start(&thread, at_work, &b, NULL), WADI_OK);
    wait_until_told(w, "worker waits 0.0 s for room (out)");
    assert_int_equal(wadi_io_read_full(end[0], much, sizeof much, "in", &failed), sizeof much);
    wadi_thread_join(&thread);
    assert_true(b.fine && prints(w, ""));
    assert_int_equal(close(end[0]), 0);

    (void)unlink(fifo);
    assert_int_equal(mkfifo(fifo, 0600), 0);
    b = (blocked){.waits = w, .path = fifo, .what = open_fifo};
    assert_int_equal(wadi_thread_start(&thread, at_work, &b, NULL), WADI_OK);
    wait_until_told(w, "worker waits 0.0 s for a reader (task_test_fifo)");
    const int reader = open(fifo, O_RDONLY | O_NONBLOCK);
    wadi_thread_join(&thread);
    assert_true(b.fine && prints(w, ""));
    assert_int_equal(close(b.fd) | close(reader), 0);

    b = (blocked){.waits = w, .path = fifo, .what = run_program};
    assert_int_equal(wadi_thread_start(&thread, at_work, &b, NULL), WADI_OK);
    wait_until_told(w, "worker waits 0.0 s for a script (/bin/sh)");
    const int writer = open(fifo, O_WRONLY); /* waits for the script */
    assert_int_equal(write(writer, "x", 1), 1);
    assert_int_equal(close(writer), 0);
    wadi_thread_join(&thread);
    assert_true(b.fine && prints(w, ""));
    (void)unlink(fifo);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_files_are_counted),
        CASE(a_task_ends_with_the_one_before_it),
        CASE(another_thread_has_another_task),
        CASE(a_copy_of_this_code_looks_where_its_host_does),
        CASE(a_task_waits_works_and_idles_under_its_name),
        CASE(whoever_blocks_tells_for_what),
        cmocka_unit_test(no_file_is_left_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
