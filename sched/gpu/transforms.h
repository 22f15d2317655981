/* Fourier transforms on a device whose driver has a library for them. */
#ifndef WADI_SCHED_GPU_TRANSFORMS_H
#define WADI_SCHED_GPU_TRANSFORMS_H

#include "sched/gpu/primitives.h"

/* As `routine` of wadi_device_ops: false: declined. */
bool wadi_gpu_transforms_run(wadi_gpu_primitives *p, const wadi_device_calls *batch);

#endif
