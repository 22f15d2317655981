/* A stream phase: source thread -> link -> compute (the calling thread) -> link -> sink thread.
 *
 * Each stage works on its own chunk while the links hold two more each, so reading, computing and writing overlap. The
 * compute stage observes every chunk for the policy and the budget, and the source asks them for the size of the next.
 *
 * Errors travel along the links: a stage that fails tells both neighbours and keeps its error as the run's; elements
 * before the failure are delivered first, those of the failing chunk included, so that what a consumer gets does not
 * depend on how the stream was cut into chunks. */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "sched/run_internal.h"
#include "sched/transport.h"

typedef struct stream {
    wadi_exec *x;
    const wadi_plan_stream *plan;
    wadi_sink *sink; /* NULL: the compute stage consumes (fold) */
    wadi_port *source_out, *compute_in, *compute_out, *sink_in;
    /* the source stage */
    wadi_builder builder[WADI_MAX_PARTS];
    int builders;
    int components;
    int64_t position; /* stream index of the next element */
    /* the compute stage */
    int64_t delivered, chunks;  /* elements and chunks sent on */
    bool loaded;                /* kernels, in this step */
    bool starved;               /* the step failed for want of memory, before anything came of it */
    int64_t step_ns, worked_ns; /* clock and time worked at the end of the last step */
} stream;

/* ---- source stage ---- */

static int64_t next_size(wadi_exec *x) {
    wadi_mutex_lock(&x->lock);
    const int64_t k = wadi_budget_cap(&x->budget, x->policy->ops->choose(x->policy));
    x->stats.chunk_elements = k;
    wadi_mutex_unlock(&x->lock);
    return k;
}

/* How many of k elements a counter still has. */
static int64_t count_on(const stream *s, const wadi_plan_source *p, int64_t k) {
    const int64_t end = *(const int64_t *)s->x->slots.slot[p->count_slot].col[0];
    const int64_t left = end - s->position;
    return left < 0 ? 0 : k < left ? k : left;
}

/* Fills the builders with as many elements as every source has, at most k. A failure still counts what came before. */
static wadi_status pull(stream *s, int64_t k, int64_t *out_count, wadi_error *err) {
    wadi_status status = WADI_OK;
    for (int i = 0; i < s->plan->nsources && k > 0; i++) {
        const wadi_plan_source *p = &s->plan->sources[i];
        if (p->counter) {
            k = count_on(s, p, k);
            continue;
        }
        wadi_source *source = wadi_exec_find(s->x, p->name, false)->source;
        wadi_error late = {.status = WADI_OK};
        const wadi_status now = source->ops->next(source, k, &s->builder[i], &late);
        if (now != WADI_OK && (status == WADI_OK || s->builder[i].count < k)) {
            status = now;
            if (err != NULL) *err = late;
        }
        k = s->builder[i].count < k ? s->builder[i].count : k;
    }
    *out_count = k;
    return status;
}

static wadi_status make_chunk(stream *s, int64_t count, int64_t number, wadi_chunk **out,
                              wadi_error *err) {
    wadi_chunk *c = NULL;
    WADI_TRY(wadi_chunk_create(s->x->buffers, s->components, &c, err));
    c->number = number;
    c->first = s->position;
    c->count = count;
    int component = 0;
    for (int i = 0; i < s->plan->nsources; i++) {
        if (s->plan->sources[i].counter) continue;
        wadi_builder_finish(&s->builder[i], c, component, count);
        component += s->plan->sources[i].nslots;
    }
    s->position += count;
    *out = c;
    return WADI_OK;
}

/* Everything up to the end of the stream, or a failure that the links and the run have been told. */
static wadi_status produce(stream *s, int64_t *out_chunks, wadi_error *err) {
    wadi_status status = WADI_OK;
    for (*out_chunks = 0; status == WADI_OK;) {
        int64_t count = 0;
        wadi_chunk *c = NULL;
        wadi_status made = WADI_OK;
        const int64_t k = next_size(s->x);
        wadi_meter_busy(&s->x->meter, WADI_STAGE_SOURCE);
        status = pull(s, k, &count, err);
        if (count > 0) made = make_chunk(s, count, *out_chunks, &c, err);
        wadi_meter_idle(&s->x->meter, WADI_STAGE_SOURCE);
        WADI_TRY(made);
        if (count == 0) break;
        wadi_error sent = {.status = WADI_OK};
        if (wadi_port_send(s->source_out, c, &sent) != WADI_OK) {
            if (err != NULL) *err = sent;
            return sent.status;
        }
        ++*out_chunks;
    }
    return status;
}

static void source_stage(void *env) {
    stream *s = env;
    wadi_error err = {.status = WADI_OK};
    int64_t chunks = 0;
    wadi_status status = produce(s, &chunks, &err);
    if (status == WADI_OK) status = wadi_port_end(s->source_out, chunks, &err);
    if (status == WADI_OK) return;
    wadi_exec_note_error(s->x, &err);
    wadi_port_fail(s->source_out, chunks, &err);
}

/* ---- sink stage ---- */

static wadi_status drain(stream *s, wadi_error *err) {
    for (;;) {
        wadi_chunk *c = NULL;
        WADI_TRY(wadi_port_receive(s->sink_in, &c, err));
        if (c == NULL) return WADI_OK;
        const int64_t number = c->number;
        wadi_meter_busy(&s->x->meter, WADI_STAGE_SINK);
        const wadi_status status = s->sink->ops->put(s->sink, c, err);
        wadi_meter_idle(&s->x->meter, WADI_STAGE_SINK);
        wadi_mutex_lock(&s->x->lock);
        if (status == WADI_OK) s->x->stats.elements += c->count;
        wadi_mutex_unlock(&s->x->lock);
        wadi_chunk_release(c);
        wadi_port_done(s->sink_in, number);
        WADI_TRY(status);
    }
}

static void sink_stage(void *env) {
    stream *s = env;
    wadi_error err = {.status = WADI_OK};
    wadi_status status = drain(s, &err);
    if (status == WADI_OK && s->sink->ops->finish != NULL) {
        wadi_meter_busy(&s->x->meter, WADI_STAGE_SINK);
        status = s->sink->ops->finish(s->sink, &err);
        wadi_meter_idle(&s->x->meter, WADI_STAGE_SINK);
        if (status != WADI_OK) wadi_exec_note_error(s->x, &err);
        return; /* a finish that failed has cleaned up after itself */
    }
    if (status == WADI_OK) return;
    wadi_exec_note_error(s->x, &err);
    wadi_port_give_up(s->sink_in, &err);
    if (s->sink->ops->abort != NULL) s->sink->ops->abort(s->sink, &err);
}

/* ---- compute stage ---- */

static bool is_state(const wadi_plan_stream *p, int slot) {
    for (int i = 0; p->end == WADI_END_FOLD && i < p->nstate; i++) {
        if (p->state_in[i] == slot) return true;
    }
    return false;
}

/* Gives back what belongs to the chunk. */
static void clear_slots(stream *s) {
    for (int i = 0; i < s->x->plan->nslots; i++) {
        const bool once = s->x->plan->slots[i].kind == WADI_SLOT_ONCE;
        if (!once && !is_state(s->plan, i)) wadi_slots_clear(&s->x->slots, i);
    }
}

static wadi_status fill_index(stream *s, int slot, const wadi_chunk *c, wadi_error *err) {
    wadi_slots *slots = &s->x->slots;
    if (!wadi_slots_room_for_shapes(slots, slot, c->count) ||
        !wadi_slots_room_for_columns(slots, slot, c->count)) {
        return wadi_fail(err, WADI_MEMORY, "produce: out of memory");
    }
    int64_t *index = slots->slot[slot].col[0];
    slots->slot[slot].stride = 1;
    for (int64_t i = 0; i < c->count; i++) index[i] = c->first + i;
    return WADI_OK;
}

/* Binds a chunk to the sources' slots. *out_bad: elements that fit. */
static wadi_status bind_chunk(stream *s, const wadi_chunk *c, int64_t *out_fit, wadi_error *err) {
    int component = 0;
    *out_fit = c->count;
    for (int i = 0; i < s->plan->nsources; i++) {
        const wadi_plan_source *p = &s->plan->sources[i];
        if (p->counter) continue;
        wadi_error why = {.status = WADI_OK};
        int64_t bad = c->count;
        const wadi_status status = wadi_bind_chunk(s->x, p, c, component, &bad, &why);
        if (status != WADI_OK) {
            *out_fit = bad;
            return wadi_fail(err, status, "%s, element %lld", why.msg, (long long)(c->first + bad));
        }
        component += p->nslots;
    }
    const int body = s->plan->body;
    const int index = body >= 0 ? s->x->plan->bodies[body].index_slot : -1;
    return index >= 0 ? fill_index(s, index, c, err) : WADI_OK;
}

/* Runs the body over a chunk. When an element fails, *out_good is the number of elements before it. */
static wadi_status run_body(stream *s, const wadi_chunk *c, int64_t *out_good, wadi_error *err) {
    WADI_TRY(bind_chunk(s, c, out_good, err));
    if (s->plan->body < 0) return WADI_OK;
    wadi_job job = {.body = s->plan->body,
                    .first = c->first,
                    .count = c->count,
                    .bytes = wadi_chunk_bytes(c),
                    .slots = &s->x->slots};
    static const char *const names[] = {"inside", "flat", "across"};
    WADI_TRY(s->x->device->ops->run(s->x->device, &job, err));
    s->loaded = job.loaded;
    wadi_mutex_lock(&s->x->lock);
    s->x->stats.schedule = names[job.schedule];
    wadi_mutex_unlock(&s->x->lock);
    if (job.fault.kind == WADI_FAULT_NONE) return WADI_OK;
    s->starved = job.fault.kind == WADI_FAULT_MEMORY;
    *out_good = s->starved ? 0 : job.fault.element;
    return wadi_job_error(&job, err);
}

/* The results as a chunk of their own, which holds the input where values pass through. */
static wadi_status take_results(stream *s, wadi_chunk *input, wadi_chunk **out, wadi_error *err) {
    wadi_chunk *c = NULL;
    WADI_TRY(wadi_chunk_create(s->x->buffers, s->plan->nresults, &c, err));
    wadi_chunk_hold(c, input);
    c->number = s->chunks;
    c->first = input->first;
    c->count = input->count;
    for (int i = 0; i < s->plan->nresults; i++) {
        wadi_slots_take(&s->x->slots, s->plan->results[i], c, i);
    }
    *out = c;
    return WADI_OK;
}

/* Time all stages together have worked so far: a step of the stream is reading, computing and writing. */
static int64_t worked_ns(const wadi_exec *x, wadi_meter *meter) {
    int64_t busy[WADI_STAGE_COUNT], overlap = 0;
    wadi_meter_read(meter, busy, &overlap);
    return x->device->ops->busy_ns(x->device) + busy[WADI_STAGE_SOURCE] + busy[WADI_STAGE_SINK];
}

/* Temporaries exist once, input and output in every chunk in flight. */
static void count_chunk(stream *s, const wadi_chunk *in, int64_t in_bytes, int64_t out_bytes,
                        int64_t temporary_bytes) {
    wadi_exec *x = s->x;
    const int64_t now = wadi_clock_ns();
    const int64_t worked = worked_ns(x, &x->meter);
    const int64_t each = (worked - s->worked_ns) / x->device->ops->workers(x->device);
    const int64_t elapsed = now - s->step_ns;
    const wadi_policy_sample sample = {.busy_ns = each < elapsed ? each : elapsed,
                                       .elapsed_ns = elapsed,
                                       .elements = in->count,
                                       .bytes = in_bytes + out_bytes};
    s->worked_ns = worked;
    s->step_ns = now;
    wadi_mutex_lock(&x->lock);
    if (!s->loaded) x->policy->ops->observe(x->policy, &sample);
    wadi_budget_observe(&x->budget, in->count,
                        in_bytes + out_bytes + temporary_bytes / WADI_CHUNKS_IN_FLIGHT);
    x->stats.chunks++;
    x->stats.bytes_in += in_bytes;
    x->stats.bytes_out += out_bytes;
    if (s->sink == NULL) x->stats.elements += in->count;
    wadi_mutex_unlock(&x->lock);
}

/* Runs and delivers one chunk, all of it or nothing. */
static wadi_status step(stream *s, wadi_chunk *in, int64_t *out_good, wadi_error *err) {
    wadi_chunk *out = NULL;
    const int64_t in_bytes = wadi_chunk_bytes(in);
    int64_t out_bytes = 0;
    *out_good = 0;
    s->loaded = s->starved = false;
    wadi_meter_busy(&s->x->meter, WADI_STAGE_COMPUTE);
    wadi_status status = run_body(s, in, out_good, err);
    if (status == WADI_OK && s->sink != NULL) status = take_results(s, in, &out, err);
    s->starved = s->starved || status == WADI_MEMORY;
    if (status == WADI_OK && s->sink == NULL) {
        status = wadi_fold_chunk(s->x, s->plan, in->first, in->count, err);
    }
    if (out != NULL) out_bytes = wadi_chunk_bytes(out);
    const int64_t temporary_bytes = wadi_slots_chunk_bytes(&s->x->slots);
    clear_slots(s);
    wadi_meter_idle(&s->x->meter, WADI_STAGE_COMPUTE);
    if (status != WADI_OK) return status;
    count_chunk(s, in, in_bytes, out_bytes, temporary_bytes);
    s->delivered += in->count;
    if (out == NULL) return WADI_OK;
    s->chunks++;
    return wadi_port_send(s->compute_out, out, err);
}

/* An element of the chunk has failed: delivers those before it that have not been delivered. Nothing new can be said if that
 * fails too. */
static void deliver_before(stream *s, wadi_chunk *in, int64_t good) {
    wadi_chunk *part = NULL;
    const int64_t begin = s->delivered - in->first;
    if (good <= begin || good >= in->count) return;
    if (wadi_chunk_slice(in, begin, good - begin, &part, NULL) != WADI_OK) return;
    (void)!step(s, part, &good, NULL);
    wadi_chunk_release(part);
}

static wadi_status step_or_halves(stream *s, wadi_chunk *in, int64_t *out_good, wadi_error *err);

/* Elements [begin, begin + count) of a chunk for which there was no memory; from now on chunks are no larger. */
static wadi_status step_part(stream *s, wadi_chunk *in, int64_t begin, int64_t count,
                             int64_t *out_good, wadi_error *err) {
    wadi_chunk *part = NULL;
    wadi_mutex_lock(&s->x->lock);
    wadi_budget_refused(&s->x->budget, in->count);
    wadi_mutex_unlock(&s->x->lock);
    WADI_TRY(wadi_chunk_slice(in, begin, count, &part, err));
    const wadi_status status = step_or_halves(s, part, out_good, err);
    *out_good += begin;
    wadi_chunk_release(part);
    return status;
}

/* A step for which there is not enough memory is tried again in two halves. On failure the elements before *out_good that have not
 * been delivered yet begin at s->delivered. */
static wadi_status step_or_halves(stream *s, wadi_chunk *in, int64_t *out_good, wadi_error *err) {
    const wadi_status status = step(s, in, out_good, err);
    if (status == WADI_OK || !s->starved || in->count < 2) return status;
    const int64_t half = in->count / 2;
    WADI_TRY(step_part(s, in, 0, half, out_good, err));
    return step_part(s, in, half, in->count - half, out_good, err);
}

static wadi_status compute(stream *s, wadi_error *err) {
    for (;;) {
        wadi_chunk *c = NULL;
        int64_t good = 0;
        WADI_TRY(wadi_port_receive(s->compute_in, &c, err));
        if (c == NULL) return WADI_OK;
        const int64_t number = c->number;
        const wadi_status status = step_or_halves(s, c, &good, err);
        if (status != WADI_OK) deliver_before(s, c, good);
        wadi_chunk_release(c);
        wadi_port_done(s->compute_in, number);
        WADI_TRY(status);
        if (atomic_load(&s->x->cancelled)) return wadi_fail(err, WADI_CANCELLED, "cancelled");
    }
}

static void compute_stage(stream *s) {
    wadi_error err = {.status = WADI_OK};
    wadi_status status = compute(s, &err);
    if (status == WADI_OK && s->sink != NULL) {
        status = wadi_port_end(s->compute_out, s->chunks, &err);
    }
    if (status == WADI_OK) return;
    wadi_exec_note_error(s->x, &err);
    wadi_port_give_up(s->compute_in, &err);
    if (s->sink != NULL) wadi_port_fail(s->compute_out, s->chunks, &err);
}

/* ---- the phase ---- */

static wadi_status open_link(stream *s, const char *name, const char *from, const char *to,
                             wadi_port **out_sender, wadi_port **out_receiver, wadi_error *err) {
    char address[96];
    /* an address is free again some time after its socket is closed: each stream of a run has its own */
    (void)snprintf(address, sizeof address, "inproc://%s-%p", name, (const void *)s->plan);
    wadi_port_options o = {.address = address,
                           .bind = true,
                           .sends = true,
                           .owner = from,
                           .other = to,
                           .waits = s->x->waits,
                           .wake_fd = s->x->wake[0],
                           .credit_chunks = WADI_WINDOW_CHUNKS,
                           .credit_bytes = s->x->budget.bytes / 4};
    WADI_TRY(wadi_port_open(s->x->zmq, &o, out_sender, err));
    o.bind = o.sends = false;
    o.owner = to;
    o.other = from;
    return wadi_port_open(s->x->zmq, &o, out_receiver, err);
}

static wadi_status prepare_sources(stream *s, wadi_error *err) {
    const int64_t most = wadi_budget_chunk_bytes(&s->x->budget);
    bool first = true;
    for (int i = 0; i < s->plan->nsources; i++, s->builders++) {
        const wadi_plan_source *p = &s->plan->sources[i];
        if (p->counter) continue;
        wadi_source *source = wadi_exec_find(s->x, p->name, false)->source;
        source->wake_fd = s->x->wake[0];
        const int parts = source->parts > 0 ? source->parts : 0;
        /* only the first may stop early: the others bring as many elements as it did, or have ended */
        WADI_TRY(wadi_builder_init(&s->builder[i], s->x->buffers, parts, source->part,
                                   first ? most : INT64_MAX, err));
        s->components += p->nslots;
        first = false;
    }
    return WADI_OK;
}

static wadi_status prepare(stream *s, wadi_error *err) {
    if (s->plan->nsources > WADI_MAX_PARTS) {
        return wadi_fail(err, WADI_UNSUPPORTED, "%d sources in one stream, at most %d",
                         s->plan->nsources, (int)WADI_MAX_PARTS);
    }
    WADI_TRY(prepare_sources(s, err));
    if (s->plan->end == WADI_END_SINK) {
        s->sink = wadi_exec_find(s->x, s->plan->name, true)->sink;
        s->sink->wake_fd = s->x->wake[0];
    } else if (s->plan->end == WADI_END_FOLD) {
        WADI_TRY(wadi_fold_begin(s->x, s->plan, err));
    } else {
        WADI_TRY(wadi_collect_create(s->x, s->plan, &s->sink, err));
    }
    WADI_TRY(
        open_link(s, "source-compute", "source", "compute", &s->source_out, &s->compute_in, err));
    if (s->sink == NULL) return WADI_OK;
    return open_link(s, "compute-sink", "compute", "sink", &s->compute_out, &s->sink_in, err);
}

static wadi_status run_stages(stream *s, wadi_error *err) {
    wadi_thread source = {0}, sink = {0};
    s->step_ns = wadi_clock_ns();
    s->worked_ns = worked_ns(s->x, &s->x->meter);
    wadi_status status = WADI_OK;
    if (s->sink != NULL) status = wadi_thread_start(&sink, sink_stage, s, err);
    if (status == WADI_OK) status = wadi_thread_start(&source, source_stage, s, err);
    if (status == WADI_OK) {
        compute_stage(s);
    } else if (s->sink != NULL && sink.started) {
        const wadi_error why = {.status = WADI_INTERNAL, .msg = "a stage could not be started"};
        wadi_port_fail(s->compute_out, 0, &why);
    }
    wadi_thread_join(&source);
    wadi_thread_join(&sink);
    return status;
}

static void close_stream(stream *s) {
    for (int i = 0; i < s->plan->nsources; i++) {
        const wadi_plan_source *p = &s->plan->sources[i];
        if (!p->counter) wadi_exec_find(s->x, p->name, false)->source->wake_fd = -1;
    }
    if (s->plan->end == WADI_END_SINK && s->sink != NULL) s->sink->wake_fd = -1;
    wadi_port_close(s->source_out);
    wadi_port_close(s->compute_in);
    wadi_port_close(s->compute_out);
    wadi_port_close(s->sink_in);
    for (int i = 0; i < s->builders; i++) wadi_builder_fini(&s->builder[i]);
    if (s->plan->end != WADI_END_SINK) wadi_sink_destroy(s->sink);
}

wadi_status wadi_run_stream(wadi_exec *x, const wadi_plan_stream *plan, wadi_error *err) {
    stream *s = calloc(1, sizeof *s);
    if (s == NULL) return wadi_fail(err, WADI_MEMORY, "stream: out of memory");
    s->x = x;
    s->plan = plan;
    wadi_status status = prepare(s, err);
    if (status == WADI_OK) status = run_stages(s, err);
    wadi_mutex_lock(&x->lock);
    if (status == WADI_OK && x->error.status != WADI_OK) {
        status = x->error.status;
        if (err != NULL) *err = x->error;
    }
    wadi_mutex_unlock(&x->lock);
    if (status == WADI_OK && plan->end == WADI_END_FOLD) {
        wadi_fold_end(x, plan);
    } else if (status == WADI_OK && plan->end != WADI_END_SINK) {
        status = wadi_collect_store(s->sink, x, err);
    }
    close_stream(s);
    free(s);
    return status;
}
