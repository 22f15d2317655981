/* Stages whose elements may come in any order. */
#include "sched/change/change.h"
#include "sched/plan.h"

static bool reads(const wadi_plan_stage *p, int stage) {
    for (int k = 0; k < p->ninputs; k++)
        if (p->inputs[k] == stage) return true;
    return false;
}

bool wadi_plan_stage_is_unordered(const wadi_plan_stream *s, int stage) {
    bool unordered = true;
    for (int i = 0; i < s->nends; i++)
        if (s->ends[i].stage == stage) unordered = unordered && s->ends[i].unordered;
    for (int i = stage + 1; i < s->nstages && unordered; i++)
        if (reads(&s->stages[i], stage))
            unordered =
                wadi_change_about(s->stages[i].change)->each && wadi_plan_stage_is_unordered(s, i);
    return unordered;
}

const wadi_plan_end *wadi_plan_unordered_end(const wadi_plan_stream *s) {
    for (int i = 0; i < s->nends; i++)
        if (s->ends[i].unordered) return &s->ends[i];
    return NULL;
}
