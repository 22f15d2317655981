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
        return step->strips > 0 ? wadi_step_strips(s, i, err) : wadi_step_alloc(s, step, err);
    case WADI_STEP_RUN:
        return step_run(s, step, kernel, err);
    case WADI_STEP_FLAT:
        return step->rounds > 0 ? wadi_step_rounds(s, i, err) : wadi_step_flat(s, at, err);
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
