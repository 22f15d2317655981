/* A device over the driver of this process (gpu_host_driver.h), with slots and kernels for tests. */
#ifndef WADI_TESTS_SCHED_GPU_BENCH_H
#define WADI_TESTS_SCHED_GPU_BENCH_H

#include "sched/device.h"
#include "tests/sched/gpu_host_driver.h"

enum { GPU_UNITS = 3 };

typedef struct gpu_bench {
    wadi_buffers *buffers;
    wadi_gpu_driver *driver; /* the device's */
    wadi_device *device;
    wadi_kernels kernels;
    wadi_plan plan;
    wadi_slots slots;
} gpu_bench;

/* For a group of tests on one device of 64 MiB, with the kernels of gpu_kernels.h: what cmocka calls before and after all of them. */
extern gpu_bench gpu_bench_shared;
int gpu_bench_setup(void **state);
int gpu_bench_teardown(void **state);

/* kernels: the name of a file in device C; NULL: none. Fails the test if it does not compile. */
void gpu_bench_open(gpu_bench *b, int64_t memory, const char *kernels);
/* The slots of a version that begins: `slots` is borrowed until the end. */
void gpu_bench_begin(gpu_bench *b, int nslots, const wadi_plan_slot *slots, int64_t first,
                     int64_t count);
/* Ends the version and the slots. */
void gpu_bench_end(gpu_bench *b);
void gpu_bench_close(gpu_bench *b);

wadi_code gpu_bench_code(const gpu_bench *b, const char *name);
/* Launches the kernel over n rounds. */
wadi_fault gpu_bench_launch(const gpu_bench *b, const char *name, int64_t count, int64_t n);

/* A block of the device's memory with these bytes; bytes NULL: whatever is there. */
void *gpu_bench_block(const gpu_bench *b, const void *bytes, int64_t n);
void gpu_bench_get(const gpu_bench *b, void *to, const void *from, int64_t n);
/* The column of a slot becomes these values. */
void gpu_bench_fill(gpu_bench *b, int slot, const void *values, int64_t n);

#endif
