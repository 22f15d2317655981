/* Staging memory for results, and copying them to their final columns. */
#include "sched/cpu/emissions.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "sched/profile.h"

/* Smaller pieces, in bytes, lie side by side, so that a run of them is copied at once. */
enum { NEAR = 512 };
/* Copying less than this is not worth waking another worker. */
static const int64_t grain_bytes = 1 << 18;

void wadi_emissions_fini(wadi_emissions *e) {
    free(e->of);
    free(e->near);
}

bool wadi_emissions_begin(wadi_emissions *e, wadi_slots *slots) {
    const int n = wadi_slots_count(slots);
    e->slots = slots;
    if (n <= e->room) return true;
    wadi_emission *of = realloc(e->of, (size_t)n * sizeof *of);
    if (of == NULL) return false;
    e->of = of;
    wadi_work_near *near = realloc(e->near, (size_t)n * sizeof *near);
    if (near == NULL) return false;
    e->near = near;
    memset(of + e->room, 0, (size_t)(n - e->room) * sizeof *of);
    memset(near + e->room, 0, (size_t)(n - e->room) * sizeof *near);
    e->room = n;
    return true;
}

/* Makes columns for elements of the last chunk's size. Without these columns, all elements go to staging memory. */
static void make_places(wadi_emissions *e, int slot) {
    wadi_emission *m = &e->of[slot];
    m->guess = 0;
    if (m->each == 0 || m->each > INT64_MAX / 16 / m->count) return;
    if (wadi_slots_room_for_columns(e->slots, slot, m->each * m->count)) m->guess = m->each;
}

/* The bytes of a value if elements are vectors of one field, else 0. */
static int64_t size_of_vectors(const wadi_plan_slot *p) {
    const bool is = p->kind == WADI_SLOT_IRREGULAR && p->rank == 1 && p->fields == 1;
    return is ? wadi_type_size(p->type[0]) : 0;
}

/* Where kernels themselves put short vectors. */
static wadi_work_near near_of(const wadi_emissions *e, int slot) {
    const wadi_emission *m = &e->of[slot];
    if (m->size == 0 || m->guess > 0 || e->slots->slot[slot].offset == NULL)
        return (wadi_work_near){0};
    return (wadi_work_near){m->piece, m->size, NEAR / m->size};
}

bool wadi_emissions_expect(wadi_emissions *e, int slot, int64_t count) {
    wadi_slots *slots = e->slots;
    wadi_emission *m = &e->of[slot];
    if (m->expected) return true;
    const wadi_slot_kind kind = wadi_slots_plan(slots, slot)->kind;
    m->count = count;
    m->in_place = count == 1 || kind == WADI_SLOT_ONCE;
    if (!wadi_slots_room_for_shapes(slots, slot, count)) return false;
    if (kind == WADI_SLOT_IRREGULAR && !wadi_slots_room_for_offsets(slots, slot, count))
        return false;
    if (!m->in_place) {
        m->block = wadi_buffers_get(slots->columns, count * (int64_t)sizeof *m->piece);
        if (m->block == NULL) return false;
        m->piece = wadi_buffers_address(m->block);
        memset(m->piece, 0, (size_t)count * sizeof *m->piece);
        m->size = size_of_vectors(wadi_slots_plan(slots, slot));
        make_places(e, slot);
        e->near[slot] = near_of(e, slot);
    }
    m->expected = true;
    e->expected++;
    return true;
}

/* All has been emitted to it, or nobody wants it. */
static void forget(wadi_emissions *e, int slot) {
    wadi_emission *m = &e->of[slot];
    wadi_buffers_put(m->block);
    e->near[slot] = (wadi_work_near){0};
    *m = (wadi_emission){.each = m->each};
    e->expected--;
}

/* The columns of single elements become those of their slots, now that no kernel runs. */
static void settle(wadi_emissions *e) {
    for (int i = atomic_exchange(&e->made, 0); i > 0; i = e->of[i - 1].next)
        wadi_slots_use_columns(e->slots, i - 1, &e->of[i - 1].columns);
}

void wadi_emissions_reset(wadi_emissions *e) {
    settle(e);
    for (int i = 0; e->expected > 0; i++) {
        if (!e->of[i].expected) continue;
        wadi_slots_clear(e->slots, i);
        forget(e, i);
    }
}

static int64_t aligned(int64_t bytes) {
    return (bytes + WADI_ALIGN - 1) / WADI_ALIGN * WADI_ALIGN;
}

/* Points col at the columns of a piece of `values` values; returns its size. A single column is as long as its values. */
static int64_t lay_out(const wadi_plan_slot *p, int64_t values, char *piece, void **col) {
    int64_t bytes = 0;
    if (p->fields == 1) {
        if (piece != NULL) col[0] = piece;
        return values * wadi_type_size(p->type[0]);
    }
    for (int f = 0; f < p->fields; f++) {
        if (piece != NULL) col[f] = piece + bytes;
        bytes += aligned(values * wadi_type_size(p->type[f]));
    }
    return bytes;
}

/* Columns for the one element there is. */
static bool make_columns(wadi_emissions *e, int slot, int64_t values) {
    wadi_emission *m = &e->of[slot];
    if (!wadi_slots_make_columns(e->slots, slot, values, &m->columns)) return false;
    m->next = atomic_load(&e->made);
    while (!atomic_compare_exchange_weak(&e->made, &m->next, slot + 1)) continue;
    return true;
}

bool wadi_emissions_room(wadi_work *w, wadi_scratch *staging, int64_t bytes) {
    WADI_ASSERT(bytes <= WADI_NEAR_BYTES);
    /* an element of no bytes has a piece too: one without lies in its place */
    if (w->room != NULL && w->room_end - w->room >= bytes) return true;
    char *more = wadi_scratch_take_beside(staging, WADI_NEAR_BYTES);
    if (more == NULL) return false;
    if (more != w->room_end) w->room = more;
    w->room_end = more + WADI_NEAR_BYTES;
    return true;
}

/* A short vector of one field. */
static wadi_fault_kind put_small(const wadi_emission *m, wadi_work *w, wadi_scratch *staging,
                                 const wadi_slot *seen, int64_t s, int64_t values, void **col,
                                 int64_t *out_bytes) {
    const int64_t bytes = (values * m->size + 7) / 8 * 8;
    *out_bytes = bytes;
    if (!wadi_emissions_room(w, staging, bytes)) return WADI_FAULT_MEMORY;
    seen->shape[s] = values;
    seen->offset[s + 1] = values;
    col[0] = m->piece[s] = w->room;
    w->room += bytes;
    return WADI_FAULT_NONE;
}

wadi_fault_kind wadi_emissions_put(wadi_emissions *e, wadi_work *w, wadi_scratch *staging, int slot,
                                   int64_t s, const int64_t *shape, void **col,
                                   int64_t *out_bytes) {
    const wadi_slots *slots = e->slots;
    const wadi_slot *seen = &w->slot[slot];
    const wadi_plan_slot *p = wadi_slots_plan(slots, slot);
    const wadi_slot *to = &slots->slot[slot];
    const wadi_emission *m = &e->of[slot];
    WADI_ASSERT(m->expected && s >= 0 && s < m->count);
    if (m->size > 0 && shape[0] >= 0 && shape[0] < NEAR / m->size &&
        (shape[0] != m->guess || m->guess == 0) && seen->offset != NULL)
        return put_small(m, w, staging, seen, s, shape[0], col, out_bytes);
    const int64_t values = wadi_shape_values(p->rank, shape);
    *out_bytes = values;
    if (values < 0) return WADI_FAULT_EXTENT;
    int64_t *shapes = seen->shape + (p->kind == WADI_SLOT_IRREGULAR ? s * p->rank : 0);
    for (int d = 0; d < p->rank; d++) shapes[d] = shape[d];
    if (seen->offset != NULL) seen->offset[s + 1] = values;
    if (m->in_place) {
        *out_bytes = lay_out(p, values, NULL, NULL);
        if (!make_columns(e, slot, values)) return WADI_FAULT_MEMORY;
        for (int f = 0; f < p->fields; f++) col[f] = m->columns.at[f];
        return WADI_FAULT_NONE;
    }
    if (values > 0 && values == m->guess) {
        for (int f = 0; f < p->fields; f++) {
            col[f] = (char *)to->col[f] + s * values * wadi_type_size(p->type[f]);
        }
        return WADI_FAULT_NONE;
    }
    *out_bytes = lay_out(p, values, NULL, NULL);
    char *piece = *out_bytes < NEAR ? wadi_scratch_take_beside(staging, *out_bytes)
                                    : wadi_scratch_take(staging, *out_bytes);
    if (piece == NULL) return WADI_FAULT_MEMORY;
    m->piece[s] = piece;
    (void)lay_out(p, values, piece, col);
    return WADI_FAULT_NONE;
}

typedef struct compaction {
    const wadi_plan_slot *p;
    const wadi_slot *to;
    void **piece;
    void *const *place; /* [fields] columns of the elements without a piece */
} compaction;

/* The end of the run of elements from s on whose single columns lie one behind the other. */
static int64_t run_of(const compaction *c, int64_t s, int64_t end, int64_t size) {
    const int64_t *offset = c->to->offset;
    const char *next = c->piece[s];
    while (s < end && c->piece[s] == next) {
        next += (offset[s + 1] - offset[s]) * size;
        s++;
    }
    return s;
}

static void copy_pieces(void *env, int worker, int64_t begin, int64_t end) {
    WADI_UNUSED(worker);
    const compaction *c = env;
    const int64_t size = wadi_type_size(c->p->type[0]);
    for (int64_t s = begin, next; s < end; s = next) {
        const bool runs = c->p->fields == 1 && c->piece[s] != NULL;
        next = runs ? run_of(c, s, end, size) : s + 1;
        const int64_t start = c->to->offset[s];
        const int64_t values = c->to->offset[next] - start;
        void *from[WADI_MAX_FIELDS];
        if (values == 0) continue;
        for (int f = 0; c->piece[s] == NULL && f < c->p->fields; f++) {
            from[f] = (char *)c->place[f] + s * values * wadi_type_size(c->p->type[f]);
        }
        if (c->piece[s] != NULL) (void)lay_out(c->p, values, c->piece[s], from);
        for (int f = 0; f < c->p->fields; f++) {
            const int64_t each = wadi_type_size(c->p->type[f]);
            memcpy((char *)c->to->col[f] + start * each, from[f], (size_t)(values * each));
        }
    }
}

/* Turns sizes into offsets. Returns whether every element is already in its place. */
static bool count_up(wadi_emissions *e, int slot) {
    wadi_emission *m = &e->of[slot];
    int64_t *offset = e->slots->slot[slot].offset;
    bool in_places = true;
    offset[0] = 0;
    m->each = offset[1];
    for (int64_t s = 0; s < m->count; s++) {
        if (offset[s + 1] != m->each) m->each = 0;
        in_places = in_places && m->piece[s] == NULL && m->guess > 0;
        offset[s + 1] += offset[s];
    }
    return in_places;
}

static bool compact(wadi_emissions *e, int slot, wadi_pool *pool) {
    const wadi_plan_slot *p = wadi_slots_plan(e->slots, slot);
    wadi_slot *to = &e->slots->slot[slot];
    wadi_slot_memory *memory = &e->slots->memory[slot];
    const int64_t count = e->of[slot].count;
    void *place[WADI_MAX_FIELDS], *block[WADI_MAX_FIELDS];
    if (count_up(e, slot)) return true;
    memcpy(place, to->col, sizeof place);
    memcpy(block, memory->column, sizeof block);
    memset(memory->column, 0, sizeof memory->column);
    const int64_t total = to->offset[count];
    const bool room = wadi_slots_room_for_columns(e->slots, slot, total);
    if (room) {
        compaction c = {p, to, e->of[slot].piece, place};
        const int64_t ranges = 1 + lay_out(p, total, NULL, NULL) / grain_bytes;
        wadi_profile_pool_for(pool, count, (count + ranges - 1) / ranges, copy_pieces, &c);
    }
    for (int f = 0; f < WADI_MAX_FIELDS; f++) wadi_buffers_put(block[f]);
    return room;
}

bool wadi_emissions_finish(wadi_emissions *e, const int *slots, int n, wadi_pool *pool) {
    settle(e);
    for (int i = 0; i < n; i++) {
        wadi_emission *m = &e->of[slots[i]];
        if (!m->expected) continue;
        if (m->in_place) {
            if (e->slots->slot[slots[i]].offset != NULL) e->slots->slot[slots[i]].offset[0] = 0;
        } else if (!compact(e, slots[i], pool)) {
            return false;
        }
        forget(e, slots[i]);
    }
    return true;
}
