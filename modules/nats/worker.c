/* A worker: it takes items and answers them. An item is acknowledged when its answer is confirmed. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/usual.h"
#include "modules/nats/inside.h"

enum {
    ANSWERS_MOST = 2,              /* on the way to the server while the next is computed .. */
    SMALL_ANSWERS_MOST = 32,       /* .. or so many, .. */
    SMALL_ANSWERS_BYTES = 4 << 20, /* .. which have fewer bytes together */
    SUSPECT =
        3, /* an item that was delivered so often is computed with no other beside it, which would be suspected as well */
};

static const int64_t live_ns = 1000000000, look_ns = 200000000, leave_ns = 5000000000;
/* After so long a question, or its reply, is taken for lost. */
static const int64_t unheard_ns = 10000000000;

static wadi_nats_queue *of(wadi_workq *self) {
    return (wadi_nats_queue *)self;
}

/* ---- signs of life ---- */

static void tell_home(wadi_nats_queue *q, const char *word) {
    char subject[WADI_NATS_SUBJECT], text[64];
    wadi_nats_subject(q->at.job, subject, "live.worker");
    const int n = snprintf(text, sizeof text, "%016" PRIx64 " %.20s", q->id, word);
    wadi_nats_say(q, subject, NULL, text, n);
}

void wadi_nats_worker_step(wadi_nats_queue *q, int64_t now) {
    if (q->epoch[0] == '\0' || q->over || now - q->live_ns < live_ns) return;
    q->live_ns = now;
    tell_home(q, q->epoch);
}

/* A reply to a question. Without bytes, it is the server's: home is not there now. */
static void hear_reply(wadi_nats_queue *q, const char *number, natsMsg *msg) {
    const int n = natsMsg_GetDataLength(msg);
    if (q->question == 0 || strtoull(number, NULL, 10) != q->question) return;
    const char *said = natsMsg_GetData(msg);
    const size_t letters = strlen(WADI_WORKQ_WAIT);
    if (n <= 0 || ((size_t)n == letters && memcmp(said, WADI_WORKQ_WAIT, letters) == 0)) {
        q->question_ns = wadi_clock_ns() + look_ns;
        return;
    }
    q->reply = malloc((size_t)n + 1);
    if (q->reply == NULL) return; /* it is asked again */
    memcpy(q->reply, said, (size_t)n);
    q->reply[n] = '\0';
    q->reply_bytes = n;
    q->question = 0;
    wadi_nats_ring(q);
}

void wadi_nats_worker_heard(wadi_nats_queue *q, const char *verb, natsMsg *msg) {
    char text[WADI_JET_EPOCH + 8] = "";
    const size_t n = strlen(q->epoch), got = (size_t)natsMsg_GetDataLength(msg);
    if (strncmp(verb, "k.", 2) == 0) hear_reply(q, verb + 2, msg);
    if (strcmp(verb, "live.home") != 0 || n == 0 || got < n || got >= sizeof text) return;
    memcpy(text, natsMsg_GetData(msg), got);
    const bool anew = strcmp(text + n, WADI_NATS_ANEW) == 0,
               back = strcmp(text + n, WADI_NATS_BACK) == 0;
    if (strncmp(text, q->epoch, n) != 0 || (text[n] != '\0' && !anew && !back)) return;
    q->home_ns = wadi_clock_ns();
    if (anew) wadi_nats_ask_anew(q);
    if (back) wadi_nats_gather_anew(q);
    if (back) q->question_ns = 0;
}

/* Errors: WADI_IO if home has been silent for too long. While the server is away, nobody can be heard. */
static wadi_status check_home(const wadi_nats_queue *q, wadi_error *err) {
    const int64_t silent = wadi_clock_ns() - q->home_ns;
    if (q->lost_after_ns <= 0 || !q->connected || silent < q->lost_after_ns) return WADI_OK;
    return wadi_fail(err, WADI_IO, "job %s has no home: nothing was heard of it for %" PRId64 " s",
                     q->at.job, silent / 1000000000);
}

/* ---- the charter ---- */

typedef struct reading {
    const wadi_jet_record *r;
    char *to;
} reading;

/* WADI_CANCELLED: it has changed meanwhile. */
static wadi_status read_charter(wadi_nats_queue *q, jsCtx *js, void *env, wadi_error *err) {
    const reading *t = env;
    const wadi_jet_label *l = &t->r->charter;
    char subject[WADI_NATS_SUBJECT];
    int64_t at = 0;
    for (int i = 0; i < l->frames; i++) {
        natsMsg *msg = NULL;
        wadi_nats_subject(q->at.job, subject, "charter.%s.%d", t->r->epoch, i);
        WADI_TRY(wadi_nats_message_last(js, &q->at, WADI_NATS_RECORD, subject,
                                        "reading the charter", &msg, err));
        if (msg == NULL) return WADI_CANCELLED;
        const int64_t n = natsMsg_GetDataLength(msg);
        const bool fits = n <= l->bytes - at;
        if (fits && n > 0) memcpy(t->to + at, natsMsg_GetData(msg), (size_t)n);
        at += n;
        natsMsg_Destroy(msg);
        if (!fits) return WADI_CANCELLED;
    }
    return at == l->bytes && wadi_crc32c(0, t->to, (size_t)at) == l->crc ? WADI_OK : WADI_CANCELLED;
}

static wadi_status get_charter(wadi_nats_queue *q, const wadi_jet_record *r, void **out,
                               wadi_error *err) {
    char *to = malloc((size_t)r->charter.bytes + 1);
    if (to == NULL) return wadi_fail(err, WADI_MEMORY, "job %s: out of memory", q->at.job);
    const wadi_status st = wadi_nats_call(q, read_charter, &(reading){r, to}, err);
    if (st == WADI_OK)
        *out = to;
    else
        free(to);
    return st;
}

static void begin_epoch(wadi_nats_queue *q, const wadi_jet_record *r) {
    (void)strcpy(q->epoch, r->epoch);
    q->over = strcmp(q->record.epoch, r->epoch) != 0;
    q->pulling = !q->over;
    q->ahead.usual_ns = 0;
    q->home_ns = wadi_clock_ns();
    q->live_ns = 0;
    wadi_nats_stir(q);
}

static void end_epoch(wadi_nats_queue *q) {
    /* Streams that have gone may come back: a server that begins may take its time. So may an epoch that another home wanted to end in vain. */
    const bool back = q->over && q->record.state != WADI_JET_ENDED;
    if (q->epoch[0] != '\0' && q->known && !back && strcmp(q->record.epoch, q->epoch) == 0)
        (void)strcpy(q->past, q->epoch);
    q->epoch[0] = '\0';
    q->pulling = q->over = q->alone = false;
    wadi_vec_clear(&q->asked);
    wadi_nats_post_drop(q, -1);
    wadi_nats_forget(q, true);
}

/* Waits for an epoch that we have not seen. */
static wadi_status wait_for_job(wadi_nats_queue *q, wadi_nats_watched *w, wadi_jet_record *out,
                                wadi_error *err) {
    for (;;) {
        if (q->known && q->record.state == WADI_JET_OPEN && strcmp(q->record.epoch, q->past) != 0) {
            *out = q->record;
            return WADI_OK;
        }
        if (!q->known && wadi_clock_ns() - q->record_ns >= look_ns)
            q->record_ns = 0; /* ask again; each reply wakes us */
        wadi_nats_watch(q, w, "the home", true);
        WADI_TRY(check_home(q, err));
        WADI_TRY(wadi_nats_wait(q, wadi_clock_ns() + look_ns, err));
    }
}

static wadi_status charter(wadi_workq *self, void **out, int64_t *out_n, wadi_error *err) {
    wadi_nats_queue *q = of(self);
    wadi_nats_watched w = {0};
    wadi_jet_record r;
    wadi_status st = WADI_OK;
    (void)pthread_mutex_lock(&q->lock);
    end_epoch(q);
    q->home_ns = wadi_clock_ns();
    do {
        if (st == WADI_CANCELLED) (void)strcpy(q->past, r.epoch); /* it has changed meanwhile */
        st = wait_for_job(q, &w, &r, err);
        if (st != WADI_OK) break;
        (void)pthread_mutex_unlock(&q->lock);
        st = get_charter(q, &r, out, err);
        (void)pthread_mutex_lock(&q->lock);
    } while (st == WADI_CANCELLED);
    wadi_nats_unwatch(q, &w);
    if (st == WADI_OK) {
        *out_n = r.charter.bytes;
        begin_epoch(q, &r);
    }
    (void)pthread_mutex_unlock(&q->lock);
    return st;
}

/* ---- items ---- */

/* Sends a parcel about the delivery `of`; 0: about none. */
static wadi_status send_parcel(wadi_nats_queue *q, const wadi_nats_sent *what, uint64_t of,
                               wadi_error *err) {
    wadi_nats_parcel *p = NULL;
    const uint64_t id = q->next_id++;
    (void)pthread_mutex_unlock(&q->lock);
    const wadi_status st = wadi_nats_pack(what, id, q->inbox, q->frame_most, &p, err);
    (void)pthread_mutex_lock(&q->lock);
    if (st != WADI_OK) return st;
    p->of = of;
    return wadi_nats_post(q, p, err);
}

static wadi_status send_answer(wadi_nats_queue *q, wadi_nats_delivery *d, wadi_status status,
                               const void *bytes, int64_t n, wadi_error *err) {
    char subject[WADI_NATS_SUBJECT];
    wadi_nats_subject(q->at.job, subject, "answer.%s", q->epoch);
    d->stage = WADI_NATS_ANSWERED;
    return send_parcel(
        q,
        &(wadi_nats_sent){
            .subject = subject,
            .label = {.number = d->label.number, .status = status, .bytes = n, .nonce = q->id},
            .bytes = bytes,
            .identified = true},
        d->id, err);
}

/* An item that was given to many workers, none of which has answered, or whose bytes are damaged: it becomes a dead letter, and home hears that nobody
 * can compute it. */
static wadi_status bury(wadi_nats_queue *q, wadi_nats_delivery *d, wadi_error *err) {
    char subject[WADI_NATS_SUBJECT];
    const wadi_status why = d->label.status != WADI_OK ? d->label.status : WADI_DEVICE;
    const int64_t n = d->label.bytes < q->frame_most ? d->label.bytes : q->frame_most;
    wadi_nats_subject(q->at.job, subject, "dead");
    if (d->buried) return send_answer(q, d, why, NULL, 0, err);
    d->stage = WADI_NATS_BURIED;
    return send_parcel(
        q,
        &(wadi_nats_sent){
            .subject = subject,
            .label = {.number = d->label.number, .status = why, .bytes = n, .nonce = q->id},
            .bytes = d->bytes},
        d->id, err);
}

static bool is_dead(const wadi_nats_delivery *d) {
    return d->label.status != WADI_OK || d->deliveries > WADI_JET_DELIVERIES;
}

static wadi_status fetch_some(wadi_nats_queue *q, wadi_nats_watched *w, wadi_work_item *out,
                              wadi_error *err) {
    for (;;) {
        if (q->over || q->epoch[0] == '\0') {
            const bool ended = !q->known || q->record.state == WADI_JET_ENDED;
            out->status = ended ? WADI_OK : WADI_CANCELLED;
            return WADI_OK;
        }
        wadi_nats_delivery *d = wadi_nats_ready(q);
        if (d != NULL && !is_dead(d)) {
            *out = (wadi_work_item){d->label.number, WADI_OK, d->bytes, d->label.bytes};
            d->bytes = NULL;
            d->stage = WADI_NATS_TAKEN;
            d->taken_ns = wadi_clock_ns();
            if (d->deliveries >= SUSPECT) wadi_nats_stay_alone(q);
            return WADI_OK;
        }
        if (d != NULL) {
            WADI_TRY(bury(q, d, err));
            continue;
        }
        wadi_nats_watch(q, w, "an item", true);
        WADI_TRY(check_home(q, err));
        WADI_TRY(wadi_nats_wait(q, wadi_clock_ns() + live_ns, err));
    }
}

static wadi_status fetch(wadi_workq *self, wadi_work_item *out, wadi_error *err) {
    wadi_nats_queue *q = of(self);
    wadi_nats_watched w = {0};
    *out = (wadi_work_item){.number = -1};
    (void)pthread_mutex_lock(&q->lock);
    const wadi_status st = fetch_some(q, &w, out, err);
    wadi_nats_unwatch(q, &w);
    wadi_nats_stir(q); /* there is room for another */
    (void)pthread_mutex_unlock(&q->lock);
    return st;
}

static int on_the_way(const wadi_nats_queue *q) {
    int n = 0;
    for (size_t i = 0; i < q->deliveries.n; i++)
        n += q->deliveries.at[i]->stage == WADI_NATS_ANSWERED;
    return n;
}

static int64_t bytes_on_the_way(const wadi_nats_queue *q) {
    int64_t n = 0;
    for (size_t i = 0; i < q->parcels.n; i++)
        for (int k = 0; k < q->parcels.at[i]->frames; k++)
            n += natsMsg_GetDataLength(q->parcels.at[i]->frame[k].msg);
    return n;
}

static bool has_room(const wadi_nats_queue *q) {
    const int n = on_the_way(q);
    return n <= ANSWERS_MOST ||
           (n <= SMALL_ANSWERS_MOST && bytes_on_the_way(q) < SMALL_ANSWERS_BYTES);
}

static wadi_nats_delivery *taken(wadi_nats_queue *q, int64_t number) {
    for (size_t i = 0; i < q->deliveries.n; i++) {
        wadi_nats_delivery *d = q->deliveries.at[i];
        if (d->label.number == number && d->stage == WADI_NATS_TAKEN) return d;
    }
    return NULL;
}

static wadi_status answer(wadi_workq *self, const wadi_work_item *item, wadi_error *err) {
    wadi_nats_queue *q = of(self);
    wadi_nats_watched w = {0};
    wadi_status st = WADI_OK;
    (void)pthread_mutex_lock(&q->lock);
    wadi_nats_delivery *d = taken(q, item->number);
    q->alone = false;
    q->ahead.careful -= q->ahead.careful > 0;
    if (d != NULL) wadi_usual(&q->ahead.usual_ns, wadi_clock_ns() - d->taken_ns);
    /* If there is none, its epoch is over: nobody waits for the answer. */
    if (d != NULL)
        st = item->status == WADI_OK ? send_answer(q, d, WADI_OK, item->bytes, item->n, err)
                                     : send_answer(q, d, item->status, NULL, 0, err);
    while (st == WADI_OK && !q->over && !has_room(q)) {
        wadi_nats_watch(q, &w, "room for an answer", false);
        st = wadi_nats_wait(q, wadi_clock_ns() + live_ns, err);
    }
    wadi_nats_unwatch(q, &w);
    (void)pthread_mutex_unlock(&q->lock);
    return st;
}

/* ---- questions ---- */

static void put_question(wadi_nats_queue *q, const char *what) {
    char subject[WADI_NATS_SUBJECT], reply[40];
    if (!q->connected || wadi_clock_ns() < q->question_ns) return;
    wadi_nats_subject(q->at.job, subject, "ask.kernels");
    (void)snprintf(reply, sizeof reply, "k.%" PRIu64, q->question);
    wadi_nats_say(q, subject, reply, what, (int64_t)strlen(what));
    q->question_ns = wadi_clock_ns() + unheard_ns;
}

static wadi_status wait_for_reply(wadi_nats_queue *q, const char *what, wadi_nats_watched *w,
                                  wadi_error *err) {
    q->question = q->next_id++;
    q->question_ns = 0;
    while (q->question != 0 && !q->over && q->epoch[0] != '\0') {
        put_question(q, what);
        wadi_nats_watch(q, w, "kernels of home", true);
        WADI_TRY(check_home(q, err));
        WADI_TRY(wadi_nats_wait(q, wadi_clock_ns() + look_ns, err));
    }
    return WADI_OK;
}

static wadi_status ask(wadi_workq *self, const char *what, void **out, int64_t *out_n,
                       wadi_error *err) {
    wadi_nats_queue *q = of(self);
    wadi_nats_watched w = {0};
    const wadi_jet_address *a = &q->at;
    *out = NULL;
    *out_n = 0;
    if (a->nkey == NULL && a->creds == NULL && a->token == NULL && a->cert == NULL)
        return wadi_fail(err, WADI_COMPILE,
                         "over nats:// they are taken only where the server knows its users "
                         "(nkey, creds, token, cert)");
    (void)pthread_mutex_lock(&q->lock);
    const wadi_status st = wait_for_reply(q, what, &w, err);
    wadi_nats_unwatch(q, &w);
    q->question = 0;
    *out = q->reply;
    *out_n = q->reply != NULL ? q->reply_bytes : 0;
    q->reply = NULL;
    (void)pthread_mutex_unlock(&q->lock);
    return st;
}

/* ---- the end ---- */

static void close_worker(wadi_workq *self) {
    wadi_nats_queue *q = of(self);
    (void)pthread_mutex_lock(&q->lock);
    const int64_t until = wadi_clock_ns() + leave_ns;
    q->pulling = false;
    q->base.wake_fd = -1;
    while (!q->over && q->connected && on_the_way(q) > 0 && wadi_clock_ns() < until)
        if (wadi_nats_wait(q, until, NULL) != WADI_OK) break;
    wadi_nats_forget(q, true);
    if (q->epoch[0] != '\0') tell_home(q, "bye");
    (void)pthread_mutex_unlock(&q->lock);
    wadi_nats_close(q);
}

const wadi_workq_ops wadi_nats_worker_ops = {
    .close = close_worker, .charter = charter, .fetch = fetch, .answer = answer, .ask = ask};
