/* Runs scalar operations on a device: one kernel in device C, through the driver of its kind of machine. */
#ifndef WADI_TESTS_DEVICES_SCALAR_RUNS_H
#define WADI_TESTS_DEVICES_SCALAR_RUNS_H

#include "codegen/emit/lanes/lanes.h"
#include "sched/gpu/driver.h"
#include "tests/devices/scalar_cases.h"

/* The first OpenCL device that has f64 and rounds quotients of f32 correctly; NULL: there is none. The caller destroys it. */
wadi_gpu_driver *scalar_runs_opencl(void);
/* The first machine of CUDA; NULL: there is none. */
wadi_gpu_driver *scalar_runs_cuda(void);

/* The text of the kernel, ended by a NUL, which its loader takes with the key "key0". The caller frees it. */
char *scalar_runs_text(const scalar_cases *c, const wadi_dialect *d);
/* The dialects of the languages. */
extern const wadi_dialect scalar_runs_opencl_c, scalar_runs_cuda_c;
/* Computes the columns. Fails the test if the device does. */
void scalar_runs_on(wadi_gpu_driver *d, const char *text, const scalar_cases *c, char *columns);

#endif
