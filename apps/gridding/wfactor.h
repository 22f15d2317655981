/* The kernels of w projection as sums of products: for each bin of w some pairs of lines, tabulated at places between cells.
 *
 * The kernel of w is the Fourier transform of taper(l) taper(m) exp(2 pi i w (n - 1)), n = sqrt(1 - l^2 - m^2), over the grid's field;
 * after Cornwell, Golap, Bhatnagar (IEEE J. Sel. Top. Signal Process. 2, 2008). wslice.h writes it as a sum of products, so the table
 * holds lines of `support` values instead of squares. Interpolating lines between places and between bins of w is cheap, and tables stay
 * small. Lines are even, and those of -w are conjugates, so the table holds only w >= 0.
 *
 * A line is interpolated between four places with Lagrange's weights, and between the two ends of a bin of w. The average effect of this
 * on a direction is known, and the lines are divided by it. Let a = 2 pi t / oversample, where t is the cycles per cell of a direction (at
 * most 0.4), and b = 2 pi step (1 - sqrt(1 - l^2)), by which the phase of a direction turns from one end of a bin to the other. The
 * remaining error along either line is at most
 *
 *     11/720 a^4    and    1/12 b^2
 *
 * relative to the visibility's own contribution: 1.5e-4 for 8 places, and 8e-4 for a turn of 0.1. */
#ifndef WADI_APPS_GRIDDING_WFACTOR_H
#define WADI_APPS_GRIDDING_WFACTOR_H

#include "apps/gridding/canvas.h"

typedef struct grid_wfactors {
    int64_t bins;
    double step;              /* wavelengths; bin b is for w from b step to (b + 1) step */
    int least, most;          /* the least and the greatest support */
    int64_t *support, *first; /* [bins] */
    double most_w;            /* the greatest w for which the table was made */
    wadi_array kernel; /* f64, a vector; owned by run: bin b's lines stand from first[b] on, */
    wadi_run *run;     /*   [end of the bin, product, re and im, place, cell of support[b]] */
    wadi_exe *exe;
} grid_wfactors;

/* Which bins, places and supports a table has. */
typedef struct grid_wfactor_plan {
    double step;
    int oversample;
    int products;
    int limit; /* the greatest support allowed; 0: no limit */
} grid_wfactor_plan;

/* How many products the kernels up to `w` need for the image, at most GRID_SLICES_MOST. */
int grid_wfactor_products(const grid_canvas *c, double w);
/* The largest w whose kernel fits into `support` cells. */
double grid_wfactor_most(const grid_canvas *c, int64_t support);
/* Makes the table for |w| up to `w`, and replaces the one before. A table that is all zero has no kernels. The caller calls fini in any
 * case. Errors: WADI_UNSUPPORTED for a w that needs too many products; WADI_MEMORY with the estimate. */
WADI_NODISCARD wadi_status grid_wfactors_make(grid_wfactors *t, const grid_canvas *c,
                                              const grid_wfactor_plan *plan, double w,
                                              wadi_error *err);
void grid_wfactors_fini(grid_wfactors *t);

/* ---- in the program of a batch ---- */

/* The table's arrays there. */
typedef struct grid_wfactor_inputs {
    grid_wfactor_plan plan;
    wadi_acc step, support, first, kernel;
} grid_wfactor_inputs;

enum { GRID_WFACTOR_INPUTS = 4 };

grid_wfactor_inputs grid_program_wfactors(const grid_wfactor_plan *plan);
void grid_wfactors_bind(const grid_wfactors *t, grid_bound out[GRID_WFACTOR_INPUTS]);

/* The bin of a w >= 0. */
typedef struct grid_wchoice {
    wadi_exp known, support;
    wadi_exp first, part; /* w is this part of the bin above its lower end */
} grid_wchoice;

grid_wchoice grid_program_wchoice(const grid_wfactor_inputs *in, wadi_exp w);
/* Cell `i` of line `product` for a visibility at `x`: its real part, or the imaginary one. */
wadi_exp grid_program_wline(const grid_wfactor_inputs *in, const grid_wchoice *w,
                            const grid_between *x, wadi_exp product, bool imaginary, wadi_exp i);

#endif
