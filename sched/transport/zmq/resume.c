/* Streams that are gone on with after one of the partners was lost. Positions are numbers of elements: another process of the sender cuts the
 * stream into other chunks.
 *
 * The receiver begins anew with each partner, at the first chunk that comes, and passes on what it has not passed on before. The
 * sender keeps what is not done, and holds it back until the receiver has said how far it is. */
#define _DEFAULT_SOURCE /* explicit_bzero */
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/log.h"
#include "sched/transport/zmq/inside.h"

/* ---- losing and meeting ---- */

bool wadi_zmq_comes_back(const wadi_zmq_port *p) {
    const wadi_resume *r = &p->resume;
    if (!wadi_zmq_is_lasting(p) || p->broken.status != WADI_OK) return false;
    if (p->options.sends) return !p->sender.received.set && !atomic_load(&r->kept_all);
    if (p->receiver.received.set) return false;
    return !wadi_link_receiver_ended(&p->receiver) || !wadi_zmq_is_heard(p);
}

void wadi_zmq_await(wadi_zmq_port *p, const wadi_error *why) {
    wadi_resume *r = &p->resume;
    if (p->met)
        wadi_logf(WADI_LOG_WARNING, "%s; it may come back within %.3g s", why->msg,
                  (double)p->options.lost_after_ns / 1e9);
    r->reopen = !p->options.bind;
    p->sender.nonsense = NULL;
    if (p->options.sends) {
        p->sender.holds = r->on;
        r->have = -1;
        return;
    }
    p->told.from = p->noted = false;
    if (p->options.share.on)
        p->session++;
    else
        r->stale += wadi_link_receiver_taken(&p->receiver);
    wadi_link_receiver_restart(&p->receiver);
    r->due = r->said = r->begun = r->told_all = false;
    r->told = -1;
}

bool wadi_zmq_try_again(wadi_zmq_port *p) {
    static const int64_t PAUSE_NS = 100000000;
    wadi_resume *r = &p->resume;
    const bool accepted = p->options.sends ? r->have >= 0 : r->said;
    if (!r->on || p->options.bind || accepted) return false;
    wadi_link_sender_on_lost(&p->sender, 0);
    p->remotes[0].used = p->present = false;
    p->partner = -1;
    r->reopen = true;
    r->reopen_ns = wadi_clock_ns() + PAUSE_NS;
    return true;
}

wadi_status wadi_zmq_check_wanted(const wadi_zmq_port *p, uint64_t id, wadi_error *err) {
    if (p->resume.wanted == 0 || p->resume.wanted == id) return WADI_OK;
    return wadi_fail(err, WADI_INVALID,
                     "the receiver waits for the rest of another stream, of which it has %lld "
                     "elements",
                     (long long)p->resume.have);
}

void wadi_zmq_begin_at(wadi_zmq_port *p, int64_t number) {
    wadi_resume *r = &p->resume;
    if (!r->on || r->begun) return;
    r->begun = true;
    wadi_link_receiver_begin(&p->receiver, number);
}

/* ---- sender ---- */

static bool is_behind(const void *env, const void *payload) {
    const wadi_chunk *c = payload;
    return c->first + c->count <= *(const int64_t *)env;
}

int64_t wadi_zmq_first_at_hand(const wadi_zmq_port *p) {
    if (p->sender.kept.n == 0) return p->resume.put;
    return ((const wadi_chunk *)p->sender.kept.at[0].payload)->first;
}

wadi_status wadi_zmq_on_from(wadi_zmq_port *p, const wadi_control *c, wadi_error *err) {
    wadi_resume *r = &p->resume;
    if (!r->on || !r->named || (uint64_t)c->sequence != p->options.stream.id)
        return wadi_fail(err, WADI_IO, "link: a place in another stream");
    if (wadi_zmq_first_at_hand(p) > c->number) { /* the receiver waits for who will be started */
        (void)wadi_fail(&p->broken, WADI_IO,
                        "%s: the receiver has %lld elements, and those behind them are gone here: "
                        "the sender has to be started again",
                        p->address, (long long)c->number);
        return WADI_OK;
    }
    r->have = c->number;
    wadi_link_sender_skip(&p->sender, is_behind, &r->have);
    p->sender.holds = false;
    return WADI_OK;
}

static bool any(const void *env, const void *payload) {
    WADI_UNUSED(env);
    WADI_UNUSED(payload);
    return true;
}

/* Whoever gathers knows the end, and has all: what is still kept here it has from others. The sender of the whole has heard of all chunks before. */
static wadi_status on_over(wadi_zmq_port *p, const wadi_control *c, wadi_error *err) {
    const bool lacks =
                   p->options.bind && (!p->sender.ended || wadi_link_sender_kept(&p->sender) > 0),
               other =
                   (p->options.bind || p->named) && (uint64_t)c->sequence != p->options.stream.id;
    if ((int)c->status != 1 || lacks || other)
        return wadi_fail(err, WADI_IO, "link: the end of a stream is confirmed that has not ended");
    atomic_store(&p->resume.kept_all, true);
    wadi_link_sender_skip(&p->sender, any, NULL);
    return WADI_OK;
}

wadi_status wadi_zmq_on_kept(wadi_zmq_port *p, const wadi_control *c, wadi_error *err) {
    wadi_resume *r = &p->resume;
    if (p->options.share.on) return on_over(p, c, err);
    if (!r->on || !r->named || (uint64_t)c->sequence != p->options.stream.id)
        return wadi_fail(err, WADI_IO, "link: a place in another stream");
    if (c->number > atomic_load(&r->kept)) atomic_store(&r->kept, c->number);
    if ((int)c->status != 1) return WADI_OK;
    atomic_store(&r->kept_all, true);
    r->heard = true;
    wadi_link_sender_skip(&p->sender, any, NULL);
    return WADI_OK;
}

bool wadi_zmq_is_had(wadi_zmq_port *p, const wadi_chunk *c) {
    wadi_resume *r = &p->resume;
    const int64_t end = c->first + c->count;
    if (!r->on) return false;
    if (end > r->put) r->put = end;
    return end <= r->have;
}

/* ---- receiver ---- */

static wadi_control place(const wadi_zmq_port *p, int kind, int64_t number, bool all) {
    return (wadi_control){.kind = kind,
                          .status = (wadi_status)(all ? 1 : 0),
                          .number = number,
                          .sequence = (int64_t)p->stream_id};
}

bool wadi_zmq_is_heard(const wadi_zmq_port *p) {
    return !p->resume.on || !p->resume.hears || p->resume.heard;
}

wadi_status wadi_zmq_on_heard(wadi_zmq_port *p, const wadi_control *c, wadi_error *err) {
    wadi_resume *r = &p->resume;
    if (!r->on || !r->told_all || (uint64_t)c->sequence != p->stream_id)
        return wadi_fail(err, WADI_IO, "link: an answer to what was not said");
    r->heard = true;
    return WADI_OK;
}

/* The sender's one. */
static bool next_word(wadi_zmq_port *p, wadi_control *out) {
    const bool due = p->resume.heard && p->remotes[p->partner].version >= WADI_CONTROL_HEARS;
    p->resume.heard = false;
    *out = (wadi_control){.kind = WADI_CONTROL_HEARD, .sequence = (int64_t)p->options.stream.id};
    return due;
}

bool wadi_zmq_next_place(wadi_zmq_port *p, wadi_control *out) {
    wadi_resume *r = &p->resume;
    const int64_t kept = atomic_load(&r->kept);
    const bool all = atomic_load(&r->kept_all);
    if (!r->on || p->partner < 0) return false;
    if (p->options.sends) return next_word(p, out);
    if (!r->asked) return false;
    if (r->due) {
        r->due = false;
        r->said = true;
        *out = place(p, WADI_CONTROL_FROM, r->have, false);
        return true;
    }
    if (!r->said || (kept <= r->told && all == r->told_all)) return false;
    r->told = kept;
    r->told_all = all;
    *out = place(p, WADI_CONTROL_KEPT, kept, all);
    return true;
}

wadi_status wadi_zmq_trim(wadi_zmq_port *p, wadi_chunk **c, wadi_error *err) {
    wadi_resume *r = &p->resume;
    wadi_chunk *whole = *c, *rest = NULL;
    const int64_t end = whole->first + whole->count, had = r->have - whole->first;
    if (!r->on && !wadi_zmq_gathers(p)) return WADI_OK;
    if (had < 0) {
        *c = NULL;
        (void)wadi_fail(err, WADI_IO, "link: element %lld comes where %lld is expected",
                        (long long)whole->first, (long long)r->have);
        wadi_chunk_release(whole);
        return WADI_IO;
    }
    if (had == 0) {
        r->have = end;
        return WADI_OK;
    }
    wadi_status status = WADI_OK;
    if (had < whole->count) status = wadi_chunk_slice(whole, had, whole->count - had, &rest, err);
    if (rest != NULL) {
        rest->number = whole->number;
        r->have = end;
    }
    wadi_chunk_release(whole);
    *c = rest;
    return status;
}

/* ---- connecting anew ---- */

static const char *copy_key(char to[48], const char *key) {
    if (key == NULL || strlen(key) >= 48) return key;
    memcpy(to, key, strlen(key) + 1);
    return to;
}

void wadi_zmq_keep_keys(wadi_zmq_port *p) {
    wadi_port_options *o = &p->options;
    o->curve_public = copy_key(p->resume.keys[0], o->curve_public);
    o->curve_secret = copy_key(p->resume.keys[1], o->curve_secret);
    o->curve_server = copy_key(p->resume.keys[2], o->curve_server);
}

void wadi_zmq_wipe_keys(wadi_zmq_port *p) {
    explicit_bzero(p->resume.keys, sizeof p->resume.keys);
}
