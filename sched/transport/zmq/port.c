/* A port over a ZeroMQ socket: the protocol of link.h driven by messages. The side that binds has a ROUTER socket, and the
 * side that connects a DEALER; either may send. A port waits in one place (`wait_until`): it reads the messages that have come, sends
 * those of the state machine, and sleeps in zmq_poll until the condition holds, the run is cancelled or the peer is lost. */
#include "sched/transport/zmq/port.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/task.h"
#include "sched/transport/zmq/inside.h"
#include "sched/transport/zmq/room.h"
#include "sched/transport/zmq/socket.h"

enum {
    POLL_MS = 1000, /* how often a waiting port looks at the clock */
    OVER_MS = 100,  /* the same if it is to see that its wait is over */
    DOUBT_MS = 10   /* the same while it does not know whether a peer has gone */
};

static wadi_status zmq_fail(wadi_error *err, const wadi_zmq_port *p, const char *what) {
    return wadi_fail(err, WADI_IO, "%s: %s: %s", p->address, what, wadi_zmq.strerror(errno));
}

static void drop_payload(void *env, void *payload) {
    wadi_zmq_port *p = env;
    const wadi_port_share *share = &p->options.share;
    const int64_t end = ((const wadi_chunk *)payload)->first + ((const wadi_chunk *)payload)->count;
    if (p->options.sends && wadi_zmq_has_many(p) && !p->closing) wadi_zmq_note_forgotten(p, end);
    if (p->options.sends && share->settled != NULL && !p->closing)
        share->settled(share->env, payload);
    wadi_chunk_release(payload);
}

static int64_t span_of(const void *payload) {
    return ((const wadi_chunk *)payload)->count;
}

/* ---- waiting ---- */

typedef bool (*condition)(const wadi_zmq_port *p);

/* How long the port waits for a partner; negative: without limit. */
static int64_t patience_ns(const wadi_zmq_port *p) {
    const int64_t first = p->options.first_after_ns;
    return p->met || first == 0 || wadi_zmq_is_settled(p) ? p->options.lost_after_ns : first;
}

/* Of a port with several partners: whether one is there that shares, though it may have nothing to say yet. */
static bool has_company(const wadi_zmq_port *p) {
    for (int i = 0; i < WADI_LINK_PEERS; i++)
        if (p->remotes[i].used && p->remotes[i].shares) return true;
    return false;
}

static int64_t alone_ns(const wadi_zmq_port *p) {
    return wadi_clock_ns() - p->alone_ns;
}

/* No peer has come, or none that has sent a message of a stream. */
static bool is_forsaken(const wadi_zmq_port *p) {
    const int64_t most = patience_ns(p);
    if (p->present || (p->partner >= 0 && p->options.bind)) return false;
    return most >= 0 && alone_ns(p) >= most && !(wadi_zmq_has_many(p) && has_company(p));
}

static wadi_status check_patience(const wadi_zmq_port *p, wadi_error *err) {
    const long long open = wadi_link_sender_kept(&p->sender);
    char chunks[64] = "", others[400] = "";
    if (!is_forsaken(p)) return WADI_OK;
    if (open > 0)
        (void)snprintf(chunks, sizeof chunks, ", %lld chunk%s unconfirmed", open,
                       open == 1 ? "" : "s");
    if (p->refusals > 0 && !p->options.bind)
        (void)snprintf(others, sizeof others, "; one was there, but %s", p->refused);
    else if (p->refusals > 0)
        (void)snprintf(others, sizeof others, "; turned away: %lld, the last because: %s",
                       (long long)p->refusals, p->refused);
    return wadi_fail(err, WADI_IO, "%s: no %s for %.1f s%s%s", p->address, p->other,
                     (double)alone_ns(p) / 1e9, chunks, others);
}

/* Fails with the reason that the other side has sent. */
static wadi_status check_failure(const wadi_zmq_port *p, wadi_error *err) {
    const wadi_link_failure *f = p->options.sends
                                     ? (p->sender.received.set ? &p->sender.received : NULL)
                                     : wadi_link_receiver_failed(&p->receiver);
    if (f == NULL) return WADI_OK;
    const wadi_status status = f->status == WADI_OK ? WADI_INTERNAL : f->status;
    if (status == WADI_CANCELLED && strcmp(f->reason, "cancelled") == 0)
        return wadi_fail(err, status, "the %s was cancelled", p->other); /* and not this side */
    return wadi_fail(err, status, "%s", f->reason);
}

static bool out_of_memory(const wadi_zmq_port *p) {
    return !p->options.sends && p->receiver.out_of_memory;
}

/* Whether the stream can continue. */
static wadi_status check(const wadi_zmq_port *p, wadi_error *err) {
    if (out_of_memory(p)) return wadi_fail(err, WADI_MEMORY, "link: out of memory");
    WADI_TRY(check_failure(p, err));
    if (p->broken.status != WADI_OK && err != NULL) *err = p->broken;
    WADI_TRY(p->broken.status);
    return check_patience(p, err);
}

/* The time until the port must look at the clock again. */
static long timeout_ms(const wadi_zmq_port *p) {
    const int64_t patience = patience_ns(p) / 4000000 + 1;
    if (wadi_zmq_in_doubt(p) || p->resume.reopen) return DOUBT_MS;
    const long most = p->base.over != NULL ? OVER_MS : POLL_MS,
               beat = (long)(wadi_zmq_beats_nap_ns(&p->beats, most * INT64_C(1000000)) / 1000000);
    return patience > 1 && patience < beat ? (long)patience : beat;
}

static wadi_status sleep_a_while(wadi_zmq_port *p, wadi_error *err) {
    zmq_pollitem_t items[4] = {{.socket = p->socket, .events = ZMQ_POLLIN},
                               {.socket = p->monitor, .events = ZMQ_POLLIN}};
    int n = 2;
    const int wake = p->base.wake_fd >= 0 ? p->base.wake_fd : wadi_task_stop_fd();
    if (wake >= 0) items[n++] = (zmq_pollitem_t){.fd = wake, .events = ZMQ_POLLIN};
    if (p->options.share.nudged != NULL)
        items[n++] = (zmq_pollitem_t){.fd = p->options.share.fd, .events = ZMQ_POLLIN};
    const long timeout = (long)(wadi_clock_sleep_ns(timeout_ms(p) * 1000000) / 1000000);
    if (wadi_zmq.poll(items, n, timeout) < 0 && errno != EINTR) return zmq_fail(err, p, "poll");
    if (wake >= 0 && (items[2].revents & ZMQ_POLLIN) != 0)
        return wadi_fail(err, WADI_CANCELLED, "cancelled");
    if (p->base.over != NULL && atomic_load(p->base.over))
        return wadi_fail(err, WADI_CANCELLED, "%s: the run is to end", p->address);
    return WADI_OK;
}

static wadi_status attach(wadi_zmq_port *p, const char *address, wadi_error *err) {
    WADI_TRY(wadi_zmq_socket_attach(p->context, address, &p->options, p->path, &p->socket,
                                    &p->monitor, &p->guard, &p->file, err));
    return p->options.bind || wadi_zmq_greet(p) ? WADI_OK : zmq_fail(err, p, "hello");
}

/* What waits in the socket was meant for the partner that is lost, so it goes with the socket. */
static wadi_status reopen(wadi_zmq_port *p, wadi_error *err) {
    p->resume.reopen = p->resume.renewed = p->connected = false;
    wadi_zmq_socket_close(p->socket, p->monitor, p->guard, false);
    p->socket = p->monitor = NULL;
    p->guard = NULL;
    return attach(p, p->address, err);
}

/* Works without waiting. *out_holds: the condition holds; else the caller has to wait. */
static wadi_status look(wadi_zmq_port *p, condition holds, bool *out_holds, wadi_error *err) {
    const wadi_port_share *share = &p->options.share;
    if (p->resume.reopen && wadi_clock_ns() >= p->resume.reopen_ns) WADI_TRY(reopen(p, err));
    if (share->nudged != NULL) WADI_TRY(share->nudged(share->env, err));
    wadi_zmq_take_in(p);
    if (wadi_zmq_gathers(p)) wadi_zmq_check_start(p);
    wadi_zmq_flush(p);
    *out_holds = holds(p);
    return *out_holds ? WADI_OK : check(p, err);
}

/* Works until `holds`, the other side fails, the partner is lost or the run is cancelled. The watchdog sees one wait, however often this
 * wakes. */
static wadi_status wait_until(wadi_zmq_port *p, condition holds, const char *what, int64_t number,
                              wadi_error *err) {
    bool so = false;
    wadi_status status = look(p, holds, &so, err);
    if (status != WADI_OK || so) return status;
    wadi_waits *own = p->base.waits; /* else it is the task's */
    const int ticket =
        own != NULL ? wadi_wait_begin(own, (wadi_wait){p->owner, what, number, p->other, false})
                    : wadi_task_wait(what, number, p->other);
    while (status == WADI_OK && !so) {
        status = sleep_a_while(p, err);
        if (status == WADI_OK) status = look(p, holds, &so, err);
    }
    if (own != NULL)
        wadi_wait_end(own, ticket);
    else
        wadi_task_go_on(ticket);
    return status;
}

/* ---- beginning and closing ---- */

/* Each port has its own context, because the authenticator of zap.h serves one port of a context. */
static wadi_status begin(wadi_zmq_port *p, const wadi_port_options *options, const char *file,
                         wadi_error *err) {
    WADI_TRY(wadi_zmq_open(err));
    WADI_TRY(wadi_zmq_has_room(options->address, err));
    p->context = wadi_zmq.ctx_new();
    if (p->context == NULL)
        return wadi_fail(err, WADI_MEMORY, "%s: no ZeroMQ context", options->address);
    if (file != NULL && (p->path = strdup(file)) == NULL)
        return wadi_fail(err, WADI_MEMORY, "link: out of memory");
    WADI_TRY(wadi_zmq_begin_beats(p, err));
    if (options->note != NULL)
        WADI_TRY(wadi_zmq_keep_note(p, options->note, (size_t)options->note_bytes, err));
    return attach(p, options->address, err);
}

static void set_up(wadi_zmq_port *p, const wadi_port_options *options) {
    p->options = *options;
    p->base.wake_fd = options->wake_fd;
    p->base.waits = options->waits;
    (void)snprintf(p->address, sizeof p->address, "%s", options->address);
    (void)snprintf(p->owner, sizeof p->owner, "%s", options->owner);
    (void)snprintf(p->other, sizeof p->other, "%s", options->other);
    p->options.address = p->options.owner = p->options.other = NULL;
    p->options.note = NULL;
    p->partner = -1;
    p->resume.on = options->sends && options->goes_on && !options->share.on;
    p->whole.lasts = options->sends && options->goes_on && options->share.on;
    if (wadi_zmq_gathers(p)) wadi_zmq_name_gatherer(p);
    p->resume.have = p->resume.on ? -1 : 0;
    p->resume.put = p->resume.told = -1;
    p->keyed = options->curve_secret != NULL;
    p->alone_ns = p->opened_ns = wadi_clock_ns();
    wadi_link_sender_init(&p->sender, drop_payload, p);
    const bool in_order = !options->share.on || options->bind;
    wadi_link_receiver_init(&p->receiver, in_order, options->credit_bytes, options->credit_chunks,
                            drop_payload, p);
    if (wadi_zmq_gathers(p)) p->receiver.span = span_of;
    p->sender.most_bytes = options->credit_bytes;
    p->sender.holds = p->resume.on;
    wadi_zmq_keep_keys(p);
}

/* Whether there is a peer for which messages may be in flight. */
static bool has_listener(const wadi_zmq_port *p) {
    for (int i = 0; i < WADI_LINK_PEERS; i++)
        if (p->remotes[i].used && (p->options.bind || p->connected)) return true;
    return false;
}

/* Messages in flight hold memory of chunks, so the context ends only when they have been delivered or given up. */
static void close_port(wadi_port *self) {
    wadi_zmq_port *p = (wadi_zmq_port *)self;
    wadi_zmq_beats_fini(&p->beats);
    p->closing = true;
    if (p->path != NULL) wadi_socket_file_remove(p->path, p->file);
    wadi_zmq_socket_close(p->socket, p->monitor, p->guard, has_listener(p));
    wadi_link_sender_fini(&p->sender);
    wadi_link_receiver_fini(&p->receiver);
    if (p->context != NULL) (void)wadi_zmq.ctx_term(p->context);
    wadi_zmq_wipe_keys(p);
    free(p->path);
    free(p->note);
    free(p);
}

/* ---- sender ---- */

static bool all_sent(const wadi_zmq_port *p) {
    return wadi_link_sender_queued(&p->sender) == 0;
}

static bool all_told(const wadi_zmq_port *p) {
    bool told = false;
    if (p->resume.on) return p->sender.ended && atomic_load(&p->resume.kept_all);
    for (int i = 0; i < WADI_LINK_PEERS; i++) told = told || p->sender.peer[i].told_end;
    return wadi_link_sender_kept(&p->sender) == 0 && told;
}

/* The end was lost with the process before, and those who knew it have gone. Or they have been started again and wait for one that gathers, which has gone: then nothing is done in the time that they wait for it. */
static bool is_missed_by_nobody(const wadi_zmq_port *p) {
    const int64_t most = p->options.lost_after_ns;
    if (!wadi_zmq_is_settled(p)) return false;
    return is_forsaken(p) ||
           (most >= 0 && !p->sender.confirmed && wadi_clock_ns() - p->opened_ns > 2 * most);
}

/* Of a stream that is shared: whoever gathers it knows its end. Or all is done, and nobody is left who could say so: who waits for the end says himself that it lacks. */
static bool end_is_known(const wadi_zmq_port *p) {
    if (is_missed_by_nobody(p)) return true;
    if (!p->sender.ended || wadi_link_sender_kept(&p->sender) > 0) return false;
    return atomic_load(&p->resume.kept_all) || (p->met && is_forsaken(p));
}

static bool all_done(const wadi_zmq_port *p) {
    return wadi_link_sender_kept(&p->sender) == 0;
}

static bool note_told(const wadi_zmq_port *p) {
    bool told = false;
    for (int i = 0; i < WADI_LINK_PEERS; i++) told = told || p->sender.peer[i].told_note;
    return told;
}

static wadi_status port_introduce(wadi_port *self, wadi_error *err) {
    wadi_zmq_port *p = (wadi_zmq_port *)self;
    return wait_until(p, note_told, "a peer before chunk", 0, err);
}

static wadi_status port_send(wadi_port *self, wadi_chunk *owned_c, wadi_error *err) {
    wadi_zmq_port *p = (wadi_zmq_port *)self;
    const int64_t number = owned_c->number;
    if (wadi_zmq_is_had(p, owned_c)) {
        wadi_chunk_release(owned_c);
        return WADI_OK;
    }
    if (!wadi_link_sender_push(&p->sender, number, wadi_chunk_bytes(owned_c), owned_c)) {
        wadi_chunk_release(owned_c);
        return wadi_fail(err, WADI_MEMORY, "link: out of memory");
    }
    return wait_until(p, all_sent, "room for chunk", number, err);
}

static wadi_status port_settle(wadi_port *self, int64_t count, wadi_error *err) {
    wadi_zmq_port *p = (wadi_zmq_port *)self;
    WADI_TRY(wait_until(p, all_done, "confirmation of chunks below", count, err));
    return check_failure(p, err);
}

static wadi_status port_end(wadi_port *self, int64_t count, wadi_error *err) {
    wadi_zmq_port *p = (wadi_zmq_port *)self;
    wadi_link_sender_end(&p->sender, count);
    return wait_until(p, all_told, "confirmation of chunks below", count, err);
}

static void port_fail(wadi_port *self, int64_t number, const wadi_error *why) {
    wadi_zmq_port *p = (wadi_zmq_port *)self;
    wadi_link_sender_fail(&p->sender, number, why->status, why->msg);
    wadi_zmq_flush(p);
    if (why->status == WADI_CANCELLED || p->options.share.on) return;
    (void)!wait_until(p, all_done, "confirmation of chunks below", number, NULL);
}

/* ---- receiver ---- */

static bool something_there(const wadi_zmq_port *p) {
    const wadi_link_receiver *r = &p->receiver;
    return wadi_link_receiver_ended(r) || wadi_link_receiver_failed(r) != NULL ||
           wadi_link_receiver_can_take(r);
}

static bool has_begun(const wadi_zmq_port *p) {
    return p->note != NULL || p->without_note || p->receiver.next > 0 || something_there(p);
}

static wadi_status port_note(wadi_port *self, const void **out, int64_t *out_n, wadi_error *err) {
    wadi_zmq_port *p = (wadi_zmq_port *)self;
    WADI_TRY(wait_until(p, has_begun, "the note before chunk", p->receiver.next, err));
    p->used = p->used || p->note != NULL;
    *out = p->note;
    *out_n = (int64_t)p->note_bytes;
    return WADI_OK;
}

static bool port_ready(wadi_port *self) {
    wadi_zmq_port *p = (wadi_zmq_port *)self;
    wadi_zmq_take_in(p);
    wadi_zmq_flush(p);
    return check_failure(p, NULL) != WADI_OK || p->broken.status != WADI_OK || something_there(p);
}

/* The next chunk, or what of it was not passed on before; NULL: nothing, or the stream has ended. */
static wadi_status take_chunk(wadi_zmq_port *p, wadi_chunk **out, wadi_error *err) {
    int64_t number;
    void *chunk = NULL;
    *out = NULL;
    WADI_TRY(wait_until(p, something_there, "chunk", p->receiver.next, err));
    if (!wadi_link_receiver_take(&p->receiver, &number, &chunk)) return check_failure(p, err);
    p->used = true;
    *out = chunk;
    WADI_TRY(wadi_zmq_trim(p, out, err));
    if (*out == NULL) wadi_link_receiver_done(&p->receiver, number);
    return WADI_OK;
}

/* Whether it has waited as long for an answer as for a partner. */
static bool has_stayed(const wadi_zmq_port *p) {
    const int64_t most = p->options.lost_after_ns;
    return most >= 0 && wadi_clock_ns() - p->stays_since_ns > most;
}

/* Of those who have parts: they tell the sender, and end. */
static bool have_gone(const wadi_zmq_port *p) {
    return !has_company(p) || has_stayed(p);
}

/* A sender that is there and does not answer was stopped, perhaps for good. */
static bool is_answered(const wadi_zmq_port *p) {
    return wadi_zmq_is_heard(p) || (p->partner >= 0 && has_stayed(p));
}

/* The sender fails if it does not learn that nothing more is needed, and the word may be lost with a connection: so it waits for the answer, as long as for a partner. This
 * side has all, whatever comes of it. */
static void say_all_is_kept(wadi_zmq_port *p) {
    const bool gathers = wadi_zmq_gathers(p) && p->resume.keeps;
    wadi_zmq_flush(p);
    p->stays_since_ns = wadi_clock_ns();
    if (p->resume.on || gathers)
        (void)!wait_until(p, gathers ? have_gone : is_answered, "the sender to hear of the end", -1,
                          NULL);
}

static void port_keep(wadi_port *self, int64_t elements, bool all) {
    wadi_zmq_port *p = (wadi_zmq_port *)self;
    if (p->options.share.on && !p->options.bind && !all) return;
    p->resume.keeps = true;
    p->resume.on = !p->options.share.on;
    if (elements > atomic_load(&p->resume.kept)) atomic_store(&p->resume.kept, elements);
    if (!all) return;
    atomic_store(&p->resume.kept_all, true);
    say_all_is_kept(p);
}

static wadi_status port_receive(wadi_port *self, wadi_chunk **out, wadi_error *err) {
    wadi_zmq_port *p = (wadi_zmq_port *)self;
    p->resume.asked = true;
    do {
        WADI_TRY(take_chunk(p, out, err));
    } while (*out == NULL && !wadi_link_receiver_ended(&p->receiver));
    if (*out == NULL && !p->resume.keeps && (!p->options.share.on || p->options.bind)) {
        atomic_store(&p->resume.kept_all, true);
        say_all_is_kept(p);
    }
    return WADI_OK;
}

/* A chunk of an earlier connection has no place in the window of this one. */
static void port_done(wadi_port *self, int64_t number) {
    wadi_zmq_port *p = (wadi_zmq_port *)self;
    wadi_resume *r = &p->resume;
    if (r->stale > 0)
        r->stale--;
    else
        wadi_link_receiver_done(&p->receiver, number);
    if (!r->keeps && r->stale == 0 && wadi_link_receiver_taken(&p->receiver) == 0)
        atomic_store(&r->kept, r->have);
    wadi_zmq_flush(p);
}

static void port_give_up(wadi_port *self, const wadi_error *why) {
    wadi_zmq_port *p = (wadi_zmq_port *)self;
    wadi_link_receiver_fail(&p->receiver, why->status, why->msg);
    wadi_zmq_take_in(p);
    wadi_zmq_flush(p);
    wadi_zmq_dismiss(p, why);
}

/* ---- streams that are shared ---- */

static void name(wadi_zmq_port *p, const wadi_whole *of) {
    if (!wadi_zmq_is_named_late(p)) return;
    if (of->stream != 0) p->options.stream.id = of->stream; /* else it has a random one */
    p->named = true;
    p->whole = *of;
}

/* Whether the same elements wait to be done: a chunk that came again was cut as before. They are sent to a peer once, and then done once. */
static bool keeps_same(const wadi_zmq_port *p, const wadi_chunk *c) {
    for (size_t i = 0; i < p->sender.kept.n; i++) {
        const wadi_chunk *kept = p->sender.kept.at[i].payload;
        if (kept->first == c->first && kept->count == c->count) return true;
    }
    return false;
}

static wadi_status port_lay(wadi_port *self, const wadi_whole *of, wadi_chunk *owned_c,
                            wadi_error *err) {
    wadi_zmq_port *p = (wadi_zmq_port *)self;
    const int64_t end = owned_c->first + owned_c->count;
    name(p, of);
    if (p->options.bind) wadi_zmq_note_forgotten(p, of->start);
    if (end > p->resume.put) p->resume.put = end;
    if (atomic_load(&p->resume.kept_all)) { /* whoever gathers has it from others */
        drop_payload(p, owned_c);
        return WADI_OK;
    }
    if (end > p->total) p->total = end;
    if (!p->options.bind && keeps_same(p, owned_c)) {
        wadi_chunk_release(owned_c);
        return WADI_OK;
    }
    if (wadi_link_sender_push(&p->sender, owned_c->number, wadi_chunk_bytes(owned_c), owned_c))
        return WADI_OK;
    wadi_chunk_release(owned_c);
    return wadi_fail(err, WADI_MEMORY, "link: out of memory");
}

static void port_conclude(wadi_port *self, const wadi_whole *of, int64_t count) {
    wadi_zmq_port *p = (wadi_zmq_port *)self;
    name(p, of);
    if (p->options.bind && of->elements > p->total) p->total = of->elements;
    wadi_link_sender_end(&p->sender, count);
}

static wadi_status port_serve(wadi_port *self, wadi_error *err) {
    wadi_zmq_port *p = (wadi_zmq_port *)self;
    WADI_TRY(wait_until(p, end_is_known, "more to share, or confirmation of it", -1, err));
    if (is_missed_by_nobody(p))
        wadi_logf(WADI_LOG_WARNING,
                  "%s: nobody who gathers the stream has come, and an earlier process of this "
                  "sender has heard that all of it was done",
                  p->address);
    return WADI_OK;
}

static wadi_port_part port_part(const wadi_port *self) {
    const wadi_zmq_port *p = (const wadi_zmq_port *)self;
    wadi_port_part part = {.whole = p->whole, .session = p->session};
    part.whole.stream = p->stream_id;
    part.whole.elements = p->total;
    return part;
}

static void port_pass_on(wadi_port *self, const wadi_gatherer *what) {
    wadi_zmq_port *p = (wadi_zmq_port *)self;
    if (wadi_zmq_pass_on(p, what) && p->partner >= 0) wadi_zmq_begin_anew(p);
}

static bool never(const wadi_zmq_port *p) {
    WADI_UNUSED(p);
    return false;
}

static wadi_status port_attend(wadi_port *self, wadi_error *err) {
    wadi_zmq_port *p = (wadi_zmq_port *)self;
    bool so = false;
    WADI_TRY(look(p, never, &so, err));
    if (p->receiver.held.n == 0) return WADI_OK;
    return wadi_fail(
        err, WADI_CANCELLED,
        "%s: the sender goes on with its stream, of which this side has seen the end: it "
        "has to be started again",
        p->address);
}

/* ---- streams that are gone on with ---- */

static bool is_met(const wadi_zmq_port *p) {
    return p->resume.have >= 0;
}

static wadi_status port_meet(wadi_port *self, uint64_t id, int64_t *out_elements, wadi_error *err) {
    wadi_zmq_port *p = (wadi_zmq_port *)self;
    WADI_ASSERT(p->resume.on && !p->resume.named);
    p->options.stream.id = id;
    p->resume.named = true;
    WADI_TRY(wait_until(p, is_met, "a peer before chunk", 0, err));
    *out_elements = p->resume.have;
    return WADI_OK;
}

static int64_t port_certain(const wadi_port *self) {
    const wadi_resume *r = &((const wadi_zmq_port *)self)->resume;
    return atomic_load(&r->kept_all) ? INT64_MAX : atomic_load(&r->kept);
}

static void port_go_on(wadi_port *self, uint64_t id, int64_t elements) {
    wadi_zmq_port *p = (wadi_zmq_port *)self;
    wadi_resume *r = &p->resume;
    r->wanted = id;
    r->on = r->on || (id != 0 && !p->options.share.on);
    r->have = elements;
    if (wadi_zmq_gathers(p)) wadi_link_receiver_skip(&p->receiver, elements);
    r->told = -1;
    atomic_store(&r->kept, elements);
}

static uint64_t port_stream(const wadi_port *self) {
    const wadi_zmq_port *p = (const wadi_zmq_port *)self;
    return p->resume.offered && p->has_stream ? p->stream_id : 0;
}

/* ---- opening ---- */

static void port_enter(wadi_port *self) {
    wadi_zmq_beats_enter(&((wadi_zmq_port *)self)->beats);
}

static void port_leave(wadi_port *self) {
    wadi_zmq_beats_leave(&((wadi_zmq_port *)self)->beats);
}

static const wadi_port_ops ops = {.close = close_port,
                                  .enter = port_enter,
                                  .leave = port_leave,
                                  .introduce = port_introduce,
                                  .send = port_send,
                                  .settle = port_settle,
                                  .end = port_end,
                                  .fail = port_fail,
                                  .note = port_note,
                                  .ready = port_ready,
                                  .receive = port_receive,
                                  .done = port_done,
                                  .lay = port_lay,
                                  .conclude = port_conclude,
                                  .serve = port_serve,
                                  .part = port_part,
                                  .pass_on = port_pass_on,
                                  .attend = port_attend,
                                  .give_up = port_give_up,
                                  .meet = port_meet,
                                  .certain = port_certain,
                                  .go_on = port_go_on,
                                  .stream = port_stream,
                                  .keep = port_keep};

wadi_status wadi_zmq_port_open(const wadi_port_options *options, const char *file, wadi_port **out,
                               wadi_error *err) {
    wadi_zmq_port *p = calloc(1, sizeof *p);
    if (p == NULL) return wadi_fail(err, WADI_MEMORY, "link: out of memory");
    p->base.ops = &ops;
    set_up(p, options);
    const wadi_status status = begin(p, options, file, err);
    if (status == WADI_OK) {
        wadi_zmq_flush(p);
        *out = &p->base;
    } else {
        close_port(&p->base);
    }
    return status;
}

void wadi_zmq_version(int out[3]) {
    out[0] = out[1] = out[2] = 0;
    if (wadi_zmq_open(NULL) == WADI_OK) wadi_zmq.version(&out[0], &out[1], &out[2]);
}
