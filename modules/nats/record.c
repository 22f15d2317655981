/* Which home a job has, as the server keeps it. Whoever takes part hears of a change at once, if it is connected, and asks for the record now and then. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "modules/nats/inside.h"

static const int64_t asked_again_ns = 5000000000, /* where nothing has happened */
    doubted_ns = 500000000,                       /* where something is strange */
    least_ns = 100000000,                         /* however many messages come that are strange */
    gone_after_ns = 3000000000; /* a server that has just begun may not know its streams yet */

/* ---- asking ---- */

void wadi_nats_record_step(wadi_nats_queue *q, int64_t now) {
    const int64_t again_ns = q->gone_ns != 0 ? doubted_ns : asked_again_ns;
    if (!q->connected || (q->record_ns != 0 && now - q->record_ns < again_ns) ||
        (q->record_last_ns != 0 && now - q->record_last_ns < least_ns))
        return;
    char subject[WADI_NATS_SUBJECT], stream[WADI_NATS_SUBJECT], what[256],
        record[WADI_NATS_SUBJECT], reply[32];
    q->record_ns = q->record_last_ns = now;
    wadi_nats_subject(q->at.job, record, "record");
    const int n = snprintf(what, sizeof what, "{\"last_by_subj\":\"%s\"}", record);
    (void)snprintf(reply, sizeof reply, "w.%" PRIu64, ++q->record_asked);
    wadi_nats_say_get(q, WADI_NATS_RECORD, reply, what, n);
    /* Of a stream that is not there nobody answers the first request. */
    wadi_nats_stream_name(q->at.job, WADI_NATS_RECORD, stream);
    (void)snprintf(subject, sizeof subject, "$JS.API.STREAM.INFO.%.100s", stream);
    wadi_nats_say(q, subject, "i", NULL, 0);
}

/* ---- hearing ---- */

/* The epoch in which we take part is over. */
static void epoch_over(wadi_nats_queue *q) {
    if (q->is_home) {
        wadi_nats_break(q, WADI_IO, "job %s: another home has taken it over", q->at.job);
        return;
    }
    if (!q->over) wadi_nats_doubt(q); /* everybody hears also of a home that the stream refuses */
    q->over = true;
    q->pulling = false;
}

static void gone(wadi_nats_queue *q, int64_t now) {
    if (q->gone_ns == 0) q->gone_ns = now;
    if (now - q->gone_ns < gone_after_ns) return;
    q->known = false;
    if (q->epoch[0] == '\0') return;
    if (q->is_home)
        wadi_nats_break(q, WADI_IO, "job %s: its streams were removed from the server", q->at.job);
    else
        epoch_over(q);
}

void wadi_nats_record_stream(wadi_nats_queue *q, natsMsg *msg, int64_t now) {
    if (wadi_nats_number_in(natsMsg_GetData(msg), natsMsg_GetDataLength(msg), "err_code") ==
        JSStreamNotFoundErr)
        gone(q, now);
    wadi_nats_ring(q);
}

void wadi_nats_record_told(wadi_nats_queue *q, natsMsg *msg, uint64_t from) {
    const char *text = NULL;
    wadi_jet_record r;
    if (natsMsgHeader_Get(msg, WADI_NATS_RECORDED, &text) != NATS_OK) return;
    if (!wadi_jet_record_read(text, &r)) {
        q->count.strangers++;
        return;
    }
    q->gone_ns = 0;
    q->record_from = from;
    /* A job that has ended does not go on: this was on its way by then. */
    if (q->known && q->record.state == WADI_JET_ENDED && r.state != WADI_JET_ENDED &&
        strcmp(q->record.epoch, r.epoch) == 0)
        return;
    q->known = true;
    q->record = r;
    if (q->epoch[0] != '\0' && !q->ended) {
        const bool other = strcmp(q->epoch, r.epoch) != 0;
        if (other || r.state == WADI_JET_ENDED) epoch_over(q);
    }
    wadi_nats_ring(q);
}

void wadi_nats_record_replied(wadi_nats_queue *q, natsMsg *msg, uint64_t question) {
    const char *text = NULL;
    wadi_jet_record r;
    if (question < q->record_from) return;
    if (natsMsgHeader_Get(msg, WADI_NATS_RECORDED, &text) == NATS_OK &&
        !wadi_jet_record_read(text, &r)) {
        wadi_nats_break(q, WADI_IO, WADI_NATS_STRANGE_RECORD, q->at.job);
        return;
    }
    wadi_nats_record_told(q, msg, question + 1);
}
