/* How a w-stack is laid out: grid, planes, kernels, precision. Chosen once, when the first batch is there, by what it will cost. */
#ifndef WADI_APPS_GRIDDING_WSTACK_PLAN_H
#define WADI_APPS_GRIDDING_WSTACK_PLAN_H

#include "apps/gridding/es_kernel.h"
#include "apps/gridding/method.h"

typedef struct wstack_plan {
    int64_t size, grid; /* pixels wanted, cells of the padded grid along each side */
    int64_t columns;    /* size, rounded up to whole blocks */
    double scale, epsilon;
    bool single; /* f32 and c64 */
    bool flat;   /* |w| is so small that there is one plane, without a kernel in w */
    es_kernel uv, w;
    double middle, half; /* n - 1 runs over middle +- half */
    double step;         /* wavelengths between planes; plane p is at (p + 1/2) step */
    int64_t planes;
    double reach;        /* largest |w| that is gridded */
    int64_t tile, tiles; /* rows of the grid that are made at once */
    int64_t block;       /* columns of the image that are made at once */
    int64_t group;       /* planes in memory at once */
    int64_t
        bytes; /* estimate of all memory, but for the batch and what is made of its visibilities */
} wstack_plan;

/* For about n visibilities with |w| <= most_w. Errors: WADI_INVALID, WADI_UNSUPPORTED (an accuracy out of reach), WADI_MEMORY (more
 * than the job allows). */
WADI_NODISCARD wadi_status wstack_plan_make(const grid_job *job, int64_t n, double most_w,
                                            wstack_plan *out, wadi_error *err);

/* How many planes reach as far as |w|. */
int64_t wstack_planes_for(const wstack_plan *p, double most_w);

/* n - 1 at pixel (x, y), both from the image's centre; -1 beyond the horizon. */
double wstack_height(const wstack_plan *p, int64_t x, int64_t y);

#endif
