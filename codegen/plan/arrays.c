/* Phases of arrays: bindings of the main block outside all streams, host data of the program, and the run's inputs and outputs. */
#include <string.h>

#include "base/error.h"
#include "codegen/plan/phases.h"

static wadi_array *copy_array(wadi_planning *p, const wadi_array *from) {
    wadi_array *a = WADI_NEW(p->plan->arena, wadi_array);
    if (!a) return NULL;
    *a = *from;
    size_t n = 1;
    for (int d = 0; d < a->rank; d++) n *= (size_t)a->shape[d];
    for (int f = 0; f < a->fields; f++) {
        const size_t bytes = n * (size_t)wadi_type_size(a->type[f]);
        a->column[f] = wadi_arena_alloc(p->plan->arena, bytes ? bytes : 1);
        if (!a->column[f]) return NULL;
        if (bytes > 0) memcpy(a->column[f], from->column[f], bytes);
    }
    return a;
}

/* ---- array phases ---- */

/* An array in the memory of an earlier one has its slot. */
static wadi_status array_results(wadi_planning *p, wadi_body *body, int **out_slots) {
    int total = 0;
    for (size_t i = 0; i < p->pending.n; i++) total += p->pending.at[i]->nresults;
    wadi_val *values = WADI_NEW_N(p->y.arena, wadi_val, (size_t)total + 1);
    int *slots = WADI_NEW_N(p->plan->arena, int, (size_t)total + 1);
    if (!values || !slots) return wadi_planning_no_memory(p);
    for (size_t i = 0; i < p->pending.n; i++)
        for (int r = 0; r < p->pending.at[i]->nresults; r++) {
            const wadi_val v = p->pending.at[i]->results[r];
            if (!wadi_is_stored(&p->y, v)) continue;
            if (p->y.takes[v] != WADI_NONE) {
                p->y.slot_of[v] = p->y.slot_of[p->y.takes[v]];
                continue;
            }
            slots[body->nresults] = wadi_planning_once(p, v);
            values[body->nresults++] = v;
        }
    body->results = values;
    *out_slots = slots;
    return WADI_OK;
}

wadi_status wadi_planning_array_phase(wadi_planning *p) {
    if (p->pending.n == 0) return WADI_OK;
    wadi_body body = {.nbinds = (int)p->pending.n};
    int *slots = NULL;
    body.name = wadi_arena_printf(p->plan->arena, "arrays_%d", (int)p->bodies.n);
    body.binds = WADI_NEW_N(p->y.arena, const wadi_bind *, p->pending.n);
    if (!body.name || !body.binds) return wadi_planning_no_memory(p);
    memcpy(body.binds, p->pending.at, p->pending.n * sizeof *body.binds);
    wadi_planning_place_arrays(p);
    WADI_TRY(array_results(p, &body, &slots));
    wadi_vec_clear(&p->pending);
    if (body.nresults == 0) return WADI_OK;
    wadi_plan_phase phase = {.is_stream = false};
    WADI_TRY(wadi_planning_inner(p, &body, &body.unread));
    WADI_TRY(wadi_planning_body(p, &body, -1, body.nresults, slots, false, &phase.body));
    for (int i = 0; i < body.nresults; i++) p->known[body.results[i]] = true;
    for (int i = 0; i < body.nbinds; i++) {
        const wadi_bind *b = body.binds[i];
        if (b->nresults == 1 && p->y.takes[b->results[0]] != WADI_NONE)
            p->known[b->results[0]] = true;
    }
    p->bodies.at[phase.body].inner = body.unread;
    return wadi_vec_push(&p->phases, phase) ? WADI_OK : wadi_planning_no_memory(p);
}

/* ---- bindings of the main block ---- */

wadi_status wadi_planning_input(wadi_planning *p, const wadi_bind *b) {
    const wadi_val v = b->results[0];
    wadi_plan_input in = {.slot = wadi_planning_once(p, v)};
    in.name = wadi_arena_strdup(p->plan->arena, b->name);
    wadi_planning_extents(p, &p->m->values[v].type.array[0], in.extent);
    p->known[v] = true;
    return in.name && wadi_vec_push(&p->inputs, in) ? WADI_OK : wadi_planning_no_memory(p);
}

wadi_status wadi_planning_use(wadi_planning *p, const wadi_bind *b) {
    const int slot = wadi_planning_once(p, b->results[0]);
    wadi_array *data = copy_array(p, b->data);
    if (!data || p->y.failed) return wadi_planning_no_memory(p);
    p->y.slots.at[slot].data = data;
    p->known[b->results[0]] = true;
    return WADI_OK;
}
