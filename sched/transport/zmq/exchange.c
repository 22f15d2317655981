/* The messages that come over the socket of a port from its peers.
 *
 * A peer that sends a message that makes no sense loses its seat. If it was the partner, the stream breaks.
 *
 * The socket's monitor notices a lost connection, and reports the descriptor that was closed. When the report is read, another
 * connection may already have the same descriptor. So a HELLO, which changes nothing, asks every peer that the report may concern.
 * Messages that came before a loss still count: a peer is lost only when all its messages have been read. */
#include "sched/transport/zmq/inside.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "sched/transport/zmq/socket.h"

enum {
    BATCH =
        256, /* messages read at once, so that a flood of them does not keep a port from its work */
    ROUNDS = 64 /* so many batches are read for messages of a peer that has gone */
};

static const int64_t doubt_ns = 500000000;

/* ---- receiving ---- */

/* The identity, which comes first, was put there by ZeroMQ: it did not come over the connection, though it is marked like that. With keys, whoever
 * sends a message is known. */
static void count_frame(const wadi_zmq_port *p, zmq_msg_t *m) {
    const int fd = p->guard != NULL && p->frames > 0 ? wadi_zmq.msg_get(m, ZMQ_SRCFD) : -1;
    if (fd < 0) return;
    wadi_zmq_guard_took(p->guard, fd, wadi_zmq.msg_size(m));
    if (p->keyed) wadi_zmq_guard_trust(p->guard, fd);
}

/* Reads one message into p->frame; false: there is none. */
static bool read_frames(wadi_zmq_port *p) {
    p->frames = 0;
    p->frames_left_out = false;
    int more = 1;
    while (more) {
        zmq_msg_t m;
        (void)wadi_zmq.msg_init(&m);
        if (wadi_zmq.msg_recv(&m, p->socket, ZMQ_DONTWAIT) < 0) {
            if (errno == EAGAIN) wadi_zmq_guard_all_taken(p->guard);
            (void)wadi_zmq.msg_close(&m);
            return false;
        }
        more = wadi_zmq.msg_more(&m);
        count_frame(p, &m);
        if (p->frames < WADI_MESSAGE_FRAMES) {
            p->frame[p->frames++] = m;
        } else {
            (void)wadi_zmq.msg_close(&m);
            p->frames_left_out = true;
        }
    }
    return true;
}

static void close_frames(wadi_zmq_port *p) {
    for (int i = 0; i < p->frames; i++) (void)wadi_zmq.msg_close(&p->frame[i]);
    p->frames = 0;
}

/* The reason that a peer has sent. It is shown to the user, so bytes that could control a terminal are removed. */
static void read_reason(wadi_zmq_port *p, int at, char *out, size_t room) {
    const size_t n = at < p->frames ? wadi_zmq.msg_size(&p->frame[at]) : 0;
    const char *text = n > 0 ? wadi_zmq.msg_data(&p->frame[at]) : "no reason given";
    (void)snprintf(out, room, "%.*s", (int)(n > 0 ? (n < room ? n : room) : room - 1), text);
    for (; *out != '\0'; out++)
        if ((unsigned char)*out < ' ' || *out == 0x7f) *out = '?';
}

/* Why newcomers are turned away; NULL: they are admitted. */
static const char *engaged(const wadi_zmq_port *p, int peer) {
    if (!p->options.bind || wadi_zmq_is_partner(p, peer)) return NULL;
    if (wadi_zmq_has_many(p) && p->options.sends && p->broken.status == WADI_OK) return NULL;
    if (p->partner >= 0 && !wadi_zmq_has_many(p))
        return p->options.sends ? "the sender has another receiver"
                                : "the receiver listens to another stream";
    const bool waits = p->resume.on || (p->options.share.on && atomic_load(&p->resume.keeps));
    const bool told = !waits || atomic_load(&p->resume.kept_all);
    const bool over = p->options.sends
                          ? p->sender.ended && wadi_link_sender_kept(&p->sender) == 0 && told
                          : wadi_link_receiver_ended(&p->receiver) && told;
    return over || p->broken.status != WADI_OK ? "the stream is over" : NULL;
}

/* Checks that messages of `peer` belong to the present stream. A stream can only begin with an id that is new here, and a partner has
 * only one stream. */
static wadi_status join_stream(wadi_zmq_port *p, int peer, uint64_t id, wadi_error *err) {
    if (p->has_stream && p->stream_id != id)
        return wadi_fail(err, WADI_IO,
                         "link: a message of another stream than the one that has begun");
    WADI_TRY(wadi_zmq_check_wanted(p, id, err));
    WADI_TRY(wadi_zmq_check_share(p, peer, err));
    if (!wadi_zmq_is_partner(p, peer)) wadi_zmq_claim(p, peer);
    p->has_stream = true;
    p->stream_id = id;
    return WADI_OK;
}

static wadi_status read_wire(wadi_zmq_port *p, int at, wadi_wire_stream *stream, wadi_chunk **out,
                             wadi_error *err) {
    const int n = p->frames - at;
    if (n < 1 || n > WADI_WIRE_FRAMES)
        return wadi_fail(err, WADI_IO, "link: a chunk without frames");
    for (int i = 0; i < n; i++) {
        p->wire.frame[i].data = wadi_zmq.msg_data(&p->frame[at + i]);
        p->wire.frame[i].bytes = (int64_t)wadi_zmq.msg_size(&p->frame[at + i]);
    }
    return wadi_wire_decode(p->wire.frame, n, &p->options.limits, p->options.buffers, stream, out,
                            err);
}

/* The first chunk begins a stream if no note has. */
static wadi_status check_chunk(wadi_zmq_port *p, int peer, const wadi_control *c,
                               const wadi_wire_stream *stream, const wadi_chunk *chunk,
                               wadi_error *err) {
    if (chunk->number != c->number || wadi_chunk_bytes(chunk) != c->bytes)
        return wadi_fail(err, WADI_IO, "link: chunk %lld differs from its announcement",
                         (long long)c->number);
    if (wadi_zmq_gathers(p) && (chunk->first != c->number || chunk->count < 1))
        return wadi_fail(err, WADI_IO, "link: a part of a stream at no place");
    if (!p->has_stream && (c->number != 0 || c->sequence != 0))
        return wadi_fail(err, WADI_IO, "link: a stream that begins with chunk %lld",
                         (long long)c->number);
    return join_stream(p, peer, stream->id, err);
}

static wadi_status check_state(const wadi_zmq_port *p, wadi_error *err) {
    const char *nonsense = p->options.sends ? p->sender.nonsense : p->receiver.nonsense;
    return nonsense == NULL ? WADI_OK : wadi_fail(err, WADI_IO, "link: %s", nonsense);
}

/* A sender that goes on with its stream waits until it is told from where. A chunk that comes before was meant for the connection that was lost: ZeroMQ has connected again by itself, and
 * sends what it has left. Those before it may be lost. */
static bool is_of_lost_connection(const wadi_zmq_port *p) {
    return p->resume.on && p->resume.offered && !p->resume.said;
}

static wadi_status on_chunk(wadi_zmq_port *p, int peer, const wadi_control *c, int at,
                            wadi_error *err) {
    wadi_chunk *chunk = NULL;
    wadi_wire_stream stream;
    wadi_zmq_hand_over();
    if (is_of_lost_connection(p)) return WADI_OK;
    WADI_TRY(read_wire(p, at, &stream, &chunk, err));
    const wadi_status status = check_chunk(p, peer, c, &stream, chunk, err);
    if (status != WADI_OK) {
        wadi_chunk_release(chunk);
        return status;
    }
    wadi_zmq_begin_at(p, c->number);
    wadi_link_receiver_on_chunk(&p->receiver, peer, c->number, c->sequence, c->bytes, chunk);
    return check_state(p, err);
}

/* What the note says of going on. A stream that has begun as one that does not go on has chunks with numbers that would begin anew. */
static wadi_status note_goes_on(wadi_zmq_port *p, int peer, const wadi_control *c,
                                wadi_error *err) {
    const bool says_so = ((int)c->status & WADI_CONTROL_GOES_ON) != 0,
               begun = p->receiver.next > 0 || p->receiver.held.n > 0 || p->receiver.ended;
    p->whole.lasts = p->options.share.on && says_so;
    if (p->whole.lasts) p->resume.offered = true;
    if (p->options.share.on || !says_so || c->version < WADI_CONTROL_RESUMES) return WADI_OK;
    if (!p->resume.on && begun)
        return wadi_fail(err, WADI_IO, "link: a stream goes on that has begun as one that ends");
    p->resume.on = p->resume.offered = p->resume.due = true;
    p->resume.hears = p->remotes[peer].version >= WADI_CONTROL_HEARS;
    return WADI_OK;
}

/* The note may come twice, but must then be the same. */
static wadi_status on_note(wadi_zmq_port *p, int peer, const wadi_control *c, int at,
                           wadi_error *err) {
    if (at + 1 != p->frames) return wadi_fail(err, WADI_IO, "link: a note is one frame");
    const void *note = wadi_zmq.msg_data(&p->frame[at]);
    const size_t n = wadi_zmq.msg_size(&p->frame[at]);
    const bool none = ((int)c->status & WADI_CONTROL_NO_NOTE) != 0;
    WADI_TRY(wadi_note_check(c, note, n, err));
    WADI_TRY(join_stream(p, peer, (uint64_t)c->number, err));
    p->noted = true;
    if (!p->options.bind) p->whole.start = 0; /* unless FROM comes behind it */
    WADI_TRY(note_goes_on(p, peer, c, err));
    if (p->note != NULL || p->without_note) {
        const bool same =
            p->without_note ? none : !none && n == p->note_bytes && memcmp(note, p->note, n) == 0;
        return same ? WADI_OK : wadi_fail(err, WADI_IO, "link: a second, different note");
    }
    p->without_note = none;
    return none ? WADI_OK : wadi_zmq_keep_note(p, note, n, err);
}

/* In version 1 an END has no id. If its peer has not begun a stream, the END is believed only if the peer was admitted by its key. */
static wadi_status on_end(wadi_zmq_port *p, int peer, const wadi_control *c, wadi_error *err) {
    if (!wadi_zmq_is_partner(p, peer)) {
        if (c->version > 1 || !p->keyed)
            return wadi_fail(err, WADI_IO, "link: the end of a stream that has not begun");
        wadi_zmq_claim(p, peer);
    }
    if (c->version > 1 && c->sequence != wadi_zmq_stream_of(p))
        return wadi_fail(err, WADI_IO, "link: the end of another stream");
    wadi_zmq_begin_at(p, c->number);
    wadi_link_receiver_on_end(&p->receiver, c->number);
    if (p->options.share.on) p->total = c->bytes;
    return check_state(p, err);
}

static void settle_doubts(wadi_zmq_port *p);
static void take_events(wadi_zmq_port *p);
static void lose_gone(wadi_zmq_port *p, bool all_read);
static bool is_renewed(wadi_zmq_port *p);

static wadi_status on_fail(wadi_zmq_port *p, int peer, const wadi_control *c, int at,
                           wadi_error *err) {
    char reason[512];
    if (is_renewed(p)) return WADI_OK;
    read_reason(p, at, reason, sizeof reason);
    if (!wadi_zmq_is_partner(p, peer)) return wadi_fail(err, WADI_IO, "it says: %s", reason);
    if (wadi_zmq_has_many(p)) {
        wadi_error why = {.status = WADI_OK};
        (void)wadi_fail(&why, c->status == WADI_OK ? WADI_INTERNAL : c->status, "%s", reason);
        wadi_zmq_leave(p, peer, &why);
        return WADI_OK;
    }
    const bool put_off = wadi_zmq_is_put_off(p, c);
    if (put_off) wadi_logf(WADI_LOG_WARNING, "%s", reason);
    if (put_off || wadi_zmq_try_again(p)) {
        wadi_zmq_note_refusal(p, reason);
        return WADI_OK;
    }
    if (!p->options.sends && p->has_stream && c->version > 1 &&
        c->sequence != wadi_zmq_stream_of(p))
        return wadi_fail(err, WADI_IO, "link: the failure of another stream");
    if (p->options.sends)
        wadi_link_sender_on_fail(&p->sender, peer, c->number, c->status, reason);
    else
        wadi_link_receiver_on_fail(&p->receiver, c->number, c->status, reason);
    return WADI_OK;
}

static wadi_status on_ready(wadi_zmq_port *p, int peer, const wadi_control *c, wadi_error *err) {
    if (p->resume.on && p->remotes[peer].version < WADI_CONTROL_RESUMES)
        return wadi_fail(err, WADI_UNSUPPORTED,
                         "%s: the receiver speaks version %d of the protocol, and streams are gone "
                         "on with from version %d on",
                         p->address, p->remotes[peer].version, (int)WADI_CONTROL_RESUMES);
    WADI_TRY(wadi_zmq_check_share(p, peer, err));
    WADI_TRY(wadi_zmq_check_places(p, peer, err));
    if (!wadi_zmq_is_partner(p, peer)) wadi_zmq_claim(p, peer);
    wadi_link_sender_on_ready(&p->sender, peer, c->bytes, c->number);
    return WADI_OK;
}

static wadi_status on_place(wadi_zmq_port *p, int peer, const wadi_control *c, wadi_error *err) {
    if (!wadi_zmq_is_partner(p, peer))
        return wadi_fail(err, WADI_IO, "link: a place from another receiver");
    if (p->options.share.on && (c->kind == WADI_CONTROL_FROM || (int)c->status == 0))
        return wadi_zmq_on_shared_place(p, peer, c, err);
    return c->kind == WADI_CONTROL_FROM ? wadi_zmq_on_from(p, c, err) : wadi_zmq_on_kept(p, c, err);
}

static wadi_status on_done(wadi_zmq_port *p, int peer, const wadi_control *c, wadi_error *err) {
    if (!wadi_zmq_is_partner(p, peer))
        return wadi_fail(err, WADI_IO, "link: a chunk is confirmed that was not sent");
    if (!wadi_zmq_counts(p, peer)) {
        wadi_link_sender_on_vain(&p->sender, peer, c->number, c->bytes, c->sequence);
        return WADI_OK;
    }
    wadi_link_sender_on_done(&p->sender, peer, c->number, c->bytes, c->sequence);
    wadi_zmq_note_certain(p);
    return check_state(p, err);
}

/* A side that binds answers: with its version if that is higher than 1, and with its credit. */
static wadi_status on_hello(wadi_zmq_port *p, int peer, const wadi_control *c) {
    wadi_remote *r = &p->remotes[peer];
    if (c->number >= WADI_CONTROL_VERSION)
        r->version = WADI_CONTROL_VERSION;
    else if (c->number > r->version)
        r->version = (int)c->number;
    r->shares = (c->bytes & WADI_CONTROL_SHARES) != 0;
    wadi_pulse_wants(&r->pulse, &p->beats, c->sequence);
    if (!p->options.bind || wadi_zmq_is_partner(p, peer)) return WADI_OK;
    bool sent = c->number < 2 || wadi_zmq_say_hello(p, peer);
    const wadi_control ready = {.kind = WADI_LINK_READY,
                                .number = p->receiver.window_chunks,
                                .bytes = p->receiver.window_bytes};
    if (sent && !p->options.sends) sent = wadi_zmq_say(p, peer, ready, false);
    r->gone = !sent;
    return WADI_OK;
}

/* As engaged, but a partner that is gone makes room for one with which the stream goes on, though not all of its messages may have been read. */
static const char *is_engaged(wadi_zmq_port *p, int peer) {
    if (engaged(p, peer) != NULL && p->resume.on) {
        take_events(p);
        settle_doubts(p);
        lose_gone(p, true);
        if (p->partner >= 0) wadi_zmq_guard_doubt(p->guard, p->remotes[p->partner].fd);
    }
    return engaged(p, peer);
}

static wadi_status on_control(wadi_zmq_port *p, int peer, const wadi_control *c, int at,
                              wadi_error *err) {
    const bool sends = p->options.sends;
    if (c->kind == WADI_CONTROL_BEAT && p->beats.ready) {
        p->remotes[peer].pulse.beats = true;
        return WADI_OK;
    }
    const char *why = is_engaged(p, peer);
    if (!p->remotes[peer].used) return WADI_OK; /* it has gone, too */
    if (c->kind == WADI_LINK_FAIL) return on_fail(p, peer, c, at, err);
    if (why != NULL) return wadi_fail(err, WADI_IO, "%s", why);
    if (wadi_zmq_is_partner(p, peer) && c->kind != WADI_CONTROL_HELLO) p->present = p->met = true;
    if (c->version > p->remotes[peer].version) p->remotes[peer].version = c->version;
    if (c->kind == WADI_CONTROL_HELLO) return on_hello(p, peer, c);
    if (c->kind == WADI_LINK_READY && sends) return on_ready(p, peer, c, err);
    if (c->kind == WADI_CONTROL_FROM && sends) return on_place(p, peer, c, err);
    if (c->kind == WADI_CONTROL_FROM && wadi_zmq_is_partner(p, peer))
        return wadi_zmq_on_start(p, c, err);
    if (c->kind == WADI_CONTROL_KEPT && sends) return on_place(p, peer, c, err);
    if (c->kind == WADI_LINK_DONE && sends) return on_done(p, peer, c, err);
    if (c->kind == WADI_LINK_CHUNK && !sends) return on_chunk(p, peer, c, at, err);
    if (c->kind == WADI_LINK_NOTE && !sends) return on_note(p, peer, c, at, err);
    if (c->kind == WADI_LINK_END && !sends) return on_end(p, peer, c, err);
    if (c->kind == WADI_CONTROL_HEARD && !sends && wadi_zmq_is_partner(p, peer))
        return wadi_zmq_on_heard(p, c, err);
    return wadi_zmq_refuse_kind(p, c->kind, err);
}

/* Tells a peer what was wrong, and takes its seat. */
static void turn_away(wadi_zmq_port *p, int peer, const wadi_error *why, bool answer) {
    if (peer < 0 || !wadi_zmq_is_partner(p, peer)) wadi_zmq_note_refusal(p, why->msg);
    if (peer < 0) return;
    if (answer && wadi_zmq_may_answer(p, p->remotes[peer].fd))
        (void)wadi_zmq_say_failure(p, peer, 0, why->status, why->msg);
    const bool last = wadi_zmq_is_lasting(p) && wadi_zmq_is_partner(p, peer);
    if (last && !wadi_zmq_has_many(p) && p->broken.status == WADI_OK) p->broken = *why;
    wadi_zmq_lose(p, peer, why);
}

static wadi_status read_control(wadi_zmq_port *p, int at, wadi_control *out, wadi_error *err) {
    if (p->frames_left_out) return wadi_fail(err, WADI_IO, "link: a message with too many frames");
    if (at >= p->frames) return wadi_fail(err, WADI_IO, "link: an empty message");
    return wadi_control_read(wadi_zmq.msg_data(&p->frame[at]), wadi_zmq.msg_size(&p->frame[at]),
                             out, err);
}

/* All seats are those of partners. */
static void tell_full(wadi_zmq_port *p, const void *identity, size_t n, int fd) {
    const wadi_control fail = {
        .version = WADI_CONTROL_LOWEST, .kind = WADI_LINK_FAIL, .status = WADI_IO};
    uint8_t control[WADI_CONTROL_BYTES];
    char why[96];
    (void)snprintf(why, sizeof why,
                   "the stream is shared by %d already, and there is no place for more",
                   (int)WADI_LINK_PEERS);
    wadi_zmq_note_refusal(p, why);
    if (!wadi_zmq_may_answer(p, fd)) return;
    wadi_control_write(&fail, control);
    (void)(wadi_zmq_send_bytes(p, identity, n, true) &&
           wadi_zmq_send_bytes(p, control, sizeof control, true) &&
           wadi_zmq_send_bytes(p, why, strlen(why), false));
}

/* A peer without a seat gets one if its message makes sense. If the version of the message is not known here, it gets an answer. */
static void read_message(wadi_zmq_port *p) {
    wadi_error why = {.status = WADI_OK};
    wadi_control c = {0};
    const int at = p->options.bind ? 1 : 0;
    const void *identity = wadi_zmq.msg_data(&p->frame[0]);
    const size_t n = wadi_zmq.msg_size(&p->frame[0]);
    const int fd = wadi_zmq.msg_get(&p->frame[p->frames - 1], ZMQ_SRCFD);
    int peer = p->options.bind ? wadi_zmq_find(p, identity, n, fd) : p->partner;
    wadi_status status = read_control(p, at, &c, &why);
    const bool answer = c.kind != WADI_LINK_FAIL;
    if (p->options.bind && peer < 0 && (status == WADI_OK || status == WADI_UNSUPPORTED))
        peer = wadi_zmq_seat(p, identity, n, fd);
    if (status == WADI_OK && peer < 0 && wadi_zmq_has_many(p) && answer)
        tell_full(p, identity, n, fd);
    if (peer >= 0) wadi_pulse_heard(&p->remotes[peer].pulse, fd);
    if (status == WADI_OK && peer >= 0) status = on_control(p, peer, &c, at + 1, &why);
    if (status != WADI_OK) turn_away(p, peer, &why, answer);
}

/* Whether the socket was found empty. */
static bool take_messages(wadi_zmq_port *p) {
    for (int i = 0; i < BATCH; i++) {
        const bool there = read_frames(p);
        if (there) read_message(p);
        close_frames(p);
        if (!there) return true;
    }
    return false;
}

/* ---- losses ---- */

/* ZeroMQ connects again by itself, and what was meant for the old connection goes over the new one. */
static void on_connect(wadi_zmq_port *p) {
    p->resume.renewed = wadi_zmq_is_lasting(p) && !p->options.bind && p->remotes[0].gone;
    p->connected = true;
}

static void on_disconnect(wadi_zmq_port *p, int fd) {
    for (int i = 0; i < WADI_LINK_PEERS; i++) {
        wadi_remote *r = &p->remotes[i];
        if (!r->used) continue;
        if (p->options.bind && r->fd == fd)
            r->doubt_until_ns = wadi_clock_ns() + doubt_ns;
        else if (!p->options.bind && p->connected)
            r->gone = true;
        else if (!p->options.bind)
            wadi_zmq_note_refusal(p, wadi_zmq_failed_handshake);
    }
    p->connected = false;
}

/* Who is there is somebody else, or will have our keys when it has begun again. After what this side has found wrong, ZeroMQ does not connect again by itself. */
static void connect_again(wadi_zmq_port *p) {
    static const int64_t PAUSE_NS = 1000000000;
    if (p->options.bind || p->connected || p->resume.reopen) return;
    p->resume.reopen = true;
    p->resume.reopen_ns = wadi_clock_ns() + PAUSE_NS;
}

static void on_refusal(wadi_zmq_port *p, bool by_key) {
    const char *const why = by_key ? "a key that is not admitted" : wadi_zmq_failed_handshake;
    if (p->options.bind || !by_key) {
        wadi_zmq_note_refusal(p, why);
        connect_again(p);
        return;
    }
    wadi_error refused = {.status = WADI_OK};
    (void)wadi_fail(&refused, WADI_IO, "%s: the %s does not admit this key", p->address, p->other);
    wadi_zmq_lose(p, 0, &refused);
}

static void take_events(wadi_zmq_port *p) {
    int what = 0, value = -1;
    while (wadi_zmq_event(p->monitor, &what, &value)) {
        if (what == ZMQ_EVENT_HANDSHAKE_SUCCEEDED) on_connect(p);
        if (what == ZMQ_EVENT_DISCONNECTED) on_disconnect(p, value);
        if (what == ZMQ_EVENT_HANDSHAKE_FAILED_AUTH) on_refusal(p, true);
        if (what == ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL) on_refusal(p, false);
    }
}

bool wadi_zmq_in_doubt(const wadi_zmq_port *p) {
    for (int i = 0; i < WADI_LINK_PEERS; i++)
        if (p->remotes[i].used && (p->remotes[i].doubt_until_ns != 0 || p->remotes[i].gone))
            return true;
    return false;
}

/* Asks the peers that may have gone. */
static void settle_doubts(wadi_zmq_port *p) {
    int events = 0;
    size_t n = sizeof events;
    (void)wadi_zmq.getsockopt(p->socket, ZMQ_EVENTS, &events,
                              &n); /* the socket learns what it has lost */
    for (int i = 0; i < WADI_LINK_PEERS; i++) {
        wadi_remote *r = &p->remotes[i];
        if (!r->used || r->doubt_until_ns == 0) continue;
        if (!wadi_zmq_say_hello(p, i)) r->gone = true;
        if (r->gone || wadi_clock_ns() > r->doubt_until_ns) r->doubt_until_ns = 0;
    }
}

static void lose_gone(wadi_zmq_port *p, bool all_read) {
    for (int i = 0; i < WADI_LINK_PEERS; i++) {
        wadi_remote *r = &p->remotes[i];
        if (!r->used || !r->gone || (!all_read && r->rounds++ < ROUNDS)) continue;
        const wadi_error why = wadi_zmq_loss(p);
        wadi_zmq_lose(p, i, &why);
    }
}

/* If the connection is another one, its messages are answers to what was not meant for it. */
static bool is_renewed(wadi_zmq_port *p) {
    if (!wadi_zmq_is_lasting(p) || p->options.bind) return false;
    take_events(p);
    if (!p->resume.renewed) return false;
    lose_gone(p, true);
    return true;
}

void wadi_zmq_take_in(wadi_zmq_port *p) {
    p->all_read = false;
    if (is_renewed(p)) return;
    p->all_read = take_messages(p);
    take_events(p);
    wadi_zmq_look_after_peers(p);
    if (!wadi_zmq_in_doubt(p)) return;
    settle_doubts(p);
    lose_gone(p, take_messages(p));
}
