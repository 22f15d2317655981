/* Parcels on their way to the server. A message that the server does not confirm, because it was lost, or refuses, because the stream is full, is sent
 * again. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "modules/nats/inside.h"

enum { WINDOW = 8 << 20 /* bytes that are sent and not confirmed */ };

static const int64_t again_ns = 5000000000, refused_ns = 100000000;

wadi_status wadi_nats_post(wadi_nats_queue *q, wadi_nats_parcel *owned_p, wadi_error *err) {
    if (!wadi_vec_push(&q->parcels, owned_p)) {
        wadi_nats_parcel_free(owned_p);
        return wadi_fail(err, WADI_MEMORY, "job %s: out of memory", q->at.job);
    }
    wadi_nats_stir(q);
    return WADI_OK;
}

/* ---- sending ---- */

static bool on_the_way(const struct wadi_nats_frame *f, int64_t now) {
    return f->sent_ns != 0 && now - f->sent_ns < again_ns;
}

/* False: the window is full. */
static bool send_frame(wadi_nats_queue *q, struct wadi_nats_frame *f, int64_t now,
                       int64_t *window) {
    const int64_t n = natsMsg_GetDataLength(f->msg);
    if (*window > 0 && *window + n > WINDOW) return false;
    if (!wadi_vec_push(&q->sayings, (wadi_nats_saying){.msg = f->msg})) return false;
    f->sent_ns = now;
    *window += n + 1;
    return true;
}

static bool send_parcel(wadi_nats_queue *q, wadi_nats_parcel *p, int64_t now, int64_t *window) {
    for (int i = 0; i < p->frames; i++) {
        struct wadi_nats_frame *f = &p->frame[i];
        const bool last = i + 1 == p->frames;
        if (f->confirmed || on_the_way(f, now) || (last && p->confirmed + 1 < p->frames)) continue;
        if (!send_frame(q, f, now, window)) return false;
    }
    return true;
}

void wadi_nats_post_step(wadi_nats_queue *q, int64_t now) {
    if (!q->connected || now < q->pause_ns) return;
    int64_t window = 0;
    for (size_t i = 0; i < q->parcels.n; i++) {
        const wadi_nats_parcel *p = q->parcels.at[i];
        for (int k = 0; k < p->frames; k++)
            if (!p->frame[k].confirmed && on_the_way(&p->frame[k], now))
                window += natsMsg_GetDataLength(p->frame[k].msg) + 1;
    }
    for (size_t i = 0; i < q->parcels.n; i++)
        if (!send_parcel(q, q->parcels.at[i], now, &window)) return;
}

void wadi_nats_post_again(wadi_nats_queue *q) {
    for (size_t i = 0; i < q->parcels.n; i++)
        for (int k = 0; k < q->parcels.at[i]->frames; k++) q->parcels.at[i]->frame[k].sent_ns = 0;
}

/* ---- what comes back ---- */

/* From the list. */
static wadi_nats_parcel *take_parcel(wadi_nats_queue *q, size_t i) {
    wadi_nats_parcel *p = q->parcels.at[i];
    memmove(&q->parcels.at[i], &q->parcels.at[i + 1],
            (q->parcels.n - i - 1) * sizeof q->parcels.at[0]);
    q->parcels.n--;
    return p;
}

void wadi_nats_post_drop(wadi_nats_queue *q, int64_t number) {
    for (size_t i = q->parcels.n; i-- > 0;)
        if (number < 0 || q->parcels.at[i]->number == number)
            wadi_nats_parcel_retire(q, take_parcel(q, i));
}

/* The server has what the parcel said of the delivery. */
static void done(wadi_nats_queue *q, wadi_nats_delivery *d) {
    if (d->stage == WADI_NATS_BURIED) {
        d->buried = true;
        d->stage = WADI_NATS_READY;
    } else {
        wadi_nats_settle(q, d, "+ACK");
    }
}

static void confirmed(wadi_nats_queue *q, size_t at, int frame, uint64_t seq) {
    wadi_nats_parcel *p = q->parcels.at[at];
    if (p->frame[frame].confirmed) return;
    p->frame[frame].confirmed = true;
    wadi_nats_taken(q);
    if (++p->confirmed < p->frames) return;
    const uint64_t of = p->of;
    p = take_parcel(q, at);
    if (!wadi_nats_lost_keep(q, p, seq)) wadi_nats_parcel_retire(q, p);
    for (size_t i = 0; of != 0 && i < q->deliveries.n; i++) {
        if (q->deliveries.at[i]->id != of) continue;
        done(q, q->deliveries.at[i]);
        break;
    }
    wadi_nats_ring(q);
}

void wadi_nats_post_reply(wadi_nats_queue *q, uint64_t id, int frame, natsMsg *reply, int64_t now) {
    size_t at = 0;
    while (at < q->parcels.n && q->parcels.at[at]->id != id) at++;
    if (at == q->parcels.n || frame < 0 || frame >= q->parcels.at[at]->frames) return;
    const char *text = natsMsg_GetData(reply);
    const int n = natsMsg_GetDataLength(reply);
    const int64_t seq = natsMsg_IsNoResponders(reply) ? 0 : wadi_nats_number_in(text, n, "seq");
    if (seq > 0) {
        confirmed(q, at, frame, (uint64_t)seq);
        return;
    }
    q->parcels.at[at]->frame[frame].sent_ns = 0;
    q->pause_ns = now + refused_ns;
    q->count.refused++;
    wadi_nats_refused_reply(q, reply);
    if (natsMsg_IsNoResponders(reply)) wadi_nats_doubt(q);
}
