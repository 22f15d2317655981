/* Slots with the state of a fold: their layout, and an array of their own for them. */
#include <string.h>

#include "base/error.h"
#include "sched/run/state.h"

/* The state's slots have the layout of their kind over a chunk of one element. */
bool wadi_fold_lay_out(wadi_slots *s, int slot) {
    const wadi_plan_slot *p = &s->plan->slots[slot];
    wadi_slot *state = &s->slot[slot];
    const int64_t values = wadi_shape_values(p->rank, state->shape);
    state->stride = p->kind == WADI_SLOT_REGULAR ? values : 0;
    if (p->kind != WADI_SLOT_IRREGULAR) return true;
    if (!wadi_slots_room_for_offsets(s, slot, 1)) return false;
    state->offset[0] = 0;
    state->offset[1] = values;
    return true;
}

wadi_status wadi_fold_fill(wadi_slots *s, int slot, const wadi_chunk_component *from,
                           wadi_error *err) {
    wadi_slots_clear(s, slot);
    if (!wadi_slots_room_for_shapes(s, slot, 1)) return wadi_fold_no_memory(err);
    for (int d = 0; d < from->rank; d++) s->slot[slot].shape[d] = from->shape[d];
    if (!wadi_slots_room_for_columns(s, slot, from->values)) return wadi_fold_no_memory(err);
    for (int f = 0; f < from->fields; f++)
        wadi_residence_put_column(s->residence, s->slot[slot].col[f], from->column[f],
                                  from->values * wadi_type_size(from->type[f]));
    return WADI_OK;
}

wadi_status wadi_fold_no_memory(wadi_error *err) {
    return wadi_fail(err, WADI_MEMORY, "a fold's state: out of memory");
}
