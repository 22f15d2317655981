/* What every part of a run that computes has: a runner of the run's bodies on its device. */
#include "sched/run/state.h"

wadi_status wadi_run_make_runner(wadi_run *x, const wadi_loader *loader, wadi_device *device,
                                 const wadi_device_row *row, wadi_runner **out, wadi_error *err) {
    const wadi_runner_options runner = {.plan = x->plan,
                                        .loader = loader,
                                        .device = device,
                                        .force = wadi_device_force(row, x->options.schedule)};
    return wadi_runner_create(&runner, out, err);
}
