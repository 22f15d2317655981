/* A stage under construction: the components of its sequences, which of them other stages need, and which parameters of regions
 * its body reads. */
#include "codegen/plan/stage.h"

#include "base/error.h"

wadi_planned_stage *wadi_planning_stage_at(wadi_planning *p, int number) {
    return &p->stream.stages.at[number];
}

int wadi_planning_width(const wadi_planning *p, wadi_val seq) {
    return p->m->values[seq].type.arrays;
}

wadi_status wadi_planning_components(wadi_planning *p, wadi_val seq, int stage) {
    const size_t n = (size_t)wadi_planning_width(p, seq);
    wadi_val *c = WADI_NEW_N(p->y.arena, wadi_val, n + 1);
    int *part = WADI_NEW_N(p->y.arena, int, n + 1);
    if (!c || !part) return wadi_planning_no_memory(p);
    for (size_t i = 0; i < n; i++) {
        c[i] = WADI_NONE;
        part[i] = -1;
    }
    p->y.components[seq] = c;
    p->stream.part_of[seq] = part;
    p->stream.stage_of[seq] = stage;
    return WADI_OK;
}

int wadi_planning_new_stage(wadi_planning *p, wadi_change_kind change, const wadi_bind *b) {
    wadi_planned_stage g = {
        .plan = {.change = change, .first = -1, .size = -1, .hop = -1, .test = -1, .body = -1},
        .index_slot = -1};
    g.plan.place = wadi_layout_place(&p->y, b->op->name, "", b->loc);
    if (!wadi_vec_push(&p->stream.stages, g)) return -1;
    return (int)p->stream.stages.n - 1;
}

/* ---- what a stage gives ---- */

static int want(wadi_planning *p, int stage, wadi_planned_result r) {
    wadi_planned_stage *g = wadi_planning_stage_at(p, stage);
    for (size_t i = 0; i < g->results.n; i++)
        if (g->results.at[i].v == r.v && g->results.at[i].slot == r.slot) return (int)i;
    if (!wadi_vec_push(&g->results, r)) p->y.failed = true;
    return (int)g->results.n - 1;
}

int wadi_planning_want_value(wadi_planning *p, int stage, wadi_val v) {
    return want(p, stage, (wadi_planned_result){wadi_planning_resolved(p, v), -1});
}

int wadi_planning_want(wadi_planning *p, wadi_val seq, int c) {
    const int stage = p->stream.stage_of[seq];
    const wadi_val v = p->y.components[seq][c];
    if (v != WADI_NONE) return wadi_planning_want_value(p, stage, v);
    return want(p, stage, (wadi_planned_result){WADI_NONE, p->stream.part_of[seq][c]});
}

/* ---- parameters of regions ---- */

void wadi_planning_param_at(wadi_planning *p, wadi_val param, int slot) {
    if (p->y.failed) return; /* out of memory before: the slot may not exist */
    wadi_plan_slot *s = &p->y.slots.at[slot];
    if (s->kind == WADI_SLOT_IRREGULAR) s->kind = wadi_planning_kind(p, param);
    p->y.alias_of[param] = WADI_NONE;
    p->y.slot_of[param] = slot;
}

/* Makes the parameter component c of `seq`. */
static void set_param(wadi_planning *p, wadi_val param, wadi_val seq, int c) {
    wadi_val *component = &p->y.components[seq][c];
    p->y.alias_of[param] = WADI_NONE;
    if (*component == param) return;
    if (*component != WADI_NONE) {
        p->y.alias_of[param] = *component;
        return;
    }
    *component = param;
    wadi_planning_param_at(p, param, p->stream.part_of[seq][c]);
    if (!wadi_vec_push(&wadi_planning_stage_at(p, p->stream.stage_of[seq])->params, param))
        p->y.failed = true;
}

void wadi_planning_params(wadi_planning *p, const wadi_bind *b, int arg, int first) {
    const wadi_val seq = b->args[arg];
    for (int c = 0; c < wadi_planning_width(p, seq); c++)
        set_param(p, b->blocks[0]->params[first + c], seq, c);
}
