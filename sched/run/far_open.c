/* What of a stream is for workers of other processes, and the begin and the end of that. */
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "sched/run/certify.h"
#include "sched/run/keyed.h"
#include "sched/run/far_keyed.h"
#include "sched/run/parts.h"
#include "sched/run/stream.h"

static const int64_t LOOK_NS = 50000000;

/* Of the first chunk of a stage the time is that of loading, too. If a stage has had so many, those that have had fewer are not waited for: they
 * may be behind windows that take long to fill. */
enum { FIRST_CHUNKS = 2, MOST_CHUNKS = 8 };

/* Of states by key so many chunks are looked at, and then one of several: looking at them takes time, too. */
enum { LOOKED_AT = 64, SELDOM = 16 };

/* ---- what is shared ---- */

static bool is_mine(const wadi_stream *s, int stage) {
    return s->stages[stage].crew == &s->x->crew;
}

static int count_bodies(const wadi_stream *s) {
    int n = 0;
    for (int i = 0; i < s->plan->nstages; i++) n += is_mine(s, i) && s->plan->stages[i].body >= 0;
    return n;
}

static bool has_keys(const wadi_stream *s, int stage) {
    return is_mine(s, stage) && wadi_stretch_can_be_keyed(s->x->plan, &s->plan->stages[stage]);
}

static int count_keyed(const wadi_stream *s) {
    int n = 0;
    for (int i = 0; i < s->plan->nstages; i++) n += has_keys(s, i);
    return n;
}

/* Whether it matters what the stages take. */
static bool is_measured(const wadi_stream *s) {
    return s->x->share_rule.choose == NULL && (count_bodies(s) > 1 || count_keyed(s) > 0);
}

/* Whether that is known. */
static bool is_weighed(const wadi_stream *s) {
    bool all = true, some = false;
    for (int i = 0; i < s->plan->nstages; i++) {
        const wadi_stage_run *g = &s->stages[i];
        const int64_t chunks = g->keyed_chunks;
        all = all && (!has_keys(s, i) || chunks >= FIRST_CHUNKS);
        some = some || (has_keys(s, i) && chunks >= MOST_CHUNKS);
        if (!is_mine(s, i) || g->plan->body < 0) continue;
        all = all && g->here >= FIRST_CHUNKS;
        some = some || g->here >= MOST_CHUNKS;
    }
    return all || some;
}

/* Whether the keys of the stage go to workers: all do where nothing is measured. */
static bool is_keyed(const wadi_stream *s, int stage) {
    const wadi_stage_run *g = &s->stages[stage];
    return has_keys(s, stage) &&
           (!is_measured(s) || wadi_stretch_pays_keyed(g->plan, &g->keyed_weight, &g->weight));
}

static wadi_status choose(const wadi_stream *s, wadi_stretch_list *out, wadi_error *err) {
    const size_t n = (size_t)s->plan->nstages + 1;
    bool *usable = calloc(n, sizeof *usable);
    bool *keyed = calloc(n, sizeof *keyed);
    wadi_stretch_weight *weight = calloc(n, sizeof *weight);
    const bool made = usable != NULL && keyed != NULL && weight != NULL;
    for (int i = 0; made && i < s->plan->nstages; i++) {
        usable[i] = is_mine(s, i);
        keyed[i] = is_keyed(s, i);
        weight[i] = s->stages[i].weight;
    }
    if (made) wadi_stretch_find(s->x->plan, s->plan, usable, keyed, out);
    if (made && is_measured(s)) wadi_stretch_choose(s->plan, weight, out);
    free(usable);
    free(keyed);
    free(weight);
    return made ? WADI_OK : wadi_fail(err, WADI_MEMORY, "workers: out of memory");
}

/* ---- opening ---- */

static wadi_status offer(wadi_stream *s, wadi_error *err) {
    wadi_far *t = &s->far;
    wadi_run *x = s->x;
    wadi_text charter = {0};
    wadi_status status =
        wadi_charter_write(x->plan, &x->loader, wadi_run_phase_of(s), &t->stretches, t->reports,
                           &t->once, x->buffers, &charter, err);
    if (status == WADI_OK)
        status = x->work.queue->ops->offer(x->work.queue, charter.at, (int64_t)charter.n, err);
    wadi_text_fini(&charter);
    return status;
}

static wadi_status start(wadi_far *t, wadi_error *err) {
    WADI_TRY(wadi_mutex_init_with(&t->lock, &t->done, err));
    t->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    t->stream->x->work.queue->wake_fd = t->wake;
    wadi_status status = t->wake >= 0 ? WADI_OK : wadi_fail(err, WADI_IO, "no descriptor is left");
    if (status == WADI_OK) status = wadi_thread_start(&t->thread, wadi_far_work, t, err);
    if (status == WADI_OK) return WADI_OK;
    if (t->wake >= 0) (void)close(t->wake);
    wadi_mutex_fini_with(&t->lock, &t->done);
    return status;
}

static void drop_room(wadi_far *t) {
    wadi_slots_fini(&t->once);
    for (int i = 0; i < t->nparts; i++) {
        wadi_far_keyed_fini(&t->parts[i]);
        free(t->parts[i].ring);
        free(t->parts[i].travel);
    }
    free(t->parts);
    t->parts = NULL;
    t->nparts = 0;
}

static bool make_part(const wadi_far *t, const wadi_stretch *plan, wadi_far_part *p) {
    p->plan = plan;
    p->unordered = !plan->keyed && wadi_run_mixes(t->stream->x, t->stream->plan, plan->stage[0]);
    if (plan->keyed) p->keyed = calloc(1, sizeof *p->keyed);
    p->ring = calloc(WADI_FAR_TICKETS, sizeof *p->ring);
    p->travel = calloc((size_t)plan->n, sizeof *p->travel);
    if (p->ring == NULL || p->travel == NULL || plan->keyed != (p->keyed != NULL)) return false;
    for (int i = 0; i < plan->n; i++)
        wadi_charter_travel(t->stream->x->plan, t->stream->plan, plan, i, &t->once, &p->travel[i]);
    return true;
}

static wadi_status make_room(wadi_far *t, wadi_error *err) {
    bool made = true;
    t->parts = calloc((size_t)t->stretches.n + 1, sizeof *t->parts);
    if (t->parts == NULL) return wadi_fail(err, WADI_MEMORY, "workers: out of memory");
    t->nparts = t->stretches.n;
    for (int i = 0; i < t->nparts && made; i++)
        made = make_part(t, &t->stretches.at[i], &t->parts[i]);
    return made ? WADI_OK : wadi_fail(err, WADI_MEMORY, "workers: out of memory");
}

static void tell_keyed(const wadi_stream *s, const wadi_stretch *t) {
    const wadi_stage_run *g = &s->stages[t->stage[0]];
    const wadi_plan_place *p = &s->x->plan->places[g->plan->place];
    const int64_t n = g->keyed_weight.elements > 0 ? g->keyed_weight.elements : 1;
    wadi_logf(WADI_LOG_INFO, "%s: workers share the keys of %s, line %d: a step took %lld ns",
              s->x->work.address, p->op, p->loc.line, (long long)(g->keyed_weight.ns / n));
}

static wadi_status open_all(wadi_stream *s, wadi_error *err) {
    wadi_far *t = &s->far;
    t->stream = s;
    t->wake = -1;
    t->from_ns = wadi_clock_ns();
    t->reports = wadi_certify_tells(s->x) ? WADI_REPORTS_KINDS
                 : s->x->trace != NULL    ? WADI_REPORTS_TIMES
                                          : WADI_REPORTS_NONE;
    wadi_status status = wadi_run_once(s, &t->once, err);
    if (status == WADI_OK) status = make_room(t, err);
    if (status == WADI_OK) status = offer(s, err);
    if (status == WADI_OK) status = start(t, err);
    if (status != WADI_OK) drop_room(t);
    t->opened = status == WADI_OK;
    for (int i = 0; t->opened && i < t->nparts; i++)
        if (t->parts[i].keyed != NULL) tell_keyed(s, t->parts[i].plan);
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
    if (t->opened || t->given_up || (is_measured(s) && !is_weighed(s))) return WADI_OK;
    wadi_status status = choose(s, &t->stretches, &why);
    if (status == WADI_OK && t->stretches.n == 0) return WADI_OK;
    if (status == WADI_OK) status = open_all(s, &why);
    if (status == WADI_OK) return wait_for_workers(s, err);
    wadi_logf(WADI_LOG_WARNING, "%s: workers get nothing of this stream: %s", s->x->work.address,
              why.msg);
    t->given_up = true;
    return WADI_OK;
}

/* ---- times ---- */

bool wadi_far_times(const wadi_stream *s) {
    return !s->far.opened && !s->far.given_up;
}

void wadi_far_saw(wadi_stream *s, int stage, const wadi_chunk *in, const wadi_chunk *out,
                  int64_t ns) {
    wadi_stage_run *g = &s->stages[stage];
    if (s->x->crew.loaded || ++g->here < FIRST_CHUNKS) return;
    g->weight.ns += ns;
    g->weight.in_bytes += wadi_chunk_bytes(in);
    g->weight.out_bytes += wadi_chunk_bytes(out);
}

void wadi_far_saw_states(wadi_stream *s, int stage, const wadi_chunk *in, int64_t ns) {
    wadi_stage_run *g = &s->stages[stage];
    wadi_keyed_weight *w = &g->keyed_weight;
    const int64_t before = s->x->crew.loaded ? 0 : g->keyed_chunks++;
    if (before < FIRST_CHUNKS - 1 || (before >= LOOKED_AT && before % SELDOM != 0)) return;
    const int64_t all = wadi_states_keys(g->keyed), most = in->count < all ? in->count : all;
    w->ns += ns;
    w->chunks++;
    w->elements += in->count;
    w->in_bytes += wadi_chunk_bytes(in);
    w->state_bytes += wadi_states_bytes_about(g->keyed, most);
    w->most += wadi_states_most_of_shard(g->keyed, in->count);
}

/* ---- closing ---- */

static void drop_tickets(wadi_far_part *p) {
    for (; p->tickets > 0; p->tickets--, p->head = (p->head + 1) % WADI_FAR_TICKETS)
        wadi_far_drop(p, wadi_far_at(p, 0));
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
    for (int i = 0; i < t->nparts; i++) drop_tickets(&t->parts[i]);
    (void)close(t->wake);
    wadi_mutex_fini_with(&t->lock, &t->done);
    drop_room(t);
    wadi_kinds_fini(&t->kinds);
    t->opened = false;
}
