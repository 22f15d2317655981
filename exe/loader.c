/* What a run asks of an executable: a version it needs, for which it waits, or one that might be faster, for which it does
 * not. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "codegen/targets.h"
#include "exe/ahead_of_time.h"
#include "exe/exe.h"
#include "sched/certificate/certificate.h"
#include "sched/trace.h"

static wadi_status load(void *self, const wadi_plan *plan, int body, wadi_version_key version,
                        wadi_plan_code *out, wadi_error *err) {
    wadi_exe *exe = self;
    wadi_exe_set *set = NULL;
    WADI_UNUSED(plan);
    wadi_mutex_lock(&exe->lock);
    wadi_status st = wadi_exe_set_for(exe, version.images, &set, err);
    if (st == WADI_OK) {
        wadi_exe_version *v = wadi_exe_version_of(set, body, version);
        st = wadi_exe_load(exe, v, WADI_EXE_NEEDED, err);
        if (st == WADI_OK)
            *out = (wadi_plan_code){&v->made->version, v->kernels,
                                    v->kernels + v->made->version.nsteps};
    }
    wadi_mutex_unlock(&exe->lock);
    return st;
}

/* Nobody has it, has tried to make it in vain, or is about to. */
static bool is_open(const wadi_exe_version *v) {
    return v->state == WADI_EXE_ABSENT && v->ahead == 0 && !v->failed;
}

static bool offer(void *self, const wadi_plan *plan, int body, wadi_version_key version,
                  int64_t worth_ns) {
    wadi_exe *exe = self;
    wadi_exe_set *set = NULL;
    bool there = false;
    WADI_UNUSED(plan);
    if (!wadi_mutex_try(&exe->lock))
        return false; /* somebody lowers: the next chunk may ask again */
    if (wadi_exe_set_for(exe, version.images, &set, NULL) == WADI_OK) {
        wadi_exe_version *v = wadi_exe_version_of(set, body, version);
        there = v->state == WADI_EXE_LOADED;
        if (is_open(v) && worth_ns > 0 && worth_ns >= v->cost_ns)
            wadi_exe_suggest(exe, v, worth_ns);
    }
    wadi_mutex_unlock(&exe->lock);
    return there;
}

/* The first it is left: it wants that now. */
static void expect(void *self, const wadi_run_options *options) {
    wadi_exe_expect(self, options, true);
}

/* The libraries of devices round transforms each in its own way. With fast math every kernel may. */
static bool exact(void *self) {
    const wadi_exe *exe = self;
    return !exe->fast && !wadi_plan_calls_routines(exe->plan);
}

static bool fast(void *self) {
    return ((const wadi_exe *)self)->fast;
}

/* Made once: workers tell their kernels again whenever there is another. By the lock. */
static bool knows_text(wadi_exe_version *v) {
    if (!v->text_known)
        v->text_known =
            v->made->source != NULL && wadi_exe_text_digest(v->made, v->text) == WADI_OK;
    return v->text_known;
}

static void put_kernel(const wadi_exe *exe, wadi_exe_version *v, int number, wadi_text *out) {
    wadi_text_add(out, "kernel ");
    wadi_certificate_name(out, exe->plan->bodies[number / WADI_BODY_VERSIONS].name);
    wadi_text_addf(out, " %s %s %s ",
                   wadi_version_name(wadi_version_numbered(number % WADI_BODY_VERSIONS)),
                   v->set->target->language->name, v->set->target->name);
    if (knows_text(v))
        wadi_certificate_digest(out, v->text);
    else
        wadi_text_add(out, "bundled");
    wadi_text_add(out, "\n");
}

static void kernels(void *self, wadi_text *out) {
    wadi_exe *exe = self;
    const int n = exe->plan->nbodies * WADI_BODY_VERSIONS;
    wadi_mutex_lock(&exe->lock);
    for (wadi_exe_set *set = exe->sets; set != NULL; set = set->next)
        for (int i = 0; i < n; i++)
            if (set->version[i].state == WADI_EXE_LOADED) put_kernel(exe, &set->version[i], i, out);
    wadi_mutex_unlock(&exe->lock);
}

static int64_t loaded(void *self) {
    return atomic_load(&((wadi_exe *)self)->loaded);
}

/* By the lock. */
static bool make_kernel(wadi_exe *exe, int number, const wadi_target *target, uint8_t *digest) {
    wadi_made *made = NULL;
    if (wadi_versions_make(exe->versions, number / WADI_BODY_VERSIONS,
                           wadi_version_numbered(number % WADI_BODY_VERSIONS), target, &made,
                           NULL) != WADI_OK)
        return false;
    const bool known = made->source != NULL && wadi_exe_text_digest(made, digest) == WADI_OK;
    wadi_made_destroy(made);
    return known;
}

/* "kernel BODY SCHEDULE LANGUAGE TARGET DIGEST" */
static bool kernel(void *self, const char *line, wadi_text *out) {
    wadi_exe *exe = self;
    uint8_t digest[WADI_TALLY_DIGEST];
    char words[4][128];
    if (sscanf(line, "kernel %127s %127s %127s %127s", words[0], words[1], words[2], words[3]) != 4)
        return false;
    const wadi_target *target = NULL;
    if (wadi_target_named(words[3], &target, NULL) != WADI_OK || !wadi_exe_takes(words[2], target))
        return false;
    for (int i = 0; i < exe->plan->nbodies * WADI_BODY_VERSIONS; i++) {
        wadi_text name = {0};
        wadi_certificate_name(&name, exe->plan->bodies[i / WADI_BODY_VERSIONS].name);
        const bool is =
            strcmp(wadi_text_str(&name), words[0]) == 0 &&
            strcmp(wadi_version_name(wadi_version_numbered(i % WADI_BODY_VERSIONS)), words[1]) == 0;
        wadi_text_fini(&name);
        if (!is) continue;
        wadi_mutex_lock(&exe->lock);
        const bool made = make_kernel(exe, i, target, digest);
        wadi_mutex_unlock(&exe->lock);
        if (!made) return false;
        wadi_text_addf(out, "kernel %s %s %s %s ", words[0], words[1], words[2], words[3]);
        wadi_certificate_digest(out, digest);
        return !out->failed;
    }
    return false;
}

static void trace(void *self, wadi_trace *t) {
    wadi_exe *exe = self;
    wadi_mutex_lock(&exe->lock);
    exe->trace = t;
    wadi_mutex_unlock(&exe->lock);
}

/* Nothing goes that a device may use: the executable stays when it is destroyed. */
static void stay(void *self) {
    wadi_exe *exe = self;
    wadi_mutex_lock(&exe->lock);
    exe->stays = true;
    wadi_mutex_unlock(&exe->lock);
}

static wadi_status charter(void *self, wadi_text *out, wadi_error *err) {
    return wadi_exe_put_recipe(self, out, err);
}

wadi_loader wadi_exe_loader(wadi_exe *exe) {
    return (wadi_loader){.load = load,
                         .offer = offer,
                         .expect = expect,
                         .exact = exact,
                         .fast = fast,
                         .stay = stay,
                         .kernels = kernels,
                         .loaded = loaded,
                         .kernel = kernel,
                         .trace = trace,
                         .charter = charter,
                         .self = exe};
}
