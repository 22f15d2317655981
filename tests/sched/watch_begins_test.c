/* Somebody looks which processes can be watched just when one of them begins or ends: nobody is forgotten who is there. Numbers of processes come again,
 * and containers have the same ones. */
#define _DEFAULT_SOURCE /* syscall */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sched/watch/place.h"
#include "wadi/watch.h"

static int looked;
static wadi_watch
    *begins_then; /* begun when a connection to what is left of another has been refused */
static bool shall_begin;

static int how_many(void) {
    wadi_watch_process there[8];
    int n = -1;
    assert_int_equal(wadi_watch_processes(there, 8, &n, NULL), WADI_OK);
    return n;
}

/* In the place of the C library's: the socket is bound, and does not listen yet. */
int listen(int fd, int most) {
    if (looked++ == 0) assert_int_equal(how_many(), 0);
    return (int)syscall(SYS_listen, fd, most);
}

/* Likewise. */
int connect(int fd, const struct sockaddr *to, socklen_t n) {
    const int got = (int)syscall(SYS_connect, fd, to, n), why = errno;
    if (shall_begin && got != 0 && why == ECONNREFUSED) {
        shall_begin = false;
        looked = -1; /* nobody looks while it begins */
        assert_int_equal(wadi_watch_begin(NULL, &begins_then, NULL), WADI_OK);
    }
    errno = why;
    return got;
}

static void a_process_that_begins_is_not_forgotten(void **state) {
    (void)state;
    wadi_watch *w = NULL;
    assert_int_equal(wadi_watch_begin(NULL, &w, NULL), WADI_OK);
    assert_int_equal(looked, 1);
    assert_int_equal(how_many(), 1);
    wadi_watch_end(w);
    assert_int_equal(how_many(), 0);
}

/* Leaves a socket where nobody listens, as a process does that is killed. */
static void leave_socket(void) {
    struct sockaddr_un at;
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(wadi_watch_address(getpid(), "wadi", &at, NULL), WADI_OK);
    assert_int_equal(bind(fd, (const struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(close(fd), 0);
}

static void a_process_with_the_number_of_one_that_is_gone_is_not_forgotten(void **state) {
    (void)state;
    leave_socket();
    shall_begin = true;
    assert_int_equal(how_many(), 1);
    assert_false(shall_begin);
    assert_int_equal(how_many(), 1);
    wadi_watch_end(begins_then);
    assert_int_equal(how_many(), 0);
}

static void what_is_left_of_a_process_is_removed(void **state) {
    (void)state;
    leave_socket();
    assert_int_equal(how_many(), 0); /* remove_folder sees that it is gone */
}

static void one_that_ends_leaves_another_of_the_same_number_there(void **state) {
    (void)state;
    wadi_watch *first = NULL, *second = NULL;
    looked = 1;
    assert_int_equal(wadi_watch_begin(NULL, &first, NULL), WADI_OK);
    assert_int_equal(wadi_watch_begin(NULL, &second, NULL), WADI_OK);
    wadi_watch_end(first);
    assert_int_equal(how_many(), 1);
    wadi_watch_end(second);
    assert_int_equal(how_many(), 0);
}

static int make_folder(void **state) {
    static char folder[] = "/tmp/wadi-b.XXXXXX";
    *state = folder;
    return mkdtemp(folder) == NULL ? -1 : setenv("XDG_RUNTIME_DIR", folder, 1);
}

/* No socket is left, or the folder would stay. */
static int remove_folder(void **state) {
    char inner[64];
    (void)snprintf(inner, sizeof inner, "%s/wadi", (const char *)*state);
    return rmdir(inner) != 0 || rmdir(*state) != 0 ? -1 : 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_process_that_begins_is_not_forgotten),
        cmocka_unit_test(a_process_with_the_number_of_one_that_is_gone_is_not_forgotten),
        cmocka_unit_test(what_is_left_of_a_process_is_removed),
        cmocka_unit_test(one_that_ends_leaves_another_of_the_same_number_there),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
