/* The thread that calls and the one that waits share a small piece of memory, which stays if the call does. */
#include "base/patience.h"

#include <stdlib.h>

#include "base/behind.h"
#include "base/clock.h"
#include "base/environment.h"
#include "base/error.h"
#include "base/log.h"
#include "base/task.h"
#include "base/thread.h"

static const int64_t second = INT64_C(1000000000);
static const int64_t look_ns = 50000000; /* whether the task was stopped */
static const int64_t warn_s = 10;
static const double usual_s = 30;
static const int64_t grace_ns =
    INT64_C(2000000000); /* of who was stopped: a library that is well is not left for that */

int64_t wadi_patience_ns(void) {
    return (int64_t)(wadi_limit_seconds(WADI_LIMIT_PATIENCE, usual_s) * 1e9);
}

typedef struct call {
    wadi_behind behind;
    void (*fn)(void *env);
    void *env;
    wadi_thread thread;
    wadi_mutex lock; /* guards what follows */
    wadi_condition ended;
    bool done;
} call;

static void run(void *self) {
    call *c = self;
    const wadi_task before = wadi_task_begin((wadi_task){.name = "library"});
    wadi_behind_watch(&c->behind);
    wadi_behind_enter();
    c->fn(c->env);
    wadi_behind_leave();
    wadi_behind_watch(NULL);
    wadi_task_end(before);
    wadi_mutex_lock(&c->lock);
    c->done = true;
    wadi_condition_signal(&c->ended);
    wadi_mutex_unlock(&c->lock);
}

static wadi_status begin(call *c, wadi_error *err) {
    WADI_TRY(wadi_mutex_init_with(&c->lock, &c->ended, err));
    const wadi_status status = wadi_thread_start(&c->thread, run, c, err);
    if (status != WADI_OK) wadi_mutex_fini_with(&c->lock, &c->ended);
    return status;
}

/* A moment of waiting, in which the waiting thread itself may be left: before it touches anything of a run that may be gone. By the lock. */
static void wait_a_moment(call *c, int64_t from, int64_t most) {
    wadi_behind_enter_since(from);
    (void)wadi_condition_wait_for(&c->ended, &c->lock, most < look_ns ? most : look_ns);
    wadi_behind_leave();
}

/* Until the call has returned, or has been left. By the lock. */
static wadi_status wait_for(call *c, const char *what, wadi_error *err) {
    const int64_t from = wadi_clock_ns(), limit = wadi_patience_ns();
    bool warned = false;
    while (!c->done) {
        const int64_t left = limit - (wadi_clock_ns() - from);
        wait_a_moment(c, from, left > 0 ? left : 0);
        const int64_t took = wadi_clock_ns() - from;
        if (c->done) break;
        if (took >= warn_s * second && limit > warn_s * second && !warned) {
            wadi_logf(WADI_LOG_WARNING, "%s has not answered for %d s", what, (int)warn_s);
            warned = true;
        }
        if (wadi_task_stopped() && wadi_behind_try(&c->behind, limit < grace_ns ? limit : grace_ns))
            return wadi_task_check(err);
        if (took >= limit && wadi_behind_try(&c->behind, 0))
            return wadi_fail(err, WADI_DEVICE, "%s has not answered within %g s", what,
                             (double)limit / (double)second);
    }
    return WADI_OK;
}

wadi_status wadi_patience_call(const char *what, void (*fn)(void *env), void *env, bool *out_left,
                               wadi_error *err) {
    *out_left = false;
    call *c = calloc(1, sizeof *c);
    if (c == NULL) return wadi_fail(err, WADI_MEMORY, "%s: out of memory", what);
    c->fn = fn;
    c->env = env;
    wadi_status status = begin(c, err);
    if (status != WADI_OK) {
        free(c);
        return status;
    }
    wadi_mutex_lock(&c->lock);
    status = wait_for(c, what, err);
    wadi_mutex_unlock(&c->lock);
    *out_left = status != WADI_OK;
    if (*out_left) return status;
    wadi_thread_join(&c->thread);
    wadi_mutex_fini_with(&c->lock, &c->ended);
    free(c);
    return WADI_OK;
}
