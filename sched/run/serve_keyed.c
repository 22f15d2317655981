/* Items of a keyed stretch: as at home, over a table that has just their keys. */
#include "sched/run/serve_keyed.h"

#include "base/error.h"
#include "sched/run/keyed.h"
#include "sched/run/scanned.h"

bool wadi_serve_has_states(const wadi_stream *s, int stage) {
    const wadi_plan_fold *f = &s->plan->stages[stage].scan;
    const wadi_slots *all = &s->x->slots;
    for (int i = 0; i < f->nstate; i++) {
        if (wadi_slots_is_empty(all, f->init[i])) return false;
        const wadi_slot *is = &all->slot[f->init[i]];
        const int64_t values = wadi_shape_values(all->plan->slots[f->init[i]].rank, is->shape);
        if (values > 0 && is->col[0] == NULL) return false;
    }
    return true;
}

/* The table, with the states. */
static wadi_status load(wadi_stream *s, const wadi_plan_stage *p, wadi_crew *crew, wadi_chunk *in,
                        const wadi_chunk *states, wadi_states **out, wadi_error *err) {
    const int key = wadi_plan_stage_key(s->plan, p);
    const int64_t *number = NULL;
    WADI_TRY(wadi_states_create(crew, &p->scan, &s->x->plan->slots[key],
                                &s->x->plan->places[p->place], s->x->options.memory, out, err));
    WADI_TRY(wadi_states_number(*out, crew, in, &number, err));
    if (in->count == 0 || !wadi_states_are(*out, wadi_states_keys(*out), states))
        return wadi_fail(err, WADI_IO, "item: states of other keys");
    return wadi_states_set_rows(*out, NULL, states, err);
}

/* What comes of the states after each element. */
static wadi_status pass(wadi_stream *s, int stage, wadi_crew *crew, wadi_chunk *states,
                        wadi_chunk **out, wadi_error *err) {
    const wadi_plan_stage *p = &s->plan->stages[stage];
    wadi_chunk *parts = NULL;
    wadi_outcome o = {.out = NULL};
    WADI_TRY(wadi_chunk_select(states, p->nparts, p->from, &parts, err));
    const wadi_status status = wadi_body_run(s, stage, crew, parts, -1, &o, err);
    *out = o.out;
    wadi_chunk_release(parts);
    return status;
}

static wadi_status compute(wadi_stream *s, int stage, wadi_crew *crew, wadi_chunk *in,
                           wadi_states *k, wadi_builder *b, wadi_chunk **out, wadi_error *err) {
    const wadi_plan_stage *p = &s->plan->stages[stage];
    const bool last = wadi_change_about(p->change)->last;
    wadi_chunk *states = NULL;
    int64_t done = 0;
    WADI_TRY(wadi_fold_elements(crew, &p->scan, in, k, last ? NULL : b, &done, err));
    if (last) return WADI_OK;
    WADI_TRY(wadi_scanned_take(crew, &p->scan, b, in->first, done, &states, err));
    const wadi_status status = pass(s, stage, crew, states, out, err);
    wadi_chunk_release(states);
    return status;
}

wadi_status wadi_serve_keyed(wadi_stream *s, int stage, wadi_crew *crew, wadi_chunk *in,
                             const wadi_chunk *states, wadi_chunk **out, wadi_chunk **after,
                             wadi_error *err) {
    const wadi_plan_stage *p = &s->plan->stages[stage];
    wadi_states *k = NULL;
    wadi_builder b = {.count = 0};
    wadi_status status = load(s, p, crew, in, states, &k, err);
    if (status == WADI_OK) status = wadi_scanned_begin(s->x, &p->scan, &b, err);
    if (status == WADI_OK) status = compute(s, stage, crew, in, k, &b, out, err);
    if (status == WADI_OK)
        status = wadi_states_rows(k, s->x->buffers, NULL, wadi_states_keys(k), after, err);
    wadi_builder_fini(&b);
    wadi_states_destroy(k);
    return status;
}
