/* The list of the runs of this process that are under way, for those who look at them. */
#ifndef WADI_SCHED_WATCH_RUNS_H
#define WADI_SCHED_WATCH_RUNS_H

#include <stdbool.h>
#include <stdint.h>

struct wadi_run;

/* Part of the run. */
typedef struct wadi_watch_entry {
    struct wadi_watch_entry *before, *next;
    struct wadi_run *run;
    _Atomic int64_t
        id; /* 1, 2, .. in the order in which the runs of the process began; 0: not listed yet. A view reads it without the lock of the list */
} wadi_watch_entry;

/* The run begins. It gets a number. */
void wadi_watch_add(wadi_watch_entry *e, struct wadi_run *run);
/* It is over. When this returns, nobody looks at it by the list. Harmless if it is not listed. */
void wadi_watch_remove(wadi_watch_entry *e);

/* Calls fn with each run, the oldest first, until it returns false. No run ends meanwhile, so fn must not wait. */
void wadi_watch_each(bool (*fn)(void *env, struct wadi_run *run, int64_t id), void *env);

#endif
