/* The rate at which this machine reads memory, to compare with. */
#ifndef WADI_BENCH_STREAMS_ROOF_H
#define WADI_BENCH_STREAMS_ROOF_H

#include "bench/streams/report.h"

/* Bytes per second that b->threads threads read together; measured once and kept in b. */
WADI_NODISCARD wadi_status bench_read_bandwidth(bench *b, double *out_bytes_per_s, wadi_error *err);

#endif
