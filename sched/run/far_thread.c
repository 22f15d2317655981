/* The thread that has the work queue: it sends what waits, and takes what has come. */
#include <stdio.h>
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

/* A ticket, and the stretch that it is of; k NULL: there is none. */
typedef struct place {
    int part;
    wadi_far_ticket *k;
} place;

static wadi_far_ticket *first_of(const wadi_far_part *p) {
    for (int n = 0; n < p->tickets; n++)
        if (wadi_far_at(p, n)->state == WADI_TICKET_WAITS) return wadi_far_at(p, n);
    return NULL;
}

/* In the order of their numbers, which a queue must get rising. */
static place first_waiting(const wadi_far *t) {
    place first = {0, NULL};
    for (int i = 0; i < t->nparts; i++) {
        wadi_far_ticket *k = first_of(&t->parts[i]);
        if (k != NULL && (first.k == NULL || k->number < first.k->number)) first = (place){i, k};
    }
    return first;
}

/* The ticket of that number, if it still waits for an answer. */
static place find(const wadi_far *t, int64_t number) {
    for (int i = 0; i < t->nparts; i++) {
        const wadi_far_part *p = &t->parts[i];
        for (int n = 0; n < p->tickets; n++) {
            wadi_far_ticket *k = wadi_far_at(p, n);
            if (k->number == number) return (place){i, k->state == WADI_TICKET_AT_WORK ? k : NULL};
        }
    }
    return (place){0, NULL};
}

static void fail(const wadi_far *t, int64_t number) {
    const place at = find(t, number);
    if (at.k != NULL) at.k->state = WADI_TICKET_FAILED;
}

/* ---- sending ---- */

static wadi_status send(const wadi_far *t, int part, int64_t number, wadi_chunk *states,
                        wadi_chunk *in, wadi_error *err) {
    wadi_workq *q = queue_of(t);
    wadi_text bytes = {0};
    wadi_status status = wadi_item_write(part, &t->kinds.told, states, in, &bytes, err);
    if (status == WADI_OK) status = q->ops->submit(q, number, bytes.at, (int64_t)bytes.n, err);
    wadi_text_fini(&bytes);
    return status;
}

/* Sends the ticket, outside the lock meanwhile. What cannot be sent is for the compute thread. */
static wadi_status send_ticket(wadi_far *t, place at, wadi_error *err) {
    wadi_chunk *in = wadi_chunk_retain(at.k->in);
    wadi_chunk *states = at.k->states != NULL ? wadi_chunk_retain(at.k->states) : NULL;
    const int64_t number = at.k->number;
    at.k->state = WADI_TICKET_AT_WORK;
    at.k->sent_ns = wadi_clock_ns();
    wadi_mutex_unlock(&t->lock);
    const wadi_status status = send(t, at.part, number, states, in, err);
    wadi_chunk_release(in);
    wadi_chunk_release(states);
    wadi_mutex_lock(&t->lock);
    if (status == WADI_OK) return WADI_OK;
    fail(t, number);
    wadi_condition_broadcast(&t->done);
    return status == WADI_IO ? status : WADI_OK;
}

/* ---- taking ---- */

static void note_time(wadi_far *t, const wadi_far_ticket *k) {
    const int64_t now = wadi_clock_ns(), took = now - k->sent_ns;
    t->patience_ns = wadi_far_patience(t->patience_ns, took);
    if (t->answered_ns != 0) wadi_usual(&t->usual_ns, now - t->answered_ns);
    t->answered_ns = now;
}

/* The worker's clock is its own, so its work is drawn as if the answer had needed no time to come. What began before the answer before had come began with that. */
static void trace_answer(const wadi_far *t, const wadi_far_part *part, const wadi_far_ticket *k,
                         const wadi_report *r) {
    wadi_run *x = t->stream->x;
    if (x->trace == NULL) return;
    const int first = part->plan->stage[0];
    const wadi_plan_place *p = &x->plan->places[t->stream->plan->stages[first].place];
    const int64_t now = wadi_clock_ns(), most = now - k->sent_ns;
    char words[160];
    (void)snprintf(words, sizeof words, "%.60s, line %d", p->op, p->loc.line);
    wadi_trace_add_behind(x->trace, "elsewhere", r->worker, wadi_trace_word(x->trace, words),
                          now - (r->ns < most ? r->ns : most), now,
                          (wadi_trace_amount){"elements", k->in->count, true, k->number});
}

/* Takes over the item's bytes. The lock is let go of while they are read, and the compute thread may give the ticket up meanwhile. */
static void take_answer(wadi_far *t, const wadi_work_item *item) {
    wadi_mutex_lock(&t->lock);
    const place at = find(t, item->number);
    const wadi_far_part *p = &t->parts[at.part];
    const int64_t count = at.k != NULL ? at.k->in->count : 0;
    const int64_t keys = at.k != NULL && at.k->states != NULL ? at.k->states->count : 0;
    wadi_mutex_unlock(&t->lock);
    wadi_far_ticket got = {.in = NULL};
    wadi_report report = {.ns = 0};
    if (at.k != NULL) wadi_far_read(t, p, count, keys, item, &got, &report);
    free(item->bytes);
    wadi_mutex_lock(&t->lock);
    wadi_far_ticket *k = find(t, item->number).k;
    if (k != NULL) {
        note_time(t, k);
        t->answered++;
        k->state = got.answer != NULL ? WADI_TICKET_DONE : WADI_TICKET_FAILED;
        if (got.answer != NULL) trace_answer(t, p, k, &report);
        k->answer = got.answer;
        k->after = got.after;
        k->kind = got.kind;
        got = (wadi_far_ticket){.in = NULL};
    }
    wadi_condition_broadcast(&t->done);
    wadi_mutex_unlock(&t->lock);
    wadi_far_drop(p, &got);
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
    const place at = first_waiting(t);
    if (at.k != NULL && queue_of(t)->ops->has_room(queue_of(t), wadi_far_ticket_bytes(at.k))) {
        WADI_TRY(send_ticket(t, at, err));
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
    for (int i = 0; i < t->nparts; i++)
        for (int n = 0; n < t->parts[i].tickets; n++) {
            wadi_far_ticket *k = wadi_far_at(&t->parts[i], n);
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
