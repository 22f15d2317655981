/* The receiving half of the link protocol. link.h states the rules. */
#include "sched/link/link.h"

#include <string.h>

#include "base/error.h"

void wadi_link_receiver_init(wadi_link_receiver *r, bool ordered, int64_t window_bytes,
                             int64_t window_chunks, wadi_link_drop drop, void *env) {
    memset(r, 0, sizeof *r);
    r->ordered = ordered;
    r->window_bytes = window_bytes;
    r->window_chunks = window_chunks < WADI_LINK_WINDOW ? window_chunks : WADI_LINK_WINDOW;
    r->drop = drop;
    r->env = env;
}

void wadi_link_receiver_fini(wadi_link_receiver *r) {
    for (size_t i = 0; i < r->held.n; i++) {
        if (!r->held.at[i].taken) r->drop(r->env, r->held.at[i].payload);
    }
    wadi_vec_free(&r->held);
    wadi_vec_free(&r->out);
}

void wadi_link_receiver_restart(wadi_link_receiver *r) {
    const bool ordered = r->ordered;
    int64_t (*const span)(const void *) = r->span;
    wadi_link_receiver_fini(r);
    wadi_link_receiver_init(r, ordered, r->window_bytes, r->window_chunks, r->drop, r->env);
    r->span = span;
}

void wadi_link_receiver_begin(wadi_link_receiver *r, int64_t number) {
    WADI_ASSERT(r->ordered && r->held.n == 0);
    r->next = number;
}

int wadi_link_receiver_taken(const wadi_link_receiver *r) {
    int n = 0;
    for (size_t i = 0; i < r->held.n; i++) n += r->held.at[i].taken;
    return n;
}

void wadi_link_receiver_on_join(wadi_link_receiver *r, int peer) {
    memset(&r->peer[peer], 0, sizeof r->peer[peer]);
    r->peer[peer].alive = true;
    r->peer[peer].ready = true;
}

/* The memory of a chunk from `peer` is free again; -1: from one that is lost. */
static void free_credit(wadi_link_receiver *r, int peer, int64_t bytes) {
    if (peer < 0) return;
    r->peer[peer].freed_bytes += bytes;
    r->peer[peer].freed_chunks++;
    r->peer[peer].ready = true;
}

static void say_done(wadi_link_receiver *r, int peer, int64_t number) {
    const wadi_link_message done = {.kind = WADI_LINK_DONE, .peer = peer, .number = number};
    if (!wadi_vec_push(&r->out, done)) r->out_of_memory = true;
}

/* The index in r->held where `number` is, or where it has to be inserted. */
static size_t place_of(const wadi_link_receiver *r, int64_t number) {
    size_t i = r->held.n;
    while (i > 0 && r->held.at[i - 1].number >= number) i--;
    return i;
}

/* The chunk with this number and this span, if it is held; else NULL. */
static wadi_link_held *find(const wadi_link_receiver *r, int64_t number, int64_t span) {
    for (size_t i = place_of(r, number); i < r->held.n && r->held.at[i].number == number; i++)
        if (r->held.at[i].span == span) return &r->held.at[i];
    return NULL;
}

/* Of several with this number the first that was taken: each of the next ones is longer. */
static wadi_link_held *find_taken(const wadi_link_receiver *r, int64_t number) {
    wadi_link_held *first = NULL;
    for (size_t i = place_of(r, number); i < r->held.n && r->held.at[i].number == number; i++) {
        wadi_link_held *h = &r->held.at[i];
        if (h->taken && (first == NULL || h->span < first->span)) first = h;
    }
    return first;
}

/* Within a session, a sender sends a chunk to a peer once. So if a sequence number comes again, the network has repeated the message.
 * Fewer chunks are in flight than the window has, so the bits suffice; a number beyond them is refused, too. */
static bool is_new(wadi_link_receiver *r, int peer, int64_t sequence) {
    const int64_t ahead = sequence - r->peer[peer].seen;
    if (ahead < 0 || ahead > 63 || (r->peer[peer].seen_more >> ahead & 1) != 0) return false;
    r->peer[peer].seen_more |= UINT64_C(1) << ahead;
    while ((r->peer[peer].seen_more & 1) != 0) {
        r->peer[peer].seen_more >>= 1;
        r->peer[peer].seen++;
    }
    return true;
}

static int64_t held_of(const wadi_link_receiver *r, int peer) {
    int64_t n = 0;
    for (size_t i = 0; i < r->held.n; i++) n += r->held.at[i].peer == peer;
    return n;
}

/* Whether the peer has sent none that comes before this number. */
static bool is_lowest_of(const wadi_link_receiver *r, int peer, int64_t number) {
    for (size_t i = 0; i < r->held.n; i++)
        if (r->held.at[i].peer == peer && !r->held.at[i].taken && r->held.at[i].number < number)
            return false;
    return true;
}

/* The oldest chunk of a sender may always come. Where a stream is shared, one that is older still may come behind it, each time that one of those who have a part is
 * lost. */
static bool may_hold(const wadi_link_receiver *r, const wadi_link_held *held) {
    const int64_t n = held_of(r, held->peer);
    if (n <= r->window_chunks) return true;
    const bool shared = r->span != NULL || !r->ordered;
    return shared && n <= r->window_chunks + WADI_LINK_PEERS &&
           is_lowest_of(r, held->peer, held->number);
}

static void hold(wadi_link_receiver *r, const wadi_link_held *held) {
    if (!may_hold(r, held)) {
        r->nonsense = "more chunks than were asked for";
        r->drop(r->env, held->payload);
        return;
    }
    const size_t at = place_of(r, held->number);
    if (!wadi_vec_push(&r->held, *held)) {
        r->out_of_memory = true;
        r->drop(r->env, held->payload);
        return;
    }
    memmove(&r->held.at[at + 1], &r->held.at[at], (r->held.n - 1 - at) * sizeof *held);
    r->held.at[at] = *held;
}

/* The same chunk may come from several peers, if one was wrongly thought lost. The first copy is used, and all get DONE. */
void wadi_link_receiver_on_chunk(wadi_link_receiver *r, int peer, int64_t number, int64_t sequence,
                                 int64_t bytes, void *payload) {
    const bool fresh = is_new(r, peer, sequence);
    const int64_t span = r->span != NULL ? r->span(payload) : 1;
    wadi_link_held *same = find(r, number, span);
    const bool done = r->ordered && number + span <= r->next && same == NULL;
    if (r->ended && number >= r->end) {
        r->nonsense = "a chunk beyond the end";
        r->drop(r->env, payload);
        return;
    }
    if (fresh && !done && same == NULL) {
        hold(r, &(wadi_link_held){number, bytes, payload, peer, UINT64_C(1) << peer, false, span});
        return;
    }
    r->drop(r->env, payload);
    if (fresh) free_credit(r, peer, bytes);
    if (done)
        say_done(r, peer, number);
    else if (same != NULL)
        same->senders |= UINT64_C(1) << peer;
}

/* A sender ends when all of its chunks are done. */
void wadi_link_receiver_on_end(wadi_link_receiver *r, int64_t count) {
    const bool more = r->held.n > 0 && r->held.at[r->held.n - 1].number >= count;
    if (more || (r->ordered && r->next > count) || (r->ended && r->end != count)) {
        r->nonsense = "an end that is not that of the stream";
        return;
    }
    r->ended = true;
    r->end = count;
}

void wadi_link_receiver_on_fail(wadi_link_receiver *r, int64_t number, wadi_status status,
                                const char *reason) {
    wadi_link_failure_note(&r->received, number, status, reason);
}

void wadi_link_receiver_fail(wadi_link_receiver *r, wadi_status status, const char *reason) {
    wadi_link_failure_note(&r->failure, r->next, status, reason);
}

/* Chunks that have arrived from the lost peer stay. If another peer sends them again, these are duplicates. Its number may be given to another one, of which
 * they are not. */
void wadi_link_receiver_on_lost(wadi_link_receiver *r, int peer) {
    size_t n = 0;
    r->peer[peer].alive = false;
    for (size_t i = 0; i < r->held.n; i++) {
        r->held.at[i].senders &= ~(UINT64_C(1) << peer);
        if (r->held.at[i].peer == peer) r->held.at[i].peer = -1;
    }
    for (size_t i = 0; i < r->out.n; i++)
        if (r->out.at[i].peer != peer) r->out.at[n++] = r->out.at[i];
    r->out.n = n;
}

/* Its memory is free again. */
static void let_go(wadi_link_receiver *r, size_t i) {
    const wadi_link_held h = r->held.at[i];
    free_credit(r, h.peer, h.bytes);
    for (int p = 0; p < WADI_LINK_PEERS; p++) {
        if ((h.senders >> p & 1) != 0) say_done(r, p, h.number);
    }
    r->held.n--;
    memmove(&r->held.at[i], &r->held.at[i + 1], (r->held.n - i) * sizeof r->held.at[0]);
}

/* Chunks of which everything has been passed on from others, which were cut elsewhere. At once: their senders may have nothing else to wait for, and the consumer
 * may not ask again before they have gone on. */
static void drop_covered(wadi_link_receiver *r) {
    for (size_t i = 0; r->span != NULL && r->ordered && i < r->held.n;) {
        const wadi_link_held *h = &r->held.at[i];
        if (h->number >= r->next) return;
        if (h->taken || h->number + h->span > r->next) {
            i++;
            continue;
        }
        r->drop(r->env, h->payload);
        let_go(r, i);
    }
}

void wadi_link_receiver_skip(wadi_link_receiver *r, int64_t number) {
    WADI_ASSERT(r->ordered && r->span != NULL);
    if (number <= r->next) return;
    r->next = number;
    drop_covered(r);
}

bool wadi_link_receiver_take(wadi_link_receiver *r, int64_t *out_number, void **out_payload) {
    for (size_t i = 0; i < r->held.n; i++) {
        wadi_link_held *h = &r->held.at[i];
        if (h->taken) continue;
        if (r->ordered && h->number > r->next) return false;
        if (r->received.set && h->number >= r->received.number) return false;
        h->taken = true;
        if (r->ordered) r->next = h->number + h->span;
        *out_number = h->number;
        *out_payload = h->payload;
        drop_covered(r);
        return true;
    }
    return false;
}

bool wadi_link_receiver_can_take(const wadi_link_receiver *r) {
    for (size_t i = 0; i < r->held.n; i++) {
        const wadi_link_held *h = &r->held.at[i];
        if (h->taken) continue;
        return !r->ordered || h->number <= r->next;
    }
    return false;
}

void wadi_link_receiver_done(wadi_link_receiver *r, int64_t number) {
    const wadi_link_held *h = find_taken(r, number);
    WADI_ASSERT(h != NULL);
    let_go(r, (size_t)(h - r->held.at));
}

static int64_t granted_chunks(const wadi_link_receiver *r, int peer) {
    return r->peer[peer].freed_chunks + r->window_chunks;
}

static int64_t granted_bytes(const wadi_link_receiver *r, int peer) {
    return r->peer[peer].freed_bytes + r->window_bytes;
}

static bool pop_done(wadi_link_receiver *r, wadi_link_message *out) {
    while (r->out.n > 0) {
        *out = r->out.at[0];
        r->out.n--;
        memmove(&r->out.at[0], &r->out.at[1], r->out.n * sizeof r->out.at[0]);
        if (!r->peer[out->peer].alive) continue;
        out->sequence = granted_chunks(r, out->peer);
        out->bytes = granted_bytes(r, out->peer);
        r->peer[out->peer].ready = false;
        return true;
    }
    return false;
}

static bool pop_ready(wadi_link_receiver *r, wadi_link_message *out) {
    for (int p = 0; p < WADI_LINK_PEERS; p++) {
        if (!r->peer[p].alive || !r->peer[p].ready) continue;
        r->peer[p].ready = false;
        *out = (wadi_link_message){.kind = WADI_LINK_READY,
                                   .peer = p,
                                   .number = granted_chunks(r, p),
                                   .bytes = granted_bytes(r, p)};
        return true;
    }
    return false;
}

static bool pop_fail(wadi_link_receiver *r, wadi_link_message *out) {
    for (int p = 0; r->failure.set && p < WADI_LINK_PEERS; p++) {
        if (!r->peer[p].alive || r->peer[p].told_fail) continue;
        r->peer[p].told_fail = true;
        *out = wadi_link_failure_told(&r->failure, p);
        return true;
    }
    return false;
}

bool wadi_link_receiver_pop(wadi_link_receiver *r, wadi_link_message *out) {
    return pop_fail(r, out) || pop_done(r, out) || pop_ready(r, out);
}

static bool handed_out(const wadi_link_receiver *r, int64_t count) {
    if (r->ordered) return r->next >= count;
    for (size_t i = 0; i < r->held.n; i++) {
        if (!r->held.at[i].taken && r->held.at[i].number < count) return false;
    }
    return true;
}

bool wadi_link_receiver_ended(const wadi_link_receiver *r) {
    return r->ended && handed_out(r, r->end);
}

const wadi_link_failure *wadi_link_receiver_failed(const wadi_link_receiver *r) {
    return r->received.set && handed_out(r, r->received.number) ? &r->received : NULL;
}

int wadi_link_receiver_peers(const wadi_link_receiver *r) {
    int n = 0;
    for (int p = 0; p < WADI_LINK_PEERS; p++) n += r->peer[p].alive;
    return n;
}

int64_t wadi_link_receiver_held(const wadi_link_receiver *r, int64_t *out_bytes) {
    *out_bytes = 0;
    for (size_t i = 0; i < r->held.n; i++) *out_bytes += r->held.at[i].bytes;
    return (int64_t)r->held.n;
}
