/* Which elements of a stage still make a difference, and how many. */
#include "sched/run/stream.h"

static wadi_stage_run *stage_of(const wadi_stream *s, int stage) {
    return &s->stages[stage];
}

bool wadi_stage_takes_more(const wadi_stage_run *g) {
    return g->broken.status == WADI_OK && wadi_change_wants(g->change);
}

bool wadi_stage_takes(const wadi_stream *s, int stage) {
    return wadi_stage_takes_more(stage_of(s, stage)) && wadi_stage_wanted(s, stage);
}

bool wadi_stage_is_across(const wadi_stream *s, int stage, int reader) {
    return stage_of(s, stage)->crew != stage_of(s, reader)->crew;
}

bool wadi_stage_wants_of(const wadi_stream *s, int stage, int reader) {
    return wadi_stage_is_across(s, stage, reader) ? atomic_load(&s->apart.wanted)
                                                  : wadi_stage_takes(s, reader);
}

bool wadi_stage_wanted(const wadi_stream *s, int stage) {
    for (int i = 0; i < s->plan->nends; i++)
        if (s->plan->ends[i].stage == stage) return true;
    for (int i = stage + 1; i < s->plan->nstages; i++) {
        const wadi_stage_run *g = stage_of(s, i);
        for (int k = 0; k < g->plan->ninputs; k++)
            if (g->plan->inputs[k] == stage && wadi_stage_wants_of(s, stage, i)) return true;
    }
    return false;
}

int64_t wadi_stage_needs(const wadi_stream *s, int stage) {
    int64_t most = 0;
    for (int i = 0; i < s->plan->nends; i++)
        if (s->plan->ends[i].stage == stage) return INT64_MAX;
    for (int i = stage + 1; i < s->plan->nstages; i++) {
        const wadi_stage_run *g = stage_of(s, i);
        for (int k = 0; k < g->plan->ninputs; k++) {
            if (g->plan->inputs[k] != stage) continue;
            const int64_t n = wadi_change_needs(g->change, wadi_stage_needs(s, i));
            if (n > most) most = n;
        }
    }
    return most;
}

int64_t wadi_stage_ahead(const wadi_stream *s, int stage) {
    int64_t least = INT64_MAX;
    for (int i = 0; i < s->plan->nends; i++)
        if (s->plan->ends[i].stage == stage) return 0;
    for (int i = stage + 1; i < s->plan->nstages; i++) {
        const wadi_stage_run *g = stage_of(s, i);
        for (int k = 0; k < g->plan->ninputs; k++) {
            if (g->plan->inputs[k] != stage) continue;
            if (wadi_stage_is_across(s, stage, i)) {
                const int64_t there = atomic_load(&s->apart.ahead);
                if (atomic_load(&s->apart.wanted) && there < least) least = there;
                continue;
            }
            if (!wadi_stage_takes_more(g)) continue;
            const int64_t behind = wadi_stage_ahead(s, i);
            const int64_t here = wadi_change_waiting(g->change, k);
            const int64_t n = behind > INT64_MAX - here ? INT64_MAX : behind + here;
            if (n < least) least = n;
        }
    }
    return least;
}
