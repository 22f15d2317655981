/* The seams of a stream: where it can be parted.
 *
 * What is behind a seam is a stage with all stages and ends that depend on it, or a fold at an end alone. It gets elements by one way
 * only: no stage behind the seam zips elements from before it. So all that passes between the two parts is one sequence of
 * chunks. */
#include "sched/run/stream.h"

bool wadi_seam_has_stage(const wadi_plan_stream *plan, const wadi_seam *seam, int stage) {
    if (seam->stage < 0 || stage < seam->stage) return false;
    while (stage > seam->stage && plan->stages[stage].ninputs > 0)
        stage =
            plan->stages[stage].inputs[0]; /* the others are behind it as well, or it is no seam */
    return stage == seam->stage;
}

bool wadi_seam_has_end(const wadi_plan_stream *plan, const wadi_seam *seam, int end) {
    return seam->stage < 0 ? end == seam->end
                           : wadi_seam_has_stage(plan, seam, plan->ends[end].stage);
}

/* Whether every stage gets all its elements from one side. */
static bool is_seam(const wadi_plan_stream *plan, const wadi_seam *seam) {
    if (plan->stages[seam->stage].ninputs != 1) return false;
    for (int i = seam->stage + 1; i < plan->nstages; i++) {
        const wadi_plan_stage *p = &plan->stages[i];
        for (int k = 1; k < p->ninputs; k++)
            if (wadi_seam_has_stage(plan, seam, p->inputs[k]) !=
                wadi_seam_has_stage(plan, seam, p->inputs[0]))
                return false;
    }
    return true;
}

int wadi_seam_list(const wadi_plan_stream *plan, wadi_seam *out) {
    int n = 0;
    for (int i = 0; i < plan->nstages; i++) {
        const wadi_seam seam = {.stage = i, .end = -1};
        if (plan->stages[i].change != WADI_CHANGE_READ && is_seam(plan, &seam)) out[n++] = seam;
    }
    for (int i = 0; i < plan->nends; i++)
        if (wadi_plan_end_fold(&plan->ends[i]) != NULL)
            out[n++] = (wadi_seam){.stage = -1, .end = i};
    return n;
}
