/* The steps around a manual lifting: a chunk of elements becomes one array, and one array becomes a chunk. */
#include <string.h>

#include "base/error.h"
#include "sched/steps/steps.h"

static bool view(wadi_steps *s, int from, int to, int64_t count) {
    wadi_slots *slots = s->slots;
    wadi_slots_clear(slots, to);
    if (!wadi_slots_room_for_shapes(slots, to, 1)) return false;
    const wadi_plan_slot *p = wadi_slots_plan(slots, from);
    slots->slot[to].shape[0] = count;
    for (int i = 0; i < p->rank; i++) slots->slot[to].shape[i + 1] = slots->slot[from].shape[i];
    for (int f = 0; f < p->fields; f++) slots->slot[to].col[f] = slots->slot[from].col[f];
    return true;
}

/* Elements must be adjacent to be an array of one more dimension. If they share memory (all are one array, or windows overlap) or have gaps
 * between them, they are copied. */
static bool spread_out(wadi_steps *s, int from, int to, int64_t count, int64_t each) {
    wadi_slots *slots = s->slots;
    wadi_slot side = slots->slot[from]; /* as `from`, without the gaps */
    if (!wadi_slots_room_for_columns(slots, to, each * count)) return false;
    side.stride = each;
    memcpy(side.col, slots->slot[to].col, sizeof side.col);
    const wadi_device_source source = {WADI_SLOT_REGULAR, slots->slot[from]};
    const wadi_device_gather g = {.p = wadi_slots_plan(slots, from),
                                  .to = &side,
                                  .n = count,
                                  .total = each * count,
                                  .source = &source};
    s->device->ops->gather(s->device, &g);
    return true;
}

wadi_status wadi_step_many(wadi_steps *s, const wadi_plan_step *step, wadi_error *err) {
    wadi_slots *slots = s->slots;
    const int64_t count = wadi_steps_count(s, s->v->levels[step->level - 1].parent);
    if (!wadi_steps_enter_whole(s, step->level, 1)) return wadi_steps_no_memory(err);
    for (int i = 0; i < step->nslots; i++) {
        const int from = step->reads[i], to = step->slots[i];
        if (!view(s, from, to, count)) return wadi_steps_no_memory(err);
        const wadi_plan_slot *p = wadi_slots_plan(slots, from);
        const int64_t each = wadi_shape_values(p->rank, slots->slot[from].shape),
                      stride = slots->slot[from].stride;
        const bool dense = p->rank == 0 || stride == each || count <= 1;
        if (!dense && !spread_out(s, from, to, count, each)) return wadi_steps_no_memory(err);
    }
    return WADI_OK;
}

static bool fits(const wadi_steps *s, int from, int to, int64_t count, wadi_fault *fault) {
    const wadi_slots *slots = s->slots;
    const int64_t *have = slots->slot[from].shape, *want = slots->slot[to].shape;
    for (int i = 0; i <= wadi_slots_plan(slots, to)->rank; i++) {
        const int64_t expected = i == 0 ? count : want[i - 1];
        if (have[i] == expected) continue;
        fault->value[0] = have[i];
        fault->value[1] = expected;
        return false;
    }
    return true;
}

/* The memory moves if the array is the region's own; one that it only handed on is copied. */
static bool take(wadi_steps *s, int from, int to) {
    wadi_slots *slots = s->slots;
    const wadi_plan_slot *p = wadi_slots_plan(slots, from);
    const int64_t values = wadi_shape_values(p->rank, slots->slot[from].shape);
    slots->slot[to].stride = wadi_shape_values(p->rank - 1, slots->slot[to].shape);
    if (slots->memory[from].column[0] == NULL) {
        if (!wadi_slots_room_for_columns(slots, to, values)) return false;
        for (int f = 0; f < p->fields; f++)
            wadi_residence_copy(slots->residence, slots->slot[to].col[f], slots->slot[from].col[f],
                                values * wadi_type_size(p->type[f]));
        return true;
    }
    for (int f = 0; f < p->fields; f++) {
        slots->memory[to].column[f] = slots->memory[from].column[f];
        slots->memory[from].column[f] = NULL;
        slots->slot[to].col[f] = slots->slot[from].col[f];
    }
    return true;
}

wadi_status wadi_step_single(wadi_steps *s, const wadi_plan_step *step, wadi_error *err) {
    const int64_t count = wadi_steps_count(s, step->level);
    for (int i = 0; i < step->nslots; i++) {
        wadi_fault fault = {.kind = WADI_FAULT_SHAPE, .place = step->place, .linear = -1};
        if (!fits(s, step->reads[i], step->slots[i], count, &fault)) {
            wadi_steps_note_fault(s, &fault);
            return WADI_OK;
        }
        if (!take(s, step->reads[i], step->slots[i])) return wadi_steps_no_memory(err);
    }
    return WADI_OK;
}
