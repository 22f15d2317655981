/* Opening a queue. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "modules/nats/inside.h"

enum {
    HEADERS = 1024, /* bytes of a message beside those of the item */
};

/* How many messages are ahead of who takes them. What a worker has ahead no other can take, so it is few where they take long. */
static const wadi_nats_ahead home_ahead = {.least = 8, .most = 64},
                             worker_ahead = {.least = 2, .most = 16, .timed = true};

static wadi_status subscribe_all(wadi_nats_queue *q, wadi_error *err) {
    char subject[WADI_NATS_SUBJECT];
    natsInbox *inbox = NULL;
    if (natsInbox_Create(&inbox) != NATS_OK)
        return wadi_fail(err, WADI_MEMORY, "job %s: out of memory", q->at.job);
    (void)snprintf(q->inbox, sizeof q->inbox, "%.100s", inbox);
    natsInbox_Destroy(inbox);
    (void)snprintf(subject, sizeof subject, "%.100s.>", q->inbox);
    WADI_TRY(wadi_nats_subscribe(q, 0, subject, err));
    wadi_nats_subject(q->at.job, subject, q->is_home ? "live.worker" : "live.home");
    WADI_TRY(wadi_nats_subscribe(q, 1, subject, err));
    if (q->is_home) return WADI_OK; /* it is asked when it has the job */
    wadi_nats_subject(q->at.job, subject, "record");
    return wadi_nats_subscribe(q, 2, subject, err);
}

static wadi_status init(wadi_nats_queue *q, const wadi_workq_options *o, wadi_error *err) {
    pthread_condattr_t attr;
    q->base =
        (wadi_workq){o->home ? &wadi_nats_home_ops : &wadi_nats_worker_ops, o->wake_fd, o->waits};
    q->is_home = o->home;
    q->drain = o->drain;
    q->tell = o->tell;
    q->env = o->env;
    q->kernels = o->kernels;
    q->kernels_env = o->kernels_env;
    q->lost_after_ns = o->lost_after_ns;
    q->hangs_after_ns = o->hangs_after_ns;
    q->again = wadi_nats_again_step;
    q->step = o->home ? wadi_nats_home_step : wadi_nats_worker_step;
    q->heard = o->home ? wadi_nats_home_heard : wadi_nats_worker_heard;
    q->pulls = o->home ? WADI_NATS_ANSWERS : WADI_NATS_ITEMS;
    q->ahead = o->home ? home_ahead : worker_ahead;
    q->next_id = 1;
    q->id = wadi_nats_random();
    (void)pthread_mutex_init(&q->lock, NULL);
    (void)pthread_mutex_init(&q->wire, NULL);
    (void)pthread_condattr_init(&attr);
    (void)pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&q->news, &attr);
    (void)pthread_condattr_destroy(&attr);
    q->bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (q->bell < 0) return wadi_fail_errno(err, errno, "job: no event descriptor");
    WADI_TRY(wadi_jet_address_read(o->address, &q->at, err));
    if (q->at.job[0] == '\0')
        return wadi_fail(err, WADI_INVALID,
                         "%s: the name of a job is missing: expected " WADI_JET_FORM, o->address);
    q->credit = q->at.credit;
    q->budget = o->memory > 0 && o->memory < q->at.budget ? o->memory : q->at.budget;
    q->cap = 2 * q->budget + (INT64_C(64) << 20);
    return WADI_OK;
}

static wadi_status connect_all(wadi_nats_queue *q, wadi_error *err) {
    q->events = (wadi_nats_events){wadi_nats_service_lost, wadi_nats_service_back, wadi_nats_closed,
                                   wadi_nats_service_refused, q};
    q->connected = true; /* before it may be lost again */
    WADI_TRY(wadi_nats_connect(&q->at, &q->events, &q->keys, &q->nc, err));
    (void)pthread_mutex_lock(&q->lock);
    q->calling++; /* the connection itself */
    (void)pthread_mutex_unlock(&q->lock);
    wadi_nats_service_met(q, q->nc);
    const int64_t most = natsConnection_GetMaxPayload(q->nc);
    q->frame_most = (most > 0 && most < WADI_JET_FRAME_MOST ? most : WADI_JET_FRAME_MOST) - HEADERS;
    if (q->frame_most < HEADERS)
        return wadi_fail(err, WADI_UNSUPPORTED,
                         "job %s: this server takes messages of at most %" PRId64 " bytes",
                         q->at.job, most);
    WADI_TRY(subscribe_all(q, err));
    return wadi_nats_service_start(q, err);
}

/* JetStream must be there; a server without it would say so only by its silence. */
static wadi_status check_server(wadi_nats_queue *q, wadi_error *err) {
    jsCtx *js = NULL;
    WADI_TRY(wadi_nats_js(wadi_nats_connection(q), &q->at, &js, err));
    const wadi_status st = wadi_nats_account(js, &q->at, err);
    jsCtx_Destroy(js);
    return st;
}

wadi_status wadi_nats_open(const wadi_workq_options *o, wadi_workq **out, wadi_error *err) {
    sigset_t before;
    wadi_nats_queue *q = calloc(1, sizeof *q);
    if (q == NULL) return wadi_fail(err, WADI_MEMORY, "%s: out of memory", o->address);
    wadi_nats_block_signals(&before);
    wadi_status st = init(q, o, err);
    if (st == WADI_OK) st = connect_all(q, err);
    if (st == WADI_OK) st = check_server(q, err);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (st == WADI_OK)
        *out = &q->base;
    else
        wadi_nats_close(q);
    return st;
}
