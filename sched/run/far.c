/* Tickets for workers of other processes, and handing on what comes of them in order. */
#include "sched/run/far.h"

#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "sched/run/charter.h"
#include "sched/run/stream.h"

static const int64_t LOOK_NS =
    50000000; /* how often who waits looks whether the run was cancelled */

/* An answer that is far later than any so far is not waited for. */
static const int64_t LEAST_PATIENCE_NS = INT64_C(30000000000);
enum { PATIENCE_TIMES = 20 };

static const int64_t AHEAD_NS = 50000000;

enum { FIRST_CHUNKS = 2 }; /* of which the times say which of several stages is shared */

/* ---- opening ---- */

/* The only stage with a body, or the one that has taken longest so far; -1: none, or it is not known yet. */
static int find_stage(const wadi_stream *s) {
    int best = -1, bodies = 0;
    bool timed = false;
    for (int i = 0; i < s->plan->nstages; i++) {
        const wadi_stage_run *g = &s->stages[i];
        if (g->plan->body < 0 || g->crew != &s->x->crew) continue;
        bodies++;
        timed = timed || g->body_ns > 0;
        if (best < 0 || g->body_ns > s->stages[best].body_ns) best = i;
    }
    return bodies == 1 || timed ? best : -1;
}

static wadi_status offer(wadi_stream *s, wadi_error *err) {
    wadi_far *t = &s->far;
    wadi_run *x = s->x;
    wadi_text charter = {0};
    wadi_status status = wadi_charter_write(x->plan, &x->loader, wadi_run_phase_of(s), t->stage,
                                            &t->once, x->buffers, &charter, err);
    if (status == WADI_OK)
        status = x->work.queue->ops->offer(x->work.queue, charter.at, (int64_t)charter.n, err);
    wadi_text_fini(&charter);
    return status;
}

static wadi_status make_lock(wadi_far *t, wadi_error *err) {
    WADI_TRY(wadi_mutex_init(&t->lock, err));
    const wadi_status status = wadi_condition_init(&t->done, err);
    if (status != WADI_OK) wadi_mutex_fini(&t->lock);
    return status;
}

static wadi_status start(wadi_far *t, wadi_error *err) {
    WADI_TRY(make_lock(t, err));
    t->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    t->stream->x->work.queue->wake_fd = t->wake;
    wadi_status status = t->wake >= 0 ? WADI_OK : wadi_fail(err, WADI_IO, "no descriptor is left");
    if (status == WADI_OK) status = wadi_thread_start(&t->thread, wadi_far_work, t, err);
    if (status == WADI_OK) return WADI_OK;
    if (t->wake >= 0) (void)close(t->wake);
    wadi_condition_fini(&t->done);
    wadi_mutex_fini(&t->lock);
    return status;
}

static void drop_room(wadi_far *t) {
    wadi_slots_fini(&t->once);
    free(t->ring);
    free(t->results);
    t->ring = NULL;
    t->results = NULL;
}

static wadi_status make_room(wadi_far *t, wadi_error *err) {
    const wadi_plan_stage *p = &t->stream->plan->stages[t->stage];
    t->ring = calloc(WADI_FAR_TICKETS, sizeof *t->ring);
    t->results = calloc((size_t)p->nresults + 1, sizeof *t->results);
    if (t->ring == NULL || t->results == NULL)
        return wadi_fail(err, WADI_MEMORY, "workers: out of memory");
    t->nresults = wadi_charter_results(t->stream->x->plan, p, &t->once, t->results);
    return WADI_OK;
}

static wadi_status open_all(wadi_stream *s, wadi_error *err) {
    wadi_far *t = &s->far;
    t->stream = s;
    t->wake = -1;
    t->from_ns = wadi_clock_ns();
    wadi_status status = wadi_run_once(s, &t->once, err);
    if (status == WADI_OK) status = make_room(t, err);
    if (status == WADI_OK) status = offer(s, err);
    if (status == WADI_OK) status = start(t, err);
    if (status != WADI_OK) drop_room(t);
    t->opened = status == WADI_OK;
    wadi_mutex_lock(&s->x->lock);
    t->shown = t->opened;
    wadi_mutex_unlock(&s->x->lock);
    return status;
}

/* With the option `workers`, until so many have come. A run that is to be saved and to end waits for none. */
static wadi_status wait_for_workers(wadi_stream *s, wadi_error *err) {
    wadi_far *t = &s->far;
    const int wanted = s->x->options.workers;
    wadi_status status = WADI_OK;
    if (wanted <= 0) return WADI_OK;
    const int ticket = wadi_task_wait("worker", wanted, s->x->work.address);
    wadi_mutex_lock(&t->lock);
    while (status == WADI_OK && t->workers < wanted && !t->lost && !atomic_load(&s->x->drains)) {
        (void)wadi_condition_wait_for(&t->done, &t->lock, LOOK_NS);
        status = wadi_task_check(err);
    }
    wadi_mutex_unlock(&t->lock);
    wadi_task_go_on(ticket);
    return status;
}

wadi_status wadi_far_next(wadi_stream *s, wadi_error *err) {
    wadi_far *t = &s->far;
    wadi_error why = {.status = WADI_OK};
    if (t->opened || t->given_up) return WADI_OK;
    t->stage = find_stage(s);
    if (t->stage < 0) return WADI_OK;
    if (open_all(s, &why) == WADI_OK) return wait_for_workers(s, err);
    wadi_logf(WADI_LOG_WARNING, "%s: workers get nothing of this stream: %s", s->x->work.address,
              why.msg);
    t->given_up = true;
    return WADI_OK;
}

void wadi_far_close(wadi_stream *s) {
    wadi_far *t = &s->far;
    if (!t->opened) return;
    wadi_mutex_lock(&t->lock);
    t->closing = true;
    wadi_mutex_unlock(&t->lock);
    wadi_far_nudge(t);
    wadi_thread_join(&t->thread);
    s->x->work.queue->wake_fd = -1;
    for (; t->tickets > 0; t->tickets--, t->head = (t->head + 1) % WADI_FAR_TICKETS) {
        wadi_chunk_release(t->ring[t->head].in);
        wadi_chunk_release(t->ring[t->head].answer);
    }
    (void)close(t->wake);
    wadi_condition_fini(&t->done);
    wadi_mutex_fini(&t->lock);
    drop_room(t);
    t->opened = false;
}

/* ---- times ---- */

bool wadi_far_times(const wadi_stream *s) {
    return !s->far.opened && !s->far.given_up;
}

void wadi_far_saw(wadi_stream *s, int stage, int64_t count, int64_t ns) {
    wadi_stage_run *g = &s->stages[stage];
    if (s->x->crew.loaded || ++g->here < FIRST_CHUNKS) return;
    g->body_ns += ns;
    g->body_elements += count;
}

/* ---- handing on ---- */

static bool is_ready(const wadi_far_ticket *k) {
    return k->state == WADI_TICKET_DONE || k->state == WADI_TICKET_FAILED;
}

static int find(const int *list, int n, int slot) {
    for (int i = 0; i < n; i++)
        if (list[i] == slot) return i;
    return -1;
}

/* The results of the stage: those that have travelled, those that pass through, and those that do not change. */
static wadi_status assemble(wadi_far *t, wadi_chunk *in, wadi_chunk *answer, wadi_chunk **out,
                            wadi_error *err) {
    const wadi_plan_stage *p = &t->stream->plan->stages[t->stage];
    wadi_chunk *c = NULL;
    WADI_TRY(wadi_chunk_create(t->stream->x->buffers, p->nresults, &c, err));
    c->first = in->first;
    c->count = in->count;
    if (p->nresults > 0) {
        wadi_chunk_hold(c, in);
        wadi_chunk_hold(c, answer);
    }
    for (int i = 0; i < p->nresults; i++) {
        const int travelled = find(t->results, t->nresults, p->results[i]);
        const int part = find(p->parts, p->nparts, p->results[i]);
        if (part >= 0)
            c->component[i] = in->component[part];
        else if (travelled >= 0)
            c->component[i] = answer->component[travelled];
        else
            wadi_slots_take(&t->stream->x->slots, p->results[i], c, i);
    }
    *out = c;
    return WADI_OK;
}

static wadi_status give(wadi_stream *s, const wadi_far_ticket *k, wadi_error *err) {
    wadi_far *t = &s->far;
    wadi_outcome o = {.out = NULL};
    WADI_TRY(assemble(t, k->in, k->answer, &o.out, err));
    const wadi_status status = s->team.hooks->give(s, t->stage, k->in, &o, err);
    wadi_chunk_release(o.out);
    wadi_mutex_lock(&s->x->lock);
    s->x->stats.elsewhere += k->in->count;
    s->x->work.items_there++;
    wadi_mutex_unlock(&s->x->lock);
    return status;
}

/* What no worker has computed. */
static wadi_status compute_here(wadi_stream *s, wadi_chunk *in, wadi_error *err) {
    WADI_TRY(s->team.hooks->again(s, s->far.stage, in, err));
    wadi_mutex_lock(&s->x->lock);
    s->x->work.items_here++;
    s->x->work.elements_here += in->count;
    wadi_mutex_unlock(&s->x->lock);
    return WADI_OK;
}

/* The first ticket leaves the ring. */
static wadi_status hand_on(wadi_stream *s, wadi_error *err) {
    wadi_far *t = &s->far;
    wadi_mutex_lock(&t->lock);
    const wadi_far_ticket k = t->ring[t->head];
    t->head = (t->head + 1) % WADI_FAR_TICKETS;
    t->tickets--;
    t->bytes -= wadi_chunk_bytes(k.in);
    wadi_mutex_unlock(&t->lock);
    t->delivering = true;
    const wadi_status status =
        k.state == WADI_TICKET_DONE ? give(s, &k, err) : compute_here(s, k.in, err);
    t->delivering = false;
    wadi_chunk_release(k.answer);
    wadi_chunk_release(k.in);
    return status;
}

/* No item goes to workers now (wadi job pause), and the run is to be saved and to end. By the lock. */
static bool is_held(const wadi_far *t, const wadi_far_ticket *k) {
    return k->state == WADI_TICKET_WAITS && t->open.held && atomic_load(&t->stream->x->drains);
}

/* Whether nobody can be expected to answer it soon. By the lock. */
static bool is_hopeless(const wadi_far *t, const wadi_far_ticket *k) {
    const int64_t usual = PATIENCE_TIMES * t->slowest_ns;
    const int64_t most = usual > LEAST_PATIENCE_NS ? usual : LEAST_PATIENCE_NS;
    if (t->workers == 0 || t->lost || is_held(t, k)) return true;
    return k->sent_ns != 0 && wadi_clock_ns() - k->sent_ns > most;
}

/* Until the first ticket can be handed on. */
static wadi_status wait_for_first(wadi_stream *s, wadi_error *err) {
    wadi_far *t = &s->far;
    wadi_status status = WADI_OK;
    wadi_mutex_lock(&t->lock);
    wadi_far_ticket *k = &t->ring[t->head];
    const bool waits = !is_ready(k);
    const int ticket =
        waits ? wadi_task_wait("elements from a worker", k->in->first, s->x->work.address) : -1;
    wadi_account *before = waits ? wadi_profile_charge(WADI_PROFILE_TEAM) : NULL;
    while (status == WADI_OK && !is_ready(k)) {
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

static bool has_ready(wadi_far *t) {
    wadi_mutex_lock(&t->lock);
    const bool ready = t->tickets > 0 && is_ready(&t->ring[t->head]);
    wadi_mutex_unlock(&t->lock);
    return ready;
}

static wadi_status hand_on_ready(wadi_stream *s, wadi_error *err) {
    while (has_ready(&s->far)) WADI_TRY(hand_on(s, err));
    return WADI_OK;
}

wadi_status wadi_far_flush(wadi_stream *s, wadi_error *err) {
    wadi_far *t = &s->far;
    while (t->opened && !t->delivering && t->tickets > 0) {
        WADI_TRY(wait_for_first(s, err));
        WADI_TRY(hand_on(s, err));
    }
    return WADI_OK;
}

wadi_status wadi_far_poll(wadi_stream *s, wadi_error *err) {
    if (!s->far.opened || !has_ready(&s->far)) return WADI_OK;
    return wadi_run_between_steps(s, hand_on_ready, err);
}

wadi_status wadi_far_settle(wadi_stream *s, wadi_error *err) {
    if (!s->far.opened || s->far.tickets == 0) return WADI_OK;
    return wadi_run_between_steps(s, wadi_far_flush, err);
}

/* ---- tickets ---- */

bool wadi_far_takes(const wadi_stream *s, int stage) {
    const wadi_far *t = &s->far;
    return s->stages[stage].crew == &s->x->crew && t->opened && !t->delivering && stage == t->stage;
}

static int most_tickets(int workers) {
    const int wanted = 3 * workers + 2;
    return wanted < WADI_FAR_TICKETS ? wanted : WADI_FAR_TICKETS;
}

/* Items that wait for their turn are in flight as well, each as input, output, and the bytes of both, which are copied once. Small ones beyond these have a sixteenth of the memory
 * (has_room). */
int64_t wadi_far_in_flight(int workers) {
    return 5 * most_tickets(workers > 0 ? workers : 1);
}

static void count_in_flight(wadi_stream *s, int workers) {
    wadi_run *x = s->x;
    wadi_mutex_lock(&x->lock);
    wadi_run_count_in_flight(x, wadi_far_in_flight(workers));
    x->stats.workers = workers;
    wadi_mutex_unlock(&x->lock);
}

static void tell_nobody(wadi_stream *s) {
    wadi_far *t = &s->far;
    const double waited = (double)(wadi_clock_ns() - t->from_ns) / 1e9;
    if (t->told || waited < s->x->options.watchdog_s) return;
    t->told = true;
    wadi_logf(WADI_LOG_WARNING, "%s: no worker has come in %.0f s; all is computed here so far",
              s->x->work.address, waited);
}

static void add_ticket(wadi_stream *s, wadi_chunk *in) {
    wadi_far *t = &s->far;
    wadi_mutex_lock(&t->lock);
    t->ring[(t->head + t->tickets) % WADI_FAR_TICKETS] = (wadi_far_ticket){
        .number = s->x->work.next++, .state = WADI_TICKET_WAITS, .in = wadi_chunk_retain(in)};
    t->tickets++;
    t->bytes += wadi_chunk_bytes(in);
    wadi_mutex_unlock(&t->lock);
    wadi_far_nudge(t);
}

wadi_status wadi_far_here(wadi_stream *s, wadi_chunk *in, wadi_error *err) {
    wadi_far *t = &s->far;
    WADI_TRY(wadi_far_flush(s, err));
    t->delivering = true;
    const wadi_status status = compute_here(s, in, err);
    t->delivering = false;
    return status;
}

/* Whether another chunk can be sent. Beyond what workers need to be busy, as many are ahead as are answered in a while: the way to a worker and
 * back is long where items are small. By the lock. */
static bool has_room(const wadi_far *t, int workers, int64_t bytes) {
    const int64_t most = t->stream->x->options.memory;
    const int base = most_tickets(workers);
    if (t->tickets == 0) return true;
    if (t->tickets < base) return t->bytes + bytes <= most / 4;
    return t->usual_ns > 0 && t->tickets < base + AHEAD_NS / t->usual_ns &&
           t->tickets < WADI_FAR_TICKETS && t->bytes + bytes <= most / 16;
}

wadi_status wadi_far_share(wadi_stream *s, wadi_chunk *in, wadi_error *err) {
    wadi_far *t = &s->far;
    for (;;) {
        WADI_TRY(hand_on_ready(s, err));
        wadi_mutex_lock(&t->lock);
        const int workers = t->lost ? 0 : t->workers;
        const bool room = has_room(t, workers, wadi_chunk_bytes(in));
        wadi_mutex_unlock(&t->lock);
        count_in_flight(s, workers);
        if (workers == 0) {
            tell_nobody(s);
            return wadi_far_here(s, in, err);
        }
        if (room) {
            add_ticket(s, in);
            return WADI_OK;
        }
        WADI_TRY(wait_for_first(s, err));
    }
}
