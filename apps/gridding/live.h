/* The image while visibilities arrive.
 *
 * Batches are cut by their size alone, so that an image does not depend on when it was looked at; what is shown meanwhile may not
 * wait for a batch to be full. So a second gridder takes in what has arrived whenever an image is wanted, and the first one, or
 * the store, knows nothing of it: the image at the end has the bits it would have had unwatched.
 *
 * Images are made by a thread that wakes every so often: what comes in one burst is seen although nothing follows it. */
#ifndef WADI_APPS_GRIDDING_LIVE_H
#define WADI_APPS_GRIDDING_LIVE_H

#include "apps/gridding/geometry.h"
#include "apps/gridding/store.h"
#include "base/thread.h"

/* What an image is made of. */
typedef struct grid_sums {
    grid_gridder *gridder; /* NULL: not open */
    int64_t outside;
    double weight, variance;
} grid_sums;

/* Makes an image if there is a new one to be made. Called with the lock held. */
typedef wadi_status (*grid_live_show_fn)(void *env, wadi_error *err);

typedef struct grid_live {
    const grid_method *method;
    const grid_look *look;
    grid_sums sums;
    grid_limits limits; /* of all that has been taken */
    int64_t taken;      /* of what the store holds */
    bool unseen;        /* something has been taken since this was false */
    /* the thread */
    wadi_mutex lock; /* of all the session has: whoever takes in rows holds it */
    wadi_condition wake;
    wadi_thread thread;
    bool has_lock, stopping;
    int64_t every_ns;
    grid_live_show_fn show;
    void *env;
    wadi_error failed; /* what show has said, status WADI_OK: nothing */
} grid_live;

/* Opens the gridder, and calls show every so often from now on. Errors: those of the method. fini is due in any case; harmless when
 * all zero. */
WADI_NODISCARD wadi_status grid_live_begin(grid_live *l, const grid_method *method,
                                           const grid_job *job, const grid_look *look,
                                           double every_s, grid_live_show_fn show, void *env,
                                           wadi_error *err);
/* Waits for the image being made; without the lock. */
void grid_live_fini(grid_live *l);
bool grid_live_is_on(const grid_live *l);
/* What an image has failed with. */
WADI_NODISCARD wadi_status grid_live_check(const grid_live *l, wadi_error *err);

/* Grids what the store, of natural weights, has got since the last time. */
WADI_NODISCARD wadi_status grid_live_take(grid_live *l, grid_store *s, wadi_error *err);
/* The store has been emptied; what it held must have been taken. */
void grid_live_forget(grid_live *l);

#endif
