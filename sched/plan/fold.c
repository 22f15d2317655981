/* Which stages and ends of a plan have a fold. */
#include "sched/change/change.h"
#include "sched/plan.h"

int wadi_plan_fold_slots(wadi_end_kind kind) {
    static const int slots[] = {
#define WADI_END(KIND, name, slots) slots,
#include "sched/ends.def"
#undef WADI_END
    };
    return (size_t)kind < sizeof slots / sizeof *slots ? slots[kind] : 0;
}

const wadi_plan_fold *wadi_plan_stage_fold(const wadi_plan_stage *g) {
    return wadi_change_about(g->change)->folds ? &g->scan : NULL;
}

int wadi_plan_stage_key(const wadi_plan_stream *s, const wadi_plan_stage *g) {
    return s->stages[g->inputs[0]].results[g->test];
}

const wadi_plan_fold *wadi_plan_end_fold(const wadi_plan_end *e) {
    return wadi_plan_fold_slots(e->kind) > 0 ? &e->fold : NULL;
}

bool wadi_plan_stream_keeps(const wadi_plan_stream *plan, int slot) {
    bool found = false;
    for (int i = 0; i < plan->nstages + plan->nends; i++) {
        const wadi_plan_fold *fold = i < plan->nstages
                                         ? wadi_plan_stage_fold(&plan->stages[i])
                                         : wadi_plan_end_fold(&plan->ends[i - plan->nstages]);
        for (int k = 0; fold != NULL && k < fold->nstate; k++)
            found = found || fold->state_in[k] == slot;
    }
    return found;
}
