/* ALLOC steps: columns from shapes. */
#include "base/error.h"
#include "sched/steps/steps.h"

/* The chunk's element that element `e` of a level is. */
static int64_t element(const wadi_steps *s, int level, int64_t e) {
    return wadi_steps_number(s, level, 0, e);
}

static void negative_extent(wadi_steps *s, int place, int64_t element, int rank,
                            const int64_t *shape) {
    wadi_fault fault = {
        .kind = WADI_FAULT_EXTENT, .place = place, .element = element, .linear = -1};
    for (int i = rank - 1; i >= 0; i--) {
        if (shape[i] >= 0) continue;
        fault.value[0] = shape[i];
        fault.value[1] = i;
    }
    if (fault.value[0] == 0) { /* not negative: too large to count */
        fault.kind = WADI_FAULT_MEMORY;
        fault.value[0] = INT64_MAX;
    }
    wadi_steps_note_fault(s, &fault);
}

/* Values in all columns of the slot, from its shapes; -1: a fault. */
static int64_t measure(wadi_steps *s, int slot, int level, int place) {
    const int64_t count = wadi_steps_count(s, level);
    const wadi_plan_slot *p = wadi_slots_plan(s->slots, slot);
    wadi_slot *to = &s->slots->slot[slot];
    const bool irregular = p->kind == WADI_SLOT_IRREGULAR;
    int64_t total = 0;
    if (irregular) to->offset[0] = 0;
    for (int64_t e = 0; e < (irregular ? count : 1); e++) {
        const int64_t *shape = to->shape + e * p->rank;
        const int64_t values = wadi_shape_values(p->rank, shape);
        if (values < 0 || values > INT64_MAX / 16 - total) {
            negative_extent(s, place, element(s, level, e), p->rank, shape);
            return -1;
        }
        total += values;
        if (irregular) to->offset[e + 1] = total;
    }
    if (p->kind != WADI_SLOT_REGULAR) return total;
    to->stride = total;
    if (total > INT64_MAX / 16 / count) {
        negative_extent(s, place, element(s, level, 0), 0, NULL);
        return -1;
    }
    return total * count;
}

/* If memory is short, chunks are made smaller. If even that is not enough, the error names the operator and the place. */
static void no_room(wadi_steps *s, const wadi_plan_step *step, int slot, int64_t values) {
    const wadi_plan_slot *p = wadi_slots_plan(s->slots, slot);
    const wadi_fault fault = {.kind = WADI_FAULT_MEMORY,
                              .place = step->place,
                              .element = element(s, step->level, 0),
                              .linear = -1,
                              .value = {values * wadi_plan_slot_width(p)}};
    wadi_steps_note_fault(s, &fault);
}

wadi_status wadi_step_alloc(wadi_steps *s, const wadi_plan_step *step, wadi_error *err) {
    for (int i = 0; i < step->nslots; i++) {
        const int slot = step->slots[i];
        if (wadi_slots_plan(s->slots, slot)->kind == WADI_SLOT_IRREGULAR &&
            !wadi_slots_room_for_offsets(s->slots, slot, wadi_steps_count(s, step->level)))
            return wadi_steps_no_memory(err);
        const int64_t values = measure(s, slot, step->level, step->place);
        if (values < 0) return WADI_OK;
        if (wadi_slots_room_for_columns(s->slots, slot, values)) continue;
        no_room(s, step, slot, values);
        return WADI_OK;
    }
    return WADI_OK;
}
