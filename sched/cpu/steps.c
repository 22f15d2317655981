/* The plain steps of a job; those that choose and repeat are in control.c. */
#include "sched/cpu/steps.h"

#include "base/error.h"

typedef wadi_cpu cpu;

/* Workers draw ranges: many, so that they end together, but none so short that drawing or sharing a line of memory counts. */
enum { RANGES = 8, SHORT_RANGES = 64, SHORT = 64 };

static int64_t range_of(int64_t n, int threads) {
    if (threads == 1) return n;
    const int64_t finer = n / threads / SHORT_RANGES, coarser = n / threads / RANGES;
    return finer >= SHORT ? finer : coarser < SHORT ? coarser : SHORT;
}

/* ---- loops ---- */

typedef struct loop {
    cpu *device;
    wadi_kernel kernel;
    int64_t n; /* serial loops: all of it */
    bool serial;
    bool apart; /* a fault stops nobody else */
} loop;

static bool is_earlier(const wadi_fault *a, const wadi_fault *b) {
    if (b->kind == WADI_FAULT_NONE) return true;
    if (a->element != b->element) return a->element < b->element;
    return a->linear < b->linear;
}

void wadi_cpu_note_fault(cpu *d, const wadi_fault *fault, int64_t begin) {
    wadi_mutex_lock(&d->lock);
    if (is_earlier(fault, &d->job->fault)) d->job->fault = *fault;
    if (begin < atomic_load(&d->stop)) atomic_store(&d->stop, begin);
    wadi_mutex_unlock(&d->lock);
}

static void run_range(void *env, int number, int64_t begin, int64_t end) {
    const loop *l = env;
    cpu *d = l->device;
    if (l->serial) {
        begin = 0;
        end = l->n;
    }
    if (begin > atomic_load(&d->stop) && !l->apart) return;
    wadi_work *w = &d->workers[number].work;
    w->fault = (wadi_fault){.kind = WADI_FAULT_NONE};
    if (wadi_stop_called(d->cancel)) {
        w->fault.kind = WADI_FAULT_CANCELLED;
        wadi_cpu_note_fault(d, &w->fault, begin);
    } else if (l->kernel(w, begin, end) != 0)
        wadi_cpu_note_fault(d, &w->fault, begin);
}

static void run_units(cpu *d, wadi_kernel kernel, int level, int64_t n, bool serial, bool apart) {
    loop l = {d, kernel, n, serial, apart};
    for (int i = 0; i < wadi_pool_threads(d->pool); i++) {
        d->workers[i].work.count = d->size[level];
    }
    const int threads = wadi_pool_threads(d->pool);
    atomic_store(&d->stop, INT64_MAX);
    if (n > 0)
        wadi_pool_for(d->pool, serial ? 1 : n, serial || apart ? 1 : range_of(n, threads),
                      run_range, &l);
}

static void run_loop(cpu *d, wadi_kernel kernel, int level, int64_t n, bool serial) {
    run_units(d, kernel, level, n, serial, false);
}

wadi_status wadi_cpu_no_memory(wadi_error *err) {
    return wadi_fail(err, WADI_MEMORY, "running a chunk: out of memory");
}

/* ---- steps ---- */

static wadi_status step_shape(cpu *d, const wadi_plan_step *step, wadi_kernel kernel,
                              wadi_error *err) {
    const wadi_job *job = d->job;
    const int64_t count = d->size[step->level];
    bool irregular = false;
    for (int i = 0; i < step->nslots; i++) {
        const int slot = step->slots[i];
        wadi_slots_clear(job->slots, slot);
        if (!wadi_slots_room_for_shapes(job->slots, slot, count)) return wadi_cpu_no_memory(err);
        irregular = irregular || wadi_slots_plan(job->slots, slot)->kind == WADI_SLOT_IRREGULAR;
    }
    run_loop(d, kernel, step->level, irregular ? count : 1, step->serial);
    return WADI_OK;
}

int64_t wadi_cpu_element(const cpu *d, int level, int64_t s) {
    const wadi_plan_version *v = d->running->version;
    while (level > 0) {
        const wadi_plan_level *l = &v->levels[level - 1];
        s = ((const int64_t *)d->job->slots->slot[l->map].col[0])[s];
        level = l->parent;
    }
    return s;
}

static void negative_extent(cpu *d, int place, int64_t element, int rank, const int64_t *shape) {
    wadi_fault fault = {
        .kind = WADI_FAULT_EXTENT, .place = place, .element = element, .linear = -1};
    for (int i = rank - 1; i >= 0; i--) {
        if (shape[i] >= 0) continue;
        fault.value[0] = shape[i];
        fault.value[1] = i;
    }
    if (fault.value[0] == 0) { /* not negative: too large to count */
        fault.kind = WADI_FAULT_MEMORY;
        fault.value[0] = INT64_MAX;
    }
    wadi_cpu_note_fault(d, &fault, 0);
}

/* Values in all columns of the slot, from its shapes; -1: a fault. */
static int64_t measure(cpu *d, int slot, int level, int place) {
    const wadi_job *job = d->job;
    const int64_t count = d->size[level];
    const wadi_plan_slot *p = wadi_slots_plan(job->slots, slot);
    wadi_slot *to = &job->slots->slot[slot];
    const bool irregular = p->kind == WADI_SLOT_IRREGULAR;
    int64_t total = 0;
    if (irregular) to->offset[0] = 0;
    for (int64_t s = 0; s < (irregular ? count : 1); s++) {
        const int64_t values = wadi_shape_values(p->rank, to->shape + s * p->rank);
        if (values < 0 || values > INT64_MAX / 16 - total) {
            negative_extent(d, place, wadi_cpu_element(d, level, s), p->rank,
                            to->shape + s * p->rank);
            return -1;
        }
        total += values;
        if (irregular) to->offset[s + 1] = total;
    }
    if (p->kind != WADI_SLOT_REGULAR) return total;
    to->stride = total;
    if (total > INT64_MAX / 16 / count) {
        negative_extent(d, place, wadi_cpu_element(d, level, 0), 0, NULL);
        return -1;
    }
    return total * count;
}

/* Chunks are made smaller until their memory is there; in the end the operator and the place are told. */
static void no_room(cpu *d, const wadi_plan_step *step, int slot, int64_t values) {
    const wadi_plan_slot *p = wadi_slots_plan(d->job->slots, slot);
    int64_t width = 0;
    for (int f = 0; f < p->fields; f++) width += wadi_type_size(p->type[f]);
    const wadi_fault fault = {.kind = WADI_FAULT_MEMORY,
                              .place = step->place,
                              .element = wadi_cpu_element(d, step->level, 0),
                              .linear = -1,
                              .value = {values * width}};
    wadi_cpu_note_fault(d, &fault, 0);
}

static wadi_status step_alloc(cpu *d, const wadi_plan_step *step, wadi_error *err) {
    const wadi_job *job = d->job;
    for (int i = 0; i < step->nslots; i++) {
        const int slot = step->slots[i];
        if (wadi_slots_plan(job->slots, slot)->kind == WADI_SLOT_IRREGULAR &&
            !wadi_slots_room_for_offsets(job->slots, slot, d->size[step->level])) {
            return wadi_cpu_no_memory(err);
        }
        const int64_t values = measure(d, slot, step->level, step->place);
        if (values < 0) return WADI_OK;
        if (wadi_slots_room_for_columns(job->slots, slot, values)) continue;
        no_room(d, step, slot, values);
        return WADI_OK;
    }
    return WADI_OK;
}

static wadi_status step_flat(cpu *d, const wadi_plan_step *step, wadi_kernel kernel,
                             wadi_kernel units, wadi_error *err) {
    const int64_t count = d->size[step->level];
    if (step->several && wadi_pool_threads(d->pool) == 1) return WADI_OK;
    d->unit = wadi_buffers_get(d->options.buffers, (count + 1) * (int64_t)sizeof *d->unit);
    if (d->unit == NULL) return wadi_cpu_no_memory(err);
    const int threads = wadi_pool_threads(d->pool);
    for (int i = 0; i < threads; i++) d->workers[i].work.unit = d->unit;
    run_loop(d, units, step->level, count, false);
    if (!wadi_cpu_faulted(d)) {
        int64_t sum = 0;
        for (int64_t s = 0; s < count; s++) {
            const int64_t n = d->unit[s];
            d->unit[s] = sum;
            sum += n;
        }
        d->unit[count] = sum;
        run_units(d, kernel, step->level, sum, step->serial, step->apart);
    }
    for (int i = 0; i < threads; i++) d->workers[i].work.unit = NULL;
    wadi_buffers_put(d->unit);
    d->unit = NULL;
    return WADI_OK;
}

bool wadi_cpu_is_allocated(const wadi_plan_version *v, int slot) {
    for (int i = 0; i < v->nsteps; i++) {
        const wadi_plan_control *c = v->steps[i].control;
        for (int k = 0; c != NULL && k < c->nvalues; k++) {
            if (c->results[k] == slot) return true;
        }
        const wadi_step_kind kind = v->steps[i].kind;
        if (kind != WADI_STEP_ALLOC && kind != WADI_STEP_SINGLE) continue;
        for (int k = 0; k < v->steps[i].nslots; k++) {
            if (v->steps[i].slots[k] == slot) return true;
        }
    }
    return false;
}

/* The slots that the kernel emits into are whole for the steps after it: in schedule flat these may be temporaries. */
static wadi_status step_run(cpu *d, const wadi_plan_step *step, wadi_kernel kernel,
                            wadi_error *err) {
    const wadi_plan_version *v = d->job->version;
    d->emit.count = d->size[step->level];
    for (int i = 0; i < step->nslots; i++) {
        const int slot = step->slots[i];
        const bool bound = d->job->slots->slot[slot].col[0] != NULL;
        if (bound || wadi_cpu_is_allocated(v, slot)) continue;
        if (!wadi_emit_expect(&d->emit, slot)) return wadi_cpu_no_memory(err);
    }
    run_loop(d, kernel, step->level, d->size[step->level], step->serial);
    if (step->nslots > 0 && !wadi_cpu_faulted(d) &&
        !wadi_emit_finish(&d->emit, step->slots, step->nslots, d->pool))
        return wadi_cpu_no_memory(err);
    d->emit.count = d->job->count;
    /* within branches and loops nothing else is being emitted, and rounds may be many */
    for (int i = 0; d->parts > 0 && i < wadi_pool_threads(d->pool); i++) {
        wadi_scratch_reset(&d->workers[i].staging);
    }
    return WADI_OK;
}

/* One step; `*i` is its number, and afterwards that of the step behind it and its parts. */
static wadi_status run_step(cpu *d, int *i, wadi_error *err) {
    const wadi_plan_step *step = &d->running->version->steps[*i];
    const wadi_kernel kernel = d->running->kernels[*i], units = d->running->units[*i];
    const int at = (*i)++;
    switch (step->kind) {
    case WADI_STEP_SHAPE:
        return step_shape(d, step, kernel, err);
    case WADI_STEP_ALLOC:
        return step_alloc(d, step, err);
    case WADI_STEP_RUN:
        return step_run(d, step, kernel, err);
    case WADI_STEP_FLAT:
        return step_flat(d, step, kernel, units, err);
    case WADI_STEP_FOREIGN:
        return wadi_cpu_step_foreign(d, step, err);
    case WADI_STEP_MANY:
        return wadi_cpu_step_many(d, step, err);
    case WADI_STEP_SINGLE:
        return wadi_cpu_step_single(d, step, err);
    case WADI_STEP_COND:
    case WADI_STEP_LOOP:
        *i += step->control->part[0].nsteps + step->control->part[1].nsteps;
        return step->kind == WADI_STEP_COND ? wadi_cpu_step_cond(d, at, err)
                                            : wadi_cpu_step_loop(d, at, err);
    }
    return wadi_fail(err, WADI_INTERNAL, "plan: step of unknown kind %d", (int)step->kind);
}

wadi_status wadi_cpu_run_steps(cpu *d, int from, int to, wadi_error *err) {
    for (int i = from; i < to && !wadi_cpu_faulted(d);) {
        if (wadi_stop_called(d->cancel)) return wadi_fail(err, WADI_CANCELLED, "cancelled");
        WADI_TRY(run_step(d, &i, err));
    }
    return WADI_OK;
}
