/* Visibilities in the order in which a w-stack takes them.
 *
 * An entry is a visibility in one tile of rows that its kernel reaches, seen from w >= 0 or, as its conjugate, from the opposite
 * point: those near w = 0 are seen from both, so that planes below 0 need not exist. Entries are sorted by tile, then by the first
 * plane they reach, and stay in the order of the batch where these are equal; what a plane needs of a tile is then one range. */
#ifndef WADI_APPS_GRIDDING_WSTACK_SORT_H
#define WADI_APPS_GRIDDING_WSTACK_SORT_H

#include "apps/gridding/wstack_plan.h"

typedef struct wstack_entries {
    int64_t n;
    int64_t *entry; /* [n] 2 * visibility + (seen from the opposite point) */
    int64_t firsts; /* first planes there are: -(W - 1) .. planes - 1 */
    int64_t *
        offset; /* [tiles * firsts + 1] where entries of tile t whose first plane is f - (W - 1) begin: t * firsts + f */
    int64_t planes;  /* that the batch reaches */
    int64_t outside; /* visibilities whose kernel leaves the grid */
} wstack_entries;

/* The largest |w| of those within reach; p NULL: of all. */
double wstack_most_w(const wstack_plan *p, const grid_batch *batch);

WADI_NODISCARD wadi_status wstack_sort(const wstack_plan *p, const grid_batch *batch,
                                       wstack_entries *out, wadi_error *err);
void wstack_entries_fini(wstack_entries *e); /* harmless for one that is all zero */

#endif
