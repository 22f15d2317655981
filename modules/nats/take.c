/* Pulling from a stream: requests for messages, the frames of large ones, acknowledgements.
 *
 * Requests expire, and are made anew, at once after an outage. What is held for long is told to the server now and then, or it would give it to others. */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/usual.h"
#include "modules/nats/inside.h"
#include "sched/work/hang.h"

enum {
    FRAMES_ASKED = 8,
    AHEAD_BYTES = 4 << 20,
    CAREFUL = 32, /* items that are asked for one by one when one was with another worker before */
};

static const int64_t expires_ns = 5000000000, grace_ns = 1000000000, asked_again_ns = 5000000000,
                     ahead_ns = 50000000, later_ns = 2000000000,
                     nobody_ns = 250000000; /* then home or the server may be there */

/* Out of the subject of an acknowledgement: how often the message was delivered, its number in the stream, and how many wait behind it. False: it is no such subject. */
static bool read_ack(const char *ack, int64_t *deliveries, int64_t *seq, int64_t *behind) {
    /* $JS.ACK.STREAM.CONSUMER.DELIVERED.SEQ.SEQ.TIME.PENDING, or with domain, account and a word at the end */
    const char *word[13];
    int words = 0;
    for (const char *at = ack; at != NULL && words < 13; at = strchr(at, '.')) {
        at += words > 0;
        word[words++] = at;
    }
    if (strncmp(ack, "$JS.ACK.", 8) != 0 || (words != 9 && words != 11 && words != 12))
        return false;
    int64_t *const out[] = {deliveries, seq};
    for (int i = 0; i < 2; i++) {
        char *end = NULL;
        const char *number = word[(words == 9 ? 4 : 6) + i];
        *out[i] = strtoll(number, &end, 10);
        if (end == number || *end != '.' || *out[i] <= 0) return false;
    }
    *behind = strtoll(word[words == 9 ? 8 : 10], NULL, 10);
    return true;
}

/* ---- deliveries ---- */

/* What is given back at once comes at once, to whoever has asked: perhaps to us, each time as delivered once more. But nobody has it meanwhile, so it waits no longer than
 * that of a lost worker. */
static void give_back_later(wadi_nats_queue *q, const char *ack) {
    char word[48];
    const int64_t ack_wait_ns = q->record.ack_wait_ms * 1000000;
    const int n = snprintf(word, sizeof word, "-NAK {\"delay\": %" PRId64 "}",
                           ack_wait_ns < later_ns ? ack_wait_ns : later_ns);
    wadi_nats_say(q, ack, NULL, word, n);
}

static void leave_to_others(wadi_nats_queue *q, wadi_nats_delivery *d) {
    if (!d->stale) give_back_later(q, d->ack);
    wadi_nats_forget_one(q, d);
}

void wadi_nats_stay_alone(wadi_nats_queue *q) {
    q->alone = true;
    for (size_t i = q->deliveries.n; i-- > 0;) {
        wadi_nats_delivery *d = q->deliveries.at[i];
        if (d->stage >= WADI_NATS_TAKEN || d->deliveries >= WADI_JET_DELIVERIES) continue;
        leave_to_others(q, d);
    }
}

wadi_nats_delivery *wadi_nats_ready(wadi_nats_queue *q) {
    for (size_t i = 0; i < q->deliveries.n; i++)
        if (q->deliveries.at[i]->stage == WADI_NATS_READY) return q->deliveries.at[i];
    return NULL;
}

/* Its bytes are not what the label says. Whoever takes it sees that by its status. */
static void spoil(wadi_nats_queue *q, wadi_nats_delivery *d) {
    free(d->bytes);
    d->bytes = NULL;
    d->label.bytes = 0;
    d->label.status = WADI_IO;
    d->stage = WADI_NATS_READY;
    wadi_nats_ring(q);
}

/* All its bytes are there. */
static void complete(wadi_nats_queue *q, wadi_nats_delivery *d) {
    if (wadi_crc32c(0, d->bytes, (size_t)d->label.bytes) != d->label.crc) {
        spoil(q, d);
        return;
    }
    d->stage = WADI_NATS_READY;
    wadi_nats_ring(q);
}

/* ---- messages ---- */

static void forget_request(wadi_nats_queue *q) {
    memmove(q->asked.at, q->asked.at + 1, (q->asked.n - 1) * sizeof q->asked.at[0]);
    q->asked.n--;
}

/* So many messages that were asked for have come, or do not come. The server may take turns with requests, so only their sum is sure. */
static void answered_request(wadi_nats_queue *q, int64_t messages) {
    while (q->asked.n > 0 && q->asked.at[0].left <= messages) {
        messages -= q->asked.at[0].left;
        forget_request(q);
    }
    if (q->asked.n > 0) q->asked.at[0].left -= (int)messages;
}

/* The same item again: the server has heard nothing of us for too long. Only the newest subject of acknowledgements counts. */
static bool known(wadi_nats_queue *q, const wadi_jet_label *l, const char *ack, int64_t seq) {
    for (size_t i = 0; i < q->deliveries.n; i++) {
        wadi_nats_delivery *d = q->deliveries.at[i];
        if (d->label.number != l->number || d->label.nonce != l->nonce) continue;
        char *newer = strdup(ack);
        if (newer == NULL) return true;
        free(d->ack);
        d->ack = newer;
        d->seq = seq;
        d->stale = false;
        if (d->stage == WADI_NATS_SETTLED) wadi_nats_settle(q, d, "+ACK");
        return true;
    }
    return false;
}

static wadi_nats_delivery *delivery_of(wadi_nats_queue *q, const wadi_jet_label *l, const char *ack,
                                       int64_t deliveries, natsMsg *msg) {
    wadi_nats_delivery *d = calloc(1, sizeof *d);
    if (d == NULL) return NULL;
    *d = (wadi_nats_delivery){.id = q->next_id++,
                              .label = *l,
                              .ack = strdup(ack),
                              .deliveries = deliveries,
                              .acked_ns = wadi_clock_ns()};
    const int n = natsMsg_GetDataLength(msg);
    char *copy = malloc((size_t)n + 1);
    bool made = d->ack != NULL && copy != NULL;
    if (copy != NULL && n > 0) memcpy(copy, natsMsg_GetData(msg), (size_t)n);
    *(l->frames > 0 ? &d->tail : &d->bytes) = copy;
    d->tail_bytes = n;
    if (l->frames > 0) {
        d->got = calloc((size_t)l->frames, sizeof(natsMsg *));
        made = made && d->got != NULL;
    }
    if (made && wadi_vec_push(&q->deliveries, d)) return d;
    wadi_nats_delivery_free(d);
    return NULL;
}

void wadi_nats_take_message(wadi_nats_queue *q, natsMsg *msg) {
    const char *text = NULL, *ack = natsMsg_GetReply(msg);
    wadi_jet_label l;
    int64_t deliveries = 0, seq = 0, behind = 0;
    answered_request(q, 1);
    if (ack == NULL || !read_ack(ack, &deliveries, &seq, &behind)) {
        q->count.strangers++;
        return;
    }
    q->behind = behind;
    q->came_ns = wadi_clock_ns();
    if (natsMsgHeader_Get(msg, WADI_NATS_LABEL, &text) != NATS_OK ||
        !wadi_jet_label_read(text, &l)) {
        q->count.strangers++;
        wadi_nats_say(q, ack, NULL, "+TERM", 5);
        return;
    }
    if (known(q, &l, ack, seq)) return;
    if (q->alone &&
        deliveries < WADI_JET_DELIVERIES) { /* else it would become a dead letter by that */
        give_back_later(q, ack);
        return;
    }
    if (!q->is_home && deliveries > 1) q->ahead.careful = CAREFUL;
    wadi_nats_delivery *d = delivery_of(q, &l, ack, deliveries, msg);
    if (d == NULL) return; /* out of memory; it comes again */
    d->seq = seq;
    wadi_usual(&q->ahead.usual_bytes, l.bytes);
    if (l.frames > 0) return;
    if (natsMsg_GetDataLength(msg) != l.bytes)
        spoil(q, d);
    else
        complete(q, d);
}

/* Anybody may have written it. */
static int64_t count_of(const char *text) {
    const long long n = strtoll(text, NULL, 10);
    return n < 0 ? 0 : n < INT_MAX ? n : INT_MAX;
}

void wadi_nats_take_status(wadi_nats_queue *q, natsMsg *msg, int64_t now) {
    const char *status = NULL, *rest = NULL;
    const bool counted = natsMsgHeader_Get(msg, "Nats-Pending-Messages", &rest) == NATS_OK;
    if (counted)
        answered_request(q, count_of(rest));
    else if (q->asked.n > 0)
        forget_request(q);
    if (!natsMsg_IsNoResponders(msg) &&
        (natsMsgHeader_Get(msg, "Status", &status) != NATS_OK || strcmp(status, "408") == 0))
        return;
    wadi_nats_doubt(q);
    q->pull_ns = now + grace_ns / 5;
}

/* ---- frames ---- */

static void assemble(wadi_nats_queue *q, wadi_nats_delivery *d) {
    int64_t total = d->tail_bytes;
    for (int i = 0; i < d->label.frames; i++) total += natsMsg_GetDataLength(d->got[i]);
    d->bytes = total == d->label.bytes ? malloc((size_t)total) : NULL;
    int64_t at = 0;
    for (int i = 0; i < d->label.frames; i++) {
        const int n = natsMsg_GetDataLength(d->got[i]);
        if (d->bytes != NULL && n > 0) memcpy(d->bytes + at, natsMsg_GetData(d->got[i]), (size_t)n);
        at += n;
        natsMsg_Destroy(d->got[i]);
        d->got[i] = NULL;
    }
    if (d->bytes != NULL) memcpy(d->bytes + at, d->tail, (size_t)d->tail_bytes);
    free(d->tail);
    d->tail = NULL;
    if (d->bytes == NULL)
        spoil(q, d);
    else
        complete(q, d);
}

/* A frame of it is not there. Home keeps those of an item until that is answered: then nobody waits for it. */
static void lose(wadi_nats_queue *q, wadi_nats_delivery *d) {
    if (q->is_home)
        spoil(q, d);
    else
        wadi_nats_settle(q, d, "+TERM");
}

bool wadi_nats_take_frame(wadi_nats_queue *q, uint64_t id, int frame, natsMsg *msg) {
    wadi_nats_delivery *d = NULL;
    const char *status = NULL;
    for (size_t i = 0; i < q->deliveries.n; i++)
        if (q->deliveries.at[i]->id == id) d = q->deliveries.at[i];
    if (d == NULL || d->stage != WADI_NATS_GATHERED || frame < 0 || frame >= d->label.frames ||
        d->got[frame] != NULL)
        return false;
    if (natsMsg_IsNoResponders(msg)) {
        wadi_nats_doubt(q);
        d->asked_ns = wadi_clock_ns() - asked_again_ns + nobody_ns;
        return false;
    }
    if (natsMsgHeader_Get(msg, "Status", &status) == NATS_OK || natsMsg_GetDataLength(msg) == 0) {
        lose(q, d); /* 404 of the server, or nothing from home */
        return false;
    }
    d->got[frame] = msg;
    d->asked_ns = wadi_clock_ns();
    if (++d->came == d->label.frames) assemble(q, d);
    return true;
}

static void ask_frame(wadi_nats_queue *q, const wadi_nats_delivery *d, int frame) {
    char subject[WADI_NATS_SUBJECT], reply[64], what[256], part[WADI_NATS_SUBJECT];
    (void)snprintf(reply, sizeof reply, "g.%" PRIu64 ".%d", d->id, frame);
    if (q->is_home) {
        wadi_nats_subject(q->at.job, part, "answer.%s.part.%" PRId64 ".%016" PRIx64 ".%d", q->epoch,
                          d->label.number, d->label.nonce, frame);
        const int n = snprintf(what, sizeof what, "{\"last_by_subj\":\"%s\"}", part);
        wadi_nats_say_get(q, WADI_NATS_ANSWERS, reply, what, n);
    } else {
        wadi_nats_subject(q->at.job, subject, "ask.frame");
        const int n =
            snprintf(what, sizeof what, "%s %" PRId64 " %d", q->epoch, d->label.number, frame);
        wadi_nats_say(q, subject, reply, what, n);
    }
}

void wadi_nats_gather_anew(wadi_nats_queue *q) {
    for (size_t i = 0; i < q->deliveries.n; i++) q->deliveries.at[i]->asked = 0;
}

static void gather(wadi_nats_queue *q, wadi_nats_delivery *d, int64_t now) {
    if (d->asked > 0 && now - d->asked_ns > asked_again_ns) d->asked = 0;
    if (d->asked == 0) d->asked_ns = now;
    for (; d->asked < d->label.frames && d->asked < d->came + FRAMES_ASKED; d->asked++)
        if (d->got[d->asked] == NULL) ask_frame(q, d, d->asked);
}

/* ---- requests ---- */

/* How many messages should be ahead. */
static int wanted(const wadi_nats_ahead *a) {
    if (a->careful > 0) return 1;
    int64_t n = a->timed && a->usual_ns == 0 ? a->least : a->most;
    if (a->usual_bytes == 0) n = a->least;
    if (n > AHEAD_BYTES / (a->usual_bytes + 1)) n = AHEAD_BYTES / (a->usual_bytes + 1);
    if (a->usual_ns > 0 && n > ahead_ns / a->usual_ns) n = ahead_ns / a->usual_ns;
    return n > a->least ? (int)n : a->least;
}

static void ask(wadi_nats_queue *q, int messages, int64_t now) {
    char subject[2 * WADI_NATS_SUBJECT], stream[WADI_NATS_SUBJECT], consumer[WADI_NATS_SUBJECT],
        what[64];
    const wadi_nats_request r = {now + expires_ns + grace_ns, messages};
    if (q->asked.n == 0) q->came_ns = now;
    if (!wadi_vec_push(&q->asked, r)) return;
    wadi_nats_stream_name(q->at.job, q->pulls, stream);
    wadi_nats_consumer_name(q->epoch, consumer);
    (void)snprintf(subject, sizeof subject, "$JS.API.CONSUMER.MSG.NEXT.%.100s.%s", stream,
                   consumer);
    const int n =
        snprintf(what, sizeof what, "{\"batch\":%d,\"expires\":%" PRId64 "}", messages, expires_ns);
    wadi_nats_say(q, subject, "n", what, n);
}

/* Whether a worker has an item that was with another before: that may be what kills workers, and what is beside it would be suspected as well. */
static bool brought_again(const wadi_nats_queue *q) {
    for (size_t i = 0; !q->is_home && i < q->deliveries.n; i++)
        if (q->deliveries.at[i]->deliveries > 1 && q->deliveries.at[i]->stage < WADI_NATS_ANSWERED)
            return true;
    return false;
}

/* Asks for what is missing, and for several at once where several shall be ahead. */
static void ask_for_more(wadi_nats_queue *q, int held, int64_t now) {
    int outstanding = 0;
    while (q->asked.n > 0 && q->asked.at[0].until_ns < now) forget_request(q);
    if (now < q->pull_ns || !q->pulling || q->alone) return;
    for (size_t i = 0; i < q->asked.n; i++) outstanding += q->asked.at[i].left;
    if (brought_again(q)) return;
    const int wants = wanted(&q->ahead), missing = wants - held - outstanding;
    if (missing > wants / 4) ask(q, missing, now);
}

/* Whether a worker has been at an item for so long that it may never answer. What it has not begun is given back, and of the item itself there is no
 * sign of life any more, so that others get it as well. Whoever answers first is heard. */
static bool hangs(wadi_nats_queue *q, int64_t now) {
    for (size_t i = 0; i < q->deliveries.n; i++) {
        const wadi_nats_delivery *d = q->deliveries.at[i];
        if (d->stage != WADI_NATS_TAKEN ||
            !wadi_hangs(q->hangs_after_ns, q->ahead.usual_ns, d->taken_ns, now))
            continue;
        if (!q->alone) wadi_nats_stay_alone(q);
        return true;
    }
    return false;
}

void wadi_nats_ask_anew(wadi_nats_queue *q) {
    wadi_vec_clear(&q->asked);
    q->pull_ns = 0;
}

void wadi_nats_take_step(wadi_nats_queue *q, int64_t now) {
    if (!q->connected) return;
    const bool hanging = hangs(q, now);
    int held = 0;
    wadi_nats_stale_step(q, now);
    for (size_t i = 0; i < q->deliveries.n; i++) {
        wadi_nats_delivery *d = q->deliveries.at[i];
        held += d->stage < WADI_NATS_TAKEN;
        if (d->stage == WADI_NATS_GATHERED) gather(q, d, now);
        if (d->stale || (hanging && d->stage == WADI_NATS_TAKEN)) continue;
        if (now - d->acked_ns < q->record.ack_wait_ms * 1000000 / 3) continue;
        d->acked_ns = now;
        wadi_nats_say(q, d->ack, NULL, "+WPI", 4);
    }
    ask_for_more(q, held, now);
}
