/* Kernels on demand. When a run first needs a version of a body (or ahead of that: ahead.c), it is lowered, emitted and
 * compiled, or found in the cache. It stays loaded as long as the executable. Threads may ask at the same time: each version
 * is made by one of them, and several versions may be made in parallel. Only lowering, which takes milliseconds, is done by
 * one thread at a time. */
#include "exe/exe.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/task.h"
#include "codegen/build/cache.h"
#include "sched/cpu/code.h"

wadi_status wadi_exe_make(wadi_exe *exe, int body, wadi_version_key version, const wadi_made **out,
                          wadi_error *err) {
    wadi_exe_version *v = wadi_exe_version_of(exe, body, version);
    if (!v->made)
        WADI_TRY(wadi_versions_make(exe->versions, body, version, exe->target, &v->made, err));
    *out = v->made;
    return WADI_OK;
}

static wadi_status find(const wadi_dl *module, const char *name, wadi_code *out, wadi_error *err) {
    wadi_dl_fn f = NULL;
    *out = (wadi_code){0};
    if (!name) return WADI_OK;
    WADI_TRY(wadi_dl_function(module, name, &f, err));
    *out = wadi_cpu_code((wadi_kernel)f);
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

/* Before anything was measured: of a large kernel, by GCC 12 on a slow core. */
static const double usual_byte_ns = 20000;

/* The module, out of the cache or from the compiler if that is worth it. */
static wadi_status open_module(const wadi_target *target, wadi_exe_version *v, int64_t worth_ns,
                               wadi_cache_report *report, wadi_error *err) {
    if (worth_ns == WADI_EXE_NEEDED)
        return wadi_cache_load(v->made->source, target, &v->module, report, err);
    if (wadi_cache_find(v->made->source, target, &v->module)) return WADI_OK;
    if (worth_ns < v->cost_ns) return WADI_UNSUPPORTED;
    return wadi_cache_load_gently(v->made->source, target, &v->module, NULL, err);
}

static wadi_status open_and_find(const wadi_target *target, wadi_exe_version *v, int64_t worth_ns,
                                 wadi_cache_report *report, bool *unfit, wadi_error *err) {
    WADI_TRY(open_module(target, v, worth_ns, report, err));
    const wadi_status st = find_all(v, err);
    if (st == WADI_OK) return st;
    wadi_dl_close(&v->module);
    free(v->kernels);
    v->kernels = NULL;
    *unfit = st != WADI_MEMORY && !report->compiled;
    return st;
}

/* The compiler runs while others may use the executable. A module out of the cache that lacks a kernel is made anew. */
static wadi_status make_and_load(wadi_exe *exe, wadi_exe_version *v, int body,
                                 wadi_version_key version, int64_t worth_ns, wadi_error *err) {
    const wadi_made *made = NULL;
    wadi_cache_report report = {0};
    WADI_TRY(wadi_exe_make(exe, body, version, &made, err));
    const double bytes = (double)strlen(made->source);
    v->cost_ns = (int64_t)(bytes * (exe->byte_ns > 0 ? exe->byte_ns : usual_byte_ns));
    wadi_mutex_unlock(&exe->lock);
    bool unfit = false;
    wadi_status st = open_and_find(exe->target, v, worth_ns, &report, &unfit, err);
    if (unfit) {
        wadi_cache_forget(made->source, exe->target);
        st = open_and_find(exe->target, v, worth_ns, &report, &unfit, err);
    }
    wadi_mutex_lock(&exe->lock);
    if (report.compiled) exe->byte_ns = (double)report.compile_ns / bytes;
    return st;
}

/* Another thread makes it. Whoever waits looks for the end of his task, which cannot signal a condition. */
static wadi_status wait_for_maker(wadi_exe *exe, const wadi_exe_version *v, wadi_error *err) {
    static const int64_t LOOK_NS = 50000000;
    wadi_status st = WADI_OK;
    const int ticket = wadi_task_wait("a kernel that another thread compiles", -1, exe->plan->name);
    while (v->state == WADI_EXE_MAKING && (st = wadi_task_check(err)) == WADI_OK)
        (void)wadi_condition_wait_for(&exe->made, &exe->lock, LOOK_NS);
    wadi_task_go_on(ticket);
    return st;
}

wadi_status wadi_exe_load(wadi_exe *exe, int body, wadi_version_key version, int64_t worth_ns,
                          wadi_error *err) {
    wadi_exe_version *v = wadi_exe_version_of(exe, body, version);
    if (v->state == WADI_EXE_MAKING) WADI_TRY(wait_for_maker(exe, v, err));
    if (v->state == WADI_EXE_LOADED) return WADI_OK;
    v->state = WADI_EXE_MAKING;
    v->ahead = 0;
    const wadi_status st = make_and_load(exe, v, body, version, worth_ns, err);
    v->state = st == WADI_OK ? WADI_EXE_LOADED : WADI_EXE_ABSENT;
    v->failed = st != WADI_OK && st != WADI_UNSUPPORTED && st != WADI_CANCELLED;
    wadi_condition_broadcast(&exe->made);
    return st;
}

void wadi_exe_unload(wadi_exe *exe) {
    for (int i = 0; exe->version && i < exe->plan->nbodies * WADI_BODY_VERSIONS; i++) {
        wadi_exe_version *v = &exe->version[i];
        if (v->state == WADI_EXE_LOADED) wadi_dl_close(&v->module);
        free(v->kernels);
        wadi_made_destroy(v->made);
    }
}
