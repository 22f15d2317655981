/* Where a run has its home: opening a device with what belongs to it, and leaving it for another. What was left stays until the run is destroyed, since
 * sinks may refer to it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "sched/run/state.h"

/* ---- the loader of the home, whose time is measured ---- */

static wadi_status load(void *self, const wadi_plan *plan, int body, wadi_version_key version,
                        wadi_plan_code *out, wadi_error *err) {
    wadi_run *x = self;
    const int64_t begin = wadi_clock_ns();
    atomic_store(&x->loading_ns, begin);
    const wadi_status status = x->loader.load(x->loader.self, plan, body, version, out, err);
    atomic_fetch_add(&x->load_ns, wadi_clock_ns() - begin);
    atomic_store(&x->loading_ns, 0);
    if (status != WADI_OK && status != WADI_CANCELLED) atomic_store(&x->load_failed, true);
    return status;
}

static bool offer(void *self, const wadi_plan *plan, int body, wadi_version_key version,
                  int64_t worth_ns) {
    const wadi_run *x = self;
    return x->loader.offer(x->loader.self, plan, body, version, worth_ns);
}

static wadi_loader timed_loader(wadi_run *x) {
    return (wadi_loader){.load = load, .offer = x->loader.offer != NULL ? offer : NULL, .self = x};
}

/* ---- opening ---- */

/* A device and what belongs to it. */
typedef struct opened {
    wadi_device *device;
    wadi_runner *runner;
    wadi_slots slots;
    int64_t ns;
} opened;

static void close_all(opened *o) {
    wadi_slots_fini(&o->slots);
    wadi_runner_destroy(o->runner);
    if (o->device != NULL) o->device->ops->destroy(o->device);
}

static wadi_status open_parts(wadi_run *x, const wadi_device_choice *c, opened *o,
                              wadi_error *err) {
    const wadi_device_options options = {
        .buffers = x->buffers, .keep_bytes = x->options.memory, .threads = x->options.threads};
    const int64_t begin = wadi_clock_ns();
    WADI_TRY(wadi_device_open(c, &options, &o->device, err));
    o->ns = wadi_clock_ns() - begin;
    if (x->share_rule.wrap != NULL)
        o->device = x->share_rule.wrap(x->share_rule.env, c->place, o->device);
    WADI_TRY(wadi_slots_init(&o->slots, x->plan, x->buffers, o->device->residence, err));
    return wadi_run_make_runner(x, &x->timed, o->device, c->row, &o->runner, err);
}

static wadi_status open_all(wadi_run *x, const wadi_device_choice *c, opened *o, wadi_error *err) {
    const wadi_status status = open_parts(x, c, o, err);
    if (status != WADI_OK) close_all(o);
    return status;
}

/* Makes what was opened the home. By the lock, if others may look. */
static void take(wadi_run *x, const opened *o) {
    x->device = o->device;
    x->runner = o->runner;
    x->slots = o->slots;
    x->open_ns = o->ns;
    x->crew = (wadi_crew){&x->slots, x->runner, .busy_as = WADI_STAGE_COMPUTE};
    x->chosen = x->devices.at[0];
}

static void name_order(wadi_run *x) {
    size_t used = 0;
    for (int i = 0; i < x->devices.n && used < sizeof x->order; i++)
        used += (size_t)snprintf(x->order + used, sizeof x->order - used, "%s%s", i > 0 ? "," : "",
                                 x->devices.at[i].name);
}

/* ---- the first ---- */

/* Whoever is at `at` becomes the first; the others keep their order. By the lock. */
static void put_first(wadi_device_choices *d, int at) {
    const wadi_device_choice first = d->at[at];
    int n = 1;
    wadi_device_choice rest[WADI_DEVICES_MOST];
    for (int place = 0; place < d->n; place++)
        for (int i = 0; i < d->n; i++)
            if (i != at && d->at[i].place == place) rest[n++] = d->at[i];
    memcpy(d->at + 1, rest + 1, (size_t)(n - 1) * sizeof *rest);
    d->at[0] = first;
}

int wadi_run_next_device(const wadi_run *x) {
    int best = 0;
    for (int i = 1; i < x->devices.n; i++) {
        const wadi_device_choice *c = &x->devices.at[i];
        if (x->gone[c->place] || (best > 0 && c->place > x->devices.at[best].place)) continue;
        best = i;
    }
    return best;
}

/* What was asked for makes no sense, or is not wanted any more, on any device. */
static bool is_for_all(const wadi_run *x, wadi_status status) {
    return x->alone || status == WADI_INVALID || status == WADI_CANCELLED;
}

/* The first that can be opened. */
static wadi_status open_first(wadi_run *x, opened *o, wadi_error *err) {
    for (;;) {
        const wadi_device_choice c = x->devices.at[0];
        wadi_error why = {.status = WADI_OK};
        const wadi_status status = open_all(x, &c, o, &why);
        if (status == WADI_OK) return WADI_OK;
        x->gone[c.place] = true;
        const int next = is_for_all(x, status) ? 0 : wadi_run_next_device(x);
        if (next == 0 && err != NULL) *err = why;
        if (next == 0) return status;
        wadi_logf(WADI_LOG_WARNING, "device %s cannot be used: %s", c.name, why.msg);
        put_first(&x->devices, next);
        *o = (opened){.device = NULL};
    }
}

wadi_status wadi_run_settle(wadi_run *x, wadi_error *err) {
    opened o = {.device = NULL};
    x->timed = timed_loader(x);
    WADI_TRY(open_first(x, &o, err));
    name_order(x);
    take(x, &o);
    if (x->device->residence == NULL && x->devices.n == 1) return WADI_OK;
    x->given = calloc((size_t)x->plan->ninputs + 1, sizeof *x->given);
    if (x->given == NULL) return wadi_fail(err, WADI_MEMORY, "run: out of memory");
    return WADI_OK;
}

/* ---- moving ---- */

static bool leave(wadi_run *x) {
    wadi_run_left *l = calloc(1, sizeof *l);
    if (l == NULL) return false;
    *l = (wadi_run_left){x->device, x->runner, x->slots, x->home, x->left};
    x->left = l;
    x->home = (wadi_slots){.plan = NULL};
    return true;
}

wadi_status wadi_run_move(wadi_run *x, int at, wadi_error *err) {
    opened o = {.device = NULL};
    WADI_TRY(open_all(x, &x->devices.at[at], &o, err));
    if (!leave(x)) {
        close_all(&o);
        return wadi_fail(err, WADI_MEMORY, "run: out of memory");
    }
    wadi_mutex_lock(&x->lock); /* those who look see one home or the other */
    put_first(&x->devices, at);
    memset(x->done_by, 0, sizeof x->done_by);
    memset(x->busy_by, 0, sizeof x->busy_by);
    memset(x->workers_by, 0, sizeof x->workers_by);
    take(x, &o);
    wadi_mutex_unlock(&x->lock);
    name_order(x);
    return WADI_OK;
}

void wadi_run_leave_all(wadi_run *x) {
    opened last = {x->device, x->runner, x->slots, 0};
    wadi_slots_fini(&x->home);
    close_all(&last);
    while (x->left != NULL) {
        wadi_run_left *l = x->left;
        opened o = {l->device, l->runner, l->slots, 0};
        x->left = l->next;
        wadi_slots_fini(&l->home);
        close_all(&o);
        free(l);
    }
}
