/* Comparing the table with its copy. Changes that lie close together are sent as one. */
#include "sched/gpu/mirror.h"

#include <stdlib.h>
#include <string.h>

#include "sched/gpu/memory.h"

static const int64_t word = (int64_t)sizeof(int64_t);
static const int64_t smallest = 1 << 16;
static const int64_t close_by =
    1 << 12; /* sending so many more bytes is cheaper than another copy */

void wadi_gpu_mirror_init(wadi_gpu_mirror *m, const wadi_residence *residence,
                          wadi_buffers *buffers) {
    *m = (wadi_gpu_mirror){.residence = residence, .buffers = buffers};
}

static void forget(wadi_gpu_mirror *m) {
    wadi_buffers_put(m->copy);
    wadi_buffers_put(m->block);
    m->copy = m->block = NULL;
    m->capacity = 0;
}

void wadi_gpu_mirror_fini(wadi_gpu_mirror *m) {
    forget(m);
    free(m->place);
    m->place = NULL;
}

/* ---- where things are ---- */

enum {
    TABLE = (sizeof(wadi_gpu_state) + WADI_GPU_UNIT - 1) / WADI_GPU_UNIT *
            WADI_GPU_UNIT /* begins here */
};

static int64_t row_at(int slot) {
    return TABLE + slot * (int64_t)sizeof(wadi_gpu_slot);
}

static int64_t emission_at(const wadi_gpu_mirror *m, int slot) {
    return row_at(m->slots) + slot * (int64_t)sizeof(wadi_gpu_emission);
}

static int64_t head_bytes(const wadi_gpu_mirror *m) {
    return emission_at(m, m->slots);
}

static char *address(const wadi_gpu_mirror *m, int64_t at) {
    return (char *)wadi_buffers_address(m->block) + at;
}

/* ---- sending ---- */

static void send(wadi_gpu_mirror *m) {
    const wadi_gpu_change c = m->change;
    wadi_residence_put(m->residence, address(m, c.begin), (char *)m->copy + c.begin,
                       c.end - c.begin);
    m->sent += c.end - c.begin;
    m->change = (wadi_gpu_change){0, 0};
}

/* Bytes of the copy have changed, behind all that have changed before. */
static void note_change(wadi_gpu_mirror *m, int64_t begin, int64_t end) {
    wadi_gpu_change *c = &m->change;
    if (c->end > 0 && (begin < c->begin || begin > c->end + close_by)) send(m);
    if (c->end == 0) c->begin = begin;
    if (end > c->end) c->end = end;
}

/* The copy has these bytes at `at`. known: the device has what the copy has there. */
static void set(wadi_gpu_mirror *m, int64_t at, const void *bytes, int64_t n, bool known) {
    char *to = (char *)m->copy + at;
    if (n == 0 || (known && memcmp(to, bytes, (size_t)n) == 0)) return;
    memcpy(to, bytes, (size_t)n);
    note_change(m, at, at + n);
}

/* ---- shapes and offsets ---- */

/* Whether the place of the slot has room for what it has now: else it gets another, behind all others. */
static bool find_place(wadi_gpu_mirror *m, const wadi_slots *s, int slot) {
    wadi_gpu_place *p = &m->place[slot];
    const int64_t shapes = wadi_slots_shape_words(s, slot),
                  offsets = wadi_slots_offset_words(s, slot);
    if (p->at > 0 && p->shapes == shapes && p->offsets == offsets) return true;
    const int64_t bytes = (shapes + offsets) * word;
    if (bytes > m->capacity - m->used) return false;
    *p = (wadi_gpu_place){m->used, shapes, offsets, false};
    m->used += bytes;
    return true;
}

static void start_anew(wadi_gpu_mirror *m) {
    memset(m->place, 0, (size_t)m->room * sizeof *m->place);
    m->used = head_bytes(m);
}

static bool find_places(wadi_gpu_mirror *m, const wadi_slots *s, const wadi_gpu_emissions *e) {
    for (int i = 0; i < m->slots; i++)
        if (!e->of[i].expected && !find_place(m, s, i)) return false;
    return true;
}

static int64_t bytes_of(const wadi_gpu_mirror *m, const wadi_slots *s) {
    int64_t bytes = head_bytes(m);
    for (int i = 0; i < m->slots; i++)
        bytes += (wadi_slots_shape_words(s, i) + wadi_slots_offset_words(s, i)) * word;
    return bytes;
}

/* ---- the block ---- */

/* Another version has other slots: what the block says means nothing. */
static bool room_for_slots(wadi_gpu_mirror *m, int n) {
    if (n > m->room) {
        wadi_gpu_place *place = realloc(m->place, (size_t)n * sizeof *place);
        if (place == NULL) return false;
        m->place = place;
        m->room = n;
        m->slots = 0;
    }
    if (n == m->slots) return true;
    m->slots = n;
    forget(m);
    return true;
}

/* A block with places for all. All of it is sent before the first launch. */
static bool make_block(wadi_gpu_mirror *m, const wadi_slots *s, const wadi_gpu_emissions *e) {
    const int64_t bytes = 2 * bytes_of(m, s) + smallest;
    forget(m);
    m->copy = wadi_buffers_get(m->buffers, bytes);
    m->block = wadi_buffers_get(m->residence->blocks, bytes);
    if (m->copy == NULL || m->block == NULL) {
        forget(m);
        return false;
    }
    m->capacity = bytes;
    start_anew(m);
    memset(m->copy, 0, (size_t)m->used);
    note_change(m, 0, m->used);
    return find_places(m, s, e);
}

static bool make_room(wadi_gpu_mirror *m, const wadi_slots *s, const wadi_gpu_emissions *e) {
    if (!room_for_slots(m, wadi_slots_count(s))) return false;
    if (m->block != NULL) {
        if (find_places(m, s, e)) return true;
        start_anew(m);
        if (find_places(m, s, e)) return true;
    }
    return make_block(m, s, e);
}

/* ---- before and after a launch ---- */

/* Row `slot` of the table and what is expected there. */
static void describe(wadi_gpu_mirror *m, const wadi_slots *s, const wadi_gpu_emissions *e, int slot,
                     wadi_gpu_slot *seen, wadi_gpu_emission *row) {
    const wadi_slot *from = &s->slot[slot];
    const wadi_gpu_place *p = &m->place[slot];
    *seen = (wadi_gpu_slot){.stride = from->stride};
    for (int f = 0; f < wadi_slots_plan(s, slot)->fields; f++)
        seen->col[f] = wadi_gpu_address(from->col[f]);
    if (wadi_gpu_emissions_describe(e, slot, row, seen)) return;
    if (from->shape != NULL) seen->shape = wadi_gpu_address(address(m, p->at));
    if (from->offset != NULL) seen->offset = wadi_gpu_address(address(m, p->at + p->shapes * word));
}

static bool is_written(const wadi_launch *l, int slot) {
    for (int i = 0; i < l->nshapes; i++)
        if (l->shapes[i] == slot) return true;
    return false;
}

static void set_words(wadi_gpu_mirror *m, const wadi_slots *s, const wadi_launch *l, int slot) {
    wadi_gpu_place *p = &m->place[slot];
    if (l->nshapes > 0 && is_written(l, slot)) {
        p->known = false;
        return;
    }
    set(m, p->at, s->slot[slot].shape, p->shapes * word, p->known);
    set(m, p->at + p->shapes * word, s->slot[slot].offset, p->offsets * word, p->known);
    p->known = true;
}

bool wadi_gpu_mirror_send(wadi_gpu_mirror *m, const wadi_slots *s, const wadi_gpu_emissions *e,
                          const wadi_launch *l, wadi_gpu_call *call) {
    static const wadi_gpu_state nothing = {0};
    wadi_gpu_slot seen;
    wadi_gpu_emission row;
    if (!make_room(m, s, e)) return false;
    set(m, 0, &nothing, (int64_t)sizeof nothing, true);
    for (int i = 0; i < m->slots; i++) {
        describe(m, s, e, i, &seen, &row);
        set(m, row_at(i), &seen, (int64_t)sizeof seen, true);
    }
    for (int i = 0; e->expected > 0 && i < m->slots; i++) {
        (void)wadi_gpu_emissions_describe(e, i, &row, &seen);
        set(m, emission_at(m, i), &row, (int64_t)sizeof row, true);
    }
    for (int i = 0; i < m->slots; i++)
        if (!e->of[i].expected) set_words(m, s, l, i);
    if (m->change.end > 0) send(m);
    call->state = wadi_gpu_address(address(m, 0));
    call->slot = wadi_gpu_address(address(m, TABLE));
    call->emission = e->expected > 0 ? wadi_gpu_address(address(m, emission_at(m, 0))) : 0;
    return true;
}

/* Bytes [begin, end) come to the copy. */
static void fetch(wadi_gpu_mirror *m, int64_t begin, int64_t end) {
    if (begin < end)
        wadi_residence_get(m->residence, (char *)m->copy + begin, address(m, begin), end - begin);
}

/* What the kernel has written is now in the copy, which is what the device has. */
static void take_shapes(wadi_gpu_mirror *m, const wadi_slots *s, int slot) {
    wadi_gpu_place *p = &m->place[slot];
    if (p->shapes == 0) return;
    memcpy(s->slot[slot].shape, (const char *)m->copy + p->at, (size_t)(p->shapes * word));
    if (p->offsets == 0) p->known = true;
}

/* The bytes [begin, end) and all shapes that the launch wrote: in one copy if they lie close together, since each is waited for. What lies between
 * is what the copy has. */
static void read_from(wadi_gpu_mirror *m, const wadi_slots *s, const wadi_launch *l, int64_t begin,
                      int64_t end) {
    for (int i = 0; i < l->nshapes; i++) {
        const wadi_gpu_place *p = &m->place[l->shapes[i]];
        const int64_t at = p->at, behind = at + p->shapes * word;
        if (p->shapes == 0) continue;
        if (begin < end && (at < begin || behind > begin + close_by)) {
            fetch(m, begin, end);
            begin = end = 0;
        }
        if (begin == end) begin = end = at;
        if (behind > end) end = behind;
    }
    fetch(m, begin, end);
    for (int i = 0; i < l->nshapes; i++) take_shapes(m, s, l->shapes[i]);
}

void wadi_gpu_mirror_read_shapes(wadi_gpu_mirror *m, const wadi_slots *s, const wadi_launch *l) {
    read_from(m, s, l, 0, 0);
}

wadi_gpu_state wadi_gpu_mirror_read(wadi_gpu_mirror *m, const wadi_slots *s, const wadi_launch *l) {
    wadi_gpu_state state;
    read_from(m, s, l, 0, (int64_t)sizeof state);
    memcpy(&state, m->copy, sizeof state);
    return state;
}
