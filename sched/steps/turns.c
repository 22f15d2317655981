/* Several turns of a loop at once: those of an array that nothing else in the loop depends on (wadi_plan_turns).
 *
 * The other steps of the loop run turn by turn, and so decide how many turns there are; the array's turns wait. When enough of them wait, or the
 * loop is over, the device runs them in strips of rows. Its next value has the same shape each time: the first of the waiting turns makes
 * storage and units for all, in its place among the steps, so that faults are told in their order. Where there is no memory for it, turns run one by
 * one, and the step that has none says so. */
#include "sched/steps/turns.h"

#include <string.h>

#include "base/error.h"

/* Where it pays: both arrays together do not fit into the cache of a worker, and a few rows in a few turns do. */
static const int64_t LARGE = 4 << 20, /* bytes of the arrays, at least */
    NEAR = 384 << 10;                 /* bytes that a strip goes through in all its turns, about */
enum {
    MOST = 8,      /* turns */
    VALUES = 8192, /* of a strip in one turn, about */
    TIMES =
        8, /* a share has so many times the rows that its edge moves in all turns, if workers have as many */
    SHARES = 4 /* of each worker, at most */
};

static int64_t larger(int64_t a, int64_t b) {
    return a > b ? a : b;
}

/* Bytes of a row of all arrays that the step reads row by row, but the state. */
static int64_t row_beside(const wadi_steps *s, const wadi_turns *t) {
    const wadi_plan_step *step = &s->v->steps[t->at + 2];
    const int64_t rows = t->rows;
    int64_t bytes = 0;
    for (int i = 0; i < step->nuses; i++) {
        const int slot = step->uses[i].slot;
        const wadi_plan_slot *p = wadi_slots_plan(s->slots, slot);
        const int64_t *shape = s->slots->slot[slot].shape;
        if (slot == t->from || slot == t->to || p->kind != WADI_SLOT_ONCE || p->rank == 0 ||
            shape == NULL || shape[0] != rows)
            continue;
        bytes += wadi_shape_values(p->rank, shape) / rows * wadi_plan_slot_width(p);
    }
    return bytes;
}

/* Rows and turns; false: it does not pay. */
static bool cut(wadi_turns *t, int64_t row, int64_t values, int workers) {
    const int64_t reach = larger(t->reach, 1);
    int64_t turns = MOST, strip = larger(VALUES / values, 1);
    while (turns > 1 && (strip + (turns + 1) * t->reach) * row > NEAR) turns--;
    t->strip = strip;
    const int64_t each = t->rows / workers;
    while (turns > 1 && each < 4 * turns * reach) turns--;
    t->most = (int)turns;
    t->shares = t->rows / (TIMES * turns * reach);
    if (t->shares > SHARES * workers) t->shares = SHARES * workers;
    if (t->shares < workers) t->shares = workers;
    return turns > 1;
}

bool wadi_turns_pay(wadi_steps *s, int loop, wadi_turns *out) {
    const wadi_plan_control *c = s->v->steps[loop].control;
    *out = (wadi_turns){.value = -1};
    if (c->turns == NULL || s->device->ops->turns == NULL) return false;
    const int from = c->state[c->turns->value], to = c->part[1].yields[c->turns->value];
    const wadi_plan_slot *p = wadi_slots_plan(s->slots, from);
    const int64_t *shape = s->slots->slot[from].shape;
    const int64_t values = wadi_shape_values(p->rank, shape), width = wadi_plan_slot_width(p);
    if (values <= 0 || values > INT64_MAX / 1024 / width) return false;
    const int at = loop + 1 + c->part[0].nsteps + c->turns->step;
    *out = (wadi_turns){.value = c->turns->value,
                        .at = at,
                        .from = from,
                        .to = to,
                        .reach = c->turns->reach,
                        .rows = shape[0]};
    const int64_t row = 2 * width * (values / shape[0]) + row_beside(s, out);
    if (2 * values * width >= LARGE &&
        cut(out, row, values / shape[0], s->device->ops->workers(s->device)))
        return true;
    out->value = -1;
    return false;
}

/* ---- the first of the turns that wait ---- */

static bool same_shape(const wadi_steps *s, const wadi_turns *t) {
    const int rank = wadi_slots_plan(s->slots, t->from)->rank;
    for (int d = 0; d < rank; d++)
        if (s->slots->slot[t->from].shape[d] != s->slots->slot[t->to].shape[d]) return false;
    return true;
}

/* The state has a shape of its own: that of the start may go before the state does. */
static bool own_shape(wadi_slots *slots, int slot) {
    int64_t *shape = slots->slot[slot].shape;
    if (slots->memory[slot].shape != NULL) return true;
    slots->slot[slot].shape = NULL;
    if (!wadi_slots_room_for_shapes(slots, slot, 1)) {
        slots->slot[slot].shape = shape;
        return false;
    }
    memcpy(slots->slot[slot].shape, shape,
           (size_t)wadi_slots_plan(slots, slot)->rank * sizeof *shape);
    return true;
}

/* The state has columns of its own, in which turns may write. Who has columns has the shape too: both move together. False: out of memory; the
 * state is what it was. */
static bool own_columns(wadi_slots *slots, int slot) {
    const wadi_plan_slot *p = wadi_slots_plan(slots, slot);
    if (slots->memory[slot].column[0] != NULL) return true;
    return own_shape(slots, slot) &&
           wadi_slots_room_for_columns(slots, slot,
                                       wadi_shape_values(p->rank, slots->slot[slot].shape));
}

wadi_status wadi_turns_begin(wadi_steps *s, wadi_turns *t, wadi_error *err) {
    WADI_TRY(s->run(s, t->at, t->at + 2, err));
    if (wadi_steps_faulted(s)) return WADI_OK;
    t->first = s->slots->slot[t->from];
    if (!same_shape(s, t) || !own_columns(s->slots, t->from)) {
        t->value = -1;
        return s->run(s, t->at + 2, t->at + 3, err);
    }
    wadi_buffers_put(t->flat.block);
    return wadi_steps_flat_open(s, t->at + 2, &t->flat, err);
}

/* ---- all that wait ---- */

static wadi_status run_waiting(wadi_steps *s, int *i, wadi_error *err) {
    const wadi_turns *t = s->turns;
    ++*i;
    const wadi_device_turns what = {.launch = wadi_steps_flat_launch(s, &t->flat, 0, t->flat.n),
                                    .from = t->from,
                                    .to = t->to,
                                    .first = &t->first,
                                    .turns = t->waiting,
                                    .rows = t->rows,
                                    .strip = t->strip,
                                    .reach = t->reach,
                                    .shares = t->shares};
    if (s->device->ops->turns(s->device, &what)) return WADI_OK;
    if (wadi_stop_called(s->cancel)) return wadi_fail(err, WADI_CANCELLED, "cancelled");
    return wadi_steps_no_memory(err);
}

/* Runs them as one step, and charges it with what all of them compute; but they go through memory once. */
static wadi_status charge_waiting(wadi_steps *s, wadi_turns *t, wadi_error *err) {
    int i = t->at + 2;
    wadi_account *a = s->account != NULL ? &s->account[i] : NULL;
    if (a == NULL) return run_waiting(s, &i, err);
    const wadi_account before = *a;
    WADI_TRY(wadi_steps_charge(s, &i, run_waiting, err));
    a->calls += t->waiting - 1;
    a->elements += (a->elements - before.elements) * (t->waiting - 1);
    for (int w = 0; w < 2; w++)
        a->operations[w] += (a->operations[w] - before.operations[w]) * (t->waiting - 1);
    return WADI_OK;
}

wadi_status wadi_turns_end(wadi_steps *s, wadi_turns *t, wadi_error *err) {
    if (t->value < 0 || t->waiting == 0) return WADI_OK;
    if (t->flat.n % t->rows != 0)
        return wadi_fail(err, WADI_INTERNAL, "plan: rows of a turn have different units");
    s->turns = t;
    WADI_TRY(charge_waiting(s, t, err));
    if (t->waiting % 2 != 0) wadi_slots_move(s->slots, t->to, t->from);
    t->waiting = 0;
    return WADI_OK;
}

void wadi_turns_fini(wadi_turns *t) {
    wadi_buffers_put(t->flat.block);
}
