/* Where a stream is that several processes share. Whoever gathers says to each of those that have a part what it has, and they pass it on to the sender:
 *
 *     gatherer  -- FROM, KEPT -->  {parts}  -- FROM, KEPT -->  sender
 *
 * FROM names the process that gathers. The sender forgets what that one has had. If it ends and another one takes its place, the other lacks what
 * was not saved: those that have a part begin anew with their sender, which sends again what nobody has confirmed to this one, or ends with an error if it
 * has forgotten too much. What a part says of an earlier one counts for nothing.
 *
 * A sender that goes on says at which element it begins (FROM, too), and they pass it on to the gatherer, which has to have those before. */

#include "base/error.h"
#include "base/random.h"
#include "sched/transport/zmq/inside.h"

/* ---- whoever gathers ---- */

void wadi_zmq_name_gatherer(wadi_zmq_port *p) {
    p->gathered.by = (wadi_random_number(p) >> 1) | 1;
}

wadi_status wadi_zmq_check_places(const wadi_zmq_port *p, int peer, wadi_error *err) {
    if (!p->whole.lasts || p->remotes[peer].version >= WADI_CONTROL_PLACES) return WADI_OK;
    return wadi_fail(err, WADI_UNSUPPORTED,
                     "%s: the %s speaks version %d of the protocol, and streams that are shared "
                     "are gone on with from version %d on",
                     p->address, p->other, p->remotes[peer].version, (int)WADI_CONTROL_PLACES);
}

wadi_status wadi_zmq_on_start(wadi_zmq_port *p, const wadi_control *c, wadi_error *err) {
    if (!p->options.share.on || !p->has_stream || (uint64_t)c->sequence != p->stream_id ||
        c->number < 0)
        return wadi_fail(err, WADI_IO, "link: the beginning of another stream");
    p->whole.start = c->number;
    return WADI_OK;
}

void wadi_zmq_check_start(wadi_zmq_port *p) {
    if (!p->resume.asked || p->whole.start <= p->resume.have || p->broken.status != WADI_OK) return;
    (void)wadi_fail(
        &p->broken, WADI_INVALID,
        "%s: the sender goes on behind %lld elements, and %lld of them are here: it has to "
        "begin anew, without its state",
        p->address, (long long)p->whole.start, (long long)p->resume.have);
}

/* FROM, and KEPT once there is more of it. */
static bool next_of(const wadi_gatherer *g, uint64_t stream, wadi_told_place *told,
                    wadi_control *out) {
    *out = (wadi_control){.sequence = (int64_t)stream};
    if (!told->from) {
        *told = (wadi_told_place){.from = true};
        out->kind = WADI_CONTROL_FROM;
        out->number = g->have;
        out->bytes = (int64_t)g->by;
        out->status = (wadi_status)(g->saves ? 1 : 0);
        return true;
    }
    if (!g->saves || g->kept <= told->kept) return false;
    told->kept = g->kept;
    out->kind = WADI_CONTROL_KEPT;
    out->number = g->kept;
    return true;
}

static bool next_of_gatherer(wadi_zmq_port *p, int peer, wadi_control *out) {
    wadi_remote *r = &p->remotes[peer];
    const wadi_gatherer self = {.by = p->gathered.by,
                                .have = p->resume.have,
                                .kept = atomic_load(&p->resume.kept),
                                .saves = atomic_load(&p->resume.keeps)};
    return r->used && r->joined && r->version >= WADI_CONTROL_PLACES && p->has_stream &&
           p->resume.asked && next_of(&self, p->stream_id, &r->told, out);
}

/* ---- those that have a part ---- */

static void meet_gatherer(wadi_zmq_port *p, const wadi_control *c) {
    const uint64_t by = (uint64_t)c->bytes;
    const bool other = p->last_by != 0 && by != p->last_by;
    p->last_by = by;
    p->gathered = (wadi_gatherer){.by = by,
                                  .have = c->number,
                                  .saves = (int)c->status == 1,
                                  .changes = p->gathered.changes + (other ? 1 : 0)};
}

/* Their side that sends: from the gatherer. */
static wadi_status hear(wadi_zmq_port *p, const wadi_control *c, wadi_error *err) {
    if (c->number < 0 || (c->kind == WADI_CONTROL_FROM && c->bytes <= 0))
        return wadi_fail(err, WADI_IO, "link: no place in a stream");
    if (c->kind == WADI_CONTROL_FROM)
        meet_gatherer(p, c);
    else if (c->number > p->gathered.kept)
        p->gathered.kept = c->number;
    if (p->options.share.gathered != NULL)
        p->options.share.gathered(p->options.share.env, &p->gathered);
    return WADI_OK;
}

void wadi_zmq_lose_gatherer(wadi_zmq_port *p) {
    if (!p->options.share.on || p->options.bind || !p->options.sends || p->closing) return;
    p->gathered = (wadi_gatherer){.changes = p->gathered.changes};
    if (p->options.share.gathered != NULL)
        p->options.share.gathered(p->options.share.env, &p->gathered);
}

/* The sender has been started again, and begins elsewhere. */
static bool next_start(wadi_zmq_port *p, wadi_control *out) {
    if (p->partner < 0 || !p->sender.peer[p->partner].told_note || p->told_start == p->whole.start)
        return false;
    p->told_start = p->whole.start;
    *out = (wadi_control){.kind = WADI_CONTROL_FROM,
                          .number = p->whole.start,
                          .sequence = (int64_t)p->options.stream.id};
    return true;
}

/* Their side that receives: to the sender. What they have had of it may be with the earlier gatherer, so they begin anew with another one. */
bool wadi_zmq_pass_on(wadi_zmq_port *p, const wadi_gatherer *what) {
    const bool other = what->changes != p->gathered.changes;
    if (what->by != p->gathered.by) p->told.from = false;
    p->gathered = *what;
    return other;
}

static bool next_of_part(wadi_zmq_port *p, wadi_control *out) {
    return p->partner >= 0 && p->noted && p->gathered.by != 0 &&
           p->remotes[p->partner].version >= WADI_CONTROL_PLACES &&
           next_of(&p->gathered, p->stream_id, &p->told, out);
}

/* ---- the sender ---- */

/* All are told what to do. Those who have parts wait for the sender meanwhile, if it can go on behind what was saved; else they end. */
static void check_forgotten(wadi_zmq_port *p, int64_t have, int64_t forgotten) {
    const bool lasts = p->options.goes_on, waits = lasts && p->gathered.saves;
    if (have >= forgotten || p->broken.status != WADI_OK) return;
    (void)wadi_fail(
        &p->broken, WADI_IO,
        "%s: start %s: whoever gathers the stream has %lld elements, and %lld that an earlier one "
        "has had are gone at the sender",
        p->address,
        waits   ? "the sender again, for which the others wait"
        : lasts ? "all again, the sender without its state, since whoever gathers has none"
                : "all again, since the sender has no state (--state)",
        (long long)have, (long long)forgotten);
    wadi_link_sender_fail(&p->sender, 0, waits ? WADI_CANCELLED : WADI_IO, p->broken.msg);
}

bool wadi_zmq_is_put_off(const wadi_zmq_port *p, const wadi_control *c) {
    return p->options.share.on && !p->options.bind && !p->options.sends && p->whole.lasts &&
           c->status == WADI_CANCELLED;
}

/* With nobody left who knows of the present one, another one is. It may lack what the present one had: whoever has named that one was late. */
static void forget_gatherer(wadi_zmq_port *p) {
    const wadi_remote *other = NULL;
    for (int i = 0; i < WADI_LINK_PEERS; i++) {
        const wadi_remote *r = &p->remotes[i];
        if (!r->used || !r->joined || r->by == 0) continue;
        if (r->by == p->gathered.by) return;
        other = r;
    }
    if (other == NULL) return;
    p->gathered.by = other->by;
    check_forgotten(p, other->have, other->lacks);
}

void wadi_zmq_note_forgotten(wadi_zmq_port *p, int64_t end) {
    if (end > p->forgotten) p->forgotten = end;
    for (int i = 0; i < WADI_LINK_PEERS; i++) {
        wadi_remote *r = &p->remotes[i];
        if (r->used && r->by != 0 && r->by != p->gathered.by && end > r->lacks) r->lacks = end;
    }
}

/* ---- the sender: an end that outlives it ---- */

static void confirm(wadi_zmq_port *p, bool all) {
    p->confirmed = all;
    if (p->options.share.confirmed != NULL)
        p->options.share.confirmed(p->options.share.env, all, p->gathered.by);
}

/* Somebody is there who is told the end as soon as all is done. */
static bool has_somebody_to_tell(const wadi_zmq_port *p) {
    for (int i = 0; i < WADI_LINK_PEERS; i++)
        if (p->sender.peer[i].alive && p->sender.peer[i].granted_chunks > 0) return true;
    return false;
}

void wadi_zmq_note_confirmed(wadi_zmq_port *p) {
    const bool all = p->sender.ended && wadi_link_sender_kept(&p->sender) == 0;
    if (!p->whole.lasts || !all || p->confirmed || p->broken.status != WADI_OK) return;
    if (has_somebody_to_tell(p)) confirm(p, true);
}

bool wadi_zmq_is_settled(const wadi_zmq_port *p) {
    return p->options.sends && wadi_zmq_has_many(p) && p->whole.confirmed &&
           (p->gathered.by == 0 || p->gathered.by == p->whole.confirmed_by);
}

/* Where another process gathers than the one that had all, what an earlier process of the sender has heard says nothing of it. That one itself may still be named by those who are about to end. */
static void doubt_end(wadi_zmq_port *p, uint64_t by) {
    const bool before = wadi_zmq_is_settled(p) && by != p->whole.confirmed_by;
    if (p->confirmed || before) confirm(p, false);
}

static wadi_status on_from(wadi_zmq_port *p, int peer, const wadi_control *c, wadi_error *err) {
    const uint64_t by = (uint64_t)c->bytes;
    if (c->bytes <= 0 || c->number < 0 || (uint64_t)c->sequence != p->options.stream.id)
        return wadi_fail(err, WADI_IO, "link: a place in another stream");
    p->remotes[peer].by = by;
    p->remotes[peer].have = c->number;
    p->remotes[peer].lacks = 0;
    if (by == p->gathered.by) return WADI_OK;
    doubt_end(p, by);
    if (p->gathered.by != 0) check_forgotten(p, c->number, p->forgotten);
    p->gathered.by = by;
    p->gathered.saves = (int)c->status == 1;
    return WADI_OK;
}

static wadi_status on_kept(wadi_zmq_port *p, const wadi_control *c, wadi_error *err) {
    if (c->number < 0 || (uint64_t)c->sequence != p->options.stream.id)
        return wadi_fail(err, WADI_IO, "link: a place in another stream");
    if (c->number > atomic_load(&p->resume.kept)) atomic_store(&p->resume.kept, c->number);
    return WADI_OK;
}

bool wadi_zmq_counts(wadi_zmq_port *p, int peer) {
    const uint64_t by = p->remotes[peer].by;
    if (!wadi_zmq_has_many(p) || by == 0) return true;
    forget_gatherer(p);
    return by == p->gathered.by;
}

/* Where nobody gathers, what was done is with the sinks of those that have a part. */
void wadi_zmq_note_certain(wadi_zmq_port *p) {
    if (!wadi_zmq_has_many(p) || p->gathered.saves) return;
    const int64_t first = wadi_zmq_first_at_hand(p);
    if (first > atomic_load(&p->resume.kept)) atomic_store(&p->resume.kept, first);
}

/* ---- all ---- */

wadi_status wadi_zmq_on_shared_place(wadi_zmq_port *p, int peer, const wadi_control *c,
                                     wadi_error *err) {
    if (!p->options.bind) return hear(p, c, err);
    return c->kind == WADI_CONTROL_FROM ? on_from(p, peer, c, err) : on_kept(p, c, err);
}

bool wadi_zmq_next_shared_place(wadi_zmq_port *p, int *out_peer, wadi_control *out) {
    *out_peer = p->partner;
    if (!p->options.share.on) return false;
    if (p->options.sends) return !p->options.bind && next_start(p, out);
    if (!p->options.bind) return next_of_part(p, out);
    for (int i = 0; i < WADI_LINK_PEERS; i++) {
        *out_peer = i;
        if (next_of_gatherer(p, i, out)) return true;
    }
    return false;
}
