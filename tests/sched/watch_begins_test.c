/* Somebody looks which processes can be watched just when one of them begins to listen: it is neither forgotten then nor later. */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sched/watch/place.h"
#include "wadi/watch.h"

static int looked;

static int how_many(void) {
    wadi_watch_process there[8];
    int n = -1;
    assert_int_equal(wadi_watch_processes(there, 8, &n, NULL), WADI_OK);
    return n;
}

/* In the place of the C library's: the socket is bound, and does not listen yet. */
int listen(int fd, int most) {
    int (*there)(int, int) = NULL;
    *(void **)&there = dlsym(RTLD_NEXT, "listen");
    looked++;
    assert_int_equal(how_many(), 0);
    return there(fd, most);
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
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
