/* The rules that a run follows (sched/run: bindings, stages, ends), one after the other. */
#include "sched/copies.h"

#include "base/error.h"
#include "sched/change/change.h"

typedef struct listing {
    const wadi_plan *plan;
    const wadi_plan_stream *stream;
    wadi_copies *out;
    int phase;
    bool failed;
} listing;

static void add(listing *l, wadi_copy_why why, int slot, int stage, int end) {
    const wadi_column_copy c = {
        .why = why, .slot = slot, .phase = l->phase, .stage = stage, .end = end};
    l->failed = l->failed || !wadi_vec_push(l->out, c);
}

/* ---- what a stage gives ---- */

/* Whether component i of the stage's results is on the device: what passes through is where the stage found it, on the host. */
static bool is_there(const wadi_plan_stage *g, int i) {
    for (int k = 0; k < g->nparts; k++)
        if (g->parts[k] == g->results[i]) return false;
    return true;
}

/* To the host, unless somebody has had it copied before. */
static void bring(listing *l, wadi_copy_why why, int stage, int i, int end) {
    const wadi_plan_stage *g = &l->stream->stages[stage];
    if (!is_there(g, i)) return;
    for (size_t k = 0; k < l->out->n; k++) {
        const wadi_column_copy *c = &l->out->at[k];
        const bool home = c->why == WADI_COPY_CHANGED || c->why == WADI_COPY_ENDED;
        if (home && c->phase == l->phase && c->stage == stage && c->slot == g->results[i]) return;
    }
    add(l, why, g->results[i], stage, end);
}

/* ---- stages ---- */

static void list_sources(listing *l, int stage) {
    const wadi_plan_stage *g = &l->stream->stages[stage];
    for (int i = 0; i < g->nsources; i++)
        for (int k = 0; !g->sources[i].counter && k < g->sources[i].nslots; k++)
            add(l, WADI_COPY_READ, g->sources[i].slots[k], stage, -1);
}

/* Component i of a stage's inputs, numbered over all of them, and the stage that it is of. */
static int input_of(const listing *l, const wadi_plan_stage *g, int *i) {
    int k = 0;
    while (k + 1 < g->ninputs && *i >= l->stream->stages[g->inputs[k]].nresults)
        *i -= l->stream->stages[g->inputs[k++]].nresults;
    return g->inputs[k];
}

static void list_change(listing *l, int stage) {
    const wadi_plan_stage *g = &l->stream->stages[stage];
    const wadi_plan_fold *scan = wadi_plan_stage_fold(g);
    const int n = scan != NULL ? scan->nparts : g->nparts;
    const int *from = scan != NULL ? scan->from : g->from;
    for (int i = 0; i < n; i++) {
        int component = from[i];
        const int input = input_of(l, g, &component);
        bring(l, WADI_COPY_CHANGED, input, component, -1);
    }
    if (wadi_change_about(g->change)->tests) bring(l, WADI_COPY_CHANGED, g->inputs[0], g->test, -1);
    for (int i = 0; scan != NULL && i < scan->nparts; i++)
        add(l, WADI_COPY_READ, scan->parts[i], stage, -1);
    for (int i = 0; scan != NULL && i < scan->nstate; i++)
        add(l, WADI_COPY_STATE, scan->state_in[i], stage, -1);
    for (int i = 0; g->body >= 0 && i < g->nparts; i++)
        add(l, WADI_COPY_READ, g->parts[i], stage, -1);
}

/* ---- ends ---- */

static void list_fold(listing *l, int end) {
    const wadi_plan_end *e = &l->stream->ends[end];
    const int each = wadi_plan_fold_slots(e->kind);
    for (int i = 0; i < e->fold.nparts; i++) {
        const bool there = is_there(&l->stream->stages[e->stage], e->fold.from[i]);
        if (each == 2) add(l, WADI_COPY_FOLDED, e->fold.parts[2 * i], e->stage, end);
        if (!there) add(l, WADI_COPY_FOLDED, e->fold.parts[each * i + each - 1], e->stage, end);
    }
}

static void list_end(listing *l, int end) {
    const wadi_plan_end *e = &l->stream->ends[end];
    if (wadi_plan_end_fold(e) != NULL) {
        list_fold(l, end);
        return;
    }
    for (int i = 0; i < e->nfrom; i++) bring(l, WADI_COPY_ENDED, e->stage, e->from[i], end);
    for (int i = 0; i < e->ninto; i++) add(l, WADI_COPY_STORED, e->into[i], e->stage, end);
}

/* ---- the run ---- */

static void list_stream(listing *l) {
    for (int i = 0; i < l->stream->nstages; i++) {
        if (wadi_change_about(l->stream->stages[i].change)->reads)
            list_sources(l, i);
        else
            list_change(l, i);
    }
    for (int i = 0; i < l->stream->nends; i++) list_end(l, i);
}

wadi_status wadi_copies_list(const wadi_plan *p, wadi_copies *out, wadi_error *err) {
    listing l = {.plan = p, .out = out, .phase = -1};
    for (int i = 0; i < p->nslots; i++)
        if (p->slots[i].data != NULL) add(&l, WADI_COPY_GIVEN, i, -1, -1);
    for (int i = 0; i < p->ninputs; i++) add(&l, WADI_COPY_GIVEN, p->inputs[i].slot, -1, -1);
    for (l.phase = 0; l.phase < p->nphases; l.phase++) {
        l.stream = &p->phases[l.phase].stream;
        if (p->phases[l.phase].is_stream) list_stream(&l);
    }
    l.phase = -1;
    for (int i = 0; i < p->noutputs; i++) add(&l, WADI_COPY_RESULT, p->outputs[i].slot, -1, -1);
    if (l.failed) return wadi_fail(err, WADI_MEMORY, "copies: out of memory");
    return WADI_OK;
}
