/* What a run asks of an executable: a version it needs, for which it waits, or one that might be faster, for which it does
 * not. */
#include "exe/exe.h"
#include "base/error.h"

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
    if (exe->fast) return false;
    for (int i = 0; i < exe->plan->nbodies; i++)
        if (exe->plan->bodies[i].routines) return false;
    return true;
}

static bool fast(void *self) {
    return ((const wadi_exe *)self)->fast;
}

/* Nothing goes that a device may use: the executable stays when it is destroyed. */
static void stay(void *self) {
    wadi_exe *exe = self;
    wadi_mutex_lock(&exe->lock);
    exe->stays = true;
    wadi_mutex_unlock(&exe->lock);
}

wadi_loader wadi_exe_loader(wadi_exe *exe) {
    return (wadi_loader){.load = load,
                         .offer = offer,
                         .expect = expect,
                         .exact = exact,
                         .fast = fast,
                         .stay = stay,
                         .self = exe};
}
