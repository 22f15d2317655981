/* One block of a row of a scan, for the files that write code for blocks (scan_blocks.c, scan_lanes.c). */
#ifndef WADI_CODEGEN_KERNEL_SCAN_BLOCK_H
#define WADI_CODEGEN_KERNEL_SCAN_BLOCK_H

#include "codegen/kernel/scan.h"

typedef struct wadi_scan_block {
    const wadi_bind *bind;
    int rank, fields;
    const wadi_type *type;
    const wadi_lv *ix;             /* of the row */
    const wadi_scan_stretch *part; /* of that row; NULL: all of it */
    bool has_z;
    wadi_lv n; /* elements of the row, or of that part of it */
    wadi_lv blk, from, below;
    bool any_order;
    /* results of a block */
    const wadi_lv *extent, *pointer;
    const wadi_scan_table *table;
    const wadi_scan_chain *chain;
    wadi_lv local[WADI_MAX_FIELDS], carry[WADI_MAX_FIELDS]; /* variables */
    wadi_lv z[WADI_MAX_FIELDS];
} wadi_scan_block;

/** Block `blk` of the row at `ix`, or of a part of it, with the fields for its results unset. */
wadi_scan_block wadi_lower_scan_of(wadi_lower *l, const wadi_bind *bind,
                                   const wadi_scan_stretch *part, const wadi_lv *ix, wadi_lv blk);
/** Element i of the row. */
void wadi_lower_scan_source(wadi_lower *l, const wadi_scan_block *c, wadi_lv i, wadi_lv *out);
/** out = f(acc, x) */
void wadi_lower_scan_combine(wadi_lower *l, const wadi_scan_block *c, const wadi_lv *acc,
                             const wadi_lv *x, wadi_lv *out);
/** Where entry `blk` of the row is in the table. */
wadi_lv wadi_lower_scan_entry(wadi_lower *l, const wadi_scan_block *c, const wadi_scan_table *t,
                              wadi_lv blk);
/** How many entries it has there. */
wadi_lv wadi_lower_scan_entries(const wadi_scan_block *c, const wadi_scan_table *t);
/** Stores v as element `at` of the row of results. */
void wadi_lower_scan_store(wadi_lower *l, const wadi_scan_block *c, wadi_lv at, const wadi_lv *v);

#endif
