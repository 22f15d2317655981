/* The check for free descriptors and threads gives back everything that it takes, even if there are too few. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/error.h"
#include "sched/transport/zmq/room.h"

enum { LOOK = 512 };

static int descriptors(void) {
    int n = 0;
    for (int fd = 0; fd < LOOK; fd++) n += fcntl(fd, F_GETFD) >= 0;
    return n;
}

static void looking_leaves_nothing_open(void **state) {
    (void)state;
    const int before = descriptors();
    for (int i = 0; i < 100; i++) assert_int_equal(wadi_zmq_has_room("ipc://x", NULL), WADI_OK);
    assert_int_equal(descriptors(), before);
}

static void too_few_descriptors_are_told_and_given_back(void **state) {
    (void)state;
    struct rlimit usual, few;
    wadi_error err = {.status = WADI_OK};
    const int before = descriptors();
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &usual), 0);
    few = usual;
    few.rlim_cur = (rlim_t)before + 5;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    for (int i = 0; i < 20; i++) assert_int_equal(wadi_zmq_has_room("ipc://x", &err), WADI_IO);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &usual), 0);
    assert_non_null(strstr(err.msg, "ipc://x: a link needs "));
    assert_non_null(strstr(err.msg, "file descriptors"));
    assert_int_equal(descriptors(), before);
    assert_int_equal(wadi_zmq_has_room("ipc://x", NULL), WADI_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(looking_leaves_nothing_open),
        cmocka_unit_test(too_few_descriptors_are_told_and_given_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
