/* Threads, mutexes and condition variables: pthreads with wadi's errors and a monotonic timeout. */
#ifndef WADI_BASE_THREAD_H
#define WADI_BASE_THREAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "wadi/status.h"

typedef struct wadi_thread {
    struct wadi_helper *helper;
    bool started;
} wadi_thread;

/* Runs fn(env) in a thread of its own: a new one, or one that was joined while somebody held the shelf (keep.h). Signals are
 * blocked there, because they belong to the program's own threads; only faults (SIGSEGV, SIGBUS, ..) are not. */
WADI_NODISCARD wadi_status wadi_thread_start(wadi_thread *t, void (*fn)(void *env), void *env,
                                             wadi_error *err);
/* Waits for the end of fn. Harmless for an all-zero or already joined thread. */
void wadi_thread_join(wadi_thread *t);

/* Processors this process may use, at least 1. */
int wadi_thread_processors(void);

typedef struct wadi_mutex {
    pthread_mutex_t mutex;
} wadi_mutex;

WADI_NODISCARD wadi_status wadi_mutex_init(wadi_mutex *m, wadi_error *err);
void wadi_mutex_fini(wadi_mutex *m);
void wadi_mutex_lock(wadi_mutex *m);
/* False: another thread has it. */
bool wadi_mutex_try(wadi_mutex *m);
void wadi_mutex_unlock(wadi_mutex *m);

typedef struct wadi_condition {
    pthread_cond_t cond;
} wadi_condition;

WADI_NODISCARD wadi_status wadi_condition_init(wadi_condition *c, wadi_error *err);
void wadi_condition_fini(wadi_condition *c);
void wadi_condition_signal(wadi_condition *c);
void wadi_condition_broadcast(wadi_condition *c);
/* A mutex and the condition that goes with it: both, or neither. */
WADI_NODISCARD static inline wadi_status wadi_mutex_init_with(wadi_mutex *m, wadi_condition *c,
                                                              wadi_error *err) {
    wadi_status status = wadi_mutex_init(m, err);
    if (status != WADI_OK) return status;
    status = wadi_condition_init(c, err);
    if (status != WADI_OK) wadi_mutex_fini(m);
    return status;
}

static inline void wadi_mutex_fini_with(wadi_mutex *m, wadi_condition *c) {
    wadi_condition_fini(c);
    wadi_mutex_fini(m);
}

/* Both wait with the mutex held and may wake for no reason. */
void wadi_condition_wait(wadi_condition *c, wadi_mutex *m);
/* False when timeout_ns (>= 0) passed without a wake-up. */
bool wadi_condition_wait_for(wadi_condition *c, wadi_mutex *m, int64_t timeout_ns);

#endif
