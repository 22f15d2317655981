/* Kernels of the tests of devices with groups of lanes, in device C: written by hand in the forms that generated ones have. They stand
 * behind a dialect, call.h and item.h. */

enum { IN, OUT };

#define BY_ITEMS(name)                                                                         \
    WADI_KERNEL(name) {                                                                        \
        WADI_ITEM                                                                              \
        for (int64_t at = w->item * call.step; at < call.n; at += w->items * call.step) {      \
            w->used = 0;                                                                       \
            if (name##_body(w, at, call.n - at < call.step ? call.n : at + call.step)) return; \
        }                                                                                      \
    }

/* by items: out[s] = sum of element s of `in`, plus its number in the stream */
static int sums_body(wadi_item *w, int64_t begin, int64_t end) {
    WADI_GLOBAL const wadi_gpu_slot *const slot = WADI_AT(w, wadi_gpu_slot, w->call->slot);
    WADI_GLOBAL const int64_t *const offset = WADI_AT(w, int64_t, slot[IN].offset);
    WADI_GLOBAL const int64_t *const shape = WADI_AT(w, int64_t, slot[IN].shape);
    WADI_GLOBAL const int64_t *const from = WADI_AT(w, int64_t, slot[IN].col[0]);
    for (int64_t s = begin; s < end; s++) {
        int64_t sum = w->call->first + s;
        for (int64_t i = 0; i < shape[s]; i++) sum += from[offset[s] + i];
        WADI_AT(w, int64_t, slot[OUT].col[0])[s * slot[OUT].stride] = sum;
    }
    return 0;
}

BY_ITEMS(sums)

/* by groups: the same sum by all lanes of a group, of the element that a unit belongs to */
WADI_KERNEL(folds) {
    WADI_LOCAL int64_t part[64];
    WADI_ITEM
    WADI_GLOBAL const wadi_gpu_slot *const slot = WADI_AT(w, wadi_gpu_slot, w->call->slot);
    WADI_GLOBAL const int64_t *const offset = WADI_AT(w, int64_t, slot[IN].offset);
    WADI_GLOBAL const int64_t *const from = WADI_AT(w, int64_t, slot[IN].col[0]);
    for (int64_t u = w->group; u < call.n; u += w->groups) {
        const int64_t s = call.unit != 0 ? wadi_segment(w, u) : u;
        part[w->lane] = 0;
        for (int64_t i = offset[s] + w->lane; i < offset[s + 1]; i += 64) part[w->lane] += from[i];
        WADI_BARRIER
        for (int k = 32; k > 0; k /= 2) {
            if (w->lane < k) part[w->lane] += part[w->lane + k];
            WADI_BARRIER
        }
        if (w->lane == 0) WADI_AT(w, int64_t, slot[OUT].col[0])[s] = part[0] + call.first + s;
        WADI_BARRIER
    }
}

/* units of elements: one if they are not empty */
static int units_body(wadi_item *w, int64_t begin, int64_t end) {
    WADI_GLOBAL const wadi_gpu_slot *const slot = WADI_AT(w, wadi_gpu_slot, w->call->slot);
    for (int64_t s = begin; s < end; s++)
        WADI_AT(w, int64_t, w->call->unit)[s] = WADI_AT(w, int64_t, slot[IN].shape)[s] > 0;
    return 0;
}

BY_ITEMS(units)

/* shapes: those of `in`, twice as long */
static int shapes_body(wadi_item *w, int64_t begin, int64_t end) {
    WADI_GLOBAL const wadi_gpu_slot *const slot = WADI_AT(w, wadi_gpu_slot, w->call->slot);
    for (int64_t s = begin; s < end; s++)
        WADI_AT(w, int64_t, slot[OUT].shape)[s] = 2 * WADI_AT(w, int64_t, slot[IN].shape)[s];
    return 0;
}

BY_ITEMS(shapes)

/* faults at elements that 7 divides from 70 on; within one, at the places that 5 divides, by several lanes */
WADI_KERNEL(faults) {
    WADI_ITEM
    for (int64_t s = w->group; s < call.n; s += w->groups) {
        const int64_t index[2] = {s, w->lane};
        if (s >= 70 && s % 7 == 0 && w->lane >= 20 && w->lane % 5 == 0)
            (void)wadi_fault_at(w, WADI_FAULT_INDEX, 3, s, w->lane, s + 1, s + 2, s + 3, s + 4, 2,
                                index);
    }
}

/* faults of one element by all lanes, which differ in one thing after the other */
WADI_KERNEL(ties) {
    WADI_ITEM
    const int64_t index[1] = {0};
    const int32_t place = 3 + w->lane % 2, kind = 1 + w->lane / 2 % 2, rank = w->lane / 32 % 2;
    (void)wadi_fault_at(w, kind, place, 5, -1, w->lane / 4 % 2, w->lane / 8 % 2, 0,
                        w->lane / 16 % 2, rank, index);
}

WADI_KERNEL(last_ties) {
    WADI_ITEM
    const int64_t index[2] = {7, w->lane % 9};
    (void)wadi_fault_at(w, WADI_FAULT_INDEX, 3, 5, -1, 0, 0, 0, 0, 2, index);
}

/* one item in order: each element is what is before it, plus 1 */
static int serial_body(wadi_item *w, int64_t begin, int64_t end) {
    WADI_GLOBAL const wadi_gpu_slot *const slot = WADI_AT(w, wadi_gpu_slot, w->call->slot);
    WADI_GLOBAL int64_t *const to = WADI_AT(w, int64_t, slot[OUT].col[0]);
    for (int64_t s = begin; s < end; s++) to[s] = s == 0 ? end - begin : to[s - 1] + 1;
    return 0;
}

BY_ITEMS(serial)

/* fills scratch memory of 1000 numbers twice, and more at the element that `first` tells */
static int scratch_body(wadi_item *w, int64_t begin, int64_t end) {
    WADI_GLOBAL const wadi_gpu_slot *const slot = WADI_AT(w, wadi_gpu_slot, w->call->slot);
    for (int64_t s = begin; s < end; s++) {
        int64_t sum = 0;
        for (int k = 0; k < 2; k++) {
            const int64_t used = w->used;
            const int64_t n = s == w->call->first ? 100000 : 1000;
            const uint64_t at = wadi_scratch_of(w, 6, 8, 1, &n);
            if (at == 0) return 1;
            WADI_GLOBAL int64_t *const to = WADI_AT(w, int64_t, at);
            for (int64_t i = 0; i < n; i++) to[i] = s + i;
            for (int64_t i = 0; i < n; i++) sum += to[i] - i;
            w->used = used;
            sum = sum / n;
        }
        WADI_AT(w, int64_t, slot[OUT].col[0])[s] = sum;
    }
    return 0;
}

BY_ITEMS(scratch)

/* what the call says */
WADI_KERNEL(told) {
    WADI_ITEM
    WADI_GLOBAL int64_t *const to =
        WADI_AT(w, int64_t, WADI_AT(w, wadi_gpu_slot, call.slot)[OUT].col[0]);
    if (w->item == 0) {
        to[0] = call.n;
        to[1] = call.step;
        to[2] = call.first;
        to[3] = call.count;
        to[4] = call.workers;
        to[5] = w->groups;
        to[6] = call.region;
        to[7] = call.heap_units;
    }
}

/* emits element s of `ragged` in two fields: s % 5 numbers from 10 * s on, and the same as bytes; -1 of them at element 1000 */
static int emits_body(wadi_item *w, int64_t begin, int64_t end) {
    for (int64_t s = begin; s < end; s++) {
        const int64_t n = w->call->first + s == 1000 ? -1 : s % 5;
        uint64_t columns[2];
        if (!wadi_emit(w, 4, IN, s, &n, columns)) return 1;
        for (int64_t i = 0; i < n; i++) {
            WADI_AT(w, int64_t, columns[0])[i] = 10 * s + i;
            WADI_AT(w, uint8_t, columns[1])[i] = (uint8_t)(10 * s + i);
        }
    }
    return 0;
}

BY_ITEMS(emits)

/* emits one array of 3 x count numbers to slot OUT */
static int emits_one_body(wadi_item *w, int64_t begin, int64_t end) {
    const int64_t shape[2] = {3, w->call->count};
    uint64_t columns[1];
    if (begin != 0 || end != 1) return 1;
    if (!wadi_emit(w, 5, OUT, 0, shape, columns)) return 1;
    for (int64_t i = 0; i < 3 * w->call->count; i++)
        WADI_AT(w, int32_t, columns[0])[i] = (int32_t)i;
    return 0;
}

BY_ITEMS(emits_one)
