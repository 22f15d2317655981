/* The kernels of w projection as squares, one for each bin of w and place between cells. A kernel spreads a visibility so that the image
 * is multiplied by exp(2 pi i w (n - 1)). A visibility takes the nearest kernel. (wfactor.h has kernels as products of lines, and
 * interpolates them. Here they are whole, because A-terms are convolved with whole kernels.)
 *
 * The kernel of w is the Fourier transform of taper(l) taper(m) exp(2 pi i w (n - 1)), n = sqrt(1 - l^2 - m^2), over the grid's field;
 * after Cornwell, Golap, Bhatnagar (IEEE J. Sel. Top. Signal Process. 2, 2008). It is even in both coordinates, and that of -w is its
 * conjugate, so the table holds w >= 0 alone. Bin b is for w = b step.
 *
 * The phase of a source at l has w l / n cycles per unit of l, so its kernel reaches w l theta / n cells beyond that of the taper. The
 * support is computed for the edge of the grid's field, a quarter beyond that of the image, where the taper is small. A kernel without
 * a taper has tails that fall slowly, and would need the wider 2 theta sqrt((w theta / 2)^2 + w^1.5 theta / (2 pi eps)). */
#ifndef WADI_APPS_GRIDDING_WKERNEL_H
#define WADI_APPS_GRIDDING_WKERNEL_H

#include "apps/gridding/canvas.h"

/* [bin, sub_v, sub_u, support, support], the sample in row i, column j of sub place (p, q) being the kernel's value i - support / 2 -
 * (p - oversample / 2) / oversample cells above the visibility in v, and so for u. */
typedef struct grid_wtable {
    int64_t bins;
    double step; /* wavelengths */
    int oversample;
    double most_w;     /* that it was made for */
    wadi_array kernel; /* c128, a vector; owned by run */
    wadi_run *run;
    wadi_exe *exe;
} grid_wtable;

/* What bins and kernels are wanted. */
typedef struct grid_wplan {
    double step;
    int oversample;
    int fixed; /* support of all kernels */
} grid_wplan;

/* How many cells a kernel of w reaches from its middle; grows by the same for every wavelength. */
double grid_wkernel_reach(const es_kernel *taper, int64_t pixels, int64_t cells, double scale,
                          double w);
/* Cells a kernel of w needs, odd: the field of `pixels` on a grid of `cells`. */
int grid_wkernel_support(const es_kernel *taper, int64_t pixels, int64_t cells, double scale,
                         double w);
/* A kernel of `support` cells is a sum of cosines that repeats after this many: as many as one of w reaches from the edge of the grid's
 * field, twice, and as it is wide. Sums go to grid_wkernel_field cycles per cell, beyond that field, to where the taper has fallen to
 * nothing: cut at the field's edge the kernel would have tails. */
int64_t grid_wkernel_period(const grid_canvas *c, double w, int64_t support);
extern const double grid_wkernel_field;
/* Wavelengths between two bins, such that at the image's corners half of it turns by `turn` radians. */
double grid_wkernel_step(int64_t pixels, double scale, double turn);
/* What the kernels of |w| up to `w` take; -1: more than can be counted. */
int64_t grid_wtable_bytes(const grid_wplan *plan, double w);
/* Makes the table for |w| up to `w`, anew if there is one. All zero is one without kernels; fini is due in any case. */
WADI_NODISCARD wadi_status grid_wtable_make(grid_wtable *t, const grid_canvas *c,
                                            const grid_wplan *plan, double w, wadi_error *err);
void grid_wtable_fini(grid_wtable *t);

/* Makes the table for the batch's largest |w|, unless it reaches so far; by half as much again as is needed when it is not the
 * first, so that a stream of growing w does not make a table for every batch. Errors: WADI_MEMORY with the estimate. */
WADI_NODISCARD wadi_status grid_wtable_cover(grid_wtable *t, const grid_canvas *c,
                                             const grid_wplan *plan, const grid_batch *batch,
                                             wadi_error *err);

/* ---- in the program of a batch ---- */

typedef struct grid_wbin {
    wadi_exp bin;      /* within the table */
    wadi_exp known;    /* whether w is */
    wadi_exp negative; /* the kernel's conjugate counts */
} grid_wbin;

/* `step`: the table's, `bins`: their number. */
grid_wbin grid_program_wbin(wadi_exp w, wadi_exp step, wadi_exp bins);

#endif
