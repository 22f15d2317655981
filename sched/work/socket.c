/* Opening, reading and sending. */
#define _DEFAULT_SOURCE /* explicit_bzero */
#include "sched/work/socket.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/error.h"
#include "sched/transport/zmq/room.h"
#include "sched/transport/zmq/socket.h"

enum { LINGER_MS = 500 };

static const int64_t most_bytes = INT64_C(0x100000000); /* of one message */

/* ---- blobs ---- */

struct wadi_workq_blob {
    atomic_int refs;
    size_t n;
    unsigned char bytes[];
};

wadi_workq_blob *wadi_workq_blob_new(const void *bytes, int64_t n) {
    wadi_workq_blob *b = malloc(sizeof *b + (size_t)n);
    if (b == NULL) return NULL;
    b->n = (size_t)n;
    if (n > 0) memcpy(b->bytes, bytes, (size_t)n);
    atomic_init(&b->refs, 1);
    return b;
}

void wadi_workq_blob_release(wadi_workq_blob *b) {
    if (b != NULL && atomic_fetch_sub_explicit(&b->refs, 1, memory_order_acq_rel) == 1) free(b);
}

/* Called by whoever closes the message, which may be a thread of ZeroMQ. */
static void release_reference(void *data, void *blob) {
    WADI_UNUSED(data);
    wadi_workq_blob_release(blob);
}

/* ---- opening ---- */

static void keep_key(char to[WADI_WORKQ_KEY], const char *key) {
    (void)snprintf(to, WADI_WORKQ_KEY, "%s", key != NULL ? key : "");
}

static const char *key_or_none(const char *key) {
    return key[0] != '\0' ? key : NULL;
}

static wadi_status attach(wadi_workq_socket *s, const char *const *clients, wadi_error *err) {
    const wadi_port_options port = {.address = s->address,
                                    .bind = s->bind,
                                    .limits = {.bytes = most_bytes},
                                    .curve_public = key_or_none(s->key[0]),
                                    .curve_secret = key_or_none(s->key[1]),
                                    .curve_server = key_or_none(s->key[2]),
                                    .curve_clients = clients};
    return wadi_zmq_socket_attach(s->context, s->address, &port, s->path, &s->socket, &s->monitor,
                                  &s->guard, &s->file, err);
}

static wadi_status begin(wadi_workq_socket *s, const wadi_workq_options *o, const char *file,
                         wadi_error *err) {
    WADI_TRY(wadi_zmq_open(err));
    WADI_TRY(wadi_zmq_has_room(s->address, err));
    s->context = wadi_zmq.ctx_new();
    if (s->context == NULL) return wadi_fail(err, WADI_MEMORY, "%s: no ZeroMQ context", s->address);
    if (file != NULL && (s->path = strdup(file)) == NULL)
        return wadi_fail(err, WADI_MEMORY, "%s: out of memory", s->address);
    return attach(s, o->curve_clients, err);
}

wadi_status wadi_workq_socket_open(wadi_workq_socket *s, const wadi_workq_options *options,
                                   const char *file, wadi_error *err) {
    *s = (wadi_workq_socket){.bind = options->home, .keyed = options->curve_secret != NULL};
    (void)snprintf(s->address, sizeof s->address, "%s", options->address);
    keep_key(s->key[0], options->curve_public);
    keep_key(s->key[1], options->curve_secret);
    keep_key(s->key[2], options->curve_server);
    const wadi_status status = begin(s, options, file, err);
    if (status != WADI_OK) wadi_workq_socket_close(s);
    return status;
}

bool wadi_workq_socket_excludes(const wadi_workq_socket *s) {
    char folder[256];
    struct stat about;
    if (s->keyed || s->path == NULL) return s->keyed;
    const char *name = strrchr(s->path, '/');
    const int n = snprintf(folder, sizeof folder, "%.*s.",
                           name != NULL ? (int)(name - s->path) + 1 : 0, s->path);
    return n < (int)sizeof folder && stat(folder, &about) == 0 && (about.st_mode & S_IWOTH) == 0;
}

static void close_frames(wadi_workq_socket *s) {
    for (int i = 0; i < s->frames; i++) (void)wadi_zmq.msg_close(&s->frame[i]);
    s->frames = 0;
}

wadi_status wadi_workq_socket_renew(wadi_workq_socket *s, wadi_error *err) {
    WADI_ASSERT(!s->bind);
    close_frames(s);
    wadi_zmq_socket_close(s->socket, s->monitor, s->guard, false);
    s->socket = s->monitor = NULL;
    s->guard = NULL;
    return attach(s, NULL, err);
}

void wadi_workq_socket_close(wadi_workq_socket *s) {
    const int linger = LINGER_MS;
    close_frames(s);
    if (s->path != NULL) wadi_socket_file_remove(s->path, s->file);
    if (s->socket != NULL) (void)wadi_zmq.setsockopt(s->socket, ZMQ_LINGER, &linger, sizeof linger);
    wadi_zmq_socket_close(s->socket, s->monitor, s->guard, true);
    if (s->context != NULL) (void)wadi_zmq.ctx_term(s->context);
    free(s->path);
    explicit_bzero(s->key, sizeof s->key);
    *s = (wadi_workq_socket){0};
}

/* ---- reading ---- */

/* The identity, which comes first, was put there by ZeroMQ: it did not come over the connection, though it is marked like that. */
static void count_frame(const wadi_workq_socket *s, zmq_msg_t *m) {
    const int fd = s->guard != NULL && s->frames > 0 ? wadi_zmq.msg_get(m, ZMQ_SRCFD) : -1;
    if (fd < 0) return;
    wadi_zmq_guard_took(s->guard, fd, wadi_zmq.msg_size(m));
    if (s->keyed) wadi_zmq_guard_trust(s->guard, fd);
}

/* A message of too many frames is read to its end, and has none then. */
bool wadi_workq_socket_read(wadi_workq_socket *s) {
    bool too_many = false;
    int more = 1;
    close_frames(s);
    while (more) {
        zmq_msg_t m;
        (void)wadi_zmq.msg_init(&m);
        if (wadi_zmq.msg_recv(&m, s->socket, ZMQ_DONTWAIT) < 0) {
            if (errno == EAGAIN) wadi_zmq_guard_all_taken(s->guard);
            (void)wadi_zmq.msg_close(&m);
            close_frames(s);
            return false;
        }
        more = wadi_zmq.msg_more(&m);
        count_frame(s, &m);
        if (s->frames < WADI_WORKQ_FRAMES) {
            s->frame[s->frames++] = m;
        } else {
            (void)wadi_zmq.msg_close(&m);
            too_many = true;
        }
    }
    if (too_many) close_frames(s);
    return true;
}

wadi_status wadi_workq_socket_message(wadi_workq_socket *s, wadi_workq_control *out,
                                      const void **out_payload, wadi_error *err) {
    const int at = s->bind ? 1 : 0;
    if (s->frames <= at || s->frames > at + 2)
        return wadi_fail(err, WADI_IO, "work queue: a message of the wrong number of frames");
    WADI_TRY(wadi_workq_control_read(wadi_zmq.msg_data(&s->frame[at]),
                                     wadi_zmq.msg_size(&s->frame[at]), out, err));
    const bool has_payload = s->frames == at + 2;
    const size_t n = has_payload ? wadi_zmq.msg_size(&s->frame[at + 1]) : 0;
    if ((uint64_t)out->bytes != n)
        return wadi_fail(err, WADI_IO, "work queue: %zu bytes, announced were %lld", n,
                         (long long)out->bytes);
    *out_payload = has_payload ? wadi_zmq.msg_data(&s->frame[at + 1]) : NULL;
    return WADI_OK;
}

int wadi_workq_socket_fd(const wadi_workq_socket *s) {
    return s->frames > 0 ? wadi_zmq.msg_get(&s->frame[s->frames - 1], ZMQ_SRCFD) : -1;
}

bool wadi_workq_socket_sender(wadi_workq_socket *s, wadi_workq_peer *out, int *out_fd) {
    if (s->frames == 0) return false;
    const size_t n = wadi_zmq.msg_size(&s->frame[0]);
    if (n == 0 || n > sizeof out->identity) return false;
    out->n = n;
    memcpy(out->identity, wadi_zmq.msg_data(&s->frame[0]), n);
    *out_fd = wadi_workq_socket_fd(s);
    return true;
}

/* ---- sending ---- */

static bool send_part(wadi_workq_socket *s, const void *data, size_t n, bool more) {
    return wadi_zmq.send(s->socket, data, n, ZMQ_DONTWAIT | (more ? ZMQ_SNDMORE : 0)) >= 0;
}

static bool send_head(wadi_workq_socket *s, const wadi_workq_peer *to, const wadi_workq_control *c,
                      bool more) {
    uint8_t control[WADI_WORKQ_CONTROL];
    wadi_workq_control_write(c, control);
    if (to != NULL && !send_part(s, to->identity, to->n, true)) return false;
    return send_part(s, control, sizeof control, more);
}

bool wadi_workq_socket_send(wadi_workq_socket *s, const wadi_workq_peer *to, wadi_workq_control c,
                            wadi_workq_blob *blob) {
    zmq_msg_t m;
    if (blob == NULL) return send_head(s, to, &c, false);
    c.bytes = (int64_t)blob->n;
    if (!send_head(s, to, &c, true)) return false;
    (void)atomic_fetch_add_explicit(&blob->refs, 1, memory_order_acq_rel);
    if (wadi_zmq.msg_init_data(&m, blob->bytes, blob->n, release_reference, blob) != 0) {
        wadi_workq_blob_release(blob);
        (void)send_part(s, "", 0, false); /* the other side finds it too short */
        return false;
    }
    if (wadi_zmq.msg_send(&m, s->socket, ZMQ_DONTWAIT) >= 0) return true;
    (void)wadi_zmq.msg_close(&m);
    return false;
}

bool wadi_workq_socket_send_bytes(wadi_workq_socket *s, const wadi_workq_peer *to,
                                  wadi_workq_control c, const void *bytes, int64_t n) {
    c.bytes = n;
    if (n == 0) return send_head(s, to, &c, false);
    return send_head(s, to, &c, true) && send_part(s, bytes, (size_t)n, false);
}

/* ---- waiting ---- */

wadi_status wadi_workq_socket_sleep(wadi_workq_socket *s, int wake_fd, int64_t ns,
                                    wadi_error *err) {
    zmq_pollitem_t items[3] = {{.socket = s->socket, .events = ZMQ_POLLIN},
                               {.socket = s->monitor, .events = ZMQ_POLLIN}};
    int n = 2;
    if (wake_fd >= 0) items[n++] = (zmq_pollitem_t){.fd = wake_fd, .events = ZMQ_POLLIN};
    const long ms = (long)((wadi_clock_sleep_ns(ns) + 999999) / 1000000);
    if (wadi_zmq.poll(items, n, ms) < 0 && errno != EINTR)
        return wadi_fail(err, WADI_IO, "%s: poll: %s", s->address, wadi_zmq.strerror(errno));
    if (n > 2 && (items[2].revents & ZMQ_POLLIN) != 0)
        return wadi_fail(err, WADI_CANCELLED, "cancelled");
    return WADI_OK;
}
