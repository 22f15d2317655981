/* The messages that a port sends: greetings, what its state machine wants, and places. None of it waits. */
#include <stdatomic.h>
#include <string.h>

#include "base/error.h"
#include "sched/transport/zmq/inside.h"

/* ZeroMQ orders what one thread does before sending and what another does after receiving, but thread checkers cannot see how. Atomic
 * counting here states the same order in C. */
static atomic_uint handovers;

void wadi_zmq_hand_over(void) {
    atomic_fetch_add_explicit(&handovers, 1, memory_order_acq_rel);
}

/* Called by the thread that closes the message, which may be one of ZeroMQ. */
static void release_reference(void *data, void *chunk) {
    WADI_UNUSED(data);
    wadi_zmq_hand_over();
    wadi_chunk_release(chunk);
}

/* A frame that refers to memory of c and holds it. */
static int frame_in_chunk(zmq_msg_t *m, const void *data, size_t bytes, wadi_chunk *c) {
    if (bytes == 0) return wadi_zmq.msg_init_size(m, 0);
    const int rc = wadi_zmq.msg_init_data(m, (void *)(uintptr_t)data, bytes, release_reference,
                                          wadi_chunk_retain(c));
    if (rc != 0) wadi_chunk_release(c);
    return rc;
}

static bool send_frame(wadi_zmq_port *p, zmq_msg_t *m, bool more) {
    if (wadi_zmq.msg_send(m, p->socket, ZMQ_DONTWAIT | (more ? ZMQ_SNDMORE : 0)) >= 0) return true;
    (void)wadi_zmq.msg_close(m);
    return false;
}

bool wadi_zmq_send_bytes(wadi_zmq_port *p, const void *data, size_t n, bool more) {
    return wadi_zmq.send(p->socket, data, n, ZMQ_DONTWAIT | (more ? ZMQ_SNDMORE : 0)) >= 0;
}

static bool send_chunk(wadi_zmq_port *p, wadi_chunk *c) {
    zmq_msg_t m;
    wadi_zmq_hand_over();
    if (wadi_wire_encode(c, &p->options.stream, &p->wire, &p->broken) != WADI_OK) return false;
    const wadi_wire_message *w = &p->wire;
    if (!wadi_zmq_send_bytes(p, w->frame[0].data, (size_t)w->frame[0].bytes, w->frames > 1))
        return false;
    for (int i = 1; i < w->frames; i++) {
        if (frame_in_chunk(&m, w->frame[i].data, (size_t)w->frame[i].bytes, c) != 0) return false;
        if (!send_frame(p, &m, i + 1 < w->frames)) return false;
    }
    return true;
}

bool wadi_zmq_say(wadi_zmq_port *p, int peer, wadi_control c, bool more) {
    uint8_t control[WADI_CONTROL_BYTES];
    const wadi_remote *r = &p->remotes[peer];
    c.version = r->version;
    wadi_control_write(&c, control);
    if (p->options.bind && !wadi_zmq_send_bytes(p, r->identity, r->identity_bytes, true))
        return false;
    return wadi_zmq_send_bytes(p, control, sizeof control, more);
}

static bool send_with(wadi_zmq_port *p, int peer, wadi_control c, const void *data, size_t n) {
    return wadi_zmq_say(p, peer, c, true) && wadi_zmq_send_bytes(p, data, n, false);
}

bool wadi_zmq_say_hello(wadi_zmq_port *p, int peer) {
    return wadi_zmq_say(p, peer,
                        (wadi_control){.kind = WADI_CONTROL_HELLO,
                                       .number = WADI_CONTROL_VERSION,
                                       .sequence = wadi_zmq_beats_tell(&p->beats),
                                       .bytes = p->options.share.on ? WADI_CONTROL_SHARES : 0},
                        false);
}

static bool send_note(wadi_zmq_port *p, int peer) {
    wadi_control c = wadi_note_control(p->options.stream.id, p->note, p->note_bytes);
    const wadi_control start = {.kind = WADI_CONTROL_FROM,
                                .number = p->whole.start,
                                .sequence = (int64_t)p->options.stream.id};
    /* who has a part may learn late that its stream is gone on with */
    if (wadi_zmq_check_places(p, peer, &p->broken) != WADI_OK) return false;
    if (p->resume.on || p->whole.lasts)
        c.status = (wadi_status)((int)c.status | WADI_CONTROL_GOES_ON);
    if (!send_with(p, peer, c, p->note != NULL ? p->note : (const void *)"", p->note_bytes))
        return false;
    p->told_start = p->whole.start;
    return p->whole.start == 0 || wadi_zmq_say(p, peer, start, false);
}

/* Puts the id of the stream in messages that must have it. */
int64_t wadi_zmq_stream_of(const wadi_zmq_port *p) {
    if (p->options.sends) return (int64_t)p->options.stream.id;
    return p->has_stream ? (int64_t)p->stream_id : 0;
}

bool wadi_zmq_say_failure(wadi_zmq_port *p, int peer, int64_t number, wadi_status status,
                          const char *reason) {
    const wadi_control c = {.kind = WADI_LINK_FAIL,
                            .status = status,
                            .number = number,
                            .sequence = wadi_zmq_stream_of(p)};
    return send_with(p, peer, c, reason, strlen(reason));
}

static bool send_message(wadi_zmq_port *p, const wadi_link_message *m) {
    wadi_control c = {
        .kind = (int)m->kind, .number = m->number, .sequence = m->sequence, .bytes = m->bytes};
    switch (m->kind) {
    case WADI_LINK_NOTE:
        return send_note(p, m->peer);
    case WADI_LINK_CHUNK:
        return wadi_zmq_say(p, m->peer, c, true) && send_chunk(p, m->payload);
    case WADI_LINK_FAIL:
        return wadi_zmq_say_failure(p, m->peer, m->number, m->status, m->reason);
    case WADI_LINK_END:
        c.sequence = wadi_zmq_stream_of(p);
        c.bytes = p->options.share.on ? p->total : 0;
        return wadi_zmq_say(p, m->peer, c, false);
    default:
        return wadi_zmq_say(p, m->peer, c, false);
    }
}

/* A sender names its stream at once. So the receiver knows of the sender, even if the first chunk takes long, and a first chunk of any size is that of its
 * partner. A stream that is gone on with has its note in its turn, once it has its id. */
bool wadi_zmq_greet(wadi_zmq_port *p) {
    p->remotes[0] = (wadi_remote){.used = true, .version = WADI_CONTROL_LOWEST, .fd = -1};
    wadi_zmq_claim(p, 0);
    if (!wadi_zmq_say_hello(p, 0)) return false;
    return !p->options.sends || p->resume.on || wadi_zmq_is_named_late(p) || send_note(p, 0);
}

/* A receiver that shares tells all that are there, once, that it knows the end. */
static void tell_over(wadi_zmq_port *p) {
    const wadi_control over = {.kind = WADI_CONTROL_KEPT,
                               .status = (wadi_status)1,
                               .number = p->receiver.end,
                               .sequence = wadi_zmq_stream_of(p)};
    for (int i = 0; i < WADI_LINK_PEERS; i++) {
        wadi_remote *r = &p->remotes[i];
        if (!r->used || !r->shares || r->told_over) continue;
        r->told_over = true;
        if (!wadi_zmq_say(p, i, over, false)) r->gone = true;
    }
}

void wadi_zmq_flush(wadi_zmq_port *p) {
    wadi_link_message m;
    const bool waits = p->resume.on ? !p->resume.named : wadi_zmq_is_named_late(p) && !p->named;
    wadi_control place;
    int peer = -1;
    if (p->options.sends && waits && !p->sender.failure.set) return;
    while (wadi_zmq_next_shared_place(p, &peer, &place)) /* before what is done */
        if (!wadi_zmq_say(p, peer, place, false)) p->remotes[peer].gone = true;
    if (p->options.sends && wadi_zmq_has_many(p)) wadi_zmq_note_confirmed(p);
    while (p->options.sends ? wadi_link_sender_pop(&p->sender, &m)
                            : wadi_link_receiver_pop(&p->receiver, &m)) {
        if (p->options.sends && waits && m.kind != WADI_LINK_FAIL)
            break; /* a stream without its id */
        if (!send_message(p, &m)) p->remotes[m.peer].gone = true;
    }
    for (wadi_control c; wadi_zmq_next_place(p, &c);)
        if (!wadi_zmq_say(p, p->partner, c, false)) p->remotes[p->partner].gone = true;
    if (!p->options.sends && p->options.share.on && atomic_load(&p->resume.kept_all)) tell_over(p);
}

void wadi_zmq_dismiss(wadi_zmq_port *p, const wadi_error *why) {
    for (int i = 0; i < WADI_LINK_PEERS; i++)
        if (p->remotes[i].used && !wadi_zmq_is_partner(p, i))
            (void)wadi_zmq_say_failure(p, i, 0, why->status, why->msg);
}
