/* FLAT steps: one alone, several by rounds, or several in strips. */
#include "base/error.h"
#include "sched/steps/steps.h"

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

static wadi_launch launch_of(const wadi_steps *s, const flat *f, int64_t first, int64_t n) {
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
    wadi_launch all = launch_of(s, f, first, n);
    if (!wadi_steps_faulted(s)) wadi_steps_launch(s, &all);
}

wadi_status wadi_step_flat(wadi_steps *s, int at, wadi_error *err) {
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
        status = flat_open(s, at + k, &f[k], err);
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
    SHARES = 4 /* strips of each worker, at least */
};

/* Steps in strips: `kept` makes what is not stored, and is followed by the `flats`. */
typedef struct strips {
    const wadi_plan_step *kept;
    int nkept, n;
    int slots[WADI_STEP_STRIPS];
    int64_t values[WADI_STEP_STRIPS];
    int halo[WADI_STEP_STRIPS];
} strips;

/* False: the version's steps are others. */
static bool find_strips(const wadi_plan_version *v, int at, strips *out) {
    *out = (strips){.kept = &v->steps[at], .n = v->steps[at].strips};
    while (out->nkept < out->n && at + out->nkept < v->nsteps &&
           v->steps[at + out->nkept].kind == WADI_STEP_ALLOC) {
        if (v->steps[at + out->nkept].nslots != 1) return false;
        out->slots[out->nkept] = v->steps[at + out->nkept].slots[0];
        out->nkept++;
    }
    for (int k = 0; k < out->n; k++) {
        const int step = at + out->nkept + k;
        if (step >= v->nsteps || v->steps[step].kind != WADI_STEP_FLAT) return false;
        out->halo[k] = v->steps[step].halo;
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
    const int64_t share = out->rows / SHARES / s->device->ops->workers(s->device);
    out->strip = (NEAR - beside) / row;
    if (out->strip > share) out->strip = share;
    return out->strip > 0 && out->strip >= (int64_t)TIMES * out->most;
}

static bool run_strips(wadi_steps *s, const flat *f, wadi_device_strips *what) {
    wadi_launch launch[WADI_STEP_STRIPS];
    for (int k = 0; k < what->n; k++) {
        if (f[k].n % what->rows != 0) return false;
        launch[k] = launch_of(s, &f[k], 0, f[k].n);
    }
    what->launch = launch;
    return s->device->ops->strips(s->device, what);
}

/* Whether all steps have run. If not, they can run one after the other, which tells the fault if there is one. */
static wadi_status try_strips(wadi_steps *s, int at, wadi_device_strips *what, bool *out_done,
                              wadi_error *err) {
    flat f[WADI_STEP_STRIPS] = {{0}};
    wadi_status status = WADI_OK;
    for (int k = 0; k < what->n && status == WADI_OK && !wadi_steps_faulted(s); k++)
        status = flat_open(s, at + k, &f[k], err);
    *out_done = status == WADI_OK && !wadi_steps_faulted(s) && run_strips(s, f, what);
    s->job->fault.kind = WADI_FAULT_NONE;
    for (int k = 0; k < what->n; k++) wadi_buffers_put(f[k].block);
    return status;
}

wadi_status wadi_step_strips(wadi_steps *s, int *i, wadi_error *err) {
    const int at = *i - 1;
    strips x;
    wadi_device_strips what;
    bool done = false;
    if (!find_strips(s->v, at, &x))
        return wadi_fail(err, WADI_INTERNAL, "plan: steps in strips are others");
    if (s->device->ops->strips != NULL && cut(s, &x, &what))
        WADI_TRY(try_strips(s, at + x.nkept, &what, &done, err));
    if (!done) return wadi_step_alloc(s, x.kept, err);
    *i = at + x.nkept + x.n;
    return WADI_OK;
}
