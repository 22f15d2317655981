/* Threads of wadi as threads of the world's processes: instead of base/thread.c. One of all has the turn, and gives it away only where it waits. So a
 * mutex is taken by somebody else only if that one waits with it. */
#include "base/thread.h"

#include <stdlib.h>

#include "base/error.h"
#include "tests/simulate/inside.h"

struct wadi_helper {
    process *p;
};

void threads_begin(void) {
}

wadi_status wadi_thread_start(wadi_thread *t, void (*fn)(void *env), void *env, wadi_error *err) {
    t->helper = calloc(1, sizeof *t->helper);
    if (t->helper == NULL) return wadi_fail(err, WADI_MEMORY, "thread: out of memory");
    t->helper->p = world_start_thread(fn, env);
    t->started = true;
    return WADI_OK;
}

void wadi_thread_join(wadi_thread *t) {
    if (!t->started) return;
    while (!world_has_ended(t->helper->p)) (void)world_block(t->helper->p, INT64_MAX);
    free(t->helper);
    *t = (wadi_thread){0};
}

wadi_status wadi_mutex_init(wadi_mutex *m, wadi_error *err) {
    WADI_UNUSED(err);
    (void)pthread_mutex_init(&m->mutex, NULL);
    return WADI_OK;
}

void wadi_mutex_fini(wadi_mutex *m) {
    (void)pthread_mutex_destroy(&m->mutex);
}

void wadi_mutex_lock(wadi_mutex *m) {
    while (!wadi_mutex_try(m)) (void)world_block(m, INT64_MAX);
}

bool wadi_mutex_try(wadi_mutex *m) {
    return pthread_mutex_trylock(&m->mutex) == 0;
}

void wadi_mutex_unlock(wadi_mutex *m) {
    (void)pthread_mutex_unlock(&m->mutex);
    world_wake(m, true);
}

wadi_status wadi_condition_init(wadi_condition *c, wadi_error *err) {
    WADI_UNUSED(c);
    WADI_UNUSED(err);
    return WADI_OK;
}

void wadi_condition_fini(wadi_condition *c) {
    WADI_UNUSED(c);
}

void wadi_condition_signal(wadi_condition *c) {
    world_wake(c, false);
}

void wadi_condition_broadcast(wadi_condition *c) {
    world_wake(c, true);
}

void wadi_condition_wait(wadi_condition *c, wadi_mutex *m) {
    (void)wadi_condition_wait_for(c, m, INT64_MAX);
}

bool wadi_condition_wait_for(wadi_condition *c, wadi_mutex *m, int64_t timeout_ns) {
    const int64_t now = world_now(),
                  until = timeout_ns > INT64_MAX - now ? INT64_MAX : now + timeout_ns;
    wadi_mutex_unlock(m);
    const bool woken = world_block(c, until);
    wadi_mutex_lock(m);
    return woken;
}
