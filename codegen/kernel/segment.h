/* Segments of the innermost dimension: their bounds, and a reduction of each. */
#ifndef WADI_CODEGEN_KERNEL_SEGMENT_H
#define WADI_CODEGEN_KERNEL_SEGMENT_H

#include "codegen/kernel/lower.h"

struct wadi_scan_stretch; /* scan.h */
struct wadi_row;          /* row.h */

/** Offset j, as an i64. */
wadi_lv wadi_lower_offset(wadi_lower *l, const wadi_bind *bind, int arg, wadi_lv j);
/** The number of segments. */
wadi_lv wadi_lower_segments(wadi_lower *l, const wadi_bind *bind, int arg);
/** The beginning and the length of segment j. Writes a fault unless the segment is within 0..extent. */
void wadi_lower_segment(wadi_lower *l, const wadi_bind *bind, int arg, wadi_lv j, wadi_lv extent,
                        wadi_lv *out_from, wadi_lv *out_n);
/** Whether it is within 0..extent; without a fault. If not, the two numbers mean nothing. */
wadi_lv wadi_lower_segment_fits(wadi_lower *l, const wadi_bind *bind, int arg, wadi_lv j,
                                wadi_lv extent, wadi_lv *out_from, wadi_lv *out_n);
/** Element ix of the fold_seg or fold1_seg `bind`. */
void wadi_lower_fold_seg_at(wadi_lower *l, const wadi_bind *bind, const wadi_lv *ix, wadi_lv *out);
/** The same if slot `parts` has the results of the blocks of each segment but the first. */
void wadi_lower_fold_seg_parts(wadi_lower *l, const wadi_bind *bind, int parts, const wadi_lv *ix,
                               wadi_lv *out);
/* A segment with that table. */
typedef struct wadi_segment_parts {
    int parts;         /* its slot */
    const wadi_lv *ix; /* of the row */
    wadi_lv from;      /* where the segment begins */
    int fields;        /* of an element; the table may have one more, which tells bad blocks */
    const struct wadi_row *again; /* a bad block is reduced again, as a block of this; NULL: */
    wadi_lv bad;                  /* an i64 variable that becomes 1; NONE: nothing is done */
} wadi_segment_parts;

/** The result of block blk > 0. `env`: a wadi_segment_parts. It is a wadi_row_block (row.h). */
void wadi_segment_later_part(wadi_lower *l, const void *env, wadi_lv blk, wadi_lv *out);
/** Writes block g of that table, if there is such a block. The row of the table is at `extent` and `pointer`. `quiet`: tells no faults, but
 *  notes in the table's last field that there is one. */
void wadi_lower_fold_seg_block(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent,
                               const wadi_lv *pointer, const wadi_lv *ix, wadi_lv g, bool quiet);
/* The block of a segment that an entry of the table belongs to. */
typedef struct wadi_segment_block {
    wadi_lv j, from, n; /* the segment: its number, its begin, its length */
    wadi_lv blk;        /* > 0 */
    wadi_lv first;      /* where the block begins in the segment */
} wadi_segment_block;

/** Opens two branches for the case that entry g belongs to a block; the caller closes them. Segments with bad offsets have none. */
void wadi_lower_segment_block(wadi_lower *l, const wadi_bind *bind, wadi_lv g,
                              wadi_segment_block *out);
/** The same for a scan, of whose segments only those with more than `limit` results that are scanned have entries. Opens three branches.
 *  Returns the block. Entry g is that of the block before (segment_scan.c). */
wadi_lv wadi_lower_scan_segment_block(wadi_lower *l, const wadi_bind *bind, wadi_lv g,
                                      wadi_lv limit, struct wadi_scan_stretch *out);
/** The least j in 0..n for which the condition holds; n if there is none. The condition must hold for all greater j, too. */
typedef wadi_lv (*wadi_search_test)(wadi_lower *l, void *env, wadi_lv j);
wadi_lv wadi_lower_search(wadi_lower *l, wadi_lv n, wadi_search_test holds, void *env);
/** The same for offsets of segments, which reach `end` at n: it begins where `place` would be if all segments were as long, and looks farther and
 *  farther away from there. A search from the middle misses the cache at each step. */
wadi_lv wadi_lower_search_near(wadi_lower *l, wadi_lv n, wadi_lv place, wadi_lv end,
                               wadi_search_test holds, void *env);

#endif
