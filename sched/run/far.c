/* Tickets for workers of other processes, and handing on what comes of them, in order or as it comes. */
#include "sched/run/far_keyed.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "sched/run/certify.h"
#include "sched/run/charter.h"
#include "sched/run/stream.h"

static const int64_t AHEAD_NS = 50000000;

/* ---- handing on ---- */

static int find(const int *list, int n, int slot) {
    for (int i = 0; i < n; i++)
        if (list[i] == slot) return i;
    return -1;
}

static wadi_far_part *part_of(const wadi_far *t, int stage) {
    for (int i = 0; i < t->nparts; i++)
        if (t->parts[i].plan->stage[0] == stage) return &t->parts[i];
    return NULL;
}

/* The results of stage number `i` of the stretch: those that have travelled, those that pass through, and those that do not change. in: the chunk for the first
 * stage. */
static wadi_status assemble(wadi_far *t, const wadi_far_part *p, int i, wadi_chunk *in,
                            const wadi_answer *a, wadi_chunk **out, wadi_error *err) {
    const wadi_plan_stage *plan = &t->stream->plan->stages[p->plan->stage[i]];
    wadi_chunk *c = NULL;
    WADI_TRY(wadi_chunk_create(t->stream->x->buffers, plan->nresults, &c, err));
    c->count = a->count;
    if (i == 0 && plan->nresults > 0) wadi_chunk_hold(c, in);
    if (a->out != NULL) wadi_chunk_hold(c, a->out);
    for (int k = 0; k < plan->nresults; k++) {
        const int travelled = find(p->travel[i].slot, p->travel[i].n, plan->results[k]);
        if (travelled >= 0)
            c->component[k] = a->out->component[travelled];
        else if (i == 0 && find(plan->parts, plan->nparts, plan->results[k]) >= 0)
            c->component[k] = in->component[find(plan->parts, plan->nparts, plan->results[k])];
        else
            wadi_slots_take(&t->stream->x->slots, plan->results[k], c, k);
    }
    *out = c;
    return WADI_OK;
}

/* Whether stage number i, or one that it comes of, has failed, at an element of an item before this one. Stages behind the first read one of the stretch. */
static bool has_failed(const wadi_stream *s, const wadi_far_part *p, int i) {
    int stage = p->plan->stage[i];
    while (s->stages[stage].broken.status == WADI_OK && stage != p->plan->stage[0])
        stage = s->plan->stages[stage].inputs[0];
    return s->stages[stage].broken.status != WADI_OK;
}

/* What came of an item in stage number i. A stage behind the first numbers its elements in their turn. */
static wadi_status give_stage(wadi_stream *s, wadi_far_part *p, int i, const wadi_far_ticket *k,
                              wadi_error *err) {
    const int stage = p->plan->stage[i];
    const wadi_answer *a = &k->answer[i];
    wadi_stage_run *g = &s->stages[stage];
    const int64_t first = i == 0 ? k->in->first : wadi_change_skip(g->change, a->count);
    wadi_outcome o = {.out = NULL};
    if (a->count == 0 || has_failed(s, p, i)) return WADI_OK;
    if (!wadi_stretch_gives(s->plan, p->plan, stage)) {
        wadi_passed_add(&g->done, a->count, a->bytes);
        return WADI_OK;
    }
    WADI_TRY(assemble(&s->far, p, i, k->in, a, &o.out, err));
    o.out->first = first;
    const wadi_status status = s->team.hooks->give(s, stage, i == 0 ? k->in : o.out, &o, err);
    wadi_chunk_release(o.out);
    return status;
}

static wadi_status give_all(wadi_stream *s, wadi_far_part *p, const wadi_far_ticket *k,
                            wadi_error *err) {
    for (int i = 0; i < p->plan->n; i++) WADI_TRY(give_stage(s, p, i, k, err));
    return WADI_OK;
}

static wadi_status give(wadi_stream *s, wadi_far_part *p, const wadi_far_ticket *k,
                        wadi_error *err) {
    p->brings = true;
    const wadi_status status = give_all(s, p, k, err);
    p->brings = false;
    WADI_TRY(status);
    if (k->kind != NULL)
        WADI_TRY(wadi_certify_worker(s, k->kind, p->plan->stage[0], k->in->count, err));
    wadi_far_count_there(s, 1, k->in->count);
    return WADI_OK;
}

bool wadi_far_brings(const wadi_stream *s, int stage, int reader) {
    for (int i = 0; i < s->far.nparts; i++) {
        const wadi_far_part *p = &s->far.parts[i];
        if (p->brings && wadi_stretch_has(p->plan, stage)) return wadi_stretch_has(p->plan, reader);
    }
    return false;
}

/* What no worker has computed. */
static wadi_status compute_here(wadi_stream *s, const wadi_far_part *p, wadi_chunk *in,
                                wadi_error *err) {
    WADI_TRY(s->team.hooks->again(s, p->plan->stage[0], in, err));
    wadi_far_count_here(s, in->count);
    return WADI_OK;
}

/* One that is ready. */
static wadi_status hand_on(wadi_stream *s, wadi_far_part *p, wadi_error *err) {
    wadi_far *t = &s->far;
    wadi_mutex_lock(&t->lock);
    const int at = wadi_far_find_ready(p);
    const wadi_far_ticket k = wadi_far_take_out(p, at);
    wadi_mutex_unlock(&t->lock);
    s->x->mixed = s->x->mixed || at > 0;
    p->delivering = true;
    const wadi_status status =
        k.state == WADI_TICKET_DONE ? give(s, p, &k, err) : compute_here(s, p, k.in, err);
    p->delivering = false;
    wadi_far_drop(p, &k);
    return status;
}

static wadi_status hand_on_ready(wadi_stream *s, wadi_far_part *p, wadi_error *err) {
    if (p->keyed != NULL) return wadi_far_keyed_take(s, p, err);
    while (wadi_far_has_ready(&s->far, p)) WADI_TRY(hand_on(s, p, err));
    return WADI_OK;
}

static wadi_status hand_on_all_ready(wadi_stream *s, wadi_error *err) {
    for (int i = 0; i < s->far.nparts; i++) WADI_TRY(hand_on_ready(s, &s->far.parts[i], err));
    return WADI_OK;
}

static wadi_status flush(wadi_stream *s, wadi_far_part *p, wadi_error *err) {
    if (p->keyed != NULL) return wadi_far_keyed_flush(s, p, err);
    while (!p->delivering && p->tickets > 0) {
        WADI_TRY(wadi_far_wait_for_ready(s, p, err));
        WADI_TRY(hand_on(s, p, err));
    }
    return WADI_OK;
}

/* While an item of a stretch is handed on, those of stretches before it are of later elements: what came of them would overtake it. */
wadi_status wadi_far_flush(wadi_stream *s, wadi_error *err) {
    wadi_far *t = &s->far;
    int from = t->nparts;
    while (from > 0 && !t->parts[from - 1].delivering) from--;
    for (int i = from; i < t->nparts; i++) WADI_TRY(flush(s, &t->parts[i], err));
    return WADI_OK;
}

wadi_status wadi_far_poll(wadi_stream *s, wadi_error *err) {
    bool ready = false;
    for (int i = 0; i < s->far.nparts; i++)
        ready = ready || wadi_far_has_ready(&s->far, &s->far.parts[i]);
    return ready ? wadi_run_between_steps(s, hand_on_all_ready, err) : WADI_OK;
}

static bool has_tickets(const wadi_stream *s) {
    bool some = false;
    for (int i = 0; i < s->far.nparts; i++) {
        const wadi_far_part *p = &s->far.parts[i];
        some = some || p->tickets > 0 || (p->keyed != NULL && p->keyed->n > 0);
    }
    return some;
}

wadi_status wadi_far_settle(wadi_stream *s, wadi_error *err) {
    return has_tickets(s) ? wadi_run_between_steps(s, wadi_far_flush, err) : WADI_OK;
}

/* More than that is not saved with a run: it is waited for. */
static int64_t most_left(const wadi_stream *s) {
    return s->x->options.memory / 64;
}

/* What has been answered meanwhile stays, too: a stream that can be saved stays so until it is saved. */
static wadi_status rest(wadi_stream *s, wadi_error *err) {
    for (int i = 0; i < s->far.nparts; i++) {
        wadi_far_part *p = &s->far.parts[i];
        if (!p->unordered) WADI_TRY(flush(s, p, err));
        while (p->bytes > most_left(s)) {
            WADI_TRY(wadi_far_wait_for_ready(s, p, err));
            WADI_TRY(hand_on(s, p, err));
        }
    }
    return WADI_OK;
}

wadi_status wadi_far_rest(wadi_stream *s, wadi_error *err) {
    return has_tickets(s) ? wadi_run_between_steps(s, rest, err) : WADI_OK;
}

/* ---- tickets ---- */

static bool is_taken(const wadi_stream *s, const wadi_far_part *p) {
    if (!s->far.opened || p->delivering) return false;
    for (int i = 0; i < p->plan->n; i++)
        if (s->stages[p->plan->stage[i]].crew != &s->x->crew) return false;
    return true;
}

bool wadi_far_takes(const wadi_stream *s, int stage) {
    const wadi_far_part *p = part_of(&s->far, stage);
    return p != NULL && p->keyed == NULL && is_taken(s, p);
}

static wadi_status here(wadi_stream *s, wadi_far_part *p, wadi_chunk *in, wadi_error *err) {
    WADI_TRY(flush(s, p, err));
    p->delivering = true;
    const wadi_status status = compute_here(s, p, in, err);
    p->delivering = false;
    return status;
}

wadi_status wadi_far_here(wadi_stream *s, int stage, wadi_chunk *in, wadi_error *err) {
    return here(s, part_of(&s->far, stage), in, err);
}

/* Whether another chunk can be sent. Beyond what workers need to be busy, as many are ahead as are answered in a while: the way to a worker and
 * back is long where items are small. By the lock. */
static bool has_room(const wadi_far *t, const wadi_far_part *p, int workers, int64_t bytes) {
    const int64_t most = t->stream->x->options.memory / t->nparts;
    const int base = wadi_far_most_tickets(workers);
    if (p->tickets == 0) return true;
    if (p->tickets < base) return p->bytes + bytes <= most / 4;
    return t->usual_ns > 0 && p->tickets < base + AHEAD_NS / t->usual_ns &&
           p->tickets < WADI_FAR_AHEAD && p->bytes + bytes <= most / 16;
}

wadi_status wadi_far_share(wadi_stream *s, int stage, wadi_chunk *in, wadi_error *err) {
    wadi_far *t = &s->far;
    wadi_far_part *p = part_of(t, stage);
    for (;;) {
        WADI_TRY(hand_on_ready(s, p, err));
        const int workers = wadi_far_workers_now(s);
        wadi_mutex_lock(&t->lock);
        const bool room = has_room(t, p, workers, wadi_chunk_bytes(in));
        wadi_mutex_unlock(&t->lock);
        if (workers == 0) {
            wadi_far_tell_nobody(s);
            return here(s, p, in, err);
        }
        if (room) {
            (void)wadi_far_add(s, p, in, NULL);
            return WADI_OK;
        }
        WADI_TRY(wadi_far_wait_for_ready(s, p, err));
    }
}

/* ---- states by key ---- */

bool wadi_far_takes_states(const wadi_stream *s, int stage) {
    const wadi_far_part *p = part_of(&s->far, stage);
    return p != NULL && p->keyed != NULL && is_taken(s, p);
}

wadi_status wadi_far_share_states(wadi_stream *s, int stage, wadi_chunk *in, wadi_error *err) {
    return wadi_far_keyed_share(s, part_of(&s->far, stage), in, err);
}
