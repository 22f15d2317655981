/* A ring of entries, which are parts of the runs, under one lock. In a forked child it is empty: runs under way belong to the parent. */
#include "sched/watch/runs.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards the rest */
static wadi_watch_entry *first, *last;
static int64_t begun;
static bool watches_forks;

static void before_fork(void) {
    (void)pthread_mutex_lock(&lock);
}

static void after_fork(void) {
    (void)pthread_mutex_unlock(&lock);
}

static void after_fork_in_child(void) {
    first = last = NULL;
    (void)pthread_mutex_unlock(&lock);
}

void wadi_watch_add(wadi_watch_entry *e, struct wadi_run *run) {
    (void)pthread_mutex_lock(&lock);
    if (!watches_forks)
        watches_forks = pthread_atfork(before_fork, after_fork, after_fork_in_child) == 0;
    e->before = last;
    e->next = NULL;
    e->run = run;
    atomic_store(&e->id, ++begun);
    if (last != NULL) last->next = e;
    if (first == NULL) first = e;
    last = e;
    (void)pthread_mutex_unlock(&lock);
}

static bool is_listed(const wadi_watch_entry *e) {
    for (const wadi_watch_entry *i = first; i != NULL; i = i->next)
        if (i == e) return true;
    return false;
}

void wadi_watch_remove(wadi_watch_entry *e) {
    (void)pthread_mutex_lock(&lock);
    if (is_listed(e)) {
        *(e->before != NULL ? &e->before->next : &first) = e->next;
        *(e->next != NULL ? &e->next->before : &last) = e->before;
    }
    (void)pthread_mutex_unlock(&lock);
}

void wadi_watch_each(bool (*fn)(void *env, struct wadi_run *run, int64_t id), void *env) {
    (void)pthread_mutex_lock(&lock);
    for (wadi_watch_entry *e = first; e != NULL && fn(env, e->run, atomic_load(&e->id));)
        e = e->next;
    (void)pthread_mutex_unlock(&lock);
}
