/* The data of paper 001, section 7: the 512 stations of SKA1-LOW, a field of 0.008 rad, a grid of 2400 cells (lambda 300 000),
 * kernels of 15 x 15 cells for antennas and for w. */
#ifndef WADI_BENCH_GRIDDING_PAPER_DATA_H
#define WADI_BENCH_GRIDDING_PAPER_DATA_H

#include "apps/gridding/canvas.h"
#include "bench/gridding/gridding.h"

enum { PAPER_STATIONS = 512, PAPER_BASELINES = 512 * 511 / 2, PAPER_CELLS = 2400, PAPER_SIDE = 15 };

typedef struct paper_data {
    bench_visibilities vis; /* all baselines, in an order that mixes lengths */
    grid_aterms aterms;
    double *kernel; /* what they point to */
} paper_data;

/* `layout`: lines of east, north[, up] in metres; NULL: a look-alike of arms and core is made. Errors: WADI_IO, WADI_INVALID (fewer
 * than 512 stations), WADI_MEMORY. */
WADI_NODISCARD wadi_status paper_data_make(const char *layout, paper_data *out, wadi_error *err);
void paper_data_free(paper_data *d);

#endif
