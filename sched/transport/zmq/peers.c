/* The peers at the other end of a port. A side that connects has one peer, which it has chosen. Any peer may connect to a side that
 * binds. A peer that has sent a message that makes sense gets a seat, and one of these peers becomes the partner, which shares the
 * stream. No other peer can harm the stream. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "sched/transport/zmq/inside.h"

enum { TOLD = 3 };

/* One byte more, so that a note of 0 bytes is not NULL. */
wadi_status wadi_zmq_keep_note(wadi_zmq_port *p, const void *note, size_t n, wadi_error *err) {
    p->note = malloc(n + 1);
    if (p->note == NULL) return wadi_fail(err, WADI_MEMORY, "link: out of memory");
    if (n > 0) memcpy(p->note, note, n);
    p->note_bytes = n;
    return WADI_OK;
}

/* ---- seats ---- */

int wadi_zmq_find(wadi_zmq_port *p, const void *identity, size_t n, int fd) {
    for (int i = 0; i < WADI_LINK_PEERS; i++) {
        const wadi_remote *r = &p->remotes[i];
        if (!r->used || r->identity_bytes != n || memcmp(r->identity, identity, n) != 0) continue;
        if (r->fd == fd) return i;
        const wadi_error why = wadi_zmq_loss(p);
        wadi_zmq_lose(p, i, &why);
    }
    return -1;
}

/* The seats of partners are never given away; -1: all are theirs. */
static int longest_silent(const wadi_zmq_port *p) {
    int oldest = -1;
    for (int i = 0; i < WADI_LINK_PEERS; i++) {
        if (p->remotes[i].used && wadi_zmq_is_partner(p, i)) continue;
        if (!p->remotes[i].used) return i;
        if (oldest < 0 || p->remotes[i].met < p->remotes[oldest].met) oldest = i;
    }
    return oldest;
}

int wadi_zmq_seat(wadi_zmq_port *p, const void *identity, size_t n, int fd) {
    if (n > WADI_IDENTITY_BYTES) return -1;
    const int seat = longest_silent(p);
    if (seat < 0) return -1;
    wadi_remote *r = &p->remotes[seat];
    *r = (wadi_remote){.used = true,
                       .version = WADI_CONTROL_LOWEST,
                       .met = ++p->meetings,
                       .fd = fd,
                       .identity_bytes = n};
    memcpy(r->identity, identity, n);
    return seat;
}

/* ---- the partner ---- */

bool wadi_zmq_is_partner(const wadi_zmq_port *p, int peer) {
    return wadi_zmq_has_many(p) ? p->remotes[peer].joined : p->partner == peer;
}

void wadi_zmq_claim(wadi_zmq_port *p, int peer) {
    p->partner = peer;
    p->remotes[peer].joined = true;
    wadi_zmq_guard_trust(p->guard, p->remotes[peer].fd);
    if (p->options.sends)
        wadi_link_sender_on_join(&p->sender, peer);
    else
        wadi_link_receiver_on_join(&p->receiver, peer);
}

/* Whether nothing of what is received has been passed on. */
static bool is_unused(const wadi_zmq_port *p) {
    return !p->options.sends && !p->used && !p->receiver.ended && !p->receiver.received.set;
}

/* Whether another partner could still get the whole stream. */
static bool is_fresh(const wadi_zmq_port *p) {
    if (!p->options.bind) return false;
    if (p->options.share.on) return false;
    return p->options.sends ? !p->sender.confirmed : is_unused(p);
}

/* Whether the partner has done everything. */
static bool is_over(const wadi_zmq_port *p) {
    if (!p->options.sends) return p->receiver.ended && wadi_link_receiver_ended(&p->receiver);
    if (p->resume.on && atomic_load(&p->resume.kept_all)) return true;
    return p->sender.ended && wadi_link_sender_kept(&p->sender) == 0;
}

/* For a sender, the chunks go back into the queue. Confirmations of the last receiver do not count for the next one. */
static void clear(wadi_zmq_port *p) {
    p->sender.nonsense = NULL;
    if (p->options.sends) return;
    wadi_link_receiver_restart(&p->receiver);
    free(p->note);
    p->note = NULL;
    p->note_bytes = 0;
    p->has_stream = p->without_note = false;
    p->whole = (wadi_whole){.start = 0};
    if (wadi_zmq_gathers(p)) wadi_link_receiver_skip(&p->receiver, p->resume.have);
}

static void lose_in_link(wadi_zmq_port *p, int peer) {
    if (p->options.sends)
        wadi_link_sender_on_lost(&p->sender, peer);
    else
        wadi_link_receiver_on_lost(&p->receiver, peer);
}

/* What one of several had goes to the others. The stream breaks if there is none, and the last one has left because something is wrong. */
static void lose_one(wadi_zmq_port *p, const wadi_error *why) {
    p->sender.nonsense = p->receiver.nonsense = NULL;
    p->partner = -1;
    for (int i = 0; i < WADI_LINK_PEERS; i++)
        if (p->remotes[i].used && p->remotes[i].joined) p->partner = i;
    if (p->partner < 0) {
        p->present = false;
        p->alone_ns = wadi_clock_ns();
    }
    if (is_over(p)) return;
    wadi_zmq_note_refusal(p, why->msg);
    if (p->partner < 0 && is_unused(p)) clear(p);
    if (wadi_zmq_is_settled(p)) return; /* it lacks whoever gathers, and nobody needs the stream */
    if (p->partner >= 0 || p->left.status == WADI_OK || p->left.status == WADI_CANCELLED) return;
    if (p->broken.status == WADI_OK) p->broken = p->left;
}

void wadi_zmq_begin_anew(wadi_zmq_port *p) {
    const bool met = p->met;
    p->remotes[p->partner].used = false;
    lose_in_link(p, p->partner);
    p->partner = -1;
    p->present = p->met = false; /* nothing was lost that is to be told of */
    p->alone_ns = wadi_clock_ns();
    wadi_zmq_await(p, NULL);
    p->met = met;
}

void wadi_zmq_leave(wadi_zmq_port *p, int peer, const wadi_error *why) {
    if (p->left.status != WADI_FAULT) p->left = *why; /* of the program itself: that tells most */
    if (why->status == WADI_FAULT && p->options.sends)
        wadi_link_sender_on_fail(&p->sender, peer, 0, why->status, why->msg);
    wadi_zmq_lose(p, peer, why);
    /* those that are still there go on without it, so it is no reason to end when they are lost */
    if (p->left.status != WADI_FAULT) p->left = (wadi_error){.status = WADI_OK};
}

void wadi_zmq_lose(wadi_zmq_port *p, int peer, const wadi_error *why) {
    wadi_remote *r = &p->remotes[peer];
    if (!r->used) return;
    const bool was_partner = wadi_zmq_is_partner(p, peer);
    r->used = r->joined = false;
    if (!was_partner && wadi_zmq_has_many(p) && r->shares) p->alone_ns = wadi_clock_ns();
    if (!was_partner) return;
    lose_in_link(p, peer);
    wadi_zmq_lose_gatherer(p);
    if (wadi_zmq_has_many(p)) {
        lose_one(p, why);
        return;
    }
    p->partner = -1;
    p->present = false;
    p->alone_ns = wadi_clock_ns();
    if (wadi_zmq_comes_back(p)) {
        wadi_zmq_await(p, why);
        return;
    }
    if (is_over(p)) return;
    if (is_fresh(p)) {
        p->met = false;
        wadi_zmq_note_refusal(p, why->msg);
        clear(p);
    } else if (p->broken.status == WADI_OK) {
        p->broken = *why;
    }
}

wadi_error wadi_zmq_loss(const wadi_zmq_port *p) {
    wadi_error why = {.status = WADI_OK};
    const wadi_link_failure *f = p->options.sends ? &p->sender.received : &p->receiver.received;
    const long long kept = wadi_link_sender_kept(&p->sender);
    if (f->set) {
        (void)wadi_fail(&why, f->status == WADI_OK ? WADI_INTERNAL : f->status, "%s", f->reason);
    } else if (p->options.sends) {
        (void)wadi_fail(&why, WADI_IO,
                        "%s: the connection to the %s was lost, %lld chunk%s unconfirmed",
                        p->address, p->other, kept, kept == 1 ? "" : "s");
    } else {
        (void)wadi_fail(&why, WADI_IO, "%s: the connection to the %s was lost", p->address,
                        p->other);
    }
    return why;
}

/* ---- refusals ---- */

wadi_status wadi_zmq_check_share(const wadi_zmq_port *p, int peer, wadi_error *err) {
    /* who binds shares with several or gathers, who connects has a part */
    static const char *const shares =
        "the sender shares its stream among receivers, and the other end does not take a part of "
        "it (@link,part:ADDRESS)";
    static const char *const takes_part =
        "the sender does not share its stream among receivers, and this one takes a part "
        "(@link,share:ADDRESS on the sender's side)";
    static const char *const gathers =
        "the receiver gathers parts of a stream, and the sender has a whole one (a part is sent "
        "with @link,part:ADDRESS, a whole one read with @ADDRESS)";
    static const char *const sends_part =
        "the receiver reads a whole stream, and this sender has a part of one "
        "(@link,gather:ADDRESS on the receiver's side)";
    const bool sends = p->options.sends, other_binds = !p->options.bind;
    if (p->remotes[peer].shares == p->options.share.on) return WADI_OK;
    const bool sharing_binds = p->options.share.on ? p->options.bind : other_binds,
               sharing_sends = p->options.share.on == sends;
    return wadi_fail(err, WADI_INVALID, "%s",
                     sharing_sends ? (sharing_binds ? shares : sends_part)
                                   : (sharing_binds ? gathers : takes_part));
}

wadi_status wadi_zmq_refuse_kind(const wadi_zmq_port *p, int kind, wadi_error *err) {
    const char *why = "";
    if (!p->options.sends && kind == WADI_LINK_READY) why = ": both ends receive";
    if (p->options.sends && (kind == WADI_LINK_CHUNK || kind == WADI_LINK_NOTE))
        why = ": both ends send";
    return wadi_fail(err, WADI_IO, "link: message of kind %d makes no sense here%s", kind, why);
}

void wadi_zmq_note_refusal(wadi_zmq_port *p, const char *why) {
    (void)snprintf(p->refused, sizeof p->refused, "%s", why);
    p->refusals++;
    if (p->options.bind && p->refusals <= TOLD)
        wadi_logf(WADI_LOG_WARNING, "%s: a peer was turned away: %s%s", p->address, why,
                  p->refusals == TOLD ? " (later ones are not logged)" : "");
}

bool wadi_zmq_may_answer(wadi_zmq_port *p, int fd) {
    return wadi_replies_may(&p->replies, fd, wadi_clock_ns());
}
