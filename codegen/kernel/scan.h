/* Prefix scans: of a row or a part of one, block by block, of segments. */
#ifndef WADI_CODEGEN_KERNEL_SCAN_H
#define WADI_CODEGEN_KERNEL_SCAN_H

#include "codegen/kernel/lower.h"
#include "codegen/kernel/top.h"

/** The row behind outer_ix, with z in front if there is one. */
void wadi_lower_scan_row(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent,
                         const wadi_lv *pointer, const wadi_lv *outer_ix);

/** Part of a row of a scan: elements [from, from + n) of the source, results from `to` on, z in front if there is one. */
typedef struct wadi_scan_part {
    const wadi_bind *bind;
    const wadi_lv *extent, *pointer; /* of the result */
    const wadi_lv *ix;               /* of the row */
    wadi_lv from, to, n;
    bool has_z; /* argument 0 */
} wadi_scan_part;

/** Scans that part. */
void wadi_lower_scan_part(wadi_lower *l, const wadi_scan_part *p);

/* A scan's blocks apart from each other (scan_blocks.c). Blocks but the last of a row have an entry in a table. */
typedef struct wadi_scan_table {
    const wadi_lv *extent; /* of the table: the row's dimensions, then blocks */
    const wadi_lv *pointer;
} wadi_scan_table;

/** What a kernel carries from one block to the next, outside of its loop over blocks. */
typedef struct wadi_scan_chain {
    wadi_lv started; /* variable: the next block's carry is the total of `top` */
    wadi_top top;
} wadi_scan_chain;

/** Entry `blk`: the last element of the block's own scan. */
void wadi_lower_scan_last(wadi_lower *l, const wadi_bind *bind, const wadi_scan_table *t,
                          const wadi_lv *ix, wadi_lv blk);
/** The row's entries become those of the whole row's scan. */
void wadi_lower_scan_carries(wadi_lower *l, const wadi_bind *bind, const wadi_scan_table *t,
                             const wadi_lv *ix);
/** Variables for that. */
void wadi_lower_scan_chain(wadi_lower *l, const wadi_bind *bind, wadi_scan_chain *out);
/** The results of a block, from the chain or, where the kernel begins, the table. */
void wadi_lower_scan_block(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent,
                           const wadi_lv *pointer, const wadi_scan_table *t, const wadi_lv *ix,
                           wadi_lv blk, const wadi_scan_chain *chain);
/** Segments [from, below) of a row of a scan of segments, of which bind, extent, pointer and ix are given; the places of the
 *  row that belong to no segment (segment_scan.c). */
void wadi_lower_scan_segments(wadi_lower *l, const wadi_scan_part *row, wadi_lv from,
                              wadi_lv below);
void wadi_lower_scan_outside(wadi_lower *l, const wadi_scan_part *row);

#endif
