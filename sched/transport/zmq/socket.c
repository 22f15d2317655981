/* Opening sockets. Credits limit what is in flight, so the high-water marks of the sockets are switched off. The kernel
 * detects a host that has gone silently. libzmq's own heartbeats are not used: an assertion of 4.3 ends the process when
 * a heartbeat falls due on a connection that has failed while its messages wait to be read. Limits restrict what a peer can do before
 * its handshake. */
#include "sched/transport/zmq/socket.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "sched/transport/zmq/library.h"
#include "sched/transport/zmq/zap.h"

enum {
    LINGER_MS = 5000,
    IDLE_S = 5,         /* after so much silence the kernel probes a connection, */
    ASK_S = 5,          /* at this interval, */
    ASKED = 3,          /* and so many times */
    UNHEARD_MS = 20000, /* how long data may stay unacknowledged */
    HANDSHAKE_MS =
        5000,       /* for a peer to show that it speaks ZeroMQ: until then it holds a descriptor */
    BACKLOG = 1024, /* connections waiting to be taken up */
    CONTROL_BYTES = 1 << 16, /* of a frame */
    RECEIVED =
        256 /* messages of one peer waiting to be read: more than a peer may send that keeps to its credit */
};

static wadi_status zmq_fail(wadi_error *err, const char *address, const char *what) {
    return wadi_fail(err, WADI_IO, "%s: %s: %s", address, what, wadi_zmq.strerror(errno));
}

static wadi_status check_options(const char *address, const wadi_port_options *o, wadi_error *err) {
    if ((o->curve_public == NULL) != (o->curve_secret == NULL)) {
        return wadi_fail(err, WADI_INVALID, "%s: a public and a secret key must be given together",
                         address);
    }
    if (o->curve_secret == NULL) return WADI_OK;
    if (o->bind && o->curve_clients == NULL) {
        return wadi_fail(err, WADI_INVALID,
                         "%s: no client keys are given, so no client could connect", address);
    }
    if (!o->bind && o->curve_server == NULL) {
        return wadi_fail(err, WADI_INVALID, "%s: the server's public key is missing", address);
    }
    return WADI_OK;
}

static int set_int(void *socket, int option, int value) {
    return wadi_zmq.setsockopt(socket, option, &value, sizeof value);
}

static int set_text(void *socket, int option, const char *value) {
    return wadi_zmq.setsockopt(socket, option, value, strlen(value) + 1);
}

static wadi_status set_keys(void *context, void *socket, const char *address,
                            const wadi_port_options *o, wadi_error *err) {
    if (o->curve_secret == NULL) return WADI_OK;
    int rc = set_text(socket, ZMQ_CURVE_PUBLICKEY, o->curve_public);
    if (rc == 0) rc = set_text(socket, ZMQ_CURVE_SECRETKEY, o->curve_secret);
    if (rc == 0 && o->bind) {
        char domain[32];
        WADI_TRY(wadi_zap_admit(context, o->curve_clients, domain, sizeof domain, err));
        rc = set_int(socket, ZMQ_CURVE_SERVER, 1);
        if (rc == 0) rc = wadi_zmq.setsockopt(socket, ZMQ_ZAP_DOMAIN, domain, strlen(domain));
    } else if (rc == 0) {
        rc = set_text(socket, ZMQ_CURVE_SERVERKEY, o->curve_server);
    }
    return rc == 0 ? WADI_OK : wadi_fail(err, WADI_INVALID, "%s: a key is not valid", address);
}

/* What is sent to a sender is numbers and, at most, a reason. */
static int set_largest(void *socket, const wadi_port_options *o) {
    const int64_t most = o->sends ? CONTROL_BYTES : o->limits.bytes;
    return wadi_zmq.setsockopt(socket, ZMQ_MAXMSGSIZE, &most, sizeof most);
}

static int set_options(void *socket, const wadi_port_options *o) {
    int rc = set_int(socket, ZMQ_SNDHWM, 0);
    if (rc == 0) rc = set_int(socket, ZMQ_RCVHWM, RECEIVED);
    if (rc == 0) rc = set_int(socket, ZMQ_HANDSHAKE_IVL, HANDSHAKE_MS);
    if (rc == 0) rc = set_int(socket, ZMQ_BACKLOG, BACKLOG);
    if (rc == 0) rc = set_int(socket, ZMQ_LINGER, LINGER_MS);
    if (rc == 0 && o->bind) rc = set_int(socket, ZMQ_ROUTER_MANDATORY, 1);
    if (rc == 0) rc = set_largest(socket, o);
    if (rc == 0) rc = set_int(socket, ZMQ_TCP_KEEPALIVE, 1);
    if (rc == 0) rc = set_int(socket, ZMQ_TCP_KEEPALIVE_IDLE, IDLE_S);
    if (rc == 0) rc = set_int(socket, ZMQ_TCP_KEEPALIVE_INTVL, ASK_S);
    if (rc == 0) rc = set_int(socket, ZMQ_TCP_KEEPALIVE_CNT, ASKED);
    if (rc == 0) rc = set_int(socket, ZMQ_TCP_MAXRT, UNHEARD_MS);
    return rc;
}

/* libzmq knows addresses of IPv6 only if told so. */
static int set_family(void *socket, const char *address) {
    return strncmp(address, "tcp://[", 7) == 0 ? set_int(socket, ZMQ_IPV6, 1) : 0;
}

/* libzmq binds addresses and interfaces, but no names of hosts. */
static wadi_status bind_socket(void *socket, const char *address, wadi_error *err) {
    static const char localhost[] = "tcp://localhost:";
    const bool is_name = strncmp(address, localhost, strlen(localhost)) == 0;
    char numbers[64];
    (void)snprintf(numbers, sizeof numbers, "tcp://127.0.0.1:%.32s",
                   is_name ? address + strlen(localhost) : "");
    if (wadi_zmq.bind(socket, is_name ? numbers : address) == 0) return WADI_OK;
    if (errno != ENODEV && errno != EADDRNOTAVAIL) return zmq_fail(err, address, "bind");
    return wadi_fail(err, WADI_IO,
                     "%s: bind: this machine has no such address, and no interface of that name",
                     address);
}

/* A name without a file has no permissions either: only processes of the same user get in. */
static int admit_own_user(void *socket, const char *address) {
    if (strncmp(address, "ipc://@", 7) != 0) return 0;
    return set_int(socket, ZMQ_IPC_FILTER_UID, (int)geteuid());
}

static int start_monitor(void *context, void *socket, void **out_monitor) {
    char name[64];
    (void)snprintf(name, sizeof name, "inproc://wadi-monitor-%p", socket);
    if (wadi_zmq.socket_monitor(socket, name,
                                ZMQ_EVENT_LISTENING | ZMQ_EVENT_ACCEPTED | ZMQ_EVENT_DISCONNECTED |
                                    ZMQ_EVENT_MONITOR_STOPPED | ZMQ_EVENT_HANDSHAKE_SUCCEEDED |
                                    ZMQ_EVENT_HANDSHAKE_FAILED_AUTH |
                                    ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL |
                                    ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL) != 0)
        return -1;
    *out_monitor = wadi_zmq.socket(context, ZMQ_PAIR);
    if (*out_monitor == NULL || set_int(*out_monitor, ZMQ_LINGER, 0) != 0) return -1;
    return wadi_zmq.connect(*out_monitor, name);
}

/* The kernel does not count the bytes of a socket in the file system, which has permissions instead. Whoever has a key that is admitted is not watched.
 * What happens before the guard starts waits in the monitor. */
static wadi_status start_guard(void *context, void *socket, const char *address,
                               const wadi_port_options *o, void **monitor, wadi_zmq_guard **out,
                               wadi_error *err) {
    const int64_t most = o->curve_secret != NULL ? 0 : o->limits.bytes + o->credit_bytes;
    void *const watched = *monitor;
    char endpoint[256] = "";
    size_t n = sizeof endpoint;
    if (strncmp(address, "tcp:", 4) != 0) return WADI_OK;
    if (wadi_zmq.getsockopt(socket, ZMQ_LAST_ENDPOINT, endpoint, &n) != 0)
        return zmq_fail(err, address, "endpoint");
    return wadi_zmq_guard_start(context, watched, address, endpoint, most, out, monitor, err);
}

static wadi_status open_socket(void *context, const char *address, const wadi_port_options *options,
                               void **out_socket, void **out_monitor, wadi_zmq_guard **out_guard,
                               wadi_error *err) {
    WADI_TRY(check_options(address, options, err));
    *out_socket = wadi_zmq.socket(context, options->bind ? ZMQ_ROUTER : ZMQ_DEALER);
    if (*out_socket == NULL || set_options(*out_socket, options) != 0) {
        return zmq_fail(err, address, "socket");
    }
    if (set_family(*out_socket, address) != 0) return zmq_fail(err, address, "IPv6");
    WADI_TRY(set_keys(context, *out_socket, address, options, err));
    if (start_monitor(context, *out_socket, out_monitor) != 0) {
        return zmq_fail(err, address, "monitor");
    }
    if (!options->bind)
        return wadi_zmq.connect(*out_socket, address) == 0 ? WADI_OK
                                                           : zmq_fail(err, address, "connect");
    if (admit_own_user(*out_socket, address) != 0) return zmq_fail(err, address, "own user");
    WADI_TRY(bind_socket(*out_socket, address, err));
    return start_guard(context, *out_socket, address, options, out_monitor, out_guard, err);
}

wadi_status wadi_zmq_socket_attach(void *context, const char *address,
                                   const wadi_port_options *options, const char *path,
                                   void **out_socket, void **out_monitor,
                                   wadi_zmq_guard **out_guard, wadi_socket_file *out_file,
                                   wadi_error *err) {
    const bool claims = options->bind && path != NULL;
    int lock = -1;
    *out_guard = NULL;
    if (claims) WADI_TRY(wadi_socket_file_claim(address, path, &lock, err));
    const wadi_status status =
        open_socket(context, address, options, out_socket, out_monitor, out_guard, err);
    if (claims && status == WADI_OK) *out_file = wadi_socket_file_made(path);
    wadi_socket_file_settle(lock);
    return status;
}

void wadi_zmq_socket_close(void *socket, void *monitor, wadi_zmq_guard *guard, bool linger) {
    if (monitor != NULL) (void)wadi_zmq.socket_monitor(socket, NULL, 0);
    if (guard != NULL)
        wadi_zmq_guard_stop(guard);
    else if (monitor != NULL)
        (void)wadi_zmq.close(monitor);
    if (socket == NULL) return;
    if (!linger) (void)set_int(socket, ZMQ_LINGER, 0);
    (void)wadi_zmq.close(socket);
}
