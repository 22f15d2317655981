/* The ends of a stream.
 *
 * A sink has a thread of its own behind a link, so that writing overlaps with computing. A young stream may be over before a
 * thread has started, so it first tries without one:
 *
 * - A sink that only keeps what it gets, as collectors do, is called by the compute thread.
 * - The chunks of any other sink wait, unless reading could make them wait for long. If the stream ends soon, the compute thread delivers
 *   them all; otherwise the sink's thread does. So only one thread calls a sink.
 *
 * Folds, and collectors into whose vectors the bodies write, are always the work of the compute thread. No sink is told that
 * the stream is over before all sinks have taken everything, so a run that fails leaves no output that looks complete. */
#include "base/clock.h"
#include "base/error.h"
#include "sched/run/certify.h"
#include "sched/run/dead.h"
#include "sched/run/parts.h"
#include "sched/run/stream.h"
#include "sched/run/tap.h"

/* A sink that is not called by the compute thread for good. */
static bool is_sink(const wadi_outlet *o) {
    return o->sink != NULL && !o->in_place;
}

static bool has_thread(const wadi_outlet *o) {
    return o->pipe != NULL;
}

/* A sink is stopped with the run, and not when a trial is given up: it gets a chunk whole. */
static wadi_task begin_sink(const wadi_outlet *o) {
    wadi_task task = *wadi_task_now();
    task.stop = &o->stream->x->stop;
    return wadi_task_begin(task);
}

static wadi_status put_chunk(wadi_outlet *o, wadi_chunk *c, wadi_error *err) {
    if (o->plan->unordered && o->sink->part_of == NULL) {
        c->first = o->numbered;
        o->numbered += c->count;
    }
    wadi_passed_add(&o->put, c->count, wadi_chunk_bytes(c));
    wadi_tap_see(o->stream->x, &o->put, c);
    if (o->binding == NULL) return o->sink->ops->put(o->sink, c, err);
    const wadi_task before = begin_sink(o);
    wadi_link_call link;
    wadi_run_link_begin(o->stream->x, o->binding, &link);
    wadi_status status = o->sink->ops->put(o->sink, c, err);
    wadi_run_link_end(&link, "send", c->count);
    wadi_task_end(before);
    if (status == WADI_OK && o->stream->x->certifier != NULL)
        status = wadi_certify_delivered(o->stream->x, o->binding, c, err);
    if (status == WADI_OK) {
        o->binding->delivered += c->count;
        wadi_run_settle_part(o->sink, c);
    } else {
        atomic_store(&o->binding->broken, true);
    }
    if (status != WADI_OK && err != NULL) wadi_run_note_part(o->stream->x, "sink", err);
    return status;
}

/* The run has begun again: the sink has had some of these elements. */
static wadi_status put_rest(wadi_outlet *o, wadi_chunk *c, wadi_error *err) {
    wadi_chunk *rest = NULL;
    const int64_t had = o->binding->had < c->count ? o->binding->had : c->count;
    o->binding->had -= had;
    o->numbered += had;
    if (had == c->count) return WADI_OK;
    WADI_TRY(wadi_chunk_slice(c, had, c->count - had, &rest, err));
    const wadi_status status = put_chunk(o, rest, err);
    wadi_chunk_release(rest);
    return status;
}

/* Elements for a sink, which may still be on their way from the device. */
static wadi_status put_arrived(wadi_outlet *o, wadi_chunk *c, wadi_error *err) {
    WADI_TRY(wadi_chunk_arrived(c, err));
    return o->binding != NULL && o->binding->had > 0 ? put_rest(o, c, err) : put_chunk(o, c, err);
}

/* The stream has failed. If the run begins again, the sink gets the rest then. By the compute thread, which knows. */
static void tell_failure(wadi_outlet *o, const wadi_error *why) {
    wadi_binding *b = o->binding;
    if (b != NULL) {
        if (b->finished) return;
        b->owes = o->stream->x->goes_on;
        if (b->owes) return;
    }
    if (o->sink->ops->abort != NULL) o->sink->ops->abort(o->sink, why);
}

/* ---- the sink's thread ---- */

static wadi_status drain(wadi_outlet *o, wadi_error *err) {
    wadi_run *x = o->stream->x;
    for (;;) {
        wadi_chunk *c = NULL;
        WADI_TRY(wadi_pipe_receive(o->pipe, &c, err));
        if (c == NULL) return WADI_OK;
        wadi_meter_busy(&x->meter, WADI_STAGE_SINK);
        const int ticket = wadi_task_work("elements from", c->first, o->plan->name);
        const int64_t begin_ns = wadi_trace_begin(o->trace);
        wadi_passed_works(&o->put, wadi_clock_ns());
        const wadi_status status = put_arrived(o, c, err);
        wadi_passed_rests(&o->put, wadi_clock_ns());
        wadi_trace_end(o->trace, "write", begin_ns, c->count);
        wadi_task_go_on(ticket);
        wadi_meter_idle(&x->meter, WADI_STAGE_SINK);
        wadi_mutex_lock(&x->lock);
        if (status == WADI_OK) x->stats.elements += c->count;
        wadi_mutex_unlock(&x->lock);
        wadi_chunk_release(c);
        WADI_TRY(status); /* what has failed is not done */
        wadi_pipe_done(o->pipe);
    }
}

/* One that has failed has cleaned up. */
static void note_finish(wadi_binding *b, wadi_status status) {
    b->finished = true;
    if (status != WADI_OK) atomic_store(&b->broken, true);
}

static wadi_status finish(wadi_outlet *o, wadi_error *err) {
    wadi_meter *meter = &o->stream->x->meter;
    if (o->binding != NULL) o->binding->owes = false; /* it has got all */
    if (o->sink->ops->finish == NULL) {
        wadi_run_end_part(o->sink);
        return WADI_OK;
    }
    if (o->binding != NULL && o->binding->finished) return WADI_OK; /* before the run began again */
    wadi_meter_busy(meter, WADI_STAGE_SINK);
    const int ticket = wadi_task_work("the end of the output", -1, o->plan->name);
    const wadi_task before = begin_sink(o);
    wadi_link_call link;
    wadi_run_link_begin(o->stream->x, o->binding, &link);
    const wadi_status status = o->sink->ops->finish(o->sink, err);
    wadi_run_link_end(&link, "end", -1);
    wadi_task_end(before);
    if (status == WADI_OK) wadi_run_end_part(o->sink);
    if (o->binding != NULL) note_finish(o->binding, status);
    if (o->binding != NULL && status != WADI_OK && err != NULL)
        wadi_run_note_part(o->stream->x, "sink", err);
    wadi_task_go_on(ticket);
    wadi_meter_idle(meter, WADI_STAGE_SINK);
    return status;
}

static void deliver(wadi_outlet *o) {
    wadi_run *x = o->stream->x;
    wadi_error err = {.status = WADI_OK};
    wadi_status status = drain(o, &err);
    if (status == WADI_OK) {
        status = finish(o, &err);
        if (status != WADI_OK) wadi_run_note_error(x, &err);
        return; /* a finish that failed has cleaned up after itself */
    }
    o->ended_by = err;
    wadi_run_note_error(x, &err);
    wadi_pipe_give_up(o->pipe, &err);
    wadi_lane_nudge_all(o->stream); /* the next chunk may be long in coming */
}

static void sink_thread(void *env) {
    wadi_outlet *o = env;
    const wadi_task before = wadi_task_begin(
        (wadi_task){.name = "sink", .stop = &o->stream->x->stop, .waits = o->stream->x->waits});
    o->trace = wadi_trace_lane_add(o->stream->x->trace, "sink", o->plan->name);
    deliver(o);
    wadi_task_end(before);
}

static wadi_status open_link(wadi_outlet *o, wadi_error *err) {
    return wadi_run_inner_link(o->stream, "compute", "sink", o->plan->name, &o->pipe, err);
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
    o->crew->out_bytes += wadi_chunk_bytes(owned_c);
    wadi_meter_idle(meter, o->crew->busy_as);
    wadi_passed *at = wadi_passed_turn(&o->crew->works_for, NULL);
    wadi_account *before = wadi_profile_charge(WADI_PROFILE_SINK);
    const wadi_status status = wadi_pipe_send(o->pipe, owned_c, err);
    wadi_profile_back(before);
    (void)wadi_passed_turn(&o->crew->works_for, at);
    wadi_meter_busy(meter, o->crew->busy_as);
    return status;
}

static wadi_status fold(wadi_outlet *o, wadi_chunk *c, wadi_error *err) {
    if (o->plan->kind == WADI_END_FOLD_BATCH) {
        return wadi_fold_whole(o->crew, &o->plan->fold, c, err);
    }
    return wadi_dead_fold(o->stream, o->plan->stage, o->crew, &o->plan->fold, c, err);
}

/* The components the end has a use for, each element by itself, in host memory or on their way there; those of a fold where they are. */
static wadi_status select_parts(wadi_outlet *o, wadi_chunk *c, wadi_chunk **out, wadi_error *err) {
    const wadi_plan_fold *fold = wadi_plan_end_fold(o->plan);
    const int n = fold != NULL ? fold->nparts : o->plan->nfrom;
    WADI_TRY(wadi_chunk_select(c, n, fold != NULL ? fold->from : o->plan->from, out, err));
    if (fold != NULL) return WADI_OK;
    wadi_status status = wadi_chunk_to_host(*out, err);
    for (int i = 0; i < n && status == WADI_OK; i++)
        if ((*out)->component[i].layout == WADI_LAYOUT_REGULAR)
            status = wadi_chunk_spread(*out, i, err);
    if (status != WADI_OK) wadi_chunk_release(*out);
    return status;
}

/* What a sink that is called here has failed with is told at its next chunk, or at the end, as one in a thread would: so the
 * other ends get the chunk as well. */
static wadi_status check_broken(const wadi_outlet *o, wadi_error *err) {
    if (o->broken.status != WADI_OK && err != NULL) *err = o->broken;
    return o->broken.status;
}

/* Takes over the reference. What fails is noted in `broken`. */
static void put_here(wadi_outlet *o, wadi_chunk *owned_c) {
    wadi_meter *meter = &o->stream->x->meter;
    const int64_t count = owned_c->count;
    wadi_meter_idle(meter, o->crew->busy_as);
    wadi_meter_busy(meter, WADI_STAGE_SINK);
    wadi_passed *at = wadi_passed_turn(&o->crew->works_for, &o->put);
    wadi_account *before = wadi_profile_charge(WADI_PROFILE_SINK);
    const int ticket = o->sink->keeps ? -1 : wadi_task_work("elements of sink", -1, o->plan->name);
    if (o->broken.status == WADI_OK) o->broken.status = put_arrived(o, owned_c, &o->broken);
    if (!o->sink->keeps) wadi_task_go_on(ticket);
    wadi_profile_back(before);
    (void)wadi_passed_turn(&o->crew->works_for, at);
    wadi_meter_idle(meter, WADI_STAGE_SINK);
    wadi_meter_busy(meter, o->crew->busy_as);
    wadi_chunk_release(owned_c);
    if (o->broken.status == WADI_OK) (void)count_elements(o, count);
}

/* Takes over the reference. */
static wadi_status hold_back(wadi_outlet *o, wadi_chunk *owned_c, wadi_error *err) {
    o->waiting_bytes += wadi_chunk_bytes(owned_c);
    if (wadi_vec_push(&o->waiting, owned_c)) return WADI_OK;
    wadi_chunk_release(owned_c);
    return wadi_fail(err, WADI_MEMORY, "stream: out of memory");
}

/* The stream is over: the sink gets what it has been waiting for, or not. */
static void let_go(wadi_outlet *o, bool deliver) {
    if (o->waiting.n > 0) wadi_meter_busy(&o->stream->x->meter, o->crew->busy_as);
    for (size_t i = 0; i < o->waiting.n; i++) {
        if (deliver)
            put_here(o, o->waiting.at[i]);
        else
            wadi_chunk_release(o->waiting.at[i]);
    }
    if (o->waiting.n > 0) wadi_meter_idle(&o->stream->x->meter, o->crew->busy_as);
    o->waiting.n = 0;
}

/* Whether the stream is so young that a thread does not pay, and what waits for the end is little. */
static bool is_young(const wadi_outlet *o) {
    static const int64_t YOUNG_NS = 2000000;
    return wadi_clock_ns() - o->stream->begin_ns < YOUNG_NS &&
           o->waiting_bytes < o->stream->x->options.memory / WADI_CHUNKS_IN_FLIGHT / 4;
}

/* The sink's thread takes over, beginning with what has been held back. */
static wadi_status start_thread(wadi_outlet *o, wadi_error *err) {
    wadi_status status = check_broken(o, err);
    if (status == WADI_OK) status = open_link(o, err);
    if (status == WADI_OK) status = wadi_outlet_start(o, err);
    const int64_t out_bytes =
        o->crew->out_bytes; /* of the step at work: older chunks are no part of it */
    size_t sent = 0;
    while (status == WADI_OK && sent < o->waiting.n) status = send(o, o->waiting.at[sent++], err);
    for (size_t i = sent; i < o->waiting.n; i++) wadi_chunk_release(o->waiting.at[i]);
    o->waiting.n = 0;
    o->crew->out_bytes = out_bytes;
    return status;
}

/* Takes over the reference. */
static wadi_status put_sink(wadi_outlet *o, wadi_chunk *owned_c, wadi_error *err) {
    wadi_status status = WADI_OK;
    if (!has_thread(o) && !is_young(o)) status = start_thread(o, err);
    if (status == WADI_OK) status = check_broken(o, err);
    if (status == WADI_OK && has_thread(o)) return send(o, owned_c, err);
    o->crew->out_bytes += wadi_chunk_bytes(owned_c);
    if (status == WADI_OK && !o->sink->keeps) return hold_back(o, owned_c, err);
    if (status == WADI_OK)
        put_here(o, owned_c);
    else
        wadi_chunk_release(owned_c);
    return status;
}

static wadi_status put_own(wadi_outlet *o, wadi_chunk *c, wadi_error *err) {
    wadi_chunk *part = NULL;
    WADI_TRY(select_parts(o, c, &part, err));
    wadi_status status = WADI_OK;
    if (o->in_place) {
        status = put_arrived(o, part, err);
        o->crew->out_bytes += wadi_chunk_bytes(part);
        if (status == WADI_OK) status = count_elements(o, c->count);
    } else {
        status = wadi_outlet_fold(o, part, err);
    }
    wadi_chunk_release(part);
    return status;
}

/* A sink may be at work in its thread: choosing its elements is work of the stage. */
wadi_status wadi_outlet_put(wadi_outlet *o, wadi_chunk *c, wadi_error *err) {
    wadi_crew *crew = o->crew;
    wadi_chunk *part = NULL;
    if (is_sink(o)) {
        WADI_TRY(select_parts(o, c, &part, err));
        return put_sink(o, part, err);
    }
    wadi_passed *at = wadi_passed_turn(&crew->works_for, &o->put);
    const wadi_status status = put_own(o, c, err);
    (void)wadi_passed_turn(&crew->works_for, at);
    return status;
}

wadi_status wadi_outlet_fold(wadi_outlet *o, wadi_chunk *part, wadi_error *err) {
    wadi_passed *at = wadi_passed_turn(&o->crew->works_for, &o->put);
    const wadi_status status = fold(o, part, err);
    (void)wadi_passed_turn(&o->crew->works_for, at);
    WADI_TRY(status);
    wadi_passed_add(&o->put, part->count, wadi_chunk_bytes(part));
    wadi_tap_see(o->stream->x, &o->put, part);
    return count_elements(o, part->count);
}

wadi_status wadi_outlet_send(wadi_outlet *o, wadi_chunk *c, wadi_error *err) {
    wadi_chunk *part = NULL;
    WADI_TRY(select_parts(o, c, &part, err));
    const wadi_status status = wadi_chunk_at_host(part, err);
    if (status == WADI_OK) return wadi_apart_send(o->stream, part, err);
    wadi_chunk_release(part);
    return status;
}

void wadi_outlet_expect(wadi_outlet *o, int64_t count) {
    if (o->in_place) wadi_collect_expect(o->sink, count);
}

/* ---- the end ---- */

wadi_status wadi_outlet_check(wadi_outlet *o, wadi_error *err) {
    wadi_run *x = o->stream->x;
    wadi_mutex_lock(&x->lock); /* another thread may be making it */
    wadi_pipe *pipe = o->pipe;
    wadi_mutex_unlock(&x->lock);
    return pipe != NULL ? wadi_pipe_check(pipe, err) : WADI_OK;
}

wadi_status wadi_outlet_settle(wadi_outlet *o, wadi_error *err) {
    if (has_thread(o)) return wadi_pipe_settle(o->pipe, err);
    let_go(o, true);
    return check_broken(o, err);
}

wadi_status wadi_outlet_end(wadi_outlet *o, wadi_error *err) {
    wadi_run *x = o->stream->x;
    if (!is_sink(o)) return WADI_OK;
    o->ended = !has_thread(o);
    if (o->ended) return finish(o, err);
    WADI_TRY(wadi_pipe_end(o->pipe, err));
    o->ended = true;
    wadi_thread_join(&o->thread);
    wadi_mutex_lock(&x->lock);
    const wadi_status status = x->error.status;
    if (status != WADI_OK && err != NULL) *err = x->error;
    wadi_mutex_unlock(&x->lock);
    return status;
}

void wadi_outlet_fail(wadi_outlet *o, const wadi_error *why) {
    if (!is_sink(o) || o->ended) return;
    if (has_thread(o) && o->thread.started) {
        wadi_pipe_fail(o->pipe, why);
        return;
    }
    let_go(o, why->status != WADI_CANCELLED);
    if (o->broken.status != WADI_OK) wadi_run_note_error(o->stream->x, &o->broken);
    tell_failure(o, why);
}

wadi_status wadi_outlet_store(wadi_outlet *o, wadi_error *err) {
    wadi_run *x = o->stream->x;
    const wadi_plan_fold *fold = wadi_plan_end_fold(o->plan);
    if (fold != NULL) wadi_fold_end(o->crew, fold, o->plan->into);
    if (fold != NULL || o->plan->kind == WADI_END_SINK) return WADI_OK;
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
                                  ? wadi_slots_number(&o->stream->x->slots, p->count_slot)
                                  : wadi_run_find(o->stream->x, p->name, false)->source->at_hand;
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
    const wadi_slots *slots = &o->stream->x->slots;
    return made && slots->residence == NULL && slots->place[slot].columns == NULL;
}

static void put_in_place(wadi_outlet *o) {
    const wadi_plan_stage *g = o->stream->stages[o->plan->stage].plan;
    const int64_t n = known_count(o);
    if (n == 0 || o->stream->x->dead != NULL) return;
    for (int i = 0; i < o->plan->nfrom; i++)
        if (!is_made_regular(o, i)) return;
    o->in_place = true;
    for (int i = 0; i < o->plan->nfrom; i++)
        wadi_collect_in_place(o->sink, o->stream->x, i, g->results[o->plan->from[i]], n);
}

/* Whether the compute thread may have to wait for elements. */
static bool reads(const wadi_stream *s) {
    for (int i = 0; i < s->nlanes; i++)
        if (s->lanes[i].threaded) return true;
    return false;
}

wadi_status wadi_outlet_open(wadi_outlet *o, wadi_error *err) {
    wadi_run *x = o->stream->x;
    const wadi_plan_fold *fold = wadi_plan_end_fold(o->plan);
    if (fold != NULL) return wadi_fold_begin(o->crew, fold, err);
    if (o->plan->kind == WADI_END_SINK) {
        o->binding = wadi_run_find(x, o->plan->name, true);
        o->sink = o->binding->sink;
        o->sink->retry = wadi_run_retry(x);
        if (!o->sink->keeps && !o->sink->unwatched)
            WADI_TRY(wadi_stop_fd(&x->stop, &o->sink->wake_fd, err));
    } else {
        const wadi_plan_stage *g = o->stream->stages[o->plan->stage].plan;
        WADI_TRY(wadi_collect_create(x, g, o->plan, &o->sink, err));
        put_in_place(o);
    }
    if (o->in_place || o->sink->keeps || !reads(o->stream)) return WADI_OK;
    return open_link(o, err);
}

wadi_status wadi_outlet_start(wadi_outlet *o, wadi_error *err) {
    return has_thread(o) ? wadi_thread_start(&o->thread, sink_thread, o, err) : WADI_OK;
}

void wadi_outlet_close(wadi_outlet *o) {
    wadi_run *x = o->stream->x;
    const wadi_plan_stage *g = &o->stream->plan->stages[o->plan->stage];
    if (o->ended_by.status != WADI_OK) tell_failure(o, &o->ended_by);
    if (o->plan->kind == WADI_END_SINK && o->sink != NULL) o->sink->wake_fd = -1;
    wadi_pipe_destroy(o->pipe);
    wadi_tap_close(&o->put);
    let_go(o, false);
    wadi_vec_free(&o->waiting);
    for (int i = 0; o->in_place && i < o->plan->nfrom; i++)
        x->slots.place[g->results[o->plan->from[i]]].columns = NULL;
    if (o->plan->kind != WADI_END_SINK && wadi_plan_end_fold(o->plan) == NULL)
        wadi_sink_destroy(o->sink);
}
