/* Describing merged slots, on the host; the device copies. */
#include "sched/steps/merge.h"

#include <string.h>

#include "base/error.h"

static const int64_t word = (int64_t)sizeof(int64_t);

static const wadi_device_source *source_of(const wadi_device_gather *m, int64_t i,
                                           int64_t *out_element) {
    const wadi_device_source *from = &m->source[m->which != NULL ? m->which[i] : 0];
    *out_element = from->kind == WADI_SLOT_ONCE ? 0 : m->index != NULL ? m->index[i] : i;
    return from;
}

static const int64_t *shape_of(const wadi_device_gather *m, int64_t i) {
    int64_t e = 0;
    const wadi_device_source *from = source_of(m, i, &e);
    return from->slot.shape + (from->kind == WADI_SLOT_IRREGULAR ? e * m->p->rank : 0);
}

/* The descriptor of slot `slot`, into which m gathers; how many values it has, or -1: out of memory. */
static int64_t describe_irregular(wadi_slots *s, int slot, const wadi_device_gather *m) {
    const int rank = m->p->rank;
    if (!wadi_slots_room_for_shapes(s, slot, m->n)) return -1;
    if (!wadi_slots_room_for_offsets(s, slot, m->n)) return -1;
    wadi_slot *to = &s->slot[slot];
    to->offset[0] = 0;
    for (int64_t i = 0; i < m->n; i++) {
        int64_t *shape = to->shape + i * rank;
        if (rank > 0) memcpy(shape, shape_of(m, i), (size_t)(rank * word));
        to->offset[i + 1] = to->offset[i] + wadi_shape_values(rank, shape);
    }
    return to->offset[m->n];
}

static int64_t describe_regular(wadi_slots *s, int slot, const wadi_device_gather *m) {
    const int rank = m->p->rank;
    if (!wadi_slots_room_for_shapes(s, slot, 1)) return -1;
    wadi_slot *to = &s->slot[slot];
    if (rank > 0) memcpy(to->shape, shape_of(m, 0), (size_t)(rank * word));
    to->stride = wadi_shape_values(rank, to->shape);
    return to->stride * m->n;
}

static int64_t describe(wadi_slots *s, int slot, const wadi_device_gather *m) {
    return m->p->kind == WADI_SLOT_IRREGULAR ? describe_irregular(s, slot, m)
                                             : describe_regular(s, slot, m);
}

bool wadi_merge(wadi_slots *s, wadi_device *device, int to, int64_t n,
                const wadi_device_source *source, const int32_t *which, const int64_t *index) {
    wadi_device_gather g = {.p = wadi_slots_plan(s, to),
                            .to = &s->slot[to],
                            .n = n,
                            .source = source,
                            .which = which,
                            .index = index};
    wadi_slots_clear(s, to);
    g.total = describe(s, to, &g);
    if (g.total < 0 || !wadi_slots_room_for_columns(s, to, g.total)) return false;
    device->ops->gather(device, &g);
    return true;
}

/* ---- passing on ---- */

/* Whether the elements, which have one shape, stand side by side. */
static bool is_dense(const wadi_plan_slot *p, const wadi_slot *slot, int64_t n) {
    const int64_t each = wadi_shape_values(p->rank, slot->shape);
    for (int64_t i = 0; i < n; i++) {
        if (slot->offset[i] != slot->offset[0] + i * each) return false;
    }
    return true;
}

bool wadi_merge_fits(const wadi_slots *s, int from, int to, int64_t n) {
    const wadi_plan_slot *f = wadi_slots_plan(s, from), *t = wadi_slots_plan(s, to);
    const wadi_slot *slot = &s->slot[from];
    if (f->kind == t->kind || n == 1) return true;
    if (f->kind == WADI_SLOT_ONCE || t->kind == WADI_SLOT_ONCE) return false;
    if (f->kind == WADI_SLOT_IRREGULAR) return is_dense(f, slot, n);
    return f->rank == 0 || slot->stride == wadi_shape_values(f->rank, slot->shape);
}

bool wadi_merge_pass(wadi_slots *s, int from, int to, int64_t n, bool take) {
    const wadi_device_source source = {wadi_slots_plan(s, from)->kind, s->slot[from]};
    if (source.kind == wadi_slots_plan(s, to)->kind) {
        if (take)
            wadi_slots_move(s, from, to);
        else
            wadi_slots_alias(s, from, to);
        return true;
    }
    wadi_slots_clear(s, to);
    const wadi_device_gather all = {
        .p = wadi_slots_plan(s, to), .to = &s->slot[to], .n = n, .source = &source};
    if (describe(s, to, &all) < 0) return false;
    const int64_t first = source.kind == WADI_SLOT_IRREGULAR ? source.slot.offset[0] : 0;
    for (int f = 0; f < wadi_slots_plan(s, to)->fields; f++) {
        s->slot[to].col[f] =
            (char *)source.slot.col[f] + first * wadi_type_size(wadi_slots_plan(s, to)->type[f]);
    }
    if (!take) return true;
    memcpy(s->memory[to].column, s->memory[from].column, sizeof s->memory[to].column);
    memset(s->memory[from].column, 0, sizeof s->memory[from].column);
    wadi_slots_clear(s, from);
    return true;
}
