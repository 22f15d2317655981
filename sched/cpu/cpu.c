/* The device `cpu`: kernels are functions in this process, a job is a list of steps (steps.c), shared by the pool's workers.
 *
 * A flat version computes operator by operator and would report the first operator's fault; when a body faults there, it
 * runs once more inside, which finds the first element's; or none, where a computation lifted by hand does not fit. A body whose
 * library routine declines runs once more without. */
#include "sched/cpu/steps.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/task.h"
#include "sched/cpu/choose.h"
#include "sched/foreign.h"
#include "sched/schedules.h"

typedef wadi_cpu cpu;
typedef wadi_cpu_worker worker;

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

static void say_negative(const worker *self, int slot, const int64_t *shape, int64_t *value) {
    for (int d = wadi_slots_plan(self->device->emit.slots, slot)->rank - 1; d >= 0; d--) {
        if (shape[d] >= 0) continue;
        value[0] = shape[d];
        value[1] = d;
    }
}

static int emit(wadi_work *w, int32_t slot, int64_t s, const int64_t *shape, void **col) {
    worker *self = worker_of(w);
    int64_t bytes = 0;
    const wadi_fault_kind kind =
        wadi_emit_put(&self->device->emit, &self->staging, slot, s, shape, col, &bytes);
    if (kind != WADI_FAULT_NONE) set_memory_fault(w, kind, s, bytes);
    if (kind == WADI_FAULT_EXTENT) say_negative(self, slot, shape, w->fault.value);
    return kind == WADI_FAULT_NONE;
}

/* ---- versions ---- */

/* Every step that needs a kernel has one. */
static bool is_complete(const wadi_plan_code *c) {
    const wadi_plan_version *v = c->version;
    for (int i = 0; i < v->nsteps; i++) {
        if (v->steps[i].kernel != NULL && c->kernels[i] == NULL) return false;
        if (v->steps[i].units != NULL && c->units[i] == NULL) return false;
    }
    return true;
}

static int foreign(wadi_work *w, const wadi_call *call) {
    WADI_UNUSED(w);
    return wadi_foreign_run(call);
}

static wadi_plan_code *code_of(const cpu *d, int body, wadi_version_key version) {
    return &d->code[body * WADI_BODY_VERSIONS + wadi_version_number(version)];
}

static wadi_status load(cpu *d, int body, wadi_version_key version, const wadi_plan_code **out,
                        wadi_error *err) {
    wadi_plan_code *c = code_of(d, body, version);
    *out = c;
    if (c->version != NULL) return WADI_OK;
    d->job->loaded = true;
    wadi_plan_code code = {0};
    const wadi_loader *l = d->options.loader;
    WADI_TRY(l->load(l->self, d->options.plan, body, version, &code, err));
    if (!is_complete(&code)) {
        return wadi_fail(err, WADI_INTERNAL, "%s: the loader left out a kernel",
                         d->options.plan->bodies[body].name);
    }
    *c = code;
    return WADI_OK;
}

typedef struct candidate {
    cpu *device;
    int body;
} candidate;

static bool is_ready(void *env, wadi_schedule s, int64_t worth_ns) {
    const candidate *k = env;
    const wadi_loader *l = k->device->options.loader;
    const wadi_version_key version = {.schedule = s};
    if (code_of(k->device, k->body, version)->version != NULL) return true;
    return l->offer == NULL ||
           l->offer(l->self, k->device->options.plan, k->body, version, worth_ns);
}

static wadi_ready readiness(candidate *k, int64_t left) {
    return (wadi_ready){is_ready, k, wadi_pool_threads(k->device->pool), left};
}

/* What kernels look at: their reads are no atomics of C, since they are compiled apart, but of one byte. */
static const volatile unsigned char *stop_flag(const wadi_stop *stop) {
    static const unsigned char never = 0;
    return stop != NULL ? (const volatile unsigned char *)&stop->called : &never;
}

/* A result that no step allocates and that is not bound already (a source's slot that passes through, a ONCE value of an
 * earlier phase) will be emitted. */
static wadi_status expect_emissions(cpu *d, const wadi_plan_body *body, const wadi_plan_version *v,
                                    wadi_error *err) {
    for (int i = 0; i < body->nresults; i++) {
        const int slot = body->results[i];
        const bool bound = d->job->slots->slot[slot].col[0] != NULL;
        if (bound || wadi_cpu_is_allocated(v, slot)) continue;
        if (!wadi_emit_expect(&d->emit, slot)) return wadi_cpu_no_memory(err);
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
                              .workers = wadi_pool_threads(d->pool),
                              .stop = stop_flag(d->cancel),
                              .scratch = scratch,
                              .scratch_mark = scratch_mark,
                              .scratch_rewind = scratch_rewind,
                              .emit = emit,
                              .foreign = foreign,
                              .self = w};
    }
}

/* The stream indices of a chunk's elements, for versions that read them. */
static wadi_status fill_index(cpu *d, int slot, wadi_error *err) {
    const wadi_job *job = d->job;
    if (!wadi_slots_room_for_shapes(job->slots, slot, job->count) ||
        !wadi_slots_room_for_columns(job->slots, slot, job->count)) {
        return wadi_cpu_no_memory(err);
    }
    wadi_slot *to = &job->slots->slot[slot];
    int64_t *index = to->col[0];
    to->stride = 1;
    for (int64_t i = 0; i < job->count; i++) index[i] = job->first + i;
    return WADI_OK;
}

static wadi_status run_steps(cpu *d, const wadi_plan_code *code, wadi_error *err) {
    const wadi_plan_body *body = &d->options.plan->bodies[d->job->body];
    const wadi_plan_version *v = code->version;
    if (body->index_slot >= 0 && !v->counts) WADI_TRY(fill_index(d, body->index_slot, err));
    WADI_TRY(expect_emissions(d, body, v, err));
    d->running = code;
    d->size[0] = d->job->count;
    WADI_TRY(wadi_cpu_run_steps(d, 0, v->nsteps, err));
    if (!wadi_cpu_faulted(d) && !wadi_emit_finish(&d->emit, body->results, body->nresults, d->pool))
        return wadi_cpu_no_memory(err);
    return WADI_OK;
}

/* Forgets what a version that did not end well has left behind. */
static void clear_results(cpu *d) {
    const wadi_plan_version *v = d->job->version;
    for (int i = 0; i < v->nsteps; i++) {
        for (int k = 0; k < v->steps[i].nslots; k++) {
            wadi_slots_clear(d->job->slots, v->steps[i].slots[k]);
        }
        const wadi_plan_control *c = v->steps[i].control;
        for (int k = 0; c != NULL && k < c->nvalues; k++) {
            if (c->results[k] >= 0) wadi_slots_clear(d->job->slots, c->results[k]);
        }
    }
    for (int i = 0; i < wadi_slots_count(d->job->slots); i++) {
        if (d->emit.of[i].expected) wadi_slots_clear(d->job->slots, i);
    }
}

static bool room_for_levels(cpu *d, const wadi_plan_version *v) {
    if (1 + v->nlevels <= d->size_room) return true;
    int64_t *size = realloc(d->size, (size_t)(1 + v->nlevels) * sizeof *size);
    if (size == NULL) return false;
    d->size = size;
    d->size_room = 1 + v->nlevels;
    return true;
}

static wadi_status run_version(cpu *d, wadi_version_key version, wadi_error *err) {
    wadi_job *job = d->job;
    const wadi_plan_code *code = NULL;
    job->ran = version;
    job->fault = (wadi_fault){.kind = WADI_FAULT_NONE, .place = -1, .linear = -1};
    WADI_TRY(load(d, job->body, version, &code, err));
    job->version = code->version;
    if (!wadi_slots_extend(job->slots, code->version)) return wadi_cpu_no_memory(err);
    if (!wadi_emit_begin(&d->emit, job->slots, job->count)) return wadi_cpu_no_memory(err);
    if (!room_for_levels(d, code->version)) return wadi_cpu_no_memory(err);
    prepare_workers(d);
    wadi_status status = run_steps(d, code, err);
    if (status == WADI_OK && wadi_cpu_faulted(d) && wadi_stop_called(d->cancel))
        status = wadi_fail(err, WADI_CANCELLED, "cancelled");
    if (status != WADI_OK || wadi_cpu_faulted(d)) clear_results(d);
    wadi_emit_reset(&d->emit);
    for (int i = 0; i < wadi_pool_threads(d->pool); i++) {
        wadi_scratch_reset(&d->workers[i].scratch);
        wadi_scratch_reset(&d->workers[i].staging);
    }
    return status;
}

/* A library routine does not do what the chunk wants. */
static bool declined(const cpu *d) {
    return d->job->fault.kind == WADI_FAULT_DECLINED;
}

/* Whether a computation lifted by hand is part of the version: it may fault where the elements' own does not. */
static bool is_lifted_by_hand(const wadi_plan_version *v) {
    for (int i = 0; i < v->nsteps; i++)
        if (v->steps[i].kind == WADI_STEP_MANY) return true;
    return false;
}

static wadi_status run(wadi_device *self, wadi_job *job, wadi_error *err) {
    cpu *d = (cpu *)self;
    const wadi_plan_body *body = &d->options.plan->bodies[job->body];
    d->job = job;
    d->cancel = wadi_task_now()->stop;
    wadi_choice *choice = &d->choice[job->body];
    const bool measured = d->options.force < 0 && !job->main_block;
    wadi_schedule schedule =
        wadi_choose_schedule(body, d->options.force, job->main_block, job->count, job->bytes,
                             wadi_pool_threads(d->pool));
    if (measured) {
        candidate of = {d, job->body};
        const wadi_ready ready = readiness(&of, job->left);
        schedule = wadi_choice_next(choice, body, schedule, &ready);
        schedule = wadi_choice_at_hand(choice, body, schedule, &ready);
    }
    const int64_t start = wadi_clock_ns();
    WADI_TRY(run_version(d, (wadi_version_key){.schedule = schedule}, err));
    if (measured && !wadi_cpu_faulted(d)) {
        wadi_choice_saw(choice, schedule, job->count, job->bytes, wadi_clock_ns() - start,
                        job->loaded);
    }
    const wadi_version_key first = {.schedule = WADI_SCHEDULE_FIRST},
                           pure = {.schedule = WADI_SCHEDULE_FIRST, .pure = true};
    const bool by_operator = wadi_schedules[schedule].by_operator;
    const bool by_hand = by_operator && is_lifted_by_hand(job->version);
    if (wadi_cpu_faulted(d) && !declined(d) && by_operator && (job->count > 1 || by_hand) &&
        wadi_body_offers(body, first)) {
        const bool memory = job->fault.kind == WADI_FAULT_MEMORY;
        WADI_TRY(run_version(d, first, err));
        /* flat does no work that inside does not, though it may need more memory */
        WADI_ASSERT(wadi_cpu_faulted(d) || memory || by_hand);
    }
    if (declined(d) && wadi_body_offers(body, pure)) WADI_TRY(run_version(d, pure, err));
    return WADI_OK;
}

/* ---- life ---- */

static int64_t busy_ns(const wadi_device *self) {
    return wadi_pool_busy_ns(((const cpu *)self)->pool);
}

static int workers(const wadi_device *self) {
    return wadi_pool_threads(((const cpu *)self)->pool);
}

static bool tries(wadi_device *self) {
    cpu *d = (cpu *)self;
    for (int i = 0; d->options.force < 0 && i < d->options.plan->nbodies; i++) {
        candidate of = {d, i};
        const wadi_ready ready = readiness(&of, -1);
        if (wadi_choice_tries(&d->choice[i], &d->options.plan->bodies[i], &ready)) return true;
    }
    return false;
}

static void destroy(wadi_device *self) {
    cpu *d = (cpu *)self;
    const int threads = d->pool != NULL ? wadi_pool_threads(d->pool) : 0;
    for (int i = 0; d->workers != NULL && i < threads; i++) {
        wadi_scratch_fini(&d->workers[i].scratch);
        wadi_scratch_fini(&d->workers[i].staging);
    }
    free(d->code);
    free(d->choice);
    free(d->workers);
    free(d->emit.of);
    free(d->size);
    wadi_pool_destroy(d->pool);
    wadi_mutex_fini(&d->lock);
    free(d);
}

static const wadi_device_ops ops = {destroy, run, busy_ns, workers, tries};

static wadi_status make_tables(cpu *d, wadi_error *err) {
    const wadi_plan *plan = d->options.plan;
    const size_t threads = (size_t)wadi_pool_threads(d->pool);
    d->workers = calloc(threads, sizeof *d->workers);
    d->code = calloc((size_t)plan->nbodies * WADI_BODY_VERSIONS + 1, sizeof *d->code);
    d->choice = calloc((size_t)plan->nbodies + 1, sizeof *d->choice);
    if (d->workers == NULL || d->code == NULL || d->choice == NULL) {
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
