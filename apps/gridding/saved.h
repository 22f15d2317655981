/* A sum of images that is kept in a folder (base/kept_folder.h), so that a process which is ended goes on behind the parts that are in it.
 *
 * Parts are those of the observation that methods grid by themselves, in order. The observation is read again from its beginning; what is left out
 * is gridding. */
#ifndef WADI_APPS_GRIDDING_SAVED_H
#define WADI_APPS_GRIDDING_SAVED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "wadi/status.h"

typedef struct grid_saved grid_saved;

/* Locks the folder, and reads what is there. Errors: WADI_IO, WADI_MEMORY. */
WADI_NODISCARD wadi_status grid_saved_open(const char *dir, double every_s, grid_saved **out,
                                           wadi_error *err);
/* done: nothing stays of the folder. NULL is fine. */
void grid_saved_close(grid_saved *owned_s, bool done);

/* What the image is of: facts (sched/traits.h), ended; copied. Before all that follows. Errors: WADI_INVALID (what is saved is of something else,
 * which the message tells), WADI_IO, WADI_MEMORY. */
WADI_NODISCARD wadi_status grid_saved_begin(grid_saved *s, const wadi_text *traits, int64_t pixels,
                                            wadi_error *err);
/* How many parts are in what was saved, 0: nothing was. */
int64_t grid_saved_parts(const grid_saved *s);
/* The same, and their sum, if there are any: sum[pixels]. Once. */
int64_t grid_saved_take(grid_saved *s, double *sum);
/* So many parts are in `sum` now, which is borrowed until the next call or `close`. Saves it if the last time is long enough ago. */
WADI_NODISCARD wadi_status grid_saved_note(grid_saved *s, int64_t parts, const double *sum,
                                           wadi_error *err);
/* Saves what was noted last. */
WADI_NODISCARD wadi_status grid_saved_now(grid_saved *s, wadi_error *err);

#endif
