/* Acknowledgements, also behind an outage.
 *
 * A message is acknowledged by its number in the stream. A server that has begun again without the last of its messages gives their numbers to others, and takes an
 * acknowledgement of whatever has the number now, also if nobody has got it yet: that item, or answer, would be gone. So what was delivered before is not acknowledged
 * before the server has said that it is still there under its number. Nothing else is said of it either: it is given out again, as consumers are made anew. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "modules/nats/inside.h"

enum { QUESTIONS = 4 };

static const int64_t unheard_ns = 2000000000;

void wadi_nats_delivery_free(wadi_nats_delivery *d) {
    for (int i = 0; d->got != NULL && i < d->label.frames; i++) natsMsg_Destroy(d->got[i]);
    free(d->got);
    free(d->bytes);
    free(d->tail);
    free(d->ack);
    free(d);
}

void wadi_nats_forget_one(wadi_nats_queue *q, wadi_nats_delivery *d) {
    size_t i = 0;
    while (i < q->deliveries.n && q->deliveries.at[i] != d) i++;
    if (i == q->deliveries.n) return;
    memmove(&q->deliveries.at[i], &q->deliveries.at[i + 1],
            (q->deliveries.n - i - 1) * sizeof q->deliveries.at[0]);
    q->deliveries.n--;
    wadi_nats_delivery_free(d);
}

/* ---- what was delivered before a server began again ---- */

void wadi_nats_stale_doubt(wadi_nats_queue *q) {
    for (size_t i = 0; i < q->deliveries.n; i++) {
        q->deliveries.at[i]->stale = true;
        if (q->deliveries.at[i]->stage == WADI_NATS_SETTLED) q->deliveries.at[i]->asked = 0;
    }
}

/* It is asked for first. */
static void settle_later(wadi_nats_queue *q, wadi_nats_delivery *d) {
    free(d->bytes);
    d->bytes = NULL;
    d->stage = WADI_NATS_SETTLED;
    d->asked = 0;
    wadi_nats_stir(q);
}

static void ask(wadi_nats_queue *q, const wadi_nats_delivery *d) {
    char reply[64];
    (void)snprintf(reply, sizeof reply, "a.%" PRIu64 ".%d", d->id, q->outages);
    wadi_nats_say_get_number(q, q->pulls, reply, (uint64_t)d->seq);
}

/* Without a reply it is not acknowledged: it comes again, and is answered twice. */
void wadi_nats_stale_step(wadi_nats_queue *q, int64_t now) {
    for (size_t i = q->deliveries.n; i-- > 0;) {
        wadi_nats_delivery *d = q->deliveries.at[i];
        if (d->stage != WADI_NATS_SETTLED) continue;
        if (d->asked > 0 && now - d->asked_ns < unheard_ns) continue;
        d->asked_ns = now;
        if (++d->asked <= QUESTIONS)
            ask(q, d);
        else
            wadi_nats_forget_one(q, d);
    }
}

void wadi_nats_stale_heard(wadi_nats_queue *q, const char *token, natsMsg *msg) {
    wadi_jet_label there;
    uint64_t id = 0;
    int outages = 0;
    if (sscanf(token, "a.%" SCNu64 ".%d", &id, &outages) != 2 || outages != q->outages) return;
    if (!wadi_nats_got(msg, &there)) return;
    for (size_t i = 0; i < q->deliveries.n; i++) {
        wadi_nats_delivery *d = q->deliveries.at[i];
        if (d->id != id || d->stage != WADI_NATS_SETTLED) continue;
        if (there.number == d->label.number && there.nonce == d->label.nonce)
            wadi_nats_say(q, d->ack, NULL, "+ACK", 4);
        wadi_nats_forget_one(q, d);
        return;
    }
}

/* ---- settling ---- */

void wadi_nats_settle(wadi_nats_queue *q, wadi_nats_delivery *d, const char *word) {
    if (d->stale && *word == '+') {
        settle_later(q, d);
        return;
    }
    if (!d->stale) /* else it is given out again anyway */
        wadi_nats_say(q, d->ack, NULL, word, (int64_t)strlen(word));
    wadi_nats_forget_one(q, d);
}

void wadi_nats_forget(wadi_nats_queue *q, bool give_back) {
    while (q->deliveries.n > 0) {
        wadi_nats_delivery *d = wadi_vec_last(&q->deliveries);
        if (give_back && d->stage < WADI_NATS_TAKEN) {
            wadi_nats_settle(q, d, "-NAK");
            continue;
        }
        (void)wadi_vec_pop(&q->deliveries);
        wadi_nats_delivery_free(d);
    }
}
