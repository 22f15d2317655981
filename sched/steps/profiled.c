/* Charging steps: their time, and what they go through.
 *
 * A step is over when the device has done all of it, so a device with a queue is waited for after each step. What it goes through is read off the
 * descriptors of the slots that it uses. */
#include "sched/steps/steps.h"

/* ---- how much ---- */

/* Values of the slot that lie in memory: elements that overlap count once. */
static int64_t values_of(const wadi_steps *s, int slot) {
    const wadi_plan_slot *p = wadi_slots_plan(s->slots, slot);
    const wadi_slot *is = &s->slots->slot[slot];
    const int64_t elements = wadi_steps_count(s, p->level);
    if (p->rank > 0 && is->shape == NULL) return 0;
    if (p->kind == WADI_SLOT_IRREGULAR)
        return is->offset == NULL ? 0 : is->offset[elements] - is->offset[0];
    const int64_t each = p->rank == 0 ? 1 : wadi_shape_values(p->rank, is->shape);
    if (p->kind == WADI_SLOT_ONCE || elements == 0) return elements == 0 ? 0 : each;
    return is->stride < each ? (elements - 1) * is->stride + each : elements * each;
}

static int64_t width_of(const wadi_plan_slot *p) {
    int64_t bytes = 0;
    for (int f = 0; f < p->fields; f++) bytes += wadi_type_size(p->type[f]);
    return bytes;
}

static bool is_whole_body(const wadi_steps *s, const wadi_plan_step *step) {
    return step->kind == WADI_STEP_RUN && s->parts == 0;
}

static void count(const wadi_steps *s, const wadi_plan_step *step, wadi_account *a) {
    int64_t most = 0;
    for (int i = 0; i < step->nuses; i++) {
        const wadi_plan_use *u = &step->uses[i];
        const int64_t values = values_of(s, u->slot);
        const int64_t bytes = values * width_of(wadi_slots_plan(s->slots, u->slot));
        if (u->reads) a->read += bytes;
        if (u->writes) a->written += bytes;
        if (values > most) most = values;
    }
    a->elements += step->kind == WADI_STEP_RUN ? wadi_steps_count(s, step->level) : most;
}

void wadi_steps_count_bodies(const wadi_steps *s) {
    for (int i = 0; i < s->v->nsteps; i++) {
        const wadi_plan_step *step = &s->v->steps[i];
        if (is_whole_body(s, step)) count(s, step, &s->account[i]);
        if (step->control != NULL)
            i += step->control->part[0].nsteps + step->control->part[1].nsteps;
    }
}

/* ---- how long ---- */

static wadi_account *account_of(const wadi_steps *s, int at) {
    const wadi_step_kind kind = s->v->steps[at].kind;
    if (kind == WADI_STEP_SHAPE || kind == WADI_STEP_ALLOC)
        return &s->profile->of[WADI_PROFILE_SHAPES];
    return &s->account[at];
}

/* A single worker does without it. */
static bool is_left_out(const wadi_steps *s, const wadi_plan_step *step) {
    return step->several && s->device->ops->workers(s->device) == 1;
}

wadi_status wadi_steps_charge(wadi_steps *s, int *i,
                              wadi_status (*take)(wadi_steps *s, int *i, wadi_error *err),
                              wadi_error *err) {
    const int at = *i;
    const wadi_plan_step *step = &s->v->steps[at];
    wadi_device *d = s->device;
    wadi_profile *p = s->profile;
    if (is_left_out(s, step)) return take(s, i, err);
    wadi_account *a = account_of(s, at), *before = wadi_profile_switch(p, a);
    const int64_t busy = d->ops->busy_ns(d), charged = p->busy_ns;
    wadi_status status = take(s, i, err);
    if (status == WADI_OK) status = d->ops->wait(d, err);
    /* without that of the steps within */
    const int64_t own = d->ops->busy_ns(d) - busy - (p->busy_ns - charged);
    a->busy_ns += own;
    p->busy_ns += own;
    a->calls++;
    if (a == &s->account[at] && step->control == NULL && !is_whole_body(s, step) &&
        !wadi_steps_faulted(s))
        for (int k = at; k < *i; k++) count(s, &s->v->steps[k], a);
    (void)wadi_profile_switch(p, before);
    return status;
}
