/* The transport over ZeroMQ. A port waits in one place (`wait_until`): it takes in whatever has come, lets the state
 * machine speak, and sleeps in zmq_poll until the condition holds, the run is cancelled or the peer is lost. */
#include "sched/transport.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/task.h"
#include "base/error.h"
#include "sched/transport_internal.h"
#include "sched/transport_socket.h"

enum {
    POLL_MS = 1000, /* how often a waiting port looks at the clock, */
    DOUBT_MS = 10   /* and while it does not know whether somebody has gone */
};

static wadi_status zmq_fail(wadi_error *err, const wadi_port *p, const char *what) {
    return wadi_fail(err, WADI_IO, "%s: %s: %s", p->address, what, zmq_strerror(errno));
}

static void drop_payload(void *env, void *payload) {
    WADI_UNUSED(env);
    wadi_chunk_release(payload);
}

/* ---- waiting ---- */

typedef bool (*condition)(const wadi_port *p);

/* How long no partner is borne; negative: for ever. */
static int64_t patience_ns(const wadi_port *p) {
    const int64_t first = p->options.first_after_ns;
    return p->met || first == 0 ? p->options.lost_after_ns : first;
}

/* Nobody has come, or nobody who has said anything that belongs to a stream. */
static wadi_status check_patience(const wadi_port *p, wadi_error *err) {
    const int64_t alone = wadi_clock_ns() - p->alone_ns, most = patience_ns(p);
    const long long open = wadi_link_sender_kept(&p->sender);
    char chunks[64] = "", others[256] = "";
    if (p->present || (p->partner >= 0 && p->options.bind)) return WADI_OK;
    if (most < 0 || alone < most) return WADI_OK;
    if (open > 0) (void)snprintf(chunks, sizeof chunks, ", %lld chunks unconfirmed", open);
    if (p->refusals > 0 && !p->options.bind)
        (void)snprintf(others, sizeof others, "; one was there, but %s", p->refused);
    else if (p->refusals > 0)
        (void)snprintf(others, sizeof others, "; turned away: %lld, the last because: %s",
                       (long long)p->refusals, p->refused);
    return wadi_fail(err, WADI_IO, "%s: no %s for %.1f s%s%s", p->address, p->other,
                     (double)alone / 1e9, chunks, others);
}

/* What the other side gave as its reason. */
static wadi_status check_failure(const wadi_port *p, wadi_error *err) {
    const wadi_link_failure *f = p->options.sends
                                     ? (p->sender.received.set ? &p->sender.received : NULL)
                                     : wadi_link_receiver_failed(&p->receiver);
    if (f == NULL) return WADI_OK;
    const wadi_status status = f->status == WADI_OK ? WADI_INTERNAL : f->status;
    return wadi_fail(err, status, "%s", f->reason);
}

static bool out_of_memory(const wadi_port *p) {
    return !p->options.sends && p->receiver.out_of_memory;
}

/* Whether it can go on. */
static wadi_status check(const wadi_port *p, wadi_error *err) {
    if (out_of_memory(p)) return wadi_fail(err, WADI_MEMORY, "link: out of memory");
    WADI_TRY(check_failure(p, err));
    if (p->broken.status != WADI_OK && err != NULL) *err = p->broken;
    WADI_TRY(p->broken.status);
    return check_patience(p, err);
}

/* Until the clock is to be looked at. */
static long timeout_ms(const wadi_port *p) {
    const int64_t patience = patience_ns(p) / 4000000 + 1;
    if (wadi_port_in_doubt(p)) return DOUBT_MS;
    return patience > 1 && patience < POLL_MS ? (long)patience : POLL_MS;
}

static wadi_status sleep_a_while(wadi_port *p, wadi_error *err) {
    zmq_pollitem_t items[3] = {{.socket = p->socket, .events = ZMQ_POLLIN},
                               {.socket = p->monitor, .events = ZMQ_POLLIN}};
    int n = 2;
    const int wake = p->options.wake_fd >= 0 ? p->options.wake_fd : wadi_task_stop_fd();
    if (wake >= 0) items[n++] = (zmq_pollitem_t){.fd = wake, .events = ZMQ_POLLIN};
    const long timeout = (long)(wadi_clock_sleep_ns(timeout_ms(p) * 1000000) / 1000000);
    if (zmq_poll(items, n, timeout) < 0 && errno != EINTR) return zmq_fail(err, p, "poll");
    if (n > 2 && (items[2].revents & ZMQ_POLLIN) != 0)
        return wadi_fail(err, WADI_CANCELLED, "cancelled");
    return WADI_OK;
}

/* Works without waiting: *out_holds, or WADI_OK when there is nothing to do but to wait. */
static wadi_status look(wadi_port *p, condition holds, bool *out_holds, wadi_error *err) {
    wadi_port_take_in(p);
    wadi_port_flush(p);
    *out_holds = holds(p);
    return *out_holds ? WADI_OK : check(p, err);
}

/* Works until `holds`, the other side fails, the partner is lost or the run is cancelled. However often it wakes, to the watchdog it
 * is one wait. */
static wadi_status wait_until(wadi_port *p, condition holds, const char *what, int64_t number,
                              wadi_error *err) {
    bool so = false;
    wadi_status status = look(p, holds, &so, err);
    if (status != WADI_OK || so) return status;
    const int ticket =
        wadi_wait_begin(p->options.waits, (wadi_wait){p->owner, what, number, p->other, false});
    while (status == WADI_OK && !so) {
        status = sleep_a_while(p, err);
        if (status == WADI_OK) status = look(p, holds, &so, err);
    }
    wadi_wait_end(p->options.waits, ticket);
    return status;
}

/* ---- opening and closing ---- */

static wadi_status attach(wadi_port *p, void *context, const char *address, wadi_error *err) {
    int lock = -1;
    if (p->options.bind) WADI_TRY(wadi_ipc_claim(address, &lock, err));
    const wadi_status status =
        wadi_socket_open(context, address, &p->options, &p->socket, &p->monitor, err);
    if (p->options.bind && status == WADI_OK) p->file = wadi_ipc_made(address);
    wadi_ipc_settle(lock);
    if (p->options.bind || status != WADI_OK) return status;
    return wadi_port_greet(p) ? WADI_OK : zmq_fail(err, p, "hello");
}

wadi_status wadi_port_open(void *context, const wadi_port_options *options, wadi_port **out,
                           wadi_error *err) {
    wadi_port *p = calloc(1, sizeof *p);
    if (p == NULL) return wadi_fail(err, WADI_MEMORY, "link: out of memory");
    p->options = *options;
    (void)snprintf(p->address, sizeof p->address, "%s", options->address);
    (void)snprintf(p->owner, sizeof p->owner, "%s", options->owner);
    (void)snprintf(p->other, sizeof p->other, "%s", options->other);
    p->options.address = p->options.owner = p->options.other = NULL;
    p->options.note = NULL;
    p->partner = -1;
    p->keyed = options->curve_secret != NULL;
    p->alone_ns = wadi_clock_ns();
    wadi_link_sender_init(&p->sender, drop_payload, NULL);
    wadi_link_receiver_init(&p->receiver, true, options->credit_bytes, options->credit_chunks,
                            drop_payload, NULL);
    p->sender.most_bytes = options->credit_bytes;
    wadi_status status = WADI_OK;
    if (options->note != NULL)
        status = wadi_port_keep_note(p, options->note, (size_t)options->note_bytes, err);
    if (status == WADI_OK) status = attach(p, context, options->address, err);
    if (status == WADI_OK) {
        wadi_port_flush(p);
        *out = p;
    } else {
        wadi_port_close(p);
    }
    return status;
}

/* Whether somebody is there for whom messages may be under way. */
static bool has_listener(const wadi_port *p) {
    for (int i = 0; i < WADI_LINK_PEERS; i++)
        if (p->remotes[i].used && (p->options.bind || p->connected)) return true;
    return false;
}

void wadi_port_close(wadi_port *p) {
    if (p == NULL) return;
    wadi_ipc_remove(p->address, p->file);
    wadi_socket_close(p->socket, p->monitor, has_listener(p));
    wadi_link_sender_fini(&p->sender);
    wadi_link_receiver_fini(&p->receiver);
    free(p->note);
    free(p);
}

void wadi_port_wake_by(wadi_port *p, int wake_fd) {
    p->options.wake_fd = wake_fd;
}

void wadi_port_watch(wadi_port *p, wadi_waits *waits) {
    p->options.waits = waits;
}

/* ---- sender ---- */

static bool all_sent(const wadi_port *p) {
    return wadi_link_sender_queued(&p->sender) == 0;
}

static bool all_told(const wadi_port *p) {
    bool told = false;
    for (int i = 0; i < WADI_LINK_PEERS; i++) told = told || p->sender.peer[i].told_end;
    return wadi_link_sender_kept(&p->sender) == 0 && told;
}

static bool all_done(const wadi_port *p) {
    return wadi_link_sender_kept(&p->sender) == 0;
}

static bool note_told(const wadi_port *p) {
    bool told = false;
    for (int i = 0; i < WADI_LINK_PEERS; i++) told = told || p->sender.peer[i].told_note;
    return told;
}

wadi_status wadi_port_introduce(wadi_port *p, wadi_error *err) {
    return wait_until(p, note_told, "a peer before chunk", 0, err);
}

wadi_status wadi_port_send(wadi_port *p, wadi_chunk *owned_c, wadi_error *err) {
    const int64_t number = owned_c->number;
    if (!wadi_link_sender_push(&p->sender, number, wadi_chunk_bytes(owned_c), owned_c)) {
        wadi_chunk_release(owned_c);
        return wadi_fail(err, WADI_MEMORY, "link: out of memory");
    }
    return wait_until(p, all_sent, "room for chunk", number, err);
}

wadi_status wadi_port_settle(wadi_port *p, int64_t count, wadi_error *err) {
    WADI_TRY(wait_until(p, all_done, "confirmation of chunks below", count, err));
    return check_failure(p, err);
}

wadi_status wadi_port_end(wadi_port *p, int64_t count, wadi_error *err) {
    wadi_link_sender_end(&p->sender, count);
    return wait_until(p, all_told, "confirmation of chunks below", count, err);
}

void wadi_port_fail(wadi_port *p, int64_t number, const wadi_error *why) {
    wadi_link_sender_fail(&p->sender, number, why->status, why->msg);
    wadi_port_flush(p);
    if (why->status == WADI_CANCELLED) return;
    (void)!wait_until(p, all_done, "confirmation of chunks below", number, NULL);
}

/* ---- receiver ---- */

static bool something_there(const wadi_port *p) {
    const wadi_link_receiver *r = &p->receiver;
    if (wadi_link_receiver_ended(r) || wadi_link_receiver_failed(r) != NULL) return true;
    for (size_t i = 0; i < r->held.n; i++) {
        if (!r->held.at[i].taken) return r->held.at[i].number == r->next;
    }
    return false;
}

static bool has_begun(const wadi_port *p) {
    return p->note != NULL || p->without_note || p->receiver.next > 0 || something_there(p);
}

wadi_status wadi_port_note(wadi_port *p, const void **out, int64_t *out_n, wadi_error *err) {
    WADI_TRY(wait_until(p, has_begun, "the note before chunk", p->receiver.next, err));
    p->used = p->used || p->note != NULL;
    *out = p->note;
    *out_n = (int64_t)p->note_bytes;
    return WADI_OK;
}

bool wadi_port_ready(wadi_port *p) {
    wadi_port_take_in(p);
    wadi_port_flush(p);
    return check_failure(p, NULL) != WADI_OK || p->broken.status != WADI_OK || something_there(p);
}

wadi_status wadi_port_receive(wadi_port *p, wadi_chunk **out, wadi_error *err) {
    int64_t number;
    void *chunk = NULL;
    WADI_TRY(wait_until(p, something_there, "chunk", p->receiver.next, err));
    if (wadi_link_receiver_take(&p->receiver, &number, &chunk))
        p->used = true;
    else
        WADI_TRY(check_failure(p, err));
    *out = chunk;
    return WADI_OK;
}

void wadi_port_done(wadi_port *p, int64_t number) {
    wadi_link_receiver_done(&p->receiver, number);
    wadi_port_flush(p);
}

void wadi_port_give_up(wadi_port *p, const wadi_error *why) {
    wadi_link_receiver_fail(&p->receiver, why->status, why->msg);
    wadi_port_take_in(p);
    wadi_port_flush(p);
    wadi_port_dismiss(p, why);
}
