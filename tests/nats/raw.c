/* A client that speaks the protocol itself. */
#include "tests/nats/raw.h"

#include <arpa/inet.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

int test_raw_connect(int port) {
    static const char hello[] =
        "CONNECT {\"verbose\":false,\"headers\":true,\"no_responders\":true}\r\n";
    struct sockaddr_in a = {.sin_family = AF_INET,
                            .sin_port = htons((uint16_t)port),
                            .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const int s = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(connect(s, (const struct sockaddr *)&a, sizeof a), 0);
    assert_int_equal(write(s, hello, sizeof hello - 1), sizeof hello - 1);
    return s;
}

void test_raw_say(int port, const char *subject, const char *headers, const char *data) {
    char text[512];
    char lengths[24] = "";
    if (*headers != '\0') (void)snprintf(lengths, sizeof lengths, "%zu ", strlen(headers));
    const int s = test_raw_connect(port);
    const int n = snprintf(text, sizeof text, "%s %s %s%zu\r\n%s%s\r\nPING\r\n",
                           *headers != '\0' ? "HPUB" : "PUB", subject, lengths,
                           strlen(headers) + strlen(data), headers, data);
    assert_int_equal(write(s, text, (size_t)n), n);
    /* It tells of itself first; a pong follows all that it has done. */
    char last[4] = "";
    while (memcmp(last, "PONG", 4) != 0) {
        memmove(last, last + 1, 3);
        assert_int_equal(read(s, last + 3, 1), 1);
    }
    (void)close(s);
}

int test_raw_hear(int port, const char *subject) {
    char text[512], last[4] = "";
    const int s = test_raw_connect(port);
    const int n = snprintf(text, sizeof text, "SUB %s 1\r\nPING\r\n", subject);
    assert_int_equal(write(s, text, (size_t)n), n);
    while (memcmp(last, "PONG", 4) != 0) {
        memmove(last, last + 1, 3);
        assert_int_equal(read(s, last + 3, 1), 1);
    }
    return s;
}

void test_raw_read(int s, const char *word, const char *other, char *out, size_t room) {
    size_t n = 0;
    memset(out, 0, room);
    while (strstr(out, word) == NULL && strstr(out, other) == NULL) {
        const ssize_t more = read(s, out + n, room - 1 - n);
        assert_true(more > 0);
        n += (size_t)more;
    }
    (void)close(s);
}
