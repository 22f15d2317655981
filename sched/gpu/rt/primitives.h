/* The primitives of a device with groups of lanes, as kernels in device C (sched/gpu/primitives.h). They stand behind a dialect, call.h,
 * item.h and tasks.h. All go by groups. */
#ifndef WADI_SCHED_GPU_RT_PRIMITIVES_H
#define WADI_SCHED_GPU_RT_PRIMITIVES_H

enum { WADI_GPU_SHARE = WADI_GPU_ROUND / WADI_GPU_LANES /* elements of a round that a lane has */ };

WADI_FN int64_t wadi_least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

WADI_KERNEL(wadi_primitive_iota) {
    WADI_ITEM
    const wadi_gpu_iota task = *WADI_AT(w, wadi_gpu_iota, call.slot);
    WADI_GLOBAL int64_t *const to = WADI_AT(w, int64_t, task.to);
    for (int64_t i = w->item; i < call.n; i += w->items) to[i] = task.first + i;
}

/* ---- sums ---- */

/* total[u] = the sum of round u. */
WADI_KERNEL(wadi_primitive_scan_totals) {
    WADI_LOCAL int64_t part[WADI_GPU_LANES];
    WADI_ITEM
    const wadi_gpu_scan task = *WADI_AT(w, wadi_gpu_scan, call.slot);
    WADI_GLOBAL const int64_t *const at = WADI_AT(w, int64_t, task.at);
    for (int64_t u = w->group; u < call.n; u += w->groups) {
        const int64_t begin = u * WADI_GPU_ROUND;
        const int64_t end = wadi_least(begin + WADI_GPU_ROUND, task.n);
        int64_t sum = 0;
        for (int64_t i = begin + w->lane; i < end; i += WADI_GPU_LANES) sum += at[i];
        part[w->lane] = sum;
        WADI_BARRIER
        if (w->lane == 0) {
            for (int k = 1; k < WADI_GPU_LANES; k++) sum += part[k];
            WADI_AT(w, int64_t, task.total)[u] = sum;
        }
        WADI_BARRIER
    }
}

/* at[i] = the sum of those before it. The last round writes at[n]. */
WADI_KERNEL(wadi_primitive_scan_rounds) {
    WADI_LOCAL int64_t part[WADI_GPU_LANES];
    WADI_ITEM
    const wadi_gpu_scan task = *WADI_AT(w, wadi_gpu_scan, call.slot);
    WADI_GLOBAL int64_t *const at = WADI_AT(w, int64_t, task.at);
    for (int64_t u = w->group; u < call.n; u += w->groups) {
        const int64_t begin = wadi_least(u * WADI_GPU_ROUND + w->lane * WADI_GPU_SHARE, task.n);
        const int64_t end = wadi_least(begin + WADI_GPU_SHARE, task.n);
        int64_t sum = 0;
        for (int64_t i = begin; i < end; i++) sum += at[i];
        part[w->lane] = sum;
        WADI_BARRIER
        sum = task.total != 0 ? WADI_AT(w, int64_t, task.total)[u] : 0;
        for (int k = 0; k < w->lane; k++) sum += part[k];
        for (int64_t i = begin; i < end; i++) {
            const int64_t here = at[i];
            at[i] = sum;
            sum += here;
        }
        if (u == call.n - 1 && w->lane == WADI_GPU_LANES - 1) at[task.n] = sum;
        WADI_BARRIER
    }
}

/* yes[g] = how many of the bools that group g looks at are true. */
WADI_KERNEL(wadi_primitive_count) {
    WADI_LOCAL int64_t part[WADI_GPU_LANES];
    WADI_ITEM
    const wadi_gpu_count task = *WADI_AT(w, wadi_gpu_count, call.slot);
    WADI_GLOBAL const uint8_t *const says = WADI_AT(w, uint8_t, task.bools);
    int64_t yes = 0;
    for (int64_t i = w->item; i < task.n; i += w->items) yes += says[i] != 0;
    part[w->lane] = yes;
    WADI_BARRIER
    if (w->lane == 0) {
        for (int k = 1; k < WADI_GPU_LANES; k++) yes += part[k];
        WADI_AT(w, int64_t, task.yes)[w->group] = yes;
    }
}

/* ---- copies of elements ---- */

/* The last element of [low, high) that begins at or before `value`, as element `low` does. */
WADI_FN int64_t wadi_element_at(WADI_GLOBAL const int64_t *offset, int64_t value, int64_t low,
                                int64_t high) {
    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        if (offset[middle] <= value)
            low = middle;
        else
            high = middle;
    }
    return low;
}

WADI_FN void wadi_copy_value(const wadi_item *w, int32_t size, uint64_t to, uint64_t from) {
    if (size == 1)
        *WADI_AT(w, uint8_t, to) = *WADI_AT(w, uint8_t, from);
    else if (size == 2)
        *WADI_AT(w, uint16_t, to) = *WADI_AT(w, uint16_t, from);
    else if (size == 4)
        *WADI_AT(w, uint32_t, to) = *WADI_AT(w, uint32_t, from);
    else
        for (int32_t k = 0; k < size; k += 8)
            *WADI_AT(w, uint64_t, to + k) = *WADI_AT(w, uint64_t, from + k);
}

/* Value `value` of element i, which has `values` and begins at `first` in the columns. A piece has its columns one behind the other,
 * each aligned to WADI_GPU_UNIT. */
WADI_FN void wadi_copy_of_piece(const wadi_item *w, WADI_GLOBAL const wadi_gpu_copying *c,
                                int64_t i, int64_t value, int64_t first, int64_t values) {
    uint64_t from = WADI_AT(w, uint64_t, c->piece)[i];
    for (int32_t f = 0; f < c->fields; f++) {
        const int32_t size = c->size[f];
        wadi_copy_value(w, size, c->to[f] + (uint64_t)(value * size),
                        from + (uint64_t)((value - first) * size));
        from += (uint64_t)((values * size + WADI_GPU_UNIT - 1) / WADI_GPU_UNIT * WADI_GPU_UNIT);
    }
}

WADI_FN void wadi_copy_of_source(const wadi_item *w, WADI_GLOBAL const wadi_gpu_copying *c,
                                 int64_t i, int64_t value, int64_t first) {
    const int32_t which = c->which != 0 ? WADI_AT(w, int32_t, c->which)[i] : 0;
    const int64_t start = c->start != 0 ? WADI_AT(w, int64_t, c->start)[i] : i * c->stride;
    WADI_GLOBAL const uint64_t *const from =
        WADI_AT(w, uint64_t, c->source) + (int64_t)which * c->fields;
    for (int32_t f = 0; f < c->fields; f++) {
        const int32_t size = c->size[f];
        wadi_copy_value(w, size, c->to[f] + (uint64_t)(value * size),
                        from[f] + (uint64_t)((start + value - first) * size));
    }
}

WADI_KERNEL(wadi_primitive_copy) {
    WADI_ITEM
    WADI_GLOBAL const wadi_gpu_copying *const c = WADI_AT(w, wadi_gpu_copying, call.slot);
    WADI_GLOBAL const int64_t *const offset = WADI_AT(w, int64_t, c->offset);
    const bool even = c->each >= 0;
    for (int64_t u = w->group; u < call.n; u += w->groups) {
        const int64_t begin = u * WADI_GPU_ROUND;
        const int64_t end = wadi_least(begin + WADI_GPU_ROUND, c->total);
        int64_t i = even ? 0 : wadi_element_at(offset, begin, 0, c->n);
        const int64_t high = even ? 0 : wadi_element_at(offset, end - 1, i, c->n) + 1;
        for (int64_t value = begin + w->lane; value < end; value += WADI_GPU_LANES) {
            i = even ? value / c->each : wadi_element_at(offset, value, i, high);
            const int64_t first = even ? i * c->each : offset[i];
            if (c->piece == 0)
                wadi_copy_of_source(w, c, i, value, first);
            else
                wadi_copy_of_piece(w, c, i, value, first, even ? c->each : offset[i + 1] - first);
        }
    }
}

#endif
