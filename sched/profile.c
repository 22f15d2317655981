/* Charging accounts. */
#include "sched/profile.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"

static _Thread_local wadi_profile *mine;

wadi_profile *wadi_profile_create(const wadi_plan *plan, const char *device, bool beside) {
    wadi_profile *p = calloc(1, sizeof *p);
    if (p == NULL) return NULL;
    p->plan = plan;
    p->beside = beside;
    p->at = &p->of[WADI_PROFILE_REST];
    snprintf(p->device, sizeof p->device, "%s", device);
    p->version = calloc((size_t)plan->nbodies * WADI_BODY_VERSIONS + 1, sizeof *p->version);
    if (p->version != NULL) return p;
    free(p);
    return NULL;
}

void wadi_profile_destroy(wadi_profile *p) {
    if (p == NULL) return;
    for (int i = 0; i < p->plan->nbodies * WADI_BODY_VERSIONS; i++) free(p->version[i].step);
    free(p->version);
    free(p->worker);
    free(p);
}

void wadi_profile_begin(wadi_profile *p) {
    mine = p;
    if (p != NULL) p->since_ns = wadi_clock_ns();
}

void wadi_profile_end(void) {
    if (mine != NULL) wadi_profile_switch(mine, &mine->of[WADI_PROFILE_REST]);
    mine = NULL;
}

wadi_profile *wadi_profile_put_aside(void) {
    wadi_profile *p = mine;
    mine = NULL;
    return p;
}

void wadi_profile_take_up(wadi_profile *p) {
    mine = p;
}

wadi_profile *wadi_profile_now(void) {
    return mine;
}

wadi_account *wadi_profile_switch(wadi_profile *p, wadi_account *to) {
    wadi_account *before = p->at;
    const int64_t now = wadi_clock_ns();
    before->ns += now - p->since_ns;
    if (p->lane != NULL && before != &p->of[WADI_PROFILE_REST])
        wadi_trace_add(p->lane, (wadi_trace_what){.key = before}, p->since_ns, now, -1);
    p->since_ns = now;
    p->at = to;
    return before;
}

int64_t wadi_profile_span_begins(void) {
    return wadi_trace_begin(mine != NULL ? mine->lane : NULL);
}

void wadi_profile_span(const char *name, int64_t begin_ns, int64_t elements) {
    if (mine != NULL && begin_ns != 0) wadi_trace_end(mine->lane, name, begin_ns, elements);
}

wadi_account *wadi_profile_charge(wadi_profile_kind kind) {
    if (mine == NULL) return NULL;
    mine->of[kind].calls++;
    return wadi_profile_switch(mine, &mine->of[kind]);
}

void wadi_profile_back(wadi_account *before) {
    if (mine != NULL && before != NULL) wadi_profile_switch(mine, before);
}

/* ---- workers of a device ---- */

typedef struct traced {
    const wadi_profile *p;
    wadi_pool_fn fn;
    void *env;
} traced;

static void run_traced(void *env, int worker, int64_t begin, int64_t end) {
    const traced *t = env;
    const int64_t from = wadi_clock_ns();
    t->fn(t->env, worker, begin, end);
    wadi_trace_extend(t->p->worker[worker], t->p->at, t->p->turn, from, wadi_clock_ns());
}

static bool has_lanes(wadi_profile *p, int workers) {
    if (p == NULL || p->trace == NULL) return false;
    if (p->workers == workers) return true;
    if (p->workers > 0) return false; /* another pool has them */
    p->worker = calloc((size_t)workers, sizeof *p->worker);
    if (p->worker == NULL) return false;
    for (int i = 0; i < workers; i++) {
        char name[96];
        (void)snprintf(name, sizeof name, "%s %d%s", p->device, i, p->beside ? ", beside" : "");
        p->worker[i] = wadi_trace_lane_add(p->trace, "worker", name);
    }
    p->workers = workers;
    return true;
}

void wadi_profile_pool_for(wadi_pool *pool, int64_t n, int64_t grain, wadi_pool_fn fn, void *env) {
    traced t = {mine, fn, env};
    if (!has_lanes(mine, wadi_pool_threads(pool))) {
        wadi_pool_for(pool, n, grain, fn, env);
        return;
    }
    mine->turn++;
    wadi_pool_for(pool, n, grain, run_traced, &t);
}

wadi_account *wadi_profile_steps(wadi_profile *p, int body, wadi_version_key version,
                                 const wadi_plan_version *v) {
    wadi_profiled *of = &p->version[body * WADI_BODY_VERSIONS + wadi_version_number(version)];
    if (of->step == NULL) of->step = calloc((size_t)v->nsteps + 1, sizeof *of->step);
    if (of->step != NULL) of->version = v;
    return of->step;
}
