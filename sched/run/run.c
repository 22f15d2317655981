/* The life of a run: its bindings, its phases, its statistics. The stages of a stream are in stream.c. */
#include "sched/run.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/keep.h"
#include "base/user_cache.h"
#include "sched/foreign.h"
#include "sched/run/checkpoint.h"
#include "sched/run/certify.h"
#include "sched/run/far.h"
#include "sched/run/parts.h"
#include "sched/run/dead.h"
#include "sched/run/profile_all.h"
#include "sched/run/state.h"
#include "sched/work/queue.h"

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
    if ((int)o->stages < WADI_STAGES_AUTO || (int)o->stages > WADI_STAGES_APART) {
        return wadi_fail(err, WADI_INVALID, "stages: %d is none", (int)o->stages);
    }
    if (o->retries < 0) return wadi_fail(err, WADI_INVALID, "retries: %d is negative", o->retries);
    if (!(o->retry_after_s >= 0 && o->retry_after_s <= 1e9)) {
        return wadi_fail(err, WADI_INVALID, "retry_after_s: %g is not from 0 to 1e9",
                         o->retry_after_s);
    }
    if ((int)o->on_fault < WADI_ON_FAULT_FAIL || o->on_fault > WADI_ON_FAULT_REPLACE) {
        return wadi_fail(err, WADI_INVALID, "on_fault: %d is none", (int)o->on_fault);
    }
    if (o->dead_limit < 0) {
        return wadi_fail(err, WADI_INVALID, "dead_limit: %lld is negative",
                         (long long)o->dead_limit);
    }
    if ((o->dead != NULL || o->dead_limit > 0) && o->on_fault == WADI_ON_FAULT_FAIL) {
        return wadi_fail(
            err, WADI_INVALID,
            "dead, dead_limit: without on_fault, the first element that fails ends the "
            "run");
    }
    if (o->verify != NULL && o->state != NULL) {
        return wadi_fail(err, WADI_INVALID,
                         "verify, state: a run that is compared with a certificate begins at its "
                         "beginning, and is not saved");
    }
    if ((int)o->guarantee < WADI_GUARANTEE_NONE || o->guarantee > WADI_GUARANTEE_EXACTLY_ONCE) {
        return wadi_fail(err, WADI_INVALID, "guarantee: %d is none", (int)o->guarantee);
    }
    if (!(o->save_every_s >= 0 && o->save_every_s <= 1e9)) {
        return wadi_fail(err, WADI_INVALID, "save_every_s: %g is not from 0 to 1e9",
                         o->save_every_s);
    }
    if (o->workers < 0) return wadi_fail(err, WADI_INVALID, "workers: %d is negative", o->workers);
    if (o->workers > 0 && o->via == NULL)
        return wadi_fail(err, WADI_INVALID, "workers: without via, none can come");
    if (!(o->watchdog_s >= 0 && o->watchdog_s <= 1e9)) {
        return wadi_fail(err, WADI_INVALID, "watchdog_s: %g is not from 0 to 1e9", o->watchdog_s);
    }
    return WADI_OK;
}

static wadi_status make_locks(wadi_run *x, wadi_error *err) {
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

/* Whether a chunk has the same bits whichever of the devices computes it. */
static bool compute_alike(const wadi_loader *l, const wadi_device_choices *devices) {
    bool alike = true;
    for (int i = 1; i < devices->n; i++)
        alike = alike && strcmp(devices->at[i].row->language, devices->at[0].row->language) == 0;
    return alike || l->exact == NULL || l->exact(l->self);
}

static wadi_status make_parts(wadi_run *x, wadi_error *err) {
    const wadi_run_options *o = &x->options;
    WADI_TRY(wadi_stop_init(&x->stop, wadi_task_now()->stop, err));
    WADI_TRY(make_locks(x, err));
    WADI_TRY(wadi_buffers_create(NULL, o->memory, &x->buffers, err));
    WADI_TRY(wadi_policy_find(policy_name(o), &x->policy_row, err));
    wadi_budget_init(&x->budget, o->memory, WADI_CHUNKS_IN_FLIGHT);
    x->bound = calloc((size_t)x->plan->ninputs + 1, sizeof *x->bound);
    if (x->bound == NULL) return wadi_fail(err, WADI_MEMORY, "run: out of memory");
    WADI_TRY(wadi_run_list_bindings(x, err));
    WADI_TRY(wadi_device_find_all(o->device, &x->devices, err));
    x->alone = !compute_alike(&x->loader, &x->devices);
    return wadi_run_settle(x, err);
}

/* What libraries have learnt about this machine is kept next to the kernels; a run does without it as well. */
static bool open_libraries(const wadi_plan *plan) {
    char directory[1024];
    return wadi_plan_calls_routines(plan) &&
           wadi_user_cache(directory, sizeof directory, NULL) == WADI_OK &&
           wadi_foreign_open(directory, NULL) == WADI_OK;
}

static void save_libraries(void) {
    const wadi_status kept = wadi_foreign_save(NULL);
    WADI_UNUSED(kept);
}

wadi_status wadi_run_create_for(const wadi_plan *plan, const wadi_loader *loader,
                                const wadi_run_options *options, wadi_run **out, wadi_error *err) {
    const wadi_run_options none = {0};
    WADI_TRY(check_options(options != NULL ? options : &none, err));
    wadi_run *x = calloc(1, sizeof *x);
    if (x == NULL) return wadi_fail(err, WADI_MEMORY, "run: out of memory");
    wadi_status status = WADI_OK;
    x->plan = plan;
    x->loader = *loader;
    atomic_init(&x->streams, true);
    x->phase = -1;
    wadi_keep_hold();
    if (options != NULL) x->options = *options;
    x->options.via_keys = NULL; /* borrowed only until the queue is open */
    if (wadi_profile_is_asked() || x->options.trace != NULL) x->options.profile = true;
    if (x->options.memory == 0) x->options.memory = default_memory;
    if (x->options.state != NULL) status = wadi_checkpoint_create(x, err);
    if (x->options.watchdog_s == 0) x->options.watchdog_s = WADI_WATCHDOG_S;
    if (status == WADI_OK) status = make_parts(x, err);
    if (status == WADI_OK) {
        x->learns = open_libraries(plan);
        *out = x;
    } else {
        wadi_run_destroy(x);
    }
    return status;
}

/* A home that was killed behind its last element has left its job, and the run that goes on has offered nothing: it ends what is left, as that home would have. */
static void end_left(wadi_run *x) {
    wadi_workq *q = x->work.queue;
    wadi_error why = {.status = WADI_OK};
    bool left = false;
    if (q == NULL || q->ops->end_left == NULL) return;
    if (q->ops->end_left(q, &left, &why) != WADI_OK)
        wadi_logf(WADI_LOG_WARNING, "%s: what an earlier home may have left stays: %s",
                  x->work.address, why.msg);
    else if (left)
        wadi_logf(WADI_LOG_WARNING,
                  "%s: all had been computed when the home before ended; the job that it left is "
                  "ended now",
                  x->work.address);
}

/* Workers leave when nothing more comes: also of a run that is saved, and that has failed, nobody knows whether it goes on. */
static void end_work(wadi_run *x, wadi_status status) {
    wadi_workq *q = x->work.queue;
    if (q == NULL || (status != WADI_OK && x->options.state != NULL)) return;
    wadi_error why = {.status = WADI_OK};
    if (q->ops->end(q, &why) != WADI_OK)
        wadi_logf(WADI_LOG_WARNING, "%s: its workers may not know that the job is over: %s",
                  x->work.address, why.msg);
}

void wadi_run_destroy(wadi_run *x) {
    if (x == NULL) return;
    if (x->options.state == NULL) end_work(x, WADI_OK); /* it may have ended before it began */
    wadi_workq_close(x->work.queue);
    wadi_checkpoint_destroy(x);
    wadi_dead_destroy(x);
    wadi_certify_destroy(x);
    if (wadi_profile_is_asked()) wadi_profile_gather(x);
    wadi_run_leave_all(x);
    wadi_run_profile_fini(x);
    wadi_run_trace_fini(x); /* devices are closed */
    wadi_run_put_policy(x);
    wadi_buffers_release(x->buffers);
    wadi_vec_free(&x->bindings);
    wadi_vec_free(&x->extents);
    free(x->bound);
    free(x->given);
    wadi_stop_fini(&x->stop);
    if (x->made > 1) wadi_meter_fini(&x->meter);
    if (x->made > 0) wadi_mutex_fini(&x->lock);
    if (x->learns) save_libraries();
    free(x);
    wadi_keep_drop();
}

/* ---- binding ---- */

static wadi_status check_unstarted(const wadi_run *x, wadi_error *err) {
    return x->started ? wadi_fail(err, WADI_INVALID, "the run has begun already") : WADI_OK;
}

wadi_status wadi_run_input(wadi_run *run, const char *name, const wadi_array *a, wadi_error *err) {
    WADI_GIVEN(err, run);
    WADI_GIVEN(err, name);
    WADI_GIVEN(err, a);
    WADI_TRY(check_unstarted(run, err));
    for (int i = 0; i < run->plan->ninputs; i++) {
        if (strcmp(run->plan->inputs[i].name, name) != 0) continue;
        WADI_TRY(wadi_run_bind_input(run, &run->plan->inputs[i], a, err));
        run->bound[i] = true;
        if (run->given != NULL) run->given[i] = *a;
        return WADI_OK;
    }
    return wadi_fail(err, WADI_INVALID, "the program has no input \"%s\"", name);
}

/* Whoever supplies the elements hears why nobody takes them; that somebody has cancelled is none of his business. */
static void tell_source(wadi_source *source, const wadi_error *why) {
    if (why->status != WADI_CANCELLED && source->ops->give_up != NULL)
        source->ops->give_up(source, why);
}

wadi_status wadi_run_source(wadi_run *run, const char *name, wadi_source *source, wadi_error *err) {
    WADI_GIVEN(err, run);
    WADI_GIVEN(err, name);
    WADI_GIVEN(err, source);
    WADI_TRY(check_unstarted(run, err));
    wadi_binding *b = wadi_run_find(run, name, false);
    if (b == NULL) return wadi_fail(err, WADI_INVALID, "the program has no source \"%s\"", name);
    wadi_error why = {.status = WADI_OK};
    const wadi_status status = wadi_run_check_source(run, name, source, &why);
    if (status != WADI_OK) {
        tell_source(source, &why);
        if (err != NULL) *err = why;
        return status;
    }
    b->source = source;
    return WADI_OK;
}

/* Whether the sink can do with the order in which elements come. */
static wadi_status check_order(const wadi_run *x, const wadi_binding *b, const wadi_sink *sink,
                               wadi_error *err) {
    if (b->unordered == NULL || !sink->ordered) return WADI_OK;
    const wadi_plan_place *at = &x->plan->places[b->unordered->place];
    return wadi_fail_at(err, at->loc, WADI_INVALID,
                        "%s: \"%s\" gets elements in any order, and a %s sink needs them in order",
                        at->op, b->name, sink->kind);
}

wadi_status wadi_run_sink(wadi_run *run, const char *name, wadi_sink *sink, wadi_error *err) {
    WADI_GIVEN(err, run);
    WADI_GIVEN(err, name);
    WADI_GIVEN(err, sink);
    WADI_TRY(check_unstarted(run, err));
    wadi_binding *b = wadi_run_find(run, name, true);
    if (b == NULL) return wadi_fail(err, WADI_INVALID, "the program has no sink \"%s\"", name);
    WADI_TRY(check_order(run, b, sink, err));
    b->sink = sink;
    return WADI_OK;
}

/* ---- running ---- */

static wadi_status run_body(wadi_run *x, int body, wadi_error *err) {
    wadi_job job = {.body = body, .main_block = true, .count = 1, .slots = &x->slots};
    WADI_TRY(wadi_runner_run(x->runner, &job, err));
    if (job.fault.kind == WADI_FAULT_NONE) return WADI_OK;
    return wadi_job_error(&job, err);
}

/* Each stream has a policy and a budget of its own; one that was seen before starts with what was learned then. */
static wadi_status run_stream(wadi_run *x, int phase, wadi_error *err) {
    const wadi_run_options *o = &x->options;
    x->sharing = (wadi_sharing){.n = x->devices.n};
    WADI_TRY(wadi_run_recall(x, phase, policy_name(o), err));
    wadi_mutex_lock(&x->lock);
    wadi_budget_init(&x->budget, o->memory, WADI_CHUNKS_IN_FLIGHT);
    wadi_run_count_in_flight(x, o->via != NULL ? wadi_far_in_flight(1, 0) : 0);
    wadi_run_leave_to_chunks(x, 0);
    wadi_mutex_unlock(&x->lock);
    const int64_t begin = wadi_clock_ns();
    WADI_TRY(wadi_run_stream(x, &x->plan->phases[phase].stream, err));
    wadi_run_learn(x, phase, policy_name(o), wadi_clock_ns() - begin);
    return WADI_OK;
}

/* What lives apart is copied when the run begins, and results when it has ended: until then inputs are their owner's. */
static wadi_status put_inputs(wadi_run *x, wadi_error *err) {
    for (int i = 0; x->given != NULL && i < x->plan->ninputs; i++)
        WADI_TRY(wadi_slots_bind_array(&x->slots, x->plan->inputs[i].slot, &x->given[i], err));
    return WADI_OK;
}

static wadi_status fetch_outputs(wadi_run *x, wadi_error *err) {
    for (int i = 0; i < x->plan->noutputs; i++)
        WADI_TRY(wadi_slots_fetch(&x->slots, x->plan->outputs[i].slot, err));
    return x->device->ops->wait(x->device, err);
}

/* For those who look at the run. */
static void show_phase(wadi_run *x, int phase) {
    wadi_mutex_lock(&x->lock);
    x->phase = phase;
    wadi_mutex_unlock(&x->lock);
}

static wadi_status run_phases(wadi_run *x, wadi_error *err) {
    WADI_TRY(put_inputs(x, err));
    for (int i = 0; i < x->plan->nphases; i++) {
        const wadi_plan_phase *p = &x->plan->phases[i];
        atomic_store(&x->streams, p->is_stream);
        if (!p->is_stream && atomic_load(&x->drains)) wadi_run_drain(x); /* told during a stream */
        show_phase(x, i);
        WADI_TRY(wadi_task_check(err));
        if (p->is_stream) {
            WADI_TRY(run_stream(x, i, err));
        } else {
            WADI_TRY(run_body(x, p->body, err));
        }
    }
    atomic_store(&x->streams, true);
    return fetch_outputs(x, err);
}

/* A trial has a stop of its own, which is called when it takes too long. */
static wadi_status run_timed(wadi_run *x, bool *out_late, wadi_error *err) {
    const bool timed = x->trial && wadi_late_begin(&x->late, &x->stop, x->most_ns, &x->load_ns,
                                                   &x->loading_ns, NULL) == WADI_OK;
    const wadi_task now = *wadi_task_now();
    const wadi_task before =
        wadi_task_begin((wadi_task){now.name, timed ? &x->late.stop : now.stop, now.waits});
    x->from_ns = wadi_clock_ns();
    wadi_run_profile_begin(x, x->chosen.name, false);
    const wadi_status status = run_phases(x, err);
    wadi_task_end(before);
    if (status != WADI_OK) (void)wadi_run_goes_on(x, status);
    *out_late = wadi_late_end(&x->late);
    return status;
}

/* On one device after the other, until one has done it. */
static wadi_status run_all(wadi_run *x, wadi_error *err) {
    for (;;) {
        wadi_error why = {.status = WADI_OK};
        bool late = false;
        const wadi_status status = run_timed(x, &late, &why);
        if (status == WADI_OK) wadi_run_learn_home(x);
        if (status != WADI_OK && err != NULL) *err = why;
        if (status == WADI_OK || !x->goes_on || wadi_run_broken(x)) return status;
        WADI_TRY(wadi_run_begin_again(x, late, &why, err));
    }
}

/* The run has failed, and does not begin again: whoever waits for the rest is told. */
static void tell_all(wadi_run *x, const wadi_error *why) {
    for (size_t i = 0; i < x->bindings.n; i++) {
        wadi_binding *b = &x->bindings.at[i];
        if (b->source != NULL) tell_source(b->source, why);
        if (b->owes && b->sink->ops->abort != NULL) b->sink->ops->abort(b->sink, why);
        b->owes = false;
    }
}

/* The kernels of the home can be made ahead. */
static void expect(wadi_run *x) {
    wadi_run_options options = x->options;
    if (x->devices.n > 1) options.device = x->chosen.name;
    if (x->loader.expect != NULL) x->loader.expect(x->loader.self, &options);
}

static void begin(wadi_run *x) {
    if (x->devices.n > 1) wadi_run_note_places(x);
    wadi_run_choose_home(x);
    expect(x);
}

/* With *status and *err of the run, which an error here does not replace. */
static void close_dead(wadi_run *x, wadi_status *status, wadi_error *err) {
    wadi_error why = {.status = WADI_OK};
    const bool goes_on = *status != WADI_OK && x->options.state != NULL;
    if (wadi_dead_close(x, goes_on, &why) == WADI_OK) return;
    if (*status != WADI_OK) {
        wadi_logf(WADI_LOG_WARNING, "%s", why.msg);
        return;
    }
    *status = why.status;
    *err = why;
}

wadi_status wadi_run_go(wadi_run *run, wadi_error *err) {
    WADI_GIVEN(err, run);
    WADI_TRY(check_unstarted(run, err));
    WADI_TRY(wadi_run_check_bound(run, err));
    WADI_TRY(wadi_run_check_parts(run, err));
    WADI_TRY(wadi_run_check_guarantee(run, err));
    run->started = true; /* what is open now is closed with the run, and not opened again */
    WADI_TRY(wadi_dead_open(run, err));
    WADI_TRY(wadi_certify_open(run, err));
    WADI_TRY(wadi_checkpoint_open(run, err));
    WADI_TRY(wadi_run_trace_open(run, err));
    wadi_waits *waits = NULL;
    WADI_TRY(wadi_waits_create((int64_t)(run->options.watchdog_s * 1e9), &waits, err));
    if (run->plan->name != NULL) wadi_waits_set_name(waits, run->plan->name);
    wadi_mutex_lock(&run->lock);
    run->waits = waits;
    run->begin_ns = wadi_clock_ns();
    wadi_mutex_unlock(&run->lock);
    wadi_watch_add(&run->watched, run);
    const wadi_task before =
        wadi_task_begin((wadi_task){.name = "compute", .stop = &run->stop, .waits = run->waits});
    wadi_error why = {.status = WADI_OK};
    wadi_profile *around = wadi_profile_put_aside();
    wadi_run_profile_begin(run, run->chosen.name, false);
    begin(run);
    wadi_status status = run_all(run, &why);
    if (status == WADI_OK) end_left(run);
    end_work(run, status);
    wadi_far_tell_unused(run);
    close_dead(run, &status, &why);
    if (status == WADI_OK) status = wadi_certify_close(run, &why);
    if (status == WADI_OK && !run->options.hold_state) status = wadi_certify_release(run, &why);
    if (status != WADI_OK) tell_all(run, &why);
    if (status != WADI_OK && status != WADI_CANCELLED)
        wadi_log_failed(wadi_run_place(run), why.msg);
    if (status != WADI_OK && err != NULL) *err = why;
    wadi_task_end(before);
    wadi_run_profile_end(run);
    wadi_profile_take_up(around);
    wadi_watch_remove(&run->watched);
    wadi_mutex_lock(&run->lock);
    run->end_ns = wadi_clock_ns();
    run->phase = -1;
    run->waits = NULL;
    wadi_mutex_unlock(&run->lock);
    wadi_run_trace_close(run);
    wadi_waits_destroy(waits);
    run->finished = status == WADI_OK;
    if (status == WADI_CANCELLED && atomic_load(&run->drains))
        run->drained = wadi_checkpoint_exists(run);
    if (!run->finished || !run->options.hold_state) wadi_checkpoint_close(run, run->finished);
    return status;
}

wadi_status wadi_run_work_by(wadi_run *run, const char *address, wadi_workq *owned_q,
                             wadi_error *err) {
    run->work.queue = owned_q;
    (void)snprintf(run->work.address, sizeof run->work.address, "%s", address);
    if (wadi_loader_is_fast(&run->loader))
        return wadi_fail(err, WADI_UNSUPPORTED,
                         "%s: with fast math, bits would depend on the worker", address);
    if (run->devices.n == 1) return WADI_OK;
    return wadi_fail(err, WADI_UNSUPPORTED,
                     "%s: a run with workers elsewhere has one device here, not %s", address,
                     run->devices.name);
}

void wadi_run_seam_by(wadi_run *run, wadi_seam_rule rule) {
    run->seam_rule = rule;
}

wadi_status wadi_run_compute_on(wadi_run *run, wadi_device_maker maker, wadi_error *err) {
    const wadi_device_options options = {.buffers = run->buffers,
                                         .keep_bytes = run->options.memory,
                                         .threads = run->options.threads};
    wadi_device *device = NULL;
    run->stays = true;
    WADI_TRY(maker.open(maker.env, &options, &device, err));
    WADI_ASSERT(device->images == run->device->images);
    wadi_runner_destroy(run->runner);
    run->runner = NULL;
    wadi_slots_fini(&run->slots); /* they hold the arrays of the program, at the device before */
    run->device->ops->destroy(run->device);
    run->device = device;
    WADI_TRY(wadi_slots_init(&run->slots, run->plan, run->buffers, device->residence, err));
    WADI_TRY(wadi_run_make_runner(run, &run->timed, device, run->chosen.row, &run->runner, err));
    run->crew.runner = run->runner;
    return WADI_OK;
}

void wadi_run_share_by(wadi_run *run, wadi_share_rule rule) {
    run->share_rule = rule;
}

void wadi_run_home_by(wadi_run *run, wadi_home_rule rule) {
    run->home_rule = rule;
}

void wadi_run_cancel(wadi_run *run) {
    if (run != NULL) wadi_stop_call(&run->stop);
}

void wadi_run_release_state(wadi_run *run) {
    wadi_error err = {.status = WADI_OK};
    if (run == NULL || !run->finished) return;
    if (wadi_certify_release(run, &err) != WADI_OK) wadi_logf(WADI_LOG_WARNING, "%s", err.msg);
    wadi_checkpoint_close(run, true);
}

void wadi_run_drain(wadi_run *run) {
    if (run == NULL) return;
    atomic_store(&run->drains, true);
    if (run->checkpoint != NULL && !atomic_load(&run->streams)) wadi_stop_call(&run->stop);
}

/* ---- looking at it ---- */

wadi_status wadi_run_result(wadi_run *run, const char *name, wadi_array *out_array,
                            wadi_error *err) {
    WADI_GIVEN(err, run);
    WADI_GIVEN(err, name);
    WADI_GIVEN(err, out_array);
    if (!run->finished)
        return wadi_fail(err, WADI_INVALID, "the run has not ended well: no results");
    for (int i = 0; i < run->plan->noutputs; i++) {
        if (strcmp(run->plan->outputs[i].name, name) != 0) continue;
        *out_array = wadi_slots_array(&run->slots, run->plan->outputs[i].slot);
        return WADI_OK;
    }
    return wadi_fail(err, WADI_INVALID, "the program has no result \"%s\"", name);
}
