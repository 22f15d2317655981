/* Another connection in place of one that the library has given up.
 *
 * The library (libnats 3.4.1) makes lost connections again, but closes one for ever when the server has refused it twice in a row for the same reason: a token that was
 * changed, credentials that have expired and are renewed a little late, more subscriptions than are allowed. Whoever runs the server mends that, as he starts again one that was
 * killed, so it is waited for as long. Files of keys are read anew each time. */
#include <string.h>

#include "base/error.h"
#include "modules/nats/inside.h"

static const int64_t again_ns = 1000000000;

void wadi_nats_closed(void *queue, natsConnection *nc) {
    wadi_nats_queue *q = queue;
    const char *words = NULL;
    (void)natsConnection_GetLastError(nc, &words);
    (void)pthread_mutex_lock(&q->lock);
    const bool lost = q->connected;
    q->closed = true;
    if (words != NULL && *words != '\0') wadi_nats_refused(q, words, strlen(words));
    wadi_nats_stir(q);
    (void)pthread_mutex_unlock(&q->lock);
    if (lost) wadi_nats_service_lost(q);
    wadi_nats_quiet(q);
}

/* What the server said, without our words about it. */
static void note(wadi_nats_queue *q, const wadi_error *err) {
    static const char ours[] = WADI_NATS_UNCONNECTED ": ";
    const char *words = strstr(err->msg, ours);
    words = words != NULL ? words + sizeof ours - 1 : err->msg;
    wadi_nats_refused(q, words, strlen(words));
}

static wadi_status connect_again(wadi_nats_queue *q, wadi_error *err) {
    natsConnection *nc = NULL;
    if (!wadi_vec_push(&q->past_ncs, q->nc)) return wadi_fail(err, WADI_MEMORY, "out of memory");
    wadi_nkey_fini(&q->keys);
    wadi_status st = wadi_nats_connect(&q->at, &q->events, &q->keys, &nc, err);
    if (st != WADI_OK) {
        (void)wadi_vec_pop(&q->past_ncs);
        return st;
    }
    (void)pthread_mutex_lock(&q->lock);
    q->calling++;
    (void)pthread_mutex_unlock(&q->lock);
    (void)pthread_mutex_lock(&q->wire);
    q->nc = nc;
    (void)pthread_mutex_unlock(&q->wire);
    st = wadi_nats_subscribe_again(q, err);
    if (st != WADI_OK) natsConnection_Close(nc); /* and we hear that it is closed */
    return st;
}

/* While the library tries, it keeps why it fails to itself: a certificate that has expired, too many connections. Somebody who goes on waiting shall know. */
static void ask_why(wadi_nats_queue *q) {
    wadi_error err = {0};
    wadi_nats_keys keys = {0};
    natsConnection *nc = NULL;
    (void)pthread_mutex_unlock(&q->lock);
    const wadi_status st = wadi_nats_connect(&q->at, NULL, &keys, &nc, &err);
    if (st == WADI_OK) wadi_nats_disconnect(nc, &keys);
    (void)pthread_mutex_lock(&q->lock);
    if (st != WADI_OK && !q->connected) note(q, &err);
}

void wadi_nats_again_step(wadi_nats_queue *q, int64_t now) {
    wadi_error err = {0};
    if (q->connected) q->asked_why = false;
    if (!q->connected && !q->asked_why && now - q->lost_ns > (int64_t)(q->at.wait_s * 0.5e9)) {
        q->asked_why = true;
        ask_why(q);
        return;
    }
    if (!q->closed || now < q->connect_ns) return;
    const int outages = q->outages;
    q->closed = false; /* before the new one may be */
    (void)pthread_mutex_unlock(&q->lock);
    const wadi_status st = connect_again(q, &err);
    if (st == WADI_OK) wadi_nats_service_met(q, q->nc);
    (void)pthread_mutex_lock(&q->lock);
    /* If the library has lost the new one already, it tells when that is back. */
    if (st == WADI_OK && q->outages == outages) wadi_nats_service_resume(q);
    q->connect_ns = wadi_clock_ns() + again_ns;
    if (st == WADI_OK) return;
    q->closed = true;
    note(q, &err);
}
