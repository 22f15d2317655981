/* The image while visibilities arrive.
 *
 * Batches are cut by their size alone, so that the final image does not depend on when it was looked at. But an intermediate
 * image cannot wait for a full batch. So a second gridder takes in what has arrived whenever an image is wanted; the first one
 * and the store know nothing of it, and the final image has the bits it would have had unwatched.
 *
 * The second gridder may have to start again from what the store holds. If the geometry is not given, that of the first image
 * may be too coarse; and weights that depend on their neighbours change with every visibility.
 *
 * A thread makes the images at regular times, so that the last visibilities of a burst are seen although nothing follows them.
 */
#ifndef WADI_APPS_GRIDDING_LIVE_H
#define WADI_APPS_GRIDDING_LIVE_H

#include "apps/gridding/geometry.h"
#include "apps/gridding/method.h"
#include "apps/gridding/store.h"
#include "apps/gridding/weighting.h"
#include "base/thread.h"

/* What an image is made of. */
typedef struct grid_sums {
    grid_gridder *gridder; /* NULL: not open */
    grid_geometry geometry;
    int64_t outside;
    double weight, variance;
} grid_sums;

/* Makes an image if there is a new one to be made. Called with the lock held. */
typedef wadi_status (*grid_live_show_fn)(void *env, wadi_error *err);

typedef struct grid_live {
    const grid_method *method;
    const grid_look *look;
    grid_sums sums;
    grid_limits limits; /* of all that has been seen */
    int64_t seen;       /* how many visibilities of the store were looked at */
    int64_t taken;      /* how many of them were gridded */
    bool unseen;        /* something was gridded since the last image */
    /* the thread */
    wadi_mutex lock; /* guards the whole session; held while rows are taken in */
    wadi_condition wake;
    wadi_thread thread;
    bool has_lock, stopping;
    int64_t every_ns;
    grid_live_show_fn show;
    void *env;
    wadi_error failed; /* the error of `show`; status WADI_OK: none */
} grid_live;

/* Calls show every so often from now on. fini is due in any case; harmless when all zero. */
WADI_NODISCARD wadi_status grid_live_begin(grid_live *l, const grid_method *method,
                                           const grid_look *look, double every_s,
                                           grid_live_show_fn show, void *env, wadi_error *err);
/* Waits for the image being made; without the lock. */
void grid_live_fini(grid_live *l);
bool grid_live_is_on(const grid_live *l);
/* The error with which an image has failed, or WADI_OK. */
WADI_NODISCARD wadi_status grid_live_check(const grid_live *l, wadi_error *err);

/* ---- with the lock ---- */

/* Opens an empty gridder, and closes the one before. Errors: those of the method. */
WADI_NODISCARD wadi_status grid_live_open(grid_live *l, const grid_job *job, wadi_error *err);
/* Widens the limits by the visibilities that came to the store since the last call. */
WADI_NODISCARD wadi_status grid_live_look(grid_live *l, const grid_store *s, wadi_error *err);
/* Looks, and grids the visibilities that the gridder does not have yet; for natural weights. */
WADI_NODISCARD wadi_status grid_live_take(grid_live *l, grid_store *s, wadi_error *err);
/* The same for weights that depend on their neighbours: grids everything in the store into an empty gridder. */
WADI_NODISCARD wadi_status grid_live_weigh(grid_live *l, const grid_store *s,
                                           const grid_weigher *by, int64_t memory, wadi_error *err);
/* The store has been emptied; what it held must have been taken. */
void grid_live_forget(grid_live *l);

#endif
