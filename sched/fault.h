/* Faults as text. */
#ifndef WADI_SCHED_FAULT_H
#define WADI_SCHED_FAULT_H

#include "sched/job.h"

/* The fault as the error the user sees: operation, values, element, place. */
wadi_status wadi_fault_error(int nplaces, const wadi_plan_place *places, const wadi_fault *fault,
                             int64_t first, bool main_block, wadi_error *err);
/* The fault of a job that has one. */
wadi_status wadi_job_error(const wadi_job *job, wadi_error *err);

#endif
