/* Every call works with the device `cpu` at the addresses where this device sees its memory, or opens the memory and closes it. Each launch
 * gets a description of all slots for its kernels: one block with the table, and after it the shapes and offsets. The parts that kernels
 * write (shapes, and the sizes of elements that they emit) are copied back. */
#include "sched/null/null.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "sched/cpu/cpu.h"
#include "sched/null/memory.h"

typedef struct null {
    wadi_device base;
    wadi_device *cpu;
    wadi_null_memory *memory; /* the pool's */
    wadi_residence residence;
    wadi_traffic traffic;
    wadi_buffers *buffers;
    wadi_slots *slots; /* of the version at work */
} null;

static null *null_of(const wadi_device *self) {
    return (null *)(uintptr_t)self;
}

/* False: nothing can be done any more, and `wait` says so. */
static bool open_memory(const null *d) {
    return wadi_null_memory_open(d->memory);
}

static void close_memory(const null *d) {
    wadi_null_memory_close(d->memory);
}

static void *view(const null *d, const void *at) {
    return wadi_null_memory_view(d->memory, at);
}

/* ---- copies ---- */

static void move(void *self, void *to, const void *from, int64_t bytes) {
    memcpy(view(self, to), view(self, from), (size_t)bytes);
}

static wadi_status check(void *self, wadi_error *err) {
    const null *d = self;
    return wadi_null_memory_check(d->memory, err);
}

/* ---- slots as kernels see them ---- */

static const int64_t word = (int64_t)sizeof(int64_t);

typedef struct mirror {
    void *host, *block; /* what is copied, and where it goes */
    void *at;           /* the latter, as the device itself sees it */
    int64_t used;       /* bytes of both so far */
} mirror;

static int64_t mirror_bytes(const wadi_slots *s) {
    int64_t bytes = wadi_slots_count(s) * (int64_t)sizeof(wadi_slot);
    for (int i = 0; i < wadi_slots_count(s); i++)
        bytes += (wadi_slots_shape_words(s, i) + wadi_slots_offset_words(s, i)) * word;
    return bytes;
}

/* Where n numbers will be that are copied from `from`. */
static int64_t *add_words(mirror *m, const int64_t *from, int64_t n) {
    if (from == NULL) return NULL;
    int64_t *to = (int64_t *)((char *)m->at + m->used);
    if (n > 0) memcpy((char *)m->host + m->used, from, (size_t)(n * word));
    m->used += n * word;
    return to;
}

/* Columns as the device itself sees them. */
static void view_columns(const null *d, wadi_slot *slot) {
    for (int f = 0; f < WADI_KERNEL_FIELDS; f++)
        if (slot->col[f] != NULL) slot->col[f] = view(d, slot->col[f]);
}

static void describe(const null *d, mirror *m) {
    const wadi_slots *s = d->slots;
    wadi_slot *table = m->host;
    m->used = wadi_slots_count(s) * (int64_t)sizeof(wadi_slot);
    for (int i = 0; i < wadi_slots_count(s); i++) {
        table[i] = s->slot[i];
        view_columns(d, &table[i]);
        table[i].shape = add_words(m, s->slot[i].shape, wadi_slots_shape_words(s, i));
        table[i].offset = add_words(m, s->slot[i].offset, wadi_slots_offset_words(s, i));
    }
}

/* Copies back the shapes that a kernel has written, and the sizes of emitted elements. */
static void read_back(const null *d, const mirror *m, int slot) {
    const wadi_slot *seen = (const wadi_slot *)m->host + slot;
    const wadi_slot *to = &d->slots->slot[slot];
    wadi_residence_get(&d->residence, to->shape, seen->shape,
                       wadi_slots_shape_words(d->slots, slot) * word);
    wadi_residence_get(&d->residence, to->offset, seen->offset,
                       wadi_slots_offset_words(d->slots, slot) * word);
}

static void no_memory(wadi_launch *l, int64_t bytes) {
    l->fault = (wadi_fault){.kind = WADI_FAULT_MEMORY, .place = -1, .linear = -1, .value = {bytes}};
}

static bool emits(const null *d) {
    for (int i = 0; i < wadi_slots_count(d->slots); i++)
        if (wadi_cpu_is_expected(d->cpu, i)) return true;
    return false;
}

/* Room for what is emitted is made as kernels run, at addresses of blocks: for that the memory is open. */
static void launch_with(const null *d, mirror *m, wadi_launch *l) {
    const wadi_slots *s = d->slots;
    const bool opens = emits(d);
    wadi_launch seen = *l;
    m->at = view(d, wadi_buffers_address(m->block));
    describe(d, m);
    memcpy(m->at, m->host, (size_t)m->used);
    if (opens && !open_memory(d)) {
        no_memory(l, m->used);
        return;
    }
    seen.table = m->at;
    seen.unit = view(d, l->unit);
    d->cpu->ops->launch(d->cpu, &seen);
    l->fault = seen.fault;
    if (opens) close_memory(d);
    for (int i = 0; i < l->nshapes; i++) read_back(d, m, l->shapes[i]);
    for (int i = 0; opens && i < wadi_slots_count(s); i++)
        if (wadi_cpu_is_expected(d->cpu, i)) read_back(d, m, i);
}

static void launch(wadi_device *self, wadi_launch *l) {
    const null *d = null_of(self);
    const int64_t bytes = mirror_bytes(d->slots);
    mirror m = {.host = wadi_buffers_get(d->buffers, bytes),
                .block = wadi_buffers_get(d->residence.blocks, bytes)};
    if (m.host != NULL && m.block != NULL)
        launch_with(d, &m, l);
    else
        no_memory(l, bytes);
    wadi_buffers_put(m.host);
    wadi_buffers_put(m.block);
}

/* ---- the rest, which the processors do ---- */

static bool begin(wadi_device *self, const wadi_device_work *work) {
    null *d = null_of(self);
    d->slots = work->slots;
    return d->cpu->ops->begin(d->cpu, work);
}

static void end(wadi_device *self) {
    const null *d = null_of(self);
    d->cpu->ops->end(d->cpu);
}

static bool expect(wadi_device *self, int slot, int64_t n) {
    const null *d = null_of(self);
    if (!open_memory(d)) return false;
    const bool made = d->cpu->ops->expect(d->cpu, slot, n);
    close_memory(d);
    return made;
}

static bool finish(wadi_device *self, const int *slots, int n, bool whole) {
    const null *d = null_of(self);
    if (!open_memory(d)) return false;
    const bool made = d->cpu->ops->finish(d->cpu, slots, n, whole);
    close_memory(d);
    return made;
}

static void iota(wadi_device *self, int64_t *to, int64_t n, int64_t first) {
    const null *d = null_of(self);
    d->cpu->ops->iota(d->cpu, view(d, to), n, first);
}

static int64_t scan(wadi_device *self, int64_t *at, int64_t n) {
    const null *d = null_of(self);
    return d->cpu->ops->scan(d->cpu, view(d, at), n);
}

static int64_t count(wadi_device *self, const void *bools, int64_t n) {
    const null *d = null_of(self);
    return d->cpu->ops->count(d->cpu, view(d, bools), n);
}

static void gather(wadi_device *self, const wadi_device_gather *g) {
    const null *d = null_of(self);
    if (!open_memory(d)) return;
    d->cpu->ops->gather(d->cpu, g);
    close_memory(d);
}

static bool routine(wadi_device *self, const wadi_device_calls *batch) {
    const null *d = null_of(self);
    if (!open_memory(d)) return false;
    const bool done = d->cpu->ops->routine(d->cpu, batch);
    close_memory(d);
    return done;
}

static wadi_status wait(wadi_device *self, wadi_error *err) {
    const null *d = null_of(self);
    WADI_TRY(wadi_null_memory_check(d->memory, err));
    return d->cpu->ops->wait(d->cpu, err);
}

static int64_t busy_ns(const wadi_device *self) {
    const null *d = null_of(self);
    return d->cpu->ops->busy_ns(d->cpu);
}

static int workers(const wadi_device *self) {
    const null *d = null_of(self);
    return d->cpu->ops->workers(d->cpu);
}

/* ---- life ---- */

static void destroy(wadi_device *self) {
    null *d = null_of(self);
    if (d->cpu != NULL) d->cpu->ops->destroy(d->cpu);
    wadi_buffers_release(d->residence.blocks);
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

static wadi_status make_parts(null *d, const wadi_device_options *options, wadi_error *err) {
    WADI_TRY(wadi_null_memory_create(&d->memory, err));
    const wadi_memory memory = wadi_null_memory_of(d->memory);
    const wadi_status status =
        wadi_buffers_create(&memory, options->keep_bytes, &d->residence.blocks, err);
    if (status != WADI_OK) {
        memory.done(memory.self);
        return status;
    }
    d->residence.put = d->residence.get = d->residence.copy = move;
    d->residence.check = check;
    d->residence.self = d;
    d->residence.traffic = &d->traffic;
    return wadi_cpu_open_at(options, &d->residence, &d->cpu, err);
}

wadi_status wadi_null_open(const wadi_device_options *options, wadi_device **out, wadi_error *err) {
    null *d = calloc(1, sizeof *d);
    if (d == NULL) return wadi_fail(err, WADI_MEMORY, "null: out of memory");
    d->base.ops = &ops;
    d->base.residence = &d->residence;
    d->buffers = options->buffers;
    const wadi_status status = make_parts(d, options, err);
    if (status == WADI_OK) {
        d->base.images = d->cpu->images;
        *out = &d->base;
    } else {
        destroy(&d->base);
    }
    return status;
}
