/* Runs: the public calls, on top of the engine in sched. */
#include "api/exe.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/user_cache.h"
#include "sched/foreign.h"
#include "sched/run.h"

struct wadi_run {
    wadi_exe *exe;
    wadi_run_options options;
    wadi_loader loader;
    wadi_exec *exec;
    bool learns; /* from libraries, whose knowledge is kept */
};

static bool calls_routines(const wadi_plan *plan) {
    for (int i = 0; i < plan->nbodies; i++)
        if (plan->bodies[i].routines) return true;
    return false;
}

/* What libraries have learnt about this machine is kept next to the kernels; a run does without it as well. */
static bool open_libraries(const wadi_plan *plan) {
    char directory[1024];
    return calls_routines(plan) && wadi_user_cache(directory, sizeof directory, NULL) == WADI_OK &&
           wadi_foreign_open(directory, NULL) == WADI_OK;
}

static void save_libraries(void) {
    const wadi_status kept = wadi_foreign_save(NULL);
    WADI_UNUSED(kept);
}

void wadi_exe_warm(const wadi_exe *exe, const wadi_run_options *options) {
    const wadi_run_options none = {0};
    if (!exe) return;
    wadi_exe_expect((wadi_exe *)(uintptr_t)exe, options ? options : &none, false);
}

wadi_status wadi_run_create(const wadi_exe *exe, const wadi_run_options *options,
                            wadi_run **out_run, wadi_error *err) {
    WADI_GIVEN(err, exe);
    WADI_GIVEN(err, out_run);
    wadi_run *run = calloc(1, sizeof *run);
    *out_run = NULL;
    if (!run) return wadi_fail(err, WADI_MEMORY, "run: out of memory");
    run->exe = (wadi_exe *)(uintptr_t)exe; /* its lock guards what loading changes */
    if (options) run->options = *options;
    run->loader = wadi_exe_loader(run->exe);
    const wadi_status st = wadi_exec_create(exe->plan, &run->loader, options, &run->exec, err);
    if (st != WADI_OK) {
        free(run);
        return st;
    }
    run->learns = open_libraries(exe->plan);
    *out_run = run;
    return WADI_OK;
}

void wadi_run_destroy(wadi_run *run) {
    if (!run) return;
    wadi_exec_destroy(run->exec);
    if (run->learns) save_libraries();
    free(run);
}

wadi_status wadi_run_input(wadi_run *run, const char *name, const wadi_array *a, wadi_error *err) {
    WADI_GIVEN(err, run);
    WADI_GIVEN(err, name);
    WADI_GIVEN(err, a);
    return wadi_exec_input(run->exec, name, a, err);
}

wadi_status wadi_run_source(wadi_run *run, const char *name, wadi_source *source, wadi_error *err) {
    WADI_GIVEN(err, run);
    WADI_GIVEN(err, name);
    WADI_GIVEN(err, source);
    return wadi_exec_source(run->exec, name, source, err);
}

wadi_status wadi_run_sink(wadi_run *run, const char *name, wadi_sink *sink, wadi_error *err) {
    WADI_GIVEN(err, run);
    WADI_GIVEN(err, name);
    WADI_GIVEN(err, sink);
    return wadi_exec_sink(run->exec, name, sink, err);
}

wadi_status wadi_run_go(wadi_run *run, wadi_error *err) {
    WADI_GIVEN(err, run);
    wadi_exe_expect(run->exe, &run->options, true);
    return wadi_exec_go(run->exec, err);
}

void wadi_run_cancel(wadi_run *run) {
    if (run) wadi_exec_cancel(run->exec);
}

void wadi_run_stats_get(wadi_run *run, wadi_run_stats *out) {
    if (out) *out = (wadi_run_stats){0};
    if (run && out) wadi_exec_stats(run->exec, out);
}

wadi_status wadi_run_result(wadi_run *run, const char *name, wadi_array *out_array,
                            wadi_error *err) {
    WADI_GIVEN(err, run);
    WADI_GIVEN(err, name);
    WADI_GIVEN(err, out_array);
    return wadi_exec_result(run->exec, name, out_array, err);
}
