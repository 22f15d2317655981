/* A simulated observation: rows of channels, as a Measurement Set stores them, and its exact image at single pixels. */
#ifndef WADI_BENCH_GRIDDING_OBSERVATION_H
#define WADI_BENCH_GRIDDING_OBSERVATION_H

#include <stdint.h>

#include "wadi/status.h"

/* All pairs of antennas in order, time after time. All weights are 1. */
typedef struct bench_observation {
    int64_t rows, channels;
    int antennas;
    double hz, step; /* of the first channel, and from one to the next */
    double *uvw;     /* [rows, 3] metres, first antenna minus second */
    float *vis;      /* [rows, channels, 2] V = I exp(+2 pi i (u l + v m + w (n - 1))) */
} bench_observation;

/* Direction cosines, and a source's flux or an image's value there. */
typedef struct bench_place {
    double l, m, value;
} bench_place;

/* The golden set of DIR/vis/vla_grid_6h: 27 antennas, 74 MHz. Errors: WADI_UNSUPPORTED when there is none, WADI_IO, WADI_MEMORY. */
WADI_NODISCARD wadi_status bench_observation_golden(const char *data, bench_observation *out,
                                                    wadi_error *err);
/* 20 sources in a field, seen by 27 antennas on a Y for six hours between 140 and 160 MHz; baselines as long as `size` pixels can
 * show. Errors: WADI_MEMORY. */
WADI_NODISCARD wadi_status bench_observation_make(int64_t times, int64_t channels, int64_t size,
                                                  double field, bench_observation *out,
                                                  wadi_error *err);
void bench_observation_free(bench_observation *o); /* harmless for one that is all zero */

/* place[i].value = sum of Re[V exp(-2 pi i (u l + v m + w (n - 1)))] / visibilities, the sum itself. */
void bench_observation_sum(const bench_observation *o, int n, bench_place *place);

#endif
