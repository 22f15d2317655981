/* How many replies strangers get: peers that never read would fill memory with them. No connection has more than a fourth of those in a second, so that one which floods leaves
 * some to others. */
#ifndef WADI_SCHED_TRANSPORT_ZMQ_REPLIES_H
#define WADI_SCHED_TRANSPORT_ZMQ_REPLIES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum {
    WADI_REPLIES = 100, /* in a second */
    WADI_REPLIES_OF_ONE = WADI_REPLIES / 4,
    WADI_REPLIES_KNOWN = 4096 /* descriptors from here on share their numbers with others */
};

typedef struct wadi_replies {
    int64_t since_ns; /* when the present second began */
    int all;          /* in it */
    uint8_t of[WADI_REPLIES_KNOWN];
} wadi_replies;

/* Whether one more may be sent over the connection with this descriptor, and counts it then. Negative: nobody knows which that is. */
static inline bool wadi_replies_may(wadi_replies *r, int fd, int64_t now_ns) {
    uint8_t *of = &r->of[(unsigned)fd % WADI_REPLIES_KNOWN];
    if (now_ns - r->since_ns > 1000000000) {
        memset(r, 0, sizeof *r);
        r->since_ns = now_ns;
    }
    if (r->all >= WADI_REPLIES || (fd >= 0 && *of >= WADI_REPLIES_OF_ONE)) return false;
    r->all++;
    if (fd >= 0) ++*of;
    return true;
}

#endif
