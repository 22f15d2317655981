/* The workers elsewhere of a run, in its certificate: one entry for each version of wadi and device, with the kernels that any such worker has told. */
#ifndef WADI_SCHED_RUN_CERTIFY_WORKERS_H
#define WADI_SCHED_RUN_CERTIFY_WORKERS_H

#include "sched/run/report.h"

enum { WADI_CERTIFY_WORKERS = 64, WADI_CERTIFY_KERNELS = 1024 };

typedef struct wadi_certified_worker {
    wadi_text name;    /* "VERSION DEVICE", as a certificate has names */
    wadi_text kernels; /* lines, none twice */
    int lines;
    int64_t elements;
} wadi_certified_worker;

typedef struct wadi_certified_workers {
    wadi_certified_worker at[WADI_CERTIFY_WORKERS];
    int n;
} wadi_certified_workers;

/* Elements that the worker of this report has computed. What is more than there is room for is counted for the last entry. Errors: WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_certified_workers_add(wadi_certified_workers *w,
                                                      const wadi_report *r, int64_t elements,
                                                      wadi_error *err);
/* Lines of a certificate. */
void wadi_certified_workers_put(const wadi_certified_workers *w, wadi_text *out);
/* Between two chunks. Errors: WADI_INVALID, WADI_MEMORY. */
void wadi_certified_workers_save(const wadi_certified_workers *w, wadi_text *out);
WADI_NODISCARD wadi_status wadi_certified_workers_load(wadi_certified_workers *w, bool is_new,
                                                       wadi_state_reader *from, wadi_error *err);
void wadi_certified_workers_fini(wadi_certified_workers *w);

#endif
