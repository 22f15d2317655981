/* The ends of a stream.
 *
 * A sink has a thread of its own behind a link, so writing overlaps with computing; so has a collector, unless the bodies
 * write its vectors themselves. Folds are work of the compute thread. No sink is told that the stream is over before all
 * sinks have taken all of it: a run that fails leaves no output that looks complete. */
#include "base/error.h"
#include "sched/run_stream.h"

static bool is_fold(const wadi_outlet *o) {
    return o->plan->kind == WADI_END_FOLD || o->plan->kind == WADI_END_FOLD_BATCH;
}

static bool has_thread(const wadi_outlet *o) {
    return o->sink != NULL && !o->in_place;
}

/* ---- the sink's thread ---- */

static wadi_status drain(wadi_outlet *o, wadi_error *err) {
    wadi_exec *x = o->stream->x;
    for (;;) {
        wadi_chunk *c = NULL;
        WADI_TRY(wadi_port_receive(o->in, &c, err));
        if (c == NULL) return WADI_OK;
        const int64_t number = c->number;
        wadi_meter_busy(&x->meter, WADI_STAGE_SINK);
        const wadi_status status = o->sink->ops->put(o->sink, c, err);
        wadi_meter_idle(&x->meter, WADI_STAGE_SINK);
        wadi_mutex_lock(&x->lock);
        if (status == WADI_OK) x->stats.elements += c->count;
        wadi_mutex_unlock(&x->lock);
        wadi_chunk_release(c);
        WADI_TRY(status); /* what has failed is not done */
        wadi_port_done(o->in, number);
    }
}

static void sink_thread(void *env) {
    wadi_outlet *o = env;
    wadi_exec *x = o->stream->x;
    wadi_error err = {.status = WADI_OK};
    wadi_status status = drain(o, &err);
    if (status == WADI_OK && o->sink->ops->finish != NULL) {
        wadi_meter_busy(&x->meter, WADI_STAGE_SINK);
        status = o->sink->ops->finish(o->sink, &err);
        wadi_meter_idle(&x->meter, WADI_STAGE_SINK);
        if (status != WADI_OK) wadi_exec_note_error(x, &err);
        return; /* a finish that failed has cleaned up after itself */
    }
    if (status == WADI_OK) return;
    wadi_exec_note_error(x, &err);
    wadi_port_give_up(o->in, &err);
    if (o->sink->ops->abort != NULL) o->sink->ops->abort(o->sink, &err);
}

/* ---- elements ---- */

static wadi_status count_elements(wadi_outlet *o, int64_t count) {
    wadi_mutex_lock(&o->stream->x->lock);
    o->stream->x->stats.elements += count;
    wadi_mutex_unlock(&o->stream->x->lock);
    return WADI_OK;
}

/* Takes over the reference. The compute stage is not busy while it waits for room. */
static wadi_status send(wadi_outlet *o, wadi_chunk *owned_c, wadi_error *err) {
    wadi_meter *meter = &o->stream->x->meter;
    owned_c->number = o->chunks++;
    o->stream->out_bytes += wadi_chunk_bytes(owned_c);
    wadi_meter_idle(meter, WADI_STAGE_COMPUTE);
    const wadi_status status = wadi_port_send(o->out, owned_c, err);
    wadi_meter_busy(meter, WADI_STAGE_COMPUTE);
    return status;
}

static wadi_status fold(wadi_outlet *o, wadi_chunk *c, wadi_error *err) {
    int64_t done = 0;
    if (o->plan->kind == WADI_END_FOLD_BATCH) {
        return wadi_fold_whole(o->stream->x, &o->plan->fold, c, err);
    }
    return wadi_fold_elements(o->stream->x, &o->plan->fold, c, NULL, &done, err);
}

/* The components the end has a use for, each element by itself. */
static wadi_status select_parts(wadi_outlet *o, wadi_chunk *c, wadi_chunk **out, wadi_error *err) {
    const int n = is_fold(o) ? o->plan->fold.nparts : o->plan->nfrom;
    WADI_TRY(wadi_chunk_select(c, n, is_fold(o) ? o->plan->fold.from : o->plan->from, out, err));
    for (int i = 0; i < n && !is_fold(o); i++) {
        if ((*out)->component[i].layout != WADI_LAYOUT_REGULAR) continue;
        const wadi_status status = wadi_chunk_spread(*out, i, err);
        if (status == WADI_OK) continue;
        wadi_chunk_release(*out);
        return status;
    }
    return WADI_OK;
}

wadi_status wadi_outlet_put(wadi_outlet *o, wadi_chunk *c, wadi_error *err) {
    wadi_chunk *part = NULL;
    WADI_TRY(select_parts(o, c, &part, err));
    if (has_thread(o)) return send(o, part, err);
    const wadi_status status =
        o->in_place ? o->sink->ops->put(o->sink, part, err) : fold(o, part, err);
    if (o->in_place) o->stream->out_bytes += wadi_chunk_bytes(part);
    wadi_chunk_release(part);
    return status == WADI_OK ? count_elements(o, c->count) : status;
}

void wadi_outlet_expect(wadi_outlet *o, int64_t count) {
    if (o->in_place) wadi_collect_expect(o->sink, count);
}

/* ---- the end ---- */

wadi_status wadi_outlet_settle(wadi_outlet *o, wadi_error *err) {
    return has_thread(o) ? wadi_port_settle(o->out, o->chunks, err) : WADI_OK;
}

wadi_status wadi_outlet_end(wadi_outlet *o, wadi_error *err) {
    wadi_exec *x = o->stream->x;
    if (!has_thread(o)) return WADI_OK;
    WADI_TRY(wadi_port_end(o->out, o->chunks, err));
    wadi_thread_join(&o->thread);
    wadi_mutex_lock(&x->lock);
    const wadi_status status = x->error.status;
    if (status != WADI_OK && err != NULL) *err = x->error;
    wadi_mutex_unlock(&x->lock);
    return status;
}

void wadi_outlet_fail(wadi_outlet *o, const wadi_error *why) {
    if (has_thread(o) && o->thread.started) {
        wadi_port_fail(o->out, o->chunks, why);
    } else if (has_thread(o) && o->sink->ops->abort != NULL) {
        o->sink->ops->abort(o->sink, why);
    }
}

wadi_status wadi_outlet_store(wadi_outlet *o, wadi_error *err) {
    wadi_exec *x = o->stream->x;
    if (is_fold(o)) wadi_fold_end(x, &o->plan->fold, o->plan->into);
    if (is_fold(o) || o->plan->kind == WADI_END_SINK) return WADI_OK;
    return wadi_collect_store(o->sink, x, err);
}

/* ---- life ---- */

/* How many elements the end will get, where that is known before: those counted, or in memory. 0: it is not, or there are none. */
static int64_t known_count(const wadi_outlet *o) {
    const wadi_stage_run *g = &o->stream->stages[o->plan->stage];
    if (g->lane == NULL || g->lane->threaded) return 0;
    int64_t n = g->lane->limit;
    for (int i = 0; i < g->plan->nsources; i++) {
        const wadi_plan_source *p = &g->plan->sources[i];
        const int64_t count = p->counter
                                  ? *(const int64_t *)o->stream->x->slots.slot[p->count_slot].col[0]
                                  : wadi_exec_find(o->stream->x, p->name, false)->source->at_hand;
        n = count < n ? count : n;
    }
    return n < 0 || n == INT64_MAX ? 0 : n;
}

/* Whether component i of the end is made by the stage's body, for all elements alike, and nobody else collects it. */
static bool is_made_regular(const wadi_outlet *o, int i) {
    const wadi_plan_stage *g = o->stream->stages[o->plan->stage].plan;
    const int slot = g->results[o->plan->from[i]];
    const wadi_plan *plan = o->stream->x->plan;
    bool made = false;
    if (plan->slots[slot].kind != WADI_SLOT_REGULAR || g->body < 0) return false;
    if (slot == plan->bodies[g->body].index_slot) return false;
    for (int k = 0; k < plan->bodies[g->body].nresults; k++)
        made = made || plan->bodies[g->body].results[k] == slot;
    for (int k = 0; k < g->nparts; k++) made = made && g->parts[k] != slot;
    return made && o->stream->x->slots.place[slot].columns == NULL;
}

static void put_in_place(wadi_outlet *o) {
    const wadi_plan_stage *g = o->stream->stages[o->plan->stage].plan;
    const int64_t n = known_count(o);
    if (n == 0) return;
    for (int i = 0; i < o->plan->nfrom; i++)
        if (!is_made_regular(o, i)) return;
    o->in_place = true;
    for (int i = 0; i < o->plan->nfrom; i++)
        wadi_collect_in_place(o->sink, o->stream->x, i, g->results[o->plan->from[i]], n);
}

wadi_status wadi_outlet_open(wadi_outlet *o, wadi_error *err) {
    wadi_exec *x = o->stream->x;
    if (is_fold(o)) return wadi_fold_begin(x, &o->plan->fold, err);
    if (o->plan->kind == WADI_END_SINK) {
        o->sink = wadi_exec_find(x, o->plan->name, true)->sink;
        o->sink->wake_fd = x->wake[0];
    } else {
        const wadi_plan_stage *g = o->stream->stages[o->plan->stage].plan;
        WADI_TRY(wadi_collect_create(x, g, o->plan, &o->sink, err));
        put_in_place(o);
    }
    if (o->in_place) return WADI_OK;
    return wadi_stream_link(o->stream, "compute", "sink", o, &o->out, &o->in, err);
}

wadi_status wadi_outlet_start(wadi_outlet *o, wadi_error *err) {
    return has_thread(o) ? wadi_thread_start(&o->thread, sink_thread, o, err) : WADI_OK;
}

void wadi_outlet_close(wadi_outlet *o) {
    wadi_exec *x = o->stream->x;
    const wadi_plan_stage *g = &o->stream->plan->stages[o->plan->stage];
    if (o->plan->kind == WADI_END_SINK && o->sink != NULL) o->sink->wake_fd = -1;
    wadi_port_close(o->out);
    wadi_port_close(o->in);
    for (int i = 0; o->in_place && i < o->plan->nfrom; i++)
        x->slots.place[g->results[o->plan->from[i]]].columns = NULL;
    if (o->plan->kind != WADI_END_SINK && !is_fold(o)) wadi_sink_destroy(o->sink);
}
