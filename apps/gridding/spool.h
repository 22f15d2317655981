/* What has come over a link, in a folder (base/kept_folder.h), so that it is not lost when the process ends: visibilities one behind the other in
 * DIR/rows, and a state that says how much of that counts, of which observation it is, and what was counted beside.
 *
 * Batches are cut by the size of the store alone. So what is taken from here and what comes behind it over another link give the sums of one
 * link, bit for bit. */
#ifndef APPS_GRIDDING_SPOOL_H
#define APPS_GRIDDING_SPOOL_H

#include "apps/gridding/ingest.h"

/* Opens the folder, with what an earlier process has left there. Errors: WADI_INVALID (other visibilities were taken; DIR/rows is of somebody
 * else), WADI_IO (also if another process uses the folder), WADI_MEMORY. */
WADI_NODISCARD wadi_status grid_spool_open(const char *dir, double every_s, const grid_take *take,
                                           grid_spool **out, wadi_error *err);
/* What is saved: the stream goes on behind so many rows. */
int64_t grid_spool_rows(const grid_spool *s);
/* The link says what it brings. Errors: WADI_INVALID (another observation is saved; with the rows to come, if their number is known, there
 * would be more than it has), WADI_MEMORY. */
WADI_NODISCARD wadi_status grid_spool_begin(grid_spool *s, const wadi_vis_info *info,
                                            wadi_error *err);

typedef wadi_status (*grid_spool_take_fn)(void *env, void *const *columns, int64_t n,
                                          wadi_error *err);
/* Gives all that is saved, a piece at a time, and the counts. Before anything is added. Errors: those of `take`; WADI_IO. */
WADI_NODISCARD wadi_status grid_spool_replay(grid_spool *s, grid_spool_take_fn take, void *env,
                                             grid_counts *out_counts, wadi_error *err);

/* Adds visibilities, as columns of the store. Errors: WADI_IO. */
WADI_NODISCARD wadi_status grid_spool_add(grid_spool *s, void *const *columns, int64_t n,
                                          wadi_error *err);
/* Whole rows have been added, of which `counts` tells. Saves now and then. Errors: WADI_IO, WADI_MEMORY. */
WADI_NODISCARD wadi_status grid_spool_note(grid_spool *s, const grid_counts *counts,
                                           wadi_error *err);
/* Saves what was noted. */
WADI_NODISCARD wadi_status grid_spool_save(grid_spool *s, wadi_error *err);
/* done: the image is complete, and all is removed. NULL is fine. */
void grid_spool_close(grid_spool *owned_s, bool done);

#endif
