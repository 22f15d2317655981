/* The life of a run: what is bound to it, its phases, its numbers. The stages of a stream are in stream.c. */
#include "sched/run.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/keep.h"
#include "sched/run/exec.h"
#include "sched/sizes.h"
#include "sched/schedules.h"

static const int64_t default_memory = INT64_C(1) << 30;

/* ---- making and destroying ---- */

static wadi_status check_options(const wadi_run_options *o, wadi_error *err) {
    if (o->threads < 0) return wadi_fail(err, WADI_INVALID, "threads: %d is negative", o->threads);
    if (o->memory < 0) {
        return wadi_fail(err, WADI_INVALID, "memory: %lld is negative", (long long)o->memory);
    }
    if (o->chunk < 0) {
        return wadi_fail(err, WADI_INVALID, "chunk: %lld is negative", (long long)o->chunk);
    }
    if ((int)o->schedule < WADI_SCHEDULE_AUTO || (int)o->schedule > WADI_SCHEDULE_COUNT) {
        return wadi_fail(err, WADI_INVALID, "schedule: %d is none", (int)o->schedule);
    }
    if (!(o->watchdog_s >= 0 && o->watchdog_s <= 1e9)) {
        return wadi_fail(err, WADI_INVALID, "watchdog_s: %g is not from 0 to 1e9", o->watchdog_s);
    }
    return WADI_OK;
}

static wadi_status make_locks(wadi_exec *x, wadi_error *err) {
    WADI_TRY(wadi_mutex_init(&x->lock, err));
    x->made++;
    WADI_TRY(wadi_meter_init(&x->meter, err));
    x->made++;
    return WADI_OK;
}

static const char *policy_name(const wadi_run_options *o) {
    if (o->policy != NULL) return o->policy;
    return o->chunk > 0 ? "fixed" : wadi_policies[0].name;
}

static wadi_status make_parts(wadi_exec *x, const wadi_loader *loader, wadi_error *err) {
    const wadi_run_options *o = &x->options;
    WADI_TRY(wadi_stop_init(&x->stop, wadi_task_now()->stop, err));
    WADI_TRY(make_locks(x, err));
    WADI_TRY(wadi_buffers_create(NULL, o->memory, &x->buffers, err));
    WADI_TRY(wadi_policy_create(policy_name(o), o->chunk, &x->policy, err));
    wadi_budget_init(&x->budget, o->memory, WADI_CHUNKS_IN_FLIGHT);
    x->bound = calloc((size_t)x->plan->ninputs + 1, sizeof *x->bound);
    if (x->bound == NULL) return wadi_fail(err, WADI_MEMORY, "run: out of memory");
    WADI_TRY(wadi_exec_list_bindings(x, err));
    WADI_TRY(wadi_slots_init(&x->slots, x->plan, x->buffers, err));
    const wadi_device_options device = {.plan = x->plan,
                                        .loader = loader,
                                        .buffers = x->buffers,
                                        .threads = o->threads,
                                        .force = wadi_forced_schedule(o->schedule)};
    return wadi_devices[0].create(&device, &x->device, err);
}

wadi_status wadi_exec_create(const wadi_plan *plan, const wadi_loader *loader,
                             const wadi_run_options *options, wadi_exec **out, wadi_error *err) {
    const wadi_run_options none = {0};
    WADI_TRY(check_options(options != NULL ? options : &none, err));
    wadi_exec *x = calloc(1, sizeof *x);
    if (x == NULL) return wadi_fail(err, WADI_MEMORY, "run: out of memory");
    x->plan = plan;
    wadi_keep_hold();
    if (options != NULL) x->options = *options;
    if (x->options.memory == 0) x->options.memory = default_memory;
    if (x->options.watchdog_s == 0) x->options.watchdog_s = WADI_WATCHDOG_S;
    const wadi_status status = make_parts(x, loader, err);
    if (status == WADI_OK) {
        *out = x;
    } else {
        wadi_exec_destroy(x);
    }
    return status;
}

void wadi_exec_destroy(wadi_exec *x) {
    if (x == NULL) return;
    wadi_slots_fini(&x->slots);
    if (x->device != NULL) x->device->ops->destroy(x->device);
    wadi_policy_destroy(x->policy);
    wadi_buffers_release(x->buffers);
    wadi_vec_free(&x->bindings);
    wadi_vec_free(&x->extents);
    free(x->bound);
    wadi_stop_fini(&x->stop);
    if (x->made > 1) wadi_meter_fini(&x->meter);
    if (x->made > 0) wadi_mutex_fini(&x->lock);
    free(x);
    wadi_keep_drop();
}

/* ---- binding ---- */

static wadi_status check_unstarted(const wadi_exec *x, wadi_error *err) {
    return x->started ? wadi_fail(err, WADI_INVALID, "the run has begun already") : WADI_OK;
}

wadi_status wadi_exec_input(wadi_exec *x, const char *name, const wadi_array *a, wadi_error *err) {
    WADI_TRY(check_unstarted(x, err));
    for (int i = 0; i < x->plan->ninputs; i++) {
        if (strcmp(x->plan->inputs[i].name, name) != 0) continue;
        WADI_TRY(wadi_bind_input(x, &x->plan->inputs[i], a, err));
        x->bound[i] = true;
        return WADI_OK;
    }
    return wadi_fail(err, WADI_INVALID, "the program has no input \"%s\"", name);
}

/* Whoever supplies the elements hears why nobody takes them; that somebody has cancelled is none of his business. */
static void tell_source(wadi_source *source, const wadi_error *why) {
    if (why->status != WADI_CANCELLED && source->ops->give_up != NULL)
        source->ops->give_up(source, why);
}

wadi_status wadi_exec_source(wadi_exec *x, const char *name, wadi_source *source, wadi_error *err) {
    WADI_TRY(check_unstarted(x, err));
    wadi_binding *b = wadi_exec_find(x, name, false);
    if (b == NULL) return wadi_fail(err, WADI_INVALID, "the program has no source \"%s\"", name);
    wadi_error why = {.status = WADI_OK};
    const wadi_status status = wadi_exec_check_source(x, name, source, &why);
    if (status != WADI_OK) {
        tell_source(source, &why);
        if (err != NULL) *err = why;
        return status;
    }
    b->source = source;
    return WADI_OK;
}

wadi_status wadi_exec_sink(wadi_exec *x, const char *name, wadi_sink *sink, wadi_error *err) {
    WADI_TRY(check_unstarted(x, err));
    wadi_binding *b = wadi_exec_find(x, name, true);
    if (b == NULL) return wadi_fail(err, WADI_INVALID, "the program has no sink \"%s\"", name);
    b->sink = sink;
    return WADI_OK;
}

/* ---- running ---- */

static wadi_status run_body(wadi_exec *x, int body, wadi_error *err) {
    wadi_job job = {.body = body, .main_block = true, .count = 1, .slots = &x->slots};
    WADI_TRY(x->device->ops->run(x->device, &job, err));
    if (job.fault.kind == WADI_FAULT_NONE) return WADI_OK;
    return wadi_job_error(&job, err);
}

/* Each stream has a policy and a budget of its own; one that was seen before starts with what was learned then. A run of less
 * than LEARNING_NS teaches nothing that is worth a file. */
static wadi_status run_stream(wadi_exec *x, int phase, wadi_error *err) {
    static const int64_t LEARNING_NS = 200000000;
    const wadi_run_options *o = &x->options;
    const bool learns = o->chunk == 0 && !o->forget && wadi_sizes_wanted();
    wadi_policy *policy = NULL;
    WADI_TRY(wadi_policy_create(policy_name(o), o->chunk, &policy, err));
    if (learns) (void)wadi_sizes_load(x->plan, phase, policy_name(o), policy);
    wadi_mutex_lock(&x->lock);
    wadi_policy_destroy(x->policy);
    x->policy = policy;
    wadi_budget_init(&x->budget, o->memory, WADI_CHUNKS_IN_FLIGHT);
    wadi_mutex_unlock(&x->lock);
    const int64_t begin = wadi_clock_ns();
    WADI_TRY(wadi_run_stream(x, &x->plan->phases[phase].stream, err));
    if (learns && wadi_clock_ns() - begin >= LEARNING_NS) {
        wadi_sizes_save(x->plan, phase, policy_name(o), policy);
    }
    return WADI_OK;
}

static wadi_status run_phases(wadi_exec *x, wadi_error *err) {
    for (int i = 0; i < x->plan->nphases; i++) {
        const wadi_plan_phase *p = &x->plan->phases[i];
        WADI_TRY(wadi_task_check(err));
        if (p->is_stream) {
            WADI_TRY(run_stream(x, i, err));
        } else {
            WADI_TRY(run_body(x, p->body, err));
        }
    }
    return WADI_OK;
}

wadi_status wadi_exec_go(wadi_exec *x, wadi_error *err) {
    WADI_TRY(check_unstarted(x, err));
    WADI_TRY(wadi_exec_check_bound(x, err));
    x->started = true;
    WADI_TRY(wadi_waits_create((int64_t)(x->options.watchdog_s * 1e9), &x->waits, err));
    wadi_mutex_lock(&x->lock);
    x->begin_ns = wadi_clock_ns();
    wadi_mutex_unlock(&x->lock);
    const wadi_task before =
        wadi_task_begin((wadi_task){.name = "compute", .stop = &x->stop, .waits = x->waits});
    wadi_error why = {.status = WADI_OK};
    const wadi_status status = run_phases(x, &why);
    for (size_t i = 0; status != WADI_OK && i < x->bindings.n; i++)
        if (x->bindings.at[i].source != NULL) tell_source(x->bindings.at[i].source, &why);
    if (status != WADI_OK && err != NULL) *err = why;
    wadi_task_end(before);
    wadi_mutex_lock(&x->lock);
    x->end_ns = wadi_clock_ns();
    wadi_mutex_unlock(&x->lock);
    wadi_waits_destroy(x->waits);
    x->waits = NULL;
    x->finished = status == WADI_OK;
    return status;
}

void wadi_exec_cancel(wadi_exec *x) {
    wadi_stop_call(&x->stop);
}

/* ---- looking at it ---- */

void wadi_exec_stats(wadi_exec *x, wadi_run_stats *out) {
    int64_t busy[WADI_STAGE_COUNT], overlap = 0;
    wadi_meter_read(&x->meter, busy, &overlap);
    wadi_mutex_lock(&x->lock);
    *out = x->stats;
    const int64_t end = x->end_ns != 0 ? x->end_ns : wadi_clock_ns();
    const double elapsed = x->begin_ns != 0 ? (double)(end - x->begin_ns) : 0;
    wadi_mutex_unlock(&x->lock);
    out->threads = x->device->ops->workers(x->device);
    out->memory_peak = wadi_buffers_peak(x->buffers);
    out->elapsed_s = elapsed / 1e9;
    out->source_s = (double)busy[WADI_STAGE_SOURCE] / 1e9;
    out->compute_s = (double)busy[WADI_STAGE_COMPUTE] / 1e9;
    out->sink_s = (double)busy[WADI_STAGE_SINK] / 1e9;
    if (!(elapsed > 0)) return;
    const double used = (double)x->device->ops->busy_ns(x->device);
    out->utilisation = used / (elapsed * out->threads);
    out->overlap = (double)overlap / elapsed;
    out->stages_busy = (out->source_s + out->compute_s + out->sink_s) / out->elapsed_s;
}

wadi_status wadi_exec_result(wadi_exec *x, const char *name, wadi_array *out, wadi_error *err) {
    if (!x->finished) return wadi_fail(err, WADI_INVALID, "the run has not ended well: no results");
    for (int i = 0; i < x->plan->noutputs; i++) {
        if (strcmp(x->plan->outputs[i].name, name) != 0) continue;
        *out = wadi_slots_array(&x->slots, x->plan->outputs[i].slot);
        return WADI_OK;
    }
    return wadi_fail(err, WADI_INVALID, "the program has no result \"%s\"", name);
}
