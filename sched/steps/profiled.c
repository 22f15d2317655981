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

static bool uses(const wadi_plan_step *step, int slot) {
    for (int i = 0; i < step->nuses; i++)
        if (step->uses[i].slot == slot) return true;
    return false;
}

/* Whether the step computes this, and all extents are described. */
static bool is_done(const wadi_steps *s, const wadi_plan_step *step, const wadi_plan_work *w) {
    if (w->by >= 0 && !uses(step, w->by)) return false;
    for (int d = 0; d < w->rank; d++) {
        const int slot = w->extent[d].slot;
        if (slot < 0) continue;
        const bool once = wadi_slots_plan(s->slots, slot)->kind == WADI_SLOT_ONCE;
        if (s->slots->slot[slot].shape == NULL || !(once || uses(step, slot))) return false;
    }
    return true;
}

static double extent_of(const wadi_steps *s, const wadi_plan_step *step, const wadi_plan_where *w,
                        int64_t element) {
    if (w->slot < 0) return (double)w->value;
    const wadi_plan_slot *p = wadi_slots_plan(s->slots, w->slot);
    const int64_t *shape = s->slots->slot[w->slot].shape;
    if (p->kind == WADI_SLOT_IRREGULAR)
        shape += wadi_steps_number(s, step->level, p->level, element) * p->rank;
    return (double)shape[w->dim];
}

static bool varies(const wadi_steps *s, const wadi_plan_work *w) {
    for (int d = 0; d < w->rank; d++)
        if (w->extent[d].slot >= 0 &&
            wadi_slots_plan(s->slots, w->extent[d].slot)->kind == WADI_SLOT_IRREGULAR)
            return true;
    return false;
}

static double operations_of(const wadi_steps *s, const wadi_plan_step *step,
                            const wadi_plan_work *w) {
    const int64_t elements = wadi_steps_count(s, step->level), n = varies(s, w) ? elements : 1;
    double sum = 0;
    if (elements == 0 || !is_done(s, step, w)) return 0;
    for (int64_t e = 0; e < n; e++) {
        double values = w->operations;
        for (int d = 0; d < w->rank; d++) values *= extent_of(s, step, &w->extent[d], e);
        sum += values;
    }
    return n == elements ? sum : sum * (double)elements;
}

static bool is_whole_body(const wadi_steps *s, const wadi_plan_step *step) {
    return step->kind == WADI_STEP_RUN && s->parts == 0;
}

/* Of the slot that the step writes most of. */
static int64_t values_written(const wadi_steps *s, const wadi_plan_step *step) {
    int64_t most = 0;
    for (int i = 0; i < step->nuses; i++) {
        const int64_t values = step->uses[i].writes ? values_of(s, step->uses[i].slot) : 0;
        if (values > most) most = values;
    }
    return most;
}

/* Values that the step reads of a slot: some kernels read few elements of a large array. */
static int64_t values_read(const wadi_steps *s, const wadi_plan_use *u, int64_t written) {
    const int64_t values = values_of(s, u->slot);
    return u->whole || values / u->each < written ? values : u->each * written;
}

/* Whether one of the steps before it, which run with it, has had the slot in the cache. */
static bool had(const wadi_plan_step *step, int before, int slot, bool reads) {
    for (int k = 1; k <= before; k++)
        for (int i = 0; i < step[-k].nuses; i++)
            if (step[-k].uses[i].slot == slot &&
                (reads ? step[-k].uses[i].reads : step[-k].uses[i].writes))
                return true;
    return false;
}

/* Whether the slot is the state of a fold: another array for each element. */
static bool is_state(const wadi_plan *p, int slot) {
    for (int i = 0; i < p->nphases; i++)
        if (p->phases[i].is_stream && wadi_plan_stream_keeps(&p->phases[i].stream, slot))
            return true;
    return false;
}

/* Of an array that is the same for all chunks, a kernel may read at places that data tell: a few for each chunk, all of it together. What is
 * certain to come from memory is all of it, once. */
static bool has_come(const wadi_steps *s, const wadi_plan_use *u, const wadi_account *a) {
    return u->by_data && !u->writes && s->parts == 0 && a->calls > 1 &&
           wadi_slots_plan(s->slots, u->slot)->kind == WADI_SLOT_ONCE &&
           !is_state(s->slots->plan, u->slot);
}

/* Whether one of the steps before it, which run with it in strips, would have made the slot, but does not. */
static bool is_left(const wadi_plan_step *step, int before, int slot) {
    if (before == 0 || step[-before].strips == 0) return false;
    for (int k = 1; k <= before; k++)
        if (step[-k].kind == WADI_STEP_ALLOC && step[-k].strips > 0 && step[-k].slots[0] == slot)
            return true;
    return false;
}

/* Adds what the step moves to the account, and its operations. Returns how many elements it goes through. before: so many steps before it
 * run with it, in rounds or in strips. */
static int64_t count(const wadi_steps *s, const wadi_plan_step *step, int before, wadi_account *a) {
    const int64_t written = values_written(s, step);
    int64_t most = 0;
    for (int i = 0; i < step->nuses; i++) {
        const wadi_plan_use *u = &step->uses[i];
        const int64_t width = wadi_plan_slot_width(wadi_slots_plan(s->slots, u->slot));
        const int64_t read = u->reads ? values_read(s, u, written) : 0;
        const int64_t values = u->writes ? values_of(s, u->slot) : read;
        if (is_left(step, before, u->slot)) continue;
        if (u->reads && !had(step, before, u->slot, true) && !has_come(s, u, a))
            a->read += read * width;
        if (u->writes && !had(step, before, u->slot, false)) a->written += values * width;
        if (values > most) most = values;
    }
    for (int i = 0; i < step->nworks; i++)
        a->operations[step->works[i].wide] += operations_of(s, step, &step->works[i]);
    return step->kind == WADI_STEP_RUN ? wadi_steps_count(s, step->level) : most;
}

/* Counts the steps [from, to), which have run together. */
static void count_steps(const wadi_steps *s, int from, int to, wadi_account *a) {
    int64_t most = 0;
    for (int k = from; k < to; k++) {
        const int64_t elements = count(s, &s->v->steps[k], k - from, a);
        if (elements > most) most = elements;
    }
    a->elements += most;
}

void wadi_steps_count_bodies(const wadi_steps *s) {
    for (int i = 0; i < s->v->nsteps; i++) {
        const wadi_plan_step *step = &s->v->steps[i];
        if (is_whole_body(s, step)) count_steps(s, i, i + 1, &s->account[i]);
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
    p->busy_ns += own;
    if (*i > at + 1 &&
        (step->strips > 0 ||
         step->kind == WADI_STEP_FLAT)) /* in rounds or strips: the last step has the name */
        p->at = a = &s->account[*i - 1];
    a->calls++;
    a->busy_ns += own;
    if (a != &s->profile->of[WADI_PROFILE_SHAPES] && step->control == NULL &&
        !is_whole_body(s, step) && !wadi_steps_faulted(s))
        count_steps(s, at, *i, a);
    (void)wadi_profile_switch(p, before);
    return status;
}
