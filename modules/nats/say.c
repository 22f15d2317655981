/* What the other files of a queue share: waiting, waking, and what is to be said to the server. */
#include <errno.h>
#include <poll.h>
#include <sodium.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/format.h"
#include "base/task.h"
#include "modules/nats/inside.h"

static const int64_t look_ns = 1000000000, told_ns = 300000000;

uint64_t wadi_nats_random(void) {
    uint64_t number;
    randombytes_buf(&number, sizeof number);
    return number;
}

void wadi_nats_stir(wadi_nats_queue *q) {
    q->stirred = true;
    if (!q->passing) (void)pthread_cond_signal(&q->news);
}

void wadi_nats_ring(wadi_nats_queue *q) {
    const uint64_t one = 1;
    if (!q->waits) return; /* it looks before it waits */
    q->waits = false;
    (void)!write(q->bell, &one, sizeof one);
}

void wadi_nats_break(wadi_nats_queue *q, wadi_status status, const char *format, ...) {
    if (q->failed != WADI_OK) return;
    va_list args;
    va_start(args, format);
    (void)wadi_format_list(q->why, sizeof q->why, format, args);
    va_end(args);
    q->failed = status;
    wadi_nats_ring(q);
}

void wadi_nats_doubt(wadi_nats_queue *q) {
    q->record_ns = 0;
}

natsConnection *wadi_nats_connection(wadi_nats_queue *q) {
    (void)pthread_mutex_lock(&q->wire);
    natsConnection *nc = q->nc;
    (void)pthread_mutex_unlock(&q->wire);
    return nc;
}

/* ---- saying ---- */

/* Whatever is said is said again if it has no effect, so it is no error if there is no memory for it. */
void wadi_nats_say(wadi_nats_queue *q, const char *subject, const char *reply, const void *data,
                   int64_t n) {
    const size_t letters = strlen(subject) + 1, room = reply != NULL ? WADI_NATS_SUBJECT : 0;
    char *to = malloc(letters + room + (size_t)n + 1);
    if (to == NULL) return;
    memcpy(to, subject, letters);
    if (reply != NULL) (void)snprintf(to + letters, room, "%.120s.%.60s", q->inbox, reply);
    if (n > 0) memcpy(to + letters + room, data, (size_t)n);
    const wadi_nats_saying s = {.to = to,
                                .reply = reply != NULL ? to + letters : NULL,
                                .bytes = to + letters + room,
                                .n = n};
    if (!wadi_vec_push(&q->sayings, s)) free(to);
    wadi_nats_stir(q);
}

void wadi_nats_say_get(wadi_nats_queue *q, wadi_nats_stream s, const char *reply, const char *what,
                       int n) {
    char subject[WADI_NATS_SUBJECT], stream[WADI_NATS_SUBJECT];
    wadi_nats_stream_name(q->at.job, s, stream);
    (void)snprintf(subject, sizeof subject, "$JS.API.DIRECT.GET.%.100s", stream);
    wadi_nats_say(q, subject, reply, what, n);
}

void wadi_nats_say_get_number(wadi_nats_queue *q, wadi_nats_stream s, const char *reply,
                              uint64_t number) {
    char what[40];
    const int n = snprintf(what, sizeof what, "{\"seq\":%" PRIu64 "}", number);
    wadi_nats_say_get(q, s, reply, what, n);
}

bool wadi_nats_got(natsMsg *msg, wadi_jet_label *out) {
    const char *text = NULL;
    if (natsMsgHeader_Get(msg, "Status", &text) == NATS_OK && strcmp(text, "404") != 0)
        return false;
    if (natsMsgHeader_Get(msg, WADI_NATS_LABEL, &text) != NATS_OK ||
        !wadi_jet_label_read(text, out))
        *out = (wadi_jet_label){.number = -1};
    return true;
}

void wadi_nats_home_tell(wadi_nats_queue *q, const char *word) {
    char subject[WADI_NATS_SUBJECT], text[WADI_JET_EPOCH + 8];
    wadi_nats_subject(q->at.job, subject, "live.home");
    const int n = snprintf(text, sizeof text, "%s%.7s", q->epoch, word);
    wadi_nats_say(q, subject, NULL, text, n);
}

int64_t wadi_nats_number_in(const char *text, int n, const char *name) {
    const size_t letters = strlen(name);
    for (int i = 0; i + (int)letters + 3 < n; i++) {
        if (text[i] != '"' || strncmp(text + i + 1, name, letters) != 0 ||
            strncmp(text + i + 1 + letters, "\":", 2) != 0)
            continue;
        int64_t value = -1;
        for (int k = i + (int)letters + 3; k < n && text[k] >= '0' && text[k] <= '9'; k++) {
            if (value > INT64_MAX / 10 - 1) return -1;
            value = (value < 0 ? 0 : value) * 10 + (text[k] - '0');
        }
        return value;
    }
    return -1;
}

/* ---- waiting ---- */

/* What the owner waits for. The server, if that is away. */
static void words_of(const wadi_nats_queue *q, const char *what, char out[WADI_NATS_SUBJECT]) {
    char server[WADI_NATS_SUBJECT];
    wadi_nats_server(&q->at, server);
    if (q->connected)
        (void)snprintf(out, WADI_NATS_SUBJECT, "%s of job %s", what, q->at.job);
    else
        (void)snprintf(out, WADI_NATS_SUBJECT, "the server %.100s, which is away", server);
}

void wadi_nats_watch(wadi_nats_queue *q, wadi_nats_watched *w, const char *what, bool idle) {
    char words[WADI_NATS_SUBJECT];
    if (q->base.waits == NULL) return;
    words_of(q, what, words);
    if (w->on && strcmp(w->words, words) == 0) return;
    wadi_nats_unwatch(q, w);
    (void)strcpy(w->words, words);
    const wadi_wait wait = {q->is_home ? "home" : "worker", w->words, -1, NULL, false};
    w->ticket = idle && q->connected ? wadi_wait_begin_idle(q->base.waits, wait)
                                     : wadi_wait_begin(q->base.waits, wait);
    w->on = true;
}

void wadi_nats_unwatch(wadi_nats_queue *q, wadi_nats_watched *w) {
    if (w->on) wadi_wait_end(q->base.waits, w->ticket);
    w->on = false;
}

/* Adds what was last refused to an error. */
static wadi_status explain(const wadi_nats_queue *q, wadi_status st, wadi_error *err) {
    if (st != WADI_IO || err == NULL || q->said[0] == '\0' || strstr(err->msg, q->said) != NULL)
        return st;
    const size_t n = strlen(err->msg);
    (void)snprintf(err->msg + n, sizeof err->msg - n, " (the last error: %s)", q->said);
    return st;
}

static wadi_status check(const wadi_nats_queue *q, int64_t now, wadi_error *err) {
    if (q->failed != WADI_OK) return wadi_fail(err, q->failed, "%s", q->why);
    if (q->connected || now - q->lost_ns < (int64_t)(q->at.wait_s * 1e9)) return WADI_OK;
    char server[WADI_NATS_SUBJECT];
    wadi_nats_server(&q->at, server);
    return explain(
        q, wadi_fail(err, WADI_IO, "%s: the server has been away for %g s", server, q->at.wait_s),
        err);
}

int wadi_nats_stop_fd(const wadi_nats_queue *q) {
    return q->base.wake_fd >= 0 ? q->base.wake_fd : wadi_task_stop_fd();
}

wadi_status wadi_nats_wait(wadi_nats_queue *q, int64_t until_ns, wadi_error *err) {
    int64_t now = wadi_clock_ns();
    WADI_TRY(check(q, now, err));
    const int64_t rest = until_ns - now < look_ns ? until_ns - now : look_ns;
    struct pollfd fds[2] = {{.fd = q->bell, .events = POLLIN},
                            {.fd = wadi_nats_stop_fd(q), .events = POLLIN}};
    q->waits = true;
    (void)pthread_mutex_unlock(&q->lock);
    const int n = poll(fds, 2, rest > 0 ? (int)((rest + 999999) / 1000000) : 0);
    uint64_t rings;
    if (n > 0 && fds[0].revents != 0) (void)!read(q->bell, &rings, sizeof rings);
    (void)pthread_mutex_lock(&q->lock);
    q->waits = false;
    if (n > 0 && fds[1].revents != 0)
        return wadi_fail(err, WADI_CANCELLED, "the wait for job %s was ended", q->at.job);
    return check(q, wadi_clock_ns(), err);
}

/* How often the library has made the connection again, and whether it is there. */
typedef struct ties {
    const natsConnection *nc;
    uint64_t made;
    bool there;
} ties;

static ties look_at(natsConnection *nc) {
    ties t = {.nc = nc, .there = natsConnection_Status(nc) == NATS_CONN_STATUS_CONNECTED};
    natsStatistics *n = NULL;
    if (natsStatistics_Create(&n) == NATS_OK && natsConnection_GetStats(nc, n) == NATS_OK)
        (void)natsStatistics_GetCounts(n, NULL, NULL, NULL, NULL, &t.made);
    natsStatistics_Destroy(n);
    return t;
}

/* Whether the connection was lost since then. */
static bool was_lost(wadi_nats_queue *q, ties before) {
    natsConnection *nc = wadi_nats_connection(q);
    const ties now = look_at(nc);
    return !now.there || now.nc != before.nc || now.made != before.made;
}

/* Waits for the server, if it was away since there had been `outages`. False: it was not. That it is away is told later than calls fail: much later on a busy machine. lost_by_then: the library
 * knows of it. A wait that fails counts as well. */
static bool back_again(wadi_nats_queue *q, int outages, bool lost_by_then, wadi_status *out_st,
                       wadi_error *err) {
    wadi_nats_watched w = {0};
    *out_st = WADI_OK;
    (void)pthread_mutex_lock(&q->lock);
    for (const int64_t until = wadi_clock_ns() + (lost_by_then ? look_ns : told_ns);
         *out_st == WADI_OK && q->connected && q->outages == outages && wadi_clock_ns() < until;)
        *out_st = wadi_nats_wait(q, until, err);
    const bool lost = *out_st != WADI_OK || lost_by_then || !q->connected || q->outages != outages;
    while (*out_st == WADI_OK && !q->connected) {
        wadi_nats_watch(q, &w, "the server", false);
        *out_st = wadi_nats_wait(q, wadi_clock_ns() + look_ns, err);
    }
    wadi_nats_unwatch(q, &w);
    (void)pthread_mutex_unlock(&q->lock);
    return lost;
}

/* Waits a little for JetStream, which a server that begins or ends may not have. */
static wadi_status stand_by(wadi_nats_queue *q, wadi_error *err) {
    wadi_nats_watched w = {0};
    wadi_status st = WADI_OK;
    (void)pthread_mutex_lock(&q->lock);
    for (const int64_t until = wadi_clock_ns() + told_ns;
         st == WADI_OK && wadi_clock_ns() < until;) {
        wadi_nats_watch(q, &w, "JetStream", false);
        st = wadi_nats_wait(q, until, err);
    }
    wadi_nats_unwatch(q, &w);
    (void)pthread_mutex_unlock(&q->lock);
    return st;
}

static wadi_status explain_safely(wadi_nats_queue *q, wadi_status st, wadi_error *err) {
    (void)pthread_mutex_lock(&q->lock);
    (void)explain(q, st, err);
    (void)pthread_mutex_unlock(&q->lock);
    return st;
}

wadi_status wadi_nats_call(wadi_nats_queue *q, wadi_nats_calling call, void *env, wadi_error *err) {
    const int64_t begun = wadi_clock_ns();
    for (int failed = 1;; failed++) {
        jsCtx *js = NULL;
        wadi_nats_watched w = {0};
        wadi_status st, away = WADI_OK;
        (void)pthread_mutex_lock(&q->lock);
        const int outages = q->outages;
        wadi_nats_watch(q, &w, "JetStream", false);
        (void)pthread_mutex_unlock(&q->lock);
        const ties before = look_at(wadi_nats_connection(q));
        st = wadi_nats_js(wadi_nats_connection(q), &q->at, &js, err);
        if (st == WADI_OK) st = call(q, js, env, err);
        jsCtx_Destroy(js);
        (void)pthread_mutex_lock(&q->lock);
        wadi_nats_unwatch(q, &w);
        (void)pthread_mutex_unlock(&q->lock);
        const bool late = wadi_clock_ns() - begun >= (int64_t)(q->at.wait_s * 1e9);
        if (st == WADI_UNSUPPORTED && !late) {
            WADI_TRY(stand_by(q, err));
            continue;
        }
        /* A connection may be lost on the way, and come back late. If it is lost each time, that is no chance. */
        if (st != WADI_IO || (late && failed > 2) ||
            !back_again(q, outages, !before.there || was_lost(q, before), &away, err))
            return explain_safely(q, st, err);
        if (away != WADI_OK) return away;
    }
}
