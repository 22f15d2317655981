/* What a worker tells of itself in front of an answer, where home's charter asks for it: for a trace, or a certificate. */
#ifndef WADI_SCHED_RUN_REPORT_H
#define WADI_SCHED_RUN_REPORT_H

#include "sched/run/state.h"
#include "sched/state.h"

typedef struct wadi_report {
    wadi_text worker;  /* its host and process: "sky7:4711" */
    wadi_text version; /* of wadi there */
    wadi_text device;  /* and what it is: "cpu AMD EPYC 9B14" */
    wadi_text kernels; /* lines of a certificate, of those that it has loaded so far */
    int64_t ns;        /* that it has taken for the item */
} wadi_report;

/* Of this worker, but for `ns`. Memory that is short shows when it is written. */
void wadi_report_begin(const wadi_run *x, wadi_report *out);
/* Adds it, with the kernels of now. */
void wadi_report_put(wadi_report *r, const wadi_run *x, int64_t ns, wadi_text *out);
/* Errors: WADI_IO (there is none), WADI_MEMORY; then *out is empty. */
WADI_NODISCARD wadi_status wadi_report_take(wadi_state_reader *from, wadi_report *out,
                                            wadi_error *err);
void wadi_report_fini(wadi_report *r);

#endif
