/* Wrappers of pthreads. Lock, unlock and wait fail only by misuse, which would be a bug in wadi, and is asserted.
 *
 * A thread is a helper that runs one function after another and sleeps in between. base/keep.h keeps idle helpers. */
#include "base/thread.h"

#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/keep.h"

typedef struct wadi_helper {
    pthread_t id;
    wadi_mutex lock; /* guards the rest */
    wadi_condition
        change; /* fn or end has changed. At most one thread waits: the helper for work, or a joiner for the end of fn */
    void (*fn)(void *env); /* what it runs now; NULL: nothing */
    void *env;
    bool end;
} wadi_helper;

static void *help(void *arg) {
    wadi_helper *h = arg;
    wadi_mutex_lock(&h->lock);
    for (;;) {
        while (h->fn == NULL && !h->end) wadi_condition_wait(&h->change, &h->lock);
        if (h->fn == NULL) break;
        wadi_mutex_unlock(&h->lock);
        h->fn(h->env);
        wadi_mutex_lock(&h->lock);
        h->fn = NULL;
        wadi_condition_signal(&h->change);
    }
    wadi_mutex_unlock(&h->lock);
    return NULL;
}

static void free_helper(wadi_helper *h) {
    wadi_condition_fini(&h->change);
    wadi_mutex_fini(&h->lock);
    free(h);
}

static void dismiss(void *owned_helper) {
    wadi_helper *h = owned_helper;
    wadi_mutex_lock(&h->lock);
    h->end = true;
    wadi_condition_signal(&h->change);
    wadi_mutex_unlock(&h->lock);
    const int failed = pthread_join(h->id, NULL);
    WADI_ASSERT(failed == 0);
    WADI_UNUSED(failed);
    free_helper(h);
}

static const wadi_keep_kind helpers = {.most = 16, .destroy = dismiss};

static wadi_status make_helper(wadi_helper **out, wadi_error *err) {
    wadi_helper *h = calloc(1, sizeof *h);
    if (h == NULL) return wadi_fail(err, WADI_MEMORY, "thread: out of memory");
    wadi_status status = wadi_mutex_init(&h->lock, err);
    if (status == WADI_OK) {
        status = wadi_condition_init(&h->change, err);
        if (status != WADI_OK) wadi_mutex_fini(&h->lock);
    }
    if (status == WADI_OK)
        *out = h;
    else
        free(h);
    return status;
}

/* The signals that a helper blocks. Signals sent to the process shall go to threads of the host. But a fault of this thread, such as
 * SIGSEGV, stays unblocked, so that the host's handler is called if it has one. */
static void all_but_faults(sigset_t *out) {
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT};
    (void)sigfillset(out);
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) (void)sigdelset(out, faults[i]);
}

static wadi_status hire(void (*fn)(void *env), void *env, wadi_helper **out, wadi_error *err) {
    WADI_TRY(make_helper(out, err));
    wadi_helper *h = *out;
    h->fn = fn;
    h->env = env;
    sigset_t others, before;
    all_but_faults(&others);
    (void)pthread_sigmask(SIG_SETMASK, &others, &before);
    const int failed = pthread_create(&h->id, NULL, help, h);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failed == 0) return WADI_OK;
    free_helper(h);
    return wadi_fail(err, WADI_MEMORY, "thread: the system refused one (error %d)", failed);
}

wadi_status wadi_thread_start(wadi_thread *t, void (*fn)(void *env), void *env, wadi_error *err) {
    *t = (wadi_thread){0};
    wadi_helper *h = wadi_keep_take(&helpers, 0);
    if (h == NULL) {
        WADI_TRY(hire(fn, env, &h, err));
    } else {
        wadi_mutex_lock(&h->lock);
        h->fn = fn;
        h->env = env;
        wadi_condition_signal(&h->change);
        wadi_mutex_unlock(&h->lock);
    }
    t->helper = h;
    t->started = true;
    return WADI_OK;
}

void wadi_thread_join(wadi_thread *t) {
    if (!t->started) return;
    wadi_helper *h = t->helper;
    wadi_mutex_lock(&h->lock);
    while (h->fn != NULL) wadi_condition_wait(&h->change, &h->lock);
    wadi_mutex_unlock(&h->lock);
    t->helper = NULL;
    t->started = false;
    wadi_keep_put(&helpers, 0, h);
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

bool wadi_mutex_try(wadi_mutex *m) {
    return pthread_mutex_trylock(&m->mutex) == 0;
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
    const int64_t second = INT64_C(1000000000), sleep = wadi_clock_sleep_ns(timeout_ns);
    struct timespec until = {0};
    (void)clock_gettime(CLOCK_MONOTONIC, &until);
    const int64_t now = (int64_t)until.tv_sec * second + until.tv_nsec;
    const int64_t end = sleep > INT64_MAX - now ? INT64_MAX : now + sleep;
    until.tv_sec = (time_t)(end / second);
    until.tv_nsec = (long)(end % second);
    return pthread_cond_timedwait(&c->cond, &m->mutex, &until) == 0;
}
