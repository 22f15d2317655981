/* Connections are known by their descriptor and the peer's address: a number that was given to another connection is not taken for the one before.
 * One that is closed is closed through a duplicate whose address has been checked, for the same reason. */
#define _DEFAULT_SOURCE /* tcp_info */
#include "sched/transport/zmq/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/error.h"
#include "base/log.h"
#include "base/thread.h"
#include "base/vec.h"
#include "sched/transport/zmq/event.h"
#include "sched/transport/zmq/library.h"

enum {
    STRANGERS_MS = 5, /* how often strangers are looked at: they can send some MiB meanwhile */
    TRUSTED_MS = 100,
    IDLE_MS = 1000,
    SHORT_HEAD = 2, /* of a frame, in ZMTP */
    LONG_HEAD = 9,
    SHORT_FRAME = 255,
    TOLD = 3 /* closed connections that are logged */
};

typedef struct peer_name {
    struct sockaddr_storage address;
    socklen_t n;
} peer_name;

typedef struct connection {
    bool open, trusted;
    bool lost;      /* the reader has not been told */
    uint64_t since; /* a number that grows with each connection */
    uint64_t taken; /* bytes */
    uint64_t held;  /* bytes, when it was looked at last */
    peer_name peer;
} connection;

struct wadi_zmq_guard {
    void *monitor, *events, *reader;
    char address[256];
    uint64_t trusted;
    atomic_bool stop;
    wadi_thread thread;
    wadi_mutex lock;         /* guards the rest */
    WADI_VEC(connection) at; /* by descriptor */
    uint64_t met;
    int closed;
    bool any_lost;
};

/* ---- descriptors ---- */

static bool name_peer(int fd, peer_name *out) {
    *out = (peer_name){.n = sizeof out->address};
    return getpeername(fd, (struct sockaddr *)&out->address, &out->n) == 0;
}

static bool same_peer(const peer_name *a, const peer_name *b) {
    return a->n == b->n && memcmp(&a->address, &b->address, a->n) == 0;
}

/* Everything that has come over it, the parts that ZeroMQ keeps for itself included. False: it is not there any more. */
static bool count_received(int fd, const connection *c, uint64_t *out) {
    peer_name peer;
    struct tcp_info info = {0};
    socklen_t n = sizeof info;
    if (!name_peer(fd, &peer) || !same_peer(&peer, &c->peer)) return false;
    if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &n) != 0) return false;
    *out = info.tcpi_bytes_received;
    return true;
}

/* The library finds the end of the stream, and closes the connection. The kernel then forgets at once what was not read. */
static void cut(int fd, const peer_name *expected) {
    const struct linger now = {.l_onoff = 1};
    peer_name peer;
    const int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (copy < 0) return;
    if (name_peer(copy, &peer) && same_peer(&peer, expected)) {
        (void)setsockopt(copy, SOL_SOCKET, SO_LINGER, &now, sizeof now);
        (void)shutdown(copy, SHUT_RDWR);
    }
    (void)close(copy);
}

/* ---- connections; the lock is held ---- */

/* NULL: out of memory, or not a connection. */
static connection *adopt(wadi_zmq_guard *g, int fd) {
    peer_name peer;
    if (fd < 0 || !name_peer(fd, &peer)) return NULL;
    while (g->at.n <= (size_t)fd)
        if (!wadi_vec_push(&g->at, (connection){0})) return NULL;
    connection *c = &g->at.at[fd];
    if (c->open && same_peer(&c->peer, &peer)) return c;
    const bool lost = c->lost;
    *c = (connection){.open = true, .lost = lost, .since = ++g->met, .peer = peer};
    return c;
}

static void on_accepted(wadi_zmq_guard *g, int fd) {
    peer_name peer;
    if (adopt(g, fd) == NULL && name_peer(fd, &peer)) cut(fd, &peer); /* nobody could watch it */
}

static void on_lost(wadi_zmq_guard *g, int fd) {
    if (fd < 0 || (size_t)fd >= g->at.n) return;
    g->at.at[fd].lost = g->any_lost = true;
}

static void turn_out(wadi_zmq_guard *g, int fd, const char *why) {
    connection *c = &g->at.at[fd];
    c->open = false;
    cut(fd, &c->peer);
    if (++g->closed <= TOLD)
        wadi_logf(WADI_LOG_WARNING, "%s: a connection was closed: %s%s", g->address, why,
                  g->closed == TOLD ? " (later ones are not logged)" : "");
}

/* Looks at one, and closes it if it holds too much for itself. */
static void look_at(wadi_zmq_guard *g, int fd) {
    connection *c = &g->at.at[fd];
    uint64_t received = 0;
    if (!count_received(fd, c, &received)) {
        c->open = false;
        return;
    }
    c->held = received > c->taken ? received - c->taken : 0;
    if (c->trusted && c->held > g->trusted)
        turn_out(g, fd, "it sent more than its credit");
    else if (!c->trusted && c->held > WADI_GUARD_EACH)
        turn_out(g, fd, "it sent much before it was known");
}

typedef struct strangers {
    int n, oldest;
    uint64_t held;
} strangers;

static strangers count_strangers(const wadi_zmq_guard *g) {
    strangers s = {.oldest = -1};
    for (size_t i = 0; i < g->at.n; i++) {
        const connection *c = &g->at.at[i];
        if (!c->open || c->trusted) continue;
        s.n++;
        s.held += c->held;
        if (s.oldest < 0 || c->since < g->at.at[s.oldest].since) s.oldest = (int)i;
    }
    return s;
}

/* How long until the next look. */
static int look(wadi_zmq_guard *g) {
    bool limited = false;
    for (size_t i = 0; i < g->at.n; i++) {
        const connection *c = &g->at.at[i];
        if (!c->open || (c->trusted && g->trusted == 0)) continue;
        look_at(g, (int)i);
        limited = limited || (c->open && c->trusted);
    }
    strangers s = count_strangers(g);
    for (; s.held > WADI_GUARD_ALL || s.n > WADI_GUARD_CONNECTIONS; s = count_strangers(g))
        turn_out(g, s.oldest,
                 s.n > WADI_GUARD_CONNECTIONS ? "too many of them say nothing"
                                              : "together they sent much before they were known");
    return s.n > 0 ? STRANGERS_MS : limited || g->any_lost ? TRUSTED_MS : IDLE_MS;
}

/* ---- the thread ---- */

static bool pass_on(const wadi_zmq_guard *g, int what, int value) {
    const uint16_t kind = (uint16_t)what;
    const int32_t number = value;
    uint8_t event[sizeof kind + sizeof number];
    memcpy(event, &kind, sizeof kind);
    memcpy(event + sizeof kind, &number, sizeof number);
    return wadi_zmq.send(g->events, event, sizeof event, ZMQ_DONTWAIT) >= 0;
}

/* A reader that is busy is told later. */
static void tell_lost(wadi_zmq_guard *g) {
    g->any_lost = false;
    for (size_t i = 0; i < g->at.n; i++) {
        connection *c = &g->at.at[i];
        if (c->lost) c->lost = !pass_on(g, ZMQ_EVENT_DISCONNECTED, (int)i);
        g->any_lost = g->any_lost || c->lost;
    }
}

/* False: there will be no more events. */
static bool take_events(wadi_zmq_guard *g) {
    int what = 0, value = -1;
    while (wadi_zmq_event(g->monitor, &what, &value)) {
        if (what == ZMQ_EVENT_MONITOR_STOPPED) return false;
        if (what == ZMQ_EVENT_ACCEPTED)
            on_accepted(g, value);
        else if (what == ZMQ_EVENT_DISCONNECTED)
            on_lost(g, value);
        else
            (void)pass_on(g, what, value); /* only counted, so one that finds no room is left out */
    }
    if (g->any_lost) tell_lost(g);
    return true;
}

static void watch(void *env) {
    wadi_zmq_guard *g = env;
    zmq_pollitem_t item = {.socket = g->monitor, .events = ZMQ_POLLIN};
    bool more = true;
    while (more && !atomic_load(&g->stop)) {
        wadi_mutex_lock(&g->lock);
        more = take_events(g);
        const int ms = look(g);
        wadi_mutex_unlock(&g->lock);
        if (more) (void)wadi_zmq.poll(&item, 1, ms);
    }
}

/* ---- beginning and end ---- */

static void free_guard(wadi_zmq_guard *g) {
    if (g->events != NULL) (void)wadi_zmq.close(g->events);
    if (g->reader != NULL) (void)wadi_zmq.close(g->reader);
    wadi_vec_free(&g->at);
    wadi_mutex_fini(&g->lock);
    free(g);
}

static wadi_status join_ends(wadi_zmq_guard *g, void *context, wadi_error *err) {
    const int linger = 0;
    char name[64];
    (void)snprintf(name, sizeof name, "inproc://wadi-guard-%p", (void *)g);
    g->events = wadi_zmq.socket(context, ZMQ_PAIR);
    g->reader = wadi_zmq.socket(context, ZMQ_PAIR);
    if (g->events != NULL && g->reader != NULL &&
        wadi_zmq.setsockopt(g->events, ZMQ_LINGER, &linger, sizeof linger) == 0 &&
        wadi_zmq.setsockopt(g->reader, ZMQ_LINGER, &linger, sizeof linger) == 0 &&
        wadi_zmq.bind(g->events, name) == 0 && wadi_zmq.connect(g->reader, name) == 0)
        return WADI_OK;
    return wadi_fail(err, WADI_IO, "%s: a guard: %s", g->address, wadi_zmq.strerror(errno));
}

wadi_status wadi_zmq_guard_start(void *context, void *monitor, const char *address, int64_t trusted,
                                 wadi_zmq_guard **out, void **out_events, wadi_error *err) {
    wadi_zmq_guard *g = calloc(1, sizeof *g);
    if (g == NULL) return wadi_fail(err, WADI_MEMORY, "%s: out of memory", address);
    (void)snprintf(g->address, sizeof g->address, "%s", address);
    g->trusted = (uint64_t)trusted;
    g->monitor = monitor;
    wadi_status status = wadi_mutex_init(&g->lock, err);
    if (status != WADI_OK) {
        free(g);
        return status;
    }
    status = join_ends(g, context, err);
    if (status == WADI_OK) status = wadi_thread_start(&g->thread, watch, g, err);
    if (status != WADI_OK) {
        free_guard(g);
        return status;
    }
    *out = g;
    *out_events = g->reader;
    return WADI_OK;
}

void wadi_zmq_guard_stop(wadi_zmq_guard *g) {
    if (g == NULL) return;
    atomic_store(&g->stop, true); /* should the last event be missing */
    wadi_thread_join(&g->thread);
    (void)wadi_zmq.close(g->monitor);
    free_guard(g);
}

/* ---- the reader ---- */

void wadi_zmq_guard_took(wadi_zmq_guard *g, int fd, uint64_t bytes) {
    if (g == NULL) return;
    wadi_mutex_lock(&g->lock);
    connection *c =
        fd >= 0 && (size_t)fd < g->at.n && g->at.at[fd].open ? &g->at.at[fd] : adopt(g, fd);
    if (c != NULL) c->taken += bytes + (bytes > SHORT_FRAME ? LONG_HEAD : SHORT_HEAD);
    wadi_mutex_unlock(&g->lock);
}

void wadi_zmq_guard_trust(wadi_zmq_guard *g, int fd) {
    if (g == NULL) return;
    wadi_mutex_lock(&g->lock);
    connection *c = adopt(g, fd);
    if (c != NULL) c->trusted = true;
    wadi_mutex_unlock(&g->lock);
}
