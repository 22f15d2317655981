/* The longest and the shortest baseline of a file. From them, a receiver knows before the first row how fine and how wide an
 * image of the stream should be. */
#ifndef WADI_APPS_GRIDDING_REACH_H
#define WADI_APPS_GRIDDING_REACH_H

#include "wadi/visibility.h"

typedef struct grid_reach {
    double longest, shortest; /* metres, as wadi_vis_info has them; 0: no baseline has a length */
} grid_reach;

/* Reads all rows once, apart from flagged ones, and widens *reach. Errors: those of the file. */
WADI_NODISCARD wadi_status grid_reach_of(wadi_vis *vis, grid_reach *reach, wadi_error *err);

#endif
