/* Faults: which of several is told, and how. */
#ifndef WADI_SCHED_FAULT_H
#define WADI_SCHED_FAULT_H

#include "sched/job.h"

/* Whether `a`, which is one, is told rather than `b`, which may be none: the first by element, then by position in the result. Of two that
 * are equal in both, the members decide in the order in which they do on devices with groups of lanes (sched/gpu/rt/item.h), so it does not
 * matter who came first. */
bool wadi_fault_is_earlier(const wadi_fault *a, const wadi_fault *b);

/* Whether there is one, and it is the program's at that element: not a want of memory, nor a stop. */
bool wadi_fault_is_of_element(const wadi_fault *f);
/* Makes the error that the user sees from a fault: operation, values, element, place. `first` is the number of the chunk's first element
 * in the stream; the main block has no elements. Returns WADI_FAULT, or WADI_MEMORY. */
wadi_status wadi_fault_error(int nplaces, const wadi_plan_place *places, const wadi_fault *fault,
                             int64_t first, bool main_block, wadi_error *err);
/* The same for a job that has ended with a fault. */
wadi_status wadi_job_error(const wadi_job *job, wadi_error *err);

#endif
