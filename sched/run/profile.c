/* The profile of a run: one for each device that the compute thread used, and for each that worked beside it. */
#include <string.h>

#include "sched/run/state.h"

/* One that no thread uses now, so that threads that come one after the other share it. By the lock. */
static wadi_profile *find(const wadi_run *x, const char *device, bool beside) {
    for (wadi_profile *p = x->profiles; p != NULL; p = p->next)
        if (!p->used && p->beside == beside && strcmp(p->device, device) == 0) return p;
    return NULL;
}

void wadi_run_profile_begin(wadi_run *x, const char *device, bool beside) {
    if (!x->options.profile) return;
    wadi_profile *now = wadi_profile_now();
    if (now != NULL && strcmp(now->device, device) == 0) return;
    wadi_run_profile_end(x);
    wadi_mutex_lock(&x->lock);
    wadi_profile *p = find(x, device, beside);
    if (p == NULL) {
        p = wadi_profile_create(x->plan, device, beside);
        if (p != NULL) p->trace = x->trace;
        if (p != NULL)
            p->lane = wadi_trace_lane_add(x->trace, beside ? "beside" : "compute", device);
        if (p != NULL) p->next = x->profiles;
        if (p != NULL) x->profiles = p;
    }
    if (p != NULL) p->used = true;
    wadi_mutex_unlock(&x->lock);
    wadi_profile_begin(p);
}

void wadi_run_profile_end(wadi_run *x) {
    wadi_profile *p = wadi_profile_now();
    if (p == NULL) return;
    wadi_profile_end();
    wadi_mutex_lock(&x->lock);
    p->used = false;
    wadi_mutex_unlock(&x->lock);
}

void wadi_run_profile_fini(wadi_run *x) {
    while (x->profiles != NULL) {
        wadi_profile *p = x->profiles;
        x->profiles = p->next;
        wadi_profile_destroy(p);
    }
    wadi_arena_destroy(x->rows.arena);
}
