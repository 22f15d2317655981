/* Segments, or blocks of long ones, by the lanes of a group: each lane scans one, but their elements pass through a tile. */
#ifndef WADI_CODEGEN_KERNEL_SEGMENT_LANES_H
#define WADI_CODEGEN_KERNEL_SEGMENT_LANES_H

#include "codegen/kernel/scan.h"

/* Without a table: segments first, .., below - 1, as many as there are lanes at most, of longer ones than `limit` only the first block. With a
 * table: the blocks that entries first, .. belong to. */
typedef struct wadi_stretches {
    const wadi_bind *bind;
    const wadi_lv *ix;               /* of the row */
    const wadi_lv *extent, *pointer; /* of the results */
    const wadi_scan_table *table;
    wadi_lv first, below, limit;
} wadi_stretches;

/** Writes their results. Reading elements must be harmless. */
void wadi_lower_scan_stretches(wadi_lower *l, const wadi_stretches *w);
/** Writes the last element of the own scan of the block before each of these blocks into the table. */
void wadi_lower_scan_lasts_of_stretches(wadi_lower *l, const wadi_stretches *w);

#endif
