/* Launches in strips: a worker computes a strip of rows of one launch after the other.
 *
 * Each worker has a table of slots of its own. There the slots that nobody stores lead to memory of the worker, which has the rows of a strip and its
 * halos; the address is that of row 0, so kernels need not know. */
#include <string.h>

#include "sched/cpu/code.h"
#include "sched/cpu/inner.h"

typedef struct strips {
    wadi_cpu *device;
    const wadi_device_strips *what;
    atomic_bool failed;
} strips;

enum { LINE = 64 };

/* Rows of a strip with its halos. */
static int64_t most_rows(const wadi_device_strips *what) {
    return what->strip + 2 * what->most;
}

/* A table whose own slots lead to memory of the worker that begins with row `first`. NULL: out of memory. */
static wadi_slot *table_of(const strips *x, wadi_cpu_worker *self, int64_t first) {
    const wadi_slots *slots = x->device->emissions->slots;
    const size_t bytes = (size_t)wadi_slots_count(slots) * sizeof(wadi_slot);
    wadi_slot *table = wadi_scratch_take(&self->scratch, (int64_t)bytes);
    if (table == NULL) return NULL;
    memcpy(table, slots->slot, bytes);
    for (int k = 0; k < x->what->nslots; k++) {
        const int slot = x->what->slots[k];
        const wadi_plan_slot *p = wadi_slots_plan(slots, slot);
        for (int f = 0; f < p->fields; f++) {
            const int64_t row = x->what->values[k] * wadi_type_size(p->type[f]);
            char *memory = wadi_scratch_take(&self->scratch, row * most_rows(x->what) + LINE);
            if (memory == NULL) return NULL;
            /* lines of the cache begin where they would if all rows were there */
            const uintptr_t at = (uintptr_t)memory + (uintptr_t)(first * row % LINE);
            table[slot].col[f] = (void *)(at - (uintptr_t)(first * row));
        }
    }
    return table;
}

/* Rows [from, below) of launch k. */
static bool run_rows(const strips *x, wadi_cpu_worker *self, const wadi_slot *table, int k,
                     int64_t from, int64_t below) {
    const wadi_launch *l = &x->what->launch[k];
    const int64_t units = l->n / x->what->rows, halo = x->what->halo[k];
    wadi_work *w = &self->work;
    from = from < halo ? 0 : from - halo;
    below = below > x->what->rows - halo ? x->what->rows : below + halo;
    w->slot = table;
    w->count = l->count;
    w->unit = l->unit;
    w->fault.kind = WADI_FAULT_NONE;
    return wadi_cpu_kernel(l->code)(w, from * units, below * units) == 0;
}

static void run_strip(void *env, int number, int64_t begin, int64_t end) {
    strips *x = env;
    wadi_cpu_worker *self = &x->device->workers[number];
    for (int64_t i = begin; i < end; i++) {
        const int64_t from = i * x->what->strip, rest = x->what->rows - from;
        const int64_t below = rest < x->what->strip ? x->what->rows : from + x->what->strip;
        const int64_t mark = wadi_scratch_mark(&self->scratch);
        const wadi_slot *table = table_of(x, self, from < x->what->most ? 0 : from - x->what->most);
        bool fine = table != NULL;
        for (int k = 0; fine && k < x->what->n; k++)
            fine = !atomic_load(&x->failed) && !wadi_stop_called(x->device->cancel) &&
                   run_rows(x, self, table, k, from, below);
        wadi_scratch_rewind(&self->scratch, mark);
        if (!fine) atomic_store(&x->failed, true);
    }
}

bool wadi_cpu_strips(wadi_device *self, const wadi_device_strips *what) {
    strips x = {.device = wadi_cpu_of(self), .what = what};
    wadi_pool_for(x.device->pool, (what->rows + what->strip - 1) / what->strip, 1, run_strip, &x);
    return !atomic_load(&x.failed);
}
