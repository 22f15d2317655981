/* Schedule flat of a body: the steps of its bindings in order. Which result gets which steps, its skeleton says; siblings get a pass
 * together (siblings.c). */
#include <string.h>

#include "base/error.h"
#include "codegen/kernel/flat/flat.h"
#include "codegen/kernel/skeleton.h"

static wadi_status into_slot(wadi_flat *c, const wadi_bind *bind, int slot, const char *tag) {
    const wadi_skeleton_row *row = wadi_skeleton_of(c->y, bind);
    return (row->into_slot ? row->into_slot : wadi_flat_pieces)(c, bind, slot, tag);
}

static wadi_status flat_bind(wadi_flat *c, const wadi_bind *bind) {
    const wadi_skeleton_row *row = wadi_skeleton_in_body(c->y, bind);
    if (bind->nresults == 0) return WADI_OK;
    if (row->steps) return row->steps(c, bind);
    if (wadi_op_has(bind->op, WADI_TRAIT_NO_KERNEL)) return WADI_OK;
    const wadi_val v = bind->results[0];
    if (c->known[v] && c->y->slot_of[v] >= 0) return WADI_OK;
    if (row->blocks && c->parts[v] < 0) WADI_TRY(row->blocks(c, bind));
    if (!wadi_is_stored(c->y, v)) return WADI_OK;
    WADI_TRY(into_slot(c, bind, c->y->slot_of[v], NULL));
    c->known[v] = true;
    return WADI_OK;
}

wadi_status wadi_flat_binds(wadi_flat *c, int n, const wadi_bind *const *binds) {
    for (int i = 0; i < n; i++) {
        WADI_TRY(wadi_flat_siblings(c, n - i, binds + i));
        WADI_TRY(wadi_flat_strips(c, n - i, binds + i));
        WADI_TRY(flat_bind(c, binds[i]));
    }
    return WADI_OK;
}

wadi_status wadi_flat_compute(wadi_flat *c, const wadi_bind *bind, int slot) {
    const char *tag = wadi_arena_printf(c->y->arena, "into%d", slot);
    return tag ? into_slot(c, bind, slot, tag) : wadi_flat_no_memory(c);
}

wadi_status wadi_flat_store(wadi_flat *c, const wadi_bind *bind) {
    const wadi_val v = bind->results[0];
    const wadi_array_type *t = &c->y->m->values[v].type.array[0];
    const wadi_slot_kind kind = c->body->stream ? WADI_SLOT_IRREGULAR : WADI_SLOT_ONCE;
    WADI_TRY(wadi_flat_slot(c, c->y->m->values[v].name, kind, t, &c->y->slot_of[v]));
    WADI_TRY(into_slot(c, bind, c->y->slot_of[v], NULL));
    c->known[v] = true;
    return WADI_OK;
}

static wadi_status take_steps(wadi_flat *c, wadi_plan_version *v) {
    wadi_plan_step *steps = WADI_NEW_N(c->y->keep, wadi_plan_step, c->steps.n + 1);
    if (!steps) return wadi_flat_no_memory(c);
    if (c->steps.n > 0) memcpy(steps, c->steps.at, c->steps.n * sizeof *steps);
    *v = (wadi_plan_version){.nsteps = (int)c->steps.n, .steps = steps};
    return WADI_OK;
}

wadi_status wadi_lower_flat(wadi_layout *y, const wadi_body *body, const bool *known,
                            wadi_lmodule *out, wadi_plan_version *out_version) {
    const uint32_t n = y->m->nvalues;
    wadi_flat c = {.y = y, .body = body, .out = out};
    c.known = WADI_NEW_N(y->arena, bool, n);
    c.parts = WADI_NEW_N(y->arena, int, n);
    if (!c.known || !c.parts) return wadi_flat_no_memory(&c);
    memcpy(c.known, known, n * sizeof *c.known);
    for (uint32_t v = 0; v < n; v++) c.parts[v] = -1;
    wadi_status st = wadi_flat_binds(&c, body->nbinds, body->binds);
    if (!st) st = take_steps(&c, out_version);
    wadi_vec_free(&c.steps);
    return st;
}
