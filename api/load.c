/* Kernels on demand: a version of a body is lowered, emitted and compiled, or found in the cache, when a run first wants it (or
 * ahead of that: ahead.c), and stays loaded as long as the executable. Threads may ask at once: each version is made by one of them,
 * several at a time. Only lowering, which takes milliseconds, is one at a time. */
#include "api/exe.h"

#include <stdlib.h>

#include "base/error.h"
#include "codegen/build/cache.h"

static wadi_exe_version *version_of(wadi_exe *exe, int body, wadi_schedule schedule) {
    return &exe->version[body * WADI_SCHEDULE_COUNT + (int)schedule];
}

wadi_status wadi_exe_make(wadi_exe *exe, int body, wadi_schedule schedule, const wadi_made **out,
                          wadi_error *err) {
    wadi_exe_version *v = version_of(exe, body, schedule);
    if (!v->made) WADI_TRY(wadi_versions_make(exe->versions, body, schedule, &v->made, err));
    *out = v->made;
    return WADI_OK;
}

static wadi_status find(const wadi_dl *module, const char *name, wadi_kernel *out,
                        wadi_error *err) {
    wadi_dl_fn f = NULL;
    *out = NULL;
    if (!name) return WADI_OK;
    WADI_TRY(wadi_dl_function(module, name, &f, err));
    *out = (wadi_kernel)f;
    return WADI_OK;
}

static wadi_status find_all(wadi_exe_version *v, wadi_error *err) {
    const wadi_plan_version *steps = &v->made->version;
    const int n = steps->nsteps;
    wadi_status st = WADI_OK;
    v->kernels = calloc(2 * (size_t)n + 1, sizeof *v->kernels);
    if (!v->kernels) return wadi_fail(err, WADI_MEMORY, "loading kernels: out of memory");
    for (int i = 0; i < n && st == WADI_OK; i++) {
        st = find(&v->module, steps->steps[i].kernel, &v->kernels[i], err);
        if (st == WADI_OK) st = find(&v->module, steps->steps[i].units, &v->kernels[n + i], err);
    }
    return st;
}

/* The compiler runs while others may use the executable. */
static wadi_status make_and_load(wadi_exe *exe, wadi_exe_version *v, int body,
                                 wadi_schedule schedule, wadi_error *err) {
    const wadi_made *made = NULL;
    WADI_TRY(wadi_exe_make(exe, body, schedule, &made, err));
    wadi_mutex_unlock(&exe->lock);
    wadi_status st = wadi_cache_load(made->source, &v->module, NULL, err);
    if (st == WADI_OK && (st = find_all(v, err)) != WADI_OK) {
        wadi_dl_close(&v->module);
        free(v->kernels);
        v->kernels = NULL;
    }
    wadi_mutex_lock(&exe->lock);
    return st;
}

wadi_status wadi_exe_load(wadi_exe *exe, int body, wadi_schedule schedule, wadi_error *err) {
    wadi_exe_version *v = version_of(exe, body, schedule);
    while (v->state == WADI_EXE_MAKING) wadi_condition_wait(&exe->made, &exe->lock);
    if (v->state == WADI_EXE_LOADED) return WADI_OK;
    v->state = WADI_EXE_MAKING;
    v->ahead = 0;
    const wadi_status st = make_and_load(exe, v, body, schedule, err);
    v->state = st == WADI_OK ? WADI_EXE_LOADED : WADI_EXE_ABSENT;
    wadi_condition_broadcast(&exe->made);
    return st;
}

static wadi_status load(void *self, const wadi_plan *plan, int body, wadi_schedule schedule,
                        wadi_plan_code *out, wadi_error *err) {
    wadi_exe *exe = self;
    const wadi_exe_version *v = version_of(exe, body, schedule);
    WADI_UNUSED(plan);
    wadi_mutex_lock(&exe->lock);
    const wadi_status st = wadi_exe_load(exe, body, schedule, err);
    if (st == WADI_OK)
        *out =
            (wadi_plan_code){&v->made->version, v->kernels, v->kernels + v->made->version.nsteps};
    wadi_mutex_unlock(&exe->lock);
    return st;
}

wadi_loader wadi_exe_loader(wadi_exe *exe) {
    return (wadi_loader){.load = load, .self = exe};
}

void wadi_exe_unload(wadi_exe *exe) {
    for (int i = 0; exe->version && i < exe->plan->nbodies * (int)WADI_SCHEDULE_COUNT; i++) {
        wadi_exe_version *v = &exe->version[i];
        if (v->state == WADI_EXE_LOADED) wadi_dl_close(&v->module);
        free(v->kernels);
        wadi_made_destroy(v->made);
    }
}
