/* See the header. What is not understood is not local. */
#include "sched/transport_address.h"

#include <stdio.h>
#include <string.h>

static bool starts(const char *s, const char *with) {
    return strncmp(s, with, strlen(with)) == 0;
}

bool wadi_address_is_inproc(const char *address) {
    return starts(address, "inproc://");
}

bool wadi_address_is_local(const char *address) {
    if (wadi_address_is_inproc(address) || starts(address, "ipc://")) return true;
    if (!starts(address, "tcp://")) return false;
    const char *host = address + strlen("tcp://");
    if (starts(host, "[::1]:") || starts(host, "localhost:") || starts(host, "lo:")) return true;
    unsigned a = 0, b = 0, c = 0, d = 0;
    int n = 0;
    const bool dotted = sscanf(host, "%3u.%3u.%3u.%3u%n", &a, &b, &c, &d, &n) == 4;
    return dotted && a == 127 && b < 256 && c < 256 && d < 256 && host[n] == ':';
}
