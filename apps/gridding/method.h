/* A way of gridding: what turns visibilities into an image. One file each, and a row in the table of methods.c.
 *
 * The image wanted is the exact sum  I(l, m) = sum_k weight_k Re[V_k exp(2 pi i (u_k l + v_k m + w_k (n - 1)))],  n = sqrt(1 - l^2 - m^2),
 * not divided by the sum of weights. */
#ifndef WADI_APPS_GRIDDING_METHOD_H
#define WADI_APPS_GRIDDING_METHOD_H

#include <math.h>
#include <stdbool.h>

#include "apps/gridding/aterms.h"
#include "apps/gridding/saved.h"
#include "connectors/via.h"
#include "wadi/wadi.h"

/* Visibilities that take part: good ones of positive weight. */
typedef struct grid_batch {
    int64_t n;
    const double *u, *v, *w; /* [n] wavelengths */
    const double *vis;       /* [n] of re, im: c128 */
    const double *weight;    /* [n] > 0 */
    const int32_t *pair;     /* [n, 2] antennas; -1: not known */
    const double *time;      /* [n] modified Julian date, days; 0: not known */
    const double *frequency; /* [n] Hz */
} grid_batch;

/* Whether all methods grid (u, v): up to half a wavelength per pixel. Where kernels reach beyond that, they continue at the opposite
 * border, because the uv plane of an image of pixels is periodic. False for numbers that are not finite. */
static inline bool grid_is_inside(double scale, double u, double v) {
    return fabs(u) * scale <= 0.5 && fabs(v) * scale <= 0.5;
}

/* What is asked for. */
typedef struct grid_job {
    int64_t size;              /* pixels along each side, even */
    double scale;              /* of a pixel, radians */
    double epsilon;            /* wstack: relative rms error of the image asked for */
    double most_w;             /* largest |w| to come, wavelengths; 0: not known yet */
    int support;               /* wproj, aw: cells of a kernel along each side, odd; 0: chosen */
    int oversample;            /* simple, wproj, aw: kernels between two cells; 0: chosen */
    double w_step;             /* wproj, aw: wavelengths between two w kernels; 0: chosen */
    bool own_fft;              /* aw: the language's own transform instead of the library's */
    bool hoisted;              /* aw: kernels transformed once, not for each visibility */
    const grid_aterms *aterms; /* aw; NULL: antennas that see everything alike */
    const wadi_via_asked *via; /* of methods with `stop`: who computes each batch; NULL: we do */
    grid_saved *saved;    /* of methods with `stop`: keeps the sum after each batch; NULL: nobody */
    wadi_run_options run; /* threads, memory, chunk, schedule */
} grid_job;

/* What happened to the visibilities. */
typedef struct grid_tally {
    int64_t gridded,
        outside;     /* outside: see grid_is_inside; or w is beyond what the method can reach */
    double weight;   /* sum of the weights of those gridded */
    int64_t kernels; /* in tables; 0: none */
    int support_least, support_most; /* cells */
    int64_t planes;                  /* w planes; 0: none */
    int64_t grid;                    /* cells along each side */
} grid_tally;

typedef struct grid_gridder grid_gridder; /* each method's own */

typedef struct grid_method {
    const char *name, *about;
    /* Copies job, borrows job->aterms. Errors: WADI_INVALID, WADI_UNSUPPORTED, WADI_MEMORY (with the estimate, before anything is
     * allocated). */
    wadi_status (*open)(const grid_job *job, grid_gridder **out, wadi_error *err);
    wadi_status (*add)(grid_gridder *g, const grid_batch *batch, wadi_error *err);
    /* The image of what has been added so far: out[y * size + x] at l = (x - size / 2) scale, m = (y - size / 2) scale. More may be
     * added afterwards. */
    wadi_status (*image)(grid_gridder *g, double *out, wadi_error *err);
    void (*tell)(const grid_gridder *g, grid_tally *out);
    void (*close)(grid_gridder *g); /* NULL is fine */
    /* Of methods that make an image of each batch and add these in order, so that each can be computed elsewhere (job->via, for which `image` waits)
     * and their sum can be saved: nothing comes from elsewhere any more. NULL: of other methods. */
    void (*stop)(grid_gridder *g);
} grid_method;

/* Ended by NULL; the first is the default. */
extern const grid_method *const grid_methods[];

#endif
