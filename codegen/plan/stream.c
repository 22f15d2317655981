/* Planning the stream of one or several consumers. First the stages and the results needed from each are found, from the
 * consumers back to the sources. Then every stage gets its body. */
#include <string.h>

#include "base/error.h"
#include "codegen/plan/phases.h"
#include "codegen/plan/stage.h"

/* ---- bodies ---- */

/* Slots for what the body stores: temporaries of schedule flat, and results. */
static void body_slots(wadi_planning *p, const wadi_planned_stage *g) {
    for (size_t i = 0; i < g->binds.n; i++) {
        const wadi_bind *b = g->binds.at[i];
        for (int r = 0; r < b->nresults; r++) {
            const wadi_val v = b->results[r];
            const wadi_value *value = &p->m->values[v];
            if (value->type.is_seq || !wadi_is_stored(&p->y, v)) continue;
            p->known[v] = false;
            p->y.slot_of[v] = wadi_planning_typed_slot(p, value->name, wadi_planning_kind(p, v),
                                                       &value->type.array[0]);
        }
    }
}

/* Finds the slots of the stage's results, and which of them its body computes. */
static wadi_status stage_results(wadi_planning *p, wadi_planned_stage *g, wadi_body *body,
                                 int **out_slots) {
    const int n = (int)g->results.n;
    int *slots = WADI_NEW_N(p->plan->arena, int, (size_t)n + 1);
    wadi_val *values = WADI_NEW_N(p->y.arena, wadi_val, (size_t)n + 1);
    if (!slots || !values) return wadi_planning_no_memory(p);
    for (int i = 0; i < n; i++) {
        const wadi_planned_result *r = &g->results.at[i];
        slots[i] = r->slot;
        if (r->v == WADI_NONE) continue;
        slots[i] = wadi_planning_once(p, r->v); /* the body's own values have slots */
        bool seen = p->known[r->v] || p->m->values[r->v].def == WADI_DEF_CONST;
        for (int k = 0; k < body->nresults; k++) seen = seen || values[k] == r->v;
        if (!seen) values[body->nresults++] = r->v;
    }
    body->results = values;
    *out_slots = slots;
    return WADI_OK;
}

static void set_known(wadi_planning *p, const wadi_planned_stage *g, bool known) {
    for (size_t i = 0; i < g->params.n; i++) p->known[g->params.at[i]] = known;
}

static wadi_status stage_body(wadi_planning *p, wadi_planned_stage *g) {
    wadi_body body = {.stream = true, .nbinds = (int)g->binds.n};
    int *slots = NULL;
    body.name = wadi_arena_printf(p->plan->arena, "stream_%d", (int)p->bodies.n);
    body.binds = WADI_NEW_N(p->y.arena, const wadi_bind *, g->binds.n + 1);
    if (!body.name || !body.binds) return wadi_planning_no_memory(p);
    if (body.nbinds > 0) memcpy(body.binds, g->binds.at, (size_t)body.nbinds * sizeof *body.binds);
    memset(p->late, 0, p->m->nvalues * sizeof *p->late);
    body_slots(p, g);
    WADI_TRY(stage_results(p, g, &body, &slots));
    g->plan.nresults = (int)g->results.n;
    g->plan.results = slots;
    if (body.nbinds == 0 && g->index_slot < 0) return WADI_OK;
    return wadi_planning_body(p, &body, g->index_slot, g->plan.nresults, slots, false,
                              &g->plan.body);
}

/* ---- into the plan ---- */

static void *listed(wadi_planning *p, const void *from, size_t size, size_t n) {
    void *to = wadi_arena_alloc_n(p->plan->arena, size, n + 1);
    if (!to)
        p->y.failed = true;
    else if (n > 0)
        memcpy(to, from, n * size);
    return to;
}

#define LISTED(vec) listed(p, (vec).at, sizeof *(vec).at, (vec).n)

/* The number of results of the inputs before `input`: results are numbered through all inputs. */
static int count_before(const wadi_planning *p, const wadi_planned_stage *g, int input) {
    int n = 0;
    for (int i = 0; i < input; i++) n += (int)p->stream.stages.at[g->inputs.at[i]].results.n;
    return n;
}

static wadi_status stage_lists(wadi_planning *p, wadi_planned_stage *g) {
    const size_t n = g->parts.n;
    int *parts = WADI_NEW_N(p->plan->arena, int, n + 1);
    int *from = WADI_NEW_N(p->plan->arena, int, n + 1);
    if (!parts || !from) return wadi_planning_no_memory(p);
    for (size_t i = 0; i < n; i++) {
        parts[i] = g->parts.at[i].slot;
        from[i] = g->parts.at[i].from;
        if (g->inputs.n > 0) from[i] += count_before(p, g, g->parts.at[i].input);
    }
    g->plan.nparts = (int)n;
    g->plan.parts = parts;
    g->plan.from = from;
    g->plan.nsources = (int)g->sources.n;
    g->plan.sources = LISTED(g->sources);
    g->plan.ninputs = (int)g->inputs.n;
    g->plan.inputs = LISTED(g->inputs);
    return p->y.failed ? wadi_planning_no_memory(p) : WADI_OK;
}

static wadi_status finish_stages(wadi_planning *p, wadi_plan_stream *out) {
    const size_t n = p->stream.stages.n;
    wadi_plan_stage *stages = WADI_NEW_N(p->plan->arena, wadi_plan_stage, n + 1);
    if (!stages) return wadi_planning_no_memory(p);
    for (size_t i = 0; i < n; i++) {
        wadi_planned_stage *g = &p->stream.stages.at[i];
        set_known(p, g, true);
        const wadi_status st = stage_body(p, g);
        set_known(p, g, false);
        WADI_TRY(st);
        WADI_TRY(stage_lists(p, g));
        stages[i] = g->plan;
    }
    out->nstages = (int)n;
    out->stages = stages;
    out->nends = (int)p->stream.ends.n;
    out->ends = LISTED(p->stream.ends);
    return p->y.failed ? wadi_planning_no_memory(p) : WADI_OK;
}

/* ---- the stream ---- */

/* Counts who reads the sequences that `seq` is made of. */
static void count_readers(wadi_planning *p, wadi_val seq) {
    const wadi_bind *b = p->m->values[seq].bind;
    if (p->stream.readers[p->stream.first[seq]]++ > 0) return;
    for (int a = 0; a < b->nargs; a++)
        if (p->m->values[b->args[a]].type.is_seq) count_readers(p, b->args[a]);
}

static wadi_status begin(wadi_planning *p, int n, const wadi_bind *const *consumers) {
    const uint32_t values = p->m->nvalues;
    memset(p->stream.readers, 0, values * sizeof *p->stream.readers);
    for (uint32_t v = 0; v < values; v++) {
        p->y.components[v] = NULL;
        p->stream.stage_of[v] = -1;
        p->stream.part_of[v] = NULL;
    }
    for (int i = 0; i < n; i++) count_readers(p, consumers[i]->args[0]);
    return WADI_OK;
}

static void end(wadi_planning *p) {
    for (size_t i = 0; i < p->stream.stages.n; i++) {
        wadi_planned_stage *g = &p->stream.stages.at[i];
        wadi_vec_free(&g->sources);
        wadi_vec_free(&g->inputs);
        wadi_vec_free(&g->parts);
        wadi_vec_free(&g->params);
        wadi_vec_free(&g->binds);
        wadi_vec_free(&g->results);
    }
    wadi_vec_clear(&p->stream.stages);
    wadi_vec_clear(&p->stream.ends);
}

static wadi_status plan_all(wadi_planning *p, int n, const wadi_bind *const *consumers) {
    wadi_plan_phase phase = {.is_stream = true, .body = -1};
    WADI_TRY(begin(p, n, consumers));
    for (int i = 0; i < n; i++) WADI_TRY(wadi_planning_end(p, consumers[i]));
    WADI_TRY(finish_stages(p, &phase.stream));
    for (int i = 0; i < n; i++)
        for (int k = 0; k < consumers[i]->nresults; k++) p->known[consumers[i]->results[k]] = true;
    return wadi_vec_push(&p->phases, phase) ? WADI_OK : wadi_planning_no_memory(p);
}

wadi_status wadi_planning_stream_phase(wadi_planning *p, int n, const wadi_bind *const *consumers) {
    const wadi_status st = plan_all(p, n, consumers);
    end(p);
    return st;
}
