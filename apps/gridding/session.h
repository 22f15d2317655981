/* Making an image: inputs, passes over them, weights, a method.
 *
 * There are up to three passes over the visibilities. The first finds a geometry and how far w reaches. The second, only for
 * weights that depend on neighbours, adds up weights. The last grids. If all visibilities fit in one batch, they are read only
 * once. A link passes only once; if it is longer than a batch, it is gridded as it comes. Its weights must then be natural,
 * and its geometry follows from what the sender states or, without that, from the first batch. */
#ifndef WADI_APPS_GRIDDING_SESSION_H
#define WADI_APPS_GRIDDING_SESSION_H

#include <stdbool.h>

#include "apps/gridding/geometry.h"
#include "apps/gridding/ingest.h"
#include "apps/gridding/files.h"
#include "apps/gridding/options.h"

typedef enum grid_phase { GRID_LOOKING, GRID_WEIGHING, GRID_GRIDDING } grid_phase;

typedef struct grid_session grid_session;

/* Called by any thread, one at a time. */
typedef struct grid_watch {
    /* Now and then while rows pass; counts are those of this pass. NULL: none. */
    void (*progress)(void *env, grid_phase phase, const grid_counts *counts, int64_t rows);
    /* Whether to stop: the session then fails with WADI_CANCELLED. */
    bool (*stop)(void *env);
    /* Every `live_s` seconds while rows are gridded: an image can be had. 0: never. */
    wadi_status (*live)(void *env, wadi_error *err);
    double live_s;
    grid_spool *spool; /* of what comes over a link; NULL: none */
    grid_saved *saved; /* of what is gridded of files; NULL: none */
    void *env;
} grid_watch;

/* What an image was made of. */
typedef struct grid_account {
    grid_counts counts;
    grid_limits limits;
    grid_geometry geometry;
    grid_tally tally;
    int64_t outside; /* of the grid, whoever found that out */
    double weight;   /* sum of what was gridded */
    double noise;    /* of the image, if weights are 1 / variance of a part of a visibility */
    const char *method;
    bool once; /* gridded as it came */
} grid_account;

/* Borrows all but `watch`. Errors: those of what is opened. */
WADI_NODISCARD wadi_status grid_session_create(const grid_options *options, grid_files *files,
                                               const grid_take *take, const grid_watch *watch,
                                               grid_session **out, wadi_error *err);
void grid_session_destroy(grid_session *s); /* NULL is fine */
/* Reads and grids everything. */
WADI_NODISCARD wadi_status grid_session_go(grid_session *s, wadi_error *err);
/* The session has failed: ends what is gridded elsewhere, so that what was added can be saved. */
void grid_session_stop(grid_session *s);
/* A pass of a link has failed: whether an image of what came can be had, and grids what is still in the store. */
bool grid_session_has_part(const grid_session *s);
WADI_NODISCARD wadi_status grid_session_settle(grid_session *s, wadi_error *err);
/* [size, size] of the geometry, normalised by the sum of weights: rows from south to north, columns from east to west. Of what
 * has been gridded so far. */
WADI_NODISCARD wadi_status grid_session_image(grid_session *s, double *out, wadi_error *err);
void grid_session_account(const grid_session *s, grid_account *out);

#endif
