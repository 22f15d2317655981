/* FLAT steps: one alone, several by rounds, or several in strips. */
#include "base/error.h"
#include "sched/steps/flat.h"

typedef wadi_steps_flat flat;

wadi_status wadi_steps_flat_open(wadi_steps *s, int at, flat *out, wadi_error *err) {
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

wadi_launch wadi_steps_flat_launch(const wadi_steps *s, const flat *f, int64_t first, int64_t n) {
    return (wadi_launch){.code = f->kernel,
                         .count = wadi_steps_count(s, f->step->level),
                         .n = n,
                         .first = first,
                         .unit = wadi_buffers_address(f->block),
                         .touches = &f->step->touches,
                         .serial = f->step->serial,
                         .apart = f->step->apart};
}

static void flat_run(wadi_steps *s, const flat *f, int64_t first, int64_t n) {
    wadi_launch all = wadi_steps_flat_launch(s, f, first, n);
    if (!wadi_steps_faulted(s)) wadi_steps_launch(s, &all);
}

wadi_status wadi_step_flat(wadi_steps *s, int at, wadi_error *err) {
    flat f;
    if (s->v->steps[at].several && s->device->ops->workers(s->device) == 1) return WADI_OK;
    WADI_TRY(wadi_steps_flat_open(s, at, &f, err));
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
wadi_status wadi_step_rounds(wadi_steps *s, int *i, wadi_error *err) {
    flat f[WADI_STEP_ROUNDS + 1] = {{0}};
    const int at = *i - 1;
    int n = 1;
    while (n <= s->v->steps[at].rounds && at + n < s->v->nsteps &&
           s->v->steps[at + n].kind == WADI_STEP_FLAT)
        n++;
    *i = at + n;
    wadi_status status = WADI_OK;
    for (int k = 0; k < n && status == WADI_OK && !wadi_steps_faulted(s); k++)
        status = wadi_steps_flat_open(s, at + k, &f[k], err);
    if (status == WADI_OK) flat_rounds(s, f, n);
    for (int k = 0; k < n; k++) wadi_buffers_put(f[k].block);
    return status;
}

/* ---- strips ---- */

/* Where strips pay: what is not stored does not fit into the caches that workers share, and computing the halos takes little. */
static const int64_t LARGE = 8 << 20, /* bytes that are not stored, at least */
    NEAR = 384 << 10;                 /* bytes of a strip, about */
enum {
    TIMES = 8 /* a strip has so many times the rows of a halo */,
    SHARES = 4 /* strips of each worker, at least, unless they would be too small for the halo */
};

/* Steps in strips: each has storage in front of it, which is not made if only these steps read it. */
typedef struct strips {
    int n, end;                  /* end: the number of the step behind them */
    int flat[WADI_STEP_STRIPS];  /* [n] steps */
    int halo[WADI_STEP_STRIPS];  /* [n] */
    int nkept, nwhole;           /* slots that are not stored, and steps that store the others */
    int slots[WADI_STEP_STRIPS]; /* [nkept] */
    int64_t values[WADI_STEP_STRIPS]; /* [nkept] of a row */
    int whole[WADI_STEP_STRIPS];      /* [nwhole] steps */
} strips;

static bool add_storage(strips *x, const wadi_plan_step *step, int at) {
    const bool kept = step->strips > 0;
    if (step->kind != WADI_STEP_ALLOC || step->nslots != 1) return false;
    if ((kept ? x->nkept : x->nwhole) == WADI_STEP_STRIPS) return false;
    if (kept)
        x->slots[x->nkept++] = step->slots[0];
    else
        x->whole[x->nwhole++] = at;
    return true;
}

/* False: the version's steps are others. */
static bool find_strips(const wadi_plan_version *v, int at, strips *out) {
    *out = (strips){.end = at};
    while (out->n < v->steps[at].strips) {
        const int i = out->end++;
        if (i >= v->nsteps) return false;
        if (v->steps[i].kind == WADI_STEP_FLAT) {
            out->halo[out->n] = v->steps[i].halo;
            out->flat[out->n++] = i;
        } else if (!add_storage(out, &v->steps[i], i)) {
            return false;
        }
    }
    return true;
}

/* How the rows are cut; false: strips do not pay. */
static bool cut(const wadi_steps *s, strips *x, wadi_device_strips *out) {
    int64_t all = 0, row = 0, beside = 0;
    *out = (wadi_device_strips){
        .n = x->n, .halo = x->halo, .nslots = x->nkept, .slots = x->slots, .values = x->values};
    for (int k = 0; k < x->n; k++)
        if (x->halo[k] > out->most) out->most = x->halo[k];
    for (int k = 0; k < x->nkept; k++) {
        const wadi_plan_slot *p = wadi_slots_plan(s->slots, x->slots[k]);
        const int64_t *shape = s->slots->slot[x->slots[k]].shape;
        const int64_t values = wadi_shape_values(p->rank, shape), width = wadi_plan_slot_width(p);
        if (values <= 0 || values > INT64_MAX / 1024 / width) return false;
        out->rows = shape[0];
        x->values[k] = values / shape[0];
        row += x->values[k] * width;
        all += values * width;
    }
    beside = 2 * row * out->most;
    if (all < LARGE || beside >= NEAR) return false;
    const int64_t each = out->rows / s->device->ops->workers(s->device);
    const int64_t least = TIMES * (int64_t)out->most;
    int64_t share = each / SHARES;
    if (share < least && each >= least) share = least;
    out->strip = (NEAR - beside) / row;
    if (out->strip > share) out->strip = share;
    return out->strip > 0 && out->strip >= least;
}

static bool run_strips(wadi_steps *s, const flat *f, wadi_device_strips *what) {
    wadi_launch launch[WADI_STEP_STRIPS];
    for (int k = 0; k < what->n; k++) {
        if (f[k].n % what->rows != 0) return false;
        launch[k] = wadi_steps_flat_launch(s, &f[k], 0, f[k].n);
    }
    what->launch = launch;
    return s->device->ops->strips(s->device, what);
}

/* Makes what is stored, and runs all steps. */
static bool run_all(wadi_steps *s, const strips *x, flat *f, wadi_device_strips *what) {
    for (int k = 0; k < x->nwhole; k++)
        if (wadi_step_alloc(s, &s->v->steps[x->whole[k]], NULL) != WADI_OK || wadi_steps_faulted(s))
            return false;
    for (int k = 0; k < x->n; k++)
        if (wadi_steps_flat_open(s, x->flat[k], &f[k], NULL) != WADI_OK || wadi_steps_faulted(s))
            return false;
    return run_strips(s, f, what);
}

/* Whether all steps have run. If not, they can run one after the other, which tells the fault or that there is no memory. */
static bool try_strips(wadi_steps *s, const strips *x, wadi_device_strips *what) {
    flat f[WADI_STEP_STRIPS] = {{0}};
    const bool done = run_all(s, x, f, what);
    s->job->fault.kind = WADI_FAULT_NONE;
    for (int k = 0; k < x->n; k++) wadi_buffers_put(f[k].block);
    for (int k = 0; k < x->nwhole && !done; k++)
        wadi_slots_drop(s->slots, s->v->steps[x->whole[k]].slots[0]);
    return done;
}

wadi_status wadi_step_strips(wadi_steps *s, int *i, wadi_error *err) {
    const int at = *i - 1;
    strips x;
    wadi_device_strips what;
    if (!find_strips(s->v, at, &x))
        return wadi_fail(err, WADI_INTERNAL, "plan: steps in strips are others");
    if (s->device->ops->strips == NULL || !cut(s, &x, &what) || !try_strips(s, &x, &what))
        return wadi_step_alloc(s, &s->v->steps[at], err);
    *i = x.end;
    return WADI_OK;
}
