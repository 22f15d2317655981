/* What all files here need of a plan under construction: slots, names of values, declared extents. */
#include "codegen/plan/planning.h"

#include "base/error.h"

wadi_status wadi_planning_no_memory(const wadi_planning *p) {
    return wadi_fail(p->y.err, WADI_MEMORY, "out of memory while planning '%s'", p->m->name);
}

/* ---- slots ---- */

static int add_slot(wadi_planning *p, wadi_plan_slot slot) {
    if (!wadi_vec_push(&p->y.slots, slot)) p->y.failed = true;
    return p->y.failed ? 0 : (int)p->y.slots.n - 1;
}

int wadi_planning_typed_slot(wadi_planning *p, const char *name, wadi_slot_kind kind,
                             const wadi_array_type *t) {
    wadi_plan_slot slot = {.name = name, .kind = kind, .rank = t->rank, .fields = t->elem.fields};
    for (int f = 0; f < t->elem.fields; f++) {
        slot.type[f] = t->elem.type[f];
        slot.field[f] = t->elem.name[f];
    }
    return add_slot(p, slot);
}

int wadi_planning_once(wadi_planning *p, wadi_val v) {
    const wadi_value *value = &p->m->values[v];
    if (p->y.slot_of[v] >= 0) return p->y.slot_of[v];
    if (value->def == WADI_DEF_CONST) return wadi_layout_constant(&p->y, v);
    const int slot =
        wadi_planning_typed_slot(p, value->name, WADI_SLOT_ONCE, &value->type.array[0]);
    if (p->y.failed) return 0;
    p->y.slot_of[v] = slot;
    return slot;
}

/* ---- values ---- */

wadi_val wadi_planning_resolved(const wadi_planning *p, wadi_val v) {
    return wadi_layout_resolved(&p->y, v);
}

bool wadi_planning_is_once(const wadi_planning *p, wadi_val v) {
    if (p->m->values[v].def == WADI_DEF_CONST) return true;
    const int slot = p->y.slot_of[v];
    return p->known[v] && slot >= 0 && slot < (int)p->y.slots.n &&
           p->y.slots.at[slot].kind == WADI_SLOT_ONCE;
}

/* ---- lists and extents ---- */

int *wadi_planning_list(wadi_planning *p, int n) {
    return WADI_NEW_N(p->plan->arena, int, (size_t)n + 1);
}

void wadi_planning_extents(wadi_planning *p, const wadi_array_type *t, wadi_plan_extent *out) {
    for (int d = 0; d < WADI_MAX_RANK; d++) out[d] = (wadi_plan_extent){.value = -1};
    for (int d = 0; t->extent && d < t->rank; d++) {
        if (t->extent[d].kind == WADI_EXTENT_CONST) out[d].value = t->extent[d].value;
        if (t->extent[d].kind != WADI_EXTENT_NAMED) continue;
        out[d].name = wadi_arena_strdup(p->plan->arena, t->extent[d].name);
        if (!out[d].name) p->y.failed = true;
    }
}
