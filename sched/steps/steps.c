/* The plain steps. Branches and loops are in control.c. */
#include "base/error.h"
#include "sched/steps/steps.h"

static wadi_status step_shape(wadi_steps *s, const wadi_plan_step *step, wadi_code kernel,
                              wadi_error *err) {
    const int64_t count = wadi_steps_count(s, step->level);
    bool irregular = false;
    for (int i = 0; i < step->nslots; i++) {
        const int slot = step->slots[i];
        wadi_slots_clear(s->slots, slot);
        if (!wadi_slots_room_for_shapes(s->slots, slot, count)) return wadi_steps_no_memory(err);
        irregular = irregular || wadi_slots_plan(s->slots, slot)->kind == WADI_SLOT_IRREGULAR;
    }
    wadi_launch l = {.code = kernel,
                     .count = count,
                     .n = irregular ? count : 1,
                     .serial = step->serial,
                     .touches = &step->touches,
                     .nshapes = step->nslots,
                     .shapes = step->slots};
    wadi_steps_launch(s, &l);
    return WADI_OK;
}

/* The chunk's element that element `e` of a level is. */
static int64_t element(const wadi_steps *s, int level, int64_t e) {
    return wadi_steps_number(s, level, 0, e);
}

static void negative_extent(wadi_steps *s, int place, int64_t element, int rank,
                            const int64_t *shape) {
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
    wadi_steps_note_fault(s, &fault);
}

/* Values in all columns of the slot, from its shapes; -1: a fault. */
static int64_t measure(wadi_steps *s, int slot, int level, int place) {
    const int64_t count = wadi_steps_count(s, level);
    const wadi_plan_slot *p = wadi_slots_plan(s->slots, slot);
    wadi_slot *to = &s->slots->slot[slot];
    const bool irregular = p->kind == WADI_SLOT_IRREGULAR;
    int64_t total = 0;
    if (irregular) to->offset[0] = 0;
    for (int64_t e = 0; e < (irregular ? count : 1); e++) {
        const int64_t *shape = to->shape + e * p->rank;
        const int64_t values = wadi_shape_values(p->rank, shape);
        if (values < 0 || values > INT64_MAX / 16 - total) {
            negative_extent(s, place, element(s, level, e), p->rank, shape);
            return -1;
        }
        total += values;
        if (irregular) to->offset[e + 1] = total;
    }
    if (p->kind != WADI_SLOT_REGULAR) return total;
    to->stride = total;
    if (total > INT64_MAX / 16 / count) {
        negative_extent(s, place, element(s, level, 0), 0, NULL);
        return -1;
    }
    return total * count;
}

/* If memory is short, chunks are made smaller. If even that is not enough, the error names the operator and the place. */
static void no_room(wadi_steps *s, const wadi_plan_step *step, int slot, int64_t values) {
    const wadi_plan_slot *p = wadi_slots_plan(s->slots, slot);
    int64_t width = 0;
    for (int f = 0; f < p->fields; f++) width += wadi_type_size(p->type[f]);
    const wadi_fault fault = {.kind = WADI_FAULT_MEMORY,
                              .place = step->place,
                              .element = element(s, step->level, 0),
                              .linear = -1,
                              .value = {values * width}};
    wadi_steps_note_fault(s, &fault);
}

static wadi_status step_alloc(wadi_steps *s, const wadi_plan_step *step, wadi_error *err) {
    for (int i = 0; i < step->nslots; i++) {
        const int slot = step->slots[i];
        if (wadi_slots_plan(s->slots, slot)->kind == WADI_SLOT_IRREGULAR &&
            !wadi_slots_room_for_offsets(s->slots, slot, wadi_steps_count(s, step->level)))
            return wadi_steps_no_memory(err);
        const int64_t values = measure(s, slot, step->level, step->place);
        if (values < 0) return WADI_OK;
        if (wadi_slots_room_for_columns(s->slots, slot, values)) continue;
        no_room(s, step, slot, values);
        return WADI_OK;
    }
    return WADI_OK;
}

/* A FLAT step at work: the numbers of its units before each element, and all of them. */
typedef struct flat {
    const wadi_plan_step *step;
    wadi_code kernel;
    void *block; /* that holds the numbers */
    int64_t n;
} flat;

/* Counts the units; where that faults there are none. */
static wadi_status flat_open(wadi_steps *s, int at, flat *out, wadi_error *err) {
    const wadi_plan_step *step = &s->v->steps[at];
    const int64_t count = wadi_steps_count(s, step->level);
    wadi_device *d = s->device;
    *out = (flat){.step = step, .kernel = s->running->kernels[at]};
    out->block = wadi_buffers_get(s->slots->columns, (count + 1) * (int64_t)sizeof(int64_t));
    if (out->block == NULL) return wadi_steps_no_memory(err);
    int64_t *unit = wadi_buffers_address(out->block);
    wadi_launch l = {.code = s->running->units[at],
                     .count = count,
                     .n = count,
                     .unit = unit,
                     .touches = &step->units_touch};
    wadi_steps_launch(s, &l);
    if (!wadi_steps_faulted(s)) out->n = d->ops->scan(d, unit, count);
    return WADI_OK;
}

static void flat_run(wadi_steps *s, const flat *f, int64_t first, int64_t n) {
    wadi_launch all = {.code = f->kernel,
                       .count = wadi_steps_count(s, f->step->level),
                       .n = n,
                       .first = first,
                       .unit = wadi_buffers_address(f->block),
                       .touches = &f->step->touches,
                       .serial = f->step->serial,
                       .apart = f->step->apart};
    if (!wadi_steps_faulted(s)) wadi_steps_launch(s, &all);
}

static wadi_status step_flat(wadi_steps *s, int at, wadi_error *err) {
    flat f;
    if (s->v->steps[at].several && s->device->ops->workers(s->device) == 1) return WADI_OK;
    WADI_TRY(flat_open(s, at, &f, err));
    flat_run(s, &f, 0, f.n);
    wadi_buffers_put(f.block);
    return WADI_OK;
}

/* Units that each worker computes of one step before the next step's turn: what they go through stays in its cache. */
enum { ROUND = 8 };

static void flat_rounds(wadi_steps *s, const flat *f, int n) {
    bool alike = s->device->ops->rounds;
    for (int k = 1; k < n; k++) alike = alike && f[k].n == f[0].n;
    for (int k = 0; k < n && !alike; k++) flat_run(s, &f[k], 0, f[k].n);
    const int64_t all = alike ? f[0].n : 0;
    const int64_t round = (int64_t)s->device->ops->workers(s->device) * ROUND;
    for (int64_t from = 0; from < all; from += round)
        for (int k = 0; k < n; k++)
            flat_run(s, &f[k], from, all - from < round ? all - from : round);
}

/* A step and those that run with it; *i is then the number of the step behind them. */
static wadi_status step_rounds(wadi_steps *s, int *i, wadi_error *err) {
    flat f[WADI_STEP_ROUNDS + 1] = {{0}};
    const int at = *i - 1;
    int n = 1;
    while (n <= s->v->steps[at].rounds && at + n < s->v->nsteps &&
           s->v->steps[at + n].kind == WADI_STEP_FLAT)
        n++;
    *i = at + n;
    wadi_status status = WADI_OK;
    for (int k = 0; k < n && status == WADI_OK && !wadi_steps_faulted(s); k++)
        status = flat_open(s, at + k, &f[k], err);
    if (status == WADI_OK) flat_rounds(s, f, n);
    for (int k = 0; k < n; k++) wadi_buffers_put(f[k].block);
    return status;
}

/* The slots that the kernel emits into are whole for the steps after it: in schedule flat these may be temporaries. */
static wadi_status step_run(wadi_steps *s, const wadi_plan_step *step, wadi_code kernel,
                            wadi_error *err) {
    wadi_device *d = s->device;
    const int64_t count = wadi_steps_count(s, step->level);
    for (int i = 0; i < step->nslots; i++) {
        const int slot = step->slots[i];
        const bool bound = s->slots->slot[slot].col[0] != NULL;
        if (bound || wadi_steps_allocate(s, slot)) continue;
        if (!d->ops->expect(d, slot, count)) return wadi_steps_no_memory(err);
    }
    wadi_launch l = {.code = kernel,
                     .count = count,
                     .n = count,
                     .touches = &step->touches,
                     .serial = step->serial};
    wadi_steps_launch(s, &l);
    /* within branches and loops nothing else is being emitted, and rounds may be many */
    if (step->nslots > 0 && !wadi_steps_faulted(s) &&
        !d->ops->finish(d, step->slots, step->nslots, s->parts > 0))
        return wadi_steps_no_memory(err);
    return WADI_OK;
}

/* One step; `*i` is its number, and afterwards that of the step behind it and its parts. */
static wadi_status run_step(wadi_steps *s, int *i, wadi_error *err) {
    const wadi_plan_step *step = &s->v->steps[*i];
    const wadi_code kernel = s->running->kernels[*i];
    const int at = (*i)++;
    switch (step->kind) {
    case WADI_STEP_SHAPE:
        return step_shape(s, step, kernel, err);
    case WADI_STEP_ALLOC:
        return step_alloc(s, step, err);
    case WADI_STEP_RUN:
        return step_run(s, step, kernel, err);
    case WADI_STEP_FLAT:
        return step->rounds > 0 ? step_rounds(s, i, err) : step_flat(s, at, err);
    case WADI_STEP_FOREIGN:
        return wadi_step_foreign(s, step, err);
    case WADI_STEP_MANY:
        return wadi_step_many(s, step, err);
    case WADI_STEP_SINGLE:
        return wadi_step_single(s, step, err);
    case WADI_STEP_COND:
    case WADI_STEP_LOOP:
        *i += step->control->part[0].nsteps + step->control->part[1].nsteps;
        return step->kind == WADI_STEP_COND ? wadi_step_cond(s, at, err)
                                            : wadi_step_loop(s, at, err);
    }
    return wadi_fail(err, WADI_INTERNAL, "plan: step of unknown kind %d", (int)step->kind);
}

static wadi_status run_steps(wadi_steps *s, int from, int to, wadi_error *err) {
    for (int i = from; i < to && !wadi_steps_faulted(s);) {
        if (wadi_stop_called(s->cancel)) return wadi_fail(err, WADI_CANCELLED, "cancelled");
        const int at = i;
        WADI_TRY(s->account == NULL ? run_step(s, &i, err)
                                    : wadi_steps_charge(s, &i, run_step, err));
        for (int k = at; k < i && s->parts == 0 && s->last_uses != NULL; k++)
            WADI_TRY(wadi_steps_drop(s, k, err));
    }
    return WADI_OK;
}

wadi_status wadi_steps_run(wadi_steps *s, wadi_error *err) {
    s->parts = 0;
    s->level[0].elements = s->job->count;
    s->run = run_steps;
    return run_steps(s, 0, s->v->nsteps, err);
}
