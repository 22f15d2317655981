/* A run that is paused takes no more chunks; its sources then fill their links, and wait. */
#include <time.h>

#include "sched/run/state.h"

/* How often a run that is paused looks whether it may go on: a signal handler cannot signal a condition. */
static const struct timespec look = {.tv_nsec = 50000000};

void wadi_run_pause(wadi_run *run) {
    if (run != NULL) atomic_store(&run->paused, true);
}

void wadi_run_resume(wadi_run *run) {
    if (run != NULL) atomic_store(&run->paused, false);
}

static bool is_held(wadi_run *x) {
    return atomic_load(&x->paused) && !atomic_load(&x->drains) && !wadi_task_stopped();
}

void wadi_run_hold(wadi_run *x) {
    if (!is_held(x)) return;
    const int ticket = wadi_task_idle("somebody to let the run go on", -1, NULL);
    while (is_held(x)) (void)nanosleep(&look, NULL);
    wadi_task_go_on(ticket);
}
