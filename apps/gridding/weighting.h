/* Weights of visibilities in an image: as they were measured, or by how many there are around them.
 *
 * With w_k the weight in the file and S_k the sum of the weights in the cell of the uv plane that visibility k lies in, a
 * cell being 1 / field of view wide and (u, v) and (-u, -v) the same place,
 *
 *   natural   W_k = w_k                            least noise
 *   uniform   W_k = w_k / S_k                      every cell counts alike: narrowest beam
 *   briggs:R  W_k = w_k / (1 + f^2 S_k),  f^2 = (5 10^-R)^2 / (sum over cells of S^2 / sum of w_k)
 *
 * R = -2 is nearly uniform, R = 2 nearly natural. Source: D. S. Briggs, High fidelity deconvolution of moderately resolved
 * sources, thesis, New Mexico Tech 1995, section 3.2.
 *
 * Two programs over the columns of a batch: one scatters weights over the plane, in the order of the visibilities, the other
 * reads them there. Results do not depend on threads, chunks or schedule. */
#ifndef WADI_APPS_GRIDDING_WEIGHTING_H
#define WADI_APPS_GRIDDING_WEIGHTING_H

#include <stdint.h>

#include "apps/gridding/store.h"
#include "wadi/run.h"

typedef enum grid_weighting { GRID_NATURAL, GRID_UNIFORM, GRID_BRIGGS } grid_weighting;

typedef struct grid_weights {
    grid_weighting kind;
    double robust; /* R */
} grid_weights;

/* The programs for one kind of weights. Several planes may use them at once. */
typedef struct grid_weigher grid_weigher;
/* A uv plane: the sums S. */
typedef struct grid_density grid_density;

/* What has been weighed. */
typedef struct grid_weighed {
    int64_t outside; /* of the plane */
    double weight;   /* sum of W */
    double
        variance; /* sum of W^2 / w: divided by the square of the sum of W, the variance of the image's noise */
} grid_weighed;

/* `how` is not natural. Kernels are made in the background. */
WADI_NODISCARD wadi_status grid_weigher_create(grid_weights how, const wadi_run_options *run,
                                               grid_weigher **out, wadi_error *err);
void grid_weigher_destroy(grid_weigher *w); /* NULL is fine */

/* An empty plane for images of size x size pixels of width `scale`. Borrows w. Errors: WADI_MEMORY naming the bytes. */
WADI_NODISCARD wadi_status grid_density_create(const grid_weigher *w, int64_t size, double scale,
                                               int64_t memory, grid_density **out, wadi_error *err);
void grid_density_destroy(grid_density *d); /* NULL is fine */
/* Adds the weights of visibilities to the plane. Those outside the plane (half a wavelength per pixel) are skipped. */
WADI_NODISCARD wadi_status grid_density_add(grid_density *d, const grid_store *s, wadi_error *err);
/* After all were added: replaces the weights w of visibilities by those of the image, W, and removes visibilities outside the plane. Adds
 * to *io. */
WADI_NODISCARD wadi_status grid_density_apply(const grid_density *d, grid_store *s,
                                              grid_weighed *io, wadi_error *err);

#endif
