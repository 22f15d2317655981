/* Elements are copied in ranges of values of the new slot, so that one large element is shared by workers as well as many
 * small ones are. */
#include "sched/cpu/merge.h"

#include <string.h>

#include "base/error.h"

static const int64_t word = (int64_t)sizeof(int64_t);
/* Copying fewer values than this is not worth waking another worker. */
static const int64_t grain_values = 1 << 14;

typedef struct merging {
    const wadi_plan_slot *p;
    wadi_slot *to;
    int64_t n;
    const wadi_merge_source *source;
    const int32_t *which;
    const int64_t *index;
} merging;

static const wadi_merge_source *source_of(const merging *m, int64_t i, int64_t *out_element) {
    const wadi_merge_source *from = &m->source[m->which != NULL ? m->which[i] : 0];
    *out_element = from->kind == WADI_SLOT_ONCE ? 0 : m->index != NULL ? m->index[i] : i;
    return from;
}

static const int64_t *shape_of(const merging *m, int64_t i) {
    int64_t e = 0;
    const wadi_merge_source *from = source_of(m, i, &e);
    return from->slot.shape + (from->kind == WADI_SLOT_IRREGULAR ? e * m->p->rank : 0);
}

/* Where element i begins in its source's columns. */
static const wadi_slot *start_of(const merging *m, int64_t i, int64_t *out_start) {
    int64_t e = 0;
    const wadi_merge_source *from = source_of(m, i, &e);
    if (from->kind == WADI_SLOT_IRREGULAR)
        *out_start = from->slot.offset[e];
    else
        *out_start = m->p->rank == 0 ? e : e * from->slot.stride;
    return &from->slot;
}

/* ---- copying ---- */

static void copy_scalar(const merging *m, int f, int64_t i) {
    const size_t size = (size_t)wadi_type_size(m->p->type[f]);
    int64_t start = 0;
    const wadi_slot *from = start_of(m, i, &start);
    memcpy((char *)m->to->col[f] + (size_t)i * size, (char *)from->col[f] + (size_t)start * size,
           size);
}

static void copy_scalars(void *env, int worker, int64_t begin, int64_t end) {
    WADI_UNUSED(worker);
    const merging *m = env;
    for (int f = 0; f < m->p->fields; f++) {
        for (int64_t i = begin; i < end; i++) copy_scalar(m, f, i);
    }
}

/* First value of element i of the new slot. */
static int64_t target_start(const merging *m, int64_t i) {
    return m->p->kind == WADI_SLOT_IRREGULAR ? m->to->offset[i] : i * m->to->stride;
}

/* The last element that begins at or before `value`. */
static int64_t element_at(const merging *m, int64_t value) {
    int64_t low = 0, high = m->n;
    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        if (target_start(m, middle) <= value)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static void copy_values(void *env, int worker, int64_t begin, int64_t end) {
    WADI_UNUSED(worker);
    const merging *m = env;
    for (int64_t i = element_at(m, begin); begin < end; i++) {
        const int64_t first = target_start(m, i), next = target_start(m, i + 1);
        const int64_t stop = next < end ? next : end;
        int64_t start = 0;
        if (stop <= begin) continue;
        const wadi_slot *from = start_of(m, i, &start);
        for (int f = 0; f < m->p->fields; f++) {
            const int64_t size = wadi_type_size(m->p->type[f]);
            memcpy((char *)m->to->col[f] + begin * size,
                   (char *)from->col[f] + (start + begin - first) * size,
                   (size_t)((stop - begin) * size));
        }
        begin = stop;
    }
}

/* ---- descriptors ---- */

static bool describe_irregular(wadi_slots *s, int slot, const merging *m, int64_t *out_total) {
    const int rank = m->p->rank;
    if (!wadi_slots_room_for_shapes(s, slot, m->n)) return false;
    if (!wadi_slots_room_for_offsets(s, slot, m->n)) return false;
    m->to->offset[0] = 0;
    for (int64_t i = 0; i < m->n; i++) {
        int64_t *shape = m->to->shape + i * rank;
        if (rank > 0) memcpy(shape, shape_of(m, i), (size_t)(rank * word));
        m->to->offset[i + 1] = m->to->offset[i] + wadi_shape_values(rank, shape);
    }
    *out_total = m->to->offset[m->n];
    return true;
}

static bool describe_regular(wadi_slots *s, int slot, const merging *m, int64_t *out_total) {
    const int rank = m->p->rank;
    if (!wadi_slots_room_for_shapes(s, slot, 1)) return false;
    if (rank > 0) memcpy(m->to->shape, shape_of(m, 0), (size_t)(rank * word));
    m->to->stride = wadi_shape_values(rank, m->to->shape);
    *out_total = m->to->stride * m->n;
    return true;
}

bool wadi_merge(wadi_slots *s, wadi_pool *pool, int to, int64_t n, const wadi_merge_source *source,
                const int32_t *which, const int64_t *index) {
    const merging m = {wadi_slots_plan(s, to), &s->slot[to], n, source, which, index};
    int64_t total = 0;
    wadi_slots_clear(s, to);
    if (m.p->kind == WADI_SLOT_IRREGULAR ? !describe_irregular(s, to, &m, &total)
                                         : !describe_regular(s, to, &m, &total))
        return false;
    if (!wadi_slots_room_for_columns(s, to, total)) return false;
    int64_t grain = total / (8 * (int64_t)wadi_pool_threads(pool));
    if (grain < grain_values) grain = grain_values;
    if (m.p->rank == 0 && m.p->kind != WADI_SLOT_IRREGULAR)
        wadi_pool_for(pool, total, grain, copy_scalars, (void *)(uintptr_t)&m);
    else
        wadi_pool_for(pool, total, grain, copy_values, (void *)(uintptr_t)&m);
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

/* The descriptor of slot `to`, whose kind is not that of `from`. */
static bool redescribe(wadi_slots *s, int to, const wadi_merge_source *from, int64_t n) {
    const merging m = {wadi_slots_plan(s, to), &s->slot[to], n, from, NULL, NULL};
    int64_t total = 0;
    return m.p->kind == WADI_SLOT_IRREGULAR ? describe_irregular(s, to, &m, &total)
                                            : describe_regular(s, to, &m, &total);
}

bool wadi_merge_pass(wadi_slots *s, int from, int to, int64_t n, bool take) {
    const wadi_merge_source source = {wadi_slots_plan(s, from)->kind, s->slot[from]};
    if (source.kind == wadi_slots_plan(s, to)->kind) {
        if (take)
            wadi_slots_move(s, from, to);
        else
            wadi_slots_alias(s, from, to);
        return true;
    }
    wadi_slots_clear(s, to);
    if (!redescribe(s, to, &source, n)) return false;
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
