/* Choosing a version, having it loaded, and running it.
 *
 * A flat version computes operator by operator, and would report the first fault of an operator. So if a body faults in flat,
 * it runs once more inside, which finds the fault of the first element. It finds none if only a manual lifting did not fit. If
 * a library routine declines, its body runs once more without routines. */
#include "sched/steps/runner.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/task.h"
#include "sched/schedules.h"
#include "sched/steps/choose.h"
#include "sched/steps/few.h"
#include "sched/steps/steps.h"

/* A version, and the facts that are computed once when it is loaded. */
typedef struct loaded {
    wadi_plan_code code; /* version NULL: not loaded yet */
    bool *allocated;     /* [plan's and version's slots]: see wadi_steps_allocate */
    int *last_uses;      /* see wadi_steps_find_last_uses */
} loaded;

/* What has been found out about a body. */
typedef struct known {
    wadi_choice choice;
    wadi_few few;
} known;

struct wadi_runner {
    wadi_runner_options options;
    wadi_steps steps;
    int64_t loading_ns; /* part of the job's time */
    known *known;       /* [nbodies], behind the versions in the same block */
    loaded version[];   /* [nbodies][WADI_BODY_VERSIONS] */
};

static int workers(const wadi_runner *r) {
    return r->options.device->ops->workers(r->options.device);
}

static const wadi_image_ops *images(const wadi_runner *r) {
    return r->options.device->images;
}

/* ---- versions ---- */

/* What nobody else was to read is not read. */
static bool is_there(const wadi_slots *s, const wadi_plan_version *v) {
    for (int i = 0; i < v->nsteps; i++)
        for (int k = 0; k < v->steps[i].nuses; k++) {
            const wadi_plan_use *u = &v->steps[i].uses[k];
            if (!u->writes && u->slot < s->plan->nslots && s->memory[u->slot].dropped) return false;
        }
    return true;
}

/* Every step that needs a kernel has one. */
static bool is_complete(const wadi_plan_code *c) {
    const wadi_plan_version *v = c->version;
    for (int i = 0; i < v->nsteps; i++) {
        if (v->steps[i].kernel != NULL && c->kernels[i].handle == 0) return false;
        if (v->steps[i].units != NULL && c->units[i].handle == 0) return false;
    }
    return true;
}

static loaded *version_of(wadi_runner *r, int body, wadi_version_key version) {
    return &r->version[body * WADI_BODY_VERSIONS + wadi_version_number(version)];
}

static wadi_status load(wadi_runner *r, int body, wadi_version_key version, const loaded **out,
                        wadi_error *err) {
    loaded *c = version_of(r, body, version);
    *out = c;
    if (c->code.version != NULL) return WADI_OK;
    r->steps.job->loaded = true;
    const int64_t start = wadi_clock_ns();
    wadi_plan_code code = {0};
    const wadi_loader *l = r->options.loader;
    wadi_account *before = wadi_profile_charge(WADI_PROFILE_COMPILE);
    const wadi_status status = l->load(l->self, r->options.plan, body, version, &code, err);
    wadi_profile_back(before);
    WADI_TRY(status);
    if (!is_complete(&code)) {
        return wadi_fail(err, WADI_INTERNAL, "%s: the loader left out a kernel",
                         r->options.plan->bodies[body].name);
    }
    if (!is_there(r->steps.slots, code.version)) {
        return wadi_fail(err, WADI_INTERNAL, "%s: it reads what was given back",
                         r->options.plan->bodies[body].name);
    }
    const int slots = r->options.plan->nslots + code.version->nslots;
    c->allocated = calloc((size_t)slots + 1, sizeof *c->allocated);
    if (c->allocated == NULL) return wadi_steps_no_memory(err);
    wadi_steps_find_allocated(code.version, c->allocated);
    c->last_uses =
        wadi_steps_find_last_uses(r->options.plan, &r->options.plan->bodies[body], code.version);
    c->code = code;
    r->loading_ns += wadi_clock_ns() - start;
    return WADI_OK;
}

typedef struct candidate {
    wadi_runner *runner;
    int body;
} candidate;

static bool is_ready(void *env, wadi_schedule s, int64_t worth_ns) {
    const candidate *k = env;
    const wadi_runner_options *o = &k->runner->options;
    const wadi_version_key version = {.schedule = s, .images = images(k->runner)};
    if (version_of(k->runner, k->body, version)->code.version != NULL) return true;
    return o->loader->offer == NULL ||
           o->loader->offer(o->loader->self, o->plan, k->body, version, worth_ns);
}

static wadi_ready readiness(candidate *k, int64_t left) {
    return (wadi_ready){is_ready, k, workers(k->runner), left};
}

/* ---- one version over the job ---- */

/* A result that no step allocates and that is not bound already (a source's slot that passes through, a ONCE value of an
 * earlier phase) will be emitted. */
static wadi_status expect_emissions(wadi_steps *s, const wadi_plan_body *body, wadi_error *err) {
    wadi_device *d = s->device;
    for (int i = 0; i < body->nresults; i++) {
        const int slot = body->results[i];
        const bool bound = s->slots->slot[slot].col[0] != NULL;
        if (bound || wadi_steps_allocate(s, slot)) continue;
        if (!d->ops->expect(d, slot, s->job->count)) return wadi_steps_no_memory(err);
    }
    return WADI_OK;
}

/* The stream indices of a chunk's elements, for versions that read them. */
static wadi_status fill_index(wadi_steps *s, int slot, wadi_error *err) {
    const wadi_job *job = s->job;
    if (!wadi_slots_room_for_shapes(s->slots, slot, job->count) ||
        !wadi_slots_room_for_columns(s->slots, slot, job->count))
        return wadi_steps_no_memory(err);
    s->slots->slot[slot].stride = 1;
    s->device->ops->iota(s->device, s->slots->slot[slot].col[0], job->count, job->first);
    return WADI_OK;
}

static wadi_status take_steps(wadi_runner *r, wadi_error *err) {
    wadi_steps *s = &r->steps;
    const wadi_plan_body *body = &r->options.plan->bodies[s->job->body];
    if (body->index_slot >= 0 && !s->v->counts) WADI_TRY(fill_index(s, body->index_slot, err));
    WADI_TRY(expect_emissions(s, body, err));
    WADI_TRY(wadi_steps_run(s, err));
    if (!wadi_steps_faulted(s) &&
        !s->device->ops->finish(s->device, body->results, body->nresults, true))
        return wadi_steps_no_memory(err);
    if (s->account != NULL) wadi_steps_count_bodies(s);
    return WADI_OK;
}

/* If the device has failed, nothing that it says means anything: its failure is told, whatever came of it. */
static wadi_status run_steps(wadi_runner *r, wadi_error *err) {
    wadi_device *d = r->options.device;
    const wadi_status status = take_steps(r, err), of_device = d->ops->wait(d, err);
    return of_device != WADI_OK ? of_device : status;
}

/* Discards what a version that failed has left behind. */
static void clear_results(const wadi_steps *s) {
    for (int i = 0; i < s->v->nsteps; i++) {
        const wadi_plan_step *step = &s->v->steps[i];
        for (int k = 0; k < step->nslots; k++) wadi_slots_clear(s->slots, step->slots[k]);
        const wadi_plan_control *c = step->control;
        for (int k = 0; c != NULL && k < c->nvalues; k++) {
            if (c->results[k] >= 0) wadi_slots_clear(s->slots, c->results[k]);
        }
    }
}

static wadi_status run_version(wadi_runner *r, wadi_version_key version, wadi_error *err) {
    wadi_steps *s = &r->steps;
    wadi_job *job = s->job;
    const loaded *of = NULL;
    job->ran = version;
    job->fault = (wadi_fault){.kind = WADI_FAULT_NONE, .place = -1, .linear = -1};
    WADI_TRY(load(r, job->body, version, &of, err));
    job->version = s->v = of->code.version;
    s->running = &of->code;
    s->allocated = of->allocated;
    s->last_uses = of->last_uses;
    s->profile = wadi_profile_now();
    s->account =
        s->profile != NULL ? wadi_profile_steps(s->profile, job->body, version, s->v) : NULL;
    const wadi_device_work work = {job->slots, job->first, job->count, s->cancel};
    if (!wadi_slots_extend(job->slots, s->v)) return wadi_steps_no_memory(err);
    if (!wadi_steps_room_for_levels(s, s->v)) return wadi_steps_no_memory(err);
    if (!s->device->ops->begin(s->device, &work)) return wadi_steps_no_memory(err);
    wadi_status status = run_steps(r, err);
    if (status == WADI_OK && wadi_steps_faulted(s) && wadi_stop_called(s->cancel))
        status = wadi_fail(err, WADI_CANCELLED, "cancelled");
    if (status != WADI_OK || wadi_steps_faulted(s))
        clear_results(s);
    else
        wadi_steps_drop_inner(s, &r->options.plan->bodies[job->body]);
    s->device->ops->end(s->device);
    wadi_steps_clear_levels(s);
    return status;
}

/* A library routine declines the chunk. */
static bool declined(const wadi_runner *r) {
    return r->steps.job->fault.kind == WADI_FAULT_DECLINED;
}

/* Whether a computation lifted by hand is part of the version: it may fault where the elements' own does not. */
static bool is_lifted_by_hand(const wadi_plan_version *v) {
    for (int i = 0; i < v->nsteps; i++)
        if (v->steps[i].kind == WADI_STEP_MANY) return true;
    return false;
}

/* Whether the chunk has fewer elements than there are workers, and so have those to come: the first chunks of a long stream are small, too. */
static bool stays_few(const wadi_runner *r, const wadi_job *job) {
    return !job->main_block && job->left >= 0 && job->left < workers(r) - job->count;
}

/* What the cost rule says. Elements that stay fewer than the workers have arrays of the whole run as input, too. */
static wadi_schedule by_rule(const wadi_runner *r, const wadi_job *job, const wadi_plan_body *body,
                             bool few) {
    const int n = workers(r);
    const int64_t reads = few ? wadi_few_bytes(body, job->slots) : 0;
    const int64_t bytes = job->bytes + job->count * reads;
    return wadi_choose_schedule(body, r->options.force, job->main_block, job->count, bytes, n);
}

wadi_status wadi_runner_run(wadi_runner *r, wadi_job *job, wadi_error *err) {
    const wadi_plan_body *body = &r->options.plan->bodies[job->body];
    r->steps.job = job;
    r->steps.slots = job->slots;
    r->steps.cancel = wadi_task_now()->stop;
    wadi_choice *choice = &r->known[job->body].choice;
    wadi_few *few = &r->known[job->body].few;
    const bool measured = r->options.force < 0 && !job->main_block, all_few = stays_few(r, job);
    wadi_schedule schedule = by_rule(r, job, body, all_few);
    if (measured) {
        candidate of = {r, job->body};
        const wadi_ready ready = readiness(&of, job->left);
        const bool sized = all_few && schedule == WADI_SCHEDULE_FLAT;
        schedule = wadi_few_schedule(few, body, schedule, job->count, workers(r));
        schedule = wadi_choice_next(choice, body, schedule, &ready);
        if (!sized) schedule = wadi_choice_at_hand(choice, body, schedule, &ready);
    }
    r->loading_ns = 0;
    const int64_t start = wadi_clock_ns();
    const wadi_version_key chosen = {.schedule = schedule, .images = images(r)};
    WADI_TRY(run_version(r, chosen, err));
    if (measured && !wadi_steps_faulted(&r->steps)) {
        const int64_t ns = wadi_clock_ns() - start;
        wadi_few_saw(few, schedule, job->count, workers(r), ns - r->loading_ns);
        wadi_choice_saw(choice, schedule, job->count, job->bytes, ns, job->loaded);
    }
    if (!wadi_steps_faulted(&r->steps)) return WADI_OK;
    wadi_version_key first = chosen, pure;
    first.schedule = WADI_SCHEDULE_FIRST;
    pure = first;
    pure.pure = true;
    const bool by_operator = wadi_schedules[schedule].by_operator;
    const bool by_hand = by_operator && is_lifted_by_hand(job->version);
    if (!declined(r) && by_operator && (job->count > 1 || by_hand) &&
        wadi_body_offers(body, first)) {
        const bool memory = job->fault.kind == WADI_FAULT_MEMORY;
        WADI_TRY(run_version(r, first, err));
        /* flat does no work that inside does not, though it may need more memory */
        WADI_ASSERT(wadi_steps_faulted(&r->steps) || memory || by_hand);
    }
    if (declined(r) && wadi_body_offers(body, pure)) WADI_TRY(run_version(r, pure, err));
    return WADI_OK;
}

/* ---- life ---- */

bool wadi_runner_tries(wadi_runner *r) {
    for (int i = 0; r->options.force < 0 && i < r->options.plan->nbodies; i++) {
        candidate of = {r, i};
        const wadi_ready ready = readiness(&of, -1);
        if (wadi_choice_tries(&r->known[i].choice, &r->options.plan->bodies[i], &ready))
            return true;
    }
    return false;
}

void wadi_runner_exchange(wadi_runner *a, wadi_runner *b, int body) {
    const known what = a->known[body];
    a->known[body] = b->known[body];
    b->known[body] = what;
    for (int i = body * WADI_BODY_VERSIONS; i < (body + 1) * WADI_BODY_VERSIONS; i++) {
        const loaded version = a->version[i];
        a->version[i] = b->version[i];
        b->version[i] = version;
    }
}

void wadi_runner_destroy(wadi_runner *r) {
    if (r == NULL) return;
    const int versions = r->options.plan->nbodies * WADI_BODY_VERSIONS;
    for (int i = 0; i < versions; i++) {
        free(r->version[i].allocated);
        free(r->version[i].last_uses);
    }
    free(r->steps.level);
    free(r);
}

wadi_status wadi_runner_create(const wadi_runner_options *options, wadi_runner **out,
                               wadi_error *err) {
    const size_t bodies = (size_t)options->plan->nbodies, versions = bodies * WADI_BODY_VERSIONS;
    wadi_runner *r =
        calloc(1, sizeof *r + versions * sizeof r->version[0] + bodies * sizeof *r->known);
    if (r == NULL) return wadi_fail(err, WADI_MEMORY, "run: out of memory");
    r->options = *options;
    r->steps.device = options->device;
    r->known = (known *)(void *)(r->version + versions);
    *out = r;
    return WADI_OK;
}
