/* The grid on which visibilities are spread, and the way from it to an image. The methods simple, wproj and aw share it.
 *
 * The image's field is the middle of a larger one, so that what the kernel leaks from beyond the grid's field stays outside
 * the image. Cells are 1 / theta wavelengths wide, where theta is the field of the grid. The origin u = v = 0 is cell cells /
 * 2 of both dimensions.
 *
 * There may be several planes, each for the w near its own. Plane p's image is rotated by exp(2 pi i p spacing (n - 1)), so
 * that kernels only need to correct the remaining w. The image is the sum of all planes.
 *
 * A batch is one run of the method's program. Its input "grid" is the result of the run before, in place, so nothing is copied
 * between batches. */
#ifndef WADI_APPS_GRIDDING_CANVAS_H
#define WADI_APPS_GRIDDING_CANVAS_H

#include "apps/gridding/bound.h"
#include "apps/gridding/es_kernel.h"
#include "apps/gridding/method.h"

typedef struct grid_canvas {
    int64_t pixels, cells; /* along each side: of the image, of the grid */
    double scale, theta;   /* radians: a pixel, the grid's field */
    double fine; /* places per wavelength: cells per wavelength times kernels between two cells */
    int64_t planes;
    double spacing; /* wavelengths of w between them; of one plane: more than any w */
    wadi_run_options run;
    es_kernel taper;
    double *fading;   /* [pixels] by what each column, and each row, of the image was multiplied */
    double *blank;    /* [planes, cells, cells] the grid before the first batch */
    wadi_run *latest; /* owns the grid after it */
    wadi_exe *image;
    int64_t gridded, outside;
    double weight; /* sum of the weights of gridded visibilities */
} grid_canvas;

/* Makes a grid of `cells` cells a side for the job's image, in one plane. `oversample`: the number of kernels between two cells, of which
 * a visibility takes the nearest; 0: each visibility has its own kernel. `table`: further bytes that the method needs. The caller calls
 * fini in any case. Errors: WADI_INVALID, WADI_MEMORY. */
WADI_NODISCARD wadi_status grid_canvas_init(grid_canvas *c, const grid_job *job, int64_t cells,
                                            int oversample, int64_t table, wadi_error *err);
/* Divides the canvas into `planes` planes; before the first batch. Errors: WADI_MEMORY. */
WADI_NODISCARD wadi_status grid_canvas_split(grid_canvas *c, int64_t planes, double spacing,
                                             wadi_error *err);
void grid_canvas_fini(grid_canvas *c);

/* Grids a batch by a program that was made with the functions below. `extra`: further inputs of the program. */
WADI_NODISCARD wadi_status grid_canvas_add(grid_canvas *c, const wadi_exe *exe,
                                           const grid_batch *batch, int extras,
                                           const grid_bound *extra, wadi_error *err);
WADI_NODISCARD wadi_status grid_canvas_image(grid_canvas *c, double *out, wadi_error *err);
/* Says that there will be an image, so that its kernels are made while visibilities are gridded. Not before the canvas is split. */
WADI_NODISCARD wadi_status grid_canvas_expect(grid_canvas *c, wadi_error *err);

/* How many visibilities were gridded and left out, and the size of the grid. */
void grid_canvas_tell(const grid_canvas *c, grid_tally *out);

/* The grid so far, re and im, borrowed until the next batch. */
const double *grid_canvas_cells(const grid_canvas *c);

/* ---- the program of a batch ---- */

typedef struct grid_inputs {
    wadi_acc u, v, w, vis, weight, pair, grid, fine, scale;
} grid_inputs;

/* One coordinate of a visibility on the grid. */
typedef struct grid_spot {
    wadi_exp cell; /* the nearest one */
    wadi_exp
        sub; /* the visibility lies (sub - oversample / 2) / oversample of a cell above it: 0 .. oversample */
} grid_spot;

/* The same for kernels that are interpolated between places, of which a cell has `oversample`: the four places around the visibility and
 * the weights of Lagrange's interpolation. Places reach a little beyond half a cell on both sides. */
typedef struct grid_between {
    wadi_exp cell;  /* the nearest one */
    wadi_exp place; /* the first of the four */
    wadi_exp weight[4];
} grid_between;

/* How many places there are. Place p is (p - grid_between_middle) / oversample of a cell above the cell. */
int64_t grid_between_places(int oversample);
int64_t grid_between_middle(int oversample);

/* The body of the stream: it gives the kernel of visibility k as a tuple of the first row, the first column, and the values. If the first
 * row is negative, the visibility is left out. */
typedef wadi_acc (*grid_body)(void *env, wadi_exp k);

grid_inputs grid_program_inputs(void);
/* Where `x` wavelengths lie on the grid. */
grid_spot grid_program_spot(const grid_inputs *in, int oversample, wadi_exp x);
grid_between grid_program_between(const grid_inputs *in, int oversample, wadi_exp x);
/* Visibility k times its weight. */
wadi_exp grid_program_value(const grid_inputs *in, wadi_exp k);
/* The first row of a kernel of `support` cells around row y, for visibility k. -1 if k lies outside (grid_is_inside), the kernel is wider
 * than the grid, or `known` is false. Rows and columns that leave the grid continue at the opposite border. */
wadi_exp grid_program_row(const grid_inputs *in, wadi_exp k, wadi_exp y, wadi_exp support,
                          wadi_exp known);
/* The first column of a kernel around column x. */
wadi_exp grid_program_column(const grid_inputs *in, wadi_exp x, wadi_exp support);
/* Adds the values that the body gives to the grid, in the order of the visibilities, and makes the grid the result. All values are
 * side x side; in the second form their extents differ. */
void grid_program_scatter(const grid_inputs *in, int side, grid_body body, void *env);
void grid_program_scatter_ragged(const grid_inputs *in, grid_body body, void *env);

#endif
