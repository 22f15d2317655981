/* Parts of an observation on workers elsewhere (`wadi work`): a run of a program that makes an image of each part, in a thread of its own.
 *
 * The run is the home of a job. What comes back is taken in the order in which parts were given, whoever has computed it, so sums do not
 * depend on the workers. Without workers, the run computes the images itself. */
#ifndef WADI_APPS_GRIDDING_ELSEWHERE_H
#define WADI_APPS_GRIDDING_ELSEWHERE_H

#include "apps/gridding/bound.h"
#include "connectors/via.h"

typedef struct grid_elsewhere grid_elsewhere;

/* Takes what became of a part; in a thread of the run, one after the other. */
typedef wadi_status (*grid_elsewhere_take_fn)(void *env, const wadi_array *image, wadi_error *err);

typedef struct grid_elsewhere_options {
    const wadi_exe *exe; /* with a stream "parts" and a stream "images" of it, one for each */
    const wadi_via_asked *via;
    wadi_run_options run; /* parts in flight take a quarter of its memory, if they are many */
    int columns;          /* arrays of a part */
    const wadi_part *column;
    int bounds;
    const grid_bound *bound; /* further inputs; their values are borrowed until it is closed */
    grid_elsewhere_take_fn take;
    void *env;
} grid_elsewhere_options;

/* Copies what `o` points to but exe, env and the values. Errors: those of the address and its keys, WADI_MEMORY. */
WADI_NODISCARD wadi_status grid_elsewhere_open(const grid_elsewhere_options *o,
                                               grid_elsewhere **out, wadi_error *err);
/* Hands a part over; returns when it is copied, which may take until another is answered. Errors: the first one of the run. */
WADI_NODISCARD wadi_status grid_elsewhere_give(grid_elsewhere *e, const wadi_array *part,
                                               wadi_error *err);
/* No more comes. Waits until all has been taken. Errors: the first one of the run. */
WADI_NODISCARD wadi_status grid_elsewhere_end(grid_elsewhere *e, wadi_error *err);
/* Ends the run wherever it is, if it has not ended; afterwards nothing is taken any more. NULL is fine. */
void grid_elsewhere_close(grid_elsewhere *owned_e);

#endif
