/* Giving back memory as soon as no later step reads it, so that later arrays of the version get it.
 *
 * That is done for what plain steps make. What branches and loops pass on may refer to the memory of other slots, so it stays. On a device whose
 * memory is its own, other queues than that of its kernels may write into what is given back; so the device is waited for first, and only
 * large arrays are worth that. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "sched/steps/steps.h"

static const int64_t LARGE = 1 << 20; /* bytes */

/* ---- who is used last by whom ---- */

typedef struct slot_life {
    int last; /* step; -1: none */
    bool made, barred;
} slot_life;

static void bar(slot_life *of, int n, const int *slots) {
    for (int i = 0; slots != NULL && i < n; i++)
        if (slots[i] >= 0) of[slots[i]].barred = true;
}

static void bar_control(slot_life *of, const wadi_plan_control *c) {
    bar(of, 1, &c->predicate);
    bar(of, c->nvalues, c->results);
    bar(of, c->nvalues, c->init);
    bar(of, c->nvalues, c->state);
    for (int i = 0; i < 2; i++) bar(of, c->nvalues, c->part[i].yields);
}

static int parts_of(const wadi_plan_step *s) {
    return s->control != NULL ? s->control->part[0].nsteps + s->control->part[1].nsteps : 0;
}

/* `step` is part of step `top`. False: it is not known what its kernels use. */
static bool follow(slot_life *of, const wadi_plan_step *step, int top, bool plain) {
    const bool runs = step->kind == WADI_STEP_RUN || step->kind == WADI_STEP_FLAT;
    if (runs && step->nuses == 0) return false;
    for (int i = 0; i < step->nuses; i++) of[step->uses[i].slot].last = top;
    if (step->control != NULL) bar_control(of, step->control);
    if (step->kind == WADI_STEP_MANY || step->kind == WADI_STEP_SINGLE) {
        bar(of, step->nslots, step->slots);
        bar(of, step->nslots, step->reads);
    }
    if (!plain) bar(of, step->nslots, step->slots);
    const bool makes = step->kind == WADI_STEP_ALLOC || step->kind == WADI_STEP_RUN;
    for (int i = 0; makes && i < step->nslots; i++) of[step->slots[i]].made = true;
    return true;
}

static bool follow_all(slot_life *of, const wadi_plan_version *v) {
    for (int i = 0; i < v->nsteps; i++) {
        const int parts = parts_of(&v->steps[i]);
        for (int k = 0; k <= parts; k++)
            if (!follow(of, &v->steps[i + k], i, k == 0)) return false;
        i += parts;
    }
    return true;
}

static bool is_inner(const wadi_plan_body *b, int result) {
    return b->inner != NULL && b->inner[result];
}

/* What others read, or the runtime itself. */
static void bar_others(slot_life *of, const wadi_plan_body *b, const wadi_plan_version *v) {
    for (int i = 0; i < b->nresults; i++)
        if (!is_inner(b, i)) of[b->results[i]].barred = true;
    bar(of, 1, &b->index_slot);
    for (int i = 0; i < v->nlevels; i++) bar(of, 1, &v->levels[i].map);
}

static bool ends_with(const slot_life *l, int step) {
    return l->made && !l->barred && l->last == step;
}

static int *list(const slot_life *of, int nslots, int nsteps) {
    int *f = malloc(((size_t)nsteps + 1 + (size_t)nslots) * sizeof *f);
    int at = nsteps + 1;
    if (f == NULL) return NULL;
    for (int i = 0; i <= nsteps; i++) f[i] = 0;
    for (int k = 0; k < nslots; k++)
        if (of[k].last >= 0 && ends_with(&of[k], of[k].last)) f[of[k].last]++;
    for (int i = 0; i <= nsteps; i++) { /* where those of the next step begin */
        at += f[i];
        f[i] = at;
    }
    for (int k = nslots - 1; k >= 0; k--)
        if (of[k].last >= 0 && ends_with(&of[k], of[k].last)) f[--f[of[k].last]] = k;
    return f;
}

int *wadi_steps_find_last_uses(const wadi_plan *plan, const wadi_plan_body *body,
                               const wadi_plan_version *v) {
    const int n = plan->nslots + v->nslots;
    slot_life *of = calloc((size_t)n + 1, sizeof *of);
    int *f = NULL;
    if (of == NULL) return NULL;
    for (int i = 0; i < n; i++) of[i].last = -1;
    if (follow_all(of, v)) {
        bar_others(of, body, v);
        f = list(of, n, v->nsteps);
    }
    free(of);
    return f;
}

/* ---- giving back ---- */

wadi_status wadi_steps_drop(wadi_steps *s, int step, wadi_error *err) {
    const int *f = s->last_uses, from = f[step], to = f[step + 1];
    int64_t bytes = 0;
    bool once = true;
    for (int i = from; i < to; i++) {
        bytes += wadi_slots_column_bytes(s->slots, f[i]);
        once = once && wadi_slots_plan(s->slots, f[i])->kind == WADI_SLOT_ONCE;
    }
    const bool is_cheap = once && s->slots->residence == NULL;
    if (bytes == 0 || (bytes < LARGE && !is_cheap)) return WADI_OK;
    WADI_TRY(s->device->ops->wait(s->device, err));
    for (int i = from; i < to; i++) wadi_slots_drop(s->slots, f[i]);
    return WADI_OK;
}

void wadi_steps_drop_inner(const wadi_steps *s, const wadi_plan_body *body) {
    for (int i = 0; i < body->nresults; i++)
        if (is_inner(body, i)) wadi_slots_drop(s->slots, body->results[i]);
}
