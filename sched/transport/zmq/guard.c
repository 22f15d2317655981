/* Connections are known by their descriptor, the peer's address and the kernel's number of the socket: a descriptor that was given to another
 * connection is not taken for the one before, and one of another socket of the process is left alone. One that is closed is closed through a
 * duplicate that has been checked, for the same reason. */
#define _DEFAULT_SOURCE /* tcp_info */
#include "sched/transport/zmq/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"
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
    PROBE_S = 1,      /* how often the kernel asks the host of a connection in doubt */
    SILENT_MS = 3000, /* so long that host may be silent */
    TOLD = 3          /* closed connections that are logged */
};

typedef struct peer_name {
    struct sockaddr_storage address;
    socklen_t n;
    uint64_t cookie; /* the kernel's number of the socket; 0: it has none */
} peer_name;

typedef struct connection {
    bool open, trusted;
    bool turned_out;    /* and the library has not closed it yet */
    bool lost;          /* the reader has not been told */
    int64_t doubted_ns; /* clock when somebody else went on with what it began; 0: nobody did */
    int copy;           /* a stranger's: of its descriptor, to count to its end; -1: none */
    uint64_t since;     /* a number that grows with each connection */
    uint64_t taken;     /* bytes */
    uint64_t held;      /* bytes, when it was looked at last */
    uint64_t left;      /* bytes that strangers with this descriptor have left unread */
    peer_name peer;
} connection;

struct wadi_zmq_guard {
    void *monitor, *events, *reader;
    char address[256];
    uint16_t port; /* of the socket, in the order of the network */
    uint64_t trusted;
    atomic_bool stop;
    wadi_thread thread;
    wadi_mutex lock;         /* guards the rest */
    WADI_VEC(connection) at; /* by descriptor */
    uint64_t met;
    uint64_t left; /* the sum of theirs */
    int listener;  /* its descriptor; -1: unknown */
    int leaving;   /* turned out, and not closed yet */
    int closed;
    bool any_lost, blind, barred;
};

/* ---- descriptors ---- */

static bool name_peer(int fd, peer_name *out) {
    *out = (peer_name){.n = sizeof out->address};
    socklen_t n = sizeof out->cookie;
    if (getsockopt(fd, SOL_SOCKET, SO_COOKIE, &out->cookie, &n) != 0) out->cookie = 0;
    return getpeername(fd, (struct sockaddr *)&out->address, &out->n) == 0;
}

static bool same_peer(const peer_name *a, const peer_name *b) {
    return a->cookie == b->cookie && a->n == b->n && memcmp(&a->address, &b->address, a->n) == 0;
}

/* Whether a connection was accepted by this socket: other sockets of the process have descriptors as well. */
static bool is_own(const wadi_zmq_guard *g, int fd) {
    struct sockaddr_storage own = {0};
    socklen_t n = sizeof own;
    if (getsockname(fd, (struct sockaddr *)&own, &n) != 0) return false;
    if (own.ss_family == AF_INET) return ((struct sockaddr_in *)&own)->sin_port == g->port;
    return own.ss_family == AF_INET6 && ((struct sockaddr_in6 *)&own)->sin6_port == g->port;
}

/* Everything that has come over it, the parts that ZeroMQ keeps for itself included. */
static uint64_t count_received(wadi_zmq_guard *g, int fd) {
    struct tcp_info info = {0};
    socklen_t n = sizeof info;
    const size_t needed =
        offsetof(struct tcp_info, tcpi_bytes_received) + sizeof info.tcpi_bytes_received;
    if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &n) == 0 && n >= needed)
        return info.tcpi_bytes_received;
    if (!g->blind)
        wadi_logf(WADI_LOG_WARNING,
                  "%s: the system does not count what connections receive, so strangers can fill "
                  "the memory",
                  g->address);
    g->blind = true;
    return 0;
}

/* A duplicate of the descriptor; -1: by now it is that of another connection, or there can be none. */
static int duplicate(int fd, const peer_name *expected) {
    peer_name peer;
    const int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (copy < 0 || (name_peer(copy, &peer) && same_peer(&peer, expected))) return copy;
    (void)close(copy);
    return -1;
}

/* The library finds the end of the stream, and closes the connection. The kernel then forgets at once what was not read. */
static void cut(int fd, const peer_name *expected) {
    const struct linger now = {.l_onoff = 1};
    const int copy = duplicate(fd, expected);
    if (copy < 0) return;
    (void)setsockopt(copy, SOL_SOCKET, SO_LINGER, &now, sizeof now);
    (void)shutdown(copy, SHUT_RDWR);
    (void)close(copy);
}

static void set_number(int fd, int option, int value) {
    (void)setsockopt(fd, IPPROTO_TCP, option, &value, sizeof value);
}

/* A host that is there answers by itself, however busy the process is. */
static void probe(int fd, const peer_name *expected) {
    const int on = 1;
    const int copy = duplicate(fd, expected);
    if (copy < 0) return;
    (void)setsockopt(copy, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
    set_number(copy, TCP_KEEPIDLE, PROBE_S);
    set_number(copy, TCP_KEEPINTVL, PROBE_S);
    (void)close(copy);
}

/* The kernel itself would also end the connection of a process that is stopped: it counts the time for which that one has no room for what is sent. Then it asks
 * more and more seldom, so that nothing follows from silence. */
static bool is_silent(const connection *c, int fd) {
    struct tcp_info info = {0};
    socklen_t n = sizeof info;
    peer_name peer;
    if (c->doubted_ns == 0 || wadi_clock_ns() - c->doubted_ns < SILENT_MS * INT64_C(1000000))
        return false;
    if (!name_peer(fd, &peer) || !same_peer(&peer, &c->peer)) return false;
    if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &n) != 0) return false;
    const bool has_no_room = info.tcpi_unacked == 0 && info.tcpi_notsent_bytes > 0;
    return !has_no_room && info.tcpi_last_ack_recv >= SILENT_MS;
}

/* ---- the door; the lock is held ---- */

/* ZeroMQ keeps what a closed connection has sent until the port reads it, and the port may be busy for long. */
static bool is_full(const wadi_zmq_guard *g) {
    return g->left > WADI_GUARD_ALL || g->leaving > WADI_GUARD_CONNECTIONS / 2;
}

/* While it is shut the kernel drops what asks for a connection, so peers try again later. A connection that is closed when it has been accepted could
 * have sent much before. */
static void settle_door(wadi_zmq_guard *g) {
    struct sock_filter nothing = BPF_STMT(BPF_RET | BPF_K, 0);
    const struct sock_fprog filter = {.len = 1, .filter = &nothing};
    const int any = 0;
    const bool full = is_full(g);
    if (g->listener < 0 || full == g->barred) return;
    g->barred = full;
    if (full)
        (void)setsockopt(g->listener, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof filter);
    else
        (void)setsockopt(g->listener, SOL_SOCKET, SO_DETACH_FILTER, &any, sizeof any);
}

/* ---- connections; the lock is held ---- */

/* NULL: out of memory. */
static connection *place(wadi_zmq_guard *g, int fd) {
    while (g->at.n <= (size_t)fd)
        if (!wadi_vec_push(&g->at, (connection){.copy = -1})) return NULL;
    return &g->at.at[fd];
}

static void close_copy(connection *c) {
    if (c->copy >= 0) (void)close(c->copy);
    c->copy = -1;
}

/* It has ended, or is about to. */
static void leave(wadi_zmq_guard *g, connection *c) {
    if (!c->open) return;
    c->open = false;
    if (!c->trusted) {
        const uint64_t received = c->copy >= 0 ? count_received(g, c->copy) : 0;
        if (received > c->taken + c->held) c->held = received - c->taken;
        c->left += c->held;
        g->left += c->held;
    }
    close_copy(c);
}

/* NULL: out of memory, not a connection of this socket, or one that was turned out. */
static connection *adopt(wadi_zmq_guard *g, int fd) {
    peer_name peer;
    if (fd < 0 || !name_peer(fd, &peer) || !is_own(g, fd)) return NULL;
    connection *c = place(g, fd);
    if (c == NULL) return NULL;
    if (c->open && same_peer(&c->peer, &peer)) return c;
    if (c->turned_out && same_peer(&c->peer, &peer)) return NULL;
    leave(g, c);
    *c = (connection){.open = true,
                      .lost = c->lost,
                      .copy = fcntl(fd, F_DUPFD_CLOEXEC, 0),
                      .since = ++g->met,
                      .left = c->left,
                      .peer = peer};
    return c;
}

static bool pass_on(const wadi_zmq_guard *g, int what, int value);

static void on_lost(wadi_zmq_guard *g, int fd) {
    connection *c = fd >= 0 ? place(g, fd) : NULL;
    if (c != NULL)
        c->lost = g->any_lost = true;
    else
        (void)pass_on(g, ZMQ_EVENT_DISCONNECTED, fd);
}

static void turn_out(wadi_zmq_guard *g, int fd, const char *why) {
    connection *c = &g->at.at[fd];
    cut(fd, &c->peer);
    leave(g, c);
    c->turned_out = true;
    if (++g->closed <= TOLD)
        wadi_logf(WADI_LOG_WARNING, "%s: a connection was closed: %s%s", g->address, why,
                  g->closed == TOLD ? " (later ones are not logged)" : "");
}

static void on_accepted(wadi_zmq_guard *g, int fd) {
    peer_name peer;
    const connection *c = adopt(g, fd);
    if (c == NULL && name_peer(fd, &peer) && is_own(g, fd))
        cut(fd, &peer); /* nobody could watch it */
    else if (c != NULL && !c->trusted && is_full(g))
        turn_out(g, fd, "others left much that was not read yet");
}

/* Looks at one, and closes it if it holds too much for itself. */
static void look_at(wadi_zmq_guard *g, int fd) {
    connection *c = &g->at.at[fd];
    peer_name peer;
    if (!name_peer(fd, &peer) || !same_peer(&peer, &c->peer)) {
        leave(g, c);
        return;
    }
    const uint64_t received = count_received(g, fd);
    c->held = received > c->taken ? received - c->taken : 0;
    if (c->trusted && c->held > g->trusted)
        turn_out(g, fd, "it sent more than its credit");
    else if (!c->trusted && c->held > WADI_GUARD_EACH)
        turn_out(g, fd, "it sent much before it was known");
}

typedef struct strangers {
    int n;
    int fullest; /* descriptor of the one that holds most, of several the oldest */
    int idlest; /* the one that holds least, of those that many have come after: the newest have had no time to say anything */
    uint64_t held;
} strangers;

static bool holds_more(const connection *a, const connection *b) {
    return a->held != b->held ? a->held > b->held : a->since < b->since;
}

static bool holds_less(const connection *a, const connection *b) {
    return a->held != b->held ? a->held < b->held : a->since < b->since;
}

static strangers count_strangers(const wadi_zmq_guard *g) {
    strangers s = {.fullest = -1, .idlest = -1};
    for (size_t i = 0; i < g->at.n; i++) {
        const connection *c = &g->at.at[i];
        if (!c->open || c->trusted) continue;
        s.n++;
        s.held += c->held;
        if (s.fullest < 0 || holds_more(c, &g->at.at[s.fullest])) s.fullest = (int)i;
        if (c->since + WADI_GUARD_CONNECTIONS / 2 > g->met) continue;
        if (s.idlest < 0 || holds_less(c, &g->at.at[s.idlest])) s.idlest = (int)i;
    }
    return s;
}

static void thin_out(wadi_zmq_guard *g) {
    strangers s = count_strangers(g);
    for (; s.held > WADI_GUARD_ALL; s = count_strangers(g))
        turn_out(g, s.fullest, "together they sent much before they were known");
    for (; s.n > WADI_GUARD_CONNECTIONS; s = count_strangers(g))
        turn_out(g, s.idlest, "too many of them say nothing");
}

/* The library does not close it before the port has read what it has sent. */
static bool is_leaving(connection *c, int fd) {
    peer_name peer;
    (void)name_peer(fd, &peer);
    c->turned_out = c->turned_out && peer.cookie != 0 && peer.cookie == c->peer.cookie;
    return c->turned_out;
}

/* How long until the next look. */
static int look(wadi_zmq_guard *g) {
    bool limited = false, doubted = false;
    g->leaving = 0;
    for (size_t i = 0; i < g->at.n; i++) {
        connection *c = &g->at.at[i];
        g->leaving += c->turned_out && is_leaving(c, (int)i);
        if (c->open && is_silent(c, (int)i))
            turn_out(g, (int)i, "its host is silent, and somebody else goes on");
        doubted = doubted || (c->open && c->doubted_ns != 0);
        if (!c->open || (c->trusted && g->trusted == 0)) continue;
        look_at(g, (int)i);
        limited = limited || (c->open && c->trusted);
    }
    thin_out(g);
    settle_door(g);
    return count_strangers(g).n > 0 || g->leaving > 0 ? STRANGERS_MS
           : limited || doubted || g->any_lost        ? TRUSTED_MS
                                                      : IDLE_MS;
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
        else if (what == ZMQ_EVENT_LISTENING)
            g->listener = value;
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
    for (size_t i = 0; i < g->at.n; i++) close_copy(&g->at.at[i]);
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

wadi_status wadi_zmq_guard_start(void *context, void *monitor, const char *address,
                                 const char *endpoint, int64_t trusted, wadi_zmq_guard **out,
                                 void **out_events, wadi_error *err) {
    const char *port = strrchr(endpoint, ':');
    wadi_zmq_guard *g = calloc(1, sizeof *g);
    if (g == NULL) return wadi_fail(err, WADI_MEMORY, "%s: out of memory", address);
    (void)snprintf(g->address, sizeof g->address, "%s", address);
    g->port = htons((uint16_t)(port != NULL ? strtoul(port + 1, NULL, 10) : 0));
    g->trusted = (uint64_t)trusted;
    g->monitor = monitor;
    g->listener = -1;
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

/* Messages of those that have gone come first. How many bytes were theirs. */
static uint64_t take_left(wadi_zmq_guard *g, connection *c, uint64_t most) {
    const uint64_t n = c->left < most ? c->left : most;
    c->left -= n;
    g->left -= n;
    return n;
}

void wadi_zmq_guard_took(wadi_zmq_guard *g, int fd, uint64_t bytes) {
    if (g == NULL) return;
    bytes += bytes > SHORT_FRAME ? LONG_HEAD : SHORT_HEAD;
    wadi_mutex_lock(&g->lock);
    connection *c = fd >= 0 && (size_t)fd < g->at.n ? &g->at.at[fd] : NULL;
    if (c != NULL && c->left > 0) bytes -= take_left(g, c, bytes);
    if (c == NULL || !c->open) c = bytes > 0 ? adopt(g, fd) : NULL;
    if (c != NULL) c->taken += bytes;
    wadi_mutex_unlock(&g->lock);
}

void wadi_zmq_guard_all_taken(wadi_zmq_guard *g) {
    if (g == NULL) return;
    wadi_mutex_lock(&g->lock);
    for (size_t i = 0; i < g->at.n && g->left > 0; i++)
        (void)take_left(g, &g->at.at[i], UINT64_MAX);
    settle_door(g);
    wadi_mutex_unlock(&g->lock);
}

void wadi_zmq_guard_trust(wadi_zmq_guard *g, int fd) {
    if (g == NULL) return;
    wadi_mutex_lock(&g->lock);
    connection *c = adopt(g, fd);
    if (c != NULL) {
        c->trusted = true;
        close_copy(c);
    }
    wadi_mutex_unlock(&g->lock);
}

void wadi_zmq_guard_doubt(wadi_zmq_guard *g, int fd) {
    if (g == NULL) return;
    wadi_mutex_lock(&g->lock);
    connection *c = adopt(g, fd);
    if (c != NULL && c->doubted_ns == 0) {
        c->doubted_ns = wadi_clock_ns();
        probe(fd, &c->peer);
    }
    wadi_mutex_unlock(&g->lock);
}

/* Whether the descriptor is that of a connection which came over this file, or this name. */
static bool came_over(int fd, const char *address) {
    struct sockaddr_un own = {0};
    socklen_t n = sizeof own;
    const char *path = strstr(address, "://");
    if (path == NULL || getsockname(fd, (struct sockaddr *)&own, &n) != 0) return false;
    if (own.sun_family != AF_UNIX || n <= offsetof(struct sockaddr_un, sun_path)) return false;
    path += 3;
    if (own.sun_path[0] != '\0') return strncmp(own.sun_path, path, sizeof own.sun_path) == 0;
    const size_t length = n - offsetof(struct sockaddr_un, sun_path);
    return *path == '@' && strlen(path) == length &&
           memcmp(own.sun_path + 1, path + 1, length - 1) == 0;
}

void wadi_zmq_guard_end(wadi_zmq_guard *g, const char *address, int fd) {
    peer_name peer;
    if (g == NULL) {
        if (fd >= 0 && came_over(fd, address) && name_peer(fd, &peer)) cut(fd, &peer);
        return;
    }
    wadi_mutex_lock(&g->lock);
    if (adopt(g, fd) != NULL) turn_out(g, fd, "nothing was heard of it");
    wadi_mutex_unlock(&g->lock);
}

bool wadi_zmq_guard_receives(int fd, int64_t within_ns) {
    struct tcp_info info = {0};
    socklen_t n = sizeof info;
    if (fd < 0 || getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &n) != 0) return false;
    return (int64_t)info.tcpi_last_data_recv * 1000000 < within_ns;
}
