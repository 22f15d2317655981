/* The ports of tests: no two processes have the same, and nobody listens there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "tests/port.h"

static void a_port_is_one_process_s(void **state) {
    (void)state;
    const int port = test_port();
    assert_true(port > 0);
    assert_int_equal(port_claim(port), -1);
    const int other = test_port();
    assert_true(other > 0 && other != port);
}

static void where_somebody_listens_is_no_port(void **state) {
    (void)state;
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t n = sizeof at;
    const int s = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(s, (const struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(listen(s, 1), 0);
    assert_int_equal(getsockname(s, (struct sockaddr *)&at, &n), 0);
    assert_false(port_is_free(ntohs(at.sin_port)));
    assert_int_equal(close(s), 0);
    assert_true(port_is_free(test_port()));
}

/* Of a script that asks for one. It is free again a moment after the script has ended. */
static void a_script_has_its_port_until_it_ends(void **state) {
    (void)state;
    char command[512];
    const char *build = getenv("WADI_BUILD");
    int port = 0;
    assert_non_null(build);
    (void)snprintf(command, sizeof command,
                   "sh -c 'port=$(\"%s/tests/keep_port\" $$); echo $port; read -r line'", build);
    int to[2], from[2];
    assert_int_equal(pipe(to), 0);
    assert_int_equal(pipe(from), 0);
    const pid_t script = fork();
    assert_true(script >= 0);
    if (script == 0) {
        (void)dup2(to[0], 0);
        (void)dup2(from[1], 1);
        for (int i = 0; i < 2; i++) {
            (void)close(to[i]);
            (void)close(from[i]);
        }
        (void)execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(127);
    }
    (void)close(to[0]);
    (void)close(from[1]);
    FILE *said = fdopen(from[0], "r");
    assert_int_equal(fscanf(said, "%d", &port), 1);
    assert_int_equal(port_claim(port), -1);
    (void)close(to[1]);
    assert_int_equal(waitpid(script, NULL, 0), script);
    while (port_claim(port) < 0) (void)nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    (void)fclose(said);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_port_is_one_process_s),
        cmocka_unit_test(where_somebody_listens_is_no_port),
        cmocka_unit_test(a_script_has_its_port_until_it_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
