/* Kernels on demand. When a run first needs a version of a body (or ahead of that: ahead.c), it is lowered, emitted and
 * compiled, or found in the cache. It stays loaded as long as the executable. Threads may ask at the same time: each version
 * is made by one of them, and several versions may be made in parallel. Only lowering, which takes milliseconds, is done by
 * one thread at a time. */
#include "exe/ahead_of_time.h"
#include "exe/exe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/patience.h"
#include "base/task.h"
#include "codegen/build/cache.h"
#include "codegen/targets.h"
#include "sched/trace.h"

wadi_status wadi_exe_make(wadi_exe *exe, wadi_exe_version *v, const wadi_made **out,
                          wadi_error *err) {
    const int i = (int)(v - v->set->version);
    if (!v->made)
        WADI_TRY(wadi_versions_make(exe->versions, i / WADI_BODY_VERSIONS,
                                    wadi_version_numbered(i % WADI_BODY_VERSIONS), v->set->target,
                                    &v->made, err));
    *out = v->made;
    return WADI_OK;
}

/* Before anything was measured: of a large kernel, by GCC 12 on a slow core. */
static const double usual_byte_ns = 20000;

/* Out of the cache, or from the compiler if that is worth it. */
static wadi_status load_image(wadi_exe *exe, wadi_exe_version *v, int64_t worth_ns,
                              wadi_cache_report *report, wadi_error *err) {
    const wadi_target *target = v->set->target;
    const wadi_image_ops *images = v->set->images;
    const char *source = v->made->source;
    if (wadi_cache_find(source, target, exe->fast, images, &v->loaded)) return WADI_OK;
    if (worth_ns == WADI_EXE_NEEDED) {
        if (exe->compiling != NULL) exe->compiling(exe, v);
        return wadi_cache_load(source, target, exe->fast, images, &v->loaded, report, err);
    }
    if (worth_ns < v->cost_ns) return WADI_UNSUPPORTED;
    return wadi_cache_load_gently(source, target, exe->fast, images, &v->loaded, NULL, err);
}

static wadi_status load_and_find(wadi_exe *exe, wadi_exe_version *v, int64_t worth_ns,
                                 wadi_cache_report *report, bool *unfit, wadi_error *err) {
    WADI_TRY(load_image(exe, v, worth_ns, report, err));
    const wadi_status st = wadi_exe_find_kernels(v, err);
    if (st == WADI_OK) return st;
    v->set->images->unload(&v->loaded);
    *unfit = st != WADI_MEMORY && !report->compiled;
    return st;
}

/* Says in the message whose kernels cannot be had. */
static void name_kernels(const wadi_exe *exe, const wadi_exe_version *v, wadi_error *err) {
    const int i = (int)(v - v->set->version);
    char why[sizeof err->msg];
    if (err == NULL) return;
    memcpy(why, err->msg, sizeof why);
    (void)snprintf(err->msg, sizeof err->msg, "kernels of %.60s (%.60s, schedule %s): %.340s",
                   exe->plan->name, exe->plan->bodies[i / WADI_BODY_VERSIONS].name,
                   wadi_version_name(wadi_version_numbered(i % WADI_BODY_VERSIONS)), why);
}

/* The compiler runs while others may use the executable. An image out of the cache that lacks a kernel is made anew. */
static wadi_status make_and_load(wadi_exe *exe, wadi_exe_version *v, int64_t worth_ns,
                                 wadi_cache_report *report, wadi_error *err) {
    const wadi_made *made = NULL;
    if (wadi_exe_load_stored(exe, v)) return WADI_OK;
    WADI_TRY(wadi_exe_make(exe, v, &made, err));
    if (wadi_exe_load_stored(exe, v)) return WADI_OK; /* the same kernels of another program */
    wadi_exe_set *set = v->set;
    const double bytes = (double)strlen(made->source);
    v->cost_ns = (int64_t)(bytes * (set->byte_ns > 0 ? set->byte_ns : usual_byte_ns));
    wadi_mutex_unlock(&exe->lock);
    bool unfit = false;
    wadi_status st = load_and_find(exe, v, worth_ns, report, &unfit, err);
    if (unfit) {
        wadi_cache_forget(made->source, set->target, exe->fast, set->images);
        st = load_and_find(exe, v, worth_ns, report, &unfit, err);
    }
    wadi_mutex_lock(&exe->lock);
    if (report->compiled) set->byte_ns = (double)report->compile_ns / bytes;
    if (st == WADI_COMPILE && worth_ns == WADI_EXE_NEEDED) name_kernels(exe, v, err);
    return st;
}

/* Which kernels they were, and where they came from. */
static void trace(const wadi_exe *exe, const wadi_exe_version *v, bool compiled, wadi_status status,
                  int64_t begin_ns) {
    const int i = (int)(v - v->set->version);
    char words[200];
    if (exe->trace == NULL) return;
    (void)snprintf(
        words, sizeof words, "%.80s, %s, %s: %s", exe->plan->bodies[i / WADI_BODY_VERSIONS].name,
        wadi_version_name(wadi_version_numbered(i % WADI_BODY_VERSIONS)), v->set->target->name,
        status != WADI_OK ? "not made"
        : v->stored       ? "from a bundle"
        : compiled        ? "compiled"
                          : "from the cache");
    wadi_trace_add_shared(exe->trace, "compiler", exe->plan->name,
                          wadi_trace_word(exe->trace, words), begin_ns, wadi_clock_ns(),
                          (wadi_trace_amount){.unit = NULL});
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

wadi_status wadi_exe_load(wadi_exe *exe, wadi_exe_version *v, int64_t worth_ns, wadi_error *err) {
    if (v->state == WADI_EXE_MAKING) WADI_TRY(wait_for_maker(exe, v, err));
    if (v->state == WADI_EXE_LOADED) return WADI_OK;
    v->state = WADI_EXE_MAKING;
    v->ahead = 0;
    wadi_cache_report report = {0};
    const int64_t begin_ns = exe->trace != NULL ? wadi_clock_ns() : 0;
    const wadi_status st = make_and_load(exe, v, worth_ns, &report, err);
    if (begin_ns != 0) trace(exe, v, report.compiled, st, begin_ns);
    v->state = st == WADI_OK ? WADI_EXE_LOADED : WADI_EXE_ABSENT;
    if (st == WADI_OK) atomic_fetch_add(&exe->loaded, 1);
    v->failed = st != WADI_OK && st != WADI_UNSUPPORTED && st != WADI_CANCELLED;
    wadi_condition_broadcast(&exe->made);
    return st;
}

/* ---- unloading ---- */

/* Frees nothing: who is left behind here may come back to it. */
static void unload_all(void *self) {
    wadi_exe *exe = self;
    for (wadi_exe_set *set = exe->sets; set; set = set->next)
        for (int i = 0; i < exe->plan->nbodies * WADI_BODY_VERSIONS; i++) {
            wadi_exe_version *v = &set->version[i];
            if (v->state == WADI_EXE_LOADED) set->images->unload(&v->loaded);
            v->state = WADI_EXE_ABSENT;
        }
}

/* Whether a driver has loaded some of it. */
static bool a_driver_has_it(const wadi_exe *exe) {
    for (const wadi_exe_set *set = exe->sets; set; set = set->next)
        for (int i = 0; i < exe->plan->nbodies * WADI_BODY_VERSIONS; i++)
            if (set->version[i].state == WADI_EXE_LOADED &&
                strcmp(set->images->language, wadi_language_c.name) != 0)
                return true;
    return false;
}

bool wadi_exe_unload(wadi_exe *exe) {
    bool left = false;
    if (a_driver_has_it(exe) &&
        wadi_patience_call("unloading kernels", unload_all, exe, &left, NULL) != WADI_OK && left)
        return false;
    unload_all(exe); /* nothing is left to unload, unless there was no thread for it */
    for (wadi_exe_set *set = exe->sets, *next; set; set = next) {
        next = set->next;
        for (int i = 0; i < exe->plan->nbodies * WADI_BODY_VERSIONS; i++) {
            wadi_exe_version *v = &set->version[i];
            free(v->kernels);
            wadi_made_destroy(v->made);
        }
        free(set);
    }
    exe->sets = NULL;
    return true;
}
