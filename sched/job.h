/* One body over one chunk: what the runner (sched/steps/runner.h) is asked to do, and the result. */
#ifndef WADI_SCHED_JOB_H
#define WADI_SCHED_JOB_H

#include "sched/slots.h"

typedef struct wadi_job {
    int body;
    bool main_block; /* a body over one element, results ONCE */
    int64_t first, count;
    int64_t bytes;        /* bytes of the chunk's own input, for choosing a schedule */
    int64_t left;         /* elements known to come after these; -1: not known */
    wadi_slots *slots;    /* the slots of sources are bound; results appear here */
    wadi_version_key ran; /* out: the key of the version that ran */
    const wadi_plan_version
        *version; /* out: the version itself; the fault names one of its places */
    bool
        loaded; /* out: kernels were compiled or loaded first, so the elapsed time says nothing about the work */
    wadi_fault fault; /* out: kind WADI_FAULT_NONE if all went well */
} wadi_job;

#endif
