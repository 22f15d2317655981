/* The threads of the library that call a queue, and the end of a queue, when none of them calls any more. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "modules/nats/inside.h"

enum { QUIET_S = 5 };

/* ---- the library's threads ---- */

void wadi_nats_block_signals(sigset_t *before) {
    sigset_t all;
    (void)sigfillset(&all);
    (void)sigdelset(&all, SIGSEGV);
    (void)sigdelset(&all, SIGBUS);
    (void)sigdelset(&all, SIGFPE);
    (void)sigdelset(&all, SIGILL);
    (void)pthread_sigmask(SIG_BLOCK, &all, before);
}

void wadi_nats_quiet(void *queue) {
    wadi_nats_queue *q = queue;
    (void)pthread_mutex_lock(&q->lock);
    q->calling--;
    (void)pthread_cond_broadcast(&q->news);
    (void)pthread_mutex_unlock(&q->lock);
}

/* False: it still may. */
static bool wait_for_quiet(wadi_nats_queue *q) {
    struct timespec until;
    (void)clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += QUIET_S;
    int timed_out = 0;
    (void)pthread_mutex_lock(&q->lock);
    while (q->calling > 0 && timed_out == 0)
        timed_out = pthread_cond_timedwait(&q->news, &q->lock, &until);
    (void)pthread_mutex_unlock(&q->lock);
    return timed_out == 0;
}

/* By the lock over the wire. */
static wadi_status subscribe(wadi_nats_queue *q, int i, wadi_error *err) {
    natsStatus s =
        natsConnection_Subscribe(&q->subs[i], q->nc, q->subjects[i], wadi_nats_service_hear, q);
    if (s == NATS_OK) s = natsSubscription_SetPendingLimits(q->subs[i], -1, -1);
    if (s == NATS_OK) s = natsSubscription_SetOnCompleteCB(q->subs[i], wadi_nats_quiet, q);
    if (s != NATS_OK) return wadi_nats_fail(&q->at, s, "subscribing", err);
    (void)pthread_mutex_lock(&q->lock);
    q->calling++;
    (void)pthread_mutex_unlock(&q->lock);
    return WADI_OK;
}

wadi_status wadi_nats_subscribe(wadi_nats_queue *q, int i, const char *subject, wadi_error *err) {
    (void)pthread_mutex_lock(&q->wire);
    (void)snprintf(q->subjects[i], sizeof q->subjects[i], "%s", subject);
    const wadi_status st = subscribe(q, i, err);
    (void)pthread_mutex_unlock(&q->wire);
    return st;
}

/* The subscription is not destroyed: the thread that reads may have found it (end_subscriptions). Out of memory: it stays. */
static bool unsubscribe(wadi_nats_queue *q, int i) {
    if (q->subs[i] == NULL) return true;
    if (!wadi_vec_push(&q->past_subs, q->subs[i])) return false;
    (void)natsSubscription_Unsubscribe(q->subs[i]);
    q->subs[i] = NULL;
    return true;
}

void wadi_nats_unsubscribe(wadi_nats_queue *q, int i) {
    (void)pthread_mutex_lock(&q->wire);
    if (unsubscribe(q, i)) q->subjects[i][0] = '\0';
    (void)pthread_mutex_unlock(&q->wire);
}

bool wadi_nats_hears(wadi_nats_queue *q, int i) {
    (void)pthread_mutex_lock(&q->wire);
    const bool hears = q->subjects[i][0] != '\0';
    (void)pthread_mutex_unlock(&q->wire);
    return hears;
}

wadi_status wadi_nats_subscribe_again(wadi_nats_queue *q, wadi_error *err) {
    wadi_status st = WADI_OK;
    (void)pthread_mutex_lock(&q->wire);
    for (int i = 0; i < 3 && st == WADI_OK; i++) {
        if (q->subjects[i][0] == '\0') continue;
        st =
            unsubscribe(q, i) ? subscribe(q, i, err) : wadi_fail(err, WADI_MEMORY, "out of memory");
    }
    (void)pthread_mutex_unlock(&q->wire);
    return st;
}

/* ---- life ---- */

static void free_lists(wadi_nats_queue *q) {
    for (size_t i = 0; i < q->incoming.n; i++) natsMsg_Destroy(q->incoming.at[i]);
    for (size_t i = 0; i < q->spent.n; i++) natsMsg_Destroy(q->spent.at[i]);
    for (size_t i = 0; i < q->sayings.n; i++) free(q->sayings.at[i].to);
    for (size_t i = 0; i < q->flight.n; i++) {
        free(q->flight.at[i].framed);
        wadi_nats_parcel_free(q->flight.at[i].sent);
    }
    wadi_nats_frames_forget(q);
    wadi_nats_frames_free(q);
    for (size_t i = 0; i < q->parcels.n; i++) wadi_nats_parcel_free(q->parcels.at[i]);
    for (size_t i = 0; i < q->used.n; i++) wadi_nats_parcel_free(q->used.at[i]);
    wadi_vec_clear(&q->sayings);
    wadi_nats_forget(q, false);
    wadi_vec_free(&q->incoming);
    wadi_vec_free(&q->spent);
    wadi_vec_free(&q->sayings);
    wadi_vec_free(&q->parcels);
    wadi_vec_free(&q->used);
    wadi_vec_free(&q->deliveries);
    wadi_vec_free(&q->asked);
    wadi_vec_free(&q->workers);
    wadi_vec_free(&q->flight);
    wadi_vec_free(&q->wanted);
    wadi_vec_free(&q->past_frames);
    wadi_vec_free(&q->past_subs);
}

/* No message is left to the library: of those that it frees behind its last connection it loses what it frees late, and the thread that reads finds a
 * subscription and locks it a little later, without keeping it (libnats 3.4.1). So the server sends no more, what is here is heard, and the reading ends. */
static void end_subscriptions(wadi_nats_queue *q) {
    enum { PATIENCE_MS = 1000 };
    for (int i = 0; i < 3; i++)
        if (q->subs[i] != NULL) (void)natsSubscription_DrainTimeout(q->subs[i], PATIENCE_MS);
    for (int i = 0; i < 3; i++)
        if (q->subs[i] != NULL)
            (void)natsSubscription_WaitForDrainCompletion(q->subs[i], PATIENCE_MS);
    if (q->nc != NULL) natsConnection_Close(q->nc);
    for (int i = 0; i < 3; i++) natsSubscription_Destroy(q->subs[i]);
    for (size_t i = 0; i < q->past_subs.n; i++) natsSubscription_Destroy(q->past_subs.at[i]);
    wadi_vec_clear(&q->past_subs);
}

void wadi_nats_close(wadi_nats_queue *q) {
    wadi_nats_service_stop(q);
    end_subscriptions(q);
    const bool quiet = wait_for_quiet(q);
    if (quiet) free_lists(q); /* before the library is unloaded, which messages need */
    for (size_t i = 0; i < q->past_ncs.n; i++)
        wadi_nats_disconnect(q->past_ncs.at[i], &(wadi_nats_keys){0});
    wadi_vec_free(&q->past_ncs);
    wadi_nats_disconnect(q->nc, &q->keys);
    if (!quiet) return; /* what a thread of the library may still use is left alone */
    if (q->bell >= 0) (void)close(q->bell);
    (void)pthread_cond_destroy(&q->news);
    (void)pthread_mutex_destroy(&q->lock);
    (void)pthread_mutex_destroy(&q->wire);
    wadi_jet_address_fini(&q->at);
    free(q);
}
