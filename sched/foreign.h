/* Library routines that a program may name (the operator `foreign`), behind one interface.
 *
 * A routine works on a batch of problems of one shape, in one thread; the caller spreads batches over its workers. A routine
 * may decline a call (a size or layout it was not built for, no memory). The caller then computes the same results in the
 * language. Each library is a module (base/loadable.h) that offers "routines" and has a row in the table of foreign.c. It is
 * loaded when one of its routines is first needed, and it may be missing. Four routines are always there (sched/radix). The host program has routines of its own
 * (wadi/lang_foreign.h). All functions are thread-safe. */
#ifndef WADI_SCHED_FOREIGN_H
#define WADI_SCHED_FOREIGN_H

#include <stdbool.h>

#include "base/pool.h"
#include "sched/kernel.h"
#include "wadi/status.h"

typedef struct wadi_routine {
    const char *name;
    /* False: it declines, and what it has written means nothing. */
    bool (*run)(const wadi_call *call);
} wadi_routine;

typedef struct wadi_library {
    int nroutines;
    const wadi_routine *routines;
    /* The library keeps what it has learnt about this machine in files of `directory`. `open` reads them once, and `save` writes them if
     * there is something new. A file that cannot be verified counts as missing. Optional. */
    wadi_status (*open)(const char *directory, wadi_error *err);
    wadi_status (*save)(wadi_error *err);
    /* Forgets plans and what was learnt; for tests. */
    void (*forget)(void);
} wadi_library;

/* Whether an installed library has the routine. */
bool wadi_foreign_has(const char *name);
/* Whether a library of the table has the routine, installed or not. */
bool wadi_foreign_lists(const char *name);
/* Whether the routine is the host program's, has been called, and has declined each call. */
bool wadi_foreign_declines(const char *name);
/* Runs the routine; false if there is none or it declines, or fails: then *failure (or NULL) has a status, and a message that names it. Calls without
 * problems or without elements succeed without it. */
bool wadi_foreign_run(const wadi_call *call, wadi_error *failure);
/* Whether several workers can share a problem of the call, because it is long: then a few of them are better run by all. */
bool wadi_foreign_shares(const wadi_call *call);
/* wadi_foreign_run of such a routine, by the workers of the pool, which is idle. */
bool wadi_foreign_run_shared(const wadi_call *call, wadi_pool *pool);
/* These call `open`, `save` and `forget` of every library that has been loaded, and report the first failure. */
WADI_NODISCARD wadi_status wadi_foreign_open(const char *directory, wadi_error *err);
WADI_NODISCARD wadi_status wadi_foreign_save(wadi_error *err);
void wadi_foreign_forget(void);
/* Whether all routines decline from now on. Tests use it to run the language's own computations. */
void wadi_foreign_decline(bool all);

#endif
