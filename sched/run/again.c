/* A run that begins again. If its home is lost, has no memory left, or is late on trial, another device does all from the beginning. Inputs are in
 * host memory, sources go back to where they stood, and sinks do not get again what they have: the bits are the same. */
#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "sched/run/certify.h"
#include "sched/run/dead.h"
#include "sched/run/state.h"

/* ---- sources and sinks ---- */

void wadi_run_note_places(wadi_run *x) {
    for (size_t i = 0; i < x->bindings.n; i++) {
        wadi_binding *b = &x->bindings.at[i];
        if (b->source == NULL) continue;
        b->comes_back = wadi_source_tell(b->source, &b->begin, NULL) == WADI_OK &&
                        wadi_source_seek(b->source, b->begin, NULL) == WADI_OK;
    }
}

static wadi_status go_back(wadi_run *x, wadi_error *err) {
    for (size_t i = 0; i < x->bindings.n; i++) {
        wadi_binding *b = &x->bindings.at[i];
        if (b->source != NULL && b->read) WADI_TRY(wadi_source_seek(b->source, b->begin, err));
        b->read = false;
        b->had = b->delivered;
    }
    return WADI_OK;
}

static bool can_go_back(const wadi_run *x) {
    for (size_t i = 0; i < x->bindings.n; i++)
        if (x->bindings.at[i].read && !x->bindings.at[i].comes_back) return false;
    return !wadi_run_broken(x) && !x->mixed;
}

/* ---- devices ---- */

/* The failure is the device's own. */
static bool is_of_device(wadi_run *x, wadi_status status) {
    return status == WADI_MEMORY || atomic_load(&x->load_failed) ||
           x->device->ops->wait(x->device, NULL) != WADI_OK;
}

static bool is_late(const wadi_run *x) {
    return x->late.made && wadi_stop_called(&x->late.stop);
}

static bool goes_on(wadi_run *x, wadi_status status) {
    if (x->stays || x->alone || wadi_stop_called(&x->stop) || wadi_run_next_device(x) == 0)
        return false;
    if (!x->trial && !x->chosen.row->apart) return false; /* the processors are not lost */
    return can_go_back(x) && (is_late(x) || is_of_device(x, status));
}

bool wadi_run_goes_on(wadi_run *x, wadi_status status) {
    if (!x->goes_on) x->goes_on = goes_on(x, status);
    x->stays = !x->goes_on;
    return x->goes_on;
}

static void reset(wadi_run *x) {
    wadi_mutex_lock(&x->lock);
    x->stats = (wadi_run_stats){0};
    x->error = (wadi_error){.status = WADI_OK};
    wadi_mutex_unlock(&x->lock);
    x->goes_on = false;
    x->trial = false;
    wadi_dead_again(x);
    wadi_certify_again(x);
    atomic_store(&x->load_ns, 0);
    atomic_store(&x->load_failed, false);
}

/* The best of those that are known and left, or else the next by its place; 0: there is none. */
static int best_device(const wadi_run *x) {
    wadi_home known = x->homes;
    for (int i = 0; i < known.n; i++) known.out[i] = known.out[i] || x->gone[i];
    const int place = wadi_home_best(&known, x->was_open);
    for (int i = 1; i < x->devices.n; i++)
        if (x->devices.at[i].place == place && !x->gone[place]) return i;
    return wadi_run_next_device(x);
}

static wadi_status move_on(wadi_run *x, wadi_error *err) {
    int next = 0;
    while ((next = best_device(x)) > 0) {
        const wadi_device_choice c = x->devices.at[next];
        wadi_error why = {.status = WADI_OK};
        if (wadi_run_move(x, next, &why) == WADI_OK) return WADI_OK;
        wadi_logf(WADI_LOG_WARNING, "device %s cannot be used: %s", c.name, why.msg);
        x->gone[c.place] = true;
        if (wadi_run_next_device(x) == 0 && err != NULL) *err = why;
        if (wadi_run_next_device(x) == 0) return why.status;
    }
    return wadi_fail(err, WADI_DEVICE, "no device is left");
}

wadi_status wadi_run_begin_again(wadi_run *x, bool late, const wadi_error *why, wadi_error *err) {
    const char *name = x->chosen.name;
    if (!late)
        wadi_logf(WADI_LOG_WARNING, "device %s is out, and the run begins again without it: %s",
                  name, why->msg);
    x->gone[x->chosen.place] = true;
    wadi_run_blame_home(x, late);
    WADI_TRY(go_back(x, err));
    reset(x);
    return move_on(x, err);
}
