/* The benchmarks of bench_devices: one file, one function each. The table is in main.c. */
#ifndef WADI_BENCH_DEVICES_DEVICES_H
#define WADI_BENCH_DEVICES_DEVICES_H

#include "bench/streams/report.h"

WADI_NODISCARD wadi_status bench_arrays(bench *b, wadi_error *err);
WADI_NODISCARD wadi_status bench_fission(bench *b, wadi_error *err);
WADI_NODISCARD wadi_status bench_shares(bench *b, wadi_error *err);
WADI_NODISCARD wadi_status bench_start_devices(bench *b, wadi_error *err);
WADI_NODISCARD wadi_status bench_apps(bench *b, wadi_error *err);
WADI_NODISCARD wadi_status bench_streams_devices(bench *b, wadi_error *err);
WADI_NODISCARD wadi_status bench_table2(bench *b, wadi_error *err);
WADI_NODISCARD wadi_status bench_fastmath(bench *b, wadi_error *err);

/* main of the processes that `start` measures: KIND, DEVICE, job, threads. Returns the exit status. */
int bench_start_child(char **argv);

#endif
