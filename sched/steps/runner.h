/* Runs the bodies of a plan on a device: chooses a version for each chunk, has it loaded, and takes its steps. */
#ifndef WADI_SCHED_STEPS_RUNNER_H
#define WADI_SCHED_STEPS_RUNNER_H

#include "sched/device.h"
#include "sched/job.h"

typedef struct wadi_runner wadi_runner;

/* All borrowed. */
typedef struct wadi_runner_options {
    const wadi_plan *plan;
    const wadi_loader *loader;
    wadi_device *device;
    int force; /* a wadi_schedule, or -1: it chooses */
} wadi_runner_options;

/* Errors: WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_runner_create(const wadi_runner_options *options, wadi_runner **out,
                                              wadi_error *err);
/* NULL is fine. */
void wadi_runner_destroy(wadi_runner *r);

/* One job at a time, by one thread. A fault of the program is not an error of the call: it is told in the job. Of several, the
 * one with the smallest element, then the smallest place in the result, is told, whatever the number of workers. */
WADI_NODISCARD wadi_status wadi_runner_run(wadi_runner *r, wadi_job *job, wadi_error *err);
/* Two runners of one plan and one kind of device exchange what they have found out about a body: its code, and which version is best. */
void wadi_runner_exchange(wadi_runner *a, wadi_runner *b, int body);
/* Ways of running a body are being compared, which long chunks would make expensive. The compute thread. */
bool wadi_runner_tries(wadi_runner *r);

#endif
