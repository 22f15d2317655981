/* An executable: a plan, what its kernels are made from, and those loaded so far. */
#ifndef WADI_API_EXE_H
#define WADI_API_EXE_H

#include "base/dl.h"
#include "base/thread.h"
#include "codegen/plan.h"
#include "wadi/run.h"

typedef struct wadi_exe_version {
    wadi_made *made; /* NULL: not wanted so far */
    bool loaded;
    wadi_dl module;
    wadi_kernel *kernels; /* [2 * nsteps]: the steps' kernels, then their units */
} wadi_exe_version;

struct wadi_exe {
    wadi_module *module;
    wadi_facts facts;
    wadi_plan *plan;
    char *report;              /* what wadi_explain tells; NULL unless it was asked for */
    wadi_mutex lock;           /* guards what follows */
    wadi_versions *versions;   /* they borrow module, facts and plan */
    wadi_exe_version *version; /* [plan->nbodies * WADI_SCHEDULE_COUNT] */
};

/* The loader that compiles, or finds in the cache, what `exe` has not loaded yet. Borrows exe. */
wadi_loader wadi_exe_loader(wadi_exe *exe);

/* The version with its text, made if it is not there yet. The caller holds the lock or is alone. */
WADI_NODISCARD wadi_status wadi_exe_make(wadi_exe *exe, int body, wadi_schedule schedule,
                                         const wadi_made **out, wadi_error *err);
/* Closes what was loaded and forgets what was made. */
void wadi_exe_unload(wadi_exe *exe);

#endif
