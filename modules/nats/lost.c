/* Items that a server has forgotten, or whose answers it has.
 *
 * A server that is killed may begin again without the last of what it has confirmed: an item, or an answer for which the item was acknowledged. Nobody would ever answer that item,
 * whose room in the job's credit would be taken to the end. So home keeps what it has sent of an item until it is answered. When its connection comes back from
 * another server, or from the same one begun again, it takes the answers that are there, then asks for each item that was there before by its number in
 * the stream, and sends again what is not there any more. An item that a worker is at is still in the stream: it is not sent again, however long it takes. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "modules/nats/inside.h"

static const int64_t settle_ns = 2000000000, /* behind an outage, and between two questions */
    step_ns = 50000000;

enum { STEP_MOST = 16 /* questions */ };

static wadi_nats_flight *flight_of(const wadi_nats_queue *q, int64_t number) {
    for (size_t i = 0; i < q->flight.n; i++)
        if (q->flight.at[i].number == number) return &q->flight.at[i];
    return NULL;
}

bool wadi_nats_lost_keep(wadi_nats_queue *q, wadi_nats_parcel *p, uint64_t seq) {
    wadi_nats_flight *f = q->is_home ? flight_of(q, p->number) : NULL;
    if (f == NULL || f->sent != NULL) return false;
    f->sent = p;
    f->seq = seq;
    return true;
}

void wadi_nats_lost_doubt(wadi_nats_queue *q, int64_t now) {
    q->behind = 1; /* there may be some */
    q->came_ns = now;
    for (size_t i = 0; i < q->flight.n; i++) {
        wadi_nats_flight *f = &q->flight.at[i];
        f->doubted = true; /* also if it is confirmed later: that may be the old server's word */
        f->asked_ns = now;
    }
}

/* Its answer is here already. */
static bool has_come(const wadi_nats_queue *q, int64_t number) {
    for (size_t i = 0; i < q->deliveries.n; i++)
        if (q->deliveries.at[i]->label.number == number) return true;
    return false;
}

/* Answers wait at the server for a home that is slow, or may: their items are not there any more, and not lost. None does if home has asked for some for a while. */
static bool answers_wait(const wadi_nats_queue *q, int64_t now) {
    return q->behind > 0 && (q->asked.n == 0 || now - q->came_ns < settle_ns);
}

static void ask(wadi_nats_queue *q, const wadi_nats_flight *f) {
    char reply[64];
    (void)snprintf(reply, sizeof reply, "l.%" PRId64 ".%d", f->number, q->outages);
    wadi_nats_say_get_number(q, WADI_NATS_ITEMS, reply, f->seq);
}

void wadi_nats_lost_step(wadi_nats_queue *q, int64_t now) {
    int asked = 0;
    if (!q->connected || now - q->doubts_ns < step_ns || answers_wait(q, now)) return;
    for (size_t i = 0; i < q->flight.n && asked < STEP_MOST; i++) {
        wadi_nats_flight *f = &q->flight.at[i];
        if (!f->doubted || f->sent == NULL || now - f->asked_ns < settle_ns ||
            has_come(q, f->number))
            continue;
        f->asked_ns = now;
        ask(q, f);
        asked++;
    }
    if (asked > 0) q->doubts_ns = now;
}

/* Another item may have the number that this one had: a stream that has forgotten its last messages counts on from those before. */
void wadi_nats_lost_heard(wadi_nats_queue *q, const char *token, natsMsg *msg) {
    int64_t number = -1;
    int outages = 0;
    wadi_jet_label there;
    if (sscanf(token, "l.%" SCNd64 ".%d", &number, &outages) != 2 || outages != q->outages) return;
    wadi_nats_flight *f = flight_of(q, number);
    if (f == NULL || !f->doubted || f->sent == NULL) return;
    if (!wadi_nats_got(msg, &there)) return; /* it is asked for again */
    if (there.number != number && !has_come(q, number)) {
        wadi_nats_parcel *p = f->sent;
        p->confirmed = 0;
        p->frame[0].confirmed = false; /* items are one message (frames.c) */
        p->frame[0].sent_ns = 0;
        if (!wadi_vec_push(&q->parcels, p)) return; /* it is asked for again */
        f->sent = NULL;
    }
    f->doubted = false;
}

void wadi_nats_lost_release(wadi_nats_queue *q, wadi_nats_flight *f) {
    if (f->sent != NULL) wadi_nats_parcel_retire(q, f->sent);
    f->sent = NULL;
}
