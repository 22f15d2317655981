/* What goes over the socket of a port: messages to its peers, and theirs.
 *
 * A lost connection is noticed by the socket's monitor: a connecting side that loses its connection has lost the stream,
 * a binding side's peers may come and go. */
#include "sched/transport_internal.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "sched/transport_message.h"

/* One byte more, so that a note of none is one. */
wadi_status wadi_port_keep_note(wadi_port *p, const void *note, size_t n, wadi_error *err) {
    p->note = malloc(n + 1);
    if (p->note == NULL) return wadi_fail(err, WADI_MEMORY, "link: out of memory");
    if (n > 0) memcpy(p->note, note, n);
    p->note_bytes = n;
    return WADI_OK;
}

/* ---- peers ---- */

int wadi_port_peers(const wadi_port *p) {
    return p->options.sends ? wadi_link_sender_peers(&p->sender)
                            : wadi_link_receiver_peers(&p->receiver);
}

static void join(wadi_port *p, int peer) {
    p->joined = true;
    if (p->options.sends) {
        wadi_link_sender_on_join(&p->sender, peer);
    } else {
        wadi_link_receiver_on_join(&p->receiver, peer);
    }
}

static void lose(wadi_port *p, int peer) {
    if (!p->remotes[peer].used) return;
    p->remotes[peer].used = false;
    if (p->options.sends) {
        wadi_link_sender_on_lost(&p->sender, peer);
    } else {
        wadi_link_receiver_on_lost(&p->receiver, peer);
    }
    if (wadi_port_peers(p) == 0) p->alone_ns = wadi_clock_ns();
}

/* The peer a ROUTER's message came from, greeting it when it is new; -1: too many. */
static int peer_of(wadi_port *p, zmq_msg_t *identity) {
    const size_t n = zmq_msg_size(identity);
    int fresh = -1;
    for (int i = 0; i < WADI_LINK_PEERS; i++) {
        const wadi_remote *r = &p->remotes[i];
        if (!r->used) {
            if (fresh < 0) fresh = i;
        } else if (r->identity_bytes == n && memcmp(r->identity, zmq_msg_data(identity), n) == 0) {
            return i;
        }
    }
    if (fresh < 0 || n > WADI_IDENTITY_BYTES) return -1;
    wadi_remote *r = &p->remotes[fresh];
    r->used = true;
    r->ours = false;
    r->identity_bytes = n;
    memcpy(r->identity, zmq_msg_data(identity), n);
    join(p, fresh);
    return fresh;
}

/* ---- sending ---- */

/* ZeroMQ orders what one thread does before sending and another after receiving, by means no tool can see. Counting here says
 * the same in the language's own terms. */
static atomic_uint handovers;

static void hand_over(void) {
    atomic_fetch_add_explicit(&handovers, 1, memory_order_acq_rel);
}

/* Called by whoever closes the message: also a thread of ZeroMQ. */
static void release_reference(void *data, void *chunk) {
    WADI_UNUSED(data);
    hand_over();
    wadi_chunk_release(chunk);
}

/* A frame that refers to memory of c and holds it. */
static int frame_in_chunk(zmq_msg_t *m, const void *data, size_t bytes, wadi_chunk *c) {
    if (bytes == 0) return zmq_msg_init_size(m, 0);
    const int rc = zmq_msg_init_data(m, (void *)(uintptr_t)data, bytes, release_reference,
                                     wadi_chunk_retain(c));
    if (rc != 0) wadi_chunk_release(c);
    return rc;
}

static bool send_frame(wadi_port *p, zmq_msg_t *m, bool more) {
    if (zmq_msg_send(m, p->socket, ZMQ_DONTWAIT | (more ? ZMQ_SNDMORE : 0)) >= 0) return true;
    (void)zmq_msg_close(m);
    return false;
}

static bool send_bytes(wadi_port *p, const void *data, size_t n, bool more) {
    return zmq_send(p->socket, data, n, ZMQ_DONTWAIT | (more ? ZMQ_SNDMORE : 0)) >= 0;
}

static bool send_chunk(wadi_port *p, wadi_chunk *c) {
    zmq_msg_t m;
    hand_over();
    if (p->inproc) return frame_in_chunk(&m, c, 1, c) == 0 && send_frame(p, &m, false);
    if (wadi_wire_encode(c, &p->options.stream, &p->wire, &p->broken) != WADI_OK) return false;
    const wadi_wire_message *w = &p->wire;
    if (!send_bytes(p, w->frame[0].data, (size_t)w->frame[0].bytes, w->frames > 1)) return false;
    for (int i = 1; i < w->frames; i++) {
        if (frame_in_chunk(&m, w->frame[i].data, (size_t)w->frame[i].bytes, c) != 0) return false;
        if (!send_frame(p, &m, i + 1 < w->frames)) return false;
    }
    return true;
}

static bool send_control(wadi_port *p, int peer, const wadi_control *c, bool more) {
    uint8_t control[WADI_CONTROL_BYTES];
    wadi_control_write(c, control);
    if (p->options.bind) {
        const wadi_remote *r = &p->remotes[peer];
        if (!send_bytes(p, r->identity, r->identity_bytes, true)) return false;
    }
    return send_bytes(p, control, sizeof control, more);
}

static void send_message(wadi_port *p, const wadi_link_message *m) {
    wadi_control c = {(int)m->kind, m->status, m->number, m->sequence, m->bytes};
    const bool note = m->kind == WADI_LINK_NOTE;
    const bool more = note || m->kind == WADI_LINK_CHUNK || m->kind == WADI_LINK_FAIL;
    if (note) c = wadi_note_control(p->options.stream.id, p->note, p->note_bytes);
    bool sent = send_control(p, m->peer, &c, more);
    if (sent && note) sent = send_bytes(p, p->note, p->note_bytes, false);
    if (sent && m->kind == WADI_LINK_CHUNK) sent = send_chunk(p, m->payload);
    if (sent && m->kind == WADI_LINK_FAIL) {
        sent = send_bytes(p, m->reason, strlen(m->reason), false);
    }
    if (!sent) lose(p, m->peer); /* unreachable */
}

bool wadi_port_greet(wadi_port *p) {
    const wadi_control hello = {.kind = WADI_CONTROL_HELLO};
    p->remotes[0].used = true;
    join(p, 0);
    p->joined = p->inproc; /* elsewhere the first message tells */
    return send_control(p, 0, &hello, false);
}

void wadi_port_flush(wadi_port *p) {
    wadi_link_message m;
    while (p->options.sends ? wadi_link_sender_pop(&p->sender, &m)
                            : wadi_link_receiver_pop(&p->receiver, &m)) {
        send_message(p, &m);
    }
}

/* ---- receiving ---- */

/* Reads one message into p->frame; false: none there. */
static bool read_frames(wadi_port *p) {
    p->frames = 0;
    int more = 1;
    while (more) {
        zmq_msg_t m;
        (void)zmq_msg_init(&m);
        if (zmq_msg_recv(&m, p->socket, ZMQ_DONTWAIT) < 0) {
            (void)zmq_msg_close(&m);
            return false;
        }
        more = zmq_msg_more(&m);
        if (p->frames < WADI_MESSAGE_FRAMES) {
            p->frame[p->frames++] = m;
        } else {
            (void)zmq_msg_close(&m);
            (void)wadi_fail(&p->broken, WADI_IO, "%s: a message with too many frames", p->address);
        }
    }
    return true;
}

static void close_frames(wadi_port *p) {
    for (int i = 0; i < p->frames; i++) (void)zmq_msg_close(&p->frame[i]);
    p->frames = 0;
}

/* Whether what `peer` sends belongs to the stream being received; the first that comes is it. */
static bool is_ours(wadi_port *p, int peer, uint64_t stream_id) {
    if (!p->has_stream) {
        p->has_stream = true;
        p->stream_id = stream_id;
    }
    p->remotes[peer].ours = p->stream_id == stream_id;
    return p->remotes[peer].ours;
}

/* Tells a peer that it comes too late, and forgets it. */
static void turn_away(wadi_port *p, int peer) {
    static const char reason[] = "the receiver listens to another stream";
    const wadi_control c = {.kind = WADI_LINK_FAIL, .status = WADI_IO};
    if (send_control(p, peer, &c, true)) (void)send_bytes(p, reason, sizeof reason - 1, false);
    lose(p, peer);
}

static wadi_status read_wire(wadi_port *p, int at, wadi_wire_stream *stream, wadi_chunk **out,
                             wadi_error *err) {
    const int n = p->frames - at;
    if (n < 1 || n > WADI_WIRE_FRAMES)
        return wadi_fail(err, WADI_IO, "link: a chunk without frames");
    for (int i = 0; i < n; i++) {
        p->wire.frame[i].data = zmq_msg_data(&p->frame[at + i]);
        p->wire.frame[i].bytes = (int64_t)zmq_msg_size(&p->frame[at + i]);
    }
    return wadi_wire_decode(p->wire.frame, n, &p->options.limits, p->options.buffers, stream, out,
                            err);
}

static wadi_status read_chunk(wadi_port *p, int peer, const wadi_control *c, int at,
                              wadi_error *err) {
    wadi_chunk *chunk = NULL;
    wadi_wire_stream stream;
    hand_over();
    if (p->inproc) {
        chunk = wadi_chunk_retain(zmq_msg_data(&p->frame[at]));
    } else {
        WADI_TRY(read_wire(p, at, &stream, &chunk, err));
        if (!is_ours(p, peer, stream.id)) {
            wadi_chunk_release(chunk);
            turn_away(p, peer);
            return WADI_OK;
        }
        if (chunk->number != c->number || wadi_chunk_bytes(chunk) != c->bytes) {
            wadi_chunk_release(chunk);
            return wadi_fail(err, WADI_IO, "link: chunk %lld is not what it was announced to be",
                             (long long)c->number);
        }
    }
    wadi_link_receiver_on_chunk(&p->receiver, peer, c->number, c->sequence, c->bytes, chunk);
    if (p->receiver.overrun)
        return wadi_fail(err, WADI_IO, "link: more chunks than were asked for");
    return WADI_OK;
}

/* The note comes again from a peer that has lost its connection, and is the same then. */
static wadi_status read_note(wadi_port *p, int peer, const wadi_control *c, int at,
                             wadi_error *err) {
    if (at + 1 != p->frames) return wadi_fail(err, WADI_IO, "link: a note is one frame");
    const void *note = zmq_msg_data(&p->frame[at]);
    const size_t n = zmq_msg_size(&p->frame[at]);
    WADI_TRY(wadi_note_check(c, note, n, err));
    if (!is_ours(p, peer, (uint64_t)c->number)) {
        turn_away(p, peer);
        return WADI_OK;
    }
    if (p->note != NULL) {
        const bool same = n == p->note_bytes && memcmp(note, p->note, n) == 0;
        return same ? WADI_OK : wadi_fail(err, WADI_IO, "link: a second, different note");
    }
    return wadi_port_keep_note(p, note, n, err);
}

static void read_reason(wadi_port *p, int at, char *out, size_t room) {
    const size_t n = at < p->frames ? zmq_msg_size(&p->frame[at]) : 0;
    const char *text = n > 0 ? zmq_msg_data(&p->frame[at]) : "no reason given";
    (void)snprintf(out, room, "%.*s", (int)(n > 0 ? (n < room ? n : room) : room - 1), text);
}

static wadi_status on_control(wadi_port *p, int peer, const wadi_control *c, int at,
                              wadi_error *err) {
    char reason[512];
    const bool sends = p->options.sends;
    const bool ends = c->kind == WADI_LINK_END || c->kind == WADI_LINK_FAIL;
    if (c->kind == WADI_CONTROL_HELLO) return WADI_OK;
    if (ends && p->has_stream && !p->remotes[peer].ours) return WADI_OK; /* of another stream */
    if (c->kind == WADI_LINK_READY && sends) {
        wadi_link_sender_on_ready(&p->sender, peer, c->bytes, c->number);
    } else if (c->kind == WADI_LINK_DONE && sends) {
        wadi_link_sender_on_done(&p->sender, peer, c->number, c->bytes, c->sequence);
    } else if (c->kind == WADI_LINK_FAIL) {
        read_reason(p, at, reason, sizeof reason);
        if (sends) {
            wadi_link_sender_on_fail(&p->sender, peer, c->number, c->status, reason);
        } else {
            wadi_link_receiver_on_fail(&p->receiver, c->number, c->status, reason);
        }
    } else if (c->kind == WADI_LINK_CHUNK && !sends) {
        return read_chunk(p, peer, c, at, err);
    } else if (c->kind == WADI_LINK_NOTE && !sends && !p->inproc) {
        return read_note(p, peer, c, at, err);
    } else if (c->kind == WADI_LINK_END && !sends) {
        wadi_link_receiver_on_end(&p->receiver, c->number);
    } else {
        return wadi_fail(err, WADI_IO, "link: message of kind %d makes no sense here", c->kind);
    }
    return WADI_OK;
}

static wadi_status read_message(wadi_port *p, wadi_error *err) {
    int at = 0, peer = 0;
    p->joined = true;
    if (p->options.bind) {
        peer = peer_of(p, &p->frame[at++]);
        if (peer < 0) return WADI_OK; /* one too many: not answered */
        if (!p->inproc) p->remotes[peer].fd = zmq_msg_get(&p->frame[p->frames - 1], ZMQ_SRCFD);
    }
    if (at >= p->frames) return wadi_fail(err, WADI_IO, "link: an empty message");
    wadi_control c;
    WADI_TRY(wadi_control_read(zmq_msg_data(&p->frame[at]), zmq_msg_size(&p->frame[at]), &c, err));
    return on_control(p, peer, &c, at + 1, err);
}

/* Reads one event of the monitor; false: none there. *out_fd: of the connection that has gone, -1: another event. */
static bool read_event(wadi_port *p, int *out_fd) {
    zmq_msg_t m;
    (void)zmq_msg_init(&m);
    const bool there = p->monitor != NULL && zmq_msg_recv(&m, p->monitor, ZMQ_DONTWAIT) >= 0;
    uint16_t event = 0;
    int32_t fd = -1;
    if (there && zmq_msg_size(&m) == sizeof event + sizeof fd) {
        memcpy(&event, zmq_msg_data(&m), sizeof event);
        memcpy(&fd, (const char *)zmq_msg_data(&m) + sizeof event, sizeof fd);
    }
    if (there && zmq_msg_more(&m)) (void)zmq_msg_recv(&m, p->monitor, 0); /* the address */
    (void)zmq_msg_close(&m);
    *out_fd = event == ZMQ_EVENT_DISCONNECTED ? fd : -1;
    return there;
}

static void on_disconnect(wadi_port *p, int fd) {
    for (int i = 0; i < WADI_LINK_PEERS; i++) {
        if (p->remotes[i].used && (!p->options.bind || p->remotes[i].fd == fd)) lose(p, i);
    }
    if (!p->options.bind) p->cut = true;
}

static void take_messages(wadi_port *p) {
    while (p->broken.status == WADI_OK && read_frames(p)) {
        (void)read_message(p, &p->broken);
        close_frames(p);
    }
    close_frames(p);
}

/* What came before a loss still counts, and must not look like a new peer after it: messages are taken once more between reading
 * of a loss and believing it. */
void wadi_port_take_in(wadi_port *p) {
    int fd = -1;
    take_messages(p);
    while (read_event(p, &fd)) {
        take_messages(p);
        if (fd >= 0) on_disconnect(p, fd);
    }
}
