/* Prefix scans: of a row, of a part of a row, of one block of a row, of segments. */
#ifndef WADI_CODEGEN_KERNEL_SCAN_H
#define WADI_CODEGEN_KERNEL_SCAN_H

#include "codegen/kernel/lower.h"
#include "codegen/kernel/top.h"

/** Scans the row at outer_ix. If there is a z, it comes first. */
void wadi_lower_scan_row(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent,
                         const wadi_lv *pointer, const wadi_lv *outer_ix);

/** A part of a row of a scan: elements [from, from + n) of the source. Its results begin at index `to`; z comes first if there is one. */
typedef struct wadi_scan_part {
    const wadi_bind *bind;
    const wadi_lv *extent, *pointer; /* of the result */
    const wadi_lv *ix;               /* of the row */
    wadi_lv from, to, n;
    bool has_z; /* argument 0 */
} wadi_scan_part;

/** Scans that part. */
void wadi_lower_scan_part(wadi_lower *l, const wadi_scan_part *p);

/* A part of a row that is scanned by itself, in blocks that are counted from its begin: a segment. */
typedef struct wadi_scan_stretch {
    wadi_lv from, to, n; /* where it begins in the source's row and in the result's; its elements */
    wadi_lv entry, entries; /* of its blocks in the table: the first, and how many */
    bool has_z;             /* z comes first */
} wadi_scan_stretch;

/* The table of a scan whose blocks are computed separately (scan_blocks.c). Each block of a row has an entry, except the last block. */
typedef struct wadi_scan_table {
    const wadi_lv *extent; /* of the table: the row's dimensions, then blocks */
    const wadi_lv *pointer;
    const wadi_scan_stretch *part; /* of the row; NULL: all of it */
} wadi_scan_table;

/** What a kernel carries from one block to the next; declared outside its loop over blocks. */
typedef struct wadi_scan_chain {
    wadi_lv started; /* variable: the next block's carry is the total of `top` */
    wadi_top top;
} wadi_scan_chain;

/** Writes entry `blk`: the last element of the scan of that block alone. */
void wadi_lower_scan_last(wadi_lower *l, const wadi_bind *bind, const wadi_scan_table *t,
                          const wadi_lv *ix, wadi_lv blk);
/** Turns the entries of a row into those of the scan of the whole row. */
void wadi_lower_scan_carries(wadi_lower *l, const wadi_bind *bind, const wadi_scan_table *t,
                             const wadi_lv *ix);
/** Declares the variables of a chain. */
void wadi_lower_scan_chain(wadi_lower *l, const wadi_bind *bind, wadi_scan_chain *out);
/** Writes the results of a block. Its carry comes from the chain, or from the table for the first block of the kernel. Without a chain it
 *  comes from the table, or is none if there is no table, and z in front of the row is left to the caller. */
void wadi_lower_scan_block(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent,
                           const wadi_lv *pointer, const wadi_scan_table *t, const wadi_lv *ix,
                           wadi_lv blk, const wadi_scan_chain *chain);
/** Blocks that are computed together: each waits for its own sums alone, so a processor adds for several at a time. `from` is the first. */
enum { WADI_SCAN_TOGETHER = 4 };
/** The entries of these blocks, as wadi_lower_scan_last. */
void wadi_lower_scan_lasts(wadi_lower *l, const wadi_bind *bind, const wadi_scan_table *t,
                           const wadi_lv *ix, wadi_lv from);
/** Turns their entries into those of the scan of the row, after all entries in front. `runs`: pointers to what is kept of those (WADI_TOP_ROOM values
 *  of each field), from one call to the next; NULL if any order will do. */
void wadi_lower_scan_carry_on(wadi_lower *l, const wadi_bind *bind, const wadi_scan_table *t,
                              const wadi_lv *runs, const wadi_lv *ix, wadi_lv from);
/** Their results, and z in front of the row's. Carries come from the table. */
void wadi_lower_scan_blocks(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent,
                            const wadi_lv *pointer, const wadi_scan_table *t, const wadi_lv *ix,
                            wadi_lv from);
/** For a scan of segments: the first function writes segments [from, below) of a row, the second the elements of the row that belong to
 *  no segment (segment_scan.c). Of `row` only bind, extent, pointer and ix are used. Of segments with more than `limit` elements only the
 *  first block is written. */
void wadi_lower_scan_segments(wadi_lower *l, const wadi_scan_part *row, wadi_lv from, wadi_lv below,
                              wadi_lv limit);
void wadi_lower_scan_outside(wadi_lower *l, const wadi_scan_part *row);

#endif
