/* An executable: a plan and the kernels loaded so far. */
#ifndef WADI_API_EXE_H
#define WADI_API_EXE_H

#include "base/dl.h"
#include "base/thread.h"
#include "sched/plan.h"
#include "wadi/run.h"

typedef struct wadi_exe_version {
    bool loaded;
    wadi_dl module;
} wadi_exe_version;

struct wadi_exe {
    wadi_plan *plan;
    char *report;              /* what wadi_explain tells; NULL unless it was asked for */
    wadi_mutex lock;           /* guards version */
    wadi_exe_version *version; /* [plan->nbodies * WADI_SCHEDULE_COUNT] */
};

/* The loader that compiles, or finds in the cache, what `exe` has not loaded yet. Borrows exe. */
wadi_loader wadi_exe_loader(wadi_exe *exe);

/* Closes what was loaded. */
void wadi_exe_unload(wadi_exe *exe);

#endif
