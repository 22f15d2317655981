/* What home hears: signs of life of workers, and requests of `wadi job`. It is answered by the service, whatever the owner of the queue is at. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "modules/nats/inside.h"

enum { WORKERS_MOST = 10000 };

static const int64_t live_ns = 1000000000, silent_ns = 3500000000, swept_ns = 5000000000;

/* ---- workers ---- */

/* "ID EPOCH", or "ID bye". */
static void hear_worker(wadi_nats_queue *q, natsMsg *msg, int64_t now) {
    char text[40] = "", word[20] = "";
    uint64_t id = 0;
    const int n = natsMsg_GetDataLength(msg);
    if (n <= 0 || n >= (int)sizeof text) return;
    memcpy(text, natsMsg_GetData(msg), (size_t)n);
    if (sscanf(text, "%16" SCNx64 " %16s", &id, word) != 2) return;
    size_t i = 0;
    while (i < q->workers.n && q->workers.at[i].id != id) i++;
    if (strcmp(word, q->epoch) == 0) {
        if (i == q->workers.n &&
            (i >= WORKERS_MOST || !wadi_vec_push(&q->workers, (wadi_nats_worker){id, now})))
            return;
        q->workers.at[i].seen_ns = now;
    } else if (i < q->workers.n) {
        q->workers.at[i] = wadi_vec_pop(&q->workers);
    }
}

static void forget_silent(wadi_nats_queue *q, int64_t now) {
    for (size_t i = q->workers.n; i-- > 0;)
        if (now - q->workers.at[i].seen_ns > silent_ns)
            q->workers.at[i] = wadi_vec_pop(&q->workers);
}

/* ---- requests ---- */

/* Answers per second over the last ten seconds. */
static double rate(const wadi_nats_queue *q) {
    const int n = q->rates < WADI_NATS_RATES ? q->rates : WADI_NATS_RATES;
    if (n < 2) return 0;
    const int64_t newest = q->answered_at[(q->rates - 1) % WADI_NATS_RATES],
                  oldest = q->answered_at[(q->rates - n) % WADI_NATS_RATES];
    return (double)(newest - oldest) / (n - 1);
}

/* What is seen of the run, which may have its locks: it is asked with the mutex free. */
static void tell(wadi_nats_queue *q, const char *what, wadi_text *out) {
    wadi_error why = {.status = WADI_OK};
    if (q->tell == NULL) {
        wadi_text_add(out, "error: its home tells nothing of its run");
        return;
    }
    (void)pthread_mutex_unlock(&q->lock);
    const wadi_status st = q->tell(q->env, what, out, &why);
    (void)pthread_mutex_lock(&q->lock);
    const bool large = st == WADI_OK && (int64_t)out->n > q->frame_most;
    if (st == WADI_OK && !large) return;
    wadi_text_clear(out);
    wadi_text_addf(out, "error: %s", large ? "there is more to tell than a message has" : why.msg);
}

static void status(wadi_nats_queue *q, const char *what, wadi_text *out) {
    if (what[0] != '\0') {
        tell(q, what, out);
        return;
    }
    const wadi_nats_numbers *c = &q->count;
    wadi_text_addf(out,
                   "{\"job\": \"%s\", \"epoch\": \"%s\", \"submitted\": %" PRId64
                   ", \"answered\": %" PRId64 ", \"failed\": %" PRId64 ", \"twice\": %" PRId64,
                   q->at.job, q->epoch, c->submitted, c->answered, c->failed, c->twice);
    wadi_text_addf(out,
                   ", \"strangers\": %" PRId64 ", \"refused\": %" PRId64 ", \"in_flight\": %zu"
                   ", \"bytes_in_flight\": %" PRId64 ", \"credit\": %" PRId64
                   ", \"budget\": %" PRId64,
                   c->strangers, c->refused, q->flight.n, c->bytes_in_flight, q->credit, q->budget);
    wadi_text_addf(
        out, ", \"workers\": %zu, \"per_second\": %.1f, \"paused\": %s, \"draining\": %s}",
        q->workers.n, rate(q), q->paused ? "true" : "false", q->draining ? "true" : "false");
}

static void ping(wadi_nats_queue *q, const char *what, wadi_text *out) {
    WADI_UNUSED(what);
    wadi_text_add(out, q->epoch);
}

static void pause_items(wadi_nats_queue *q, const char *what, wadi_text *out) {
    WADI_UNUSED(what);
    q->paused = true;
    wadi_text_add(out, "paused");
}

static void resume_items(wadi_nats_queue *q, const char *what, wadi_text *out) {
    WADI_UNUSED(what);
    q->paused = false;
    wadi_text_add(out, "resumed");
}

static void drain(wadi_nats_queue *q, const char *what, wadi_text *out) {
    WADI_UNUSED(what);
    if (q->drain == NULL || !q->drain(q->env)) {
        wadi_text_add(out, "error: the run of this job cannot be drained now: it is not saved "
                           "(--state), has only begun, or ends already; SIGTERM ends its home");
        return;
    }
    q->draining = true;
    q->paused = false; /* what is in flight is finished */
    wadi_text_add(out, "draining");
}

static void resize(wadi_nats_queue *q, const char *what, wadi_text *out) {
    char *end = NULL;
    const long n = strtol(what, &end, 10);
    if (end == what || *end != '\0' || n < 1 || n > 30000) {
        wadi_text_add(out, "error: expected a number of items from 1 to 30000");
        return;
    }
    q->credit = n;
    wadi_text_addf(out, "%ld items in flight at most", n);
}

/* The reply fits into one message. */
static void kernels(wadi_nats_queue *q, const char *what, wadi_text *out) {
    if (q->kernels != NULL)
        q->kernels(q->kernels_env, what, q->frame_most - WADI_WORKQ_LINE, out);
    else
        wadi_text_add(out, "error: it has no kernels");
}

static const struct {
    const char *verb;
    void (*answer)(wadi_nats_queue *q, const char *what, wadi_text *out);
} requests[] = {{"ping", ping},           {"status", status}, {"pause", pause_items},
                {"resume", resume_items}, {"drain", drain},   {"resize", resize},
                {"kernels", kernels}};

static void hear_request(wadi_nats_queue *q, const char *verb, natsMsg *msg) {
    char what[128] = ""; /* at least WADI_WORKQ_LINE */
    wadi_text out = {0};
    const char *reply = natsMsg_GetReply(msg);
    const int n = natsMsg_GetDataLength(msg);
    if (reply == NULL || n >= (int)sizeof what) return;
    if (n > 0) memcpy(what, natsMsg_GetData(msg), (size_t)n);
    size_t i = 0;
    while (i < sizeof requests / sizeof *requests && strcmp(requests[i].verb, verb) != 0) i++;
    if (i < sizeof requests / sizeof *requests)
        requests[i].answer(q, what, &out);
    else
        wadi_text_add(&out, "error: there is no such request");
    if (!out.failed) wadi_nats_say(q, reply, NULL, wadi_text_str(&out), (int64_t)out.n);
    wadi_text_fini(&out);
    wadi_nats_ring(q);
}

/* ---- frames that nobody reads any more ---- */

static bool in_flight(const wadi_nats_queue *q, int64_t number) {
    for (size_t i = 0; i < q->flight.n; i++)
        if (q->flight.at[i].number == number) return true;
    return false;
}

/* The server lists subjects of frames of answers. A killed worker has left some; those of items that are answered are not read. */
static void sweep(wadi_nats_queue *q, natsMsg *msg) {
    char part[WADI_NATS_SUBJECT], subject[WADI_NATS_SUBJECT], stream[WADI_NATS_SUBJECT], what[256];
    const char *text = natsMsg_GetData(msg);
    const int n = natsMsg_GetDataLength(msg);
    wadi_nats_subject(q->at.job, part, "answer.%s.part.", q->epoch);
    wadi_nats_stream_name(q->at.job, WADI_NATS_ANSWERS, stream);
    (void)snprintf(subject, sizeof subject, "$JS.API.STREAM.PURGE.%.100s", stream);
    const size_t letters = strlen(part);
    int64_t last = -1;
    for (int i = 0; i + (int)letters + 20 < n; i++) {
        if (text[i] != 'w' || strncmp(text + i, part, letters) != 0) continue;
        const int64_t number = strtoll(text + i + letters, NULL, 10);
        if (number == last || in_flight(q, number)) continue;
        last = number;
        const int w = snprintf(what, sizeof what, "{\"filter\":\"%s%" PRId64 ".>\"}", part, number);
        wadi_nats_say(q, subject, "x", what, w);
    }
}

static void ask_for_frames(wadi_nats_queue *q, int64_t now) {
    char subject[WADI_NATS_SUBJECT], stream[WADI_NATS_SUBJECT], filter[WADI_NATS_SUBJECT],
        what[256];
    if (!q->parts || !q->connected || q->epoch[0] == '\0' || now - q->swept_ns < swept_ns) return;
    q->swept_ns = now;
    wadi_nats_stream_name(q->at.job, WADI_NATS_ANSWERS, stream);
    wadi_nats_subject(q->at.job, filter, "answer.%s.part.>", q->epoch);
    (void)snprintf(subject, sizeof subject, "$JS.API.STREAM.INFO.%.100s", stream);
    const int n = snprintf(what, sizeof what, "{\"subjects_filter\":\"%s\"}", filter);
    wadi_nats_say(q, subject, "s", what, n);
}

/* ---- home ---- */

void wadi_nats_home_met(wadi_nats_queue *q) {
    char subject[WADI_NATS_SUBJECT];
    if (!q->is_home || q->epoch[0] == '\0') return;
    wadi_nats_subject(q->at.job, subject, "charter.%s.met", q->epoch);
    wadi_nats_say(q, subject, NULL, q->server_id, (int64_t)strlen(q->server_id));
}

void wadi_nats_home_heard(wadi_nats_queue *q, const char *verb, natsMsg *msg) {
    if (strcmp(verb, "ask.frame") == 0) {
        wadi_nats_frames_heard(q, msg);
        return;
    }
    /* One that has lost the job does not speak for it: another may have it. */
    if (strncmp(verb, "ask.", 4) == 0 && q->failed == WADI_OK) hear_request(q, verb + 4, msg);
    if (!q->offered) return;
    if (strcmp(verb, "live.worker") == 0)
        hear_worker(q, msg, wadi_clock_ns());
    else if (strcmp(verb, "s") == 0)
        sweep(q, msg);
    else if (strncmp(verb, "c.", 2) == 0)
        wadi_nats_consumers_heard(q, verb, msg);
    else if (strncmp(verb, "l.", 2) == 0)
        wadi_nats_lost_heard(q, verb, msg);
}

void wadi_nats_home_step(wadi_nats_queue *q, int64_t now) {
    if (!q->offered || q->ended) {
        wadi_nats_frames_forget(q);
        return;
    }
    wadi_nats_frames_step(q);
    ask_for_frames(q, now);
    wadi_nats_consumers_step(q, now);
    wadi_nats_lost_step(q, now);
    if (now - q->live_ns < live_ns) return;
    q->live_ns = now;
    forget_silent(q, now);
    q->answered_at[q->rates++ % WADI_NATS_RATES] = q->count.answered;
    wadi_nats_home_tell(q, "");
}
