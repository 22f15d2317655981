/* The device `cpu`: kernels are functions in this process, a job is a list of steps, a step is a loop over ranges of elements
 * or of units of work that the pool's workers share.
 *
 * A fault stops the ranges after it; those before it still run, so the fault that is reported does not depend on who was
 * faster. A flat version computes operator by operator and would report the first operator's fault; when a body
 * faults there, it runs once more inside, which finds the first element's. */
#include "sched/device.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/pool.h"
#include "base/thread.h"
#include "sched/cpu/choose.h"
#include "sched/cpu/emit.h"
#include "sched/cpu/scratch.h"

enum { RANGES_PER_WORKER = 8 };

typedef struct cpu cpu;

typedef struct worker {
    wadi_work work;
    wadi_scratch scratch, staging;
    cpu *device;
} worker;

struct cpu {
    wadi_device base;
    wadi_device_options options;
    wadi_pool *pool;
    worker *workers;      /* [pool's threads] */
    wadi_plan_code *code; /* [nbodies][WADI_SCHEDULE_COUNT]; version NULL: not loaded yet */
    wadi_emit emit;
    wadi_mutex lock;          /* guards the job's fault */
    atomic_int_fast64_t stop; /* ranges that begin after this are skipped */
    int64_t *unit;            /* of a flat step */
    wadi_job *job;
};

/* ---- what kernels call ---- */

static worker *worker_of(wadi_work *w) {
    return w->self;
}

static void set_memory_fault(wadi_work *w, wadi_fault_kind kind, int64_t s, int64_t value) {
    w->fault = (wadi_fault){
        .kind = (int32_t)kind, .place = -1, .element = s, .linear = -1, .value = {value, 0}};
}

static void *scratch(wadi_work *w, int64_t bytes) {
    void *memory = wadi_scratch_take(&worker_of(w)->scratch, bytes);
    if (memory == NULL) set_memory_fault(w, WADI_FAULT_MEMORY, 0, bytes);
    return memory;
}

static int64_t scratch_mark(wadi_work *w) {
    return wadi_scratch_mark(&worker_of(w)->scratch);
}

static void scratch_rewind(wadi_work *w, int64_t mark) {
    wadi_scratch_rewind(&worker_of(w)->scratch, mark);
}

static int emit(wadi_work *w, int32_t slot, int64_t s, const int64_t *shape, void **col) {
    worker *self = worker_of(w);
    int64_t bytes = 0;
    const wadi_fault_kind kind =
        wadi_emit_put(&self->device->emit, &self->staging, slot, s, shape, col, &bytes);
    if (kind != WADI_FAULT_NONE) set_memory_fault(w, kind, s, bytes);
    return kind == WADI_FAULT_NONE;
}

/* ---- loops ---- */

typedef struct loop {
    cpu *device;
    wadi_kernel kernel;
    int64_t n; /* serial loops: all of it */
    bool serial;
} loop;

static bool is_earlier(const wadi_fault *a, const wadi_fault *b) {
    if (b->kind == WADI_FAULT_NONE) return true;
    if (a->element != b->element) return a->element < b->element;
    return a->linear < b->linear;
}

static void note_fault(cpu *d, const wadi_fault *fault, int64_t begin) {
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
    if (begin > atomic_load(&d->stop)) return;
    wadi_work *w = &d->workers[number].work;
    w->fault.kind = WADI_FAULT_NONE;
    if (l->kernel(w, begin, end) != 0) note_fault(d, &w->fault, begin);
}

static void run_loop(cpu *d, wadi_kernel kernel, int64_t n, bool serial) {
    loop l = {d, kernel, n, serial};
    const int64_t ranges = (int64_t)wadi_pool_threads(d->pool) * RANGES_PER_WORKER;
    atomic_store(&d->stop, INT64_MAX);
    if (n > 0) wadi_pool_for(d->pool, serial ? 1 : n, serial ? 1 : n / ranges, run_range, &l);
}

static bool faulted(const cpu *d) {
    return d->job->fault.kind != WADI_FAULT_NONE;
}

static wadi_status no_memory(wadi_error *err) {
    return wadi_fail(err, WADI_MEMORY, "running a chunk: out of memory");
}

/* ---- steps ---- */

static wadi_status step_shape(cpu *d, const wadi_plan_step *step, wadi_kernel kernel,
                              wadi_error *err) {
    const wadi_job *job = d->job;
    bool irregular = false;
    for (int i = 0; i < step->nslots; i++) {
        const int slot = step->slots[i];
        wadi_slots_clear(job->slots, slot);
        if (!wadi_slots_room_for_shapes(job->slots, slot, job->count)) return no_memory(err);
        irregular = irregular || wadi_slots_plan(job->slots, slot)->kind == WADI_SLOT_IRREGULAR;
    }
    run_loop(d, kernel, irregular ? job->count : 1, step->serial);
    return WADI_OK;
}

static void negative_extent(cpu *d, int place, int64_t element, int rank, const int64_t *shape) {
    wadi_fault fault = {
        .kind = WADI_FAULT_EXTENT, .place = place, .element = element, .linear = -1};
    for (int i = rank - 1; i >= 0; i--) {
        if (shape[i] < 0) fault.value[0] = shape[i];
    }
    if (fault.value[0] == 0) { /* not negative: too large to count */
        fault.kind = WADI_FAULT_MEMORY;
        fault.value[0] = INT64_MAX;
    }
    note_fault(d, &fault, 0);
}

/* Values in all columns of the slot, from its shapes; -1: a fault. */
static int64_t measure(cpu *d, int slot, int place) {
    const wadi_job *job = d->job;
    const wadi_plan_slot *p = wadi_slots_plan(job->slots, slot);
    wadi_slot *to = &job->slots->slot[slot];
    const bool irregular = p->kind == WADI_SLOT_IRREGULAR;
    int64_t total = 0;
    if (irregular) to->offset[0] = 0;
    for (int64_t s = 0; s < (irregular ? job->count : 1); s++) {
        const int64_t values = wadi_shape_values(p->rank, to->shape + s * p->rank);
        if (values < 0 || values > INT64_MAX / 16 - total) {
            negative_extent(d, place, s, p->rank, to->shape + s * p->rank);
            return -1;
        }
        total += values;
        if (irregular) to->offset[s + 1] = total;
    }
    if (p->kind != WADI_SLOT_REGULAR) return total;
    to->stride = total;
    if (total > INT64_MAX / 16 / job->count) {
        negative_extent(d, place, 0, 0, NULL);
        return -1;
    }
    return total * job->count;
}

static wadi_status step_alloc(cpu *d, const wadi_plan_step *step, wadi_error *err) {
    const wadi_job *job = d->job;
    for (int i = 0; i < step->nslots; i++) {
        const int slot = step->slots[i];
        if (wadi_slots_plan(job->slots, slot)->kind == WADI_SLOT_IRREGULAR &&
            !wadi_slots_room_for_offsets(job->slots, slot, job->count)) {
            return no_memory(err);
        }
        const int64_t values = measure(d, slot, step->place);
        if (values < 0) return WADI_OK;
        if (!wadi_slots_room_for_columns(job->slots, slot, values)) return no_memory(err);
    }
    return WADI_OK;
}

static wadi_status step_flat(cpu *d, const wadi_plan_step *step, wadi_kernel kernel,
                             wadi_kernel units, wadi_error *err) {
    const int64_t count = d->job->count;
    d->unit = wadi_buffers_get(d->options.buffers, (count + 1) * (int64_t)sizeof *d->unit);
    if (d->unit == NULL) return no_memory(err);
    const int threads = wadi_pool_threads(d->pool);
    for (int i = 0; i < threads; i++) d->workers[i].work.unit = d->unit;
    run_loop(d, units, count, false);
    if (!faulted(d)) {
        int64_t sum = 0;
        for (int64_t s = 0; s < count; s++) {
            const int64_t n = d->unit[s];
            d->unit[s] = sum;
            sum += n;
        }
        d->unit[count] = sum;
        run_loop(d, kernel, sum, step->serial);
    }
    for (int i = 0; i < threads; i++) d->workers[i].work.unit = NULL;
    wadi_buffers_put(d->unit);
    d->unit = NULL;
    return WADI_OK;
}

static bool is_allocated(const wadi_plan_version *v, int slot) {
    for (int i = 0; i < v->nsteps; i++) {
        if (v->steps[i].kind != WADI_STEP_ALLOC) continue;
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
    for (int i = 0; i < step->nslots; i++) {
        const int slot = step->slots[i];
        const bool bound = d->job->slots->slot[slot].col[0] != NULL;
        if (bound || is_allocated(v, slot)) continue;
        if (!wadi_emit_expect(&d->emit, slot)) return no_memory(err);
    }
    run_loop(d, kernel, d->job->count, step->serial);
    if (step->nslots > 0 && !faulted(d) &&
        !wadi_emit_finish(&d->emit, step->slots, step->nslots, d->pool))
        return no_memory(err);
    return WADI_OK;
}

static wadi_status run_step(cpu *d, const wadi_plan_step *step, wadi_kernel kernel,
                            wadi_kernel units, wadi_error *err) {
    switch (step->kind) {
    case WADI_STEP_SHAPE:
        return step_shape(d, step, kernel, err);
    case WADI_STEP_ALLOC:
        return step_alloc(d, step, err);
    case WADI_STEP_RUN:
        return step_run(d, step, kernel, err);
    case WADI_STEP_FLAT:
        return step_flat(d, step, kernel, units, err);
    }
    return wadi_fail(err, WADI_INTERNAL, "plan: step of unknown kind %d", (int)step->kind);
}

/* ---- versions ---- */

/* Every step that needs a kernel has one. */
static bool is_complete(const wadi_plan_code *c) {
    const wadi_plan_version *v = c->version;
    for (int i = 0; i < v->nsteps; i++) {
        if (v->steps[i].kind != WADI_STEP_ALLOC && c->kernels[i] == NULL) return false;
        if (v->steps[i].kind == WADI_STEP_FLAT && c->units[i] == NULL) return false;
    }
    return true;
}

static wadi_status load(cpu *d, int body, wadi_schedule schedule, const wadi_plan_code **out,
                        wadi_error *err) {
    wadi_plan_code *c = &d->code[body * WADI_SCHEDULE_COUNT + (int)schedule];
    *out = c;
    if (c->version != NULL) return WADI_OK;
    d->job->loaded = true;
    wadi_plan_code code = {0};
    const wadi_loader *l = d->options.loader;
    WADI_TRY(l->load(l->self, d->options.plan, body, schedule, &code, err));
    if (!is_complete(&code)) {
        return wadi_fail(err, WADI_INTERNAL, "%s: the loader left out a kernel",
                         d->options.plan->bodies[body].name);
    }
    *c = code;
    return WADI_OK;
}

/* A result that no step allocates and that is not bound already (a source's slot that passes through, a ONCE value of an
 * earlier phase) will be emitted. */
static wadi_status expect_emissions(cpu *d, const wadi_plan_body *body, const wadi_plan_version *v,
                                    wadi_error *err) {
    for (int i = 0; i < body->nresults; i++) {
        const int slot = body->results[i];
        const bool bound = d->job->slots->slot[slot].col[0] != NULL;
        if (bound || is_allocated(v, slot)) continue;
        if (!wadi_emit_expect(&d->emit, slot)) return no_memory(err);
    }
    return WADI_OK;
}

static void prepare_workers(cpu *d) {
    const wadi_job *job = d->job;
    for (int i = 0; i < wadi_pool_threads(d->pool); i++) {
        worker *w = &d->workers[i];
        w->device = d;
        w->work = (wadi_work){.slot = job->slots->slot,
                              .first = job->first,
                              .count = job->count,
                              .scratch = scratch,
                              .scratch_mark = scratch_mark,
                              .scratch_rewind = scratch_rewind,
                              .emit = emit,
                              .self = w};
    }
}

static wadi_status run_steps(cpu *d, const wadi_plan_code *code, wadi_error *err) {
    const wadi_plan_body *body = &d->options.plan->bodies[d->job->body];
    const wadi_plan_version *v = code->version;
    WADI_TRY(expect_emissions(d, body, v, err));
    for (int i = 0; i < v->nsteps && !faulted(d); i++) {
        WADI_TRY(run_step(d, &v->steps[i], code->kernels[i], code->units[i], err));
    }
    if (!faulted(d) && !wadi_emit_finish(&d->emit, body->results, body->nresults, d->pool))
        return no_memory(err);
    return WADI_OK;
}

/* Forgets what a version that did not end well has left behind. */
static void clear_results(cpu *d) {
    const wadi_plan_version *v = d->job->version;
    for (int i = 0; i < v->nsteps; i++) {
        for (int k = 0; k < v->steps[i].nslots; k++) {
            wadi_slots_clear(d->job->slots, v->steps[i].slots[k]);
        }
    }
    for (int i = 0; i < wadi_slots_count(d->job->slots); i++) {
        if (d->emit.of[i].expected) wadi_slots_clear(d->job->slots, i);
    }
}

static wadi_status run_version(cpu *d, wadi_schedule schedule, wadi_error *err) {
    wadi_job *job = d->job;
    const wadi_plan_code *code = NULL;
    job->schedule = schedule;
    job->fault = (wadi_fault){.kind = WADI_FAULT_NONE, .place = -1, .linear = -1};
    WADI_TRY(load(d, job->body, schedule, &code, err));
    job->version = code->version;
    if (!wadi_slots_extend(job->slots, code->version)) return no_memory(err);
    if (!wadi_emit_begin(&d->emit, job->slots, job->count)) return no_memory(err);
    prepare_workers(d);
    const wadi_status status = run_steps(d, code, err);
    if (status != WADI_OK || faulted(d)) clear_results(d);
    wadi_emit_reset(&d->emit);
    for (int i = 0; i < wadi_pool_threads(d->pool); i++) {
        wadi_scratch_reset(&d->workers[i].scratch);
        wadi_scratch_reset(&d->workers[i].staging);
    }
    return status;
}

static wadi_status run(wadi_device *self, wadi_job *job, wadi_error *err) {
    cpu *d = (cpu *)self;
    const wadi_plan_body *body = &d->options.plan->bodies[job->body];
    d->job = job;
    const wadi_schedule schedule =
        wadi_choose_schedule(body, d->options.force, job->main_block, job->count, job->bytes,
                             wadi_pool_threads(d->pool));
    WADI_TRY(run_version(d, schedule, err));
    if (faulted(d) && schedule == WADI_SCHEDULE_FLAT && job->count > 1 &&
        body->offers[WADI_SCHEDULE_INSIDE]) {
        WADI_TRY(run_version(d, WADI_SCHEDULE_INSIDE, err));
    }
    return WADI_OK;
}

/* ---- life ---- */

static int64_t busy_ns(const wadi_device *self) {
    return wadi_pool_busy_ns(((const cpu *)self)->pool);
}

static int workers(const wadi_device *self) {
    return wadi_pool_threads(((const cpu *)self)->pool);
}

static void destroy(wadi_device *self) {
    cpu *d = (cpu *)self;
    const int threads = d->pool != NULL ? wadi_pool_threads(d->pool) : 0;
    for (int i = 0; d->workers != NULL && i < threads; i++) {
        wadi_scratch_fini(&d->workers[i].scratch);
        wadi_scratch_fini(&d->workers[i].staging);
    }
    free(d->code);
    free(d->workers);
    free(d->emit.of);
    wadi_pool_destroy(d->pool);
    wadi_mutex_fini(&d->lock);
    free(d);
}

static const wadi_device_ops ops = {destroy, run, busy_ns, workers};

static wadi_status make_tables(cpu *d, wadi_error *err) {
    const wadi_plan *plan = d->options.plan;
    const size_t threads = (size_t)wadi_pool_threads(d->pool);
    d->workers = calloc(threads, sizeof *d->workers);
    d->code = calloc((size_t)plan->nbodies * WADI_SCHEDULE_COUNT + 1, sizeof *d->code);
    if (d->workers == NULL || d->code == NULL) {
        return wadi_fail(err, WADI_MEMORY, "cpu: out of memory");
    }
    for (size_t i = 0; i < threads; i++) {
        wadi_scratch_init(&d->workers[i].scratch, d->options.buffers);
        wadi_scratch_init(&d->workers[i].staging, d->options.buffers);
    }
    return WADI_OK;
}

wadi_status wadi_device_cpu_create(const wadi_device_options *options, wadi_device **out,
                                   wadi_error *err) {
    cpu *d = calloc(1, sizeof *d);
    if (d == NULL) return wadi_fail(err, WADI_MEMORY, "cpu: out of memory");
    d->base.ops = &ops;
    d->options = *options;
    wadi_status status = wadi_mutex_init(&d->lock, err);
    if (status != WADI_OK) {
        free(d);
        return status;
    }
    status = wadi_pool_create(options->threads, &d->pool, err);
    if (status == WADI_OK) status = make_tables(d, err);
    if (status == WADI_OK) {
        *out = &d->base;
    } else {
        destroy(&d->base);
    }
    return status;
}
