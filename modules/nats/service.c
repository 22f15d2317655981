/* The service of a queue: what the server says goes through it, and what is said to the server. A thread of its own does what the owner of the queue has for the server, and looks now
 * and then what time it is; what comes of the server is heard, and answered, by the thread of the library that brings it. */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "modules/nats/inside.h"

static const int64_t tick_ns = 50000000;

enum { SPENT_MOST = 16, SPENT_BYTES = 1 << 20 /* that are freed together */ };

/* ---- threads of the library: what becomes of a connection ---- */

void wadi_nats_service_lost(void *queue) {
    wadi_nats_queue *q = queue;
    (void)pthread_mutex_lock(&q->lock);
    q->connected = false;
    /* A server that takes connections and says nothing is as good as away. */
    if (q->outages++ == 0 || q->heard_any) q->lost_ns = wadi_clock_ns();
    q->heard_any = false;
    wadi_nats_ring(q);
    (void)pthread_mutex_unlock(&q->lock);
}

void wadi_nats_service_met(wadi_nats_queue *q, natsConnection *nc) {
    char id[WADI_NATS_SERVER_ID] = "";
    const bool told = natsConnection_GetConnectedServerId(nc, id, sizeof id) == NATS_OK;
    (void)pthread_mutex_lock(&q->lock);
    if (!told || (q->server_id[0] != '\0' && id[0] != '\0' && strcmp(id, q->server_id) != 0))
        q->restarted = true;
    if (told && id[0] != '\0') (void)strcpy(q->server_id, id);
    (void)pthread_mutex_unlock(&q->lock);
}

void wadi_nats_service_resume(wadi_nats_queue *q) {
    q->connected = q->renewed = true;
    wadi_nats_ring(q);
    wadi_nats_stir(q);
}

void wadi_nats_service_back(void *queue, natsConnection *nc) {
    wadi_nats_queue *q = queue;
    wadi_nats_service_met(q, nc);
    (void)pthread_mutex_lock(&q->lock);
    wadi_nats_service_resume(q);
    (void)pthread_mutex_unlock(&q->lock);
}

void wadi_nats_service_refused(void *queue, const char *words) {
    wadi_nats_queue *q = queue;
    (void)pthread_mutex_lock(&q->lock);
    wadi_nats_refused(q, words, strlen(words));
    (void)pthread_mutex_unlock(&q->lock);
}

/* ---- what comes ---- */

/* The numbers in "p.12.3". False: it is something else. */
static bool numbers_of(const char *token, uint64_t *id, int *frame) {
    return sscanf(token + 1, ".%" SCNu64 ".%d", id, frame) == 2;
}

/* A reply to something that was said: `token` is the end of its subject. True: the message is kept. */
static bool hear_reply(wadi_nats_queue *q, const char *token, natsMsg *msg, int64_t now) {
    uint64_t id = 0;
    int frame = -1;
    switch (token[0]) {
    case 'p':
        if (numbers_of(token, &id, &frame)) wadi_nats_post_reply(q, id, frame, msg, now);
        return false;
    case 'g':
        return numbers_of(token, &id, &frame) && wadi_nats_take_frame(q, id, frame, msg);
    case 'n':
        wadi_nats_take_status(q, msg, now);
        return false;
    case 'w':
        if (sscanf(token + 1, ".%" SCNu64, &id) == 1) wadi_nats_record_replied(q, msg, id);
        return false;
    case 'i':
        wadi_nats_record_stream(q, msg, now);
        return false;
    case 'a':
        wadi_nats_stale_heard(q, token, msg);
        return false;
    default:
        q->heard(q, token, msg);
        return false;
    }
}

/* True: the message is kept. */
static bool hear(wadi_nats_queue *q, natsMsg *msg, int64_t now) {
    char own[WADI_NATS_SUBJECT];
    const char *subject = natsMsg_GetSubject(msg);
    const size_t inbox = strlen(q->inbox);
    if (strncmp(subject, q->inbox, inbox) == 0 && subject[inbox] == '.')
        return hear_reply(q, subject + inbox + 1, msg, now);
    wadi_nats_subject(q->at.job, own, "%s", "");
    const size_t n = strlen(own);
    if (strncmp(subject, own, n) != 0) return false;
    const char *verb = subject + n;
    (void)snprintf(own, sizeof own, "%s.%.20s.do", q->pulls == WADI_NATS_ITEMS ? "item" : "answer",
                   q->epoch);
    if (strcmp(verb, own) == 0)
        wadi_nats_take_message(q, msg);
    else if (strcmp(verb, "record") == 0)
        wadi_nats_record_told(q, msg, q->record_asked + 1);
    else
        q->heard(q, verb, msg);
    return false;
}

static void hear_all(wadi_nats_queue *q, int64_t now) {
    for (size_t i = 0; i < q->incoming.n; i++) {
        natsMsg *msg = q->incoming.at[i];
        const int64_t n = natsMsg_GetDataLength(msg);
        if (hear(q, msg, now)) continue;
        q->spent_bytes += n;
        if (!wadi_vec_push(&q->spent, msg)) natsMsg_Destroy(msg);
    }
    wadi_vec_clear(&q->incoming);
}

/* ---- what is said ---- */

static const char too_large_words[] =
    "a message is larger than the server takes (max_payload), and it took larger ones before";

/* With the mutex free: the server may be slow. What fails is said again, as what is lost on the way. */
static void say_all(wadi_nats_queue *q) {
    WADI_VEC(wadi_nats_saying) now = {0};
    memcpy(&now, &q->sayings, sizeof now);
    memset(&q->sayings, 0, sizeof q->sayings);
    const bool connected = q->connected;
    (void)pthread_mutex_unlock(&q->lock);
    bool too_large = false;
    for (size_t i = 0; i < now.n; i++) {
        const wadi_nats_saying *s = &now.at[i];
        if (connected && s->msg != NULL)
            too_large |= natsConnection_PublishMsg(q->nc, s->msg) == NATS_MAX_PAYLOAD;
        else if (connected && s->reply != NULL)
            (void)natsConnection_PublishRequest(q->nc, s->to, s->reply, s->bytes, (int)s->n);
        else if (connected && s->to != NULL)
            (void)natsConnection_Publish(q->nc, s->to, s->bytes, (int)s->n);
        free(s->to);
    }
    wadi_vec_free(&now);
    (void)pthread_mutex_lock(&q->lock);
    if (too_large) wadi_nats_refused(q, too_large_words, sizeof too_large_words - 1);
}

static void renew(wadi_nats_queue *q, int64_t now) {
    wadi_nats_consumers_doubt(q, q->restarted);
    if (q->restarted) wadi_nats_home_met(q);
    if (q->restarted) wadi_nats_lost_doubt(q, now);
    if (q->restarted) wadi_nats_stale_doubt(q);
    q->renewed = q->restarted = false;
    wadi_nats_ask_anew(q);
    wadi_nats_post_again(q);
    wadi_nats_gather_anew(q);
    if (q->is_home && q->epoch[0] != '\0') wadi_nats_home_tell(q, WADI_NATS_BACK);
    q->record_from = q->record_asked + 1;
    q->record_ns = q->gone_ns = q->pause_ns = q->question_ns = 0;
    q->home_ns = now;
}

/* What was heard, and what is confirmed. Of each that it frees, the library wakes a thread of its own, so they are many. */
static void free_spent(wadi_nats_queue *q) {
    for (size_t i = 0; i < q->used.n; i++) wadi_nats_parcel_free(q->used.at[i]);
    for (size_t i = 0; i < q->spent.n; i++) natsMsg_Destroy(q->spent.at[i]);
    wadi_vec_clear(&q->used);
    wadi_vec_clear(&q->spent);
    q->spent_bytes = 0;
}

/* ---- who does it ---- */

static void pass_once(wadi_nats_queue *q) {
    const int64_t now = wadi_clock_ns();
    if (q->used.n + q->spent.n >= SPENT_MOST || q->spent_bytes >= SPENT_BYTES) free_spent(q);
    wadi_nats_frames_free(q);
    hear_all(q, now); /* what a server has said that is gone now comes before what another says */
    if (q->renewed) renew(q, now);
    if (!q->ending) {
        wadi_nats_record_step(q, now);
        wadi_nats_post_step(q, now);
        wadi_nats_take_step(q, now);
        wadi_nats_refusals_step(q, now);
        q->step(q, now);
    }
    q->stirred = false;
    if (q->sayings.n > 0) say_all(q);
}

/* All that is to be done. One thread does it at a time; what others have meanwhile, it does as well. */
static void pass(wadi_nats_queue *q) {
    q->passing = true;
    do {
        pass_once(q);
    } while (q->sayings.n > 0 ||
             (!q->ending && (q->stirred || q->incoming.n > 0 || q->wanted.n > 0)));
    q->passing = false;
    if (q->ending) wadi_nats_stir(q);
}

/* Called by the library, in threads of its own. Whoever brings a message does what is to be done about it: it would take longer to wake the service thread. */
void wadi_nats_service_hear(natsConnection *nc, natsSubscription *sub, natsMsg *owned_msg,
                            void *queue) {
    wadi_nats_queue *q = queue;
    WADI_UNUSED(nc);
    WADI_UNUSED(sub);
    (void)pthread_mutex_lock(&q->lock);
    q->heard_any = true;
    if (q->ending || !wadi_vec_push(&q->incoming, owned_msg)) natsMsg_Destroy(owned_msg);
    if (q->serves && !q->ending && !q->passing)
        pass(q);
    else
        wadi_nats_stir(q);
    (void)pthread_mutex_unlock(&q->lock);
}

/* False: nothing was said for a while. */
static bool wait_for_news(wadi_nats_queue *q) {
    const int64_t until = wadi_clock_ns() + tick_ns;
    const struct timespec t = {(time_t)(until / 1000000000), (long)(until % 1000000000)};
    return pthread_cond_timedwait(&q->news, &q->lock, &t) == 0;
}

/* The service thread alone does this: it may last, and nobody says anything over a connection that changes. */
static void look_after_connection(wadi_nats_queue *q) {
    q->passing = true;
    q->again(q, wadi_clock_ns());
    q->passing = false;
}

/* Does what the owner has, and what is to be done at a time. */
static void *serve(void *queue) {
    wadi_nats_queue *q = queue;
    (void)pthread_mutex_lock(&q->lock);
    q->serves = true;
    for (bool late = true; !q->ending || q->passing || q->sayings.n > 0;) {
        if (!q->passing && late) free_spent(q);
        if (!q->passing && !q->ending) look_after_connection(q);
        if (!q->passing && (late || q->stirred || q->ending)) pass(q);
        late = (q->passing || !q->ending) && !wait_for_news(q);
    }
    (void)pthread_mutex_unlock(&q->lock);
    return NULL;
}

wadi_status wadi_nats_service_start(wadi_nats_queue *q, wadi_error *err) {
    const int failed = pthread_create(&q->service, NULL, serve, q);
    if (failed != 0) return wadi_fail_errno(err, failed, "job %s: no thread", q->at.job);
    q->serving = true;
    return WADI_OK;
}

void wadi_nats_service_stop(wadi_nats_queue *q) {
    if (!q->serving) return;
    (void)pthread_mutex_lock(&q->lock);
    q->ending = true;
    wadi_nats_stir(q);
    (void)pthread_mutex_unlock(&q->lock);
    (void)pthread_join(q->service, NULL);
    q->serving = false;
}
