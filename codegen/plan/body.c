/* Bodies: bindings that are computed together, for the elements of a chunk or once, and the schedules they may have. */
#include "base/error.h"
#include "codegen/plan/planning.h"
#include "codegen/schedules.h"

static bool all_rank0(const wadi_planning *p, const wadi_body *body) {
    for (int i = 0; i < body->nbinds; i++)
        for (int r = 0; r < body->binds[i]->nresults; r++)
            if (p->m->values[body->binds[i]->results[r]].type.array[0].rank > 0) return false;
    for (int i = 0; i < body->nresults; i++)
        if (p->m->values[body->results[i]].type.array[0].rank > 0) return false;
    return true;
}

static bool may_call(const wadi_bind *b) {
    bool calls = b->op->routine;
    for (int k = 0; k < b->nblocks; k++) calls = calls || wadi_planning_calls(b->blocks[k]);
    return calls;
}

bool wadi_planning_calls(const wadi_block *r) {
    for (int i = 0; i < r->nbinds; i++)
        if (may_call(r->binds[i])) return true;
    return false;
}

/* Whether the body consists of routines over whole chunks and little else. */
static bool is_lifted(const wadi_planning *p, const wadi_body *body) {
    bool found = false;
    for (int i = 0; i < body->nbinds; i++) {
        const wadi_bind *b = body->binds[i];
        if (b->op->by_chunk) return true;
        if (b->op->routine)
            found = true;
        else if (b->nresults > 0 && wadi_is_stored(&p->y, b->results[0]) &&
                 p->m->values[b->results[0]].type.array[0].rank > 0)
            return false;
    }
    return found;
}

wadi_status wadi_planning_body(wadi_planning *p, const wadi_body *body, int index_slot,
                               int nresults, const int *results, bool inside_only,
                               int *out_number) {
    wadi_plan_body b = {
        .name = body->name, .index_slot = index_slot, .nresults = nresults, .results = results};
    b.rank0 = body->stream && !inside_only && all_rank0(p, body);
    const wadi_body_traits traits = {.in_order = inside_only, .scalars = b.rank0};
    for (int k = 0; k < WADI_SCHEDULE_COUNT; k++) b.offers[k] = wadi_lowerings[k]->offers(&traits);
    b.lifted = body->stream && !inside_only && is_lifted(p, body);
    for (int i = 0; i < body->nbinds; i++)
        if (may_call(body->binds[i])) b.routines = true;
    if (body->stream) WADI_TRY(wadi_planning_reads(p, body, &b));
    WADI_TRY(wadi_versions_add(p->versions, &p->y, body, p->known));
    *out_number = (int)p->bodies.n;
    return wadi_vec_push(&p->bodies, b) ? WADI_OK : wadi_planning_no_memory(p);
}
