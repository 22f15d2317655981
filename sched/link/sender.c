/* The sending half of the link protocol. link.h states the rules. */
#include "sched/link/link.h"

#include <string.h>

#include "base/error.h"

void wadi_link_sender_init(wadi_link_sender *s, wadi_link_drop drop, void *env) {
    memset(s, 0, sizeof *s);
    s->last_sent = -1;
    s->drop = drop;
    s->env = env;
}

void wadi_link_sender_fini(wadi_link_sender *s) {
    for (size_t i = 0; i < s->kept.n; i++) s->drop(s->env, s->kept.at[i].payload);
    wadi_vec_free(&s->kept);
}

bool wadi_link_sender_push(wadi_link_sender *s, int64_t number, int64_t bytes, void *payload) {
    WADI_ASSERT(!s->ended);
    const wadi_link_kept kept = {.number = number, .bytes = bytes, .payload = payload, .peer = -1};
    if (!wadi_vec_push(&s->kept, kept)) return false;
    size_t at = s->kept.n - 1;
    for (; at > 0 && s->kept.at[at - 1].number > number; at--) s->kept.at[at] = s->kept.at[at - 1];
    s->kept.at[at] = kept;
    return true;
}

void wadi_link_sender_end(wadi_link_sender *s, int64_t count) {
    s->ended = true;
    s->end = count;
}

void wadi_link_sender_fail(wadi_link_sender *s, int64_t number, wadi_status status,
                           const char *reason) {
    wadi_link_failure_note(&s->failure, number, status, reason);
}

void wadi_link_sender_on_join(wadi_link_sender *s, int peer) {
    wadi_link_sender_on_lost(s, peer);
    memset(&s->peer[peer], 0, sizeof s->peer[peer]);
    s->peer[peer].alive = true;
}

static int64_t larger(int64_t a, int64_t b) {
    return a > b ? a : b;
}

void wadi_link_sender_on_ready(wadi_link_sender *s, int peer, int64_t bytes, int64_t chunks) {
    s->peer[peer].granted_bytes = larger(s->peer[peer].granted_bytes, bytes);
    s->peer[peer].granted_chunks = larger(s->peer[peer].granted_chunks, chunks);
}

/* Whether the chunk has never been sent, or does not exist yet. Numbers rise, so a chunk that is not kept, and whose number is no larger than
 * one that was sent, is done. */
static bool is_unsent(const wadi_link_sender *s, int64_t number) {
    for (size_t i = 0; i < s->kept.n; i++)
        if (s->kept.at[i].number == number) return !s->kept.at[i].sent;
    return number > s->last_sent;
}

/* A chunk may have been sent to two peers, if one was wrongly thought lost. It is done when the first of them says so. */
void wadi_link_sender_on_done(wadi_link_sender *s, int peer, int64_t number, int64_t bytes,
                              int64_t chunks) {
    wadi_link_sender_on_ready(s, peer, bytes, chunks);
    for (size_t i = 0; i < s->kept.n; i++) {
        if (s->kept.at[i].number != number) continue;
        if (!s->kept.at[i].sent) break;
        s->confirmed = true;
        s->drop(s->env, s->kept.at[i].payload);
        s->kept.n--;
        memmove(&s->kept.at[i], &s->kept.at[i + 1], (s->kept.n - i) * sizeof s->kept.at[0]);
        return;
    }
    if (is_unsent(s, number)) s->nonsense = "a chunk is confirmed that was not sent";
}

void wadi_link_sender_on_vain(wadi_link_sender *s, int peer, int64_t number, int64_t bytes,
                              int64_t chunks) {
    wadi_link_sender_on_ready(s, peer, bytes, chunks);
    for (size_t i = 0; i < s->kept.n; i++)
        if (s->kept.at[i].number == number && s->kept.at[i].peer == peer) s->kept.at[i].peer = -1;
}

void wadi_link_sender_on_fail(wadi_link_sender *s, int peer, int64_t number, wadi_status status,
                              const char *reason) {
    WADI_UNUSED(peer);
    wadi_link_failure_note(&s->received, number, status, reason);
}

void wadi_link_sender_on_lost(wadi_link_sender *s, int peer) {
    s->peer[peer].alive = false;
    for (size_t i = 0; i < s->kept.n; i++) {
        if (s->kept.at[i].peer == peer) s->kept.at[i].peer = -1;
    }
}

void wadi_link_sender_skip(wadi_link_sender *s, bool (*had)(const void *env, const void *payload),
                           const void *env) {
    size_t n = 0;
    while (n < s->kept.n && had(env, s->kept.at[n].payload)) {
        if (s->kept.at[n].number > s->last_sent) s->last_sent = s->kept.at[n].number;
        s->drop(s->env, s->kept.at[n++].payload);
    }
    s->kept.n -= n;
    if (n > 0) memmove(&s->kept.at[0], &s->kept.at[n], s->kept.n * sizeof s->kept.at[0]);
}

/* Bytes of the chunks that are sent and not done. */
static int64_t bytes_out(const wadi_link_sender *s) {
    int64_t bytes = 0;
    for (size_t i = 0; i < s->kept.n; i++)
        bytes += s->kept.at[i].peer >= 0 ? s->kept.at[i].bytes : 0;
    return bytes;
}

static bool has_credit(const wadi_link_sender *s, int peer, int64_t bytes) {
    if (s->most_bytes > 0 && bytes > s->most_bytes - bytes_out(s)) return false;
    return s->peer[peer].sent_chunks < s->peer[peer].granted_chunks &&
           s->peer[peer].sent_bytes + bytes <= s->peer[peer].granted_bytes;
}

/* The idlest peer that may get a chunk: of those that have asked, the one with the fewest chunks in flight. -1: none may. */
static int choose_peer(const wadi_link_sender *s, int64_t bytes, bool oldest) {
    int best = -1;
    int64_t best_room = INT64_MIN;
    for (int p = 0; p < WADI_LINK_PEERS; p++) {
        if (!s->peer[p].alive || s->peer[p].granted_chunks == 0) continue;
        if (!oldest && !has_credit(s, p, bytes)) continue;
        const int64_t room = s->peer[p].granted_chunks - s->peer[p].sent_chunks;
        if (room > best_room) {
            best = p;
            best_room = room;
        }
    }
    return best;
}

static bool pop_chunk(wadi_link_sender *s, wadi_link_message *out) {
    for (size_t i = 0; i < s->kept.n && !s->holds; i++) {
        wadi_link_kept *k = &s->kept.at[i];
        if (k->peer >= 0) continue;
        const int peer = choose_peer(s, k->bytes, i == 0);
        if (peer < 0) return false; /* lower numbers first: later ones wait behind it */
        k->peer = peer;
        k->sent = true;
        if (k->number > s->last_sent) s->last_sent = k->number;
        s->peer[peer].sent_bytes += k->bytes;
        const int64_t sequence = s->peer[peer].sent_chunks++;
        *out = (wadi_link_message){.kind = WADI_LINK_CHUNK,
                                   .peer = peer,
                                   .number = k->number,
                                   .bytes = k->bytes,
                                   .sequence = sequence,
                                   .payload = k->payload};
        return true;
    }
    return false;
}

static bool pop_fail(wadi_link_sender *s, wadi_link_message *out) {
    for (int p = 0; s->failure.set && p < WADI_LINK_PEERS; p++) {
        if (!s->peer[p].alive || s->peer[p].told_fail) continue;
        s->peer[p].told_fail = true;
        *out = wadi_link_failure_told(&s->failure, p);
        return true;
    }
    return false;
}

/* Whether the peer has asked for chunks. Before that, it may not be there to receive messages. */
static bool listens(const wadi_link_sender *s, int peer) {
    return s->peer[peer].alive && s->peer[peer].granted_chunks > 0;
}

static bool pop_note(wadi_link_sender *s, wadi_link_message *out) {
    for (int p = 0; p < WADI_LINK_PEERS; p++) {
        if (!listens(s, p) || s->peer[p].told_note) continue;
        s->peer[p].told_note = true;
        *out = (wadi_link_message){.kind = WADI_LINK_NOTE, .peer = p};
        return true;
    }
    return false;
}

static bool pop_end(wadi_link_sender *s, wadi_link_message *out) {
    if (!s->ended || s->kept.n > 0 || s->holds) return false;
    for (int p = 0; p < WADI_LINK_PEERS; p++) {
        if (!listens(s, p) || s->peer[p].told_end) continue;
        s->peer[p].told_end = true;
        *out = (wadi_link_message){.kind = WADI_LINK_END, .peer = p, .number = s->end};
        return true;
    }
    return false;
}

bool wadi_link_sender_pop(wadi_link_sender *s, wadi_link_message *out) {
    return pop_fail(s, out) || pop_note(s, out) || pop_chunk(s, out) || pop_end(s, out);
}

int64_t wadi_link_sender_queued(const wadi_link_sender *s) {
    int64_t n = 0;
    for (size_t i = 0; i < s->kept.n; i++) n += s->kept.at[i].peer < 0;
    return n;
}

int64_t wadi_link_sender_kept(const wadi_link_sender *s) {
    return (int64_t)s->kept.n;
}

int wadi_link_sender_peers(const wadi_link_sender *s) {
    int n = 0;
    for (int p = 0; p < WADI_LINK_PEERS; p++) n += s->peer[p].alive;
    return n;
}
