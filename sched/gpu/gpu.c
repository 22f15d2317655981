/* The device: its parts put together, and launches. */
#include "sched/gpu/gpu.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "sched/gpu/emissions.h"
#include "sched/gpu/groups.h"
#include "sched/gpu/memo.h"
#include "sched/gpu/memory.h"
#include "sched/gpu/mirror.h"
#include "sched/gpu/primitives.h"
#include "sched/gpu/room.h"
#include "sched/gpu/transforms.h"

typedef struct gpu {
    wadi_device base;
    wadi_gpu_driver *driver; /* the residence's */
    wadi_residence residence;
    wadi_gpu_mirror mirror;
    wadi_gpu_memo memo;
    wadi_gpu_emissions emissions;
    wadi_gpu_room room;
    wadi_gpu_primitives primitives;
    wadi_device_work work; /* at work */
} gpu;

static gpu *gpu_of(const wadi_device *self) {
    return (gpu *)(uintptr_t)self;
}

/* ---- launches ---- */

/* Work is shared out as if for so many workers. There are at least two: what one alone would do in order, groups do together. */
static int workers(const wadi_device *self) {
    const int units = gpu_of(self)->driver->units;
    return units > 2 ? units : 2;
}

/* Kernels by groups get a group for each round, kernels by items have more items then than they need. */
static int64_t groups_for(const gpu *d, const wadi_launch *l) {
    return wadi_gpu_groups(d->driver, l->code, l->serial ? 1 : l->n);
}

/* How many items have a region of scratch memory, from the first on: those that have a round. Of kernels by groups, which run over units,
 * any item of a group may. */
static int64_t owners_of(const wadi_launch *l, int64_t groups) {
    const int64_t items = groups * WADI_GPU_LANES;
    if (l->unit != NULL) return items;
    return l->serial ? 1 : l->n < items ? l->n : items;
}

static void set_fault(wadi_launch *l, wadi_fault_kind kind) {
    l->fault = (wadi_fault){.kind = (int32_t)kind, .place = -1, .linear = -1};
}

static void take_fault(wadi_launch *l, const wadi_gpu_fault *f) {
    l->fault = (wadi_fault){.kind = f->kind,
                            .place = f->place,
                            .element = f->element,
                            .linear = f->linear,
                            .rank = f->rank};
    memcpy(l->fault.value, f->value, sizeof l->fault.value);
    memcpy(l->fault.index, f->index, sizeof l->fault.index);
}

/* Whether there is nothing to settle. Then nobody waits for the launch, unless it writes shapes. */
static bool is_quiet(const gpu *d, const wadi_launch *l) {
    return l->touches != NULL && l->touches->quiet && d->emissions.expected == 0;
}

/* What the launch left behind. */
static void settle(gpu *d, wadi_launch *l) {
    const wadi_gpu_state state = wadi_gpu_mirror_read(&d->mirror, d->work.slots, l);
    wadi_gpu_room_took(&d->room, state.taken, d->emissions.expected > 0);
    if (state.fault.kind != WADI_FAULT_NONE) take_fault(l, &state.fault);
    if (state.fault.kind == WADI_FAULT_MEMORY) wadi_gpu_room_was_short(&d->room);
}

static void launch(wadi_device *self, wadi_launch *l) {
    gpu *d = gpu_of(self);
    l->fault.kind = WADI_FAULT_NONE; /* nothing else is read then */
    if (l->n <= 0) return;
    const int64_t groups = groups_for(d, l);
    wadi_gpu_call call = {.begin = l->first,
                          .n = l->first + l->n,
                          .step = l->serial ? l->n : 1,
                          .first = d->work.first,
                          .count = l->count,
                          .workers = d->work.workers > 0 ? d->work.workers : workers(self),
                          .unit = wadi_gpu_address(l->unit)};
    if (wadi_stop_called(d->work.stop)) {
        set_fault(l, WADI_FAULT_CANCELLED);
    } else if (wadi_gpu_memo_ask(&d->memo, &d->residence, &d->emissions, d->work.slots, l,
                                 call.workers)) {
        return; /* all that the kernel would say is known */
    } else if (d->primitives.failed != WADI_OK ||
               !wadi_gpu_mirror_send(&d->mirror, d->work.slots, &d->emissions, l, &call)) {
        set_fault(l, WADI_FAULT_MEMORY); /* or worse: `wait` tells */
    } else {
        wadi_gpu_room_give(&d->room, owners_of(l, groups), &call);
        d->driver->ops->launch(d->driver, l->code, groups, &call);
        if (is_quiet(d, l))
            wadi_gpu_mirror_read_shapes(&d->mirror, d->work.slots, l);
        else
            settle(d, l);
        wadi_gpu_memo_note_shapes(&d->memo, d->work.slots, l);
    }
}

/* ---- a version ---- */

static bool begin(wadi_device *self, const wadi_device_work *work) {
    gpu *d = gpu_of(self);
    d->work = *work;
    wadi_gpu_room_begin(&d->room);
    return wadi_gpu_emissions_begin(&d->emissions, &d->residence, work->slots);
}

static void end(wadi_device *self) {
    gpu *d = gpu_of(self);
    wadi_gpu_emissions_reset(&d->emissions);
    wadi_gpu_room_clear(&d->room);
}

static bool expect(wadi_device *self, int slot, int64_t count) {
    return wadi_gpu_emissions_expect(&gpu_of(self)->emissions, slot, count);
}

static bool finish(wadi_device *self, const int *slots, int n, bool whole) {
    gpu *d = gpu_of(self);
    if (!wadi_gpu_emissions_finish(&d->emissions, slots, n, &d->primitives)) return false;
    if (whole) wadi_gpu_room_clear(&d->room);
    return true;
}

/* ---- primitives ---- */

static void iota(wadi_device *self, int64_t *to, int64_t n, int64_t first) {
    wadi_gpu_iota_run(&gpu_of(self)->primitives, to, n, first);
}

static int64_t scan(wadi_device *self, int64_t *at, int64_t n) {
    gpu *d = gpu_of(self);
    if (n <= WADI_GPU_FEW) return wadi_gpu_memo_scan(&d->memo, &d->residence, at, n);
    return wadi_gpu_scan_run(&d->primitives, at, n);
}

static int64_t count(wadi_device *self, const void *bools, int64_t n) {
    return wadi_gpu_count_run(&gpu_of(self)->primitives, bools, n);
}

static void gather(wadi_device *self, const wadi_device_gather *g) {
    wadi_gpu_gather_run(&gpu_of(self)->primitives, g);
}

static bool routine(wadi_device *self, const wadi_device_calls *batch) {
    return wadi_gpu_transforms_run(&gpu_of(self)->primitives, batch);
}

static wadi_status wait(wadi_device *self, wadi_error *err) {
    gpu *d = gpu_of(self);
    const wadi_status failed = wadi_gpu_primitives_tell(&d->primitives, err);
    const wadi_status status = wadi_gpu_wait(d->driver, err);
    return status != WADI_OK ? status : failed;
}

/* ---- life ---- */

static int64_t busy_ns(const wadi_device *self) {
    const gpu *d = gpu_of(self);
    return d->driver->ops->busy_ns(d->driver);
}

static void destroy(wadi_device *self) {
    gpu *d = gpu_of(self);
    (void)d->driver->ops->wait(d->driver, NULL); /* kernels that go must have ended */
    wadi_gpu_mirror_fini(&d->mirror);
    wadi_gpu_memo_fini(&d->memo);
    wadi_gpu_emissions_fini(&d->emissions);
    wadi_gpu_room_fini(&d->room);
    wadi_gpu_primitives_fini(&d->primitives);
    wadi_gpu_residence_fini(&d->residence);
    free(d);
}

static const wadi_device_ops ops = {.destroy = destroy,
                                    .busy_ns = busy_ns,
                                    .workers = workers,
                                    .begin = begin,
                                    .end = end,
                                    .launch = launch,
                                    .expect = expect,
                                    .finish = finish,
                                    .iota = iota,
                                    .scan = scan,
                                    .count = count,
                                    .gather = gather,
                                    .routine = routine,
                                    .wait = wait};

wadi_status wadi_gpu_open(wadi_gpu_driver *owned_driver, const wadi_device_options *options,
                          wadi_device **out, wadi_error *err) {
    gpu *d = calloc(1, sizeof *d);
    if (d == NULL) {
        const wadi_status status =
            wadi_fail(err, WADI_MEMORY, "%s: out of memory", owned_driver->name);
        owned_driver->ops->destroy(owned_driver);
        return status;
    }
    const wadi_status status =
        wadi_gpu_residence_init(&d->residence, owned_driver, options->keep_bytes, err);
    if (status != WADI_OK) {
        free(d);
        return status;
    }
    d->driver = owned_driver;
    wadi_gpu_mirror_init(&d->mirror, &d->residence, options->buffers);
    wadi_gpu_room_init(&d->room, owned_driver, d->residence.blocks);
    wadi_gpu_primitives_init(&d->primitives, owned_driver, &d->residence, options->buffers);
    d->base.ops = &ops;
    d->base.residence = &d->residence;
    d->base.images = owned_driver->images;
    d->base.shares = true;
    *out = &d->base;
    return WADI_OK;
}
