/* A way to a server that breaks: connections go through a thread, which resets them when it is told to. */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/nats/server.h"

enum { PAIRS = 64, ROOM = 1 << 16 };

struct test_proxy {
    pthread_t thread;
    int port, listener, wake[2];
    atomic_int orders; /* 1: reset, 2: end */
    int pair[PAIRS][2];
    bool mute[PAIRS];
    int pairs;
    const char *_Atomic last_word;
    _Atomic int64_t each; /* bytes between two resets; 0: there are none */
    int64_t passed;       /* since the last one */
    atomic_int resets, most;
    char room[ROOM + 1];
};

static int to_server(int port) {
    struct sockaddr_in a = {.sin_family = AF_INET,
                            .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
                            .sin_port = htons((uint16_t)port)};
    const int s = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(s, (struct sockaddr *)&a, sizeof a) == 0) return s;
    (void)close(s);
    return -1;
}

static void drop(test_proxy *p, int i) {
    const struct linger at_once = {1, 0}; /* a reset */
    for (int k = 0; k < 2; k++) {
        (void)setsockopt(p->pair[i][k], SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
        (void)close(p->pair[i][k]);
    }
    p->pairs--;
    for (int k = 0; k < 2; k++) p->pair[i][k] = p->pair[p->pairs][k];
    p->mute[i] = p->mute[p->pairs];
}

static void take_in(test_proxy *p) {
    const int client = accept(p->listener, NULL, NULL), up = client >= 0 ? to_server(p->port) : -1;
    if (up >= 0 && p->pairs < PAIRS) {
        p->mute[p->pairs] = false;
        p->pair[p->pairs][0] = client;
        p->pair[p->pairs++][1] = up;
        return;
    }
    if (up >= 0) (void)close(up);
    if (client >= 0) (void)close(client);
}

/* How many of n bytes of the client of pair i reach the server. */
static ssize_t let_through(test_proxy *p, int i, ssize_t n) {
    const char *word = atomic_load(&p->last_word);
    if (n <= 0 || word == NULL) return n;
    if (p->mute[i]) return 0;
    p->room[n] = '\0';
    const char *at = strstr(p->room, word);
    p->mute[i] = at != NULL;
    return at != NULL ? at - p->room + (ssize_t)strlen(word) : n;
}

/* From one side of pair i to the other. False: the connection is at its end. */
static bool carry(test_proxy *p, int i, int from) {
    const int to = p->pair[i][1 - from];
    const ssize_t n = read(p->pair[i][from], p->room, ROOM),
                  most = from == 0 ? let_through(p, i, n) : n;
    for (ssize_t at = 0; at < most;) {
        const ssize_t m = send(to, p->room + at, (size_t)(most - at), MSG_NOSIGNAL);
        if (m <= 0) return false;
        at += m;
    }
    p->passed += n > 0 ? n : 0;
    return n > 0;
}

static void reset_now_and_then(test_proxy *p) {
    const int64_t each = atomic_load(&p->each);
    if (each == 0 || p->passed < each || atomic_load(&p->resets) == atomic_load(&p->most)) return;
    while (p->pairs > 0) drop(p, 0);
    p->passed = 0;
    atomic_fetch_add(&p->resets, 1);
}

static void *serve(void *env) {
    test_proxy *p = env;
    for (;;) {
        struct pollfd fds[2 + 2 * PAIRS] = {{p->wake[0], POLLIN, 0}, {p->listener, POLLIN, 0}};
        for (int i = 0; i < p->pairs; i++)
            for (int k = 0; k < 2; k++)
                fds[2 + 2 * i + k] = (struct pollfd){p->pair[i][k], POLLIN, 0};
        const int before = p->pairs;
        (void)poll(fds, (nfds_t)(2 + 2 * before), -1);
        if (fds[0].revents != 0) {
            char c;
            (void)!read(p->wake[0], &c, 1);
            while (p->pairs > 0) drop(p, 0);
            if (atomic_load(&p->orders) == 2) return NULL;
            continue;
        }
        for (int i = before; i-- > 0;)
            for (int k = 0; k < 2; k++)
                if (fds[2 + 2 * i + k].revents != 0 && !carry(p, i, k)) {
                    drop(p, i);
                    break;
                }
        if (fds[1].revents != 0) take_in(p);
        reset_now_and_then(p);
    }
}

test_proxy *test_proxy_start(int port, int *out_port) {
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t n = sizeof a;
    test_proxy *p = calloc(1, sizeof *p);
    assert_non_null(p);
    p->port = port;
    p->listener = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(p->listener, (struct sockaddr *)&a, sizeof a), 0);
    assert_int_equal(listen(p->listener, 64), 0);
    assert_int_equal(getsockname(p->listener, (struct sockaddr *)&a, &n), 0);
    assert_int_equal(pipe(p->wake), 0);
    *out_port = ntohs(a.sin_port);
    assert_int_equal(pthread_create(&p->thread, NULL, serve, p), 0);
    return p;
}

static void order(test_proxy *p, int what) {
    atomic_store(&p->orders, what);
    assert_int_equal(write(p->wake[1], "x", 1), 1);
}

void test_proxy_reset(test_proxy *p) {
    order(p, 1);
}

void test_proxy_reset_each(test_proxy *p, int64_t bytes, int most) {
    atomic_store(&p->most, most);
    atomic_store(&p->each, bytes);
}

int test_proxy_resets(test_proxy *p) {
    return atomic_load(&p->resets);
}

void test_proxy_mute(test_proxy *p, const char *word) {
    atomic_store(&p->last_word, word);
}

void test_proxy_end(test_proxy *p) {
    order(p, 2);
    (void)pthread_join(p->thread, NULL);
    (void)close(p->listener);
    for (int i = 0; i < 2; i++) (void)close(p->wake[i]);
    free(p);
}
