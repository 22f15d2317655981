/* Folds of segments by the lanes of a group: teams of lanes go through segments, or through blocks of long ones, side by side. */
#ifndef WADI_CODEGEN_KERNEL_SEGMENT_FOLDS_H
#define WADI_CODEGEN_KERNEL_SEGMENT_FOLDS_H

#include "codegen/kernel/lower.h"

/* Segments [first, below) of a row; or the blocks that entries [first, below) of the table belong to (segment.h). */
typedef struct wadi_fold_stretches {
    const wadi_bind *bind;           /* a fold_seg or fold1_seg */
    const wadi_lv *ix;               /* of the row */
    const wadi_lv *extent, *pointer; /* of what is written: the result, or the table */
    wadi_lv first, below;
    int parts; /* slot of the table; -1: no segment is longer than a block, or the table is what is written */
    bool quiet;  /* reading elements may fault, and that can be noted (wadi_lower_read_quietly) */
    bool faulty; /* and so may f */
} wadi_fold_stretches;

/** Writes the results of segments, of which only the last may be longer than `limit`. Applying f must be harmless, and reading elements,
 *  unless w->quiet: then segments that are folded together and one of which has a fault are folded again, a lane each, which tells the first
 *  fault. */
void wadi_lower_fold_segments(wadi_lower *l, const wadi_fold_stretches *w, int64_t limit);
/** How many entries of the table a group takes at a time. */
int wadi_lower_fold_entries_at_once(wadi_lower *l, const wadi_bind *bind);
/** Writes so many entries of the table at most, those from w->first on. w->quiet: the table has one field more, which tells bad entries. */
void wadi_lower_fold_entries(wadi_lower *l, const wadi_fold_stretches *w);

#endif
