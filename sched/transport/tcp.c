/* tcp://HOST:PORT: ZeroMQ over TCP. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "sched/transport/transport.h"
#include "sched/transport/zmq/port.h"

static const char scheme[] = "tcp";

static const char *host_of(const char *address) {
    return address + strlen(scheme) + strlen("://");
}

/* "7700", or "*" for any. */
static bool is_port(const char *text) {
    const size_t n = strspn(text, "0123456789");
    return strcmp(text, "*") == 0 ||
           (n > 0 && n <= 5 && text[n] == '\0' && strtol(text, NULL, 10) <= 65535);
}

/* Colons within the host, which has no brackets. "SOURCE;HOST:PORT" is left to libzmq. */
static bool is_bare_ipv6(const char *host, const char *last_colon) {
    return *host != '[' && strchr(host, ';') == NULL && strchr(host, ':') < last_colon;
}

static wadi_status check(const char *address, wadi_error *err) {
    const char *host = host_of(address), *colon = strrchr(host, ':');
    if (colon == NULL || strchr(colon, ']') != NULL)
        return wadi_fail(err, WADI_INVALID, "%.200s: the port is missing, expected tcp://HOST:PORT",
                         address);
    if (colon == host || !is_port(colon + 1) || strlen(address) > 200)
        return wadi_fail(err, WADI_INVALID, "%.200s: expected tcp://HOST:PORT, a port up to 65535",
                         address);
    if (is_bare_ipv6(host, colon))
        return wadi_fail(err, WADI_INVALID,
                         "%.200s: an address of IPv6 stands in brackets, as in tcp://[::1]:7700",
                         address);
    return WADI_OK;
}

static bool starts(const char *s, const char *with) {
    return strncmp(s, with, strlen(with)) == 0;
}

/* 127.x.x.x, [::1] or localhost. What is not understood is not local: in "127.0.0.1:1;0.0.0.0:2", libzmq binds what stands behind the
 * semicolon. */
static bool is_local(const char *address) {
    const char *host = host_of(address);
    if (strchr(host, ';') != NULL) return false;
    if (starts(host, "[::1]:") || starts(host, "localhost:") || starts(host, "lo:")) return true;
    unsigned a = 0, b = 0, c = 0, d = 0;
    int n = 0;
    const bool dotted = sscanf(host, "%3u.%3u.%3u.%3u%n", &a, &b, &c, &d, &n) == 4;
    return dotted && a == 127 && b < 256 && c < 256 && d < 256 && host[n] == ':';
}

static wadi_status open_port(const wadi_port_options *options, wadi_port **out, wadi_error *err) {
    return wadi_zmq_port_open(options, NULL, out, err);
}

const wadi_transport wadi_transport_tcp = {scheme, "tcp://HOST:PORT", check, is_local, open_port};
