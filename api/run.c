/* Runs: the public calls, on top of the engine in sched. */
#include "api/exe.h"

#include <stdlib.h>

#include "base/error.h"
#include "sched/run.h"

struct wadi_run {
    wadi_loader loader;
    wadi_exec *exec;
};

wadi_status wadi_run_create(const wadi_exe *exe, const wadi_run_options *options,
                            wadi_run **out_run, wadi_error *err) {
    wadi_run *run = calloc(1, sizeof *run);
    *out_run = NULL;
    if (!run) return wadi_fail(err, WADI_MEMORY, "run: out of memory");
    run->loader =
        wadi_exe_loader((wadi_exe *)(uintptr_t)exe); /* its lock guards what loading changes */
    const wadi_status st = wadi_exec_create(exe->plan, &run->loader, options, &run->exec, err);
    if (st != WADI_OK) {
        free(run);
        return st;
    }
    *out_run = run;
    return WADI_OK;
}

void wadi_run_destroy(wadi_run *run) {
    if (!run) return;
    wadi_exec_destroy(run->exec);
    free(run);
}

wadi_status wadi_run_input(wadi_run *run, const char *name, const wadi_array *a, wadi_error *err) {
    return wadi_exec_input(run->exec, name, a, err);
}

wadi_status wadi_run_source(wadi_run *run, const char *name, wadi_source *source, wadi_error *err) {
    return wadi_exec_source(run->exec, name, source, err);
}

wadi_status wadi_run_sink(wadi_run *run, const char *name, wadi_sink *sink, wadi_error *err) {
    return wadi_exec_sink(run->exec, name, sink, err);
}

wadi_status wadi_run_go(wadi_run *run, wadi_error *err) {
    return wadi_exec_go(run->exec, err);
}

void wadi_run_cancel(wadi_run *run) {
    wadi_exec_cancel(run->exec);
}

void wadi_run_stats_get(wadi_run *run, wadi_run_stats *out) {
    wadi_exec_stats(run->exec, out);
}

wadi_status wadi_run_result(wadi_run *run, const char *name, wadi_array *out_array,
                            wadi_error *err) {
    return wadi_exec_result(run->exec, name, out_array, err);
}
