/* The paper's computation in C: FFTW and OpenMP, a visibility at a time in each thread. */
#ifndef WADI_BENCH_GRIDDING_PAPER_PEER_H
#define WADI_BENCH_GRIDDING_PAPER_PEER_H

#include "apps/gridding/wkernel.h"

/* Adds the first n visibilities to grid, c128[cells, cells]. Each thread makes the kernels of a piece of the visibilities, then adds
 * those rows of all pieces that are its own, so that the sums do not depend on their number. Errors: WADI_UNSUPPORTED (built
 * without FFTW), WADI_MEMORY. */
WADI_NODISCARD wadi_status paper_peer(const grid_canvas *c, const grid_wtable *w,
                                      const grid_aterms *a, const grid_batch *b, int64_t n,
                                      int threads, double *grid, wadi_error *err);

#endif
