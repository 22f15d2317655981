/* What the tests of OpenCL share: the machines of this computer, and images of kernels that are written by hand. */
#ifndef WADI_TESTS_SCHED_OPENCL_BENCH_H
#define WADI_TESTS_SCHED_OPENCL_BENCH_H

#include "sched/opencl/driver.h"

/* The machines of this computer, looked for once; NULL if there is no library, or no machine that can be used. Says why on stderr. */
wadi_opencl_machines *opencl_bench_machines(void);
/* The first that can be used. */
wadi_opencl_machine *opencl_bench_machine(void);

/* An image of `kernels`, device C, behind the dialect and all that it needs, with the key "key0". The caller frees bytes. */
wadi_image opencl_bench_image(const char *kernels);

/* Loads such an image for a machine. */
wadi_kernels opencl_bench_load(wadi_opencl_machine *m, const char *kernels);
/* The kernel of that name, which is there. */
wadi_code opencl_bench_find(const wadi_kernels *k, const char *name);

#endif
