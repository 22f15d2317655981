/* Faults as text. */
#ifndef WADI_SCHED_FAULT_H
#define WADI_SCHED_FAULT_H

#include "sched/job.h"

/* Makes the error that the user sees from a fault: operation, values, element, place. `first` is the number of the chunk's first element
 * in the stream; the main block has no elements. Returns WADI_FAULT, or WADI_MEMORY. */
wadi_status wadi_fault_error(int nplaces, const wadi_plan_place *places, const wadi_fault *fault,
                             int64_t first, bool main_block, wadi_error *err);
/* The same for a job that has ended with a fault. */
wadi_status wadi_job_error(const wadi_job *job, wadi_error *err);

#endif
