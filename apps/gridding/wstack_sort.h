/* Visibilities in the order in which a w-stack takes them.
 *
 * An entry is a visibility in one tile of rows that its kernel reaches. It is seen from w >= 0 or, as its conjugate, from the opposite
 * point. Visibilities near w = 0 are seen from both, so no planes below 0 are needed. The grid is periodic: if a kernel reaches over a
 * border, it has another entry one period away, for its part on the opposite side. Entries are sorted by tile, then by the first
 * plane that they reach, then by the order of the batch. So the entries of a tile that a plane needs are one range. */
#ifndef WADI_APPS_GRIDDING_WSTACK_SORT_H
#define WADI_APPS_GRIDDING_WSTACK_SORT_H

#include "apps/gridding/wstack_plan.h"

typedef struct wstack_entries {
    int64_t n;
    int64_t *entry; /* [n] visibility * WSTACK_VIEWS + view */
    int64_t firsts; /* first planes there are: -(W - 1) .. planes - 1 */
    int64_t *
        offset; /* [tiles * firsts + 1] where entries of tile t whose first plane is f - (W - 1) begin: t * firsts + f */
    int64_t planes; /* how many planes the batch reaches */
} wstack_entries;

/* A view: bits that say whether it is from the opposite point, and how many periods its columns and its rows are shifted by: 0, 1, or 2
 * for -1. */
enum {
    WSTACK_VIEWS = 32,
    WSTACK_OPPOSITE = 1,
    WSTACK_COLUMNS = 2,
    WSTACK_ROWS = 8,
    WSTACK_SHIFTS = 4
};

/* The largest |w| of those within reach; p NULL: of all. */
double wstack_most_w(const wstack_plan *p, const grid_batch *batch);

/* Whether visibility k is gridded. */
bool wstack_takes(const wstack_plan *p, const grid_batch *batch, int64_t k);

WADI_NODISCARD wadi_status wstack_sort(const wstack_plan *p, const grid_batch *batch,
                                       wstack_entries *out, wadi_error *err);
void wstack_entries_fini(wstack_entries *e); /* harmless for one that is all zero */

#endif
