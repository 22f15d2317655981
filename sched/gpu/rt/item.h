/* What kernels on devices with groups of lanes call, in device C: the counterpart of codegen/rt/work.h. It stands behind a dialect and
 * call.h. Nothing here waits for other lanes, so a lane may call it alone. */
#ifndef WADI_SCHED_GPU_RT_ITEM_H
#define WADI_SCHED_GPU_RT_ITEM_H

/* wadi_fault_kind of sched/kernel.h. */
enum {
    WADI_FAULT_NONE = 0,
    WADI_FAULT_INDEX = 1,
    WADI_FAULT_DIVISION = 2,
    WADI_FAULT_SHAPE = 3,
    WADI_FAULT_EMPTY = 4,
    WADI_FAULT_EXTENT = 5,
    WADI_FAULT_SEGMENT = 6,
    WADI_FAULT_MEMORY = 7,
    WADI_FAULT_DECLINED = 8,
    WADI_FAULT_COUNT = 9,
    WADI_FAULT_CANCELLED = 10
};

/* One lane at work in a kernel. */
typedef struct wadi_item {
    const wadi_gpu_call *call;
    WADI_GLOBAL uint8_t *heap; /* the begin of all memory; 0 where addresses are pointers */
    int64_t item, items;       /* this one of all lanes of the launch */
    int64_t group, groups;
    int lane;
    int64_t used; /* bytes of its scratch memory */
} wadi_item;

/* The first line of a kernel: `w` is what functions want. */
#define WADI_ITEM                                                        \
    wadi_item item_of_kernel = {&call,                                   \
                                WADI_HEAP,                               \
                                WADI_GROUP * WADI_GPU_LANES + WADI_LANE, \
                                WADI_GROUPS * WADI_GPU_LANES,            \
                                WADI_GROUP,                              \
                                WADI_GROUPS,                             \
                                WADI_LANE,                               \
                                0};                                      \
    wadi_item *const w = &item_of_kernel;

/* The rest of a kernel by items: calls `body(w, begin, end)` for the item's ranges, until one has a fault. */
#define WADI_RANGES(body)                                                                 \
    for (int64_t from = call.begin + w->item * call.step; from < call.n;                  \
         from += w->items * call.step) {                                                  \
        w->used = 0;                                                                      \
        if (body(w, from, call.n - from < call.step ? call.n : from + call.step)) return; \
    }

/* ---- faults ---- */

enum { WADI_FAULT_PARTS = 9 };

/* Whether `mine` stands before the fault that is noted. Of two that are equal in element and linear, a rule decides and not which lane came
 * first, so that the message is always the same. `mine`: all members of a fault but its index, in the order in which they decide. */
WADI_FN int wadi_fault_before(const int64_t *mine, const int64_t *index,
                              volatile WADI_GLOBAL const wadi_gpu_fault *f) {
    const int64_t noted[WADI_FAULT_PARTS] = {f->element,  f->linear,   f->place,
                                             f->kind,     f->value[0], f->value[1],
                                             f->value[2], f->value[3], f->rank};
    if (f->kind == WADI_FAULT_NONE) return 1;
    for (int k = 0; k < WADI_FAULT_PARTS; k++)
        if (mine[k] != noted[k]) return mine[k] < noted[k];
    for (int32_t d = 0; d < f->rank; d++)
        if (index[d] != f->index[d]) return index[d] < f->index[d];
    return 0;
}

/* Notes the fault if it is the first. Returns 1. The lock is taken and given back in one round, because lanes that go in step would wait for
 * each other otherwise. */
WADI_FAR int wadi_fault_at(const wadi_item *w, int32_t kind, int32_t place, int64_t element,
                           int64_t linear, int64_t v0, int64_t v1, int64_t v2, int64_t v3,
                           int32_t rank, const int64_t *index) {
    const int64_t mine[WADI_FAULT_PARTS] = {element, linear, place, kind, v0, v1, v2, v3, rank};
    volatile WADI_GLOBAL wadi_gpu_state *const state = WADI_AT(w, wadi_gpu_state, w->call->state);
    volatile WADI_GLOBAL uint32_t *const lock = (volatile WADI_GLOBAL uint32_t *)&state->lock;
    volatile WADI_GLOBAL wadi_gpu_fault *const f = &state->fault;
    for (int done = 0; !done;) {
        if (wadi_cas32(lock, 0, 1) != 0) continue;
        WADI_FENCE
        if (wadi_fault_before(mine, index, f)) {
            f->kind = kind;
            f->place = place;
            f->element = element;
            f->linear = linear;
            f->value[0] = v0;
            f->value[1] = v1;
            f->value[2] = v2;
            f->value[3] = v3;
            f->rank = rank;
            for (int32_t d = 0; d < rank; d++) f->index[d] = index[d];
        }
        WADI_FENCE(void) wadi_cas32(lock, 1, 0);
        done = 1;
    }
    return 1;
}

WADI_FN int wadi_no_memory(const wadi_item *w, int32_t place, int64_t element, int64_t bytes) {
    return wadi_fault_at(w, WADI_FAULT_MEMORY, place, element, -1, bytes, 0, 0, 0, 0, 0);
}

/* ---- memory ---- */

enum { WADI_GPU_MOST_BITS = 56 };

/* size * extent[0] * ..; more than there can be: 2^56. */
WADI_FN int64_t wadi_bytes_of(int64_t size, int32_t rank, const int64_t *extent) {
    const int64_t most = (int64_t)1 << WADI_GPU_MOST_BITS;
    int64_t bytes = size;
    for (int32_t d = 0; d < rank; d++)
        if (extent[d] == 0) return 0;
    for (int32_t d = 0; d < rank; d++)
        bytes = extent[d] < 0 || bytes > most / extent[d] ? most : bytes * extent[d];
    return bytes;
}

WADI_FN int64_t wadi_whole_units(int64_t bytes) {
    return (bytes + (WADI_GPU_UNIT - 1)) / WADI_GPU_UNIT * WADI_GPU_UNIT;
}

/* The address of `bytes` bytes of the heap, a multiple of WADI_GPU_UNIT; 0: there are not so many. They are not given back. */
WADI_FN uint64_t wadi_heap_take(const wadi_item *w, int64_t bytes) {
    volatile WADI_GLOBAL wadi_gpu_state *const state = WADI_AT(w, wadi_gpu_state, w->call->state);
    const int64_t units = bytes / WADI_GPU_UNIT;
    uint32_t taken = state->taken;
    for (;;) {
        if (units > (int64_t)(w->call->heap_units - taken)) return 0;
        const uint32_t seen = wadi_cas32(&state->taken, taken, taken + (uint32_t)units);
        if (seen == taken) return w->call->heap + (uint64_t)taken * WADI_GPU_UNIT;
        taken = seen;
    }
}

/* The address of scratch memory for an array: of the item's region, then of the heap. 0: there is none; a fault is noted. */
WADI_FN uint64_t wadi_scratch_of(wadi_item *w, int32_t place, int64_t size, int32_t rank,
                                 const int64_t *extent) {
    const int64_t bytes = wadi_whole_units(wadi_bytes_of(size, rank, extent) + 1);
    if (bytes <= w->call->region - w->used) {
        const uint64_t at = w->call->scratch + (uint64_t)(w->item * w->call->region + w->used);
        w->used += bytes;
        return at;
    }
    const uint64_t at = wadi_heap_take(w, bytes);
    if (at == 0) (void)wadi_no_memory(w, place, 0, bytes);
    return at;
}

/* Storage of element s of a slot that is expected: notes its shape and gives the addresses of its columns. 0: there is no room; a fault is
 * noted. */
WADI_FN int wadi_emit(const wadi_item *w, int32_t place, int32_t slot, int64_t s,
                      const int64_t *shape, uint64_t *columns) {
    WADI_GLOBAL const wadi_gpu_emission *const e =
        WADI_AT(w, const wadi_gpu_emission, w->call->emission) + slot;
    WADI_GLOBAL const wadi_gpu_slot *const to =
        WADI_AT(w, const wadi_gpu_slot, w->call->slot) + slot;
    WADI_GLOBAL int64_t *const extents =
        WADI_AT(w, int64_t, to->shape) + (e->irregular ? s * e->rank : 0);
    for (int32_t d = 0; d < e->rank; d++)
        if (shape[d] < 0)
            return !wadi_fault_at(w, WADI_FAULT_EXTENT, place, s, -1, shape[d], d, 0, 0, 0, 0);
    int64_t bytes = 0;
    for (int32_t f = 0; f < e->fields; f++)
        bytes += wadi_whole_units(wadi_bytes_of(e->size[f], e->rank, shape));
    const uint64_t at = bytes == 0 ? w->call->state : wadi_heap_take(w, bytes);
    if (at == 0) return !wadi_no_memory(w, place, s, bytes);
    for (int32_t d = 0; d < e->rank; d++) extents[d] = shape[d];
    if (e->irregular) WADI_AT(w, int64_t, to->offset)[s + 1] = wadi_bytes_of(1, e->rank, shape);
    WADI_AT(w, uint64_t, e->piece)[s] = at;
    bytes = 0;
    for (int32_t f = 0; f < e->fields; f++) {
        columns[f] = at + (uint64_t)bytes;
        bytes += wadi_whole_units(wadi_bytes_of(e->size[f], e->rank, shape));
    }
    return 1;
}

/* ---- parts of words, for atomic steps ---- */

/* The word of type T that begins at or before the element, and by how many bits it begins before. */
#define WADI_WORD(T, p) ((WADI_GLOBAL T *)((size_t)(p) / sizeof(T) * sizeof(T)))
#define WADI_SHIFT(p) ((uint32_t)((size_t)(p) % 4 * 8))

/* The word with another part at `shift`, where `mask` has ones. */
WADI_FN uint32_t wadi_replace(uint32_t word, uint32_t shift, uint32_t mask, uint32_t part) {
    return (word & ~(mask << shift)) | ((part & mask) << shift);
}

/* The element s with unit[s] <= unit < unit[s + 1]. */
WADI_FN int64_t wadi_segment(const wadi_item *w, int64_t unit) {
    WADI_GLOBAL const int64_t *const first = WADI_AT(w, const int64_t, w->call->unit);
    int64_t low = 0, high = w->call->count;
    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        if (first[middle] <= unit)
            low = middle;
        else
            high = middle;
    }
    return low;
}

#endif
