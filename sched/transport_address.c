/* See the header. What is not understood is not local. */
#include "sched/transport_address.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>

#include "base/error.h"

static bool starts(const char *s, const char *with) {
    return strncmp(s, with, strlen(with)) == 0;
}

/* "7700", or "*" for any. */
static bool is_port(const char *text) {
    const size_t n = strspn(text, "0123456789");
    return strcmp(text, "*") == 0 ||
           (n > 0 && n <= 5 && text[n] == '\0' && strtol(text, NULL, 10) <= 65535);
}

wadi_status wadi_address_check(const char *address, wadi_error *err) {
    const struct sockaddr_un unix_address = {0};
    if (starts(address, "ipc://")) {
        const size_t n = strlen(address + strlen("ipc://"));
        if (n > 0 && n < sizeof unix_address.sun_path) return WADI_OK;
        return wadi_fail(err, WADI_INVALID, "%.200s: expected ipc://PATH, a path of 1 to %zu bytes",
                         address, sizeof unix_address.sun_path - 1);
    }
    if (!starts(address, "tcp://"))
        return wadi_fail(err, WADI_INVALID,
                         "%.200s: a link leads to another process: tcp://HOST:PORT or ipc://PATH",
                         address);
    const char *host = address + strlen("tcp://"), *colon = strrchr(host, ':');
    if (colon == NULL || strchr(colon, ']') != NULL)
        return wadi_fail(err, WADI_INVALID, "%.200s: the port is missing: tcp://HOST:PORT",
                         address);
    if (colon == host || !is_port(colon + 1) || strlen(address) > 200)
        return wadi_fail(err, WADI_INVALID, "%.200s: expected tcp://HOST:PORT, a port up to 65535",
                         address);
    return WADI_OK;
}

bool wadi_address_is_local(const char *address) {
    if (starts(address, "ipc://")) return true;
    if (!starts(address, "tcp://")) return false;
    const char *host = address + strlen("tcp://");
    if (starts(host, "[::1]:") || starts(host, "localhost:") || starts(host, "lo:")) return true;
    unsigned a = 0, b = 0, c = 0, d = 0;
    int n = 0;
    const bool dotted = sscanf(host, "%3u.%3u.%3u.%3u%n", &a, &b, &c, &d, &n) == 4;
    return dotted && a == 127 && b < 256 && c < 256 && d < 256 && host[n] == ':';
}
