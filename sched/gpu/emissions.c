/* The blocks of slots that are expected, and making columns of pieces. */
#include "sched/gpu/emissions.h"

#include <stdlib.h>
#include <string.h>

#include "sched/gpu/memory.h"

static const int64_t word = (int64_t)sizeof(int64_t);

void wadi_gpu_emissions_fini(wadi_gpu_emissions *e) {
    free(e->of);
    *e = (wadi_gpu_emissions){0};
}

bool wadi_gpu_emissions_begin(wadi_gpu_emissions *e, const wadi_residence *residence,
                              wadi_slots *slots) {
    const int n = wadi_slots_count(slots);
    e->residence = residence;
    e->slots = slots;
    if (n <= e->room) return true;
    wadi_gpu_expected *of = realloc(e->of, (size_t)n * sizeof *of);
    if (of == NULL) return false;
    memset(of + e->room, 0, (size_t)(n - e->room) * sizeof *of);
    e->of = of;
    e->room = n;
    return true;
}

static bool is_irregular(const wadi_gpu_emissions *e, int slot) {
    return wadi_slots_plan(e->slots, slot)->kind == WADI_SLOT_IRREGULAR;
}

bool wadi_gpu_emissions_expect(wadi_gpu_emissions *e, int slot, int64_t count) {
    wadi_gpu_expected *m = &e->of[slot];
    if (m->expected) return true;
    const bool irregular = is_irregular(e, slot);
    if (!wadi_slots_room_for_shapes(e->slots, slot, count)) return false;
    if (irregular && !wadi_slots_room_for_offsets(e->slots, slot, count)) return false;
    m->pieces = count;
    m->count = irregular ? count : 1;
    m->shapes = m->count * wadi_slots_plan(e->slots, slot)->rank;
    m->block =
        wadi_buffers_get(e->residence->blocks, (m->pieces + m->count + 1 + m->shapes) * word);
    if (m->block == NULL) return false;
    m->expected = true;
    e->expected++;
    return true;
}

/* All has been emitted to it, or nobody wants it. */
static void forget(wadi_gpu_emissions *e, wadi_gpu_expected *m) {
    wadi_buffers_put(m->block);
    *m = (wadi_gpu_expected){0};
    e->expected--;
}

void wadi_gpu_emissions_reset(wadi_gpu_emissions *e) {
    for (int i = 0; e->expected > 0; i++) {
        if (!e->of[i].expected) continue;
        wadi_slots_clear(e->slots, i);
        forget(e, &e->of[i]);
    }
}

static int64_t *offsets(const wadi_gpu_expected *m) {
    return (int64_t *)wadi_buffers_address(m->block) + m->pieces;
}

static int64_t *shapes(const wadi_gpu_expected *m) {
    return offsets(m) + m->count + 1;
}

bool wadi_gpu_emissions_describe(const wadi_gpu_emissions *e, int slot, wadi_gpu_emission *row,
                                 wadi_gpu_slot *seen) {
    const wadi_gpu_expected *m = &e->of[slot];
    const wadi_plan_slot *p = wadi_slots_plan(e->slots, slot);
    *row = (wadi_gpu_emission){0};
    if (!m->expected) return false;
    row->piece = wadi_gpu_address(wadi_buffers_address(m->block));
    row->rank = p->rank;
    row->fields = p->fields;
    row->irregular = is_irregular(e, slot);
    row->expected = 1;
    for (int f = 0; f < p->fields; f++) row->size[f] = wadi_type_size(p->type[f]);
    seen->shape = wadi_gpu_address(shapes(m));
    seen->offset = row->irregular ? wadi_gpu_address(offsets(m)) : 0;
    return true;
}

/* ---- columns of pieces ---- */

/* Brings shapes and sizes to the host and makes offsets of the sizes, here and there; how many values there are in all. */
static int64_t count_up(const wadi_gpu_emissions *e, int slot) {
    const wadi_gpu_expected *m = &e->of[slot];
    const wadi_residence *r = e->residence;
    wadi_slot *to = &e->slots->slot[slot];
    wadi_residence_get(r, to->shape, shapes(m), m->shapes * word);
    if (!is_irregular(e, slot)) {
        const int64_t all[] = {0,
                               wadi_shape_values(wadi_slots_plan(e->slots, slot)->rank, to->shape)};
        wadi_residence_put(r, offsets(m), all, (int64_t)sizeof all);
        return all[1];
    }
    wadi_residence_get(r, to->offset + 1, offsets(m) + 1, m->count * word);
    to->offset[0] = 0;
    for (int64_t s = 0; s < m->count; s++) to->offset[s + 1] += to->offset[s];
    wadi_residence_put(r, offsets(m), to->offset, (m->count + 1) * word);
    return to->offset[m->count];
}

static bool compact(const wadi_gpu_emissions *e, int slot, wadi_gpu_primitives *p) {
    const wadi_gpu_expected *m = &e->of[slot];
    const wadi_plan_slot *plan = wadi_slots_plan(e->slots, slot);
    wadi_gpu_copying task = {.n = m->count,
                             .total = count_up(e, slot),
                             .each = -1,
                             .offset = wadi_gpu_address(offsets(m)),
                             .piece = wadi_gpu_address(wadi_buffers_address(m->block)),
                             .fields = plan->fields};
    if (!wadi_slots_room_for_columns(e->slots, slot, task.total)) return false;
    for (int f = 0; f < plan->fields; f++) {
        task.size[f] = wadi_type_size(plan->type[f]);
        task.to[f] = wadi_gpu_address(e->slots->slot[slot].col[f]);
    }
    wadi_gpu_copy_run(p, &task);
    return true;
}

bool wadi_gpu_emissions_finish(wadi_gpu_emissions *e, const int *slots, int n,
                               wadi_gpu_primitives *p) {
    for (int i = 0; i < n; i++) {
        wadi_gpu_expected *m = &e->of[slots[i]];
        if (!m->expected) continue;
        if (!compact(e, slots[i], p)) return false;
        forget(e, m);
    }
    return true;
}
