/* A condition with a timeout is the clock. */
#include "sched/run/late.h"

#include "base/clock.h"
#include "base/error.h"

/* Looked at so often while it does not count; ns. */
static const int64_t look_ns = 1000000;

/* What is left before it is too late. In this order: what ends in between is counted twice rather than not at all, until the next look. */
static int64_t left_of(const wadi_late *l, bool *out_counts) {
    const int64_t since = atomic_load(l->since), not_counted = atomic_load(l->not_counted);
    const int64_t now = wadi_clock_ns();
    const int64_t going = since > 0 ? now - since : 0;
    *out_counts = since == 0;
    return l->begin_ns + l->most_ns + not_counted + going - now;
}

static void watch(void *env) {
    wadi_late *l = env;
    wadi_mutex_lock(&l->lock);
    while (!l->ended) {
        bool counts = true;
        const int64_t left = left_of(l, &counts);
        if (counts && left <= 0) {
            wadi_stop_call(&l->stop);
            break;
        }
        (void)wadi_condition_wait_for(&l->over, &l->lock,
                                      counts || left > look_ns ? left : look_ns);
    }
    wadi_mutex_unlock(&l->lock);
}

static wadi_status begin(wadi_late *l, wadi_error *err) {
    WADI_TRY(wadi_mutex_init_with(&l->lock, &l->over, err));
    const wadi_status status = wadi_thread_start(&l->thread, watch, l, err);
    if (status != WADI_OK) wadi_mutex_fini_with(&l->lock, &l->over);
    return status;
}

wadi_status wadi_late_begin(wadi_late *l, wadi_stop *above, int64_t most_ns,
                            const atomic_int_least64_t *not_counted,
                            const atomic_int_least64_t *since, wadi_error *err) {
    *l = (wadi_late){.not_counted = not_counted,
                     .since = since,
                     .begin_ns = wadi_clock_ns(),
                     .most_ns = most_ns};
    WADI_TRY(wadi_stop_init(&l->stop, above, err));
    const wadi_status status = begin(l, err);
    l->made = status == WADI_OK;
    if (!l->made) wadi_stop_fini(&l->stop);
    return status;
}

bool wadi_late_end(wadi_late *l) {
    if (!l->made) return false;
    wadi_mutex_lock(&l->lock);
    l->ended = true;
    wadi_condition_broadcast(&l->over);
    wadi_mutex_unlock(&l->lock);
    wadi_thread_join(&l->thread);
    const bool late = wadi_stop_called(&l->stop);
    wadi_stop_fini(&l->stop);
    wadi_mutex_fini_with(&l->lock, &l->over);
    l->made = false;
    return late;
}
