/* A home takes a job, and leaves it.
 *
 * The record is changed only by whoever has seen its last state, so of two homes that come at once one is told so before it has touched anything. Each
 * home has an epoch of its own, which is part of every subject: what a home that lost the job still sends is refused by the server, since the
 * streams do not take it. */
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/hash.h"
#include "modules/nats/inside.h"

enum {
    SILENT_MS = 3000,
    FLUSH_MS = 3000,
    LEAVING_MS = 10000,
    NAP_MS = 20,
    DEAD_MOST = 256 << 20,
    ASKED = 2 /* of q->subs */
};

static bool is_mine(const wadi_nats_queue *q, const wadi_jet_record *r) {
    return strcmp(r->epoch, q->mine[0]) == 0 || strcmp(r->epoch, q->mine[1]) == 0;
}

/* Whether the home of this record has noted that it is at the server that we are at. */
static wadi_status met_here(wadi_nats_queue *q, jsCtx *js, const wadi_jet_record *r, bool *out,
                            wadi_error *err) {
    char subject[WADI_NATS_SUBJECT];
    natsMsg *msg = NULL;
    wadi_nats_subject(q->at.job, subject, "charter.%s.met", r->epoch);
    WADI_TRY(wadi_nats_message_last(js, &q->at, WADI_NATS_RECORD, subject,
                                    "reading the record of the job", &msg, err));
    if (msg == NULL) return WADI_OK;
    (void)pthread_mutex_lock(&q->lock);
    const size_t n = strlen(q->server_id);
    *out = n > 0 && (size_t)natsMsg_GetDataLength(msg) == n &&
           memcmp(natsMsg_GetData(msg), q->server_id, n) == 0;
    (void)pthread_mutex_unlock(&q->lock);
    natsMsg_Destroy(msg);
    return WADI_OK;
}

static bool has_home(const wadi_jet_record *r) {
    return r->state == WADI_JET_OPEN || r->state == WADI_JET_BEGUN;
}

/* Errors: WADI_INVALID if the home of this record answers. One that is silent is stopped or cut off; if it comes back, its epoch is over. */
static wadi_status check_silent(wadi_nats_queue *q, jsCtx *js, const wadi_jet_record *r,
                                wadi_error *err) {
    bool there = false, silent = false;
    wadi_nats_search how = {.ms = SILENT_MS, .stop_fd = wadi_nats_stop_fd(q)};
    WADI_TRY(met_here(q, js, r, &how.met, err));
    WADI_TRY(wadi_nats_home_find(wadi_nats_connection(q), &q->at, &how, &there, &silent, err));
    if (!there) return WADI_OK;
    return wadi_fail(err, WADI_INVALID,
                     "job %s has a home already; each job needs a name of its own", q->at.job);
}

/* Reads the record; *out_seq is 0 if there is none. A home that leaves the job answers until it has removed the streams, and those of the next have the same names. So that is waited
 * for, only by reading: the server is not asked to make what it still removes. Errors: WADI_INVALID if it does not end, WADI_CANCELLED, .. */
static wadi_status wait_for_leaver(wadi_nats_queue *q, jsCtx *js, wadi_jet_record *out,
                                   uint64_t *out_seq, wadi_error *err) {
    struct pollfd stop = {.fd = wadi_nats_stop_fd(q), .events = POLLIN};
    for (const int64_t until = wadi_clock_ns() + INT64_C(1000000) * LEAVING_MS;
         wadi_clock_ns() < until;) {
        char *reply = NULL;
        bool silent = false;
        WADI_TRY(wadi_nats_record_read(js, &q->at, out, out_seq, err));
        if (*out_seq != 0 && (is_mine(q, out) || has_home(out))) return WADI_OK;
        wadi_nats_unsubscribe(q, ASKED); /* it would hear its own question */
        WADI_TRY(wadi_nats_home_ask(wadi_nats_connection(q), &q->at, "ping", "", SILENT_MS, &reply,
                                    &silent, err));
        if (reply == NULL) return WADI_OK;
        free(reply);
        if (poll(&stop, 1, NAP_MS) > 0)
            return wadi_fail(err, WADI_CANCELLED, "the wait for job %s was ended", q->at.job);
    }
    return wadi_fail(err, WADI_INVALID, "job %s has a home that leaves it, and is not done yet",
                     q->at.job);
}

/* The same, and there is a stream for the record when it returns. */
static wadi_status find_record(wadi_nats_queue *q, jsCtx *js, const char *epoch,
                               wadi_jet_record *out, uint64_t *out_seq, wadi_error *err) {
    do {
        WADI_TRY(wait_for_leaver(q, js, out, out_seq, err));
        if (*out_seq != 0) return WADI_OK;
        WADI_TRY(wadi_nats_stream_make(js, &q->at, WADI_NATS_RECORD, epoch, -1, err));
        WADI_TRY(wadi_nats_record_read(js, &q->at, out, out_seq, err));
    } while (*out_seq != 0 && !has_home(out)); /* another has come and leaves again */
    return WADI_OK;
}

/* The same, and no home has the job but ourselves. Errors: WADI_INVALID if one has. */
static wadi_status find_free(wadi_nats_queue *q, jsCtx *js, const char *epoch, wadi_jet_record *out,
                             uint64_t *out_seq, wadi_error *err) {
    uint64_t seen = 0;
    WADI_TRY(find_record(q, js, epoch, out, out_seq, err));
    do {
        seen = *out_seq;
        if (seen == 0 || is_mine(q, out) || !has_home(out)) return WADI_OK;
        wadi_nats_unsubscribe(q, ASKED); /* it would hear its own question */
        WADI_TRY(check_silent(q, js, out, err));
        WADI_TRY(find_record(q, js, epoch, out, out_seq, err)); /* the search takes a while */
    } while (*out_seq != seen);
    return WADI_OK;
}

/* From now on it can be asked, and each question is answered: the job is ours, though it has no streams yet. Until it turns out not to be. */
static wadi_status listen(wadi_nats_queue *q, wadi_error *err) {
    char subject[WADI_NATS_SUBJECT];
    sigset_t before;
    if (wadi_nats_hears(q, ASKED)) return WADI_OK;
    wadi_nats_subject(q->at.job, subject, "ask.*");
    wadi_nats_block_signals(&before);
    const wadi_status st = wadi_nats_subscribe(q, ASKED, subject, err);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    (void)natsConnection_FlushTimeout(wadi_nats_connection(q),
                                      FLUSH_MS); /* if it fails, the library says it again */
    return st;
}

static wadi_status make_queue(jsCtx *js, const wadi_jet_address *at, wadi_nats_stream s,
                              const char *epoch, int64_t cap, wadi_error *err) {
    WADI_TRY(wadi_nats_stream_remove(js, at, s, err));
    WADI_TRY(wadi_nats_stream_make(js, at, s, epoch, cap, err));
    return wadi_nats_consumer_make(js, at, s, epoch, err);
}

/* The charter in frames: wadi.JOB.charter.EPOCH.FRAME, in the stream of the record. */
static wadi_status publish_charter(const wadi_nats_queue *q, jsCtx *js, const wadi_jet_record *r,
                                   const char *charter, wadi_error *err) {
    char subject[WADI_NATS_SUBJECT], stream[WADI_NATS_SUBJECT];
    const int64_t n = r->charter.bytes;
    jsOptions o;
    jsErrCode code = 0;
    wadi_nats_stream_name(q->at.job, WADI_NATS_RECORD, stream);
    wadi_nats_subject(q->at.job, subject, "charter.>");
    (void)jsOptions_Init(&o);
    o.Stream.Purge.Subject = subject;
    natsStatus s = js_PurgeStream(js, stream, &o, &code);
    for (int i = 0; s == NATS_OK && i < r->charter.frames; i++) {
        const int64_t first = i * q->frame_most,
                      rest = n - first < q->frame_most ? n - first : q->frame_most;
        wadi_nats_subject(q->at.job, subject, "charter.%s.%d", r->epoch, i);
        s = js_Publish(NULL, js, subject, charter + first, (int)rest, NULL, &code);
    }
    return s == NATS_OK ? WADI_OK
                        : wadi_nats_js_fail(&q->at, s, code, "publishing the charter", err);
}

static wadi_jet_record new_record(const wadi_nats_queue *q, const void *charter, int64_t n) {
    const uint64_t epoch = wadi_nats_random();
    wadi_jet_record r = {.state = WADI_JET_BEGUN,
                         .ack_wait_ms = (int64_t)(q->at.ack_wait_s * 1e3),
                         .charter = {.bytes = n,
                                     .frames = (int32_t)((n + q->frame_most - 1) / q->frame_most),
                                     .crc = wadi_crc32c(0, charter, (size_t)n)}};
    (void)snprintf(r.epoch, sizeof r.epoch, "%016" PRIx64, epoch);
    return r;
}

typedef struct taking {
    const void *charter;
    int64_t n;
    bool fresh;   /* the job was not there before */
    bool written; /* its record may be ours */
    wadi_jet_record *out;
} taking;

static wadi_status take_over(wadi_nats_queue *q, jsCtx *js, void *env, wadi_error *err) {
    taking *t = env;
    const wadi_jet_address *at = &q->at;
    wadi_jet_record before = {.state = WADI_JET_LEFT}, r = new_record(q, t->charter, t->n);
    uint64_t seq = 0;
    WADI_TRY(find_free(q, js, r.epoch, &before, &seq, err));
    if (seq == 0 || !is_mine(q, &before)) t->fresh = seq == 0;
    if (is_mine(q, &before)) (void)strcpy(q->mine[0], before.epoch);
    (void)strcpy(q->mine[1], r.epoch);
    t->written = true;
    WADI_TRY(wadi_nats_record_write(js, at, &r, &seq, err));
    WADI_TRY(listen(q, err));
    WADI_TRY(make_queue(js, at, WADI_NATS_ITEMS, r.epoch, q->cap, err));
    WADI_TRY(make_queue(js, at, WADI_NATS_ANSWERS, r.epoch, -1, err));
    WADI_TRY(wadi_nats_stream_make(js, at, WADI_NATS_DEAD, r.epoch, DEAD_MOST, err));
    WADI_TRY(publish_charter(q, js, &r, t->charter, err));
    r.state = WADI_JET_OPEN;
    WADI_TRY(wadi_nats_record_write(js, at, &r, &seq, err));
    *t->out = r;
    return WADI_OK;
}

/* The record is removed last, so that this can be done again if the connection is lost on the way. */
static wadi_status leave(wadi_nats_queue *q, jsCtx *js, void *env, wadi_error *err) {
    const wadi_jet_state state = *(const wadi_jet_state *)env;
    const wadi_jet_address *at = &q->at;
    wadi_jet_record r = {0};
    uint64_t seq = 0;
    WADI_TRY(wadi_nats_record_read(js, at, &r, &seq, err));
    if (seq == 0 || !is_mine(q, &r)) return WADI_OK; /* it is another home's now */
    r.state = state;
    WADI_TRY(wadi_nats_record_write(js, at, &r, &seq, err));
    WADI_TRY(wadi_nats_stream_remove(js, at, WADI_NATS_ITEMS, err));
    WADI_TRY(wadi_nats_stream_remove(js, at, WADI_NATS_ANSWERS, err));
    if (wadi_nats_stream_messages(js, at->job, WADI_NATS_DEAD) == 0)
        WADI_TRY(wadi_nats_stream_remove(js, at, WADI_NATS_DEAD, err));
    return state == WADI_JET_ENDED ? wadi_nats_stream_remove(js, at, WADI_NATS_RECORD, err)
                                   : WADI_OK;
}

/* Without waiting for a server that is away. */
static wadi_status leave_now(wadi_nats_queue *q, wadi_jet_state state, wadi_error *err) {
    jsCtx *js = NULL;
    wadi_status st = wadi_nats_js(wadi_nats_connection(q), &q->at, &js, err);
    if (st == WADI_OK) st = leave(q, js, &state, err);
    jsCtx_Destroy(js);
    return st;
}

/* Who answers has not left yet: see wait_for_leaver. */
wadi_status wadi_nats_leave(wadi_nats_queue *q, wadi_jet_state state, wadi_error *err) {
    const wadi_status st =
        state == WADI_JET_ENDED ? wadi_nats_call(q, leave, &state, err) : leave_now(q, state, err);
    wadi_nats_unsubscribe(q, ASKED);
    return st;
}

/* The job is not ours after all: nobody is told so by our answers, and what we have made of it goes, if the server is there. */
static void fall_back(wadi_nats_queue *q, const taking *t) {
    wadi_nats_unsubscribe(q, ASKED);
    (void)pthread_mutex_lock(&q->lock);
    const bool here = q->connected;
    (void)pthread_mutex_unlock(&q->lock);
    if (here && t->written) (void)leave_now(q, t->fresh ? WADI_JET_ENDED : WADI_JET_LEFT, NULL);
}

wadi_status wadi_nats_take_over(wadi_nats_queue *q, const void *charter, int64_t n,
                                wadi_jet_record *out, wadi_error *err) {
    taking t = {.charter = charter, .n = n, .out = out};
    const wadi_status st = wadi_nats_call(q, take_over, &t, err);
    if (st != WADI_OK) fall_back(q, &t);
    return st;
}

/* Whoever comes while the home is looked for has written another record, which is not touched. */
static wadi_status end_left(wadi_nats_queue *q, jsCtx *js, void *env, wadi_error *err) {
    bool *left = env;
    wadi_jet_record r = {0};
    uint64_t seq = 0;
    WADI_TRY(wadi_nats_record_read(js, &q->at, &r, &seq, err));
    if (seq == 0) return WADI_OK;
    if (has_home(&r)) {
        const wadi_status st = check_silent(q, js, &r, err);
        if (st != WADI_OK) return st == WADI_INVALID ? WADI_OK : st;
    }
    (void)strcpy(q->mine[0], r.epoch);
    *left = true;
    return leave(q, js, &(wadi_jet_state){WADI_JET_ENDED}, err);
}

wadi_status wadi_nats_end_left(wadi_nats_queue *q, bool *out, wadi_error *err) {
    *out = false;
    return wadi_nats_call(q, end_left, out, err);
}
