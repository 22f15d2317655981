/* The workers elsewhere of a run, in its certificate: one entry for each version of wadi and device, with the kernels that any such worker has told, and what such workers have
 * computed of each stretch of stages. */
#ifndef WADI_SCHED_RUN_CERTIFY_WORKERS_H
#define WADI_SCHED_RUN_CERTIFY_WORKERS_H

#include "base/vec.h"
#include "sched/run/report.h"

/* What is told by others has a limit: entries, and of each the lines of kernels, and their bytes. */
enum { WADI_CERTIFY_WORKERS = 64, WADI_CERTIFY_KERNELS = 1024, WADI_CERTIFY_BYTES = 1 << 18 };

/* Elements of the chunks for a stretch: those of its first stage. */
typedef struct wadi_certified_share {
    int phase, stage; /* where it begins */
    int64_t elements;
} wadi_certified_share;

typedef struct wadi_certified_worker {
    wadi_text
        name; /* "VERSION DEVICE", as a certificate has names; "- others": those for whom there was no room */
    wadi_text kernels; /* lines, none twice */
    int lines;
    int64_t told; /* digest of the kind whose lines were added last; -1: not known */
    WADI_VEC(wadi_certified_share) shares; /* by phase and stage */
} wadi_certified_worker;

typedef struct wadi_certified_workers {
    wadi_certified_worker at[WADI_CERTIFY_WORKERS];
    int n;
    bool lacks; /* kernels of somebody: there was no room */
} wadi_certified_workers;

/* Elements of a stretch that a worker of this kind has computed. Errors: WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_certified_workers_add(wadi_certified_workers *w,
                                                      const wadi_kind *kind,
                                                      wadi_certified_share share, wadi_error *err);
/* Lines of a certificate. */
void wadi_certified_workers_put(const wadi_certified_workers *w, wadi_text *out);
/* Between two chunks. */
void wadi_certified_workers_save(const wadi_certified_workers *w, wadi_text *out);
/* Adds those that were saved in the stream of this phase; streams before it have been computed again, and are counted. Errors: WADI_INVALID, WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_certified_workers_load(wadi_certified_workers *w, int phase,
                                                       wadi_state_reader *from, wadi_error *err);
void wadi_certified_workers_fini(wadi_certified_workers *w);

#endif
