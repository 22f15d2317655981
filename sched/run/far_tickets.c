/* Tickets: into the ring of a stretch, waiting for one, and out of it. By the compute thread. */
#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "sched/run/far.h"
#include "sched/run/stream.h"

static const int64_t LOOK_NS =
    50000000; /* how often who waits looks whether the run was cancelled */

/* ---- which is ready ---- */

static wadi_ticket_state state_at(const void *part, int i) {
    return wadi_far_at(part, i)->state;
}

int wadi_far_find_ready(const wadi_far_part *p) {
    for (int i = 0; p->keyed != NULL && i < p->tickets; i++)
        if (state_at(p, i) == WADI_TICKET_DONE || state_at(p, i) == WADI_TICKET_FAILED) return i;
    if (p->keyed != NULL) return -1;
    return wadi_tickets_next((wadi_tickets){p, state_at, p->tickets, p->unordered});
}

wadi_far_ticket wadi_far_take_out(wadi_far_part *p, int at) {
    const wadi_far_ticket k = *wadi_far_at(p, at);
    for (int i = at; i > 0; i--) *wadi_far_at(p, i) = *wadi_far_at(p, i - 1);
    p->head = (p->head + 1) % WADI_FAR_TICKETS;
    p->tickets--;
    p->bytes -= wadi_far_ticket_bytes(&k);
    return k;
}

/* ---- waiting ---- */

/* No item goes to workers now (wadi job pause), and the run is to be saved and to end. By the lock. */
static bool is_held(const wadi_far *t, const wadi_far_ticket *k) {
    return k->state == WADI_TICKET_WAITS && t->open.held && atomic_load(&t->stream->x->drains);
}

/* Whether nobody can be expected to answer it soon. By the lock. */
static bool is_hopeless(const wadi_far *t, const wadi_far_ticket *k) {
    const int64_t most = wadi_far_patience(t->patience_ns, 0);
    if (t->workers == 0 || t->lost || is_held(t, k)) return true;
    return k->sent_ns != 0 && wadi_clock_ns() - k->sent_ns > most;
}

wadi_status wadi_far_wait_for_ready(wadi_stream *s, wadi_far_part *p, wadi_error *err) {
    wadi_far *t = &s->far;
    wadi_status status = WADI_OK;
    wadi_mutex_lock(&t->lock);
    wadi_far_ticket *k = wadi_far_at(p, 0);
    const bool waits = wadi_far_find_ready(p) < 0;
    const int ticket =
        waits ? wadi_task_wait("elements from a worker", k->in->first, s->x->work.address) : -1;
    wadi_account *before = waits ? wadi_profile_charge(WADI_PROFILE_TEAM) : NULL;
    while (status == WADI_OK && wadi_far_find_ready(p) < 0) {
        if (is_hopeless(t, k))
            k->state = WADI_TICKET_FAILED;
        else
            (void)wadi_condition_wait_for(&t->done, &t->lock, LOOK_NS);
        status = wadi_task_check(err);
    }
    wadi_mutex_unlock(&t->lock);
    wadi_profile_back(before);
    if (waits) wadi_task_go_on(ticket);
    return status;
}

bool wadi_far_has_ready(wadi_far *t, const wadi_far_part *p) {
    wadi_mutex_lock(&t->lock);
    const bool ready = wadi_far_find_ready(p) >= 0;
    wadi_mutex_unlock(&t->lock);
    return ready;
}

/* ---- adding ---- */

int wadi_far_most_tickets(int workers) {
    const int wanted = 3 * workers + 2;
    return wanted < WADI_FAR_TICKETS ? wanted : WADI_FAR_TICKETS;
}

/* Items that wait for their turn are in flight as well, each as input, output, and the bytes of both, which are copied once. Small ones beyond these have a sixteenth of the memory
 * (has_room). */
int64_t wadi_far_in_flight(int stretches, int workers) {
    return (int64_t)5 * stretches * wadi_far_most_tickets(workers > 0 ? workers : 1);
}

static void count_in_flight(wadi_stream *s, int workers) {
    wadi_run *x = s->x;
    wadi_mutex_lock(&x->lock);
    wadi_run_count_in_flight(x, wadi_far_in_flight(s->far.nparts, workers));
    x->stats.workers = workers;
    wadi_mutex_unlock(&x->lock);
}

void wadi_far_tell_nobody(wadi_stream *s) {
    wadi_far *t = &s->far;
    const double waited = (double)(wadi_clock_ns() - t->from_ns) / 1e9;
    if (t->told || waited < s->x->options.watchdog_s) return;
    t->told = true;
    wadi_logf(WADI_LOG_WARNING, "%s: no worker has come in %.0f s; all is computed here so far",
              s->x->work.address, waited);
}

int wadi_far_workers_now(wadi_stream *s) {
    wadi_far *t = &s->far;
    wadi_mutex_lock(&t->lock);
    const int workers = t->lost ? 0 : t->workers;
    wadi_mutex_unlock(&t->lock);
    count_in_flight(s, workers);
    return workers;
}

int64_t wadi_far_add(wadi_stream *s, wadi_far_part *p, wadi_chunk *in, wadi_chunk *states) {
    wadi_far *t = &s->far;
    const wadi_far_ticket k = {.number = s->x->work.next++,
                               .state = WADI_TICKET_WAITS,
                               .in = wadi_chunk_retain(in),
                               .states = states != NULL ? wadi_chunk_retain(states) : NULL};
    wadi_mutex_lock(&t->lock);
    *wadi_far_at(p, p->tickets++) = k;
    p->bytes += wadi_far_ticket_bytes(&k);
    wadi_mutex_unlock(&t->lock);
    wadi_far_nudge(t);
    return k.number;
}

/* ---- counting ---- */

void wadi_far_count_here(wadi_stream *s, int64_t elements) {
    wadi_mutex_lock(&s->x->lock);
    s->x->work.items_here++;
    s->x->work.elements_here += elements;
    wadi_mutex_unlock(&s->x->lock);
}

void wadi_far_count_there(wadi_stream *s, int items, int64_t elements) {
    wadi_mutex_lock(&s->x->lock);
    s->x->work.items_there += items;
    s->x->stats.elsewhere += elements;
    wadi_mutex_unlock(&s->x->lock);
}
