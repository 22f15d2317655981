/* The home of a job: it submits items and collects answers. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "modules/nats/inside.h"

static wadi_nats_queue *of(wadi_workq *self) {
    return (wadi_nats_queue *)self;
}

/* ---- the charter ---- */

static void begin_epoch(wadi_nats_queue *q, const wadi_jet_record *r) {
    q->record = *r;
    q->known = q->offered = q->pulling = true;
    q->ended = false;
    q->record_ns = wadi_clock_ns();
    q->record_from = q->record_asked + 1;
    q->gone_ns = 0;
    memset(q->consumers, 0, sizeof q->consumers); /* they are new */
    (void)strcpy(q->epoch, r->epoch);
    wadi_nats_home_met(q);
    wadi_nats_stir(q);
}

/* Forgets what belongs to the charter before. */
static void end_epoch(wadi_nats_queue *q) {
    q->epoch[0] = '\0';
    q->pulling = false;
    q->count.bytes_in_flight = 0;
    for (size_t i = 0; i < q->flight.n; i++) {
        wadi_nats_frames_release(q, &q->flight.at[i]);
        wadi_nats_lost_release(q, &q->flight.at[i]);
    }
    wadi_vec_clear(&q->flight);
    wadi_vec_clear(&q->asked);
    wadi_vec_clear(&q->workers);
    wadi_nats_post_drop(q, -1);
    wadi_nats_forget(q, false);
}

static wadi_status offer(wadi_workq *self, const void *charter, int64_t n, wadi_error *err) {
    wadi_nats_queue *q = of(self);
    wadi_jet_record r;
    (void)pthread_mutex_lock(&q->lock);
    end_epoch(q);
    (void)pthread_mutex_unlock(&q->lock);
    WADI_TRY(wadi_nats_take_over(q, charter, n, &r, err));
    (void)pthread_mutex_lock(&q->lock);
    begin_epoch(q, &r);
    (void)pthread_mutex_unlock(&q->lock);
    return WADI_OK;
}

/* ---- items ---- */

static bool has_room(wadi_workq *self, int64_t n) {
    wadi_nats_queue *q = of(self);
    (void)pthread_mutex_lock(&q->lock);
    const bool room = q->failed != WADI_OK || /* submit tells */
                      (!q->paused && (int64_t)q->flight.n < q->credit &&
                       (q->flight.n == 0 || q->count.bytes_in_flight + n <= q->budget));
    (void)pthread_mutex_unlock(&q->lock);
    return room;
}

static wadi_status submit(wadi_workq *self, int64_t number, const void *bytes, int64_t n,
                          wadi_error *err) {
    wadi_nats_queue *q = of(self);
    wadi_nats_parcel *p = NULL;
    wadi_nats_flight f = {.number = number, .bytes = n};
    char subject[WADI_NATS_SUBJECT];
    WADI_TRY(wadi_nats_frames_keep(bytes, n, q->frame_most, &f.framed, err));
    (void)pthread_mutex_lock(&q->lock);
    const uint64_t id = q->next_id++;
    (void)pthread_mutex_unlock(&q->lock);
    wadi_nats_subject(q->at.job, subject, "item.%s", q->epoch);
    const wadi_nats_sent what = {.subject = subject,
                                 .label = {.number = number, .bytes = n, .nonce = q->id},
                                 .bytes = bytes,
                                 .identified = true,
                                 .kept = true};
    wadi_status st = wadi_nats_pack(&what, id, q->inbox, q->frame_most, &p, err);
    (void)pthread_mutex_lock(&q->lock);
    if (st == WADI_OK && q->failed != WADI_OK)
        st = wadi_fail(err, q->failed, "%s", q->why);
    else if (st == WADI_OK && !wadi_vec_push(&q->flight, f))
        st = wadi_fail(err, WADI_MEMORY, "job %s: out of memory", q->at.job);
    if (st == WADI_OK) {
        q->count.submitted++;
        q->count.bytes_in_flight += n;
        st = wadi_nats_post(q, p, err);
    } else {
        wadi_nats_parcel_free(p);
        free(f.framed);
    }
    (void)pthread_mutex_unlock(&q->lock);
    return st;
}

/* ---- answers ---- */

/* The item is answered: nothing of it is needed any more. False: it was answered before, or is none of ours. */
static bool land(wadi_nats_queue *q, int64_t number) {
    size_t i = 0;
    while (i < q->flight.n && q->flight.at[i].number != number) i++;
    if (i == q->flight.n) return false;
    q->count.bytes_in_flight -= q->flight.at[i].bytes;
    wadi_nats_frames_release(q, &q->flight.at[i]);
    wadi_nats_lost_release(q, &q->flight.at[i]);
    q->flight.at[i] = wadi_vec_pop(&q->flight);
    wadi_nats_post_drop(q, number);
    return true;
}

/* Removes the frames of answers to an item. */
static void purge_frames(wadi_nats_queue *q, int64_t number) {
    char subject[WADI_NATS_SUBJECT], stream[WADI_NATS_SUBJECT], part[WADI_NATS_SUBJECT], what[256];
    wadi_nats_stream_name(q->at.job, WADI_NATS_ANSWERS, stream);
    (void)snprintf(subject, sizeof subject, "$JS.API.STREAM.PURGE.%.100s", stream);
    wadi_nats_subject(q->at.job, part, "answer.%s.part.%" PRId64 ".>", q->epoch, number);
    const int n = snprintf(what, sizeof what, "{\"filter\":\"%s\"}", part);
    wadi_nats_say(q, subject, "x", what, n);
}

static void take_answer(wadi_nats_queue *q, wadi_nats_delivery *d, wadi_work_item *out) {
    const wadi_jet_label l = d->label;
    if (land(q, l.number)) {
        *out = (wadi_work_item){l.number, l.status, d->bytes, l.bytes};
        if (l.status != WADI_OK) {
            free(d->bytes);
            out->bytes = NULL;
            out->n = 0;
            q->count.failed++;
        }
        d->bytes = NULL;
        q->count.answered++;
    } else {
        q->count.twice++;
    }
    if (l.frames > 0) {
        q->parts = true;
        purge_frames(q, l.number);
    }
    wadi_nats_settle(q, d, "+ACK");
}

static wadi_status collect_some(wadi_nats_queue *q, int64_t until, wadi_nats_watched *w,
                                wadi_work_item *out, wadi_error *err) {
    char what[64];
    for (;;) {
        for (wadi_nats_delivery *d; out->number < 0 && (d = wadi_nats_ready(q)) != NULL;)
            take_answer(q, d, out);
        if (out->number >= 0) return WADI_OK;
        if (q->failed == WADI_OK && wadi_clock_ns() >= until) return WADI_OK;
        (void)snprintf(what, sizeof what, "an answer of %zu workers", q->workers.n);
        wadi_nats_watch(q, w, q->workers.n == 0 ? "a worker" : what, false);
        WADI_TRY(wadi_nats_wait(q, until, err));
    }
}

static wadi_status collect(wadi_workq *self, int64_t wait_ns, wadi_work_item *out,
                           wadi_error *err) {
    wadi_nats_queue *q = of(self);
    wadi_nats_watched w = {0};
    const int64_t now = wadi_clock_ns(),
                  until = wait_ns < 0 || wait_ns > INT64_MAX - now ? INT64_MAX : now + wait_ns;
    *out = (wadi_work_item){.number = -1};
    (void)pthread_mutex_lock(&q->lock);
    const wadi_status st = collect_some(q, until, &w, out, err);
    wadi_nats_unwatch(q, &w);
    wadi_nats_stir(q); /* there is room for another */
    (void)pthread_mutex_unlock(&q->lock);
    return st;
}

static int workers(wadi_workq *self) {
    wadi_nats_queue *q = of(self);
    (void)pthread_mutex_lock(&q->lock);
    const int n = (int)q->workers.n;
    (void)pthread_mutex_unlock(&q->lock);
    return n;
}

static void look_at_server(const wadi_nats_queue *q, wadi_workq_open *out) {
    out->stuck = (int64_t)q->parcels.n;
    out->stuck_ns = q->connected ? q->stuck_ns : wadi_clock_ns() - q->lost_ns;
    out->away = !q->connected;
    if (q->connected) (void)snprintf(out->said, sizeof out->said, "%.95s", q->said);
}

static void look(wadi_workq *self, wadi_workq_open *out) {
    wadi_nats_queue *q = of(self);
    (void)pthread_mutex_lock(&q->lock);
    *out = (wadi_workq_open){.items = (int64_t)q->flight.n,
                             .most_items = q->credit,
                             .bytes = q->count.bytes_in_flight,
                             .most_bytes = q->budget,
                             .held = q->paused};
    if (q->parcels.n > 0) look_at_server(q, out);
    (void)pthread_mutex_unlock(&q->lock);
}

/* ---- the end ---- */

/* The end of a job waits for a server that is away: workers that have not seen it would go on waiting for home. A home that only leaves does not wait. */
static wadi_status leave(wadi_nats_queue *q, wadi_jet_state state, wadi_error *err) {
    (void)pthread_mutex_lock(&q->lock);
    const bool here =
        q->offered && !q->ended && q->epoch[0] != '\0' && (q->connected || state == WADI_JET_ENDED);
    q->ended = true;
    q->pulling = false;
    wadi_nats_post_drop(q, -1);
    (void)pthread_mutex_unlock(&q->lock);
    return here ? wadi_nats_leave(q, state, err) : WADI_OK;
}

static wadi_status end(wadi_workq *self, wadi_error *err) {
    return leave(of(self), WADI_JET_ENDED, err);
}

static wadi_status end_left(wadi_workq *self, bool *out, wadi_error *err) {
    wadi_nats_queue *q = of(self);
    *out = false;
    (void)pthread_mutex_lock(&q->lock);
    const bool idle = !q->offered && !q->ended;
    (void)pthread_mutex_unlock(&q->lock);
    return idle ? wadi_nats_end_left(q, out, err) : WADI_OK;
}

static void close_home(wadi_workq *self) {
    (void)leave(of(self), WADI_JET_LEFT, NULL);
    wadi_nats_close(of(self));
}

const wadi_workq_ops wadi_nats_home_ops = {.close = close_home,
                                           .offer = offer,
                                           .has_room = has_room,
                                           .submit = submit,
                                           .collect = collect,
                                           .workers = workers,
                                           .look = look,
                                           .end = end,
                                           .end_left = end_left};
