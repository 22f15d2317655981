/* Launches in strips: a worker computes a strip of rows of one launch after the other.
 *
 * Each worker has a table of slots of its own. There the slots that nobody stores lead to memory of the worker, which has the rows of a strip and its
 * halos; the address is that of row 0, so kernels need not know. */
#include <stdlib.h>
#include <string.h>

#include "sched/cpu/code.h"
#include "sched/cpu/inner.h"
#include "sched/profile.h"

enum { LINE = 64 };

/* What a worker has of its own. */
typedef struct own {
    wadi_slot *table; /* NULL: not made yet */
    char *memory;     /* of the slots that nobody stores, one column after the other */
    int64_t mark;     /* of the worker's scratch, without these */
} own;

typedef struct strips {
    wadi_cpu *device;
    const wadi_device_strips *what;
    own *own; /* [workers] */
    atomic_bool failed;
} strips;

/* Bytes for a column of a strip with its halos; lines of the cache begin where they would if all rows were there. */
static int64_t room(const wadi_device_strips *what, int64_t row) {
    return (row * (what->strip + 2 * what->most) + 2 * LINE - 1) / LINE * LINE;
}

static int64_t row_bytes(const wadi_device_strips *what, const wadi_plan_slot *p, int k, int f) {
    return what->values[k] * wadi_type_size(p->type[f]);
}

/* False: out of memory. */
static bool make_own(const strips *x, wadi_cpu_worker *self, own *o) {
    const wadi_slots *slots = x->device->emissions->slots;
    const size_t bytes = (size_t)wadi_slots_count(slots) * sizeof(wadi_slot);
    int64_t all = 0;
    for (int k = 0; k < x->what->nslots; k++) {
        const wadi_plan_slot *p = wadi_slots_plan(slots, x->what->slots[k]);
        for (int f = 0; f < p->fields; f++) all += room(x->what, row_bytes(x->what, p, k, f));
    }
    wadi_slot *table = wadi_scratch_take(&self->scratch, (int64_t)bytes);
    o->memory = wadi_scratch_take(&self->scratch, all);
    if (table == NULL || o->memory == NULL) return false;
    memcpy(table, slots->slot, bytes);
    o->table = table;
    return true;
}

/* From now on its memory begins with row `first`. */
static void move(const strips *x, const own *o, int64_t first) {
    const wadi_slots *slots = x->device->emissions->slots;
    char *memory = o->memory;
    for (int k = 0; k < x->what->nslots; k++) {
        const int slot = x->what->slots[k];
        const wadi_plan_slot *p = wadi_slots_plan(slots, slot);
        for (int f = 0; f < p->fields; f++) {
            const int64_t row = row_bytes(x->what, p, k, f);
            const uintptr_t at = (uintptr_t)memory + (uintptr_t)(first * row % LINE);
            o->table[slot].col[f] = (void *)(at - (uintptr_t)(first * row));
            memory += room(x->what, row);
        }
    }
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
    w->far = 0; /* what is stored is read by the next launch */
    w->fault.kind = WADI_FAULT_NONE;
    return wadi_cpu_kernel(l->code)(w, from * units, below * units) == 0;
}

static bool run_strip(const strips *x, wadi_cpu_worker *self, own *o, int64_t i) {
    const int64_t from = i * x->what->strip, rest = x->what->rows - from;
    const int64_t below = rest < x->what->strip ? x->what->rows : from + x->what->strip;
    if (o->table == NULL && !make_own(x, self, o)) return false;
    move(x, o, from < x->what->most ? 0 : from - x->what->most);
    for (int k = 0; k < x->what->n; k++)
        if (atomic_load(&x->failed) || wadi_stop_called(x->device->cancel) ||
            !run_rows(x, self, o->table, k, from, below))
            return false;
    return true;
}

static void run_some(void *env, int number, int64_t begin, int64_t end) {
    strips *x = env;
    for (int64_t i = begin; i < end && !atomic_load(&x->failed); i++)
        if (!run_strip(x, &x->device->workers[number], &x->own[number], i))
            atomic_store(&x->failed, true);
}

bool wadi_cpu_strips(wadi_device *self, const wadi_device_strips *what) {
    wadi_cpu *d = wadi_cpu_of(self);
    strips x = {.device = d, .what = what, .own = calloc((size_t)d->threads, sizeof *x.own)};
    if (x.own == NULL) return false;
    for (int i = 0; i < d->threads; i++) x.own[i].mark = wadi_scratch_mark(&d->workers[i].scratch);
    wadi_profile_pool_for(d->pool, (what->rows + what->strip - 1) / what->strip, 1, run_some, &x);
    for (int i = 0; i < d->threads; i++) wadi_scratch_rewind(&d->workers[i].scratch, x.own[i].mark);
    free(x.own);
    return !atomic_load(&x.failed);
}
