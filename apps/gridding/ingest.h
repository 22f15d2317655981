/* From the rows of a file to visibilities that can be gridded: a pipeline of the framework.
 *
 * Rows are streamed in. The stage's body turns each row into its visibilities, one per channel: baselines in wavelengths, the
 * wanted polarisation, the weight. These are dropped and counted: autocorrelations, flagged visibilities, and those whose
 * value or place is not finite although their weight is positive. The others go to a store, which is passed on whenever it is
 * full. So batches are cut by the size of the store alone, not by chunks, threads or files.
 *
 * u is counted to the west, because the columns of an image grow that way. */
#ifndef WADI_APPS_GRIDDING_INGEST_H
#define WADI_APPS_GRIDDING_INGEST_H

#include <stdbool.h>

#include "apps/gridding/polarisation.h"
#include "apps/gridding/store.h"
#include "base/thread.h"
#include "wadi/visibility.h"

typedef struct grid_spool grid_spool; /* apps/gridding/spool.h */

/* Which visibilities of each file take part. */
typedef struct grid_take {
    int stokes;                          /* code; 0: I, or what there is */
    int64_t first_channel, last_channel; /* last -1: to the end */
    bool psf;                            /* every visibility is 1 */
    bool force_flagged; /* the modulus of a weight counts, so flagged visibilities take part */
    bool autocorrelations;
} grid_take;

typedef struct grid_counts {
    int64_t rows;
    int64_t read; /* visibilities: rows times channels */
    int64_t flagged, broken, autocorrelations, kept;
} grid_counts;

typedef struct grid_ingest {
    grid_take take;
    wadi_run_options run;
    grid_store *store;
    wadi_status (*full)(void *env,
                        wadi_error *err); /* takes what the store holds, and empties it */
    wadi_status (*tick)(void *env, wadi_error *err); /* after every chunk; NULL: none */
    void *env;
    grid_spool *spool; /* gets all that goes to the store, too; NULL: none */
    wadi_mutex *lock;  /* held while a chunk is taken in; NULL: none */
    grid_counts counts;
    wadi_run *running; /* for a cancellation; NULL: none runs */
} grid_ingest;

/* Takes in all rows of `vis`, and adds to counts and store. At the end the store is not emptied, so batches do not depend on where files
 * end. Errors: those of the file, of the polarisation and channels asked for, of full and tick. */
WADI_NODISCARD wadi_status grid_ingest_rows(grid_ingest *g, wadi_vis *vis, const char *name,
                                            wadi_error *err);

/* Takes in what the spool has saved, and its counts. */
WADI_NODISCARD wadi_status grid_ingest_saved(grid_ingest *g, wadi_error *err);

/* The channels taken of a file, [first, first + n). Errors: WADI_INVALID. */
WADI_NODISCARD wadi_status grid_take_channels(const grid_take *t, const wadi_vis_info *info,
                                              const char *name, int64_t *first, int64_t *n,
                                              wadi_error *err);

#endif
