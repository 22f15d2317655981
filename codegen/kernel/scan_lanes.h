/* Scans by groups: the units of the three steps, and of rows that are no longer than a block. */
#ifndef WADI_CODEGEN_KERNEL_SCAN_LANES_H
#define WADI_CODEGEN_KERNEL_SCAN_LANES_H

#include "codegen/kernel/scan.h"

/** So many blocks a group takes at a time. */
int wadi_lower_scan_items_at_once(const wadi_lower *l, const wadi_bind *bind);

/* Blocks of all rows, numbered row by row. */
typedef struct wadi_scan_items {
    const wadi_bind *bind;
    const wadi_lv *extent, *pointer; /* of the results; lasts: NULL */
    const wadi_scan_table *table;    /* NULL: rows have one block */
    wadi_lv each;                    /* blocks of a row */
    wadi_lv first, all;              /* the first block of the group; how many there are */
} wadi_scan_items;

/** Writes the results of these blocks, or the last element of each into the table: a lane takes a block. */
void wadi_lower_scan_items(wadi_lower *l, const wadi_scan_items *items);

/* In any order the lanes share a block. */

/** Writes entry `blk`, as wadi_lower_scan_last does. */
void wadi_lower_scan_last_shared(wadi_lower *l, const wadi_bind *bind, const wadi_scan_table *t,
                                 const wadi_lv *ix, wadi_lv blk);
/** Writes the results of a block. `t` NULL: rows have one block. */
void wadi_lower_scan_block_shared(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent,
                                  const wadi_lv *pointer, const wadi_scan_table *t,
                                  const wadi_lv *ix, wadi_lv blk);
/** Turns the entries of a row into carries, by the law of operators/reduce_tree.h or, if the order is free, by any other tree. */
void wadi_lower_scan_carries_shared(wadi_lower *l, const wadi_bind *bind, const wadi_scan_table *t,
                                    const wadi_lv *ix);

#endif
