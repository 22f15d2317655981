/* Files at the path of an ipc:// address: a link replaces only a socket that nobody listens at, and removes its own socket when it is
 * closed. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/error.h"
#include "base/file.h"
#include "sched/transport/port.h"
#include "sched/transport/zmq/socket_file.h"

static char folder[] = "/tmp/wadi-ipc-XXXXXX";
static char address[96]; /* with room for its path in sun_path */

/* The path of the address. */
static const char *path(void) {
    return address + strlen("ipc://");
}

static int set_up(void **state) {
    (void)state;
    (void)snprintf(address, sizeof address, "ipc://%s/link", folder);
    (void)unlink(path());
    return 0;
}

static bool is_there(void) {
    struct stat about;
    return lstat(path(), &about) == 0;
}

/* A socket at the path; `heard`: somebody listens at it. */
static int put_socket(bool heard) {
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    (void)snprintf(at.sun_path, sizeof at.sun_path, "%s", path());
    assert_int_equal(bind(fd, (const struct sockaddr *)&at, sizeof at), 0);
    if (heard) assert_int_equal(listen(fd, 4), 0);
    return fd;
}

static wadi_port *open_port(wadi_error *err) {
    wadi_port *port = NULL;
    const wadi_port_options options = {.address = address,
                                       .bind = true,
                                       .owner = "in",
                                       .other = "out",
                                       .credit_bytes = 1 << 20,
                                       .credit_chunks = 4,
                                       .wake_fd = -1,
                                       .limits = {.bytes = 1 << 20}};
    const wadi_status status = wadi_port_open(&options, &port, err);
    assert_true((port != NULL) == (status == WADI_OK));
    return port;
}

static void refused(wadi_status status, const char *words) {
    wadi_error err = {0};
    int lock = 0;
    assert_int_equal(wadi_socket_file_claim(address, path(), &lock, &err), status);
    assert_int_equal(lock, -1);
    assert_non_null(strstr(err.msg, address));
    assert_non_null(strstr(err.msg, words));
    wadi_error again = {0};
    assert_null(open_port(&again));
    assert_string_equal(again.msg, err.msg);
    assert_true(is_there());
}

static void a_file_is_not_overwritten(void **state) {
    (void)state;
    char *text = NULL;
    size_t n = 0;
    assert_int_equal(wadi_file_write(path(), "precious", 8, 0600, NULL), WADI_OK);
    refused(WADI_INVALID, "it is not overwritten");
    assert_int_equal(wadi_file_read(path(), &text, &n, NULL), WADI_OK);
    assert_memory_equal(text, "precious", 8);
    free(text);
    (void)unlink(path());
    assert_int_equal(symlink("/nowhere", path()), 0);
    refused(WADI_INVALID, "it is not overwritten");
    (void)unlink(path());
    assert_int_equal(mkdir(path(), 0700), 0);
    refused(WADI_INVALID, "it is not overwritten");
    (void)rmdir(path());
}

static void who_listens_is_not_robbed(void **state) {
    (void)state;
    const int fd = put_socket(true);
    refused(WADI_IO, "another process listens there");
    (void)close(fd);
}

/* A socket of packets does not answer calls for streams; neither does one of another user. */
static void a_socket_that_cannot_be_asked_is_left(void **state) {
    (void)state;
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    (void)snprintf(at.sun_path, sizeof at.sun_path, "%s", path());
    assert_int_equal(bind(fd, (const struct sockaddr *)&at, sizeof at), 0);
    refused(WADI_IO, "whether another process listens there is unknown: ");
    (void)close(fd);
    (void)unlink(path());
}

static void a_socket_left_by_a_killed_process_gives_way(void **state) {
    (void)state;
    (void)close(put_socket(true));
    assert_true(is_there());
    wadi_port *port = open_port(NULL);
    assert_non_null(port);
    assert_true(is_there());
    wadi_port_close(port);
    assert_false(is_there());
}

static void only_the_own_socket_is_removed(void **state) {
    (void)state;
    wadi_port *port = open_port(NULL);
    assert_non_null(port);
    (void)unlink(path());
    const int other = put_socket(true);
    wadi_port_close(port);
    assert_true(is_there());
    (void)close(other);
}

/* Many at once, on what a killed process has left: one of them listens. */
static void one_of_many_gets_the_address(void **state) {
    (void)state;
    enum { MANY = 8, ROUNDS = 5 };
    for (int round = 0; round < ROUNDS; round++) {
        int start[2], listens = 0;
        pid_t child[MANY];
        if (round % 2 == 0) (void)close(put_socket(true));
        assert_int_equal(pipe(start), 0);
        for (int i = 0; i < MANY; i++) {
            child[i] = fork();
            if (child[i] != 0) continue;
            char byte;
            int lock = -1;
            (void)close(start[1]);
            if (read(start[0], &byte, 1) != 0) _exit(3);
            if (wadi_socket_file_claim(address, path(), &lock, NULL) != WADI_OK) _exit(1);
            (void)unlink(path()); /* as libzmq does */
            (void)put_socket(true);
            wadi_socket_file_settle(lock);
            (void)pause(); /* listens on */
            _exit(0);
        }
        (void)close(start[0]);
        (void)close(start[1]);
        for (int i = 0; i < MANY - 1; i++) { /* all but one are refused */
            int status = 0;
            assert_true(wait(&status) > 0);
            assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 1);
        }
        for (int i = 0; i < MANY; i++) (void)kill(child[i], SIGKILL);
        while (wait(NULL) > 0) listens++;
        assert_int_equal(listens, 1);
        (void)unlink(path());
    }
}

/* Binding tells of it. */
static void a_folder_that_is_not_there_is_no_obstacle(void **state) {
    (void)state;
    static const char *const nowhere = "/no/such/folder/link";
    int lock = 0;
    assert_int_equal(wadi_socket_file_claim("ipc:///no/such/folder/link", nowhere, &lock, NULL),
                     WADI_OK);
    assert_int_equal(lock, -1);
    const wadi_socket_file none = wadi_socket_file_made(nowhere);
    assert_false(none.made);
    wadi_socket_file_remove(nowhere, none);
}

static void addresses_without_a_file_are_fine(void **state) {
    (void)state;
    static const char *const others[] = {"tcp://127.0.0.1:*", "ipc://@wadi-ipc-test", "ipc://*"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        wadi_error err = {0};
        (void)snprintf(address, sizeof address, "%s", others[i]);
        wadi_port *port = open_port(&err);
        if (port == NULL) fail_msg("%s: %s", others[i], err.msg);
        wadi_port_close(port);
    }
}

/* libzmq would remove it. */
static void a_file_of_the_same_name_as_an_address_without_one_is_left(void **state) {
    (void)state;
    char name[sizeof address], *text = NULL;
    size_t n = 0;
    wadi_error err = {0};
    (void)snprintf(address, sizeof address, "ipc://@wadi-ipc-test-%d", (int)getpid());
    (void)snprintf(name, sizeof name, "%s", path());
    assert_int_equal(wadi_file_write(name, "precious", 8, 0600, NULL), WADI_OK);
    assert_null(open_port(&err));
    assert_int_equal(err.status, WADI_INVALID);
    assert_non_null(strstr(err.msg, "there is a file @wadi-ipc-test-"));
    assert_int_equal(wadi_file_read(name, &text, &n, NULL), WADI_OK);
    assert_memory_equal(text, "precious", 8);
    free(text);
    assert_int_equal(unlink(name), 0);
    wadi_port *port = open_port(&err);
    if (port == NULL) fail_msg("%s", err.msg);
    wadi_port_close(port);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_file_is_not_overwritten, set_up),
        cmocka_unit_test_setup(who_listens_is_not_robbed, set_up),
        cmocka_unit_test_setup(a_socket_that_cannot_be_asked_is_left, set_up),
        cmocka_unit_test_setup(a_socket_left_by_a_killed_process_gives_way, set_up),
        cmocka_unit_test_setup(only_the_own_socket_is_removed, set_up),
        cmocka_unit_test_setup(one_of_many_gets_the_address, set_up),
        cmocka_unit_test_setup(a_folder_that_is_not_there_is_no_obstacle, set_up),
        cmocka_unit_test_setup(addresses_without_a_file_are_fine, set_up),
        cmocka_unit_test_setup(a_file_of_the_same_name_as_an_address_without_one_is_left, set_up),
    };
    if (mkdtemp(folder) == NULL) return 1;
    const int rc = cmocka_run_group_tests(tests, NULL, NULL);
    (void)unlink(path());
    (void)rmdir(folder);
    return rc;
}
