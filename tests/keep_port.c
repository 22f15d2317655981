/* keep_port PID: prints a port that is that process's until it ends (tests/port.h). For scripts: port=$("$WADI_BUILD/tests/keep_port" $$) */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>

#include "tests/port.h"

/* Holds the port, beside the script. It keeps no pipe of the script open, whose reader would wait. */
static void keep(pid_t pid) {
    const int null = open("/dev/null", O_RDWR);
    for (int fd = 0; fd <= 2; fd++) (void)dup2(null, fd);
    while (kill(pid, 0) == 0) (void)nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
}

int main(int argc, char **argv) {
    const long pid = argc == 2 ? strtol(argv[1], NULL, 10) : 0;
    const int port = pid > 0 ? test_port() : -1;
    if (port < 0) {
        (void)fprintf(stderr, "keep_port: no port\n");
        return 1;
    }
    (void)printf("%d\n", port);
    (void)fflush(stdout);
    const pid_t keeper = fork();
    if (keeper == 0) keep((pid_t)pid);
    return keeper < 0;
}
