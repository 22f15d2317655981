/* The wrappers. Lock, unlock and wait fail only when misused, which is our own bug and asserted. */
#include "base/thread.h"

#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"

typedef struct start {
    void (*fn)(void *env);
    void *env;
} start;

static void *run_start(void *arg) {
    const start s = *(start *)arg;
    free(arg);
    s.fn(s.env);
    return NULL;
}

wadi_status wadi_thread_start(wadi_thread *t, void (*fn)(void *env), void *env, wadi_error *err) {
    *t = (wadi_thread){0};
    start *s = malloc(sizeof *s);
    if (s == NULL) return wadi_fail(err, WADI_MEMORY, "thread: out of memory");
    *s = (start){fn, env};
    sigset_t all, before;
    sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    const int failed = pthread_create(&t->id, NULL, run_start, s);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failed != 0) {
        free(s);
        return wadi_fail(err, WADI_MEMORY, "thread: the system refused one (error %d)", failed);
    }
    t->started = true;
    return WADI_OK;
}

void wadi_thread_join(wadi_thread *t) {
    if (!t->started) return;
    const int failed = pthread_join(t->id, NULL);
    WADI_ASSERT(failed == 0);
    WADI_UNUSED(failed);
    t->started = false;
}

wadi_status wadi_mutex_init(wadi_mutex *m, wadi_error *err) {
    if (pthread_mutex_init(&m->mutex, NULL) == 0) return WADI_OK;
    return wadi_fail(err, WADI_MEMORY, "mutex: out of memory");
}

void wadi_mutex_fini(wadi_mutex *m) {
    (void)pthread_mutex_destroy(&m->mutex);
}

void wadi_mutex_lock(wadi_mutex *m) {
    const int failed = pthread_mutex_lock(&m->mutex);
    WADI_ASSERT(failed == 0);
    WADI_UNUSED(failed);
}

void wadi_mutex_unlock(wadi_mutex *m) {
    const int failed = pthread_mutex_unlock(&m->mutex);
    WADI_ASSERT(failed == 0);
    WADI_UNUSED(failed);
}

wadi_status wadi_condition_init(wadi_condition *c, wadi_error *err) {
    pthread_condattr_t monotonic;
    if (pthread_condattr_init(&monotonic) != 0) {
        return wadi_fail(err, WADI_MEMORY, "condition: out of memory");
    }
    int failed = pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    if (failed == 0) failed = pthread_cond_init(&c->cond, &monotonic);
    (void)pthread_condattr_destroy(&monotonic);
    if (failed != 0) return wadi_fail(err, WADI_MEMORY, "condition: out of memory");
    return WADI_OK;
}

void wadi_condition_fini(wadi_condition *c) {
    (void)pthread_cond_destroy(&c->cond);
}

void wadi_condition_signal(wadi_condition *c) {
    (void)pthread_cond_signal(&c->cond);
}

void wadi_condition_broadcast(wadi_condition *c) {
    (void)pthread_cond_broadcast(&c->cond);
}

void wadi_condition_wait(wadi_condition *c, wadi_mutex *m) {
    (void)pthread_cond_wait(&c->cond, &m->mutex);
}

bool wadi_condition_wait_for(wadi_condition *c, wadi_mutex *m, int64_t timeout_ns) {
    const int64_t second = INT64_C(1000000000);
    const int64_t now = wadi_clock_ns();
    const int64_t end = timeout_ns > INT64_MAX - now ? INT64_MAX : now + timeout_ns;
    struct timespec until = {0};
    until.tv_sec = (time_t)(end / second);
    until.tv_nsec = (long)(end % second);
    return pthread_cond_timedwait(&c->cond, &m->mutex, &until) == 0;
}
