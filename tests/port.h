/* Ports of TCP that tests know before anybody listens at them, also while a server that was killed begins again. They are below those that the system gives
 * out itself, and each belongs to one process at a time: it has bound an abstract name, which goes with it. Scripts ask tests/keep_port.c. */
#ifndef WADI_TESTS_PORT_H
#define WADI_TESTS_PORT_H

#include <arpa/inet.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

/* -1: it is another's. */
static inline int port_claim(int port) {
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    const int n = snprintf(at.sun_path + 1, sizeof at.sun_path - 1, "wadi-test-port-%d", port),
              s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);
    if (s < 0 || bind(s, (const struct sockaddr *)&at, size) == 0) return s;
    (void)close(s);
    return -1;
}

/* Nobody listens there, and no connection that was there is remembered. */
static inline int port_is_free(int port) {
    const struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    const int s = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0),
              is_free = s >= 0 && bind(s, (const struct sockaddr *)&at, sizeof at) == 0;
    if (s >= 0) (void)close(s);
    return is_free;
}

/* A port on which nobody listens, and which no other test gets before this process has ended. -1: there is none. */
static inline int test_port(void) {
    enum { FIRST = 12000, PORTS = 20000 };
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_REALTIME, &now);
    const long start = (long)getpid() * 7919 + now.tv_nsec / 1000;
    for (long i = 0; i < PORTS; i++) {
        const int port = FIRST + (int)((start + i) % PORTS), name = port_claim(port);
        if (name >= 0 && port_is_free(port)) return port;
        if (name >= 0) (void)close(name);
    }
    return -1;
}

#endif
