/* What a device takes for kernels alone, of a thing that is done with runs: in this process or in others that it starts (sched/clocked.h). */
#ifndef WADI_BENCH_STREAMS_TIMES_H
#define WADI_BENCH_STREAMS_TIMES_H

#include "bench/streams/report.h"

typedef struct bench_times {
    double seconds;   /* of kernels and routines */
    double put, got;  /* bytes of arrays that were copied to the device, and back */
    int64_t closings; /* of devices of that name: one for each run at least */
} bench_times;

/* Does what the side does, once, and adds up what its runs have told of `device`. Errors: those of the side, WADI_IO (no temporary file), and
 * WADI_INTERNAL: nothing was told of the device. */
WADI_NODISCARD wadi_status bench_times_of(const bench_side *side, const char *device,
                                          bench_times *out, wadi_error *err);
/* How much was copied, if anything was. */
void bench_times_say(const bench *b, const char *name, const char *device, const bench_times *t);

#endif
