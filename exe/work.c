/* A worker: jobs of a home, one after the other. */
#include "wadi/work.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/log.h"
#include "base/task.h"
#include "connectors/work.h"
#include "exe/exe.h"
#include "sched/run/serve.h"

struct wadi_worker {
    char *address, *device, *target; /* owned; device, target: NULL as in the options */
    wadi_worker_options options;     /* with these strings */
    wadi_waits *waits;               /* of all its jobs */
    wadi_workq *queue;
    wadi_stop stop; /* called: it leaves */
    bool ready;     /* `stop` is */
    wadi_served served;
    atomic_int_least64_t jobs;
};

static wadi_status check_options(const wadi_worker_options *o, wadi_error *err) {
    if (o->threads < 0) return wadi_fail(err, WADI_INVALID, "threads: %d is negative", o->threads);
    if (o->memory < 0)
        return wadi_fail(err, WADI_INVALID, "memory: %lld is negative", (long long)o->memory);
    if (!(o->wait_s >= 0 && o->wait_s <= 1e9))
        return wadi_fail(err, WADI_INVALID, "wait_s: %g is not from 0 to 1e9", o->wait_s);
    if (!(o->watchdog_s >= 0 && o->watchdog_s <= 1e9))
        return wadi_fail(err, WADI_INVALID, "watchdog_s: %g is not from 0 to 1e9", o->watchdog_s);
    return WADI_OK;
}

static wadi_status copy(const char *from, char **out, wadi_error *err) {
    *out = from ? strdup(from) : NULL;
    return from && !*out ? wadi_fail(err, WADI_MEMORY, "worker: out of memory") : WADI_OK;
}

static wadi_status open_worker(wadi_worker *w, const wadi_link_options *keys, wadi_error *err) {
    WADI_TRY(copy(w->options.device, &w->device, err));
    WADI_TRY(copy(w->options.target, &w->target, err));
    w->options.device = w->device;
    w->options.target = w->target;
    WADI_TRY(wadi_stop_init(&w->stop, wadi_task_now()->stop, err));
    w->ready = true;
    if (w->options.watchdog_s == 0) w->options.watchdog_s = WADI_WATCHDOG_S;
    WADI_TRY(wadi_waits_create((int64_t)(w->options.watchdog_s * 1e9), &w->waits, err));
    wadi_workq_options q = {.address = w->address,
                            .lost_after_ns = (int64_t)(w->options.wait_s * 1e9),
                            .hangs_after_ns = (int64_t)(w->options.watchdog_s * 1e9),
                            .wake_fd = -1,
                            .waits = w->waits};
    WADI_TRY(wadi_stop_fd(&w->stop, &q.wake_fd, err));
    return wadi_link_work_open(&q, keys, &w->queue, err);
}

wadi_status wadi_worker_create(const char *address, const wadi_worker_options *options,
                               wadi_worker **out_worker, wadi_error *err) {
    const wadi_worker_options none = {0};
    WADI_GIVEN(err, address);
    WADI_GIVEN(err, out_worker);
    *out_worker = NULL;
    WADI_TRY(check_options(options ? options : &none, err));
    wadi_worker *w = calloc(1, sizeof *w);
    if (!w) return wadi_fail(err, WADI_MEMORY, "worker: out of memory");
    w->options = options ? *options : none;
    w->options.keys = NULL;
    wadi_status st = copy(address, &w->address, err);
    if (st == WADI_OK) st = open_worker(w, options ? options->keys : NULL, err);
    if (st == WADI_OK)
        *out_worker = w;
    else
        wadi_worker_destroy(w);
    return st;
}

void wadi_worker_destroy(wadi_worker *worker) {
    if (!worker) return;
    wadi_workq_close(worker->queue);
    wadi_waits_destroy(worker->waits);
    if (worker->ready) wadi_stop_fini(&worker->stop);
    free(worker->address);
    free(worker->device);
    free(worker->target);
    free(worker);
}

void wadi_worker_leave(wadi_worker *worker) {
    if (worker) wadi_stop_call(&worker->stop);
}

void wadi_worker_stats_get(wadi_worker *worker, wadi_worker_stats *out) {
    if (!out) return;
    *out = (wadi_worker_stats){0};
    if (!worker) return;
    *out = (wadi_worker_stats){.jobs = atomic_load(&worker->jobs),
                               .chunks = atomic_load(&worker->served.items),
                               .elements = atomic_load(&worker->served.elements)};
}

/* ---- jobs ---- */

static wadi_status do_charter(wadi_worker *w, const wadi_charter *c, bool *out_goes_on,
                              wadi_error *err) {
    const wadi_worker_options *o = &w->options;
    const wadi_run_options options = {.threads = o->threads,
                                      .memory = o->memory,
                                      .device = o->device,
                                      .schedule = o->schedule,
                                      .watchdog_s = o->watchdog_s};
    wadi_exe *exe = NULL;
    wadi_run *run = NULL;
    WADI_TRY(wadi_exe_of_charter(c, o->target, &exe, err));
    if (exe->plan->name != NULL) wadi_waits_set_name(w->waits, exe->plan->name);
    wadi_status st = wadi_exe_sent_get(exe, c, w->queue, &options, err);
    if (st == WADI_OK) wadi_exe_warm(exe, &options);
    if (st == WADI_OK) st = wadi_run_create(exe, &options, &run, err);
    if (st == WADI_OK) st = wadi_run_serve(run, c, w->queue, &w->served, out_goes_on, err);
    if (st != WADI_OK && st != WADI_CANCELLED && err != NULL)
        wadi_log_failed((wadi_log_place){exe->plan->name, "worker"}, err->msg);
    wadi_run_destroy(run);
    wadi_exe_destroy(exe);
    return st;
}

static wadi_status do_job(wadi_worker *w, bool *out_goes_on, wadi_error *err) {
    wadi_charter c;
    void *bytes = NULL;
    int64_t n = 0;
    WADI_TRY(w->queue->ops->charter(w->queue, &bytes, &n, err));
    if (!bytes) return WADI_OK;
    atomic_fetch_add(&w->jobs, 1);
    wadi_status st = wadi_charter_read(bytes, n, &c, err);
    if (st == WADI_OK) st = do_charter(w, &c, out_goes_on, err);
    free(bytes);
    return st;
}

wadi_status wadi_worker_go(wadi_worker *worker, wadi_error *err) {
    WADI_GIVEN(err, worker);
    wadi_error why = {.status = WADI_OK};
    wadi_status st = WADI_OK;
    bool goes_on = true;
    const wadi_task before = wadi_task_begin(
        (wadi_task){.name = "worker", .stop = wadi_task_now()->stop, .waits = worker->waits});
    while (st == WADI_OK && (goes_on || worker->options.stay)) {
        goes_on = false;
        st = do_job(worker, &goes_on, &why);
    }
    wadi_task_end(before);
    if (st == WADI_CANCELLED && wadi_stop_called(&worker->stop)) return WADI_OK;
    if (st != WADI_OK && err) *err = why;
    return st;
}
