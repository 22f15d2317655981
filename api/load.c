/* Kernels on demand: a version of a body is compiled, or found in the cache, when a run first wants it, and stays loaded
 * as long as the executable. Runs in several threads may ask at once. */
#include "api/exe.h"

#include "base/error.h"
#include "codegen/build/cache.h"

static wadi_status find(const wadi_dl *module, const char *name, wadi_kernel *out,
                        wadi_error *err) {
    wadi_dl_fn f = NULL;
    *out = NULL;
    if (!name) return WADI_OK;
    WADI_TRY(wadi_dl_function(module, name, &f, err));
    *out = (wadi_kernel)f;
    return WADI_OK;
}

static wadi_status load(void *self, const wadi_plan *plan, int body, wadi_schedule schedule,
                        wadi_kernel *out_kernels, wadi_kernel *out_units, wadi_error *err) {
    wadi_exe *exe = self;
    const wadi_plan_version *version = &plan->bodies[body].version[schedule];
    wadi_exe_version *v = &exe->version[body * WADI_SCHEDULE_COUNT + (int)schedule];
    wadi_mutex_lock(&exe->lock);
    wadi_status st = WADI_OK;
    if (!v->loaded) st = wadi_cache_load(version->source, &v->module, NULL, err);
    v->loaded = st == WADI_OK;
    wadi_mutex_unlock(&exe->lock);
    for (int i = 0; st == WADI_OK && i < version->nsteps; i++) {
        st = find(&v->module, version->steps[i].kernel, &out_kernels[i], err);
        if (st == WADI_OK) st = find(&v->module, version->steps[i].units, &out_units[i], err);
    }
    return st;
}

wadi_loader wadi_exe_loader(wadi_exe *exe) {
    return (wadi_loader){.load = load, .self = exe};
}

void wadi_exe_unload(wadi_exe *exe) {
    for (int i = 0; exe->version && i < exe->plan->nbodies * (int)WADI_SCHEDULE_COUNT; i++)
        if (exe->version[i].loaded) wadi_dl_close(&exe->version[i].module);
}
