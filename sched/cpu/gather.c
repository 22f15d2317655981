/* Copying elements in ranges of values of the new slot, so that workers share one large element as well as many small ones. */
#include "sched/cpu/gather.h"

#include <string.h>

#include "base/error.h"
#include "sched/profile.h"

/* Copying fewer values than this is not worth waking another worker. */
static const int64_t grain_values = 1 << 14;

/* Where element i begins in its source's columns. */
static const wadi_slot *start_of(const wadi_device_gather *m, int64_t i, int64_t *out_start) {
    const wadi_device_source *from = &m->source[m->which != NULL ? m->which[i] : 0];
    const int64_t e = from->kind == WADI_SLOT_ONCE ? 0 : m->index != NULL ? m->index[i] : i;
    if (from->kind == WADI_SLOT_IRREGULAR)
        *out_start = from->slot.offset[e];
    else
        *out_start = m->p->rank == 0 ? e : e * from->slot.stride;
    return &from->slot;
}

static void copy_scalar(const wadi_device_gather *m, int f, int64_t i) {
    const size_t size = (size_t)wadi_type_size(m->p->type[f]);
    int64_t start = 0;
    const wadi_slot *from = start_of(m, i, &start);
    memcpy((char *)m->to->col[f] + (size_t)i * size, (char *)from->col[f] + (size_t)start * size,
           size);
}

static void copy_scalars(void *env, int worker, int64_t begin, int64_t end) {
    WADI_UNUSED(worker);
    const wadi_device_gather *m = env;
    for (int f = 0; f < m->p->fields; f++) {
        for (int64_t i = begin; i < end; i++) copy_scalar(m, f, i);
    }
}

/* First value of element i of the new slot. */
static int64_t target_start(const wadi_device_gather *m, int64_t i) {
    return m->p->kind == WADI_SLOT_IRREGULAR ? m->to->offset[i] : i * m->to->stride;
}

/* The last element that begins at or before `value`. */
static int64_t element_at(const wadi_device_gather *m, int64_t value) {
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
    const wadi_device_gather *m = env;
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

void wadi_cpu_gather(wadi_pool *pool, const wadi_device_gather *g) {
    int64_t grain = g->total / (8 * (int64_t)wadi_pool_threads(pool));
    if (grain < grain_values) grain = grain_values;
    const bool scalars = g->p->rank == 0 && g->p->kind != WADI_SLOT_IRREGULAR;
    wadi_profile_pool_for(pool, g->total, grain, scalars ? copy_scalars : copy_values,
                          (void *)(uintptr_t)g);
}
