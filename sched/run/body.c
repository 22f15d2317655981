/* A chunk through the body of a stage: all of it or nothing. It changes nothing but the slots of the crew that does it, so crews of several
 * devices may do it at the same time, each with another chunk. */
#include "base/error.h"
#include "sched/run/stream.h"

/* ---- input ---- */

static bool is_main(const wadi_stream *s, const wadi_crew *crew) {
    return crew == &s->x->crew;
}

/* What was checked when the chunk was shared. */
static wadi_status bind_checked(const wadi_crew *crew, const wadi_plan_source *p,
                                const wadi_chunk *c, int component, int64_t *out_bad,
                                wadi_error *err) {
    for (int i = 0; i < p->nslots; i++) {
        *out_bad = c->count;
        WADI_TRY(wadi_slots_bind_component(crew->slots, p->slots[i], &c->component[component + i],
                                           c->count, out_bad, err));
    }
    return WADI_OK;
}

/* Binds what sources have read. *out_fit: elements that are as declared. */
static wadi_status bind_sources(wadi_stream *s, const wadi_plan_stage *p, wadi_crew *crew,
                                const wadi_chunk *c, int64_t *out_fit, wadi_error *err) {
    int component = 0;
    for (int i = 0; i < p->nsources; i++) {
        if (p->sources[i].counter) continue;
        wadi_error why = {.status = WADI_OK};
        int64_t bad = c->count;
        const wadi_status status =
            is_main(s, crew) ? wadi_run_bind_chunk(s->x, &p->sources[i], c, component, &bad, &why)
                             : bind_checked(crew, &p->sources[i], c, component, &bad, &why);
        if (status != WADI_OK) {
            *out_fit = bad;
            crew->at_element = status == WADI_SHAPE && bad < c->count;
            return wadi_fail(err, status, "%s, element %lld", why.msg, (long long)(c->first + bad));
        }
        component += p->sources[i].nslots;
    }
    return WADI_OK;
}

bool wadi_body_fits(wadi_stream *s, int stage, const wadi_chunk *c) {
    const wadi_plan_stage *p = &s->plan->stages[stage];
    int component = 0;
    for (int i = 0; i < p->nsources; i++) {
        int64_t bad = c->count;
        if (p->sources[i].counter) continue;
        if (wadi_run_check_chunk(s->x, &p->sources[i], c, component, &bad, NULL) != WADI_OK)
            return false;
        component += p->sources[i].nslots;
    }
    return true;
}

static wadi_status bind_parts(const wadi_plan_stage *p, const wadi_crew *crew, const wadi_chunk *c,
                              wadi_error *err) {
    for (int i = 0; i < p->nparts; i++) {
        int64_t bad = c->count;
        WADI_TRY(wadi_slots_bind_component(crew->slots, p->parts[i], &c->component[i], c->count,
                                           &bad, err));
    }
    return WADI_OK;
}

static wadi_status bind(wadi_stream *s, const wadi_plan_stage *p, wadi_crew *crew,
                        const wadi_chunk *c, int64_t *out_fit, wadi_error *err) {
    *out_fit = c->count;
    if (p->change == WADI_CHANGE_READ)
        WADI_TRY(bind_sources(s, p, crew, c, out_fit, err));
    else if (p->body >= 0)
        WADI_TRY(bind_parts(p, crew, c, err));
    return WADI_OK;
}

/* ---- the body ---- */

static wadi_status run_job(wadi_stream *s, const wadi_plan_stage *p, wadi_crew *crew,
                           const wadi_chunk *c, int64_t left, wadi_outcome *out, wadi_error *err) {
    wadi_job job = {.body = p->body,
                    .first = c->first,
                    .count = c->count,
                    .bytes = wadi_chunk_bytes(c),
                    .left = left,
                    .slots = crew->slots};
    WADI_TRY(wadi_runner_run(crew->runner, &job, err));
    crew->loaded = crew->loaded || job.loaded;
    wadi_mutex_lock(&s->x->lock);
    s->x->stats.schedule = wadi_version_name(job.ran);
    wadi_mutex_unlock(&s->x->lock);
    if (job.fault.kind == WADI_FAULT_NONE) return WADI_OK;
    crew->at_element = wadi_fault_is_of_element(&job.fault);
    out->starved = job.fault.kind == WADI_FAULT_MEMORY;
    out->good = out->starved ? 0 : job.fault.element;
    return wadi_job_error(&job, err);
}

/* ---- results ---- */

static int part_of(const wadi_plan_stage *p, int slot) {
    for (int i = 0; i < p->nparts; i++)
        if (p->parts[i] == slot) return i;
    return -1;
}

/* The results as a chunk of their own, which holds the input where values pass through. */
static wadi_status take_results(wadi_stream *s, const wadi_plan_stage *p, const wadi_crew *crew,
                                wadi_chunk *in, wadi_chunk **out, wadi_error *err) {
    wadi_chunk *c = NULL;
    WADI_TRY(wadi_chunk_create(s->x->buffers, p->nresults, &c, err));
    wadi_chunk_hold(c, in);
    c->first = in->first;
    c->count = in->count;
    for (int i = 0; i < p->nresults; i++) {
        const int part = part_of(p, p->results[i]);
        if (part >= 0)
            c->component[i] = in->component[part];
        else
            wadi_slots_take(crew->slots, p->results[i], c, i);
    }
    *out = c;
    return WADI_OK;
}

/* Gives back what belongs to the chunk. */
static void clear_slots(wadi_slots *slots) {
    for (int i = 0; i < slots->plan->nslots; i++) {
        if (slots->plan->slots[i].kind != WADI_SLOT_ONCE) wadi_slots_clear(slots, i);
    }
}

wadi_status wadi_body_run(wadi_stream *s, int stage, wadi_crew *crew, wadi_chunk *in, int64_t left,
                          wadi_outcome *out, wadi_error *err) {
    const wadi_plan_stage *p = &s->plan->stages[stage];
    *out = (wadi_outcome){.out = NULL};
    crew->at_element = false;
    wadi_status status = bind(s, p, crew, in, &out->good, err);
    if (status == WADI_OK && p->body >= 0) status = run_job(s, p, crew, in, left, out, err);
    if (status == WADI_OK) status = take_results(s, p, crew, in, &out->out, err);
    out->starved = out->starved || status == WADI_MEMORY;
    out->temporary_bytes = wadi_slots_chunk_bytes(crew->slots);
    if (crew->slots->peak > out->temporary_bytes) out->temporary_bytes = crew->slots->peak;
    crew->slots->peak = 0;
    if (status != WADI_OK && out->starved) out->good = 0;
    clear_slots(crew->slots);
    return status;
}
