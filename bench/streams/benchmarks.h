/* The benchmarks of bench_streams: one file, one function each. The table is in main.c. */
#ifndef WADI_BENCH_STREAMS_BENCHMARKS_H
#define WADI_BENCH_STREAMS_BENCHMARKS_H

#include "bench/streams/report.h"

WADI_NODISCARD wadi_status bench_roof(bench *b, wadi_error *err);

WADI_NODISCARD wadi_status bench_fft(bench *b, wadi_error *err);

WADI_NODISCARD wadi_status bench_md5(bench *b, wadi_error *err);

WADI_NODISCARD wadi_status bench_smvm(bench *b, wadi_error *err);
WADI_NODISCARD wadi_status bench_pagerank(bench *b, wadi_error *err);
WADI_NODISCARD wadi_status bench_ragged(bench *b, wadi_error *err);
WADI_NODISCARD wadi_status bench_windows(bench *b, wadi_error *err);
WADI_NODISCARD wadi_status bench_scatter(bench *b, wadi_error *err);
WADI_NODISCARD wadi_status bench_quicksort(bench *b, wadi_error *err);
WADI_NODISCARD wadi_status bench_by_key(bench *b, wadi_error *err);

/* First of all: memory that other benchmarks have used counts as well. */
WADI_NODISCARD wadi_status bench_bounded(bench *b, wadi_error *err);
WADI_NODISCARD wadi_status bench_apart(bench *b, wadi_error *err);
WADI_NODISCARD wadi_status bench_policies(bench *b, wadi_error *err);
WADI_NODISCARD wadi_status bench_overhead(bench *b, wadi_error *err);
WADI_NODISCARD wadi_status bench_start(bench *b, wadi_error *err);

#endif
