/* The thread that has the work queue: it sends what waits, and takes what has come. */
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/usual.h"
#include "sched/run/charter.h"
#include "sched/run/far.h"
#include "sched/run/stream.h"

static const int64_t LOOK_NS = 50000000, SECOND_NS = 1000000000;

void wadi_far_nudge(const wadi_far *t) {
    const uint64_t one = 1;
    const ssize_t written = write(t->wake, &one, sizeof one);
    WADI_UNUSED(written); /* it fails only if the thread was woken so often that it is awake */
}

static void calm(const wadi_far *t) {
    uint64_t n = 0;
    const ssize_t taken = read(t->wake, &n, sizeof n);
    WADI_UNUSED(taken);
}

static wadi_workq *queue_of(const wadi_far *t) {
    return t->stream->x->work.queue;
}

/* ---- by the lock ---- */

static wadi_far_ticket *first_waiting(wadi_far *t) {
    for (int i = 0; i < t->tickets; i++) {
        wadi_far_ticket *k = &t->ring[(t->head + i) % WADI_FAR_TICKETS];
        if (k->state == WADI_TICKET_WAITS) return k;
    }
    return NULL;
}

/* The ticket of that number, if it still waits for an answer. */
static wadi_far_ticket *find(wadi_far *t, int64_t number) {
    for (int i = 0; i < t->tickets; i++) {
        wadi_far_ticket *k = &t->ring[(t->head + i) % WADI_FAR_TICKETS];
        if (k->number == number) return k->state == WADI_TICKET_AT_WORK ? k : NULL;
    }
    return NULL;
}

static void fail(wadi_far *t, int64_t number) {
    wadi_far_ticket *k = find(t, number);
    if (k != NULL) k->state = WADI_TICKET_FAILED;
}

/* ---- sending ---- */

static wadi_status send(wadi_far *t, int64_t number, wadi_chunk *in, wadi_error *err) {
    wadi_workq *q = queue_of(t);
    wadi_text bytes = {0};
    wadi_status status = wadi_item_write(in, &bytes, err);
    if (status == WADI_OK) status = q->ops->submit(q, number, bytes.at, (int64_t)bytes.n, err);
    wadi_text_fini(&bytes);
    return status;
}

/* Sends the ticket, outside the lock meanwhile. What cannot be sent is for the compute thread. */
static wadi_status send_ticket(wadi_far *t, wadi_far_ticket *k, wadi_error *err) {
    wadi_chunk *in = wadi_chunk_retain(k->in);
    const int64_t number = k->number;
    k->state = WADI_TICKET_AT_WORK;
    k->sent_ns = wadi_clock_ns();
    wadi_mutex_unlock(&t->lock);
    const wadi_status status = send(t, number, in, err);
    wadi_chunk_release(in);
    wadi_mutex_lock(&t->lock);
    if (status == WADI_OK) return WADI_OK;
    fail(t, number);
    wadi_condition_broadcast(&t->done);
    return status == WADI_IO ? status : WADI_OK;
}

/* ---- taking ---- */

static wadi_chunk *read_answer(wadi_far *t, const wadi_work_item *item) {
    wadi_error why = {.status = WADI_OK};
    wadi_chunk *c = NULL;
    if (item->status != WADI_OK) return NULL;
    const wadi_status status = wadi_item_read(item->bytes, item->n, t->stream->x->plan, t->nresults,
                                              t->results, true, t->stream->x->buffers, &c, &why);
    if (status != WADI_OK)
        wadi_logf(WADI_LOG_WARNING, "%s: an answer is not used: %s", t->stream->x->work.address,
                  why.msg);
    return c;
}

static void note_time(wadi_far *t, const wadi_far_ticket *k) {
    const int64_t now = wadi_clock_ns(), took = now - k->sent_ns;
    if (took > t->slowest_ns) t->slowest_ns = took;
    if (t->answered_ns != 0) wadi_usual(&t->usual_ns, now - t->answered_ns);
    t->answered_ns = now;
}

/* Takes over the item's bytes. */
static void take_answer(wadi_far *t, const wadi_work_item *item) {
    wadi_chunk *c = read_answer(t, item);
    free(item->bytes);
    wadi_mutex_lock(&t->lock);
    wadi_far_ticket *k = find(t, item->number);
    if (k != NULL) {
        const bool good = c != NULL && c->count == k->in->count && c->first == k->in->first;
        note_time(t, k);
        t->answered++;
        k->state = good ? WADI_TICKET_DONE : WADI_TICKET_FAILED;
        if (good) k->answer = wadi_chunk_retain(c);
    }
    wadi_condition_broadcast(&t->done);
    wadi_mutex_unlock(&t->lock);
    wadi_chunk_release(c);
    wadi_lane_nudge_all(t->stream);
}

/* Once a second. By the lock. */
static void note_rate(wadi_far *t) {
    wadi_far_rate *r = &t->rate;
    const int64_t now = wadi_clock_ns();
    if (r->n > 0 && now - r->ns[(r->n - 1) % WADI_FAR_RATES] < SECOND_NS) return;
    r->ns[r->n % WADI_FAR_RATES] = now;
    r->answered[r->n % WADI_FAR_RATES] = t->answered;
    r->n++;
}

/* If the number of workers has changed, who waits for the first of them looks again. */
static void look_at_queue(wadi_far *t) {
    wadi_workq *q = queue_of(t);
    const int n = q->ops->workers(q);
    wadi_workq_open open;
    q->ops->look(q, &open);
    wadi_mutex_lock(&t->lock);
    if (n != t->workers) wadi_condition_broadcast(&t->done);
    t->workers = n;
    t->open = open;
    note_rate(t);
    wadi_mutex_unlock(&t->lock);
}

/* Looks for answers, for so long. Outside the lock. */
static wadi_status take(wadi_far *t, int64_t wait_ns, wadi_error *err) {
    wadi_work_item item = {.number = -1};
    wadi_status status = queue_of(t)->ops->collect(queue_of(t), wait_ns, &item, err);
    if (status == WADI_CANCELLED) {
        calm(t);
        status = WADI_OK;
    } else if (status == WADI_OK && item.number >= 0) {
        take_answer(t, &item);
    }
    look_at_queue(t);
    return status;
}

/* ---- both ---- */

static wadi_status step(wadi_far *t, wadi_error *err) {
    bool sent = false;
    wadi_far_ticket *k = first_waiting(t);
    if (k != NULL && queue_of(t)->ops->has_room(queue_of(t), wadi_chunk_bytes(k->in))) {
        WADI_TRY(send_ticket(t, k, err));
        sent = true;
    }
    wadi_mutex_unlock(&t->lock);
    const wadi_status status = take(t, sent ? 0 : LOOK_NS, err);
    wadi_mutex_lock(&t->lock);
    return status;
}

/* The compute thread does what is left. By the lock. */
static void give_up(wadi_far *t, const char *why) {
    t->lost = true;
    wadi_logf(WADI_LOG_WARNING, "%s: workers get nothing any more: %s", t->stream->x->work.address,
              why);
    for (int i = 0; i < t->tickets; i++) {
        wadi_far_ticket *k = &t->ring[(t->head + i) % WADI_FAR_TICKETS];
        if (k->state == WADI_TICKET_WAITS || k->state == WADI_TICKET_AT_WORK)
            k->state = WADI_TICKET_FAILED;
    }
    wadi_condition_broadcast(&t->done);
}

void wadi_far_work(void *env) {
    wadi_far *t = env;
    wadi_run *x = t->stream->x;
    wadi_error why = {.status = WADI_OK};
    const wadi_task before =
        wadi_task_begin((wadi_task){.name = "workers", .stop = &x->stop, .waits = x->waits});
    wadi_mutex_lock(&t->lock);
    while (!t->closing && !t->lost)
        if (step(t, &why) != WADI_OK) give_up(t, why.msg);
    wadi_mutex_unlock(&t->lock);
    wadi_task_end(before);
}
