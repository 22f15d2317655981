/* The device `cpu`: kernels are functions in this process.
 *
 * A launch is a loop over elements or units of work that the pool's workers share. A fault stops the ranges after it. Those
 * before it still run, so the fault that is reported does not depend on which worker was faster. */
#include "sched/cpu/cpu.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/thread.h"
#include "sched/cpu/code.h"
#include "sched/cpu/emissions.h"
#include "sched/cpu/gather.h"
#include "sched/cpu/image.h"
#include "sched/cpu/inner.h"
#include "sched/fault.h"
#include "sched/foreign.h"
#include "sched/profile.h"

/* ---- what kernels call ---- */

static wadi_cpu_worker *worker_of(wadi_work *w) {
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

/* The extent that is negative, or that there are more values than can be counted. */
static void say_extent(const wadi_cpu_worker *self, int slot, const int64_t *shape,
                       wadi_fault *fault) {
    fault->kind = WADI_FAULT_MEMORY;
    fault->value[0] = INT64_MAX;
    for (int d = wadi_slots_plan(self->device->emissions->slots, slot)->rank - 1; d >= 0; d--) {
        if (shape[d] >= 0) continue;
        fault->kind = WADI_FAULT_EXTENT;
        fault->value[0] = shape[d];
        fault->value[1] = d;
    }
}

static int emit(wadi_work *w, int32_t slot, int64_t s, const int64_t *shape, void **col) {
    wadi_cpu_worker *self = worker_of(w);
    int64_t bytes = 0;
    const wadi_fault_kind kind =
        wadi_emissions_put(self->device->emissions, w, &self->staging, slot, s, shape, col, &bytes);
    if (kind != WADI_FAULT_NONE) set_memory_fault(w, kind, s, bytes);
    if (kind == WADI_FAULT_EXTENT) say_extent(self, slot, shape, &w->fault);
    return kind == WADI_FAULT_NONE;
}

static int make_room(wadi_work *w, int64_t bytes) {
    const bool made = wadi_emissions_room(w, &worker_of(w)->staging, bytes);
    if (!made) set_memory_fault(w, WADI_FAULT_MEMORY, 0, bytes);
    return made;
}

/* A routine; if it fails, `wait` says how. */
static bool run_routine(wadi_cpu *d, const wadi_call *call) {
    wadi_error failure = {.status = WADI_OK};
    const bool fine = wadi_foreign_run(call, &failure);
    if (failure.status != WADI_OK) {
        wadi_mutex_lock(&d->lock);
        if (d->failure.status == WADI_OK) d->failure = failure;
        wadi_mutex_unlock(&d->lock);
    }
    return fine;
}

static int foreign(wadi_work *w, const wadi_call *call) {
    return run_routine(worker_of(w)->device, call);
}

/* ---- a version ---- */

/* What kernels read. They are compiled separately, so their reads are not C atomics, but they read only one byte. */
static const volatile unsigned char *stop_flag(const wadi_stop *stop) {
    static const unsigned char never = 0;
    return stop != NULL ? (const volatile unsigned char *)&stop->called : &never;
}

static bool emits_alone(const wadi_cpu *d) {
    return d->emissions == &d->own;
}

static bool begin(wadi_device *self, const wadi_device_work *work) {
    wadi_cpu *d = wadi_cpu_of(self);
    if (emits_alone(d) && !wadi_emissions_begin(&d->own, work->slots)) return false;
    d->cancel = work->stop;
    for (int i = 0; i < d->threads; i++) {
        d->workers[i].work.first = work->first;
        d->workers[i].work.workers = work->workers > 0 ? work->workers : d->threads;
        d->workers[i].work.stop = stop_flag(work->stop);
    }
    return true;
}

static void reset_staging(wadi_cpu_worker *w) {
    wadi_scratch_reset(&w->staging);
    w->work.room = w->work.room_end = NULL;
}

static void end(wadi_device *self) {
    wadi_cpu *d = wadi_cpu_of(self);
    if (emits_alone(d)) wadi_emissions_reset(&d->own);
    for (int i = 0; i < d->threads; i++) {
        wadi_scratch_reset(&d->workers[i].scratch);
        reset_staging(&d->workers[i]);
    }
}

static bool expect(wadi_device *self, int slot, int64_t count) {
    return wadi_emissions_expect(wadi_cpu_of(self)->emissions, slot, count);
}

bool wadi_cpu_is_expected(const wadi_device *self, int slot) {
    return wadi_cpu_of(self)->emissions->of[slot].expected;
}

static bool finish(wadi_device *self, const int *slots, int n, bool whole) {
    wadi_cpu *d = wadi_cpu_of(self);
    if (!wadi_emissions_finish(d->emissions, slots, n, d->pool)) return false;
    for (int i = 0; whole && i < d->threads; i++) reset_staging(&d->workers[i]);
    return true;
}

/* ---- launches ---- */

/* Workers take ranges. There are many, so that workers end together, but none is so short that taking it or sharing a cache line costs
 * much. */
enum { RANGES = 8, SHORT_RANGES = 64, SHORT = 64 };

static int64_t range_of(int64_t n, int threads) {
    if (threads == 1) return n;
    const int64_t finer = n / threads / SHORT_RANGES, coarser = n / threads / RANGES;
    return finer >= SHORT ? finer : coarser < SHORT ? coarser : SHORT;
}

/* Bytes: of an array of so many, little is left in the caches of a few workers when somebody reads it. */
static const int64_t FAR = 64 << 20;

typedef struct loop {
    wadi_cpu *device;
    wadi_launch *launch;
    wadi_kernel kernel;
} loop;

static void note_fault(const loop *l, const wadi_fault *fault, int64_t begin) {
    wadi_cpu *d = l->device;
    wadi_mutex_lock(&d->lock);
    if (wadi_fault_is_earlier(fault, &l->launch->fault)) l->launch->fault = *fault;
    if (begin < atomic_load(&d->stop)) atomic_store(&d->stop, begin);
    wadi_mutex_unlock(&d->lock);
}

static void run_range(void *env, int number, int64_t begin, int64_t end) {
    const loop *l = env;
    wadi_cpu *d = l->device;
    if (l->launch->serial) {
        begin = 0;
        end = l->launch->n;
    }
    if (begin > atomic_load(&d->stop) && !l->launch->apart) return;
    wadi_work *w = &d->workers[number].work;
    w->fault = (wadi_fault){.kind = WADI_FAULT_NONE};
    if (wadi_stop_called(d->cancel)) {
        w->fault.kind = WADI_FAULT_CANCELLED;
        note_fault(l, &w->fault, begin);
    } else if (l->kernel(w, l->launch->first + begin, l->launch->first + end) != 0)
        note_fault(l, &w->fault, begin);
}

static void launch(wadi_device *self, wadi_launch *what) {
    wadi_cpu *d = wadi_cpu_of(self);
    loop l = {d, what, wadi_cpu_kernel(what->code)};
    const wadi_slot *table = what->table != NULL ? what->table : d->emissions->slots->slot;
    what->fault.kind = WADI_FAULT_NONE; /* nothing else is read then */
    for (int i = 0; i < d->threads; i++) {
        wadi_work *w = &d->workers[i].work;
        w->slot = table;
        w->near = d->emissions->near;
        w->count = what->count;
        w->unit = what->unit;
        w->far = FAR;
    }
    atomic_store(&d->stop, INT64_MAX);
    if (what->n <= 0) return;
    const bool alone = what->serial || what->apart;
    wadi_profile_pool_for(d->pool, what->serial ? 1 : what->n,
                          alone ? 1 : range_of(what->n, d->threads), run_range, &l);
}

/* ---- primitives ---- */

static void iota(wadi_device *self, int64_t *to, int64_t n, int64_t first) {
    WADI_UNUSED(self);
    for (int64_t i = 0; i < n; i++) to[i] = first + i;
}

static int64_t scan(wadi_device *self, int64_t *at, int64_t n) {
    int64_t sum = 0;
    WADI_UNUSED(self);
    for (int64_t i = 0; i < n; i++) {
        const int64_t here = at[i];
        at[i] = sum;
        sum += here;
    }
    at[n] = sum;
    return sum;
}

static int64_t count(wadi_device *self, const void *bools, int64_t n) {
    const uint8_t *says = bools;
    int64_t yes = 0;
    WADI_UNUSED(self);
    for (int64_t i = 0; i < n; i++) yes += says[i] != 0;
    return yes;
}

static void gather(wadi_device *self, const wadi_device_gather *g) {
    wadi_cpu_gather(wadi_cpu_of(self)->pool, g);
}

typedef struct calls {
    wadi_cpu *device;
    const wadi_device_calls *batch;
    atomic_bool declined;
} calls;

static void run_problems(void *env, int number, int64_t begin, int64_t end) {
    calls *c = env;
    WADI_UNUSED(number);
    while (begin < end) {
        wadi_call call = {0};
        if (wadi_stop_called(c->device->cancel)) {
            atomic_store(&c->declined, true);
            return;
        }
        c->batch->describe(c->batch->self, begin, end, &call);
        if (!run_routine(c->device, &call)) atomic_store(&c->declined, true);
        begin += call.count;
    }
}

/* Whether they are few, and the longest takes at least as long as all those that workers cannot share. */
static bool is_better_shared(const wadi_cpu *d, const wadi_device_calls *batch) {
    wadi_call call = {0};
    int64_t longest = 0, alone = 0;
    if (batch->problems >= d->threads) return false;
    for (int64_t p = 0; p < batch->problems; p++) {
        batch->describe(batch->self, p, p + 1, &call);
        const int64_t n = call.array[0].rank == 1 ? call.array[0].shape[0] : 0;
        if (!wadi_foreign_shares(&call))
            alone += n;
        else if (n > longest)
            longest = n;
    }
    return longest > 0 && longest >= alone;
}

/* A few long problems, each by all workers; false: they are not. */
static bool run_shared(wadi_cpu *d, const wadi_device_calls *batch, bool *out_fine) {
    wadi_call call = {0};
    if (!is_better_shared(d, batch)) return false;
    *out_fine = true;
    for (int64_t p = 0; p < batch->problems && *out_fine; p++) {
        batch->describe(batch->self, p, p + 1, &call);
        *out_fine = !wadi_stop_called(d->cancel) && wadi_foreign_run_shared(&call, d->pool);
    }
    return true;
}

static bool routine(wadi_device *self, const wadi_device_calls *batch) {
    wadi_cpu *d = wadi_cpu_of(self);
    bool fine = false;
    if (run_shared(d, batch, &fine)) return fine;
    calls c = {.device = d, .batch = batch};
    const int64_t ranges = (int64_t)d->threads * 4;
    wadi_profile_pool_for(d->pool, batch->problems, (batch->problems + ranges - 1) / ranges,
                          run_problems, &c);
    return !atomic_load(&c.declined);
}

/* Every call has ended when it returns; what remains to be told is that a routine failed. */
static wadi_status wait(wadi_device *self, wadi_error *err) {
    wadi_cpu *d = wadi_cpu_of(self);
    const wadi_error failure = d->failure;
    d->failure.status = WADI_OK;
    if (failure.status != WADI_OK && err != NULL) *err = failure;
    return failure.status;
}

/* ---- life ---- */

static int64_t busy_ns(const wadi_device *self) {
    return wadi_pool_busy_ns(wadi_cpu_of(self)->pool);
}

static int workers(const wadi_device *self) {
    return wadi_cpu_of(self)->threads;
}

static void destroy(wadi_device *self) {
    wadi_cpu *d = wadi_cpu_of(self);
    for (int i = 0; d->workers != NULL && i < d->threads; i++) {
        wadi_scratch_fini(&d->workers[i].scratch);
        wadi_scratch_fini(&d->workers[i].staging);
    }
    free(d->workers);
    wadi_emissions_fini(&d->own);
    wadi_pool_destroy(d->pool);
    wadi_mutex_fini(&d->lock);
    free(d);
}

static const wadi_device_ops ops = {.rounds = true,
                                    .destroy = destroy,
                                    .busy_ns = busy_ns,
                                    .workers = workers,
                                    .begin = begin,
                                    .end = end,
                                    .launch = launch,
                                    .strips = wadi_cpu_strips,
                                    .turns = wadi_cpu_turns,
                                    .expect = expect,
                                    .finish = finish,
                                    .iota = iota,
                                    .scan = scan,
                                    .count = count,
                                    .gather = gather,
                                    .routine = routine,
                                    .wait = wait};

static wadi_status make_workers(wadi_cpu *d, wadi_buffers *scratch_memory, wadi_error *err) {
    d->threads = wadi_pool_threads(d->pool);
    d->workers = calloc((size_t)d->threads, sizeof *d->workers);
    if (d->workers == NULL) return wadi_fail(err, WADI_MEMORY, "cpu: out of memory");
    for (int i = 0; i < d->threads; i++) {
        wadi_cpu_worker *w = &d->workers[i];
        w->device = d;
        w->work = (wadi_work){.scratch = scratch,
                              .scratch_mark = scratch_mark,
                              .scratch_rewind = scratch_rewind,
                              .emit = emit,
                              .make_room = make_room,
                              .foreign = foreign,
                              .self = w};
        wadi_scratch_init(&w->scratch, scratch_memory);
        wadi_scratch_init(&w->staging, scratch_memory);
    }
    return WADI_OK;
}

wadi_status wadi_cpu_open_at(const wadi_device_options *options, const wadi_residence *residence,
                             wadi_device **out, wadi_error *err) {
    wadi_cpu *d = calloc(1, sizeof *d);
    if (d == NULL) return wadi_fail(err, WADI_MEMORY, "cpu: out of memory");
    d->base.ops = &ops;
    d->base.residence = residence;
    d->base.images = &wadi_cpu_images;
    d->base.shares = true;
    d->emissions = &d->own;
    wadi_status status = wadi_mutex_init(&d->lock, err);
    if (status != WADI_OK) {
        free(d);
        return status;
    }
    status = wadi_pool_create(options->threads, &d->pool, err);
    if (status == WADI_OK) status = make_workers(d, options->buffers, err);
    if (status == WADI_OK) {
        *out = &d->base;
    } else {
        destroy(&d->base);
    }
    return status;
}

wadi_status wadi_cpu_open(const wadi_device_options *options, wadi_device **out, wadi_error *err) {
    return wadi_cpu_open_at(options, NULL, out, err);
}

wadi_status wadi_cpu_open_beside(wadi_device *cpu_device, const wadi_device_options *options,
                                 wadi_device **out, wadi_error *err) {
    WADI_TRY(wadi_cpu_open_at(options, cpu_device->residence, out, err));
    wadi_cpu_of(*out)->emissions = wadi_cpu_of(cpu_device)->emissions;
    return WADI_OK;
}
