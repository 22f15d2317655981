/* The consumers of a job, which a server may have lost, or have kept in a state that does not fit the stream.
 *
 * A server that is killed while it writes may begin again with an older state of a stream than of its consumer. New messages then have numbers that the
 * consumer has passed, and nobody ever gets them. So home makes both consumers anew when another server, or the same one begun again, has taken its
 * connection, and looks now and then whether they are there and not ahead of their streams. A new consumer gives out all that is in the stream: what was in
 * the hands of a worker may come to another as well, and whoever answers first is heard.
 *
 * Requests that wait at a consumer are lost with it, and servers up to 2.9 say nothing of that. So home asks again when a consumer was made, and tells
 * workers to do so. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "modules/nats/inside.h"

static const int64_t sound_ns = 5000000000, /* where nothing is wrong */
    doubted_ns = 500000000;

enum { UNHEARD_MOST = 20 };

static void say(wadi_nats_queue *q, wadi_nats_stream s, const char *api, char step,
                const char *what) {
    char subject[3 * WADI_NATS_SUBJECT], stream[WADI_NATS_SUBJECT], consumer[WADI_NATS_SUBJECT],
        reply[32];
    const bool of_consumer = strncmp(api, "CONSUMER", 8) == 0;
    wadi_nats_stream_name(q->at.job, s, stream);
    wadi_nats_consumer_name(q->epoch, consumer);
    (void)snprintf(subject, sizeof subject, "$JS.API.%s.%s%s%s", api, stream,
                   of_consumer ? "." : "", of_consumer ? consumer : "");
    (void)snprintf(reply, sizeof reply, "c.%d.%c.%d", (int)s, step, q->outages);
    wadi_nats_say(q, subject, reply, what, (int64_t)strlen(what));
}

/* As wadi_nats_consumer_make does it, without waiting. */
static void make(wadi_nats_queue *q, wadi_nats_stream s) {
    char stream[WADI_NATS_SUBJECT], filter[WADI_NATS_SUBJECT], consumer[WADI_NATS_SUBJECT],
        what[1024];
    wadi_nats_stream_name(q->at.job, s, stream);
    wadi_nats_filter(q->at.job, s, q->epoch, filter);
    wadi_nats_consumer_name(q->epoch, consumer);
    (void)snprintf(what, sizeof what,
                   "{\"stream_name\":\"%s\",\"config\":{\"durable_name\":\"%s\",\"deliver_policy\":"
                   "\"all\",\"ack_policy\":\"explicit\",\"ack_wait\":%" PRId64
                   ",\"max_deliver\":-1,\"filter_subject\":\"%s\",\"replay_policy\":\"instant\","
                   "\"max_waiting\":%d,\"max_ack_pending\":-1}}",
                   stream, consumer, q->record.ack_wait_ms * 1000000, filter,
                   WADI_NATS_WAITING_MOST);
    say(q, s, "CONSUMER.DURABLE.CREATE", 'n', what);
}

/* The consumer is new, and nobody's request waits there. */
static void ask_again(wadi_nats_queue *q, wadi_nats_stream s) {
    if (s == q->pulls)
        wadi_nats_ask_anew(q);
    else
        wadi_nats_home_tell(q, WADI_NATS_ANEW);
}

void wadi_nats_consumers_doubt(wadi_nats_queue *q, bool anew) {
    for (int s = 0; s < WADI_NATS_STREAMS; s++) {
        wadi_nats_consumer *c = &q->consumers[s];
        *c = (wadi_nats_consumer){.anew = anew || c->anew};
    }
}

void wadi_nats_consumers_step(wadi_nats_queue *q, int64_t now) {
    static const wadi_nats_stream of[] = {WADI_NATS_ITEMS, WADI_NATS_ANSWERS};
    if (!q->connected || q->epoch[0] == '\0') return;
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        wadi_nats_consumer *c = &q->consumers[of[i]];
        if (c->asked_ns != 0 && now - c->asked_ns < (c->sound ? sound_ns : doubted_ns)) continue;
        c->asked_ns = now;
        /* An account that may not remove them gets no reply. */
        if (c->anew && ++c->unheard > UNHEARD_MOST) *c = (wadi_nats_consumer){.asked_ns = now};
        if (c->anew)
            say(q, of[i], "CONSUMER.DELETE", 'd', "");
        else
            say(q, of[i], "CONSUMER.INFO", 'i', "");
    }
}

void wadi_nats_consumers_heard(wadi_nats_queue *q, const char *token, natsMsg *msg) {
    int s = 0, outages = 0;
    char step = '\0';
    if (sscanf(token, "c.%d.%c.%d", &s, &step, &outages) != 3 || outages != q->outages ||
        (s != WADI_NATS_ITEMS && s != WADI_NATS_ANSWERS))
        return;
    wadi_nats_consumer *c = &q->consumers[s];
    if (step == 'd') c->unheard = 0; /* a reply also if JetStream is away */
    if (natsMsg_IsNoResponders(msg)) return;
    const char *text = natsMsg_GetData(msg);
    const int n = natsMsg_GetDataLength(msg);
    const int64_t error = wadi_nats_number_in(text, n, "err_code");
    if (c->anew && step != 'd') return; /* of the consumer that is to be removed */
    if (step == 'd' || step == 'i') {
        const bool none = error == JSConsumerNotFoundErr || (step == 'd' && error < 0);
        if (none) c->anew = c->sound = false;
        if (none) make(q, (wadi_nats_stream)s);
    }
    if (error >= 0) return; /* asked again after a while */
    if (step == 'n') {
        ask_again(q, (wadi_nats_stream)s);
    } else if (step == 'i') {
        c->delivered = wadi_nats_number_in(text, n, "stream_seq");
        say(q, (wadi_nats_stream)s, "STREAM.INFO", 'l', "");
    } else if (step == 'l') {
        /* The stream was asked later, so its last number is no older than that of its consumer. */
        const int64_t last = wadi_nats_number_in(text, n, "last_seq");
        c->sound = last >= c->delivered;
        c->anew = last >= 0 && last < c->delivered;
        if (c->anew) c->asked_ns = 0;
    }
}
