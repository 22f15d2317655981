/* Giving slots their memory, and taking it back. */
#include "sched/slots.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

static const char out_of_memory[] = "arrays of the running program: out of memory";

/* A device that has failed gives no memory either. Then its failure is what is told. */
static wadi_status no_memory(const wadi_slots *s, wadi_error *err) {
    WADI_TRY(wadi_residence_check(s->residence, err));
    return wadi_fail(err, WADI_MEMORY, "%s", out_of_memory);
}
static const int64_t word = (int64_t)sizeof(int64_t);

wadi_status wadi_slots_init(wadi_slots *s, const wadi_plan *plan, wadi_buffers *buffers,
                            const wadi_residence *residence, wadi_error *err) {
    const size_t n = (size_t)plan->nslots + 1;
    *s = (wadi_slots){.plan = plan,
                      .buffers = buffers,
                      .residence = residence,
                      .columns = residence != NULL ? residence->blocks : buffers,
                      .room = (int)n};
    s->slot = calloc(n, sizeof *s->slot);
    s->memory = calloc(n, sizeof *s->memory);
    s->place = calloc(n, sizeof *s->place);
    if (s->slot == NULL || s->memory == NULL || s->place == NULL) {
        wadi_slots_fini(s);
        return wadi_fail(err, WADI_MEMORY, "%s", out_of_memory);
    }
    for (int i = 0; i < plan->nslots; i++) {
        if (plan->slots[i].data == NULL) continue;
        const wadi_status status = wadi_slots_bind_array(s, i, plan->slots[i].data, err);
        if (status != WADI_OK) {
            wadi_slots_fini(s);
            return status;
        }
    }
    return WADI_OK;
}

void wadi_slots_fini(wadi_slots *s) {
    for (int i = 0; s->slot != NULL && s->memory != NULL && i < wadi_slots_count(s); i++) {
        wadi_slots_clear(s, i);
    }
    free(s->slot);
    free(s->memory);
    free(s->place);
    s->place = NULL;
    s->slot = NULL;
    s->memory = NULL;
}

/* Makes the tables n entries long. New entries are empty slots. */
static bool lengthen(wadi_slots *s, int n) {
    wadi_slot *slot = realloc(s->slot, (size_t)n * sizeof *slot);
    if (slot != NULL) s->slot = slot;
    wadi_slot_memory *memory = realloc(s->memory, (size_t)n * sizeof *memory);
    if (memory != NULL) s->memory = memory;
    if (slot == NULL || memory == NULL) return false;
    memset(slot + s->room, 0, (size_t)(n - s->room) * sizeof *slot);
    memset(memory + s->room, 0, (size_t)(n - s->room) * sizeof *memory);
    s->room = n;
    return true;
}

bool wadi_slots_extend(wadi_slots *s, const wadi_plan_version *v) {
    for (int i = s->plan->nslots; i < wadi_slots_count(s); i++) wadi_slots_clear(s, i);
    s->owns = 0;
    const int n = s->plan->nslots + v->nslots;
    if (n > s->room && !lengthen(s, n)) return false;
    s->own = v->slots;
    s->owns = v->nslots;
    for (int i = 0; i < v->nslots; i++) {
        if (v->slots[i].data == NULL) continue;
        if (wadi_slots_bind_array(s, s->plan->nslots + i, v->slots[i].data, NULL) != WADI_OK)
            return false;
    }
    return true;
}

void wadi_slots_clear(wadi_slots *s, int slot) {
    wadi_slot_memory *m = &s->memory[slot];
    wadi_buffers_put(m->shape);
    wadi_buffers_put(m->offset);
    for (int f = 0; f < WADI_MAX_FIELDS && m->column[f] != NULL; f++)
        wadi_buffers_put(m->column[f]);
    memset(m, 0, sizeof *m);
    memset(&s->slot[slot], 0, sizeof s->slot[slot]);
}

void wadi_slots_alias(wadi_slots *s, int from, int to) {
    wadi_slots_clear(s, to);
    s->slot[to] = s->slot[from];
    s->memory[to].elements = s->memory[from].elements;
}

void wadi_slots_move(wadi_slots *s, int from, int to) {
    wadi_slots_alias(s, from, to);
    s->memory[to] = s->memory[from];
    memset(&s->memory[from], 0, sizeof s->memory[from]);
    memset(&s->slot[from], 0, sizeof s->slot[from]);
}

void wadi_slots_lend(const wadi_slots *from, wadi_slots *to, int slot) {
    WADI_ASSERT(from->residence == to->residence);
    wadi_slots_clear(to, slot);
    to->slot[slot] = from->slot[slot];
    to->memory[slot].elements = from->memory[slot].elements;
}

void wadi_slots_hand_over(wadi_slots *from, wadi_slots *to, int slot) {
    wadi_slots_lend(from, to, slot);
    to->memory[slot] = from->memory[slot];
    memset(&from->memory[slot], 0, sizeof from->memory[slot]);
    memset(&from->slot[slot], 0, sizeof from->slot[slot]);
}

/* The columns of one element of the slot. What `from` has no columns for gets none. */
static bool bring_columns(const wadi_slots *from, wadi_slots *to, int slot) {
    const wadi_plan_slot *p = wadi_slots_plan(from, slot);
    const wadi_slot *is = &from->slot[slot];
    const int64_t values = wadi_shape_values(p->rank, is->shape);
    if (is->col[0] == NULL) return true;
    if (!wadi_slots_room_for_columns(to, slot, values)) return false;
    for (int f = 0; f < p->fields; f++) {
        const int64_t bytes = values * wadi_type_size(p->type[f]);
        if (to->residence == NULL)
            wadi_residence_get_column(from->residence, to->slot[slot].col[f], is->col[f], bytes);
        else
            wadi_residence_put_column(to->residence, to->slot[slot].col[f], is->col[f], bytes);
    }
    return true;
}

/* What a kernel has made of rank 0 may have no shape. */
bool wadi_slots_is_empty(const wadi_slots *slots, int slot) {
    const wadi_slot *s = &slots->slot[slot];
    return s->shape == NULL && s->col[0] == NULL;
}

bool wadi_slots_bring(const wadi_slots *from, wadi_slots *to, int slot) {
    WADI_ASSERT(from->residence == NULL || to->residence == NULL);
    const wadi_plan_slot *p = wadi_slots_plan(from, slot);
    const wadi_slot *is = &from->slot[slot];
    wadi_slots_clear(to, slot);
    if (wadi_slots_is_empty(from, slot)) return true;
    bool made = wadi_slots_room_for_shapes(to, slot, 1);
    if (made && p->rank > 0) memcpy(to->slot[slot].shape, is->shape, (size_t)(p->rank * word));
    if (made && is->offset != NULL) {
        made = wadi_slots_room_for_offsets(to, slot, 1);
        if (made) memcpy(to->slot[slot].offset, is->offset, (size_t)(2 * word));
    }
    to->slot[slot].stride = is->stride;
    made = made && bring_columns(from, to, slot);
    if (!made) wadi_slots_clear(to, slot);
    return made;
}

void wadi_slots_give(wadi_slots *s, int to, const wadi_slot *slot,
                     const wadi_slot_memory *owned_memory) {
    wadi_slots_clear(s, to);
    s->slot[to] = *slot;
    s->memory[to] = *owned_memory;
}

bool wadi_slots_copy(wadi_slots *s, int from, wadi_slot *out, wadi_slot_memory *out_memory) {
    const wadi_plan_slot *p = wadi_slots_plan(s, from);
    const int64_t values = wadi_shape_values(p->rank, s->slot[from].shape);
    wadi_slot_memory m = {.shape = wadi_buffers_get(s->buffers, p->rank * word), .elements = 1};
    bool made = m.shape != NULL;
    for (int f = 0; f < p->fields && made; f++) {
        m.column[f] = wadi_buffers_get(s->columns, values * wadi_type_size(p->type[f]));
        made = m.column[f] != NULL;
    }
    *out = (wadi_slot){.shape = m.shape};
    *out_memory = m;
    for (int f = 0; f < p->fields; f++) {
        out->col[f] = wadi_buffers_address(m.column[f]);
        if (made)
            wadi_residence_copy(s->residence, out->col[f], s->slot[from].col[f],
                                values * wadi_type_size(p->type[f]));
    }
    if (made && p->rank > 0) memcpy(m.shape, s->slot[from].shape, (size_t)(p->rank * word));
    if (made) return true;
    wadi_buffers_put(m.shape);
    for (int f = 0; f < p->fields; f++) wadi_buffers_put(m.column[f]);
    return false;
}

bool wadi_slots_take_over(wadi_slots *s, int from, wadi_slot *out, wadi_slot_memory *out_memory) {
    const wadi_plan_slot *p = wadi_slots_plan(s, from);
    bool owns = p->kind == WADI_SLOT_ONCE;
    for (int f = 0; f < p->fields; f++) owns = owns && s->memory[from].column[f] != NULL;
    if (!owns) return wadi_slots_copy(s, from, out, out_memory);
    wadi_slot_memory m = {.shape = wadi_buffers_get(s->buffers, p->rank * word), .elements = 1};
    if (m.shape == NULL) return false;
    if (p->rank > 0) memcpy(m.shape, s->slot[from].shape, (size_t)(p->rank * word));
    /* Whole arrays are copied at once: GCC 12 turns a loop over fields into a memset that comes before the copy. */
    *out = s->slot[from];
    out->shape = m.shape;
    memcpy(m.column, s->memory[from].column, sizeof m.column);
    *out_memory = m;
    memset(s->memory[from].column, 0, sizeof s->memory[from].column);
    memset(s->slot[from].col, 0, sizeof s->slot[from].col);
    return true;
}

int64_t wadi_slots_shape_words(const wadi_slots *s, int slot) {
    const wadi_plan_slot *p = wadi_slots_plan(s, slot);
    if (s->slot[slot].shape == NULL) return 0;
    return p->kind == WADI_SLOT_IRREGULAR ? s->memory[slot].elements * p->rank : p->rank;
}

int64_t wadi_slots_offset_words(const wadi_slots *s, int slot) {
    return s->slot[slot].offset == NULL ? 0 : s->memory[slot].elements + 1;
}

bool wadi_slots_room_for_shapes(wadi_slots *s, int slot, int64_t count) {
    s->memory[slot].elements = count;
    if (s->slot[slot].shape != NULL) return true;
    const wadi_plan_slot *p = wadi_slots_plan(s, slot);
    const int64_t shapes = p->kind == WADI_SLOT_IRREGULAR ? count : 1;
    s->memory[slot].shape = wadi_buffers_get(s->buffers, shapes * p->rank * word);
    s->slot[slot].shape = s->memory[slot].shape;
    return s->slot[slot].shape != NULL;
}

bool wadi_slots_room_for_offsets(wadi_slots *s, int slot, int64_t count) {
    if (s->slot[slot].offset != NULL) return true;
    s->memory[slot].offset = wadi_buffers_get(s->buffers, (count + 1) * word);
    s->slot[slot].offset = s->memory[slot].offset;
    return s->slot[slot].offset != NULL;
}

/* Whether the slot has a place that has given it columns. */
static bool placed(const wadi_slots *s, int slot, int64_t values, wadi_slot_columns *out) {
    if (slot >= s->plan->nslots || s->place[slot].columns == NULL) return false;
    if (!s->place[slot].columns(s->place[slot].env, values, out->at)) return false;
    memset(out->block, 0, sizeof out->block);
    return true;
}

bool wadi_slots_make_columns(const wadi_slots *s, int slot, int64_t values,
                             wadi_slot_columns *out) {
    const wadi_plan_slot *p = wadi_slots_plan(s, slot);
    if (placed(s, slot, values, out)) return true;
    for (int f = 0; f < p->fields; f++) {
        void *block = wadi_buffers_get(s->columns, values * wadi_type_size(p->type[f]));
        if (block == NULL) {
            while (--f >= 0) wadi_buffers_put(out->block[f]);
            return false;
        }
        out->block[f] = block;
        out->at[f] = wadi_buffers_address(block);
    }
    return true;
}

void wadi_slots_use_columns(wadi_slots *s, int slot, const wadi_slot_columns *c) {
    s->memory[slot].dropped = false;
    for (int f = 0; f < wadi_slots_plan(s, slot)->fields; f++) {
        wadi_buffers_put(s->memory[slot].column[f]);
        s->memory[slot].column[f] = c->block[f];
        s->slot[slot].col[f] = c->at[f];
    }
}

bool wadi_slots_room_for_columns(wadi_slots *s, int slot, int64_t values) {
    wadi_slot_columns made;
    if (!wadi_slots_make_columns(s, slot, values, &made)) return false;
    wadi_slots_use_columns(s, slot, &made);
    return true;
}

bool wadi_slots_set_columns(wadi_slots *s, int slot, const wadi_residence *residence,
                            void *const *column, int64_t values) {
    const wadi_plan_slot *p = wadi_slots_plan(s, slot);
    if (residence == s->residence) {
        for (int f = 0; f < p->fields; f++) s->slot[slot].col[f] = column[f];
        return true;
    }
    WADI_ASSERT(residence == NULL); /* a run has one device, so these columns are in host memory */
    for (int f = 0; f < p->fields; f++) {
        const int64_t bytes = values * wadi_type_size(p->type[f]);
        void *block = wadi_buffers_get(s->columns, bytes);
        if (block == NULL) return false;
        wadi_buffers_put(s->memory[slot].column[f]);
        s->memory[slot].column[f] = block;
        s->slot[slot].col[f] = wadi_buffers_address(block);
        wadi_residence_put_column(s->residence, s->slot[slot].col[f], column[f], bytes);
    }
    return true;
}

wadi_status wadi_slots_bind_array(wadi_slots *s, int slot, const wadi_array *a, wadi_error *err) {
    wadi_slots_clear(s, slot);
    if (!wadi_slots_room_for_shapes(s, slot, 1)) {
        return no_memory(s, err);
    }
    for (int d = 0; d < a->rank; d++) s->slot[slot].shape[d] = a->shape[d];
    void *column[WADI_MAX_FIELDS] = {NULL};
    for (int f = 0; f < a->fields; f++) column[f] = a->column[f];
    if (!wadi_slots_set_columns(s, slot, NULL, column, wadi_shape_values(a->rank, a->shape)))
        return no_memory(s, err);
    return WADI_OK;
}

/* Gives the slot a descriptor for a regular component: repeats its shape, and counts its offsets. */
static bool describe(wadi_slots *s, int slot, const wadi_chunk_component *c, int64_t count) {
    if (!wadi_slots_room_for_shapes(s, slot, count)) return false;
    if (!wadi_slots_room_for_offsets(s, slot, count)) return false;
    wadi_slot *to = &s->slot[slot];
    const int64_t stride = wadi_component_stride(c);
    for (int64_t i = 0; i < count; i++) {
        for (int d = 0; d < c->rank; d++) to->shape[i * c->rank + d] = c->shape[d];
    }
    for (int64_t i = 0; i < count; i++) to->offset[i] = i * stride;
    to->offset[count] = c->values; /* elements may overlap */
    return true;
}

/* The first element whose shape differs from that of element 0; `count` if there is none. */
static int64_t first_other_shape(const wadi_chunk_component *c, int64_t count) {
    for (int64_t i = 1; i < count; i++) {
        if (memcmp(c->shapes, c->shapes + i * c->rank, (size_t)(c->rank * word)) != 0) return i;
    }
    return count;
}

static wadi_status bind_regular(wadi_slots *s, int slot, const wadi_chunk_component *c,
                                int64_t count, int64_t *out_bad, wadi_error *err) {
    const bool irregular = c->layout == WADI_LAYOUT_IRREGULAR;
    if (irregular) {
        *out_bad = first_other_shape(c, count);
        if (*out_bad < count) {
            return wadi_fail(err, WADI_SHAPE,
                             "%s: its shape differs from that of the elements before",
                             wadi_slots_plan(s, slot)->name);
        }
    }
    if (!wadi_slots_room_for_shapes(s, slot, 1)) {
        return no_memory(s, err);
    }
    const int64_t *shape = irregular ? c->shapes : c->shape;
    for (int d = 0; d < c->rank; d++) s->slot[slot].shape[d] = shape[d];
    s->slot[slot].stride = irregular ? wadi_shape_values(c->rank, shape) : wadi_component_stride(c);
    return WADI_OK;
}

/* The columns of a component, or what has been sent of them ahead. */
static bool bind_columns(wadi_slots *s, int slot, const wadi_chunk_component *c) {
    void *const *sent = c->ahead_column;
    if (s->residence != NULL && c->ahead != NULL && c->ahead->use(c->ahead))
        return wadi_slots_set_columns(s, slot, s->residence, sent, c->values);
    return wadi_slots_set_columns(s, slot, c->residence, c->column, c->values);
}

wadi_status wadi_slots_bind_component(wadi_slots *s, int slot, const wadi_chunk_component *c,
                                      int64_t count, int64_t *out_bad, wadi_error *err) {
    const bool to_irregular = wadi_slots_plan(s, slot)->kind == WADI_SLOT_IRREGULAR;
    wadi_slots_clear(s, slot);
    *out_bad = count;
    if (!bind_columns(s, slot, c)) return no_memory(s, err);
    if (!to_irregular) return bind_regular(s, slot, c, count, out_bad, err);
    if (c->layout == WADI_LAYOUT_IRREGULAR) {
        s->slot[slot].shape = c->shapes;
        s->slot[slot].offset = c->offsets;
        s->memory[slot].elements = count;
    } else if (!describe(s, slot, c, count)) {
        return no_memory(s, err);
    }
    return WADI_OK;
}

static void own(wadi_chunk *c, void **block) {
    if (*block != NULL) wadi_chunk_own(c, *block);
    *block = NULL;
}

void wadi_slots_take(wadi_slots *s, int slot, wadi_chunk *c, int component) {
    const wadi_plan_slot *p = wadi_slots_plan(s, slot);
    const wadi_slot *from = &s->slot[slot];
    wadi_chunk_component *to = &c->component[component];
    to->rank = p->rank;
    to->fields = p->fields;
    to->residence = s->residence;
    for (int f = 0; f < p->fields; f++) {
        to->type[f] = p->type[f];
        to->column[f] = from->col[f];
    }
    if (p->kind == WADI_SLOT_IRREGULAR) {
        to->layout = WADI_LAYOUT_IRREGULAR;
        to->shapes = from->shape;
        to->offsets = from->offset;
        to->values = from->offset[c->count];
    } else {
        to->layout = p->kind == WADI_SLOT_ONCE ? WADI_LAYOUT_AVOID : WADI_LAYOUT_REGULAR;
        for (int d = 0; d < p->rank; d++) to->shape[d] = from->shape[d];
        to->values = wadi_shape_values(p->rank, to->shape);
        if (p->kind == WADI_SLOT_REGULAR) to->values *= c->count;
    }
    if (s->residence != NULL) wadi_chunk_retain_pool(c, s->columns);
    if (p->kind == WADI_SLOT_ONCE) return; /* stays the run's, which outlives the chunk */
    wadi_slot_memory *m = &s->memory[slot];
    own(c, &m->shape);
    own(c, &m->offset);
    for (int f = 0; f < WADI_MAX_FIELDS && m->column[f] != NULL; f++) own(c, &m->column[f]);
}

int64_t wadi_slots_number(const wadi_slots *s, int slot) {
    int64_t n = 0;
    wadi_residence_get(s->residence, &n, s->slot[slot].col[0], word);
    return n;
}

/* The columns as blocks of host memory, which are the caller's whatever comes of it. */
static wadi_status copy_columns(const wadi_slots *s, int slot, void **block, wadi_error *err) {
    const wadi_plan_slot *p = wadi_slots_plan(s, slot);
    const int64_t values = wadi_shape_values(p->rank, s->slot[slot].shape);
    for (int f = 0; f < p->fields; f++) {
        block[f] = wadi_buffers_get(s->buffers, values * wadi_type_size(p->type[f]));
        if (block[f] == NULL) return no_memory(s, err);
    }
    for (int f = 0; f < p->fields; f++)
        wadi_residence_get_column(s->residence, block[f], s->slot[slot].col[f],
                                  values * wadi_type_size(p->type[f]));
    return wadi_residence_check(s->residence, err);
}

wadi_status wadi_slots_fetch(wadi_slots *s, int slot, wadi_error *err) {
    const wadi_plan_slot *p = wadi_slots_plan(s, slot);
    wadi_slot_memory *m = &s->memory[slot];
    if (s->residence == NULL || m->home) return WADI_OK;
    void *block[WADI_MAX_FIELDS] = {NULL};
    const wadi_status status = copy_columns(s, slot, block, err);
    for (int f = 0; f < p->fields; f++) {
        wadi_buffers_put(status == WADI_OK ? m->column[f] : block[f]);
        if (status != WADI_OK) continue;
        m->column[f] = block[f];
        s->slot[slot].col[f] = block[f];
    }
    m->home = status == WADI_OK;
    return status;
}

static int64_t capacity(const void *block) {
    return block == NULL ? 0 : wadi_buffers_capacity(block);
}

int64_t wadi_slots_column_bytes(const wadi_slots *s, int slot) {
    const wadi_slot_memory *m = &s->memory[slot];
    int64_t bytes = 0;
    for (int f = 0; f < wadi_slots_plan(s, slot)->fields; f++) bytes += capacity(m->column[f]);
    return bytes;
}

void wadi_slots_drop(wadi_slots *s, int slot) {
    wadi_slot_memory *m = &s->memory[slot];
    if (wadi_slots_column_bytes(s, slot) == 0) return;
    if (wadi_slots_plan(s, slot)->kind != WADI_SLOT_ONCE) {
        const int64_t now = wadi_slots_chunk_bytes(s);
        if (now > s->peak) s->peak = now;
    }
    for (int f = 0; f < wadi_slots_plan(s, slot)->fields; f++) {
        wadi_buffers_put(m->column[f]);
        m->column[f] = NULL;
        s->slot[slot].col[f] = NULL;
    }
    m->dropped = true;
}

int64_t wadi_slots_chunk_bytes(const wadi_slots *s) {
    int64_t bytes = 0;
    for (int i = 0; i < wadi_slots_count(s); i++) {
        if (wadi_slots_plan(s, i)->kind == WADI_SLOT_ONCE) continue;
        const wadi_slot_memory *m = &s->memory[i];
        bytes += capacity(m->shape) + capacity(m->offset) + wadi_slots_column_bytes(s, i);
    }
    return bytes;
}

wadi_array wadi_slots_array(const wadi_slots *s, int slot) {
    const wadi_plan_slot *p = wadi_slots_plan(s, slot);
    wadi_array a = {.rank = p->rank, .fields = p->fields};
    for (int d = 0; d < p->rank; d++) a.shape[d] = s->slot[slot].shape[d];
    for (int f = 0; f < p->fields; f++) {
        a.type[f] = p->type[f];
        a.column[f] = s->slot[slot].col[f];
    }
    return a;
}
